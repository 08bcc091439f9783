/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engineer reads first: the peak and what it is made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"
#include "linalg/bracket.h"
#include "model/cyclic.h"
#include "model/output.h"

/* ---- the peak ---- */

/* Loads of the first harmonic only, beside static ones; where the frequency is the shaft's, of
 * one engine order. */
static bool has_first_harmonic(const struct response_curve *curve)
{
    bool is_first = curve->model->spec.n_loads > 0;
    for (int l = 0; l < curve->model->spec.n_loads; l++) {
        is_first = is_first && curve->model->loads[l].harmonic == curve->model->order;
    }
    return is_first;
}

/* Loads of the first harmonic only, and no mean. */
static bool is_single_harmonic(const struct response_curve *curve)
{
    return has_first_harmonic(curve) && !curve->balance->is_static;
}

static double harmonic_size(const struct balance *balance, const double *coefficients, int k)
{
    const double *c = coefficients + balance->basis->position[k];
    return balance->basis->harmonics[k] == 0 ? fabs(c[0]) : hypot(c[0], c[1]);
}

/* ---- warnings ---- */

/* A harmonic of the peak meets a mode within this part of its frequencies; nothing is said
 * where it is smaller than this part of the first in all outputs: the joints do not excite it.
 */
static const double INTERACTION_WIDTH = 0.03, INTERACTION_LEVEL = 1e-3;
/* Only harmonics that are large as a rule count, modes above that of the peak, and those which
 * the joints do not shift so far that most harmonics would meet them. */
enum { HIGHEST_INTERACTION = 7 };
static const double ABOVE_PEAK = 1.05, WIDEST_MODE = 1.3;
/* Mean force that only the restraint of the method carries, in parts of the loads. */
static const double DRIFT_LIMIT = 1e-4;
/* Of the stiffness against a mean that only friction holds: what that restraint may have. */
static const double WANDERING_LIMIT = 0.1;

/* How a joint that never reaches its limit behaves: it neither slips nor loses energy; it loses
 * energy below its limit; or its limit moves with the normal load, so that nothing can be said
 * about other loads. */
enum below_limit { STICKS, MICROSLIPS, STICKS_UNDER_LOAD, N_BELOW_LIMIT };

/* Loss in parts of the whole from which on it is more than rounding. */
static const double MICROSLIP_LOSS = 1e-9;

/* Groups of joints that are below their limit in the same way. */
struct below_limit_groups {
    struct name_list names;
    int n_joints;
    double share, loss; /* largest part of a limit; part of the loss at the peak */
};

static enum below_limit below_limit(const struct response_curve *curve, int group)
{
    const struct recovery_point *point = &curve->recovery->point;
    int first = curve->model->spec.groups[group].first;
    return masing_law_can_open(curve->model->joints[first].law)             ? STICKS_UNDER_LOAD
           : point->group_loss[group] > MICROSLIP_LOSS * point->energy_lost ? MICROSLIPS
                                                                            : STICKS;
}

static enum masing_status warn_below_limit(const struct response_curve *curve,
                                           enum below_limit kind,
                                           struct below_limit_groups *found,
                                           struct masing_error *error)
{
    struct warning_text warning = {.n_values = 0};
    const char *names = name_list_text(&found->names);
    double share = 100.0 * found->share, loss = 100.0 * found->loss;
    if (kind == MICROSLIPS && found->n_joints == 1) {
        warning_put(&warning,
                    "joint %s is in microslip only (%.3g %% of its limit, %.3g %% of the loss "
                    "at the peak",
                    names, share, loss);
    } else if (kind == MICROSLIPS) {
        warning_put(&warning,
                    "%d joints are in microslip only: %s (the nearest comes to %.3g %% of its "
                    "limit; %.3g %% of the loss at the peak in all",
                    found->n_joints, names, share, loss);
    } else if (found->n_joints == 1) {
        warning_put(&warning, "joint %s never slips (%.3g %% of its limit", names, share);
    } else if (found->names.n == 1) {
        warning_put(&warning,
                    "none of the %d joints of %s ever slips (the nearest comes to %.3g %% of "
                    "its limit",
                    found->n_joints, names, share);
    } else {
        warning_put(&warning,
                    "%d joints never slip: %s (the nearest comes to %.3g %% of its limit",
                    found->n_joints, names, share);
    }
    if (kind != STICKS_UNDER_LOAD) {
        warning_put(&warning, "; slips from %.3g times the load", 1.0 / found->share);
    }
    warning_put(&warning, ")");
    return warning_end(&curve->warnings, &warning, error);
}

