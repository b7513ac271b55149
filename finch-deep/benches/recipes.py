"""Which way of training gives the best clusters: `finch train` with each of some settings, data sets
and seeds.

    cargo build --release -p finch-deep --features train
    python finch-deep/benches/recipes.py run --results results.jsonl           # hours; may be stopped
    python finch-deep/benches/recipes.py table --results results.jsonl
    python finch-deep/benches/recipes.py suggest --sets "usps;segment"

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

# On which the objectives, the consensus and its limits were chosen. Others were looked at afterwards.
CHOSEN_ON = (
    *("mnist70k", "usps", "tdt2", "reuters", "mnist10k"),
    *("isolet", "umist", "webace", "segment"),
)

# Name: files of samples, files of classes, number of classes.
SETS = {
    "mnist70k": (MNIST, [name.replace("images-idx3", "labels-idx1") for name in MNIST], 10),
    "usps": (["usps.npz"], ["usps.npz"], 10),
    "tdt2": (["tdt2_30_tfidf2000.npz"], ["tdt2_30_tfidf2000.npz"], 30),
    "reuters": (["reuters21578_65_tfidf2000.npz"], ["reuters21578_65_tfidf2000.npz"], 65),
    "mnist10k": (MNIST[1:], ["mnist/t10k-labels-idx1-ubyte.gz"], 10),
    "isolet": (["isolet.npz"], ["isolet.npz"], 26),
    "umist": (["umist.npz"], ["umist.npz"], 20),
    "webace": (["webace.npz"], ["webace.npz"], 20),
    "segment": (["segment.npz"], ["segment.npz"], 7),
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
    "no judge": "--graph-networks 1",
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


def train(finch, name, options, run):
    """Trains once; the clusterings of the run."""
    samples, classes, _ = SETS[name]
    command = [finch, "train", *(DATA / file for file in samples), "--quiet"]
    command += ["--labels", *(DATA / file for file in classes), "--out", run]
    subprocess.run(command + options, check=True)
    lines = [json.loads(line) for line in Path(run, "metrics.jsonl").read_text().splitlines()]
    return [line for line in lines if line["event"] == "clustering"]


def scored(finch, name, setting, seed):
    """Trains once at the true number of clusters; the scores of the input's clusters and of the
    result, what the result is, and the time it took."""
    options = ["--clusters", str(SETS[name][2]), "--seed", str(seed), *SETTINGS[setting].split()]
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        first, *_, last = train(finch, name, options, f"{folder}/run")
        seconds = time.monotonic() - began
    before, after = first["requested"], last["requested"]
    scores = {
        when: {score: requested[score] for score in ("acc", "nmi", "ari")}
        for when, requested in (("before", before), ("after", after))
    }
    verdict = last.get("verdict") or {}
    facts = {"set": name, "setting": setting, "seed": seed, "result": verdict.get("result")}
    facts["candidates"] = verdict.get("candidates")
    return {**facts, "seconds": round(seconds, 1), **scores}


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
            result = scored(arguments.finch, name, setting, seed)
            with open(arguments.results, "a") as file:
                file.write(json.dumps(result) + "\n")
            print(json.dumps(result), file=sys.stderr, flush=True)


def table(arguments):
    """A row for each set and a column for each setting, and the gain over the input in the mean."""
    results = read(arguments.results)
    settings = [name for name in SETTINGS if any(one["setting"] == name for one in results)]
    print("| ACC / NMI | input | " + " | ".join(settings) + " | seconds |")
    print("|---|--:|" + "--:|" * (len(settings) + 1))
    for title, names in (("chosen on", CHOSEN_ON), ("looked at", set(SETS) - set(CHOSEN_ON))):
        gains = {setting: [] for setting in settings}
        for name in filter(names.__contains__, SETS):
            of_set = [one for one in results if one["set"] == name]
            if not of_set:
                continue
            before = of_set[0]["before"]
            row = [name, f"{before['acc']:.1f} / {before['nmi']:.1f}"]
            for setting in settings:
                found = [one for one in of_set if one["setting"] == setting]
                row.append(cell(found))
                if found:
                    after = statistics.mean(one["after"]["acc"] for one in found)
                    gains[setting].append(after - before["acc"])
            row.append(" / ".join(seconds(of_set, setting) for setting in settings))
            print("| " + " | ".join(row) + " |")
        means = [
            f"{statistics.mean(of):+.1f} ({min(of):+.1f})" if of else "" for of in gains.values()
        ]
        print(f"| **{title}: mean gain (least)** | | " + " | ".join(means) + " | |")


def cell(found):
    """Mean and standard deviation of ACC, the number of seeds, and mean NMI."""
    if not found:
        return ""
    acc, nmi = ([one["after"][score] for one in found] for score in ("acc", "nmi"))
    spread = f" ± {statistics.stdev(acc):.1f}" if len(acc) > 1 else ""
    return f"{statistics.mean(acc):.1f}{spread} ({len(acc)}) / {statistics.mean(nmi):.1f}"


def seconds(of_set, setting):
    taken = [one["seconds"] for one in of_set if one["setting"] == setting]
    return f"{statistics.median(taken):.0f}" if taken else "–"


def suggest(arguments):
    """How far off suggested numbers of clusters are, of the input and of the embedding."""
    print("| | classes | input | its NMI | embedding | NMI of the run |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in arguments.sets:
        with tempfile.TemporaryDirectory() as folder:
            first, *_, last = train(arguments.finch, name, [], f"{folder}/run")
            metric = json.loads(Path(folder, "run", "hierarchy.json").read_text())["metric"]
            command = [arguments.finch, "cluster", f"{folder}/run/embedding.npy", "--suggest"]
            command += ["--metric", metric, "--json"]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        nmi = [f"{clustering['requested']['nmi']:.1f}" for clustering in (first, last)]
        of_input, of_embedding = first["requested"]["clusters"], found["suggested"]["clusters"]
        cells = [name, SETS[name][2], of_input, nmi[0], of_embedding, nmi[1]]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def listed(text):
    return [word.strip() for word in text.split(";")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True)
    for action in (run, table, suggest):
        command = commands.add_parser(action.__name__)
        command.set_defaults(action=action)
        if action != suggest:
            command.add_argument("--results", required=True, help="a file of a run in each line")
        if action != table:
            command.add_argument("--sets", type=listed, default=list(SETS), help="separated by ;")
            command.add_argument("--finch", default=ROOT / "target" / "release" / "finch")
    command = commands.choices["run"]
    command.add_argument("--settings", type=listed, default=["best"], help="separated by ;")
    command.add_argument("--seeds", type=int, default=3, help="from 0 to one less than this")
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
