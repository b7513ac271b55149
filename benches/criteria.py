"""Criteria that recommend a number of clusters, or a partition, where no classes are known.

They choose among the cuts of the dendrogram of neighbour linkage, or the partitions of FINCH. All
are in plain Python, independent of the library, whose own are CUTS[SHIPPED] and
PARTITIONS["agreement"].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from evidence import INDICES, MOST_CLUSTERS, SAMPLES, Clustering, Evidence

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
