/* The commands of the gateway that keep a clustering. For MATLAB a model is bytes, so that the host
 * copies and frees it: each command reads the model from the bytes first. */
#include <string.h>

#include "finch_mex.h"

/* Reads the model from a struct with the field bytes. */
static void read_model(const mxArray *given) {
    struct mex_request none = {.clusters = -1};
    const mxArray *bytes = mxIsStruct(given) && mxGetNumberOfElements(given) == 1
                               ? mxGetField(given, 0, "bytes")
                               : NULL;
    if (bytes == NULL || mxGetClassID(bytes) != mxUINT8_CLASS) {
        mex_stop("finch:invalidInput", "this is no model: give what finch_model returns");
    }
    mex_check(finch_model_deserialize(mxGetData(bytes), mxGetNumberOfElements(bytes),
                                      &mex_held.model),
              &none);
}

/* [bytes, c, num_clust] of a model. */
static void put_model(const struct mex_call *call, const finch_model *model) {
    struct mex_request none = {.clusters = -1};
    size_t size;
    mex_check(finch_model_serialized_size(model, &size), &none);
    call->outputs[0] = mxCreateNumericMatrix(1, size, mxUINT8_CLASS, mxREAL);
    mex_check(finch_model_serialize(model, mxGetData(call->outputs[0]), size), &none);

    size_t samples = finch_hierarchy_sample_count(finch_model_hierarchy(model));
    size_t labellings = finch_model_labelling_count(model);
    call->outputs[1] = mxCreateDoubleMatrix(samples, labellings, mxREAL);
    call->outputs[2] = mxCreateDoubleMatrix(1, labellings, mxREAL);
    double *labels = mxGetData(call->outputs[1]), *counts = mxGetData(call->outputs[2]);
    for (size_t k = 0; k < labellings; k++) {
        const int32_t *from = finch_model_labels(model, k);
        for (size_t i = 0; i < samples; i++) {
            /* Noise is -1 in both. */
            labels[k * samples + i] = from[i] < 0 ? -1 : (double)from[i] + 1;
        }
        counts[k] = (double)finch_model_cluster_count(model, k);
    }
}

void mex_model(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_MODEL, call->inputs[0], call, 1);
    mex_cluster(&request);
    mex_check(finch_model_new(mex_held.hierarchy, &request.samples, request.keep_samples,
                              request.refined, request.refined_count, &request.options,
                              &mex_held.model),
              &request);
    put_model(call, mex_held.model);
}

void mex_load(const struct mex_call *call) {
    struct mex_request none = {.clusters = -1};
    mex_check(finch_model_load(mex_text("the file", call->inputs[0]), &mex_held.model), &none);
    put_model(call, mex_held.model);
    mex_warn(finch_model_hierarchy(mex_held.model));
}

void mex_save(const struct mex_call *call) {
    struct mex_request none = {.clusters = -1};
    read_model(call->inputs[0]);
    mex_check(finch_model_save(mex_held.model, mex_text("the file", call->inputs[1])), &none);
    call->outputs[0] = mxCreateLogicalScalar(true);
}

void mex_predict(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_PREDICT, call->inputs[1], call, 2);
    read_model(call->inputs[0]);
    size_t rows = request.samples.rows, labellings = finch_model_labelling_count(mex_held.model);
    if (request.labelling >= labellings) {
        mex_stop(mex_id(FINCH_NO_SUCH_PARTITION), "there is no labelling %.0f: there are %.0f",
                 (double)request.labelling + 1, (double)labellings);
    }
    int32_t *labels = mxMalloc((rows + 1) * sizeof *labels);
    int32_t *neighbor = mxMalloc((rows + 1) * sizeof *neighbor);
    /* An approximate search of samples tells nothing of other clusters. */
    finch_matrix kept;
    bool others = request.options.search != FINCH_SEARCH_APPROXIMATE ||
                  finch_model_samples(mex_held.model, &kept) == 0;
    for (int i = 2; i < 5; i++) {
        call->outputs[i] = mxCreateDoubleMatrix(i == 2 || others ? rows : 0, 1, mxREAL);
    }
    call->outputs[5] = mxCreateDoubleMatrix(1, 1, mxREAL);
    mex_check(finch_model_predict(mex_held.model, &request.samples, request.labelling,
                                  &request.options, labels, neighbor, mxGetData(call->outputs[2]),
                                  others ? mxGetData(call->outputs[3]) : NULL,
                                  others ? mxGetData(call->outputs[4]) : NULL, rows,
                                  mxGetData(call->outputs[5])),
              &request);
    mex_warn_of_call();
    call->outputs[0] = mex_labels(labels, rows);
    call->outputs[1] = mex_numbers(neighbor, rows, 1);
}

