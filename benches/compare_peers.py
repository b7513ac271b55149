"""The library beside other programs that make K clusters."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from statistics import fmean, median
from typing import Any

from peers import PEERS, Job, Outcome, run_apart
from tables import Results, by_group, log, markdown


def compare(arguments: argparse.Namespace) -> Iterator[str]:
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
