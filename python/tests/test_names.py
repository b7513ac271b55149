"""Names of clusters that last: by the means of older clusters, and as a user has given them."""

import pickle
import runpy
from pathlib import Path

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering import ClusterNames, keep_labels_by_means, regroup

ROOT = Path(__file__).resolve().parents[2]
FACES = np.random.default_rng(9).normal(size=(9, 32)) * 3


def day(people, count=20, seed=0, noise=0.6):
    """Rows of some people, and the person of each."""
    y = np.repeat(people, count)
    return FACES[y] + np.random.default_rng(seed).normal(0, noise, (len(y), 32)), y


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_names_last_for_days_without_older_rows(metric):
    X, y = day([0, 1, 2, 3])
    hierarchy = finch.cluster(X, metric=metric)
    labels = hierarchy.refine(X, 4)
    model = finch.Model(hierarchy, X, refined=[labels], keep_samples=False)
    described = finch.describe(X, labels, metric=metric)
    # The second has gone, two have come, in another order.
    X, y = day([4, 3, 0, 2, 5], seed=1)
    for old in (model, described, described.means):
        second = keep_labels_by_means(old, y, X, metric=metric)
        assert second.labels[::20].tolist() == [4, 3, 0, 2, 5]
        assert second.fates == ["appeared", "kept", "kept", "kept", "appeared"]
        assert second.vanished == [1] and second.names.next_name == 6
        assert second.names.metric == metric
    # The number of the second is of nobody else, and is there again when the second is.
    names = pickle.loads(pickle.dumps(second.names))
    X, y = day([6, 1, 5], seed=2)
    third = keep_labels_by_means(names, np.where(np.arange(60) == 3, -1, y), X)
    assert third.labels[[0, 3, 20, 40]].tolist() == [6, -1, 1, 5]
    assert sorted(third.vanished) == [0, 2, 3, 4] and third.names.next_name == 7
    np.testing.assert_allclose(third.names.means[1], X[20:40].mean(axis=0))
    # Numbers of those that vanished, where a caller wants them.
    again = keep_labels_by_means(names, y, X, reuse_numbers=True)
    assert again.labels[::20].tolist() == [0, 1, 5] and len(again.names.names) == 3
    assert keep_labels_by_means(again.names, y, X, reuse_numbers=True).labels[::20].tolist() == [0, 1, 5]


def test_a_name_goes_to_the_nearest_within_half_of_the_way_to_the_next():
    def named(old, new, sizes=None):
        sizes = np.ones(len(new)) if sizes is None else sizes
        X = np.repeat(np.array(new, float), np.array(sizes, int), axis=0)[:, None]
        y = np.repeat(np.arange(len(new)), np.array(sizes, int))
        return keep_labels_by_means(np.array(old, float)[:, None], y, X).cluster_names.tolist()

    assert named([0, 10], [4.9, 5.1]) == [0, 1]
    assert named([0, 10], [5]) == [2], "halfway is nobody's"
    # Two clusters near one: the nearer, then the larger, then the first.
    assert named([0, 10], [2, 1, 10]) == [2, 0, 1]
    assert named([0, 10], [2, -2, 10], [1, 3, 1]) == [2, 0, 1]
    assert named([0, 10], [2, -2, 10]) == [0, 2, 1]
    # A single one, beside others and alone.
    assert named([0], [3, 10]) == [0, 1] and named([0], [6, 10]) == [1, 2]
    assert named([0], [1000]) == [0]
    # Of one mean no name can be told.
    assert named([0, 0, 10], [0, 10]) == [3, 2]


def test_labels_are_names_with_noise_and_in_any_order():
    X, y = day([4, 1, 7])
    labels = np.where(np.arange(60) % 7 == 0, -1, y)
    names = ClusterNames.of(X, labels, metric="cosine")
    assert names.names.tolist() == [4, 1, 7] and names.next_name == 8
    np.testing.assert_allclose(names.means[1], X[labels == 1].mean(axis=0))
    X, y = day([7, 2, 4], seed=1)
    assert keep_labels_by_means(names, y, X).labels[::20].tolist() == [7, 8, 4]
    with pytest.raises(ValueError, match="labels has -2"):
        ClusterNames.of(X, y - 4)
    with pytest.raises(ValueError, match="no metric of means 'hamming'"):
        ClusterNames.of(X, y, metric="hamming")


