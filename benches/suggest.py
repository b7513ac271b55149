"""Suggestions of the library: a number of clusters, and the answer to: are there clusters at all?"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from statistics import fmean
from time import perf_counter

import data_sets
import measure
import numpy as np
from data_sets import unit_rows
from measure import at_hand, head, names, row
from programs import CLUSTERERS, labels_of
from scipy.stats import spearmanr

finch = measure.library()

# The number of clusters.


def suggestions_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=list(data_sets.NAMES))
    parser.add_argument("--shapes", action="store_true", help="also shapes, toy sets and spirals, and embeddings")


def suggestions(options: argparse.Namespace) -> Iterator[str]:
    """The ARI (in percent) that a suggestion loses to the best choice in hindsight.

    `Hierarchy.suggest` recommends a cut of neighbour linkage, and names a partition. Of cuts the best is
    that of all K up to half the clusters of the finest partition: all up to 100, and above 5 % more each.
    "As many as classes" is no suggestion, since it takes the classes. A number fits the classes if it is not
    more than 1.5 times as large or as small.
    """
    columns = [
        "K",
        "three best",
        "loss of the cut",
        "best K",
        "its ARI",
        "as many as classes loses",
        "loss of the partition",
    ]
    yield head(["data", "classes", *columns, "clusters at all"])
    losses: dict[str, list[list[float]]] = {data_sets.SELECTION: [], data_sets.HELD_OUT: []}
    further = (data_sets.shapes, data_sets.toys, data_sets.embeddings) if options.shapes else ()
    for data in chain(data_sets.at_hand(options.sets), *(sets() for sets in further)):
        X = np.ascontiguousarray(data.X)
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        suggestion = hierarchy.suggest(X)
        dendrogram = hierarchy.dendrogram(X, linkage="neighbor")
        most = max(2, hierarchy.n_clusters[0] // 2)
        steps = [*range(2, 101), *(round(100 * 1.05**step) for step in range(1, 100))]
        cuts = {k: data.ari(dendrogram.cut(k)) for k in steps if k <= most}
        of_classes, of_suggestion = data.ari(dendrogram.cut(data.classes)), data.ari(suggestion.labels)
        best = max(cuts, key=lambda k: cuts[k])  # noqa: B023
        highest = max(cuts[best], of_classes, of_suggestion)
        partitions = [data.ari(labels) for labels in hierarchy]
        of_partition = max(partitions) - partitions[suggestion.partition]
        fits = [max(k / data.classes, data.classes / k) <= 1.5 for k in suggestion.best]
        lost = [highest - of_suggestion, highest - of_classes, of_partition, 100 * fits[0], 100 * any(fits)]
        losses.setdefault(data.group, []).append(lost)
        cut, classes, partition = (f"{loss:.1f}" for loss in lost[:3])
        three = ", ".join(map(str, suggestion.best))
        cells = [suggestion.n_clusters, three, cut, best, f"{cuts[best]:.1f}", classes, partition]
        yield row([data.name, data.classes, *cells, suggestion.clustered])
    for group, of_group in losses.items():
        if of_group:
            cut, classes, partition, one, three = (f"{fmean(loss):.1f}" for loss in zip(*of_group))
            fits = [f"fits in {one} %", f"one fits in {three} %"]
            yield row([f"**mean, {group} ({len(of_group)})**", "", *fits, cut, "", "", classes, partition, ""])


# The linkage.


def choice_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", type=int, default=0, choices=(0, 1), help="1: the sets that had no say")
    parser.add_argument("--largest", type=int, default=20_000, help="samples of a set, at most")


def reduced() -> Iterator[data_sets.DataSet]:
    """Texts on their 32 and 128 main axes, as latent semantic analysis has them; and Gaussians in many dimensions,
    of equal sizes or not, and of equal widths or not."""
    from sklearn.decomposition import TruncatedSVD

    for data in data_sets.at_hand(("tdt2", "reuters", "webace", "classic3")):
        for axes in (32, 128):
            X = TruncatedSVD(axes, random_state=0).fit_transform(unit_rows(data.X.astype(np.float64)))
            yield replace(data, name=f"{data.name}, {axes} axes", X=X.astype(np.float32))
    random = np.random.default_rng(5)
    for samples, features, classes, apart, kind in (
        (3000, 50, 10, 3.0, "equal"),
        (6000, 300, 20, 6.0, "equal"),
        (2000, 64, 5, 2.5, "equal"),
        (4000, 128, 30, 5.0, "sizes by rank"),
        (5000, 384, 11, 4.0, "sizes by rank"),
        (3000, 20, 8, 4.0, "stretched"),
        (4000, 768, 50, 8.0, "equal"),
        (3000, 200, 10, 5.0, "narrow axes"),
    ):
        centers = apart / np.sqrt(features) * random.normal(size=(classes, features))
        sizes = 1 / np.arange(1, classes + 1) if kind == "sizes by rank" else np.ones(classes)
        y = random.choice(classes, samples, p=sizes / sizes.sum())
        widths = np.exp(0.7 * random.normal(size=features)) if kind == "stretched" else np.ones(features)
        if kind == "narrow axes":
            widths = 1 / np.sqrt(1 + np.arange(features) / 5)
        X = centers[y] + widths * random.normal(size=(samples, features))
        name = f"Gaussians, {samples} × {features}, K = {classes}, {kind}"
        yield data_sets.DataSet(name, X.astype(np.float32), y, "euclidean", "synthetic", "reduced")


def choice(options: argparse.Namespace) -> Iterator[str]:
    """As many clusters as classes: by neighbour linkage, by means, and by the linkage that the data asks for.

    ACC, ARI and NMI in percent; seconds are of one run each. The rule was chosen on half 0.
    """
    yield head(["data", "neighbor", "means", "auto", "takes", "seconds: neighbor", "auto"])
    lost = []
    sets = reduced() if options.half else chain(data_sets.labelled(), data_sets.embeddings())
    for data in (data for data in sets if len(data.X) <= options.largest and data.X.shape[1] > 3):
        X = np.ascontiguousarray(data.X)
        hierarchy = finch.cluster(X, metric=data.metric, refinable=True)
        labels, seconds = {}, {}
        for linkage in ("neighbor", "means", "auto"):
            began = perf_counter()
            labels[linkage] = hierarchy.refine(X, data.classes, linkage=linkage)
            seconds[linkage] = f"{perf_counter() - began:.2f}"
        scores = [data.scores(of) for of in labels.values()]
        taken = next(name for name, of in labels.items() if np.array_equal(of, labels["auto"]))
        lost.append([scores[2].acc - scores[0].acc, scores[2].nmi - scores[0].nmi])
        cells = [f"{of.acc:.1f} / {of.ari:.1f} / {of.nmi:.1f}" for of in scores]
        yield row([data.name, *cells, taken, seconds["neighbor"], seconds["auto"]])
    acc, nmi = zip(*lost)
    gains = f"ACC {fmean(acc):+.1f}, least {min(acc):+.1f}; NMI {fmean(nmi):+.1f}, least {min(nmi):+.1f}"
    yield row([f"**auto less neighbor ({len(lost)})**", gains, "", "", "", "", ""])


# Stability of the number.

WITHIN = 1.2
"""The ratio up to which two numbers of clusters are nearly the same."""
CLEAR = 0.88
"""The share of the highest score below which all numbers that are farther off have to stay for a clear suggestion:
chosen on the first half of the sets."""
OTHERS = "PLSCAN,EVoC,hdbscan"


def suggest_stability_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", type=int, choices=(0, 1), help="every second set, from this one on")
    parser.add_argument("--sets", type=names, help="these sets alone")
    parser.add_argument("--largest", type=int, default=11_000, help="samples of a set, at most")
    parser.add_argument("--draws", type=int, default=10, help="draws of the suggestion")
    parser.add_argument("--draws-of-others", type=int, default=0, help="draws of the other programs")
    parser.add_argument("--share", type=float, default=0.99, help="the share of the rows of a draw")
    parser.add_argument("--programs", type=names, default=names(OTHERS), help="the other programs")


def suggest_stability(options: argparse.Namespace) -> Iterator[str]:
    """The suggested number of clusters of 99 % of the rows beside that of all, and other programs beside it.

    A draw is as it should be if its number is at most 1.2 times as large or as small as that of all rows. The rival is
    the highest score of a number that is farther off, as a share of the highest score; `Suggestion.rivals` has those of
    88 % or more. ARI in percent, with the
    classes. Toy sets and spirals are those of 500 samples and two seeds. Other programs run as they come; their noise
    is one more cluster in the ARI, and none in the number.
    """
    programs = ["finch suggestion", *at_hand(CLUSTERERS, options.programs)]
    each = ("K", "K of draws", f"within {WITHIN}", "ARI")
    yield head(["data", "classes", "rival", *(f"{program}: {what}" for program in programs for what in each)])
    few = (data for data in data_sets.toys() if data.name.endswith((" 500 0", " 500 1")))
    every = list(chain(data_sets.labelled(), data_sets.shapes(), few, data_sets.embeddings()))
    every = every if options.half is None else every[options.half :: 2]
    groups: dict[str, list[list[float | None]]] = {}
    for data in every:
        wanted = options.sets is None or data.name in options.sets
        if not wanted or len(data.X) > options.largest:
            continue
        found = [_drawn(data, program, options) for program in programs]
        rival, is_ambiguous = _rival(data)
        values = [value for of_program in found for value in of_program[1:]]
        for group in (data.group, "all", "with a rival" if is_ambiguous else "without a rival"):
            groups.setdefault(group, []).append(values)
        yield row([data.name, data.classes, f"{rival:.2f}", *(cell for of_program in found for cell in of_program[0])])
    for group, of_group in groups.items():
        cells = []
        for of_program in zip(*[iter(zip(*of_group))] * 2):
            within, ari = ([value for value in column if value is not None] for column in of_program)
            share = f"{100 * fmean(within):.1f} %" if within else "–"
            cells += ["", "", share, f"{fmean(ari):.1f}" if ari else "–"]
        yield row([f"**{group} ({len(of_group)})**", "", "", *cells])


def _rival(data: data_sets.DataSet) -> tuple[float, bool]:
    """The highest score of a number of clusters that is not nearly the suggested one, by the highest of all; and
    whether the library tells of a rival."""
    X = np.ascontiguousarray(data.X)
    suggestion = finch.cluster(X, metric=data.metric, refinable=True).suggest(X)
    scores = dict(enumerate(suggestion.scores, 2))
    far = [score for k, score in scores.items() if not _is_near(k, suggestion.n_clusters)]
    highest = max(scores.values(), default=0)
    return max(far, default=0) / highest if highest > 0 else 1.0, suggestion.is_ambiguous


def _is_near(one: int, other: int) -> bool:
    return max(one, other) <= WITHIN * min(one, other)


def _drawn(
    data: data_sets.DataSet, program: str, options: argparse.Namespace
) -> tuple[list[str], float | None, float | None]:
    """The cells of a program, the share of draws whose number is nearly that of all rows, and the ARI."""
    try:
        labels = labels_of(data, program)
    except Exception as error:
        measure.log(f"{program}, {data.name}: {error!r}")
        return ["–"] * 4, None, None
    whole, ari = _number(labels), data.ari(labels)
    random = np.random.default_rng(0)
    numbers = []
    for _ in range(options.draws if program.startswith("finch") else options.draws_of_others):
        rows = np.sort(random.permutation(len(data.X))[: round(options.share * len(data.X))])
        numbers.append(_number(labels_of(replace(data, X=data.X[rows], y=data.y[rows]), program)))
    within = [_is_near(k, whole) for k in numbers]
    share = fmean(within) if within else None
    of_draws = f"{min(numbers)}–{max(numbers)}" if numbers else "–"
    held = f"{sum(within)} of {len(within)}" if within else "–"
    return [str(whole), of_draws, held, f"{ari:.1f}"], share, ari


def _number(labels: np.ndarray) -> int:
    """The number of clusters, without noise."""
    return len(set(labels[labels >= 0].tolist()))


# Persistence.


def persistence_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", type=int, choices=(0, 1), help="every second set, from this one on")
    parser.add_argument("--sets", type=names, help="these sets alone")
    parser.add_argument("--rows", type=int, default=2500, help="at most so many samples of a set")
    parser.add_argument("--draws", type=int, default=30)


def persistence(options: argparse.Namespace) -> Iterator[str]:
    """The rank correlation of the persistence of clusters with the Jaccard index of clusters of subsamples.

    Of each set 14 cuts into 2 to 100 clusters, at most half of the finest partition's, even in log K; of their
    clusters those of 5 samples or more. Found are the clusters of draws of 80 % of the samples, each clustered
    anew and cut into as many; of each cluster the largest Jaccard index counts. A life is
    1 - (height of the merge that makes a cluster)/(height of the one that ends it). Differences are of means
    over the clusters of a cut, weighted by their sizes.
    """
    columns = ["samples", "persistence", "life", "persistence, K up to 30", "difference"]
    yield head(["data", *columns])
    every = list(chain(data_sets.labelled(), data_sets.shapes(), data_sets.embeddings()))
    every = every if options.half is None else every[options.half :: 2]
    found = []
    for data in (data for data in every if options.sets is None or data.name in options.sets):
        values = _stability(data, options.rows, options.draws)
        if values is not None:
            found.append(values[1:])
            yield row([data.name, values[0], *(f"{value:.2f}" for value in values[1:])])
    yield row([f"**mean ({len(found)})**", "", *(f"{fmean(column):.2f}" for column in zip(*found))])


def _stability(data: data_sets.DataSet, most: int, draws: int) -> tuple[float, ...] | None:
    """The number of samples, the rank correlations, and the mean difference of the cuts of a set."""
    random = np.random.default_rng(1)
    X = np.ascontiguousarray(data.X)
    if len(X) > most:
        X = np.ascontiguousarray(X[np.sort(random.permutation(len(X))[:most])])

    def merged(X: np.ndarray) -> finch.Dendrogram:
        return finch.cluster(X, metric=data.metric, refinable=True).dendrogram(X, linkage="neighbor")

    dendrogram = merged(X)
    top = min(dendrogram.n_start // 2, 100)
    if top < 3:
        return None
    numbers = sorted({round(k) for k in np.geomspace(2, top, 14)})
    cuts = {k: dendrogram.cut(k) for k in numbers}
    agreement: dict[int, list[np.ndarray]] = {k: [] for k in numbers}
    for _ in range(draws):
        rows = np.sort(random.permutation(len(X))[: int(0.8 * len(X))])
        other = merged(np.ascontiguousarray(X[rows]))
        for k in numbers:
            if k <= other.n_start:
                agreement[k].append(_jaccard(cuts[k][rows], other.cut(k), k))
    told, lived, held, of_number, differences = [], [], [], [], []
    for k in numbers:
        sizes, one = np.bincount(cuts[k]), dendrogram.persistence(k)
        mean = np.nanmean(agreement[k], axis=0)
        counts = np.isfinite(mean) & (sizes >= 5)
        differences.append(abs(np.average(one[counts] - mean[counts], weights=sizes[counts])))
        told.extend(one[counts])
        lived.extend(_lives(dendrogram, k)[counts])
        held.extend(mean[counts])
        of_number.extend([k] * int(counts.sum()))
    few = np.array(of_number) <= 30
    correlations = [spearmanr(told, held)[0], spearmanr(lived, held)[0]]
    correlations.append(spearmanr(np.array(told)[few], np.array(held)[few])[0])
    return len(X), *correlations, fmean(differences)


def _jaccard(ours: np.ndarray, others: np.ndarray, clusters: int) -> np.ndarray:
    """The largest Jaccard index of each of our clusters with one of the others; NaN for one without samples."""
    table = np.zeros((clusters, others.max() + 1))
    np.add.at(table, (ours, others), 1)
    sizes = table.sum(axis=1)
    union = sizes[:, None] + table.sum(axis=0) - table
    return np.where(sizes > 0, (table / union).max(axis=1), np.nan)


def _lives(dendrogram: finch.Dendrogram, clusters: int) -> np.ndarray:
    """The life of each cluster of a cut."""
    made, ended = np.zeros(dendrogram.n_start), np.full(dendrogram.n_start, np.inf)
    is_left, below = np.full(dendrogram.n_start, True), dendrogram.n_start - clusters
    for number, ((one, other), height) in enumerate(zip(dendrogram.merges, dendrogram.heights)):
        if number < below:
            made[one], is_left[other] = height, False
        else:
            for side in (one, other):
                ended[side] = min(ended[side], height)
    # Of two infinite heights none is longer.
    lives = np.divide(made, ended, out=np.ones_like(made), where=np.isfinite(made))
    return 1 - lives[is_left]


# Clusters at all.

Random = np.random.RandomState
Draw = Callable[[Random], np.ndarray]


def answer(X: np.ndarray) -> str:
    """The answer of the library: "yes", "no", or "too few to tell"."""
    X = np.asarray(X, float).reshape(len(X), -1)
    return finch.cluster(X, refinable=True, threads=1).suggest(X, threads=1).clustered


def ball(random: Random, n: int, d: int) -> np.ndarray:
    return unit_rows(random.randn(n, d)) * random.rand(n, 1) ** (1 / d)


def line(noise: float) -> Callable[[Random, int, int], np.ndarray]:
    def draw(random: Random, n: int, d: int) -> np.ndarray:
        direction = random.randn(d)
        along = np.outer(random.rand(n), direction / np.linalg.norm(direction))
        return along + noise * random.randn(n, d)

    return draw


def in_a_row(*starts: float) -> Callable[[Random, int, int], np.ndarray]:
    """Gaussians, 6 deviations apart, each from a part of the samples on."""

    def draw(random: Random, n: int, d: int) -> np.ndarray:
        X = random.randn(n, d)
        for start in starts:
            X[int(start * n) :, 0] += 6
        return X

    return draw


def cubes(random: Random, n: int, d: int) -> np.ndarray:
    X = random.rand(n, d)
    X[: n // 2, 0] += 6 / np.sqrt(12)
    return X


NOISE: dict[str, Callable[[Random, int, int], np.ndarray]] = {
    "Gaussian": lambda random, n, d: random.randn(n, d),
    "cube": lambda random, n, d: random.rand(n, d),
    "stretched Gaussian": lambda random, n, d: random.randn(n, d) * np.r_[5, np.ones(d - 1)],
    "ball": ball,
    "line, 0.1 %": line(0.001),
    "line, 1 %": line(0.01),
    "line, 5 %": line(0.05),
}
GROUPS: dict[str, Callable[[Random, int, int], np.ndarray]] = {
    "two Gaussians": in_a_row(0.5),
    "two, 1 : 4": in_a_row(0.2),
    "three Gaussians": in_a_row(1 / 3, 2 / 3),
    "two cubes": cubes,
}


def has_clusters_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=4, help="draws of each cell")
    parser.add_argument("--most", type=int, default=2000, help="samples, of 100, 200, 500, 1000 and 2000")


def has_clusters(options: argparse.Namespace) -> Iterator[str]:
    """The draws where `Suggestion.has_clusters` is wrong, in percent, by the number of features.

    Draws of 100 to 2,000 samples. Without clusters: a Gaussian, round or five times as long as wide,
    uniform noise in a cube and a ball, and lines with noise of 0.1, 1 and 5 % of their length. With
    clusters, 6 deviations apart: two Gaussians of equal sizes and of one in four, three in a row, and
    two cubes. Every other cell of kind, size and features is of the half that the threshold was chosen by.
    """
    random = Random(0)
    features = (1, 2, 3, 5, 10, 30)
    wrong: dict[tuple[str, int, bool], list[bool]] = {}
    for kind, (name, draw) in enumerate((NOISE | GROUPS).items()):
        for size, n in enumerate((100, 200, 500, 1000, 2000)):
            for place, d in enumerate(features):
                if n > options.most or d == 1 and name not in ("Gaussian", "cube", *GROUPS):
                    continue
                half = (kind + size + place) % 2 == 0
                for _ in range(options.rounds):
                    told = answer(draw(random, n, d)) == "yes"
                    wrong.setdefault((name, d, half), []).append(told == (name in NOISE))
    yield head(["wrong, %", *(f"d = {d}" for d in features)])
    for name in NOISE | GROUPS:
        cells = [[w for half in (True, False) for w in wrong.get((name, d, half), [])] for d in features]
        yield row([name, *(f"{100 * fmean(cell):.0f}" if cell else "" for cell in cells)])
    yield ""
    for title, kinds in (("false alarms", NOISE), ("misses", GROUPS)):
        for half in (True, False):
            draws = [
                w
                for (kind, d, h), cell in wrong.items()
                if kind in kinds and d > 1 and h == half
                for w in cell
            ]
            of = "the half chosen by" if half else "the other half"
            yield f"{title}, {of}, from 2 features on: {100 * fmean(draws):.1f} % of {len(draws)}"


# The same where samples are repeated.


def to(step: float, draw: Draw) -> Draw:
    return lambda random: (draw(random) / step).round() * step


def normal(*shape: int) -> Draw:
    return lambda random: random.randn(*shape)


def two(n: int, d: int, gap: float, share: float = 0.5) -> Draw:
    """Two Gaussians."""
    return lambda random: random.randn(n, d) + np.outer(random.rand(n) < share, [gap] + [0] * (d - 1))


def tiny(*sizes: int) -> Draw:
    """Two Gaussians of a few samples, 30 deviations apart."""
    return lambda random: random.randn(sum(sizes), 2) + np.repeat([[0, 0], [30, 0]], sizes, axis=0)


def narrow_line(random: Random) -> np.ndarray:
    along = random.rand(3000)
    return np.c_[along, 2 * along] + 0.02 * random.randn(3000, 2)


# By whether the threshold of places was chosen by a prototype on most of the kinds, or they were held out;
# then noise, and clusters.
REPEATED: dict[bool, tuple[dict[str, Draw], dict[str, Draw]]] = {
    False: (
        {
            "5,000 ages, Gaussian": lambda random: random.normal(40, 12, 5000).round().clip(0, 90),
            "5,000 ages, even": lambda random: random.randint(18, 80, 5000),
            "100,000 Gaussian values to 0.01": to(0.01, normal(100_000)),
            "20,000 even values to 0.001": to(0.001, lambda random: random.rand(20_000)),
            "500 Gaussian values to 0.1": to(0.1, normal(500)),
            "3,000 exponential values to 0.1": to(0.1, lambda random: random.exponential(1, 3000)),
            "2,000 x 3 even, 1 to 5": lambda random: random.randint(1, 6, (2000, 3)),
            "2,000 x 3 binomial, 1 to 5": lambda random: 1 + random.binomial(4, 0.4, (2000, 3)),
            "500 x 4 even, 1 to 5": lambda random: random.randint(1, 6, (500, 4)),
            "2,000 x 2 even, 1 to 7": lambda random: random.randint(1, 8, (2000, 2)),
            "2,000 x 2 Gaussian to 0.1": to(0.1, normal(2000, 2)),
            "5,000 x 2 Gaussian to 0.2": to(0.2, normal(5000, 2)),
            "2,000 x 2 Gaussian to 0.5": to(0.5, normal(2000, 2)),
            "2,000 x 3 Gaussian to 0.5": to(0.5, normal(2000, 3)),
            "3,000 x 2 Poisson of 4": lambda random: random.poisson(4, (3000, 2)),
            "3,000 x 3 Poisson of 1.5": lambda random: random.poisson(1.5, (3000, 3)),
            "2,000 x 10 of 0 and 1": lambda random: random.randint(0, 2, (2000, 10)),
            "1,000 Gaussian values, not rounded": normal(1000),
            "1,000 x 2 Gaussian, not rounded": normal(1000, 2),
            "1,000 x 2 even, not rounded": lambda random: random.rand(1000, 2),
        },
        {
            **{f"3,000 values, {gap} apart, to {step}": to(step, two(3000, 1, gap))
               for gap, step in ((6, 0.1), (8, 0.1), (6, 0.5), (10, 0.2))},
            "3,000 values, 1 : 4, 6 apart, to 0.1": to(0.1, two(3000, 1, 6, 0.2)),
            "3,000 values, 1 : 4, 8 apart, to 0.2": to(0.2, two(3000, 1, 8, 0.2)),
            **{f"3,000 x {d}, {gap} apart, to {step}": to(step, two(3000, d, gap))
               for d, gap, step in ((2, 6, 0.2), (2, 8, 0.2), (2, 6, 0.5), (3, 6, 0.5), (3, 8, 1))},
            "3,000 x 2, three, 7 apart, to 0.5": to(
                0.5, lambda random: random.randn(3000, 2) + np.outer(random.randint(0, 3, 3000), [7, 0])
            ),
            **{f"{a} and {b} samples, 30 apart": tiny(a, b) for a, b in ((4, 6), (5, 5), (6, 6), (7, 10))},
        },
    ),
    True: (
        {
            "3,000 geometric": lambda random: random.geometric(0.1, 3000),
            "3,000 beta to 0.01": to(0.01, lambda random: random.beta(2, 5, 3000)),
            "4,000 in a disc to 0.1": to(0.1, lambda random: ball(random, 4000, 2)),
            "3,000 of Student's t to 0.1": to(0.1, lambda random: random.standard_t(3, 3000)),
            "3,000 on a line to 0.01": to(0.01, narrow_line),
            "3,000 x 2 binomial of 20": lambda random: random.binomial(20, 0.3, (3000, 2)),
            "5,000 x 3 even, 1 to 10": lambda random: random.randint(1, 11, (5000, 3)),
            "4,000 triangular, 0 to 60": to(1, lambda random: random.triangular(0, 20, 60, 4000)),
            "4,000 stretched Gaussian to 1": to(1, lambda random: random.randn(4000, 2) * [5, 1]),
            "3,000 log-normal to 0.1": to(0.1, lambda random: random.lognormal(0, 1, 3000)),
        },
        {
            "ages about 20 and 60": to(1, lambda r: np.r_[r.normal(20, 4, 2000), r.normal(60, 5, 2000)]),
            "four Gaussians at corners to 0.5": to(
                0.5, lambda random: random.randn(4000, 2) + 8 * random.randint(0, 2, (4000, 2))
            ),
            "even with a gap": lambda r: np.r_[r.randint(0, 40, 2000), r.randint(60, 100, 2000)],
            "3,000 x 3 ratings, low or high": lambda random: np.vstack(
                [random.binomial(9, share, (1500, 3)) for share in (0.1, 0.9)]
            ),
            "two cubes in 3 features": to(
                0.125, lambda random: random.rand(4000, 3) + np.outer(random.rand(4000) < 0.5, [1.73, 0, 0])
            ),
            "three of 3,000, 600 and 300": to(
                0.25, lambda r: np.r_[r.randn(3000), r.randn(600) + 12, r.randn(300) - 12]
            ),
        },
    ),
}  # fmt: skip


def has_clusters_repeated_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=3, help="draws of each kind")
    parser.add_argument("--held-out", action="store_true", help="of the kinds that were looked at once")
    parser.add_argument("--only", default="", help="kinds with this in their name")


def has_clusters_repeated(options: argparse.Namespace) -> Iterator[str]:
    """The answers of `Suggestion.clustered` where samples are repeated: ages, counts, rounded values."""
    yield head(["draws", "of", "yes", "no", "too few to tell"])
    wrong = []
    for title, kinds, false in zip(("noise", "clusters"), REPEATED[options.held_out], ("yes", "no")):
        told: list[str] = []
        for kind, draw in kinds.items():
            if options.only in kind:
                random = Random(0)
                found = [answer(draw(random)) for _ in range(options.rounds)]
                yield row([kind, title, *map(found.count, ("yes", "no", "too few to tell"))])
                told += found
        wrong.append(f"{title}: {told.count(false)} of {len(told)} are told {false}")
    yield "\n" + "\n".join(wrong)
