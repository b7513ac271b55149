/* Each function of finch.h that returns a status, on each kind of samples:
 *
 * - after the same call in the parent, a forked child makes the call, with any number of threads, and
 *   finds what its parent found. A child that waits for ever is ended by its alarm, and is a failure.
 * - with `threads` = 1 the call starts no thread, with a callback and without.
 *
 * Each call serves the first kind of samples; of the others it may refuse the search, or rows that are
 * not dense.
 *
 * With the argument `names` it prints the names of the functions. */
#define _GNU_SOURCE
#include "calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { SECONDS = 120 };

static unsigned started;

/* In place of the system's, also for the library. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    int (*real_one)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real_one = dlsym(RTLD_NEXT, "pthread_create");
    __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
    return real_one(thread, attributes, start, argument);
}

struct outcome {
    finch_status status;
    uint64_t found;
};

static struct outcome outcome_of(int call, const struct input *of, size_t threads, bool watched) {
    finch_options options = options_of(of, threads, watched);
    struct outcome outcome;
    found = 0;
    outcome.status = calls[call].call(of, &options);
    outcome.found = found;
    return outcome;
}

static int failures;

static void fail(int call, const struct input *of, const char *how) {
    fprintf(stderr, "%s, %s: %s\n", calls[call].name, of->name, how);
    failures++;
}

static const struct {
    size_t threads;
    bool watched;
} ways[] = {{0, true}, {2, false}, {1, false}, {0, false}};

static void in_a_child(int call, const struct input *of, struct outcome wanted) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            struct outcome own = outcome_of(call, of, ways[way].threads, ways[way].watched);
            if (own.status != wanted.status || own.found != wanted.found) {
                fprintf(stderr, "%s in a child: %s\n", calls[call].name, finch_last_error_message());
                _exit(1);
            }
        }
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        fail(call, of, "a forked child waits for ever");
    } else if (status != 0) {
        fail(call, of, "a forked child finds something else");
    }
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "names") == 0) {
        for (int call = 0; call < CALLS; call++) {
            puts(calls[call].name);
        }
        return 0;
    }
    CHECK(count > 1 && strlen(arguments[1]) + 20 < sizeof path);
    snprintf(path, sizeof path, "%s/model.finch", arguments[1]);
    for (int i = 0; i < INPUTS; i++) {
        const struct input *of = &inputs[i];
        prepare(&inputs[i]);
        for (int call = 0; call < CALLS; call++) {
            unsigned before = __atomic_load_n(&started, __ATOMIC_SEQ_CST);
            struct outcome alone = outcome_of(call, of, 1, false);
            struct outcome watched = outcome_of(call, of, 1, true);
            if (__atomic_load_n(&started, __ATOMIC_SEQ_CST) != before) {
                fail(call, of, "threads = 1 starts threads");
            }
            bool unserved = alone.status == FINCH_UNSUPPORTED_SEARCH
                            || alone.status == FINCH_INVALID_SPARSE;
            if (alone.status != FINCH_OK && (i == 0 || !unserved)) {
                fail(call, of, finch_last_error_message());
            }
            struct outcome shared = outcome_of(call, of, 0, false);
            if (alone.found != watched.found || alone.found != shared.found) {
                fail(call, of, "the number of threads shows in what is found");
            }
            in_a_child(call, of, alone);
            fflush(stdout);
        }
        dispose(&inputs[i]);
    }
    printf("%d calls on %d kinds of samples\n", (int)CALLS, (int)INPUTS);
    return failures > 0;
}
