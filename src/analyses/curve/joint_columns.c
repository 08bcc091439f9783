/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/joint_columns.h"

#include <math.h>

#include "analyses/curve/contact_counts.h"
#include "harmonic/recovery/recovery.h"
#include "model/joints.h"

/* One axis of a joint: what it does over the period, and in the first harmonic. */
struct axis_state {
    double amplitude, displacement_mean, force, force_mean;
    double stiffness, damping; /* spring and damper that give the force; none where it rests */
};

static double mean_of(const struct basis *basis, const double *coefficients)
{
    return basis->harmonics[0] == 0 ? coefficients[0] : 0.0;
}

static struct axis_state axis_state_of(struct joint_response *response, int axis)
{
    static const double none[2] = {NAN, NAN};
    const struct basis *basis = response->basis;
    size_t at = (size_t)axis * (size_t)basis->n_coefficients;
    const double *x = response->x + at, *f = response->f + at;
    int first = recovery_first_harmonic(basis); /* < 0: not in the list */
    const double *x1 = first < 0 ? none : x + first, *f1 = first < 0 ? none : f + first;
    const struct masing_range *range = &response->range[axis];
    joint_response_range(response, axis);
    double square = x1[0] * x1[0] + x1[1] * x1[1];
    bool is_moving = square > 0.0;
    double in_phase = f1[0] * x1[0] + f1[1] * x1[1], ahead = f1[0] * x1[1] - f1[1] * x1[0];
    return (struct axis_state){
        .amplitude = 0.5 * (range->maximum - range->minimum),
        .displacement_mean = mean_of(basis, x),
        .force = hypot(f1[0], f1[1]),
        .force_mean = mean_of(basis, f),
        .stiffness = is_moving ? in_phase / square : NAN,
        .damping = is_moving ? ahead / (response->omega * square) : NAN,
    };
}

static void walk_axis(struct row_table *table, const struct masing_joint_spec *spec,
                      struct joint_response *response, int axis)
{
    char name[MASING_COLUMN_NAME - 24] = "";
    struct axis_state state = {0};
    if (table->is_filling) {
        state = axis_state_of(response, axis);
    } else {
        joint_axis_text(spec, axis, name, sizeof name);
    }
    ROW_REAL(table, state.amplitude, "%s_displacement_amp", name);
    ROW_REAL(table, state.displacement_mean, "%s_displacement_mean", name);
    ROW_REAL(table, state.force, "%s_force_h1", name);
    ROW_REAL(table, state.force_mean, "%s_force_mean", name);
    ROW_REAL(table, state.stiffness, "%s_equivalent_stiffness", name);
    ROW_REAL(table, state.damping, "%s_equivalent_damping", name);
}

void joint_columns(struct row_table *table, const struct masing_model *model,
                   struct joint_response *const *responses)
{
    for (int j = 0; j < model->spec.n_joints; j++) {
        bool is_alone = model->spec.groups[model->joints[j].group].n_joints == 1;
        for (int a = 0; is_alone && a < model->joints[j].n_axes; a++) {
            walk_axis(table, model->joints[j].spec, responses ? responses[j] : NULL, a);
        }
    }
    contact_count_columns(table, model, responses);
}
