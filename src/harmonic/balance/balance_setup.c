/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done once for a balance: ports, uncondensed modes, scales. */
#include "harmonic/balance/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_operator.h"
#include "linalg/dense.h"
#include "model/cyclic.h"
#include "model/joints.h"
#include "model/message.h"

/*
 * Share of omega^2 that holds a rigid-body mode's mean. Where only joints resist the motion
 * that slip or forget, and nothing pushes it, the mean force vanishes by symmetry and the mean
 * is undetermined: it is held firmly at zero. Elsewhere equilibrium decides, and the spring is
 * just strong enough for the equations to be solvable, and next to nothing beside the joints.
 */
static const double FIRM_STIFFNESS = 1e-2, WEAK_STIFFNESS = 1e-6, SHARE_OF_JOINTS = 1e-9,
                    SHARE_OF_STUCK = 1e-4;

/* Participations and directions are none where they are less than this part of what they are
 * made of: rounding. */
static const double ROUNDED = 1e-12, SAME_DIRECTION = 1e-9;

/* |w^T K w| of a joint as a spring */
static double stiffness_along(const struct joint *joint, bool is_stuck, const double *w)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], sum = 0.0;
    int n = joint->n_axes;
    joint_stiffness(joint, is_stuck, tangent);
    for (int i = 0; i < n * n; i++) {
        sum += w[i / n] * tangent[i] * w[i % n];
    }
    return fabs(sum);
}

/* What stuck or slipping joints add to the stiffness along a rigid-body motion [n_rigid],
 * whichever is more, 1/s^2. */
static double joints_stiffness(const struct balance *balance, const double *motion)
{
    double sum = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        double share[MASING_MAX_AXES] = {0.0};
        if (masing_law_restraint(joint->law, joint->parameters) == MASING_RESTRAINT_NONE) {
            continue;
        }
        for (int i = 0; i < balance->n_rigid * joint->n_axes; i++) {
            int e = i / joint->n_axes, a = i % joint->n_axes;
            share[a] += motion[e] * balance->modes[e].participation[joint->first_axis + a];
        }
        sum += fmax(stiffness_along(joint, true, share), stiffness_along(joint, false, share));
    }
    return sum;
}

static double highest_square(const struct balance *balance)
{
    const struct masing_spec *spec = &balance->model->spec;
    return pow(fmax(spec->omega_from, spec->omega_to), 2.0);
}

/* Add the stiffness of an orthonormal direction to the rigid-body modes' [n_rigid][n_rigid]. */
static void add_hold(struct balance *balance, const double *direction, double stiffness)
{
    for (int i = 0; i < balance->n_rigid; i++) {
        for (int j = 0; j < balance->n_rigid; j++) {
            balance->hold[i * balance->n_rigid + j] += stiffness * direction[i] * direction[j];
        }
    }
}

/* What is left of an input's share in the rigid-body modes [n_rigid] beside the orthonormal
 * directions so far is the next one; false where nothing is. */
static bool find_direction(const struct balance *balance, int in, double *directions, int n)
{
    size_t n_rigid = (size_t)balance->n_rigid;
    double *v = directions + (size_t)n * n_rigid, before = 0.0, after = 0.0;
    for (size_t e = 0; e < n_rigid; e++) {
        v[e] = balance->modes[e].participation[in];
        before = hypot(before, v[e]);
    }
    for (int k = 0; k < n; k++) {
        const double *q = directions + (size_t)k * n_rigid;
        double along = 0.0;
        for (size_t e = 0; e < n_rigid; e++) {
            along += q[e] * v[e];
        }
        for (size_t e = 0; e < n_rigid; e++) {
            v[e] -= along * q[e];
        }
    }
    for (size_t e = 0; e < n_rigid; e++) {
        after = hypot(after, v[e]);
    }
    if (n == balance->n_rigid || !(after > SAME_DIRECTION * before)) {
        return false;
    }
    for (size_t e = 0; e < n_rigid; e++) {
        v[e] /= after;
    }
    return true;
}

/* How far a force of 1 N at each axis moves the means that only friction feels. */
static void add_reach(struct balance *balance, const double *direction, double stiffness)
{
    double most = 0.0;
    for (int a = 0; a < balance->n_axes; a++) {
        double share = 0.0;
        for (int e = 0; e < balance->n_rigid; e++) {
            share += direction[e] * balance->modes[e].participation[a];
        }
        balance->reach[a] += share * share / stiffness;
        most = fmax(most, fabs(share));
    }
    for (int e = 0; e < balance->n_rigid; e++) {
        balance->modes[e].reach += fabs(direction[e]) * most / stiffness;
    }
}

