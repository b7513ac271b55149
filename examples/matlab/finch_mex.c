/* The gateway between the functions of this folder and the library: numbers from 1 what the library
 * numbers from 0.
 *
 *     [...] = finch_mex(command, inputs, 'Name', value, ...)
 *
 * The functions are the manual of the arguments. finch_mex_request.c checks arguments,
 * finch_mex_fail.c says what is wrong, finch_mex_merge.c, finch_mex_describe.c and
 * finch_mex_model.c have further commands, finch_mex_sparse.c reads sparse data, make.m compiles the
 * files. */
#include <string.h>

#include "finch_mex.h"

void mex_cluster(const struct mex_request *request) {
    size_t rows = request->samples.rows;
    ptrdiff_t clusters = request->clusters;
    /* The library would say so only after a search that may take long. */
    if (rows > 0 && (clusters == 0 || clusters > (ptrdiff_t)rows)) {
        mex_stop(mex_id(FINCH_CLUSTER_COUNT),
                 "cannot make %.0f clusters of %.0f samples: ask for 1 to %.0f", (double)clusters,
                 (double)rows, (double)rows);
    }
    if (request->neighbors != NULL && request->weights != NULL) {
        mex_stop("finch:invalidInput", "Weights and initial_rank do not go together");
    }
    if (request->times != NULL && (request->weights != NULL || request->neighbors != NULL)) {
        mex_stop("finch:invalidInput", "Times goes with neither Weights nor initial_rank");
    }
    if (request->contiguous && request->times == NULL) {
        mex_stop("finch:invalidInput", "Contiguous is about Times: give Times");
    }
    if (request->ruled && clusters < 0) {
        mex_stop("finch:invalidInput", "rules are for the clusters of ReqClust: give ReqClust");
    }
    if (request->times != NULL) {
        mex_check(finch_cluster_timed(&request->samples, request->times, request->time_count,
                                      request->contiguous, &request->options, &mex_held.hierarchy),
                  request);
    } else if (request->weights != NULL) {
        mex_check(finch_cluster_weighted(&request->samples, request->weights, request->weight_count,
                                         &request->options, &mex_held.hierarchy),
                  request);
    } else if (request->neighbors != NULL) {
        mex_check(finch_cluster_given(&request->samples, request->neighbors,
                                      request->neighbor_count, &request->options, &mex_held.hierarchy),
                  request);
    } else {
        mex_check(finch_cluster(&request->samples, &request->options, &mex_held.hierarchy), request);
    }
}

static void print_partitions(void) {
    for (size_t k = 0; k < finch_hierarchy_partition_count(mex_held.hierarchy); k++) {
        mexPrintf("Partition %.0f: %.0f clusters\n", (double)k + 1,
                  (double)finch_hierarchy_cluster_count(mex_held.hierarchy, k));
    }
}

static void number_from_1(double *to, const int32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)from[i] + 1;
    }
}

mxArray *mex_numbers(const int32_t *from, size_t rows, size_t columns) {
    mxArray *array = mxCreateDoubleMatrix(rows, columns, mxREAL);
    double *to = mxGetData(array);
    for (size_t i = 0; i < rows * columns; i++) {
        to[i % columns * rows + i / columns] = (double)from[i] + 1;
    }
    return array;
}

mxArray *mex_labels(const int32_t *from, size_t samples) {
    mxArray *array = mxCreateDoubleMatrix(samples, 1, mxREAL);
    double *to = mxGetData(array);
    for (size_t i = 0; i < samples; i++) {
        to[i] = from[i] < 0 ? -1 : (double)from[i] + 1;
    }
    return array;
}

mxArray *mex_doubles(const double *from, size_t rows, size_t columns) {
    mxArray *array = mxCreateDoubleMatrix(rows, columns, mxREAL);
    double *to = mxGetData(array);
    for (size_t i = 0; i < rows * columns; i++) {
        to[i % columns * rows + i / columns] = from[i];
    }
    return array;
}

/* c, N x P. Labels are double, as all that MATLAB indexes and calculates with is by default. */
static mxArray *all_labels(void) {
    size_t samples = finch_hierarchy_sample_count(mex_held.hierarchy);
    size_t partitions = finch_hierarchy_partition_count(mex_held.hierarchy);
    mxArray *array = mxCreateDoubleMatrix(samples, partitions, mxREAL);
    double *labels = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        number_from_1(labels + k * samples, finch_hierarchy_labels(mex_held.hierarchy, k), samples);
    }
    return array;
}

/* num_clust, 1 x P. */
static mxArray *cluster_counts(void) {
    size_t partitions = finch_hierarchy_partition_count(mex_held.hierarchy);
    mxArray *array = mxCreateDoubleMatrix(1, partitions, mxREAL);
    double *counts = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        counts[k] = (double)finch_hierarchy_cluster_count(mex_held.hierarchy, k);
    }
    return array;
}

/* The name of a number; `other` for one that none has. */
static mxArray *name_of(const struct mex_choice *choices, int32_t number, const char *other) {
    for (const struct mex_choice *choice = choices; choice->name != NULL; choice++) {
        if (choice->value == number) {
            return mxCreateString(choice->name);
        }
    }
    return mxCreateString(other);
}

