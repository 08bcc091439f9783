/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/matlab.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/entries.h"
#include "data/libraries/matio_library.h"

enum { MOST_ROWS = 100000000 };

struct matlab {
    struct matio_library matio;
    const char *file;
    char *label; /* FILE:VARIABLE, for messages */
    const struct matrix_expectation *expectation;
    struct masing_error *error;
};

/* ---- whether all of a file is there ---- */

static enum masing_status check_length(const char *file, struct masing_error *error)
{
    errno = 0;
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        return masing_error_set(error, errno == ENOMEM ? MASING_NO_MEMORY : MASING_IO,
                                "%.400s: cannot be read", file);
    }
    bool is_good = matio_file_is_whole(stream);
    fclose(stream);
    return is_good
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: cannot be read: the file is damaged or cut short",
                                  file);
}

/* ---- which variable ---- */

static bool is_matrix(const matvar_t *variable)
{
    return variable->name && variable->rank == 2 &&
           (variable->class_type == MAT_C_SPARSE || variable->class_type == MAT_C_DOUBLE ||
            (variable->class_type >= MAT_C_SINGLE && variable->class_type <= MAT_C_UINT64));
}

/* Those that are none, and how many there are, go into the list. */
static int list_matrices(const struct matlab *matlab, mat_t *mat, char *list, size_t size)
{
    int n = 0;
    size_t used = 0;
    matvar_t *variable;
    list[0] = 0;
    while ((variable = matlab->matio.VarReadNextInfo(mat)) != NULL) {
        if (is_matrix(variable)) {
            if (used < size) {
                used += (size_t)snprintf(list + used, size - used, "%s%.60s", n ? ", " : "",
                                         variable->name);
            }
            n++;
        }
        matlab->matio.VarFree(variable);
    }
    matlab->matio.Rewind(mat);
    return n;
}

static enum masing_status find_variable(const struct matlab *matlab, mat_t *mat,
                                        const char *name, matvar_t **variable)
{
    char list[300];
    int n = list_matrices(matlab, mat, list, sizeof list);
    if (!name && n != 1) {
        return masing_error_set(
            matlab->error, MASING_INVALID, "%.400s: %s%s%s", matlab->file,
            n ? "has more than one matrix: " : "has no matrix, or is damaged", n ? list : "",
            n ? "; expected the file's name with :VARIABLE behind it" : "");
    }
    *variable = matlab->matio.VarReadInfo(mat, name ? name : list);
    return *variable ? MASING_OK
                     : masing_error_set(matlab->error, MASING_INVALID,
                                        "%.400s: has no variable '%.60s'%s%s", matlab->file,
                                        name ? name : list, n ? "; it has " : "", list);
}

/* ---- its values ---- */

static enum masing_status check_size(const struct matlab *matlab, size_t n_rows,
                                     size_t n_columns)
{
    const struct matrix_expectation *expected = matlab->expectation;
    char size[60] = "";
    bool is_wrong = (expected->n_rows && n_rows != (size_t)expected->n_rows) ||
                    (expected->n_columns && n_columns != (size_t)expected->n_columns);
    if (!is_wrong) {
        return MASING_OK;
    }
    if (expected->n_columns) {
        snprintf(size, sizeof size, "%d x %d", expected->n_rows, expected->n_columns);
    } else {
        snprintf(size, sizeof size, "%d rows", expected->n_rows);
    }
    return masing_error_set(matlab->error, MASING_INVALID,
                            "%.400s: the matrix is %zu x %zu; expected %s, %s", matlab->label,
                            n_rows, n_columns, size, expected->rows_are);
}

static enum masing_status check_variable(const struct matlab *matlab, const matvar_t *variable,
                                         bool stays_sparse)
{
    size_t n_rows = is_matrix(variable) ? variable->dims[0] : 0;
    size_t n_columns = is_matrix(variable) ? variable->dims[1] : 0;
    if (n_rows < 1 || n_columns < 1 || n_rows > MOST_ROWS || n_columns > MOST_ROWS) {
        return masing_error_set(matlab->error, MASING_INVALID,
                                "%.400s: expected a matrix of numbers", matlab->label);
    }
    if (variable->isComplex) {
        return masing_error_set(matlab->error, MASING_INVALID,
                                "%.400s: a real matrix is expected, this one is complex",
                                matlab->label);
    }
    NEED(check_size(matlab, n_rows, n_columns));
    return stays_sparse || n_rows * n_columns <= PLACED_MATRIX_LIMIT
               ? MASING_OK
               : masing_error_set(matlab->error, MASING_INVALID,
                                  "%.400s: the matrix is %zu x %zu; at most 25 million "
                                  "entries are taken, or a sparse matrix",
                                  matlab->label, n_rows, n_columns);
}

