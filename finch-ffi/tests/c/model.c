/* Models in C: made, saved, loaded and asked for new samples; and what goes wrong, each with its
 * status, a message that says what, and nothing written. The argument is an empty folder, which is
 * left empty. Prints the number of cases that went wrong as they should.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 7, COLUMNS = 2, PARTITIONS = 1, LABELLINGS = 2 };

static const double values[ROWS][COLUMNS] = {{0, 0}, {0, 1}, {9, 9}, {9, 8}, {5, 0}, {5, 1}, {9, 8.5}};

static int cases;
static char folder[4096];

static const char *in_folder(const char *name) {
    static char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The last call failed in this way, with these words in its message. */
static void expect(int line, finch_status found, finch_status expected, const char *words) {
    cases++;
    if (found != expected || strstr(finch_last_error_message(), words) == NULL) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"\n", line, finch_status_name(found),
                finch_status_name(expected), finch_last_error_message());
        exit(1);
    }
}
#define FAULT(call, status, words) expect(__LINE__, call, status, words)

static finch_matrix samples(void) {
    return finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
}

static finch_model *made(int32_t keep_samples) {
    finch_matrix matrix = samples();
    finch_hierarchy *hierarchy = NULL;
    finch_model *model = NULL;
    int32_t two[ROWS];
    OK(finch_cluster(&matrix, NULL, &hierarchy));
    CHECK(finch_hierarchy_partition_count(hierarchy) == PARTITIONS);
    OK(finch_hierarchy_refine(hierarchy, &matrix, 2, NULL, two, ROWS));
    OK(finch_model_new(hierarchy, &matrix, keep_samples, two, 1, NULL, &model));
    /* The model does not need the hierarchy that it was made of. */
    finch_hierarchy_free(hierarchy);
    return model;
}

static uint8_t *serialized(const finch_model *model, size_t *size) {
    OK(finch_model_serialized_size(model, size));
    uint8_t *bytes = malloc(*size);
    CHECK(bytes != NULL);
    OK(finch_model_serialize(model, bytes, *size));
    return bytes;
}

