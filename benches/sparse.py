"""Sparse rows: time and memory beside scikit-learn, and labels beside dense rows: the measurements of
sparse.md, as Markdown.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    cargo build --release -p finch-ffi
    venv/bin/python benches/sparse.py time --rows 20000 --features 130000 --terms 80
    venv/bin/python benches/sparse.py time --rows 100000 --features 100000 --terms 50 --asked 5000
    venv/bin/pip install pynndescent==0.7.0
    venv/bin/python benches/sparse.py approximate --rows 100000
    venv/bin/python benches/sparse.py look --rows 50000 webace
    venv/bin/python benches/sparse.py look --rows 30000 digits
    venv/bin/python benches/sparse.py look --rows 100000 baskets
    venv/bin/python benches/sparse.py extend --rows 20000 --features 130000 --terms 80
    venv/bin/python benches/sparse.py extend reuters21578_65_tfidf2000 tdt2_30_tfidf2000
    venv/bin/python benches/sparse.py same reuters21578_65_tfidf2000 tdt2_30_tfidf2000 classic3

`time` makes rows of so many different terms, a term of rank r coming up as often as 1/r says (Zipf), and
weighs them by TF-IDF. It lets finch find the k nearest of all rows under cosine, exactly, and scikit-learn's
`NearestNeighbors(metric="cosine", algorithm="brute")` those of the first rows that are asked for, in
turns, and gives the best of each. Memory is what finding neighbours, or clustering, adds to the matrix,
each in a process of its own. `approximate` lets finch and PyNNDescent find first neighbours of texts that are
made and of texts made of those of a data set, in turns, and measures the recall of both. `look` compares
the exact and the approximate search of all rows, of pairs of texts, of MNIST's pixels, or of baskets of
items. `extend` adds rows to a hierarchy of the others, and clusters all anew, in turns. `same` compares
sparse with dense rows of data in the folder FINCH_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import finch_clustering as finch  # noqa: E402


def made(rows: int, features: int, terms: int, counts: bool) -> Any:
    """Rows of so many different terms each."""
    random = np.random.default_rng(0)
    share = np.cumsum(1 / np.arange(1, features + 1))
    columns = np.empty((rows, terms), np.int32)
    for row in columns:
        ranks: Any = ()
        drawn = 4 * terms
        while len(ranks) < terms:
            tokens = np.searchsorted(share, random.random(drawn) * share[-1])
            _, first = np.unique(tokens, return_index=True)
            ranks, drawn = tokens[np.sort(first)][:terms], 2 * drawn
        row[:] = np.sort(ranks)
    values = random.poisson(0.4, columns.size) + 1.0
    starts = np.arange(0, columns.size + 1, terms, dtype=np.int32)
    X = scipy.sparse.csr_array((values, columns.ravel(), starts), shape=(rows, features))
    if counts:
        return X
    return scipy.sparse.csr_array(TfidfTransformer(norm=None).fit_transform(X))


def size_of(X: Any) -> int:
    """The bytes of a matrix."""
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def seconds(call: Any) -> tuple[float, float]:
    """Of the clock, and of all cores."""
    wall, cores = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cores


def peak() -> int:
    """The most bytes that the process has had in memory since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def measure_time(options: argparse.Namespace) -> None:
    X = made(options.rows, options.features, options.terms, options.counts)
    asked = min(options.asked or options.rows, options.rows)
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz} values, {size_of(X) / 1e6:.0f} MB, k = {options.k}")
    peers = NearestNeighbors(n_neighbors=options.k, metric="cosine", algorithm="brute", n_jobs=-1)
    peers.fit(X)
    found: Any = None

    def ours() -> None:
        nonlocal found
        found = finch.nearest_neighbors(X, options.k, metric="cosine", search="blocked")

    times: dict[str, list[tuple[float, float]]] = {"finch": [], "scikit-learn": []}
    for _ in range(options.repeat):
        times["finch"].append(seconds(ours))
        theirs = X[:asked]
        times["scikit-learn"].append(seconds(lambda: peers.kneighbors(theirs, options.k)))
    scale = options.rows / asked
    print("\n| program | seconds | of all cores |\n|---|--:|--:|")
    best = {name: np.min(all_times, axis=0) for name, all_times in times.items()}
    best["scikit-learn"] = best["scikit-learn"] * scale
    for name, (wall, cores) in best.items():
        note = f", {asked} rows asked, times {scale:.0f}" if name != "finch" and scale > 1 else ""
        print(f"| {name}{note} | {wall:.2f} | {cores:.2f} |")
    ratio = best["finch"] / best["scikit-learn"]
    print(f"\nratio {ratio[0]:.3f} of the clock, {ratio[1]:.3f} of all cores")
    distances = peers.kneighbors(X[:200], options.k + 1)[0][:, 1:]
    print(f"distances differ by at most {np.abs(found[1][:200] - distances).max():.1e}\n")
    for what in ("neighbours", "clustering"):
        arguments = [sys.executable, __file__, "memory", *sys.argv[2:], "--what", what]
        subprocess.run(arguments, check=True, env=os.environ)


