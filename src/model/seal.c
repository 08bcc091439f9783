/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/seal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/message.h"

/* --- field tables, checked again: a program may have filled them without any file --------- */

/* What is looked at, for messages. */
struct subject {
    const struct masing_spec *spec;
    const struct model_part *part;
    const char *what;
    struct masing_error *error;
};

/* "WHAT: ..." at the field */
static enum masing_status refuse_field(const struct subject *subject,
                                       const struct masing_field *field, const char *format,
                                       ...) MASING_PRINTF(3, 4);

static enum masing_status refuse_field(const struct subject *subject,
                                       const struct masing_field *field, const char *format,
                                       ...)
{
    char text[MASING_MESSAGE_LENGTH / 2];
    struct model_part part = model_part_of(subject->part, field->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return model_refuse_part(subject->spec, &part, subject->error, "%s: %s", subject->what,
                             text);
}

static enum masing_status check_number(const struct subject *subject,
                                       const struct masing_field *field, double value,
                                       void *target)
{
    struct masing_error inner = {0};
    enum masing_status status = masing_field_store(field, value, target, &inner);
    return status == MASING_OK ? status : refuse_field(subject, field, "%s", inner.message);
}

static enum masing_status check_count(const struct subject *subject,
                                      const struct masing_field *field, int count, int minimum,
                                      int maximum)
{
    bool is_absent = count == 0 && !field->is_required;
    if (is_absent || (count >= minimum && count <= maximum)) {
        return MASING_OK;
    }
    return refuse_field(subject, field, "'%s' holds %d, expected %d to %d", field->name, count,
                        minimum, maximum);
}

static enum masing_status check_choice(const struct subject *subject,
                                       const struct masing_field *field, const void *object)
{
    int index = (int)masing_field_value(field, object), n = 0;
    while (field->choices[n]) {
        n++;
    }
    if (index >= 0 && index < n) {
        return MASING_OK;
    }
    return refuse_field(subject, field, "'%s' is choice %d, expected 0 to %d", field->name,
                        index, n - 1);
}

static enum masing_status check_list(const struct subject *subject,
                                     const struct masing_field *field, struct masing_list *list)
{
    enum masing_status status = MASING_OK;
    struct masing_field element = *field;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    TRY(check_count(subject, field, list->count, 1,
                    field->max_count ? field->max_count : MASING_LIST_LENGTH));
    for (int i = 0; i < list->count; i++) {
        TRY(check_number(subject, &element, list->values[i], &list->values[i]));
    }
done:
    return status;
}

static enum masing_status check_points(const struct subject *subject,
                                       const struct masing_field *field,
                                       const struct masing_points *points)
{
    enum masing_status status = MASING_OK;
    TRY(check_count(subject, field, points->count, 2, MASING_POINTS_LENGTH));
    for (int i = 0; i < points->count; i++) {
        if (!isfinite(points->x[i]) || !isfinite(points->y[i])) {
            TRY(refuse_field(subject, field,
                             "point %d of '%s' is (%g, %g), expected finite numbers", i + 1,
                             field->name, points->x[i], points->y[i]));
        }
    }
done:
    return status;
}

/* Records hold no records: the recursion is one deep. */
static enum masing_status check_records(const struct subject *subject,
                                        const struct masing_field *field, void *object)
{
    enum masing_status status = MASING_OK;
    const struct masing_records *records = field->records;
    char *record = (char *)object + records->first_offset;
    int count;
    memcpy(&count, object, sizeof count);
    TRY(check_count(subject, field, count, 1, records->max_count));
    for (int i = 0; i < count; i++, record += records->record_size) {
        char what[200], key[100];
        snprintf(key, sizeof key, "%s.%d", field->name, i);
        snprintf(what, sizeof what, "%s: %s", subject->what, key);
        struct model_part part = model_part_of(subject->part, key);
        TRY(seal_fields(subject->spec, &part, what, records->fields, records->n_fields, record,
                        subject->error));
    }
done:
    return status;
}

static enum masing_status check_field(const struct subject *subject,
                                      const struct masing_field *field, void *object)
{
    void *target = (char *)object + field->offset;
    double value = masing_field_value(field, object);
    switch (field->type) {
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_BOOLEAN:
        break;
    case MASING_FIELD_CHOICE:
        return check_choice(subject, field, object);
    case MASING_FIELD_LIST:
        return check_list(subject, field, target);
    case MASING_FIELD_RECORDS:
        return check_records(subject, field, target);
    case MASING_FIELD_POINTS:
        return check_points(subject, field, target);
    }
    if (isnan(value) && isnan(field->fallback) && !field->is_required) {
        return MASING_OK;
    }
    return check_number(subject, field, value, object);
}

enum masing_status seal_fields(const struct masing_spec *spec, const struct model_part *part,
                               const char *what, const struct masing_field *fields,
                               int n_fields, void *object, struct masing_error *error)
{
    struct subject subject = {spec, part, what, error};
    enum masing_status status = MASING_OK;
    for (int i = 0; i < n_fields; i++) {
        TRY(check_field(&subject, &fields[i], object));
    }
done:
    return status;
}

/* --- joints ------------------------------------------------------------------------------- */

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

/* Terms within the structure, finite, and not all cancelling out? */
static enum masing_status check_combination(const struct masing_spec *spec,
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
        TRY(check_combination(spec, &part, what, &joint->axes[a], error));
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

/* --- outputs ------------------------------------------------------------------------------ */

static enum masing_status check_output(const struct masing_spec *spec, int index,
                                       struct masing_error *error)
{
    const struct masing_output_spec *output = &spec->outputs[index];
    struct model_part part = model_part(output->place, "outputs.%d", index);
    char what[128];
    snprintf(what, sizeof what, "output '%.100s'", output->name);
    return check_combination(spec, &part, what, &output->combination, error);
}

enum masing_status seal_outputs(const struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < spec->n_outputs; i++) {
        TRY(check_output(spec, i, error));
    }
    if (spec->n_outputs > 0 &&
        (spec->peak_output < 0 || spec->peak_output >= spec->n_outputs)) {
        struct model_part part = model_part((struct masing_place){0}, "peak.output");
        status = model_refuse_part(spec, &part, error, "peak: output %d, expected 1 to %d",
                                   spec->peak_output + 1, spec->n_outputs);
    }
done:
    return status;
}

/* --- settings ----------------------------------------------------------------------------- */

/* A power of two not below either serves forces that turn a few times a period to about 1e-4;
 * 4 H is what products of two harmonics need not to be mistaken for others. */
enum { DEFAULT_SAMPLES = 256, DEFAULT_PER_HARMONIC = 16, LEAST_PER_HARMONIC = 4 };
enum { MOST_BY_DEFAULT = 1024, SAMPLES_OF_CONTACTS = 4096, ELEMENTS_OF_PATCH = 16 };

static const struct masing_place nowhere = {0};

static enum masing_status refuse_section(const struct masing_spec *spec,
                                         struct masing_place place, const char *section,
                                         struct masing_error *error, const char *format, ...)
    MASING_PRINTF(5, 6);

static enum masing_status refuse_section(const struct masing_spec *spec,
                                         struct masing_place place, const char *section,
                                         struct masing_error *error, const char *format, ...)
{
    char text[MASING_MESSAGE_LENGTH / 2];
    struct model_part part = model_part(place, "%s", section);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return model_refuse_part(spec, &part, error, "%s", text);
}

static enum masing_status check_frequency(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    double from = spec->omega_from, to = spec->omega_to;
    if (!(from > 0 && to > 0 && isfinite(from) && isfinite(to))) {
        return refuse_section(
            spec, spec->frequency_place, "frequency", error,
            "frequency: the range is %g to %g rad/s, expected two numbers > 0", from, to);
    }
    if (from == to) {
        return refuse_section(spec, spec->frequency_place, "frequency", error,
                              "frequency: both ends are %g rad/s, expected different ones",
                              from);
    }
    return MASING_OK;
}

static enum masing_status check_harmonics(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    struct masing_place place = spec->harmonics_place;
    if (spec->n_harmonics < 1 || spec->harmonics[spec->n_harmonics - 1] < 1) {
        return refuse_section(spec, place, "harmonics", error,
                              "harmonics: expected at least one from 1");
    }
    for (int i = 0; i < spec->n_harmonics; i++) {
        int h = spec->harmonics[i];
        if (h < 0 || h > MAX_HARMONIC) {
            return refuse_section(spec, place, "harmonics", error,
                                  "harmonics: %d in the list, expected numbers in [0, %d]", h,
                                  MAX_HARMONIC);
        }
        if (i > 0 && h == spec->harmonics[i - 1]) {
            return refuse_section(spec, place, "harmonics", error,
                                  "harmonics: %d stands here twice", h);
        }
        if (i > 0 && h < spec->harmonics[i - 1]) {
            return refuse_section(spec, place, "harmonics", error,
                                  "harmonics: %d follows %d, expected an ascending list", h,
                                  spec->harmonics[i - 1]);
        }
    }
    return MASING_OK;
}

/* 0: chosen when the model is sealed */
static enum masing_status check_samples(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    int n = spec->n_samples, highest = spec->harmonics[spec->n_harmonics - 1];
    if (n == 0) {
        return MASING_OK;
    }
    if (n < 2 || n > MAX_SAMPLES) {
        return refuse_section(spec, spec->samples_place, "samples", error,
                              "samples: expected 2 to %d, found %d", MAX_SAMPLES, n);
    }
    if ((n & (n - 1)) != 0) {
        return refuse_section(spec, spec->samples_place, "samples", error,
                              "samples: expected a power of two, found %d", n);
    }
    if (n < LEAST_PER_HARMONIC * highest) {
        return refuse_section(
            spec, spec->samples_place, "samples", error,
            "samples: %d are too few samples for harmonic %d; expected at least %d", n, highest,
            LEAST_PER_HARMONIC * highest);
    }
    return MASING_OK;
}

enum masing_status seal_check_harmonics(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(check_harmonics(spec, error));
    TRY(check_samples(spec, error));
done:
    return status;
}

/*
 * Contacts open and close suddenly, which a few of them show in the curve as ripples of the
 * samples; many of them smooth each other.
 */
static int default_samples(const struct masing_spec *spec)
{
    int n_contacts = 0, n_samples = DEFAULT_SAMPLES;
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_law *law = spec->joints[j].law;
        bool is_patch = law && law->n_axes > 3; /* of many elements */
        n_contacts += law && masing_law_can_open(law) ? (is_patch ? ELEMENTS_OF_PATCH : 1) : 0;
    }
    while (n_contacts > 0 && n_samples < MOST_BY_DEFAULT &&
           2 * n_samples * n_contacts <= SAMPLES_OF_CONTACTS) {
        n_samples *= 2;
    }
    return n_samples;
}

