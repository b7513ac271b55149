"""Names of options and results, and the numbers that finch.h gives them."""

from __future__ import annotations

# The place of a name in its tuple is the number of the name in finch.h.
# Names of dtypes: NumPy itself has no bfloat16.
ELEMENTS = ("float32", "float64", "uint8", "float16", "bfloat16", "int8")
METRICS = ("euclidean", "cosine", "manhattan", "hamming", "jaccard")
# The metrics of samples of 0 and 1.
BIT_METRICS = METRICS[3:]
# The metrics that means of samples have, too.
METRICS_OF_MEANS = METRICS[:3]
LINK_BOUNDS = ("none", "first-neighbor", "joined-pair")
SEARCHES = ("auto", "brute", "kd-tree", "blocked", "projected", "approximate")
CLUSTERED = ("no", "yes", "too few to tell")
LINKAGES = ("centroid", "ward", "neighbor", "means", "auto")
STAGES = ("neighbors", "merge", "link", "describe", "predict", "bound", "batch")
FLATS = ("partition", "clusters", "suggested")
SMALL_CLUSTERS = ("noise", "join")
ORDERS = ("row-major", "column-major")
FATES = ("kept", "grew", "merged", "split", "appeared")
TREE_FORMATS = ("newick", "json", "dot")

# Names that SciPy and scikit-learn have for the same metrics; "minkowski" is theirs with p = 2.
METRIC_ALIASES = {
    "cityblock": "manhattan",
    "l1": "manhattan",
    "l2": "euclidean",
    "minkowski": "euclidean",
}
# Metrics of other programs, and what does the same here.
_BY_MATRIX = (
    "finch_clustering.cluster takes it, by a matrix of distances; or give"
    " squareform(pdist(X, metric)) of scipy.spatial.distance to finch_clustering.cluster_distances"
)
_OTHER_METRICS = {
    "precomputed": "give the distances to finch_clustering.cluster_distances",
    "sqeuclidean": "'euclidean' finds the same neighbours",
    "correlation": "it is 'cosine' of X - X.mean(axis=1, keepdims=True)",
    "angular": "'cosine' finds the same neighbours",
    "haversine": "it is 'euclidean' of finch_clustering.chords(X)",
}
_OF_FUNCTIONS = f"; by a metric of your own: {_BY_MATRIX}"


def number_of(what: str, names: tuple[str, ...], name: str) -> int:
    """The number of a name that a caller gave; of a metric also of another name that it has."""
    if not isinstance(name, str):
        way_out = _OF_FUNCTIONS if what == "metric" and callable(name) else ""
        told = f"a {type(name).__name__}" if callable(name) else repr(name)
        raise TypeError(f"{what} is {told}: give one of {', '.join(map(repr, names))}{way_out}")
    if what == "metric":
        name = METRIC_ALIASES.get(name, name)
    if what == "metric" and name in _OTHER_METRICS:
        raise ValueError(f"there is no metric {name!r} here: {_OTHER_METRICS[name]}")
    if name not in names:
        more = "; `cluster` takes the other names of SciPy, too" if what == "metric" else ""
        raise ValueError(f"there is no {what} {name!r}: it is one of {', '.join(names)}{more}")
    return names.index(name)


def name_of(names: tuple[str, ...], number: int) -> str:
    """The name of a number that the library gave; a later library may have more numbers."""
    return names[number] if number < len(names) else str(number)
