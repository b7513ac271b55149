"""Trees of finch in SciPy: linkage matrices that it accepts, cuts and draws.

    FINCH_DATA=../shared/data venv/bin/python benches/trees.py

Takes SciPy, and the library that FINCH_LIBRARY names. Of 100 random inputs (of 1 to 400 samples;
spread, tied, repeated, constant, in far pieces, in a chain) and of every set of the golden files that
is at hand:

- `is_valid_linkage` and `is_monotonic` hold, and `dendrogram` lays out all leaves (the last 500
  clusters of larger trees);
- `fcluster(Z, p + 1, "distance")`, and `"maxclust"` by the count, are partition p;
- `fcluster(Z, K, "maxclust")` is the dendrogram's cut to K clusters, by each linkage, with samples and
  with clusters as leaves; and for K above the finest partition it is what `refine` makes. All K, but
  of more than 200 a spread of 60.

Prints a table: how many inputs, trees and cuts were checked, and the seconds that finch took for trees.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.cluster import hierarchy as scipy_hierarchy

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("FINCH_DATA", ROOT / "../shared/data"))
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "finch-ffi/tests/python")]

import finch_clustering as finch  # noqa: E402
from test_trees import numbered  # noqa: E402

FOLDERS = {
    "mice_protein": "mice_protein/X.npy",
    "gestalt_compound": "gestalt/gestalt_X.npy",
    "aggregation": "aggregation/aggregation_X.npy",
    "aggregation_rounded_finchrepo": "aggregation/aggregation_rounded_X.npy",
}
DRAWN = 500
LINKAGES = ("centroid", "ward", "neighbor")


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
    golden = json.loads((ROOT / "examples/data/golden/partitions.json").read_text())
    if (DATA / "golden/partitions.json").is_file():
        golden |= json.loads((DATA / "golden/partitions.json").read_text())
    for name in sorted({key.split("/")[0] for key in golden}):
        path = DATA / FOLDERS.get(name, f"{name}.npz")
        if not path.is_file():
            path = ROOT / "examples/data" / FOLDERS.get(name, f"{name}.npz")
        if not path.is_file():
            print(f"left out, for want of {path.name}: {name}", file=sys.stderr)
            continue
        loaded = np.load(path)
        if not isinstance(loaded, np.ndarray):
            if "X" not in loaded:
                print(f"left out, since it is no array: {name}", file=sys.stderr)
                continue
            loaded = loaded["X"]
        if len(loaded) <= most:
            yield name, loaded


class Checker:
    """Counts what was checked, and stops at the first difference."""

    def __init__(self) -> None:
        self.inputs = self.trees = self.cuts = 0
        self.seconds = 0.0

    def tree(self, of, *below) -> np.ndarray:
        began = time.perf_counter()
        linkage = of.tree(*below).linkage()
        self.seconds += time.perf_counter() - began
        if len(linkage) == 0:
            return linkage
        assert scipy_hierarchy.is_valid_linkage(linkage, throw=True)
        assert scipy_hierarchy.is_monotonic(linkage)
        large = len(linkage) >= 2_000
        drawn = scipy_hierarchy.dendrogram(
            linkage, no_plot=True, **({"truncate_mode": "lastp", "p": DRAWN} if large else {})
        )
        assert len(drawn["leaves"]) == (DRAWN if large else len(linkage) + 1)
        self.trees += 1
        return linkage

    def equal(self, linkage: np.ndarray, t: float, criterion: str, labels: np.ndarray) -> None:
        if len(linkage):
            found = scipy_hierarchy.fcluster(linkage, t, criterion)
            np.testing.assert_array_equal(numbered(found), labels, f"{criterion} {t}")
            self.cuts += 1

    def input(self, name: str, X: np.ndarray) -> None:
        for metric in ("euclidean", "cosine"):
            for bound in ("none", "first-neighbor"):
                hierarchy = finch.cluster(X, metric=metric, link_bound=bound, refinable=True)
                self.hierarchy(X, hierarchy)
                for linkage in LINKAGES:
                    for start in {0, len(hierarchy) // 2}:
                        self.dendrogram(X, hierarchy, linkage, start)
        self.inputs += 1

    def hierarchy(self, X: np.ndarray, hierarchy: finch.Hierarchy) -> None:
        linkage = self.tree(hierarchy)
        for partition, labels in enumerate(hierarchy):
            self.equal(linkage, partition + 1, "distance", labels)
            self.equal(linkage, hierarchy.n_clusters[partition], "maxclust", labels)
        for k in some(hierarchy.n_clusters[0], len(X)):
            self.equal(linkage, k, "maxclust", hierarchy.refine(X, k))

    def dendrogram(
        self, X: np.ndarray, hierarchy: finch.Hierarchy, name: str, start: int
    ) -> None:
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


def some(first: int, last: int) -> list[int]:
    """All numbers from first to last, or a spread of them."""
    if last - first < 200:
        return list(range(first, last + 1))
    return sorted({int(k) for k in np.geomspace(1, last - first + 1, 60) + first - 1})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--random", type=int, default=100, help="random inputs (default 100)")
    parser.add_argument("--most", type=int, default=12_000, help="samples of golden sets, at most")
    arguments = parser.parse_args()
    # SciPy draws by recursion.
    sys.setrecursionlimit(1_000_000)
    print("| inputs | trees | cuts | finch, s |\n|---|--:|--:|--:|")
    of_random, of_golden = Checker(), Checker()
    for what, checker, inputs in (
        ("random", of_random, random_inputs(arguments.random)),
        ("golden", of_golden, golden_inputs(arguments.most)),
    ):
        for name, X in inputs:
            try:
                checker.input(name, X)
            except AssertionError as error:
                sys.exit(f"{name}: {error}")
        row = (f"{checker.inputs} {what}", checker.trees, checker.cuts, f"{checker.seconds:.2f}")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
