/* What is in clusters, and outlier scores: figures computed by hand, and what goes wrong.
 *
 * Each fault is a call in which one thing is wrong, beside a call that works. Prints the number of
 * cases that went wrong as they should.
 */
#include "check.h"

#include <math.h>

enum { ROWS = 7, COLUMNS = 2, CLUSTERS = 3 };

static const double VALUES[ROWS][COLUMNS] = {{0, 0}, {0, 2}, {0, 6}, {9, 9}, {9, 9}, {9, 8}, {40, 0}};
/* Not numbered by first appearance. */
static const int32_t LABELS[ROWS] = {2, 2, 2, 0, 0, 0, 1};

static int cases;

static int near(double found, double expected) {
    return fabs(found - expected) < 1e-12;
}

static void figures(const finch_description *description) {
    CHECK(finch_description_cluster_count(description) == CLUSTERS);
    const double *sizes = finch_description_sizes(description);
    CHECK(sizes[0] == 3 && sizes[1] == 1 && sizes[2] == 3);
    const double *means = finch_description_means(description);
    CHECK(means[0] == 9 && near(means[1], 26.0 / 3) && means[2] == 40 && means[3] == 0);
    CHECK(means[4] == 0 && near(means[5], 8.0 / 3));
    const int32_t *medoids = finch_description_medoids(description);
    CHECK(medoids[0] == 3 && medoids[1] == 6 && medoids[2] == 1);
    const int32_t *exemplars = finch_description_exemplars(description);
    const int32_t expected[CLUSTERS][2] = {{3, 5}, {6, -1}, {1, 2}};
    CHECK(memcmp(exemplars, expected, sizeof expected) == 0);
    const double *spreads = finch_description_spreads(description);
    /* Variances of 9, 9, 8 and of 0, 2, 6. */
    CHECK(near(spreads[0], sqrt(2.0 / 9)) && spreads[1] == 0 && near(spreads[2], sqrt(56.0 / 9)));
    const double *silhouettes = finch_description_silhouettes(description);
    const double to_other = sqrt(81 + 8.0 / 3 * 8 / 3 + 26.0 / 3 * 26 / 3 - 2 * 8.0 / 3 * 26 / 3);
    CHECK(silhouettes[0] > 0.9 && silhouettes[1] == 0 && silhouettes[2] < 1 - 1 / to_other);
    CHECK(silhouettes[2] > 0.5);
    for (size_t cluster = 0; cluster < CLUSTERS; cluster++) {
        CHECK(finch_description_sampled(description, cluster) == 0);
    }
    CHECK(finch_description_sampled(description, CLUSTERS) == -1);
}

static finch_matrix matrix(void) {
    return finch_matrix_row_major(VALUES, FINCH_F64, ROWS, COLUMNS);
}

static void describes(void) {
    const finch_matrix samples = matrix();
    finch_description *description = NULL;
    OK(finch_describe(&samples, LABELS, ROWS, NULL, NULL, 0, 2, NULL, &description));
    figures(description);
    finch_description_free(description);

    const double weights[ROWS] = {1, 1, 8, 1, 1, 1, 0.5};
    OK(finch_describe(&samples, LABELS, ROWS, weights, NULL, 0, 0, NULL, &description));
    CHECK(finch_description_sizes(description)[1] == 0.5);
    CHECK(finch_description_means(description)[5] == 5);
    CHECK(finch_description_medoids(description)[2] == 2);
    finch_description_free(description);

    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = FINCH_MANHATTAN;
    OK(finch_describe(&samples, LABELS, ROWS, NULL, NULL, 0, 1, &options, &description));
    CHECK(near(finch_description_spreads(description)[0], 4.0 / 9));
    CHECK(finch_description_exemplars(description)[2] == 1);
    finch_description_free(description);
}

/* Two neighbours of each sample but the last, by hand: 3 of the 13 links lead to another cluster. */
static const int32_t NEAREST[ROWS][2] = {{1, 2}, {0, 2}, {1, 5}, {4, 5}, {3, 5}, {3, 4}, {5, -1}};

