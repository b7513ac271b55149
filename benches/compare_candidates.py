"""The rules that neighbour linkage was chosen from, at the true number of classes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from statistics import fmean

import data_sets
from candidates import CANDIDATES, CHOSEN, SIMILARITIES, STARTS, WEIGHTS, Problem
from tables import Results, best_marked, by_group, log

MEASURES = ("acc", "nmi", "ari")

PART = 0.75
"""How much of a set is in a part of it."""


def compare(arguments: argparse.Namespace) -> Iterator[str]:
    """The tables, after each set."""
    results = Results(arguments.keep)
    scores: dict[str, dict[str, dict[str, float]]] = {str(each): {} for each in CANDIDATES}
    for name in arguments.sets:
        seeds: list[int | None] = list(range(arguments.parts)) or [None]
        for seed in seeds:
            keys = {each: ("candidate", name, str(each), seed) for each in CANDIDATES}
            missing = [each for each, key in keys.items() if results.get(*key) is None]
            if missing:
                data = data_sets.load(name)
                problem = Problem(data if seed is None else data.part(PART, seed))
                for candidate in missing:
                    found = problem.data.scores(problem.solve(candidate))
                    results.note(*keys[candidate], result=asdict(found))
            log(f"{name}, part {seed}: {len(missing)} run, {len(CANDIDATES) - len(missing)} known")
        for each in scores:
            of_parts = [results.get("candidate", name, each, seed) for seed in seeds]
            scores[each][name] = {
                measure: fmean(part[measure] for part in of_parts if part) for measure in MEASURES
            }
        yield candidate_tables(scores, arguments.parts)


def candidate_tables(scores: dict[str, dict[str, dict[str, float]]], parts: int) -> str:
    """Of scores by candidate, set and measure."""
    sets = list(next(iter(scores.values())))
    selection, held_out = by_group(sets)

    def mean(candidate: str, over: list[str], measure: str) -> float | None:
        values = [scores[candidate][name][measure] for name in over]
        return fmean(values) if values else None

    def table(columns: list[tuple[str, list[str], str]]) -> str:
        """Columns of a title, sets to take the mean over, and a measure."""
        titles = [title for title, _, _ in columns]
        rows = {
            candidate + " (chosen)" * (candidate == str(CHOSEN)): [
                mean(candidate, over, measure) for _, over, measure in columns
            ]
            for candidate in scores
        }
        return best_marked("candidate", titles, rows)

    def without(kind: str) -> list[str]:
        return [name for name in selection if data_sets.kind(name) != kind]

    kinds = dict.fromkeys(map(data_sets.kind, selection))
    drawn = f"means of {parts} random parts of {PART:.0%}" if parts else "of whole sets"
    options_by_what = {"weight": WEIGHTS, "start": STARTS, "similarity": SIMILARITIES}
    formulas = [
        f"- {what} {name}: {formula}"
        for what, options in options_by_what.items()
        for name, formula in options.items()
    ]
    return "\n\n".join(
        [
            "A candidate is k, the weight of arcs, the partition to start from and the similarity"
            f" of clusters. Scores are in percent, {drawn}; the best of each column is bold.",
            "\n".join(formulas),
            f"## Means (sets to choose by: {len(selection)}, held out: {len(held_out)})",
            table(
                [(measure.upper(), selection, measure) for measure in MEASURES]
                + [(f"held out: {measure.upper()}", held_out, measure) for measure in MEASURES]
            ),
            "## Mean ACC with one kind of data left out",
            table([(f"without {kind}", without(kind), "acc") for kind in kinds]),
            "## ACC of each set",
            table([(name, [name], "acc") for name in sets]),
        ]
    )
