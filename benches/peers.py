"""Programs that make K clusters, and runs of them, each in a process of its own with limits.

What runs in the process is `python3 peers.py JOB`, JOB being the fields of `Job` as JSON; it prints
those of `Outcome`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import data_sets

PACKAGES = Path(__file__).resolve().parents[1] / "python"
"""Where the package finch_clustering is."""


@dataclass(frozen=True)
class Job:
    data_set: str
    peer: str
    seed: int
    threads: int
    memory: float
    """The most address space that the process may take, in GB of 10⁹ bytes."""


@dataclass(frozen=True)
class Outcome:
    failure: str = ""
    """Empty, or what ended the run: "time", "memory" or "error"."""
    message: str = ""
    seconds: float = 0.0
    """Of the clustering alone, the data and the program being loaded."""
    megabytes: float = 0.0
    """The most memory that the process held until then, data and interpreter included (10⁶ B)."""
    clusters: int = 0
    acc: float = 0.0
    nmi: float = 0.0
    ari: float = 0.0


@dataclass(frozen=True)
class Task:
    """What a peer is told beside X."""

    metric: str
    clusters: int
    seed: int
    threads: int


# Each of these loads the program, and returns the call that makes N labels of X (N x d).
Call = Callable[[Any], Any]


def _finch(linkage: str) -> Callable[[Task], Call]:
    def load(task: Task) -> Call:
        sys.path.insert(0, str(PACKAGES))
        import finch_clustering as finch

        # The k nearest neighbours are best found together with the first.
        kept = {"refinable": True} if linkage == "neighbor" else {}

        def cluster(X: Any) -> Any:
            hierarchy = finch.cluster(X, metric=task.metric, threads=task.threads, **kept)
            return hierarchy.refine(X, task.clusters, linkage=linkage, threads=task.threads)

        return cluster

    return load


def _k_means(task: Task) -> Call:
    from sklearn.cluster import KMeans

    return KMeans(task.clusters, n_init="auto", random_state=task.seed).fit_predict


def _ward(task: Task) -> Call:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(task.clusters, linkage="ward").fit_predict


def _birch(task: Task) -> Call:
    from sklearn.cluster import Birch

    return Birch(n_clusters=task.clusters).fit_predict


def _spectral(task: Task) -> Call:
    from sklearn.cluster import SpectralClustering

    return SpectralClustering(
        task.clusters,
        affinity="nearest_neighbors",
        assign_labels="kmeans",
        random_state=task.seed,
        n_jobs=task.threads,
    ).fit_predict


def _hdbscan(task: Task) -> Call:
    """Finds its own number of clusters."""
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(n_jobs=task.threads, copy=True).fit_predict


def _finch_clust(task: Task) -> Call:
    """The package by the authors of FINCH."""
    import pynndescent  # noqa: F401  # Above 20,000 samples it fails without.
    from finch import FINCH

    def cluster(X: Any) -> Any:
        _, _, requested = FINCH(
            X,
            req_clust=task.clusters,
            distance=task.metric,
            verbose=False,
            random_state=task.seed,
        )
        return requested

    return cluster


@dataclass(frozen=True)
class Peer:
    load: Callable[[Task], Call]
    seeds: int = 1
    """It runs with the seeds 0, 1, … up to so many; tables have the mean."""


PEERS = {
    "finch neighbor": Peer(_finch("neighbor")),
    "finch centroid": Peer(_finch("centroid")),
    "finch ward": Peer(_finch("ward")),
    "KMeans": Peer(_k_means, seeds=3),
    "Ward": Peer(_ward),
    "Birch": Peer(_birch),
    "Spectral": Peer(_spectral),
    "HDBSCAN": Peer(_hdbscan),
    "finch-clust": Peer(_finch_clust),
}


# The process.


def run(job: Job) -> Outcome:
    """Runs a peer in this process, under the job's limit of memory."""
    most = int(job.memory * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        return _run(job)
    except MemoryError as error:
        return Outcome("memory", str(error))


def _run(job: Job) -> Outcome:
    data = data_sets.load(job.data_set)
    X = data_sets.unit_rows(data.X) if data.metric == "cosine" else data.X
    task = Task(data.metric, data.classes, job.seed, job.threads)
    cluster = PEERS[job.peer].load(task)
    start = time.perf_counter()
    labels = cluster(X)
    seconds = time.perf_counter() - start
    # Linux counts KiB.
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    scores = data.scores(labels)
    clusters = len(set(labels.tolist()))
    return Outcome("", "", seconds, megabytes, clusters, scores.acc, scores.nmi, scores.ari)


def run_apart(job: Job, limit: float) -> Outcome:
    """Runs a peer in a process of its own, for so many seconds at most, loading included.

    The caller should hold little memory: Linux counts what it holds as the process's, too.
    """
    failure, text = output_of([__file__, json.dumps(asdict(job))], job.threads, limit)
    return Outcome(failure, text) if failure else Outcome(**json.loads(text))


def output_of(arguments: list[str], threads: int, limit: float) -> tuple[str, str]:
    """Runs Python in a process of its own, for so many seconds at most: "" and the last line that it
    prints, or a failure as in `Outcome` and its message."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, *arguments],
        env=_environment(threads),
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return "time", f"more than {limit:g} s"
        finally:
            if process.poll() is None:
                # With the processes that it may have started.
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode == 0:
        return "", output.splitlines()[-1]
    # Libraries in C end the process where they get no memory.
    signs = ("memoryerror", "bad_alloc", "memory alloc", "allocate memory", "unable to allocate")
    out_of_memory = any(sign in errors.lower() for sign in signs)
    last = errors.strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
    return "memory" if out_of_memory else "error", last[0]


def _environment(threads: int) -> dict[str, str]:
    names = (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "RAYON_NUM_THREADS",
        "LOKY_MAX_CPU_COUNT",
    )
    return os.environ | dict.fromkeys(names, str(threads))


if __name__ == "__main__":
    print(json.dumps(asdict(run(Job(**json.loads(sys.argv[1]))))))
