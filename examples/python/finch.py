"""FINCH: clustering without a parameter, by first neighbours.

Each sample is linked to its first neighbour, the one that is nearest to it; what is linked is a
cluster, and the means of the clusters are linked in the same way, until nothing is left to link.
M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First Neighbor
Relations, CVPR 2019.

>>> import finch, numpy as np
>>> group = np.array([[0.0, 0.1], [0.2, 0.0], [0.5, 0.1], [0.9, 0.0]])
>>> X = np.concatenate([group, group + [5.0, 5.0], group + [9.0, 0.0]])
>>> hierarchy = finch.cluster(X)
>>> hierarchy.n_clusters
[3]
>>> hierarchy[0]
array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
>>> hierarchy.refine(X, 2)
array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], dtype=int32)
>>> finch.score(hierarchy[0], ["a"] * 4 + ["b"] * 8).purity
1.0

This file needs NumPy and the finch library (`cargo build --release -p finch-ffi`), which it takes
from the path in the environment variable FINCH_LIBRARY, else from its own folder, the `target`
folder of the repository, or where the system has its libraries.

**X** is a matrix of N samples (rows) by d features (columns): an array, or what `numpy.asarray`
makes one of. Arrays of float32, float64 and uint8 are read where they lie, in any memory order,
also as transposed, reversed or strided views. They are copied only where the library could not
read them: unaligned, in foreign byte order, strides that are no multiple of the item or zero (as
of `numpy.broadcast_to`). bool is read as uint8; int8, int16, uint16 and float16 are converted to
float32, and larger integers to float64, where no value may be lost: beyond 2**53 they are an
error. Cluster means are kept in float64 for float64 samples and in float32 for others. Do not
write to X while a call runs.

Samples, features, partitions and clusters are numbered from 0. Results depend neither on threads
nor on memory order.

Errors: what is of a wrong type is a TypeError, a wrong value a ValueError. finch.Error is a
ValueError that the library found, such as a NaN; its `status` is the name that it has in C.
Ctrl-C, and whatever else a signal handler or a progress callback raises, stops a run, and is
raised from the call. All functions may be called from several threads at once.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable, Generator, Iterator
from ctypes import (
    POINTER,
    byref,
    c_double,
    c_int32,
    c_size_t,
    c_ssize_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass
from functools import cached_property
from operator import index as as_index
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Cancelled",
    "Error",
    "FirstNeighbors",
    "Hierarchy",
    "Progress",
    "Scores",
    "cluster",
    "components",
    "first_neighbors",
    "keys_to_distances",
    "score",
    "update_neighbors",
]


class Error(ValueError):
    """What the library refused; the message says where the fault is and what to do.

    `status` is its name in finch.h, such as "FINCH_NON_FINITE".
    """

    def __init__(self, message: str, status: str) -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class Cancelled(Error):
    """The progress callback returned a true value."""


class Progress(NamedTuple):
    """How far a run has come."""

    stage: str
    """"neighbors": searching neighbours; "link": linking clusters by shared neighbours, and merging by
    these links; "merge": merging clusters by their means."""
    level: int
    """Level 0 searches neighbours of samples, level i those of the means of partition i - 1."""
    fraction: float
    """The part of the stage that is done, from 0 to 1."""


ProgressCallback = Callable[[Progress], Any]


class FirstNeighbors(NamedTuple):
    """The sample nearest to each sample; of a single sample, none."""

    index: NDArray[np.int32]  # type: ignore[assignment]  # tuple.index is no loss
    """N sample numbers."""
    distance: NDArray[np.float64]
    """N distances."""


@dataclass(frozen=True)
class Scores:
    """How well clusters agree with known classes, as fractions: 1 is full agreement."""

    nmi: float
    """Normalised mutual information, by the geometric mean of the entropies, as in the paper."""
    nmi_arithmetic: float
    """The same by the arithmetic mean, as in scikit-learn."""
    accuracy: float
    """The part that is right when clusters and classes are matched one to one in the best way. NaN
    where that would take too long: for thousands of both that have little to do with each other."""
    purity: float
    """The part that is right when each cluster stands for its largest class."""
    ari: float
    """The adjusted Rand index, which is 0 for agreement by chance, and may be below."""
    pairwise_precision: float
    """Of the pairs of samples that share a cluster, the part that shares a class."""
    pairwise_recall: float
    """Of the pairs of samples that share a class, the part that shares a cluster."""
    pairwise_f: float
    """The harmonic mean of the two."""
    bcubed_precision: float
    bcubed_recall: float
    bcubed_f: float


class Hierarchy:
    """All partitions of one run, from fine to coarse, as `cluster` returns them.

    A sequence: `hierarchy[p]` are the labels of partition p, `len(hierarchy)` is P, the number of
    partitions, and -1 is the coarsest. It never changes, so threads may share it.
    """

    def __init__(self, handle: _Handle) -> None:
        self._handle = handle

    @property
    def n_samples(self) -> int:
        """The number of samples, N."""
        return int(_lib.finch_hierarchy_sample_count(self._handle))

    @property
    def n_features(self) -> int:
        """The number of features of the samples, d."""
        return int(_lib.finch_hierarchy_feature_count(self._handle))

    @property
    def n_clusters(self) -> list[int]:
        """The number of clusters of each partition."""
        return [int(_lib.finch_hierarchy_cluster_count(self._handle, p)) for p in range(len(self))]

    def __len__(self) -> int:
        return int(_lib.finch_hierarchy_partition_count(self._handle))

    def __getitem__(self, partition: int) -> NDArray[np.int32]:
        """The cluster of each sample in a partition: N numbers, by first appearance in X.

        It is a read-only view of the hierarchy's memory, which it keeps alive.
        """
        labels = _lib.finch_hierarchy_labels(self._handle, self._partition(partition))
        return self._handle.view(labels, self.n_samples, np.int32)

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[p] for p in range(len(self)))

    def __repr__(self) -> str:
        clusters = ", ".join(map(str, self.n_clusters))
        return f"<finch.Hierarchy: {self.n_samples} samples, clusters: {clusters}>"

    def __reduce__(self) -> Any:
        raise TypeError("a finch.Hierarchy can be neither copied nor pickled: keep its .labels")

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The labels of all partitions: N x P, one column a partition, read-only."""
        labels = np.empty((self.n_samples, len(self)), np.int32, order="F")
        by_column = _ORDERS.index("column-major")
        _check(
            _lib.finch_hierarchy_copy_all_labels(
                self._handle, by_column, labels.ctypes.data, labels.size
            )
        )
        labels.flags.writeable = False
        return labels

    @property
    def first_neighbors(self) -> NDArray[np.int32]:
        """The first neighbour of each sample: N numbers, none for a single sample; a view."""
        pointer = _lib.finch_hierarchy_first_neighbors(self._handle)
        return self._handle.view(pointer, self._n_neighbors, np.int32)

    @property
    def distances(self) -> NDArray[np.float64]:
        """The distance of each sample to its first neighbour: N numbers, none for a single sample;
        a view."""
        pointer = _lib.finch_hierarchy_distances(self._handle)
        return self._handle.view(pointer, self._n_neighbors, np.float64)

    @property
    def metric(self) -> str:
        """The metric of the run."""
        return _name_of(_METRICS, _lib.finch_hierarchy_metric(self._handle))

    @property
    def link_bound(self) -> str:
        """The link bound of the run."""
        return _name_of(_LINK_BOUNDS, _lib.finch_hierarchy_link_bound(self._handle))

    @property
    def search(self) -> str | None:
        """The search that found the first neighbours, or None where they were given."""
        search = _lib.finch_hierarchy_search(self._handle)
        return None if search < 0 else _name_of(_SEARCHES, search)

    @property
    def recall(self) -> float | None:
        """The part of the true first neighbours that was found (with `refinable`, of the k nearest):
        1 by an exact search, or measured on 2,048 samples; None where they were given."""
        recall = _lib.finch_hierarchy_recall(self._handle)
        return None if recall < 0 else recall

    def at_least(self, n_clusters: int) -> int | None:
        """The coarsest partition of at least so many clusters, or None if there is none."""
        found = _lib.finch_hierarchy_at_least(self._handle, _count("n_clusters", n_clusters))
        return None if found < 0 else int(found)

    def at_most(self, n_clusters: int) -> int | None:
        """The finest partition of at most so many clusters, or None if there is none."""
        found = _lib.finch_hierarchy_at_most(self._handle, _count("n_clusters", n_clusters))
        return None if found < 0 else int(found)

    def closest(self, n_clusters: int) -> int:
        """The partition whose number of clusters is nearest to this one, of two the finer."""
        return int(_lib.finch_hierarchy_closest(self._handle, _count("n_clusters", n_clusters)))

    def means(self, partition: int, X: ArrayLike, *, threads: int = 0) -> NDArray[np.float64]:
        """The mean of each cluster of a partition: C x d. X are the samples that were clustered."""
        partition = self._partition(partition)
        samples = _Samples(X)
        options = _options(threads=_threads(threads))
        means = np.empty((self.n_clusters[partition], samples.array.shape[1]))
        _check(
            _lib.finch_hierarchy_means(
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
        X: ArrayLike,
        n_clusters: int,
        *,
        linkage: str = "neighbor",
        from_partition: int | None = None,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> NDArray[np.int32]:
        """Makes exactly so many clusters, from 1 to N: the N labels.

        It merges two clusters at a time, or splits partition 0 where that has fewer clusters. X are
        the samples that were clustered.

        linkage: which two merge. "neighbor": those with the most links for each pair of their
            samples, where each sample is linked to its nearest neighbours, the more strongly the
            more neighbours the two have in common; "centroid": those with the closest means, as in
            Algorithm 2 of the paper; "ward": those that add least to the squared distances of
            samples to their means.
        from_partition: the one to begin with. None is partition 0 for neighbour linkage, so that
            results for all numbers are nested; for the others the coarsest with enough clusters.
        threads, progress: as of `cluster`.

        Neighbour linkage searches the nearest neighbours of each sample, which takes longer than
        `cluster`, unless the hierarchy was made with refinable=True.
        """
        samples = _Samples(X)
        from_ = -1 if from_partition is None else self._partition(from_partition)
        options = _options(
            linkage=_number_of("linkage", _LINKAGES, linkage),
            from_=from_,
            threads=_threads(threads),
        )
        clusters = _count("n_clusters", n_clusters)
        labels = np.empty(self.n_samples, np.int32)
        _run(
            options,
            progress,
            _lib.finch_hierarchy_refine,
            self._handle,
            byref(samples.matrix),
            clusters,
            byref(options),
            labels.ctypes.data,
            labels.size,
        )
        return labels

    @property
    def _n_neighbors(self) -> int:
        return 0 if self.n_samples == 1 else self.n_samples

    def _partition(self, partition: int) -> int:
        number = as_index(partition)
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no partition {number}: the hierarchy has {len(self)}")
        return number % len(self)


def cluster(
    X: ArrayLike,
    *,
    metric: str = "euclidean",
    link_bound: str = "none",
    search: str = "auto",
    first_neighbors: ArrayLike | None = None,
    refinable: bool = False,
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> Hierarchy:
    """Clusters the rows of X, N x d (Algorithm 1 of the paper).

    metric: "euclidean", "cosine" or "manhattan".
    link_bound: "none" is the algorithm as listed; "first-neighbor" merges clusters of partition 0
        and later only by links no longer than the longest first-neighbour distance between samples,
        as in the paper's published tables.
    search: how first neighbours are searched, "auto", "brute", "kd-tree" (at most 16
        features), "blocked", "projected" (8 features or more) or "approximate" (these three not for
        Manhattan). All but the last find the same; "auto" takes that where others would take more
        than about five minutes on one core.
    first_neighbors: instead, the first neighbour of each sample: N integers, none for one sample.
    refinable: whether to find and keep all that `Hierarchy.refine` needs for neighbour linkage, so
        that it need not search again, to however many numbers of clusters. It takes 12 bytes times
        ceil(2 log2 N) for each sample, and about 1.5 times as long, or 3 times with a k-d tree:
        less than to search twice. No effect with first_neighbors.
    threads: how many, or 0 for one per core. After os.fork, where the threads that runs share are
        gone, 0 starts new ones for the run.
    recall: the part of first neighbours that an approximate search is to find; with 1, "auto" is
        exact. `Hierarchy.recall` tells what it came to: of noise it can be far less.
    seed: for the random choices of an approximate search.
    progress: is called with a `Progress` at the start and end of every stage and about twenty times
        a second between, on this thread. If it returns a true value, the run stops with
        `Cancelled`.

    Errors beside those above: no samples, no features, NaN or infinity (the message has its row and
    column), a search that does not serve the metric, first neighbours that are none.
    """
    samples = _Samples(X)
    options = _search_options(metric, search, threads, recall, seed)
    options.link_bound = _number_of("link bound", _LINK_BOUNDS, link_bound)
    options.refinable = bool(refinable)
    handle = _Handle()
    given = () if first_neighbors is None else _input(_int32("first_neighbors", first_neighbors))
    function = _lib.finch_cluster if first_neighbors is None else _lib.finch_cluster_given
    _run(options, progress, function, byref(samples.matrix), *given, byref(options), handle.slot)
    return Hierarchy(handle)


def first_neighbors(
    X: ArrayLike,
    *,
    metric: str = "euclidean",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> FirstNeighbors:
    """Finds the first neighbour of each row of X, N x d; of equally near ones, the first.

    Returns (index, distance), N each, or none of both for a single row. The options are those of
    `cluster`; what an approximate search came to is told by `cluster` alone.
    """
    samples = _Samples(X)
    options = _search_options(metric, search, threads, recall, seed)
    count = samples.array.shape[0]
    count = 0 if count == 1 else count
    found = FirstNeighbors(np.empty(count, np.int32), np.empty(count))
    _run(
        options,
        progress,
        _lib.finch_first_neighbors,
        byref(samples.matrix),
        byref(options),
        found.index.ctypes.data,
        found.distance.ctypes.data,
        count,
    )
    return found


def update_neighbors(
    queries: ArrayLike,
    first_query: int,
    base: ArrayLike,
    first_base: int,
    index: NDArray[np.int32],
    key: NDArray[np.float64],
    *,
    metric: str = "euclidean",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> None:
    """Offers every row of `base` to every row of `queries`, and keeps the nearest so far: for data
    that is spread over files or machines.

    Both are consecutive rows of one large matrix, of one dtype; `first_query` and `first_base` are
    the numbers of their first rows in it. `index` (int32) and `key` (float64), one for each row of
    `queries`, are updated in place. Begin with -1 in every `index`:

    >>> X = np.array([[0.0], [3.0], [1.0], [7.0]])
    >>> index, key = np.full(4, -1, np.int32), np.zeros(4)
    >>> for start in range(0, 4, 2):
    ...     update_neighbors(X, 0, X[start:start + 2], start, index, key)
    >>> index, keys_to_distances(key)
    (array([2, 2, 0, 1], dtype=int32), array([1., 2., 1., 4.]))

    The options are those of `cluster`, but for the k-d tree, which does not serve here.
    """
    queries_, base_ = _Samples(queries), _Samples(base)
    options = _search_options(metric, search, threads, recall, seed)
    _check_in_place("index", index, np.int32)
    _check_in_place("key", key, np.float64)
    if index.shape != key.shape:
        raise ValueError(f"index has {index.size} numbers, and key {key.size}")
    _run(
        options,
        progress,
        _lib.finch_update_neighbors,
        byref(queries_.matrix),
        _count("first_query", first_query),
        byref(base_.matrix),
        _count("first_base", first_base),
        byref(options),
        index.ctypes.data,
        key.ctypes.data,
        index.size,
    )


def keys_to_distances(key: ArrayLike, *, metric: str = "euclidean") -> NDArray[np.float64]:
    """Makes distances of the keys of `update_neighbors`."""
    keys = np.ascontiguousarray(key, np.float64)
    found = np.empty(keys.shape)
    number = _number_of("metric", _METRICS, metric)
    _check(_lib.finch_keys_to_distances(number, keys.ctypes.data, found.ctypes.data, keys.size))
    return found


def components(first_neighbors: ArrayLike) -> NDArray[np.int32]:
    """Joins each sample with its first neighbour (Eq. 1 of the paper): N integers to N labels.

    >>> components([1, 0, 3, 2, 3])
    array([0, 0, 1, 1, 1], dtype=int32)
    """
    first = _int32("first_neighbors", first_neighbors)
    labels = np.empty(first.size, np.int32)
    _check(_lib.finch_components(*_input(first), labels.ctypes.data, None))
    return labels


def score(labels: ArrayLike, truth: ArrayLike) -> Scores:
    """Compares the clusters of N samples with their known classes.

    Both are N integers, strings or other values that can be sorted.

    >>> score([0, 0, 1, 1], ["a", "a", "b", "a"]).purity
    0.75
    """
    first, second = _codes("labels", labels), _codes("truth", truth)
    if first.size != second.size:
        raise ValueError(f"there are {first.size} labels and {second.size} in truth")
    scores = _Scores()
    _check(
        _lib.finch_score(
            first.ctypes.data, second.ctypes.data, first.size, byref(scores), ctypes.sizeof(scores)
        )
    )
    return Scores(**{name: getattr(scores, name) for name in Scores.__dataclass_fields__})


# The library: finch.h in the words of ctypes.

# A name's place is its number in C.
_ELEMENTS = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8))
_METRICS = ("euclidean", "cosine", "manhattan")
_LINK_BOUNDS = ("none", "first-neighbor")
_SEARCHES = ("auto", "brute", "kd-tree", "blocked", "projected", "approximate")
_LINKAGES = ("centroid", "ward", "neighbor")
_STAGES = ("neighbors", "merge", "link")
_ORDERS = ("row-major", "column-major")
_ABI = 1
_CANCELLED = 1


class _Matrix(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("rows", c_size_t),
        ("columns", c_size_t),
        ("row_stride", c_ssize_t),
        ("column_stride", c_ssize_t),
        ("element", c_int32),
    ]


class _Progress(ctypes.Structure):
    _fields_ = [("fraction", c_double), ("stage", c_int32), ("level", c_uint32)]


# C gives a second argument, user_data. Leaving it out lets a generator's `send`, which takes one,
# be the callback (see _watch); where ctypes runs, arguments that a callee does not read do no harm.
_ProgressFn = ctypes.CFUNCTYPE(c_int32, POINTER(_Progress))


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("metric", c_int32),
        ("link_bound", c_int32),
        ("search", c_int32),
        ("linkage", c_int32),
        ("from_", c_ssize_t),
        ("threads", c_size_t),
        ("recall", c_double),
        ("seed", c_uint64),
        ("progress", _ProgressFn),
        ("user_data", c_void_p),
        ("refinable", c_int32),
        ("reserved", c_int32),
    ]


class _Scores(ctypes.Structure):
    _fields_ = [(name, c_double) for name in Scores.__dataclass_fields__]


_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "finch_version": (ctypes.c_char_p, []),
    "finch_abi": (c_uint32, []),
    "finch_status_name": (ctypes.c_char_p, [c_int32]),
    "finch_last_error_message": (ctypes.c_char_p, []),
    "finch_options_init": (c_int32, [POINTER(_Options), c_size_t]),
    "finch_cluster": (c_int32, [POINTER(_Matrix), POINTER(_Options), c_void_p]),
    "finch_cluster_given": (
        c_int32,
        [POINTER(_Matrix), c_void_p, c_size_t, POINTER(_Options), c_void_p],
    ),
    "finch_hierarchy_free": (None, [c_void_p]),
    "finch_hierarchy_sample_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_partition_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_cluster_count": (c_size_t, [c_void_p, c_size_t]),
    "finch_hierarchy_feature_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_metric": (c_int32, [c_void_p]),
    "finch_hierarchy_link_bound": (c_int32, [c_void_p]),
    "finch_hierarchy_at_least": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_at_most": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_closest": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_labels": (c_void_p, [c_void_p, c_size_t]),
    "finch_hierarchy_copy_all_labels": (c_int32, [c_void_p, c_int32, c_void_p, c_size_t]),
    "finch_hierarchy_means": (
        c_int32,
        [c_void_p, c_size_t, POINTER(_Matrix), POINTER(_Options), c_void_p, c_size_t],
    ),
    "finch_hierarchy_first_neighbors": (c_void_p, [c_void_p]),
    "finch_hierarchy_distances": (c_void_p, [c_void_p]),
    "finch_hierarchy_recall": (c_double, [c_void_p]),
    "finch_hierarchy_search": (c_int32, [c_void_p]),
    "finch_hierarchy_refine": (
        c_int32,
        [c_void_p, POINTER(_Matrix), c_size_t, POINTER(_Options), c_void_p, c_size_t],
    ),
    "finch_first_neighbors": (
        c_int32,
        [POINTER(_Matrix), POINTER(_Options), c_void_p, c_void_p, c_size_t],
    ),
    "finch_update_neighbors": (
        c_int32,
        [
            POINTER(_Matrix),
            c_size_t,
            POINTER(_Matrix),
            c_size_t,
            POINTER(_Options),
            c_void_p,
            c_void_p,
            c_size_t,
        ],
    ),
    "finch_keys_to_distances": (c_int32, [c_int32, c_void_p, c_void_p, c_size_t]),
    "finch_components": (c_int32, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "finch_score": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(_Scores), c_size_t]),
}


