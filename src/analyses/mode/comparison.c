/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>

#include "analyses/mode/response.h"
#include "base/check.h"
#include "base/pi.h"

static const double DEFAULT_TOLERANCE = 0.05;

const double *mode_response_full(const struct mode_response *run, int i)
{
    return run->full + (size_t)i * (1 + (size_t)run->model->spec.n_outputs);
}

static bool is_compared(const struct mode_response *run, double hz)
{
    return hz >= run->summary->from_hz && hz <= run->summary->to_hz;
}

/* Distance of the origin to the segment from (x, y) to (x + dx, y + dy). */
static double distance_to(double x, double y, double dx, double dy)
{
    double length = dx * dx + dy * dy;
    double t = length > 0.0 ? fmin(fmax(-(x * dx + y * dy) / length, 0.0), 1.0) : 0.0;
    return hypot(x + t * dx, y + t * dy);
}

static double distance_to_estimate(const struct mode_response *run, double hz, double size)
{
    const struct mode_estimate *estimate = run->estimate;
    int output = run->model->spec.peak_output;
    double nearest = INFINITY, unit = run->summary->full_peak;
    for (int i = 0; i < estimate->n_points; i++) {
        const struct mode_estimate_point *a = &estimate->points[i];
        bool goes_on =
            i + 1 < estimate->n_points && estimate->points[i + 1].branch == a->branch;
        const struct mode_estimate_point *b = goes_on ? a + 1 : a;
        double x = a->omega / TWO_PI / hz - 1.0, y = (a->outputs[output] - size) / unit;
        nearest = fmin(nearest, distance_to(x, y, (b->omega - a->omega) / TWO_PI / hz,
                                            (b->outputs[output] - a->outputs[output]) / unit));
    }
    return nearest;
}

void mode_response_compare(struct mode_response *run)
{
    struct masing_mode_response_summary *summary = run->summary;
    int column = 1 + run->model->spec.peak_output;
    for (int i = 0; i < run->n_full; i++) {
        const double *row = mode_response_full(run, i);
        if (is_compared(run, row[0]) && !(row[column] <= summary->full_peak)) {
            summary->full_peak = row[column];
            summary->full_hz = row[0];
        }
    }
    if (is_compared(run, run->peak_hz) && run->peak > summary->full_peak) {
        summary->full_peak = run->peak;
        summary->full_hz = run->peak_hz;
    }
    for (int i = 0; i < run->n_full; i++) {
        const double *row = mode_response_full(run, i);
        if (is_compared(run, row[0])) {
            double distance = distance_to_estimate(run, row[0], row[column]);
            if (!(distance <= summary->distance)) {
                summary->distance = distance;
                summary->distance_hz = row[0];
            }
        }
    }
    summary->frequency_difference = summary->estimate_hz / summary->full_hz - 1.0;
    summary->amplitude_difference = summary->estimate_peak / summary->full_peak - 1.0;
}

static enum masing_status warn_of_difference(struct mode_response *run,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_mode_response_summary *summary = run->summary;
    double tolerance =
        run->options->tolerance > 0.0 ? run->options->tolerance : DEFAULT_TOLERANCE;
    double worst =
        fmax(fmax(fabs(summary->frequency_difference), fabs(summary->amplitude_difference)),
             summary->distance);
    if (!(worst > tolerance)) {
        return MASING_OK;
    }
    summary->is_far = true;
    char next[64] = "there is no other mode";
    if (isfinite(summary->next_mode_hz)) {
        snprintf(next, sizeof next, "the next mode lies at %.5g Hz (joints stuck)",
                 summary->next_mode_hz);
    }
    TRY(warning_add(
        &run->warnings, error,
        "the mode by itself does not give the response to %.2g %%: its peak is %.2g "
        "%% off in frequency and %.2g %% in amplitude, points of the full response "
        "up to %.2g %%; %s, harmonics above the first have %.2g %% of it, and the "
        "shape has changed by %.2g %%",
        100.0 * tolerance, 100.0 * fabs(summary->frequency_difference),
        100.0 * fabs(summary->amplitude_difference), 100.0 * summary->distance, next,
        100.0 * summary->overtones, 100.0 * summary->shape_change));
done:
    return status;
}

enum masing_status mode_response_warn(struct mode_response *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &run->model->spec;
    if (run->estimate->n_points == 0) {
        TRY(warning_add(&run->warnings, error,
                        "the mode gives no response between %.6g and %.6g Hz: loads, range of "
                        "frequencies and mode.amplitude (from %g to %g) do not meet",
                        spec->omega_from / TWO_PI, spec->omega_to / TWO_PI,
                        spec->mode.amplitude_from, spec->mode.amplitude_to));
    } else if (run->estimate->is_cut) {
        TRY(warning_add(&run->warnings, error,
                        "the loads drive the mode beyond mode.amplitude, %g: the estimate ends "
                        "there, its peak is not reached",
                        spec->mode.amplitude_to));
    } else {
        TRY(warn_of_difference(run, error));
    }
    for (int l = 0; l < spec->n_loads; l++) {
        if (spec->loads[l].harmonic != 1) {
            TRY(warning_add(&run->warnings, error,
                            "the load of harmonic %d is left out of the mode's response",
                            spec->loads[l].harmonic));
        }
    }
done:
    return status;
}
