"""Exactly K clusters beside other programs: of sets, toys and streams, and without samples."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import data_sets
import measure
import numpy as np
from data_sets import DataSet, unit_rows
from measure import Results, apart, at_hand, done, head, in_turns, least, log, names, numbers, row, table
from programs import CLUSTERERS, Task, labels_of

finch = measure.library()
finch_shards = importlib.import_module("finch_clustering.shards")

# Data sets, one by one.

OF_SETS = "finch neighbor,finch centroid,finch ward,KMeans,Ward,Birch,Spectral,HDBSCAN,finch-clust"
MEASURES = ("acc", "nmi", "ari", "seconds", "megabytes", "clusters")


def clusters_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sets", type=names, default=list(data_sets.NAMES), help="names of data_sets.py [default: all]"
    )
    parser.add_argument("--without", type=names, default=[], help="sets to leave out")
    parser.add_argument("--programs", type=names, default=names(OF_SETS), help=f"of {', '.join(CLUSTERERS)}")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a run")
    parser.add_argument("--memory", type=float, default=16, help="GB of address space of a run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a file of results, to go on with later")


def clusters(options: argparse.Namespace) -> Iterator[str]:
    """As many clusters as classes, beside other programs: ACC, NMI, ARI, seconds, memory.

    Each run is a process of its own, with limits; programs take turns. Scores are means over the seeds
    of a program, and all are medians over the rounds. Seconds are of the clustering alone; memory is
    the most until then, with the data, Python, and the maker of the data.
    """
    programs = list(at_hand(CLUSTERERS, options.programs))
    results = Results(options.keep)
    yield (
        f"{options.threads} threads, at most {options.limit:g} s and {options.memory:g} GB a run,"
        f" {options.rounds} rounds. Scores are in percent."
    )
    found: dict[str, dict[str, dict[str, Any]]] = {}
    wanted = [name for name in options.sets if name not in options.without]
    for name in (data.name for data in data_sets.at_hand(wanted)):
        runs: dict[str, list[dict[str, Any]]] = {program: [] for program in programs}
        for turn in range(options.rounds):
            for program, so_far in runs.items():
                if not any("failure" in run for run in so_far):
                    so_far.append(_over_seeds(results, name, program, turn, options))
        found[name] = {program: _combined(of_program, median) for program, of_program in runs.items()}
    finished = [name for name in found if not any("failure" in run for run in found[name].values())]
    held_out = data_sets.by_group(found)[1]
    over = {"those that all finished": finished, "held-out ones": held_out, "all": list(found)}
    for title, measured, digits, word, average in (
        ("ACC", "acc", 1, "mean", fmean),
        ("NMI", "nmi", 1, "mean", fmean),
        ("ARI", "ari", 1, "mean", fmean),
        ("Seconds", "seconds", 2, "sum", sum),
        ("Peak memory in MB", "megabytes", 0, "largest", max),
    ):
        rows = [
            [name, *(_cell([of_set[program]], measured, digits, max) for program in programs)]
            for name, of_set in found.items()
        ]
        for of, sets in over.items():
            cells = [_cell([found[name][p] for name in sets], measured, digits, average) for p in programs]
            rows.append([f"**{word} of {of} ({len(sets)})**", *cells])
        yield f"\n## {title}\n\n" + table(["data", *programs], rows)
    hdbscan = {name: of_set["HDBSCAN"] for name, of_set in found.items() if "HDBSCAN" in of_set}
    own = [f"{name} {run.get('clusters', 0):g}" for name, run in hdbscan.items()]
    if own:
        yield f"\nHDBSCAN finds its own number, noise being one: {', '.join(own)}."
    for name, of_set in found.items():
        for program, run in of_set.items():
            if "failure" in run:
                yield f"- {name}, {program}: {run['failure']}: {run['message']}"


def _cell(runs: list[dict[str, Any]], measured: str, digits: int, average: Callable[..., float]) -> str:
    failures = [run["failure"] for run in runs if "failure" in run]
    if failures or not runs:
        return failures[0] if len(runs) == 1 else "–"
    return f"{average(run[measured] for run in runs):.{digits}f}"


def _over_seeds(
    results: Results, name: str, program: str, turn: int, options: argparse.Namespace
) -> dict[str, Any]:
    """The mean over the seeds of a program."""
    runs: list[dict[str, Any]] = []
    limits = {"threads": options.threads, "limit": options.limit, "memory": options.memory}
    for seed in range(CLUSTERERS[program].seeds):
        job = {"name": name, "program": program, "seed": seed, "threads": options.threads}
        key = ("clusters", *job.values(), options.limit, options.memory, turn)
        runs.append(results.of(key, partial(measure.apart, "clusters.clustered", job, **limits)))
        log(f"{name}, {program}, seed {seed}: {runs[-1]}")
        if "failure" in runs[-1]:
            break
    return _combined(runs, fmean)


def _combined(runs: list[dict[str, Any]], average: Callable[[Iterable[float]], float]) -> dict[str, Any]:
    """The average, or the failure if there is one."""
    failed = [run for run in runs if "failure" in run]
    return failed[0] if failed else {name: average(run[name] for run in runs) for name in MEASURES}


def clustered(name: str, program: str, seed: int, threads: int) -> dict[str, Any]:
    """Runs a program on a set in this process."""
    data = data_sets.load(name)
    X = unit_rows(data.X) if data.metric == "cosine" else data.X
    cluster = CLUSTERERS[program].load(Task(data.metric, data.classes, seed, threads))
    start = time.perf_counter()
    labels = cluster(X)
    seconds = time.perf_counter() - start
    megabytes = measure.peak_memory() / 1e6
    scores = data.scores(labels)
    found = (scores.acc, scores.nmi, scores.ari, seconds, megabytes, len(set(labels.tolist())))
    return dict(zip(MEASURES, found))


# Shapes, labelled sets, toy sets and spirals.

OF_TOYS = (
    "finch neighbor,finch ward,finch centroid,genieclust,Spectral,Ward,KMeans 10 starts,"
    "hdbscan,fast_hdbscan,EVoC"
)


def toys_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--largest", type=int, default=2500, help="samples of a set, at most")
    parser.add_argument("--programs", type=names, default=names(OF_TOYS), help=f"of {', '.join(CLUSTERERS)}")


def toys(options: argparse.Namespace) -> Iterator[str]:
    """As many clusters as classes, of shapes, labelled sets, toy sets and spirals: mean ARI, or ACC.

    ACC of labelled sets, ARI of all others. hdbscan, fast_hdbscan and EVoC find their own number, and
    their noise counts as one more cluster. Rows under cosine are scaled to length 1 for other programs.
    A program that fails on a set scores 0 there; the last column says how often.
    """
    sets = [*data_sets.shapes(), *data_sets.labelled(), *data_sets.toys()]
    sets = [data for data in sets if len(data.X) <= options.largest]
    columns: dict[str, list[DataSet]] = {}
    for data in sets:
        columns.setdefault(data.group, []).append(data)
    yield head(["program", *(f"{title} ({len(of)})" for title, of in columns.items()), "failed"])
    for program in at_hand(CLUSTERERS, options.programs):
        scores = {data.name: _score(data, program) for data in sets}
        means = [fmean(scores[data.name] or 0.0 for data in of) for of in columns.values()]
        yield row([program, *map("{:.1f}".format, means), sum(score is None for score in scores.values())])


def _score(data: DataSet, program: str) -> float | None:
    """ACC of a labelled set, else ARI; `None` where the program fails."""
    try:
        labels = labels_of(data, program)
    except Exception as error:
        log(f"{program}, {data.name}: {error!r}")
        return None
    scores = data.scores(labels - labels.min())
    return scores.acc if data.group == "labelled" else scores.ari


# Islands.

AMONG_ISLANDS = "finch neighbor,finch ward,Ward,genieclust,KMeans"


def islands_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", type=int, choices=(0, 1), default=0)
    parser.add_argument("--every", type=int, default=1, help="one set in so many")
    parser.add_argument("--programs", type=names, default=names(AMONG_ISLANDS), help=f"of {', '.join(CLUSTERERS)}")


def islands(options: argparse.Namespace) -> Iterator[str]:
    """Large clusters among islands, small groups far from all else: mean ARI.

    2 to 10 Gaussians, whose nearest neighbours are 5 to 6.5 deviations apart, in 2 to 50 dimensions, and 0 to
    30 islands of 10 to 100 samples. "large": of the samples of the Gaussians, at as many clusters as there are
    Gaussians. "all": of all samples, at the number of all groups.
    """
    programs = list(at_hand(CLUSTERERS, options.programs))
    found: dict[str, list[list[tuple[float, float]]]] = {}
    for data, large in list(data_sets.among_islands(options.half))[:: options.every]:
        is_large = data.y < large

        def of(program: str, data: DataSet = data, large: int = large, is_large: Any = is_large) -> tuple[float, float]:
            by_number = {
                k: np.asarray(CLUSTERERS[program].load(Task("euclidean", k))(data.X)) for k in (large, data.classes)
            }
            of_large = replace(data, y=np.where(is_large, data.y, -1))
            return of_large.ari(by_number[large]), data.ari(by_number[data.classes])

        scores = [of(program) for program in programs]
        for group in (data.group, "all sets"):
            found.setdefault(group, []).append(scores)
    yield head(["islands, ARI of", *programs])
    for group, of_group in found.items():
        for at, what in enumerate(("large", "all")):
            means = [fmean(scores[program][at] for scores in of_group) for program in range(len(programs))]
            yield row([f"{group} ({len(of_group)}), {what}", *map("{:.1f}".format, means)])


# Moves.

CHOSEN_BY = "usps,digits,warppie10p,tdt2,webace,debian 0,wine,iris,mice,pendigits,gestalt"


def moves_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--largest", type=int, default=20_000, help="samples of a set, at most")


def moves(options: argparse.Namespace) -> Iterator[str]:
    """As many clusters as classes, by neighbour linkage: what samples that move gain.

    ACC, ARI and NMI of `refine`, less those of `refine(nested=True)`: the mean over the sets, and the least. The
    rule was chosen by half the labelled sets, the shapes and the toys.
    """
    gains: dict[str, dict[str, list[float]]] = {}
    chosen_by = names(CHOSEN_BY)
    sets = [*data_sets.labelled(), *data_sets.embeddings(), *data_sets.shapes(), *data_sets.toys()]
    for data in (data for data in sets if len(data.X) <= options.largest):
        X = np.ascontiguousarray(data.X)
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        still, moved = (
            data.scores(hierarchy.refine(X, data.classes, linkage="neighbor", nested=nested))
            for nested in (True, False)
        )
        gain = [getattr(moved, name) - getattr(still, name) for name in ("acc", "ari", "nmi")]
        group = data.group
        if group == "labelled":
            group = f"labelled, {'chosen by' if data.name in chosen_by else 'the others'}"
        gains.setdefault(group, {})[data.name] = gain
        log(f"{data.name}: ACC {still.acc:.1f}, ARI {still.ari:.1f}, NMI {still.nmi:.1f}; {gain}")
    yield head(["sets", "ACC", "ARI", "NMI", "least ACC", "least ARI", "least NMI"])
    for group, of_group in gains.items():
        columns = list(zip(*of_group.values()))
        cells = [f"{fmean(column):+.2f}" for column in columns]
        yield row([f"{group} ({len(of_group)})", *cells, *(f"{min(column):+.1f}" for column in columns)])


# Streams.

ACTIONS, FEATURES, POSES = 8, 64, 12
STREAMS: dict[str, dict[str, float]] = {
    "clear": {"noise": 0.5},
    "noisy": {"noise": 1.0},
    "very noisy": {"noise": 2.0},
    "poses as strong as actions": {"noise": 0.5, "poses": 1.0},
    "poses twice as strong": {"noise": 0.5, "poses": 2.0},
    "noisy, poses twice as strong": {"noise": 1.0, "poses": 2.0},
    "noisy, wandering": {"noise": 1.0, "wander": 2.0},
    "noisy, one frame in ten of no action": {"noise": 1.0, "none": 0.1},
    "clear, each action three times": {"noise": 0.5, "visits": 3},
    "noisy, each action three times": {"noise": 1.0, "visits": 3},
}


def directions(random: np.random.RandomState, count: int) -> np.ndarray:
    return unit_rows(random.randn(count, FEATURES))


def smooth(random: np.random.RandomState, frames: int, kept: float) -> np.ndarray:
    """Noise of about length 1 in each frame, of which a share is that of the frame before."""
    from scipy.signal import lfilter

    steps = random.randn(frames, FEATURES) / np.sqrt(FEATURES)
    return lfilter([np.sqrt(1 - kept**2)], [1, -kept], steps, axis=0)


def stream(
    seed: int, noise: float, poses: float = 0.0, wander: float = 0.0, none: float = 0.0, visits: float = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Frames of a made video, and the action of each.

    Segments have 40 to 300 frames. A frame is the direction of its action, of length 1, and noise of
    which 90 % are that of the frame before. People take one pose after the other, each for 5 to 30
    frames: one of 12 directions that all actions share. A background wanders through the whole stream.
    """
    random = np.random.RandomState(seed)
    centers, shared = directions(random, ACTIONS), directions(random, POSES)
    order = np.concatenate([random.permutation(ACTIONS) for _ in range(int(visits))])
    y = np.repeat(order, random.randint(40, 300, len(order)))
    X = centers[y] + noise * smooth(random, len(y), 0.9) + wander * smooth(random, len(y), 0.999)
    lengths = random.randint(5, 30, len(y))
    X += poses * shared[np.repeat(random.randint(POSES, size=len(y)), lengths)[: len(y)]]
    odd = random.rand(len(y)) < none
    X[odd] = random.randn(int(odd.sum()), FEATURES) / np.sqrt(FEATURES)
    return X, y


