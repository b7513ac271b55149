"""Options as the library takes them. ctypes would cut integers off, so numbers are checked here."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t
from operator import index as as_index
from typing import Any

from .errors import check
from .header import Options
from .library import lib
from .names import LINK_BOUNDS, METRICS, SEARCHES, number_of


_DEFAULTS = Options()
check(lib.finch_options_init(byref(_DEFAULTS), ctypes.sizeof(_DEFAULTS)))


def default_options(**chosen: Any) -> Options:
    """The defaults of the library, but for the fields that are given."""
    options = Options.from_buffer_copy(_DEFAULTS)
    for name, value in chosen.items():
        setattr(options, name, value)
    return options


def search_options(
    metric: str,
    search: str,
    threads: int,
    recall: float,
    seed: int,
    time_limit: float | None = None,
    link_bound: str = "none",
) -> Options:
    """The options of all functions that search neighbours."""
    return default_options(
        metric=number_of("metric", METRICS, metric),
        search=number_of("search", SEARCHES, search),
        threads=count("threads", threads),
        recall=float(recall),
        seed=count("seed", seed, bits=64),
        time_limit=0.0 if time_limit is None else positive("time_limit", time_limit),
        link_bound=number_of("link bound", LINK_BOUNDS, link_bound),
    )


def positive(what: str, value: float) -> float:
    """A number above 0."""
    number = float(value)
    if not number > 0:
        raise ValueError(f"{what} is {number}: give a number above 0, or None")
    return number


def count(what: str, value: int, bits: int = 8 * ctypes.sizeof(c_size_t)) -> int:
    """A whole number that an unsigned integer of so many bits holds."""
    number = as_index(value)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{what} is {number}: give a number from 0 to {(1 << bits) - 1}")
    return number
