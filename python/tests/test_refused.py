"""Objects that are no samples or no distances, refused at once with the way out; and distances that are
rounded, which are not."""

import sys

import numpy as np
import pytest

import finch_clustering as finch

X = np.random.default_rng(0).normal(size=(40, 3))
D = np.abs(X[:, None] - X).sum(axis=2)


class Annotated:
    """What the package takes an AnnData to be; iterating it takes long."""

    obs_names = ["cell"] * 40

    def __init__(self, with_matrix=True):
        self.X = X if with_matrix else None
        self.obsm = {"X_pca": X}

    def __iter__(self):
        raise AssertionError("nobody iterates")

    __array__ = __iter__


class Bunch(dict):
    pass


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        (None, TypeError, "X is None"),
        ("X.csv", TypeError, "X is a str: read the file first"),
        ({"a": X}, TypeError, r"X is a dict: give one of its values, such as X\['a'\]"),
        (Bunch(data=X, target=X[:, 0]), TypeError, r"give its matrix, X\['data'\]"),
        ((X, X[:, 0]), TypeError, r"X is a tuple: .* X\[0\]"),
        ((row for row in X), TypeError, r"X is a generator: .* list\(X\)"),
        ({1, 2}, TypeError, "X is a set"),
        (Annotated(), TypeError, r"X is an Annotated: .* X.obsm\['X_pca'\] or X.X"),
        (Annotated(False), TypeError, r"such as X.obsm\['X_pca'\]$"),
        (X[:, 0], ValueError, r"X has 1 dimension .* X.reshape\(-1, 1\)"),
        (X.reshape(10, 4, 3), ValueError, r"X has 3 dimensions .* X.reshape\(len\(X\), -1\)"),
        (7, TypeError, "X is an int: give a matrix"),
        (lambda: X, TypeError, "X is a function"),
    ],
)
def test_what_is_no_matrix_names_its_type_and_the_way_out(samples, error, message):
    with pytest.raises(error, match=message):
        finch.cluster(samples)
    with pytest.raises(error, match=message):
        finch.first_neighbors(samples)


def test_rows_of_several_lengths_are_told():
    with pytest.raises(ValueError, match="X has 2 values in row 0, and 1 values in row 2"):
        finch.cluster([[1, 2], [3, 4], [5]])
    rows = np.empty(40, object)
    rows[:] = list(X)
    with pytest.raises(ValueError, match=r"numpy.stack\(X\)"):
        finch.cluster(rows)


def test_tables_of_one_column_and_of_anndata():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"X.to_frame\(\)"):
        finch.cluster(pandas.Series(X[:, 0]))
    anndata = pytest.importorskip("anndata")
    annotated = anndata.AnnData(X)
    annotated.obsm["X_pca"] = X
    with pytest.raises(TypeError, match=r"X is an AnnData: .* X.obsm\['X_pca'\] or X.X"):
        finch.cluster(annotated)
    assert finch.cluster(annotated.X).n_samples == 40


def test_the_estimator_refuses_the_same():
    pytest.importorskip("sklearn")
    for samples, message in [
        (Annotated(), "X is an Annotated"),
        ({"a": X}, "X is a dict"),
        (None, "X is None"),
    ]:
        with pytest.raises(TypeError, match=message):
            finch.FINCH().fit(samples)


def test_metrics_of_other_programs_say_what_is_the_same_here():
    with pytest.raises(TypeError, match="metric is a function: .*cluster_distances"):
        finch.describe(X, np.zeros(40, int), metric=lambda x, y: 0)
    with pytest.raises(TypeError, match="metric is 2: give one of"):
        finch.cluster(X, metric=2)
    for metric, message in [
        ("precomputed", "cluster_distances"),
        ("angular", "'cosine' finds the same neighbours"),
    ]:
        with pytest.raises(ValueError, match=f"there is no metric '{metric}' here: .*{message}"):
            finch.cluster(X, metric=metric)


