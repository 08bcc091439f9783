/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/compare/compared_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static void list_loop_axes(struct compared_motion *motion, const struct balance *balance)
{
    const struct masing_model *model = balance->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        bool is_alone = model->spec.groups[joint->group].n_joints == 1;
        for (int a = 0; is_alone && a < joint->n_axes; a++) {
            motion->loop_axes[motion->n_loop_axes++] = joint->first_axis + a;
        }
    }
}

enum masing_status compared_motion_create(const struct balance *balance, int n_outputs,
                                          struct compared_motion **created,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct compared_motion *motion = memory_array(1, sizeof *motion);
    TRY_ALLOCATED(motion);
    motion->basis = balance->basis;
    motion->n_outputs = n_outputs;
    motion->n_axes = balance->n_axes;
    size_t n = (size_t)n_outputs, n_axes = (size_t)balance->n_axes;
    motion->max = memory_array(n, sizeof(double));
    motion->mean = memory_array(n, sizeof(double));
    motion->h1 = memory_array(n, sizeof(double));
    motion->size = memory_array(n, sizeof(double));
    motion->coefficients =
        memory_array(n * (size_t)balance->n_coefficients, sizeof *motion->coefficients);
    motion->low = memory_array(n, sizeof(double));
    motion->high = memory_array(n, sizeof(double));
    motion->axis_mean = memory_array(n_axes, sizeof(double));
    motion->axis_force = memory_array(n_axes, sizeof(double));
    motion->loop_axes = memory_array(n_axes, sizeof *motion->loop_axes);
    TRY_ALLOCATED(motion->max && motion->mean && motion->h1 && motion->size);
    TRY_ALLOCATED(motion->low && motion->high && motion->axis_mean && motion->axis_force);
    TRY_ALLOCATED(motion->coefficients && motion->loop_axes);
    list_loop_axes(motion, balance);
done:
    if (status != MASING_OK) {
        compared_motion_destroy(motion);
        motion = NULL;
    }
    *created = motion;
    return status;
}

void compared_motion_destroy(struct compared_motion *motion)
{
    if (motion) {
        double *owned[] = {motion->max,        motion->mean,         motion->h1,
                           motion->size,       motion->coefficients, motion->axis_mean,
                           motion->axis_force, motion->low,          motion->high,
                           motion->loop_x,     motion->loop_f};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        free(motion->loop_axes);
        free(motion);
    }
}

int compared_motion_waves(const struct basis *basis)
{
    return basis->n_harmonics - (basis->harmonics[0] == 0);
}

double compared_motion_wave(const struct compared_motion *motion, int output, int k)
{
    const struct basis *basis = motion->basis;
    const double *wave = motion->coefficients + (size_t)output * (size_t)basis->n_coefficients +
                         basis->position[k];
    return hypot(wave[0], wave[1]);
}

int compared_motion_largest(const struct compared_motion *motion, int output)
{
    const struct basis *basis = motion->basis;
    int largest = -1;
    double size = -1.0;
    for (int k = basis->n_harmonics - compared_motion_waves(basis); k < basis->n_harmonics;
         k++) {
        double here = compared_motion_wave(motion, output, k);
        if (here > size) {
            size = here;
            largest = k;
        }
    }
    return largest;
}

/* The first harmonic counts whether the basis has it or not. */
static void find_sizes(struct compared_motion *motion)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        int k = compared_motion_largest(motion, i);
        motion->size[i] =
            fmax(motion->h1[i], k >= 0 ? compared_motion_wave(motion, i, k) : 0.0);
    }
}

void compared_motion_recover(struct compared_motion *motion, const struct recovery *recovery,
                             const double *y)
{
    const struct recovery_point *point = &recovery->point;
    size_t n_coefficients = (size_t)motion->basis->n_coefficients;
    bool has_mean = motion->basis->harmonics[0] == 0;
    memcpy(motion->coefficients, point->coefficients,
           (size_t)motion->n_outputs * n_coefficients * sizeof(double));
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->max[i] = point->measures[i].max;
        motion->mean[i] = point->measures[i].mean;
        motion->h1[i] = point->measures[i].h1;
    }
    for (int a = 0; a < motion->n_axes; a++) {
        motion->axis_mean[a] = has_mean ? y[a] : 0.0;
    }
    for (int j = 0; j < recovery->balance->n_joints; j++) {
        const struct joint_response *response = recovery->balance->joints[j];
        for (int a = 0; a < response->n_axes; a++) {
            motion->axis_force[response->joint->first_axis + a] =
                has_mean ? response->f[(size_t)a * n_coefficients] : 0.0;
        }
    }
    find_sizes(motion);
    motion->joint_loss = 0.0;
    for (int j = 0; j < recovery->balance->n_joints; j++) {
        motion->joint_loss += point->joint_loss[j];
    }
}