static enum masing_status settle_samples(struct masing_spec *spec, struct masing_error *error)
{
    int highest = spec->harmonics[spec->n_harmonics - 1];
    if (spec->n_samples == 0) {
        spec->n_samples = default_samples(spec);
        while (spec->n_samples < DEFAULT_PER_HARMONIC * highest) {
            spec->n_samples *= 2;
        }
    }
    return check_samples(spec, error);
}

static enum masing_status check_steps(const struct masing_spec *spec,
                                      struct masing_error *error)
{
    const struct masing_solver_settings *solver = &spec->solver;
    if (solver->step_min > solver->step_max || solver->step_initial > solver->step_max ||
        solver->step_initial < solver->step_min) {
        return refuse_section(spec, nowhere, "solver.step", error,
                              "solver: steps are min %g, initial %g, max %g, expected them in "
                              "ascending order",
                              solver->step_min, solver->step_initial, solver->step_max);
    }
    return MASING_OK;
}

enum masing_status seal_settings(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct model_part solver = model_part(nowhere, "solver");
    struct model_part integration = model_part(nowhere, "integration");
    TRY(check_frequency(spec, error));
    TRY(check_harmonics(spec, error));
    TRY(settle_samples(spec, error));
    TRY(seal_fields(spec, &solver, "solver", masing_solver_fields, masing_n_solver_fields,
                    &spec->solver, error));
    TRY(check_steps(spec, error));
    TRY(seal_fields(spec, &integration, "integration", masing_integration_fields,
                    masing_n_integration_fields, &spec->integration, error));
    if (!isfinite(spec->load_factor)) {
        status = refuse_section(spec, nowhere, "load_factor", error,
                                "load_factor: %g, expected a finite number", spec->load_factor);
    }
done:
    return status;
}
