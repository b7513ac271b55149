"""First neighbours by finch and by other programs: time, memory and recall."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
import row_kinds
from measure import THREADS, apart, at_hand, head, log, names, peak_memory, row, table
from programs import SEARCHERS, as_euclidean

PROBES = 1_000
METRICS = ("euclidean", "cosine", "manhattan")
ENOUGH = 0.985
"""The recall that counts: 0.99, less the chance that is in 1,000 rows."""
DEFAULT = (
    "finch,finch approximate,cKDTree distinct,FAISS flat,FAISS HNSW,hnswlib,"
    "PyNNDescent 12,PyNNDescent 15,PyNNDescent 20,PyNNDescent 30"
)


def neighbors_options(parser: argparse.ArgumentParser) -> None:
    kinds = ", ".join(row_kinds.MADE + row_kinds.FILES + row_kinds.RANDOM)
    parser.add_argument(
        "--data",
        type=names,
        default=[*row_kinds.MADE, "mnist70k", "tdt2", "birch1"],
        help=f"kinds of rows ({kinds}) or .npy files of rows, f32 or u8",
    )
    parser.add_argument("--rows", default="20000,250000", help='numbers of rows, or "all" of a file or set')
    parser.add_argument("--metrics", default="own", help="of euclidean, cosine, manhattan, and own")
    parser.add_argument("--programs", default=DEFAULT, help=f"of {', '.join(SEARCHERS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--limit", type=float, default=1800, help="seconds of a run")
    parser.add_argument("--memory", type=float, default=60, help="GB of address space of a run")
    parser.add_argument(
        "--together",
        action="store_true",
        help="all programs in one process, which compiles PyNNDescent once; without limits",
    )


def neighbors(options: argparse.Namespace) -> Iterator[str]:
    """First neighbours beside other programs, in turns: seconds (median, least, most), memory, recall.

    Each run is a process of its own, with limits of time and memory. Seconds are of the search with
    building, once data and program are loaded and, for PyNNDescent, compiled; under cosine with the
    division of rows by their lengths, where a program wants that. Recall is of 1,000 random rows, whose
    exact neighbours NumPy and SciPy find in f64; as near counts as found. Programs named "whole" make a
    whole clustering; they have no recall. The ratio is to the first program. A second table has the
    ratio of the fastest of the others with a recall of 0.985 to the fastest finch with as much.
    """
    programs = list(at_hand(SEARCHERS, names(options.programs)))
    yield f"{options.threads} threads, {options.rounds} rounds\n"
    yield head(["data, rows, metric", "program", "seconds", "least, most", "ratio", "MB", "recall"])
    best, ratios = [], []
    measured = set()
    loaded: dict[Any, Any] = {}
    for kind, count, metric in product(options.data, names(options.rows), names(options.metrics)):
        if metric == "own":
            metric = "cosine" if kind in row_kinds.OF_DIRECTIONS else "euclidean"
        with tempfile.TemporaryDirectory() as folder:
            most = sys.maxsize if count == "all" else int(count)
            path, rows = row_kinds.stored(kind, most, Path(folder) / f"{Path(kind).stem}.npy")
            # A set may have fewer rows than are asked for twice.
            if rows == 0 or (kind, rows, metric) in measured:
                continue
            measured.add((kind, rows, metric))
            runs = _in_turns(programs, path, rows, metric, options, loaded)
        title = f"{Path(kind).stem}, {rows:,}, {metric}"
        figures = {name: Figure.of(of_name) for name, of_name in runs.items()}
        first = figures[programs[0]].seconds
        yield "\n".join(row([title, *figure.cells(name, first)]) for name, figure in figures.items())
        finch, other = (_fastest(figures, ours) for ours in (True, False))
        cells = [
            "–" if found is None else f"{found} {figures[found].seconds:.2f}" for found in (finch, other)
        ]
        if finch and other:
            ratios.append(figures[other].seconds / figures[finch].seconds)
        best.append([title, *cells, f"{ratios[-1]:.2f}" if finch and other else "–"])
    yield "\n" + table(["data, rows, metric", "finch", "fastest other", "ratio"], best)
    if ratios:
        yield f"\nGeometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}"


@dataclass(frozen=True)
class Figure:
    """The runs of a program on a data set."""

    seconds: float = np.inf
    """The median; infinite if a run failed."""
    spread: str = ""
    megabytes: float = 0
    recall: float | None = None
    failure: str = ""

    @classmethod
    def of(cls, runs: list[dict[str, Any]]) -> Figure:
        for run in runs:
            if "failure" in run:
                return cls(failure=run["failure"])
        seconds = [run["seconds"] for run in runs]
        megabytes = median(run["megabytes"] for run in runs)
        spread = f"{min(seconds):.2f}, {max(seconds):.2f}"
        return cls(median(seconds), spread, megabytes, runs[-1].get("recall"))

    def cells(self, name: str, first: float) -> list[str]:
        if self.failure:
            return [name, self.failure, "", "", "", ""]
        recall = "" if self.recall is None else f"{self.recall:.3f}"
        megabytes = f"{self.megabytes:.0f}" if self.megabytes else ""
        return [name, f"{self.seconds:.2f}", self.spread, f"{self.seconds / first:.2f}", megabytes, recall]


def _fastest(figures: dict[str, Figure], ours: bool) -> str | None:
    """The fastest of the programs that found enough, of finch or of the others."""
    enough = [
        name
        for name, figure in figures.items()
        if name.startswith("finch") == ours and (figure.recall or 0) >= ENOUGH
    ]
    return min(enough, key=lambda name: figures[name].seconds, default=None)


def _in_turns(
    programs: list[str],
    path: Path,
    rows: int,
    metric: str,
    options: argparse.Namespace,
    loaded: dict[Any, Any],
) -> dict[str, list[dict[str, Any]]]:
    """The runs of each program, until it failed: a program that failed once would fail again."""
    truth = Truth(path, rows, metric)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "index.npy"
        job = {"path": str(path), "rows": rows, "metric": metric, "threads": options.threads, "out": str(out)}
        limits = {"threads": options.threads, "limit": options.limit, "memory": options.memory}
        for turn in range(options.rounds):
            for name, so_far in runs.items():
                if any("failure" in run for run in so_far):
                    continue
                if options.together:
                    run = _in_this_process(name, loaded, job)
                else:
                    run = apart("neighbors.searched", job | {"program": name}, **limits)
                if out.exists():
                    run["recall"] = truth.recall(np.load(out))
                    out.unlink()
                so_far.append(run)
                log(f"{path.stem}, round {turn}, {name}: {run}")
    return runs


def _in_this_process(name: str, loaded: dict[Any, Any], job: dict[str, Any]) -> dict[str, Any]:
    try:
        return searched(name, loaded=loaded, **job) | {"megabytes": 0}
    except Exception as error:
        return {"failure": "error", "message": repr(error)}


def searched(
    program: str,
    path: str,
    rows: int,
    metric: str,
    threads: int,
    out: str,
    loaded: dict[Any, Any] | None = None,
) -> dict[str, Any]:
    """Seconds and memory of a search; `loaded` has the programs that are loaded already."""
    searcher = SEARCHERS[program]
    X = np.load(path, mmap_mode="r")[:rows]
    X = np.array(X, dtype=X.dtype if searcher.takes_u8 else np.float32)
    loaded = {} if loaded is None else loaded
    if (program, metric) not in loaded:
        loaded[program, metric] = searcher.load(threads, metric)
    start = time.perf_counter()
    index = loaded[program, metric](X)
    seconds = time.perf_counter() - start
    megabytes = peak_memory() / 1e6
    if index is not None:
        np.save(out, np.asarray(index, dtype=np.int64))
    return {"seconds": seconds, "megabytes": megabytes}


class Truth:
    """The distance of some rows to their nearest others."""

    def __init__(self, data: Path, count: int, metric: str) -> None:
        self._X = np.load(data, mmap_mode="r")[:count]
        self._metric = metric
        probes = min(PROBES, count)
        self._rows = np.sort(np.random.default_rng(0).choice(count, probes, replace=False))
        self._queries = self._part(self._rows)
        self._nearest = np.full(probes, np.inf)
        for first in range(0, count, 20_000):
            part = self._part(slice(first, first + 20_000))
            inside = (first <= self._rows) & (self._rows < first + len(part))
            closest = self._closest(part, np.flatnonzero(inside), self._rows[inside] - first)
            self._nearest = np.minimum(self._nearest, self._distances(part[closest]))

    def _part(self, rows: Any) -> Any:
        return as_euclidean(self._X[rows].astype(np.float64), self._metric)

    def _closest(self, part: Any, probes: Any, themselves: Any) -> Any:
        """The row of a part that is nearest to each probe, some of which are rows of the part."""
        if self._metric == "manhattan":
            from scipy.spatial.distance import cdist

            distances = cdist(self._queries, part, "cityblock")
        else:
            # The product is rounded; the distance of the row that it finds is not.
            distances = (part**2).sum(1) - 2 * self._queries @ part.T
        distances[probes, themselves] = np.inf
        return distances.argmin(1)

    def _distances(self, rows: Any) -> Any:
        """Distances of the probes, each to a row: squared, if Euclidean."""
        difference = self._queries - rows
        if self._metric == "manhattan":
            return np.abs(difference).sum(1)
        return (difference**2).sum(1)

    def recall(self, index: Any) -> float:
        found = index[self._rows]
        near = self._distances(self._part(found)) <= self._nearest * (1 + 1e-9) + 1e-12
        return float((near & (found != self._rows)).mean())
