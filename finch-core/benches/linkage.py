"""How to make K clusters, and which K: the measurements behind neighbour linkage, as Markdown.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 finch-clust==0.2.3 \\
        pynndescent==0.7.0
    cargo build --release -p finch-ffi
    venv/bin/python finch-core/benches/linkage.py candidates --out candidates.md
    venv/bin/python finch-core/benches/linkage.py peers --repeat 3 --out peers.md
    venv/bin/python finch-core/benches/linkage.py suggest --out suggest.md

`candidates` compares the rules that neighbour linkage was chosen from, in plain Python; `peers` the
library, through examples/python/finch, with other programs. Both ask for K, the true number of
classes, and score against the classes. `suggest` compares criteria that recommend K, or a
partition, without the classes, in plain Python. `--sets iris,moons` takes only those of
`data_sets.py`; `--keep results.jsonl` notes each result, and does not run again what it finds noted
there. The tables are written again after each set. `candidates --parts 3` evens out chance: one
merge more or less of two classes is worth 10 points of ACC.

The data is as data_sets.py says; it takes the folder FINCH_DATA. Needs Python 3.11 on Linux.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import data_sets
from peers import PEERS, Job, Outcome, run_apart


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


# Candidates.

MEASURES = ("acc", "nmi", "ari")

PART = 0.75
"""How much of a set is in a part of it."""


def compare_candidates(arguments: argparse.Namespace) -> Iterator[str]:
    """The tables, after each set."""
    from candidates import CANDIDATES, Problem

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
    from candidates import CHOSEN, SIMILARITIES, STARTS, WEIGHTS

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


# Suggestions.

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


def compare_criteria(arguments: argparse.Namespace) -> Iterator[str]:
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
    from candidates import Problem
    from criteria import CUTS, PARTITIONS, Evidence

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
    from criteria import CUTS, MOST_CLUSTERS, PARTITIONS, numbers_of_clusters

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


def by_group(sets: list[str]) -> tuple[list[str], list[str]]:
    """Those to choose by, and those held out."""
    groups = (data_sets.SELECTION, data_sets.HELD_OUT)
    selection, held_out = ([name for name in sets if data_sets.group(name) == g] for g in groups)
    return selection, held_out


# Peers.


def compare_peers(arguments: argparse.Namespace) -> Iterator[str]:
    """The tables, after each set."""
    results = Results(arguments.keep)
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in arguments.sets:
        runs: dict[str, list[Outcome]] = {peer: [] for peer in arguments.peers}
        for repeat in range(arguments.repeat):
            for peer, so_far in runs.items():
                if not any(outcome.failure for outcome in so_far):
                    so_far.append(run_seeds(results, name, peer, repeat, arguments))
        outcomes[name] = {peer: combine(of_peer, median) for peer, of_peer in runs.items()}
        yield peer_tables(outcomes, arguments)


def run_seeds(
    results: Results, name: str, peer: str, repeat: int, arguments: argparse.Namespace
) -> Outcome:
    """The mean over the seeds of a peer."""
    runs = []
    for seed in range(PEERS[peer].seeds):
        job = Job(name, peer, seed, arguments.threads, arguments.memory)
        key = ("peer", *asdict(job).values(), arguments.limit, repeat)
        known = results.get(*key)
        if known is None:
            known = asdict(run_apart(job, arguments.limit))
            results.note(*key, result=known)
            log(f"{name}, {peer}, seed {seed}: {known}")
        runs.append(Outcome(**known))
        if runs[-1].failure:
            break
    return combine(runs, fmean)


def combine(runs: Sequence[Outcome], average: Callable[[Iterable[float]], float]) -> Outcome:
    """The average, or the failure if there is one."""
    for outcome in runs:
        if outcome.failure:
            return outcome
    fields = ("seconds", "megabytes", "clusters", "acc", "nmi", "ari")
    return Outcome(**{name: average(getattr(run, name) for run in runs) for name in fields})


def peer_tables(outcomes: dict[str, dict[str, Outcome]], arguments: argparse.Namespace) -> str:
    """Of outcomes by set and peer."""
    peers = list(arguments.peers)
    sets = list(outcomes)
    finished = [name for name in sets if not any(o.failure for o in outcomes[name].values())]
    _, held_out = by_group(sets)

    def table(measure: str, digits: int, summaries: dict[str, tuple[Any, list[str]]]) -> str:
        def cell(outcome: Outcome) -> str:
            return outcome.failure or f"{getattr(outcome, measure):.{digits}f}"

        def summary(average: Any, over: list[str], peer: str) -> str:
            of_peer = [outcomes[name][peer] for name in over]
            if not of_peer or any(outcome.failure for outcome in of_peer):
                return "–"
            return f"{average(getattr(outcome, measure) for outcome in of_peer):.{digits}f}"

        rows = [[name, *(cell(outcomes[name][peer]) for peer in peers)] for name in sets]
        for title, (average, over) in summaries.items():
            title = f"{title} ({len(over)})"
            rows.append([f"**{title}**", *(summary(average, over, peer) for peer in peers)])
        return markdown(["data", *peers], rows)

    def summaries(word: str, average: Any) -> dict[str, tuple[Any, list[str]]]:
        return {
            f"{word} of those that all finished": (average, finished),
            f"{word} of held-out ones": (average, held_out),
            f"{word} of all": (average, sets),
        }

    failures = [
        f"- {name}, {peer}: {outcome.failure}: {outcome.message}"
        for name, of_set in outcomes.items()
        for peer, outcome in of_set.items()
        if outcome.failure
    ]
    found = {name: of_set["HDBSCAN"] for name, of_set in outcomes.items() if "HDBSCAN" in of_set}
    counts = [f"{name} {each.clusters:g}" for name, each in found.items() if not each.failure]
    parts = [
        f"{arguments.threads} threads, at most {arguments.limit:g} s and {arguments.memory:g} GB a"
        f" run, {arguments.repeat} runs each (median). Scores are in percent.",
        "## ACC",
        table("acc", 1, summaries("mean", fmean)),
        "## NMI",
        table("nmi", 1, summaries("mean", fmean)),
        "## ARI",
        table("ari", 1, summaries("mean", fmean)),
        "## Seconds",
        table("seconds", 2, summaries("sum", sum)),
        "## Peak memory in MB, with the data, Python, and what makes the data",
        table("megabytes", 0, summaries("largest", max)),
    ]
    if counts:
        parts.append("HDBSCAN finds its own number, noise being one: " + ", ".join(counts) + ".")
    if failures:
        parts += ["## What failed", "\n".join(failures)]
    return "\n\n".join(parts)


# Markdown.


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


# The command.


def log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def names_of(what: str, known: Iterable[str]) -> Callable[[str], list[str]]:
    """What reads names with commas between them."""
    known = list(known)

    def read(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"there is no {what} {name!r}: it is one of {', '.join(known)}"
                )
        return names

    return read


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument(
        "--sets",
        type=names_of("set", data_sets.NAMES),
        default=list(data_sets.NAMES),
        help="sets, with commas between them [default: all]",
    )
    both.add_argument("--out", type=Path, help="file to write instead of the terminal")
    both.add_argument("--keep", type=Path, help="file of results, to go on with later")

    candidates = commands.add_parser("candidates", parents=[both], help="compare rules")
    candidates.set_defaults(compare=compare_candidates)
    candidates.add_argument(
        "--parts",
        type=int,
        default=0,
        help=f"take the mean of so many random parts of {100 * PART:g} %%, to even out chance"
        " [default: 0, the whole sets]",
    )

    suggest = commands.add_parser("suggest", parents=[both], help="compare criteria for K")
    suggest.set_defaults(compare=compare_criteria)

    peers = commands.add_parser("peers", parents=[both], help="compare with other programs")
    peers.set_defaults(compare=compare_peers)
    peers.add_argument(
        "--peers",
        type=names_of("peer", PEERS),
        default=list(PEERS),
        help="peers, with commas between them [default: all]",
    )
    peers.add_argument("--limit", type=float, default=600, help="seconds [default: 600]")
    peers.add_argument("--memory", type=float, default=16, help="GB of 10⁹ bytes [default: 16]")
    peers.add_argument("--threads", type=int, default=2, help="[default: 2]")
    peers.add_argument("--repeat", type=int, default=1, help="rounds over all peers [default: 1]")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    tables = ""
    for tables in arguments.compare(arguments):
        if arguments.out is not None:
            arguments.out.write_text(tables + "\n")
    if arguments.out is None:
        print(tables)


if __name__ == "__main__":
    main()
