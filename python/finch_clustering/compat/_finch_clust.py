"""FINCH as the package finch-clust has it: a function."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.options import real
from .._input.arrays import refuse_masked
from .._input.frames import matrix_of
from .._input.refused import expect_matrix
from .._input.sparse import is_sparse
from .._input.tensors import array_of_tensor
from ._by_metric import ByLibrary, partitions_of
from ._levels import Levels
from .finchpy import FINCH as FinchPy


def FINCH(
    data: ArrayLike | None = None,
    req_clust: int | None = None,
    initial_rank: ArrayLike | None = None,
    distance: str | Callable[..., float] = "cosine",
    ensure_early_exit: bool = True,
    ann_threshold: int = 20_000,
    faiss_threshold: int = 5_000_000,
    faiss_use_gpu: bool = False,
    ram_size_in_gb: float | None = None,
    faiss_kwargs: dict[str, Any] | None = None,
    return_meta_labels: bool = False,
    verbose: bool = False,
    random_state: int | None = None,
    *,
    use_ann_above_samples: int | None = None,
    seed: int | None = None,
    tw_finch: bool | None = None,
    link_bound: str = "none",
    metric: str | Callable[..., float] | None = None,
    n_jobs: int | None = None,
) -> Any:
    """Clusters the rows of data, N x d, as `finch.FINCH` of finch-clust 0.2.3 does.

    data: an array, a table, a sparse matrix or array of SciPy, or a tensor of another library on the CPU.
    req_clust: make so many clusters, too, by Algorithm 2 of the paper (centroid linkage).
    initial_rank: the first neighbour of each row, instead of a search: N whole numbers, as an array of any
        dtype, N or N x 1, or a list. A row that names itself, or -1, links to none.
    distance: "cosine", "euclidean" ("l2") or "manhattan" ("cityblock", "l1"), "correlation"; up to
        20,000 rows also "haversine", any other metric of SciPy's pdist, or a function of two rows, by matrices
        of the distances of rows and of means. There is no "nan_euclidean", as rows are without missing values.
    ensure_early_exit: of no effect. finch-clust then sets links to 0 that are longer than the longest
        first-neighbour distance, but goes on to link by them.
    link_bound: which links do not count, that of `finch_clustering.cluster`: "none", as in finch-clust;
        "first-neighbor", those that ensure_early_exit means; "joined-pair", those that the authors'
        MATLAB code drops. Under the metrics of the library.
    ann_threshold: the number of rows up to which every search is exact. Above, an exact search is
        still taken where it does not take long. Older releases call this `use_ann_above_samples`.
    random_state: the seed of an approximate search; `seed` in some releases.
    tw_finch: True counts distances times the difference of row numbers, which are times (TW-FINCH). True and
        False are calls of the folder TW-FINCH/python, which keeps a last partition that joins one pair.
    verbose: print the number of clusters of each level.
    faiss_threshold, faiss_use_gpu, ram_size_in_gb, faiss_kwargs: of no effect, as there is no FAISS
        here.
    metric, n_jobs: of finchpy, whose calls have no data: FINCH(metric="cosine").fit(X).

    Releases up to 0.2.0 have the order (data, initial_rank, req_clust, distance, ensure_early_exit, verbose,
    use_ann_above_samples). It is told apart by types: req_clust is a number, initial_rank has N, and verbose
    is True or False. A call that fits neither order is a TypeError.

    Returns (c, num_clust, req_c): the labels of all partitions, N x P, finest first; a list of P
    numbers of clusters; and the N labels of `req_clust` clusters, or None. With return_meta_labels
    also a list of P - 1 arrays, the cluster of partition p + 1 that each cluster of partition p is
    in, and the means of partition 0. (finch-clust has one more array in that list, of a level that
    it drops.) Without data, the object of finchpy.
    """
    if data is None or isinstance(data, str):
        return FinchPy(data or metric or "euclidean", 1 if n_jobs is None else n_jobs)
    if metric is not None or n_jobs is not None:
        raise TypeError(
            "metric and n_jobs are of finchpy, FINCH(metric=...).fit(data): beside data say distance=..."
        )
    req_clust, initial_rank = _in_order(req_clust, initial_rank)
    if isinstance(ann_threshold, (bool, np.bool_)):
        # Place 6 of releases up to 0.2.0 is verbose, and place 7 is use_ann_above_samples.
        verbose, ann_threshold = bool(ann_threshold), min(faiss_threshold, 70_000)
    if faiss_use_gpu:
        warnings.warn("faiss_use_gpu has no effect: finch has a search of its own", stacklevel=2)
    X = _samples(data)
    exact_up_to = ann_threshold if use_ann_above_samples is None else use_ann_above_samples
    seed = random_state if seed is None else seed
    found = partitions_of(
        X,
        distance,
        first_neighbors=None if initial_rank is None else _links(initial_rank, X.shape[0]),
        timed=bool(tw_finch),
        link_bound=link_bound,
        recall=1.0 if X.shape[0] <= exact_up_to else 0.99,
        seed=0 if seed is None else seed,
    )
    clusters = [int(labels.max()) + 1 for labels in found.labels]
    kept = _kept(clusters, 1 if tw_finch is None else 0)
    num_clust = clusters[:kept]
    if verbose:
        for level, count in enumerate(num_clust):
            print(f"Level {level}: {count} clusters")
    c = np.stack(found.labels[:kept], axis=1)
    req_c = None if req_clust is None else _requested(found, c, num_clust, req_clust)
    if not return_meta_labels:
        return c, num_clust, req_c
    return c, num_clust, req_c, _steps(c), found.means(c[:, 0])


def _samples(data: Any) -> Any:
    """The samples in float32, as finch-clust takes them: without a copy where they are."""
    if is_sparse(data):
        return data.tocsr().astype(np.float32, copy=False)
    refuse_masked("data", data)
    array = np.asarray(array_of_tensor("data", matrix_of(data)))
    expect_matrix("data", data, array)
    return array.astype(np.float32, copy=False)


def _in_order(req_clust: Any, initial_rank: Any) -> tuple[int | None, Any]:
    """Number of clusters and first neighbours, in whichever of the two orders they were given."""
    if _is_single(initial_rank) or _is_several(req_clust):
        req_clust, initial_rank = initial_rank, req_clust
    if _is_several(req_clust):
        raise TypeError(
            "req_clust and initial_rank both have several numbers: give req_clust, one number, and"
            " initial_rank, one for each row, by name (finch-clust has initial_rank before req_clust up to"
            " 0.2.0, and behind it since)"
        )
    if _is_single(initial_rank):
        raise TypeError(
            f"req_clust and initial_rank are single numbers, {initial_rank!r} and {req_clust!r}: give"
            " initial_rank by name, a number for each row"
        )
    if req_clust is None:
        return None, initial_rank
    number = real("req_clust", req_clust)
    if number < 1 or number != int(number):
        raise ValueError(f"req_clust is {req_clust}: give a whole number from 1 on, or None")
    return int(number), initial_rank


def _is_single(value: Any) -> bool:
    return isinstance(value, Real) or (value is not None and np.ndim(value) == 0)


def _is_several(value: Any) -> bool:
    return value is not None and not _is_single(value)


def _links(initial_rank: Any, rows: int) -> NDArray[np.int32]:
    """First neighbours as the library takes them: -1 for a row that names itself."""
    given = np.asarray(array_of_tensor("initial_rank", initial_rank))
    if given.size != rows or given.ndim > 2:
        raise ValueError(
            f"initial_rank has the shape {given.shape}, and data {rows} rows: give one row number for each"
        )
    given = given.ravel()
    numbers = given.astype(np.int64)
    wrong = (numbers != given) | (numbers < -1) | (numbers >= rows)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"initial_rank has {given[row]} at row {row}: give row numbers from 0 to {rows - 1}"
        )
    if rows == 1:
        return np.empty(0, np.int32)
    return np.where(numbers == np.arange(rows), -1, numbers).astype(np.int32)


def _kept(clusters: list[int], least: int) -> int:
    """The number of partitions that are kept: finch-clust ends at a level that joins no more than one
    pair, and leaves it out; the folder TW-FINCH keeps it (least = 0), and ends there as well."""
    for partition in range(1, len(clusters)):
        joined = clusters[partition - 1] - clusters[partition]
        if joined <= 1:
            return partition + (joined > least)
    return len(clusters)


def _requested(
    found: ByLibrary | Levels, c: NDArray[np.int32], num_clust: list[int], wanted: int
) -> NDArray[np.int32]:
    """The labels of so many clusters; of partition 0 where it has fewer."""
    if wanted in num_clust:
        return c[:, num_clust.index(wanted)]
    if wanted > num_clust[0]:
        print(
            f"{wanted} clusters were requested, more than the {num_clust[0]} of the finest"
            " partition, which is returned",
            file=sys.stderr,
        )
        return c[:, 0]
    return found.merged(max(p for p, clusters in enumerate(num_clust) if clusters >= wanted), wanted)


def _steps(c: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Of each partition but the last: the cluster of the next that each cluster is in."""
    steps = []
    for fine, coarse in zip(c.T[:-1], c.T[1:]):
        step = np.empty(fine.max() + 1, np.int32)
        step[fine] = coarse
        steps.append(step)
    return steps
