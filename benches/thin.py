"""Thin clusters of few samples, by neighbour linkage before and after its reach along curves, as Markdown.

    venv/bin/python benches/thin.py

Curves in a plane or in space, evenly filled but for chance, or at random (uniform), with a little noise, of
60 to 1,000 samples, three seeds each. The rules are those of reach.py, by plain Python, and Genie. Rules
were looked for with the kinds of the first half. The venv is that of reach.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

import numpy as np
from data_sets import DataSet
from reach import Links, Rule, fewer, genie, reach
from tables import markdown

SIZES = (60, 100, 150, 200, 300, 500, 1000)
SEEDS = 3
Labelled = tuple[np.ndarray, np.ndarray]
Made = Callable[[int, np.random.RandomState], Labelled]
Curve = Callable[[np.ndarray], list[np.ndarray]]
"""From places, 0 to 1, to coordinates."""


def places(random: np.random.RandomState, count: int, even: bool) -> np.ndarray:
    return (np.arange(count) + random.rand(count)) / count if even else np.sort(random.rand(count))


def curves(noise: float, even: bool, *made: Curve) -> Made:
    """As many samples of each curve."""

    def make(size: int, random: np.random.RandomState) -> Labelled:
        count = size // len(made)
        points = [np.column_stack(curve(places(random, count, even))) for curve in made]
        X = np.vstack([p + noise * random.randn(*p.shape) for p in points])
        return X, np.repeat(np.arange(len(made)), count)

    return make


def spiral(arms: int, turns: float, noise: float, even: bool) -> Made:
    first, last = np.pi / 2, 2 * np.pi * turns

    def arm(t: np.ndarray, turned: float) -> list[np.ndarray]:
        angle = np.sqrt(first**2 + (last**2 - first**2) * t)
        return [angle * np.cos(angle + turned), angle * np.sin(angle + turned)]

    made = (lambda t, a=a: arm(t, 2 * np.pi * a / arms) for a in range(arms))
    return curves(noise, even, *made)


def waves(count: int, gap: float, height: float, noise: float, even: bool) -> Made:
    """Lines, if the height is 0."""
    made = (lambda t, a=a: [10 * t, height * np.sin(6 * t) + a * gap] for a in range(count))
    return curves(noise, even, *made)


def rings(radii: tuple[float, ...], noise: float, even: bool) -> Made:
    """All equally dense."""

    def make(size: int, random: np.random.RandomState) -> Labelled:
        counts = [max(8, int(size * radius / sum(radii))) for radius in radii]
        X = []
        for radius, count in zip(radii, counts):
            angle = 2 * np.pi * places(random, count, even)
            ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
            X.append(ring + noise * random.randn(count, 2))
        return np.vstack(X), np.repeat(np.arange(len(radii)), counts)

    return make


def line_and_blobs(noise: float, even: bool) -> Made:
    def make(size: int, random: np.random.RandomState) -> Labelled:
        count = size // 3
        line = np.column_stack([10 * places(random, count, even), np.zeros(count)])
        line = line + noise * random.randn(count, 2)
        one = np.array([3, 3]) + 0.6 * random.randn(count, 2)
        other = np.array([8, -3]) + 0.6 * random.randn(size - 2 * count, 2)
        return np.vstack([line, one, other]), np.repeat([0, 1, 2], [count, count, len(other)])

    return make


def moons(noise: float) -> Made:
    from sklearn.datasets import make_moons

    return lambda size, random: make_moons(size, noise=noise, random_state=random)


def circles(noise: float, factor: float) -> Made:
    from sklearn.datasets import make_circles

    return lambda size, random: make_circles(size, noise=noise, factor=factor, random_state=random)


def among_noise(made: Made) -> Made:
    """With 3 % more samples anywhere, of no class."""

    def make(size: int, random: np.random.RandomState) -> Labelled:
        X, y = made(size, random)
        least, most = X.min(0), X.max(0)
        anywhere = random.rand(int(0.03 * size), X.shape[1])
        outliers = least + (1.2 * anywhere - 0.1) * (most - least)
        return np.vstack([X, outliers]), np.r_[y, np.full(len(outliers), -1)]

    return make


def helix(t: np.ndarray, turned: float) -> list[np.ndarray]:
    angle = 4 * np.pi * t
    return [np.cos(angle + turned), np.sin(angle + turned), angle / 3]


def kinds() -> Iterator[tuple[str, bool, Made]]:
    """Each with whether it is of the first half."""
    for even in (True, False):
        of = "" if even else ", uniform"
        for turns in (1.5, 2.0, 2.5, 3.0):
            yield f"spiral of {turns:g} turns{of}", True, spiral(2, turns, 0.15, even)
        yield f"spiral, 3 arms{of}", False, spiral(3, 1.5, 0.15, even)
        yield f"spiral, noisy{of}", False, spiral(2, 2, 0.4, even)
        yield f"3 rings{of}", True, rings((1, 2, 3), 0.05, even)
        yield f"4 rings{of}", False, rings((1, 2, 3, 4), 0.1, even)
        yield f"2 near rings{of}", False, rings((1, 1.5), 0.02, even)
        yield f"3 lines{of}", True, waves(3, 0.8, 0, 0.03, even)
        yield f"2 lines{of}", False, waves(2, 1, 0, 0.1, even)
        yield f"5 lines{of}", False, waves(5, 0.7, 0, 0.01, even)
        yield f"2 waves{of}", True, waves(2, 1.5, 2, 0.05, even)
        yield f"3 waves{of}", False, waves(3, 1.2, 2, 0.1, even)
        yield f"line and blobs{of}", True, line_and_blobs(0.02, even)
        yield f"noisy line and blobs{of}", False, line_and_blobs(0.1, even)
        helices = (lambda t: helix(t, 0), lambda t: helix(t, np.pi))
        yield f"2 helices{of}", True, curves(0.05, even, *helices)
        chain = (
            lambda t: [np.cos(2 * np.pi * t), np.sin(2 * np.pi * t), 0 * t],
            lambda t: [1 + np.cos(2 * np.pi * t), 0 * t, np.sin(2 * np.pi * t)],
        )
        yield f"2 links of a chain{of}", False, curves(0.03, even, *chain)
        parabolas = (
            lambda t: [4 * t - 2, (4 * t - 2) ** 2],
            lambda t: [4 * t, 4 - (4 * t - 2) ** 2],
        )
        yield f"2 parabolas{of}", False, curves(0.05, even, *parabolas)
    for noise in (0.02, 0.05, 0.1):
        yield f"moons, noise {noise:g}", True, moons(noise)
    for noise, factor in ((0.02, 0.7), (0.05, 0.5), (0.03, 0.8)):
        yield f"circles, factor {factor:g}", False, circles(noise, factor)
    yield "spiral, outliers", True, among_noise(spiral(2, 1.5, 0.15, True))
    yield "3 rings, outliers", False, among_noise(rings((1, 2, 3), 0.05, True))
    yield "line and blobs, outliers", True, among_noise(line_and_blobs(0.05, True))


def main() -> None:
    before = Rule("before", fewer, reach(1.5, 12, 2))
    after = Rule("chosen", fewer, reach(1.5, 12, 2, 16))
    names = [before.name, after.name, "Genie"]
    scores: dict[tuple[str, bool, int, str], list[float]] = {}
    for kind, first, make in kinds():
        for size in SIZES:
            for seed in range(SEEDS):
                X, y = make(size, np.random.RandomState(1000 * size + seed))
                data = DataSet(kind, X, y, "euclidean", kind, "thin")
                links = Links(data)
                found = (before.solve(links), after.solve(links), genie(data))
                for name, labels in zip(names, found):
                    if labels is not None:
                        scores.setdefault((kind, first, size, name), []).append(data.ari(labels))

    def mean(wanted: Callable[[str, bool, int, str], bool]) -> str:
        found = [score for key, of in scores.items() if wanted(*key) for score in of]
        return f"{fmean(found):.1f}" if found else "–"

    rows = []
    for first, half in ((True, "first half"), (False, "second half")):
        for name in names:
            cells = [
                mean(lambda _, f, s, n, size=size: (f, s, n) == (first, size, name)) for size in SIZES
            ]
            every = mean(lambda _, f, s, n: (f, n) == (first, name))
            rows.append([f"{half}, {name}", *cells, every])
    print(markdown(["ARI", *map(str, SIZES), "all"], rows), end="\n\n")
    rows = []
    for kind, _, _ in kinds():
        cells = [mean(lambda k, _, s, n, name=name: (k, n) == (kind, name)) for name in names]
        rows.append([kind, *cells])
    print(markdown(["ARI", *names], rows))


if __name__ == "__main__":
    main()
