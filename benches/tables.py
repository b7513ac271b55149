"""What the comparisons of linkage.py share: results that are kept, and Markdown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import data_sets


class Results:
    """Results by what they are of, in a file with one a line if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[tuple[Any, ...], dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                key, result = json.loads(line)
                self._known[tuple(key)] = result

    def get(self, *key: Any) -> dict[str, Any] | None:
        return self._known.get(key)

    def note(self, *key: Any, result: dict[str, Any]) -> None:
        self._known[key] = result
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps([key, result]) + "\n")


def by_group(sets: list[str]) -> tuple[list[str], list[str]]:
    """Those to choose by, and those held out."""
    groups = (data_sets.SELECTION, data_sets.HELD_OUT)
    selection, held_out = ([name for name in sets if data_sets.group(name) == g] for g in groups)
    return selection, held_out


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table, all columns but the first to the right."""
    rules = ["---"] + ["--:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rules, *rows])


def best_marked(corner: str, columns: list[str], rows: dict[str, list[float | None]]) -> str:
    """A table of numbers, with the largest of each column in bold."""
    text = {name: ["–" if n is None else f"{n:.1f}" for n in row] for name, row in rows.items()}
    for column in range(len(columns)):
        numbers = [row[column] for row in rows.values()]
        best = max((n for n in numbers if n is not None), default=None)
        for row in text.values():
            if best is not None and row[column] == f"{best:.1f}":
                row[column] = f"**{row[column]}**"
    return markdown([corner, *columns], [[name, *row] for name, row in text.items()])


def log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
