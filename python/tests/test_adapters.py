"""Adapters beside the packages that they are of; each test is left out where its package is not there."""

import sys
import types

import finch_clustering as finch
import numpy as np
import pytest

GROUPS = np.repeat(np.random.default_rng(1).normal(scale=6, size=(5, 8)), 60, axis=0)
X = GROUPS + np.random.default_rng(0).normal(size=GROUPS.shape)
TRUTH = np.repeat(np.arange(5), 60)


def test_cells_of_an_anndata(tmp_path):
    anndata = pytest.importorskip("anndata")
    sparse = pytest.importorskip("scipy.sparse")
    cells = [f"cell {number}" for number in range(len(X))]
    adata = anndata.AnnData(sparse.csr_matrix(np.abs(X)))
    adata.obs_names = cells
    adata.obsm["X_pca"] = X
    assert finch.anndata.cluster(adata) is None
    assert finch.score(adata.obs["finch"], TRUTH).ari == 1
    assert list(adata.obs["finch"].cat.categories) == ["0", "1", "2", "3", "4"]
    assert list(adata.obs.index) == cells and adata.uns["finch"]["params"]["use_rep"] == "X_pca"
    hierarchy = finch.cluster(X, refinable=True)
    np.testing.assert_array_equal(adata.obsm["finch"], hierarchy.labels)
    np.testing.assert_array_equal(adata.uns["finch"]["linkage"], hierarchy.tree().linkage())
    finch.anndata.cluster(adata, use_rep="X", key_added="few", n_clusters=3, metric="cosine")
    sizes = np.bincount(adata.obs["few"].cat.codes)
    assert len(sizes) == 3 and (np.diff(sizes) <= 0).all()
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert (again.obs["finch"] == adata.obs["finch"]).all()
    np.testing.assert_array_equal(again.uns["few"]["n_clusters"], adata.uns["few"]["n_clusters"])
    with pytest.raises(KeyError, match="adata has no 'X_umap': use_rep is one of"):
        finch.anndata.cluster(adata, use_rep="X_umap")
    with pytest.raises(TypeError, match="adata is a ndarray: give an AnnData"):
        finch.anndata.cluster(X)


def test_topics_of_bertopic():
    bertopic = pytest.importorskip("bertopic")
    from bertopic.dimensionality import BaseDimensionalityReduction

    words = ["ant bee", "cat dog", "elm fir", "gold iron", "jazz rock"]
    documents = [f"{words[group]} number{row % 7}" for row, group in enumerate(TRUTH)]
    topics = bertopic.BERTopic(
        embedding_model=None,
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=finch.FINCH(),
    )
    found, _ = topics.fit_transform(documents, X)
    assert finch.score(found, TRUTH).ari == 1 and min(found) == 0
    again, _ = topics.transform(documents[:9], X[:9])
    assert list(again) == list(found[:9])
    assert {"ant", "bee"} & {word for word, _ in topics.get_topic(found[0])}


def test_layers_of_toponymy():
    clustering = pytest.importorskip("toponymy.clustering")
    from finch_clustering.adapters.toponymy import FinchClusterer

    class Layer:
        def __init__(self, labels, means, layer_id, **options):
            self.labels, self.means, self.layer_id, self.options = labels, means, layer_id, options

    embedding = np.concatenate([X, -X], axis=1)
    layers, tree = FinchClusterer(3, min_clusters=5).fit_predict(X, embedding, Layer, verbose=False)
    counts = [int(layer.labels.max()) + 1 for layer in layers]
    assert len(layers) == 3 and counts[-1] == 5 and counts == sorted(counts, reverse=True)
    assert finch.score(layers[-1].labels, TRUTH).ari == 1
    np.testing.assert_allclose(layers[-1].means[0], embedding[layers[-1].labels == 0].mean(axis=0))
    assert tree == clustering.build_cluster_tree([layer.labels for layer in layers])
    assert sum(len(below) for below in tree.values()) == sum(counts), "each has one parent"
    model = FinchClusterer(2).fit(X, embedding)
    assert type(model.cluster_layers_[0]).__name__ == "ClusterLayerText"


