"""The summary of rows in shards: the means of one partition in one process, and the clusters made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._cluster import cluster
from .._dendrogram import Suggestion
from .._description import Description
from .._hierarchy import Hierarchy
from . import _described as described
from . import _moves as moves
from . import _tasks as work
from ._cells import Searching


class SummaryError(ValueError):
    """Clusters that the means in this process cannot tell; the message says how many means there are, and
    how many bytes more would take."""


class Driver(Protocol):
    """The driver of tasks, as a summary uses it."""

    tasks: Any
    searching: Searching
    samples: Any

    def means(self, labels: list[Any], clusters: int, path: str) -> Any:
        """The means of clusters, as a level."""

    def gathered(self, level: Any) -> NDArray[Any]:
        """The rows of a level, in this process."""

    def level_of(self, shards: Sequence[Any]) -> Any:
        """Shards as a level, once all fit."""


def bytes_held(rows: int, clusters: int, columns: int, dtype: str) -> int:
    """About how many bytes the process takes that holds the means of so many clusters of all rows: a copy
    of the means, which are of `dtype`, the neighbours of each, twice, and the copies that stand for rows of equal
    weight."""
    near = math.ceil(2 * math.log2(max(2, rows)))
    of_mean = 2 * columns * np.dtype(dtype).itemsize + 24 * near
    return clusters * of_mean + 40 * min(rows, clusters * (near + 2))


class Summary:
    """The means of one partition in this process, each with the number of its rows, as a data set of its own.

    A mean counts as so many equal rows. `refine` and `suggest` cluster the means; the labels of rows follow,
    and are computed where the rows are. The partition is the finest whose means this process may hold.
    Neither it nor the clusters depend on how rows are cut into shards, nor on workers.
    """

    def __init__(self, driver: Driver, partition: int, labels: list[Any], clusters: int) -> None:
        tasks = driver.tasks
        self._driver, self._labels = driver, labels
        self.partition = partition
        """The number of the partition."""
        self._counts = counted(tasks, labels, clusters)
        self._level: Any = driver.means(labels, clusters, path="summary")
        self.means: NDArray[Any] = driver.gathered(self._level)
        """The mean of each cluster of the partition: M x d, of float64 or float32."""
        self.sizes: NDArray[np.int64] = tasks.result(self._counts)
        """The number of rows of each cluster: M numbers."""

    @cached_property
    def _around(self) -> Any:
        """The handle of the means near each mean, which `moves` takes."""
        driver = self._driver
        return driver.tasks.submit(
            moves.around, self._level.sources, self._counts, driver.searching
        )

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the means, weighted by their sizes."""
        searching = self._driver.searching
        return cluster(
            self.means,
            weights=self.sizes,
            metric=searching.metric,
            refinable=True,
            recall=searching.recall,
            seed=searching.seed,
            threads=searching.threads,
        )

    def refine(
        self, n_clusters: int, *, linkage: str = "neighbor", nested: bool = False
    ) -> Clusters:
        """Exactly so many clusters of rows: see `Clustering.refine`."""
        means, rows = len(self.means), int(self.sizes.sum())
        if n_clusters > means:
            finest = bytes_held(rows, min(n_clusters, rows), self.means.shape[1], self._level.dtype)
            raise SummaryError(
                f"n_clusters is {n_clusters}, and this process holds {means} means, those of partition"
                f" {self.partition}: ask for at most {means} clusters, or give held_bytes={finest} or more"
                " where a finer partition has as many"
            )
        threads = self._driver.searching.threads
        labels = self.hierarchy.refine(
            self.means, n_clusters, linkage=linkage, nested=nested, threads=threads
        )
        return Clusters(self, labels, moving=linkage == "neighbor" and not nested)

    def suggest(self) -> Clusters:
        """The number of clusters that fits best: see `Clustering.suggest`."""
        threads = self._driver.searching.threads
        suggestion = self.hierarchy.suggest(self.means, threads=threads)
        return Clusters(self, suggestion.labels, suggestion=suggestion, moving=True)


def counted(tasks: Any, labels: Sequence[Any], clusters: int) -> Any:
    """The handle of the numbers of rows of clusters."""
    counts = None
    for of_shard in labels:
        counts = tasks.submit(work.counted, counts, of_shard, clusters)
    return counts


