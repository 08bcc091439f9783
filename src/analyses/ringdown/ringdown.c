/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/ringdown.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/energy_limits.h"
#include "analyses/integrate/history.h"
#include "analyses/ringdown/decay_fit.h"
#include "analyses/ringdown/rows.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "model/cyclic.h"
#include "model/message.h"
#include "model/joints.h"
#include "transient/start.h"

/* All decays of one call: how they are started, integrated and evaluated. */
struct run {
    const struct masing_model *model; /* lent */
    const struct masing_ringdown_options *options;
    /* the model's settings with defaults resolved */
    struct stuck_modes *modes;
    int n_modes;    /* that are evaluated */
    int *numbers;   /* [n_modes] from 1 */
    double *filter; /* [n_modes][modes->n] shapes: q_r = shape . modal coordinates */
    bool *is_apart; /* [n_modes][all that vibrate] that never act on each other */
    int n_segments;
    double step;    /* s */
    int n_steps;    /* of the whole decay, the impulse included */
    int n_impulse;  /* steps until the force has ended, 0 without an impulse */
    double impulse; /* rad/s */
    double *force;  /* [modes->n] modal force of an impulse of unit amplitude */
    double *q, *v;  /* [modes->n] initial displacements and velocities; or NULL */
    /* the integration of one decay, and the modal velocities that come out of it */
    struct integrator *integrator;
    struct energy_limits *energy_limits;
    double *velocity;        /* [n_modes][n_samples] from the end of the impulse on */
    int n_samples;           /* room for them */
    int n_done;              /* that were integrated */
    int index, n_decays;     /* of the decay among all */
    struct history *history; /* a row per step of the first one; or NULL */
    /* what is found in them */
    struct decay_fit fit;
    struct modal_curve *curves; /* [n_modes] */
    struct ringdown_rows rows;
    struct masing_ringdown_summary *summary;
};

/* Defaults: time steps in a period of the fastest mode that is evaluated, periods of the
 * slowest, and how many modes; how many steps may be chosen by default. */
enum { STEPS_PER_PERIOD = 200, PERIODS = 300, FIRST_MODES = 3, MOST_CHOSEN_STEPS = 10000000 };

/* Nepers of the structure's own damping after which a mode has died out: rounding is at 36. */
static const double DIED_OUT = 25.0;

/* How far a frequency may be taken outside of the range of its mode, in parts of the range and
 * of the frequency: what other motions do to a decay. */
static const double RANGE_MARGIN = 0.1, FREQUENCY_MARGIN = 1e-3;

static const struct masing_ringdown_settings *settings_of(const struct run *run)
{
    return &run->model->spec.ringdown;
}

static int index_of(const struct run *run, int number)
{
    return run->modes->n_rigid + number - 1;
}

static double omega_of(const struct run *run, int number)
{
    return run->modes->omega[index_of(run, number)];
}

/* Those named, or that of the impulse, or the first ones. */
static enum masing_status choose_modes(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(run);
    const struct stuck_modes *modes = run->modes;
    bool has_shape = settings->start == MASING_DECAY_MODE;
    int count = stuck_modes_count(modes), first = count < FIRST_MODES ? count : FIRST_MODES;
    int n = settings->n_modes > 0 ? settings->n_modes : has_shape ? 1 : first;
    size_t width = (size_t)modes->n;
    run->numbers = memory_array((size_t)n, sizeof *run->numbers);
    run->filter = memory_array((size_t)n * width, sizeof *run->filter);
    run->is_apart = memory_array((size_t)n * (size_t)count, sizeof *run->is_apart);
    TRY_ALLOCATED(run->numbers && run->filter && run->is_apart);
    run->n_modes = n;
    for (int i = 0; i < n; i++) {
        int number = settings->n_modes > 0 ? settings->modes[i]
                     : has_shape           ? settings->mode
                                           : i + 1;
        TRY(stuck_modes_check(modes, run->model, number, settings->modes_place,
                              "ringdown.modes", error));
        int index = index_of(run, number);
        run->numbers[i] = number;
        memcpy(run->filter + (size_t)i * width, modes->shapes + (size_t)index * width,
               width * sizeof *run->filter);
        for (int k = 0; k < count; k++) {
            run->is_apart[(size_t)i * (size_t)count + (size_t)k] =
                stuck_modes_are_apart(modes, run->model, index, modes->n_rigid + k);
        }
    }
    if (n == 0) {
        status = masing_error_set(error, MASING_INVALID,
                                  "ringdown: the structure has no mode that vibrates");
    }
done:
    return status;
}

