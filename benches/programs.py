"""Other programs, and finch beside them: searches for first neighbours, and clusterings to K clusters."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import DataSet, unit_rows
from measure import library

# Searches.

Search = Callable[[Any], Any]
"""From X, N x d, to the first neighbour of each row; None from a whole clustering."""


@dataclass(frozen=True)
class Searcher:
    load: Callable[[int, str], Search]
    """Loads the program, for a number of threads and a metric."""
    packages: tuple[str, ...] = ()
    takes_u8: bool = False


def _finch(search: str) -> Searcher:
    def load(threads: int, metric: str) -> Search:
        finch = library()
        options = {"metric": metric, "search": search, "threads": threads}
        return lambda X: finch.first_neighbors(X, **options)[0]

    return Searcher(load, takes_u8=True)


def _finch_whole(threads: int, metric: str) -> Search:
    finch = library()

    def cluster(X: Any) -> None:
        finch.cluster(X, metric=metric, threads=threads)

    return cluster


def not_itself(index: Any) -> Any:
    """The first of two neighbours that is not the row itself."""
    itself = index[:, 0] == np.arange(len(index))
    return np.where(itself, index[:, 1], index[:, 0])


def as_euclidean(X: Any, metric: str) -> Any:
    """Rows of length 1 (or 0), if cosine distances are asked for."""
    return unit_rows(X) if metric == "cosine" else X


def _faiss(*, flat: bool) -> Searcher:
    def load(threads: int, metric: str) -> Search:
        import faiss

        faiss.omp_set_num_threads(threads)
        distance = faiss.METRIC_L1 if metric == "manhattan" else faiss.METRIC_L2

        def search(X: Any) -> Any:
            X = as_euclidean(X, metric)
            if flat:
                index = faiss.IndexFlat(X.shape[1], distance)
            else:
                index = faiss.IndexHNSWFlat(X.shape[1], 16, distance)
                index.hnsw.efConstruction = 40
                index.hnsw.efSearch = 16
            index.add(X)
            return not_itself(index.search(X, 2)[1])

        return search

    return Searcher(load, ("faiss",))


def _hnswlib(threads: int, metric: str) -> Search:
    import hnswlib

    # It knows no Manhattan distance, of which this raises KeyError.
    space = {"euclidean": "l2", "cosine": "cosine"}[metric]

    def search(X: Any) -> Any:
        index = hnswlib.Index(space, X.shape[1])
        index.init_index(len(X), M=12, ef_construction=40)
        index.set_num_threads(threads)
        index.add_items(X)
        index.set_ef(12)
        return not_itself(index.knn_query(X, 2)[0].astype(np.int64))

    return search


def _pynndescent(neighbors: int) -> Searcher:
    def load(threads: int, metric: str) -> Search:
        import pynndescent

        options = {"metric": metric, "n_neighbors": neighbors, "n_jobs": threads, "random_state": 0}

        def search(X: Any) -> Any:
            return not_itself(pynndescent.NNDescent(X, **options).neighbor_graph[0])

        # It compiles when it is first used.
        search(np.random.default_rng(0).normal(size=(5_000, 32)).astype(np.float32))
        return search

    return Searcher(load, ("pynndescent",))


def _ckdtree(threads: int, metric: str) -> Search:
    """Of distinct rows, which are found in the time that is measured: many rows of a table are equal."""
    from scipy.spatial import cKDTree

    p = 1 if metric == "manhattan" else 2

    def search(X: Any) -> Any:
        X = as_euclidean(X, metric)
        rows = np.ascontiguousarray(X).view(np.dtype((np.void, X.dtype.itemsize * X.shape[1])))
        _, first, of = np.unique(rows.ravel(), return_index=True, return_inverse=True)
        nearest = not_itself(cKDTree(X[first]).query(X[first], 2, p=p, workers=threads)[1])
        index = first[nearest][of]
        # A row that is not the first of its equals has that one; the first has any other.
        repeated = first[of] != np.arange(len(X))
        index[repeated] = first[of][repeated]
        index[first[of[repeated]]] = np.flatnonzero(repeated)
        return index

    return search


def _sklearn(threads: int, metric: str) -> Search:
    from sklearn.neighbors import NearestNeighbors

    def search(X: Any) -> Any:
        found = NearestNeighbors(n_neighbors=2, algorithm="brute", metric=metric, n_jobs=threads).fit(X)
        return not_itself(found.kneighbors(X, return_distance=False))

    return search


def _finch_clust_whole(*, exact: bool) -> Searcher:
    """The package by the authors of FINCH."""

    def load(threads: int, metric: str) -> Search:
        import pynndescent  # noqa: F401  # Above 20,000 samples it fails without.
        from finch import FINCH

        limit = {"ann_threshold": sys.maxsize} if exact else {}

        def cluster(X: Any) -> None:
            FINCH(X, verbose=False, distance=metric, **limit)

        return cluster

    return Searcher(load, ("finch", "pynndescent"))


SEARCHERS: dict[str, Searcher] = {
    "finch": _finch("auto"),
    "finch blocked": _finch("blocked"),
    "finch approximate": _finch("approximate"),
    "FAISS flat": _faiss(flat=True),
    "FAISS HNSW": _faiss(flat=False),
    "hnswlib": Searcher(_hnswlib, ("hnswlib",)),
    **{f"PyNNDescent {n}": _pynndescent(n) for n in (5, 7, 10, 12, 13, 15, 20, 30)},
    "cKDTree distinct": Searcher(_ckdtree, ("scipy",)),
    "scikit-learn brute": Searcher(_sklearn, ("sklearn",)),
    "whole finch": Searcher(_finch_whole, takes_u8=True),
    "whole finch-clust exact": _finch_clust_whole(exact=True),
    "whole finch-clust": _finch_clust_whole(exact=False),
}


# Clusterings.


@dataclass(frozen=True)
class Task:
    """The arguments of a clustering beside X."""

    metric: str
    clusters: int
    seed: int = 0
    threads: int = 0
    """0: as the program has it."""


Clustering = Callable[[Any], Any]
"""From X, N x d, to N labels."""


@dataclass(frozen=True)
class Clusterer:
    load: Callable[[Task], Clustering]
    packages: tuple[str, ...] = ()
    seeds: int = 1
    """It runs with the seeds 0, 1, … up to so many; tables have the mean."""


def _finch_to_k(linkage: str) -> Clusterer:
    def load(task: Task) -> Clustering:
        finch = library()
        # The k nearest neighbours are best found together with the first.
        kept = {"refinable": True} if linkage in ("auto", "neighbor") else {}

        def cluster(X: Any) -> Any:
            hierarchy = finch.cluster(X, metric=task.metric, threads=task.threads, **kept)
            return hierarchy.refine(X, task.clusters, linkage=linkage, threads=task.threads)

        return cluster

    return Clusterer(load)


def _finch_suggestion(task: Task) -> Clustering:
    finch = library()

    def cluster(X: Any) -> Any:
        hierarchy = finch.cluster(X, metric=task.metric, threads=task.threads, refinable=True)
        return hierarchy.suggest(X, threads=task.threads).labels

    return cluster


def _of_sklearn(name: str, options: Callable[[Task], dict[str, Any]], **more: Any) -> Clusterer:
    def load(task: Task) -> Clustering:
        from sklearn import cluster

        return getattr(cluster, name)(**options(task)).fit_predict

    return Clusterer(load, ("sklearn",), **more)


def _spectral(task: Task) -> dict[str, Any]:
    """Of 10 neighbours, by which the graph is mostly connected."""
    graph = {"affinity": "nearest_neighbors", "n_neighbors": 10}
    return graph | _seeded(task) | {"n_jobs": task.threads or None}


def _seeded(task: Task) -> dict[str, Any]:
    return {"n_clusters": task.clusters, "random_state": task.seed}


def _finch_clust(task: Task) -> Clustering:
    """The package by the authors of FINCH."""
    import pynndescent  # noqa: F401  # Above 20,000 samples it fails without.
    from finch import FINCH

    options = {"req_clust": task.clusters, "distance": task.metric, "random_state": task.seed}
    return lambda X: FINCH(X, verbose=False, **options)[2]


def _genie(task: Task) -> Clustering:
    from genieclust import Genie

    return Genie(n_clusters=task.clusters).fit_predict


def _hdbscan(task: Task) -> Clustering:
    from hdbscan import HDBSCAN

    return HDBSCAN().fit_predict


def _fast_hdbscan(task: Task) -> Clustering:
    from fast_hdbscan import HDBSCAN

    return HDBSCAN().fit_predict


def _plscan(task: Task) -> Clustering:
    from fast_plscan import PLSCAN

    return PLSCAN(num_threads=task.threads or None).fit_predict


def _evoc(task: Task) -> Clustering:
    from evoc import EVoC

    return lambda X: EVoC(random_state=task.seed).fit_predict(X.astype(np.float32))


def _umap(then: str) -> Clusterer:
    """Clusters of a map of 10 dimensions under cosine, as people cluster embeddings."""

    def load(task: Task) -> Clustering:
        from umap import UMAP

        finch = library()

        def cluster(X: Any) -> Any:
            options = {"n_components": 10, "min_dist": 0.0, "metric": "cosine", "random_state": task.seed}
            places = UMAP(n_neighbors=min(15, len(X) - 1), n_jobs=1, **options).fit_transform(X)
            if then == "hdbscan":
                from sklearn.cluster import HDBSCAN

                return HDBSCAN(min_cluster_size=15, copy=True).fit_predict(places)
            hierarchy = finch.cluster(places, refinable=True, threads=task.threads)
            return hierarchy.refine(places, task.clusters, linkage="neighbor", threads=task.threads)

        return cluster

    return Clusterer(load, ("umap", *(("sklearn",) if then == "hdbscan" else ())), seeds=3)


FINCH_COMMAND = os.environ.get("FINCH_COMMAND", str(Path(__file__).resolve().parents[1] / "target/release/finch"))
"""The command, built with training."""


def _train(*options: str) -> Clusterer:
    """`finch train`, from a file to a file, under its metric, which is cosine."""

    def load(task: Task) -> Clustering:
        def cluster(X: Any) -> Any:
            with tempfile.TemporaryDirectory() as folder:
                samples, run = Path(folder) / "samples.npy", Path(folder) / "run"
                np.save(samples, X)
                command = [FINCH_COMMAND, "train", samples, "--out", run, "--quiet"]
                command += ["--clusters", str(task.clusters), "--seed", str(task.seed)]
                command += ["--threads", str(task.threads)] if task.threads else []
                subprocess.run(command + list(options), check=True, stdout=subprocess.DEVNULL)
                return np.load(run / "requested.npy")

        return cluster

    return Clusterer(load, seeds=3)


def labels_of(data: DataSet, program: str, seed: int = 0, threads: int = 0) -> Any:
    """The labels that a program gives a set, as many clusters as classes where it takes a number; noise is -1.

    Rows under cosine are scaled to length 1 for other programs.
    """
    X = data.X
    if not program.startswith("finch"):
        X = as_euclidean(X, data.metric).astype(np.float64)
    labels = CLUSTERERS[program].load(Task(data.metric, data.classes, seed, threads))(np.ascontiguousarray(X))
    return np.asarray(labels)


CLUSTERERS: dict[str, Clusterer] = {
    "finch": _finch_to_k("auto"),
    "finch neighbor": _finch_to_k("neighbor"),
    "finch centroid": _finch_to_k("centroid"),
    "finch ward": _finch_to_k("ward"),
    "finch suggestion": Clusterer(_finch_suggestion),
    "finch train": _train(),
    "finch train graph": _train("--objectives", "graph", "--graph-networks", "1", "--cut", "neighbor"),
    "KMeans": _of_sklearn("KMeans", lambda task: {"n_init": "auto"} | _seeded(task), seeds=3),
    "KMeans 10 starts": _of_sklearn("KMeans", lambda task: {"n_init": 10} | _seeded(task)),
    "Ward": _of_sklearn("AgglomerativeClustering", lambda task: {"n_clusters": task.clusters}),
    "Birch": _of_sklearn("Birch", lambda task: {"n_clusters": task.clusters}),
    "Spectral": _of_sklearn("SpectralClustering", _spectral),
    "HDBSCAN": _of_sklearn("HDBSCAN", lambda task: {"n_jobs": task.threads or None, "copy": True}),
    "finch-clust": Clusterer(_finch_clust, ("finch", "pynndescent")),
    "genieclust": Clusterer(_genie, ("genieclust",)),
    "hdbscan": Clusterer(_hdbscan, ("hdbscan",)),
    "fast_hdbscan": Clusterer(_fast_hdbscan, ("fast_hdbscan",)),
    "PLSCAN": Clusterer(_plscan, ("fast_plscan",)),
    "EVoC": Clusterer(_evoc, ("evoc",)),
    "UMAP + finch": _umap("finch"),
    "UMAP + HDBSCAN": _umap("hdbscan"),
}
OF_THEIR_OWN = ("finch suggestion", "HDBSCAN", "hdbscan", "fast_hdbscan", "PLSCAN", "EVoC", "UMAP + HDBSCAN")
"""The programs that find their own number of clusters."""
