"""The parameters of the estimator, checked, and as the library takes them."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.utils import check_random_state

from .._c.names import LINKAGES, METRIC_ALIASES, METRICS, SMALL_CLUSTERS, number_of
from .._c.options import count
from .._c.rewording import Reword
from .._input.missing import check_missing
from .._input.other_metrics import other_metric


class Parameters:
    """The part of `FINCH` that reads its parameters."""

    n_clusters: Any
    metric: Any
    linkage: str
    partition: Any
    small: str
    missing: str
    seed: int
    random_state: Any
    n_jobs: Any

    def _check_parameters(self) -> None:
        """Refuses parameters that are not of their type, and names that there are not, used or not; all else is
        checked where it is used."""
        if self.n_clusters is not None and not is_whole(self.n_clusters):
            raise TypeError(f"n_clusters is {self.n_clusters!r}: give an integer, or None")
        if not is_whole(self.partition) and self.partition != "suggest":
            raise TypeError(f"partition is {self.partition!r}: give an integer, or 'suggest'")
        number_of("linkage", LINKAGES, self.linkage)
        number_of("treatment of small clusters", SMALL_CLUSTERS, self.small)
        check_missing(self.missing)
        if self.missing == "label" and self._takes_distances():
            other = other_metric(self.metric)
            name = self.metric if other is None else other.name
            raise ValueError(
                f"missing='label' does not go with metric {name!r}:"
                " leave such rows out"
            )

    def _metric(self) -> Any:
        """The metric of the library under which rows are compared."""
        other = other_metric(self.metric)
        under = self.metric if other is None else other.under
        return METRIC_ALIASES.get(under, under) if isinstance(under, str) else under

    def _words(self) -> tuple[Reword, ...]:
        """The message of the library on the rows that it compares, about those of X."""
        other = other_metric(self.metric)
        return () if other is None else (other.reworded,)

    def _takes_distances(self) -> bool:
        """True if distances of all pairs are clustered, and not rows."""
        other = other_metric(self.metric)
        return self._is_precomputed() or (other is not None and other.under is None)

    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _expect_samples(self, what: str) -> None:
        """Refuses what takes means or samples where there are distances alone."""
        if self._takes_distances():
            raise AttributeError(
                f"{what} takes samples under a metric of the library, and the metric is {self.metric!r}:"
                f" fit with one of {', '.join(METRICS)}, haversine or correlation"
            )

    def _seed(self) -> int:
        """The seed that the library takes."""
        if self.random_state is None:
            return self.seed
        if isinstance(self.random_state, Integral):
            return count("random_state", self.random_state, bits=64)
        return int(check_random_state(self.random_state).randint(2**31))

    def _links_neighbors(self) -> bool:
        """True if labels come from neighbour linkage."""
        if self.n_clusters is None:
            return self.partition == "suggest"
        return self.linkage in ("auto", "neighbor")

    def _threads(self) -> int:
        """The number of threads as the library counts them; 0 are all cores, in one pool."""
        if self.n_jobs is not None and not is_whole(self.n_jobs):
            raise TypeError(f"n_jobs is {self.n_jobs!r}: give a whole number, -1 for all cores, or None")
        threads = effective_n_jobs(-1 if self.n_jobs is None else self.n_jobs)
        return 0 if threads >= cpu_count() else threads

    def _labels_missing(self) -> bool:
        """True if rows with missing values get the label -1."""
        return self.missing == "label" and not self._takes_distances()


def is_whole(value: Any) -> bool:
    """True for an integer; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