def timed(linkage: str, contiguous: bool) -> Callable[[np.ndarray, int], np.ndarray]:
    def labels(X: np.ndarray, seed: int) -> np.ndarray:
        found = finch.cluster(X, metric="cosine", times=np.arange(len(X)), contiguous=contiguous)
        return found.refine(X, ACTIONS, linkage=linkage)

    return labels


def plain(linkage: str) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: finch.cluster(X, metric="cosine").refine(X, ACTIONS, linkage=linkage)


def other(program: str) -> Callable[[np.ndarray, int], np.ndarray]:
    return lambda X, seed: CLUSTERERS[program].load(Task("euclidean", ACTIONS, seed))(X)


OF_STREAMS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "times": timed("centroid", False),
    "times, Ward": timed("ward", False),
    "segments": timed("centroid", True),
    "segments, Ward": timed("ward", True),
    "FINCH, neighbour linkage": plain("neighbor"),
    "FINCH, centroid": plain("centroid"),
    "k-means": other("KMeans 10 starts"),
    "Ward": other("Ward"),
}


def times_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=10, help="streams of each kind")


def times(options: argparse.Namespace) -> Iterator[str]:
    """Actions in made streams, by distances that are weighted by time and without time: MoF / IoU.

    A stream is as a video of 8 actions in 64 features (`stream` says how it is made). All programs are
    told the 8 actions. Labels are matched to actions one to one, for each stream. MoF is the share of
    frames that are right then; IoU the mean over actions of the frames that are right to all frames
    that are of the action or called so: the paper's two measures.
    """
    means: dict[str, list[tuple[float, float]]] = {name: [] for name in OF_STREAMS}
    yield head(["stream (MoF / IoU)", "frames", *OF_STREAMS])
    for kind, how in STREAMS.items():
        streams = [stream(seed, **how) for seed in range(options.seeds)]
        for name, program in OF_STREAMS.items():
            found = [_frames_right(program(X, seed), y) for seed, (X, y) in enumerate(streams)]
            means[name].append(tuple(map(fmean, zip(*found))))
        cells = ["{:.1f} / {:.1f}".format(*of_name[-1]) for of_name in means.values()]
        yield row([kind, f"{fmean(len(X) for X, _ in streams):.0f}", *cells])
    yield row(
        ["mean", "", *("{:.1f} / {:.1f}".format(*map(fmean, zip(*of_name))) for of_name in means.values())]
    )


