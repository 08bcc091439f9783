/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/model_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/unit.h"

/* of standard input: beyond the limit of a model file, which the document refuses */
static const size_t MOST_BYTES = (size_t)1 << 30;

/* `-`: files that the model names are sought from the current folder. */
static enum masing_status read_standard_input(struct model_input *input,
                                              struct masing_error *error)
{
    enum { CHUNK = 65536 };
    char *text = NULL;
    size_t length = 0, got = CHUNK;
    enum masing_status status = MASING_OK;
    for (; got == CHUNK && status == MASING_OK && length <= MOST_BYTES; length += got) {
        char *longer = realloc(text, length + CHUNK);
        status =
            longer ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
        text = longer ? longer : text;
        got = longer ? fread(text + length, 1, CHUNK, stdin) : 0;
    }
    input->file = "standard input";
    if (status == MASING_OK) {
        status = masing_document_parse(text, length, input->file, &input->document, error);
    }
    free(text);
    return status;
}

enum masing_status model_input_open(const struct call *call,
                                    const struct common_settings *settings,
                                    enum model_kind kind, struct model_input *input,
                                    struct masing_error *error)
{
    const struct override_list *overrides = &settings->overrides;
    *input = (struct model_input){.file = call->operands.values[0], .overrides = overrides};
    enum masing_status status =
        strcmp(input->file, "-") == 0
            ? read_standard_input(input, error)
            : masing_document_read(input->file, &input->document, error);
    if (status != MASING_OK) {
        return status;
    }
    if (kind == MODEL_JOINTS ||
        (kind == MODEL_EITHER && masing_document_is_of_joints(input->document))) {
        input->has_joints_only = true;
        input->spec = &input->joints;
        return masing_document_joints(input->document, overrides->values, overrides->count,
                                      &input->joints, error);
    }
    status = masing_document_model(input->document, overrides->values, overrides->count,
                                   &input->model, error);
    input->spec = status == MASING_OK ? masing_model_spec(input->model) : NULL;
    return status;
}

void model_input_close(struct model_input *input)
{
    masing_spec_clear(&input->joints);
    masing_model_destroy(input->model);
    masing_document_destroy(input->document);
}

/* Of an end of the range on its way from Hz to rad/s and back. */
static const double ROUNDING = 1e-12;

enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error)
{
    const double radians = 2 * acos(-1.0);
    bool is_bounded = input->spec->sweep != MASING_SWEEP_NONE;
    double low = fmin(input->spec->omega_from, input->spec->omega_to) / radians;
    double high = fmax(input->spec->omega_from, input->spec->omega_to) / radians;
    for (int i = 0; i < at_hz->count; i++) {
        if (!(at_hz->values[i] > 0.0)) {
            return masing_error_set(error, MASING_INVALID, "%s: %g is not above zero", option,
                                    at_hz->values[i]);
        }
        if (is_bounded && (at_hz->values[i] < low * (1 - ROUNDING) ||
                           at_hz->values[i] > high * (1 + ROUNDING))) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: %.10g Hz lies outside the range %.10g .. %.10g Hz",
                                    option, at_hz->values[i], low, high);
        }
    }
    return MASING_OK;
}

/* Whether a load acts on rotations alone. */
static bool turns(const struct masing_spec *spec, const struct masing_load_spec *load)
{
    bool does = load->pattern != NULL, has_any = false;
    for (int i = 0; does && i < spec->structure.n_dofs; i++) {
        struct masing_term term = {.dof = i};
        bool acts = load->pattern[i] != 0.0;
        has_any = has_any || acts;
        does = !acts || unit_turns(spec, &(struct masing_combination){1, &term});
    }
    return does && has_any;
}

const char *model_input_unit(const struct masing_spec *spec, const char *path)
{
    const char *last = strrchr(path, '.');
    if (!last) {
        return "";
    }
    size_t length = (size_t)(last - path);
    for (int i = 0; i < spec->n_joints; i++) {
        const struct masing_joint_spec *joint = &spec->joints[i];
        if (strlen(joint->name) == length && strncmp(joint->name, path, length) == 0) {
            int field = masing_field_find(joint->law->fields, joint->law->n_fields, last + 1);
            return field >= 0
                       ? unit_of(joint->law->fields[field].unit, unit_joint_turns(spec, joint))
                       : "";
        }
    }
    for (int i = 0; i < spec->n_loads; i++) {
        const struct masing_load_spec *load = &spec->loads[i];
        if (load->name && strlen(load->name) == length &&
            strncmp(load->name, path, length) == 0 && strcmp(last + 1, "amplitude") == 0) {
            return load->kind == MASING_LOAD_FORCE ? unit_of("N", turns(spec, load)) : "";
        }
    }
    return "";
}

const char *model_input_label(struct pool *pool, const struct masing_spec *spec,
                              const char *path)
{
    const char *unit = path ? model_input_unit(spec, path) : "";
    return *unit ? pool_format(pool, "%s (%s)", path, unit) : path;
}

const char *model_input_loop_name(struct pool *pool, const struct masing_joint_spec *joint)
{
    bool has_first = !joint->present || (joint->present & 1u);
    int axis = has_first && masing_joint_spec_axes(joint) > 1 ? 1 : 0;
    const char *name = masing_joint_spec_axis_name(joint, axis);
    return *name ? pool_format(pool, "%s_%s", joint->name, name) : joint->name;
}

const struct masing_joint_spec *model_input_loop_joint(const struct masing_spec *spec,
                                                       const char *name)
{
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        if (group->n_joints == 1 && (!name || strcmp(group->name, name) == 0)) {
            return &spec->joints[group->first];
        }
    }
    return NULL;
}