/* The mode of those evaluated that is fastest, joints stuck. */
static int fastest_mode(const struct run *run)
{
    int found = run->numbers[0];
    for (int i = 1; i < run->n_modes; i++) {
        found = omega_of(run, run->numbers[i]) > omega_of(run, found) ? run->numbers[i] : found;
    }
    return found;
}

/* Until a mode has died out, but so many periods at most, and enough for the segments; periods
 * of its slowest motion, joints free. */
static double default_length(const struct run *run, int number)
{
    int at = index_of(run, number);
    double stuck = run->modes->omega[at], free = run->modes->free[at];
    double period = TWO_PI / (free > 0.0 ? fmin(stuck, free) : stuck);
    double rate = stuck * stuck_modes_damping(run->modes, run->model, at);
    double shortest = DECAY_MIN_PERIODS * period * run->n_segments;
    return fmax(fmin(PERIODS * period, DIED_OUT / fmax(rate, DBL_MIN)), shortest);
}

static enum masing_status choose_steps(struct run *run, struct masing_error *error)
{
    const struct masing_ringdown_settings *settings = settings_of(run);
    double length = 0.0, steps = settings->steps;
    int longest = run->numbers[0];
    for (int i = 0; i < run->n_modes; i++) {
        double own = default_length(run, run->numbers[i]);
        longest = own > length ? run->numbers[i] : longest;
        length = fmax(length, own);
    }
    if (settings->steps == 0) {
        steps = run->n_impulse + ceil(length / run->step * (1.0 - DBL_EPSILON));
    }
    if (!(steps < (settings->steps > 0 ? INT_MAX / 2 : MOST_CHOSEN_STEPS))) {
        int fastest = fastest_mode(run);
        return model_refuse(
            &run->model->spec, settings->place, error,
            "ringdown: %.3g steps of %.3g s would be needed for mode %d at "
            "%.4g Hz (joints stuck), mode %d at %.4g Hz (free) and the impulse; "
            "give 'step' and 'steps' or look at fewer 'modes'",
            steps, run->step, fastest, omega_of(run, fastest) / TWO_PI, longest,
            run->modes->free[index_of(run, longest)] / TWO_PI);
    }
    run->n_steps = (int)steps;
    return MASING_OK;
}

static enum masing_status choose_step(struct run *run, struct masing_error *error)
{
    const struct masing_ringdown_settings *settings = settings_of(run);
    int number = fastest_mode(run);
    double period = TWO_PI / omega_of(run, number);
    run->n_segments = settings->segments > 0 ? settings->segments : DECAY_DEFAULT_SEGMENTS;
    run->step = settings->step > 0.0 ? settings->step : period / STEPS_PER_PERIOD;
    if (period < DECAY_MIN_SAMPLES * run->step) {
        return model_refuse(&run->model->spec, settings->place, error,
                            "ringdown.step: %g s, expected at most %.4g s: %d steps in a "
                            "period of mode %d",
                            run->step, period / DECAY_MIN_SAMPLES, DECAY_MIN_SAMPLES, number);
    }
    return MASING_OK;
}

/* Shortest record (s) that shows one of the modes: some periods in each segment. */
static double shortest_length(const struct run *run, int index)
{
    double period = TWO_PI / omega_of(run, run->numbers[index]);
    return DECAY_MIN_PERIODS * period * run->n_segments;
}

