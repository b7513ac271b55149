"""Results that are copied, pickled, sliced and shown."""

import copy
import pickle

import finch_clustering as finch
import numpy as np
import pytest

X = np.random.default_rng(0).normal(size=(300, 5))
MADE = {
    "plain": lambda: finch.cluster(X),
    "cosine": lambda: finch.cluster(X.astype(np.float32), metric="cosine", refinable=True),
    "weighted": lambda: finch.cluster(X, weights=np.arange(1, 301)),
    "bounded": lambda: finch.cluster(X, metric="l1", link_bound="joined-pair"),
    "bits": lambda: finch.cluster(X > 0, metric="hamming"),
    "one": lambda: finch.cluster(X[:1]),
    "two": lambda: finch.cluster(X[:2]),
    "distances": lambda: finch.cluster_distances(np.abs(X[:, None] - X).sum(axis=2)),
    "points": lambda: finch.cluster(X[:, :2] / 5, metric="haversine"),
}
PROPERTIES = (
    *("n_samples", "n_features", "n_clusters", "labels", "first_neighbors", "distances", "weights"),
    *("metric", "link_bound", "search", "recall", "explanation", "warnings"),
)


@pytest.mark.filterwarnings("ignore::finch_clustering.FinchWarning")
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_hierarchy_comes_out_of_a_pickle_as_it_was(kind, protocol):
    hierarchy = MADE[kind]()
    again = pickle.loads(pickle.dumps(hierarchy, protocol))
    for name in PROPERTIES:
        np.testing.assert_array_equal(getattr(again, name), getattr(hierarchy, name), name)
    rows = {"distances": None, "points": X[:, :2] / 5, "bits": X > 0}.get(kind, X[: len(again[0])])
    rows = rows.astype(np.float32) if kind == "cosine" else rows
    if kind not in ("one", "two"):
        np.testing.assert_array_equal(again.refine(rows, 5), hierarchy.refine(rows, 5))
        assert again.suggest(rows).n_clusters == hierarchy.suggest(rows).n_clusters
    assert again.tree().newick() == hierarchy.tree().newick()
    assert repr(again) == repr(hierarchy)
    if kind == "plain":
        twice = pickle.loads(pickle.dumps(again))
        more = np.concatenate([X, X[:50] + 0.1])
        np.testing.assert_array_equal(twice.extend(more).labels, hierarchy.extend(more).labels)
        np.testing.assert_array_equal(again.means(0, X), hierarchy.means(0, X))
        np.testing.assert_array_equal(again.outlier_scores(X), hierarchy.outlier_scores(X))
        assert finch.Model(again, X) == finch.Model(hierarchy, X)


def test_a_hierarchy_of_times_says_why_it_has_no_pickle():
    timed = finch.cluster(X, metric="cosine", times=range(300))
    with pytest.raises(TypeError, match="cannot be pickled: .* times.* or keep its .labels"):
        pickle.dumps(timed)
    assert copy.deepcopy(timed).n_clusters == timed.n_clusters


def test_copies_are_what_they_copy():
    hierarchy = finch.cluster(X)
    for result in (hierarchy, hierarchy.tree(), hierarchy.dendrogram(X)):
        assert copy.copy(result) is result and copy.deepcopy([result])[0] is result


@pytest.mark.parametrize("n_clusters", [1, 6])
@pytest.mark.parametrize("linkage", ["neighbor", "centroid", "ward"])
def test_a_dendrogram_comes_out_of_a_pickle_as_it_was(linkage, n_clusters):
    hierarchy = finch.cluster(X)
    made = hierarchy.dendrogram(X, n_clusters, linkage=linkage, from_partition=0)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(made))))
    assert repr(again) == repr(made) and len(again) == len(made)
    np.testing.assert_array_equal(again.merges, made.merges)
    np.testing.assert_array_equal(again.heights, made.heights)
    assert not again.merges.flags.writeable
    for clusters in range(made.n_start - len(made), made.n_start + 1):
        np.testing.assert_array_equal(again.cut(clusters), made.cut(clusters))
    for clusters in (0, made.n_start + 1):
        with pytest.raises(finch.Error) as told:
            made.cut(clusters)
        with pytest.raises(finch.Error, match=str(told.value)) as found:
            again.cut(clusters)
        assert found.value.status == told.value.status
    assert again.tree().newick() == made.tree().newick()
    with pytest.raises(TypeError, match="no tree of samples: pickle the tree itself"):
        again.tree(hierarchy)


