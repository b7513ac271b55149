"""Sparse rows beside scikit-learn, beside PyNNDescent, and beside the same rows, dense."""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import data_sets
import measure
import numpy as np
import scipy.sparse
from measure import apart, done, head, in_turns, least, log, names, present, row, seconds_of, table
from programs import not_itself
from sklearn.feature_extraction.text import TfidfTransformer

finch = measure.library()
CSR = scipy.sparse.csr_array

# Rows.


def weighed(counts: Any) -> Any:
    """Counts of terms, weighed by TF-IDF."""
    return CSR(TfidfTransformer(norm=None).fit_transform(counts))


def made(rows: int, features: int, terms: int) -> Any:
    """Rows of so many different terms each, a term of rank r as often as 1/r says (Zipf)."""
    random = np.random.default_rng(0)
    share = np.cumsum(1 / np.arange(1, features + 1))
    columns = np.empty((rows, terms), np.int32)
    for place in columns:
        ranks: Any = ()
        drawn = 4 * terms
        while len(ranks) < terms:
            tokens = np.searchsorted(share, random.random(drawn) * share[-1])
            _, first = np.unique(tokens, return_index=True)
            ranks, drawn = tokens[np.sort(first)][:terms], 2 * drawn
        place[:] = np.sort(ranks)
    values = random.poisson(0.4, columns.size) + 1.0
    starts = np.arange(0, columns.size + 1, terms, dtype=np.int32)
    return weighed(CSR((values, columns.ravel(), starts), shape=(rows, features)))


def on_subjects(rows: int, features: int = 100_000, terms: int = 40, subjects: int = 2_000) -> Any:
    """Rows half of whose terms are of any subject, and half of one of so many."""
    random = np.random.default_rng(1)
    share = np.cumsum(1 / np.arange(1, features + 1))
    of_subject = np.cumsum(1 / np.arange(1, 301))
    words = random.integers(0, features, (subjects, 300))
    any_term = np.searchsorted(share, random.random((rows, terms)) * share[-1])
    rank = np.searchsorted(of_subject, random.random((rows, terms)) * of_subject[-1])
    columns = np.hstack([any_term, words[random.integers(0, subjects, rows)[:, None], rank]])
    starts = np.arange(0, columns.size + 1, columns.shape[1])
    X = CSR((np.ones(columns.size), columns.ravel(), starts), shape=(rows, features))
    X.sum_duplicates()
    return weighed(X)


def read(name: str) -> Any:
    """The rows of an .npz file in the folder FINCH_DATA: SciPy's CSR, or a dense X."""
    with np.load(data_sets.folder() / f"{name}.npz", allow_pickle=True) as file:
        if "X" in file:
            return CSR(file["X"])
        prefix = next(key for key in file if key.endswith("indptr"))[: -len("indptr")]
        parts = [file[prefix + part] for part in ("data", "indices", "indptr")]
        return CSR(tuple(parts), shape=tuple(file[prefix + "shape"]))


def mixed(name: str, rows: int) -> Any:
    """Pairs of texts of a data set, with a third of the terms left out."""
    random = np.random.default_rng(2)
    texts = CSR(read(name), dtype=np.float32)
    one, other = random.integers(0, texts.shape[0], (2, rows))
    X = texts[one] + scipy.sparse.diags_array(random.random(rows, np.float32)) @ texts[other]
    X.data *= random.random(X.nnz) > 1 / 3
    X.eliminate_zeros()
    X.sort_indices()
    return CSR(X, dtype=np.float32)


def baskets(rows: int) -> Any:
    """Items of one to three of 500 departments of 60 items, the popular ones most often."""
    random = np.random.default_rng(5)
    popular = np.cumsum(1 / np.arange(1, 61) ** 0.8)

    def basket() -> Any:
        departments = random.integers(0, 500, random.integers(1, 4))
        items = [
            60 * department + np.searchsorted(popular, random.random(random.integers(2, 12)) * popular[-1])
            for department in departments
        ]
        return np.unique(np.concatenate(items))

    all_baskets = [basket() for _ in range(rows)]
    starts = np.concatenate([[0], np.cumsum([len(items) for items in all_baskets])])
    columns = np.concatenate(all_baskets)
    return CSR((np.ones(len(columns), np.float32), columns, starts), shape=(rows, 30_000))


