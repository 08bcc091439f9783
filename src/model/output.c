/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an output is beside a weighted sum of displacements. */
#include "model/output.h"

#include <math.h>

int output_order(const struct masing_output_spec *output)
{
    return output->quantity == MASING_TRANSMISSIBILITY ? 2 : (int)output->quantity;
}

static bool is_absolute(const struct masing_output_spec *output)
{
    return output->is_absolute || output->quantity == MASING_TRANSMISSIBILITY;
}

double output_scale(const struct masing_model *model, int output)
{
    double amplitude = 1.0;
    if (model->spec.outputs[output].quantity == MASING_TRANSMISSIBILITY) {
        for (int l = 0; l < model->spec.n_loads; l++) {
            amplitude = model->loads[l].kind == MASING_LOAD_BASE_ACCELERATION
                            ? model->loads[l].amplitude
                            : amplitude;
        }
    }
    return 1.0 / fabs(amplitude);
}

bool output_base_motion(const struct masing_model *model, int output, int load, double omega,
                        double motion[2])
{
    const struct masing_combination *combination = &model->spec.outputs[output].combination;
    const double *direction = model->spec.loads[load].pattern;
    double share = 0.0, amplitude[2], slope[2];
    if (model->loads[load].kind != MASING_LOAD_BASE_ACCELERATION ||
        !is_absolute(&model->spec.outputs[output])) {
        return false;
    }
    for (int t = 0; t < combination->n_terms; t++) {
        share += combination->terms[t].weight * direction[combination->terms[t].dof];
    }
    load_amplitude(&model->loads[load], omega, amplitude, slope);
    double factor = -share / pow(model->loads[load].harmonic * omega, 2.0);
    motion[0] = factor * amplitude[0];
    motion[1] = -factor * amplitude[1];
    return true;
}

double output_base_value(const struct masing_model *model, int output, double omega,
                         double angle, int order)
{
    double sum = 0.0, motion[2];
    for (int l = 0; l < model->spec.n_loads; l++) {
        if (output_base_motion(model, output, l, omega, motion)) {
            int h = model->loads[l].harmonic;
            double c = cos(h * angle), s = sin(h * angle);
            double value =
                order % 2 == 0 ? motion[0] * c + motion[1] * s : motion[1] * c - motion[0] * s;
            sum += (order >= 2 ? -value : value) * pow(h * omega, order);
        }
    }
    return sum;
}