/* A value of any type of numbers; false: of none. */
static bool take(enum matio_types type, const void *data, size_t i, double *value)
{
    switch (type) {
    case MAT_T_DOUBLE:
        *value = ((const double *)data)[i];
        return true;
    case MAT_T_SINGLE:
        *value = (double)((const float *)data)[i];
        return true;
    case MAT_T_INT8:
        *value = (double)((const mat_int8_t *)data)[i];
        return true;
    case MAT_T_UINT8:
        *value = (double)((const mat_uint8_t *)data)[i];
        return true;
    case MAT_T_INT16:
        *value = (double)((const mat_int16_t *)data)[i];
        return true;
    case MAT_T_UINT16:
        *value = (double)((const mat_uint16_t *)data)[i];
        return true;
    case MAT_T_INT32:
        *value = (double)((const mat_int32_t *)data)[i];
        return true;
    case MAT_T_UINT32:
        *value = (double)((const mat_uint32_t *)data)[i];
        return true;
    case MAT_T_INT64:
        *value = (double)((const mat_int64_t *)data)[i];
        return true;
    case MAT_T_UINT64:
        *value = (double)((const mat_uint64_t *)data)[i];
        return true;
    default:
        return false;
    }
}

static enum masing_status take_entry(const struct matlab *matlab, const matvar_t *variable,
                                     const void *data, size_t at, size_t row, size_t column,
                                     double *value)
{
    bool is_number = take(variable->data_type, data, at, value);
    return is_number && isfinite(*value)
               ? MASING_OK
               : masing_error_set(matlab->error, MASING_INVALID,
                                  "%.400s: entry (%zu, %zu) is %s", matlab->label, row + 1,
                                  column + 1,
                                  is_number ? "not a finite number" : "of a type not known");
}

static enum masing_status take_full(const struct matlab *matlab, const matvar_t *variable,
                                    struct placed_matrix *dense)
{
    size_t n_rows = variable->dims[0], n = n_rows * variable->dims[1];
    if (!variable->data || variable->nbytes / n < (size_t)variable->data_size ||
        variable->data_size < 1) {
        return masing_error_set(matlab->error, MASING_INVALID,
                                "%.400s: cannot be read: the file is damaged or cut short",
                                matlab->label);
    }
    for (size_t i = 0; i < n; i++) {
        NEED(take_entry(matlab, variable, variable->data, i, i % n_rows, i / n_rows,
                        &dense->real[i]));
    }
    return MASING_OK;
}

/* Whether the columns of a sparse matrix are what they should be. */
static bool is_sound(const matvar_t *variable)
{
    const mat_sparse_t *sparse = variable->data;
    size_t n_columns = variable->dims[1];
    bool is_sound = sparse && sparse->jc && sparse->njc == n_columns + 1 && sparse->jc[0] == 0;
    for (size_t j = 0; is_sound && j < n_columns; j++) {
        is_sound = sparse->jc[j] <= sparse->jc[j + 1];
    }
    size_t n = is_sound ? sparse->jc[n_columns] : 0;
    is_sound = is_sound && n <= sparse->nir && n <= sparse->ndata &&
               (n == 0 || (sparse->ir && sparse->data));
    for (size_t e = 0; is_sound && e < n; e++) {
        is_sound = sparse->ir[e] < variable->dims[0];
    }
    return is_sound;
}

