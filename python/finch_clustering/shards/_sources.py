"""Where the rows of a shard are: in a file that every worker can read, or in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._c.errors import Error

CHUNK = 32 << 20
"""Bytes of a file that are read at a time."""
_PARSING = threading.Lock()
"""Held while the header of a .npy file is parsed: where two threads parse at once, Python 3.11 fails now and
then ("AST constructor recursion depth mismatch", issue 106905 of CPython)."""


class ShardError(ValueError):
    """A shard that is missing, damaged, or does not fit the others; the message names it."""


@dataclass(frozen=True)
class File:
    """The rows of a shard in a file, on a path that every worker can read.

    A `.npy` file says what is in it. Of any other file, say the shape, the dtype, and how many bytes
    come before the first row.
    """

    path: str
    shape: tuple[int, int] | None = None
    dtype: str = "float32"
    offset: int = 0

    def open(self) -> NDArray[Any]:
        """The rows, of which those are read that are looked at."""
        try:
            if self.shape is None:
                with _PARSING:
                    array = np.load(self.path, mmap_mode="r")
                if not isinstance(array, np.ndarray):
                    raise ValueError("it is no .npy file of one array")
                return array
            expected = self.offset + int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize
            found = os.path.getsize(self.path)
            if found != expected:
                raise ValueError(f"it has {found} bytes where its shape takes {expected}")
            return np.memmap(self.path, self.dtype, "r", self.offset, self.shape)
        except (OSError, ValueError, EOFError) as error:
            raise ShardError(f"shard {self.path} cannot be read: {error}") from None


@dataclass(frozen=True)
class Selection:
    """Some rows of a file, by their numbers there: read where they are needed."""

    file: File
    numbers: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.numbers)


Source = File | NDArray[Any]
"""A shard: a file, or its rows."""


def rows_of(source: Source) -> NDArray[Any]:
    """The rows of a shard, where they lie."""
    return source.open() if isinstance(source, File) else source


def select(source: Source, numbers: NDArray[np.intp]) -> Selection | NDArray[Any]:
    """Some rows of a shard. Only rows that are in memory are copied."""
    return Selection(source, numbers) if isinstance(source, File) else source[numbers]


def chunks_of(selection: Selection | NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The rows of a selection, some at a time."""
    if not isinstance(selection, Selection):
        yield slice(0, len(selection)), selection
        return
    rows = selection.file.open()
    step = max(1, CHUNK // (rows.shape[1] * rows.itemsize))
    for start in range(0, len(selection), step):
        part = slice(start, min(start + step, len(selection)))
        yield part, np.asarray(rows[selection.numbers[part]])


def parts_of(source: Source, dtype: Any) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The rows of a shard in a dtype, some at a time."""
    rows = rows_of(source)
    step = max(1, CHUNK // (rows.shape[1] * np.dtype(dtype).itemsize))
    for start in range(0, len(rows), step):
        part = slice(start, min(start + step, len(rows)))
        yield part, np.ascontiguousarray(rows[part], dtype)


def saved(rows: NDArray[Any], path: str | None) -> Source:
    """Rows as a shard: in memory, or in a file of this path, which is there whole or not at all."""
    if path is None:
        return rows
    part = f"{path}.{os.getpid()}"
    with open(part, "wb") as file:
        np.save(file, rows)
    os.replace(part, path)
    return File(path)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Names the shard in what the library says of it."""
    try:
        yield
    except Error as error:
        raise ShardError(f"{name}: {error}") from None
