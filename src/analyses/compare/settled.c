/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an integration settled: on the solution that it is compared with, on another one of the
 * curve at the same frequency, or elsewhere. */
#include <math.h>
#include <stdio.h>

#include "analyses/compare/comparison.h"
#include "analyses/curve/balance_solver.h"
#include "base/check.h"
#include "base/hertz.h"

/* Harmonics closer than this are of the same solution, without looking at others; further than
 * that of none. Parts of the largest harmonic. */
static const double SAME = 0.01, ELSEWHERE = 0.1;
/* Another solution is the right one if it is this much closer. */
static const double CLOSER = 0.3;
/* Change of the mean, in parts of the motion, above which sliders stand elsewhere. */
static const double DISPLACED = 1e-3;
/* Means below this part of the motion are zero; axes that move less than that part of the one
 * that moves most stand still. */
static const double NOISE = 1e-12, STILL = 1e-6;

const char *comparison_settled_name(enum settled settled)
{
    static const char *const names[N_SETTLED] = {"",      "same",         "offset",
                                                 "point", "sub-harmonic", "other"};
    return names[settled];
}

/* Solutions of the curve between two of its points: solved from the line between them. */
static enum masing_status look_between(struct comparison *comparison, size_t first,
                                       double omega, struct point_solver *solver,
                                       const struct compared_motion *motion, double *closest,
                                       int *point)
{
    struct kept_points *points = &comparison->points;
    struct balance *balance = comparison->curve->balance;
    struct recovery *recovery = comparison->curve->recovery;
    size_t n = points->n_unknowns;
    const double *w = points->omega + first;
    double width = w[1] - w[0], share = width != 0.0 ? (omega - w[0]) / width : 0.0;
    size_t nearest = first + (share > 0.5);
    kept_points_restore(points, nearest, balance);
    for (size_t i = 0; i < n; i++) {
        const double *y = points->y + first * n + i;
        solver->point[i] = (1.0 - share) * y[0] + share * y[n];
    }
    solver->point[n] = omega;
    point_solver_hold(solver);
    enum masing_status status = point_solver_solve(solver, 0.0);
    status = status ? status : recovery_evaluate(recovery, solver->point, omega);
    if (status != MASING_OK) {
        return status < 0 ? status : MASING_OK; /* not to be had: one solution less */
    }
    compared_motion_recover(comparison->beside, recovery, solver->point);
    motion_differences_take(comparison->trial, comparison->beside, motion, NULL, 0.0);
    double distance = motion_differences_shape(comparison->trial);
    if (distance < *closest) {
        *closest = distance;
        *point = (int)nearest;
    }
    return MASING_OK;
}

/* The closest of the other solutions at the frequency of a point. */
static enum masing_status look_elsewhere(struct comparison *comparison, size_t index,
                                         const struct compared_motion *motion, double *closest,
                                         int *point)
{
    enum masing_status status = MASING_OK;
    const struct kept_points *points = &comparison->points;
    struct point_solver *solver = NULL;
    struct masing_error unused = {0};
    double omega = points->omega[index];
    TRY(balance_solver_create(comparison->curve->balance,
                              comparison->model->spec.solver.tolerance, &solver, &unused));
    for (size_t i = 0; i + 1 < points->n; i++) {
        const double *w = points->omega + i;
        bool is_own = i == index || i + 1 == index;
        if (!is_own && (w[0] - omega) * (w[1] - omega) <= 0.0) {
            TRY(look_between(comparison, i, omega, solver, motion, closest, point));
        }
    }
done:
    point_solver_destroy(solver);
    return status;
}

/* Amplitude of the largest harmonic of one of a joint's axes. */
static double axis_size(const struct joint_response *response, int axis)
{
    const struct basis *basis = response->basis;
    const double *x = response->x + axis * basis->n_coefficients;
    double size = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        const double *wave = x + basis->position[k];
        size = basis->harmonics[k] > 0 ? fmax(size, hypot(wave[0], wave[1])) : size;
    }
    return size;
}

