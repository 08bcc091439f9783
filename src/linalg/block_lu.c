/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/block_lu.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "linalg/lu.h"

/* A column with entries in more of the rows than this is wide. */
static const double NARROW = 0.5;
/* Fewer narrow columns, or a block with more of the rows, are not worth it. */
static const double FEWEST_NARROW = 0.125, LARGEST_BLOCK = 0.75;
/* Less than this part of what its column had before is no pivot. */
static const double LEAST_PIVOT = 1e-8;

void block_lu_create(int max_order, struct arena *arena, struct block_lu *lu)
{
    size_t n = (size_t)max_order;
    *lu = (struct block_lu){0};
    lu->matrix = arena_doubles(arena, n * n);
    lu->pivots = arena_array(arena, n, sizeof(int));
    if (max_order < BLOCK_LU_MANY) {
        return;
    }
    lu->packed = arena_doubles(arena, n * n);
    lu->parts = arena_array(arena, n, sizeof *lu->parts);
    int **numbers[] = {&lu->rows,        &lu->columns,     &lu->row_part,
                       &lu->column_part, &lu->part_pivots, &lu->matched};
    double **arrays[] = {&lu->border, &lu->diagonal, &lu->scratch, &lu->rest};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = arena_array(arena, n, sizeof(int));
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_doubles(arena, n);
    }
}

/* ---- the blocks ---- */

static const double *column_of(const struct block_lu *lu, int j)
{
    return lu->matrix + (size_t)j * (size_t)lu->n;
}

/* The first row that a column reaches if it is narrow, else -1. */
static int first_of_narrow(const struct block_lu *lu, int j)
{
    const double *column = column_of(lu, j);
    int count = 0, first = 0;
    for (int i = 0; i < lu->n - 1; i++) {
        count += column[i] != 0.0;
    }
    if (count == 0 || count > NARROW * lu->n) {
        return -1;
    }
    while (column[first] == 0.0) {
        first++;
    }
    return first;
}

static int root_of(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

/* Rows that a narrow column reaches are joined: row_part holds one of them, an earlier one,
 * until the first. column_part holds a narrow column's first row. Returns how many are narrow.
 */
static int join_rows(struct block_lu *lu)
{
    int n_narrow = 0, *root = lu->row_part;
    for (int i = 0; i < lu->n; i++) {
        root[i] = i;
    }
    for (int j = 0; j < lu->n; j++) {
        const double *column = column_of(lu, j);
        int first = lu->column_part[j] = j < lu->n - 1 ? first_of_narrow(lu, j) : -1;
        int one = first >= 0 ? root_of(root, first) : -1;
        for (int i = first; first >= 0 && i < lu->n - 1; i++) {
            if (column[i] != 0.0 && root[i] != one) {
                int other = root_of(root, i);
                root[one > other ? one : other] = one < other ? one : other;
                one = one < other ? one : other;
            }
        }
        n_narrow += first >= 0;
    }
    return n_narrow;
}

/* From one row of each to numbers of parts, and how many rows and columns they have. */
static void number_parts(struct block_lu *lu)
{
    lu->n_parts = 0;
    for (int i = 0; i < lu->n - 1; i++) {
        int before = lu->row_part[i];
        if (before == i) {
            lu->parts[lu->n_parts] = (struct block_lu_part){0};
        }
        lu->row_part[i] = before == i ? lu->n_parts++ : lu->row_part[before];
        lu->parts[lu->row_part[i]].n_rows++;
    }
    for (int j = 0; j < lu->n - 1; j++) {
        if (lu->column_part[j] >= 0) {
            lu->column_part[j] = lu->row_part[lu->column_part[j]];
            lu->parts[lu->column_part[j]].n_columns++;
        }
    }
}

/* Where each part begins; false where one is too large, or singular for its shape. */
static bool lay_out(struct block_lu *lu, int n_narrow)
{
    int row = 0, column = 0;
    double *free = lu->packed;
    lu->n_wide = lu->n - n_narrow;
    for (int p = 0; p < lu->n_parts; p++) {
        struct block_lu_part *part = &lu->parts[p];
        if (part->n_columns > part->n_rows || part->n_rows > LARGEST_BLOCK * lu->n) {
            return false;
        }
        part->row = row;
        part->column = column;
        part->own = free;
        part->wide = part->own + (size_t)part->n_rows * (size_t)part->n_columns;
        free = part->wide + (size_t)part->n_rows * (size_t)lu->n_wide;
        row += part->n_rows;
        column += part->n_columns;
        part->n_rows = part->n_columns = 0;
    }
    return true;
}

static void list_places(struct block_lu *lu, int n_narrow)
{
    for (int i = 0; i < lu->n - 1; i++) {
        struct block_lu_part *part = &lu->parts[lu->row_part[i]];
        lu->rows[part->row + part->n_rows++] = i;
    }
    lu->rows[lu->n - 1] = lu->n - 1;
    for (int j = 0; j < lu->n; j++) {
        int p = lu->column_part[j];
        int place = p < 0 ? n_narrow++ : lu->parts[p].column + lu->parts[p].n_columns++;
        lu->columns[place] = j;
    }
}

static bool find_blocks(struct block_lu *lu)
{
    int n_narrow = join_rows(lu);
    if (n_narrow < FEWEST_NARROW * lu->n) {
        return false;
    }
    number_parts(lu);
    if (!lay_out(lu, n_narrow)) {
        return false;
    }
    list_places(lu, n_narrow);
    return true;
}

/* ---- factors ---- */

/* to [n_rows * n] = so many columns from a place on in a part's rows */
static void copy_columns(const struct block_lu *lu, const struct block_lu_part *part, int place,
                         int n, double *to)
{
    const int *rows = lu->rows + part->row;
    bool is_run = rows[part->n_rows - 1] - rows[0] == part->n_rows - 1;
    for (int k = 0; k < n; k++, to += part->n_rows) {
        const double *column = column_of(lu, lu->columns[place + k]);
        if (is_run) {
            memcpy(to, column + rows[0], (size_t)part->n_rows * sizeof *to);
        }
        for (int i = 0; !is_run && i < part->n_rows; i++) {
            to[i] = column[rows[i]];
        }
    }
}

/* The own columns of a part; false where it is singular, or nearly. */
static bool factor_own(struct block_lu *lu, const struct block_lu_part *part)
{
    int n_rows = part->n_rows, n = part->n_columns, *pivots = lu->part_pivots + part->row;
    copy_columns(lu, part, part->column, n, part->own);
    for (int k = 0; k < n; k++) {
        const double *column = part->own + (size_t)k * (size_t)n_rows;
        lu->scratch[k] = fabs(column[cblas_idamax(n_rows, column, 1)]);
    }
    if (n > 0 && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n_rows, n, part->own, n_rows, pivots)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        double pivot = part->own[(size_t)k * (size_t)(n_rows + 1)];
        int column = lu->columns[part->column + k];
        lu->diagonal[column] = pivot;
        lu->border[part->column + k] = column_of(lu, column)[lu->n - 1];
        if (!(fabs(pivot) > LEAST_PIVOT * lu->scratch[k])) {
            return false;
        }
    }
    return true;
}

