/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/root.h"

#include <math.h>

#include "base/check.h"
#include "linalg/bracket.h"

/* Parts of the range of u that the number is known to where the function jumps. */
static const double PRECISION = 1e-12;

enum masing_status peak_root(struct peak_course *course, const struct peak_function *function,
                             const struct peak_state *a, const struct peak_state *b,
                             const double values[2], struct peak_state *state,
                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *given[2] = {a, b};
    struct peak_state ends[2] = {{0}};
    if (a->n != b->n || a->n != state->n || !(values[0] * values[1] < 0.0)) {
        return MASING_NOT_CONVERGED;
    }
    for (int k = 0; k < 2; k++) {
        TRY(peak_state_create(given[k]->n, given[k]->n_cells, &ends[k], error));
        peak_state_copy(&ends[k], given[k]);
    }
    struct bracket bracket = bracket_of(peak_coordinate(course->is_log, a->p), values[0],
                                        peak_coordinate(course->is_log, b->p), values[1]);
    while (bracket_next(&bracket, 0.0)) {
        double value = 0.0, width = fabs(bracket.end[1].x - bracket.end[0].x);
        TRY(peak_between(course->site, &ends[0], &ends[1], course->is_log,
                         peak_value(course->is_log, bracket.x), state, error));
        TRY(function->value(function->context, course, state, &value, error));
        if (fabs(value) <= function->tolerance * state->measure ||
            width <= PRECISION * course->range) {
            goto done;
        }
        peak_state_copy(&ends[bracket_set(&bracket, value)], state);
    }
    status = MASING_NOT_CONVERGED;
done:
    peak_state_clear(&ends[0]);
    peak_state_clear(&ends[1]);
    return status;
}
