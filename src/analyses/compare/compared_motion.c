/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/compare/comparison.h"
#include "base/check.h"
#include "linalg/dense.h"
#include "transient/ports.h"

enum masing_status compared_motion_create(const struct balance *balance, int n_outputs,
                                          struct arena *arena, struct compared_motion *motion,
                                          struct masing_error *error)
{
    const struct basis *basis = balance->basis;
    size_t n = (size_t)n_outputs, n_axes = (size_t)balance->n_axes;
    *motion = (struct compared_motion){
        .basis = basis,
        .n_outputs = n_outputs,
        .n_axes = balance->n_axes,
        .outputs = arena_array(arena, n, sizeof *motion->outputs),
        .coefficients = arena_doubles(arena, n * (size_t)basis->n_coefficients),
        .wave_differences = arena_doubles(arena, n * (size_t)basis->n_harmonics),
        .axes = arena_array(arena, n_axes, sizeof *motion->axes)};
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
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
    int largest = -1;
    double size = -1.0;
    for (int k = 0; k < motion->basis->n_harmonics; k++) {
        double here =
            motion->basis->harmonics[k] > 0 ? compared_motion_wave(motion, output, k) : -1.0;
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
        motion->outputs[i].size =
            fmax(motion->outputs[i].h1, k >= 0 ? compared_motion_wave(motion, i, k) : 0.0);
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
        const struct output_measures *measures = &point->measures[i];
        motion->outputs[i] = (struct compared_output){
            .max = measures->max, .mean = measures->mean, .h1 = measures->h1};
    }
    motion->joint_loss = 0.0;
    for (int j = 0; j < recovery->balance->n_joints; j++) {
        const struct joint_response *response = recovery->balance->joints[j];
        for (int a = 0; a < response->n_axes; a++) {
            int axis = response->joint->first_axis + a;
            double force = has_mean ? response->f[(size_t)a * n_coefficients] : 0.0;
            motion->axes[axis] = (struct compared_axis){has_mean ? y[axis] : 0.0, force};
        }
        motion->joint_loss += point->joint_loss[j];
    }
    find_sizes(motion);
}

void compared_motion_begin(struct compared_motion *motion)
{
    memset(motion->coefficients, 0,
           (size_t)motion->n_outputs * (size_t)motion->basis->n_coefficients * sizeof(double));
    memset(motion->axes, 0, (size_t)motion->n_axes * sizeof *motion->axes);
}

void compared_motion_step(struct compared_motion *motion, const struct record *record,
                          const struct integrator *integrator)
{
    const struct basis *basis = motion->basis;
    const struct forcing *forcing = integrator->forcing;
    double part = 1.0 / (record->n_periods * integrator->n_steps);
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
        motion->axes[a].mean += part * integrator->joints->x[a];
        motion->axes[a].force += part * integrator->joints->f[a];
    }
}

void compared_motion_finish(struct compared_motion *motion, const struct record *record,
                            const struct integrator *integrator)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        const struct record_output *output = &record->outputs[i];
        motion->outputs[i] = (struct compared_output){.max = record_max(output),
                                                      .mean = output->mean,
                                                      .h1 = record_h1(output),
                                                      .low = output->extremum.minimum,
                                                      .high = output->extremum.maximum};
    }
    find_sizes(motion);
    motion->joint_loss = record->work.joints / record->n_periods;
    motion->unknown_loss = record_unknown_loss(record, integrator) / record->n_periods;
}

void compared_motion_void(struct compared_motion *motion)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->outputs[i] = (struct compared_output){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    for (int i = 0; i < motion->n_outputs * motion->basis->n_coefficients; i++) {
        motion->coefficients[i] = NAN;
    }
    motion->joint_loss = motion->unknown_loss = NAN;
}

/* Motions below this part of the largest one, and losses below that part of the loads' work,
 * are not what relative differences are of. */
static const double SMALL_MOTION = 1e-9, SMALL_LOSS = 1e-3;

/* Of two zeros there is none. */
static double relative(double difference, double size)
{
    return difference == 0.0 ? 0.0 : fabs(difference) / size;
}

/* The least that differences of any output are relative to. */
static double least_size(const struct compared_motion *a, const struct compared_motion *b)
{
    double largest = 0.0;
    for (int i = 0; i < a->n_outputs; i++) {
        largest = fmax(largest, fmax(a->outputs[i].size, b->outputs[i].size));
    }
    return SMALL_MOTION * largest;
}

