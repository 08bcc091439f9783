/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/slider_offsets.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/ports.h"

/* Compliances below this part of what both places have by themselves are round-off. */
static const double NOISE = 1e-9;

struct slider_offsets {
    int n_outputs, n_axes;
    double *compliance; /* [n_outputs][n_axes] */
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

void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated, double *shift)
{
    for (int i = 0; i < offsets->n_outputs; i++) {
        const double *row = offsets->compliance + (size_t)i * (size_t)offsets->n_axes;
        shift[i] = integrated->rigid_mean[i];
        for (int j = 0; j < balance->n_joints; j++) {
            const struct joint_response *response = balance->joints[j];
            for (int a = 0; response->slip_share == 0.0 && a < response->n_axes; a++) {
                int axis = response->joint->first_axis + a;
                shift[i] -= row[axis] * (integrated->axis_force[axis] - own->axis_force[axis]);
            }
        }
    }
}
