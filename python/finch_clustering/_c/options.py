"""Options as the library takes them. ctypes would cut integers off, so numbers are checked here."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t
from functools import lru_cache
from operator import index as as_index
from typing import Any

import numpy as np

from .errors import check
from .header import Options
from .library import lib
from .names import LINK_BOUNDS, METRICS, SEARCHES, SMALL_CLUSTERS, number_of


MOST_SHOWN = 60
"""Values of more characters are not written out in messages."""

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
    asked = (metric, search, threads, recall, seed, time_limit, link_bound)
    try:
        known = _known_options(*asked)
    except TypeError:
        known = None
    # An argument of a wrong type may have no hash, and is named here.
    return Options.from_buffer_copy(_new_options(*asked) if known is None else known)


def _new_options(
    metric: str,
    search: str,
    threads: int,
    recall: float,
    seed: int,
    time_limit: float | None,
    link_bound: str,
) -> Options:
    return default_options(
        metric=number_of("metric", METRICS, metric),
        search=number_of("search", SEARCHES, search),
        threads=count("threads", threads),
        recall=real("recall", recall),
        seed=count("seed", seed, bits=64),
        time_limit=0.0 if time_limit is None else positive("time_limit", time_limit),
        link_bound=number_of("link bound", LINK_BOUNDS, link_bound),
    )


# The options of a few earlier calls: to check them anew takes longer than to cluster two samples. By types, too, since
# 1.0 is no number of threads, and equal to 1.
_known_options = lru_cache(maxsize=64, typed=True)(_new_options)


def set_noise(
    options: Options,
    min_cluster_size: int | None,
    small: str,
    outliers: float | None,
    outlier_threshold: float | None,
) -> None:
    """Asks for noise; None asks for none."""
    options.join_small = number_of("treatment of small clusters", SMALL_CLUSTERS, small)
    if min_cluster_size is not None:
        options.min_cluster_size = count("min_cluster_size", min_cluster_size)
    if outliers is not None:
        options.outliers = _between("outliers", outliers, "a share of samples")
    if outlier_threshold is not None:
        threshold = _between("outlier_threshold", outlier_threshold, "an outlier score")
        options.outlier_threshold = threshold


def _between(what: str, value: float, kind: str) -> float:
    """A number between 0 and 1."""
    number = real(what, value)
    if not 0 < number < 1:
        raise ValueError(f"{what} is {value}: give {kind} between 0 and 1, or None")
    return number


def positive(what: str, value: float) -> float:
    """A number above 0."""
    number = real(what, value)
    if not number > 0:
        raise ValueError(f"{what} is {value}: give a number above 0, or None")
    return number


def real(what: str, value: float) -> float:
    """A number, and no text of one: `float` would take "1", and True as 1."""
    if isinstance(value, _NO_NUMBERS) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{what} is {_shown(value)}: give a number")
    return float(value)


def whole(what: str, value: int) -> int:
    """A whole number of any sign."""
    # Every array has __index__, and those of one number alone have a number.
    is_array = isinstance(value, np.ndarray) and value.ndim > 0
    if is_array or isinstance(value, _NO_NUMBERS) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} is {_shown(value)}: give a whole number")
    return as_index(value)


def count(
    what: str, value: int, bits: int = 8 * ctypes.sizeof(c_size_t), sensible: str = "from 0 on"
) -> int:
    """A whole number that an unsigned integer of so many bits holds; a negative one is told what is sensible."""
    number = whole(what, value)
    if number < 0:
        raise ValueError(f"{what} is {number}: give a number {sensible}")
    if number >= 1 << bits:
        raise ValueError(f"{what} is {number}: give a number from 0 to {(1 << bits) - 1}")
    return number


def _shown(value: Any) -> str:
    """A value that is no number, and its type; a large one by its type and shape alone."""
    name = type(value).__name__
    if getattr(value, "shape", ()):
        return f"{'an array' if name == 'ndarray' else f'a {name}'} of the shape {value.shape}"
    text = repr(value)
    return f"{text}, a {name}" if len(text) <= MOST_SHOWN else f"a {name}"


_NO_NUMBERS = (str, bytes, bytearray, bool, np.bool_)
