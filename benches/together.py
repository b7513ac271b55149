"""First neighbours by several programs in one process, in turns: a Markdown table.

    venv/bin/python benches/together.py text.npy --metric cosine \\
        --peers "finch,finch approximate,PyNNDescent 20"

Like neighbors.py, which says what is needed, but that PyNNDescent is compiled once, and not for every run: where
that takes many times as long as a search, many searches can be measured. Without limits of time and memory.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median

import numpy as np
from neighbors import METRICS, PEERS, TAKES_U8, Truth, chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", help=".npy files of samples, f32 or u8")
    parser.add_argument("--metric", choices=METRICS, default=METRICS[0])
    parser.add_argument("--peers", default="finch,finch approximate,PyNNDescent 15", help="separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    given = parser.parse_args()
    names = chosen(parser, given.peers, [name for name in PEERS if not name.startswith("whole")])
    searches = {name: PEERS[name](given.threads, given.metric) for name in names}
    print(f"Seconds (recall), {given.metric}, {given.threads} threads, medians of {given.repeat}:\n")
    print("|", " | ".join(["data", "rows", *names]), "|")
    print("|---|--:|" + "--:|" * len(names))
    for path in given.data:
        X = np.load(path)
        truth = Truth(path, len(X), given.metric)
        seconds: dict[str, list[float]] = {name: [] for name in names}
        recalls = {}
        for _ in range(given.repeat):
            for name, search in searches.items():
                samples = X if name in TAKES_U8 else X.astype(np.float32)
                began = time.perf_counter()
                index = search(samples)
                seconds[name].append(time.perf_counter() - began)
                recalls[name] = truth.recall(np.asarray(index))
        cells = [f"{median(seconds[name]):.2f} ({recalls[name]:.3f})" for name in names]
        print("|", " | ".join([os.path.basename(path), f"{len(X):,}", *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
