/* Eight threads at once: each clusters data of its own, and all read one hierarchy.
 *
 *     threads ROUNDS
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROWS = 1500, COLUMNS = 24 };

static double values[THREADS][ROWS][COLUMNS];
static finch_hierarchy *expected[THREADS];
static const finch_hierarchy *shared;
static unsigned long rounds;

/* Different for each thread, the same in each run. */
static void fill(void) {
    uint64_t state = 7;
    double *value = &values[0][0][0];
    for (size_t i = 0; i < sizeof values / sizeof *value; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = (double)(state >> 40);
    }
}

static finch_hierarchy *cluster(size_t thread, const finch_options *options) {
    finch_matrix samples = finch_matrix_row_major(values[thread], FINCH_F64, ROWS, COLUMNS);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, options, &hierarchy));
    return hierarchy;
}

static void expect_same(const finch_hierarchy *found, const finch_hierarchy *wanted) {
    size_t partitions = finch_hierarchy_partition_count(wanted);
    CHECK(finch_hierarchy_partition_count(found) == partitions);
    for (size_t partition = 0; partition < partitions; partition++) {
        int32_t labels[ROWS];
        OK(finch_hierarchy_copy_labels(found, partition, labels, ROWS));
        CHECK(memcmp(labels, finch_hierarchy_labels(wanted, partition), sizeof labels) == 0);
    }
}

/* Each thread counts its own calls, on its own stack. */
struct watch {
    pthread_t thread;
    int calls, most;
};

static int32_t count(const finch_progress *progress, void *user_data) {
    struct watch *watch = user_data;
    CHECK(pthread_equal(pthread_self(), watch->thread));
    CHECK(progress->fraction >= 0 && progress->fraction <= 1);
    CHECK(progress->stage == FINCH_STAGE_NEIGHBORS);
    return ++watch->calls >= watch->most;
}

static void *work(void *argument) {
    size_t thread = *(size_t *)argument;
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    for (unsigned long round = 0; round < rounds; round++) {
        /* The shared pool, a pool of its own, and one watched. */
        options.threads = round % 3;
        struct watch watch = {pthread_self(), 0, 1000000};
        options.progress = round % 2 == 0 ? count : NULL;
        options.user_data = &watch;
        finch_hierarchy *hierarchy = cluster(thread, &options);
        CHECK(round % 2 == 1 || watch.calls >= 2);
        expect_same(hierarchy, expected[thread]);
        finch_hierarchy_free(hierarchy);

        /* Everybody reads the same handle. */
        finch_matrix samples = finch_matrix_row_major(values[0], FINCH_F64, ROWS, COLUMNS);
        int32_t labels[ROWS];
        OK(finch_hierarchy_refine(shared, &samples, 5 + thread, NULL, labels, ROWS));
        expect_same(shared, expected[0]);

        /* The message of a failure is this thread's own. */
        CHECK(finch_hierarchy_copy_labels(shared, 100 + thread, labels, ROWS)
              == FINCH_NO_SUCH_PARTITION);
        char words[64];
        snprintf(words, sizeof words, "no partition %zu:", 100 + thread);
        CHECK(strstr(finch_last_error_message(), words) != NULL);

        /* Stopped, at its third call. */
        watch = (struct watch){pthread_self(), 0, 3};
        options.progress = count;
        samples = finch_matrix_row_major(values[thread], FINCH_F64, ROWS, COLUMNS);
        hierarchy = NULL;
        CHECK(finch_cluster(&samples, &options, &hierarchy) == FINCH_CANCELLED);
        CHECK(hierarchy == NULL && watch.calls == 3);
    }
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    rounds = strtoul(argv[1], NULL, 10);
    fill();
    for (size_t thread = 0; thread < THREADS; thread++) {
        expected[thread] = cluster(thread, NULL);
    }
    shared = expected[0];
    pthread_t threads[THREADS];
    size_t numbers[THREADS];
    for (size_t thread = 0; thread < THREADS; thread++) {
        numbers[thread] = thread;
        CHECK(pthread_create(&threads[thread], NULL, work, &numbers[thread]) == 0);
    }
    for (size_t thread = 0; thread < THREADS; thread++) {
        CHECK(pthread_join(threads[thread], NULL) == 0);
    }
    for (size_t thread = 0; thread < THREADS; thread++) {
        finch_hierarchy_free(expected[thread]);
    }
    printf("%lu rounds\n", rounds);
    return 0;
}
