"""Clusters of Dask: two workers, of one thread each."""

import os
import pickle
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering import shards

pytest.importorskip("distributed")
pytest.importorskip("sklearn")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
from dask import delayed  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402
from finch_clustering.dask import (  # noqa: E402
    FINCH,
    DaskTasks,
    File,
    LocalFINCH,
    ShardError,
    SummaryError,
    cluster,
    shards_of,
)

OPTIONS = {"exact": True, "task_bytes": 1 << 18}


@pytest.fixture(scope="module")
def client():
    # LocalCluster looks for a lost worker after 15 seconds, and gives it up if it is not there: it may have been
    # restarted, and killed once more just before.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        # Distributed may hear of a worker that was killed after it has forgotten that worker, and fails as it closes.
        with suppress(KeyError), local, Client(local) as client:
            yield client


def test_zero_rows_go_to_the_mean_of_zeros():
    local = LocalFINCH(metric="cosine")
    local.cluster_centers_, local.n_clusters_, local.n_features_in_ = np.array([[1.0, 0], [0, 0], [0, 1]]), 3, 2
    X = np.array([[0.0, 0], [0, 2], [3, 1]])
    assert local.predict(X).tolist() == [1, 2, 0]
    # As a model of the means does, where there are zero rows and where there are none.
    rows = np.array([[1.0, 0], [1, 0.1], [0, 0], [0, 0], [0, 1], [0.1, 1]])
    for kept in (rows, rows[[0, 1, 4, 5]]):
        hierarchy = finch.cluster(kept, metric="cosine")
        model = finch.Model(hierarchy, kept, keep_samples=False)
        local.cluster_centers_, local.n_clusters_ = model.means(0), model.n_clusters[0]
        np.testing.assert_array_equal(local.predict(X), model.predict(X).labels)