static void keep_loop(struct compared_motion *motion, const struct integrator *integrator,
                      int step)
{
    size_t n = (size_t)motion->n_loop_axes, at = (size_t)step * n;
    for (size_t i = 0; motion->loop_x && i < n; i++) {
        motion->loop_x[at + i] = integrator->joints->x[motion->loop_axes[i]];
        motion->loop_f[at + i] = integrator->joints->f[motion->loop_axes[i]];
    }
}

enum masing_status compared_motion_begin(struct compared_motion *motion,
                                         const struct integrator *integrator, int n_periods,
                                         bool has_loops, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_steps = (size_t)n_periods * (size_t)integrator->n_steps;
    memset(motion->coefficients, 0,
           (size_t)motion->n_outputs * (size_t)motion->basis->n_coefficients * sizeof(double));
    memset(motion->axis_mean, 0, (size_t)motion->n_axes * sizeof(double));
    memset(motion->axis_force, 0, (size_t)motion->n_axes * sizeof(double));
    free(motion->loop_x);
    free(motion->loop_f);
    motion->loop_x = motion->loop_f = NULL;
    motion->n_loop_steps = (int)n_steps;
    if (has_loops && motion->n_loop_axes > 0) {
        size_t size = (n_steps + 1) * (size_t)motion->n_loop_axes;
        motion->loop_x = memory_array(size, sizeof(double));
        motion->loop_f = memory_array(size, sizeof(double));
        TRY_ALLOCATED(motion->loop_x && motion->loop_f);
        keep_loop(motion, integrator, 0);
    }
done:
    return status;
}

void compared_motion_step(struct compared_motion *motion, const struct record *record,
                          const struct integrator *integrator)
{
    const struct basis *basis = motion->basis;
    const struct forcing *forcing = integrator->forcing;
    double part = 1.0 / motion->n_loop_steps;
    for (int k = 0; k < basis->n_harmonics; k++) {
        long long h = basis->harmonics[k];
        size_t phase = (size_t)(h * integrator->phase % integrator->n_steps);
        double cosine = 2.0 * part * forcing->cosines[phase];
        double sine = 2.0 * part * forcing->sines[phase];
        double *coefficient = motion->coefficients + basis->position[k];
        for (int i = 0; i < motion->n_outputs; i++, coefficient += basis->n_coefficients) {
            coefficient[0] += (h == 0 ? part : cosine) * record->value[i];
            if (h > 0) {
                coefficient[1] += sine * record->value[i];
            }
        }
    }
    for (int a = 0; a < motion->n_axes; a++) {
        motion->axis_mean[a] += part * integrator->joints->x[a];
        motion->axis_force[a] += part * integrator->joints->f[a];
    }
    keep_loop(motion, integrator, record->n_steps);
}

void compared_motion_finish(struct compared_motion *motion, const struct record *record,
                            const struct integrator *integrator)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->max[i] = record_max(&record->outputs[i]);
        motion->low[i] = record->outputs[i].extremum.minimum;
        motion->high[i] = record->outputs[i].extremum.maximum;
        motion->mean[i] = record->outputs[i].mean;
        motion->h1[i] = record_h1(&record->outputs[i]);
    }
    find_sizes(motion);
    motion->joint_loss = record->loss_joints / record->n_periods;
    motion->unknown_loss = record_unknown_loss(record, integrator) / record->n_periods;
}

void compared_motion_void(struct compared_motion *motion)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->max[i] = motion->mean[i] = motion->h1[i] = motion->size[i] = NAN;
        motion->low[i] = motion->high[i] = NAN;
    }
    for (int i = 0; i < motion->n_outputs * motion->basis->n_coefficients; i++) {
        motion->coefficients[i] = NAN;
    }
    motion->joint_loss = motion->unknown_loss = NAN;
    free(motion->loop_x);
    free(motion->loop_f);
    motion->loop_x = motion->loop_f = NULL;
}

/* Motions below this part of the largest one, and losses below that part of the loads' work,
 * are not what relative differences are of. */
static const double SMALL_MOTION = 1e-9, SMALL_LOSS = 1e-3;

