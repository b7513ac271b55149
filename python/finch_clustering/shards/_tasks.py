"""The tasks of workers on shards: functions of their arguments alone, which change none of these, so that
a task that was lost with its worker runs again and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._c.warnings import warn
from .._input.exact import is_element
from .._neighbors import (
    NeighborsBetween,
    add_to_sums,
    components,
    first_neighbors,
    keys_to_distances,
    neighbors_between,
)
from ._cells import Cells, Searching, cells_of
from ._sources import Selection, ShardError, Source, about, chunks_of, rows_of, saved, select

Piece = Selection | NDArray[Any]


class Shape(NamedTuple):
    """A shard, as the driver knows it."""

    rows: int
    columns: int
    dtype: str


class Firsts(NamedTuple):
    """The nearest row found for each row of a shard, or for each of some means."""

    index: NDArray[np.int64]
    """Its number in the whole data; -1 where none was found."""
    distance: NDArray[np.float64]


def shape_of(source: Source, name: str) -> Shape:
    rows = rows_of(source)
    if not isinstance(rows, np.ndarray) or rows.ndim != 2:
        raise ShardError(f"{name} is no matrix of rows")
    if not is_element(rows.dtype):
        raise ShardError(f"{name} has dtype {rows.dtype}: convert it to float32 or float64")
    if 0 in rows.shape:
        raise ShardError(f"{name} is {rows.shape[0]} x {rows.shape[1]}: leave it out")
    return Shape(rows.shape[0], rows.shape[1], rows.dtype.name)


# All pairs of shards.


def between(
    queries: Source,
    first_query: int,
    base: Source,
    first_base: int,
    names: tuple[str, str],
    searching: Searching,
) -> Firsts:
    """The nearest row of one shard for each row of another, or of the same."""
    of_queries, of_base = rows_of(queries), rows_of(base)
    with about(" and ".join(dict.fromkeys(names))):
        found = neighbors_between(
            of_queries,
            of_base,
            1,
            query_numbers=np.arange(first_query, first_query + len(of_queries)),
            base_numbers=np.arange(first_base, first_base + len(of_base)),
            metric=searching.metric,
            threads=searching.threads,
        )
    # By key, since two keys may round to one distance.
    return Firsts(found.index[:, 0], found.key[:, 0])


def nearest_of(found: Sequence[Firsts]) -> Firsts:
    """The nearest of all, the smallest number of equally near."""
    index, distance = (np.array(each) for each in found[0])
    for other in found[1:]:
        equal = other.distance == distance
        nearer = (other.distance < distance) | (equal & (other.index < index))
        index[nearer], distance[nearer] = other.index[nearer], other.distance[nearer]
    return Firsts(index, distance)


def best(found: Sequence[Firsts], metric: str) -> Firsts:
    """The nearest of all, by keys as `nearest_of` has it; and keys as distances."""
    index, key = nearest_of(found)
    none = index < 0
    distance = keys_to_distances(np.where(none, 0, key), metric=metric)
    return Firsts(index, np.where(none, np.inf, distance))


# Cells.


class Found(NamedTuple):
    """The neighbours that a cell has for some rows of a shard."""

    rows: NDArray[np.intp]
    """Their numbers in the shard."""
    index: NDArray[np.int64]
    distance: NDArray[np.float64]


def rows_at(source: Source, numbers: NDArray[np.intp], name: str) -> NDArray[Any]:
    rows = np.array(rows_of(source)[numbers])
    for row, column in np.argwhere(~np.isfinite(rows))[:1].tolist():
        # As the library says it, but it would number the rows of the sample.
        raise ShardError(
            f"{name}: the value at row {numbers[row]}, column {column} (from 0) is"
            f" {rows[row, column]}: remove or impute it, distances need finite numbers"
        )
    return rows


def stacked(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts)


def cells_around(
    sample: Sequence[NDArray[Any]],
    asked: Sequence[NDArray[Any]],
    nearest: Sequence[NDArray[Any]],
    order: NDArray[np.intp],
    largest: float,
    searching: Searching,
) -> list[Any]:
    """The number of cells, and the cells: by parts of a sample, of rows that are asked, and of the rows
    nearest to these, each at its place of `order`."""
    of_asked = np.concatenate(nearest)[order]
    cells = cells_of(stacked(sample), stacked(asked), of_asked, largest, searching)
    return [cells.number, cells]


def inside(source: Source, cells: Cells, name: str, searching: Searching) -> NDArray[np.int32]:
    """The cells that each row of a shard is in: see `Cells.of`."""
    with about(name):
        return cells.of(rows_of(source), searching)


def in_cell(
    source: Source, inside: NDArray[np.int32], cell: int
) -> tuple[NDArray[np.intp], Piece]:
    """The rows of a shard that are in a cell, and their numbers in the shard."""
    numbers = np.flatnonzero((inside == cell).any(axis=1))
    return numbers, select(source, numbers)


def search_cell(
    pieces: Sequence[tuple[NDArray[np.intp], Piece]],
    starts: Sequence[int],
    shape: Shape,
    searching: Searching,
) -> list[Found]:
    """First neighbours among the rows of a cell, for the rows of each shard."""
    ends = np.cumsum([len(numbers) for numbers, _ in pieces])
    rows = np.empty((ends[-1], shape.columns), shape.dtype)
    for end, (numbers, piece) in zip(ends, pieces):
        for part, some in chunks_of(piece):
            rows[end - len(numbers) :][part] = some
    if len(rows) < 2:
        nothing = np.empty(0, np.int64), np.empty(0)
        return [Found(np.empty(0, np.intp), *nothing) for _ in pieces]
    whole = np.concatenate([start + numbers for start, (numbers, _) in zip(starts, pieces)])
    found = first_of(rows, searching.within_cells())
    parts = [np.split(each, ends[:-1]) for each in (whole[found.index], found.distance)]
    return [
        Found(numbers, index, distance)
        for (numbers, _), index, distance in zip(pieces, *parts)
    ]


def first_of(rows: NDArray[Any], searching: Searching) -> Any:
    """First neighbours of rows that are all there."""
    approximate = searching.recall < 1 and searching.metric in ("euclidean", "cosine")
    return first_neighbors(
        rows,
        metric=searching.metric,
        search="approximate" if approximate else "auto",
        recall=searching.recall,
        seed=searching.seed,
        threads=searching.threads,
    )


def best_of_cells(rows: int, found: Sequence[Found]) -> Firsts:
    """The nearest of what was found in the cells that each row of a shard is in."""
    index, distance = np.full(rows, -1, np.int64), np.full(rows, np.inf)
    for members, other, far in found:
        nearer = (far < distance[members]) | ((far == distance[members]) & (other < index[members]))
        index[members[nearer]], distance[members[nearer]] = other[nearer], far[nearer]
    return Firsts(index, distance)


def distances_at(firsts: Firsts, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    return firsts.distance[rows]


def between_rows(
    rows: NDArray[Any],
    numbers: NDArray[np.int64],
    base: Source,
    first_base: int,
    name: str,
    searching: Searching,
) -> Firsts:
    """The nearest row of a shard for each of some rows from anywhere."""
    of_base = rows_of(base)
    with about(name):
        found: NeighborsBetween = neighbors_between(
            rows,
            of_base,
            1,
            query_numbers=numbers,
            base_numbers=np.arange(first_base, first_base + len(of_base)),
            metric=searching.metric,
            threads=searching.threads,
        )
    return Firsts(found.index[:, 0], found.key[:, 0])


# A level that fits.


def search_whole(sources: Sequence[Source], names: Sequence[str], searching: Searching) -> Firsts:
    rows = np.concatenate([rows_of(source) for source in sources])
    if len(rows) == 1:
        return Firsts(np.full(1, -1), np.full(1, np.inf))
    with about(names[0] if len(names) == 1 else f"shards {names[0]} to {names[-1]}"):
        found = first_neighbors(
            rows,
            metric=searching.metric,
            recall=searching.recall,
            seed=searching.seed,
            threads=searching.threads,
        )
    return Firsts(found.index.astype(np.int64), found.distance)


# Components and means.


def numbers_of(firsts: Firsts) -> NDArray[np.int32]:
    return firsts.index.astype(np.int32)


def joined(first: Sequence[NDArray[np.int32]], rows: Sequence[int]) -> list[Any]:
    """The number of clusters, then the labels of each shard of so many rows."""
    labels = labels_of(np.concatenate(first))
    return [int(labels.max()) + 1, *np.split(labels, np.cumsum(rows)[:-1])]


def labels_of(first: NDArray[np.int32]) -> NDArray[np.int32]:
    """The components of first neighbours, by first appearance. A row without one (-1) is alone: the only
    row of zeros under cosine, which is nobody's neighbor."""
    linked = first >= 0
    # Each row by the number of the first row of its cluster.
    labels = np.arange(len(first), dtype=np.int32)
    if linked.any():
        rows = np.flatnonzero(linked)
        places = np.cumsum(linked, dtype=np.int32) - 1
        of_linked = components(places[first[rows]])
        labels[rows] = rows[np.unique(of_linked, return_index=True)[1]][of_linked]
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int32)


