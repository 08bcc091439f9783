/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/settle.h"

#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "transient/periodic/steady.h"

/* How often in a period the speed is looked at. */
enum { SAMPLES_PER_PERIOD = 64 };

static enum masing_status run_period(struct integrator *integrator, struct steady *steady,
                                     const struct settle_observer *observer, bool *is_cancelled,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int stride = integrator->n_steps / SAMPLES_PER_PERIOD + 1;
    for (int i = 0; i < integrator->n_steps; i++) {
        if (settle_is_over(observer, i)) {
            *is_cancelled = true;
            break;
        }
        TRY(integrator_step(integrator));
        if (i % stride == 0) {
            steady_sample(steady, integrator);
        }
        if (observer->step) {
            TRY(observer->step(observer->context, integrator, error));
        }
    }
done:
    return status;
}

enum masing_status settle_run(struct integrator *integrator, double tolerance, int max_cycles,
                              const struct settle_observer *observer,
                              struct settle_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct steady *steady = NULL;
    *result = (struct settle_result){.distance = NAN, .largest_multiplier = NAN};
    TRY(steady_create(integrator, tolerance, &steady, error));
    steady_begin(steady, integrator);
    while (!result->is_steady && !result->is_cancelled && result->cycles < max_cycles) {
        TRY(run_period(integrator, steady, observer, &result->is_cancelled, error));
        if (result->is_cancelled) {
            break;
        }
        bool is_periodic = steady_end(steady, integrator);
        result->cycles++;
        result->distance = steady->distance;
        result->most_order = steady_most_order(steady);
        result->is_steady = is_periodic && tolerance > 0.0;
        result->order = result->is_steady ? steady->order : 0;
        result->is_cancelled =
            observer->period &&
            observer->period(observer->context, result->cycles, result->distance);
    }
done:
    steady_destroy(steady);
    return status;
}

void settle_describe(const struct settle_result *result, int cycles, double tolerance,
                     char *text, size_t size)
{
    char distance[96] = "", orders[64] = "";
    if (result->distance < SETTLE_FAR) {
        snprintf(distance, sizeof distance,
                 ": still about %.2g from it (integration.tolerance is %g)", result->distance,
                 tolerance);
    } else if (result->cycles > 1) {
        snprintf(distance, sizeof distance, ": still far from one");
    }
    if (result->most_order == 2) {
        snprintf(orders, sizeof orders, ", and nothing that repeats after 2 of them");
    } else if (result->most_order > 2) {
        snprintf(orders, sizeof orders, ", and nothing that repeats after 2 to %d of them",
                 result->most_order);
    }
    snprintf(text, size, "no steady state within %d cycle%s%s%s", cycles,
             cycles == 1 ? "" : "s", distance, orders);
}
