"""Samples are read where they lie in memory, and copied only where they must be."""

import tracemalloc
import unittest

import numpy as np
from common import finch, mnist_10k, python, whole_numbers
from finch_clustering._input.arrays import Samples


try:
    import scipy.sparse
except ImportError:
    scipy = None


try:
    from ml_dtypes import bfloat16

    BFLOAT16 = (bfloat16,)
except ImportError:
    BFLOAT16 = ()


class SamplesInMemory(unittest.TestCase):
    def test_layouts_give_equal_labels(self):
        for dtype in (np.float32, np.float64, np.uint8, np.float16, np.int8, *BFLOAT16):
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

    def test_bits_give_what_bytes_give(self):
        rng = np.random.default_rng(3)
        X = rng.random((12, 77)) < 0.4
        X = np.vstack([X, X[rng.integers(12, size=90)] ^ (rng.random((90, 77)) < 0.1)])
        bits = finch.Bits(np.packbits(X, axis=1), 77)
        np.testing.assert_array_equal(bits.unpacked(), X)
        self.assertEqual(Samples(bits).matrix.data, bits.packed.ctypes.data)
        for metric in ("euclidean", "cosine", "manhattan", "hamming", "jaccard"):
            expected = finch.cluster(X, metric=metric)
            found = finch.cluster(bits, metric=metric)
            for labels, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(labels, other)
            model = finch.Model(found, bits)
            again = finch.Model.from_bytes(bytes(model))
            np.testing.assert_array_equal(again.samples.unpacked(), X)
            predicted = again.predict(bits[:20]).labels
            np.testing.assert_array_equal(predicted, found[0][:20])
        index, distance = finch.nearest_neighbors(bits, 2, metric="jaccard")
        both = (X & X[index[:, 0]]).sum(axis=1) / (X | X[index[:, 0]]).sum(axis=1)
        np.testing.assert_allclose(distance[:, 0], 1 - both)
        with self.assertRaisesRegex(finch.Error, "row 1, column 0 .* is 2") as caught:
            finch.cluster([[0, 1], [2, 1]], metric="hamming")
        self.assertEqual(caught.exception.status, "FINCH_NOT_BINARY")
        with self.assertRaisesRegex(ValueError, "80 features take 10 bytes"):
            finch.Bits(np.zeros((3, 4), np.uint8), 80)
        with self.assertRaisesRegex(TypeError, "packbits"):
            finch.Bits(np.zeros((3, 4)))

    def assert_borrowed(self, view):
        """The struct that the library gets is of the array's own memory."""
        matrix = Samples(view).matrix
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
            self.assertNotEqual(Samples(copied).matrix.data, copied.ctypes.data)
            np.testing.assert_array_equal(finch.cluster(copied).labels, expected)
        self.assertEqual(finch.cluster(odd_strides).n_clusters, [1])
        for constant in (np.broadcast_to(X[:1], (5, 12)), np.broadcast_to(X[:5, :1], (5, 12))):
            np.testing.assert_array_equal(
                finch.cluster(constant).labels, finch.cluster(constant.copy()).labels
            )

    def test_the_stride_of_a_single_row_or_column_may_be_anything(self):
        for shape, strides in (((1, 6), (3, 8)), ((6, 1), (8, 0)), ((6, 1), (8, 5))):
            X = np.lib.stride_tricks.as_strided(np.arange(6.0), shape, strides)
            self.assertEqual(Samples(X).matrix.data, X.ctypes.data)
            np.testing.assert_array_equal(finch.cluster(X)[0], finch.cluster(X.copy())[0])

    def test_other_types_convert_without_loss(self):
        X = whole_numbers()
        cases = {
            "bool": (np.uint8, X > 2),
            "int16": (np.float32, X.astype(np.int16) - np.int16(3)),
            "uint16": (np.float32, X.astype(np.uint16) * np.uint16(10_000)),
            "int32": (np.float64, X.astype(np.int32) * 400_000_000 - 10**9),
            "uint32": (np.float64, X.astype(np.uint32) * np.uint32(800_000_000)),
            "int64": (np.float64, X.astype(np.int64) * 2**50 - 2**52),
            "uint64": (np.float64, X.astype(np.uint64) * np.uint64(2**50)),
            "big-endian": (np.float32, X.astype(">i2")),
            "nested list": (np.float64, X.tolist()),
        }
        for name, (expected, given) in cases.items():
            with self.subTest(name):
                converted = Samples(given).array
                self.assertEqual(converted.dtype, expected)
                np.testing.assert_array_equal(converted, np.asarray(given))
                finch.cluster(given)
        boolean = X > 2
        self.assertEqual(Samples(boolean).matrix.data, boolean.ctypes.data)

    def test_uint8_and_float_agree(self):
        X = whole_numbers()
        pixels, floats, doubles = (
            finch.cluster(X.astype(dtype)) for dtype in (np.uint8, np.float32, np.float64)
        )
        np.testing.assert_array_equal(pixels.labels, floats.labels)
        # Means of doubles are not rounded to floats.
        np.testing.assert_array_equal(pixels[0], doubles[0])

    def test_narrow_types_and_float32_agree(self):
        X = whole_numbers()
        narrow = {np.dtype(t): X.astype(t) - t(2) for t in (np.int8, np.float16, *BFLOAT16)}
        for dtype, given in narrow.items():
            with self.subTest(dtype.name):
                expected = finch.cluster(given.astype(np.float32), refinable=True)
                found = finch.cluster(given, refinable=True)
                np.testing.assert_array_equal(found.labels, expected.labels)
                np.testing.assert_array_equal(found.distances, expected.distances)
                model = finch.Model.from_bytes(bytes(finch.Model(found, given)))
                self.assertEqual(model.samples.dtype, dtype)
                np.testing.assert_array_equal(model.samples, given)
                np.testing.assert_array_equal(model.predict(given).labels, found[0])
                if dtype.kind != "i":
                    for bad in (np.nan, -np.inf):
                        broken = given.copy()
                        broken[9, 2] = bad
                        with self.assertRaisesRegex(finch.Error, "row 9, column 2"):
                            finch.cluster(broken)

    def test_mnist_10k_by_rows_and_by_columns(self):
        X = mnist_10k()
        if X is None:
            self.skipTest("no MNIST")
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
import resource, sys, numpy as np, finch_clustering as finch
X = np.ones((100_000, 250), order=sys.argv[1] if len(sys.argv) > 1 else "{order}")
chain = np.arange(-1, 99_999)
chain[0] = 1
def peak():
    try:  # Of this program alone: ru_maxrss begins with that of the process that started it.
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
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


