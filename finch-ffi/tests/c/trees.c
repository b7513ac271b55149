/* Suggestions, dendrograms, trees and nearest neighbours: what they give, and what goes wrong with
 * its status, a message, and nothing written. Prints the number of bad inputs. */
#include "check.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 60, COLUMNS = 2, K = 4, LEAVES = 4 };

static double values[ROWS][COLUMNS];
static int cases;

/* The last call failed in this way, with these words in its message. */
static void expect_fault(int line, finch_status found, finch_status expected, const char *words) {
    cases++;
    if (found != expected || strstr(finch_last_error_message(), words) == NULL) {
        fprintf(stderr, "line %d: %s instead of %s, \"%s\"\n", line, finch_status_name(found),
                finch_status_name(expected), finch_last_error_message());
        exit(1);
    }
}

/* Outputs of every kind. After a failed call they are as they were. */
static struct {
    int32_t labels[ROWS * K];
    double numbers[ROWS * K];
    size_t clusters, partition, length;
    const char *text;
    finch_dendrogram *dendrogram;
    finch_tree *tree;
} out, untouched;

#define FAULT(call, status, words)                                                                 \
    do {                                                                                           \
        out = untouched;                                                                           \
        expect_fault(__LINE__, (call), status, words);                                             \
        CHECK(memcmp(&out, &untouched, sizeof out) == 0);                                          \
    } while (0)

static int32_t stop(const finch_progress *progress, void *user_data) {
    (void)progress;
    (void)user_data;
    return 1;
}

/* Of `clusters` clusters, labels of which are numbered by first appearance. */
static void persistence(const finch_dendrogram *dendrogram, const int32_t *labels, size_t clusters) {
    double of_cut[ROWS], of_labels[ROWS], of_renamed[ROWS], mean = -1, sum = 0;
    int32_t renamed[ROWS];
    OK(finch_dendrogram_persistence(dendrogram, NULL, clusters, of_cut, ROWS, &mean));
    OK(finch_dendrogram_persistence(dendrogram, labels, clusters, of_labels, clusters, NULL));
    for (size_t i = 0; i < ROWS; i++) {
        renamed[i] = (int32_t)clusters - 1 - labels[i];
        sum += of_cut[labels[i]];
    }
    CHECK(fabs(mean - sum / ROWS) < 1e-12);
    renamed[0] = -1;
    OK(finch_dendrogram_persistence(dendrogram, renamed, clusters, of_renamed, ROWS, NULL));
    for (size_t i = 0; i < clusters; i++) {
        CHECK(0 < of_cut[i] && of_cut[i] <= 1 && of_labels[i] == of_cut[i]);
        CHECK(of_renamed[clusters - 1 - i] == of_cut[i]);
    }
    FAULT(finch_dendrogram_persistence(dendrogram, labels, clusters + 1, of_cut, ROWS, NULL),
          FINCH_INVALID_VALUE, "labels have 3");
    renamed[0] = -2;
    FAULT(finch_dendrogram_persistence(dendrogram, renamed, clusters, of_cut, ROWS, NULL),
          FINCH_INVALID_VALUE, "label -2");
    FAULT(finch_dendrogram_persistence(dendrogram, NULL, clusters, of_cut, clusters - 1, NULL),
          FINCH_BUFFER_TOO_SMALL, "persistence");
    FAULT(finch_dendrogram_persistence(dendrogram, NULL, 0, of_cut, ROWS, NULL), FINCH_NO_SUCH_CUT,
          "into 0");
    FAULT(finch_dendrogram_persistence(NULL, NULL, 2, of_cut, ROWS, NULL), FINCH_NULL_POINTER,
          "dendrogram");
}