def test_a_metric_has_the_names_of_other_programs():
    X, y = day([0, 1, 2])
    names = ClusterNames.of(X, y, metric="l1")
    assert names.metric == "manhattan"
    for metric in ("l1", "manhattan", "cityblock", None):
        assert keep_labels_by_means(names, y, X, metric=metric).names.metric == "manhattan"
    assert keep_labels_by_means(names.means, y, X, metric="l1").names.metric == "manhattan"
    with pytest.raises(ValueError, match="metric is 'l2', and the old clusters have 'manhattan'"):
        keep_labels_by_means(names, y, X, metric="l2")
    for call in (lambda: ClusterNames.of(X, y, metric=1), lambda: keep_labels_by_means(X[:2], y, X, metric=[1])):
        with pytest.raises(TypeError, match="metric of means is .*: give one of"):
            call()


def test_weights_count_and_sparse_rows_are_rows():
    X, y = day([0, 1])
    weights = np.where(np.arange(40) % 5 == 0, 3.0, 1.0)
    names, repeated = ClusterNames.of(X, y, weights=weights), np.repeat(np.arange(40), weights.astype(int))
    expected = ClusterNames.of(X[repeated], y[repeated])
    np.testing.assert_allclose(names.means, expected.means)
    np.testing.assert_array_equal(names.sizes, expected.sizes)
    sparse = pytest.importorskip("scipy.sparse")
    found = keep_labels_by_means(names, y, sparse.csr_array(X), weights=weights)
    assert found.fates == ["kept", "kept"]
    np.testing.assert_allclose(found.names.means, names.means)


def test_the_example_of_photos_runs(capsys):
    runpy.run_path(str(ROOT / "examples/python/people.py"))
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "clusters: [20, 20, 20]" and "Ada: 25 photos, grew" in told
    assert told[-1] == "seen again: ['person 4', 'Grace']"


def test_every_name_is_there_once_and_numbers_only_grow():
    rng = np.random.default_rng(0)
    for trial in range(60):
        columns = rng.integers(1, 5)
        names = ClusterNames(np.empty((0, columns)), np.empty(0), np.empty(0, np.int64), 0)
        ever = set()
        for _ in range(5):
            X = rng.integers(0, 6, (rng.integers(1, 40), columns)).astype(float)
            y = rng.integers(-1, rng.integers(1, 9), len(X))
            before, next_name = set(names.names.tolist()), names.next_name
            kept = keep_labels_by_means(names, y, X)
            found = kept.cluster_names.tolist()
            assert len(set(found)) == len(found) == len(set(y) - {-1})
            assert {each for each in found if each < next_name} <= before
            new = [each for each in found if each >= next_name]
            assert new == list(range(next_name, next_name + len(new))) and not ever & set(new)
            ever |= set(new)
            assert set(kept.vanished) == before - set(found)
            # Clusters stay what they are.
            assert len({*zip(y, kept.labels)}) == len(set(y))
            names = kept.names
            assert len(set(names.names.tolist())) == len(names.names)


def test_what_cannot_be_named_is_refused():
    X, y = day([0, 1])
    means = finch.describe(X, y).means
    cases = [
        (lambda: keep_labels_by_means(means[:, :5], y, X), "have 32 features, and the old ones 5"),
        (lambda: keep_labels_by_means(means[0], y, X), "old has 1 dimensions where means take 2"),
        (lambda: keep_labels_by_means(means, y, X, metric="jaccard"), "no metric of means 'jaccard'"),
        (lambda: keep_labels_by_means(means, y), "new are labels, which have no means"),
        (lambda: keep_labels_by_means(means, finch.describe(X, y), X), "leave X out"),
        (lambda: keep_labels_by_means(means, y[:-1], X), "39 labels, and X has 40 rows"),
    ]
    names = keep_labels_by_means(means, y, X, metric="cosine").names
    cases.append((lambda: keep_labels_by_means(names, y, X, metric="euclidean"), "have 'cosine': leave it"))
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
    bad = X.copy()
    bad[3, 5] = np.nan
    with pytest.raises(ValueError, match="column 5 of X is nan in cluster 0"):
        keep_labels_by_means(means, y, bad)
    # Strings, and a description in place of rows.
    found = keep_labels_by_means(means, np.array(["b", "a"])[y], X)
    assert found.labels.tolist() == y.tolist()
    found = keep_labels_by_means(means, finch.describe(X, 1 - y))
    assert found.labels is None and found.cluster_names.tolist() == [1, 0]
    none = keep_labels_by_means(means, np.full(40, -1), X)
    assert set(none.labels) == {-1} and none.vanished == [0, 1] and none.names.next_name == 2


