"""First neighbours of data of many kinds, by finch and by other programs: one Markdown table.

    FINCH_DATA=../shared/data venv/bin/python benches/suite.py --rows 20000,250000

Kinds are those of `large/make.py` in the folder of data, and sets of data_sets.py, of which the first
rows are taken, as many as there are. Programs take turns, each run in a process of its own, as in
neighbors.py, which also says what is needed. The last column is how many times as long the fastest of the
others took that found 99 %, as far as 1,000 rows can tell, as finch took with the faster of `auto` and
`approximate` that did. Below the table: the geometric mean of that column and its least number.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import data_sets
import numpy as np
from neighbors import METRICS, add_limits, run_in_turns

FINCH = ("finch", "finch approximate")
OTHERS = (
    "cKDTree distinct",
    "FAISS flat",
    "FAISS HNSW",
    "hnswlib",
    "PyNNDescent 12",
    "PyNNDescent 15",
    "PyNNDescent 20",
    "PyNNDescent 30",
)
MADE = ("augmented", "mixture", "text", "patches", "table", "manifold", "noise")
SETS = ("mnist70k", "tdt2", "birch1")
OF_TEXTS = ("text", "tdt2")
OWN = "own"
"""In the place of a metric: cosine for texts, Euclidean for all others."""
ENOUGH = 0.985
"""The recall that counts: 0.99, less what the 1,000 rows that tell it leave open."""


@dataclass(frozen=True)
class Figure:
    """What a program did with a data set."""

    seconds: float
    """The median of all rounds; infinite where it failed."""
    recall: float

    @classmethod
    def of(cls, runs: Sequence[dict[str, Any]]) -> Figure:
        seconds = [run.get("seconds", np.inf) for run in runs]
        # A program that failed in one round has failed.
        return cls(max(seconds) if np.inf in seconds else median(seconds), runs[-1].get("recall", 0))

    @property
    def counts(self) -> bool:
        return self.recall >= ENOUGH and np.isfinite(self.seconds)

    def __str__(self) -> str:
        return f"{self.seconds:.1f} ({self.recall:.3f})" if np.isfinite(self.seconds) else "–"


def write(kind: str, rows: int, path: Path) -> int:
    """Writes a data set of so many rows, or of as many as there are, and returns their number."""
    if kind in SETS:
        X = data_sets.load(kind).X
        # Programs do not agree how far a row without a direction is.
        X = X[X.any(1)][:rows]
        np.save(path, X.astype(np.float32) if X.dtype == np.float64 else X)
        return len(X)
    folder = Path(os.environ.get("FINCH_DATA", Path(__file__).parents[2] / "shared/data"))
    script = [sys.executable, str(folder / "large/make.py"), kind, str(rows), str(path)]
    subprocess.run(script, check=True, stdout=subprocess.DEVNULL)
    return rows


def measure(
    path: Path, rows: int, metric: str, programs: Sequence[str], limits: argparse.Namespace
) -> dict[str, Figure]:
    """What all programs did, in turns."""
    results = run_in_turns(programs, str(path), rows, metric, limits)
    return {name: Figure.of(runs) for name, runs in results.items()}


def fastest(figures: dict[str, Figure], names: tuple[str, ...]) -> float:
    """The seconds of the fastest that counts; infinite if none does."""
    return min((figures[name].seconds for name in names if figures[name].counts), default=np.inf)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(MADE + SETS), help="separated by commas")
    parser.add_argument("--rows", default="20000,250000", help="separated by commas")
    parser.add_argument("--metrics", default=OWN, help=f"of {METRICS} and {OWN}, separated by commas")
    parser.add_argument("--others", default=",".join(OTHERS), help="separated by commas")
    add_limits(parser, seconds=300)
    given = parser.parse_args()
    others = tuple(given.others.split(","))
    programs = FINCH + others
    ratios = []
    # A set may have fewer rows than are asked for twice.
    measured = set()
    print(f"Seconds (recall), {given.threads} threads, medians of {given.repeat}:\n")
    print("|", " | ".join(["data", "rows", "metric", *programs, "ratio"]), "|")
    print("|---|--:|---|" + "--:|" * (len(programs) + 1))
    choices = product(given.kinds.split(","), given.rows.split(","), given.metrics.split(","))
    for kind, most, metric in choices:
        if metric == OWN:
            metric = "cosine" if kind in OF_TEXTS else "euclidean"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{kind}-{most}-{metric}.npy"
            rows = write(kind, int(most), path)
            if (kind, rows, metric) in measured:
                continue
            measured.add((kind, rows, metric))
            figures = measure(path, rows, metric, programs, given)
        ratio = fastest(figures, others) / fastest(figures, FINCH)
        if np.isfinite(ratio):
            ratios.append(ratio)
        cells = [kind, f"{rows:,}", metric, *figures.values(), f"{ratio:.2f}"]
        print("|", " | ".join(map(str, cells)), "|", flush=True)
    if ratios:
        # 0 where others found enough, and finch did not.
        mean = geometric_mean(ratios) if min(ratios) > 0 else 0
        print(f"\nGeometric mean {mean:.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
