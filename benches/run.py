"""The one way to run the measurements: `python benches/run.py NAME`."""

from __future__ import annotations

import argparse
import difflib
import importlib
import inspect
import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Benchmark(NamedTuple):
    module: str
    measures: str
    takes: str
    """Its time with default options, on two cores, roughly."""
    quick: str
    """The options of its tiny size."""


BENCHMARKS = {
    "neighbors": Benchmark(
        "neighbors",
        "first neighbours beside other programs: seconds, memory, recall",
        "hours",
        "--data noise,letter --rows 2000 --programs 'finch,finch approximate,cKDTree distinct,"
        "scikit-learn brute,FAISS flat' --rounds 1",
    ),
    "few-rows": Benchmark(
        "few",
        "few rows, clustered again and again, beside other programs: microseconds a call",
        "20 min",
        "--rows 2,10,100 --columns 64 --rounds 1 --milliseconds 5",
    ),
    "batches": Benchmark(
        "few", "many matrices in one call, beside a call for each", "1 min", "--shapes 50x10x64 --rounds 1"
    ),
    "estimates": Benchmark(
        "search",
        "the seconds that searches are told to take, and take",
        "10 min",
        "--data table,letter --rows 20000",
    ),
    "odd-data": Benchmark(
        "search",
        "data that could slow a search down, beside like data",
        "15 min",
        "--only 'two tight groups' --rounds 1",
    ),
    "elements": Benchmark(
        "search", "rows in float32, float16, bfloat16, uint8, int8", "2 min", "--rows 2000 --rounds 1"
    ),
    "bits": Benchmark(
        "search", "packed bits under Hamming, beside FAISS", "40 min", "--rows 5000 --rounds 1"
    ),
    "sparse-time": Benchmark(
        "sparse",
        "sparse rows beside scikit-learn: seconds, memory",
        "10 s; see sparse.md for larger",
        "--rows 500 --features 2000 --terms 20 --rounds 1",
    ),
    "sparse-approximate": Benchmark(
        "sparse",
        "approximate search of sparse rows, beside PyNNDescent",
        "10 min",
        "--data made,subjects,classic3 --rows 2000 --without-pynndescent",
    ),
    "sparse-recall": Benchmark(
        "sparse",
        "exact and approximate search of sparse rows, all recalled",
        "5 min",
        "--data classic3,baskets --rows 2000",
    ),
    "sparse-extend": Benchmark(
        "sparse",
        "rows added to a hierarchy, beside clustering anew",
        "2 min",
        "--data made --rows 1000 --features 2000 --terms 20 --rounds 1",
    ),
    "sparse-same": Benchmark(
        "sparse",
        "sparse beside dense rows: the same numbers, seconds",
        "2 min",
        "--data classic3 --metrics cosine",
    ),
    "clusters": Benchmark(
        "clusters",
        "exactly K clusters of 26 sets beside other programs",
        "an hour",
        "--sets iris,aggregation --programs 'finch neighbor,KMeans,Ward,genieclust,hdbscan' --rounds 1",
    ),
    "toys": Benchmark(
        "clusters",
        "exactly K clusters of shapes, labelled sets, toys, spirals",
        "20 min",
        "--largest 250 --programs 'finch neighbor,Ward,genieclust'",
    ),
    "islands": Benchmark(
        "clusters",
        "large clusters among small groups far from all else",
        "30 min",
        "--every 60 --programs 'finch neighbor,KMeans'",
    ),
    "shards": Benchmark(
        "clusters",
        "exactly K clusters and the suggestion on Dask, beside one process",
        "2 min; with --rows 1000000 --columns 64 --task-bytes 6.4e7 20 min",
        "--kinds blobs --rows 2000 --columns 4 --groups 5 --shards 3 --task-bytes 8000",
    ),
    "shards-sets": Benchmark(
        "clusters",
        "clusters of 24 sets made of the means of a partition, beside those of all samples",
        "3 min",
        "--sets iris,mice",
    ),
    "moves": Benchmark("clusters", "samples that move after merging, and those that do not", "2 min", "--largest 250"),
    "choice": Benchmark(
        "suggest", "the linkage that is chosen by the data, beside neighbours and means", "1 min", "--largest 250"
    ),
    "times": Benchmark("clusters", "actions in streams, with time stamps and without", "5 min", "--seeds 1"),
    "times-cost": Benchmark("clusters", "the cost of time stamps", "3 min", "--frames 2000"),
    "precomputed": Benchmark(
        "clusters", "neighbours or distances alone, in place of samples", "5 min", "--sets mice"
    ),
    "persistence": Benchmark(
        "suggest",
        "the persistence of clusters beside their stability in subsamples",
        "5 min",
        "--sets iris,fcps_hepta --draws 2",
    ),
    "suggestions": Benchmark(
        "suggest",
        "the suggested number of clusters, beside the best in hindsight",
        "2 min",
        "--sets iris,aggregation",
    ),
    "suggest-stability": Benchmark(
        "suggest",
        "the suggested number of clusters for 99 % of the rows, and beside PLSCAN, EVoC and HDBSCAN",
        "10 min",
        "--sets iris,fcps_hepta --draws 2 --programs hdbscan",
    ),
    "scoreboard": Benchmark(
        "scoreboard",
        "ARI, ACC and NMI on shapes, tables, images and texts, beside ten other programs",
        "15 min",
        "--sets iris,fcps_hepta --programs 'finch neighbor,finch suggestion,Ward,KMeans 10 starts,hdbscan'",
    ),
    "outliers": Benchmark(
        "samples",
        "outlier scores beside LOF and GLOSH",
        "1 min",
        "--sets graves_zigzag_outliers,graves_zigzag_noisy",
    ),
    "has-clusters": Benchmark(
        "suggest", "the answer to: are there clusters at all?", "30 s", "--rounds 1 --most 200"
    ),
    "has-clusters-repeated": Benchmark(
        "suggest", "the same where samples are repeated", "10 s", "--rounds 1 --only 500"
    ),
    "predict-confidence": Benchmark(
        "samples",
        "the confidence of predicted labels, and the share right",
        "2 min",
        "--sets mice --splits 1",
    ),
    "membership": Benchmark(
        "samples", "how sure labels are, and the share of the right class", "1 min", "--sets mice"
    ),
    "predict-labels": Benchmark(
        "samples", "predicted labels by samples and by means", "20 min", "--sets mice --without-hdbscan"
    ),
    "predict-time": Benchmark(
        "samples", "predicting, beside a search of as many pairs", "an hour", "--rows 2000 --rounds 1"
    ),
    "predict-one": Benchmark(
        "samples",
        "new rows one by one, beside SciPy's tree and FAISS: microseconds a call",
        "3 min",
        "--shapes 3000x2,500x64 --rows 5",
    ),
    "names-by-means": Benchmark(
        "samples",
        "names of clusters that last where older samples are gone",
        "1 min",
        "--sets iris,mice --draws 2",
    ),
    "trees": Benchmark(
        "checks", "trees in SciPy: valid, and cut where finch cuts", "4 min", "--random 6 --most 500"
    ),
    "constraints": Benchmark("checks", "the cost of constraints", "15 s", "--sets mice"),
    "constraints-kept": Benchmark("checks", "random constraints: kept or refused", "10 s", "--trials 30"),
}