/* In place of firmly, the next direction is held by a share of the joints' stiffness along it,
 * or at most by `limit`. */
static double release(struct balance *balance, int in, double share, double limit,
                      double *directions, int *n)
{
    if (!find_direction(balance, in, directions, *n)) {
        return 0.0;
    }
    const double *v = directions + (size_t)*n * (size_t)balance->n_rigid;
    double small = share * joints_stiffness(balance, v);
    double stiffness = small > 0.0 ? fmin(small, limit) : limit;
    add_hold(balance, v, stiffness - FIRM_STIFFNESS * highest_square(balance));
    ++*n;
    return stiffness;
}

/* What resists a motion along an axis of a joint in the static state. */
enum resistance {
    RESISTS_ALWAYS, /* stuck and slipping */
    RESISTS_WHILE_STUCK,
    RESISTS_ELSEWHERE, /* a contact that is open, a spring without stiffness at its origin */
    N_RESISTANCES
};

static enum resistance axis_resistance(const struct joint *joint, int axis)
{
    double along[MASING_MAX_AXES] = {0.0};
    along[axis] = 1.0;
    return stiffness_along(joint, false, along) > 0.0  ? RESISTS_ALWAYS
           : stiffness_along(joint, true, along) > 0.0 ? RESISTS_WHILE_STUCK
                                                       : RESISTS_ELSEWHERE;
}

/* The axes of joints that are springs, as far as they resist in that way. */
static void release_axes(struct balance *balance, enum resistance resistance, double share,
                         double limit, double *directions, int *n)
{
    for (int j = 0; j < balance->n_joints && *n < balance->n_rigid; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        bool is_spring =
            masing_law_restraint(joint->law, joint->parameters) == MASING_RESTRAINT_SPRING;
        for (int a = 0; a < joint->n_axes && is_spring; a++) {
            if (axis_resistance(joint, a) == resistance) {
                int in = joint->first_axis + a;
                const double *v = directions + (size_t)*n * (size_t)balance->n_rigid;
                double stiffness = release(balance, in, share, limit, directions, n);
                if (stiffness > 0.0 && resistance == RESISTS_WHILE_STUCK) {
                    add_reach(balance, v, stiffness);
                }
            }
        }
    }
}

/*
 * Springs of the means of rigid-body motions: firm where nothing else decides about them.
 * Equilibrium decides about what a static load or a spring at an input feels. What only
 * contacts feel that stick, it decides about until all of them slip; then the mean force of
 * friction hardly depends on the mean, and the spring is as firm as it can be without being
 * felt before: a weaker one lets the mean wander off so far that it counts in the output.
 */
static enum masing_status hold_rigid_modes(struct balance *balance, struct masing_error *error)
{
    size_t n_rigid = (size_t)balance->n_rigid;
    double firm = FIRM_STIFFNESS * highest_square(balance);
    double weak = WEAK_STIFFNESS * highest_square(balance);
    int n = 0;
    double *directions = arena_doubles(&balance->arena, (n_rigid + 1) * n_rigid);
    balance->directions = directions;
    balance->hold = arena_doubles(&balance->arena, n_rigid * n_rigid);
    balance->reach = arena_doubles(&balance->arena, (size_t)balance->n_axes);
    NEED_ALLOCATED(directions && balance->hold && balance->reach);
    for (size_t e = 0; e < n_rigid; e++) {
        balance->hold[e * n_rigid + e] = firm;
    }
    if (balance->is_static) {
        release(balance, balance->n_in - 1, SHARE_OF_JOINTS, weak, directions, &n);
    }
    release_axes(balance, RESISTS_ALWAYS, SHARE_OF_JOINTS, weak, directions, &n);
    balance->n_held = n;
    release_axes(balance, RESISTS_WHILE_STUCK, SHARE_OF_STUCK, INFINITY, directions, &n);
    balance->n_slack = n - balance->n_held;
    release_axes(balance, RESISTS_ELSEWHERE, SHARE_OF_JOINTS, weak, directions, &n);
    return MASING_OK;
}

