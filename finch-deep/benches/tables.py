"""Tables as analysts have them: each to a file of labels by one command, from a file and from a pipe; and
`finch describe` beside pandas.

    cargo build --release -p finch-deep
    python finch-deep/benches/tables.py --finch target/release/finch [--rows 1000000]

prints the tables of tables.md. Wants numpy, pandas and scikit-learn.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

DATA = Path(__file__).parents[2] / "examples/data"


def passengers(rows=891):
    """A table like that of the Titanic's passengers: an id, names, categories, booleans, dates and gaps."""
    random = np.random.default_rng(1912)
    first = random.random(rows) < 0.25
    age = np.where(first, random.normal(40, 12, rows), random.normal(27, 11, rows)).clip(1, 80).round(1)
    fare = np.where(first, random.lognormal(4.2, 0.6, rows), random.lognormal(2.4, 0.5, rows)).round(4)
    sailed = pd.Timestamp("1912-04-10") + pd.to_timedelta(random.integers(0, 2, rows), unit="D")
    table = pd.DataFrame({
        "PassengerId": np.arange(1, rows + 1),
        "Name": [f"Passenger {row}, of cabin {row % 97}" for row in range(rows)],
        "Pclass": np.where(first, 1, random.integers(2, 4, rows)),
        "Sex": np.where(random.random(rows) < 0.35, "female", "male"),
        "Age": np.where(random.random(rows) < 0.2, np.nan, age),
        "SibSp": random.poisson(0.5, rows),
        "Fare": fare,
        "Embarked": random.choice(["S", "C", "Q", None], rows, p=[0.70, 0.19, 0.10, 0.01]),
        "Sailed": sailed.strftime("%Y-%m-%d"),
        "Alone": random.random(rows) < 0.6,
    })
    return table


def groups(rows, columns=20, centers=1000):
    """Rows about some centers, so that there is something to find."""
    random = np.random.default_rng(20)
    centers = random.normal(0, 10, (centers, columns))
    return centers[random.integers(0, len(centers), rows)] + random.normal(0, 1, (rows, columns))


def make(folder, rows):
    wine = load_wine(as_frame=True)
    wine.data.to_csv(folder / "wine.csv", index=False)
    (folder / "planets.csv").write_bytes((DATA / "planets.csv").read_bytes())
    mice = np.load(DATA / "mice_protein/X.npy")
    columns = [f"protein_{column}" for column in range(mice.shape[1])]
    pd.DataFrame(mice, columns=columns).to_csv(folder / "mice.csv", index=False)
    passengers().to_csv(folder / "passengers.csv", index=False)
    columns = ",".join(f"c{column}" for column in range(20))
    np.savetxt(folder / "groups.csv", groups(rows), "%.6f", ",", header=columns, comments="")


def run(finch, folder, arguments, pipe=None):
    """The exit status, what was said, seconds and those of processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    source = subprocess.Popen(["cat", pipe], cwd=folder, stdout=subprocess.PIPE) if pipe else None
    done = subprocess.run([finch, *arguments], cwd=folder, capture_output=True, text=True,
                          stdin=source.stdout if source else subprocess.DEVNULL)
    if source:
        source.stdout.close()
        source.wait()
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    of_processors = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, seconds, of_processors


COMMANDS = {
    "wine": ["--standardize", "zscore", "-k", "3"],
    "planets": [],
    "mice": ["--suggest"],
    "passengers": ["--drop", "PassengerId", "--names", "Name", "--categorical", "auto", "--missing", "median",
                   "--standardize", "zscore", "-k", "4"],
    "groups": ["--recall", "0.95"],
}


def to_labels(finch, folder):
    print("| command | said | exit | rows | s | s of processors |")
    print("|---|---|--:|--:|--:|--:|")
    for name, options in COMMANDS.items():
        for pipe in (None, f"{name}.csv"):
            source = ["-", "--format", "csv"] if pipe else [f"{name}.csv"]
            out = f"labels-{'piped' if pipe else 'read'}-{name}.csv"
            arguments = ["cluster", *source, *options, "-o", out]
            done, seconds, of_processors = run(finch, folder, arguments, pipe)
            labels = pd.read_csv(folder / out)
            shown = f"cat {pipe} \\| " if pipe else ""
            said = "<br>".join(done.stderr.strip().splitlines()).replace("|", "\\|")
            print(f"| `{shown}finch {' '.join(arguments)}` | {said} | {done.returncode} | {len(labels)} "
                  f"| {seconds:.2f} | {of_processors:.2f} |", flush=True)
        read, piped = ((folder / f"labels-{how}-{name}.csv").read_bytes() for how in ("read", "piped"))
        assert read == piped, name


def beside_pandas(finch, folder):
    print("\n| table | clusters | features | largest difference of a size, mean, deviation, difference |")
    print("|---|--:|--:|--:|")
    for name in ("wine", "mice"):
        table = pd.read_csv(folder / f"{name}.csv")
        cluster = ["cluster", f"{name}.csv", "-k", "3", "-o", f"{name}-labels.csv"]
        run(finch, folder, cluster)
        labels = pd.read_csv(folder / f"{name}-labels.csv")["requested"]
        done, *_ = run(finch, folder, ["describe", f"{name}.csv", "-k", "3", "--json"])
        said = json.loads(done.stdout)
        groups, deviation, worst = table.groupby(labels), table.std(ddof=0), 0.0
        far = lambda found, expected: abs(found - expected) / max(abs(expected), 1e-12)
        for one in said["clusters"]:
            own = groups.get_group(one["cluster"])
            rest = table[labels != one["cluster"]]
            worst = max(worst, far(one["size"], len(own)))
            for feature in one["features"]:
                column = feature["feature"]
                mean = own[column].mean()
                pairs = [(feature["mean"], mean), (feature["deviation"], own[column].std(ddof=0)),
                         (feature["mean_outside"], rest[column].mean()),
                         (feature["difference"], (mean - rest[column].mean()) / deviation[column])]
                worst = max([worst, *(far(*pair) for pair in pairs)])
        print(f"| {name} | {len(said['clusters'])} | {said['features']} | {worst:.1e} |")
        assert worst < 1e-9, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--finch", default="target/release/finch")
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    finch = os.path.abspath(arguments.finch)
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), arguments.rows)
        to_labels(finch, Path(folder))
        beside_pandas(finch, Path(folder))


if __name__ == "__main__":
    main()
