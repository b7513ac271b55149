"""Many matrices in one call."""

import unittest
import warnings

import numpy as np
from common import finch


class Batches(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(8)
        centers = 9 * random.normal(size=(4, 6))
        self.X = centers[random.integers(0, 4, (30, 40))] + random.normal(size=(30, 40, 6))
        self.X = self.X.astype(np.float32)

    def test_labels_are_those_of_single_calls(self):
        for metric in ("euclidean", "cosine"):
            for threads in (0, 1, 2):
                options = {"metric": metric, "threads": threads}
                hierarchies = [finch.cluster(one, refinable=True, metric=metric) for one in self.X]
                for partition in (0, 1, 50, -1):
                    labels = finch.cluster_batch(self.X, partition=partition, **options)
                    self.assertEqual((labels.shape, labels.dtype), ((30, 40), np.int32))
                    for found, hierarchy in zip(labels, hierarchies):
                        last = len(hierarchy) - 1
                        number = last if partition < 0 else min(partition, last)
                        np.testing.assert_array_equal(found, hierarchy[number])
                labels = finch.cluster_batch(self.X, n_clusters=4, linkage="ward", **options)
                suggested = finch.cluster_batch(self.X, n_clusters="suggested", **options)
                for at, (hierarchy, one) in enumerate(zip(hierarchies, self.X)):
                    np.testing.assert_array_equal(labels[at], hierarchy.refine(one, 4, linkage="ward"))
                    np.testing.assert_array_equal(suggested[at], hierarchy.suggest(one).labels)

    def test_matrices_may_differ(self):
        random = np.random.default_rng(2)
        one = [random.normal(size=shape) for shape in ((1, 3), (2, 9), (700, 5), (3, 1), (64, 200))]
        one[1] = one[1].astype(np.float32)
        one.append(np.asfortranarray(one[2][::2, ::-1]))
        one.append((one[2] * 20).astype(np.int8))
        one.append(one[2].tolist())
        for found, X in zip(finch.cluster_batch(iter(one)), one):
            np.testing.assert_array_equal(found, finch.cluster(X)[0])

    def test_nothing_and_little(self):
        self.assertEqual(finch.cluster_batch([]), [])
        self.assertEqual(finch.cluster_batch(np.empty((0, 5, 3))).shape, (0, 5))
        np.testing.assert_array_equal(finch.cluster_batch([[[1.0, 2.0]]]), [[0]])

    def test_a_matrix_at_fault_is_named(self):
        X = self.X.copy()
        X[7, 3, 1] = np.nan
        with self.assertRaisesRegex(finch.Error, r"X\[7\]: .*row 3.*column 1") as caught:
            finch.cluster_batch(X)
        self.assertEqual(caught.exception.status, "FINCH_NON_FINITE")
        with self.assertRaisesRegex(finch.Error, r"X\[1\]: ") as caught:
            finch.cluster_batch([np.eye(5), np.eye(3)], n_clusters=4)
        self.assertEqual(caught.exception.status, "FINCH_CLUSTER_COUNT")
        with self.assertRaisesRegex(ValueError, r"X\[1\]: X has 1 dimension"):
            finch.cluster_batch([np.eye(3), np.ones(4)])
        with self.assertRaisesRegex(ValueError, "partition and n_clusters"):
            finch.cluster_batch(X, partition=1, n_clusters=2)
        with self.assertRaisesRegex(ValueError, "'suggested'"):
            finch.cluster_batch(X, n_clusters="many")
        for partition in (-2, 2**70):
            with self.assertRaisesRegex(ValueError, "partition"):
                finch.cluster_batch(X, partition=partition)

    def test_a_warning_names_its_matrix(self):
        zeros = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 0.0]])
        with self.assertWarnsRegex(finch.FinchWarning, r"X\[1\]: sample 2 .*zeros"):
            finch.cluster_batch([zeros[:2], zeros, zeros], metric="cosine")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            finch.cluster_batch([zeros[:2], zeros[:2]], metric="cosine")

    def test_progress_is_told_and_may_stop(self):
        told = []
        finch.cluster_batch(self.X, progress=told.append)
        self.assertEqual({now.stage for now in told}, {"batch"})
        self.assertEqual((told[0].fraction, told[-1].fraction), (0.0, 1.0))
        for threads in (1, 2):
            with self.assertRaises(finch.Cancelled):
                finch.cluster_batch(self.X, threads=threads, progress=lambda now: True)


if __name__ == "__main__":
    unittest.main()
