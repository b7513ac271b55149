"""FINCH as an estimator of scikit-learn, which has to be installed."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    from joblib import cpu_count, effective_n_jobs
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        TransformerMixin,
    )
    from sklearn.metrics import pairwise_distances
    from sklearn.utils import validation
    from sklearn.utils.validation import check_array, check_is_fitted
except ImportError as error:
    raise ImportError(
        "FINCH is an estimator of scikit-learn: `pip install scikit-learn`, or call"
        " finch_clustering.cluster, which does without"
    ) from error

from . import _numbering
from ._bar import ProgressBar
from ._cluster import cluster
from ._frames import matrix_of
from ._hierarchy import Hierarchy
from ._run import ProgressCallback


class FINCH(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Clustering by first neighbours, without a parameter, as an estimator of scikit-learn.

    Parameters
    ----------
    n_clusters : int, default=None
        Exactly so many clusters, by merging with `linkage`. With None, the clusters are those of
        `partition`.
    metric : {"euclidean", "cosine", "manhattan"}, default="euclidean"
        The distance of samples.
    linkage : {"neighbor", "centroid", "ward"}, default="neighbor"
        How clusters merge to `n_clusters`: see `Hierarchy.refine`.
    partition : int, default=0
        The partition that `labels_` has where `n_clusters` is None: 0 is the finest, -1 the
        coarsest.
    link_bound : {"none", "first-neighbor"}, default="none"
        "first-neighbor" as in the paper's published tables: see `cluster`.
    search : str, default="auto"
        How neighbours are searched: see `cluster`.
    recall : float, default=0.99
        The share of neighbours that an approximate search is to find.
    time_limit : float, default=None
        Seconds that searching may take.
    seed : int, default=0
        For the random choices of an approximate search. An exact search makes none.
    n_jobs : int, default=None
        The number of threads. None and -1 are all cores, or those that joblib leaves to a worker.
        Results do not depend on it.
    verbose : int, default=0
        1 says which search ran, and draws a progress bar where tqdm is installed.
    progress : callable, default=None
        Is called with a `Progress` about twenty times a second; a true value stops the run with
        `Cancelled`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample. Clusters are numbered from the largest to the smallest, and
        equally large ones by their smallest row, so that shuffled samples get the same numbers.
    n_clusters_ : int
        The number of clusters.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The labels of all partitions, the finest first, numbered by first appearance.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The mean of each cluster.
    explanation_ : str
        Which search found the first neighbours, and why.
    recall_ : float
        The share of first neighbours that the search found: 1 after an exact search.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the features, if X is a table with names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> group = np.array([[0.0, 0.1], [0.2, 0.0], [0.5, 0.1], [0.9, 0.0]])
    >>> X = np.concatenate([group, group + [5.0, 5.0], group + [9.0, 0.0]])
    >>> FINCH().fit_predict(X)
    array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
    >>> FINCH(n_clusters=2).fit(X).cluster_centers_.round(3)
    array([[7.4  , 2.55 ],
           [0.4  , 0.05 ]])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: str = "euclidean",
        linkage: str = "neighbor",
        partition: int = 0,
        link_bound: str = "none",
        search: str = "auto",
        recall: float = 0.99,
        time_limit: float | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: ProgressCallback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.linkage = linkage
        self.partition = partition
        self.link_bound = link_bound
        self.search = search
        self.recall = recall
        self.time_limit = time_limit
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def fit(self, X: ArrayLike, y: Any = None) -> FINCH:
        """Clusters the rows of X, N x d: an array, or a table of pandas, polars or Arrow."""
        for what in ("n_clusters", "partition"):
            value = getattr(self, what)
            if not isinstance(value, Integral) and not (what == "n_clusters" and value is None):
                raise TypeError(f"{what} is {value!r}: give an integer")
        X = self._checked(X, reset=True)
        with ProgressBar(self.progress, disable=not self.verbose) as progress:
            hierarchy = cluster(
                X,
                metric=self.metric,
                link_bound=self.link_bound,
                search=self.search,
                refinable=self.n_clusters is not None and self.linkage == "neighbor",
                threads=self._threads(),
                recall=self.recall,
                seed=self.seed,
                time_limit=self.time_limit,
                progress=progress,
            )
            labels = self._labels_of(hierarchy, X, progress)
        if self.verbose:
            print(hierarchy.explanation)
        self.partitions_ = hierarchy.labels
        self.explanation_ = hierarchy.explanation
        self.recall_ = hierarchy.recall
        self.labels_ = _numbering.by_size(labels, X)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.cluster_centers_ = _means(X, self.labels_, self.n_clusters_)
        return self

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """The distance of each row of X to the mean of each cluster: M x n_clusters_."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return pairwise_distances(
            np.asarray(X, np.float64), self.cluster_centers_, metric=self.metric
        )

    def _labels_of(
        self, hierarchy: Hierarchy, X: NDArray[Any], progress: ProgressCallback
    ) -> NDArray[np.int32]:
        """The labels that the parameters ask for."""
        if self.n_clusters is None:
            return hierarchy[self.partition]
        return hierarchy.refine(
            X,
            self.n_clusters,
            linkage=self.linkage,
            threads=self._threads(),
            progress=progress,
        )

    def _checked(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """X as an array, after the checks of scikit-learn; of a table the names are noted, too."""
        array = check_array(matrix_of(X), dtype="numeric", estimator=self, input_name="X")
        if hasattr(validation, "validate_data"):
            validation.validate_data(self, X, reset=reset, skip_check_array=True)
        else:  # scikit-learn below 1.6
            self._check_feature_names(X, reset=reset)
            self._check_n_features(X, reset=reset)
        return array

    def _threads(self) -> int:
        """The number of threads as the library counts them; 0 are all cores, in one pool."""
        threads = effective_n_jobs(-1 if self.n_jobs is None else self.n_jobs)
        return 0 if threads >= cpu_count() else threads

    @property
    def _n_features_out(self) -> int:
        """The number of columns that `transform` makes."""
        return self.n_clusters_


def _means(X: NDArray[Any], labels: NDArray[np.int32], clusters: int) -> NDArray[np.float64]:
    """The mean of each cluster, summed in float64."""
    sums = [np.bincount(labels, column, clusters) for column in X.T]
    return np.stack(sums, axis=1) / np.bincount(labels, minlength=clusters)[:, None]
