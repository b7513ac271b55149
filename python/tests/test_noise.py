"""Noise: labels of -1, for outliers, small clusters and missing values; and how sure labels are."""

import numpy as np
import pytest

import finch_clustering as finch

NOISE = {"min_cluster_size": 10, "outliers": 0.02}


@pytest.fixture
def far(aggregation):
    """The points of the plane, three of them far out, two of these beside each other."""
    X, truth = aggregation
    X = X + np.random.default_rng(0).uniform(-0.3, 0.3, X.shape)
    return np.concatenate([X, [[90.0, 90.0], [90.5, 90.0], [-80.0, 5.0]]]), np.append(truth, [98, 98, 99])


def test_by_default_nothing_is_noise(far):
    X, _ = far
    hierarchy = finch.cluster(X)
    labels = hierarchy.refine(X, 7)
    np.testing.assert_array_equal(hierarchy.with_noise(X, labels), labels)
    assert all(each.min() == 0 for each in (labels, *hierarchy, hierarchy.suggest(X).labels))


def test_small_clusters_and_outliers_are_noise(far):
    X, _ = far
    hierarchy = finch.cluster(X, refinable=True)
    suggested = hierarchy.suggest(X).labels
    for labels in (hierarchy[0], hierarchy.refine(X, 12), suggested):
        sizes = np.bincount(labels)[labels]
        found = hierarchy.with_noise(X, labels, min_cluster_size=10)
        np.testing.assert_array_equal(found == -1, sizes < 10)
        joined = hierarchy.with_noise(X, labels, min_cluster_size=10, small="join")
        assert joined.min() == 0 and np.bincount(joined).min() >= 10
        scores = hierarchy.outlier_scores(X)
        found = hierarchy.with_noise(X, labels, outlier_threshold=0.6)
        np.testing.assert_array_equal(found == -1, scores > 0.6)
        found = hierarchy.with_noise(X, labels, outliers=0.01)
        assert (found == -1).sum() == 7 and scores[found == -1].min() > scores[found >= 0].max()
        # Clusters keep their samples, and are numbered by first appearance.
        kept = found >= 0
        first = [labels[kept][found[kept] == cluster] for cluster in range(found.max() + 1)]
        assert all((each == each[0]).all() for each in first)
        assert found[kept][0] == 0
        again = hierarchy.with_noise(X, found, min_cluster_size=10)
        assert (again[found == -1] == -1).all()


def test_faults_of_noise_are_told(far):
    X, _ = far
    hierarchy = finch.cluster(X)
    labels = hierarchy[-1]
    with pytest.raises(ValueError, match="outliers is 1.0: give a share of samples between 0 and 1"):
        hierarchy.with_noise(X, labels, outliers=1.0)
    with pytest.raises(ValueError, match="outlier_threshold is 0: give an outlier score"):
        hierarchy.with_noise(X, labels, outlier_threshold=0)
    with pytest.raises(ValueError, match="treatment of small clusters 'drop': it is one of noise, join"):
        hierarchy.with_noise(X, labels, small="drop")
    with pytest.raises(finch.Error, match="792 cannot be the least size .* together have 791") as caught:
        hierarchy.with_noise(X, labels, min_cluster_size=792, small="join")
    with pytest.warns(finch.FinchWarning, match="every sample is noise now"):
        assert set(hierarchy.with_noise(X, labels, min_cluster_size=792)) == {-1}
    assert caught.value.status == "FINCH_INVALID_CONSTRAINT"
    with pytest.raises(finch.Error, match="791 samples"):
        hierarchy.with_noise(X, labels[1:], min_cluster_size=2)


def test_many_matrices_have_noise_too(far):
    X, _ = far
    hierarchy = finch.cluster(X, refinable=True)
    [found, other] = finch.cluster_batch([X, X[:100]], n_clusters="suggested", **NOISE)
    np.testing.assert_array_equal(found, hierarchy.with_noise(X, hierarchy.suggest(X).labels, **NOISE))
    assert (found == -1).any() and len(other) == 100
    plain = finch.cluster_batch([X])[0]
    [noisy] = finch.cluster_batch([X], min_cluster_size=5)
    np.testing.assert_array_equal(noisy == -1, np.bincount(plain)[plain] < 5)


