/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/integrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/energy_limits.h"
#include "analyses/integrate/history.h"
#include "analyses/integrate/resolution.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/entry.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "linalg/one_thread.h"
#include "model/cyclic.h"
#include "model/unroll.h"
#include "model/message.h"
#include "transient/periodic/periodic.h"
#include "transient/record.h"
#include "transient/reduction.h"
#include "transient/start.h"

/* Seconds in which what is under way may be completed after an interruption. */
static const double GRACE_SECONDS = 0.25;

/* One integration on its way. */
struct run {
    const struct masing_model *model;
    const struct masing_integrate_options *options;
    struct reduction reduction;
    struct integrator *integrator;
    struct record *record;
    struct history *history;
    struct periodic_result settled;
    bool is_interrupted, is_cut; /* by the user; within the last period */
    double over_at;              /* elapsed time at which an interrupted run ends */
    struct energy_limits *energy_limits;
    double *largest; /* [n_axes] |x| over the last period, from the sliders' origins */
    struct masing_integrate_summary *summary;
    struct warning_list warnings; /* of the summary */
};

void masing_integrate_summary_clear(struct masing_integrate_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        free(summary->outputs);
        free(summary->offsets);
        entry_zero(summary, sizeof *summary);
    }
}

static enum masing_status reset_summary(const struct masing_model *model,
                                        struct masing_integrate_summary *summary,
                                        struct masing_error *error)
{
    memset(summary, 0, sizeof *summary);
    summary->distance = summary->energy_in = summary->energy_lost = summary->energy_joints =
        summary->largest_multiplier = NAN;
    int n_outputs = model->spec.n_outputs;
    summary->outputs = memory_array((size_t)n_outputs, sizeof *summary->outputs);
    NEED_ALLOCATED(summary->outputs);
    summary->n_outputs = n_outputs;
    summary->offsets = memory_array((size_t)model->spec.n_joints, sizeof *summary->offsets);
    NEED_ALLOCATED(summary->offsets);
    summary->n_joints = model->spec.n_joints;
    for (int i = 0; i < n_outputs; i++) {
        summary->outputs[i] = (struct masing_output_measures){NAN, NAN, NAN, NAN, NAN};
    }
    return MASING_OK;
}

static bool is_interrupted(struct run *run)
{
    const struct masing_progress *progress = run->options->progress;
    if (!run->is_interrupted && progress_is_cancelled(progress)) {
        run->is_interrupted = true;
        run->over_at = elapsed_time() + GRACE_SECONDS;
    }
    return run->is_interrupted;
}

/* Within a period, which is completed if that does not take long. */
static bool is_over(void *context)
{
    struct run *run = context;
    return is_interrupted(run) && elapsed_time() >= run->over_at;
}

/* The distance shrinks by a factor per period: its logarithm shows how much is done. */
static bool report_period(void *context, int cycles, double distance)
{
    struct run *run = context;
    const struct masing_progress *progress = run->options->progress;
    double done = log(distance) / log(run->model->spec.integration.tolerance);
    if (progress && progress->report) {
        progress->report(progress->context, done > 0.0 ? fmin(done, 1.0) : 0.0, cycles);
    }
    return is_interrupted(run);
}

static enum masing_status write_step(void *context, const struct integrator *integrator,
                                     struct masing_error *error)
{
    return history_write(((const struct run *)context)->history, integrator, error);
}

/* Make the steps of one period and take its measures. Rows: those of the whole history go on
 * with this period's; else this period is all there is, its end left out. */
static enum masing_status record_period(struct run *run, struct masing_error *error)
{
    const struct periodic_observer observer = {.context = run, .is_over = is_over};
    bool all = run->options->all_history;
    bool is_from_static = run->model->spec.start == MASING_START_STATIC;
    NEED(record_begin(run->record, run->integrator));
    NEED(history_open(run->history, error));
    run->record->n_periods = run->settled.is_steady ? run->settled.order : 1;
    for (int i = 0; i < run->record->n_periods * run->integrator->n_steps; i++) {
        if (periodic_is_over(&observer, i)) {
            run->is_cut = true;
            break;
        }
        if (!all) {
            NEED(history_write(run->history, run->integrator, error));
        }
        NEED(integrator_step(run->integrator));
        record_step(run->record, run->integrator);
        for (int a = 0; a < run->model->n_axes; a++) {
            double origin = is_from_static ? run->model->static_displacement[a] : 0.0;
            run->largest[a] =
                fmax(run->largest[a], fabs(run->integrator->joints->x[a] - origin));
        }
        energy_limits_note_instant(run->energy_limits, hertz(run->integrator->omega),
                                   run->integrator->joints->x);
        if (all) {
            NEED(history_write(run->history, run->integrator, error));
        }
    }
    return MASING_OK;
}

