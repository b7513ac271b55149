"""finch.h in the words of ctypes: structs, functions and numbers."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_int32,
    c_size_t,
    c_ssize_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

ABI = 1
OK = 0
CANCELLED = 1
OUT_OF_MEMORY = 25
IO = 27
CSR = 6
BITS = 7


class Matrix(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("rows", c_size_t),
        ("columns", c_size_t),
        ("row_stride", c_ssize_t),
        ("column_stride", c_ssize_t),
        ("element", c_int32),
    ]


class Csr(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("starts", c_void_p),
        ("columns", c_void_p),
        ("values", c_void_p),
        ("value_count", c_size_t),
        ("value_element", c_int32),
        ("index_bits", c_int32),
    ]


class Progress(ctypes.Structure):
    _fields_ = [("fraction", c_double), ("stage", c_int32), ("level", c_uint32)]


# C gives a second argument, user_data. Leaving it out lets a generator's `send`, which takes one
# argument, be the callback (see run.py). Wherever ctypes runs, an argument that the callee does
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
        ("nested", c_int32),
        ("time_limit", c_double),
        ("min_cluster_size", c_size_t),
        ("outliers", c_double),
        ("outlier_threshold", c_double),
        ("join_small", c_int32),
        ("reserved", c_int32),
    ]


class Constraints(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("must_link", c_void_p),
        ("must_link_count", c_size_t),
        ("cannot_link", c_void_p),
        ("cannot_link_count", c_size_t),
        ("min_size", c_size_t),
        ("max_size", c_size_t),
    ]


class Refined(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("labels", c_void_p),
        ("capacity", c_size_t),
        ("linkage", c_int32),
        ("reserved", c_int32),
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
        ("noise", c_double),
    ]


# Result and arguments of each function that the package calls.
_MATRIX, _OPTIONS, _SIZE = POINTER(Matrix), POINTER(Options), POINTER(c_size_t)
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "finch_version": (c_char_p, []),
    "finch_abi": (c_uint32, []),
    "finch_status_name": (c_char_p, [c_int32]),
    "finch_warning_name": (c_char_p, [c_int32]),
    "finch_last_error_message": (c_char_p, []),
    "finch_last_warning_message": (c_char_p, []),
    "finch_messages_from": (None, [c_int32]),
    "finch_options_init": (c_int32, [_OPTIONS, c_size_t]),
    # Clustering.
    "finch_cluster": (c_int32, [_MATRIX, _OPTIONS, c_void_p]),
    "finch_cluster_given": (c_int32, [_MATRIX, c_void_p, c_size_t, _OPTIONS, c_void_p]),
    "finch_cluster_weighted": (c_int32, [_MATRIX, c_void_p, c_size_t, _OPTIONS, c_void_p]),
    "finch_cluster_timed": (
        c_int32,
        [_MATRIX, c_void_p, c_size_t, c_int32, _OPTIONS, c_void_p],
    ),
    "finch_cluster_neighbors": (
        c_int32,
        [_MATRIX, c_void_p, c_void_p, c_size_t, c_size_t, _OPTIONS, c_void_p],
    ),
    "finch_cluster_distances": (c_int32, [c_void_p, c_size_t, _OPTIONS, c_void_p]),
    "finch_cluster_batch": (
        c_int32,
        [_MATRIX, c_size_t, _OPTIONS, c_int32, c_size_t, c_void_p, c_size_t, c_void_p],
    ),
    # Hierarchies.
    "finch_hierarchy_free": (None, [c_void_p]),
    "finch_hierarchy_sample_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_feature_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_partition_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_cluster_count": (c_size_t, [c_void_p, c_size_t]),
    "finch_hierarchy_metric": (c_int32, [c_void_p]),
    "finch_hierarchy_link_bound": (c_int32, [c_void_p]),
    "finch_hierarchy_search": (c_int32, [c_void_p]),
    "finch_hierarchy_recall": (c_double, [c_void_p]),
    "finch_hierarchy_explanation": (c_char_p, [c_void_p]),
    "finch_hierarchy_warning_count": (c_size_t, [c_void_p]),
    "finch_hierarchy_warning": (c_int32, [c_void_p, c_size_t]),
    "finch_hierarchy_warning_message": (c_char_p, [c_void_p, c_size_t]),
    "finch_hierarchy_at_least": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_at_most": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_closest": (c_ssize_t, [c_void_p, c_size_t]),
    "finch_hierarchy_first_neighbors": (c_void_p, [c_void_p]),
    "finch_hierarchy_distances": (c_void_p, [c_void_p]),
    "finch_hierarchy_weights": (c_void_p, [c_void_p]),
    "finch_hierarchy_labels": (c_void_p, [c_void_p, c_size_t]),
    "finch_hierarchy_copy_all_labels": (c_int32, [c_void_p, c_int32, c_void_p, c_size_t]),
    "finch_hierarchy_means": (
        c_int32,
        [c_void_p, c_size_t, _MATRIX, _OPTIONS, c_void_p, c_size_t],
    ),
    "finch_hierarchy_refine": (
        c_int32,
        [c_void_p, _MATRIX, c_size_t, _OPTIONS, c_void_p, c_size_t],
    ),
    "finch_constraints_init": (c_int32, [POINTER(Constraints), c_size_t]),
    "finch_hierarchy_refine_into": (
        c_int32,
        [c_void_p, _MATRIX, c_size_t, POINTER(Constraints), _OPTIONS, POINTER(Refined)],
    ),
    "finch_hierarchy_extend": (c_int32, [c_void_p, _MATRIX, c_void_p, _OPTIONS, c_void_p]),
    "finch_hierarchy_dendrogram": (
        c_int32,
        [c_void_p, _MATRIX, _OPTIONS, c_size_t, c_void_p],
    ),
    "finch_hierarchy_suggestion": (
        c_int32,
        [c_void_p, _MATRIX, _OPTIONS, c_void_p, _SIZE, _SIZE],
    ),
    "finch_hierarchy_outlier_scores": (
        c_int32,
        [c_void_p, _MATRIX, _OPTIONS, c_void_p, c_size_t],
    ),
    "finch_hierarchy_noise": (
        c_int32,
        [c_void_p, _MATRIX, c_void_p, c_size_t, _OPTIONS, c_void_p, c_size_t, c_void_p],
    ),
    "finch_hierarchy_membership": (
        c_int32,
        [c_void_p, _MATRIX, c_void_p, c_size_t, _OPTIONS, c_void_p],
    ),
    "finch_membership_free": (None, [c_void_p]),
    "finch_membership_shares": (c_int32, [c_void_p, _MATRIX]),
    "finch_membership_probabilities": (c_void_p, [c_void_p]),
    # Dendrograms.
    "finch_dendrogram_free": (None, [c_void_p]),
    "finch_dendrogram_sample_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_merge_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_start_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_merges": (c_void_p, [c_void_p]),
    "finch_dendrogram_heights": (c_void_p, [c_void_p]),
    "finch_dendrogram_cut": (c_int32, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "finch_dendrogram_persistence": (
        c_int32,
        [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p],
    ),
    "finch_dendrogram_suggested": (c_void_p, [c_void_p]),
    "finch_dendrogram_best_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_best": (c_void_p, [c_void_p]),
    "finch_dendrogram_rival_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_rivals": (c_void_p, [c_void_p]),
    "finch_dendrogram_ambiguity": (c_char_p, [c_void_p]),
    "finch_dendrogram_score_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_scores": (c_void_p, [c_void_p]),
    "finch_dendrogram_mixing": (c_double, [c_void_p]),
    "finch_dendrogram_clustered": (c_int32, [c_void_p]),
    "finch_dendrogram_has_clusters": (c_int32, [c_void_p]),
    # Trees.
    "finch_tree_of_hierarchy": (c_int32, [c_void_p, c_void_p]),
    "finch_tree_of_dendrogram": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "finch_tree_free": (None, [c_void_p]),
    "finch_tree_leaf_count": (c_size_t, [c_void_p]),
    "finch_tree_depth": (c_size_t, [c_void_p]),
    "finch_tree_linkage": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "finch_tree_text": (
        c_int32,
        [c_void_p, c_int32, POINTER(c_char_p), c_size_t, POINTER(c_void_p), _SIZE],
    ),
    # Descriptions.
    "finch_describe": (
        c_int32,
        [_MATRIX, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, c_size_t, _OPTIONS, c_void_p],
    ),
    "finch_description_free": (None, [c_void_p]),
    "finch_description_cluster_count": (c_size_t, [c_void_p]),
    "finch_description_sizes": (c_void_p, [c_void_p]),
    "finch_description_mean_rows": (c_int32, [c_void_p, _MATRIX]),
    "finch_description_means": (c_void_p, [c_void_p]),
    "finch_description_medoids": (c_void_p, [c_void_p]),
    "finch_description_exemplars": (c_void_p, [c_void_p]),
    "finch_description_spreads": (c_void_p, [c_void_p]),
    "finch_description_silhouettes": (c_void_p, [c_void_p]),
    "finch_description_modularities": (c_void_p, [c_void_p]),
    "finch_description_sampled": (c_int32, [c_void_p, c_size_t]),
    # Models.
    "finch_model_new": (
        c_int32,
        [c_void_p, _MATRIX, c_int32, c_void_p, c_size_t, _OPTIONS, c_void_p],
    ),
    "finch_model_free": (None, [c_void_p]),
    "finch_model_hierarchy": (c_void_p, [c_void_p]),
    "finch_model_samples": (c_int32, [c_void_p, _MATRIX]),
    "finch_model_labelling_count": (c_size_t, [c_void_p]),
    "finch_model_cluster_count": (c_size_t, [c_void_p, c_size_t]),
    "finch_model_labels": (c_void_p, [c_void_p, c_size_t]),
    "finch_model_means": (c_int32, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "finch_model_serialized_size": (c_int32, [c_void_p, _SIZE]),
    "finch_model_serialize": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "finch_model_deserialize": (c_int32, [c_void_p, c_size_t, c_void_p]),
    "finch_model_save": (c_int32, [c_void_p, c_char_p]),
    "finch_model_load": (c_int32, [c_char_p, c_void_p]),
    "finch_model_predict": (
        c_int32,
        [
            c_void_p,
            _MATRIX,
            c_size_t,
            _OPTIONS,
            c_void_p,
            c_void_p,
            c_void_p,
            c_void_p,
            c_void_p,
            c_size_t,
            c_void_p,
        ],
    ),
    "finch_model_extend": (c_int32, [c_void_p, _MATRIX, _OPTIONS, c_void_p]),
    "finch_keep_labels": (
        c_int32,
        [
            c_void_p,
            c_size_t,
            c_void_p,
            c_size_t,
            c_void_p,
            c_size_t,
            c_void_p,
            c_size_t,
            _SIZE,
        ],
    ),
    # Building blocks.
    "finch_first_neighbors": (c_int32, [_MATRIX, _OPTIONS, c_void_p, c_void_p, c_size_t]),
    "finch_nearest_neighbors": (
        c_int32,
        [_MATRIX, c_size_t, _OPTIONS, c_void_p, c_void_p, c_size_t],
    ),
    "finch_update_neighbors": (
        c_int32,
        [_MATRIX, c_size_t, _MATRIX, c_size_t, _OPTIONS, c_void_p, c_void_p, c_size_t],
    ),
    "finch_neighbors_between": (
        c_int32,
        [
            _MATRIX,
            c_void_p,
            _MATRIX,
            c_void_p,
            c_size_t,
            _OPTIONS,
            c_void_p,
            c_void_p,
            c_size_t,
        ],
    ),
    "finch_sums_add": (
        c_int32,
        [_MATRIX, c_void_p, c_size_t, _OPTIONS, c_void_p, c_void_p, c_size_t],
    ),
    "finch_keys_to_distances": (c_int32, [c_int32, c_void_p, c_void_p, c_size_t]),
    "finch_components": (c_int32, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "finch_score": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(Scores), c_size_t]),
    "finch_score_weighted": (
        c_int32,
        [c_void_p, c_void_p, c_void_p, c_size_t, POINTER(Scores), c_size_t],
    ),
}
