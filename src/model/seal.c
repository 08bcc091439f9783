/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/seal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/cyclic.h"
#include "model/message.h"

/* --- field tables, checked again: a program may have filled them without any file --------- */

static enum masing_status check_number(const struct subject *subject,
                                       const struct masing_field *field, double value,
                                       void *target)
{
    struct masing_error inner = {0};
    enum masing_status status = masing_field_store(field, value, target, &inner);
    return status == MASING_OK
               ? status
               : model_refuse_subject(subject, field->name, "%s", inner.message);
}

static enum masing_status check_count(const struct subject *subject,
                                      const struct masing_field *field, int count, int minimum,
                                      int maximum)
{
    bool is_absent = count == 0 && !field->is_required;
    if (is_absent || (count >= minimum && count <= maximum)) {
        return MASING_OK;
    }
    return model_refuse_subject(subject, field->name, "'%s' holds %d, expected %d to %d",
                                field->name, count, minimum, maximum);
}

/* Records hold no records: the recursion is one deep. */
static enum masing_status check_records(const struct subject *subject,
                                        const struct masing_field *field, void *object)
{
    const struct masing_records *records = field->records;
    char *record = (char *)object + records->first_offset;
    int count = *(const int *)object;
    NEED(check_count(subject, field, count, 1, records->max_count));
    for (int i = 0; i < count; i++, record += records->record_size) {
        char what[200], key[100];
        snprintf(key, sizeof key, "%s.%d", field->name, i);
        snprintf(what, sizeof what, "%s: %s", subject->what, key);
        const struct subject member = {subject->spec, model_part_of(&subject->part, key), what,
                                       subject->error};
        NEED(seal_fields(&member, records->fields, records->n_fields, record));
    }
    return MASING_OK;
}

static enum masing_status check_field(const struct subject *subject,
                                      const struct masing_field *field, void *object)
{
    void *target = (char *)object + field->offset;
    double value = masing_field_value(field, object);
    struct masing_list *list = target;
    const struct masing_points *points = target;
    struct masing_field element = *field;
    int n = 0;
    switch (field->type) {
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_BOOLEAN:
        return isnan(value) && isnan(field->fallback) && !field->is_required
                   ? MASING_OK
                   : check_number(subject, field, value, object);
    case MASING_FIELD_CHOICE:
        while (field->choices[n]) {
            n++;
        }
        return value >= 0 && value < n
                   ? MASING_OK
                   : model_refuse_subject(subject, field->name,
                                          "'%s' is choice %d, expected 0 to %d", field->name,
                                          (int)value, n - 1);
    case MASING_FIELD_LIST:
        element.type = MASING_FIELD_REAL;
        element.offset = 0;
        n = field->max_count ? field->max_count : MASING_LIST_LENGTH;
        NEED(check_count(subject, field, list->count, 1, n));
        for (int i = 0; i < list->count; i++) {
            NEED(check_number(subject, &element, list->values[i], &list->values[i]));
        }
        break;
    case MASING_FIELD_RECORDS:
        return check_records(subject, field, target);
    case MASING_FIELD_POINTS:
        NEED(check_count(subject, field, points->count, 2, MASING_POINTS_LENGTH));
        for (int i = 0; i < points->count; i++) {
            if (!isfinite(points->x[i]) || !isfinite(points->y[i])) {
                return model_refuse_subject(
                    subject, field->name,
                    "point %d of '%s' is (%g, %g), expected finite numbers", i + 1, field->name,
                    points->x[i], points->y[i]);
            }
        }
        break;
    }
    return MASING_OK;
}

enum masing_status seal_fields(const struct subject *subject, const struct masing_field *fields,
                               int n_fields, void *object)
{
    for (int i = 0; i < n_fields; i++) {
        NEED(check_field(subject, &fields[i], object));
    }
    return MASING_OK;
}

/* --- joints ------------------------------------------------------------------------------- */

/* A sum of weights up to this part of its terms is what rounding leaves of 0. */
static const double CANCELLED = 1e-14;

/* Terms within the structure, finite, and not all cancelling out? */
static enum masing_status check_combination(const struct subject *subject,
                                            const struct masing_combination *combination)
{
    const struct masing_spec *spec = subject->spec;
    bool is_empty = true;
    int n = spec->structure.n_dofs;
    int end = spec->structure.cyclic.n_sectors > 0 ? 2 * n : n;
    for (int t = 0; t < combination->n_terms; t++) {
        struct masing_term term = combination->terms[t];
        if (term.dof < 0 || term.dof >= end) {
            return model_refuse_subject(subject, "", "DOF %d, expected 1 to %d", term.dof + 1,
                                        end);
        }
        if (!isfinite(term.weight)) {
            return model_refuse_subject(subject, "",
                                        "the weight of DOF %s is %g, expected a finite number",
                                        model_dof_text(spec, term.dof).text, term.weight);
        }
        double sum = 0, gross = 0; /* of the weights of its DOF */
        for (int i = 0; i < combination->n_terms; i++) {
            bool is_same = combination->terms[i].dof == term.dof;
            sum += is_same ? combination->terms[i].weight : 0;
            gross += is_same ? fabs(combination->terms[i].weight) : 0;
        }
        is_empty = is_empty && fabs(sum) <= CANCELLED * gross;
    }
    return is_empty ? model_refuse_subject(subject, "",
                                           "all weights are zero or cancel, expected at least "
                                           "one DOF that moves it")
                    : MASING_OK;
}

