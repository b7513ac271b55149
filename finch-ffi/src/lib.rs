//! The C ABI of FINCH. Its manual is `include/finch.h`, generated from the comments here.
//!
//! Names are those of the header, so that a reader of either finds the other. An entry point checks
//! its arguments, calls finch-core and writes its outputs, inside [`guard`](guard::guard).
//! Everything that is unsafe about pointers of callers is in `border/caller.rs`, and about memory in `border/reserve.rs`.

// Names and sections of comments are those of the header, not of Rust.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

#[cfg(not(panic = "unwind"))]
compile_error!("a panic has to unwind up to the border, where it becomes FINCH_PANIC");

// The modules are in the order in which the header has their items.
mod version;

mod border;

mod matrix;

mod options;

mod cluster;

mod hierarchy;

mod warning;

mod constraints;

mod extend;

mod model;

mod dendrogram;

mod suggest;

mod flat;

mod tree;

mod describe;

mod neighbors;

mod shards;

mod score;

pub use border::message::{
    finch_last_error_message, finch_last_warning, finch_last_warning_message, finch_messages_from,
};
pub use border::status::{finch_status, finch_status_name};
pub use cluster::{
    finch_cluster, finch_cluster_distances, finch_cluster_given, finch_cluster_neighbors,
    finch_cluster_timed, finch_cluster_weighted,
};
pub use constraints::{
    finch_constraints, finch_constraints_init, finch_hierarchy_refine_constrained,
    finch_hierarchy_refine_into, finch_refined,
};
pub use dendrogram::{
    finch_clustered, finch_dendrogram, finch_dendrogram_ambiguity, finch_dendrogram_best,
    finch_dendrogram_best_count, finch_dendrogram_clustered, finch_dendrogram_cut,
    finch_dendrogram_free, finch_dendrogram_has_clusters, finch_dendrogram_heights,
    finch_dendrogram_merge_count, finch_dendrogram_merges, finch_dendrogram_mixing,
    finch_dendrogram_persistence, finch_dendrogram_rival_count, finch_dendrogram_rivals,
    finch_dendrogram_sample_count, finch_dendrogram_score_count, finch_dendrogram_scores,
    finch_dendrogram_start_count, finch_dendrogram_suggested, finch_hierarchy_dendrogram,
};
pub use describe::membership::{
    finch_hierarchy_membership, finch_membership, finch_membership_free,
    finch_membership_probabilities, finch_membership_shares,
};
pub use describe::noise::finch_hierarchy_noise;
pub use describe::{
    finch_describe, finch_description, finch_description_cluster_count,
    finch_description_exemplars, finch_description_free, finch_description_mean_rows,
    finch_description_means, finch_description_medoids, finch_description_modularities,
    finch_description_sampled, finch_description_silhouettes, finch_description_sizes,
    finch_description_spreads, finch_hierarchy_outlier_scores,
};
pub use extend::{
    finch_fate, finch_hierarchy_extend, finch_keep_labels, finch_keep_labels_into,
    finch_kept_labels,
};
pub use flat::{finch_cluster_batch, finch_flat, finch_labels};
pub use hierarchy::{
    finch_hierarchy, finch_hierarchy_at_least, finch_hierarchy_at_most, finch_hierarchy_closest,
    finch_hierarchy_cluster_count, finch_hierarchy_copy_all_labels, finch_hierarchy_copy_labels,
    finch_hierarchy_distances, finch_hierarchy_explanation, finch_hierarchy_feature_count,
    finch_hierarchy_first_neighbors, finch_hierarchy_free, finch_hierarchy_labels,
    finch_hierarchy_link_bound, finch_hierarchy_means, finch_hierarchy_metric,
    finch_hierarchy_partition_count, finch_hierarchy_recall, finch_hierarchy_refine,
    finch_hierarchy_sample_count, finch_hierarchy_search, finch_hierarchy_warning,
    finch_hierarchy_warning_count, finch_hierarchy_warning_message, finch_hierarchy_weights,
    finch_order,
};
pub use matrix::{
    finch_csr, finch_element, finch_matrix, finch_matrix_column_major, finch_matrix_csr,
    finch_matrix_row_major,
};
pub use model::{
    finch_model, finch_model_cluster_count, finch_model_deserialize, finch_model_extend,
    finch_model_free, finch_model_hierarchy, finch_model_labelling_count, finch_model_labels,
    finch_model_load, finch_model_means, finch_model_new, finch_model_predict,
    finch_model_predict_into, finch_model_samples, finch_model_save, finch_model_serialize,
    finch_model_serialized_size, finch_predictions,
};
pub use neighbors::{
    finch_components, finch_first_neighbors, finch_keys_to_distances, finch_nearest_neighbors,
    finch_update_neighbors,
};
pub use options::{
    finch_link_bound, finch_linkage, finch_metric, finch_options, finch_options_init,
    finch_progress, finch_progress_fn, finch_search, finch_stage,
};
pub use score::{finch_score, finch_score_weighted, finch_scores};
pub use shards::{finch_neighbors_between, finch_sums_add};
pub use suggest::{finch_hierarchy_suggest, finch_hierarchy_suggestion};
pub use tree::{
    finch_tree, finch_tree_depth, finch_tree_format, finch_tree_free, finch_tree_leaf_count,
    finch_tree_linkage, finch_tree_of_dendrogram, finch_tree_of_hierarchy, finch_tree_text,
};
pub use version::{
    FINCH_ABI, FINCH_VERSION_MAJOR, FINCH_VERSION_MINOR, FINCH_VERSION_PATCH, finch_abi,
    finch_version,
};
pub use warning::{finch_warning, finch_warning_name};