enum masing_status motion_differences_create(const struct compared_motion *motion,
                                             struct motion_differences **created,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct motion_differences *differences = memory_array(1, sizeof *differences);
    TRY_ALLOCATED(differences);
    size_t n = (size_t)motion->n_outputs;
    differences->n_outputs = motion->n_outputs;
    differences->n_waves = compared_motion_waves(motion->basis);
    differences->max = memory_array(n, sizeof(double));
    differences->mean = memory_array(n, sizeof(double));
    differences->waves = memory_array(n * (size_t)differences->n_waves, sizeof(double));
    TRY_ALLOCATED(differences->max && differences->mean && differences->waves);
done:
    if (status != MASING_OK) {
        motion_differences_destroy(differences);
        differences = NULL;
    }
    *created = differences;
    return status;
}

void motion_differences_destroy(struct motion_differences *differences)
{
    if (differences) {
        free(differences->max);
        free(differences->mean);
        free(differences->waves);
        free(differences);
    }
}

/* Of two zeros there is none. */
static double relative(double difference, double size)
{
    return difference == 0.0 ? 0.0 : fabs(difference) / size;
}

/* Of an output, moved back. */
static double largest_value(const struct compared_motion *integrated, int output, double offset)
{
    return offset == 0.0 ? integrated->max[output]
                         : fmax(fabs(integrated->low[output] - offset),
                                fabs(integrated->high[output] - offset));
}

void motion_differences_take(struct motion_differences *differences,
                             const struct compared_motion *balance,
                             const struct compared_motion *integrated, const double *shift,
                             double energy_in)
{
    const struct basis *basis = balance->basis;
    int skipped = basis->n_harmonics - differences->n_waves;
    double largest = 0.0;
    for (int i = 0; i < balance->n_outputs; i++) {
        largest = fmax(largest, fmax(integrated->size[i], balance->size[i]));
    }
    for (int i = 0; i < balance->n_outputs; i++) {
        size_t row = (size_t)i * (size_t)basis->n_coefficients;
        const double *a = balance->coefficients + row, *b = integrated->coefficients + row;
        double size = fmax(integrated->size[i], SMALL_MOTION * largest);
        size = size > 0.0 ? size : integrated->max[i];
        double offset = shift ? shift[i] : 0.0;
        double max = largest_value(integrated, i, offset);
        differences->max[i] =
            relative(balance->max[i] - max, fmax(max, SMALL_MOTION * largest));
        differences->mean[i] =
            relative(balance->mean[i] - (integrated->mean[i] - offset), size);
        for (int k = 0; k < differences->n_waves; k++) {
            int at = basis->position[k + skipped];
            double distance = hypot(a[at] - b[at], a[at + 1] - b[at + 1]);
            differences->waves[i * differences->n_waves + k] = relative(distance, size);
        }
    }
    double loss = fmax(fabs(integrated->joint_loss), SMALL_LOSS * fabs(energy_in));
    bool is_none = fabs(balance->joint_loss) <= integrated->unknown_loss &&
                   fabs(integrated->joint_loss) <= integrated->unknown_loss;
    differences->joint_loss =
        is_none ? 0.0 : relative(balance->joint_loss - integrated->joint_loss, loss);
}

double motion_differences_shape(const struct motion_differences *differences)
{
    double largest = 0.0;
    for (int i = 0; i < differences->n_outputs * differences->n_waves; i++) {
        largest = fmax(largest, differences->waves[i]);
    }
    return largest;
}

double motion_differences_worst(const struct motion_differences *differences,
                                const struct masing_spec *spec, const struct basis *basis,
                                char *name, size_t size)
{
    double worst = differences->joint_loss;
    int skipped = basis->n_harmonics - differences->n_waves;
    snprintf(name, size, "joint_loss");
    for (int i = 0; i < differences->n_outputs; i++) {
        const char *output = spec->outputs[i].name;
        const double *waves = differences->waves + (size_t)i * (size_t)differences->n_waves;
        if (differences->max[i] > worst) {
            worst = differences->max[i];
            snprintf(name, size, "%.80s_max", output);
        }
        if (differences->mean[i] > worst) {
            worst = differences->mean[i];
            snprintf(name, size, "%.80s_mean", output);
        }
        for (int k = 0; k < differences->n_waves; k++) {
            if (waves[k] > worst) {
                worst = waves[k];
                snprintf(name, size, "%.80s_h%d", output, basis->harmonics[k + skipped]);
            }
        }
    }
    return worst;
}
