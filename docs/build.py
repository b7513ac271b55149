#!/usr/bin/env python3
"""Builds the site of these pages, without the network, into target/docs/site.

    pip install -r docs/requirements.txt
    python docs/build.py            # then open target/docs/site/index.html; the search takes a server:
    python -m http.server --directory target/docs/site
    python docs/build.py --check    # checks the links of all documents, and takes Python alone

Pages link to files of the repository, such as a benchmark or the header, as GitHub shows them. The site has
these files, too: documents as pages, programs as listings, pictures as they are.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "target/docs"
# Links of Markdown, and pictures: [text](target), [text](target#anchor).
LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))")
FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$", re.M | re.S)
# Documents with links, beside the pages.
DOCUMENTS = ["*.md", "*/README.md", "benches/*.md", "finch-deep/benches/*.md", "examples/data/*.md"]
PICTURES = {".svg", ".png"}
# The repository's address, by which the READMEs of packages link, since these are read where the other files
# are not.
ADDRESS = "https://github.com/finch-clustering/finch/blob/main/"
# The languages of listings, where the ending is no name that the highlighter knows.
LANGUAGES = {".m": "matlab", ".hpp": "cpp", ".h": "c", ".toml": "toml", "": "text"}


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


def documents():
    return [*pages(), *sorted({path for glob in DOCUMENTS for path in ROOT.glob(glob)})]


def prose(text):
    """The text with blank lines in place of code, which has no links."""
    return FENCED.sub(lambda code: "\n" * code[0].count("\n"), text)


def anchors(document):
    """The anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(document.read_text(encoding="utf-8")), re.M)
    names = []
    for heading in headings:
        name = re.sub(r"[^\w\s-]", "", heading.strip().lower()).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return names


def target_of(document, link):
    """The file or folder of the repository that a link leads to, and the anchor there; None if it leads
    out of the repository."""
    of_repository = link.startswith(ADDRESS)
    if not of_repository and re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.removeprefix(ADDRESS).partition("#")
    folder = ROOT if of_repository else document.parent
    target = Path(os.path.normpath(folder / path)) if path else document
    if target.is_dir() and (target / "README.md").is_file():
        target /= "README.md"
    return target, anchor


def broken_links():
    """A line for each link that leads to no file, or to no heading of it."""
    broken = []
    for document in documents():
        text = prose(document.read_text(encoding="utf-8"))
        for match in LINK.finditer(text):
            found = target_of(document, match[0])
            if found is None:
                continue
            target, anchor = found
            there = target.exists() and target.is_relative_to(ROOT)
            if there and anchor and target.suffix == ".md":
                there = anchor in anchors(target)
            if not there:
                line = text.count("\n", 0, match.start()) + 1
                broken.append(f"{document.relative_to(ROOT)}:{line}: {match[0]}")
    return broken


def place(file):
    """The page, listing or picture of the site that a file of the repository becomes."""
    path = PurePosixPath(file.relative_to(ROOT).as_posix())
    if path.parts[0] == "docs":
        path = path.relative_to("docs")
    else:
        path = "repository" / path
    is_kept = path.suffix in {".md", *PICTURES}
    return path if is_kept else path.with_name(f"{path.name}.md")


def listing(file):
    language = LANGUAGES.get(file.suffix, file.suffix[1:])
    text = file.read_text(encoding="utf-8").rstrip("\n")
    title = f"# {file.relative_to(ROOT).as_posix()}\n\n"
    return f"---\nsearch: {{ exclude: true }}\n---\n\n{title}`````{language}\n{text}\n`````\n"


def stage(folder):
    """Writes the pages, and the files that they lead to, into a folder for MkDocs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copyfile(ROOT / "docs/style.css", folder / "style.css")
    waiting = pages()
    known = set(waiting)
    while waiting:
        file = waiting.pop()
        path = folder / place(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix in PICTURES:
            shutil.copyfile(file, path)
        elif file.suffix != ".md":
            path.write_text(listing(file), encoding="utf-8")
        else:
            text, linked = rewritten(file)
            path.write_text(text, encoding="utf-8")
            waiting.extend(linked - known)
            known |= linked


def rewritten(document):
    """The text of a document with the links of the site, and the files that they lead to."""
    linked = set()

    def link(match):
        found = target_of(document, match[2])
        if found is None:
            return match[0]
        target, anchor = found
        if target.is_dir():  # without a README: the site has no page of it
            return match[1]
        linked.add(target)
        path = os.path.relpath(place(target), place(document).parent)
        return f"[{match[1]}]({Path(path).as_posix()}{'#' if anchor else ''}{anchor})"

    text = document.read_text(encoding="utf-8")
    parts, end = [], 0
    for code in [*FENCED.finditer(text), None]:
        begin = code.start() if code else len(text)
        parts.append(re.sub(r"\[([^\[\]]*)\]\(([^()\s]+)\)", link, text[end:begin]))
        if code:
            parts.append(code[0])
            end = code.end()
    return "".join(parts), linked


def main():
    parser = argparse.ArgumentParser(prog="docs/build.py", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="check the links alone, without MkDocs")
    arguments = parser.parse_args()
    if broken := broken_links():
        sys.exit("these links lead nowhere:\n" + "\n".join(broken))
    if arguments.check:
        return
    stage(TARGET / "pages")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        [*command, "--config-file", str(ROOT / "docs/mkdocs.yml")], env=settings, check=False
    )
    if built.returncode:
        sys.exit("docs/build.py: MkDocs failed; is docs/requirements.txt installed?")
    print(TARGET / "site/index.html")


if __name__ == "__main__":
    main()
