"""finch.h in the words of ctypes: structs, functions and numbers."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int32, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p
from typing import Any

ABI = 1
OK = 0
CANCELLED = 1
OUT_OF_MEMORY = 25


class Matrix(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("rows", c_size_t),
        ("columns", c_size_t),
        ("row_stride", c_ssize_t),
        ("column_stride", c_ssize_t),
        ("element", c_int32),
    ]


class Progress(ctypes.Structure):
    _fields_ = [("fraction", c_double), ("stage", c_int32), ("level", c_uint32)]


# C gives a second argument, user_data. Leaving it out lets a generator's `send`, which takes one
# argument, be the callback (see _run.py). Wherever ctypes runs, an argument that the callee does
# not read does no harm.
ProgressFn = ctypes.CFUNCTYPE(c_int32, POINTER(Progress))


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("metric", c_int32),
        ("link_bound", c_int32),
        ("search", c_int32),
        ("linkage", c_int32),
        ("from_", c_ssize_t),
        ("threads", c_size_t),
        ("recall", c_double),
        ("seed", c_uint64),
        ("progress", ProgressFn),
        ("user_data", c_void_p),
        ("refinable", c_int32),
        ("reserved", c_int32),
        ("time_limit", c_double),
    ]


class Scores(ctypes.Structure):
    _fields_ = [
        ("nmi", c_double),
        ("nmi_arithmetic", c_double),
        ("accuracy", c_double),
        ("purity", c_double),
        ("ari", c_double),
        ("pairwise_precision", c_double),
        ("pairwise_recall", c_double),
        ("pairwise_f", c_double),
        ("bcubed_precision", c_double),
        ("bcubed_recall", c_double),
        ("bcubed_f", c_double),
    ]


# Result and arguments of each function that the package calls.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "finch_version": (ctypes.c_char_p, []),
    "finch_abi": (c_uint32, []),
    "finch_status_name": (ctypes.c_char_p, [c_int32]),
    "finch_last_error_message": (ctypes.c_char_p, []),
    "finch_options_init": (c_int32, [POINTER(Options), c_size_t]),
    "finch_cluster": (c_int32, [POINTER(Matrix), POINTER(Options), c_void_p]),
    "finch_cluster_given": (
        c_int32,
        [POINTER(Matrix), c_void_p, c_size_t, POINTER(Options), c_void_p],
    ),
    "finch_hierarchy_free": (None, [c_void_p]),
    "finch_hierarchy_sample_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_feature_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_partition_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_cluster_count": (c_size_t, [c_void_p, c_size_t]),
    "finch_hierarchy_metric": (c_int32, [c_void_p]),
    "finch_hierarchy_link_bound": (c_int32, [c_void_p]),
    "finch_hierarchy_search": (c_int32, [c_void_p]),
    "finch_hierarchy_recall": (c_double, [c_void_p]),
    "finch_hierarchy_explanation": (ctypes.c_char_p, [c_void_p]),
    "finch_hierarchy_at_least": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_at_most": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_closest": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_first_neighbors": (c_void_p, [c_void_p]),
    "finch_hierarchy_distances": (c_void_p, [c_void_p]),
    "finch_hierarchy_labels": (c_void_p, [c_void_p, c_size_t]),
    "finch_hierarchy_copy_all_labels": (c_int32, [c_void_p, c_int32, c_void_p, c_size_t]),
    "finch_hierarchy_means": (
        c_int32,
        [c_void_p, c_size_t, POINTER(Matrix), POINTER(Options), c_void_p, c_size_t],
    ),
    "finch_hierarchy_refine": (
        c_int32,
        [c_void_p, POINTER(Matrix), c_size_t, POINTER(Options), c_void_p, c_size_t],
    ),
    "finch_first_neighbors": (
        c_int32,
        [POINTER(Matrix), POINTER(Options), c_void_p, c_void_p, c_size_t],
    ),
    "finch_update_neighbors": (
        c_int32,
        [
            POINTER(Matrix),
            c_size_t,
            POINTER(Matrix),
            c_size_t,
            POINTER(Options),
            c_void_p,
            c_void_p,
            c_size_t,
        ],
    ),
    "finch_keys_to_distances": (c_int32, [c_int32, c_void_p, c_void_p, c_size_t]),
    "finch_components": (c_int32, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "finch_score": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(Scores), c_size_t]),
}
