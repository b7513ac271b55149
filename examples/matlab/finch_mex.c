/* The gateway between FINCH.m and the library: numbers from 1 what the library numbers from 0.
 *
 *     [c, num_clust, req_c, neighbors, distances, search, recall, explanation] = ...
 *         finch_mex(data, initial_rank, 'Name', value, ...)
 *
 * FINCH.m is the manual of the arguments, finch_mex_request.c checks them, finch_mex_fail.c says
 * what is wrong, make.m compiles the three files. */
#include "finch_mex.h"

static void cluster(const struct mex_request *request) {
    size_t rows = request->samples.rows;
    ptrdiff_t clusters = request->clusters;
    /* The library would say so only after a search that may take long. */
    if (rows > 0 && (clusters == 0 || clusters > (ptrdiff_t)rows)) {
        mex_stop(mex_id(FINCH_CLUSTER_COUNT),
                 "cannot make %.0f clusters of %.0f samples: ask for 1 to %.0f", (double)clusters,
                 (double)rows, (double)rows);
    }
    if (request->neighbors != NULL) {
        mex_check(finch_cluster_given(&request->samples, request->neighbors,
                                      request->neighbor_count, &request->options, &mex_hierarchy),
                  request);
    } else {
        mex_check(finch_cluster(&request->samples, &request->options, &mex_hierarchy), request);
    }
}

static void print_partitions(void) {
    for (size_t k = 0; k < finch_hierarchy_partition_count(mex_hierarchy); k++) {
        mexPrintf("Partition %.0f: %.0f clusters\n", (double)k + 1,
                  (double)finch_hierarchy_cluster_count(mex_hierarchy, k));
    }
}

static void number_from_1(double *to, const int32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)from[i] + 1;
    }
}

/* c, N x P. Labels are double, as all that MATLAB indexes and calculates with is by default. */
static mxArray *all_labels(void) {
    size_t samples = finch_hierarchy_sample_count(mex_hierarchy);
    size_t partitions = finch_hierarchy_partition_count(mex_hierarchy);
    mxArray *array = mxCreateDoubleMatrix(samples, partitions, mxREAL);
    double *labels = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        number_from_1(labels + k * samples, finch_hierarchy_labels(mex_hierarchy, k), samples);
    }
    return array;
}

/* num_clust, 1 x P. */
static mxArray *cluster_counts(void) {
    size_t partitions = finch_hierarchy_partition_count(mex_hierarchy);
    mxArray *array = mxCreateDoubleMatrix(1, partitions, mxREAL);
    double *counts = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        counts[k] = (double)finch_hierarchy_cluster_count(mex_hierarchy, k);
    }
    return array;
}

/* req_c, N x 1, or [] if no exact number of clusters was asked for. */
static mxArray *exactly(const struct mex_request *request) {
    size_t samples = finch_hierarchy_sample_count(mex_hierarchy);
    if (request->clusters < 0) {
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    }
    mxArray *array = mxCreateDoubleMatrix(samples, 1, mxREAL);
    int32_t *labels = mxMalloc(samples * sizeof *labels);
    mex_check(finch_hierarchy_refine(mex_hierarchy, &request->samples, (size_t)request->clusters,
                                 &request->options, labels, samples),
          request);
    number_from_1(mxGetData(array), labels, samples);
    mxFree(labels);
    return array;
}

/* The number of first neighbours: a single sample has none. */
static size_t neighbor_count(void) {
    size_t samples = finch_hierarchy_sample_count(mex_hierarchy);
    return samples > 1 ? samples : 0;
}

static mxArray *first_neighbors(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    number_from_1(mxGetData(array), finch_hierarchy_first_neighbors(mex_hierarchy),
                  neighbor_count());
    return array;
}

static mxArray *distances(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    double *to = mxGetData(array);
    const double *from = finch_hierarchy_distances(mex_hierarchy);
    for (size_t i = 0; i < neighbor_count(); i++) {
        to[i] = from[i];
    }
    return array;
}

static mxArray *search(void) {
    int32_t used = finch_hierarchy_search(mex_hierarchy);
    for (const struct mex_choice *choice = MEX_SEARCHES; choice->name != NULL; choice++) {
        if (choice->value == used) {
            return mxCreateString(choice->name);
        }
    }
    return mxCreateString("given");
}

/* The worker threads of the library sleep between calls, in code that is part of the compiled MEX
 * file. `clear mex` must not unload that code, so the MEX file is locked until the host ends. A lock
 * works on every system; the linker's -z nodelete would do the same on one. */
static void stay_loaded(void) {
    if (!mexIsLocked()) {
        mexLock();
        mexAtExit(mex_release);
    }
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
    stay_loaded();
    mex_release();
    if (nlhs != 8) {
        mex_stop("finch:invalidInput", "finch_mex is for FINCH to call: see help FINCH");
    }
    struct mex_request request = mex_read(nrhs, prhs);
    cluster(&request);
    if (request.verbose) {
        print_partitions();
    }
    plhs[0] = all_labels();
    plhs[1] = cluster_counts();
    plhs[2] = exactly(&request);
    plhs[3] = first_neighbors();
    plhs[4] = distances();
    plhs[5] = search();
    plhs[6] = mxCreateDoubleScalar(finch_hierarchy_recall(mex_hierarchy));
    const char *explanation = finch_hierarchy_explanation(mex_hierarchy);
    plhs[7] = mxCreateString(explanation == NULL ? "" : explanation);
    mex_release();
}
