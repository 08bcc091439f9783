/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/record.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

/* Errors of a period's work in those of a step; parts of energies that are round-off. */
static const double WORK_ERROR_FACTOR = 100.0, ENERGY_ROUNDING = 1e-14;
/* Forces may change within a motion's openness. */
static const double OPEN_FORCE_FACTOR = 2.0;

double record_max(const struct record_output *output)
{
    return fmax(fabs(output->extremum.maximum), fabs(output->extremum.minimum));
}

double record_amp(const struct record_output *output)
{
    return 0.5 * (output->extremum.maximum - output->extremum.minimum);
}

double record_h1(const struct record_output *output)
{
    return hypot(output->cosine, output->sine);
}

enum masing_status record_create(struct integrator *integrator, struct record **created,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena *arena = &integrator->arena;
    const struct ports *ports = integrator->ports;
    size_t n_outputs = (size_t)ports->n_outputs, n_axes = (size_t)ports->n_axes;
    struct record *record = arena_array(arena, 1, sizeof *record);
    TRY_ALLOCATED(record);
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
    TRY_ALLOCATED(!arena->has_failed);
    *created = record;
done:
    return status;
}

/* Keep what the exchange of the next step needs. */
static void remember(struct record *record, const struct integrator *integrator)
{
    size_t n_axes = (size_t)integrator->ports->n_axes;
    memcpy(record->joint_force, integrator->joints->f, n_axes * sizeof(double));
    memcpy(record->joint_x, integrator->joints->x, n_axes * sizeof(double));
}

enum masing_status record_begin(struct record *record, struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    memset(record->outputs, 0, (size_t)record->n_outputs * sizeof *record->outputs);
    record->energy_in = record->loss_joints = record->loss_damping = 0.0;
    record->exchange = record->unknown = 0.0;
    record->n_steps = 0;
    TRY(integrator_measure(integrator));
    integrator_outputs(integrator, record->value, record->rate);
    for (int i = 0; i < record->n_outputs; i++) {
        extremum_add(&record->outputs[i].extremum, integrator->stepper.step, record->value[i],
                     record->rate[i]);
    }
    remember(record, integrator);
    memcpy(record->first_x, record->joint_x, (size_t)record->n_axes * sizeof(double));
done:
    return status;
}

static void add_energies(struct record *record, const struct integrator *integrator)
{
    const double *f = integrator->joints->f, *x = integrator->joints->x;
    struct work work = integrator_work(integrator);
    record->energy_in = work.loads;
    record->loss_joints = work.joints;
    record->loss_damping = work.damping;
    record->unknown = work.doubt;
    for (int i = 0; i < record->n_axes; i++) {
        record->exchange +=
            fabs(0.5 * (f[i] + record->joint_force[i]) * (x[i] - record->joint_x[i]));
    }
}

static void add_output(struct record_output *output, const struct integrator *integrator,
                       int n_steps, double value, double rate)
{
    double part = 1.0 / n_steps;
    extremum_add(&output->extremum, integrator->stepper.step, value, rate);
    output->mean += part * value;
    output->cosine += 2.0 * part * integrator->forcing->cosines[integrator->phase] * value;
    output->sine += 2.0 * part * integrator->forcing->sines[integrator->phase] * value;
}

void record_step(struct record *record, const struct integrator *integrator)
{
    int n_steps = record->n_periods * integrator->n_steps;
    record->n_steps++;
    integrator_outputs(integrator, record->value, record->rate);
    for (int i = 0; i < record->n_outputs; i++) {
        struct record_output *output = &record->outputs[i];
        add_output(output, integrator, n_steps, record->value[i], record->rate[i]);
        if (record->n_steps == 1) {
            record->second[i] = record->value[i];
        }
        /* a periodic signal goes on as it began: its vertex may lie at the seam */
        if (record->n_steps == n_steps && isnan(record->rate[i])) {
            extremum_add(&output->extremum, integrator->stepper.step, record->second[i], NAN);
        }
    }
    add_energies(record, integrator);
    remember(record, integrator);
}

double record_unknown_loss(const struct record *record, const struct integrator *integrator)
{
    double accuracy = fmax(integrator->stepper.accuracy, ENERGY_ROUNDING);
    double open = 0.0;
    for (int i = 0; i < record->n_axes; i++) {
        open +=
            fabs(integrator->joints->f[i] * (integrator->joints->x[i] - record->first_x[i]));
    }
    return record->unknown + WORK_ERROR_FACTOR * accuracy * record->exchange +
           OPEN_FORCE_FACTOR * open;
}
