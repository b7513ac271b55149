"""Neighbour lists as other programs give them: arrays, masked arrays, rows of any length, graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import is_masked, table_of
from .sparse import is_sparse

NONE = -1
"""In place of a neighbour, where there is none."""


def lists_of(index: Any, distance: Any) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The neighbours and their distances, a row for each sample, -1 and infinity behind the last."""
    if is_sparse(index):
        if distance is not None:
            raise ValueError(
                "index is a sparse graph, which has the distances itself: leave distance out, and"
                " give the samples as X=..."
            )
        return _of_graph(index)
    if distance is None:
        raise TypeError(
            f"distance is missing beside an index of {type(index).__name__}: give the distances, or"
            " a SciPy sparse graph of distances in place of both"
        )
    # A masked neighbour is none, whichever of its two numbers is masked.
    if is_masked(distance):
        distance = distance.astype(np.float64).filled(np.inf)
    if is_masked(index):
        index = _signed(index).filled(NONE)
    if _is_ragged(index) or _is_ragged(distance):
        return _of_rows(index, distance)
    table = table_of("index", index, np.int32)
    lengths = table_of("distance", distance, np.float64)
    if table.shape != lengths.shape:
        raise ValueError(f"index has the shape {table.shape}, and distance {lengths.shape}")
    return table, lengths


def _of_graph(graph: Any) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The stored distances of a sparse graph, also those that are 0."""
    rows, columns = graph.shape
    if rows != columns:
        raise ValueError(f"the graph has the shape {graph.shape}: give one of all pairs, N x N")
    kind = getattr(graph, "format", None)
    if kind == "bsr":
        raise ValueError(
            "the graph is in the format BSR, whose blocks are filled with zeros that are no distances:"
            " make it in the format CSR"
        )
    stored = graph.nnz
    graph = graph.tocsr()
    # Of a format with repeats, SciPy adds these up.
    if kind == "coo" and graph.nnz < stored:
        raise ValueError(
            "the graph has a pair of samples twice, whose distances SciPy adds up: leave one of them out"
        )
    values = np.asarray(graph.data)
    if values.dtype.kind not in "fiu" or (values.size > rows > 2 and (values == 1).all()):
        raise ValueError(
            "the graph says who is near and not how near: make it with mode='distance', as in"
            " kneighbors_graph(X, k, mode='distance')"
        )
    return _padded(np.diff(graph.indptr), graph.indices, values)


def _of_rows(index: Any, distance: Any) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rows of any length, as lists or an array of arrays."""
    named = (("index", index), ("distance", distance))
    found = [[_row(what, row, of) for row, of in enumerate(rows)] for what, rows in named]
    lengths = [np.array([len(row) for row in rows], np.int64) for rows in found]
    if len(lengths[0]) != len(lengths[1]):
        raise ValueError(f"index has {len(lengths[0])} rows, and distance {len(lengths[1])}")
    if (lengths[0] != lengths[1]).any():
        row = int((lengths[0] != lengths[1]).argmax())
        counts = [int(of[row]) for of in lengths]
        raise ValueError(
            f"row {row} has {counts[0]} neighbours in index, and {counts[1]} in distance"
        )
    empty = [np.empty(0, np.int32)]
    flat = [np.concatenate([row for row in rows if row.size] or empty) for rows in found]
    if flat[0].dtype.kind not in "iu":
        raise TypeError(f"index has dtype {flat[0].dtype}: give integers")
    return _padded(lengths[0], *flat)


def _row(what: str, number: int, row: Any) -> NDArray[Any]:
    if is_masked(row):
        row = _signed(row).filled(NONE) if what == "index" else row.astype(np.float64).filled(np.inf)
    array = np.asarray(row)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise TypeError(
            f"row {number} of {what} is {type(row).__name__} of {array.ndim} dimensions and dtype"
            f" {array.dtype}: give numbers of neighbours for each sample"
        )
    return array


def _signed(index: Any) -> Any:
    """Numbers of a type that has NONE."""
    return index.astype(np.int64) if index.dtype.kind == "u" else index


def _padded(
    counts: NDArray[Any], index: NDArray[Any], distance: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    rows, longest = len(counts), int(counts.max(initial=0))
    numbers = table_of("index", index.reshape(1, -1), np.int32)[0]
    table = np.full((rows, longest), NONE, np.int32)
    lengths = np.full((rows, longest), np.inf)
    filled = np.arange(longest) < np.asarray(counts)[:, None]
    table[filled] = numbers
    lengths[filled] = distance
    return table, lengths


def _is_ragged(rows: Any) -> bool:
    """True if rows are arrays or lists of their own, of which not all have one length."""
    if isinstance(rows, np.ndarray):
        return rows.dtype == object and rows.ndim == 1
    if not isinstance(rows, (list, tuple)):
        return False
    try:
        return len({len(row) for row in rows}) > 1 or not all(map(len, rows))
    except TypeError:
        return False
