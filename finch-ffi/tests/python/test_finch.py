"""finch.py with the library that FINCH_LIBRARY names and the data in the folder FINCH_DATA.

python -m unittest test_finch
"""

import copy
import ctypes
import doctest
import faulthandler
import gc
import gzip
import inspect
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import unittest
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/python"
DATA = Path(os.environ.get("FINCH_DATA", ROOT / "../shared/data"))
sys.path.insert(0, str(EXAMPLES))

import finch  # noqa: E402

# A hang is a failure, too.
faulthandler.dump_traceback_later(540, exit=True)

# In the golden files, but too large for here.
LARGE = "mnist_70k_pixels"
FOLDERS = {
    "mice_protein": "mice_protein/{}.npy",
    "gestalt_compound": "gestalt/gestalt_{}.npy",
    "aggregation": "aggregation/aggregation_{}.npy",
    "aggregation_rounded_finchrepo": "aggregation/aggregation_rounded_{}.npy",
}


def golden(name):
    return json.loads((DATA / "golden" / name).read_text())


def load(name):
    """Samples and classes of a data set by its name in the golden files."""
    if name in FOLDERS:
        return tuple(np.load(DATA / FOLDERS[name].format(part)) for part in "Xy")
    with np.load(DATA / f"{name}.npz") as archive:
        return archive["X"], archive["y"]


def mnist_10k():
    with gzip.open(DATA / "mnist/t10k-images-idx3-ubyte.gz") as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(10_000, 784)


def whole_numbers(rows=300, columns=12):
    """Samples that every element type holds, with ties."""
    return np.random.default_rng(7).integers(0, 6, (rows, columns)).astype(np.uint8)


def long_run(**options):
    """A run of minutes."""
    X = np.random.default_rng(1).integers(0, 255, (40_000, 500), np.uint8)
    return finch.cluster(X, search="brute", **options)


def setUpModule():
    # Where the tests run in the background of a shell, Ctrl-C is ignored, and Python keeps it so.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupt_soon(number=signal.SIGINT, after=0.5):
    """Sends a signal to this process, and returns where the time of it will be."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    threading.Timer(after, send).start()
    return sent


def python(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(EXAMPLES), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


class Golden(unittest.TestCase):
    """Numbers that an independent program computed; see the data's README."""

    def assert_percent(self, fraction, expected, decimals, context):
        self.assertLessEqual(
            abs(100 * fraction - expected), 0.5 * 10**-decimals + 1e-9, f"{context}: {expected}"
        )

    def assert_partitions(self, hierarchy, truth, expected, context):
        self.assertEqual(hierarchy.n_clusters, expected["clusters"], context)
        for partition, labels in enumerate(hierarchy):
            scores = finch.score(labels, truth)
            self.assert_percent(scores.purity, expected["purity"][partition], 4, context)
            self.assert_percent(scores.nmi, expected["nmi_geometric"][partition], 2, context)
            self.assert_percent(scores.accuracy, expected["acc"][partition], 2, context)

    def test_partitions(self):
        expected = {k: v for k, v in golden("partitions.json").items() if LARGE not in k}
        free = {}
        for key in sorted(expected, reverse=True):  # "none" before "first_neighbor"
            name, metric, bound = key.split("/")
            X, truth = load(name)
            given = free.get((name, metric))
            bound = bound.replace("_", "-")
            hierarchy = finch.cluster(X, metric=metric, link_bound=bound, first_neighbors=given)
            self.assertEqual((hierarchy.metric, hierarchy.link_bound), (metric, bound))
            free[name, metric] = hierarchy.first_neighbors
            self.assertEqual(hierarchy.search is None, given is not None)
            self.assert_partitions(hierarchy, truth, expected[key], key)
        self.assertEqual(len(expected), 28)

    def test_refined_partitions(self):
        expected = golden("refine.json")
        for key, scores in expected.items():
            name, metric, start, to, linkage = key.split("/")
            X, truth = load(name)
            hierarchy = finch.cluster(X, metric=metric)
            n_clusters = int(to.replace("to", ""))
            start = hierarchy.n_clusters.index(int(start.replace("from", "")))
            labels = hierarchy.refine(X, n_clusters, linkage=linkage, from_partition=start)
            self.assertEqual(len(np.unique(labels)), n_clusters)
            found = finch.score(labels, truth)
            self.assert_percent(found.nmi, scores["nmi_geometric"], 2, key)
            self.assert_percent(found.accuracy, scores["acc"], 2, key)
        self.assertEqual(len(expected), 26)

    def test_neighbor_linkage(self):
        """By its definition: there are no golden numbers of it."""
        sets = [whole_numbers(), *(load(name)[0] for name in FOLDERS)]
        for X in sets:
            hierarchy = finch.cluster(X)
            for n_clusters, expected in neighbor_linkage(X, hierarchy[0], (12, 7, 4)):
                np.testing.assert_array_equal(hierarchy.refine(X, n_clusters), expected)


