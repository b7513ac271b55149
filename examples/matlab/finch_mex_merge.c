/* The commands of the gateway that merge and compare: suggestions, dendrograms, trees, nearest
 * neighbours, scores, and names that clusters keep. */
#include "finch_mex.h"

static size_t sample_count(void) { return finch_hierarchy_sample_count(mex_held.hierarchy); }

int32_t *mex_pairs(const char *what, const mxArray *given, const struct mex_request *request,
                   size_t *count) {
    size_t numbers;
    int32_t *columns = mex_integers(what, given, &numbers);
    if (mxGetN(given) != 2) {
        mex_stop("finch:invalidValue", "%s has %.0f columns: give pairs, M x 2", what,
                 (double)mxGetN(given));
    }
    *count = mxGetM(given);
    int32_t *pairs = mxMalloc((numbers + 1) * sizeof *pairs);
    for (size_t i = 0; i < *count; i++) {
        for (size_t j = 0; j < 2; j++) {
            int32_t number = columns[j * *count + i];
            if (number < 1 || (size_t)number > request->samples.rows) {
                mex_stop(mex_id(FINCH_INVALID_CONSTRAINT),
                         "pair %.0f of %s names sample %.0f: name samples from 1 to %.0f",
                         (double)i + 1, what, (double)number, (double)request->samples.rows);
            }
            pairs[2 * i + j] = number - 1;
        }
    }
    return pairs;
}

int32_t mex_refine(const struct mex_request *request, int32_t *labels, size_t samples) {
    const finch_matrix *data = request->without_samples ? NULL : &request->samples;
    finch_refined refined = {.size = sizeof refined, .labels = labels, .capacity = samples};
    mex_check(finch_hierarchy_refine_into(mex_held.hierarchy, data, (size_t)request->clusters,
                                          request->ruled ? &request->rules : NULL,
                                          &request->options, &refined),
              request);
    mex_warn_of_call();
    return refined.linkage;
}

/* A row of numbers of clusters. */
static mxArray *counts(const size_t *numbers, size_t count) {
    mxArray *array = mxCreateDoubleMatrix(1, count, mxREAL);
    double *to = mxGetData(array);
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)numbers[i];
    }
    return array;
}

void mex_suggest(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_SUGGEST, call->inputs[0], call, 1);
    size_t clusters, partition;
    /* The neighbours that are searched for the partitions serve for merging, too. */
    request.options.refinable = 1;
    mex_cluster(&request);
    mex_check(finch_hierarchy_suggestion(mex_held.hierarchy, &request.samples, &request.options,
                                         &mex_held.dendrogram, &clusters, &partition),
              &request);
    call->outputs[0] = mex_labels(finch_dendrogram_suggested(mex_held.dendrogram), sample_count());
    call->outputs[1] = mxCreateDoubleScalar((double)clusters);
    call->outputs[2] = mxCreateDoubleScalar((double)partition + 1);
    call->outputs[3] = mex_doubles(finch_dendrogram_scores(mex_held.dendrogram), 1,
                                   finch_dendrogram_score_count(mex_held.dendrogram));
    static const char *const answers[] = {"no", "yes", "too few to tell"};
    call->outputs[4] = mxCreateString(answers[finch_dendrogram_clustered(mex_held.dendrogram)]);
    call->outputs[5] = counts(finch_dendrogram_best(mex_held.dendrogram),
                              finch_dendrogram_best_count(mex_held.dendrogram));
    call->outputs[6] = mxCreateDoubleMatrix(clusters, 1, mxREAL);
    const int32_t *labels = finch_dendrogram_suggested(mex_held.dendrogram);
    mex_check(finch_dendrogram_persistence(mex_held.dendrogram, labels, clusters,
                                           mxGetData(call->outputs[6]), clusters, NULL),
              &request);
    call->outputs[7] = counts(finch_dendrogram_rivals(mex_held.dendrogram),
                              finch_dendrogram_rival_count(mex_held.dendrogram));
    const char *ambiguity = finch_dendrogram_ambiguity(mex_held.dendrogram);
    call->outputs[8] = mxCreateString(ambiguity == NULL ? "" : ambiguity);
}

/* Makes the hierarchy and the dendrogram of a request, of all merges down to `clusters`. */
static void merge(struct mex_request *request, size_t clusters) {
    /* Keeps what the linkage takes, which by means is nothing. */
    request->options.refinable = 1;
    mex_cluster(request);
    mex_check(finch_hierarchy_dendrogram(mex_held.hierarchy, &request->samples, &request->options,
                                         clusters, &mex_held.dendrogram),
              request);
}

void mex_dendrogram(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_DENDROGRAM, call->inputs[0], call, 1);
    merge(&request, request.clusters < 0 ? 1 : (size_t)request.clusters);
    size_t merges = finch_dendrogram_merge_count(mex_held.dendrogram);
    size_t samples = sample_count();
    call->outputs[0] = mex_numbers(finch_dendrogram_merges(mex_held.dendrogram), merges, 2);
    call->outputs[1] = mex_doubles(finch_dendrogram_heights(mex_held.dendrogram), merges, 1);
    int32_t *labels = mxMalloc(samples * sizeof *labels);
    mex_check(finch_dendrogram_cut(mex_held.dendrogram,
                                   finch_dendrogram_start_count(mex_held.dendrogram), labels,
                                   samples),
              &request);
    call->outputs[2] = mex_labels(labels, samples);
    call->outputs[3] = mxCreateDoubleMatrix(samples, request.cut_count, mxREAL);
    double *cuts = mxGetData(call->outputs[3]);
    for (size_t i = 0; i < request.cut_count; i++) {
        size_t clusters = (size_t)request.cuts[i];
        mex_check(finch_dendrogram_cut(mex_held.dendrogram, clusters, labels, samples), &request);
        for (size_t j = 0; j < samples; j++) {
            cuts[i * samples + j] = (double)labels[j] + 1;
        }
    }
}

