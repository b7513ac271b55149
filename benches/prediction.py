"""How good predicted labels are, and how sure: the measurements of prediction.md, as Markdown.

    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 hdbscan==0.8.44
    cargo build --release -p finch-ffi
    venv/bin/python benches/prediction.py confidence --splits 5
    venv/bin/python benches/prediction.py labels
    venv/bin/python benches/prediction.py time --rows 100000

Each set is cut into 90 % that are clustered, by neighbour linkage into as many clusters as there are
classes, and 10 % held out, which are predicted. `confidence` tells how many labels of which confidence
are right; a label is right if it is that of the held-out row where all rows are clustered together,
and by class if it is the class of most of the cluster. `labels` compares the nearest sample with the
nearest mean and with hdbscan. `time` compares a prediction with a search of the same pairs.

The data is as data_sets.py says; it takes the folder FINCH_DATA. Needs Python 3.11.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import data_sets
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix
from tables import log, markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

CHOICE = ["usps", "pendigits", "mice"]
"""The sets that the exponent of the confidence was chosen by."""
FINAL = ["letter", "birch1", "isolet"]
"""Sets that were looked at once it was chosen."""
COMPARED = ["mnist10k", "usps", "letter", "birch1"]

BINS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]


def model_of(X: np.ndarray, labels: np.ndarray, metric: str, keep: bool = True) -> finch.Model:
    """A model of rows and of one refined labelling of these."""
    # The hierarchy is there only because a model has one.
    hierarchy = finch.cluster(X, metric=metric)
    return finch.Model(hierarchy, X, keep_samples=keep, refined=[labels])


def load(name: str) -> data_sets.DataSet:
    if name == "isolet":
        with np.load(data_sets._folder() / "isolet.npz") as arrays:
            X, y = np.ascontiguousarray(arrays["X"]), arrays["y"].ravel()
        y = np.unique(y, return_inverse=True)[1]
        return data_sets.DataSet(name, X, y, "euclidean", "audio", data_sets.SELECTION)
    return data_sets.load(name)


def refined(X: np.ndarray, clusters: int, metric: str) -> np.ndarray:
    hierarchy = finch.cluster(X, metric=metric, refinable=True)
    return np.asarray(hierarchy.refine(X, clusters))


def halves(samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows that are clustered, and those held out."""
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
    counts = contingency_matrix(labels, classes)
    return np.unique(classes)[counts.argmax(axis=1)]


def confidences(name: str, splits: int, keep: bool) -> tuple[np.ndarray, ...]:
    """Ratios of distances, confidences, whether labels are right, and right by class."""
    data = load(name)
    together = refined(data.X, data.classes, data.metric)
    found = []
    for seed in range(splits):
        kept, new = halves(len(data.X), seed)
        X = np.ascontiguousarray(data.X[kept])
        labels = refined(X, data.classes, data.metric)
        told = model_of(X, labels, data.metric, keep).predict(data.X[new], -1)
        right = matched(labels, together[kept])[told.labels] == together[new]
        by_class = majority(labels, data.y[kept])[told.labels] == data.y[new]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(told.other_distance > 0, told.distance / told.other_distance, 1)
        found.append((ratio, told.confidence, right, by_class))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def likeliest(ratio: np.ndarray, right: np.ndarray) -> float:
    """The exponent under which what is right is likeliest."""
    exponents = np.arange(1, 40.5, 0.5)
    floor = 1e-9
    likelihoods = []
    for exponent in exponents:
        sure = np.clip(1 / (1 + ratio**exponent), floor, 1 - floor)
        likelihoods.append(np.where(right, np.log(sure), np.log(1 - sure)).sum())
    return float(exponents[np.argmax(likelihoods)])


def tell_confidence(arguments: argparse.Namespace) -> None:
    header = ["data, labels", *(f"{low:g}–{high:g}" for low, high in zip(BINS, BINS[1:]))]
    header += ["error of calibration", "likeliest p", "right", "right by class"]
    rows = []
    for name in arguments.sets or CHOICE + FINAL:
        log(name)
        for keep in (True, False):
            ratio, sure, right, by_class = confidences(name, arguments.splits, keep)
            places = np.clip(np.searchsorted(BINS, sure, side="right") - 1, 0, len(BINS) - 2)
            cells, error = [], 0.0
            for place in range(len(BINS) - 1):
                of_bin = places == place
                count = int(of_bin.sum())
                if count == 0:
                    cells.append("–")
                    continue
                share = right[of_bin].mean()
                error += count * abs(share - sure[of_bin].mean())
                cells.append(f"{100 * share:.0f} ({count})")
            cells += [f"{100 * error / len(sure):.1f}", f"{likeliest(ratio, right):g}"]
            cells += [f"{100 * right.mean():.1f}", f"{100 * by_class.mean():.1f}"]
            rows.append([f"{name}, {'samples' if keep else 'means'}", *cells])
    print(markdown(header, rows))


