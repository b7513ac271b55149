"""Names for clusters that last where the older samples are gone, by the means of the older clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.names import METRIC_ALIASES, METRICS_OF_MEANS, number_of
from .._c.repr import one_line
from .._description import Description
from .._input.arrays import Samples, weights_of
from .._input.bits import Bits
from .._input.labels import by_appearance, cluster_codes, cluster_numbers
from .._input.means import means
from .._input.sparse import is_sparse
from .._model import Model
from .._neighbors import first_neighbors, keys_to_distances, neighbors_between


class ClusterNames(NamedTuple):
    """The means of C clusters, and their names: all that another day's clusters need to get the same names. It can
    be pickled; `numpy.savez(path, **names._asdict())` saves it, too, and `ClusterNames(**numpy.load(path))` loads
    it."""

    __repr__ = one_line

    means: NDArray[np.float64]
    """The mean of each cluster: C x d."""
    sizes: NDArray[np.float64]
    """The number of samples of each cluster when it was last there, or the sum of their weights."""
    names: NDArray[np.int64]
    """The name of each cluster, a number from 0 on."""
    next_name: int
    """The name of the next new cluster: above all names that there have ever been."""
    metric: str = "euclidean"
    """The metric that means are compared by: "euclidean", "cosine" or "manhattan"."""

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        labels: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        metric: str = "euclidean",
    ) -> ClusterNames:
        """The names of clusters of the rows of X, N x d: their labels, integers from 0 on, or -1 for noise.

        >>> ClusterNames.of([[0.0], [2.0], [9.0]], [4, 4, 7]).names
        array([4, 7])
        """
        given = cluster_numbers("labels", labels)
        metric = _by_its_name(metric)
        number_of("metric of means", METRICS_OF_MEANS, metric)
        numbers, found = _clusters_of(given, X, weights)
        assert numbers is not None, "there are labels"
        names = np.empty(len(found.sizes), np.int64)
        names[numbers[given >= 0]] = given[given >= 0]
        return cls(found.means, found.sizes, names, int(given.max(initial=-1)) + 1, metric)


class KeptByMeans(NamedTuple):
    """Clusters named after older clusters, of which the means alone are known."""

    __repr__ = one_line

    labels: NDArray[np.int32] | None
    """The name of each sample's cluster, N numbers; -1 for noise. None where the new clusters came without
    samples."""
    cluster_names: NDArray[np.int64]
    """The name of each new cluster, in the order of their first samples, or of the means that were given."""
    fates: list[str]
    """Of each new cluster, in the same order: "kept" with the name of an old cluster, "appeared" with a new one."""
    vanished: list[int]
    """The names of old clusters that no new cluster has."""
    names: ClusterNames
    """The new clusters and, unless numbers are used again, those that vanished: for the day after."""


def keep_labels_by_means(
    old: ClusterNames | Model | Description | ArrayLike,
    new: ArrayLike | Description,
    X: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    metric: str | None = None,
    reuse_numbers: bool = False,
) -> KeptByMeans:
    """Names the clusters `new` of the rows of X, N x d, after older clusters whose samples are gone: by their means.

    The rule. The name of an old cluster goes to the new cluster whose mean is nearest to the old mean, if the two
    are closer than half of the way from the old mean to the nearest other old mean. So no new cluster could have
    two names, and no name goes to two clusters. Of equally near clusters the largest gets the name, of equally large
    ones the first. A single old mean has no other: there half of the way from the new mean to the nearest other new
    one counts, and two single clusters have one name. All other new clusters get new numbers. Old clusters of
    one mean cannot be told apart by means, and both lose their names.

    old: the older clusters: `KeptByMeans.names` of the day before, or `ClusterNames.of` their samples; a `Model`, by
        its last labelling; a `Description`; or means, C x d. Names of the last three are the numbers of clusters.
    new: the cluster of each row of X, -1 for noise, which has no name; or, without X, a `Description`, of rows in
        shards, say.
    weights: as of `describe`.
    metric: "euclidean", "cosine" (means are compared by the chords of their directions) or "manhattan"; None is the
        metric of `old`, and "euclidean" where it tells none.
    reuse_numbers: True gives new clusters the smallest numbers that no other new cluster has. By default the number
        of a cluster that vanished is never used for another; a cluster that comes back to its mean gets it back.

    Errors: a ValueError where features do not match, or for a metric that means do not have.

    >>> day = np.array([[0.0], [0.2], [5.0], [5.2], [9.0], [9.2]])
    >>> first = keep_labels_by_means([[0.1], [5.1]], [0, 0, 1, 1, 2, 2], day)
    >>> first.labels, first.fates
    (array([0, 0, 1, 1, 2, 2], dtype=int32), ['kept', 'kept', 'appeared'])
    >>> second = keep_labels_by_means(first.names, [0, 0, 1, 1], day[[4, 5, 0, 1]] + 0.1)
    >>> second.labels, second.vanished
    (array([2, 2, 0, 0], dtype=int32), [1])
    """
    before = _names_of(old, metric)
    numbers, found = _clusters_of(new, X, weights)
    if len(before.means) and found.means.shape[1] != before.means.shape[1]:
        raise ValueError(
            f"the new clusters have {found.means.shape[1]} features, and the old ones {before.means.shape[1]}"
        )
    place = _matched(before, found)
    kept = place >= 0
    names = np.where(kept, before.names[place] if len(before.names) else -1, -1)
    appeared = int(np.count_nonzero(~kept))
    if reuse_numbers:
        free = np.setdiff1d(np.arange(len(names)), names[kept])
        names[~kept] = free[:appeared]
        next_name = max(before.next_name, int(names.max(initial=-1)) + 1)
    else:
        names[~kept] = before.next_name + np.arange(appeared)
        next_name = before.next_name + appeared
    gone = np.setdiff1d(np.arange(len(before.names)), place[kept])
    remembered = gone[:0] if reuse_numbers else gone
    after = ClusterNames(
        np.concatenate([found.means, before.means[remembered].reshape(-1, found.means.shape[1])]),
        np.concatenate([found.sizes, before.sizes[remembered]]),
        np.concatenate([names, before.names[remembered]]),
        next_name,
        before.metric,
    )
    labels = None
    if numbers is not None:
        labels = np.append(names, -1)[numbers].astype(np.int32)
    fates = ["kept" if each else "appeared" for each in kept.tolist()]
    return KeptByMeans(labels, names, fates, before.names[gone].tolist(), after)


def _of_array(value: Any) -> Any:
    """The value of an array of no dimensions; any other value as it is."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


