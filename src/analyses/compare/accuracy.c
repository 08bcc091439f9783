/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each method is worth: the error of the first output's largest harmonic, of the balance
 * against one with about twice the harmonics and samples, of the integration against one with
 * twice the steps. Then the integration with the steps that make it as accurate as the balance.
 */
#include <math.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "base/check.h"

/* Steps per cycle are chosen within these. */
static const double FEWEST = 32.0, MOST = 65536.0;
/* Of a tolerance, where steps are made to one. */
static const double FINER = 0.1, FINEST = 1e-13;

/* Index of a harmonic's cosine coefficient; -1: there is none. */
static int position_of(const struct basis *basis, int harmonic)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == harmonic) {
            return basis->position[k];
        }
    }
    return -1;
}

/* The largest one of the first output; -1: there is none. */
static int main_harmonic(const struct comparison *comparison)
{
    int k = compared_motion_largest(comparison->balance, 0);
    return k >= 0 ? comparison->balance->basis->harmonics[k] : -1;
}

/* Distance of the complex amplitudes a and b, relative to b. */
static double distance(const double a[2], const double b[2])
{
    double size = hypot(b[0], b[1]), apart = hypot(a[0] - b[0], a[1] - b[1]);
    return apart == 0.0 ? 0.0 : apart / size;
}

static enum masing_status solve_finer(struct comparison *comparison, size_t index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    struct point_solver *coarse = NULL;
    struct masing_error reason = {0};
    if (!comparison->refinement) {
        status = refinement_create(comparison->model, 0, &comparison->refinement, &reason);
        if (status < 0) {
            masing_error_set(error, status, "%s", reason.message);
        }
        TRY(status);
    }
    struct refinement *refinement = comparison->refinement;
    TRY(balance_solver_create(balance, comparison->model->spec.solver.tolerance, &coarse,
                              error));
    const double *y = kept_points_restore(&comparison->points, index, balance);
    memcpy(coarse->point, y, sizeof(double) * (size_t)coarse->n);
    coarse->point[coarse->n] = comparison->points.omega[index];
    refinement_start(refinement, coarse);
    point_solver_hold(refinement->solver);
    TRY(point_solver_solve(refinement->solver, 0.0));
    TRY(recovery_evaluate(refinement->recovery, refinement->solver->point,
                          comparison->points.omega[index]));
done:
    point_solver_destroy(coarse);
    return status;
}

/* NAN where more harmonics find nothing there. */
static enum masing_status find_balance_error(struct comparison *comparison, size_t index,
                                             struct masing_error *error)
{
    int harmonic = main_harmonic(comparison);
    int at = position_of(comparison->balance->basis, harmonic);
    comparison->accuracies.hb = NAN;
    enum masing_status status =
        at >= 0 ? solve_finer(comparison, index, error) : MASING_STOPPED;
    if (status == MASING_OK) {
        const struct refinement *finer = comparison->refinement;
        int finer_at = position_of(finer->balance->basis, harmonic);
        comparison->accuracies.hb = distance(comparison->balance->coefficients + at,
                                             finer->recovery->point.coefficients + finer_at);
    }
    return status < 0 ? status : MASING_OK;
}

static enum masing_status integrate_again(struct comparison *comparison,
                                          const struct masing_model *model, size_t index,
                                          struct masing_error *error)
{
    const double *y =
        kept_points_restore(&comparison->points, index, comparison->curve->balance);
    return comparison_integrate(comparison, model, y, comparison->points.omega[index],
                                &comparison->finer, error);
}

/* Rules are of second order: the difference is three quarters of the error. */
static enum masing_status find_integration_error(struct comparison *comparison, size_t index,
                                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_model finer = *comparison->model;
    bool has_order = stepper_type(finer.spec.integration.method)->has_step_error;
    int at = position_of(comparison->balance->basis, main_harmonic(comparison));
    finer.spec.integration.steps_per_cycle *= 2;
    finer.spec.integration.accuracy = fmax(FINER * finer.spec.integration.accuracy, FINEST);
    TRY(integrate_again(comparison, &finer, index, error));
    if (at >= 0 && comparison->finer.is_steady) {
        comparison->accuracies.ti = (has_order ? 4.0 / 3.0 : 1.0) *
                                    distance(comparison->warm.motion->coefficients + at,
                                             comparison->finer.motion->coefficients + at);
    }
done:
    return status;
}

/* What is settled to a tolerance is not compared more closely than that. */
static enum masing_status integrate_equally(struct comparison *comparison, size_t index,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct accuracies *accuracies = &comparison->accuracies;
    struct masing_model equal = *comparison->model;
    struct masing_integration_settings *settings = &equal.spec.integration;
    double wanted = fmax(accuracies->hb, settings->tolerance);
    double steps = ceil(settings->steps_per_cycle * sqrt(accuracies->ti / wanted));
    if (!stepper_type(settings->method)->has_step_error || !isfinite(steps)) {
        return MASING_OK;
    }
    settings->steps_per_cycle = (int)fmin(fmax(steps, FEWEST), MOST);
    TRY(integrate_again(comparison, &equal, index, error));
    if (comparison->finer.is_steady) {
        accuracies->steps = settings->steps_per_cycle;
        accuracies->seconds = comparison->finer.seconds;
    }
done:
    return status;
}

enum masing_status comparison_find_accuracies(struct comparison *comparison, size_t index,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    enum settled settled = comparison->warm.settled;
    comparison->accuracies = (struct accuracies){NAN, NAN, NAN, NAN};
    if (settled != SETTLED_SAME && settled != SETTLED_OFFSET) {
        return MASING_OK;
    }
    TRY(find_balance_error(comparison, index, error));
    TRY(find_integration_error(comparison, index, error));
    TRY(integrate_equally(comparison, index, error));
done:
    return status;
}
