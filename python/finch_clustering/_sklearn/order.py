"""The rows that are clustered, in an order that does not depend on the one they are given in, and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight

from .._input.arrays import refuse_masked
from .._input.sparse import is_sparse
from . import sparse_order as _sparse_order

BLOCK_ROWS = 8_192


def sorted_rows(
    X: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """An order of the rows of X in which shuffled rows are the same matrix, equal rows by their
    weights."""
    if is_sparse(X):
        return _sparse_order.sorted_rows(X, weights)
    sums = _row_sums(X)
    order = np.argsort(sums, kind="stable")
    # Most sums belong to one row; only the others are compared feature by feature.
    same = np.diff(sums[order]) == 0
    tied = np.append(same, False) | np.append(False, same)
    rows = order[tied]
    if len(rows) == 0:
        return order
    few = X[rows]
    keys = [*few.T[::-1], sums[rows]]
    if weights is not None:
        keys.insert(0, weights[rows])
    places = np.lexsort(keys)
    # Tied rows stay in the places of their sum.
    order[tied] = rows[places]
    return order


def _row_sums(X: NDArray[Any]) -> NDArray[np.float64]:
    """The sum of each row, in which neither the memory order of X nor a row's place shows: NumPy
    sums rows of a row-major matrix of float64 one by one."""
    sums = np.empty(len(X))
    for start in range(0, len(X), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        sums[part] = np.array(X[part], np.float64, order="C").sum(axis=1)
    return sums


def rows_to_cluster(
    X: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """The rows that are clustered, those with weight, in the order of their values; and their weights."""
    if weights is None:
        return sorted_rows(X), None
    kept = np.flatnonzero(weights)
    rows = kept[sorted_rows(X[kept], weights[kept])]
    return rows, weights[rows]


def checked_weights(X: NDArray[Any], sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
    """The weight of each row, after the checks of scikit-learn."""
    if sample_weight is None:
        return None
    refuse_masked("sample_weight", sample_weight)
    weights: NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int((weights < 0).argmax())
        raise ValueError(f"sample_weight has {weights[row]} at row {row}: give weights from 0 on")
    if not weights.any():
        raise ValueError("every sample weight is zero: nothing is left to cluster")
    return weights
