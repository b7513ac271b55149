"""Doubts about a result, as warnings of Python."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .library import lib
from .rewording import of_caller

# The number of a kind that finch.h gives it.
TIES = 1

_UNTOLD: ContextVar[tuple[int, ...]] = ContextVar("_UNTOLD", default=())
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class FinchWarning(UserWarning):
    """A run did what it was asked to do, and its clusters may mean less than they seem to: an
    approximate search found fewer neighbours than asked for, say. The message says what was found,
    and what to do; `Hierarchy.warnings` has the messages of all."""


def sentences(handle: Any) -> tuple[str, ...]:
    """The warnings of a hierarchy."""
    count = lib.finch_hierarchy_warning_count(handle)
    return tuple(lib.finch_hierarchy_warning_message(handle, i).decode() for i in range(count))


def tell(handle: Any) -> None:
    """Warns of each kind of warning that a hierarchy has, once."""
    if lib.finch_hierarchy_warning_count(handle) == 0:
        return
    told = set(_UNTOLD.get())
    for number, sentence in enumerate(sentences(handle)):
        kind = lib.finch_hierarchy_warning(handle, number)
        if kind not in told:
            told.add(kind)
            warn(of_caller(sentence))


def tell_of_call() -> None:
    """Warns of all that the last call of the library, which made no hierarchy, says against its result."""
    for sentence in lib.finch_last_warning_message().decode().splitlines():
        warn(of_caller(sentence))


def warn_of_recall(of: str, recall: float, asked: float) -> None:
    """Warns where no hierarchy does, in the words of the library."""
    if recall < asked - 0.01:
        grave = "MOST NEIGHBOURS ARE WRONG, and what follows from them means little: "
        warn(
            f"{grave if recall < 0.5 else ''}the approximate search found {100 * recall:.4g} % of the"
            f" nearest neighbours {of}, where {100 * asked:.4g} % were asked for: ask for an exact search"
        )


@contextmanager
def untold(*kinds: int) -> Iterator[None]:
    """Within it, hierarchies are made without warnings of these kinds."""
    before = _UNTOLD.set(kinds)
    try:
        yield
    finally:
        _UNTOLD.reset(before)


def warn(sentence: str) -> None:
    """Warns at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, FinchWarning, stacklevel=level)