static double largest_size(const struct balance *balance)
{
    double largest = 0.0;
    for (int j = 0; j < balance->n_joints; j++) {
        for (int a = 0; a < balance->joints[j]->n_axes; a++) {
            largest = fmax(largest, axis_size(balance->joints[j], a));
        }
    }
    return largest;
}

/* What decides about a joint's offset: as the balance has it, or the integration. */
static enum masing_offset offset_of(const struct comparison *comparison,
                                    const struct integrated *integrated, int j)
{
    bool is_stuck = comparison->curve->balance->joints[j]->slip_share == 0.0;
    bool is_neutral = integrated->offsets[j] == MASING_OFFSET_NEUTRAL;
    return is_stuck     ? MASING_OFFSET_STUCK
           : is_neutral ? MASING_OFFSET_NEUTRAL
                        : MASING_OFFSET_DECIDED;
}

/* The joint that sticks, or may stand anywhere, and whose mean differs most, in parts of its
 * motion. */
static bool is_displaced(const struct comparison *comparison, struct integrated *integrated)
{
    const struct balance *balance = comparison->curve->balance;
    const double *means = integrated->motion->axis_mean;
    double largest = DISPLACED, still = STILL * largest_size(balance);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        enum masing_offset offset = offset_of(comparison, integrated, j);
        for (int a = 0; offset != MASING_OFFSET_DECIDED && a < response->n_axes; a++) {
            int axis = response->joint->first_axis + a;
            double size = fmax(axis_size(response, a), still);
            double before = comparison->balance->axis_mean[axis];
            double moved = fabs(means[axis] - before);
            if (size > 0.0 && moved > largest * size) {
                largest = moved / size;
                integrated->displaced = response->joint;
                integrated->displaced_by = offset;
                integrated->mean_hb = fabs(before) > NOISE * size ? before : 0.0;
                integrated->mean_ti = means[axis];
            }
        }
    }
    return integrated->displaced != NULL;
}

static double relative_difference(const struct compared_motion *balance, bool is_stuck,
                                  const struct integrated *integrated)
{
    int k = is_stuck ? compared_motion_largest(balance, 0) : -1;
    if (k < 0) {
        return integrated->differences->max[0];
    }
    double hb = compared_motion_wave(balance, 0, k);
    double ti = compared_motion_wave(integrated->motion, 0, k);
    return hb == ti ? 0.0 : fabs(hb - ti) / fabs(ti);
}

enum masing_status comparison_judge(struct comparison *comparison, size_t index, bool is_stuck,
                                    struct integrated *integrated)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = comparison->curve;
    double energy_in = curve->recovery->point.energy_in;
    integrated->displaced = NULL;
    integrated->point = -1;
    slider_offsets_shift(comparison->offsets, curve->balance, comparison->balance,
                         integrated->motion, integrated->offsets, integrated->shift);
    motion_differences_take(integrated->differences, comparison->balance, integrated->motion,
                            integrated->shift, energy_in);
    integrated->difference = relative_difference(comparison->balance, is_stuck, integrated);
    if (!integrated->is_steady) {
        integrated->settled = SETTLED_NOT;
        return MASING_OK;
    }
    if (integrated->order > 1) {
        integrated->settled = SETTLED_MULTIPLE;
        return MASING_OK;
    }
    double own = motion_differences_shape(integrated->differences), closest = INFINITY;
    integrated->settled = own <= ELSEWHERE ? SETTLED_SAME : SETTLED_OTHER;
    if (own > SAME) {
        int point = -1;
        TRY(look_elsewhere(comparison, index, integrated->motion, &closest, &point));
        if (closest < CLOSER * own && closest <= ELSEWHERE) {
            integrated->settled = SETTLED_POINT;
            integrated->point = point;
        }
        /* the point itself is what comes next */
        const double *y = kept_points_restore(&comparison->points, index, curve->balance);
        TRY(recovery_evaluate(curve->recovery, y, comparison->points.omega[index]));
    } else if (is_displaced(comparison, integrated)) {
        integrated->settled = SETTLED_OFFSET;
    }
    if (integrated->settled == SETTLED_SAME || integrated->settled == SETTLED_OFFSET) {
        integrated->point = (int)index;
    }
