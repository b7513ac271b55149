/* Weights: whole weights against repeated rows, weights by hand, and weights that are errors; and
 * times.
 *
 * Prints the number of calls that failed as they should.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 40, COLUMNS = 2, MOST = 8 * ROWS };

static double values[ROWS][COLUMNS];
static double weights[ROWS];
static double copies[MOST][COLUMNS];
/* The first copy of each row, and how many copies there are. */
static size_t first[ROWS];
static size_t count;

static void fill(void) {
    uint64_t state = 11;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            values[i][j] = 9.0 * (double)(i % 5) + (double)(state >> 60);
        }
        weights[i] = (double)(1 + (state >> 40) % 8 * (i % 3 == 0));
        first[i] = count;
        for (size_t copy = 0; copy < (size_t)weights[i]; copy++, count++) {
            memcpy(copies[count], values[i], sizeof values[i]);
        }
    }
    CHECK(count > ROWS && count <= MOST);
}

/* The labels of the copies, one for each row. */
static void expect_same(const int32_t *found, const int32_t *of_copies) {
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(found[i] == of_copies[first[i]]);
    }
}

static void repeated_rows(finch_metric metric, finch_link_bound bound) {
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = metric;
    options.link_bound = bound;
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
    finch_matrix all = finch_matrix_row_major(copies, FINCH_F64, count, COLUMNS);
    finch_hierarchy *weighted = NULL, *repeated = NULL;
    OK(finch_cluster_weighted(&samples, weights, ROWS, &options, &weighted));
    OK(finch_cluster(&all, &options, &repeated));
    CHECK(memcmp(finch_hierarchy_weights(weighted), weights, sizeof weights) == 0);
    CHECK(finch_hierarchy_weights(repeated) == NULL);
    CHECK(finch_hierarchy_sample_count(weighted) == ROWS);

    size_t partitions = finch_hierarchy_partition_count(repeated);
    CHECK(finch_hierarchy_partition_count(weighted) == partitions);
    for (size_t partition = 0; partition < partitions; partition++) {
        size_t clusters = finch_hierarchy_cluster_count(repeated, partition);
        CHECK(finch_hierarchy_cluster_count(weighted, partition) == clusters);
        const int32_t *labels = finch_hierarchy_labels(weighted, partition);
        expect_same(labels, finch_hierarchy_labels(repeated, partition));

        double found[ROWS * COLUMNS], expected[ROWS * COLUMNS];
        size_t room = clusters * COLUMNS;
        OK(finch_hierarchy_means(weighted, partition, &samples, &options, found, room));
        OK(finch_hierarchy_means(repeated, partition, &all, &options, expected, room));
        CHECK(memcmp(found, expected, room * sizeof *found) == 0);

        int32_t truth[ROWS], truth_of_copies[MOST];
        for (size_t i = 0; i < ROWS; i++) {
            truth[i] = (int32_t)(i % 5);
            for (size_t copy = 0; copy < (size_t)weights[i]; copy++) {
                truth_of_copies[first[i] + copy] = truth[i];
            }
        }
        finch_scores score, score_of_copies;
        OK(finch_score_weighted(labels, truth, weights, ROWS, &score, sizeof score));
        OK(finch_score(finch_hierarchy_labels(repeated, partition), truth_of_copies, count,
                       &score_of_copies, sizeof score_of_copies));
        CHECK(memcmp(&score, &score_of_copies, sizeof score) == 0);
    }
    for (int32_t linkage = 0; linkage <= FINCH_LINKAGE_AUTO; linkage++) {
        options.linkage = linkage;
        for (size_t clusters = 1; clusters <= ROWS; clusters++) {
            int32_t found[ROWS], expected[MOST];
            OK(finch_hierarchy_refine(weighted, &samples, clusters, &options, found, ROWS));
            OK(finch_hierarchy_refine(repeated, &all, clusters, &options, expected, count));
            /* Rows that are equal are never apart, but beyond their number copies may be. */
            if (clusters <= finch_hierarchy_cluster_count(repeated, 0)) {
                expect_same(found, expected);
            }
        }
    }
    finch_hierarchy_free(weighted);
    finch_hierarchy_free(repeated);
}

