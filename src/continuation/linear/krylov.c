/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bordered matrix as an operator, solved with by flexible GMRES (SUNDIALS' SPFGMR).
 *
 * Preconditioned from the right by
 *
 *     P^-1   F_lambda
 *     border
 *
 * with P for the problem's approximation of (dF/dy)^-1, by block elimination: P F_lambda is
 * made once for each linearisation. So what the border adds costs one inner product, and at
 * folds, where P may be as large as it is finite, the bordered system remains what it is.
 *
 * Where the operator is to be had nearly and in much less time, that one is solved with first:
 * its solutions precondition the bordered matrix once more, which then takes a product or two
 * for a solution.
 *
 * Newton's steps are as exact as the corrector asks: 1e-2 of the residual, then 1e-3, and never
 * more than its tolerance needs. Nothing here decides what a solution is: where an operator or
 * its preconditioner is wrong, the residual does not fall.
 */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spfgmr.h>

#include "base/check.h"
#include "continuation/bordered.h"
#include "linalg/dense.h"

/* Iterations between restarts, each of which has two vectors, and cycles of so many at most:
 * where nearly all contacts of a lap slip, four cycles of 50 do not do. Of a few
 * hundred unknowns there are as many iterations as unknowns, up to so many numbers: those
 * systems are solved however little their preconditioner helps. */
enum { LEAST_VECTORS = 100, MOST_CYCLES = 4, FEW_NUMBERS = 1 << 18 };
/* Of the matrix itself where it is solved nearly first, each of which takes up to a cycle. */
enum { NESTED_VECTORS = 8 };
/* What these are solved to, beside what is asked for, and at least: the nearer matrix is no
 * better than that. */
static const double NESTED_PART = 0.7, LEAST_NESTED = 3e-4;
/* One that reduces what is left by no more than this leads nowhere. */
static const double STAGNATED = 0.5;
/* However small the right-hand side is, it is reduced to this part. */
static const double LEAST_REDUCTION = 0.1;
/* Of what it is the difference of. */
static const double LEAST_PIVOT = 1e-14;
/* The preconditioner is renewed where a solve took so many times the iterations of the mean
 * solve since the last time, its own cost included. */
static const double WORTH_RENEWING = 1.5;
/* Slopes decide by their sign about peaks, also where a curve is flat. */
static const double TANGENT_ERROR = 1e-10;

struct krylov {
    struct bordered *bordered;
    const struct continuation_operator *products; /* of the problem; lent */
    SUNContext sundials;
    SUNLinearSolver solver;
    SUNLinearSolver near;  /* NULL: the operator is to be had as a whole only */
    double near_reduction; /* that it is asked for */
    N_Vector x, b, scale;  /* [size]; the last is the system's own */
    double *column;        /* [n] P F_lambda */
    double *point;         /* [size] of this linearisation */
    long linearisation;    /* what the context calls it */
    bool has_column;       /* of this linearisation */
    bool is_renewed;       /* of this linearisation: the preconditioner */
    bool is_renewal_due;
    double spent; /* iterations since the preconditioner was renewed, with what that cost */
    int n_solves; /* since then */
    double pivot; /* of the last row, where the column is eliminated */
    double *shifted, *product, *residual; /* [n] scratch */
    enum masing_status why;               /* a callback failed */
};

/* ---- the operator and its preconditioner as SUNDIALS has them ---- */

static int answer(struct krylov *k, enum masing_status status, const double *x)
{
    bool is_good = status != MASING_OK || dense_is_finite((size_t)k->bordered->size, x);
    k->why = is_good ? status : MASING_NOT_FINITE;
    return k->why == MASING_OK ? 0 : -1;
}

static int multiply(void *context, N_Vector x, N_Vector product)
{
    struct krylov *k = context;
    double *to = NV_DATA_S(product);
    return answer(k, bordered_multiply(k->bordered, NV_DATA_S(x), to), to);
}

static int multiply_near(void *context, N_Vector x, N_Vector product)
{
    struct krylov *k = context;
    const struct bordered *bordered = k->bordered;
    double *to = NV_DATA_S(product);
    enum masing_status status =
        k->products->apply_near(bordered->problem->context, NV_DATA_S(x), to);
    bordered_add_border(bordered, NV_DATA_S(x), to);
    return answer(k, status, to);
}

/* z becomes approximately matrix^-1 r. */
static int precondition(void *context, N_Vector r, N_Vector z, realtype tolerance, int side)
{
    (void)tolerance;
    (void)side;
    struct krylov *k = context;
    const struct bordered *bordered = k->bordered;
    int n = bordered->n;
    double *x = NV_DATA_S(z);
    memcpy(x, NV_DATA_S(r), (size_t)bordered->size * sizeof *x);
    enum masing_status status = k->products->precondition(bordered->problem->context, x);
    double lambda = (NV_DATA_S(r)[n] - dense_dot(n, bordered->border, x)) / k->pivot;
    for (int i = 0; i < n; i++) {
        x[i] -= lambda * k->column[i];
    }
    x[n] = lambda;
    return answer(k, status, x);
}

/* z becomes a solution with the nearer matrix. */
static int solve_near(void *context, N_Vector r, N_Vector z, realtype tolerance, int side)
{
    (void)tolerance;
    (void)side;
    struct krylov *k = context;
    double norm = N_VWL2Norm(r, k->scale);
    N_VConst(0.0, z);
    if (norm == 0.0) {
        return 0;
    }
    SUNLinSolSetZeroGuess(k->near, SUNTRUE);
    int code = SUNLinSolSolve(k->near, NULL, z, r, k->near_reduction * norm);
    k->bordered->cost->krylov_iterations += SUNLinSolNumIters(k->near);
    if (code != SUNLS_SUCCESS && k->why == MASING_OK &&
        !(SUNLinSolResNorm(k->near) <= STAGNATED * norm)) {
        k->why = MASING_NOT_CONVERGED;
    }
    return k->why == MASING_OK ? 0 : -1;
}

/* ---- the kind ---- */

static int count_vectors(int size)
{
    int most = FEW_NUMBERS / size > LEAST_VECTORS ? FEW_NUMBERS / size : LEAST_VECTORS;
    return size < most ? size : most;
}

static enum masing_status create_one(struct krylov *k, int n_vectors, SUNATimesFn multiplier,
                                     SUNPSolveFn preconditioner, SUNLinearSolver *made,
                                     struct masing_error *error)
{
    SUNLinearSolver solver = SUNLinSol_SPFGMR(k->x, SUN_PREC_RIGHT, n_vectors, k->sundials);
    NEED_ALLOCATED(*made = solver);
    bool is_good =
        SUNLinSolSetATimes(solver, k, multiplier) == SUNLS_SUCCESS &&
        SUNLinSolSetPreconditioner(solver, k, NULL, preconditioner) == SUNLS_SUCCESS &&
        SUNLinSolSetScalingVectors(solver, k->scale, NULL) == SUNLS_SUCCESS &&
        SUNLinSolInitialize(solver) == SUNLS_SUCCESS;
    NEED_ALLOCATED(is_good ? solver : NULL);
    return MASING_OK;
}

static enum masing_status create_solver(struct krylov *k, struct masing_error *error)
{
    int size = k->bordered->size;
    if (SUNContext_Create(NULL, &k->sundials) != 0) {
        k->sundials = NULL;
    }
    NEED_ALLOCATED(k->sundials);
    NEED_ALLOCATED(k->x = N_VNew_Serial(size, k->sundials));
    NEED_ALLOCATED(k->b = N_VNew_Serial(size, k->sundials));
    NEED_ALLOCATED(k->scale = N_VMake_Serial(size, k->bordered->scale, k->sundials));
    int n_vectors = count_vectors(size);
    if (!k->bordered->problem->has_near) {
        return create_one(k, n_vectors, multiply, precondition, &k->solver, error);
    }
    NEED(create_one(k, n_vectors, multiply_near, precondition, &k->near, error));
    n_vectors = size < NESTED_VECTORS ? size : NESTED_VECTORS;
    return create_one(k, n_vectors, multiply, solve_near, &k->solver, error);
}

static enum masing_status create(struct bordered *bordered, struct masing_error *error)
{
    struct arena *arena = &bordered->arena;
    struct krylov *k = arena_allocate(arena, sizeof *k);
    NEED_ALLOCATED(bordered->own = k);
    k->bordered = bordered;
    k->products = bordered->problem->operator;
    double tolerance = bordered->problem->krylov_tolerance;
    bordered->tangent_error = tolerance > 0.0 ? tolerance : TANGENT_ERROR;
    double **arrays[] = {&k->column, &k->shifted, &k->product, &k->residual};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_doubles(arena, (size_t)bordered->n);
    }
    k->point = arena_doubles(arena, (size_t)bordered->size);
    NEED_ALLOCATED(!arena->has_failed);
    return create_solver(k, error);
}

