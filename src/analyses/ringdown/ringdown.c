/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/ringdown.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/integrate/history.h"
#include "analyses/ringdown/decay_fit.h"
#include "analyses/ringdown/rows.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "linalg/dense.h"
#include "linalg/one_thread.h"
#include "model/message.h"
#include "model/joints.h"
#include "transient/start.h"

/* How a free decay is started, integrated and evaluated: the settings with defaults resolved.
 */
struct plan {
    const struct masing_model *model; /* lent */
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
};

/* Defaults: time steps in a period of the fastest mode that is evaluated, periods of the
 * slowest, and how many modes; how many steps may be chosen by default. */
enum { STEPS_PER_PERIOD = 200, PERIODS = 300, FIRST_MODES = 3, MOST_CHOSEN_STEPS = 10000000 };

/* Nepers of the structure's own damping after which a mode has died out: rounding is at 36. */
static const double DIED_OUT = 25.0;

/* How far a frequency may be taken outside of the range of its mode, in parts of the range and
 * of the frequency: what other motions do to a decay. */
static const double RANGE_MARGIN = 0.1, FREQUENCY_MARGIN = 1e-3;

static const struct masing_ringdown_settings *settings_of(const struct plan *plan)
{
    return &plan->model->spec.ringdown;
}

static int index_of(const struct plan *plan, int number)
{
    return plan->modes->n_rigid + number - 1;
}

static double omega_of(const struct plan *plan, int number)
{
    return plan->modes->omega[index_of(plan, number)];
}

/* Those named, or that of the impulse, or the first ones. */
static enum masing_status choose_modes(struct plan *plan, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(plan);
    bool has_shape = settings->start == MASING_DECAY_MODE;
    int count = stuck_modes_count(plan->modes);
    int n = settings->n_modes > 0 ? settings->n_modes
            : has_shape           ? 1
                                  : (count < FIRST_MODES ? count : FIRST_MODES);
    plan->numbers = memory_array((size_t)n, sizeof *plan->numbers);
    plan->filter = memory_array((size_t)n * (size_t)plan->modes->n, sizeof *plan->filter);
    TRY_ALLOCATED(plan->numbers && plan->filter);
    plan->n_modes = n;
    for (int i = 0; i < n; i++) {
        int number = settings->n_modes > 0 ? settings->modes[i]
                     : has_shape           ? settings->mode
                                           : i + 1;
        TRY(stuck_modes_check(plan->modes, plan->model, number, settings->modes_place,
                              "ringdown.modes", error));
        plan->numbers[i] = number;
        size_t width = (size_t)plan->modes->n;
        memcpy(plan->filter + (size_t)i * width,
               plan->modes->shapes + (size_t)index_of(plan, number) * width,
               width * sizeof *plan->filter);
    }
    if (n == 0) {
        status = masing_error_set(error, MASING_INVALID,
                                  "ringdown: the structure has no mode that vibrates");
    }
done:
    return status;
}

/* The mode of those evaluated that is fastest, joints stuck. */
static int fastest_mode(const struct plan *plan)
{
    int found = plan->numbers[0];
    for (int i = 1; i < plan->n_modes; i++) {
        found =
            omega_of(plan, plan->numbers[i]) > omega_of(plan, found) ? plan->numbers[i] : found;
    }
    return found;
}

/* Until a mode has died out, but so many periods at most, and enough for the segments; periods
 * of its slowest motion, joints free. */
static double default_length(const struct plan *plan, int number)
{
    int at = index_of(plan, number);
    double stuck = plan->modes->omega[at], free = plan->modes->free[at];
    double period = TWO_PI / (free > 0.0 ? fmin(stuck, free) : stuck);
    double rate = stuck * stuck_modes_damping(plan->modes, plan->model, at);
    double shortest = DECAY_MIN_PERIODS * period * plan->n_segments;
    return fmax(fmin(PERIODS * period, DIED_OUT / fmax(rate, DBL_MIN)), shortest);
}

