/* The commands of the gateway that describe clusters and samples, and that cluster by neighbours or
 * distances that the caller brings. */
#include "finch_mex.h"

int32_t *mex_neighbor_rows(const mxArray *index) {
    size_t rows = mxGetM(index), k = mxGetN(index), count;
    int32_t *columns = mex_integers("index", index, &count);
    int32_t *by_rows = mxMalloc((count + 1) * sizeof *by_rows);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < k; j++) {
            int32_t number = columns[j * rows + i];
            if (number < 0 || (size_t)number > rows) {
                mex_stop(mex_id(FINCH_INVALID_NEIGHBOR),
                         "sample %.0f was given %.0f as a neighbour: name a sample from 1 to %.0f, "
                         "or 0 for none",
                         (double)i + 1, (double)number, (double)rows);
            }
            by_rows[i * k + j] = number - 1;
        }
    }
    return by_rows;
}

/* Labels from 1, or -1 for noise, as the library numbers them. */
static int32_t *read_labels(const mxArray *given, size_t *count) {
    int32_t *labels = mex_integers("labels", given, count);
    for (size_t i = 0; i < *count; i++) {
        if (labels[i] < 1 && labels[i] != -1) {
            mex_stop("finch:invalidValue",
                     "the label of sample %.0f is %.0f: clusters begin at 1, and noise is -1",
                     (double)i + 1, (double)labels[i]);
        }
        labels[i] -= labels[i] > 0;
    }
    return labels;
}

void mex_describe(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_DESCRIBE, call->inputs[0], call, 2);
    size_t count;
    int32_t *labels = read_labels(call->inputs[1], &count);
    if (request.weights != NULL && request.weight_count != count) {
        mex_stop(mex_id(FINCH_SAMPLE_COUNT), "Weights has %.0f numbers, and labels has %.0f",
                 (double)request.weight_count, (double)count);
    }
    mex_check(finch_describe(&request.samples, labels, count, request.weights, request.neighbors,
                             request.neighbor_count, request.exemplars, &request.options,
                             &mex_held.description),
              &request);
    const finch_description *made = mex_held.description;
    size_t clusters = finch_description_cluster_count(made);
    call->outputs[0] = mex_doubles(finch_description_sizes(made), clusters, 1);
    const double *means = finch_description_means(made);
    finch_matrix rows = {0};
    if (means == NULL && finch_description_mean_rows(made, &rows)) {
        call->outputs[1] = mex_sparse(&rows);
    } else {
        call->outputs[1] = mex_doubles(means, clusters, request.samples.columns);
    }
    call->outputs[2] = mex_numbers(finch_description_medoids(made), clusters, 1);
    call->outputs[3] = mex_numbers(finch_description_exemplars(made), clusters, request.exemplars);
    call->outputs[4] = mex_doubles(finch_description_spreads(made), clusters, 1);
    call->outputs[5] = mex_doubles(finch_description_silhouettes(made), clusters, 1);
    const double *modularities = finch_description_modularities(made);
    call->outputs[6] = mex_doubles(modularities, modularities == NULL ? 0 : clusters, 1);
    call->outputs[7] = mxCreateLogicalMatrix(clusters, 1);
    for (size_t k = 0; k < clusters; k++) {
        mxGetLogicals(call->outputs[7])[k] = finch_description_sampled(made, k) == 1;
    }
}

void mex_outliers(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_OUTLIERS, call->inputs[0], call, 1);
    /* The neighbours that are searched for the partitions serve for the scores, too. */
    request.options.refinable = 1;
    mex_cluster(&request);
    size_t samples = finch_hierarchy_sample_count(mex_held.hierarchy);
    call->outputs[0] = mxCreateDoubleMatrix(samples, 1, mxREAL);
    mex_check(finch_hierarchy_outlier_scores(mex_held.hierarchy, &request.samples, &request.options,
                                             mxGetData(call->outputs[0]), samples),
              &request);
}

void mex_noise(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_NOISE, call->inputs[0], call, 2);
    size_t count;
    int32_t *labels = mex_integers("labels", call->inputs[1], &count);
    /* The neighbours that are searched for the partitions serve for scores and links, too. */
    request.options.refinable = 1;
    mex_cluster(&request);
    mex_check(finch_hierarchy_noise(mex_held.hierarchy, &request.samples, labels, count,
                                    &request.options, labels, count, NULL),
              &request);
    call->outputs[0] = mex_labels(labels, count);
}

void mex_membership(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_MEMBERSHIP, call->inputs[0], call, 2);
    size_t count;
    int32_t *labels = read_labels(call->inputs[1], &count);
    request.options.refinable = 1;
    mex_cluster(&request);
    mex_check(finch_hierarchy_membership(mex_held.hierarchy, &request.samples, labels, count,
                                         &request.options, &mex_held.membership),
              &request);
    finch_matrix shares = {0};
    finch_membership_shares(mex_held.membership, &shares);
    call->outputs[0] = mex_doubles(finch_membership_probabilities(mex_held.membership), count, 1);
    call->outputs[1] = mex_sparse(&shares);
}

void mex_given_neighbors(const struct mex_call *call) {
    bool with = !mxIsEmpty(call->inputs[0]);
    /* Without samples the distances stand in for them where arguments are checked. */
    struct mex_request request =
        mex_read(MEX_GIVEN, with ? call->inputs[0] : call->inputs[2], call, 3);
    const mxArray *index = call->inputs[1], *distance = call->inputs[2];
    size_t rows = mxGetM(index), k = mxGetN(index);
    const int32_t *by_rows = mex_neighbor_rows(index);
    request.without_samples = !with;
    if (!mxIsDouble(distance) || mxIsComplex(distance) || mxIsSparse(distance) ||
        mxGetM(distance) != rows || mxGetN(distance) != k) {
        mex_stop("finch:invalidInput", "distance is no full real matrix of double, as large as index");
    }
    const double *far_columns = mxGetData(distance);
    double *far = mxMalloc((rows * k + 1) * sizeof *far);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < k; j++) {
            far[i * k + j] = far_columns[j * rows + i];
        }
    }
    mex_check(finch_cluster_neighbors(with ? &request.samples : NULL, by_rows, far, rows, k,
                                      &request.options, &mex_held.hierarchy),
              &request);
    mex_put_partitions(call, &request);
}

void mex_given_distances(const struct mex_call *call) {
    const mxArray *distances = call->inputs[0];
    if (!mxIsDouble(distances) || mxGetM(distances) != mxGetN(distances)) {
        mex_stop("finch:invalidInput", "the distances are no square matrix of double");
    }
    struct mex_request request = mex_read(MEX_GIVEN, distances, call, 1);
    request.without_samples = true;
    /* Columns are as good as rows, since distances are symmetric. */
    mex_check(finch_cluster_distances(request.samples.data, request.samples.rows, &request.options,
                                      &mex_held.hierarchy),
              &request);
    mex_put_partitions(call, &request);
}
