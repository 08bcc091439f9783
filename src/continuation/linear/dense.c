/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/linear/dense.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/bordered.h"
#include "linalg/dense.h"

static enum masing_status create(struct bordered *bordered, struct masing_error *error)
{
    size_t n = (size_t)bordered->n, size = n + 1;
    struct arena *arena = &bordered->arena;
    struct linear_dense *dense = arena_allocate(arena, sizeof *dense);
    NEED_ALLOCATED(bordered->own = dense);
    dense->jacobian = arena_doubles(arena, n * n);
    block_lu_create((int)size, arena, &dense->lu);
    dense->order = arena_array(arena, n, sizeof(int));
    dense->dependent = arena_array(arena, n, sizeof(int));
    dense->alone = arena_doubles(arena, n);
    dense->rows = arena_doubles(arena, size * size / 4 + 1);
    dense->multiplier = arena_doubles(arena, n);
    dense->reduced = arena_doubles(arena, size);
    dense->smallest = arena_doubles(arena, size);
    dense->row = arena_doubles(arena, size);
    dense->null = arena_doubles(arena, size);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static void destroy(struct bordered *bordered)
{
    struct linear_dense *dense = bordered->own;
    svd_clear(&dense->svd);
}

static enum masing_status linearize(struct bordered *bordered, const double *u, double *f)
{
    const struct continuation_problem *problem = bordered->problem;
    const struct linear_dense *dense = bordered->own;
    return problem->evaluate(problem->context, u, u[bordered->n], f, dense->jacobian,
                             bordered->residual_lambda);
}

static void add_sizes(struct bordered *bordered, const double *u, const double *f, double part,
                      double *sums)
{
    (void)f;
    const struct linear_dense *dense = bordered->own;
    size_t n = (size_t)bordered->n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            sums[i] += part * fabs(dense->jacobian[j * n + i] * u[j]);
        }
    }
}

/* Whether column i of F has nothing but a positive diagonal. */
static bool has_lone_column(const struct bordered *bordered, size_t i)
{
    const struct linear_dense *dense = bordered->own;
    size_t n = (size_t)bordered->n;
    const double *column = dense->jacobian + i * n;
    for (size_t k = 0; k < n; k++) {
        if (k != i && column[k] != 0.0) {
            return false;
        }
    }
    return column[i] > 0.0;
}

/* Likewise row i of F and the derivative by lambda. */
static bool has_lone_row(const struct bordered *bordered, size_t i)
{
    const struct linear_dense *dense = bordered->own;
    size_t n = (size_t)bordered->n;
    for (size_t k = 0; k < n; k++) {
        if (k != i && dense->jacobian[k * n + i] != 0.0) {
            return false;
        }
    }
    return bordered->residual_lambda[i] == 0.0;
}

static void order_unknowns(struct bordered *bordered, bool takes_out_dependent)
{
    struct linear_dense *dense = bordered->own;
    int alone = bordered->n;
    dense->n_free = dense->n_dependent = 0;
    for (int i = 0; i < bordered->n; i++) {
        bool is_out = has_lone_column(bordered, (size_t)i);
        if (is_out && has_lone_row(bordered, (size_t)i)) {
            dense->order[--alone] = i;
        } else if (is_out && takes_out_dependent) {
            dense->dependent[dense->n_dependent++] = i;
        } else {
            dense->order[dense->n_free++] = i;
        }
        dense->alone[i] = dense->jacobian[(size_t)i * (size_t)(bordered->n + 1)];
    }
}

/* Entries of a column in some ascending rows. */
static void pick(const double *column, const int *rows, int n_rows, double *picked)
{
    bool is_run = n_rows > 0 && rows[n_rows - 1] - rows[0] == n_rows - 1;
    if (is_run) {
        memcpy(picked, column + rows[0], (size_t)n_rows * sizeof *picked);
    }
    for (int i = 0; !is_run && i < n_rows; i++) {
        picked[i] = column[rows[i]];
    }
}

/* Of the free unknowns and lambda; the dependent ones leave something in the last row. */
static void fill_matrix(struct bordered *bordered, double *matrix)
{
    struct linear_dense *dense = bordered->own;
    size_t n = (size_t)bordered->n, n_free = (size_t)dense->n_free;
    size_t n_dependent = (size_t)dense->n_dependent;
    double *rows = dense->rows;
    for (size_t k = 0; k < n_dependent; k++) {
        int i = dense->dependent[k];
        dense->multiplier[k] = bordered->border[i] / dense->alone[i];
    }
    for (size_t j = 0; j <= n_free; j++, matrix += n_free + 1, rows += n_dependent) {
        size_t unknown = j < n_free ? (size_t)dense->order[j] : n;
        const double *from =
            j < n_free ? dense->jacobian + unknown * n : bordered->residual_lambda;
        double last = bordered->border[unknown];
        pick(from, dense->order, dense->n_free, matrix);
        pick(from, dense->dependent, dense->n_dependent, rows);
        for (size_t k = 0; k < n_dependent; k++) {
            last -= dense->multiplier[k] * rows[k];
        }
        matrix[n_free] = last;
    }
}

