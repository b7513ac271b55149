"""Rows with missing values, which take no part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bits import Bits
from .frames import columns_of, rows_with_missing
from .sparse import is_sparse

MISSING = ("error", "label")
"""The values of `missing`."""


def check_missing(missing: str) -> None:
    if missing not in MISSING:
        raise ValueError(f"missing is {missing!r}: give 'error' or 'label'")


@contextmanager
def refused_as_missing(X: Any, may_label: bool) -> Iterator[None]:
    """Within it, checks that refuse a missing value of X say where it is, and what to do: of the estimator, which may
    label its row."""
    try:
        yield
    except ValueError as error:
        told = str(error)
        if "NaN" not in told and "missing value" not in told:
            raise
        if columns_of(X) is None:
            told = "X has NaN in row {}, column {}".format(*_first_missing(X))
        told += "" if ": " in told else ": impute it, or leave the row out"
        told += "; FINCH(missing='label') gives the row the label -1" * may_label
        raise ValueError(told) from None


def _first_missing(X: Any) -> tuple[int, int]:
    """Row and column of the first NaN of an array, or of sparse rows."""
    if is_sparse(X):
        entries = X.tocoo()
        places = zip(entries.row.tolist(), entries.col.tolist(), np.isnan(entries.data).tolist())
        return min((row, column) for row, column, is_missing in places if is_missing)
    row, column = np.argwhere(np.isnan(np.asarray(X, np.float64)))[0].tolist()
    return row, column


def complete_rows(X: Any) -> NDArray[np.bool_] | None:
    """True for each row of X without a missing value; None where no row has one, or X has no rows."""
    if isinstance(X, Bits):
        return None
    if is_sparse(X):
        rows = X.tocsr()
        bad = np.zeros(rows.shape[0], bool)
        values = rows.data
        if values.dtype.kind == "f" and np.isnan(values).any():
            bad[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[np.isnan(values)]] = True
    else:
        found = rows_with_missing(X)
        if found is None:
            array = np.asarray(X)
            has = array.ndim == 2 and array.dtype.kind == "f"
            found = np.isnan(array).any(axis=1) if has else np.zeros(0, bool)
        bad = found
    return ~bad if bad.any() else None


def labels_of_all(
    labels: NDArray[np.int32], complete: NDArray[np.bool_] | None
) -> NDArray[np.int32]:
    """The labels of all rows, or labellings as columns, from those of complete rows: -1 for others."""
    if complete is None:
        return labels
    found = np.full((len(complete), *labels.shape[1:]), -1, np.int32)
    found[complete] = labels
    return found
