"""First and k nearest neighbours, sums, and the clustering equation: building blocks for data in parts."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.errors import check
from ._c.library import lib
from ._c.names import METRICS, number_of
from ._c.options import count, default_options, search_options
from ._c.repr import one_line
from ._c.run import ProgressCallback, run
from ._c.warnings import tell_of_call
from ._input.arrays import Samples, as_input, check_in_place, sample_numbers
from ._input.other_metrics import OtherMetric, nearest_by, other_metric
from ._input.sparse import is_sparse


class FirstNeighbors(NamedTuple):
    """The sample nearest to each sample; empty for a single sample."""

    __repr__ = one_line

    index: NDArray[np.int32]  # type: ignore[assignment]  # tuple.index is no loss
    """N sample numbers."""
    distance: NDArray[np.float64]
    """N distances."""


def first_neighbors(
    X: ArrayLike,
    *,
    metric: str | Callable[..., float] = "euclidean",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> FirstNeighbors:
    """Finds the first neighbour of each row of X, N x d; of equally near rows, the first.

    Returns (index, distance), N numbers each, or no number for a single row; (-1, inf) for a row without
    neighbours, as a zero row under cosine may be. The options are those of `cluster`. A
    `FinchWarning` says if an approximate search found fewer of the true neighbours than `recall` asks for.
    """
    other = other_metric(metric)
    if other is not None and other.under is None:
        index, distance = nearest_by(X, 1, metric)
        if len(index) == 1:
            return FirstNeighbors(np.empty(0, np.int32), np.empty(0))
        return FirstNeighbors(index[:, 0], distance[:, 0])
    samples = Samples(X if other is None else other.rows_of(X))
    under = metric if other is None else other.under
    options = search_options(under, search, threads, recall, seed, time_limit)
    rows = samples.shape[0]
    rows = 0 if rows == 1 else rows
    found = FirstNeighbors(np.empty(rows, np.int32), np.empty(rows))
    run(
        options,
        progress,
        lib.finch_first_neighbors,
        byref(samples.matrix),
        byref(options),
        found.index.ctypes.data,
        found.distance.ctypes.data,
        rows,
    )
    tell_of_call()
    if other is None or rows == 0:
        return found
    lengths = _lengths_by(other, samples.array, found.index[:, None], found.distance[:, None])
    return FirstNeighbors(found.index, lengths.ravel())


def _lengths_by(
    other: OtherMetric, rows: NDArray[Any], index: NDArray[np.int32], lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The distances, N x k, by a metric that the library does not have; infinite where there is no row."""
    by_other = other.distances_of(rows[:, None], rows[index], lengths)
    return np.where(index < 0, np.inf, by_other)


class NearestNeighbors(NamedTuple):
    """The samples nearest to each sample, the nearest first."""

    __repr__ = one_line

    index: NDArray[np.int32]  # type: ignore[assignment]  # tuple.index is no loss
    """Sample numbers, N x k."""
    distance: NDArray[np.float64]
    """Distances, N x k."""


