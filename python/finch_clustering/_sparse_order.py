"""Orders of sparse rows, as dense rows have them: rows are compared feature by feature.

Rows are those of SciPy's CSR format, sorted, without repeated columns and zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Values of rows that are made dense at a time.
BLOCK_VALUES = 1 << 22


def plain(X: Any) -> Any:
    """CSR rows that are sorted, without repeated columns and zeros; those that are given, if they are."""
    if X.has_canonical_format and (X.data != 0).all():
        return X
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def has_equal_rows(X: Any) -> bool:
    """Whether two rows are equal."""
    sums, counts = np.asarray(X.sum(axis=1)).ravel(), np.diff(X.indptr)
    order = np.lexsort((sums, counts))
    same = (np.diff(sums[order]) == 0) & (np.diff(counts[order]) == 0)
    tied = order[np.append(same, False) | np.append(False, same)]
    rows = {tuple(part.tobytes() for part in _row(X, row)) for row in tied}
    return len(rows) < len(tied)


def sorted_rows(X: Any, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.intp], bool]:
    """What `_order.sorted_rows` finds for the dense rows."""
    sums = _row_sums(X)
    order = np.argsort(sums, kind="stable")
    same = np.diff(sums[order]) == 0
    places = np.flatnonzero(np.append(same, False) | np.append(False, same))
    rows = order[places]
    if weights is not None:
        rows = rows[np.argsort(weights[rows], kind="stable")]
    rows = np.array(sorted(rows, key=_by_features(X)), np.intp)
    # Tied rows stay in the places of their sum.
    rows = rows[np.argsort(sums[rows], kind="stable")]
    order[places] = rows
    equal = any(_compared(X, a, b) == 0 for a, b in zip(rows, rows[1:]))
    return order, equal


def smallest(X: Any, rows: Iterable[int]) -> int:
    """The smallest of some rows."""
    return int(min(rows, key=_by_features(X)))


def by_features(X: Any, rows: Iterable[int]) -> list[int]:
    """The places of some rows, from the smallest row to the largest."""
    key, rows = _by_features(X), list(rows)
    return sorted(range(len(rows)), key=lambda place: key(rows[place]))


def _row_sums(X: Any) -> NDArray[np.float64]:
    """The sum of each row with its zeros, as NumPy sums a dense row: in pairs."""
    sums = np.empty(X.shape[0])
    block = max(1, BLOCK_VALUES // X.shape[1])
    for start in range(0, X.shape[0], block):
        part = slice(start, start + block)
        sums[part] = X[part].toarray().astype(np.float64, order="C").sum(axis=1)
    return sums


def _row(X: Any, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
    places = slice(X.indptr[row], X.indptr[row + 1])
    return X.indices[places], X.data[places]


def _by_features(X: Any) -> Any:
    return cmp_to_key(lambda a, b: _compared(X, a, b))


def _compared(X: Any, a: int, b: int) -> int:
    """-1, 0 or 1: whether row a is smaller than row b, equal or larger, by the first feature that
    differs."""
    (features, values), (of_b, values_of_b) = _row(X, a), _row(X, b)
    both = min(len(features), len(of_b))
    differ = (features[:both] != of_b[:both]) | (values[:both] != values_of_b[:both])
    at = int(differ.argmax()) if differ.any() else both
    first = features[at] if at < len(features) else X.shape[1]
    first_of_b = of_b[at] if at < len(of_b) else X.shape[1]
    value = values[at] if at < len(features) and first <= first_of_b else 0
    value_of_b = values_of_b[at] if at < len(of_b) and first_of_b <= first else 0
    return int(value > value_of_b) - int(value < value_of_b)
