/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/curve.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/bracket.h"
#include "linalg/lu.h"
#include "model/cyclic.h"
#include "model/joints.h"
#include "model/output.h"

enum { N_CANDIDATES = 48, MAX_CUTS = 60 };

/* Peak over the response at the ends of the range from which on it is called unbounded. */
static const double UNBOUNDED_RATIO = 1e10;

struct linear_response {
    struct balance *balance;
    double *y, *change; /* [n_unknowns] with an operator in place of matrices, else NULL */
    int first;          /* position in y of the output's first harmonic, -1: it is not loaded */
    bool is_unknown;    /* some response was not found by iteration */
    struct arena arena; /* of all arrays */
    struct compliance *compliance; /* at the order of the loads, [n_in][n + 1]: loads behind the
                                      axes, the output behind them */
    int n;                         /* axes at which joints are springs or dashpots */
    int *axes;                     /* [n] ascending */
    int (*rows)[2];    /* [n] which rows of a column its joint reaches, [from, to) of `axes` */
    double *stiffness; /* [n * n] of the joints as springs */
    double *damping;   /* [n] and dashpots, N s/m */
    double omega;      /* of the vibration */
    double complex *matrix, *motion;
    double complex *force; /* [n_in] of the loads */
    int *pivots;
};

static double complex port_compliance(const struct linear_response *response, int out, int in)
{
    size_t at = (size_t)in * (size_t)(response->n + 1) + (size_t)out;
    return response->compliance->real[at] + I * response->compliance->imaginary[at];
}

/* Column b of H (K + i omega C) at one port, without the identity. */
static double complex spring_response(const struct linear_response *response, int out, int b)
{
    const double *stiffness = response->stiffness + (size_t)b * (size_t)response->n;
    double complex sum = 0.0, own = port_compliance(response, out, b);
    double dashpot = response->omega * response->damping[b];
    for (int a = response->rows[b][0]; a < response->rows[b][1]; a++) {
        sum += port_compliance(response, out, a) * stiffness[a];
    }
    return creal(sum) - dashpot * cimag(own) + I * (cimag(sum) + dashpot * creal(own));
}

/* Amplitudes of all loads of the order that the response is asked for. */
static void fill_loads(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    const struct masing_model *model = balance->model;
    for (int l = 0; l < model->spec.n_loads; l++) {
        const struct load *load = &model->loads[l];
        double value[2] = {0.0, 0.0}, slope[2];
        if (load->harmonic == model->order) {
            load_amplitude(load, omega, value, slope);
        }
        double complex *force =
            response->force + response->n + balance->load_column[l] - balance->n_axes;
        force[0] = value[0] + I * value[1];
        if (load->imaginary) {
            force[1] = I * force[0];
        }
    }
}

static double complex load_response(const struct linear_response *response, int out)
{
    double complex sum = 0.0;
    for (int in = response->n; in < response->compliance->n_in; in++) {
        sum += port_compliance(response, out, in) * response->force[in];
    }
    return sum;
}

/* w = (1 + H K)^-1 H f in place; false: there is none. One axis, as most models have, needs no
 * LAPACK. */
static bool solve(struct linear_response *response)
{
    int n = response->n;
    double complex *w = response->motion;
    if (n == 1) {
        w[0] /= response->matrix[0];
        return isfinite(creal(w[0])) && isfinite(cimag(w[0]));
    }
    if (n > 0 && lu_factor_complex(n, response->matrix, response->pivots) != MASING_OK) {
        return false;
    }
    lu_solve_complex(n, response->matrix, response->pivots, w, 1);
    return true;
}

/* Of the output's displacement. */
static double size_of(const struct balance *balance, double complex x, double omega)
{
    const struct masing_model *model = balance->model;
    int output = model->spec.peak_output;
    for (int l = 0; l < model->spec.n_loads; l++) {
        double base[2];
        if (output_base_motion(model, output, l, omega, base)) {
            x += base[0] - I * base[1];
        }
    }
    double size = cabs(x) * output_scale(model, output), rate = model->order * omega;
    return isfinite(size) ? size * pow(rate, output_order(&model->spec.outputs[output]))
                          : INFINITY;
}

