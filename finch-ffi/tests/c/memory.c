/* Calls under a limit of memory: each kind of call, with one thread and with two, in processes of its
 * own whose address space is limited, at twenty limits. Two threads share one arena of memory, and
 * then may have arenas of their own, for which malloc asks 64 MB of addresses each. The call finds what
 * it finds without a limit, or returns a status that says that memory, or room for a thread, was
 * refused. It never ends its process. Prints what came of the limits. */
#define _GNU_SOURCE
#include "found.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROWS = 50000,
    COLUMNS = 100,
    LIMITS = 20,
    LEAST = 64 << 10, /* Bytes that the lowest limit allows beyond what the process holds. */
    SECONDS = 60
};

static float values[ROWS][COLUMNS];
static int32_t first[ROWS], labels[ROWS], truth[ROWS];
static double means[ROWS][COLUMNS], numbers[ROWS];
/* Of all rows; of the first rows, made without and with neighbours to refine by; of the first rows
 * and all columns. */
static finch_hierarchy *all, *plain, *refinable, *wide;
enum { REFINED_ROWS = 6000, WIDE_ROWS = 3000 };

/* Rows of more columns than `values` has are several rows of it, one after the other. */
static finch_matrix samples(size_t rows, size_t columns) {
    finch_matrix matrix = finch_matrix_row_major(values, FINCH_F32, rows, columns);
    matrix.row_stride = columns < COLUMNS ? COLUMNS : columns;
    return matrix;
}

static finch_options options_of(size_t threads) {
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.threads = threads;
    return options;
}

static finch_status cluster(size_t rows, size_t columns, const finch_options *options) {
    finch_matrix matrix = samples(rows, columns);
    finch_hierarchy *hierarchy = NULL;
    return noted_hierarchy(finch_cluster(&matrix, options, &hierarchy), hierarchy);
}

static finch_status cluster_by(int32_t search, size_t rows, size_t columns, size_t threads) {
    finch_options options = options_of(threads);
    options.search = search;
    /* Lists of many neighbours, which take memory. */
    options.refinable = search != FINCH_SEARCH_APPROXIMATE;
    return cluster(rows, columns, &options);
}

static finch_status brute(size_t threads) {
    return cluster_by(FINCH_SEARCH_BRUTE, 4000, 2, threads);
}

static finch_status kd_tree(size_t threads) {
    return cluster_by(FINCH_SEARCH_KD_TREE, 10000, 3, threads);
}

static finch_status blocked(size_t threads) {
    return cluster_by(FINCH_SEARCH_BLOCKED, 6000, 20, threads);
}

/* Each block of rows takes 2 MB, which is more than requests leave free for two threads. */
static finch_status blocked_wide(size_t threads) {
    return cluster_by(FINCH_SEARCH_BLOCKED, 4000, 1000, threads);
}

static finch_status projected(size_t threads) {
    return cluster_by(FINCH_SEARCH_PROJECTED, 6000, 40, threads);
}

static finch_status approximate(size_t threads) {
    return cluster_by(FINCH_SEARCH_APPROXIMATE, 6000, 20, threads);
}

static finch_status plain_cluster(size_t threads) {
    finch_options options = options_of(threads);
    return cluster(ROWS, 3, &options);
}

static finch_status given(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix matrix = samples(ROWS, 3);
    finch_hierarchy *hierarchy = NULL;
    finch_status status = finch_cluster_given(&matrix, first, ROWS, &options, &hierarchy);
    return noted_hierarchy(status, hierarchy);
}

static finch_status first_neighbors(size_t threads) {
    finch_options options = options_of(threads);
    options.metric = FINCH_COSINE;
    options.search = FINCH_SEARCH_BLOCKED;
    finch_matrix matrix = samples(8000, 20);
    finch_status status = finch_first_neighbors(&matrix, &options, labels, numbers, ROWS);
    noted(status, numbers, 8000 * sizeof *numbers);
    return noted(status, labels, 8000 * sizeof *labels);
}

