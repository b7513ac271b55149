/* Neighbours and distances that the caller brings: what they give, and what goes wrong.
 *
 * Each case is a call in which one thing is wrong, beside a call that differs in that only and works.
 * Prints the number of cases.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { N = 6, K = 3 };

static int cases;

/* The arguments of calls, sound at first: three pairs, each row with itself first. */
struct call {
    double values[N][1];
    finch_matrix samples;
    const finch_matrix *given;
    int32_t index[N][K];
    double distance[N][K];
    double matrix[N][N];
    size_t rows, k;
    finch_options options;
    int32_t labels[N];
};

static struct call sound(void) {
    struct call call = {
        .values = {{0}, {1}, {10}, {11}, {50}, {51}},
        .index = {{0, 1, 2}, {1, 0, 2}, {2, 3, 1}, {3, 2, 1}, {4, 5, 3}, {5, 4, 3}},
        .distance = {{0, 1, 10}, {0, 1, 9}, {0, 1, 9}, {0, 1, 10}, {0, 1, 39}, {0, 1, 40}},
        .rows = N,
        .k = K,
    };
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            call.matrix[i][j] = fabs(call.values[i][0] - call.values[j][0]);
        }
    }
    OK(finch_options_init(&call.options, sizeof call.options));
    memset(call.labels, 0x55, sizeof call.labels);
    return call;
}

/* A copy lies elsewhere, so its matrix has to be made anew. */
static void place(struct call *call) {
    call->samples = finch_matrix_row_major(call->values, FINCH_F64, N, 1);
    call->given = &call->samples;
}

static finch_status neighbors(const struct call *call, finch_hierarchy **hierarchy) {
    return finch_cluster_neighbors(call->given, &call->index[0][0], &call->distance[0][0], call->rows,
                                   call->k, &call->options, hierarchy);
}

static finch_status distances(const struct call *call, finch_hierarchy **hierarchy) {
    return finch_cluster_distances(&call->matrix[0][0], call->rows, &call->options, hierarchy);
}

static void expect_fault(int line, finch_status found, finch_status expected, const char *words,
                         bool untouched) {
    cases++;
    if (found != expected || strstr(finch_last_error_message(), words) == NULL || !untouched) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"%s\n", line, finch_status_name(found),
                finch_status_name(expected), finch_last_error_message(),
                untouched ? "" : ", and an output was written");
        exit(1);
    }
}

/* One case: what is changed in a sound call, the call, and how it fails. */
#define FAULT(change, expression, status, words)                                                   \
    do {                                                                                           \
        struct call call = sound();                                                                \
        finch_hierarchy *made = NULL;                                                              \
        place(&call);                                                                              \
        change;                                                                                    \
        finch_status found = (expression);                                                         \
        expect_fault(__LINE__, found, status, words, made == NULL);                                \
    } while (0)

/* A fault of the table, beside samples and without. */
#define FAULT_OF_TABLE(change, status, words)                                                      \
    do {                                                                                           \
        FAULT(change, neighbors(&call, &made), status, words);                                     \
        FAULT(change; call.given = NULL, neighbors(&call, &made), status, words);                  \
    } while (0)

static int stop(const finch_progress *progress, void *calls) {
    (void)progress;
    return --*(int *)calls < 0;
}