static void expect_equal(const finch_model *one, const finch_model *other) {
    size_t sizes[2];
    uint8_t *bytes[2] = {serialized(one, &sizes[0]), serialized(other, &sizes[1])};
    CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

static void reads(const finch_model *model, bool kept) {
    const finch_hierarchy *hierarchy = finch_model_hierarchy(model);
    CHECK(finch_hierarchy_sample_count(hierarchy) == ROWS);
    CHECK(finch_hierarchy_explanation(hierarchy) != NULL);
    CHECK(finch_model_labelling_count(model) == LABELLINGS);
    CHECK(finch_model_cluster_count(model, 0) == 3);
    CHECK(finch_model_cluster_count(model, 1) == 2);
    CHECK(finch_model_labels(model, 0)[2] == 1 && finch_model_labels(model, 0)[6] == 1);
    double means[3][COLUMNS];
    OK(finch_model_means(model, 0, means[0], 3 * COLUMNS));
    CHECK(means[0][1] == 0.5 && means[1][0] == 9 && means[2][0] == 5);
    finch_matrix own = {0};
    CHECK(finch_model_samples(model, &own) == (kept ? 1 : 0));
    CHECK(!kept || (own.rows == ROWS && own.columns == COLUMNS && own.element == FINCH_F64
                    && memcmp(own.data, values, sizeof values) == 0));
}

static void predicts(const finch_model *model, bool kept) {
    const double new_values[3][COLUMNS] = {{8, 8}, {0, 0.25}, {2.5, 0.5}};
    finch_matrix matrix = finch_matrix_row_major(new_values, FINCH_F64, 3, COLUMNS);
    int32_t labels[4] = {-7, -7, -7, -7}, neighbor[3], alone[3];
    double distance[3], other[3], confidence[3];
    double recall = -1;
    OK(finch_model_predict(model, &matrix, 0, NULL, labels, neighbor, distance, other, confidence, 3,
                           &recall));
    CHECK(recall == 1);
    CHECK(labels[0] == 1 && labels[1] == 0 && labels[2] == 0 && labels[3] == -7);
    CHECK(neighbor[1] == 0 && neighbor[0] == (kept ? 3 : 1));
    CHECK(distance[1] == 0.25 && confidence[2] == 0.5 && distance[2] == other[2]);
    CHECK(confidence[1] > 0.99 && confidence[1] <= 1);
    OK(finch_model_predict(model, &matrix, 0, NULL, alone, NULL, NULL, NULL, NULL, 3, NULL));
    CHECK(memcmp(alone, labels, sizeof alone) == 0);
    int32_t again[3], nearest[3];
    double numbers[3][3];
    finch_predictions into = {.size = sizeof into, .capacity = 3, .labels = again,
                              .neighbor = nearest, .distance = numbers[0],
                              .other_distance = numbers[1], .confidence = numbers[2]};
    OK(finch_model_predict_into(model, &matrix, 0, NULL, &into));
    CHECK(into.recall == 1 && into.labels == again && memcmp(again, labels, sizeof again) == 0);
    CHECK(memcmp(nearest, neighbor, sizeof nearest) == 0);
    CHECK(memcmp(numbers[0], distance, sizeof distance) == 0);
    CHECK(memcmp(numbers[1], other, sizeof other) == 0);
    CHECK(memcmp(numbers[2], confidence, sizeof confidence) == 0);
    into = (finch_predictions){.size = sizeof into, .capacity = 3, .labels = again};
    OK(finch_model_predict_into(model, &matrix, 0, NULL, &into));
    /* A struct of a later header, whose further fields are 0, and one of which they are set. */
    struct {
        finch_predictions known;
        size_t further;
    } later = {into, 0};
    later.known.size = sizeof later;
    OK(finch_model_predict_into(model, &matrix, 0, NULL, &later.known));
    later.further = 1;
    CHECK(finch_model_predict_into(model, &matrix, 0, NULL, &later.known) == FINCH_INVALID_SIZE);
    OK(finch_model_predict(model, &matrix, 0, NULL, alone, NULL, NULL, NULL, confidence, 3, NULL));
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.search = FINCH_SEARCH_APPROXIMATE;
    OK(finch_model_predict(model, &matrix, 0, &options, alone, NULL, NULL, NULL, NULL, 3, &recall));
    CHECK(memcmp(alone, labels, sizeof alone) == 0 && recall == 1);
    const finch_status status = finch_model_predict(model, &matrix, 0, &options, alone, NULL, NULL,
                                                    other, NULL, 3, &recall);
    CHECK(status == (kept ? FINCH_UNSUPPORTED_SEARCH : FINCH_OK));
    /* Floats and bytes are narrower than doubles. */
    const uint8_t bytes[1][COLUMNS] = {{8, 8}};
    matrix = finch_matrix_row_major(bytes, FINCH_U8, 1, COLUMNS);
    OK(finch_model_predict(model, &matrix, 1, NULL, labels, NULL, NULL, NULL, NULL, 4, NULL));
    CHECK(labels[0] == 1);
    /* Its own samples. */
    int32_t own[ROWS];
    matrix = samples();
    OK(finch_model_predict(model, &matrix, 0, NULL, own, NULL, NULL, NULL, NULL, ROWS, NULL));
    CHECK(memcmp(own, finch_model_labels(model, 0), sizeof own) == 0);
}

static void comes_back(const finch_model *model) {
    size_t size;
    uint8_t *bytes = serialized(model, &size);
    finch_model *back = NULL;
    OK(finch_model_deserialize(bytes, size, &back));
    expect_equal(model, back);
    finch_model_free(back);
    OK(finch_model_save(model, in_folder("model-\xc3\xa4.safetensors")));
    /* Over a file that is there. */
    OK(finch_model_save(model, in_folder("model-\xc3\xa4.safetensors")));
    OK(finch_model_load(in_folder("model-\xc3\xa4.safetensors"), &back));
    expect_equal(model, back);
    finch_model_free(back);
    CHECK(remove(in_folder("model-\xc3\xa4.safetensors")) == 0);

    /* Every cut, and a bit of every byte. */
    back = NULL;
    for (size_t end = 0; end < size; end++) {
        CHECK(finch_model_deserialize(bytes, end, &back) == FINCH_DAMAGED && back == NULL);
        bytes[end] ^= (uint8_t)(1 << end % 8);
        CHECK(finch_model_deserialize(bytes, size, &back) == FINCH_DAMAGED && back == NULL);
        bytes[end] ^= (uint8_t)(1 << end % 8);
    }
    free(bytes);
}

/* A prediction says that nothing is near new samples of zeros; the next one, that there is nothing to say. */
static void tells_of_zero_rows(void) {
    double rows[6][2] = {{5, 0}, {5, 0.1}, {0, 5}, {0.1, 5}, {1, 0}, {0, 0}};
    finch_matrix kept = finch_matrix_row_major(rows[0], FINCH_F64, 4, 2);
    finch_matrix added = finch_matrix_row_major(rows[4], FINCH_F64, 2, 2);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = FINCH_COSINE;
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&kept, &options, &hierarchy));
    finch_model *model = NULL;
    OK(finch_model_new(hierarchy, &kept, 1, NULL, 0, &options, &model));
    int32_t labels[2];
    OK(finch_model_predict(model, &added, 0, &options, labels, NULL, NULL, NULL, NULL, 2, NULL));
    CHECK(finch_last_warning() == FINCH_WARNING_NOTHING_NEAR);
    CHECK(strstr(finch_last_warning_message(), "near new sample 1 (from 0)") != NULL);
    added.rows = 1;
    OK(finch_model_predict(model, &added, 0, &options, labels, NULL, NULL, NULL, NULL, 2, NULL));
    CHECK(finch_last_warning() == -1 && *finch_last_warning_message() == '\0');
    finch_model_free(model);
    finch_hierarchy_free(hierarchy);
}