static void suggestions(const finch_hierarchy *hierarchy, const finch_matrix *samples) {
    int32_t labels[ROWS], cut[ROWS], refined[ROWS];
    size_t clusters = 0, partition = 99, again = 0;
    OK(finch_hierarchy_suggest(hierarchy, samples, NULL, labels, ROWS, &clusters, &partition));
    CHECK(clusters == 3);
    CHECK(partition < finch_hierarchy_partition_count(hierarchy));
    OK(finch_hierarchy_refine(hierarchy, samples, clusters, NULL, refined, ROWS));
    CHECK(memcmp(labels, refined, sizeof labels) == 0);
    OK(finch_hierarchy_suggest(hierarchy, samples, NULL, cut, ROWS, NULL, NULL));
    CHECK(memcmp(labels, cut, sizeof labels) == 0);

    finch_dendrogram *dendrogram = NULL;
    OK(finch_hierarchy_suggestion(hierarchy, samples, NULL, &dendrogram, &again, NULL));
    CHECK(again == clusters);
    CHECK(memcmp(labels, finch_dendrogram_suggested(dendrogram), sizeof labels) == 0);
    const size_t *best = finch_dendrogram_best(dendrogram), bests = finch_dendrogram_best_count(dendrogram);
    CHECK(bests >= 1 && bests <= 3 && best[0] == clusters);
    for (size_t i = 1; i < bests; i++) {
        CHECK(2 * best[i] > 3 * best[i - 1] || 3 * best[i] < 2 * best[i - 1]);
    }
    OK(finch_dendrogram_cut(dendrogram, clusters, cut, ROWS));
    CHECK(memcmp(labels, cut, sizeof labels) == 0);
    persistence(dendrogram, labels, clusters);
    size_t start = finch_hierarchy_cluster_count(hierarchy, 0);
    CHECK(finch_dendrogram_start_count(dendrogram) == start);
    CHECK(finch_dendrogram_merge_count(dendrogram) == start - 1);
    CHECK(finch_dendrogram_score_count(dendrogram) > 0);
    const double *scores = finch_dendrogram_scores(dendrogram);
    for (size_t i = 0; i < finch_dendrogram_score_count(dendrogram); i++) {
        CHECK(scores[clusters - 2] >= scores[i]);
    }
    int32_t clustered = finch_dendrogram_clustered(dendrogram);
    CHECK(clustered >= FINCH_CLUSTERED_NO && clustered <= FINCH_CLUSTERED_TOO_FEW);
    CHECK(finch_dendrogram_has_clusters(dendrogram) == (clustered == FINCH_CLUSTERED_YES));
    finch_dendrogram_free(dendrogram);

    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    finch_matrix fewer = *samples, narrow = *samples;
    fewer.rows--;
    narrow.columns--;
    FAULT(finch_hierarchy_suggest(NULL, samples, NULL, out.labels, ROWS, NULL, NULL),
          FINCH_NULL_POINTER, "hierarchy is NULL");
    FAULT(finch_hierarchy_suggest(hierarchy, NULL, NULL, out.labels, ROWS, NULL, NULL),
          FINCH_NULL_POINTER, "samples is NULL");
    FAULT(finch_hierarchy_suggest(hierarchy, samples, NULL, NULL, ROWS, NULL, NULL),
          FINCH_NULL_POINTER, "labels is NULL");
    FAULT(finch_hierarchy_suggest(hierarchy, samples, NULL, out.labels, ROWS - 1, &out.clusters,
                                  NULL),
          FINCH_BUFFER_TOO_SMALL, "labels has room for 59 elements and takes 60");
    FAULT(finch_hierarchy_suggest(hierarchy, samples, NULL, out.labels, ROWS,
                                  (size_t *)((char *)&out.clusters + 1), NULL),
          FINCH_MISALIGNED, "clusters");
    FAULT(finch_hierarchy_suggest(hierarchy, samples, NULL, out.labels, ROWS, &out.clusters,
                                  (size_t *)((char *)&out.partition + 1)),
          FINCH_MISALIGNED, "partition");
    FAULT(finch_hierarchy_suggest(hierarchy, &fewer, NULL, out.labels, ROWS, NULL, NULL),
          FINCH_SAMPLE_COUNT, "expected 60 samples and found 59");
    FAULT(finch_hierarchy_suggest(hierarchy, &narrow, NULL, out.labels, ROWS, NULL, NULL),
          FINCH_FEATURE_COUNT, "expected 2 features and found 1");
    FAULT(finch_hierarchy_suggestion(hierarchy, samples, NULL, NULL, &out.clusters, NULL),
          FINCH_NULL_POINTER, "dendrogram is NULL");
    FAULT(finch_hierarchy_suggestion(hierarchy, &fewer, NULL, &out.dendrogram, &out.clusters, NULL),
          FINCH_SAMPLE_COUNT, "found 59");
    values[7][1] = NAN;
    FAULT(finch_hierarchy_suggestion(hierarchy, samples, NULL, &out.dendrogram, NULL, NULL),
          FINCH_NON_FINITE, "row 7, column 1");
    values[7][1] = values[6][1] + 0.25;
    options.progress = stop;
    FAULT(finch_hierarchy_suggest(hierarchy, samples, &options, out.labels, ROWS, NULL, NULL),
          FINCH_CANCELLED, "stopped");
    FAULT(finch_hierarchy_suggestion(hierarchy, samples, &options, &out.dendrogram, NULL,
                                     &out.partition),
          FINCH_CANCELLED, "stopped");
}

