"""What criteria for a number of clusters look at: cuts of the dendrogram of neighbour linkage, the
partitions of FINCH, and indices of both, in plain Python, independent of the library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

import data_sets
from candidates import CHOSEN, Dendrogram, Problem, means, merge_all
from data_sets import DataSet

MOST_CLUSTERS = 2000
"""Finer clusterings are not looked at by criteria that compute something anew for each."""

SAMPLES = 2000
"""So many random samples stand for all, for the silhouette."""


# Clusterings, and indices of them.


class Base:
    """The clusters of the finest partition, of which all clusterings here are unions."""

    def __init__(self, data: DataSet, dendrogram: Dendrogram) -> None:
        X = data_sets.unit_rows(data.X) if data.metric == "cosine" else data.X
        labels = dendrogram.start
        self.sizes = np.bincount(labels).astype(np.float64)
        self.sums = means(X, labels) * self.sizes[:, None]
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        self.squares = np.bincount(labels, weights=squares)
        self.links = dendrogram.links.tocoo()
        drawn = np.random.RandomState(0).permutation(len(X))[:SAMPLES]
        self.drawn = X[drawn].astype(np.float64)
        self.cluster_of_drawn = labels[drawn]


class Clustering:
    """Unions of the clusters of the finest partition."""

    def __init__(self, base: Base, into: np.ndarray) -> None:
        self.base = base
        self.into = into
        """Of each cluster of the finest partition the one that it is in, numbered from 0."""
        self.clusters = int(into.max()) + 1
        self.sizes = self._sum(base.sizes)

    @cached_property
    def means(self) -> np.ndarray:
        return self.unions @ self.base.sums / self.sizes[:, None]

    @cached_property
    def squares(self) -> np.ndarray:
        """Of each cluster the sum of squared distances from the mean."""
        of_means = self.sizes * (self.means**2).sum(1)
        return np.maximum(self._sum(self.base.squares) - of_means, 0)

    @property
    def unions(self) -> csr_matrix:
        """1 where a cluster of the finest partition is in a cluster."""
        parts = len(self.into)
        ends = self.into, np.arange(parts)
        return csr_matrix((np.ones(parts), ends), (self.clusters, parts))

    def links(self) -> coo_matrix:
        """The weight of all links between and within clusters, either way."""
        links = self.base.links
        ends = self.into[links.row], self.into[links.col]
        return coo_matrix((links.data, ends), (self.clusters, self.clusters))

    def shared(self, other: Clustering) -> csr_matrix:
        """How many samples each cluster shares with each of another clustering."""
        ends = self.into, other.into
        return coo_matrix((self.base.sizes, ends), (self.clusters, other.clusters)).tocsr()

    def agreement(self, other: Clustering) -> float:
        """The adjusted Rand index."""
        both = _pairs(self.shared(other).data)
        one, two = _pairs(self.sizes), _pairs(other.sizes)
        by_chance = one * two / _pairs(self.sizes.sum())
        most = (one + two) / 2
        return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)

    def least_kept(self, other: Clustering) -> float:
        """The smallest share, over the clusters, of pairs that the other has together."""
        shared = self.shared(other)
        together = np.asarray((shared.multiply(shared) - shared).sum(1)).ravel()
        return float((together / np.maximum(self.sizes * (self.sizes - 1), 1)).min())

    def _sum(self, amounts: np.ndarray) -> np.ndarray:
        return np.bincount(self.into, weights=amounts)


def _pairs(sizes: np.ndarray | float) -> float:
    """How many pairs there are in sets of these sizes, together."""
    sizes = np.asarray(sizes, np.float64)
    return float((sizes * (sizes - 1)).sum() / 2)


def modularity(clustering: Clustering) -> float:
    links = clustering.links()
    total = max(links.data.sum(), 1.0)
    within = links.data[links.row == links.col].sum()
    volumes = np.bincount(links.row, weights=links.data, minlength=clustering.clusters)
    return float(within / total - ((volumes / total) ** 2).sum())


def silhouette(clustering: Clustering) -> float:
    base, means = clustering.base, clustering.means
    drawn, own = base.drawn, clustering.into[base.cluster_of_drawn]
    distance = np.sqrt(_squared_distances(drawn, means))
    each = np.arange(len(drawn))
    near = distance[each, own]
    distance[each, own] = np.inf
    next_nearest = distance.min(1)
    widths = (next_nearest - near) / np.maximum(np.maximum(near, next_nearest), 1e-12)
    return float(np.where(clustering.sizes[own] > 1, widths, 0).mean())


def calinski_harabasz(clustering: Clustering) -> float:
    sizes, means, clusters = clustering.sizes, clustering.means, clustering.clusters
    samples, within = sizes.sum(), clustering.squares.sum()
    between = (sizes * ((means - sizes @ means / samples) ** 2).sum(1)).sum()
    return float(between / (clusters - 1) / max(within, 1e-12) * (samples - clusters))


def davies_bouldin(clustering: Clustering) -> float:
    """Its negative: the index is better where it is smaller."""
    spread = np.sqrt(clustering.squares / clustering.sizes)
    distance = np.sqrt(_squared_distances(clustering.means, clustering.means))
    np.fill_diagonal(distance, np.inf)
    ratio = (spread[:, None] + spread) / np.maximum(distance, 1e-12)
    return -float(ratio.max(1).mean())


def _squared_distances(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    squares = (X**2).sum(1)[:, None] + (Y**2).sum(1) - 2 * X @ Y.T
    return np.maximum(squares, 0)


# Larger is better.
INDICES: dict[str, Callable[[Clustering], float]] = {
    "modularity": modularity,
    "silhouette": silhouette,
    "Calinski–Harabasz": calinski_harabasz,
    "Davies–Bouldin": davies_bouldin,
}


# What criteria look at.


class Evidence:
    """A data set without its classes: its dendrogram and its partitions."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        start, arcs = problem.partitions[0], problem.arcs(CHOSEN)
        self.samples = len(start)
        self.dendrogram = merge_all(problem.data, start, arcs, CHOSEN.similarity)
        self.base = Base(problem.data, self.dendrogram)
        self.partitions = [self._coarser(labels) for labels in problem.partitions]
        """Of FINCH, finest first."""
        self.numbers = numbers_of_clusters(self.dendrogram.clusters)
        """Of clusters of the cuts that are looked at where not all are."""

    def cut(self, clusters: int) -> Clustering:
        return self._cut(self.dendrogram, clusters)

    @cached_property
    def indices(self) -> dict[str, np.ndarray]:
        """Of each cut of `numbers`."""
        # All of a cut at once, so that its means need not be kept.
        cuts = map(self.cut, self.numbers)
        table = np.array([[index(cut) for index in INDICES.values()] for cut in cuts])
        return dict(zip(INDICES, table.T))

    @cached_property
    def halves(self) -> list[tuple[Dendrogram, Dendrogram]]:
        """Dendrograms by the links of a random half of the samples, and by those of the others. A
        link is of the one of its samples that has the smaller number."""
        random = np.random.RandomState(0)
        drawn = [random.rand(self.samples) < 0.5 for _ in range(3)]
        return [(self._merge_those_of(half), self._merge_those_of(~half)) for half in drawn]

    def cuts_of_halves(self, clusters: int) -> list[tuple[Clustering, Clustering]]:
        return [(self._cut(a, clusters), self._cut(b, clusters)) for a, b in self.halves]

    @cached_property
    def stabilities(self) -> np.ndarray:
        """For each of `numbers` how well cuts of two halves agree."""

        def stability(clusters: int) -> float:
            cuts = self.cuts_of_halves(clusters)
            return float(np.mean([one.agreement(other) for one, other in cuts]))

        return np.array([stability(clusters) for clusters in self.numbers])

    @cached_property
    def strengths(self) -> np.ndarray:
        """For each of `numbers` how well each cluster of a half is kept together in the other."""

        def strength(clusters: int) -> float:
            cuts = self.cuts_of_halves(clusters)
            both_ways = cuts + [(other, one) for one, other in cuts]
            return float(np.mean([one.least_kept(other) for one, other in both_ways]))

        return np.array([strength(clusters) for clusters in self.numbers])

    @cached_property
    def merged(self) -> Merged:
        return Merged(self.dendrogram, self.base)

    def _merge_those_of(self, half: np.ndarray) -> Dendrogram:
        arcs = self.problem.arcs(CHOSEN)
        kept = half[arcs.row]
        arcs = coo_matrix((arcs.data[kept], (arcs.row[kept], arcs.col[kept])), arcs.shape)
        return merge_all(self.problem.data, self.dendrogram.start, arcs, CHOSEN.similarity)

    def _cut(self, dendrogram: Dendrogram, clusters: int) -> Clustering:
        return Clustering(self.base, dendrogram.becomes(clusters))

    def _coarser(self, labels: np.ndarray) -> Clustering:
        into = np.empty(self.dendrogram.clusters, int)
        into[self.dendrogram.start] = labels
        return Clustering(self.base, into)