def nearest_neighbors(
    X: ArrayLike,
    k: int,
    *,
    metric: str | Callable[..., float] = "euclidean",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> NearestNeighbors:
    """Finds the k nearest other rows of each row of X, N x d, the nearest first; of equally near
    rows, the one with the smaller number first. k is from 1 to N - 1.

    Returns (index, distance), N x k each, and (-1, inf) if a row has fewer neighbours: under cosine, zero
    rows are near to each other, and to no other row. The options are those of `cluster`.

    >>> nearest_neighbors([[0.0], [1.0], [5.0]], 2).index
    array([[1, 2],
           [0, 2],
           [1, 0]], dtype=int32)
    """
    k = count("k", k)
    other = other_metric(metric)
    if other is not None and other.under is None:
        index, distance = nearest_by(X, k, metric)
        if not 1 <= k < len(index):
            raise ValueError(f"k is {k}, and X has {len(index)} rows: give a number from 1 to N - 1")
        return NearestNeighbors(index, distance)
    samples = Samples(X if other is None else other.rows_of(X))
    under = metric if other is None else other.under
    options = search_options(under, search, threads, recall, seed, time_limit)
    rows = samples.shape[0]
    # The library refuses other k.
    columns = k if k < rows else 0
    found = NearestNeighbors(np.empty((rows, columns), np.int32), np.empty((rows, columns)))
    run(
        options,
        progress,
        lib.finch_nearest_neighbors,
        samples.pointer,
        k,
        byref(options),
        found.index.ctypes.data,
        found.distance.ctypes.data,
        found.index.size,
    )
    tell_of_call()
    if other is None:
        return found
    lengths = _lengths_by(other, samples.array, found.index, found.distance)
    return NearestNeighbors(found.index, lengths)


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

    `queries` and `base` are consecutive rows of one large matrix, of one dtype; `first_query` and
    `first_base` are the numbers of their first rows in the large matrix. `index` (int32) and `key`
    (float64), one for each row of `queries`, are updated in place. Begin with -1 in every `index`:

    >>> X = np.array([[0.0], [3.0], [1.0], [7.0]])
    >>> index, key = np.full(4, -1, np.int32), np.zeros(4)
    >>> for start in range(0, 4, 2):
    ...     update_neighbors(X, 0, X[start:start + 2], start, index, key)
    >>> index, keys_to_distances(key)
    (array([2, 2, 0, 1], dtype=int32), array([1., 2., 1., 4.]))

    The options are those of `cluster`, but for the k-d tree, which does not serve here.
    """
    queries_, base_ = Samples(queries), Samples(base)
    options = search_options(metric, search, threads, recall, seed)
    check_in_place("index", index, np.int32)
    check_in_place("key", key, np.float64)
    if index.shape != key.shape:
        raise ValueError(f"index has {index.size} numbers, and key {key.size}")
    run(
        options,
        progress,
        lib.finch_update_neighbors,
        byref(queries_.matrix),
        count("first_query", first_query),
        byref(base_.matrix),
        count("first_base", first_base),
        byref(options),
        index.ctypes.data,
        key.ctypes.data,
        index.size,
    )


def keys_to_distances(key: ArrayLike, *, metric: str = "euclidean") -> NDArray[np.float64]:
    """Turns the keys of `update_neighbors` into distances."""
    keys = np.require(key, np.float64, ["C", "A"])
    found = np.empty(keys.shape)
    number = number_of("metric", METRICS, metric)
    check(lib.finch_keys_to_distances(number, keys.ctypes.data, found.ctypes.data, keys.size))
    return found


def components(first_neighbors: ArrayLike) -> NDArray[np.int32]:
    """Joins each sample with its first neighbour (Eq. 1 of the paper): N integers to N labels.

    >>> components([1, 0, 3, 2, 3])
    array([0, 0, 1, 1, 1], dtype=int32)
    """
    first = sample_numbers("first_neighbors", first_neighbors)
    labels = np.empty(first.size, np.int32)
    check(lib.finch_components(*as_input(first), labels.ctypes.data, None))
    return labels


class NeighborsBetween(NamedTuple):
    """The rows nearest to each query, the nearest first."""

    __repr__ = one_line

    index: NDArray[np.int64]  # type: ignore[assignment]  # tuple.index is no loss
    """The numbers of the rows, N x k; -1 where there is none."""
    key: NDArray[np.float64]
    """The numbers by which the metric compares: see `keys_to_distances`."""


def neighbors_between(
    queries: ArrayLike,
    base: ArrayLike,
    k: int,
    *,
    query_numbers: ArrayLike | None = None,
    base_numbers: ArrayLike | None = None,
    so_far: NeighborsBetween | None = None,
    metric: str = "euclidean",
    search: str = "auto",
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> NeighborsBetween:
    """Finds the k rows of `base` that are nearest to each row of `queries`, of one dtype.

    query_numbers, base_numbers: the number of each row in the whole data, of any size, of which both
        are parts; those of `base` ascend from 0. A query is not compared with itself. Without numbers
        queries are new rows, and rows of `base` are numbered from 0.
    so_far: what an earlier call found among other rows of the data, or among some of the same. It is
        left as it was, and the result is the nearest of both.

    >>> X = np.array([[0.0], [3.0], [1.0], [7.0]])
    >>> found = None
    >>> for rows in ([2, 3], [0, 1, 3]):
    ...     found = neighbors_between(
    ...         X, X[rows], 1, query_numbers=range(4), base_numbers=rows, so_far=found)
    >>> found.index.ravel()
    array([2, 2, 0, 1])
    """
    for what, rows in (("queries", queries), ("base", base)):
        if is_sparse(rows):
            raise TypeError(f"{what} is sparse, and neighbors_between takes dense rows: pass {what}.toarray()")
    queries_, base_ = Samples(queries), Samples(base)
    options = search_options(metric, search, threads, 1.0, 0)
    of_queries = _numbers("query_numbers", query_numbers, len(queries_.array))
    of_base = _numbers("base_numbers", base_numbers, len(base_.array))
    shape = (len(queries_.array), count("k", k, bits=31))
    if so_far is None:
        found = NeighborsBetween(np.full(shape, -1, np.int64), np.full(shape, np.inf))
    else:
        found = NeighborsBetween(
            np.array(so_far.index, np.int64, order="C"), np.array(so_far.key, float, order="C")
        )
        if found.index.shape != shape or found.key.shape != shape:
            raise ValueError(f"so_far has shape {found.index.shape} where it takes {shape}")
    run(
        options,
        progress,
        lib.finch_neighbors_between,
        byref(queries_.matrix),
        _address(of_queries),
        byref(base_.matrix),
        _address(of_base),
        shape[1],
        byref(options),
        found.index.ctypes.data,
        found.key.ctypes.data,
        found.index.size,
    )
    return found


def add_to_sums(
    X: ArrayLike,
    labels: ArrayLike,
    sums: NDArray[np.float64],
    sizes: NDArray[np.int64],
    *,
    threads: int = 0,
) -> None:
    """Adds each row of X, N x d, to the sum of its cluster, and counts it, in place.

    `labels` are N numbers from 0 to C - 1, `sums` a C x d matrix of float64, and `sizes` C numbers of
    int64, all zeros before the first rows. Sums of parts in the order of rows are bit for bit those of
    all rows at once, and `sums / sizes[:, None]` the means.

    >>> sums, sizes = np.zeros((2, 1)), np.zeros(2, np.int64)
    >>> add_to_sums([[1.0], [5.0], [2.0]], [0, 1, 0], sums, sizes)
    >>> sums.ravel(), sizes
    (array([3., 5.]), array([2, 1]))
    """
    samples = Samples(X)
    labels_ = sample_numbers("labels", labels)
    check_in_place("sizes", sizes, np.int64)
    if sums.shape != (sizes.size, samples.array.shape[1]):
        raise ValueError(f"sums are {sums.shape} where {(sizes.size, samples.array.shape[1])} fits")
    check_in_place("sums", sums.reshape(-1), np.float64)
    if not sums.flags.carray:
        raise TypeError("sums are changed in place: give a contiguous array")
    options = default_options(threads=count("threads", threads))
    check(
        lib.finch_sums_add(
            byref(samples.matrix),
            labels_.ctypes.data,
            labels_.size,
            byref(options),
            sums.ctypes.data,
            sizes.ctypes.data,
            sizes.size,
        )
    )


def _numbers(what: str, values: ArrayLike | None, rows: int) -> NDArray[np.int64] | None:
    if values is None:
        return None
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" or numbers.shape != (rows,):
        raise ValueError(f"{what} has to be {rows} integers, one for each row")
    return np.require(numbers, np.int64, ["C", "A"])


def _address(numbers: NDArray[np.int64] | None) -> Any:
    return None if numbers is None else numbers.ctypes.data
