"""FINCH on a cluster of Dask: `pip install "finch-clustering[dask]"`.

    from dask.distributed import Client
    from finch_clustering.dask import FINCH

    model = FINCH(Client()).fit(X)     # a Dask array, File shards, delayed matrices
    model.labels_                      # a Dask array; partitions_, n_clusters_, to_local()

No process ever has all rows: neither a worker, nor the scheduler, nor the client. A worker that is
lost takes nothing with it: its tasks run again and find the same. `finch_clustering.shards` says how.

Blocks of arrays are computed once and stay in the memory of the cluster while `fit` runs, as they do
where they were persisted. What does not fit there is best brought as `File`s.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from dask.distributed import Client, Future, default_client, wait

from . import shards as _shards
from ._sklearn.estimator import BaseEstimator, ClusterMixin, check_is_fitted
from ._sklearn.estimator import FINCH as _LocalFINCH
from .shards import Clustering, File, ShardError

__all__ = ["Clustering", "DaskTasks", "FINCH", "File", "LocalFINCH", "ShardError", "cluster"]


class DaskTasks:
    """The tasks of `finch_clustering.shards` on a cluster. Results stay with the workers."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.workers: int = max(1, sum(client.nthreads().values()))

    def submit(self, function: Any, *arguments: Any) -> Future:
        # Under a key of its own: to make one out of large arguments takes longer than most tasks.
        return self.client.submit(function, *arguments, pure=False)

    def items(self, handle: Future, count: int) -> list[Future]:
        return [self.submit(operator.getitem, handle, item) for item in range(count)]

    def result(self, handle: Any) -> Any:
        return handle.result() if isinstance(handle, Future) else handle

    def wait(self, handle: Future) -> None:
        wait(handle)


def cluster(X: Any, client: Client | None = None, **options: Any) -> Clustering:
    """Clusters rows on a cluster, by default that of the latest client.

    X: a Dask array or data frame of numbers, or a list of shards: `File`s, delayed matrices, futures.
    options: those of `finch_clustering.shards.cluster`.
    """
    client = default_client() if client is None else client
    return _shards.cluster(shards_of(X, client), DaskTasks(client), **options)


def shards_of(X: Any, client: Client) -> list[Any]:
    """X as shards: `File`s, and futures of blocks."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array()
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions where it takes 2, samples by features")
        # A shard has all columns of its rows.
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        X = list(X.to_delayed().ravel())
    if not isinstance(X, Sequence) or isinstance(X, str):
        raise TypeError(f"X is of {type(X)}: give a Dask array, or a list of shards")
    files = [File(shard) if isinstance(shard, str) else shard for shard in X]
    return [client.compute(shard) if hasattr(shard, "dask") else shard for shard in files]


class FINCH(ClusterMixin, BaseEstimator):
    """Clustering by first neighbours, without a parameter, on a cluster of Dask.

    Parameters
    ----------
    client : dask.distributed.Client, default=None
        The cluster; None is that of the latest client.
    partition : int, default=-1
        The partition that `labels_` has: 0 is the finest, -1 the coarsest.
    metric : {"euclidean", "cosine", "manhattan"}, default="euclidean"
        The distance of samples.
    exact : bool, default=False
        True searches all pairs of samples: labels are then those of one process.
    recall, seed, threads, task_bytes, scratch
        See `finch_clustering.shards.cluster`.

    Attributes
    ----------
    client_ : dask.distributed.Client
        The client in use.
    labels_ : dask.array.Array of shape (n_samples,)
        The cluster of each sample, numbered by first appearance, in blocks like those of X.
    partitions_ : dask.array.Array of shape (n_samples, n_partitions)
        The labels of all partitions, the finest first.
    n_clusters_ : int
        The number of clusters.
    clustering_ : Clustering
        The partitions, their numbers of clusters, and first neighbours.
    recall_ : float
        The share of first neighbours that the search found, of 512 random rows; 1 if it is exact.
    n_features_in_ : int
        The number of features.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        partition: int = -1,
        metric: str = "euclidean",
        exact: bool = False,
        recall: float = 0.99,
        seed: int = 0,
        threads: int = 1,
        task_bytes: int = 256 << 20,
        scratch: str | None = None,
    ) -> None:
        self.client = client
        self.partition = partition
        self.metric = metric
        self.exact = exact
        self.recall = recall
        self.seed = seed
        self.threads = threads
        self.task_bytes = task_bytes
        self.scratch = scratch

    @property
    def client_(self) -> Client:
        return default_client() if self.client is None else self.client

    def fit(self, X: Any, y: Any = None) -> FINCH:
        """Clusters the rows of X: see `cluster`."""
        options = {name: value for name, value in self.get_params(deep=False).items()}
        del options["client"], options["partition"]
        clustering = cluster(X, self.client_, **options)
        # Before anything is kept: there may be no such partition.
        self.n_clusters_ = clustering.n_clusters[self.partition]
        self.clustering_, self.recall_ = clustering, clustering.recall
        self.n_features_in_ = clustering.columns
        return self

    def fit_predict(self, X: Any, y: Any = None) -> da.Array:
        """Clusters the rows of X, and returns their labels."""
        return self.fit(X).labels_

    @property
    def labels_(self) -> da.Array:
        check_is_fitted(self)
        return self._labels(self.partition)

    @property
    def partitions_(self) -> da.Array:
        check_is_fitted(self)
        return da.stack([self._labels(each) for each in range(self._partitions)], axis=1)

    @property
    def _partitions(self) -> int:
        return len(self.clustering_.n_clusters)

    def _labels(self, partition: int) -> da.Array:
        clustering = self.clustering_
        blocks = [
            da.from_delayed(delayed(labels), (rows,), np.int32)
            for labels, rows in zip(clustering.labels[partition], clustering.rows)
        ]
        return da.concatenate(blocks)

    def to_local(self) -> LocalFINCH:
        """An estimator of this process, without a client: with the labels of all samples, 4 bytes for
        each partition and sample, and the means of the clusters."""
        check_is_fitted(self)
        local = LocalFINCH(partition=self.partition, metric=self.metric, seed=self.seed)
        gathered = [self.clustering_.gather(each) for each in range(self._partitions)]
        local.labels_ = gathered[self.partition]
        local.partitions_ = np.stack(gathered, axis=1)
        local.n_clusters_, local.recall_ = self.n_clusters_, self.recall_
        local.cluster_centers_ = self.clustering_.means(self.partition)
        local.n_features_in_ = self.n_features_in_
        return local

    def __getstate__(self) -> dict[str, Any]:
        """Without what lives on the cluster."""
        state = dict(super().__getstate__())
        state.pop("clustering_", None)
        return {**state, "client": None}


class LocalFINCH(_LocalFINCH):
    """The estimator that `to_local` makes. There are no samples, so that new rows go to the nearest mean."""

    def predict(self, X: Any) -> Any:
        """The cluster whose mean is nearest to each row of X."""
        return self.transform(X).argmin(axis=1).astype(np.int32)
