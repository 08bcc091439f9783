/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/model_input.h"

#include <math.h>
#include <string.h>

static enum masing_status read_document(const struct call *call,
                                        const struct common_settings *settings,
                                        struct model_input *input, struct masing_error *error)
{
    *input = (struct model_input){.file = call->operands.values[0],
                                  .overrides = &settings->overrides};
    return masing_document_read(input->file, &input->document, error);
}

static enum masing_status make_model(struct model_input *input, struct masing_error *error)
{
    enum masing_status status =
        masing_document_model(input->document, input->overrides->values,
                              input->overrides->count, &input->model, error);
    if (status == MASING_OK) {
        input->spec = masing_model_spec(input->model);
    }
    return status;
}

static enum masing_status make_joints(struct model_input *input, struct masing_error *error)
{
    input->has_joints_only = true;
    input->spec = &input->joints;
    return masing_document_joints(input->document, input->overrides->values,
                                  input->overrides->count, &input->joints, error);
}

enum masing_status model_input_open(const struct call *call,
                                    const struct common_settings *settings,
                                    struct model_input *input, struct masing_error *error)
{
    enum masing_status status = read_document(call, settings, input, error);
    return status ? status : make_model(input, error);
}

enum masing_status model_input_open_joints(const struct call *call,
                                           const struct common_settings *settings,
                                           struct model_input *input,
                                           struct masing_error *error)
{
    enum masing_status status = read_document(call, settings, input, error);
    return status ? status : make_joints(input, error);
}

enum masing_status model_input_open_either(const struct call *call,
                                           const struct common_settings *settings,
                                           struct model_input *input,
                                           struct masing_error *error)
{
    enum masing_status status = read_document(call, settings, input, error);
    if (status != MASING_OK) {
        return status;
    }
    return masing_document_is_of_joints(input->document) ? make_joints(input, error)
                                                         : make_model(input, error);
}

void model_input_close(struct model_input *input)
{
    masing_spec_clear(&input->joints);
    masing_model_destroy(input->model);
    masing_document_destroy(input->document);
}

enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error)
{
    const double hertz = 2 * acos(-1.0);
    double low = fmin(input->spec->omega_from, input->spec->omega_to) / hertz;
    double high = fmax(input->spec->omega_from, input->spec->omega_to) / hertz;
    for (int i = 0; i < at_hz->count; i++) {
        if (!(at_hz->values[i] > 0.0)) {
            return masing_error_set(error, MASING_INVALID, "%s: %g is not above zero", option,
                                    at_hz->values[i]);
        }
        if (at_hz->values[i] < low * (1 - 1e-12) || at_hz->values[i] > high * (1 + 1e-12)) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: %.10g Hz lies outside the range %.10g .. %.10g Hz",
                                    option, at_hz->values[i], low, high);
        }
    }
    return MASING_OK;
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
            return field >= 0 ? joint->law->fields[field].unit : "";
        }
    }
    for (int i = 0; i < spec->n_loads; i++) {
        const struct masing_load_spec *load = &spec->loads[i];
        if (load->name && strlen(load->name) == length &&
            strncmp(load->name, path, length) == 0 && strcmp(last + 1, "amplitude") == 0) {
            return load->kind == MASING_LOAD_FORCE ? "N" : "";
        }
    }
    return "";
}
