/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch points: where the equations lose a rank that lambda does not give back, another curve
 * crosses. The determinant of the bordered matrix changes its sign there, and its factors are
 * at hand. A sign alone proves nothing, for it may jump where the Jacobian does; what counts is
 * that the way to singularity vanishes on both sides.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "continuation/events/signs.h"

/* In parts of the larger value at the ends of the step: small enough on both sides. */
static const double VANISHES = 1e-2;
/* In parts of the step: where to look at the near side of a corner. */
static const double BESIDE = 1e-6;

void curve_note_orientation(struct continuation *c)
{
    int orientation = bordered_orientation(&c->bordered, c->next.tangent_in);
    c->orientation_next = c->orientation_out = c->settings.mark_branches ? orientation : 0;
}

/* Any vector that a left null vector is orthogonal to by chance only. */
static void set_probe(struct continuation *c)
{
    double x = 0.5;
    for (int i = 0; i < c->size; i++) {
        x = fmod(x + 0.6180339887498949, 1.0);
        c->probe[i] = x < 0.5 ? x - 1.0 : x;
    }
}

/* 1 / |matrix^-1 probe| with the determinant's sign, by the factors at hand: it goes through
 * zero smoothly. The probe becomes the solution, near a branch point the null vector. */
double curve_branching_value(struct continuation *c, const double *tangent)
{
    int orientation = bordered_orientation(&c->bordered, tangent);
    set_probe(c);
    if (bordered_solve(&c->bordered, c->probe) != MASING_OK) {
        return NAN;
    }
    return orientation / metric_norm(c->size, c->metric, c->probe);
}

/* With the Jacobian at `here` and at `next`, or right before a corner there. */
static enum masing_status evaluate_ends(struct continuation *c, double ends[2])
{
    enum masing_status status = MASING_OK;
    double beside = c->is_corner ? -BESIDE * (c->next.arc - c->here.arc) : 0.0;
    TRY(curve_exact_tangent(c, c->here.u, c->here.tangent, c->trial.tangent));
    ends[0] = c->orientation * fabs(curve_branching_value(c, c->trial.tangent));
    TRY(curve_tangent_aside(c, c->next.u, c->next.tangent_in, beside, c->trial.tangent));
    ends[1] = curve_branching_value(c, c->trial.tangent);
done:
    return status;
}

/* The factors say little about the tangent at a branch point: it is that of the cubic. */
static void interpolate_tangent(struct continuation *c)
{
    struct predictor_segment segment;
    curve_segment(c, &segment);
    predictor_hermite(&segment, c->trial.arc - c->here.arc, c->guess, c->trial.tangent);
    double norm = metric_norm(c->size, c->metric, c->trial.tangent);
    for (int i = 0; i < c->size; i++) {
        c->trial.tangent[i] /= norm;
    }
    memcpy(c->trial.tangent_in, c->trial.tangent, (size_t)c->size * sizeof *c->guess);
}

/* Whether `trial` is a branch point on the smooth piece from `here` to `next`. */
static enum masing_status locate(struct continuation *c, bool *is_there)
{
    enum masing_status status = MASING_OK;
    double ends[2];
    double length = c->next.arc - c->here.arc;
    *is_there = false;
    TRY(evaluate_ends(c, ends));
    if (!(ends[0] * ends[1] < 0.0)) {
        c->orientation_next = c->orientation;
        c->orientation_out = c->is_corner ? c->orientation_out : c->orientation;
        return MASING_OK;
    }
    double vanishing = VANISHES * fmax(fabs(ends[0]), fabs(ends[1]));
    status = curve_search(c, CURVE_BRANCHING, ends);
    if (status < 0 || !(fabs(ends[0]) <= vanishing && fabs(ends[1]) <= vanishing)) {
        return status < 0 ? status : MASING_OK;
    }
    if (status > 0) {
        /* so near to it that nothing converges */
        curve_copy_point(c, &c->trial, fabs(ends[0]) < fabs(ends[1]) ? &c->low : &c->high);
    }
    status = MASING_OK;
    interpolate_tangent(c);
    *is_there = c->trial.arc - c->here.arc > SIGNS_SAME * length &&
                c->next.arc - c->trial.arc > (c->is_corner ? SIGNS_SAME * length : 0.0);
done:
    return status > 0 ? MASING_OK : status;
}

/* The branch ends at a branch point that is known, in `trial`. Where it leaves lambda as it
 * came, at a pitchfork, it has a fold there, which is none. */
static void meet(struct continuation *c)
{
    double length = c->next.arc - c->here.arc;
    curve_copy_point(c, &c->next, &c->trial);
    curve_evaluate_functions(c, false, &c->next);
    curve_evaluate_functions(c, true, &c->next);
    for (int i = c->n_extras - 1; i >= 0; i--) {
        struct curve_extra beyond = c->extras[i];
        double distance = metric_distance(c->size, c->metric, beyond.point.u, c->next.u);
        if (beyond.point.arc >= c->next.arc || distance <= CURVE_SAME_JUNCTION * length) {
            c->extras[i] = c->extras[--c->n_extras];
            c->extras[c->n_extras] = beyond;
        }
    }
    for (int i = 0; i < c->n_functions; i++) {
        c->functions[i].is_hit = false;
    }
    c->outcome.length = c->next.arc - c->here.arc;
    c->is_corner = c->closes = false;
    c->meets = true;
}

static void keep_extra(struct continuation *c)
{
    struct curve_extra *extra = &c->extras[c->n_extras++];
    curve_copy_point(c, &extra->point, &c->trial);
    extra->met = (struct continuation_met){CONTINUATION_BRANCH_POINT, -1};
    c->n_branch_points++;
}

enum masing_status curve_find_branch_point(struct continuation *c)
{
    enum masing_status status = MASING_OK;
    bool is_there = false;
    c->meets = false;
    if (c->orientation * c->orientation_next >= 0) {
        return MASING_OK;
    }
    TRY(locate(c, &is_there));
    if (!is_there) {
        return MASING_OK;
    }
    if (curve_keep_junction(c) && c->is_aside) {
        meet(c);
    } else {
        keep_extra(c);
    }
done:
    return status;
}