/* A model says what its hierarchy said before it was saved. */
static void keeps_warnings(void) {
    double line[40], turned[5][2] = {{5, 0}, {5, 0.1}, {0, 5}, {0.1, 5}, {0, 0}};
    for (int i = 0; i < 40; i++) {
        line[i] = i;
    }
    const struct {
        finch_matrix rows;
        int32_t metric, warning;
    } all[] = {
        {finch_matrix_row_major(line, FINCH_F64, 40, 1), FINCH_EUCLIDEAN, FINCH_WARNING_TIES},
        {finch_matrix_row_major(turned, FINCH_F64, 5, 2), FINCH_COSINE, FINCH_WARNING_ZERO_ROWS},
    };
    for (size_t i = 0; i < 2; i++) {
        finch_options options;
        OK(finch_options_init(&options, sizeof options));
        options.metric = all[i].metric;
        finch_hierarchy *hierarchy = NULL;
        OK(finch_cluster(&all[i].rows, &options, &hierarchy));
        CHECK(finch_hierarchy_warning_count(hierarchy) == 1);
        finch_model *model = NULL, *back = NULL;
        OK(finch_model_new(hierarchy, &all[i].rows, 1, NULL, 0, &options, &model));
        size_t size;
        uint8_t *bytes = serialized(model, &size);
        OK(finch_model_deserialize(bytes, size, &back));
        const finch_hierarchy *kept = finch_model_hierarchy(back);
        CHECK(finch_hierarchy_warning_count(kept) == 1);
        CHECK(finch_hierarchy_warning(kept, 0) == all[i].warning);
        CHECK(strcmp(finch_hierarchy_warning_message(kept, 0),
                     finch_hierarchy_warning_message(hierarchy, 0)) == 0);
        free(bytes);
        finch_model_free(back);
        finch_model_free(model);
        finch_hierarchy_free(hierarchy);
    }
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static int32_t stop(const finch_progress *progress, void *user_data) {
    CHECK(progress->stage == FINCH_STAGE_PREDICT);
    ++*(int *)user_data;
    return 1;
}

static void faults_of_making(void) {
    finch_matrix matrix = samples();
    finch_hierarchy *hierarchy = NULL;
    finch_model *none = NULL;
    int32_t labels[ROWS] = {0};
    OK(finch_cluster(&matrix, NULL, &hierarchy));
    FAULT(finch_model_new(NULL, &matrix, 0, NULL, 0, NULL, &none), FINCH_NULL_POINTER, "hierarchy");
    FAULT(finch_model_new(hierarchy, NULL, 0, NULL, 0, NULL, &none), FINCH_NULL_POINTER, "samples");
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, NULL, NULL), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_new(hierarchy, &matrix, 2, NULL, 0, NULL, &none), FINCH_INVALID_VALUE, "keep_samples");
    FAULT(finch_model_new(hierarchy, &matrix, -1, NULL, 0, NULL, &none), FINCH_INVALID_VALUE, "keep_samples");
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 1, NULL, &none), FINCH_NULL_POINTER, "refined");
    FAULT(finch_model_new(hierarchy, &matrix, 0, (int32_t *)((char *)labels + 1), 1, NULL, &none),
          FINCH_MISALIGNED, "refined");
    FAULT(finch_model_new(hierarchy, &matrix, 0, labels, SIZE_MAX, NULL, &none), FINCH_INVALID_SIZE, "refined");
    matrix.rows--;
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, NULL, &none), FINCH_SAMPLE_COUNT, "expected 7");
    matrix = samples();
    matrix.columns--;
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, NULL, &none), FINCH_FEATURE_COUNT, "expected 2");
    matrix = samples();
    matrix.element = 9;
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, NULL, &none), FINCH_INVALID_VALUE, "element");
    double bad[ROWS][COLUMNS] = {{NAN, 0}};
    matrix = finch_matrix_row_major(bad, FINCH_F64, ROWS, COLUMNS);
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, NULL, &none), FINCH_NON_FINITE, "row 0");
    matrix = samples();
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = 77;
    FAULT(finch_model_new(hierarchy, &matrix, 0, NULL, 0, &options, &none), FINCH_INVALID_VALUE, "metric");
    CHECK(none == NULL);
    finch_hierarchy_free(hierarchy);
}

