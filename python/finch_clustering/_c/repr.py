"""Results as one line of text, however many samples there are."""

from __future__ import annotations

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
    return repr(value)
