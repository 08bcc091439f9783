/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/joint_stiffness.h"

#include <math.h>
#include <string.h>

static void fill(const struct masing_law *law, const void *parameters, int n_axes,
                 bool is_stuck, double *tangent)
{
    masing_law_stiffness(law, parameters, is_stuck, tangent);
    for (int i = 0; i < n_axes * n_axes; i++) {
        tangent[i] = isfinite(tangent[i]) ? tangent[i] : 0.0;
    }
}

void joint_stiffness(const struct joint *joint, bool is_stuck, double *tangent)
{
    fill(joint->law, joint->parameters, joint->n_axes, is_stuck, tangent);
}

double joint_stiffest(const struct joint *joint, bool is_stuck)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], largest = 0.0;
    joint_stiffness(joint, is_stuck, tangent);
    for (int a = 0; a < joint->n_axes; a++) {
        largest = fmax(largest, fabs(tangent[a * (joint->n_axes + 1)]));
    }
    return largest;
}

void joint_stiffness_matrix(const struct masing_spec *spec, bool is_stuck, int n_axes,
                            double *matrix)
{
    size_t n = (size_t)n_axes, first = 0;
    memset(matrix, 0, sizeof *matrix * n * n);
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        size_t m = (size_t)masing_joint_spec_axes(joint);
        double tangent[MASING_MAX_AXES * MASING_MAX_AXES];
        fill(joint->law, joint->parameters, (int)m, is_stuck, tangent);
        for (size_t a = 0; a < m; a++) {
            memcpy(matrix + (first + a) * n + first, tangent + a * m, sizeof *matrix * m);
        }
        first += m;
    }
}
