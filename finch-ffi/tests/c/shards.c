/* Data in parts: neighbours between any parts and sums of clusters, beside the calls that take all
 * rows at once; and what goes wrong. Prints the number of faults.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { N = 400, D = 5, K = 3, C = 7 };

static int cases;
static float rows[N][D];

/* Few values, so that many distances are equal and some rows, too. */
static void fill(int values) {
    uint32_t state = 1;
    for (size_t i = 0; i < N * D; i++) {
        state = state * 1664525u + 1013904223u;
        (&rows[0][0])[i] = (float)((int)(state >> 8) % values) * 0.1f;
    }
}

/* Three parts that overlap, of rows from anywhere. */
static size_t part(size_t number, float part[N][D], int64_t numbers[N]) {
    size_t count = 0;
    for (size_t row = 0; row < N; row++) {
        if (row % 3 == number || row % 5 == number || row / 100 == number) {
            memcpy(part[count], rows[row], sizeof rows[row]);
            numbers[count++] = (int64_t)row + ((int64_t)1 << 40);
        }
    }
    return count;
}

static void parts_are_the_whole(int values, finch_metric metric) {
    static float some[N][D];
    static int64_t of_some[N], of_all[N], index[N * K];
    static double key[N * K], distance[N * K], expected_distance[N * K];
    static int32_t expected[N * K];
    fill(values);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = metric;
    options.threads = 2;
    finch_matrix all = finch_matrix_row_major(rows, FINCH_F32, N, D);
    OK(finch_nearest_neighbors(&all, K, &options, expected, expected_distance, N * K));
    for (size_t i = 0; i < N; i++) {
        of_all[i] = (int64_t)i + ((int64_t)1 << 40);
    }
    memset(index, 0xff, sizeof index); /* -1 */
    for (size_t number = 3; number-- > 0;) {
        size_t count = part(number, some, of_some);
        finch_matrix base = finch_matrix_row_major(some, FINCH_F32, count, D);
        OK(finch_neighbors_between(&all, of_all, &base, of_some, K, &options, index, key, N * K));
    }
    /* And all rows again, each in two parts at least. */
    finch_matrix rest = finch_matrix_row_major(rows, FINCH_F32, N, D);
    OK(finch_neighbors_between(&all, of_all, &rest, of_all, K, &options, index, key, N * K));
    OK(finch_keys_to_distances(metric, key, distance, N * K));
    for (size_t i = 0; i < N * K; i++) {
        CHECK(index[i] - ((int64_t)1 << 40) == expected[i] && distance[i] == expected_distance[i]);
    }

    /* New rows: by their numbers each row is nearest to itself, at distance 0. */
    static int64_t one[N];
    static double zero[N];
    memset(one, 0xff, sizeof one); /* -1 */
    options.metric = FINCH_EUCLIDEAN;
    OK(finch_neighbors_between(&all, NULL, &all, NULL, 1, &options, one, zero, N));
    for (size_t i = 0; i < N; i++) {
        int64_t nearest = one[i];
        CHECK(nearest <= (int64_t)i && zero[i] == 0);
        CHECK(memcmp(rows[nearest], rows[i], sizeof rows[i]) == 0);
    }
}

static void sums_are_those_of_the_whole(void) {
    fill(1 << 20);
    int32_t labels[N];
    int64_t sizes[C] = {0};
    double expected[C][D] = {{0}}, sums[C][D] = {{0}};
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i * i % C);
        for (size_t j = 0; j < D; j++) {
            expected[labels[i]][j] += (double)rows[i][j];
        }
    }
    size_t cuts[] = {0, 1, 130, N};
    for (size_t cut = 0; cut < 3; cut++) {
        size_t first = cuts[cut], count = cuts[cut + 1] - first;
        finch_matrix some = finch_matrix_row_major(rows[first], FINCH_F32, count, D);
        OK(finch_sums_add(&some, labels + first, count, NULL, sums[0], sizes, C));
    }
    CHECK(memcmp(sums, expected, sizeof sums) == 0);
    CHECK(sizes[0] == 58 && sizes[3] == 0);
}

/* The arguments of calls, sound at first. */
struct call {
    double values[4][2];
    finch_matrix queries, base;
    int64_t query_numbers[2], base_numbers[2], index[2][2], sizes[3];
    double key[2][2], sums[3][2];
    int32_t labels[2];
    size_t k, capacity, count, clusters;
    finch_options options;
};

