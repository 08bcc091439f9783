/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/compare/compared_motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "transient/ports.h"

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
                                          struct compared_motion *motion,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *motion = (struct compared_motion){
        .basis = balance->basis, .n_outputs = n_outputs, .n_axes = balance->n_axes};
    size_t n = (size_t)n_outputs, n_axes = (size_t)balance->n_axes;
    motion->outputs = memory_array(n, sizeof *motion->outputs);
    motion->coefficients =
        memory_array(n * (size_t)balance->n_coefficients, sizeof *motion->coefficients);
    motion->axes = memory_array(n_axes, sizeof *motion->axes);
    motion->loop_axes = memory_array(n_axes, sizeof *motion->loop_axes);
    TRY_ALLOCATED(motion->outputs && motion->coefficients && motion->axes && motion->loop_axes);
    list_loop_axes(motion, balance);
done:
    return status;
}

static void drop_loops(struct compared_motion *motion)
{
    free(motion->loop_x);
    motion->loop_x = motion->loop_f = NULL;
}

void compared_motion_clear(struct compared_motion *motion)
{
    drop_loops(motion);
    free(motion->outputs);
    free(motion->coefficients);
    free(motion->axes);
    free(motion->loop_axes);
}

/* Harmonics above 0. */
static int count_waves(const struct basis *basis)
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
    for (int k = basis->n_harmonics - count_waves(basis); k < basis->n_harmonics; k++) {
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
    for (int a = 0; a < motion->n_axes; a++) {
        motion->axes[a].mean = has_mean ? y[a] : 0.0;
    }
    for (int j = 0; j < recovery->balance->n_joints; j++) {
        const struct joint_response *response = recovery->balance->joints[j];
        for (int a = 0; a < response->n_axes; a++) {
            motion->axes[response->joint->first_axis + a].force =
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
    memset(motion->axes, 0, (size_t)motion->n_axes * sizeof *motion->axes);
    drop_loops(motion);
    motion->n_loop_steps = (int)n_steps;
    if (has_loops && motion->n_loop_axes > 0) {
        size_t size = (n_steps + 1) * (size_t)motion->n_loop_axes;
        motion->loop_x = memory_array(2 * size, sizeof(double));
        TRY_ALLOCATED(motion->loop_x);
        motion->loop_f = motion->loop_x + size;
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
        motion->axes[a].mean += part * integrator->joints->x[a];
        motion->axes[a].force += part * integrator->joints->f[a];
    }
    keep_loop(motion, integrator, record->n_steps);
}

void compared_motion_finish(struct compared_motion *motion, const struct record *record,
                            const struct integrator *integrator)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->outputs[i] =
            (struct compared_output){.max = record_max(&record->outputs[i]),
                                     .mean = record->outputs[i].mean,
                                     .h1 = record_h1(&record->outputs[i]),
                                     .low = record->outputs[i].extremum.minimum,
                                     .high = record->outputs[i].extremum.maximum};
    }
    find_sizes(motion);
    motion->joint_loss = record->loss_joints / record->n_periods;
    motion->unknown_loss = record_unknown_loss(record, integrator) / record->n_periods;
}

void compared_motion_void(struct compared_motion *motion)
{
    for (int i = 0; i < motion->n_outputs; i++) {
        motion->outputs[i] = (struct compared_output){NAN, NAN, NAN, NAN, NAN, NAN};
    }
    for (int i = 0; i < motion->n_outputs * motion->basis->n_coefficients; i++) {
        motion->coefficients[i] = NAN;
    }
    motion->joint_loss = motion->unknown_loss = NAN;
    drop_loops(motion);
}

/* Motions below this part of the largest one, and losses below that part of the loads' work,
 * are not what relative differences are of. */
static const double SMALL_MOTION = 1e-9, SMALL_LOSS = 1e-3;

enum masing_status motion_differences_create(const struct compared_motion *motion,
                                             struct motion_differences *differences,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)motion->n_outputs;
    *differences = (struct motion_differences){.n_outputs = motion->n_outputs,
                                               .n_waves = count_waves(motion->basis)};
    differences->outputs = memory_array(n, sizeof *differences->outputs);
    differences->waves = memory_array(n * (size_t)differences->n_waves, sizeof(double));
    TRY_ALLOCATED(differences->outputs && differences->waves);
done:
    return status;
}

void motion_differences_clear(struct motion_differences *differences)
{
    free(differences->outputs);
    free(differences->waves);
}

/* Of two zeros there is none. */
static double relative(double difference, double size)
{
    return difference == 0.0 ? 0.0 : fabs(difference) / size;
}

