"""Kinds of rows to search, of any number: made, and the first of data sets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from data_sets import folder, load
from measure import present

MADE = ("augmented", "mixture", "text", "patches", "table", "manifold", "noise")
"""Kinds that `large/make.py` in the folder of data makes, of any number of rows."""
FILES = ("mnist70k", "tdt2", "birch1", "usps", "letter", "classic3", "debian")
"""Sets of which the first rows are taken, as many as there are."""
RANDOM = ("blobs", "wide blobs", "wide noise", "embeddings")
OF_DIRECTIONS = ("text", "tdt2", "classic3", "debian", "embeddings", "usps", "wide blobs")


def rows_of(kind: str, count: int) -> np.ndarray:
    """Rows of a kind, f32 or u8, as many as are asked for or as there are."""
    random = np.random.default_rng(0)
    match kind:
        case "blobs":
            return _around(random, max(count // 100, 1), 64, count)
        case "wide blobs":
            return _around(random, 800, 1024, min(count, 40_000))
        case "wide noise":
            return random.normal(size=(count, 256)).astype(np.float32)
        case "embeddings":
            return _between_neighbors(random, rows_of("debian", sys.maxsize), count)
        case "debian":
            X = np.load(folder() / "embeddings/debian.npz")["X"]
        case _:
            X = load(kind).X
    # Programs do not agree how far a row without a direction is.
    X = X[X.any(1)][:count]
    return X.astype(np.float32) if X.dtype == np.float64 else X


def _around(random: np.random.Generator, centers: int, features: int, count: int) -> np.ndarray:
    """Gaussians about random centres."""
    places = random.normal(size=(centers, features)).astype(np.float32)
    around = random.normal(size=(count, features)).astype(np.float32)
    return places[random.integers(0, centers, count)] + 0.5 * around


def _between_neighbors(random: np.random.Generator, X: np.ndarray, count: int) -> np.ndarray:
    """Rows of length 1 on the first half of the way to one of the ten nearest, and off the way by a third of it."""
    X = X.astype(np.float32)
    near = np.empty((len(X), 10), np.intp)
    for rows in np.array_split(np.arange(len(X)), 16):
        farness = -(X[rows] @ X.T)
        farness[np.arange(len(rows)), rows] = np.inf  # A row is no neighbour of its own.
        near[rows] = np.argpartition(farness, 10)[:, :10]
    made = np.empty((count, X.shape[1]), np.float32)
    for rows in np.array_split(np.arange(count), max(count // 10_000, 1)):
        start = random.integers(0, len(X), len(rows))
        way = X[near[start, random.integers(0, 10, len(rows))]] - X[start]
        off = random.normal(size=way.shape) * np.linalg.norm(way, axis=1, keepdims=True) / way.shape[1] ** 0.5 / 3
        made[rows] = X[start] + way * random.uniform(0, 0.5, (len(rows), 1)) + off
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def stored(kind: str, count: int, place: Path) -> tuple[Path, int]:
    """A .npy file of rows of a kind, and their number: 0 for want of data; a kind may be such a file itself."""
    for _, (path, rows) in present([kind], lambda kind: _stored(kind, count, place)):
        return path, rows
    return place, 0


def _stored(kind: str, count: int, place: Path) -> tuple[Path, int]:
    if kind.endswith(".npy"):
        return Path(kind), min(count, len(np.load(kind, mmap_mode="r")))
    if kind in MADE + RANDOM and count == sys.maxsize:
        sys.exit(f"{kind} has as many rows as are asked for: say how many")
    if kind in MADE:
        script = folder() / "large/make.py"
        script.stat()  # An error names the file.
        make = [sys.executable, str(script), kind, str(count), str(place)]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        return place, count
    X = rows_of(kind, count)
    np.save(place, X)
    return place, len(X)
