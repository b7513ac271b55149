"""Pictures: what they show, and that they can be drawn of anything. They were looked at by eye."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import finch_clustering as finch
import matplotlib.pyplot as plt
from finch_clustering import plot
from finch_clustering._palette import colours


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def rendered(ax):
    """The pixels of the picture."""
    canvas = ax.figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def boxes(ax):
    """Left and right end of each box, by row from the top."""
    return [
        [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in row.get_paths()]
        for row in sorted(ax.collections, key=lambda row: row.get_paths()[0].vertices[:, 1].min())
    ]


def test_icicle_is_a_tree(aggregation):
    X, _ = aggregation
    hierarchy = finch.cluster(X)
    ax = plot.icicle(hierarchy)
    rows = boxes(ax)
    assert [len(row) for row in rows] == hierarchy.n_clusters[::-1]
    for partition, row in enumerate(rows[::-1]):
        widths = sorted(right - left for left, right in row)
        assert widths == sorted(np.bincount(hierarchy[partition]))
    for above, below in zip(rows, rows[1:]):
        ends = {left for left, _ in below} | {right for _, right in below}
        assert {left for left, _ in above} <= ends, "a cluster is below the cluster it is part of"
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["2 clusters", "4 clusters", "16 clusters", "51 clusters", "265 clusters"]
    assert len(np.unique(rendered(ax).reshape(-1, 4), axis=0)) > 10


def test_icicle_takes_labels_and_estimators(aggregation):
    X, _ = aggregation
    hierarchy = finch.cluster(X)
    expected = rendered(plot.icicle(hierarchy, hue=1))
    np.testing.assert_array_equal(rendered(plot.icicle(hierarchy.labels, hue=1)), expected)
    plot.icicle(finch.cluster([[1.0]]))
    for wrong in (hierarchy[0], np.ones((3, 2)), []):
        with pytest.raises(ValueError, match="N x P"):
            plot.icicle(wrong)
    pytest.importorskip("sklearn")
    fitted = finch.FINCH().fit(X)
    expected = rendered(plot.icicle(fitted.partitions_, hue=1))
    np.testing.assert_array_equal(rendered(plot.icicle(fitted, hue=1)), expected)


def test_map(aggregation, mice):
    X, truth = aggregation
    _, given = plt.subplots()
    ax = plot.scatter(X, truth, ax=given)
    assert ax is given
    # Each dot where its sample is, in the colour of its cluster.
    [drawn] = ax.collections
    places, fills = drawn.get_offsets().data.tolist(), drawn.get_facecolors()[:, :3]
    dots = {tuple(place): fill for place, fill in zip(places, fills)}
    for sample in range(0, len(X), 50):
        expected = colours(truth[sample : sample + 1])[0]
        np.testing.assert_allclose(dots[tuple(X[sample].tolist())], expected)
    rendered(ax)
    shown = plot.scatter(mice, finch.cluster(mice)[-1])
    parts = np.linalg.svd(mice - mice.mean(axis=0), compute_uv=False) ** 2
    assert f"{100 * parts[0] / parts.sum():.0f} %" in shown.get_xlabel()
    rendered(shown)


def test_maps_of_odd_data():
    rng = np.random.default_rng(0)
    for X in (
        rng.normal(size=(50, 1)),
        np.ones((50, 5)),
        rng.integers(0, 255, (50, 9), np.uint8),
        rng.normal(size=(30_000, 3)),
    ):
        labels = np.arange(len(X)) % 3 - 1
        rendered(plot.scatter(X, labels))
    rendered(plot.scatter([[0.0, 1.0, 2.0]], [0]))
    with pytest.raises(ValueError, match="labels the shape"):
        plot.scatter(X, labels[:-1])


def test_colours_are_apart():
    fill = colours(np.arange(12))
    assert fill.shape == (12, 3) and (0 <= fill).all() and (fill <= 1).all()
    apart = np.sqrt(((fill[:, None] - fill) ** 2).sum(axis=2)) + np.eye(12)
    assert apart.min() > 0.08
