/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/dense.h"
#include "linalg/block_lu.h"

void balance_put_load(const struct balance *balance, int load, int k, const double value[2],
                      double *force)
{
    double *f = force + 2 * balance_port(balance, k, balance->load_column[load]);
    f[0] = value[0];
    f[1] = value[1];
    if (balance->model->loads[load].imaginary) { /* i times the same amplitude */
        f[2] = -value[1];
        f[3] = value[0];
    }
}

void balance_load_forces(const struct balance *balance, double omega, double *force,
                         double *d_force)
{
    const struct masing_model *model = balance->model;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        size_t from = 2 * balance_port(balance, k, balance->n_axes);
        size_t size = sizeof(double) * 2 * (size_t)(balance->n_in - balance->n_axes);
        memset(force + from, 0, size);
        memset(d_force + from, 0, size);
        for (int l = 0; l < model->spec.n_loads; l++) {
            const struct load *load = &model->loads[l];
            if (load->harmonic != balance_harmonic(balance, k)) {
                continue;
            }
            double value[2], slope[2];
            load_amplitude(load, omega, value, slope);
            balance_put_load(balance, l, k, value, force);
            balance_put_load(balance, l, k, slope, d_force);
        }
        if (balance->is_static && balance_harmonic(balance, k) == 0) {
            force[2 * balance_port(balance, k, balance->n_in - 1)] = 1.0;
        }
    }
}

static void remember(struct balance *balance, const double *y, double omega)
{
    memcpy(balance->last_y, y, sizeof(double) * (size_t)balance->n_unknowns);
    balance->last_omega = omega;
    balance->has_last = true;
}

static bool has_derivative(const struct balance *balance)
{
    bool has = true;
    for (int j = 0; has && j < balance->n_joints; j++) {
        has = balance->joints[j]->has_derivative;
    }
    return has;
}

/* Whether the joints were evaluated there last. */
static bool is_settled(const struct balance *balance, const double *y, double omega,
                       bool with_derivative)
{
    size_t size = sizeof(double) * (size_t)balance->n_unknowns;
    return balance->has_last && balance->last_omega == omega &&
           memcmp(balance->last_y, y, size) == 0 &&
           (!with_derivative || has_derivative(balance));
}

enum masing_status balance_evaluate(struct balance *balance, enum balance_joints joints,
                                    const double *y, double omega, double *residual,
                                    double *jacobian, double *residual_omega)
{
    size_t n = (size_t)balance->n_unknowns;
    bool with_derivative = residual_omega != NULL;
    bool is_known = joints == BALANCE_LAWS && is_settled(balance, y, omega, with_derivative);
    if (jacobian && !balance->compliance->has_matrices) {
        return MASING_INTERNAL;
    }
    balance->has_last = false;
    if (progress_is_cancelled(balance->progress)) {
        return MASING_NOT_CONVERGED;
    }
    if (!(omega > 0.0) || !dense_is_finite(n, y)) {
        return MASING_NOT_FINITE;
    }
    if (!is_known) {
        balance_load_forces(balance, omega, balance->force, balance->d_force);
        NEED(balance_joints_evaluate(balance, joints, y, omega, with_derivative));
    }
    NEED(balance_rows_fill(balance, y, omega, residual, residual_omega));
    if (jacobian) {
        balance_rows_differentiate(balance, joints, omega, jacobian);
    }
    if (!dense_is_finite(n, residual) ||
        (with_derivative && !dense_is_finite(n, residual_omega)) ||
        (jacobian && !dense_is_finite(n * n, jacobian))) {
        return MASING_NOT_FINITE;
    }
    if (joints == BALANCE_LAWS) {
        remember(balance, y, omega);
    }
    return MASING_OK;
}

enum masing_status balance_settle(struct balance *balance, const double *y, double omega,
                                  bool with_derivative)
{
    if (!is_settled(balance, y, omega, with_derivative)) {
        balance->has_last = false;
        balance_load_forces(balance, omega, balance->force, balance->d_force);
        NEED(balance_joints_evaluate(balance, BALANCE_LAWS, y, omega, with_derivative));
        remember(balance, y, omega);
    }
    return MASING_OK;
}

static double group_size(const double *y, int n, int stride)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += y[i * stride] * y[i * stride];
    }
    return sqrt(sum);
}