/* Five Gaussians of 300 samples each in 64 dimensions, where noise hides which samples are near: means are
 * taken. */
static void the_linkage_is_told(void) {
    enum { MANY = 1500, WIDE = 64 };
    double (*rows)[WIDE] = malloc(MANY * sizeof *rows), centers[5][WIDE];
    int32_t *labels[2];
    uint64_t state = 5;
    for (size_t i = 0; i < (MANY + 5) * WIDE; i++) {
        double normal = -6;
        for (int j = 0; j < 12; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            normal += (double)(state >> 11) / 9007199254740992.0;
        }
        if (i < 5 * WIDE) {
            centers[i / WIDE][i % WIDE] = 4 / sqrt(2 * WIDE) * normal;
        } else {
            size_t row = i / WIDE - 5;
            rows[row][i % WIDE] = centers[row % 5][i % WIDE] + normal;
        }
    }
    finch_matrix samples = finch_matrix_row_major(rows, FINCH_F64, MANY, WIDE);
    finch_hierarchy *hierarchy = NULL;
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.refinable = 1;
    OK(finch_cluster(&samples, &options, &hierarchy));
    for (int i = 0; i < 2; i++) {
        labels[i] = malloc(MANY * sizeof *labels[i]);
        finch_refined refined = {.size = sizeof refined, .labels = labels[i], .capacity = MANY};
        options.linkage = i == 0 ? FINCH_LINKAGE_AUTO : FINCH_LINKAGE_MEANS;
        OK(finch_hierarchy_refine_into(hierarchy, &samples, 5, NULL, &options, &refined));
        CHECK(refined.linkage == FINCH_LINKAGE_MEANS);
    }
    CHECK(memcmp(labels[0], labels[1], MANY * sizeof *labels[0]) == 0);
    finch_refined nested = {.size = sizeof nested, .labels = labels[1], .capacity = MANY};
    options.linkage = FINCH_LINKAGE_AUTO;
    options.nested = 1;
    OK(finch_hierarchy_refine_into(hierarchy, &samples, 5, NULL, &options, &nested));
    CHECK(nested.linkage == FINCH_LINKAGE_NEIGHBOR);
    finch_hierarchy_free(hierarchy);
    free(labels[0]);
    free(labels[1]);
    free(rows);
}