static struct call sound(void) {
    struct call call = {
        .values = {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
        .query_numbers = {3, 9},
        .base_numbers = {5, 9},
        .index = {{-1, -1}, {-1, -1}},
        .key = {{0.5, 0.5}, {0.5, 0.5}},
        .labels = {0, 2},
        .k = 2,
        .capacity = 4,
        .count = 2,
        .clusters = 3,
    };
    OK(finch_options_init(&call.options, sizeof call.options));
    return call;
}

static void place(struct call *call) {
    call->queries = finch_matrix_row_major(call->values, FINCH_F64, 2, 2);
    call->base = finch_matrix_row_major(call->values[2], FINCH_F64, 2, 2);
}

static finch_status between(struct call *call) {
    return finch_neighbors_between(&call->queries, call->query_numbers, &call->base,
                                   call->base_numbers, call->k, &call->options, call->index[0],
                                   call->key[0], call->capacity);
}

static finch_status add(struct call *call) {
    return finch_sums_add(&call->queries, call->labels, call->count, &call->options, call->sums[0],
                          call->sizes, call->clusters);
}

/* One case: what is changed in a sound call, the call, and how it fails, with all as it was. */
#define FAULT(change, expression, status, words)                                                   \
    do {                                                                                           \
        struct call call = sound();                                                                \
        place(&call);                                                                              \
        change;                                                                                    \
        struct call before = call;                                                                 \
        finch_status found = (expression);                                                         \
        cases++;                                                                                   \
        bool same = memcmp(before.index, call.index, sizeof call.index) == 0 &&                    \
                    memcmp(before.key, call.key, sizeof call.key) == 0 &&                          \
                    memcmp(before.sums, call.sums, sizeof call.sums) == 0 &&                       \
                    memcmp(before.sizes, call.sizes, sizeof call.sizes) == 0;                      \
        if (found != (status) || strstr(finch_last_error_message(), words) == NULL || !same) {     \
            fprintf(stderr, "line %d: %s, \"%s\"%s\n", __LINE__, finch_status_name(found),         \
                    finch_last_error_message(), same ? "" : ", and an output was written");        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int stop(const finch_progress *progress, void *user_data) {
    (void)progress;
    (void)user_data;
    return 1;
}

static void faults(void) {
    FAULT(call.base_numbers[1] = 5, between(&call), FINCH_INVALID_SHARD, "number 5 of row 1");
    FAULT(call.base_numbers[1] = 4, between(&call), FINCH_INVALID_SHARD, "ascending");
    FAULT(call.base_numbers[0] = -1, between(&call), FINCH_INVALID_SHARD, "number -1 of row 0");
    FAULT(call.k = 0, between(&call), FINCH_INVALID_VALUE, "0 nearest");
    FAULT(call.k = SIZE_MAX, between(&call), FINCH_INVALID_VALUE, "nearest");
    FAULT(call.k = 3, between(&call), FINCH_BUFFER_TOO_SMALL, "takes 6");
    FAULT(call.capacity = 3, between(&call), FINCH_BUFFER_TOO_SMALL, "takes 4");
    FAULT(call.queries.columns = 1, between(&call), FINCH_FEATURE_COUNT, "queries have 1");
    FAULT(call.base.element = FINCH_F32, between(&call), FINCH_INVALID_VALUE, "same type");
    FAULT(call.base.data = NULL, between(&call), FINCH_NULL_POINTER, "base->data");
    FAULT(call.values[1][1] = NAN, between(&call), FINCH_NON_FINITE, "queries: ");
    FAULT(call.values[2][0] = INFINITY, between(&call), FINCH_NON_FINITE, "base: ");
    FAULT(call.options.search = FINCH_SEARCH_KD_TREE, between(&call), FINCH_UNSUPPORTED_SEARCH, "kd");
    FAULT(call.index[0][0] = -2, between(&call), FINCH_INVALID_NEIGHBOR, "place 0 of the list of query 0");
    FAULT(call.index[1][0] = 9, between(&call), FINCH_INVALID_NEIGHBOR, "query 1");
    FAULT(call.index[1][1] = 2, between(&call), FINCH_INVALID_NEIGHBOR, "place 1");
    FAULT((call.index[1][0] = 2, call.index[1][1] = 2), between(&call), FINCH_INVALID_NEIGHBOR, "place 1");
    FAULT((call.index[0][0] = 5, call.key[0][0] = -1), between(&call), FINCH_INVALID_VALUE, "key");
    FAULT(call.options.progress = stop, between(&call), FINCH_CANCELLED, "stopped");
    FAULT(, finch_neighbors_between(&call.queries, NULL, &call.base, NULL, 2, NULL, NULL, call.key[0], 4),
          FINCH_NULL_POINTER, "index is NULL");
    FAULT(, finch_neighbors_between(&call.queries, (int64_t *)((char *)call.query_numbers + 1), &call.base,
                                    NULL, 1, NULL, call.index[0], call.key[0], 4),
          FINCH_MISALIGNED, "query_numbers");

    FAULT(call.labels[1] = 3, add(&call), FINCH_INVALID_SHARD, "number 3 of row 1");
    FAULT(call.labels[0] = -1, add(&call), FINCH_INVALID_SHARD, "is no cluster");
    FAULT(call.clusters = 0, add(&call), FINCH_INVALID_SHARD, "number 0 of row 0");
    FAULT(call.clusters = SIZE_MAX, add(&call), FINCH_INVALID_SIZE, "sums");
    FAULT(call.count = 1, add(&call), FINCH_SAMPLE_COUNT, "for 2 samples");
    FAULT(call.values[1][0] = NAN, add(&call), FINCH_NON_FINITE, "row 1");
    FAULT(, finch_sums_add(&call.queries, NULL, 2, NULL, call.sums[0], call.sizes, 3),
          FINCH_NULL_POINTER, "labels is NULL");
    FAULT(, finch_sums_add(&call.queries, call.labels, 2, NULL, NULL, call.sizes, 3),
          FINCH_NULL_POINTER, "sums is NULL");
    FAULT(, finch_sums_add(&call.queries, call.labels, 2, NULL, call.sums[0], NULL, 3),
          FINCH_NULL_POINTER, "sizes is NULL");

    /* The sound calls. */
    struct call call = sound();
    place(&call);
    OK(between(&call));
    CHECK(call.index[0][0] == 5 && call.index[0][1] == 9 && call.key[0][0] == 32);
    CHECK(call.index[1][0] == 5 && call.index[1][1] == -1 && isinf(call.key[1][1]));
    OK(add(&call));
    CHECK(call.sums[0][1] == 1 && call.sums[2][0] == 2 && call.sizes[1] == 0 && call.sizes[2] == 1);
}

int main(void) {
    parts_are_the_whole(4, FINCH_EUCLIDEAN);
    parts_are_the_whole(1 << 20, FINCH_COSINE);
    parts_are_the_whole(2, FINCH_MANHATTAN);
    sums_are_those_of_the_whole();
    faults();
    printf("%d\n", cases);
    return 0;
}
