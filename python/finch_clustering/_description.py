"""The content of each cluster, and how well each sample fits in: outlier scores, noise, membership."""

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
from ._c.options import count, default_options, set_noise
from ._c.repr import one_line
from ._c.run import ProgressCallback, run
from ._c.warnings import warn
from ._input.arrays import Samples, as_input, is_masked, table_of, weights_of
from ._input.calls import Calls
from ._input.frames import columns_of
from ._input.labels import cluster_codes, named_clusters
from ._input.sparse import is_sparse, lent_parts, lent_rows


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

        columns: the names of the d features; by default `features`, or their numbers. Features of one name have a
            column each, and positions tell them apart.

        Errors: a ValueError unless there is one name for each feature.
        """
        from pandas import DataFrame, Index

        means = self.means.toarray() if is_sparse(self.means) else np.asarray(self.means)
        named = list(columns if columns is not None else self.features or range(means.shape[1]))
        if len(named) != means.shape[1]:
            raise ValueError(f"there are {len(named)} columns for {means.shape[1]} features")
        values: list[tuple[str, Any]] = [
            ("size", self.sizes),
            ("medoid", self.medoids),
            ("spread", self.spreads),
            ("silhouette", self.silhouettes),
        ]
        if self.modularities is not None:
            values.append(("modularity", self.modularities))
        values += [(f"mean {name}", column) for name, column in zip(named, means.T)]
        # A dictionary by names would have one column of each name.
        by_position = {place: column for place, (_, column) in enumerate(values)}
        frame = DataFrame(by_position, Index(self.names or range(len(means)), name="cluster"))
        frame.columns = Index([name for name, _ in values])
        return frame


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

    labels: the cluster of each row: whole numbers from 0 to C - 1, each with a row; or strings, categories of
        pandas or True and False, whose clusters are in the order of the values (of ordered or unordered
        categories in theirs, without those that have no row), as `names` tells. The number -1 is noise, also among
        strings, and is not described, as if it were not there.
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
    masked = is_masked(neighbors)
    # A masked neighbour is none.
    array = np.asarray(neighbors.astype(np.int64).filled(-1) if masked else neighbors)
    return table_of("neighbors", array[:, None] if array.ndim == 1 else array, np.int32)


class Membership(NamedTuple):
    """The shares by which each of N samples belongs to each of C clusters: N x C, compressed by rows as in
    SciPy. The arrays are read-only views."""

    __repr__ = one_line

    probabilities: NDArray[np.float64]
    """The share of each sample that is its own cluster's; 0 for noise."""
    indptr: NDArray[Any]
    """Where the entries of each sample begin, and the end of the last: N + 1 numbers."""
    indices: NDArray[Any]
    """The cluster of each entry, rising within a sample."""
    data: NDArray[np.float64]
    """The share of each entry."""
    n_clusters: int
    """The number of clusters, C."""

    @property
    def shares(self) -> Any:
        """The shares as a `csr_array` of SciPy, which has to be installed: N x C."""
        from scipy.sparse import csr_array

        shape = (len(self.probabilities), self.n_clusters)
        shares = csr_array((self.data, self.indices, self.indptr), shape=shape)
        shares.has_canonical_format = True
        return shares