def test_missing_values_get_no_cluster(far):
    X, _ = far
    holes = np.insert(X, [0, 300, 791], np.nan, axis=0)
    complete = ~np.isnan(holes).any(axis=1)
    with pytest.raises(ValueError, match="NaN"):
        finch.cluster_batch([holes])
    [found] = finch.cluster_batch([holes], missing="label")
    np.testing.assert_array_equal(found[complete], finch.cluster(X)[0])
    assert (found[~complete] == -1).all() and len(found) == 794
    stacked = finch.cluster_batch(np.array([holes, holes]), missing="label")
    np.testing.assert_array_equal(stacked, [found, found])
    with pytest.raises(ValueError, match=r"X\[1\]: every row has a missing value"):
        finch.cluster_batch([X, np.full((3, 2), np.nan)], missing="label")
    with pytest.raises(ValueError, match="missing is 'drop': give 'error' or 'label'"):
        finch.cluster_batch([holes], missing="drop")
    # What is not missing is checked as ever.
    holes[5, 0] = np.inf
    with pytest.raises(ValueError, match="infinit|inf"):
        finch.cluster_batch([holes], missing="label")


def test_scores_leave_noise_out_and_say_how_much(far):
    labels, truth = np.array([0, 0, 1, -1, 1, -1]), list("aabbba")
    found, without = finch.score(labels, truth), finch.score(labels[labels >= 0], list("aabb"))
    assert found.noise == pytest.approx(1 / 3) and without.noise == 0
    assert (found.ari, found.nmi, found.accuracy) == (1, without.nmi, 1)
    weights = [1, 1, 1, 3, 1, 1]
    found = finch.score(labels, truth, weights=weights)
    assert found.noise == 0.5 and found.ari == 1
    # Of floats, too; and strings are names.
    assert finch.score(labels.astype(float), truth).noise == pytest.approx(1 / 3)
    assert finch.score(labels.astype(str), truth).noise == 0
    # A class may have any number.
    assert finch.score([0, 0, 1], [-1, -1, 5]).noise == 0
    with pytest.raises(finch.Error, match="every label is -1") as caught:
        finch.score([-1, -1], [0, 1])
    assert caught.value.status == "FINCH_NO_SAMPLES"


class Odd:
    """A name that compares to an array."""

    def __eq__(self, other):
        return np.array([True, True])

    def __lt__(self, other):
        return False

    __hash__ = None


def test_the_number_minus_one_is_noise_among_objects_too(far):
    X, _ = far
    for labels in ([0, 0, 1, -1], [0.0, 0.0, 1.0, -1.0], ["a", "a", "b", -1], ["a", "a", "b", np.int64(-1)]):
        labels = np.array(labels, object)
        found = finch.score(labels, [0, 0, 1, 1])
        assert found.noise == 0.25 and found.ari == 1
        kept = finch.keep_labels(labels, labels)
        assert kept.labels.tolist() == [0, 0, 1, -1] and kept.fates == ["kept", "kept"]
    hierarchy = finch.cluster(X)
    labels = np.where(np.arange(len(X)) % 7 == 0, -1, hierarchy[-1])
    found = hierarchy.with_noise(X, labels.astype(object))
    assert (found[labels == -1] == -1).all() and (found[labels >= 0] >= 0).all()
    # Strings are names.
    names = np.array(["0", "-1"], object)
    assert finch.score(names, [0, 1]).noise == 0
    assert finch.score(np.array([Odd()], object), [0]).noise == 0


def test_noise_of_a_pandas_column_of_nullable_integers():
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([0, 0, 1, -1], dtype="Int64")
    for given in (labels, labels.astype(object)):
        assert finch.score(given, [0, 0, 1, 1]).noise == 0.25