/* Least size of a group of unknowns in the arc length, as a part of its largest so far; and of
 * a mode's coordinate, as a part of what the loads could do to it at the highest frequency. */
static const double LEAST_GROUP_SIZE = 0.1, MODAL_NOISE = 1e-10;

/* A group is measured by its size now, but no less than by a part of its largest so far. */
static double group_weight(double size, double *largest, double floor)
{
    *largest = fmax(*largest, size);
    return 1.0 / fmax(fmax(size, LEAST_GROUP_SIZE * *largest), floor);
}

/*
 * Displacement below which a port's motion is noise: a small part of what the load could do. An
 * axis that does not move at all, like the normal of a contact under constant load, has noise
 * of 1e-16 of that; small steps of the curve must not be steps of the noise.
 */
static const double MOTION_NOISE = 1e-6;

static double motion_floor(const struct balance *balance, int out)
{
    double largest = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        largest = fmax(largest, balance->row_scale[k * balance->n_out + out]);
    }
    return MOTION_NOISE * largest * balance->force_scale;
}

/* Largest motion of the ports, in which an uncondensed mode is measured: what it would take of
 * the mode alone to move them as much. */
static double modal_floor(const struct balance *balance, const struct balance_mode *mode)
{
    double motion = 0.0, share = 0.0;
    for (int out = 0; out < balance->n_out; out++) {
        motion = fmax(motion, balance->largest[out]);
        int port = balance->n_in + out;
        share = fmax(share,
                     hypot(mode->participation[port], mode->turned ? mode->turned[port] : 0.0));
    }
    double omega = fmax(balance->model->spec.omega_from, balance->model->spec.omega_to);
    double least = MODAL_NOISE * mode->scale / (omega * omega);
    return share > 0.0 ? fmax(LEAST_GROUP_SIZE * motion / share, least) : least;
}

static void weigh_modes(struct balance *balance, const double *y, double *weights)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int n_sides = basis_sides(balance->basis, mode->harmonic_index);
        double floor = fmax(modal_floor(balance, mode), mode->reach * balance->force_scale);
        double weight = group_weight(group_size(y + mode->position, n_sides, 1),
                                     &balance->largest[balance->n_axes + 1 + e], floor);
        for (int side = 0; side < n_sides; side++) {
            weights[mode->position + side] = weight;
        }
    }
}

void balance_weights(struct balance *balance, const double *y, double *weights)
{
    int n_axes = balance->n_axes, n = balance->n_coefficients;
    for (int a = 0; a < n_axes; a++) {
        int first = balance->reach[a] > 0.0; /* the mean stands by itself */
        balance->size[a] = group_size(y + first * n_axes + a, n - first, n_axes);
        double weight =
            group_weight(balance->size[a], &balance->largest[a], motion_floor(balance, a));
        for (int c = 0; c < n; c++) {
            weights[c * n_axes + a] = weight;
        }
        if (first) {
            double mean = fmax(fabs(y[a]), balance->reach[a] * balance->force_scale);
            weights[a] = fmin(weight, 1.0 / mean);
        }
    }
    const double *observed = y + balance->observed_position;
    double weight = group_weight(group_size(observed, balance->n_observed_unknowns, 1),
                                 &balance->largest[n_axes], motion_floor(balance, n_axes));
    for (int i = 0; i < balance->n_observed_unknowns; i++) {
        weights[balance->observed_position + i] = weight;
    }
    weigh_modes(balance, y, weights);
}

void balance_limit_harmonics(struct balance *balance, int highest)
{
    const struct basis *basis = balance->basis;
    int n = basis->n_harmonics;
    while (n > 1 && basis->harmonics[n - 1] > highest) {
        n--;
    }
    balance->has_last = balance->has_last && n == balance->n_active;
    balance->n_active = n;
}

/* Cosine and sine of y, so far apart. */
static void shift_pair(double angle, const double *y, size_t apart, double *shifted)
{
    double c = cos(angle), s = sin(angle), a = y[0], b = y[apart];
    shifted[0] = a * c - b * s;
    shifted[apart] = a * s + b * c;
}

