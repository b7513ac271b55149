"""Tables of named columns, of pandas, polars and Arrow, as a matrix. None of these is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .exact import converted
from .refused import refuse_others
from .tensors import array_of_tensor


class Column(NamedTuple):
    """A column of a table."""

    name: Any
    values: Any
    """The column as its library has it."""
    missing: NDArray[np.bool_] | None
    """True for each missing value; None where all are there."""


def matrix_of(X: Any) -> Any:
    """X itself, or the matrix of N rows by d columns where X is a table. What is no samples is refused."""
    refuse_others("X", X)
    kind = _kind_of(X)
    if kind is None:
        return array_of_tensor("X", X)
    if kind is _pandas and (whole := _one_block(X)) is not None:
        for name, column in zip(X.columns, whole.T):
            _check_finite(name, column)
        return whole
    columns = [_numbers_of(column) for column in kind(X)]
    if not columns:
        return np.empty((len(X), 0))
    matrix = np.empty(
        (len(columns[0]), len(columns)),
        np.result_type(*(column.dtype for column in columns)),
        order="F",
    )
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix


def rows_with_missing(X: Any) -> NDArray[np.bool_] | None:
    """True for each row of a table with a missing value; None where X is no table."""
    kind = _kind_of(X)
    if kind is None:
        return None
    bad = np.zeros(len(X), bool)
    for _, values, missing in kind(X):
        array = np.asarray(values)
        if missing is not None:
            bad |= missing
        # A column may have NaN beside nulls.
        if array.dtype.kind == "f":
            bad |= np.isnan(array)
        elif array.dtype.kind == "O" and missing is not None:
            bad |= np.array([isinstance(value, float) and value != value for value in array], bool)
    return bad


def kept_rows(X: Any, kept: NDArray[np.bool_]) -> Any:
    """Some rows of a table, an array or a sparse matrix, as such a one."""
    kind = _kind_of(X)
    if kind is _pandas:
        return X.loc[kept]
    if kind is _polars:
        return X.filter(kept)
    if kind is _arrow:
        return X.take(np.flatnonzero(kept))
    if hasattr(X, "tocsr"):
        return X.tocsr()[kept]
    return X[kept] if hasattr(X, "shape") else np.asarray(X)[kept]


def columns_of(X: Any) -> list[Any] | None:
    """The names of the columns of X, or None where X is no table."""
    kind = _kind_of(X)
    if kind is None:
        return None
    return list(X.column_names if kind is _arrow else X.columns)


def _kind_of(X: Any) -> Any:
    """The function that lists the columns of X, or None where X is no table."""
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise TypeError("X is a lazy table: pass X.collect()")
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _pandas
    if hasattr(X, "get_columns") and hasattr(X, "schema"):
        return _polars
    if hasattr(X, "column_names") and hasattr(X, "schema"):
        return _arrow
    return None


def _pandas(X: Any) -> Iterator[Column]:
    for place, name in enumerate(X.columns):
        column = X.iloc[:, place]
        numpy_type = getattr(column.dtype, "numpy_dtype", None)
        missing = None
        if numpy_type is not None and column.hasnans:
            missing = column.isna().to_numpy()
        elif numpy_type is not None and numpy_type.kind in "iufb":
            column = column.to_numpy(dtype=numpy_type)
        yield Column(name, column, missing)


def _polars(X: Any) -> Iterator[Column]:
    for column in X.get_columns():
        missing = column.is_null().to_numpy() if column.null_count() else None
        yield Column(column.name, column, missing)


def _arrow(X: Any) -> Iterator[Column]:
    for place, name in enumerate(X.column_names):
        column = X.column(place)
        missing = None
        if column.null_count:
            missing = np.array([value is None for value in column.to_pylist()])
        elif hasattr(column, "chunk"):
            column = _ArrowChunks(column)
        else:
            column = column.to_numpy(zero_copy_only=False)
        yield Column(name, column, missing)


class _ArrowChunks:
    """A column of an Arrow table, whose chunks NumPy joins."""

    def __init__(self, column: Any) -> None:
        self.dtype = column.type
        self.chunks = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.concatenate(self.chunks) if self.chunks else np.empty(0)


def _one_block(X: Any) -> NDArray[Any] | None:
    """The memory of a pandas table that is one array of floats, without a copy."""
    types = set(X.dtypes)
    if len(types) != 1 or next(iter(types)) not in (np.dtype("f4"), np.dtype("f8")):
        return None
    return np.asarray(X)


def _numbers_of(column: Column) -> NDArray[Any]:
    """The numbers of a column in an element type of the library."""
    name, values, missing = column
    if missing is not None:
        raise ValueError(
            f"X has a missing value in column {name!r}, row {int(missing.argmax())}: finch has no"
            " missing values. Fill them, or leave their rows out"
        )
    told = getattr(values, "dtype", None)
    array = np.asarray(values)
    # NumPy would make numbers of categories that are numbers.
    if array.dtype.kind not in "fiub" or array.ndim != 1 or hasattr(told, "categories"):
        raise TypeError(
            f"column {name!r} of X has dtype {told}: give real numbers or booleans, or drop it"
        )
    _check_finite(name, array)
    return converted(array, f"column {name!r} of X")


def _check_finite(name: Any, values: NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    sound = np.isfinite(values)
    if not sound.all():
        row = int(sound.argmin())
        raise ValueError(f"X has {values[row]} in column {name!r}, row {row}".replace("nan", "NaN"))