/* Modes with less damping than this are unknowns of their own where their pole lies within the
 * range or near it: from and to these parts of its ends. */
static const double SMALL_DAMPING_RATIO = 1e-5, NEAR_LOW = 0.8, NEAR_HIGH = 1.25;
/* Frequencies of the range at which the rows' scales are measured. */
enum { N_SCALE_POINTS = 5 };
/* A compliance that is rounding beside the largest of its port, or beside the loads, is no
 * scale; nor is one that hardly differs from zero. */
static const double ROUNDING_SHARE = 1e-12, SMALLEST_COMPLIANCE = 1e-300,
                    VANISHING_COMPLIANCE = 1e-290;

static void number_ports(struct balance *balance)
{
    const struct masing_model *model = balance->model;
    balance->n_in = balance->n_axes;
    for (int l = 0; l < model->spec.n_loads; l++) {
        balance->load_column[l] = balance->n_in;
        balance->n_in += model->loads[l].imaginary ? 2 : 1;
    }
    balance->is_static =
        !dense_is_zero((size_t)balance->structure->n_dofs, model->static_force);
    balance->n_in += balance->is_static ? 1 : 0;
    balance->n_out = balance->n_axes + 1;
}

static size_t count_axes(const struct balance *balance)
{
    size_t count = 0;
    for (int a = 0; a < balance->n_axes; a++) {
        count += (size_t)model_axis(balance->model, a)->n_terms;
    }
    return count;
}

static void add_axes(const struct balance *balance, struct compliance_ports *ports)
{
    for (int a = 0; a < balance->n_axes; a++) {
        compliance_ports_add_sum(ports, a, model_axis(balance->model, a));
    }
}

static enum masing_status make_inputs(struct balance *balance, struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    size_t n = (size_t)balance->structure->n_dofs, count = count_axes(balance);
    struct compliance_ports *ports = &balance->in_ports;
    for (int l = 0; l < model->spec.n_loads; l++) {
        const struct load *load = &model->loads[l];
        count += compliance_ports_count(n, load->real);
        count += load->imaginary ? compliance_ports_count(n, load->imaginary) : 0;
    }
    count += compliance_ports_count(n, model->static_force);
    NEED(compliance_ports_create(balance->n_in, count, &balance->arena, ports, error));
    add_axes(balance, ports);
    for (int l = 0; l < model->spec.n_loads; l++) {
        const struct load *load = &model->loads[l];
        compliance_ports_add(ports, balance->load_column[l], n, load->real);
        if (load->imaginary) {
            compliance_ports_add(ports, balance->load_column[l] + 1, n, load->imaginary);
        }
    }
    if (balance->is_static) {
        compliance_ports_add(ports, balance->n_in - 1, n, model->static_force);
    }
    return MASING_OK;
}

static enum masing_status make_outputs(struct balance *balance, struct masing_error *error)
{
    const struct masing_spec *spec = &balance->model->spec;
    const struct masing_term first_dof = {0, 1.0};
    const struct masing_combination any = {1, (struct masing_term *)&first_dof};
    const struct masing_combination *observed =
        spec->n_outputs > 0 ? model_output(balance->model, spec->peak_output) : &any;
    NEED(compliance_ports_create(balance->n_out,
                                 count_axes(balance) + (size_t)observed->n_terms,
                                 &balance->arena, &balance->out_ports, error));
    add_axes(balance, &balance->out_ports);
    compliance_ports_add_sum(&balance->out_ports, balance->n_axes, observed);
    return MASING_OK;
}

static enum masing_status make_patterns(struct balance *balance, struct masing_error *error)
{
    balance->load_column =
        arena_array(&balance->arena, (size_t)balance->model->spec.n_loads, sizeof(int));
    NEED_ALLOCATED(balance->load_column);
    number_ports(balance);
    NEED(make_inputs(balance, error));
    return make_outputs(balance, error);
}

static bool is_loaded(const struct masing_model *model, int harmonic)
{
    for (int l = 0; l < model->spec.n_loads; l++) {
        if (model->loads[l].harmonic == harmonic) {
            return true;
        }
    }
    return false;
}

/* The output that defines the peak is followed at the loaded harmonics; without loads, at the
 * first of the list. */
