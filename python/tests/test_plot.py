"""Pictures: what they show, and that they can be drawn of anything. They were looked at by eye."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import finch_clustering as finch
import matplotlib.colors
import matplotlib.pyplot as plt
from finch_clustering import plot
from finch_clustering.plot._palette import colours


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
    with pytest.raises(TypeError, match="partitions.hierarchy"):
        plot.icicle(finch.Model(hierarchy, X))
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
    with pytest.raises(ValueError, match="and there are 29999 labels"):
        plot.scatter(X, labels[:-1])


def test_colours_are_apart():
    fill = colours(np.arange(12))
    assert fill.shape == (12, 3) and (0 <= fill).all() and (fill <= 1).all()
    apart = np.sqrt(((fill[:, None] - fill) ** 2).sum(axis=2)) + np.eye(12)
    assert apart.min() > 0.08


def test_suggestion(aggregation):
    X, _ = aggregation
    found = finch.cluster(X).suggest(X)
    ax = plot.suggestion(found)
    drawn = [line.get_xydata() for line in ax.lines]
    np.testing.assert_array_equal(drawn[0][:, 1], found.scores)
    assert drawn[1].tolist() == [[found.n_clusters, found.scores[found.n_clusters - 2]]]
    assert ax.get_title(loc="left") == f"{found.n_clusters} clusters suggested"
    rendered(ax)
    for X in ([[1.0]], [[1.0], [2.0]], np.ones((9, 2))):
        rendered(plot.suggestion(finch.cluster(X).suggest(X)))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_silhouettes(aggregation, mice, metric):
    for X in (aggregation[0] + 1.0, mice, mice.astype(np.float32)):
        labels = finch.cluster(X, metric=metric)[-1]
        ax = plot.silhouettes(X, labels, metric=metric)
        values = plot.silhouettes_of(X, labels, metric)
        expected = finch.describe(X, labels, metric=metric).silhouettes
        means = np.bincount(labels, values) / np.bincount(labels)
        np.testing.assert_allclose(means, expected, atol=1e-6)
        assert ax.get_title(loc="left") == f"mean {values.mean():.2f}"
        # A line for each sample.
        lengths = [
            right for drawn in ax.collections for right in drawn.get_paths()[0].vertices[:, 0]
        ]
        assert {round(v, 6) for v in values.tolist()} <= {round(v, 6) for v in lengths} | {0.0}
        rendered(ax)


def test_silhouettes_of_odd_data():
    for X in (np.ones((50, 5)), np.arange(50.0)[:, None], np.zeros((1, 1))):
        for labels in (np.zeros(len(X), int), np.arange(len(X)), np.arange(len(X)) % 3 - (len(X) > 1)):
            rendered(plot.silhouettes(X, labels, metric="cosine"))
    with pytest.raises(ValueError, match="1 labels"):
        plot.silhouettes(np.ones((3, 1)), [0])
    with pytest.raises(ValueError, match="no metric 'l3'"):
        plot.silhouettes(np.ones((3, 1)), [0, 1, 1], metric="l3")


def test_silhouettes_take_other_names_of_metrics():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for name, metric in (("l1", "manhattan"), ("l2", "euclidean"), ("minkowski", "euclidean")):
        found = plot.silhouettes_of(X, np.arange(40) % 3, name)
        np.testing.assert_array_equal(found, plot.silhouettes_of(X, np.arange(40) % 3, metric))


def test_dendrogram(aggregation):
    pytest.importorskip("scipy")
    X, _ = aggregation
    hierarchy = finch.cluster(X)
    found = hierarchy.suggest(X)
    of_samples = found.dendrogram.tree(hierarchy)
    for tree in (found, hierarchy, found.dendrogram, of_samples):
        ax = plot.dendrogram(tree, n_clusters=4, leaves=30)
        assert len(ax.get_xticklabels()) == 30
        rendered(ax)
    # Nodes below a cluster have its colour, as the map does.
    fills = plot._branch_colours(of_samples.linkage(), found.n_clusters)
    expected = [matplotlib.colors.to_hex(fill) for fill in colours(found.labels)]
    assert fills[: len(X)] == expected
    assert set(fills[-(found.n_clusters - 1) :]) == {plot.INK}
    few = finch.cluster(X[::100])
    names = [f"point {i}" for i in range(8)]
    texts = [text.get_text() for text in plot.dendrogram(few, names=names).get_xticklabels()]
    assert sorted(texts) == names
    with pytest.raises(ValueError, match="one leaf"):
        plot.dendrogram(finch.cluster([[1.0]]))
    chain = finch.cluster(np.cumsum(1 + np.arange(5_000) / 5_000)[:, None])
    rendered(plot.dendrogram(chain))


def test_main_axes_of_wide_rows_are_those_of_a_full_decomposition():
    from finch_clustering.plot._axes import main_axes

    rng = np.random.default_rng(7)
    blobs = rng.normal(size=(400, 600)) + 2 * rng.normal(size=(5, 600))[rng.integers(5, size=400)]
    for rows in (blobs, rng.normal(size=(300, 260)), rng.normal(size=(260, 300)) ** 3):
        rows = rows - rows.mean(axis=0)
        axes, squares = main_axes(rows)
        _, spread, expected = np.linalg.svd(rows, full_matrices=False)
        np.testing.assert_allclose(squares, spread[:2] ** 2, rtol=1e-6)
        np.testing.assert_allclose(np.abs((axes * expected[:2]).sum(axis=1)), 1, atol=1e-5)
        np.testing.assert_array_equal(axes, main_axes(rows)[0])
    one = np.outer(rng.normal(size=300), rng.normal(size=400))
    axes, squares = main_axes(one)
    assert squares[1] < 1e-9 * squares[0] and np.isfinite(axes).all()
    assert np.isfinite(main_axes(np.zeros((300, 300)))[0]).all()


def test_what_cannot_be_drawn_says_what_can():
    X = np.random.default_rng(0).normal(size=(90, 2))
    hierarchy = finch.cluster(X)
    for call, error, message in (
        (lambda: plot.suggestion(hierarchy), TypeError, r"found is a Hierarchy: .* found.suggest\(X\)$"),
        (lambda: plot.suggestion(X), TypeError, "found is an array: give a Suggestion"),
        (lambda: plot.dendrogram(X), TypeError, "tree is an array: give a Tree"),
        (lambda: plot.scatter(X, hierarchy.suggest(X)), TypeError, "labels is a Suggestion: .* labels.labels$"),
        (lambda: plot.silhouettes(X, hierarchy.suggest(X)), TypeError, "labels is a Suggestion: .* labels.labels$"),
        (lambda: plot.scatter(X, hierarchy[0], size=-1), ValueError, "size is -1: give a number above 0"),
        (lambda: plot.scatter(X, hierarchy[0][1:]), ValueError, "X has 90 rows, and there are 89 labels"),
        (lambda: plot.icicle(hierarchy, hue=9), IndexError, "hue is 9, and there are"),
        (lambda: plot.icicle(hierarchy, hue=0.5), TypeError, "hue is 0.5, a float: give a whole number"),
        (lambda: plot.dendrogram(hierarchy, leaves=1), ValueError, "leaves is 1: give a number from 2 on"),
        (lambda: plot.dendrogram(hierarchy, n_clusters=0), ValueError, "n_clusters is 0: give a number from 1 to 90"),
        (lambda: plot.dendrogram(hierarchy, names=["a"]), ValueError, "there are 1 names, and the tree has 90 leaves"),
    ):
        with pytest.raises(error, match=message):
            call()
    pytest.importorskip("sklearn")
    with pytest.raises(TypeError, match="tree is a FINCH: give its hierarchy, tree.model_.hierarchy"):
        plot.dendrogram(finch.FINCH().fit(X))


def test_single_leaves_of_a_larger_tree_keep_their_names():
    X = np.concatenate([np.random.default_rng(0).normal(size=(90, 2)), [[500.0, 0.0]]])
    names = [f"point {i}" for i in range(91)]
    texts = [text.get_text() for text in plot.dendrogram(finch.cluster(X), names=names, leaves=80).get_xticklabels()]
    single = {text for text in texts if not text.startswith("(")}
    assert single and single <= set(names)


def test_axes_of_a_map_have_the_names_of_columns():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["height", "weight"])
    ax = plot.scatter(table, np.zeros(30, int))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    assert plot.scatter(table[["weight"]], np.zeros(30, int)).get_xlabel() == "weight"
    assert plot.scatter(table.to_numpy(), np.zeros(30, int)).get_ylabel() == "feature 1"
