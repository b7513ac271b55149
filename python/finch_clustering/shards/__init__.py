"""Clustering rows that no process has all of: shards, and a driver that has tasks done by any executor.

>>> from concurrent.futures import ThreadPoolExecutor
>>> rng = np.random.default_rng(0)
>>> shards = [rng.normal(size=(rows, 3)) for rows in (40, 70, 10)]
>>> with ThreadPoolExecutor(2) as executor:
...     clustering = cluster(shards, Futures(executor, 2), exact=True, task_bytes=500)
>>> clustering.n_clusters == finch_clustering.cluster(np.concatenate(shards)).n_clusters
True

`finch_clustering.dask` does the same on a cluster of Dask. How a level is searched:

- *Exact*: every pair of shards is a task, and the best of each row is kept.
- *Approximate*: each row goes into a few cells that overlap (`_cells.py`), of which each is searched by
  the library. Which rows these are told by depends on `seed` alone.

Components of first-neighbour links take 4 bytes a row, in one process. Sums of clusters are added in the
order of rows, shard after shard, so that means are those of one process, bit for bit. A level of no more
than `task_bytes` is searched in one task. So an exact clustering has the labels of
`finch_clustering.cluster`, whatever the shards, workers and tasks.

Exactly K clusters, and the number that fits best, come from `Clustering.summary`: the means of the finest
partition that one process may hold, each weighted by the number of its rows. They do not depend on where rows
are cut, nor on workers, tasks and threads. They are no labels of `Hierarchy.refine` on all rows, whose neighbours
no process has. All labels depend on the order of rows as those of one process do: by the numbers of clusters, by ties
and by the last digits of means; those of an approximate search also by the rows that a seed draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._c.names import METRIC_ALIASES, METRICS_OF_MEANS
from .._c.options import real
from .._c.warnings import warn_of_recall
from . import _tasks as work
from ._cells import Searching, rows_in_cells, sample_size
from ._sources import File, ShardError
from ._summary import Clusters, Summary, SummaryError, bytes_held
from ._tasks import Firsts, Shape

__all__ = [
    "Clustering",
    "Clusters",
    "File",
    "Futures",
    "ShardError",
    "Summary",
    "SummaryError",
    "Tasks",
    "cluster",
]

ASKED = 512
"""Rows of which the nearest are found among all, to tell how far cells overlap; as many others tell the
recall."""


class Tasks(Protocol):
    """The executor of the driver's tasks. Handles stand for results, which stay where they are."""

    workers: int
    """The number of tasks that run at once."""

    def submit(self, function: Any, *arguments: Any) -> Any:
        """Has a function called, and returns a handle. Arguments, and lists of them, may be handles."""

    def items(self, handle: Any, count: int) -> list[Any]:
        """A handle for each item of a list."""

    def result(self, handle: Any) -> Any:
        """Waits for a result, and brings it here."""

    def wait(self, handle: Any) -> None:
        """Waits until a result is there."""


class Futures:
    """Tasks by an executor of `concurrent.futures` or `mpi4py.futures`.

    Results pass through the process of the driver: numbers, up to 32 bytes a row for each cell, but rows
    only where shards are arrays. Shards that are `File` are read by the workers alone.
    """

    def __init__(self, executor: Any, workers: int) -> None:
        self.executor, self.workers = executor, workers

    def submit(self, function: Any, *arguments: Any) -> Any:
        return self.executor.submit(function, *map(self.result, arguments))

    def items(self, handle: Any, count: int) -> list[Any]:
        return list(handle.result())

    def result(self, handle: Any) -> Any:
        if type(handle) in (list, tuple):
            return type(handle)(map(self.result, handle))
        return handle.result() if hasattr(handle, "add_done_callback") else handle

    def wait(self, handle: Any) -> None:
        handle.result()