def kind_of_rows(name: str, rows: int) -> Any:
    """Rows in f32 with 32-bit indices: made, subjects, baskets, pixels, or pairs of texts of a file."""
    makers: dict[str, Callable[[int], Any]] = {
        "made": lambda rows: made(rows, 100_000, 50),
        "subjects": on_subjects,
        "baskets": baskets,
        "pixels": lambda rows: CSR(data_sets.load("mnist70k").X[:rows].astype(np.float32)),
    }
    X = CSR(makers[name](rows) if name in makers else mixed(name, rows), dtype=np.float32)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def size_of(X: Any) -> int:
    """The bytes of a matrix."""
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


# Beside scikit-learn.


def sparse_time_options(parser: argparse.ArgumentParser) -> None:
    _shape_options(parser)
    parser.add_argument("--k", type=int, default=1, help="neighbours of a row")
    parser.add_argument("--asked", type=int, help="rows that scikit-learn is asked for [default: all]")


def _shape_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--features", type=int, default=13000)
    parser.add_argument("--terms", type=int, default=80, help="terms of a row")
    parser.add_argument("--rounds", type=int, default=2)


def sparse_time(options: argparse.Namespace) -> Iterator[str]:
    """The k nearest of all rows under cosine, exactly, beside scikit-learn's brute force, in turns.

    Rows have so many different terms, weighed by TF-IDF. The least of each. scikit-learn's time for some
    rows is multiplied. Memory is that of finding neighbours, or of clustering, beside the matrix, each
    in a process of its own.
    """
    from sklearn.neighbors import NearestNeighbors

    shape = {"rows": options.rows, "features": options.features, "terms": options.terms}
    X = made(**shape)
    asked = min(options.asked or options.rows, options.rows)
    yield f"{X.shape[0]} x {X.shape[1]}, {X.nnz} values, {size_of(X) / 1e6:.0f} MB, k = {options.k}\n"
    theirs = NearestNeighbors(n_neighbors=options.k, metric="cosine", algorithm="brute", n_jobs=-1).fit(X)
    found: list[Any] = []
    calls = {
        "finch": lambda: found.append(
            finch.nearest_neighbors(X, options.k, metric="cosine", search="blocked")
        ),
        "scikit-learn": lambda: theirs.kneighbors(X[:asked], options.k),
    }
    runs = {name: least(of_name) for name, of_name in in_turns(calls, options.rounds).items()}
    scale = {"finch": 1.0, "scikit-learn": options.rows / asked}
    rows = [[name, *(f"{scale[name] * seconds:.2f}" for seconds in runs[name])] for name in calls]
    yield table(["program", "seconds", "of all cores"], rows)
    clock, cores = (a / (b * scale["scikit-learn"]) for a, b in zip(runs["finch"], runs["scikit-learn"]))
    yield f"\nratio {clock:.3f} of the clock, {cores:.3f} of all cores"
    distances = theirs.kneighbors(X[:200], options.k + 1)[0][:, 1:]
    yield f"distances differ by at most {np.abs(found[0][1][:200] - distances).max():.1e}\n"
    for work in ("neighbours", "clustering"):
        added, seconds = done(apart("sparse.memory", shape | {"work": work}))
        yield (
            f"{work}: {added / 1e6:.0f} MB beside the matrix, together"
            f" {1 + added / size_of(X):.2f} times the matrix, {seconds:.1f} s"
        )


def memory(work: str, **shape: Any) -> tuple[int, float]:
    """The bytes beside the matrix, and the seconds."""
    X = made(**shape)
    finch.cluster(X[:100], metric="cosine")
    measure.forget_peak()
    before = measure.peak_memory()
    taken = seconds_of(
        lambda: (
            finch.nearest_neighbors(X, 1, metric="cosine", search="blocked")
            if work == "neighbours"
            else finch.cluster(X, metric="cosine")
        )
    )
    return measure.peak_memory() - before, taken.clock


# Approximate search.


def sparse_approximate_options(parser: argparse.ArgumentParser) -> None:
    kinds = ["made", "subjects", "tdt2_30_tfidf2000", "reuters21578_65_tfidf2000", "classic3"]
    parser.add_argument("--data", type=names, default=kinds)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--exact", type=int, default=100_000, help="no exact search of more rows")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--without-pynndescent", action="store_true")


