"""Cells that overlap: sets of rows that a worker can hold, such that most rows share one with their nearest.

*Leaders* are the centres of k-means on a sample, many for each cell: those near each other in the tree of
FINCH and Ward's linkage make a cell, so that cells are round, and of about the same size. A row is in the
cells of the few leaders nearest to it, of those that are hardly farther than the first of them. The number
of leaders and the margin are those by which enough of some rows, whose nearest are known, share a cell with
their nearest, with the fewest copies of rows.

Rejected, for 99 of 100 neighbours of augmented images in 256 columns: sampled rows as leaders (2.8 copies
where these have 2.2, in 15 cells); one centre a cell (2.0, but the largest cell is 2.2 times the mean, and
3.9 times in 40 cells, at whatever number of cells); to have weights make those equal (of texts 4.2 copies).

All is added up in the order of rows, so that cells are the same on every machine.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._cluster import cluster
from .._neighbors import NeighborsBetween, add_to_sums, neighbors_between

LEADERS_OF_CELL = 16
"""Leaders of each cell."""
SAMPLED_FOR_LEADER = 64
"""Rows of the sample for each leader, if they fit in memory."""
ROUNDS = 4
"""The number of times that leaders become the means of the rows nearest to them."""
LEADERS_OF_ROW = 8
"""Leaders whose cells a row is in, at most."""
LOST_TO_CELLS = 0.5
"""Of the share of neighbours that may be missed, what may share no cell with their row. Searches within
cells may miss the rest: where each could miss the whole share, 1.9 in 100 were missed of a mixture."""
AT_ONCE = 1 << 16
"""Rows that are compared with leaders at a time."""


class Searching(NamedTuple):
    """The search of a task."""

    metric: str
    recall: float
    seed: int
    threads: int

    def within_cells(self) -> Searching:
        """The search within a cell: it may miss the share that cells leave of the one that may be missed."""
        return self._replace(recall=1 - (1 - self.recall) * (1 - LOST_TO_CELLS))

    def nearest(self, rows: NDArray[Any], base: NDArray[Any], k: int) -> NeighborsBetween:
        """The k of a base that are nearest to each of some new rows, or all if there are fewer."""
        k = min(k, len(base))
        return neighbors_between(rows, base, k, metric=self.metric, threads=self.threads)


class Cells(NamedTuple):
    """The cells of leaders, and by which leaders a row is in a cell."""

    leaders: NDArray[Any]
    """One a row, of the dtype of the rows."""
    of_leader: NDArray[np.int32]
    """The cell of each leader."""
    most: int
    """Leaders whose cells a row is in, at most: the nearest."""
    margin: float
    """The most by which a leader's key may exceed that of the row's nearest leader."""

    @property
    def number(self) -> int:
        """The number of cells."""
        return int(self.of_leader[-1]) + 1

    def of(self, rows: NDArray[Any], searching: Searching) -> NDArray[np.int32]:
        """The cells that each row is in, n x c, that of the nearest leader first; -1 in the places of
        leaders that are too far. A cell may be there twice."""
        inside = np.empty((len(rows), min(self.most, len(self.leaders))), np.int32)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            inside[part] = self.within(searching.nearest(rows[part], self.leaders, self.most))
        return inside

    def within(self, near: NeighborsBetween) -> NDArray[np.int32]:
        """The cells that rows are in, by at least so many of the leaders near them."""
        index, key = near.index[:, : self.most], near.key[:, : self.most]
        inside = key - key[:, :1] <= self.margin
        return np.where(inside, self.of_leader[index], np.int32(-1))


def rows_in_cells(inside: NDArray[np.int32], cells: int) -> NDArray[np.int64]:
    """The number of rows in each cell: of `Cells.of`."""
    inside = np.sort(inside, axis=1)
    again = np.zeros(inside.shape, bool)
    again[:, 1:] = inside[:, 1:] == inside[:, :-1]
    return np.bincount(inside[(inside >= 0) & ~again], minlength=cells)


def sample_size(largest: float, fitting: float) -> int:
    """Rows of the sample for cells with the share `largest` of all rows each, where so many rows of
    float64 fit in memory."""
    # Twice, since rows of means are beside their squares, and the sample itself.
    return max(256, min(SAMPLED_FOR_LEADER * _number_of_leaders(largest), int(fitting // 2)))


def _number_of_leaders(largest: float) -> int:
    # For twice as many cells as there would be without overlap.
    return math.ceil(2 * LEADERS_OF_CELL / largest)


def cells_of(
    sample: NDArray[Any],
    asked: NDArray[Any],
    nearest: NDArray[Any],
    largest: float,
    searching: Searching,
) -> Cells:
    """Cells with about the share `largest` of all rows each, at most, unless so many rows are equal. Each
    has two rows or more.

    asked, nearest: some rows, and the row nearest to each of them.
    """
    leaders = _leaders(sample, _number_of_leaders(largest), searching)
    near = searching.nearest(sample, leaders, LEADERS_OF_ROW)
    sizes = np.bincount(near.index[:, 0], minlength=len(leaders))
    before = np.cumsum(sizes) - sizes
    if searching.metric == "cosine":
        # All rows are as near to a row of zeros, which tells of no cell.
        told = asked.any(axis=1) & nearest.any(axis=1)
        asked, nearest = asked[told], nearest[told]
    pairs = [searching.nearest(rows, leaders, LEADERS_OF_ROW) for rows in (asked, nearest)]
    number = min(len(leaders), max(2, math.ceil(1 / largest)))
    while True:
        # Leaders that follow each other, with about the same number of rows in each cell.
        of_leader = np.unique(before * number // len(sample), return_inverse=True)[1].astype(np.int32)
        cells = Cells(leaders, of_leader, *_reach(pairs, of_leader, searching.recall))
        shares = rows_in_cells(cells.within(near), cells.number) / len(sample)
        may_split = (shares > largest) & (np.bincount(of_leader) > 1)
        if number == len(leaders) or not may_split.any():
            return cells
        number = min(len(leaders), number + math.ceil(number / 8))


def _leaders(sample: NDArray[Any], most: int, searching: Searching) -> NDArray[Any]:
    """About `most` means of rows of a sample that are near each other, near ones next to each other. Two
    rows of the sample or more are nearest to each."""
    vectors = _vectors(sample, searching.metric)
    leaders = np.unique(sample[:: max(2, len(sample) // most)], axis=0)
    for _ in range(ROUNDS):
        home = searching.nearest(sample, leaders, 1).index[:, 0]
        sums, sizes = np.zeros((len(leaders), sample.shape[1])), np.zeros(len(leaders), np.int64)
        add_to_sums(vectors, home, sums, sizes, threads=searching.threads)
        there = sizes > 0
        means = sums[there] / sizes[there, None]
        leaders = np.unique(_in_dtype(means, sample.dtype, searching.metric), axis=0)
    home = searching.nearest(sample, leaders, 1).index[:, 0]
    sizes = np.bincount(home, minlength=len(leaders))
    # The others only gain by those that go.
    leaders = leaders[sizes >= min(2, sizes.max())]
    return leaders[_order(_vectors(leaders, searching.metric), searching.threads)]


def _vectors(rows: NDArray[Any], metric: str) -> NDArray[np.float64]:
    """Rows whose means are leaders: under cosine, their directions."""
    vectors = rows.astype(np.float64)
    if metric == "cosine":
        for start in range(0, len(vectors), 1024):
            some = vectors[start : start + 1024]
            # Added up in the order of features.
            lengths = np.sqrt(np.cumsum(some * some, axis=1)[:, -1:])
            some /= np.where(lengths > 0, lengths, 1)
    return vectors


def _in_dtype(means: NDArray[np.float64], dtype: np.dtype[Any], metric: str) -> NDArray[Any]:
    if dtype.kind in "iu":
        if metric == "cosine":
            # Any length does: one for which rounding is fine.
            lengths = np.abs(means).max(axis=1, keepdims=True)
            means = means / np.where(lengths > 0, lengths, 1) * np.iinfo(dtype).max
        means = np.rint(means)
    return means.astype(dtype)


def _order(rows: NDArray[np.float64], threads: int) -> NDArray[np.intp]:
    """An order in which the rows of each cluster follow each other: of the finest partition, and of what
    Ward's linkage makes of it."""
    if len(rows) < 2:
        return np.arange(len(rows))
    hierarchy = cluster(rows, recall=1.0, threads=threads)
    merges = hierarchy.dendrogram(rows, linkage="ward", from_partition=0, threads=threads)
    children = merges.tree(hierarchy).linkage()[:, :2].astype(np.intp)
    order, open_ = [], [2 * len(rows) - 2]
    while open_:
        node = open_.pop()
        if node < len(rows):
            order.append(node)
        else:
            open_.extend(children[node - len(rows)].tolist())
    return np.array(order)


def _reach(
    pairs: list[NeighborsBetween], of_leader: NDArray[np.int32], recall: float
) -> tuple[int, float]:
    """The number of leaders of a row and the margin by which enough rows share a cell with their nearest
    at the fewest copies. pairs: the leaders near some rows, and near the row nearest to each."""
    rows, cells = len(pairs[0].index), int(of_leader[-1]) + 1
    if rows == 0:
        return 1, 0.0
    lost = int(rows * (1 - recall) * LOST_TO_CELLS)
    best = (math.inf, LEADERS_OF_ROW, math.inf)
    # The excess of the key of the nearest leader of each cell over that of the nearest leader.
    beyond = np.full((2, rows, cells), np.inf)
    for most in range(1, 1 + pairs[0].index.shape[1]):
        for of_side, near in zip(beyond, pairs):
            at = np.arange(rows), of_leader[near.index[:, most - 1]]
            of_side[at] = np.minimum(of_side[at], near.key[:, most - 1] - near.key[:, 0])
        margin = np.sort(beyond.max(axis=0).min(axis=1))[-1 - lost]
        if margin < math.inf:
            copies = np.count_nonzero(beyond[0] <= margin) / rows
            best = min(best, (copies, most, float(margin)))
    return best[1:]