static void destroy(struct bordered *bordered)
{
    struct krylov *k = bordered->own;
    if (k->near) {
        SUNLinSolFree(k->near);
    }
    if (k->solver) {
        SUNLinSolFree(k->solver);
    }
    N_VDestroy(k->scale);
    N_VDestroy(k->b);
    N_VDestroy(k->x);
    if (k->sundials) {
        SUNContext_Free(&k->sundials);
    }
}

static long linearisation(const struct krylov *k)
{
    return k->products->linearisation
               ? k->products->linearisation(k->bordered->problem->context)
               : 0;
}

static enum masing_status linearize(struct bordered *bordered, const double *u, double *f)
{
    struct krylov *k = bordered->own;
    k->has_column = k->is_renewed = false;
    enum masing_status status = k->products->linearize(
        bordered->problem->context, u, u[bordered->n], f, bordered->residual_lambda);
    bordered->has_factors = bordered->has_factors && status == MASING_OK;
    memmove(k->point, u, (size_t)bordered->size * sizeof *u);
    k->linearisation = linearisation(k);
    return status;
}

/* Once more, where another solver has linearised since. */
static enum masing_status restore(struct krylov *k)
{
    struct bordered *bordered = k->bordered;
    if (linearisation(k) == k->linearisation) {
        return MASING_OK;
    }
    bordered->cost->residuals++;
    bordered->cost->jacobians++;
    return linearize(bordered, k->point, k->residual);
}

