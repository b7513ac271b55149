"""Criteria that recommend a number of clusters, or a partition, where no classes are known.

They choose among the cuts of the dendrogram of neighbour linkage, or the partitions of FINCH. All
are in plain Python, independent of the library, whose own are CUTS[SHIPPED] and
PARTITIONS["agreement"].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial

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


# Criteria for the cut: each returns K.

Limit = Callable[["Evidence"], int]


def half(evidence: Evidence) -> int:
    """Of the clusters of the finest partition: no criterion chooses more."""
    return max(2, evidence.merged.clusters // 2)


def root(evidence: Evidence) -> int:
    """√N, beyond which criteria are often told not to go."""
    return min(half(evidence), math.isqrt(evidence.samples))


def shipped(evidence: Evidence, weigh: bool = True, even_in: str = "ln K") -> int:
    merged, most = evidence.merged, half(evidence)
    if merged.clusters < 3:
        return merged.clusters
    if merged.pieces > most:
        return merged.pieces
    merges = np.arange(merged.clusters + 1)
    weights = {"ln K": 1 / np.maximum(merges, 1), "K": np.ones(len(merges))}[even_in]
    scores = {k: drop(merged.similarity, weights, k) for k in range(2, most + 1)}
    if weigh:
        scores = {k: max(merged.modularity[k], 0.0) * scores[k] for k in scores}
    return first_of_best(scores)


def drop(similarity: np.ndarray, weights: np.ndarray, k: int) -> float:
    """By how much ln s is larger before K is reached than after, each merge with its weight."""
    clusters = len(similarity) - 1
    finer = slice(k + 1, min(clusters, max(k + 1, 3 * k // 2)) + 1)
    coarser = slice(max(2, math.ceil(2 * k / 3)), k + 1)
    before, after = (
        np.average(similarity[window], weights=weights[window]) for window in (finer, coarser)
    )
    return float(before - after)


def first_of_best(scores: dict[int, float]) -> int:
    """The key with the highest score, the first of those that differ by rounding only."""
    best, highest = 0, -math.inf
    for k, score in scores.items():
        if score > highest + 1e-9:
            best, highest = k, score
    return best


def largest_gap(evidence: Evidence) -> int:
    return 2 + int(np.diff(evidence.merged.similarity[2 : half(evidence) + 2]).argmax())


def largest_modularity(evidence: Evidence) -> int:
    return 2 + int(evidence.merged.modularity[2 : half(evidence) + 1].argmax())


def elbow(evidence: Evidence) -> int:
    cost = np.log(np.maximum(evidence.merged.cost[2 : root(evidence) + 2], 1e-12))
    return 2 + int(np.diff(-cost).argmax())


def largest(index: str, limit: Limit, evidence: Evidence) -> int:
    return best_up_to(limit(evidence), evidence.numbers, evidence.indices[index])


def stability(limit: Limit, evidence: Evidence) -> int:
    return best_up_to(limit(evidence), evidence.numbers, evidence.stabilities)


def best_up_to(most: int, numbers: list[int], values: np.ndarray) -> int:
    """The number, of those up to `most`, with the largest value."""
    few = sum(number <= most for number in numbers)
    return numbers[int(values[:few].argmax())]


def prediction_strength(limit: Limit, evidence: Evidence) -> int:
    strong = np.array(evidence.numbers)[evidence.strengths >= 0.8]
    return max(strong[strong <= limit(evidence)].tolist(), default=2)


def eigenvalues(evidence: Evidence, most: int = 300) -> np.ndarray:
    """Of the Laplacian of the graph of clusters, the smallest first."""
    links = evidence.cut(min(evidence.merged.clusters, most)).links().toarray()
    roots = np.sqrt(np.maximum(links.sum(1), 1e-12))
    return np.linalg.eigvalsh(np.eye(len(links)) - links / np.outer(roots, roots))


def eigengap(evidence: Evidence) -> int:
    return 2 + int(np.diff(eigenvalues(evidence))[1 : half(evidence)].argmax())


def eigengap_ratio(evidence: Evidence) -> int:
    logarithms = np.log(np.maximum(eigenvalues(evidence), 0) + 1e-6)
    return 2 + int(np.diff(logarithms)[1 : half(evidence)].argmax())


def within_range(evidence: Evidence, clusters: float) -> int:
    return min(max(2, round(clusters)), evidence.merged.clusters)


def count_of(evidence: Evidence, place: int) -> int:
    """The clusters of the partition that is last but so many."""
    return evidence.partitions[from_coarsest(evidence, place)].clusters


# Criteria for the partition: each returns its number.


def agreeing(evidence: Evidence) -> int:
    cut = evidence.cut(shipped(evidence))
    return last_of_best(partition.agreement(cut) for partition in evidence.partitions)


def nearest_count(evidence: Evidence) -> int:
    asked = shipped(evidence)
    counts = [partition.clusters for partition in evidence.partitions]
    return last_of_best(-abs(math.log(count / asked)) for count in counts)


def largest_of_partitions(index: str, limit: Limit, evidence: Evidence) -> int:
    """The coarsest, if all have too many clusters."""
    most = min(limit(evidence), MOST_CLUSTERS)

    def value(partition: Clustering) -> float:
        return INDICES[index](partition) if partition.clusters <= most else -math.inf

    return last_of_best(map(value, evidence.partitions))


def from_coarsest(evidence: Evidence, place: int) -> int:
    return max(0, len(evidence.partitions) - 1 - place)


def last_of_best(scores: Iterable[float]) -> int:
    """The place of the highest score, the coarsest partition's of equals."""
    scores = list(scores)
    return len(scores) - 1 - int(np.argmax(scores[::-1]))


