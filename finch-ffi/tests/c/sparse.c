/* Sparse rows: the results of dense ones, by either width of indices and either element, and rows that
 * are errors, each with its status and its words.
 *
 * Prints the number of calls that failed as they should.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 60, COLUMNS = 300, MOST = ROWS * 8 };

static double dense[ROWS][COLUMNS];
static float singles[ROWS][COLUMNS];

/* Compressed rows as a caller may have them. */
struct rows {
    int32_t starts[ROWS + 1];
    int32_t columns[MOST];
    int64_t long_starts[ROWS + 1];
    int64_t long_columns[MOST];
    double values[MOST];
    float singles[MOST];
    finch_csr csr;
    size_t rows, features;
};

static struct rows sound;

static void fill(void) {
    uint64_t state = 7;
    int32_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        /* Row 17 is empty, and row 19 has a value that is 0. */
        for (size_t j = i % 5; j < COLUMNS && i != 17; j += 1 + (state >> 57)) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (count - sound.starts[i] == 8) {
                break;
            }
            double value = i == 19 ? 0.0 : 1.0 + (double)(state >> 61);
            dense[i][j] = value;
            singles[i][j] = (float)value;
            sound.columns[count] = (int32_t)j;
            sound.long_columns[count] = (int64_t)j;
            sound.values[count] = value;
            sound.singles[count] = (float)value;
            count++;
        }
        sound.starts[i + 1] = count;
        sound.long_starts[i + 1] = count;
    }
    sound.csr.value_count = (size_t)count;
    sound.rows = ROWS;
    sound.features = COLUMNS;
}

/* A copy lies elsewhere, so what points into it has to be made anew. */
static void place(struct rows *rows) {
    rows->csr.size = sizeof rows->csr;
    rows->csr.starts = rows->starts;
    rows->csr.columns = rows->columns;
    rows->csr.values = rows->values;
    rows->csr.value_element = FINCH_F64;
    rows->csr.index_bits = 32;
}

/* Models of dense and of sparse rows predict the same, and the kept rows are those that were given. */
static void models_are_the_same(finch_hierarchy *const of[2], const finch_matrix *full,
                                const finch_matrix *sparse, const finch_options *options) {
    finch_model *models[2] = {NULL, NULL};
    int32_t labels[3][ROWS], neighbor[3][ROWS];
    double distance[3][ROWS], other[3][ROWS], confidence[3][ROWS];
    static double means[2][ROWS * COLUMNS];
    OK(finch_model_new(of[0], full, 1, NULL, 0, options, &models[0]));
    OK(finch_model_new(of[1], sparse, 1, NULL, 0, options, &models[1]));
    for (int i = 0; i < 3; i++) {
        /* Sparse rows of the model, and dense and sparse new ones. */
        OK(finch_model_predict(models[i > 0], i == 1 ? sparse : full, 0, options, labels[i],
                               neighbor[i], distance[i], other[i], confidence[i], ROWS, NULL));
        CHECK(memcmp(labels[i], labels[0], sizeof labels[0]) == 0);
        CHECK(memcmp(neighbor[i], neighbor[0], sizeof neighbor[0]) == 0);
        CHECK(memcmp(distance[i], distance[0], sizeof distance[0]) == 0);
        CHECK(memcmp(other[i], other[0], sizeof other[0]) == 0);
        CHECK(memcmp(confidence[i], confidence[0], sizeof confidence[0]) == 0);
    }
    CHECK(finch_model_predict(models[0], sparse, 0, options, labels[0], NULL, NULL, NULL, NULL,
                              ROWS, NULL) == FINCH_INVALID_SPARSE);
    for (int i = 0; i < 2; i++) OK(finch_model_means(models[i], 0, means[i], ROWS * COLUMNS));
    size_t count = finch_model_cluster_count(models[0], 0) * COLUMNS;
    CHECK(memcmp(means[0], means[1], count * sizeof(double)) == 0);
    size_t size;
    OK(finch_model_serialized_size(models[1], &size));
    uint8_t *bytes = malloc(size);
    CHECK(bytes != NULL);
    OK(finch_model_serialize(models[1], bytes, size));
    finch_model_free(models[1]);
    OK(finch_model_deserialize(bytes, size, &models[1]));
    free(bytes);
    finch_matrix kept;
    CHECK(finch_model_samples(models[1], &kept) == 1 && kept.element == FINCH_CSR);
    finch_hierarchy *again = NULL;
    OK(finch_cluster(&kept, options, &again));
    CHECK(memcmp(finch_hierarchy_labels(again, 0), finch_hierarchy_labels(of[0], 0),
                 ROWS * sizeof(int32_t)) == 0);
    finch_hierarchy_free(again);
    finch_model_free(models[0]);
    finch_model_free(models[1]);
}