static enum masing_status choose_steps(struct plan *plan, struct masing_error *error)
{
    const struct masing_ringdown_settings *settings = settings_of(plan);
    double length = 0.0, steps = settings->steps;
    int longest = plan->numbers[0];
    for (int i = 0; i < plan->n_modes; i++) {
        double own = default_length(plan, plan->numbers[i]);
        longest = own > length ? plan->numbers[i] : longest;
        length = fmax(length, own);
    }
    if (settings->steps == 0) {
        steps = plan->n_impulse + ceil(length / plan->step * (1.0 - DBL_EPSILON));
    }
    if (!(steps < (settings->steps > 0 ? INT_MAX / 2 : MOST_CHOSEN_STEPS))) {
        int fastest = fastest_mode(plan);
        return model_refuse(
            &plan->model->spec, settings->place, error,
            "ringdown: %.3g steps of %.3g s would be needed for mode %d at "
            "%.4g Hz (joints stuck), mode %d at %.4g Hz (free) and the impulse; "
            "give 'step' and 'steps' or look at fewer 'modes'",
            steps, plan->step, fastest, omega_of(plan, fastest) / TWO_PI, longest,
            plan->modes->free[index_of(plan, longest)] / TWO_PI);
    }
    plan->n_steps = (int)steps;
    return MASING_OK;
}

static enum masing_status choose_step(struct plan *plan, struct masing_error *error)
{
    const struct masing_ringdown_settings *settings = settings_of(plan);
    int number = fastest_mode(plan);
    double period = TWO_PI / omega_of(plan, number);
    plan->n_segments = settings->segments > 0 ? settings->segments : DECAY_DEFAULT_SEGMENTS;
    plan->step = settings->step > 0.0 ? settings->step : period / STEPS_PER_PERIOD;
    if (period < DECAY_MIN_SAMPLES * plan->step) {
        return model_refuse(&plan->model->spec, settings->place, error,
                            "ringdown.step: %g s, expected at most %.4g s: %d steps in a "
                            "period of mode %d",
                            plan->step, period / DECAY_MIN_SAMPLES, DECAY_MIN_SAMPLES, number);
    }
    return MASING_OK;
}

/* Shortest record (s) that shows one of the modes: some periods in each segment. */
static double plan_shortest(const struct plan *plan, int index)
{
    double period = TWO_PI / omega_of(plan, plan->numbers[index]);
    return DECAY_MIN_PERIODS * period * plan->n_segments;
}

static enum masing_status check_length(const struct plan *plan, struct masing_error *error)
{
    double length = (plan->n_steps - plan->n_impulse) * plan->step;
    for (int i = 0; i < plan->n_modes; i++) {
        double shortest = plan_shortest(plan, i);
        if (length < shortest) {
            return model_refuse(
                &plan->model->spec, settings_of(plan)->place, error,
                "ringdown: %d segments of %.4g s have %.3g periods each of mode "
                "%d, expected at least %d: give more steps or fewer segments",
                plan->n_segments, fmax(length, 0.0) / plan->n_segments,
                fmax(length, 0.0) / shortest * DECAY_MIN_PERIODS, plan->numbers[i],
                DECAY_MIN_PERIODS);
        }
    }
    return MASING_OK;
}

/* Mass times shape, in modal coordinates: the shape itself. */
static enum masing_status fill_shape(struct plan *plan, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(plan);
    size_t n = (size_t)plan->modes->n;
    double *shapes = memory_array(n * n, sizeof *shapes);
    TRY_ALLOCATED(shapes);
    TRY(stuck_modes_check(plan->modes, plan->model, settings->mode, settings->mode_place,
                          "ringdown.impulse.mode", error));
    if (settings->is_free_shape) {
        TRY(free_shapes(plan->model, shapes, error));
    } else {
        memcpy(shapes, plan->modes->shapes, n * n * sizeof *shapes);
    }
    memcpy(plan->force, shapes + (size_t)index_of(plan, settings->mode) * n,
           n * sizeof *plan->force);
    plan->impulse = omega_of(plan, settings->mode);
done:
    free(shapes);
    return status;
}

static void fill_point(struct plan *plan)
{
    const struct structure *structure = plan->model->structure;
    for (int k = 0; k < plan->modes->n; k++) {
        plan->force[k] = structure->shapes[settings_of(plan)->dof + k * structure->n_dofs];
    }
}

static enum masing_status project(const struct plan *plan,
                                  const struct masing_combination *values, double **q,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = plan->model->structure;
    TRY_ALLOCATED(*q = memory_array((size_t)plan->modes->n, sizeof **q));
    TRY(start_project(structure, structure, values, *q, error));
done:
    return status;
}

static enum masing_status choose_start(struct plan *plan, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_settings *settings = settings_of(plan);
    switch (settings->start) {
    case MASING_DECAY_NONE:
        status = model_refuse(&plan->model->spec, (struct masing_place){1, 1}, error,
                              "missing key 'ringdown', which tells how the decay begins, as in "
                              "'ringdown: {impulse: {mode: 1, amplitude: 10}}'");
        break;
    case MASING_DECAY_MODE:
        status = fill_shape(plan, error);
        break;
    case MASING_DECAY_DOF:
        fill_point(plan);
        break;
    case MASING_DECAY_INITIAL:
        TRY(project(plan, &settings->displacements, &plan->q, error));
        TRY(project(plan, &settings->velocities, &plan->v, error));
        break;
    }
    if (settings->impulse_hz > 0.0) {
        plan->impulse = TWO_PI * settings->impulse_hz;
    }
done:
    return status;
}

