"""Scores: how well clusters agree with known classes."""

from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ._c import header as _header
from ._c.errors import check
from ._c.library import lib
from ._input.arrays import weights_of
from ._input.labels import codes


@dataclass(frozen=True)
class Scores:
    """Agreement of clusters with known classes, as fractions: 1 is full agreement."""

    nmi: float
    """Normalised mutual information, by the geometric mean of entropies, as in the paper."""
    nmi_arithmetic: float
    """Normalised mutual information, by the arithmetic mean of entropies, as in scikit-learn."""
    accuracy: float
    """ACC: the share of samples that the best one-to-one matching of clusters and classes gets right. NaN
    if the matching would take more than some seconds: for millions of samples in tens of thousands of
    clusters that have nothing to do with as many classes."""
    purity: float
    """The share of samples in the largest class of their cluster."""
    ari: float
    """The adjusted Rand index: 0 for agreement by chance, and below 0 for less."""
    pairwise_precision: float
    """Of the pairs of samples that share a cluster, the part that shares a class."""
    pairwise_recall: float
    """Of the pairs of samples that share a class, the part that shares a cluster."""
    pairwise_f: float
    """The harmonic mean of pairwise precision and recall."""
    bcubed_precision: float
    bcubed_recall: float
    bcubed_f: float
    noise: float = 0.0
    """The share of samples, or of their weight, whose label is -1: the other measures leave them out."""


def score(labels: ArrayLike, truth: ArrayLike, *, weights: ArrayLike | None = None) -> Scores:
    """Compares the clusters of N samples with their known classes.

    Both are N integers, strings or other values that can be sorted. Samples whose label is the number -1 are
    noise, and left out: `Scores.noise` is their share, without which the other scores say little. `weights` are how many equal
    samples each one stands for, N numbers above 0, as in `cluster`; a pair of samples counts by the
    product of its two weights.

    >>> score([0, 0, 1, 1], ["a", "a", "b", "a"]).purity
    0.75
    """
    first, second = codes("labels", labels), codes("truth", truth)
    if first.size != second.size:
        raise ValueError(f"there are {first.size} labels and {second.size} in truth")
    scores = _header.Scores()
    arrays, function = [first, second], lib.finch_score
    if weights is not None:
        arrays.append(weights_of(weights))
        function = lib.finch_score_weighted
        if arrays[2].size != first.size:
            raise ValueError(f"there are {first.size} labels and {arrays[2].size} weights")
    pointers = [array.ctypes.data for array in arrays]
    check(function(*pointers, first.size, byref(scores), ctypes.sizeof(scores)))
    return Scores(**{name: getattr(scores, name) for name in Scores.__dataclass_fields__})
