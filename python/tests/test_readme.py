"""The examples of README.md, one after the other, as its readers would run them."""

import re
from pathlib import Path

import finch_clustering as finch
import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


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