class _Level(NamedTuple):
    """Rows that are searched: samples, or means."""

    sources: list[Any]
    names: list[str]
    rows: list[int]
    columns: int
    dtype: str

    @property
    def starts(self) -> list[int]:
        return [0, *np.cumsum(self.rows).tolist()]

    @property
    def bytes(self) -> int:
        return sum(self.rows) * self.columns * np.dtype(self.dtype).itemsize

    @property
    def dtype_of_means(self) -> str:
        return work.dtype_of_means(self.dtype)


class Clustering:
    """The partitions of rows in shards, from fine to coarse, as handles of `tasks`."""

    def __init__(self, driver: _Driver) -> None:
        self._driver = driver
        self.rows: list[int] = driver.samples.rows
        """The number of rows of each shard."""
        self.columns: int = driver.samples.columns
        """The number of features."""
        self.n_clusters: list[int] = []
        """The number of clusters of each partition."""
        self.labels: list[list[Any]] = []
        """For each partition, the handles of the labels of each shard."""
        self.first_neighbors: list[Any] = []
        """The handles of the first neighbours of each shard: index and distance."""
        self.recall = 1.0
        """The share of first neighbours that an approximate search found, of a sample of rows."""

    def gather(self, partition: int = -1) -> NDArray[np.int32]:
        """The labels of all rows, 4 bytes a row, in this process."""
        return np.concatenate([self._driver.tasks.result(each) for each in self.labels[partition]])

    def means(self, partition: int = -1) -> NDArray[Any]:
        """The means of the clusters, in this process: of a fine partition they may not fit."""
        driver, clusters = self._driver, self.n_clusters[partition]
        return driver.gathered(driver.means(self.labels[partition], clusters, path="means"))

    @cached_property
    def summary(self) -> Summary:
        """The means of the finest partition that `held_bytes` lets this process hold, and their sizes.

        Errors: a `SummaryError` where those of the coarsest partition are too many.
        """
        driver, rows = self._driver, sum(self.rows)
        shape = self.columns, driver.samples.dtype_of_means
        needed = [bytes_held(rows, clusters, *shape) for clusters in self.n_clusters]
        if needed[-1] > driver.held_bytes:
            raise SummaryError(
                f"held_bytes is {driver.held_bytes}, and the {self.n_clusters[-1]} means of the coarsest partition"
                f" take about {needed[-1]}: give held_bytes={needed[-1]} or more to `cluster`"
            )
        partition = next(
            number for number, each in enumerate(needed) if each <= driver.held_bytes
        )
        return Summary(driver, partition, self.labels[partition], self.n_clusters[partition])

    def refine(
        self, n_clusters: int, *, linkage: str = "neighbor", nested: bool = False
    ) -> Clusters:
        """Exactly `n_clusters` clusters of the rows, from 1 to the number of means of `summary`, by merging
        these means as `Hierarchy.refine` merges samples, each as many equal samples as it has rows.

        linkage: "neighbor", "centroid" or "ward".
        nested: True for results that are nested over all numbers of clusters. By default, and by neighbour
            linkage, rows move: see `Clusters.labels`.

        Errors: a `SummaryError` for more clusters than `summary` has means; a ValueError below 1.
        """
        return self.summary.refine(n_clusters, linkage=linkage, nested=nested)

    def suggest(self) -> Clusters:
        """The number of clusters that fits best, as `Hierarchy.suggest` recommends it for the means of
        `summary`, each as many equal samples as it has rows; and these clusters of the rows."""
        return self.summary.suggest()


