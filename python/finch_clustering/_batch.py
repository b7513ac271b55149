"""Labels of many matrices in one call, side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ctypes import byref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.header import Matrix
from ._c.library import lib
from ._c.names import FLATS, LINKAGES, number_of
from ._c.options import count, search_options, set_noise
from ._c.rewording import Reword, by_rows, reworded
from ._c.run import ProgressCallback, run
from ._c.warnings import tell_of_call
from ._input.arrays import Samples
from ._input.frames import kept_rows
from ._input.missing import check_missing, complete_rows, labels_of_all
from ._input.refused import named

SUGGESTED = "suggested"
"""The number of clusters that stands for the one that `Hierarchy.suggest` recommends."""

# C has `samples` for X.
_MATRIX = re.compile(r"(?:samples|X)\[(\d+)\]: ")


def cluster_batch(
    X: ArrayLike | Sequence[ArrayLike],
    *,
    partition: int = 0,
    n_clusters: int | str | None = None,
    metric: str = "euclidean",
    linkage: str = "auto",
    link_bound: str = "none",
    search: str = "auto",
    threads: int = 0,
    recall: float = 0.99,
    seed: int = 0,
    time_limit: float | None = None,
    min_cluster_size: int | None = None,
    small: str = "noise",
    outliers: float | None = None,
    outlier_threshold: float | None = None,
    missing: str = "error",
    progress: ProgressCallback | None = None,
) -> NDArray[np.int32] | list[NDArray[np.int32]]:
    """Clusters many matrices, each by itself, side by side on all threads: many small ones, say, of which one
    alone has no work for a second thread. Labels are those of `cluster`, matrix by matrix.

    X: B x N x d, B matrices of N samples; or a sequence of matrices as `cluster` takes them, which may differ in
        samples and features.
    partition: the partition whose labels are returned, from 0, the finest; the coarsest of a matrix that has
        fewer partitions, and -1 for the coarsest of each.
    n_clusters: the number of clusters of each matrix, as by `Hierarchy.refine` with `linkage`, instead of a partition;
        "suggested" for the number that `Hierarchy.suggest` recommends.
    metric: "euclidean", "cosine", "manhattan", "hamming" or "jaccard". The other options are those of `cluster`;
        `time_limit` is one for each matrix.
    min_cluster_size, small, outliers, outlier_threshold: samples that become noise, of label -1, as by
        `Hierarchy.with_noise`. By default there is none.
    missing: "error" for rows with NaN, or "label": such rows take no part, and get -1.

    Returns labels from 0: B x N for B x N x d, else an array for each matrix. A `FinchWarning` names the first
    matrix that has one. Where a matrix is at fault, the error names it.

    >>> near, far = [[0.0], [1.0], [5.0], [6.0]], [[0.0], [9.0], [8.0], [1.0]]
    >>> cluster_batch([near, far])
    [array([0, 0, 1, 1], dtype=int32), array([0, 1, 1, 0], dtype=int32)]
    >>> cluster_batch(np.array([near, far]), n_clusters=1)
    array([[0, 0, 0, 0],
           [0, 0, 0, 0]], dtype=int32)
    """
    if getattr(X, "ndim", None) == 2:
        raise ValueError("X has 2 dimensions, as one matrix has: give [X], a sequence of matrices")
    if X is None or isinstance(X, (str, bytes, Mapping)) or not hasattr(X, "__iter__"):
        raise TypeError(f"X is {named(X)}: give B x N x d, or a list of matrices")
    flat, number = _flat(partition, n_clusters)
    options = search_options(metric, search, threads, recall, seed, time_limit, link_bound)
    options.linkage = number_of("linkage", LINKAGES, linkage)
    set_noise(options, min_cluster_size, small, outliers, outlier_threshold)
    check_missing(missing)
    given, complete = (X, None) if missing == "error" else _without_missing(X)
    with reworded(_of_matrices(complete)):
        matrices, rows, _kept = _matrices(given)
        ends = np.cumsum([0, *rows])
        labels = np.empty(ends[-1], np.int32)
        run(
            options,
            progress,
            lib.finch_cluster_batch,
            matrices,
            len(rows),
            byref(options),
            flat,
            number,
            labels.ctypes.data,
            len(labels),
            None,
        )
        tell_of_call()
    is_stack = getattr(X, "ndim", None) == 3
    if is_stack and complete is None:
        return labels.reshape(np.shape(X)[:2])
    parts = [labels[start:end] for start, end in zip(ends, ends[1:])]
    if complete is None:
        return parts
    parts = [labels_of_all(part, kept) for part, kept in zip(parts, complete)]
    return np.array(parts) if is_stack else parts


def _without_missing(X: Any) -> tuple[Any, list[NDArray[np.bool_] | None] | None]:
    """The matrices without rows that have missing values, and their other rows; `None` where all are complete."""
    # A stack is looked through at once, which takes a seventh of the time.
    if isinstance(X, np.ndarray) and X.ndim == 3 and (X.dtype.kind != "f" or not np.isnan(X).any()):
        return X, None
    # A generator gives its matrices once.
    matrices = X if isinstance(X, np.ndarray) else list(X)
    complete = [complete_rows(matrix) for matrix in matrices]
    if all(rows is None for rows in complete):
        return matrices, None
    kept = []
    for number, (matrix, rows) in enumerate(zip(matrices, complete)):
        if rows is not None:
            if not rows.any():
                raise ValueError(f"X[{number}]: every row has a missing value, so nothing is left to cluster")
            matrix = kept_rows(matrix, rows)
        kept.append(matrix)
    return kept, complete


def _of_matrices(complete: list[NDArray[np.bool_] | None] | None) -> Reword:
    """Names a matrix as the caller does, and its rows with those that have missing values."""

    def reword(sentence: str) -> str:
        found = _MATRIX.match(sentence)
        if found is None:
            return sentence
        told, rows = sentence[found.end() :], None if complete is None else complete[int(found[1])]
        return f"X[{found[1]}]: {told if rows is None else by_rows(np.flatnonzero(rows))(told)}"

    return reword


def _matrices(X: Any) -> tuple[Any, list[int], Any]:
    """Descriptions of all matrices, their numbers of rows, and what has to be kept as long as they are used."""
    if isinstance(X, np.ndarray) and X.ndim == 3 and X.size and X.flags.aligned:
        first = _samples(0, X[0])
        if np.shares_memory(first.array, X):
            # Each lies where the first one does, so many bytes on. To describe each by itself takes 36 ms for 10,000
            # matrices of 10 x 64, and to cluster them 45 ms. `data` is the first field of `Matrix`.
            matrices = (Matrix * len(X))(*([first.matrix] * len(X)))
            fields = np.frombuffer(matrices, np.uint8).reshape(len(X), -1)
            addresses = fields[:, : np.dtype(np.uintp).itemsize].view(np.uintp)[:, 0]
            addresses += (np.arange(len(X), dtype=np.intp) * X.strides[0]).astype(np.uintp)
            return matrices, [X.shape[1]] * len(X), X
    samples = [_samples(number, matrix) for number, matrix in enumerate(X)]
    matrices = (Matrix * len(samples))(*(one.matrix for one in samples))
    return matrices, [one.shape[0] for one in samples], samples


def _samples(number: int, matrix: Any) -> Samples:
    try:
        return Samples(matrix)
    except (TypeError, ValueError) as error:
        raise type(error)(f"X[{number}]: {error}") from error


def _flat(partition: int, n_clusters: int | str | None) -> tuple[int, int]:
    """The clustering that is taken out of a hierarchy, and the number that goes with it."""
    if n_clusters is None:
        coarsest = partition == -1
        return FLATS.index("partition"), 2**31 if coarsest else count("partition", partition)
    if partition != 0:
        raise ValueError("partition and n_clusters were given: each names a clustering, so take one")
    if n_clusters == SUGGESTED:
        return FLATS.index("suggested"), 0
    if isinstance(n_clusters, str):
        raise ValueError(f"n_clusters is {n_clusters!r}: give a number, {SUGGESTED!r}, or None for a partition")
    return FLATS.index("clusters"), count("n_clusters", n_clusters)