def measure_memory(options: argparse.Namespace) -> None:
    X = made(options.rows, options.features, options.terms, options.counts)
    finch.cluster(X[:100], metric="cosine")
    forget_peak()
    before = peak()
    wall, _ = seconds(
        lambda: finch.nearest_neighbors(X, 1, metric="cosine", search="blocked")
        if options.what == "neighbours"
        else finch.cluster(X, metric="cosine")
    )
    added = peak() - before
    print(
        f"{options.what}: {added / 1e6:.0f} MB beside the matrix, together"
        f" {1 + added / size_of(X):.2f} times the matrix, {wall:.1f} s"
    )


def read(name: str) -> Any:
    """The rows of an .npz file: SciPy's CSR, or a dense X."""
    folder = Path(os.environ.get("FINCH_DATA", ROOT.parent / "shared/data"))
    with np.load(folder / f"{name}.npz", allow_pickle=True) as file:
        if "X" in file:
            return scipy.sparse.csr_array(file["X"])
        prefix = next(key for key in file if key.endswith("indptr"))[: -len("indptr")]
        parts = [file[prefix + part] for part in ("data", "indices", "indptr")]
        return scipy.sparse.csr_array(tuple(parts), shape=tuple(file[prefix + "shape"]))


def on_subjects(rows: int, features: int, terms: int, subjects: int) -> Any:
    """Rows half of whose terms are of any subject, and half of one of so many."""
    random = np.random.default_rng(1)
    share = np.cumsum(1 / np.arange(1, features + 1))
    of_subject = np.cumsum(1 / np.arange(1, 301))
    words = random.integers(0, features, (subjects, 300))
    any_term = np.searchsorted(share, random.random((rows, terms)) * share[-1])
    rank = np.searchsorted(of_subject, random.random((rows, terms)) * of_subject[-1])
    columns = np.hstack([any_term, words[random.integers(0, subjects, rows)[:, None], rank]])
    starts = np.arange(0, columns.size + 1, columns.shape[1])
    X = scipy.sparse.csr_array((np.ones(columns.size), columns.ravel(), starts), shape=(rows, features))
    X.sum_duplicates()
    return scipy.sparse.csr_array(TfidfTransformer(norm=None).fit_transform(X))


def mixed(name: str, rows: int) -> Any:
    """Pairs of texts of a data set, with a third of the terms left out."""
    random = np.random.default_rng(2)
    texts = scipy.sparse.csr_array(read(name), dtype=np.float32)
    one, other = random.integers(0, texts.shape[0], (2, rows))
    X = texts[one] + scipy.sparse.diags_array(random.random(rows, np.float32)) @ texts[other]
    X.data *= random.random(X.nnz) > 1 / 3
    X.eliminate_zeros()
    X.sort_indices()
    return scipy.sparse.csr_array(X, dtype=np.float32)