static enum masing_status check_impulse(struct plan *plan, struct masing_error *error)
{
    if (plan->impulse == 0.0) {
        return MASING_OK;
    }
    double steps = 0.5 * TWO_PI / plan->impulse / plan->step;
    if (steps < DECAY_MIN_SAMPLES) {
        return model_refuse(&plan->model->spec, settings_of(plan)->place, error,
                            "ringdown.step: %g s, expected at most %.4g s: %d steps in the "
                            "half sine of the impulse",
                            plan->step, steps * plan->step / DECAY_MIN_SAMPLES,
                            DECAY_MIN_SAMPLES);
    }
    if (!(steps < INT_MAX / 4)) {
        return model_refuse(
            &plan->model->spec, settings_of(plan)->place, error,
            "ringdown.impulse.frequency: %g Hz, half a period of which has %.3g "
            "steps of %g s; expected fewer than %d",
            plan->impulse / TWO_PI, steps, plan->step, INT_MAX / 4);
    }
    plan->n_impulse = (int)ceil(steps);
    return MASING_OK;
}

static enum masing_status find_apart(struct plan *plan, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct stuck_modes *modes = plan->modes;
    size_t count = (size_t)stuck_modes_count(modes);
    plan->is_apart = memory_array((size_t)plan->n_modes * count, sizeof *plan->is_apart);
    TRY_ALLOCATED(plan->is_apart);
    for (int i = 0; i < plan->n_modes; i++) {
        for (size_t k = 0; k < count; k++) {
            plan->is_apart[(size_t)i * count + k] = stuck_modes_are_apart(
                modes, plan->model, index_of(plan, plan->numbers[i]), modes->n_rigid + (int)k);
        }
    }
done:
    return status;
}

static void plan_clear(struct plan *plan)
{
    stuck_modes_destroy(plan->modes);
    free(plan->numbers);
    free(plan->filter);
    free(plan->is_apart);
    free(plan->force);
    free(plan->q);
    free(plan->v);
}

/* Clear it also after a failure. */
static enum masing_status plan_create(const struct masing_model *model, struct plan *plan,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    plan->model = model;
    TRY(stuck_modes_create(model, &plan->modes, error));
    plan->force = memory_array((size_t)plan->modes->n, sizeof *plan->force);
    TRY_ALLOCATED(plan->force);
    TRY(choose_start(plan, error));
    TRY(choose_modes(plan, error));
    TRY(choose_step(plan, error));
    TRY(check_impulse(plan, error));
    TRY(choose_steps(plan, error));
    TRY(find_apart(plan, error));
    TRY(check_length(plan, error));
done:
    return status;
}

/* One of the modes that are evaluated among all. */
static struct decay_modes plan_modes(const struct plan *plan, int index)
{
    const struct stuck_modes *modes = plan->modes;
    int count = stuck_modes_count(modes);
    return (struct decay_modes){
        .n = count,
        .omega = modes->omega + modes->n_rigid,
        .other = modes->free + modes->n_rigid,
        .index = plan->numbers[index] - 1,
        .is_apart = plan->is_apart + (size_t)index * (size_t)count,
    };
}

/*
 * Frequencies (Hz) between which one of the modes stays, with a margin: those with the joints
 * free and stuck, where all joints have a concave backbone. False: it may go anywhere.
 */
static bool plan_range(const struct plan *plan, int index, double range[2])
{
    int at = index_of(plan, plan->numbers[index]);
    double low = plan->modes->free[at] / TWO_PI, high = plan->modes->omega[at] / TWO_PI;
    double margin = RANGE_MARGIN * (high - low) + FREQUENCY_MARGIN * high;
    for (int j = 0; j < plan->model->spec.n_joints; j++) {
        if (plan->model->joints[j].law->family != &masing_family_masing) {
            return false;
        }
    }
    range[0] = low - margin;
    range[1] = high + margin;
    return plan->model->spec.n_joints > 0;
}

/* The time integration of a free decay, and the modal velocities that come out of it. */

struct motion {
    const struct plan *plan; /* lent */
    struct integrator *integrator;
    double *velocity; /* [plan->n_modes][n_samples] from the end of the impulse on */
    int n_samples;    /* room for them */
    int n_done;       /* that were integrated */
    double start;     /* s, of the first one */
    const struct masing_progress *progress; /* may be NULL */
    double progress_from, progress_to;      /* shares of all that is to be done */
    struct history *history;                /* a row per step; or NULL */
};

