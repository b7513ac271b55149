"""Algorithms 1 and 2 by distances of means that Python computes, for metrics that the library lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._input.other_metrics import sums_of
from .._neighbors import components

Distances = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""The distances of all pairs of C means, C x d, whose mean times are the second argument: C x C."""


class Levels:
    """The partitions of N rows, finest first, each of the means of the one before.

    X: N x d. times: N numbers. distances: of means. first_neighbors: those of the rows, -1 for none; None to
    find them.
    """

    def __init__(
        self,
        X: NDArray[Any],
        times: NDArray[np.float64],
        distances: Distances,
        first_neighbors: NDArray[np.int32] | None,
    ) -> None:
        self._rows, self._times, self._distances = np.asarray(X, np.float64), times, distances
        if first_neighbors is None:
            first_neighbors = self._nearest(np.arange(len(X)))
        # The library takes no neighbour of a single row.
        self.labels = [np.zeros(1, np.int32) if len(X) == 1 else components(first_neighbors)]
        while self.labels[-1].max() > 0:
            above = components(self._nearest(self.labels[-1]))
            # The whole is no partition, as in the library, unless it is the first.
            if above.max() == 0:
                break
            self.labels.append(above[self.labels[-1]])

    def means(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        """The mean of each cluster: C x d."""
        return sums_of(self._rows, labels) / np.bincount(labels)[:, None]

    def merged(self, partition: int, wanted: int) -> NDArray[np.int32]:
        """The labels of so many clusters, by merging the two with the nearest means until they are left."""
        labels = self.labels[partition].copy()
        for _ in range(int(labels.max()) + 1 - wanted):
            between = self._between(labels)
            one, other = sorted(np.unravel_index(between.argmin(), between.shape))
            labels[labels == other] = one
            labels[labels > other] -= 1
        return labels

    def _between(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        times = np.bincount(labels, self._times) / np.bincount(labels)
        between = np.array(self._distances(self.means(labels), times))
        np.fill_diagonal(between, np.inf)
        return between

    def _nearest(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        if labels.max() == 0:
            return np.zeros(1, np.int32)
        return self._between(labels).argmin(axis=1).astype(np.int32)

