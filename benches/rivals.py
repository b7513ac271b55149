"""Exactly K clusters of shapes, labelled sets, toy sets and spirals, by the library and other programs.

    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 genieclust==1.3.0 \\
        hdbscan==0.8.44 fast_hdbscan==0.3.4 pynndescent==0.7.0 evoc==0.3.2
    cargo build --release -p finch-ffi
    venv/bin/python benches/rivals.py --largest 2500

The sets are those of reach.py. Programs that take a number of clusters are told the true one; HDBSCAN,
fast_hdbscan and EVoC find their own, and their noise counts as one more cluster. All else is by default,
but for 10 neighbours of spectral clustering, whose graph is then mostly connected. Rows under cosine are
scaled to length 1 for other programs. A program that fails on a set scores 0 there; the last column says
how often.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np
from data_sets import DataSet, unit_rows
from reach import SIZES, chosen_by, labelled, shapes, toys
from tables import markdown

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import finch_clustering as finch  # noqa: E402

HALVES = ("", ", first half", ", second half")
"""All sets of a group, those that rules were chosen by, and the others."""

Program = Callable[[np.ndarray, int, str], np.ndarray]


def library(linkage: str) -> Program:
    def labels(X: np.ndarray, K: int, metric: str) -> np.ndarray:
        return finch.cluster(X, metric=metric, refinable=True).refine(X, K, linkage=linkage)

    return labels


def genie(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from genieclust import Genie

    return Genie(n_clusters=K).fit_predict(X)


def ward(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(K).fit_predict(X)


def spectral(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(K, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    return model.fit_predict(X)


def k_means(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(K, n_init=10, random_state=0).fit_predict(X)


def hdbscan(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from hdbscan import HDBSCAN

    return HDBSCAN().fit_predict(X)


def fast_hdbscan(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from fast_hdbscan import HDBSCAN

    return HDBSCAN().fit_predict(X)


def evoc(X: np.ndarray, K: int, metric: str) -> np.ndarray:
    from evoc import EVoC

    return EVoC(random_state=0).fit_predict(X.astype(np.float32))


PROGRAMS: dict[str, Program] = {
    "finch, neighbour linkage": library("neighbor"),
    "finch, Ward": library("ward"),
    "finch, centroid": library("centroid"),
    "genieclust": genie,
    "spectral": spectral,
    "Ward": ward,
    "k-means": k_means,
    "HDBSCAN": hdbscan,
    "fast_hdbscan": fast_hdbscan,
    "EVoC": evoc,
}


def score(data: DataSet, program: str) -> float | None:
    """ACC of a labelled set, else ARI; `None` where the program fails."""
    X = data.X
    if not program.startswith("finch"):
        X = unit_rows(X) if data.metric == "cosine" else X
        X = np.ascontiguousarray(X, np.float64)
    try:
        labels = np.asarray(PROGRAMS[program](np.ascontiguousarray(X), data.classes, data.metric))
    except Exception as error:
        print(f"{program}, {data.name}: {error!r}", file=sys.stderr)
        return None
    scores = data.scores(labels - labels.min())
    return scores.acc if data.group == "labelled" else scores.ari


def of_size(samples: int) -> str:
    return f", {samples}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--largest", type=int, default=10**9, help="samples of a set, at most")
    parser.add_argument("--only", default="", help="programs, with semicolons between")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = [*shapes(), *labelled(), *toys()]
    chosen, sets = chosen_by(sets), [data for data in sets if len(data.X) <= arguments.largest]
    keys = [f"{group}{part}" for group in ("shapes", "labelled") for part in HALVES]
    keys += [f"{group}{part}" for group in ("toy", "spiral") for part in (*HALVES, *map(of_size, SIZES))]
    columns: dict[str, list[DataSet]] = {key: [] for key in keys}
    for data in sets:
        parts = ["", HALVES[1 if data.name in chosen else 2]]
        if data.group in ("toy", "spiral"):
            parts.append(of_size(int(data.name.split()[1])))
        for part in parts:
            columns[data.group + part].append(data)
    rows = []
    for program in arguments.only.split(";") if arguments.only else PROGRAMS:
        found = {data.name: score(data, program) for data in sets}
        means = [fmean(found[data.name] or 0.0 for data in of) for of in columns.values()]
        failed = sum(value is None for value in found.values())
        rows.append([program, *(f"{mean:.1f}" for mean in means), str(failed)])
        print(rows[-1], file=sys.stderr, flush=True)
    header = [f"{name} ({len(of)})" for name, of in columns.items()]
    print(markdown(["program", *header, "failed"], rows))


if __name__ == "__main__":
    main()