def tell_labels(arguments: argparse.Namespace) -> None:
    header = ["data", "held out", "agreement", "agreement by means", "ACC", "ACC by means",
              "ACC of all together", "ACC of hdbscan"]  # fmt: skip
    rows = []
    for name in arguments.sets or COMPARED:
        log(name)
        data = load(name)
        kept, new = halves(len(data.X), 0)
        X, queries = (np.ascontiguousarray(data.X[rows]) for rows in (kept, new))
        together = refined(data.X, data.classes, data.metric)
        labels = refined(X, data.classes, data.metric)
        to_together, to_class = matched(labels, together[kept]), matched(labels, data.y[kept])
        agreements, accuracies = [], []
        for keep in (True, False):
            told = model_of(X, labels, data.metric, keep).predict(queries, -1).labels
            agreements.append(100 * (to_together[told] == together[new]).mean())
            accuracies.append(100 * (to_class[told] == data.y[new]).mean())
        of_all = matched(together[kept], data.y[kept])[together[new]] == data.y[new]
        cells = [len(new), *(f"{share:.1f}" for share in agreements + accuracies)]
        cells += [f"{100 * of_all.mean():.1f}", of_hdbscan(data, kept, new, arguments)]
        rows.append([name, *map(str, cells)])
    print(markdown(header, rows))


def of_hdbscan(
    data: data_sets.DataSet, kept: np.ndarray, new: np.ndarray, arguments: argparse.Namespace
) -> str:
    """The accuracy of its approximate_predict, by the best of several sizes of cluster."""
    if arguments.without_hdbscan:
        return "–"
    import warnings

    import hdbscan

    warnings.simplefilter("ignore")
    best = ("–", -1.0)
    for size in arguments.sizes:
        X = data.X.astype(np.float64)
        start = time.perf_counter()
        model = hdbscan.HDBSCAN(min_cluster_size=size, prediction_data=True).fit(X[kept])
        told, _ = hdbscan.approximate_predict(model, X[new])
        clustered = model.labels_ >= 0
        if not clustered.any():
            continue
        to_class = matched(model.labels_[clustered], data.y[kept][clustered])
        right = np.where(told >= 0, to_class[told], -1) == data.y[new]
        noise = 100 * (told < 0).mean()
        log(f"hdbscan {size}: {100 * right.mean():.1f}, {time.perf_counter() - start:.0f} s")
        text = f"{100 * right.mean():.1f} ({len(to_class)} clusters, {noise:.0f} % noise)"
        best = max(best, (text, float(right.mean())), key=lambda found: found[1])
    return best[0]


def tell_time(arguments: argparse.Namespace) -> None:
    random = np.random.RandomState(0)
    rows, features, clusters = arguments.rows, 256, 1000
    centers = random.randn(clusters, features).astype(np.float32)

    def drawn(count: int) -> tuple[np.ndarray, np.ndarray]:
        of = random.randint(0, clusters, count)
        return centers[of] + random.randn(count, features).astype(np.float32), of

    (X, labels), (queries, _) = drawn(rows), drawn(rows)
    for count in (10, clusters):
        model = model_of(X, labels % count, "euclidean")
        for _ in range(arguments.repeat):
            seconds = []
            for work in (
                lambda: finch.first_neighbors(queries, search="blocked"),
                lambda: model.predict(queries, -1, others=False),
                lambda: model.predict(queries, -1),
            ):
                start = time.perf_counter()
                work()
                seconds.append(time.perf_counter() - start)
            search, labels_alone, everything = seconds
            # Blocked search compares each pair once for both of its rows.
            print(
                f"{count} clusters: {rows} rows among themselves {search:.1f} s, predicted by as "
                f"many {labels_alone:.1f} s, with confidence {everything:.1f} s",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for name, tell in [("confidence", tell_confidence), ("labels", tell_labels), ("time", tell_time)]:
        command = commands.add_parser(name)
        command.set_defaults(tell=tell)
        command.add_argument("--sets", type=lambda text: text.split(","))
        command.add_argument("--splits", type=int, default=5)
        command.add_argument("--rows", type=int, default=100_000)
        command.add_argument("--repeat", type=int, default=3)
        command.add_argument("--sizes", type=int, nargs="+", default=[5, 15, 50, 150])
        command.add_argument("--without-hdbscan", action="store_true")
    arguments = parser.parse_args()
    arguments.tell(arguments)


if __name__ == "__main__":
    main()
