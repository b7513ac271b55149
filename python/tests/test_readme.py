"""The examples of README.md, one after the other, as its readers would run them."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_examples_run(capsys):
    for module in ("sklearn", "pandas", "matplotlib"):
        pytest.importorskip(module)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    printed, error = capsys.readouterr().out.splitlines()
    assert f"# {printed}\n" in blocks[0]
    assert error.startswith("column 'name' of X has dtype")
    assert names["labels"].max() == 2
    assert names["req_c"].max() == names["two"].max() == 1
