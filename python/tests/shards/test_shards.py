"""Shards, by an executor of this process: labels are those of one call, and faults name the shard."""

from concurrent.futures import ThreadPoolExecutor

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering import shards
from finch_clustering.shards import File, ShardError


@pytest.fixture
def tasks():
    with ThreadPoolExecutor(2) as executor:
        yield shards.Futures(executor, 2)


def parts(X, cuts):
    return np.split(X, cuts)


def expect_the_labels_of_one_call(clustering, X, metric="euclidean"):
    expected = finch.cluster(X, metric=metric, recall=1.0)
    assert clustering.n_clusters == expected.n_clusters
    for partition, labels in enumerate(expected):
        np.testing.assert_array_equal(clustering.gather(partition), labels)
    found = [clustering._driver.tasks.result(each) for each in clustering.first_neighbors]
    whole = finch.first_neighbors(X, metric=metric, search="brute")
    np.testing.assert_array_equal(np.concatenate([each.index for each in found]), whole.index)
    np.testing.assert_array_equal(np.concatenate([each.distance for each in found]), whole.distance)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_exact_labels_do_not_depend_on_shards(tasks, metric):
    rng = np.random.default_rng(3)
    kinds = {
        "random": rng.normal(size=(600, 5)),
        "random of float32": rng.normal(size=(600, 5)).astype(np.float32),
        "tied": rng.integers(0, 3, (400, 3)).astype(np.float64),
        "repeated": np.repeat(rng.integers(1, 255, (60, 4)), 5, axis=0).astype(np.uint8),
        "constant": np.ones((40, 2)),
    }
    for name, X in kinds.items():
        for cuts in ([7, 8, 30], [25]):
            # Levels of many tasks, and of few.
            for task_bytes in (300, 6000):
                options = {"metric": metric, "exact": True, "task_bytes": task_bytes}
                clustering = shards.cluster(parts(X, cuts), tasks, **options)
                expect_the_labels_of_one_call(clustering, X, metric)
    assert shards.cluster([np.ones((1, 2))], tasks).n_clusters == [1]


def test_sums_go_on_from_shard_to_shard(tasks):
    # Rows that are rounded differently in any other order.
    X = np.random.default_rng(5).normal(size=(500, 3)) * np.logspace(-8, 8, 500)[:, None]
    clustering = shards.cluster(parts(X, [3, 77, 400]), tasks, exact=True, task_bytes=800)
    hierarchy = finch.cluster(X, recall=1.0)
    for partition, clusters in enumerate(hierarchy.n_clusters):
        means = clustering.means(partition)
        assert means.shape == (clusters, 3)
        np.testing.assert_array_equal(means, hierarchy.means(partition, X))


def test_files_are_read_by_workers(tasks, mice, tmp_path):
    np.save(tmp_path / "a.npy", mice[:500])
    np.save(tmp_path / "b.npy", np.asfortranarray(mice[500:620]))
    (tmp_path / "c.raw").write_bytes(b"header" + mice[620:].tobytes())
    raw = File(str(tmp_path / "c.raw"), mice[620:].shape, "float64", 6)
    files = [File(str(tmp_path / "a.npy")), File(str(tmp_path / "b.npy")), raw]
    (tmp_path / "scratch").mkdir()
    options = {"task_bytes": 1 << 16, "scratch": str(tmp_path / "scratch")}
    clustering = shards.cluster(files, tasks, exact=True, **options)
    expect_the_labels_of_one_call(clustering, mice)
    assert clustering.n_clusters == [351, 105, 22, 6, 2] and clustering.recall == 1
    assert any((tmp_path / "scratch").iterdir())


def test_approximate_labels_depend_on_the_seed_alone(mice):
    rng = np.random.default_rng(0)
    X = np.repeat(mice, 4, axis=0) + rng.normal(0, 0.01, (4 * len(mice), mice.shape[1]))
    X = X[rng.permutation(len(X))].astype(np.float32)
    truth = finch.first_neighbors(X, search="brute").index
    found = []
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as executor:
            tasks = shards.Futures(executor, workers)
            options = {"task_bytes": 1 << 18, "seed": 7}
            clustering = shards.cluster(parts(X, [900, 910, 3000]), tasks, **options)
            index = np.concatenate([tasks.result(each).index for each in clustering.first_neighbors])
            recall = (index == truth).mean()
            assert recall > 0.95 and abs(clustering.recall - recall) < 0.04
            assert (index != np.arange(len(X))).all()
            found.append([clustering.gather(each) for each in range(len(clustering.labels))])
    for one, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, three)


