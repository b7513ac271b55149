"""The function of finch-clust. What it is compared with is what finch-clust 0.2.3 returned."""

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering.compat import FINCH


def test_clusters_are_those_of_finch_clust(mice):
    # mice_protein, by finch-clust 0.2.3, for each distance; ensure_early_exit made no difference.
    expected = {
        "cosine": [351, 105, 22, 6, 2],
        "euclidean": [351, 105, 22, 6, 2],
        "manhattan": [358, 120, 27, 6],
    }
    for distance, clusters in expected.items():
        for early in (True, False):
            c, num_clust, req_c = FINCH(mice, distance=distance, ensure_early_exit=early)
            assert num_clust == clusters, distance
            assert c.shape == (len(mice), len(clusters))
            assert (c.max(axis=0) + 1).tolist() == num_clust
            assert req_c is None


def test_a_level_that_joins_one_pair_ends_it():
    X = np.array([[0.0], [1], [10], [11], [30], [31]])
    hierarchy = finch.cluster(X)
    assert hierarchy.n_clusters == [3]
    joined = np.concatenate([X, X + 1000, X + 9000])
    ours = finch.cluster(joined).n_clusters
    _, kept, _ = FINCH(joined, distance="l2")
    expected = [ours[0]]
    for finer, coarser in zip(ours, ours[1:]):
        if finer - coarser <= 1:
            break
        expected.append(coarser)
    assert kept == expected


def test_requested_clusters(mice, capsys):
    c, num_clust, req_c = FINCH(mice, 22)
    np.testing.assert_array_equal(req_c, c[:, 2])
    X = mice.astype(np.float32)
    hierarchy = finch.cluster(X, metric="cosine")
    _, _, req_c = FINCH(mice, req_clust=10)
    expected = hierarchy.refine(X, 10, linkage="centroid", from_partition=2)
    np.testing.assert_array_equal(req_c, expected)
    c, _, req_c = FINCH(mice, req_clust=500)
    np.testing.assert_array_equal(req_c, c[:, 0])
    assert "500 clusters were requested, more than the 351" in capsys.readouterr().err


def test_given_neighbours_and_levels(mice):
    given = finch.first_neighbors(mice.astype(np.float32), metric="cosine").index
    c, num_clust, _, steps, means = FINCH(
        mice, initial_rank=given[:, None], return_meta_labels=True
    )
    np.testing.assert_array_equal(c, FINCH(mice)[0])
    assert [len(step) for step in steps] == num_clust[:-1]
    for level, step in enumerate(steps):
        np.testing.assert_array_equal(step[c[:, level]], c[:, level + 1])
    for cluster in (0, 17, 350):
        of_cluster = mice[c[:, 0] == cluster].mean(axis=0)
        np.testing.assert_allclose(means[cluster], of_cluster, rtol=1e-5, atol=1e-6)


def test_options_of_both_releases(mice, capsys):
    FINCH(mice, verbose=True, use_ann_above_samples=10)
    assert capsys.readouterr().out.startswith("Level 0: 351 clusters\nLevel 1: 105 clusters\n")
    with pytest.warns(UserWarning, match="faiss_use_gpu"):
        FINCH(mice, faiss_use_gpu=True)
    with pytest.raises(ValueError, match="there is no metric 'chebyshev'"):
        FINCH(mice, distance="chebyshev")
