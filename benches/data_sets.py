"""Data sets: labelled ones, real and made.

Real sets lie in the folder that FINCH_DATA names (default `../shared/data`, beside the clone), as for
the tests; CONTRIBUTING.md says where they are from. scikit-learn makes some of the made sets, and has
the four that are held out. Everything that is made is the same on every machine.
"""

from __future__ import annotations

import gzip
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from measure import ROOT, present

SELECTION = "selection"
"""The group of sets that rules were chosen by."""
HELD_OUT = "held out"
"""The group of sets that no rule was chosen by."""
MORE = "more"
"""The group of sets that were added later."""


@dataclass(frozen=True)
class Scores:
    """The agreement of clusters with classes, in percent."""

    acc: float
    """Accuracy: the share that is right when clusters and classes are matched one to one, the best way."""
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

    def ari(self, labels: np.ndarray) -> float:
        """The adjusted Rand index alone, in percent."""
        from sklearn.metrics import adjusted_rand_score

        classed = self.y >= 0
        return 100 * float(adjusted_rand_score(self.y[classed], np.asarray(labels)[classed]))

    def scores(self, labels: np.ndarray) -> Scores:
        """The agreement of N labels with the classes, as SciPy and scikit-learn compute it."""
        from scipy.optimize import linear_sum_assignment
        from sklearn import metrics

        classed = self.y >= 0
        classes, clusters = self.y[classed], np.asarray(labels)[classed]
        counts = metrics.cluster.contingency_matrix(classes, clusters)
        right = counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum()
        nmi = metrics.normalized_mutual_info_score(classes, clusters, average_method="geometric")
        ari = metrics.adjusted_rand_score(classes, clusters)
        return Scores(100 * float(right), 100 * float(nmi), 100 * float(ari))


# Sources of X and the labels. scikit-learn and SciPy are imported where they are needed only, so that
# they do not count in the memory of programs that do without.

Labelled = tuple[np.ndarray, Any]


def folder() -> Path:
    """The folder of larger data."""
    return Path(os.environ.get("FINCH_DATA", ROOT / "../shared/data"))


def _arrays(path: str) -> Labelled:
    """`path`/X.npy and `path`/y.npy."""
    return np.load(folder() / path / "X.npy"), np.load(folder() / path / "y.npy").ravel()


def _table(path: str) -> Labelled:
    """Text of which the third column is the class."""
    table = np.loadtxt(folder() / path)
    return np.ascontiguousarray(table[:, :2]), table[:, 2]


def _archive(name: str) -> Labelled:
    """X and y of an .npz file."""
    with np.load(folder() / f"{name}.npz") as arrays:
        return np.ascontiguousarray(arrays["X"]), arrays["y"].ravel()


def _sparse_archive(name: str) -> Labelled:
    """An .npz file with a matrix in SciPy's CSR layout, made dense, and y."""
    with np.load(folder() / f"{name}.npz") as arrays:
        data, indices, indptr, y = (arrays[part] for part in ("data", "indices", "indptr", "y"))
        X = np.zeros(arrays["shape"], data.dtype)
    X[np.repeat(np.arange(len(X)), np.diff(indptr)), indices] = data
    return X, y


def _mnist(*parts: str) -> Labelled:
    """Parts of MNIST ("train", "t10k"), stacked; pixels from 0 to 255."""
    X = np.concatenate([_idx(f"{part}-images-idx3-ubyte.gz") for part in parts])
    labels = [_idx(f"{part}-labels-idx1-ubyte.gz") for part in parts]
    return X.reshape(len(X), -1), np.concatenate(labels)


def _idx(name: str) -> np.ndarray:
    """An IDX file of bytes: two zeros, the type, the number of axes, their lengths, the data."""
    content = gzip.decompress((folder() / "mnist" / name).read_bytes())
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


def _blobs(samples: int, features: int, centers: int, *, deviation: float, box: float, seed: int) -> Labelled:
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


def _texts(name: str) -> _Source:
    return _Source("text", lambda: _sparse_archive(name), metric="cosine")


def _more(kind: str, name: str, metric: str = "euclidean") -> _Source:
    return _Source(kind, lambda: _archive(name), MORE, metric)


