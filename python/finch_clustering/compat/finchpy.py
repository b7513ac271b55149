"""FINCH as the package finchpy has it: a class.

    from finch_clustering.compat.finchpy import FINCH  # was: from finch import FINCH
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._input.arrays import Samples
from .._input.other_metrics import dense_rows
from ._by_metric import partitions_of


class FINCH:
    """The class of finchpy 0.0.1.

    metric: as of `finch_clustering.compat.FINCH`. n_jobs: the number of threads, -1 for all.

    `partitions` after a fit has a dictionary for each partition, under "parition_0", "parition_1" and so on
    (spelled so in finchpy): "n_clusters"; "labels", N numbers; "cluster_centers", a list of means;
    "cluster_core_indices", a list of the samples of each cluster; and after `fit_predict`
    "silhouette_coefficient". A partition of one cluster is left out.
    """

    def __init__(self, metric: Any = "euclidean", n_jobs: int | None = 1) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def __repr__(self) -> str:
        return f"FINCH(metric={self.metric!r}, n_jobs={self.n_jobs!r})"

    def fit(self, X: ArrayLike) -> FINCH:
        """Clusters the rows of X, N x d, of float32 or float64, and prints the numbers of clusters."""
        self._fit(X, None)
        return self

    def fit_predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Clusters the rows of X, and returns `labels`: the partition with the highest silhouette
        coefficient, that of scikit-learn, which this takes; not the finest one unless there is no other."""
        from sklearn.metrics import silhouette_score

        rows = dense_rows(X)
        scores: list[float] = []

        def score(labels: NDArray[np.int32]) -> float:
            clusters = int(labels.max()) + 1
            # scikit-learn takes no clusters of one sample each.
            fits = 1 < clusters < len(rows)
            scores.append(float(silhouette_score(rows, labels, metric=self.metric)) if fits else -1.0)
            return scores[-1]

        labellings = self._fit(X, score)
        if not labellings:
            raise ValueError(
                f"X has {len(rows)} rows in one cluster: finchpy chooses among partitions of two or more"
            )
        coarser = range(1, len(scores)) if len(scores) > 1 else range(1)
        # Of equal scores the coarser partition counts, as in finchpy.
        self.labels = labellings[max(coarser, key=lambda number: (scores[number], number))]
        return self.labels

    def _fit(self, X: ArrayLike, score: Any) -> list[NDArray[np.int32]]:
        samples = X if hasattr(X, "tocsr") else Samples(X).array
        threads = 0 if self.n_jobs in (None, -1) else max(int(self.n_jobs), 1)
        found = partitions_of(samples, self.metric, threads=threads)
        self.n_samples = samples.shape[0]
        self.partitions: dict[str, dict[str, Any]] = {}
        labellings = [labels for labels in found.labels if labels.max() > 0]
        print("FINCH Partitionings\n-------------------")
        for number, labels in enumerate(labellings):
            order = np.argsort(labels, kind="stable")
            members = np.split(order, np.cumsum(np.bincount(labels))[:-1])
            self.partitions[f"parition_{number}"] = {
                "n_clusters": len(members),
                "labels": labels,
                "cluster_centers": list(found.means(labels)),
                "cluster_core_indices": [rows.tolist() for rows in members],
            }
            told = ""
            if score is not None:
                coefficient = score(labels)
                self.partitions[f"parition_{number}"]["silhouette_coefficient"] = coefficient
                told = f" with average silhouette score {coefficient:.2f}"
            print(f"Clusters in {number} partition: {len(members)}{told}")
        return labellings