done:
    return status;
}

/* ---- in words ---- */

/* Others have many, or none that is one thing. */
static bool is_slider(const struct joint *joint)
{
    return joint->law->is_piecewise_linear;
}

static const char *describe(const struct integrated *integrated)
{
    return integrated->displaced_by == MASING_OFFSET_NEUTRAL
               ? "slips while nothing brings it back"
           : is_slider(integrated->displaced) ? "sticks"
                                              : "never slips as a whole";
}

static enum masing_status note_point(struct comparison *comparison, size_t index,
                                     const struct integrated *integrated, bool is_cold,
                                     struct masing_error *error)
{
    const char *output = comparison->model->spec.outputs[0].name;
    double hz = hertz(comparison->points.omega[index]);
    double found = integrated->motion->max[0], own = comparison->balance->max[0];
    if (!is_cold) {
        return warning_add(
            &comparison->warnings, error,
            "at %.6g Hz the integration left the solution at point %zu of the "
            "curve (%s_max %.4g), which is unstable then, and settled on that at "
            "point %d (%.4g)",
            hz, index, output, own, integrated->point, found);
    }
    if (comparison->warm.point == integrated->point) {
        return MASING_OK; /* that is where the point's own integration went */
    }
    return warning_add(
        &comparison->warnings, error,
        "at %.6g Hz, from rest, the integration settled on the solution at point "
        "%d of the curve (%s_max %.4g), not on that at point %zu (%.4g)",
        hz, integrated->point, output, found, index, own);
}

enum masing_status comparison_note(struct comparison *comparison, size_t index,
                                   const struct integrated *integrated, bool is_cold,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double hz = hertz(comparison->points.omega[index]);
    const char *from = is_cold ? ", from rest" : "";
    struct warning_list *warnings = &comparison->warnings;
    double apart = fmax(integrated->difference, integrated->differences->max[0]);
    switch (integrated->settled) {
    case SETTLED_NOT:
        TRY(warning_add(warnings, error, "at %.6g Hz%s: %s", hz, from, comparison->failure));
        break;
    case SETTLED_POINT:
        TRY(note_point(comparison, index, integrated, is_cold, error));
        break;
    case SETTLED_OFFSET:
        TRY(warning_add(warnings, error,
                        "at %.6g Hz%s, %s joint '%s', which %s, stands elsewhere in time: mean "
                        "displacement %.4g m by balance, %.4g m in time",
                        hz, from,
                        is_slider(integrated->displaced) ? "the slider of" : "what slips in",
                        integrated->displaced->name, describe(integrated), integrated->mean_hb,
                        integrated->mean_ti));
        break;
    case SETTLED_MULTIPLE:
        TRY(warning_add(
            warnings, error,
            "at %.6g Hz%s, the integration settled on a motion that repeats after %d "
            "periods of the load: sub-harmonic, which the balance does not contain",
            hz, from, integrated->order));
        break;
    case SETTLED_OTHER:
        TRY(warning_add(
            warnings, error,
            "at %.6g Hz%s, the integration settled on a motion that no point of the "
            "curve has (harmonics differ by %.2g %% of the largest): unstable, or too "
            "few harmonics or samples",
            hz, from, 100.0 * motion_differences_shape(integrated->differences)));
        break;
    default:
        if (apart > SAME) {
            TRY(warning_add(
                warnings, error,
                "at %.6g Hz%s, the two differ by %.2g %%: too few harmonics, samples "
                "or steps per cycle, or an unstable solution that the integration "
                "left",
                hz, from, 100.0 * apart));
        }
    }
done:
    return status;
}