static void counts_links(void) {
    const finch_matrix samples = matrix();
    finch_description *description = NULL;
    OK(finch_describe(&samples, LABELS, ROWS, NULL, NULL, 0, 1, NULL, &description));
    CHECK(finch_description_modularities(description) == NULL);
    finch_description_free(description);
    OK(finch_describe(&samples, LABELS, ROWS, NULL, NEAREST[0], 2, 1, NULL, &description));
    /* Links within of links from, and links to of all 13. */
    const double *shares = finch_description_modularities(description);
    CHECK(near(shares[0], 1 - 8.0 / 13) && near(shares[1], 0) && near(shares[2], 5.0 / 6 - 5.0 / 13));
    finch_description_free(description);
    const double weights[ROWS] = {1, 1, 1, 1, 1, 1, 3};
    OK(finch_describe(&samples, LABELS, ROWS, weights, NEAREST[0], 2, 1, NULL, &description));
    CHECK(near(finch_description_modularities(description)[0], 1 - 10.0 / 15));
    finch_description_free(description);

    finch_description *none = NULL;
    const struct {
        int32_t number;
        finch_status status;
        const char *words;
    } wrong[] = {{-2, FINCH_INVALID_NEIGHBOR, "neighbour -2 at row 4, column 1"},
                 {ROWS, FINCH_INVALID_NEIGHBOR, "neighbour 7 at row 4, column 1"}};
    for (size_t i = 0; i < 2; i++) {
        int32_t table[ROWS][2];
        memcpy(table, NEAREST, sizeof table);
        table[4][1] = wrong[i].number;
        CHECK(finch_describe(&samples, LABELS, ROWS, NULL, table[0], 2, 1, NULL, &none) ==
              wrong[i].status);
        CHECK(none == NULL && strstr(finch_last_error_message(), wrong[i].words) != NULL);
    }
    CHECK(finch_describe(&samples, LABELS, ROWS, NULL, NULL, 2, 1, NULL, &none) ==
          FINCH_NULL_POINTER);
    CHECK(finch_description_modularities(NULL) == NULL);
    cases += 4;
}

/* A cluster that is too large for an exact medoid. */
static void samples_large_clusters(void) {
    enum { COUNT = 3000 };
    static float values[COUNT];
    static int32_t labels[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = (float)((i * 37) % COUNT);
        labels[i] = i % 100 == 0;
    }
    const finch_matrix samples = finch_matrix_column_major(values, FINCH_F32, COUNT, 1);
    finch_description *description = NULL;
    OK(finch_describe(&samples, labels, COUNT, NULL, NULL, 0, 3, NULL, &description));
    CHECK(finch_description_sampled(description, 0) == 1);
    CHECK(finch_description_sampled(description, 1) == 0);
    CHECK(fabs(values[finch_description_medoids(description)[0]] - COUNT / 2) < COUNT / 20);
    finch_description_free(description);
}

static void scores_outliers(void) {
    enum { COUNT = 101 };
    double values[COUNT][2];
    for (int i = 0; i < COUNT; i++) {
        values[i][0] = i % 10;
        values[i][1] = i / 10;
    }
    values[COUNT - 1][0] = 60;
    const finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, COUNT, 2);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    double scores[COUNT];
    OK(finch_hierarchy_outlier_scores(hierarchy, &samples, NULL, scores, COUNT));
    for (int i = 0; i < COUNT; i++) {
        CHECK(scores[i] >= 0 && scores[i] <= 1 && scores[i] <= scores[COUNT - 1]);
    }
    CHECK(scores[COUNT - 1] > 0.9 && scores[44] < 0.1);
    finch_hierarchy_free(hierarchy);
}

