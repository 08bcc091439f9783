/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance_springs.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"
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

/* What each axis of a joint has of its stiffness over the period: the change of its force with
 * its own displacement where it was linearised last, harmonic by harmonic; the mean over those
 * that the springs are for. Couplings of axes and of harmonics are left out. */
static void fill_mean_tangent(const struct balance *balance, int s, int j, double *tangent)
{
    const struct balance_operator *linear = balance->linear;
    const struct joint *joint = balance->joints[j]->joint;
    const double *block = linear->blocks[j];
    size_t n = (size_t)joint->n_axes, n_c = (size_t)balance->n_coefficients, size = n * n_c;
    bool has_mean = balance_harmonic(balance, 0) == 0;
    size_t first = s > 0 ? 1 : 0, end = has_mean && s == 0 ? 1 : n_c;
    memset(tangent, 0, sizeof *tangent * n * n);
    for (size_t a = 0; a < n; a++) {
        double sum = 0.0;
        for (size_t c = first; c < end; c++) {
            sum += block[(a * n_c + c) * (size + 1)];
        }
        tangent[a * n + a] = fmax(sum, 0.0) / (double)(end - first);
    }
}

static void fill_tangent(const struct balance *balance, enum balance_joints joints, int s,
                         int j, double *tangent)
{
    if (joints == BALANCE_LAWS) {
        fill_mean_tangent(balance, s, j, tangent);
    } else {
        joint_stiffness(balance->joints[j]->joint, joints == BALANCE_STUCK, tangent);
    }
}

/* Of an axis, m/N, over the harmonics */
static double largest_compliance(const struct balance *balance, int axis)
{
    double compliance = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        compliance = fmax(compliance, balance->row_scale[k * balance->n_out + axis]);
    }
    return compliance;
}