class Clusters:
    """Clusters of the rows of all shards, made of the means of a summary.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from finch_clustering.shards import Futures, cluster
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(middle, 0.3, (100, 2)) for middle in ([0, 0], [4, 0], [2, 4])])
    >>> with ThreadPoolExecutor(2) as executor:
    ...     clusters = cluster(np.split(X, [20, 130]), Futures(executor, 2)).refine(3)
    ...     labels = clusters.gather()
    ...     sizes = clusters.describe().sizes
    ...     [new] = [each.result() for each in clusters.predict([np.array([[4.0, 0.1]])])]
    >>> labels[[0, 99, 100, 299]], sizes, new
    (array([0, 0, 1, 2], dtype=int32), array([100., 100., 100.]), array([1], dtype=int32))
    """

    def __init__(
        self,
        summary: Summary,
        of_means: NDArray[np.int32],
        *,
        moving: bool,
        suggestion: Suggestion | None = None,
    ) -> None:
        self._driver, self._moving = summary._driver, moving
        self.summary = summary
        """The means that the clusters are made of."""
        self.of_means = of_means
        """The cluster of each mean: M numbers."""
        self.n_clusters: int = int(of_means.max()) + 1
        """The number of clusters, C."""
        self.suggestion = suggestion
        """The suggestion for the means: other numbers of clusters, scores, and the answer to: are there
        clusters at all? None for clusters of `refine`."""

    @cached_property
    def labels(self) -> list[Any]:
        """The handles of the labels of each shard, which tasks compute once they are first asked for. Clusters
        are numbered by the first appearance of their means. Rows move as in `Hierarchy.refine`, to the cluster
        that most rows around them are in, as the means near their own tell; by nested=True and other linkages
        than "neighbor" a row is in the cluster of its mean."""
        return [
            self._labels_of(shard, self._driver.tasks.submit)
            for shard in range(len(self.summary._labels))
        ]

    @cached_property
    def _handle(self) -> Any:
        """The handle of the cluster of each mean."""
        return self._driver.tasks.submit(work.itself, self.of_means)

    @cached_property
    def _staying(self) -> Any:
        """The handle of the means whose rows do not move."""
        return self._driver.tasks.submit(moves.staying, self.summary._around, self._handle)

    def _labels_of(self, shard: int, call: Any) -> Any:
        """The labels of a shard, by functions that `call` has called at once or later."""
        of, driver = self.summary, self._driver
        labels = of._labels[shard]
        if not self._moving:
            return call(work.merged, labels, self._handle)
        source, metric = driver.samples.sources[shard], driver.searching.metric
        return call(
            moves.moved, source, labels, of._around, self._handle, self._staying, metric
        )

    def gather(self) -> NDArray[np.int32]:
        """The labels of all rows, 4 bytes a row, in this process."""
        return np.concatenate([self._driver.tasks.result(each) for each in self.labels])

    @cached_property
    def _level(self) -> Any:
        return self._driver.means(self.labels, self.n_clusters, path="clusters")

    def means(self) -> NDArray[Any]:
        """The mean of each cluster, of all of its rows: C x d."""
        return self._driver.gathered(self._level)

    def predict(self, shards: Sequence[Any]) -> list[Any]:
        """The handles of labels of the rows of new shards: each row gets the cluster of the mean of the
        summary that is nearest to it, of equally near ones the first.

        shards: as of `cluster`, with as many columns. A row that was clustered may get another label than its
        own, where a mean of another cluster is nearer. Under cosine nothing is near to a row of zeros, unless
        there is a mean of zeros: the process of the task warns of it, and its label means nothing.

        Errors: a `ShardError` for a shard that does not fit.
        """
        driver = self._driver
        new = driver.level_of(shards)
        if new.columns != self.summary.means.shape[1]:
            raise work.ShardError(
                f"{new.names[0]} has {new.columns} columns, and the rows that were clustered"
                f" {self.summary.means.shape[1]}"
            )
        submit = driver.tasks.submit
        return [
            self._predicted(source, name, submit) for source, name in zip(new.sources, new.names)
        ]

    def predict_here(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """`predict` for rows in this process, M x d, by the means in this process."""
        searching = self._driver.searching
        nearest = work.nearest_means(X, self.summary.means, 0, "X", searching)
        return work.labels_at(nearest, self.of_means, "X")

    def _predicted(self, source: Any, name: str, call: Any) -> Any:
        """The labels of the rows of a shard, by functions that `call` has called at once or later."""
        level, searching = self.summary._level, self._driver.searching
        found = [
            call(work.nearest_means, source, means, start, name, searching)
            for means, start in zip(level.sources, level.starts)
        ]
        nearest = call(work.best, found, searching.metric)
        return call(work.labels_at, nearest, self._handle, name)

    def describe(self, exemplars: int = 3) -> Description:
        """The content of each cluster: see `finch_clustering.describe`, whose `Description` it is.

        Sizes, means, spreads and silhouettes are those of all rows. Medoids and exemplars are rows, numbered
        from the first row of the first shard: `describe` finds them among the means of the summary, each
        weighted by its size, and the nearest of its own rows stands for each of these means. So `sampled` is
        True for clusters of more than one row.
        """
        of, tasks = self.summary, self._driver.tasks
        content = described.Content(
            of.means,
            of.sizes,
            of._labels,
            self.of_means,
            self.labels,
            tasks.result(counted(tasks, self.labels, self.n_clusters)),
            self.means(),
        )
        return described.description(self._driver, content, exemplars)
