/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/bordered.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/metric.h"
#include "linalg/dense.h"

/* A residual cannot fall below what so many roundings make of it. */
static const double ROUNDINGS = 4.0;
/* In tolerances: what is more is no rounding. */
static const double NEAR_SOLUTION = 1e5;

enum masing_status bordered_create(const struct continuation_problem *problem,
                                   const double *metric, struct bordered *bordered,
                                   struct masing_error *error)
{
    size_t n = (size_t)problem->n;
    size_t size = n + 1;
    *bordered = (struct bordered){.problem = problem,
                                  .metric = metric,
                                  .n_left = LONG_MAX,
                                  .n = problem->n,
                                  .size = problem->n + 1};
    struct arena *arena = &bordered->arena;
    bordered->border = arena_doubles(arena, size);
    bordered->anchor = arena_doubles(arena, size);
    bordered->offset = arena_doubles(arena, n);
    bordered->jacobian = arena_doubles(arena, n * n);
    bordered->residual_lambda = arena_doubles(arena, n);
    bordered->scale = arena_doubles(arena, size);
    block_lu_create((int)size, arena, &bordered->lu);
    bordered->order = arena_array(arena, n, sizeof(int));
    bordered->dependent = arena_array(arena, n, sizeof(int));
    bordered->alone = arena_doubles(arena, n);
    bordered->rows = arena_doubles(arena, size * size / 4 + 1);
    bordered->multiplier = arena_doubles(arena, n);
    bordered->reduced = arena_doubles(arena, size);
    bordered->smallest = arena_doubles(arena, size);
    bordered->row = arena_doubles(arena, size);
    bordered->null = arena_doubles(arena, size);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < size; i++) {
        bordered->scale[i] = 1.0;
    }
    return MASING_OK;
}

void bordered_destroy(struct bordered *bordered)
{
    arena_clear(&bordered->arena);
    svd_clear(&bordered->svd);
    *bordered = (struct bordered){0};
}

void bordered_set_plane(struct bordered *bordered, const double *anchor, const double *normal)
{
    for (int i = 0; i < bordered->size; i++) {
        bordered->border[i] = bordered->metric[i] * normal[i];
    }
    memcpy(bordered->anchor, anchor, (size_t)bordered->size * sizeof *anchor);
    bordered->holds_lambda = bordered->has_factors = false;
}

void bordered_fix_lambda(struct bordered *bordered, double lambda)
{
    memset(bordered->border, 0, (size_t)bordered->n * sizeof *bordered->border);
    memset(bordered->anchor, 0, (size_t)bordered->n * sizeof *bordered->anchor);
    bordered->border[bordered->n] = 1.0;
    bordered->anchor[bordered->n] = lambda;
    bordered->holds_lambda = true;
    bordered->has_factors = false;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b; /* b where a is no number */
}

/* In a sharp resonance the last digit of lambda changes a residual by more than the tolerance.
 */
static void allow_for_lambda(struct bordered *bordered, double lambda)
{
    double part = ROUNDINGS * DBL_EPSILON * fabs(lambda) / bordered->tolerance;
    for (int i = 0; i < bordered->n; i++) {
        bordered->scale[i] = 1.0 / larger(part * fabs(bordered->residual_lambda[i]), 1.0);
    }
}

