/* What goes wrong, one line each: the status, a message that says what, and nothing written.
 *
 * Each case is a call in which one thing is wrong, beside a call that differs in that only and works.
 * Prints the number of cases.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 6, COLUMNS = 2 };

static int cases;

/* The last call failed in this way, with these words in its message, and wrote to no output. */
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

/* Everything that calls are made of, sound at first. */
struct call {
    double values[ROWS][COLUMNS];
    finch_matrix samples;
    finch_options options;
    int32_t given[ROWS];
    int32_t labels[4 * ROWS];
    int32_t index[ROWS];
    double numbers[4 * ROWS];
    finch_scores scores;
    size_t clusters;
};

static struct call sound(void) {
    struct call call = {
        .values = {{0, 0}, {0, 1}, {9, 9}, {9, 8}, {5, 0}, {5, 1}},
        .given = {1, 0, 3, 2, 5, 4},
    };
    OK(finch_options_init(&call.options, sizeof call.options));
    /* What is written shows against this. */
    memset(call.labels, 0x55, sizeof call.labels);
    memset(call.index, 0x55, sizeof call.index);
    memset(call.numbers, 0x55, sizeof call.numbers);
    memset(&call.scores, 0x55, sizeof call.scores);
    call.clusters = 77;
    return call;
}

/* A copy lies elsewhere, so its matrix has to be made anew. */
static void place(struct call *call) {
    call->samples = finch_matrix_row_major(call->values, FINCH_F64, ROWS, COLUMNS);
}

static bool all(const void *memory, size_t size) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0x55) {
            return false;
        }
    }
    return true;
}

static bool untouched(const struct call *call) {
    return all(call->labels, sizeof call->labels) && all(call->index, sizeof call->index)
           && all(call->numbers, sizeof call->numbers) && all(&call->scores, sizeof call->scores)
           && call->clusters == 77;
}

/* One case: what is changed in a sound call, the call, and how it fails. */
#define FAULT(change, expression, status, words)                                                   \
    do {                                                                                           \
        struct call call = sound();                                                                \
        place(&call);                                                                              \
        change;                                                                                    \
        finch_status found = (expression);                                                         \
        expect_fault(__LINE__, found, status, words, untouched(&call));                            \
    } while (0)

/* A fault of the matrix or the options, in every function that takes both. */
#define FAULT_OF_INPUT(change, status, words)                                                      \
    do {                                                                                           \
        finch_hierarchy *none = NULL;                                                              \
        FAULT(change, finch_cluster(&call.samples, &call.options, &none), status, words);          \
        CHECK(none == NULL);                                                                       \
        FAULT(change, finch_cluster_given(&call.samples, call.given, ROWS, &call.options, &none),  \
              status, words);                                                                      \
        CHECK(none == NULL);                                                                       \
        FAULT(change,                                                                              \
              finch_first_neighbors(&call.samples, &call.options, call.index, call.numbers, ROWS), \
              status, words);                                                                      \
        FAULT(change,                                                                              \
              finch_hierarchy_refine(hierarchy, &call.samples, 2, &call.options, call.labels,      \
                                     ROWS),                                                        \
              status, words);                                                                      \
        FAULT(change,                                                                              \
              finch_update_neighbors(&call.samples, 0, &call.samples, 0, &call.options,            \
                                     call.index, call.numbers, ROWS),                              \
              status, words);                                                                      \
        /* Means cannot be stopped. */                                                             \
        if (status != FINCH_CANCELLED) {                                                           \
            FAULT(change,                                                                          \
                  finch_hierarchy_means(hierarchy, 0, &call.samples, &call.options, call.numbers,  \
                                        4 * ROWS),                                                 \
                  status, words);                                                                  \
        }                                                                                          \
    } while (0)

static int32_t stop(const finch_progress *progress, void *user_data) {
    (void)progress;
    ++*(int *)user_data;
    return 1;
}

