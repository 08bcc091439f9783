/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/message.h"

#include <stdarg.h>
#include <stdio.h>

static void write_place(const struct masing_spec *spec, struct masing_place place, char *text,
                        size_t size)
{
    const char *file = spec->file ? spec->file : "model";
    if (place.line > 0) {
        snprintf(text, size, "%s:%d:%d: ", file, place.line, place.column);
    } else {
        snprintf(text, size, "%s: ", file);
    }
}

enum masing_status model_refuse(const struct masing_spec *spec, struct masing_place place,
                                struct masing_error *error, const char *format, ...)
{
    char where[MASING_MESSAGE_LENGTH / 2], what[MASING_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    write_place(spec, place, where, sizeof where);
    return masing_error_set(error, MASING_INVALID, "%s%s", where, what);
}

struct dof_text model_dof_text(const struct masing_spec *spec, int dof)
{
    struct dof_text text;
    const char *name = spec->structure.dof_names ? spec->structure.dof_names[dof] : NULL;
    if (name) {
        snprintf(text.text, sizeof text.text, "'%s'", name);
    } else {
        snprintf(text.text, sizeof text.text, "%d", dof + 1);
    }
    return text;
}

enum masing_status model_need_outputs(const struct masing_spec *spec,
                                      struct masing_error *error)
{
    if (spec->n_outputs > 0) {
        return MASING_OK;
    }
    return model_refuse(spec, (struct masing_place){0}, error,
                        "the model has no outputs, expected at least one DOF under 'outputs:'");
}
