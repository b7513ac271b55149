/* One run of the C library on raw uint8_t samples:
 *
 *     overhead cluster|cancel SAMPLES ROWS COLUMNS
 *
 * `cluster` prints the seconds that finch_cluster took, the clusters of the first partition, and
 * the most kB of memory that the process had at once;
 * `cancel` asks to stop at ten moments of ten runs, and prints for each the milliseconds from the
 * moment at which the callback was free to return until the call did.
 */
#include <finch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct deadline {
    double at, asked;
};

static int32_t stop(const finch_progress *progress, void *user_data) {
    struct deadline *deadline = user_data;
    (void)progress;
    if (now() < deadline->at) {
        return 0;
    }
    deadline->asked = now();
    return 1;
}

static long peak(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "VmHWM: %ld", &kilobytes);
    }
    if (status != NULL) {
        fclose(status);
    }
    return kilobytes;
}

static int fail(void) {
    fprintf(stderr, "%s\n", finch_last_error_message());
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        return 2;
    }
    size_t rows = strtoul(argv[3], NULL, 10), columns = strtoul(argv[4], NULL, 10);
    unsigned char *pixels = malloc(rows * columns);
    FILE *file = fopen(argv[2], "rb");
    if (pixels == NULL || file == NULL || fread(pixels, columns, rows, file) != rows) {
        perror(argv[2]);
        return 1;
    }
    fclose(file);
    finch_matrix samples = finch_matrix_row_major(pixels, FINCH_U8, rows, columns);
    finch_hierarchy *hierarchy = NULL;

    if (strcmp(argv[1], "cluster") == 0) {
        double start = now();
        if (finch_cluster(&samples, NULL, &hierarchy) != FINCH_OK) {
            return fail();
        }
        double seconds = now() - start;
        printf("%.6f %zu %ld\n", seconds, finch_hierarchy_cluster_count(hierarchy, 0), peak());
        finch_hierarchy_free(hierarchy);
    } else {
        for (int run = 0; run < 10; run++) {
            struct deadline deadline = {now() + 0.2 * run, 0};
            finch_options options;
            finch_options_init(&options, sizeof options);
            options.progress = stop;
            options.user_data = &deadline;
            finch_status status = finch_cluster(&samples, &options, &hierarchy);
            double latency = 1e3 * (now() - deadline.asked);
            if (status == FINCH_OK) {
                finch_hierarchy_free(hierarchy); /* Done before that. */
            } else if (status == FINCH_CANCELLED) {
                printf("%.3f\n", latency);
            } else {
                return fail();
            }
        }
    }
    free(pixels);
    return 0;
}
