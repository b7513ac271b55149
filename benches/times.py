"""Actions in made streams, by distances that are weighted by time and without time, as Markdown.

    cargo build --release -p finch-ffi
    venv/bin/python benches/times.py [--seeds 10]
    venv/bin/python benches/times.py --cost

A stream is as a video of 8 actions in 64 features, of 40 to 300 frames a segment. A frame is the
direction of its action, of length 1, and noise that goes on from frame to frame (90 % of the noise of
a frame are that of the frame before). In some streams people take one pose after the other, each for 5
to 30 frames: one of 12 directions that all actions share, which is added. In others a background wanders
through the whole stream, frames are of no action, or an action comes three times.
Labels are matched to actions one to one by SciPy
(Hungarian), for each stream. MoF is the share of frames that are right then, IoU the mean over actions
of the frames that are right to all that are of the action or called so: the paper's two measures. All
programs are told K, the number of actions. The venv is that of linkage.py.

`--cost` takes the seconds of processors that `cluster` takes with times and without, of streams of
more and more frames, and of noise that no time explains.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.signal import lfilter
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics.cluster import contingency_matrix
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

ACTIONS, FEATURES, POSES = 8, 64, 12
KINDS: dict[str, dict[str, float]] = {
    "clear": {"noise": 0.5},
    "noisy": {"noise": 1.0},
    "very noisy": {"noise": 2.0},
    "poses as strong as actions": {"noise": 0.5, "poses": 1.0},
    "poses twice as strong": {"noise": 0.5, "poses": 2.0},
    "noisy, poses twice as strong": {"noise": 1.0, "poses": 2.0},
    "noisy, wandering": {"noise": 1.0, "wander": 2.0},
    "noisy, one frame in ten of no action": {"noise": 1.0, "none": 0.1},
    "clear, each action three times": {"noise": 0.5, "visits": 3},
    "noisy, each action three times": {"noise": 1.0, "visits": 3},
}


def directions(random: np.random.RandomState, count: int) -> np.ndarray:
    X = random.randn(count, FEATURES)
    return X / np.linalg.norm(X, axis=1)[:, None]


def smooth(random: np.random.RandomState, frames: int, kept: float) -> np.ndarray:
    """Noise of about length 1 in each frame, of which a share is that of the frame before."""
    steps = random.randn(frames, FEATURES) / np.sqrt(FEATURES)
    return lfilter([np.sqrt(1 - kept**2)], [1, -kept], steps, axis=0)


def stream(
    seed: int,
    noise: float,
    poses: float = 0.0,
    wander: float = 0.0,
    none: float = 0.0,
    visits: float = 1,
) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(seed)
    centers, shared = directions(random, ACTIONS), directions(random, POSES)
    order = np.concatenate([random.permutation(ACTIONS) for _ in range(int(visits))])
    y = np.repeat(order, random.randint(40, 300, len(order)))
    X = centers[y] + noise * smooth(random, len(y), 0.9) + wander * smooth(random, len(y), 0.999)
    lengths = random.randint(5, 30, len(y))
    X += poses * shared[np.repeat(random.randint(POSES, size=len(y)), lengths)[: len(y)]]
    odd = random.rand(len(y)) < none
    X[odd] = random.randn(int(odd.sum()), FEATURES) / np.sqrt(FEATURES)
    return X, y


def scores(labels: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """MoF and IoU, in percent."""
    counts = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    right = counts[rows, columns]
    either = counts.sum(1)[rows] + counts.sum(0)[columns] - right
    return 100 * right.sum() / len(y), 100 * float((right / either).sum()) / counts.shape[0]


def timed(linkage: str, contiguous: bool) -> Callable[[np.ndarray, int], np.ndarray]:
    def labels(X: np.ndarray, seed: int) -> np.ndarray:
        times = np.arange(len(X))
        found = finch.cluster(X, metric="cosine", times=times, contiguous=contiguous)
        return found.refine(X, ACTIONS, linkage=linkage)

    return labels


def plain(linkage: str) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: finch.cluster(X, metric="cosine").refine(X, ACTIONS, linkage=linkage)


PROGRAMS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "times": timed("centroid", False),
    "times, Ward": timed("ward", False),
    "segments": timed("centroid", True),
    "segments, Ward": timed("ward", True),
    "FINCH, neighbour linkage": plain("neighbor"),
    "FINCH, centroid": plain("centroid"),
    "k-means": lambda X, seed: KMeans(ACTIONS, n_init=10, random_state=seed).fit_predict(X),
    "Ward": lambda X, seed: AgglomerativeClustering(ACTIONS).fit_predict(X),
}


def quality(seeds: int) -> str:
    tables = []
    means: dict[str, list[list[float]]] = {name: [[], []] for name in PROGRAMS}
    rows = []
    for kind, options in KINDS.items():
        streams = [stream(seed, **options) for seed in range(seeds)]
        cells = [kind, f"{fmean(len(X) for X, _ in streams):.0f}"]
        for name, program in PROGRAMS.items():
            found = [scores(program(X, seed), y) for seed, (X, y) in enumerate(streams)]
            mof, iou = (fmean(score) for score in zip(*found, strict=True))
            means[name][0].append(mof)
            means[name][1].append(iou)
            cells.append(f"{mof:.1f} / {iou:.1f}")
        rows.append(cells)
    rows.append(["mean", "", *(f"{fmean(a):.1f} / {fmean(b):.1f}" for a, b in means.values())])
    tables.append(markdown(["stream (MoF / IoU)", "frames", *PROGRAMS], rows))
    return "\n\n".join(tables)


def cost() -> str:
    rows = []
    for frames in (5_000, 20_000, 80_000):
        for kind in ("stream", "noise"):
            random = np.random.RandomState(0)
            X = random.randn(frames, FEATURES)
            if kind == "stream":
                parts = [stream(seed, 1.0)[0] for seed in range(frames // 1_000 + 2)]
                X = np.vstack(parts)[:frames]
            times = np.arange(frames)
            seconds: dict[str, list[float]] = {"plain": [], "timed": [], "segments": []}
            for _ in range(3):
                for name, options in {
                    "plain": {},
                    "timed": {"times": times},
                    "segments": {"times": times, "contiguous": True},
                }.items():
                    began = time.process_time()
                    finch.cluster(X, metric="cosine", recall=1.0, **options)
                    seconds[name].append(time.process_time() - began)
            best = {name: min(taken) for name, taken in seconds.items()}
            rows.append([kind, f"{len(X):,}", *(f"{taken:.2f}" for taken in best.values())])
    return markdown(["data", "samples", "without times, s", "times, s", "segments, s"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10, help="streams of each kind")
    parser.add_argument("--cost", action="store_true")
    arguments = parser.parse_args()
    print(cost() if arguments.cost else quality(arguments.seeds))