def measure_approximate(options: argparse.Namespace) -> None:
    from pynndescent import NNDescent

    def of_finch(search: str) -> Any:
        return lambda X: finch.first_neighbors(X, metric="cosine", search=search)[0]

    def of_pynndescent(neighbors: int) -> Any:
        def search(X: Any) -> Any:
            # Its rows are of length 1, and f32: so they are here.
            found = NNDescent(X, metric="cosine", n_neighbors=neighbors, random_state=0)
            index = found.neighbor_graph[0]
            return np.where(index[:, 0] == np.arange(len(index)), index[:, 1], index[:, 0])

        search(made(3000, 1000, 20, False).astype(np.float32))
        return search

    programs = {"finch, approximate": of_finch("approximate")}
    if options.rows <= options.exact:
        programs["finch, exact"] = of_finch("blocked")
    programs |= {f"PyNNDescent {n}": of_pynndescent(n) for n in (15, 30)}
    names = options.names or ["made", "subjects", "tdt2_30_tfidf2000", "reuters21578_65_tfidf2000", "classic3"]
    print("| data |", " | ".join(f"{name}: s, of all cores, recall" for name in programs), "|")
    print("|---|" + "--:|" * len(programs), flush=True)
    for name in names:
        X = (
            made(options.rows, 100_000, 50, False)
            if name == "made"
            else on_subjects(options.rows, 100_000, 40, 2_000)
            if name == "subjects"
            else mixed(name, options.rows)
        )
        X = scipy.sparse.csr_array(X, dtype=np.float32)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        asked = np.random.default_rng(3).choice(options.rows, 1000, replace=False)
        lengths = np.maximum(np.sqrt(X.multiply(X).sum(axis=1)), 1e-30)
        unit = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / lengths) @ X)
        near = np.asarray((unit[asked] @ unit.T).todense())
        near[np.arange(len(asked)), asked] = -2
        cells = []
        for search in programs.values():
            runs = []
            for _ in range(options.repeat):
                found: Any = []
                runs.append(seconds(lambda: found.append(search(X))))  # noqa: B023
            recall = (near[np.arange(len(asked)), found[0][asked]] >= near.max(axis=1) - 1e-6).mean()
            wall, cores = np.min(runs, axis=0)
            cells.append(f"{wall:.1f}, {cores:.1f}, {recall:.3f}")
        print(f"| {name} {X.shape[0]} x {X.shape[1]} |", " | ".join(cells), "|", flush=True)


def baskets(rows: int) -> Any:
    """Items of one to three of 500 departments of 60 items, the popular ones most often."""
    random = np.random.default_rng(5)
    popular = np.cumsum(1 / np.arange(1, 61) ** 0.8)

    def basket() -> Any:
        departments = random.integers(0, 500, random.integers(1, 4))
        items = [
            60 * department + np.searchsorted(popular, random.random(random.integers(2, 12)) * popular[-1])
            for department in departments
        ]
        return np.unique(np.concatenate(items))

    all_baskets = [basket() for _ in range(rows)]
    starts = np.concatenate([[0], np.cumsum([len(items) for items in all_baskets])])
    columns = np.concatenate(all_baskets)
    return scipy.sparse.csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(rows, 30_000))


