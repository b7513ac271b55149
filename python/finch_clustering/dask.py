"""FINCH on a cluster of Dask: `pip install "finch-clustering[dask]"`.

    from dask.distributed import Client
    from finch_clustering.dask import FINCH

    model = FINCH(Client()).fit(X)     # a Dask array, File shards, delayed matrices
    model.labels_                      # a Dask array; partitions_, n_clusters_, to_local()
    model = FINCH(Client(), n_clusters=10).fit(X)              # exactly 10; or partition="suggest"
    model.predict(more), model.describe().medoids

No process ever has all rows: neither a worker, nor the scheduler, nor the client. A worker that is
lost takes nothing with it: its tasks run again and find the same. `finch_clustering.shards` says how. The
client holds the means of a partition where clusters are made of these: see `Clustering.summary`.

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
from ._c.names import number_of
from ._description import Description
from ._input.distances import distances_to
from ._input.sparse import is_sparse
from ._sklearn.estimator import BaseEstimator, ClusterMixin, check_is_fitted
from ._sklearn.estimator import FINCH as _LocalFINCH
from ._sklearn.parameters import is_whole
from .shards import Clustering, Clusters, File, ShardError, SummaryError

__all__ = [
    "Clustering",
    "Clusters",
    "DaskTasks",
    "FINCH",
    "File",
    "LocalFINCH",
    "ShardError",
    "SummaryError",
    "cluster",
]

LINKAGES = ("neighbor", "centroid", "ward")
"""The linkages of means."""


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
    X = _in_whole_rows(X)
    if isinstance(X, da.Array):
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions where it takes 2, samples by features")
        X = list(X.to_delayed().ravel())
    if not isinstance(X, Sequence) or isinstance(X, str):
        raise TypeError(f"X is of {type(X)}: give a Dask array, or a list of shards")
    files = [File(shard) if isinstance(shard, str) else shard for shard in X]
    return [client.compute(shard) if hasattr(shard, "dask") else shard for shard in files]


def _in_whole_rows(X: Any) -> Any:
    """A Dask array or data frame as an array whose blocks have all columns of their rows, as shards do; any other X
    as it is."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array()
    if isinstance(X, da.Array) and X.ndim == 2 and X.numblocks[1] > 1:
        return X.rechunk({1: -1})
    return X


def _later(function: Any, *arguments: Any) -> Any:
    """A call that is made once its result is asked for."""
    return delayed(function)(*arguments)


def _joined(blocks: Sequence[Any], rows: Sequence[int]) -> da.Array:
    """A Dask array of labels, of delayed blocks of so many rows."""
    parts = [da.from_delayed(labels, (count,), np.int32) for labels, count in zip(blocks, rows)]
    return da.concatenate(parts)


