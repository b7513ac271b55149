"""The estimator with noise and missing values."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

import finch_clustering as finch
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks(
    [
        finch.FINCH(min_cluster_size=5),
        finch.FINCH(outliers=0.1, min_cluster_size=3, small="join"),
        finch.FINCH(n_clusters=3, outlier_threshold=0.7),
        finch.FINCH(missing="label", outliers=0.05),
        finch.FINCH(missing="label", min_cluster_size=2),
    ]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def far(aggregation):
    """The points of the plane, three of them far out."""
    X, _ = aggregation
    X = X + np.random.default_rng(0).uniform(-0.3, 0.3, X.shape)
    return np.concatenate([X, [[90.0, 90.0], [90.5, 90.0], [-80.0, 5.0]]])


def test_outliers_and_small_clusters_are_minus_one(far):
    plain, fitted = finch.FINCH().fit(far), finch.FINCH(min_cluster_size=10, outliers=0.02).fit(far)
    assert plain.labels_.min() == 0
    assert (fitted.labels_[-3:] == -1).all()
    assert 3 <= (fitted.labels_ == -1).sum() < 100
    sizes = np.bincount(fitted.labels_[fitted.labels_ >= 0])
    assert len(sizes) == fitted.n_clusters_ and sizes.min() >= 10
    assert (np.diff(sizes) <= 0).all()
    for cluster, mean in enumerate(fitted.cluster_centers_):
        np.testing.assert_allclose(mean, far[fitted.labels_ == cluster].mean(axis=0))
        assert fitted.labels_[fitted.medoids_[cluster]] == cluster
    np.testing.assert_array_equal(fitted.model_[-1] < 0, fitted.labels_[fitted.model_rows_] < 0)
    # What is predicted of a sample is its label, and beside noise it is noise.
    np.testing.assert_array_equal(fitted.predict(far), fitted.labels_)
    assert fitted.predict([[91.0, 91.0]]) == [-1]
    assert fitted.score(far, fitted.labels_) == 1
    order = np.random.default_rng(1).permutation(len(far))
    shuffled = finch.FINCH(min_cluster_size=10, outliers=0.02).fit(far[order])
    np.testing.assert_array_equal(shuffled.labels_, fitted.labels_[order])
    joined = finch.FINCH(min_cluster_size=10, small="join").fit(far)
    assert joined.labels_.min() == 0 and np.bincount(joined.labels_).min() >= 10
    np.testing.assert_array_equal(joined.predict(far), joined.labels_)


def test_probabilities_are_shares_of_neighbours_in_the_own_cluster(far):
    for options in ({}, {"outliers": 0.05}):
        fitted = finch.FINCH(**options).fit(far)
        near = finch.nearest_neighbors(far, 10).index
        kept = fitted.labels_[near] >= 0
        own = (fitted.labels_[near] == fitted.labels_[:, None]).sum(axis=1) / kept.sum(axis=1)
        np.testing.assert_allclose(
            fitted.probabilities_, np.where(fitted.labels_ < 0, 0, own), rtol=1e-12
        )
    first = finch.FINCH(partition=0).fit(far).probabilities_.mean()
    assert first < fitted.probabilities_[fitted.labels_ >= 0].mean()


def test_whole_weights_give_the_scores_and_the_noise_of_repeated_rows(far):
    weights = np.random.default_rng(5).integers(0, 4, len(far))
    rows = np.repeat(np.arange(len(far)), weights)
    options = {"outliers": 0.03, "outlier_threshold": 0.8, "min_cluster_size": 4}
    weighted = finch.FINCH(**options).fit(far, sample_weight=weights)
    repeated = finch.FINCH(**options).fit(far[rows])
    np.testing.assert_array_equal(weighted.outlier_scores_[rows], repeated.outlier_scores_)
    np.testing.assert_array_equal(weighted.labels_[rows], repeated.labels_)
    assert (repeated.labels_ == -1).any() and np.isnan(weighted.outlier_scores_[weights == 0]).all()
    plain = finch.FINCH(**options).fit(far)
    assert (plain.outlier_scores_[weights > 0] != weighted.outlier_scores_[weights > 0]).any()


def test_all_may_be_noise(far):
    fitted = finch.FINCH(partition=0, min_cluster_size=700).fit(far)
    assert (fitted.labels_ == -1).all() and fitted.n_clusters_ == 0
    assert fitted.cluster_centers_.shape == (0, 2) and fitted.medoids_.shape == (0,)
    assert (fitted.predict(far) == -1).all() and (fitted.probabilities_ == 0).all()
    with pytest.raises(ValueError, match="every sample of fit is noise"):
        fitted.transform(far)


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "arrow", "sparse"])
def test_rows_with_missing_values_get_minus_one(far, kind):
    holes = np.insert(far, [0, 300, 791], np.nan, axis=0)
    complete = ~np.isnan(holes).any(axis=1)
    plain = finch.FINCH().fit(far)
    columns = {"a": holes[:, 0], "b": holes[:, 1]}
    if kind == "array":
        X = holes
    elif kind == "pandas":
        X = pytest.importorskip("pandas").DataFrame(columns)
    elif kind == "polars":
        X = pytest.importorskip("polars").DataFrame(columns, nan_to_null=True)
    elif kind == "arrow":
        X = pytest.importorskip("pyarrow").table({name: [None if v != v else v for v in of] for name, of in columns.items()})
    else:
        X = pytest.importorskip("scipy.sparse").csr_array(holes)
    with pytest.raises(ValueError, match="NaN|missing|Null"):
        finch.FINCH().fit(X)
    fitted = finch.FINCH(missing="label").fit(X)
    np.testing.assert_array_equal(fitted.labels_[complete], plain.labels_)
    assert (fitted.labels_[~complete] == -1).all()
    np.testing.assert_array_equal(fitted.partitions_[complete], plain.partitions_)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    distances = fitted.transform(X)
    assert distances.shape == (len(holes), fitted.n_clusters_)
    np.testing.assert_array_equal(np.isnan(distances).all(axis=1), ~complete)
    assert fitted.score(X) == pytest.approx(plain.score(far)) and fitted.score(X, fitted.labels_) == 1
    np.testing.assert_array_equal(np.flatnonzero(complete)[plain.medoids_], fitted.medoids_)
    assert np.isnan(fitted.outlier_scores_[~complete]).all()
    np.testing.assert_array_equal(fitted.outlier_scores_[complete], plain.outlier_scores_)
    assert (fitted.probabilities_[~complete] == 0).all()
    np.testing.assert_array_equal(fitted.probabilities_[complete], plain.probabilities_)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_column_may_have_nan_beside_nulls(far, kind):
    holes = np.insert(far, [0, 300], 0.0, axis=0)
    null, nan = 0, 301
    values = holes[:, 0].copy()
    values[nan] = np.nan
    if kind == "pandas":
        pandas = pytest.importorskip("pandas")
        column = pandas.arrays.FloatingArray(values, np.arange(len(values)) == null)
        X = pandas.DataFrame({"a": column, "b": holes[:, 1]})
    else:
        columns = {"a": [None if row == null else value for row, value in enumerate(values)], "b": holes[:, 1]}
        library = pytest.importorskip("polars" if kind == "polars" else "pyarrow")
        X = library.DataFrame(columns) if kind == "polars" else library.table(columns)
    fitted = finch.FINCH(missing="label").fit(X)
    assert np.flatnonzero(fitted.labels_ == -1).tolist() == [null, nan]
    np.testing.assert_array_equal(np.delete(fitted.labels_, [null, nan]), finch.FINCH().fit(far).labels_)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)


def test_missing_values_do_not_go_with_distances(far):
    def largest(one, other):
        return np.abs(one - other).max()

    X = far[::40]
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    for metric, name in (("precomputed", "precomputed"), ("canberra", "canberra"), (largest, "largest")):
        given = distances if metric == "precomputed" else X
        estimator = finch.FINCH(metric=metric, missing="label")
        with pytest.raises(ValueError, match=f"missing='label' does not go with metric '{name}': leave such rows out"):
            estimator.fit(given)
        assert not allows_nan(estimator)
        finch.FINCH(metric=metric).fit(given)
    assert not allows_nan(finch.FINCH())
    holes = np.insert(X / 100, [0, 3], np.nan, axis=0)
    for metric in ("euclidean", "haversine"):
        estimator = finch.FINCH(metric=metric, missing="label")
        assert allows_nan(estimator)
        assert np.flatnonzero(estimator.fit(holes).labels_ == -1).tolist() == [0, 4]


def allows_nan(estimator):
    """The tag, under any scikit-learn."""
    try:
        from sklearn.utils import get_tags
    except ImportError:
        return estimator._more_tags()["allow_nan"]
    return get_tags(estimator).input_tags.allow_nan


def test_missing_values_go_with_weights(far):
    weights = np.random.default_rng(2).integers(0, 3, len(far)).astype(float)
    holes = np.insert(far, [0, 300], np.nan, axis=0)
    plain = finch.FINCH().fit(far, sample_weight=weights)
    fitted = finch.FINCH(missing="label").fit(holes, sample_weight=np.insert(weights, [0, 300], 7.0))
    np.testing.assert_array_equal(np.delete(fitted.labels_, [0, 301]), plain.labels_)
    assert np.isnan(plain.probabilities_[weights == 0]).all()
    with pytest.raises(ValueError, match="every row of X has a missing value"):
        finch.FINCH(missing="label").fit(np.full((4, 2), np.nan))
    with pytest.raises(ValueError, match="missing is 'drop'"):
        finch.FINCH(missing="drop").fit(far)


def test_noise_of_distances(far):
    X = far[::4]
    by_rows = finch.FINCH(min_cluster_size=8, outliers=0.05).fit(X)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    fitted = finch.FINCH(min_cluster_size=8, outliers=0.05, metric="precomputed").fit(distances)
    assert (fitted.labels_ == -1).sum() >= 5
    np.testing.assert_array_equal(fitted.predict(distances), fitted.labels_)
    assert (fitted.probabilities_[fitted.labels_ == -1] == 0).all()
    assert ((fitted.labels_ == -1) == (by_rows.labels_ == -1)).mean() > 0.9