/* What is left of a part's rows, and of the last row, in the wide columns, scratch [n_wide]. */
static void eliminate_own(struct block_lu *lu, const struct block_lu_part *part)
{
    int n_rows = part->n_rows, n = part->n_columns, n_wide = lu->n_wide;
    double *border = lu->border + part->column;
    copy_columns(lu, part, lu->n - n_wide, n_wide, part->wide);
    if (n == 0) {
        return;
    }
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, n_wide, part->wide, n_rows, 1, n,
                        lu->part_pivots + part->row, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n_wide, 1.0,
                part->own, n_rows, part->wide, n_rows);
    if (n < n_rows) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n_rows - n, n_wide, n, -1.0,
                    part->own + n, n_rows, part->wide, n_rows, 1.0, part->wide + n, n_rows);
    }
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, part->own, n_rows,
                border, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, n, n_wide, -1.0, part->wide, n_rows, border, 1, 1.0,
                lu->scratch, 1);
}

/* What is left becomes the matrix, by parts and the last row behind them. */
static void gather_rest(struct block_lu *lu)
{
    size_t n_wide = (size_t)lu->n_wide, place = 0;
    for (int p = 0; p < lu->n_parts; p++) {
        const struct block_lu_part *part = &lu->parts[p];
        size_t n_rows = (size_t)part->n_rows, n_left = n_rows - (size_t)part->n_columns;
        for (size_t k = 0; k < n_wide; k++) {
            memcpy(lu->matrix + k * n_wide + place,
                   part->wide + k * n_rows + (size_t)part->n_columns,
                   n_left * sizeof *lu->matrix);
        }
        place += n_left;
    }
    for (size_t k = 0; k < n_wide; k++) {
        lu->matrix[k * n_wide + place] = lu->scratch[k];
    }
}

/* ---- the determinant's sign ---- */

static void exchange(int n, const int *pivots, int *rows)
{
    for (int k = 0; k < n; k++) {
        int other = pivots[k] - 1, row = rows[k];
        rows[k] = rows[other];
        rows[other] = row;
    }
}

/* The row of each column's pivot. What told the parts of rows and columns has served. */
static void match_rows(struct block_lu *lu)
{
    int *own = lu->row_part, *left = lu->column_part, n_left = 0;
    for (int p = 0; p < lu->n_parts; p++) {
        const struct block_lu_part *part = &lu->parts[p];
        memcpy(own, lu->rows + part->row, (size_t)part->n_rows * sizeof *own);
        exchange(part->n_columns, lu->part_pivots + part->row, own);
        for (int k = 0; k < part->n_columns; k++) {
            lu->matched[lu->columns[part->column + k]] = own[k];
        }
        for (int k = part->n_columns; k < part->n_rows; k++) {
            left[n_left++] = own[k];
        }
    }
    left[n_left] = lu->n - 1;
    exchange(lu->n_wide, lu->pivots, left);
    for (int k = 0; k < lu->n_wide; k++) {
        lu->matched[lu->columns[lu->n - lu->n_wide + k]] = left[k];
    }
}