class _Found(NamedTuple):
    means: NDArray[np.float64]
    sizes: NDArray[np.float64]


def _by_its_name(metric: Any) -> Any:
    """A metric by the name that it has here, where a caller may have given another; no string stays as it is."""
    return METRIC_ALIASES.get(metric, metric) if isinstance(metric, str) else metric


def _names_of(old: Any, metric: str | None) -> ClusterNames:
    """The older clusters, as a caller has them."""
    if isinstance(old, ClusterNames):
        # numpy.load makes arrays of them.
        old = old._replace(next_name=int(old.next_name), metric=_of_array(old.metric))
    known = _by_its_name(old.metric) if isinstance(old, ClusterNames) else None
    if isinstance(old, Model):
        known = old.hierarchy.metric
        labels = old[-1]
        sizes = np.bincount(labels, old.hierarchy.weights).astype(np.float64)
        centres = old.means(-1)
    elif isinstance(old, (ClusterNames, Description)):
        centres, sizes = _dense(old.means), np.asarray(old.sizes, np.float64)
    else:
        centres = np.asarray(old, np.float64)
        if centres.ndim != 2:
            raise ValueError(f"old has {centres.ndim} dimensions where means take 2, clusters by features")
        sizes = np.ones(len(centres))
    if None not in (metric, known) and _by_its_name(metric) != known:
        raise ValueError(f"metric is {metric!r}, and the old clusters have {known!r}: leave it out")
    chosen = _by_its_name(metric or known or "euclidean")
    number_of("metric of means", METRICS_OF_MEANS, chosen)
    if isinstance(old, ClusterNames):
        return old._replace(means=centres, sizes=sizes, names=np.asarray(old.names, np.int64), metric=chosen)
    return ClusterNames(centres, sizes, np.arange(len(centres)), len(centres), chosen)


