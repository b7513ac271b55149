"""FINCH as an estimator of scikit-learn."""

import io
import pickle
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest

pytest.importorskip("sklearn")

import finch_clustering as finch
import joblib
from finch_clustering._sklearn import numbering as _numbering
from finch_clustering._sklearn.order import sorted_rows
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks(
    [
        finch.FINCH(),
        finch.FINCH(n_clusters=3),
        finch.FINCH(n_clusters=2, linkage="ward", n_jobs=1),
        finch.FINCH(metric="manhattan", partition=-1),
        finch.FINCH(metric="cosine", link_bound="first-neighbor"),
    ]
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def same_clusters(a, b):
    """Whether two labellings differ in the numbers of clusters alone."""
    pairs = {pair for pair in zip(a.tolist(), b.tolist())}
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


@pytest.fixture
def distinct(aggregation):
    """Points of which no two are equal, nor equally far apart."""
    X, truth = aggregation
    return X + np.random.default_rng(0).uniform(-0.3, 0.3, X.shape), truth


def test_labels_are_those_of_the_functions(distinct):
    X, truth = distinct
    hierarchy = finch.cluster(X)
    fitted = finch.FINCH(partition=2).fit(X)
    np.testing.assert_array_equal(fitted.partitions_, hierarchy.labels)
    assert fitted.n_clusters_ == hierarchy.n_clusters[2]
    assert same_clusters(fitted.labels_, hierarchy[2])
    assert fitted.explanation_ == hierarchy.explanation
    assert fitted.recall_ == 1
    for linkage in ("auto", "neighbor", "means", "centroid", "ward"):
        seven = finch.FINCH(7, linkage=linkage).fit_predict(X)
        assert same_clusters(seven, hierarchy.refine(X, 7, linkage=linkage))
    assert finch.score(finch.FINCH(7).fit_predict(X), truth).accuracy > 0.99
    suggested = finch.FINCH().fit(X)
    assert same_clusters(suggested.labels_, hierarchy.suggest(X).labels)
    assert suggested.n_clusters_ == hierarchy.suggest(X).n_clusters


def test_means_are_taken_where_neighbours_are_noise():
    random = np.random.default_rng(5)
    truth = np.arange(1500) % 5
    X = 0.35 * random.normal(size=(5, 64))[truth] + random.normal(size=(1500, 64))
    hierarchy = finch.cluster(X, refinable=True)
    auto, means, neighbor = (hierarchy.refine(X, 5, linkage=name) for name in ("auto", "means", "neighbor"))
    np.testing.assert_array_equal(hierarchy.refine(X, 5), auto)
    np.testing.assert_array_equal(auto, means)
    np.testing.assert_array_equal(finch.cluster_batch([X], n_clusters=5)[0], means)
    assert finch.score(means, truth).ari > finch.score(neighbor, truth).ari + 0.2
    assert same_clusters(finch.FINCH(5).fit_predict(X), means)
    by_ward = hierarchy.refine(X, 5, linkage="ward")
    np.testing.assert_array_equal(hierarchy.refine(X, 5, linkage="means", nested=True), by_ward)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_distances_to_means_by_their_definition(aggregation, metric):
    X, _ = aggregation
    fitted = finch.FINCH(5, metric=metric).fit(X)
    means = np.array([X[fitted.labels_ == cluster].mean(axis=0) for cluster in range(5)])
    np.testing.assert_allclose(fitted.cluster_centers_, means)
    each = {
        "euclidean": lambda x, m: np.sqrt(((x - m) ** 2).sum()),
        "manhattan": lambda x, m: np.abs(x - m).sum(),
        "cosine": lambda x, m: 1 - x @ m / np.linalg.norm(x) / np.linalg.norm(m),
    }[metric]
    expected = [[each(x, m) for m in means] for x in X[:50]]
    np.testing.assert_allclose(fitted.transform(X[:50]), expected, atol=1e-7)
    assert fitted.get_feature_names_out().tolist() == [f"finch{k}" for k in range(5)]


@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
def test_samples_of_bits(metric):
    from sklearn.metrics import pairwise_distances

    rng = np.random.default_rng(2)
    X = (rng.random((6, 50)) < 0.4)[rng.integers(6, size=120)] ^ (rng.random((120, 50)) < 0.1)
    estimator = finch.FINCH(n_clusters=6, metric=metric).fit(X)
    assert len(set(estimator.labels_)) == 6
    assert (estimator.predict(X) == estimator.labels_).all()
    alone = finch.FINCH(n_clusters=20, metric=metric).fit(X[:20])
    expected = pairwise_distances(X, X[:20], metric=metric)
    np.testing.assert_allclose(alone.transform(X)[:, alone.labels_], expected)


def test_numbers_of_clusters_do_not_depend_on_the_order_of_samples():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    order = rng.permutation(400)
    for parameters in ({}, {"n_clusters": 9}):
        model = finch.FINCH(**parameters)
        labels = model.fit(X).labels_
        np.testing.assert_array_equal(model.fit(X[order]).labels_, labels[order])
        assert (np.diff(np.bincount(labels)) <= 0).all()


KINDS = {
    "float64": lambda X: X.astype(np.float64),
    "column-major float32": lambda X: np.asfortranarray(X.astype(np.float32)),
    "float16": lambda X: X.astype(np.float16),
    "int8": lambda X: (X - 2).astype(np.int8),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "sparse": lambda X: csr_array(X - 1.0),
    "table": lambda X: pytest.importorskip("pandas").DataFrame(X, columns=list("abcd")),
    "weights": lambda X: X.astype(np.float64),
    "bits": lambda X: np.hstack([X > 0, X > 1, X > 2]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"partition": 0}, {"n_clusters": 3}, {"n_clusters": 7, "linkage": "ward"}, {"n_clusters": 21}],
)
def test_ties_do_not_show_the_order_of_samples(kind, parameters):
    rng = np.random.default_rng(8)
    for metric in ("hamming", "jaccard") if kind == "bits" else ("euclidean", "cosine", "manhattan"):
        for _ in range(2):
            # Distinct whole numbers, of which most have two or more nearest.
            X = KINDS[kind](rng.permutation(np.argwhere(np.ones((3, 4, 2, 3))))[:24])
            weights = rng.integers(1, 4, 24) if kind == "weights" else np.ones(24)
            model, order = finch.FINCH(metric=metric, **parameters), rng.permutation(24)
            fitted = model.fit(X, sample_weight=weights if kind == "weights" else None)
            labels, partitions = fitted.labels_, fitted.partitions_
            outliers = fitted.outlier_scores_
            shuffled = X.iloc[order] if kind == "table" else X[order]
            model.fit(shuffled, sample_weight=weights[order] if kind == "weights" else None)
            np.testing.assert_array_equal(model.labels_, labels[order])
            assert model.partitions_.shape == partitions.shape
            for found, expected in zip(model.partitions_.T, partitions[order].T):
                assert same_clusters(found, expected)
            np.testing.assert_array_equal(model.outlier_scores_, outliers[order])


