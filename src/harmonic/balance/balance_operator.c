/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * H = M + Phi Z^-1 Phi^T at the joints' axes, with the modes Phi, their dynamic stiffness Z and
 * M real and static: flexibility of massless DOFs and of modes that are not there or far away.
 * With K = B B^T and w = B^T W the stuck equations (I + H K) W = r become
 *   N w = B^T r + Psi q,   N = I + B^T M B,  Psi = B^T Phi,
 *   (Z + S) q = r_q - Psi^T N^-1 B^T r,  S = Psi^T U,  U = N^-1 Psi,
 * in which an uncondensed mode is one with a right-hand side of its own and its own Z. N is
 * symmetric, positive definite and the same for all harmonics, but for that of the mean, for
 * which slipping joints are others: see balance_springs.h. B is a block per joint.
 */
#include "harmonic/balance/balance_operator.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_rows.h"
#include "harmonic/balance/balance_springs.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/* Columns that registers hold: a thread solves for so many or a multiple; entries of N from
 * which threads are worth waking; us, roughly, of a product with a number of a joint's block.
 */
enum { FEW_COLUMNS = 4, WORTH_WAKING = 1 << 15 };
static const double PRODUCT_COST = 5e-4;
/* Loss of a mode at least, beside its inertia, where the preconditioner is only near: without
 * any it has no inverse at the resonances with the joints stuck, which the joints make finite.
 */
static const double LEAST_LOSS = 1e-6;

/* ---- the Jacobian ---- */

static enum masing_status allocate_blocks(const struct balance *balance,
                                          struct balance_operator *made,
                                          struct masing_error *error)
{
    struct arena *arena = &made->arena;
    size_t n_c = (size_t)balance->n_coefficients;
    made->blocks = arena_array(arena, (size_t)balance->n_joints, sizeof *made->blocks);
    made->force =
        arena_doubles(arena, 2 * (size_t)balance->basis->n_harmonics * (size_t)balance->n_in);
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < balance->n_joints; j++) {
        size_t size = (size_t)balance->joints[j]->n_axes * n_c;
        made->blocks[j] = arena_doubles(arena, size * size);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

struct collection {
    const struct balance *balance;
    enum balance_joints joints;
};

static void collect_block(void *context, int j, struct joint_scratch *scratch)
{
    const struct collection *collection = context;
    const struct balance *balance = collection->balance;
    (void)scratch;
    balance_joint_block(balance, collection->joints, j, balance->linear->blocks[j]);
}

/* Products with all blocks, us */
static double blocks_cost(const struct balance *balance)
{
    double total = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        double size = balance->joints[j]->n_axes * balance->n_coefficients;
        total += PRODUCT_COST * size * size;
    }
    return total;
}

enum masing_status balance_linearize(struct balance *balance, enum balance_joints joints,
                                     const double *y, double omega, double *residual,
                                     double *residual_omega)
{
    struct collection collection = {balance, joints};
    NEED(balance_evaluate(balance, joints, y, omega, residual, NULL, residual_omega));
    balance_joints_share(balance, blocks_cost(balance), collect_block, &collection);
    balance->linear->omega = omega;
    balance->linear->count++;
    return MASING_OK;
}

long balance_linearisations(const struct balance *balance)
{
    return balance->linear->count;
}

struct application {
    const struct balance *balance;
    const double *x;
};

static void apply_block(void *context, int j, struct joint_scratch *scratch)
{
    const struct application *application = context;
    const struct balance *balance = application->balance;
    const struct joint *joint = balance->joints[j]->joint;
    int size = joint->n_axes * balance->n_coefficients;
    double *dx = scratch->change, *df = dx + size;
    balance_joints_gather(balance, joint, application->x, dx);
    dense_multiply_vector(size, size, false, balance->linear->blocks[j], dx, df);
    balance_joints_put(balance, joint, df, false, balance->linear->force);
}

/* force = D x */
static void apply_blocks(struct balance *balance, const double *x)
{
    struct application application = {balance, x};
    balance_joints_share(balance, blocks_cost(balance), apply_block, &application);
}

enum masing_status balance_apply(struct balance *balance, const double *x, double *product)
{
    apply_blocks(balance, x);
    return balance_rows_change(balance, x, balance->linear->force, balance->linear->omega,
                               product);
}