/* The same by iteration. */
static double iterated_size(struct linear_response *response, double omega)
{
    const double *x = response->y + response->first;
    enum masing_status status =
        balance_linear_response(response->balance, omega, response->y, response->change);
    response->is_unknown = response->is_unknown || status == MASING_NOT_CONVERGED;
    if (status != MASING_OK) {
        return status == MASING_NOT_CONVERGED ? 0.0 : INFINITY;
    }
    return size_of(response->balance, response->first < 0 ? 0.0 : x[0] - I * x[1], omega);
}

/* |output| with the joints as springs: w = (1 + H K)^-1 H f, x = H f - H K w. */
static double response_size(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    int n = response->n;
    if (response->y) {
        return iterated_size(response, omega);
    }
    if (compliance_evaluate(response->compliance, omega, false) != MASING_OK) {
        return INFINITY;
    }
    fill_loads(response, omega);
    response->omega = balance->model->order * omega;
    for (int a = 0; a < n; a++) {
        response->motion[a] = load_response(response, a);
        for (int b = 0; b < n; b++) {
            response->matrix[(size_t)b * (size_t)n + (size_t)a] =
                (a == b ? 1.0 : 0.0) + spring_response(response, a, b);
        }
    }
    if (!solve(response)) {
        return INFINITY;
    }
    double complex x = load_response(response, n);
    for (int b = 0; b < n; b++) {
        x -= spring_response(response, n, b) * response->motion[b];
    }
    return size_of(balance, x, omega);
}

static int compare_numbers(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Frequencies at which to look: evenly over the range, and the natural frequencies in it. */
static int list_candidates(const struct balance *balance, const double *natural, double *list)
{
    int order = balance->model->order;
    const struct structure *structure = model_structure_at(balance->model, order);
    const struct masing_spec *spec = &balance->model->spec;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    int n = 0;
    for (int i = 0; i < N_CANDIDATES; i++) {
        list[n++] = low + (high - low) * i / (N_CANDIDATES - 1);
    }
    for (int j = 0; j < structure->n_modes; j++) {
        double omega = natural[j] / order;
        if (omega > low && omega < high) {
            list[n++] = omega;
        }
    }
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    return n;
}

/* Slope of the force with the velocity at rest; with the joint free, no more than what is left
 * of it at any speed. */
static double joint_damping(const struct joint *joint, enum balance_joints joints)
{
    static const double HIGH_SPEED = 1e9;
    const struct masing_branch_point rest = {0}, fast = {.v = HIGH_SPEED};
    struct masing_rate at_rest, at_speed;
    if (!joint->law->force) {
        return 0.0;
    }
    joint->law->force(joint->parameters, 1, &rest, &at_rest);
    joint->law->force(joint->parameters, 1, &fast, &at_speed);
    return joints == BALANCE_STUCK ? at_rest.v : fmin(at_rest.v, at_speed.v);
}

/* stiffness [n_axes * n_axes], damping [n_axes] of all joints' axes: those that are not zero
 * throughout, which alone move the loads and the output differently from a structure without
 * joints, go to the response. */
static void keep_springs(const struct balance *balance, const double *stiffness,
                         const double *damping, struct linear_response *response)
{
    size_t n_axes = (size_t)balance->n_axes, n = 0;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = &balance->model->joints[j];
        size_t first = n, from = (size_t)joint->first_axis, to = from + (size_t)joint->n_axes;
        for (size_t a = from; a < to; a++) {
            bool is_spring = damping[a] != 0.0;
            for (size_t b = from; b < to; b++) {
                is_spring = is_spring || stiffness[a * n_axes + b] != 0.0 ||
                            stiffness[b * n_axes + a] != 0.0;
            }
            response->axes[n] = (int)a;
            response->rows[n][0] = (int)first;
            response->damping[n] = damping[a];
            n += is_spring;
        }
        for (size_t b = first; b < n; b++) {
            response->rows[b][1] = (int)n;
        }
    }
    response->n = (int)n;
    for (size_t b = 0; b < n; b++) {
        for (size_t a = 0; a < n; a++) {
            size_t at = (size_t)response->axes[b] * n_axes + (size_t)response->axes[a];
            response->stiffness[b * n + a] = stiffness[at];
        }
    }
}