def _library_names() -> list[str]:
    if sys.platform == "win32":
        return ["finch.dll"]
    if sys.platform == "darwin":
        return ["libfinch.dylib"]
    return [f"libfinch.so.{_ABI}", "libfinch.so"]


def _library_candidates() -> Iterator[str]:
    """Paths of files, then names for the system to look up."""
    here = Path(__file__).resolve().parent
    target = here.parent.parent / "target"
    for folder in (here, target / "release", target / "debug"):
        for name in _library_names():
            if (folder / name).is_file():
                yield str(folder / name)
    yield from _library_names()
    found = ctypes.util.find_library("finch")
    if found is not None:
        yield found


def _open_library() -> ctypes.CDLL:
    named = os.environ.get("FINCH_LIBRARY")
    failures = []
    for candidate in [named] if named else _library_candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError as error:
            failures.append(f"  {candidate}: {error}")
    raise ImportError(
        "the finch library could not be loaded: build it with `cargo build --release -p finch-ffi`"
        " and set FINCH_LIBRARY to the file, or put it beside finch.py\n" + "\n".join(failures)
    )


def _load() -> ctypes.CDLL:
    library = _open_library()
    try:
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(f"{library._name} is not a finch library, or an older one: {error}")
    abi = library.finch_abi()
    if abi != _ABI:
        raise ImportError(
            f"{library._name} has ABI {abi} where this finch.py takes {_ABI}: use the two of one"
            " version"
        )
    return library


