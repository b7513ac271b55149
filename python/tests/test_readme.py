"""The examples of README.md, one after the other, as its readers would run them."""

import re
from pathlib import Path

import finch_clustering as finch
import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
COMING_FROM = README.with_name("COMING_FROM.md")


def test_the_examples_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for module in ("sklearn", "pandas", "matplotlib", "scipy"):
        pytest.importorskip(module)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 8
    names = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    *printed, error = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    for line, block in zip(printed, (blocks[0], blocks[1], blocks[1])):
        assert f"# {line}\n" in block
    assert finch.Model.load("points.finch").n_clusters == [85, 18, 4, 3]
    assert error.startswith("column 'name' of X has dtype")
    assert names["labels"].max() == 2
    assert names["req_c"].max() == names["two"].max() == 1


def test_the_calls_beside_those_of_other_packages_run(capsys):
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    assert f"({COMING_FROM.name})" in README.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", COMING_FROM.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        exec(compile(block, str(COMING_FROM), "exec"), names)
    # Ward's heights are half the squares of those of scikit-learn, from single samples on.
    from sklearn.cluster import AgglomerativeClustering

    X, finch_ = names["X"], names["finch"]
    theirs = AgglomerativeClustering(2, linkage="ward", compute_distances=True).fit(X).distances_
    ours = finch_.cluster(X).dendrogram(X, linkage="ward").heights
    assert abs(theirs[-1] ** 2 / 2 - ours[-1]) < 1e-6 * ours[-1]
