/* Clusters the rows of a table: a header, then lines of a name and numbers, separated by commas.
 *
 *     cc cluster.c $(pkg-config --cflags --libs finch) -o cluster
 *     ./cluster ../data/planets.csv
 */
#include <finch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1000, MOST_COLUMNS = 100, LONGEST_NAME = 32 };

static char names[MOST_ROWS][LONGEST_NAME];
static double values[MOST_ROWS][MOST_COLUMNS];

/* Reads a name and numbers into a row of the table, and returns how many numbers there were. */
static size_t read_row(char *line, size_t row) {
    size_t columns = 0;
    char *end = line + strcspn(line, ",\r\n");
    snprintf(names[row], LONGEST_NAME, "%.*s", (int)(end - line), line);
    while (*end == ',' && columns < MOST_COLUMNS) {
        values[row][columns++] = strtod(end + 1, &end);
    }
    return columns;
}

/* Reads the table, and returns its number of rows, or 0 if it is none. */
static size_t read_table(const char *path, size_t *columns) {
    FILE *file = fopen(path, "r");
    char line[4096];
    size_t rows = 0;
    if (file == NULL) {
        perror(path);
        return 0;
    }
    if (fgets(line, sizeof line, file) != NULL) {
        while (rows < MOST_ROWS && fgets(line, sizeof line, file) != NULL) {
            size_t found = read_row(line, rows);
            if (rows > 0 && found != *columns) {
                break;
            }
            *columns = found;
            rows++;
        }
    }
    if (rows == 0 || !feof(file)) {
        fprintf(stderr, "%s: not a table of at most %d rows, all with the same columns\n", path,
                MOST_ROWS);
        rows = 0;
    }
    fclose(file);
    return rows;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/data/planets.csv";
    size_t columns = 0;
    size_t rows = read_table(path, &columns);
    if (rows == 0) {
        return 1;
    }

    /* The rows are wider in memory than they are filled; the stride says so. */
    finch_matrix samples = finch_matrix_row_major(values, FINCH_F64, rows, columns);
    samples.row_stride = MOST_COLUMNS;
    finch_hierarchy *hierarchy;
    if (finch_cluster(&samples, NULL, &hierarchy) != FINCH_OK) {
        fprintf(stderr, "%s\n", finch_last_error_message());
        return 1;
    }

    const int32_t *labels = finch_hierarchy_labels(hierarchy, 0);
    size_t clusters = finch_hierarchy_cluster_count(hierarchy, 0);
    printf("%zu clusters\n", clusters);
    for (size_t cluster = 0; cluster < clusters; cluster++) {
        const char *separator = "  ";
        for (size_t row = 0; row < rows; row++) {
            if (labels[row] == (int32_t)cluster) {
                printf("%s%s", separator, names[row]);
                separator = ", ";
            }
        }
        printf("\n");
    }
    finch_hierarchy_free(hierarchy);
    return 0;
}