def _frames_right(labels: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """MoF and IoU, in percent."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    counts = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    right = counts[rows, columns]
    either = counts.sum(1)[rows] + counts.sum(0)[columns] - right
    return 100 * right.sum() / len(y), 100 * float((right / either).sum()) / counts.shape[0]


def times_cost_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=numbers, default=[5_000, 20_000, 80_000])
    parser.add_argument("--rounds", type=int, default=3)


def times_cost(options: argparse.Namespace) -> Iterator[str]:
    """The seconds of all cores of `cluster`, with times and without: of streams, and of noise.

    64 features, cosine, recall 1; the least of the rounds.
    """
    yield head(["data", "samples", "without times, s", "times, s", "segments, s"])
    for frames in options.frames:
        noise = np.random.RandomState(0).randn(frames, FEATURES)
        parts = [stream(seed, 1.0)[0] for seed in range(frames // 1_000 + 2)]
        for kind, X in (("stream", np.vstack(parts)[:frames]), ("noise", noise)):
            stamps = np.arange(len(X))
            variants: list[dict[str, Any]] = [{}, {"times": stamps}, {"times": stamps, "contiguous": True}]
            calls = {
                str(place): partial(finch.cluster, X, metric="cosine", recall=1.0, **variant)
                for place, variant in enumerate(variants)
            }
            runs = in_turns(calls, options.rounds).values()
            yield row([kind, f"{len(X):,}", *(f"{least(of_call).cores:.2f}" for of_call in runs)])


# Without samples.

LARGEST_MATRIX = 20_000
"""The most samples of which a distance matrix is made, in 3.2 GB."""


def precomputed_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=["mice", "usps", "letter"])


def precomputed(options: argparse.Namespace) -> Iterator[str]:
    """Neighbours or distances of other programs alone, in place of samples.

    Later partitions then link clusters by the mean of the known distances, and neighbour linkage has the
    neighbours that were brought. Neighbours are scikit-learn's, each row with the sample itself first.
    """
    from scipy.spatial.distance import cdist
    from sklearn.neighbors import NearestNeighbors

    yield head(["set", "from", "clusters of partitions", "best ARI", "ACC at K"])
    for data in data_sets.at_hand(options.sets):
        X, K = np.ascontiguousarray(data.X, dtype=np.float64), data.classes
        whole = finch.cluster(X, metric=data.metric)
        yield _line(data, "samples", whole, whole.refine(X, K))
        if len(X) <= LARGEST_MATRIX:
            matrix = cdist(X, X, data.metric)
            np.fill_diagonal(matrix, 0)
            found = finch.cluster_distances(matrix, metric=data.metric)
            yield _line(data, "distance matrix", found, found.refine(None, K))
        linked = int(np.ceil(2 * np.log2(len(X))))
        search = NearestNeighbors(n_neighbors=linked + 1, metric=data.metric, algorithm="brute").fit(X)
        distance, index = search.kneighbors(X)
        for k in (linked, 10, 5):
            brought = (np.ascontiguousarray(a[:, : k + 1]) for a in (index.astype(np.int32), distance))
            found = finch.cluster_neighbors(*brought, metric=data.metric)
            yield _line(data, f"{k} neighbours", found, found.refine(None, K))


def _line(data: DataSet, source: str, partitions: Any, cut: Any) -> str:
    counts = ", ".join(str(labels.max() + 1) for labels in partitions)
    best = max(data.ari(labels) for labels in partitions)
    return row([data.name, source, counts, f"{best:.1f}", f"{data.scores(cut).acc:.1f}"])


# Rows in shards.

SHARDS = {"blobs": data_sets.blobs, "curves": data_sets.curves}


def shards_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kinds", type=names, default=list(SHARDS), help=f"of {', '.join(SHARDS)}")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--groups", type=int, default=30)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--task-bytes", type=float, default=2e6, help="bytes of rows that a task takes at once")


def shards(options: argparse.Namespace) -> Iterator[str]:
    """Exactly K clusters and the suggestion on Dask, of the means of one partition, beside one process.

    Two workers of one thread, in processes of their own, read shards as files; the client holds the means.
    The one process has two threads. ARI in percent: of the two with each other, and with the groups that rows
    were drawn of. Seconds: clustering into partitions; all of exactly K, with the labels of all rows here; the same
    of the suggestion. MB: the most of the client, with the scheduler, beside the most before it began; of a worker;
    and of the one process.
    """
    yield head(
        ["kind", "means", "", "partitions, s", "K, s", "suggestion, s", "its K", "ARI, K", "ARI, suggestion", "MB"]
    )
    for kind in measure.chosen(options.kinds, SHARDS):
        with tempfile.TemporaryDirectory() as folder:
            X, y = SHARDS[kind](options.rows, options.columns, options.groups)
            for number, part in enumerate(np.array_split(X, options.shards)):
                np.save(f"{folder}/{number}.npy", part)
            del X
            told = {"folder": folder, "shards": options.shards, "groups": options.groups}
            one = done(apart("clusters.in_one_process", told))
            task = {"task_bytes": int(options.task_bytes)}
            on_dask = done(apart("clusters.on_dask", told | task))
            labels = {name: np.load(f"{folder}/{name}.npy") for name in ("one k", "one s", "dask k", "dask s")}
        ari = {name: 100 * finch.score(found, y).ari for name, found in labels.items()}
        same = [100 * finch.score(labels[f"dask {of}"], labels[f"one {of}"]).ari for of in "ks"]
        for name, found in (("one", one), ("dask", on_dask)):
            seconds = [f"{each:.1f}" for each in found["seconds"]]
            of_groups = [f"{ari[f'{name} {of}']:.1f}" for of in "ks"]
            if name == "dask":
                of_groups = [f"{of} ({each:.1f} with one)" for of, each in zip(of_groups, same)]
            side = {"one": "one process", "dask": "Dask"}[name]
            yield row([kind, found["means"], side, *seconds, found["k"], *of_groups, found["megabytes"]])


def shards_sets_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=list(data_sets.NAMES))
    parser.add_argument("--largest", type=int, default=20_000, help="samples of a set")


def shards_sets(options: argparse.Namespace) -> Iterator[str]:
    """Clusters made of the means of partition 0, beside those of all samples: the ARI with the classes, in percent,
    and the ARI of the two with each other.

    As many clusters as classes: of samples; of means, whose samples move; and without moves. Then the suggestion.
    """
    yield head(["data", "samples, K", "means", "with samples", "no moves", "with", "suggestion", "means", "with"])
    found: dict[str, list[list[float]]] = {data_sets.SELECTION: [], data_sets.HELD_OUT: []}
    with ThreadPoolExecutor(1) as executor:
        tasks = finch_shards.Futures(executor, 1)
        for data in data_sets.at_hand(options.sets):
            X = np.ascontiguousarray(data.X)
            if len(X) > options.largest:
                continue
            hierarchy = finch.cluster(X, metric=data.metric, refinable=True, recall=1.0)
            of_samples = hierarchy.refine(X, data.classes), hierarchy.suggest(X).labels
            clustering = finch_shards.cluster([X], tasks, metric=data.metric, exact=True, task_bytes=1 << 40)
            k = min(data.classes, len(clustering.summary.means))
            moved, nested = (clustering.refine(k, nested=nested).gather() for nested in (False, True))
            of_means = [(moved, of_samples[0]), (nested, of_samples[0]), (clustering.suggest().gather(), of_samples[1])]
            pairs = [[data.ari(one), 100 * finch.score(one, other).ari] for one, other in of_means]
            ari = [data.ari(of_samples[0]), *pairs[0], *pairs[1], data.ari(of_samples[1]), *pairs[2]]
            found.setdefault(data.group, []).append(ari)
            yield row([data.name, *(f"{each:.1f}" for each in ari)])
    for group, of_group in found.items():
        if of_group:
            yield row([f"**mean, {group} ({len(of_group)})**", *(f"{fmean(each):.1f}" for each in zip(*of_group))])


def in_one_process(folder: str, shards: int, groups: int) -> dict[str, Any]:
    """Clusters the rows of all shards, in a process of its own."""
    X = np.concatenate([np.load(f"{folder}/{number}.npy") for number in range(shards)])
    start = time.perf_counter()
    hierarchy = finch.cluster(X, refinable=True, threads=2)
    seconds = [time.perf_counter() - start]
    for name, call in (("k", lambda: hierarchy.refine(X, groups)), ("s", lambda: hierarchy.suggest(X).labels)):
        start = time.perf_counter()
        labels = call()
        seconds.append(time.perf_counter() - start)
        np.save(f"{folder}/one {name}.npy", labels)
    k = int(labels.max()) + 1
    return {"seconds": seconds, "k": k, "means": "", "megabytes": f"{measure.peak_memory() / 1e6:,.0f}"}


def on_dask(folder: str, shards: int, groups: int, task_bytes: int) -> dict[str, Any]:
    """Clusters the same shards on two workers, in a process that holds the means."""
    # A module beside this one has the name of a package that Dask looks for.
    sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
    import cloudpickle as pickle
    from dask.distributed import Client, LocalCluster
    from finch_clustering.dask import File, cluster

    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder)
    with local, Client(local) as client:
        before, start = measure.peak_memory(), time.perf_counter()
        files = [File(f"{folder}/{number}.npy") for number in range(shards)]
        clustering = cluster(files, client, task_bytes=task_bytes)
        seconds = [time.perf_counter() - start]
        for name, call in (("k", lambda: clustering.refine(groups)), ("s", clustering.suggest)):
            start = time.perf_counter()
            found = call()
            labels = found.gather()
            seconds.append(time.perf_counter() - start)
            np.save(f"{folder}/dask {name}.npy", labels)
        # By its value, since workers do not find modules of this folder.
        pickle.register_pickle_by_value(measure)
        peaks = [before, measure.peak_memory(), max(client.run(measure.peak_memory).values())]
        means = len(clustering.summary.means)
    told = "client {:,.0f} to {:,.0f}, worker {:,.0f}".format(*(peak / 1e6 for peak in peaks))
    return {"seconds": seconds, "k": found.n_clusters, "means": f"{means:,}", "megabytes": told}
