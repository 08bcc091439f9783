/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model that a command works on: file, overrides, sealed model. */
#ifndef MASING_CLI_MODEL_INPUT_H
#define MASING_CLI_MODEL_INPUT_H

#include "cli/command.h"
#include "cli/settings.h"
#include "masing/model.h"

struct model_input {
    const char *file;
    const struct override_list *overrides;
    struct masing_document *document;
    struct masing_model *model; /* with the overrides */
    const struct masing_spec *spec;
    bool has_joints_only;      /* there may be no structure, and no model is made */
    struct masing_spec joints; /* then `spec` points here */
};

/* Close it also after a failure. */
enum masing_status model_input_open(const struct call *call,
                                    const struct common_settings *settings,
                                    struct model_input *input, struct masing_error *error);
/* Likewise for what needs the joints alone. */
enum masing_status model_input_open_joints(const struct call *call,
                                           const struct common_settings *settings,
                                           struct model_input *input,
                                           struct masing_error *error);
/* As joints where there is nothing but joints, else as a model. */
enum masing_status model_input_open_either(const struct call *call,
                                           const struct common_settings *settings,
                                           struct model_input *input,
                                           struct masing_error *error);
void model_input_close(struct model_input *input);

/* Whether every frequency of an option lies in the model's range. */
enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error);

/* Unit of a number of the model by its path, "" where it has or needs none. */
const char *model_input_unit(const struct masing_spec *spec, const char *path);

#endif
