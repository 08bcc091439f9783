/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"

/* Maxima that samples make of one: so close in frequency and in size, relative. */
static const double SAME_FREQUENCY = 1e-3, SAME_SIZE = 1e-4;

static enum masing_status grow(struct peak_sweep *sweep, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (sweep->n == sweep->capacity) {
        int capacity = 2 * sweep->capacity + 8;
        struct peak_state *more = memory_array((size_t)capacity, sizeof *more);
        TRY_ALLOCATED(more);
        if (sweep->n > 0) {
            memcpy(more, sweep->maxima, sizeof *more * (size_t)sweep->n);
        }
        free(sweep->maxima);
        sweep->maxima = more;
        sweep->capacity = capacity;
    }
done:
    return status;
}

/* Of maxima that are one the larger stays. */
static bool is_known(struct peak_sweep *sweep, double omega, double measure)
{
    for (int i = sweep->n - 1; i >= 0; i--) {
        struct peak_state *other = &sweep->maxima[i];
        double of_other = other->point[other->n];
        if (fabs(of_other - omega) <= SAME_FREQUENCY * omega &&
            fabs(other->measure - measure) <= SAME_SIZE * measure) {
            if (other->measure >= measure) {
                return true;
            }
            peak_state_clear(other);
            memmove(other, other + 1, sizeof *other * (size_t)(sweep->n - 1 - i));
            sweep->n--;
        }
    }
    return false;
}

static double measure_of(const struct response_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    return recovery_measure(&curve->recovery->point.measures[spec->peak_output],
                            spec->peak_measure);
}

static enum masing_status fill(const struct peak_sweep *sweep,
                               const struct response_curve *curve,
                               const struct continuation_point *point, struct peak_state *state,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = curve->balance->n_unknowns;
    TRY(peak_state_create(n, peak_site_n_cells(sweep->site), state, error));
    memcpy(state->point, point->y, sizeof(double) * (size_t)n);
    memcpy(state->tangent, point->dy, sizeof(double) * (size_t)n);
    state->point[n] = point->lambda;
    state->tangent[n] = point->dlambda;
    peak_site_cells(curve->recovery, state->cells);
    state->p = sweep->p;
    state->measure = measure_of(curve);
    state->is_swept = true;
    state->iterations = point->iterations;
done:
    return status;
}

static enum masing_status add(struct peak_sweep *sweep, const struct response_curve *curve,
                              const struct continuation_point *point, bool is_at_limit,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double measure = measure_of(curve);
    int n = curve->balance->n_unknowns, at;
    if (is_known(sweep, point->lambda, measure)) {
        return MASING_OK;
    }
    TRY(grow(sweep, error));
    for (at = sweep->n; at > 0 && sweep->maxima[at - 1].point[n] > point->lambda; at--) {
        sweep->maxima[at] = sweep->maxima[at - 1];
    }
    struct peak_state *state = &sweep->maxima[at];
    sweep->n++;
    TRY(fill(sweep, curve, point, state, error));
    state->is_at_limit = is_at_limit;
done:
    return status;
}

/* Does the measure fall inwards from this end of the range? The recovery is the curve's own:
 * what it says about the point stays. */
static bool is_highest_end(const struct response_curve *curve,
                           const struct continuation_point *point)
{
    const struct masing_spec *spec = &curve->model->spec;
    bool is_start = point->index == 0;
    const double *dy = is_start ? point->dy : point->dy_in;
    double dlambda = is_start ? point->dlambda : point->dlambda_in, slope = NAN;
    if (!is_start && point->lambda != spec->omega_to) {
        return false;
    }
    enum masing_status status =
        recovery_slope(curve->recovery, point->y, point->lambda, dy, dlambda, spec->peak_output,
                       spec->peak_measure, &slope);
    return status == MASING_OK && (is_start ? slope < 0.0 : slope > 0.0);
}

static enum masing_status observe(void *context, const struct response_curve *curve,
                                  const struct continuation_point *point,
                                  struct masing_error *error)
{
    struct peak_sweep *sweep = context;
    bool is_first = point->index == 0;
    if (is_first || point->lambda == curve->model->spec.omega_to) {
        struct peak_state *end = &sweep->ends[is_first ? 0 : 1];
        peak_state_clear(end);
        enum masing_status status = fill(sweep, curve, point, end, error);
        if (status != MASING_OK) {
            return status;
        }
        end->is_end = true;
    }
    bool is_peak = masing_events_have(point->events.kinds, MASING_EVENT_PEAK);
    bool is_end = !is_peak && is_highest_end(curve, point);
    return is_peak || is_end ? add(sweep, curve, point, is_end, error) : MASING_OK;
}

enum masing_status peak_sweep_run(const struct peak_site *site, double p,
                                  const struct masing_progress *progress,
                                  struct peak_sweep *sweep, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_progress quiet = progress_quiet(progress);
    struct masing_response_summary summary = {0};
    struct masing_model *model = NULL;
    struct response_curve *curve = NULL;
    const struct masing_response_options options = {.progress = &quiet};
    *sweep = (struct peak_sweep){.site = site, .p = p};
    TRY(peak_site_model(site, p, &model, error));
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = sweep, .point = observe};
    TRY(response_curve_create(&settings, &summary, &curve, error));
    TRY(response_curve_follow(curve, error));
    sweep->energy_mismatch = summary.energy_mismatch;
    sweep->residual = summary.residual;
    if (!summary.is_complete || sweep->n == 0) {
        status = masing_error_set(error, MASING_STOPPED, "%s = %.10g: %s",
                                  site->request.parameter, p,
                                  summary.is_complete ? "the response has no largest value"
                                                      : "the response ended early");
    }
done:
    response_curve_destroy(curve);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    return status;
}

void peak_sweep_clear(struct peak_sweep *sweep)
{
    for (int i = 0; i < sweep->n; i++) {
        peak_state_clear(&sweep->maxima[i]);
    }
    free(sweep->maxima);
    peak_state_clear(&sweep->ends[0]);
    peak_state_clear(&sweep->ends[1]);
    *sweep = (struct peak_sweep){0};
}

int peak_sweep_largest(const struct peak_sweep *sweep)
{
    int largest = -1;
    for (int i = 0; i < sweep->n; i++) {
        if (largest < 0 || sweep->maxima[i].measure > sweep->maxima[largest].measure) {
            largest = i;
        }
    }
    return largest;
}