static enum masing_status check_length(const struct run *run, struct masing_error *error)
{
    double length = (run->n_steps - run->n_impulse) * run->step;
    for (int i = 0; i < run->n_modes; i++) {
        double shortest = shortest_length(run, i);
        if (length < shortest) {
            return model_refuse(
                &run->model->spec, settings_of(run)->place, error,
                "ringdown: %d segments of %.4g s have %.3g periods each of mode "
                "%d, expected at least %d: give more steps or fewer segments",
                run->n_segments, fmax(length, 0.0) / run->n_segments,
                fmax(length, 0.0) / shortest * DECAY_MIN_PERIODS, run->numbers[i],
                DECAY_MIN_PERIODS);
        }
    }
    return MASING_OK;
}

/* Mass times shape, in modal coordinates: the shape itself. */
static enum masing_status fill_shape(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(run);
    size_t n = (size_t)run->modes->n;
    double *shapes = memory_array(n * n, sizeof *shapes);
    TRY_ALLOCATED(shapes);
    TRY(stuck_modes_check(run->modes, run->model, settings->mode, settings->mode_place,
                          "ringdown.impulse.mode", error));
    if (settings->is_free_shape) {
        TRY(free_shapes(run->model, shapes, error));
    } else {
        memcpy(shapes, run->modes->shapes, n * n * sizeof *shapes);
    }
    memcpy(run->force, shapes + (size_t)index_of(run, settings->mode) * n,
           n * sizeof *run->force);
    run->impulse = omega_of(run, settings->mode);
done:
    free(shapes);
    return status;
}

static enum masing_status choose_start(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(run);
    const struct structure *structure = run->model->structure;
    switch (settings->start) {
    case MASING_DECAY_NONE:
        status = model_refuse(&run->model->spec, (struct masing_place){1, 1}, error,
                              "missing key 'ringdown', which tells how the decay begins, as in "
                              "'ringdown: {impulse: {mode: 1, amplitude: 10}}'");
        break;
    case MASING_DECAY_MODE:
        status = fill_shape(run, error);
        break;
    case MASING_DECAY_DOF:
        TRY(settings->hit.n_terms > 0
                ? MASING_OK
                : model_refuse(&run->model->spec, settings->place, error,
                               "ringdown.impulse: expected a DOF that is hit"));
        for (int k = 0; k < run->modes->n; k++) {
            const double *shape = structure->shapes + (size_t)k * (size_t)structure->n_dofs;
            for (int t = 0; t < settings->hit.n_terms; t++) {
                const struct masing_term *term = &settings->hit.terms[t];
                run->force[k] += term->weight * shape[term->dof];
            }
        }
        break;
    case MASING_DECAY_INITIAL:
        run->q = memory_array((size_t)run->modes->n, sizeof *run->q);
        run->v = memory_array((size_t)run->modes->n, sizeof *run->v);
        TRY_ALLOCATED(run->q && run->v);
        TRY(start_project(structure, structure, &settings->displacements, run->q, error));
        TRY(start_project(structure, structure, &settings->velocities, run->v, error));
        break;
    }
    if (settings->impulse_hz > 0.0) {
        run->impulse = TWO_PI * settings->impulse_hz;
    }
done:
    return status;
}

static enum masing_status check_impulse(struct run *run, struct masing_error *error)
{
    if (run->impulse == 0.0) {
        return MASING_OK;
    }
    double steps = 0.5 * TWO_PI / run->impulse / run->step;
    if (steps < DECAY_MIN_SAMPLES) {
        return model_refuse(&run->model->spec, settings_of(run)->place, error,
                            "ringdown.step: %g s, expected at most %.4g s: %d steps in the "
                            "half sine of the impulse",
                            run->step, steps * run->step / DECAY_MIN_SAMPLES,
                            DECAY_MIN_SAMPLES);
    }
    if (!(steps < INT_MAX / 4)) {
        return model_refuse(
            &run->model->spec, settings_of(run)->place, error,
            "ringdown.impulse.frequency: %g Hz, half a period of which has %.3g "
            "steps of %g s; expected fewer than %d",
            run->impulse / TWO_PI, steps, run->step, INT_MAX / 4);
    }
    run->n_impulse = (int)ceil(steps);
    return MASING_OK;
}

