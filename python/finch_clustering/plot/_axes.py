"""The two principal axes of rows: those of the most variance, without a full decomposition of wide rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SMALL = 200
"""So many rows, or features, are decomposed as a whole, which then takes no longer."""
BLOCK = 4
"""Directions that are tried at a time: twice as many as are wanted, so that three or four axes of about the
same variance do not hold up each other."""
MOST_STEPS = 50
"""Rows are multiplied twice so often, at most: what differs less than is found by then, as axes of noise
do, is nothing that a picture shows."""
CLOSE = 1e-8
"""The search ends where the axes change the rows' products with themselves by no more than this share."""


def main_axes(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The two principal axes of rows of mean 0, 2 x d, and the sum of squares along each."""
    if min(rows.shape) <= SMALL:
        _, spread, axes = np.linalg.svd(rows, full_matrices=False)
        return axes[:2], spread[:2] ** 2
    # Block Lanczos: of all directions that powers of the covariance make of a few random ones, the best.
    start = np.random.default_rng(0).normal(size=(rows.shape[1], BLOCK))
    directions = np.empty((rows.shape[1], 0))
    images = np.empty((len(rows), 0))
    block = _orthonormal(start, directions)
    for _ in range(MOST_STEPS):
        directions = np.hstack([directions, block])
        images = np.hstack([images, rows @ block])
        squares, mixed = np.linalg.eigh(images.T @ images)
        squares, mixed = squares[:-3:-1], mixed[:, :-3:-1]
        axes = directions @ mixed
        if squares[0] == 0:
            break
        rest = rows.T @ (images @ mixed) - axes * squares
        if np.linalg.norm(rest) <= CLOSE * squares[0]:
            break
        block = _orthonormal(rows.T @ images[:, -BLOCK:], directions)
    return axes.T.copy(), squares


def _orthonormal(block: NDArray[Any], directions: NDArray[Any]) -> NDArray[Any]:
    """Directions of a block at right angles to each other and to all directions so far."""
    # Twice: what rounding left the first time is gone.
    for _ in range(2):
        block = np.linalg.qr(block - directions @ (directions.T @ block))[0]
    return block
