/* Clusters raw data in every memory layout that a matrix can describe, and writes what came out.
 *
 *     golden SAMPLES TRUTH f32|f64|u8 ROWS COLUMNS METRIC LINK_BOUND CLUSTERS LABELS
 *
 * SAMPLES are numbers row by row, TRUTH int32 classes. Prints a line of scores for each partition,
 * then writes int32 LABELS: of all partitions, and of CLUSTERS clusters by each linkage.
 */
#include "check.h"

struct problem {
    finch_matrix samples;
    size_t size;
    finch_options options;
    size_t clusters;
};

static void *read_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    void *memory = malloc(size);
    CHECK(file != NULL && memory != NULL);
    CHECK(fread(memory, 1, size, file) == size && fgetc(file) == EOF);
    fclose(file);
    return memory;
}

/* The same matrix elsewhere: element (i, j) goes to start + i * row_stride + j * column_stride. */
static void *spread(const struct problem *problem, size_t room, ptrdiff_t start,
                    ptrdiff_t row_stride, ptrdiff_t column_stride, finch_matrix *view) {
    const finch_matrix *from = &problem->samples;
    size_t size = problem->size;
    char *memory = malloc(room * size);
    CHECK(memory != NULL);
    /* What lies between the elements is NaN, or 255. */
    memset(memory, 0xff, room * size);
    for (size_t i = 0; i < from->rows; i++) {
        for (size_t j = 0; j < from->columns; j++) {
            ptrdiff_t to = start + (ptrdiff_t)i * row_stride + (ptrdiff_t)j * column_stride;
            const char *element = (const char *)from->data + (i * from->columns + j) * size;
            memcpy(memory + (size_t)to * size, element, size);
        }
    }
    *view = *from;
    view->data = memory + (size_t)start * size;
    view->row_stride = row_stride;
    view->column_stride = column_stride;
    return memory;
}

/* Whether all that a hierarchy tells is as in another. */
static void expect_same(const finch_hierarchy *found, const finch_hierarchy *expected) {
    size_t samples = finch_hierarchy_sample_count(expected);
    size_t partitions = finch_hierarchy_partition_count(expected);
    CHECK(finch_hierarchy_sample_count(found) == samples);
    CHECK(finch_hierarchy_partition_count(found) == partitions);
    for (size_t partition = 0; partition < partitions; partition++) {
        CHECK(memcmp(finch_hierarchy_labels(found, partition),
                     finch_hierarchy_labels(expected, partition), samples * sizeof(int32_t))
              == 0);
    }
    CHECK(memcmp(finch_hierarchy_first_neighbors(found), finch_hierarchy_first_neighbors(expected),
                 samples * sizeof(int32_t))
          == 0);
    CHECK(memcmp(finch_hierarchy_distances(found), finch_hierarchy_distances(expected),
                 samples * sizeof(double))
          == 0);
}

static void expect_same_from(const struct problem *problem, void *memory, const finch_matrix *view,
                             const finch_hierarchy *expected) {
    finch_hierarchy *found;
    OK(finch_cluster(view, &problem->options, &found));
    expect_same(found, expected);
    finch_hierarchy_free(found);
    free(memory);
}

static void try_layouts(const struct problem *problem, const finch_hierarchy *expected) {
    ptrdiff_t rows = (ptrdiff_t)problem->samples.rows;
    ptrdiff_t columns = (ptrdiff_t)problem->samples.columns;
    size_t count = (size_t)(rows * columns);
    finch_matrix view;
    void *memory;

    /* Column-major. */
    memory = spread(problem, count, 0, 1, rows, &view);
    finch_matrix column_major = finch_matrix_column_major(memory, view.element, view.rows, view.columns);
    CHECK(column_major.row_stride == 1 && column_major.column_stride == rows);
    expect_same_from(problem, memory, &column_major, expected);
    /* Rows inside larger structs. */
    memory = spread(problem, count + 3 * (size_t)rows, 2, columns + 3, 1, &view);
    expect_same_from(problem, memory, &view, expected);
    /* Every other column, in reverse order. */
    memory = spread(problem, 2 * count, 2 * (columns - 1), 2 * columns, -2, &view);
    expect_same_from(problem, memory, &view, expected);
    /* Rows from the last to the first. */
    memory = spread(problem, count, (rows - 1) * columns, -columns, 1, &view);
    expect_same_from(problem, memory, &view, expected);
}

