"""Finds and loads the finch library; `lib` is the library."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from .header import ABI, PROTOTYPES

FOLDER = Path(__file__).resolve().parents[1]
"""The folder of this package."""


def file_names() -> list[str]:
    """The names that the library may have on this system."""
    if sys.platform == "win32":
        return ["finch.dll"]
    if sys.platform == "darwin":
        return ["libfinch.dylib"]
    return [f"libfinch.so.{ABI}", "libfinch.so"]


def _candidates() -> Iterator[str]:
    """Paths of files, then names for the system to look up."""
    target = FOLDER.parents[1] / "target"
    for folder in (FOLDER, target / "release", target / "debug"):
        for name in file_names():
            if (folder / name).is_file():
                yield str(folder / name)
    yield from file_names()
    found = ctypes.util.find_library("finch")
    if found is not None:
        yield found


def _open() -> ctypes.CDLL:
    named = os.environ.get("FINCH_LIBRARY")
    failures = []
    for candidate in [named] if named else _candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError as error:
            failures.append(f"  {candidate}: {error}")
    raise ImportError(
        "the finch library could not be loaded: build it with `cargo build --release -p finch-ffi`"
        f" and set FINCH_LIBRARY to the file, or put the file into {FOLDER}\n" + "\n".join(failures)
    )


def load() -> ctypes.CDLL:
    """Opens the library, and tells ctypes what its functions take and return."""
    library = _open()
    try:
        for name, (result, arguments) in PROTOTYPES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(f"{library._name} is not a finch library, or an older one: {error}")
    abi = library.finch_abi()
    if abi != ABI:
        raise ImportError(
            f"{library._name} has ABI {abi} where this package takes {ABI}: use a library and a"
            " package of one version"
        )
    return library


lib = load()