/* One of the modes that are evaluated among all. */
static struct decay_modes modes_of(const struct run *run, int index)
{
    const struct stuck_modes *modes = run->modes;
    int count = stuck_modes_count(modes);
    return (struct decay_modes){
        .n = count,
        .omega = modes->omega + modes->n_rigid,
        .other = modes->free + modes->n_rigid,
        .index = run->numbers[index] - 1,
        .is_apart = run->is_apart + (size_t)index * (size_t)count,
    };
}

/*
 * Frequencies (Hz) between which one of the modes stays, with a margin: those with the joints
 * free and stuck, where all joints have a concave backbone. False: it may go anywhere.
 */
static bool find_range(const struct run *run, int index, double range[2])
{
    int at = index_of(run, run->numbers[index]);
    double low = run->modes->free[at] / TWO_PI, high = run->modes->omega[at] / TWO_PI;
    double margin = RANGE_MARGIN * (high - low) + FREQUENCY_MARGIN * high;
    for (int j = 0; j < run->model->spec.n_joints; j++) {
        if (run->model->joints[j].law->family != &masing_family_masing) {
            return false;
        }
    }
    range[0] = low - margin;
    range[1] = high + margin;
    return run->model->spec.n_joints > 0;
}

/* ---- the time integration of a free decay ---- */

/* Steps between two reports of progress. */
enum { STEPS_PER_REPORT = 1000 };

static void take_velocities(struct run *run)
{
    size_t n = (size_t)run->modes->n;
    const double *v = integrator_modal(run->integrator)->v;
    for (int i = 0; i < run->n_modes; i++) {
        const double *shape = run->filter + (size_t)i * n;
        double velocity = 0.0;
        for (size_t k = 0; k < n; k++) {
            velocity += shape[k] * v[k];
        }
        run->velocity[(size_t)i * (size_t)run->n_samples + (size_t)run->n_done] = velocity;
    }
    run->n_done++;
}

/* Whether the user lets it go on. */
static enum masing_status go_on(const struct run *run, int step, struct masing_error *error)
{
    const struct masing_progress *progress = run->options->progress;
    if (progress && progress->report && step % STEPS_PER_REPORT == 0) {
        double share = (double)step / run->n_steps;
        progress->report(progress->context, (run->index + share) / run->n_decays, step);
    }
    return progress_check(progress, error);
}

static enum masing_status write_history(const struct run *run, struct masing_error *error)
{
    return run->history && run->index == 0 ? history_write(run->history, run->integrator, error)
                                           : MASING_OK;
}

static enum masing_status begin(struct run *run, double amplitude, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    run->n_done = 0;
    for (int k = 0; run->n_impulse > 0 && k < run->modes->n; k++) {
        run->integrator->forcing->sine[k] = amplitude * run->force[k];
    }
    status = start_at_rest(run->integrator, error);
    if (status == MASING_OK && run->q) {
        status = integrator_displace(run->integrator, run->q, run->v);
    }
    if (status > 0) {
        status = masing_error_set(error, MASING_STOPPED,
                                  "the joints have no force in the initial state (%s)",
                                  masing_status_name(status));
    }
    TRY(status);
    TRY(run->history ? history_open(run->history, error) : MASING_OK);
    TRY(write_history(run, error));
    if (run->n_impulse == 0) {
        take_velocities(run);
    }
done:
    return status;
}

/*
 * From rest through an impulse of this amplitude, or from the initial state, to the end.
 * MASING_STOPPED with a reason where it ends early: n_done velocities are there.
 */
static enum masing_status integrate(struct run *run, double amplitude,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(begin(run, amplitude, error));
    for (int i = 1; i <= run->n_steps; i++) {
        if (i == run->n_impulse) { /* within this step its half sine ends */
            status = integrator_end_force(run->integrator, PI / run->impulse);
        }
        status = status ? status : integrator_step(run->integrator);
        if (status > 0) {
            status = masing_error_set(error, MASING_STOPPED, "stopped at time %g s: %s",
                                      integrator_time(run->integrator),
                                      integrator_trouble(run->integrator, status));
        }
        TRY(status);
        energy_limits_note_instant(run->energy_limits, integrator_time(run->integrator),
                                   run->integrator->joints->x);
        if (i >= run->n_impulse) {
            take_velocities(run);
        }
        TRY(write_history(run, error));
        TRY(go_on(run, i, error));
    }
done:
    return status;
}

