/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak_root.h"

#include <math.h>

#include "base/check.h"

enum { MAX_STEPS = 80 };
/* Parts of the range of u that the number is known to where the function jumps. */
static const double PRECISION = 1e-12;

struct enclosure {
    struct peak_state ends[2];
    double u[2], value[2];
};

static enum masing_status enclose(const struct peak_course *course, const struct peak_state *a,
                                  const struct peak_state *b, const double values[2],
                                  struct enclosure *enclosure, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *ends[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        TRY(peak_state_create(ends[k]->n, ends[k]->n_cells, &enclosure->ends[k], error));
        peak_state_copy(&enclosure->ends[k], ends[k]);
        enclosure->u[k] = peak_coordinate(course->is_log, ends[k]->p);
        enclosure->value[k] = values[k];
    }
done:
    return status;
}

/* False position after Illinois: an end that stays counts half. */
static double next(const struct enclosure *enclosure)
{
    const double *u = enclosure->u, *value = enclosure->value;
    return u[0] - value[0] * (u[1] - u[0]) / (value[1] - value[0]);
}

enum masing_status peak_root(struct peak_course *course, const struct peak_function *function,
                             const struct peak_state *a, const struct peak_state *b,
                             const double values[2], struct peak_state *state,
                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct enclosure enclosure = {0};
    int last = -1;
    if (a->n != b->n || a->n != state->n || !(values[0] * values[1] < 0.0)) {
        return MASING_NOT_CONVERGED;
    }
    TRY(enclose(course, a, b, values, &enclosure, error));
    for (int i = 0; i < MAX_STEPS; i++) {
        double u = next(&enclosure), value = 0.0;
        TRY(peak_between(course->site, &enclosure.ends[0], &enclosure.ends[1], course->is_log,
                         peak_value(course->is_log, u), state, error));
        TRY(function->value(function->context, course, state, &value, error));
        if (fabs(value) <= function->tolerance * state->measure ||
            fabs(enclosure.u[1] - enclosure.u[0]) <= PRECISION * course->range) {
            goto done;
        }
        int side = value * enclosure.value[0] > 0.0 ? 0 : 1;
        enclosure.u[side] = u;
        enclosure.value[side] = value;
        peak_state_copy(&enclosure.ends[side], state);
        enclosure.value[1 - side] *= side == last ? 0.5 : 1.0;
        last = side;
    }
    status = MASING_NOT_CONVERGED;
done:
    peak_state_clear(&enclosure.ends[0]);
    peak_state_clear(&enclosure.ends[1]);
    return status;
}
