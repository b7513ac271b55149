"""Clusters made of the means of one partition: exactly K, the suggestion, new rows, descriptions."""

from concurrent.futures import ThreadPoolExecutor

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering import shards
from finch_clustering.shards import ShardError, SummaryError
from finch_clustering.shards._cells import Searching
from finch_clustering.shards._described import separation
from finch_clustering.shards._summary import bytes_held


@pytest.fixture
def tasks():
    with ThreadPoolExecutor(2) as executor:
        yield shards.Futures(executor, 2)


def blobs(rows=900, groups=9, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, groups, rows)
    return 100 + 20 * rng.normal(size=(groups, columns))[y] + 2 * rng.normal(size=(rows, columns)), y


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_clusters_do_not_depend_on_shards_or_workers(metric):
    more = blobs(seed=5)[0]
    for dtype, exact in ((np.float32, True), (np.float64, True), (np.uint8, True), (np.float32, False)):
        X = blobs()[0].astype(dtype)
        found = []
        for workers, cuts in ((1, [20, 130, 500]), (2, [450]), (3, [1, 2, 3, 899])):
            with ThreadPoolExecutor(workers) as executor:
                tasks = shards.Futures(executor, workers)
                clustering = shards.cluster(
                    np.split(X, cuts), tasks, metric=metric, exact=exact, task_bytes=3_000
                )
                clusters, suggested = clustering.refine(9), clustering.suggest()
                new = [tasks.result(each) for each in clusters.predict(np.split(more, cuts))]
                np.testing.assert_array_equal(np.concatenate(new), clusters.predict_here(more))
                arrays = [clusters.gather(), suggested.gather(), *new, clusters.summary.sizes]
                found.append([np.concatenate(arrays), *clusters.describe()[:6]])
        for other in found[1:]:
            for one, same in zip(found[0], other, strict=True):
                np.testing.assert_array_equal(one, same)