@pytest.mark.parametrize(
    ("distances", "error", "message"),
    [
        (None, TypeError, "D is None"),
        ({"D": D}, TypeError, "D is a dict"),
        (X, ValueError, r"D has the shape \(40, 3\): .* samples by features to cluster"),
        (D[np.triu_indices(40, 1)], ValueError, r"scipy.spatial.distance.squareform\(D\)"),
        (1 - D / 99, ValueError, "these are similarities; give distances, such as 1 - s"),
        (D + 0.5 * np.eye(40), ValueError, "set the diagonal to 0"),
        (D + np.triu(D) / 9, ValueError, "take the mean of the matrix and its transpose"),
    ],
)
def test_what_is_no_distance_matrix_says_the_way_out(distances, error, message):
    with pytest.raises(error, match=message):
        finch.cluster_distances(distances)


def test_sparse_distances_are_no_distances_of_all_pairs():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"D.toarray\(\) .* cluster_neighbors"):
        finch.cluster_distances(sparse.csr_array(D))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_distances_are_rounded_as_their_type_is(dtype):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    exact = 1 - unit @ unit.T
    exact = (exact + exact.T) / 2
    np.fill_diagonal(exact, 0)
    rounding = np.finfo(dtype).eps
    noise = np.random.default_rng(1).uniform(-rounding, rounding, exact.shape)
    rounded = (np.maximum(exact, 0) + noise).astype(dtype)
    assert (rounded.diagonal() != 0).any() and (rounded != rounded.T).any()
    evened = rounded.astype(float)
    evened = np.maximum((evened + evened.T) / 2, 0)
    np.fill_diagonal(evened, 0)
    for found, expected in zip(finch.cluster_distances(rounded), finch.cluster_distances(evened)):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="differs|not 0"):
        finch.cluster_distances((rounded + 2e4 * noise).astype(dtype))


def test_a_distance_that_rounding_left_below_0_bounds_no_links():
    points = np.random.default_rng(3).normal(size=(34, 3))
    points[1] = points[2] = points[0]
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    expected = finch.cluster_distances(distances, link_bound="joined-pair")
    assert len(expected) > 1
    distances[1, 2] = distances[2, 1] = -1e-15
    found = finch.cluster_distances(distances, link_bound="joined-pair")
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_results_are_one_line_however_many_samples():
    large = np.random.default_rng(2).normal(size=(3_000, 4))
    hierarchy = finch.cluster(large)
    found = hierarchy.suggest(large)
    model = finch.Model(hierarchy, large)
    for result in [
        hierarchy,
        hierarchy.tree(),
        hierarchy.dendrogram(large),
        found,
        model,
        model.predict(large),
        finch.describe(large, found.labels),
        finch.first_neighbors(large),
        finch.nearest_neighbors(large, 3),
        finch.keep_labels(found.labels[:50], found.labels),
        finch.score(found.labels, found.labels),
    ]:
        text = repr(result)
        assert "\n" not in text and len(text) < 450, text
        assert type(result).__name__ in text
    assert f"n_clusters={found.n_clusters}" in repr(found)


def test_a_chain_says_how_deep_it_is():
    chain = finch.cluster(1.05 ** np.arange(900)[:, None]).tree()
    line = finch.cluster(np.arange(5_000.0)[:, None]).tree()
    assert (chain.depth, line.depth) == (899, 4_999)
    for tree in (chain, line):
        depths = np.zeros(2 * tree.n_leaves - 1, int)
        for join, (a, b) in enumerate(tree.linkage()[:, :2].astype(int)):
            depths[tree.n_leaves + join] = 1 + max(depths[a], depths[b])
        assert depths[-1] == tree.depth
        assert tree.json().count("children") == tree.n_leaves - 1
    assert finch.cluster([[1.0]]).tree().depth == 0
    assert line.depth > sys.getrecursionlimit(), "json.loads would refuse it"