/* ---- a call ---- */

static enum masing_status follow_models(struct run *run, struct masing_error *error)
{
    const struct masing_ringdown_options *options = run->options;
    NEED_ALLOCATED(run->curves = memory_array((size_t)run->n_modes, sizeof *run->curves));
    for (int i = 0; i < options->n_modal_models; i++) {
        int number = options->modal_models[i].mode, at = 0;
        while (at < run->n_modes && run->numbers[at] != number) {
            at++;
        }
        if (at == run->n_modes || run->curves[at].n > 0) {
            return masing_error_set(
                error, MASING_INVALID, "a modal model of mode %d, which is %s", number,
                at == run->n_modes ? "not among the modes looked at" : "given twice");
        }
        NEED(modal_curve_create(options->modal_models[i].model, options->progress,
                                &run->curves[at], error));
    }
    run->rows.curves = run->curves;
    run->rows.has_curves = options->n_modal_models > 0;
    return MASING_OK;
}

/* The part of a decay that was integrated becomes rows, where it is long enough. */
static enum masing_status analyse(struct run *run, double impulse, struct masing_error *error)
{
    int n = run->n_done;
    double length = (double)(n - 1) * run->step;
    run->summary->steps += run->integrator->count;
    run->summary->duration = length;
    for (int i = 0; i < run->n_modes; i++) {
        struct decay_modes modes = modes_of(run, i);
        double range[2];
        bool is_known = find_range(run, i, range);
        if (length < shortest_length(run, i)) {
            continue; /* stopped early */
        }
        if (run->fit.n_samples != n) {
            decay_fit_clear(&run->fit);
            NEED(decay_fit_create(n, run->step, run->n_segments, &run->fit, error));
        }
        const struct decay_found found = {.fit = &run->fit,
                                          .start = run->n_impulse * run->step,
                                          .impulse = impulse,
                                          .range = is_known ? range : NULL};
        decay_fit_run(&run->fit, run->velocity + (size_t)i * (size_t)run->n_samples, &modes);
        NEED(ringdown_rows_put(&run->rows, i, &found, error));
    }
    return MASING_OK;
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    const struct masing_ringdown_options *options = run->options;
    run->n_decays = options->n_amplitudes > 0 ? options->n_amplitudes : 1;
    for (run->index = 0; run->index < run->n_decays; run->index++) {
        double amplitude = options->n_amplitudes > 0 ? options->amplitudes[run->index]
                                                     : settings_of(run)->amplitude;
        enum masing_status ended = integrate(run, amplitude, error);
        if (ended != MASING_OK && ended != MASING_STOPPED) {
            return ended;
        }
        NEED(analyse(run, amplitude, error));
        NEED(ended);
    }
    return MASING_OK;
}

/* Settings of the model that do not apply to a decay. */
static enum masing_status warn_settings(const struct run *run, struct masing_error *error)
{
    const struct masing_integration_settings *settings = &run->model->spec.integration;
    if (settings->method == MASING_INTEGRATION_HHT) {
        NEED(warning_add(&run->rows.warnings, error,
                         "integration.method: hht: decays are integrated without numerical "
                         "damping, which would be taken for the structure's"));
    }
    if (settings->modes == MASING_MODES_FEWER) {
        NEED(warning_add(&run->rows.warnings, error,
                         "integration.modes: fewer: decays are integrated with all modes"));
    }
    return MASING_OK;
}

