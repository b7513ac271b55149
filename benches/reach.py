"""How far links may reach: the rules that the weights of neighbour linkage were chosen from, as Markdown.

    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 genieclust==1.3.0
    venv/bin/python benches/reach.py --largest 2500 --out reach.md

All rules link samples as `candidates.py` does ("shared", from the first partition, "average"), and
differ in k and in how much less a long link weighs. They are asked for the true number of clusters of
the sets of `data_sets.py`, of `shapes/` and a few more in the folder FINCH_DATA, and of five of
scikit-learn's toy sets and two-armed spirals, at 200, 500 and 1500 samples, ten of each. Every other
set of a kind, and the first five of ten, are the sets that rules were looked for with; the other half
was looked at once for an earlier choice, which it refuted, and from then on too. `thin.py` has more thin sets. `--parts 3` takes the means of so many random
parts of 75 % too. Genie is there to compare with, where genieclust is installed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.sparse import coo_matrix

import data_sets
from candidates import Problem, arcs, merge_all
from data_sets import DataSet, unit_rows

SIZES = (200, 500, 1500)
SEEDS = 10
MORE = {
    "isolet": ("tabular", "euclidean"),
    "jaffe": ("image", "euclidean"),
    "umist": ("image", "euclidean"),
    "segment": ("tabular", "euclidean"),
    "warppie10p": ("image", "euclidean"),
    "webace": ("text", "cosine"),
    "classic3": ("text", "cosine"),
}


# Sets.


def shapes() -> Iterator[DataSet]:
    """The class 0 is noise, in some."""
    for path in sorted((data_sets._folder() / "shapes").glob("*.npz")):
        with np.load(path) as arrays:
            X, y = arrays["X"], arrays["y"].astype(np.int64) - 1
        yield DataSet(path.stem, X, y, "euclidean", path.stem.split("_")[0], "shapes")


def labelled() -> Iterator[DataSet]:
    """Those that are not made by a program."""
    for name in data_sets.NAMES:
        if data_sets.kind(name) != "synthetic" and name not in ("rings", "moons", "mnist70k"):
            data = data_sets.load(name)
            yield DataSet(name, data.X, data.y, data.metric, data.kind, "labelled")
    for name, (kind, metric) in MORE.items():
        X, y = data_sets._archive(name)
        yield DataSet(name, X, data_sets._numbered(y), metric, kind, "labelled")


def toys() -> Iterator[DataSet]:
    """As in scikit-learn's comparison of clusterings, with other seeds; and spirals."""
    from sklearn.datasets import make_blobs, make_circles, make_moons

    stretch = np.array([[0.6, -0.6], [-0.4, 0.8]])
    for size in SIZES:
        for seed in range(SEEDS):
            X, y = make_blobs(size, random_state=170 + seed)
            made = {
                "circles": make_circles(size, factor=0.5, noise=0.05, random_state=seed),
                "moons": make_moons(size, noise=0.05, random_state=seed),
                "blobs": make_blobs(size, random_state=seed),
                "aniso": (X @ stretch, y),
                "varied": make_blobs(size, cluster_std=[1.0, 2.5, 0.5], random_state=170 + seed),
                "spiral": spiral(size, seed),
            }
            for kind, (X, y) in made.items():
                group = "spiral" if kind == "spiral" else "toy"
                yield DataSet(f"{kind} {size} {seed}", X, y, "euclidean", kind, group)