static bool keep_factors(const struct bordered *bordered)
{
    (void)bordered;
    return false;
}

static enum masing_status apply(const struct bordered *bordered, const double *x,
                                double *product)
{
    const struct krylov *k = bordered->own;
    return k->products->apply(bordered->problem->context, x, product);
}

/* ---- solves ---- */

static enum masing_status factor(struct bordered *bordered)
{
    bordered->cost->factorisations++;
    bordered->has_factors = true;
    return MASING_OK;
}

/* The column of this linearisation, and its elimination from the present last row. */
static enum masing_status eliminate_column(struct krylov *k)
{
    const struct bordered *bordered = k->bordered;
    size_t n = (size_t)bordered->n;
    if (!k->has_column) {
        memcpy(k->column, bordered->residual_lambda, n * sizeof *k->column);
        NEED(k->products->precondition(bordered->problem->context, k->column));
        NEED(dense_is_finite(n, k->column) ? MASING_OK : MASING_NOT_FINITE);
        k->has_column = true;
    }
    double size = fabs(bordered->border[n]);
    k->pivot = bordered->border[n];
    for (size_t i = 0; i < n; i++) {
        k->pivot -= bordered->border[i] * k->column[i];
        size += fabs(bordered->border[i] * k->column[i]);
    }
    if (fabs(k->pivot) < LEAST_PIVOT * size) {
        k->pivot = copysign(LEAST_PIVOT * size, k->pivot);
    }
    return size > 0.0 && isfinite(size) ? MASING_OK : MASING_SINGULAR;
}

/* From the x at hand, 0 at first, until what is left of b is as small as that. */
static enum masing_status iterate(struct krylov *k, double norm, double small)
{
    struct bordered_cost *cost = k->bordered->cost;
    SUNLinSolSetZeroGuess(k->solver, SUNTRUE);
    for (int i = 0; i < MOST_CYCLES; i++) {
        int code = SUNLinSolSolve(k->solver, NULL, k->x, k->b, small);
        cost->krylov_iterations += SUNLinSolNumIters(k->solver);
        if (code == SUNLS_SUCCESS || k->why != MASING_OK) {
            return k->why;
        }
        double left = SUNLinSolResNorm(k->solver);
        if (code != SUNLS_RES_REDUCED || !(left <= STAGNATED * norm)) {
            return MASING_NOT_CONVERGED;
        }
        norm = left;
    }
    return MASING_NOT_CONVERGED;
}

/* ---- when the preconditioner is renewed ---- */

static void forget_iterations(struct krylov *k)
{
    k->is_renewal_due = false;
    k->n_solves = 0;
    k->spent =
        k->products->renew ? k->products->renewal_cost(k->bordered->problem->context) : 0.0;
}

static enum masing_status reset(struct bordered *bordered)
{
    struct krylov *k = bordered->own;
    k->has_column = false;
    forget_iterations(k);
    return k->products->renew ? k->products->renew(bordered->problem->context, true)
                              : MASING_OK;
}

static enum masing_status renew(struct krylov *k)
{
    NEED(k->products->renew(k->bordered->problem->context, false));
    forget_iterations(k);
    k->is_renewed = true;
    k->has_column = false;
    return MASING_OK;
}

static void count_iterations(struct krylov *k, long n)
{
    k->spent += (double)n;
    k->n_solves++;
    k->is_renewal_due = k->products->renew && !k->is_renewed &&
                        (double)n > WORTH_RENEWING * k->spent / k->n_solves;
}

/* x becomes as near to the solution as `small` tells, `norm` being the right-hand side's. */
static enum masing_status solve_once(struct krylov *k, double norm, double small)
{
    struct bordered_cost *cost = k->bordered->cost;
    long before = cost->krylov_iterations;
    NEED(eliminate_column(k));
    enum masing_status status = iterate(k, norm, small);
    count_iterations(k, cost->krylov_iterations - before);
    return status;
}

