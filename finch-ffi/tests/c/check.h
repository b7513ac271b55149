/* What the C tests share: assertions that are never compiled out. */
#ifndef CHECK_H
#define CHECK_H

#include <finch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s; the last message is \"%s\"\n", __FILE__, __LINE__,         \
                    #condition, finch_last_error_message());                                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call) CHECK((call) == FINCH_OK)

#endif