class PerSample(Calls):
    """The part of a `Hierarchy` that says how well each sample fits in."""

    def outlier_scores(
        self,
        X: ArrayLike | None,
        *,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> NDArray[np.float64]:
        """The outlier score of each sample: N numbers, near 0 amid a cluster, and up to 1.

        At 0.5 a sample's nearest neighbours are twice as far as those of the samples in the densest places
        around. Whole weights give the scores of repeated rows. Neighbours are searched, as in `refine`, unless
        the hierarchy was made with refinable=True. X, threads, progress: as of `refine`.
        """
        samples = self._counted(X)
        options = default_options(threads=count("threads", threads))
        scores = np.empty(self.n_samples)
        arguments = (samples.pointer, byref(options), scores.ctypes.data, scores.size)
        self._run(options, progress, lib.finch_hierarchy_outlier_scores, *arguments)
        return scores

    def with_noise(
        self,
        X: ArrayLike | None,
        labels: ArrayLike,
        *,
        min_cluster_size: int | None = None,
        small: str = "noise",
        outliers: float | None = None,
        outlier_threshold: float | None = None,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> NDArray[np.int32]:
        """Labels with noise: the N labels, numbered by first appearance, with -1 for samples that are in no
        cluster. First outliers become noise, then clusters that are left too small.

        labels: those of a partition, of `refine` or of `suggest`, or any others: whole numbers from 0 on, of which
            some may be left out, strings or categories; -1 stays -1.
        min_cluster_size: the least size of a cluster, in samples, or in the sum of their weights.
        small: "noise", or "join": a cluster that is too small, the smallest first, joins the one that most
            links of its samples to their nearest neighbours lead to (those of `membership`), or without
            links the one with the nearest mean.
        outliers: the share of samples that are outliers, those with the largest `outlier_scores`; fewer,
            rather than some alone of equal scores.
        outlier_threshold: the outlier score above which samples are outliers. With both, either makes one.
        X, threads, progress: as of `refine`.

        >>> from finch_clustering import cluster
        >>> X = np.array([[0.0], [0.2], [0.5], [0.9], [1.4], [2.0], [2.7], [50.0], [50.5]])
        >>> hierarchy = cluster(X)
        >>> hierarchy.with_noise(X, hierarchy.refine(X, 2), min_cluster_size=3)
        array([ 0,  0,  0,  0,  0,  0,  0, -1, -1], dtype=int32)
        """
        given = cluster_codes("labels", labels)
        samples = self._samples_of(X)
        options = default_options(threads=count("threads", threads))
        set_noise(options, min_cluster_size, small, outliers, outlier_threshold)
        found = np.empty(given.size, np.int32)
        arguments = (*as_input(given), byref(options), found.ctypes.data, found.size, None)
        self._run(options, progress, lib.finch_hierarchy_noise, samples.pointer, *arguments)
        if found.size and (found == -1).all() and not (given == -1).all():
            warn("every sample is noise now: ask for a smaller size of clusters, or for fewer outliers")
        return found

    def membership(
        self,
        X: ArrayLike | None,
        labels: ArrayLike,
        *,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Membership:
        """Tells how surely each sample belongs to each cluster: the shares of the links from the sample to its
        ceil(log2 N) nearest neighbours (fewer below 1,024 samples) that lead to each.

        labels: those of `describe`: whole numbers from 0 to C - 1, each with a sample, or names; -1 for noise. Links to
            noise do not count. A sample none of whose links lead to a cluster is in its own with 1, and if it
            is noise has no share.
        X, threads, progress: as of `refine`.

        >>> from finch_clustering import cluster
        >>> X = np.array([[0.0], [0.2], [0.5], [0.9], [1.4], [2.0], [2.7], [3.5], [4.4], [5.4], [6.5]])
        >>> cluster(X).membership(X, [0] * 5 + [1] * 6).probabilities[[1, 4, 5, 9]]
        array([1. , 0.5, 0.5, 1. ])
        """
        numbers, _ = named_clusters("labels", labels)
        samples = self._samples_of(X)
        options = default_options(threads=count("threads", threads))
        handle = Handle(lib.finch_membership_free)
        arguments = (samples.pointer, *as_input(numbers), byref(options), handle.slot)
        self._run(options, progress, lib.finch_hierarchy_membership, *arguments)
        shares = Matrix()
        lib.finch_membership_shares(handle, byref(shares))
        indptr, indices, data = lent_parts(handle, shares)
        probabilities = lib.finch_membership_probabilities(handle)
        return Membership(
            handle.view(probabilities, shares.rows, np.float64),
            indptr,
            indices,
            data,
            int(shares.columns),
        )
