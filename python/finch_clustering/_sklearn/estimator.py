"""FINCH as an estimator of scikit-learn, which has to be installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    from scipy.sparse import csr_array
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        TransformerMixin,
    )
    from sklearn.metrics import pairwise_distances
    from sklearn.utils import validation
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_array, check_is_fitted
except ImportError as error:
    raise ImportError(
        "FINCH is an estimator of scikit-learn: `pip install scikit-learn`, or call"
        " finch_clustering.cluster, which does without"
    ) from error

from .._c.names import BIT_METRICS
from .._c.rewording import by_rows, reworded
from .._c.run import ProgressCallback
from .._c.warnings import TIES, untold
from .._cluster import cluster, cluster_distances
from .._description import describe
from .._hierarchy import Hierarchy
from .._input.arrays import refuse_masked
from .._input.bits import Bits
from .._input.distances import distances_to
from .._input.frames import kept_rows, matrix_of
from .._input.labels import by_appearance
from .._input.means import means
from .._input.missing import complete_rows, labels_of_all, refused_as_missing
from .._input.other_metrics import distance_matrix, distances_between, expect_few, other_metric
from .._input.sparse import is_sparse
from .._model import Model
from .._c.progress_bar import ProgressBar
from .._scores import score
from . import numbering as _numbering
from . import sparse_order as _sparse_order
from .order import checked_weights, rows_to_cluster, sorted_rows
from .parameters import Parameters


class FINCH(Parameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Clustering by first neighbours, without a parameter, as an estimator of scikit-learn.

    `FINCH()` takes the number of clusters that fits best, `FINCH(n_clusters=K)` makes exactly K, and
    `FINCH(partition=p)` takes partition p of the hierarchy; 0 is the finest. Every sample is in a cluster: no
    label is -1, unless `min_cluster_size`, `outliers`, `outlier_threshold` or `missing` ask for it.

    Parameters
    ----------
    n_clusters : int, default=None
        Exactly so many clusters, by merging with `linkage`: the suggested ones only if that is "neighbor",
        or "auto" takes it. With None, the clusters are those of `partition`.
    metric : str or callable, default="euclidean"
        The distance of samples, as in `cluster`: "euclidean", "cosine", "manhattan", "hamming",
        "jaccard"; "haversine" and "correlation", under which the rows that the estimator keeps are chords,
        N x 3, or rows without their means; or a name of SciPy, or a function of two rows, for 20,000 rows
        at most. With "precomputed" X are the distances of all pairs, N x N, in `fit`, and those to the
        samples of `fit`, M x N, in `predict`.
    linkage : {"auto", "neighbor", "means", "centroid", "ward"}, default="auto"
        The clusters that merge first on the way to `n_clusters`: see `Hierarchy.refine`.
    partition : "suggest" or int, default="suggest"
        The clusters that `labels_` has where `n_clusters` is None: as many as `Hierarchy.suggest`
        recommends, or those of a partition; 0 is the finest, -1 the coarsest.
    link_bound : {"none", "first-neighbor", "joined-pair"}, default="none"
        The longest link that may merge clusters: see `cluster`.
    search : str, default="auto"
        The search for neighbours: see `cluster`.
    recall : float, default=0.99
        The share of neighbours that an approximate search is to find.
    min_cluster_size : int, default=None
        The least size of a cluster, in samples or the sum of their weights. Samples of smaller ones are noise,
        of label -1: of `n_clusters` clusters fewer are left.
    small : {"noise", "join"}, default="noise"
        With "join" clusters that are too small join others: see `Hierarchy.with_noise`.
    outliers : float, default=None
        The share of samples that are noise, those with the largest `outlier_scores_`.
    outlier_threshold : float, default=None
        The outlier score above which samples are noise.
    missing : {"error", "label"}, default="error"
        Rows with missing values are an error, or take no part and get the label -1. "label" does not go with
        "precomputed", a metric of SciPy or a function.
    time_limit : float, default=None
        Seconds that searching may take, all levels together: see `cluster`.
    seed : int, default=0
        For the random choices of an approximate search. An exact search makes none.
    random_state : int, RandomState instance or None, default=None
        The same by the name of scikit-learn, in place of `seed` where it is given.
    n_jobs : int, default=None
        The number of threads. None and -1 are all cores, or those that joblib leaves to a worker.
        Results do not depend on it.
    verbose : int, default=0
        1 says which search ran, and draws a progress bar if tqdm is installed.
    progress : callable, default=None
        Is called with a `Progress` about twenty times a second; a true value stops the run with
        `Cancelled`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, -1 for noise. Clusters are numbered from the largest to the smallest, and
        equally large ones by their smallest row, so that shuffled samples get the same numbers.
    n_clusters_ : int
        The number of clusters.
    linkage_ : str or None
        The linkage that made the clusters: by "auto" it is "neighbor" or "means". None for a partition.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The labels of all partitions, the finest first, numbered by first appearance.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The mean of each cluster; a `csr_array` of SciPy where X is sparse. Not where distances are
        precomputed, or by a metric of SciPy alone, nor then `transform`.
    medoids_ : ndarray of shape (n_clusters_,)
        The sample of each cluster that has the least sum of distances to the others: see
        `describe`. Found when first asked for, as are the four that follow.
    outlier_scores_ : ndarray of shape (n_samples,)
        The outlier score of each sample, from 0 to 1: see `Hierarchy.outlier_scores`. NaN for samples
        without weight, or with missing values.
    probabilities_ : ndarray of shape (n_samples,)
        How surely each sample belongs to its cluster: the share of its nearest neighbours that are in it, of
        those that are no noise (see `Hierarchy.membership`); 0 for noise, NaN for samples without weight.
    children_ : ndarray of shape (n_leaves - 1, 2)
        The two nodes of each join in the tree of partitions, as in AgglomerativeClustering: leaves
        are the samples with weight, in their order; join i makes node n_leaves + i.
    distances_ : ndarray of shape (n_leaves - 1,)
        The height of each join. It counts partitions: see `Hierarchy.tree`.
    model_ : Model
        Hierarchy, samples and `labels_` (as the last labelling; where all are noise, before there was noise), by
        which `predict` works: to be saved, and read by other languages. Its samples are the rows of X that have a weight, in the
        order of `model_rows_`: pass `model_.samples`, not X, to methods of `model_.hierarchy`.
    model_rows_ : ndarray of shape (n_leaves,)
        The row of X that each sample of `model_` is. Rows are clustered in an order of their values,
        so that neither the order of X nor ties (equal distances, of which the first row counts) show
        in the labels: shuffled rows have the same clusters, and so do weights and repeated rows.
    explanation_ : str
        The search that found the first neighbours, and the reason.
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
    >>> FINCH().fit(X).predict([[5.1, 5.2]])
    array([1], dtype=int32)
    >>> FINCH(n_clusters=2).fit(X).cluster_centers_.round(3)
    array([[7.4  , 2.55 ],
           [0.4  , 0.05 ]])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: str | Callable[..., float] = "euclidean",
        linkage: str = "auto",
        partition: str | int = "suggest",
        link_bound: str = "none",
        search: str = "auto",
        recall: float = 0.99,
        min_cluster_size: int | None = None,
        small: str = "noise",
        outliers: float | None = None,
        outlier_threshold: float | None = None,
        missing: str = "error",
        time_limit: float | None = None,
        seed: int = 0,
        random_state: Any = None,
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
        self.min_cluster_size = min_cluster_size
        self.small = small
        self.outliers = outliers
        self.outlier_threshold = outlier_threshold
        self.missing = missing
        self.time_limit = time_limit
        self.seed = seed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> FINCH:
        """Clusters the rows of X, N x d: an array, a sparse matrix or array of SciPy, or a table of
        pandas, polars or Arrow; or `Bits`. Sparse rows and bits get the labels of the same rows as an array.

        sample_weight: how many equal rows each row stands for: see `cluster`. Rows of weight 0 have
            no say, and get the labels of the nearest row that has.
        """
        self._check_parameters()
        for name in ("children_", "distances_", "medoids_", "outlier_scores_", "probabilities_"):
            self.__dict__.pop(name, None)
        complete = self._complete_rows(X)
        if complete is None:
            return self._fit(X, sample_weight)
        if not complete.any():
            raise ValueError("every row of X has a missing value: nothing is left to cluster")
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if weights is not None and weights.shape == complete.shape:
            weights = weights[complete]
        with reworded(by_rows(np.flatnonzero(complete))):
            self._fit(kept_rows(X, complete), weights)
        self.labels_ = labels_of_all(self.labels_, complete)
        self.partitions_ = labels_of_all(self.partitions_, complete)
        self.model_rows_ = np.flatnonzero(complete)[self.model_rows_]
        return self

    def _fit(self, X: Any, sample_weight: ArrayLike | None) -> FINCH:
        whole = self._checked(X, reset=True)
        if self._takes_distances():
            return self._fit_distances(whole, sample_weight)
        rows, weights = rows_to_cluster(whole, checked_weights(whole, sample_weight))
        # Rows that are in their order already are not copied.
        X = whole if np.array_equal(rows, np.arange(whole.shape[0])) else whole[rows]
        # The order in which rows are clustered is that of their values, so that ties do not show.
        words = by_rows(rows), *self._words()
        with reworded(*words), untold(TIES), ProgressBar(self.progress, disable=not self.verbose) as progress:
            hierarchy = cluster(
                X,
                metric=self._metric(),
                link_bound=self.link_bound,
                search=self.search,
                weights=weights,
                refinable=self._links_neighbors(),
                threads=self._threads(),
                recall=self.recall,
                seed=self._seed(),
                time_limit=self.time_limit,
                progress=progress,
            )
            before = self._labels_of(hierarchy, X, progress)
            labels = self._with_noise(hierarchy, X, before, progress)
        if self.verbose:
            print(hierarchy.explanation)
        self.explanation_ = hierarchy.explanation
        self.recall_ = hierarchy.recall
        labels = _numbering.by_size_without_noise(labels, X, weights)
        self.n_clusters_ = int(labels.max()) + 1
        self.cluster_centers_ = means(X, labels, self.n_clusters_, weights)
        refined = [before if (labels < 0).all() else labels]
        self.model_ = Model(hierarchy, X, refined=refined, threads=self._threads())
        self.model_rows_ = rows
        like = self._samples_like(whole)
        partitions = (by_appearance(each[like]) for each in hierarchy)
        self.labels_, self.partitions_ = labels[like], np.stack(list(partitions), axis=1)
        return self

    def _fit_distances(self, X: NDArray[Any], sample_weight: ArrayLike | None) -> FINCH:
        """Clusters by the distances of all pairs: X, N x N, or rows by whose metric they are made."""
        if sample_weight is not None:
            raise ValueError(
                f"sample_weight does not go with metric {self.metric!r}, which takes distances alone: leave"
                " it out"
            )
        rows, given = np.arange(len(X)), X
        if not self._is_precomputed():
            rows = sorted_rows(X)
            self._rows = X[rows]
            given = distance_matrix(self._rows, self.metric)
        with untold(TIES), ProgressBar(self.progress, disable=not self.verbose) as progress:
            hierarchy = cluster_distances(
                given, link_bound=self.link_bound, threads=self._threads(), progress=progress
            )
            before = self._labels_of(hierarchy, None, progress)
            labels = self._with_noise(hierarchy, None, before, progress)
        self.explanation_, self.recall_ = "all distances were given", 1.0
        labels = _numbering.by_size_without_noise(labels, np.arange(len(rows))[:, None])
        self.n_clusters_ = int(labels.max()) + 1
        refined = [before if (labels < 0).all() else labels]
        self.model_ = Model(hierarchy, None, refined=refined, threads=self._threads())
        self.model_rows_, like = rows, np.argsort(rows)
        self.labels_ = labels[like]
        partitions = (by_appearance(each[like]) for each in hierarchy)
        self.partitions_ = np.stack(list(partitions), axis=1)
        members = (np.flatnonzero(labels == cluster) for cluster in range(self.n_clusters_))
        medoids = [of[given[np.ix_(of, of)].sum(axis=1).argmin()] for of in members]
        self.__dict__["medoids_"] = rows[np.array(medoids, np.intp)]
        # The means of an earlier fit.
        self.__dict__.pop("cluster_centers_", None)
        return self

    def fit_predict(
        self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Clusters the rows of X, and returns their labels."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The cluster of each row of X: that of the nearest sample of `fit`. Rows are rounded to the
        dtype that the samples had; `model_.predict` says how sure the labels are, too. Where the nearest sample
        is noise, the row is, and with missing="label" also one with missing values."""
        check_is_fitted(self)
        complete = self._complete_rows(X)
        if complete is not None:
            found = np.empty(0, np.int32)
            if complete.any():
                with reworded(by_rows(np.flatnonzero(complete))):
                    found = self.predict(kept_rows(X, complete))
            return labels_of_all(found, complete)
        X = self._checked(X, reset=False)
        if self._takes_distances():
            nearest = self._distances_to_samples(X).argmin(axis=1)
            return self.labels_[self.model_rows_[nearest]]
        X = self._like_the_samples(X)
        with reworded(*self._words()):
            found = self.model_.predict(X, -1, others=False, threads=self._threads())
        return self.labels_[self.model_rows_[found.neighbor]]

    def _distances_to_samples(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """The distance of each row of X to each sample of `fit`: M x N."""
        if self._is_precomputed():
            if (X < 0).any():
                row, column = np.argwhere(X < 0)[0].tolist()
                raise ValueError(
                    f"the distance {X[row, column]:.6g} at row {row}, column {column} (from 0) is negative: give"
                    " distances, such as 1 - X of similarities"
                )
            return X
        return distances_between(X, self._rows, self.metric)

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The quality of the clusters of the rows of X, from -1 to 1, the higher the better.

        With classes y, N of them, the adjusted Rand index of `predict(X)` with y, without rows that are noise.
        Without, the mean of (b - a) / max(a, b) over rows, for the distances a to the nearest mean and b to the
        next: near 1 where clusters are far apart, 0 where there is one cluster.
        """
        if y is not None:
            return score(self.predict(X), y).ari
        self._expect_samples("score without classes y")
        distances = np.sort(np.asarray(self.transform(X), np.float64), axis=1)
        if self._labels_missing():
            distances = distances[~np.isnan(distances).any(axis=1)]
        if distances.shape[1] == 1:
            return 0.0
        nearest, other = distances[:, 0], distances[:, 1]
        separate = np.divide(other - nearest, other, out=np.zeros(len(other)), where=other > 0)
        return float(separate.mean())

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """The distance of each row of X to the mean of each cluster: M x n_clusters_; NaN for a row with missing
        values, which missing="label" allows. Under cosine zero rows are at 0 from a mean of zeros, and else at 2."""
        check_is_fitted(self)
        complete = self._complete_rows(X)
        if complete is not None:
            found = np.full((len(complete), self.n_clusters_), np.nan)
            if complete.any():
                with reworded(by_rows(np.flatnonzero(complete))):
                    found[complete] = self.transform(kept_rows(X, complete))
            return found
        if self.n_clusters_ == 0:
            raise ValueError("every sample of fit is noise, so there is no mean: ask for less noise")
        rows: Any = self._checked(X, reset=False).astype(np.float64)
        if is_sparse(self.cluster_centers_):
            rows = csr_array(rows)
        elif is_sparse(rows):
            rows = rows.toarray()
        metric = self._metric()
        if metric in (*BIT_METRICS, "cosine"):
            # scikit-learn's are of 0 and 1 alone, and means are between; and zero rows are there as near to all.
            return distances_to(rows, self.cluster_centers_, metric)
        if is_sparse(rows):
            # scikit-learn's Manhattan distances take no indices of 64 bits.
            places = (rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
            rows = csr_array((rows.data, *places), shape=rows.shape)
        return pairwise_distances(rows, self.cluster_centers_, metric=metric)

    @cached_property
    def children_(self) -> NDArray[np.intp]:
        check_is_fitted(self)
        children = self.model_.hierarchy.tree().linkage()[:, :2].astype(np.intp)
        # Leaves are numbered in the order of the model.
        leaves = np.argsort(np.argsort(self.model_rows_))
        joins = np.arange(len(leaves), len(leaves) + len(children))
        return np.sort(np.append(leaves, joins)[children], axis=1)

    @cached_property
    def distances_(self) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.model_.hierarchy.tree().linkage()[:, 2].copy()

    @cached_property
    def medoids_(self) -> NDArray[np.intp]:
        check_is_fitted(self)
        samples, hierarchy = self._samples(), self.model_.hierarchy
        if self.n_clusters_ == 0:
            return np.empty(0, np.intp)
        medoids = describe(
            samples,
            self.labels_[self.model_rows_],
            weights=hierarchy.weights,
            exemplars=1,
            metric=hierarchy.metric,
            seed=self._seed(),
            threads=self._threads(),
        ).medoids
        return self.model_rows_[medoids]

    @cached_property
    def outlier_scores_(self) -> NDArray[np.float64]:
        check_is_fitted(self)
        samples = None if self._takes_distances() else self._samples()
        scores = np.full(len(self.labels_), np.nan)
        found = self.model_.hierarchy.outlier_scores(samples, threads=self._threads())
        scores[self.model_rows_] = found
        return scores

    @cached_property
    def probabilities_(self) -> NDArray[np.float64]:
        check_is_fitted(self)
        samples = None if self._takes_distances() else self._samples()
        probabilities = np.where(self.labels_ < 0, 0.0, np.nan)
        labels = self.labels_[self.model_rows_]
        found = self.model_.hierarchy.membership(samples, labels, threads=self._threads())
        probabilities[self.model_rows_] = found.probabilities
        return probabilities

    def _complete_rows(self, X: Any) -> NDArray[np.bool_] | None:
        """The rows of X without missing values, if others are to have the label -1 and there are some."""
        return complete_rows(X) if self._labels_missing() else None

    def _with_noise(
        self,
        hierarchy: Hierarchy,
        X: NDArray[Any] | None,
        labels: NDArray[np.int32],
        progress: ProgressCallback,
    ) -> NDArray[np.int32]:
        """The labels with the noise that the parameters ask for."""
        if self.min_cluster_size is None and self.outliers is None and self.outlier_threshold is None:
            return labels
        samples, least = hierarchy.n_samples, self.min_cluster_size
        if least is not None and least > samples and hierarchy.weights is None:
            raise ValueError(f"min_cluster_size is {least}, and X has n_samples={samples}: give a smaller size")
        return hierarchy.with_noise(
            X,
            labels,
            min_cluster_size=self.min_cluster_size,
            small=self.small,
            outliers=self.outliers,
            outlier_threshold=self.outlier_threshold,
            threads=self._threads(),
            progress=progress,
        )

    def _samples(self) -> Any:
        """The samples with weight, in the memory of the model."""
        self._expect_samples("this attribute")
        samples = self.model_.samples
        assert samples is not None, "they are kept"
        return samples

    def _samples_like(self, X: NDArray[Any]) -> NDArray[np.intp]:
        """For each row of X: its number among the samples with weight, or that of the nearest."""
        like = np.empty(X.shape[0], np.intp)
        like[self.model_rows_] = np.arange(len(self.model_rows_))
        others = np.ones(X.shape[0], bool)
        others[self.model_rows_] = False
        if not others.any():
            return like
        with reworded(by_rows(np.flatnonzero(others)), *self._words()):
            found = self.model_.predict(X[others], -1, others=False, threads=self._threads())
        like[others] = found.neighbor
        return like

    def _like_the_samples(self, X: Any) -> Any:
        """Rows in the dtype of the samples, where their own is wider."""
        samples = self._samples()
        if is_sparse(X) and not is_sparse(samples):
            X = X.toarray()
        dtype = samples.dtype
        if np.can_cast(X.dtype, dtype) or X.dtype == bool:
            return X
        narrow = X.astype(dtype)
        if dtype.kind in "iu" and (narrow != X).any():
            raise ValueError(
                f"X has dtype {X.dtype}, and values that are not those of {dtype}, which X had in fit:"
                " fit with X.astype('float32')"
            )
        return narrow

    def _labels_of(
        self, hierarchy: Hierarchy, X: NDArray[Any] | None, progress: ProgressCallback
    ) -> NDArray[np.int32]:
        """The labels that the parameters ask for."""
        if self.n_clusters is None and self.partition == "suggest":
            self.linkage_ = "neighbor"
            return hierarchy.suggest(X, threads=self._threads(), progress=progress).labels
        if self.n_clusters is None:
            self.linkage_ = None
            return hierarchy[int(self.partition)]
        options: dict[str, Any] = {"linkage": self.linkage, "threads": self._threads()}
        labels, self.linkage_ = hierarchy.refine_explained(X, self.n_clusters, progress=progress, **options)
        return labels

    def _checked(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """X as an array, after the checks of scikit-learn; of a table the names are noted, too."""
        refuse_masked("X", X)
        X = X.unpacked() if isinstance(X, Bits) else X
        takes_rows = not self._takes_distances()
        if is_sparse(X) and not takes_rows and not self._is_precomputed():
            # As in `cluster`: these metrics compare dense rows.
            if reset:
                expect_few(X.shape[0], str(self.metric))
            X = X.toarray()
        with refused_as_missing(X, takes_rows):
            array = check_array(
                X if is_sparse(X) else matrix_of(X),
                accept_sparse="csr" if takes_rows else False,
                dtype="numeric",
                estimator=self,
                input_name="X",
            )
        if is_sparse(array):
            array = _sparse_order.plain(array)
        if hasattr(validation, "validate_data"):
            validation.validate_data(self, X, reset=reset, skip_check_array=True)
        else:  # scikit-learn below 1.6
            self._check_feature_names(X, reset=reset)
            self._check_n_features(X, reset=reset)
        other = other_metric(self.metric)
        return other.rows_of(array) if other is not None and takes_rows else array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._takes_distances()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.allow_nan = self._labels_missing()
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn below 1.6 has no tags but these
        allows = self._labels_missing()
        return {"X_types": ["2darray", "sparse"], "pairwise": self._is_precomputed(), "allow_nan": allows}

    @property
    def _n_features_out(self) -> int:
        """The number of columns that `transform` makes."""
        return self.n_clusters_


# After scikit-learn has wrapped the method for `set_output`, which would hide the condition.
FINCH.transform = available_if(lambda self: self._expect_samples("transform") is None)(FINCH.transform)
