/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

enum masing_status seal_combination(const struct masing_spec *spec,
                                    const struct model_part *part, const char *what,
                                    const struct masing_combination *combination,
                                    struct masing_error *error)
{
    bool is_empty = true;
    for (int t = 0; t < combination->n_terms; t++) {
        struct masing_term term = combination->terms[t];
        if (term.dof < 0 || term.dof >= spec->structure.n_dofs) {
            return model_refuse_part(spec, part, error, "%s: DOF %d, expected 1 to %d", what,
                                     term.dof + 1, spec->structure.n_dofs);
        }
        if (!isfinite(term.weight)) {
            return model_refuse_part(spec, part, error,
                                     "%s: the weight of DOF %s is %g, expected a finite number",
                                     what, model_dof_text(spec, term.dof).text, term.weight);
        }
        double sum, gross;
        sum_weights(combination, term.dof, &sum, &gross);
        is_empty = is_empty && fabs(sum) <= 1e-14 * gross;
    }
    if (is_empty) {
        return model_refuse_part(
            spec, part, error,
            "%s: all weights are zero or cancel, expected at least one DOF that "
            "moves it",
            what);
    }
    return MASING_OK;
}

static enum masing_status check_law(const struct masing_spec *spec,
                                    const struct masing_joint_spec *joint,
                                    const struct model_part *part, const char *what,
                                    void *parameters, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    if (!joint->law || !parameters || !joint->axes) {
        return model_refuse_part(spec, part, error, "%s: expected a law and its axes", what);
    }
    TRY(seal_fields(spec, part, what, joint->law->fields, joint->law->n_fields, parameters,
                    error));
    if (masing_law_check(joint->law, parameters, &inner) != MASING_OK) {
        struct model_part wrong = model_part_of(part, inner.part);
        TRY(model_refuse_part(spec, &wrong, error, "%s: %s", what, inner.message));
    }
done:
    return status;
}

static enum masing_status check_forces(const struct masing_spec *spec, int index,
                                       struct masing_error *error)
{
    const struct masing_joint_spec *joint = &spec->joints[index];
    struct model_part part = model_part(joint->place, "joints.%d", index);
    if (spec->forces != MASING_FORCES_EXACT || joint->law->phases) {
        return MASING_OK;
    }
    return model_refuse_part(spec, &part, error,
                             "joint '%s': law '%s' has no phases in closed form, expected "
                             "'forces: auto' or 'sampled'",
                             joint->name, joint->law->name);
}

enum masing_status seal_joint(const struct masing_spec *spec, int index, void *parameters,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_joint_spec *joint = &spec->joints[index];
    struct model_part part = model_part(joint->place, "joints.%d", index);
    char what[128];
    snprintf(what, sizeof what, "joint '%.100s'", joint->name);
    TRY(check_law(spec, joint, &part, what, parameters, error));
    for (int a = 0; spec->structure.n_dofs > 0 && a < masing_joint_spec_axes(joint); a++) {
        TRY(seal_combination(spec, &part, what, &joint->axes[a], error));
    }
done:
    return status;
}

/* A joint that belongs to no group is one. */
static enum masing_status make_groups(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (spec->n_groups > 0 || spec->n_joints == 0) {
        return MASING_OK;
    }
    spec->groups = memory_array((size_t)spec->n_joints, sizeof *spec->groups);
    TRY_ALLOCATED(spec->groups);
    for (int j = 0; j < spec->n_joints; j++) {
        struct masing_joint_group *group = &spec->groups[spec->n_groups++];
        *group = (struct masing_joint_group){.first = j, .n_joints = 1};
        TRY_ALLOCATED(group->name = memory_text(spec->joints[j].name));
    }
done:
    return status;
}

/* Groups follow each other and cover the joints. */
static enum masing_status assign_groups(struct masing_model *model, struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    int next = 0;
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        if (group->first != next || group->n_joints < 1 ||
            group->n_joints > spec->n_joints - next) {
            return masing_error_set(error, MASING_INVALID,
                                    "joint group %d: %d joints from joint %d on, expected "
                                    "groups that follow each other and cover all joints",
                                    g + 1, group->n_joints, group->first + 1);
        }
        for (int j = 0; j < group->n_joints; j++) {
            model->joints[next++].group = g;
        }
    }
    return next == spec->n_joints
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "the joint groups cover %d of %d joints, expected all", next,
                                  spec->n_joints);
}

enum masing_status seal_joints(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    TRY(make_groups(&model->spec, error));
    for (int j = 0; j < spec->n_joints; j++) {
        TRY(seal_joint(spec, j, spec->joints[j].parameters, error));
        TRY(check_forces(spec, j, error));
        model->n_axes += masing_joint_spec_axes(&spec->joints[j]);
    }
    model->axes = memory_array((size_t)model->n_axes, sizeof *model->axes);
    model->joints = memory_array((size_t)spec->n_joints, sizeof *model->joints);
    TRY_ALLOCATED(model->axes);
    TRY_ALLOCATED(model->joints);
    for (int j = 0, axis = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *given = &spec->joints[j];
        model->joints[j] = (struct joint){.name = given->name,
                                          .spec = given,
                                          .law = given->law,
                                          .parameters = given->parameters,
                                          .first_axis = axis,
                                          .n_axes = masing_joint_spec_axes(given),
                                          .area = given->area > 0.0 ? given->area : 1.0};
        for (int a = 0; a < model->joints[j].n_axes; a++) {
            model->axes[axis++] = given->axes[a];
        }
    }
    TRY(assign_groups(model, error));
done:
    return status;
}