static void add_group(const struct response_curve *curve, int g,
                      struct below_limit_groups *found)
{
    const struct masing_joint_group *group = &curve->model->spec.groups[g];
    const struct recovery_point *point = &curve->recovery->point;
    name_list_add(&found->names, group->name);
    found->n_joints += group->n_joints;
    found->share = fmax(found->share, curve->group_limit[g]);
    found->loss += point->group_loss[g] / point->energy_lost;
}

/* Few joints are told of one by one; many that behave alike are one condition, told once. */
static enum masing_status warn_never_slips(struct response_curve *curve,
                                           struct masing_error *error)
{
    struct below_limit_groups all[N_BELOW_LIMIT] = {0};
    int n_groups = curve->summary->is_complete ? curve->model->spec.n_groups : 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int g = 0; g < n_groups; g++) {
            double share = curve->group_limit[g];
            enum below_limit kind = below_limit(curve, g);
            struct below_limit_groups one = {0};
            if (share > 0.0 && share < 1.0 && pass == 0) {
                add_group(curve, g, &all[kind]);
            } else if (share > 0.0 && share < 1.0 && all[kind].names.n <= NAMES_TOLD) {
                add_group(curve, g, &one);
                NEED(warn_below_limit(curve, kind, &one, error));
            }
        }
    }
    for (int kind = 0; kind < N_BELOW_LIMIT; kind++) {
        NEED(all[kind].names.n > NAMES_TOLD
                 ? warn_below_limit(curve, (enum below_limit)kind, &all[kind], error)
                 : MASING_OK);
    }
    return MASING_OK;
}