def neighbor_linkage(X, labels, counts):
    """Yields falling numbers of clusters, and the labels that merging these down to them gives."""
    rows, k = len(X), int(np.ceil(2 * np.log2(len(X))))
    X = X.astype(np.float64)
    near = np.eye(rows, dtype=bool)
    for i, x in enumerate(X):
        squares = ((X - x) ** 2).sum(axis=1)
        squares[i] = np.inf
        near[i, np.argsort(squares, kind="stable")[:k]] = True
    shared = near.astype(np.int64) @ near.T
    links = np.where((near | near.T) & ~np.eye(rows, dtype=bool), shared, 0)
    members = np.eye(labels.max() + 1, dtype=np.int64)[labels]
    weights = members.T @ links @ members
    sizes = members.sum(axis=0)
    labels = labels.copy()
    left = len(sizes)
    for count in counts:
        while left > count:
            # Fractions of such numbers are equal in float64 only if they are equal.
            similarity = np.triu(weights / np.outer(sizes, sizes), 1)
            a, b = divmod(int(similarity.argmax()), len(sizes))
            assert similarity[a, b] > 0, "no links are left"
            weights[a] += weights[b]
            weights[:, a] += weights[:, b]
            weights[b] = weights[:, b] = 0
            sizes[a] += sizes[b]
            labels[labels == b] = a
            left -= 1
        # The first sample of a cluster has the cluster's number to be.
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        yield count, np.argsort(np.argsort(first))[codes]