static void dendrograms(const finch_hierarchy *hierarchy, const finch_matrix *samples) {
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    size_t start = finch_hierarchy_cluster_count(hierarchy, 0);
    finch_dendrogram *dendrogram = NULL;
    options.nested = 1;
    for (options.linkage = FINCH_LINKAGE_CENTROID; options.linkage <= FINCH_LINKAGE_AUTO;
         options.linkage++) {
        options.from = 0;
        OK(finch_hierarchy_dendrogram(hierarchy, samples, &options, 2, &dendrogram));
        CHECK(finch_dendrogram_sample_count(dendrogram) == ROWS);
        CHECK(finch_dendrogram_start_count(dendrogram) == start);
        CHECK(finch_dendrogram_merge_count(dendrogram) == start - 2);
        CHECK(finch_dendrogram_score_count(dendrogram) == 0);
        CHECK(finch_dendrogram_best_count(dendrogram) == 0);
        CHECK(finch_dendrogram_rival_count(dendrogram) == 0);
        CHECK(finch_dendrogram_suggested(dendrogram) == NULL);
        const int32_t *merges = finch_dendrogram_merges(dendrogram);
        const double *heights = finch_dendrogram_heights(dendrogram);
        for (size_t i = 0; i < start - 2; i++) {
            CHECK(0 <= merges[2 * i] && merges[2 * i] < merges[2 * i + 1]);
            CHECK((size_t)merges[2 * i + 1] < start && heights[i] >= 0);
        }
        for (size_t clusters = 2; clusters <= start; clusters++) {
            int32_t cut[ROWS], refined[ROWS];
            OK(finch_dendrogram_cut(dendrogram, clusters, cut, ROWS));
            OK(finch_hierarchy_refine(hierarchy, samples, clusters, &options, refined, ROWS));
            CHECK(memcmp(cut, refined, sizeof cut) == 0);
        }
        FAULT(finch_dendrogram_cut(dendrogram, 1, out.labels, ROWS), FINCH_NO_SUCH_CUT,
              "cannot be cut into 1 clusters");
        FAULT(finch_dendrogram_cut(dendrogram, start + 1, out.labels, ROWS), FINCH_NO_SUCH_CUT,
              "to 2");
        FAULT(finch_dendrogram_cut(dendrogram, 0, out.labels, ROWS), FINCH_NO_SUCH_CUT, "into 0");
        FAULT(finch_dendrogram_cut(dendrogram, SIZE_MAX, out.labels, ROWS), FINCH_NO_SUCH_CUT,
              "cannot");
        FAULT(finch_dendrogram_cut(dendrogram, 2, out.labels, ROWS - 1), FINCH_BUFFER_TOO_SMALL,
              "labels");
        FAULT(finch_dendrogram_cut(dendrogram, 2, NULL, ROWS), FINCH_NULL_POINTER, "labels");
        finch_dendrogram_free(dendrogram);
    }
    options.linkage = FINCH_LINKAGE_NEIGHBOR;
    FAULT(finch_dendrogram_cut(NULL, 2, out.labels, ROWS), FINCH_NULL_POINTER, "dendrogram");
    FAULT(finch_hierarchy_dendrogram(NULL, samples, NULL, 1, &out.dendrogram), FINCH_NULL_POINTER,
          "hierarchy");
    FAULT(finch_hierarchy_dendrogram(hierarchy, NULL, NULL, 1, &out.dendrogram),
          FINCH_NULL_POINTER, "samples");
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, NULL, 1, NULL), FINCH_NULL_POINTER,
          "dendrogram");
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, NULL, 0, &out.dendrogram),
          FINCH_CLUSTER_COUNT, "ask for 1 to 60");
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, NULL, ROWS + 1, &out.dendrogram),
          FINCH_CLUSTER_COUNT, "61 clusters");
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, NULL, ROWS, &out.dendrogram),
          FINCH_TOO_COARSE, "partition 0");
    options.from = 99;
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, &options, 1, &out.dendrogram),
          FINCH_NO_SUCH_PARTITION, "no partition 99");
    options.from = 0;
    options.linkage = FINCH_LINKAGE_AUTO + 1;
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, &options, 1, &out.dendrogram),
          FINCH_INVALID_VALUE, "finch_linkage");
    options.linkage = FINCH_LINKAGE_WARD;
    options.progress = stop;
    FAULT(finch_hierarchy_dendrogram(hierarchy, samples, &options, 1, &out.dendrogram),
          FINCH_CANCELLED, "stopped");

    CHECK(finch_dendrogram_sample_count(NULL) == 0 && finch_dendrogram_merge_count(NULL) == 0);
    CHECK(finch_dendrogram_start_count(NULL) == 0 && finch_dendrogram_score_count(NULL) == 0);
    CHECK(finch_dendrogram_suggested(NULL) == NULL && finch_dendrogram_best(NULL) == NULL);
    CHECK(finch_dendrogram_best_count(NULL) == 0 && finch_dendrogram_rival_count(NULL) == 0);
    CHECK(finch_dendrogram_rivals(NULL) == NULL && finch_dendrogram_ambiguity(NULL) == NULL);
    CHECK(finch_dendrogram_merges(NULL) == NULL && finch_dendrogram_heights(NULL) == NULL);
    CHECK(finch_dendrogram_scores(NULL) == NULL);
    CHECK(finch_dendrogram_clustered(NULL) == -1 && finch_dendrogram_has_clusters(NULL) == -1);
    finch_dendrogram_free(NULL);
}