bool balance_has_near(const struct balance *balance)
{
    return compliance_has_near(balance->compliance);
}

enum masing_status balance_apply_near(struct balance *balance, const double *x, double *product)
{
    apply_blocks(balance, x);
    return balance_rows_change_near(balance, x, balance->linear->force, balance->linear->omega,
                                    product);
}

enum masing_status balance_operator_create(struct balance *balance, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (balance->linear) {
        return MASING_OK;
    }
    balance->linear = memory_array(1, sizeof *balance->linear);
    NEED_ALLOCATED(balance->linear);
    TRY(allocate_blocks(balance, balance->linear, error));
    TRY(springs_allocate(balance, error));
    TRY(balance_refer(balance, BALANCE_STUCK));
done:
    if (status != MASING_OK) {
        balance_operator_destroy(balance->linear);
        balance->linear = NULL;
    }
    return status;
}

void balance_operator_destroy(struct balance_operator *linear)
{
    if (linear) {
        arena_clear(&linear->arena);
        free(linear);
    }
}

/* ---- the preconditioner ---- */

/* z [n_modes * n_modes] = Z of the modes that are condensed at harmonic index k */
static void fill_condensed(const struct balance *balance, int k, double omega,
                           double complex *z)
{
    const struct structure *structure = balance->structure;
    size_t n = (size_t)balance->linear->n_modes, n_all = (size_t)structure->n_modes;
    int h = balance_harmonic(balance, k);
    double q = h * omega, eta = h > 0 ? structure->loss_factor : 0.0;
    for (size_t j = 0; j < n; j++) {
        double own = structure->omega[j];
        for (size_t i = 0; i < n && structure->damping_matrix; i++) {
            z[j * n + i] = I * q * structure->damping_matrix[j * n_all + i];
        }
        z[j * (n + 1)] = (own - q) * (own + q) + (h > 0 ? structure_rest(structure, j) : 0.0) +
                         I * (q * structure->modal_damping[j] + eta * own * own);
    }
}

/* ... and of the others, in place of it */
static void fill_uncondensed(const struct balance *balance, int k, double omega,
                             double complex *z)
{
    size_t n = (size_t)balance->linear->n_modes;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        double value[2], slope[2];
        size_t row = (size_t)mode->mode;
        if (mode->harmonic_index != k) {
            continue;
        }
        if (balance_harmonic(balance, k) > 0) {
            balance_mode_stiffness(balance, mode, omega, value, slope);
            z[row * (n + 1)] = value[0] + I * value[1];
            continue;
        }
        for (int i = 0; i < balance->n_rigid; i++) {
            z[(size_t)balance->modes[i].mode * n + row] =
                balance->hold[e * balance->n_rigid + i];
        }
    }
}

/* ... and with some loss in each of them */
static void add_loss(const struct balance *balance, int k, double omega, double complex *z)
{
    size_t n = (size_t)balance->linear->n_modes;
    double q = balance_harmonic(balance, k) * omega, least = LEAST_LOSS * q * q;
    for (size_t j = 0; j < n; j++) {
        double complex *own = &z[j * (n + 1)];
        *own += I * (fmax(least, cimag(*own)) - cimag(*own));
    }
}

struct factoring {
    const struct balance *balance;
    double omega;
    bool is_exact;
};

static void factor_harmonic(void *context, int k, int worker)
{
    const struct factoring *factoring = context;
    const struct balance *balance = factoring->balance;
    struct balance_operator *linear = balance->linear;
    size_t n = (size_t)linear->n_modes;
    double complex *z = linear->stiffness + (size_t)k * n * n;
    int *pivots = linear->pivots + (size_t)k * n;
    (void)worker;
    memset(z, 0, sizeof *z * n * n);
    fill_condensed(balance, k, factoring->omega, z);
    fill_uncondensed(balance, k, factoring->omega, z);
    if (!factoring->is_exact) {
        add_loss(balance, k, factoring->omega, z);
    }
    const double *sum = springs_of(balance, k)->sum;
    for (size_t i = 0; i < n * n; i++) {
        z[i] += sum[i];
    }
    if (n > 0 && lu_factor_complex((int)n, z, pivots) != MASING_OK) {
        pivots[0] = 0; /* no pivot has this number */
    }
}