_lib = _load()
__version__ = _lib.finch_version().decode()


class _Handle:
    """Owns a hierarchy of the library's.

    It is made before the call that fills it, so that nothing is lost if an exception comes from
    nowhere, as KeyboardInterrupt does.
    """

    def __init__(self) -> None:
        self._pointer = c_void_p()
        # A module's names may be gone when the interpreter ends.
        self._free = _lib.finch_hierarchy_free

    def __del__(self) -> None:
        self._free(self._pointer)

    @property
    def _as_parameter_(self) -> c_void_p:
        return self._pointer

    @property
    def slot(self) -> Any:
        """Where the library writes the handle."""
        return byref(self._pointer)

    def view(self, pointer: int | None, count: int, dtype: Any) -> NDArray[Any]:
        """An array in the hierarchy's memory, which keeps it alive."""
        return np.asarray(_Borrowed(self, pointer, count, np.dtype(dtype)))


class _Borrowed:
    """Memory of an owner, which NumPy keeps as the array's base."""

    def __init__(self, owner: _Handle, pointer: int | None, count: int, dtype: Any) -> None:
        self.owner = owner
        read_only = True
        self.__array_interface__ = {
            "version": 3,
            "data": (pointer or 0, read_only),
            "shape": (count,),
            "typestr": dtype.str,
        }


