"""Element types of the library, and conversion to them without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._c.names import ELEMENTS


def is_element(dtype: np.dtype[Any]) -> bool:
    """True if the library reads arrays of a dtype where they lie."""
    return dtype.isnative and dtype.name in ELEMENTS


def element_named(name: str) -> np.dtype[Any]:
    """The dtype of an element type of the library."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        from ml_dtypes import bfloat16
    except ImportError as error:
        raise ImportError("NumPy has no bfloat16 of its own: install ml_dtypes") from error
    return np.dtype(bfloat16)


def converted(array: NDArray[Any], what: str) -> NDArray[Any]:
    """The array in an element type of the library that holds every value."""
    kind, size = array.dtype.kind, array.itemsize
    if is_element(array.dtype):
        return array
    if kind == "b":
        return array.view(np.uint8)
    if kind == "f" and size <= 8:
        return array.astype(np.float64 if size == 8 else np.float32)
    if kind in "iu":
        _check_exact(array, what)
        return array.astype(np.float32 if size <= 2 else np.float64)
    raise TypeError(
        f"{what} has dtype {array.dtype}: give real numbers, as with X.astype('float64')"
    )


def _check_exact(integers: NDArray[Any], what: str) -> None:
    """Refuses integers of more than 53 bits, of which float64 holds only some."""
    if integers.itemsize == 8 and integers.size > 0:
        lowest, highest = int(integers.min()), int(integers.max())
        if lowest < -(2**53) or highest > 2**53:
            raise ValueError(
                f"{what} has integers from {lowest} to {highest}, which float64 cannot tell apart"
                " beyond 2**53: subtract an offset, or convert them yourself"
            )
