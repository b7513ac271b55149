"""The mean of each cluster, of rows as arrays or sparse. SciPy is imported for sparse rows alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sparse import is_sparse


def means(
    X: NDArray[Any],
    labels: NDArray[np.int32],
    clusters: int,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The mean of each cluster, summed in float64. Rows of label -1 are in none."""
    kept = labels >= 0
    if not kept.all():
        X, labels = X[kept], labels[kept]
        weights = None if weights is None else weights[kept]
    if is_sparse(X):
        return _sparse_means(X, labels, clusters, weights)
    weighted = X.T if weights is None else (column * weights for column in X.T)
    sums = [np.bincount(labels, column, clusters) for column in weighted]
    return np.stack(sums, axis=1) / np.bincount(labels, weights, clusters)[:, None]


def _sparse_means(
    X: Any,
    labels: NDArray[np.int32],
    clusters: int,
    weights: NDArray[np.float64] | None,
) -> Any:
    """The means of sparse rows, sparse, each summed in the order of the rows."""
    from scipy.sparse import csr_array

    counts = np.diff(X.indptr)
    rows = np.repeat(labels.astype(np.int64), counts)
    values = X.data.astype(np.float64)
    if weights is not None:
        values = values * np.repeat(weights, counts)
    entries, numbers = np.unique(rows * X.shape[1] + X.indices, return_inverse=True)
    sums = np.bincount(numbers.ravel(), values, len(entries))
    rows, columns = np.divmod(entries, X.shape[1])
    means = sums / np.bincount(labels, weights, clusters)[rows]
    # The library counts features in 32 bits, and scikit-learn's Manhattan distances take no others.
    places = (rows.astype(np.int32), columns.astype(np.int32))
    return csr_array((means, places), shape=(clusters, X.shape[1]))
