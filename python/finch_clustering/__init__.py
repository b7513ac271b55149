"""FINCH: clustering without a parameter, by first neighbours.

Each sample is linked to its first neighbour, the sample that is nearest to it. Linked samples are a
cluster. The means of the clusters are linked in the same way, until nothing is left to link.
M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First Neighbor
Relations, CVPR 2019.

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
>>> cut = hierarchy.suggest(X)                        # without a number
>>> cut.n_clusters
3
>>> model = finch.Model(hierarchy, X, refined=[cut.labels])
>>> model.predict([[5.2, 5.3], [8.0, 1.0]], labelling=-1).labels
array([1, 2], dtype=int32)
>>> finch.describe(X, cut.labels).medoids
array([ 2,  6, 10], dtype=int32)
>>> finch.cluster([[0.0], [1.0], [3.0]]).tree().newick(["a", "b", "c"])
'(c:1,(a:0.5,b:0.5):0.5);'

In reading order: `cluster` and `Hierarchy`, `cluster_batch` of many matrices, `Suggestion`, `Dendrogram`, `Tree`, `describe`, `Model`;
`keep_labels` after `Hierarchy.extend`; `cluster_neighbors` and `cluster_distances` for what other
programs found; building blocks.

`FINCH` is the same as an estimator of scikit-learn, `finch_clustering.plot` draws,
`finch_clustering.compat` has the function of finch-clust, and `finch_clustering.shards` clusters rows
that no process has all of, `finch_clustering.dask` on a cluster. They take scikit-learn, matplotlib,
nothing, nothing, and Dask; all else takes NumPy alone. `finch_clustering.anndata.cluster` writes into an
AnnData, and `finch_clustering.adapters.toponymy` has a clusterer of Toponymy.

The finch library is the file that the environment variable FINCH_LIBRARY names. Otherwise it is
looked for in the folder of this package, where `pip install` puts it, then in the `target` folder of
a clone (`cargo build --release -p finch-ffi`), and where the system has its libraries.

**X** is a matrix of N samples (rows) by d features (columns): an array, an object of which
`numpy.asarray` makes an array, or a table of pandas, polars or Arrow whose columns are numbers or
booleans without missing values. Tensors of torch, JAX and others are read in their memory on the CPU, by
`__array__` or DLPack. Arrays of float64, float32, float16, bfloat16 (of the package
ml_dtypes), uint8 and int8 are read where they lie, in any memory order, also as transposed, reversed
or strided views, as are packed bits (`Bits`). An array is copied only where the library could not read it: if it is unaligned, in foreign byte order, or has strides that are zero
(as of `numpy.broadcast_to`) or no multiple of the item. bool is read as uint8. int16 and uint16
are converted to float32, and larger integers to float64; integers beyond 2**53, which
float64 cannot hold, are an error. Cluster means are kept in float64 for float64 samples and in
float32 for other samples. Do not write to X while a call runs.

Samples, features, partitions and clusters are numbered from 0. Results depend neither on the number
of threads nor on memory order.

Errors: an argument of a wrong type is a TypeError, a wrong value a ValueError. finch.Error is a
ValueError that the library found, such as a NaN; its `status` is the name of the error in C.
Where memory runs out, a MemoryError says how many bytes were refused, and where a file cannot be read
or written, an OSError says which.
Where clusters may mean less than they seem to, since an approximate search found few neighbours, or
since many first neighbours are ties, there is a FinchWarning; `Hierarchy.warnings` has all of a hierarchy.
Ctrl-C, and any exception that a signal handler or a progress callback raises, stops a run, and is
raised from the call. All functions may be called from several threads at once.
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
from ._description import Description, describe
from ._hierarchy import Hierarchy
from ._input.bits import Bits
from ._input.other_metrics import chords
from ._keep_labels import KeptLabels, keep_labels
from ._model import Model, Prediction
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
    "Dendrogram",
    "Description",
    "Error",
    "FinchWarning",
    "FirstNeighbors",
    "Hierarchy",
    "KeptLabels",
    "Model",
    "NearestNeighbors",
    "NeighborsBetween",
    "Prediction",
    "Progress",
    "ProgressBar",
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
    "keys_to_distances",
    "nearest_neighbors",
    "neighbors_between",
    "score",
    "update_neighbors",
]

__version__: str = _lib.finch_version().decode()

# Tracebacks, pickles and help name the place that people import from.
for _name in __all__:
    globals()[_name].__module__ = __name__


def __getattr__(name: str) -> Any:
    """FINCH, which takes scikit-learn, and the adapter `anndata`: each is imported where it is named."""
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
