/* What a call found, as one number: calls that find the same have the same number. */
#ifndef FOUND_H
#define FOUND_H

#include "check.h"

static uint64_t found;

static void note(const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) {
        found = (found ^ byte[i]) * 1099511628211u;
    }
}

/* Notes what a call has written, unless it failed. */
static finch_status noted(finch_status status, const void *data, size_t bytes) {
    if (status == FINCH_OK) {
        note(data, bytes);
    }
    return status;
}

/* Notes a hierarchy, and frees it. */
static finch_status noted_hierarchy(finch_status status, finch_hierarchy *hierarchy) {
    if (status == FINCH_OK) {
        size_t rows = finch_hierarchy_sample_count(hierarchy);
        for (size_t i = 0; i < finch_hierarchy_partition_count(hierarchy); i++) {
            note(finch_hierarchy_labels(hierarchy, i), rows * sizeof(int32_t));
        }
        note(finch_hierarchy_distances(hierarchy), rows * sizeof(double));
        finch_hierarchy_free(hierarchy);
    }
    return status;
}

#endif
