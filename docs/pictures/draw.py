"""Draws the pictures of the pages, into the folder of this file.

    pip install "./python[sklearn,plot]"
    python docs/pictures/draw.py
"""

import re
import warnings
from pathlib import Path

import finch_clustering as finch
import matplotlib.pyplot as plt
import numpy as np
from finch_clustering import plot
from sklearn.datasets import load_digits, make_moons

ROOT = Path(__file__).resolve().parents[2]
GREY = "#888888"
# Equal files from equal data: text as text, equal names of parts, no date.
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "finch", "font.size": 11, "figure.dpi": 72}
STYLE |= {"axes.spines.top": False, "axes.spines.right": False}


def three_groups():
    """The samples of the first page."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(middle, 0.5, (100, 2)) for middle in ([0, 0], [4, 0], [2, 4])])


def moons_in_noise():
    """The samples of the page on noise: two moons, and 30 rows anywhere."""
    X, _ = make_moons(300, noise=0.06, random_state=0)
    return np.vstack([X, np.random.default_rng(0).uniform([-2, -1.5], [3, 2], (30, 2))])


def bare(ax, title):
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="", aspect="equal")
    ax.set_title(title, fontsize=11)
    for spine in ax.spines.values():
        spine.set_visible(False)


def first_clusters():
    X = three_groups()
    hierarchy = finch.cluster(X)
    figure, ax = plt.subplots(figsize=(6, 4.5))
    plot.scatter(X, hierarchy.suggest(X).labels, ax=ax)
    return figure


def hierarchy():
    X = three_groups()
    figure, ax = plt.subplots(figsize=(8, 2.4))
    plot.icicle(finch.cluster(X), ax=ax)
    return figure


def partitions():
    X = np.load(ROOT / "examples/data/aggregation/aggregation_rounded_X.npy")
    found = finch.cluster(X)
    cut = found.suggest(X)
    level = found[2]
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
    for ax, labels, title in [
        (axes[0], cut.labels, f"suggestion: {cut.n_clusters} clusters"),
        (axes[1], found.refine(X, 7), "exactly 7 clusters"),
        (axes[2], level, f"partition 2: {level.max() + 1} clusters"),
    ]:
        plot.scatter(X, labels, size=6, ax=ax)
        bare(ax, title)
    return figure


def how_many():
    X = load_digits().data
    figure, ax = plt.subplots(figsize=(7, 3.2))
    plot.suggestion(finch.cluster(X).suggest(X), ax=ax)
    return figure


def noise():
    X = moons_in_noise()
    found = finch.cluster(X)
    labels = found.refine(X, 2)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
    plot.scatter(X, labels, size=8, ax=axes[0])
    bare(axes[0], "every sample in a cluster")
    plot.scatter(X, found.with_noise(X, labels, outliers=0.08), size=8, ax=axes[1])
    bare(axes[1], "outliers=0.08: noise in grey")
    return figure


def algorithm():
    """Algorithm 1 on 36 samples: one step in each panel."""
    rng = np.random.default_rng(3)
    middles = [[0, 0], [3.2, 0.4], [1.4, 2.8], [5.2, 2.6]]
    X = np.concatenate([rng.normal(middle, 0.55, (9, 2)) for middle in middles])
    found = finch.cluster(X)
    means = [np.array([X[labels == one].mean(axis=0) for one in range(labels.max() + 1)]) for labels in found]
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.6))
    axes = axes.ravel()

    def links(ax, points):
        nearest = finch.first_neighbors(points).index
        for point, other in zip(points, points[nearest]):
            way = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 3, "shrinkB": 3, "lw": 1}
            ax.annotate("", xy=other, xytext=point, arrowprops=way)

    axes[0].scatter(*X.T, s=18, color=GREY)
    links(axes[0], X)
    bare(axes[0], f"1. each of {len(X)} samples points to its first neighbour")
    plot.scatter(X, found[0], size=18, ax=axes[1])
    bare(axes[1], f"2. linked samples are a cluster: {len(means[0])} clusters")
    axes[2].scatter(*X.T, s=6, color="#cccccc")
    axes[2].scatter(*means[0].T, s=45, marker="D", color=GREY)
    links(axes[2], means[0])
    bare(axes[2], "3. each mean points to its first neighbour")
    plot.scatter(X, found[1], size=18, ax=axes[3])
    bare(axes[3], f"4. linked clusters are a cluster: {len(means[1])} clusters")
    return figure


# One dot of a scatter plot: a group that clips, and a copy of a circle.
DOT = r' *<g clip-path="url\(#\w+\)">\n *<use xlink:href="#(\w+)" x="([\d.]+)" y="([\d.]+)" style="fill: (#\w+)"/>\n *</g>\n'
# The outline of a number, drawn wide and white, and then again.
HALO = r'(<path d="([^"]+)" style="(fill: #\w+); (stroke: #ffffff; stroke-width: [\d.]+))"/>\n *<path d="\2" style="\3"/>'


def joined(dots):
    """The drawing of dots (hundredths of points) as one path: lines of no length with round ends."""
    path, x, y = [], 0, 0
    for next_x, next_y in sorted(dots):
        path.append(f"m{(next_x - x) / 100:g} {(next_y - y) / 100:g}h0")
        x, y = next_x, next_y
    return "".join(path)


def shorter(svg):
    """The picture in fewer bytes: one path for all dots of a colour, unless they have edges, and one for a
    number and its halo."""
    radii = dict(re.findall(r'<path id="(\w+)" d="M 0 ([\d.]+)', svg))

    def join(run):
        paths = {}
        for circle, x, y, colour in re.findall(DOT, run[0]):
            paths.setdefault((circle, colour), []).append((round(100 * float(x)), round(100 * float(y))))
        return "".join(
            f'<path d="{joined(dots)}" style="fill: none; stroke: {colour}; stroke-width: '
            f'{2 * float(radii[circle]):.2f}; stroke-linecap: round"/>\n'
            for (circle, colour), dots in paths.items()
        )

    return re.sub(HALO, r'\1; paint-order: stroke"/>', re.sub(f"(?:{DOT})+", join, svg))


PICTURES = [first_clusters, hierarchy, partitions, how_many, noise, algorithm]


def draw_all(folder):
    with plt.rc_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", finch.FinchWarning)
        for picture in PICTURES:
            figure = picture()
            name = picture.__name__.replace("_", "-")
            file = folder / f"{name}.svg"
            figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
            plt.close(figure)
            file.write_text(shorter(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    plt.switch_backend("agg")
    draw_all(Path(__file__).parent)