def cluster(
    shards: Sequence[Any],
    tasks: Tasks,
    *,
    metric: str = "euclidean",
    exact: bool = False,
    recall: float = 0.99,
    seed: int = 0,
    threads: int = 1,
    task_bytes: int = 256 << 20,
    scratch: str | None = None,
    held_bytes: int = 2 << 30,
) -> Clustering:
    """Clusters the rows of shards, in their order (Algorithm 1 of the paper).

    shards: `File`s that all workers can read, arrays, or handles of `tasks`: matrices of one number of
        columns and one dtype, of those that are read where they lie.
    exact: whether to search all pairs of shards: the labels are those of `finch_clustering.cluster` with
        a recall of 1.
    recall: about the share of first neighbours that is to be found: cells overlap as much as that takes.
    threads: the number of threads of a task; 0 are all cores.
    task_bytes: about how many bytes of rows a task has at once; it takes up to three times as much. A
        level of so many bytes is searched in one task.
    scratch: a folder that all workers can write to. Means of large levels go there, and else stay in
        the memory of workers, or under `Futures` in that of this process.
    held_bytes: about how many bytes this process may take for `Clustering.summary`: the means of which
        `refine` and `suggest` make clusters.

    A shard that cannot be read, or does not fit, is a `ShardError` that names it.
    """
    metric = METRIC_ALIASES.get(metric, metric)
    if metric not in METRICS_OF_MEANS:
        raise ValueError(
            f"there is no metric {metric!r} of shards: it is one of {', '.join(METRICS_OF_MEANS)}"
        )
    if not 0 < real("recall", recall) <= 1:
        raise ValueError(f"recall is {recall}: it is a share, above 0 and at most 1")
    searching = Searching(metric, 1.0 if exact else recall, seed, threads)
    driver = _Driver(tasks, searching, exact, task_bytes, scratch, held_bytes)
    driver.samples = driver.level_of(shards)
    return driver.cluster()


