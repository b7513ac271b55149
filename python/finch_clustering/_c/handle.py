"""Memory of the library that Python borrows."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_void_p
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Handle:
    """Owns what a call of the library makes, such as a hierarchy, and frees it with `free`.

    A handle is made before the call that fills it, so that nothing is lost if an exception comes
    between, as KeyboardInterrupt does.
    """

    def __init__(self, free: Callable[[c_void_p], Any]) -> None:
        # An attribute, since ctypes reads it at each call.
        self._as_parameter_ = self._pointer = c_void_p()
        # Kept here: a module's names may be gone when the interpreter ends.
        self._free = free
        self._lender: Handle | None = None

    def lend(self, pointer: int) -> Handle:
        """A handle of a part of what is owned: it frees nothing, and keeps the whole alive."""
        part = Handle(lambda pointer: None)
        part._as_parameter_ = part._pointer = c_void_p(pointer)
        part._lender = self
        return part

    def __del__(self) -> None:
        self._free(self._pointer)

    @property
    def slot(self) -> Any:
        """Where the library writes the handle."""
        return byref(self._pointer)

    def view(
        self,
        pointer: int | None,
        shape: int | tuple[int, ...],
        dtype: Any,
        strides: tuple[int, ...] | None = None,
    ) -> NDArray[Any]:
        """A read-only array in the memory of what is owned, which the array keeps alive. Strides are
        in bytes; without them the array is row-major."""
        shape = shape if isinstance(shape, tuple) else (shape,)
        return np.asarray(_Borrowed(self, pointer, shape, _name_of(dtype), strides))


@lru_cache
def _name_of(dtype: Any) -> str:
    """The name that NumPy's array interface has for a type: to ask for it takes as long as a view."""
    return np.dtype(dtype).str


class _Borrowed:
    """Memory of an owner, which NumPy keeps as the array's base."""

    def __init__(
        self,
        owner: Handle,
        pointer: int | None,
        shape: tuple[int, ...],
        name_of_dtype: str,
        strides: tuple[int, ...] | None,
    ) -> None:
        self.owner = owner
        read_only = True
        self.__array_interface__ = {
            "version": 3,
            "data": (pointer or 0, read_only),
            "shape": shape,
            "typestr": name_of_dtype,
            "strides": strides,
        }


class HasHandle(Protocol):
    """An object in memory of the library, such as a hierarchy."""

    _handle: Handle
