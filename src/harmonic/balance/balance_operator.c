/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * H = M + Phi Z^-1 Phi^T at the joints' axes, with the modes Phi, their dynamic stiffness Z and
 * M real and static: flexibility of massless DOFs and of modes that are not there or far away.
 * With K = B B^T and w = B^T W the stuck equations (I + H K) W = r become
 *   N w = B^T r + Psi q,   N = I + B^T M B,  Psi = B^T Phi,
 *   (Z + S) q = r_q - Psi^T N^-1 B^T r,  S = Psi^T U,  U = N^-1 Psi,
 * in which an uncondensed mode is one with a right-hand side of its own and its own Z. N is
 * symmetric, positive definite and the same for all harmonics; B is a block per joint.
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
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/packed_cholesky.h"
#include "linalg/symmetric.h"
#include "model/joints.h"

/*
 * So few modes are all taken as they are. Of more, those count as static that lie above the
 * first number times the highest frequency, and all but so many above the second: each of the
 * others costs its square for every harmonic, and a static one is wrong by the square of the
 * ratio of the frequencies.
 */
static const double SURELY_STATIC = 10.0, PERHAPS_STATIC = 2.0;
enum { FEW_MODES = 100 };
/* Least stiffness of a joint's axis beside the structure's: B is inverted. */
static const double LEAST_STIFFNESS = 1e-13;
/* Columns that are solved for together, whoever does it; entries of N from which threads are
 * worth waking; us, roughly, of a product with a number of a joint's block. */
enum { PANEL_COLUMNS = 8, WORTH_WAKING = 1 << 15 };
static const double PRODUCT_COST = 5e-4;
/* Loss of a mode at least, beside its inertia, where the preconditioner is only near: without
 * any it has no inverse at the resonances with the joints stuck, which the joints make finite.
 */
static const double LEAST_LOSS = 1e-6;

struct balance_operator {
    struct arena arena; /* of all arrays */
    double omega;       /* where it was linearised last */
    long count;         /* how often */
    double **blocks;    /* [n_joints] of [(n_axes n_c)^2], the joints' derivatives */
    double *force;      /* [n_harmonics][n_in][2] change of the ports' forces */
    /* the joints as springs */
    enum balance_joints joints; /* stuck, free, or as stiff as their laws in the mean */
    bool has_reference;         /* to those: all below is theirs */
    int n_modes;                /* the first ones; others are static */
    double (*roots)[MASING_MAX_AXES * MASING_MAX_AXES]; /* [n_joints] B, column-major */
    bool has_flexibility;                               /* false: N is the identity */
    double *flexibility;                                /* N, packed, and its factor */
    double *still;             /* [n_axes * static modes] scratch, as the next two */
    double *joint_columns;     /* [n_axes * n_axes of a joint] */
    double *port_reach;        /* [n_dofs] */
    double *shapes, *reach;    /* [n_axes * n_modes] Psi, U */
    double *sum;               /* [n_modes * n_modes] S */
    double *observed;          /* [n_axes] B^T M to the observed output */
    double complex *stiffness; /* [n_harmonics][n_modes * n_modes] Z + S, factored */
    int *pivots;               /* [n_harmonics][n_modes] */
    double factored;           /* omega of that; 0: none */
    bool is_exact;             /* without LEAST_LOSS */
    double complex *column;    /* [n_modes] */
    double *motion, *modal;    /* [n_axes * n_c], [n_modes * n_c] */
};

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

enum masing_status balance_apply(struct balance *balance, const double *x, double *product)
{
    struct application application = {balance, x};
    balance_joints_share(balance, blocks_cost(balance), apply_block, &application);
    return balance_rows_change(balance, x, balance->linear->force, balance->linear->omega,
                               product);
}

/* ---- the joints as springs ---- */