static void summarise(struct run *run)
{
    struct masing_integrate_summary *summary = run->summary;
    const struct record *record = run->record;
    for (int i = 0; i < summary->n_outputs; i++) {
        const struct record_output *output = &record->outputs[i];
        summary->outputs[i] = (struct masing_output_measures){
            .max = record_max(output),
            .amp = record_amp(output),
            .mean = output->mean,
            .h1 = record_h1(output),
            .h1_phase = atan2(-output->sine, output->cosine),
        };
    }
    double part = 1.0 / record->n_periods;
    summary->energy_in = part * record->work.loads;
    summary->energy_joints = part * record->work.joints;
    summary->energy_lost = part * (record->work.joints + record->work.damping);
    summary->is_steady = run->settled.is_steady;
}

/* Sizes over the last period; what a joint loses there is known of all joints together. */
static enum masing_status warn_energy(const struct run *run, struct masing_error *error)
{
    double hz = hertz(run->integrator->omega);
    for (int i = 0; i < run->energy_limits->n; i++) {
        struct energy_limit *limit = &run->energy_limits->entries[i];
        const struct joint *joint = &run->model->joints[limit->joint];
        double size = 0.0;
        for (int a = 0; a < joint->n_axes; a++) {
            size = fmax(size, run->largest[joint->first_axis + a]);
        }
        energy_limit_note(limit, hz, size, NAN, NAN);
    }
    return energy_limits_warn(run->energy_limits, "Hz", &run->warnings, error);
}

static enum masing_status settle(struct run *run, double tolerance, int cycles,
                                 struct masing_error *error)
{
    struct periodic_observer observer = {
        .context = run, .period = report_period, .is_over = is_over};
    if (run->options->all_history) {
        observer.step = write_step;
    }
    return periodic_run(run->integrator, tolerance, cycles, false, &observer, &run->settled,
                        error);
}

/* At rest, or where `initial` says beside that. */
static enum masing_status start(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_initial_state *initial = &run->model->spec.initial;
    const struct structure *shapes = run->integrator->model->structure;
    size_t n = (size_t)shapes->n_modes;
    double *state = NULL;
    TRY(start_at_rest(run->integrator, error));
    if (initial->displacements.n_terms > 0 || initial->velocities.n_terms > 0) {
        TRY_ALLOCATED(state = memory_array(2 * n, sizeof *state));
        TRY(start_project(run->model->structure, shapes, &initial->displacements, state,
                          error));
        TRY(start_project(run->model->structure, shapes, &initial->velocities, state + n,
                          error));
        status = integrator_displace(run->integrator, state, state + n);
    }
done:
    free(state);
    return status;
}

/* A period could not be completed. Where no history was written, repeat the complete periods,
 * which gives the same numbers again, and write rows up to the failure. */
static enum masing_status show_failure(struct run *run, enum masing_status failure,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double time = integrator_time(run->integrator);
    int cycle = run->settled.cycles + 1;
    const char *trouble = integrator_trouble(run->integrator, failure);
    if (!run->options->all_history && run->history->sink && !run->history->is_open) {
        int cycles = run->settled.cycles;
        TRY(start(run, error));
        status = settle(run, 0.0, cycles, error);
        if (status > 0) { /* what failed may have been another motion, that shooting tried */
            cycles = run->settled.cycles;
            TRY(start(run, error));
            status = settle(run, 0.0, cycles, error);
        }
        TRY(status);
        status = record_period(run, error);
        status = status > 0 ? MASING_OK : status;
        TRY(status);
    }
    status = masing_error_set(error, MASING_STOPPED, "stopped at time %g s, in cycle %d: %s",
                              time, cycle, trouble);
done:
    return status;
}