/* Two rows of samples 40 apart, two samples beside them, and one far out. */
static void makes_noise(void) {
    enum { COUNT = 63 };
    double values[COUNT];
    int32_t labels[COUNT], noisy[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = i % 30 + (i % 7) / 100.0 + i / 30 * 70;
        labels[i] = i / 30;
    }
    values[COUNT - 1] = 1000;
    const finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, COUNT, 1);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    size_t clusters = 0;
    OK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, &options, noisy, COUNT, &clusters));
    CHECK(clusters == 3 && memcmp(noisy, labels, sizeof labels) == 0);
    options.min_cluster_size = 4;
    OK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, &options, noisy, COUNT, &clusters));
    for (int i = 0; i < COUNT; i++) {
        CHECK(noisy[i] == (i < 60 ? i / 30 : -1));
    }
    CHECK(clusters == 2);
    options.join_small = 1;
    OK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, &options, noisy, COUNT, NULL));
    CHECK(noisy[60] == 1 && noisy[62] == 1);
    options.min_cluster_size = 0;
    options.outliers = 0.02;
    /* In place. */
    memcpy(noisy, labels, sizeof labels);
    OK(finch_hierarchy_noise(hierarchy, &samples, noisy, COUNT, &options, noisy, COUNT, &clusters));
    CHECK(clusters == 3 && noisy[62] == -1 && noisy[61] == 2);
    /* What is noise stays so, and any other integer is a cluster. */
    options.outliers = 0;
    for (int i = 0; i < COUNT; i++) {
        labels[i] = i % 2 ? -1 : -7;
    }
    OK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, &options, noisy, COUNT, &clusters));
    CHECK(clusters == 1 && noisy[0] == 0 && noisy[1] == -1);

    OK(finch_labels(&samples, NULL, FINCH_FLAT_CLUSTERS, 3, labels, COUNT, NULL));
    options.min_cluster_size = 4;
    options.join_small = 0;
    OK(finch_labels(&samples, &options, FINCH_FLAT_CLUSTERS, 3, noisy, COUNT, &clusters));
    for (int i = 0; i < COUNT; i++) {
        CHECK(noisy[i] == -1 || noisy[i] == labels[i]);
    }
    CHECK(clusters == 2);

    static const struct {
        size_t size;
        double outliers, threshold;
        int32_t join;
        finch_status status;
        const char *words;
    } FAULTS[] = {
        {64, 0, 0, 1, FINCH_INVALID_CONSTRAINT, "64 cannot be the least size"},
        {0, 1, 0, 0, FINCH_INVALID_VALUE, "1 cannot be the share of outliers"},
        {0, -0.1, 0, 0, FINCH_INVALID_VALUE, "-0.1 cannot be the share of outliers"},
        {0, NAN, 0, 0, FINCH_INVALID_VALUE, "NaN cannot be the share of outliers"},
        {0, 0, 1.5, 0, FINCH_INVALID_VALUE, "1.5 cannot be the threshold of outlier scores"},
        {0, 0, 0, 2, FINCH_INVALID_VALUE, "2 is no choice of join_small"},
    };
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        options.min_cluster_size = FAULTS[i].size;
        options.outliers = FAULTS[i].outliers;
        options.outlier_threshold = FAULTS[i].threshold;
        options.join_small = FAULTS[i].join;
        CHECK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, &options, noisy, COUNT, NULL)
              == FAULTS[i].status);
        CHECK(strstr(finch_last_error_message(), FAULTS[i].words) != NULL);
        cases++;
    }
    CHECK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT - 1, NULL, noisy, COUNT, NULL)
          == FINCH_SAMPLE_COUNT);
    CHECK(finch_hierarchy_noise(hierarchy, &samples, labels, COUNT, NULL, noisy, COUNT - 1, NULL)
          == FINCH_BUFFER_TOO_SMALL);
    CHECK(finch_hierarchy_noise(hierarchy, NULL, labels, COUNT, NULL, noisy, COUNT, NULL)
          == FINCH_NULL_POINTER);
    CHECK(finch_hierarchy_noise(NULL, &samples, labels, COUNT, NULL, noisy, COUNT, NULL)
          == FINCH_NULL_POINTER);
    finch_hierarchy_free(hierarchy);
}

