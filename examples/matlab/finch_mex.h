/* What the files of the gateway share: a call's request, its hierarchy, and how the call fails.
 *
 * All names begin with mex_, since a host may have functions of shorter names, which would be
 * taken for those of the gateway. */
#ifndef FINCH_MEX_H
#define FINCH_MEX_H

#include <stdbool.h>

#include <finch.h>
#include <mex.h>

/* The arguments of a call, once they have been checked. */
struct mex_request {
    finch_matrix samples;
    finch_options options;
    /* Given first neighbours, from 0; NULL to search them. */
    int32_t *neighbors;
    size_t neighbor_count;
    /* The exact number of clusters that is asked for, or -1. */
    ptrdiff_t clusters;
    bool verbose;
};

/* A name, and the number that it stands for. */
struct mex_choice {
    const char *name;
    int32_t value;
};

/* The searches, by the names that options and results have. Ends with a NULL. */
extern const struct mex_choice MEX_SEARCHES[];

/* The hierarchy of the call that runs, or of one that did not get to free it. */
extern finch_hierarchy *mex_hierarchy;

/* Frees the hierarchy. */
void mex_release(void);

/* Fails. It does not return, though no compiler knows. */
void mex_stop(const char *id, const char *format, ...);

/* The identifier of a status: finch:nonFinite for FINCH_NON_FINITE, and so on. Valid until the next
 * call. */
const char *mex_id(finch_status status);

/* Fails as the library did, but with everything numbered from 1; returns if all went well. */
void mex_check(finch_status status, const struct mex_request *request);

/* Checks the arguments of a call. */
struct mex_request mex_read(int nrhs, const mxArray *prhs[]);

#endif
