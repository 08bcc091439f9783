/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engineer reads first: the peak and what it is made of. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"
#include "linalg/bracket.h"
#include "linalg/lu.h"
#include "model/joints.h"

/* ---- warnings ---- */

/* A harmonic of the peak meets a mode within this part of its frequencies; nothing is said
 * where the third harmonic is smaller than this part of the first. */
static const double INTERACTION_WIDTH = 0.03, INTERACTION_LEVEL = 1e-3;
/* Only harmonics that are large as a rule count, modes above that of the peak, and those which
 * the joints do not shift so far that most harmonics would meet them. */
enum { HIGHEST_INTERACTION = 7 };
static const double ABOVE_PEAK = 1.05, WIDEST_MODE = 1.3;
/* Mean force that only the restraint of the method carries, in parts of the loads. */
static const double DRIFT_LIMIT = 1e-4;

/* Where the limit moves with the normal load nothing can be said about other loads. */
static enum masing_status warn_group(struct response_curve *curve, int index, double share,
                                     struct masing_error *error)
{
    const struct masing_joint_group *group = &curve->model->spec.groups[index];
    if (group->n_joints > 1) {
        return warning_add(&curve->warnings, error,
                           "none of the %d joints of '%s' ever slips (the nearest comes to "
                           "%.3g %% of its limit)",
                           group->n_joints, group->name, 100.0 * share);
    }
    if (masing_law_can_open(curve->model->joints[group->first].law)) {
        return warning_add(&curve->warnings, error,
                           "joint '%s' never slips (%.3g %% of its limit)", group->name,
                           100.0 * share);
    }
    return warning_add(&curve->warnings, error,
                       "joint '%s' never slips (%.3g %% of its limit; slips from %.3g times "
                       "the load)",
                       group->name, 100.0 * share, 1.0 / share);
}

static enum masing_status warn_never_slips(struct response_curve *curve,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int g = 0; g < curve->model->spec.n_groups; g++) {
        double share = curve->group_limit[g];
        if (share > 0.0 && share < 1.0 && curve->summary->is_complete) {
            TRY(warn_group(curve, g, share, error));
        }
    }
done:
    return status;
}

/* Contacts that are open all the time neither hold nor damp. */
static enum masing_status warn_open(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int g = 0; g < curve->model->spec.n_groups; g++) {
        if (curve->recovery->point.open[g] >= 1.0) {
            TRY(warning_add(&curve->warnings, error,
                            "joint '%s' is open all the time at the peak",
                            curve->model->spec.groups[g].name));
        }
    }
done:
    return status;
}

/* Natural frequency next to the given one. */
static double nearest(const double *natural, int n, double omega)
{
    double best = NAN;
    for (int j = 0; j < n; j++) {
        if (natural[j] > 0.0 && !(fabs(natural[j] - omega) >= fabs(best - omega))) {
            best = natural[j];
        }
    }
    return best;
}

/* "stuck mode at 24.7 Hz", or that there is none but rigid-body motion. */
static void describe_mode(const char *state, double omega, char text[40])
{
    if (isfinite(omega)) {
        snprintf(text, 40, "%s mode at %.6g Hz", state, omega / TWO_PI);
    } else {
        snprintf(text, 40, "no %s mode", state);
    }
}

static enum masing_status warn_limit(struct response_curve *curve, struct masing_error *error)
{
    const struct structure *structure = curve->balance->structure;
    const struct masing_peak *peak = &curve->summary->peak;
    if (!peak->is_at_limit || peak->max == 0.0) {
        return MASING_OK;
    }
    char stuck[40], released[40];
    double omega = TWO_PI * peak->frequency_hz;
    describe_mode("stuck", nearest(structure->omega_stuck, structure->n_modes, omega), stuck);
    describe_mode("free", nearest(structure->omega_free, structure->n_modes, omega), released);
    return warning_add(&curve->warnings, error,
                       "the peak lies at the end of the range, %.6g Hz (%s, %s)",
                       peak->frequency_hz, stuck, released);
}

static enum masing_status warn_harmonics(struct response_curve *curve,
                                         struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    if (!(curve->last_to_first > LAST_HARMONIC_LIMIT)) {
        return MASING_OK;
    }
    return warning_add(
        &curve->warnings, error,
        "the last harmonics (up to %d) of '%s' are %.2g %% of the first at the peak: take "
        "more harmonics",
        spec->harmonics[spec->n_harmonics - 1], spec->outputs[spec->peak_output].name,
        100.0 * curve->last_to_first);
}

