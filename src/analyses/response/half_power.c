/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the response on both sides of the peak has fallen to its part 1/sqrt(2), half the
 * power: bandwidth and quality factor as they are read off measured curves. They exist where
 * the curve goes down that far on both sides without turning round.
 */
#include <math.h>
#include <stdlib.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

enum masing_status response_trace_add(struct response_trace *trace, int piece, double omega,
                                      double measure, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(memory_grow((void **)&trace->points, trace->n + 1, &trace->capacity,
                              sizeof *trace->points));
    trace->points[trace->n++] = (struct response_trace_point){piece, omega, measure};
done:
    return status;
}

/* Where the inverse square of the measure is `wanted` beyond the second of three points: it is
 * a parabola over the squared frequency, exactly so for one mode. */
static double interpolate(const struct response_trace_point *p, double wanted)
{
    double s[3], q[3];
    for (int i = 0; i < 3; i++) {
        s[i] = p[i].omega * p[i].omega;
        q[i] = 1.0 / (p[i].measure * p[i].measure);
    }
    double rise = (q[2] - q[1]) / (s[2] - s[1]);
    double bend = (rise - (q[1] - q[0]) / (s[1] - s[0])) / (s[2] - s[0]);
    double slope = rise - bend * (s[2] - s[1]), away = q[1] - wanted;
    double root = sqrt(slope * slope - 4.0 * bend * away);
    return sqrt(s[1] - 2.0 * away / (slope + copysign(root, slope)));
}

/* From the best point on in one direction, NAN where the curve turns or ends before. */
static double find_side(const struct response_trace *trace, size_t best, int step)
{
    const struct response_trace_point *p = trace->points;
    double level = p[best].measure / sqrt(2.0), heading = 0.0;
    for (size_t i = best; step > 0 ? i + 1 < trace->n : i > 0; i += (size_t)step) {
        const struct response_trace_point *here = &p[i], *next = &p[i + (size_t)step];
        double change = next->omega - here->omega;
        if (next->piece != here->piece || change * heading < 0.0) {
            return NAN;
        }
        heading = change != 0.0 ? change : heading;
        if (next->measure <= level) {
            double part = (here->measure - level) / (here->measure - next->measure);
            double line = here->omega + part * change;
            if (here == &p[best]) {
                return line;
            }
            struct response_trace_point three[] = {p[i - (size_t)step], *here, *next};
            double value = interpolate(three, pow(level, -2.0));
            bool is_between = (value - here->omega) * (next->omega - value) >= 0.0;
            return is_between ? value : line;
        }
    }
    return NAN;
}

void response_half_power(const struct response_curve *curve,
                         struct masing_response_summary *summary)
{
    const struct response_trace *trace = &curve->trace;
    size_t best = 0;
    while (best < trace->n && !(trace->points[best].omega == curve->best.omega &&
                                trace->points[best].measure == curve->best.measure)) {
        best++;
    }
    if (best == trace->n || !curve->best.is_marked || !(curve->best.measure > 0.0)) {
        return;
    }
    double before = find_side(trace, best, -1), after = find_side(trace, best, 1);
    if (isfinite(before) && isfinite(after)) {
        summary->half_power_from_hz = fmin(before, after) / TWO_PI;
        summary->half_power_to_hz = fmax(before, after) / TWO_PI;
    }
}
