"""Labelled data sets: real ones, synthetic ones whose truth is known, and a few held out.

The real ones lie in the folder that FINCH_DATA names (default `../shared/data`, relative to the
repository), as for the tests; README.md says where they are from. scikit-learn makes some of the
synthetic ones, and brings the held-out ones with it. `python3 data_sets.py` lists all as Markdown.
"""

from __future__ import annotations

import gzip
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

SELECTION = "selection"
"""The group of sets that rules were chosen by."""
HELD_OUT = "held out"
"""The group of sets that no rule was chosen by."""


@dataclass(frozen=True)
class Scores:
    """How well clusters agree with classes, in percent."""

    acc: float
    """What is right when clusters and classes are matched one to one in the best way."""
    nmi: float
    """Normalised mutual information, by the geometric mean of the entropies."""
    ari: float
    """The adjusted Rand index."""


@dataclass(frozen=True)
class DataSet:
    """N samples and their classes."""

    name: str
    X: np.ndarray
    """N x d, of float32, float64 or uint8."""
    y: np.ndarray
    """N classes from 0; -1 is noise, which is clustered but not scored."""
    metric: str
    """"euclidean" or "cosine"."""
    kind: str
    group: str

    @property
    def classes(self) -> int:
        """The number of classes, K."""
        return int(self.y.max()) + 1

    def part(self, fraction: float, seed: int) -> DataSet:
        """A random part of the samples, in their order."""
        samples = len(self.X)
        drawn = np.random.RandomState(seed).permutation(samples)[: round(fraction * samples)]
        drawn.sort()
        return replace(self, X=self.X[drawn], y=_numbered(self.y[drawn]))

    def ari(self, labels: np.ndarray) -> float:
        """The adjusted Rand index alone, in percent."""
        from sklearn.metrics import adjusted_rand_score

        classed = self.y >= 0
        return 100 * float(adjusted_rand_score(self.y[classed], np.asarray(labels)[classed]))

    def scores(self, labels: np.ndarray) -> Scores:
        """How well N labels agree with the classes, as SciPy and scikit-learn compute it."""
        from scipy.optimize import linear_sum_assignment
        from sklearn import metrics

        classed = self.y >= 0
        classes, clusters = self.y[classed], np.asarray(labels)[classed]
        counts = metrics.cluster.contingency_matrix(classes, clusters)
        right = counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum()
        nmi = metrics.normalized_mutual_info_score(classes, clusters, average_method="geometric")
        ari = metrics.adjusted_rand_score(classes, clusters)
        return Scores(100 * float(right), 100 * float(nmi), 100 * float(ari))


# Where X and the labels come from. Scikit-learn and SciPy are imported where they are needed only,
# so that they do not count in the memory of who does without.

Labelled = tuple[np.ndarray, Any]


def _folder() -> Path:
    repository = Path(__file__).resolve().parents[1]
    return Path(os.environ.get("FINCH_DATA", repository / "../shared/data"))


def _arrays(path: str) -> Labelled:
    """`path`/X.npy and `path`/y.npy."""
    return np.load(_folder() / path / "X.npy"), np.load(_folder() / path / "y.npy").ravel()


def _table(path: str) -> Labelled:
    """Text of which the third column is the class."""
    table = np.loadtxt(_folder() / path)
    return np.ascontiguousarray(table[:, :2]), table[:, 2]


def _archive(name: str) -> Labelled:
    """X and y of an .npz file."""
    with np.load(_folder() / f"{name}.npz") as arrays:
        return arrays["X"], arrays["y"]


def _sparse_archive(name: str) -> Labelled:
    """An .npz file with a matrix in SciPy's CSR layout, made dense, and y."""
    with np.load(_folder() / f"{name}.npz") as arrays:
        data, indices, indptr, y = (arrays[part] for part in ("data", "indices", "indptr", "y"))
        X = np.zeros(arrays["shape"], data.dtype)
    rows = np.repeat(np.arange(len(X)), np.diff(indptr))
    X[rows, indices] = data
    return X, y


def _mnist(*parts: str) -> Labelled:
    """Parts of MNIST ("train", "t10k"), stacked; pixels from 0 to 255."""
    images = [_idx(f"{part}-images-idx3-ubyte.gz") for part in parts]
    labels = [_idx(f"{part}-labels-idx1-ubyte.gz") for part in parts]
    X = np.concatenate(images)
    return X.reshape(len(X), -1), np.concatenate(labels)


