/* Sparse data: the host has compressed columns, the library takes compressed rows. */
#include "finch_mex.h"

/* The values of a sparse matrix row by row, in memory that the host frees after the call. */
finch_matrix mex_read_sparse(const mxArray *data) {
    size_t rows = mxGetM(data), columns = mxGetN(data);
    const mwIndex *column_starts = mxGetJc(data), *row_of = mxGetIr(data);
    /* Of doubles or of logicals. */
    const double *numbers = mxIsLogical(data) ? NULL : mxGetData(data);
    const mxLogical *logicals = mxIsLogical(data) ? mxGetLogicals(data) : NULL;
    size_t count = (size_t)column_starts[columns];
    finch_csr *csr = mxMalloc(sizeof *csr);
    int64_t *starts = mxCalloc(rows + 2, sizeof *starts);
    int64_t *column_of = mxMalloc((count + 1) * sizeof *column_of);
    double *values = mxMalloc((count + 1) * sizeof *values);
    /* starts[i + 2] first counts the values of row i. Then starts[i + 1] is where row i starts, and each
     * value of the row moves it on, until it is where the row ends. */
    for (size_t at = 0; at < count; at++) {
        starts[row_of[at] + 2]++;
    }
    for (size_t i = 2; i < rows + 2; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t column = 0; column < columns; column++) {
        for (mwIndex at = column_starts[column]; at < column_starts[column + 1]; at++) {
            int64_t to = starts[row_of[at] + 1]++;
            column_of[to] = (int64_t)column;
            values[to] = numbers != NULL ? numbers[at] : logicals[at];
        }
    }
    *csr = (finch_csr){
        .size = sizeof *csr,
        .starts = starts,
        .columns = column_of,
        .values = values,
        .value_count = count,
        .value_element = FINCH_F64,
        .index_bits = 64,
    };
    return finch_matrix_csr(csr, rows, columns);
}

/* Sparse rows of doubles that the library lends, as the host has them. */
mxArray *mex_sparse(const finch_matrix *rows) {
    const finch_csr *csr = rows->data;
    const int32_t *short_starts = csr->starts, *short_columns = csr->columns;
    const int64_t *long_starts = csr->starts, *long_columns = csr->columns;
    bool is_short = csr->index_bits == 32;
    const double *from = csr->values;
    size_t count = csr->value_count;
    mxArray *made = mxCreateSparse(rows->rows, rows->columns, count > 0 ? count : 1, mxREAL);
    mwIndex *starts = mxGetJc(made), *row_of = mxGetIr(made);
    double *values = mxGetData(made);
    mwIndex *next = mxCalloc(rows->columns + 1, sizeof *next);
    for (size_t at = 0; at < count; at++) {
        next[(is_short ? short_columns[at] : long_columns[at]) + 1]++;
    }
    for (size_t column = 0; column < rows->columns; column++) {
        next[column + 1] += next[column];
        starts[column] = next[column];
    }
    starts[rows->columns] = count;
    for (size_t row = 0, at = 0; row < rows->rows; row++) {
        size_t end = (size_t)(is_short ? short_starts[row + 1] : long_starts[row + 1]);
        for (; at < end; at++) {
            mwIndex to = next[is_short ? short_columns[at] : long_columns[at]]++;
            row_of[to] = row;
            values[to] = from[at];
        }
    }
    mxFree(next);
    return made;
}

/* Finds a value of rows that mex_read_sparse made, by its number. */
void mex_sparse_place(const finch_matrix *samples, size_t at, size_t *row, size_t *column) {
    const finch_csr *csr = samples->data;
    const int64_t *starts = csr->starts;
    *row = 0;
    while (starts[*row + 1] <= (int64_t)at) {
        ++*row;
    }
    *column = (size_t)((const int64_t *)csr->columns)[at];
}
