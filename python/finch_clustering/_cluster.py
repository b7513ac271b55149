"""Clustering: from samples, or from precomputed neighbours or distances, to a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.handle import Handle
from ._c.library import lib
from ._c.names import LINK_BOUNDS, METRICS, number_of
from ._c.options import count, default_options, search_options
from ._c.rewording import reworded
from ._c.run import ProgressCallback, run
from ._hierarchy import Hierarchy
from ._input.arrays import (
    Samples,
    as_input,
    optional_samples,
    refuse_masked,
    sample_numbers,
    table_of,
    times_of,
    weights_of,
)
from ._input.graphs import matrix_of_graph
from ._input.lists import lists_of
from ._input.other_metrics import distance_matrix, other_metric
from ._input.sparse import is_sparse


def cluster(
    X: ArrayLike,
    *,
    metric: str | Callable[..., float] = "euclidean",
    link_bound: str = "none",
    search: str = "auto",
    first_neighbors: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    times: ArrayLike | None = None,
    contiguous: bool = False,
    refinable: bool = False,
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> Hierarchy:
    """Clusters the rows of X, N x d, into a hierarchy of partitions (Algorithm 1 of the paper).

    Ask the hierarchy for the clusters that you want: `suggest(X)` for the number that fits best,
    `refine(X, K)` for exactly K, `hierarchy[p]` for partition p.

    metric: "euclidean" ("l2"), "cosine" or "manhattan" ("l1", "cityblock"); for samples of 0 and 1
        "hamming" or "jaccard". "haversine" is the angle between points of latitude and longitude in
        radians, N x 2, by the chords of the unit sphere, which are exact: see `chords`. "correlation" is
        the cosine distance of rows without their means. Any other name of `scipy.spatial.distance`, or a
        function of two rows, makes a matrix of all distances, of 20,000 rows at most, and clusters as
        `cluster_distances` does; it takes SciPy.
    link_bound: the longest link that may merge clusters of partition 0 and later. "none" is the
        algorithm as listed; "first-neighbor" is the longest first-neighbour distance between samples;
        "joined-pair" is the longest distance of two samples that are first neighbours or have the same
        one, as in the authors' MATLAB code. The paper's tables were made with a bound: both give its
        Table 8.
    search: "auto", "brute", "kd-tree", "blocked", "projected" (8 features or more; Euclidean and cosine)
        or "approximate" (not for Jaccard). All but "approximate" are exact. "auto" takes "approximate"
        if the others would take more than about twenty seconds on one core, and much longer.
    first_neighbors: the first neighbour of each sample, instead of a search: N integers, -1 for none;
        no number for a single sample.
    weights: the number of equal rows that each row stands for, N numbers from 1e-100 on that add up to
        less than 2**53. Whole weights give the same labels as repeated rows. The hierarchy keeps the
        weights, and all its methods use them. Not with first_neighbors.
    times: a time stamp for each row, N numbers in any unit and order, or dates of NumPy, pandas or Python, with or
        without a zone: the frames of a video, say. The distance of two rows is multiplied by the time between
        them, as a share of the time from the first to the last; two clusters have the distance of their means,
        with their mean times (TW-FINCH, CVPR 2021, which takes the metric "cosine"). `Hierarchy.refine` merges by these
        distances the clusters with the closest means, or by "ward". Not with weights or first_neighbors.
        `Hierarchy.suggest`, `Hierarchy.extend` and `Model` do not take such a hierarchy.
    contiguous: True makes each cluster a contiguous segment of times.
    refinable: True also finds and keeps the neighbours that neighbour linkage needs, so that
        `Hierarchy.refine` and `suggest` search none. The hierarchy then takes 12 bytes times
        ceil(2 log2 N) for each sample, and `cluster` about 1.5 times as long (3 times with a k-d tree),
        which is less than a second search. No effect with first_neighbors.
    threads: the number of threads, at most one per core (on fewer than four cores at most four); 1
        works on the calling thread alone, 0 shares one thread per core among all runs of the process.
    recall: the share of neighbours that an approximate search is to find; with 1, "auto" is exact.
        `Hierarchy.recall` is the share that it found: in noise it can be far less.
    seed: for the random choices of an approximate search.
    time_limit: seconds that searching may take, all levels together. "auto" is then exact if that fits,
        and else approximate. At the deadline the search stops with the neighbours that it has: a
        `FinchWarning` says if these are too few. A few passes over X come after that, and searches of a
        tenth of a second at most. An exact search that you name takes no limit.
    progress: a function that is called with a `Progress` on this thread, when a stage begins, when a
        stage ends and about twenty times a second in between. A true value stops the run with
        `Cancelled`.

    Ties: of equally near rows the one of the smallest number is the first neighbour. If such ties are
    many, as of whole or rounded numbers, clusters depend on the order of the rows, and a `FinchWarning`
    says so. The estimator `FINCH` sorts rows by their values first.

    Sparse rows: X may be a sparse matrix or array of SciPy. Clusters are those of `X.toarray()`, bit for
    bit, in the memory of the values, by the searches "auto", "brute", "blocked" and "approximate".
    `nearest_neighbors`, `first_neighbors`, `describe`, models, and all methods of `Hierarchy` but `means`
    take sparse rows, too; other functions take arrays.

    Errors beside those of the package: no samples, no features, NaN or infinity (the message has the row
    and column), a search that does not serve the metric, a first neighbour that is no other row, rows or
    options that the metric does not take.
    """
    other = other_metric(metric)
    if other is not None and other.under is None:
        unused = {"weights": weights, "times": times, "first_neighbors": first_neighbors}
        unused["contiguous"] = contiguous or None
        named = [name for name, values in unused.items() if values is not None]
        if named or search != "auto":
            raise ValueError(
                f"{named[0] if named else 'search'} does not go with metric {other.name!r}, which takes a"
                f" matrix of distances: leave it out, or take one of {', '.join(METRICS)}"
            )
        matrix = distance_matrix(X, metric)
        hierarchy = cluster_distances(
            matrix, link_bound=link_bound, threads=threads, progress=progress
        )
        return hierarchy._by(other)
    if other is not None:
        rows = other.rows_of(X)
        with reworded(other.reworded):
            hierarchy = cluster(
                rows,
                metric=str(other.under),
                link_bound=link_bound,
                search=search,
                first_neighbors=first_neighbors,
                weights=weights,
                times=times,
                contiguous=contiguous,
                refinable=refinable,
                threads=threads,
                recall=recall,
                seed=seed,
                time_limit=time_limit,
                progress=progress,
            )
        return hierarchy._by(other, rows)
    samples = Samples(X)
    options = search_options(metric, search, threads, recall, seed, time_limit, link_bound)
    options.refinable = bool(refinable)
    handle = Handle(lib.finch_hierarchy_free)
    function, besides = lib.finch_cluster, ()
    if not (weights is times is first_neighbors is None) or contiguous:
        function, besides = _besides(weights, times, first_neighbors, contiguous)
    arguments = (samples.pointer, *besides, byref(options), handle.slot)
    run(options, progress, function, *arguments, is_quick=samples.is_quick)
    hierarchy = Hierarchy._made(handle)
    hierarchy._is_timed = times is not None
    return hierarchy


def _besides(
    weights: ArrayLike | None,
    times: ArrayLike | None,
    first_neighbors: ArrayLike | None,
    contiguous: bool,
) -> tuple[Any, tuple[Any, ...]]:
    """The function of the library that clusters samples with one of these, and the arguments that it takes
    beside those of all."""
    given = {"weights": weights, "times": times, "first_neighbors": first_neighbors}
    names = [name for name in given if given[name] is not None]
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} were given: the library takes one of them")
    if contiguous and times is None:
        raise ValueError("contiguous is about times: give times")
    if times is not None:
        return lib.finch_cluster_timed, (*as_input(times_of(times)), int(bool(contiguous)))
    if weights is not None:
        return lib.finch_cluster_weighted, as_input(weights_of(weights))
    numbers = sample_numbers("first_neighbors", first_neighbors)
    return lib.finch_cluster_given, as_input(numbers)


# About eight roundings of 2**-10, as the library lets float32 have eight.
ROUNDING_OF_HALVES = 0.01

ALONE = ("cluster", "error")
"""The values of `alone`."""


def cluster_neighbors(
    index: ArrayLike | Sequence[ArrayLike],
    distance: ArrayLike | Sequence[ArrayLike] | None = None,
    X: ArrayLike | None = None,
    *,
    alone: str = "cluster",
    metric: str = "euclidean",
    link_bound: str = "none",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> Hierarchy:
    """Clusters N samples by their nearest neighbours, as FAISS, PyNNDescent and scikit-learn give
    them.

    index: sample numbers for each sample, in any order: N x k, or N arrays of any length, as
        `radius_neighbors` gives them. The sample itself, -1 and masked entries are no neighbours. Or a
        sparse graph of SciPy, N x N, that stores the distances, as
        `radius_neighbors_graph(X, r, mode="distance")` makes it. Or a graph of networkx or igraph whose
        edges have the distances as "weight"; samples are its nodes in their order.
    distance: the distances of these neighbours, of the same shape; None beside a graph. A neighbour at
        NaN or infinity is no neighbour. FAISS gives squared distances: take the root.
    X: the N samples. The neighbours of means on later levels are then searched as in `cluster`, by the
        options that follow. With None, the distance of two clusters is the mean of the known distances
        between their samples, clusters without a known distance stay apart, and `refine`,
        `dendrogram` and `suggest` of the hierarchy take None for X. link_bound="joined-pair" then
        needs the distance of each two samples with the same first neighbour.
    alone: "cluster" or "error" for a sample without a neighbour. As a "cluster" it is one of its own in
        partition 0, unless it is the first neighbour of another; it has -1 in `first_neighbors`.

    >>> cluster_neighbors([[1], [0, 2], [1], []], [[1.0], [1.0, 3.0], [3.0], []])[0]
    array([0, 0, 0, 1], dtype=int32)
    """
    table, lengths = lists_of(matrix_of_graph(index), distance)
    if alone not in ALONE:
        raise ValueError(f"alone is {alone!r}: give 'cluster' or 'error'")
    if alone == "error":
        _expect_none_alone(table, lengths)
    samples = optional_samples(X)
    options = search_options(metric, search, threads, recall, seed, time_limit, link_bound)
    handle = Handle(lib.finch_hierarchy_free)
    run(
        options,
        progress,
        lib.finch_cluster_neighbors,
        samples.pointer,
        table.ctypes.data,
        lengths.ctypes.data,
        *table.shape,
        byref(options),
        handle.slot,
    )
    return Hierarchy._made(handle)


def _expect_none_alone(table: NDArray[np.int32], lengths: NDArray[np.float64]) -> None:
    others = (table != -1) & (table != np.arange(len(table))[:, None])
    lonely = ~(others & (lengths < np.inf)).any(axis=1)
    if len(table) > 1 and lonely.any():
        raise ValueError(
            f"{lonely.sum()} of {len(table)} samples have no neighbour, the first of them sample"
            f" {lonely.argmax()}: give each one, or alone='cluster'"
        )


def cluster_distances(
    D: ArrayLike,
    *,
    metric: str = "euclidean",
    link_bound: str = "none",
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Hierarchy:
    """Clusters N samples by the distances of all pairs: D, N x N, symmetric, with zeros on the
    diagonal, as `squareform` of SciPy makes it. Both may differ by rounding: 1e-12 of the largest distance;
    1e-6 for float32, 0.01 for float16.

    From partition 1 on, the distance of two clusters is the mean distance of all pairs of their
    samples. `refine`, `dendrogram` and `suggest` of the hierarchy take None for X. A row-major array of
    float64 is read where it lies.

    metric: the kind of the distances, for neighbour linkage: "cosine" for 1 - cos, else lengths of any
        kind. The other options are those of `cluster`.
    """
    if is_sparse(D):
        raise TypeError(
            "D is a sparse matrix, in which pairs that are not there would be at distance 0: give"
            " D.toarray() if they are, or the nearest of each sample to cluster_neighbors"
        )
    if np.ndim(D) == 1 and hasattr(D, "dtype"):
        raise ValueError(
            "D has 1 dimension where it takes 2, N x N: of condensed distances, as pdist of SciPy gives"
            " them, give scipy.spatial.distance.squareform(D)"
        )
    refuse_masked("D", D)
    table = table_of("D", D, np.float64)
    if table.shape[0] != table.shape[1]:
        raise ValueError(
            f"D has the shape {table.shape}: give the distances of all pairs, N x N; or samples by"
            " features to cluster"
        )
    if getattr(D, "dtype", None) == np.float16:
        table = _evened(table)
    options = default_options(
        metric=number_of("metric", METRICS, metric),
        link_bound=number_of("link bound", LINK_BOUNDS, link_bound),
        threads=count("threads", threads),
    )
    handle = Handle(lib.finch_hierarchy_free)
    arguments = (table.ctypes.data, len(table), byref(options), handle.slot)
    run(options, progress, lib.finch_cluster_distances, *arguments)
    return Hierarchy._made(handle)


def _evened(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances of float16, without what rounding has made of them; the library knows no such type."""
    rounding = ROUNDING_OF_HALVES * np.max(table, initial=0.0, where=np.isfinite(table))
    diagonal = np.diagonal(table)
    if not (np.abs(table - table.T) <= rounding).all() or not (np.abs(diagonal) <= rounding).all():
        return table
    evened = (table + table.T) / 2
    evened[(evened < 0) & (evened >= -rounding)] = 0
    np.fill_diagonal(evened, 0)
    return evened
