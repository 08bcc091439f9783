/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "transient/start.h"

/* How often progress is reported and Ctrl-C asked for. */
enum { STEPS_PER_REPORT = 1000 };

enum masing_status ringdown_motion_create(const struct ringdown_plan *plan,
                                          struct ringdown_motion **created,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct ringdown_motion *motion = memory_array(1, sizeof *motion);
    TRY_ALLOCATED(motion);
    motion->plan = plan;
    motion->n_samples = plan->n_steps - plan->n_impulse + 1;
    motion->start = plan->n_impulse * plan->step;
    motion->progress_to = 1.0;
    TRY(integrator_create_unloaded(plan->model, plan->step, plan->impulse, &motion->integrator,
                                   error));
    motion->velocity = memory_array((size_t)plan->n_modes * (size_t)motion->n_samples,
                                    sizeof *motion->velocity);
    TRY_ALLOCATED(motion->velocity);
done:
    if (status != MASING_OK) {
        ringdown_motion_destroy(motion);
        motion = NULL;
    }
    *created = motion;
    return status;
}

void ringdown_motion_destroy(struct ringdown_motion *motion)
{
    if (motion) {
        integrator_destroy(motion->integrator);
        free(motion->velocity);
        free(motion);
    }
}

static void take_velocities(struct ringdown_motion *motion)
{
    const struct ringdown_plan *plan = motion->plan;
    size_t n = (size_t)plan->modes->n;
    for (int i = 0; i < plan->n_modes; i++) {
        const double *shape = plan->filter + (size_t)i * n;
        double velocity = 0.0;
        for (size_t k = 0; k < n; k++) {
            velocity += shape[k] * motion->integrator->modal->v[k];
        }
        motion->velocity[(size_t)i * (size_t)motion->n_samples + (size_t)motion->n_done] =
            velocity;
    }
    motion->n_done++;
}

static bool is_cancelled(const struct ringdown_motion *motion, int step)
{
    const struct masing_progress *progress = motion->progress;
    double share = (double)step / motion->plan->n_steps;
    if (!progress || step % STEPS_PER_REPORT != 0) {
        return false;
    }
    if (progress->report) {
        progress->report(progress->context,
                         motion->progress_from +
                             share * (motion->progress_to - motion->progress_from),
                         step);
    }
    return progress->is_cancelled && progress->is_cancelled(progress->context);
}

static enum masing_status begin(struct ringdown_motion *motion, double amplitude,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ringdown_plan *plan = motion->plan;
    motion->n_done = 0;
    for (int k = 0; plan->n_impulse > 0 && k < plan->modes->n; k++) {
        motion->integrator->forcing->sine[k] = amplitude * plan->force[k];
    }
    status = start_at_rest(motion->integrator, error);
    if (status == MASING_OK && plan->q) {
        status = integrator_displace(motion->integrator, plan->q, plan->v);
    }
    if (status > 0) {
        status = masing_error_set(error, MASING_STOPPED,
                                  "the joints have no force in the initial state (%s)",
                                  masing_status_name(status));
    }
    TRY(status);
    if (motion->history) {
        TRY(history_open(motion->history, error));
        TRY(history_write(motion->history, motion->integrator, error));
    }
    if (plan->n_impulse == 0) {
        take_velocities(motion);
    }
done:
    return status;
}

/* One step; within the last one of the impulse its half sine ends. */
static enum masing_status make_step(struct ringdown_motion *motion, int step)
{
    enum masing_status status = MASING_OK;
    const struct ringdown_plan *plan = motion->plan;
    if (step == plan->n_impulse) {
        TRY(integrator_end_force(motion->integrator, PI / plan->impulse));
    }
    TRY(integrator_step(motion->integrator));
done:
    return status;
}

static enum masing_status explain(const struct ringdown_motion *motion,
                                  enum masing_status failure, struct masing_error *error)
{
    return masing_error_set(
        error, MASING_STOPPED, "stopped at time %g s: %s", integrator_time(motion->integrator),
        failure == MASING_NOT_FINITE
            ? "the motion is not finite any more; is the structure unstable?"
            : "the joints' equations have no solution that was found: a smaller "
              "ringdown.step may help");
}

enum masing_status ringdown_motion_run(struct ringdown_motion *motion, double amplitude,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ringdown_plan *plan = motion->plan;
    TRY(begin(motion, amplitude, error));
    for (int i = 1; i <= plan->n_steps; i++) {
        status = make_step(motion, i);
        if (status > 0) {
            status = explain(motion, status, error);
        }
        TRY(status);
        if (i >= plan->n_impulse) {
            take_velocities(motion);
        }
        if (motion->history) {
            TRY(history_write(motion->history, motion->integrator, error));
        }
        if (is_cancelled(motion, i)) {
            TRY(masing_error_set(error, MASING_STOPPED, "interrupted"));
        }
    }
done:
    return status;
}
