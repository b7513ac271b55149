"""Orders of sparse rows, as dense rows have them: rows are compared feature by feature.

Rows are those of SciPy's CSR format, sorted, without repeated columns and zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Values of rows that are made dense at a time.
BLOCK_VALUES = 1 << 22
END_OF_ROW = b"\1"


def plain(X: Any) -> Any:
    """CSR rows that are sorted, without repeated columns and zeros; those that are given, if they are."""
    if X.has_canonical_format and (X.data != 0).all():
        return X
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def sorted_rows(X: Any, weights: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """The order that `order.sorted_rows` finds for the dense rows."""
    sums = _row_sums(X)
    order = np.argsort(sums, kind="stable")
    same = np.diff(sums[order]) == 0
    places = np.flatnonzero(np.append(same, False) | np.append(False, same))
    rows = order[places]
    if weights is not None:
        rows = rows[np.argsort(weights[rows], kind="stable")]
    keys = keys_of(X, rows)
    by_key = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.intp)
    # Tied rows stay in the places of their sum.
    order[places] = rows[by_key[np.argsort(sums[rows[by_key]], kind="stable")]]
    return order


def keys_of(X: Any, rows: ArrayLike) -> list[bytes]:
    """Bytes for each of some rows, which compare as the rows do feature by feature: equal rows have
    equal bytes.

    Where two rows first differ, in the feature i or j, one of them has a value and the other 0, or a value
    of a feature behind. So negative values come before the end of a row, those of the smaller feature
    first; and positive values after it, those of the smaller feature last.
    """
    some = X[np.asarray(rows, np.intp)]
    values = some.data.astype(np.float64)
    negative = values < 0
    entries = np.empty(len(values), [("sign", "u1"), ("feature", ">u8"), ("value", ">u8")])
    features = some.indices.astype(np.uint64)
    entries["sign"] = np.where(negative, 0, 2)
    entries["feature"] = np.where(negative, features, ~features)
    # Bits of floats rise with positive floats, and fall with negative ones.
    bits = values.view(np.uint64)
    entries["value"] = np.where(negative, ~bits, bits)
    text, size = entries.tobytes(), entries.itemsize
    starts = (size * some.indptr.astype(np.int64)).tolist()
    return [text[start:end] + END_OF_ROW for start, end in zip(starts, starts[1:])]


def smallest(X: Any, rows: NDArray[np.intp]) -> int:
    """The smallest of some rows."""
    keys = keys_of(X, rows)
    return int(rows[min(range(len(keys)), key=keys.__getitem__)])


def _row_sums(X: Any) -> NDArray[np.float64]:
    """The sum of each row with its zeros, as NumPy sums a dense row: in pairs."""
    sums = np.empty(X.shape[0])
    block = max(1, BLOCK_VALUES // X.shape[1])
    for start in range(0, X.shape[0], block):
        part = slice(start, start + block)
        sums[part] = X[part].toarray().astype(np.float64, order="C").sum(axis=1)
    return sums
