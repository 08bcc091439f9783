/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a law's fields from the texts of a command line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/fit_numbers.h"
#include "base/check.h"

static bool read_number(const char *text, size_t length, double *value)
{
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy || strspn(text, "+-.0123456789eE") < length) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return !*end && isfinite(*value);
}

static enum masing_status store_list(const struct masing_field *field, const char *text,
                                     void *parameters, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_list list = {0};
    struct masing_field element = *field;
    int most = field->max_count > 0 ? field->max_count : MASING_LIST_LENGTH;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        double value = 0.0;
        if (list.count == most || !read_number(at, length, &value)) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "%s: expected 1 to %d numbers parted by commas, not '%.60s'",
                                 field->name, most, text));
        }
        TRY(masing_field_store(&element, value, &list.values[list.count++], error));
        at += length;
        if (!*at) {
            break;
        }
    }
    *(struct masing_list *)(void *)((char *)parameters + field->offset) = list;
done:
    return status;
}

static enum masing_status store_choice(const struct masing_field *field, const char *text,
                                       void *parameters, struct masing_error *error)
{
    char range[256];
    for (int i = 0; field->choices[i]; i++) {
        if (strcmp(field->choices[i], text) == 0) {
            *(int *)(void *)((char *)parameters + field->offset) = i;
            return MASING_OK;
        }
    }
    return masing_error_set(error, MASING_INVALID, "'%s' must be %s, not '%.60s'", field->name,
                            masing_field_range(field, range, sizeof range), text);
}

enum masing_status fit_store_text(const struct masing_field *field, const char *text,
                                  void *parameters, struct masing_error *error)
{
    double value;
    switch (field->type) {
    case MASING_FIELD_CHOICE:
        return store_choice(field, text, parameters, error);
    case MASING_FIELD_LIST:
        return store_list(field, text, parameters, error);
    case MASING_FIELD_RECORDS:
    case MASING_FIELD_POINTS:
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "'%s' cannot be given on the command line", field->name);
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_BOOLEAN:
        break;
    }
    if (field->type == MASING_FIELD_BOOLEAN && strcmp(text, "true") == 0) {
        text = "1";
    } else if (field->type == MASING_FIELD_BOOLEAN && strcmp(text, "false") == 0) {
        text = "0";
    }
    if (!read_number(text, strlen(text), &value)) {
        return masing_error_set(error, MASING_INVALID, "'%s': '%.60s' is not a number",
                                field->name, text);
    }
    return masing_field_store(field, value, parameters, error);
}