static double highest_frequency(const struct balance *balance)
{
    const struct masing_spec *spec = &balance->model->spec;
    const struct basis *basis = balance->basis;
    return fmax(spec->omega_from, spec->omega_to) * basis->harmonics[basis->n_harmonics - 1];
}

static int count_modes(const struct balance *balance)
{
    const struct structure *structure = balance->structure;
    double top = highest_frequency(balance);
    int most = structure_count_modes(structure, SURELY_STATIC * top);
    int least = structure_count_modes(structure, PERHAPS_STATIC * top);
    int wanted = least > FEW_MODES ? least : FEW_MODES;
    return structure->n_modes <= FEW_MODES || most > structure->n_modes ? structure->n_modes
           : most < wanted                                              ? most
                                                                        : wanted;
}

/* What each axis of a joint has of its stiffness in the mean over the period: the change of
 * the lowest harmonic of its force with that of its own displacement, where it was linearised
 * last. Couplings of the axes are left out: the lowest harmonic feels none of those that slip.
 */
static void fill_mean_tangent(const struct balance *balance, int j, double *tangent)
{
    const struct joint *joint = balance->joints[j]->joint;
    const double *block = balance->linear->blocks[j];
    size_t n = (size_t)joint->n_axes, n_c = (size_t)balance->n_coefficients, size = n * n_c;
    int n_sides = basis_sides(balance->basis, 0);
    size_t first = (size_t)balance->basis->position[0];
    memset(tangent, 0, sizeof *tangent * n * n);
    for (size_t a = 0; a < n; a++) {
        double sum = 0.0;
        for (size_t side = 0; side < (size_t)n_sides; side++) {
            sum += block[(a * n_c + first + side) * (size + 1)];
        }
        tangent[a * n + a] = fmax(sum, 0.0) / n_sides;
    }
}

static void fill_tangent(const struct balance *balance, enum balance_joints joints, int j,
                         double *tangent)
{
    if (joints == BALANCE_LAWS) {
        fill_mean_tangent(balance, j, tangent);
    } else {
        joint_stiffness(balance->joints[j]->joint, joints == BALANCE_STUCK, tangent);
    }
}

/* B of a joint, lower triangular. Where a pivot is none, or hardly, the axis stands alone. */
static void fill_root(const struct balance *balance, enum balance_joints joints, int j)
{
    const struct joint *joint = balance->joints[j]->joint;
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], *root = balance->linear->roots[j];
    int n = joint->n_axes;
    fill_tangent(balance, joints, j, tangent);
    memset(root, 0, sizeof *root * MASING_MAX_AXES * MASING_MAX_AXES);
    for (int b = 0; b < n; b++) {
        double compliance = 0.0, pivot = tangent[b * n + b];
        for (int k = 0; k < balance->basis->n_harmonics; k++) {
            compliance = fmax(compliance,
                              balance->row_scale[k * balance->n_out + joint->first_axis + b]);
        }
        for (int c = 0; c < b; c++) {
            pivot -= root[c * n + b] * root[c * n + b];
        }
        double least = LEAST_STIFFNESS / compliance;
        root[b * n + b] = sqrt(fmax(pivot, least));
        for (int a = b + 1; a < n && pivot > least; a++) {
            double entry = tangent[b * n + a];
            for (int c = 0; c < b; c++) {
                entry -= root[c * n + a] * root[c * n + b];
            }
            root[b * n + a] = entry / root[b * n + b];
        }
    }
}

/* values [n_axes] of all joints' axes become B^T values, or B^-T values */
static void scale_axes(const struct balance *balance, double *values)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        const double *root = balance->linear->roots[j];
        double *own = values + joint->first_axis;
        for (int b = 0, n = joint->n_axes; b < n; b++) {
            double sum = 0.0;
            for (int a = b; a < n; a++) {
                sum += root[b * n + a] * own[a];
            }
            own[b] = sum;
        }
    }
}