# Calls.


def _check(status: int) -> None:
    if status == 0:
        return
    message = _lib.finch_last_error_message().decode()
    error = Cancelled if status == _CANCELLED else Error
    raise error(message, _lib.finch_status_name(status).decode())


def _run(
    options: _Options, progress: ProgressCallback | None, function: Any, *arguments: Any
) -> None:
    """Calls a function that takes the options and may run for long."""
    caught: list[BaseException] = []
    watcher = _watch(progress, caught)
    next(watcher)
    options.progress = _ProgressFn(watcher.send)
    status = function(*arguments)
    if caught:
        # Popped, so that the exception's traceback does not lead back to the exception.
        raise caught.pop()
    _check(status)


def _watch(
    progress: ProgressCallback | None, caught: list[BaseException]
) -> Generator[int, Any, None]:
    """Is sent the progress of a run, and yields whether to stop it.

    It watches also where the caller does not care, since Python runs signal handlers, such as
    Ctrl-C's, only when it gets to run at all.

    ctypes drops exceptions that leave a callback. A function could not catch all: Python runs
    signal handlers as a function is entered, before its `try`. A generator is entered inside of
    it.
    """
    stop = 0
    while True:
        try:
            try:
                now = (yield stop).contents
            except GeneratorExit:  # the run is over
                return
            if progress is not None and not stop:
                stage = _name_of(_STAGES, now.stage)
                stop = int(bool(progress(Progress(stage, now.level, now.fraction))))
        except BaseException as error:
            caught.append(error)
            stop = 1