/* A higher harmonic of the peak close to a mode of the stuck or the free structure. */
static enum masing_status warn_interaction(struct response_curve *curve,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = curve->balance->structure;
    const struct masing_spec *spec = &curve->model->spec;
    double omega = TWO_PI * curve->summary->peak.frequency_hz;
    if (!(curve->third_to_first > INTERACTION_LEVEL)) {
        return MASING_OK; /* next to nothing is there that could meet a mode */
    }
    for (int k = 0; spec->n_joints > 0 && k < spec->n_harmonics; k++) {
        int h = spec->harmonics[k];
        for (int j = 0; h > 1 && h <= HIGHEST_INTERACTION && j < structure->n_modes; j++) {
            double low = fmin(structure->omega_free[j], structure->omega_stuck[j]);
            double high = fmax(structure->omega_free[j], structure->omega_stuck[j]);
            if (h * omega > low * (1.0 - INTERACTION_WIDTH) &&
                h * omega < high * (1.0 + INTERACTION_WIDTH) && low > ABOVE_PEAK * omega &&
                high < WIDEST_MODE * low) {
                TRY(warning_add(
                    &curve->warnings, error,
                    "%d times the peak's frequency (%.6g Hz) meets mode %d (%.6g Hz free, "
                    "%.6g Hz stuck)",
                    h, h * omega / TWO_PI, j + 1, structure->omega_free[j] / TWO_PI,
                    structure->omega_stuck[j] / TWO_PI));
                break;
            }
        }
    }
done:
    return status;
}

static enum masing_status warn_unbounded(struct response_curve *curve,
                                         struct masing_error *error)
{
    const struct masing_response_summary *summary = curve->summary;
    if (!isinf(summary->free_peak) && !isinf(summary->stuck_peak)) {
        return MASING_OK;
    }
    bool is_free = isinf(summary->free_peak);
    return warning_add(
        &curve->warnings, error,
        "the linear structure is undamped and its response unbounded at %.6g Hz with the "
        "joints %s",
        is_free ? summary->free_peak_hz : summary->stuck_peak_hz,
        is_free ? "in full slip" : "stuck");
}

static enum masing_status warn_incomplete(struct response_curve *curve,
                                          struct masing_error *error)
{
    const struct masing_response_summary *summary = curve->summary;
    if (summary->is_complete || summary->peak.is_extremum) {
        return MASING_OK;
    }
    return warning_add(&curve->warnings, error,
                       "the curve is not complete: its largest point, at %.6g Hz, need "
                       "not be the peak",
                       summary->peak.frequency_hz);
}

enum masing_status response_warn_drift(const struct response_curve *curve,
                                       const struct warning_list *list,
                                       struct masing_error *error)
{
    if (!(curve->drift > DRIFT_LIMIT)) {
        return MASING_OK;
    }
    return warning_add(
        list, error,
        "the joints' mean force pushes the structure along a rigid-body motion "
        "that nothing holds, by up to %.2g of the loads (at %.6g Hz): it drifts, "
        "and the mean given is no equilibrium",
        curve->drift, curve->drift_hz);
}

static enum masing_status warn_restarts(struct response_curve *curve,
                                        struct masing_error *error)
{
    int n = curve->summary->strategies[MASING_STRATEGY_RESTART];
    if (n == 0) {
        return MASING_OK;
    }
    return warning_add(&curve->warnings, error,
                       "the curve could not be followed everywhere: %d of its points come from "
                       "time integration (see the log), and what lies before each is not known",
                       n);
}

static enum masing_status warn_energy(struct response_curve *curve, struct masing_error *error)
{
    if (curve->summary->energy_mismatch <= ENERGY_MISMATCH_LIMIT) {
        return MASING_OK;
    }
    return warning_add(
        &curve->warnings, error,
        "energy input and loss differ by up to %.2g of the work exchanged: a law creates "
        "energy or the balance is not resolved",
        curve->summary->energy_mismatch);
}

/* Nobody will ever measure it. */
static enum masing_status warn_unstable(struct response_curve *curve,
                                        struct masing_error *error)
{
    return curve->best.is_unstable
               ? warning_add(
                     &curve->warnings, error,
                     "the peak at %.6g Hz is unstable: the motion leaves it for another",
                     curve->summary->peak.frequency_hz)
               : MASING_OK;
}