static finch_status update_neighbors(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix queries = samples(8000, 20), base = samples(2000, 20);
    for (size_t row = 0; row < 8000; row++) {
        labels[row] = -1;
    }
    finch_status status
        = finch_update_neighbors(&queries, 0, &base, 0, &options, labels, numbers, 8000);
    return noted(status, labels, 8000 * sizeof *labels);
}

static finch_status refine(const finch_hierarchy *hierarchy, int32_t linkage, size_t columns,
                           size_t clusters, size_t threads) {
    finch_options options = options_of(threads);
    options.linkage = linkage;
    options.from = clusters < 500 ? 0 : -1;
    size_t rows = finch_hierarchy_sample_count(hierarchy);
    finch_matrix matrix = samples(rows, columns);
    finch_status status
        = finch_hierarchy_refine(hierarchy, &matrix, clusters, &options, labels, ROWS);
    return noted(status, labels, rows * sizeof *labels);
}

static finch_status refine_kept(size_t threads) {
    return refine(refinable, FINCH_LINKAGE_NEIGHBOR, 3, 7, threads);
}

static finch_status refine_searched(size_t threads) {
    return refine(plain, FINCH_LINKAGE_NEIGHBOR, 3, 7, threads);
}

static finch_status refine_centroid(size_t threads) {
    return refine(wide, FINCH_LINKAGE_CENTROID, COLUMNS, 7, threads);
}

static finch_status refine_ward(size_t threads) {
    return refine(wide, FINCH_LINKAGE_WARD, COLUMNS, 7, threads);
}

static finch_status refine_split(size_t threads) {
    return refine(all, FINCH_LINKAGE_WARD, 3, ROWS / 4 * 3, threads);
}

static finch_status means_of(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix matrix = samples(WIDE_ROWS, COLUMNS);
    size_t count = finch_hierarchy_cluster_count(wide, 0) * COLUMNS;
    finch_status status
        = finch_hierarchy_means(wide, 0, &matrix, &options, &means[0][0], ROWS * COLUMNS);
    return noted(status, means, count * sizeof **means);
}

static finch_status components(size_t threads) {
    (void)threads;
    return noted(finch_components(first, ROWS, labels, NULL), labels, sizeof labels);
}

static finch_status score(size_t threads) {
    (void)threads;
    finch_scores scores;
    finch_status status = finch_score(first, truth, ROWS, &scores, sizeof scores);
    return noted(status, &scores, sizeof scores);
}

static finch_status distances(size_t threads) {
    enum { COUNT = 500000 };
    (void)threads;
    finch_status status
        = finch_keys_to_distances(FINCH_EUCLIDEAN, &means[0][0], &means[0][0], COUNT);
    return noted(status, means, COUNT * sizeof(double));
}

static finch_status suggest(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix matrix = samples(REFINED_ROWS, 3);
    size_t clusters = 0;
    finch_status status = finch_hierarchy_suggest(refinable, &matrix, &options, labels, ROWS,
                                                  &clusters, NULL);
    return noted(status, labels, REFINED_ROWS * sizeof *labels);
}

static finch_status nearest_neighbors(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix matrix = samples(REFINED_ROWS, 3);
    finch_status status
        = finch_nearest_neighbors(&matrix, 3, &options, labels, numbers, ROWS);
    return noted(status, labels, 3 * REFINED_ROWS * sizeof *labels);
}

/* The linkage matrix and the text of a tree, which is then freed. */
static finch_status noted_tree(finch_status status, finch_tree *tree) {
    const char *text = NULL;
    size_t length = 0;
    if (status == FINCH_OK) {
        OK(finch_tree_linkage(tree, &means[0][0], ROWS * COLUMNS));
        note(means, 4 * (finch_tree_leaf_count(tree) - 1) * sizeof(double));
        status = finch_tree_text(tree, FINCH_TREE_JSON, NULL, 0, &text, &length);
    }
    if (status == FINCH_OK) {
        note(text, length);
    }
    finch_tree_free(tree);
    return status;
}