/* ---- singular matrices, lambda being given ---- */

/* Singular values below this part of the largest are zeros, and so is what they ask for below
 * these parts: of the right-hand side, and of a residual that is as large as the load. */
static const double NULL_SHARE = 1e-13, NULL_PART = 1e-9, NULL_RESIDUAL = 1e-12;

/* What a free unknown is measured by. */
static double unit_of(const struct bordered *bordered, int k)
{
    const struct linear_dense *dense = bordered->own;
    return 1.0 / sqrt(bordered->metric[dense->order[k]]);
}

static enum masing_status factor_singular(struct bordered *bordered)
{
    struct linear_dense *dense = bordered->own;
    struct svd *svd = &dense->svd;
    order_unknowns(bordered, false); /* the smallest solution is that of all of them */
    int n = bordered->n, n_free = dense->n_free;
    if (!svd->matrix) {
        NEED(svd_create(n, n, svd, NULL));
    }
    svd->n_rows = n_free;
    for (int j = 0; j < n_free; j++) {
        const double *from = dense->jacobian + (size_t)dense->order[j] * (size_t)n;
        double *column = svd->matrix + (size_t)j * (size_t)n_free;
        for (int i = 0; i < n_free; i++) {
            column[i] = from[dense->order[i]] * unit_of(bordered, j);
        }
    }
    dense->is_singular = bordered->has_factors = svd_factor(n_free, svd) == MASING_OK;
    return dense->is_singular ? MASING_OK : MASING_SINGULAR;
}

/* Whether the right-hand side asks for what the matrix cannot give. */
static bool is_out_of_reach(const struct svd *svd, const double *b)
{
    double size = 0.0;
    for (int i = 0; i < svd->n_rows; i++) {
        size = hypot(size, b[i]);
    }
    for (int k = 0; k < svd->n_columns; k++) {
        const double *left = svd->matrix + (size_t)k * (size_t)svd->n_rows;
        double part = 0.0;
        for (int i = 0; i < svd->n_rows; i++) {
            part += left[i] * b[i];
        }
        if (svd_is_null(svd, NULL_SHARE, k) && fabs(part) > NULL_PART * size + NULL_RESIDUAL) {
            return true;
        }
    }
    return false;
}

/* b [n_free + 1] becomes the smallest solution. */
static bool solve_singular(const struct bordered *bordered, double *b)
{
    const struct linear_dense *dense = bordered->own;
    int n_free = dense->n_free;
    double lambda = b[n_free] / bordered->border[bordered->n];
    for (int i = 0; i < n_free; i++) {
        b[i] -= bordered->residual_lambda[dense->order[i]] * lambda;
    }
    if (is_out_of_reach(&dense->svd, b)) {
        return false;
    }
    svd_solve(&dense->svd, b, 0.0, NULL_SHARE, dense->smallest);
    for (int k = 0; k < n_free; k++) {
        b[k] = unit_of(bordered, k) * dense->smallest[k];
    }
    b[n_free] = lambda;
    return true;
}

static bool is_nearly_singular(const struct bordered *bordered)
{
    const struct linear_dense *dense = bordered->own;
    double least = INFINITY, largest = 0.0;
    for (int k = 0; k < dense->n_free && !dense->is_singular; k++) {
        double pivot = fabs(block_lu_pivot(&dense->lu, k)) * unit_of(bordered, k);
        least = fmin(least, pivot);
        largest = fmax(largest, pivot);
    }
    return dense->is_singular || least <= NULL_SHARE * largest;
}

/* x [size] where the free unknowns and lambda are solved for: [n_free + 1]. */
static void solve_dependent(const struct bordered *bordered, const double *solved, double *x)
{
    struct linear_dense *dense = bordered->own;
    size_t n_dependent = (size_t)dense->n_dependent;
    const double *rows = dense->rows;
    double *sums = dense->smallest;
    memset(sums, 0, n_dependent * sizeof *sums);
    for (int j = 0; j <= dense->n_free; j++, rows += n_dependent) {
        for (size_t k = 0; k < n_dependent; k++) {
            sums[k] += rows[k] * solved[j];
        }
    }
    for (size_t k = 0; k < n_dependent; k++) {
        int i = dense->dependent[k];
        x[i] = (x[i] - sums[k]) / dense->alone[i];
    }
}

