"""Clustering: from samples to a hierarchy."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from numpy.typing import ArrayLike

from ._arrays import Samples, as_input, sample_numbers, times_of, weights_of
from ._handle import Handle
from ._hierarchy import Hierarchy
from ._library import lib
from ._names import LINK_BOUNDS, number_of
from ._options import search_options
from ._run import ProgressCallback, run


def cluster(
    X: ArrayLike,
    *,
    metric: str = "euclidean",
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
    """Clusters the rows of X, N x d (Algorithm 1 of the paper).

    Of rows that are equally near, the one of the smallest number is the first neighbour. Where such ties
        are many, as of whole or rounded numbers, the clusters hang on the order of the rows, and a
        `FinchWarning` says so; the estimator `FINCH` sorts rows by their values first.

    X may be a sparse matrix or array of SciPy. Clusters are those of `X.toarray()`, bit for bit, but
        memory is that of the values: rows are compared and averaged as they are. "auto", "brute",
        "blocked" and "approximate" search sparse rows. `nearest_neighbors`, `first_neighbors`, `describe`, models, and
        of `Hierarchy` all but `means` take them, too, also with weights or given first neighbours; other
        functions take arrays.

    metric: "euclidean", "cosine" or "manhattan"; for samples of 0 and 1, also sparse, "hamming" or
        "jaccard".
    link_bound: "none" is the algorithm as listed. "first-neighbor" merges clusters of partition 0
        and later only by links no longer than the longest first-neighbour distance between
        samples, "joined-pair" than the longest distance of two samples that are first neighbours or
        have the same one, as the authors' MATLAB code does. The paper's published tables were made
        with a bound: both give its Table 8.
    search: how neighbours are searched: "auto", "brute", "kd-tree", "blocked", "projected" (8
        features or more; Euclidean and cosine) or "approximate" (not for Jaccard). All searches but
        "approximate" find the same. "auto" takes "approximate" where the others would take more than
        about twenty seconds on one core, and much longer.
    first_neighbors: the first neighbour of each sample, instead of a search: N integers, none for a
        single sample.
    weights: how many equal rows each row stands for, N numbers from 1e-100 on that add up to less
        than 2**53: whole weights give the labels that repeating the rows gives. The hierarchy keeps
        the weights and uses them in whatever it is asked. Not with first_neighbors.
    times: when each row was, N numbers in any unit and order, or datetime64: the frames of a video,
        say. Distances then count times the time between two rows, over that from the first to the
        last; those of clusters are of their means and mean times (TW-FINCH, CVPR 2021, which takes
        the metric "cosine"). `Hierarchy.refine` merges by the same distances the clusters with the
        closest means, or by "ward". Not with weights or first_neighbors; nor do `Hierarchy.suggest`,
        `Hierarchy.extend` and `Model` take such a hierarchy.
    contiguous: whether each cluster is to be a contiguous segment of times.
    refinable: whether to find and keep the neighbours that `Hierarchy.refine` needs for neighbour
        linkage, so that refining to any number of clusters searches none. The hierarchy then takes
        12 bytes times ceil(2 log2 N) for each sample, and `cluster` about 1.5 times as long (3
        times with a k-d tree), which is less than a second search. No effect with first_neighbors.
    threads: the number of threads, at most one per core (on fewer than four cores at most four); 1
        works on the calling thread alone, 0 shares one thread per core among all runs of the process.
    recall: the share of neighbours that an approximate search is to find; with 1, "auto" is exact.
        `Hierarchy.recall` is the share that was found: of noise it can be far less.
    seed: for the random choices of an approximate search.
    time_limit: seconds that searching may take, all levels together. "auto" is then exact where
        that fits, and else approximate. At the deadline the search is left with what it has found: a
        `FinchWarning` says if that is too little. A few passes over X come after that, and searches of
        a tenth of a second at most. Exact searches that are asked for by name take no limit.
    progress: is called with a `Progress` when a stage begins, when a stage ends and about twenty
        times a second in between, on this thread. If the callback returns a true value, the run
        stops with `Cancelled`.

    Errors beside those of the package: no samples, no features, NaN or infinity (the message has
    the row and column), a search that does not serve the metric, first neighbours that are none.
    """
    samples = Samples(X)
    options = search_options(metric, search, threads, recall, seed, time_limit)
    options.link_bound = number_of("link bound", LINK_BOUNDS, link_bound)
    options.refinable = bool(refinable)
    handle = Handle(lib.finch_hierarchy_free)
    arguments: list[Any] = [byref(samples.matrix), byref(options), handle.slot]
    function = lib.finch_cluster
    given = {"weights": weights, "times": times, "first_neighbors": first_neighbors}
    names = [name for name, values in given.items() if values is not None]
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} were given: the library takes one of them")
    if contiguous and times is None:
        raise ValueError("contiguous is about times: give times")
    if times is not None:
        arguments[1:1] = [*as_input(times_of(times)), int(bool(contiguous))]
        function = lib.finch_cluster_timed
    if weights is not None:
        arguments[1:1] = as_input(weights_of(weights))
        function = lib.finch_cluster_weighted
    if first_neighbors is not None:
        arguments[1:1] = as_input(sample_numbers("first_neighbors", first_neighbors))
        function = lib.finch_cluster_given
    run(options, progress, function, *arguments)
    return Hierarchy._made(handle)
