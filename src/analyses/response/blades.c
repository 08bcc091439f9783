/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far the blades of a mistuned disk go along a response, beside those of the tuned disk. */
#include <math.h>
#include <stdlib.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"

enum masing_status blade_traces_create(struct response_curve *curve, struct masing_error *error)
{
    size_t n = (size_t)curve->model->spec.n_blades;
    NEED_ALLOCATED(curve->blades = memory_array(n, sizeof *curve->blades));
    for (size_t s = 0; s < n; s++) {
        curve->blades[s] = (struct blade_trace){.largest = -1.0};
    }
    return MASING_OK;
}

static void note_largest(struct blade_trace *blade, double measure, double omega)
{
    if (measure > blade->largest) {
        blade->largest = measure;
        blade->omega = omega;
    }
}

/* The maximum of the parabola through the last three points, of which the middle one is the
 * largest, between them. */
static void note_maximum(struct blade_trace *blade)
{
    const struct blade_point *p = blade->last;
    double before = p[1].omega - p[2].omega, after = p[0].omega - p[1].omega;
    bool is_line = blade->n_last == 3 && before * after > 0.0;
    if (!is_line || p[1].measure < p[0].measure || p[1].measure < p[2].measure) {
        return;
    }
    double rise = (p[1].measure - p[2].measure) / before;
    double fall = (p[0].measure - p[1].measure) / after;
    double bend = (fall - rise) / (before + after);
    double step =
        bend != 0.0 ? -(rise * after + fall * before) / (2.0 * bend * (before + after)) : 0.0;
    if (step * before > -before * before && step * after < after * after) {
        double slope = (rise * after + fall * before) / (before + after);
        note_largest(blade, p[1].measure + 0.5 * slope * step, p[1].omega + step);
    }
}

void blade_traces_note(struct response_curve *curve, double omega, bool begins)
{
    const struct masing_spec *spec = &curve->model->spec;
    for (int s = 0; s < spec->n_blades; s++) {
        struct blade_trace *blade = &curve->blades[s];
        const struct output_measures *measures =
            &curve->recovery->point.measures[spec->blades[s]];
        struct blade_point point = {omega, recovery_measure(measures, spec->peak_measure)};
        blade->n_last = begins ? 1 : blade->n_last < 3 ? blade->n_last + 1 : 3;
        blade->last[2] = blade->last[1];
        blade->last[1] = blade->last[0];
        blade->last[0] = point;
        note_largest(blade, point.measure, omega);
        note_maximum(blade);
    }
}

/* The peak of the tuned disk by one of its sectors, NAN where it has none. */
static enum masing_status find_tuned(const struct response_curve *curve,
                                     struct masing_blades *blades, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_response_options options = {.size = sizeof options,
                                              .stability = MASING_STABILITY_NONE,
                                              .progress = curve->settings.options->progress};
    struct masing_progress quiet = {0};
    struct masing_response_summary found = {0};
    struct response_curve *tuned = NULL;
    struct masing_error ended = {0};
    if (options.progress) { /* nothing is told of it, and it can be cancelled */
        quiet.context = options.progress->context;
        quiet.is_cancelled = options.progress->is_cancelled;
        options.progress = &quiet;
    }
    const struct response_curve_settings settings = {
        .model = curve->model->tuned, .options = &options, .n_threads = 1};
    TRY(response_curve_create(&settings, &found, &tuned, error));
    status = response_curve_follow(tuned, &ended);
    if (status == MASING_OK && tuned->best.measure >= 0.0) {
        blades->tuned = tuned->best.measure;
        blades->tuned_hz = hertz(tuned->best.omega);
    }
    status = status < 0 ? masing_error_set(error, status, "%s", ended.message) : MASING_OK;
done:
    response_curve_destroy(tuned);
    masing_response_summary_clear(&found);
    return status;
}

enum masing_status blade_traces_fill(const struct response_curve *curve,
                                     struct masing_error *error)
{
    struct masing_blades *blades = &curve->summary->blades;
    int n = curve->model->spec.n_blades, high = 0, low = 0;
    if (n == 0 || curve->best.measure < 0.0) {
        return MASING_OK;
    }
    for (int s = 1; s < n; s++) {
        high = curve->blades[s].largest > curve->blades[high].largest ? s : high;
        low = curve->blades[s].largest < curve->blades[low].largest ? s : low;
    }
    *blades = (struct masing_blades){.n = n,
                                     .largest = curve->blades[high].largest,
                                     .largest_hz = hertz(curve->blades[high].omega),
                                     .largest_sector = high,
                                     .smallest = curve->blades[low].largest,
                                     .smallest_hz = hertz(curve->blades[low].omega),
                                     .smallest_sector = low,
                                     .tuned = NAN,
                                     .tuned_hz = NAN};
    NEED(curve->model->tuned ? find_tuned(curve, blades, error) : MASING_OK);
    blades->amplification = blades->largest / blades->tuned;
    return MASING_OK;
}
