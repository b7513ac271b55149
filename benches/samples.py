"""Single samples: outlier scores, membership, labels of new samples, their confidence, and names that last."""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import data_sets
import measure
import numpy as np
from measure import at_hand, head, in_turns, log, names, numbers, present, row, table
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

finch = measure.library()

# Outlier scores.

Noisy = tuple[np.ndarray, np.ndarray]
"""Samples (N x d), and True where a sample is noise."""
Random = np.random.RandomState


def shape(name: str) -> Noisy:
    """One of the real sets, whose label 0 is noise."""
    with np.load(data_sets.folder() / "shapes" / f"{name}.npz") as arrays:
        return arrays["X"].astype(np.float64), arrays["y"].ravel() == 0


def directions(random: Random, count: int, features: int) -> np.ndarray:
    vectors = random.randn(count, features)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def gaussians(
    random: Random, features: int, far: float, *shapes: tuple[int, float]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The centre, `far` from 0, and the samples, for each size and deviation."""
    for size, deviation in shapes:
        center = directions(random, 1, features) * far
        yield center, center + deviation * random.randn(size, features)


def with_noise(samples: list[np.ndarray], noise: np.ndarray) -> Noisy:
    inner = np.vstack(samples)
    return np.vstack([inner, noise]), np.arange(len(inner) + len(noise)) >= len(inner)


def blobs(features: int) -> Noisy:
    """Four Gaussians of deviations from 0.3 to 2, and even noise in the box around them."""
    random = Random(features)
    made = gaussians(random, features, 12, (600, 1.0), (400, 0.3), (200, 2.0), (300, 0.6))
    samples = [X for _, X in made]
    X = np.vstack(samples)
    low, high = X.min(0) - 2, X.max(0) + 2
    return with_noise(samples, low + (high - low) * random.rand(75, features))


def ring(features: int) -> Noisy:
    """A thick ring, a ball at its centre, and even noise in the cube around them."""
    random = Random(features)
    angle = 2 * np.pi * random.rand(1000)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * 5
    plane, _ = np.linalg.qr(random.randn(features, features))
    around = circle @ plane[:2] + 0.25 * random.randn(1000, features)
    samples = [around, 0.4 * random.randn(300, features)]
    X = np.vstack(samples)
    low, high = X.min() - 1, X.max() + 1
    return with_noise(samples, low + (high - low) * random.rand(65, features))


def groups(features: int) -> Noisy:
    """Three Gaussians, and twelve far groups of 1 to 7 samples, which are the noise."""
    random = Random(features)
    samples = [X for _, X in gaussians(random, features, 10, (700, 1.0), (500, 0.5), (300, 1.5))]
    far = []
    for _ in range(12):
        size = random.randint(1, 8)
        center = directions(random, 1, features) * (16 + 4 * random.rand())
        far.append(center + 0.3 * random.randn(size, features))
    return with_noise(samples, np.vstack(far))


def local(features: int) -> Noisy:
    """Four Gaussians of deviations from 0.1 to 2.5, and noise just outside of each, which is nearer
    than samples of a sparse cluster are to each other."""
    random = Random(features + 100)
    shapes = [(500, 0.1), (500, 0.5), (300, 2.5), (200, 1.0)]
    samples, noise = [], []
    for (size, deviation), (center, X) in zip(shapes, gaussians(random, features, 25, *shapes)):
        samples.append(X)
        count = size // 40
        length = deviation * (np.sqrt(features) + 3 + 3 * random.rand(count, 1))
        noise.append(center + directions(random, count, features) * length)
    return with_noise(samples, np.vstack(noise))


REAL = {
    "selection": "graves_ring_noisy,graves_zigzag_outliers,other_chameleon_t4_8k,other_chameleon_t7_10k",
    "held out": "graves_zigzag_noisy,other_chameleon_t5_8k,other_chameleon_t8_8k,other_hdbscan",
}
MADE = {
    "selection": [(blobs, 2), (blobs, 50), (ring, 10), (groups, 2), (groups, 50), (local, 2), (local, 50)],
    "held out": [(blobs, 10), (ring, 2), (ring, 50), (groups, 10), (local, 10)],
}


@dataclass(frozen=True)
class Scorer:
    score: Callable[[np.ndarray], np.ndarray]
    packages: tuple[str, ...] = ()


def lof(X: np.ndarray) -> np.ndarray:
    from sklearn.neighbors import LocalOutlierFactor

    return -LocalOutlierFactor().fit(X).negative_outlier_factor_


def glosh(*, of_neighbors: bool) -> Scorer:
    """The score of HDBSCAN, with its default size of clusters or with as many samples as finch looks at."""

    def score(X: np.ndarray) -> np.ndarray:
        import hdbscan

        size = min(int(np.ceil(2 * np.log2(len(X)))), len(X) // 4)
        made = hdbscan.HDBSCAN(min_cluster_size=size) if of_neighbors else hdbscan.HDBSCAN()
        return np.nan_to_num(made.fit(X).outlier_scores_)

    return Scorer(score, ("hdbscan",))


SCORERS = {
    "finch": Scorer(lambda X: finch.cluster(X, refinable=True).outlier_scores(X)),
    "LOF": Scorer(lof),
    "GLOSH": glosh(of_neighbors=False),
    "GLOSH, min_cluster_size = ⌈2·log₂ N⌉": glosh(of_neighbors=True),
}


def outliers_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, help="names of sets [default: all]")


def outliers(options: argparse.Namespace) -> Iterator[str]:
    """Outlier scores beside LOF and GLOSH: ROC AUC in percent, 50 being chance.

    A score is good if noise has higher scores than other samples. The rule of finch was chosen on the
    sets for selection, and looked at once on the sets held out.
    """
    from sklearn.metrics import roc_auc_score

    scorers = at_hand(SCORERS, SCORERS)
    for group in REAL:
        makers = {name: lambda name=name: shape(name) for name in names(REAL[group])}
        makers |= {
            f"{make.__name__} {features}-D": lambda make=make, features=features: make(features)
            for make, features in MADE[group]
        }
        scores: dict[str, list[float]] = {name: [] for name in scorers}
        chosen = [name for name in makers if options.sets is None or name in options.sets]
        if not chosen:
            continue
        yield head([group, "N", "d", "noise", *scorers])
        for name, (X, noise) in present(chosen, lambda name: makers[name]()):  # noqa: B023
            for of, scorer in scorers.items():
                scores[of].append(100 * float(roc_auc_score(noise, scorer.score(X))))
            yield row(
                [name, *X.shape, noise.sum(), *(f"{of_scorer[-1]:.1f}" for of_scorer in scores.values())]
            )
        for title, average in (("mean", fmean), ("least", min)) if scores["finch"] else ():
            yield row([f"**{title}**", "", "", "", *(f"{average(of):.1f}" for of in scores.values())])
        yield ""


# Labels of new samples.

BINS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]


def model_of(X: np.ndarray, labels: np.ndarray, metric: str, keep: bool = True) -> Any:
    """A model of rows and of one refined labelling of these."""
    # The hierarchy is there only because a model has one.
    return finch.Model(finch.cluster(X, metric=metric), X, keep_samples=keep, refined=[labels])


def refined(X: np.ndarray, clusters: int, metric: str) -> np.ndarray:
    return np.asarray(finch.cluster(X, metric=metric, refinable=True).refine(X, clusters))


def halves(samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that are clustered, 90 %, and the rows held out."""
    order = np.random.RandomState(seed).permutation(samples)
    held_out = round(0.1 * samples)
    return np.sort(order[held_out:]), np.sort(order[:held_out])


def matched(of: np.ndarray, to: np.ndarray) -> np.ndarray:
    """For each label of the first labelling, that of the second it goes best with, one to one."""
    counts = contingency_matrix(of, to)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    best = np.full(counts.shape[0], -1)
    best[rows] = np.unique(to)[columns]
    return best


def majority(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The class of most rows of each cluster."""
    return np.unique(classes)[contingency_matrix(labels, classes).argmax(axis=1)]


def predict_confidence_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=names("usps,pendigits,mice,letter,birch1,isolet"))
    parser.add_argument("--splits", type=int, default=5, help="random cuts")


def predict_confidence(options: argparse.Namespace) -> Iterator[str]:
    """The share of predicted labels that are right, in percent (and their number), by confidence.

    Each set is cut into 90 % that are clustered, by neighbour linkage into as many clusters as classes,
    and 10 % that are predicted. A label is right if it is that of the row where all rows are clustered
    together; by class if it is the class of most of the cluster. The error of calibration is the mean
    distance of confidence and share of right labels, over the bins, in points.
    """
    columns = ["data, labels by", *(f"{low:g}–{high:g}" for low, high in zip(BINS, BINS[1:]))]
    yield head([*columns, "error of calibration", "right", "right by class"])
    for data in data_sets.at_hand(options.sets):
        together = refined(data.X, data.classes, data.metric)
        for keep in (True, False):
            found = []
            for seed in range(options.splits):
                kept, new = halves(len(data.X), seed)
                X = np.ascontiguousarray(data.X[kept])
                labels = refined(X, data.classes, data.metric)
                told = model_of(X, labels, data.metric, keep).predict(data.X[new], -1)
                right = matched(labels, together[kept])[told.labels] == together[new]
                by_class = majority(labels, data.y[kept])[told.labels] == data.y[new]
                found.append((told.confidence, right, by_class))
            sure, right, by_class = (np.concatenate(part) for part in zip(*found, strict=True))
            places = np.clip(np.searchsorted(BINS, sure, side="right") - 1, 0, len(BINS) - 2)
            cells, error = calibration(places, len(BINS) - 1, sure, right)
            cells += [f"{100 * share:.1f}" for share in (error, right.mean(), by_class.mean())]
            yield row([f"{data.name}, {'samples' if keep else 'means'}", *cells])


def calibration(
    places: np.ndarray, bins: int, sure: np.ndarray, right: np.ndarray
) -> tuple[list[str], float]:
    """The share of right labels in each bin, in percent (and their number), and the error of calibration."""
    of_bins = [places == place for place in range(bins)]
    cells = [f"{100 * right[b].mean():.0f} ({b.sum()})" if b.any() else "–" for b in of_bins]
    error = sum(b.sum() * abs(right[b].mean() - sure[b].mean()) for b in of_bins if b.any())
    return cells, error / len(sure)


SHARES = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0]
"""Bounds of the bins of shares; the last bin is a share of 1 alone."""


def membership_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=names("usps,pendigits,mice,letter,birch1,isolet"))


def membership(options: argparse.Namespace) -> Iterator[str]:
    """The share of samples that are of the class of most of their cluster, in percent (and their number), by
    `Membership.probabilities`.

    Each set is clustered by neighbour linkage into as many clusters as classes. The error of calibration is the
    mean distance of probability and share of right samples, over the bins, in points.
    """
    columns = ["data", *(f"{low:g}–{high:g}" for low, high in zip(SHARES, SHARES[1:])), "1"]
    yield head([*columns, "error of calibration", "mean probability", "right by class"])
    for data in data_sets.at_hand(options.sets):
        hierarchy = finch.cluster(data.X, metric=data.metric, refinable=True)
        labels = hierarchy.refine(data.X, data.classes)
        sure = hierarchy.membership(data.X, labels).probabilities
        right = majority(labels, data.y)[labels] == data.y
        places = np.searchsorted(SHARES, sure, side="right") - 1
        cells, error = calibration(places, len(SHARES), sure, right)
        cells += [f"{100 * share:.1f}" for share in (error, sure.mean(), right.mean())]
        yield row([data.name, *cells])


def predict_labels_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=["mnist10k", "usps", "letter", "birch1"])
    parser.add_argument("--sizes", type=numbers, default=[5, 15, 50, 150], help="min_cluster_size of hdbscan")
    parser.add_argument("--without-hdbscan", action="store_true")


def predict_labels(options: argparse.Namespace) -> Iterator[str]:
    """Labels by the nearest sample and by the nearest mean, beside hdbscan's approximate_predict, in percent.

    Agreement is the share of right labels, as of predict-confidence; ACC that of held-out rows whose
    cluster is matched with their class, one to one, by the rows that were clustered. One random cut.
    """
    hdbscan = {} if options.without_hdbscan else at_hand({"hdbscan": Scorer(lof, ("hdbscan",))}, ["hdbscan"])
    columns = ["agreement, by samples", "by means", "ACC, by samples", "by means", "ACC of all together"]
    yield head(["data", "held out", *columns, *(["ACC of hdbscan"] if hdbscan else [])])
    for data in data_sets.at_hand(options.sets):
        kept, new = halves(len(data.X), 0)
        X, queries = (np.ascontiguousarray(data.X[rows]) for rows in (kept, new))
        together = refined(data.X, data.classes, data.metric)
        labels = refined(X, data.classes, data.metric)
        to_together, to_class = matched(labels, together[kept]), matched(labels, data.y[kept])
        agreements, accuracies = [], []
        for keep in (True, False):
            told = model_of(X, labels, data.metric, keep).predict(queries, -1).labels
            agreements.append((to_together[told] == together[new]).mean())
            accuracies.append((to_class[told] == data.y[new]).mean())
        of_all = (matched(together[kept], data.y[kept])[together[new]] == data.y[new]).mean()
        cells = [f"{100 * share:.1f}" for share in (*agreements, *accuracies, of_all)]
        cells += [_of_hdbscan(data, kept, new, options.sizes)] if hdbscan else []
        yield row([data.name, len(new), *cells])


def _of_hdbscan(data: data_sets.DataSet, kept: np.ndarray, new: np.ndarray, sizes: list[int]) -> str:
    """Its accuracy by the best of several sizes of cluster; it chooses the number of clusters itself."""
    import hdbscan

    best = ("–", -1.0)
    X = data.X.astype(np.float64)
    for size in sizes:
        start = time.perf_counter()
        model = hdbscan.HDBSCAN(min_cluster_size=size, prediction_data=True).fit(X[kept])
        told, _ = hdbscan.approximate_predict(model, X[new])
        clustered = model.labels_ >= 0
        if not clustered.any():
            continue
        to_class = matched(model.labels_[clustered], data.y[kept][clustered])
        right = float((np.where(told >= 0, to_class[told], -1) == data.y[new]).mean())
        log(f"hdbscan {size}: {100 * right:.1f}, {time.perf_counter() - start:.0f} s")
        text = f"{100 * right:.1f} ({len(to_class)} clusters, {100 * (told < 0).mean():.0f} % noise)"
        best = max(best, (text, right), key=lambda found: found[1])
    return best[0]


def predict_time_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=100_000, help="new rows, and kept rows")
    parser.add_argument("--data", help="a .npy file: its first half is kept [default: blobs of 256 features]")
    parser.add_argument("--rounds", type=int, default=3)


def predict_time(options: argparse.Namespace) -> Iterator[str]:
    """New rows predicted by as many kept rows, beside a search of as many pairs: seconds of the clock.

    Of blobs, an exact search; of a file the searches are those of `auto`, and the labels are alone.
    Medians. A search of one set compares each pair once for both of its rows.
    """
    random = np.random.RandomState(0)
    if options.data:
        X, queries = np.split(np.load(options.data)[: 2 * options.rows], 2)
        counts, search, labels = (1000,), "auto", np.arange(len(X)) % 1000
    else:
        centers = random.randn(1000, 256).astype(np.float32)
        drawn = [random.randint(0, 1000, options.rows) for _ in range(2)]
        X, queries = (centers[of] + random.randn(len(of), 256).astype(np.float32) for of in drawn)
        counts, search, labels = (10, 1000), "blocked", drawn[0]
    rows = []
    for count in counts:
        model = model_of(X, labels % count, "euclidean")
        calls = {
            "among": lambda: finch.first_neighbors(queries, search=search),
            "labels": lambda: model.predict(queries, -1, others=False),  # noqa: B023
        }
        if not options.data:
            calls["confidence"] = lambda: model.predict(queries, -1)  # noqa: B023
        runs = in_turns(calls, options.rounds)
        cells = ["{:.2f} ({:.2f})".format(*np.median(of_call, axis=0)) for of_call in runs.values()]
        rows.append([f"{len(X):,} rows, {count} clusters", *cells, *[""] * (3 - len(cells))])
    columns = ["the new rows among themselves", "labels alone", "with confidence"]
    yield table(["seconds (of all cores)", *columns], rows)


def predict_one_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shapes", type=names, default=["1000000x2", "1000000x64", "100000x512"])
    parser.add_argument("--rows", type=int, default=1000, help="new rows, each in a call of its own")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, default=0)


def predict_one(options: argparse.Namespace) -> Iterator[str]:
    """New rows one by one against a model that keeps its rows, beside SciPy's tree and FAISS: microseconds a call.

    Rows are of a thousand blobs, with labels of ten clusters. "called from C" is finch_model_predict with arguments
    that are there already, by ctypes, which takes 2 or 3 of the microseconds itself. The first two calls of a
    model, of which the second makes a tree of up to 8 features, stand by themselves, too, in milliseconds.
    """
    yield head(["rows, and call", "median", "p99", "first two calls, ms"])
    for rows, columns in (map(int, shape.split("x")) for shape in options.shapes):
        random = np.random.default_rng(0)
        centers = random.normal(size=(1000, columns))
        of = random.integers(0, 1000, rows + options.rows)
        noise = random.normal(size=(len(of), columns)).astype(options.dtype)
        X, new = np.split((centers[of].astype(options.dtype) + 0.3 * noise), [rows])
        # Any clusters will do for a hierarchy, which a model has.
        made = finch.cluster(X, search="approximate", recall=0.5, time_limit=0.1)
        model = finch.Model(made, X, refined=[of[:rows] % 10])
        calls = {
            "labels": lambda row: model.predict(row, -1, others=False, threads=options.threads),  # noqa: B023
            "with confidence": lambda row: model.predict(row, -1, threads=options.threads),  # noqa: B023
            "called from C": _bare_prediction(model, columns, new.dtype, options.threads),
            **_others(X, columns),
        }
        for name, call in calls.items():
            took = []
            for number in range(len(new)):
                start = time.perf_counter()
                call(new[number : number + 1])
                took.append(1e6 * (time.perf_counter() - start))
            first = ", ".join(f"{1e-3 * of_call:.1f}" for of_call in took[:2])
            median, last = np.percentile(took, [50, 99])
            yield row([f"{rows:,} × {columns}, {name}", f"{median:,.0f}", f"{last:,.0f}", first])


def _bare_prediction(model: Any, columns: int, dtype: np.dtype, threads: int) -> Callable[[np.ndarray], Any]:
    """The labels of a row by the C function, whose arguments are made once."""
    from ctypes import byref, c_int32

    from finch_clustering._c.library import lib
    from finch_clustering._c.options import default_options
    from finch_clustering._input.arrays import Samples

    buffer, label = np.zeros((1, columns), dtype), c_int32()
    samples, options = Samples(buffer), default_options(threads=threads)
    arguments = (model._handle, samples.pointer, len(model) - 1, byref(options), byref(label), *[None] * 4, 1, None)

    def call(row: np.ndarray) -> None:
        buffer[:] = row
        lib.finch_model_predict(*arguments)

    return call


def _others(X: np.ndarray, columns: int) -> dict[str, Callable[[np.ndarray], Any]]:
    """The nearest row by other programs, as far as they are at hand."""
    others: dict[str, Callable[[np.ndarray], Any]] = {}
    if columns <= 8:
        from scipy.spatial import cKDTree

        tree = cKDTree(X)
        others["scipy.spatial.cKDTree"] = tree.query
    elif importlib.util.find_spec("faiss"):
        import faiss

        index = faiss.IndexFlatL2(columns)
        index.add(X.astype(np.float32))
        others["faiss.IndexFlatL2"] = lambda row: index.search(row.astype(np.float32), 1)
    return others


# Names of clusters.


def names_by_means_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", type=names, default=list(data_sets.NAMES))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--largest", type=int, default=20_000, help="samples of a set")


def names_by_means(options: argparse.Namespace) -> Iterator[str]:
    """Classes named after those of another day by their means alone, in percent of the classes of both days.

    A draw is two halves of a set, of which each lacks one class: a class that vanishes, and one that appears.
    "By the nearest mean" names each old class after the nearest new one, if that has no nearer one: without
    a limit.
    """
    yield head(["data", "classes", "right", "wrong", "right by the nearest mean", "wrong"])
    found: dict[str, list[list[float]]] = {data_sets.SELECTION: [], data_sets.HELD_OUT: []}
    for data in data_sets.at_hand(options.sets):
        classed = data.y >= 0
        X, y = np.asarray(data.X, np.float64)[classed], data.y[classed]
        if data.classes < 3 or len(X) > options.largest:
            continue
        counts = np.zeros(4)
        both = 0
        for draw in range(options.draws):
            random = np.random.default_rng(draw)
            first, lacking = random.random(len(X)) < 0.5, random.choice(data.classes, 2, replace=False)
            days = [first & (y != lacking[0]), ~first & (y != lacking[1])]
            old = finch.ClusterNames.of(X[days[0]], y[days[0]], metric=data.metric)
            new = finch.ClusterNames.of(X[days[1]], y[days[1]], metric=data.metric)
            kept = finch.keep_labels_by_means(old, y[days[1]], X[days[1]]).cluster_names
            known = np.isin(kept, old.names)
            both += len(np.intersect1d(old.names, new.names))
            nearest = finch.neighbors_between(new.means, old.means, 1, metric=data.metric)
            order = np.argsort(nearest.key[:, 0], kind="stable")
            winners = order[np.unique(nearest.index[order, 0], return_index=True)[1]]
            told = old.names[nearest.index[winners, 0]]
            for place, same in ((0, kept[known] == new.names[known]), (2, told == new.names[winners])):
                counts[place : place + 2] += np.count_nonzero(same), np.count_nonzero(~same)
        shares = (100 * counts / both).tolist()
        found.setdefault(data.group, []).append(shares)
        yield row([data.name, data.classes, *(f"{share:.1f}" for share in shares)])
    for group, of_group in found.items():
        if of_group:
            means = (f"{fmean(shares):.1f}" for shares in zip(*of_group))
            yield row([f"**mean, {group} ({len(of_group)})**", "", *means])
