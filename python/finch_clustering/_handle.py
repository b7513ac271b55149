"""Memory of the library that Python borrows."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import lib


class Handle:
    """Owns a hierarchy of the library.

    A handle is made before the call that fills it, so that nothing is lost if an exception comes
    between, as KeyboardInterrupt does.
    """

    def __init__(self) -> None:
        self._pointer = c_void_p()
        # A module's names may be gone when the interpreter ends.
        self._free = lib.finch_hierarchy_free

    def __del__(self) -> None:
        self._free(self._pointer)

    @property
    def _as_parameter_(self) -> c_void_p:
        return self._pointer

    @property
    def slot(self) -> Any:
        """Where the library writes the handle."""
        return byref(self._pointer)

    def view(self, pointer: int | None, count: int, dtype: Any) -> NDArray[Any]:
        """An array in the hierarchy's memory, which keeps the hierarchy alive."""
        return np.asarray(_Borrowed(self, pointer, count, np.dtype(dtype)))


class _Borrowed:
    """Memory of an owner, which NumPy keeps as the array's base."""

    def __init__(self, owner: Handle, pointer: int | None, count: int, dtype: Any) -> None:
        self.owner = owner
        read_only = True
        self.__array_interface__ = {
            "version": 3,
            "data": (pointer or 0, read_only),
            "shape": (count,),
            "typestr": dtype.str,
        }