bool joint_spec_has_speed(const struct masing_joint_spec *joint)
{
    const struct masing_law *law = joint->law;
    int field = law && law->speed_offset > 0
                    ? masing_field_find(law->fields, law->n_fields, "preload_per_speed_squared")
                    : -1;
    return field >= 0 && joint->parameters &&
           !isnan(masing_field_value(&law->fields[field], joint->parameters));
}

void joint_spec_set_speed(const struct masing_spec *spec, const struct masing_joint_spec *joint,
                          void *parameters)
{
    double middle = spec->sweep == MASING_SWEEP_RANGE
                        ? 0.5 * (spec->omega_from + spec->omega_to)
                        : spec->omega_from;
    double speed = spec->structure.has_spin ? spec->structure.spin : middle;
    double square = spec->structure.has_spin || spec->is_of_shaft ? speed * speed : 0.0;
    if (joint->law && joint->law->speed_offset > 0 && parameters) {
        memcpy((char *)parameters + joint->law->speed_offset, &square, sizeof square);
    }
}

static enum masing_status check_speed(const struct subject *subject, int index)
{
    const struct masing_spec *spec = subject->spec;
    bool is_known = spec->is_of_shaft || spec->structure.has_spin;
    return is_known || !joint_spec_has_speed(&spec->joints[index])
               ? MASING_OK
               : model_refuse_subject(subject, "preload_per_speed_squared",
                                      "'preload_per_speed_squared' without a speed, expected "
                                      "'frequency_of: shaft' or 'structure: spin_hz'");
}

static enum masing_status check_joint(const struct masing_spec *spec, int index,
                                      void *parameters, struct masing_error *error)
{
    const struct masing_joint_spec *joint = &spec->joints[index];
    const struct masing_law *law = joint->law;
    struct masing_error inner = {0};
    char what[128];
    const struct subject subject = {spec, model_part(joint->place, "joints.%d", index), what,
                                    error};
    snprintf(what, sizeof what, "joint '%.100s'", joint->name);
    if (!law || !parameters || !joint->axes) {
        return model_refuse_subject(&subject, "", "expected a law and its axes");
    }
    NEED(seal_fields(&subject, law->fields, law->n_fields, parameters));
    NEED(check_speed(&subject, index));
    joint_spec_set_speed(spec, joint, parameters);
    if (masing_law_check(law, parameters, &inner) != MASING_OK) {
        return model_refuse_subject(&subject, inner.part, "%s", inner.message);
    }
    for (int a = 0; spec->structure.n_dofs > 0 && a < masing_joint_spec_axes(joint); a++) {
        NEED(check_combination(&subject, &joint->axes[a]));
    }
    return MASING_OK;
}

enum masing_status seal_groups(struct masing_spec *spec, struct masing_error *error)
{
    if (spec->n_groups > 0 || spec->n_joints == 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(spec->groups = memory_array((size_t)spec->n_joints, sizeof *spec->groups));
    for (int j = 0; j < spec->n_joints; j++) {
        struct masing_joint_group *group = &spec->groups[spec->n_groups++];
        *group = (struct masing_joint_group){.first = j, .n_joints = 1};
        NEED_ALLOCATED(group->name = memory_text(spec->joints[j].name));
    }
    return MASING_OK;
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
    const struct masing_spec *spec = &model->spec;
    NEED(seal_groups(&model->spec, error));
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        NEED(check_joint(spec, j, joint->parameters, error));
        if (spec->forces == MASING_FORCES_EXACT && !joint->law->phases) {
            struct model_part part = model_part(joint->place, "joints.%d", j);
            return model_refuse_part(
                spec, &part, error,
                "joint '%s': law '%s' has no phases in closed form, expected "
                "'forces: auto' or 'sampled'",
                joint->name, joint->law->name);
        }
        model->n_axes += masing_joint_spec_axes(joint);
    }
    model->joints = arena_array(&model->arena, (size_t)spec->n_joints, sizeof *model->joints);
    NEED_ALLOCATED(!model->arena.has_failed);
    model->is_speed_dependent = spec->structure.per_speed_squared != NULL;
    for (int j = 0; j < spec->n_joints; j++) {
        bool has_speed = joint_spec_has_speed(&spec->joints[j]);
        model->is_speed_dependent = model->is_speed_dependent || has_speed;
    }
    model->is_speed_dependent = model->is_speed_dependent && !spec->structure.has_spin;
    for (int j = 0, axis = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *given = &spec->joints[j];
        model->joints[j] = (struct joint){.name = given->name,
                                          .spec = given,
                                          .law = given->law,
                                          .parameters = given->parameters,
                                          .first_axis = axis,
                                          .n_axes = masing_joint_spec_axes(given),
                                          .area = given->area > 0.0 ? given->area : 1.0};
        axis += model->joints[j].n_axes;
    }
    return assign_groups(model, error);
}

