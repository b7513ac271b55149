"""Which way of training gives the best clusters: `finch train` with each of some settings, data sets
and seeds.

    cargo build --release -p finch-deep
    python finch-deep/benches/recipes.py run --results results.jsonl           # hours; may be stopped
    python finch-deep/benches/recipes.py table --results results.jsonl > recipes.md

Needs nothing but Python. The data sets are those of the folder FINCH_DATA (default ../shared/data),
see the README. A run that is in the results already is not repeated.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FINCH_DATA", ROOT.parent / "shared" / "data"))
MNIST = [f"mnist/{part}-images-idx3-ubyte.gz" for part in ("train", "t10k")]

# Name: files of samples, files of classes, number of classes.
SETS = {
    "mnist70k": (MNIST, [name.replace("images-idx3", "labels-idx1") for name in MNIST], 10),
    "usps": (["usps.npz"], ["usps.npz"], 10),
    "tdt2": (["tdt2_30_tfidf2000.npz"], ["tdt2_30_tfidf2000.npz"], 30),
    "reuters": (["reuters21578_65_tfidf2000.npz"], ["reuters21578_65_tfidf2000.npz"], 65),
    # Of the trials before, like the ones above.
    "mnist10k": (MNIST[1:], ["mnist/t10k-labels-idx1-ubyte.gz"], 10),
    # Of other kinds: the objectives and the consensus were chosen on these and the ones above.
    "isolet": (["isolet.npz"], ["isolet.npz"], 26),
    "umist": (["umist.npz"], ["umist.npz"], 20),
    "webace": (["webace.npz"], ["webace.npz"], 20),
    "segment": (["segment.npz"], ["segment.npz"], 7),
    # Looked at once the settings were chosen.
    "classic3": (["classic3.npz"], ["classic3.npz"], 3),
    "jaffe": (["jaffe.npz"], ["jaffe.npz"], 10),
    "warppie10p": (["warppie10p.npz"], ["warppie10p.npz"], 10),
    "pendigits": (["pendigits.npz"], ["pendigits.npz"], 10),
    "letter": (["letter.npz"], ["letter.npz"], 26),
    "mice": (["mice_protein/X.npy"], ["mice_protein/y.npy"], 8),
}

# What differs from the default.
SETTINGS = {
    "best": "",
    "labels alone": "--objectives labels",
    "graph alone": "--objectives graph",
    "paper": "--preset paper",
    "1 round": "--epochs 8",
    "3 rounds": "--epochs 24",
    "1 round of 16 epochs": "--relabel-every 16",
    "4 rounds of 4 epochs": "--relabel-every 4",
    "fresh weights": "--fresh-weights true",
    "not adversarial": "--adversarial-weight 0",
    "not adversarial, 1 round": "--adversarial-weight 0 --epochs 8",
    "radius 0.5": "--adversarial-radius 0.5",
    "cut by neighbour linkage": "--cut neighbor",
    "pseudo-labels: second partition": "--partition 1",
    "pseudo-labels: 30": "--pseudo-labels 30",
    "pseudo-labels: 3K": "--pseudo-labels 3K",
    "Euclidean input": "--input-metric euclidean",
    "Euclidean embedding": "--embedding-metric euclidean",
    "embedding before activation": "--rectified false",
    "SGD, rate 0.02": "--optimizer sgd --learning-rate 0.02",
    "constant rate": "--schedule constant",
    "no dropout": "--input-dropout 0 --hidden-dropout 0",
    "input dropout 0.2": "--input-dropout 0.2",
    "input dropout 0.5": "--input-dropout 0.5",
    "hidden dropout 0.5": "--hidden-dropout 0.5",
    "label smoothing 0.1": "--label-smoothing 0.1",
    "weight decay 0.0001": "--weight-decay 0.0001",
}


def train(finch, name, setting, seed):
    """Runs once; the scores of the input's clusters and of the result, and the time it took."""
    samples, classes, clusters = SETS[name]
    with tempfile.TemporaryDirectory() as folder:
        command = [finch, "train", *(DATA / file for file in samples), "--quiet"]
        command += ["--labels", *(DATA / file for file in classes)]
        command += ["--clusters", str(clusters), "--seed", str(seed), "--out", f"{folder}/run"]
        began = time.monotonic()
        subprocess.run(command + SETTINGS[setting].split(), check=True)
        seconds = time.monotonic() - began
        lines = Path(folder, "run", "metrics.jsonl").read_text().splitlines()
    lines = [json.loads(line) for line in lines]
    before, *_, after = [line["requested"] for line in lines if line["event"] == "clustering"]
    scores = {
        when: {score: requested[score] for score in ("acc", "nmi", "ari")}
        for when, requested in (("before", before), ("after", after))
    }
    return {"set": name, "setting": setting, "seed": seed, "seconds": round(seconds, 1), **scores}


