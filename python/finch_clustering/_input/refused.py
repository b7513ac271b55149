"""Objects that are no samples, each refused with the way out. None of their libraries is imported here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray


def refuse_others(what: str, values: Any) -> None:
    """Refuses what is no matrix, before NumPy makes an array of one object of it."""
    if (way_out := _way_out(what, values)) is not None:
        raise TypeError(f"{what} is {named(values)}: {way_out}")


def _way_out(what: str, values: Any) -> str | None:
    if values is None:
        return "give a matrix"
    if isinstance(values, (str, bytes)) or hasattr(values, "__fspath__"):
        return "read the file first, with numpy.load or pandas.read_csv, and give the array"
    if hasattr(values, "obsm") and hasattr(values, "obs_names"):
        return _way_out_of_anndata(what, values)
    if hasattr(values, "mod") and hasattr(values, "obs_names"):
        return f"give a matrix of one modality, such as {what}[{_first(values.mod)!r}].X"
    if isinstance(values, Mapping):
        if hasattr(values.get("data"), "shape"):
            return f"give its matrix, {what}['data']"
        return f"give one of its values, such as {what}[{_first(values)!r}], or pandas.DataFrame({what})"
    if isinstance(values, (Set, Iterator)):
        return f"give an array, or a list of rows, such as list({what})"
    if callable(values) and not hasattr(values, "__array__"):
        return "give the array that it returns"
    if isinstance(values, tuple) and 2 <= len(values) <= 4 and _is_matrix(values[0]):
        return f"give the part that is the matrix, such as {what}[0]"
    return None


def _way_out_of_anndata(what: str, values: Any) -> str:
    ways = [f"{what}.obsm[{key!r}]" for key in list(values.obsm)[:3]]
    if getattr(values, "X", None) is not None:
        ways.append(f"{what}.X")
    return f"give a matrix of it, such as {' or '.join(ways or [f'{what}.obsm[...]'])}"


def _first(values: Any) -> Any:
    return next(iter(values), "...")


def named(values: Any) -> str:
    """A value by its type, with an article."""
    if values is None:
        return "None"
    name = "array" if type(values) is np.ndarray else type(values).__name__
    article = "an" if name[0] in "AEIOaeio" else "a"
    return f"{article} {name}"


def _is_matrix(values: Any) -> bool:
    return getattr(values, "ndim", 0) == 2 or hasattr(values, "iloc")


def array_of(what: str, values: Any) -> NDArray[Any]:
    """The array that NumPy makes of an object; of rows of several lengths it makes none."""
    try:
        return np.asarray(values)
    except ValueError as error:
        lengths = [len(row) if hasattr(row, "__len__") else None for row in values]
        odd = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is None:
            raise
        told = ["one value" if lengths[row] is None else f"{lengths[row]} values" for row in (0, odd)]
        raise ValueError(
            f"{what} has {told[0]} in row 0, and {told[1]} in row {odd}: give rows of one length"
        ) from error


def expect_matrix(what: str, values: Any, array: NDArray[Any]) -> None:
    """Refuses an array that has not two dimensions; `values` are what it was made of."""
    if array.ndim == 2:
        return
    told = f"{what} has {array.ndim} dimension{'s' * (array.ndim != 1)} where it takes 2"
    if array.ndim == 0:
        of = "an array of one value" if isinstance(values, np.ndarray) else named(values)
        raise TypeError(f"{what} is {of}: give a matrix")
    if array.ndim > 2:
        raise ValueError(f"{told}, samples by features: reshape it, with {what}.reshape(len({what}), -1)")
    if array.dtype == object and array.size and hasattr(array[0], "__len__"):
        raise ValueError(f"{told}: its values are rows, which numpy.stack({what}) puts in a matrix")
    way_out = "to_frame()" if hasattr(values, "to_frame") else "reshape(-1, 1)"
    raise ValueError(
        f"{told}, samples by features: reshape it, with {what}.{way_out} for samples of one feature"
    )
