/* Microseconds that a call takes from C: reads samples from a file of floats, clusters them again and again for some
 * milliseconds, and prints the median. CLOCK is cpu, the time that the process has worked, or wall.
 * benches/few.py compiles it and calls it: small FILE ROWS COLUMNS METRIC THREADS MILLISECONDS CLOCK */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "finch.h"

enum { MOST_CALLS = 100000 };

static double microseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    static double took[MOST_CALLS];
    if (count != 8) {
        fprintf(stderr, "small FILE ROWS COLUMNS METRIC THREADS MILLISECONDS CLOCK\n");
        return 2;
    }
    size_t rows = strtoul(arguments[2], NULL, 10), columns = strtoul(arguments[3], NULL, 10);
    float *values = malloc(rows * columns * sizeof *values);
    FILE *file = fopen(arguments[1], "rb");
    if (!values || !file || fread(values, sizeof *values, rows * columns, file) != rows * columns) {
        fprintf(stderr, "%s has too few values\n", arguments[1]);
        return 1;
    }
    fclose(file);
    finch_options options;
    finch_options_init(&options, sizeof options);
    options.metric = atoi(arguments[4]);
    options.threads = strtoul(arguments[5], NULL, 10);
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F32, rows, columns);
    clockid_t clock = strcmp(arguments[7], "cpu") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    double end = microseconds(CLOCK_MONOTONIC) + 1e3 * atof(arguments[6]);
    size_t calls = 0;
    while (calls < 3 || (calls < MOST_CALLS && microseconds(CLOCK_MONOTONIC) < end)) {
        double begin = microseconds(clock);
        finch_hierarchy *hierarchy;
        if (finch_cluster(&samples, &options, &hierarchy) != FINCH_OK) {
            fprintf(stderr, "%s\n", finch_last_error_message());
            return 1;
        }
        finch_hierarchy_free(hierarchy);
        took[calls++] = microseconds(clock) - begin;
    }
    /* The first call finds nothing in a cache. */
    qsort(took + 1, calls - 1, sizeof *took, compare);
    printf("%.3f\n", took[1 + (calls - 1) / 2]);
    free(values);
    return 0;
}