static enum masing_status choose_observed(struct balance *balance, struct masing_error *error)
{
    const struct basis *basis = balance->basis;
    balance->observed = arena_array(&balance->arena, (size_t)basis->n_harmonics, sizeof(int));
    NEED_ALLOCATED(balance->observed);
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (is_loaded(balance->model, basis->harmonics[k])) {
            balance->observed[balance->n_observed++] = k;
        }
    }
    if (balance->n_observed == 0) {
        balance->observed[balance->n_observed++] = 0;
    }
    for (int i = 0; i < balance->n_observed; i++) {
        balance->n_observed_unknowns += basis_sides(basis, balance->observed[i]);
    }
    return MASING_OK;
}

static bool is_hardly_damped(const struct structure *structure, int mode)
{
    return !structure->damping_matrix && !structure->stiffening &&
           structure->modal_damping[mode] <
               2.0 * SMALL_DAMPING_RATIO * structure->omega[mode] &&
           structure->loss_factor < 2.0 * SMALL_DAMPING_RATIO;
}

/* Nodal diameter of a harmonic of the basis, 0 of an ordinary structure. */
static int diameter_at(const struct balance *balance, int k, bool *is_reversed)
{
    const struct cyclic *cyclic = balance->model->cyclic;
    *is_reversed = false;
    return cyclic ? cyclic_diameter_of(cyclic, balance->basis->harmonics[k], is_reversed) : 0;
}

/* The structure that a harmonic of the basis moves in, NULL where the model has none. */
static const struct structure *structure_at(const struct balance *balance, int k)
{
    bool is_reversed;
    int number = diameter_at(balance, k, &is_reversed);
    return balance->model->cyclic ? cyclic_structure(balance->model, number)
                                  : balance->structure;
}

static bool is_uncondensed(const struct balance *balance, int k, int mode)
{
    const struct structure *structure = structure_at(balance, k);
    const struct masing_spec *spec = &balance->model->spec;
    int harmonic = balance->basis->harmonics[k];
    if (harmonic == 0) {
        return mode < structure->n_rigid;
    }
    double low = fmin(spec->omega_from, spec->omega_to) * harmonic;
    double high = fmax(spec->omega_from, spec->omega_to) * harmonic;
    double omega = structure->omega[mode];
    return is_hardly_damped(structure, mode) && omega > NEAR_LOW * low &&
           omega < NEAR_HIGH * high;
}

/* A port's share in a mode, of the cosine or the sine of a wave. */
static double port_share(const struct balance *balance, const struct balance_mode *mode,
                         const struct compliance_ports *ports, int port, bool is_sine,
                         double *gross)
{
    const struct cyclic *cyclic = balance->model->cyclic;
    const double *shape =
        mode->structure->shapes + (size_t)mode->mode * (size_t)mode->structure->n_dofs;
    bool is_reversed;
    int number = diameter_at(balance, mode->harmonic_index, &is_reversed);
    /* double modes of sectors share what rounding leaves of them at other DOFs */
    double sum = 0.0, least = cyclic ? mode->largest : 0.0;
    *gross = 0.0;
    for (size_t e = ports->first[port]; e < ports->first[port + 1]; e++) {
        int dof = ports->dofs[e];
        double motion = cyclic ? cyclic_motion(cyclic, number, is_sine,
                                               balance->structure->n_dofs, dof, shape)
                               : shape[dof];
        sum += motion * ports->weights[e];
        *gross += fmax(fabs(motion), least) * fabs(ports->weights[e]);
    }
    return sum;
}

double balance_mode_share(const struct balance *balance, const struct balance_mode *mode,
                          const struct compliance_ports *ports, int port)
{
    double gross;
    return port_share(balance, mode, ports, port, false, &gross);
}

static void fill_participation(const struct balance *balance, struct balance_mode *mode)
{
    bool is_reversed;
    diameter_at(balance, mode->harmonic_index, &is_reversed);
    bool is_rounding = balance->model->cyclic || mode->mode < mode->structure->n_rigid;
    for (int p = 0; p < balance->n_in + balance->n_out; p++) {
        bool is_in = p < balance->n_in;
        const struct compliance_ports *ports = is_in ? &balance->in_ports : &balance->out_ports;
        int port = is_in ? p : p - balance->n_in;
        double gross, share = port_share(balance, mode, ports, port, false, &gross);
        mode->participation[p] = is_rounding && fabs(share) <= ROUNDED * gross ? 0.0 : share;
        if (mode->turned) { /* the sine's force is -i or i times the cosine's */
            share = port_share(balance, mode, ports, port, true, &gross);
            share = fabs(share) <= ROUNDED * gross ? 0.0 : share;
            mode->turned[p] = is_reversed ? share : -share;
        }
    }
}