static void tells_membership(void) {
    enum { COUNT = 40 };
    double values[COUNT];
    int32_t labels[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = i + (i % 7) / 100.0;
        /* Numbers of clusters in any order, and noise. */
        labels[i] = i < 4 ? -1 : i < 20;
    }
    const finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, COUNT, 1);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    finch_membership *membership = NULL;
    OK(finch_hierarchy_membership(hierarchy, &samples, labels, COUNT, NULL, &membership));
    finch_matrix shares = {0};
    CHECK(finch_membership_shares(membership, &shares) == 1);
    CHECK(shares.rows == COUNT && shares.columns == 2 && shares.element == FINCH_CSR);
    const finch_csr *csr = shares.data;
    CHECK(csr->index_bits == 32 && csr->value_element == FINCH_F64);
    const int32_t *starts = csr->starts, *columns = csr->columns;
    const double *share = csr->values, *own = finch_membership_probabilities(membership);
    for (int i = 0; i < COUNT; i++) {
        double sum = 0, of_own = 0;
        for (int32_t at = starts[i]; at < starts[i + 1]; at++) {
            CHECK(at == starts[i] || columns[at - 1] < columns[at]);
            sum += share[at];
            of_own += columns[at] == labels[i] ? share[at] : 0;
        }
        CHECK(fabs(sum - (starts[i + 1] > starts[i])) < 1e-12 && own[i] == of_own);
    }
    CHECK(own[0] == 0 && own[10] == 1 && own[30] == 1 && own[20] < 1 && own[20] > 0);
    CHECK(columns[starts[10]] == 1 && columns[starts[30]] == 0);
    finch_membership_free(membership);

    membership = NULL;
    labels[5] = 7;
    CHECK(finch_hierarchy_membership(hierarchy, &samples, labels, COUNT, NULL, &membership)
          == FINCH_INVALID_VALUE);
    CHECK(strstr(finch_last_error_message(), "no sample has label 2") && membership == NULL);
    labels[5] = 1;
    CHECK(finch_hierarchy_membership(hierarchy, &samples, labels, COUNT + 1, NULL, &membership)
          == FINCH_SAMPLE_COUNT);
    CHECK(finch_hierarchy_membership(hierarchy, &samples, NULL, COUNT, NULL, &membership)
          == FINCH_NULL_POINTER);
    CHECK(finch_membership_shares(NULL, &shares) == 0);
    CHECK(finch_membership_probabilities(NULL) == NULL);
    finch_membership_free(NULL);
    /* All may be noise. */
    for (int i = 0; i < COUNT; i++) {
        labels[i] = -1;
    }
    OK(finch_hierarchy_membership(hierarchy, &samples, labels, COUNT, NULL, &membership));
    CHECK(finch_membership_shares(membership, &shares) == 1 && shares.columns == 0);
    finch_membership_free(membership);
    finch_hierarchy_free(hierarchy);
}

static void leaves_noise_out(void) {
    const int32_t labels[] = {0, 0, 1, -1, 1, -1}, truth[] = {5, 5, 6, 6, 6, -1};
    const double weights[] = {1, 1, 1, 3, 1, 1};
    finch_scores scores;
    OK(finch_score(labels, truth, 6, &scores, sizeof scores));
    CHECK(scores.ari == 1 && scores.accuracy == 1 && fabs(scores.noise - 1.0 / 3) < 1e-15);
    OK(finch_score_weighted(labels, truth, weights, 6, &scores, sizeof scores));
    CHECK(scores.purity == 1 && scores.noise == 0.5);
    OK(finch_score(labels, truth, 3, &scores, sizeof scores));
    CHECK(scores.noise == 0);
    const int32_t none[] = {-1, -1};
    CHECK(finch_score(none, truth, 2, &scores, sizeof scores) == FINCH_NO_SAMPLES);
    CHECK(strstr(finch_last_error_message(), "a comparison takes clusters"));

    const int32_t before[] = {0, 0, 1, -1}, after[] = {5, -1, 7, 5, 9};
    int32_t names[5], fates[3];
    size_t clusters = 0;
    OK(finch_keep_labels(before, 4, after, 5, names, 5, fates, 3, &clusters));
    CHECK(clusters == 3 && names[0] == 0 && names[1] == -1 && names[2] == 1 && names[3] == 0);
    CHECK(fates[0] == FINCH_FATE_SPLIT && fates[1] == FINCH_FATE_KEPT);

    const double values[] = {0, 1, 5, 6};
    const finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, 4, 1);
    finch_hierarchy *hierarchy = NULL;
    finch_model *model = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    OK(finch_model_new(hierarchy, &samples, 1, before, 1, NULL, &model));
    const size_t refined = finch_model_labelling_count(model) - 1;
    CHECK(memcmp(finch_model_labels(model, refined), before, sizeof before) == 0);
    CHECK(finch_model_cluster_count(model, refined) == 2);
    finch_model_free(model);
    finch_hierarchy_free(hierarchy);
}

