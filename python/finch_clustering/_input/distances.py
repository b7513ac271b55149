"""Distances of samples from means, or from other samples, by the metrics of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._c.names import BIT_METRICS, METRICS, number_of
from .sparse import is_sparse


def distances_to(
    X: Any, means: Any, metric: str
) -> NDArray[np.float64]:
    """The distance of each row of X to each mean: N x C; of sparse rows under cosine, Hamming and Jaccard."""
    metric = METRICS[number_of("metric", METRICS, metric)]
    if is_sparse(X) and metric in BIT_METRICS:
        return _of_sets(X, means, metric)
    if metric == "cosine":
        products = X @ means.T
        products = products.toarray() if is_sparse(products) else products
        lengths = _lengths(X)[:, None] * _lengths(means)
        return _of_cosines(products, lengths, _are_given(X)[:, None], _are_given(means))
    distances = np.empty((len(X), len(means)))
    for cluster, mean in enumerate(means):
        distances[:, cluster] = _to_mean(X, mean, metric)
    return distances


def distances_of_pairs(
    X: NDArray[Any], others: NDArray[Any], metric: str
) -> NDArray[np.float64]:
    """The distance of each row of X to the row of `others` in its place: N numbers, by a metric of rows that are
    no bits."""
    rows, others = np.asarray(X, np.float64), np.asarray(others, np.float64)
    if metric == "cosine":
        lengths = np.sqrt((rows**2).sum(axis=1)) * np.sqrt((others**2).sum(axis=1))
        products = (rows * others).sum(axis=1)
        return _of_cosines(products, lengths, rows.any(axis=1), others.any(axis=1))
    distances: NDArray[np.float64] = _to_mean(rows, others, metric)
    return distances


def _lengths(X: Any) -> NDArray[np.float64]:
    """The length of each row."""
    if is_sparse(X):
        return np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return np.linalg.norm(X, axis=1)


def _are_given(X: Any) -> NDArray[np.bool_]:
    """True for each row that is not all zeros: squares of tiny values round to 0, sums do not."""
    return np.asarray(abs(X).sum(axis=1)).ravel() > 0


def _of_cosines(
    products: NDArray[np.float64],
    lengths: NDArray[np.float64],
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """The distances of pairs under cosine, by their products, the products of their lengths, and True for each of
    both that is not all zeros. Zero rows are at 0 from each other, and at 2 from all others."""
    cosines = np.where(one == other, 1.0, -1.0)
    # The product of the lengths of tiny rows may round to 0.
    cosines[one & other] = 0
    np.divide(products, lengths, out=cosines, where=lengths > 0)
    return np.clip(1 - cosines, 0, 2)


def _of_sets(X: Any, means: Any, metric: str) -> NDArray[np.float64]:
    """The distance of each sparse row of 0 and 1 to each sparse mean of such rows.

    Of a value x, 0 or 1, and a mean m, 0 to 1, the smaller is xm, so that |x - m| = x + m - 2xm and
    max(x, m) = x + m - xm.
    """
    shared = (X @ means.T).toarray()
    both = np.asarray(X.sum(axis=1)).reshape(-1, 1) + np.asarray(means.sum(axis=1)).reshape(1, -1)
    # Rounding may leave less than nothing.
    differing = np.maximum(both - 2 * shared, 0)
    if metric == "hamming":
        return differing / X.shape[1]
    union = both - shared
    return np.divide(differing, union, out=np.zeros(union.shape), where=union > 0)


def _to_mean(X: NDArray[np.float64], mean: NDArray[np.float64], metric: str) -> Any:
    differences = np.abs(X - mean)
    if metric == "euclidean":
        return np.sqrt((differences**2).sum(axis=1))
    sums = differences.sum(axis=1)
    if metric == "hamming":
        return sums / X.shape[1]
    if metric == "jaccard":
        union = np.maximum(X, mean).sum(axis=1)
        return np.divide(sums, union, out=np.zeros(len(X)), where=union > 0)
    return sums