static bool acts_on(const struct balance_mode *mode, int in)
{
    return mode->participation[in] != 0.0 || (mode->turned && mode->turned[in] != 0.0);
}

/* Whether neither joints nor loads of its harmonic act on a mode that vibrates. */
static bool is_idle(const struct balance *balance, const struct balance_mode *mode)
{
    int h = balance->basis->harmonics[mode->harmonic_index];
    bool is_driven = h == 0;
    for (int a = 0; a < balance->n_axes; a++) {
        is_driven = is_driven || acts_on(mode, a);
    }
    for (int l = 0; l < balance->model->spec.n_loads; l++) {
        const struct load *load = &balance->model->loads[l];
        int column = balance->load_column[l];
        bool acts = acts_on(mode, column) || (load->imaginary && acts_on(mode, column + 1));
        is_driven = is_driven || (load->harmonic == h && acts);
    }
    return !is_driven;
}

static enum masing_status add_mode(struct balance *balance, int k, int j,
                                   struct masing_error *error)
{
    const struct structure *structure = structure_at(balance, k);
    struct balance_mode *mode = &balance->modes[balance->n_modes++];
    *mode = (struct balance_mode){
        .harmonic_index = k,
        .mode = j,
        .position = balance->n_unknowns,
        .scale = 1.0,
        .structure = structure,
        .copies = structure->n_dofs / balance->structure->n_dofs,
    };
    mode->largest = dense_max_norm((size_t)structure->n_dofs,
                                   structure->shapes + (size_t)j * (size_t)structure->n_dofs);
    mode->participation =
        arena_doubles(&balance->arena, (size_t)(balance->n_in + balance->n_out));
    NEED_ALLOCATED(mode->participation);
    if (mode->copies > 1) {
        mode->turned = arena_doubles(&balance->arena, (size_t)(balance->n_in + balance->n_out));
        NEED_ALLOCATED(mode->turned);
    }
    fill_participation(balance, mode);
    balance->n_rigid += balance->basis->harmonics[k] == 0;
    mode->is_idle = is_idle(balance, mode);
    balance->n_unknowns += basis_sides(balance->basis, k);
    return MASING_OK;
}

static enum masing_status choose_modes(struct balance *balance, struct masing_error *error)
{
    const struct basis *basis = balance->basis;
    size_t count = 0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        const struct structure *structure = structure_at(balance, k);
        count += structure ? (size_t)structure->n_modes : 0;
    }
    balance->modes = arena_array(&balance->arena, count, sizeof *balance->modes);
    NEED_ALLOCATED(balance->modes);
    for (int k = 0; k < basis->n_harmonics; k++) {
        const struct structure *structure = structure_at(balance, k);
        for (int j = 0; structure && j < structure->n_modes; j++) {
            NEED(is_uncondensed(balance, k, j) ? add_mode(balance, k, j, error) : MASING_OK);
        }
    }
    return hold_rigid_modes(balance, error);
}

enum masing_status balance_compliance(const struct balance *balance,
                                      const struct compliance_ports *out, int n_out,
                                      bool is_matrix_free, struct compliance **compliance,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &balance->model->spec;
    struct compliance_exclusion *exclusions =
        memory_array((size_t)balance->n_modes, sizeof *exclusions);
    TRY_ALLOCATED(exclusions);
    for (int e = 0; e < balance->n_modes; e++) {
        exclusions[e] = (struct compliance_exclusion){balance->modes[e].harmonic_index,
                                                      balance->modes[e].mode};
    }
    struct compliance_settings settings = {
        .n_in = balance->n_in,
        .n_out = n_out,
        .in = balance->in_ports,
        .out = *out,
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .omega_max = fmax(spec->omega_from, spec->omega_to),
        .n_exclusions = balance->n_modes,
        .exclusions = exclusions,
        .is_matrix_free = is_matrix_free,
        .pool = balance->pool,
        .cyclic = balance->model->cyclic ? balance->model : NULL,
    };
    TRY(compliance_create(balance->structure, &settings, compliance, error));
done:
    free(exclusions);
    return status;
}

