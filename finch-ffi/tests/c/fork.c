/* After fork(): a child has none of the threads that the runs of its parent share. It clusters all
 * the same, and finds the labels that its parent found. A child that waits for ever is ended by its
 * alarm, and is a failure. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 1500, COLUMNS = 24, CLUSTERS = 5, SECONDS = 60 };

static double values[ROWS][COLUMNS];
static int32_t refined[ROWS];

static finch_matrix samples(void) {
    return finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
}

static void fill(void) {
    uint64_t state = 7;
    double *value = &values[0][0];
    for (size_t i = 0; i < sizeof values / sizeof *value; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = (double)(state >> 40);
    }
}

static int32_t count(const finch_progress *progress, void *user_data) {
    (void)progress;
    ++*(int *)user_data;
    return 0;
}

static void expect_same(const finch_hierarchy *found, const finch_hierarchy *wanted) {
    size_t partitions = finch_hierarchy_partition_count(wanted);
    CHECK(finch_hierarchy_partition_count(found) == partitions);
    for (size_t partition = 0; partition < partitions; partition++) {
        CHECK(memcmp(finch_hierarchy_labels(found, partition),
                     finch_hierarchy_labels(wanted, partition), ROWS * sizeof(int32_t))
              == 0);
    }
}

/* Every function that computes on threads, twice: threads that the first round starts may serve the
 * second. */
static void run(size_t threads, const finch_hierarchy *wanted) {
    static double means[ROWS * COLUMNS], distance[ROWS], key[ROWS];
    static int32_t index[ROWS], labels[ROWS];
    finch_matrix matrix = samples();
    for (int repeat = 0; repeat < 2; repeat++) {
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.threads = threads;
        finch_hierarchy *hierarchy;
        OK(finch_cluster(&matrix, &options, &hierarchy));
        expect_same(hierarchy, wanted);
        finch_hierarchy_free(hierarchy);

        int calls = 0;
        options.progress = count;
        options.user_data = &calls;
        OK(finch_cluster(&matrix, &options, &hierarchy));
        expect_same(hierarchy, wanted);
        CHECK(calls >= 2);

        OK(finch_hierarchy_refine(hierarchy, &matrix, CLUSTERS, &options, labels, ROWS));
        CHECK(memcmp(labels, refined, sizeof labels) == 0);
        OK(finch_hierarchy_means(hierarchy, 0, &matrix, &options, means, ROWS * COLUMNS));
        finch_hierarchy_free(hierarchy);

        const int32_t *first = finch_hierarchy_first_neighbors(wanted);
        OK(finch_first_neighbors(&matrix, &options, index, distance, ROWS));
        CHECK(memcmp(index, first, sizeof index) == 0);
        for (size_t row = 0; row < ROWS; row++) {
            index[row] = -1;
        }
        OK(finch_update_neighbors(&matrix, 0, &matrix, 0, &options, index, key, ROWS));
        CHECK(memcmp(index, first, sizeof index) == 0);
    }
}

/* Runs in a child of this process, and in the child's children down to so many generations. */
static void run_in_children(size_t threads, const finch_hierarchy *wanted, int generations) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        run(threads, wanted);
        if (generations > 1) {
            run_in_children(threads, wanted, generations - 1);
        }
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        const char *how = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hung" : "failed";
        fprintf(stderr, "a child with threads = %zu %s\n", threads, how);
        exit(1);
    }
}

int main(void) {
    fill();
    finch_matrix matrix = samples();

    /* A fork before any call of finch: both processes start threads. */
    pid_t early = fork();
    CHECK(early >= 0);
    finch_hierarchy *hierarchy;
    if (early == 0) {
        alarm(SECONDS);
    }
    OK(finch_cluster(&matrix, NULL, &hierarchy));
    OK(finch_hierarchy_refine(hierarchy, &matrix, CLUSTERS, NULL, refined, ROWS));
    if (early == 0) {
        run(0, hierarchy);
        _exit(0);
    }
    int status;
    CHECK(waitpid(early, &status, 0) == early && status == 0);

    for (size_t threads = 0; threads <= 2; threads++) {
        run_in_children(threads, hierarchy, 2);
    }
    /* The threads of the parent are as they were. */
    run(0, hierarchy);
    run(2, hierarchy);
    finch_hierarchy_free(hierarchy);
    printf("the same labels\n");
    return 0;
}
