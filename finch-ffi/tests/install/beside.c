/* finch and another library of Rust in one program: each has a Rust runtime to itself. */
#include <finch.h>

int32_t other_panics(void);

int main(void) {
    double x[4] = {0, 1, 5, 6};
    finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, 4, 1);
    finch_hierarchy *hierarchy;
    if (finch_cluster(&samples, NULL, &hierarchy) != FINCH_OK) {
        return 1;
    }
    finch_hierarchy_free(hierarchy);
    return other_panics() == 1 ? 0 : 2;
}