class Memory(unittest.TestCase):
    def test_layouts_give_equal_labels(self):
        for dtype in (np.float32, np.float64, np.uint8):
            X = whole_numbers().astype(dtype)
            expected = finch.cluster(X)
            wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
            padded = np.zeros((400, 40), dtype)
            padded[50:350, 9:33:2] = X
            fields = np.zeros(X.shape, [("x", dtype), ("other", dtype)])
            fields["x"] = X
            views = {
                "C": X.copy(),
                "Fortran": np.asfortranarray(X),
                "transposed": np.ascontiguousarray(X.T).T,
                "strided": wide[::2, ::3],
                "sliced": padded[50:350, 9:33:2],
                "rows reversed": X[::-1].copy()[::-1],
                "columns reversed": X[:, ::-1].copy()[:, ::-1],
                "both reversed, strided": wide[::-1, ::-1].copy()[::-2, ::-3],
                "of a struct": fields["x"],
                "read-only": np.frombuffer(X.tobytes(), dtype).reshape(X.shape),
            }
            for name, view in views.items():
                with self.subTest(name, dtype=np.dtype(dtype).name):
                    np.testing.assert_array_equal(view, X)
                    self.assert_borrowed(view)
                    np.testing.assert_array_equal(finch.cluster(view).labels, expected.labels)

    def assert_borrowed(self, view):
        """The struct that the library gets is of the array's own memory."""
        matrix = finch._Samples(view).matrix
        self.assertEqual(matrix.data, view.ctypes.data)
        self.assertEqual((matrix.rows, matrix.columns), view.shape)
        item = view.itemsize
        self.assertEqual((matrix.row_stride * item, matrix.column_stride * item), view.strides)

    def test_what_cannot_be_read_is_copied(self):
        X = whole_numbers().astype(np.float64)
        expected = finch.cluster(X).labels
        packed = np.zeros(X.shape, [("byte", "u1"), ("x", "f8")])
        packed["x"] = X
        unaligned = np.frombuffer(b"1" + X.tobytes(), np.uint8)[1:].view(np.float64)
        odd_strides = np.lib.stride_tricks.as_strided(
            np.frombuffer(bytes(200), np.uint8)[:80].view(np.float64), (4, 2), (20, 8)
        )
        for copied in (packed["x"], unaligned.reshape(X.shape), X.astype(">f8")):
            self.assertNotEqual(finch._Samples(copied).matrix.data, copied.ctypes.data)
            np.testing.assert_array_equal(finch.cluster(copied).labels, expected)
        self.assertEqual(finch.cluster(odd_strides).n_clusters, [1])
        for constant in (np.broadcast_to(X[:1], (5, 12)), np.broadcast_to(X[:5, :1], (5, 12))):
            np.testing.assert_array_equal(
                finch.cluster(constant).labels, finch.cluster(constant.copy()).labels
            )

    def test_the_stride_of_a_single_row_or_column_may_be_anything(self):
        for shape, strides in (((1, 6), (3, 8)), ((6, 1), (8, 0)), ((6, 1), (8, 5))):
            X = np.lib.stride_tricks.as_strided(np.arange(6.0), shape, strides)
            self.assertEqual(finch._Samples(X).matrix.data, X.ctypes.data)
            np.testing.assert_array_equal(finch.cluster(X)[0], finch.cluster(X.copy())[0])

    def test_other_types_convert_without_loss(self):
        X = whole_numbers()
        cases = {
            "bool": (np.uint8, X > 2),
            "int8": (np.float32, X.astype(np.int8) - np.int8(3)),
            "int16": (np.float32, X.astype(np.int16) - np.int16(3)),
            "uint16": (np.float32, X.astype(np.uint16) * np.uint16(10_000)),
            "float16": (np.float32, X.astype(np.float16) / np.float16(4)),
            "int32": (np.float64, X.astype(np.int32) * 400_000_000 - 10**9),
            "uint32": (np.float64, X.astype(np.uint32) * np.uint32(800_000_000)),
            "int64": (np.float64, X.astype(np.int64) * 2**50 - 2**52),
            "uint64": (np.float64, X.astype(np.uint64) * np.uint64(2**50)),
            "big-endian": (np.float32, X.astype(">i2")),
            "nested list": (np.float64, X.tolist()),
        }
        for name, (expected, given) in cases.items():
            with self.subTest(name):
                converted = finch._Samples(given).array
                self.assertEqual(converted.dtype, expected)
                np.testing.assert_array_equal(converted, np.asarray(given))
                finch.cluster(given)
        boolean = X > 2
        self.assertEqual(finch._Samples(boolean).matrix.data, boolean.ctypes.data)

    def test_uint8_and_float_agree(self):
        X = whole_numbers()
        pixels, floats, doubles = (
            finch.cluster(X.astype(dtype)) for dtype in (np.uint8, np.float32, np.float64)
        )
        np.testing.assert_array_equal(pixels.labels, floats.labels)
        # Means of doubles are not rounded to floats.
        np.testing.assert_array_equal(pixels[0], doubles[0])

    def test_mnist_10k_by_rows_and_by_columns(self):
        X = mnist_10k()
        by_rows, by_columns = finch.cluster(X), finch.cluster(np.asfortranarray(X))
        np.testing.assert_array_equal(by_rows.labels, by_columns.labels)
        np.testing.assert_array_equal(by_rows.distances, by_columns.distances)
        wide = X.astype(np.int64)
        for sample in range(0, 10_000, 500):
            squared = ((wide - wide[sample]) ** 2).sum(axis=1)
            squared[sample] = squared.max()
            self.assertEqual(by_rows.first_neighbors[sample], squared.argmin())
            self.assertEqual(by_rows.distances[sample], np.sqrt(squared.min()))

    def test_200_megabytes_stay_where_they_are(self):
        # With given neighbours that make one cluster, all that remains is to read X.
        script = """
import resource, sys, numpy as np, finch
X = np.ones((100_000, 250), order=sys.argv[1] if len(sys.argv) > 1 else "{order}")
chain = np.arange(-1, 99_999)
chain[0] = 1
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = peak()
hierarchy = finch.cluster({X}, first_neighbors=chain)
hierarchy.means(0, {X})
print(hierarchy.n_clusters, peak() - before)
"""

        def megabytes(order, X):
            done = python(script.format(order=order, X=X))
            self.assertEqual(done.returncode, 0, done.stderr)
            clusters, grown = done.stdout.rsplit(maxsplit=1)
            self.assertEqual(clusters, "[1]")
            return int(grown)

        for order in "CF":
            self.assertLess(megabytes(order, "X[::-1]"), 20)
        # The measure sees a copy.
        self.assertGreater(megabytes("C", "X[::-1].copy()"), 150)

    def test_numpy_allocates_nothing_of_the_size_of_the_samples(self):
        X = np.ones((100_000, 50))
        chain = np.arange(-1, 99_999, dtype=np.int32)
        chain[0] = 1
        tracemalloc.start()
        finch.cluster(X, first_neighbors=chain)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(peak, 100_000)


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
        for copying in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "pickled"):
                copying(hierarchy)

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
                self.assertIn(hierarchy.search, finch._SEARCHES[1:])
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

    def test_update_neighbors_in_parts(self):
        X = self.X.astype(np.float32)
        for metric in finch._METRICS:
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
            np.testing.assert_array_equal(finch.keys_to_distances(key, metric=metric), whole.distance)

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

    def test_refine_to_every_number(self):
        for k in (1, 2, 17, self.hierarchy.n_clusters[0], 400, 500):
            for linkage in finch._LINKAGES:
                labels = self.hierarchy.refine(self.X, k, linkage=linkage, threads=2)
                self.assertEqual(labels.dtype, np.int32)
                self.assertEqual(labels.max() + 1, k)

    def test_what_is_kept_does_not_show(self):
        keeping = finch.cluster(self.X, refinable=True)
        np.testing.assert_array_equal(keeping.labels, self.hierarchy.labels)
        first = keeping.first_neighbors
        np.testing.assert_array_equal(first, self.hierarchy.first_neighbors)
        given = finch.cluster(self.X, first_neighbors=first, refinable=True)
        for k in (1, 2, 17):
            for linkage in finch._LINKAGES:
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
        free = finch._lib.finch_hierarchy_free
        finch._lib.finch_hierarchy_free = lambda handle: freed.append(handle.value) or free(handle)
        self.addCleanup(setattr, finch._lib, "finch_hierarchy_free", free)
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