/* That of the permutation, which is taken apart into exchanges, times those of the pivots. */
static int sign_of_matched(struct block_lu *lu)
{
    bool is_negative = false;
    for (int j = 0; j < lu->n; j++) {
        is_negative ^= lu->diagonal[j] < 0.0;
        while (lu->matched[j] != j) {
            int row = lu->matched[j];
            lu->matched[j] = lu->matched[row];
            lu->matched[row] = row;
            is_negative = !is_negative;
        }
    }
    return is_negative ? -1 : 1;
}

/* ---- the whole ---- */

static enum masing_status factor_blocks(struct block_lu *lu)
{
    for (int k = 0; k < lu->n_wide; k++) {
        lu->scratch[k] = column_of(lu, lu->columns[lu->n - lu->n_wide + k])[lu->n - 1];
    }
    for (int p = 0; p < lu->n_parts; p++) {
        eliminate_own(lu, &lu->parts[p]);
    }
    gather_rest(lu);
    enum masing_status status = lu_factor(lu->n_wide, lu->matrix, lu->pivots);
    for (int k = 0; status == MASING_OK && k < lu->n_wide; k++) {
        lu->diagonal[lu->columns[lu->n - lu->n_wide + k]] =
            lu->matrix[(size_t)k * (size_t)(lu->n_wide + 1)];
    }
    if (status == MASING_OK) {
        match_rows(lu);
        lu->sign = sign_of_matched(lu);
    }
    return status;
}

enum masing_status block_lu_factor(struct block_lu *lu, int n)
{
    lu->n = n;
    bool has_blocks = lu->packed && n >= BLOCK_LU_MANY && find_blocks(lu);
    for (int p = 0; has_blocks && p < lu->n_parts; p++) {
        has_blocks = factor_own(lu, &lu->parts[p]);
    }
    if (has_blocks) {
        return factor_blocks(lu);
    }
    lu->n_parts = 0;
    return lu_factor(n, lu->matrix, lu->pivots);
}

/* x [n_rows] by the order of `rows`: the upper part becomes what is left to divide by the upper
 * factor, the lower one what is left of the rows; returns what falls to the last row. */
static double solve_lower(const struct block_lu *lu, const struct block_lu_part *part,
                          double *x)
{
    int n_rows = part->n_rows, n = part->n_columns;
    if (n == 0) {
        return 0.0;
    }
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, 1, x, n_rows, 1, n, lu->part_pivots + part->row, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, n, part->own, n_rows, x, 1);
    if (n < n_rows) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, n_rows - n, n, -1.0, part->own + n, n_rows, x,
                    1, 1.0, x + n, 1);
    }
    return cblas_ddot(n, lu->border + part->column, 1, x, 1);
}

/* The own columns' unknowns, the wide ones being known. */
static void solve_upper(const struct block_lu *lu, const struct block_lu_part *part,
                        const double *wide, double *x)
{
    int n_rows = part->n_rows, n = part->n_columns;
    if (n > 0) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, lu->n_wide, -1.0, part->wide, n_rows, wide,
                    1, 1.0, x, 1);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, part->own, n_rows,
                    x, 1);
    }
}

void block_lu_solve(const struct block_lu *lu, double *x)
{
    if (lu->n_parts == 0) {
        lu_solve(lu->n, lu->matrix, lu->pivots, x, 1);
        return;
    }
    double *y = lu->scratch, *wide = lu->rest;
    int n_left = 0;
    for (int i = 0; i < lu->n; i++) {
        y[i] = x[lu->rows[i]];
    }
    for (int p = 0; p < lu->n_parts; p++) {
        const struct block_lu_part *part = &lu->parts[p];
        y[lu->n - 1] -= solve_lower(lu, part, y + part->row);
        for (int i = part->n_columns; i < part->n_rows; i++) {
            wide[n_left++] = y[part->row + i];
        }
    }
    wide[n_left] = y[lu->n - 1];
    lu_solve(lu->n_wide, lu->matrix, lu->pivots, wide, 1);
    for (int p = 0; p < lu->n_parts; p++) {
        const struct block_lu_part *part = &lu->parts[p];
        solve_upper(lu, part, wide, y + part->row);
        for (int k = 0; k < part->n_columns; k++) {
            x[lu->columns[part->column + k]] = y[part->row + k];
        }
    }
    for (int k = 0; k < lu->n_wide; k++) {
        x[lu->columns[lu->n - lu->n_wide + k]] = wide[k];
    }
}

double block_lu_pivot(const struct block_lu *lu, int column)
{
    return lu->n_parts > 0 ? lu->diagonal[column]
                           : lu->matrix[(size_t)column * (size_t)(lu->n + 1)];
}

int block_lu_sign(const struct block_lu *lu)
{
    return lu->n_parts > 0 ? lu->sign : lu_sign(lu->n, lu->matrix, lu->pivots);
}