/* MATLAB's linkage matrix: as SciPy's, but numbered from 1, and without the number of leaves. */
static mxArray *linkage(const struct mex_request *request) {
    size_t leaves = finch_tree_leaf_count(mex_held.tree), joins = leaves > 0 ? leaves - 1 : 0;
    double *rows = mxMalloc((4 * joins + 1) * sizeof *rows);
    mex_check(finch_tree_linkage(mex_held.tree, rows, 4 * joins), request);
    mxArray *array = mxCreateDoubleMatrix(joins, 3, mxREAL);
    double *to = mxGetData(array);
    for (size_t i = 0; i < joins; i++) {
        to[i] = rows[4 * i] + 1;
        to[joins + i] = rows[4 * i + 1] + 1;
        to[2 * joins + i] = rows[4 * i + 2];
    }
    return array;
}

void mex_tree(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_TREE, call->inputs[0], call, 1);
    if (request.of_dendrogram) {
        merge(&request, 1);
        mex_check(finch_tree_of_dendrogram(mex_held.dendrogram, mex_held.hierarchy, &mex_held.tree),
                  &request);
    } else {
        mex_cluster(&request);
        mex_check(finch_tree_of_hierarchy(mex_held.hierarchy, &mex_held.tree), &request);
    }
    const char *text;
    mex_check(finch_tree_text(mex_held.tree, request.format, request.names, request.name_count,
                              &text, NULL),
              &request);
    call->outputs[0] = linkage(&request);
    call->outputs[1] = mxCreateString(text);
}

void mex_nearest_neighbors(const struct mex_call *call) {
    struct mex_request request = mex_read(MEX_NEIGHBORS, call->inputs[0], call, 2);
    size_t k = (size_t)mex_whole_number("k", call->inputs[1], 1, INT32_MAX);
    size_t rows = request.samples.rows;
    /* The library says what is wrong with a k that is too large. */
    size_t room = k < rows ? rows * k : 0;
    int32_t *index = mxMalloc((room + 1) * sizeof *index);
    double *distance = mxMalloc((room + 1) * sizeof *distance);
    mex_check(finch_nearest_neighbors(&request.samples, k, &request.options, index, distance, room),
              &request);
    mex_warn_of_call();
    call->outputs[0] = mex_numbers(index, rows, k);
    call->outputs[1] = mex_doubles(distance, rows, k);
}

/* Stops where two inputs have different numbers of elements. */
static void expect_same(const char *a, size_t count_a, const char *b, size_t count_b) {
    if (count_a != count_b) {
        mex_stop(mex_id(FINCH_SAMPLE_COUNT), "%s has %.0f numbers, and %s has %.0f", a,
                 (double)count_a, b, (double)count_b);
    }
}

void mex_score(const struct mex_call *call) {
    static const char *const FIELDS[] = {
        "nmi",     "nmiArithmetic",     "accuracy",       "purity",    "ari",
        "pairwisePrecision", "pairwiseRecall", "pairwiseF", "bcubedPrecision",
        "bcubedRecall",      "bcubedF",           "noise",
    };
    struct mex_request request = {.clusters = -1};
    size_t count, classes;
    int32_t *labels = mex_integers("labels", call->inputs[0], &count);
    int32_t *truth = mex_integers("truth", call->inputs[1], &classes);
    expect_same("labels", count, "truth", classes);
    finch_scores scores;
    if (mxIsEmpty(call->inputs[2])) {
        mex_check(finch_score(labels, truth, count, &scores, sizeof scores), &request);
    } else {
        mex_read_weights(&request, call->inputs[2]);
        expect_same("labels", count, "weights", request.weight_count);
        mex_check(finch_score_weighted(labels, truth, request.weights, count, &scores,
                                       sizeof scores),
                  &request);
    }
    const double values[] = {
        scores.nmi,     scores.nmi_arithmetic,     scores.accuracy,   scores.purity, scores.ari,
        scores.pairwise_precision, scores.pairwise_recall, scores.pairwise_f,
        scores.bcubed_precision,   scores.bcubed_recall,   scores.bcubed_f,
        scores.noise,
    };
    int fields = (int)(sizeof values / sizeof *values);
    call->outputs[0] = mxCreateStructMatrix(1, 1, fields, (const char **)FIELDS);
    for (int i = 0; i < fields; i++) {
        mxSetField(call->outputs[0], 0, FIELDS[i], mxCreateDoubleScalar(values[i]));
    }
}

void mex_keep_labels(const struct mex_call *call) {
    static const char *const NAMES[] = {"kept", "grew", "merged", "split", "appeared"};
    struct mex_request request = {.clusters = -1};
    size_t old_count, new_count, clusters;
    int32_t *old_labels = mex_integers("old_labels", call->inputs[0], &old_count);
    int32_t *new_labels = mex_integers("new_labels", call->inputs[1], &new_count);
    int32_t *labels = mxMalloc((new_count + 1) * sizeof *labels);
    int32_t *fates = mxMalloc((new_count + 1) * sizeof *fates);
    mex_check(finch_keep_labels(old_labels, old_count, new_labels, new_count, labels, new_count,
                                fates, new_count, &clusters),
              &request);
    call->outputs[0] = mex_labels(labels, new_count);
    call->outputs[1] = mxCreateCellMatrix(1, clusters);
    for (size_t i = 0; i < clusters; i++) {
        bool known = fates[i] >= 0 && fates[i] < (int32_t)(sizeof NAMES / sizeof *NAMES);
        mxSetCell(call->outputs[1], i, mxCreateString(known ? NAMES[fates[i]] : "unknown"));
    }
}