def merged(labels: NDArray[np.int32], of_clusters: NDArray[np.int32]) -> NDArray[np.int32]:
    return of_clusters[labels]


def itself(value: Any) -> Any:
    """A value that many tasks take, brought to the workers once."""
    return value


def counted(
    before: NDArray[np.int64] | None, labels: NDArray[np.int32], clusters: int
) -> NDArray[np.int64]:
    """The number of rows of each cluster, with those of some shards before."""
    counts = np.bincount(labels, minlength=clusters)
    return counts if before is None else before + counts


def nearest_means(
    source: Source, means: Source, first: int, name: str, searching: Searching
) -> Firsts:
    """The nearest mean of a range for each row of a shard, by its key."""
    base = rows_of(means)
    rows = rows_of(source).astype(base.dtype, copy=False)
    with about(name):
        found = searching.nearest(rows, base, 1)
    index = found.index[:, 0]
    return Firsts(np.where(index < 0, -1, first + index), found.key[:, 0])


def labels_at(nearest: Firsts, of_means: NDArray[np.int32], name: str) -> NDArray[np.int32]:
    """The cluster of the nearest mean of each row. Warns, in the process of the task, of rows without one."""
    # A row without a direction is equally far from all means: the first counts.
    alone = np.flatnonzero(nearest.index < 0)
    if len(alone):
        warn(
            f"no mean is near {len(alone)} of the {len(nearest.index)} rows of {name}, the first is row"
            f" {alone[0]} (from 0), since zeros have no direction under cosine, and their labels mean"
            " nothing: leave them out"
        )
    return of_means[np.maximum(nearest.index, 0)]


