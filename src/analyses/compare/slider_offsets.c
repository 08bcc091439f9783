/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/compare/slider_offsets.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/svd.h"
#include "transient/ports.h"

/* Compliances below this part of what both places have by themselves are round-off. */
static const double NOISE = 1e-9;

struct slider_offsets {
    int n_outputs, n_axes;
    double *compliance; /* [n_outputs][n_axes] */
    int n_rigid;
    double *rigid_outputs; /* [n_outputs][n_rigid] */
    struct svd svd;        /* of rigid_axes, rows of zeros below; none without rigid modes */
    double *moved, *q;     /* [rows of svd], [n_rigid] */
};

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
            c = fabs(c) > NOISE * sqrt(own * axis) ? c : 0.0;
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
    offsets->rigid_outputs =
        memory_array((size_t)offsets->n_outputs * (size_t)n, sizeof(double));
    offsets->moved = memory_array((size_t)n_rows, sizeof(double));
    offsets->q = memory_array((size_t)n, sizeof(double));
    TRY_ALLOCATED(offsets->rigid_outputs && offsets->moved && offsets->q);
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
        status =
            masing_error_set(error, status, "rigid-body modes: %s", masing_status_name(status));
    }
done:
    return status;
}

enum masing_status slider_offsets_create(const struct masing_model *model,
                                         struct slider_offsets **created,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct ports *ports = NULL;
    struct slider_offsets *offsets = memory_array(1, sizeof *offsets);
    TRY_ALLOCATED(offsets);
    TRY(ports_create(model, &ports, error));
    offsets->n_outputs = ports->n_outputs;
    offsets->n_axes = ports->n_axes;
    offsets->compliance =
        memory_array((size_t)ports->n_outputs * (size_t)ports->n_axes, sizeof(double));
    TRY_ALLOCATED(offsets->compliance);
    fill(offsets, model, ports);
    TRY(fill_rigid(offsets, model, ports, error));
done:
    ports_destroy(ports);
    if (status != MASING_OK) {
        slider_offsets_destroy(offsets);
        offsets = NULL;
    }
    *created = offsets;
    return status;
}

void slider_offsets_destroy(struct slider_offsets *offsets)
{
    if (offsets) {
        free(offsets->compliance);
        free(offsets->rigid_outputs);
        free(offsets->moved);
        free(offsets->q);
        svd_clear(&offsets->svd);
        free(offsets);
    }
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
                is_neutral ? integrated->axis_mean[axis] - own->axis_mean[axis] : 0.0;
        }
    }
    if (!is_any || offsets->n_rigid == 0) {
        return;
    }
    svd_solve(&offsets->svd, offsets->moved, 0.0, NOISE, offsets->q);
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
                shift[i] -= row[axis] * (integrated->axis_force[axis] - own->axis_force[axis]);
            }
        }
    }
    shift_neutral(offsets, balance, own, integrated, found, shift);
}
