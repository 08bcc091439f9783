/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic.h"

#include <math.h>

#include "base/check.h"
#include "transient/shooting.h"

/* What steps to a tolerance are in doubt by over a period, in parts of that tolerance: two
 * periods never agree better. */
static const double NOISE = 100.0, ROUND_OFF = 1e-15;
/* A multiplier this far beyond 1 is unstable; how far beside such a motion another begins, and
 * how well it has to repeat before it is shot for. */
static const double UNSTABLE = 1e-4, BESIDE = 1e-3, ROUGH = 1e-3;

static enum masing_status shoot(struct integrator *integrator, int n_periods, double tolerance,
                                int max_cycles, const struct settle_observer *observer,
                                struct settle_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct shooting *shooting = NULL;
    TRY(shooting_create(integrator, n_periods, &shooting, error));
    status = shooting_run(shooting, tolerance, max_cycles, observer, result);
done:
    shooting_destroy(shooting);
    return status;
}

/* What was found is unstable: nobody would see it. Start beside it and see where the motion
 * goes, roughly by marching; then shoot for what repeats there, after several periods perhaps.
 */
static enum masing_status leave(struct integrator *integrator, double tolerance, int max_cycles,
                                const struct settle_observer *observer,
                                struct settle_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct settle_result marched;
    struct newmark *newmark = integrator->newmark;
    for (int k = 0; k < newmark->n_modes; k++) {
        newmark->v[k] *= 1.0 + BESIDE;
    }
    integrator_begin(integrator);
    TRY(settle_run(integrator, fmax(tolerance, ROUGH), max_cycles - result->cycles, observer,
                   &marched, error));
    result->cycles += marched.cycles;
    result->n_history = result->n_updates = 0;
    result->is_steady = false;
    result->is_cancelled = marched.is_cancelled;
    result->largest_multiplier = NAN;
    if (marched.is_steady) {
        TRY(shoot(integrator, marched.order, tolerance, max_cycles, observer, result, error));
    }
done:
    return status;
}

enum masing_status periodic_run(struct integrator *integrator, double tolerance, int max_cycles,
                                const struct settle_observer *observer,
                                struct settle_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_integration_settings *settings = &integrator->model->spec.integration;
    if (!integrator_has_rule(integrator) && tolerance > 0.0) {
        tolerance =
            fmax(tolerance, NOISE * (integrator->flow ? settings->accuracy : ROUND_OFF));
    }
    if (settings->steady == MASING_STEADY_MARCHING || observer->step || !(tolerance > 0.0)) {
        return settle_run(integrator, tolerance, max_cycles, observer, result, error);
    }
    *result = (struct settle_result){.distance = NAN, .largest_multiplier = NAN};
    TRY(shoot(integrator, 1, tolerance, max_cycles, observer, result, error));
    if (result->is_steady && result->largest_multiplier > 1.0 + UNSTABLE) {
        TRY(leave(integrator, tolerance, max_cycles, observer, result, error));
    }
done:
    return status;
}