class FINCH(ClusterMixin, BaseEstimator):
    """Clustering by first neighbours, without a parameter, on a cluster of Dask.

    Parameters
    ----------
    client : dask.distributed.Client, default=None
        The cluster; None is that of the latest client.
    n_clusters : int, default=None
        Exactly so many clusters, made of the means of a partition: see `Clustering.refine`. With None, the
        clusters are those of `partition`.
    partition : int or "suggest", default=-1
        The partition that `labels_` has: 0 is the finest, -1 the coarsest. With "suggest", clusters are made of
        the means of a partition, as many as fit best: see `Clustering.suggest`.
    linkage : {"neighbor", "centroid", "ward"}, default="neighbor"
        The means that merge first on the way to `n_clusters`.
    metric : {"euclidean", "cosine", "manhattan"}, default="euclidean"
        The distance of samples.
    exact : bool, default=False
        True searches all pairs of samples: labels are then those of one process.
    recall, seed, threads, task_bytes, scratch, held_bytes
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
    clusters_ : Clusters or None
        The clusters where `n_clusters` or "suggest" asks for them, with `suggestion`; None for a partition.
    recall_ : float
        The share of first neighbours that the search found, of 512 random rows; 1 if it is exact.
    n_features_in_ : int
        The number of features.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from dask.distributed import Client
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(middle, 0.3, (100, 2)) for middle in ([0, 0], [4, 0], [2, 4])])
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = FINCH(client, n_clusters=3).fit(da.from_array(X, chunks=(120, 2)))
    ...     labels = model.labels_.compute()
    ...     sizes = model.describe().sizes
    >>> labels[[0, 99, 100, 299]], sizes
    (array([0, 0, 1, 2], dtype=int32), array([100., 100., 100.]))
    >>> model.predict(np.array([[4.0, 0.1]]))
    array([1], dtype=int32)
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        n_clusters: int | None = None,
        partition: int | str = -1,
        linkage: str = "neighbor",
        metric: str = "euclidean",
        exact: bool = False,
        recall: float = 0.99,
        seed: int = 0,
        threads: int = 1,
        task_bytes: int = 256 << 20,
        scratch: str | None = None,
        held_bytes: int = 2 << 30,
    ) -> None:
        self.client = client
        self.n_clusters = n_clusters
        self.partition = partition
        self.linkage = linkage
        self.metric = metric
        self.exact = exact
        self.recall = recall
        self.seed = seed
        self.threads = threads
        self.task_bytes = task_bytes
        self.scratch = scratch
        self.held_bytes = held_bytes

    @property
    def client_(self) -> Client:
        return default_client() if self.client is None else self.client

    def fit(self, X: Any, y: Any = None) -> FINCH:
        """Clusters the rows of X: see `cluster`.

        Errors beside those of `cluster`: a TypeError or ValueError for a parameter that is none of its values, an
        IndexError where there is no such partition, and a `SummaryError` for more clusters than there are
        means in this process.
        """
        if self.n_clusters is not None and not is_whole(self.n_clusters):
            raise TypeError(f"n_clusters is {self.n_clusters!r}: give an integer, or None")
        if not is_whole(self.partition) and self.partition != "suggest":
            raise TypeError(f"partition is {self.partition!r}: give an integer, or 'suggest'")
        number_of("linkage", LINKAGES, self.linkage)
        options = {name: value for name, value in self.get_params(deep=False).items()}
        for name in ("client", "n_clusters", "partition", "linkage"):
            del options[name]
        clustering = cluster(X, self.client_, **options)
        # Before anything is kept: there may be no such partition, or not so many means.
        clusters = None
        if self.n_clusters is not None:
            clusters = clustering.refine(self.n_clusters, linkage=self.linkage)
        elif self.partition == "suggest":
            clusters = clustering.suggest()
        known = clustering.n_clusters
        self.n_clusters_ = known[self.partition] if clusters is None else clusters.n_clusters
        self.clustering_, self.recall_ = clustering, clustering.recall
        self.clusters_ = clusters
        self.n_features_in_ = clustering.columns
        return self

    def fit_predict(self, X: Any, y: Any = None) -> da.Array:
        """Clusters the rows of X, and returns their labels."""
        return self.fit(X).labels_

    def predict(self, X: Any) -> Any:
        """The labels of new rows, each that of the nearest mean in this process: see `Clusters.predict`.

        X: a Dask array or data frame, M x d, whose labels are a Dask array, computed where it is asked for; or
            an array of this process, whose labels are an array of M numbers.
        """
        clusters = self._expect_clusters("predict")
        rows = _in_whole_rows(X)
        rows = rows if isinstance(rows, da.Array) else np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has the shape {rows.shape}: give rows of the {self.n_features_in_} features of fit"
            )
        if not isinstance(rows, da.Array):
            return clusters.predict_here(rows)
        blocks = rows.to_delayed().ravel()
        labels = [
            clusters._predicted(block, f"block {number} of X", _later)
            for number, block in enumerate(blocks)
        ]
        return _joined(labels, rows.chunks[0])

    def describe(self, exemplars: int = 3) -> Description:
        """The content of each cluster: see `Clusters.describe`."""
        return self._expect_clusters("describe").describe(exemplars)

    def _expect_clusters(self, what: str) -> Clusters:
        """The clusters that are made of means."""
        check_is_fitted(self)
        if self.clusters_ is None:
            raise AttributeError(
                f"{what} takes clusters that are made of means, and these are of partition {self.partition}: fit"
                " with n_clusters, or with partition='suggest'"
            )
        return self.clusters_

    @property
    def labels_(self) -> da.Array:
        check_is_fitted(self)
        clusters = self.clusters_
        if clusters is None:
            return self._labels(self.partition)
        rows = self.clustering_.rows
        blocks = [clusters._labels_of(shard, _later) for shard in range(len(rows))]
        return _joined(blocks, rows)

    @property
    def partitions_(self) -> da.Array:
        check_is_fitted(self)
        return da.stack([self._labels(each) for each in range(self._partitions)], axis=1)

    @property
    def _partitions(self) -> int:
        return len(self.clustering_.n_clusters)

    def _labels(self, partition: int) -> da.Array:
        clustering = self.clustering_
        return _joined([delayed(each) for each in clustering.labels[partition]], clustering.rows)

    def to_local(self) -> LocalFINCH:
        """An estimator of this process, without a client: with the labels of all samples, 4 bytes for
        each partition and sample, and the means of the clusters."""
        check_is_fitted(self)
        asked = {"n_clusters": self.n_clusters, "partition": self.partition, "linkage": self.linkage}
        local = LocalFINCH(metric=self.metric, seed=self.seed, **asked)
        gathered = [self.clustering_.gather(each) for each in range(self._partitions)]
        found: Any = self.clusters_
        local.labels_ = gathered[self.partition] if found is None else found.gather()
        local.partitions_ = np.stack(gathered, axis=1)
        local.n_clusters_, local.recall_ = self.n_clusters_, self.recall_
        local.cluster_centers_ = (
            self.clustering_.means(self.partition) if found is None else found.means()
        )
        local.n_features_in_ = self.n_features_in_
        return local

    def __getstate__(self) -> dict[str, Any]:
        """Without what lives on the cluster."""
        state = dict(super().__getstate__())
        for name in ("clustering_", "clusters_"):
            state.pop(name, None)
        return {**state, "client": None}


class LocalFINCH(_LocalFINCH):
    """The estimator that `to_local` makes. There are no samples, so that new rows go to the nearest mean."""

    def predict(self, X: Any) -> Any:
        """The cluster whose mean is nearest to each row of X. Under cosine a row of zeros is near to a mean of zeros
        alone, and where there is none it is in cluster 0."""
        if self.metric != "cosine":
            return self.transform(X).argmin(axis=1).astype(np.int32)
        check_is_fitted(self)
        rows: Any = self._checked(X, reset=False).astype(np.float64)
        rows = rows.toarray() if is_sparse(rows) else rows
        return distances_to(rows, self.cluster_centers_, "cosine").argmin(axis=1).astype(np.int32)