/* What differences of an output's harmonics are relative to. */
static double wave_size(const struct compared_motion *integrated, int output, double least)
{
    double size = fmax(integrated->outputs[output].size, least);
    return size > 0.0 ? size : integrated->outputs[output].max;
}

/* Of the k-th harmonic, if it is one above 0. */
static double wave_difference(const struct compared_motion *balance,
                              const struct compared_motion *integrated, int output, int k,
                              double size)
{
    const struct basis *basis = balance->basis;
    size_t at = (size_t)output * (size_t)basis->n_coefficients + (size_t)basis->position[k];
    const double *a = balance->coefficients + at, *b = integrated->coefficients + at;
    return basis->harmonics[k] == 0 ? 0.0 : relative(hypot(a[0] - b[0], a[1] - b[1]), size);
}

void compared_motion_differ(struct compared_motion *integrated,
                            const struct compared_motion *balance, const double *shift,
                            double energy_in)
{
    int n = balance->basis->n_harmonics;
    double least = least_size(balance, integrated);
    for (int i = 0; i < balance->n_outputs; i++) {
        struct compared_output *found = &integrated->outputs[i];
        double size = wave_size(integrated, i, least), offset = shift[i];
        double moved = fmax(fabs(found->low - offset), fabs(found->high - offset));
        double max = offset == 0.0 ? found->max : moved;
        found->max_difference = relative(balance->outputs[i].max - max, fmax(max, least));
        found->mean_difference =
            relative(balance->outputs[i].mean - (found->mean - offset), size);
        for (int k = 0; k < n; k++) {
            integrated->wave_differences[i * n + k] =
                wave_difference(balance, integrated, i, k, size);
        }
    }
    double loss = fmax(fabs(integrated->joint_loss), SMALL_LOSS * fabs(energy_in));
    bool is_none = fabs(balance->joint_loss) <= integrated->unknown_loss &&
                   fabs(integrated->joint_loss) <= integrated->unknown_loss;
    integrated->loss_difference =
        is_none ? 0.0 : relative(balance->joint_loss - integrated->joint_loss, loss);
}

double compared_motion_shape(const struct compared_motion *balance,
                             const struct compared_motion *integrated)
{
    double largest = 0.0, least = least_size(balance, integrated);
    for (int i = 0; i < balance->n_outputs; i++) {
        double size = wave_size(integrated, i, least);
        for (int k = 0; k < balance->basis->n_harmonics; k++) {
            largest = fmax(largest, wave_difference(balance, integrated, i, k, size));
        }
    }
    return largest;
}

double compared_motion_worst(const struct compared_motion *integrated,
                             const struct masing_spec *spec, char *name, size_t size)
{
    const struct basis *basis = integrated->basis;
    double worst = integrated->loss_difference;
    snprintf(name, size, "joint_loss");
    for (int i = 0; i < integrated->n_outputs; i++) {
        const struct compared_output *output = &integrated->outputs[i];
        const double *waves = integrated->wave_differences + i * basis->n_harmonics;
        if (output->max_difference > worst) {
            worst = output->max_difference;
            snprintf(name, size, "%.80s_max", spec->outputs[i].name);
        }
        if (output->mean_difference > worst) {
            worst = output->mean_difference;
            snprintf(name, size, "%.80s_mean", spec->outputs[i].name);
        }
        for (int k = 0; k < basis->n_harmonics; k++) {
            if (basis->harmonics[k] > 0 && waves[k] > worst) {
                worst = waves[k];
                snprintf(name, size, "%.80s_h%d", spec->outputs[i].name, basis->harmonics[k]);
            }
        }
    }
    return worst;
}

/* ---- means that the past decides ---- */

/* Compliances, and singular values of the rigid-body modes at the axes, below this part of what
 * both places have by themselves, or of the largest, are round-off. */
static const double LEAST_COMPLIANCE = 1e-9;

/* Of two ports through the modes that are not rigid. */
static double modal_compliance(const struct structure *structure, const struct ports *ports,
                               int a, int b)
{
    int n = ports->n_modes;
    double sum = 0.0;
    for (int k = structure->n_rigid; k < n; k++) {
        sum += ports->shapes[a * n + k] * ports->shapes[b * n + k] /
               (structure->omega[k] * structure->omega[k]);
    }
    return sum;
}