/* `harmonics: auto` */
static enum masing_status warn_levels(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct harmonic_levels *levels = curve->levels;
    if (levels && levels->is_exhausted) {
        TRY(warning_add(&curve->warnings, error,
                        "harmonics up to %d, the most allowed, may not give the outputs to "
                        "%.2g %% at %.6g Hz: a larger harmonics.max may be needed",
                        levels->highest_used, 100.0 * levels->tolerance,
                        levels->exhausted_omega / TWO_PI));
    }
    if (levels && levels->worst_error > levels->tolerance) {
        TRY(warning_add(&curve->warnings, error,
                        "more harmonics would change the outputs by %.2g %% at %.6g Hz, but no "
                        "solution with them was found close by",
                        100.0 * levels->worst_error, levels->worst_omega / TWO_PI));
    }
done:
    return status;
}

enum masing_status response_warnings_add(struct response_curve *curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(warnings_add_model(&curve->warnings, curve->model, error));
    TRY(warn_never_slips(curve, error));
    if (isfinite(curve->summary->peak.frequency_hz)) {
        TRY(warn_incomplete(curve, error));
        TRY(warn_limit(curve, error));
        TRY(warn_open(curve, error));
        TRY(warn_harmonics(curve, error));
        TRY(warn_levels(curve, error));
        TRY(warn_interaction(curve, error));
        TRY(warn_unstable(curve, error));
    }
    TRY(curve_stability_warn(curve->driver->stability, &curve->warnings, error));
    TRY(curve_driver_warn_missing(curve->driver, &curve->warnings, error));
    TRY(warn_unbounded(curve, error));
    TRY(energy_limits_warn(curve->energy_limits, "Hz", &curve->warnings, error));
    TRY(response_warn_drift(curve, &curve->warnings, error));
    TRY(warn_energy(curve, error));
    TRY(warn_restarts(curve, error));
done:
    return status;
}

/* ---- the linear reference: joints stuck, or in full slip ---- */

struct linear_peak {
    double omega; /* rad/s */
    /* first-harmonic amplitude of the peak's output; INFINITY at an undamped pole */
    double size;
};

enum { N_CANDIDATES = 48, MAX_CUTS = 60 };

/* Peak over the response at the ends of the range from which on it is called unbounded. */
static const double UNBOUNDED_RATIO = 1e10;

struct linear_response {
    const struct balance *balance;
    struct arena arena;            /* of all arrays */
    struct compliance *compliance; /* at harmonic 1 */
    double *stiffness;             /* [n_axes * n_axes] of the joints as springs */
    int (*rows)[2];  /* [n_axes] which rows of a column its joint reaches, [from, to) */
    double *damping; /* [n_axes] and dashpots, N s/m */
    double omega;
    double complex *matrix, *axes;
    double complex *force; /* [n_in] of the loads */
    int *pivots;
};

static double complex port_compliance(const struct linear_response *response, int out, int in)
{
    size_t at = (size_t)in * (size_t)response->balance->n_out + (size_t)out;
    return response->compliance->real[at] + I * response->compliance->imaginary[at];
}

/* Column b of H (K + i omega C) at one port, without the identity. */
static double complex spring_response(const struct linear_response *response, int out, int b)
{
    size_t n = (size_t)response->balance->n_axes;
    double complex sum =
        port_compliance(response, out, b) * I * response->omega * response->damping[b];
    for (int a = response->rows[b][0]; a < response->rows[b][1]; a++) {
        double stiffness = response->stiffness[(size_t)b * n + (size_t)a];
        sum += stiffness != 0.0 ? port_compliance(response, out, a) * stiffness : 0.0;
    }
    return sum;
}

static void fill_loads(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    const struct masing_model *model = balance->model;
    for (int l = 0; l < model->spec.n_loads; l++) {
        const struct load *load = &model->loads[l];
        double value[2] = {0.0, 0.0}, slope[2];
        if (load->harmonic == 1) {
            load_amplitude(load, omega, value, slope);
        }
        double complex amplitude = value[0] + I * value[1];
        response->force[balance->load_column[l]] = amplitude;
        if (load->imaginary) {
            response->force[balance->load_column[l] + 1] = I * amplitude;
        }
    }
}

static double complex load_response(const struct linear_response *response, int out)
{
    double complex sum = 0.0;
    int n_in = response->balance->n_in - (response->balance->is_static ? 1 : 0);
    for (int in = response->balance->n_axes; in < n_in; in++) {
        sum += port_compliance(response, out, in) * response->force[in];
    }
    return sum;
}

