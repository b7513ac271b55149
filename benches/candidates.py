"""The rules that neighbour linkage was chosen from, in plain Python, independent of the library.

All are agglomerations on the graph of k nearest neighbours that start from a partition of FINCH:
the two clusters with the largest similarity merge, which is computed from `links`, the weights of
all arcs from samples of the one to samples of the other, in both directions. They differ in k, in
the weights, in the partition and in the similarity. Clusters without a link left between them merge
as by Ward linkage.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, eye_array, triu
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import KDTree

import data_sets
from data_sets import DataSet

MOST_NEIGHBORS = 50
"""More than any rule asks for: 3·log₂ 100,000 is 49.8."""


@dataclass(frozen=True)
class Log:
    """k = ⌈factor · log₂ N⌉, by which the graph stays connected (Brito et al., 1997)."""

    factor: float

    def __str__(self) -> str:
        return f"⌈{self.factor:g}·log₂ N⌉"


@dataclass(frozen=True)
class Candidate:
    k: int | Log
    weight: str = "shared"
    start: str = "first"
    similarity: str = "average"

    def __str__(self) -> str:
        return f"k = {self.k}, {self.weight}, {self.start}, {self.similarity}"

    def neighbors(self, samples: int) -> int:
        """k, for so many samples."""
        k = self.k
        asked = k if isinstance(k, int) else math.ceil(k.factor * math.log2(samples))
        return max(1, min(asked, MOST_NEIGHBORS, samples // 4))


# The weight of the arc from sample i to its neighbour j, and its source.
WEIGHTS = {
    "none": "1",
    "1/rank": "1/r, where j is the r-th nearest",
    "linear": "(k + 1 - r)/k",
    "shared": "|N(i) ∩ N(j)|, N(i) being i and its k nearest (Jarvis and Patrick, 1973); once for "
    "a pair, whichever of the two is a neighbour of the other",
    "shared, both ways": "the same for each arc, so twice for two samples that are each other's",
    "mutual": "1 if i is one of the k nearest of j, too, else 0 (Gowda and Krishna, 1978)",
}

# The partition to start from; none may have fewer than K clusters.
STARTS = {
    "first": "the finest",
    "second": "the one after it (the first again, if that has fewer than K)",
    "coarsest": "the coarsest that has K clusters",
}

# The similarity of clusters of a and b samples. `volume` of a cluster is the weight of all ends of
# arcs in it, and W that of all.
SIMILARITIES = {
    "average": "links/(a·b) (average linkage)",
    "guarded": "links/(a·b·√w), where w = a·b/(a + b) is what Ward linkage weighs by",
    "modularity": "links/W - volume·volume/W², half of what is gained (Newman, 2004)",
}

CHOSEN = Candidate(Log(2))

CANDIDATES: list[Candidate] = list(
    dict.fromkeys(
        [
            # The first trials, which looked at the second partition.
            *(Candidate(k, "none", "second") for k in (3, 5, 10)),
            *(Candidate(k, "none") for k in (3, 5, 10)),
            *(
                Candidate(k, weight)
                for weight in WEIGHTS
                for k in (10, Log(1), Log(1.5), Log(2), Log(2.5), Log(3))
            ),
            # The chosen one, but for one thing.
            Candidate(CHOSEN.k, start="second"),
            Candidate(CHOSEN.k, start="coarsest"),
            Candidate(CHOSEN.k, similarity="guarded"),
            Candidate(CHOSEN.k, similarity="modularity"),
        ]
    )
)
assert CHOSEN in CANDIDATES


class Problem:
    """A data set with what all candidates have in common."""

    def __init__(self, data: DataSet) -> None:
        self.data = data
        self.near = nearest(data.X, min(MOST_NEIGHBORS, len(data.X) - 1), data.metric)
        self.partitions = finch(data.X, self.near[:, 0], data.metric)
        # Of one k and weight only, since they are large.
        self._arcs = lru_cache(maxsize=1)(lambda k, weight: arcs(self.near[:, :k], weight))

    def solve(self, candidate: Candidate) -> np.ndarray:
        """N labels of K clusters."""
        clusters = self.data.classes
        start = self._start(candidate.start, clusters)
        return merge_all(self.data, start, self.arcs(candidate), candidate.similarity).cut(clusters)

    def arcs(self, candidate: Candidate) -> coo_matrix:
        """The weighted arcs between samples: N x N, sparse."""
        return self._arcs(candidate.neighbors(len(self.near)), candidate.weight)

    def _start(self, start: str, clusters: int) -> np.ndarray:
        """Single samples where no partition has enough clusters."""
        enough = [labels for labels in self.partitions if labels.max() + 1 >= clusters]
        if not enough:
            return np.arange(len(self.near))
        place = {"first": 0, "second": min(1, len(enough) - 1), "coarsest": -1}[start]
        return enough[place]


# Neighbours, and the partitions of FINCH.


def nearest(X: np.ndarray, k: int, metric: str) -> np.ndarray:
    """The k nearest other samples of each sample, nearest first: N x k numbers."""
    # All distances of more samples take too long in f64.
    X = X.astype(np.float32 if len(X) > 12_000 else np.float64)
    if metric == "cosine":
        X = data_sets.unit_rows(X)
    elif X.shape[1] <= 16:
        return _nearest_by_tree(X, k)
    return np.vstack(list(_nearest_by_all(X, k, metric)))


def _nearest_by_tree(X: np.ndarray, k: int) -> np.ndarray:
    distance, index = KDTree(X).query(X, k + 1)
    order = np.lexsort((index, distance))
    index = np.take_along_axis(index, order, 1)
    other = index != np.arange(len(X))[:, None]
    # Among many duplicates a sample may not find itself.
    other[other.all(1), -1] = False
    return index[other].reshape(len(X), k).astype(np.int32)


def _nearest_by_all(X: np.ndarray, k: int, metric: str, rows: int = 500) -> Iterator[np.ndarray]:
    """By all distances of so many rows at a time, or of unit rows by their cosines."""
    X = X - X.mean(0) if metric == "euclidean" else X
    squares = (X * X).sum(1) if metric == "euclidean" else np.zeros(len(X), X.dtype)
    for start in range(0, len(X), rows):
        some = slice(start, min(start + rows, len(X)))
        distance = squares - 2 * X[some] @ X.T  # ‖x‖², the same for all of a row, is left out.
        own = np.arange(some.start, some.stop)
        distance[own - start, own] = np.inf
        found = np.argpartition(distance, k - 1, axis=1)[:, :k]
        order = np.lexsort((found, np.take_along_axis(distance, found, 1)))
        yield np.take_along_axis(found, order, 1).astype(np.int32)


def finch(X: np.ndarray, first: np.ndarray, metric: str) -> list[np.ndarray]:
    """The partitions of FINCH (Algorithm 1, no link bound), finest first, as N labels each."""
    partitions = [_linked(first)]
    while True:
        labels = partitions[-1]
        clusters = labels.max() + 1
        if clusters < 3:
            return partitions
        near = nearest(means(X, labels), 1, metric)
        merged = _linked(near[:, 0])
        if merged.max() + 1 in (1, clusters):
            return partitions
        partitions.append(merged[labels])


def _linked(first: np.ndarray) -> np.ndarray:
    """The components of the links from each sample to its first neighbour."""
    count = len(first)
    graph = coo_matrix((np.ones(count), (np.arange(count), first)), (count, count))
    return connected_components(graph, directed=False)[1]


def means(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The mean of each cluster, in f64: C x d."""
    sizes = np.bincount(labels)
    members = csr_matrix((np.ones(len(X)), (labels, np.arange(len(X)))), (len(sizes), len(X)))
    return np.asarray(members @ X.astype(np.float64)) / sizes[:, None]