static void matrices(const finch_hierarchy *hierarchy) {
    FAULT_OF_INPUT(call.samples.data = NULL, FINCH_NULL_POINTER, "NULL");
    FAULT_OF_INPUT(call.samples.data = (char *)call.values + 1, FINCH_MISALIGNED, "multiple of 8");
    FAULT_OF_INPUT(call.samples.element = -1, FINCH_INVALID_VALUE, "-1 is no element type");
    FAULT_OF_INPUT(call.samples.element = 8, FINCH_INVALID_VALUE, "finch_element");
    FAULT_OF_INPUT(call.samples.element = INT32_MIN, FINCH_INVALID_VALUE, "finch_element");
    FAULT_OF_INPUT(call.samples.rows = 0, FINCH_NO_SAMPLES, "no samples");
    FAULT_OF_INPUT(call.samples.columns = 0, FINCH_NO_FEATURES, "no features");
    FAULT_OF_INPUT((call.samples.rows = 0, call.samples.columns = SIZE_MAX), FINCH_NO_SAMPLES,
                   "no samples");
    FAULT_OF_INPUT(call.samples.rows = SIZE_MAX, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.samples.columns = SIZE_MAX, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.samples.rows = (size_t)-ROWS, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.samples.row_stride = 0, FINCH_INVALID_STRIDE, "row stride");
    FAULT_OF_INPUT(call.samples.column_stride = 0, FINCH_INVALID_STRIDE, "column stride");
    FAULT_OF_INPUT(call.samples.row_stride = PTRDIFF_MAX, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.samples.row_stride = PTRDIFF_MIN, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.samples.column_stride = PTRDIFF_MAX / 8, FINCH_INVALID_SIZE, "->data would reach");
    FAULT_OF_INPUT(call.values[3][1] = NAN, FINCH_NON_FINITE, "row 3, column 1");
    FAULT_OF_INPUT(call.values[0][1] = INFINITY, FINCH_NON_FINITE, "row 0, column 1");
    FAULT_OF_INPUT(call.values[5][0] = -1e141, FINCH_VALUE_TOO_LARGE, "row 5, column 0");
    FAULT_OF_INPUT(for (int i = 0; i < ROWS * COLUMNS; i++) call.values[i / 2][i % 2] = 1e-150,
                   FINCH_VALUES_TOO_SMALL, "rescale");
    /* More rows than labels can number, but not more than addresses. */
    FAULT_OF_INPUT((call.samples.element = FINCH_U8, call.samples.rows = (size_t)1 << 40),
                   FINCH_TOO_MANY_SAMPLES, "2147483647");
}