static void unscale_axes(const struct balance *balance, double *values)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        const double *root = balance->linear->roots[j];
        double *own = values + joint->first_axis;
        for (int n = joint->n_axes, b = n - 1; b >= 0; b--) {
            for (int a = b + 1; a < n; a++) {
                own[b] -= root[b * n + a] * own[a];
            }
            own[b] /= root[b * n + b];
        }
    }
}

/* columns [n_axes * n] = B^T of the first, first + 1, ... modes at the axes, each over
 * its frequency where they are static */
static void take_shapes(const struct balance *balance, int first, int n, bool is_static,
                        double *columns)
{
    const struct structure *structure = balance->structure;
    const double *in = balance->compliance->in;
    size_t n_axes = (size_t)balance->n_axes, n_modes = (size_t)structure->n_modes;
    for (size_t m = 0; m < (size_t)n; m++) {
        size_t mode = (size_t)first + m;
        for (size_t a = 0; a < n_axes; a++) {
            columns[m * n_axes + a] =
                in[a * n_modes + mode] / (is_static ? structure->omega[mode] : 1.0);
        }
        scale_axes(balance, columns + m * n_axes);
    }
}

/* reach [n_dofs] = flexibility times a port's weights */
static void port_reach(const struct balance *balance, const struct compliance_ports *ports,
                       int port, double *reach)
{
    size_t n = (size_t)balance->structure->n_dofs;
    memset(reach, 0, sizeof *reach * n);
    for (size_t e = ports->first[port]; e < ports->first[port + 1]; e++) {
        symmetric_add_column(n, balance->structure->flexibility, (size_t)ports->dofs[e],
                             ports->weights[e], reach);
    }
}

/* values [n_axes]: B^T of the axes' motions by the flexibility when a port is pushed */
static void static_motion(const struct balance *balance, const struct compliance_ports *ports,
                          int port, double *values)
{
    double *reach = balance->linear->port_reach;
    if (!balance->structure->flexibility) {
        memset(values, 0, sizeof *values * (size_t)balance->n_axes);
        return;
    }
    port_reach(balance, ports, port, reach);
    for (int a = 0; a < balance->n_axes; a++) {
        values[a] = compliance_ports_value(&balance->compliance->in_ports, a, reach);
    }
    scale_axes(balance, values);
}

/* Lower triangle of N in the columns of a joint */
static void fill_joint_columns(const struct balance *balance, int j, int n_static)
{
    const struct joint *joint = balance->joints[j]->joint;
    const double *root = balance->linear->roots[j], *still = balance->linear->still;
    double *columns = balance->linear->joint_columns;
    int n_axes = balance->n_axes, first = joint->first_axis, n = joint->n_axes;
    for (int a = 0; a < n; a++) {
        static_motion(balance, &balance->compliance->in_ports, first + a,
                      columns + (size_t)a * (size_t)n_axes);
    }
    for (int b = 0; b < n; b++) { /* times B, lower triangular: in place */
        double *column = columns + (size_t)b * (size_t)n_axes;
        for (int i = first; i < n_axes; i++) {
            double sum = 0.0;
            for (int a = b; a < n; a++) {
                sum += columns[(size_t)a * (size_t)n_axes + (size_t)i] * root[b * n + a];
            }
            column[i] = sum;
        }
    }
    for (int b = 0; b < n; b++) {
        double *column = columns + (size_t)b * (size_t)n_axes;
        for (int m = 0; m < n_static; m++) {
            const double *mode = still + (size_t)m * (size_t)n_axes;
            for (int i = first + b; i < n_axes; i++) {
                column[i] += mode[first + b] * mode[i];
            }
        }
        column[first + b] += 1.0;
        for (int i = first + b; i < n_axes; i++) {
            balance->linear
                ->flexibility[packed_place((size_t)n_axes, (size_t)i, (size_t)(first + b))] =
                column[i];
        }
    }
}

