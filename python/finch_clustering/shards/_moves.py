"""Rows that move from the cluster of their mean to the one that most rows around them are in: tasks.

A first-level cluster may have rows of two clusters, as in many dimensions some have. `Hierarchy.refine` mends that
by the nearest neighbours of each row, which nobody has here. The means nearest to the mean of a row tell nearly as
much: each stands for as many rows as it is the mean of, a row's own mean for the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._input.distances import distances_of_pairs
from .._neighbors import nearest_neighbors
from ._cells import Searching
from ._sources import Source, parts_of, rows_of

AT_ONCE = 1 << 20
"""Values of rows and means that are compared at a time."""


class Around(NamedTuple):
    """The means of a partition, and those nearest to each."""

    means: NDArray[Any]
    """One a row: M x d."""
    sizes: NDArray[np.int64]
    """The number of rows of each mean."""
    near: NDArray[np.int32]
    """Each mean, and the c nearest to it: M x (c + 1); -1 where there are fewer."""
    rows: int
    """The number of rows that decide for a row: half of those that neighbour linkage links it to."""


def around(sources: Sequence[Source], sizes: NDArray[np.int64], searching: Searching) -> Around:
    """The surroundings of means, which lie in some ranges."""
    means = np.concatenate([rows_of(source) for source in sources])
    linked = math.ceil(2 * math.log2(max(2, int(sizes.sum()))))
    near = np.arange(len(means), dtype=np.int32)[:, None]
    count = min(linked, len(means) - 1)
    if count > 0:
        found = nearest_neighbors(
            means,
            count,
            metric=searching.metric,
            recall=searching.recall,
            seed=searching.seed,
            threads=searching.threads,
        )
        near = np.concatenate([near, found.index], axis=1)
    return Around(means, sizes, near, linked // 2)


def anchors(of_means: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """The smallest mean of each cluster, the first of equals, whose rows do not move: so each cluster keeps some.
    The largest ones may have the most rows to mend."""
    order = np.lexsort((np.arange(len(sizes)), sizes, of_means))
    return order[np.unique(of_means[order], return_index=True)[1]]


def staying(around: Around, of_means: NDArray[np.int32]) -> NDArray[np.bool_]:
    """True for each mean whose rows do not move. of_means: the cluster of each mean."""
    stays = np.zeros(len(of_means), bool)
    stays[anchors(of_means, around.sizes)] = True
    # Where all means nearby are in one cluster, there is nothing to ask.
    same = (of_means[around.near] == of_means[:, None]) | (around.near < 0)
    stays |= same.all(axis=1)
    return stays


def moved(
    source: Source,
    labels: NDArray[np.int32],
    around: Around,
    of_means: NDArray[np.int32],
    stays: NDArray[np.bool_],
    metric: str,
) -> NDArray[np.int32]:
    """The cluster of each row of a shard: that of its mean, unless more of the rows around it are in another.

    labels: the mean of each row. of_means: the cluster of each mean. stays: see `staying`.
    """
    found = of_means[labels]
    columns = around.means.shape[1]
    step = max(1, AT_ONCE // (columns * around.near.shape[1]))
    for part, rows in parts_of(source, around.means.dtype):
        asked = np.flatnonzero(~stays[labels[part]])
        for start in range(0, len(asked), step):
            some = asked[start : start + step]
            own = labels[part][some]
            found[part.start + some] = _elected(rows[some], own, around, of_means, metric)
    return found


def _elected(
    rows: NDArray[Any],
    own: NDArray[np.int32],
    around: Around,
    of_means: NDArray[np.int32],
    metric: str,
) -> NDArray[np.int32]:
    """The cluster that most of the rows around each row are in; its own of equals."""
    near = around.near[own]
    means = around.means[near].astype(np.float64)
    counts = np.where(near < 0, 0, around.sizes[near])
    # The mean of the other rows: none where there are no others.
    sizes = counts[:, 0, None]
    others = np.maximum(sizes - 1, 1)
    means[:, 0] += (means[:, 0] - rows) / others
    counts[:, 0] -= 1
    shape = len(rows), near.shape[1]
    pairs = np.repeat(rows, shape[1], axis=0), means.reshape(-1, rows.shape[1])
    apart = distances_of_pairs(*pairs, metric).reshape(shape)
    apart[counts == 0] = np.inf
    order = np.argsort(apart, axis=1, kind="stable")
    counts = np.take_along_axis(counts, order, axis=1)
    clusters = of_means[np.take_along_axis(near, order, axis=1)]
    before = np.cumsum(counts, axis=1) - counts
    votes = np.clip(around.rows - before, 0, counts)
    sums = np.where(clusters[:, :, None] == clusters[:, None, :], votes[:, None, :], 0).sum(axis=2)
    home = of_means[own]
    of_home = np.where(clusters == home[:, None], votes, 0).sum(axis=1)
    # The nearest of equals.
    best = sums.argmax(axis=1)
    elected = clusters[np.arange(len(rows)), best]
    return np.where(of_home >= sums.max(axis=1), home, elected).astype(np.int32)