def sparse_approximate(options: argparse.Namespace) -> Iterator[str]:
    """First neighbours under cosine of texts, made or mixed of a data set's, beside PyNNDescent, in turns.

    Seconds of the clock, of all cores (the least of each), and recall of 1,000 rows.
    """

    def of_finch(search: str) -> Callable[[Any], Any]:
        return lambda X: finch.first_neighbors(X, metric="cosine", search=search)[0]

    programs = {"finch, approximate": of_finch("approximate")}
    if options.rows <= options.exact:
        programs["finch, exact"] = of_finch("blocked")
    if not options.without_pynndescent:
        if importlib.util.find_spec("pynndescent") is None:
            log("left out, for want of the package pynndescent: PyNNDescent")
        else:
            programs |= {f"PyNNDescent {n}": _pynndescent(n) for n in (15, 30)}
    yield head(["data", *(f"{name}: s, of all cores, recall" for name in programs)])
    for name, X in present(options.data, lambda name: kind_of_rows(name, options.rows)):
        count = X.shape[0]
        asked = np.random.default_rng(3).choice(count, min(1000, count), replace=False)
        lengths = np.maximum(np.sqrt(X.multiply(X).sum(axis=1)), 1e-30)
        unit = CSR(scipy.sparse.diags_array(1 / lengths) @ X)
        near = np.asarray((unit[asked] @ unit.T).todense())
        near[np.arange(len(asked)), asked] = -2
        found: dict[str, Any] = {}
        calls = {program: partial(_note, found, program, search, X) for program, search in programs.items()}
        cells = []
        for program, runs in in_turns(calls, options.rounds).items():
            index = np.asarray(found[program])[asked]
            recall = (near[np.arange(len(asked)), index] >= near.max(axis=1) - 1e-6).mean()
            clock, cores = least(runs)
            cells.append(f"{clock:.1f}, {cores:.1f}, {recall:.3f}")
        yield row([f"{name} {X.shape[0]} x {X.shape[1]}", *cells])


def _note(found: dict[str, Any], program: str, search: Callable[[Any], Any], X: Any) -> None:
    found[program] = search(X)


def _pynndescent(neighbors: int) -> Callable[[Any], Any]:
    from pynndescent import NNDescent

    def search(X: Any) -> Any:
        found = NNDescent(X, metric="cosine", n_neighbors=neighbors, random_state=0)
        return not_itself(found.neighbor_graph[0])

    # It compiles when it is first used.
    search(made(3000, 1000, 20).astype(np.float32))
    return search


def sparse_recall_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=names, default=["webace", "pixels", "baskets"])
    parser.add_argument("--rows", type=int, default=20_000)


def sparse_recall(options: argparse.Namespace) -> Iterator[str]:
    """Exact and approximate search of all rows, by metric: seconds of all cores, and recall of all rows."""
    yield head(["data", "metric", "exact: s of all cores", "approximate", "recall"])
    for name, X in present(options.data, lambda name: kind_of_rows(name, options.rows)):
        for metric in ("cosine", "euclidean", "manhattan"):
            found: list[Any] = []
            cores = [
                seconds_of(partial(_search, X, metric, search, found)).cores
                for search in ("blocked", "approximate")
            ]
            figures = [*(f"{seconds:.1f}" for seconds in cores), f"{(found[1] <= found[0]).mean():.4f}"]
            yield row([f"{name} {X.shape}", metric, *figures])


def _search(X: Any, metric: str, search: str, found: list[Any]) -> None:
    found.append(finch.first_neighbors(X, metric=metric, search=search)[1])


# Rows that are added.


def sparse_extend_options(parser: argparse.ArgumentParser) -> None:
    _shape_options(parser)
    parser.add_argument("--data", type=names, default=["made"], help='"made", or files of the folder of data')