static enum masing_status set_joints(const struct balance *balance, enum balance_joints joints,
                                     struct linear_response *response,
                                     struct masing_error *error)
{
    size_t n = (size_t)balance->n_axes;
    double *stiffness = arena_doubles(&response->arena, n * n);
    double *damping = arena_doubles(&response->arena, n);
    response->axes = arena_array(&response->arena, n + 1, sizeof(int));
    response->rows = arena_array(&response->arena, n + 1, sizeof *response->rows);
    response->stiffness = arena_doubles(&response->arena, n * n);
    response->damping = arena_doubles(&response->arena, n + 1);
    NEED_ALLOCATED(!response->arena.has_failed);
    joint_stiffness_matrix(&balance->model->spec, balance->model->static_displacement,
                           joints == BALANCE_STUCK, balance->n_axes, stiffness);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = &balance->model->joints[j];
        for (int a = 0; a < joint->n_axes; a++) {
            damping[joint->first_axis + a] = joint_damping(joint, joints);
        }
    }
    keep_springs(balance, stiffness, damping, response);
    return MASING_OK;
}

/* From the springs' axes and the loads to these axes and the output. */
static enum masing_status create_compliance(const struct balance *balance,
                                            struct linear_response *response,
                                            struct masing_error *error)
{
    const struct masing_spec *spec = &balance->model->spec;
    int n = response->n, n_axes = balance->n_axes;
    int n_loads = balance->n_in - n_axes - (balance->is_static ? 1 : 0);
    const struct compliance_ports *in = &balance->in_ports, *out = &balance->out_ports;
    struct compliance_ports from, to;
    struct arena *arena = &response->arena;
    NEED(compliance_ports_create(n + n_loads, in->first[balance->n_in], arena, &from, error));
    NEED(compliance_ports_create(n + 1, out->first[balance->n_out], arena, &to, error));
    response->force = arena_array(arena, (size_t)(n + n_loads), sizeof(double complex));
    NEED_ALLOCATED(!arena->has_failed);
    for (int k = 0; k < n; k++) {
        compliance_ports_copy(&from, k, in, response->axes[k]);
        compliance_ports_copy(&to, k, out, response->axes[k]);
    }
    for (int l = 0; l < n_loads; l++) {
        compliance_ports_copy(&from, n + l, in, n_axes + l);
    }
    compliance_ports_copy(&to, n, out, n_axes);
    struct compliance_settings settings = {
        .n_in = n + n_loads,
        .n_out = n + 1,
        .in = from,
        .out = to,
        .n_harmonics = 1,
        .harmonics = &balance->model->order,
        .omega_max = fmax(spec->omega_from, spec->omega_to),
        .cyclic = balance->model->cyclic ? balance->model : NULL,
    };
    return compliance_create(balance->structure, &settings, &response->compliance, error);
}

/* Whether joints resist a velocity, which the iteration leaves out. */
static bool has_damping(const struct balance *balance, enum balance_joints joints)
{
    bool has = false;
    for (int j = 0; j < balance->n_joints; j++) {
        has = has || joint_damping(balance->joints[j]->joint, joints) != 0.0;
    }
    return has;
}

static enum masing_status create_iteration(const struct balance *balance,
                                           struct linear_response *response,
                                           struct masing_error *error)
{
    size_t n = (size_t)balance->n_unknowns;
    response->y = arena_doubles(&response->arena, n);
    response->change = arena_doubles(&response->arena, n);
    response->first = -1;
    NEED_ALLOCATED(!response->arena.has_failed);
    for (int i = 0; i < balance->n_observed; i++) {
        int k = balance->observed[i];
        if (balance_harmonic(balance, k) == balance->model->order) {
            response->first = balance->row[k * balance->n_out + balance->n_axes];
        }
    }
    return MASING_OK;
}

