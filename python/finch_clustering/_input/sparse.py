"""Sparse matrices and arrays of SciPy as the library takes them. SciPy is not imported here."""

from __future__ import annotations

from ctypes import addressof, byref, sizeof
from typing import Any

import numpy as np

from .._c.handle import Handle
from .._c.header import CSR, Csr, Matrix
from .exact import converted


def is_sparse(X: Any) -> bool:
    """True if X is a sparse matrix or array of SciPy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


class SparseRows:
    """X as the library takes it: the values of each row, and the columns that they are in.

    Rows of SciPy's CSR format are read where they lie, as long as they are sorted and have no column
    twice; other formats are converted, and repeated columns are added up, as SciPy does.
    """

    def __init__(self, X: Any) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimension where it takes 2, samples by features")
        rows = X.tocsr()
        _check_starts(rows)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        count = int(rows.indptr[-1])
        values = converted(rows.data[:count], "X")
        if values.itemsize < 4:
            values = values.astype(np.float32)
        integers = np.int32 if rows.indptr.dtype == rows.indices.dtype == np.int32 else np.int64
        self._values = np.ascontiguousarray(values)
        self._starts = np.ascontiguousarray(rows.indptr, integers)
        self._columns = np.ascontiguousarray(rows.indices[:count], integers)
        self._csr = Csr(
            sizeof(Csr),
            self._starts.ctypes.data,
            self._columns.ctypes.data,
            self._values.ctypes.data,
            count,
            int(values.dtype == np.float64),
            8 * self._starts.itemsize,
        )
        self.shape = rows.shape
        self.matrix = Matrix(addressof(self._csr), *rows.shape, 0, 0, CSR)


class NoValues:
    """Rows of zeros as the library takes them, N x d, in the memory of N numbers."""

    def __init__(self, rows: int, columns: int) -> None:
        self._starts = np.zeros(rows + 1, np.int32)
        # Addresses that are not null, of no entry.
        self._columns, self._values = np.zeros(1, np.int32), np.zeros(1, np.float32)
        self._csr = Csr(
            sizeof(Csr),
            self._starts.ctypes.data,
            self._columns.ctypes.data,
            self._values.ctypes.data,
            0,
            0,
            32,
        )
        self.matrix = Matrix(addressof(self._csr), rows, columns, 0, 0, CSR)
        self.pointer = byref(self.matrix)


def lent_rows(handle: Handle, matrix: Matrix) -> Any:
    """The sparse rows that the library lends: read-only arrays of SciPy's `csr_array`."""
    from scipy.sparse import csr_array

    starts, columns, data = lent_parts(handle, matrix)
    rows = csr_array((data, columns, starts), shape=(matrix.rows, matrix.columns))
    rows.has_canonical_format = True
    return rows


def lent_parts(handle: Handle, matrix: Matrix) -> tuple[Any, Any, Any]:
    """The parts of sparse rows that the library lends, as SciPy has them: starts, columns and values."""
    csr = Csr.from_address(matrix.data)
    integers = np.int32 if csr.index_bits == 32 else np.int64
    values = np.float64 if csr.value_element == 1 else np.float32
    count = csr.value_count
    starts = handle.view(csr.starts, matrix.rows + 1, integers)
    columns = handle.view(csr.columns, count, integers) if count else np.empty(0, integers)
    data = handle.view(csr.values, count, values) if count else np.empty(0, values)
    return starts, columns, data


def _check_starts(rows: Any) -> None:
    """Refuses row starts of which SciPy's own functions would read what is not there."""
    starts = rows.indptr
    sound = (
        len(starts) == rows.shape[0] + 1
        and starts[0] == 0
        and bool((starts[1:] >= starts[:-1]).all())
        and starts[-1] <= min(len(rows.indices), len(rows.data))
    )
    if not sound:
        raise ValueError("X has an indptr that does not rise from 0 up to the number of its values")