/* Steps between two reports of progress, which may cancel. */
enum { STEPS_PER_REPORT = 1000 };

static void motion_clear(struct motion *motion)
{
    integrator_destroy(motion->integrator);
    free(motion->velocity);
}

/* Clear it also after a failure. */
static enum masing_status motion_create(const struct plan *plan, struct motion *motion,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
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
    return status;
}

static void take_velocities(struct motion *motion)
{
    const struct plan *plan = motion->plan;
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

static bool is_cancelled(const struct motion *motion, int step)
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
    return progress_is_cancelled(progress);
}

static enum masing_status begin(struct motion *motion, double amplitude,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plan *plan = motion->plan;
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

/*
 * From rest through an impulse of this amplitude, or from the initial state, to the end.
 * MASING_STOPPED with a reason where it ends early: n_done velocities are there.
 */
static enum masing_status motion_run(struct motion *motion, double amplitude,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plan *plan = motion->plan;
    TRY(begin(motion, amplitude, error));
    for (int i = 1; i <= plan->n_steps; i++) {
        if (i == plan->n_impulse) { /* within this step its half sine ends */
            status = integrator_end_force(motion->integrator, PI / plan->impulse);
        }
        status = status ? status : integrator_step(motion->integrator);
        if (status > 0) {
            status = masing_error_set(error, MASING_STOPPED, "stopped at time %g s: %s",
                                      integrator_time(motion->integrator),
                                      integrator_trouble(motion->integrator, status));
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

/* All decays of one call. */
struct run {
    const struct masing_model *model;
    const struct masing_ringdown_options *options;
    struct plan plan;
    struct motion motion;
    struct decay_fit fit;
    struct modal_curve *curves; /* [plan.n_modes] */
    struct history *history;
    struct ringdown_rows rows;
    struct masing_ringdown_summary *summary;
};

static enum masing_status check_options(const struct masing_model *model,
                                        const struct masing_ringdown_options *options,
                                        struct masing_error *error)
{
    if (options->n_amplitudes > 0 && model->spec.ringdown.start == MASING_DECAY_INITIAL) {
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
    return MASING_OK;
}

static enum masing_status follow_models(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    run->curves = memory_array((size_t)run->plan.n_modes, sizeof *run->curves);
    TRY_ALLOCATED(run->curves);
    for (int i = 0; i < options->n_modal_models; i++) {
        int number = options->modal_models[i].mode, at = 0;
        while (at < run->plan.n_modes && run->plan.numbers[at] != number) {
            at++;
        }
        if (at == run->plan.n_modes || run->curves[at].n > 0) {
            TRY(masing_error_set(
                error, MASING_INVALID, "a modal model of mode %d, which is %s", number,
                at == run->plan.n_modes ? "not among the modes looked at" : "given twice"));
        }
        TRY(modal_curve_create(options->modal_models[i].model, &run->curves[at], error));
    }
    run->rows.curves = run->curves;
    run->rows.has_curves = options->n_modal_models > 0;
done:
    return status;
}

static enum masing_status describe_modes(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plan *plan = &run->plan;
    const struct stuck_modes *modes = plan->modes;
    TRY(ringdown_summary_reset(run->summary, plan->numbers, plan->n_modes, error));
    run->summary->step = plan->step;
    run->summary->segments = plan->n_segments;
    for (int i = 0; i < plan->n_modes; i++) {
        int index = modes->n_rigid + plan->numbers[i] - 1;
        struct masing_ringdown_mode *mode = &run->summary->modes[i];
        mode->stuck_hz = modes->omega[index] / TWO_PI;
        mode->free_hz = modes->free[index] / TWO_PI;
        mode->stuck_damping = stuck_modes_damping(modes, run->model, index);
    }
done:
    return status;
}

/* The part of a decay that was integrated becomes rows, where it is long enough. */
static enum masing_status analyse(struct run *run, double impulse, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct plan *plan = &run->plan;
    const struct motion *motion = &run->motion;
    int n = motion->n_done;
    double length = (double)(n - 1) * plan->step;
    run->summary->steps += motion->integrator->count;
    run->summary->duration = length;
    for (int i = 0; i < plan->n_modes; i++) {
        const double *samples = motion->velocity + (size_t)i * (size_t)motion->n_samples;
        struct decay_modes modes = plan_modes(plan, i);
        double range[2];
        bool is_known = plan_range(plan, i, range);
        if (length < plan_shortest(plan, i)) {
            continue; /* stopped early */
        }
        if (run->fit.n_samples != n) {
            decay_fit_clear(&run->fit);
            TRY(decay_fit_create(n, plan->step, plan->n_segments, &run->fit, error));
        }
        const struct decay_found found = {.fit = &run->fit,
                                          .start = motion->start,
                                          .impulse = impulse,
                                          .range = is_known ? range : NULL};
        decay_fit_run(&run->fit, samples, &modes);
        TRY(ringdown_rows_put(&run->rows, i, &found, error));
    }
done:
    return status;
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    int n = options->n_amplitudes > 0 ? options->n_amplitudes : 1;
    for (int i = 0; i < n; i++) {
        double amplitude = options->n_amplitudes > 0 ? options->amplitudes[i]
                                                     : run->model->spec.ringdown.amplitude;
        run->motion.progress_from = (double)i / n;
        run->motion.progress_to = (double)(i + 1) / n;
        run->motion.history = i == 0 ? run->history : NULL;
        enum masing_status ended = motion_run(&run->motion, amplitude, error);
        if (ended != MASING_OK && ended != MASING_STOPPED) {
            return ended;
        }
        TRY(analyse(run, amplitude, error));
        TRY(ended);
    }
done:
    return status;
}

/* Settings of the model that do not apply to a decay. */
static enum masing_status warn_settings(const struct run *run, struct masing_error *error)
{
    const struct masing_integration_settings *settings = &run->model->spec.integration;
    enum masing_status status = MASING_OK;
    if (stepper_type(settings->method)->is_damped) {
        TRY(warning_add(&run->rows.warnings, error,
                        "integration.method: hht: decays are integrated without numerical "
                        "damping, which would be taken for the structure's"));
    }
    if (settings->modes == MASING_MODES_FEWER) {
        TRY(warning_add(&run->rows.warnings, error,
                        "integration.modes: fewer: decays are integrated with all modes"));
    }
done:
    return status;
}

static enum masing_status prepare(struct run *run, const struct masing_sink *sink,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_ringdown_options *options = run->options;
    TRY(check_options(run->model, options, error));
    TRY(plan_create(run->model, &run->plan, error));
    TRY(describe_modes(run, error));
    TRY(follow_models(run, error));
    TRY(motion_create(&run->plan, &run->motion, error));
    run->motion.progress = options->progress;
    TRY(warnings_add_model(&run->rows.warnings, run->model, error));
    TRY(warn_settings(run, error));
    run->rows.quantity = MASING_VELOCITY;
    run->rows.has_impulse = options->n_amplitudes > 0;
    bool has_error = run->motion.integrator->stepper.type->has_step_error;
    run->rows.rule_step = options->keeps_period_error || !has_error ? 0.0 : run->plan.step;
    if (options->history) {
        TRY(history_create(run->model, options->history, &run->history, error));
    }
    TRY(ringdown_rows_open(&run->rows, sink, error));
done:
    return status;
}

static void clear(struct run *run)
{
    for (int i = 0; run->curves && i < run->plan.n_modes; i++) {
        modal_curve_clear(&run->curves[i]);
    }
    free(run->curves);
    history_destroy(run->history);
    decay_fit_clear(&run->fit);
    motion_clear(&run->motion);
    plan_clear(&run->plan);
}

static enum masing_status ring_down(const struct masing_model *model,
                                    const struct masing_ringdown_options *options,
                                    const struct masing_sink *rows,
                                    struct masing_ringdown_summary *summary,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double began = processor_time();
    struct run run = {
        .model = model,
        .options = options,
        .summary = summary,
        .rows = {.summary = summary, .warnings = {&summary->warnings, &summary->n_warnings}}};
    TRY(prepare(&run, rows, error));
    TRY(run_all(&run, error));
    TRY(ringdown_rows_warn(&run.rows, error));
done:
    status = row_sink_end(&run.rows.table, status, error);
    status = history_close(run.history, status, error);
    summary->is_complete = status == MASING_OK;
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    clear(&run);
    return status;
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
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_amplitudes, chosen.amplitudes, "options.amplitudes", error));
    TRY(entry_need_array(chosen.n_modal_models, chosen.modal_models, "options.modal_models",
                         error));
    for (int i = 0; i < chosen.n_modal_models; i++) {
        TRY(entry_need(chosen.modal_models[i].model, "options.modal_models", error));
    }
    TRY(entry_check(summary, "summary", error));
    status = ring_down(model, &chosen, rows, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_ringdown_summary_clear(&found);
    }
    return status;
}