void balance_shift(const struct balance *balance, double angle, const double *y,
                   double *shifted)
{
    const struct basis *basis = balance->basis;
    size_t n_axes = (size_t)balance->n_axes;
    memcpy(shifted, y, sizeof *y * (size_t)balance->n_unknowns);
    for (int k = 0; k < basis->n_harmonics; k++) {
        double turned = angle * basis->harmonics[k];
        size_t first = (size_t)basis->position[k] * n_axes;
        int observed = balance->row[k * balance->n_out + balance->n_axes];
        if (basis->harmonics[k] == 0) {
            continue;
        }
        for (size_t a = first; a < first + n_axes; a++) {
            shift_pair(turned, y + a, n_axes, shifted + a);
        }
        if (observed >= 0) {
            shift_pair(turned, y + observed, 1, shifted + observed);
        }
    }
    for (int m = 0; m < balance->n_modes; m++) {
        const struct balance_mode *mode = &balance->modes[m];
        int harmonic = basis->harmonics[mode->harmonic_index];
        if (harmonic > 0) {
            shift_pair(angle * harmonic, y + mode->position, 1, shifted + mode->position);
        }
    }
}

void balance_carry_sliders(struct balance *balance)
{
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        joint_response_carry(response, balance->origin + response->joint->first_axis);
    }
    balance->has_last = false;
}

static void pack_doubles(struct packing *packing, double *values, size_t n)
{
    packing_bytes(packing, values, n * sizeof *values);
}

void balance_pack(struct balance *balance, struct packing *packing)
{
    const size_t n_axes = (size_t)balance->n_axes;
    pack_doubles(packing, balance->size, n_axes);
    pack_doubles(packing, balance->largest, n_axes + 1 + (size_t)balance->n_modes);
    if (balance->model->spec.start != MASING_START_PREVIOUS) {
        return;
    }
    pack_doubles(packing, balance->origin, n_axes);
    for (int j = 0; j < balance->n_joints; j++) {
        joint_response_pack(balance->joints[j], packing);
    }
}

void balance_smooth(struct balance *balance, double level)
{
    const double *still = balance->model->static_displacement;
    for (int j = 0; j < balance->n_joints; j++) {
        struct joint_response *response = balance->joints[j];
        int axis = response->joint->first_axis;
        double length = fmax(balance->size[axis], still ? fabs(still[axis]) : 0.0);
        response->smoothing = response->joint->law->can_smooth ? level * length : 0.0;
    }
    balance->has_last = false;
}

enum masing_status balance_observe(struct balance *balance, double *y, double omega,
                                   double *residual)
{
    NEED(balance_evaluate(balance, BALANCE_LAWS, y, omega, residual, NULL, NULL));
    for (int i = 0; i < balance->n_observed; i++) {
        int k = balance->observed[i], n_sides = basis_sides(balance->basis, k);
        int place = k * balance->n_out + balance->n_axes;
        for (int side = 0; side < n_sides; side++) {
            int at = balance->row[place] + side;
            y[at] -= residual[at] / balance->row_factor[place];
        }
    }
    return MASING_OK;
}

/* Stiffness of the springs of the means along a direction [n_rigid]. */
static double hold_along(const struct balance *balance, const double *direction)
{
    size_t n = (size_t)balance->n_rigid;
    double sum = 0.0;
    for (size_t i = 0; i < n * n; i++) {
        sum += direction[i / n] * balance->hold[i] * direction[i % n];
    }
    return sum;
}

/* How far a mean that only friction feels has moved from the static state. */
static double slack_motion(const struct balance *balance, const double *direction,
                           const double *y)
{
    double sum = 0.0;
    for (int e = 0; e < balance->n_rigid; e++) {
        sum += direction[e] * balance_mean_motion(balance, e, y);
    }
    return sum;
}

double balance_drift(const struct balance *balance, const double *y)
{
    double largest = 0.0;
    for (int e = 0; e < balance->n_rigid; e++) {
        double force = balance_hold(balance, e, y);
        for (int k = balance->n_held; k < balance->n_held + balance->n_slack; k++) {
            const double *v = balance->directions + (size_t)k * (size_t)balance->n_rigid;
            force -= hold_along(balance, v) * slack_motion(balance, v, y) * v[e];
        }
        largest = fmax(largest, fabs(force) / balance->modes[e].scale);
    }
    return largest;
}

/* Stiffness of the joints against a mean motion along a direction of the rigid-body modes
 * [n_rigid], 1/s^2, from their derivatives at hand; block: room for the largest of those. */