def rows_in_ranges(labels: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of rows of a shard in each range of clusters."""
    return np.bincount(np.searchsorted(bounds, labels, "right") - 1, minlength=len(bounds) - 1)


def in_range(
    source: Source, labels: NDArray[np.int32], low: int, high: int
) -> tuple[NDArray[np.int32], Piece]:
    """The rows of a shard in the clusters from low up to high, and their clusters from there."""
    numbers = np.flatnonzero((labels >= low) & (labels < high))
    return labels[numbers] - np.int32(low), select(source, numbers)


class Sums(NamedTuple):
    sums: NDArray[np.float64]
    sizes: NDArray[np.int64]
    lengths: NDArray[np.float64]
    """The lengths of the rows, added up."""


# The rounding error of a row of a type, as a share of its length, twice over. Sums of whole numbers are exact.
ROUNDING = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10}


def lengths_of(rows: NDArray[Any]) -> NDArray[np.float64]:
    largest = np.abs(rows).max(axis=1, initial=0).astype(np.float64)
    unit = np.where(largest > 0, largest, 1.0)
    return unit * np.sqrt(np.square(rows / unit[:, None]).sum(axis=1))


def sums_of(
    before: Sums | None,
    pieces: Sequence[tuple[NDArray[np.int32], Piece]],
    shape: tuple[int, int],
    searching: Searching,
) -> Sums:
    """Sums of clusters, continued by the rows of some more shards in their order."""
    if before is None:
        sums, sizes, lengths = np.zeros(shape), np.zeros(shape[0], np.int64), np.zeros(shape[0])
    else:
        sums, sizes, lengths = (each.copy() for each in before)
    for labels, piece in pieces:
        for part, rows in chunks_of(piece):
            if len(rows) > 0:
                add_to_sums(rows, labels[part], sums, sizes, threads=searching.threads)
                if searching.metric == "cosine" and rows.dtype.name in ROUNDING:
                    # One by one, in the order of rows, so that the sum does not depend on the parts.
                    np.add.at(lengths, labels[part], lengths_of(rows))
    return Sums(sums, sizes, lengths)


def dtype_of_means(dtype: str) -> str:
    """The dtype of means of rows of a dtype: float64 of float64, and float32 of all others."""
    return "float64" if dtype == "float64" else "float32"


def means_of(sums: Sums, dtype: str, path: str | None) -> Source:
    """Means as the library keeps them."""
    means = sums.sums / sums.sizes[:, None]
    # Under cosine a mean that is within rounding of 0 has no direction: it is taken for 0, as the library does.
    rounding = ROUNDING.get(dtype, 0.0) + sums.sizes * 2.0**-53
    means[lengths_of(sums.sums) <= rounding * sums.lengths] = 0
    return saved(means.astype(dtype_of_means(dtype), copy=False), path)
