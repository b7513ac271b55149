"""Metrics beyond those of the library: other rows under a metric of the library, or all distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.errors import Error
from .._c.names import METRIC_ALIASES, METRICS
from .arrays import Samples
from .sparse import is_sparse

MOST_ROWS = 20_000
"""The most rows of which a matrix of all distances is made: it takes 3.2 GB."""

BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule")
"""Metrics of SciPy for samples of True and False, or 1 and 0."""

BY_MATRIX = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "dice",
    "jensenshannon",
    "mahalanobis",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalmichener",
    "sokalsneath",
    "sqeuclidean",
    "yule",
)
"""Metrics of SciPy that the library does not have."""

# A row without its mean is all zeros where the row is constant.
_OF_CORRELATION = (
    ("is all zeros, which has no direction", "is constant, which has no direction"),
    ("are all zeros, which have no direction", "are constant, which have no direction"),
    ("zeros have no direction", "constant rows have no direction"),
    ("cosine", "correlation"),
)

VALUES_OF_BLOCK = 2_000_000
"""The values of rows that are compared between two looks at whether the user has pressed Ctrl-C: some 10 ms."""

MOST_VALUE = 1e140
"""The largest value of the library, of which squares add up."""

SLACK = 1e-6
"""The distance beyond a pole that a latitude may have, in radians: rounding of float32."""


class OtherMetric(NamedTuple):
    """A metric that the library does not have."""

    name: str
    """The name of the metric; of a function that of the function."""
    under: str | None
    """The metric of the library under which `rows_of` has the same order of distances, or None where
    there are no such rows and distances of all pairs are taken."""

    def rows_of(self, X: ArrayLike) -> Any:
        """The rows that the library compares: N x 3 chords, or N x d centred rows."""
        return chords(X) if self.name == "haversine" else _centred(X)

    def distances_of(
        self, rows: NDArray[np.float64], others: NDArray[np.float64], lengths: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The distances by this metric of pairs of `rows_of`; `lengths` are those of the library."""
        if self.name != "haversine":
            return lengths
        # Kahan's formula, exact also for points that are opposite, where arcsin loses half of the digits.
        apart, along = np.linalg.norm(rows - others, axis=-1), np.linalg.norm(rows + others, axis=-1)
        return 2 * np.arctan2(apart, along)

    def reworded(self, sentence: str) -> str:
        """The message of the library on `rows_of`, about the rows of X."""
        if self.name == "correlation":
            for said, meant in _OF_CORRELATION:
                sentence = sentence.replace(said, meant)
        return sentence


