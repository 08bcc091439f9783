/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Field tables checked again: a program may have filled them without any file. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "model/message.h"
#include "model/seal.h"

/* What is looked at, for messages. */
struct subject {
    const struct masing_spec *spec;
    const struct model_part *part;
    const char *what;
    struct masing_error *error;
};

/* "WHAT: ..." at the field */
static enum masing_status refuse(const struct subject *subject,
                                 const struct masing_field *field, const char *format, ...)
    MASING_PRINTF(3, 4);

static enum masing_status refuse(const struct subject *subject,
                                 const struct masing_field *field, const char *format, ...)
{
    char text[MASING_MESSAGE_LENGTH / 2];
    struct model_part part = model_part_of(subject->part, field->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return model_refuse_part(subject->spec, &part, subject->error, "%s: %s", subject->what,
                             text);
}

static enum masing_status check_number(const struct subject *subject,
                                       const struct masing_field *field, double value,
                                       void *target)
{
    struct masing_error inner = {0};
    enum masing_status status = masing_field_store(field, value, target, &inner);
    return status == MASING_OK ? status : refuse(subject, field, "%s", inner.message);
}

static enum masing_status check_count(const struct subject *subject,
                                      const struct masing_field *field, int count, int minimum,
                                      int maximum)
{
    bool is_absent = count == 0 && !field->is_required;
    if (is_absent || (count >= minimum && count <= maximum)) {
        return MASING_OK;
    }
    return refuse(subject, field, "'%s' holds %d, expected %d to %d", field->name, count,
                  minimum, maximum);
}

static enum masing_status check_choice(const struct subject *subject,
                                       const struct masing_field *field, const void *object)
{
    int index = (int)masing_field_value(field, object), n = 0;
    while (field->choices[n]) {
        n++;
    }
    if (index >= 0 && index < n) {
        return MASING_OK;
    }
    return refuse(subject, field, "'%s' is choice %d, expected 0 to %d", field->name, index,
                  n - 1);
}

static enum masing_status check_list(const struct subject *subject,
                                     const struct masing_field *field, struct masing_list *list)
{
    enum masing_status status = MASING_OK;
    struct masing_field element = *field;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    TRY(check_count(subject, field, list->count, 1,
                    field->max_count ? field->max_count : MASING_LIST_LENGTH));
    for (int i = 0; i < list->count; i++) {
        TRY(check_number(subject, &element, list->values[i], &list->values[i]));
    }
done:
    return status;
}

static enum masing_status check_points(const struct subject *subject,
                                       const struct masing_field *field,
                                       const struct masing_points *points)
{
    enum masing_status status = MASING_OK;
    TRY(check_count(subject, field, points->count, 2, MASING_POINTS_LENGTH));
    for (int i = 0; i < points->count; i++) {
        if (!isfinite(points->x[i]) || !isfinite(points->y[i])) {
            TRY(refuse(subject, field, "point %d of '%s' is (%g, %g), expected finite numbers",
                       i + 1, field->name, points->x[i], points->y[i]));
        }
    }
done:
    return status;
}

/* Records hold no records: the recursion is one deep. */
static enum masing_status check_records(const struct subject *subject,
                                        const struct masing_field *field, void *object)
{
    enum masing_status status = MASING_OK;
    const struct masing_records *records = field->records;
    char *record = (char *)object + records->first_offset;
    int count;
    memcpy(&count, object, sizeof count);
    TRY(check_count(subject, field, count, 1, records->max_count));
    for (int i = 0; i < count; i++, record += records->record_size) {
        char what[200], key[100];
        snprintf(key, sizeof key, "%s.%d", field->name, i);
        snprintf(what, sizeof what, "%s: %s", subject->what, key);
        struct model_part part = model_part_of(subject->part, key);
        TRY(seal_fields(subject->spec, &part, what, records->fields, records->n_fields, record,
                        subject->error));
    }
done:
    return status;
}

static enum masing_status check_field(const struct subject *subject,
                                      const struct masing_field *field, void *object)
{
    void *target = (char *)object + field->offset;
    double value = masing_field_value(field, object);
    switch (field->type) {
    case MASING_FIELD_REAL:
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_BOOLEAN:
        break;
    case MASING_FIELD_CHOICE:
        return check_choice(subject, field, object);
    case MASING_FIELD_LIST:
        return check_list(subject, field, target);
    case MASING_FIELD_RECORDS:
        return check_records(subject, field, target);
    case MASING_FIELD_POINTS:
        return check_points(subject, field, target);
    }
    if (isnan(value) && isnan(field->fallback) && !field->is_required) {
        return MASING_OK;
    }
    return check_number(subject, field, value, object);
}

enum masing_status seal_fields(const struct masing_spec *spec, const struct model_part *part,
                               const char *what, const struct masing_field *fields,
                               int n_fields, void *object, struct masing_error *error)
{
    struct subject subject = {spec, part, what, error};
    enum masing_status status = MASING_OK;
    for (int i = 0; i < n_fields; i++) {
        TRY(check_field(&subject, &fields[i], object));
    }
done:
    return status;
}
