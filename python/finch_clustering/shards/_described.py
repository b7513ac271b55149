"""The content of clusters of rows in shards: the tasks that look at rows, and the description of it all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._description import Description, describe
from .._input.distances import distances_of_pairs
from .._neighbors import add_to_sums, keys_to_distances
from . import _tasks as work
from ._cells import Searching
from ._moves import anchors
from ._sources import Source, about, parts_of
from ._tasks import Firsts


class Content(NamedTuple):
    """Means in one process, and the clusters made of them."""

    means: NDArray[Any]
    """The means of a partition: M x d."""
    sizes: NDArray[np.int64]
    """The number of rows of each of these means."""
    of_partition: Sequence[Any]
    """The handles of the labels of each shard in the partition."""
    of_means: NDArray[np.int32]
    """The cluster of each mean."""
    labels: Sequence[Any]
    """The handles of the clusters of the rows of each shard."""
    of_rows: NDArray[np.int64]
    """The number of rows of each cluster."""
    of_clusters: NDArray[Any]
    """The means of the clusters: C x d."""


def description(driver: Any, content: Content, exemplars: int) -> Description:
    """Describes clusters of the samples of a driver."""
    tasks, samples, searching = driver.tasks, driver.samples, driver.searching
    clusters = len(content.of_clusters)
    sums, means = None, tasks.submit(work.itself, content.of_clusters)
    for source, name, labels in zip(samples.sources, samples.names, content.labels):
        apart = tasks.submit(separation, source, labels, means, name, searching)
        sums = tasks.submit(added, sums, apart, labels, clusters)
    of_means = describe(
        content.means,
        content.of_means,
        weights=content.sizes,
        exemplars=exemplars,
        metric=searching.metric,
        seed=searching.seed,
        threads=searching.threads,
    )
    # Rows of one mean of each cluster do not move, so that there is a row at last.
    wanted = of_means.exemplars if exemplars > 0 else of_means.medoids[:, None]
    wanted = np.column_stack([of_means.medoids, anchors(content.of_means, content.sizes), wanted])
    numbers, place = np.unique(wanted, return_inverse=True)
    shards = zip(samples.sources, samples.starts, content.of_partition, content.labels)
    # Of -1, in place of an exemplar, there are no rows.
    arrays = numbers, content.means[numbers], content.of_means[numbers]
    some = [tasks.submit(work.itself, each) for each in arrays]
    nearest = [tasks.submit(nearest_rows, *shard, *some, searching.metric) for shard in shards]
    found = work.nearest_of([tasks.result(each) for each in nearest]).index.astype(np.int32)
    rows = found[place.reshape(wanted.shape)]
    medoids = np.where(rows[:, 0] < 0, rows[:, 1], rows[:, 0])
    # A mean whose rows have all moved has none to show.
    rows = rows[:, 2 : 2 + exemplars]
    if exemplars > 0:
        rows[:, 0] = medoids
    rows = np.take_along_axis(rows, np.argsort(rows < 0, axis=1, kind="stable"), axis=1)
    scatters, silhouettes = tasks.result(sums).T
    sizes = content.of_rows.astype(np.float64)
    spreads = scatters / sizes
    return Description(
        sizes=sizes,
        means=content.of_clusters.astype(np.float64),
        medoids=medoids,
        exemplars=rows,
        spreads=np.sqrt(spreads) if searching.metric == "euclidean" else spreads,
        silhouettes=np.where(sizes > 1, silhouettes / sizes, 0.0),
        modularities=None,
        sampled=sizes > 1,
    )


def separation(
    source: Source, labels: NDArray[np.int32], means: NDArray[Any], name: str, searching: Searching
) -> NDArray[np.float64]:
    """For each row of a shard what a spread is the mean of, and its silhouette: N x 2."""
    values = np.zeros((len(labels), 2))
    for part, rows in parts_of(source, means.dtype):
        own = distances_of_pairs(rows, means[labels[part]], searching.metric)
        values[part, 0] = own**2 if searching.metric == "euclidean" else own
        if len(means) > 1:
            with about(name):
                near = searching.nearest(rows, means, 2)
            none = near.index < 0
            lengths = keys_to_distances(np.where(none, 0, near.key), metric=searching.metric)
            # Under cosine a row of zeros has distance 2 to each mean with a direction, and so has a mean of zeros
            # to each row with one: the search leaves both out.
            lengths[none] = 2.0
            other = np.where(near.index[:, 0] == labels[part], lengths[:, 1], lengths[:, 0])
            larger = np.maximum(own, other)
            values[part, 1] = np.divide(other - own, larger, out=np.zeros(len(own)), where=larger > 0)
    return values


def added(
    before: NDArray[np.float64] | None,
    values: NDArray[np.float64],
    labels: NDArray[np.int32],
    clusters: int,
) -> NDArray[np.float64]:
    """Sums of values by clusters, continued by the rows of one more shard: in the order of rows, so that the sums
    are the same however rows are cut."""
    sums = np.zeros((clusters, values.shape[1])) if before is None else before.copy()
    add_to_sums(values, labels, sums, np.zeros(clusters, np.int64), threads=1)
    return sums


def nearest_rows(
    source: Source,
    first: int,
    of_partition: NDArray[np.int32],
    labels: NDArray[np.int32],
    numbers: NDArray[np.int32],
    means: NDArray[Any],
    clusters: NDArray[np.int32],
    metric: str,
) -> Firsts:
    """The nearest row of a shard to each of some means of a partition, whose numbers ascend: of the rows of that
    mean those that are in its cluster."""
    row, distance = np.full(len(numbers), -1, np.int64), np.full(len(numbers), np.inf)
    for part, rows in parts_of(source, means.dtype):
        own = of_partition[part]
        place = np.minimum(np.searchsorted(numbers, own), len(numbers) - 1)
        of_some = np.flatnonzero((numbers[place] == own) & (clusters[place] == labels[part]))
        place = place[of_some]
        apart = distances_of_pairs(rows[of_some], means[place], metric)
        # The nearest first, and of equally near ones the first row.
        order = np.lexsort((of_some, apart, place))
        found, at = np.unique(place[order], return_index=True)
        best = order[at]
        nearer = apart[best] < distance[found]
        row[found[nearer]] = first + part.start + of_some[best[nearer]]
        distance[found[nearer]] = apart[best[nearer]]
    return Firsts(row, distance)
