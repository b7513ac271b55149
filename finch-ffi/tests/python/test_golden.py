"""Labels and scores of real data, against numbers that an independent program computed."""

import unittest

import numpy as np
from common import FOLDERS, finch, golden, load, whole_numbers

# In the golden files, but too large for here.
TOO_LARGE = "mnist_70k_pixels"

# Settings whose golden numbers are of a rounded cosine key, which breaks ties of whole numbers.
BY_FRACTIONS = {
    "aggregation_rounded_finchrepo/cosine/none": [228, 60, 17, 3],
    "aggregation_rounded_finchrepo/cosine/first_neighbor": [228, 60, 22, 21],
    "letter/cosine/none": [5106, 1323, 357, 84, 22, 5],
    "letter/cosine/first_neighbor": [5106, 1324, 365, 120, 83, 79],
}


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
        expected = {k: v for k, v in golden("partitions.json").items() if TOO_LARGE not in k}
        free = {}
        for key in sorted(expected, reverse=True):  # "none" before "first_neighbor"
            name, metric, bound = key.split("/")
            if (data := load(name)) is None:
                continue
            X, truth = data
            given = free.get((name, metric))
            bound = bound.replace("_", "-")
            hierarchy = finch.cluster(X, metric=metric, link_bound=bound, first_neighbors=given)
            self.assertEqual((hierarchy.metric, hierarchy.link_bound), (metric, bound))
            free[name, metric] = hierarchy.first_neighbors
            self.assertEqual(hierarchy.search is None, given is not None)
            if key in BY_FRACTIONS:
                self.assertEqual(hierarchy.n_clusters, BY_FRACTIONS[key], key)
            else:
                self.assert_partitions(hierarchy, truth, expected[key], key)
        self.assertIn(len(expected), [12, 28])

    def test_partitions_by_the_longest_joined_pair(self):
        checked = 0
        for key, expected in golden("joined_pair.json").items():
            name, metric, bound = key.split("/")
            # Under cosine the rounded points of Aggregation have ties.
            if name in ("segment", "umist") or (name, metric) == (
                "aggregation_rounded_finchrepo",
                "cosine",
            ):
                continue
            if (data := load(name)) is None:
                continue
            hierarchy = finch.cluster(data[0], metric=metric, link_bound=bound)
            self.assertEqual((hierarchy.n_clusters, hierarchy.link_bound), (expected, bound), key)
            checked += 1
        self.assertGreaterEqual(checked, 5)

    def test_refined_partitions(self):
        expected = golden("refine.json")
        for key, scores in expected.items():
            name, metric, start, to, linkage = key.split("/")
            if (data := load(name)) is None:
                continue
            X, truth = data
            hierarchy = finch.cluster(X, metric=metric)
            n_clusters = int(to.replace("to", ""))
            start = hierarchy.n_clusters.index(int(start.replace("from", "")))
            labels = hierarchy.refine(X, n_clusters, linkage=linkage, from_partition=start)
            self.assertEqual(len(np.unique(labels)), n_clusters)
            found = finch.score(labels, truth)
            self.assert_percent(found.nmi, scores["nmi_geometric"], 2, key)
            self.assert_percent(found.accuracy, scores["acc"], 2, key)
        self.assertIn(len(expected), [18, 26])

    def test_neighbor_linkage(self):
        """By its definition: there are no golden numbers of it."""
        sets = [whole_numbers(), *(load(name)[0] for name in FOLDERS)]
        if (data := load("aggregation")) is not None:
            sets.append(data[0])
        for X in sets:
            hierarchy = finch.cluster(X)
            for n_clusters, expected in neighbor_linkage(X, hierarchy[0], (12, 7, 4)):
                np.testing.assert_array_equal(hierarchy.refine(X, n_clusters, nested=True), expected)


def neighbor_linkage(X, labels, counts):
    """Yields falling numbers of clusters, and the labels that merging these down to them gives."""
    rows, bits = len(X), int(np.ceil(2 * np.log2(len(X))))
    k = min(bits, -(-bits * bits // 20))
    X = X.astype(np.float64)
    near = np.eye(rows, dtype=bool)
    length = np.zeros((rows, rows))
    scale, squares_of_ratio = np.zeros(rows), []
    for i, x in enumerate(X):
        squares = ((X - x) ** 2).sum(axis=1)
        length[i] = np.sqrt(squares)
        squares[i] = np.inf
        nearest = np.argsort(squares, kind="stable")[:k]
        near[i, nearest] = True
        lengths = length[i, nearest]
        apart = lengths[lengths > 0]
        scale[i] = apart[3] if len(apart) > 3 else lengths[-1]
        if len(apart) > 7:
            squares_of_ratio.append((apart[3] / apart[7]) ** 2)
    reach = max(1.0, 1.5 * k / 4 * min(1.0, 2 * np.mean(squares_of_ratio or [0.5])) ** 2)
    one = np.where(scale[:, None] > 0, scale[:, None], scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = reach * (one / length) * (one.T / length)
    share = np.where((length > 0) & (one > 0), np.minimum(share, 1), 1)
    shared = near.astype(np.int64) @ near.T
    weight = np.maximum(np.rint(65_536 * shared * share**12), 1).astype(np.int64)
    links = np.where((near | near.T) & ~np.eye(rows, dtype=bool), weight, 0)
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