def _clusters_of(
    new: Any, X: Any, weights: ArrayLike | None
) -> tuple[NDArray[np.intp] | None, _Found]:
    """The number of each sample's cluster by first appearance, -1 for noise, and the clusters."""
    if isinstance(new, Description):
        if X is not None:
            raise ValueError("new is a description, which has the means: leave X out")
        return None, _Found(_dense(new.means), np.asarray(new.sizes, np.float64))
    if X is None:
        raise ValueError("new are labels, which have no means: give the rows X, or a Description")
    given = cluster_codes("new", new)
    there = given != -1
    numbers = np.full(given.shape, -1, np.intp)
    numbers[there] = by_appearance(given[there])
    count = int(numbers.max(initial=-1)) + 1
    rows = X.tocsr() if is_sparse(X) else Samples(X).array
    if isinstance(rows, Bits):
        raise TypeError("X are packed bits, which have no means of their own: give an array of 0 and 1")
    if rows.shape[0] != given.size:
        raise ValueError(f"there are {given.size} labels, and X has {rows.shape[0]} rows")
    given_weights = None if weights is None else weights_of(weights)
    if given_weights is not None and not (given_weights > 0).all():
        sample = int((given_weights > 0).argmin())
        raise ValueError(
            f"sample {sample} has weight {given_weights[sample]:g}: weights are numbers above 0; leave others out"
        )
    if given_weights is not None and given_weights.size != given.size:
        raise ValueError(f"there are {given.size} labels and {given_weights.size} weights")
    if count == 0:
        return numbers, _Found(np.empty((0, rows.shape[1])), np.empty(0))
    found = _dense(means(rows, numbers, count, given_weights))
    if not np.isfinite(found).all():
        cluster, column = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ValueError(
            f"the mean of column {column} of X is {found[cluster, column]} in cluster {cluster}, by first appearance:"
            " X has NaN or infinity, or weights are 0; remove or impute such rows"
        )
    kept = None if given_weights is None else given_weights[there]
    return numbers, _Found(found, np.bincount(numbers[there], kept, count).astype(np.float64))


def _dense(rows: Any) -> NDArray[np.float64]:
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, np.float64)


def _matched(
    old: ClusterNames, found: _Found
) -> NDArray[np.intp]:
    """The place of the old cluster that each new cluster is named after; -1 for none."""
    new = found.means
    place = np.full(len(new), -1, np.intp)
    if len(new) == 0 or len(old.means) == 0:
        return place
    near = neighbors_between(new, old.means, 1, metric=old.metric)
    nearest, far = near.index[:, 0], near.key[:, 0]
    far = _length(keys_to_distances(np.where(nearest < 0, 0, far), metric=old.metric), old.metric)
    # Balls of these radii about the old means do not meet, so that a new mean is in one at most.
    if len(old.means) > 1:
        radii = _gaps(old.means, old.metric)[nearest] / 2
    elif len(new) > 1:
        radii = _gaps(new, old.metric) / 2
    else:
        radii = np.full(1, np.inf)
    inside = np.flatnonzero((nearest >= 0) & (far < radii))
    order = inside[np.lexsort((inside, -found.sizes[inside], far[inside], nearest[inside]))]
    named, at = np.unique(nearest[order], return_index=True)
    place[order[at]] = named
    return place


def _gaps(points: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """The length from each mean to the nearest other one."""
    found = first_neighbors(points, metric=metric, recall=1.0)
    return np.where(found.index < 0, np.inf, _length(found.distance, metric))


def _length(distance: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """A distance as a length, which is at most the sum of two others: of cosine distances the chords."""
    return np.sqrt(2 * distance) if metric == "cosine" else distance
