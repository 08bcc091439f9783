/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the peak depends on each number of each joint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak_course.h"
#include "base/check.h"
#include "base/memory.h"

struct asking {
    struct peak_course *course;
    struct sensitivity *sensitivity;
    const struct peak_state *state;
    void *tangent;
};

static double number_of(const struct joint *joint, const struct masing_field *field)
{
    return field->type == MASING_FIELD_REAL ? masing_field_value(field, joint->parameters)
                                            : NAN;
}

/* d(measure) of one joint's number, times the number. */
static enum masing_status of_number(struct asking *asking, const struct joint *joint,
                                    const struct masing_field *field, double *change)
{
    enum masing_status status = MASING_OK;
    const struct peak_site *site = asking->course->site;
    const struct masing_spec *spec = &site->model->spec;
    masing_law_tangent(joint->law, joint->parameters, field->offset, asking->tangent);
    TRY(sensitivity_output(asking->sensitivity, asking->tangent,
                           asking->state->point[asking->state->n], spec->peak_output,
                           site->slope));
    const double *coefficients =
        site->recovery->point.coefficients +
        (size_t)spec->peak_output * (size_t)site->balance->n_coefficients;
    *change = number_of(joint, field) * sensitivity_measure(asking->sensitivity, coefficients,
                                                            site->slope, spec->peak_measure);
done:
    return status;
}

static enum masing_status keep(struct peak_course *course, const char *joint,
                               const struct masing_field *field, double value, double part,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    size_t n = (size_t)optimum->n_sensitivities;
    struct masing_peak_sensitivity *more = memory_array(n + 1, sizeof *more);
    TRY_ALLOCATED(more);
    if (n > 0) {
        memcpy(more, optimum->sensitivities, n * sizeof *more);
    }
    free(optimum->sensitivities);
    optimum->sensitivities = more;
    more[n] = (struct masing_peak_sensitivity){
        .number = field->name, .unit = field->unit, .value = value, .sensitivity = part};
    more[n].joint = memory_text(joint);
    TRY_ALLOCATED(more[n].joint);
    optimum->n_sensitivities++;
done:
    return status;
}

/* All numbers of one group of joints, whose laws are the same: together. */
static enum masing_status of_group(struct asking *asking,
                                   const struct masing_joint_group *group,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_course *course = asking->course;
    const struct joint *joints = course->site->model->joints + group->first;
    const struct masing_law *law = joints->law;
    double *changes = memory_array((size_t)law->n_fields, sizeof(double));
    asking->tangent = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(changes && asking->tangent);
    for (int j = 0; j < group->n_joints; j++) {
        TRY(sensitivity_select(asking->sensitivity, group->first + j, error));
        for (int f = 0; f < law->n_fields; f++) {
            double value = number_of(&joints[j], &law->fields[f]), change = 0.0;
            if (isfinite(value) && value != 0.0) {
                TRY(of_number(asking, &joints[j], &law->fields[f], &change));
            }
            changes[f] += change;
        }
    }
    for (int f = 0; f < law->n_fields; f++) {
        double value = number_of(joints, &law->fields[f]);
        if (isfinite(value) && value != 0.0) {
            TRY(keep(course, group->name, &law->fields[f], value,
                     changes[f] / asking->state->measure, error));
        }
    }
done:
    free(changes);
    free(asking->tangent);
    asking->tangent = NULL;
    return status;
}

enum masing_status peak_sensitivities(struct peak_course *course,
                                      const struct peak_state *state,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_site *site = course->site;
    double omega = state->point[state->n];
    if (course->is_swept || state->is_corner) {
        return MASING_OK;
    }
    TRY(peak_site_set(site, state->p, error));
    if (state->n != site->solver->n) {
        return MASING_OK;
    }
    struct asking asking = {.course = course, .sensitivity = site->sensitivity, .state = state};
    TRY(recovery_evaluate(site->recovery, state->point, omega));
    TRY(sensitivity_factor(site->sensitivity, state->point, omega));
    for (int g = 0; g < site->model->spec.n_groups; g++) {
        TRY(of_group(&asking, &site->model->spec.groups[g], error));
    }
done:
    return status > 0 ? MASING_OK : status; /* a fold: the peak has no derivatives */
}
