/* Six samples in three clusters: fails unless the library finds them. */
#include <finch.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    double x[6][2] = {{0, 0}, {0, 1}, {9, 9}, {9, 8}, {5, 0}, {5, 1}};
    const int32_t expected[6] = {0, 0, 1, 1, 2, 2};
    finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, 6, 2);
    finch_hierarchy *hierarchy;
    if (finch_cluster(&samples, NULL, &hierarchy) != FINCH_OK) {
        fprintf(stderr, "%s\n", finch_last_error_message());
        return 1;
    }
    int differs = memcmp(finch_hierarchy_labels(hierarchy, 0), expected, sizeof expected);
    finch_hierarchy_free(hierarchy);
    puts(differs ? "other clusters than expected" : "3 clusters");
    return differs != 0;
}