def digits(rows: int) -> Any:
    """The pixels of images of MNIST."""
    folder = Path(os.environ.get("FINCH_DATA", ROOT.parent / "shared/data"))
    with gzip.open(folder / "mnist/train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    return scipy.sparse.csr_array(pixels[:rows].astype(np.float32))


def measure_look(options: argparse.Namespace) -> None:
    print("| data | metric | exact: s of all cores | approximate | recall |\n|---|---|--:|--:|--:|")
    kinds = {"baskets": baskets, "digits": digits}
    for name in options.names:
        X = kinds[name](options.rows) if name in kinds else mixed(name, options.rows)
        for metric in ("cosine", "euclidean", "manhattan"):
            found: dict[str, Any] = {}

            def search(by: str, X: Any = X, metric: str = metric, found: Any = found) -> None:
                found[by] = finch.first_neighbors(X, metric=metric, search=by)[1]

            cores = [seconds(lambda by=by: search(by))[1] for by in ("blocked", "approximate")]
            recall = (found["approximate"] <= found["blocked"]).mean()
            numbers = f"{cores[0]:.1f} | {cores[1]:.1f} | {recall:.4f}"
            print(f"| {name} {X.shape} | {metric} | {numbers} |", flush=True)


def measure_extend(options: argparse.Namespace) -> None:
    print("| data | share of new rows | seconds of all cores | anew | ratio |\n|---|--:|--:|--:|--:|")
    for name in options.names or ["made"]:
        made_here = name == "made"
        X = made(options.rows, options.features, options.terms, False) if made_here else read(name)
        X.sum_duplicates()
        for share in (0.001, 0.01, 0.1, 0.25, 0.5):
            first = X.shape[0] - max(1, int(X.shape[0] * share))
            before = finch.cluster(X[:first], metric="cosine")
            both: Any = [None, None]

            def extend(before: Any = before, X: Any = X, both: Any = both) -> None:
                both[0] = before.extend(X)

            def anew(X: Any = X, both: Any = both) -> None:
                both[1] = finch.cluster(X, metric="cosine")

            times = [(seconds(extend)[1], seconds(anew)[1]) for _ in range(options.repeat)]
            for results in zip(both[0].labels, both[1].labels, strict=True):
                assert np.array_equal(*results)
            assert np.array_equal(both[0].distances, both[1].distances)
            least = np.min(times, axis=0)
            shape = f"{name} {X.shape[0]} x {X.shape[1]}"
            print(
                f"| {shape} | {share:.1%} | {least[0]:.2f} | {least[1]:.2f} |"
                f" {least[0] / least[1]:.2f} |",
                flush=True,
            )


def compare(options: argparse.Namespace) -> None:
    print("| data | metric | partitions | K suggested | the same | sparse s | dense s |")
    print("|---|---|--:|--:|---|--:|--:|")
    for name in options.names:
        X = read(name)
        X.sum_duplicates()
        dense = X.toarray()
        for metric in options.metrics:
            results, times = [], []
            for samples in (X, dense):
                begin = time.perf_counter()
                hierarchy = finch.cluster(samples, metric=metric, refinable=True)
                suggestion = hierarchy.suggest(samples)
                cuts = [
                    hierarchy.refine(samples, clusters, linkage=linkage)
                    for linkage in ("neighbor", "ward", "centroid")
                    for clusters in (3, 20, X.shape[0] // 2)
                ]
                times.append(time.perf_counter() - begin)
                neighbors = [hierarchy.first_neighbors, hierarchy.distances]
                results.append([hierarchy.labels, suggestion.labels, *cuts, *neighbors])
            same = all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
            print(
                f"| {name} {X.shape[0]} x {X.shape[1]} | {metric} | {hierarchy.n_clusters} |"
                f" {suggestion.labels.max() + 1} | {'yes' if same else 'NO'} | {times[0]:.1f} |"
                f" {times[1]:.1f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("time", "memory", "extend"):
        command = commands.add_parser(name)
        command.add_argument("--rows", type=int, default=2000)
        command.add_argument("--features", type=int, default=13000)
        command.add_argument("--terms", type=int, default=80)
        command.add_argument("--k", type=int, default=1)
        command.add_argument("--asked", type=int)
        command.add_argument("--repeat", type=int, default=2)
        command.add_argument("--counts", action="store_true", help="counts, without TF-IDF")
        command.add_argument("--what", default="neighbours")
        if name == "extend":
            command.add_argument("names", nargs="*")
    command = commands.add_parser("approximate")
    command.add_argument("--rows", type=int, default=20000)
    command.add_argument("--exact", type=int, default=100_000, help="no exact search of more rows")
    command.add_argument("--repeat", type=int, default=1)
    command.add_argument("names", nargs="*")
    command = commands.add_parser("look")
    command.add_argument("--rows", type=int, default=20000)
    command.add_argument("names", nargs="+")
    command = commands.add_parser("same")
    command.add_argument("names", nargs="+")
    command.add_argument("--metrics", nargs="+", default=["euclidean", "cosine", "manhattan"])
    options = parser.parse_args()
    functions = {
        "time": measure_time,
        "memory": measure_memory,
        "approximate": measure_approximate,
        "look": measure_look,
        "extend": measure_extend,
        "same": compare,
    }
    functions[options.command](options)


if __name__ == "__main__":
    main()
