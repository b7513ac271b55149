"""The pages of docs: their Python runs and prints what they show, their links lead somewhere, and their
pictures are drawn by docs/pictures/draw.py."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCED = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
# Packages of pages, beside NumPy.
WANTED = {
    "sklearn": "sklearn",
    "pandas": "pandas",
    "matplotlib": "plot.",
    "scipy": "scipy",
    "dask.distributed": "dask.distributed",
}


def blocks(page):
    """Language, title and text of each block of code of a page."""
    return FENCED.findall(page.read_text(encoding="utf-8"))


def with_python():
    found = [page for page in sorted(DOCS.rglob("*.md")) if "```python\n" in page.read_text("utf-8")]
    return [pytest.param(page, id=page.relative_to(DOCS).as_posix()) for page in found]


def program(path):
    """A program of docs as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", with_python())
def test_the_python_of_a_page_prints_what_the_page_shows(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = blocks(page)
    code = "".join(text for language, _, text in found if language == "python")
    for module, sign in WANTED.items():
        if sign in code:
            pytest.importorskip(module)
    # A page has its own names, from the first block to the last.
    names = {"__name__": "docs"}
    after = [*found[1:], ("", "", "")]
    for (language, title, text), (next_language, _, shown) in zip(found, after, strict=True):
        if title:
            Path(title).write_text(text, encoding="utf-8")
        if language != "python":
            continue
        exec(compile(text, str(page), "exec"), names)
        assert capsys.readouterr().out == (shown if next_language == "text" else ""), text
    if "matplotlib" in code or "plot." in code:
        import matplotlib.pyplot as plt

        plt.close("all")


def test_each_page_is_run_and_listed():
    """No page is forgotten: each is in the menu, and pages with a block for another language say so here."""
    menu = (DOCS / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r": ([\w/-]+\.md)$", menu, re.M)
    there = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(there)
    languages = {language for page in DOCS.rglob("*.md") for language, _, _ in blocks(page)}
    # By finch-deep/tests/docs.rs: sh; by finch-ffi/tests/readme.rs: c, cpp, matlab; rust is the example of finch-core's
    # README, which its documentation tests run. "text" is output, "csv" a file.
    assert languages <= {"python", "text", "csv", "sh", "c", "cpp", "matlab", "rust"}
    folders = [DOCS, *(path for path in DOCS.rglob("*") if path.is_dir())]
    assert all(len(list(folder.iterdir())) <= 20 for folder in folders)


def test_links_lead_somewhere():
    build = program(DOCS / "build.py")
    assert build.broken_links() == []
    assert len(build.documents()) > 30


def test_a_link_that_leads_nowhere_is_found(tmp_path, monkeypatch):
    build = program(DOCS / "build.py")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(
        "# A heading\n\n[a](#a-heading) [b](#b) [c](../x.h)\n\n```python\n[d](e)\n```\n[f](../up.md)\n"
    )
    (tmp_path / "up.md").write_text(
        "# Up\n\n[g](docs/index.md#a-heading) [h](https://example.org)\n"
        f"[i]({build.ADDRESS}docs/index.md#a-heading) [j]({build.ADDRESS}docs/none.md)\n"
    )
    monkeypatch.setattr(build, "ROOT", tmp_path)
    assert build.broken_links() == [
        "docs/index.md:3: #b",
        "docs/index.md:3: ../x.h",
        f"up.md:4: {build.ADDRESS}docs/none.md",
    ]


def test_the_pictures_are_those_of_the_program(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    draw = program(DOCS / "pictures/draw.py")
    draw.draw_all(tmp_path)
    kept = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.svg")}
    assert sorted(kept) == sorted(path.name for path in tmp_path.iterdir())
    shown = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    for name, text in kept.items():
        assert f"pictures/{name})" in shown
        assert len(text) <= 70_000, f"{name} is too long for a page"
        # Other versions place text and round coordinates in other ways.
        if f"Matplotlib v{matplotlib.__version__}," in text:
            assert (tmp_path / name).read_text(encoding="utf-8") == text, f"docs/pictures/draw.py redraws {name}"