/* Into the one or the other */
static enum masing_status take_sparse(const struct matlab *matlab, const matvar_t *variable,
                                      struct placed_matrix *dense, struct entry_list *list)
{
    const mat_sparse_t *sparse = variable->data;
    if (!is_sound(variable)) {
        return masing_error_set(matlab->error, MASING_INVALID,
                                "%.400s: cannot be read: the file is damaged or cut short",
                                matlab->label);
    }
    for (size_t j = 0; j < variable->dims[1]; j++) {
        for (size_t e = sparse->jc[j]; e < sparse->jc[j + 1]; e++) {
            size_t row = sparse->ir[e];
            double value = 0.0;
            NEED(take_entry(matlab, variable, sparse->data, e, row, j, &value));
            if (list) {
                NEED(entry_list_add(list, (int)row, (int)j, value, 0, matlab->error));
            } else {
                dense->real[row + j * variable->dims[0]] = value;
            }
        }
    }
    return MASING_OK;
}

/* Made symmetric, in place */
static enum masing_status finish_dense(const struct matlab *matlab, struct placed_matrix *dense)
{
    return dense->n_rows == dense->n_columns
               ? placed_matrix_symmetrize(dense, matlab->label, matlab->error)
               : masing_error_set(matlab->error, MASING_INVALID,
                                  "%.400s: the matrix is %d x %d, expected a square one",
                                  matlab->label, dense->n_rows, dense->n_columns);
}

static enum masing_status read_data(const struct matlab *matlab, mat_t *mat, matvar_t *variable)
{
    return matlab->matio.VarReadDataAll(mat, variable) == 0
               ? MASING_OK
               : masing_error_set(matlab->error, MASING_INVALID,
                                  "%.400s: cannot be read: the file is damaged or cut short",
                                  matlab->label);
}

static enum masing_status take_matrix(const struct matlab *matlab, mat_t *mat,
                                      matvar_t *variable, struct placed_matrix *dense,
                                      struct masing_sparse *sparse)
{
    enum masing_status status = MASING_OK;
    struct entry_list list = {.file = matlab->label, .triangles = ENTRIES_BOTH};
    bool is_sparse = variable->class_type == MAT_C_SPARSE;
    bool stays_sparse = is_sparse && sparse && variable->rank == 2 &&
                        variable->dims[0] >= MARKET_SPARSE_ROWS &&
                        variable->dims[0] == variable->dims[1];
    TRY(check_variable(matlab, variable, stays_sparse));
    TRY(read_data(matlab, mat, variable));
    int n_rows = (int)variable->dims[0], n_columns = (int)variable->dims[1];
    TRY(stays_sparse ? MASING_OK
                     : placed_matrix_create(n_rows, n_columns, false, dense, matlab->error));
    TRY(is_sparse ? take_sparse(matlab, variable, dense, stays_sparse ? &list : NULL)
                  : take_full(matlab, variable, dense));
    if (stays_sparse) {
        free(list.lines); /* the file has none */
        list.lines = NULL;
        status = entry_list_fold(&list, n_rows, NULL, sparse, matlab->error);
    } else if (sparse) {
        status = finish_dense(matlab, dense);
    }
done:
    entry_list_clear(&list);
    if (status != MASING_OK) {
        placed_matrix_clear(dense);
    }
    return status;
}

enum masing_status matlab_read(const char *file, const char *variable_name,
                               const struct matrix_expectation *expectation,
                               struct placed_matrix *dense, struct masing_sparse *sparse,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct matlab matlab = {.file = file, .expectation = expectation, .error = error};
    matvar_t *variable = NULL;
    *dense = (struct placed_matrix){0};
    NEED(check_length(file, error));
    NEED(matio_library_hold(&matlab.matio, error));
    mat_t *mat = matlab.matio.Open(file, MAT_ACC_RDONLY);
    if (!mat) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%.400s: cannot be read as a file of MATLAB: it is damaged or cut "
                             "short",
                             file));
    }
    TRY(find_variable(&matlab, mat, variable_name, &variable));
    matlab.label = memory_format("%s:%s", file, variable->name ? variable->name : "");
    TRY_ALLOCATED(matlab.label);
    TRY(take_matrix(&matlab, mat, variable, dense, sparse));
done:
    matlab.matio.VarFree(variable);
    if (mat) {
        matlab.matio.Close(mat);
    }
    matio_library_release(&matlab.matio);
    free(matlab.label);
    return status;
}