static double mean_stiffness(const struct balance *balance, const double *direction,
                             double *block)
{
    size_t n_c = (size_t)balance->n_coefficients, mean = (size_t)balance->basis->position[0];
    double sum = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        size_t n = (size_t)joint->n_axes, size = n * n_c;
        double share[MASING_MAX_AXES] = {0.0};
        for (size_t i = 0; i < n * (size_t)balance->n_rigid; i++) {
            size_t a = i % n, e = i / n;
            share[a] +=
                direction[e] * balance->modes[e].participation[joint->first_axis + (int)a];
        }
        balance_joint_block(balance, BALANCE_LAWS, j, block);
        for (size_t i = 0; i < n * n; i++) {
            size_t a = i % n, b = i / n;
            sum += share[a] * block[(b * n_c + mean) * size + a * n_c + mean] * share[b];
        }
    }
    return sum;
}

enum masing_status balance_wandering(struct balance *balance, const double *y, double omega,
                                     double *share, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)balance->n_rigid, largest = 0;
    struct arena arena = {0};
    *share = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        size_t size = (size_t)balance->joints[j]->n_axes * (size_t)balance->n_coefficients;
        largest = size > largest ? size : largest;
    }
    double *block = arena_doubles(&arena, largest * largest);
    TRY_ALLOCATED(block);
    TRY(balance->n_slack > 0 ? balance_joints_evaluate(balance, BALANCE_LAWS, y, omega, true)
                             : MASING_OK);
    for (int k = balance->n_held; k < balance->n_held + balance->n_slack; k++) {
        const double *v = balance->directions + (size_t)k * n;
        double spring = hold_along(balance, v);
        double joints = fmax(mean_stiffness(balance, v, block), 0.0);
        *share = fmax(*share, spring / (spring + joints));
    }
done:
    balance->has_last = false;
    arena_clear(&arena);
    return status;
}

/* Solution with the joints as springs: y = -J^-1 R(0). work [2 n_unknowns]. */
static enum masing_status linear_guess(struct balance *balance, enum balance_joints joints,
                                       double omega, double *y, struct block_lu *jacobian,
                                       double *work)
{
    int n = balance->n_unknowns;
    double *residual_omega = work, *zero = work + n;
    memset(zero, 0, sizeof(double) * (size_t)n);
    NEED(balance_evaluate(balance, joints, zero, omega, y, jacobian->matrix, residual_omega));
    NEED(block_lu_factor(jacobian, n));
    block_lu_solve(jacobian, y);
    for (int i = 0; i < n; i++) {
        y[i] = -y[i];
    }
    return MASING_OK;
}

static const double BESIDE_A_POLE = 1.01;

/* The same beside an undamped pole that omega is on, be it one that nothing drives. */
static enum masing_status linear_guess_nearby(struct balance *balance,
                                              enum balance_joints joints, double omega,
                                              double *y, struct block_lu *jacobian,
                                              double *work)
{
    enum masing_status status = MASING_SINGULAR;
    for (int beside = 0; status == MASING_SINGULAR && beside < 2; beside++) {
        double at = beside ? BESIDE_A_POLE * omega : omega;
        status = balance->compliance->has_matrices
                     ? linear_guess(balance, joints, at, y, jacobian, work)
                     : balance_linear_response(balance, at, y, work);
    }
    /* a guess need not be exact */
    return status == MASING_NOT_CONVERGED ? MASING_OK : status;
}

enum masing_status balance_guess(struct balance *balance, double omega, double **guesses,
                                 int *n_guesses, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool has_matrices = balance->compliance->has_matrices;
    size_t n = (size_t)balance->n_unknowns;
    const enum balance_joints starts[] = {BALANCE_STUCK, BALANCE_FREE};
    struct arena arena = {0};
    struct block_lu jacobian;
    if (has_matrices) {
        block_lu_create(balance->n_unknowns, &arena, &jacobian);
    }
    double *work = arena_doubles(&arena, 2 * n);
    *guesses = memory_array(3 * n, sizeof(double));
    *n_guesses = 0;
    TRY_ALLOCATED(!arena.has_failed && *guesses);
    TRY(has_matrices ? MASING_OK : balance_operator_create(balance, error));
    for (size_t s = 0; s < (has_matrices ? 2 : 1); s++) {
        double *guess = *guesses + n * (size_t)*n_guesses;
        status = linear_guess_nearby(balance, starts[s], omega, guess, &jacobian, work);
        *n_guesses += status == MASING_OK;
    }
    memset(*guesses + n * (size_t)*n_guesses, 0, sizeof(double) * n);
    ++*n_guesses;
    status = MASING_OK;
done:
    arena_clear(&arena);
    return status;
}

