/* One refused allocation: each function of finch.h that returns a status, on each kind of samples, in
 * processes of its own in which the system refuses the n-th allocation of the call, once. The call finds
 * what it finds otherwise, or returns a status. It never ends its process. Prints how many processes
 * there were. */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

enum { SECONDS = 120, TRIALS = 4 };

/* Which allocations of a call count: those of so many bytes, of which the n-th is refused. */
static bool counting;
static size_t least;
static unsigned counted, refused;

static bool refuses(size_t bytes) {
    if (!__atomic_load_n(&counting, __ATOMIC_RELAXED) || bytes < least) {
        return false;
    }
    if (__atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) != refused) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

/* In place of the system's, also for the library. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    return refuses(size) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return refuses(count * size) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    return refuses(size) ? NULL : __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    return refuses(size) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (refuses(size)) {
        return ENOMEM;
    }
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

struct outcome {
    finch_status status;
    uint64_t found;
    unsigned counted;
};

/* Makes a call in a process of its own, and returns how the process ended. */
static int outcome_of(int call, const struct input *of, size_t threads, unsigned nth,
                      struct outcome *outcome) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        finch_options options = options_of(of, threads, false);
        found = 0, counted = 0, refused = nth;
        __atomic_store_n(&counting, true, __ATOMIC_RELAXED);
        struct outcome own = {.status = calls[call].call(of, &options)};
        __atomic_store_n(&counting, false, __ATOMIC_RELAXED);
        own.found = found, own.counted = counted;
        CHECK(write(ends[1], &own, sizeof own) == sizeof own);
        _exit(0);
    }
    close(ends[1]);
    memset(outcome, 0, sizeof *outcome);
    ssize_t bytes = read(ends[0], outcome, sizeof *outcome);
    close(ends[0]);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return status == 0 && bytes != sizeof *outcome ? -1 : status;
}

static int trials, faults;

/* Refuses some of the allocations of a call that have so many bytes, or more. */
static void refuse(int call, const struct input *of, size_t threads, size_t bytes) {
    struct outcome whole, one;
    least = bytes;
    CHECK(outcome_of(call, of, threads, 0, &whole) == 0);
    /* Each, or as many as there is time for, at equal distances. */
    for (unsigned trial = 0; trial < TRIALS && trial < whole.counted; trial++) {
        unsigned nth = whole.counted <= TRIALS ? trial + 1
                                               : 1 + trial * (whole.counted - 1) / (TRIALS - 1);
        int ended = outcome_of(call, of, threads, nth, &one);
        trials++;
        bool same = one.status == whole.status && one.found == whole.found;
        bool said = one.status == FINCH_OUT_OF_MEMORY || one.status == FINCH_IO
                    || (one.status == FINCH_THREADS && threads > 1);
        if (ended != 0 || !(same || said)) {
            faults++;
            fprintf(stderr, "%s, %s, %zu threads, refused %u of %u of %zu bytes: ended with %d, %s\n",
                    calls[call].name, of->name, threads, nth, whole.counted, least, ended,
                    finch_status_name(one.status));
        }
    }
}

int main(int count, char **arguments) {
    CHECK(count > 1 && strlen(arguments[1]) + 20 < sizeof path);
    snprintf(path, sizeof path, "%s/model.finch", arguments[1]);
    for (int i = 0; i < INPUTS; i++) {
        prepare(&inputs[i]);
        for (int call = 0; call < CALLS; call++) {
            /* Smaller ones may be glibc's, for a thread's variables: it ends the process itself. */
            refuse(call, &inputs[i], 1, 64);
            refuse(call, &inputs[i], 2, 4096);
        }
        dispose(&inputs[i]);
    }
    printf("%d refusals\n", trials);
    return faults > 0;
}