static int32_t stop(const finch_progress *progress, void *user_data) {
    *(int32_t *)user_data = progress->stage;
    return 1;
}

/* The call fails in this way, with these words in its message, and makes no description. */
#define FAULT(change, labels, count, weights, exemplars, status, words)                            \
    do {                                                                                           \
        double values[ROWS][COLUMNS];                                                              \
        memcpy(values, VALUES, sizeof values);                                                     \
        finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);           \
        finch_options options;                                                                     \
        OK(finch_options_init(&options, sizeof options));                                          \
        finch_description *none = NULL;                                                            \
        change;                                                                                    \
        finch_status found =                                                                       \
            finch_describe(&samples, labels, count, weights, NULL, 0, exemplars, &options, &none); \
        CHECK(found == (status) && none == NULL);                                                  \
        CHECK(strstr(finch_last_error_message(), words) != NULL);                                  \
        cases++;                                                                                   \
    } while (0)

#define FAULT_OF_INPUT(change, status, words) FAULT(change, LABELS, ROWS, NULL, 2, status, words)

static void faults(void) {
    FAULT_OF_INPUT(samples.data = NULL, FINCH_NULL_POINTER, "samples->data is NULL");
    FAULT_OF_INPUT(samples.rows = 0, FINCH_NO_SAMPLES, "no samples");
    FAULT_OF_INPUT(samples.columns = 0, FINCH_NO_FEATURES, "no features");
    FAULT_OF_INPUT(samples.row_stride = 0, FINCH_INVALID_STRIDE, "stride");
    FAULT_OF_INPUT(samples.element = 9, FINCH_INVALID_VALUE, "element type");
    FAULT_OF_INPUT(values[1][1] = NAN, FINCH_NON_FINITE, "row 1, column 1");
    FAULT_OF_INPUT(values[2][0] = INFINITY, FINCH_NON_FINITE, "row 2, column 0");
    FAULT_OF_INPUT(options.metric = 7, FINCH_INVALID_VALUE, "7 is no metric");
    FAULT_OF_INPUT(options.size = 1, FINCH_INVALID_SIZE, "options");
    int32_t stage = -1;
    FAULT_OF_INPUT((options.progress = stop, options.user_data = &stage), FINCH_CANCELLED, "stopped");
    CHECK(stage == FINCH_STAGE_DESCRIBE);

    FAULT((void)0, NULL, ROWS, NULL, 2, FINCH_NULL_POINTER, "labels is NULL");
    FAULT((void)0, (const int32_t *)((const char *)LABELS + 1), ROWS, NULL, 2, FINCH_MISALIGNED,
          "labels");
    FAULT((void)0, LABELS, ROWS - 1, NULL, 2, FINCH_SAMPLE_COUNT, "labels has 6 numbers for 7 samples");
    FAULT((void)0, LABELS, SIZE_MAX, NULL, 2, FINCH_SAMPLE_COUNT, "numbers for 7");
    FAULT((void)0, NULL, 0, NULL, 2, FINCH_SAMPLE_COUNT, "has 0 numbers");
    const int32_t negative[ROWS] = {0, 0, 1, -2, 1, 1, 1};
    FAULT((void)0, negative, ROWS, NULL, 2, FINCH_INVALID_VALUE, "sample 3 has label -2");
    const int32_t noise[ROWS] = {-1, -1, -1, -1, -1, -1, -1};
    FAULT((void)0, noise, ROWS, NULL, 2, FINCH_NO_SAMPLES, "every label is -1, which is noise");
    const int32_t beyond[ROWS] = {0, 0, 1, 1, 1, 1, ROWS};
    FAULT((void)0, beyond, ROWS, NULL, 2, FINCH_INVALID_VALUE, "sample 6 has label 7");
    const int32_t largest[ROWS] = {INT32_MAX, 0, 1, 1, 1, 1, 2};
    FAULT((void)0, largest, ROWS, NULL, 2, FINCH_INVALID_VALUE, "label 2147483647");
    const int32_t gap[ROWS] = {0, 0, 1, 1, 3, 3, 3};
    FAULT((void)0, gap, ROWS, NULL, 2, FINCH_INVALID_VALUE, "no sample has label 2");

    const double bad[] = {0, -1, NAN, INFINITY, 1e-120, 1e16};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double weights[ROWS] = {1, 1, 1, 1, bad[i], 1, 1};
        FAULT((void)0, LABELS, ROWS, weights, 2, FINCH_INVALID_WEIGHT, "sample 4");
    }
    const double weights[ROWS + 1] = {1, 1, 1, 1, 1, 1, 1, 1};
    FAULT((void)0, LABELS, ROWS, (const double *)((const char *)weights + 4), 2, FINCH_MISALIGNED,
          "weights");
    FAULT((void)0, LABELS, ROWS, NULL, SIZE_MAX, FINCH_OUT_OF_MEMORY, "refused");
    FAULT((void)0, LABELS, ROWS, NULL, SIZE_MAX / 4, FINCH_OUT_OF_MEMORY, "refused");

    const finch_matrix samples = matrix();
    finch_description *none = NULL;
    CHECK(finch_describe(NULL, LABELS, ROWS, NULL, NULL, 0, 2, NULL, &none) == FINCH_NULL_POINTER);
    CHECK(finch_describe(&samples, LABELS, ROWS, NULL, NULL, 0, 2, NULL, NULL) == FINCH_NULL_POINTER);
    CHECK(finch_description_cluster_count(NULL) == 0 && finch_description_sizes(NULL) == NULL);
    CHECK(finch_description_means(NULL) == NULL && finch_description_medoids(NULL) == NULL);
    CHECK(finch_description_exemplars(NULL) == NULL && finch_description_spreads(NULL) == NULL);
    CHECK(finch_description_silhouettes(NULL) == NULL && finch_description_sampled(NULL, 0) == -1);
    CHECK(strstr(finch_last_error_message(), "description is NULL") != NULL);
    finch_description_free(NULL);
    cases += 9;
}

