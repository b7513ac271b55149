"""What rules for exactly K clusters cost, and whether they are kept, as Markdown.

    cargo build --release -p finch-ffi
    venv/bin/python benches/rules.py [usps pendigits ...]
    venv/bin/python benches/rules.py --random 1000

The first table has the seconds of processors that `refine` takes, once the hierarchy has its
neighbours: without rules, with pairs drawn at random of which the classes are known (half of them of one
class, together, and half of two, apart), and with sizes from half to twice N/K. ARI is in percent, of
the samples that are in no pair. The second has random sets of pairs and sizes for samples of one set of
`data_sets.py`, by each linkage: how many are kept, as counted here, and how many refused. The venv is
that of linkage.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import data_sets
import numpy as np
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

Pairs = np.ndarray


def known_pairs(y: np.ndarray, count: int, seed: int) -> tuple[Pairs, Pairs]:
    """Half of one class, half of two."""
    random = np.random.RandomState(seed)
    drawn = random.randint(len(y), size=(40 * count + 40, 2))
    drawn = drawn[(drawn[:, 0] != drawn[:, 1]) & (y[drawn] >= 0).all(1)]
    same = y[drawn[:, 0]] == y[drawn[:, 1]]
    return drawn[same][: count // 2], drawn[~same][: count // 2]


def cost(names: list[str]) -> str:
    rows = []
    for name in names:
        data = data_sets.load(name)
        X, K = np.ascontiguousarray(data.X), data.classes
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        even = len(X) // K
        asked: dict[str, dict[str, Any]] = {"no rules": {}}
        for count in (10, 100, 1000):
            together, apart = known_pairs(data.y, count, count)
            asked[f"{count} pairs"] = {"must_link": together, "cannot_link": apart}
        asked["sizes"] = {"min_cluster_size": even // 2, "max_cluster_size": 2 * even}
        for rules, given in asked.items():
            taken, found = [], None
            for _ in range(3):
                began = time.process_time()
                try:
                    found = hierarchy.refine(X, K, **given)
                except finch.Error as error:
                    found = str(error)
                taken.append(time.process_time() - began)
            if isinstance(found, str):
                cells = [f"refused: {found}"]
            else:
                pairs = [given[kind].ravel() for kind in ("must_link", "cannot_link") if kind in given]
                free = np.setdiff1d(np.arange(len(X)), np.concatenate([[], *pairs]))
                rest = replace(data, X=X[free], y=data.y[free])
                cells = [f"{rest.ari(found[free]):.1f}"]
            rows.append([name, f"{len(X):,}", rules, f"{min(taken):.3f}", *cells])
    return markdown(["set", "samples", "rules", "seconds", "ARI"], rows)


def keeps(labels: np.ndarray, K: int, rules: dict[str, Any]) -> bool:
    sizes = np.bincount(labels, minlength=K)
    same = labels[rules["must_link"]]
    other = labels[rules["cannot_link"]]
    return bool(
        len(sizes) == K
        and (same[:, 0] == same[:, 1]).all()
        and (other[:, 0] != other[:, 1]).all()
        and sizes.min() >= rules["min_cluster_size"]
        and sizes.max() <= (rules["max_cluster_size"] or len(labels))
    )


def random_rules(count: int, name: str) -> str:
    data = data_sets.load(name)
    X, K = np.ascontiguousarray(data.X), data.classes
    hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
    even = len(X) // K
    rows = []
    for linkage in ("neighbor", "centroid", "ward"):
        kept = refused = broken = 0
        for trial in range(count):
            random = np.random.RandomState(trial)
            pairs = [random.randint(len(X), size=(random.randint(1, 60), 2)) for _ in range(2)]
            rules = {
                "must_link": pairs[0],
                "cannot_link": pairs[1],
                "min_cluster_size": int(random.randint(even // 2)) if trial % 3 == 0 else 0,
                "max_cluster_size": int(even + random.randint(len(X))) if trial % 2 == 0 else None,
            }
            try:
                labels = hierarchy.refine(X, K, linkage=linkage, **rules)
            except finch.Error as error:
                assert error.status == "FINCH_INVALID_CONSTRAINT", error
                refused += 1
                continue
            kept += keeps(labels, K, rules)
            broken += not keeps(labels, K, rules)
        rows.append([linkage, *(f"{number}" for number in (count, kept, refused, broken))])
    return markdown([f"{name}, linkage", "sets of rules", "kept", "refused", "broken"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=["usps", "pendigits", "letter"])
    parser.add_argument("--random", type=int, default=0, help="random sets of rules, in place of cost")
    parser.add_argument("--of", default="aggregation", help="the set of random rules")
    arguments = parser.parse_args()
    if arguments.random:
        print(random_rules(arguments.random, arguments.of))
    else:
        print(cost(arguments.sets))