static void options(const finch_hierarchy *hierarchy) {
    FAULT_OF_INPUT(call.options.size = 0, FINCH_INVALID_SIZE, "finch_options_init");
    FAULT_OF_INPUT(call.options.size = sizeof(size_t), FINCH_INVALID_SIZE, "finch_options_init");
    FAULT_OF_INPUT(call.options.size = SIZE_MAX, FINCH_INVALID_SIZE, "finch_options_init");
    FAULT_OF_INPUT(call.options.metric = 5, FINCH_INVALID_VALUE, "5 is no metric");
    FAULT_OF_INPUT(call.options.metric = -1, FINCH_INVALID_VALUE, "finch_metric");
    FAULT_OF_INPUT(call.options.link_bound = 3, FINCH_INVALID_VALUE, "finch_link_bound");
    FAULT_OF_INPUT(call.options.search = 99, FINCH_INVALID_VALUE, "finch_search");
    FAULT_OF_INPUT(call.options.linkage = INT32_MAX, FINCH_INVALID_VALUE, "finch_linkage");
    FAULT_OF_INPUT(call.options.refinable = 2, FINCH_INVALID_VALUE, "0 or 1");
    FAULT_OF_INPUT(call.options.refinable = -1, FINCH_INVALID_VALUE, "refinable");
    FAULT_OF_INPUT(call.options.nested = 2, FINCH_INVALID_VALUE, "0 or 1");
    FAULT_OF_INPUT(call.options.outliers = NAN, FINCH_INVALID_VALUE, "share of outliers");
    FAULT_OF_INPUT(call.options.outliers = 1, FINCH_INVALID_VALUE, "share of outliers");
    FAULT_OF_INPUT(call.options.outlier_threshold = 2, FINCH_INVALID_VALUE, "outlier scores");
    FAULT_OF_INPUT(call.options.reserved = 1, FINCH_INVALID_VALUE, "reserved");
    FAULT_OF_INPUT(call.options.from = -2, FINCH_INVALID_VALUE, "partition");
    FAULT_OF_INPUT(call.options.recall = NAN, FINCH_INVALID_VALUE, "recall");
    FAULT_OF_INPUT(call.options.recall = 0, FINCH_INVALID_VALUE, "recall");
    FAULT_OF_INPUT(call.options.recall = 1.5, FINCH_INVALID_VALUE, "recall");
    FAULT_OF_INPUT(call.options.time_limit = -1, FINCH_INVALID_VALUE, "time limit");
    FAULT_OF_INPUT(call.options.time_limit = NAN, FINCH_INVALID_VALUE, "seconds");
    FAULT_OF_INPUT(call.options.time_limit = INFINITY, FINCH_INVALID_VALUE, "0 for no limit");
    int calls = 0;
    FAULT_OF_INPUT((call.options.progress = stop, call.options.user_data = &calls,
                    call.given[0] = 1),
                   FINCH_CANCELLED, "stopped by the progress callback");
    CHECK(calls == 5);

    finch_hierarchy *none = NULL;
    FAULT((call.options.metric = FINCH_MANHATTAN, call.options.search = FINCH_SEARCH_PROJECTED),
          finch_cluster(&call.samples, &call.options, &none), FINCH_UNSUPPORTED_SEARCH,
          "projected");
    FAULT(call.options.search = FINCH_SEARCH_KD_TREE,
          finch_update_neighbors(&call.samples, 0, &call.samples, 0, &call.options, call.index,
                                 call.numbers, ROWS),
          FINCH_UNSUPPORTED_SEARCH, "kd-tree");
    /* A struct of a newer version with something set that this version does not know. */
    struct {
        finch_options known;
        double unknown;
    } newer;
    OK(finch_options_init(&newer.known, sizeof newer));
    CHECK(newer.known.size == sizeof newer && newer.unknown == 0);
    FAULT((void)0, finch_first_neighbors(&call.samples, &newer.known, newer.unknown == 0
                                         ? (newer.unknown = 1, call.index) : call.index,
                                         call.numbers, ROWS),
          FINCH_INVALID_SIZE, "newer version");
    /* The struct of the first version, in memory of just its size, and one that is shorter. */
    const size_t first_size = offsetof(finch_options, nested) + sizeof(int32_t);
    finch_options *first = malloc(first_size);
    CHECK(first != NULL);
    OK(finch_options_init(first, first_size));
    size_t size; /* The first field. Naming it would claim memory for all of today's struct. */
    memcpy(&size, first, sizeof size);
    CHECK(size == first_size);
    struct call call = sound();
    place(&call);
    OK(finch_cluster(&call.samples, first, &none));
    OK(finch_hierarchy_refine(none, &call.samples, 2, first, call.labels, ROWS));
    finch_hierarchy_free(none);
    size = first_size - sizeof(size_t);
    FAULT(memcpy(first, &size, sizeof size),
          finch_cluster(&call.samples, first, &none), FINCH_INVALID_SIZE, "finch_options_init");
    free(first);
    FAULT((void)0, finch_options_init(NULL, sizeof call.options), FINCH_NULL_POINTER, "options");
    FAULT((void)0, finch_options_init(&call.options, 3), FINCH_INVALID_SIZE, "sizeof");
    FAULT((void)0, finch_options_init(&call.options, SIZE_MAX), FINCH_INVALID_SIZE, "sizeof");
}