/* Rows of SciPy's linkage matrix: nodes that have no parent yet, heights that do not fall, counts. */
static void check_linkage(const finch_tree *tree, size_t leaves) {
    CHECK(finch_tree_leaf_count(tree) == leaves);
    double (*rows)[4] = malloc(sizeof *rows * leaves);
    double *counts = calloc(2 * leaves, sizeof *counts);
    size_t *depths = calloc(2 * leaves, sizeof *depths);
    CHECK(rows != NULL && counts != NULL && depths != NULL);
    OK(finch_tree_linkage(tree, rows[0], 4 * (leaves - 1)));
    for (size_t i = 0; i < leaves; i++) {
        counts[i] = 1;
    }
    for (size_t i = 0; i + 1 < leaves; i++) {
        size_t a = (size_t)rows[i][0], b = (size_t)rows[i][1];
        CHECK(a < b && b < leaves + i && counts[a] > 0 && counts[b] > 0);
        CHECK(rows[i][3] == counts[a] + counts[b]);
        counts[leaves + i] = rows[i][3];
        counts[a] = counts[b] = 0;
        depths[leaves + i] = 1 + (depths[a] > depths[b] ? depths[a] : depths[b]);
        CHECK(isfinite(rows[i][2]) && rows[i][2] >= (i == 0 ? 0 : rows[i - 1][2]));
    }
    CHECK(counts[2 * leaves - 2] == (double)leaves);
    CHECK(finch_tree_depth(tree) == depths[2 * leaves - 2]);
    free(depths);
    free(rows);
    free(counts);
}

static void texts(void) {
    static double few[LEAVES][1] = {{0}, {1}, {10}, {12}};
    finch_matrix samples = finch_matrix_row_major(few, FINCH_F64, LEAVES, 1);
    finch_hierarchy *hierarchy = NULL;
    finch_tree *tree = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    OK(finch_tree_of_hierarchy(hierarchy, &tree));
    finch_hierarchy_free(hierarchy);

    const char *text = NULL;
    size_t length = 0;
    OK(finch_tree_text(tree, FINCH_TREE_NEWICK, NULL, 0, &text, &length));
    CHECK(strcmp(text, "((0:0.5,1:0.5):1.5,(2:1,3:1):1);") == 0 && strlen(text) == length);
    const char *names[LEAVES] = {"it's", "\"b\"\\", "", "\xc3\xa4"};
    OK(finch_tree_text(tree, FINCH_TREE_NEWICK, names, LEAVES, &text, NULL));
    CHECK(strcmp(text, "(('it''s':0.5,'\"b\"\\':0.5):1.5,(:1,'\xc3\xa4':1):1);") == 0);
    OK(finch_tree_text(tree, FINCH_TREE_JSON, names, LEAVES, &text, &length));
    CHECK(strstr(text, "{\"name\":\"\\\"b\\\"\\\\\",\"height\":0,\"count\":1}") != NULL);
    OK(finch_tree_text(tree, FINCH_TREE_DOT, names, LEAVES, &text, &length));
    CHECK(strncmp(text, "graph tree {", 12) == 0 && strstr(text, "6 -- 4; 6 -- 5;") != NULL);
    check_linkage(tree, LEAVES);

    const char *missing[LEAVES] = {"a", "b", NULL, "d"}, *latin[LEAVES] = {"a", "b\xe4", "c", "d"};
    FAULT(finch_tree_text(NULL, FINCH_TREE_DOT, NULL, 0, &out.text, &out.length),
          FINCH_NULL_POINTER, "tree is NULL");
    FAULT(finch_tree_text(tree, 3, NULL, 0, &out.text, &out.length), FINCH_INVALID_VALUE,
          "finch_tree_format");
    FAULT(finch_tree_text(tree, -1, NULL, 0, &out.text, &out.length), FINCH_INVALID_VALUE,
          "-1 is no tree format");
    FAULT(finch_tree_text(tree, FINCH_TREE_JSON, names, LEAVES - 1, &out.text, &out.length),
          FINCH_SAMPLE_COUNT, "3 names were given for the 4 leaves");
    FAULT(finch_tree_text(tree, FINCH_TREE_JSON, names, SIZE_MAX, &out.text, &out.length),
          FINCH_SAMPLE_COUNT, "4 leaves");
    FAULT(finch_tree_text(tree, FINCH_TREE_JSON, (const char *const *)((const char *)names + 1),
                          LEAVES, &out.text, &out.length),
          FINCH_MISALIGNED, "names");
    FAULT(finch_tree_text(tree, FINCH_TREE_JSON, missing, LEAVES, &out.text, &out.length),
          FINCH_NULL_POINTER, "names[2] is NULL");
    FAULT(finch_tree_text(tree, FINCH_TREE_NEWICK, latin, LEAVES, &out.text, &out.length),
          FINCH_INVALID_VALUE, "names[1] is not UTF-8");
    FAULT(finch_tree_text(tree, FINCH_TREE_DOT, NULL, 0, NULL, &out.length), FINCH_NULL_POINTER,
          "text");
    FAULT(finch_tree_text(tree, FINCH_TREE_DOT, NULL, 0, &out.text,
                          (size_t *)((char *)&out.length + 1)),
          FINCH_MISALIGNED, "length");
    /* What was lent out before the faults is still there. */
    CHECK(strlen(text) == length);
    finch_tree_free(tree);

    /* A single sample: a leaf that is the root. */
    samples.rows = 1;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    OK(finch_tree_of_hierarchy(hierarchy, &tree));
    CHECK(finch_tree_leaf_count(tree) == 1);
    OK(finch_tree_linkage(tree, NULL, 0));
    OK(finch_tree_text(tree, FINCH_TREE_NEWICK, NULL, 0, &text, &length));
    CHECK(strcmp(text, "0;") == 0 && length == 2);
    finch_tree_free(tree);
    finch_hierarchy_free(hierarchy);
}