enum masing_status seal_axes(struct masing_model *model, struct masing_error *error)
{
    model->axes = arena_array(&model->arena, (size_t)model->n_axes, sizeof *model->axes);
    NEED_ALLOCATED(model->axes);
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        for (int a = 0; a < joint->n_axes; a++) {
            model->axes[joint->first_axis + a] = joint->spec->axes[a];
        }
    }
    return MASING_OK;
}

/* --- outputs ------------------------------------------------------------------------------ */

/* A transmissibility is over the amplitude of the one load that moves the base. */
static enum masing_status check_quantity(const struct subject *subject,
                                         const struct masing_output_spec *output)
{
    const struct masing_spec *spec = subject->spec;
    int n = 0;
    double amplitude = 0.0;
    for (int l = 0; l < spec->n_loads; l++) {
        if (spec->loads[l].kind == MASING_LOAD_BASE_ACCELERATION) {
            amplitude = spec->load_factor * spec->loads[l].amplitude;
            n++;
        }
    }
    if (output->quantity != MASING_TRANSMISSIBILITY || (n == 1 && amplitude != 0.0)) {
        return MASING_OK;
    }
    return n == 1 ? model_refuse_subject(subject, "quantity",
                                         "transmissibility: the base's amplitude is 0")
                  : model_refuse_subject(subject, "quantity",
                                         "transmissibility: expected one load with "
                                         "base_acceleration, found %d",
                                         n);
}

