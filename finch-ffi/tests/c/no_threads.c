/* Where the system has no threads left: a status, each time. Run with a RUST_MIN_STACK that no
 * thread can have. */
#include "check.h"

int main(void) {
    static double x[1000][40];
    for (size_t i = 0; i < sizeof x / sizeof x[0][0]; i++) {
        x[i / 40][i % 40] = (double)(i * 7919 % 1009);
    }
    finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, 1000, 40);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    for (size_t threads = 0; threads < 4; threads++) {
        options.threads = threads / 2;
        finch_hierarchy *hierarchy = NULL;
        CHECK(finch_cluster(&samples, &options, &hierarchy) == FINCH_THREADS);
        CHECK(hierarchy == NULL && strstr(finch_last_error_message(), "threads") != NULL);
    }
    return 0;
}
