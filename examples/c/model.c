/* Keeps a clustering: how many clusters, the clusters of new samples, a tree, and
 * the sample in the middle of each cluster.
 *
 *     cc model.c $(pkg-config --cflags --libs finch) -o model
 *     ./model
 */
#include <finch.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 12, NEW_ROWS = 2 };

static const double x[ROWS][2] = {{0, 0},  {0, 1},  {1, 0},  {1, 1.2}, {8, 8},  {8, 9},
                                  {9, 8}, {9, 9.1}, {20, 0}, {20, 1},  {21, 0}, {21, 1.1}};
static const double new_x[NEW_ROWS][2] = {{0.4, 0.4}, {20.4, 0.6}};

static void check(finch_status status) {
    if (status != FINCH_OK) {
        fprintf(stderr, "%s\n", finch_last_error_message());
        exit(1);
    }
}

static void print(const char *name, const int32_t *numbers, size_t count) {
    printf("%s:", name);
    for (size_t i = 0; i < count; i++) {
        printf(" %d", (int)numbers[i]);
    }
    printf("\n");
}

int main(void) {
    finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, ROWS, 2);
    finch_hierarchy *hierarchy;
    check(finch_cluster(&samples, NULL, &hierarchy));

    int32_t labels[ROWS];
    size_t clusters;
    check(finch_hierarchy_suggest(hierarchy, &samples, NULL, labels, ROWS, &clusters, NULL));
    printf("suggested: %zu\n", clusters);
    print("labels", labels, ROWS);

    /* The suggested clusters are the labelling after the partitions. */
    finch_model *model;
    check(finch_model_new(hierarchy, &samples, 1, labels, 1, NULL, &model));
    size_t suggested = finch_model_labelling_count(model) - 1;
    finch_matrix new_samples = finch_matrix_row_major(new_x, FINCH_F64, NEW_ROWS, 2);
    int32_t predicted[NEW_ROWS];
    check(finch_model_predict(model, &new_samples, suggested, NULL, predicted, NULL, NULL, NULL,
                              NULL, NEW_ROWS, NULL));
    print("predicted", predicted, NEW_ROWS);

    finch_tree *tree;
    const char *newick;
    check(finch_tree_of_hierarchy(hierarchy, &tree));
    check(finch_tree_text(tree, FINCH_TREE_NEWICK, NULL, 0, &newick, NULL));
    printf("newick: %s\n", newick);

    finch_description *description;
    check(finch_describe(&samples, labels, ROWS, NULL, NULL, 0, 1, NULL, &description));
    print("medoids", finch_description_medoids(description), clusters);

    finch_description_free(description);
    finch_tree_free(tree);
    finch_model_free(model);
    finch_hierarchy_free(hierarchy);
    return 0;
}