def test_named_clusters_stay_and_the_rest_regroups():
    """Two people whom the suggestion takes for one are told apart, and one in two albums is put together."""
    rng = np.random.default_rng(4)
    twin = FACES[0] + 0.25 * rng.normal(size=32)
    first, second = FACES[0] + rng.normal(0, 0.6, (30, 32)), twin + rng.normal(0, 0.6, (30, 32))
    others, _ = day([2, 3, 4])
    X = np.concatenate([first, second, others])
    hierarchy = finch.cluster(X)
    assert hierarchy.suggest(X).n_clusters == 4
    labels = np.concatenate([np.full(30, 11), np.full(30, 3), np.repeat([5, 3, 8], 20)])
    # 3 is the second twin and, in the eyes of the user, the third of the others.
    added = [day([2], 10, 1)[0], twin + rng.normal(0, 0.6, (10, 32)), day([7], 15, 2)[0]]
    more = np.concatenate([X, *added])
    found = regroup(hierarchy, more, labels, named=[11, 3])
    np.testing.assert_array_equal(found.labels[:120], labels)
    assert set(found.labels[120:130]) == {5} and set(found.labels[140:]) == {12}
    assert (found.labels[130:140] == 3).mean() > 0.7
    assert found.fates[0] in ("kept", "grew") and found.fates[-1] == "appeared"
    assert found.hierarchy.n_samples == len(more)
    # The next call goes on, and no sample has to come.
    same = regroup(found.hierarchy, more, found.labels, named=[11, 3, 12])
    np.testing.assert_array_equal(same.labels, found.labels)
    fewer = regroup(found.hierarchy, more, found.labels, named=[11, 3], n_clusters=2)
    assert set(fewer.labels) == {11, 3}
    np.testing.assert_array_equal(fewer.labels[:60], labels[:60])


def test_named_clusters_are_kept_whatever_they_are():
    rng = np.random.default_rng(1)
    for trial in range(40):
        rows, added = rng.integers(8, 60), rng.integers(0, 30)
        X = rng.normal(size=(rows + added, 3))
        labels = rng.integers(-1, 6, rows) * 3
        labels[labels < 0] = -1
        there = np.unique(labels[labels >= 0])
        named = rng.choice(there, rng.integers(0, len(there) + 1), replace=False)
        hierarchy = finch.cluster(X[:rows])
        found = regroup(hierarchy, X, labels, named)
        for name in named:
            members = np.flatnonzero(labels == name)
            assert set(found.labels[members]) == {name}
        others = found.labels[:rows][~np.isin(labels, named) & (labels >= 0)]
        assert found.labels.min() >= 0 and len(others) == np.count_nonzero(~np.isin(labels[labels >= 0], named))
        assert len(found.fates) == len(np.unique(found.labels))


def test_names_that_cannot_stay_are_refused():
    X, y = day([0, 1, 2])
    hierarchy = finch.cluster(X)
    cases = [
        (lambda: regroup(hierarchy, X, y, [5]), "named has 5, and no sample is in that cluster"),
        (lambda: regroup(hierarchy, X, y, [0, 1], n_clusters=1), "n_clusters is 1, and 2 clusters are named"),
        (lambda: regroup(hierarchy, X[:50], y, [0]), "60 labels, and 50 samples"),
        (lambda: regroup(hierarchy, X, y - 3, [0]), "labels has -3 at sample 0"),
        (lambda: regroup(hierarchy, X[:50], y[:50], [0]), "samples"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match="labels has 0.5 at sample 20: give whole numbers"):
        regroup(hierarchy, X, y / 2, [0])
    with pytest.raises(TypeError, match="give integers"):
        regroup(hierarchy, X, y.astype(str), [0])


def test_names_out_of_a_file_of_numpy(tmp_path):
    X, y = day([0, 1, 2])
    names = ClusterNames.of(X, y, metric="cosine")
    np.savez(tmp_path / "names.npz", **names._asdict())
    loaded = ClusterNames(**np.load(tmp_path / "names.npz"))
    X, y = day([2, 5, 0], seed=1)
    found, expected = (keep_labels_by_means(old, y, X) for old in (loaded, names))
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.names.next_name == 4 and found.names.metric == "cosine"
