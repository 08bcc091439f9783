/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/message.h"
#include "model/seal.h"

/* Sum of the weights of a term's DOF, and of their absolute values */
static void sum_weights(const struct masing_combination *combination, int dof, double *sum,
                        double *gross)
{
    *sum = *gross = 0;
    for (int t = 0; t < combination->n_terms; t++) {
        if (combination->terms[t].dof == dof) {
            *sum += combination->terms[t].weight;
            *gross += fabs(combination->terms[t].weight);
        }
    }
}

enum masing_status seal_combination(const struct masing_spec *spec, struct masing_place place,
                                    const char *what,
                                    const struct masing_combination *combination,
                                    struct masing_error *error)
{
    bool is_empty = true;
    for (int t = 0; t < combination->n_terms; t++) {
        struct masing_term term = combination->terms[t];
        if (term.dof < 0 || term.dof >= spec->structure.n_dofs) {
            return model_refuse(spec, place, error, "%s: DOF %d, expected 1 to %d", what,
                                term.dof + 1, spec->structure.n_dofs);
        }
        if (!isfinite(term.weight)) {
            return model_refuse(spec, place, error,
                                "%s: the weight of DOF %s is %g, expected a finite number",
                                what, model_dof_text(spec, term.dof).text, term.weight);
        }
        double sum, gross;
        sum_weights(combination, term.dof, &sum, &gross);
        is_empty = is_empty && fabs(sum) <= 1e-14 * gross;
    }
    if (is_empty) {
        return model_refuse(
            spec, place, error,
            "%s: all weights are zero or cancel, expected at least one DOF that "
            "moves it",
            what);
    }
    return MASING_OK;
}

static enum masing_status check_name(const struct masing_spec *spec, int index,
                                     struct masing_error *error)
{
    const struct masing_joint_spec *joint = &spec->joints[index];
    if (!joint->name || !joint->name[0]) {
        return model_refuse(spec, joint->place, error, "joint %d: no name, expected one",
                            index + 1);
    }
    for (int i = 0; i < index; i++) {
        if (strcmp(spec->joints[i].name, joint->name) == 0) {
            return model_refuse(spec, joint->place, error,
                                "joint '%s': the name is taken already, expected another",
                                joint->name);
        }
    }
    return MASING_OK;
}

static enum masing_status check_law(const struct masing_spec *spec,
                                    const struct masing_joint_spec *joint, const char *what,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    if (!joint->law || !joint->parameters || !joint->axes) {
        return model_refuse(spec, joint->place, error, "%s: expected a law and its axes", what);
    }
    TRY(seal_fields(spec, joint->place, what, joint->law->fields, joint->law->n_fields,
                    joint->parameters, error));
    if (joint->law->check && joint->law->check(joint->parameters, &inner) != MASING_OK) {
        status = model_refuse(spec, joint->place, error, "%s: %s", what, inner.message);
        goto done;
    }
    if (spec->forces == MASING_FORCES_EXACT && !joint->law->phases) {
        status = model_refuse(spec, joint->place, error,
                              "%s: law '%s' has no phases in closed form, expected 'forces: "
                              "auto' or 'sampled'",
                              what, joint->law->name);
    }
done:
    return status;
}

enum masing_status seal_joint(const struct masing_spec *spec, int index,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_joint_spec *joint = &spec->joints[index];
    char what[128];
    TRY(check_name(spec, index, error));
    snprintf(what, sizeof what, "joint '%.100s'", joint->name);
    TRY(check_law(spec, joint, what, error));
    for (int a = 0; spec->structure.n_dofs > 0 && a < joint->law->n_axes; a++) {
        TRY(seal_combination(spec, joint->place, what, &joint->axes[a], error));
    }
done:
    return status;
}

enum masing_status seal_joints(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    for (int j = 0; j < spec->n_joints; j++) {
        TRY(seal_joint(spec, j, error));
        model->n_axes += spec->joints[j].law->n_axes;
    }
    model->axes = memory_array((size_t)model->n_axes, sizeof *model->axes);
    model->joints = memory_array((size_t)spec->n_joints, sizeof *model->joints);
    TRY_ALLOCATED(model->axes);
    TRY_ALLOCATED(model->joints);
    for (int j = 0, axis = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *given = &spec->joints[j];
        model->joints[j] = (struct joint){.name = given->name,
                                          .law = given->law,
                                          .parameters = given->parameters,
                                          .first_axis = axis,
                                          .n_axes = given->law->n_axes};
        for (int a = 0; a < given->law->n_axes; a++) {
            model->axes[axis++] = given->axes[a];
        }
    }
done:
    return status;
}