@unittest.skipIf(scipy is None, "no SciPy")
class SparseSamples(unittest.TestCase):
    """Sparse matrices and arrays of SciPy."""

    def setUp(self):
        random = np.random.default_rng(4)
        self.X = np.where(random.random((120, 400)) < 0.03, random.random((120, 400)), 0.0)
        self.X[17] = 0

    def results(self, X):
        hierarchy = finch.cluster(X, metric="cosine", refinable=True)
        return [
            hierarchy.labels,
            hierarchy.suggest(X).labels,
            *(hierarchy.refine(X, 7, linkage=each) for each in ("neighbor", "ward", "centroid")),
            hierarchy.dendrogram(X).heights,
            hierarchy.outlier_scores(X),
            *finch.nearest_neighbors(X, 5, metric="manhattan"),
            *finch.first_neighbors(X),
        ]

    def test_all_formats_give_what_arrays_give(self):
        for dtype in (np.float64, np.float32):
            X = self.X.astype(dtype)
            expected = self.results(X)
            long = scipy.sparse.csr_array(X)
            long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
            formats = [
                scipy.sparse.csr_array(X),
                scipy.sparse.csr_matrix(X),
                scipy.sparse.csc_array(X),
                scipy.sparse.coo_matrix(X),
                scipy.sparse.lil_array(X),
                scipy.sparse.bsr_array(X, blocksize=(2, 4)),
                long,
            ]
            for given in formats:
                with self.subTest(type(given).__name__, dtype=dtype.__name__):
                    for found, array in zip(self.results(given), expected):
                        np.testing.assert_array_equal(found, array)

    def test_descriptions_are_those_of_arrays(self):
        labels = np.arange(120)[::-1] * 7 % 9
        for dtype in (np.float64, np.float32):
            X = self.X.astype(dtype)
            found = finch.describe(scipy.sparse.csr_array(X), labels, metric="cosine")
            expected = finch.describe(X, labels, metric="cosine")
            self.assertEqual((found.means.format, found.means.dtype), ("csr", dtype))
            np.testing.assert_array_equal(found.means.toarray(), expected.means)
            for name in ("sizes", "medoids", "exemplars", "spreads", "silhouettes", "sampled"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)

    def test_sorted_rows_stay_where_they_are(self):
        rows = scipy.sparse.csr_array(self.X)
        csr = Samples(rows).array._csr
        addresses = [each.ctypes.data for each in (rows.indptr, rows.indices, rows.data)]
        self.assertEqual([csr.starts, csr.columns, csr.values], addresses)
        self.assertEqual((csr.value_count, csr.value_element, csr.index_bits), (rows.nnz, 1, 32))

    def test_repeated_and_unsorted_columns_are_put_right(self):
        starts, columns = np.array([0, 3, 5, 6]), np.array([2, 0, 2, 1, 0, 3])
        values = np.array([1.0, 5.0, 3.0, 2.0, 4.0, 9.0])
        rows = scipy.sparse.csr_array((values, columns, starts), shape=(3, 4))
        expected = finch.cluster(rows.toarray())
        np.testing.assert_array_equal(finch.cluster(rows).distances, expected.distances)
        np.testing.assert_array_equal(rows.indices, columns)
        # Room behind the last value is none of the rows.
        roomy = scipy.sparse.csr_array(self.X)
        roomy.data = np.append(roomy.data, np.nan)
        roomy.indices = np.append(roomy.indices, np.int32(-1))
        np.testing.assert_array_equal(
            finch.cluster(roomy).labels, finch.cluster(self.X).labels
        )

    def test_other_values_convert_without_loss(self):
        whole = (self.X * 9).astype(np.int64)
        for dtype in (bool, np.uint8, np.int8, np.int32, np.int64):
            X = whole.astype(dtype)
            found = finch.cluster(scipy.sparse.csr_array(X))
            expected = finch.cluster(X)
            np.testing.assert_array_equal(found.labels, expected.labels)
            np.testing.assert_array_equal(found.distances, expected.distances)

    def test_faults(self):
        rows = scipy.sparse.csr_array(self.X)
        hierarchy = finch.cluster(rows)
        holed = rows.copy()
        holed.data[3] = np.nan
        row, column = (int(each[3]) for each in rows.nonzero())
        beyond = rows.copy()
        beyond.indices[5] = 400
        falling = rows.copy()
        falling.indptr[3] = -1
        reaching = rows.copy()
        reaching.indptr[-1] += 1
        for call, error, text in (
            (lambda: finch.cluster(holed), finch.Error, f"row {row}, column {column}"),
            (lambda: finch.cluster(beyond), finch.Error, "feature 400 of 400"),
            (lambda: finch.cluster(falling), ValueError, "indptr"),
            (lambda: finch.cluster(reaching), ValueError, "indptr"),
            (lambda: finch.cluster(rows, search="kd-tree"), finch.Error, "dense"),
            (lambda: hierarchy.means(0, rows), finch.Error, "dense"),
            (lambda: finch.cluster(rows.astype(complex)), TypeError, "complex"),
        ):
            self.assertRaisesRegex(error, text, call)
