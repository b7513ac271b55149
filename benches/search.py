"""Costs of finch's own searches: estimates, odd data, element types, packed bits."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import data_sets
import measure
import numpy as np
import row_kinds
from measure import apart, done, head, log, names, numbers, row, seconds_of, table

finch = measure.library()

# Estimates.

TOLD = re.compile(r"(kd-tree|blocked|projected|approximate) ([\d.]+) s")


def estimates_options(parser: argparse.ArgumentParser) -> None:
    kinds = [*row_kinds.MADE, "usps", "debian", "mnist70k", "letter", *row_kinds.RANDOM]
    parser.add_argument("--data", type=names, default=kinds, help="kinds of rows, as of neighbors")
    parser.add_argument("--rows", type=numbers, default=[20_000])
    parser.add_argument("--metrics", type=names, help="of all kinds; else that of each")
    parser.add_argument("--most", type=float, default=100, help="no search that is told to take more seconds")


def estimates(options: argparse.Namespace) -> Iterator[str]:
    """The seconds of one core that searches are told to take, beside the seconds that they take.

    `Hierarchy.explanation` tells the seconds of each search that was considered; they are of one thread
    of Zen 3, on any machine. Each is then run by name on one thread, and its CPU time is counted, which
    other programs on the machine hardly change. Recall is the share of rows whose neighbour is as near
    as the neighbour that `auto` found.
    """
    within, shapes = [], set()
    yield head(["data", "search", "told", "taken", "ratio", "recall"])
    for kind, count in product(options.data, options.rows):
        with tempfile.TemporaryDirectory() as folder:
            path, rows = row_kinds.stored(kind, count, Path(folder) / "rows.npy")
            if rows == 0:
                continue
            X = np.load(path)[:rows]
        if (kind, X.shape) in shapes:
            continue
        shapes.add((kind, X.shape))
        own = "cosine" if kind in row_kinds.OF_DIRECTIONS else "euclidean"
        for metric in options.metrics or [own]:
            auto = finch.cluster(X, metric=metric, threads=1)
            log(auto.explanation)
            told = {name: float(seconds) for name, seconds in TOLD.findall(auto.explanation)}
            for search, seconds in told.items():
                if seconds > options.most:
                    continue
                found: list[Any] = []
                taken = seconds_of(partial(_one_thread, X, metric, search, found)).cores
                ratio = taken / max(seconds, 1e-3)
                within.append(0.5 <= ratio <= 2)
                title = f"{kind}, {X.shape[0]:,} x {X.shape[1]}, {metric}"
                recall = np.mean(found[0] <= auto.distances)
                figures = [f"{seconds:.2f}", f"{taken:.2f}", f"{ratio:.2f}", f"{recall:.3f}"]
                yield row([title, search + " (chosen)" * (search == auto.search), *figures])
    yield f"\n{sum(within)} of {len(within)} within a factor of 2"


def _one_thread(X: Any, metric: str, search: str, found: list[Any]) -> None:
    found.append(finch.first_neighbors(X, metric=metric, search=search, threads=1).distance)


# Odd data.

Side = Callable[[], Callable[[], Any]]
"""Makes data or reads it, and returns the call that is timed."""


def of(make: Callable[[], Any], **options: Any) -> Side:
    """First neighbours of the rows that are made."""

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


def images(count: int, dtype: Any = np.uint8) -> Any:
    """Images of MNIST, of 784 pixels."""
    return data_sets.load("mnist70k").X[-count:].astype(dtype)


def with_sentinel() -> Any:
    X = images(10_000, np.float32)
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
    """The odd data, the name of the like data, and the like data."""
    found: dict[str, tuple[Side, str, Side]] = {}
    for columns in (38, 784):
        many = partial(repeated, 1_000_000, columns)
        alone = and_read(of(partial(random, 10_000, columns)), many)
        found[f"10⁶ × {columns}, 10,000 distinct"] = of(many), "distinct rows, reading", alone
    shape = 100_000, 38
    for name, make in (
        ("all equal", partial(equal, *shape, 1)),
        ("two distinct", partial(equal, *shape, 2)),
        ("in the order of a column", partial(in_order, *shape)),
        ("one row at 10⁶", partial(with_outlier, *shape)),
        ("integers below 10", partial(lattice, *shape)),
    ):
        found[f"100,000 × 38, {name}"] = of(make), "normal numbers", of(partial(random, *shape))
    noise = partial(random, 200_000, 12)
    found["200,000 × 12, normal"] = of(noise), "blocks", of(noise, search="blocked")
    usual = of(partial(images, 10_000, np.float32))
    found["10,000 images, one cell of 10²⁰"] = of(with_sentinel), "without the cell", usual
    for metric in ("euclidean", "cosine"):
        groups = of(in_far_groups, metric=metric)
        like = of(partial(random, 20_000, 100), metric=metric)
        found[f"20,000 × 100, two tight groups, {metric}"] = groups, "normal numbers", like
    for clusters, linkage in product((25_000, 50_000, 100_000), ("centroid", "ward")):
        merged = refined(clusters, linkage), "neighbour linkage", refined(clusters, "neighbor")
        found[f"to {clusters:,} clusters in 2 columns, {linkage}"] = merged
    pixels = partial(images, 70_000)
    found["70,000 images, cosine"] = of(pixels, metric="cosine"), "Euclidean", of(pixels)
    whole = to_ten(pixels, metric="cosine"), "Euclidean", to_ten(pixels)
    found["70,000 images, cosine, 33 nearest, to 10 clusters"] = whole
    few = partial(images, 20_000)
    found["20,000 images, Manhattan"] = of(few, metric="manhattan"), "Euclidean", of(few)
    return found


def odd_data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="cases with this in their name")


def odd_data(options: argparse.Namespace) -> Iterator[str]:
    """Data that could slow a search down, each beside like data: seconds of the clock, and MB.

    "Like" is the same work on data without the odd thing: the distinct rows alone, random rows of the
    same shape, the same rows without one cell, another linkage or metric. Both take turns, each in a
    process of its own that has the data and has warmed up; where the odd data repeats rows, reading it
    once (a sum by NumPy) is counted to the like data. Medians.
    """
    yield head(["odd data", "s", "MB", "like data", "s", "MB", "ratio"])
    for name, (_, like, _) in cases().items():
        if options.only not in name:
            continue
        jobs = [{"name": name, "place": place} for place in (0, 2)]
        runs = [[done(apart("search.side", job)) for job in jobs] for _ in range(options.rounds)]
        odd, other = (np.median([turn[side] for turn in runs], axis=0) for side in (0, 1))
        cells = [f"{odd[0]:.2f}", f"{odd[1]:.0f}", like, f"{other[0]:.2f}", f"{other[1]:.0f}"]
        yield row([name, *cells, f"{odd[0] / other[0]:.2f}"])


def side(name: str, place: int) -> list[float]:
    """The seconds of one side of a case, and the MB."""
    call = cases()[name][place]()
    finch.first_neighbors(random(2_000, 4))
    return [seconds_of(call).clock, measure.peak_memory() / 1e6]


# Element types.


def elements_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", help="a .npy file of float32 rows [default: MNIST-70k]")
    parser.add_argument("--rows", type=int, help="the first so many alone")
    parser.add_argument("--rounds", type=int, default=2)


def elements(options: argparse.Namespace) -> Iterator[str]:
    """Rows in each element type: seconds of all cores, memory, and the effect of rounding on labels.

    Types take turns, each in a process of its own; bfloat16 takes ml_dtypes. Of MNIST-70k: pixels divided
    by 255 in float64 and rounded to the type (int8: pixels halved, downwards; uint8: pixels), beside
    float32 of the same numbers. Of a file: its values (int8: 127 for the largest magnitude; no uint8).
    """
    kinds = ["float32", "float16", "bfloat16", "uint8", "int8"]
    if importlib.util.find_spec("ml_dtypes") is None:
        log("left out, for want of the package ml_dtypes: bfloat16")
        kinds.remove("bfloat16")
    if options.data:
        kinds.remove("uint8")
    runs: dict[str, list[list[Any]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for kind, so_far in runs.items():
                job = {"kind": kind, "data": options.data, "rows": options.rows, "folder": folder}
                so_far.append(done(apart("search.in_type", job)))
                log(f"{kind} {so_far[-1]}")
        first = {kind: np.load(f"{folder}/{kind}.npy") for kind in kinds}
    columns = ["type", "CPU s", "ratio", "peak MB", "data MB", "recall", "clusters", "same first neighbours"]
    rows = []
    of_float32 = min(run[0] for run in runs["float32"])
    for kind, of_kind in runs.items():
        seconds = min(run[0] for run in of_kind)
        _, peak, size, clusters, recall = of_kind[-1]
        same = (first[kind] == first["float32"]).mean()
        cells = [f"{seconds:.1f}", f"{seconds / of_float32:.2f}", f"{peak:.0f}", f"{size:.0f}"]
        rows.append([kind, *cells, f"{recall:.3f}", clusters, f"{same:.2%}"])
    yield table(columns, rows)


def in_type(kind: str, data: str | None, rows: int | None, folder: str) -> list[Any]:
    """Clusters rows in a type: seconds of all cores, MB at most, MB of data, clusters, recall."""
    X = _rows_in_type(kind, data, rows)
    # Written and read again, so that the conversion does not count in the peak.
    path = os.path.join(folder, "X.bin")
    dtype, shape = X.dtype, X.shape
    X.tofile(path)
    del X
    X = np.fromfile(path, np.uint8).view(dtype).reshape(shape)
    os.remove(path)
    measure.forget_peak()
    found: list[Any] = []
    seconds = seconds_of(lambda: found.append(finch.cluster(X))).cores
    hierarchy = found[0]
    np.save(os.path.join(folder, f"{kind}.npy"), hierarchy.first_neighbors)
    told = [measure.peak_memory() / 2**20, X.nbytes / 2**20]
    return [seconds, *told, list(map(int, hierarchy.n_clusters)), float(hierarchy.recall)]


def _rows_in_type(kind: str, data: str | None, rows: int | None) -> Any:
    dtype: Any = kind
    if kind == "bfloat16":
        from ml_dtypes import bfloat16 as dtype
    if data:
        X = np.load(data)[:rows]
        return np.round(X * (127 / np.abs(X).max())).astype(np.int8) if kind == "int8" else X.astype(dtype)
    X = data_sets.load("mnist70k").X[:rows]
    if kind in ("uint8", "int8"):
        return X if kind == "uint8" else (X // 2).astype(np.int8)
    return (X / 255).astype(np.float32).astype(dtype)


# Packed bits.

BITS = 256
ASKED = 10_000


def bits_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)


def bits(options: argparse.Namespace) -> Iterator[str]:
    """First neighbours of packed bits under Hamming, beside FAISS's IndexBinaryFlat, in turns.

    Codes are the signs of 256 random projections of a mixture of 1,000 Gaussians in 64 dimensions, and
    random bits. FAISS searches 10,000 among all; its time is that of the pairs, and is multiplied. finch
    searches all among all, exactly and approximately. Medians: seconds of all cores, and of the clock.
    """
    if importlib.util.find_spec("faiss") is None:
        log("left out, for want of the package faiss: FAISS")
    yield head(["codes", "FAISS", "finch", "ratio", "approximate", "distances", "the same neighbour"])
    for kind in ("mixture", "random bits"):
        codes = _codes(kind, options.rows)
        yield row([f"{kind}, {len(codes):,} × {BITS}", *_of_codes(codes, options.rounds)])


def _of_codes(codes: np.ndarray, rounds: int) -> list[str]:
    """The cells of a row of the table."""
    asked = min(ASKED, len(codes))
    found: dict[str, Any] = {}

    def by_finch(search: str) -> None:
        packed = finch.Bits(codes)
        found[search] = finch.nearest_neighbors(packed, 1, metric="hamming", search=search)

    def by_faiss() -> None:
        found["FAISS"] = index.search(codes[:asked], 2)

    calls: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("faiss") is not None:
        import faiss

        index = faiss.IndexBinaryFlat(BITS)
        index.add(codes)
        calls["FAISS"] = by_faiss
    calls |= {search: partial(by_finch, search) for search in ("blocked", "approximate")}
    taken = {name: np.median(runs, axis=0) for name, runs in measure.in_turns(calls, rounds).items()}
    ratio = same = ""
    if "FAISS" in found:
        taken["FAISS"] = taken["FAISS"] * len(codes) / asked
        clock, cores = taken["FAISS"] / taken["blocked"]
        ratio = f"{cores:.1f} ({clock:.1f})"
        far, near = found["FAISS"]
        nearest = np.where(near[:, 0] == np.arange(asked), far[:, 1], far[:, 0])
        exact = np.rint(found["blocked"][1][:asked, 0] * BITS).astype(int)
        same = "equal" if np.array_equal(nearest, exact) else "DIFFERENT"
    cells = {name: f"{cores:.2f} ({clock:.2f})" for name, (clock, cores) in taken.items()}
    agree = f"{np.mean(found['approximate'][0] == found['blocked'][0]):.1%}"
    return [cells.get("FAISS", "–"), cells["blocked"], ratio, cells["approximate"], same, agree]


def _codes(kind: str, rows: int) -> np.ndarray:
    random = np.random.default_rng(0)
    if kind == "random bits":
        return random.integers(256, size=(rows, BITS // 8), dtype=np.uint8)
    axes, centers = random.normal(size=(64, BITS)), random.normal(size=(1000, 64))
    parts = []
    for _ in range(0, rows, 10_000):
        points = centers[random.integers(1000, size=10_000)] + 0.6 * random.normal(size=(10_000, 64))
        parts.append(np.packbits(points @ axes > 0, axis=1))
    return np.concatenate(parts)[:rows]
