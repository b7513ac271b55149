/* Samples that are added: the hierarchy of all, names that clusters keep, and what goes wrong. */
#include "check.h"

#include <math.h>

enum { ROWS = 9, COLUMNS = 2, FIRST = 6 };

static double values[ROWS][COLUMNS] = {{0, 0}, {0, 1}, {9, 9}, {9, 8}, {5, 0},
                                       {5, 1}, {9, 7}, {30, 30}, {31, 30}};
static int cases;

static void expect(finch_status found, finch_status expected, const char *words) {
    cases++;
    CHECK(found == expected);
    CHECK(strstr(finch_last_error_message(), words) != NULL);
}

static finch_hierarchy *cluster(size_t rows, const finch_options *options) {
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, rows, COLUMNS);
    finch_hierarchy *hierarchy;
    OK(finch_cluster(&samples, options, &hierarchy));
    return hierarchy;
}

static void extending_is_clustering_anew(void) {
    finch_matrix all = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
    for (int32_t metric = FINCH_EUCLIDEAN; metric <= FINCH_MANHATTAN; metric++) {
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.metric = metric;
        options.search = FINCH_SEARCH_BLOCKED;
        finch_hierarchy *before = cluster(FIRST, &options), *anew = cluster(ROWS, &options), *extended;
        OK(finch_hierarchy_extend(before, &all, NULL, &options, &extended));
        size_t partitions = finch_hierarchy_partition_count(anew);
        CHECK(finch_hierarchy_partition_count(extended) == partitions);
        for (size_t p = 0; p < partitions; p++) {
            CHECK(memcmp(finch_hierarchy_labels(anew, p), finch_hierarchy_labels(extended, p),
                         ROWS * sizeof(int32_t)) == 0);
        }
        CHECK(memcmp(finch_hierarchy_distances(anew), finch_hierarchy_distances(extended),
                     ROWS * sizeof(double)) == 0);
        CHECK(finch_hierarchy_metric(extended) == metric);
        finch_hierarchy_free(before);
        finch_hierarchy_free(anew);
        finch_hierarchy_free(extended);
    }
}

static void what_cannot_be_extended(void) {
    finch_hierarchy *hierarchy = cluster(FIRST, NULL), *none = NULL;
    finch_matrix all = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
    expect(finch_hierarchy_extend(NULL, &all, NULL, NULL, &none), FINCH_NULL_POINTER, "hierarchy");
    expect(finch_hierarchy_extend(hierarchy, NULL, NULL, NULL, &none), FINCH_NULL_POINTER, "samples");
    expect(finch_hierarchy_extend(hierarchy, &all, NULL, NULL, NULL), FINCH_NULL_POINTER, "extended");
    finch_matrix few = finch_matrix_row_major(values, FINCH_F64, FIRST - 1, COLUMNS);
    expect(finch_hierarchy_extend(hierarchy, &few, NULL, NULL, &none), FINCH_SAMPLE_COUNT, "6");
    finch_matrix narrow = finch_matrix_row_major(values, FINCH_F64, ROWS, 1);
    narrow.row_stride = COLUMNS;
    expect(finch_hierarchy_extend(hierarchy, &narrow, NULL, NULL, &none), FINCH_FEATURE_COUNT, "2");
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.search = 77;
    expect(finch_hierarchy_extend(hierarchy, &all, NULL, &options, &none), FINCH_INVALID_VALUE, "77");
    double kept = values[ROWS - 1][1];
    values[ROWS - 1][1] = NAN;
    expect(finch_hierarchy_extend(hierarchy, &all, NULL, NULL, &none), FINCH_NON_FINITE, "row 8");
    values[ROWS - 1][1] = kept;
    double weights[ROWS] = {1, 1, 1, 1, 1, 1, 1, 1, -2};
    expect(finch_hierarchy_extend(hierarchy, &all, weights, NULL, &none), FINCH_INVALID_WEIGHT, "8");
    CHECK(none == NULL);
    weights[ROWS - 1] = 2;
    OK(finch_hierarchy_extend(hierarchy, &all, weights, NULL, &none));
    CHECK(finch_hierarchy_weights(none)[ROWS - 1] == 2);
    finch_hierarchy_free(none);
    finch_hierarchy_free(hierarchy);
}

static void clusters_keep_their_names(void) {
    const int32_t old[] = {7, 8, 8, -9}, new[] = {0, 1, 1, 0, 2, 1};
    int32_t labels[6], fates[3];
    size_t clusters;
    OK(finch_keep_labels(old, 4, new, 6, labels, 6, fates, 3, &clusters));
    const int32_t expected[] = {0, 1, 1, 0, 3, 1};
    CHECK(memcmp(labels, expected, sizeof expected) == 0);
    CHECK(clusters == 3 && fates[0] == FINCH_FATE_MERGED && fates[1] == FINCH_FATE_GREW);
    CHECK(fates[2] == FINCH_FATE_APPEARED);
    OK(finch_keep_labels(old, 4, new, 6, labels, 6, NULL, 0, NULL));
    int32_t again[6], again_fates[3];
    finch_kept_labels kept = {
        .size = sizeof kept, .labels = again, .capacity = 6, .fates = again_fates, .fate_capacity = 3};
    OK(finch_keep_labels_into(old, 4, new, 6, &kept));
    CHECK(kept.clusters == 3 && memcmp(again, labels, sizeof again) == 0);
    CHECK(memcmp(again_fates, fates, sizeof fates) == 0);
    kept.clusters = 77;
    kept.fate_capacity = 2;
    expect(finch_keep_labels_into(old, 4, new, 6, &kept), FINCH_BUFFER_TOO_SMALL, "fates");
    kept.fates = NULL;
    OK(finch_keep_labels_into(old, 4, new, 6, &kept));
    kept.clusters = 77;
    expect(finch_keep_labels_into(old, 4, new, 3, &kept), FINCH_SAMPLE_COUNT, "4");
    kept.size = 1;
    expect(finch_keep_labels_into(old, 4, new, 6, &kept), FINCH_INVALID_SIZE, "sizeof(finch_kept_labels)");
    CHECK(kept.clusters == 77);
    expect(finch_keep_labels_into(old, 4, new, 6, NULL), FINCH_NULL_POINTER, "kept");

    expect(finch_keep_labels(NULL, 4, new, 6, labels, 6, NULL, 0, NULL), FINCH_NULL_POINTER, "old_labels");
    expect(finch_keep_labels(old, 4, NULL, 6, labels, 6, NULL, 0, NULL), FINCH_NULL_POINTER, "new_labels");
    expect(finch_keep_labels(old, 4, new, 6, NULL, 6, NULL, 0, NULL), FINCH_NULL_POINTER, "labels");
    expect(finch_keep_labels(old, 4, new, 6, labels, 5, NULL, 0, NULL), FINCH_BUFFER_TOO_SMALL, "labels");
    expect(finch_keep_labels(old, 4, new, 6, labels, 6, fates, 2, NULL), FINCH_BUFFER_TOO_SMALL, "fates");
    expect(finch_keep_labels(old, 4, new, 3, labels, 6, NULL, 0, NULL), FINCH_SAMPLE_COUNT, "4");
    expect(finch_keep_labels(old, 0, new, 6, labels, 6, NULL, 0, NULL), FINCH_NO_SAMPLES, "no samples");
}

int main(void) {
    extending_is_clustering_anew();
    what_cannot_be_extended();
    clusters_keep_their_names();
    printf("%d\n", cases);
    return 0;
}