static void arguments(finch_hierarchy *hierarchy) {
    finch_hierarchy *none = NULL;
    FAULT((void)0, finch_cluster(NULL, NULL, &none), FINCH_NULL_POINTER, "samples is NULL");
    FAULT((void)0, finch_cluster(&call.samples, NULL, NULL), FINCH_NULL_POINTER, "hierarchy");
    FAULT((void)0, finch_cluster((finch_matrix *)((char *)&call.samples + 1), NULL, &none),
          FINCH_MISALIGNED, "samples is at");
    FAULT((void)0, finch_cluster(&call.samples, (finch_options *)((char *)&call.options + 4), &none),
          FINCH_MISALIGNED, "options");
    FAULT((void)0, finch_cluster_given(&call.samples, NULL, ROWS, NULL, &none), FINCH_NULL_POINTER,
          "first_neighbors");
    FAULT((void)0, finch_cluster_given(&call.samples, call.given, ROWS - 1, NULL, &none),
          FINCH_NEIGHBOR_COUNT, "5");
    FAULT((void)0, finch_cluster_given(&call.samples, call.given, SIZE_MAX, NULL, &none),
          FINCH_NEIGHBOR_COUNT, "takes 6");
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, 0, NULL, call.index,
                                          call.numbers, SIZE_MAX),
          FINCH_SAMPLE_COUNT, "6 rows of queries");
    FAULT((void)0, finch_components(call.given, (size_t)1 << 40, call.labels, &call.clusters),
          FINCH_TOO_MANY_SAMPLES, "2147483647");
    FAULT(call.given[2] = 2, finch_cluster_given(&call.samples, call.given, ROWS, NULL, &none),
          FINCH_INVALID_NEIGHBOR, "sample 2");
    FAULT(call.given[2] = ROWS, finch_cluster_given(&call.samples, call.given, ROWS, NULL, &none),
          FINCH_INVALID_NEIGHBOR, "sample 2");
    FAULT(call.given[4] = -2, finch_cluster_given(&call.samples, call.given, ROWS, NULL, &none),
          FINCH_INVALID_NEIGHBOR, "sample 4 was given -2");
    CHECK(none == NULL);

    FAULT((void)0, finch_first_neighbors(&call.samples, NULL, NULL, call.numbers, ROWS),
          FINCH_NULL_POINTER, "index");
    FAULT((void)0, finch_first_neighbors(&call.samples, NULL, call.index, call.numbers, ROWS - 1),
          FINCH_BUFFER_TOO_SMALL, "room for 5 elements and takes 6");
    FAULT((void)0, finch_first_neighbors(&call.samples, NULL, (int32_t *)((char *)call.index + 1),
                                         call.numbers, ROWS),
          FINCH_MISALIGNED, "index");
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, NULL, 0, NULL, call.index, call.numbers,
                                          ROWS),
          FINCH_NULL_POINTER, "base is NULL");
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, 0, NULL, call.index, NULL,
                                          ROWS),
          FINCH_NULL_POINTER, "key");
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, 0, NULL, call.index,
                                          call.numbers, ROWS - 1),
          FINCH_SAMPLE_COUNT, "index and key have 5 numbers for 6 rows");
    FAULT((void)0, finch_update_neighbors(&call.samples, SIZE_MAX, &call.samples, 0, NULL,
                                          call.index, call.numbers, ROWS),
          FINCH_TOO_MANY_SAMPLES, "samples");
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, INT32_MAX, NULL,
                                          call.index, call.numbers, ROWS),
          FINCH_TOO_MANY_SAMPLES, "samples");
    FAULT(finch_matrix narrow = call.samples; narrow.columns = 1,
          finch_update_neighbors(&call.samples, 0, &narrow, 0, NULL, call.index, call.numbers, ROWS),
          FINCH_FEATURE_COUNT, "queries have 2 features and base has 1");
    FAULT(finch_matrix bytes = call.samples; bytes.element = FINCH_U8,
          finch_update_neighbors(&call.samples, 0, &bytes, 0, NULL, call.index, call.numbers, ROWS),
          FINCH_INVALID_VALUE, "FINCH_F64 with FINCH_U8");
    double nan_keys[ROWS] = {NAN, NAN, NAN, NAN, NAN, NAN};
    int32_t first[ROWS] = {1, 0, 1, 0, 0, 0};
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, 0, NULL, first, nan_keys,
                                          ROWS),
          FINCH_INVALID_VALUE, "key");
    double no_keys[ROWS] = {0};
    int32_t zeros[ROWS] = {0};
    FAULT((void)0, finch_update_neighbors(&call.samples, 0, &call.samples, 0, NULL, zeros, no_keys,
                                          ROWS),
          FINCH_INVALID_NEIGHBOR, "begin with -1");
    FAULT((void)0, finch_keys_to_distances(7, nan_keys, call.numbers, ROWS),
          FINCH_INVALID_VALUE, "metric");
    FAULT((void)0, finch_keys_to_distances(0, nan_keys, call.numbers, ROWS),
          FINCH_INVALID_VALUE, "key");
    FAULT((void)0, finch_keys_to_distances(0, NULL, call.numbers, ROWS),
          FINCH_NULL_POINTER, "keys");
    FAULT((void)0, finch_keys_to_distances(0, nan_keys, NULL, ROWS),
          FINCH_NULL_POINTER, "distances");

    FAULT((void)0, finch_components(NULL, ROWS, call.labels, &call.clusters), FINCH_NULL_POINTER,
          "first_neighbors");
    FAULT((void)0, finch_components(call.given, 0, call.labels, &call.clusters), FINCH_NO_SAMPLES,
          "no samples");
    FAULT((void)0, finch_components(call.given, ROWS, NULL, &call.clusters), FINCH_NULL_POINTER,
          "labels");
    FAULT(call.given[0] = 0, finch_components(call.given, ROWS, call.labels, &call.clusters),
          FINCH_INVALID_NEIGHBOR, "sample 0");
    FAULT((void)0, finch_components(call.given, ROWS, call.labels,
                                    (size_t *)((char *)&call.clusters + 1)),
          FINCH_MISALIGNED, "cluster_count");

    FAULT((void)0, finch_score(NULL, call.given, ROWS, &call.scores, sizeof call.scores),
          FINCH_NULL_POINTER, "labels");
    FAULT((void)0, finch_score(call.given, NULL, ROWS, &call.scores, sizeof call.scores),
          FINCH_NULL_POINTER, "truth");
    FAULT((void)0, finch_score(call.given, call.given, 0, &call.scores, sizeof call.scores),
          FINCH_NO_SAMPLES, "no samples");
    FAULT((void)0, finch_score(call.given, call.given, ROWS, NULL, sizeof call.scores),
          FINCH_NULL_POINTER, "scores");
    FAULT((void)0, finch_score(call.given, call.given, ROWS, &call.scores, 8), FINCH_INVALID_SIZE,
          "sizeof");
    FAULT((void)0, finch_score(call.given, call.given, ROWS, &call.scores, sizeof call.scores + 8),
          FINCH_INVALID_SIZE, "sizeof");

    FAULT((void)0, finch_hierarchy_copy_labels(NULL, 0, call.labels, ROWS), FINCH_NULL_POINTER,
          "hierarchy");
    FAULT((void)0, finch_hierarchy_copy_labels(hierarchy, 9, call.labels, ROWS),
          FINCH_NO_SUCH_PARTITION, "no partition 9");
    FAULT((void)0, finch_hierarchy_copy_labels(hierarchy, 0, call.labels, ROWS - 1),
          FINCH_BUFFER_TOO_SMALL, "labels");
    FAULT((void)0, finch_hierarchy_copy_labels(hierarchy, 0, NULL, ROWS), FINCH_NULL_POINTER,
          "labels");
    FAULT((void)0, finch_hierarchy_copy_all_labels(hierarchy, 2, call.labels, 4 * ROWS),
          FINCH_INVALID_VALUE, "order");
    FAULT((void)0, finch_hierarchy_copy_all_labels(hierarchy, 0, call.labels, 0),
          FINCH_BUFFER_TOO_SMALL, "labels");
    FAULT((void)0, finch_hierarchy_means(hierarchy, 9, &call.samples, NULL, call.numbers, 4 * ROWS),
          FINCH_NO_SUCH_PARTITION, "no partition 9");
    FAULT(call.samples.rows--, finch_hierarchy_means(hierarchy, 0, &call.samples, NULL,
                                                     call.numbers, 4 * ROWS),
          FINCH_SAMPLE_COUNT, "expected 6 samples and found 5");
    FAULT((void)0, finch_hierarchy_means(hierarchy, 0, &call.samples, NULL, call.numbers, 5),
          FINCH_BUFFER_TOO_SMALL, "means");
    FAULT((void)0, finch_hierarchy_means(hierarchy, 0, NULL, NULL, call.numbers, ROWS),
          FINCH_NULL_POINTER, "samples is NULL");
    const int32_t pairs[] = {0, 2, 2, 4, 0, -1, 0, 6};
    int32_t again[ROWS];
    finch_constraints rules;
    OK(finch_constraints_init(&rules, sizeof rules));
    struct call ruled = sound();
    place(&ruled);
    OK(finch_hierarchy_refine_constrained(hierarchy, &ruled.samples, 2, &rules, NULL, ruled.labels,
                                          ROWS));
    CHECK(ruled.labels[0] == ruled.labels[4]);
    rules.cannot_link = pairs + 2;
    rules.cannot_link_count = 1;
    rules.must_link = pairs;
    rules.must_link_count = 1;
    rules.min_size = 2;
    rules.max_size = 4;
    OK(finch_hierarchy_refine_constrained(hierarchy, &ruled.samples, 2, &rules, NULL, ruled.labels,
                                          ROWS));
    CHECK(ruled.labels[0] == ruled.labels[2] && ruled.labels[0] != ruled.labels[4]);
    finch_refined refined = {.size = sizeof refined, .labels = again, .capacity = ROWS};
    OK(finch_hierarchy_refine_into(hierarchy, &ruled.samples, 2, &rules, NULL, &refined));
    CHECK(memcmp(again, ruled.labels, sizeof again) == 0);
    CHECK(refined.linkage == FINCH_LINKAGE_NEIGHBOR && refined.labels == again);
    const struct finch_refined sound_one = refined;