static enum masing_status factor_modes(struct balance *balance, double omega, bool is_exact)
{
    struct balance_operator *linear = balance->linear;
    struct factoring factoring = {balance, omega, is_exact};
    size_t n = (size_t)linear->n_modes;
    int n_harmonics = balance->basis->n_harmonics;
    if (linear->factored == omega && linear->is_exact == is_exact) {
        return MASING_OK;
    }
    linear->factored = 0.0;
    linear->is_exact = is_exact;
    thread_pool_share(n * n * n > WORTH_WAKING ? balance->pool : NULL, n_harmonics, 1,
                      factor_harmonic, &factoring);
    for (size_t k = 0; n > 0 && k < (size_t)n_harmonics; k++) {
        if (linear->pivots[k * n] == 0) {
            return MASING_SINGULAR;
        }
    }
    linear->factored = omega;
    return MASING_OK;
}

/* Some columns of motion, all of the same springs. */
struct columns {
    const struct balance *balance;
    const struct springs *springs;
    int first, end;
    int width; /* of those that a thread solves for */
};

/* B^T of the ports' right-hand sides, then N^-1 of that */
static void solve_panel(void *context, int panel, int worker)
{
    const struct columns *of = context;
    const struct balance *balance = of->balance;
    int first = of->first + panel * of->width, left = of->end - first;
    int n_columns = left < of->width ? left : of->width;
    double *columns = balance->linear->motion + (size_t)first * (size_t)balance->n_axes;
    (void)worker;
    for (int c = 0; c < n_columns; c++) {
        springs_scale_axes(balance, of->springs, columns + (size_t)c * (size_t)balance->n_axes);
    }
    if (balance->linear->has_flexibility) {
        springs_solve(balance, of->springs, first, columns, n_columns);
    }
}

static void take_forces(const struct balance *balance, const double *x)
{
    size_t n_axes = (size_t)balance->n_axes;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const double *factor = balance->row_factor + (size_t)k * (size_t)balance->n_out;
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            size_t at = (size_t)(balance->basis->position[k] + side) * n_axes;
            for (size_t a = 0; a < n_axes; a++) {
                balance->linear->motion[at + a] = x[at + a] / factor[a];
            }
        }
    }
}

/* n / size, rounded up */
static int parts_of(int n, int size)
{
    return (n + size - 1) / size;
}

/* ... and modal [n_modes * n_c] = Psi^T of it. A column's bits do not depend on which others
 * its thread solves for. */
static void solve_flexible(struct columns *of)
{
    const struct balance *balance = of->balance;
    const struct balance_operator *linear = balance->linear;
    size_t n_axes = (size_t)balance->n_axes, first = (size_t)of->first;
    int n_columns = of->end - of->first;
    bool is_large = linear->has_flexibility && n_axes * n_axes > WORTH_WAKING;
    struct thread_pool *pool = is_large ? balance->pool : NULL;
    of->width =
        parts_of(parts_of(n_columns, thread_pool_size(pool)), FEW_COLUMNS) * FEW_COLUMNS;
    thread_pool_share(pool, parts_of(n_columns, of->width), 1, solve_panel, of);
    dense_multiply_transposed(linear->n_modes, n_columns, balance->n_axes, of->springs->shapes,
                              linear->motion + first * n_axes,
                              linear->modal + first * (size_t)linear->n_modes);
}

/* modal [n_modes * n_c] = coordinates of the modes, from Psi^T N^-1 B^T r there */
static void solve_modes(const struct balance *balance, const double *x)
{
    struct balance_operator *linear = balance->linear;
    size_t n = (size_t)linear->n_modes;
    for (size_t i = 0; i < n * (size_t)balance->n_coefficients; i++) {
        linear->modal[i] = -linear->modal[i];
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index;
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            size_t column = (size_t)(balance->basis->position[k] + side);
            linear->modal[column * n + (size_t)mode->mode] +=
                mode->scale * x[mode->position + side];
        }
    }
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        bool is_pair = balance_harmonic(balance, k) > 0;
        double *a = linear->modal + (size_t)balance->basis->position[k] * n, *b = a + n;
        for (size_t i = 0; i < n; i++) {
            linear->column[i] = a[i] - I * (is_pair ? b[i] : 0.0);
        }
        lu_solve_complex((int)n, linear->stiffness + (size_t)k * n * n,
                         linear->pivots + (size_t)k * n, linear->column, 1);
        for (size_t i = 0; i < n; i++) {
            a[i] = creal(linear->column[i]);
            if (is_pair) {
                b[i] = -cimag(linear->column[i]);
            }
        }
    }
}

