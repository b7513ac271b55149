"""Weights, suggestions, dendrograms, descriptions, outliers, and neighbours that the caller brings."""

import copy
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common import finch
from finch_clustering._c.names import LINKAGES, METRICS


def distances_of(X, Y, metric):
    """The distances of rows, by definition."""
    if metric == "cosine":
        X, Y = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (X, Y))
        return 1 - X @ Y.T
    difference = np.abs(X[:, None] - Y)
    if metric == "manhattan":
        return difference.sum(axis=2)
    return np.sqrt((difference**2).sum(axis=2))


class Analysis(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(13)
        self.X = self.random.normal(size=(200, 3))
        self.hierarchy = finch.cluster(self.X)

    def test_times_part_what_takes_turns(self):
        turns = np.array([[0], [0.3], [9], [9.3], [0.1], [0.15]])
        self.assertEqual(finch.cluster(turns)[0].tolist(), [0, 0, 1, 1, 0, 0])
        days = np.datetime64("2024-02-28") + np.arange(6)
        for times in (range(6), days, [5.0, 4, 3, 2, 1, 0]):
            for contiguous in (False, True):
                timed = finch.cluster(turns, times=times, contiguous=contiguous)
                self.assertEqual(timed[0].tolist(), [0, 0, 1, 1, 2, 2])
        self.assertEqual(np.count_nonzero(np.diff(timed.refine(turns, 2))), 1)
        with self.assertRaisesRegex(finch.Error, "does not look at times") as caught:
            timed.suggest(turns)
        self.assertEqual(caught.exception.status, "FINCH_INVALID_TIMES")
        with self.assertRaisesRegex(finch.Error, "sample 1 .* NaN"):
            finch.cluster(turns, times=[0, np.nan, 2, 3, 4, 5])
        with self.assertRaisesRegex(ValueError, "NaT at sample 2"):
            finch.cluster(turns, times=np.array([0, 1, "NaT", 3, 4, 5], "datetime64[s]"))
        with self.assertRaisesRegex(ValueError, "weights and times were given"):
            finch.cluster(turns, times=days, weights=np.ones(6))
        with self.assertRaisesRegex(ValueError, "give times"):
            finch.cluster(turns, contiguous=True)

    def test_weights_are_repeated_rows(self):
        weights = self.random.integers(1, 4, 200)
        rows = np.repeat(np.arange(200), weights)
        firsts = np.searchsorted(rows, np.arange(200))
        weighted, repeated = finch.cluster(self.X, weights=weights), finch.cluster(self.X[rows])
        np.testing.assert_array_equal(weighted.weights, weights)
        self.assertEqual(weighted.weights.dtype, np.float64)
        self.assertIsNone(self.hierarchy.weights)
        np.testing.assert_array_equal(weighted.labels, repeated.labels[firsts])
        for linkage in LINKAGES:
            np.testing.assert_array_equal(
                weighted.refine(self.X, 4, linkage=linkage),
                repeated.refine(self.X[rows], 4, linkage=linkage)[firsts],
            )
        np.testing.assert_allclose(weighted.means(0, self.X), repeated.means(0, self.X[rows]))
        np.testing.assert_array_equal(
            weighted.suggest(self.X).labels, repeated.suggest(self.X[rows]).labels[firsts]
        )
        truth = self.random.integers(0, 3, 200)
        ours = finch.score(weighted[-1], truth, weights=weights)
        theirs = finch.score(repeated[-1], truth[rows])
        for name in finch.Scores.__dataclass_fields__:
            self.assertAlmostEqual(getattr(ours, name), getattr(theirs, name), places=12, msg=name)

    def test_the_linkage_that_was_chosen_is_told(self):
        random = np.random.default_rng(5)
        centers = 4 / np.sqrt(2 * 64) * random.normal(size=(5, 64))
        X = centers[np.arange(1500) % 5] + random.normal(size=(1500, 64))
        hierarchy = finch.cluster(X, refinable=True)
        found = hierarchy.refine_explained(X, 5)
        self.assertEqual(found.linkage, "means")
        np.testing.assert_array_equal(found.labels, hierarchy.refine(X, 5))
        np.testing.assert_array_equal(found.labels, hierarchy.refine(X, 5, linkage="means"))
        suggestion = hierarchy.suggest(X)
        labels = hierarchy.refine(X, suggestion.n_clusters, linkage="neighbor")
        np.testing.assert_array_equal(suggestion.labels, labels)
        self.assertEqual(hierarchy.refine_explained(X, 5, linkage="ward").linkage, "ward")
        timed = finch.cluster(X[:100], times=np.arange(100))
        self.assertEqual(timed.refine_explained(X[:100], 3).linkage, "centroid")

    def test_rivals_of_a_suggestion_are_told(self):
        found = self.hierarchy.suggest(self.X)
        scores = dict(enumerate(found.scores, 2))
        best = scores[found.n_clusters]
        far = {k for k in scores if max(k, found.n_clusters) > 1.2 * min(k, found.n_clusters)}
        near = [k for k in far if scores[k] >= 0.88 * best]
        self.assertEqual(bool(found.rivals), bool(near))
        self.assertEqual((found.is_ambiguous, found.ambiguity is None), (bool(near), not near))
        self.assertLessEqual(set(found.rivals), set(near))
        for k in found.rivals:
            self.assertIn(str(k), found.ambiguity)

    def test_a_suggestion_is_a_cut(self):
        for hierarchy in (self.hierarchy, finch.cluster(self.X, refinable=True)):
            found = hierarchy.suggest(self.X)
            self.assertEqual(found.labels.max() + 1, found.n_clusters)
            np.testing.assert_array_equal(found.labels, hierarchy.refine(self.X, found.n_clusters))
            np.testing.assert_array_equal(found.labels, found.dendrogram.cut(found.n_clusters))
            self.assertEqual(found.scores.argmax() + 2, found.n_clusters)
            self.assertIn(found.partition, range(len(hierarchy)))
            agreement = [finch.score(labels, found.labels).ari for labels in hierarchy]
            self.assertEqual(found.partition, int(np.argmax(agreement)))

    def test_dendrograms_by_their_merges(self):
        for linkage in LINKAGES:
            dendrogram = self.hierarchy.dendrogram(
                self.X, 3, linkage=linkage, from_partition=0, threads=2
            )
            start = self.hierarchy.n_clusters[0]
            self.assertEqual((dendrogram.n_start, len(dendrogram)), (start, start - 3))
            self.assertEqual(dendrogram.n_samples, 200)
            self.assertEqual(dendrogram.merges.shape, (start - 3, 2))
            self.assertEqual(dendrogram.heights.shape, (start - 3,))
            cluster = np.arange(start)
            for left, (a, b) in zip(range(start - 1, 2, -1), dendrogram.merges):
                self.assertLess(a, b)
                cluster[cluster == b] = a
                labels, found = cluster[self.hierarchy[0]], dendrogram.cut(left)
                self.assertEqual(len(set(zip(labels, found))), left)
                self.assertEqual(found.max() + 1, left)
            refined = self.hierarchy.refine(
                self.X, 3, linkage=linkage, from_partition=0, nested=True
            )
            np.testing.assert_array_equal(found, refined)
            with self.assertRaises(finch.Error) as caught:
                dendrogram.cut(2)
            self.assertEqual(caught.exception.status, "FINCH_NO_SUCH_CUT")
            self.assertIn("200 samples", repr(dendrogram))
        for single in (dendrogram, dendrogram.tree()):
            self.assertIs(copy.copy(single), single)

    def test_one_tree_writes_texts_in_many_threads(self):
        tree = self.hierarchy.tree()
        expected = [tree.newick(), tree.json(), tree.dot()]
        writers = [tree.newick, tree.json, tree.dot]
        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(lambda number: writers[number % 3](), range(300)))
        for number, text in enumerate(texts):
            self.assertEqual(text, expected[number % 3])

    def test_names_of_leaves_are_checked(self):
        tree = finch.cluster([[0.0], [1.0], [3.0]]).tree()
        self.assertIn("'b c'", tree.newick(["a", "b c", "d"]))
        cases = [
            ("abc", TypeError, "names is a string"),
            (["a", 1, "c"], TypeError, "leaf 1"),
            (["a", "b", "c\0"], ValueError, "leaf 2"),
            (["a", "b"], finch.Error, "2"),
        ]
        for names, error, message in cases:
            with self.assertRaisesRegex(error, message):
                tree.json(names)

    def test_descriptions_by_their_definition(self):
        for metric in METRICS[:3]:
            labels = finch.cluster(self.X, metric=metric)[1]
            weights = self.random.uniform(0.5, 2, 200)
            for given in (None, weights):
                found = finch.describe(self.X, labels, weights=given, exemplars=2, metric=metric)
                each = np.ones(200) if given is None else weights
                clusters = labels.max() + 1
                np.testing.assert_allclose(found.sizes, np.bincount(labels, each))
                means = np.array(
                    [np.average(self.X[labels == c], axis=0, weights=each[labels == c])
                     for c in range(clusters)]
                )  # fmt: skip
                np.testing.assert_allclose(found.means, means, atol=1e-12)
                np.testing.assert_array_equal(found.medoids, found.exemplars[:, 0])
                self.assertFalse(found.sampled.any())
                to_means = distances_of(self.X, means, metric)
                own = to_means[np.arange(200), labels]
                others = np.where(np.arange(clusters) == labels[:, None], np.inf, to_means)
                other = others.min(axis=1)
                values = (other - own) / np.maximum(own, other)
                for c in range(clusters):
                    inside = labels == c
                    table = distances_of(self.X[inside], self.X[inside], metric)
                    medoid = np.flatnonzero(inside)[(table @ each[inside]).argmin()]
                    self.assertEqual(found.medoids[c], medoid)
                    power = 2 if metric == "euclidean" else 1
                    spread = np.average(own[inside] ** power, weights=each[inside])
                    self.assertAlmostEqual(found.spreads[c], spread ** (1 / power))
                    if inside.sum() > 1:
                        expected = np.average(values[inside], weights=each[inside])
                        self.assertAlmostEqual(found.silhouettes[c], expected)
        self.assertEqual(finch.describe(self.X, labels, exemplars=0).exemplars.shape[1], 0)
        self.assertTrue(finch.describe(np.ones((1025, 1)), np.zeros(1025, int)).sampled.all())

    def test_modularities_by_their_definition(self):
        labels, n = self.hierarchy[1], 200
        weights = self.random.uniform(0.5, 2, n)
        index = finch.nearest_neighbors(self.X, 4)[0]
        index[5, 2], index[6, 1] = -1, 6
        for given in (None, weights):
            each = np.ones(n) if given is None else weights
            links = np.zeros((n, n))
            for row in range(n):
                there = index[row][(index[row] >= 0) & (index[row] != row)]
                links[row, there] = each[row]
            found = finch.describe(self.X, labels, weights=given, neighbors=index).modularities
            of_all = 0
            for c in range(labels.max() + 1):
                inside = labels == c
                leaving, all_links = links[inside].sum(), links.sum()
                chance = links[:, inside].sum() / all_links
                share = links[np.ix_(inside, inside)].sum() / leaving
                self.assertAlmostEqual(found[c], share - chance)
                of_all += found[c] * leaving / all_links
            # Leicht and Newman's modularity of the whole.
            expected = links - np.outer(links.sum(axis=1), links.sum(axis=0)) / links.sum()
            same = labels[:, None] == labels
            self.assertAlmostEqual(of_all, expected[same].sum() / links.sum())
        first = finch.describe(self.X, labels, neighbors=self.hierarchy.first_neighbors)
        self.assertTrue((first.modularities > 0).all())
        self.assertIsNone(finch.describe(self.X, labels).modularities)

    def test_outliers_are_far_out(self):
        X = np.concatenate([self.X, [[40.0, 0.0, 0.0]]])
        for hierarchy in (finch.cluster(X), finch.cluster(X, refinable=True)):
            scores = hierarchy.outlier_scores(X)
            self.assertTrue(((scores >= 0) & (scores <= 1)).all())
            self.assertEqual(scores.argmax(), 200)
            self.assertGreater(scores[200], 0.9)
            self.assertLess(np.median(scores), 0.4)

    def test_nearest_neighbors_are_those_of_every_pair(self):
        for metric in METRICS[:3]:
            table = distances_of(self.X, self.X, metric)
            np.fill_diagonal(table, np.inf)
            order = table.argsort(axis=1, kind="stable")[:, :5]
            index, distance = finch.nearest_neighbors(self.X, 5, metric=metric)
            np.testing.assert_array_equal(index, order)
            np.testing.assert_allclose(
                distance, np.take_along_axis(table, order, axis=1), rtol=1e-9
            )
        for k in (0, 200, 2**40):
            with self.assertRaises(finch.Error):
                finch.nearest_neighbors(self.X, k)

    def test_neighbours_and_distances_that_the_caller_brings(self):
        found = finch.nearest_neighbors(self.X, 16)
        with_self = np.concatenate([np.arange(200)[:, None], found.index], axis=1)
        lengths = np.concatenate([np.zeros((200, 1)), found.distance], axis=1)
        brought = finch.cluster_neighbors(with_self.astype(np.int64), lengths, self.X)
        np.testing.assert_array_equal(brought.labels, self.hierarchy.labels)
        np.testing.assert_array_equal(brought.refine(self.X, 5), self.hierarchy.refine(self.X, 5))
        alone = finch.cluster_neighbors(found.index, found.distance)
        np.testing.assert_array_equal(alone[0], self.hierarchy[0])
        np.testing.assert_array_equal(alone.refine(None, 5), self.hierarchy.refine(self.X, 5))
        self.assertEqual(alone.n_features, 0)

        table = distances_of(self.X, self.X, "euclidean")
        np.fill_diagonal(table, 0)
        table = np.minimum(table, table.T)
        of_pairs = finch.cluster_distances(table)
        np.testing.assert_array_equal(of_pairs[0], self.hierarchy[0])
        np.testing.assert_array_equal(of_pairs.refine(None, 5), self.hierarchy.refine(self.X, 5))
        np.testing.assert_array_equal(
            of_pairs.suggest(None).labels, self.hierarchy.suggest(self.X).labels
        )
        self.assertEqual(of_pairs.dendrogram(None).tree(of_pairs).n_leaves, 200)
        model = finch.Model(of_pairs, None)
        np.testing.assert_array_equal(model[0], of_pairs[0])

    def test_whether_there_are_clusters_has_three_answers(self):
        random = np.random.default_rng(5)
        cases = [
            ("no", random.normal(40, 12, 5_000).round()),
            ("no", random.normal(size=5_000).round(2)),
            ("no", random.integers(1, 6, (2_000, 3))),
            ("no", random.uniform(size=(2_000, 2))),
            ("yes", random.normal(size=2_000).round(1) + 10 * np.repeat([0, 1], 1_000)),
            ("yes", random.normal(size=(2_000, 2)) + 10 * np.repeat([0, 1], 1_000)[:, None]),
            ("too few to tell", np.r_[random.normal(size=4), random.normal(30, 1, 6)]),
            ("too few to tell", np.repeat([1.0, 2.0, 3.0], 100)),
        ]
        for expected, values in cases:
            X = values.astype(float).reshape(len(values), -1)
            found = finch.cluster(X).suggest(X)
            with self.subTest(expected=expected, shape=X.shape):
                self.assertEqual(found.clustered, expected)
                answers = {"yes": True, "no": False, "too few to tell": None}
                self.assertIs(found.has_clusters, answers[expected])
        # Weights are repeated rows.
        values, counts = np.unique(cases[0][1], return_counts=True)
        weighted = finch.cluster(values[:, None], weights=counts).suggest(values[:, None])
        self.assertEqual(weighted.clustered, "no")

    def test_repeated_rows_leave_a_scale_to_outlier_scores(self):
        for X in (np.r_[np.zeros(40), 0.1, 0.2, 0.3, 100.0], np.r_[np.zeros(40), 5.0]):
            scores = finch.cluster(X[:, None]).outlier_scores(X[:, None])
            self.assertEqual(scores.argmax(), len(X) - 1)
            self.assertGreater(scores[-1], 0.1 + np.sort(scores)[-2])

    def test_weights_are_repeated_rows_in_outlier_scores_and_noise(self):
        random = np.random.default_rng(3)
        X = np.r_[random.normal(size=(120, 2)), [[9.0, 9.0], [-8.0, 7.0]]].round(1)
        for most in (2, 5, 60):
            weights = random.integers(1, most + 1, len(X))
            rows = np.repeat(np.arange(len(X)), weights)
            weighted, repeated = finch.cluster(X, weights=weights), finch.cluster(X[rows])
            scores = weighted.outlier_scores(X)
            np.testing.assert_array_equal(scores[rows], repeated.outlier_scores(X[rows]))
            self.assertFalse(np.array_equal(scores, finch.cluster(X).outlier_scores(X)))
            options = {"outliers": 0.1, "min_cluster_size": 4}
            np.testing.assert_array_equal(
                weighted.with_noise(X, weighted.suggest(X).labels, **options)[rows],
                repeated.with_noise(X[rows], repeated.suggest(X[rows]).labels, **options),
            )

    def test_each_row_has_its_own_number_of_neighbors(self):
        from sklearn.neighbors import NearestNeighbors, radius_neighbors_graph

        random = np.random.default_rng(0)
        truth = np.repeat(np.arange(5), 100)
        X = 8 * np.eye(5)[truth] + random.normal(size=(500, 5))
        near = NearestNeighbors(n_neighbors=16).fit(X)
        distance, index = near.kneighbors()
        index[0, 2:] = -1
        alone = finch.cluster_neighbors(index, distance)
        self.assertEqual(alone.suggest(None).n_clusters, 5)
        self.assertEqual(finch.score(truth, alone.refine(None, 5)).ari, 1)
        # The same lists, in every way that other programs give them.
        masked = np.ma.array(index, mask=index == -1)
        counts = np.where(np.arange(500) == 0, 2, 16)
        rows = [row[:count] for row, count in zip(index, counts)]
        lengths = [row[:count] for row, count in zip(distance, counts)]
        of_objects = [np.array([*of, None], object)[:-1] for of in (rows, lengths)]
        graph = near.kneighbors_graph(mode="distance").tolil()
        graph[0, sorted(near.kneighbors()[1][0, 2:])] = 0
        farther = distance.copy()
        farther[0, 2:] = np.nan
        for given in [
            (masked, distance),
            (masked, np.ma.array(distance, mask=masked.mask)),
            (np.ma.array(np.abs(index).astype(np.uint32), mask=masked.mask), distance),
            (np.abs(index), farther),
            (rows, lengths),
            ([list(row) for row in rows], [list(row) for row in lengths]),
            of_objects,
            (graph.tocsr(),),
            (graph.tocoo(),),
        ]:
            self.assertEqual(
                finch.cluster_neighbors(*given).labels.tolist(), alone.labels.tolist()
            )
        # Some are within the radius of nobody.
        radius = 2.0
        of_graph = finch.cluster_neighbors(radius_neighbors_graph(X, radius, mode="distance"), X=X)
        far, who = NearestNeighbors(radius=radius).fit(X).radius_neighbors(X)
        of_lists = finch.cluster_neighbors(who, far, X)
        np.testing.assert_array_equal(of_graph.labels, of_lists.labels)
        lonely = of_graph.first_neighbors == -1
        self.assertEqual(lonely.tolist(), [len(row) == 1 for row in who])
        self.assertGreater(lonely.sum(), 4)
        self.assertTrue((np.bincount(of_graph[0])[of_graph[0][lonely]] == 1).all())
        self.assertEqual(finch.score(truth, of_graph.refine(X, 5)).ari, 1)
        loaded = finch.Model(of_graph, X)
        np.testing.assert_array_equal(loaded[0], of_graph[0])
        # Equal samples are stored in a graph at 0.
        twice = radius_neighbors_graph(np.repeat(X, 2, axis=0), 0.1, mode="distance")
        pairs = finch.cluster_neighbors(twice)[0]
        self.assertTrue((pairs[::2] == pairs[1::2]).all() and pairs.max() == 499)

        twice_stored = graph.tocoo()
        places = [np.append(places, places[:1]) for places in (twice_stored.row, twice_stored.col)]
        values = np.append(twice_stored.data, twice_stored.data[:1])
        twice_stored = type(twice_stored)((values, tuple(places)), shape=(500, 500))
        for call, words in [
            (lambda: finch.cluster_neighbors(who, far, alone="error"), "sample"),
            (lambda: finch.cluster_neighbors(who, far, alone="none"), "alone"),
            (lambda: finch.cluster_neighbors(graph.tocsr(), distance), "X="),
            (lambda: finch.cluster_neighbors(near.kneighbors_graph()), "mode='distance'"),
            (lambda: finch.cluster_neighbors(rows, distance), "row 0"),
            (lambda: finch.cluster_neighbors(rows, lengths[1:]), "rows"),
            (lambda: finch.cluster_neighbors(graph.tocsr()[:9]), "N x N"),
            (lambda: finch.cluster_neighbors(graph.tobsr(blocksize=(2, 2))), "format CSR"),
            (lambda: finch.cluster_neighbors(twice_stored), "twice"),
        ]:
            with self.assertRaisesRegex(ValueError, words):
                call()
        with self.assertRaisesRegex(TypeError, "distance is missing"):
            finch.cluster_neighbors(index)
        # As many as there are: nobody is alone.
        finch.cluster_neighbors(index, distance, alone="error")

    def test_what_is_refused(self):
        X, labels = self.X, self.hierarchy[0]
        weights = np.ones(200)
        zero, nan = weights.copy(), weights.copy()
        zero[3], nan[4] = 0, np.nan
        table = np.abs(X[:, :1] - X[:, :1].T)
        torn, negative = table.copy(), table.copy()
        torn[1, 2] += 1
        negative[1, 2] = negative[2, 1] = -1
        index, distance = finch.nearest_neighbors(X, 2)
        without = finch.cluster_distances(table)
        cases = [
            (lambda: finch.cluster(X, weights=zero), "FINCH_INVALID_WEIGHT"),
            (lambda: finch.cluster(X, weights=nan), "FINCH_INVALID_WEIGHT"),
            (lambda: finch.cluster(X, weights=weights[:9]), "FINCH_SAMPLE_COUNT"),
            (lambda: finch.score(labels, labels, weights=zero), "FINCH_INVALID_WEIGHT"),
            (lambda: finch.describe(X, labels[:9]), "FINCH_SAMPLE_COUNT"),
            (lambda: finch.describe(X, labels, weights=zero), "FINCH_INVALID_WEIGHT"),
            (lambda: finch.describe(X, labels, neighbors=index + 200), "FINCH_INVALID_NEIGHBOR"),
            (lambda: finch.describe(X, labels, neighbors=index[:9]), ValueError),
            (lambda: finch.describe(X, labels, neighbors=distance), TypeError),
            (lambda: finch.cluster_distances(torn), "FINCH_INVALID_DISTANCE"),
            (lambda: finch.cluster_distances(negative), "FINCH_INVALID_DISTANCE"),
            (lambda: finch.cluster_neighbors(index, -distance - 1), "FINCH_INVALID_DISTANCE"),
            (lambda: finch.cluster_neighbors(index + 200, distance), "FINCH_INVALID_NEIGHBOR"),
            (lambda: self.hierarchy.suggest(X[:9]), "FINCH_SAMPLE_COUNT"),
            (lambda: self.hierarchy.suggest(None), TypeError),
            (lambda: without.refine(None, 2, linkage="single"), ValueError),
            (lambda: self.hierarchy.dendrogram(X, 201), "FINCH_CLUSTER_COUNT"),
            (lambda: finch.cluster(X, weights=["a"] * 200), TypeError),
            (lambda: finch.cluster(X, weights=weights[:, None]), ValueError),
            (lambda: finch.cluster(X, weights=weights, first_neighbors=[1]), ValueError),
            (lambda: finch.score(labels, labels, weights=weights[:9]), ValueError),
            (lambda: finch.describe(X, labels, weights=weights[:9]), ValueError),
            (lambda: finch.describe(X, labels, exemplars=-1), ValueError),
            (lambda: finch.describe(X, labels + 0.5), ValueError),
            (lambda: finch.cluster_distances(table[:9]), ValueError),
            (lambda: finch.cluster_distances(table[0]), ValueError),
            (lambda: finch.cluster_distances(table.astype(complex)), TypeError),
            (lambda: finch.cluster_neighbors(distance, distance), TypeError),
            (lambda: finch.cluster_neighbors(index.astype(np.int64) + 2**40, distance), ValueError),
            (lambda: finch.cluster_neighbors(index, distance[:, :1]), ValueError),
            (lambda: self.hierarchy.extend(X, weights=weights[:9]), ValueError),
        ]
        for number, (call, expected) in enumerate(cases):
            named = isinstance(expected, str)
            with self.subTest(number=number, expected=expected):
                with self.assertRaises(finch.Error if named else expected) as caught:
                    call()
                if named:
                    self.assertEqual(caught.exception.status, expected)
                else:
                    self.assertNotIsInstance(caught.exception, finch.Error)


if __name__ == "__main__":
    unittest.main()