@dataclass(frozen=True)
class Criterion:
    formula: str
    choose: Callable[[Evidence], int]


def with_limits(
    name: str, formula: str, choose: Callable[[Limit, Evidence], int]
) -> dict[str, Criterion]:
    return {
        name: Criterion(formula, partial(choose, half)),
        f"{name}, K ≤ √N": Criterion("the same, but no larger K", partial(choose, root)),
    }


SHIPPED = "drop × modularity"

# What K the dendrogram is cut at.
CUTS = {
    SHIPPED: Criterion(
        "largest Q(K) · (mean of ln s over the merges K + 1 … 3K/2, less that over 2K/3 … K), Q"
        " being modularity, and s the similarity of the two clusters that merge; merge K, in all of"
        " this the one that K are left before, has the weight 1/K in a mean",
        shipped,
    ),
    "drop, even in K, × modularity": Criterion(
        "the same with plain means", partial(shipped, even_in="K")
    ),
    "drop": Criterion("the first without Q(K)", partial(shipped, weigh=False)),
    "gap": Criterion("largest ln s(K + 1) − ln s(K)", largest_gap),
    "modularity": Criterion(
        "largest Q = Σ (links within − volume²/W)/W over the clusters, `volume` being the weight of"
        " all ends of links in a cluster, and W that of all (Newman and Girvan, 2004)",
        largest_modularity,
    ),
    **with_limits(
        "silhouette",
        "largest mean of (b − a)/max(a, b), a being the distance from the mean of the sample's own"
        f" cluster and b from the nearest other mean, of {SAMPLES} samples (the simplified"
        " silhouette; Hruschka et al., 2006)",
        partial(largest, "silhouette"),
    ),
    **with_limits(
        "Calinski–Harabasz",
        "largest (between/(K − 1)) / (within/(N − K)), of sums of squares (1974)",
        partial(largest, "Calinski–Harabasz"),
    ),
    **with_limits(
        "Davies–Bouldin",
        "smallest mean over clusters of the largest (sᵢ + sⱼ)/dᵢⱼ, s being the root mean square"
        " distance from the mean, and d the distance of two means (1979)",
        partial(largest, "Davies–Bouldin"),
    ),
    **with_limits(
        "stability",
        "largest mean ARI of two cuts to K clusters, of dendrograms by the links of a random half"
        " of the samples and by those of the others, 3 times",
        stability,
    ),
    **with_limits(
        "prediction strength",
        "largest K at which the other of such two cuts has together, of each cluster, 80 % of the"
        " pairs (Tibshirani and Walther, 2005, but with links drawn, not samples)",
        prediction_strength,
    ),
    "elbow": Criterion(
        "largest cost(K)/cost(K + 1), cost(K) being by how much merge K makes the sum of squares"
        " within clusters larger; no K above √N",
        elbow,
    ),
    "eigengap": Criterion(
        "largest λ(K + 1) − λ(K), λ being the eigenvalues of the normalised Laplacian of the links"
        " between the clusters of the cut to 300 (von Luxburg, 2007)",
        eigengap,
    ),
    "eigengap, ratio": Criterion("largest λ(K + 1)/λ(K), with 10⁻⁶ added to both", eigengap_ratio),
    "K = 10": Criterion("always", lambda evidence: within_range(evidence, 10)),
    "K = √(N/2)": Criterion(
        "always", lambda evidence: within_range(evidence, math.sqrt(evidence.samples / 2))
    ),
    "count of the coarsest": Criterion(
        "as many clusters as the coarsest partition has", partial(count_of, place=0)
    ),
    "count of the second coarsest": Criterion(
        "as many as the partition before it has", partial(count_of, place=1)
    ),
}

# Which partition of FINCH is taken.
PARTITIONS = {
    "agreement": Criterion(f"largest ARI with the cut by {SHIPPED}", agreeing),
    "nearest count": Criterion("smallest |ln(clusters/K)|, for the K of that cut", nearest_count),
    **with_limits("modularity", "as above", partial(largest_of_partitions, "modularity")),
    **with_limits("silhouette", "as above", partial(largest_of_partitions, "silhouette")),
    **with_limits(
        "Calinski–Harabasz", "as above", partial(largest_of_partitions, "Calinski–Harabasz")
    ),
    **with_limits("Davies–Bouldin", "as above", partial(largest_of_partitions, "Davies–Bouldin")),
    "coarsest": Criterion("always", partial(from_coarsest, place=0)),
    "second coarsest": Criterion("always, if there are two", partial(from_coarsest, place=1)),
}