static enum masing_status create_linear_response(struct balance *balance,
                                                 enum balance_joints joints,
                                                 struct linear_response *response,
                                                 struct masing_error *error)
{
    response->balance = balance;
    if (!balance->compliance->has_matrices) {
        return create_iteration(balance, response, error);
    }
    NEED(set_joints(balance, joints, response, error));
    size_t n = (size_t)response->n;
    response->matrix = arena_array(&response->arena, n * n, sizeof(double complex));
    response->motion = arena_array(&response->arena, n, sizeof(double complex));
    response->pivots = arena_array(&response->arena, n, sizeof(int));
    NEED_ALLOCATED(!response->arena.has_failed);
    return create_compliance(balance, response, error);
}

/* How far a frequency lies from those between a mode's natural ones with the joints stuck and
 * free, as a logarithm; none from those of a rigid body. */
static double distance_of(const struct structure *structure, int mode, double omega)
{
    double stuck = structure_natural(structure, true)[mode];
    double released = structure_natural(structure, false)[mode];
    released = released > 0.0 ? released : stuck;
    double off = fmax(log(fmin(released, stuck) / omega), log(omega / fmax(released, stuck)));
    return stuck > 0.0 ? fmax(0.0, off) : INFINITY;
}

/* Modes at most that are asked for their peaks. */
enum { MOST_NEAREST = 4 };
struct modes {
    int n, list[MOST_NEAREST]; /* -1: none, the largest maximum counts */
};
/* Modes whose natural frequencies differ by less, relative, have the same peak. */
static const double SAME_FREQUENCY = 1e-9;

static bool is_double(const struct structure *structure, int mode, int other)
{
    const double *stuck = structure_natural(structure, true);
    const double *released = structure_natural(structure, false);
    return fabs(stuck[mode] - stuck[other]) <= SAME_FREQUENCY * stuck[mode] &&
           fabs(released[mode] - released[other]) <= SAME_FREQUENCY * stuck[mode];
}

/* The modes between whose natural frequencies a frequency lies, or the one that lies nearest.
 */
static struct modes nearest_modes(const struct structure *structure, double omega)
{
    struct modes modes = {1, {-1}};
    double least = INFINITY;
    for (int j = 0; omega > 0.0 && j < structure->n_modes; j++) {
        double off = distance_of(structure, j, omega);
        bool is_nearer = off < least, is_new = off == 0.0 && modes.n < MOST_NEAREST;
        for (int i = 0; i < modes.n && is_new && !is_nearer; i++) {
            is_new = !is_double(structure, j, modes.list[i]);
        }
        if (is_nearer) {
            modes = (struct modes){1, {j}};
        } else if (is_new) {
            modes.list[modes.n++] = j;
        }
        least = fmin(least, off);
    }
    return modes;
}

/* A maximum belongs to a mode whose natural frequency is nearer than this, as a logarithm:
 * damping shifts it by less. */
static const double SAME_MODE = 0.1;

/* The inverse square of the response is nearly a parabola, also where it has a pole. */
static struct bracket_point place_of(double omega, double size)
{
    return (struct bracket_point){omega, pow(size, -2.0)};
}

/* Frequencies as near as this, relative, have the same response but for rounding. */
static const double NARROW = 1e-9;

/* The maximum between two places beside `peak`. */
static void climb(struct linear_response *response, struct bracket_point from,
                  struct bracket_point to, struct linear_peak *peak)
{
    struct parabolic_section section =
        parabolic_section_of(from, place_of(peak->omega, peak->size), to);
    for (int k = 0; k < MAX_CUTS && parabolic_section_next(&section, NARROW * to.x); k++) {
        double size = response_size(response, section.x);
        if (size > peak->size) {
            peak->omega = section.x;
            peak->size = size;
        }
        parabolic_section_set(&section, place_of(section.x, size).value);
    }
}

/* A maximum that was met becomes a peak's, whose distance from its natural frequency is `off`
 * so far, where it is nearer to that, or where the peak has none and it is larger. */
static void consider(const struct linear_peak *found, bool is_interior, double natural,
                     double *off, struct linear_peak *peak)
{
    double away = is_interior ? fabs(log(found->omega / natural)) : (double)INFINITY;
    bool is_this = away < *off;
    if (is_this || (!peak->is_found && found->size > peak->size)) {
        *off = is_this ? away : *off;
        peak->omega = found->omega;
        peak->size = found->size;
        peak->is_found = is_this;
    }
}

