"""Results as one line of text, or as a small table, however many samples there are."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

# Arrays and lists of no more elements are written out.
MOST = 10


def one_line(result: Any) -> str:
    """A named tuple, its large arrays and lists by their shapes alone."""
    fields = (f"{name}={_brief(value)}" for name, value in zip(result._fields, result))
    return f"{type(result).__name__}({', '.join(fields)})"


def _brief(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is not None and hasattr(value, "shape"):
        size = getattr(value, "size", MOST + 1)
        text = repr(value)
        if size <= MOST and "\n" not in text:
            return text
        return f"<{' x '.join(map(str, value.shape))} {dtype}>"
    if isinstance(value, list) and len(value) > MOST:
        return f"<list of {len(value)}>"
    if isinstance(value, tuple) and value and all(isinstance(each, float) for each in value):
        return f"({', '.join(map(_cell, value))})"
    return repr(value)


def html_table(title: str, head: Iterable[Any], rows: list[tuple[Any, ...]]) -> str:
    """A small table of a notebook: a row for each tuple, the first and the last where there are many."""
    if len(rows) > 2 * MOST:
        rows = [*rows[:MOST], ("…",) * len(rows[0]), *rows[-MOST:]]
    lines = [f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows]
    names = "".join(f"<th>{escape(str(name))}</th>" for name in head)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{names}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
