/* Samples of 16 and 8 bits: the results of the same values as float, in any layout, from a model that
 * keeps them, too; and values that are no numbers, each with its status and its words.
 *
 * Prints the number of calls that failed as they should.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 70, COLUMNS = 20 };

static float singles[ROWS][COLUMNS];
static uint16_t halves[ROWS][COLUMNS], brains[ROWS][COLUMNS];
static int8_t bytes[ROWS][COLUMNS];

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Half precision of a value that has few bits, and is 0 or of usual size. */
static uint16_t half(float value) {
    uint32_t bits = bits_of(value);
    if (value == 0) {
        return 0;
    }
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) |
                      (bits >> 13 & 0x3ff));
}

static void fill(void) {
    uint64_t state = 11;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            /* Row 5 has no direction, and rows repeat. */
            int8_t value = i == 5 ? 0 : i >= 60 ? bytes[i - 60][j] : (int8_t)(state >> 56);
            bytes[i][j] = value;
            singles[i][j] = value;
            halves[i][j] = half(value);
            brains[i][j] = (uint16_t)(bits_of(value) >> 16);
        }
    }
}

struct results {
    size_t partitions;
    int32_t labels[8][ROWS], cut[ROWS], index[3 * ROWS];
    double distances[3 * ROWS], means[ROWS / 2 * COLUMNS];
};

static void compute(const finch_matrix *samples, const finch_options *options,
                    struct results *results) {
    memset(results, 0, sizeof *results);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(samples, options, &hierarchy));
    results->partitions = finch_hierarchy_partition_count(hierarchy);
    CHECK(results->partitions <= 8);
    for (size_t i = 0; i < results->partitions; i++) {
        memcpy(results->labels[i], finch_hierarchy_labels(hierarchy, i), sizeof results->labels[i]);
    }
    OK(finch_hierarchy_refine(hierarchy, samples, 4, options, results->cut, ROWS));
    OK(finch_hierarchy_means(hierarchy, 0, samples, options, results->means,
                             sizeof results->means / sizeof *results->means));
    OK(finch_nearest_neighbors(samples, 3, options, results->index, results->distances, 3 * ROWS));
    finch_hierarchy_free(hierarchy);
}

/* A model keeps samples as they are, and its file gives them back. */
static void kept_by_a_model(const finch_matrix *samples, size_t size) {
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(samples, NULL, &hierarchy));
    finch_model *model = NULL, *back = NULL;
    OK(finch_model_new(hierarchy, samples, 1, NULL, 0, NULL, &model));
    size_t length;
    OK(finch_model_serialized_size(model, &length));
    uint8_t *file = malloc(length);
    CHECK(file != NULL);
    OK(finch_model_serialize(model, file, length));
    OK(finch_model_deserialize(file, length, &back));
    finch_matrix kept;
    CHECK(finch_model_samples(back, &kept) == 1);
    CHECK(kept.element == samples->element && kept.rows == ROWS && kept.columns == COLUMNS);
    CHECK(memcmp(kept.data, samples->data, ROWS * COLUMNS * size) == 0);
    int32_t labels[ROWS];
    OK(finch_model_predict(back, samples, 0, NULL, labels, NULL, NULL, NULL, NULL, ROWS, NULL));
    CHECK(memcmp(labels, finch_model_labels(model, 0), sizeof labels) == 0);
    free(file);
    finch_model_free(back);
    finch_model_free(model);
    finch_hierarchy_free(hierarchy);
}

static struct results expected, found;

