"""Cells that overlap: sets of rows that a worker can hold, such that most rows share one with their nearest.

*Leaders* are the centres of k-means on a sample, many for each cell: those next to each other in the tree
of Ward's linkage make a cell, so that cells are round, and of about the same size. A row is in the cells of
the leaders that are nearest to it: of a few, of those that are hardly farther than the nearest one. How few,
and how hardly, is what has enough of some rows, whose nearest is known, share a cell with it at the least
copies.

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

from ._between import add_to_sums, neighbors_between
from ._cluster import cluster

LEADERS = 16
"""Leaders of each cell."""
SAMPLED = 64
"""Rows of the sample for each leader, if they fit in memory."""
ROUNDS = 4
"""How often leaders become the means of the rows nearest to them."""
MOST = 8
"""Leaders whose cells a row is in, at most."""
LOST = 0.5
"""Of the share of neighbours that may be missed, what may share no cell with their row."""


class Searching(NamedTuple):
    """How tasks search."""

    metric: str
    recall: float
    seed: int
    threads: int

    def nearest(self, rows: NDArray[Any], base: NDArray[Any], k: int) -> Any:
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
    """By how many leaders a row is in their cells, at most, ..."""
    margin: float
    """... and by how much more than the nearest leader's their keys may be."""

    @property
    def number(self) -> int:
        """The number of cells."""
        return int(self.of_leader[-1]) + 1

    def of(self, rows: NDArray[Any], searching: Searching) -> NDArray[np.int32]:
        """The cells that each row is in, n x c, that of the nearest leader first; -1 in the places of
        leaders that are too far. A cell may be there twice."""
        found = searching.nearest(rows, self.leaders, self.most)
        near = found.key - found.key[:, :1] <= self.margin
        return np.where(near, self.of_leader[found.index], np.int32(-1))


def sample_size(largest: float, fitting: float) -> int:
    """Rows of the sample for cells with the share `largest` of all rows each, of which `fitting` fit in
    memory."""
    # In float64 beside the sample itself.
    return max(LEADERS * SAMPLED, min(SAMPLED * _number_of_leaders(largest), int(fitting // 4)))


def _number_of_leaders(largest: float) -> int:
    # For twice as many cells as there would be without overlap.
    return math.ceil(2 * LEADERS / largest)


def cells_of(
    sample: NDArray[Any],
    asked: NDArray[Any],
    nearest: NDArray[Any],
    largest: float,
    searching: Searching,
) -> Cells:
    """Cells with the share `largest` of all rows each, at most, unless so many rows are alike.

    asked, nearest: some rows, and the row nearest to each of them.
    """
    leaders = _leaders(sample, _number_of_leaders(largest), searching)
    sizes = np.bincount(searching.nearest(sample, leaders, 1).index[:, 0], minlength=len(leaders))
    before = np.cumsum(sizes) - sizes
    to_leaders = [searching.nearest(rows, leaders, MOST) for rows in (asked, nearest)]
    number = min(len(leaders), max(2, math.ceil(1 / largest)))
    while True:
        # Leaders that follow each other, with about the same number of rows in each cell.
        of_leader = np.unique(before * number // len(sample), return_inverse=True)[1].astype(np.int32)
        cells = Cells(leaders, of_leader, *_reach(to_leaders, of_leader, searching.recall))
        share = _copies(cells.of(sample, searching), cells.number).max() / len(sample)
        if share <= largest or number == len(leaders):
            return cells
        number = min(len(leaders), number + math.ceil(number / 8))


def _copies(inside: NDArray[np.int32], cells: int) -> NDArray[np.int64]:
    """How many rows are in each cell."""
    inside = np.sort(inside, axis=1)
    again = np.zeros(inside.shape, bool)
    again[:, 1:] = inside[:, 1:] == inside[:, :-1]
    return np.bincount(inside[(inside >= 0) & ~again], minlength=cells)


def _leaders(sample: NDArray[Any], most: int, searching: Searching) -> NDArray[Any]:
    """About `most` means of rows of a sample that are near each other, near ones next to each other."""
    vectors = _vectors(sample, searching.metric)
    leaders = np.unique(sample[:: max(2, len(sample) // most)], axis=0)
    for _ in range(ROUNDS):
        home = searching.nearest(sample, leaders, 1).index[:, 0]
        numbers, home = np.unique(home, return_inverse=True)
        sums, sizes = np.zeros((len(numbers), sample.shape[1])), np.zeros(len(numbers), np.int64)
        add_to_sums(vectors, home, sums, sizes, threads=searching.threads)
        # No row is alone in a cell that has two of the sample.
        enough = sizes >= min(2, sizes.max())
        means = sums[enough] / sizes[enough, None]
        means = np.rint(means) if sample.dtype.kind in "iu" else means
        leaders = np.unique(means.astype(sample.dtype), axis=0)
    return leaders[_order(_vectors(leaders, searching.metric))]


def _vectors(rows: NDArray[Any], metric: str) -> NDArray[np.float64]:
    """Rows whose means are leaders: under cosine, their directions."""
    vectors = rows.astype(np.float64)
    if metric == "cosine":
        lengths = np.sqrt(np.cumsum(vectors * vectors, axis=1)[:, -1:])
        vectors /= np.where(lengths > 0, lengths, 1)
    return vectors


def _order(rows: NDArray[np.float64]) -> NDArray[np.intp]:
    """An order in which the rows of each cluster of Ward's linkage follow each other."""
    if len(rows) < 2:
        return np.arange(len(rows))
    hierarchy = cluster(rows, recall=1.0)
    tree = hierarchy.dendrogram(rows, linkage="ward", from_partition=0).tree(hierarchy)
    children = tree.linkage()[:, :2].astype(np.intp)
    order, open_ = [], [2 * len(rows) - 2]
    while open_:
        node = open_.pop()
        if node < len(rows):
            order.append(node)
        else:
            open_.extend(children[node - len(rows)].tolist())
    return np.array(order)


def _reach(
    to_leaders: list[Any], of_leader: NDArray[np.int32], recall: float
) -> tuple[int, float]:
    """By how many leaders, and which margin, enough rows share a cell with their nearest at the least
    copies. to_leaders: the leaders near some rows, and near the rows nearest to these."""
    rows, cells = len(to_leaders[0].index), int(of_leader[-1]) + 1
    lost = int(rows * (1 - recall) * LOST)
    best = (math.inf, MOST, math.inf)
    beyond = np.full((2, rows, cells), np.inf)
    for most in range(1, 1 + to_leaders[0].index.shape[1]):
        # How much farther than the nearest leader is the nearest one of each cell.
        for of_side, found in zip(beyond, to_leaders):
            at = np.arange(rows), of_leader[found.index[:, most - 1]]
            of_side[at] = np.minimum(of_side[at], found.key[:, most - 1] - found.key[:, 0])
        margin = np.sort(beyond.max(axis=0).min(axis=1))[-1 - lost]
        if margin < math.inf:
            copies = np.count_nonzero(beyond[0] <= margin) / rows
            best = min(best, (copies, most, float(margin)))
    return best[1:]
