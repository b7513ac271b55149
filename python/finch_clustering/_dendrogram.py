"""Merges of clusters, one pair at a time, in memory of the library, and the number of clusters that they
recommend."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._c.errors import check
from ._c.handle import Handle, HasHandle
from ._c.library import lib
from ._c.names import CLUSTERED
from ._c.options import count
from ._c.repr import one_line
from ._tree import Tree


class Dendrogram:
    """The merges of the clusters of a partition, as `Hierarchy.dendrogram` makes them.

    A dendrogram never changes, and needs neither its hierarchy nor the samples.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def n_samples(self) -> int:
        """The number of samples, N."""
        return int(lib.finch_dendrogram_sample_count(self._handle))

    @property
    def n_start(self) -> int:
        """The number of clusters that merging began with."""
        return int(lib.finch_dendrogram_start_count(self._handle))

    def __len__(self) -> int:
        """The number of merges, M."""
        return int(lib.finch_dendrogram_merge_count(self._handle))

    def __repr__(self) -> str:
        start = self.n_start
        return (
            f"<finch_clustering.Dendrogram: {self.n_samples} samples, {start} to"
            f" {start - len(self)} clusters>"
        )

    def __reduce__(self) -> Any:
        raise TypeError(
            "a finch_clustering.Dendrogram can be neither copied nor pickled: keep its .merges and"
            " .heights"
        )

    @property
    def merges(self) -> NDArray[np.int32]:
        """The two clusters of each merge, M x 2, by their numbers in the partition that merging
        began with, the smaller first. The merged cluster keeps the smaller number. A view."""
        pointer = lib.finch_dendrogram_merges(self._handle)
        return self._handle.view(pointer, (len(self), 2), np.int32)

    @property
    def heights(self) -> NDArray[np.float64]:
        """How far apart the two clusters of each merge were: M numbers, a view.

        By centroid linkage the distance of the means (squared if Euclidean, 2 - 2 cos for cosine),
        which may fall from merge to merge; by Ward linkage the squared distance times ab / (a + b)
        for a and b samples; by neighbour linkage ab over the weight of the links between, which is
        infinite without links.
        """
        pointer = lib.finch_dendrogram_heights(self._handle)
        return self._handle.view(pointer, len(self), np.float64)

    def cut(self, n_clusters: int) -> NDArray[np.int32]:
        """The labels of N samples where so many clusters are left."""
        labels = np.empty(self.n_samples, np.int32)
        clusters = count("n_clusters", n_clusters)
        check(lib.finch_dendrogram_cut(self._handle, clusters, labels.ctypes.data, labels.size))
        return labels

    def tree(self, hierarchy: HasHandle | None = None) -> Tree:
        """The merges as a tree.

        hierarchy: the hierarchy of the dendrogram; leaves are then the samples, which join below the
            first merge as in `Hierarchy.tree`. With None, leaves are the clusters that merging began
            with.

        Heights are those of the merges, but each is above the one before, if by a last digit only,
        so that every cut of the dendrogram is one of the tree. Infinite heights, and those of what
        merging left apart, become twice the largest finite one.
        """
        handle = Handle(lib.finch_tree_free)
        below = None if hierarchy is None else hierarchy._handle
        check(lib.finch_tree_of_dendrogram(self._handle, below, handle.slot))
        return Tree(handle)

    def _scores(self) -> NDArray[np.float64]:
        """The score of each number of clusters from 2 on, of a suggestion."""
        pointer = lib.finch_dendrogram_scores(self._handle)
        considered = int(lib.finch_dendrogram_score_count(self._handle))
        return self._handle.view(pointer, considered, np.float64)


class Suggestion(NamedTuple):
    """The clusters that `Hierarchy.suggest` recommends."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each sample: N numbers."""
    n_clusters: int
    """The recommended number of clusters."""
    partition: int
    """The partition that agrees best with `labels`."""
    scores: NDArray[np.float64]
    """The score of each number of clusters that was considered: that of K at K - 2. Scores do not
    decide where the data is in more pieces without links between them than there are scores."""
    dendrogram: Dendrogram
    """All merges, so that other numbers of clusters cost nothing: `dendrogram.cut(K)`."""
    mixing: float
    """How much clusters are mixed at their borders, from 0 to 1: the share of links to other clusters
    that samples with such links have, of the least mixed of the large clusters."""
    has_clusters: bool | None
    """Whether the data has clusters at all: False where they are mixed as the parts of a single Gaussian
    are, of uniform noise or of a line, and None where too few samples, or too few that differ, tell."""

    @property
    def clustered(self) -> str:
        """`has_clusters` in words: "yes", "no" or "too few to tell"."""
        return CLUSTERED[2 if self.has_clusters is None else int(self.has_clusters)]