def _idx(name: str) -> np.ndarray:
    """An IDX file of bytes: two zeros, the type, the number of axes, their lengths, the data."""
    content = gzip.decompress((_folder() / "mnist" / name).read_bytes())
    axes = content[3]
    shape = struct.unpack_from(f">{axes}I", content, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def _unequal() -> Labelled:
    """Gaussians in 8 dimensions, of 50 to 2000 samples and deviations from 0.3 to 2."""
    random = np.random.RandomState(1)
    shapes = [(2000, 1.0), (800, 0.3), (300, 2.0), (100, 0.5), (1500, 0.7), (50, 0.3), (400, 1.5)]
    clusters = []
    for size, deviation in shapes:
        center = random.randn(8) * 3.5
        clusters.append(center + deviation * random.randn(size, 8))
    return _stack(clusters)


def _overlapping() -> Labelled:
    """12 Gaussians in 10 dimensions, not quite apart."""
    return _blobs(3000, 10, 12, deviation=2.2, box=5, seed=3)


def _rings() -> Labelled:
    """Three rings, one in the other."""
    random = np.random.RandomState(4)
    clusters = []
    for radius, size in [(1, 300), (2.5, 700), (4, 1100)]:
        angle = random.rand(size) * 2 * np.pi
        ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        clusters.append(ring + 0.12 * random.randn(size, 2))
    return _stack(clusters)


def _moons() -> Labelled:
    """Two half moons, one reaching into the other."""
    from sklearn.datasets import make_moons

    return make_moons(2000, noise=0.08, random_state=0)


def _many() -> Labelled:
    """200 Gaussians in 16 dimensions."""
    return _blobs(20_000, 16, 200, deviation=1.6, box=6, seed=5)


def _high_dimensional() -> Labelled:
    """15 Gaussians in 500 dimensions, whose centres are nearer to each other than samples are."""
    random = np.random.RandomState(6)
    centers = random.randn(15, 500) * 0.32
    y = random.randint(0, 15, 4000)
    return centers[y] + random.randn(4000, 500), y


def _noise() -> Labelled:
    """6 Gaussians in 4 dimensions, and a third as many samples spread evenly around and in them."""
    random = np.random.RandomState(7)
    centers = random.rand(6, 4) * 20
    y = random.randint(0, 6, 3000)
    X = centers[y] + random.randn(3000, 4) * 0.9
    spread = random.rand(1000, 4) * 26 - 3
    return np.vstack([X, spread]), np.concatenate([y, np.full(1000, -1)])


def _anisotropic() -> Labelled:
    """8 Gaussians in 6 dimensions, long and flat in directions of their own."""
    random = np.random.RandomState(8)
    clusters = []
    for _ in range(8):
        directions, _ = np.linalg.qr(random.randn(6, 6))
        lengths = np.exp(random.randn(6) * 0.8)
        size = random.randint(150, 800)
        center = random.randn(6) * 6
        clusters.append(center + (random.randn(size, 6) * lengths) @ directions)
    return _stack(clusters)


def _subspaces() -> Labelled:
    """10 clusters near subspaces of rank 4 in 100 dimensions."""
    random = np.random.RandomState(9)
    clusters = []
    for _ in range(10):
        basis = random.randn(4, 100)
        size = random.randint(200, 700)
        center = random.randn(100) * 1.2
        near = random.randn(size, 4) @ basis * 0.8
        clusters.append(center + near + random.randn(size, 100) * 0.8)
    return _stack(clusters)


def _heavy_tails() -> Labelled:
    """10 clusters in 12 dimensions whose features have Student's t (2.2 degrees of freedom)."""
    random = np.random.RandomState(10)
    centers = random.randn(10, 12) * 3
    y = random.randint(0, 10, 5000)
    return centers[y] + random.standard_t(2.2, size=(5000, 12)) * 0.9, y


def _stack(clusters: list[np.ndarray]) -> Labelled:
    """Clusters one below the other."""
    sizes = [len(cluster) for cluster in clusters]
    return np.vstack(clusters), np.repeat(np.arange(len(clusters)), sizes)


def _blobs(
    samples: int, features: int, centers: int, *, deviation: float, box: float, seed: int
) -> Labelled:
    """Gaussians of one size, whose centres are spread evenly from -box to box."""
    from sklearn.datasets import make_blobs

    return make_blobs(
        samples,
        features,
        centers=centers,
        cluster_std=deviation,
        center_box=(-box, box),
        random_state=seed,
    )


def _bundled(name: str, *, standardised: bool = False) -> Labelled:
    """One of those that scikit-learn has in itself."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return (X - X.mean(0)) / X.std(0) if standardised else X, y


@dataclass(frozen=True)
class _Source:
    kind: str
    read: Callable[[], Labelled]
    group: str = SELECTION
    metric: str = "euclidean"


_SOURCES = {
    "mice": _Source("tabular", lambda: _arrays("mice_protein")),
    "gestalt": _Source("2-D shape", lambda: _table("gestalt/gestalt.txt")),
    "aggregation": _Source("2-D shape", lambda: _table("aggregation/aggregation.txt")),
    "aggregation (rounded)": _Source(
        "2-D shape", lambda: _table("aggregation/aggregation_rounded.txt")
    ),
    "usps": _Source("image", lambda: _archive("usps")),
    "pendigits": _Source("tabular", lambda: _archive("pendigits")),
    "letter": _Source("tabular", lambda: _archive("letter")),
    "tdt2": _Source("text", lambda: _sparse_archive("tdt2_30_tfidf2000"), metric="cosine"),
    "reuters": _Source(
        "text", lambda: _sparse_archive("reuters21578_65_tfidf2000"), metric="cosine"
    ),
    "mnist10k": _Source("image", lambda: _mnist("t10k")),
    "mnist70k": _Source("image", lambda: _mnist("train", "t10k")),
    "birch1": _Source("synthetic", lambda: _archive("birch1")),
    "unequal": _Source("synthetic", _unequal),
    "overlapping": _Source("synthetic", _overlapping),
    "rings": _Source("2-D shape", _rings),
    "moons": _Source("2-D shape", _moons),
    "many": _Source("synthetic", _many),
    "high-dimensional": _Source("synthetic", _high_dimensional),
    "noise": _Source("synthetic", _noise),
    "anisotropic": _Source("synthetic", _anisotropic),
    "subspaces": _Source("synthetic", _subspaces),
    "heavy tails": _Source("synthetic", _heavy_tails),
    "iris": _Source("tabular", lambda: _bundled("iris"), HELD_OUT),
    "wine": _Source("tabular", lambda: _bundled("wine", standardised=True), HELD_OUT),
    "breast cancer": _Source(
        "tabular", lambda: _bundled("breast_cancer", standardised=True), HELD_OUT
    ),
    "digits": _Source("image", lambda: _bundled("digits"), HELD_OUT),
}

NAMES = tuple(_SOURCES)
"""All sets."""


def kind(name: str) -> str:
    """image, text, tabular, 2-D shape or synthetic."""
    return _SOURCES[name].kind


def group(name: str) -> str:
    """SELECTION or HELD_OUT."""
    return _SOURCES[name].group


def load(name: str) -> DataSet:
    """Reads or makes a set."""
    source = _SOURCES[name]
    X, labels = source.read()
    return DataSet(name, X, _numbered(labels), source.metric, source.kind, source.group)


def _numbered(labels: Any) -> np.ndarray:
    """Classes numbered from 0, in their order, and noise."""
    y = np.asarray(labels).astype(np.int64)
    classed = y >= 0
    y[classed] = np.unique(y[classed], return_inverse=True)[1]
    return y


def unit_rows(X: np.ndarray) -> np.ndarray:
    """The rows divided by their lengths; rows of zeros stay."""
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length == 0, 1, length)


if __name__ == "__main__":
    print("| data | samples | features | dtype | classes | metric | kind | group |")
    print("|---|--:|--:|---|--:|---|---|---|")
    for loaded in map(load, NAMES):
        cells = [loaded.name, *loaded.X.shape, loaded.X.dtype, loaded.classes]
        cells += [loaded.metric, loaded.kind, loaded.group]
        print("|", " | ".join(map(str, cells)), "|")
