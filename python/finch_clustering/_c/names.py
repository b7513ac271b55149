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
CLUSTERED = ("no", "yes", "too few to tell")
LINKAGES = ("centroid", "ward", "neighbor")
STAGES = ("neighbors", "merge", "link", "describe", "predict", "bound")
ORDERS = ("row-major", "column-major")
FATES = ("kept", "grew", "merged", "split", "appeared")
TREE_FORMATS = ("newick", "json", "dot")

# Metrics of other programs, and what does the same here.
_OTHER_METRICS = {
    "precomputed": "give the distances to finch_clustering.cluster_distances",
    "l2": "it is 'euclidean'",
    "sqeuclidean": "'euclidean' finds the same neighbours",
    "minkowski": "with p = 2 it is 'euclidean', with p = 1 'manhattan'",
    "cityblock": "it is 'manhattan'",
    "l1": "it is 'manhattan'",
    "correlation": "it is 'cosine' of X - X.mean(axis=1, keepdims=True)",
    "angular": "'cosine' finds the same neighbours",
}
_OF_FUNCTIONS = (
    "; by a metric of your own, give squareform(pdist(X, metric)) of scipy.spatial.distance to"
    " finch_clustering.cluster_distances"
)


def number_of(what: str, names: tuple[str, ...], name: str) -> int:
    """The number of a name that a caller gave."""
    if not isinstance(name, str):
        way_out = _OF_FUNCTIONS if what == "metric" and callable(name) else ""
        told = f"a {type(name).__name__}" if callable(name) else repr(name)
        raise TypeError(f"{what} is {told}: give one of {', '.join(map(repr, names))}{way_out}")
    if what == "metric" and name in _OTHER_METRICS:
        raise ValueError(f"there is no metric {name!r} here: {_OTHER_METRICS[name]}")
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}: it is one of {', '.join(names)}")
    return names.index(name)


def name_of(names: tuple[str, ...], number: int) -> str:
    """The name of a number that the library gave; a later library may have more numbers."""
    return names[number] if number < len(names) else str(number)
