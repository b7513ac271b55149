/* Failures of calls of the gateway.
 *
 * The hosts leave a MEX function by a jump, from mexErrMsgIdAndTxt and from any mx function that
 * runs out of memory. The hosts free what mx functions gave. What the library gave is kept here,
 * where the next call finds it if this call did not get to free it. MEX functions run on one
 * thread. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "finch_mex.h"

struct mex_held mex_held;

void mex_release(void) {
    finch_hierarchy_free(mex_held.hierarchy);
    finch_dendrogram_free(mex_held.dendrogram);
    finch_tree_free(mex_held.tree);
    finch_model_free(mex_held.model);
    finch_model_free(mex_held.extended);
    finch_description_free(mex_held.description);
    finch_membership_free(mex_held.membership);
    mex_held = (struct mex_held){0};
}

void mex_stop(const char *id, const char *format, ...) {
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    mex_release();
    mexErrMsgIdAndTxt(id, "%s", message);
}

/* finch:lowRecall for LOW_RECALL. Valid until the next call. */
static const char *id_of(const char *name) {
    static char id[64];
    size_t length = (size_t)snprintf(id, sizeof id, "finch:");
    for (bool capital = false; *name != '\0' && length + 1 < sizeof id; name++) {
        if (*name == '_') {
            capital = true;
            continue;
        }
        id[length++] = (char)(capital ? *name : tolower((unsigned char)*name));
        capital = false;
    }
    id[length] = '\0';
    return id;
}

const char *mex_id(finch_status status) {
    static const char prefix[] = "FINCH_";
    const char *name = finch_status_name(status);
    return id_of(strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name);
}

/* Warns by a kind of warning, and its sentence. */
static void warn(int32_t kind, const char *sentence) {
    static const char prefix[] = "FINCH_WARNING_";
    const char *name = finch_warning_name(kind);
    name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    mexWarnMsgIdAndTxt(id_of(name), "%s", sentence);
}

void mex_warn(const finch_hierarchy *of) {
    for (size_t i = 0, count = finch_hierarchy_warning_count(of); i < count; i++) {
        int32_t kind = finch_hierarchy_warning(of, i);
        size_t before = 0;
        while (finch_hierarchy_warning(of, before) != kind) {
            before++;
        }
        if (before == i) {
            warn(kind, finch_hierarchy_warning_message(of, i));
        }
    }
}

void mex_warn_of_call(void) {
    const char *sentence = finch_last_warning_message();
    if (*sentence != '\0') {
        warn(finch_last_warning(), sentence);
    }
}

/* Says which value the library refused, in words of the host. */
static void stop_at_value(finch_status status, const finch_matrix *samples) {
    const double *doubles = samples->data;
    const float *singles = samples->data;
    bool sparse = samples->element == FINCH_CSR;
    size_t count = samples->rows * samples->columns, found = 0;
    double worst = 0;
    if (sparse) {
        doubles = ((const finch_csr *)samples->data)->values;
        count = ((const finch_csr *)samples->data)->value_count;
    }
    for (size_t i = 0; i < count && fabs(worst) <= DBL_MAX; i++) {
        double value = samples->element != FINCH_F32 ? doubles[i] : (double)singles[i];
        bool finite = fabs(value) <= DBL_MAX;
        if (status == FINCH_NON_FINITE ? !finite : finite && fabs(value) > fabs(worst)) {
            worst = value;
            found = i;
        }
    }
    size_t row = found % samples->rows, column = found / samples->rows;
    if (sparse) {
        mex_sparse_place(samples, found, &row, &column);
    }
    mex_stop(mex_id(status), "the value in row %.0f, column %.0f is %s: %s", (double)row + 1,
             (double)column + 1,
             status != FINCH_NON_FINITE ? "too large for squared distances"
             : isnan(worst)             ? "NaN"
                                        : "infinite",
             status != FINCH_NON_FINITE ? "rescale that feature"
                                        : "remove or impute it, distances need finite numbers");
}

void mex_check(finch_status status, const struct mex_request *request) {
    double from = (double)request->options.from + 1;
    switch (status) {
    case FINCH_OK:
        return;
    case FINCH_CANCELLED:
        mex_stop(mex_id(status), "stopped by Ctrl-C");
        return;
    case FINCH_NON_FINITE:
    case FINCH_VALUE_TOO_LARGE:
        stop_at_value(status, &request->samples);
        return;
    case FINCH_NO_SUCH_PARTITION:
        mex_stop(mex_id(status), "there is no partition %.0f to start from: there are %.0f", from,
                 (double)finch_hierarchy_partition_count(mex_held.hierarchy));
        return;
    case FINCH_TOO_COARSE:
        mex_stop(mex_id(status),
                 "partition %.0f has too few clusters to merge into %.0f: start from a finer one",
                 from, (double)request->clusters);
        return;
    default:
        mex_stop(mex_id(status), "%s", finch_last_error_message());
    }
}
