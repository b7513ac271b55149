"""Arrays as the library takes them. ctypes would pass any address, so arrays are checked here."""

from __future__ import annotations

import sys
from ctypes import addressof, byref, c_char, c_void_p
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.header import Matrix
from .._c.names import ELEMENTS
from .bits import Bits
from .exact import converted
from .frames import matrix_of
from .refused import array_of, expect_matrix, refuse_others
from .sparse import SparseRows, is_sparse


# The element types that NumPy itself has, native ones. `dtype.name` takes longer than two samples.
_ELEMENT_OF = {np.dtype(name): number for number, name in enumerate(ELEMENTS) if name != "bfloat16"}

# Values of the pairs of samples that take a few milliseconds.
_QUICK = 1 << 26


class Samples:
    """X as the library takes it: where and how X lies in memory.

    `array` is kept as long as `matrix`, which holds bare addresses.
    """

    def __init__(self, X: ArrayLike | Bits) -> None:
        # Most samples are such an array, of which nothing more has to be asked.
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype in _ELEMENT_OF and _lies_in_rows(X):
            self.array: Any = X
            rows, columns = X.shape
            self.matrix = Matrix(_address(X), rows, columns, columns, 1, _ELEMENT_OF[X.dtype])
        elif is_sparse(X):
            self.array = SparseRows(X)
            self.matrix = self.array.matrix
        elif isinstance(X, Bits):
            self.array = X
            self.matrix = X.matrix
        else:
            self.array = _readable(_two_dimensional(X))
            self.matrix = _matrix(self.array)
        self.shape = self.array.shape
        self.pointer = byref(self.matrix)

    @property
    def is_quick(self) -> bool:
        """True if clustering them takes a few milliseconds at most."""
        rows, columns = self.shape
        return bool(rows * rows * columns <= _QUICK)


def _address(array: NDArray[Any]) -> int:
    """The address of an array whose values follow each other. Of those that may be written to ctypes tells it
    in a third of the time, as long as two samples take."""
    if array.flags.writeable:
        return addressof(c_char.from_buffer(array))
    return int(array.__array_interface__["data"][0])


def _lies_in_rows(array: NDArray[Any]) -> bool:
    """True if the values of an array, of which there are some, follow each other row by row."""
    flags = array.flags
    return bool(flags.c_contiguous and flags.aligned and array.size > 0)


def _matrix(array: NDArray[Any]) -> Matrix:
    rows, columns = array.shape
    row_stride, column_stride = (stride // array.itemsize for stride in array.strides)
    element = ELEMENTS.index(array.dtype.name)
    return Matrix(array.ctypes.data, rows, columns, row_stride, column_stride, element)


class NoSamples:
    """The X of a hierarchy that was made without samples: None, for which the library takes NULL."""

    pointer = None


def optional_samples(X: ArrayLike | None) -> Samples | NoSamples:
    """X as the library takes it where there may be no samples."""
    return NoSamples() if X is None else Samples(X)


def is_masked(X: ArrayLike) -> bool:
    """True if X is a masked array, of which there are none before numpy.ma has been loaded.

    NumPy 2.4 loads numpy.ma where it is first named, which takes longer than a small call.
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(X, masked)


def refuse_masked(what: str, values: ArrayLike) -> None:
    """Refuses masked values, which NumPy would hand on as if they were there."""
    rows = values if isinstance(values, (list, tuple)) else [values]
    if any(is_masked(each) and np.ma.is_masked(each) for each in rows):
        raise TypeError(
            f"{what} is a masked array: finch has no missing values. Impute them with {what}.filled(...), or"
            " leave their rows out"
        )


def _two_dimensional(X: ArrayLike) -> NDArray[Any]:
    refuse_masked("X", X)
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is a sparse matrix: pass X.toarray()")
    array = array_of("X", matrix_of(X))
    expect_matrix("X", X, array)
    return array


def _readable(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if the library can read it where it lies, and otherwise a copy."""
    array = converted(array, "X")
    lengths_and_strides = zip(array.shape, array.strides)
    # The stride of an axis of one element is never used, and can be any number.
    strides = [stride for length, stride in lengths_and_strides if length > 1]
    # Strides of aligned arrays may be no multiple of the item: doubles that are aligned to 4 bytes,
    # as on 32-bit Linux.
    whole = all(stride != 0 and stride % array.itemsize == 0 for stride in strides)
    return array if whole and array.flags.aligned else np.array(array, order="C")


def sample_numbers(what: str, values: ArrayLike) -> NDArray[np.int32]:
    """One sample number for each sample."""
    refuse_masked(what, values)
    array = vector_of(what, values)
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} has dtype {array.dtype}: give integers")
    if not fits_int32(array):
        raise ValueError(f"{what} has {array.min()} to {array.max()}, more than int32 can hold")
    return np.require(array, np.int32, ["C", "A"])


