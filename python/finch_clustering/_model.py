"""A hierarchy to save, to pickle, and to label new samples by."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from ctypes import byref, c_double, c_size_t
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._c.errors import check
from ._c.handle import Handle
from ._c.header import BITS, CSR, Matrix
from ._c.library import lib
from ._c.names import ELEMENTS, SEARCHES, number_of
from ._c.options import count, default_options, real, search_options, whole
from ._c.repr import one_line
from ._c.run import ProgressCallback, run
from ._c.warnings import tell, tell_of_call
from ._hierarchy import Hierarchy
from ._input.arrays import Samples
from ._input.bits import Bits
from ._input.exact import element_named
from ._input.labels import cluster_codes
from ._input.refused import named
from ._input.sparse import lent_rows


class Prediction(NamedTuple):
    """The clusters of M new samples."""

    __repr__ = one_line

    labels: NDArray[np.int32]
    """The cluster of each new sample."""
    neighbor: NDArray[np.int32]
    """The number of the kept sample, or of the mean, that is nearest to each new sample."""
    distance: NDArray[np.float64]
    """The distance d to that, in the unit of the metric."""
    other_distance: NDArray[np.float64] | None
    """The distance o to the nearest sample or mean of another cluster; infinite if there is no other
    cluster."""
    confidence: NDArray[np.float64] | None
    """1 / (1 + (d / o)**8), from 0.5 to 1, about the share of such labels that are right (for the
    cosine metric, d and o are chords)."""
    recall: float
    """The share of the true nearest that the search found: 1 by an exact search, else measured on up to
    1,024 random new samples."""


class Model:
    """A hierarchy to save, and to label new samples by: with refined labellings, the mean of each
    cluster, and the samples, if they are kept.

    A sequence of labellings: the P partitions, then those of `refined`; `model[l]` are the N labels
    of labelling l, and -1 is the last. A model never changes, so threads may share it. It can be
    pickled, and `bytes(model)` are those of its file. Equal models have equal bytes, on every
    machine. Where it keeps 2,048 samples or more of up to 8 features, under Euclidean or Manhattan
    distances, the second prediction makes a tree of them, once: half a second for a million. It is not
    saved, and takes 10 bytes for each value.

    hierarchy, X: the hierarchy, and the samples that were clustered, an array or a sparse matrix or
        array of SciPy; None for a hierarchy that was made without samples.
    keep_samples: True keeps a copy of X, and predicts by the nearest sample. False makes a smaller
        model, which predicts by the nearest mean.
    refined: labellings of the N samples beside the partitions, as `Hierarchy.refine` returns them;
        they are renumbered by first appearance. -1 is noise and stays -1: it has no mean, and `predict` tells
        -1 where the nearest sample is noise. At least one sample is in a cluster.
    threads: as of `cluster`.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        X: ArrayLike | None,
        *,
        keep_samples: bool = True,
        refined: Sequence[ArrayLike] | NDArray[Any] = (),
        threads: int = 0,
    ) -> None:
        if not isinstance(hierarchy, Hierarchy):
            raise TypeError(f"hierarchy is {named(hierarchy)}: give a Hierarchy first, and then the samples")
        other = hierarchy._other
        if other is not None and (other.under is not None or X is not None):
            rows = {"haversine": "finch_clustering.chords(X)", "correlation": "rows without their means"}
            raise ValueError(
                f"a model keeps samples under a metric of the library, and the hierarchy has {other.name!r}:"
                f" cluster {rows.get(other.name, 'X')} under {other.under or 'one of its metrics'}, and make"
                " the model of these"
            )
        samples = hierarchy._samples_of(X)
        options = default_options(threads=count("threads", threads))
        labellings = [cluster_codes(f"refined[{i}]", labels) for i, labels in enumerate(refined)]
        for number, labels in enumerate(labellings):
            if labels.size != hierarchy.n_samples:
                raise ValueError(
                    f"refined[{number}] has {labels.size} labels, and there are"
                    f" {hierarchy.n_samples} samples"
                )
        table = np.array(labellings, np.int32)
        self._handle = Handle(lib.finch_model_free)
        check(
            lib.finch_model_new(
                hierarchy._handle,
                samples.pointer,
                bool(keep_samples) and X is not None,
                table.ctypes.data if len(table) else None,
                len(table),
                byref(options),
                self._handle.slot,
            )
        )

    @classmethod
    def from_bytes(cls, data: Any) -> Model:
        """The model of which `data` are the bytes: bytes, or what has the memory of bytes. Bytes that
        were cut or altered are an `Error`."""
        array = np.frombuffer(data, np.uint8)
        model = cls._empty()
        check(lib.finch_model_deserialize(array.ctypes.data, array.size, model._handle.slot))
        return model

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Loads the model that `save` saved in a file. What its hierarchy says against itself is a
        `FinchWarning`; `hierarchy.warnings` of a model has it, too."""
        model = cls._empty()
        check(lib.finch_model_load(_path(path), model._handle.slot))
        tell(lib.finch_model_hierarchy(model._handle))
        return model

    @classmethod
    def _empty(cls) -> Model:
        model = cls.__new__(cls)
        model._handle = Handle(lib.finch_model_free)
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model in a file, in the format of safetensors with a checksum. The file is written
        beside and renamed when complete: whatever fails, what was there before is there."""
        check(lib.finch_model_save(self._handle, _path(path)))

    def __bytes__(self) -> bytes:
        size = c_size_t()
        check(lib.finch_model_serialized_size(self._handle, byref(size)))
        data = np.empty(size.value, np.uint8)
        check(lib.finch_model_serialize(self._handle, data.ctypes.data, data.size))
        return data.tobytes()

    def __reduce__(self) -> Any:
        return Model.from_bytes, (bytes(self),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return int(lib.finch_model_labelling_count(self._handle))

    def __getitem__(self, labelling: int) -> NDArray[np.int32]:
        """The cluster of each sample in a labelling: N numbers, a read-only view."""
        labels = lib.finch_model_labels(self._handle, self._labelling(labelling))
        return self._handle.view(labels, self.hierarchy.n_samples, np.int32)

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[labelling] for labelling in range(len(self)))

    def __repr__(self) -> str:
        clusters = ", ".join(map(str, self.n_clusters))
        kept = "not kept" if self.samples is None else "kept"
        return (
            f"<finch_clustering.Model: {self.hierarchy.n_samples} samples, {kept}, clusters:"
            f" {clusters}>"
        )

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy, in the memory of the model."""
        return Hierarchy(self._handle.lend(lib.finch_model_hierarchy(self._handle)))

    @property
    def samples(self) -> Any:
        """The kept samples, N x d, a read-only view: an array, a `csr_array` of SciPy where X was
        sparse, or `Bits`; None where the model keeps none. Samples of bfloat16 take the package ml_dtypes."""
        matrix = Matrix()
        if not lib.finch_model_samples(self._handle, byref(matrix)):
            return None
        if matrix.element == CSR:
            return lent_rows(self._handle, matrix)
        if matrix.element == BITS:
            shape = (matrix.rows, matrix.row_stride)
            return Bits(self._handle.view(matrix.data, shape, np.dtype(np.uint8)), matrix.columns)
        element = element_named(ELEMENTS[matrix.element])
        strides = (
            matrix.row_stride * element.itemsize,
            matrix.column_stride * element.itemsize,
        )
        # By a type of NumPy's own: the address of an array tells no other type.
        own = np.dtype(np.uint16) if element.kind == "V" else element
        view = self._handle.view(matrix.data, (matrix.rows, matrix.columns), own, strides)
        return view.view(element)

    @property
    def n_clusters(self) -> list[int]:
        """The number of clusters of each labelling."""
        return [int(lib.finch_model_cluster_count(self._handle, i)) for i in range(len(self))]

    def means(self, labelling: int) -> NDArray[np.float64]:
        """The mean of each cluster of a labelling: C x d."""
        number = self._labelling(labelling)
        means = np.empty((self.n_clusters[number], self.hierarchy.n_features))
        check(lib.finch_model_means(self._handle, number, means.ctypes.data, means.size))
        return means

    def predict(
        self,
        X: ArrayLike,
        labelling: int = 0,
        *,
        others: bool = True,
        search: str = "auto",
        recall: float = 0.99,
        seed: int = 0,
        threads: int = 0,
        progress: ProgressCallback | None = None,
    ) -> Prediction:
        """Finds the cluster of each row of X, M x d, in a labelling: that of the nearest kept sample
        or, in a model without samples, of the nearest mean. Of equally near ones the first counts.

        X has the dtype of the samples, or a narrower one, all of whose values that dtype holds: float64
        holds all; float32 all others; float16 and bfloat16 hold uint8 and int8. Beside a model of sparse
        samples X may be sparse, too, or dense.

        others: True also finds `other_distance` and `confidence`. With False they are None, and the
            search is shorter.
        search: "auto", "brute" or "blocked", which find the same; or, with `others=False` where the
            model keeps samples, "approximate" for millions, which finds most of the nearest.
        recall, seed: of an approximate search, as of `cluster`.
        threads, progress: as of `cluster`.
        """
        number = self._labelling(labelling)
        samples = Samples(X)
        options = default_options(
            search=number_of("search", SEARCHES, search),
            recall=real("recall", recall),
            seed=count("seed", seed, bits=64),
            threads=count("threads", threads),
        )
        rows = samples.shape[0]
        arrays = (
            np.empty(rows, np.int32),
            np.empty(rows, np.int32),
            np.empty(rows),
            np.empty(rows) if others else None,
            np.empty(rows) if others else None,
        )
        outputs = [None if array is None else array.ctypes.data for array in arrays]
        found = c_double()
        run(
            options,
            progress,
            lib.finch_model_predict,
            self._handle,
            samples.pointer,
            number,
            byref(options),
            *outputs,
            rows,
            byref(found),
        )
        tell_of_call()
        return Prediction(*arrays, found.value)

    def extend(
        self,
        X: ArrayLike,
        *,
        search: str = "auto",
        refinable: bool = False,
        threads: int = 0,
        recall: float = 0.99,
        seed: int = 0,
        time_limit: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> Model:
        """A new model of the kept samples and, after them, the new rows of X: `Hierarchy.extend` for a
        model, whose samples need not be at hand. It keeps all samples, and has no refined labellings.
        The options are those of `cluster`."""
        samples = Samples(X)
        metric, bound = self.hierarchy.metric, self.hierarchy.link_bound
        options = search_options(metric, search, threads, recall, seed, time_limit, bound)
        options.refinable = bool(refinable)
        model = self._empty()
        arguments = (samples.pointer, byref(options), model._handle.slot)
        run(options, progress, lib.finch_model_extend, self._handle, *arguments)
        tell(lib.finch_model_hierarchy(model._handle))
        return model

    def _labelling(self, labelling: int) -> int:
        number = whole("labelling", labelling)
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no labelling {number}: the model has {len(self)}")
        return number % len(self)


def _path(path: str | os.PathLike[str]) -> bytes:
    """The path of a file as C takes it."""
    # Not encode(): a name that is not UTF-8 has characters that stand for its bytes.
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"the path {os.fsdecode(path)!r} has a zero character")
    return name
