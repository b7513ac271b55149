"""A recommended number of clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._dendrogram import Dendrogram
from ._names import CLUSTERED
from ._repr import one_line


class Suggestion(NamedTuple):
    """The clusters that `Hierarchy.suggest` recommends."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each sample: N numbers."""
    n_clusters: int
    """The recommended number of clusters."""
    partition: int
    """The partition that agrees best with `labels`."""
    scores: NDArray[np.float64]
    """The score of each number of clusters that was considered: that of K at K - 2. Scores do not
    decide where the data is in more pieces without links between them than there are scores."""
    dendrogram: Dendrogram
    """All merges, so that other numbers of clusters cost nothing: `dendrogram.cut(K)`."""
    mixing: float
    """How much clusters are mixed at their borders, from 0 to 1: the share of links to other clusters
    that samples with such links have, of the least mixed of the large clusters."""
    has_clusters: bool | None
    """Whether the data has clusters at all: False where they are mixed as the parts of a single Gaussian
    are, of uniform noise or of a line, and None where too few samples, or too few that differ, tell."""

    @property
    def clustered(self) -> str:
        """`has_clusters` in words: "yes", "no" or "too few to tell"."""
        return CLUSTERED[2 if self.has_clusters is None else int(self.has_clusters)]
