/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* ---- branch points that were met ---- */

/* In parts of the step on which it was found: how near the same branch point is found again. */
static const double SAME_JUNCTION = 1e-2;
/* In parts of that step: how far from the point the null vector is taken. */
static const double NULL_DISTANCE = 1e-6;

/* On which side of a junction a point lies, as is_settled counts. */
static int side_of(const struct continuation *c, const struct curve_junction *junction,
                   const double *u)
{
    return metric_along(c->size, c->metric, junction->u, u, junction->null) > 0.0;
}

/* The null vector beside the tangent at the branch point in `trial`, by one inverse iteration
 * a little aside. */
static enum masing_status find_null(struct continuation *c, double *null)
{
    double length = c->next.arc - c->here.arc;
    const double *tangent = c->trial.tangent;
    NEED(curve_tangent_at_distance(c, c->trial.u, tangent, NULL_DISTANCE * length, c->normal));
    if (!isfinite(curve_branching_value(c, c->normal))) {
        return MASING_SINGULAR;
    }
    double along = metric_dot(c->size, c->metric, c->probe, tangent);
    for (int i = 0; i < c->size; i++) {
        null[i] = c->probe[i] - along * tangent[i];
    }
    metric_normalise(c->size, c->metric, null);
    return MASING_OK;
}

/* Save the one in `trial`; true where it is known already. */
static bool save_junction(struct continuation *c)
{
    double same = SAME_JUNCTION * (c->next.arc - c->here.arc);
    for (int k = 0; k < c->n_junctions; k++) {
        struct curve_junction *known = &c->junctions[k];
        if (metric_distance(c->size, c->metric, known->u, c->trial.u) > same) {
            continue;
        }
        curve_join(c, known->curve);
        if (c->is_on_side_branch && !c->search.is_found) {
            known->is_settled[side_of(c, known, c->here.u)] = true;
        } else {
            /* the curve itself comes by a second time */
            known->is_settled[0] = known->is_settled[1] = true;
        }
        memcpy(c->trial.u, known->u, (size_t)c->size * sizeof *known->u);
        c->trial.residual = known->residual;
        return true;
    }
    if (c->n_junctions < c->most_junctions) {
        struct curve_junction *made = &c->junctions[c->n_junctions];
        made->curve = c->search.curve;
        made->is_settled[0] = made->is_settled[1] = false;
        made->residual = c->trial.residual;
        memcpy(made->u, c->trial.u, (size_t)c->size * sizeof *made->u);
        c->n_junctions += find_null(c, made->null) == MASING_OK;
    }
    return false;
}

/* ---- branch points on the step to `next` ---- */

/*
 * Branch points: where the equations lose a rank that lambda does not give back, another curve
 * crosses. The determinant of the bordered matrix changes its sign there, and its factors are
 * at hand. A sign alone proves nothing, for it may jump where the Jacobian does; what counts is
 * that the way to singularity vanishes on both sides.
 */

/* In parts of the larger value at the ends of the step: small enough on both sides. */
static const double VANISHES = 1e-2;
/* In parts of the step: distance from a corner at which its near side is evaluated. */
static const double NEAR_SIDE = 1e-6;

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
    double beside = c->is_corner ? -NEAR_SIDE * (c->next.arc - c->here.arc) : 0.0;
    NEED(curve_exact_tangent(c, c->here.u, c->here.tangent, c->trial.tangent));
    ends[0] = c->orientation * fabs(curve_branching_value(c, c->trial.tangent));
    NEED(curve_tangent_at_distance(c, c->next.u, c->next.tangent_in, beside, c->trial.tangent));
    ends[1] = curve_branching_value(c, c->trial.tangent);
    return MASING_OK;
}

