/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far from the optimum the peak is still nearly as low. */
#include <math.h>

#include "analyses/peak/root.h"
#include "base/check.h"

/* Distance to a level that is none, in parts of the measure. */
static const double LEVEL = 1e-10;
static const double LEVELS[2] = {1.01, 1.05};

static enum masing_status beyond(void *context, struct peak_course *course,
                                 struct peak_state *state, double *value,
                                 struct masing_error *error)
{
    (void)course, (void)error;
    *value = state->measure - *(const double *)context;
    return MASING_OK;
}

/* The level is passed between two stations, where exactly is not known. */
static enum masing_status note_gap(struct peak_course *course, const struct peak_state *near,
                                   const struct peak_state *far, double level,
                                   struct masing_error *error)
{
    return warning_add(&course->warnings, error,
                       "where the peak exceeds %.6g is not solved for: it is %.6g at %s = %.7g "
                       "and %.6g at %.7g",
                       level, near->measure, course->request->parameter, near->p, far->measure,
                       far->p);
}

/* Between two stations; NAN where that fails. */
static enum masing_status solve(struct peak_course *course, const struct peak_station *near,
                                const struct peak_station *far, double level, double *value,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state state = {0};
    const struct peak_function function = {&level, beyond, LEVEL};
    const double values[2] = {near->state.measure - level, far->state.measure - level};
    TRY(peak_state_create(near->state.n, near->state.n_cells, &state, error));
    status =
        near->branch != far->branch || course->is_swept
            ? MASING_NOT_CONVERGED
            : peak_root(course, &function, &near->state, &far->state, values, &state, error);
    *value = status == MASING_OK ? state.p : NAN;
    TRY(status > 0 ? note_gap(course, &near->state, &far->state, level, error) : status);
done:
    peak_state_clear(&state);
    return status;
}

/* First place beyond which the peak is higher than a level, from a station on. */
static enum masing_status reach(struct peak_course *course, int k, int direction, double level,
                                double *value, bool *is_open, struct masing_error *error)
{
    const struct peak_station *stations = course->stations;
    int n = course->n_stations, j = k + direction;
    while (j >= 0 && j < n && stations[j].state.measure <= level) {
        j += direction;
    }
    *is_open = j < 0 || j >= n;
    *value = stations[j - direction].state.p;
    bool is_exact = *is_open || stations[j].state.p == *value ||
                    stations[j - direction].state.measure == level;
    return is_exact
               ? MASING_OK
               : solve(course, &stations[j - direction], &stations[j], level, value, error);
}

enum masing_status peak_ranges(struct peak_course *course, int k, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    bool is_upwards = course->request->to > course->request->from;
    for (int i = 0; i < 2; i++) {
        double level = LEVELS[i] * optimum->peak;
        TRY(reach(course, k, is_upwards ? -1 : 1, level, &optimum->low[i],
                  &optimum->is_low_open[i], error));
        TRY(reach(course, k, is_upwards ? 1 : -1, level, &optimum->high[i],
                  &optimum->is_high_open[i], error));
    }
done:
    return status;
}