def weights_of(weights: ArrayLike, what: str = "weights") -> NDArray[np.float64]:
    """The weight of each sample."""
    refuse_masked(what, weights)
    array = vector_of(what, weights)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} has dtype {array.dtype}: give real numbers")
    return np.require(array, np.float64, ["C", "A"])


def times_of(times: ArrayLike) -> NDArray[np.float64]:
    """The time stamp of each sample; of dates the seconds from the first one."""
    refuse_masked("times", times)
    # Dates of a zone are objects to NumPy, unless they are asked for as dates.
    has_zone = getattr(getattr(times, "dtype", None), "tz", None) is not None
    array = np.asarray(times, "datetime64[ns]") if has_zone else vector_of("times", times)
    if array.dtype.kind == "O":
        array = _moments(array)
    if array.dtype.kind in "mM":
        unknown = np.isnat(array)
        if unknown.any():
            raise ValueError(f"times has NaT at sample {int(unknown.argmax())}")
        first = array.min() if array.size else array
        array = (array - first) / np.timedelta64(1, "s")
    return weights_of(array, "times")


def _moments(objects: NDArray[Any]) -> NDArray[Any]:
    """The seconds of dates of Python or pandas from the first one; other objects as they are."""
    missing = np.array([each is None or each != each for each in objects], bool)
    if missing.any():
        raise ValueError(f"times has {objects[missing][0]} at sample {int(missing.argmax())}")
    if not all(isinstance(each, date) for each in objects):
        return objects
    try:
        first = min(objects)
        return np.array([(each - first).total_seconds() for each in objects])
    except TypeError as error:
        zoned = any(getattr(each, "tzinfo", None) is not None for each in objects)
        told = "dates with a zone beside others without" if zoned else "days beside moments"
        raise TypeError(f"times has {told}: give one kind") from error


def table_of(what: str, values: ArrayLike, dtype: Any) -> NDArray[Any]:
    """Numbers of pairs of samples: a matrix, row-major, of int32 or float64."""
    refuse_others(what, values)
    if is_sparse(values):
        raise TypeError(f"{what} is a sparse matrix: give an array, a number for each pair")
    array = array_of(what, values)
    if array.ndim != 2:
        raise ValueError(
            f"{what} has {array.ndim} dimension{'s' * (array.ndim != 1)} where it takes 2, a row for"
            " each sample"
        )
    if dtype == np.int32:
        if array.dtype.kind not in "iu":
            raise TypeError(f"{what} has dtype {array.dtype}: give integers")
        if not fits_int32(array):
            raise ValueError(f"{what} has {array.min()} to {array.max()}, more than int32 can hold")
    elif array.dtype.kind not in "fiub":
        raise TypeError(f"{what} has dtype {array.dtype}: give real numbers")
    return np.require(array, dtype, ["C", "A"])


def vector_of(what: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions: give one number for each sample")
    return array


def fits_int32(array: NDArray[Any]) -> bool:
    limits = np.iinfo(np.int32)
    return array.size == 0 or (limits.min <= int(array.min()) and int(array.max()) <= limits.max)


def as_input(array: NDArray[Any]) -> tuple[Any, int]:
    """An array as C takes it, pointer and count; the pointer keeps the array alive."""
    return array.ctypes.data_as(c_void_p), array.size


def check_in_place(what: str, array: Any, dtype: Any) -> None:
    """Refuses an array that the library cannot write to."""
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == 1
    if not fits or not array.flags.carray:
        raise TypeError(
            f"{what} is updated in place: give a contiguous, writeable 1-D array of"
            f" {np.dtype(dtype)}"
        )
