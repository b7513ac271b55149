"""Rules that people bring, as the library takes them."""

from __future__ import annotations

import ctypes
from ctypes import byref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.errors import check
from .._c.header import Constraints
from .._c.library import lib
from .._c.options import count
from .arrays import refuse_masked, table_of
from .refused import named


class Rules:
    """Pairs of samples and sizes of clusters.

    The arrays are kept as long as `constraints`, which holds bare addresses.
    """

    def __init__(
        self,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        least: int = 0,
        most: int | None = None,
    ) -> None:
        self.constraints = Constraints()
        check(lib.finch_constraints_init(byref(self.constraints), ctypes.sizeof(Constraints)))
        self._together = _pairs("must_link", must_link)
        self._apart = _pairs("cannot_link", cannot_link)
        self.constraints.must_link = self._together.ctypes.data
        self.constraints.must_link_count = len(self._together)
        self.constraints.cannot_link = self._apart.ctypes.data
        self.constraints.cannot_link_count = len(self._apart)
        self.constraints.min_size = count("min_cluster_size", least)
        if most is not None:
            self.constraints.max_size = count("max_cluster_size", most)
            if self.constraints.max_size == 0:
                raise ValueError("max_cluster_size is 0: give a number from 1 on, or None")


def _pairs(what: str, pairs: ArrayLike | None) -> NDArray[np.int32]:
    if pairs is not None and not hasattr(pairs, "__len__"):
        raise TypeError(f"{what} is {named(pairs)}: give pairs, {what}=[[0, 50]]")
    if pairs is None or len(pairs) == 0:
        return np.empty((0, 2), np.int32)
    refuse_masked(what, pairs)
    if isinstance(pairs, (list, tuple)) and all(isinstance(pair, (int, np.integer)) for pair in pairs):
        raise ValueError(f"{what} is one list of numbers: give pairs, {what}=[[0, 50]]")
    table: NDArray[np.int32] = table_of(what, pairs, np.int32)
    if table.shape[1] != 2:
        raise ValueError(f"{what} has {table.shape[1]} columns: give pairs, M x 2")
    return table