def test_a_suggestion_comes_out_of_a_pickle_as_it_was():
    joblib = pytest.importorskip("joblib")
    made = finch.cluster(X).suggest(X)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert type(again) is finch.Suggestion and again.clustered == made.clustered
        assert again.best == made.best and made.best[0] == made.n_clusters
        for one, other in zip(again[:4], made[:4]):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(again.dendrogram.cut(4), made.dendrogram.cut(4))
        np.testing.assert_array_equal(again.dendrogram._scores(), made.scores)
    assert joblib.hash(made.labels) == joblib.hash(pickle.loads(pickle.dumps(made)).labels)
    described = finch.describe(X, made.labels)
    for one, other in zip(pickle.loads(pickle.dumps(described)), described):
        np.testing.assert_array_equal(one, other)


def test_joblib_takes_what_the_library_made(tmp_path):
    joblib = pytest.importorskip("joblib")
    hierarchy = finch.cluster(X)
    joblib.dump([hierarchy, hierarchy.tree(), hierarchy.dendrogram(X)], tmp_path / "all.joblib")
    again, tree, dendrogram = joblib.load(tmp_path / "all.joblib")
    np.testing.assert_array_equal(again.labels, hierarchy.labels)
    np.testing.assert_array_equal(tree.linkage(), hierarchy.tree().linkage())
    np.testing.assert_array_equal(dendrogram.cut(3), hierarchy.dendrogram(X).cut(3))


NAMES = ["a b", "c'd", 'e"f\\', "é,\t\n\r", "_g", "h&i", "j-k.1+", "", "\x01\b\f\x7f", "(;)", "/", "\u2028"]


def trees():
    yield finch.cluster(X).tree()
    yield finch.cluster(X).dendrogram(X).tree()
    yield finch.cluster(X).dendrogram(X, 4, linkage="centroid", from_partition=0).tree()
    for scale in (1e-9, 1e20, 3e14):
        yield finch.cluster(X[:40] * scale).dendrogram(X[:40] * scale, linkage="ward").tree()
    yield finch.cluster(X[:1]).tree()
    yield finch.cluster(X[: len(NAMES)]).tree()
    yield finch.cluster(1.05 ** np.arange(900)[:, None]).tree()


@pytest.mark.parametrize("tree", list(trees()), ids=repr)
def test_a_tree_comes_out_of_a_pickle_with_the_texts_that_it_had(tree):
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(tree))))
    assert (again.n_leaves, again.depth, repr(again)) == (tree.n_leaves, tree.depth, repr(tree))
    np.testing.assert_array_equal(again.linkage(), tree.linkage())
    for names in (None, [NAMES[leaf % len(NAMES)] for leaf in range(tree.n_leaves)]):
        for form in ("newick", "json", "dot"):
            assert getattr(again, form)(names) == getattr(tree, form)(names), form
    for wrong, error in ((["a"] * (tree.n_leaves + 1), finch.Error), ("ab", TypeError)):
        with pytest.raises(error) as told:
            tree.newick(wrong)
        with pytest.raises(error) as found:
            again.newick(wrong)
        assert str(found.value) == str(told.value)


def test_a_hierarchy_slices_as_a_list_does():
    hierarchy = finch.cluster(X)
    labels = list(hierarchy)
    for part in (slice(None), slice(1, None), slice(None, None, -1), slice(-2, None), slice(5, 2)):
        found, expected = hierarchy[part], labels[part]
        assert isinstance(found, list) and len(found) == len(expected)
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(one, other)


def test_results_are_small_tables_in_notebooks():
    large = np.random.default_rng(2).normal(size=(3_000, 4))
    hierarchy = finch.cluster(large)
    cut = hierarchy.suggest(large)
    for result in (hierarchy, hierarchy.tree(), hierarchy.dendrogram(large), cut):
        text = result._repr_html_()
        assert text.startswith("<table>") and text.endswith("</table>") and len(text) < 4_000
        assert "\n" not in repr(result)
        assert "&lt;finch" in text or "samples" in text
    assert f"<td>{hierarchy.n_clusters[0]}</td>" in hierarchy._repr_html_()
    assert "…" in hierarchy.dendrogram(large)._repr_html_()


def test_labels_are_described_by_their_names():
    pandas = pytest.importorskip("pandas")
    numbers = finch.cluster(X).refine(X, 3)
    expected = finch.describe(X, numbers)
    assert expected.names is None
    words = np.array(["ant", "bee", "cat"])[numbers]
    for labels in (words, words.tolist(), words.astype(object), pandas.Series(words)):
        found = finch.describe(X, labels)
        assert found.names == ["ant", "bee", "cat"]
        for one, other in zip(found[:-2], expected[:-2]):
            np.testing.assert_array_equal(one, other)
    categories = pandas.Categorical(words, categories=["unused", "cat", "bee", "ant"])
    for labels in (categories, pandas.Series(categories)):
        found = finch.describe(X, labels)
        assert found.names == ["cat", "bee", "ant"]
        np.testing.assert_array_equal(found.medoids, expected.medoids[::-1])
    found = finch.describe(X, numbers == 1)
    assert found.names == [False, True]
    for wrong, error, message in [
        (pandas.Categorical([None, *words[1:]]), ValueError, "labels has a missing value at sample 0"),
        (numbers + 0.5, ValueError, "labels has 0.5 at sample 0: give whole numbers, strings or categories"),
        (np.array([1, *words[1:]], object), TypeError, "labels has values that have no order"),
        (words[:9], finch.Error, "9"),
    ]:
        with pytest.raises(error, match=message):
            finch.describe(X, wrong)