class Faults(unittest.TestCase):
    def test_table(self):
        X = np.arange(12.0).reshape(6, 2)
        hierarchy = finch.cluster(X)
        index, key = np.full(6, -1, np.int32), np.zeros(6)

        def holed(value, dtype=float):
            Y = X.astype(dtype)
            Y[4, 1] = value
            return Y

        def update(**changed):
            chosen = dict(queries=X, first_query=0, base=X, first_base=0, index=index, key=key)
            finch.update_neighbors(**{**chosen, **changed})

        class Sparse:
            nnz = 1

            def toarray(self):
                return X

        cases = [
            # The library's.
            (lambda: finch.cluster(holed(np.nan)), "FINCH_NON_FINITE", "row 4, column 1 .*NaN"),
            (lambda: finch.cluster(holed(np.nan)[::-1]), "FINCH_NON_FINITE", "row 1, column 1"),
            (lambda: finch.cluster(holed(-np.inf, "f4")), "FINCH_NON_FINITE", "row 4, column 1"),
            (lambda: finch.cluster(holed(1e200)), "FINCH_VALUE_TOO_LARGE", "row 4, column 1"),
            (lambda: finch.cluster(X * 1e-200), "FINCH_VALUES_TOO_SMALL", "rescale"),
            (lambda: finch.cluster(np.empty((0, 2))), "FINCH_NO_SAMPLES", "no rows"),
            (lambda: finch.cluster(np.empty((2, 0))), "FINCH_NO_FEATURES", "no columns"),
            (lambda: finch.cluster(X, recall=0), "FINCH_INVALID_VALUE", "recall"),
            (lambda: finch.cluster(X, recall=np.nan), "FINCH_INVALID_VALUE", "recall"),
            (
                lambda: finch.cluster(X, metric="manhattan", search="blocked"),
                "FINCH_UNSUPPORTED_SEARCH",
                "blocked",
            ),
            (
                lambda: finch.cluster(X, search="projected"),
                "FINCH_UNSUPPORTED_SEARCH",
                "8 features",
            ),
            (
                lambda: finch.cluster(np.ones((3, 17)), search="kd-tree"),
                "FINCH_UNSUPPORTED_SEARCH",
                "16",
            ),
            (
                lambda: finch.cluster(X, first_neighbors=[1, 0, 1]),
                "FINCH_NEIGHBOR_COUNT",
                "3 .* 6",
            ),
            (
                lambda: finch.cluster(X, first_neighbors=[1, 0, 1, 3, 3, 3]),
                "FINCH_INVALID_NEIGHBOR",
                "sample 3",
            ),
            (lambda: finch.components([1, 2]), "FINCH_INVALID_NEIGHBOR", "sample 1"),
            (lambda: finch.components([]), "FINCH_NO_SAMPLES", ""),
            (lambda: finch.score([], []), "FINCH_NO_SAMPLES", ""),
            (lambda: hierarchy.refine(X, 0), "FINCH_CLUSTER_COUNT", "cannot make 0"),
            (lambda: hierarchy.refine(X, 7), "FINCH_CLUSTER_COUNT", "ask for 1 to 6"),
            (lambda: hierarchy.refine(X, 6, from_partition=0), "FINCH_TOO_COARSE", "finer"),
            (lambda: hierarchy.refine(X[:5], 2), "FINCH_SAMPLE_COUNT", "6 .* 5"),
            (lambda: hierarchy.means(0, X[:5]), "FINCH_SAMPLE_COUNT", "6 .* 5"),
            (lambda: update(base=X[:, :1]), "FINCH_FEATURE_COUNT", "2 features and base has 1"),
            (lambda: update(base=X.astype("f4")), "FINCH_INVALID_VALUE", "element types"),
            (lambda: update(queries=X[:5]), "FINCH_SAMPLE_COUNT", ""),
            (lambda: update(search="kd-tree"), "FINCH_UNSUPPORTED_SEARCH", "kd-tree"),
            # Its own.
            (lambda: finch.cluster(X.ravel()), ValueError, "1 dimension where"),
            (lambda: finch.cluster(X.reshape(3, 2, 2)), ValueError, "3 dimensions where"),
            (lambda: finch.cluster(3.0), ValueError, "0 dimensions"),
            (lambda: finch.cluster([]), ValueError, "1 dimension where"),
            (lambda: finch.cluster(X.astype(complex)), TypeError, "complex128"),
            (lambda: finch.cluster(X.astype(str)), TypeError, "<U"),
            (lambda: finch.cluster(X.astype(object)), TypeError, "object.*astype"),
            (lambda: finch.cluster(X.astype("M8[s]")), TypeError, "datetime64"),
            (lambda: finch.cluster(X.astype(np.longdouble)), TypeError, "float128|longdouble"),
            (lambda: finch.cluster(np.ma.array(X)), TypeError, "masked"),
            (lambda: finch.cluster(Sparse()), TypeError, "toarray"),
            (lambda: finch.cluster(None), ValueError, "0 dimensions"),
            (lambda: finch.cluster(np.full((2, 2), 2**53 + 1)), ValueError, r"beyond 2\*\*53"),
            (lambda: finch.cluster(X, metric="l2"), ValueError, "euclidean, cosine, manhattan"),
            (lambda: finch.cluster(X, link_bound=None), ValueError, "none, first-neighbor"),
            (lambda: finch.cluster(X, search="tree"), ValueError, "auto, brute, kd-tree, bl"),
            (lambda: hierarchy.refine(X, 2, linkage=1), ValueError, "centroid, ward, neighbor"),
            (lambda: finch.keys_to_distances(key, metric=""), ValueError, "there is no metric ''"),
            (lambda: finch.cluster(X, threads=-1), ValueError, "threads is -1"),
            (lambda: finch.cluster(X, threads=2**64), ValueError, "threads"),
            (lambda: finch.cluster(X, threads=1.5), TypeError, ""),
            (lambda: finch.cluster(X, seed=-1), ValueError, "seed"),
            (lambda: finch.cluster(X, recall="all"), ValueError, ""),
            (lambda: finch.cluster(X, first_neighbors=np.ones(6)), TypeError, "float64.*integers"),
            (lambda: finch.cluster(X, first_neighbors=[[1]]), ValueError, "2 dimensions"),
            (lambda: finch.cluster(X, first_neighbors=[2**40] * 6), ValueError, "int32"),
            (lambda: hierarchy.refine(X, -1), ValueError, "n_clusters is -1"),
            (lambda: hierarchy.refine(X, 2.0), TypeError, ""),
            (lambda: hierarchy.at_least(-1), ValueError, "n_clusters"),
            (lambda: hierarchy.refine(X, 2, from_partition=9), IndexError, "no partition 9"),
            (lambda: hierarchy.means(9, X), IndexError, "no partition 9"),
            (lambda: finch.score([0, 1], [0]), ValueError, "2 labels and 1"),
            (lambda: finch.score([[0]], [0]), ValueError, "2 dimensions"),
            (lambda: finch.score([0, 1], [0, np.nan]), ValueError, "NaN at sample 1"),
            (lambda: update(index=[-1] * 6), TypeError, "index is updated in place"),
            (lambda: update(index=index.astype("i8")), TypeError, "int32"),
            (lambda: update(index=np.full(12, -1, "i4")[::2]), TypeError, "contiguous"),
            (lambda: update(key=np.broadcast_to(0.0, 6)), TypeError, "writeable"),
            (lambda: update(key=np.zeros(5)), ValueError, "index has 6 numbers, and key 5"),
            (lambda: update(first_base=-1), ValueError, "first_base"),
        ]
        for call, expected, message in cases:
            named = isinstance(expected, str)
            with self.subTest(expected=expected, message=message):
                with self.assertRaisesRegex(finch.Error if named else expected, message) as caught:
                    call()
                if named:
                    self.assertEqual(caught.exception.status, expected)
                    self.assertIsInstance(caught.exception, ValueError)
                else:
                    self.assertNotIsInstance(caught.exception, finch.Error)
        self.assertEqual(set(index.tolist()), {-1}, "a failure wrote")
        self.assertEqual(len(finch.cluster(X)[0]), 6, "the library works on")

    def test_errors_can_be_pickled(self):
        error = pickle.loads(pickle.dumps(finch.Error("a message", "FINCH_FAILED")))
        self.assertEqual((str(error), error.status), ("a message", "FINCH_FAILED"))


