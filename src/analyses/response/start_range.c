/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slider that does not slip in every cycle keeps a part of the force that it had before. Any
 * start leads to such a state: a slider that is started far away is dragged along until the
 * motion is within its reach. The first two states have all sliders started far to one side and
 * far to the other, which leaves them at their limits; the others start in between, each joint
 * by itself.
 */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* A side is reached when twice as far away changes the measure by no more than this part. */
static const double SIDE_TOLERANCE = 1e-10;
/* A mean that is held by nothing but a spring of the method, in parts of the loads. */
static const double LARGEST_DRIFT = 1e-6;
enum { MAX_DOUBLINGS = 24 };

struct range {
    struct response_curve *curve;
    struct masing_starts *result;
    struct point_solver *solver;
    double *size;       /* [n_axes] displacement that makes a joint slip from rest; 0: none */
    double *mean;       /* [n_axes] of the curve's peak */
    double *low, *high; /* [n_axes] between which sliders are started */
    uint64_t random;
};

/* splitmix64: the same numbers everywhere (Steele, Lea and Flood 2014). */
static double next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Displacement that makes a joint slip from rest, the largest of its elements at their preload;
 * 0 where the start is forgotten, or where nothing limits what is left of it. */
static double slip_size(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
    double size = 0.0;
    if (law->contact) {
        int n = law->n_elements ? law->n_elements(joint->parameters) : 1;
        for (int e = 0; e < n; e++) {
            struct masing_contact_element element;
            law->contact->element(joint->parameters, NULL, e, &element);
            double limit = element.friction_static * fmax(0.0, element.preload);
            size = fmax(size, limit / element.tangential_stiffness);
        }
    } else if (law->reach &&
               masing_law_restraint(law, joint->parameters) == MASING_RESTRAINT_START) {
        double reach = law->reach(joint->parameters);
        size = isfinite(reach) ? reach : 0.0;
    }
    return size;
}

/* Middle and half the width of each axis' motion at the present solution. */
static void measure_axis(struct balance *balance, int axis, double *mean, double *amplitude)
{
    int j = 0;
    while (balance->joints[j]->joint->first_axis + balance->joints[j]->n_axes <= axis) {
        j++;
    }
    struct joint_response *response = balance->joints[j];
    int own = axis - response->joint->first_axis;
    joint_response_range(response, own);
    *mean = 0.5 * (response->range[own].maximum + response->range[own].minimum);
    *amplitude = 0.5 * (response->range[own].maximum - response->range[own].minimum);
}

/* The measure with the sliders as they are started now, from the guess in the solver. */
static enum masing_status solve(struct range *range, double *measure)
{
    struct response_curve *curve = range->curve;
    struct point_solver *solver = range->solver;
    curve->balance->has_last = false;
    NEED(point_solver_solve(solver, 0.0));
    NEED(recovery_evaluate(curve->recovery, solver->point, solver->point[solver->n]));
    if (balance_drift(curve->balance, solver->point) > LARGEST_DRIFT) {
        return MASING_NOT_CONVERGED;
    }
    *measure = recovery_peak_measure(curve->recovery);
    return MASING_OK;
}

static void guess_peak(struct range *range)
{
    const struct response_curve *curve = range->curve;
    size_t n = (size_t)range->solver->n;
    memcpy(range->solver->point, curve->best.y, sizeof(double) * n);
    range->solver->point[n] = curve->best.omega;
}

/* All sliders started so far to one side that farther makes no difference. */
static enum masing_status solve_side(struct range *range, double sign, double *measure)
{
    struct balance *balance = range->curve->balance;
    double before = NAN, distance = 2.0;
    guess_peak(range);
    for (int i = 0; i < MAX_DOUBLINGS; i++, distance *= 2.0) {
        for (int a = 0; a < balance->n_axes; a++) {
            if (range->size[a] > 0.0) {
                balance->origin[a] = range->mean[a] + sign * distance * range->size[a];
            }
        }
        NEED(solve(range, measure));
        if (fabs(*measure - before) <= SIDE_TOLERANCE * *measure) {
            break;
        }
        before = *measure;
    }
    for (int a = 0; a < balance->n_axes; a++) {
        double mean, amplitude;
        measure_axis(balance, a, &mean, &amplitude);
        double away = range->size[a] + amplitude;
        range->low[a] = fmin(range->low[a], mean - away);
        range->high[a] = fmax(range->high[a], mean + away);
    }
    return MASING_OK;
}

/* All sliders started anywhere between the two sides, each joint by itself. */
static enum masing_status solve_between(struct range *range, double *measure)
{
    struct balance *balance = range->curve->balance;
    for (int a = 0; a < balance->n_axes; a++) {
        double share = next_random(&range->random);
        if (range->size[a] > 0.0) {
            balance->origin[a] = range->low[a] + share * (range->high[a] - range->low[a]);
        }
    }
    guess_peak(range);
    return solve(range, measure);
}

static enum masing_status solve_all(struct range *range, struct masing_error *error)
{
    struct masing_starts *result = range->result;
    const struct masing_response_options *options = range->curve->settings.options;
    for (int i = 0; i < options->n_starts; i++) {
        double measure = NAN;
        if (progress_is_cancelled(options->progress)) {
            return masing_error_set(error, MASING_STOPPED, "interrupted");
        }
        enum masing_status status = i < 2 ? solve_side(range, i == 0 ? -1.0 : 1.0, &measure)
                                          : solve_between(range, &measure);
        if (status < 0) {
            return status;
        }
        result->n++;
        if (status == MASING_OK) {
            result->n_solved++;
            result->lowest = fmin(result->lowest, measure);
            result->highest = fmax(result->highest, measure);
        }
    }
    return MASING_OK;
}

/* Whether any joint remembers its start. */
static bool fill_sizes(struct range *range)
{
    struct balance *balance = range->curve->balance;
    bool remembers = false;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        double size = slip_size(joint);
        remembers = remembers || size > 0.0;
        for (int a = joint->first_axis; a < joint->first_axis + joint->n_axes; a++) {
            double amplitude;
            range->size[a] = size;
            measure_axis(balance, a, &range->mean[a], &amplitude);
            range->size[a] += size > 0.0 ? amplitude : 0.0;
            range->low[a] = range->high[a] = range->mean[a];
        }
    }
    return remembers;
}

enum masing_status response_check_starts(struct response_curve *curve,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct range range = {.curve = curve, .result = &curve->summary->starts};
    struct saved_sliders saved = {0};
    const struct masing_spec *spec = &curve->model->spec;
    size_t n_axes = (size_t)curve->balance->n_axes;
    if (curve->settings.options->n_starts == 0 || curve->best.measure < 0.0) {
        return MASING_OK;
    }
    TRY(saved_sliders_save(curve->balance, &saved, error));
    TRY(balance_solver_create(curve->balance, spec->solver.tolerance, &range.solver, error));
    TRY_ALLOCATED(range.size = memory_array(4 * n_axes, sizeof(double)));
    range.mean = range.size + n_axes;
    range.low = range.mean + n_axes;
    range.high = range.low + n_axes;
    TRY(recovery_evaluate(curve->recovery, curve->best.y, curve->best.omega));
    range.result->lowest = range.result->highest = curve->best.measure;
    guess_peak(&range);
    point_solver_fix_lambda(range.solver);
    if (fill_sizes(&range)) {
        for (int j = 0; j < curve->balance->n_joints; j++) {
            curve->balance->joints[j]->is_carried = false;
        }
        TRY(solve_all(&range, error));
    }
done:
    saved_sliders_restore(&saved);
    point_solver_destroy(range.solver);
    free(range.size);
    return status;
}
