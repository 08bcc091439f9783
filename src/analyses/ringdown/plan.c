/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/plan.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "model/message.h"

/* Defaults: time steps in a period of the fastest mode that is looked at, periods of the
 * slowest, and segments; how many steps may be chosen without being asked for. */
enum {
    STEPS_PER_PERIOD = 200,
    PERIODS = 300,
    SEGMENTS = 20,
    FIRST_MODES = 3,
    MOST_CHOSEN_STEPS = 10000000
};

/* Nepers of the structure's own damping after which a mode has died out: rounding is at 36. */
static const double DIED_OUT = 25.0;

/* How far a frequency may be taken outside of the range of its mode, in parts of the range and
 * of the frequency: what other motions do to a decay. */
static const double RANGE_MARGIN = 0.1, FREQUENCY_MARGIN = 1e-3;

static const struct masing_ringdown_settings *settings_of(const struct ringdown_plan *plan)
{
    return &plan->model->spec.ringdown;
}

static int index_of(const struct ringdown_plan *plan, int number)
{
    return plan->modes->n_rigid + number - 1;
}

static double omega_of(const struct ringdown_plan *plan, int number)
{
    return plan->modes->omega[index_of(plan, number)];
}

/* Those named, or that of the impulse, or the first ones. */
static enum masing_status choose_modes(struct ringdown_plan *plan, struct masing_error *error)
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
    TRY_ALLOCATED(plan->numbers);
    TRY_ALLOCATED(plan->filter);
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

/* The mode of those looked at that is fastest, joints stuck. */
static int fastest_mode(const struct ringdown_plan *plan)
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
static double default_length(const struct ringdown_plan *plan, int number)
{
    int at = index_of(plan, number);
    double stuck = plan->modes->omega[at], free = plan->modes->free[at];
    double period = TWO_PI / (free > 0.0 ? fmin(stuck, free) : stuck);
    double rate = stuck * stuck_modes_damping(plan->modes, plan->model, at);
    double shortest = DECAY_MIN_PERIODS * period * plan->n_segments;
    return fmax(fmin(PERIODS * period, DIED_OUT / fmax(rate, DBL_MIN)), shortest);
}

static enum masing_status choose_steps(struct ringdown_plan *plan, struct masing_error *error)
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

static enum masing_status choose_step(struct ringdown_plan *plan, struct masing_error *error)
{
    const struct masing_ringdown_settings *settings = settings_of(plan);
    int number = fastest_mode(plan);
    double period = TWO_PI / omega_of(plan, number);
    plan->n_segments = settings->segments > 0 ? settings->segments : SEGMENTS;
    plan->step = settings->step > 0.0 ? settings->step : period / STEPS_PER_PERIOD;
    if (period < DECAY_MIN_SAMPLES * plan->step) {
        return model_refuse(&plan->model->spec, settings->place, error,
                            "ringdown.step: %g s, expected at most %.4g s: %d steps in a "
                            "period of mode %d",
                            plan->step, period / DECAY_MIN_SAMPLES, DECAY_MIN_SAMPLES, number);
    }
    return MASING_OK;
}

double ringdown_plan_shortest(const struct ringdown_plan *plan, int index)
{
    double period = TWO_PI / omega_of(plan, plan->numbers[index]);
    return DECAY_MIN_PERIODS * period * plan->n_segments;
}

static enum masing_status check_length(const struct ringdown_plan *plan,
                                       struct masing_error *error)
{
    double length = (plan->n_steps - plan->n_impulse) * plan->step;
    for (int i = 0; i < plan->n_modes; i++) {
        double shortest = ringdown_plan_shortest(plan, i);
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
static enum masing_status fill_shape(struct ringdown_plan *plan, struct masing_error *error)
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

static void fill_point(struct ringdown_plan *plan)
{
    const struct structure *structure = plan->model->structure;
    for (int k = 0; k < plan->modes->n; k++) {
        plan->force[k] = structure->shapes[settings_of(plan)->dof + k * structure->n_dofs];
    }
}

/* q [n_modes] = phi^T M u */
static enum masing_status project(const struct ringdown_plan *plan,
                                  const struct masing_combination *values, double **q,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = plan->model->structure;
    int n_dofs = structure->n_dofs;
    double *u = memory_array(2 * (size_t)n_dofs, sizeof *u);
    *q = memory_array((size_t)plan->modes->n, sizeof **q);
    TRY_ALLOCATED(u);
    TRY_ALLOCATED(*q);
    for (int t = 0; t < values->n_terms; t++) {
        u[values->terms[t].dof] += values->terms[t].weight;
    }
    TRY(structure_inertia(structure, u, u + n_dofs, error));
    dense_multiply_transposed(plan->modes->n, 1, n_dofs, structure->shapes, u + n_dofs, *q);
done:
    free(u);
    return status;
}

static enum masing_status choose_start(struct ringdown_plan *plan, struct masing_error *error)
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

static enum masing_status check_impulse(struct ringdown_plan *plan, struct masing_error *error)
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

static enum masing_status find_apart(struct ringdown_plan *plan, struct masing_error *error)
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

enum masing_status ringdown_plan_create(const struct masing_model *model,
                                        struct ringdown_plan **created,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct ringdown_plan *plan = memory_array(1, sizeof *plan);
    TRY_ALLOCATED(plan);
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
    if (status != MASING_OK) {
        ringdown_plan_destroy(plan);
        plan = NULL;
    }
    *created = plan;
    return status;
}

void ringdown_plan_destroy(struct ringdown_plan *plan)
{
    if (plan) {
        stuck_modes_destroy(plan->modes);
        free(plan->numbers);
        free(plan->filter);
        free(plan->is_apart);
        free(plan->force);
        free(plan->q);
        free(plan->v);
        free(plan);
    }
}

struct decay_modes ringdown_plan_modes(const struct ringdown_plan *plan, int index)
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

bool ringdown_plan_range(const struct ringdown_plan *plan, int index, double range[2])
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
