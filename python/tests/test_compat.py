"""The function of finch-clust. What it is compared with is what finch-clust 0.2.3 returned."""

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering.compat import FINCH, _finch_clust, finchpy, twfinch


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
    with pytest.raises(ValueError, match="Unknown Distance Metric: chebychef"):
        FINCH(mice[:9], distance="chebychef")


def test_both_orders_are_told_apart(mice):
    given = finch.first_neighbors(mice.astype(np.float32), metric="cosine").index
    expected = FINCH(mice, req_clust=10, initial_rank=given)
    for call in [
        (mice, 10, given),
        (mice, given, 10),
        (mice, given.tolist(), np.int64(10), "cosine", False, True, 70_000),
        (mice, given, 10.0),
    ]:
        for ours, theirs in zip(FINCH(*call), expected):
            np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(FINCH(mice, None, 10)[2], FINCH(mice, 10)[2])
    for call, message in [
        ((mice, given, given), "both have several numbers: .* up to 0.2.0, and behind it since"),
        ((mice, 10, 10), "are single numbers, 10 and 10: give initial_rank by name"),
    ]:
        with pytest.raises(TypeError, match=message):
            FINCH(*call)
    for wrong in (0, 2.5, -1):
        with pytest.raises(ValueError, match=f"req_clust is {wrong}: give a whole number from 1 on"):
            FINCH(mice, wrong)
    with pytest.raises(TypeError, match="beside data say distance="):
        FINCH(mice, metric="cosine")


