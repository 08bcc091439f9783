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
    int width = LEAST_WIDTH;
    for (int i = 0; i < law->n_fields + law->n_constants; i++) {
        int length = (int)strlen(i < law->n_fields ? law->fields[i].name
                                                   : law->constants[i - law->n_fields].name);
        width = length > width ? length : width;
    }
    return width;
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

/* "0: coefficient 5, power 1", one below the other */
static void put_records(const struct masing_field *field, const char *target, int count,
                        int width, bool turns)
{
    const struct masing_records *records = field->records;
    const char *record = target + records->first_offset;
    for (int k = 0; k < count; k++, record += records->record_size) {
        if (k > 0) {
            printf("\n  %*s ", width, "");
        }
        printf("%d: ", k);
        const char *between = "";
        for (int i = 0; i < records->n_fields; i++) {
            if (is_single_given(&records->fields[i], record)) {
                printf("%s%s ", between, records->fields[i].name);
                put_single(&records->fields[i], record, turns);
                between = ", ";
            }
        }
    }
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
    for (int k = 0; is_list && k < count; k++) {
        printf("%s%.10g", k > 0 ? ", " : "", list->values[k]);
    }
    if (is_list) {
        printf("%s%s", space_before(field->unit), unit_of(field->unit, turns));
    } else if (is_points) {
        printf("%d points from (%.6g, %.6g) to (%.6g, %.6g)", count, points->x[0], points->y[0],
               points->x[count - 1], points->y[count - 1]);
    } else if (is_records) {
        put_records(field, target, count, width, turns);
    } else {
        put_single(field, parameters, turns);
    }
    puts("");
}

/* The smallest and the largest of a number of joints, NAN where none has it. */
static void put_spread(const char *name, const char *unit, const char *help,
                       const double spread[2], int width)
{
    if (isnan(spread[0])) {
        return;
    }
    printf("  %-*s ", width, name);
    if (spread[1] > spread[0]) {
        printf("%.10g to ", spread[0]);
    }
    put_number(spread[1], unit);
    printf(*help ? "  (%s)\n" : "%s\n", help);
}

static void widen(double spread[2], double value)
{
    spread[0] = fmin(spread[0], value); /* of which one may be NAN */
    spread[1] = fmax(spread[1], value);
}

void law_text_joints(const struct masing_joint_spec *joints, int n_joints, bool turns)
{
    const struct masing_law *law = joints[0].law;
    int width = law_text_width(law);
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        double spread[2] = {NAN, NAN};
        if (field->type != MASING_FIELD_REAL) {
            put_field(field, joints[0].parameters, width, turns);
            continue;
        }
        for (int j = 0; j < n_joints; j++) {
            widen(spread, masing_field_value(field, joints[j].parameters));
        }
        put_spread(field->name, unit_of(field->unit, turns), "", spread, width);
    }
    for (int i = 0; i < law->n_constants; i++) {
        const struct masing_constant *constant = &law->constants[i];
        int same = masing_field_find(law->fields, law->n_fields, constant->name);
        double spread[2] = {NAN, NAN};
        if (same >= 0 && is_single_given(&law->fields[same], joints[0].parameters)) {
            continue; /* the parameters give it themselves */
        }
        for (int j = 0; j < n_joints; j++) {
            const void *place = (const char *)joints[j].parameters + constant->offset;
            widen(spread, *(const double *)place);
        }
        put_spread(constant->name, unit_of(constant->unit, turns), constant->help, spread,
                   width);
    }
}

/* Whether the law's own caution is about energy. */
static bool is_caution_of_energy(const struct masing_law *law, const void *parameters)
{
    struct masing_warning caution;
    return law->caution && law->caution(parameters, &caution) &&
           strstr(caution.pattern, "energy");
}

const char *law_text_energy(const struct masing_law *law, const void *parameters, bool turns,
                            char *text, size_t size)
{
    double limit = law->energy_limit ? law->energy_limit(parameters)
                                     : (law->may_create_energy ? NAN : INFINITY);
    if (isinf(limit) || law->gain_is_meant || is_caution_of_energy(law, parameters)) {
        return NULL;
    }
    if (limit > 0.0) {
        snprintf(text, size, "beyond |x| = %.4g %s", limit, unit_of("m", turns));
    } else {
        snprintf(text, size, "in some motions; no limit is known");
    }
    return text;
}