static finch_status tree(size_t threads) {
    (void)threads;
    finch_tree *of_hierarchy = NULL;
    finch_status status = finch_tree_of_hierarchy(all, &of_hierarchy);
    return noted_tree(status, of_hierarchy);
}

static finch_status dendrogram(size_t threads) {
    finch_options options = options_of(threads);
    finch_matrix matrix = samples(REFINED_ROWS, 3);
    finch_dendrogram *merges = NULL;
    finch_tree *of_merges = NULL;
    finch_status status = finch_hierarchy_dendrogram(refinable, &matrix, &options, 1, &merges);
    if (status == FINCH_OK) {
        status = finch_tree_of_dendrogram(merges, refinable, &of_merges);
    }
    status = noted_tree(status, of_merges);
    finch_dendrogram_free(merges);
    return status;
}

static const struct {
    const char *name;
    finch_status (*call)(size_t threads);
} kinds[] = {
    {"cluster, brute force", brute},
    {"cluster, k-d tree", kd_tree},
    {"cluster, blocked", blocked},
    {"cluster, blocked, wide", blocked_wide},
    {"cluster, projected", projected},
    {"cluster, approximate", approximate},
    {"cluster", plain_cluster},
    {"cluster, given", given},
    {"first neighbours", first_neighbors},
    {"update neighbours", update_neighbors},
    {"refine, neighbours kept", refine_kept},
    {"refine, neighbours searched", refine_searched},
    {"refine, centroid", refine_centroid},
    {"refine, Ward", refine_ward},
    {"refine, split", refine_split},
    {"suggest", suggest},
    {"dendrogram and its tree", dendrogram},
    {"tree", tree},
    {"nearest neighbours", nearest_neighbors},
    {"means", means_of},
    {"components", components},
    {"score", score},
    {"keys to distances", distances},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A number of /proc/self/status, which has kB, in bytes. It takes no memory to read. */
static size_t held(const char *name) {
    static char text[8192];
    int file = open("/proc/self/status", O_RDONLY);
    CHECK(file >= 0);
    ssize_t bytes = read(file, text, sizeof text - 1);
    CHECK(bytes > 0);
    close(file);
    text[bytes] = '\0';
    const char *line = strstr(text, name);
    CHECK(line);
    return (size_t)strtoull(line + strlen(name), NULL, 10) << 10;
}

/* How many threads a call may have, and how many arenas at most; 0 for any number. */
struct threads {
    const char *name;
    size_t count;
    int arenas;
};
static const struct threads threads_of_calls[]
    = {{"1 thread", 1, 1}, {"2 threads", 2, 1}, {"2 threads, any arenas", 2, 0}};

struct outcome {
    finch_status status;
    uint64_t found;
    size_t needed;
    char message[256];
};

/* Makes a call in a process of its own, which may have so many bytes more than it holds, or any
 * number of bytes for 0. Returns how the process ended. */
static int outcome_of(finch_status (*call)(size_t), struct threads threads, size_t more,
                      struct outcome *outcome) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        static struct outcome own;
        alarm(SECONDS);
        size_t before = held("VmSize:");
        if (more > 0) {
            struct rlimit limit = {before + more, before + more};
            CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        }
        if (threads.arenas > 0) {
            mallopt(M_ARENA_MAX, threads.arenas);
        }
        own.status = call(threads.count);
        own.found = found;
        own.needed = held("VmPeak:") - before;
        strncpy(own.message, finch_last_error_message(), sizeof own.message - 1);
        CHECK(write(ends[1], &own, sizeof own) == sizeof own);
        _exit(0);
    }
    close(ends[1]);
    int status;
    memset(outcome, 0, sizeof *outcome);
    ssize_t bytes = read(ends[0], outcome, sizeof *outcome);
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return status == 0 && bytes != sizeof *outcome ? -1 : status;
}

