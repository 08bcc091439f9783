/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the peak depends on each number of each joint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak/history.h"
#include "base/check.h"
#include "base/memory.h"

struct sensitivity_run {
    struct peak_history *history;
    struct sensitivity *sensitivity;
    const struct peak_state *state;
    void *tangent;
};

/* A number of a law's parameters: a field that is one, or an element of a list. */
struct place {
    const struct masing_field *field;
    int element; /* -1: the field is no list */
    size_t offset;
};

static int count_elements(const struct joint *joint, const struct masing_field *field)
{
    int count = 0;
    if (field->type == MASING_FIELD_LIST) {
        memcpy(&count, (const char *)joint->parameters + field->offset, sizeof count);
    }
    return field->type == MASING_FIELD_REAL ? 1 : count;
}

static struct place place_of(const struct masing_field *field, int element)
{
    bool is_list = field->type == MASING_FIELD_LIST;
    size_t inside = offsetof(struct masing_list, values) + (size_t)element * sizeof(double);
    return (struct place){field, is_list ? element : -1,
                          field->offset + (is_list ? inside : 0)};
}

static double number_at(const struct joint *joint, const struct place *place)
{
    double value;
    memcpy(&value, (const char *)joint->parameters + place->offset, sizeof value);
    return value;
}

/* d(measure) of one joint's number, times the number. */
static enum masing_status of_number(struct sensitivity_run *run, int joint,
                                    const struct place *place, double *change)
{
    enum masing_status status = MASING_OK;
    const struct peak_problem *problem = run->history->problem;
    const struct masing_spec *spec = &problem->model->spec;
    const struct joint *all = &problem->model->joints[joint];
    const double *coefficients =
        problem->recovery->point.coefficients +
        (size_t)spec->peak_output * (size_t)problem->balance->n_coefficients;
    masing_law_tangent(all->law, all->parameters, place->offset, run->tangent);
    TRY(sensitivity_output(run->sensitivity, joint, run->tangent,
                           run->state->point[run->state->n], spec->peak_output,
                           problem->slope));
    *change +=
        number_at(all, place) * recovery_measure_slope(problem->recovery, coefficients,
                                                       problem->slope, spec->peak_measure);
done:
    return status;
}

static enum masing_status keep(struct peak_history *history, const char *joint,
                               const struct place *place, double value, double part,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &history->summary->optimum;
    size_t n = (size_t)optimum->n_sensitivities, capacity = n;
    TRY_ALLOCATED(memory_grow((void **)&optimum->sensitivities, n + 1, &capacity,
                              sizeof *optimum->sensitivities));
    struct masing_peak_sensitivity *more = optimum->sensitivities;
    more[n] = (struct masing_peak_sensitivity){
        .unit = place->field->unit, .value = value, .sensitivity = part};
    more[n].joint = memory_text(joint);
    more[n].number = place->element > 0
                         ? memory_format("%s.%d", place->field->name, place->element)
                         : memory_text(place->field->name);
    optimum->n_sensitivities++;
    TRY_ALLOCATED(more[n].joint && more[n].number);
done:
    return status;
}

/* A number of a group of joints, whose laws are the same: of all together. */
static enum masing_status of_place(struct sensitivity_run *run,
                                   const struct masing_joint_group *group,
                                   const struct place *place, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joints = run->history->problem->model->joints;
    double value = number_at(&joints[group->first], place), change = 0.0;
    if (!isfinite(value) || value == 0.0) {
        return MASING_OK;
    }
    for (int j = group->first; j < group->first + group->n_joints; j++) {
        TRY(of_number(run, j, place, &change));
    }
    TRY(keep(run->history, group->name, place, value, change / run->state->measure, error));
done:
    return status;
}

static enum masing_status of_group(struct sensitivity_run *run,
                                   const struct masing_joint_group *group,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *first = &run->history->problem->model->joints[group->first];
    const struct masing_law *law = first->law;
    run->tangent = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(run->tangent);
    for (int f = 0; f < law->n_fields; f++) {
        for (int e = 0; e < count_elements(first, &law->fields[f]); e++) {
            const struct place place = place_of(&law->fields[f], e);
            TRY(of_place(run, group, &place, error));
        }
    }
done:
    free(run->tangent);
    run->tangent = NULL;
    return status;
}

enum masing_status peak_sensitivities(struct peak_history *history,
                                      const struct peak_state *state,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_problem *problem = history->problem;
    double omega = state->point[state->n];
    if (history->is_swept || state->is_corner) {
        return MASING_OK;
    }
    TRY(peak_problem_set(problem, state->p, error));
    if (state->n != problem->solver->n) {
        return MASING_OK;
    }
    const struct masing_damping_spec *damping = &problem->model->spec.structure.form;
    history->summary->optimum.is_damping_held =
        damping->kind == MASING_DAMPING_MODAL && damping->modes_are_stuck;
    struct sensitivity_run run = {
        .history = history, .sensitivity = problem->sensitivity, .state = state};
    TRY(recovery_evaluate(problem->recovery, state->point, omega));
    TRY(sensitivity_factor(problem->sensitivity, state->point, omega));
    for (int g = 0; g < problem->model->spec.n_groups; g++) {
        TRY(of_group(&run, &problem->model->spec.groups[g], error));
    }
done:
    return status > 0 ? MASING_OK : status; /* a fold: the peak has no derivatives */
}
