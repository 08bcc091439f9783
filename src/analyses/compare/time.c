/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "analyses/integrate/resolution.h"
#include "base/check.h"
#include "base/processor_time.h"
#include "harmonic/recovery/modal_motion.h"
#include "transient/periodic/offsets.h"
#include "transient/periodic/periodic.h"
#include "transient/record.h"
#include "transient/reduction.h"
#include "transient/periodic/settle.h"
#include "transient/start.h"

/* Ends an integration that a user wants to end. */
static bool is_over(void *context)
{
    struct comparison *comparison = context;
    const struct masing_progress *progress = comparison->options->progress;
    comparison->is_cancelled =
        comparison->is_cancelled ||
        (progress && progress->is_cancelled && progress->is_cancelled(progress->context));
    return comparison->is_cancelled;
}

static bool is_over_after(void *context, int cycles, double distance)
{
    (void)cycles;
    (void)distance;
    return is_over(context);
}

static enum masing_status start_on_balance(struct comparison *comparison,
                                           const struct reduction *reduction,
                                           struct integrator *integrator, const double *y,
                                           double omega, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    TRY(modal_motion(balance, y, omega, comparison->modal, error));
    TRY(reduction_coordinates(reduction, (size_t)balance->n_coefficients, comparison->modal,
                              error));
    memcpy(comparison->axes, y,
           (size_t)balance->n_coefficients * (size_t)balance->n_axes * sizeof(double));
    const struct start_motion motion = {
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .modal = comparison->modal,
        .axes = comparison->axes,
        .origin = balance->origin,
    };
    TRY(start_on_motion(integrator, &motion, error));
done:
    return status;
}

/* Until the motion is periodic, then the periods more after which it repeats. */
static enum masing_status
settle_and_record(struct comparison *comparison, struct integrator *integrator,
                  struct record *record, struct integrated *integrated,
                  struct settle_result *settled, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_integration_settings *settings = &integrator->model->spec.integration;
    const struct settle_observer observer = {
        .context = comparison, .period = is_over_after, .is_over = is_over};
    TRY(periodic_run(integrator, settings->tolerance, settings->cycles - 1, &observer, settled,
                     error));
    TRY(record_begin(record, integrator));
    record->n_periods = settled->is_steady ? settled->order : 1;
    TRY(compared_motion_begin(integrated->motion, integrator, record->n_periods,
                              comparison->loops && integrated == &comparison->warm, error));
    for (int i = 0; i < record->n_periods * integrator->n_steps; i++) {
        if (settle_is_over(&observer, i)) {
            goto done;
        }
        TRY(integrator_step(integrator));
        record_step(record, integrator);
        compared_motion_step(integrated->motion, record, integrator);
    }
    compared_motion_finish(integrated->motion, record, integrator);
    if (settled->is_steady) {
        TRY(offsets_find(integrator, settled->order, integrated->offsets, error));
    }
done:
    return status;
}

static void note_failure(struct comparison *comparison, enum masing_status failure,
                         const struct settle_result *settled, double tolerance)
{
    if (failure != MASING_OK) {
        snprintf(comparison->failure, sizeof comparison->failure,
                 "the integration failed in cycle %d (%s)", settled->cycles + 1,
                 masing_status_name(failure));
    } else if (!settled->is_steady) {
        settle_describe(settled, settled->cycles + 1, tolerance, comparison->failure,
                        sizeof comparison->failure);
    }
}

enum masing_status comparison_integrate(struct comparison *comparison,
                                        const struct masing_model *model, const double *y,
                                        double omega, struct integrated *integrated,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct integrator *integrator = NULL;
    struct record *record = NULL;
    struct settle_result settled = {0};
    struct reduction reduction = {0};
    double began = processor_time();
    TRY(reduction_create(model, omega, &reduction, error));
    TRY(integrator_create(reduction.model, omega, model->spec.integration.steps_per_cycle,
                          &integrator, error));
    TRY(record_create(integrator, &record, error));
    if (comparison->summary->n_points == 0 && y) {
        TRY(resolution_warn(integrator, &comparison->warnings, error));
    }
    status = y ? start_on_balance(comparison, &reduction, integrator, y, omega, error)
               : start_at_rest(integrator, error);
    if (status == MASING_OK) {
        status = settle_and_record(comparison, integrator, record, integrated, &settled, error);
    }
    status = comparison->is_cancelled ? MASING_STOPPED : status;
    if (status < 0 || status == MASING_STOPPED) {
        goto done;
    }
    note_failure(comparison, status, &settled,
                 periodic_tolerance(integrator, model->spec.integration.tolerance));
    integrated->is_steady = status == MASING_OK && settled.is_steady;
    integrated->order = integrated->is_steady ? settled.order : 0;
    if (!integrated->is_steady) {
        compared_motion_void(integrated->motion);
    }
    integrated->cycles = settled.cycles + record->n_periods;
    integrated->seconds = processor_time() - began;
    status = MASING_OK;
done:
    record_destroy(record);
    integrator_destroy(integrator);
    reduction_clear(&reduction);
    return status;
}