def test_the_samples_of_the_model_are_rows_of_x():
    X = np.array([[1, 0], [0, 2], [1, 1], [0, 1]])
    for rows in (X, np.concatenate([X, [[0, 1]]]), X[::-1]):
        fitted = finch.FINCH(partition=0).fit(rows)
        assert fitted.n_clusters_ == 1
        np.testing.assert_array_equal(fitted.model_.samples, rows[fitted.model_rows_])
        np.testing.assert_array_equal(fitted.model_[-1], fitted.labels_[fitted.model_rows_])
    weighted = finch.FINCH().fit(X, sample_weight=[1, 0, 2, 1])
    np.testing.assert_array_equal(weighted.model_rows_, [3, 0, 2])


def test_numbering_by_its_definition():
    rng = np.random.default_rng(4)
    for _ in range(50):
        X = rng.integers(0, 3, (30, 4))
        labels = rng.integers(0, 6, 30).astype(np.int32)
        _, labels = np.unique(labels, return_inverse=True)
        weights = rng.integers(1, 3, 30).astype(float)
        clusters = range(labels.max() + 1)
        smallest = {c: min(X[labels == c].tolist()) for c in clusters}
        order = sorted(clusters, key=lambda c: (-weights[labels == c].sum(), smallest[c], c))
        found = _numbering.by_size(labels.astype(np.int32), X, weights)
        ties = len({(weights[labels == c].sum(), *smallest[c]) for c in clusters}) < len(clusters)
        if not ties:
            assert found.tolist() == [order.index(label) for label in labels]
    same = _numbering.by_size(np.array([0, 1, 1], np.int32), np.ones((3, 2)))
    assert same.tolist() == [1, 0, 0]