/* Contacts that are open all the time neither hold nor damp. */
static enum masing_status warn_open(struct response_curve *curve, struct masing_error *error)
{
    struct name_list open = {0};
    for (int g = 0; g < curve->model->spec.n_groups; g++) {
        if (curve->recovery->point.open[g] >= 1.0) {
            name_list_add(&open, curve->model->spec.groups[g].name);
        }
    }
    return open.n == 0 ? MASING_OK
           : open.n == 1
               ? warning_add(&curve->warnings, error,
                             "joint %s is open all the time at the peak", name_list_text(&open))
               : warning_add(&curve->warnings, error,
                             "%d joints are open all the time at the peak: %s", open.n,
                             name_list_text(&open));
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
static void put_mode(struct warning_text *warning, const char *state, double omega)
{
    if (isfinite(omega)) {
        warning_put(warning, "%s mode at %.6g Hz", state, omega / TWO_PI);
    } else {
        warning_put(warning, "no %s mode", state);
    }
}

static enum masing_status warn_limit(struct response_curve *curve, struct masing_error *error)
{
    int order = curve->model->order;
    const struct structure *structure = model_structure_at(curve->model, order);
    double hz = curve->summary->peak.frequency_hz, omega = TWO_PI * order * hz;
    struct warning_text warning = {.n_values = 0};
    warning_put(&warning, "the peak lies at the end of the range, %.6g Hz (", hz);
    put_mode(&warning, "stuck",
             nearest(structure_natural(structure, true), structure->n_modes, omega));
    warning_put(&warning, ", ");
    put_mode(&warning, "free",
             nearest(structure_natural(structure, false), structure->n_modes, omega));
    warning_put(&warning, ")");
    return warning_end(&curve->warnings, &warning, error);
}

/* Largest part that a harmonic has of the first one of an output at the peak. */
static double largest_to_first(const struct response_curve *curve, int k)
{
    const struct basis *basis = curve->balance->basis;
    double largest = 0.0;
    for (int o = 0; o < curve->model->spec.n_outputs; o++) {
        const double *c =
            curve->recovery->point.coefficients + (size_t)o * (size_t)basis->n_coefficients;
        int one = recovery_first_harmonic(basis);
        double first = one < 0 ? 0.0 : hypot(c[one], c[one + 1]);
        if (first > 0.0) {
            largest = fmax(largest, harmonic_size(curve->balance, c, k) / first);
        }
    }
    return largest;
}

/* A higher harmonic of the peak close to a mode of the stuck or the free structure. */
static enum masing_status warn_interaction(struct response_curve *curve,
                                           struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    double omega = TWO_PI * curve->summary->peak.frequency_hz;
    bool is_asked = is_single_harmonic(curve) && !spec->is_of_shaft;
    for (int k = 0; is_asked && k < spec->n_harmonics; k++) {
        int h = spec->harmonics[k];
        const struct structure *structure = model_structure_at(curve->model, h);
        int copies = structure->n_dofs / curve->balance->structure->n_dofs; /* of each mode */
        bool is_excited =
            h > 1 && h <= HIGHEST_INTERACTION && largest_to_first(curve, k) > INTERACTION_LEVEL;
        for (int j = 0; is_excited && j < structure->n_modes; j++) {
            double low = fmin(structure->omega_free[j], structure->omega_stuck[j]);
            double high = fmax(structure->omega_free[j], structure->omega_stuck[j]);
            if (h * omega > low * (1.0 - INTERACTION_WIDTH) &&
                h * omega < high * (1.0 + INTERACTION_WIDTH) && low > ABOVE_PEAK * omega &&
                high < WIDEST_MODE * low) {
                NEED(warning_add(
                    &curve->warnings, error,
                    "%i times the peak's frequency (%.6g Hz) meets mode %i (%.6g Hz free, "
                    "%.6g Hz stuck)",
                    h, h * omega / TWO_PI, j / copies + 1, structure->omega_free[j] / TWO_PI,
                    structure->omega_stuck[j] / TWO_PI));
                break;
            }
        }
    }
    return MASING_OK;
}

static enum masing_status warn_unbounded(struct response_curve *curve,
                                         struct masing_error *error)
{
    double stuck = curve->unbounded_hz[0], released = curve->unbounded_hz[1];
    bool slips = false; /* springs without friction neither stick nor slip */
    for (int j = 0; j < curve->model->spec.n_joints; j++) {
        const struct masing_law *law = curve->model->joints[j].law;
        slips = slips || law->needs_velocity ||
                masing_law_state_size(law, curve->model->joints[j].parameters) > 0;
    }
    bool is_stuck = !isnan(stuck) && (isnan(released) || !slips);
    const char *state = curve->model->spec.n_joints == 0 ? ""
                        : slips && is_stuck              ? " with the joints stuck"
                        : slips                          ? " with the joints in full slip"
                        : is_stuck                       ? " with the joints' tangents at rest"
                                   : " with the joints' tangents far from rest";
    return isnan(stuck) && isnan(released)
               ? MASING_OK
               : warning_add(&curve->warnings, error,
                             "the linear structure is undamped and its response unbounded at "
                             "%.6g Hz%s",
                             is_stuck ? stuck : released, state);
}

enum masing_status response_warn_drift(const struct response_curve *curve,
                                       const struct warning_list *list,
                                       struct masing_error *error)
{
    return curve->drift > DRIFT_LIMIT
               ? warning_add(list, error,
                             "the joints' mean force pushes the structure along a rigid-body "
                             "motion that nothing holds, by up to %.2g of the loads (at %.6g "
                             "Hz): it drifts, and the mean given is no equilibrium",
                             curve->drift, curve->drift_hz)
               : MASING_OK;
}

/* At the peak, where contacts slip most. */
static enum masing_status warn_wandering(struct response_curve *curve,
                                         struct masing_error *error)
{
    double share = 0.0;
    NEED(balance_wandering(curve->balance, curve->best.y, curve->best.omega, &share, error));
    return share > WANDERING_LIMIT
               ? warning_add(&curve->warnings, error,
                             "at the peak (%.6g Hz) hardly a contact sticks that could hold a "
                             "rigid-body motion which only friction holds: its mean is not "
                             "determined by equilibrium, and the structure may drift",
                             hertz(curve->best.omega))
               : MASING_OK;
}

/* `harmonics: auto` */
static enum masing_status warn_levels(struct response_curve *curve, struct masing_error *error)
{
    const struct harmonic_levels *levels = curve->levels;
    if (levels && levels->is_exhausted) {
        NEED(warning_add(&curve->warnings, error,
                         "harmonics up to %d, the most allowed, may not give the outputs to "
                         "%.2g %% at %.6g Hz: a larger harmonics.max may be needed",
                         levels->highest_used, 100.0 * levels->tolerance,
                         levels->exhausted_omega / TWO_PI));
    }
    if (levels && levels->worst_error > levels->tolerance) {
        NEED(
            warning_add(&curve->warnings, error,
                        "more harmonics would change the outputs by %.2g %% at %.6g Hz, but no "
                        "solution with them was found close by",
                        100.0 * levels->worst_error, levels->worst_omega / TWO_PI));
    }
    return MASING_OK;
}

/* What is to be said of the peak. */
static enum masing_status warn_of_peak(struct response_curve *curve, struct masing_error *error)
{
    const struct warning_list *list = &curve->warnings;
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_peak *peak = &curve->summary->peak;
    const char *output = spec->outputs[spec->peak_output].name;
    if (peak->max == 0.0) {
        NEED(warning_add(list, error, "nothing moves: the loads are zero, or do not reach '%s'",
                         output));
    }
    if (!curve->summary->is_complete && !peak->is_extremum) {
        NEED(
            warning_add(list, error,
                        "the curve is not complete: its largest point, at %.6g Hz, need not be "
                        "the peak",
                        peak->frequency_hz));
    }
    if (peak->is_at_limit && spec->sweep != MASING_SWEEP_POINT && peak->max != 0.0) {
        NEED(warn_limit(curve, error));
    }
    NEED(warn_open(curve, error));
    if (curve->last_to_first > LAST_HARMONIC_LIMIT) {
        NEED(warning_add(
            list, error,
            "the last harmonics (up to %d) of '%s' are %.2g %% of the first at the "
            "peak: take more harmonics",
            spec->harmonics[spec->n_harmonics - 1], output, 100.0 * curve->last_to_first));
    } else if (curve->force_truncation > LAST_HARMONIC_LIMIT) {
        NEED(warning_add(
            list, error,
            "the last harmonics (up to %d) change the forces of the joints by %.2g "
            "%% at the peak: take more harmonics",
            spec->harmonics[spec->n_harmonics - 1], 100.0 * curve->force_truncation));
    }
    NEED(warn_levels(curve, error));
    NEED(warn_interaction(curve, error));
    if (curve->best.is_unstable) { /* nobody will ever measure it */
        NEED(warning_add(list, error,
                         "the peak at %.6g Hz is unstable: the motion leaves it for another",
                         peak->frequency_hz));
    }
    return MASING_OK;
}

/* Natural frequencies at which the response rises too sharply to be followed. */
static enum masing_status warn_of_peaks_passed(struct response_curve *curve,
                                               struct masing_error *error)
{
    const struct continuation_counts *counts = &curve->driver->result.counts;
    char others[40] = "";
    if (counts->unseen == 0) {
        return MASING_OK;
    }
    if (counts->unseen > 1) {
        snprintf(others, sizeof others, " and at %d more places", counts->unseen - 1);
    }
    return warning_add(&curve->warnings, error,
                       "the response has a resonance at %.9g Hz%s that is too narrow to be "
                       "followed: the curve leaves it out, however high it is (more damping "
                       "makes it wider)",
                       hertz(counts->hidden), others);
}

/* How the curve was followed. */
static enum masing_status warn_of_way(struct response_curve *curve, struct masing_error *error)
{
    const struct warning_list *list = &curve->warnings;
    const struct masing_response_summary *summary = curve->summary;
    const struct continuation_counts *counts = &curve->driver->result.counts;
    double from = hertz(curve->model->spec.omega_from), to = hertz(curve->model->spec.omega_to);
    if (summary->energy_mismatch > ENERGY_MISMATCH_LIMIT) {
        NEED(warning_add(list, error,
                         "energy input and loss differ by up to %.2g of the work exchanged: a "
                         "law creates energy or the balance is not resolved",
                         summary->energy_mismatch));
    }
    int n_restarts = summary->strategies[MASING_STRATEGY_RESTART] - counts->integrated_starts;
    if (n_restarts > 0) {
        NEED(
            warning_add(list, error,
                        "the curve could not be followed everywhere: %d of its points come "
                        "from time integration (see the log), and what lies before each is not "
                        "known",
                        n_restarts));
    }
    NEED(warn_of_peaks_passed(curve, error));
    if (counts->gaps > 0) {
        NEED(warning_add(list, error,
                         "the curve has %d gap%s, the widest from %.9g to %.9g Hz, and was "
                         "followed on behind: forces that are sampled jump there (more samples "
                         "may help)",
                         counts->gaps, counts->gaps > 1 ? "s" : "",
                         hertz(counts->widest_gap[0]), hertz(counts->widest_gap[1])));
    }
    if (counts->retries > 0) {
        NEED(warning_add(list, error,
                         "the curve ran back on its own path to %.6g Hz and was followed again "
                         "with shorter steps (solver.step.max), on a branch of its own in the "
                         "rows",
                         from));
    }
    if (counts->has_gap) {
        NEED(warning_add(
            list, error,
            "nothing was followed between %.6g and %.6g Hz: on both sides the curve "
            "turns round again and again and leads no further, from %.6g Hz on a "
            "branch of its own in the rows; the motion there may not repeat with "
            "the loads (masing integrate --frequency)",
            fmin(counts->gap[0], counts->gap[1]) / TWO_PI,
            fmax(counts->gap[0], counts->gap[1]) / TWO_PI, to));
    } else if (counts->has_far_end) {
        NEED(warning_add(list, error,
                         "the curve that begins at %.6g Hz %s: the rest of the range was "
                         "followed from %.6g Hz, on a branch of its own in the rows",
                         from,
                         counts->near_end == CONTINUATION_WINDS ? "turns round again and again"
                         : counts->near_end == CONTINUATION_STEP_LIMIT ? "breaks off"
                                                                       : "comes back there",
                         to));
    }
    return MASING_OK;
}

enum masing_status response_warnings_add(struct response_curve *curve,
                                         struct masing_error *error)
{
    bool has_peak = isfinite(curve->summary->peak.frequency_hz);
    NEED(warnings_add_model(&curve->warnings, curve->model, error));
    NEED(warn_never_slips(curve, error));
    NEED(has_peak ? warn_of_peak(curve, error) : MASING_OK);
    NEED(curve_stability_warn(curve->driver->stability, &curve->warnings, error));
    NEED(curve_driver_warn_missing(curve->driver, &curve->warnings, error));
    NEED(warn_unbounded(curve, error));
    NEED(energy_limits_warn(curve->energy_limits, "Hz", &curve->warnings, error));
    NEED(response_warn_drift(curve, &curve->warnings, error));
    NEED(has_peak && !curve->levels ? warn_wandering(curve, error) : MASING_OK);
    return warn_of_way(curve, error);
}

/* ---- other peaks ---- */

/* A maximum that rises less above the curve beside it, in parts of itself, is a ripple. */
static const double LEAST_PROMINENCE = 0.01;

/* How far the measure falls before it rises above that of point i, on the side where it falls
 * less; as far as the piece of the curve goes. */
static double prominence(const struct response_trace *trace, size_t i)
{
    const struct response_trace_point *p = trace->points;
    double base = 0.0;
    for (int step = -1; step <= 1; step += 2) {
        double lowest = p[i].measure;
        for (size_t k = i + (size_t)step;
             k < trace->n && p[k].piece == p[i].piece && p[k].measure <= p[i].measure;
             k += (size_t)step) {
            lowest = fmin(lowest, p[k].measure);
        }
        base = fmax(base, lowest);
    }
    return p[i].measure - base;
}

/* The largest maxima of the trace beside the peak, in the order of their size. */
static void note_other_peaks(struct response_curve *curve)
{
    struct masing_response_summary *summary = curve->summary;
    struct masing_other_peak *list = summary->other_peaks;
    const struct curve_solution *best = &curve->best;
    for (size_t i = 0; i < curve->trace.n; i++) {
        const struct response_trace_point *p = &curve->trace.points[i];
        bool is_other = p->is_marked &&
                        !is_one_maximum(best->omega, best->measure, p->omega, p->measure) &&
                        prominence(&curve->trace, i) >= LEAST_PROMINENCE * p->measure;
        int n = summary->n_other_peaks, at = n;
        for (int k = 0; k < n && is_other; k++) { /* once more, on another piece */
            is_other = !is_one_maximum(TWO_PI * list[k].frequency_hz, list[k].size, p->omega,
                                       p->measure);
        }
        while (is_other && at > 0 && list[at - 1].size < p->measure) {
            at--;
        }
        if (is_other && at < MASING_MAX_OTHER_PEAKS) {
            n = n < MASING_MAX_OTHER_PEAKS ? n : n - 1;
            memmove(list + at + 1, list + at, sizeof *list * (size_t)(n - at));
            list[at] = (struct masing_other_peak){hertz(p->omega), p->measure};
            summary->n_other_peaks = n + 1;
        }
    }
}

/* ---- half of the power ---- */

/*
 * Where the response on both sides of the peak has fallen to its part 1/sqrt(2), half the
 * power: bandwidth and quality factor as they are read off measured curves. They exist where
 * the curve goes down that far on both sides without turning round.
 */

/* Where the inverse square of the measure is `wanted` beyond the second of three points: it is
 * a parabola over the squared frequency, exactly so for one mode. */
static double interpolate(const struct response_trace_point *p, double wanted)
{
    double s[3], q[3];
    for (int i = 0; i < 3; i++) {
        s[i] = p[i].omega * p[i].omega;
        q[i] = 1.0 / (p[i].measure * p[i].measure);
    }
    double rise = (q[2] - q[1]) / (s[2] - s[1]);
    double bend = (rise - (q[1] - q[0]) / (s[1] - s[0])) / (s[2] - s[0]);
    double slope = rise - bend * (s[2] - s[1]), away = q[1] - wanted;
    double root = sqrt(slope * slope - 4.0 * bend * away);
    return sqrt(s[1] - 2.0 * away / (slope + copysign(root, slope)));
}

/* From the best point on in one direction, NAN where the curve turns or ends before. */
static double find_side(const struct response_trace *trace, size_t best, int step)
{
    const struct response_trace_point *p = trace->points;
    double level = p[best].measure / sqrt(2.0), heading = 0.0;
    for (size_t i = best; step > 0 ? i + 1 < trace->n : i > 0; i += (size_t)step) {
        const struct response_trace_point *here = &p[i], *next = &p[i + (size_t)step];
        double change = next->omega - here->omega;
        if (next->piece != here->piece || change * heading < 0.0) {
            return NAN;
        }
        heading = change != 0.0 ? change : heading;
        if (next->measure <= level) {
            double part = (here->measure - level) / (here->measure - next->measure);
            double line = here->omega + part * change;
            if (here == &p[best]) {
                return line;
            }
            struct response_trace_point three[] = {p[i - (size_t)step], *here, *next};
            double value = interpolate(three, pow(level, -2.0));
            bool is_between = (value - here->omega) * (next->omega - value) >= 0.0;
            return is_between ? value : line;
        }
    }
    return NAN;
}

static void note_half_power(const struct response_curve *curve,
                            struct masing_response_summary *summary)
{
    const struct response_trace *trace = &curve->trace;
    size_t best = 0;
    while (best < trace->n && !(trace->points[best].omega == curve->best.omega &&
                                trace->points[best].measure == curve->best.measure)) {
        best++;
    }
    if (best == trace->n || !curve->best.is_marked || !(curve->best.measure > 0.0)) {
        return;
    }
    double before = find_side(trace, best, -1), after = find_side(trace, best, 1);
    if (isfinite(before) && isfinite(after)) {
        summary->half_power_from_hz = fmin(before, after) / TWO_PI;
        summary->half_power_to_hz = fmax(before, after) / TWO_PI;
    }
}

/* ---- numbers ---- */

enum { EXACT, EXACT_AND_SAMPLED, SAMPLED };

static const char *const force_names[] = {"exact", "exact and sampled", "sampled", NULL};

static const char *forces_used(const struct balance *balance)
{
    int n_exact = 0;
    for (int j = 0; j < balance->n_joints; j++) {
        n_exact += balance->joints[j]->method == JOINT_PHASES;
    }
    return force_names[n_exact == balance->n_joints ? EXACT
                       : n_exact > 0                ? EXACT_AND_SAMPLED
                                                    : SAMPLED];
}

static enum masing_status note_linear_peaks(struct response_curve *curve,
                                            struct masing_error *error)
{
    struct masing_response_summary *summary = curve->summary;
    struct linear_peak stuck, released;
    if (!is_single_harmonic(curve)) {
        return MASING_OK; /* nothing linear that one number could be compared with */
    }
    NEED(linear_peaks_find(curve->balance, curve->best.measure >= 0.0 ? curve->best.omega : NAN,
                           &stuck, &released, error));
    summary->stuck_peak_hz = stuck.omega / TWO_PI;
    summary->stuck_peak = stuck.size;
    summary->free_peak_hz = released.omega / TWO_PI;
    summary->free_peak = released.size;
    summary->has_stuck_peak = stuck.is_found;
    summary->has_free_peak = released.is_found;
    curve->unbounded_hz[0] = stuck.unbounded / TWO_PI;
    curve->unbounded_hz[1] = released.unbounded / TWO_PI;
    return MASING_OK;
}

/* Loss over 4 pi times the energy of the vibration, the first harmonic's kinetic energy
 * standing for half of it: zeta of a linear oscillator at resonance. */
static enum masing_status note_damping(struct response_curve *curve, struct masing_error *error)
{
    const struct basis *basis = curve->balance->basis;
    int one = -1, order = curve->model->order;
    for (int k = 0; k < basis->n_harmonics; k++) {
        one = basis->harmonics[k] == order ? k : one;
    }
    if (one < 0 || !has_first_harmonic(curve)) {
        return MASING_OK;
    }
    double size = 0.0, omega = curve->best.omega;
    NEED(modal_motion_size(curve->balance, curve->best.y, omega, one, &size, error));
    double energy = 0.5 * pow(order * omega, 2.0) * size;
    double lost = curve->recovery->point.energy_lost / order; /* per cycle of the vibration */
    curve->summary->equivalent_damping_ratio =
        energy > 0.0 ? lost / (2.0 * TWO_PI * energy) : NAN;
    return MASING_OK;
}

static void note_harmonics(struct response_curve *curve)
{
    const struct balance *balance = curve->balance;
    const struct basis *basis = balance->basis;
    const double *coefficients =
        curve->recovery->point.coefficients +
        (size_t)curve->model->spec.peak_output * (size_t)basis->n_coefficients;
    int n = has_first_harmonic(curve) ? basis->n_harmonics : 0, order = curve->model->order;
    double first = NAN;
    curve->third_to_first = curve->last_to_first = NAN;
    for (int k = 0; k < n; k++) {
        double size = harmonic_size(balance, coefficients, k);
        first = basis->harmonics[k] == order ? size : first;
        if (basis->harmonics[k] == 3 * order && first > 0.0) {
            curve->third_to_first = size / first;
        }
    }
    /* The last two, since symmetric motion has odd harmonics only. */
    for (int k = n - 1; k >= 0 && k >= n - 2; k--) {
        if (basis->harmonics[k] > order && first > 0.0) {
            curve->last_to_first =
                fmax(curve->last_to_first, harmonic_size(balance, coefficients, k) / first);
        }
    }
}

static enum masing_status note_peak(struct response_curve *curve, struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    struct masing_response_summary *summary = curve->summary;
    NEED(recovery_evaluate(curve->recovery, curve->best.y, curve->best.omega));
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
    /* the largest point of a curve that broke off is no peak */
    bool is_known = summary->is_complete || summary->peak.is_extremum;
    for (int g = 0; is_known && g < spec->n_groups; g++) {
        summary->slip_share = fmax(summary->slip_share, curve->recovery->point.slip[g]);
        summary->open_share = fmax(summary->open_share, curve->recovery->point.open[g]);
    }
    note_other_peaks(curve);
    note_harmonics(curve);
    curve->force_truncation = is_single_harmonic(curve)
                                  ? recovery_truncation(curve->recovery, curve->best.omega)
                                  : NAN;
    summary->third_to_first = is_known ? curve->third_to_first : NAN;
    note_half_power(curve, summary);
    return is_known ? note_damping(curve, error) : MASING_OK;
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
        .half_power_from_hz = NAN,
        .half_power_to_hz = NAN,
        .energy_mismatch = NAN,
        .residual = NAN,
        .blades = {0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
    };
}

static const char *const start_names[] = {"zero", "static", "previous", NULL};

const char *response_start_name(const struct masing_spec *spec)
{
    return start_names[spec->start];
}

enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error)
{
    curve->summary->start = response_start_name(&curve->model->spec);
    curve->summary->forces = forces_used(curve->balance);
    if (curve->best.measure >= 0.0) {
        NEED(note_peak(curve, error));
    }
    if (curve->levels) {
        curve->summary->harmonics_low = curve->levels->lowest_used;
        curve->summary->harmonics_high = curve->levels->highest_used;
    }
    NEED(note_linear_peaks(curve, error));
    NEED(blade_traces_fill(curve, error));
    return response_warnings_add(curve, error);
}

