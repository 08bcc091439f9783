/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/refined_peak.h"

#include <math.h>

#include "base/check.h"
#include "linalg/bracket.h"

/* First step along the curve, and how many of them, each twice as long. */
static const double FIRST_STEP = 0.02;
enum { MAX_STEPS = 10, MAX_CUTS = 40 };

/* A place on the curve: the peak lies where the slope falls through zero. */
struct place {
    double s, measure, slope;
};

static enum masing_status look(struct refinement *refinement, double s, struct place *place)
{
    enum masing_status status = MASING_OK;
    struct point_solver *solver = refinement->solver;
    const struct masing_spec *spec = &refinement->model.spec;
    place->s = s;
    TRY(point_solver_solve(solver, s));
    TRY(point_solver_differentiate(solver));
    TRY(recovery_slope(refinement->recovery, solver->point, solver->point[solver->n],
                       solver->tangent, solver->tangent[solver->n], spec->peak_output,
                       spec->peak_measure, &place->slope));
    TRY(recovery_evaluate(refinement->recovery, solver->point, solver->point[solver->n]));
    place->measure = recovery_measure(&refinement->recovery->point.measures[spec->peak_output],
                                      spec->peak_measure);
    status = isfinite(place->slope) ? MASING_OK : MASING_NOT_FINITE;
done:
    return status;
}

/* Go up until the slope has changed its sign: the peak is then between a and b. */
static enum masing_status enclose(struct refinement *refinement, struct place *a,
                                  struct place *b)
{
    enum masing_status status = MASING_OK;
    double step = a->slope > 0.0 ? FIRST_STEP : -FIRST_STEP;
    TRY(look(refinement, step, b));
    for (int i = 0; i < MAX_STEPS && a->slope * b->slope > 0.0; i++) {
        step *= 2.0;
        *a = *b;
        TRY(look(refinement, a->s + step, b));
    }
    status = a->slope * b->slope > 0.0 ? MASING_NOT_CONVERGED : MASING_OK;
done:
    return status;
}

enum masing_status refined_peak_solve(struct refinement *refinement, double precision)
{
    enum masing_status status = MASING_OK;
    struct place a, b, c;
    TRY(look(refinement, 0.0, &a));
    if (fabs(a.slope) * FIRST_STEP <= precision * a.measure) {
        return MASING_OK;
    }
    TRY(enclose(refinement, &a, &b));
    struct bracket bracket = bracket_of(a.s, a.slope, b.s, b.slope);
    for (int i = 0; i < MAX_CUTS && bracket_next(&bracket, 0.0); i++) {
        const struct bracket_end *end = bracket.end;
        TRY(look(refinement, bracket.x, &c));
        /* no more than this can be gained between here and the ends, where it is a parabola */
        double gain = fabs(c.slope) * fmax(fabs(c.s - end[0].x), fabs(c.s - end[1].x));
        if (gain <= precision * c.measure) {
            return MASING_OK;
        }
        bracket_set(&bracket, c.slope);
    }
    status = MASING_NOT_CONVERGED;
done:
    return status;
}