def _options(**chosen: Any) -> _Options:
    options = _Options()
    _check(_lib.finch_options_init(byref(options), ctypes.sizeof(options)))
    for name, value in chosen.items():
        setattr(options, name, value)
    return options


def _search_options(
    metric: str, search: str, threads: int, recall: float, seed: int
) -> _Options:
    return _options(
        metric=_number_of("metric", _METRICS, metric),
        search=_number_of("search", _SEARCHES, search),
        threads=_threads(threads),
        recall=float(recall),
        seed=_count("seed", seed, bits=64),
    )


_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def _threads(threads: int) -> int:
    """As the library takes it. A forked process has none of the threads that 0 would share."""
    count = _count("threads", threads)
    if count > 0 or not _forked:
        return count
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Arguments. ctypes would cut integers and pass any address, so all is checked before.


def _count(what: str, value: int, bits: int = 8 * ctypes.sizeof(c_size_t)) -> int:
    number = as_index(value)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{what} is {number}: give a number from 0 to {(1 << bits) - 1}")
    return number


def _number_of(what: str, names: tuple[str, ...], name: str) -> int:
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}: it is one of {', '.join(names)}")
    return names.index(name)


def _name_of(names: tuple[str, ...], number: int) -> str:
    """Later libraries may have more values."""
    return names[number] if number < len(names) else str(number)