static void faults(void) {
    FAULT_OF_TABLE(call.index[4][2] = 6, FINCH_INVALID_NEIGHBOR, "neighbour 6 at row 4, column 2");
    FAULT_OF_TABLE(call.index[4][0] = -2, FINCH_INVALID_NEIGHBOR, "neighbour -2 at row 4, column 0");
    FAULT_OF_TABLE(call.index[1][2] = INT32_MAX, FINCH_INVALID_NEIGHBOR, "2147483647 at row 1");
    FAULT_OF_TABLE(call.index[5][2] = INT32_MIN, FINCH_INVALID_NEIGHBOR, "is no sample");
    FAULT_OF_TABLE(call.index[3][2] = 2, FINCH_INVALID_NEIGHBOR, "row 3, column 2 (from 0) is in the");
    FAULT_OF_TABLE(call.distance[2][2] = -INFINITY, FINCH_INVALID_DISTANCE, "not finite");
    FAULT_OF_TABLE(call.distance[0][1] = -1, FINCH_INVALID_DISTANCE, "-1 at row 0, column 1");
    FAULT_OF_TABLE(call.distance[5][1] = 1e300, FINCH_INVALID_DISTANCE, "too large");
    FAULT_OF_TABLE(call.rows = 0, FINCH_NO_SAMPLES, "no samples");
    FAULT_OF_TABLE(call.rows = SIZE_MAX, FINCH_TOO_MANY_SAMPLES, "more than labels can number");
    FAULT_OF_TABLE((call.rows = SIZE_MAX, call.k = 0), FINCH_TOO_MANY_SAMPLES, "more than labels");
    FAULT_OF_TABLE(call.k = SIZE_MAX / 2, FINCH_INVALID_SIZE, "index would reach beyond");
    FAULT_OF_TABLE(call.options.metric = 9, FINCH_INVALID_VALUE, "9 is no metric");
    FAULT_OF_TABLE(call.options.size = 3, FINCH_INVALID_SIZE, "3 bytes");
    FAULT(call.rows = N - 1; call.index[3][2] = 1, neighbors(&call, &made), FINCH_INVALID_NEIGHBOR,
          "neighbour 5 at row 4");
    FAULT(call.samples.rows = N - 1, neighbors(&call, &made), FINCH_SAMPLE_COUNT, "expected 6");
    FAULT(call.samples.data = NULL, neighbors(&call, &made), FINCH_NULL_POINTER, "samples->data");
    FAULT(call.values[1][0] = NAN, neighbors(&call, &made), FINCH_NON_FINITE, "row 1, column 0");
    FAULT(, neighbors(&call, NULL), FINCH_NULL_POINTER, "hierarchy is NULL");
    FAULT(, finch_cluster_neighbors(NULL, NULL, &call.distance[0][0], N, K, NULL, &made),
          FINCH_NULL_POINTER, "index is NULL");
    FAULT(, finch_cluster_neighbors(NULL, &call.index[0][0], NULL, N, K, NULL, &made),
          FINCH_NULL_POINTER, "distance is NULL");
    FAULT(, finch_cluster_neighbors(NULL, (int32_t *)((char *)call.index + 1), call.distance[0], 5, K,
                                    NULL, &made),
          FINCH_MISALIGNED, "index is at an address");

    FAULT(call.matrix[1][4] = NAN, distances(&call, &made), FINCH_INVALID_DISTANCE,
          "NaN at row 1, column 4");
    FAULT(call.matrix[4][1] = INFINITY, distances(&call, &made), FINCH_INVALID_DISTANCE,
          "inf at row 4, column 1");
    FAULT(call.matrix[0][1] = call.matrix[1][0] = -1, distances(&call, &made), FINCH_INVALID_DISTANCE,
          "-1 at row 0, column 1");
    FAULT(call.matrix[3][2] += 1e-6, distances(&call, &made), FINCH_INVALID_DISTANCE, "transpose");
    FAULT(call.matrix[3][3] = 1e-9, distances(&call, &made), FINCH_INVALID_DISTANCE,
          "row 3, column 3 (from 0) is not 0");
    FAULT(call.rows = N - 1, distances(&call, &made), FINCH_INVALID_DISTANCE, "row");
    FAULT(call.rows = 0, distances(&call, &made), FINCH_NO_SAMPLES, "no samples");
    FAULT(call.rows = SIZE_MAX, distances(&call, &made), FINCH_TOO_MANY_SAMPLES, "number");
    FAULT(call.options.threads = SIZE_MAX; call.options.search = 99, distances(&call, &made),
          FINCH_INVALID_VALUE, "99 is no search");
    FAULT(, finch_cluster_distances(NULL, N, NULL, &made), FINCH_NULL_POINTER, "distances is NULL");
    FAULT(, distances(&call, NULL), FINCH_NULL_POINTER, "hierarchy is NULL");

    int calls = 0;
    FAULT(call.options.progress = stop; call.options.user_data = &calls, distances(&call, &made),
          FINCH_CANCELLED, "stopped");
    for (calls = 0; calls < 2; calls++) {
        int left = calls;
        FAULT(call.options.progress = stop; call.options.user_data = &left;
              call.given = NULL, neighbors(&call, &made), FINCH_CANCELLED, "stopped");
    }
}

/* Rows of any length: one without a neighbour is a cluster of its own, and shortens no other. */
static void rows_of_any_length(void) {
    for (int kind = 0; kind < 4; kind++) {
        for (int with = 0; with < 2; with++) {
            struct call call = sound();
            finch_hierarchy *made = NULL;
            place(&call);
            call.given = with ? &call.samples : NULL;
            for (size_t j = 0; j < K; j++) {
                call.index[3][j] = kind == 0 ? -1 : kind == 1 ? 3 : call.index[3][j];
                call.distance[3][j] = kind < 2 ? 1 : kind == 2 ? NAN : INFINITY;
            }
            call.index[2][1] = -1;
            OK(neighbors(&call, &made));
            const int32_t expected[N] = {0, 0, 0, 1, 2, 2}, first[N] = {1, 0, 1, -1, 5, 4};
            size_t bytes = sizeof expected;
            CHECK(memcmp(finch_hierarchy_labels(made, 0), expected, bytes) == 0);
            CHECK(memcmp(finch_hierarchy_first_neighbors(made), first, bytes) == 0);
            CHECK(isinf(finch_hierarchy_distances(made)[3]) && finch_hierarchy_distances(made)[2] == 9);
            OK(finch_hierarchy_refine(made, call.given, 3, NULL, call.labels, N));
            CHECK(memcmp(call.labels, expected, bytes) == 0);
            finch_hierarchy_free(made);
            call.k = 0;
            OK(neighbors(&call, &made));
            CHECK(finch_hierarchy_cluster_count(made, 0) == N);
            finch_hierarchy_free(made);
        }
    }
}

