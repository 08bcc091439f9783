/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the measure of the peak rises along a curve: what the peaks of a response are found by.
 */
#include <math.h>

#include "analyses/response/curve.h"

/* Distance of the two values, in parts of the frequency range, and the slope (relative to the
 * measure there, per range) below which they are used. */
static const double RIPPLE_STEP = 2e-3, RIPPLE_SLOPE = 1.0;
/* A slope is right where what values say, by a chord or a parabola, differs by no more than
 * this part of it. */
static const double CONFIRMING = 0.5;
/* Component of the unit tangent in the frequency, in parts of its range, below which the curve
 * turns back and no values at other frequencies are near; and above which they are no farther
 * than a step, so that the tangent leads to them. */
static const double LEAST_TANGENT = 1e-3, LEADING_TANGENT = 0.03;

/* The last points of the curve that its own steps have led to, the latest first; how many. */
static int last_points(const struct response_trace *trace,
                       const struct response_trace_point *last[2])
{
    int n = 0;
    for (size_t i = trace->n; i > 0 && n < 2; i--) {
        last[n] = &trace->points[i - 1];
        n += last[n]->is_requested ? 0 : 1;
    }
    return n;
}

/* Whether the chord to the last point and the parabola through the last two have about the same
 * slope here, by omega: then that is no ripple, nor is a peak near. */
static bool is_confirmed(const struct response_curve *curve, double omega, double slope)
{
    const struct masing_spec *spec = &curve->model->spec;
    const struct response_trace_point *last[2];
    if (last_points(&curve->trace, last) < 2 || last[0]->piece != last[1]->piece) {
        return false;
    }
    double step = omega - last[0]->omega, before = last[0]->omega - last[1]->omega;
    double mean = (curve->recovery->point.measure - last[0]->measure) / step;
    double mean_before = (last[0]->measure - last[1]->measure) / before;
    double of_parabola = mean + (mean - mean_before) * step / (step + before);
    return step * before > 0.0 &&
           fabs(step) >= RIPPLE_STEP * fabs(spec->omega_to - spec->omega_from) &&
           fabs(mean - slope) <= CONFIRMING * fabs(slope) &&
           fabs(of_parabola - slope) <= CONFIRMING * fabs(slope);
}

/*
 * The tangent of sampled friction jumps whenever a sample changes between stick and slip, and
 * the slope with it: its sign says little close to a flat peak. There the difference of two
 * values a little apart takes its place, in which the ripple of the samples is small of higher
 * order.
 */
static double slope_from_values(struct response_curve *curve, const double *y, double omega,
                                const double *dy, double d_omega, double slope)
{
    const struct masing_spec *spec = &curve->model->spec;
    struct point_solver *neighbour = curve->neighbour_solver;
    double range = fabs(spec->omega_to - spec->omega_from);
    double step = RIPPLE_STEP * range, values[2];
    double ahead = fabs(d_omega) > LEADING_TANGENT * range ? step / d_omega : 0.0;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1.0 : 1.0, shifted = omega + sign * step;
        for (int i = 0; i < neighbour->n; i++) {
            neighbour->point[i] = y[i] + sign * ahead * dy[i];
        }
        neighbour->point[neighbour->n] = shifted;
        point_solver_fix_lambda(neighbour);
        if (point_solver_solve(neighbour, 0.0) != MASING_OK ||
            recovery_evaluate(curve->recovery, neighbour->point, shifted) != MASING_OK) {
            return slope;
        }
        values[side] = recovery_peak_measure(curve->recovery);
    }
    return (values[1] - values[0]) / (2.0 * step) * d_omega;
}

double response_peak_slope(void *context, const double *y, double lambda, const double *dy,
                           double dlambda)
{
    struct response_curve *curve = context;
    const struct masing_spec *spec = &curve->model->spec;
    double slope = NAN, range = fabs(spec->omega_to - spec->omega_from);
    enum masing_status status = recovery_slope(curve->recovery, y, lambda, dy, dlambda, &slope);
    if (status != MASING_OK) {
        return NAN;
    }
    if (curve->is_rippled && fabs(dlambda) > LEAST_TANGENT * range &&
        fabs(slope) * range < RIPPLE_SLOPE * curve->recovery->point.measure * fabs(dlambda) &&
        !is_confirmed(curve, lambda, slope / dlambda)) {
        slope = slope_from_values(curve, y, lambda, dy, dlambda, slope);
    }
    return slope;
}

double response_peak_slope_beside(void *context, const double *y, double lambda,
                                  const double *dy, double dlambda)
{
    struct response_curve *curve = context;
    double slope = NAN;
    enum masing_status status =
        recovery_slope_beside(curve->recovery, y, lambda, dy, dlambda, &slope);
    return status == MASING_OK ? slope : NAN;
}
