/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "analyses/peak_course.h"
#include "base/check.h"

/* Difference of the two, in parts of either, that is none; steps to get there. */
static const double EQUAL = 1e-11;
enum { MAX_STEPS = 60 };

enum masing_status peak_crossing(struct peak_course *course, const struct peak_state a[2],
                                 const struct peak_state b[2], struct peak_state *at_a,
                                 struct peak_state *at_b, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double u[2], d[2];
    int last = -1;
    for (int k = 0; k < 2; k++) {
        u[k] = peak_coordinate(course->is_log, a[k].p);
        d[k] = a[k].measure - b[k].measure;
    }
    if (!(d[0] * d[1] <= 0.0) || d[0] == d[1] || a[0].n != b[0].n || a[0].n != a[1].n ||
        b[0].n != b[1].n) {
        return MASING_NOT_CONVERGED;
    }
    for (int i = 0; i < MAX_STEPS; i++) {
        /* Illinois: the end that stays counts half */
        double middle = u[0] - d[0] * (u[1] - u[0]) / (d[1] - d[0]);
        double p = peak_value(course->is_log, middle);
        TRY(peak_between(course->site, &a[0], &a[1], course->is_log, p, at_a, error));
        TRY(peak_between(course->site, &b[0], &b[1], course->is_log, p, at_b, error));
        double difference = at_a->measure - at_b->measure;
        if (fabs(difference) <= EQUAL * at_a->measure ||
            fabs(u[1] - u[0]) <= 1e-13 * course->range) {
            return MASING_OK;
        }
        int side = difference * d[0] > 0.0 ? 0 : 1;
        u[side] = middle;
        d[side] = difference;
        if (side == last) {
            d[1 - side] *= 0.5;
        }
        last = side;
    }
    status = MASING_NOT_CONVERGED;
done:
    return status;
}
