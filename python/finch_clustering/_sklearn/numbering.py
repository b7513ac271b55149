"""Numbers for clusters that the order of the samples does not show in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._input.sparse import is_sparse
from . import sparse_order as _sparse_order


def by_size(
    labels: NDArray[np.int32], X: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> NDArray[np.int32]:
    """The labels with clusters numbered from the largest to the smallest; of equally large ones, the
    one with the smallest row of X comes first, rows being compared feature by feature."""
    sizes = np.bincount(labels, weights)
    if is_sparse(X):
        return _ranks(_order_by_sparse_rows(labels, X, sizes))[labels]
    rows = X[_smallest_rows(labels, X)]
    # The last key of lexsort counts first.
    order = np.lexsort((*rows.T[::-1], -sizes))
    return _ranks(order)[labels]


def by_size_without_noise(
    labels: NDArray[np.int32], X: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> NDArray[np.int32]:
    """`by_size` of the samples that are in a cluster; -1 stays -1."""
    kept = labels >= 0
    if kept.all():
        return by_size(labels, X, weights)
    found = np.full(len(labels), -1, np.int32)
    if kept.any():
        weights = None if weights is None else weights[kept]
        found[kept] = by_size(labels[kept], X[kept], weights)
    return found


def _ranks(order: NDArray[np.intp]) -> NDArray[np.int32]:
    """The place of each number in an order."""
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def _order_by_sparse_rows(
    labels: NDArray[np.int32], X: Any, sizes: NDArray[Any]
) -> NDArray[np.intp]:
    """The clusters from the largest to the smallest; of equally large ones, by their smallest rows."""
    order = np.argsort(-sizes, kind="stable")
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    starts = np.flatnonzero(np.diff(sizes[order], prepend=np.nan) != 0)
    for start, end in zip(starts, np.append(starts[1:], len(order))):
        if end - start > 1:
            clusters = order[start:end]
            rows = [_sparse_order.smallest(X, members[cluster]) for cluster in clusters]
            keys = _sparse_order.keys_of(X, rows)
            order[start:end] = clusters[sorted(range(len(keys)), key=keys.__getitem__)]
    return order


def _smallest_rows(labels: NDArray[np.int32], X: NDArray[Any]) -> NDArray[np.intp]:
    """The number of each cluster's smallest row, compared feature by feature."""
    left = np.argsort(labels, kind="stable")
    for feature in range(X.shape[1]):
        # Where each cluster's candidates begin.
        starts = np.flatnonzero(np.diff(labels[left], prepend=-1))
        if len(starts) == len(left):
            break
        values = X[left, feature]
        smallest = np.minimum.reduceat(values, starts)
        counts = np.diff(starts, append=len(left))
        left = left[values == np.repeat(smallest, counts)]
    return left[np.flatnonzero(np.diff(labels[left], prepend=-1))]
