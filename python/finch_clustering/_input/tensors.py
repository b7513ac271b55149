"""Tensors of torch, JAX, TensorFlow and others, as arrays in the same memory. None of them is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

CPU = 1
"""The number that DLPack gives the CPU, and 3 memory of the CPU that a graphics card reads, too."""
READABLE = (CPU, 3)


def array_of_tensor(what: str, values: Any) -> Any:
    """An array that shares the memory of a tensor on the CPU, by DLPack; anything else as it is.

    Errors: a TypeError for a tensor on a graphics card, and for one of a type that NumPy does not have.
    """
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return values
    # A tensor of torch that remembers its gradients gives no memory away.
    if getattr(values, "requires_grad", False) and hasattr(values, "detach"):
        values = values.detach()
    device = values.__dlpack_device__()[0] if hasattr(values, "__dlpack_device__") else CPU
    if int(device) not in READABLE:
        raise TypeError(
            f"{what} is a {type(values).__name__} on a graphics card: give it from the CPU, as with"
            f" {what}.cpu()"
        )
    if hasattr(values, "__array__"):
        return values
    try:
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError) as error:
        raise TypeError(
            f"{what} is a {type(values).__name__} of a type that NumPy does not have: convert it to float32"
        ) from error
