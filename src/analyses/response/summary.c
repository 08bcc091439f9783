/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engineer reads first: the peak and what it is made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "analyses/response/linear_peak.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"

/* ---- warnings ---- */

static const double INTERACTION_WIDTH = 0.03;
static const double INTERACTION_LEVEL = 1e-3;
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
    for (int k = 0; spec->n_joints > 0 && k < spec->n_harmonics && k < 8; k++) {
        int h = spec->harmonics[k];
        for (int j = 0; h > 1 && h <= 7 && j < structure->n_modes; j++) {
            double low = fmin(structure->omega_free[j], structure->omega_stuck[j]);
            double high = fmax(structure->omega_free[j], structure->omega_stuck[j]);
            if (h * omega > low * (1.0 - INTERACTION_WIDTH) &&
                h * omega < high * (1.0 + INTERACTION_WIDTH) && low > 1.05 * omega &&
                high < 1.3 * low) {
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
    TRY(warn_unbounded(curve, error));
    TRY(energy_limits_warn(curve->energy_limits, "Hz", &curve->warnings, error));
    TRY(response_warn_drift(curve, &curve->warnings, error));
    TRY(warn_energy(curve, error));
    TRY(warn_restarts(curve, error));
done:
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
    TRY(linear_peaks_find(curve->balance, &stuck, &slipping, error));
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

enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    static const char *const starts[] = {"zero", "static", "previous"};
    curve->summary->start = starts[curve->model->spec.start];
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