static enum masing_status create_ports(struct balance *balance, bool is_matrix_free,
                                       struct masing_error *error)
{
    size_t n_h = (size_t)balance->basis->n_harmonics, n_in = (size_t)balance->n_in;
    size_t n_out = (size_t)balance->n_out;
    NEED(balance_compliance(balance, &balance->out_ports, balance->n_out, is_matrix_free,
                            &balance->compliance, error));
    struct arena *arena = &balance->arena;
    balance->motion = arena_doubles(arena, 2 * n_h * n_out * 2);
    balance->force = arena_doubles(arena, n_h * n_in * 2);
    balance->d_force = arena_doubles(arena, n_h * n_in * 2);
    balance->row_scale = arena_doubles(arena, n_h * n_out);
    balance->row = arena_array(arena, n_h * n_out, sizeof(int));
    balance->row_factor = arena_doubles(arena, n_h * n_out);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static double scale_omega(const struct balance *balance, int point)
{
    const struct masing_spec *spec = &balance->model->spec;
    /* Off the ends and off simple ratios, so that a pole is not hit. */
    double share = (0.137 + point) / N_SCALE_POINTS;
    return spec->omega_from + share * (spec->omega_to - spec->omega_from);
}

/* The loads at a frequency and the motion of the structure without joints under them. */
static enum masing_status apply_loads(struct balance *balance, double omega)
{
    balance_load_forces(balance, omega, balance->force, balance->d_force);
    return compliance_multiply(balance->compliance, omega, balance->force, balance->motion);
}

/* At a frequency where apply_loads found no pole. */
static double entry_size(const struct balance *balance, double omega, int k, int in, int out)
{
    double value[2] = {0.0, 0.0};
    compliance_entry(balance->compliance, omega, k, in, out, value);
    return hypot(value[0], value[1]);
}

/* Compliance that a row is measured by: of the axis itself, for the observed output that of the
 * strongest input. */
static double row_compliance(const struct balance *balance, double omega, int k, int row)
{
    if (row < balance->n_axes) {
        return entry_size(balance, omega, k, row, row);
    }
    double largest = 0.0;
    for (int in = 0; in < balance->n_in; in++) {
        largest = fmax(largest, entry_size(balance, omega, k, in, row));
    }
    return largest;
}

/* Static forces and loads as displacements of the axes over the axes' own compliance. */
static double load_size(const struct balance *balance)
{
    double largest = 0.0;
    for (size_t k = 0; k < (size_t)balance->basis->n_harmonics; k++) {
        for (size_t a = 0; a < (size_t)balance->n_axes; a++) {
            size_t row = k * (size_t)balance->n_out + a;
            const double *x = balance->motion + 2 * row;
            largest = fmax(largest, hypot(x[0], x[1]) / balance->row_scale[row]);
        }
    }
    return largest;
}

static double raw_load(const struct balance *balance)
{
    double largest = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int in = balance->n_axes; in < balance->n_in; in++) {
            const double *f =
                balance->force + 2 * ((size_t)k * (size_t)balance->n_in + (size_t)in);
            largest = fmax(largest, hypot(f[0], f[1]));
        }
    }
    return largest;
}

/* Geometric means of the rows' compliances over the range; no row may be without a scale. */
static enum masing_status fill_row_scales(struct balance *balance)
{
    size_t n_rows = (size_t)balance->basis->n_harmonics * (size_t)balance->n_out;
    for (int point = 0; point < N_SCALE_POINTS; point++) {
        double omega = scale_omega(balance, point);
        NEED(apply_loads(balance, omega));
        for (size_t r = 0; r < n_rows; r++) {
            double size = row_compliance(balance, omega, (int)(r / (size_t)balance->n_out),
                                         (int)(r % (size_t)balance->n_out));
            balance->row_scale[r] += log(fmax(size, SMALLEST_COMPLIANCE)) / N_SCALE_POINTS;
        }
    }
    for (size_t r = 0; r < n_rows; r++) {
        balance->row_scale[r] = exp(balance->row_scale[r]);
    }
    for (size_t row = 0; row < (size_t)balance->n_out; row++) {
        double largest = 0.0;
        for (size_t r = row; r < n_rows; r += (size_t)balance->n_out) {
            largest = fmax(largest, balance->row_scale[r]);
        }
        for (size_t r = row; r < n_rows; r += (size_t)balance->n_out) {
            if (balance->row_scale[r] < ROUNDING_SHARE * largest ||
                largest < VANISHING_COMPLIANCE) {
                balance->row_scale[r] = largest < VANISHING_COMPLIANCE ? 1.0 : largest;
            }
        }
    }
    return MASING_OK;
}