def numbers_of_clusters(clusters: int) -> list[int]:
    """Up to half of so many: all up to 100, and above about 5 % more each."""
    most = min(max(2, clusters // 2), MOST_CLUSTERS)
    steps = (round(100 * 1.05**step) for step in range(1, 100))
    return [k for k in [*range(2, 101), *steps] if k <= most]


class Merged:
    """What the merges of a dendrogram tell: arrays with an entry for each K, of 0 to C clusters."""

    def __init__(self, dendrogram: Dendrogram, base: Base) -> None:
        clusters = dendrogram.clusters
        sizes, volumes = base.sizes.copy(), np.asarray(dendrogram.links.sum(1)).ravel()
        sums = base.sums.copy()
        total = max(volumes.sum(), 1.0)
        self.similarity = np.full(clusters + 1, -np.inf)
        """ln s of the merge that K are left before, made never falling in K. What is not linked
        counts as if it shared one neighbour."""
        self.modularity = np.zeros(clusters + 1)
        self.cost = np.zeros(clusters + 1)
        """By how much it makes the sum of squares within clusters larger."""
        within = dendrogram.links.diagonal().sum()
        self.modularity[clusters] = within / total - ((volumes / total) ** 2).sum()
        for k, (kept, gone, weight) in zip(range(clusters, 1, -1), dendrogram.merges):
            pairs = sizes[kept] * sizes[gone]
            self.similarity[k] = math.log(max(weight, 1.0) / pairs)
            gain = weight - volumes[kept] * volumes[gone] / total
            self.modularity[k - 1] = self.modularity[k] + 2 * gain / total
            apart = sums[kept] / sizes[kept] - sums[gone] / sizes[gone]
            self.cost[k] = pairs / (sizes[kept] + sizes[gone]) * (apart @ apart)
            for amounts in (sizes, volumes, sums):
                amounts[kept] += amounts[gone]
        self.similarity = np.maximum.accumulate(self.similarity)
        self.clusters = clusters
        self.pieces = 1 + sum(merge.weight == 0 for merge in dendrogram.merges)
        """So many clusters are left when no links are."""