# Links.


def arcs(near: np.ndarray, weight: str) -> coo_matrix:
    """The weighted arcs from each sample to its neighbours: N x N, sparse. Of WEIGHTS."""
    samples, k = near.shape
    rank = np.tile(np.arange(1, k + 1), samples)
    ends = np.repeat(np.arange(samples), k), near.ravel()

    def weighted(weights: np.ndarray) -> csr_matrix:
        return coo_matrix((weights, ends), (samples, samples)).tocsr()

    plain = weighted(np.ones(samples * k, np.float32))
    match weight:
        case "none":
            return plain.tocoo()
        case "1/rank":
            return weighted(1 / rank).tocoo()
        case "linear":
            return weighted((k + 1 - rank) / k).tocoo()
        case "mutual":
            return plain.minimum(plain.T).tocoo()
        case "shared":
            return triu(_shared(plain, plain.maximum(plain.T).tocsr()))
        case "shared, both ways":
            return _shared(plain, plain)
    raise ValueError(weight)


def _shared(plain: csr_matrix, linked: csr_matrix, rows: int = 4096) -> coo_matrix:
    """|N(i) ∩ N(j)| for each i and j that are linked, for so many samples at a time."""
    samples = plain.shape[0]
    around = (plain + eye_array(samples, dtype=np.float32, format="csr")).tocsr()
    shared_by = around.T.tocsr()
    parts = []
    for start in range(0, samples, rows):
        some = slice(start, start + rows)
        part = (around[some] @ shared_by).multiply(linked[some]).tocoo()
        parts.append((part.data, part.row + start, part.col))
    data, row, column = (np.concatenate(part) for part in zip(*parts))
    return coo_matrix((data, (row, column)), plain.shape)