/* Noise, label -1, is kept, has no mean, and is predicted where the nearest kept sample is noise. */
static void keeps_noise(void) {
    finch_matrix matrix = samples();
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&matrix, NULL, &hierarchy));
    const int32_t labels[ROWS] = {0, 0, 1, 1, -1, -1, 1}, noise[ROWS] = {-1, -1, -1, -1, -1, -1, -1};
    const double new_values[2][COLUMNS] = {{5, 0.25}, {9, 9}};
    finch_matrix new_samples = finch_matrix_row_major(new_values, FINCH_F64, 2, COLUMNS);
    for (int keep = 0; keep < 2; keep++) {
        finch_model *made = NULL, *model = NULL;
        OK(finch_model_new(hierarchy, &matrix, keep, labels, 1, NULL, &made));
        size_t size, last = finch_model_labelling_count(made) - 1;
        uint8_t *bytes = serialized(made, &size);
        OK(finch_model_deserialize(bytes, size, &model));
        free(bytes);
        CHECK(finch_model_cluster_count(model, last) == 2);
        CHECK(memcmp(finch_model_labels(model, last), labels, sizeof labels) == 0);
        double means[2 * COLUMNS];
        OK(finch_model_means(model, last, means, 2 * COLUMNS));
        CHECK(means[0] == 0 && means[1] == 0.5);
        int32_t predicted[2];
        finch_predictions into = {.size = sizeof into, .capacity = 2, .labels = predicted};
        OK(finch_model_predict_into(model, &new_samples, last, NULL, &into));
        CHECK(predicted[0] == (keep ? -1 : 0) && predicted[1] == 1);
        finch_model_free(made);
        finch_model_free(model);
    }
    finch_model *none = NULL;
    FAULT(finch_model_new(hierarchy, &matrix, 0, noise, 1, NULL, &none), FINCH_NO_SAMPLES, "noise");
    CHECK(none == NULL);
    finch_hierarchy_free(hierarchy);
}

