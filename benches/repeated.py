"""Whether `Suggestion.has_clusters` tells rounded clusters from rounded noise, as Markdown.

    cargo build --release -p finch-ffi
    venv/bin/python benches/repeated.py --repeat 5

Draws whose samples are repeated: ages, counts, answers from 1 to 5, and values rounded to 0.01 to 1
standard deviation; with clusters 6 to 10 standard deviations apart, rounded alike, and very few far
samples. The venv is that of mixing.py. The threshold of places was chosen by a prototype on most of these
kinds; `--held-out` draws others, which were looked at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

Random = np.random.RandomState


def rounded(step: float, draw: Callable[[Random], np.ndarray]) -> Callable[[Random], np.ndarray]:
    return lambda random: (draw(random) / step).round() * step


def apart(n: int, d: int, gap: float, share: float = 0.5) -> Callable[[Random], np.ndarray]:
    """Two Gaussians."""
    return lambda random: random.randn(n, d) + np.outer(random.rand(n) < share, [gap] + [0] * (d - 1))


def three(n: int, d: int) -> Callable[[Random], np.ndarray]:
    return lambda random: random.randn(n, d) + np.outer(random.randint(0, 3, n), [7] + [0] * (d - 1))


def tiny(sizes: tuple[int, int]) -> Callable[[Random], np.ndarray]:
    """Two Gaussians of a few samples, 30 deviations apart."""
    return lambda random: random.randn(sum(sizes), 2) + np.repeat([[0, 0], [30, 0]], sizes, axis=0)


NONE: dict[str, Callable[[Random], np.ndarray]] = {
    "5,000 ages, Gaussian": lambda random: random.normal(40, 12, 5000).round().clip(0, 90),
    "5,000 ages, even": lambda random: random.randint(18, 80, 5000),
    "100,000 Gaussian values to 0.01": rounded(0.01, lambda random: random.randn(100_000)),
    "20,000 even values to 0.001": rounded(0.001, lambda random: random.rand(20_000)),
    "500 Gaussian values to 0.1": rounded(0.1, lambda random: random.randn(500)),
    "3,000 exponential values to 0.1": rounded(0.1, lambda random: random.exponential(1, 3000)),
    "2,000 x 3 even, 1 to 5": lambda random: random.randint(1, 6, (2000, 3)),
    "2,000 x 3 binomial, 1 to 5": lambda random: 1 + random.binomial(4, 0.4, (2000, 3)),
    "500 x 4 even, 1 to 5": lambda random: random.randint(1, 6, (500, 4)),
    "2,000 x 2 even, 1 to 7": lambda random: random.randint(1, 8, (2000, 2)),
    "2,000 x 2 Gaussian to 0.1": rounded(0.1, lambda random: random.randn(2000, 2)),
    "5,000 x 2 Gaussian to 0.2": rounded(0.2, lambda random: random.randn(5000, 2)),
    "2,000 x 2 Gaussian to 0.5": rounded(0.5, lambda random: random.randn(2000, 2)),
    "2,000 x 3 Gaussian to 0.5": rounded(0.5, lambda random: random.randn(2000, 3)),
    "3,000 x 2 Poisson of 4": lambda random: random.poisson(4, (3000, 2)),
    "3,000 x 3 Poisson of 1.5": lambda random: random.poisson(1.5, (3000, 3)),
    "2,000 x 10 of 0 and 1": lambda random: random.randint(0, 2, (2000, 10)),
    "1,000 Gaussian values, not rounded": lambda random: random.randn(1000),
    "1,000 x 2 Gaussian, not rounded": lambda random: random.randn(1000, 2),
    "1,000 x 2 even, not rounded": lambda random: random.rand(1000, 2),
}
SOME: dict[str, Callable[[Random], np.ndarray]] = {
    "3,000 values, 6 apart, to 0.1": rounded(0.1, apart(3000, 1, 6)),
    "3,000 values, 8 apart, to 0.1": rounded(0.1, apart(3000, 1, 8)),
    "3,000 values, 6 apart, to 0.5": rounded(0.5, apart(3000, 1, 6)),
    "3,000 values, 10 apart, to 0.2": rounded(0.2, apart(3000, 1, 10)),
    "3,000 values, 1 : 4, 6 apart, to 0.1": rounded(0.1, apart(3000, 1, 6, 0.2)),
    "3,000 values, 1 : 4, 8 apart, to 0.2": rounded(0.2, apart(3000, 1, 8, 0.2)),
    "3,000 x 2, 6 apart, to 0.2": rounded(0.2, apart(3000, 2, 6)),
    "3,000 x 2, 8 apart, to 0.2": rounded(0.2, apart(3000, 2, 8)),
    "3,000 x 2, 6 apart, to 0.5": rounded(0.5, apart(3000, 2, 6)),
    "3,000 x 2, three, 7 apart, to 0.5": rounded(0.5, three(3000, 2)),
    "3,000 x 3, 6 apart, to 0.5": rounded(0.5, apart(3000, 3, 6)),
    "3,000 x 3, 8 apart, to 1": rounded(1.0, apart(3000, 3, 8)),
    "4 and 6 samples, 30 apart": tiny((4, 6)),
    "5 and 5 samples, 30 apart": tiny((5, 5)),
    "6 and 6 samples, 30 apart": tiny((6, 6)),
    "7 and 10 samples, 30 apart": tiny((7, 10)),
}

def disc(random: Random) -> np.ndarray:
    X = random.randn(4000, 2)
    return X / np.linalg.norm(X, axis=1)[:, None] * random.rand(4000, 1) ** 0.5


def line(random: Random) -> np.ndarray:
    along = random.rand(3000)
    return np.c_[along, 2 * along] + 0.02 * random.randn(3000, 2)


def ratings(random: Random) -> np.ndarray:
    low, high = random.binomial(9, 0.1, (1500, 3)), random.binomial(9, 0.9, (1500, 3))
    return np.vstack([low, high])


def corners(random: Random) -> np.ndarray:
    return random.randn(4000, 2) + 8 * random.randint(0, 2, (4000, 2))


HELD_NONE: dict[str, Callable[[Random], np.ndarray]] = {
    "3,000 geometric": lambda random: random.geometric(0.1, 3000),
    "3,000 beta to 0.01": rounded(0.01, lambda random: random.beta(2, 5, 3000)),
    "4,000 in a disc to 0.1": rounded(0.1, disc),
    "3,000 of Student's t to 0.1": rounded(0.1, lambda random: random.standard_t(3, 3000)),
    "3,000 on a line to 0.01": rounded(0.01, line),
    "3,000 x 2 binomial of 20": lambda random: random.binomial(20, 0.3, (3000, 2)),
    "5,000 x 3 even, 1 to 10": lambda random: random.randint(1, 11, (5000, 3)),
    "4,000 triangular, 0 to 60": rounded(1, lambda random: random.triangular(0, 20, 60, 4000)),
    "4,000 stretched Gaussian to 1": rounded(1, lambda random: random.randn(4000, 2) * [5, 1]),
    "3,000 log-normal to 0.1": rounded(0.1, lambda random: random.lognormal(0, 1, 3000)),
}
HELD_SOME: dict[str, Callable[[Random], np.ndarray]] = {
    "ages about 20 and 60": rounded(
        1, lambda random: np.r_[random.normal(20, 4, 2000), random.normal(60, 5, 2000)]
    ),
    "four Gaussians at corners to 0.5": rounded(0.5, corners),
    "even with a gap": lambda random: np.r_[random.randint(0, 40, 2000), random.randint(60, 100, 2000)],
    "3,000 x 3 ratings, low or high": ratings,
    "two cubes in 3 features": rounded(
        0.125, lambda random: random.rand(4000, 3) + np.outer(random.rand(4000) < 0.5, [1.73, 0, 0])
    ),
    "three of 3,000, 600 and 300": rounded(
        0.25,
        lambda random: np.r_[random.randn(3000), random.randn(600) + 12, random.randn(300) - 12],
    ),
}


def answer(X: np.ndarray) -> str:
    X = np.asarray(X, float).reshape(len(X), -1)
    found = finch.cluster(X, refinable=True, threads=1).suggest(X, threads=1)
    # Libraries before the three answers have two.
    return getattr(found, "clustered", "yes" if found.has_clusters else "no")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="draws of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--held-out", action="store_true", help="of the kinds held out")
    arguments = parser.parse_args()
    noise, clusters = (HELD_NONE, HELD_SOME) if arguments.held_out else (NONE, SOME)
    rows, wrong = [], []
    for title, kinds, false in (("noise", noise, "yes"), ("clusters", clusters, "no")):
        told: list[str] = []
        for kind, draw in kinds.items():
            random = np.random.RandomState(arguments.seed)
            found = [answer(draw(random)) for _ in range(arguments.repeat)]
            counts = [found.count(answered) for answered in ("yes", "no", "too few to tell")]
            rows.append([kind, title, *map(str, counts)])
            print(rows[-1], file=sys.stderr)
            told += found
        wrong.append(f"{title}: {told.count(false)} of {len(told)} are told {false}")
    print(markdown(["draws", "of", "yes", "no", "too few"], rows), *wrong, sep="\n")


if __name__ == "__main__":
    main()