/* x [size] becomes the solution with the last row that was factored. */
static enum masing_status solve_factored(const struct bordered *bordered, double *x)
{
    struct linear_dense *dense = bordered->own;
    int n = bordered->n, n_free = dense->n_free;
    double *reduced = dense->reduced;
    for (int k = n_free + dense->n_dependent; k < n; k++) {
        int i = dense->order[k];
        x[i] /= dense->alone[i];
        x[n] -= dense->row[i] * x[i];
    }
    for (int k = 0; k < dense->n_dependent; k++) {
        x[n] -= dense->multiplier[k] * x[dense->dependent[k]];
    }
    for (int k = 0; k < n_free; k++) {
        reduced[k] = x[dense->order[k]];
    }
    reduced[n_free] = x[n];
    if (!dense->is_singular) {
        block_lu_solve(&dense->lu, reduced);
    } else if (!solve_singular(bordered, reduced)) {
        return MASING_SINGULAR;
    }
    for (int k = 0; k < n_free; k++) {
        x[dense->order[k]] = reduced[k];
    }
    x[n] = reduced[n_free];
    solve_dependent(bordered, reduced, x);
    return MASING_OK;
}

static enum masing_status factor(struct bordered *bordered)
{
    struct linear_dense *dense = bordered->own;
    order_unknowns(bordered, true);
    int size = dense->n_free + 1;
    fill_matrix(bordered, dense->lu.matrix);
    bordered->cost->factorisations++;
    enum masing_status status = block_lu_factor(&dense->lu, size);
    bordered->has_factors = status == MASING_OK;
    dense->is_singular = dense->is_factored = false;
    memcpy(dense->row, bordered->border, (size_t)bordered->size * sizeof(double));
    if (bordered->holds_lambda && (status == MASING_SINGULAR || is_nearly_singular(bordered))) {
        return factor_singular(bordered);
    }
    if (status == MASING_OK && bordered->keeps_factors) {
        memset(dense->null, 0, (size_t)bordered->n * sizeof(double));
        dense->null[bordered->n] = 1.0;
        dense->is_factored = solve_factored(bordered, dense->null) == MASING_OK;
    }
    return status;
}

static enum masing_status solve(const struct bordered *bordered,
                                struct linear_accuracy accuracy, double *x)
{
    const struct linear_dense *dense = bordered->own;
    (void)accuracy;
    double last = x[bordered->n];
    enum masing_status status = solve_factored(bordered, x);
    if (status == MASING_OK && dense->is_factored) {
        double excess = bordered_times_border(bordered, x) - last;
        double part = excess / bordered_times_border(bordered, dense->null);
        for (int i = 0; i < bordered->size; i++) {
            x[i] -= part * dense->null[i];
        }
    }
    if (status != MASING_OK) {
        return status;
    }
    return dense_is_finite((size_t)bordered->size, x) ? MASING_OK : MASING_SINGULAR;
}

static enum masing_status apply(const struct bordered *bordered, const double *x,
                                double *product)
{
    const struct linear_dense *dense = bordered->own;
    dense_multiply(bordered->n, 1, bordered->n, dense->jacobian, x, product);
    return MASING_OK;
}

static bool keep_factors(const struct bordered *bordered)
{
    const struct linear_dense *dense = bordered->own;
    return dense->is_factored;
}

/* The determinant is linear in the last row, and all rows that are orthogonal to the null
 * vector of those above, the tangent, make it vanish: so it is in proportion to row . tangent.
 */
static int orientation(const struct bordered *bordered, const double *tangent)
{
    const struct linear_dense *dense = bordered->own;
    double along = 0.0;
    if (dense->is_singular) {
        return 0;
    }
    for (int i = 0; i < bordered->size; i++) {
        along += dense->row[i] * tangent[i];
    }
    int sign = block_lu_sign(&dense->lu);
    return along < 0.0 ? -sign : along > 0.0 ? sign : 0;
}

const struct linear_kind linear_dense = {.create = create,
                                         .destroy = destroy,
                                         .linearize = linearize,
                                         .add_sizes = add_sizes,
                                         .keep_factors = keep_factors,
                                         .factor = factor,
                                         .is_nearly_singular = is_nearly_singular,
                                         .solve = solve,
                                         .apply = apply,
                                         .orientation = orientation};
