#!/usr/bin/env python3
"""The cost of calling from Python: the same clustering from C and from Python, in turns.

    cargo build --release -p finch-ffi
    FINCH_LIBRARY=target/release/libfinch.so PYTHONPATH=python python python/benches/overhead.py [ROUNDS]

Each run is a process of its own, and its seconds are those of the call. The C side is
finch-ffi/benches/overhead.c, compiled by cc. Rows are pixels of MNIST, in the folder FINCH_DATA, and
random bytes where there are none.
"""

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FINCH_DATA", ROOT / "../shared/data"))
COLUMNS = 784


def pixels(rows):
    path = DATA / "mnist/train-images-idx3-ubyte.gz"
    if not path.is_file():
        return np.random.default_rng(0).integers(0, 256, (rows, COLUMNS), np.uint8)
    values = gzip.open(path).read(16 + rows * COLUMNS)
    return np.frombuffer(values, np.uint8, offset=16).reshape(rows, COLUMNS)


def call(path, rows):
    import finch_clustering as finch

    X = np.fromfile(path, np.uint8).reshape(rows, COLUMNS)
    start = time.perf_counter()
    hierarchy = finch.cluster(X)
    print(time.perf_counter() - start, hierarchy.n_clusters[0])


def compiled(folder, library):
    program = folder / "overhead"
    (folder / "libfinch.so.1").symlink_to(library)
    (folder / "libfinch.so").symlink_to(library)
    command = ["cc", "-O2", "-I", ROOT / "include", ROOT / "finch-ffi/benches/overhead.c"]
    command += ["-L", folder, f"-Wl,-rpath,{folder}", "-lfinch", "-o", program]
    subprocess.run(command, check=True)
    return program


def main():
    rounds = int(sys.argv[1]) if sys.argv[1:] else 5
    library = Path(os.environ["FINCH_LIBRARY"]).resolve()
    print("| rows of 784 bytes | C, s | Python, s | Python / C, round by round |\n|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder), library)
        for rows in (200, 2_000, 20_000):
            path = Path(folder, f"{rows}.u8")
            pixels(rows).tofile(path)
            sides = {
                "C": [program, "cluster", path, str(rows), str(COLUMNS)],
                "Python": [sys.executable, __file__, "call", path, str(rows)],
            }
            times = {side: [] for side in sides}
            clusters = set()
            for _ in range(rounds):
                for side, command in sides.items():
                    told = subprocess.run(command, check=True, capture_output=True, text=True)
                    seconds, found = told.stdout.split()[:2]
                    times[side].append(float(seconds))
                    clusters.add(found)
            assert len(clusters) == 1, "the two disagree"
            c, python = (statistics.median(times[side]) for side in sides)
            ratios = [b / a for a, b in zip(*times.values())]
            print(
                f"| {rows:,} | {c:.4f} | {python:.4f} | {statistics.median(ratios):.3f}"
                f" ({min(ratios):.3f} to {max(ratios):.3f}) |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["call"]:
        call(sys.argv[2], int(sys.argv[3]))
    else:
        main()
