/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fields.h"

#include <string.h>

#include "cli/summary.h"

enum { DEFAULT_FRAMES = 24, MOST_LISTED = 8 };

/* A file that cannot be written does not keep the others from being written. */
static enum masing_status take(void *context, const struct masing_motion_field *field,
                               struct masing_error *error)
{
    struct field_outputs *fields = context;
    struct output_list *outputs = fields->outputs;
    for (int i = 0; i < fields->count; i++) {
        struct masing_error reason = {0};
        const struct masing_motion_field_sink sink =
            masing_motion_field_files_sink(fields->files[i]);
        enum masing_status status = sink.take(sink.context, field, &reason);
        const char *name;
        for (; (name = masing_motion_field_files_name(fields->files[i], fields->n_noted[i]));
             fields->n_noted[i]++) {
            if (status == MASING_OK) {
                option_store_texts(outputs->pool, pool_format(outputs->pool, "%s", name),
                                   &outputs->fields, NULL);
            }
        }
        if (status == MASING_IO) {
            output_note_failure(outputs, reason.message);
        } else if (status != MASING_OK) {
            return masing_error_set(error, status, "%s", reason.message);
        }
    }
    return MASING_OK;
}

enum masing_status fields_begin(struct single_run *single, int n_frames,
                                struct field_outputs *fields, struct masing_error *error)
{
    struct output_list *outputs = &single->outputs;
    bool has_frames = false;
    *fields = (struct field_outputs){.outputs = outputs, .sink = {fields, take}};
    fields->files =
        pool_take(single->call->pool, (size_t)outputs->count, sizeof *fields->files);
    fields->n_noted =
        pool_take(single->call->pool, (size_t)outputs->count, sizeof *fields->n_noted);
    for (int i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->values[i];
        if (output->format == OUTPUT_FIELD) {
            has_frames = has_frames || strcmp(output->ending, ".pvd") == 0;
            NEED(masing_motion_field_files_create(single->input.spec, output->file,
                                                  n_frames > 0 ? n_frames : DEFAULT_FRAMES,
                                                  &fields->files[fields->count], error));
            fields->count++;
        }
    }
    return n_frames > 0 && !has_frames
               ? command_refuse(single->call, error,
                                "--frames: instants of a period go to a file -o NAME.pvd")
               : MASING_OK;
}

const struct masing_motion_field_sink *fields_sink(const struct field_outputs *fields)
{
    return fields->count > 0 ? &fields->sink : NULL;
}

void fields_print(const struct field_outputs *fields)
{
    const struct text_list *files = &fields->outputs->fields;
    for (int i = 0; fields->count > 0 && i < files->count && i < MOST_LISTED; i++) {
        summary_line(i == 0 ? "fields" : "", "%s", files->values[i]);
    }
    if (fields->count > 0 && files->count > MOST_LISTED) {
        summary_line("", "and %d more", files->count - MOST_LISTED);
    }
}

void fields_end(struct field_outputs *fields)
{
    for (int i = 0; i < fields->count; i++) {
        masing_motion_field_files_destroy(fields->files[i]);
    }
    fields->count = 0;
}