/* Descriptions of dense and of sparse rows. The means of these are sparse. */
static void descriptions_are_the_same(finch_description *const described[2]) {
    size_t count = finch_description_cluster_count(described[0]);
    const finch_description *full = described[0], *sparse = described[1];
    CHECK(finch_description_cluster_count(sparse) == count);
    CHECK(memcmp(finch_description_silhouettes(full), finch_description_silhouettes(sparse),
                 count * sizeof(double)) == 0);
    CHECK(memcmp(finch_description_spreads(full), finch_description_spreads(sparse),
                 count * sizeof(double)) == 0);
    CHECK(memcmp(finch_description_exemplars(full), finch_description_exemplars(sparse),
                 2 * count * sizeof(int32_t)) == 0);
    finch_matrix means = {0}, rows = {0};
    CHECK(finch_description_mean_rows(NULL, &means) == 0 && means.rows == 0);
    CHECK(finch_description_mean_rows(full, &means) == 1 && means.element == FINCH_F64);
    CHECK(finch_description_mean_rows(sparse, &rows) == 1 && rows.element == FINCH_CSR);
    CHECK(rows.rows == count && rows.columns == COLUMNS && means.rows == count);
    CHECK(means.data == finch_description_means(full));
    CHECK(finch_description_means(sparse) == NULL);
    const finch_csr *csr = rows.data;
    const int32_t *starts = csr->starts, *columns = csr->columns;
    for (size_t cluster = 0; cluster < count; cluster++) {
        const double *mean = (const double *)means.data + cluster * COLUMNS;
        double sparse_mean[COLUMNS] = {0};
        for (int32_t at = starts[cluster]; at < starts[cluster + 1]; at++) {
            sparse_mean[columns[at]] = csr->value_element == FINCH_F32
                                           ? (double)((const float *)csr->values)[at]
                                           : ((const double *)csr->values)[at];
        }
        CHECK(memcmp(mean, sparse_mean, sizeof sparse_mean) == 0);
    }
    finch_description_free(described[0]);
    finch_description_free(described[1]);
}

