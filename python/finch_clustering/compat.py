"""FINCH as the package finch-clust has it, for programs that were written for that package.

    from finch_clustering.compat import FINCH  # was: from finch import FINCH

Labels are those of finch-clust 0.2.3 wherever no two distances are equal or nearly equal. Otherwise:

- Both take float32 samples. finch-clust computes distances in float32, by a formula that cancels
  digits, so that nearly equal distances may come in another order. Here distances are exact, and of
  equally near rows the first is the neighbour.
- Where two pairs of clusters are equally near, finch-clust may merge both in one step, and return
  fewer clusters than `req_clust`. Here they are exactly as many.
- Above `ann_threshold` rows both may search approximately, and each misses other neighbours.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._cluster import cluster
from ._hierarchy import Hierarchy
from ._input.frames import matrix_of

METRICS = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
"""Other names of metrics."""


def FINCH(
    data: ArrayLike,
    req_clust: int | None = None,
    initial_rank: ArrayLike | None = None,
    distance: str = "cosine",
    ensure_early_exit: bool = True,
    ann_threshold: int = 20_000,
    faiss_threshold: int = 5_000_000,
    faiss_use_gpu: bool = False,
    ram_size_in_gb: float | None = None,
    faiss_kwargs: dict[str, Any] | None = None,
    return_meta_labels: bool = False,
    verbose: bool = False,
    random_state: int | None = None,
    *,
    use_ann_above_samples: int | None = None,
    link_bound: str = "none",
) -> tuple[Any, ...]:
    """Clusters the rows of data, N x d, as `finch.FINCH` of finch-clust 0.2.3 does.

    req_clust: make so many clusters, too, by Algorithm 2 of the paper (centroid linkage).
    initial_rank: the first neighbour of each row, instead of a search.
    distance: "cosine", "euclidean" ("l2") or "manhattan" ("cityblock", "l1").
    ensure_early_exit: of no effect. finch-clust then sets links to 0 that are longer than the longest
        first-neighbour distance, but goes on to link by them.
    link_bound: which links do not count, that of `finch_clustering.cluster`: "none", as in finch-clust;
        "first-neighbor", those that ensure_early_exit means; "joined-pair", those that the authors'
        MATLAB code drops.
    ann_threshold: the number of rows up to which every search is exact. Above, an exact search is
        still taken where it does not take long. Older releases call this `use_ann_above_samples`.
    random_state: the seed of an approximate search.
    verbose: print the number of clusters of each level.
    faiss_threshold, faiss_use_gpu, ram_size_in_gb, faiss_kwargs: of no effect, as there is no FAISS
        here.

    Returns (c, num_clust, req_c): the labels of all partitions, N x P, finest first; a list of P
    numbers of clusters; and the N labels of `req_clust` clusters, or None. With return_meta_labels
    also a list of P - 1 arrays, the cluster of partition p + 1 that each cluster of partition p is
    in, and the means of partition 0. (finch-clust has one more array in that list, of a level that
    it drops.)
    """
    if faiss_use_gpu:
        warnings.warn("faiss_use_gpu has no effect: finch has a search of its own", stacklevel=2)
    X = np.asarray(matrix_of(data), np.float32)
    exact_up_to = ann_threshold if use_ann_above_samples is None else use_ann_above_samples
    exact = len(X) <= exact_up_to
    hierarchy = cluster(
        X,
        metric=METRICS.get(distance, distance),
        link_bound=link_bound,
        recall=1.0 if exact else 0.99,
        first_neighbors=None if initial_rank is None else np.ravel(initial_rank),
        seed=0 if random_state is None else random_state,
    )
    kept = _kept(hierarchy.n_clusters)
    num_clust = hierarchy.n_clusters[:kept]
    if verbose:
        for level, clusters in enumerate(num_clust):
            print(f"Level {level}: {clusters} clusters")
    c = np.array(hierarchy.labels[:, :kept])
    req_c = None if req_clust is None else _requested(hierarchy, X, c, num_clust, req_clust)
    if not return_meta_labels:
        return c, num_clust, req_c
    return c, num_clust, req_c, _steps(c), hierarchy.means(0, X)


def _kept(clusters: list[int]) -> int:
    """How many partitions finch-clust keeps: it ends at a level that joins no more than one pair."""
    for partition in range(1, len(clusters)):
        if clusters[partition - 1] - clusters[partition] <= 1:
            return partition
    return len(clusters)


def _requested(
    hierarchy: Hierarchy, X: NDArray[Any], c: NDArray[np.int32], num_clust: list[int], wanted: int
) -> NDArray[np.int32]:
    """The labels of so many clusters; of partition 0 where it has fewer."""
    if wanted in num_clust:
        return c[:, num_clust.index(wanted)]
    if wanted > num_clust[0]:
        print(
            f"{wanted} clusters were requested, more than the {num_clust[0]} of the finest"
            " partition, which is returned",
            file=sys.stderr,
        )
        return c[:, 0]
    start = max(p for p, clusters in enumerate(num_clust) if clusters >= wanted)
    return hierarchy.refine(X, wanted, linkage="centroid", from_partition=start)


def _steps(c: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Of each partition but the last: the cluster of the next that each cluster is in."""
    steps = []
    for fine, coarse in zip(c.T[:-1], c.T[1:]):
        step = np.empty(fine.max() + 1, np.int32)
        step[fine] = coarse
        steps.append(step)
    return steps