static enum masing_status explain_end(const struct run *run, struct masing_error *error)
{
    const struct periodic_result *settled = &run->settled;
    if (run->is_cut) {
        return masing_error_set(
            error, MASING_STOPPED,
            "interrupted in cycle %d, at time %g s: no whole period is given",
            run->summary->cycles + 1, integrator_time(run->integrator));
    }
    if (settled->is_cancelled) {
        return masing_error_set(error, MASING_STOPPED, "interrupted; the last period is given");
    }
    if (!settled->is_steady) {
        char text[MASING_MESSAGE_LENGTH];
        double tolerance = run->model->spec.integration.tolerance;
        periodic_describe(settled, run->summary->cycles,
                          periodic_tolerance(run->integrator, tolerance), text, sizeof text);
        return masing_error_set(error, MASING_STOPPED, "%s; the last period is given", text);
    }
    return MASING_OK;
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_integration_settings *settings = &run->model->spec.integration;
    status = start(run, error);
    if (status > 0) {
        status = masing_error_set(error, MASING_STOPPED,
                                  "the joints have no force in the static state (%s)",
                                  masing_status_name(status));
    }
    TRY(status);
    if (run->options->all_history) {
        TRY(history_open(run->history, error));
        TRY(history_write(run->history, run->integrator, error));
    }
    status = settle(run, settings->tolerance, settings->cycles - 1, error);
    if (status == MASING_OK) {
        const struct periodic_result *settled = &run->settled;
        struct masing_integrate_summary *summary = run->summary;
        summary->distance = settled->distance < PERIODIC_FAR ? settled->distance : NAN;
        summary->order = settled->is_steady ? settled->order : 0;
        summary->n_updates = settled->n_updates;
        summary->largest_multiplier = settled->largest_multiplier;
        for (int i = 0; i < settled->n_history && i < MASING_MAX_UPDATES; i++) {
            summary->updates[i] = settled->history[i];
        }
        status = record_period(run, error);
    }
    run->summary->cycles = run->settled.cycles +
                           (status == MASING_OK && !run->is_cut ? run->record->n_periods : 0);
    run->summary->steps = (long)run->summary->cycles * run->integrator->n_steps;
    if (status > 0) {
        status = show_failure(run, status, error);
        goto done;
    }
    TRY(status);
    if (!run->is_cut) {
        summarise(run);
        TRY(warn_energy(run, error));
        if (run->summary->is_steady) { /* what decides about offsets is of interest then */
            status = offsets_find(run->integrator, run->summary->order, run->summary->offsets,
                                  error);
            TRY(status > 0 ? MASING_OK : status);
        }
    }
    status = explain_end(run, error);
done:
    return status;
}

static enum masing_status create_integrator(struct run *run, double omega,
                                            struct masing_error *error)
{
    const struct masing_model *model = run->model;
    struct reduction *reduction = &run->reduction;
    struct masing_integrate_summary *summary = run->summary;
    NEED(integrator_check_size(model, error));
    NEED(reduction_create(model, omega, reduction, error));
    NEED(integrator_create(reduction->model, omega, model->spec.integration.steps_per_cycle,
                           &run->integrator, error));
    summary->n_structure_modes = model->structure->n_modes;
    summary->n_modes =
        reduction->is_reduced ? reduction->structure.n_near : model->structure->n_modes;
    summary->n_residual_modes = reduction->structure.n_residual;
    summary->modes_error = reduction->error;
    return MASING_OK;
}

static enum masing_status integrate(const struct masing_model *model, double frequency_hz,
                                    const struct masing_integrate_options *options,
                                    const struct masing_sink *rows,
                                    struct masing_integrate_summary *summary,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct run run = {
        .model = model,
        .options = options,
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings, NULL},
    };
    double began = processor_time();
    TRY(reset_summary(model, summary, error));
    TRY(model->n_axes == 0 ? model_need_outputs(&model->spec, error) : MASING_OK);
    if (options->all_history && model->spec.integration.steady == MASING_STEADY_SHOOTING) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "the whole history is that of marching, not of what shooting "
                             "tries: integration.steady: marching goes with it"));
    }
    TRY(create_integrator(&run, TWO_PI * frequency_hz, error));
    TRY(record_create(run.integrator, &run.record, error));
    TRY(history_create(model, rows, options->columns & MASING_COLUMNS_ENERGY, &run.history,
                       error));
    TRY(energy_limits_create(model, &run.energy_limits, error));
    TRY_ALLOCATED(run.largest = memory_array((size_t)model->n_axes, sizeof *run.largest));
    TRY(warnings_add_model(&run.warnings, model, error));
    TRY(resolution_warn(run.integrator, &run.warnings, error));
    status = run_all(&run, error);
    status = history_close(run.history, status, error);
done:
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    free(run.largest);
    energy_limits_destroy(run.energy_limits);
    history_destroy(run.history);
    integrator_destroy(run.integrator);
    reduction_clear(&run.reduction);
    return status;
}

/* Of a whole disk: the first joints are those of sector 0, energies those of a sector. */
static void take_sector(const struct masing_model *sector,
                        struct masing_integrate_summary *summary)
{
    int n = sector->cyclic->n_sectors;
    summary->n_joints /= n;
    summary->energy_in /= n;
    summary->energy_lost /= n;
    summary->energy_joints /= n;
}

enum masing_status masing_integrate(const struct masing_model *model, double frequency_hz,
                                    const struct masing_integrate_options *options,
                                    const struct masing_sink *rows,
                                    struct masing_integrate_summary *summary,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_integrate_options chosen;
    struct masing_integrate_summary found = {0};
    struct masing_model *whole = NULL; /* disk, of a sector */
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(speed_refuse(model, "time integration is", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_check(summary, "summary", error));
    TRY(model->cyclic ? unroll_model(model, &whole, error) : MASING_OK);
    status = integrate(whole ? whole : model, frequency_hz, &chosen, rows, &found, error);
    if (whole) {
        take_sector(model, &found);
    }
done:
    release_blas();
    masing_model_destroy(whole);
    if (!entry_write(summary, &found, sizeof found)) {
        masing_integrate_summary_clear(&found);
    }
    return status;
}