static void same_as_dense(finch_metric metric) {
    for (int kind = 0; kind < 4; kind++) {
        struct rows rows = sound;
        place(&rows);
        bool single = kind % 2 == 1;
        if (single) {
            rows.csr.values = rows.singles;
            rows.csr.value_element = FINCH_F32;
        }
        if (kind >= 2) {
            rows.csr.starts = rows.long_starts;
            rows.csr.columns = rows.long_columns;
            rows.csr.index_bits = 64;
        }
        finch_matrix sparse = finch_matrix_csr(&rows.csr, ROWS, COLUMNS);
        finch_matrix full = single ? finch_matrix_row_major(singles, FINCH_F32, ROWS, COLUMNS)
                                   : finch_matrix_row_major(dense, FINCH_F64, ROWS, COLUMNS);
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.metric = metric;
        options.refinable = 1;
        finch_hierarchy *of[2] = {NULL, NULL};
        int32_t labels[2][ROWS], cut[2][ROWS], index[2][3 * ROWS];
        double distances[2][3 * ROWS], scores[2][ROWS];
        size_t suggested[2], partition[2];
        finch_description *described[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            const finch_matrix *samples = i == 0 ? &full : &sparse;
            OK(finch_cluster(samples, &options, &of[i]));
            OK(finch_hierarchy_refine(of[i], samples, 5, &options, labels[i], ROWS));
            OK(finch_hierarchy_suggest(of[i], samples, &options, cut[i], ROWS, &suggested[i],
                                       &partition[i]));
            OK(finch_hierarchy_outlier_scores(of[i], samples, &options, scores[i], ROWS));
            OK(finch_describe(samples, finch_hierarchy_labels(of[i], 0), ROWS, NULL, NULL, 0, 2,
                              &options, &described[i]));
            OK(finch_nearest_neighbors(samples, 3, &options, index[i], distances[i], 3 * ROWS));
        }
        size_t partitions = finch_hierarchy_partition_count(of[0]);
        CHECK(finch_hierarchy_partition_count(of[1]) == partitions);
        for (size_t number = 0; number < partitions; number++) {
            CHECK(memcmp(finch_hierarchy_labels(of[0], number),
                         finch_hierarchy_labels(of[1], number), ROWS * sizeof(int32_t)) == 0);
        }
        CHECK(memcmp(labels[0], labels[1], sizeof labels[0]) == 0);
        CHECK(memcmp(cut[0], cut[1], sizeof cut[0]) == 0);
        CHECK(memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
        CHECK(memcmp(index[0], index[1], sizeof index[0]) == 0);
        CHECK(memcmp(distances[0], distances[1], sizeof distances[0]) == 0);
        CHECK(suggested[0] == suggested[1] && partition[0] == partition[1]);
        CHECK(strstr(finch_hierarchy_explanation(of[1]), "sparse") != NULL);
        models_are_the_same(of, &full, &sparse, &options);
        descriptions_are_the_same(described);
        finch_hierarchy_free(of[0]);
        finch_hierarchy_free(of[1]);
    }
}

static int cases;

static void expect(int line, finch_status found, finch_status expected, const char *words) {
    cases++;
    if (found != expected || strstr(finch_last_error_message(), words) == NULL) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"\n", line, finch_status_name(found),
                finch_status_name(expected), finch_last_error_message());
        exit(1);
    }
}

/* One case: what is changed in sound rows, and how clustering them fails. */
#define FAULT(change, status, words)                                                               \
    do {                                                                                           \
        struct rows rows = sound;                                                                  \
        place(&rows);                                                                              \
        change;                                                                                    \
        finch_matrix samples = finch_matrix_csr(&rows.csr, rows.rows, rows.features);              \
        finch_hierarchy *none = NULL;                                                              \
        expect(__LINE__, finch_cluster(&samples, &options, &none), status, words);                 \
        CHECK(none == NULL);                                                                       \
    } while (0)