class Progress(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(5).normal(size=(2000, 20))
        self.dropped = []
        hook, sys.unraisablehook = sys.unraisablehook, self.dropped.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        self.addCleanup(lambda: self.assertEqual(self.dropped, [], "exceptions were dropped"))

    def runs(self):
        """Every function that takes a callback."""
        hierarchy = finch.cluster(self.X)
        keeping = finch.cluster(self.X, refinable=True)
        index, key = np.full(2000, -1, np.int32), np.zeros(2000)
        return [
            lambda told: finch.cluster(self.X, progress=told),
            lambda told: finch.first_neighbors(self.X, progress=told),
            lambda told: finch.update_neighbors(self.X, 0, self.X, 0, index, key, progress=told),
            lambda told: hierarchy.refine(self.X, 2, progress=told),
            lambda told: keeping.refine(self.X, 2, progress=told),
            lambda told: hierarchy.refine(
                self.X, 2, linkage="ward", from_partition=0, progress=told
            ),
        ]

    def test_is_told_from_0_to_1(self):
        search = ["neighbors"]
        stages = [search, search, search, [*search, "link"], ["link"], ["merge"]]
        for run, expected in zip(self.runs(), stages):
            seen = []
            run(seen.append)
            self.assertEqual((seen[0].fraction, seen[-1].fraction), (0.0, 1.0))
            self.assertEqual(list(dict.fromkeys(told.stage for told in seen)), expected)
            for before, now in zip(seen, seen[1:]):
                if before.stage == now.stage:
                    self.assertLessEqual(before[1:], now[1:], "neither level nor fraction falls")

    def test_a_true_value_stops(self):
        for run in self.runs():
            with self.assertRaises(finch.Cancelled) as caught:
                run(lambda told: "stop")
            self.assertEqual(caught.exception.status, "FINCH_CANCELLED")
        calls = []
        with self.assertRaises(finch.Cancelled):
            finch.cluster(self.X, progress=lambda told: calls.append(told) or told.level == 1)
        self.assertEqual(calls[-1].level, 1)

    def test_exceptions_pass_through(self):
        for exception in (
            KeyError("mine"),
            SystemExit(3),
            StopIteration(),
            GeneratorExit(),
            KeyboardInterrupt(),
        ):

            def fail(told, exception=exception):
                raise exception

            for run in self.runs():
                with self.assertRaises(type(exception)) as caught:
                    run(fail)
                self.assertIs(caught.exception, exception)
        self.assertEqual(finch.cluster(self.X).n_samples, 2000)

    def test_an_exception_keeps_nothing_alive(self):
        X = self.X.copy()
        alive = weakref.ref(X)
        gc.disable()
        self.addCleanup(gc.enable)
        try:
            finch.cluster(X, progress=lambda told: 1 / 0)
        except ZeroDivisionError:
            pass
        del X
        self.assertIsNone(alive())

    def test_the_callback_may_call_finch(self):
        inner = []
        finch.cluster(self.X, progress=lambda told: inner.append(finch.cluster(self.X[:50])))
        expected = finch.cluster(self.X[:50]).labels
        self.assertGreater(len(inner), 1)
        for hierarchy in inner:
            np.testing.assert_array_equal(hierarchy.labels, expected)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_control_c_stops_a_long_run(self):
        for options in ({}, {"progress": lambda told: None}, {"threads": 1}):
            sent = interrupt_soon()
            with self.assertRaises(KeyboardInterrupt):
                long_run(**options)
            self.assertLess(time.monotonic() - sent[0], 1.0)
        self.assertEqual(finch.cluster(self.X).n_samples, 2000)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_what_a_signal_handler_raises_stops_a_long_run(self):
        def late(number, frame):
            raise TimeoutError("late")

        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        sent = interrupt_soon(signal.SIGALRM)
        with self.assertRaisesRegex(TimeoutError, "late"):
            long_run()
        self.assertLess(time.monotonic() - sent[0], 1.0)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_a_handler_that_returns_stops_nothing(self):
        handled = []
        before = signal.signal(signal.SIGINT, lambda number, frame: handled.append(number))
        self.addCleanup(signal.signal, signal.SIGINT, before)
        interrupt_soon(after=0.1)
        X = mnist_10k()
        while not handled:
            finch.cluster(X)


class Processes(unittest.TestCase):
    def test_from_four_threads_at_once(self):
        sets = [np.random.default_rng(i).normal(size=(1500, 8 + i)) for i in range(4)]
        expected = [finch.cluster(X).labels for X in sets]

        def work(i):
            for _ in range(5):
                np.testing.assert_array_equal(finch.cluster(sets[i]).labels, expected[i])
                bad = sets[i].copy()
                bad[i, i] = np.nan
                with self.assertRaisesRegex(finch.Error, f"row {i}, column {i} "):
                    finch.cluster(bad)
            return i

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(work, range(4))), [0, 1, 2, 3])

    def test_other_threads_run_meanwhile(self):
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.005):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        began = time.monotonic()
        finch.cluster(mnist_10k())
        ended = time.monotonic()
        stop.set()
        thread.join()
        self.assertGreater(sum(began < at < ended for at in ticks), 5)

    def test_one_hierarchy_in_many_threads(self):
        X = np.random.default_rng(8).normal(size=(1000, 6))
        hierarchy = finch.cluster(X)
        expected = hierarchy.refine(X, 9).tolist()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: hierarchy.refine(X, 9).tolist(), range(8)))
        self.assertEqual(found, [expected] * 8)

    @unittest.skipUnless(hasattr(os, "fork"), "fork of POSIX")
    def test_after_fork(self):
        X = np.random.default_rng(9).normal(size=(1500, 12))
        hierarchy = finch.cluster(X)
        expected = hierarchy.labels
        with warnings.catch_warnings():
            # Python 3.12 warns of what is tested here.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                same = np.array_equal(finch.cluster(X).labels, expected)
                same &= np.array_equal(hierarchy.labels, expected)
                same &= finch.first_neighbors(X).index.size == 1500
                same &= hierarchy.refine(X, 5).max() == 4
                same &= hierarchy.means(0, X).shape == (hierarchy.n_clusters[0], X.shape[1])
                os._exit(0 if same else 1)
            finally:
                os._exit(2)
        self.assertEqual(self.wait(child), 0)
        np.testing.assert_array_equal(finch.cluster(X).labels, expected)

    def wait(self, child):
        """How a child ended, which may hang."""
        for _ in range(600):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.fail("the child hung")