def between_clusters(arcs: coo_matrix, labels: np.ndarray) -> csr_matrix:
    """The weight of all arcs between (and within) clusters, either way: C x C, symmetric."""
    clusters = labels.max() + 1
    ends = labels[arcs.row], labels[arcs.col]
    one_way = coo_matrix((arcs.data.astype(np.float64), ends), (clusters, clusters)).tocsr()
    return one_way + one_way.T


# Agglomeration.


class Merge(NamedTuple):
    """Two clusters that become one, which keeps the number of the first."""

    kept: int
    gone: int
    weight: float
    """That of the links between the two; 0 where Ward linkage merged them."""


@dataclass(frozen=True)
class Dendrogram:
    """The merges from a partition to a single cluster."""

    start: np.ndarray
    """The partition: N labels of C clusters."""
    links: csr_matrix
    """The weight of all arcs between (and within) its clusters, either way: C x C, symmetric."""
    merges: list[Merge]
    """C - 1 of them."""

    @property
    def clusters(self) -> int:
        """The number of clusters of the partition, C."""
        return len(self.merges) + 1

    def becomes(self, clusters: int) -> np.ndarray:
        """What becomes of each of the C clusters until so many are left, numbered from 0."""
        return joined(self.clusters, self.merges[: self.clusters - clusters])

    def cut(self, clusters: int) -> np.ndarray:
        """N labels of so many clusters."""
        return self.becomes(clusters)[self.start]


def merge_all(data: DataSet, start: np.ndarray, arcs: coo_matrix, similarity: str) -> Dendrogram:
    """Merges all clusters of a partition, given as N labels: those without links by Ward."""
    links = between_clusters(arcs, start)
    merges = LinkMerging(links, np.bincount(start), similarity).merge()
    left = np.setdiff1d(np.arange(links.shape[0]), [merge.gone for merge in merges])
    if len(left) > 1:
        # Ward linkage numbers what is left from 0.
        for kept, gone, weight in ward(data, joined(links.shape[0], merges)[start]):
            merges.append(Merge(int(left[kept]), int(left[gone]), weight))
    return Dendrogram(start, links, merges)


def joined(clusters: int, merges: list[Merge]) -> np.ndarray:
    """What becomes of each of so many clusters by the merges, numbered from 0."""
    into = np.arange(clusters)
    for merge in merges:
        into[merge.gone] = merge.kept
    # What is kept may have become another.
    while (into[into] != into).any():
        into = into[into]
    return np.unique(into, return_inverse=True)[1]


