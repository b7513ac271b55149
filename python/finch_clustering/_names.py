"""Names of options and results, and the numbers that finch.h gives them."""

from __future__ import annotations

import numpy as np

# The place of a name in its tuple is the number of the name in finch.h.
ELEMENTS = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint8))
METRICS = ("euclidean", "cosine", "manhattan")
LINK_BOUNDS = ("none", "first-neighbor")
SEARCHES = ("auto", "brute", "kd-tree", "blocked", "projected", "approximate")
LINKAGES = ("centroid", "ward", "neighbor")
STAGES = ("neighbors", "merge", "link", "describe", "predict")
ORDERS = ("row-major", "column-major")
FATES = ("kept", "grew", "merged", "split", "appeared")
TREE_FORMATS = ("newick", "json", "dot")


def number_of(what: str, names: tuple[str, ...], name: str) -> int:
    """The number of a name that a caller gave."""
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}: it is one of {', '.join(names)}")
    return names.index(name)


def name_of(names: tuple[str, ...], number: int) -> str:
    """The name of a number that the library gave; a later library may have more numbers."""
    return names[number] if number < len(names) else str(number)
