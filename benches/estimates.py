"""What searches were told to take beside what they take, in seconds of one core, as Markdown.

    cargo build --release -p finch-ffi
    FINCH_DATA=../shared/data venv/bin/python benches/estimates.py --rows 20000,60000

`Hierarchy.explanation` tells how long each search that was considered would take. Each is then run by name on
one thread, and CPU time is counted, which other programs on the machine hardly change. The last column is the
share of rows whose neighbour is as near as the one that `auto` found, and the last line counts the estimates
that are within a factor of 2. Kinds are those of `large/make.py` in the folder of data, sets of
data_sets.py, and blobs and noise of many features; searches that are told to take longer than `--most`
seconds are left out. What is told hangs on no machine: it is for one thread of Zen 3.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

DATA = Path(os.environ.get("FINCH_DATA", Path(__file__).parents[2] / "shared/data"))
MADE = ("augmented", "mixture", "text", "patches", "table", "manifold", "noise")
OWN = ("usps", "debian", "mnist", "letter", "wide blobs", "blobs", "wide noise")
OF_DIRECTIONS = ("text", "debian", "usps", "wide blobs")
TOLD = re.compile(r"(kd-tree|blocked|projected|approximate) ([\d.]+) s")


def made(kind: str, rows: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        command = [sys.executable, str(DATA / "large/make.py"), kind, str(rows), str(path)]
        subprocess.run(command, check=True)
        return np.load(path)


def own(kind: str, rows: int) -> Any:
    random = np.random.default_rng(0)

    def blobs(count: int, d: int, spread: float) -> Any:
        centers = random.normal(size=(count, d)).astype(np.float32)
        around = random.normal(size=(rows, d)).astype(np.float32)
        return centers[random.integers(0, count, rows)] + spread * around

    match kind:
        case "usps" | "letter":
            return np.load(DATA / f"{kind}.npz")["X"][:rows]
        case "debian":
            return np.load(DATA / "embeddings/debian.npz")["X"][:rows]
        case "mnist":
            import gzip

            with gzip.open(DATA / "mnist/train-images-idx3-ubyte.gz") as file:
                return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)[:rows]
        case "wide blobs":
            rows = min(rows, 40_000)
            return blobs(800, 1024, 0.5)
        case "blobs":
            return blobs(max(rows // 100, 1), 64, 0.5)
        case _:
            return random.normal(size=(rows, 256)).astype(np.float32)


def measured(X: Any, metric: str, search: str) -> tuple[float, Any]:
    """CPU seconds, and the distances that were found."""
    start = time.process_time()
    found = finch.first_neighbors(X, metric=metric, search=search, threads=1)
    return time.process_time() - start, found.distance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", default="20000")
    parser.add_argument("--kinds", default=",".join((*MADE, *OWN)))
    parser.add_argument("--metrics", default="", help="of all kinds; else that of each")
    parser.add_argument("--most", type=float, default=100.0)
    options = parser.parse_args()
    lines, within, all_told = [], 0, 0
    for kind in options.kinds.split(","):
        shapes = set()
        for rows in map(int, options.rows.split(",")):
            X = made(kind, rows) if kind in MADE else own(kind, rows)
            if X.shape in shapes:
                continue
            shapes.add(X.shape)
            own_metric = "cosine" if kind in OF_DIRECTIONS else "euclidean"
            for metric in (options.metrics or own_metric).split(","):
                auto = finch.cluster(X, metric=metric, threads=1)
                exact = auto.distances
                print(auto.explanation, file=sys.stderr)
                told = {name: float(seconds) for name, seconds in TOLD.findall(auto.explanation)}
                for search, seconds in told.items():
                    if seconds > options.most:
                        continue
                    taken, distances = measured(X, metric, search)
                    ratio = taken / max(seconds, 1e-3)
                    recall = float(np.mean(distances <= exact))
                    all_told += 1
                    within += 0.5 <= ratio <= 2
                    shape = f"{X.shape[0]:,} x {X.shape[1]}"
                    chosen = " (chosen)" if search == auto.search else ""
                    figures = [f"{seconds:.2f}", f"{taken:.2f}", f"{ratio:.2f}", f"{recall:.3f}"]
                    lines.append([f"{kind}, {shape}, {metric}", search + chosen, *figures])
                    print(lines[-1], file=sys.stderr, flush=True)
    print(markdown(["data", "search", "told", "taken", "ratio", "recall"], lines))
    print(f"\n{within} of {all_told} within a factor of 2")


if __name__ == "__main__":
    main()
