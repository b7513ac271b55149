"""Pictures of clusters, by matplotlib, which has to be installed. Each is one call, and takes the
axes to draw into or makes its own; each returns the axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    import matplotlib.pyplot as plt
    from matplotlib import patheffects
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_hex
except ImportError as error:
    raise ImportError("pictures take matplotlib: `pip install matplotlib`") from error

from .._c.options import positive, whole
from .._dendrogram import Suggestion
from .._input.arrays import refuse_masked
from .._input.bits import Bits
from .._input.distances import distances_to
from .._input.frames import columns_of, matrix_of
from .._input.labels import codes
from .._input.refused import named
from .._input.sparse import is_sparse
from .._model import Model
from .._tree import Tree
from ._axes import main_axes
from ._palette import GREY, colours

INK = "#333333"
MOST_NAMES = 60
"""Numbers of clusters are written where there are no more clusters than this."""
FIT_ROWS = 20_000
"""Principal axes are those of so many rows, evenly taken, of a larger X."""
BLOCK_ROWS = 8_192
"""So many rows are compared with the means at once."""


def icicle(partitions: Any, *, hue: int = -1, ax: Any = None) -> Any:
    """Draws the tree of partitions as an icicle: a row for each partition, the coarsest at the top,
    and a box for each cluster, as wide as it has samples, below the cluster that it is part of.

    partitions: a `Hierarchy`, a fitted `FINCH`, or labels of N samples in P partitions (N x P), the
        finest first.
    hue: the partition whose clusters have a hue each. The clusters that are part of one have its
        hue, in varying brightness.
    """
    labels = _partitions(partitions)
    hue, last = whole("hue", hue), labels.shape[1] - 1
    if not -last - 1 <= hue <= last:
        raise IndexError(f"hue is {hue}, and there are {last + 1} partitions: give a number from 0 to {last}, or -1")
    ax = _axes(ax, 8, 0.75 + 0.55 * labels.shape[1])
    ordered = labels[_nested_order(labels)]
    count = labels.shape[1]
    hue = range(count)[hue]
    for partition in range(count):
        # Boxes: where the cluster changes along the ordered samples.
        column = ordered[:, partition]
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        ends = np.append(starts[1:], len(column))
        names = column[starts]
        fill = _shades(ordered[starts, hue], partition, hue)
        y = count - 1 - partition
        _boxes(ax, starts, ends, y, fill)
        if len(names) <= MOST_NAMES:
            _write_names(ax, starts, ends, y, names, len(column))
    clusters = (labels.max(axis=0)[::-1] + 1).tolist()
    ax.set_yticks(np.arange(count), [f"{k:,} cluster{'s' * (k != 1)}" for k in clusters])
    ax.set_ylim(count - 0.5, -0.5)
    ax.set_xlim(0, len(labels))
    ax.set_xlabel(f"{len(labels):,} samples")
    ax.set_xticks([])
    ax.tick_params(length=0, colors=INK)
    ax.xaxis.label.set_color(INK)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def scatter(X: ArrayLike, labels: ArrayLike, *, size: float | None = None, ax: Any = None) -> Any:
    """Draws a map: each row of X (N x d) as a dot in the colour of its cluster, and the number of
    each cluster at its middle.

    More than two features are projected to the two principal axes of X (PCA); the axes say how much of
    the variance they show. One feature or two have the names of the columns where X is a table. Samples with
    negative labels, which are in no cluster, are grey.

    labels: N labels; those of `Hierarchy[p]`, of `Hierarchy.refine`, of `FINCH.labels_`.
    size: the area of a dot in square points.
    """
    points, axis_names = _plane(_rows_of(X), columns_of(X))
    if size is not None:
        positive("size", size)
    numbers = codes("labels", labels)
    if numbers.shape != (len(points),):
        raise ValueError(f"X has {len(points)} rows, and there are {len(numbers)} labels")
    ax = _axes(ax, 6.4, 5.6)
    fill = colours(numbers)
    fill[numbers < 0] = GREY
    if size is None:
        size = float(np.clip(12_000 / len(points), 2, 40))
    # Drawn in a random order, so that no cluster hides all others.
    order = np.random.default_rng(0).permutation(len(points))
    ax.scatter(
        *points[order].T,
        s=size,
        c=fill[order],
        linewidths=0.3 if size > 8 else 0,
        edgecolors="white",
        rasterized=len(points) > 5_000,
    )
    clusters = np.unique(numbers[numbers >= 0])
    if len(clusters) <= MOST_NAMES:
        halo = [patheffects.withStroke(linewidth=2.5, foreground="white")]
        for cluster in clusters:
            middle = np.median(points[numbers == cluster], axis=0)
            ax.annotate(
                str(cluster),
                middle,
                ha="center",
                va="center",
                color=colours(np.array([cluster]), 0.42)[0],
                fontweight="bold",
                path_effects=halo,
            )
    for name, axis in zip(axis_names, (ax.xaxis, ax.yaxis)):
        axis.set_label_text(name, color=INK)
    if len(axis_names) == 1:
        ax.set_yticks([])
    _plain(ax)
    return ax


def suggestion(found: Suggestion, *, ax: Any = None) -> Any:
    """Draws the score of each number of clusters that `Hierarchy.suggest` considered, and marks the
    number that it recommends."""
    if not isinstance(found, Suggestion):
        way_out = ", found.suggest(X)" if hasattr(found, "suggest") else ", as Hierarchy.suggest returns it"
        raise TypeError(f"found is {named(found)}: give a Suggestion{way_out}")
    ax = _axes(ax, 6.4, 3.6)
    numbers = np.arange(2, 2 + len(found.scores))
    dark, light = colours(np.array([0, 0]), np.array([0.55, 0.72]))
    ax.plot(numbers, found.scores, color=light, linewidth=1.5, marker=".", markersize=4, zorder=2)
    at = found.n_clusters - 2
    if 0 <= at < len(found.scores):
        ax.plot([found.n_clusters], [found.scores[at]], "o", color=dark, markersize=7, zorder=3)
    ax.axvline(found.n_clusters, color=dark, linewidth=0.8, linestyle=":", zorder=1)
    ax.set_title(f"{found.n_clusters} clusters suggested", color=INK, fontsize="medium", loc="left")
    ax.set_xlabel("number of clusters", color=INK)
    ax.set_ylabel("score", color=INK)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if len(found.scores) > 60:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    _plain(ax)
    return ax


def silhouettes(
    X: ArrayLike, labels: ArrayLike, *, metric: str = "euclidean", ax: Any = None
) -> Any:
    """Draws how separated the clusters are: for each row of X (N x d) its silhouette as a line, the
    rows of a cluster below each other, the longest line first.

    Silhouettes are those by means, (b - a) / max(a, b) for the distances a to the mean of the own
    and b to that of the nearest other cluster: 0 in a cluster of one sample. The dotted line is the
    mean of all. Samples with negative labels, which are in no cluster, are left out.
    """
    points, numbers = _rows_of(X), codes("labels", labels)
    if numbers.shape != (len(points),) or len(points) == 0:
        raise ValueError(f"X has {len(points)} rows, and there are {len(numbers)} labels")
    points, numbers = points[numbers >= 0], numbers[numbers >= 0]
    if len(points) == 0:
        raise ValueError("every label is negative, which is noise: there is no cluster to draw")
    clusters, numbered = np.unique(numbers, return_inverse=True)
    values = silhouettes_of(points, numbered, metric)
    # Longest last: y runs upwards.
    order = np.lexsort((values, -numbered))
    ax = _axes(ax, 6.4, float(np.clip(1.2 + 0.35 * len(clusters), 3.0, 9.0)))
    gap = max(1.0, 0.02 * len(points) / max(1, len(clusters) / 10))
    left = min(-0.02, float(values.min()) - 0.02)
    heights = np.arange(len(points)) + gap * (len(clusters) - 1 - numbered[order])
    for number, cluster in enumerate(clusters):
        of_cluster = numbered[order] == number
        y, x = heights[of_cluster], values[order][of_cluster]
        fill = colours(np.array([cluster]))[0]
        steps, ends = np.append(y - 0.5, y[-1] + 0.5), np.append(x, x[-1])
        ax.fill_betweenx(steps, 0, ends, step="post", facecolor=fill, linewidth=0)
        if len(clusters) <= MOST_NAMES:
            ax.text(
                left,
                y.mean(),
                f"{cluster} ",
                ha="right",
                va="center",
                color=colours(np.array([cluster]), 0.55)[0],
                fontsize="small",
                fontweight="bold",
            )
    mean = float(values.mean())
    ax.axvline(0, color="#bbbbbb", linewidth=0.8)
    ax.axvline(mean, color=INK, linewidth=0.8, linestyle=":")
    ax.set_title(f"mean {mean:.2f}", color=INK, fontsize="medium", loc="left")
    ax.set_xlabel("silhouette, by means", color=INK)
    ax.set_xlim(left, 1)
    ax.set_ylim(heights.min() - 1, heights.max() + 1)
    ax.set_yticks([])
    _plain(ax)
    ax.spines["left"].set_visible(False)
    return ax


def silhouettes_of(
    X: NDArray[Any], labels: NDArray[np.intp], metric: str = "euclidean"
) -> NDArray[np.float64]:
    """The silhouette, by means, of each sample; labels are from 0 on, without a gap."""
    sizes = np.bincount(labels)
    values = np.zeros(len(X))
    if len(sizes) == 1:
        return values
    sums = [np.bincount(labels, column, len(sizes)) for column in X.T]
    means = np.stack(sums, axis=1) / sizes[:, None]
    for start in range(0, len(X), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        distances = distances_to(X[part].astype(float), means, metric)
        rows = np.arange(len(distances))
        own = distances[rows, labels[part]]
        distances[rows, labels[part]] = np.inf
        other = distances.min(axis=1)
        longer = np.maximum(own, other)
        values[part] = np.divide(other - own, longer, out=np.zeros(len(rows)), where=longer > 0)
    values[sizes[labels] == 1] = 0
    return values


def dendrogram(
    tree: Any,
    *,
    n_clusters: int | None = None,
    names: Sequence[str] | None = None,
    leaves: int = 60,
    ax: Any = None,
) -> Any:
    """Draws a tree as a dendrogram, by SciPy.

    tree: a `Tree`, or what has one: a `Hierarchy`, a `Dendrogram`, a `Suggestion`.
    n_clusters: so many clusters, below the last joins, have a colour each, which is their colour in
        `scatter` of the cut of a dendrogram into as many; by default, as many as a `Suggestion` has, whose
        `labels` have moved, and may have other numbers.
    names: the names of all leaves; by default their numbers.
    leaves: larger trees are drawn from the root down to so many branches, from 2 on, of which (n) says how many
        leaves are below.
    """
    from scipy.cluster import hierarchy as scipy_hierarchy

    if not hasattr(tree, "dendrogram" if isinstance(tree, Suggestion) else "tree") and not isinstance(tree, Tree):
        way_out = ": give its hierarchy, tree.model_.hierarchy" if hasattr(tree, "model_") else ""
        raise TypeError(f"tree is {named(tree)}{way_out or ': give a Tree, a Hierarchy, a Dendrogram or a Suggestion'}")
    if isinstance(tree, Suggestion):
        n_clusters = tree.n_clusters if n_clusters is None else n_clusters
        tree = tree.dendrogram
    linkage = (tree if isinstance(tree, Tree) else tree.tree()).linkage()
    if len(linkage) == 0:
        raise ValueError("the tree has one leaf: there is no join to draw")
    _check_leaves(len(linkage) + 1, n_clusters, names, leaves)
    ax = _axes(ax, 8, 4)
    fills = _branch_colours(linkage, 1 if n_clusters is None else n_clusters)
    scipy_hierarchy.dendrogram(
        linkage,
        p=leaves,
        truncate_mode="lastp" if len(linkage) >= leaves else None,
        labels=None if names is None else list(names),
        link_color_func=lambda node: fills[node],
        ax=ax,
        leaf_font_size="small",
        leaf_rotation=90,
    )
    heights = linkage[max(0, len(linkage) + 1 - leaves) :, 2]
    # Heights of neighbour linkage differ by orders of magnitude.
    if heights[0] > 0 and heights[-1] > 50 * np.median(heights):
        ax.set_yscale("log")
        ax.set_ylim(heights[0] / 2, heights[-1] * 1.5)
    ax.set_ylabel("height", color=INK)
    _plain(ax)
    ax.tick_params(axis="x", length=0)
    ax.spines["bottom"].set_visible(False)
    return ax


def _check_leaves(
    count: int, n_clusters: int | None, names: Sequence[str] | None, leaves: int
) -> None:
    """Refuses numbers and names that a tree of so many leaves does not have."""
    if whole("leaves", leaves) < 2:
        raise ValueError(f"leaves is {leaves}: give a number from 2 on")
    if n_clusters is not None and not 1 <= whole("n_clusters", n_clusters) <= count:
        raise ValueError(f"n_clusters is {n_clusters}: give a number from 1 to {count}, the leaves of the tree")
    if names is not None and len(names) != count:
        raise ValueError(f"there are {len(names)} names, and the tree has {count} leaves")


def _branch_colours(linkage: NDArray[np.float64], clusters: int) -> list[str]:
    """The colour of each node: of joins above the clusters dark, below one for each cluster."""
    leaves = len(linkage) + 1
    children = linkage[:, :2].astype(int)
    top = 2 * leaves - 1 - (min(clusters, leaves) - 1)
    first = list(range(leaves))
    for a, b in children:
        first.append(min(first[a], first[b]))
    above = range(top, 2 * leaves - 1)
    roots = [child for node in above for child in children[node - leaves] if child < top]
    # Clusters are numbered by first appearance.
    fills = [INK] * (2 * leaves - 1)
    for number, root in enumerate(sorted(roots, key=lambda node: first[node])):
        fills[root] = to_hex(colours(np.array([number]))[0])
    for node in range(top - 1, leaves - 1, -1):
        for child in children[node - leaves]:
            fills[child] = fills[node]
    return fills


def _plain(ax: Any) -> None:
    """Axes without a frame."""
    ax.tick_params(colors=INK, labelsize="small")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color("#bbbbbb")


def _axes(ax: Any, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def _partitions(partitions: Any) -> NDArray[np.int32]:
    """The labels of all partitions, N x P."""
    if isinstance(partitions, Model):
        raise TypeError("partitions is a Model: give its hierarchy, partitions.hierarchy")
    for name in ("partitions_", "labels"):
        partitions = getattr(partitions, name, partitions)
    labels = np.asarray(partitions)
    if labels.ndim != 2 or labels.dtype.kind not in "iu" or labels.size == 0:
        raise ValueError(
            "icicle takes a Hierarchy, a fitted FINCH, or the integers that are labels of N samples"
            f" in P partitions, N x P: these have the shape {labels.shape}"
        )
    if (labels < 0).any():
        sample, partition = np.argwhere(labels < 0)[0].tolist()
        raise ValueError(
            f"sample {sample} has label {labels[sample, partition]} in partition {partition}: an icicle has no"
            " place for noise, so leave such samples out"
        )
    return labels


def _nested_order(labels: NDArray[np.int32]) -> NDArray[np.intp]:
    """An order of the samples in which every cluster is in one piece, large clusters first."""
    keys: list[NDArray[Any]] = []
    for column in labels.T:
        keys += [column, -np.bincount(column)[column]]
    return np.lexsort(keys)


def _shades(hues: NDArray[np.int32], partition: int, hue: int) -> NDArray[np.float64]:
    """Colours of the boxes of a partition: of finer partitions than `hue` alternately darker and
    lighter within a hue, of coarser ones grey."""
    if partition > hue:
        return np.tile(GREY, (len(hues), 1))
    if partition == hue:
        return colours(hues, 0.70)
    boxes = np.arange(len(hues))
    first = np.maximum.accumulate(np.where(np.diff(hues, prepend=-1), boxes, 0))
    return colours(hues, np.where((boxes - first) % 2, 0.78, 0.70))


def _boxes(
    ax: Any, starts: NDArray[np.intp], ends: NDArray[np.intp], y: int, fill: NDArray[np.float64]
) -> None:
    top, bottom = np.full(len(starts), y - 0.47), np.full(len(starts), y + 0.47)
    corners = np.stack(
        [
            np.stack([starts, top], axis=-1),
            np.stack([ends, top], axis=-1),
            np.stack([ends, bottom], axis=-1),
            np.stack([starts, bottom], axis=-1),
        ],
        axis=1,
    )
    # White edges of many narrow boxes would hide the boxes.
    line = float(np.clip(120 / len(starts), 0, 1.2))
    ax.add_collection(
        PolyCollection(
            corners,
            facecolors=fill,
            edgecolors="white" if line >= 0.3 else "none",
            linewidths=line if line >= 0.3 else 0,
            antialiaseds=line >= 0.3,
        )
    )


def _write_names(
    ax: Any,
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    y: int,
    names: NDArray[np.int32],
    samples: int,
) -> None:
    for start, end, name in zip(starts, ends, names):
        # A digit is about a ninetieth as wide as the picture.
        if (end - start) / samples > (len(str(name)) + 0.6) / 90:
            ax.text(
                (start + end) / 2,
                y,
                str(name),
                ha="center",
                va="center",
                color="white",
                fontsize="small",
                fontweight="bold",
            )


def _rows_of(X: Any) -> NDArray[Any]:
    """The rows of a picture: dense, of numbers, and with all values there."""
    refuse_masked("X", X)
    if is_sparse(X):
        raise TypeError("X is sparse, and a picture takes dense rows: pass X.toarray()")
    if isinstance(X, Bits):
        raise TypeError("X is Bits, and a picture takes rows of numbers: pass X.unpacked()")
    rows = np.asarray(matrix_of(X))
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"X has the shape {rows.shape}: give samples by features")
    if np.iscomplexobj(rows):
        raise TypeError("X has complex numbers: give real ones, such as X.real")
    complete = np.isfinite(rows.astype(np.float64)).all(axis=1)
    if not complete.all():
        row = int(complete.argmin())
        raise ValueError(f"X has NaN or infinity in row {row}: impute its values, or leave such rows out")
    return rows


def _plane(X: NDArray[Any], columns: list[Any] | None) -> tuple[NDArray[np.float64], list[str]]:
    """X in the plane, N x 2, and the names of the axes, which are those of one column or two."""
    if X.shape[1] == 1:
        heights = np.random.default_rng(0).uniform(-1, 1, len(X))
        return np.stack([X[:, 0].astype(float), heights], axis=1), list(map(str, columns or ["the feature"]))
    if X.shape[1] == 2:
        return X.astype(float), list(map(str, columns or ["feature 0", "feature 1"]))
    fitted = X[:: -(-len(X) // FIT_ROWS)].astype(float)
    mean = fitted.mean(axis=0)
    fitted -= mean
    if len(fitted) == 1:  # of which there is one axis
        fitted = np.tile(fitted, (2, 1))
    axes, variance = main_axes(fitted)
    # The sign of an axis is chance: the largest of its numbers is positive.
    axes *= np.sign(axes[[0, 1], np.abs(axes).argmax(axis=1)])[:, None]
    parts = variance / max(float(np.vdot(fitted, fitted)), np.finfo(float).tiny)
    names = [
        f"principal axis {i}: {100 * part:.0f} % of the variance" for i, part in enumerate(parts, 1)
    ]
    return X @ axes.T - mean @ axes.T, names
