"""The examples of README.md, one after the other, as its readers would run them; and scikit-learn beside the
calls of docs/coming-from.md, which test_docs.py runs."""

import re
from pathlib import Path

import finch_clustering as finch
import numpy as np
import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_examples_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    for line, block in zip(printed, (blocks[0], blocks[1], blocks[1]), strict=True):
        assert f"# {line}\n" in block
    assert finch.Model.load("points.finch").n_clusters == [85, 18, 4, 3]
    assert names["labels"].max() == 3
    assert names["two"].max() == 1


def test_heights_of_ward_are_half_the_squares_of_those_of_scikit_learn():
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(middle, 0.3, (100, 2)) for middle in ([0, 0], [4, 0], [2, 4])])
    theirs = cluster.AgglomerativeClustering(2, linkage="ward", compute_distances=True).fit(X).distances_
    ours = finch.cluster(X).dendrogram(X, linkage="ward").heights
    assert abs(theirs[-1] ** 2 / 2 - ours[-1]) < 1e-6 * ours[-1]