class _Driver:
    samples: _Level

    def __init__(
        self,
        tasks: Tasks,
        searching: Searching,
        exact: bool,
        task_bytes: int,
        scratch: str | None,
        held_bytes: int,
    ) -> None:
        self.tasks, self.searching, self.exact = tasks, searching, exact
        self.task_bytes, self.scratch, self.held_bytes = task_bytes, scratch, held_bytes

    def level_of(self, shards: Sequence[Any]) -> _Level:
        """The samples, once all shards are known to fit."""
        if len(shards) == 0:
            raise ValueError("there are no shards")
        names = [
            f"shard {number}" + (f", {shard.path}" if isinstance(shard, File) else "")
            for number, shard in enumerate(shards)
        ]
        asked = [self.tasks.submit(work.shape_of, *each) for each in zip(shards, names)]
        shapes: list[Shape] = [self.tasks.result(handle) for handle in asked]
        for name, shape in zip(names, shapes):
            if shape[1:] != shapes[0][1:]:
                raise ShardError(
                    f"{name} has {shape.columns} columns of {shape.dtype}, and {names[0]}"
                    f" {shapes[0].columns} of {shapes[0].dtype}"
                )
        rows = [shape.rows for shape in shapes]
        if sum(rows) > np.iinfo(np.int32).max:
            raise ValueError(f"{sum(rows)} rows are more than int32 labels can number")
        return _Level(list(shards), names, rows, shapes[0].columns, shapes[0].dtype)

    def cluster(self) -> Clustering:
        """The loop of Algorithm 1."""
        tasks, found = self.tasks, Clustering(self)
        level = self.samples
        while True:
            if level.bytes <= self.task_bytes or sum(level.rows) == 1:
                firsts = [tasks.submit(work.search_whole, level.sources, level.names, self.searching)]
            elif self.exact:
                firsts = self.of_all_pairs(level)
            else:
                firsts = self.of_cells(level, number=len(found.labels))
                if not found.labels:
                    found.recall = self.measured_recall(firsts)
                    warn_of_recall("of the rows", found.recall, self.searching.recall)
            if not found.labels:
                found.first_neighbors = firsts
            first = [tasks.submit(work.numbers_of, each) for each in firsts]
            whole = not found.labels
            rows = level.rows if whole else [sum(level.rows)]
            labels = tasks.submit(work.joined, first, rows)
            count, *labels = tasks.items(labels, 1 + len(rows))
            clusters = tasks.result(count)
            if found.labels:
                if clusters in (1, found.n_clusters[-1]):
                    return found
                finer = found.labels[-1]
                labels = [tasks.submit(work.merged, each, labels[0]) for each in finer]
            found.labels.append(labels)
            found.n_clusters.append(clusters)
            if clusters == 1:
                return found
            level = self.means(labels, clusters, path=f"level{len(found.labels)}")

    def of_all_pairs(self, level: _Level) -> list[Any]:
        shards = list(zip(level.sources, level.starts, level.names))
        pairs = [
            [
                self.tasks.submit(
                    work.between, query, first, base, of_base, (name, other), self.searching
                )
                for base, of_base, other in shards
            ]
            for query, first, name in shards
        ]
        return [self.tasks.submit(work.best, found, self.searching.metric) for found in pairs]

    def of_cells(self, level: _Level, number: int) -> list[Any]:
        """Handles of `Firsts` of the shards of a level, which is one of this number."""
        tasks, searching = self.tasks, self.searching
        count, cells = self.cells_around(level, [searching.seed, number])
        inside = [
            tasks.submit(work.inside, source, cells, name, searching)
            for source, name in zip(level.sources, level.names)
        ]
        sizes = [tasks.submit(rows_in_cells, each, count) for each in inside]
        sizes = np.sum([tasks.result(each) for each in sizes], axis=0)
        shape = Shape(0, level.columns, level.dtype)
        searched: list[Any] = []
        # The largest first, so that the last ones end at about the same time.
        for cell in np.argsort(-sizes, kind="stable").tolist():
            # Few cells at a time, so that few copies of rows wait in memory.
            if len(searched) > tasks.workers:
                tasks.wait(searched[-tasks.workers - 1])
            pieces = [
                tasks.submit(work.in_cell, source, of_shard, cell)
                for source, of_shard in zip(level.sources, inside)
            ]
            starts = level.starts[:-1]
            searched.append(tasks.submit(work.search_cell, pieces, starts, shape, searching))
        found = [tasks.items(each, len(inside)) for each in searched]
        return [
            tasks.submit(work.best_of_cells, rows, [each[shard] for each in found])
            for shard, rows in enumerate(level.rows)
        ]

    def cells_around(self, level: _Level, seed: list[int]) -> tuple[int, Any]:
        """The number of cells, each with about as many rows as a task takes, and a handle of them."""
        tasks, largest = self.tasks, self.task_bytes / level.bytes
        wanted = sample_size(largest, self.task_bytes / (8 * level.columns))
        sampled = self.rows_at(level, self.sample(level, wanted, seed))
        asked = self.sample(level, ASKED, [*seed, 1])
        asked_rows = self.rows_at(level, asked)
        truth = self.truth(level, asked, asked_rows)
        # Of two rows or more each has a nearest, but the only row of zeros under cosine.
        nearest = np.where(truth.index < 0, asked, truth.index)
        ascending, order = np.unique(nearest, return_inverse=True)
        parts = [sampled, asked_rows, self.rows_at(level, ascending)]
        made = tasks.submit(work.cells_around, *parts, order, largest, self.searching)
        count, cells = tasks.items(made, 2)
        return tasks.result(count), cells

    def sample(self, level: _Level, count: int, seed: list[int]) -> NDArray[np.int64]:
        """The numbers of random rows, ascending, each at most once; of all rows if there are fewer."""
        rows = sum(level.rows)
        rng = np.random.default_rng(seed)
        return np.sort(rng.choice(rows, min(count, rows), replace=False, shuffle=False))

    def rows_at(self, level: _Level, numbers: NDArray[np.int64]) -> list[Any]:
        """Handles of parts of some rows, by their numbers, which ascend."""
        cuts = np.searchsorted(numbers, level.starts)
        return [
            self.tasks.submit(work.rows_at, source, numbers[low:high] - start, name)
            for source, name, start, low, high in zip(
                level.sources, level.names, level.starts, cuts, cuts[1:]
            )
            if low < high
        ]

    def truth(self, level: _Level, numbers: NDArray[np.int64], parts: list[Any]) -> Firsts:
        """The nearest of all other rows to some rows."""
        tasks = self.tasks
        rows = tasks.submit(work.stacked, parts)
        exact = [
            tasks.submit(work.between_rows, rows, numbers, source, start, name, self.searching)
            for source, start, name in zip(level.sources, level.starts, level.names)
        ]
        truth: Firsts = tasks.result(tasks.submit(work.best, exact, self.searching.metric))
        return truth

    def measured_recall(self, firsts: list[Any]) -> float:
        """The share of a random sample of rows whose nearest other row was found."""
        level = self.samples
        # None of the seeds of cells.
        numbers = self.sample(level, ASKED, [self.searching.seed, 1 << 32])
        truth = self.truth(level, numbers, self.rows_at(level, numbers))
        cuts = np.searchsorted(numbers, level.starts)
        found = [
            self.tasks.submit(work.distances_at, each, numbers[low:high] - start)
            for each, start, low, high in zip(firsts, level.starts, cuts, cuts[1:])
        ]
        distance = np.concatenate([self.tasks.result(each) for each in found])
        return float(np.mean(distance <= truth.distance))

    def means(self, labels: list[Any], clusters: int, path: str) -> _Level:
        """The means of clusters, ranges of which are the shards of the next level."""
        tasks, samples = self.tasks, self.samples
        # Sums are of twice the size of means in float32.
        fits = max(1, self.task_bytes // 2 // (8 * samples.columns))
        ranges = max(-(-clusters // fits), min(tasks.workers, clusters))
        bounds = np.linspace(0, clusters, ranges + 1).astype(np.int64)
        rows = np.array(self.rows_in_ranges(labels, bounds))
        sources, sizes, names = [], [], []
        for number, (low, high) in enumerate(zip(bounds.tolist(), bounds[1:].tolist())):
            sums = None
            for some in self.steps(rows[:, number]):
                pieces = [
                    tasks.submit(work.in_range, samples.sources[shard], labels[shard], low, high)
                    for shard in some
                ]
                shape = (high - low, samples.columns)
                sums = tasks.submit(work.sums_of, sums, pieces, shape, self.searching)
            file = None if self.scratch is None else f"{self.scratch}/{path}-{number}.npy"
            sources.append(tasks.submit(work.means_of, sums, samples.dtype, file))
            sizes.append(high - low)
            names.append(f"the means of clusters {low} to {high - 1}")
            if number >= tasks.workers:
                tasks.wait(sources[-tasks.workers - 1])
        return _Level(sources, names, sizes, samples.columns, samples.dtype_of_means)

    def gathered(self, level: _Level) -> NDArray[Any]:
        """The rows of a level, in this process."""
        return np.concatenate([work.rows_of(self.tasks.result(source)) for source in level.sources])

    def rows_in_ranges(self, labels: list[Any], bounds: NDArray[np.int64]) -> list[Any]:
        counts = [self.tasks.submit(work.rows_in_ranges, each, bounds) for each in labels]
        return [self.tasks.result(count) for count in counts]

    def steps(self, rows: NDArray[np.int64]) -> list[list[int]]:
        """The shards, with rows in a range, that one task adds up: as many as a task can hold, and any
        number of files, of which it holds a part at a time."""
        row = self.samples.columns * np.dtype(self.samples.dtype).itemsize
        steps: list[list[int]] = [[]]
        held = 0
        for shard in np.flatnonzero(rows).tolist():
            in_memory = 0 if isinstance(self.samples.sources[shard], File) else int(rows[shard]) * row
            if steps[-1] and held + in_memory > self.task_bytes // 2:
                steps.append([])
                held = 0
            steps[-1].append(shard)
            held += in_memory
        return steps