def test_options_that_equal_sound_ones_are_refused_by_their_type():
    """Options of earlier calls are kept, and 1.0 equals 1."""
    X = np.eye(4)
    finch.cluster(X, threads=1, seed=0)
    for options in ({"threads": 1.0}, {"threads": 1, "seed": 0.0}, {"threads": [1]}):
        with pytest.raises(TypeError, match="give a whole number") as refused:
            finch.cluster(X, **options)
        assert refused.value.__context__ is None
    with pytest.raises(TypeError, match="metric is .'cosine'.: give one of"):
        finch.cluster(X, metric=["cosine"])


def test_rows_that_may_not_be_written_to_are_read_where_they_lie():
    X = np.random.default_rng(0).normal(size=(40, 3))
    labels = finch.cluster(X).labels
    X.flags.writeable = False
    np.testing.assert_array_equal(finch.cluster(X).labels, labels)


@pytest.mark.parametrize("number", ["1", b"1", True, np.True_])
def test_texts_and_truth_values_are_no_numbers(number):
    calls = {
        "time_limit": lambda: finch.cluster(X, time_limit=number),
        "recall": lambda: finch.first_neighbors(X, recall=number),
        "threads": lambda: finch.cluster(X, threads=number),
        "seed": lambda: finch.describe(X, np.zeros(len(X), int), seed=number),
        "outliers": lambda: finch.cluster(X).with_noise(X, np.zeros(len(X), int), outliers=number),
        "n_clusters": lambda: finch.cluster(X).refine(X, number),
        "height": lambda: finch.cluster(X).dendrogram(X).cut(height=number),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name} is .* a {type(number).__name__}: give a"):
            call()


def test_methods_without_the_samples_ask_for_them():
    hierarchy = finch.cluster(X)
    labels = hierarchy[0]
    for call in (
        lambda: hierarchy.levels(2),
        lambda: hierarchy.refine(None, 3),
        lambda: hierarchy.refine_explained(None, 3),
        lambda: hierarchy.suggest(None),
        lambda: hierarchy.dendrogram(None),
        lambda: hierarchy.membership(None, labels),
        lambda: hierarchy.with_noise(None, labels, outliers=0.1),
        lambda: hierarchy.outlier_scores(None),
        lambda: finch.regroup(hierarchy, None, labels, [0]),
        lambda: finch.Model(hierarchy, None),
        lambda: finch.cluster(X[:, :2] / 9, metric="haversine").refine(None, 3),
    ):
        with pytest.raises(TypeError, match="^X is None: give the samples that were clustered$"):
            call()


def test_hierarchies_of_distances_have_no_features():
    for hierarchy in (finch.cluster_distances(D), finch.cluster_neighbors(np.argsort(D)[:, :5], np.sort(D)[:, :5])):
        with pytest.raises(ValueError, match="this hierarchy was made from distances or neighbours alone"):
            hierarchy.extend(D)
        assert "features" not in hierarchy._repr_html_()
    points = finch.cluster(X[:, :2] / 9, metric="haversine")
    assert points.n_features == 2 and "of 2 features, haversine" in points._repr_html_()


def test_neighbour_linkage_of_times_is_refused():
    timed = finch.cluster(X, times=np.arange(40))
    for call in (timed.refine, timed.refine_explained, timed.dendrogram):
        with pytest.raises(ValueError, match="'neighbor', which does not look at times"):
            call(X, 3, linkage="neighbor")
    assert timed.refine_explained(X, 3).linkage == "centroid"
    np.testing.assert_array_equal(
        timed.dendrogram(X, 3, from_partition=0).heights,
        timed.dendrogram(X, 3, from_partition=0, linkage="centroid").heights,
    )
    plain = finch.cluster(X)
    np.testing.assert_array_equal(plain.dendrogram(X).merges, plain.dendrogram(X, linkage="neighbor").merges)


