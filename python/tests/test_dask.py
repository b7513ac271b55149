"""Clusters of Dask: two workers, of one thread each."""

import os
import pickle
import signal

import finch_clustering as finch
import numpy as np
import pytest

pytest.importorskip("distributed")
pytest.importorskip("sklearn")
import dask.array as da  # noqa: E402
from dask import delayed  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402
from finch_clustering.dask import FINCH, DaskTasks, File, ShardError, cluster  # noqa: E402

OPTIONS = {"exact": True, "task_bytes": 1 << 18}


@pytest.fixture(scope="module")
def client():
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with local, Client(local) as client:
        yield client


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


def test_a_lost_worker_changes_nothing(client, mice):
    """Killed as the first pairs are searched, as sums are taken, and late."""
    X = da.from_array(mice, chunks=(200, 77))
    expected = finch.cluster(mice, recall=1.0).labels

    class Deadly(DaskTasks):
        left = {("between", 9), ("sums_of", 1), ("merged", 8)}
        calls: dict = {}

        def submit(self, function, *arguments):
            handle = super().submit(function, *arguments)
            self.calls[function.__name__] = self.calls.get(function.__name__, 0) + 1
            moment = function.__name__, self.calls[function.__name__]
            if moment in self.left:
                self.left.remove(moment)
                workers = self.client.run(os.getpid)
                os.kill(min(workers.values()), signal.SIGKILL)
            return handle

    from finch_clustering import dask, shards

    clustering = shards.cluster(dask.shards_of(X, client), Deadly(client), **OPTIONS)
    assert not Deadly.left, "killed at all three moments"
    found = [clustering.gather(each) for each in range(len(clustering.labels))]
    np.testing.assert_array_equal(np.stack(found, axis=1), expected)