class LinkMerging:
    """Merges those clusters first that are the most similar, of equals those of the smallest
    numbers; a merged cluster keeps the smaller of its two.

    A heap has the most similar cluster of each cluster, when it was looked at. A similarity of a
    merged cluster that is above its parts' is made known to both clusters; where it is below, as it
    always is for average linkage, that is found out when it comes up. So no similarity is above
    those in the heap (Müllner, Modern hierarchical, agglomerative clustering algorithms, 2011).
    """

    def __init__(self, links: csr_matrix, sizes: np.ndarray, similarity: str) -> None:
        self.links = _rows_as_dicts(links)
        self.sizes: list[int] = sizes.tolist()
        self.volumes: list[float] = np.asarray(links.sum(1)).ravel().tolist()
        self.similarities = self._similarities(similarity)
        self.best = [-math.inf] * len(sizes)
        self.heap: list[tuple[float, int, int, int, int]] = []
        for cluster in range(len(sizes)):
            self._look(cluster)

    def merge(self) -> list[Merge]:
        """Until no links are left."""
        merges, sizes = [], self.sizes
        while self.heap:
            _, one, other, size, other_size = heapq.heappop(self.heap)
            if sizes[one] != size:  # It has grown, and has been looked at, or is gone.
                continue
            if sizes[other] != other_size:
                self._look(one)
                continue
            kept, gone = min(one, other), max(one, other)
            merges.append(Merge(kept, gone, self._join(kept, gone)))
        return merges

    def _similarities(self, name: str) -> Callable[[int, list[int]], Iterator[float]]:
        """That of a cluster to each of a list of clusters. Of SIMILARITIES."""
        sizes, volumes, links = self.sizes, self.volumes, self.links
        total = sum(volumes)

        def average(one: int, others: list[int]) -> Iterator[float]:
            weights, size = links[one], sizes[one]
            return (weights[other] / (size * sizes[other]) for other in others)

        def guarded(one: int, others: list[int]) -> Iterator[float]:
            for other, mean in zip(others, average(one, others)):
                size, other_size = sizes[one], sizes[other]
                yield mean / math.sqrt(size * other_size / (size + other_size))

        def modularity(one: int, others: list[int]) -> Iterator[float]:
            weights, share = links[one], volumes[one] / total
            return (weights[other] / total - share * volumes[other] / total for other in others)

        return {"average": average, "guarded": guarded, "modularity": modularity}[name]

    def _look(self, one: int, merged: bool = False) -> None:
        """Finds the most similar cluster."""
        others = list(self.links[one])
        best, nearest = -math.inf, -1
        for other, similarity in zip(others, self.similarities(one, others)):
            if similarity > best or similarity == best and other < nearest:
                best, nearest = similarity, other
            if merged and similarity > self.best[other]:
                self._note(other, one, similarity)
        if nearest >= 0:
            self._note(one, nearest, best)

    def _note(self, one: int, other: int, similarity: float) -> None:
        self.best[one] = similarity
        sizes = self.sizes[one], self.sizes[other]
        heapq.heappush(self.heap, (-similarity, one, other, *sizes))

    def _join(self, kept: int, gone: int) -> float:
        """The weight of the links between the two."""
        weights = self.links[kept]
        between = weights.pop(gone)
        for other, weight in self.links[gone].items():
            if other != kept:
                weight += weights.get(other, 0.0)
                weights[other] = weight
                del self.links[other][gone]
                self.links[other][kept] = weight
        self.links[gone] = {}
        for amounts in (self.sizes, self.volumes):
            amounts[kept] += amounts[gone]
            amounts[gone] = 0
        self._look(kept, merged=True)
        return between


def _rows_as_dicts(links: csr_matrix) -> list[dict[int, float]]:
    """Of each row what is beside the diagonal, by column."""
    starts = links.indptr.tolist()
    rows = []
    for row, (start, end) in enumerate(zip(starts, starts[1:])):
        columns, weights = links.indices[start:end].tolist(), links.data[start:end].tolist()
        rows.append(dict(zip(columns, weights)))
        rows[-1].pop(row, None)
    return rows


def ward(data: DataSet, labels: np.ndarray) -> list[Merge]:
    """Merges all clusters by Ward linkage."""
    centers, sizes = means(data.X, labels), np.bincount(labels).astype(np.float64)
    count = len(sizes)
    merges: list[Merge] = []
    alive = np.ones(count, bool)
    cost, partner = np.empty(count), np.empty(count, int)

    def squares(one: int) -> np.ndarray:
        if data.metric == "cosine":
            return 2 - 2 * data_sets.unit_rows(centers) @ data_sets.unit_rows(centers[[one]])[0]
        return ((centers - centers[one]) ** 2).sum(1)

    def look(one: int) -> None:
        costs = squares(one) * sizes * sizes[one] / (sizes + sizes[one])
        costs[~alive] = np.inf
        costs[one] = np.inf
        partner[one] = costs.argmin()
        cost[one] = costs[partner[one]]

    for cluster in range(count):
        look(cluster)
    while len(merges) < count - 1:
        one = int(cost.argmin())
        kept, gone = sorted((one, int(partner[one])))
        total = sizes[kept] + sizes[gone]
        centers[kept] = (centers[kept] * sizes[kept] + centers[gone] * sizes[gone]) / total
        sizes[kept] = total
        alive[gone], cost[gone] = False, np.inf
        merges.append(Merge(kept, gone, 0.0))
        # Ward's cost of a merged cluster is never below that of both parts (Lance and Williams).
        for cluster in np.flatnonzero(alive & np.isin(partner, [kept, gone])):
            look(cluster)
        look(kept)
    return merges
