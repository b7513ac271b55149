"""Neighbours between any rows, and sums of clusters: building blocks for data in parts."""

from __future__ import annotations

from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import Samples, check_in_place, sample_numbers
from ._errors import check
from ._library import lib
from ._options import count, default_options, search_options
from ._repr import one_line
from ._run import ProgressCallback, run


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
