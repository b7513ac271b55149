"""First neighbours by finch and by other programs: time, memory and recall, as a Markdown table.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scikit-learn==1.9.1 faiss-cpu==1.15.1 hnswlib==0.8.0 \\
        pynndescent==0.7.0 scipy==1.17.1 finch-clust==0.2.3
    cargo build --release -p finch-ffi
    venv/bin/python benches/neighbors.py pixels.npy --peers "finch,finch blocked,FAISS flat"

Every run is a process of its own with limits of time and memory; rounds alternate between the peers.
Seconds are those of the search with building, once data and program are loaded and, for PyNNDescent,
compiled; of cosine distances, those of dividing rows by their lengths where a peer wants that. Recall is
that of 1,000 rows drawn at random, whose exact neighbours NumPy and SciPy find in f64; as near counts as
found. The peers of "whole" make a whole clustering; they have no recall. Peers that take u8 get it, others
f32. Needs Python 3.11 on Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from data_sets import unit_rows
from peers import PACKAGES, output_of

PROBES = 1_000
METRICS = ("euclidean", "cosine", "manhattan")

# Each takes the number of threads and a metric, loads its program, and returns the call that takes X,
# N x d, and returns the first neighbour of each row, or None.
Load = Callable[[int, str], Callable[[Any], Any]]


def _finch(search: str) -> Load:
    def load(threads: int, metric: str) -> Callable[[Any], Any]:
        sys.path.insert(0, str(PACKAGES))
        import finch_clustering as finch

        options = {"metric": metric, "search": search, "threads": threads}
        return lambda X: finch.first_neighbors(X, **options)[0]

    return load


def _finch_whole(threads: int, metric: str) -> Callable[[Any], Any]:
    sys.path.insert(0, str(PACKAGES))
    import finch_clustering as finch

    def cluster(X: Any) -> None:
        finch.cluster(X, metric=metric, threads=threads)

    return cluster


def _not_itself(index: Any) -> Any:
    """The first of two neighbours that is not the row itself."""
    itself = index[:, 0] == np.arange(len(index))
    return np.where(itself, index[:, 1], index[:, 0])


def _as_euclidean(X: Any, metric: str) -> Any:
    """Rows of length 1 (or 0), if cosine distances are asked for."""
    return unit_rows(X) if metric == "cosine" else X


def _faiss_metric(metric: str) -> int:
    import faiss

    return faiss.METRIC_L1 if metric == "manhattan" else faiss.METRIC_L2


def _faiss_flat(threads: int, metric: str) -> Callable[[Any], Any]:
    import faiss

    faiss.omp_set_num_threads(threads)

    def search(X: Any) -> Any:
        X = _as_euclidean(X, metric)
        index = faiss.IndexFlat(X.shape[1], _faiss_metric(metric))
        index.add(X)
        return _not_itself(index.search(X, 2)[1])

    return search


def _faiss_hnsw(threads: int, metric: str) -> Callable[[Any], Any]:
    import faiss

    faiss.omp_set_num_threads(threads)

    def search(X: Any) -> Any:
        X = _as_euclidean(X, metric)
        index = faiss.IndexHNSWFlat(X.shape[1], 16, _faiss_metric(metric))
        index.hnsw.efConstruction = 40
        index.hnsw.efSearch = 16
        index.add(X)
        return _not_itself(index.search(X, 2)[1])

    return search


def _hnswlib(threads: int, metric: str) -> Callable[[Any], Any]:
    import hnswlib

    # It knows no Manhattan distance, of which this raises KeyError.
    space = {"euclidean": "l2", "cosine": "cosine"}[metric]

    def search(X: Any) -> Any:
        index = hnswlib.Index(space, X.shape[1])
        index.init_index(len(X), M=12, ef_construction=40)
        index.set_num_threads(threads)
        index.add_items(X)
        index.set_ef(12)
        return _not_itself(index.knn_query(X, 2)[0].astype(np.int64))

    return search


def _pynndescent(neighbors: int) -> Load:
    def load(threads: int, metric: str) -> Callable[[Any], Any]:
        import pynndescent

        options = {"metric": metric, "n_neighbors": neighbors, "n_jobs": threads, "random_state": 0}

        def search(X: Any) -> Any:
            found = pynndescent.NNDescent(X, **options)
            return _not_itself(found.neighbor_graph[0])

        search(np.random.default_rng(0).normal(size=(5_000, 32)).astype(np.float32))
        return search

    return load


def _ckdtree(threads: int, metric: str) -> Callable[[Any], Any]:
    """Of distinct rows, which are found in the time that is measured: many rows of a table are equal."""
    from scipy.spatial import cKDTree

    p = 1 if metric == "manhattan" else 2

    def search(X: Any) -> Any:
        X = _as_euclidean(X, metric)
        rows = np.ascontiguousarray(X).view(np.dtype((np.void, X.dtype.itemsize * X.shape[1])))
        _, first, of = np.unique(rows.ravel(), return_index=True, return_inverse=True)
        nearest = _not_itself(cKDTree(X[first]).query(X[first], 2, p=p, workers=threads)[1])
        index = first[nearest][of]
        # A row that is not the first of its equals has that one; the first has any other.
        repeated = first[of] != np.arange(len(X))
        index[repeated] = first[of][repeated]
        index[first[of[repeated]]] = np.flatnonzero(repeated)
        return index

    return search


def _sklearn(threads: int, metric: str) -> Callable[[Any], Any]:
    from sklearn.neighbors import NearestNeighbors

    def search(X: Any) -> Any:
        found = NearestNeighbors(n_neighbors=2, algorithm="brute", metric=metric, n_jobs=threads).fit(X)
        return _not_itself(found.kneighbors(X, return_distance=False))

    return search


def _finch_clust(exact: bool) -> Load:
    """The package by the authors of FINCH."""

    def load(threads: int, metric: str) -> Callable[[Any], Any]:
        import pynndescent  # noqa: F401  # Above 20,000 samples it fails without.
        from finch import FINCH

        limit = {"ann_threshold": sys.maxsize} if exact else {}

        def cluster(X: Any) -> None:
            FINCH(X, verbose=False, distance=metric, **limit)

        return cluster

    return load


PEERS: dict[str, Load] = {
    "finch": _finch("auto"),
    "finch blocked": _finch("blocked"),
    "finch approximate": _finch("approximate"),
    "FAISS flat": _faiss_flat,
    "FAISS HNSW": _faiss_hnsw,
    "hnswlib": _hnswlib,
    "PyNNDescent 10": _pynndescent(10),
    "PyNNDescent 12": _pynndescent(12),
    "PyNNDescent 13": _pynndescent(13),
    "PyNNDescent 15": _pynndescent(15),
    "PyNNDescent 20": _pynndescent(20),
    "PyNNDescent 30": _pynndescent(30),
    "cKDTree distinct": _ckdtree,
    "scikit-learn brute": _sklearn,
    "whole finch": _finch_whole,
    "whole finch-clust exact": _finch_clust(exact=True),
    "whole finch-clust": _finch_clust(exact=False),
}
TAKES_U8 = ("finch", "finch blocked", "finch approximate", "whole finch")


def run(
    peer: str, data: str, count: int, metric: str, threads: int, memory: float, out: str
) -> None:
    """Runs a peer in this process, and prints what came of it."""
    resource.setrlimit(resource.RLIMIT_AS, (int(memory * 1e9),) * 2)
    try:
        X = np.load(data, mmap_mode="r")[:count]
        X = np.array(X, dtype=X.dtype if peer in TAKES_U8 else np.float32)
        search = PEERS[peer](threads, metric)
        start = time.perf_counter()
        index = search(X)
        seconds = time.perf_counter() - start
    except MemoryError:
        print(json.dumps({"failure": "memory"}))
        return
    # Not getrusage, which also counts what the process was before it became this one. In KiB.
    status = Path("/proc/self/status").read_text()
    megabytes = int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6
    if index is not None:
        np.save(out, np.asarray(index, dtype=np.int64))
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))


def run_apart(
    peer: str, data: str, count: int, metric: str, limits: argparse.Namespace, out: Path
) -> dict[str, Any]:
    """Runs a peer in a process of its own."""
    job = [peer, data, str(count), metric, str(limits.threads), str(limits.memory), str(out)]
    arguments = [__file__, "--run", *job]
    failure, text = output_of(arguments, limits.threads, limits.limit)
    return {"failure": failure, "message": text} if failure else json.loads(text)


def run_in_turns(
    peers: Sequence[str], data: str, count: int, metric: str, limits: argparse.Namespace
) -> dict[str, list[dict[str, Any]]]:
    """What came of each peer in each round, until it failed: what has failed once would fail again."""
    truth = Truth(data, count, metric)
    results: dict[str, list[dict[str, Any]]] = {peer: [] for peer in peers}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "index.npy"
        for round_number in range(limits.repeat):
            for peer, so_far in results.items():
                if any("failure" in result for result in so_far):
                    continue
                result = run_apart(peer, data, count, metric, limits, out)
                if out.exists():
                    result["recall"] = truth.recall(np.load(out))
                    out.unlink()
                so_far.append(result)
                told = f"{Path(data).stem}, round {round_number}, {peer}: {result}"
                print(told, file=sys.stderr, flush=True)
    return results


def add_limits(parser: argparse.ArgumentParser, seconds: float) -> None:
    """The options of run_in_turns."""
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=seconds, help="seconds of a run")
    parser.add_argument("--memory", type=float, default=60, help="GB of address space of a run")


class Truth:
    """The distance of some rows to their nearest others."""

    def __init__(self, data: str, count: int, metric: str) -> None:
        self._X = np.load(data, mmap_mode="r")[:count]
        self._metric = metric
        probes = min(PROBES, count)
        self._rows = np.sort(np.random.default_rng(0).choice(count, probes, replace=False))
        self._queries = self._part(self._rows)
        self._nearest = np.full(probes, np.inf)
        for first in range(0, count, 20_000):
            part = self._part(slice(first, first + 20_000))
            inside = (first <= self._rows) & (self._rows < first + len(part))
            closest = self._closest(part, np.flatnonzero(inside), self._rows[inside] - first)
            self._nearest = np.minimum(self._nearest, self._distances(part[closest]))

    def _part(self, rows: Any) -> Any:
        return _as_euclidean(self._X[rows].astype(np.float64), self._metric)

    def _closest(self, part: Any, probes: Any, themselves: Any) -> Any:
        """The row of a part that is nearest to each probe, some of which are rows of the part."""
        if self._metric == "manhattan":
            from scipy.spatial.distance import cdist

            distances = cdist(self._queries, part, "cityblock")
        else:
            # The product is rounded; what it finds is measured directly.
            distances = (part**2).sum(1) - 2 * self._queries @ part.T
        distances[probes, themselves] = np.inf
        return distances.argmin(1)

    def _distances(self, rows: Any) -> Any:
        """Those of the probes, each to a row: squared, if Euclidean."""
        difference = self._queries - rows
        if self._metric == "manhattan":
            return np.abs(difference).sum(1)
        return (difference**2).sum(1)

    def recall(self, index: Any) -> float:
        found = index[self._rows]
        near = self._distances(self._part(found)) <= self._nearest * (1 + 1e-9) + 1e-12
        return float((near & (found != self._rows)).mean())


def chosen(parser: argparse.ArgumentParser, peers: str, known: Sequence[str]) -> list[str]:
    """Names of peers, separated by commas, all of them known."""
    names = peers.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no such peers: {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="a .npy file of samples, f32 or u8")
    parser.add_argument("--count", type=int, help="take only the first so many")
    parser.add_argument("--metric", choices=METRICS, default=METRICS[0])
    parser.add_argument("--peers", default=",".join(PEERS), help="names, separated by commas")
    add_limits(parser, seconds=1800)
    given = parser.parse_args()
    length, features = np.load(given.data, mmap_mode="r").shape
    given.count = min(given.count or length, length)
    peers = chosen(parser, given.peers, list(PEERS))
    results = run_in_turns(peers, given.data, given.count, given.metric, given)
    first = median(result.get("seconds", np.nan) for result in results[peers[0]])
    print(f"{given.count} x {features}, {given.metric}, {given.threads} threads, medians of {given.repeat}:\n")
    print("| | seconds | ratio | MB | recall |\n|---|--:|--:|--:|--:|")
    for peer, runs in results.items():
        failure = next((result["failure"] for result in runs if "failure" in result), None)
        if failure:
            print(f"| {peer} | {failure} | | | |")
            continue
        seconds = median(result["seconds"] for result in runs)
        megabytes = median(result["megabytes"] for result in runs)
        recall = f"{runs[0]['recall']:.3f}" if "recall" in runs[0] else ""
        print(f"| {peer} | {seconds:.1f} | {seconds / first:.2f} | {megabytes:.0f} | {recall} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        _, _, name, path, rows, metric, cores, space, target = sys.argv
        run(name, path, int(rows), metric, int(cores), float(space), target)
    else:
        main()