/* |output| with the joints as springs: w = (1 + H K)^-1 H f, x = H f - H K w. */
static double response_size(struct linear_response *response, double omega)
{
    const struct balance *balance = response->balance;
    int n = balance->n_axes;
    if (compliance_evaluate(response->compliance, omega, false) != MASING_OK) {
        return INFINITY;
    }
    fill_loads(response, omega);
    response->omega = omega;
    for (int a = 0; a < n; a++) {
        response->axes[a] = load_response(response, a);
        for (int b = 0; b < n; b++) {
            response->matrix[(size_t)b * (size_t)n + (size_t)a] =
                (a == b ? 1.0 : 0.0) + spring_response(response, a, b);
        }
    }
    if (n > 0) {
        if (lu_factor_complex(n, response->matrix, response->pivots) != MASING_OK) {
            return INFINITY;
        }
        lu_solve_complex(n, response->matrix, response->pivots, response->axes, 1);
    }
    double complex x = load_response(response, n);
    for (int b = 0; b < n; b++) {
        x -= spring_response(response, n, b) * response->axes[b];
    }
    double size = cabs(x);
    enum masing_quantity quantity =
        balance->model->spec.outputs[balance->model->spec.peak_output].quantity;
    return isfinite(size) ? size * pow(omega, (double)(int)quantity) : INFINITY;
}

static int compare_numbers(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* Frequencies at which to look: evenly over the range, and the natural frequencies in it. */
static int list_candidates(const struct balance *balance, enum balance_joints joints,
                           double *list)
{
    const struct masing_spec *spec = &balance->model->spec;
    const struct structure *structure = balance->structure;
    const double *natural =
        joints == BALANCE_STUCK ? structure->omega_stuck : structure->omega_free;
    double low = fmin(spec->omega_from, spec->omega_to);
    double high = fmax(spec->omega_from, spec->omega_to);
    int n = 0;
    for (int i = 0; i < N_CANDIDATES; i++) {
        list[n++] = low + (high - low) * i / (N_CANDIDATES - 1);
    }
    for (int j = 0; j < structure->n_modes; j++) {
        if (natural[j] > low && natural[j] < high) {
            list[n++] = natural[j];
        }
    }
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    return n;
}

/* Golden section between the neighbours of the best candidate. */
static void refine_linear_peak(struct linear_response *response, double low, double high,
                               struct linear_peak *peak)
{
    struct golden_section section = golden_section_of(low, peak->omega, -peak->size, high);
    for (int i = 0;
         i < MAX_CUTS && isfinite(section.value) && golden_section_next(&section, 1e-10 * high);
         i++) {
        golden_section_set(&section, -response_size(response, section.x));
    }
    peak->omega = section.best;
    peak->size = -section.value;
}

/* Slope of the force with the velocity at rest; with the joint free, no more than what is left
 * of it at any speed. */
static double joint_damping(const struct joint *joint, enum balance_joints joints)
{
    static const double HIGH_SPEED = 1e9;
    double f, fx, at_rest, at_speed;
    if (!joint->law->force) {
        return 0.0;
    }
    joint->law->force(joint->parameters, 0.0, 0.0, &f, &fx, &at_rest);
    joint->law->force(joint->parameters, 0.0, HIGH_SPEED, &f, &fx, &at_speed);
    return joints == BALANCE_STUCK ? at_rest : fmin(at_rest, at_speed);
}

static enum masing_status create_linear_response(const struct balance *balance,
                                                 struct linear_response *response,
                                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &balance->model->spec;
    const int one = 1;
    size_t n = (size_t)balance->n_axes, n_in = (size_t)balance->n_in;
    response->balance = balance;
    response->stiffness = arena_doubles(&response->arena, n * n);
    response->rows = arena_array(&response->arena, n, sizeof *response->rows);
    response->damping = arena_doubles(&response->arena, n);
    response->matrix = arena_array(&response->arena, n * n, sizeof(double complex));
    response->axes = arena_array(&response->arena, n, sizeof(double complex));
    response->force = arena_array(&response->arena, n_in, sizeof(double complex));
    response->pivots = arena_array(&response->arena, n, sizeof(int));
    TRY_ALLOCATED(!response->arena.has_failed);
    struct compliance_settings settings = {
        .n_in = balance->n_in,
        .n_out = balance->n_out,
        .in = balance->in_patterns,
        .out = balance->out_patterns,
        .n_harmonics = 1,
        .harmonics = &one,
        .omega_max = fmax(spec->omega_from, spec->omega_to),
    };
    TRY(compliance_create(balance->structure, &settings, &response->compliance, error));
done:
    return status;
}

static void set_joints(struct linear_response *response, enum balance_joints joints)
{
    const struct balance *balance = response->balance;
    joint_stiffness_matrix(&balance->model->spec, balance->model->static_displacement,
                           joints == BALANCE_STUCK, balance->n_axes, response->stiffness);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = &balance->model->joints[j];
        for (int a = 0; a < joint->n_axes; a++) {
            int axis = joint->first_axis + a;
            response->rows[axis][0] = joint->first_axis;
            response->rows[axis][1] = joint->first_axis + joint->n_axes;
            response->damping[axis] = joint_damping(joint, joints);
        }
    }
}

