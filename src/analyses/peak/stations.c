/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The followed curve as a list of what is known at its stations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak/course.h"
#include "base/check.h"
#include "base/memory.h"

static enum masing_status grow(struct peak_course *course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (course->n_stations == course->capacity) {
        int capacity = 2 * course->capacity + 64;
        struct peak_station *more = memory_array((size_t)capacity, sizeof *more);
        TRY_ALLOCATED(more);
        if (course->n_stations > 0) {
            memcpy(more, course->stations, sizeof *more * (size_t)course->n_stations);
        }
        free(course->stations);
        course->stations = more;
        course->capacity = capacity;
    }
done:
    return status;
}

/* Where none are given all are wanted. */
static bool is_wanted(const struct masing_peak_request *request, double p)
{
    bool is_given = request->n_values == 0;
    for (int i = 0; i < request->n_values && !is_given; i++) {
        is_given = request->values[i] == p;
    }
    return is_given;
}

bool peak_station_is_row(const struct peak_station *station)
{
    return station->is_wanted || station->events != 0;
}

enum masing_status peak_station_insert(struct peak_course *course, int at,
                                       const struct peak_state *state, int branch,
                                       unsigned events, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_station made = {
        .branch = branch, .events = events, .is_wanted = is_wanted(course->request, state->p)};
    TRY(grow(course, error));
    TRY(peak_state_create(state->n, state->n_cells, &made.state, error));
    peak_state_copy(&made.state, state);
    struct peak_station *place = course->stations + at;
    memmove(place + 1, place, sizeof *place * (size_t)(course->n_stations - at));
    *place = made;
    course->n_stations++;
    return MASING_OK;
done:
    peak_state_clear(&made.state);
    return status;
}

enum masing_status peak_station_between(struct peak_course *course, int k, double p,
                                        struct peak_state *state, struct masing_error *error)
{
    const struct peak_state *a = &course->stations[k].state,
                            *b = &course->stations[k + 1].state;
    if (course->is_swept || course->stations[k].branch != course->stations[k + 1].branch ||
        a->n != b->n || a->n != state->n) {
        return MASING_NOT_CONVERGED;
    }
    return peak_between(course->site, a, b, course->is_log, p, state, error);
}

enum masing_status peak_state_slope(struct peak_course *course, struct peak_state *state,
                                    double *slope, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_site *site = course->site;
    *slope = NAN;
    if (!site->moving || course->is_swept || state->is_corner || state->n != site->solver->n) {
        return MASING_OK;
    }
    if (isnan(state->slope)) {
        TRY(peak_site_set(site, state->p, error));
        TRY(recovery_evaluate(site->recovery, state->point, state->point[state->n]));
        status = peak_site_slope(site, state->point, &state->slope);
        if (status > 0) { /* a fold of the response: no derivative */
            state->slope = NAN;
            status = MASING_OK;
        }
    }
    *slope = state->slope * (course->is_log ? state->p : 1.0);
done:
    return status;
}
