"""Calls of a hierarchy, with the samples that they take."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from .._c.handle import Handle
from .._c.header import Options
from .._c.library import lib
from .._c.names import METRICS
from .._c.rewording import reworded
from .._c.run import ProgressCallback, run
from .._c.warnings import tell_of_call
from .arrays import NoSamples, Samples, optional_samples
from .other_metrics import OtherMetric, dense_rows
from .sparse import NoValues


class Calls:
    """The part of a `Hierarchy` that calls the library."""

    _handle: Handle
    _other: OtherMetric | None
    n_samples: Any

    @property
    def _n_columns(self) -> int:
        """The number of columns of the rows that the library compared; 0 where it compared distances alone."""
        return int(lib.finch_hierarchy_feature_count(self._handle))

    def _compared(self, X: ArrayLike | None) -> Any:
        """The samples as the library compared them; None where it compared distances alone."""
        if X is None and self._n_columns:
            raise TypeError("X is None: give the samples that were clustered")
        if self._other is None or X is None:
            return X
        if self._other.under is not None:
            return self._other.rows_of(X)
        self._expect_count(dense_rows(X))
        return None

    def _expect_count(self, rows: NDArray[Any]) -> None:
        """Refuses samples that are not as many as were clustered."""
        if len(rows) != self.n_samples:
            raise ValueError(f"X has {len(rows)} samples, and {self.n_samples} were clustered")

    def _samples_of(self, X: ArrayLike | None) -> Samples | NoSamples:
        """The samples as calls take them where there may be none."""
        return optional_samples(self._compared(X))

    def _counted(self, X: ArrayLike | None) -> Samples | NoValues:
        """The samples for a call that takes some; of distances alone it has the neighbours, and counts samples."""
        rows = self._compared(X)
        return NoValues(self.n_samples, 1) if rows is None else Samples(rows)

    def _run(
        self, options: Options, progress: ProgressCallback | None, function: Any, *arguments: Any
    ) -> None:
        """Calls a function of the library for this hierarchy, and warns of what it says against its result."""
        with reworded(*([] if self._other is None else [self._other.reworded])):
            run(options, progress, function, self._handle, *arguments)
            tell_of_call()

    def _expect_rows(self, what: str) -> None:
        """Refuses what takes samples where the hierarchy was made from distances alone."""
        if self._other is not None and self._other.under is None:
            raise ValueError(
                f"{what} takes samples under a metric of the library, and this hierarchy has"
                f" {self._other.name!r}: cluster under one of {', '.join(METRICS)}, haversine or correlation"
            )
        if self._n_columns == 0:
            raise ValueError(
                f"{what} takes samples, and this hierarchy was made from distances or neighbours alone: cluster"
                " those of all samples anew"
            )