class Library(unittest.TestCase):
    def setUp(self):
        self.header = (ROOT / "include/finch.h").read_text()

    def test_numbers_are_those_of_the_header(self):
        numbers = {k: int(v) for k, v in re.findall(r"\b(FINCH_\w+) = (\d+),", self.header)}
        tables = (
            ("", finch._METRICS),
            ("", finch._ORDERS),
            ("LINK_BOUND_", finch._LINK_BOUNDS),
            ("SEARCH_", finch._SEARCHES),
            ("LINKAGE_", finch._LINKAGES),
            ("STAGE_", finch._STAGES),
        )
        for prefix, names in tables:
            for number, name in enumerate(names):
                constant = "FINCH_" + prefix + name.upper().replace("-", "_")
                self.assertEqual(number, numbers[constant], constant)
        elements = [numbers[f"FINCH_{name}"] for name in ("F32", "F64", "U8")]
        self.assertEqual(elements, [0, 1, 2])
        self.assertEqual([str(e) for e in finch._ELEMENTS], ["float32", "float64", "uint8"])
        self.assertEqual(numbers["FINCH_CANCELLED"], finch._CANCELLED)
        self.assertIn(f"#define FINCH_ABI {finch._ABI}\n", self.header)

    def test_structs_are_those_of_the_header(self):
        c_types = {
            "size_t": ctypes.c_size_t,
            "ptrdiff_t": ctypes.c_ssize_t,
            "int32_t": ctypes.c_int32,
            "uint32_t": ctypes.c_uint32,
            "uint64_t": ctypes.c_uint64,
            "double": ctypes.c_double,
            "void *": ctypes.c_void_p,
            "finch_progress_fn": finch._ProgressFn,
        }
        structs = {
            "matrix": finch._Matrix,
            "progress": finch._Progress,
            "options": finch._Options,
            "scores": finch._Scores,
        }
        for name, struct in structs.items():
            body = re.search(rf"typedef struct finch_{name} {{(.*?)\n}}", self.header, re.S)[1]
            fields = re.findall(r"^ +(?:const )?(\w+ \*?)(\w+);(?: +///<.*)?$", body, re.M)
            fields = [(field, c_types[c_type.strip()]) for c_type, field in fields]
            self.assertEqual([(f.rstrip("_"), t) for f, t in struct._fields_], fields)

    def test_prototypes_are_those_of_the_header(self):
        declared = dict(re.findall(r"^\w.*?\b(finch_\w+)\(([^()]*)\);", self.header, re.M))
        self.assertGreater(len(declared), 25)
        for name, (_, arguments) in finch._PROTOTYPES.items():
            expected = 0 if declared[name] == "void" else declared[name].count(",") + 1
            self.assertEqual(len(arguments), expected, name)

    def test_defaults_are_those_of_the_library(self):
        options = finch._search_options("euclidean", "auto", 0, 0.99, 0)
        defaults = finch._options()
        for name, _ in finch._Options._fields_:
            if name in ("progress", "user_data"):
                continue
            self.assertEqual(getattr(options, name), getattr(defaults, name), name)
        linkage = inspect.signature(finch.Hierarchy.refine).parameters["linkage"].default
        self.assertEqual(linkage, finch._LINKAGES[defaults.linkage])

    def test_is_found_beside_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(EXAMPLES / "finch.py", folder)
            library = Path(folder).resolve() / finch._library_names()[-1]
            library.symlink_to(finch._lib._name)
            done = python(
                "import finch; print(finch._lib._name)", PYTHONPATH=folder, FINCH_LIBRARY=""
            )
            self.assertEqual(done.stdout.strip(), str(library), done.stderr)

    def test_says_what_to_do_where_there_is_none(self):
        done = python("import finch", FINCH_LIBRARY="/nowhere/libfinch.so")
        self.assertIn("ImportError: the finch library could not be loaded", done.stderr)
        self.assertIn("set FINCH_LIBRARY", done.stderr)
        self.assertIn("/nowhere/libfinch.so", done.stderr)

    def test_refuses_other_libraries(self):
        libc = ctypes.util.find_library("c")
        done = python("import finch", FINCH_LIBRARY=libc)
        self.assertIn("is not a finch library", done.stderr)
        abi, finch._ABI = finch._ABI, 2
        self.addCleanup(setattr, finch, "_ABI", abi)
        with self.assertRaisesRegex(ImportError, "has ABI 1 where this finch.py takes 2"):
            finch._load()


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(finch))
    return tests


if __name__ == "__main__":
    unittest.main()