/* One kind of call at all limits. Returns the number of limits at which it did what it may not do. */
static int run(const char *name, finch_status (*call)(size_t), struct threads threads,
               int limits) {
    struct outcome whole, limited;
    CHECK(outcome_of(call, threads, 0, &whole) == 0 && whole.status == FINCH_OK);
    int passed = 0, refused = 0, unstarted = 0, faults = 0;
    /* In equal ratios, up to more than what the call takes: two threads do not always take the same. */
    double ratio = 1.5 * (double)whole.needed / LEAST;
    for (int i = 0; i < limits; i++) {
        size_t more = (size_t)(LEAST * pow(ratio, i / (limits - 1.0)));
        int ended = outcome_of(call, threads, more, &limited);
        const char *message = limited.message;
        if (ended == 0 && limited.status == FINCH_OK && limited.found == whole.found) {
            passed++;
        } else if (ended == 0 && limited.status == FINCH_OUT_OF_MEMORY && strstr(message, " bytes")) {
            refused++;
        } else if (ended == 0 && limited.status == FINCH_THREADS && threads.count > 1) {
            unstarted++;
        } else {
            faults++;
            fprintf(stderr, "%s, %s, %zu kB of %zu: ended with %d, status %s, \"%s\"\n", name,
                    threads.name, more >> 10, whole.needed >> 10, ended,
                    finch_status_name(limited.status), message);
        }
    }
    printf("%-27s %-21s: needs %6zu kB; of %d limits %2d passed, %2d refused memory, %2d refused "
           "threads\n",
           name, threads.name, whole.needed >> 10, limits, passed, refused, unstarted);
    /* Threads that have room for their arenas have room for all else. */
    if (passed == 0 || (refused == 0 && threads.arenas > 0)) {
        fprintf(stderr, "%s, %s: %d passed and %d refused\n", name, threads.name, passed, refused);
        faults++;
    }
    return faults;
}

static void prepare(void) {
    /* What the calls below have freed is no longer held, and no call finds room in it. */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    uint64_t state = 7;
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t column = 0; column < COLUMNS; column++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            /* Clouds of 500 rows, flat along most features. */
            double spread = column < 12 ? 1.0 : 0.02;
            values[row][column] = (float)((row / 500 * (column + 3)) % 17
                                          + spread * (double)(state >> 40) / (1 << 24));
            means[row][column] = values[row][column] * values[row][column];
        }
        truth[row] = (int32_t)(row % 7000 / 2);
    }
    /* Nobody who calls here has started threads. */
    finch_options options = options_of(1);
    finch_matrix whole = samples(ROWS, 3), some = samples(REFINED_ROWS, 3);
    finch_matrix far = samples(WIDE_ROWS, COLUMNS);
    OK(finch_first_neighbors(&whole, &options, first, NULL, ROWS));
    OK(finch_cluster(&whole, &options, &all));
    OK(finch_cluster(&some, &options, &plain));
    OK(finch_cluster(&far, &options, &wide));
    options.refinable = 1;
    OK(finch_cluster(&some, &options, &refinable));
    malloc_trim(0);
}

/* Of all kinds, or of those whose names have the first argument in them; the second is the number of
 * limits. */
int main(int count, char **arguments) {
    int limits = count > 2 ? atoi(arguments[2]) : LIMITS;
    int faults = 0;
    prepare();
    for (int kind = 0; kind < KINDS; kind++) {
        if (count > 1 && !strstr(kinds[kind].name, arguments[1])) {
            continue;
        }
        /* Arenas make a difference to what threads take, and searches take most. */
        int of_threads = strstr(kinds[kind].name, "cluster, ") ? 3 : 2;
        for (int i = 0; i < of_threads; i++) {
            faults += run(kinds[kind].name, kinds[kind].call, threads_of_calls[i], limits);
            fflush(stdout);
        }
    }
    return faults > 0;
}