/* ---- poles of an undamped structure that joints cannot hold ---- */

/*
 * Near the frequency of an undamped mode its coordinate q obeys z q = p f, with z(omega)
 * through zero: where the joints' force in p f is bounded and smaller than the load, q grows
 * beyond all limits on both sides.
 */

/* Relative distance from a pole at which there is no doubt any more, and least part of the load
 * that the mode's own stiffness then carries: on a bounded curve next to none. */
static const double NEAR = 1e-4, LEAST_SHARE = 0.05;
/* A motion so many times larger, at which joints must resist no more than this part of it. */
static const double FAR = 1e6, MOST_RESISTANCE = 0.999;

/* Whether the mode's motion at y is that of a pole close by, under the load. */
static bool is_on_flank(const struct balance *balance, const struct balance_mode *mode,
                        const double *y, double omega, const double load[2])
{
    double z[2], slope[2];
    balance_mode_stiffness(balance, mode, omega, z, slope);
    double carried = fabs(z[0]) * hypot(y[mode->position], y[mode->position + 1]);
    double size = hypot(load[0], load[1]);
    return z[1] == 0.0 && size > 0.0 && carried >= LEAST_SHARE * size;
}

/* Whether the joints fail to hold a motion that is far larger. */
static bool is_unheld(struct balance *balance, const struct balance_mode *mode, const double *y,
                      double omega, const double load[2])
{
    double resistance[2];
    for (int i = 0; i < balance->n_unknowns; i++) {
        balance->last_y[i] = FAR * y[i];
    }
    balance->has_last = false;
    if (balance_joints_evaluate(balance, BALANCE_LAWS, balance->last_y, omega, false) !=
        MASING_OK) {
        return false;
    }
    balance_modal_force(balance, mode, balance->force, 0, balance->n_axes, resistance);
    return hypot(resistance[0], resistance[1]) <= MOST_RESISTANCE * hypot(load[0], load[1]);
}

bool balance_find_pole(struct balance *balance, const double *y, double omega,
                       struct balance_pole *pole)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int h = balance_harmonic(balance, mode->harmonic_index);
        double at = h > 0 ? mode->structure->omega[mode->mode] / h : 0.0, load[2];
        if (h == 0 || mode->is_idle || fabs(omega - at) > NEAR * at) {
            continue;
        }
        balance_load_forces(balance, omega, balance->force, balance->d_force);
        balance_modal_force(balance, mode, balance->force, balance->n_axes, balance->n_in,
                            load);
        if (is_on_flank(balance, mode, y, omega, load) &&
            is_unheld(balance, mode, y, omega, load)) {
            *pole = (struct balance_pole){at, atan2(load[1], load[0]) / h};
            return true;
        }
    }
    return false;
}

/* -x_h becomes -conj(x_h) e^(2 i h phase), x_h = a - i b. */
static void mirror_pair(int h, double phase, double *a, double *b)
{
    double c = cos(2.0 * h * phase), s = sin(2.0 * h * phase), real = *a, imaginary = -*b;
    *a = real * c + imaginary * s;
    *b = -(real * s - imaginary * c);
}

void balance_mirror(const struct balance *balance, const struct balance_pole *pole,
                    const double *y, double *mirrored)
{
    const struct basis *basis = balance->basis;
    for (int i = 0; i < balance->n_unknowns; i++) {
        mirrored[i] = -y[i];
    }
    for (int k = 0; k < basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out && basis->harmonics[k] > 0; out++) {
            int row = balance->row[k * balance->n_out + out];
            if (row >= 0) {
                mirror_pair(basis->harmonics[k], pole->phase, mirrored + row,
                            mirrored + row + (out < balance->n_axes ? balance->n_axes : 1));
            }
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int h = basis->harmonics[mode->harmonic_index];
        if (h > 0) {
            mirror_pair(h, pole->phase, mirrored + mode->position,
                        mirrored + mode->position + 1);
        }
    }
}
