"""Checks of hierarchies: trees in SciPy, and constraints, kept or refused."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import data_sets
import measure
import numpy as np
from measure import ROOT, head, least, log, names, row, seconds_of
from scipy.cluster import hierarchy as scipy_hierarchy

finch = measure.library()
LINKAGES = ("neighbor", "centroid", "ward")

# Trees.

FOLDERS = {
    "mice_protein": "mice_protein/X.npy",
    "gestalt_compound": "gestalt/gestalt_X.npy",
    "aggregation": "aggregation/aggregation_X.npy",
    "aggregation_rounded_finchrepo": "aggregation/aggregation_rounded_X.npy",
}
"""Files of golden sets that are not NAME.npz."""
DRAWN = 500
"""Clusters of larger trees that `dendrogram` lays out."""


def trees_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--random", type=int, default=100, help="random inputs")
    parser.add_argument("--most", type=int, default=12_000, help="samples of golden sets, at most")


def trees(options: argparse.Namespace) -> Iterator[str]:
    """Trees of finch in SciPy: linkage matrices that it accepts, cuts and draws.

    Of random inputs of 1 to 400 samples (spread, tied, repeated, constant, in far pieces, in a chain) and
    of the sets of the golden files that are at hand:
    - `is_valid_linkage` and `is_monotonic` hold, and `dendrogram` lays out all leaves (the last 500
      clusters of larger trees);
    - `fcluster(Z, p + 1, "distance")`, and `"maxclust"` by the count, are partition p;
    - `fcluster(Z, K, "maxclust")` is the dendrogram's cut to K clusters, by each linkage, with samples and
      with clusters as leaves; and for K above the finest partition it is the partition of `refine`. All K,
      but of more than 200 a spread of 60.
    """
    # SciPy draws by recursion.
    sys.setrecursionlimit(1_000_000)
    yield head(["inputs, metric", "trees", "cuts", "different cuts", "finch, s"])
    for kind, inputs in (("random", random_inputs(options.random)), ("golden", golden_inputs(options.most))):
        checkers = {metric: Checker(metric) for metric in ("euclidean", "cosine")}
        for name, X in inputs:
            for checker in checkers.values():
                checker.input(name, X)
        for metric, checker in checkers.items():
            figures = [checker.trees, checker.cuts, checker.different, f"{checker.seconds:.2f}"]
            yield row([f"{checker.inputs} {kind}, {metric}", *figures])


def random_inputs(count: int) -> Iterator[tuple[str, np.ndarray]]:
    random = np.random.default_rng(24)
    for number in range(count):
        rows, columns = int(random.integers(1, 400)), int(random.integers(1, 6))
        X = random.normal(size=(rows, columns))
        kind = ("spread", "tied", "repeated", "constant", "far pieces", "chain")[number % 6]
        if kind == "tied":
            X = random.integers(0, 4, X.shape).astype(float)
        elif kind == "repeated":
            X = X[random.integers(0, max(1, rows // 5), rows)]
        elif kind == "constant":
            X = np.full_like(X, 0.3)
        elif kind == "far pieces":
            X += 1e6 * random.integers(0, 3, (rows, 1))
        elif kind == "chain":
            X = np.cumsum(1 + np.arange(rows) / rows)[:, None]
        yield f"{kind} {number}", X


def golden_inputs(most: int) -> Iterator[tuple[str, np.ndarray]]:
    places = (data_sets.folder(), ROOT / "examples/data")
    golden: dict[str, Any] = {}
    for place in places:
        if (place / "golden/partitions.json").is_file():
            golden |= json.loads((place / "golden/partitions.json").read_text())
    for name in sorted({key.split("/")[0] for key in golden}):
        paths = [place / FOLDERS.get(name, f"{name}.npz") for place in places]
        path = next((path for path in paths if path.is_file()), None)
        loaded = None if path is None else np.load(path)
        if loaded is not None and not isinstance(loaded, np.ndarray):
            loaded = loaded["X"] if "X" in loaded else None
        if loaded is None:
            log(f"left out, for want of an array {paths[0]}: {name}")
        elif len(loaded) <= most:
            yield name, loaded


class Checker:
    """Counts the checks under a metric, and the cuts that differ; an invalid tree ends the program."""

    def __init__(self, metric: str) -> None:
        self.metric, self.name = metric, ""
        self.told: set[str] = set()
        self.inputs = self.trees = self.cuts = self.different = 0
        self.seconds = 0.0

    def tree(self, of: Any, *below: Any) -> np.ndarray:
        began = time.perf_counter()
        linkage = of.tree(*below).linkage()
        self.seconds += time.perf_counter() - began
        if len(linkage) == 0:
            return linkage
        assert scipy_hierarchy.is_valid_linkage(linkage, throw=True)
        assert scipy_hierarchy.is_monotonic(linkage)
        large = len(linkage) >= 2_000
        lastp = {"truncate_mode": "lastp", "p": DRAWN} if large else {}
        drawn = scipy_hierarchy.dendrogram(linkage, no_plot=True, **lastp)
        assert len(drawn["leaves"]) == (DRAWN if large else len(linkage) + 1)
        self.trees += 1
        return linkage

    def equal(self, linkage: np.ndarray, t: float, criterion: str, labels: np.ndarray) -> None:
        if len(linkage):
            found = numbered(scipy_hierarchy.fcluster(linkage, t, criterion))
            self.cuts += 1
            if not np.array_equal(found, labels):
                self.different += 1
                if self.name not in self.told:
                    self.told.add(self.name)
                    log(f"{self.name}, {self.metric}: {criterion} {t} differs, of {len(labels)} leaves")

    def input(self, name: str, X: np.ndarray) -> None:
        self.name = name
        for bound in ("none", "first-neighbor"):
            hierarchy = finch.cluster(X, metric=self.metric, link_bound=bound, refinable=True)
            self.hierarchy(X, hierarchy)
            for linkage in LINKAGES:
                for start in {0, len(hierarchy) // 2}:
                    self.dendrogram(X, hierarchy, linkage, start)
        self.inputs += 1

    def hierarchy(self, X: np.ndarray, hierarchy: Any) -> None:
        linkage = self.tree(hierarchy)
        for partition, labels in enumerate(hierarchy):
            self.equal(linkage, partition + 1, "distance", labels)
            self.equal(linkage, hierarchy.n_clusters[partition], "maxclust", labels)
        for k in some(hierarchy.n_clusters[0], len(X)):
            self.equal(linkage, k, "maxclust", hierarchy.refine(X, k))

    def dendrogram(self, X: np.ndarray, hierarchy: Any, name: str, start: int) -> None:
        dendrogram = hierarchy.dendrogram(X, linkage=name, from_partition=start)
        of_samples, of_clusters = self.tree(dendrogram, hierarchy), self.tree(dendrogram)
        leaf = [np.flatnonzero(hierarchy[start] == c)[0] for c in range(dendrogram.n_start)]
        for k in some(1, dendrogram.n_start):
            cut = dendrogram.cut(k)
            self.equal(of_samples, k, "maxclust", cut)
            self.equal(of_clusters, k, "maxclust", numbered(cut[leaf]))
        if start == 0:
            for k in some(dendrogram.n_start, len(X)):
                self.equal(of_samples, k, "maxclust", hierarchy.refine(X, k))


def numbered(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered by first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def some(first: int, last: int) -> list[int]:
    """All numbers from first to last, or a spread of them."""
    if last - first < 200:
        return list(range(first, last + 1))
    return sorted({int(k) for k in np.geomspace(1, last - first + 1, 60) + first - 1})


# Constraints.


def constraints_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=["usps", "pendigits", "letter"])


def constraints(options: argparse.Namespace) -> Iterator[str]:
    """The cost of constraints: seconds of all cores that `refine` takes (the least of three), and ARI.

    Pairs are drawn at random, half of one class, together, and half of two, apart; sizes are from half
    to twice N/K. ARI is in percent, of the samples that are in no pair.
    """
    yield head(["set", "samples", "constraints", "seconds", "ARI"])
    for data in data_sets.at_hand(options.sets):
        X, K = np.ascontiguousarray(data.X), data.classes
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        asked: dict[str, dict[str, Any]] = {"none": {}}
        for count in (10, 100, 1000):
            together, apart = _known_pairs(data.y, count)
            asked[f"{count} pairs"] = {"must_link": together, "cannot_link": apart}
        asked["sizes"] = {"min_cluster_size": len(X) // K // 2, "max_cluster_size": 2 * (len(X) // K)}
        for title, given in asked.items():
            results: list[Any] = []
            runs = [seconds_of(partial(_refine, hierarchy, X, K, given, results)) for _ in range(3)]
            result = results[-1]
            if not isinstance(result, str):
                pairs = [given[kind].ravel() for kind in ("must_link", "cannot_link") if kind in given]
                free = np.setdiff1d(np.arange(len(X)), np.concatenate([[], *pairs]))
                result = f"{replace(data, X=X[free], y=data.y[free]).ari(result[free]):.1f}"
            yield row([data.name, f"{len(X):,}", title, f"{least(runs).cores:.3f}", result])


def _refine(hierarchy: Any, X: np.ndarray, K: int, given: dict[str, Any], results: list[Any]) -> None:
    try:
        results.append(hierarchy.refine(X, K, **given))
    except finch.Error as error:
        results.append(f"refused: {error}")


def _known_pairs(y: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of one class, half of two."""
    random = np.random.RandomState(count)
    drawn = random.randint(len(y), size=(40 * count + 40, 2))
    drawn = drawn[(drawn[:, 0] != drawn[:, 1]) & (y[drawn] >= 0).all(1)]
    same = y[drawn[:, 0]] == y[drawn[:, 1]]
    return drawn[same][: count // 2], drawn[~same][: count // 2]


def constraints_kept_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--sets", type=names, default=["aggregation"])


def constraints_kept(options: argparse.Namespace) -> Iterator[str]:
    """Random pairs (up to 59 of each kind) and sizes, whether or not they can be met: kept, or refused."""
    yield head(["set, linkage", "sets of constraints", "kept", "refused", "broken"])
    for data in data_sets.at_hand(options.sets):
        X, K = np.ascontiguousarray(data.X), data.classes
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        even = len(X) // K
        for linkage in LINKAGES:
            kept = refused = 0
            for trial in range(options.trials):
                random = np.random.RandomState(trial)
                pairs = [random.randint(len(X), size=(random.randint(1, 60), 2)) for _ in range(2)]
                given = {
                    "must_link": pairs[0],
                    "cannot_link": pairs[1],
                    "min_cluster_size": int(random.randint(even // 2)) if trial % 3 == 0 else 0,
                    "max_cluster_size": int(even + random.randint(len(X))) if trial % 2 == 0 else None,
                }
                try:
                    kept += _keeps(hierarchy.refine(X, K, linkage=linkage, **given), K, given)
                except finch.Error as error:
                    assert error.status == "FINCH_INVALID_CONSTRAINT", error
                    refused += 1
            broken = options.trials - kept - refused
            yield row([f"{data.name}, {linkage}", options.trials, kept, refused, broken])


def _keeps(labels: np.ndarray, K: int, given: dict[str, Any]) -> bool:
    sizes = np.bincount(labels, minlength=K)
    same, other = labels[given["must_link"]], labels[given["cannot_link"]]
    return bool(
        len(sizes) == K
        and (same[:, 0] == same[:, 1]).all()
        and (other[:, 0] != other[:, 1]).all()
        and sizes.min() >= given["min_cluster_size"]
        and sizes.max() <= (given["max_cluster_size"] or len(labels))
    )
