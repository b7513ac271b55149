#!/usr/bin/env python3
"""Clustering on Dask beside one process, on this machine: labels, recall, seconds, memory, bytes moved.

    shards.py exact [ROWS]                  bit for bit on 1 to 4 workers; 7 uneven shards, 64 columns
    shards.py approximate X.npy [ROWS] [--shards 16] [--memory 2.5e9] [--task-bytes 4e8]
                            [--recall 0.99] [--one]

`approximate` takes the first ROWS of X.npy, in files of their own, and two workers of one thread, each
with a limit of memory. The one process (--one: after Dask, and in a process of its own) has two threads.
X.npy is best made by make.py of the folder of larger data. FINCH_LIBRARY names the library, PYTHONPATH
the folder python; takes dask[distributed] and scikit-learn.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ONE = """
import resource, sys, time, numpy as np, finch_clustering as finch
X = np.load(sys.argv[1], mmap_mode="r")[: int(sys.argv[2])]
start = time.perf_counter()
hierarchy = finch.cluster(X, threads=2, search="approximate")
seconds = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_SELF)
print(f"one process, 2 threads: {seconds:.1f} s ({usage.ru_utime + usage.ru_stime:.1f} s of CPU), recall"
      f" {hierarchy.recall:.4f}, clusters {hierarchy.n_clusters}, peak {usage.ru_maxrss / 1e6:.2f} GB")
"""


def status(key):
    """A line of /proc/self/status, in GB."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1e6 for line in text.splitlines() if line.startswith(key))


def peaks(client):
    of_workers = client.run(status, "VmHWM")
    return [*of_workers.values()], status("VmHWM")


def steps(dask_scheduler):
    """Calls, seconds computing and seconds receiving, of each kind of task."""
    return {
        name: (prefix.state_counts["memory"], dict(prefix.all_durations))
        for name, prefix in dask_scheduler.task_prefixes.items()
        if prefix.all_durations
    }


def moved(dask_worker):
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


def cpu():
    times = __import__("os").times()
    return times.user + times.system


def cluster_of(workers, memory, folder):
    from dask.distributed import Client, LocalCluster

    local = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=memory,
        dashboard_address=None,
        local_directory=folder,
    )
    return local, Client(local)


def exact(rows):
    import finch_clustering as finch
    from finch_clustering.dask import File, cluster

    rng = np.random.default_rng(0)
    means = rng.normal(0, 1, (400, 64))
    X = (means[rng.integers(0, 400, rows)] + rng.normal(0, 0.4, (rows, 64))).astype(np.float32)
    start = time.perf_counter()
    expected = finch.cluster(X, recall=1.0, threads=2)
    print(f"{rows:,} x 64; one process: {time.perf_counter() - start:.1f} s", expected.n_clusters)
    cuts = (np.array([0, 0.003, 0.1, 0.13, 0.45, 0.5, 0.8, 1]) * rows).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        shards = []
        for low, high in zip(cuts, cuts[1:]):
            shards.append(File(f"{folder}/{low}.npy"))
            np.save(shards[-1].path, X[low:high])
        print("shards of", np.diff(cuts).tolist())
        for workers in (1, 2, 3, 4):
            local, client = cluster_of(workers, 0, folder)
            with local, client:
                start = time.perf_counter()
                # Means of the first level are searched by pairs, too.
                clustering = cluster(shards, client, exact=True, task_bytes=X.nbytes // 8)
                same = clustering.n_clusters == expected.n_clusters and all(
                    np.array_equal(clustering.gather(number), labels)
                    for number, labels in enumerate(expected)
                )
                seconds = time.perf_counter() - start
                print(f"{workers} workers: {seconds:.1f} s, the same labels: {same}", flush=True)


def approximate(args):
    from finch_clustering.dask import File, cluster
    from finch_clustering import neighbors_between

    whole = np.load(args.X, mmap_mode="r")
    rows = args.rows or len(whole)
    with tempfile.TemporaryDirectory(dir=Path(args.X).parent) as folder:
        shards = []
        for number, part in enumerate(np.array_split(np.arange(rows), args.shards)):
            shards.append(File(f"{folder}/{number}.npy"))
            np.save(shards[-1].path, whole[part[0] : part[-1] + 1])
        Path(folder, "scratch").mkdir()
        local, client = cluster_of(2, args.memory, folder)
        with local, client:
            before = peaks(client)[1]
            start, used = time.perf_counter(), sum(client.run(cpu).values())
            options = {"task_bytes": int(args.task_bytes), "recall": args.recall}
            clustering = cluster(shards, client, scratch=f"{folder}/scratch", **options)
            seconds = time.perf_counter() - start
            used = sum(client.run(cpu).values()) - used
            of_workers, here = peaks(client)
            received = sum(client.run(moved).values())
            clusters = clustering.n_clusters
            print(f"{rows:,} x {whole.shape[1]}, {args.shards} files, 2 workers of 1 thread, limit"
                  f" {args.memory / 1e9:.1f} GB, {options}: {seconds:.1f} s ({used:.1f} s of CPU)")
            print(f"recall as told {clustering.recall:.4f}, clusters {clusters}")
            print(f"peaks: workers {of_workers} GB; scheduler and client {before:.2f} to {here:.2f} GB")
            print(f"received by workers: {received / rows:.1f} bytes a row")
            for name, (calls, durations) in sorted(client.run_on_scheduler(steps).items()):
                told = ", ".join(f"{what} {value:.1f} s" for what, value in durations.items())
                print(f"  {name}: {told}")
            # Measured apart: other rows, and all rows of the files compared with them.
            sample = np.sort(np.random.default_rng(99).choice(rows, 1_000, replace=False))
            index = np.concatenate([each.result().index for each in clustering.first_neighbors])
        truth, start = None, 0
        for shard in shards:
            part = np.load(shard.path)
            numbers = np.arange(start, start + len(part))
            truth = neighbors_between(
                whole[sample], part, 1, query_numbers=sample, base_numbers=numbers, so_far=truth
            )
            start += len(part)
        distance = lambda others: ((whole[sample].astype(float) - whole[others]) ** 2).sum(axis=1)
        found = distance(index[sample]) <= distance(truth.index[:, 0])
        print(f"recall measured apart, 1,000 rows: {found.mean():.4f}", flush=True)
    if args.one:
        command = [sys.executable, "-c", ONE, args.X, str(rows)]
        subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    one = commands.add_parser("exact")
    one.add_argument("rows", nargs="?", type=int, default=200_000)
    other = commands.add_parser("approximate")
    other.add_argument("X")
    other.add_argument("rows", nargs="?", type=int)
    other.add_argument("--shards", type=int, default=16)
    other.add_argument("--memory", type=float, default=2.5e9)
    other.add_argument("--task-bytes", type=float, default=4e8)
    other.add_argument("--recall", type=float, default=0.99)
    other.add_argument("--one", action="store_true")
    args = parser.parse_args()
    exact(args.rows) if args.command == "exact" else approximate(args)


if __name__ == "__main__":
    main()