/* N and its factor, and the way to the observed output */
static enum masing_status fill_flexibility(const struct balance *balance)
{
    struct balance_operator *linear = balance->linear;
    const struct structure *structure = balance->structure;
    int n_static = structure->n_modes - linear->n_modes;
    size_t n_axes = (size_t)balance->n_axes, n_modes = (size_t)structure->n_modes;
    take_shapes(balance, linear->n_modes, n_static, true, linear->still);
    for (int j = 0; j < balance->n_joints; j++) {
        fill_joint_columns(balance, j, n_static);
    }
    static_motion(balance, &balance->compliance->out_ports, balance->n_axes, linear->observed);
    for (int m = 0; m < n_static; m++) {
        size_t mode = (size_t)(linear->n_modes + m);
        double share =
            balance->compliance->out[n_axes * n_modes + mode] / structure->omega[mode];
        for (size_t a = 0; a < n_axes; a++) {
            linear->observed[a] += share * linear->still[(size_t)m * n_axes + a];
        }
    }
    return packed_cholesky_factor(balance->n_axes, linear->flexibility);
}

static enum masing_status allocate_springs(const struct balance *balance,
                                           struct masing_error *error)
{
    struct balance_operator *made = balance->linear;
    struct arena *arena = &made->arena;
    size_t n_axes = (size_t)balance->n_axes, n_c = (size_t)balance->n_coefficients;
    size_t n_harmonics = (size_t)balance->basis->n_harmonics;
    made->n_modes = count_modes(balance);
    made->has_flexibility =
        balance->structure->flexibility || made->n_modes < balance->structure->n_modes;
    size_t n = (size_t)made->n_modes;
    made->roots = arena_array(arena, (size_t)balance->n_joints, sizeof *made->roots);
    made->shapes = arena_doubles(arena, n_axes * n);
    made->reach = arena_doubles(arena, n_axes * n);
    made->sum = arena_doubles(arena, n * n);
    made->observed = arena_doubles(arena, n_axes);
    made->stiffness = arena_array(arena, n_harmonics * n * n, sizeof *made->stiffness);
    made->pivots = arena_array(arena, n_harmonics * n, sizeof *made->pivots);
    made->column = arena_array(arena, n, sizeof *made->column);
    made->motion = arena_doubles(arena, n_axes * n_c);
    made->modal = arena_doubles(arena, n * n_c);
    if (made->has_flexibility) {
        size_t n_static = (size_t)balance->structure->n_modes - n;
        made->flexibility = arena_doubles(arena, packed_size(n_axes));
        made->still = arena_doubles(arena, n_axes * n_static);
        made->joint_columns = arena_doubles(arena, n_axes * MASING_MAX_AXES);
        made->port_reach = arena_doubles(arena, (size_t)balance->structure->n_dofs);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status refer(struct balance *balance, enum balance_joints joints)
{
    struct balance_operator *linear = balance->linear;
    size_t n_entries = (size_t)balance->n_axes * (size_t)linear->n_modes;
    linear->has_reference = false;
    linear->factored = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        fill_root(balance, joints, j);
    }
    take_shapes(balance, 0, linear->n_modes, false, linear->shapes);
    memcpy(linear->reach, linear->shapes, sizeof *linear->reach * n_entries);
    if (linear->has_flexibility) {
        NEED(fill_flexibility(balance));
        packed_cholesky_solve(balance->n_axes, linear->flexibility, linear->reach,
                              linear->n_modes);
    }
    dense_multiply_transposed(linear->n_modes, linear->n_modes, balance->n_axes, linear->shapes,
                              linear->reach, linear->sum);
    linear->joints = joints;
    linear->has_reference = true;
    return MASING_OK;
}

enum masing_status balance_refer(struct balance *balance, enum balance_joints joints)
{
    const struct balance_operator *linear = balance->linear;
    return linear->has_reference && linear->joints == joints ? MASING_OK
                                                             : refer(balance, joints);
}

enum masing_status balance_renew(struct balance *balance, bool is_first)
{
    enum masing_status status =
        is_first ? balance_refer(balance, BALANCE_STUCK) : refer(balance, BALANCE_LAWS);
    return status == MASING_OK || is_first ? status : balance_refer(balance, BALANCE_STUCK);
}

/* A multiplication and addition of the factor takes a third of the time of one of a product
 * with few columns. */
static const double FACTOR_COST = 1.0 / 3.0;

double balance_renewal_cost(const struct balance *balance)
{
    const struct balance_operator *linear = balance->linear;
    double n = balance->n_axes, n_c = balance->n_coefficients;
    double n_static =
        linear->has_flexibility ? balance->structure->n_modes - linear->n_modes : 0;
    double factor = linear->has_flexibility ? n / 6.0 : 0.0;
    double made = n * n * (FACTOR_COST * factor + 0.5 * n_static + linear->n_modes);
    double iteration = n_c * n * (2.0 * n + 4.0 * linear->n_modes);
    return made / iteration;
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
    TRY(allocate_springs(balance, error));
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
    for (size_t i = 0; i < n * n; i++) {
        z[i] += linear->sum[i];
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

/* Columns of motion: B^T of the ports' right-hand sides, then N^-1 of that */
static void solve_panel(void *context, int panel, int worker)
{
    const struct balance *balance = context;
    struct balance_operator *linear = balance->linear;
    int first = panel * PANEL_COLUMNS, left = balance->n_coefficients - first;
    int n_columns = left < PANEL_COLUMNS ? left : PANEL_COLUMNS;
    double *columns = linear->motion + (size_t)first * (size_t)balance->n_axes;
    (void)worker;
    for (int c = 0; c < n_columns; c++) {
        scale_axes(balance, columns + (size_t)c * (size_t)balance->n_axes);
    }
    if (linear->has_flexibility) {
        packed_cholesky_solve(balance->n_axes, linear->flexibility, columns, n_columns);
    }
}

static void solve_flexible(struct balance *balance, const double *x)
{
    size_t n_axes = (size_t)balance->n_axes;
    int n_c = balance->n_coefficients;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        const double *factor = balance->row_factor + (size_t)k * (size_t)balance->n_out;
        for (int side = 0; side < basis_sides(balance->basis, k); side++) {
            size_t at = (size_t)(balance->basis->position[k] + side) * n_axes;
            for (size_t a = 0; a < n_axes; a++) {
                balance->linear->motion[at + a] = x[at + a] / factor[a];
            }
        }
    }
    bool is_large = balance->linear->has_flexibility && n_axes * n_axes > WORTH_WAKING;
    thread_pool_share(is_large ? balance->pool : NULL,
                      (n_c + PANEL_COLUMNS - 1) / PANEL_COLUMNS, 1, solve_panel, balance);
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
            x[at] =
                x[at] / balance->row_factor[place] -
                dense_dot(balance->n_axes, linear->observed, linear->motion + column * n_axes) +
                dense_dot(linear->n_modes, out, linear->modal + column * n);
        }
    }
}

static enum masing_status precondition(struct balance *balance, double omega, bool is_exact,
                                       double *x)
{
    struct balance_operator *linear = balance->linear;
    int n_axes = balance->n_axes, n_c = balance->n_coefficients, n = linear->n_modes;
    NEED(factor_modes(balance, omega, is_exact));
    solve_flexible(balance, x);
    dense_multiply_transposed(n, n_c, n_axes, linear->shapes, linear->motion, linear->modal);
    solve_modes(balance, x);
    dense_add_parts(n_axes, n_c, n, linear->reach, n_axes, linear->modal, n, linear->motion,
                    n_axes);
    put_others(balance, x);
    for (int c = 0; c < n_c; c++) {
        double *column = linear->motion + (size_t)c * (size_t)n_axes;
        unscale_axes(balance, column);
        memcpy(x + (size_t)c * (size_t)n_axes, column, sizeof *x * (size_t)n_axes);
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
