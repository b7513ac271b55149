"""The scoreboard: finch beside other programs on all kinds of data, losses and wins in one table."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import data_sets
import measure
import numpy as np
from data_sets import DataSet
from measure import Results, apart, at_hand, head, log, names, row, table
from programs import CLUSTERERS, OF_THEIR_OWN, labels_of

GIVEN_K = "finch,genieclust,Spectral,Ward,KMeans 10 starts,finch-clust"
OWN_K = "finch suggestion,hdbscan,fast_hdbscan,PLSCAN,EVoC"
MEASURES = ("ari", "acc", "nmi", "seconds", "clusters")
NEAR = 1.0
"""Points of ARI within which finch counts as being as good as the best."""
FITS = 1.5
"""The ratio of clusters and classes, or of classes and clusters, up to which a number that a program finds fits."""
RESAMPLES = 2000
TWICE = "other_iris"
"""The shape that is iris, which is a table, too."""
KINDS = {"2-D shape": "shapes", "tabular": "tables", "image": "images", "text": "texts"}

Found = dict[str, dict[str, dict[str, Any]]]
"""Of each program, of each set: the measures, or the failure."""


def scoreboard_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--largest", type=int, default=7000, help="samples of a set, at most")
    parser.add_argument("--sets", type=names, help="these sets alone")
    parser.add_argument(
        "--programs", type=names, default=names(f"{GIVEN_K},{OWN_K}"), help=f"of {', '.join(CLUSTERERS)}"
    )
    parser.add_argument("--limit", type=float, default=900, help="seconds of a program, on all sets together")
    parser.add_argument("--memory", type=float, default=0, help="GB of address space of a program; 0: any")
    parser.add_argument("--threads", type=int, default=measure.THREADS)
    parser.add_argument("--seconds", action="store_true", help="also the sum of the seconds, of a quiet machine")
    parser.add_argument("--keep", type=Path, help="a file of results, to go on with later")


def scoreboard(options: argparse.Namespace) -> Iterator[str]:
    """ARI, ACC and NMI on shapes, tables, images and texts, beside other programs.

    Shapes are those of Gagolewski's suite that are at hand, and others in the plane. A mean stands with its 95 %
    interval: that of means over resampled sets. Programs that take the number of clusters get that of the classes;
    others find their own, and their noise is one more cluster. Each program is a process of its own, with a limit
    of time on all sets together, the smallest first. A set on which it fails, or that it does not reach, scores 0. A
    number of clusters fits if it is at most 1.5 times as large or as small as that of the classes.
    """
    sets = sorted(_sets(options), key=lambda data: len(data.X))
    if not sets:
        return
    programs = list(at_hand(CLUSTERERS, options.programs))
    if missing := [program for program in options.programs if program not in programs]:
        yield f"Not installed: {', '.join(missing)}.\n"
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "results"
        found: Found = {program: _run(program, [data.name for data in sets], place, options) for program in programs}
    yield from _by_kind(sets, found, options.seconds)
    for title, of in (("given the number of classes", False), ("that find their own number", True)):
        rivals = {program: of_set for program, of_set in found.items() if (program in OF_THEIR_OWN) == of}
        yield from _beside_the_best(title, sets, rivals)
    for program, of_program in found.items():
        failures: dict[str, list[str]] = {}
        for name, scores in of_program.items():
            if "failure" in scores:
                failures.setdefault(scores["failure"], []).append(name)
        for failure, of_failure in failures.items():
            yield f"- {program} fails on {len(of_failure)}: {failure} ({', '.join(of_failure)})"


def _sets(options: argparse.Namespace) -> Iterator[DataSet]:
    """The sets that are wanted; of the embeddings all, and no parts."""
    if options.sets is not None:
        yield from (load(name) for name in options.sets)
        return
    whole = (data for data in data_sets.embeddings() if " " not in data.name)
    for data in chain(data_sets.shapes(), data_sets.labelled(), whole):
        if len(data.X) <= options.largest and data.name != TWICE:
            yield data


def load(name: str) -> DataSet:
    """A set of `_sets` by its name."""
    for folder, read in (("shapes", data_sets.shape), ("embeddings", data_sets.embedding)):
        if (data_sets.folder() / folder / f"{name}.npz").exists():
            return read(name)
    return data_sets.load(name)


def kind(data: DataSet) -> str:
    return "shapes" if data.group == "shapes" else KINDS.get(data.kind, data.kind)


def _run(program: str, sets: list[str], place: Path, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The scores of a program on each set."""
    job = {"program": program, "sets": sets, "threads": options.threads, "place": str(place)}
    limits = {"threads": options.threads, "limit": options.limit, "memory": options.memory}
    missed: dict[str, Any] = {"failure": "stopped"}
    known = Results(place)
    if any((program, name) not in known for name in sets):
        end = apart("scoreboard.on_all", job, **limits)
        log(f"{program}: {end}")
        missed = end if isinstance(end, dict) else missed
    # The process wrote each result when it was there.
    results = Results(place)
    return {name: results.of((program, name), lambda: missed, keep=False) for name in sets}


