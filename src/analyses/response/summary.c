/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engineer reads first: the peak and what it is made of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/callbacks.h"
#include "analyses/response/linear_peak.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"

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
