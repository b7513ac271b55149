"""FINCH: clustering without a parameter, by first neighbours.

FINCH links each sample to its first neighbour, the sample nearest to it. Linked samples form a cluster.
FINCH then links the means of the clusters in the same way, until one cluster would be left. The result is
a hierarchy of partitions, from fine to coarse.
M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First Neighbor
Relations, CVPR 2019.

The clusters that you want:

- Suggestion: you do not know how many. `hierarchy.suggest(X).labels` takes the number that fits best;
  `has_clusters` tells if the data has clusters at all.
- Exactly K: you know how many. `hierarchy.refine(X, K)` merges the clusters that share the most
  neighbours until K are left.
- Partition: you want levels of detail. `hierarchy[0]` is the finest, `hierarchy[-1]` the coarsest. The
  data decides how many clusters each has.

>>> import finch_clustering as finch, numpy as np
>>> group = np.array([[0.0, 0.1], [0.2, 0.0], [0.5, 0.1], [0.9, 0.0]])
>>> X = np.concatenate([group, group + [5.0, 5.0], group + [9.0, 0.0]])
>>> hierarchy = finch.cluster(X)
>>> hierarchy.n_clusters
[3]
>>> hierarchy[0]
array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], dtype=int32)
>>> hierarchy.refine(X, 2)
array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], dtype=int32)
>>> finch.score(hierarchy[0], ["a"] * 4 + ["b"] * 8).purity
1.0
>>> cut = hierarchy.suggest(X)                        # the number that fits best
>>> cut.n_clusters
3
>>> model = finch.Model(hierarchy, X, refined=[cut.labels])
>>> model.predict([[5.2, 5.3], [8.0, 1.0]], labelling=-1).labels
array([1, 2], dtype=int32)
>>> finch.describe(X, cut.labels).medoids
array([ 2,  6, 10], dtype=int32)
>>> finch.cluster([[0.0], [1.0], [3.0]]).tree().newick(["a", "b", "c"])
'(c:1,(a:0.5,b:0.5):0.5);'

In reading order: `cluster` and `Hierarchy` (`with_noise` for outliers and clusters that are too small,
`membership` for how sure labels are), `cluster_batch` for many matrices, `Suggestion`, `Dendrogram`,
`Tree`, `describe`, `Model`; `keep_labels` after `Hierarchy.extend`, `keep_labels_by_means` where the older samples
are gone, `regroup` where a user has named some clusters; `cluster_neighbors` and
`cluster_distances` for the neighbours or distances of other programs; building blocks.

More, and the package that it takes (all else takes NumPy alone):

- `FINCH`: an estimator of scikit-learn
- `finch_clustering.plot`: pictures by matplotlib
- `finch_clustering.compat`: the function of finch-clust
- `finch_clustering.shards`: rows that no process has all of; `finch_clustering.dask` on a cluster of Dask
- `finch_clustering.anndata.cluster`: labels in an AnnData
- `finch_clustering.adapters.toponymy`: a clusterer of Toponymy

**X** is a matrix of N samples (rows) by d features (columns): an array, an object of which
`numpy.asarray` makes an array, a tensor of torch, JAX and others on the CPU, or a table of pandas, polars
or Arrow whose columns are numbers or booleans without missing values. Do not write to X while a call runs.

- float64, float32, float16, bfloat16 (of the package ml_dtypes), uint8, int8, bool and packed bits (`Bits`)
  are read where they lie, in any memory order, also as transposed, reversed or strided views.
- int16 and uint16 are converted to float32, larger integers to float64. Integers beyond 2**53, which float64
  cannot hold, are an error.
- An array is copied only if the library cannot read it: it is unaligned, in foreign byte order, or has
  strides that are zero (as of `numpy.broadcast_to`) or no multiple of the item.
- Cluster means are float64 for float64 samples, and float32 for other samples.

Samples, features, partitions and clusters are numbered from 0. Results depend neither on the number
of threads nor on memory order. Several threads may call all functions at once.

Errors: an argument of a wrong type is a TypeError, a wrong value a ValueError. finch.Error is a
ValueError that the library found, such as a NaN; its `status` is the name of the error in C. A MemoryError
says how many bytes the system refused. An OSError names the file that cannot be read or written. A
FinchWarning says that clusters may mean less than they seem to: an approximate search found few neighbours,
or many first neighbours are ties. `Hierarchy.warnings` has all of a hierarchy. Ctrl-C, and any exception of
a signal handler or a progress callback, stops a run; the call raises it.

The finch library is the file that the environment variable FINCH_LIBRARY names. Without it, the package
looks in its own folder, where `pip install` puts the library; in the `target` folder of a clone
(`cargo build --release -p finch-ffi`); and where the system has its libraries.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._c.errors import Cancelled, Error
from ._c.library import lib as _lib
from ._c.progress_bar import ProgressBar
from ._c.run import Progress
from ._c.warnings import FinchWarning
from ._batch import cluster_batch
from ._cluster import cluster, cluster_distances, cluster_neighbors
from ._dendrogram import Dendrogram, Suggestion
from ._description import Description, Membership, describe
from ._hierarchy import Hierarchy, Refined
from ._input.bits import Bits
from ._input.other_metrics import chords
from ._model import Model, Prediction
from ._names.by_means import ClusterNames, KeptByMeans, keep_labels_by_means
from ._names.overlap import KeptLabels, keep_labels
from ._names.regroup import Regrouped, regroup
from ._neighbors import (
    FirstNeighbors,
    NearestNeighbors,
    NeighborsBetween,
    add_to_sums,
    components,
    first_neighbors,
    keys_to_distances,
    nearest_neighbors,
    neighbors_between,
    update_neighbors,
)
from ._scores import Scores, score
from ._tree import Tree

if TYPE_CHECKING:
    from ._sklearn.estimator import FINCH as FINCH

# Without FINCH, so that `import *` does not take scikit-learn.
__all__ = [
    "Bits",
    "Cancelled",
    "ClusterNames",
    "Dendrogram",
    "Description",
    "Error",
    "FinchWarning",
    "FirstNeighbors",
    "Hierarchy",
    "KeptByMeans",
    "KeptLabels",
    "Membership",
    "Model",
    "NearestNeighbors",
    "NeighborsBetween",
    "Prediction",
    "Progress",
    "ProgressBar",
    "Refined",
    "Regrouped",
    "Scores",
    "Suggestion",
    "Tree",
    "add_to_sums",
    "chords",
    "cluster",
    "cluster_batch",
    "cluster_distances",
    "cluster_neighbors",
    "components",
    "describe",
    "first_neighbors",
    "keep_labels",
    "keep_labels_by_means",
    "keys_to_distances",
    "nearest_neighbors",
    "neighbors_between",
    "regroup",
    "score",
    "update_neighbors",
]

__version__: str = _lib.finch_version().decode()

# Tracebacks, pickles and help name the place that people import from.
for _name in __all__:
    globals()[_name].__module__ = __name__


def __getattr__(name: str) -> Any:
    """FINCH, which takes scikit-learn, and the adapter `anndata`, each imported when it is named."""
    if name == "anndata":
        return import_module(f"{__name__}.adapters.anndata")
    if name != "FINCH":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._sklearn.estimator import FINCH

    FINCH.__module__ = __name__
    globals()["FINCH"] = FINCH
    return FINCH


def __dir__() -> list[str]:
    return sorted({*globals(), "FINCH", "anndata"})
