/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/field.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void *member(const struct masing_field *field, void *object)
{
    return (char *)object + field->offset;
}

static void write_value(const struct masing_field *field, double value, void *object)
{
    void *target = member(field, object);
    switch (field->type) {
    case MASING_FIELD_REAL:
        *(double *)target = value;
        break;
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_CHOICE:
        *(int *)target = isnan(value) ? 0 : (int)value;
        break;
    case MASING_FIELD_BOOLEAN:
        *(bool *)target = !isnan(value) && value != 0.0;
        break;
    case MASING_FIELD_LIST:
        memset(target, 0, sizeof(struct masing_list));
        break;
    case MASING_FIELD_RECORDS:
        *(int *)target = 0;
        break;
    case MASING_FIELD_POINTS:
        memset(target, 0, sizeof(struct masing_points));
        break;
    }
}

void masing_fields_reset(const struct masing_field *fields, int n_fields, void *object)
{
    for (int i = 0; i < n_fields; i++) {
        write_value(&fields[i], fields[i].fallback, object);
    }
}

int masing_field_find(const struct masing_field *fields, int n_fields, const char *name)
{
    for (int i = 0; i < n_fields; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *range_of_choices(const struct masing_field *field, char *text, size_t size)
{
    int used = snprintf(text, size, "one of");
    for (int i = 0; field->choices && field->choices[i]; i++) {
        if (used >= 0 && (size_t)used < size) {
            used += snprintf(text + used, size - (size_t)used, "%s %s", i ? "," : "",
                             field->choices[i]);
        }
    }
    return text;
}

static const char *range_of_numbers(const struct masing_field *field, char *text, size_t size)
{
    bool has_minimum = field->minimum > -INFINITY, has_maximum = field->maximum < INFINITY;
    bool is_open_below = field->open_ends & MASING_OPEN_MINIMUM;
    bool is_open_above = field->open_ends & MASING_OPEN_MAXIMUM;
    if (has_minimum && has_maximum) {
        snprintf(text, size, "in %c%g, %g%c", is_open_below ? '(' : '[', field->minimum,
                 field->maximum, is_open_above ? ')' : ']');
    } else if (has_minimum) {
        snprintf(text, size, "%s %g", is_open_below ? ">" : ">=", field->minimum);
    } else if (has_maximum) {
        snprintf(text, size, "%s %g", is_open_above ? "<" : "<=", field->maximum);
    } else {
        snprintf(text, size, "any finite number");
    }
    return text;
}

/* "1 or 2 numbers, each > 0" */
static const char *range_of_list(const struct masing_field *field, char *text, size_t size)
{
    int most = field->max_count ? field->max_count : MASING_LIST_LENGTH;
    bool is_bounded = field->minimum > -INFINITY || field->maximum < INFINITY;
    char count[32] = "1", each[64];
    if (most > 1) {
        snprintf(count, sizeof count, "1 %s %d", most == 2 ? "or" : "to", most);
    }
    range_of_numbers(field, each, sizeof each);
    snprintf(text, size, "%s %s%s%s%s", count, is_bounded ? "number" : "finite number",
             most > 1 ? "s" : "",
             !is_bounded ? ""
             : most > 1  ? ", each "
                         : " ",
             is_bounded ? each : "");
    return text;
}

const char *masing_field_range(const struct masing_field *field, char *text, size_t size)
{
    switch (field->type) {
    case MASING_FIELD_BOOLEAN:
        snprintf(text, size, "true or false");
        return text;
    case MASING_FIELD_CHOICE:
        return range_of_choices(field, text, size);
    case MASING_FIELD_RECORDS:
        snprintf(text, size, "1 to %d mappings", field->records->max_count);
        return text;
    case MASING_FIELD_POINTS:
        snprintf(text, size, "a CSV file or a list of 2 to %d points", MASING_POINTS_LENGTH);
        return text;
    case MASING_FIELD_LIST:
        return range_of_list(field, text, size);
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
        break;
    }
    return range_of_numbers(field, text, size);
}

static bool is_within(const struct masing_field *field, double value)
{
    bool above = field->open_ends & MASING_OPEN_MINIMUM ? value > field->minimum
                                                        : value >= field->minimum;
    bool below = field->open_ends & MASING_OPEN_MAXIMUM ? value < field->maximum
                                                        : value <= field->maximum;
    return isfinite(value) && above && below;
}

/* What the type itself cannot hold, whatever the range says. */
static const char *wanted_by_type(const struct masing_field *field, double value)
{
    if (!isfinite(value)) {
        return "a finite number";
    }
    switch (field->type) {
    case MASING_FIELD_INTEGER:
        return value == floor(value) && fabs(value) <= INT_MAX ? NULL : "an integer";
    case MASING_FIELD_BOOLEAN:
        return value == 0.0 || value == 1.0 ? NULL : "true or false";
    case MASING_FIELD_CHOICE:
        return "a word";
    case MASING_FIELD_LIST:
        return "a list";
    case MASING_FIELD_RECORDS:
        return "a list of mappings";
    case MASING_FIELD_POINTS:
        return "a file name or a list of points";
    case MASING_FIELD_REAL:
        break;
    }
    return NULL;
}

enum masing_status masing_field_store(const struct masing_field *field, double value,
                                      void *object, struct masing_error *error)
{
    masing_error_clear(error);
    if (!field || !object) {
        return masing_error_set(error, MASING_INVALID, "%s: NULL was given",
                                field ? "object" : "field");
    }
    const char *wanted = wanted_by_type(field, value);
    if (wanted) {
        return masing_error_set(error, MASING_INVALID, "'%s' must be %s, not %g", field->name,
                                wanted, value);
    }
    if (field->type != MASING_FIELD_BOOLEAN && !is_within(field, value)) {
        char range[64];
        masing_field_range(field, range, sizeof range);
        return masing_error_set(error, MASING_INVALID, "'%s' must be %s%s%s, not %g",
                                field->name, range, *field->unit ? " " : "", field->unit,
                                value);
    }
    write_value(field, value, object);
    return MASING_OK;
}

double masing_field_value(const struct masing_field *field, const void *object)
{
    const void *source = (const char *)object + field->offset;
    switch (field->type) {
    case MASING_FIELD_REAL:
        return *(const double *)source;
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_CHOICE:
        return *(const int *)source;
    case MASING_FIELD_BOOLEAN:
        return *(const bool *)source;
    case MASING_FIELD_LIST:
    case MASING_FIELD_RECORDS:
    case MASING_FIELD_POINTS:
        break;
    }
    return NAN;
}