static void find_linear_peak(struct linear_response *response, enum balance_joints joints,
                             double *list, struct linear_peak *peak)
{
    int n = list_candidates(response->balance, joints, list), best = 0;
    set_joints(response, joints);
    peak->size = -1.0;
    for (int i = 0; i < n; i++) {
        double size = response_size(response, list[i]);
        if (size > peak->size) {
            *peak = (struct linear_peak){list[i], size};
            best = i;
        }
    }
    double floor = fmin(response_size(response, list[0]), response_size(response, list[n - 1]));
    refine_linear_peak(response, list[best > 0 ? best - 1 : 0],
                       list[best < n - 1 ? best + 1 : n - 1], peak);
    if (peak->size > UNBOUNDED_RATIO * floor) {
        peak->size = INFINITY; /* an undamped pole, met but for rounding */
    }
}

/* Largest linear responses within the frequency range, loads of harmonic 1 only, with the
 * joints as springs of their laws' stiffness when stuck and in full slip. */
static enum masing_status find_linear_peaks(const struct balance *balance,
                                            struct linear_peak *stuck,
                                            struct linear_peak *slipping,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct linear_response response = {0};
    double *list = arena_array(
        &response.arena, N_CANDIDATES + (size_t)balance->structure->n_modes, sizeof *list);
    TRY(create_linear_response(balance, &response, error));
    find_linear_peak(&response, BALANCE_STUCK, list, stuck);
    find_linear_peak(&response, BALANCE_FREE, list, slipping);
done:
    compliance_destroy(response.compliance);
    arena_clear(&response.arena);
    return status;
}

/* ---- numbers ---- */

static const char *forces_used(const struct balance *balance)
{
    bool is_exact = false, is_sampled = false;
    for (int j = 0; j < balance->n_joints; j++) {
        if (balance->joints[j]->method == JOINT_PHASES) {
            is_exact = true;
        } else {
            is_sampled = true;
        }
    }
    return is_exact && is_sampled ? "exact and sampled" : is_sampled ? "sampled" : "exact";
}

/* Loads of the first harmonic only, and no mean. */
static bool is_single_harmonic(const struct response_curve *curve)
{
    bool is_first = curve->model->spec.n_loads > 0;
    for (int l = 0; l < curve->model->spec.n_loads; l++) {
        is_first = is_first && curve->model->loads[l].harmonic == 1;
    }
    return is_first && !curve->balance->is_static;
}

static enum masing_status note_linear_peaks(struct response_curve *curve,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_response_summary *summary = curve->summary;
    struct linear_peak stuck, slipping;
    if (!is_single_harmonic(curve)) {
        return MASING_OK; /* nothing linear that one number could be compared with */
    }
    TRY(find_linear_peaks(curve->balance, &stuck, &slipping, error));
    summary->stuck_peak_hz = stuck.omega / TWO_PI;
    summary->stuck_peak = stuck.size;
    summary->free_peak_hz = slipping.omega / TWO_PI;
    summary->free_peak = slipping.size;
done:
    return status;
}

/* Loss over 4 pi times the energy of the vibration, the first harmonic's kinetic energy
 * standing for half of it: zeta of a linear oscillator at resonance. */
static enum masing_status note_damping(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct basis *basis = curve->balance->basis;
    int one = -1;
    for (int k = 0; k < basis->n_harmonics; k++) {
        one = basis->harmonics[k] == 1 ? k : one;
    }
    if (one < 0 || !is_single_harmonic(curve)) {
        return MASING_OK;
    }
    double size = 0.0, omega = curve->best.omega;
    TRY(modal_motion_size(curve->balance, curve->best.y, omega, one, &size, error));
    double energy = 0.5 * omega * omega * size;
    curve->summary->equivalent_damping_ratio =
        energy > 0.0 ? curve->recovery->point.energy_lost / (2.0 * TWO_PI * energy) : NAN;
done:
    return status;
}