static size_t element_size(int32_t element) {
    return element == FINCH_F64 ? sizeof(double) : element == FINCH_F32 ? sizeof(float) : 1;
}

/* Copies rows of a matrix into the rows of a row-major array. */
static void copy_rows(unsigned char *to, const finch_matrix *from) {
    const unsigned char *data = from->data;
    size_t size = element_size(from->element);
    for (size_t i = 0; i < from->rows; i++) {
        for (size_t j = 0; j < from->columns; j++) {
            ptrdiff_t at = (ptrdiff_t)i * from->row_stride + (ptrdiff_t)j * from->column_stride;
            memcpy(to, data + at * (ptrdiff_t)size, size);
            to += size;
        }
    }
}

/* The weights of all samples: those of the old ones, or 1, and those given, or 1. NULL without. */
static const double *all_weights(const struct mex_request *request, const finch_matrix *kept) {
    const double *old = finch_hierarchy_weights(finch_model_hierarchy(mex_held.model));
    size_t added = request->samples.rows;
    if (request->weights == NULL) {
        return NULL; /* New samples weigh 1, if the old ones have weights. */
    }
    if (request->weight_count != added) {
        mex_stop(mex_id(FINCH_SAMPLE_COUNT), "Weights has %.0f numbers for %.0f new samples",
                 (double)request->weight_count, (double)added);
    }
    double *weights = mxMalloc((kept->rows + added) * sizeof *weights);
    for (size_t i = 0; i < kept->rows; i++) {
        weights[i] = old == NULL ? 1 : old[i];
    }
    memcpy(weights + kept->rows, request->weights, added * sizeof *weights);
    return weights;
}

void mex_extend(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_EXTEND, call->inputs[1], call, 2);
    finch_matrix kept, *added = &request.samples;
    read_model(call->inputs[0]);
    if (finch_model_samples(mex_held.model, &kept) == 0) {
        mex_stop(mex_id(FINCH_NEEDS_SAMPLES),
                 "the model keeps no samples: make it with 'KeepSamples', true");
    }
    if (kept.element == FINCH_CSR || added->element == FINCH_CSR) {
        mex_stop(mex_id(FINCH_INVALID_SPARSE),
                 "the data or the model is sparse: extend a model of full(data) by full(data)");
    }
    if (kept.element != added->element) {
        mex_stop("finch:invalidInput", "the data is of another class than the samples of the model");
    }
    if (kept.columns != added->columns) {
        mex_stop(mex_id(FINCH_FEATURE_COUNT), "the data has %.0f columns, and the model has %.0f",
                 (double)added->columns, (double)kept.columns);
    }
    size_t rows = kept.rows + added->rows, size = element_size(kept.element);
    unsigned char *data = mxMalloc(rows * kept.columns * size);
    copy_rows(data, &kept);
    copy_rows(data + kept.rows * kept.columns * size, added);
    finch_matrix all = finch_matrix_row_major(data, kept.element, rows, kept.columns);
    mex_check(finch_hierarchy_extend(finch_model_hierarchy(mex_held.model), &all,
                                     all_weights(&request, &kept), &request.options,
                                     &mex_held.hierarchy),
              &request);
    mex_check(finch_model_new(mex_held.hierarchy, &all, 1, NULL, 0, &request.options,
                              &mex_held.extended),
              &request);
    put_model(call, mex_held.extended);
}
