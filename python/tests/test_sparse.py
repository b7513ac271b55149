"""Sparse matrices of SciPy: models and the estimator give what the same rows give as an array."""

import pickle

import finch_clustering as finch
import numpy as np
import pytest
import scipy.sparse


def texts(samples, features=400, seed=0, dtype=np.float64):
    """Rows of few values in a few groups; some rows are there twice, and one is empty."""
    random = np.random.default_rng(seed)
    X = np.zeros((samples, features), dtype)
    for row in range(samples):
        words = 60 * (row % 4) + random.integers(0, 40, 6)
        X[row, words] = random.integers(1, 9, 6) / 4
    X[samples // 2] = 0
    X[3] = X[11]
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_model_predicts_what_that_of_the_array_predicts(metric, dtype):
    X, new = texts(90, dtype=dtype), texts(30, seed=1, dtype=dtype)
    rows = scipy.sparse.csr_array(X)
    dense = finch.Model(finch.cluster(X, metric=metric), X)
    sparse = finch.Model(finch.cluster(rows, metric=metric), rows)
    assert (sparse.samples != rows).nnz == 0 and sparse.samples.dtype == dtype
    np.testing.assert_array_equal(sparse.means(0), dense.means(0))
    for model in [sparse, pickle.loads(pickle.dumps(sparse))]:
        for queries in [new, scipy.sparse.csc_matrix(new), scipy.sparse.coo_array(new)]:
            for found, expected in zip(model.predict(queries), dense.predict(new)):
                np.testing.assert_array_equal(found, expected)
    more, expected = sparse.extend(scipy.sparse.csr_array(new)), dense.extend(new)
    np.testing.assert_array_equal(more[0], expected[0])
    np.testing.assert_array_equal(more.samples.toarray(), expected.samples)
    with pytest.raises(finch.Error, match="dense"):
        dense.predict(scipy.sparse.csr_array(new))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"n_clusters": 5}, {"n_clusters": 4, "linkage": "ward"}, {"metric": "cosine", "partition": 0}],
)
def test_the_estimator_gives_what_it_gives_for_the_array(options, weighted):
    X, new = texts(80), texts(20, seed=3)
    weights = np.arange(80) % 3 if weighted else None
    expected = finch.FINCH(**options).fit(X, sample_weight=weights)
    for rows in [scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X), scipy.sparse.coo_array(X)]:
        found = finch.FINCH(**options).fit(rows, sample_weight=weights)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.partitions_, expected.partitions_)
        np.testing.assert_array_equal(found.cluster_centers_.toarray(), expected.cluster_centers_)
        np.testing.assert_array_equal(found.outlier_scores_, expected.outlier_scores_)
        for queries in [new, scipy.sparse.csr_array(new)]:
            np.testing.assert_array_equal(found.predict(queries), expected.predict(new))
            np.testing.assert_array_equal(expected.predict(queries), expected.predict(new))
            for one in [found, expected]:
                distances = one.transform(queries)
                np.testing.assert_allclose(distances, expected.transform(new), atol=1e-6)


def test_the_order_of_sparse_rows_does_not_show():
    X = texts(60)
    X[20:40] = X[:20]
    order = np.random.default_rng(5).permutation(60)
    labels = finch.FINCH(n_clusters=6).fit(scipy.sparse.csr_array(X)).labels_
    shuffled = finch.FINCH(n_clusters=6).fit(scipy.sparse.csr_array(X[order])).labels_
    np.testing.assert_array_equal(shuffled, labels[order])
