"""Persistence: how stable clusters are, beside clusters of other samples."""

import pickle

import numpy as np
import pytest

import finch_clustering as finch

datasets = pytest.importorskip("sklearn.datasets")


def jaccard(ours: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The largest Jaccard index of each cluster of ours with a cluster of others."""
    table = np.zeros((ours.max() + 1, others.max() + 1))
    np.add.at(table, (ours, others), 1)
    union = table.sum(1, keepdims=True) + table.sum(0, keepdims=True) - table
    return (table / union).max(axis=1)


@pytest.mark.parametrize("name", ["iris", "digits"])
def test_clusters_of_other_samples_agree_as_far_as_persistence_tells(name):
    X = getattr(datasets, f"load_{name}")().data
    dendrogram = finch.cluster(X).dendrogram(X)
    random = np.random.default_rng(0)
    told, found = [], []
    for clusters in (2, 3, 4, 6, 9, 13):
        labels = dendrogram.cut(clusters)
        sizes = np.bincount(labels)
        told.append(np.average(dendrogram.persistence(clusters), weights=sizes))
        agreement = []
        for _ in range(6):
            rows = np.sort(random.permutation(len(X))[: 4 * len(X) // 5])
            some = finch.cluster(X[rows]).dendrogram(X[rows]).cut(clusters)
            agreement.append(np.average(jaccard(labels[rows], some)[labels[rows]]))
        found.append(np.mean(agreement))
    assert np.abs(np.subtract(told, found)).mean() < 0.15, (told, found)
    assert np.corrcoef(told, found)[0, 1] > 0.3, (told, found)


def test_labels_have_the_persistence_of_the_cut_that_they_come_from():
    X, _ = datasets.make_blobs(400, n_features=8, centers=5, cluster_std=2.5, random_state=1)
    hierarchy = finch.cluster(X)
    made = hierarchy.suggest(X)
    assert len(made.persistence) == made.n_clusters and len(made.persistence_of_best) == len(made.best)
    of_cut = made.dendrogram.persistence(5)
    assert ((0 < of_cut) & (of_cut <= 1)).all()
    moved = hierarchy.refine(X, 5)
    of_moved = made.dendrogram.persistence(labels=moved)
    assert sorted(of_moved) == sorted(of_cut)
    mean = np.average(of_cut, weights=np.bincount(made.dendrogram.cut(5)))
    np.testing.assert_allclose(made.dendrogram._persistence(5)[1], mean, rtol=1e-12)
    # Other numbers, names and noise.
    np.testing.assert_array_equal(made.dendrogram.persistence(labels=4 - moved), of_moved[::-1])
    names = np.array(list("abcde"))[moved]
    np.testing.assert_array_equal(made.dendrogram.persistence(labels=names), of_moved)
    noisy = moved.copy()
    noisy[::50] = -1
    np.testing.assert_array_equal(made.dendrogram.persistence(labels=noisy), of_moved)


def test_repeated_rows_are_weights():
    X, _ = datasets.make_blobs(120, centers=4, cluster_std=2.0, random_state=3)
    counts = np.arange(120) % 3 + 1
    weighted = finch.cluster(X, weights=counts).dendrogram(X)
    repeated = np.repeat(X, counts, axis=0)
    copies = finch.cluster(repeated).dendrogram(repeated)
    for clusters in (2, 4, 7):
        one, other = (d.persistence(clusters) for d in (weighted, copies))
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_refusals():
    X, _ = datasets.make_blobs(100, random_state=0)
    dendrogram = finch.cluster(X).dendrogram(X)
    for arguments in ({}, {"n_clusters": 3, "labels": [0] * 100}):
        with pytest.raises(TypeError, match="one of both"):
            dendrogram.persistence(**arguments)
    with pytest.raises(ValueError, match="99 numbers for 100 samples"):
        dendrogram.persistence(labels=[0] * 99)
    with pytest.raises(finch.Error, match="cannot be cut into 100 clusters"):
        dendrogram.persistence(100)
    with pytest.raises(TypeError, match="out of a pickle"):
        pickle.loads(pickle.dumps(dendrogram)).persistence(3)