class NetworkxGraph:
    """A graph of networkx, as the package knows one."""

    def __init__(self, edges, nodes, directed=False):
        self._edges, self.nodes, self._directed = edges, nodes, directed

    def number_of_nodes(self):
        return len(self.nodes)

    def edges(self, data=False):
        return self._edges

    def is_directed(self):
        return self._directed


def nearest_edges():
    found = finch.nearest_neighbors(X, 6)
    return [
        (row, int(other), float(length))
        for row in range(len(X))
        for other, length in zip(found.index[row], found.distance[row])
    ]


@pytest.mark.parametrize("package", ["stub", "networkx", "igraph"])
@pytest.mark.parametrize("directed", [False, True])
def test_graphs_of_distances(package, directed):
    sparse = pytest.importorskip("scipy.sparse")
    edges = nearest_edges()
    names = [f"node {number}" for number in range(len(X))]
    named = [(names[a], names[b], {"weight": length}) for a, b, length in edges]
    if package == "stub":
        graph = NetworkxGraph(named, names, directed)
    elif package == "networkx":
        networkx = pytest.importorskip("networkx")
        graph = networkx.DiGraph() if directed else networkx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from(named)
    else:
        igraph = pytest.importorskip("igraph")
        graph = igraph.Graph(len(X), [edge[:2] for edge in edges], directed=directed)
        graph.es["weight"] = [edge[2] for edge in edges]
    matrix = np.zeros((len(X), len(X)))
    for a, b, length in edges:
        matrix[a, b] = length
        if not directed:
            matrix[b, a] = length
    expected = finch.cluster_neighbors(sparse.csr_array(matrix))
    np.testing.assert_array_equal(finch.cluster_neighbors(graph).labels, expected.labels)
    np.testing.assert_array_equal(expected[0], finch.cluster(X)[0])
    bare = NetworkxGraph([("a", "b", {})], ["a", "b"])
    with pytest.raises(ValueError, match="edge 0 of the graph, from node 0 to 1, has no 'weight'"):
        finch.cluster_neighbors(bare)


def test_tables_of_results():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, index=[f"row {i}" for i in range(len(X))], columns=list("abcdefgh"))
    hierarchy = finch.cluster(table)
    frame = hierarchy.to_pandas(table.index)
    assert list(frame.index) == list(table.index)
    assert list(frame.columns) == [f"partition {p}" for p in range(len(hierarchy))]
    np.testing.assert_array_equal(frame.to_numpy(), hierarchy.labels)
    labels = np.array(["ant", "bee", "cat", "dog", "elk"])[TRUTH]
    found = finch.describe(table, labels, neighbors=hierarchy.first_neighbors)
    frame = found.to_frame()
    assert list(frame.index) == ["ant", "bee", "cat", "dog", "elk"] and frame.index.name == "cluster"
    assert list(frame.columns[:5]) == ["size", "medoid", "spread", "silhouette", "modularity"]
    np.testing.assert_allclose(frame["mean c"], table.groupby(labels)["c"].mean())
    np.testing.assert_array_equal(frame["medoid"], found.medoids)
    plain = finch.describe(X, TRUTH)
    assert plain.features is None and "mean 7" in plain.to_frame().columns
    assert "mean z" in plain.to_frame(columns=list("stuvwxyz")).columns
    with pytest.raises(ValueError, match="there are 2 columns for 8 features"):
        plain.to_frame(columns=["a", "b"])


def test_nothing_is_imported_before_it_is_used():
    assert isinstance(finch.anndata, types.ModuleType) and "anndata" in dir(finch)
    assert sys.modules["finch_clustering.adapters.anndata"] is finch.anndata