_SOURCES = {
    "mice": _Source("tabular", lambda: _arrays("mice_protein")),
    "gestalt": _Source("2-D shape", lambda: _table("gestalt/gestalt.txt")),
    "aggregation": _Source("2-D shape", lambda: _table("aggregation/aggregation.txt")),
    "aggregation (rounded)": _Source("2-D shape", lambda: _table("aggregation/aggregation_rounded.txt")),
    "usps": _Source("image", lambda: _archive("usps")),
    "pendigits": _Source("tabular", lambda: _archive("pendigits")),
    "letter": _Source("tabular", lambda: _archive("letter")),
    "tdt2": _texts("tdt2_30_tfidf2000"),
    "reuters": _texts("reuters21578_65_tfidf2000"),
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
    "breast cancer": _Source("tabular", lambda: _bundled("breast_cancer", standardised=True), HELD_OUT),
    "digits": _Source("image", lambda: _bundled("digits"), HELD_OUT),
    "isolet": _more("tabular", "isolet"),
    "jaffe": _more("image", "jaffe"),
    "umist": _more("image", "umist"),
    "segment": _more("tabular", "segment"),
    "warppie10p": _more("image", "warppie10p"),
    "webace": _more("text", "webace", "cosine"),
    "classic3": _more("text", "classic3", "cosine"),
}

NAMES = tuple(name for name, source in _SOURCES.items() if source.group != MORE)
"""The 26 sets that rules were chosen by, or that were held out."""


def kind(name: str) -> str:
    """image, text, tabular, 2-D shape or synthetic."""
    return _SOURCES[name].kind


def group(name: str) -> str:
    """SELECTION, HELD_OUT or MORE."""
    return _SOURCES[name].group