def listing() -> str:
    width = max(map(len, BENCHMARKS))
    lines = [
        f"  {name:<{width}}  {benchmark.measures} ({benchmark.takes})"
        for name, benchmark in BENCHMARKS.items()
    ]
    return "\n".join(lines)


ABOUT = f"""\
Measurements of finch, printed as Markdown.

    cargo build --release -p finch-ffi              # or FINCH_LIBRARY=FILE
    python3 -m venv venv
    venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    venv/bin/python benches/run.py clusters --quick

The folder FINCH_DATA [default: ../shared/data beside the clone] has the larger data. Other programs are
left out where they are not installed: faiss-cpu==1.15.1 hnswlib==0.8.0 pynndescent==0.7.0
finch-clust==0.2.3 genieclust==1.3.0 hdbscan==0.8.44 fast_hdbscan==0.3.4 fast_plscan==0.2.1 evoc==0.3.2
ml_dtypes

Benchmarks, and roughly their times with default options, on two cores:

{listing()}

`run.py NAME --help` has the options of each, `--quick` takes its tiny size."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The benchmark and its options; ends the program where there is none."""
    parser = argparse.ArgumentParser(
        prog="run.py",
        usage="run.py NAME [--quick] [--out FILE] [options of NAME], run.py --list",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help="the names of the benchmarks alone")
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if name.startswith("-"):
        if parser.parse_args([name]).list:
            print("\n".join(BENCHMARKS))
        parser.exit()
    if name not in BENCHMARKS:
        near = difflib.get_close_matches(name, BENCHMARKS, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "run.py --help has all"
        parser.exit(2, f"there is no benchmark {name!r}: {hint}\n")
    benchmark = BENCHMARKS[name]
    module = importlib.import_module(benchmark.module)
    function = name.replace("-", "_")
    work = getattr(module, function)
    own = argparse.ArgumentParser(
        prog=f"run.py {name}",
        description=f"{inspect.cleandoc(work.__doc__)}\n\nTakes {benchmark.takes} by default, roughly.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own.add_argument("--quick", action="store_true", help=f"the tiny size: {benchmark.quick}")
    own.add_argument("--out", type=Path, help="a file to write, too")
    getattr(module, f"{function}_options")(own)
    quick = shlex.split(benchmark.quick) if "--quick" in rest else []
    options = own.parse_args(quick + rest)
    options.work = work
    return options


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    try:
        options = parse(arguments)
        write(options.work(options), options.out)
    except ModuleNotFoundError as error:
        sys.exit(f"for want of the package {error.name}: pip install {error.name}")
    except ImportError as error:
        sys.exit(str(error))
    except FileNotFoundError as error:
        sys.exit(f"for want of {error.filename}: FINCH_DATA names the folder of data")
    except KeyboardInterrupt:
        sys.exit(130)


def write(lines: Iterator[str], out: Path | None) -> None:
    """Prints each piece of the result when it is there, and keeps all in a file."""
    kept: list[Any] = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
        if out is not None:
            out.write_text("\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