def test_dates_of_any_kind_are_times():
    pandas = pytest.importorskip("pandas")
    expected = finch.cluster(X, times=np.arange(40)).labels
    days = pandas.date_range("2020-01-01", periods=40)
    zoned = days.tz_localize("UTC").tz_convert("Asia/Tokyo")
    python = days.to_pydatetime().tolist()
    for times in (zoned, pandas.Series(zoned), list(zoned), python, [day.date() for day in python]):
        np.testing.assert_array_equal(finch.cluster(X, times=times).labels, expected)
    for times in (zoned.insert(3, None)[:40], [*python[:3], None, *python[4:]], [*days[:3], pandas.NaT, *days[4:]]):
        with pytest.raises(ValueError, match="times has (NaT|None) at sample 3"):
            finch.cluster(X, times=times)
    with pytest.raises(TypeError, match="dates with a zone beside others without"):
        finch.cluster(X, times=[*python[:39], zoned[39].to_pydatetime()])


def test_numbers_and_callbacks_say_what_is_sensible():
    hierarchy = finch.cluster(X)
    dendrogram = hierarchy.suggest(X).dendrogram
    for call, error, message in (
        (lambda: finch.cluster(X, threads=-1), ValueError, "threads is -1: give a number from 0 on$"),
        (lambda: hierarchy.refine(X, -1), ValueError, "n_clusters is -1: give a number from 1 to 40$"),
        (lambda: hierarchy.dendrogram(X, -1), ValueError, "n_clusters is -1: give a number from 1 to 40$"),
        (lambda: hierarchy.levels(X, 3), TypeError, r"n is an array of the shape \(40, 3\): give a whole number$"),
        (lambda: hierarchy.refine(X, [2] * 99), TypeError, "n_clusters is a list: give a whole number$"),
        (lambda: finch.cluster(X, progress=finch.ProgressBar), TypeError, r"class ProgressBar: .*ProgressBar\(\)$"),
        (lambda: finch.cluster(X, progress=True), TypeError, "progress is True: give a function"),
        (lambda: finch.cluster_batch(X), ValueError, r"X has 2 dimensions, as one matrix has: give \[X\]"),
        (lambda: finch.Model(X, hierarchy), TypeError, "hierarchy is an array: give a Hierarchy first"),
        (lambda: finch.regroup(X, hierarchy, X, []), TypeError, "hierarchy is an array: give a Hierarchy first"),
        (lambda: dendrogram.tree(X), TypeError, "hierarchy is an array: give the Hierarchy of the dendrogram"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert repr(hierarchy.refine_explained(X, 3)) == "Refined(labels=<40 int32>, linkage='neighbor')"


def test_values_under_a_mask_are_no_values():
    masked = np.ma.masked_array(X, X > 1)
    calls = {
        "X": lambda: finch.FINCH().fit(masked),
        "D": lambda: finch.cluster_distances(np.ma.masked_array(D, D > 1)),
        "weights": lambda: finch.cluster(X, weights=np.ma.masked_array(np.ones(40), X[:, 0] > 1)),
        "times": lambda: finch.cluster(X, times=np.ma.masked_array(np.arange(40), X[:, 0] > 1)),
        "sample_weight": lambda: finch.FINCH().fit(X, sample_weight=np.ma.masked_array(np.ones(40), X[:, 0] > 1)),
        "must_link": lambda: finch.cluster(X).refine(X, 2, must_link=np.ma.masked_equal([[0, 1], [2, 3]], 3)),
        "first_neighbors": lambda: finch.cluster(X, first_neighbors=np.ma.masked_equal(np.arange(40)[::-1], 3)),
    }
    for name, call in calls.items():
        if name in ("X", "sample_weight"):
            pytest.importorskip("sklearn")
        with pytest.raises(TypeError, match=rf"^{name} is a masked array.*{name}\.filled"):
            call()
    whole = np.ma.masked_array(np.ones(40))
    assert finch.cluster(np.ma.masked_array(X), weights=whole).n_clusters == finch.cluster(X).n_clusters


def test_samples_that_were_not_clustered_are_refused():
    rows = np.random.default_rng(0).normal(size=(200, 3)) * [1, 1, 50]
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    hierarchy = finch.cluster(scaled, refinable=True)
    calls = [
        lambda: hierarchy.refine(rows, 3),
        lambda: hierarchy.suggest(rows),
        lambda: hierarchy.refine(scaled[::-1], 3),
        lambda: finch.Model(hierarchy, rows),
    ]
    for call in calls:
        with pytest.raises(finch.Error, match="not the samples that were clustered: sample [0-9]+ is at distance"):
            call()
    np.testing.assert_array_equal(hierarchy.refine(scaled.astype("f2"), 3), hierarchy.refine(scaled.astype("f2"), 3))


def test_masked_values_are_refused_or_none_wherever_they_come():
    from finch_clustering.compat import FINCH

    masked = np.ma.masked_array(X, X > 1)
    with pytest.raises(TypeError, match="data is a masked array"):
        FINCH(masked, distance="l2")
    with pytest.raises(TypeError, match="X is a masked array"):
        finch.cluster(list(masked))
    labels = finch.cluster(X)[-1]
    index = finch.nearest_neighbors(X, 3).index
    hidden = np.ma.masked_array(index, np.random.default_rng(1).random(index.shape) < 0.5)
    found = finch.describe(X, labels, neighbors=hidden).modularities
    np.testing.assert_array_equal(found, finch.describe(X, labels, neighbors=hidden.filled(-1)).modularities)
    assert not np.array_equal(found, finch.describe(X, labels, neighbors=index).modularities)
    with pytest.raises(TypeError, match="named is a masked array"):
        finch.regroup(finch.cluster(X), X, labels, named=np.ma.masked_array([0, 1], [False, True]))


def test_arguments_are_named():
    hierarchy = finch.cluster(X)
    with pytest.raises(TypeError, match="must_link is a zip: give pairs"):
        hierarchy.refine(X, 3, must_link=zip([0], [1]))
    with pytest.raises(finch.Error, match="cannot be cut into 99 clusters"):
        hierarchy.dendrogram(X).persistence(99)
    sparse = pytest.importorskip("scipy.sparse").csr_array(X)
    with pytest.raises(TypeError, match=r"queries is sparse.* pass queries.toarray\(\)"):
        finch.neighbors_between(sparse, X, 1)
    for given, told in ((None, "X is None"), ({"a": X}, "X is a dict"), (7, "X is an int")):
        with pytest.raises(TypeError, match=f"{told}: give B x N x d, or a list of matrices"):
            finch.cluster_batch(given)
    with pytest.raises(TypeError, match="n_clusters"):
        finch.regroup(hierarchy, X, hierarchy[-1], [0], n_clusters="3")
    import datetime

    times = [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 2)] * 20
    with pytest.raises(TypeError, match="days beside moments"):
        finch.cluster(X, times=times)


def test_values_that_are_not_there_are_told_wherever_they_come():
    plot = pytest.importorskip("finch_clustering.plot")
    pytest.importorskip("matplotlib").use("Agg")
    labels = finch.cluster(X)[0]
    missing = X.copy()
    missing[5, 1] = np.nan
    masked = np.ma.array(X, mask=False)
    masked[5] = np.ma.masked
    for picture in (plot.silhouettes, plot.scatter):
        with pytest.raises(ValueError, match="X has NaN or infinity in row 5"):
            picture(missing, labels)
        with pytest.raises(TypeError, match="X is a masked array"):
            picture(masked, labels)
        with pytest.raises(TypeError, match=r"pass X.unpacked\(\)"):
            picture(finch.Bits(np.packbits(X > 0, axis=1), 3), labels)
        with pytest.raises(TypeError, match="X has complex numbers"):
            picture(X + 1j, labels)
    with pytest.raises(ValueError, match="X has inf in row 1, column 1"):
        finch.cluster([[0.1, 0.2], [0.3, np.inf], [0.5, 0.6]], metric="haversine")
    with pytest.raises(ValueError, match="X has no features"):
        finch.cluster(np.zeros((3, 0)), metric="chebyshev")
    with pytest.raises(ValueError, match="sample 0 has weight -1"):
        finch.ClusterNames.of([[0.0], [1.0]], [0, 0], weights=[-1, 2])
    pytest.importorskip("sklearn")
    model = finch.FINCH(metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="distance -.* is negative"):
        model.predict(-D)