def spiral(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two arms of one and a half or two and a half turns, evenly filled but for chance."""
    random = np.random.RandomState(seed)
    first, last = np.pi / 2, 2 * np.pi * (1.5, 2.5)[seed % 2]

    def arm(count: int, sign: int) -> np.ndarray:
        places = (np.arange(count) + random.rand(count)) / count
        angle = np.sqrt(first**2 + (last**2 - first**2) * places)
        points = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
        return sign * points + 0.15 * random.randn(count, 2)

    half = size // 2
    X = np.vstack([arm(half, 1), arm(size - half, -1)])
    return X, np.repeat([0, 1], [half, size - half])


def chosen_by(sets: list[DataSet]) -> set[str]:
    """The names of those that were looked at to choose by."""
    names, seen = set(), {}
    for data in sets:
        key = data.group, data.kind
        if data.group in ("toy", "spiral"):
            even = int(data.name.split()[-1]) < SEEDS // 2
        else:
            even = seen.get(key, 0) % 2 == 0
            seen[key] = seen.get(key, 0) + 1
        if even:
            names.add(data.name)
    return names


# Rules.


Share = Callable[[np.ndarray, float, float, float], np.ndarray]
"""Of x = rᵢrⱼ/ℓ², k/4, u and v, which `linkage.md` defines."""


class Links(Problem):
    """The links of samples to their nearest, and their lengths."""

    def __init__(self, data: DataSet) -> None:
        super().__init__(data)
        X = data.X.astype(np.float64)
        X = unit_rows(X) if data.metric == "cosine" else X
        columns = self.near.T
        apart = (np.sqrt(((X - X[column]) ** 2).sum(1)) for column in columns)
        self.length = np.stack(list(apart), 1)

    def apart(self, k: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """Of each sample the length to its neighbour of this rank, those at 0 not counted, or to the
        last of k; and whether there are so many."""
        length = self.length[:, :k]
        place = (length == 0).sum(1) + rank - 1
        return length[np.arange(len(length)), np.minimum(place, k - 1)], place < k

    def thinness(self, k: int, rank: int, enough: np.ndarray) -> float:
        """The mean of (length at half the rank/length at the rank)², of those that have enough."""
        (inner, _), (last, _) = self.apart(k, (rank + 1) // 2), self.apart(k, rank)
        squares = (inner[enough] / last[enough]) ** 2
        return float(squares.mean()) if len(squares) else 0.5

    def solve_by(self, k: int, share: Share) -> np.ndarray:
        """Labels, if the weight of a link is multiplied by the share of rᵢrⱼ/ℓ², k/4, u and v."""
        links = arcs(self.near[:, :k], "shared")
        rows, columns, shared = links.row, links.col, links.data
        scale, _ = self.apart(k, min(4, k))
        _, enough = self.apart(k, min(8, k))
        u, v = (self.thinness(k, min(rank, k), enough) for rank in (8, 4))
        v = v if k >= 8 else 1.0
        lengths = self._between(rows, columns)
        one, other = scale[rows], scale[columns]
        one, other = np.where(one == 0, other, one), np.where(other == 0, one, other)
        equal = (lengths == 0) | (one == 0)
        ratio = np.divide(one * other, lengths**2, out=np.full(len(rows), np.inf), where=~equal)
        weight = np.rint(65_536 * shared * share(ratio, k / min(4, k), u, v))
        weighted = coo_matrix((np.maximum(weight, 1), (rows, columns)), links.shape)
        return merge_all(self.data, self._start("first", self.data.classes), weighted, "average").cut(
            self.data.classes
        )

    def _between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        count, k = self.near.shape
        ends = np.repeat(np.arange(count), k), self.near.ravel()
        place = coo_matrix((np.arange(1, count * k + 1), ends), (count, count)).tocsr()
        one, other = (
            np.asarray(place[ends]).ravel() for ends in ((rows, columns), (columns, rows))
        )
        return self.length.ravel()[np.where(one > 0, one, other) - 1]


def twice_log(samples: int) -> int:
    return max(1, min(math.ceil(2 * math.log2(samples) - 1e-12), samples // 4))


def fewer(samples: int) -> int:
    """The same for 1024 and more."""
    bits = math.ceil(2 * math.log2(samples) - 1e-12)
    return max(1, min(bits, -(-bits * bits // 20), samples // 4))


def power(exponent: int) -> Share:
    return lambda ratio, area, u, v: np.minimum(ratio, 1) ** exponent


def by_dimension(ratio: np.ndarray, area: float, u: float, v: float) -> np.ndarray:
    return np.minimum(ratio, 1) ** (round(2 * (1 / u - 1) ** 2) / 2)


def reach(margin: float, exponent: int, thin: int, curves: int = 0) -> Share:
    def share(ratio: np.ndarray, area: float, u: float, v: float) -> np.ndarray:
        most = max(1.0, margin * area * min(1.0, 2 * u) ** thin)
        most = max(0.7, most * min(1.0, v / min(u, 0.425)) ** curves)
        return np.minimum(most * np.minimum(ratio, 1e9), 1) ** exponent

    return share


@dataclass(frozen=True)
class Rule:
    name: str
    k: Callable[[int], int]
    share: Share

    def solve(self, links: Links) -> np.ndarray:
        return links.solve_by(self.k(len(links.near)), self.share)


RULES = [
    Rule("as before: k = ⌈2·log₂ N⌉", twice_log, power(0)),
    Rule("k fewer below 1024", fewer, power(0)),
    Rule("x = rᵢrⱼ/ℓ², at most 1", fewer, power(1)),
    Rule("x⁴", fewer, power(4)),
    Rule("x to (1/u − 1)²", fewer, by_dimension),
    Rule("(1·k/4·x)¹²", fewer, reach(1, 12, 0)),
    Rule("(1.5·k/4·x)⁴", fewer, reach(1.5, 4, 0)),
    Rule("(1.5·k/4·x)¹²", fewer, reach(1.5, 12, 0)),
    Rule("(2·k/4·x)¹²", fewer, reach(2, 12, 0)),
    Rule("(1.5·k/4·(2u)²·x)¹²", fewer, reach(1.5, 12, 2)),
    Rule("(1.5·k/4·(2u)²·(v/min(u, 0.425))¹⁶·x)¹² (chosen)", fewer, reach(1.5, 12, 2, 16)),
    Rule("(1.5·k/4·(2u)⁴·x)¹²", fewer, reach(1.5, 12, 4)),
]


def genie(data: DataSet) -> np.ndarray | None:
    try:
        from genieclust import Genie
    except ImportError:
        return None
    X = unit_rows(data.X) if data.metric == "cosine" else data.X
    return Genie(n_clusters=data.classes).fit_predict(np.ascontiguousarray(X, np.float64))


# Tables.


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--largest", type=int, default=10**9, help="samples of a set, at most")
    parser.add_argument("--parts", type=int, default=0, help="random parts of each set, too")
    parser.add_argument("--out", type=Path, help="file to write instead of the terminal")
    arguments = parser.parse_args()

    sets = [*shapes(), *labelled(), *toys()]
    chosen, sets = chosen_by(sets), [data for data in sets if len(data.X) <= arguments.largest]
    names = [rule.name for rule in RULES] + ["Genie"]
    scores: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for data in sets:
        made = data.group in ("toy", "spiral")
        versions = [data] + [data.part(0.75, part) for part in range(0 if made else arguments.parts)]
        for version in versions:
            links = Links(version)
            found = {rule.name: rule.solve(links) for rule in RULES}
            found["Genie"] = genie(version)
            for name, labels in found.items():
                if labels is not None:
                    score = version.scores(labels)
                    value = score.acc if data.group == "labelled" else score.ari
                    scores[name].setdefault(data.name, []).append(value)
    means = {name: {data: fmean(of) for data, of in rows.items()} for name, rows in scores.items()}
    tables = "\n\n".join(written(sets, chosen, means, names))
    print(tables) if arguments.out is None else arguments.out.write_text(tables + "\n")


def written(
    sets: list[DataSet], chosen: set[str], means: dict[str, dict[str, float]], names: list[str]
) -> Iterator[str]:
    before = means[RULES[0].name]
    names = [name for name in names if means[name]]

    def mean(name: str, group: str, wanted: Callable[[str], bool] = lambda _: True) -> str:
        values = [means[name][s.name] for s in sets if s.group == group and wanted(s.name)]
        return f"{fmean(values):.1f}" if values else "–"

    lines = [
        "| rule | shapes ARI | first half | second half | toy sets ARI | spirals ARI | labelled ACC"
        " | first half | second half | most that a labelled set loses |",
        "| --- |" + " --: |" * 9,
    ]
    for name in names:
        cells = [mean(name, "shapes")]
        cells += [mean(name, "shapes", chosen.__contains__)]
        cells += [mean(name, "shapes", lambda s: s not in chosen)]
        cells += [mean(name, "toy"), mean(name, "spiral"), mean(name, "labelled")]
        cells += [mean(name, "labelled", chosen.__contains__)]
        cells += [mean(name, "labelled", lambda s: s not in chosen)]
        changes = [(means[name][s.name] - before[s.name], s.name) for s in sets if s.group == "labelled"]
        least, where = min(changes, default=(0.0, "–"))
        cells += [f"{-least:.1f} ({where})" if least < -0.05 else "0"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    yield "\n".join(lines)
    lines = [f"| set | {' | '.join(names)} |", "| --- |" + " --: |" * len(names)]
    for data in sets:
        if data.group in ("shapes", "labelled"):
            cells = [f"{means[name][data.name]:.1f}" for name in names]
            lines.append(f"| {data.name} | {' | '.join(cells)} |")
    yield "\n".join(lines)


if __name__ == "__main__":
    main()