def _vector(what: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions: give one number for each sample")
    return array


def _int32(what: str, values: ArrayLike) -> NDArray[np.int32]:
    array = _vector(what, values)
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} has dtype {array.dtype}: give integers")
    if not _fits_int32(array):
        raise ValueError(f"{what} has {array.min()} to {array.max()}, more than int32 can hold")
    return np.ascontiguousarray(array, np.int32)


def _fits_int32(array: NDArray[Any]) -> bool:
    limits = np.iinfo(np.int32)
    return array.size == 0 or (limits.min <= int(array.min()) and int(array.max()) <= limits.max)


def _codes(what: str, labels: ArrayLike) -> NDArray[np.int32]:
    """Labels as integers, with another for each of their values."""
    array = _vector(what, labels)
    if array.dtype.kind in "iu" and _fits_int32(array):
        return np.ascontiguousarray(array, np.int32)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{what} has NaN at sample {int(np.isnan(array).argmax())}")
    _, codes = np.unique(array, return_inverse=True)
    return codes.reshape(array.shape).astype(np.int32)


def _input(array: NDArray[Any]) -> tuple[Any, int]:
    """An array as C takes it, pointer and count; the pointer keeps the array alive."""
    return array.ctypes.data_as(c_void_p), array.size


def _check_in_place(what: str, array: Any, dtype: Any) -> None:
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == 1
    if not fits or not array.flags.carray:
        raise TypeError(
            f"{what} is updated in place: give a contiguous, writeable 1-D array of"
            f" {np.dtype(dtype)}"
        )