static void faults_of_predicting(const finch_model *model) {
    finch_matrix matrix = samples();
    int32_t labels[ROWS], neighbor[ROWS];
    double distance[ROWS];
    memset(labels, 0x55, sizeof labels);
    memset(neighbor, 0x55, sizeof neighbor);
    memset(distance, 0x55, sizeof distance);
#define PREDICT(model, matrix, labelling, options, labels, capacity)                               \
    finch_model_predict(model, matrix, labelling, options, labels, neighbor, distance, distance,   \
                        distance, capacity, NULL)
    FAULT(PREDICT(NULL, &matrix, 0, NULL, labels, ROWS), FINCH_NULL_POINTER, "model");
    FAULT(PREDICT(model, NULL, 0, NULL, labels, ROWS), FINCH_NULL_POINTER, "samples");
    FAULT(PREDICT(model, &matrix, 0, NULL, NULL, ROWS), FINCH_NULL_POINTER, "labels");
    FAULT(PREDICT(model, &matrix, LABELLINGS, NULL, labels, ROWS), FINCH_NO_SUCH_PARTITION, "labelling 2");
    FAULT(PREDICT(model, &matrix, SIZE_MAX, NULL, labels, ROWS), FINCH_NO_SUCH_PARTITION, "labelling");
    FAULT(PREDICT(model, &matrix, 0, NULL, labels, ROWS - 1), FINCH_BUFFER_TOO_SMALL, "takes 7");
    FAULT(finch_model_predict(model, &matrix, 0, NULL, labels, (int32_t *)((char *)neighbor + 1), NULL,
                              NULL, NULL, ROWS, NULL), FINCH_MISALIGNED, "neighbor");
    FAULT(finch_model_predict(model, &matrix, 0, NULL, labels, NULL, NULL, NULL,
                              (double *)((char *)distance + 4), ROWS, NULL), FINCH_MISALIGNED, "confidence");
    finch_predictions into = {.size = sizeof into, .capacity = ROWS - 1, .labels = labels, .recall = -7};
    FAULT(finch_model_predict_into(model, &matrix, 0, NULL, &into), FINCH_BUFFER_TOO_SMALL, "takes 7");
    into.labels = NULL, into.capacity = ROWS;
    FAULT(finch_model_predict_into(model, &matrix, 0, NULL, &into), FINCH_NULL_POINTER, "labels");
    into.size = 0;
    FAULT(finch_model_predict_into(model, &matrix, 0, NULL, &into), FINCH_INVALID_SIZE, "sizeof");
    FAULT(finch_model_predict_into(model, &matrix, 0, NULL, NULL), FINCH_NULL_POINTER, "predictions");
    CHECK(into.recall == -7);
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.search = 17;
    FAULT(PREDICT(model, &matrix, 0, &options, labels, ROWS), FINCH_INVALID_VALUE, "search");
    options.search = FINCH_SEARCH_KD_TREE;
    FAULT(PREDICT(model, &matrix, 0, &options, labels, ROWS), FINCH_UNSUPPORTED_SEARCH, "kd-tree");
    options.search = FINCH_SEARCH_AUTO;
    int told = 0;
    options.progress = stop;
    options.user_data = &told;
    FAULT(PREDICT(model, &matrix, 0, &options, labels, ROWS), FINCH_CANCELLED, "stopped");
    CHECK(told == 1);
    matrix.columns = 1;
    FAULT(PREDICT(model, &matrix, 0, NULL, labels, ROWS), FINCH_FEATURE_COUNT, "expected 2 features");
    matrix = samples();
    matrix.rows = 0;
    FAULT(PREDICT(model, &matrix, 0, NULL, labels, ROWS), FINCH_NO_SAMPLES, "no samples");
    double bad[1][COLUMNS] = {{0, INFINITY}};
    matrix = finch_matrix_row_major(bad, FINCH_F64, 1, COLUMNS);
    FAULT(PREDICT(model, &matrix, 0, NULL, labels, ROWS), FINCH_NON_FINITE, "column 1");
    /* A model of bytes compares bytes, and its means are floats. */
    const uint8_t bytes[4][1] = {{1}, {2}, {90}, {91}};
    finch_matrix narrow = finch_matrix_row_major(bytes, FINCH_U8, 4, 1);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&narrow, NULL, &hierarchy));
    double wide_values[1][1] = {{1}};
    matrix = finch_matrix_row_major(wide_values, FINCH_F64, 1, 1);
    for (int32_t keep = 0; keep < 2; keep++) {
        finch_model *of_bytes = NULL;
        OK(finch_model_new(hierarchy, &narrow, keep, NULL, 0, NULL, &of_bytes));
        FAULT(PREDICT(of_bytes, &matrix, 0, NULL, labels, ROWS), FINCH_INVALID_VALUE, keep ? "u8" : "f32");
        finch_model_free(of_bytes);
    }
    finch_hierarchy_free(hierarchy);
    for (int i = 0; i < ROWS; i++) {
        CHECK(labels[i] == 0x55555555 && neighbor[i] == 0x55555555);
    }
}