#define FAULT_OF_REFINED(change, status, words)                                                    \
    refined = sound_one;                                                                           \
    refined.linkage = -7;                                                                          \
    change;                                                                                        \
    FAULT((void)0, finch_hierarchy_refine_into(hierarchy, &call.samples, 2, NULL, NULL, &refined), \
          status, words);                                                                          \
    CHECK(refined.linkage == -7)
    FAULT_OF_REFINED(refined.size = 8, FINCH_INVALID_SIZE, "sizeof(finch_refined)");
    FAULT_OF_REFINED(refined.labels = NULL, FINCH_NULL_POINTER, "labels");
    FAULT_OF_REFINED(refined.capacity--, FINCH_BUFFER_TOO_SMALL, "labels");
    FAULT((void)0, finch_hierarchy_refine_into(hierarchy, &call.samples, 2, NULL, NULL, NULL),
          FINCH_NULL_POINTER, "refined");
#define FAULT_OF_RULE(change, status, words)                                                       \
    FAULT(change, finch_hierarchy_refine_constrained(hierarchy, &call.samples, 2, &rules, NULL,    \
                                                     call.labels, ROWS),                           \
          status, words)
    FAULT_OF_RULE(rules.max_size = 2, FINCH_INVALID_CONSTRAINT, "2 cannot be the greatest size");
    FAULT_OF_RULE((rules.max_size = 0, rules.cannot_link = pairs), FINCH_INVALID_CONSTRAINT,
                  "samples 0 and 2");
    FAULT_OF_RULE(rules.cannot_link = pairs + 4, FINCH_INVALID_VALUE, "-1 is no cannot_link");
    FAULT_OF_RULE(rules.cannot_link = pairs + 6, FINCH_INVALID_CONSTRAINT, "0 and 6");
    FAULT_OF_RULE(rules.cannot_link = NULL, FINCH_NULL_POINTER, "cannot_link is NULL");
    FAULT_OF_RULE(rules.cannot_link_count = SIZE_MAX, FINCH_INVALID_SIZE, "cannot_link");
    FAULT_OF_RULE(rules.size = 8, FINCH_INVALID_SIZE, "finch_constraints_init");
    FAULT((void)0, finch_hierarchy_refine_constrained(hierarchy, &call.samples, 2, NULL, NULL,
                                                      call.labels, ROWS),
          FINCH_NULL_POINTER, "constraints is NULL");
    FAULT((void)0, finch_hierarchy_refine(hierarchy, &call.samples, 0, NULL, call.labels, ROWS),
          FINCH_CLUSTER_COUNT, "ask for 1 to 6");
    FAULT((void)0, finch_hierarchy_refine(hierarchy, &call.samples, 7, NULL, call.labels, ROWS),
          FINCH_CLUSTER_COUNT, "7 clusters");
    FAULT((void)0, finch_hierarchy_refine(hierarchy, &call.samples, SIZE_MAX, NULL, call.labels,
                                          ROWS),
          FINCH_CLUSTER_COUNT, "clusters");
    FAULT((void)0, finch_hierarchy_refine(hierarchy, &call.samples, 2, NULL, call.labels, 1),
          FINCH_BUFFER_TOO_SMALL, "labels");
    FAULT(call.samples.rows--, finch_hierarchy_refine(hierarchy, &call.samples, 2, NULL, call.labels,
                                                      ROWS),
          FINCH_SAMPLE_COUNT, "samples");
    FAULT(call.samples.columns--, finch_hierarchy_refine(hierarchy, &call.samples, 2, NULL,
                                                         call.labels, ROWS),
          FINCH_FEATURE_COUNT, "expected 2 features and found 1");
    FAULT(call.samples.columns--, finch_hierarchy_means(hierarchy, 0, &call.samples, NULL,
                                                        call.numbers, 4 * ROWS),
          FINCH_FEATURE_COUNT, "expected 2 features and found 1");
    FAULT(call.options.from = 0, finch_hierarchy_refine(hierarchy, &call.samples, 5, &call.options,
                                                        call.labels, ROWS),
          FINCH_TOO_COARSE, "partition 0");
    FAULT(call.options.from = 5, finch_hierarchy_refine(hierarchy, &call.samples, 2, &call.options,
                                                        call.labels, ROWS),
          FINCH_NO_SUCH_PARTITION, "no partition 5");
    FAULT((void)0, finch_hierarchy_refine(NULL, &call.samples, 2, NULL, call.labels, ROWS),
          FINCH_NULL_POINTER, "hierarchy");
}