def sparse_extend(options: argparse.Namespace) -> Iterator[str]:
    """Rows that are added to a hierarchy of the others, beside clustering anew, in turns, under cosine.

    Seconds of all cores, the least of each. Both give the same hierarchy, bit for bit, or this fails.
    """
    yield head(["data", "share of new rows", "seconds of all cores", "anew", "ratio"])
    shape = (options.rows, options.features, options.terms)
    for name, X in present(options.data, lambda name: made(*shape) if name == "made" else read(name)):
        X.sum_duplicates()
        for share in (0.001, 0.01, 0.1, 0.25, 0.5):
            kept = X.shape[0] - max(1, int(X.shape[0] * share))
            before = finch.cluster(X[:kept], metric="cosine")
            extended, anew = _extended(X, before, options.rounds)
            figures = [f"{extended:.2f}", f"{anew:.2f}", f"{extended / anew:.2f}"]
            yield row([f"{name} {X.shape[0]} x {X.shape[1]}", f"{share:.1%}", *figures])


def _extended(X: Any, before: Any, rounds: int) -> list[float]:
    """Seconds of all cores to extend, and to cluster anew."""
    found: dict[str, Any] = {}
    calls = {
        "extend": lambda: found.update(extend=before.extend(X)),
        "anew": lambda: found.update(anew=finch.cluster(X, metric="cosine")),
    }
    runs = in_turns(calls, rounds)
    one, other = found["extend"], found["anew"]
    assert all(map(np.array_equal, one.labels, other.labels)) and len(one) == len(other)
    assert np.array_equal(one.distances, other.distances)
    return [least(runs[call]).cores for call in calls]


# Beside dense rows.


def sparse_same_options(parser: argparse.ArgumentParser) -> None:
    texts = ["reuters21578_65_tfidf2000", "tdt2_30_tfidf2000", "classic3"]
    parser.add_argument("--data", type=names, default=texts, help="files of the folder of data")
    parser.add_argument("--metrics", type=names, default=["euclidean", "cosine", "manhattan"])


def sparse_same(options: argparse.Namespace) -> Iterator[str]:
    """Sparse beside dense rows of the same values: the same numbers, bit for bit? Seconds of the clock.

    Of all partitions, first neighbours and distances, the suggestion, and 3, 20 and N / 2 clusters by each
    linkage. A second table describes the finest and the coarsest partition, in seconds of all cores.
    """
    yield head(["data", "metric", "partitions", "K suggested", "the same", "sparse s", "dense s"])
    descriptions = []
    for name, X in present(options.data, read):
        X.sum_duplicates()
        dense = X.toarray()
        for metric in options.metrics:
            results, times = [], []
            for samples in (X, dense):
                begin = time.perf_counter()
                hierarchy = finch.cluster(samples, metric=metric, refinable=True)
                suggestion = hierarchy.suggest(samples)
                cuts = [
                    hierarchy.refine(samples, clusters, linkage=linkage)
                    for linkage in ("neighbor", "ward", "centroid")
                    for clusters in (3, 20, X.shape[0] // 2)
                ]
                times.append(f"{time.perf_counter() - begin:.1f}")
                neighbors = [hierarchy.first_neighbors, hierarchy.distances]
                results.append([hierarchy.labels, suggestion.labels, *cuts, *neighbors])
            same = all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
            counts = [hierarchy.n_clusters, suggestion.labels.max() + 1, "yes" if same else "NO"]
            yield row([f"{name} {X.shape[0]} x {X.shape[1]}", metric, *counts, *times])
            if metric != "manhattan":
                for labels in (hierarchy[0], hierarchy[len(hierarchy) - 1]):
                    descriptions.append([name, metric, *_described(X, dense, labels, metric)])
    columns = ["description of", "metric", "clusters", "the same", "sparse s", "dense s"]
    yield "\n" + table(columns, descriptions)


def _described(X: Any, dense: Any, labels: Any, metric: str) -> list[Any]:
    found: list[Any] = []
    runs = [
        seconds_of(lambda samples=samples: found.append(finch.describe(samples, labels, metric=metric))).cores
        for samples in (X, dense)
    ]
    sparse, of_dense = ([found_of.means, *found_of[2:6]] for found_of in found)
    sparse[0] = sparse[0].toarray()
    same = "yes" if all(np.array_equal(*pair) for pair in zip(sparse, of_dense)) else "NO"
    return [labels.max() + 1, same, *(f"{seconds:.2f}" for seconds in runs)]