static void trees(const finch_hierarchy *hierarchy, const finch_matrix *samples) {
    finch_dendrogram *dendrogram = NULL;
    finch_tree *tree = NULL;
    OK(finch_tree_of_hierarchy(hierarchy, &tree));
    check_linkage(tree, ROWS);
    FAULT(finch_tree_linkage(tree, out.numbers, 4 * (ROWS - 1) - 1), FINCH_BUFFER_TOO_SMALL,
          "linkage has room for 235 elements and takes 236");
    FAULT(finch_tree_linkage(tree, NULL, 4 * ROWS), FINCH_NULL_POINTER, "linkage");
    FAULT(finch_tree_linkage(tree, (double *)((char *)out.numbers + 1), 4 * ROWS),
          FINCH_MISALIGNED, "linkage");
    FAULT(finch_tree_linkage(NULL, out.numbers, 4 * ROWS), FINCH_NULL_POINTER, "tree");
    finch_tree_free(tree);

    OK(finch_hierarchy_dendrogram(hierarchy, samples, NULL, 1, &dendrogram));
    size_t start = finch_dendrogram_start_count(dendrogram);
    OK(finch_tree_of_dendrogram(dendrogram, hierarchy, &tree));
    check_linkage(tree, ROWS);
    finch_tree_free(tree);
    OK(finch_tree_of_dendrogram(dendrogram, NULL, &tree));
    check_linkage(tree, start);
    finch_tree_free(tree);

    finch_hierarchy *smaller = NULL, *other = NULL;
    finch_matrix fewer = *samples;
    fewer.rows--;
    OK(finch_cluster(&fewer, NULL, &smaller));
    int32_t given[ROWS];
    for (int32_t i = 0; i < ROWS; i++) {
        given[i] = i == 0 ? ROWS - 1 : 0;
    }
    OK(finch_cluster_given(samples, given, ROWS, NULL, &other));
    FAULT(finch_tree_of_hierarchy(NULL, &out.tree), FINCH_NULL_POINTER, "hierarchy");
    FAULT(finch_tree_of_hierarchy(hierarchy, NULL), FINCH_NULL_POINTER, "tree");
    FAULT(finch_tree_of_dendrogram(NULL, hierarchy, &out.tree), FINCH_NULL_POINTER, "dendrogram");
    FAULT(finch_tree_of_dendrogram(dendrogram, hierarchy, NULL), FINCH_NULL_POINTER, "tree");
    FAULT(finch_tree_of_dendrogram(dendrogram, smaller, &out.tree), FINCH_SAMPLE_COUNT,
          "expected 60 samples and found 59");
    FAULT(finch_tree_of_dendrogram(dendrogram, other, &out.tree), FINCH_NO_SUCH_PARTITION,
          "that the dendrogram was made from");
    CHECK(finch_tree_leaf_count(NULL) == 0 && finch_tree_depth(NULL) == 0);
    finch_tree_free(NULL);
    finch_hierarchy_free(smaller);
    finch_hierarchy_free(other);
    finch_dendrogram_free(dendrogram);
}

