/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two maxima that are equally large. */
#include <math.h>

#include "analyses/peak/root.h"
#include "base/check.h"

/* Difference of the two, in parts of either, that is none. */
static const double EQUAL = 1e-11;

struct second {
    const struct peak_state *ends; /* [2] */
    struct peak_state *state;
};

static enum masing_status difference(void *context, struct peak_course *course,
                                     struct peak_state *state, double *value,
                                     struct masing_error *error)
{
    const struct second *second = context;
    enum masing_status status = peak_between(course->site, &second->ends[0], &second->ends[1],
                                             course->is_log, state->p, second->state, error);
    *value = state->measure - second->state->measure;
    return status;
}

enum masing_status peak_crossing(struct peak_course *course, const struct peak_state a[2],
                                 const struct peak_state b[2], struct peak_state *at_a,
                                 struct peak_state *at_b, struct masing_error *error)
{
    struct second second = {b, at_b};
    const struct peak_function function = {&second, difference, EQUAL};
    const double values[2] = {a[0].measure - b[0].measure, a[1].measure - b[1].measure};
    if (b[0].n != b[1].n || b[0].n != at_b->n) {
        return MASING_NOT_CONVERGED;
    }
    return peak_root(course, &function, &a[0], &a[1], values, at_a, error);
}

enum masing_status peak_crossing_insert(struct peak_course *course, int at,
                                        const struct peak_state first[2], int first_number,
                                        const struct peak_state second[2], int second_number,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state a = {0}, b = {0};
    TRY(peak_state_create(first[0].n, first[0].n_cells, &a, error));
    TRY(peak_state_create(second[0].n, second[0].n_cells, &b, error));
    status = peak_crossing(course, first, second, &a, &b, error);
    bool is_of_maxima = (!a.is_end || a.is_at_limit) && (!b.is_end || b.is_at_limit);
    if (status == MASING_OK && is_of_maxima) {
        TRY(peak_station_insert(course, at, &b, second_number,
                                MASING_EVENT_BIT(MASING_EVENT_CROSSING), error));
        TRY(peak_station_insert(course, at, &a, first_number,
                                MASING_EVENT_BIT(MASING_EVENT_CROSSING), error));
        course->summary->n_crossings++;
    } else if (status >= 0) { /* the curve merely jumps between two stations */
        course->summary->n_jumps++;
        status = MASING_OK;
    }
done:
    peak_state_clear(&a);
    peak_state_clear(&b);
    return status;
}