static void same_as_floats(const void *data, int32_t element, size_t size) {
    for (finch_metric metric = FINCH_EUCLIDEAN; metric <= FINCH_MANHATTAN; metric++) {
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.metric = metric;
        options.refinable = 1;
        finch_matrix samples = finch_matrix_row_major(singles, FINCH_F32, ROWS, COLUMNS);
        compute(&samples, &options, &expected);
        samples = finch_matrix_row_major(data, element, ROWS, COLUMNS);
        compute(&samples, &options, &found);
        CHECK(memcmp(&found, &expected, sizeof found) == 0);
        /* By columns, in memory that ends with the last value. */
        unsigned char *by_columns = malloc(COLUMNS * ROWS * size);
        CHECK(by_columns != NULL);
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t j = 0; j < COLUMNS; j++) {
                memcpy(by_columns + (j * ROWS + i) * size,
                       (const unsigned char *)data + (i * COLUMNS + j) * size, size);
            }
        }
        samples = finch_matrix_column_major(by_columns, element, ROWS, COLUMNS);
        compute(&samples, &options, &found);
        CHECK(memcmp(&found, &expected, sizeof found) == 0);
        free(by_columns);
    }
    finch_matrix samples = finch_matrix_row_major(data, element, ROWS, COLUMNS);
    kept_by_a_model(&samples, size);
}

/* In parts, and of two types. */
static void in_parts(void) {
    int32_t index[ROWS];
    double key[ROWS];
    memset(index, -1, sizeof index);
    const finch_matrix all = finch_matrix_row_major(halves, FINCH_F16, ROWS, COLUMNS);
    for (size_t first = 0; first < ROWS; first += ROWS / 2) {
        finch_matrix part = finch_matrix_row_major(halves[first], FINCH_F16, ROWS / 2, COLUMNS);
        OK(finch_update_neighbors(&all, 0, &part, first, NULL, index, key, ROWS));
    }
    int32_t whole[ROWS];
    OK(finch_first_neighbors(&all, NULL, whole, NULL, ROWS));
    CHECK(memcmp(whole, index, sizeof whole) == 0);
}

static int cases;

static void expect(int line, finch_status status, finch_status wanted, const char *words) {
    cases++;
    if (status != wanted || strstr(finch_last_error_message(), words) == NULL) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"\n", line, finch_status_name(status),
                finch_status_name(wanted), finch_last_error_message());
        exit(1);
    }
}

/* One case: bits in row 13 and column 7 of sound rows. */
#define FAULT(array, type, bits, words)                                                            \
    do {                                                                                           \
        uint16_t sound = array[13][7];                                                             \
        array[13][7] = bits;                                                                       \
        finch_matrix samples = finch_matrix_row_major(array, type, ROWS, COLUMNS);                 \
        finch_hierarchy *none = NULL;                                                              \
        expect(__LINE__, finch_cluster(&samples, NULL, &none), FINCH_NON_FINITE, words);           \
        CHECK(none == NULL);                                                                       \
        array[13][7] = sound;                                                                      \
    } while (0)

static void bad_values(void) {
    FAULT(halves, FINCH_F16, 0x7e00, "NaN");
    FAULT(halves, FINCH_F16, 0x7c01, "NaN");
    FAULT(halves, FINCH_F16, 0xffff, "row 13, column 7");
    FAULT(halves, FINCH_F16, 0x7c00, "row 13, column 7");
    FAULT(halves, FINCH_F16, 0xfc00, "inf");
    FAULT(brains, FINCH_BF16, 0x7fc0, "NaN");
    FAULT(brains, FINCH_BF16, 0xff81, "row 13, column 7");
    FAULT(brains, FINCH_BF16, 0x7f80, "row 13, column 7");
    FAULT(brains, FINCH_BF16, 0xff80, "inf");
    finch_hierarchy *none = NULL;
    finch_matrix samples = finch_matrix_row_major((char *)halves + 1, FINCH_F16, 2, COLUMNS);
    expect(__LINE__, finch_cluster(&samples, NULL, &none), FINCH_MISALIGNED, "samples->data");
    samples = finch_matrix_row_major(halves, 8, 2, COLUMNS);
    expect(__LINE__, finch_cluster(&samples, NULL, &none), FINCH_INVALID_VALUE, "8 is no element");
    int32_t index[1] = {-1};
    double key[1];
    const finch_matrix half_row = finch_matrix_row_major(halves, FINCH_F16, 1, COLUMNS);
    const finch_matrix brain_row = finch_matrix_row_major(brains, FINCH_BF16, 1, COLUMNS);
    expect(__LINE__, finch_update_neighbors(&half_row, 0, &brain_row, 1, NULL, index, key, 1),
           FINCH_INVALID_VALUE, "FINCH_F16 with FINCH_BF16");
}