def test_a_generator_of_matrices_may_have_missing_values(far):
    X, _ = far
    holes = np.insert(X, [0, 300], np.nan, axis=0)
    for matrices in ([X, holes], [X, X]):
        found = finch.cluster_batch((each for each in matrices), missing="label")
        expected = finch.cluster_batch(matrices, missing="label")
        assert len(found) == 2
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(one, other)


def test_noise_is_not_described(far):
    X, _ = far
    labels = finch.cluster(X).refine(X, 6).copy()
    labels[labels == 2] = -1
    labels[labels > 2] -= 1
    kept = np.flatnonzero(labels >= 0)
    found, expected = finch.describe(X, labels), finch.describe(X[kept], labels[kept])
    assert len(found.sizes) == 5
    for name in ("sizes", "means", "spreads", "silhouettes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.medoids, kept[expected.medoids])
    np.testing.assert_array_equal(found.exemplars, kept[expected.exemplars])
    with pytest.raises(ValueError, match="labels has -2 at sample 0: .* -1 for noise"):
        finch.describe(X, np.where(labels < 0, 0, -2))
    with pytest.raises(finch.Error, match="a description takes clusters, and every label is -1"):
        finch.describe(X, np.full(len(X), -1))


def test_noise_has_no_name_and_is_kept_by_a_model(far):
    X, _ = far
    kept = finch.keep_labels([0, 0, 1, -1], [5, -1, 7, 5, 9])
    assert kept.labels.tolist() == [0, -1, 1, 0, 2]
    assert kept.fates == ["split", "kept", "appeared"]
    hierarchy = finch.cluster(X)
    noisy = hierarchy.with_noise(X, hierarchy[0], min_cluster_size=10)
    if (noisy == -1).all():
        noisy = hierarchy.with_noise(X, hierarchy[-1], outliers=0.01)
    model = finch.Model(hierarchy, X, refined=[noisy])
    np.testing.assert_array_equal(model[-1] == -1, noisy == -1)
    np.testing.assert_array_equal(model.predict(X, -1).labels, model[-1])
    with pytest.raises(finch.Error, match="a model takes clusters, and every label is -1"):
        finch.Model(hierarchy, X, refined=[np.full(len(X), -1)])


def test_noise_is_grey_or_left_out_of_pictures(far):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt
    from finch_clustering import plot
    from finch_clustering.plot._palette import GREY

    X, _ = far
    labels = finch.cluster(X).refine(X, 7)
    noisy = np.where(np.arange(len(X)) % 7 == 0, -1, labels)
    ax = plot.scatter(X, noisy)
    fills = ax.collections[0].get_facecolors()[:, :3]
    assert np.isclose(fills, GREY).all(axis=1).sum() == (noisy == -1).sum()
    assert "-1" not in [text.get_text() for text in ax.texts]
    kept = noisy >= 0
    titles = [plot.silhouettes(*rows).get_title(loc="left") for rows in ((X, noisy), (X[kept], noisy[kept]))]
    assert titles[0] == titles[1]
    with pytest.raises(ValueError, match="sample 0 has label -1 in partition 0: an icicle"):
        plot.icicle(noisy[:, None])
    with pytest.raises(ValueError, match="every label is negative"):
        plot.silhouettes(X, np.full(len(X), -1))
    plt.close("all")


def test_membership_is_the_share_of_neighbours_in_each_cluster(far):
    X, _ = far
    for refinable in (False, True):
        hierarchy = finch.cluster(X, refinable=refinable)
        labels = hierarchy.refine(X, 5).copy()
        labels[::9] = -1
        # The numbers of clusters may be in any order.
        labels[labels >= 0] = 4 - labels[labels >= 0]
        found = hierarchy.membership(X, labels)
        # ceil(log2 791)
        near = finch.nearest_neighbors(X, 10).index
        expected = np.zeros((len(X), 5))
        for sample, others in enumerate(labels[near]):
            shares = np.bincount(others[others >= 0], minlength=5)
            if shares.sum():
                expected[sample] = shares / shares.sum()
            elif labels[sample] >= 0:
                expected[sample, labels[sample]] = 1
        pytest.importorskip("scipy")
        np.testing.assert_array_equal(found.shares.toarray(), expected)
        own = expected[np.arange(len(X)), labels]
        np.testing.assert_array_equal(found.probabilities, np.where(labels < 0, 0, own))
        assert (np.diff(found.indptr) > 0).all() and found.n_clusters == 5
        with pytest.raises(ValueError, match="read-only"):
            found.data[0] = 1
    with pytest.raises(finch.Error, match="no sample has label 0"):
        hierarchy.membership(X, np.ones(len(X), int))
    with pytest.raises(finch.Error, match="791"):
        hierarchy.membership(X, labels[1:])


def test_membership_and_noise_by_distances_alone(far):
    spatial = pytest.importorskip("scipy.spatial")
    X = far[0][::4]
    hierarchy = finch.cluster_distances(spatial.distance.cdist(X, X))
    labels = hierarchy.refine(None, 6)
    by_rows = finch.cluster(X)
    np.testing.assert_array_equal(
        hierarchy.membership(None, labels).probabilities, by_rows.membership(X, labels).probabilities
    )
    # A cluster that no link leaves joins the nearest mean, and without means is noise.
    size = {"min_cluster_size": 12}
    found, expected = (of.with_noise(Y, labels, **size, small="join") for of, Y in ((hierarchy, None), (by_rows, X)))
    assert expected.min() == 0
    assert 0 < (found == -1).sum() < 12 and finch.score(found, expected).ari == 1
    np.testing.assert_array_equal(
        hierarchy.with_noise(None, labels, **size), by_rows.with_noise(X, labels, **size)
    )
    # Scores are those of as many neighbours as the hierarchy keeps.
    scores = hierarchy.outlier_scores(X)
    found = hierarchy.with_noise(None, labels, outliers=0.1)
    assert (found == -1).sum() == 19 and scores[found == -1].min() > scores[found >= 0].max()


def test_outlier_scores_of_distances_take_no_samples(far):
    spatial = pytest.importorskip("scipy.spatial")
    X = far[0][::4]
    D = spatial.distance.cdist(X, X)
    expected = finch.cluster_distances(D).outlier_scores(X)
    near = finch.nearest_neighbors(X, 30)
    for hierarchy in (finch.cluster_distances(D), finch.cluster_neighbors(near.index, near.distance)):
        np.testing.assert_array_equal(hierarchy.outlier_scores(None), hierarchy.outlier_scores(X))
    assert len(finch.cluster(X, metric="chebyshev").outlier_scores(None)) == len(X)
    pytest.importorskip("sklearn")
    fitted = finch.FINCH(metric="precomputed", outliers=0.1).fit(D)
    np.testing.assert_array_equal(fitted.outlier_scores_, expected)
    noise = fitted.labels_ == -1
    assert expected[noise].min() > expected[~noise].max()


def labels_with_a_gap():
    """Labels of four samples of which the second is missing, of every kind."""
    pandas = pytest.importorskip("pandas")
    day = pandas.Timestamp("2020-01-01")
    yield from (["a", np.nan, "b", "a"], ["a", None, "b", "a"], ("a", pandas.NA, "b", "a"))
    yield from ([1, None, 2, 1], [1.0, np.nan, 2.0, 1.0], [day, pandas.NaT, day, day])
    yield np.array(["2020", "NaT", "2021", "2020"], "datetime64[D]")
    yield np.array([0, np.nan, 1, 0], object)
    yield np.ma.masked_array([0, 1, 1, 0], [False, True, False, False])
    for values, dtype in ((["a", None, "b", "a"], "str"), ([1, None, 2, 1], "Int64"), ([True, None, False, True], "boolean")):
        yield pandas.array(values, dtype)
        yield pandas.Series(pandas.array(values, dtype))
    yield pandas.Categorical(["a", None, "b", "a"])
    yield pandas.Series([day, None, day, day]).dt.tz_localize("UTC")


def test_missing_labels_are_refused_with_their_place():
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    hierarchy, whole = finch.cluster(X), [0, 0, 1, 1]
    for labels in labels_with_a_gap():
        for name, call in (
            ("labels", lambda: finch.score(labels, whole)),
            ("truth", lambda: finch.score(whole, labels)),
            ("labels", lambda: finch.describe(X, labels)),
            ("labels", lambda: hierarchy.with_noise(X, labels)),
            ("labels", lambda: hierarchy.membership(X, labels)),
            ("old", lambda: finch.keep_labels(labels, whole)),
            ("new", lambda: finch.keep_labels(whole, labels)),
            ("labels", lambda: finch.ClusterNames.of(X, labels)),
            ("labels", lambda: finch.regroup(hierarchy, X, labels, [0])),
            (r"refined\[0\]", lambda: finch.Model(hierarchy, X, refined=[labels])),
        ):
            told = f"^{name} has a missing value at sample 1: leave the row out of both, or give it a label$"
            with pytest.raises(ValueError, match=told):
                call()


def test_minus_one_is_noise_in_a_list_beside_names():
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    labels = [-1, "a", "b", "a"]
    for given in (labels, tuple(labels), np.array(labels, object)):
        assert finch.score(given, [0, 1, 2, 1]).noise == 0.25
        described = finch.describe(X, given)
        assert described.names == ["a", "b"] and described.sizes.tolist() == [2, 1]
        assert finch.cluster(X).with_noise(X, given).tolist() == [-1, 0, 1, 0]
    # Texts are names, and numbers beside texts are texts.
    assert finch.score(["-1", "a", "b", "a"], [0, 1, 2, 1]).noise == 0
    assert finch.describe(X, [1, "a", "b", "a"]).names == ["1", "a", "b"]


def test_labels_follow_one_rule():
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    hierarchy, numbers = finch.cluster(X), np.array([1, 0, -1, 1])
    taking = {
        "labels": (hierarchy.with_noise, hierarchy.membership, finch.describe, finch.ClusterNames.of),
        "new": (lambda X, labels: finch.keep_labels([0, 0, 1, 1], labels),),
    }
    for name, functions in taking.items():
        for function in functions:
            whole, floats = function(X, numbers), function(X, numbers.astype(float))
            for one, other in zip(whole, floats):
                np.testing.assert_array_equal(one, other)
            for labels, message in (
                (numbers - 1, f"{name} has -2 at sample 2: give numbers from 0 on, or -1 for noise"),
                (numbers - 1.0, f"{name} has -2.0 at sample 2: give numbers from 0 on, or -1 for noise"),
                (numbers / 2 + 0.5, f"{name} has 0.5 at sample 1: give whole numbers"),
                (np.array([0, np.inf, 1, 1]), f"{name} has inf at sample 1: give whole numbers"),
            ):
                with pytest.raises(ValueError, match=message):
                    function(X, labels)
    assert hierarchy.with_noise(X, [7, 3, -1, 7]).tolist() == [0, 1, -1, 0]
    for function in (finch.describe, hierarchy.membership):
        with pytest.raises(finch.Error, match=r"no sample has label 0, .*np.unique\(labels, return_inverse=True\)\[1\]$"):
            function(X, [7, 3, 10**9, 7])
        with pytest.raises(finch.Error, match=r"no sample has label 1, .*return_inverse=True\)\[1\] - 1$"):
            function(X, [0, -1, 2, 0])


def test_a_result_of_labels_says_where_they_are():
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    hierarchy = finch.cluster(X)
    for given, told in (
        (hierarchy.suggest(X), "labels is a Suggestion: give its labels, labels.labels$"),
        (hierarchy.refine_explained(X, 2), "labels is a Refined: give its labels, labels.labels$"),
        (hierarchy, r"labels is a Hierarchy: give the labels of one partition, such as labels\[-1\]$"),
        (finch.Model(hierarchy, X), r"labels is a Model: give the labels of one partition, such as labels\[-1\]$"),
    ):
        for call in (lambda: finch.score(given, [0, 0, 1, 1]), lambda: finch.describe(X, given)):
            with pytest.raises(TypeError, match=told):
                call()