void masing_response_summary_clear(struct masing_response_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings,
                                              &summary->numbered});
        free(summary->check.errors);
        summary->check.errors = NULL;
    }
}

void response_summary_pack(struct packing *packing, struct masing_response_summary *summary)
{
    struct masing_response_summary *s = summary;
    struct masing_response_summary plain = *s;
    plain.start = plain.forces = NULL; /* and what else is no number: each by itself */
    plain.warnings = NULL;
    plain.numbered = NULL;
    plain.check.errors = NULL;
    PACK(packing, plain);
    if (packing->is_taking) {
        masing_response_summary_clear(s);
        *s = plain;
        s->n_warnings = 0;
    }
    packing_word(packing, &s->start, start_names);
    packing_word(packing, &s->forces, force_names);
    unsigned char has_errors = s->check.errors != NULL;
    PACK(packing, has_errors);
    int n_errors = packing_count(packing, has_errors ? s->check.n_outputs : 0, sizeof(double));
    if (has_errors) {
        packing_array(packing, (void **)&s->check.errors, n_errors, sizeof(double));
    }
    warnings_pack(packing, &(struct warning_list){&s->warnings, &s->n_warnings, &s->numbered});
}

enum masing_status response_options_read(const struct masing_response_options *given,
                                         struct masing_response_options *known,
                                         struct masing_error *error)
{
    NEED(entry_read(given, "options", known, sizeof *known, error));
    return entry_need_array(known->n_at, known->at_hz, "options.at_hz", error);
}