def by_group(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names to choose by, and the names held out."""
    names = list(names)
    selection, held_out = ([n for n in names if group(n) == g] for g in (SELECTION, HELD_OUT))
    return selection, held_out


def load(name: str) -> DataSet:
    """Reads or makes a set."""
    if name not in _SOURCES:
        sys.exit(f"there is no data set {name!r}: there are {', '.join(_SOURCES)}")
    source = _SOURCES[name]
    X, labels = source.read()
    return DataSet(name, X, _numbered(labels), source.metric, source.kind, source.group)


def at_hand(names: Iterable[str]) -> Iterator[DataSet]:
    """Sets one after the other, without sets whose files are missing."""
    return (data for _, data in present(names, load))


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


# Shapes, labelled sets that no program made, and toy sets.

SIZES = (200, 500, 1500)
"""Samples of a toy set, and of a spiral."""
SEEDS = 10


def shapes() -> Iterator[DataSet]:
    """The files of `shapes/`: those of Gagolewski's suite that are at hand; the class 0 is noise, in some."""
    for path in sorted((folder() / "shapes").glob("*.npz")):
        yield shape(path.stem)


def shape(name: str) -> DataSet:
    """One of the files of `shapes/`."""
    with np.load(folder() / "shapes" / f"{name}.npz") as arrays:
        X, y = arrays["X"], arrays["y"].astype(np.int64) - 1
    return DataSet(name, X, y, "euclidean", name.split("_")[0], "shapes")


def labelled() -> Iterator[DataSet]:
    """The real sets."""
    made = ("rings", "moons", "mnist70k")
    names = [name for name in _SOURCES if kind(name) != "synthetic" and name not in made]
    for data in at_hand(names):
        yield replace(data, group="labelled")


def embeddings() -> Iterator[DataSet]:
    """Sentence embeddings: all, and two random parts of three quarters."""
    for name, data in present(["debian"], embedding):
        yield data
        random = np.random.RandomState(0)
        for part in range(2):
            rows = np.sort(random.permutation(len(data.X))[: 3 * len(data.X) // 4])
            yield replace(data, name=f"{name} {part}", X=data.X[rows], y=data.y[rows])


def embedding(name: str) -> DataSet:
    """One of the files of `embeddings/`."""
    X, labels = _archive(f"embeddings/{name}")
    return DataSet(name, X.astype(np.float32), _numbered(labels), "cosine", "text", "labelled")


def toys() -> Iterator[DataSet]:
    """The sets of scikit-learn's comparison of clusterings, with other seeds; and spirals."""
    from sklearn.datasets import make_blobs, make_circles, make_moons

    stretch = np.array([[0.6, -0.6], [-0.4, 0.8]])
    for size in SIZES:
        for seed in range(SEEDS):
            X, y = make_blobs(size, random_state=170 + seed)
            made = {
                "circles": make_circles(size, factor=0.5, noise=0.05, random_state=seed),
                "moons": make_moons(size, noise=0.05, random_state=seed),
                "blobs": make_blobs(size, random_state=seed),
                "aniso": (X @ stretch, y),
                "varied": make_blobs(size, cluster_std=[1.0, 2.5, 0.5], random_state=170 + seed),
                "spiral": _spiral(size, seed),
            }
            for kind, (X, y) in made.items():
                group = "spiral" if kind == "spiral" else "toy"
                yield DataSet(f"{kind} {size} {seed}", X, y, "euclidean", kind, group)


def _spiral(size: int, seed: int) -> Labelled:
    """Two arms of one and a half or two and a half turns, evenly filled but for chance."""
    random = np.random.RandomState(seed)
    first, last = np.pi / 2, 2 * np.pi * (1.5, 2.5)[seed % 2]

    def arm(count: int, sign: int) -> np.ndarray:
        places = (np.arange(count) + random.rand(count)) / count
        angle = np.sqrt(first**2 + (last**2 - first**2) * places)
        points = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
        return sign * points + 0.15 * random.randn(count, 2)

    half = size // 2
    X = np.vstack([arm(half, 1), arm(size - half, -1)])
    return X, np.repeat([0, 1], [half, size - half])


# Islands: large Gaussians, and tight groups far from all else.

ISLANDS = ((0, 10), (1, 40), (3, 10), (10, 40), (10, 100), (30, 10), (30, 40), (30, 100))
"""Numbers of islands, and samples of each."""


def among_islands(half: int) -> Iterator[tuple[DataSet, int]]:
    """Sets of one half, each with the number of its large clusters, which come before islands."""
    seed = 0
    for large in (2, 3, 5, 10):
        for features in (2, 3, 5, 10, 20, 50):
            for islands, size in ISLANDS:
                for place in ("near", "ring"):
                    seed += 1
                    in_half = (seed * 7919 + seed // 8) % 2 == half
                    # The largest set of all takes Ward linkage too long.
                    if in_half and (large, islands, size) != (10, 30, 100):
                        samples = 500 if large >= 5 else 1000
                        X, y = _among_islands(large, features, islands, size, samples, place, seed)
                        name, group = f"{large} in {features}, {islands} of {size}, {place}", f"{islands} of {size}"
                        yield DataSet(name, X, y, "euclidean", "islands", group), large


def _among_islands(
    large: int, features: int, islands: int, size: int, samples: int, place: str, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(seed)

    def unit() -> np.ndarray:
        vector = random.randn(features)
        return vector / np.linalg.norm(vector)

    centers = [np.zeros(features)]
    while len(centers) < large:
        start = centers[random.randint(len(centers))]
        center = start + unit() * random.uniform(5, 6.5)
        if min(np.linalg.norm(center - other) for other in centers) >= 5:
            centers.append(center)
    parts = [center + random.randn(samples, features) for center in centers]
    middle = np.mean(centers, 0)
    reach = max(np.linalg.norm(center - middle) for center in centers)
    far = max(5.5, np.sqrt(features) + 3)
    placed: list[np.ndarray] = []
    tries = 0
    while len(placed) < islands:
        if place == "ring":
            angle = 2 * np.pi * len(placed) / islands
            spot = middle + 0.0
            spot[:2] += (reach + max(6, np.sqrt(features) + 4) + 2) * np.array([np.cos(angle), np.sin(angle)])
        else:
            spot = centers[random.randint(large)] + unit() * random.uniform(1, 2.5) * far
            tries += 1
            near = min(np.linalg.norm(center - spot) for center in centers) < far
            near |= any(np.linalg.norm(spot - other) < 1.5 * max(1, 0.4 * np.sqrt(2 * features)) for other in placed)
            if near and tries < 2000:
                continue
        placed.append(spot)
    parts += [spot + 0.2 * random.randn(size, features) for spot in placed]
    y = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    order = random.permutation(len(y))
    return np.vstack(parts)[order], y[order]


def blobs(rows: int, columns: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussians of eight dimensions of their own each, in float32, and the group of each row."""
    random = np.random.default_rng(1)
    y = random.integers(0, groups, rows)
    X = random.normal(size=(groups, columns)).astype(np.float32)[y]
    return _spread(X, y, random, 8), y


def curves(rows: int, columns: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows along closed curves of three frequencies, with noise of four dimensions, in float32; and the curve of
    each row."""
    random = np.random.default_rng(2)
    y, turn = random.integers(0, groups, rows), random.uniform(0, 2 * np.pi, rows)
    axes = random.normal(size=(groups, 3, 2, columns)).astype(np.float32)
    X = (2.5 * random.normal(size=(groups, columns))).astype(np.float32)[y]
    for frequency in range(3):
        for side, wave in enumerate((np.cos, np.sin)):
            height = (wave((frequency + 1) * turn) / (frequency + 1)).astype(np.float32)
            X += height[:, None] * axes[y, frequency, side]
    return _spread(X, y, random, 4), y


def _spread(X: np.ndarray, y: np.ndarray, random: np.random.Generator, dimensions: int) -> np.ndarray:
    """Rows with noise in so many directions of their group, and a little in all."""
    columns = X.shape[1]
    scale = np.float32(0.35 * np.sqrt(columns / dimensions))
    for group in range(int(y.max()) + 1):
        rows = np.flatnonzero(y == group)
        axes = np.linalg.qr(random.normal(size=(columns, min(dimensions, columns))))[0].T.astype(np.float32)
        noise = random.standard_normal((len(rows), len(axes)), np.float32)
        X[rows] += scale * noise @ axes
        X[rows] += np.float32(0.01) * random.standard_normal((len(rows), columns), np.float32)
    return X
