"""Layers of clusters for Toponymy, which names them, and for DataMapPlot, which draws them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._cluster import cluster


class FinchClusterer:
    """A clusterer of Toponymy: `Toponymy(..., clusterer=FinchClusterer(4))`.

    n_layers: how many layers of nested clusters, evenly spaced in the logarithm of their numbers.
    min_clusters, base_n_clusters: the clusters of the coarsest and of the finest layer; None for those of the
        finest partition. options: those of `finch_clustering.cluster`.

    `cluster_layers_` and `cluster_tree_` after a fit are Toponymy's, `labels_` the layers, N labels each,
    finest first, as `datamapplot` takes them with names of clusters. Nothing is -1.
    """

    def __init__(
        self, n_layers: int = 4, min_clusters: int = 6, base_n_clusters: int | None = None, **options: Any
    ) -> None:
        self.n_layers, self.min_clusters = n_layers, min_clusters
        self.base_n_clusters, self.options = base_n_clusters, options

    def fit(
        self,
        clusterable_vectors: ArrayLike,
        embedding_vectors: NDArray[Any],
        layer_class: Any = None,
        **layer_options: Any,
    ) -> FinchClusterer:
        """Clusters N x d vectors; layers have the means of the N x e embedding vectors."""
        from toponymy.cluster_layer import ClusterLayerText
        from toponymy.clustering import build_cluster_tree, centroids_from_labels

        hierarchy = cluster(clusterable_vectors, **{"refinable": True, **self.options})
        self.labels_ = hierarchy.levels(
            self.n_layers, clusterable_vectors, finest=self.base_n_clusters, coarsest=self.min_clusters
        )
        self.cluster_tree_ = build_cluster_tree(self.labels_)
        vectors, layer = np.asarray(embedding_vectors), layer_class or ClusterLayerText
        self.cluster_layers_ = [
            layer(labels, centroids_from_labels(labels, vectors), layer_id=i, **layer_options)
            for i, labels in enumerate(self.labels_)
        ]
        return self

    def fit_predict(self, *arguments: Any, **options: Any) -> tuple[list[Any], dict[Any, Any]]:
        """Fits, and returns `cluster_layers_` and `cluster_tree_`."""
        self.fit(*arguments, **options)
        return self.cluster_layers_, self.cluster_tree_
