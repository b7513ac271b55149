"""What comes out, and how long it lives."""

import copy
import gc
import pickle
import unittest
import weakref

import numpy as np
from common import finch
from finch_clustering._c import library as _library
from finch_clustering._c.names import LINKAGES, METRICS, SEARCHES


class Results(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(3).normal(size=(500, 5))
        self.hierarchy = finch.cluster(self.X)

    def test_hierarchy_is_a_sequence_of_partitions(self):
        hierarchy = self.hierarchy
        self.assertEqual((hierarchy.n_samples, hierarchy.n_features), (500, 5))
        self.assertEqual((hierarchy.metric, hierarchy.link_bound), ("euclidean", "none"))
        self.assertEqual(len(hierarchy), len(hierarchy.n_clusters))
        self.assertGreater(len(hierarchy), 1)
        self.assertEqual(hierarchy.labels.shape, (500, len(hierarchy)))
        self.assertEqual(hierarchy.labels.dtype, np.int32)
        for partition, labels in enumerate(hierarchy):
            np.testing.assert_array_equal(labels, hierarchy.labels[:, partition])
            np.testing.assert_array_equal(labels, hierarchy[partition - len(hierarchy)])
            _, first = np.unique(labels, return_index=True)
            self.assertEqual(len(first), hierarchy.n_clusters[partition])
            self.assertTrue((np.diff(first) > 0).all(), "numbered by first appearance")
        self.assertIn("500 samples", repr(hierarchy))
        for partition in (len(hierarchy), -len(hierarchy) - 1, 2**80):
            with self.assertRaises(IndexError):
                hierarchy[partition]
        with self.assertRaises(TypeError):
            hierarchy[0.0]
        for copied in (copy.copy(hierarchy), pickle.loads(pickle.dumps(hierarchy))):
            np.testing.assert_array_equal(copied.labels, hierarchy.labels)

    def test_partitions_by_number_of_clusters(self):
        hierarchy, counts = self.hierarchy, self.hierarchy.n_clusters
        for k in range(1, counts[0] + 2):
            at_least = [p for p, count in enumerate(counts) if count >= k]
            at_most = [p for p, count in enumerate(counts) if count <= k]
            self.assertEqual(hierarchy.at_least(k), at_least[-1] if at_least else None)
            self.assertEqual(hierarchy.at_most(k), at_most[0] if at_most else None)
            nearest = min(range(len(counts)), key=lambda p: abs(counts[p] - k))
            self.assertEqual(hierarchy.closest(k), nearest)

    def test_first_neighbors_are_those_of_every_pair(self):
        X = self.X
        difference = X[:, None] - X[None]
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        tables = {
            "euclidean": np.sqrt((difference**2).sum(axis=2)),
            "cosine": 1 - unit @ unit.T,
            "manhattan": np.abs(difference).sum(axis=2),
        }
        searches = {"euclidean": ("auto", "brute", "kd-tree", "blocked")}
        for metric, table in tables.items():
            np.fill_diagonal(table, np.inf)
            for search in searches.get(metric, ("auto", "brute")):
                index, distance = finch.first_neighbors(X, metric=metric, search=search)
                np.testing.assert_array_equal(index, table.argmin(axis=1))
                np.testing.assert_allclose(distance, table.min(axis=1), rtol=1e-9)
                hierarchy = finch.cluster(X, metric=metric, search=search)
                np.testing.assert_array_equal(hierarchy.first_neighbors, index)
                np.testing.assert_array_equal(hierarchy.distances, distance)
                np.testing.assert_array_equal(hierarchy[0], finch.components(index))
                self.assertIn(hierarchy.search, SEARCHES[1:])
                self.assertEqual(hierarchy.recall, 1)

    def test_approximate_search(self):
        X = np.random.default_rng(0).normal(size=(3000, 40)).astype(np.float32)
        exact, _ = finch.first_neighbors(X)
        options = {"search": "approximate", "recall": 0.1}
        found = [finch.cluster(X, seed=seed, **options) for seed in (0, 0, 1)]
        for hierarchy in found:
            self.assertEqual(hierarchy.search, "approximate")
            share = (hierarchy.first_neighbors == exact).mean()
            self.assertAlmostEqual(hierarchy.recall, share, delta=0.03)
            self.assertGreater(share, 0.1)
        first, again, other = (list(hierarchy.first_neighbors) for hierarchy in found)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        given = finch.cluster(X, first_neighbors=exact)
        self.assertIsNone(given.recall)
        self.assertIsNone(given.explanation)

    def test_a_search_ends_in_time_and_explains_itself(self):
        X = np.random.default_rng(0).normal(size=(6000, 40)).astype(np.float32)
        index, _ = finch.first_neighbors(X)
        unhurried = finch.cluster(X, time_limit=3600)
        np.testing.assert_array_equal(unhurried.first_neighbors, index)
        self.assertIn("6000 distinct, intrinsic dimension about ", unhurried.explanation)
        # Searches of a tenth of a second take no limit.
        X = np.random.default_rng(0).normal(size=(20_000, 64)).astype(np.float32)
        hurried = finch.cluster(X, search="approximate", time_limit=1e-9)
        self.assertLess(hurried.recall, 0.9)
        self.assertTrue(hurried.explanation.startswith("approximate search, as asked for; rec"))

    def test_update_neighbors_in_parts(self):
        X = self.X.astype(np.float32)
        for metric in METRICS[:3]:
            index, key = np.full(500, -1, np.int32), np.zeros(500)
            for first in (300, 0, 150):
                part = X[first : first + (200 if first == 300 else 150)]
                finch.update_neighbors(
                    X[:200], 0, part, first, index[:200], key[:200], metric=metric
                )
                finch.update_neighbors(
                    X[200:], 200, part, first, index[200:], key[200:], metric=metric
                )
            whole = finch.first_neighbors(X, metric=metric)
            np.testing.assert_array_equal(index, whole.index)
            distances = finch.keys_to_distances(key, metric=metric)
            np.testing.assert_array_equal(distances, whole.distance)

    def test_means(self):
        for X in (self.X, self.X.astype(np.float32), (50 * self.X).astype(np.int16)):
            hierarchy = finch.cluster(X)
            for partition, labels in enumerate(hierarchy):
                means = [
                    X[labels == c].astype(np.float64).mean(axis=0) for c in set(labels.tolist())
                ]
                found = hierarchy.means(partition, X)
                self.assertEqual(found.dtype, np.float64)
                np.testing.assert_allclose(found, means, rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(
            self.hierarchy.means(-1, self.X), self.hierarchy.means(len(self.hierarchy) - 1, self.X)
        )

    def test_refine_under_rules(self):
        together, apart = [(0, 7), (7, 30)], np.array([[0, 1], [2, 3]])
        for linkage in LINKAGES:
            rules = {"linkage": linkage, "must_link": together, "cannot_link": apart}
            labels = self.hierarchy.refine(self.X, 6, min_cluster_size=40, **rules)
            self.assertEqual(len({labels[0], labels[7], labels[30]}), 1)
            self.assertTrue((labels[apart[:, 0]] != labels[apart[:, 1]]).all())
            sizes = np.bincount(labels)
            self.assertEqual(len(sizes), 6)
            self.assertGreaterEqual(sizes.min(), 40)
            labels = self.hierarchy.refine(self.X, 6, max_cluster_size=120, **rules)
            self.assertLessEqual(np.bincount(labels).max(), 120)
            plain = self.hierarchy.refine(self.X, 6, linkage=linkage)
            same = self.hierarchy.refine(self.X, 6, linkage=linkage, must_link=[], min_cluster_size=0)
            np.testing.assert_array_equal(same, plain)

    def test_refine_to_every_number(self):
        for k in (1, 2, 17, self.hierarchy.n_clusters[0], 400, 500):
            for linkage in LINKAGES:
                labels = self.hierarchy.refine(self.X, k, linkage=linkage, threads=2)
                self.assertEqual(labels.dtype, np.int32)
                self.assertEqual(labels.max() + 1, k)

    def test_refined_labels_move_unless_they_are_to_be_nested(self):
        dendrogram = self.hierarchy.dendrogram(self.X)
        moved = 0
        for k in (2, 5, 20):
            labels = self.hierarchy.refine(self.X, k, nested=True)
            np.testing.assert_array_equal(labels, dendrogram.cut(k))
            moved += (labels != self.hierarchy.refine(self.X, k)).sum()
        self.assertGreater(moved, 0)

    def test_what_is_kept_does_not_show(self):
        keeping = finch.cluster(self.X, refinable=True)
        np.testing.assert_array_equal(keeping.labels, self.hierarchy.labels)
        first = keeping.first_neighbors
        np.testing.assert_array_equal(first, self.hierarchy.first_neighbors)
        given = finch.cluster(self.X, first_neighbors=first, refinable=True)
        for k in (1, 2, 17):
            for linkage in LINKAGES:
                expected = self.hierarchy.refine(self.X, k, linkage=linkage)
                for hierarchy in (keeping, given):
                    labels = hierarchy.refine(self.X, k, linkage=linkage)
                    np.testing.assert_array_equal(labels, expected)
        self.assertEqual(finch.cluster([[1.0]], refinable=True).n_clusters, [1])

    def test_threads_do_not_show(self):
        for threads in (0, 1, 3):
            labels = finch.cluster(self.X, threads=threads).labels
            np.testing.assert_array_equal(labels, self.hierarchy.labels)

    def test_one_sample_and_two(self):
        one = finch.cluster([[1.0, 2.0]])
        self.assertEqual((one.n_clusters, one[0].tolist()), ([1], [0]))
        self.assertEqual((one.first_neighbors.size, one.distances.size), (0, 0))
        self.assertEqual([part.size for part in finch.first_neighbors([[1.0]])], [0, 0])
        self.assertEqual(finch.cluster([[1.0]], first_neighbors=[]).n_clusters, [1])
        two = finch.cluster([[1.0, 2.0], [1.0, 5.0]])
        self.assertEqual((two[0].tolist(), two.distances.tolist()), ([0, 0], [3.0, 3.0]))

    def test_scores_take_labels_of_any_kind(self):
        labels = [0, 0, 1, 1, 2, 2, 2]
        truth = np.array([3, 3, 3, 5, 5, 9, 9])
        expected = finch.score(labels, truth)
        self.assertEqual(expected.purity, 5 / 7)
        self.assertEqual(finch.score(truth, truth).nmi, 1.0)
        kinds = (
            truth.astype(np.int64) * 2**40,
            truth.astype(np.uint8),
            truth.astype(float) / 2,
            np.array(list("aaabbcc")),
            np.array(list("aaabbcc"), object),
            truth[::-1].copy()[::-1],
            -truth,
        )
        for kind in kinds:
            self.assertEqual(finch.score(labels, kind), expected)
            # Swapped, the symmetric measures stay.
            self.assertAlmostEqual(finch.score(kind, labels).ari, expected.ari)

    def test_views_outlive_the_variable(self):
        expected = [np.array(view) for view in self.views(self.hierarchy)]
        hierarchy = finch.cluster(self.X)
        handle = weakref.ref(hierarchy._handle)
        borrowed = self.views(hierarchy)
        del hierarchy
        gc.collect()
        finch.cluster(self.X[::-1])  # takes memory that was freed, had it been
        for view, copied in zip(borrowed, expected):
            np.testing.assert_array_equal(view, copied)
            with self.assertRaises(ValueError):
                view[0] = 1
            with self.assertRaises(ValueError):
                view.flags.writeable = True
        last = borrowed[0][5:].reshape(-1, 5)
        del borrowed, view
        gc.collect()
        self.assertIsNotNone(handle())
        np.testing.assert_array_equal(last.ravel(), expected[0][5:])
        del last
        gc.collect()
        self.assertIsNone(handle())

    def test_every_hierarchy_is_freed_once(self):
        freed = []
        lib = _library.lib
        free = lib.finch_hierarchy_free
        lib.finch_hierarchy_free = lambda handle: freed.append(handle.value) or free(handle)
        self.addCleanup(setattr, lib, "finch_hierarchy_free", free)
        made = finch.cluster(self.X)
        handle, labels = made._handle._pointer.value, made[0]
        del made
        self.assertEqual(freed, [])
        del labels
        self.assertEqual(freed, [handle])
        with self.assertRaises(finch.Error):
            finch.cluster([[np.nan]])
        self.assertEqual(freed, [handle, None], "what failed has nothing to free")

    @staticmethod
    def views(hierarchy):
        return [hierarchy[0], hierarchy[-1], hierarchy.first_neighbors, hierarchy.distances]