/* Refining beside a hierarchy that has samples, and one that has none. */
static void refining(void) {
    struct call call = sound();
    place(&call);
    finch_hierarchy *made = NULL, *with, *without, *of_matrix, *searched;
    OK(finch_cluster(&call.samples, NULL, &searched));
    OK(neighbors(&call, &with));
    call.given = NULL;
    OK(neighbors(&call, &without));
    OK(distances(&call, &of_matrix));
    CHECK(finch_hierarchy_feature_count(with) == 1);
    finch_hierarchy *all[] = {with, without, of_matrix};
    for (size_t i = 0; i < 3; i++) {
        size_t bytes = N * sizeof(int32_t);
        CHECK(memcmp(finch_hierarchy_labels(all[i], 0), finch_hierarchy_labels(searched, 0), bytes) == 0);
        CHECK(finch_hierarchy_search(all[i]) == -1 && finch_hierarchy_recall(all[i]) == -1);
        CHECK(finch_hierarchy_explanation(all[i]) == NULL);
        CHECK(finch_hierarchy_distances(all[i])[3] == 1);
        for (size_t clusters = 1; clusters <= N; clusters++) {
            const finch_matrix *samples = i == 0 ? &call.samples : NULL;
            int32_t most = -1;
            OK(finch_hierarchy_refine(all[i], samples, clusters, NULL, call.labels, N));
            for (size_t sample = 0; sample < N; sample++) {
                most = call.labels[sample] > most ? call.labels[sample] : most;
            }
            CHECK(most == (int32_t)clusters - 1);
        }
    }
    for (size_t i = 1; i < 3; i++) {
        CHECK(finch_hierarchy_feature_count(all[i]) == 0);
        call.options.linkage = FINCH_LINKAGE_WARD;
        OK(finch_hierarchy_refine(all[i], &call.samples, 2, &call.options, call.labels, N));
        memset(call.labels, 0x55, sizeof call.labels);
        finch_status found = finch_hierarchy_refine(all[i], NULL, 2, &call.options, call.labels, N);
        expect_fault(__LINE__, found, FINCH_NEEDS_SAMPLES, "means", call.labels[0] == 0x55555555);
        call.options.linkage = FINCH_LINKAGE_CENTROID;
        found = finch_hierarchy_refine(all[i], NULL, 1, &call.options, call.labels, N);
        expect_fault(__LINE__, found, FINCH_NEEDS_SAMPLES, "samples", call.labels[0] == 0x55555555);
        found = finch_hierarchy_refine(all[i], NULL, 7, NULL, call.labels, N);
        expect_fault(__LINE__, found, FINCH_CLUSTER_COUNT, "7 clusters", call.labels[0] == 0x55555555);
    }
    memset(call.labels, 0x55, sizeof call.labels);
    finch_status found = finch_hierarchy_refine(with, NULL, 2, NULL, call.labels, N);
    expect_fault(__LINE__, found, FINCH_NULL_POINTER, "samples is NULL", call.labels[0] == 0x55555555);
    for (size_t i = 0; i < 3; i++) {
        finch_hierarchy_free(all[i]);
    }
    finch_hierarchy_free(searched);

    /* A single sample has no neighbours, and no table. */
    OK(finch_cluster_neighbors(NULL, NULL, NULL, 1, 0, NULL, &made));
    CHECK(finch_hierarchy_sample_count(made) == 1 && finch_hierarchy_partition_count(made) == 1);
    OK(finch_hierarchy_refine(made, NULL, 1, NULL, call.labels, N));
    finch_hierarchy_free(made);
    double zero = 0;
    OK(finch_cluster_distances(&zero, 1, NULL, &made));
    CHECK(finch_hierarchy_cluster_count(made, 0) == 1);
    finch_hierarchy_free(made);
}

int main(void) {
    faults();
    rows_of_any_length();
    refining();
    printf("%d\n", cases);
    return 0;
}
