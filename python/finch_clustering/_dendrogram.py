"""Merges of clusters, one pair at a time, in memory of the library, and the number of clusters that they
recommend."""

from __future__ import annotations

from ctypes import byref, c_double
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.errors import Error, check
from ._c.handle import Handle, HasHandle
from ._c.library import lib
from ._c.names import CLUSTERED
from ._c.options import count, real
from ._c.repr import html_table, one_line
from ._input.labels import named_clusters
from ._input.refused import named
from ._tree import Tree


class _Kept(NamedTuple):
    """A dendrogram as a pickle has it, in arrays of its own."""

    start: NDArray[np.int32]
    merges: NDArray[np.int32]
    heights: NDArray[np.float64]
    scores: NDArray[np.float64]
    mixing: float
    clustered: int
    linkage: NDArray[np.float64]
    """That of `Dendrogram.tree`, of clusters."""


class Dendrogram:
    """The merges of the clusters of a partition, as `Hierarchy.dendrogram` makes them.

    A dendrogram never changes, and needs neither its hierarchy nor the samples. It can be pickled; out of
    a pickle it has no tree of samples.
    """

    def __init__(self, handle: Handle | None, kept: _Kept | None = None) -> None:
        self._handle = handle
        self._kept = kept

    @classmethod
    def _of_kept(cls, *fields: Any) -> Dendrogram:
        for array in fields:
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        return cls(None, _Kept(*fields))

    def __reduce__(self) -> Any:
        if self._kept is not None:
            return Dendrogram._of_kept, tuple(self._kept)
        arrays = (self.cut(self.n_start), self.merges, self.heights, self._scores())
        told = (self._mixing(), self._clustered(), self.tree().linkage())
        return Dendrogram._of_kept, (*map(np.array, arrays), *told)

    def __copy__(self) -> Dendrogram:
        return self

    def __deepcopy__(self, memo: Any) -> Dendrogram:
        # A dendrogram never changes.
        return self

    @property
    def n_samples(self) -> int:
        """The number of samples, N."""
        if self._kept is not None:
            return len(self._kept.start)
        return int(lib.finch_dendrogram_sample_count(self._handle))

    @property
    def n_start(self) -> int:
        """The number of clusters that merging began with."""
        if self._kept is not None:
            return int(self._kept.start.max()) + 1
        return int(lib.finch_dendrogram_start_count(self._handle))

    def __len__(self) -> int:
        """The number of merges, M."""
        if self._kept is not None:
            return len(self._kept.merges)
        return int(lib.finch_dendrogram_merge_count(self._handle))

    def __repr__(self) -> str:
        start = self.n_start
        return (
            f"<finch_clustering.Dendrogram: {self.n_samples} samples, {start} to"
            f" {start - len(self)} clusters>"
        )

    def _repr_html_(self) -> str:
        left = range(self.n_start - 1, -1, -1)
        merges = [(k, *pair, height) for k, pair, height in zip(left, self.merges.tolist(), self.heights)]
        head = ("clusters left", "merged", "height")
        return html_table(repr(self), head, [(k, f"{a} and {b}", float(h)) for k, a, b, h in merges])

    @property
    def merges(self) -> NDArray[np.int32]:
        """The two clusters of each merge, M x 2, by their numbers in the partition that merging
        began with, the smaller first. The merged cluster keeps the smaller number. A view."""
        if self._kept is not None:
            return self._kept.merges
        pointer = lib.finch_dendrogram_merges(self._handle)
        return self._memory.view(pointer, (len(self), 2), np.int32)

    @property
    def heights(self) -> NDArray[np.float64]:
        """The height of each merge: M numbers, a view.

        Centroid linkage: the distance of the two means (squared if Euclidean, 2 - 2 cos for cosine), which
        may fall from merge to merge. Ward linkage: their squared distance times ab / (a + b) for clusters
        of a and b samples. Neighbour linkage: ab over the weight of the links between, which is no
        distance, and infinite without links.
        """
        if self._kept is not None:
            return self._kept.heights
        pointer = lib.finch_dendrogram_heights(self._handle)
        return self._memory.view(pointer, len(self), np.float64)

    def cut(self, n_clusters: int | None = None, *, height: float | None = None) -> NDArray[np.int32]:
        """The labels of N samples when `n_clusters` clusters are left, or when merges stop at a height.

        height: merges count in their order up to the first one above the height, as in SciPy's
            `fcluster(Z, height, "distance")` for the tree of clusters.

        Errors: an `Error` for a number of clusters that merging does not lead to; a ValueError for a height
        of NaN; a TypeError unless you give exactly one of the two.

        >>> from finch_clustering import cluster
        >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
        >>> cluster(X).dendrogram(X, linkage="ward", from_partition=0).cut(height=2.0)
        array([0, 0, 0, 0, 1, 1], dtype=int32)
        """
        if (n_clusters is None) == (height is None):
            raise TypeError("cut takes a number of clusters, or height=..., and one of both")
        if height is not None:
            n_clusters = self.n_start - self._merges_below(real("height", height))
        clusters = count("n_clusters", n_clusters)
        if self._kept is not None:
            return self._cut_of_kept(clusters)
        labels = np.empty(self.n_samples, np.int32)
        check(lib.finch_dendrogram_cut(self._handle, clusters, labels.ctypes.data, labels.size))
        return labels

    def persistence(
        self, n_clusters: int | None = None, *, labels: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """The stability of each cluster, from 0 to 1: the Jaccard index to expect of it and the cluster that is found
        in its place among other samples of the same kind.

        n_clusters: the clusters of `cut(n_clusters)`.
        labels: or N numbers, -1 for noise, of clusters that come from a cut, such as those of
            `Hierarchy.refine`, whose samples moved: each has the persistence of the cluster of the cut with
            which it shares most samples.

        A cluster has little where it is about to merge or to fall apart, as the heights of merges tell; small
        clusters are less stable than that. Returns one number for each cluster.

        Errors: an `Error` for a number of clusters that merging does not lead to; a TypeError unless you
        give exactly one of the two, and for a dendrogram out of a pickle.

        >>> from finch_clustering import cluster
        >>> X = np.repeat([[0.0], [1.0], [9.0]], 20, axis=0) + np.linspace(0, 0.5, 60)[:, None]
        >>> suggestion = cluster(X).suggest(X)
        >>> suggestion.dendrogram.persistence(3).round(2)
        array([1., 1., 1.])
        """
        if (n_clusters is None) == (labels is None):
            raise TypeError("persistence takes a number of clusters, or labels=..., and one of both")
        if labels is None:
            clusters = count("n_clusters", n_clusters)
            # Refuses numbers that no cut has.
            self.cut(clusters)
            return self._persistence(clusters)[0]
        numbers, _ = named_clusters("labels", labels)
        if numbers.size != self.n_samples:
            raise ValueError(f"labels has {numbers.size} numbers for {self.n_samples} samples")
        return self._persistence(int(numbers.max(initial=-1)) + 1, numbers)[0]

    def _persistence(
        self, clusters: int, labels: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """The persistence of each cluster, and of the cut."""
        if self._kept is not None:
            raise TypeError(
                "a dendrogram out of a pickle has no persistence: keep dendrogram.persistence(K) beside it"
            )
        found, mean = np.empty(min(clusters, self.n_samples)), c_double()
        pointer = None if labels is None else labels.ctypes.data
        arguments = (pointer, clusters, found.ctypes.data, found.size, byref(mean))
        check(lib.finch_dendrogram_persistence(self._handle, *arguments))
        return found, mean.value

    def _merges_below(self, height: float) -> int:
        """The number of merges before the first one above a height."""
        if height != height:
            raise ValueError("height is NaN: give a number, such as one of dendrogram.heights")
        above = self.heights > height
        return int(above.argmax()) if above.any() else len(above)

    def _cut_of_kept(self, clusters: int) -> NDArray[np.int32]:
        assert self._kept is not None, "it is out of a pickle"
        most, fewest = self.n_start, self.n_start - len(self)
        if not fewest <= clusters <= most:
            raise Error(
                f"the dendrogram cannot be cut into {clusters} clusters: it goes from {most} to {fewest}",
                "FINCH_NO_SUCH_CUT",
            )
        numbers = np.arange(most, dtype=np.int32)
        # The last merge first, so that the smaller number already leads to the cluster at the end.
        for one, other in self._kept.merges[: most - clusters][::-1].tolist():
            numbers[other] = numbers[one]
        # Clusters are numbered by their first samples, so that the smaller of two comes first.
        return (np.cumsum(numbers == np.arange(most), dtype=np.int32) - 1)[numbers][self._kept.start]

    def tree(self, hierarchy: HasHandle | None = None) -> Tree:
        """The merges as a tree.

        hierarchy: the hierarchy of the dendrogram; leaves are then the samples, which join below the
            first merge as in `Hierarchy.tree`. With None, leaves are the clusters that merging began
            with.

        Heights are those of the merges, but each is above the one before, if by a last digit only,
        so that every cut of the dendrogram is one of the tree. Infinite heights, and those of what
        merging left apart, become twice the largest finite one.
        """
        if hierarchy is not None and not hasattr(hierarchy, "_handle"):
            raise TypeError(f"hierarchy is {named(hierarchy)}: give the Hierarchy of the dendrogram, or None")
        if self._kept is not None:
            if hierarchy is not None:
                raise TypeError(
                    "a dendrogram out of a pickle has no tree of samples: pickle the tree itself,"
                    " dendrogram.tree(hierarchy), or leave the hierarchy out, for a tree of clusters"
                )
            return Tree(None, self._kept.linkage)
        handle = Handle(lib.finch_tree_free)
        below = None if hierarchy is None else hierarchy._handle
        check(lib.finch_tree_of_dendrogram(self._handle, below, handle.slot))
        return Tree(handle)

    def _suggested(self) -> NDArray[np.int32]:
        """The suggested cluster of each sample, of a suggestion."""
        pointer = lib.finch_dendrogram_suggested(self._handle)
        return np.array(self._memory.view(pointer, self.n_samples, np.int32))

    def _best(self) -> tuple[int, ...]:
        """The numbers of clusters that fit best, of a suggestion."""
        count = int(lib.finch_dendrogram_best_count(self._handle))
        pointer = lib.finch_dendrogram_best(self._handle)
        return tuple(self._memory.view(pointer, count, np.uintp).tolist())

    def _rivals(self) -> tuple[tuple[int, ...], str | None]:
        """The numbers of clusters that fit almost as well, of a suggestion, and the sentence about them."""
        count = int(lib.finch_dendrogram_rival_count(self._handle))
        pointer = lib.finch_dendrogram_rivals(self._handle)
        told = lib.finch_dendrogram_ambiguity(self._handle)
        rivals = tuple(self._memory.view(pointer, count, np.uintp).tolist())
        return rivals, None if told is None else told.decode()

    def _scores(self) -> NDArray[np.float64]:
        """The score of each number of clusters from 2 on, of a suggestion."""
        if self._kept is not None:
            return self._kept.scores
        pointer = lib.finch_dendrogram_scores(self._handle)
        considered = int(lib.finch_dendrogram_score_count(self._handle))
        return self._memory.view(pointer, considered, np.float64)

    def _mixing(self) -> float:
        """The mixing of clusters at their borders, of a suggestion."""
        if self._kept is not None:
            return self._kept.mixing
        return float(lib.finch_dendrogram_mixing(self._handle))

    def _clustered(self) -> int:
        """The number of the verdict on clusters, of a suggestion."""
        if self._kept is not None:
            return self._kept.clustered
        return int(lib.finch_dendrogram_clustered(self._handle))

    @property
    def _memory(self) -> Handle:
        assert self._handle is not None, "what is out of a pickle has arrays of its own"
        return self._handle


class Suggestion(NamedTuple):
    """The clusters that `Hierarchy.suggest` recommends."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each sample, N numbers: what `Hierarchy.refine` makes of `n_clusters` with linkage="neighbor".
    With "auto", its default, it may take means, and have others."""
    n_clusters: int
    """The recommended number of clusters."""
    partition: int
    """The partition that agrees best with `labels`."""
    scores: NDArray[np.float64]
    """The score of each number of clusters that was considered: that of K at K - 2. Scores do not
    decide where the data is in more pieces without links between them than there are scores."""
    dendrogram: Dendrogram
    """All merges, so that other numbers of clusters cost nothing: `dendrogram.cut(K)`. Its cuts are nested, so
    that no sample has moved from one cluster to another, as in `labels`."""
    mixing: float
    """The mixing of clusters at their borders, from 0 to 1: the share of links to other clusters, of
    samples with such links, in the least mixed of the large clusters."""
    has_clusters: bool | None
    """True if the data has clusters at all. False if they are as mixed as the parts of a single Gaussian, of
    uniform noise or of a line. None if the samples, or those that differ, are too few to tell."""
    best: tuple[int, ...]
    """The numbers of clusters that fit best, at most three: `n_clusters`, and then those of the highest scores
    that are more than 1.5 times as large or as small as each before."""
    persistence: NDArray[np.float64]
    """The stability of each cluster of `labels`, from 0 to 1, as `Dendrogram.persistence` tells."""
    persistence_of_best: tuple[float, ...]
    """The same of the cut into each number of `best`: the mean over its clusters, weighted by their sizes."""
    rivals: tuple[int, ...]
    """The numbers of clusters that fit almost as well, at most three: of 88 % of the score of `n_clusters` or
    more, and more than 1.2 times as large or as small. With a few samples more or fewer one of them might be
    suggested."""
    ambiguity: str | None
    """The rivals in a sentence; None where there are none."""

    def _repr_html_(self) -> str:
        sizes = np.sort(np.bincount(self.labels))[::-1].tolist()
        told = f"{self.n_clusters} clusters of {len(self.labels)} samples; clusters at all: {self.clustered}"
        told += f"; {self.ambiguity}" if self.ambiguity else ""
        return html_table(told, ("cluster by size", "samples"), list(enumerate(sizes)))

    @property
    def is_ambiguous(self) -> bool:
        """True if another number of clusters fits almost as well: one of `rivals`."""
        return bool(self.rivals)

    @property
    def clustered(self) -> str:
        """`has_clusters` in words: "yes", "no" or "too few to tell"."""
        return CLUSTERED[2 if self.has_clusters is None else int(self.has_clusters)]