def test_approximate_on_rows_that_are_hard_to_cut(tasks):
    rng = np.random.default_rng(4)
    blobs = rng.normal(0, 1, (12, 24))[rng.integers(0, 12, 1_500)] + rng.normal(0, 0.2, (1_500, 24))
    zeros = np.where(np.arange(1_500)[:, None] % 10 == 0, 0, blobs)
    equal = np.where(np.arange(1_500)[:, None] % 3 == 0, 1, blobs)
    kinds = [
        ("euclidean", rng.lognormal(0, 3, (1_500, 24))),
        ("euclidean", equal),
        ("euclidean", np.ones((600, 4))),
        ("cosine", zeros),
        ("cosine", np.abs(60 * blobs).clip(0, 255).astype(np.uint8)),
        ("manhattan", (30 * blobs).clip(-127, 127).astype(np.int8)),
        ("euclidean", blobs.astype(np.float16)),
    ]
    for metric, X in kinds:
        task_bytes = X.nbytes // 6
        found = shards.cluster(parts(X, [400, 401]), tasks, metric=metric, task_bytes=task_bytes)
        expected = finch.first_neighbors(X, metric=metric, search="brute").distance
        distance = np.concatenate([tasks.result(each).distance for each in found.first_neighbors])
        assert (distance <= expected).mean() > 0.97
    # However few rows.
    for seed in range(12):
        X = np.random.default_rng(seed).lognormal(0, 3, (200, 5)).astype(np.float32)
        found = shards.cluster(parts(X, [90]), tasks, task_bytes=1_000, seed=seed)
        assert found.recall > 0.9


def test_faults_name_the_shard(tasks, tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 4))
    for number, rows in enumerate(parts(X, [20, 40])):
        np.save(tmp_path / f"{number}.npy", rows)
    sound = [File(str(tmp_path / f"{number}.npy")) for number in range(3)]
    cut = (tmp_path / "1.npy").read_bytes()[:-9]
    (tmp_path / "cut.npy").write_bytes(cut)
    (tmp_path / "other.npy").write_bytes(b"no array at all")
    np.save(tmp_path / "flat.npy", X[0])
    (tmp_path / "few.raw").write_bytes(b"1234")
    bad = X[20:40].copy()
    bad[3, 2] = np.nan
    faults = [
        (File(str(tmp_path / "gone.npy")), "gone.npy cannot be read"),
        (File(str(tmp_path / "cut.npy")), "cut.npy cannot be read"),
        (File(str(tmp_path / "other.npy")), "other.npy cannot be read"),
        (File(str(tmp_path / "few.raw"), (20, 4)), "few.raw cannot be read: it has 4 bytes where"),
        (File(str(tmp_path / "flat.npy")), "shard 1, .*flat.npy is no matrix"),
        (X[20:40, :3], "shard 1 has 3 columns of float64, and shard 0"),
        (X[20:40].astype(np.float32), "shard 1 has 4 columns of float32, and shard 0"),
        (X[20:40].astype(np.int64), "shard 1 has dtype int64"),
        (X[:0], "shard 1 is 0 x 4"),
        (bad, "shard 1.*row 3, column 2"),
    ]
    for shard, message in faults:
        for exact in (True, False):
            with pytest.raises(ShardError, match=message):
                options = {"exact": exact, "task_bytes": 500}
                shards.cluster([sound[0], shard, sound[2]], tasks, **options)
    with pytest.raises(ValueError, match="no shards"):
        shards.cluster([], tasks)
    for metric in ("cosinus", "hamming"):
        with pytest.raises(ValueError, match=f"there is no metric '{metric}' of shards"):
            shards.cluster(sound, tasks, metric=metric)
    for recall in (-2, 0, 1.5, np.nan):
        with pytest.raises(ValueError, match="it is a share, above 0"):
            shards.cluster(sound, tasks, recall=recall)
