"""Data that could slow a search down, each beside like data that could not: one Markdown table.

    cargo build --release -p finch-ffi
    FINCH_DATA=../shared/data PYTHONPATH=python venv/bin/python benches/odd_data.py

"Like" is the same work on data without what is odd: the distinct rows alone, random rows of the same shape,
the same rows without one cell, another linkage or metric. Both run in turns, each in a process of its own
that has the data and has warmed up; where the odd data repeats rows, to read it once (a sum by NumPy) is
counted to what is like it. Seconds are medians of all threads by the clock. Takes NumPy alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import data_sets
import finch_clustering as finch
import numpy as np

# What makes data or reads it, and returns what is timed.
Side = Callable[[], Callable[[], Any]]


def of(make: Callable[[], Any], **options: Any) -> Side:
    """First neighbours of what is made."""

    def side() -> Callable[[], Any]:
        X = make()
        return lambda: finch.first_neighbors(X, **options)

    return side


def and_read(side: Side, make: Callable[[], Any]) -> Side:
    """A side, and reading other data once."""

    def both() -> Callable[[], Any]:
        call, X = side(), make()
        return lambda: (X.sum(dtype=np.float64), call())

    return both


def to_ten(make: Callable[[], Any], **options: Any) -> Side:
    """All of FINCH, to 10 clusters."""

    def side() -> Callable[[], Any]:
        X = make()
        return lambda: finch.cluster(X, refinable=True, **options).refine(X, 10)

    return side


def refined(clusters: int, linkage: str) -> Side:
    """The finest partition with more than so many clusters, merged to that number."""

    def side() -> Callable[[], Any]:
        # Of uniform points in a plane, 3.2 are in a cluster of the first partition.
        X = np.random.default_rng(0).random((int(clusters * 3.3), 2), np.float32)
        hierarchy = finch.cluster(X, refinable=True)
        if hierarchy.n_clusters[0] <= clusters:
            raise ValueError(f"{hierarchy.n_clusters[0]} clusters are not more than {clusters}")
        return lambda: hierarchy.refine(X, clusters, linkage=linkage)

    return side


def images(count: int) -> Any:
    """Images of MNIST, of 784 pixels."""
    return data_sets.load("mnist70k").X[-count:]


def with_sentinel() -> Any:
    X = images(10_000).astype(np.float32)
    X[5_000, 400] = 1e20
    return X


def random(rows: int, columns: int) -> Any:
    return np.random.default_rng(0).normal(size=(rows, columns)).astype(np.float32)


def repeated(rows: int, columns: int) -> Any:
    return random(10_000, columns)[np.random.default_rng(1).integers(10_000, size=rows)]


def equal(rows: int, columns: int, distinct: int) -> Any:
    return random(distinct, columns)[np.arange(rows) % distinct]


def in_order(rows: int, columns: int) -> Any:
    X = random(rows, columns)
    return X[np.argsort(X[:, 0])]


def with_outlier(rows: int, columns: int) -> Any:
    X = random(rows, columns)
    X[0] = 1e6
    return X


def lattice(rows: int, columns: int) -> Any:
    return np.random.default_rng(0).integers(10, size=(rows, columns)).astype(np.float32)


def in_far_groups() -> Any:
    X = random(20_000, 100) * np.float32(0.001)
    X[:10_000, 0] += 1
    return X


def cases() -> dict[str, tuple[Side, str, Side]]:
    """By the odd data: the sides, and what is like it."""
    all_of: dict[str, tuple[Side, str, Side]] = {}
    for columns in (38, 784):
        many = partial(repeated, 1_000_000, columns)
        alone = and_read(of(partial(random, 10_000, columns)), many)
        all_of[f"10⁶ × {columns}, 10,000 distinct"] = of(many), "distinct rows, reading", alone
    shape = 100_000, 38
    like = of(partial(random, *shape))
    for name, make in (
        ("all equal", partial(equal, *shape, 1)),
        ("two distinct", partial(equal, *shape, 2)),
        ("in the order of a column", partial(in_order, *shape)),
        ("one row at 10⁶", partial(with_outlier, *shape)),
        ("integers below 10", partial(lattice, *shape)),
    ):
        all_of[f"100,000 × 38, {name}"] = of(make), "normal numbers", like
    noise = partial(random, 200_000, 12)
    all_of["200,000 × 12, normal"] = of(noise), "blocks", of(noise, search="blocked")
    usual = of(lambda: images(10_000).astype(np.float32))
    all_of["10,000 images, one cell of 10²⁰"] = of(with_sentinel), "without the cell", usual
    for metric in ("euclidean", "cosine"):
        groups = of(in_far_groups, metric=metric)
        like = of(partial(random, 20_000, 100), metric=metric)
        all_of[f"20,000 × 100, two tight groups, {metric}"] = groups, "normal numbers", like
    for clusters in (25_000, 50_000, 100_000):
        for linkage in ("centroid", "ward"):
            merged = refined(clusters, linkage), "neighbour linkage", refined(clusters, "neighbor")
            all_of[f"to {clusters:,} clusters in 2 columns, {linkage}"] = merged
    pixels = partial(images, 70_000)
    all_of["70,000 images, cosine"] = of(pixels, metric="cosine"), "Euclidean", of(pixels)
    whole = to_ten(pixels, metric="cosine"), "Euclidean", to_ten(pixels)
    all_of["70,000 images, cosine, 33 nearest, to 10 clusters"] = whole
    few = partial(images, 20_000)
    all_of["20,000 images, Manhattan"] = of(few, metric="manhattan"), "Euclidean", of(few)
    return all_of


def run(name: str, which: int) -> None:
    """Prints the seconds of a side, and the most memory in MB."""
    call = cases()[name][which]()
    finch.first_neighbors(random(1_000, 4))
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()
    print(seconds, int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6)


def apart(name: str, which: int) -> list[float]:
    """A side, in a process of its own."""
    job = [sys.executable, __file__, "--run", name, str(which)]
    output = subprocess.run(job, check=True, stdout=subprocess.PIPE, text=True).stdout
    return list(map(float, output.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--run", nargs=2, metavar=("CASE", "SIDE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(given.run[0], int(given.run[1]))
        return
    print("| odd data | s | MB | like data | s | MB | ratio |\n|---|--:|--:|---|--:|--:|--:|")
    for name, (_, like, _) in cases().items():
        if given.only not in name:
            continue
        rounds = [[apart(name, 0), apart(name, 2)] for _ in range(given.repeat)]
        odd, other = ([median(one[side][part] for one in rounds) for part in (0, 1)] for side in (0, 1))
        cells = f"{name} | {odd[0]:.2f} | {odd[1]:.0f} | {like} | {other[0]:.2f} | {other[1]:.0f}"
        print(f"| {cells} | {odd[0] / other[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
