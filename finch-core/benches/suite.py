"""First neighbours of data of many kinds, by finch and by other programs: one Markdown table.

    FINCH_DATA=../shared/data venv/bin/python finch-core/benches/suite.py --rows 20000,250000

Kinds are those of `large/make.py` in the folder of data, texts with rows of length 1. Programs take
turns, each run in a process of its own, as in neighbors.py, which also says what is needed. The last
column is how many times as long the fastest of the others took that found 99 % as finch took with the
faster of `auto` and `approximate` that did. Below the table: the geometric mean of that column and
its least number.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from neighbors import add_limits, run_in_turns

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
KINDS = ("augmented", "mixture", "text", "patches", "table", "manifold", "noise")
ENOUGH = 0.99
"""The recall that counts."""


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


def make(kind: str, rows: int, path: Path) -> None:
    """Writes a data set."""
    folder = Path(os.environ.get("FINCH_DATA", Path(__file__).parents[3] / "shared/data"))
    script = [sys.executable, str(folder / "large/make.py"), kind, str(rows), str(path)]
    subprocess.run(script, check=True, stdout=subprocess.DEVNULL)
    if kind == "text":
        X = np.load(path)
        np.save(path, X / np.linalg.norm(X, axis=1, keepdims=True))


def measure(path: Path, programs: Sequence[str], limits: argparse.Namespace) -> dict[str, Figure]:
    """All programs, in turns."""
    results = run_in_turns(programs, str(path), len(np.load(path, mmap_mode="r")), limits)
    return {name: Figure.of(runs) for name, runs in results.items()}


def fastest(figures: dict[str, Figure], names: tuple[str, ...]) -> float:
    """The seconds of the fastest that counts; infinite if none does."""
    return min((figures[name].seconds for name in names if figures[name].counts), default=np.inf)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--rows", default="20000,250000", help="separated by commas")
    parser.add_argument("--others", default=",".join(OTHERS), help="separated by commas")
    add_limits(parser, seconds=300)
    given = parser.parse_args()
    others = tuple(given.others.split(","))
    programs = FINCH + others
    ratios = []
    print(f"Seconds (recall), {given.threads} threads, medians of {given.repeat}:\n")
    print("|", " | ".join(["data", "rows", *programs, "ratio"]), "|")
    print("|---|" + "--:|" * (len(programs) + 2))
    for kind in given.kinds.split(","):
        for rows in map(int, given.rows.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{kind}-{rows}.npy"
                make(kind, rows, path)
                figures = measure(path, programs, given)
            ratio = fastest(figures, others) / fastest(figures, FINCH)
            if np.isfinite(ratio):
                ratios.append(ratio)
            cells = [kind, f"{rows:,}", *figures.values(), f"{ratio:.1f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
    if ratios:
        print(f"\nGeometric mean {geometric_mean(ratios):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main()