static enum masing_status fill_force_scale(struct balance *balance)
{
    double raw = 0.0;
    for (int point = 0; point < N_SCALE_POINTS; point++) {
        NEED(apply_loads(balance, scale_omega(balance, point)));
        balance->force_scale = fmax(balance->force_scale, load_size(balance));
        raw = fmax(raw, raw_load(balance));
    }
    if (balance->force_scale < ROUNDING_SHARE * raw || balance->force_scale == 0.0) {
        balance->force_scale = raw > 0.0 ? raw : 1.0;
    }
    return MASING_OK;
}

static int observed_row(const struct balance *balance, int k)
{
    int position = balance->observed_position;
    for (int i = 0; i < balance->n_observed; i++) {
        if (balance->observed[i] == k) {
            return position;
        }
        position += basis_sides(balance->basis, balance->observed[i]);
    }
    return -1;
}

static void fill_rows(struct balance *balance)
{
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out; out++) {
            int at = k * balance->n_out + out;
            balance->row[at] = out < balance->n_axes
                                   ? balance->basis->position[k] * balance->n_axes + out
                                   : observed_row(balance, k);
            balance->row_factor[at] = 1.0 / (balance->row_scale[at] * balance->force_scale);
        }
    }
}

static void scale_modes(struct balance *balance)
{
    for (int e = 0; e < balance->n_modes; e++) {
        struct balance_mode *mode = &balance->modes[e];
        double largest = 0.0;
        for (int p = 0; p < balance->n_in; p++) {
            double turned = mode->turned ? mode->turned[p] : 0.0;
            largest = fmax(largest, hypot(mode->participation[p], turned));
        }
        mode->scale = balance->force_scale * (largest > 0.0 ? largest : 1.0);
    }
}

static enum masing_status set_up(struct balance *balance, bool is_matrix_free,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(make_patterns(balance, error));
    TRY(choose_observed(balance, error));
    balance->observed_position = balance->n_axes * balance->n_coefficients;
    balance->n_unknowns = balance->observed_position + balance->n_observed_unknowns;
    TRY(choose_modes(balance, error));
    TRY(create_ports(balance, is_matrix_free, error));
    TRY(fill_row_scales(balance));
    TRY(fill_force_scale(balance));
    fill_rows(balance);
    scale_modes(balance);
done:
    if (status > 0) {
        status = masing_error_set(error, MASING_INVALID,
                                  "the linear structure has no finite response within the "
                                  "frequency range");
    }
    return status;
}

enum masing_status balance_create(const struct masing_model *model,
                                  const struct balance_settings *settings,
                                  struct balance **balance, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    struct balance *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    made->structure = model->structure;
    made->n_axes = model->n_axes;
    made->progress = settings->progress;
    /* joints that sample plan the transforms */
    TRY(basis_create_unplanned(spec->harmonics, spec->n_harmonics, spec->n_samples,
                               &made->basis, error));
    made->n_coefficients = made->basis->n_coefficients;
    made->n_active = made->basis->n_harmonics;
    TRY(balance_joints_create(made, settings->n_threads, error));
    TRY(set_up(made, settings->is_matrix_free, error));
    struct arena *arena = &made->arena;
    size_t n_axes = (size_t)made->n_axes;
    made->origin = arena_doubles(arena, n_axes);
    made->last_y = arena_doubles(arena, (size_t)made->n_unknowns);
    made->size = arena_doubles(arena, n_axes);
    made->largest = arena_doubles(arena, n_axes + 1 + (size_t)made->n_modes);
    TRY_ALLOCATED(!arena->has_failed);
    if (spec->start == MASING_START_STATIC) {
        memcpy(made->origin, model->static_displacement, sizeof(double) * n_axes);
    }
    *balance = made;
    made = NULL;
done:
    balance_destroy(made);
    return status;
}

void balance_destroy(struct balance *balance)
{
    if (balance) {
        balance_joints_destroy(balance);
        balance_operator_destroy(balance->linear);
        compliance_destroy(balance->compliance);
        basis_destroy(balance->basis);
        arena_clear(&balance->arena);
        free(balance);
    }
}
