"""The content of each cluster: means, medoids, exemplars, spreads."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.handle import Handle
from ._c.header import CSR, Matrix
from ._c.library import lib
from ._c.names import METRICS, number_of
from ._c.options import count, default_options
from ._c.repr import one_line
from ._c.run import ProgressCallback, run
from ._input.arrays import Samples, as_input, named_clusters, table_of, weights_of
from ._input.frames import columns_of
from ._input.sparse import is_sparse, lent_rows


class Description(NamedTuple):
    """The content of each of C clusters. The arrays are read-only views."""

    __repr__ = one_line

    sizes: NDArray[np.float64]
    """The number of samples of each cluster, or the sum of their weights."""
    means: NDArray[np.float64]
    """The mean of each cluster: C x d; a `csr_array` of SciPy where X is sparse."""
    medoids: NDArray[np.int32]
    """The medoid of each cluster, a sample: that with the least sum of distances to the samples of
    the cluster, the first of equals."""
    exemplars: NDArray[np.int32]
    """The exemplars of each cluster, C x `exemplars` samples, with -1 where a cluster has fewer
    distinct samples. The first is the medoid; each next one most lowers the sum of distances of
    samples to their nearest exemplar."""
    spreads: NDArray[np.float64]
    """The distance of the samples of each cluster from its mean: for the Euclidean metric the root of
    the mean squared distance, else the mean distance."""
    silhouettes: NDArray[np.float64]
    """The separation of each cluster, from -1 to 1: the mean of (b - a) / max(a, b) over its samples; a
    is the distance to the mean of the cluster, b to that of the nearest other cluster. 0 for a cluster of
    one sample, and for a single cluster."""
    modularities: NDArray[np.float64] | None
    """The modularity share of each cluster, from -1 to 1: the share of links from its rows to their
    neighbours that stay within the cluster, minus the share of all links that lead to its rows, which
    is what chance keeps within. A link counts with the weight of the row that it leads from. None
    without `neighbors`."""
    sampled: NDArray[np.bool_]
    """True for a cluster of more than 1024 samples: its medoid and exemplars come from the distances to
    1024 random samples of the cluster. Others are exact."""
    names: list[Any] | None = None
    """The label of each cluster, if labels are strings, categories or True and False; None if they are the
    numbers of the clusters."""
    features: list[Any] | None = None
    """The names of the columns where X is a table, else None."""

    def to_frame(self, columns: Sequence[Any] | None = None) -> Any:
        """A DataFrame of pandas, which has to be installed: C rows, whose index are the names or numbers of
        the clusters, of size, medoid, spread, silhouette, modularity (where there is one), and for each
        feature the mean, in the column "mean " and its name.

        columns: the names of the d features; by default `features`, or their numbers.

        Errors: a ValueError unless there is one name for each feature.
        """
        from pandas import DataFrame, Index

        means = self.means.toarray() if is_sparse(self.means) else np.asarray(self.means)
        named = list(columns if columns is not None else self.features or range(means.shape[1]))
        if len(named) != means.shape[1]:
            raise ValueError(f"there are {len(named)} columns for {means.shape[1]} features")
        values: dict[str, Any] = {
            "size": self.sizes,
            "medoid": self.medoids,
            "spread": self.spreads,
            "silhouette": self.silhouettes,
        }
        if self.modularities is not None:
            values["modularity"] = self.modularities
        values |= {f"mean {name}": column for name, column in zip(named, means.T)}
        return DataFrame(values, Index(self.names or range(len(means)), name="cluster"))


def describe(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    neighbors: ArrayLike | None = None,
    exemplars: int = 3,
    metric: str = "euclidean",
    seed: int = 0,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Description:
    """Describes clusters of the rows of X, N x d: an array, or a sparse matrix or array of SciPy.

    labels: the cluster of each row: numbers from 0 to C - 1, each with a row; or strings, categories of
        pandas or True and False, whose clusters are in the order of the values (of ordered or unordered
        categories in theirs, without those that have no row), as `names` tells.
    weights: the number of equal rows that each row stands for, as in `cluster`.
    neighbors: the nearest neighbours of each row, N x k rows (or N first neighbours), as
        `nearest_neighbors` finds them, for `modularities`. A row's own number and -1 are none.
    exemplars: up to so many exemplars are found for each cluster.
    metric: of medoids, exemplars, spreads and silhouettes.
    seed: for the random samples of clusters of more than 1024 rows.
    threads, progress: as of `cluster`.
    """
    samples = Samples(X)
    numbers, names = named_clusters("labels", labels)
    given = None if weights is None else weights_of(weights)
    if given is not None and given.size != numbers.size:
        raise ValueError(f"there are {numbers.size} labels and {given.size} weights")
    table = None if neighbors is None else _neighbor_table(neighbors)
    if table is not None and len(table) != numbers.size:
        raise ValueError(f"there are {numbers.size} labels and {len(table)} rows of neighbors")
    options = default_options(
        metric=number_of("metric", METRICS, metric),
        seed=count("seed", seed, bits=64),
        threads=count("threads", threads),
    )
    exemplars = count("exemplars", exemplars)
    handle = Handle(lib.finch_description_free)
    run(
        options,
        progress,
        lib.finch_describe,
        samples.pointer,
        *as_input(numbers),
        None if given is None else given.ctypes.data,
        None if table is None else table.ctypes.data,
        0 if table is None else table.shape[1],
        exemplars,
        byref(options),
        handle.slot,
    )
    clusters = int(lib.finch_description_cluster_count(handle))
    sampled = [lib.finch_description_sampled(handle, cluster) == 1 for cluster in range(clusters)]
    view, double = handle.view, np.float64
    modularities = lib.finch_description_modularities(handle)
    return Description(
        sizes=view(lib.finch_description_sizes(handle), clusters, double),
        means=_means(handle),
        medoids=view(lib.finch_description_medoids(handle), clusters, np.int32),
        exemplars=view(lib.finch_description_exemplars(handle), (clusters, exemplars), np.int32),
        spreads=view(lib.finch_description_spreads(handle), clusters, double),
        silhouettes=view(lib.finch_description_silhouettes(handle), clusters, double),
        modularities=None if modularities is None else view(modularities, clusters, double),
        sampled=np.array(sampled),
        names=names,
        features=columns_of(X),
    )


def _means(handle: Handle) -> Any:
    """The means, which the description lends."""
    means = Matrix()
    lib.finch_description_mean_rows(handle, byref(means))
    if means.element == CSR:
        return lent_rows(handle, means)
    return handle.view(means.data, (means.rows, means.columns), np.float64)


def _neighbor_table(neighbors: ArrayLike) -> NDArray[np.int32]:
    """A row of neighbours for each sample, also where each has one and they are a vector."""
    array = np.asarray(neighbors)
    return table_of("neighbors", array[:, None] if array.ndim == 1 else array, np.int32)