def test_pipelines_searches_clones_and_pickles(aggregation):
    X, _ = aggregation
    pipeline = make_pipeline(StandardScaler(), finch.FINCH(7))
    labels = pipeline.fit_predict(X)
    assert labels.max() == 6
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pipeline))[-1].labels_, labels)
    np.testing.assert_array_equal(clone(pipeline).fit_predict(X), labels)

    def separation(estimator, X, y=None):
        distances = np.sort(estimator.transform(X), axis=1)
        return np.mean(1 - distances[:, 0] / distances[:, 1])

    search = GridSearchCV(
        finch.FINCH(), {"n_clusters": [2, 4, 7]}, scoring=separation, cv=3, n_jobs=2
    )
    assert search.fit(X).best_params_["n_clusters"] in (2, 4, 7)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    with joblib.parallel_config("loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(finch.FINCH(k).fit_predict)(X) for k in (2, 7))
    np.testing.assert_array_equal(found[1], finch.FINCH(7).fit_predict(X))


def test_threads_do_not_show(aggregation):
    X, _ = aggregation
    expected = finch.FINCH(7).fit_predict(X)
    for n_jobs in (1, 2, -1):
        np.testing.assert_array_equal(finch.FINCH(7, n_jobs=n_jobs).fit_predict(X), expected)


def test_arrays_in_order_are_not_copied(mice, monkeypatch):
    from finch_clustering import _cluster

    seen = []
    samples = _cluster.Samples
    monkeypatch.setattr(_cluster, "Samples", lambda X: seen.append(X) or samples(X))
    for dtype in (np.float32, np.float64, np.uint8):
        X = np.asfortranarray((99 * mice).astype(dtype))
        # Others are put in order, in a copy.
        X = np.asfortranarray(X[sorted_rows(X)])
        finch.FINCH().fit(X)
        assert np.shares_memory(seen.pop(), X)


def test_verbose_says_which_search_ran(aggregation):
    X, _ = aggregation
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        fitted = finch.FINCH(verbose=1).fit(X)
    assert out.getvalue() == fitted.explanation_ + "\n"
    with redirect_stdout(out := io.StringIO()):
        finch.FINCH().fit(X)
    assert out.getvalue() == ""


def test_progress_is_told_and_can_stop(aggregation):
    X, _ = aggregation
    told = []
    finch.FINCH(7, progress=told.append).fit(X)
    assert {now.stage for now in told} >= {"neighbors", "link"}
    with pytest.raises(finch.Cancelled):
        finch.FINCH(progress=lambda now: True).fit(X)


def test_a_bar_is_drawn():
    pytest.importorskip("tqdm")
    X = np.random.default_rng(5).integers(0, 255, (12_000, 400), np.uint8)
    with redirect_stderr(err := io.StringIO()), finch.ProgressBar() as bar:
        finch.cluster(X, search="brute", threads=1, progress=bar)
    assert "searching neighbours, level 0" in err.getvalue()


def test_parameters_are_checked(aggregation):
    X, _ = aggregation
    cases = [
        ({"n_clusters": 2.5}, TypeError, "n_clusters is 2.5"),
        ({"partition": "all"}, TypeError, "partition is 'all'"),
        ({"partition": None}, TypeError, "partition is None"),
        ({"partition": 99}, IndexError, "no partition 99"),
        ({"n_clusters": 0}, ValueError, "cannot make 0"),
        ({"n_clusters": 789}, ValueError, "ask for 1 to 788"),
        ({"metric": "l3"}, ValueError, "there is no metric 'l3'"),
        ({"linkage": "single", "n_clusters": 2}, ValueError, "there is no linkage 'single'"),
        ({"search": "tree"}, ValueError, "there is no search 'tree'"),
        ({"recall": 2}, ValueError, "recall"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ]
    for parameters, error, message in cases:
        with pytest.raises(error, match=message):
            finch.FINCH(**parameters).fit(X)


def test_names_of_features():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(6).normal(size=(60, 3))
    table = pandas.DataFrame(X, columns=["a", "b", "c"])
    fitted = finch.FINCH(3).fit(table)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(fitted.labels_, finch.FINCH(3).fit_predict(X))
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(table[["b", "a", "c"]])
    out = fitted.set_output(transform="pandas").transform(table)
    assert out.columns.tolist() == ["finch0", "finch1", "finch2"]
    with pytest.raises(TypeError, match="column 'b' of X has dtype"):
        finch.FINCH().fit(table.assign(b="x"))


def test_new_samples_get_the_labels_of_the_nearest(distinct):
    X, _ = distinct
    new = np.random.default_rng(1).uniform(0, 30, (200, 2))
    for parameters in ({}, {"n_clusters": 5}, {"metric": "manhattan", "partition": 1}):
        fitted = finch.FINCH(**parameters).fit(X)
        np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
        differences = np.abs(new[:, None] - X)
        power = 1 if fitted.metric == "manhattan" else 2
        nearest = (differences**power).sum(axis=2).argmin(axis=1)
        np.testing.assert_array_equal(fitted.predict(new), fitted.labels_[nearest])
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(new), fitted.predict(new))
        assert again.model_ == fitted.model_
    with pytest.raises(AttributeError):
        finch.FINCH().medoids_


def test_new_samples_of_other_types(mice):
    pixels = (99 * np.clip(mice, 0, 2)).astype(np.uint8)
    for dtype in (np.uint8, np.float32, np.int16):
        fitted = finch.FINCH(3).fit(pixels.astype(dtype))
        for other in (np.uint8, np.float32, np.float64, np.int64):
            np.testing.assert_array_equal(fitted.predict(pixels.astype(other)), fitted.labels_)
    fitted = finch.FINCH().fit(pixels)
    with pytest.raises(ValueError, match="not those of uint8"):
        fitted.predict(pixels + 0.5)


def test_weights_are_repeated_rows(distinct):
    X = distinct[0][::4]
    rng = np.random.default_rng(2)
    weights = rng.integers(0, 4, len(X))
    order = rng.permutation(len(X))
    repeated = rng.permutation(np.repeat(np.arange(len(X)), weights))
    for parameters in ({}, {"n_clusters": 4}, {"n_clusters": 9, "linkage": "ward"}):
        model = finch.FINCH(**parameters)
        weighted = clone(model).fit(X, sample_weight=weights)
        shuffled = clone(model).fit(X[order], sample_weight=weights[order])
        by_rows = clone(model).fit(X[repeated])
        np.testing.assert_array_equal(shuffled.labels_, weighted.labels_[order])
        np.testing.assert_array_equal(by_rows.labels_, weighted.labels_[repeated])
        np.testing.assert_allclose(by_rows.cluster_centers_, weighted.cluster_centers_)
        for a, b in zip(by_rows.partitions_.T, weighted.partitions_[repeated].T):
            assert same_clusters(a, b)
        assert (weights[weighted.medoids_] > 0).all()
        np.testing.assert_array_equal(np.isnan(weighted.outlier_scores_), weights == 0)
        # Rows of weight 0 have no say, and the labels of the nearest row.
        left = weights > 0
        alone = clone(model).fit(X[left], sample_weight=weights[left])
        np.testing.assert_array_equal(alone.labels_, weighted.labels_[left])
        np.testing.assert_array_equal(alone.predict(X), weighted.labels_)
    np.testing.assert_array_equal(
        finch.FINCH(4).fit_predict(X, sample_weight=np.full(len(X), 1.0)),
        finch.FINCH(4).fit_predict(X),
    )
    with pytest.raises(ValueError, match="[Ss]ample weight.* zero|non-zero"):
        finch.FINCH().fit(X, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="-1.0 at row 3"):
        finch.FINCH().fit(X, sample_weight=np.where(np.arange(len(X)) == 3, -1, 1))


def test_order_of_rows_by_its_definition():
    rng = np.random.default_rng(7)
    for trial in range(60):
        shape = (rng.integers(1, 40), rng.integers(1, 4))
        X = rng.integers(-2 * (trial % 3 > 0), 4, shape).astype([np.uint8, np.float32, np.float64][trial % 3])
        weights = rng.integers(1, 3, len(X)).astype(float)
        table = np.column_stack([X, weights])
        order = sorted_rows(X, weights)
        assert sorted(order) == list(range(len(X)))
        by_sum = sorted(table.tolist(), key=lambda row: (sum(row[:-1]), row))
        np.testing.assert_array_equal(table[order], by_sum)
        shuffled = rng.permutation(len(X))
        for Y in (X[shuffled], np.asfortranarray(X[shuffled]), csr_array(X[shuffled].astype(float))):
            again = sorted_rows(Y, weights[shuffled])
            np.testing.assert_array_equal(table[shuffled][again], table[order])


def test_the_tree_medoids_and_outliers(distinct):
    X, _ = distinct
    hierarchy = finch.cluster(X)
    for fitted in (finch.FINCH(7).fit(X), finch.FINCH(7).fit(np.concatenate([X, X[:50]]))):
        rows = len(fitted.labels_)
        tree = np.column_stack([fitted.children_, fitted.distances_])
        assert tree.shape == (rows - 1, 3)
        # Cut below a height, the tree gives a partition.
        members = [[row] for row in range(rows)]
        labels = np.arange(rows)
        for a, b, height in tree:
            members.append(members[int(a)] + members[int(b)])
            if height <= 2:
                labels[members[-1]] = labels[members[-1]].min()
        assert same_clusters(labels, fitted.partitions_[:, 1])
        points = np.concatenate([X, X[: rows - len(X)]])
        for cluster, medoid in enumerate(fitted.medoids_):
            of_cluster = points[fitted.labels_ == cluster]
            sums = np.sqrt(((of_cluster[:, None] - of_cluster) ** 2).sum(axis=2)).sum(axis=1)
            own = np.sqrt(((of_cluster - points[medoid]) ** 2).sum(axis=1)).sum()
            assert fitted.labels_[medoid] == cluster
            assert own == pytest.approx(sums.min())
        assert ((0 <= fitted.outlier_scores_) & (fitted.outlier_scores_ <= 1)).all()
    np.testing.assert_array_equal(finch.FINCH().fit(X).outlier_scores_, hierarchy.outlier_scores(X))
    refitted = finch.FINCH(7).fit(X)
    before = refitted.medoids_
    assert len(refitted.fit(X[:200]).medoids_) == len(before)
    assert refitted.medoids_.max() < 200


@pytest.mark.parametrize("metric", ["jaccard", "hamming"])
def test_sparse_sets_are_clustered_as_dense_ones(metric):
    random = np.random.default_rng(5)
    X = (random.random((300, 40)) < 0.1).astype(float)
    X[::50] = 0
    sparse = csr_array(X)
    estimators = [finch.FINCH(n_clusters=4, metric=metric).fit(rows) for rows in (X, sparse)]
    assert np.array_equal(*[estimator.labels_ for estimator in estimators])
    new = (random.random((50, 40)) < 0.1).astype(float)
    assert np.array_equal(estimators[0].predict(new), estimators[1].predict(csr_array(new)))
    of_dense, of_sparse = [
        estimator.transform(rows) for estimator, rows in zip(estimators, (new, csr_array(new)))
    ]
    assert np.allclose(of_dense, of_sparse, rtol=0, atol=1e-12)
    X[3, 4] = 2
    with pytest.raises(finch.Error, match="row 3, column 4"):
        finch.cluster(csr_array(X), metric=metric)


def test_bits_are_samples_of_0_and_1():
    X = np.random.default_rng(3).random((90, 20)) < 0.5
    bits = finch.Bits(np.packbits(X, axis=1), 20)
    for options in ({"metric": "hamming"}, {"metric": "jaccard", "missing": "label"}, {"metric": "chebyshev"}):
        fitted, expected = finch.FINCH(**options).fit(bits), finch.FINCH(**options).fit(X)
        np.testing.assert_array_equal(fitted.labels_, expected.labels_)
        np.testing.assert_array_equal(fitted.predict(bits[::2]), expected.predict(X[::2]))
        assert fitted.n_features_in_ == 20
    with pytest.raises(TypeError, match=r"bits\[3\] is one sample: .*bits\[3:4\]"):
        bits[3]
    with pytest.raises(TypeError, match="bits.unpacked"):
        list(bits)


def test_missing_values_name_their_place_and_the_way_out():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(3).normal(size=(30, 3))
    X[20, 1] = np.nan
    nullable = pandas.DataFrame({"a": pandas.array([1, None, 3], "Int64")})
    for samples, place in (
        (X, "NaN in row 20, column 1"),
        (X.tolist(), "NaN in row 20, column 1"),
        (csr_array(X), "NaN in row 20, column 1"),
        (pandas.DataFrame(X, columns=list("abc")), "NaN in column 'b', row 20"),
        (nullable, "a missing value in column 'a', row 1"),
    ):
        with pytest.raises(ValueError, match=rf"X has {place}.*FINCH\(missing='label'\) gives the row the label -1$"):
            finch.FINCH().fit(samples)
    with pytest.raises(ValueError, match="X has NaN in row 20, column 1: impute it, or leave the row out$"):
        finch.FINCH(metric="chebyshev").fit(X)


def test_scores_of_distances_need_classes():
    X = np.random.default_rng(3).normal(size=(30, 3))
    fitted = finch.FINCH(metric="chebyshev").fit(X)
    assert fitted.score(X, fitted.labels_) == 1
    with pytest.raises(AttributeError, match="score without classes y takes samples"):
        fitted.score(X)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [({"linkage": "foo"}, ValueError), ({"small": "foo"}, ValueError), ({"partition": True}, TypeError)],
)
def test_parameters_are_refused_also_where_they_are_not_used(parameters, error):
    with pytest.raises(error, match="|".join(map(str, parameters.values()))):
        finch.FINCH(**parameters).fit(np.eye(4))


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_sparse_rows_of_any_indices_and_metric_get_the_labels_of_dense_ones(metric):
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(0)
    rows, columns = np.nonzero(random.random((50, 9)) < 0.4)
    X = sparse.coo_array((random.random(len(rows)), (rows, columns)), shape=(50, 9)).tocsr()
    model, dense = (finch.FINCH(metric=metric).fit(each) for each in (X, X.toarray()))
    np.testing.assert_array_equal(model.labels_, dense.labels_)
    np.testing.assert_array_equal(model.predict(X), dense.predict(X.toarray()))
    if metric == "manhattan":
        np.testing.assert_allclose(model.transform(X), dense.transform(X.toarray()))


def test_parameters_that_are_no_numbers_are_named():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(TypeError, match="n_jobs is 'a': give a whole number"):
        finch.FINCH(n_jobs="a").fit(X)
    with pytest.raises(ValueError, match="random_state is -1"):
        finch.FINCH(random_state=-1).fit(X)
