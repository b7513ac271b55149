"""Labels of samples, of any kind, as numbers of clusters."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._c.errors import Error
from .arrays import fits_int32, is_masked, sample_numbers, vector_of
from .refused import named


def cluster_numbers(what: str, labels: ArrayLike) -> NDArray[np.int32]:
    """The cluster of each sample, a number from 0 on; -1 for a sample without one."""
    array, _ = _given(what, labels)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{what} has dtype {array.dtype}: give integers")
    return sample_numbers(what, _whole(what, array))


def by_appearance(labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """The labels with clusters numbered by first appearance."""
    _, first, numbered = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int32)
    numbers[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return numbers[numbered]


def codes(what: str, labels: ArrayLike) -> NDArray[np.int32]:
    """Labels of any kind as integers, a different integer for each different label; the number -1 stays -1."""
    array, noise = _given(what, labels)
    if array.dtype.kind in "iu" and fits_int32(array):
        return np.require(array, np.int32, ["C", "A"])
    found = np.full(array.shape, -1, np.int32)
    # Noise is no name: -1 may stand among strings, with which it has no order.
    found[~noise] = _sorted(what, array[~noise])[1]
    return found


def cluster_codes(what: str, labels: ArrayLike) -> NDArray[np.int32]:
    """Labels as `codes` has them, of clusters: numbers are whole ones from 0 on, or -1 for noise."""
    array, _ = _given(what, labels)
    return codes(what, _whole(what, array) if array.dtype.kind in "iuf" else labels)


def named_clusters(what: str, labels: Any) -> tuple[NDArray[np.int32], list[Any] | None]:
    """The number of each sample's cluster, -1 for noise, and the names of the clusters, None where labels are numbers,
    which leave none out."""
    categories = getattr(labels, "cat", labels)
    if hasattr(categories, "categories") and hasattr(categories, "codes"):
        found = np.asarray(categories.codes)
        _refuse_missing(what, found < 0)
        used, numbers = np.unique(found, return_inverse=True)
        return numbers.reshape(found.shape).astype(np.int32), [categories.categories[i] for i in used]
    array, noise = _given(what, labels)
    if array.dtype.kind in "iuf" or array.size == 0:
        numbers = sample_numbers(what, _whole(what, array))
        _expect_all(what, numbers)
        return numbers, None
    if array.dtype.kind == "c":
        raise TypeError(f"{what} has dtype {array.dtype}: give integers, strings or categories")
    found = np.full(array.shape, -1, np.int32)
    values, found[~noise] = _sorted(what, array[~noise])
    return found, values.tolist()


def _given(what: str, labels: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """One label for each sample, none of them missing, and True for each that is the number -1."""
    _refuse_results(what, labels)
    array = objects = vector_of(what, labels)
    if array.dtype.kind in "iu":
        _refuse_missing(what, _mask(labels, array))
        return array, array == -1
    if array.dtype.kind in "US" and isinstance(labels, (list, tuple)):
        # NumPy makes texts of numbers and NaN that stand beside texts in a list.
        objects = np.empty(array.shape, object)
        objects[:] = labels
    elif array.dtype.kind == "T":
        objects = array.astype(object)
    elif array.dtype.kind == "O" and all(isinstance(label, Number) for label in array):
        array = objects = np.array(array.tolist())
    _refuse_missing(what, _missing(objects) | _mask(labels, array))
    return array, _is_noise(objects)


def _refuse_results(what: str, labels: Any) -> None:
    """Refuses results that have labels, such as a suggestion, and says where they are."""
    if hasattr(labels, "dtype") or isinstance(labels, (list, tuple)) and not hasattr(labels, "labels"):
        return
    if hasattr(labels, "suggest") or hasattr(labels, "hierarchy"):
        raise TypeError(f"{what} is {named(labels)}: give the labels of one partition, such as {what}[-1]")
    for name in ("labels", "labels_"):
        if hasattr(labels, name):
            raise TypeError(f"{what} is {named(labels)}: give its labels, {what}.{name}")


def _refuse_missing(what: str, missing: NDArray[np.bool_]) -> None:
    if missing.any():
        raise ValueError(
            f"{what} has a missing value at sample {int(missing.argmax())}: leave the row out of both, or give it a"
            " label"
        )


def _mask(labels: Any, array: NDArray[Any]) -> NDArray[np.bool_]:
    """True for each masked label."""
    return np.ma.getmaskarray(labels) if is_masked(labels) else np.zeros(array.shape, bool)


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """True for each missing value: None, NaN, NaT, and NA of pandas."""
    if array.dtype.kind in "fc":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, bool)
    return np.array([_is_missing(label) for label in array], bool)


def _is_missing(label: Any) -> bool:
    # NA is not even unequal to itself.
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, (Number, np.generic)) and bool(label != label)


def _is_noise(array: NDArray[Any]) -> NDArray[np.bool_]:
    """True for each label that is the number -1."""
    if array.dtype.kind in "if":
        return np.asarray(array == -1)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, bool)
    # Other objects may compare to an array, or to nothing at all.
    return np.array([isinstance(label, Number) and bool(label == -1) for label in array], bool)


def _sorted(what: str, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The different labels in their order, and the place of each sample's label among them."""
    try:
        values, numbers = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"{what} has values that have no order, such as strings beside numbers: give one type"
        ) from error
    return values, numbers.reshape(array.shape)


def _whole(what: str, array: NDArray[Any]) -> NDArray[Any]:
    """The numbers of clusters as integers."""
    if array.dtype.kind != "f":
        return _from_noise_on(what, array)
    wrong = (array != np.floor(array)) | ~(np.abs(array) < 2**53)
    if wrong.any():
        sample = int(wrong.argmax())
        raise ValueError(f"{what} has {array[sample]} at sample {sample}: give whole numbers, strings or categories")
    return _from_noise_on(what, array).astype(np.int64)


def _from_noise_on(what: str, array: NDArray[Any]) -> NDArray[Any]:
    """The numbers themselves, none of which is below -1."""
    below = array < -1
    if below.any():
        sample = int(below.argmax())
        raise ValueError(f"{what} has {array[sample]} at sample {sample}: give numbers from 0 on, or -1 for noise")
    return array


def _expect_all(what: str, numbers: NDArray[np.int32]) -> None:
    """Refuses numbers of clusters that leave one out."""
    clusters = numbers[numbers >= 0]
    largest = int(clusters.max(initial=-1))
    if largest < 0 or (largest < len(numbers) and np.bincount(clusters).all()):
        return
    known = np.unique(clusters)
    absent = int((known != np.arange(len(known))).argmax())
    back = " - 1" if (numbers < 0).any() else ""
    raise Error(
        f"no sample has label {absent}, though {what} goes up to {largest}: number them from 0 on, with"
        f" np.unique({what}, return_inverse=True)[1]{back}",
        "FINCH_INVALID_VALUE",
    )