/* Functions without a status have a value for NULL and for what is not there. */
static void values(const finch_hierarchy *hierarchy) {
    CHECK(finch_hierarchy_sample_count(NULL) == 0);
    CHECK(finch_hierarchy_partition_count(NULL) == 0);
    CHECK(finch_hierarchy_feature_count(NULL) == 0);
    CHECK(finch_hierarchy_feature_count(hierarchy) == COLUMNS);
    CHECK(finch_hierarchy_metric(NULL) == -1);
    CHECK(finch_hierarchy_link_bound(NULL) == -1);
    CHECK(finch_hierarchy_cluster_count(NULL, 0) == 0);
    CHECK(finch_hierarchy_cluster_count(hierarchy, SIZE_MAX) == 0);
    CHECK(finch_hierarchy_labels(NULL, 0) == NULL);
    CHECK(finch_hierarchy_labels(hierarchy, 3) == NULL);
    CHECK(strstr(finch_last_error_message(), "no partition 3") != NULL);
    CHECK(finch_hierarchy_first_neighbors(NULL) == NULL);
    CHECK(finch_hierarchy_distances(NULL) == NULL);
    CHECK(finch_hierarchy_search(NULL) == -1);
    CHECK(finch_hierarchy_recall(NULL) == -1);
    CHECK(finch_hierarchy_explanation(NULL) == NULL);
    CHECK(finch_hierarchy_at_least(NULL, 1) == -1);
    CHECK(finch_hierarchy_at_least(hierarchy, 4) == -1);
    CHECK(finch_hierarchy_at_most(NULL, 1) == -1);
    CHECK(finch_hierarchy_at_most(hierarchy, 0) == -1);
    CHECK(finch_hierarchy_closest(NULL, 1) == -1);
    CHECK(finch_hierarchy_warning_count(NULL) == 0);
    CHECK(finch_hierarchy_warning_count(hierarchy) == 0);
    CHECK(finch_hierarchy_warning(NULL, 0) == -1);
    CHECK(finch_hierarchy_warning(hierarchy, 0) == -1);
    CHECK(finch_hierarchy_warning_message(NULL, 0) == NULL);
    CHECK(finch_hierarchy_warning_message(hierarchy, SIZE_MAX) == NULL);
    CHECK(strcmp(finch_warning_name(-1), "unknown") == 0);
    CHECK(strcmp(finch_status_name(-1), "unknown") == 0);
    CHECK(strcmp(finch_status_name(FINCH_PANIC), "FINCH_PANIC") == 0);
    finch_hierarchy_free(NULL);
    cases += 21;
}

int main(void) {
    CHECK(strcmp(finch_last_error_message(), "") == 0);
    struct call call = sound();
    place(&call);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&call.samples, &call.options, &hierarchy));
    CHECK(finch_hierarchy_cluster_count(hierarchy, 0) == 3);
    matrices(hierarchy);
    options(hierarchy);
    arguments(hierarchy);
    values(hierarchy);

    /* The hierarchy has seen all that, and is as it was. */
    OK(finch_hierarchy_copy_labels(hierarchy, 0, call.labels, ROWS));
    CHECK(call.labels[0] == 0 && call.labels[2] == 1 && call.labels[5] == 2);
    finch_hierarchy_free(hierarchy);
    printf("%d\n", cases);
    return 0;
}