static enum masing_status solve(const struct bordered *bordered,
                                struct linear_accuracy accuracy, double *x)
{
    struct krylov *k = bordered->own;
    size_t bytes = (size_t)bordered->size * sizeof *x;
    bordered->cost->krylov_solves++;
    NEED(restore(k));
    NEED(k->is_renewal_due ? renew(k) : MASING_OK);
    k->why = MASING_OK;
    memcpy(NV_DATA_S(k->b), x, bytes);
    N_VConst(0.0, k->x);
    double norm = N_VWL2Norm(k->b, k->scale);
    if (!isfinite(norm)) {
        return MASING_NOT_FINITE;
    }
    if (norm > 0.0) {
        double part = fmax(accuracy.relative, fmin(accuracy.absolute / norm, LEAST_REDUCTION));
        k->near_reduction = fmax(NESTED_PART * part, LEAST_NESTED);
        enum masing_status status = solve_once(k, norm, part * norm);
        if (status == MASING_NOT_CONVERGED && k->products->renew && !k->is_renewed) {
            NEED(renew(k));
            status = solve_once(k, norm, part * norm);
        }
        NEED(status);
    }
    memcpy(x, NV_DATA_S(k->x), bytes);
    return dense_is_finite((size_t)bordered->size, x) ? MASING_OK : MASING_NOT_FINITE;
}

/* ---- what takes a matrix ---- */

static bool is_nearly_singular(const struct bordered *bordered)
{
    (void)bordered;
    return false;
}

static int orientation(const struct bordered *bordered, const double *tangent)
{
    (void)bordered;
    (void)tangent;
    return 0;
}

/* What a vector of signs shows is never more than sum_j |J_ij u_j|. */
enum { N_SIGNS = 2 };
/* Of the unknowns: how far the residual is asked whether that is so. */
static const double SHIFT = 1e-7;
/* Residuals above so many tolerances are no matter of rounding, nor those that fall to this
 * part of what they were. */
static const double NEAR_SOLUTION = 100.0, FALLS = 0.1;

/* Whether rounding may be what is left of the residual. */
static bool is_rounding(const struct bordered *bordered, const double *f, const double *sums)
{
    double largest = 0.0;
    for (int i = 0; i < bordered->n; i++) {
        largest = fmax(largest, fabs(f[i]) / fmax(sums[i], 1.0));
    }
    return largest <= NEAR_SOLUTION * bordered->tolerance &&
           largest > FALLS * bordered->last_norm;
}

/* J (s u) with signs s, and F(u + SHIFT s u). */
static enum masing_status try_signs(struct krylov *k, const double *u, unsigned seed)
{
    const struct bordered *bordered = k->bordered;
    const struct continuation_problem *problem = bordered->problem;
    int n = bordered->n;
    for (int i = 0; i < n; i++) {
        seed = 1664525U * seed + 1013904223U;
        k->shifted[i] = seed >> 31 ? u[i] : -u[i];
    }
    NEED(k->products->apply(problem->context, k->shifted, k->product));
    for (int i = 0; i < n; i++) {
        k->shifted[i] = u[i] + SHIFT * k->shifted[i];
    }
    bordered->cost->residuals++;
    return problem->evaluate(problem->context, k->shifted, u[n], k->residual, NULL, NULL);
}

/* What the operator says counts only as far as the residual itself confirms it: a wrong one
 * must not make a solution of what is none. */
static void add_sizes(struct bordered *bordered, const double *u, const double *f, double part,
                      double *sums)
{
    struct krylov *k = bordered->own;
    double factor = bordered->offset_factor;
    if (!is_rounding(bordered, f, sums)) {
        return;
    }
    for (unsigned s = 0; s < N_SIGNS && bordered->n_left > 0; s++) {
        bordered->n_left--;
        if (try_signs(k, u, s) != MASING_OK) {
            return;
        }
        for (int i = 0; i < bordered->n; i++) {
            double change = fabs(k->residual[i] - factor * bordered->offset[i] - f[i]) / SHIFT;
            bool is_known = isfinite(change) && isfinite(k->product[i]);
            sums[i] += is_known ? part / N_SIGNS * fmin(fabs(k->product[i]), change) : 0.0;
        }
    }
}

const struct linear_kind linear_krylov = {.create = create,
                                          .reset = reset,
                                          .destroy = destroy,
                                          .linearize = linearize,
                                          .add_sizes = add_sizes,
                                          .keep_factors = keep_factors,
                                          .factor = factor,
                                          .is_nearly_singular = is_nearly_singular,
                                          .solve = solve,
                                          .apply = apply,
                                          .orientation = orientation};