static void bad_rows(void) {
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    FAULT(rows.starts[0] = 1, FINCH_INVALID_SPARSE, "starts at 1");
    FAULT(rows.starts[5] = -1, FINCH_INVALID_SPARSE, "row 4 (from 0)");
    FAULT(rows.starts[5] = INT32_MAX, FINCH_INVALID_SPARSE, "row 5 (from 0)");
    FAULT(rows.starts[ROWS] = INT32_MAX, FINCH_INVALID_SPARSE, "the last row ends at 2147483647");
    FAULT(rows.starts[ROWS]--, FINCH_INVALID_SPARSE, "the last row ends at");
    FAULT(rows.csr.value_count--, FINCH_INVALID_SPARSE, "the last row ends at");
    FAULT(rows.csr.value_count = 0, FINCH_INVALID_SPARSE, "beside 0 features and 0 values");
    FAULT(rows.columns[0] = COLUMNS, FINCH_INVALID_SPARSE, "feature 300 of 300");
    FAULT(rows.columns[0] = -1, FINCH_INVALID_SPARSE, "feature -1 of 300");
    FAULT(rows.columns[0] = INT32_MIN, FINCH_INVALID_SPARSE, "feature -2147483648");
    FAULT(rows.columns[1] = rows.columns[0], FINCH_INVALID_SPARSE, "twice");
    FAULT(rows.columns[0] = COLUMNS - 1, FINCH_INVALID_SPARSE, "sort_indices");
    FAULT(rows.values[0] = NAN, FINCH_NON_FINITE, "row 0, column 0");
    FAULT(rows.values[3] = -INFINITY, FINCH_NON_FINITE, "row 1, column 1");
    FAULT(rows.values[3] = 1e200, FINCH_VALUE_TOO_LARGE, "row 1, column 1");
    FAULT(rows.csr.size = 0, FINCH_INVALID_SIZE, "samples->data");
    FAULT(rows.csr.size = 0, FINCH_INVALID_SIZE, "sizeof(finch_csr)");
    FAULT(rows.csr.size = SIZE_MAX, FINCH_INVALID_SIZE, "samples->data");
    FAULT(rows.csr.starts = NULL, FINCH_NULL_POINTER, "starts is NULL");
    FAULT(rows.csr.columns = NULL, FINCH_NULL_POINTER, "columns is NULL");
    FAULT(rows.csr.values = NULL, FINCH_NULL_POINTER, "values is NULL");
    FAULT(rows.csr.starts = (char *)rows.starts + 1, FINCH_MISALIGNED, "starts");
    FAULT(rows.csr.columns = (char *)rows.columns + 2, FINCH_MISALIGNED, "columns");
    FAULT(rows.csr.values = (char *)rows.values + 4, FINCH_MISALIGNED, "values");
    FAULT(rows.csr.value_element = FINCH_U8, FINCH_INVALID_VALUE, "2 is no element type");
    FAULT(rows.csr.value_element = FINCH_CSR, FINCH_INVALID_VALUE, "6 is no element type");
    FAULT(rows.csr.index_bits = 16, FINCH_INVALID_VALUE, "index_bits");
    FAULT(rows.csr.value_count = SIZE_MAX, FINCH_INVALID_SIZE, "columns would reach");
    FAULT(rows.rows = 0, FINCH_NO_SAMPLES, "no samples");
    FAULT(rows.rows = SIZE_MAX, FINCH_INVALID_SIZE, "starts would reach");
    FAULT(rows.features = 0, FINCH_NO_FEATURES, "no features");
    FAULT(rows.features = SIZE_MAX, FINCH_INVALID_SPARSE, "features are more than");
    FAULT(options.metric = FINCH_JACCARD, FINCH_NOT_BINARY, "takes samples of 0 and 1");
    /* Where the host of the messages counts from 1. */
    finch_messages_from(1);
    OK(finch_options_init(&options, sizeof options));
    FAULT(rows.values[0] = NAN, FINCH_NON_FINITE, "row 1, column 1 is NaN");
    FAULT(rows.starts[5] = -1, FINCH_INVALID_SPARSE, "row 5 starts at");
    FAULT(rows.columns[0] = COLUMNS, FINCH_INVALID_SPARSE, "row 1 names feature 301 of 300");
    finch_messages_from(0);
    FAULT(options.search = FINCH_SEARCH_KD_TREE, FINCH_UNSUPPORTED_SEARCH, "dense");
    finch_matrix nothing = finch_matrix_csr(NULL, ROWS, COLUMNS);
    finch_hierarchy *none = NULL;
    OK(finch_options_init(&options, sizeof options));
    expect(__LINE__, finch_cluster(&nothing, &options, &none), FINCH_NULL_POINTER, "is NULL");
}

static void calls_for_dense_rows(void) {
    struct rows rows = sound;
    place(&rows);
    finch_matrix samples = finch_matrix_csr(&rows.csr, ROWS, COLUMNS);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, &options, &hierarchy));
    static double numbers[ROWS * COLUMNS];
    static int32_t index[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        numbers[i] = 1.0;
        index[i] = -1;
    }
    expect(__LINE__,
           finch_hierarchy_means(hierarchy, 0, &samples, &options, numbers, ROWS * COLUMNS),
           FINCH_INVALID_SPARSE, "dense");
    expect(__LINE__,
           finch_update_neighbors(&samples, 0, &samples, 0, &options, index, numbers, ROWS),
           FINCH_INVALID_SPARSE, "dense");
    CHECK(index[0] == -1);
    finch_hierarchy_free(hierarchy);
}

int main(void) {
    fill();
    same_as_dense(FINCH_EUCLIDEAN);
    same_as_dense(FINCH_COSINE);
    same_as_dense(FINCH_MANHATTAN);
    bad_rows();
    calls_for_dense_rows();
    printf("%d\n", cases);
    return 0;
}