/* What is put together from the building blocks is the same. */
static void try_blocks(const struct problem *problem, const finch_hierarchy *expected) {
    const finch_matrix *samples = &problem->samples;
    size_t rows = samples->rows;
    int32_t *index = malloc(rows * sizeof *index);
    int32_t *labels = malloc(rows * sizeof *labels);
    double *numbers = malloc(rows * sizeof *numbers);
    CHECK(index != NULL && labels != NULL && numbers != NULL);

    OK(finch_first_neighbors(samples, &problem->options, index, numbers, rows));
    CHECK(memcmp(index, finch_hierarchy_first_neighbors(expected), rows * sizeof *index) == 0);
    CHECK(memcmp(numbers, finch_hierarchy_distances(expected), rows * sizeof *numbers) == 0);

    /* Shards of the base, one after the other. */
    for (size_t row = 0; row < rows; row++) {
        index[row] = -1;
    }
    for (size_t first = 0; first < rows; first += rows / 3 + 1) {
        finch_matrix shard = *samples;
        shard.rows = rows - first < rows / 3 + 1 ? rows - first : rows / 3 + 1;
        shard.data = (const char *)samples->data + first * samples->columns * problem->size;
        OK(finch_update_neighbors(samples, 0, &shard, first, &problem->options, index, numbers, rows));
    }
    CHECK(memcmp(index, finch_hierarchy_first_neighbors(expected), rows * sizeof *index) == 0);
    OK(finch_keys_to_distances(problem->options.metric, numbers, numbers, rows));
    CHECK(memcmp(numbers, finch_hierarchy_distances(expected), rows * sizeof *numbers) == 0);

    finch_hierarchy *given;
    OK(finch_cluster_given(samples, index, rows, &problem->options, &given));
    expect_same(given, expected);
    CHECK(finch_hierarchy_search(given) == -1 && finch_hierarchy_search(expected) > 0);
    CHECK(finch_hierarchy_recall(given) == -1 && finch_hierarchy_recall(expected) == 1);
    CHECK(finch_hierarchy_explanation(given) == NULL);
    CHECK(strstr(finch_hierarchy_explanation(expected), " search, ") != NULL);
    /* Both say what they were made with. */
    for (int i = 0; i < 2; i++) {
        const finch_hierarchy *made = i == 0 ? given : expected;
        CHECK(finch_hierarchy_sample_count(made) == rows);
        CHECK(finch_hierarchy_feature_count(made) == samples->columns);
        CHECK(finch_hierarchy_metric(made) == problem->options.metric);
        CHECK(finch_hierarchy_link_bound(made) == problem->options.link_bound);
    }
    finch_hierarchy_free(given);

    size_t clusters;
    OK(finch_components(index, rows, labels, &clusters));
    CHECK(clusters == finch_hierarchy_cluster_count(expected, 0));
    CHECK(memcmp(labels, finch_hierarchy_labels(expected, 0), rows * sizeof *labels) == 0);
    /* In place. */
    OK(finch_components(index, rows, index, NULL));
    CHECK(memcmp(labels, index, rows * sizeof *labels) == 0);
    free(numbers);
    free(labels);
    free(index);
}

static void try_means(const struct problem *problem, const finch_hierarchy *hierarchy) {
    size_t rows = problem->samples.rows, columns = problem->samples.columns;
    const int32_t *labels = finch_hierarchy_labels(hierarchy, 0);
    size_t clusters = finch_hierarchy_cluster_count(hierarchy, 0);
    double *means = malloc(clusters * columns * sizeof *means);
    CHECK(means != NULL);
    OK(finch_hierarchy_means(hierarchy, 0, &problem->samples, &problem->options, means,
                             clusters * columns));
    /* Of one feature, by hand. */
    for (size_t cluster = 0; cluster < clusters; cluster++) {
        double sum = 0, size = 0;
        for (size_t row = 0; row < rows; row++) {
            if (labels[row] == (int32_t)cluster) {
                const void *data = problem->samples.data;
                size_t at = row * columns + columns - 1;
                sum += problem->samples.element == FINCH_F64   ? ((const double *)data)[at]
                       : problem->samples.element == FINCH_F32 ? ((const float *)data)[at]
                                                               : ((const uint8_t *)data)[at];
                size++;
            }
        }
        double mean = means[cluster * columns + columns - 1];
        CHECK(problem->samples.element == FINCH_F64 ? mean == sum / size
                                                    : (float)mean == (float)(sum / size));
    }
    free(means);
}