/* Unknowns that are no motion of the axes: observed output and modes */
static void put_others(const struct balance *balance, double *x)
{
    const struct balance_operator *linear = balance->linear;
    size_t n = (size_t)linear->n_modes, n_axes = (size_t)balance->n_axes;
    const double *out = balance->compliance->out + n_axes * (size_t)balance->structure->n_modes;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int k = mode->harmonic_index;
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            size_t column = (size_t)(balance->basis->position[k] + side);
            x[mode->position + side] = linear->modal[column * n + (size_t)mode->mode];
        }
    }
    for (int i = 0; i < balance->n_observed; i++) {
        int k = balance->observed[i], place = k * balance->n_out + balance->n_axes;
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            size_t column = (size_t)(balance->basis->position[k] + side);
            int at = balance->row[place] + side;
            x[at] = x[at] / balance->row_factor[place] -
                    dense_dot(balance->n_axes, springs_of(balance, k)->observed,
                              linear->motion + column * n_axes) +
                    dense_dot(linear->n_modes, out, linear->modal + column * n);
        }
    }
}

/* x [n_axes * columns]: the motion, back at the axes */
static void put_motion(const struct columns *of, double *x)
{
    const struct balance *balance = of->balance;
    int n_axes = balance->n_axes;
    for (int c = of->first; c < of->end; c++) {
        double *column = balance->linear->motion + (size_t)c * (size_t)n_axes;
        springs_unscale_axes(balance, of->springs, column);
        memcpy(x + (size_t)c * (size_t)n_axes, column, sizeof *x * (size_t)n_axes);
    }
}

static enum masing_status precondition(struct balance *balance, double omega, bool is_exact,
                                       double *x)
{
    struct balance_operator *linear = balance->linear;
    int n_axes = balance->n_axes, n = linear->n_modes, n_used = linear->n_used;
    struct columns columns[MOST_SPRINGS];
    for (int s = 0; s < n_used; s++) {
        int end = n_used > 1 && s == 0 ? 1 : balance->n_coefficients;
        columns[s] = (struct columns){balance, &linear->springs[s], s, end, 0};
    }
    NEED(factor_modes(balance, omega, is_exact));
    take_forces(balance, x);
    for (int s = 0; s < n_used; s++) {
        solve_flexible(&columns[s]);
    }
    solve_modes(balance, x);
    for (int s = 0; s < n_used; s++) {
        size_t first = (size_t)columns[s].first;
        dense_add_parts(n_axes, columns[s].end - columns[s].first, n, columns[s].springs->reach,
                        n_axes, linear->modal + first * (size_t)n, n,
                        linear->motion + first * (size_t)n_axes, n_axes);
    }
    put_others(balance, x);
    for (int s = 0; s < n_used; s++) {
        put_motion(&columns[s], x);
    }
    return MASING_OK;
}

enum masing_status balance_precondition(struct balance *balance, double *x)
{
    return precondition(balance, balance->linear->omega, false, x);
}

/* Steps at most, and the change that is small enough, beside the motion: what P leaves out is
 * mended step by step. */
enum { MOST_STEPS = 20 };
/* Of the solution: aimed at, and more than a solution leaves. */
static const double SMALL_CHANGE = 1e-10, LARGE_CHANGE = 1e-6;

enum masing_status balance_linear_response(struct balance *balance, double omega, double *y,
                                           double *change)
{
    size_t n = (size_t)balance->n_unknowns;
    double size = 0.0, last = INFINITY;
    memset(y, 0, sizeof *y * n);
    for (int step = 0; step < MOST_STEPS && last > SMALL_CHANGE * size; step++) {
        NEED(balance_evaluate(balance, balance->linear->joints, y, omega, change, NULL, NULL));
        NEED(precondition(balance, omega, true, change));
        double now = dense_max_norm(n, change);
        if (!(now < last)) {
            break;
        }
        for (size_t i = 0; i < n; i++) {
            y[i] -= change[i];
        }
        size = dense_max_norm(n, y);
        last = now;
    }
    return last <= LARGE_CHANGE * size ? MASING_OK : MASING_NOT_CONVERGED;
}
