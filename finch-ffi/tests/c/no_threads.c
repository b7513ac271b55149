/* Where the system has no threads left: a status, each time; but one thread is the caller's own. Once
 * the system has threads again, each call works. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

static int refused = 1;

/* In place of the system's, also for the library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    int (*real_one)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real_one = dlsym(RTLD_NEXT, "pthread_create");
    return refused ? EAGAIN : real_one(thread, attributes, start, argument);
}

int main(void) {
    static double x[1000][40];
    for (size_t i = 0; i < sizeof x / sizeof x[0][0]; i++) {
        x[i / 40][i % 40] = (double)(i * 7919 % 1009);
    }
    finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, 1000, 40);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    for (size_t round = 0; round < 9; round++) {
        refused = round < 6;
        options.threads = round % 3;
        finch_hierarchy *hierarchy = NULL;
        finch_status status = finch_cluster(&samples, &options, &hierarchy);
        if (options.threads == 1 || !refused) {
            CHECK(status == FINCH_OK && hierarchy != NULL);
            finch_hierarchy_free(hierarchy);
        } else {
            CHECK(status == FINCH_THREADS);
            CHECK(hierarchy == NULL && strstr(finch_last_error_message(), "threads") != NULL);
        }
    }
    return 0;
}