/* B of a joint, lower triangular. Where a pivot is none, or hardly, the axis stands alone. */
static void fill_root(const struct balance *balance, enum balance_joints joints, int s, int j)
{
    const struct joint *joint = balance->joints[j]->joint;
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
    double *root = balance->linear->springs[s].roots[j];
    int n = joint->n_axes;
    fill_tangent(balance, joints, s, j, tangent);
    memset(root, 0, sizeof *root * MASING_MAX_AXES * MASING_MAX_AXES);
    for (int b = 0; b < n; b++) {
        double pivot = tangent[b * n + b];
        double compliance = largest_compliance(balance, joint->first_axis + b);
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
void springs_scale_axes(const struct balance *balance, const struct springs *springs,
                        double *values)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        const double *root = springs->roots[j];
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

void springs_unscale_axes(const struct balance *balance, const struct springs *springs,
                          double *values)
{
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        const double *root = springs->roots[j];
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
static void take_shapes(const struct balance *balance, const struct springs *springs, int first,
                        int n, bool is_static, double *columns)
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
        springs_scale_axes(balance, springs, columns + m * n_axes);
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
static void static_motion(const struct balance *balance, const struct springs *springs,
                          const struct compliance_ports *ports, int port, double *values)
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
    springs_scale_axes(balance, springs, values);
}

/* Lower triangle of N in the columns of a joint */
static void fill_joint_columns(const struct balance *balance, const struct springs *springs,
                               int j, int n_static)
{
    const struct joint *joint = balance->joints[j]->joint;
    const double *root = springs->roots[j], *still = balance->linear->still;
    double *columns = balance->linear->joint_columns;
    int n_axes = balance->n_axes, first = joint->first_axis, n = joint->n_axes;
    for (int a = 0; a < n; a++) {
        static_motion(balance, springs, &balance->compliance->in_ports, first + a,
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
        tiled_cholesky_set_column(&springs->flexibility, (size_t)(first + b),
                                  column + first + b);
    }
}

/* N and its factor, and the way to the observed output */
static enum masing_status fill_flexibility(const struct balance *balance,
                                           const struct springs *springs)
{
    const struct balance_operator *linear = balance->linear;
    const struct structure *structure = balance->structure;
    int n_static = structure->n_modes - linear->n_modes;
    size_t n_axes = (size_t)balance->n_axes, n_modes = (size_t)structure->n_modes;
    take_shapes(balance, springs, linear->n_modes, n_static, true, linear->still);
    for (int j = 0; j < balance->n_joints; j++) {
        fill_joint_columns(balance, springs, j, n_static);
    }
    static_motion(balance, springs, &balance->compliance->out_ports, balance->n_axes,
                  springs->observed);
    for (int m = 0; m < n_static; m++) {
        size_t mode = (size_t)(linear->n_modes + m);
        double share =
            balance->compliance->out[n_axes * n_modes + mode] / structure->omega[mode];
        for (size_t a = 0; a < n_axes; a++) {
            springs->observed[a] += share * linear->still[(size_t)m * n_axes + a];
        }
    }
    return tiled_cholesky_factor(&springs->flexibility);
}

/* Springs of their own for the mean are worth their memory up to so many axes. */
enum { MOST_AXES_FOR_TWO = 4000 };

static int count_springs(const struct balance *balance)
{
    bool has_both = balance_harmonic(balance, 0) == 0 && balance->basis->n_harmonics > 1;
    return has_both && balance->n_axes <= MOST_AXES_FOR_TWO ? 2 : 1;
}

/* N is I and the flexibility in units of the joints' springs. From so many axes it is kept in
 * single precision, unless joints are so many times as stiff as the structure: the error of
 * products with N^-1 is 6e-8 of that ratio, and has to be small for a preconditioner only. */
enum { LEAST_SINGLE = 300 };
static const double MOST_STIFF = 1e4;

/* Stiffness of an axis of a joint that sticks, times the structure's compliance there. */
static double stiffest_joint(const struct balance *balance)
{
    double most = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
        joint_stiffness(joint, true, tangent);
        for (int a = 0; a < joint->n_axes; a++) {
            most = fmax(most, tangent[a * joint->n_axes + a] *
                                  largest_compliance(balance, joint->first_axis + a));
        }
    }
    return most;
}

enum masing_status springs_allocate(const struct balance *balance, struct masing_error *error)
{
    struct balance_operator *made = balance->linear;
    struct arena *arena = &made->arena;
    size_t n_axes = (size_t)balance->n_axes, n_c = (size_t)balance->n_coefficients;
    size_t n_harmonics = (size_t)balance->basis->n_harmonics;
    made->n_modes = count_modes(balance);
    made->has_flexibility =
        balance->structure->flexibility || made->n_modes < balance->structure->n_modes;
    size_t n = (size_t)made->n_modes;
    made->n_springs = count_springs(balance);
    bool is_single = made->has_flexibility && balance->n_axes >= LEAST_SINGLE &&
                     stiffest_joint(balance) <= MOST_STIFF;
    for (int i = 0; i < made->n_springs; i++) {
        struct springs *springs = &made->springs[i];
        springs->roots = arena_array(arena, (size_t)balance->n_joints, sizeof *springs->roots);
        springs->shapes = arena_doubles(arena, n_axes * n);
        springs->reach = arena_doubles(arena, n_axes * n);
        springs->sum = arena_doubles(arena, n * n);
        springs->observed = arena_doubles(arena, n_axes);
        if (made->has_flexibility) {
            springs->flexibility = tiled_cholesky_create(n_axes, is_single, arena);
        }
    }
    made->stiffness = arena_array(arena, n_harmonics * n * n, sizeof *made->stiffness);
    made->pivots = arena_array(arena, n_harmonics * n, sizeof *made->pivots);
    made->column = arena_array(arena, n, sizeof *made->column);
    made->motion = arena_doubles(arena, n_axes * n_c);
    made->modal = arena_doubles(arena, n * n_c);
    if (made->has_flexibility) {
        made->column_bytes = tiled_cholesky_scratch(&made->springs[0].flexibility);
        made->solving = arena_array(arena, n_c, made->column_bytes);
        size_t n_static = (size_t)balance->structure->n_modes - n;
        made->still = arena_doubles(arena, n_axes * n_static);
        made->joint_columns = arena_doubles(arena, n_axes * MASING_MAX_AXES);
        made->port_reach = arena_doubles(arena, (size_t)balance->structure->n_dofs);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

void springs_solve(const struct balance *balance, const struct springs *springs, int first,
                   double *columns, int n)
{
    const struct balance_operator *linear = balance->linear;
    tiled_cholesky_solve(&springs->flexibility, columns, n,
                         linear->solving + (size_t)first * linear->column_bytes);
}

static enum masing_status refer_springs(const struct balance *balance,
                                        enum balance_joints joints, int s)
{
    const struct balance_operator *linear = balance->linear;
    const struct springs *springs = &linear->springs[s];
    size_t n_axes = (size_t)balance->n_axes, n_entries = n_axes * (size_t)linear->n_modes;
    for (int j = 0; j < balance->n_joints; j++) {
        fill_root(balance, joints, s, j);
    }
    take_shapes(balance, springs, 0, linear->n_modes, false, springs->shapes);
    memcpy(springs->reach, springs->shapes, sizeof *springs->reach * n_entries);
    if (linear->has_flexibility) {
        NEED(fill_flexibility(balance, springs));
        for (int m = 0, most = balance->n_coefficients; m < linear->n_modes; m += most) {
            int left = linear->n_modes - m;
            springs_solve(balance, springs, 0, springs->reach + (size_t)m * n_axes,
                          left < most ? left : most);
        }
    }
    dense_multiply_transposed(linear->n_modes, linear->n_modes, balance->n_axes,
                              springs->shapes, springs->reach, springs->sum);
    return MASING_OK;
}

static enum masing_status refer(struct balance *balance, enum balance_joints joints)
{
    struct balance_operator *linear = balance->linear;
    linear->has_reference = false;
    linear->factored = 0.0;
    linear->n_used = joints == BALANCE_LAWS ? linear->n_springs : 1;
    for (int s = 0; s < linear->n_used; s++) {
        NEED(refer_springs(balance, joints, s));
    }
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
    double made =
        linear->n_springs * n * n * (FACTOR_COST * factor + 0.5 * n_static + linear->n_modes);
    double iteration = n_c * n * (2.0 * n + 4.0 * linear->n_modes);
    return made / iteration;
}
