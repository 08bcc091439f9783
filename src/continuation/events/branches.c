/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other curves through the branch points that were met. Each is left in both directions along
 * the null vector beside the tangent; a plane orthogonal to it, a little aside, meets the other
 * curve and not the first. What comes to a branch point that is known ends there, and is not
 * followed from there once more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* In parts of that step: where to look for the null vector. */
static const double ASIDE = 1e-6;
/* In parts of the first step: how far aside to look for the other curve. */
static const double distances[] = {1.0, 0.3, 0.1, 0.03, 3.0, 0.01, 10.0};
enum { N_DISTANCES = sizeof distances / sizeof *distances };
/* The other curve may leave at a sharp angle to the first. */
static const double FARTHEST = 4.0;
/* Cosine of the angle that it may turn by on the way there. */
static const double STRAIGHT = 0.9;

enum masing_status curve_create_junctions(struct continuation *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int most = c->settings.max_branches;
    TRY_ALLOCATED(c->junctions = memory_array((size_t)most, sizeof *c->junctions));
    for (int i = 0; i < most; i++) {
        TRY_ALLOCATED(c->junctions[i].u = memory_array((size_t)c->size, sizeof(double)));
        TRY_ALLOCATED(c->junctions[i].null = memory_array((size_t)c->size, sizeof(double)));
    }
done:
    return status;
}

void curve_destroy_junctions(struct continuation *c)
{
    for (int i = 0; c->junctions && i < c->settings.max_branches; i++) {
        free(c->junctions[i].u);
        free(c->junctions[i].null);
    }
    free(c->junctions);
}

/* On which side of a junction a point lies, as is_settled counts. */
static int side_of(const struct continuation *c, const struct curve_junction *junction,
                   const double *u)
{
    double along = 0.0;
    for (int i = 0; i < c->size; i++) {
        along += c->metric[i] * junction->null[i] * (u[i] - junction->u[i]);
    }
    return along > 0.0;
}

/* The null vector beside the tangent at the branch point in `trial`, by one inverse iteration
 * a little aside. */
static enum masing_status find_null(struct continuation *c, double *null)
{
    enum masing_status status = MASING_OK;
    double length = c->next.arc - c->here.arc;
    const double *tangent = c->trial.tangent;
    TRY(curve_tangent_aside(c, c->trial.u, tangent, ASIDE * length, c->normal));
    if (!isfinite(curve_branching_value(c, c->normal))) {
        return MASING_SINGULAR;
    }
    double along = metric_dot(c->size, c->metric, c->probe, tangent);
    for (int i = 0; i < c->size; i++) {
        null[i] = c->probe[i] - along * tangent[i];
    }
    double norm = metric_norm(c->size, c->metric, null);
    for (int i = 0; i < c->size; i++) {
        null[i] /= norm;
    }
done:
    return status;
}

bool curve_keep_junction(struct continuation *c)
{
    double same = CURVE_SAME_JUNCTION * (c->next.arc - c->here.arc);
    for (int k = 0; k < c->n_junctions; k++) {
        struct curve_junction *known = &c->junctions[k];
        if (metric_distance(c->size, c->metric, known->u, c->trial.u) > same) {
            continue;
        }
        if (c->is_aside) {
            known->is_settled[side_of(c, known, c->here.u)] = true;
        } else {
            /* the curve itself comes by a second time */
            known->is_settled[0] = known->is_settled[1] = true;
        }
        memcpy(c->trial.u, known->u, (size_t)c->size * sizeof *known->u);
        c->trial.residual = known->residual;
        return true;
    }
    if (c->n_junctions < c->settings.max_branches) {
        struct curve_junction *made = &c->junctions[c->n_junctions];
        made->is_settled[0] = made->is_settled[1] = false;
        made->residual = c->trial.residual;
        memcpy(made->u, c->trial.u, (size_t)c->size * sizeof *made->u);
        c->n_junctions += find_null(c, made->null) == MASING_OK;
    }
    return false;
}

/* A solution in `low` at a distance aside of a junction, with the tangent there. */
static enum masing_status step_aside(struct continuation *c,
                                     const struct curve_junction *junction, double distance)
{
    enum masing_status status = MASING_OK;
    struct curve_point *point = &c->low;
    double chord = 0.0, cosine = 0.0;
    predictor_line(c->size, junction->u, junction->null, distance, point->u);
    bordered_set_plane(&c->bordered, point->u, junction->null);
    struct corrector_request request = {.limit = FARTHEST * fabs(distance),
                                        .max_iterations = c->settings.max_iterations,
                                        .is_exact = true};
    struct corrector_result result;
    TRY(corrector_solve(c->corrector, &request, point->u, &result));
    TRY(bordered_tangent(&c->bordered, point->tangent));
    if (distance < 0.0) {
        curve_turn_round(c, point->tangent);
    }
    point->arc = metric_distance(c->size, c->metric, point->u, junction->u);
    for (int i = 0; i < c->size; i++) {
        chord = point->u[i] - junction->u[i];
        cosine += c->metric[i] * chord * point->tangent[i] / point->arc;
    }
    status = cosine >= STRAIGHT ? MASING_OK : MASING_NOT_CONVERGED;
done:
    return status;
}

/* At the branch point, the parabola's through it that ends with the tangent in `low`. */
static void tangent_at_junction(struct continuation *c, const struct curve_junction *junction,
                                double *tangent)
{
    for (int i = 0; i < c->size; i++) {
        double chord = (c->low.u[i] - junction->u[i]) / c->low.arc;
        tangent[i] = 2.0 * chord - c->low.tangent[i];
    }
    double norm = metric_norm(c->size, c->metric, tangent);
    for (int i = 0; i < c->size; i++) {
        tangent[i] /= norm;
    }
}

/* The branch point becomes `next`, left towards a solution aside. */
static enum masing_status leave(struct continuation *c, const struct curve_junction *junction,
                                int side)
{
    enum masing_status status = MASING_OK;
    double sign = side ? 1.0 : -1.0;
    c->bordered.cost = &c->locating;
    TRY(curve_renew_metric(c, junction->u));
    status = MASING_NOT_CONVERGED;
    for (int i = 0; i < N_DISTANCES && status > 0; i++) {
        status = step_aside(c, junction, sign * distances[i] * c->settings.step_initial);
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
            if (junction->is_settled[side] || c->n_branches >= c->settings.max_branches) {
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
    enum masing_status status = MASING_OK;
    TRY(leave_any(c, has_begun));
    if (!*has_begun) {
        return MASING_OK;
    }
    c->n_branches++;
    c->n_pieces++;
    c->is_aside = true;
    c->is_corner = c->is_rescued = c->begins_anew = c->closes = c->meets = false;
    c->rescues = c->n_steps = 0;
    c->good_length = c->step.length;
    c->watched_arc = c->next.arc;
    c->orientation = c->orientation_next = c->n_met = 0;
    curve_add_event(c, CONTINUATION_BRANCH_POINT, -1);
    TRY(curve_start_functions(c));
    TRY(curve_begin(c));
    c->is_restarted = true;
done:
    return status;
}