def on_all(program: str, sets: list[str], threads: int, place: str) -> int:
    """Runs a program on one set after the other in this process; returns the number of sets."""
    results = Results(Path(place))
    for name in sets:
        results.of((program, name), partial(_scored, program, name, threads))
    return len(sets)


def _scored(program: str, name: str, threads: int) -> dict[str, Any]:
    data = load(name)
    start = time.perf_counter()
    try:
        labels = labels_of(data, program, threads=threads)
    except Exception as error:
        log(f"{program}, {name}: {error!r}")
        return {"failure": type(error).__name__}
    seconds = time.perf_counter() - start
    scores = data.scores(labels)
    clusters = len(set(labels[labels >= 0].tolist()))
    return dict(zip(MEASURES, (scores.ari, scores.acc, scores.nmi, seconds, clusters)))


def _by_kind(sets: list[DataSet], found: Found, with_seconds: bool) -> Iterator[str]:
    of_kinds: dict[str, list[str]] = {}
    classes = {data.name: data.classes for data in sets}
    for data in sets:
        of_kinds.setdefault(kind(data), []).append(data.name)
    of_kinds = dict(sorted(of_kinds.items(), key=lambda of_kind: -len(of_kind[1])))
    if len(of_kinds) > 1:
        of_kinds["all"] = [data.name for data in sets]
    yield head(["sets", "program", "K", "ARI", "ACC", "NMI", *(["seconds"] if with_seconds else []), "failed"])
    for title, of_kind in of_kinds.items():
        for program, of_program in found.items():
            runs = [of_program[name] for name in of_kind]
            done = [run for run in runs if "failure" not in run]
            # A program that takes no set of a kind has no score there.
            cells = [_with_interval([run.get(of, 0.0) for run in runs]) if done else "–" for of in MEASURES[:3]]
            if with_seconds:
                cells.append(f"{sum(run['seconds'] for run in done):.1f}" if done else "–")
            own = "given"
            if program in OF_THEIR_OWN:
                numbers = [(of_program[name].get("clusters", 0), classes[name]) for name in of_kind]
                fits = [min(pair) * FITS >= max(pair) for pair in numbers]
                own = f"fits in {100 * fmean(fits):.0f} %"
            yield row([f"{title} ({len(of_kind)})", program, own, *cells, len(runs) - len(done)])


def _with_interval(scores: list[float]) -> str:
    """The mean, and between which two numbers 95 % of the means of resampled sets are."""
    if len(scores) == 1:
        return f"{scores[0]:.1f}"
    values = np.array(scores)
    chosen = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[chosen].mean(axis=1), [2.5, 97.5])
    return f"{values.mean():.1f} ({low:.0f}–{high:.0f})"


def _beside_the_best(title: str, sets: list[DataSet], found: Found) -> Iterator[str]:
    """Each set: the ARI of finch less that of the best other program."""
    own = [p for p in found if p == "finch" or p.startswith("finch ")]
    finch, others = own, [p for p in found if p not in own]
    if not finch or not others:
        return
    ours = finch[0]
    rows = []
    for data in sets:
        ari = {program: found[program][data.name].get("ari", 0.0) for program in (ours, *others)}
        best = max(others, key=lambda program: ari[program])  # noqa: B023
        scores = (f"{ari[ours]:.1f}", f"{ari[best]:.1f}", best)
        rows.append((ari[ours] - ari[best], data, scores))
    rows.sort(key=lambda of_set: of_set[0])
    behind = [gap for gap, *_ in rows if gap < -NEAR]
    ahead = [gap for gap, *_ in rows if gap > NEAR]
    yield (
        f"\n## {ours} beside the best of the others {title}\n\n"
        f"By more than {NEAR:g} point of ARI behind on {len(behind)} of {len(rows)} sets, ahead on {len(ahead)}; "
        f"in the mean {fmean(gap for gap, *_ in rows):+.1f} against the best of {len(others)} on each set.\n"
    )
    cells = (
        [data.name, kind(data), len(data.X), data.classes, *scores, f"{gap:+.1f}"] for gap, data, scores in rows
    )
    yield table(["data", "kind", "samples", "classes", "finch", "best other", "which", "difference"], cells) + "\n"
