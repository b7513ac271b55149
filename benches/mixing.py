"""Whether `Suggestion.has_clusters` tells data with clusters from data without, as Markdown.

    cargo build --release -p finch-ffi
    venv/bin/python benches/mixing.py --repeat 4

Draws of 100 to 2,000 samples in 1 to 30 features. Without clusters: a Gaussian, round or five times as
long as wide, uniform noise in a cube and a ball, and lines with noise of 0.1, 1 and 5 % of their length.
With clusters, 6 standard deviations apart: two Gaussians of equal sizes and of one in four, three in a
row, and two cubes. The venv is that of linkage.py. Every other cell of kind, size and features is of
the half that the threshold was chosen by.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

SIZES = (100, 200, 500, 1000, 2000)
FEATURES = (1, 2, 3, 5, 10, 30)
Random = np.random.RandomState


def ball(random: Random, n: int, d: int) -> np.ndarray:
    X = random.randn(n, d)
    return X / np.linalg.norm(X, axis=1)[:, None] * random.rand(n, 1) ** (1 / d)


def line(noise: float) -> Callable[[Random, int, int], np.ndarray]:
    def draw(random: Random, n: int, d: int) -> np.ndarray:
        direction = random.randn(d)
        along = np.outer(random.rand(n), direction / np.linalg.norm(direction))
        return along + noise * random.randn(n, d)

    return draw


def apart(*starts: float) -> Callable[[Random, int, int], np.ndarray]:
    """Gaussians in a row, each from a part of the samples on."""

    def draw(random: Random, n: int, d: int) -> np.ndarray:
        X = random.randn(n, d)
        for start in starts:
            X[int(start * n) :, 0] += 6
        return X

    return draw


def cubes(random: Random, n: int, d: int) -> np.ndarray:
    X = random.rand(n, d)
    X[: n // 2, 0] += 6 / np.sqrt(12)
    return X


NONE = {
    "Gaussian": lambda random, n, d: random.randn(n, d),
    "cube": lambda random, n, d: random.rand(n, d),
    "stretched Gaussian": lambda random, n, d: random.randn(n, d) * np.r_[5, np.ones(d - 1)],
    "ball": ball,
    "line, 0.1 %": line(0.001),
    "line, 1 %": line(0.01),
    "line, 5 %": line(0.05),
}
SOME = {
    "two Gaussians": apart(0.5),
    "two, 1 : 4": apart(0.2),
    "three Gaussians": apart(1 / 3, 2 / 3),
    "two cubes": cubes,
}


def has_clusters(X: np.ndarray) -> bool:
    return finch.cluster(X, refinable=True, threads=1).suggest(X, threads=1).has_clusters is True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=4, help="draws of each cell")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    random = np.random.RandomState(arguments.seed)
    wrong: dict[tuple[str, int, bool], list[bool]] = {}
    for kind, draw in enumerate((NONE | SOME).items()):
        for size, n in enumerate(SIZES):
            for place, d in enumerate(FEATURES):
                if d == 1 and draw[0] not in ("Gaussian", "cube", *SOME):
                    continue
                chosen_by = (kind + size + place) % 2 == 0
                for _ in range(arguments.repeat):
                    told = has_clusters(draw[1](random, n, d))
                    wrong.setdefault((draw[0], d, chosen_by), []).append(told == (draw[0] in NONE))
    rows = []
    for kind in NONE | SOME:
        cells = [[w for half in (True, False) for w in wrong.get((kind, d, half), [])] for d in FEATURES]
        rows.append([kind, *(f"{100 * fmean(cell):.0f}" if cell else "" for cell in cells)])
    print(markdown(["wrong, %", *(f"d = {d}" for d in FEATURES)], rows))
    for name, kinds in (("false alarms", NONE), ("misses", SOME)):
        for half in (True, False):
            cells = [w for (kind, d, h), w in wrong.items() if kind in kinds and d > 1 and h == half]
            draws = [w for cell in cells for w in cell]
            of = "the half chosen by" if half else "the other half"
            print(f"{name}, {of}, from 2 features on: {100 * fmean(draws):.1f} % of {len(draws)}")


if __name__ == "__main__":
    main()