def read(path):
    path = Path(path)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(arguments):
    done = {(one["set"], one["setting"], one["seed"]) for one in read(arguments.results)}
    # Seed by seed, so that a run that is stopped has something on each setting.
    for seed, setting, name in itertools.product(
        range(arguments.seeds), arguments.settings, arguments.sets
    ):
        if (name, setting, seed) not in done:
            result = train(arguments.finch, name, setting, seed)
            with open(arguments.results, "a") as file:
                file.write(json.dumps(result) + "\n")
            print(json.dumps(result), file=sys.stderr, flush=True)


def table(arguments):
    results = read(arguments.results)
    print("# Ways to train an embedding\n")
    print("`finch-deep/benches/recipes.py`: ACC and NMI in percent at the true number of clusters, mean")
    print("± standard deviation over seeds (their number in brackets), and median seconds a run.\n")
    settings = {name: {one["setting"] for one in results if one["set"] == name} for name in SETS}
    few = [name for name in SETS if 0 < len(settings[name]) <= 2]
    many = [name for name in SETS if len(settings[name]) > 2]
    for names in filter(None, (many, few)):
        print_table(names, results)
        print()


def print_table(names, results):
    """A row for each setting that was run on one of these sets."""
    results = [one for one in results if one["set"] in names]
    head = [f"{name}: ACC | NMI | s" for name in names]
    print("| setting | options | " + " | ".join(head) + " |")
    print("|---|---|" + "--:|--:|--:|" * len(names))

    def cells(found, when):
        if not found:
            return ["", "", ""]
        columns = [[one[when][score] for one in found] for score in ("acc", "nmi")]
        texts = [f"{statistics.mean(column):.2f}" for column in columns]
        if len(found) > 1:
            spread = [f" ± {statistics.stdev(column):.2f}" for column in columns]
            texts = [text + more for text, more in zip(texts, spread)]
            texts[0] += f" ({len(found)})"
        return [*texts, f"{statistics.median(one['seconds'] for one in found):.0f}"]

    row = ["*input, by neighbour linkage*", ""]
    for name in names:
        found = [one for one in results if one["set"] == name and one["setting"] == "best"][:1]
        row += [*cells(found, "before")[:2], ""]
    print("| " + " | ".join(row) + " |")
    for setting, options in SETTINGS.items():
        found = [one for one in results if one["setting"] == setting]
        if found:
            row = [setting, f"`{options}`" if options else ""]
            for name in names:
                row += cells([one for one in found if one["set"] == name], "after")
            print("| " + " | ".join(row) + " |")


def listed(text):
    return [word.strip() for word in text.split(";")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True)
    for action in (run, table):
        command = commands.add_parser(action.__name__)
        command.set_defaults(action=action)
        command.add_argument("--results", required=True, help="a file of a run in each line")
    command = commands.choices["run"]
    command.add_argument("--sets", type=listed, default=["usps", "tdt2", "reuters"])
    command.add_argument("--settings", type=listed, default=list(SETTINGS), help="separated by ;")
    command.add_argument("--seeds", type=int, default=3, help="from 0 to one less than this")
    command.add_argument("--finch", default=ROOT / "target" / "release" / "finch")
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
