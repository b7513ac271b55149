"""Clustering by neighbours or distances that the caller brings."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import optional_samples, table_of
from ._handle import Handle
from ._hierarchy import Hierarchy
from ._library import lib
from ._lists import lists_of
from ._names import LINK_BOUNDS, METRICS, number_of
from ._options import count, default_options, search_options
from ._run import ProgressCallback, run
from ._sparse import is_sparse

# About eight roundings of 2**-10, as the library lets float32 have eight.
ROUNDING_OF_HALVES = 0.01

ALONE = ("cluster", "error")
"""What a sample without a neighbour may be."""


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
        `radius_neighbors` gives them. The sample itself is left out wherever it stands, and so is -1,
        for no neighbour, and what is masked. Or a sparse graph of SciPy, N x N, that stores the
        distances, as `radius_neighbors_graph(X, r, mode="distance")` makes it.
    distance: the distances of these neighbours, of the same shape; none beside a graph. A neighbour
        at NaN or infinity is none. FAISS gives squared distances: take the root.
    X: the N samples; the means of later levels are then searched as in `cluster`, by the options
        that follow. With None, the distance of two clusters is the mean of the known distances
        between their samples, clusters without a known distance stay apart, and `refine`,
        `dendrogram` and `suggest` of the hierarchy take None for X. link_bound="joined-pair" then
        needs the distance of each two samples with the same first neighbour.
    alone: what a sample without a neighbour is: "cluster", a cluster of its own in the first partition
        unless it is the first neighbour of another, with -1 in `first_neighbors`; or "error".

    >>> cluster_neighbors([[1], [0, 2], [1], []], [[1.0], [1.0, 3.0], [3.0], []])[0]
    array([0, 0, 0, 1], dtype=int32)
    """
    table, lengths = lists_of(index, distance)
    if alone not in ALONE:
        raise ValueError(f"alone is {alone!r}: give 'cluster' or 'error'")
    if alone == "error":
        _expect_none_alone(table, lengths)
    samples = optional_samples(X)
    options = search_options(metric, search, threads, recall, seed, time_limit)
    options.link_bound = number_of("link bound", LINK_BOUNDS, link_bound)
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
    diagonal, as `squareform` of SciPy makes it; but for rounding: 1e-12 of the largest distance, or of
    float32 1e-6, of float16 0.01.

    From partition 1 on, the distance of two clusters is the mean distance of all pairs of their
    samples. `refine`, `dendrogram` and `suggest` of the hierarchy take None for X. A row-major array of
    float64 is read where it lies.

    metric: what the distances are where clusters merge by neighbour linkage: "cosine" for 1 - cos, else
        lengths of any kind. The other options are those of `cluster`.
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