/* req_c, N x 1, or [] if no exact number of clusters was asked for; and the linkage that made them, or -1. */
static mxArray *exactly(const struct mex_request *request, int32_t *linkage) {
    size_t samples = finch_hierarchy_sample_count(mex_held.hierarchy);
    *linkage = -1;
    if (request->clusters < 0) {
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    }
    mxArray *array = mxCreateDoubleMatrix(samples, 1, mxREAL);
    int32_t *labels = mxMalloc(samples * sizeof *labels);
    *linkage = mex_refine(request, labels, samples);
    number_from_1(mxGetData(array), labels, samples);
    mxFree(labels);
    return array;
}

/* The number of first neighbours: a single sample has none. */
static size_t neighbor_count(void) {
    size_t samples = finch_hierarchy_sample_count(mex_held.hierarchy);
    return samples > 1 ? samples : 0;
}

static mxArray *first_neighbors(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    number_from_1(mxGetData(array), finch_hierarchy_first_neighbors(mex_held.hierarchy),
                  neighbor_count());
    return array;
}

static mxArray *distances(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    double *to = mxGetData(array);
    const double *from = finch_hierarchy_distances(mex_held.hierarchy);
    for (size_t i = 0; i < neighbor_count(); i++) {
        to[i] = from[i];
    }
    return array;
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

mxArray *mex_put_partitions(const struct mex_call *call, const struct mex_request *request) {
    int32_t linkage;
    call->outputs[0] = all_labels();
    call->outputs[1] = cluster_counts();
    call->outputs[2] = exactly(request, &linkage);
    return name_of(MEX_LINKAGES, linkage, "");
}

static void cluster(const struct mex_call *call) {
    mxArray **plhs = call->outputs;
    struct mex_request request = mex_read(MEX_CLUSTER, call->inputs[0], call, 2);
    mex_read_neighbors(&request, call->inputs[1]);
    mex_cluster(&request);
    if (request.verbose) {
        print_partitions();
    }
    mxArray *linkage = mex_put_partitions(call, &request);
    plhs[3] = first_neighbors();
    plhs[4] = distances();
    plhs[5] = name_of(MEX_SEARCHES, finch_hierarchy_search(mex_held.hierarchy), "given");
    plhs[6] = mxCreateDoubleScalar(finch_hierarchy_recall(mex_held.hierarchy));
    const char *explanation = finch_hierarchy_explanation(mex_held.hierarchy);
    plhs[7] = mxCreateString(explanation == NULL ? "" : explanation);
    plhs[8] = linkage;
}

/* The commands: their names, the number of outputs, the least number of inputs, and the code. */
static const struct {
    const char *name;
    int outputs;
    int inputs;
    void (*run)(const struct mex_call *call);
} COMMANDS[] = {
    /* [c, num_clust, req_c, neighbors, distances, search, recall, explanation, linkage]
     *     = (data, initial_rank, options) */
    {"cluster", 9, 2, cluster},
    /* [labels, clusters, partition, scores, clustered, best, persistence, rivals, ambiguity]
     *     = (data, options) */
    {"suggest", 9, 1, mex_suggest},
    /* [merges, heights, start, labels] = (data, options) */
    {"dendrogram", 4, 1, mex_dendrogram},
    /* [Z, text] = (data, options) */
    {"tree", 2, 1, mex_tree},
    /* [index, distance] = (data, k, options) */
    {"neighbors", 2, 2, mex_nearest_neighbors},
    /* [scores] = (labels, truth, weights or []) */
    {"score", 1, 3, mex_score},
    /* [labels, fates] = (old_labels, new_labels) */
    {"keep_labels", 2, 2, mex_keep_labels},
    /* [sizes, means, medoids, exemplars, spreads, silhouettes, sampled] = (data, labels, options) */
    {"describe", 8, 2, mex_describe},
    /* [scores] = (data, options) */
    {"outliers", 1, 1, mex_outliers},
    /* [labels] = (data, labels, options) */
    {"noise", 1, 2, mex_noise},
    /* [probabilities, shares] = (data, labels, options) */
    {"membership", 2, 2, mex_membership},
    /* [c, num_clust, req_c] = (data or [], index, distance, options) */
    {"given_neighbors", 3, 3, mex_given_neighbors},
    /* [c, num_clust, req_c] = (distances, options) */
    {"given_distances", 3, 1, mex_given_distances},
    /* [bytes, c, num_clust] = (data, options) */
    {"model", 3, 1, mex_model},
    /* [bytes, c, num_clust] = (file) */
    {"load", 3, 1, mex_load},
    /* [saved] = (model, file) */
    {"save", 1, 2, mex_save},
    /* [labels, neighbor, distance, otherDistance, confidence] = (model, data, options) */
    {"predict", 6, 2, mex_predict},
    /* [bytes, c, num_clust] = (model, data, options) */
    {"extend", 3, 2, mex_extend},
};

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
    stay_loaded();
    mex_release();
    finch_messages_from(1);
    char name[32] = "";
    if (nrhs > 0 && mxIsChar(prhs[0])) {
        mxGetString(prhs[0], name, sizeof name);
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(COMMANDS[i].name, name) == 0 && nlhs == COMMANDS[i].outputs &&
            nrhs - 1 >= COMMANDS[i].inputs) {
            COMMANDS[i].run(&(struct mex_call){plhs, nrhs - 1, prhs + 1});
            mex_warn(mex_held.hierarchy);
            mex_release();
            return;
        }
    }
    mex_stop("finch:invalidInput", "finch_mex is for FINCH to call: see help FINCH");
}