/* A row of weight 2 or more is nearest to itself; 0.5 and 1.5 are rows by themselves. */
static void by_hand(void) {
    float points[5][1] = {{0}, {1}, {3}, {9}, {12}};
    double of_points[5] = {0.5, 1.5, 2.5, 1, 3};
    finch_matrix samples = finch_matrix_row_major(points, FINCH_F32, 5, 1);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster_weighted(&samples, of_points, 5, NULL, &hierarchy));
    int32_t expected[5] = {0, 0, 1, 2, 2};
    CHECK(memcmp(finch_hierarchy_labels(hierarchy, 0), expected, sizeof expected) == 0);
    CHECK(finch_hierarchy_first_neighbors(hierarchy)[2] == 1);
    CHECK(finch_hierarchy_distances(hierarchy)[2] == 2);
    double means[3];
    OK(finch_hierarchy_means(hierarchy, 0, &samples, NULL, means, 3));
    CHECK(means[0] == 0.75 && means[1] == 3 && means[2] == 11.25);
    finch_hierarchy_free(hierarchy);
}

/* Two things take turns. */
static void times(void) {
    uint8_t points[6][1] = {{0}, {6}, {180}, {186}, {2}, {3}};
    double seconds[6] = {1, 2, 3, 4, 5, 6};
    finch_matrix samples = finch_matrix_row_major(points, FINCH_U8, 6, 1);
    int32_t expected[6] = {0, 0, 1, 1, 2, 2}, both[6] = {0, 0, 1, 1, 0, 0}, labels[6];
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    CHECK(memcmp(finch_hierarchy_labels(hierarchy, 0), both, sizeof both) == 0);
    finch_hierarchy_free(hierarchy);
    for (int32_t contiguous = 0; contiguous < 2; contiguous++) {
        OK(finch_cluster_timed(&samples, seconds, 6, contiguous, NULL, &hierarchy));
        CHECK(memcmp(finch_hierarchy_labels(hierarchy, 0), expected, sizeof expected) == 0);
        CHECK(finch_hierarchy_first_neighbors(hierarchy)[2] == 3);
        CHECK(fabs(finch_hierarchy_distances(hierarchy)[2] - 1.2) < 1e-12);
        OK(finch_hierarchy_refine(hierarchy, &samples, 2, NULL, labels, 6));
        CHECK(labels[2] == labels[3] && labels[0] == labels[1]);
        CHECK(!contiguous || labels[0] != labels[4]);
        finch_hierarchy_free(hierarchy);
    }
}

static int cases;

static void expect_fault(int line, finch_status found, finch_status expected, const char *words) {
    cases++;
    if (found != expected || strstr(finch_last_error_message(), words) == NULL) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"\n", line, finch_status_name(found),
                finch_status_name(expected), finch_last_error_message());
        exit(1);
    }
}

/* A weight that is an error, in both functions that take weights. Neither writes anything. */
#define FAULT_OF_WEIGHT(change, words)                                                             \
    do {                                                                                           \
        double of_rows[ROWS];                                                                      \
        memcpy(of_rows, weights, sizeof weights);                                                  \
        change;                                                                                    \
        finch_hierarchy *none = NULL;                                                              \
        expect_fault(__LINE__, finch_cluster_weighted(&samples, of_rows, ROWS, NULL, &none),       \
                     FINCH_INVALID_WEIGHT, words);                                                 \
        CHECK(none == NULL);                                                                       \
        finch_scores scores = {.nmi = 7};                                                          \
        expect_fault(__LINE__,                                                                     \
                     finch_score_weighted(labels, labels, of_rows, ROWS, &scores, sizeof scores),  \
                     FINCH_INVALID_WEIGHT, words);                                                 \
        CHECK(scores.nmi == 7);                                                                    \
    } while (0)

#define FAULT(call, status, words) expect_fault(__LINE__, call, status, words)