static void neighbors(const finch_hierarchy *hierarchy, const finch_matrix *samples) {
    int32_t index[ROWS * K];
    double distance[ROWS * K];
    OK(finch_nearest_neighbors(samples, K, NULL, index, distance, ROWS * K));
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(index[K * i] == finch_hierarchy_first_neighbors(hierarchy)[i]);
        CHECK(distance[K * i] == finch_hierarchy_distances(hierarchy)[i]);
        for (size_t j = 1; j < K; j++) {
            CHECK(distance[K * i + j] >= distance[K * i + j - 1]);
            CHECK(index[K * i + j] != (int32_t)i && index[K * i + j] != index[K * i + j - 1]);
        }
    }
    int32_t alone[ROWS * K];
    OK(finch_nearest_neighbors(samples, K, NULL, alone, NULL, ROWS * K));
    CHECK(memcmp(alone, index, sizeof alone) == 0);

    finch_matrix single = *samples;
    single.rows = 1;
    FAULT(finch_nearest_neighbors(samples, 0, NULL, out.labels, out.numbers, ROWS * K),
          FINCH_INVALID_VALUE, "ask for 1 to 59");
    FAULT(finch_nearest_neighbors(samples, ROWS, NULL, out.labels, out.numbers, ROWS * K),
          FINCH_INVALID_VALUE, "60 nearest");
    FAULT(finch_nearest_neighbors(samples, SIZE_MAX, NULL, out.labels, out.numbers, ROWS * K),
          FINCH_INVALID_VALUE, "nearest");
    FAULT(finch_nearest_neighbors(&single, 1, NULL, out.labels, out.numbers, ROWS * K),
          FINCH_INVALID_VALUE, "single sample");
    FAULT(finch_nearest_neighbors(samples, K, NULL, out.labels, out.numbers, ROWS * K - 1),
          FINCH_BUFFER_TOO_SMALL, "index has room for 239 elements and takes 240");
    FAULT(finch_nearest_neighbors(samples, K, NULL, NULL, out.numbers, ROWS * K),
          FINCH_NULL_POINTER, "index");
    FAULT(finch_nearest_neighbors(samples, K, NULL, out.labels,
                                  (double *)((char *)out.numbers + 1), ROWS * K),
          FINCH_MISALIGNED, "distance");
    FAULT(finch_nearest_neighbors(NULL, K, NULL, out.labels, out.numbers, ROWS * K),
          FINCH_NULL_POINTER, "samples");
    finch_options options;
    OK(finch_options_init(&options, sizeof options));
    options.metric = 9;
    FAULT(finch_nearest_neighbors(samples, K, &options, out.labels, out.numbers, ROWS * K),
          FINCH_INVALID_VALUE, "finch_metric");
    OK(finch_options_init(&options, sizeof options));
    options.progress = stop;
    FAULT(finch_nearest_neighbors(samples, K, &options, out.labels, out.numbers, ROWS * K),
          FINCH_CANCELLED, "stopped");
}

int main(void) {
    memset(&untouched, 0x55, sizeof untouched);
    /* Three clouds. */
    for (int i = 0; i < ROWS; i++) {
        values[i][0] = i % 3 * 20 + sin(7.0 * i);
        values[i][1] = i == 7 ? values[6][1] + 0.25 : sin(11.0 * i + 3);
    }
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, ROWS, COLUMNS);
    finch_hierarchy *hierarchy = NULL;
    OK(finch_cluster(&samples, NULL, &hierarchy));
    suggestions(hierarchy, &samples);
    the_linkage_is_told();
    dendrograms(hierarchy, &samples);
    trees(hierarchy, &samples);
    texts();
    neighbors(hierarchy, &samples);
    finch_hierarchy_free(hierarchy);
    printf("%d\n", cases);
    return 0;
}