enum { PACKED = (COLUMNS + 7) / 8 };

/* Packed bits, in longer rows, give what bytes of 0 and 1 give, and floats of other values a status. */
static void bits(void) {
    static uint8_t flat[ROWS][COLUMNS], packed[ROWS][PACKED + 2];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            flat[i][j] = bytes[i][j] > 0;
            packed[i][j / 8] |= (uint8_t)(flat[i][j] << (7 - j % 8));
        }
        packed[i][PACKED - 1] |= (uint8_t)(i % 16);
    }
    const finch_matrix of_bytes = finch_matrix_row_major(flat, FINCH_U8, ROWS, COLUMNS);
    finch_matrix of_bits = finch_matrix_row_major(packed, FINCH_BITS, ROWS, COLUMNS);
    CHECK(of_bits.row_stride == PACKED && of_bits.column_stride == 1);
    of_bits.row_stride = PACKED + 2;
    const finch_matrix floats = finch_matrix_row_major(singles, FINCH_F32, ROWS, COLUMNS);
    for (finch_metric metric = FINCH_EUCLIDEAN; metric <= FINCH_JACCARD; metric++) {
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.metric = metric;
        finch_hierarchy *hierarchies[2] = {NULL, NULL}, *none = NULL;
        OK(finch_cluster(&of_bytes, &options, &hierarchies[0]));
        OK(finch_cluster(&of_bits, &options, &hierarchies[1]));
        CHECK(finch_hierarchy_metric(hierarchies[1]) == (int32_t)metric);
        size_t size = sizeof(int32_t) * ROWS;
        CHECK(memcmp(finch_hierarchy_labels(hierarchies[0], 0),
                     finch_hierarchy_labels(hierarchies[1], 0), size) == 0);
        int32_t cuts[2][ROWS];
        OK(finch_hierarchy_refine(hierarchies[0], &of_bytes, 3, &options, cuts[0], ROWS));
        OK(finch_hierarchy_refine(hierarchies[1], &of_bits, 3, &options, cuts[1], ROWS));
        CHECK(memcmp(cuts[0], cuts[1], size) == 0);
        finch_model *model = NULL;
        OK(finch_model_new(hierarchies[1], &of_bits, 1, NULL, 0, NULL, &model));
        finch_matrix kept;
        CHECK(finch_model_samples(model, &kept) == 1);
        CHECK(kept.element == FINCH_BITS && kept.columns == COLUMNS && kept.row_stride == PACKED);
        finch_model_free(model);
        if (metric >= FINCH_HAMMING) {
            expect(__LINE__, finch_cluster(&floats, &options, &none), FINCH_NOT_BINARY, "row 0");
        }
        finch_hierarchy_free(hierarchies[0]);
        finch_hierarchy_free(hierarchies[1]);
    }
    finch_hierarchy *none = NULL;
    of_bits.row_stride = 0;
    expect(__LINE__, finch_cluster(&of_bits, NULL, &none), FINCH_INVALID_STRIDE, "stride");
    of_bits = finch_matrix_row_major(NULL, FINCH_BITS, ROWS, COLUMNS);
    expect(__LINE__, finch_cluster(&of_bits, NULL, &none), FINCH_NULL_POINTER, "samples->data");
    of_bits = finch_matrix_row_major(packed, FINCH_BITS, ROWS, 0);
    expect(__LINE__, finch_cluster(&of_bits, NULL, &none), FINCH_NO_FEATURES, "features");
    int32_t index[ROWS];
    double key[ROWS];
    expect(__LINE__, finch_update_neighbors(&of_bits, 0, &of_bits, 0, NULL, index, key, ROWS),
           FINCH_NO_FEATURES, "features");
}

int main(void) {
    fill();
    same_as_floats(halves, FINCH_F16, sizeof **halves);
    same_as_floats(brains, FINCH_BF16, sizeof **brains);
    same_as_floats(bytes, FINCH_I8, sizeof **bytes);
    in_parts();
    bad_values();
    bits();
    printf("%d\n", cases);
    return 0;
}
