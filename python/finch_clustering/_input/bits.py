"""Packed bits as samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._c.header import BITS, Matrix
from .._c.options import count


class Bits:
    """Samples of 0 and 1, eight values to a byte, wherever the package takes X.

    packed: N x ceil(d/8) of uint8, as `numpy.packbits(X, axis=1)` makes it: the first value is the highest
        bit of the first byte. Read where it lies.
    n_features: d, by default all bits of a row. Bits behind the last one do not count.

    Under every metric the results are those of the same samples as an array of 0 and 1. What takes no
    sparse matrix takes no bits.

    >>> import numpy as np, finch_clustering as finch
    >>> X = np.random.default_rng(0).random((1000, 100)) < 0.5
    >>> bits = finch.Bits(np.packbits(X, axis=1), X.shape[1])
    >>> finch.cluster(bits, metric="hamming").n_clusters == finch.cluster(X, metric="hamming").n_clusters
    True
    """

    ndim = 2

    def __init__(self, packed: NDArray[np.uint8], n_features: int | None = None) -> None:
        packed = np.asarray(packed)
        if packed.ndim != 2 or packed.dtype != np.uint8:
            raise TypeError(
                f"packed bits are a matrix of uint8, and this has {packed.ndim} dimensions of"
                f" {packed.dtype}: make it with numpy.packbits(X, axis=1)"
            )
        if any(stride == 0 and length > 1 for stride, length in zip(packed.strides, packed.shape)):
            packed = packed.copy()
        features = 8 * packed.shape[1] if n_features is None else count("n_features", n_features)
        if -(-features // 8) != packed.shape[1]:
            raise ValueError(
                f"{features} features take {-(-features // 8)} bytes a row, and there are"
                f" {packed.shape[1]}"
            )
        self.packed = packed
        self.shape = (packed.shape[0], features)
        self.matrix = Matrix(packed.ctypes.data, *self.shape, *packed.strides, BITS)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Bits:
        """Some of the samples: a slice, a mask or an array of numbers."""
        if isinstance(rows, (int, np.integer)):
            raise TypeError(
                f"bits[{rows}] is one sample: give a slice, bits[{rows}:{rows + 1}], or take it of bits.unpacked()"
            )
        return Bits(self.packed[rows], self.shape[1])

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("bits are samples in one piece: take the rows of bits.unpacked(), or slices of bits")

    def __reduce__(self) -> Any:
        return type(self), (np.ascontiguousarray(self.packed), self.shape[1])

    def unpacked(self) -> NDArray[np.uint8]:
        """The samples as an array of 0 and 1: N x d."""
        return np.unpackbits(self.packed, axis=1, count=self.shape[1])

    def __repr__(self) -> str:
        return f"<Bits: {self.shape[0]} samples of {self.shape[1]} features>"