/* Of an output, moved back. */
static double largest_value(const struct compared_motion *integrated, int output, double offset)
{
    const struct compared_output *values = &integrated->outputs[output];
    return offset == 0.0 ? values->max
                         : fmax(fabs(values->low - offset), fabs(values->high - offset));
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
        largest = fmax(largest, fmax(integrated->outputs[i].size, balance->outputs[i].size));
    }
    for (int i = 0; i < balance->n_outputs; i++) {
        size_t row = (size_t)i * (size_t)basis->n_coefficients;
        const double *a = balance->coefficients + row, *b = integrated->coefficients + row;
        double size = fmax(integrated->outputs[i].size, SMALL_MOTION * largest);
        size = size > 0.0 ? size : integrated->outputs[i].max;
        double offset = shift ? shift[i] : 0.0;
        double max = largest_value(integrated, i, offset);
        differences->outputs[i].max =
            relative(balance->outputs[i].max - max, fmax(max, SMALL_MOTION * largest));
        differences->outputs[i].mean =
            relative(balance->outputs[i].mean - (integrated->outputs[i].mean - offset), size);
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
        if (differences->outputs[i].max > worst) {
            worst = differences->outputs[i].max;
            snprintf(name, size, "%.80s_max", output);
        }
        if (differences->outputs[i].mean > worst) {
            worst = differences->outputs[i].mean;
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

static void fill(struct slider_offsets *offsets, const struct masing_model *model,
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
                                     const struct ports *ports, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = offsets->n_rigid = model->structure->n_rigid, n_axes = offsets->n_axes;
    int n_rows = n_axes > n ? n_axes : n;
    if (n == 0) {
        return MASING_OK;
    }
    TRY(svd_create(n_rows, n, &offsets->svd, error));
    size_t n_values = (size_t)offsets->n_outputs * (size_t)n;
    offsets->rigid_outputs = memory_array(n_values + (size_t)(n_rows + n), sizeof(double));
    TRY_ALLOCATED(offsets->rigid_outputs);
    offsets->moved = offsets->rigid_outputs + n_values;
    offsets->q = offsets->moved + n_rows;
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

enum masing_status slider_offsets_create(const struct masing_model *model,
                                         struct slider_offsets *offsets,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct ports *ports = NULL;
    TRY(ports_create(model, &arena, &ports, error));
    offsets->n_outputs = ports->n_outputs;
    offsets->n_axes = ports->n_axes;
    offsets->compliance =
        memory_array((size_t)ports->n_outputs * (size_t)ports->n_axes, sizeof(double));
    TRY_ALLOCATED(offsets->compliance);
    fill(offsets, model, ports);
    TRY(fill_rigid(offsets, model, ports, error));
done:
    arena_clear(&arena);
    return status;
}

void slider_offsets_clear(struct slider_offsets *offsets)
{
    free(offsets->compliance);
    free(offsets->rigid_outputs);
    svd_clear(&offsets->svd);
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

/* The rigid-body motion that moves neutral joints as far as they are apart, and no others. */
static void shift_neutral(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift)
{
    bool is_any = false;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        bool is_neutral = found[j] == MASING_OFFSET_NEUTRAL;
        is_any = is_any || is_neutral;
        for (int a = 0; a < response->n_axes && offsets->n_rigid > 0; a++) {
            int axis = response->joint->first_axis + a;
            offsets->moved[axis] =
                is_neutral ? integrated->axes[axis].mean - own->axes[axis].mean : 0.0;
        }
    }
    if (!is_any || offsets->n_rigid == 0) {
        return;
    }
    svd_solve(&offsets->svd, offsets->moved, 0.0, LEAST_COMPLIANCE, offsets->q);
    for (int i = 0; i < offsets->n_outputs; i++) {
        const double *row = offsets->rigid_outputs + (size_t)i * (size_t)offsets->n_rigid;
        shift[i] += dense_dot(offsets->n_rigid, row, offsets->q);
    }
}

void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift)
{
    for (int i = 0; i < offsets->n_outputs; i++) {
        const double *row = offsets->compliance + (size_t)i * (size_t)offsets->n_axes;
        shift[i] = 0.0;
        for (int j = 0; j < balance->n_joints; j++) {
            const struct joint_response *response = balance->joints[j];
            for (int a = 0; response->slip_share == 0.0 && a < response->n_axes; a++) {
                int axis = response->joint->first_axis + a;
                shift[i] -= row[axis] * (integrated->axes[axis].force - own->axes[axis].force);
            }
        }
    }
    shift_neutral(offsets, balance, own, integrated, found, shift);
}