static enum masing_status prepare(struct run *run, const struct masing_sink *sink,
                                  struct masing_error *error)
{
    const struct masing_ringdown_options *options = run->options;
    if (options->n_amplitudes > 0 && settings_of(run)->start == MASING_DECAY_INITIAL) {
        return masing_error_set(error, MASING_INVALID,
                                "amplitudes of an impulse are given, but the model's ringdown "
                                "begins with an initial state");
    }
    for (int i = 0; i < options->n_amplitudes; i++) {
        if (!isfinite(options->amplitudes[i])) {
            return masing_error_set(error, MASING_INVALID,
                                    "amplitude %g of the impulse: expected a finite number",
                                    options->amplitudes[i]);
        }
    }
    NEED(stuck_modes_create(run->model, &run->modes, error));
    NEED_ALLOCATED(run->force = memory_array((size_t)run->modes->n, sizeof *run->force));
    NEED(choose_start(run, error));
    NEED(choose_modes(run, error));
    NEED(choose_step(run, error));
    NEED(check_impulse(run, error));
    NEED(choose_steps(run, error));
    NEED(check_length(run, error));
    NEED(ringdown_summary_reset(run->summary, run->numbers, run->n_modes, error));
    run->summary->step = run->step;
    run->summary->segments = run->n_segments;
    for (int i = 0; i < run->n_modes; i++) {
        int index = index_of(run, run->numbers[i]);
        struct masing_ringdown_mode *mode = &run->summary->modes[i];
        mode->stuck_hz = run->modes->omega[index] / TWO_PI;
        mode->free_hz = run->modes->free[index] / TWO_PI;
        mode->stuck_damping = stuck_modes_damping(run->modes, run->model, index);
    }
    NEED(follow_models(run, error));
    run->n_samples = run->n_steps - run->n_impulse + 1;
    NEED(integrator_create_unloaded(run->model, run->step, run->impulse, &run->integrator,
                                    error));
    NEED(energy_limits_create(run->model, &run->energy_limits, error));
    run->velocity =
        memory_array((size_t)run->n_modes * (size_t)run->n_samples, sizeof *run->velocity);
    NEED_ALLOCATED(run->velocity);
    NEED(warnings_add_model(&run->rows.warnings, run->model, error));
    NEED(warn_settings(run, error));
    run->rows.quantity = MASING_VELOCITY;
    run->rows.has_impulse = options->n_amplitudes > 0;
    bool has_error = run->integrator->stepper.type->has_step_error;
    run->rows.rule_step = options->keeps_period_error || !has_error ? 0.0 : run->step;
    if (options->history) {
        NEED(history_create(run->model, options->history, false, &run->history, error));
    }
    return ringdown_rows_open(&run->rows, sink, error);
}

static void clear(struct run *run)
{
    for (int i = 0; run->curves && i < run->n_modes; i++) {
        modal_curve_clear(&run->curves[i]);
    }
    free(run->curves);
    history_destroy(run->history);
    decay_fit_clear(&run->fit);
    integrator_destroy(run->integrator);
    energy_limits_destroy(run->energy_limits);
    free(run->velocity);
    stuck_modes_destroy(run->modes);
    free(run->numbers);
    free(run->filter);
    free(run->is_apart);
    free(run->force);
    free(run->q);
    free(run->v);
}

enum masing_status masing_ringdown(const struct masing_model *model,
                                   const struct masing_ringdown_options *options,
                                   const struct masing_sink *rows,
                                   struct masing_ringdown_summary *summary,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_ringdown_options chosen;
    struct masing_ringdown_summary found = {0};
    struct run run = {.model = model, .options = &chosen, .summary = &found};
    error = entry_begin(error, &own);
    ringdown_rows_begin(&run.rows, &found);
    TRY(entry_need(model, "model", error));
    TRY(cyclic_refuse(&model->spec, "a ringdown is", error));
    TRY(speed_refuse(model, "a ringdown is", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_amplitudes, chosen.amplitudes, "options.amplitudes", error));
    TRY(entry_need_array(chosen.n_modal_models, chosen.modal_models, "options.modal_models",
                         error));
    for (int i = 0; i < chosen.n_modal_models; i++) {
        TRY(entry_need(chosen.modal_models[i].model, "options.modal_models", error));
    }
    TRY(entry_check(summary, "summary", error));
    TRY(prepare(&run, rows, error));
    TRY(run_all(&run, error));
    TRY(energy_limits_warn(run.energy_limits, "s", &run.rows.warnings, error));
    TRY(ringdown_rows_warn(&run.rows, error));
done:
    status = history_close(run.history, row_sink_end(&run.rows.table, status, error), error);
    clear(&run);
    return ringdown_rows_end(&run.rows, status, summary, error);
}