def test_a_dendrogram_is_cut_at_a_height():
    hierarchy_of = pytest.importorskip("scipy.cluster.hierarchy")
    hierarchy = finch.cluster(X)
    for linkage in ("neighbor", "centroid", "ward"):
        dendrogram = hierarchy.dendrogram(X, linkage=linkage, from_partition=0)
        start, tree = dendrogram.cut(dendrogram.n_start), dendrogram.tree().linkage()
        for again in (dendrogram, pickle.loads(pickle.dumps(dendrogram))):
            finite = dendrogram.heights[np.isfinite(dendrogram.heights)]
            for height in (-1.0, 0.0, *np.quantile(finite, [0.1, 0.5, 0.9]), finite[3], finite.max()):
                labels = again.cut(height=height)
                # Heights of the tree are those of the merges but for last digits where merges fall.
                expected = hierarchy_of.fcluster(tree, height * (1 + 1e-12), "distance")[start]
                assert finch.score(labels, expected).ari == 1
            assert not again.cut(height=np.inf).any()
    for arguments in ({}, {"n_clusters": 3, "height": 1.0}):
        with pytest.raises(TypeError, match="and one of both"):
            dendrogram.cut(**arguments)
    with pytest.raises(ValueError, match="height is NaN"):
        dendrogram.cut(height=np.nan)


def test_levels_are_nested_and_even_in_their_logarithm():
    rows = np.random.default_rng(3).normal(size=(2_000, 4))
    hierarchy = finch.cluster(rows)
    for n in (1, 2, 3, 5, 8, 20):
        levels = hierarchy.levels(n, rows)
        counts = [int(labels.max()) + 1 for labels in levels]
        assert len(levels) == n and counts == sorted(set(counts), reverse=True)
        if n > 1:
            assert (counts[0], counts[-1]) == (hierarchy.n_clusters[0], hierarchy.n_clusters[-1])
        if n == 5:
            steps = np.diff(np.log(counts))
            np.testing.assert_allclose(steps, steps.mean(), rtol=0.1)
        for fine, coarse in zip(levels, levels[1:]):
            assert len(np.unique(np.stack([fine, coarse]), axis=1).T) == fine.max() + 1, "nested"
    np.testing.assert_array_equal(levels[3], hierarchy.refine(rows, counts[3], nested=True))
    few = hierarchy.levels(4, rows, finest=6, coarsest=3)
    assert [int(labels.max()) + 1 for labels in few] == [6, 5, 4, 3]
    distances = finch.cluster_distances(np.abs(X[:, None] - X).sum(axis=2))
    assert len(distances.levels(3)) == 3
    for arguments, message in [
        ({"n": 0}, "n is 0, and there are"),
        ({"n": 5, "finest": 6, "coarsest": 3}, "n is 5, and there are 4 numbers of clusters from 6 to 3"),
        ({"n": 2, "finest": 3, "coarsest": 6}, "finest is 3 and coarsest 6"),
        ({"n": 2, "finest": 2_000}, f"give numbers from {hierarchy.n_clusters[0]}"),
    ]:
        with pytest.raises(ValueError, match=message):
            hierarchy.levels(X=rows, **arguments)


def test_features_of_one_name_have_a_column_each():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X[:, :3], columns=["a", "b", "a"])
    described = finch.describe(table, finch.cluster(table).refine(table, 4))
    frame = described.to_frame()
    assert list(frame.columns) == ["size", "medoid", "spread", "silhouette", "mean a", "mean b", "mean a"]
    np.testing.assert_array_equal(frame.iloc[:, 4:].to_numpy(), described.means)
    assert frame["medoid"].dtype == np.int32


def test_bits_come_out_of_a_pickle_as_they_were():
    bits = finch.Bits(np.packbits(X > 0, axis=1), 5)[::2]
    for again in (pickle.loads(pickle.dumps(bits)), copy.deepcopy(bits), copy.copy(bits)):
        np.testing.assert_array_equal(again.unpacked(), bits.unpacked())
