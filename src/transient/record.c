/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/record.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

static void widen(struct extremum *extremum, double value)
{
    extremum->maximum = fmax(extremum->maximum, value);
    extremum->minimum = fmin(extremum->minimum, value);
}

/* Cubic Hermite polynomial x0 + d0 s + b s^2 + a s^3 on s in [0, 1] and where it is level. */
static void widen_by_cubic(struct extremum *extremum, double x0, double d0, double x1,
                           double d1)
{
    double a = d0 + d1 - 2.0 * (x1 - x0), b = 3.0 * (x1 - x0) - 2.0 * d0 - d1;
    double discriminant = b * b - 3.0 * a * d0;
    if (!(discriminant >= 0.0)) {
        return;
    }
    /* roots of 3 a s^2 + 2 b s + d0 without cancellation; a may be zero */
    double sum = -(b + copysign(sqrt(discriminant), b));
    double roots[2] = {sum / (3.0 * a), d0 / sum};
    for (int i = 0; i < 2; i++) {
        double s = roots[i];
        if (s > 0.0 && s < 1.0) {
            widen(extremum, x0 + s * (d0 + s * (b + s * a)));
        }
    }
}

/* Vertex of the parabola through three samples, if it lies within half a step of the middle. */
static void widen_by_parabola(struct extremum *extremum, double before, double middle,
                              double after)
{
    double slope = 0.5 * (after - before), curvature = after - 2.0 * middle + before;
    if (fabs(slope) <= 0.5 * fabs(curvature) && curvature != 0.0) {
        widen(extremum, middle - 0.5 * slope * slope / curvature);
    }
}

void extremum_add(struct extremum *extremum, double step, double value, double rate)
{
    if (extremum->n == 0) {
        extremum->maximum = extremum->minimum = value;
    } else if (!isnan(rate)) {
        widen_by_cubic(extremum, extremum->value[0], step * extremum->rate, value, step * rate);
    } else if (extremum->n > 1) {
        widen_by_parabola(extremum, extremum->value[1], extremum->value[0], value);
    }
    widen(extremum, value);
    extremum->value[1] = extremum->value[0];
    extremum->value[0] = value;
    extremum->rate = rate;
    extremum->n++;
}

/* Errors of a period's work in those of a step; parts of energies that are round-off. */
static const double WORK_ERROR_FACTOR = 100.0, ENERGY_ROUNDING = 1e-14;
/* Forces may change within a motion's openness. */
static const double OPEN_FORCE_FACTOR = 2.0;

enum masing_status record_create(struct integrator *integrator, struct record **created,
                                 struct masing_error *error)
{
    struct arena *arena = &integrator->arena;
    const struct ports *ports = integrator->ports;
    size_t n_outputs = (size_t)ports->n_outputs, n_axes = (size_t)ports->n_axes;
    struct record *record = arena_array(arena, 1, sizeof *record);
    NEED_ALLOCATED(record);
    *record = (struct record){.n_periods = 1,
                              .n_outputs = ports->n_outputs,
                              .n_axes = ports->n_axes,
                              .outputs = arena_array(arena, n_outputs, sizeof *record->outputs),
                              .value = arena_doubles(arena, n_outputs),
                              .rate = arena_doubles(arena, n_outputs),
                              .second = arena_doubles(arena, n_outputs),
                              .joint_force = arena_doubles(arena, n_axes),
                              .joint_x = arena_doubles(arena, n_axes),
                              .first_x = arena_doubles(arena, n_axes)};
    NEED_ALLOCATED(!arena->has_failed);
    *created = record;
    return MASING_OK;
}

enum masing_status record_begin(struct record *record, struct integrator *integrator)
{
    memset(record->outputs, 0, (size_t)record->n_outputs * sizeof *record->outputs);
    record->work = (struct work){0};
    record->exchange = 0.0;
    record->n_steps = 0;
    NEED(integrator_measure(integrator));
    integrator_outputs(integrator, record->value, record->rate);
    for (int i = 0; i < record->n_outputs; i++) {
        extremum_add(&record->outputs[i].extremum, integrator->stepper.step, record->value[i],
                     record->rate[i]);
    }
    for (int a = 0; a < record->n_axes; a++) {
        record->first_x[a] = record->joint_x[a] = integrator->joints->x[a];
        record->joint_force[a] = integrator->joints->f[a];
    }
    return MASING_OK;
}

void record_step(struct record *record, const struct integrator *integrator)
{
    int n_steps = record->n_periods * integrator->n_steps;
    double part = 1.0 / n_steps, step = integrator->stepper.step;
    double cosine = integrator->forcing->cosines[integrator->phase];
    double sine = integrator->forcing->sines[integrator->phase];
    record->n_steps++;
    integrator_outputs(integrator, record->value, record->rate);
    for (int i = 0; i < record->n_outputs; i++) {
        struct record_output *output = &record->outputs[i];
        double value = record->value[i];
        extremum_add(&output->extremum, step, value, record->rate[i]);
        output->mean += part * value;
        output->cosine += 2.0 * part * cosine * value;
        output->sine += 2.0 * part * sine * value;
        if (record->n_steps == 1) {
            record->second[i] = value;
        }
        /* a periodic signal goes on as it began: its vertex may lie at the seam */
        if (record->n_steps == n_steps && isnan(record->rate[i])) {
            extremum_add(&output->extremum, step, record->second[i], NAN);
        }
    }
    if (record->n_steps == n_steps) {
        record->work = integrator_work(integrator);
    }
    for (int a = 0; a < record->n_axes; a++) {
        double f = integrator->joints->f[a], x = integrator->joints->x[a];
        record->exchange += fabs(0.5 * (f + record->joint_force[a]) * (x - record->joint_x[a]));
        record->joint_force[a] = f;
        record->joint_x[a] = x;
    }
}

double record_unknown_loss(const struct record *record, const struct integrator *integrator)
{
    double accuracy = fmax(integrator->stepper.accuracy, ENERGY_ROUNDING);
    double open = 0.0;
    for (int i = 0; i < record->n_axes; i++) {
        open +=
            fabs(integrator->joints->f[i] * (integrator->joints->x[i] - record->first_x[i]));
    }
    return record->work.doubt + WORK_ERROR_FACTOR * accuracy * record->exchange +
           OPEN_FORCE_FACTOR * open;
}