def test_first_neighbours_come_in_every_form(mice):
    few = mice[:30]
    given = np.random.default_rng(0).integers(0, 30, 30)
    given[4] = 4
    expected = FINCH(few, initial_rank=given)[0]
    for form in (given.tolist(), given[:, None], given.astype(float), given.astype(np.uint8)):
        np.testing.assert_array_equal(FINCH(few, initial_rank=form)[0], expected)
    alone = np.arange(30)
    c, num_clust, _ = FINCH(few, initial_rank=alone)
    assert num_clust[0] == 30 and (c[:, 0] == alone).all(), "rows that name themselves are alone"
    for wrong, message in [
        (given[:7], "initial_rank has the shape .7,., and data 30 rows"),
        (given + 0.5, "initial_rank has .* at row 0: give row numbers from 0 to 29"),
        (np.where(alone == 3, 30, given), "initial_rank has 30 at row 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            FINCH(few, initial_rank=wrong)


@pytest.mark.parametrize("distance", ["cosine", "l2", "chebyshev", "correlation"])
def test_one_two_and_three_rows(distance):
    rows = np.array([[1.0, 0.2, 0.5], [0.3, 1.0, 0.9], [0.1, 0.9, 1.0]])
    for count in (1, 2, 3):
        for rank in (None, [1, 0, 1][:count] if count > 1 else [0]):
            c, num_clust, req_c = FINCH(rows[:count], 1, rank, distance)
            assert c.shape == (count, 1) and not c.any() and num_clust == [1] and not req_c.any()


def test_sparse_rows_and_tensors_give_what_arrays_give(mice):
    scipy = pytest.importorskip("scipy.sparse")
    rows = (np.abs(mice) > 1.5) * mice
    for distance in ("cosine", "manhattan", "correlation"):
        expected = FINCH(rows, 10, distance=distance, return_meta_labels=True)
        found = FINCH(scipy.csr_matrix(rows), 10, distance=distance, return_meta_labels=True)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[2], expected[2])
        np.testing.assert_allclose(found[4], expected[4], rtol=1e-5, atol=1e-6)


class Tensor:
    """A tensor that gives its memory by DLPack alone, on a device."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_tensors_are_read_where_they_lie(mice):
    whole = mice.astype(np.float32)
    assert np.shares_memory(_finch_clust._samples(Tensor(whole)), whole)
    np.testing.assert_array_equal(FINCH(Tensor(whole))[0], FINCH(whole)[0])
    np.testing.assert_array_equal(finch.cluster(Tensor(mice)).labels, finch.cluster(mice).labels)
    on_card = Tensor(whole, (2, 0))
    for function in (FINCH, finch.cluster):
        with pytest.raises(TypeError, match=r"is a Tensor on a graphics card: .*\.cpu\(\)"):
            function(on_card)


def test_time_is_the_number_of_the_row(mice):
    X = mice.astype(np.float32)
    hierarchy = finch.cluster(X, metric="cosine", times=np.arange(len(X)))
    expected = [np.array(labels) for labels in hierarchy]
    for found in (FINCH(mice, req_clust=7, tw_finch=True), twfinch.FINCH(mice, None, 7)):
        c, num_clust, req_c = found
        for level in range(len(num_clust)):
            np.testing.assert_array_equal(c[:, level], expected[level])
        assert req_c.max() == 6
    given = finch.first_neighbors(X, metric="cosine").index
    c, _, req_c = twfinch.FINCH(mice[:80], np.minimum(given[:80], 79), 3)
    assert req_c.max() == 2


def test_a_metric_of_scipy_is_that_of_the_means():
    distance = pytest.importorskip("scipy.spatial.distance")
    X = np.random.default_rng(4).normal(size=(70, 5)).astype(np.float32)
    c, num_clust, req_c = FINCH(X, 6, distance="chebyshev")
    means = np.stack([X[c[:, 0] == cluster].mean(axis=0) for cluster in range(num_clust[0])])
    between = distance.squareform(distance.pdist(means.astype(float), "chebyshev"))
    np.fill_diagonal(between, np.inf)
    above = finch.components(between.argmin(axis=1))
    np.testing.assert_array_equal(above[c[:, 0]], c[:, 1])
    assert req_c.max() == 5
    by_function = FINCH(X, 6, distance=lambda x, y: np.abs(x - y).max())
    for ours, theirs in zip(by_function, (c, num_clust, req_c)):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(FINCH(X, distance="sqeuclidean")[0], FINCH(X, distance="l2")[0])
    with pytest.raises(ValueError, match="for at most 20,000 rows, and X has 20,001"):
        FINCH(np.zeros((20_001, 2)), distance="chebyshev")
    with pytest.raises(ValueError, match="link_bound is of cosine"):
        FINCH(X, distance="chebyshev", link_bound="joined-pair")


def test_the_class_of_finchpy(mice, capsys):
    pytest.importorskip("sklearn")
    for model in (FINCH(metric="euclidean"), FINCH("euclidean", n_jobs=-1), finchpy.FINCH()):
        assert model.fit(mice) is model
        expected = finch.cluster(mice)
        assert list(model.partitions) == [f"parition_{p}" for p in range(len(expected))]
        for partition, labels in zip(model.partitions.values(), expected):
            np.testing.assert_array_equal(partition["labels"], labels)
            assert partition["n_clusters"] == len(partition["cluster_centers"])
            first = partition["cluster_core_indices"][0]
            assert set(labels[first]) == {0}
            np.testing.assert_allclose(partition["cluster_centers"][0], mice[first].mean(axis=0))
    assert "Clusters in 0 partition: 351" in capsys.readouterr().out
    labels = model.fit_predict(mice)
    coefficients = [p["silhouette_coefficient"] for p in model.partitions.values()]
    best = 1 + int(np.argmax(coefficients[1:]))
    np.testing.assert_array_equal(labels, model.partitions[f"parition_{best}"]["labels"])
    assert model.labels is labels
    with pytest.raises(ValueError, match="X has 3 rows in one cluster"):
        model.fit_predict(mice[:3])


def test_distances_of_rows_with_missing_values_are_refused():
    with pytest.raises(ValueError, match="'nan_euclidean' is of rows with missing values.* take 'euclidean'"):
        finch.compat.FINCH(np.eye(4), distance="nan_euclidean")
