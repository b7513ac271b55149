"""Outlier scores beside other programs: the measurements of outliers.md, as Markdown.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 hdbscan==0.8.44
    cargo build --release -p finch-ffi
    venv/bin/python benches/outliers.py --out outliers.md

A score is good if noise has higher scores than other samples: ROC AUC in percent, 50 being chance.
Real sets are those of `shapes/` with noise (label 0) in the folder FINCH_DATA (default
`../shared/data`); made sets say below what is noise in them. `finch` is
`Hierarchy.outlier_scores`; FINCH_LIBRARY names another library. The rule
was chosen on the sets for selection, and looked at once on those held out. `--sets NAME,NAME` takes
those only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

Labelled = tuple[np.ndarray, np.ndarray]
"""Samples (N x d), and which of them are noise."""


def shape(name: str) -> Labelled:
    """One of the real sets."""
    repository = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("FINCH_DATA", repository / "../shared/data"))
    with np.load(folder / "shapes" / f"{name}.npz") as arrays:
        return arrays["X"].astype(np.float64), arrays["y"].ravel() == 0


def directions(random: np.random.RandomState, count: int, features: int) -> np.ndarray:
    vectors = random.randn(count, features)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def with_noise(samples: list[np.ndarray], noise: np.ndarray) -> Labelled:
    inner = np.vstack(samples)
    return np.vstack([inner, noise]), np.arange(len(inner) + len(noise)) >= len(inner)


def blobs(features: int) -> Labelled:
    """Four Gaussians of deviations from 0.3 to 2, and even noise in the box around them."""
    random = np.random.RandomState(features)
    samples = []
    for size, deviation in [(600, 1.0), (400, 0.3), (200, 2.0), (300, 0.6)]:
        center = directions(random, 1, features) * 12
        samples.append(center + deviation * random.randn(size, features))
    X = np.vstack(samples)
    low, high = X.min(0) - 2, X.max(0) + 2
    return with_noise(samples, low + (high - low) * random.rand(75, features))


def ring(features: int) -> Labelled:
    """A thick ring, a ball at its centre, and even noise in the cube around them."""
    random = np.random.RandomState(features)
    angle = 2 * np.pi * random.rand(1000)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * 5
    plane, _ = np.linalg.qr(random.randn(features, features))
    around = circle @ plane[:2] + 0.25 * random.randn(1000, features)
    samples = [around, 0.4 * random.randn(300, features)]
    X = np.vstack(samples)
    low, high = X.min() - 1, X.max() + 1
    return with_noise(samples, low + (high - low) * random.rand(65, features))


def groups(features: int) -> Labelled:
    """Three Gaussians, and twelve far groups of 1 to 7 samples, which are the noise."""
    random = np.random.RandomState(features)
    samples = []
    for size, deviation in [(700, 1.0), (500, 0.5), (300, 1.5)]:
        center = directions(random, 1, features) * 10
        samples.append(center + deviation * random.randn(size, features))
    far = []
    for _ in range(12):
        size = random.randint(1, 8)
        center = directions(random, 1, features) * (16 + 4 * random.rand())
        far.append(center + 0.3 * random.randn(size, features))
    return with_noise(samples, np.vstack(far))


def local(features: int) -> Labelled:
    """Four Gaussians of deviations from 0.1 to 2.5, and noise just outside of each, which is nearer
    than samples of a sparse cluster are to each other."""
    random = np.random.RandomState(features + 100)
    samples, noise = [], []
    for size, deviation in [(500, 0.1), (500, 0.5), (300, 2.5), (200, 1.0)]:
        center = directions(random, 1, features) * 25
        samples.append(center + deviation * random.randn(size, features))
        count = size // 40
        length = deviation * (np.sqrt(features) + 3 + 3 * random.rand(count, 1))
        noise.append(center + directions(random, count, features) * length)
    return with_noise(samples, np.vstack(noise))


REAL = {
    "selection": [
        "graves_ring_noisy",
        "graves_zigzag_outliers",
        "other_chameleon_t4_8k",
        "other_chameleon_t7_10k",
    ],
    "held out": [
        "graves_zigzag_noisy",
        "other_chameleon_t5_8k",
        "other_chameleon_t8_8k",
        "other_hdbscan",
    ],
}
MADE = {
    "selection": [
        (blobs, 2),
        (blobs, 50),
        (ring, 10),
        (groups, 2),
        (groups, 50),
        (local, 2),
        (local, 50),
    ],
    "held out": [(blobs, 10), (ring, 2), (ring, 50), (groups, 10), (local, 10)],
}


def sets() -> dict[str, dict[str, Callable[[], Labelled]]]:
    """What makes the sets, by group and name."""
    found: dict[str, dict[str, Callable[[], Labelled]]] = {}
    for group in REAL:
        real = {name: lambda name=name: shape(name) for name in REAL[group]}
        made = {
            f"{make.__name__} {features}-D": lambda make=make, features=features: make(features)
            for make, features in MADE[group]
        }
        found[group] = real | made
    return found


def finch_scores(X: np.ndarray) -> np.ndarray:
    """By the library, whose hierarchy keeps the neighbours that the scores need."""
    return finch.cluster(X, refinable=True).outlier_scores(X)


def lof(X: np.ndarray) -> np.ndarray:
    from sklearn.neighbors import LocalOutlierFactor

    return -LocalOutlierFactor().fit(X).negative_outlier_factor_


def glosh(*, of_neighbors: bool) -> Callable[[np.ndarray], np.ndarray]:
    """HDBSCAN's, with its default size of clusters or with as many samples as finch looks at."""

    def score(X: np.ndarray) -> np.ndarray:
        import hdbscan

        size = min(int(np.ceil(2 * np.log2(len(X)))), len(X) // 4)
        made = hdbscan.HDBSCAN(min_cluster_size=size) if of_neighbors else hdbscan.HDBSCAN()
        return np.nan_to_num(made.fit(X).outlier_scores_)

    return score


PEERS = {
    "finch": finch_scores,
    "LOF": lof,
    "GLOSH": glosh(of_neighbors=False),
    "GLOSH, min_cluster_size = ⌈2·log₂ N⌉": glosh(of_neighbors=True),
}


def table(group: str, makers: dict[str, Callable[[], Labelled]]) -> str:
    from sklearn.metrics import roc_auc_score

    titles = " | ".join([group, "N", "d", "noise", *PEERS])
    lines = [f"| {titles} |", "| --- " + "| --: " * (3 + len(PEERS)) + "|"]
    scores: dict[str, list[float]] = {peer: [] for peer in PEERS}
    seconds = dict.fromkeys(PEERS, 0.0)
    for name, make in makers.items():
        X, noise = make()
        for peer, score in PEERS.items():
            start = time.perf_counter()
            found = score(X)
            seconds[peer] += time.perf_counter() - start
            scores[peer].append(100 * float(roc_auc_score(noise, found)))
        cells = " | ".join(f"{of_peer[-1]:.1f}" for of_peer in scores.values())
        lines.append(f"| {name} | {len(X)} | {X.shape[1]} | {noise.sum()} | {cells} |")
        print(lines[-1], file=sys.stderr)
    for title, average in [("mean", fmean), ("least", min)]:
        cells = " | ".join(f"{average(of_peer):.1f}" for of_peer in scores.values())
        lines.append(f"| **{title}** | | | | {cells} |")
    print({peer: round(of_peer, 1) for peer, of_peer in seconds.items()}, "s", file=sys.stderr)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", help="names of sets, with commas between them [default: all]")
    parser.add_argument("--out", type=Path, help="file to write instead of the terminal")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    wanted = arguments.sets.split(",") if arguments.sets else None
    tables = []
    for group, makers in sets().items():
        chosen = {name: make for name, make in makers.items() if not wanted or name in wanted}
        if chosen:
            tables.append(table(group, chosen))
    text = "\n\n".join(tables) + "\n"
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