static void print_scores(const finch_hierarchy *hierarchy, const int32_t *truth) {
    size_t partitions = finch_hierarchy_partition_count(hierarchy);
    for (size_t partition = 0; partition < partitions; partition++) {
        finch_scores scores;
        OK(finch_score(finch_hierarchy_labels(hierarchy, partition), truth,
                       finch_hierarchy_sample_count(hierarchy), &scores, sizeof scores));
        printf("%zu %.17g %.17g %.17g\n", finch_hierarchy_cluster_count(hierarchy, partition),
               scores.purity, scores.nmi, scores.accuracy);
    }
}

/* The same clusters from a hierarchy that keeps what refining takes. */
static void try_refinable(const struct problem *problem, finch_linkage linkage,
                          const int32_t *expected) {
    size_t rows = problem->samples.rows;
    int32_t *refined = malloc(rows * sizeof *refined);
    CHECK(refined != NULL);
    finch_options options = problem->options;
    options.linkage = linkage;
    options.refinable = 1;
    finch_hierarchy *hierarchy;
    OK(finch_cluster(&problem->samples, &options, &hierarchy));
    OK(finch_hierarchy_refine(hierarchy, &problem->samples, problem->clusters, &options, refined,
                              rows));
    CHECK(memcmp(refined, expected, rows * sizeof *refined) == 0);
    finch_hierarchy_free(hierarchy);
    free(refined);
}

static void write_labels(const struct problem *problem, const finch_hierarchy *hierarchy,
                         const char *path) {
    size_t rows = problem->samples.rows, partitions = finch_hierarchy_partition_count(hierarchy);
    const finch_linkage linkages[] = {FINCH_LINKAGE_AUTO, FINCH_LINKAGE_NEIGHBOR,
                                      FINCH_LINKAGE_MEANS, FINCH_LINKAGE_CENTROID,
                                      FINCH_LINKAGE_WARD};
    size_t count = sizeof linkages / sizeof *linkages, numbers = (partitions + count) * rows;
    int32_t *labels = malloc(numbers * sizeof *labels);
    int32_t *row_major = malloc(partitions * rows * sizeof *labels);
    CHECK(labels != NULL && row_major != NULL);
    OK(finch_hierarchy_copy_all_labels(hierarchy, FINCH_COLUMN_MAJOR, labels, partitions * rows));
    OK(finch_hierarchy_copy_all_labels(hierarchy, FINCH_ROW_MAJOR, row_major, partitions * rows));
    for (size_t partition = 0; partition < partitions; partition++) {
        for (size_t row = 0; row < rows; row++) {
            CHECK(row_major[row * partitions + partition] == labels[partition * rows + row]);
        }
    }
    finch_options options = problem->options;
    CHECK(options.linkage == linkages[0]);
    for (size_t i = 0; i < count; i++) {
        int32_t *refined = labels + (partitions + i) * rows;
        options.linkage = linkages[i];
        OK(finch_hierarchy_refine(hierarchy, &problem->samples, problem->clusters, &options,
                                  refined, rows));
        try_refinable(problem, linkages[i], refined);
    }
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(labels, sizeof *labels, numbers, file) == numbers);
    CHECK(fclose(file) == 0);
    free(row_major);
    free(labels);
}

int main(int argc, char **argv) {
    CHECK(argc == 10);
    int32_t element = strcmp(argv[3], "f32") == 0   ? FINCH_F32
                      : strcmp(argv[3], "f64") == 0 ? FINCH_F64
                                                    : FINCH_U8;
    struct problem problem;
    problem.size = element == FINCH_F32 ? sizeof(float) : element == FINCH_F64 ? sizeof(double) : 1;
    size_t rows = strtoul(argv[4], NULL, 10), columns = strtoul(argv[5], NULL, 10);
    void *memory = read_file(argv[1], rows * columns * problem.size);
    int32_t *truth = read_file(argv[2], rows * sizeof *truth);
    problem.samples = finch_matrix_row_major(memory, element, rows, columns);
    OK(finch_options_init(&problem.options, sizeof problem.options));
    problem.options.metric = atoi(argv[6]);
    problem.options.link_bound = atoi(argv[7]);
    problem.clusters = strtoul(argv[8], NULL, 10);

    finch_hierarchy *hierarchy;
    OK(finch_cluster(&problem.samples, &problem.options, &hierarchy));
    try_layouts(&problem, hierarchy);
    try_blocks(&problem, hierarchy);
    try_means(&problem, hierarchy);
    print_scores(hierarchy, truth);
    write_labels(&problem, hierarchy, argv[9]);
    finch_hierarchy_free(hierarchy);
    free(truth);
    free(memory);
    return 0;
}
