"""What samples are worth beside their neighbours or their distances alone, as a table in Markdown.

    cargo build --release -p finch-ffi
    venv/bin/python benches/given.py [mice usps ...]

Without samples, later partitions link clusters by the mean of the known distances, and neighbour
linkage has the neighbours that were brought. For each set the table has the clusters of all
partitions, the best ARI that a partition has, and the ACC of neighbour linkage at the true K. The
venv is that of linkage.py, and the data that of data_sets.py. Neighbours are scikit-learn's, each
row with the sample itself first.
"""

from __future__ import annotations

import sys
from pathlib import Path

import data_sets
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

LARGEST_MATRIX = 20_000
"""The most samples of which a distance matrix is made, in 3.2 GB."""


def row(data: data_sets.DataSet, source: str, partitions: list, cut: np.ndarray) -> list[str]:
    counts = ", ".join(str(labels.max() + 1) for labels in partitions)
    best = max(data.ari(labels) for labels in partitions)
    return [data.name, source, counts, f"{best:.1f}", f"{data.scores(cut).acc:.1f}"]


def rows(name: str) -> list[list[str]]:
    data = data_sets.load(name)
    X, K = np.ascontiguousarray(data.X, dtype=np.float64), data.classes
    samples = len(X)
    whole = finch.cluster(X, metric=data.metric)
    table = [row(data, "samples", list(whole), whole.refine(X, K))]
    if samples <= LARGEST_MATRIX:
        matrix = cdist(X, X, data.metric)
        np.fill_diagonal(matrix, 0)
        found = finch.cluster_distances(matrix, metric=data.metric)
        table.append(row(data, "distance matrix", list(found), found.refine(None, K)))
    linked = int(np.ceil(2 * np.log2(samples)))
    search = NearestNeighbors(n_neighbors=linked + 1, metric=data.metric, algorithm="brute").fit(X)
    distance, index = search.kneighbors(X)
    for k in (linked, 10, 5):
        columns = [np.ascontiguousarray(a[:, : k + 1]) for a in (index.astype(np.int32), distance)]
        found = finch.cluster_neighbors(*columns, metric=data.metric)
        table.append(row(data, f"{k} neighbours", list(found), found.refine(None, K)))
    return table


if __name__ == "__main__":
    header = ["set", "from", "clusters of partitions", "best ARI", "ACC at K"]
    names = sys.argv[1:] or ["mice", "usps", "letter"]
    print(markdown(header, [line for name in names for line in rows(name)]))
