"""Clusters that stay as a user has named them, while samples are added and all others regroup."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.options import count as count_of
from .._c.repr import one_line
from .._c.run import ProgressCallback
from .._hierarchy import Hierarchy
from .._input.arrays import refuse_masked, sample_numbers
from .._input.labels import cluster_numbers
from .._input.refused import named as a_type
from .overlap import keep_labels


class Regrouped(NamedTuple):
    """Clusters of older and new samples, of which some are named."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each sample: N numbers. Named clusters keep theirs; of the others each keeps that of the old
    cluster that it has most samples of, and else gets a new one."""
    fates: list[str]
    """Of each cluster, by first appearance: see `KeptLabels.fates`."""
    hierarchy: Hierarchy
    """The hierarchy of all samples, which the next call takes."""


def regroup(
    hierarchy: Hierarchy,
    X: ArrayLike | None,
    labels: ArrayLike,
    named: ArrayLike,
    *,
    n_clusters: int | None = None,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Regrouped:
    """Adds samples to clusters of which a user has named some: photos of people, say.

    Samples of a named cluster stay together, and samples of two named ones stay apart. All other samples, old and
    new, join named clusters or make clusters of their own.

    hierarchy: that of the old samples, or of all; it is extended by the new ones.
    X: the N samples, the old ones first; None as in `Hierarchy.refine`, where none are added.
    labels: the cluster of each old sample, integers from 0 on; -1 for samples without a cluster.
    named: the labels of the clusters that stay.
    n_clusters: the number of clusters, named ones with the others. None is the number of named clusters, and one
        for each cluster of the suggestion for all samples, unless most of its old samples are in named clusters.
    threads, progress: as of `cluster`.

    Errors: a ValueError for a name that no sample has, and for fewer clusters than are named; those of
    `Hierarchy.extend` and `Hierarchy.refine`.

    >>> from finch_clustering import cluster
    >>> rng = np.random.default_rng(0)
    >>> photos = np.concatenate([rng.normal(face, 0.3, (30, 2)) for face in ([0, 0], [1.5, 0], [9, 9])])
    >>> hierarchy = cluster(photos)
    >>> labels = np.repeat([7, 4, 5], 30)                   # a user has told the first two apart
    >>> more = np.concatenate([photos, rng.normal([1.5, 0], 0.3, (20, 2)), rng.normal([-9, 9], 0.3, (20, 2))])
    >>> found = regroup(hierarchy, more, labels, named=[7, 4])
    >>> np.array_equal(found.labels[:90], labels), np.bincount(found.labels[90:]), found.fates
    (True, array([ 0,  0,  0,  0, 20,  0,  0,  0, 20]), ['kept', 'grew', 'kept', 'appeared'])
    """
    if not isinstance(hierarchy, Hierarchy):
        raise TypeError(f"hierarchy is {a_type(hierarchy)}: give a Hierarchy first, and then the samples")
    old = cluster_numbers("labels", labels)
    refuse_masked("named", named)
    names = np.unique(sample_numbers("named", np.asarray(named)))
    unknown = np.setdiff1d(names, old[old >= 0])
    if unknown.size:
        raise ValueError(f"named has {unknown[0]}, and no sample is in that cluster")
    rows = hierarchy._samples_of(X)
    count = hierarchy.n_samples if rows.pointer is None else rows.shape[0]
    if old.size > count:
        raise ValueError(f"there are {old.size} labels, and {count} samples")
    if count > hierarchy.n_samples:
        hierarchy = hierarchy.extend(X, refinable=True, threads=threads, progress=progress)
    before = np.concatenate([old, np.full(count - old.size, -1, np.int32)])
    of_named = np.isin(before, names)
    if n_clusters is None:
        suggested = hierarchy.suggest(X, threads=threads, progress=progress).labels
        n_clusters = len(names) + _free(suggested, before, of_named)
    elif count_of("n_clusters", n_clusters) < len(names):
        raise ValueError(f"n_clusters is {n_clusters}, and {len(names)} clusters are named")
    members = [np.flatnonzero(before == name) for name in names]
    chains = [np.stack([rows_[:-1], rows_[1:]], axis=1) for rows_ in members]
    firsts = np.array([rows_[0] for rows_ in members], np.intp)
    pairs = np.stack(np.triu_indices(len(names), 1), axis=1)
    found = hierarchy.refine(
        X,
        max(n_clusters, 1),
        must_link=np.concatenate(chains) if chains else None,
        cannot_link=firsts[pairs] if len(names) > 1 else None,
        threads=threads,
        progress=progress,
    )
    fates = keep_labels(before, found).fates
    return Regrouped(_named(found, before, of_named), fates, hierarchy)


def _free(suggested: NDArray[np.int32], before: NDArray[np.int32], of_named: NDArray[np.bool_]) -> int:
    """The number of suggested clusters most of whose old samples, if they have some, are in no named cluster."""
    clusters = int(suggested.max()) + 1
    inside = np.bincount(suggested[of_named], minlength=clusters)
    outside = np.bincount(suggested[~of_named & (before >= 0)], minlength=clusters)
    return int(np.count_nonzero((inside == 0) | (inside < outside)))


def _named(
    found: NDArray[np.int32], before: NDArray[np.int32], of_named: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """The names of clusters: those of named clusters first, then by common samples, then new numbers."""
    names = np.full(int(found.max()) + 1, -1, np.int64)
    names[found[of_named]] = before[of_named]
    rest = names[found] < 0
    old = np.where(rest & ~of_named, before, -1)
    kept = keep_labels(old, np.where(rest, found, -1)).labels
    # Names of `keep_labels` are numbers of old clusters by first appearance; beyond them come the new ones.
    values, first = np.unique(old[old >= 0], return_index=True)
    known = values[np.argsort(first)]
    next_name = int(before.max(initial=-1)) + 1
    appeared = next_name + np.arange(max(0, int(kept.max(initial=-1)) + 1 - len(known)))
    # The last stands for the clusters that are named already.
    numbers = np.concatenate([known, appeared, [-1]])
    return np.where(rest, numbers[kept], names[found]).astype(np.int32)