/* The factors say little about the tangent at a branch point: it is that of the cubic. */
static void interpolate_tangent(struct continuation *c)
{
    struct predictor_segment segment = curve_step_segment(c);
    predictor_hermite(&segment, c->trial.arc - c->here.arc, c->guess, c->trial.tangent);
    metric_normalise(c->size, c->metric, c->trial.tangent);
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
    status = curve_search(c, CURVE_BRANCHING, &c->here, &c->next, ends);
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
        if (beyond.point.arc >= c->next.arc || distance <= SAME_JUNCTION * length) {
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
    c->counts.branch_points++;
}

enum masing_status curve_find_branch_point(struct continuation *c)
{
    bool is_there = false;
    c->meets = false;
    if (c->orientation * c->orientation_next >= 0 || c->search.is_dry) {
        return MASING_OK;
    }
    NEED(locate(c, &is_there));
    if (!is_there) {
        return MASING_OK;
    }
    if (save_junction(c) && c->is_on_side_branch && !c->search.is_found) {
        meet(c);
    } else {
        keep_extra(c);
    }
    return MASING_OK;
}

/* ---- the branches through them ---- */

/*
 * Other curves through the branch points that were met. Each is left in both directions along
 * the null vector beside the tangent; a plane orthogonal to it, a little aside, meets the other
 * curve and not the first. What comes to a branch point that is known ends there, and is not
 * followed from there once more.
 */

/* In parts of the first step: distances from the branch point at which the other curve is
 * searched for, in this order. */
static const double SIDE_DISTANCES[] = {1.0, 0.3, 0.1, 0.03, 3.0, 0.01, 10.0};
enum { N_DISTANCES = sizeof SIDE_DISTANCES / sizeof *SIDE_DISTANCES };
/* Correction in parts of that distance: the other curve may leave at a sharp angle. */
static const double LARGEST_SIDE_CORRECTION = 4.0;
/* Least cosine of the angle by which the other curve may turn on that distance. */
static const double LEAST_SIDE_COSINE = 0.9;

/* A solution in `low` at a distance aside of a junction, with the tangent there. */
static enum masing_status step_aside(struct continuation *c,
                                     const struct curve_junction *junction, double distance)
{
    struct curve_point *point = &c->low;
    predictor_line(c->size, junction->u, junction->null, distance, point->u);
    bordered_set_plane(&c->bordered, point->u, junction->null);
    NEED(curve_correct(c, LARGEST_SIDE_CORRECTION * fabs(distance), CURVE_EXACT, point));
    if (distance < 0.0) {
        curve_turn_round(c, point->tangent);
    }
    point->arc = metric_distance(c->size, c->metric, point->u, junction->u);
    double along = metric_along(c->size, c->metric, junction->u, point->u, point->tangent);
    return along >= LEAST_SIDE_COSINE * point->arc ? MASING_OK : MASING_NOT_CONVERGED;
}

/* At the branch point, the parabola's through it that ends with the tangent in `low`. */
static void tangent_at_junction(struct continuation *c, const struct curve_junction *junction,
                                double *tangent)
{
    for (int i = 0; i < c->size; i++) {
        double chord = (c->low.u[i] - junction->u[i]) / c->low.arc;
        tangent[i] = 2.0 * chord - c->low.tangent[i];
    }
    metric_normalise(c->size, c->metric, tangent);
}

/* The branch point becomes `next`, left towards a solution aside. */
static enum masing_status leave(struct continuation *c, const struct curve_junction *junction,
                                int side)
{
    enum masing_status status = MASING_OK;
    double sign = side ? 1.0 : -1.0;
    c->search.curve = junction->curve;
    c->search.is_found = false;
    c->bordered.cost = &c->locating;
    TRY(curve_renew_metric(c, junction->u));
    status = MASING_NOT_CONVERGED;
    for (int i = 0; i < N_DISTANCES && status > 0; i++) {
        status = step_aside(c, junction, sign * SIDE_DISTANCES[i] * c->settings.step_initial);
    }
    TRY(status);
    memcpy(c->next.u, junction->u, (size_t)c->size * sizeof *c->next.u);
    tangent_at_junction(c, junction, c->next.tangent);
    memcpy(c->next.tangent_in, c->next.tangent, (size_t)c->size * sizeof *c->next.tangent);
    c->next.residual = junction->residual;
    c->next.iterations = 0;
    c->next.arc = c->last.arc;
    step_restart(&c->step, &c->settings, c->low.arc);
done:
    c->bordered.cost = &c->following;
    return status;
}

/* The next branch that is not settled, from its branch point in `next`. */
static enum masing_status leave_any(struct continuation *c, bool *is_left)
{
    *is_left = false;
    for (int k = 0; k < c->n_junctions; k++) {
        struct curve_junction *junction = &c->junctions[k];
        for (int side = 1; side >= 0; side--) {
            if (junction->is_settled[side] || c->counts.branches >= c->settings.max_branches) {
                continue;
            }
            junction->is_settled[side] = true;
            enum masing_status status = leave(c, junction, side);
            *is_left = status == MASING_OK;
            if (status <= 0) {
                return status;
            }
            curve_log(c, "at %.10g%s: no other curve was found through a branch point",
                      curve_shown(c, junction->u[c->n]), curve_unit(c));
        }
    }
    return MASING_OK;
}

enum masing_status curve_begin_branch(struct continuation *c, bool *has_begun)
{
    NEED(leave_any(c, has_begun));
    if (!*has_begun) {
        return MASING_OK;
    }
    c->counts.branches++;
    c->n_pieces++;
    c->is_on_side_branch = true;
    c->is_corner = c->is_rescued = c->begins_anew = c->closes = c->meets = false;
    c->rescues = c->n_steps = 0;
    c->turns = (struct curve_turns){0};
    c->good_length = c->step.length;
    c->watched_arc = c->next.arc;
    c->orientation = c->orientation_next = c->n_met = 0;
    curve_add_event(c, CONTINUATION_BRANCH_POINT, -1);
    NEED(curve_start_functions(c));
    NEED(curve_begin(c));
    c->is_restarted = true;
    return MASING_OK;
}
