/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

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

enum masing_status record_create(const struct integrator *integrator, struct record **created,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct ports *ports = integrator->ports;
    size_t n_outputs = (size_t)ports->n_outputs, n_axes = (size_t)ports->n_axes;
    size_t n_modes = (size_t)ports->n_modes;
    struct record *record = memory_array(1, sizeof *record);
    TRY_ALLOCATED(record);
    record->n_periods = 1;
    record->n_outputs = ports->n_outputs;
    record->outputs = memory_array(n_outputs, sizeof *record->outputs);
    TRY_ALLOCATED(record->outputs);
    struct {
        double **array;
        size_t count;
    } arrays[] = {
        {&record->value, n_outputs},    {&record->rate, n_outputs},
        {&record->second, n_outputs},   {&record->force, n_modes + (size_t)ports->n_ports},
        {&record->joint_force, n_axes}, {&record->joint_x, n_axes},
        {&record->velocity, n_modes},   {&record->damping_force, n_modes}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].array = memory_array(arrays[i].count, sizeof(double));
        TRY_ALLOCATED(*arrays[i].array);
    }
done:
    if (status != MASING_OK) {
        record_destroy(record);
        record = NULL;
    }
    *created = record;
    return status;
}

void record_destroy(struct record *record)
{
    if (record) {
        double *owned[] = {record->value,    record->rate,         record->second,
                           record->force,    record->joint_force,  record->joint_x,
                           record->velocity, record->damping_force};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(record->outputs);
        free(record);
    }
}

/* Keep what the energies of the next step need. */
static void remember(struct record *record, const struct integrator *integrator)
{
    const struct ports *ports = integrator->ports;
    size_t n_axes = (size_t)ports->n_axes;
    size_t width = (size_t)(ports->n_modes + (ports->flexibility ? ports->n_ports : 0));
    memcpy(record->force, integrator->force, width * sizeof(double));
    memcpy(record->joint_force, integrator->joints->f, n_axes * sizeof(double));
    memcpy(record->joint_x, integrator->joints->x, n_axes * sizeof(double));
}

void record_begin(struct record *record, const struct integrator *integrator)
{
    memset(record->outputs, 0, (size_t)record->n_outputs * sizeof *record->outputs);
    record->energy_in = record->loss_joints = record->loss_damping = 0.0;
    record->n_steps = 0;
    integrator_outputs(integrator, record->value, record->rate);
    for (int i = 0; i < record->n_outputs; i++) {
        extremum_add(&record->outputs[i].extremum, integrator->step, record->value[i],
                     record->rate[i]);
    }
    remember(record, integrator);
}

/* Mean force times displacement over the step: with this the energy balance of the undamped
 * rule is an identity, whatever the step; of the damped one the difference is its own loss.
 * Loads on massless DOFs: -p^T F dg, equal to theirs over a period.
 */
static void add_energies(struct record *record, const struct integrator *integrator)
{
    const struct newmark *newmark = integrator->newmark;
    const struct ports *ports = integrator->ports;
    int n_modes = newmark->n_modes;
    bool is_undamped = integrator_has_rule(integrator) && newmark->alpha == 0.0;
    for (int k = 0; k < n_modes; k++) {
        record->velocity[k] = is_undamped
                                  ? 0.5 * (newmark->v_old[k] + newmark->v[k])
                                  : (newmark->q[k] - newmark->q_old[k]) / integrator->step;
    }
    newmark_damping(newmark, record->velocity, record->damping_force);
    for (int k = 0; k < n_modes; k++) {
        double dq = integrator->step * record->velocity[k];
        record->energy_in += 0.5 * (record->force[k] + integrator->force[k]) * dq;
        record->loss_damping += record->damping_force[k] * dq;
    }
    for (int i = 0; i < ports->n_axes; i++) {
        double g = integrator->joints->f[i], g_old = record->joint_force[i];
        record->loss_joints +=
            0.5 * (g + g_old) * (integrator->joints->x[i] - record->joint_x[i]);
        if (ports->flexibility) {
            double flexible = record->force[n_modes + i] + integrator->force[n_modes + i];
            record->energy_in -= 0.5 * flexible * (g - g_old);
        }
    }
}

static void add_output(struct record_output *output, const struct integrator *integrator,
                       int n_steps, double value, double rate)
{
    double part = 1.0 / n_steps;
    extremum_add(&output->extremum, integrator->step, value, rate);
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
            extremum_add(&output->extremum, integrator->step, record->second[i], NAN);
        }
    }
    add_energies(record, integrator);
    remember(record, integrator);
}