/* The interior maxima of the response: for each of the modes that of its natural frequency
 * within the range, and the first that is unbounded. */
static void find_interior_peaks(struct linear_response *response, const struct modes *modes,
                                const double *natural, int n, const double *list, double *sizes,
                                struct linear_peak *peaks)
{
    double off[MOST_NEAREST];
    int order = response->balance->model->order;
    for (int i = 0; i < n; i++) {
        sizes[i] = response_size(response, list[i]);
    }
    for (int m = 0; m < modes->n; m++) {
        off[m] = SAME_MODE;
        peaks[m] = (struct linear_peak){NAN, -1.0, false, NAN};
    }
    double floor = fmin(sizes[0], sizes[n - 1]);
    for (int i = 0; i < n; i++) {
        int before = i > 0 ? i - 1 : 0, after = i + 1 < n ? i + 1 : i;
        struct linear_peak found = {0};
        if (sizes[i] < sizes[before] || sizes[i] < sizes[after]) {
            continue;
        }
        found.omega = list[i];
        found.size = sizes[i];
        if (isfinite(sizes[i])) {
            climb(response, place_of(list[before], sizes[before]),
                  place_of(list[after], sizes[after]), &found);
        }
        bool is_pole = found.size > UNBOUNDED_RATIO * floor;
        found.size = is_pole ? INFINITY : found.size; /* undamped, met but for rounding */
        for (int m = 0; m < modes->n; m++) {
            double own = modes->list[m] < 0 ? NAN : natural[modes->list[m]] / order;
            bool is_interior = own > list[0] && own < list[n - 1] && found.omega > list[0] &&
                               found.omega < list[n - 1];
            if (is_pole && isnan(peaks[m].unbounded)) {
                peaks[m].unbounded = found.omega;
            }
            consider(&found, is_interior, own, &off[m], &peaks[m]);
        }
    }
}

static const struct linear_peak unknown_peak = {NAN, NAN, false, NAN};

/* natural [n_modes] with the joints that way; peaks [modes->n] */
static enum masing_status find_linear_peaks(struct balance *balance, enum balance_joints joints,
                                            const double *natural, const struct modes *modes,
                                            struct linear_peak *peaks,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = balance->model;
    size_t most = N_CANDIDATES + (size_t)model_structure_at(model, model->order)->n_modes;
    struct linear_response response = {0};
    double *list = arena_doubles(&response.arena, 2 * most);
    for (int m = 0; m < modes->n; m++) {
        peaks[m] = unknown_peak;
    }
    if (!balance->compliance->has_matrices) {
        if (has_damping(balance, joints)) {
            goto done;
        }
        TRY(balance_refer(balance, joints));
    }
    TRY(create_linear_response(balance, joints, &response, error));
    int n = list_candidates(balance, natural, list);
    find_interior_peaks(&response, modes, natural, n, list, list + n, peaks);
    for (int m = 0; m < modes->n && response.is_unknown; m++) {
        peaks[m] = unknown_peak;
    }
done:
    compliance_destroy(response.compliance);
    arena_clear(&response.arena);
    return status;
}

/* Of several modes at hand that which the loads and the output know best. */
enum masing_status linear_peaks_find(struct balance *balance, double omega,
                                     struct linear_peak *stuck, struct linear_peak *released,
                                     struct masing_error *error)
{
    int order = balance->model->order;
    const struct structure *structure = model_structure_at(balance->model, order);
    struct modes modes = nearest_modes(structure, order * omega);
    struct linear_peak held[MOST_NEAREST], loose[MOST_NEAREST];
    *stuck = *released = unknown_peak;
    NEED(find_linear_peaks(balance, BALANCE_STUCK, structure_natural(structure, true), &modes,
                           held, error));
    NEED(find_linear_peaks(balance, BALANCE_FREE, structure_natural(structure, false), &modes,
                           loose, error));
    int best = 0;
    for (int m = 1; m < modes.n; m++) {
        if (held[m].size + loose[m].size > held[best].size + loose[best].size) {
            best = m;
        }
    }
    *stuck = held[best];
    *released = loose[best];
    return balance->compliance->has_matrices ? MASING_OK
                                             : balance_refer(balance, BALANCE_STUCK);
}
