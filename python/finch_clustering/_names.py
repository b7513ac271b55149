"""Names of options and results, and the numbers that finch.h gives them."""

from __future__ import annotations

# The place of a name in its tuple is the number of the name in finch.h.
# Names of dtypes: NumPy itself has no bfloat16.
ELEMENTS = ("float32", "float64", "uint8", "float16", "bfloat16", "int8")
METRICS = ("euclidean", "cosine", "manhattan", "hamming", "jaccard")
# Those of samples of 0 and 1.
BIT_METRICS = METRICS[3:]
LINK_BOUNDS = ("none", "first-neighbor", "joined-pair")
SEARCHES = ("auto", "brute", "kd-tree", "blocked", "projected", "approximate")
LINKAGES = ("centroid", "ward", "neighbor")
STAGES = ("neighbors", "merge", "link", "describe", "predict", "bound")
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
