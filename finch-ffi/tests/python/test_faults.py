"""What is refused, and in which words."""

import pickle
import unittest

import numpy as np
from common import finch


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
                lambda: finch.cluster(np.eye(9, dtype="u1"), metric="jaccard", search="approximate"),
                "FINCH_UNSUPPORTED_SEARCH",
                "approximate",
            ),
            (
                lambda: finch.cluster(X, search="projected"),
                "FINCH_UNSUPPORTED_SEARCH",
                "8 features",
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
            (
                lambda: hierarchy.refine(X, 2, must_link=[(0, 1)], cannot_link=[(1, 0)]),
                "FINCH_INVALID_CONSTRAINT",
                "samples 1 and 0",
            ),
            (
                lambda: hierarchy.refine(X, 2, max_cluster_size=2),
                "FINCH_INVALID_CONSTRAINT",
                "2 cannot be the greatest size",
            ),
            (lambda: hierarchy.means(0, X[:5]), "FINCH_SAMPLE_COUNT", "6 .* 5"),
            (lambda: update(base=X[:, :1]), "FINCH_FEATURE_COUNT", "2 features and base has 1"),
            (lambda: update(base=X.astype("f4")), "FINCH_INVALID_VALUE", "element types"),
            (lambda: update(queries=X[:5]), "FINCH_SAMPLE_COUNT", ""),
            (lambda: update(search="kd-tree"), "FINCH_UNSUPPORTED_SEARCH", "kd-tree"),
            # Its own.
            (lambda: finch.cluster(X.ravel()), ValueError, "1 dimension where"),
            (lambda: finch.cluster(X.reshape(3, 2, 2)), ValueError, "3 dimensions where"),
            (lambda: finch.cluster(3.0), TypeError, "float: give a matrix"),
            (lambda: finch.cluster([]), ValueError, "1 dimension where"),
            (lambda: finch.cluster(X.astype(complex)), TypeError, "complex128"),
            (lambda: finch.cluster(X.astype(str)), TypeError, "<U"),
            (lambda: finch.cluster(X.astype(object)), TypeError, "object.*astype"),
            (lambda: finch.cluster(X.astype("M8[s]")), TypeError, "datetime64"),
            (lambda: finch.cluster(X.astype(np.longdouble)), TypeError, "float128|longdouble"),
            (lambda: finch.cluster(np.ma.array(X, mask=X == X)), TypeError, "masked"),
            (lambda: finch.cluster(Sparse()), TypeError, "toarray"),
            (lambda: finch.cluster(None), TypeError, "None: give a matrix"),
            (lambda: finch.cluster(np.full((2, 2), 2**53 + 1)), ValueError, r"beyond 2\*\*53"),
            (lambda: finch.cluster(X, metric="angular"), ValueError, "'cosine' finds the same"),
            (lambda: finch.cluster(X, link_bound=None), TypeError, "'none', 'first-neighbor', 'joined-pair'"),
            (lambda: finch.cluster(X, search="tree"), ValueError, "auto, brute, kd-tree, bl"),
            (lambda: hierarchy.refine(X, 2, linkage=1), TypeError, "'centroid', 'ward', 'neighbor'"),
            (lambda: finch.keys_to_distances(key, metric=""), ValueError, "there is no metric ''"),
            (lambda: finch.cluster(X, threads=-1), ValueError, "threads is -1"),
            (lambda: finch.cluster(X, threads=2**64), ValueError, "threads"),
            (lambda: finch.cluster(X, threads=1.5), TypeError, "threads is 1.5, a float: give a whole"),
            (lambda: finch.cluster(X, seed=-1), ValueError, "seed"),
            (lambda: finch.cluster(X, recall="all"), TypeError, "recall is .all., a str: give a number"),
            (lambda: finch.cluster(X, time_limit=-1), ValueError, "time_limit"),
            (lambda: finch.cluster(X, first_neighbors=np.ones(6)), TypeError, "float64.*integers"),
            (lambda: finch.cluster(X, first_neighbors=[[1]]), ValueError, "2 dimensions"),
            (lambda: finch.cluster(X, first_neighbors=[2**40] * 6), ValueError, "int32"),
            (lambda: hierarchy.refine(X, -1), ValueError, "n_clusters is -1"),
            (lambda: hierarchy.refine(X, 2.0), TypeError, ""),
            (lambda: hierarchy.refine(X, 2, must_link=[0, 1]), ValueError, "give pairs, must_link="),
            (lambda: hierarchy.refine(X, 2, must_link=[(0, 1, 2)]), ValueError, "give pairs"),
            (lambda: hierarchy.refine(X, 2, cannot_link=[(0.0, 1.0)]), TypeError, "integers"),
            (lambda: hierarchy.refine(X, 2, max_cluster_size=0), ValueError, "from 1 on"),
            (lambda: hierarchy.at_least(-1), ValueError, "n_clusters"),
            (lambda: hierarchy.refine(X, 2, from_partition=9), IndexError, "no partition 9"),
            (lambda: hierarchy.means(9, X), IndexError, "no partition 9"),
            (lambda: finch.score([0, 1], [0]), ValueError, "2 labels and 1"),
            (lambda: finch.score([[0]], [0]), ValueError, "2 dimensions"),
            (lambda: finch.score([0, 1], [0, np.nan]), ValueError, "missing value at sample 1"),
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