static double harmonic_size(const struct balance *balance, const double *coefficients, int k)
{
    const double *c = coefficients + balance->basis->position[k];
    return balance->basis->harmonics[k] == 0 ? fabs(c[0]) : hypot(c[0], c[1]);
}

static void note_harmonics(struct response_curve *curve)
{
    if (!is_single_harmonic(curve)) {
        curve->third_to_first = curve->last_to_first = NAN;
        return;
    }
    const struct balance *balance = curve->balance;
    const struct basis *basis = balance->basis;
    const double *coefficients =
        curve->recovery->point.coefficients +
        (size_t)curve->model->spec.peak_output * (size_t)basis->n_coefficients;
    double first = NAN;
    curve->third_to_first = curve->last_to_first = NAN;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double size = harmonic_size(balance, coefficients, k);
        if (basis->harmonics[k] == 1) {
            first = size;
        } else if (basis->harmonics[k] == 3 && first > 0.0) {
            curve->third_to_first = size / first;
        }
    }
    /* The last two, since symmetric motion has odd harmonics only. */
    for (int k = basis->n_harmonics - 1; k >= 0 && k >= basis->n_harmonics - 2; k--) {
        if (basis->harmonics[k] > 1 && first > 0.0) {
            curve->last_to_first =
                fmax(curve->last_to_first, harmonic_size(balance, coefficients, k) / first);
        }
    }
}

static enum masing_status note_peak(struct response_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &curve->model->spec;
    struct masing_response_summary *summary = curve->summary;
    TRY(recovery_evaluate(curve->recovery, curve->best.y, curve->best.omega));
    memcpy(curve->peak_measures, curve->recovery->point.measures,
           sizeof *curve->peak_measures * (size_t)spec->n_outputs);
    const struct output_measures *measures = &curve->peak_measures[spec->peak_output];
    summary->peak = (struct masing_peak){
        .frequency_hz = hertz(curve->best.omega),
        .max = measures->max,
        .amp = measures->amp,
        .h1 = measures->h1,
        .is_extremum = curve->best.is_marked,
        .is_at_limit = !curve->best.is_marked && (curve->best.omega == spec->omega_from ||
                                                  curve->best.omega == spec->omega_to),
    };
    summary->slip_share = summary->open_share = NAN;
    for (int g = 0; g < spec->n_groups; g++) {
        summary->slip_share = fmax(summary->slip_share, curve->recovery->point.slip[g]);
        summary->open_share = fmax(summary->open_share, curve->recovery->point.open[g]);
    }
    note_harmonics(curve);
    summary->third_to_first = curve->third_to_first;
    TRY(note_damping(curve, error));
done:
    return status;
}

void response_summary_reset(struct masing_response_summary *summary)
{
    *summary = (struct masing_response_summary){
        .peak = {NAN, NAN, NAN, NAN, false, false},
        .stuck_peak_hz = NAN,
        .stuck_peak = NAN,
        .free_peak_hz = NAN,
        .free_peak = NAN,
        .equivalent_damping_ratio = NAN,
        .slip_share = NAN,
        .open_share = NAN,
        .third_to_first = NAN,
    };
}

const char *response_start_name(const struct masing_spec *spec)
{
    static const char *const names[] = {"zero", "static", "previous"};
    return names[spec->start];
}

enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    curve->summary->start = response_start_name(&curve->model->spec);
    curve->summary->forces = forces_used(curve->balance);
    if (curve->best.measure >= 0.0) {
        TRY(note_peak(curve, error));
    }
    if (curve->levels) {
        curve->summary->harmonics_low = curve->levels->lowest_used;
        curve->summary->harmonics_high = curve->levels->highest_used;
    }
    TRY(note_linear_peaks(curve, error));
    TRY(response_warnings_add(curve, error));
done:
    return status;
}

void masing_response_summary_clear(struct masing_response_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings});
        free(summary->check.errors);
        summary->check.errors = NULL;
    }
}

enum masing_status response_options_read(const struct masing_response_options *given,
                                         struct masing_response_options *known,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(entry_read(given, "options", known, sizeof *known, error));
    TRY(entry_need_array(known->n_at, known->at_hz, "options.at_hz", error));
done:
    return status;
}