static void faults_of_scores(void) {
    const finch_matrix samples = matrix();
    finch_matrix fewer = samples, narrower = samples;
    fewer.rows--;
    narrower.columns--;
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    double scores[ROWS];
    memset(scores, 0x55, sizeof scores);
    const struct {
        const finch_hierarchy *hierarchy;
        const finch_matrix *samples;
        double *scores;
        size_t capacity;
        finch_status status;
        const char *words;
    } calls[] = {
        {NULL, &samples, scores, ROWS, FINCH_NULL_POINTER, "hierarchy is NULL"},
        {hierarchy, NULL, scores, ROWS, FINCH_NULL_POINTER, "samples is NULL"},
        {hierarchy, &samples, NULL, ROWS, FINCH_NULL_POINTER, "scores is NULL"},
        {hierarchy, &samples, scores, ROWS - 1, FINCH_BUFFER_TOO_SMALL, "room for 6"},
        {hierarchy, &fewer, scores, ROWS, FINCH_SAMPLE_COUNT, "found 6"},
        {hierarchy, &narrower, scores, ROWS, FINCH_FEATURE_COUNT, "found 1"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        finch_status found = finch_hierarchy_outlier_scores(
            calls[i].hierarchy, calls[i].samples, NULL, calls[i].scores, calls[i].capacity);
        CHECK(found == calls[i].status);
        CHECK(strstr(finch_last_error_message(), calls[i].words) != NULL);
        cases++;
    }
    for (size_t i = 0; i < sizeof scores; i++) {
        CHECK(((unsigned char *)scores)[i] == 0x55);
    }
    OK(finch_hierarchy_outlier_scores(hierarchy, &samples, NULL, scores, ROWS));
    finch_hierarchy_free(hierarchy);
}

int main(void) {
    describes();
    counts_links();
    samples_large_clusters();
    scores_outliers();
    makes_noise();
    tells_membership();
    leaves_noise_out();
    faults();
    faults_of_scores();
    printf("%d\n", cases);
    return 0;
}
