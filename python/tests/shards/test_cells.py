"""Cells that overlap: most rows share one with their nearest, and none has more rows than fit."""

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering.shards import _cells
from finch_clustering.shards._cells import Searching


def blobs(rng, rows):
    means = rng.normal(0, 1, (30, 12))
    return means[rng.integers(0, 30, rows)] + rng.normal(0, 0.5, (rows, 12))


def some_cells(X, largest, metric="euclidean", threads=1):
    """Cells of X, what is in them, and which rows share one with their nearest."""
    rng = np.random.default_rng(1)
    searching = Searching(metric, 0.99, 0, threads)
    nearest = finch.first_neighbors(X, metric=metric, search="brute").index
    size = _cells.sample_size(largest, len(X))
    sample = X[np.sort(rng.choice(len(X), min(size, len(X)), replace=False))]
    asked = rng.choice(len(X), 512, replace=False)
    cells = _cells.cells_of(sample, X[asked], X[nearest[asked]], largest, searching)
    inside = (cells.of(X, searching)[:, :, None] == np.arange(cells.number)).any(axis=1)
    return cells, inside, (inside & inside[nearest]).any(axis=1)


@pytest.mark.parametrize(
    ("metric", "dtype"), [("euclidean", "float32"), ("cosine", "uint8"), ("manhattan", "float64")]
)
def test_most_rows_share_a_cell_with_their_nearest(metric, dtype):
    X = blobs(np.random.default_rng(0), 8_000)
    X = (40 * X + 128).clip(0, 255).astype(dtype) if dtype == "uint8" else X.astype(dtype)
    for largest in (0.5, 0.2, 0.06):
        cells, inside, shared = some_cells(X, largest, metric)
        assert cells.leaders.dtype == X.dtype
        assert cells.number >= 1 / largest
        assert inside.any(axis=1).all()
        # Leaders are means of the sample that shares are told by.
        assert inside.mean(axis=0).max() < 1.5 * largest
        assert 2 <= inside.sum(axis=0).min()
        assert shared.mean() > 0.98
        # Far from every row in every cell.
        assert inside.sum() / len(X) < 2.5


def test_cells_and_searches_within_them_share_what_may_be_missed():
    for recall in (0.5, 0.99, 1.0):
        within = Searching("cosine", recall, 7, 2).within_cells()
        # By cells, and by searches within them.
        assert _cells.LOST_TO_CELLS * (1 - recall) + 1 - within.recall == pytest.approx(1 - recall)
        assert within._replace(recall=recall) == Searching("cosine", recall, 7, 2)
    assert within.recall == 1, "an exact search stays exact"


def test_cells_do_not_depend_on_threads():
    X = blobs(np.random.default_rng(2), 4_000).astype(np.float32)
    one, three = (some_cells(X, 0.2, threads=threads)[0] for threads in (1, 3))
    for of_one, of_three in zip(one, three, strict=True):
        np.testing.assert_array_equal(of_one, of_three)


def test_rows_that_are_alike_are_together():
    X = np.ones((3_000, 4))
    cells, inside, shared = some_cells(X, 0.1)
    assert cells.number == 1 and inside.all() and shared.all()
    # Two thirds alike, the others of very different size.
    rng = np.random.default_rng(3)
    X[1_000:] = rng.lognormal(0, 4, (2_000, 4))
    X = rng.permutation(X)
    cells, inside, shared = some_cells(X, 0.2)
    assert cells.number > 2 and shared.mean() > 0.98 and inside.sum(axis=0).min() >= 2
