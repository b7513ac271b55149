"""Models: kept, saved, pickled, extended, and asked for the clusters of new samples."""

import copy
import gc
import os
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np
from common import ROOT, finch, python
from finch_clustering._c.names import METRICS


class Models(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(8).normal(size=(300, 4))
        self.hierarchy = finch.cluster(self.X)
        self.cut = self.hierarchy.refine(self.X, 7)
        self.model = finch.Model(self.hierarchy, self.X, refined=[self.cut])

    def test_a_model_is_a_sequence_of_labellings(self):
        model, hierarchy = self.model, self.hierarchy
        self.assertEqual(len(model), len(hierarchy) + 1)
        self.assertEqual(model.n_clusters, [*hierarchy.n_clusters, 7])
        for labels, expected in zip(model, [*hierarchy, self.cut]):
            np.testing.assert_array_equal(labels, expected)
        np.testing.assert_array_equal(model.hierarchy.labels, hierarchy.labels)
        np.testing.assert_array_equal(model.samples, self.X)
        np.testing.assert_allclose(
            model.means(-1), [self.X[self.cut == c].mean(axis=0) for c in range(7)]
        )
        self.assertIn("300 samples, kept", repr(model))
        small = finch.Model(hierarchy, self.X, keep_samples=False)
        self.assertIsNone(small.samples)
        self.assertLess(len(bytes(small)), len(bytes(model)))
        for labelling in (len(model), -len(model) - 1):
            with self.assertRaisesRegex(IndexError, "no labelling"):
                model[labelling]
        names = finch.Model(
            hierarchy, self.X, refined=np.array([np.array(list("abcdefg"))[self.cut]])
        )
        np.testing.assert_array_equal(names[-1], self.cut)

    def test_noise_is_kept_and_predicted(self):
        noisy = np.where(self.cut == 3, -1, self.cut)
        new = self.X[::3] + 0.01
        for keep in (True, False):
            model = finch.Model(self.hierarchy, self.X, refined=[noisy], keep_samples=keep)
            back = finch.Model.from_bytes(bytes(model))
            np.testing.assert_array_equal(np.flatnonzero(back[-1] == -1), np.flatnonzero(noisy == -1))
            self.assertEqual(back.n_clusters[-1], 6)
            self.assertEqual(back.means(-1).shape, (6, self.X.shape[1]))
            found = back.predict(new, -1)
            if keep:
                np.testing.assert_array_equal(found.labels, back[-1][found.neighbor])
                self.assertIn(-1, found.labels)
            else:
                self.assertNotIn(-1, found.labels)
        with self.assertRaisesRegex(finch.Error, "noise"):
            finch.Model(self.hierarchy, self.X, refined=[np.full(len(self.X), -1)])

    def test_views_outlive_the_model(self):
        model = finch.Model(self.hierarchy, self.X)
        views = [model.samples, model[0], model.hierarchy[0], model.hierarchy.distances]
        expected = [np.array(view) for view in views]
        hierarchy = model.hierarchy
        del model
        gc.collect()
        finch.Model(self.hierarchy, -self.X)  # takes memory that was freed, had it been
        for view, copied in zip(views, expected):
            np.testing.assert_array_equal(view, copied)
            self.assertFalse(view.flags.writeable)
        np.testing.assert_array_equal(hierarchy.labels, self.hierarchy.labels)

    def test_bytes_files_pickles_and_copies_are_equal(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (Path(folder, "ä model"), os.path.join(folder, "model")):
                self.model.save(path)
                self.assertEqual(Path(path).read_bytes(), bytes(self.model))
                self.assertEqual(finch.Model.load(path), self.model)
            script = "import pickle, sys; print(pickle.load(open(sys.argv[-1], 'rb')).n_clusters)"
            kept = Path(folder, "pickle")
            kept.write_bytes(pickle.dumps(self.model))
            done = python(script.replace("sys.argv[-1]", repr(str(kept))))
            self.assertEqual(done.stdout.strip(), str(self.model.n_clusters), done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["model", "pickle", "ä model"])
        for kept in (
            bytes(self.model),
            bytearray(bytes(self.model)),
            memoryview(bytes(self.model)),
        ):
            self.assertEqual(finch.Model.from_bytes(kept), self.model)
        for copied in (copy.copy(self.model), copy.deepcopy(self.model)):
            self.assertEqual(copied, self.model)
        self.assertNotEqual(finch.Model(self.hierarchy, self.X), self.model)

    def test_new_samples_get_the_labels_of_the_nearest(self):
        new = np.random.default_rng(9).normal(size=(80, 4))
        difference = new[:, None] - self.X
        unit = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (new, self.X)]
        tables = {
            "euclidean": np.sqrt((difference**2).sum(axis=2)),
            "cosine": 1 - unit[0] @ unit[1].T,
            "manhattan": np.abs(difference).sum(axis=2),
        }
        for metric in METRICS[:3]:
            table = tables[metric]
            hierarchy = finch.cluster(self.X, metric=metric)
            cut = hierarchy.refine(self.X, 5)
            model = finch.Model(hierarchy, self.X, refined=[cut])
            for search in ("auto", "brute", "blocked")[: 2 if metric == "manhattan" else 3]:
                found = model.predict(new, -1, search=search, threads=2)
                np.testing.assert_array_equal(found.neighbor, table.argmin(axis=1))
                np.testing.assert_array_equal(found.labels, cut[table.argmin(axis=1)])
                np.testing.assert_allclose(found.distance, table.min(axis=1), rtol=1e-9)
                others = np.where(cut == found.labels[:, None], np.inf, table).min(axis=1)
                np.testing.assert_allclose(found.other_distance, others, rtol=1e-9)
                power = 4 if metric == "cosine" else 8  # of chords, whose square is 2 - 2 cos
                sure = 1 / (1 + (table.min(axis=1) / others) ** power)
                np.testing.assert_allclose(found.confidence, sure, rtol=1e-9)
            most = model.predict(new, -1, others=False, search="approximate", recall=0.9)
            np.testing.assert_array_equal(most.neighbor, found.neighbor)
            self.assertEqual((most.recall, found.recall), (1, 1))
            short = model.predict(new, -1, others=False)
            np.testing.assert_array_equal(short.labels, found.labels)
            self.assertEqual((short.other_distance, short.confidence), (None, None))
            np.testing.assert_array_equal(model.predict(self.X).labels, hierarchy[0])
        by_means = finch.Model(self.hierarchy, self.X, keep_samples=False).predict(new, 1)
        means = self.hierarchy.means(1, self.X)
        nearest = ((new[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        np.testing.assert_array_equal(by_means.labels, nearest)
        np.testing.assert_array_equal(by_means.neighbor, nearest)

    def test_more_samples(self):
        more = np.random.default_rng(10).normal(size=(100, 4))
        together = np.concatenate([self.X, more])
        expected = finch.cluster(together)
        np.testing.assert_array_equal(self.hierarchy.extend(together).labels, expected.labels)
        extended = self.model.extend(more)
        np.testing.assert_array_equal(extended.hierarchy.labels, expected.labels)
        np.testing.assert_array_equal(extended.samples, together)
        weights = np.random.default_rng(11).uniform(0.5, 3, 400)
        weighted = finch.cluster(self.X, weights=weights[:300])
        np.testing.assert_array_equal(
            weighted.extend(together, weights=weights).labels,
            finch.cluster(together, weights=weights).labels,
        )
        np.testing.assert_array_equal(
            weighted.extend(together).weights, [*weights[:300], *np.ones(100)]
        )
        bounded = finch.cluster(self.X, link_bound="first-neighbor").extend(together)
        self.assertEqual(bounded.link_bound, "first-neighbor")
        kept = finch.keep_labels(self.hierarchy[-1], expected[-1])
        self.assertEqual(len(kept.fates), expected.n_clusters[-1])
        self.assertEqual(len(set(kept.labels.tolist())), expected.n_clusters[-1])

    def test_fates_by_their_definition(self):
        random = np.random.default_rng(12)
        for _ in range(200):
            new = random.integers(0, 4, 12)
            old = np.where(random.random(8) < 0.8, new[:8], random.integers(0, 4, 8))
            labels, fates = finch.keep_labels(old, new)
            clusters = list(dict.fromkeys(new.tolist()))
            self.assertEqual(len(fates), len(clusters))
            for cluster, fate in zip(clusters, fates):
                inside = np.flatnonzero(new == cluster)
                before = set(old[inside[inside < 8]].tolist())
                if len(before) > 1:
                    expected = "merged"
                elif not before:
                    expected = "appeared"
                elif (old == next(iter(before))).sum() > (inside < 8).sum():
                    expected = "split"
                else:
                    expected = "grew" if (inside >= 8).any() else "kept"
                self.assertEqual(fate, expected)
                self.assertEqual(len(set(labels[inside].tolist())), 1)
        same = finch.keep_labels(list("aabb"), list("yyxxz"))
        self.assertEqual(same.labels.tolist(), [0, 0, 1, 1, 2])
        self.assertEqual(same.fates, ["kept", "kept", "appeared"])

    def test_the_example_prints_what_one_sees(self):
        done = python((ROOT / "examples/python/model.py").read_text())
        lines = done.stdout.splitlines()
        self.assertEqual(
            lines[:3], ["suggested: 3", "labels: 0 0 0 0 1 1 1 1 2 2 2 2", "predicted: 0 2"]
        )
        self.assertTrue(lines[3].startswith("newick: (") and lines[3].endswith(";"), lines[3])
        self.assertEqual(lines[4], "medoids: 1 5 9")

    def test_what_is_refused(self):
        X, model = self.X, self.model
        damaged = bytearray(bytes(model))
        damaged[-1] ^= 1
        without = finch.cluster_distances(np.abs(X[:, :1] - X[:, :1].T))
        cases = [
            (lambda: finch.Model.from_bytes(bytes(damaged)), "FINCH_DAMAGED"),
            (lambda: finch.Model.from_bytes(bytes(model)[:-1]), "FINCH_DAMAGED"),
            (lambda: finch.Model.from_bytes(b"x"), "FINCH_DAMAGED"),
            (lambda: finch.Model(self.hierarchy, X[:9]), "FINCH_SAMPLE_COUNT"),
            (lambda: model.predict(X[:, :2]), "FINCH_FEATURE_COUNT"),
            (lambda: model.predict(X * np.nan), "FINCH_NON_FINITE"),
            (lambda: model.predict(X, search="kd-tree"), "FINCH_UNSUPPORTED_SEARCH"),
            (lambda: model.predict(X, search="approximate"), "FINCH_UNSUPPORTED_SEARCH"),
            (lambda: finch.Model(without, None).predict(X), "FINCH_NEEDS_SAMPLES"),
            (lambda: self.hierarchy.extend(X[:9]), "FINCH_SAMPLE_COUNT"),
            (lambda: finch.keep_labels([0, 1], [0]), "FINCH_SAMPLE_COUNT"),
            (lambda: finch.Model.load("/nowhere/model"), OSError),
            (lambda: model.save("/nowhere/model"), OSError),
            (lambda: model.save("a\0b"), ValueError),
            (lambda: model.save(3), TypeError),
            (lambda: model.predict(X, 99), IndexError),
            (lambda: finch.Model(self.hierarchy, X, refined=[self.cut[:9]]), ValueError),
            (lambda: finch.Model(self.hierarchy, X, refined=self.cut), ValueError),
            (lambda: finch.Model.from_bytes("text"), TypeError),
            (lambda: hash(model), TypeError),
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
