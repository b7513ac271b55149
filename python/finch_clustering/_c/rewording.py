"""Rewording of messages of the library, whose rows have other numbers, or other words, where the caller has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from numpy.typing import NDArray

Reword = Callable[[str], str]

# The innermost first.
_REWORDS: ContextVar[tuple[Reword, ...]] = ContextVar("_REWORDS", default=())
_ROW = re.compile(r"\b(row|sample) (\d+)\b")


@contextmanager
def reworded(*rewords: Reword) -> Iterator[None]:
    """Within it, errors and warnings are reworded."""
    before = _REWORDS.set((*rewords, *_REWORDS.get()))
    try:
        yield
    except (TypeError, ValueError) as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (_told(error.args[0], rewords), *error.args[1:])
        raise
    finally:
        _REWORDS.reset(before)


def of_caller(sentence: str) -> str:
    """A warning in the words of the caller. Errors are reworded on their way out."""
    return _told(sentence, _REWORDS.get())


def by_rows(rows: NDArray[Any]) -> Reword:
    """Rewords the numbers of rows: sample i of the library is row rows[i] of the caller."""

    def named(found: re.Match[str]) -> str:
        return f"{found[1]} {rows[int(found[2])]}"

    return lambda sentence: _ROW.sub(named, sentence)


def _told(sentence: str, rewords: tuple[Reword, ...]) -> str:
    for reword in rewords:
        sentence = reword(sentence)
    return sentence
