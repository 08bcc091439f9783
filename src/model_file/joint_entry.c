/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint as it stands in a model file, from the law's field table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "data/number.h"
#include "masing/identify.h"
#include "model_file/tree.h"

/* Whether a field was given, or is not what it is by itself. */
static bool is_said(const struct masing_field *field, const void *object)
{
    const void *at = (const char *)object + field->offset;
    if (field->type == MASING_FIELD_LIST) {
        return ((const struct masing_list *)at)->count > 0;
    }
    if (field->type == MASING_FIELD_RECORDS) {
        return *(const int *)at > 0;
    }
    if (field->type == MASING_FIELD_POINTS) {
        return false; /* stands in a file of its own */
    }
    double value = masing_field_value(field, object);
    return !isnan(value) && (field->is_required || value != field->fallback);
}

static void put_scalar(struct tree_text *text, const struct masing_field *field,
                       const void *object)
{
    char number[NUMBER_TEXT];
    double value = masing_field_value(field, object);
    tree_text_put(text, "%s",
                  field->type == MASING_FIELD_CHOICE    ? field->choices[(int)value]
                  : field->type == MASING_FIELD_BOOLEAN ? (value != 0.0 ? "true" : "false")
                                                        : number_print(value, number));
}

/* One mapping a line. */
static void put_records(struct tree_text *text, const struct masing_field *field,
                        const void *at, int indent)
{
    const struct masing_records *records = field->records;
    for (int i = 0; i < *(const int *)at; i++) {
        const char *record =
            (const char *)at + records->first_offset + (size_t)i * records->record_size;
        int n = 0;
        tree_text_put(text, "\n%*s- {", indent, "");
        for (int k = 0; k < records->n_fields; k++) {
            if (is_said(&records->fields[k], record)) {
                tree_text_put(text, "%s%s: ", n++ > 0 ? ", " : "", records->fields[k].name);
                put_scalar(text, &records->fields[k], record);
            }
        }
        tree_text_put(text, "}");
    }
}

static void put_value(struct tree_text *text, const struct masing_field *field,
                      const void *object, int indent)
{
    const void *at = (const char *)object + field->offset;
    if (field->type == MASING_FIELD_RECORDS) {
        put_records(text, field, at, indent + 2);
    } else if (field->type == MASING_FIELD_LIST) {
        const struct masing_list *list = at;
        for (int i = 0; i < list->count; i++) {
            char number[NUMBER_TEXT];
            tree_text_put(text, "%s%s", i > 0 ? ", " : " [",
                          number_print(list->values[i], number));
        }
        tree_text_put(text, "]");
    } else {
        tree_text_put(text, " ");
        put_scalar(text, field, object);
    }
    tree_text_put(text, "\n");
}

/* `loading.e1` stands as `e1` in the mapping `loading`. */
static void put_fields(struct tree_text *text, const struct masing_law *law,
                       const void *parameters)
{
    const char *stem = "";
    size_t stem_length = 0;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        const char *dot = strchr(field->name, '.');
        if (!is_said(field, parameters)) {
            continue;
        }
        size_t length = dot ? (size_t)(dot - field->name) : 0;
        if (dot && (length != stem_length || strncmp(stem, field->name, length) != 0)) {
            tree_text_put(text, "    %.*s:\n", (int)length, field->name);
        }
        stem = field->name;
        stem_length = length;
        int indent = dot ? 6 : 4;
        tree_text_put(text, "%*s%s:", indent, "", dot ? dot + 1 : field->name);
        put_value(text, field, parameters, indent);
    }
}

enum masing_status masing_joint_entry(const struct masing_law *law, const void *parameters,
                                      const struct masing_joint_place *place, char **text,
                                      struct masing_error *error)
{
    struct tree_text entry = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    NEED(entry_need(text, "text", error));
    *text = NULL;
    NEED(entry_need(law, "law", error));
    NEED(entry_need(parameters, "parameters", error));
    NEED(entry_need(place, "place", error));
    NEED(entry_need(place->name, "place.name", error));
    if (!place->axis) {
        NEED(entry_need(place->from, "place.from", error));
        NEED(entry_need(place->to, "place.to", error));
    }
    tree_text_put(&entry, "joints:\n  - name: %s\n    law: %s\n", place->name, law->name);
    if (place->axis) {
        tree_text_put(&entry, "    axis: %s\n", place->axis);
    } else {
        tree_text_put(&entry, "    from: %s\n    to: %s\n", place->from, place->to);
    }
    put_fields(&entry, law, parameters);
    NEED_ALLOCATED(*text = tree_text_take(&entry));
    return MASING_OK;
}
