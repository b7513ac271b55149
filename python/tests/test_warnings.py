"""Warnings of what a hierarchy says against itself."""

import pickle
import warnings

import numpy as np
import pytest

import finch_clustering as finch
import finch_clustering.compat
from finch_clustering import FinchWarning

NOISE = np.random.default_rng(1).random((10000, 64))
HURRIED = {"search": "approximate", "time_limit": 1e-9}


def test_a_call_that_finds_too_few_neighbours_warns_once_at_the_line_of_the_caller():
    with pytest.warns(FinchWarning, match="99 % were asked for") as seen:
        hierarchy = finch.cluster(NOISE, **HURRIED)
    assert [warning.filename for warning in seen] == [__file__]
    assert hierarchy.recall < 0.98
    assert hierarchy.warnings[0] == str(seen[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert finch.cluster(NOISE).warnings == ()
        # What made the model has warned; the model still says so.
        again = pickle.loads(pickle.dumps(finch.Model(hierarchy, NOISE))).hierarchy
    assert again.warnings == hierarchy.warnings


def test_a_saved_model_says_what_its_hierarchy_said(tmp_path):
    whole = np.random.default_rng(2).integers(1, 4, (300, 2)).astype(float)
    zeros = np.array([[1.0, 0], [1, 0.1], [0, 0], [0, 1], [0.1, 1], [0, 0]])
    for name, X, metric, sentence in (
        ("ties", np.arange(40.0)[:, None], "euclidean", "are ties"),
        ("zeros", zeros, "cosine", "2 samples are all zeros"),
    ):
        with pytest.warns(FinchWarning, match=sentence):
            hierarchy = finch.cluster(X, metric=metric)
        model = finch.Model(hierarchy, X)
        model.save(tmp_path / name)
        with pytest.warns(FinchWarning, match=sentence) as seen:
            again = finch.Model.load(tmp_path / name)
        assert [warning.filename for warning in seen] == [__file__]
        assert again.hierarchy.warnings == hierarchy.warnings and again == model
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert pickle.loads(pickle.dumps(model)).hierarchy.warnings == hierarchy.warnings
            assert finch.Model.from_bytes(bytes(model)).hierarchy.warnings == hierarchy.warnings
    # Equal rows are no ties of other rows, and nothing is said.
    hierarchy = finch.cluster(np.r_[whole, whole + 50])
    finch.Model(hierarchy, np.r_[whole, whole + 50]).save(tmp_path / "plain")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert finch.Model.load(tmp_path / "plain").hierarchy.warnings == ()


def test_a_warning_can_be_made_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", FinchWarning)
        with pytest.raises(FinchWarning):
            finch.cluster(NOISE, **HURRIED)


def test_all_that_makes_a_hierarchy_warns():
    with pytest.warns(FinchWarning):
        hurried = finch.cluster(NOISE, **HURRIED)
    with pytest.warns(FinchWarning):
        hurried.extend(np.r_[NOISE, NOISE[:9] + 1], search="approximate")
    with pytest.warns(FinchWarning):
        finch.Model(hurried, NOISE).extend(NOISE[:9] + 1, search="approximate")
    with pytest.warns(FinchWarning) as seen:
        finch.FINCH(**HURRIED).fit(NOISE)
    assert seen[0].filename == __file__


def test_calls_that_make_no_hierarchy_warn_of_their_searches():
    with pytest.warns(FinchWarning, match="99 % were asked for") as seen:
        finch.first_neighbors(NOISE, **HURRIED)
    assert [warning.filename for warning in seen] == [__file__]
    with pytest.warns(FinchWarning, match="99 % were asked for"):
        finch.nearest_neighbors(NOISE, 3, **HURRIED)
    with pytest.warns(FinchWarning):
        hurried = finch.cluster(NOISE, **HURRIED)
    # Neighbours are searched anew, in a limit of their own.
    for search in (
        lambda: hurried.refine(NOISE, 5),
        lambda: hurried.suggest(NOISE),
        lambda: hurried.dendrogram(NOISE, 5),
    ):
        with pytest.warns(FinchWarning, match="of the nearest neighbours of 10000 samples"):
            search()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finch.first_neighbors(NOISE)
        hurried.refine(NOISE, 5, linkage="ward")


def test_many_ties_are_warned_of_but_where_rows_are_sorted():
    answers = np.random.default_rng(2).integers(1, 6, (2_000, 10))
    with pytest.warns(FinchWarning, match=r"about \d+ % of the first neighbours are ties") as seen:
        hierarchy = finch.cluster(answers)
    assert [warning.filename for warning in seen] == [__file__]
    assert hierarchy.warnings == (str(seen[0].message),)
    with pytest.warns(FinchWarning, match="ties"):
        finch.compat.FINCH(answers, distance="euclidean", verbose=False)
    grid = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    with pytest.warns(FinchWarning, match="ties"):
        finch.cluster_distances(grid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finch.cluster(answers + np.random.default_rng(3).uniform(size=answers.shape))
        # Repeated rows are no ties, and the estimator sorts rows by their values.
        finch.cluster(answers[:, :3])
        labels = finch.FINCH().fit_predict(answers)
        order = np.random.default_rng(4).permutation(2_000)
        np.testing.assert_array_equal(finch.FINCH().fit_predict(answers[order]), labels[order])


def test_zero_rows_are_a_cluster_of_their_own_under_cosine():
    X = np.array([[5, 0], [5, 0.1], [0, 5], [0.1, 5], [0, 0]])
    with pytest.warns(finch.FinchWarning, match="sample 4 .* all zeros"):
        hierarchy = finch.cluster(X, metric="cosine")
    assert hierarchy.labels[:, 0].tolist() == [0, 0, 1, 1, 2]
    many = np.concatenate([X, np.zeros((3, 2))])
    sparse = pytest.importorskip("scipy.sparse")
    for samples in (many, many.astype(np.float32), sparse.csr_array(many)):
        with pytest.warns(finch.FinchWarning, match="4 samples are all zeros.* sample 4 "):
            labels = finch.cluster(samples, metric="cosine").labels[:, 0]
        assert labels.tolist() == [0, 0, 1, 1, 2, 2, 2, 2]
    with pytest.warns(finch.FinchWarning, match="all zeros"):
        assert finch.FINCH(metric="cosine", partition=0).fit(many).labels_.max() == 2
    with pytest.warns(finch.FinchWarning, match="all zeros"):
        c = finch.compat.FINCH(many, distance="cosine", verbose=False)[0]
    assert len(np.unique(c[:, 0])) == 3


def test_new_zero_rows_that_nothing_is_near_are_told():
    X = np.array([[5, 0], [5, 0.1], [0, 5], [0.1, 5]])
    model = finch.Model(finch.cluster(X, metric="cosine"), X)
    with pytest.warns(finch.FinchWarning, match="nothing in the model is near new sample 1 "):
        predicted = model.predict([[1.0, 0.0], [0.0, 0.0]])
    assert predicted.labels.tolist() == [0, 0] and predicted.distance[1] == 2
    estimator = finch.FINCH(metric="cosine", n_clusters=2).fit(X)
    with pytest.warns(finch.FinchWarning, match="nothing in the model is near"):
        estimator.predict([[0.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)


@pytest.mark.filterwarnings("ignore:.*all zeros")
def test_zero_rows_are_near_to_a_mean_of_zeros_alone():
    X = np.array([[5, 0], [5, 0.1], [0, 5], [0.1, 5], [0, 0]])
    sparse = pytest.importorskip("scipy.sparse")
    for samples in (X, sparse.csr_array(X)):
        estimator = finch.FINCH(metric="cosine", n_clusters=3).fit(samples)
        distances = estimator.transform(samples)
        np.testing.assert_array_equal(distances.argmin(axis=1), estimator.labels_)
        assert sorted(distances[4]) == [0, 2, 2] and (distances[:4, distances[4].argmin()] == 2).all()


def faulty(row, value=1e200):
    """Rows in an order that is not that of their values, one of them at fault."""
    X = np.random.default_rng(4).normal(size=(60, 2))
    X[row, 1] = value
    return X


@pytest.mark.parametrize("missing", ["error", "label"])
def test_the_estimator_names_rows_of_the_caller(missing):
    sparse = pytest.importorskip("scipy.sparse")
    pytest.importorskip("sklearn")
    X, bits, zeros = faulty(40), (faulty(40) > 0).astype(float), faulty(3, 1.0)
    bits[40, 0] = 0.5
    zeros[[40, 41]] = 0
    weights = np.ones(60)
    weights[40] = 1e-200
    if missing == "label":
        for each in (X, bits, zeros):
            each[[5, 50], 0] = np.nan
    for samples, metric in ((X, "euclidean"), (sparse.csr_array(X), "euclidean"), (bits, "jaccard")):
        with pytest.raises(finch.Error, match="at row 40, column 1|and row 40, column 0"):
            finch.FINCH(metric=metric, missing=missing).fit(samples)
    plain = finch.FINCH(missing=missing)
    with pytest.raises(finch.Error, match="sample 40 has weight 1e-200"):
        plain.fit(zeros + 1, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight has -1.0 at row 40"):
        plain.fit(zeros + 1, sample_weight=np.where(weights < 1, -1, weights))
    cosine = finch.FINCH(metric="cosine", missing=missing)
    with pytest.warns(FinchWarning, match="the first is sample 40 "):
        cosine.fit(zeros)
    with pytest.warns(FinchWarning, match="near 2 new samples, the first is sample 40 "):
        finch.FINCH(metric="cosine", missing=missing).fit(faulty(3, 1.0)).predict(zeros)
    with pytest.raises(finch.Error, match="at row 40, column 1"):
        finch.FINCH(missing=missing).fit(faulty(3, 1.0)).predict(X)


def test_a_batch_names_its_matrices_and_their_rows():
    X, zeros = faulty(40), faulty(3, 1.0)
    zeros[40] = 0
    for holes in ([], [5, 50]):
        X[holes, 0] = zeros[holes, 0] = np.nan
        missing = "label" if holes else "error"
        with pytest.raises(finch.Error, match=r"^X\[1\]: the value 1e200 at row 40,"):
            finch.cluster_batch([faulty(3, 1.0), X], missing=missing)
        with pytest.warns(FinchWarning, match=r"^X\[1\]: sample 40 .* is all zeros"):
            finch.cluster_batch([faulty(3, 1.0), zeros], metric="cosine", missing=missing)


@pytest.mark.filterwarnings("error")
def test_rows_without_a_correlation_are_constant():
    X = np.random.default_rng(4).normal(size=(60, 7))
    # The mean of seven 0.1 is not 0.1.
    X[[20, 40]] = [[0.1], [7.0]]
    told = "2 samples are constant, which have no direction under correlation, .* the first is sample 20 "
    with pytest.warns(FinchWarning, match=told):
        hierarchy = finch.cluster(X, metric="correlation")
    with pytest.warns(FinchWarning, match="near new sample 1 .* since constant rows have no direction under corr"):
        pytest.importorskip("sklearn")
        finch.FINCH(metric="correlation").fit(X[:20]).predict(X[19:21])
    for each in (hierarchy, pickle.loads(pickle.dumps(hierarchy))):
        assert "are constant" in each.warnings[0] and "zeros" not in each.warnings[0]
    with pytest.warns(FinchWarning, match="3 samples are constant"):
        hierarchy.extend(np.r_[X, np.ones((1, 7))])
    with pytest.warns(FinchWarning, match=told):
        finch.FINCH(metric="correlation").fit(X)