def test_the_estimator(client, mice):
    X = da.from_array(mice, chunks=((500, 120, 457), 40))
    model = FINCH(**OPTIONS).fit(X)
    expected = finch.cluster(mice, recall=1.0)
    assert model.client_ is client and model.recall_ == 1 and model.n_features_in_ == 77
    assert isinstance(model.labels_, da.Array) and model.labels_.chunks == ((500, 120, 457),)
    np.testing.assert_array_equal(model.labels_.compute(), expected[-1])
    np.testing.assert_array_equal(model.partitions_.compute(), expected.labels)
    local = pickle.loads(pickle.dumps(model.to_local()))
    np.testing.assert_array_equal(local.labels_, expected[-1])
    np.testing.assert_array_equal(local.partitions_, expected.labels)
    np.testing.assert_array_equal(local.cluster_centers_, expected.means(-1, mice))
    nearest = np.linalg.norm(mice[:, None] - local.cluster_centers_, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(local.predict(mice), nearest)
    labels = FINCH(client, partition=0, **OPTIONS).fit_predict(X)
    np.testing.assert_array_equal(labels.compute(), expected[0])
    assert FINCH(client, partition=1).get_params()["partition"] == 1
    with pytest.raises(IndexError):
        FINCH(client, partition=9, **OPTIONS).fit(X)


def test_shards_of_all_kinds(client, mice, tmp_path):
    np.save(tmp_path / "middle.npy", mice[500:620])
    for middle in (str(tmp_path / "middle.npy"), client.submit(np.array, mice[500:620])):
        shards = [delayed(np.array)(mice[:500]), middle, File(str(tmp_path / "last.npy"))]
        np.save(tmp_path / "last.npy", mice[620:])
        clustering = cluster(shards, client, **OPTIONS)
        np.testing.assert_array_equal(clustering.gather(-1), finch.cluster(mice)[-1])
    with pytest.raises(ShardError, match="shard .*gone.npy cannot be read"):
        (tmp_path / "last.npy").rename(tmp_path / "moved.npy")
        cluster([mice[:500], File(str(tmp_path / "gone.npy"))], client, **OPTIONS)
    with pytest.raises(TypeError, match="give a Dask array"):
        cluster("X.npy", client)


def test_exactly_k_and_the_suggestion(client, mice):
    X = da.from_array(mice, chunks=((500, 120, 457), 40))
    with ThreadPoolExecutor(2) as executor:
        here = shards.cluster([mice], shards.Futures(executor, 2), exact=True, task_bytes=1 << 30)
        wanted, suggested = here.refine(8), here.suggest()
        expected, described = wanted.gather(), wanted.describe()
        of_new = wanted.predict_here(mice[:200] + 0.01)
        suggested_labels = suggested.gather()
    model = FINCH(client, n_clusters=8, **OPTIONS).fit(X)
    assert model.n_clusters_ == 8 and model.clusters_.summary.partition == 0
    assert isinstance(model.labels_, da.Array) and model.labels_.chunks == ((500, 120, 457),)
    np.testing.assert_array_equal(model.labels_.compute(), expected)
    # A block is computed without the others.
    np.testing.assert_array_equal(model.labels_.blocks[1].compute(), expected[500:620])
    np.testing.assert_array_equal(model.clusters_.gather(), expected)
    for one, same in zip(model.describe()[:6], described[:6], strict=True):
        np.testing.assert_array_equal(one, same)
    new = model.predict(da.from_array(mice[:200] + 0.01, chunks=(90, 40)))
    assert isinstance(new, da.Array) and new.chunks == ((90, 90, 20),)
    np.testing.assert_array_equal(new.compute(), of_new)
    np.testing.assert_array_equal(model.predict(mice[:200] + 0.01), of_new)
    local = pickle.loads(pickle.dumps(model.to_local()))
    np.testing.assert_array_equal(local.labels_, expected)
    np.testing.assert_array_equal(local.cluster_centers_, described.means)
    assert local.n_clusters == 8 and not hasattr(pickle.loads(pickle.dumps(model)), "clusters_")
    model = FINCH(client, partition="suggest", **OPTIONS).fit(X)
    assert model.clusters_.suggestion.best == suggested.suggestion.best
    np.testing.assert_array_equal(model.fit_predict(X).compute(), suggested_labels)
    np.testing.assert_array_equal(model.to_local().labels_, suggested_labels)


def kill(client):
    """Kills a worker, of two."""
    client.wait_for_workers(2, timeout=300)
    time.sleep(0.5)
    # One that was killed before may still be known.
    alive = client.run(os.getpid, on_error="ignore")
    os.kill(min(alive.values()), signal.SIGKILL)


class Deadly(DaskTasks):
    """Tasks of which some kill a worker: at some calls of a function, counted from 1."""

    def __init__(self, client, *moments):
        super().__init__(client)
        self.left, self.calls = set(moments), {}

    def submit(self, function, *arguments):
        handle = super().submit(function, *arguments)
        self.calls[function.__name__] = self.calls.get(function.__name__, 0) + 1
        moment = function.__name__, self.calls[function.__name__]
        if moment in self.left:
            self.left.remove(moment)
            kill(self.client)
        return handle


def test_a_lost_worker_changes_nothing(client, mice):
    """Killed as the first pairs are searched, as sums are taken, and late."""
    X = da.from_array(mice, chunks=(200, 77))
    expected = finch.cluster(mice, recall=1.0).labels

    tasks = Deadly(client, ("between", 9), ("sums_of", 1), ("merged", 8))
    clustering = shards.cluster(shards_of(X, client), tasks, **OPTIONS)
    assert not tasks.left, "killed at all three moments"
    found = [clustering.gather(each) for each in range(len(clustering.labels))]
    np.testing.assert_array_equal(np.stack(found, axis=1), expected)


def test_a_worker_lost_on_the_way_to_clusters_changes_nothing(client, mice):
    """Killed as rows are counted, as they are described, and before labels are asked for."""
    X = da.from_array(mice, chunks=(200, 77))
    quiet = shards.cluster(shards_of(X, client), DaskTasks(client), **OPTIONS).refine(8)
    expected = [quiet.gather(), *quiet.describe()[:6], quiet.predict_here(mice)]
    tasks = Deadly(client, ("counted", 2), ("separation", 3))
    clusters = shards.cluster(shards_of(X, client), tasks, **OPTIONS).refine(8)
    described = clusters.describe()
    assert not tasks.left, "killed at both moments"
    new = clusters.predict(shards_of(X, client))
    kill(client)
    found = [clusters.gather(), *described[:6], np.concatenate([each.result() for each in new])]
    for one, same in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, same)


def test_clusters_that_cannot_be(client, mice):
    X = da.from_array(mice, chunks=(600, 77))
    with pytest.raises(SummaryError, match="n_clusters is 1000, and this process holds 351 means"):
        FINCH(client, n_clusters=1000, **OPTIONS).fit(X)
    with pytest.raises(SummaryError, match="held_bytes is 1000"):
        FINCH(client, partition="suggest", held_bytes=1000, **OPTIONS).fit(X)
    with pytest.raises(TypeError, match="n_clusters is 2.5: give an integer"):
        FINCH(client, n_clusters=2.5).fit(X)
    with pytest.raises(TypeError, match="give an integer, or 'suggest'"):
        FINCH(client, partition="best").fit(X)
    with pytest.raises(TypeError, match="partition is True: give an integer"):
        FINCH(client, partition=True).fit(X)
    with pytest.raises(ValueError, match="no linkage 'foo': it is one of neighbor, centroid, ward"):
        FINCH(client, linkage="foo").fit(X)
    model = FINCH(client, **OPTIONS).fit(X)
    for call in (model.describe, lambda: model.predict(mice)):
        with pytest.raises(AttributeError, match="these are of partition -1: fit with n_clusters"):
            call()
    model = FINCH(client, n_clusters=4, **OPTIONS).fit(X)
    for rows in (mice[:, :5], mice[0], X[:, :5]):
        with pytest.raises(ValueError, match="give rows of the 77 features of fit"):
            model.predict(rows)
