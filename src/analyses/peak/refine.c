/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lowest point of the followed curve about a station. */
#include <math.h>

#include "analyses/peak/root.h"
#include "base/check.h"
#include "linalg/bracket.h"

/* Derivative by u that is none, in parts of the measure. */
static const double ROOT = 1e-9;
/* Without derivatives: parts of the range of u. */
static const double BRACKET = 1e-5;
enum { MAX_STEPS = 60 };

static double coordinate(const struct peak_course *course, const struct peak_state *state)
{
    return peak_coordinate(course->is_log, state->p);
}

static enum masing_status slope_of(void *context, struct peak_course *course,
                                   struct peak_state *state, double *value,
                                   struct masing_error *error)
{
    (void)context;
    enum masing_status status = peak_state_slope(course, state, value, error);
    return status == MASING_OK && isnan(*value) ? MASING_NOT_CONVERGED : status;
}

/* The stations about k between which values may be solved for: of its branch. */
static void neighbours(const struct peak_course *course, int k, int *before, int *after)
{
    const struct peak_station *stations = course->stations;
    *before = k > 0 && stations[k - 1].branch == stations[k].branch ? k - 1 : k;
    *after =
        k + 1 < course->n_stations && stations[k + 1].branch == stations[k].branch ? k + 1 : k;
}

static enum masing_status measure_at(struct peak_course *course, int k, double u,
                                     struct peak_state *state, struct masing_error *error)
{
    /* k is the middle station of an interval of two */
    double middle = coordinate(course, &course->stations[k].state);
    double to = peak_coordinate(course->is_log, course->request->to);
    double from = peak_coordinate(course->is_log, course->request->from);
    bool is_behind = (u - middle) * (to - from) >= 0.0;
    int before, after;
    neighbours(course, k, &before, &after);
    return peak_station_between(course, is_behind && after > k ? k : before,
                                peak_value(course->is_log, u), state, error);
}

/* Golden section between the neighbours of station k. */
static enum masing_status search(struct peak_course *course, int k, struct peak_state *state,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state trial = {0};
    int before, after;
    neighbours(course, k, &before, &after);
    struct peak_station *stations = course->stations;
    peak_state_copy(state, &stations[k].state);
    TRY(peak_state_create(state->n, state->n_cells, &trial, error));
    struct golden_section section = golden_section_of(
        coordinate(course, &stations[before].state), coordinate(course, state), state->measure,
        coordinate(course, &stations[after].state));
    for (int i = 0; i < MAX_STEPS && golden_section_next(&section, BRACKET * course->range);
         i++) {
        TRY(measure_at(course, k, section.x, &trial, error));
        if (golden_section_set(&section, trial.measure)) {
            peak_state_copy(state, &trial);
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* A root of the slope between station k and its neighbour. Positive: not enclosed. */
static enum masing_status descend(struct peak_course *course, int k, int end,
                                  struct peak_state *state, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state *here = &course->stations[k].state, *there = &course->stations[end].state;
    const struct peak_function function = {NULL, slope_of, ROOT};
    double values[2];
    TRY(peak_state_slope(course, here, &values[0], error));
    TRY(peak_state_slope(course, there, &values[1], error));
    if (values[0] * values[1] > 0.0 && there->measure <= (1.0 + PEAK_RIPPLE) * here->measure) {
        peak_state_copy(state, here); /* it goes on as flat as here */
        return MASING_OK;
    }
    status = peak_root(course, &function, here, there, values, state, error);
done:
    return status;
}

/* The neighbour of station k towards which the peak falls; k: none, or not known. */
static int downhill(const struct peak_course *course, int k, double slope)
{
    bool is_upwards = course->request->to > course->request->from;
    int before, after;
    neighbours(course, k, &before, &after);
    return isnan(slope) || slope == 0.0 ? k : (slope < 0.0) == is_upwards ? after : before;
}

/* Where a state belongs in the list beside station k; -1: it is station k. */
static int place_beside(const struct peak_course *course, int k, const struct peak_state *state)
{
    double beyond = state->p - course->stations[k].state.p;
    bool is_behind = beyond * (course->request->to - course->request->from) > 0.0;
    return beyond == 0.0 ? -1 : is_behind ? k + 1 : k;
}

enum masing_status peak_refine(struct peak_course *course, int k, struct peak_state *state,
                               int *at, bool *is_solved, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state *here = &course->stations[k].state;
    bool is_inside = k > 0 && k + 1 < course->n_stations;
    double slope;
    *at = -1;
    *is_solved = !course->is_swept || !is_inside;
    peak_state_copy(state, here);
    if (course->is_swept) { /* no peak in between is known to be the same */
        return MASING_OK;
    }
    TRY(peak_state_slope(course, here, &slope, error));
    int end = downhill(course, k, slope);
    if (end == k && !(isnan(slope) && is_inside)) {
        goto done;
    }
    status = end == k ? MASING_NOT_CONVERGED : descend(course, k, end, state, error);
    status = status > 0 ? search(course, k, state, error) : status;
    if (status > 0) {
        *is_solved = false;
        peak_state_copy(state, here);
        status = MASING_OK;
    }
    *at = place_beside(course, k, state);
done:
    return status;
}