def means_of(
    metric: OtherMetric, X: ArrayLike, labels: NDArray[np.int32], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The mean of each cluster in the coordinates of X, weighted by N weights if there are some: C x d. Of haversine
    it is the point below the mean in space."""
    if metric.name == "haversine":
        x, y, z = sums_of(chords(X), labels, weights).T
        return np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)], axis=1)
    return sums_of(dense_rows(X), labels, weights) / np.bincount(labels, weights)[:, None]


def sums_of(
    rows: NDArray[Any], labels: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The sum of the rows of each cluster, of N x d, each times its weight if there are some: C x d."""
    weighted = rows.T if weights is None else (column * weights for column in rows.T)
    return np.stack([np.bincount(labels, column) for column in weighted], axis=1)


BY_ROWS = {
    "haversine": OtherMetric("haversine", "euclidean"),
    "correlation": OtherMetric("correlation", "cosine"),
}


def other_metric(metric: Any) -> OtherMetric | None:
    """The metric if it is one that the library does not have, and None otherwise."""
    if isinstance(metric, str) and metric in METRICS:
        return None
    if callable(metric) and not isinstance(metric, str):
        return OtherMetric(getattr(metric, "__name__", type(metric).__name__), None)
    if not isinstance(metric, str):
        return None
    if metric in BY_ROWS:
        return BY_ROWS[metric]
    return OtherMetric(metric, None) if metric in BY_MATRIX else None


def chords(X: ArrayLike) -> NDArray[np.float64]:
    """Points of a sphere as rows whose Euclidean distances are chords: N x 2 to N x 3.

    X: latitude and longitude of each point, in radians. The chord c of two points of the unit sphere rises
    with the angle between them, 2 arcsin(c / 2), which is haversine's distance, so that first neighbours
    are the same; means are those of points in space.

    Errors: a ValueError for rows that are not pairs, and for latitudes beyond the poles, as degrees are.

    >>> chords([[0.0, 0.0], [np.pi / 2, 1.0]]).round(3) + 0.0
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    points = dense_rows(X)
    if points.shape[1] != 2:
        raise ValueError(
            f"X has {points.shape[1]} columns where haversine takes 2, latitude and longitude in radians"
        )
    _expect_finite(points)
    beyond = ~(np.abs(points[:, 0]) <= np.pi / 2 + SLACK)
    if beyond.any():
        row = int(beyond.argmax())
        raise ValueError(
            f"X has the latitude {points[row, 0]:.6g} in row {row}, where haversine takes radians, from"
            " -pi/2 to pi/2: give numpy.radians(X) of degrees, latitude first"
        )
    latitude, longitude = points.T
    level = np.cos(latitude)
    return np.stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)], axis=1)


def _centred(X: ArrayLike) -> NDArray[np.float64]:
    """Each row without its mean, as `correlation` compares it under cosine."""
    # The sum of a row, as NumPy rounds it, hangs on how the rows lie in memory.
    rows = np.ascontiguousarray(dense_rows(X))
    # Here, since the library would name values and columns of centred rows.
    sound = np.abs(rows) <= MOST_VALUE
    if not sound.all():
        row, column = np.argwhere(~sound)[0].tolist()
        value, place = rows[row, column], f"at row {row}, column {column} (from 0)"
        if np.isfinite(value):
            raise Error(
                f"the value {value:g} {place} is too large for squared distances: rescale that feature",
                "FINCH_VALUE_TOO_LARGE",
            )
        told = f"the value {place} is {value}: remove or impute it, distances need finite numbers"
        raise Error(told.replace("nan", "NaN"), "FINCH_NON_FINITE")
    centred = rows - rows.mean(axis=1, keepdims=True)
    # The mean of equal values may be rounded, and what is left would have a direction.
    centred[(rows == rows[:, :1]).all(axis=1)] = 0
    return centred


def dense_rows(X: ArrayLike) -> NDArray[np.float64]:
    """X as an array of float64, N x d, also where it is sparse."""
    array = X.toarray() if is_sparse(X) else Samples(X).array
    return np.asarray(getattr(array, "unpacked", lambda: array)(), np.float64)


def _expect_finite(rows: NDArray[np.float64]) -> None:
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(f"X has {rows[row, column]} in row {row}, column {column}: give finite numbers")


def expect_few(rows: int, name: str) -> None:
    """Refuses as many rows as a matrix of all distances does not serve."""
    if rows > MOST_ROWS:
        raise ValueError(
            f"metric {name!r} takes a matrix of all distances, for at most {MOST_ROWS:,} rows, and X has"
            f" {rows:,}: take one of {', '.join(METRICS)}, haversine or correlation, or give the nearest"
            " neighbours of each row to finch_clustering.cluster_neighbors"
        )


def nearest_by(
    X: ArrayLike, k: int, metric: str | Callable[..., float]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The k nearest other rows by a matrix of all distances, N x k each; of equally near ones the first."""
    distances = distance_matrix(X, metric)
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order.astype(np.int32), np.take_along_axis(distances, order, axis=1)


def distance_matrix(X: ArrayLike, metric: str | Callable[..., float]) -> NDArray[np.float64]:
    """The distances of all pairs of rows by a metric of SciPy, or a function of two rows: N x N."""
    try:
        from scipy.spatial.distance import pdist, squareform
    except ImportError as error:
        raise ImportError(
            f"metric {metric!r} is one of SciPy: `pip install scipy`, or take one of {', '.join(METRICS)}"
        ) from error
    rows = dense_rows(X)
    name = metric.__name__ if hasattr(metric, "__name__") else str(metric)
    expect_few(len(rows), name)
    if rows.shape[1] == 0:
        raise ValueError("X has no features: give one column at least")
    _expect_finite(rows)
    if isinstance(metric, str):
        metric = METRIC_ALIASES.get(metric, metric)
        metric = "cityblock" if metric == "manhattan" else metric
    if metric == "haversine":
        points = chords(rows)
        return BY_ROWS["haversine"].distances_of(points[:, None], points, np.empty(0))
    if isinstance(metric, str):
        found = _distances_in_blocks(rows, metric)
    else:
        found = squareform(np.asarray(pdist(rows, metric), np.float64))
    if not np.isfinite(found).all():
        raise ValueError(
            f"metric {name!r} is not finite for some pairs of rows, as of rows of zeros, for too few rows, or where"
            " a column is constant: leave such rows or columns out, or take another metric"
        )
    return found


def _distances_in_blocks(rows: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """The distances of all pairs of rows by a metric of SciPy: N x N.

    SciPy's `pdist` heeds Ctrl-C only when it ends. Here Ctrl-C is heeded between two blocks.
    """
    from scipy.spatial.distance import cdist

    count, features = rows.shape
    options = _over_all_rows(rows, metric)
    rows = _as_taken(rows, metric)
    found = np.zeros((count, count))
    at_once = max(1, VALUES_OF_BLOCK // max(1, count * features))
    for start in range(0, count, at_once):
        end = min(start + at_once, count)
        found[start:end, start:] = cdist(rows[start:end], rows[start:], metric, **options)
        # Both distances of a pair are in here, and may differ by a rounding.
        square = found[start:end, start:end]
        square[:] = np.triu(square, 1)
        square += square.T.copy()
    # Whole rows, too: a few columns of all rows would have the system zero all of the matrix in one call.
    for start in range(0, count, at_once):
        end = min(start + at_once, count)
        found[start:end, :start] = found[:start, start:end].T
    return found


def distances_between(
    X: NDArray[Any], rows: NDArray[Any], metric: str | Callable[..., float]
) -> NDArray[np.float64]:
    """The distance of each row of X, M x d, to each of `rows`, N x d, by a metric of SciPy: M x N. Variances
    that a metric takes are those of `rows`."""
    from scipy.spatial.distance import cdist

    if not isinstance(metric, str):
        return cdist(X, rows, metric)
    return cdist(_as_taken(X, metric), _as_taken(rows, metric), metric, **_over_all_rows(rows, metric))


def _as_taken(rows: NDArray[Any], metric: str) -> NDArray[Any]:
    """The rows as a metric of SciPy takes them: of True and False for a metric of such samples.

    Errors: FINCH_NOT_BINARY for such a metric where a value is neither 0 nor 1. SciPy would take it as 1.
    """
    if metric not in BOOLEAN:
        return rows
    others = (rows != 0) & (rows != 1)
    if others.any():
        row, column = np.argwhere(others)[0].tolist()
        raise Error(
            f"{metric} takes samples of 0 and 1, and row {row}, column {column} (from 0) is"
            f" {rows[row, column]:.6g}: give X != 0, if that is what is meant",
            "FINCH_NOT_BINARY",
        )
    return rows != 0


def _over_all_rows(rows: NDArray[np.float64], metric: str) -> dict[str, Any]:
    """The variances of columns, or the inverse covariances, for a metric of SciPy that takes them of all rows."""
    if metric == "seuclidean":
        return {"V": np.var(rows, axis=0, ddof=1)}
    if metric != "mahalanobis":
        return {}
    count, features = rows.shape
    if count <= features:
        raise ValueError(
            f"metric 'mahalanobis' takes more rows than columns, and X has {count} and {features}: give fewer"
            " columns, such as main axes"
        )
    try:
        return {"VI": np.linalg.inv(np.atleast_2d(np.cov(rows.T))).T}
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "metric 'mahalanobis' takes columns of which none is constant, or a sum of multiples of others: leave"
            " such columns out, or give main axes"
        ) from error
