/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A maximum may lie on a part of the response that has come off: it is followed there, and no
 * sweep of the frequency leads to it. Where the largest peak is lost, the stations before it
 * are compared with whole responses until one agrees.
 */
#include <math.h>

#include "analyses/peak/course.h"
#include "base/check.h"

/* Equal within this part, samples' ripples included. */
static const double EQUAL = 1e-4;

static bool is_equal(const struct peak_state *a, const struct peak_state *b)
{
    return fabs(a->measure - b->measure) <= EQUAL * b->measure;
}

enum masing_status peak_is_swept(struct peak_course *course, const struct peak_state *state,
                                 bool *is_there, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state largest = {0};
    TRY(peak_guard_largest(course, state->p, &largest, error));
    *is_there = is_equal(state, &largest);
done:
    peak_state_clear(&largest);
    return status;
}

enum masing_status peak_verify_back(struct peak_course *course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state largest = {0};
    for (int k = course->n_stations - 1; k >= 0; k--) {
        struct peak_station *station = &course->stations[k];
        if (station->state.p == course->guarded_at) {
            break;
        }
        TRY(peak_guard_largest(course, station->state.p, &largest, error));
        if (is_equal(&station->state, &largest)) {
            break;
        }
        peak_state_clear(&station->state);
        station->state = largest;
        largest = (struct peak_state){0};
        station->branch = ++course->n_numbers;
        station->events = 0;
    }
done:
    peak_state_clear(&largest);
    return status;
}