static void fill_compliance(struct slider_offsets *offsets, const struct masing_model *model,
                            const struct ports *ports)
{
    const struct structure *structure = model->structure;
    for (int i = 0; i < offsets->n_outputs; i++) {
        int port = ports->n_axes + i;
        bool has_mean = model->spec.outputs[i].quantity == MASING_DISPLACEMENT;
        double own = modal_compliance(structure, ports, port, port);
        for (int a = 0; has_mean && a < ports->n_axes; a++) {
            double axis = modal_compliance(structure, ports, a, a);
            double c = modal_compliance(structure, ports, port, a);
            c = fabs(c) > LEAST_COMPLIANCE * sqrt(own * axis) ? c : 0.0;
            c += ports->flexibility ? ports->flexibility[a * ports->n_ports + port] : 0.0;
            offsets->compliance[i * offsets->n_axes + a] = c;
        }
    }
}

/* Rigid-body modes at the axes and at outputs of displacement. */
static enum masing_status fill_rigid(struct slider_offsets *offsets,
                                     const struct masing_model *model,
                                     const struct ports *ports, struct arena *arena,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = offsets->n_rigid = model->structure->n_rigid, n_axes = offsets->n_axes;
    int n_rows = n_axes > n ? n_axes : n;
    if (n == 0) {
        return MASING_OK;
    }
    TRY(svd_create(n_rows, n, &offsets->svd, error));
    offsets->rigid_outputs = arena_doubles(arena, (size_t)offsets->n_outputs * (size_t)n);
    offsets->moved = arena_doubles(arena, (size_t)n_rows);
    offsets->q = arena_doubles(arena, (size_t)n);
    TRY_ALLOCATED(!arena->has_failed);
    for (int k = 0; k < n; k++) {
        for (int a = 0; a < n_axes; a++) {
            offsets->svd.matrix[k * n_rows + a] = ports->shapes[a * ports->n_modes + k];
        }
        for (int i = 0; i < offsets->n_outputs; i++) {
            bool has_mean = model->spec.outputs[i].quantity == MASING_DISPLACEMENT;
            offsets->rigid_outputs[i * n + k] =
                has_mean ? ports->shapes[(n_axes + i) * ports->n_modes + k] : 0.0;
        }
    }
    status = svd_factor(n, &offsets->svd);
    if (status != MASING_OK) {
        masing_error_set(error, status, "rigid-body modes: %s", masing_status_name(status));
    }
done:
    return status;
}

enum masing_status slider_offsets_create(const struct masing_model *model, struct arena *arena,
                                         struct slider_offsets *offsets,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    struct ports *ports = NULL;
    TRY(ports_create(model, &scratch, &ports, error));
    offsets->n_outputs = ports->n_outputs;
    offsets->n_axes = ports->n_axes;
    offsets->compliance =
        arena_doubles(arena, (size_t)ports->n_outputs * (size_t)ports->n_axes);
    TRY_ALLOCATED(offsets->compliance);
    fill_compliance(offsets, model, ports);
    status = fill_rigid(offsets, model, ports, arena, error);
done:
    arena_clear(&scratch);
    return status;
}

bool slider_offsets_reach(const struct slider_offsets *offsets, const struct balance *balance,
                          int output)
{
    const double *row = offsets->compliance + (size_t)output * (size_t)offsets->n_axes;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        for (int a = 0; response->slip_share == 0.0 && a < response->n_axes; a++) {
            if (row[response->joint->first_axis + a] != 0.0) {
                return true;
            }
        }
    }
    return false;
}

void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift)
{
    bool moves_rigidly = false;
    memset(shift, 0, (size_t)offsets->n_outputs * sizeof(double));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        bool is_neutral = found[j] == MASING_OFFSET_NEUTRAL && offsets->n_rigid > 0;
        moves_rigidly = moves_rigidly || is_neutral;
        for (int a = 0; a < response->n_axes; a++) {
            int axis = response->joint->first_axis + a;
            const struct compared_axis *now = &integrated->axes[axis], *then = &own->axes[axis];
            for (int i = 0; response->slip_share == 0.0 && i < offsets->n_outputs; i++) {
                shift[i] -= offsets->compliance[i * offsets->n_axes + axis] *
                            (now->force - then->force);
            }
            if (offsets->n_rigid > 0) {
                offsets->moved[axis] = is_neutral ? now->mean - then->mean : 0.0;
            }
        }
    }
    if (moves_rigidly) { /* as far as neutral joints are apart, and no others */
        svd_solve(&offsets->svd, offsets->moved, 0.0, LEAST_COMPLIANCE, offsets->q);
    }
    for (int i = 0; moves_rigidly && i < offsets->n_outputs; i++) {
        const double *row = offsets->rigid_outputs + (size_t)i * (size_t)offsets->n_rigid;
        shift[i] += dense_dot(offsets->n_rigid, row, offsets->q);
    }
}
