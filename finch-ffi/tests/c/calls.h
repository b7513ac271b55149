/* Every function of finch.h that returns a status, as a call on one of several kinds of samples that
 * gives what it found as a number. The test `c` compares the names with those of the header. */
#ifndef CALLS_H
#define CALLS_H

#include "found.h"

#include <stdbool.h>
#include <unistd.h>

enum { MOST_ROWS = 9000, MOST_COLUMNS = 64, NEIGHBORS = 4, CLUSTERS = 5, DISTANT_ROWS = 300 };

/* A kind of samples, with what calls on them need and nobody makes during a call. */
struct input {
    const char *name;
    size_t rows, columns;
    int32_t element, metric, search;
    bool weighted;
    finch_matrix matrix;
    finch_csr csr;
    finch_hierarchy *hierarchy;
    finch_model *model;
    finch_dendrogram *dendrogram;
    finch_tree *tree;
    uint8_t *serialized;
    size_t serialized_size;
};

static struct input inputs[] = {
    {.name = "f64, Euclidean", .rows = 700, .columns = 12, .element = FINCH_F64, .weighted = true},
    {.name = "f32, cosine, approximate", .rows = 900, .columns = 24, .element = FINCH_F32,
     .metric = FINCH_COSINE, .search = FINCH_SEARCH_APPROXIMATE},
    {.name = "f64, k-d tree", .rows = MOST_ROWS, .columns = 2, .element = FINCH_F64,
     .search = FINCH_SEARCH_KD_TREE},
    {.name = "f32, projected", .rows = 900, .columns = 40, .element = FINCH_F32,
     .search = FINCH_SEARCH_PROJECTED},
    {.name = "u8, Manhattan", .rows = 500, .columns = 9, .element = FINCH_U8,
     .metric = FINCH_MANHATTAN, .search = FINCH_SEARCH_BRUTE},
    {.name = "sparse, cosine", .rows = 600, .columns = 60, .element = FINCH_CSR,
     .metric = FINCH_COSINE},
    {.name = "sparse, approximate", .rows = 300, .columns = 60, .element = FINCH_CSR,
     .search = FINCH_SEARCH_APPROXIMATE},
    {.name = "bits, Jaccard", .rows = 500, .columns = 64, .element = FINCH_BITS,
     .metric = FINCH_JACCARD},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static double wide[MOST_ROWS * 2 > 900 * MOST_COLUMNS ? MOST_ROWS * 2 : 900 * MOST_COLUMNS];
static float narrow[900 * MOST_COLUMNS];
static uint8_t bytes[900 * MOST_COLUMNS];
static int32_t starts[900 + 1], columns[900 * MOST_COLUMNS];
static float values[900 * MOST_COLUMNS];
static double weights[MOST_ROWS], times[MOST_ROWS], distances[DISTANT_ROWS * DISTANT_ROWS];

/* Where calls write. */
static int32_t labels[MOST_ROWS], index_of[MOST_ROWS * NEIGHBORS], other[MOST_ROWS];
static int64_t numbers[MOST_ROWS * NEIGHBORS], sizes[MOST_ROWS];
static double real[MOST_ROWS * NEIGHBORS * MOST_COLUMNS], more[MOST_ROWS * NEIGHBORS], third[MOST_ROWS];

static finch_status noted_model(finch_status status, finch_model *model) {
    if (status == FINCH_OK) {
        note(finch_model_labels(model, 0), sizeof(int32_t) * finch_hierarchy_sample_count(
                                               finch_model_hierarchy(model)));
        finch_model_free(model);
    }
    return status;
}

static finch_status noted_dendrogram(finch_status status, finch_dendrogram *dendrogram) {
    if (status == FINCH_OK) {
        size_t merges = finch_dendrogram_merge_count(dendrogram);
        note(finch_dendrogram_merges(dendrogram), 2 * merges * sizeof(int32_t));
        note(finch_dendrogram_heights(dendrogram), merges * sizeof(double));
        finch_dendrogram_free(dendrogram);
    }
    return status;
}

static finch_status noted_tree(finch_status status, finch_tree *tree) {
    if (status == FINCH_OK) {
        size_t leaves = finch_tree_leaf_count(tree);
        note(&leaves, sizeof leaves);
        finch_tree_free(tree);
    }
    return status;
}

/* The rows of an input, or the first of them. */
static finch_matrix first_rows(const struct input *of, size_t rows) {
    finch_matrix matrix = of->matrix;
    static finch_csr part;
    matrix.rows = rows;
    if (of->element == FINCH_CSR) {
        part = of->csr;
        part.value_count = (size_t)starts[rows];
        matrix.data = &part;
    }
    return matrix;
}

#define CALL(name) static finch_status call_##name(const struct input *of, const finch_options *o)

CALL(finch_options_init) {
    finch_options options;
    (void)of, (void)o;
    memset(&options, 0, sizeof options);
    return noted(finch_options_init(&options, sizeof options), &options, sizeof options);
}
CALL(finch_cluster) {
    finch_hierarchy *hierarchy = NULL;
    finch_options options = *o;
    options.refinable = 1;
    return noted_hierarchy(finch_cluster(&of->matrix, &options, &hierarchy), hierarchy);
}
CALL(finch_cluster_given) {
    finch_hierarchy *hierarchy = NULL;
    const int32_t *first = finch_hierarchy_first_neighbors(of->hierarchy);
    return noted_hierarchy(finch_cluster_given(&of->matrix, first, of->rows, o, &hierarchy),
                           hierarchy);
}
CALL(finch_hierarchy_copy_labels) {
    (void)o;
    return noted(finch_hierarchy_copy_labels(of->hierarchy, 0, labels, of->rows), labels,
                 of->rows * sizeof *labels);
}
CALL(finch_hierarchy_copy_all_labels) {
    static int32_t all[16 * MOST_ROWS];
    (void)o;
    return noted(finch_hierarchy_copy_all_labels(of->hierarchy, FINCH_ROW_MAJOR, all,
                                                 sizeof all / sizeof *all),
                 all, of->rows * sizeof *all);
}
CALL(finch_hierarchy_means) {
    size_t room = sizeof real / sizeof *real;
    finch_status status = finch_hierarchy_means(of->hierarchy, 0, &of->matrix, o, real, room);
    return noted(status, real, of->columns * sizeof *real);
}
CALL(finch_hierarchy_refine) {
    finch_options options = *o;
    for (options.linkage = 0; options.linkage < 3; options.linkage++) {
        finch_status status = finch_hierarchy_refine(of->hierarchy, &of->matrix, CLUSTERS, &options,
                                                     labels, of->rows);
        if (noted(status, labels, of->rows * sizeof *labels) != FINCH_OK) {
            return status;
        }
    }
    /* Clusters of the first partition are split. */
    size_t many = finch_hierarchy_cluster_count(of->hierarchy, 0) + 3;
    return noted(finch_hierarchy_refine(of->hierarchy, &of->matrix, many, o, labels, of->rows),
                 labels, of->rows * sizeof *labels);
}
CALL(finch_constraints_init) {
    finch_constraints constraints;
    (void)of, (void)o;
    memset(&constraints, 0, sizeof constraints);
    return noted(finch_constraints_init(&constraints, sizeof constraints), &constraints,
                 sizeof constraints);
}
CALL(finch_hierarchy_refine_constrained) {
    static const int32_t together[] = {0, 1, 2, 3}, apart[] = {0, 4};
    finch_constraints constraints;
    OK(finch_constraints_init(&constraints, sizeof constraints));
    constraints.must_link = together, constraints.must_link_count = 2;
    constraints.cannot_link = apart, constraints.cannot_link_count = 1;
    finch_options options = *o;
    for (options.linkage = 1; options.linkage < 3; options.linkage++) {
        finch_status status
            = finch_hierarchy_refine_constrained(of->hierarchy, &of->matrix, CLUSTERS, &constraints,
                                                 &options, labels, of->rows);
        if (noted(status, labels, of->rows * sizeof *labels) != FINCH_OK) {
            return status;
        }
    }
    return FINCH_OK;
}
CALL(finch_hierarchy_refine_into) {
    finch_refined refined = {.size = sizeof refined, .labels = labels, .capacity = of->rows};
    finch_status status
        = finch_hierarchy_refine_into(of->hierarchy, &of->matrix, CLUSTERS, NULL, o, &refined);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_hierarchy_extend) {
    finch_hierarchy *whole = NULL, *extended = NULL;
    finch_matrix some = first_rows(of, of->rows - 50);
    finch_status status = finch_cluster(&some, o, &whole);
    if (status != FINCH_OK) {
        return status;
    }
    status = finch_hierarchy_extend(whole, &of->matrix, NULL, o, &extended);
    finch_hierarchy_free(whole);
    return noted_hierarchy(status, extended);
}
CALL(finch_keep_labels) {
    (void)o;
    finch_status status
        = finch_keep_labels(finch_hierarchy_labels(of->hierarchy, 0), of->rows - 50,
                            finch_hierarchy_labels(of->hierarchy, 0), of->rows, labels, of->rows,
                            other, MOST_ROWS, NULL);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_keep_labels_into) {
    (void)o;
    finch_kept_labels kept = {.size = sizeof kept, .labels = labels, .capacity = of->rows};
    const int32_t *found = finch_hierarchy_labels(of->hierarchy, 0);
    finch_status status = finch_keep_labels_into(found, of->rows - 50, found, of->rows, &kept);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_cluster_weighted) {
    finch_hierarchy *hierarchy = NULL;
    return noted_hierarchy(
        finch_cluster_weighted(&of->matrix, weights, of->rows, o, &hierarchy), hierarchy);
}
CALL(finch_cluster_timed) {
    finch_hierarchy *hierarchy = NULL;
    finch_status status = FINCH_OK;
    for (int contiguous = 0; contiguous < 2 && status == FINCH_OK; contiguous++) {
        status = finch_cluster_timed(&of->matrix, times, of->rows, contiguous, o, &hierarchy);
        status = noted_hierarchy(status, hierarchy);
    }
    return status;
}
CALL(finch_model_new) {
    finch_model *model = NULL;
    finch_status status = FINCH_OK;
    for (int keep = 0; keep < 2 && status == FINCH_OK; keep++) {
        status = finch_model_new(of->hierarchy, &of->matrix, keep, NULL, 0, o, &model);
        status = noted_model(status, model);
    }
    return status;
}
CALL(finch_model_means) {
    (void)o;
    finch_status status = finch_model_means(of->model, 0, real, sizeof real / sizeof *real);
    return noted(status, real, of->columns * sizeof *real);
}
CALL(finch_model_serialized_size) {
    size_t size = 0;
    (void)o;
    return noted(finch_model_serialized_size(of->model, &size), &size, sizeof size);
}
CALL(finch_model_serialize) {
    (void)o;
    return noted(finch_model_serialize(of->model, of->serialized, of->serialized_size),
                 of->serialized, of->serialized_size);
}
CALL(finch_model_deserialize) {
    finch_model *model = NULL;
    (void)o;
    return noted_model(finch_model_deserialize(of->serialized, of->serialized_size, &model), model);
}
static char path[256];
CALL(finch_model_save) {
    (void)o;
    return noted(finch_model_save(of->model, path), path, 0);
}
CALL(finch_model_load) {
    finch_model *model = NULL;
    (void)of, (void)o;
    return noted_model(finch_model_load(path, &model), model);
}
CALL(finch_model_predict) {
    double *confidence = of->search == FINCH_SEARCH_APPROXIMATE ? NULL : third;
    finch_options options = *o;
    if (options.search == FINCH_SEARCH_KD_TREE || options.search == FINCH_SEARCH_PROJECTED) {
        options.search = FINCH_SEARCH_AUTO;
    }
    finch_matrix some = first_rows(of, of->rows / 2);
    finch_status status = finch_model_predict(of->model, &some, 0, &options, labels, other, real,
                                              NULL, confidence, some.rows, NULL);
    status = noted(status, labels, some.rows * sizeof *labels);
    /* Few rows, for which nothing is prepared, or a tree is there already. */
    finch_matrix few = first_rows(of, 3);
    if (status == FINCH_OK) {
        status = finch_model_predict(of->model, &few, 0, &options, labels, other, real, NULL,
                                     confidence, few.rows, NULL);
        status = noted(status, labels, few.rows * sizeof *labels);
    }
    return status;
}
CALL(finch_model_predict_into) {
    finch_options options = *o;
    if (options.search == FINCH_SEARCH_KD_TREE || options.search == FINCH_SEARCH_PROJECTED) {
        options.search = FINCH_SEARCH_AUTO;
    }
    finch_matrix some = first_rows(of, of->rows / 2);
    finch_predictions into = {.size = sizeof into, .capacity = some.rows, .labels = labels};
    finch_status status = finch_model_predict_into(of->model, &some, 0, &options, &into);
    return noted(status, labels, some.rows * sizeof *labels);
}
CALL(finch_model_extend) {
    finch_model *extended = NULL;
    finch_matrix some = first_rows(of, 40);
    return noted_model(finch_model_extend(of->model, &some, o, &extended), extended);
}
CALL(finch_hierarchy_dendrogram) {
    finch_dendrogram *dendrogram = NULL;
    finch_options options = *o;
    finch_status status = FINCH_OK;
    for (options.linkage = 1; options.linkage < 3 && status == FINCH_OK; options.linkage++) {
        status = finch_hierarchy_dendrogram(of->hierarchy, &of->matrix, &options, 1, &dendrogram);
        status = noted_dendrogram(status, dendrogram);
    }
    return status;
}
CALL(finch_dendrogram_cut) {
    (void)o;
    return noted(finch_dendrogram_cut(of->dendrogram, 9, labels, of->rows), labels,
                 of->rows * sizeof *labels);
}
CALL(finch_dendrogram_persistence) {
    (void)o;
    double persistence[10] = {0};
    finch_status status =
        finch_dendrogram_persistence(of->dendrogram, NULL, 9, persistence, 9, persistence + 9);
    return noted(status, persistence, sizeof persistence);
}
CALL(finch_hierarchy_suggest) {
    finch_status status = finch_hierarchy_suggest(of->hierarchy, &of->matrix, o, labels, of->rows,
                                                  NULL, NULL);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_labels) {
    finch_status status = FINCH_OK;
    size_t clusters = 0;
    for (int32_t flat = 0; flat < 3 && status == FINCH_OK; flat++) {
        size_t number = flat == FINCH_FLAT_CLUSTERS ? CLUSTERS : 0;
        status = finch_labels(&of->matrix, o, flat, number, labels, of->rows, &clusters);
        noted(status, labels, of->rows * sizeof *labels);
    }
    return status;
}
CALL(finch_cluster_batch) {
    finch_matrix parts[] = {first_rows(of, of->rows / 2), first_rows(of, of->rows / 4)};
    size_t clusters[2] = {0, 0}, all = parts[0].rows + parts[1].rows;
    finch_status status = finch_cluster_batch(parts, 2, o, FINCH_FLAT_SUGGESTED, 0, labels, all,
                                              clusters);
    return noted(status, labels, all * sizeof *labels);
}
CALL(finch_hierarchy_suggestion) {
    finch_dendrogram *dendrogram = NULL;
    size_t clusters = 0, partition = 0;
    return noted_dendrogram(finch_hierarchy_suggestion(of->hierarchy, &of->matrix, o, &dendrogram,
                                                       &clusters, &partition),
                            dendrogram);
}
CALL(finch_tree_of_hierarchy) {
    finch_tree *tree = NULL;
    (void)o;
    return noted_tree(finch_tree_of_hierarchy(of->hierarchy, &tree), tree);
}
CALL(finch_tree_of_dendrogram) {
    finch_tree *tree = NULL;
    (void)o;
    return noted_tree(finch_tree_of_dendrogram(of->dendrogram, of->hierarchy, &tree), tree);
}
CALL(finch_tree_linkage) {
    (void)o;
    return noted(finch_tree_linkage(of->tree, real, sizeof real / sizeof *real), real,
                 4 * (of->rows - 1) * sizeof *real);
}
CALL(finch_tree_text) {
    const char *text = NULL;
    size_t length = 0;
    finch_status status = FINCH_OK;
    (void)o;
    for (int32_t format = 0; format < 3 && status == FINCH_OK; format++) {
        status = finch_tree_text(of->tree, format, NULL, 0, &text, &length);
        noted(status, text, length);
    }
    return status;
}
CALL(finch_cluster_neighbors) {
    finch_hierarchy *hierarchy = NULL;
    /* Each row's neighbours are the rows behind it, at distances that rise. */
    for (size_t i = 0; i < of->rows * NEIGHBORS; i++) {
        size_t rank = i % NEIGHBORS;
        index_of[i] = (int32_t)((i / NEIGHBORS + 1 + rank * rank) % of->rows);
        more[i] = (double)(i % NEIGHBORS + i / NEIGHBORS % 5);
    }
    finch_status status = FINCH_OK;
    for (int without = 0; without < 2 && status == FINCH_OK; without++) {
        status = finch_cluster_neighbors(without ? NULL : &of->matrix, index_of, more, of->rows,
                                         NEIGHBORS, o, &hierarchy);
        status = noted_hierarchy(status, hierarchy);
    }
    return status;
}
CALL(finch_cluster_distances) {
    finch_hierarchy *hierarchy = NULL;
    finch_options options = *o;
    (void)of;
    options.metric = FINCH_EUCLIDEAN, options.search = FINCH_SEARCH_AUTO;
    return noted_hierarchy(finch_cluster_distances(distances, DISTANT_ROWS, &options, &hierarchy),
                           hierarchy);
}
CALL(finch_describe) {
    size_t last = finch_hierarchy_partition_count(of->hierarchy) - 1;
    memcpy(other, finch_hierarchy_labels(of->hierarchy, last), of->rows * sizeof *other);
    finch_status status = FINCH_OK;
    /* Without noise samples are described where they are; with noise the others are copied. */
    for (int noise = 0; noise < 2 && status == FINCH_OK; noise++) {
        finch_description *description = NULL;
        if (noise) {
            other[of->rows - 1] = -1;
        }
        status = finch_describe(&of->matrix, other, of->rows, of->weighted ? weights : NULL,
                                finch_hierarchy_first_neighbors(of->hierarchy), 1, 3, o,
                                &description);
        if (status == FINCH_OK) {
            size_t clusters = finch_description_cluster_count(description);
            note(finch_description_medoids(description), clusters * sizeof(int32_t));
            note(finch_description_exemplars(description), 3 * clusters * sizeof(int32_t));
            note(finch_description_spreads(description), clusters * sizeof(double));
            note(finch_description_silhouettes(description), clusters * sizeof(double));
            finch_description_free(description);
        }
    }
    return status;
}
CALL(finch_hierarchy_outlier_scores) {
    finch_status status
        = finch_hierarchy_outlier_scores(of->hierarchy, &of->matrix, o, real, of->rows);
    return noted(status, real, of->rows * sizeof *real);
}
CALL(finch_hierarchy_noise) {
    finch_options options = *o;
    options.min_cluster_size = 4;
    options.join_small = of->rows % 200 == 0;
    options.outliers = 0.05;
    finch_status status = finch_hierarchy_noise(of->hierarchy, &of->matrix,
                                                finch_hierarchy_labels(of->hierarchy, 0), of->rows,
                                                &options, labels, of->rows, NULL);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_hierarchy_membership) {
    finch_membership *membership;
    size_t last = finch_hierarchy_partition_count(of->hierarchy) - 1;
    finch_status status = finch_hierarchy_membership(of->hierarchy, &of->matrix,
                                                     finch_hierarchy_labels(of->hierarchy, last),
                                                     of->rows, o, &membership);
    if (status == FINCH_OK) {
        finch_matrix shares;
        CHECK(finch_membership_shares(membership, &shares));
        const finch_csr *csr = shares.data;
        note(csr->values, csr->value_count * sizeof(double));
        note(finch_membership_probabilities(membership), of->rows * sizeof(double));
        finch_membership_free(membership);
    }
    return status;
}
CALL(finch_first_neighbors) {
    finch_status status = finch_first_neighbors(&of->matrix, o, labels, real, of->rows);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_nearest_neighbors) {
    size_t count = of->rows * NEIGHBORS;
    finch_status status
        = finch_nearest_neighbors(&of->matrix, NEIGHBORS, o, index_of, real, count);
    return noted(status, index_of, count * sizeof *index_of);
}
CALL(finch_update_neighbors) {
    finch_options options = *o;
    options.search = FINCH_SEARCH_AUTO;
    for (size_t i = 0; i < of->rows; i++) {
        labels[i] = -1;
    }
    finch_status status
        = finch_update_neighbors(&of->matrix, 0, &of->matrix, 0, &options, labels, real, of->rows);
    return noted(status, labels, of->rows * sizeof *labels);
}
CALL(finch_keys_to_distances) {
    (void)o;
    return noted(finch_keys_to_distances(of->metric, weights, real, of->rows), real,
                 of->rows * sizeof *real);
}
CALL(finch_components) {
    (void)o;
    return noted(finch_components(finch_hierarchy_first_neighbors(of->hierarchy), of->rows, labels,
                                  NULL),
                 labels, of->rows * sizeof *labels);
}
CALL(finch_neighbors_between) {
    finch_options options = *o;
    options.search = FINCH_SEARCH_AUTO;
    for (size_t i = 0; i < of->rows * NEIGHBORS; i++) {
        numbers[i] = -1;
    }
    size_t count = of->rows * NEIGHBORS;
    finch_status status = finch_neighbors_between(&of->matrix, NULL, &of->matrix, NULL, NEIGHBORS,
                                                  &options, numbers, real, count);
    return noted(status, numbers, count * sizeof *numbers);
}
CALL(finch_sums_add) {
    size_t clusters = finch_hierarchy_cluster_count(of->hierarchy, 0);
    memset(real, 0, clusters * of->columns * sizeof *real);
    memset(sizes, 0, clusters * sizeof *sizes);
    finch_status status
        = finch_sums_add(&of->matrix, finch_hierarchy_labels(of->hierarchy, 0), of->rows, o, real,
                         sizes, clusters);
    return noted(status, real, clusters * of->columns * sizeof *real);
}
CALL(finch_score) {
    finch_scores scores;
    (void)o;
    for (size_t i = 0; i < of->rows; i++) {
        other[i] = (int32_t)(i * i % 97);
    }
    return noted(finch_score(finch_hierarchy_labels(of->hierarchy, 0), other, of->rows, &scores,
                             sizeof scores),
                 &scores, sizeof scores);
}
CALL(finch_score_weighted) {
    finch_scores scores;
    (void)o;
    for (size_t i = 0; i < of->rows; i++) {
        other[i] = (int32_t)(i * i % 97);
    }
    return noted(finch_score_weighted(finch_hierarchy_labels(of->hierarchy, 0), other, weights,
                                      of->rows, &scores, sizeof scores),
                 &scores, sizeof scores);
}

#define ENTRY(name) {#name, call_##name}
static const struct {
    const char *name;
    finch_status (*call)(const struct input *of, const finch_options *options);
} calls[] = {
    ENTRY(finch_options_init),
    ENTRY(finch_describe),
    ENTRY(finch_cluster),
    ENTRY(finch_cluster_given),
    ENTRY(finch_hierarchy_copy_labels),
    ENTRY(finch_hierarchy_copy_all_labels),
    ENTRY(finch_hierarchy_means),
    ENTRY(finch_hierarchy_refine),
    ENTRY(finch_constraints_init),
    ENTRY(finch_hierarchy_refine_constrained),
    ENTRY(finch_hierarchy_refine_into),
    ENTRY(finch_hierarchy_extend),
    ENTRY(finch_keep_labels),
    ENTRY(finch_keep_labels_into),
    ENTRY(finch_cluster_weighted),
    ENTRY(finch_cluster_timed),
    ENTRY(finch_model_new),
    ENTRY(finch_model_means),
    ENTRY(finch_model_serialized_size),
    ENTRY(finch_model_serialize),
    ENTRY(finch_model_deserialize),
    ENTRY(finch_model_save),
    ENTRY(finch_model_load),
    ENTRY(finch_model_predict),
    ENTRY(finch_model_predict_into),
    ENTRY(finch_model_extend),
    ENTRY(finch_hierarchy_dendrogram),
    ENTRY(finch_dendrogram_cut),
    ENTRY(finch_dendrogram_persistence),
    ENTRY(finch_hierarchy_suggest),
    ENTRY(finch_labels),
    ENTRY(finch_cluster_batch),
    ENTRY(finch_hierarchy_suggestion),
    ENTRY(finch_tree_of_hierarchy),
    ENTRY(finch_tree_of_dendrogram),
    ENTRY(finch_tree_linkage),
    ENTRY(finch_tree_text),
    ENTRY(finch_cluster_neighbors),
    ENTRY(finch_cluster_distances),
    ENTRY(finch_hierarchy_outlier_scores),
    ENTRY(finch_hierarchy_noise),
    ENTRY(finch_hierarchy_membership),
    ENTRY(finch_first_neighbors),
    ENTRY(finch_nearest_neighbors),
    ENTRY(finch_update_neighbors),
    ENTRY(finch_keys_to_distances),
    ENTRY(finch_components),
    ENTRY(finch_neighbors_between),
    ENTRY(finch_sums_add),
    ENTRY(finch_score),
    ENTRY(finch_score_weighted),
};
enum { CALLS = sizeof calls / sizeof *calls };

static int32_t go_on(const finch_progress *progress, void *user_data) {
    (void)progress, (void)user_data;
    return 0;
}

static finch_options options_of(const struct input *of, size_t threads, bool watched) {
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = of->metric;
    options.search = of->search;
    options.threads = threads;
    options.progress = watched ? go_on : NULL;
    return options;
}

/* Makes the samples of an input, and what calls on them need, on this thread alone. */
static void prepare(struct input *of) {
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double cloud = (double)(i / of->columns / 60 * (i % of->columns + 3) % 17);
        wide[i] = cloud + (double)(state >> 40) / (1 << 24);
        if (i < sizeof narrow / sizeof *narrow) {
            narrow[i] = (float)wide[i];
            bytes[i] = (uint8_t)(state >> 56);
        }
    }
    for (size_t i = 0; i < MOST_ROWS; i++) {
        weights[i] = (double)(1 + i % 3) / 2.0;
        times[i] = (double)i;
    }
    for (size_t i = 0; i < DISTANT_ROWS; i++) {
        for (size_t j = 0; j < DISTANT_ROWS; j++) {
            double between = (double)(i % 11 + i / 50 * 20) - (double)(j % 11 + j / 50 * 20);
            distances[i * DISTANT_ROWS + j] = i == j ? 0.0 : 1.0 + between * between;
        }
    }
    const void *data = of->element == FINCH_F64 ? (const void *)wide
                       : of->element == FINCH_F32 ? (const void *)narrow
                                                  : (const void *)bytes;
    of->matrix = finch_matrix_row_major(data, of->element, of->rows, of->columns);
    if (of->element == FINCH_BITS) {
        of->matrix.row_stride = MOST_COLUMNS / 8;
        of->matrix.column_stride = 1;
    }
    if (of->element == FINCH_CSR) {
        int32_t count = 0;
        for (size_t row = 0; row < of->rows; row++) {
            starts[row] = count;
            for (size_t column = 0; column < of->columns; column++) {
                if ((bytes[row * of->columns + column] + row / 60) % 5 == 0) {
                    columns[count] = (int32_t)column;
                    values[count++] = narrow[row * of->columns + column];
                }
            }
        }
        starts[of->rows] = count;
        of->csr = (finch_csr){sizeof(finch_csr), starts, columns, values, (size_t)count,
                              FINCH_F32, 32};
        of->matrix = finch_matrix_csr(&of->csr, of->rows, of->columns);
    }
    finch_options options = options_of(of, 1, false);
    OK(finch_cluster(&of->matrix, &options, &of->hierarchy));
    OK(finch_model_new(of->hierarchy, &of->matrix, 1, NULL, 0, &options, &of->model));
    OK(finch_hierarchy_dendrogram(of->hierarchy, &of->matrix, &options, 1, &of->dendrogram));
    OK(finch_tree_of_hierarchy(of->hierarchy, &of->tree));
    OK(finch_model_serialized_size(of->model, &of->serialized_size));
    of->serialized = malloc(of->serialized_size);
    CHECK(of->serialized);
    OK(finch_model_serialize(of->model, of->serialized, of->serialized_size));
    OK(finch_model_save(of->model, path));
}

static void dispose(struct input *of) {
    free(of->serialized);
    finch_tree_free(of->tree);
    finch_dendrogram_free(of->dendrogram);
    finch_model_free(of->model);
    finch_hierarchy_free(of->hierarchy);
    remove(path);
}

#endif
