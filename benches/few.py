"""Few rows, clustered again and again: microseconds a call beside other programs, as a Markdown table.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scikit-learn==1.9.1 scipy==1.17.1 finch-clust==0.2.3
    cargo build --release -p finch-ffi
    FINCH_LIBRARY=target/release/libfinch.so taskset -c 1 venv/bin/python benches/run.py few-rows

Rows are f32 of a normal distribution about as many centres as a tenth of them (`--kind noise`: about one). All
sides take turns in one run, and a number is the median of the medians of rounds. finch is called from C
(finch-ffi/benches/small.c, compiled by cc) and from Python, where reading the labels of one partition counts. SciPy is
`linkage(pdist(X), "average")`, scikit-learn `AgglomerativeClustering(2, linkage="average")`, finch-clust `FINCH(X)`;
all on one thread. `--before LIBRARY` adds another library, called from C. `--threads` compares one thread of finch
with two and with the pool of the process in place of other programs: without taskset. `--clock cpu` counts the time that
the process works, for a machine that others use, too.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import measure
import numpy as np
from measure import head, row

ROOT = Path(__file__).resolve().parents[1]
METRICS = ("euclidean", "cosine")


def rows_of(kind: str, rows: int, columns: int) -> Any:
    """Rows of a normal distribution about one centre or several."""
    random = np.random.default_rng(rows * columns)
    centres = 1 if kind == "noise" else max(rows // 10, 1)
    at = random.normal(size=(centres, columns)) * (kind != "noise")
    noise = random.normal(size=(rows, columns))
    return (at[random.integers(centres, size=rows)] + 0.5 * noise).astype(np.float32)


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def median_of(call: Callable[[], Any], milliseconds: float, clock: Callable[[], float]) -> float:
    """The median time of calls that take so long together, in microseconds."""
    took: list[float] = []
    end = time.perf_counter() + milliseconds / 1e3
    while len(took) < 3 or time.perf_counter() < end:
        start = clock()
        call()
        took.append(clock() - start)
    return 1e6 * median(took[1:])


def compiled(folder: Path, library: Path) -> Path:
    """The C program beside a library."""
    folder.mkdir()
    for name in ("libfinch.so", "libfinch.so.1"):
        (folder / name).symlink_to(library)
    command = ["cc", "-O2", "-I", ROOT / "include", ROOT / "finch-ffi/benches/small.c"]
    command += ["-L", folder, f"-Wl,-rpath,{folder}", "-lfinch", "-o", folder / "small"]
    subprocess.run(command, check=True)
    return folder / "small"


def sides(X: Any, metric: str, milliseconds: float, options: Any) -> dict[str, Callable[[], float]]:
    """The time of each side, by name."""
    import finch_clustering

    path = options.folder / "rows"
    X.tofile(path)

    def of_c(program: Path, threads: int) -> Callable[[], float]:
        numbers = [*X.shape, METRICS.index(metric), threads, milliseconds]
        command = [program, path, *map(str, numbers), options.clock]
        return lambda: float(subprocess.run(command, check=True, capture_output=True).stdout)

    def of_call(call: Callable[[], Any]) -> Callable[[], float]:
        return lambda: median_of(call, milliseconds, CLOCKS[options.clock])

    def finch(threads: int) -> Callable[[], float]:
        return of_call(lambda: finch_clustering.cluster(X, metric=metric, threads=threads)[-1])

    if options.threads:
        return {
            "C, 1 thread": of_c(options.now, 1),
            "C, 2 threads": of_c(options.now, 2),
            "C, threads = 0": of_c(options.now, 0),
            "Python, 1 thread": finch(1),
            "Python, 2 threads": finch(2),
        }
    from finch import FINCH
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist
    from sklearn.cluster import AgglomerativeClustering

    model = AgglomerativeClustering(2, metric=metric, linkage="average")
    found = {"C": of_c(options.now, 1), "Python": finch(1)}
    if options.before:
        found["C before"] = of_c(options.then, 1)
    found["SciPy"] = of_call(lambda: linkage(pdist(X, metric), "average"))
    # Neither takes two rows.
    if len(X) > 2:
        found["scikit-learn"] = of_call(lambda: model.fit(X))
        found["finch-clust"] = of_call(lambda: FINCH(X, distance=metric, verbose=False))
    return found


OTHERS = ("SciPy", "scikit-learn", "finch-clust")


def ratios(took: dict[str, float], threads: bool) -> list[str]:
    """What a row is about: how many times as long other programs take, or two threads."""
    if threads:
        return [f"{took[f'{of}, 2 threads'] / took[f'{of}, 1 thread']:.2f}" for of in ("C", "Python")]
    best = min(took[name] for name in OTHERS if name in took)
    return [f"{best / took[of]:.1f}" for of in ("C", "Python")]


def few_rows_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", default="2,3,10,30,100,300,1000,3000")
    parser.add_argument("--columns", default="64,512")
    parser.add_argument("--kind", default="blobs", choices=("blobs", "noise"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=60.0, help="of a side in a round")
    parser.add_argument("--clock", default="wall", choices=CLOCKS)
    parser.add_argument("--before", type=Path, help="another library, called from C")
    parser.add_argument("--threads", action="store_true", help="two threads beside one, and no other program")


def few_rows(options: argparse.Namespace) -> Iterator[str]:
    """Few rows, clustered again and again: microseconds a call beside other programs."""
    sys.path.insert(0, str(ROOT / "python"))
    if "FINCH_LIBRARY" not in os.environ:
        sys.exit("for want of the library: FINCH_LIBRARY names it, such as target/release/libfinch.so")
    with tempfile.TemporaryDirectory() as folder:
        options.folder = Path(folder)
        library = Path(os.environ["FINCH_LIBRARY"]).resolve()
        options.now = compiled(options.folder / "now", library)
        if options.before:
            options.then = compiled(options.folder / "then", options.before.resolve())
        headed = False
        for columns in map(int, options.columns.split(",")):
            for rows in map(int, options.rows.split(",")):
                for metric in METRICS:
                    X = rows_of(options.kind, rows, columns)
                    of = sides(X, metric, options.milliseconds, options)
                    rounds = [{name: side() for name, side in of.items()} for _ in range(options.rounds)]
                    took = {name: median(round[name] for round in rounds) for name in of}
                    if not headed:
                        names = [*took] + ([] if options.threads else [n for n in OTHERS if n not in took])
                        told = "2 threads / 1" if options.threads else "best other"
                        heads = ["rows", "metric", *names, f"{told}, C", f"{told}, Python"]
                        yield "| " + " | ".join(heads) + " |\n|" + "--|" * len(heads)
                        headed = True
                    cells = [f"{rows} x {columns}", metric]
                    cells += [f"{took[name]:.1f}" if name in took else "" for name in names]
                    yield "| " + " | ".join(cells + ratios(took, options.threads)) + " |"


def batches_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shapes", default="10000x10x64,1000x30x512,1000x100x512,100x300x512,50x1000x512")
    parser.add_argument("--metric", default="cosine", choices=METRICS)
    parser.add_argument("--rounds", type=int, default=5)


def batches(options: argparse.Namespace) -> Iterator[str]:
    """Many matrices in one call, on one thread and on two, beside a call for each: milliseconds, in turns."""
    finch = measure.library()
    yield head(["matrices", "a call for each", "a batch, 1 thread", "2 threads", "1 / 2 threads", "cores in use"])
    for shape in options.shapes.split(","):
        count, rows, columns = map(int, shape.split("x"))
        X = np.stack([rows_of("blobs", rows, columns)] * count)

        def of_each(X: Any = X) -> None:
            for one in X:
                finch.cluster(one, metric=options.metric, threads=1)[0]

        def of_batch(threads: int, X: Any = X) -> Callable[[], Any]:
            return lambda: finch.cluster_batch(X, metric=options.metric, threads=threads)

        calls = {"each": of_each, "one": of_batch(1), "two": of_batch(2)}
        took = measure.in_turns(calls, options.rounds)
        clock = {name: median(seconds.clock for seconds in of) for name, of in took.items()}
        in_use = median(seconds.cores / seconds.clock for seconds in took["two"])
        milliseconds = (f"{1e3 * seconds:.1f}" for seconds in clock.values())
        yield row([shape, *milliseconds, f"{clock['one'] / clock['two']:.2f}", f"{in_use:.2f}"])
