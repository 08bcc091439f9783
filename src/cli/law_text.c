/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/law_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_WIDTH = 20 };

int law_text_width(const struct masing_law *law)
{
    size_t width = LEAST_WIDTH;
    for (int i = 0; i < law->n_fields; i++) {
        size_t length = strlen(law->fields[i].name);
        width = length > width ? length : width;
    }
    for (int i = 0; i < law->n_constants; i++) {
        size_t length = strlen(law->constants[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static const char *space_before(const char *unit)
{
    return *unit ? " " : "";
}

static void put_number(double value, const char *unit)
{
    printf("%.10g%s%s", value, space_before(unit), unit);
}

/* A number, word or truth; false where it is not given. */
static bool is_single_given(const struct masing_field *field, const void *object)
{
    return field->type <= MASING_FIELD_CHOICE && !isnan(masing_field_value(field, object));
}

static void put_single(const struct masing_field *field, const void *object)
{
    double value = masing_field_value(field, object);
    if (field->type == MASING_FIELD_CHOICE) {
        fputs(field->choices[(int)value], stdout);
    } else if (field->type == MASING_FIELD_BOOLEAN) {
        fputs(value != 0 ? "true" : "false", stdout);
    } else {
        put_number(value, field->unit);
    }
}

static void put_list(const struct masing_field *field, const struct masing_list *list)
{
    for (int k = 0; k < list->count; k++) {
        printf("%s%.10g", k > 0 ? ", " : "", list->values[k]);
    }
    printf("%s%s", space_before(field->unit), field->unit);
}

/* "coefficient 5, power 1" */
static void put_record(const struct masing_records *records, const void *record)
{
    bool is_first = true;
    for (int i = 0; i < records->n_fields; i++) {
        const struct masing_field *field = &records->fields[i];
        if (is_single_given(field, record)) {
            printf("%s%s ", is_first ? "" : ", ", field->name);
            put_single(field, record);
            is_first = false;
        }
    }
}

static void put_records(const struct masing_field *field, const char *target, int count,
                        int width)
{
    const char *record = target + field->records->first_offset;
    for (int k = 0; k < count; k++, record += field->records->record_size) {
        if (k > 0) {
            printf("\n  %*s ", width, "");
        }
        printf("%d: ", k);
        put_record(field->records, record);
    }
}

static void put_points(const struct masing_points *points)
{
    int last = points->count - 1;
    printf("%d points from (%.6g, %.6g) to (%.6g, %.6g)", points->count, points->x[0],
           points->y[0], points->x[last], points->y[last]);
}

static void put_field(const struct masing_field *field, const void *parameters, int width)
{
    const char *target = (const char *)parameters + field->offset;
    const struct masing_list *list = (const void *)target;
    const struct masing_points *points = (const void *)target;
    int count = 0;
    switch (field->type) {
    case MASING_FIELD_LIST:
        count = list->count;
        break;
    case MASING_FIELD_RECORDS:
        memcpy(&count, target, sizeof count);
        break;
    case MASING_FIELD_POINTS:
        count = points->count;
        break;
    default:
        count = is_single_given(field, parameters);
    }
    if (count == 0) {
        return;
    }
    printf("  %-*s ", width, field->name);
    switch (field->type) {
    case MASING_FIELD_LIST:
        put_list(field, list);
        break;
    case MASING_FIELD_RECORDS:
        put_records(field, target, count, width);
        break;
    case MASING_FIELD_POINTS:
        put_points(points);
        break;
    default:
        put_single(field, parameters);
    }
    puts("");
}

void law_text_parameters(const struct masing_law *law, const void *parameters)
{
    for (int i = 0; i < law->n_fields; i++) {
        put_field(&law->fields[i], parameters, law_text_width(law));
    }
}

/* Whether the parameters give a derived constant themselves. */
static bool is_given(const struct masing_law *law, const void *parameters, const char *name)
{
    int i = masing_field_find(law->fields, law->n_fields, name);
    return i >= 0 && is_single_given(&law->fields[i], parameters);
}

void law_text_constants(const struct masing_law *law, const void *parameters)
{
    for (int i = 0; i < law->n_constants; i++) {
        const struct masing_constant *constant = &law->constants[i];
        const void *place = (const char *)parameters + constant->offset;
        double value = *(const double *)place;
        if (!isnan(value) && !is_given(law, parameters, constant->name)) {
            printf("  %-*s ", law_text_width(law), constant->name);
            put_number(value, constant->unit);
            printf("  (%s)\n", constant->help);
        }
    }
}

/* Smallest and largest of a number at an offset, NAN where no joint has it. */
struct spread {
    double smallest, largest;
};

static void widen(struct spread *spread, double value)
{
    spread->smallest = fmin(spread->smallest, value); /* of which one may be NAN */
    spread->largest = fmax(spread->largest, value);
}

static void put_spread(const char *name, const char *unit, const char *help,
                       const struct spread *spread, int width)
{
    if (isnan(spread->smallest)) {
        return;
    }
    printf("  %-*s ", width, name);
    if (spread->largest > spread->smallest) {
        printf("%.10g to ", spread->smallest);
    }
    put_number(spread->largest, unit);
    printf(*help ? "  (%s)\n" : "%s\n", help);
}

void law_text_group(const struct masing_joint_spec *joints, int n_joints)
{
    const struct masing_law *law = joints[0].law;
    int width = law_text_width(law);
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        struct spread spread = {NAN, NAN};
        if (field->type != MASING_FIELD_REAL) {
            put_field(field, joints[0].parameters, width);
            continue;
        }
        for (int j = 0; j < n_joints; j++) {
            widen(&spread, masing_field_value(field, joints[j].parameters));
        }
        put_spread(field->name, field->unit, "", &spread, width);
    }
    for (int i = 0; i < law->n_constants; i++) {
        const struct masing_constant *constant = &law->constants[i];
        struct spread spread = {NAN, NAN};
        for (int j = 0; j < n_joints; j++) {
            const void *place = (const char *)joints[j].parameters + constant->offset;
            widen(&spread, *(const double *)place);
        }
        put_spread(constant->name, constant->unit, constant->help, &spread, width);
    }
}

/* Whether the law says itself that it can create energy. */
static bool says_energy(const struct masing_law *law, const void *parameters)
{
    char text[512] = "";
    const char *caution = law->caution ? law->caution(parameters, text, sizeof text) : NULL;
    return caution && strstr(caution, "energy");
}

const char *law_text_energy(const struct masing_law *law, const void *parameters, char *text,
                            size_t size)
{
    double limit = law->energy_limit ? law->energy_limit(parameters)
                                     : (law->may_create_energy ? NAN : INFINITY);
    if (isinf(limit) || says_energy(law, parameters)) {
        return NULL;
    }
    if (limit > 0.0) {
        snprintf(text, size, "beyond |x| = %.4g m", limit);
    } else {
        snprintf(text, size, "in some motions; no limit is known");
    }
    return text;
}
