"""Metrics beyond those of the library, beside SciPy and scikit-learn."""

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering import compat
from finch_clustering._input import other_metrics

distance = pytest.importorskip("scipy.spatial.distance")

X = np.random.default_rng(0).normal(size=(120, 6))
# Latitude and longitude, in radians.
POINTS = np.stack(
    [
        np.arcsin(np.random.default_rng(1).uniform(-1, 1, 300)),
        np.random.default_rng(2).uniform(-np.pi, np.pi, 300),
    ],
    axis=1,
)


def angle(one, other):
    """The angle of two points, by Vincenty's formula, which is exact also for opposite points."""
    (a, x), (b, y) = one, other
    across = np.cos(b) * np.sin(y - x)
    along = np.cos(a) * np.sin(b) - np.sin(a) * np.cos(b) * np.cos(y - x)
    return np.arctan2(
        np.hypot(across, along), np.sin(a) * np.sin(b) + np.cos(a) * np.cos(b) * np.cos(y - x)
    )


@pytest.mark.parametrize(
    ("name", "other"),
    [("l1", "manhattan"), ("cityblock", "manhattan"), ("l2", "euclidean"), ("minkowski", "euclidean")],
)
def test_names_of_other_programs(name, other):
    found, expected = finch.cluster(X, metric=name), finch.cluster(X, metric=other)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.metric == other
    between = distance.squareform(distance.pdist(X, {"manhattan": "cityblock"}.get(other, other)))
    np.fill_diagonal(between, np.inf)
    np.testing.assert_allclose(found.distances, between.min(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(
        finch.describe(X, found[0], metric=name).medoids,
        finch.describe(X, found[0], metric=other).medoids,
    )


def test_haversine_is_the_angle_between_points():
    expected = np.array([[angle(one, other) for other in POINTS] for one in POINTS])
    metrics = pytest.importorskip("sklearn.metrics.pairwise")
    np.testing.assert_allclose(metrics.haversine_distances(POINTS), expected, atol=1e-9)
    found = finch.nearest_neighbors(POINTS, 299, metric="haversine")
    np.testing.assert_allclose(
        found.distance, np.take_along_axis(expected, found.index.astype(int), axis=1), atol=1e-12
    )
    np.fill_diagonal(expected, np.inf)
    hierarchy = finch.cluster(POINTS, metric="haversine")
    first = finch.first_neighbors(POINTS, metric="haversine")
    for index, lengths in [(hierarchy.first_neighbors, hierarchy.distances), first]:
        np.testing.assert_array_equal(index, expected.argmin(axis=1))
        np.testing.assert_allclose(lengths, expected.min(axis=1), rtol=1e-12, atol=1e-15)
    assert hierarchy.metric == "haversine"


def test_the_date_line_and_the_poles_are_no_borders():
    half, quarter = np.pi, np.pi / 2
    pairs = [
        ((0.3, half), (0.3, -half), 0.0),
        ((0.0, half - 1e-3), (0.0, -half + 1e-3), 2e-3),
        ((quarter, 0.0), (quarter, 2.0), 0.0),
        ((quarter - 1e-4, 0.0), (quarter - 1e-4, half), 2e-4),
        ((-quarter, 1.0), (-quarter + 0.5, -2.0), 0.5),
        ((quarter, 0.0), (-quarter, 0.0), half),
        ((0.4, 1.0), (-0.4, 1.0 - half), half),
        ((0.2, 0.7), (0.2, 0.7), 0.0),
        # A pole in float32 is a little beyond it.
        (np.float32([quarter, 1]), np.float32([quarter, 2]), 8.8e-8 * np.sin(0.5)),
        ((1.0, 2.0), (1.0 + 1e-9, 2.0), 1e-9),
    ]
    for one, other, expected in pairs:
        allowed = 1e-9 if isinstance(one, np.ndarray) else 1e-12
        found = finch.first_neighbors([one, other], metric="haversine").distance
        np.testing.assert_allclose(found, expected, rtol=0, atol=allowed)
        clustered = finch.cluster([one, other], metric="haversine").distances
        np.testing.assert_allclose(clustered, expected, rtol=0, atol=allowed)
    around = [(0.0, half - 0.01), (0.0, -half + 0.01), (0.0, 0.0), (0.0, 0.02)]
    np.testing.assert_array_equal(finch.cluster(around, metric="haversine")[0], [0, 0, 1, 1])


def test_a_hierarchy_remembers_how_samples_are_compared():
    chords = finch.chords(POINTS)
    hierarchy = finch.cluster(POINTS, metric="haversine", refinable=True)
    beside = finch.cluster(chords)
    np.testing.assert_array_equal(hierarchy.labels, beside.labels)
    np.testing.assert_array_equal(hierarchy.refine(POINTS, 4), beside.refine(chords, 4))
    np.testing.assert_array_equal(hierarchy.suggest(POINTS).labels, beside.suggest(chords).labels)
    np.testing.assert_array_equal(
        hierarchy.dendrogram(POINTS).heights, beside.dendrogram(chords).heights
    )
    np.testing.assert_array_equal(
        hierarchy.outlier_scores(POINTS), beside.outlier_scores(chords)
    )
    means = beside.means(0, chords)
    points = hierarchy.means(0, POINTS)
    np.testing.assert_allclose(
        finch.chords(points), means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-12
    )
    more = np.concatenate([POINTS, POINTS[::-1] * 0.5])
    grown = hierarchy.extend(more)
    np.testing.assert_array_equal(grown.labels, finch.cluster(more, metric="haversine").labels)
    assert grown.metric == "haversine"
    with pytest.raises(ValueError, match=r"cluster finch_clustering.chords\(X\) under euclidean"):
        finch.Model(hierarchy, POINTS)


def test_correlation_is_the_cosine_of_centred_rows():
    between = distance.squareform(distance.pdist(X, "correlation"))
    np.fill_diagonal(between, np.inf)
    hierarchy = finch.cluster(X, metric="correlation")
    np.testing.assert_array_equal(hierarchy.first_neighbors, between.argmin(axis=1))
    np.testing.assert_allclose(hierarchy.distances, between.min(axis=1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        finch.first_neighbors(X, metric="correlation").distance, between.min(axis=1), atol=1e-12
    )
    centred = X - X.mean(axis=1, keepdims=True)
    np.testing.assert_array_equal(hierarchy.labels, finch.cluster(centred, metric="cosine").labels)
    np.testing.assert_allclose(
        hierarchy.means(0, X)[3], X[hierarchy[0] == 3].mean(axis=0), rtol=1e-12
    )


BOOLEAN = ("dice", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule")
SCIPY = [
    *("braycurtis", "canberra", "chebyshev", "dice", "jensenshannon", "mahalanobis", "rogerstanimoto"),
    *("russellrao", "seuclidean", "sokalmichener", "sokalsneath", "sqeuclidean", "yule"),
]


@pytest.mark.parametrize("name", SCIPY)
def test_every_other_name_of_scipy(name):
    if name == "sokalmichener" and not hasattr(distance, name):
        pytest.skip("SciPy has it no more")
    rows = np.abs(X) if name == "jensenshannon" else X
    if name in BOOLEAN:
        # Rows of zeros are at no distance from each other.
        rows = np.abs(X) > np.r_[0.0, np.full(5, 0.6)]
    try:
        between = distance.squareform(distance.pdist(rows, name))
    except ValueError:
        pytest.skip("this SciPy does not have it")
    hierarchy = finch.cluster(rows, metric=name)
    expected = finch.cluster_distances(between)
    np.testing.assert_array_equal(hierarchy.labels, expected.labels)
    np.testing.assert_array_equal(hierarchy.refine(rows, 5), expected.refine(None, 5))
    assert hierarchy.metric == name and hierarchy.suggest(rows).n_clusters > 0
    np.fill_diagonal(between, np.inf)
    first = finch.first_neighbors(rows, metric=name)
    np.testing.assert_array_equal(first.index, between.argmin(axis=1))
    np.testing.assert_allclose(first.distance, between.min(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(finch.nearest_neighbors(rows, 4, metric=name).index[:, 0], first.index)


@pytest.mark.parametrize("name", ["dice", "yule"])
def test_metrics_of_true_and_false_refuse_other_numbers(name):
    rows = (np.abs(X) > 0.6).astype(float)
    finch.cluster(rows, metric=name)
    rows[3, 1] = 0.5
    for call in (finch.cluster, finch.first_neighbors, lambda X, metric: finch.FINCH(metric=metric).fit(X)):
        with pytest.raises(finch.Error, match=f"{name} takes samples of 0 and 1, and row [0-9]+, column 1"):
            call(rows, metric=name)
    # finch-clust takes what is not 0 as True.
    expected, _, _ = compat.FINCH(rows != 0, distance=name, verbose=False)
    found, _, _ = compat.FINCH(rows, distance=name, verbose=False)
    np.testing.assert_array_equal(found[:, 0], expected[:, 0])


def test_distances_come_in_blocks(monkeypatch):
    whole = other_metrics.distance_matrix(X, "canberra")
    monkeypatch.setattr(other_metrics, "VALUES_OF_BLOCK", 7 * X.size)
    np.testing.assert_array_equal(other_metrics.distance_matrix(X, "canberra"), whole)
    np.testing.assert_array_equal(whole, distance.squareform(distance.pdist(X, "canberra")))


def test_a_function_of_two_rows():
    def largest(x, y):
        return np.abs(x - y).max()

    hierarchy = finch.cluster(X, metric=largest)
    np.testing.assert_array_equal(hierarchy.labels, finch.cluster(X, metric="chebyshev").labels)
    assert hierarchy.metric == "largest"


def test_metrics_say_what_they_do_not_take():
    for metric, rows, message in [
        ("haversine", X, "X has 6 columns where haversine takes 2"),
        ("haversine", np.degrees(POINTS), r"give numpy.radians\(X\) of degrees, latitude first"),
        ("haversine", [[np.nan, 0.0], [0.0, 1.0]], "X has nan in row 0, column 0"),
        ("chebyshev", np.zeros((20_001, 1)), "at most 20,000 rows, and X has 20,001: .*cluster_neighbors"),
        ("chebyshev", [[np.inf, 0.0], [0.0, 1.0]], "X has inf in row 0, column 0"),
        ("mahalanobis", X[:2], "mahalanobis|observations|singular"),
        ("chebychev!", X, "there is no metric 'chebychev!': .* other names of SciPy"),
    ]:
        with pytest.raises(ValueError, match=message):
            finch.cluster(rows, metric=metric)
    for options in ({"weights": np.ones(120)}, {"times": range(120)}, {"search": "brute"}, {"contiguous": True}):
        name = next(iter(options))
        with pytest.raises(ValueError, match=f"{name} does not go with metric 'chebyshev'"):
            finch.cluster(X, metric="chebyshev", **options)
    hierarchy = finch.cluster(X, metric="chebyshev")
    with pytest.raises(ValueError, match="extending a hierarchy takes samples under a metric"):
        hierarchy.extend(X)
    between = distance.squareform(distance.pdist(X, "chebyshev"))
    np.testing.assert_array_equal(
        hierarchy.outlier_scores(X), finch.cluster_distances(between).outlier_scores(np.zeros((120, 1)))
    )
    assert finch.first_neighbors(X[:1], metric="chebyshev").index.size == 0
    assert finch.cluster(X[:1], metric="chebyshev").n_clusters == [1]
    with pytest.raises(ValueError, match="k is 120, and X has 120 rows"):
        finch.nearest_neighbors(X, 120, metric="chebyshev")


def test_the_estimator_takes_distances():
    sklearn = pytest.importorskip("sklearn.base")
    between = distance.squareform(distance.pdist(X, "chebyshev"))
    for options in ({}, {"n_clusters": 4}, {"partition": 0}):
        given = finch.FINCH(metric="precomputed", **options).fit(between)
        hierarchy = finch.cluster_distances(between)
        expected = hierarchy.suggest(None).labels
        if "n_clusters" in options:
            expected = hierarchy.refine(None, 4)
        elif "partition" in options:
            expected = hierarchy[0]
        assert finch.score(given.labels_, expected).ari == 1
        assert (np.diff(np.bincount(given.labels_)) <= 0).all()
        np.testing.assert_array_equal(given.predict(between), given.labels_)
        assert finch.score(given.model_[-1], expected).ari == 1
        made = finch.FINCH(metric="chebyshev", **options).fit(X)
        assert finch.score(made.labels_, expected).ari == 1
        np.testing.assert_array_equal(made.predict(X), made.labels_)
        assert made.score(X, expected) == 1
        for cluster, medoid in enumerate(given.medoids_):
            of = np.flatnonzero(given.labels_ == cluster)
            assert medoid == of[between[np.ix_(of, of)].sum(axis=1).argmin()]
        assert given.children_.shape == (119, 2) and given.distances_.shape == (119,)
        np.testing.assert_array_equal(np.sort(given.children_.ravel()), np.arange(238))
    assert sklearn.clone(given).metric == "precomputed"
    if hasattr(given, "__sklearn_tags__"):
        assert given.__sklearn_tags__().input_tags.pairwise
    assert not hasattr(made, "transform") and hasattr(finch.FINCH(), "transform")
    with pytest.raises(AttributeError, match="no attribute 'transform'") as refused:
        made.transform(X)
    assert "transform takes samples under a metric" in str(refused.value.__cause__)
    with pytest.raises(ValueError, match="sample_weight does not go with metric 'chebyshev'"):
        made.fit(X, sample_weight=np.ones(120))
    with pytest.raises(ValueError, match=r"D has the shape \(120, 6\)"):
        finch.FINCH(metric="precomputed").fit(X)
    for metric in ("seuclidean", "mahalanobis", lambda x, y: np.abs(x - y).max()):
        model = finch.FINCH(metric=metric).fit(X)
        np.testing.assert_array_equal(model.predict(X[:50]), model.labels_[:50])
    again = finch.FINCH(metric="chebyshev").fit(X).set_params(metric="l1").fit(X)
    np.testing.assert_array_equal(again.labels_, finch.FINCH(metric="manhattan").fit_predict(X))


def test_the_estimator_takes_points_of_a_sphere_and_correlations():
    pytest.importorskip("sklearn")
    points, rows = finch.FINCH(metric="haversine").fit(POINTS), finch.chords(POINTS)
    np.testing.assert_array_equal(points.labels_, finch.FINCH().fit_predict(rows))
    np.testing.assert_array_equal(points.predict(POINTS), points.labels_)
    assert points.n_features_in_ == 2 and points.cluster_centers_.shape == (points.n_clusters_, 3)
    assert points.transform(POINTS).shape == (300, points.n_clusters_)
    centred = X - X.mean(axis=1, keepdims=True)
    np.testing.assert_array_equal(
        finch.FINCH(metric="correlation").fit_predict(X),
        finch.FINCH(metric="cosine").fit_predict(centred),
    )


def test_correlation_does_not_hang_on_how_rows_lie_in_memory():
    pytest.importorskip("sklearn")
    rows = np.random.default_rng(11).normal(size=(300, 15))
    layouts = rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2], rows[::-1][::-1]
    distances = [finch.cluster(layout, metric="correlation").distances for layout in layouts]
    labels = [finch.FINCH(metric="correlation").fit_predict(layout) for layout in layouts]
    for other in range(1, len(layouts)):
        np.testing.assert_array_equal(distances[other], distances[0])
        np.testing.assert_array_equal(labels[other], labels[0])


def test_scores_and_random_states_of_the_estimator():
    pytest.importorskip("sklearn")
    groups = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 30, axis=0)
    groups += np.random.default_rng(0).normal(scale=0.4, size=groups.shape)
    model = finch.FINCH(random_state=3).fit(groups)
    assert model._seed() == 3 and finch.FINCH(seed=5)._seed() == 5
    assert finch.FINCH(random_state=np.random.RandomState(0))._seed() >= 0
    assert model.n_clusters_ == 3 and model.score(groups) > 0.8
    assert model.score(groups, np.repeat(["a", "b", "c"], 30)) == 1
    assert finch.FINCH(n_clusters=1).fit(groups).score(groups) == 0
    assert finch.FINCH(n_clusters=2).fit(groups).score(groups) < model.score(groups)


@pytest.mark.filterwarnings("error")
def test_faults_under_correlation_are_those_of_the_rows_that_are_given():
    for value, message, status in (
        (np.nan, "the value at row 20, column 1 .* is NaN", "FINCH_NON_FINITE"),
        (-np.inf, "the value at row 20, column 1 .* is -inf", "FINCH_NON_FINITE"),
        (1e200, "the value 1e.200 at row 20, column 1 .* is too large", "FINCH_VALUE_TOO_LARGE"),
    ):
        faulty = X.copy()
        faulty[20, 1] = value
        with pytest.raises(finch.Error, match=message) as caught:
            finch.cluster(faulty, metric="correlation")
        assert caught.value.status == status


@pytest.mark.parametrize("metric", ["euclidean", "correlation", "haversine"])
def test_means_are_weighted_under_each_metric(metric):
    X = np.random.default_rng(0).uniform(-1, 1, size=(12, 2 if metric == "haversine" else 4))
    weights = np.arange(1.0, 13)
    hierarchy = finch.cluster(X, metric=metric, weights=weights)
    repeated = np.repeat(np.arange(12), weights.astype(int))
    of_repeated = finch.cluster(X[repeated], metric=metric)
    # The clusters of repeated rows may be numbered otherwise.
    means = hierarchy.means(-1, X)
    for cluster in range(len(means)):
        other = of_repeated[-1][np.flatnonzero(np.isin(repeated, np.flatnonzero(hierarchy[-1] == cluster)))]
        assert len(set(other)) == 1
        np.testing.assert_allclose(of_repeated.means(-1, X[repeated])[other[0]], means[cluster], rtol=1e-12)


def test_samples_of_a_matrix_of_distances_are_counted():
    X = np.random.default_rng(0).normal(size=(40, 3))
    hierarchy = finch.cluster(X, metric="chebyshev")
    assert (hierarchy.refine(X, 3) == hierarchy.refine(None, 3)).all()
    for call in (hierarchy.outlier_scores, hierarchy.suggest, lambda X: hierarchy.refine(X, 3)):
        with pytest.raises(ValueError, match="X has 3 samples, and 40 were clustered"):
            call(X[:3])
    with pytest.raises(ValueError, match="X has 5 samples, and 40 were clustered"):
        hierarchy.means(0, X[:5])


def test_columns_that_a_metric_of_scipy_cannot_take_are_told():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(ValueError, match="'mahalanobis' takes columns of which none is constant"):
        finch.cluster(np.c_[X, np.ones(40)], metric="mahalanobis")
    with pytest.raises(ValueError, match="where a column is constant"):
        finch.cluster(np.c_[X, np.ones(40)], metric="seuclidean")
