/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model that a command works on: file, overrides, sealed model. */
#ifndef MASING_CLI_MODEL_INPUT_H
#define MASING_CLI_MODEL_INPUT_H

#include "cli/command.h"
#include "masing/model.h"

/* What is made of the file. EITHER: joints where there is nothing else, or a whole model. */
enum model_kind { MODEL_WHOLE, MODEL_JOINTS, MODEL_EITHER };

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
                                    enum model_kind kind, struct model_input *input,
                                    struct masing_error *error);
void model_input_close(struct model_input *input);

/* Whether every frequency of an option lies in the model's range. */
enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error);

/* Unit of a parameter of the model by its path, "" where it has or needs none; the parameter
 * with its unit, for the axis of a picture, NULL for NULL. */
const char *model_input_unit(const struct masing_spec *spec, const char *path);
const char *model_input_label(struct pool *pool, const struct masing_spec *spec,
                              const char *path);

/* The joint whose loop a picture shows: the one of that name, or the first; loops are those of
 * joints that are one entry of the model by themselves. NULL: there is none. */
const struct masing_joint_spec *model_input_loop_joint(const struct masing_spec *spec,
                                                       const char *name);

/* The loop that a picture shows of a joint: of several axes the first but the normal one, which
 * is the first of the law. */
const char *model_input_loop_name(struct pool *pool, const struct masing_joint_spec *joint);

#endif