enum masing_status seal_outputs(const struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < spec->n_outputs; i++) {
        const struct masing_output_spec *output = &spec->outputs[i];
        char what[128];
        const struct subject subject = {spec, model_part(output->place, "outputs.%d", i), what,
                                        error};
        snprintf(what, sizeof what, "output '%.100s'", output->name);
        TRY(check_combination(&subject, &output->combination));
        TRY(check_quantity(&subject, output));
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

static enum masing_status check_frequency(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    int n_ends = spec->sweep == MASING_SWEEP_RANGE ? 2 : spec->sweep == MASING_SWEEP_POINT;
    double unit = spec->frequency_unit > 0 ? spec->frequency_unit : 1;
    const double ends[] = {spec->omega_from / unit, spec->omega_to / unit};
    const struct subject subject = {spec, model_part(spec->frequency_place, "frequency"),
                                    "frequency", error};
    for (int i = 0; i < n_ends; i++) {
        if (!(ends[i] > 0 && isfinite(ends[i]))) {
            const char *end = i == 1 ? "1" : n_ends == 2 ? "0" : "";
            return model_refuse_subject(&subject, end, "must be greater than 0, found %g",
                                        ends[i]);
        }
    }
    return n_ends < 2 || ends[0] != ends[1]
               ? MASING_OK
               : model_refuse_subject(&subject, "", "the range is empty, both ends are %g",
                                      ends[0]);
}

static enum masing_status check_harmonics(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    const struct subject subject = {spec, model_part(spec->harmonics_place, "harmonics"),
                                    "harmonics", error};
    if (spec->n_harmonics < 1 || spec->harmonics[spec->n_harmonics - 1] < 1) {
        return model_refuse_subject(&subject, "", "expected at least one from 1");
    }
    for (int i = 0; i < spec->n_harmonics; i++) {
        int h = spec->harmonics[i], before = i > 0 ? spec->harmonics[i - 1] : -1;
        if (h < 0 || h > MAX_HARMONIC) {
            return model_refuse_subject(
                &subject, "", "%d in the list, expected numbers in [0, %d]", h, MAX_HARMONIC);
        }
        if (h == before) {
            return model_refuse_subject(&subject, "", "%d stands here twice", h);
        }
        if (h < before) {
            return model_refuse_subject(&subject, "",
                                        "%d follows %d, expected an ascending list", h, before);
        }
    }
    return MASING_OK;
}

/* 0: chosen when the model is sealed */
static enum masing_status check_samples(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    int n = spec->n_samples, highest = spec->harmonics[spec->n_harmonics - 1];
    const struct subject subject = {spec, model_part(spec->samples_place, "samples"), "samples",
                                    error};
    if (n == 0) {
        return MASING_OK;
    }
    if (n < 2 || n > MAX_SAMPLES) {
        return model_refuse_subject(&subject, "", "expected 2 to %d, found %d", MAX_SAMPLES, n);
    }
    if ((n & (n - 1)) != 0) {
        return model_refuse_subject(&subject, "", "expected a power of two, found %d", n);
    }
    return n >= LEAST_PER_HARMONIC * highest
               ? MASING_OK
               : model_refuse_subject(
                     &subject, "",
                     "%d are too few samples for harmonic %d; expected at least %d", n, highest,
                     LEAST_PER_HARMONIC * highest);
}

/* How often a motion of these harmonics repeats in a period. */
static int common_order(const struct masing_spec *spec)
{
    int common = 0;
    for (int i = 0; i < spec->n_harmonics; i++) {
        int a = spec->harmonics[i], b = common;
        while (b > 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        common = a;
    }
    return common;
}

/*
 * Contacts open and close suddenly, which a few of them show in the curve as ripples of the
 * samples; many of them smooth each other.
 */
static int default_samples(const struct masing_spec *spec, int highest)
{
    int n_contacts = 0, n_samples = DEFAULT_SAMPLES,
        turns = spec->is_of_shaft ? common_order(spec) : 1;
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_law *law = spec->joints[j].law;
        bool is_patch = law && law->n_axes > 3; /* of many elements */
        n_contacts += law && masing_law_can_open(law) ? (is_patch ? ELEMENTS_OF_PATCH : 1) : 0;
    }
    while (n_contacts > 0 && n_samples < MOST_BY_DEFAULT &&
           2 * n_samples * n_contacts <= SAMPLES_OF_CONTACTS) {
        n_samples *= 2;
    }
    for (int passed = 1; passed < turns; passed *= 2) {
        n_samples *= 2;
    }
    while (n_samples < DEFAULT_PER_HARMONIC * highest) {
        n_samples *= 2;
    }
    return n_samples < MAX_SAMPLES ? n_samples : MAX_SAMPLES;
}

enum masing_status seal_settings(struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_place nowhere = {0};
    const struct masing_solver_settings *step = &spec->solver;
    const struct subject solver = {spec, model_part(nowhere, "solver"), "solver", error};
    const struct subject integration = {spec, model_part(nowhere, "integration"), "integration",
                                        error};
    const struct subject factor = {spec, model_part(nowhere, "load_factor"), "load_factor",
                                   error};
    NEED(check_frequency(spec, error));
    spec->omega_to = spec->sweep == MASING_SWEEP_POINT ? spec->omega_from : spec->omega_to;
    NEED(check_harmonics(spec, error));
    if (spec->n_samples == 0) {
        spec->n_samples = default_samples(spec, spec->harmonics[spec->n_harmonics - 1]);
    }
    NEED(check_samples(spec, error));
    NEED(seal_fields(&solver, masing_solver_fields, masing_n_solver_fields, &spec->solver));
    if (step->step_min > step->step_max || step->step_initial > step->step_max ||
        step->step_initial < step->step_min) {
        return model_refuse_subject(&solver, "step",
                                    "steps are min %g, initial %g, max %g, expected them in "
                                    "ascending order",
                                    step->step_min, step->step_initial, step->step_max);
    }
    NEED(seal_fields(&integration, masing_integration_fields, masing_n_integration_fields,
                     &spec->integration));
    if (!isfinite(spec->load_factor)) {
        return model_refuse_subject(&factor, "", "%g, expected a finite number",
                                    spec->load_factor);
    }
    return MASING_OK;
}

enum masing_status seal_check(const struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    void *parameters = NULL;
    TRY(seal_names(spec, error));
    TRY(spec->frequency_unit > 0 ? check_frequency(spec, error) : MASING_OK);
    TRY(check_harmonics(spec, error));
    TRY(check_samples(spec, error));
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        /* a check derives constants and happens once: on the model, later, not on these */
        parameters = memory_copy(joint->parameters, 1, joint->law->parameters_size);
        TRY_ALLOCATED(parameters);
        TRY(check_joint(spec, j, parameters, error));
        free(parameters);
        parameters = NULL;
    }
    for (int i = 0; i < spec->n_loads; i++) {
        TRY(seal_check_load(spec, i, error));
    }
    if (spec->structure.cyclic.n_sectors > 0) {
        int delay;
        TRY(cyclic_find_delay(spec, &delay, error));
    }
done:
    free(parameters);
    return status;
}