class _Samples:
    """X as the library takes it: where and how it lies in memory.

    The array is kept as long as the struct, which holds a bare address.
    """

    def __init__(self, X: ArrayLike) -> None:
        self.array = _readable(_matrix(X))
        rows, columns = self.array.shape
        item = self.array.itemsize
        row_stride, column_stride = (stride // item for stride in self.array.strides)
        element = _ELEMENTS.index(self.array.dtype)
        self.matrix = _Matrix(
            self.array.ctypes.data, rows, columns, row_stride, column_stride, element
        )


def _matrix(X: ArrayLike) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            "X is a masked array: finch has no missing values. Impute them with X.filled(...), or"
            " leave their rows out"
        )
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is a sparse matrix: pass X.toarray()")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"X has {array.ndim} dimension{'s' * (array.ndim != 1)} where it takes 2, samples by"
            " features: reshape it, with X.reshape(-1, 1) for samples of one feature"
        )
    return array


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if the library can read it where it is, and otherwise a copy."""
    array = _converted(array)
    lengths_and_strides = zip(array.shape, array.strides)
    # The stride of an axis of one element is never used, and can be anything.
    strides = [stride for length, stride in lengths_and_strides if length > 1]
    # Aligned, yet no multiple of the item: doubles where they are aligned to 4, as on 32-bit Linux.
    whole = all(stride != 0 and stride % array.itemsize == 0 for stride in strides)
    return array if whole and array.flags.aligned else np.array(array, order="C")


def _converted(array: NDArray[Any]) -> NDArray[Any]:
    """An element type of the library's that holds every value."""
    kind, size = array.dtype.kind, array.itemsize
    if array.dtype in _ELEMENTS:
        return array
    if kind == "b":
        return array.view(np.uint8)
    if kind == "f" and size <= 8:
        return array.astype(np.float64 if size == 8 else np.float32)
    if kind in "iu":
        _check_exact(array)
        return array.astype(np.float32 if size <= 2 else np.float64)
    raise TypeError(f"X has dtype {array.dtype}: give real numbers, as with X.astype('float64')")


def _check_exact(integers: NDArray[Any]) -> None:
    """Of more than 53 bits, float64 holds some integers only."""
    if integers.itemsize == 8 and integers.size > 0:
        lowest, highest = int(integers.min()), int(integers.max())
        if lowest < -(2**53) or highest > 2**53:
            raise ValueError(
                f"X has integers from {lowest} to {highest}, which float64 cannot tell apart beyond"
                " 2**53: subtract an offset, or convert them yourself"
            )
