"""The tables of the READMEs, through Python: the same numbers; and the programs that make the scoreboard.

Without FINCH_TABLES=all only sets of at most 6,000 samples are clustered, which take seconds.
"""

import os
import re
import sys
from pathlib import Path

import finch_clustering as finch
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples/data"
BENCHES = ROOT / "benches"
ALL = os.environ.get("FINCH_TABLES") == "all"


def percent(value, decimals):
    return round(100 * float(value), decimals)


def test_as_in_the_paper(mice):
    classes = np.load(DATA / "mice_protein/y.npy").ravel()
    bounded = finch.cluster(mice, link_bound="first-neighbor")
    assert bounded.n_clusters == [351, 106, 24, 8, 4, 3]
    scores = [finch.score(labels, classes) for labels in bounded]
    purity = [99.7214, 96.9359, 64.624, 51.2535, 26.9266, 15.506]
    assert [percent(score.purity, 4) for score in scores] == purity
    assert percent(scores[3].nmi, 2) == 51.64

    # From a partition of so many clusters to so many, as the paper does.
    for name, start, to, nmi in [
        ("gestalt/gestalt", 23, 6, 84.92),
        ("aggregation/aggregation_rounded", 51, 7, 98.23),
    ]:
        X, y = (np.load(DATA / f"{name}_{part}.npy") for part in "Xy")
        hierarchy = finch.cluster(X)
        from_partition = hierarchy.n_clusters.index(start)
        labels = hierarchy.refine(X, to, linkage="centroid", from_partition=from_partition)
        assert percent(finch.score(labels, y.ravel()).nmi, 2) == nmi
        assert name != "gestalt/gestalt" or hierarchy.n_clusters == [91, 23, 6, 2]


def test_neighbours_or_distances_of_other_programs(mice):
    """The column of mice; `benches/run.py precomputed` has the others."""
    sklearn = pytest.importorskip("sklearn.neighbors")
    classes = np.load(DATA / "mice_protein/y.npy").ravel()
    K = len(np.unique(classes))
    metrics = pytest.importorskip("scipy.spatial.distance")

    def neighbours(k):
        found = sklearn.NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(mice)
        distance, index = found.kneighbors()
        return finch.cluster_neighbors(index[:, :k], distance[:, :k])

    by_distance = finch.cluster_distances(metrics.squareform(metrics.pdist(mice)))
    rows = {
        "samples": finch.cluster(mice),
        "distance matrix": by_distance,
        "⌈2·log₂ N⌉ neighbours": neighbours(int(np.ceil(2 * np.log2(len(mice))))),
        "10 neighbours": neighbours(10),
        "5 neighbours": neighbours(5),
    }
    table = (ROOT / "finch-core/README.md").read_text(encoding="utf-8")
    for name, hierarchy in rows.items():
        best = max(finch.score(labels, classes).ari for labels in hierarchy)
        X = mice if name == "samples" else None
        right = finch.score(hierarchy.refine(X, K), classes).accuracy
        assert f"| {name} | {percent(best, 1)}; {percent(right, 1)} |" in table


def test_exactly_k_clusters(monkeypatch):
    """README.md's means, and each set's ACC in benches/linkage.md."""
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    monkeypatch.delitem(sys.modules, "data_sets", raising=False)
    monkeypatch.syspath_prepend(str(BENCHES))
    import data_sets

    if not (data_sets.folder() / "usps.npz").is_file():
        pytest.skip("there is no larger data in the folder FINCH_DATA")
    text = (BENCHES / "linkage.md").read_text(encoding="utf-8")
    table = text.split("### ACC of each set")[1].split("\n###")[0]
    expected = dict(re.findall(r"^\| ([\w ()-]+?) \| ([\d.]+) \|", table, re.M))
    assert len(expected) == 25
    found = {}
    for name, acc in expected.items():
        data = data_sets.load(name)
        if len(data.X) > 6_000 and not ALL:
            continue
        hierarchy = finch.cluster(data.X, metric=data.metric, refinable=True)
        labels = hierarchy.refine(data.X, data.classes)
        classed = data.y >= 0
        found[name] = 100 * finch.score(labels[classed], data.y[classed]).accuracy
        assert f"{found[name]:.1f}" == acc, name
    assert len(found) == 25 if ALL else len(found) >= 15
    held_out = [found[name] for name in found if data_sets.group(name) == data_sets.HELD_OUT]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"| mean ACC of the 4 sets that were held out | **{np.mean(held_out):.1f}** |" in readme
    if ALL:
        finished = [found[name] for name in found if name != "birch1"]
        assert f"| mean ACC of the 24 sets that all finished | **{np.mean(finished):.1f}** |" in readme


def test_the_scoreboard_and_the_stability_of_suggestions_run(monkeypatch, capsys):
    """Both programs of `benches`, on two small sets: `benches/scoreboard.md` and `linkage.md` have all."""
    pytest.importorskip("sklearn")
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(BENCHES))
    names = ("run", "scoreboard", "suggest", "programs", "data_sets", "measure")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import run

    programs = "finch neighbor,Ward,finch suggestion,HDBSCAN,genieclust"
    run.main(["scoreboard", "--sets", "iris,wine", "--programs", programs, "--threads", "1"])
    out = capsys.readouterr().out
    line = r"^\| tables \(2\) \| (.+?) \| (?:given|fits in \d+ %) \| ([\d.]+) \((\d+)–(\d+)\) \|.* (\d) \|$"
    rows = re.findall(line, out, re.M)
    found = {program: [float(value) for value in values] for program, *values in rows}
    assert {"finch neighbor", "Ward", "finch suggestion", "HDBSCAN"} <= set(found)
    assert ("genieclust" in found) != ("Not installed: genieclust" in out)
    for mean, low, high, failed in found.values():
        assert low - 1 <= mean <= high + 1 and failed == 0
    assert found["finch neighbor"][0] > 75
    for title in ("given the number of classes", "that find their own number"):
        table = out.split(title)[1].split("\n## ")[0]
        gaps = [float(gap) for gap in re.findall(r"\| ([+-][\d.]+) \|$", table, re.M)]
        assert len(gaps) == 2 and gaps == sorted(gaps)

    run.main(["suggest-stability", "--sets", "iris,wine", "--draws", "2", "--programs", "HDBSCAN"])
    out = capsys.readouterr().out
    cells = ("iris", "3", r"[\d.]+", r"\d+", r"\d+–\d+", r"\d of 2", r"[\d.]+", r"\d+", "–", "–", r"[\d.-]+")
    assert re.search(r"^\| " + r" \| ".join(cells) + r" \|$", out, re.M)
    assert "**labelled (2)**" in out and "**all (2)**" in out
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
