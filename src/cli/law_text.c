/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/law_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/unit.h"
#include "masing/suggest.h"

enum { LEAST_WIDTH = 20 };

const struct masing_law *law_text_find(const char *name, struct masing_error *error)
{
    char text[MASING_SUGGESTION_LENGTH];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        masing_suggest_consider(&suggestion, (*law)->name);
    }
    const struct masing_law *found = masing_law_find(name);
    const char *meant = masing_law_meant(name);
    if (!found && meant) {
        masing_error_set(error, MASING_INVALID,
                         "unknown law '%.80s'; what is meant may be %s; 'masing law NAME' "
                         "describes one",
                         name, meant);
    } else if (!found) {
        masing_error_set(error, MASING_INVALID,
                         "unknown law '%.80s'%s; 'masing law' lists the laws", name,
                         masing_suggest_text(&suggestion, text, sizeof text));
    }
    return found;
}

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

/* A number, a word or a boolean that is given. */
static bool is_single_given(const struct masing_field *field, const void *object)
{
    return field->type <= MASING_FIELD_CHOICE && !isnan(masing_field_value(field, object));
}

static void put_single(const struct masing_field *field, const void *object, bool turns)
{
    double value = masing_field_value(field, object);
    if (field->type == MASING_FIELD_CHOICE) {
        fputs(field->choices[(int)value], stdout);
    } else if (field->type == MASING_FIELD_BOOLEAN) {
        fputs(value != 0 ? "true" : "false", stdout);
    } else {
        put_number(value, unit_of(field->unit, turns));
    }
}

static void put_list(const struct masing_field *field, const struct masing_list *list,
                     bool turns)
{
    for (int k = 0; k < list->count; k++) {
        printf("%s%.10g", k > 0 ? ", " : "", list->values[k]);
    }
    printf("%s%s", space_before(field->unit), unit_of(field->unit, turns));
}

/* "coefficient 5, power 1" */
static void put_record(const struct masing_records *records, const void *record, bool turns)
{
    bool is_first = true;
    for (int i = 0; i < records->n_fields; i++) {
        const struct masing_field *field = &records->fields[i];
        if (is_single_given(field, record)) {
            printf("%s%s ", is_first ? "" : ", ", field->name);
            put_single(field, record, turns);
            is_first = false;
        }
    }
}

static void put_records(const struct masing_field *field, const char *target, int count,
                        int width, bool turns)
{
    const char *record = target + field->records->first_offset;
    for (int k = 0; k < count; k++, record += field->records->record_size) {
        if (k > 0) {
            printf("\n  %*s ", width, "");
        }
        printf("%d: ", k);
        put_record(field->records, record, turns);
    }
}

static void put_points(const struct masing_points *points)
{
    int last = points->count - 1;
    printf("%d points from (%.6g, %.6g) to (%.6g, %.6g)", points->count, points->x[0],
           points->y[0], points->x[last], points->y[last]);
}

static void put_field(const struct masing_field *field, const void *parameters, int width,
                      bool turns)
{
    const char *target = (const char *)parameters + field->offset;
    const struct masing_list *list = (const void *)target;
    const struct masing_points *points = (const void *)target;
    const int *n_records = (const void *)target;
    bool is_list = field->type == MASING_FIELD_LIST;
    bool is_points = field->type == MASING_FIELD_POINTS;
    bool is_records = field->type == MASING_FIELD_RECORDS;
    int count = is_list      ? list->count
                : is_points  ? points->count
                : is_records ? *n_records
                             : is_single_given(field, parameters);
    if (count == 0) {
        return;
    }
    printf("  %-*s ", width, field->name);
    if (is_list) {
        put_list(field, list, turns);
    } else if (is_points) {
        put_points(points);
    } else if (is_records) {
        put_records(field, target, count, width, turns);
    } else {
        put_single(field, parameters, turns);
    }
    puts("");
}

/* Whether the parameters give a derived constant themselves. */
static bool is_given(const struct masing_law *law, const void *parameters, const char *name)
{
    int i = masing_field_find(law->fields, law->n_fields, name);
    return i >= 0 && is_single_given(&law->fields[i], parameters);
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

void law_text_joints(const struct masing_joint_spec *joints, int n_joints, bool turns)
{
    const struct masing_law *law = joints[0].law;
    int width = law_text_width(law);
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        struct spread spread = {NAN, NAN};
        if (field->type != MASING_FIELD_REAL) {
            put_field(field, joints[0].parameters, width, turns);
            continue;
        }
        for (int j = 0; j < n_joints; j++) {
            widen(&spread, masing_field_value(field, joints[j].parameters));
        }
        put_spread(field->name, unit_of(field->unit, turns), "", &spread, width);
    }
    for (int i = 0; i < law->n_constants; i++) {
        const struct masing_constant *constant = &law->constants[i];
        struct spread spread = {NAN, NAN};
        for (int j = 0; j < n_joints && !is_given(law, joints[0].parameters, constant->name);
             j++) {
            const void *place = (const char *)joints[j].parameters + constant->offset;
            widen(&spread, *(const double *)place);
        }
        put_spread(constant->name, unit_of(constant->unit, turns), constant->help, &spread,
                   width);
    }
}

/* Whether the law's own caution is about energy. */
static bool is_caution_of_energy(const struct masing_law *law, const void *parameters)
{
    char text[512] = "";
    const char *caution = law->caution ? law->caution(parameters, text, sizeof text) : NULL;
    return caution && strstr(caution, "energy");
}

const char *law_text_energy(const struct masing_law *law, const void *parameters, bool turns,
                            char *text, size_t size)
{
    double limit = law->energy_limit ? law->energy_limit(parameters)
                                     : (law->may_create_energy ? NAN : INFINITY);
    if (isinf(limit) || is_caution_of_energy(law, parameters)) {
        return NULL;
    }
    if (limit > 0.0) {
        snprintf(text, size, "beyond |x| = %.4g %s", limit, unit_of("m", turns));
    } else {
        snprintf(text, size, "in some motions; no limit is known");
    }
    return text;
}
