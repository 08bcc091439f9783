/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refusals with their place: "file:line:column: what is wrong, what was expected". */
#ifndef MASING_MODEL_MESSAGE_H
#define MASING_MODEL_MESSAGE_H

#include "masing/model.h"

/* Always MASING_INVALID. The place is left out as far as it is unknown. */
enum masing_status model_refuse(const struct masing_spec *spec, struct masing_place place,
                                struct masing_error *error, const char *format, ...)
    MASING_PRINTF(4, 5);

/* An analysis needs something to look at: refuses a model without outputs. */
enum masing_status model_need_outputs(const struct masing_spec *spec,
                                      struct masing_error *error);

/* "'name'" of a DOF for messages, or its number (from 1) where it has no name. */
struct dof_text {
    char text[64];
};
struct dof_text model_dof_text(const struct masing_spec *spec, int dof);

#endif