/* And those of the unknowns, where they are large. */
static void allow_for_unknowns(struct bordered *bordered, const double *u)
{
    size_t n = (size_t)bordered->n;
    double part = ROUNDINGS * DBL_EPSILON / bordered->tolerance;
    double *scale = bordered->scale;
    for (size_t i = 0; i < n; i++) {
        scale[i] = part * fabs(u[n] * bordered->residual_lambda[i]);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            scale[i] += part * fabs(bordered->jacobian[j * n + i] * u[j]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        scale[i] = 1.0 / larger(scale[i], 1.0);
    }
}

static double scaled_norm(const struct bordered *bordered, const double *f)
{
    double largest = 0.0;
    for (int i = 0; i < bordered->n; i++) {
        largest = larger(bordered->scale[i] * fabs(f[i]), largest);
    }
    return largest;
}

/* Of f at u. Most solves are over before anything but lambda counts. */
static double allow_for_rounding(struct bordered *bordered, const double *u, const double *f)
{
    allow_for_lambda(bordered, u[bordered->n]);
    double norm = scaled_norm(bordered, f);
    if (norm <= bordered->tolerance || norm > NEAR_SOLUTION * bordered->tolerance) {
        return norm;
    }
    allow_for_unknowns(bordered, u);
    return scaled_norm(bordered, f);
}

enum masing_status bordered_evaluate(struct bordered *bordered, const double *u,
                                     bool with_jacobian, double *f, double *norm)
{
    const struct continuation_problem *problem = bordered->problem;
    int n = bordered->n;
    if (bordered->n_left-- <= 0) {
        return MASING_NOT_CONVERGED;
    }
    bordered->cost->residuals++;
    bordered->cost->jacobians += with_jacobian;
    NEED(problem->evaluate(problem->context, u, u[n], f,
                           with_jacobian ? bordered->jacobian : NULL,
                           with_jacobian ? bordered->residual_lambda : NULL));
    double poison = 0.0; /* 0 as long as everything is finite, else NaN */
    double plane = 0.0;
    for (int i = 0; i < n; i++) {
        f[i] -= bordered->offset_factor * bordered->offset[i];
        poison += 0.0 * f[i];
        plane += bordered->border[i] * (u[i] - bordered->anchor[i]);
    }
    f[n] = plane + bordered->border[n] * (u[n] - bordered->anchor[n]);
    *norm = with_jacobian ? allow_for_rounding(bordered, u, f) : scaled_norm(bordered, f);
    return isfinite(poison) && isfinite(f[n]) ? MASING_OK : MASING_NOT_FINITE;
}

/* Whether column i of F has nothing but a positive diagonal. */
static bool has_lone_column(const struct bordered *bordered, size_t i)
{
    size_t n = (size_t)bordered->n;
    const double *column = bordered->jacobian + i * n;
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
    size_t n = (size_t)bordered->n;
    for (size_t k = 0; k < n; k++) {
        if (k != i && bordered->jacobian[k * n + i] != 0.0) {
            return false;
        }
    }
    return bordered->residual_lambda[i] == 0.0;
}

static void order_unknowns(struct bordered *bordered, bool takes_out_dependent)
{
    int alone = bordered->n;
    bordered->n_free = bordered->n_dependent = 0;
    for (int i = 0; i < bordered->n; i++) {
        bool is_out = has_lone_column(bordered, (size_t)i);
        if (is_out && has_lone_row(bordered, (size_t)i)) {
            bordered->order[--alone] = i;
        } else if (is_out && takes_out_dependent) {
            bordered->dependent[bordered->n_dependent++] = i;
        } else {
            bordered->order[bordered->n_free++] = i;
        }
        bordered->alone[i] = bordered->jacobian[(size_t)i * (size_t)(bordered->n + 1)];
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
    size_t n = (size_t)bordered->n, n_free = (size_t)bordered->n_free;
    size_t n_dependent = (size_t)bordered->n_dependent;
    double *rows = bordered->rows;
    for (size_t k = 0; k < n_dependent; k++) {
        int i = bordered->dependent[k];
        bordered->multiplier[k] = bordered->border[i] / bordered->alone[i];
    }
    for (size_t j = 0; j <= n_free; j++, matrix += n_free + 1, rows += n_dependent) {
        size_t unknown = j < n_free ? (size_t)bordered->order[j] : n;
        const double *from =
            j < n_free ? bordered->jacobian + unknown * n : bordered->residual_lambda;
        double last = bordered->border[unknown];
        pick(from, bordered->order, bordered->n_free, matrix);
        pick(from, bordered->dependent, bordered->n_dependent, rows);
        for (size_t k = 0; k < n_dependent; k++) {
            last -= bordered->multiplier[k] * rows[k];
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
    return 1.0 / sqrt(bordered->metric[bordered->order[k]]);
}

static enum masing_status factor_singular(struct bordered *bordered)
{
    struct svd *svd = &bordered->svd;
    order_unknowns(bordered, false); /* the smallest solution is that of all of them */
    int n = bordered->n, n_free = bordered->n_free;
    if (!svd->matrix) {
        NEED(svd_create(n, n, svd, NULL));
    }
    svd->n_rows = n_free;
    for (int j = 0; j < n_free; j++) {
        const double *from = bordered->jacobian + (size_t)bordered->order[j] * (size_t)n;
        double *column = svd->matrix + (size_t)j * (size_t)n_free;
        for (int i = 0; i < n_free; i++) {
            column[i] = from[bordered->order[i]] * unit_of(bordered, j);
        }
    }
    bordered->is_singular = bordered->has_factors = svd_factor(n_free, svd) == MASING_OK;
    return bordered->is_singular ? MASING_OK : MASING_SINGULAR;
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
    int n_free = bordered->n_free;
    double lambda = b[n_free] / bordered->border[bordered->n];
    for (int i = 0; i < n_free; i++) {
        b[i] -= bordered->residual_lambda[bordered->order[i]] * lambda;
    }
    if (is_out_of_reach(&bordered->svd, b)) {
        return false;
    }
    svd_solve(&bordered->svd, b, 0.0, NULL_SHARE, bordered->smallest);
    for (int k = 0; k < n_free; k++) {
        b[k] = unit_of(bordered, k) * bordered->smallest[k];
    }
    b[n_free] = lambda;
    return true;
}

bool bordered_is_nearly_singular(const struct bordered *bordered)
{
    double least = INFINITY, largest = 0.0;
    for (int k = 0; k < bordered->n_free && !bordered->is_singular; k++) {
        double pivot = fabs(block_lu_pivot(&bordered->lu, k)) * unit_of(bordered, k);
        least = fmin(least, pivot);
        largest = fmax(largest, pivot);
    }
    return bordered->is_singular || least <= NULL_SHARE * largest;
}

/* x [size] where the free unknowns and lambda are solved for: [n_free + 1]. */
static void solve_dependent(const struct bordered *bordered, const double *solved, double *x)
{
    size_t n_dependent = (size_t)bordered->n_dependent;
    const double *rows = bordered->rows;
    double *sums = bordered->smallest;
    memset(sums, 0, n_dependent * sizeof *sums);
    for (int j = 0; j <= bordered->n_free; j++, rows += n_dependent) {
        for (size_t k = 0; k < n_dependent; k++) {
            sums[k] += rows[k] * solved[j];
        }
    }
    for (size_t k = 0; k < n_dependent; k++) {
        int i = bordered->dependent[k];
        x[i] = (x[i] - sums[k]) / bordered->alone[i];
    }
}

/* x [size] becomes the solution with the last row that was factored. */
static enum masing_status solve_factored(const struct bordered *bordered, double *x)
{
    int n = bordered->n, n_free = bordered->n_free;
    double *reduced = bordered->reduced;
    for (int k = n_free + bordered->n_dependent; k < n; k++) {
        int i = bordered->order[k];
        x[i] /= bordered->alone[i];
        x[n] -= bordered->row[i] * x[i];
    }
    for (int k = 0; k < bordered->n_dependent; k++) {
        x[n] -= bordered->multiplier[k] * x[bordered->dependent[k]];
    }
    for (int k = 0; k < n_free; k++) {
        reduced[k] = x[bordered->order[k]];
    }
    reduced[n_free] = x[n];
    if (!bordered->is_singular) {
        block_lu_solve(&bordered->lu, reduced);
    } else if (!solve_singular(bordered, reduced)) {
        return MASING_SINGULAR;
    }
    for (int k = 0; k < n_free; k++) {
        x[bordered->order[k]] = reduced[k];
    }
    x[n] = reduced[n_free];
    solve_dependent(bordered, reduced, x);
    return MASING_OK;
}

enum masing_status bordered_factor(struct bordered *bordered)
{
    order_unknowns(bordered, true);
    int size = bordered->n_free + 1;
    fill_matrix(bordered, bordered->lu.matrix);
    bordered->cost->factorisations++;
    enum masing_status status = block_lu_factor(&bordered->lu, size);
    bordered->has_factors = status == MASING_OK;
    bordered->is_singular = bordered->is_factored = false;
    memcpy(bordered->row, bordered->border, (size_t)bordered->size * sizeof(double));
    if (bordered->holds_lambda &&
        (status == MASING_SINGULAR || bordered_is_nearly_singular(bordered))) {
        return factor_singular(bordered);
    }
    if (status == MASING_OK && bordered->keeps_factors) {
        memset(bordered->null, 0, (size_t)bordered->n * sizeof(double));
        bordered->null[bordered->n] = 1.0;
        bordered->is_factored = solve_factored(bordered, bordered->null) == MASING_OK;
    }
    return status;
}

static double times_border(const struct bordered *bordered, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < bordered->size; i++) {
        sum += bordered->border[i] * x[i];
    }
    return sum;
}

enum masing_status bordered_solve(const struct bordered *bordered, double *x)
{
    double last = x[bordered->n];
    if (!bordered->has_factors) {
        return MASING_SINGULAR;
    }
    enum masing_status status = solve_factored(bordered, x);
    if (status == MASING_OK && bordered->is_factored) {
        double excess = times_border(bordered, x) - last;
        double part = excess / times_border(bordered, bordered->null);
        for (int i = 0; i < bordered->size; i++) {
            x[i] -= part * bordered->null[i];
        }
    }
    if (status != MASING_OK) {
        return status;
    }
    return dense_is_finite((size_t)bordered->size, x) ? MASING_OK : MASING_SINGULAR;
}

void bordered_multiply(const struct bordered *bordered, const double *x, double *product)
{
    int n = bordered->n;
    dense_multiply(n, 1, n, bordered->jacobian, x, product);
    for (int i = 0; i < n; i++) {
        product[i] += bordered->residual_lambda[i] * x[n];
    }
    product[n] = times_border(bordered, x);
}

bool bordered_keep_factors(struct bordered *bordered)
{
    return bordered->has_factors = bordered->is_factored;
}

/* The determinant is linear in the last row, and all rows that are orthogonal to the null
 * vector of those above, the tangent, make it vanish: so it is in proportion to row . tangent.
 */
int bordered_orientation(const struct bordered *bordered, const double *tangent)
{
    double along = 0.0;
    if (!bordered->has_factors || bordered->is_singular) {
        return 0;
    }
    for (int i = 0; i < bordered->size; i++) {
        along += bordered->row[i] * tangent[i];
    }
    int sign = block_lu_sign(&bordered->lu);
    return along < 0.0 ? -sign : along > 0.0 ? sign : 0;
}

enum masing_status bordered_tangent(const struct bordered *bordered, double *tangent)
{
    int size = bordered->size;
    memset(tangent, 0, (size_t)size * sizeof *tangent);
    tangent[size - 1] = 1.0;
    NEED(bordered_solve(bordered, tangent));
    double norm = metric_normalise(size, bordered->metric, tangent);
    return norm > 0.0 && isfinite(norm) ? MASING_OK : MASING_SINGULAR;
}
