"""The result of clustering: partitions from fine to coarse, in memory of the library."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_size_t, sizeof
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c import header as c_header
from ._c.errors import Error, check
from ._c.handle import Handle
from ._c.header import Options
from ._c.library import lib
from ._c.names import LINK_BOUNDS, LINKAGES, METRICS, ORDERS, SEARCHES, name_of, number_of
from ._c.options import count, default_options, search_options, whole
from ._c.repr import html_table, one_line
from ._c.rewording import reworded
from ._c.run import ProgressCallback, run
from ._c.warnings import sentences, tell
from ._dendrogram import Dendrogram, Suggestion
from ._description import PerSample
from ._input.arrays import Samples, optional_samples, weights_of
from ._input.constraints import Rules
from ._input.other_metrics import OtherMetric, dense_rows, means_of
from ._input.sparse import NoValues
from ._tree import Tree


class Refined(NamedTuple):
    """Exactly K clusters, and the linkage that made them."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each sample, N numbers."""
    linkage: str
    """The linkage, never "auto": as asked for, or the one that was chosen."""


class Hierarchy(PerSample):
    """The partitions of one run, from fine to coarse, as `cluster` returns them.

    A sequence: `hierarchy[p]` are the labels of partition p; 0 is the finest, -1 the coarsest, and
    `len(hierarchy)` is P, the number of partitions. `suggest` takes the number of clusters that fits best,
    `refine` makes exactly K. A hierarchy never changes, so threads may share it. It can be pickled, unless
    it was made with times; a `Model` can be saved, too.

    X, which methods take, are the samples that were clustered; None for a hierarchy that was made
    without samples.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._other: OtherMetric | None = None
        self._lengths: NDArray[np.float64] | None = None
        self._told: tuple[str, ...] | None = None
        self._is_timed = False

    def _by(self, other: OtherMetric, rows: NDArray[Any] | None = None) -> Hierarchy:
        """This hierarchy, made by a metric that the library does not have, of `rows` of that metric."""
        self._other = other
        if rows is not None and len(rows) > 1:
            first, lengths = self.first_neighbors, np.array(self.distances)
            has = first >= 0
            lengths[has] = other.distances_of(rows[has], rows[first[has]], lengths[has])
            lengths.flags.writeable = False
            self._lengths = lengths
        return self

    @classmethod
    def _made(cls, handle: Handle) -> Hierarchy:
        """The hierarchy that a call has just made, which warns of what it says against itself."""
        tell(handle)
        return cls(handle)

    @property
    def n_samples(self) -> int:
        """The number of samples, N."""
        return int(lib.finch_hierarchy_sample_count(self._handle))

    @property
    def n_features(self) -> int:
        """The number of features of the samples, d; 0 where there were no samples."""
        is_of_chords = self._other is not None and self._other.name == "haversine"
        return 2 if is_of_chords else self._n_columns

    @property
    def n_clusters(self) -> list[int]:
        """The number of clusters of each partition."""
        return [int(lib.finch_hierarchy_cluster_count(self._handle, p)) for p in range(len(self))]

    def __len__(self) -> int:
        return int(lib.finch_hierarchy_partition_count(self._handle))

    @overload
    def __getitem__(self, partition: int) -> NDArray[np.int32]: ...

    @overload
    def __getitem__(self, partition: slice) -> list[NDArray[np.int32]]: ...

    def __getitem__(self, partition: int | slice) -> NDArray[np.int32] | list[NDArray[np.int32]]:
        """The cluster of each sample in a partition: N numbers, by first appearance in X; a list of these
        for a slice.

        The array is a read-only view of the hierarchy's memory, and keeps that memory alive.
        """
        if isinstance(partition, slice):
            return [self[p] for p in range(len(self))[partition]]
        labels = lib.finch_hierarchy_labels(self._handle, self._partition(partition))
        return self._handle.view(labels, self.n_samples, np.int32)

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[p] for p in range(len(self)))

    def __repr__(self) -> str:
        clusters = ", ".join(map(str, self.n_clusters))
        return f"<finch_clustering.Hierarchy: {self.n_samples} samples, clusters: {clusters}>"

    def _repr_html_(self) -> str:
        sizes = [np.bincount(labels) for labels in self]
        rows = [
            (number, len(each), int(each.max()), float(np.median(each)), int(each.min()))
            for number, each in enumerate(sizes)
        ]
        features = f" of {self.n_features} features" if self.n_features else ""
        told = f"{self.n_samples} samples{features}, {self.metric}"
        return html_table(told, ("partition", "clusters", "largest", "median", "smallest"), rows)

    def __reduce__(self) -> Any:
        return Hierarchy._of_bytes, (self._bytes(), self._other, self._lengths, self.warnings)

    def __copy__(self) -> Hierarchy:
        return self

    def __deepcopy__(self, memo: Any) -> Hierarchy:
        # A hierarchy never changes.
        return self

    def _bytes(self) -> bytes:
        """The file of a model of this hierarchy. Its means are of rows of zeros, and nobody reads them; all
        else of a hierarchy a model keeps as it is."""
        samples: Any = optional_samples(None)
        if self._n_columns:
            samples = NoValues(self.n_samples, self._n_columns)
        model, options, size = Handle(lib.finch_model_free), default_options(), c_size_t()
        arguments = (samples.pointer, 0, None, 0, byref(options), model.slot)
        try:
            check(lib.finch_model_new(self._handle, *arguments))
        except Error as error:
            raise TypeError(
                f"this finch_clustering.Hierarchy cannot be pickled: {error}; or keep its .labels"
            ) from error
        check(lib.finch_model_serialized_size(model, byref(size)))
        data = np.empty(size.value, np.uint8)
        check(lib.finch_model_serialize(model, data.ctypes.data, data.size))
        return data.tobytes()

    @classmethod
    def _of_bytes(
        cls,
        data: bytes,
        other: OtherMetric | None,
        lengths: NDArray[np.float64] | None,
        told: tuple[str, ...],
    ) -> Hierarchy:
        array, model = np.frombuffer(data, np.uint8), Handle(lib.finch_model_free)
        check(lib.finch_model_deserialize(array.ctypes.data, array.size, model.slot))
        hierarchy = cls(model.lend(lib.finch_model_hierarchy(model)))
        hierarchy._other, hierarchy._lengths, hierarchy._told = other, lengths, told
        return hierarchy

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The labels of all partitions: N x P, one column a partition, read-only."""
        labels = np.empty((self.n_samples, len(self)), np.int32, order="F")
        by_column = ORDERS.index("column-major")
        check(
            lib.finch_hierarchy_copy_all_labels(
                self._handle, by_column, labels.ctypes.data, labels.size
            )
        )
        labels.flags.writeable = False
        return labels

    def to_pandas(self, index: Any = None) -> Any:
        """The labels of all partitions as a DataFrame of pandas, which has to be installed: N x P, the
        columns "partition 0", the finest, and on.

        index: the names of the N samples, such as `table.index`; None counts them.
        """
        from pandas import DataFrame

        names = [f"partition {number}" for number in range(len(self))]
        return DataFrame(np.array(self.labels), index=index, columns=names)

    @property
    def first_neighbors(self) -> NDArray[np.int32]:
        """The first neighbour of each sample: N numbers, none for a single sample; a view."""
        pointer = lib.finch_hierarchy_first_neighbors(self._handle)
        return self._handle.view(pointer, self._n_neighbors, np.int32)

    @property
    def distances(self) -> NDArray[np.float64]:
        """The distance of each sample to its first neighbour: N numbers, none for a single sample;
        a view."""
        if self._lengths is not None:
            return self._lengths
        pointer = lib.finch_hierarchy_distances(self._handle)
        return self._handle.view(pointer, self._n_neighbors, np.float64)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each sample, a view; None where the samples have none."""
        pointer = lib.finch_hierarchy_weights(self._handle)
        return None if pointer is None else self._handle.view(pointer, self.n_samples, np.float64)

    @property
    def metric(self) -> str:
        """The metric of the run; of a function its name."""
        if self._other is not None:
            return self._other.name
        return name_of(METRICS, lib.finch_hierarchy_metric(self._handle))

    @property
    def link_bound(self) -> str:
        """The link bound of the run."""
        return name_of(LINK_BOUNDS, lib.finch_hierarchy_link_bound(self._handle))

    @property
    def search(self) -> str | None:
        """The search that found the first neighbours, or None where they were given."""
        search = lib.finch_hierarchy_search(self._handle)
        return None if search < 0 else name_of(SEARCHES, search)

    @property
    def recall(self) -> float | None:
        """The part of the true first neighbours that the search found (with `refinable`, of the k
        nearest): 1 after an exact search, measured on up to 1,024 samples after an approximate one, None
        where first neighbours were given."""
        recall = lib.finch_hierarchy_recall(self._handle)
        return None if recall < 0 else recall

    @property
    def explanation(self) -> str | None:
        """The search that found the first neighbours, the reason, and the evidence in the data: a line for
        people. None if first neighbours were given."""
        text = lib.finch_hierarchy_explanation(self._handle)
        return None if text is None else text.decode()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Doubts about the result, in sentences that say what to do; mostly empty. The call that made the
        hierarchy has warned of each kind once, by a `FinchWarning`."""
        told = sentences(self._handle) if self._told is None else self._told
        return told if self._other is None else tuple(map(self._other.reworded, told))

    def at_least(self, n_clusters: int) -> int | None:
        """The coarsest partition of at least so many clusters, or None if there is none."""
        found = lib.finch_hierarchy_at_least(self._handle, count("n_clusters", n_clusters))
        return None if found < 0 else int(found)

    def at_most(self, n_clusters: int) -> int | None:
        """The finest partition of at most so many clusters, or None if there is none."""
        found = lib.finch_hierarchy_at_most(self._handle, count("n_clusters", n_clusters))
        return None if found < 0 else int(found)

    def closest(self, n_clusters: int) -> int:
        """The partition whose number of clusters is nearest to `n_clusters`; of two, the finer."""
        return int(lib.finch_hierarchy_closest(self._handle, count("n_clusters", n_clusters)))

    def means(self, partition: int, X: ArrayLike, *, threads: int = 0) -> NDArray[np.float64]:
        """The mean of each cluster of a partition: C x d. X are the samples that were clustered."""
        partition = self._partition(partition)
        if self._other is not None:
            rows = dense_rows(X)
            self._expect_count(rows)
            return means_of(self._other, rows, self[partition], self.weights)
        samples = Samples(X)
        options = default_options(threads=count("threads", threads))
        means = np.empty((self.n_clusters[partition], samples.shape[1]))
        check(
            lib.finch_hierarchy_means(
                self._handle,
                partition,
                byref(samples.matrix),
                byref(options),
                means.ctypes.data,
                means.size,
            )
        )
        return means

    def refine(
        self,
        X: ArrayLike | None,
        n_clusters: int,
        *,
        linkage: str = "auto",
        from_partition: int | None = None,
        nested: bool = False,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        min_cluster_size: int = 0,
        max_cluster_size: int | None = None,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> NDArray[np.int32]:
        """Makes exactly `n_clusters` clusters, from 1 to N, and returns the N labels.

        Refining merges two clusters at a time, or splits clusters of partition 0 if that has fewer. X are
        the samples that were clustered.

        linkage: the two clusters that merge first. "neighbor": those with the most links for each pair of
            their samples; each sample is linked to its nearest neighbours, and a link is the stronger the
            more neighbours its two samples share. "centroid": those with the closest means, as in
            Algorithm 2 of the paper. "ward": those that add least to the squared distances of samples to
            their means. "means": as "ward", then each sample moves to the nearest mean (k-means).
            "auto": "neighbor", or "means" where means are nearer than neighbours, as in many noisy
            dimensions, and clusters by means come back more surely in parts of the samples. Only from
            500 samples and 40 for each cluster on, without weights, rules, from_partition, nested or a time
            limit; it may take a second or two. With times it is "centroid", and "neighbor" is refused.
            `refine_explained` tells which.
        from_partition: the partition to begin with. None is partition 0 for neighbour linkage; for other
            linkages the coarsest partition with enough clusters.
        nested: True for results that are nested over all numbers of clusters, as cuts of `dendrogram` are. By
            default, and by neighbour linkage, samples move after the last merge to the cluster that most of
            their nearest neighbours are in. That mends what partition 0 joined too early, in data of more than
            three dimensions. Under sizes nothing moves, nor do samples that a pair names.
        must_link, cannot_link: pairs of samples that must be in one cluster, or in two: M x 2 sample
            numbers. Samples that must be together join first.
        min_cluster_size, max_cluster_size: the least and the greatest size of a cluster, in samples, or in
            the sum of their weights if they have some. Two clusters of the least size merge only while
            there are more of them than `n_clusters`.
        threads, progress: as of `cluster`.

        The labels keep all of these rules, or an `Error` names the pair or the size. Merging never takes a
        merge back, so labels that keep all rules may exist all the same.

        Neighbour linkage searches the nearest neighbours of each sample, which takes longer than
        `cluster`, unless the hierarchy was made with refinable=True.
        """
        rules = Rules(must_link, cannot_link, min_cluster_size, max_cluster_size)
        options = self._merging(linkage, from_partition, threads)
        return self._refined(X, n_clusters, options, nested, rules, progress).labels

    def refine_explained(
        self,
        X: ArrayLike | None,
        n_clusters: int,
        *,
        linkage: str = "auto",
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Refined:
        """`refine`, and the linkage that made the clusters: "auto" takes "neighbor" or "means".

        >>> from finch_clustering import cluster
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> cluster(X).refine_explained(X, 4).linkage
        'neighbor'
        """
        options = self._merging(linkage, None, threads)
        return self._refined(X, n_clusters, options, False, Rules(), progress)

    def _refined(
        self,
        X: ArrayLike | None,
        n_clusters: int,
        options: Options,
        nested: bool,
        rules: Rules,
        progress: ProgressCallback | None,
    ) -> Refined:
        samples = self._samples_of(X)
        options.nested = bool(nested)
        clusters = count("n_clusters", n_clusters, sensible=f"from 1 to {self.n_samples}")
        labels = np.empty(self.n_samples, np.int32)
        refined = c_header.Refined(sizeof(c_header.Refined), labels.ctypes.data, labels.size)
        outputs = (byref(rules.constraints), byref(options), byref(refined))
        self._run(options, progress, lib.finch_hierarchy_refine_into, samples.pointer, clusters, *outputs)
        return Refined(labels, name_of(LINKAGES, refined.linkage))

    def dendrogram(
        self,
        X: ArrayLike | None,
        n_clusters: int = 1,
        *,
        linkage: str | None = None,
        from_partition: int | None = None,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Dendrogram:
        """Merges clusters as `refine` does until `n_clusters` are left, and keeps every merge: one run
        gives all numbers of clusters.

        The parameters are those of `refine`, but for linkage: None is "neighbor", and with times "centroid".
        Without from_partition, and with n_clusters=1, linkages but "neighbor" begin with the coarsest partition.
        """
        samples = self._samples_of(X)
        options = self._merging(linkage, from_partition, threads)
        handle = Handle(lib.finch_dendrogram_free)
        clusters = count("n_clusters", n_clusters, sensible=f"from 1 to {self.n_samples}")
        arguments = (samples.pointer, byref(options), clusters, handle.slot)
        self._run(options, progress, lib.finch_hierarchy_dendrogram, *arguments)
        return Dendrogram(handle)

    def levels(
        self,
        n: int,
        X: ArrayLike | None = None,
        *,
        finest: int | None = None,
        coarsest: int | None = None,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> list[NDArray[np.int32]]:
        """n nested partitions whose numbers of clusters are evenly spaced in their logarithm, as the layers
        of a map or of topics: a list of N labels each, finest first.

        All are cuts of one dendrogram of partition 0, as `refine` with nested=True makes them by neighbour
        linkage, or with times by "centroid".

        n: how many, from 1 on. X: the samples that were clustered; None as in `refine`.
        finest, coarsest: the most and the fewest clusters; by default those of the finest and of the
            coarsest partition (2 where there is one partition).
        threads, progress: as of `cluster`.

        Errors: a ValueError where there are fewer than n numbers of clusters between, or the two are not
        in order.

        >>> from finch_clustering import cluster
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> [int(labels.max()) + 1 for labels in cluster(X).levels(4, X, finest=40, coarsest=5)]
        [40, 20, 10, 5]
        """
        known = self.n_clusters
        most = known[0] if finest is None else count("finest", finest)
        fewest = known[-1] if len(known) > 1 else min(2, known[0])
        fewest = fewest if coarsest is None else count("coarsest", coarsest)
        if not 1 <= fewest <= most <= known[0]:
            raise ValueError(
                f"finest is {most} and coarsest {fewest}: give numbers from {known[0]}, those of partition"
                " 0, down to 1"
            )
        wanted = _evenly_spaced(count("n", n), fewest, most)
        dendrogram = self.dendrogram(
            X, wanted[-1], from_partition=0, threads=threads, progress=progress
        )
        return [dendrogram.cut(clusters) for clusters in wanted]

    def suggest(
        self,
        X: ArrayLike | None,
        *,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Suggestion:
        """Recommends a number of clusters, and makes these clusters.

        They are those of neighbour linkage, cut where the similarity of the merging clusters drops most,
        weighted by modularity. Then samples move, as by `refine` with linkage="neighbor"; by "auto", its
        default, it may take means, and have other labels for the same number. `Suggestion.best` has the next
        best numbers, and `rivals` those that fit almost as well. Data without clusters gets a number, too:
        `Suggestion.has_clusters` is True, False, or None if the samples are too few to tell. refinable=True
        saves a search, as in `refine`. threads, progress: as of `cluster`.
        """
        samples = self._samples_of(X)
        options = default_options(threads=count("threads", threads))
        handle = Handle(lib.finch_dendrogram_free)
        clusters, partition = c_size_t(), c_size_t()
        arguments = (
            samples.pointer,
            byref(options),
            handle.slot,
            byref(clusters),
            byref(partition),
        )
        self._run(options, progress, lib.finch_hierarchy_suggestion, *arguments)
        dendrogram = Dendrogram(handle)
        labels, best = dendrogram._suggested(), dendrogram._best()
        return Suggestion(
            labels,
            clusters.value,
            partition.value,
            dendrogram._scores(),
            dendrogram,
            dendrogram._mixing(),
            (False, True, None)[dendrogram._clustered()],
            best,
            dendrogram._persistence(clusters.value, labels)[0],
            tuple(dendrogram._persistence(number)[1] for number in best),
            *dendrogram._rivals(),
        )

    def tree(self) -> Tree:
        """The tree of all partitions, from N single samples to one root.

        Heights count levels: cut at height p + 1, the tree gives partition p. From 0 to 1 samples
        join along the links to their first neighbours, at the length of the link over that of the
        longest, no two at one height. At p + 1 join the clusters of partition p - 1 that share a
        cluster of partition p; at P + 1 those of the coarsest partition.
        """
        handle = Handle(lib.finch_tree_free)
        check(lib.finch_tree_of_hierarchy(self._handle, handle.slot))
        return Tree(handle)

    def extend(
        self,
        X: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        link_bound: str | None = None,
        search: str = "auto",
        refinable: bool = False,
        threads: int = 0,
        recall: float = 0.99,
        seed: int = 0,
        time_limit: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> Hierarchy:
        """Clusters more samples: a new hierarchy of all rows of X, of which the first N are those
        that this hierarchy was made from.

        With the same options the result is that of `cluster` for all rows, bit for bit if searches are
        exact; but no two old samples are compared again. `keep_labels` then names clusters after the old
        ones.

        weights: those of all rows; with None, new rows weigh 1 where the old ones have weights.
        link_bound: None is that of this hierarchy, as the metric always is. The other options are
            those of `cluster`.
        """
        self._expect_rows("extending a hierarchy")
        samples = Samples(self._compared(X))
        metric = name_of(METRICS, lib.finch_hierarchy_metric(self._handle))
        bound = self.link_bound if link_bound is None else link_bound
        options = search_options(metric, search, threads, recall, seed, time_limit, bound)
        options.refinable = bool(refinable)
        given = None if weights is None else weights_of(weights)
        rows = samples.shape[0]
        if given is not None and given.size != rows:
            raise ValueError(f"X has {rows} rows, and there are {given.size} weights")
        pointer = None if given is None else given.ctypes.data
        handle = Handle(lib.finch_hierarchy_free)
        arguments = (samples.pointer, pointer, byref(options), handle.slot)
        with reworded(*([] if self._other is None else [self._other.reworded])):
            run(options, progress, lib.finch_hierarchy_extend, self._handle, *arguments)
            grown = Hierarchy._made(handle)
        return grown if self._other is None else grown._by(self._other, samples.array)

    def _merging(self, linkage: str | None, from_partition: int | None, threads: int) -> Options:
        """The options of merging clusters; without a linkage it is "neighbor", or with times "centroid"."""
        if linkage == "neighbor" and self._is_timed:
            raise ValueError(
                "linkage is 'neighbor', which does not look at times, and the clusters were made with times:"
                " take 'centroid', 'ward' or 'means'"
            )
        linkage = "neighbor" if linkage is None else linkage
        return default_options(
            linkage=number_of("linkage", LINKAGES, linkage),
            from_=-1 if from_partition is None else self._partition(from_partition),
            threads=count("threads", threads),
        )

    @property
    def _n_neighbors(self) -> int:
        return 0 if self.n_samples == 1 else self.n_samples

    def _partition(self, partition: int) -> int:
        number, partitions = whole("partition", partition), lib.finch_hierarchy_partition_count(self._handle)
        if not -partitions <= number < partitions:
            raise IndexError(f"there is no partition {number}: the hierarchy has {partitions}")
        return number % partitions


def _evenly_spaced(n: int, fewest: int, most: int) -> list[int]:
    """n different whole numbers from the most down to the fewest, as even in their logarithm as there are."""
    if not 1 <= n <= most - fewest + 1:
        raise ValueError(
            f"n is {n}, and there are {most - fewest + 1} numbers of clusters from {most} to {fewest}: give a"
            " number from 1 to that, or other bounds"
        )
    if n == 1:
        return [round(float(np.sqrt(fewest * most)))]
    numbers = [round(float(number)) for number in np.geomspace(fewest, most, n)]
    # Small numbers round to the same; each is then one above the one before.
    for place in range(1, n):
        numbers[place] = max(numbers[place], numbers[place - 1] + 1)
    return [min(number, most - place) for place, number in enumerate(reversed(numbers))]
