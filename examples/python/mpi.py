"""Clusters .npy files, the shards of one matrix, by the processes of MPI:

    pip install mpi4py
    mpiexec -n 2 python examples/python/mpi.py part-0.npy part-1.npy ...

Rank 0 drives, and all other ranks search. They read the files, so that no rank has all rows. The labels
of each file go into a file beside it, part-0.labels.npy, rows by partitions, the finest first. Without
files, three parts of the data in examples/data are clustered, and compared with one process.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from finch_clustering import cluster, shards
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor


def main():
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is None:  # a rank that searches, and is done
            return
        tasks = shards.Futures(executor, max(1, MPI.COMM_WORLD.size - 1))
        if sys.argv[1:]:
            run(tasks, sys.argv[1:], exact=False)
            return
        with tempfile.TemporaryDirectory() as folder:
            X = np.load(Path(__file__).parents[1] / "data/mice_protein/X.npy")
            paths = [f"{folder}/part-{number}.npy" for number in range(3)]
            for path, rows in zip(paths, np.split(X, [500, 620])):
                np.save(path, rows)
            # Tasks of 64 KiB, so that there are more than one.
            run(tasks, paths, exact=True, task_bytes=1 << 16)
            labels = np.concatenate([np.load(labels_of(path)) for path in paths])
            same = np.array_equal(labels, cluster(X, recall=1.0).labels)
            print("the labels of one process" if same else "OTHER LABELS")


def run(tasks, paths, **options):
    with tempfile.TemporaryDirectory() as scratch:  # of all ranks, on one machine
        files = [shards.File(path) for path in paths]
        clustering = shards.cluster(files, tasks, scratch=scratch, **options)
        print(f"{clustering.n_clusters} clusters; recall {clustering.recall:.3f}")
        for number, path in enumerate(paths):
            partitions = [tasks.result(each[number]) for each in clustering.labels]
            np.save(labels_of(path), np.stack(partitions, axis=1))


def labels_of(path):
    return Path(path).with_suffix(".labels.npy")


if __name__ == "__main__":
    main()