def test_labels_are_those_of_one_process_where_clusters_are_plain(tasks):
    rng = np.random.default_rng(1)
    turn = rng.uniform(0, 2 * np.pi, 3_000)
    radius = np.repeat([1.0, 5.0, 9.0], 1_000)
    rings = np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1) + rng.normal(0, 0.1, (3_000, 2))
    for X, y, k in ((*blobs(), 9), (rings, radius, 3)):
        hierarchy = finch.cluster(X, recall=1.0)
        clustering = shards.cluster(np.split(X, [50, 500]), tasks, exact=True)
        clusters, suggested = clustering.refine(k), clustering.suggest()
        assert clusters.summary.partition == 0
        np.testing.assert_array_equal(clusters.summary.means, hierarchy.means(0, X))
        np.testing.assert_array_equal(clusters.summary.sizes, np.bincount(hierarchy[0]))
        np.testing.assert_array_equal(clusters.gather(), hierarchy.refine(X, k))
        assert finch.score(clusters.gather(), y).ari == 1
        assert suggested.n_clusters == hierarchy.suggest(X).n_clusters == k
        assert suggested.suggestion.has_clusters and clusters.suggestion is None
        np.testing.assert_array_equal(suggested.gather(), clusters.gather())
        assert (clusters.predict_here(X) == clusters.gather()).mean() > 0.99


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_rows_move_to_the_cluster_around_them(metric):
    """In many dimensions first-level clusters have rows of two clusters."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 6, 1_500)
    X = rng.normal(size=(6, 60))[y] + rng.normal(0, 2.0, (1_500, 60))
    found = []
    for workers, cuts in ((1, []), (3, [1, 700, 710])):
        with ThreadPoolExecutor(workers) as executor:
            tasks = shards.Futures(executor, workers)
            clustering = shards.cluster(
                np.split(X, cuts), tasks, metric=metric, exact=True, task_bytes=100_000
            )
            moved, nested = clustering.refine(6), clustering.refine(6, nested=True)
            described = moved.describe()
            found.append([moved.gather(), nested.gather(), *described[:6]])
            labels = moved.gather()
            np.testing.assert_array_equal(described.sizes, np.bincount(labels))
            np.testing.assert_array_equal(labels[described.medoids], np.arange(6))
            ward = clustering.refine(6, linkage="ward")
            np.testing.assert_array_equal(
                ward.gather(), ward.of_means[clustering.gather(clustering.summary.partition)]
            )
    for one, same in zip(*found, strict=True):
        np.testing.assert_array_equal(one, same)
    scores = [finch.score(labels, y).ari for labels in found[0][:2]]
    assert scores[0] > scores[1] + 0.02, scores


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_a_description_is_that_of_all_rows(tasks, metric):
    X = blobs()[0]
    clustering = shards.cluster(np.split(X, [50, 500]), tasks, metric=metric)
    # Nine clusters, and as many that some are single rows' groups.
    for k in (9, len(clustering.summary.means)):
        clusters = clustering.refine(k)
        labels, found = clusters.gather(), clusters.describe(2)
        expected = finch.describe(X, labels, metric=metric)
        np.testing.assert_array_equal(found.sizes, expected.sizes)
        for name in ("means", "spreads", "silhouettes"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), 1e-9, 1e-12)
        np.testing.assert_array_equal(labels[found.medoids], np.arange(k))
        np.testing.assert_array_equal(found.exemplars[:, 0], found.medoids)
        there = found.exemplars >= 0
        np.testing.assert_array_equal(labels[found.exemplars][there], np.nonzero(there)[0])
    distances = finch._input.distances.distances_to(X, X, metric)
    nine = clustering.refine(9)
    for cluster, medoid in enumerate(nine.describe().medoids):
        rows = np.flatnonzero(nine.gather() == cluster)
        sums = distances[np.ix_(rows, rows)].sum(axis=1)
        # In the middle, by the means of a few rows each.
        assert sums[rows == medoid] < np.quantile(sums, 0.4)


@pytest.mark.parametrize("zeros", [0, 1, 2, 5])
def test_a_description_of_zero_rows_under_cosine_is_that_of_one_process(tasks, zeros):
    X = np.random.default_rng(zeros).normal(size=(60, 3))
    X[np.arange(zeros) * 11 + 3] = 0
    clustering = shards.cluster(np.split(X, [20, 41]), tasks, metric="cosine")
    for k in (2, 3, 4):
        clusters = clustering.refine(k)
        # By the labels of the clustering, where zero rows are alone, and by others, where they are among rows.
        found, labels = clusters.describe(), clusters.gather()
        expected = finch.describe(X, labels, metric="cosine")
        for name in ("spreads", "silhouettes"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), 1e-9, 1e-9)
        mixed = (np.arange(60) % k).astype(np.int32)
        expected = finch.describe(X, mixed, metric="cosine")
        searching = Searching("cosine", 1.0, 0, 1)
        values = separation(X, mixed, np.asarray(expected.means), "X", searching)
        means = [values[mixed == cluster].mean(axis=0) for cluster in range(k)]
        np.testing.assert_allclose(means, np.stack([expected.spreads, expected.silhouettes], 1), 1e-9, 1e-9)


def test_the_finest_partition_that_fits_is_held(tasks):
    X = blobs(4_000)[0]
    options = {"exact": True, "task_bytes": 1 << 16}
    finest = shards.cluster([X], tasks, **options)
    needed = [bytes_held(len(X), each, 6, "float64") for each in finest.n_clusters]
    assert finest.summary.partition == 0 and len(needed) > 2
    for partition, held_bytes in enumerate(needed):
        coarser = shards.cluster(np.split(X, [900]), tasks, held_bytes=held_bytes, **options)
        clusters = coarser.refine(min(9, coarser.n_clusters[partition]))
        assert clusters.summary.partition == partition
        assert len(clusters.summary.means) == coarser.n_clusters[partition]
        with pytest.raises(SummaryError, match=f"holds {coarser.n_clusters[partition]} means, those of"):
            coarser.refine(coarser.n_clusters[partition] + 1)
    none = shards.cluster([X], tasks, held_bytes=needed[-1] - 1, **options)
    with pytest.raises(SummaryError, match=f"give held_bytes={needed[-1]} or more"):
        none.suggest()


def test_means_of_narrow_types_are_held_in_float32(tasks):
    X = blobs(2_000, columns=40)[0].astype(np.uint8)
    options = {"exact": True, "task_bytes": 1 << 16}
    finest = shards.cluster([X], tasks, **options)
    clusters = finest.n_clusters[0]
    of_rows, needed = (bytes_held(len(X), clusters, 40, dtype) for dtype in ("uint8", "float32"))
    assert finest.summary.means.dtype == np.float32 and of_rows < needed
    for held_bytes, partition in ((needed, 0), (needed - 1, 1), (of_rows, 1)):
        held = shards.cluster([X], tasks, held_bytes=held_bytes, **options)
        assert held.summary.partition == partition


def test_few_and_equal_rows(tasks):
    single = shards.cluster([np.ones((1, 2))], tasks)
    assert single.refine(1).gather().tolist() == [0]
    assert single.refine(1).describe().medoids.tolist() == [0]
    equal = shards.cluster([np.ones((30, 2)), np.ones((10, 2))], tasks)
    assert set(equal.suggest().gather()) == {0} and equal.refine(1).describe().sizes == [40]
    assert equal.refine(1).describe().exemplars.tolist() == [[0, -1, -1]]
    zeros = np.zeros((40, 3), np.float32)
    zeros[::2] = blobs(20, 2, 3)[0]
    clusters = shards.cluster(np.split(zeros, [11]), tasks, metric="cosine").refine(2)
    assert clusters.gather().shape == clusters.predict_here(zeros).shape == (40,)


def test_new_zero_rows_get_the_cluster_of_the_first_mean(tasks):
    rng = np.random.default_rng(2)
    X = np.repeat(np.eye(3), 20, axis=0) + rng.normal(0, 0.05, (60, 3))
    new = np.concatenate([np.zeros((2, 3)), X[[50]], np.zeros((1, 3))])
    # Each task that makes means has a range of them.
    clustering = shards.cluster(np.split(X, [20, 41]), tasks, metric="cosine", task_bytes=100)
    clusters = clustering.refine(3)
    assert clusters.of_means[0] != clusters.of_means[-1] and len(clusters.summary._level.sources) > 1
    expected = [clusters.of_means[0]] * 2 + [clusters.gather()[50], clusters.of_means[0]]
    told = "near 3 of the 4 rows of {}, the first is row 0 "
    with pytest.warns(finch.FinchWarning, match=told.format("X")):
        assert clusters.predict_here(new).tolist() == expected
    # Warnings are caught on the thread that waits for the task.
    with pytest.warns(finch.FinchWarning, match=told.format("shard 0")):
        [labels] = clusters.predict([new])
        assert tasks.result(labels).tolist() == expected
    hierarchy = finch.cluster(X, metric="cosine")
    refined = [hierarchy.refine(X, 3)]
    model = finch.Model(hierarchy, X, refined=refined, keep_samples=False)
    assert set(model.predict(new[[0, 1, 3]], -1).labels) == {0}


def test_faults_of_new_rows_are_named(tasks):
    X = blobs()[0]
    clustering = shards.cluster([X[:500], X[500:]], tasks)
    with pytest.raises(ValueError, match="0 clusters"):
        clustering.refine(0)
    with pytest.raises(ValueError, match="there is no linkage 'single'"):
        clustering.refine(2, linkage="single")
    clusters = clustering.refine(9)
    with pytest.raises(ShardError, match="shard 0 has 5 columns, and the rows .* 6"):
        clusters.predict([X[:, :5]])
    bad = X[:40].copy()
    bad[7, 2] = np.nan
    with pytest.raises(ShardError, match="shard 1.*row 7, column 2"):
        [tasks.result(each) for each in clusters.predict([X[:3], bad])]
