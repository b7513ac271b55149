"""Names for clusters that last when samples are added."""

from __future__ import annotations

from ctypes import byref, c_size_t
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.errors import check
from .._c.library import lib
from .._c.names import FATES, name_of
from .._c.repr import one_line
from .._input.arrays import as_input
from .._input.labels import cluster_codes


class KeptLabels(NamedTuple):
    """Clusters named after older clusters."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The name of each sample's cluster: below the number of old clusters that of an old cluster,
    from there on a new name; -1 for noise."""
    fates: list[str]
    """Of each new cluster, by first appearance: "kept", all samples of one old cluster and no
    others; "grew", all samples of one old cluster, and new samples; "merged", samples of two or more
    old clusters; "split", some samples of one old cluster; "appeared", new samples alone."""


def keep_labels(old: ArrayLike, new: ArrayLike) -> KeptLabels:
    """Names the clusters `new` of N samples after the clusters `old` of the first of these samples:
    a new cluster gets the name of the old cluster that it has most samples of.

    The names of old clusters are their numbers by first appearance, as finch numbers labels. -1 is noise,
    which has no name: it stays -1, and a sample that was noise counts as a new one.

    >>> keep_labels([0, 0, 1, 1], [0, 0, 1, 1, 2, 1])
    KeptLabels(labels=array([0, 0, 1, 1, 2, 1], dtype=int32), fates=['kept', 'grew', 'appeared'])
    """
    before, after = cluster_codes("old", old), cluster_codes("new", new)
    labels, fates = np.empty(after.size, np.int32), np.empty(after.size, np.int32)
    clusters = c_size_t()
    check(
        lib.finch_keep_labels(
            *as_input(before),
            *as_input(after),
            labels.ctypes.data,
            labels.size,
            fates.ctypes.data,
            fates.size,
            byref(clusters),
        )
    )
    return KeptLabels(labels, [name_of(FATES, int(fate)) for fate in fates[: clusters.value]])
