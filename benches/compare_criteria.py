"""Criteria that recommend K, or a partition, by what they lose against the best choice in hindsight."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Iterator
from statistics import fmean, median
from typing import NamedTuple

import data_sets
from candidates import Problem
from criteria import CUTS, PARTITIONS
from evidence import MOST_CLUSTERS, Evidence, numbers_of_clusters
from tables import Results, by_group, log, markdown

BEST = "best in hindsight"
CLASSES = "*as many as classes*"
"""What is no criterion, since it takes the classes."""

TABLED_BY_SET = (
    "drop × modularity",
    "drop",
    "gap",
    "modularity",
    "silhouette, K ≤ √N",
    "Calinski–Harabasz",
    "Davies–Bouldin, K ≤ √N",
    "stability, K ≤ √N",
    "elbow",
    "eigengap, ratio",
    "K = 10",
    "count of the second coarsest",
)
"""Criteria for the cut. Those for the partition all are."""


class Choice(NamedTuple):
    """A clustering that a criterion has chosen."""

    clusters: int
    ari: float


# Of a set, by criterion.
Choices = dict[str, Choice]


def compare(arguments: argparse.Namespace) -> Iterator[str]:
    """The tables, after each set."""
    results = Results(arguments.keep)
    cuts: dict[str, Choices] = {}
    partitions: dict[str, Choices] = {}
    for name in arguments.sets:
        known = results.get("suggest", name)
        if known is None:
            start = time.perf_counter()
            known = choose_all(data_sets.load(name))
            results.note("suggest", name, result=known)
            log(f"{name}: {time.perf_counter() - start:.1f} s")
        for kind, choices in (("cut", cuts), ("partition", partitions)):
            choices[name] = {each: Choice(*choice) for each, choice in known[kind].items()}
        yield criteria_tables(cuts, partitions)


def choose_all(data: data_sets.DataSet) -> dict[str, Choices]:
    """The choices of cuts and of partitions."""
    evidence = Evidence(Problem(data))

    def cut(clusters: int) -> Choice:
        return Choice(clusters, data.ari(evidence.dendrogram.cut(clusters)))

    partitions = [
        Choice(partition.clusters, data.ari(labels))
        for partition, labels in zip(evidence.partitions, evidence.problem.partitions)
    ]
    of_cuts = {name: cut(criterion.choose(evidence)) for name, criterion in CUTS.items()}
    of_cuts[CLASSES] = cut(data.classes)
    of_partitions = {
        name: partitions[criterion.choose(evidence)] for name, criterion in PARTITIONS.items()
    }
    others = map(cut, evidence.numbers)
    of_cuts[BEST] = max([*others, *of_cuts.values()], key=lambda choice: choice.ari)
    of_partitions[BEST] = max(partitions, key=lambda choice: choice.ari)
    return {"cut": of_cuts, "partition": of_partitions}


def criteria_tables(cuts: dict[str, Choices], partitions: dict[str, Choices]) -> str:
    """Of choices by set and criterion."""
    classes = {name: choices[CLASSES].clusters for name, choices in cuts.items()}
    selection, held_out = by_group(list(cuts))
    looked_at = len(numbers_of_clusters(2 * MOST_CLUSTERS))
    parts = [
        "A criterion loses the ARI (in percent) of the best choice in hindsight less that of its"
        f" own. Means are over sets to choose by ({len(selection)}) and held-out ones"
        f" ({len(held_out)}). From a dendrogram, no criterion that looks at it takes more than half"
        " as many clusters as it starts with; silhouette, Calinski–Harabasz, Davies–Bouldin,"
        f" stability and prediction strength look at {looked_at} K up to {MOST_CLUSTERS}, all up to"
        " 100.",
    ]
    for title, choices, criteria, tabled in (
        ("K of the dendrogram", cuts, CUTS, TABLED_BY_SET),
        ("Partition of FINCH", partitions, PARTITIONS, PARTITIONS),
    ):
        formulas = [f"- {name}: {criterion.formula}" for name, criterion in criteria.items()]
        parts += [
            f"## {title}",
            loss_table(choices, classes),
            "\n".join(formulas),
            f"## {title}: loss of each set",
            set_table(choices, classes, tabled, lambda each, best: f"{best.ari - each.ari:.1f}"),
            f"## {title}: clusters of each set",
            set_table(choices, classes, tabled, lambda each, _: str(each.clusters)),
        ]
    return "\n\n".join(parts)


def set_table(
    choices: dict[str, Choices],
    classes: dict[str, int],
    criteria: Iterable[str],
    cell: Callable[[Choice, Choice], str],
) -> str:
    """Of what `cell` makes of a choice and the best one."""
    rows = []
    for name, of_set in choices.items():
        best = of_set[BEST]
        numbers = [str(classes[name]), str(best.clusters), f"{best.ari:.1f}"]
        cells = [cell(of_set[criterion], best) for criterion in criteria]
        rows.append([name, *numbers, *cells])
    return markdown(["data", "classes", "clusters of the best", "its ARI", *criteria], rows)


def loss_table(choices: dict[str, Choices], classes: dict[str, int]) -> str:
    """Of means by criterion, the smallest loss first."""
    selection, held_out = by_group(list(choices))

    def loss(criterion: str, over: list[str]) -> float:
        losses = [choices[name][BEST].ari - choices[name][criterion].ari for name in over]
        return fmean(losses) if losses else math.nan

    def off(criterion: str, over: list[str]) -> float:
        ratios = [choices[name][criterion].clusters / classes[name] for name in over]
        return median(abs(math.log(ratio)) for ratio in ratios) if ratios else math.nan

    criteria = [name for name in next(iter(choices.values())) if name != BEST]
    rows = {
        criterion: [
            f"{loss(criterion, selection):.1f}",
            f"{off(criterion, selection):.2f}",
            f"{loss(criterion, held_out):.1f}",
            f"{off(criterion, held_out):.2f}",
        ]
        for criterion in sorted(criteria, key=lambda name: loss(name, selection or held_out))
    }
    titles = ["mean loss", "median \\|ln(K/classes)\\|"]
    header = ["criterion", *titles, *(f"held out: {title}" for title in titles)]
    return markdown(header, [[name, *row] for name, row in rows.items()])
