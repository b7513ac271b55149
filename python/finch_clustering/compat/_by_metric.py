"""Partitions under any metric: by the library where it has the metric, and else by matrices of means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._c.names import METRIC_ALIASES
from .._cluster import cluster
from .._hierarchy import Hierarchy
from .._input.other_metrics import BOOLEAN, BY_ROWS, distance_matrix, expect_few, sums_of
from .._input.sparse import is_sparse
from ._levels import Levels

OF_LIBRARY = ("cosine", "euclidean", "manhattan", "sqeuclidean", "correlation")
"""Metrics under which first neighbours of means are those that the library finds."""


class ByLibrary:
    """The partitions of a hierarchy."""

    def __init__(self, X: Any, hierarchy: Hierarchy) -> None:
        self._rows, self._hierarchy = X, hierarchy
        self.labels = [np.array(labels) for labels in hierarchy]

    def means(self, labels: NDArray[Any]) -> NDArray[np.float64]:
        """The mean of each cluster: C x d."""
        rows, sizes = self._rows, np.bincount(labels)
        if is_sparse(rows):
            from scipy.sparse import csr_array

            places = (labels, np.arange(len(labels)))
            sums = (csr_array((np.ones(len(labels)), places)) @ rows.astype(np.float64)).toarray()
        else:
            sums = sums_of(rows, labels)
        return sums / sizes[:, None]

    def merged(self, partition: int, wanted: int) -> NDArray[np.int32]:
        """The labels of so many clusters, by centroid linkage from a partition."""
        return self._hierarchy.refine(
            self._rows, wanted, linkage="centroid", from_partition=partition
        )


def partitions_of(
    X: Any,
    metric: str | Callable[..., float],
    *,
    first_neighbors: NDArray[np.int32] | None = None,
    timed: bool = False,
    **options: Any,
) -> ByLibrary | Levels:
    """The partitions of the rows of X, N x d.

    metric: a metric of the library, or of SciPy and scikit-learn, or a function of two rows; the last two
        take a matrix of all distances of rows, and at each level of means.
    timed: whether distances count times the difference of row numbers.
    options: those of `cluster`, for its searches.
    """
    name = METRIC_ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if name in OF_LIBRARY and not (timed and first_neighbors is not None):
        rows = BY_ROWS["correlation"].rows_of(X) if name == "correlation" else X
        under = {"sqeuclidean": "euclidean", "correlation": "cosine"}.get(name, name)
        times = np.arange(X.shape[0]) if timed else None
        return ByLibrary(
            rows, cluster(rows, metric=under, times=times, first_neighbors=first_neighbors, **options)
        )
    if name == "nan_euclidean":
        raise ValueError(
            "distance 'nan_euclidean' is of rows with missing values, and there are none here: take 'euclidean'"
        )
    expect_few(X.shape[0], str(metric))
    if options.get("link_bound", "none") != "none":
        raise ValueError(f"link_bound is of cosine, euclidean and manhattan, and the metric is {metric!r}")
    rows = X.toarray() if is_sparse(X) else X

    def distances(means: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
        # As scikit-learn's, which finch-clust takes: means of True and False are neither.
        found = distance_matrix(means != 0 if metric in BOOLEAN else means, metric)
        return found * np.abs(times[:, None] - times) if timed else found

    return Levels(rows, np.arange(len(rows), dtype=float), distances, first_neighbors)