static void faults_of_files(const finch_model *model) {
    finch_model *none = NULL;
    size_t size;
    uint8_t *bytes = serialized(model, &size);
    FAULT(finch_model_serialized_size(NULL, &size), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_serialized_size(model, NULL), FINCH_NULL_POINTER, "size");
    FAULT(finch_model_serialize(NULL, bytes, size), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_serialize(model, NULL, size), FINCH_NULL_POINTER, "bytes");
    FAULT(finch_model_serialize(model, bytes, size - 1), FINCH_BUFFER_TOO_SMALL, "bytes");
    FAULT(finch_model_deserialize(NULL, size, &none), FINCH_NULL_POINTER, "bytes");
    FAULT(finch_model_deserialize(NULL, 0, &none), FINCH_DAMAGED, "begin");
    FAULT(finch_model_deserialize(bytes, size, NULL), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_deserialize(bytes, SIZE_MAX, &none), FINCH_INVALID_SIZE, "bytes");
    FAULT(finch_model_deserialize((const uint8_t *)"no model", 8, &none), FINCH_DAMAGED, "begin");

    FAULT(finch_model_save(NULL, in_folder("m")), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_save(model, NULL), FINCH_NULL_POINTER, "path");
    FAULT(finch_model_save(model, ""), FINCH_IO, "no name of a regular file");
    FAULT(finch_model_save(model, folder), FINCH_IO, "no name of a regular file");
    FAULT(finch_model_save(model, in_folder("none/m")), FINCH_IO, "none/m cannot be written");
#ifndef _WIN32
    /* A name is any bytes. */
    OK(finch_model_save(model, in_folder("a\xff")));
    CHECK(remove(in_folder("a\xff")) == 0);
#endif
    FAULT(finch_model_load(NULL, &none), FINCH_NULL_POINTER, "path");
    FAULT(finch_model_load(in_folder("m"), NULL), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_load(in_folder("none"), &none), FINCH_IO, "none cannot be read");
    FAULT(finch_model_load(folder, &none), FINCH_IO, "no regular file");
    FAULT(finch_model_load("/dev/zero", &none), FINCH_IO, "no regular file");
    FAULT(finch_model_load("", &none), FINCH_IO, "cannot be read");

    /* The message says which file is damaged. */
    const char *path = in_folder("damaged");
    write_file(path, bytes, size - 1);
    FAULT(finch_model_load(path, &none), FINCH_DAMAGED, "damaged: ");
    write_file(path, bytes, 0);
    FAULT(finch_model_load(path, &none), FINCH_DAMAGED, "damaged: ");
    bytes[size / 2] ^= 1;
    write_file(path, bytes, size);
    FAULT(finch_model_load(path, &none), FINCH_DAMAGED, "checksum");
    CHECK(none == NULL && remove(path) == 0);
    free(bytes);
}

