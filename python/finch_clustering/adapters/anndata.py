"""Clusters of the cells of an AnnData object, as scanpy's tools keep theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._cluster import cluster as _cluster
from .._input.sparse import is_sparse
from .._sklearn.numbering import by_size


def cluster(
    adata: Any,
    *,
    use_rep: str | None = None,
    key_added: str = "finch",
    n_clusters: int | None = None,
    metric: str | Callable[..., float] = "euclidean",
    **options: Any,
) -> None:
    """Clusters the N observations of adata, and writes into it.

    use_rep: the representation, a key of `adata.obsm`, or "X"; None is "X_pca" where there is one, else "X".
    n_clusters: exactly so many; None takes as many as `Hierarchy.suggest` recommends.
    metric, options: those of `finch_clustering.cluster`.

    Writes `adata.obs[key_added]`, categories "0", "1", ... from the largest cluster to the smallest;
    `adata.obsm[key_added]`, the labels of all partitions, N x P, finest first; and `adata.uns[key_added]`, a
    dictionary of "params", "n_clusters" (of each partition) and "linkage" (of the tree, SciPy's, (N - 1) x 4).

    Errors: a TypeError for what is no AnnData, a KeyError that lists the representations; those of `cluster`.
    """
    if not (hasattr(adata, "obsm") and hasattr(adata, "obs") and hasattr(adata, "uns")):
        named = type(adata).__name__
        raise TypeError(f"adata is a {named}: give an AnnData, or its matrix to finch_clustering.cluster")
    if use_rep is None:
        use_rep = "X_pca" if "X_pca" in adata.obsm else "X"
    if use_rep != "X" and use_rep not in adata.obsm:
        raise KeyError(f"adata has no {use_rep!r}: use_rep is one of {['X', *adata.obsm]}")
    samples = adata.X if use_rep == "X" else adata.obsm[use_rep]
    rows = samples if is_sparse(samples) else np.asarray(samples)
    hierarchy = _cluster(rows, metric=metric, **{"refinable": True, **options})
    if n_clusters is None:
        labels = hierarchy.suggest(rows).labels
    else:
        labels = hierarchy.refine(rows, n_clusters)
    from pandas import Categorical

    codes = by_size(labels, rows)
    adata.obs[key_added] = Categorical.from_codes(codes, [str(i) for i in range(codes.max() + 1)])
    adata.obsm[key_added] = np.array(hierarchy.labels)
    adata.uns[key_added] = {
        "params": {"use_rep": use_rep, "metric": hierarchy.metric, "n_clusters": int(codes.max()) + 1},
        "n_clusters": np.array(hierarchy.n_clusters),
        "linkage": hierarchy.tree().linkage(),
    }