static void faults(void) {
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
    int32_t labels[ROWS] = {0};
    FAULT_OF_WEIGHT(of_rows[3] = 0, "sample 3 has weight 0");
    FAULT_OF_WEIGHT(of_rows[0] = -0.0, "sample 0 has weight");
    FAULT_OF_WEIGHT(of_rows[39] = -1, "sample 39 has weight -1");
    FAULT_OF_WEIGHT(of_rows[5] = NAN, "sample 5 has weight NaN");
    FAULT_OF_WEIGHT(of_rows[6] = -INFINITY, "sample 6 has weight -inf");
    FAULT_OF_WEIGHT(of_rows[6] = INFINITY, "sample 6");
    FAULT_OF_WEIGHT(of_rows[7] = 1e-101, "sample 7 has weight");
    FAULT_OF_WEIGHT(of_rows[7] = 5e-324, "leave out");
    FAULT_OF_WEIGHT(of_rows[8] = 1e16, "sample 8");
    FAULT_OF_WEIGHT(of_rows[9] = 9007199254740992.0, "2^53");
    FAULT_OF_WEIGHT((of_rows[10] = 6e15, of_rows[11] = 6e15), "sample 11");

    finch_hierarchy *none = NULL;
    finch_scores scores;
    size_t size = sizeof scores;
    const double *misaligned = (const double *)((const char *)weights + 1);
    FAULT(finch_cluster_weighted(&samples, NULL, ROWS, NULL, &none), FINCH_NULL_POINTER, "weights");
    FAULT(finch_cluster_weighted(&samples, misaligned, ROWS, NULL, &none), FINCH_MISALIGNED,
          "weights");
    FAULT(finch_cluster_weighted(&samples, weights, ROWS - 1, NULL, &none), FINCH_SAMPLE_COUNT,
          "weights has 39 numbers for 40 samples");
    FAULT(finch_cluster_weighted(&samples, weights, 0, NULL, &none), FINCH_SAMPLE_COUNT, "has 0 numbers");
    FAULT(finch_cluster_weighted(&samples, weights, SIZE_MAX, NULL, &none), FINCH_SAMPLE_COUNT,
          "for 40");
    FAULT(finch_cluster_weighted(NULL, weights, ROWS, NULL, &none), FINCH_NULL_POINTER, "samples");
    FAULT(finch_cluster_weighted(&samples, weights, ROWS, NULL, NULL), FINCH_NULL_POINTER,
          "hierarchy");
    CHECK(none == NULL);
    double stamps[ROWS] = {0};
    stamps[3] = NAN;
    FAULT(finch_cluster_timed(&samples, stamps, ROWS, 0, NULL, &none), FINCH_INVALID_TIMES,
          "sample 3 (from 0) has the time stamp NaN");
    FAULT(finch_cluster_timed(&samples, stamps, SIZE_MAX, 1, NULL, &none), FINCH_SAMPLE_COUNT,
          "for 40");
    FAULT(finch_cluster_timed(&samples, NULL, ROWS, 0, NULL, &none), FINCH_NULL_POINTER, "times");
    CHECK(none == NULL);
    stamps[3] = 1;
    finch_hierarchy *timed = NULL;
    size_t clusters, partition;
    OK(finch_cluster_timed(&samples, stamps, ROWS, 0, NULL, &timed));
    FAULT(finch_hierarchy_suggest(timed, &samples, NULL, labels, ROWS, &clusters, &partition),
          FINCH_INVALID_TIMES, "a suggestion does not look at times");
    finch_hierarchy_free(timed);
    FAULT(finch_score_weighted(labels, labels, NULL, ROWS, &scores, size), FINCH_NULL_POINTER,
          "weights");
    FAULT(finch_score_weighted(labels, labels, misaligned, ROWS, &scores, size), FINCH_MISALIGNED,
          "weights");
    FAULT(finch_score_weighted(NULL, labels, weights, ROWS, &scores, size), FINCH_NULL_POINTER,
          "labels");
    FAULT(finch_score_weighted(labels, NULL, weights, ROWS, &scores, size), FINCH_NULL_POINTER,
          "truth");
    FAULT(finch_score_weighted(labels, labels, weights, 0, &scores, size), FINCH_NO_SAMPLES,
          "no samples");
    FAULT(finch_score_weighted(labels, labels, weights, SIZE_MAX, &scores, size),
          FINCH_INVALID_SIZE, "would reach");
    FAULT(finch_score_weighted(labels, labels, weights, ROWS, NULL, size), FINCH_NULL_POINTER,
          "scores");
    FAULT(finch_score_weighted(labels, labels, weights, ROWS, &scores, 8), FINCH_INVALID_SIZE,
          "size of 8");
    CHECK(finch_hierarchy_weights(NULL) == NULL);
}

int main(void) {
    fill();
    for (int32_t metric = 0; metric < 3; metric++) {
        for (int32_t bound = 0; bound < 2; bound++) {
            repeated_rows(metric, bound);
        }
    }
    by_hand();
    times();
    faults();
    printf("%d\n", cases);
    return 0;
}