static void values_of_none(const finch_model *model) {
    finch_matrix matrix = {0};
    double means[1];
    CHECK(finch_model_hierarchy(NULL) == NULL);
    CHECK(finch_model_samples(NULL, &matrix) == 0 && matrix.rows == 0);
    CHECK(finch_model_samples(model, NULL) == 0);
    CHECK(finch_model_labelling_count(NULL) == 0);
    CHECK(finch_model_cluster_count(NULL, 0) == 0);
    CHECK(finch_model_cluster_count(model, LABELLINGS) == 0);
    CHECK(finch_model_labels(NULL, 0) == NULL);
    CHECK(finch_model_labels(model, SIZE_MAX) == NULL);
    FAULT(finch_model_means(NULL, 0, means, 1), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_means(model, LABELLINGS, means, 1), FINCH_NO_SUCH_PARTITION, "labelling 2");
    FAULT(finch_model_means(model, 0, means, 1), FINCH_BUFFER_TOO_SMALL, "takes 6");
    FAULT(finch_model_means(model, 0, NULL, 6), FINCH_NULL_POINTER, "means");
    finch_model_free(NULL);
    cases += 8;
}

/* A model of more samples is that of all samples at once. */
static void more_samples(void) {
    finch_model *model = made(1), *extended = NULL;
    const double more[2][COLUMNS] = {{5, 0.5}, {30, 30}};
    finch_matrix new = finch_matrix_row_major(more, FINCH_F64, 2, COLUMNS);
    OK(finch_model_extend(model, &new, NULL, &extended));
    double all[ROWS + 2][COLUMNS];
    memcpy(all, values, sizeof values);
    memcpy(all[ROWS], more, sizeof more);
    finch_matrix matrix = finch_matrix_row_major(all, FINCH_F64, ROWS + 2, COLUMNS), kept;
    finch_hierarchy *anew = NULL;
    OK(finch_cluster(&matrix, NULL, &anew));
    const finch_hierarchy *grown = finch_model_hierarchy(extended);
    size_t partitions = finch_hierarchy_partition_count(anew);
    CHECK(finch_model_labelling_count(extended) == partitions);
    for (size_t p = 0; p < partitions; p++) {
        CHECK(memcmp(finch_hierarchy_labels(grown, p), finch_hierarchy_labels(anew, p),
                     (ROWS + 2) * sizeof(int32_t)) == 0);
    }
    CHECK(finch_model_samples(extended, &kept) == 1 && kept.rows == ROWS + 2);
    finch_model_free(extended);
    finch_hierarchy_free(anew);

    extended = NULL;
    FAULT(finch_model_extend(NULL, &new, NULL, &extended), FINCH_NULL_POINTER, "model");
    FAULT(finch_model_extend(model, NULL, NULL, &extended), FINCH_NULL_POINTER, "samples");
    FAULT(finch_model_extend(model, &new, NULL, NULL), FINCH_NULL_POINTER, "extended");
    new.columns = 1;
    FAULT(finch_model_extend(model, &new, NULL, &extended), FINCH_FEATURE_COUNT, "2");
    new.columns = COLUMNS;
    finch_model *means = made(0);
    FAULT(finch_model_extend(means, &new, NULL, &extended), FINCH_NEEDS_SAMPLES, "samples");
    CHECK(extended == NULL);
    finch_model_free(means);
    finch_model_free(model);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    snprintf(folder, sizeof folder, "%s", arguments[1]);
    for (int32_t keep = 0; keep < 2; keep++) {
        finch_model *model = made(keep);
        reads(model, keep == 1);
        predicts(model, keep == 1);
        comes_back(model);
        faults_of_predicting(model);
        faults_of_files(model);
        values_of_none(model);
        finch_model_free(model);
    }
    keeps_noise();
    keeps_warnings();
    tells_of_zero_rows();
    faults_of_making();
    more_samples();
    printf("%d\n", cases);
    return 0;
}
