"""Trees as other programs read them: cuts of linkage matrices, and texts by parsers."""

import json
import re
import unittest

import numpy as np
from common import finch

NAMES = ["it's", 'a "b"\\', "", "snake_case", "(:,;)", "tab\tand\nline", "\x01\x1f\x7f", "ä€𝄞", "&lt;"]


def inputs():
    """Random, tied, repeated and constant samples."""
    random = np.random.default_rng(5)
    for rows in (2, 3, 9, 80):
        yield random.normal(size=(rows, 2))
        yield random.integers(0, 4, (rows, 2)).astype(float)
        yield random.normal(size=(rows, 2))[np.arange(rows) % 5]
        yield np.full((rows, 2), 0.5)


def numbered(labels):
    """The same clusters, numbered by first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]


def cut(linkage, height):
    """SciPy's fcluster(Z, height, "distance")."""
    leaves = len(linkage) + 1
    members = [[leaf] for leaf in range(leaves)]
    labels = np.arange(leaves)
    for a, b, join, count in linkage:
        both = members[int(a)] + members[int(b)]
        assert len(both) == count
        if join <= height:
            labels[both] = labels[both[0]]
        members.append(both)
    return numbered(labels)


def cut_into(linkage, clusters):
    """SciPy's fcluster(Z, clusters, "maxclust")."""
    for height in [-1.0, *linkage[:, 2]]:
        labels = cut(linkage, height)
        if labels.max() < clusters:
            return labels
    raise AssertionError("the root joins all")


def newick(text):
    """Nodes below each other, without recursion: a leaf is (name, length), a join (list, length)."""
    pattern = re.compile(r"[(),;]|:[-+.0-9e]+|'(?:[^']|'')*'|[^(),:;']+")
    open_lists, last = [[]], None
    for token in pattern.findall(text):
        if token == "(":
            open_lists.append([])
            last = None
        elif token in ",);":
            open_lists[-1].append(last or ["", None])
            last = None
            if token == ")":
                last = [open_lists.pop(), None]
        elif token[0] == ":":
            last = last or ["", None]
            last[1] = float(token[1:])
        else:
            last = [token[1:-1].replace("''", "'") if token[0] == "'" else token, None]
    (root,) = open_lists.pop()
    return root


class Trees(unittest.TestCase):
    def test_partitions_and_cuts_are_cuts_of_linkage_matrices(self):
        for X in inputs():
            hierarchy = finch.cluster(X)
            linkage = hierarchy.tree().linkage()
            self.assertTrue((np.diff(linkage[:, 2]) >= 0).all() and np.isfinite(linkage).all())
            for partition, labels in enumerate(hierarchy):
                np.testing.assert_array_equal(cut(linkage, partition + 1), labels)
            for k in range(hierarchy.n_clusters[0], len(X) + 1):
                np.testing.assert_array_equal(cut_into(linkage, k), hierarchy.refine(X, k))
            for name in ("centroid", "ward", "neighbor"):
                dendrogram = hierarchy.dendrogram(X, linkage=name, from_partition=0)
                of_samples = dendrogram.tree(hierarchy).linkage()
                of_clusters = dendrogram.tree().linkage()
                self.assertEqual(len(of_clusters), dendrogram.n_start - 1)
                for k in range(1, dendrogram.n_start + 1):
                    labels = dendrogram.cut(k)
                    np.testing.assert_array_equal(cut_into(of_samples, k), labels)
                    np.testing.assert_array_equal(
                        cut_into(of_clusters, k)[hierarchy[0]] if len(of_clusters) else labels,
                        labels,
                    )

    def test_parsers_read_the_names_and_heights_that_were_written(self):
        X = np.random.default_rng(6).normal(size=(len(NAMES), 2))
        tree = finch.cluster(X).tree()
        linkage, leaves = tree.linkage(), len(NAMES)
        heights = np.concatenate([np.zeros(leaves), linkage[:, 2]])

        def check(node, number, parent, name, length, children):
            """One node of any format against the linkage matrix."""
            if length is not None:
                self.assertAlmostEqual(length, heights[parent] - heights[number], delta=1e-15)
            if number < leaves:
                self.assertEqual(name(node), NAMES[number])
                return
            below = children(node)
            self.assertEqual(len(below), 2)
            for child, of_child in zip(below, linkage[number - leaves, :2].astype(int)):
                length = child[1] if isinstance(child, list) else None
                check(child, of_child, number, name, length, children)

        root = 2 * leaves - 2
        parsed = newick(tree.newick(NAMES))
        check(parsed, root, None, lambda node: node[0], None, lambda node: node[0])
        nested = json.loads(tree.json(NAMES))
        check(nested, root, None, lambda node: node["name"], None, lambda node: node["children"])
        self.assertEqual(nested["count"], leaves)
        self.assertEqual(nested["height"], linkage[-1, 2])

        dot = tree.dot(NAMES)
        edges = [tuple(map(int, edge)) for edge in re.findall(r"(\d+) -- (\d+);", dot)]
        expected = [(leaves + i, int(node)) for i, row in enumerate(linkage) for node in row[:2]]
        self.assertEqual(edges, expected)
        labels = re.findall(r'^  \d+ \[label="((?:[^"\\]|\\.)*)"\]', dot, re.MULTILINE)
        unescape = {"\\\\": "\\", '\\"': '"', "\\n": "\n", "&amp;": "&"}
        found = [
            re.sub(r"\\.|&amp;", lambda match: unescape[match.group()], label)
            for label in labels[:leaves]
        ]
        self.assertEqual(found, NAMES)

    def test_a_chain_is_written_however_deep(self):
        steps = 1 + np.arange(20_000) / 20_000
        tree = finch.cluster(np.cumsum(steps)[:, None]).tree()
        for written in (tree.newick, tree.json, tree.dot):
            self.assertGreater(len(written()), 20_000)
        nested = tree.json()
        self.assertEqual(nested.count('"children":['), 19_999)
        self.assertEqual(nested.count("]}"), 19_999)


if __name__ == "__main__":
    unittest.main()
