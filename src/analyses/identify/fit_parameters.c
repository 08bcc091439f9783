/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/fit_parameters.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* ---- sizes by units, starts that fill the ranges evenly ---- */

/* Powers of force, length and time. */
struct dimension {
    double force, length, time;
};

static const struct {
    const char *symbol;
    struct dimension dimension;
} units[] = {
    {"N", {1, 0, 0}}, {"m", {0, 1, 0}},   {"s", {0, 0, 1}},   {"Pa", {1, -2, 0}},
    {"J", {1, 1, 0}}, {"kg", {1, -1, 2}}, {"Hz", {0, 0, -1}},
};

/* "N s^2/m^2": factors parted by blanks, all behind a slash in the denominator. */
static struct dimension read_dimension(const char *unit, int index)
{
    struct dimension sum = {0};
    double sign = 1.0;
    for (const char *at = unit; *at;) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length])) {
            length++;
        }
        if (length == 0) {
            sign = *at == '/' ? -1.0 : sign;
            at++;
            continue;
        }
        double power = 1.0;
        const char *next = at + length;
        if (*next == '^') {
            char *end;
            bool is_letter = isalpha((unsigned char)next[1]);
            power = is_letter ? index : strtod(next + 1, &end);
            next = is_letter ? next + 2 : end;
        }
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (strlen(units[i].symbol) == length && !strncmp(units[i].symbol, at, length)) {
                sum.force += sign * power * units[i].dimension.force;
                sum.length += sign * power * units[i].dimension.length;
                sum.time += sign * power * units[i].dimension.time;
            }
        }
        at = next;
    }
    return sum;
}

bool fit_unit_has_time(const char *unit)
{
    return read_dimension(unit, 0).time != 0.0;
}

/* Natural size of a quantity by its unit, e.g. "N/m"; `index` stands for a letter as power,
 * "N/m^p". */
static double natural_size(const struct fit_sizes *sizes, const char *unit, int index)
{
    struct dimension d = read_dimension(unit, index);
    if (d.force == 1 && d.length == -1 && d.time == 0) {
        return sizes->stiffness;
    }
    /* displacements of a law are those at which it slips: beyond force over stiffness */
    double length = d.force == 0 && d.length == 1 && d.time == 0
                        ? fmin(2 * sizes->force / sizes->stiffness, sizes->displacement)
                        : sizes->displacement;
    return pow(sizes->force, d.force) * pow(length, d.length) * pow(sizes->time, d.time);
}

/* Multiples of square roots of primes fill the unit cube evenly (Kronecker's sequence). */
static double sequence(int index, int trial)
{
    static const double roots[] = {1.4142135623730951, 1.7320508075688772, 2.2360679774997896,
                                   2.6457513110645907, 3.3166247903554,    3.605551275463989,
                                   4.123105625617661,  4.358898943540674,  4.795831523312719,
                                   5.385164807134504,  5.5677643628300215, 6.082762530298219};
    const int n = (int)(sizeof roots / sizeof *roots);
    double value = 0.5 + trial * roots[index % n] * (1 + index / n);
    return value - floor(value);
}

/* The value of a parameter in start `trial` (0: the natural one, or the caller's). */
static double start_value(const struct fit_parameter *parameter, int index, int trial)
{
    double share = sequence(index, trial);
    if (trial == 0 && !isnan(parameter->start)) {
        return parameter->start;
    }
    if (trial % 2 == 0 && isnan(parameter->start) && !isnan(parameter->fallback)) {
        return parameter->fallback;
    }
    if (parameter->low > -INFINITY && parameter->high < INFINITY) {
        return parameter->low + (parameter->high - parameter->low) * (0.05 + 0.9 * share);
    }
    double size = isnan(parameter->start)      ? parameter->size
                  : parameter->low > -INFINITY ? parameter->start - parameter->low
                                               : fabs(parameter->start);
    size = (size > 0 ? size : parameter->size) * pow(10.0, 1.4 * (share - 0.5)); /* 1/5 to 5 */
    if (parameter->low > -INFINITY) {
        return parameter->low + size;
    }
    if (parameter->high < INFINITY) {
        return parameter->high - size;
    }
    double sign = isnan(parameter->start) || parameter->start >= 0 ? 1.0 : -1.0;
    return trial % 3 == 2 ? -sign * size : sign * size;
}

void fit_parameters_start(const struct fit_parameters *varied, int trial, double *unknowns)
{
    double values[FIT_MOST_PARAMETERS];
    for (int k = 0; k < varied->n; k++) {
        values[k] = start_value(&varied->list[k], k, trial);
    }
    for (int k = 0; k < varied->n; k++) {
        const struct fit_parameter *parameter = &varied->list[k];
        if (parameter->power >= 0 && isnan(parameter->start)) {
            values[k] *= pow(parameter->length, 1.0 - values[parameter->power]);
        }
        unknowns[k] = fit_parameter_unknown(parameter, values[k]);
    }
}

double fit_parameter_unknown(const struct fit_parameter *parameter, double value)
{
    return parameter->is_logarithmic ? log(value / parameter->size) : value / parameter->size;
}

double fit_parameter_value(const struct fit_parameter *parameter, double unknown)
{
    return parameter->is_logarithmic ? parameter->size * exp(unknown)
                                     : parameter->size * unknown;
}

double fit_parameter_slope(const struct fit_parameter *parameter, double unknown)
{
    return parameter->is_logarithmic ? parameter->size * exp(unknown) : parameter->size;
}

void fit_parameter_bounds(const struct fit_parameter *parameter, double *lower, double *upper)
{
    const double most_logarithm = 230.0; /* sizes times 1e-100 to 1e100 */
    const double inset = 1e-9; /* of the width, where an end does not belong to the range */
    double width = parameter->low > -INFINITY && parameter->high < INFINITY
                       ? parameter->high - parameter->low
                       : 1.0;
    *lower = parameter->low;
    *upper = parameter->high;
    if (parameter->is_logarithmic) {
        *lower = -most_logarithm;
        *upper = parameter->high < INFINITY ? log(parameter->high / parameter->size)
                                            : most_logarithm;
        return;
    }
    if (parameter->open_ends & MASING_OPEN_MINIMUM) {
        *lower += inset * width;
    }
    if (parameter->open_ends & MASING_OPEN_MAXIMUM) {
        *upper -= inset * width;
    }
    *lower /= parameter->size;
    *upper /= parameter->size;
}

static void fit_parameter_store(const struct fit_parameter *parameter, double value,
                                void *parameters)
{
    *(double *)(void *)((char *)parameters + parameter->offset) = value;
}

void fit_parameters_store(const struct fit_parameters *varied, const double *unknowns,
                          void *parameters)
{
    for (int k = 0; k < varied->n; k++) {
        const struct fit_parameter *parameter = &varied->list[k];
        fit_parameter_store(parameter, fit_parameter_value(parameter, unknowns[k]), parameters);
    }
}

/* ---- values of fields from the texts of a command line ---- */

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
    struct masing_list list = {0};
    struct masing_field element = *field;
    int most = field->max_count > 0 ? field->max_count : MASING_LIST_LENGTH;
    element.type = MASING_FIELD_REAL;
    element.offset = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        double value = 0.0;
        if (list.count == most || !read_number(at, length, &value)) {
            return masing_error_set(
                error, MASING_INVALID,
                "%s: expected 1 to %d numbers parted by commas, not '%.60s'", field->name, most,
                text);
        }
        NEED(masing_field_store(&element, value, &list.values[list.count++], error));
        at += length;
        if (!*at) {
            break;
        }
    }
    *(struct masing_list *)(void *)((char *)parameters + field->offset) = list;
    return MASING_OK;
}

/* Store what a field can hold in one word: a number, a choice, true or false, a list. */
static enum masing_status store_text(const struct masing_field *field, const char *text,
                                     void *parameters, struct masing_error *error)
{
    static const char *const booleans[] = {"false", "true", NULL};
    const char *const *words = field->type == MASING_FIELD_CHOICE    ? field->choices
                               : field->type == MASING_FIELD_BOOLEAN ? booleans
                                                                     : NULL;
    char range[256];
    double value = 0.0;
    int word = 0;
    while (words && words[word] && strcmp(words[word], text) != 0) {
        word++;
    }
    if (field->type == MASING_FIELD_RECORDS || field->type == MASING_FIELD_POINTS) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "'%s' cannot be given on the command line", field->name);
    }
    if (field->type == MASING_FIELD_LIST) {
        return store_list(field, text, parameters, error);
    }
    if (words && words[word]) {
        value = word;
    } else if (field->type == MASING_FIELD_CHOICE) {
        return masing_error_set(error, MASING_INVALID, "'%s' must be %s, not '%.60s'",
                                field->name, masing_field_range(field, range, sizeof range),
                                text);
    } else if (!read_number(text, strlen(text), &value)) {
        return masing_error_set(error, MASING_INVALID, "'%s': '%.60s' is not a number",
                                field->name, text);
    }
    if (field->type == MASING_FIELD_CHOICE) {
        *(int *)(void *)((char *)parameters + field->offset) = word;
        return MASING_OK;
    }
    return masing_field_store(field, value, parameters, error);
}

/* ---- which parameters vary ---- */

int fit_held_find(const struct fit_held *held, const char *name)
{
    for (int i = 0; i < held->n; i++) {
        if (strcmp(held->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

enum role { ROLE_FREE_TO_CHOOSE, ROLE_FIXED, ROLE_STARTED };

struct choice {
    const struct masing_fit_request *request;
    const struct fit_sizes *sizes;
    const struct fit_held *held;
    void *parameters;
    void *scratch;    /* [parameters_size] */
    enum role *roles; /* [n_fields] */
    bool *is_varied;  /* [n_fields] */
};

static enum masing_status find_field(const struct masing_law *law, const char *name, int *index,
                                     struct masing_error *error)
{
    *index = masing_field_find(law->fields, law->n_fields, name);
    if (*index >= 0) {
        return MASING_OK;
    }
    char list[400] = "";
    for (int i = 0; i < law->n_fields; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, law->fields[i].name, sizeof list - strlen(list) - 1);
    }
    return masing_error_set(error, MASING_INVALID,
                            "'%s' has no parameter '%.60s'; there are %s", law->name, name,
                            list);
}

static enum masing_status assign(struct choice *choice, int n,
                                 const struct masing_override *assignments, enum role role,
                                 struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    for (int i = 0; i < n; i++) {
        int index;
        NEED(find_field(law, assignments[i].path, &index, error));
        if (choice->roles[index] != ROLE_FREE_TO_CHOOSE) {
            return masing_error_set(error, MASING_INVALID, "'%s' is given twice",
                                    assignments[i].path);
        }
        choice->roles[index] = role;
        NEED(store_text(&law->fields[index], assignments[i].value, choice->parameters, error));
    }
    return MASING_OK;
}

static bool is_real(const struct masing_field *field)
{
    return field->type == MASING_FIELD_REAL;
}

static struct fit_parameter describe(const struct choice *choice,
                                     const struct masing_field *field, int element)
{
    struct fit_parameter parameter = {.offset = field->offset,
                                      .low = field->minimum,
                                      .high = field->maximum,
                                      .open_ends = field->open_ends,
                                      .start = NAN,
                                      .fallback = field->fallback,
                                      .power = -1,
                                      .length = choice->sizes->displacement};
    snprintf(parameter.name, sizeof parameter.name, "%s", field->name);
    snprintf(parameter.unit, sizeof parameter.unit, "%s", field->unit);
    if (field->type == MASING_FIELD_LIST) {
        size_t length = strlen(parameter.unit);
        snprintf(parameter.name, sizeof parameter.name, "%s.%d", field->name, element);
        parameter.offset +=
            offsetof(struct masing_list, values) + (size_t)element * sizeof(double);
        if (length > 0 && parameter.unit[length - 1] == 'p') {
            bool is_first = element == 0 && length > 1; /* "N/m^1" is N/m */
            parameter.unit[length - (is_first ? 2 : 1)] = '\0';
            if (!is_first) {
                snprintf(parameter.unit + length - 1, sizeof parameter.unit - length + 1, "%d",
                         element + 1);
            }
        }
    }
    parameter.size = *field->unit ? natural_size(choice->sizes, field->unit, element + 1) : 1.0;
    parameter.size = isfinite(parameter.size) && parameter.size > 0 ? parameter.size : 1.0;
    parameter.is_logarithmic = field->minimum == 0 &&
                               (field->open_ends & MASING_OPEN_MINIMUM) &&
                               field->maximum == INFINITY;
    return parameter;
}

/* Put the natural start of a field into the parameters. */
static void fill(struct choice *choice, int index)
{
    const struct masing_field *field = &choice->request->law->fields[index];
    if (is_real(field) && choice->roles[index] == ROLE_FREE_TO_CHOOSE) {
        struct fit_parameter parameter = describe(choice, field, 0);
        fit_parameter_store(&parameter, start_value(&parameter, index, 0), choice->parameters);
    }
}

static bool is_accepted(const struct choice *choice, struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    memcpy(choice->scratch, choice->parameters, law->parameters_size);
    return masing_law_check(law, choice->scratch, error) == MASING_OK;
}

/* Whether the law accepts its parameters with k of the optional ones from `first` on, tried in
 * lexicographic order; those stay. */
static bool add_optional(struct choice *choice, int n, const int *optional, int first, int k,
                         struct masing_error *error)
{
    if (k == 0) {
        return is_accepted(choice, error);
    }
    for (int i = first; i <= n - k; i++) {
        const struct masing_field *field = &choice->request->law->fields[optional[i]];
        choice->is_varied[optional[i]] = true;
        fill(choice, optional[i]);
        if (add_optional(choice, n, optional, i + 1, k - 1, error)) {
            return true;
        }
        choice->is_varied[optional[i]] = false;
        *(double *)(void *)((char *)choice->parameters + field->offset) = NAN;
    }
    return false;
}

/*
 * The fewest of the optional parameters, in the order of the table, with which the law accepts
 * its parameters: a slip force rather than friction and preload.
 */
static enum masing_status complete(struct choice *choice, struct masing_error *error)
{
    enum { MOST_CHOSEN = 5, MOST_OPTIONAL = 64 };
    const struct masing_law *law = choice->request->law;
    int optional[MOST_OPTIONAL]; /* that the law can do without and that have no default */
    struct masing_error first = {0};
    int n = 0;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (is_real(field) && !field->is_required && isnan(field->fallback) &&
            choice->roles[i] == ROLE_FREE_TO_CHOOSE) {
            optional[n++] = i;
        }
    }
    for (int k = 0; k <= MOST_CHOSEN && k <= n; k++) {
        if (add_optional(choice, n, optional, 0, k, &first)) {
            return MASING_OK;
        }
    }
    return masing_error_set(error, MASING_INVALID, "'%s' cannot start: %s; give --start values",
                            law->name, first.message);
}

/* What is named; else what the law requires, what has a default, what has a start. */
static enum masing_status choose(struct choice *choice, struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    bool is_named = choice->request->n_varied > 0;
    struct masing_error reason = {0};
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        enum role role = choice->roles[i];
        if (field->is_required && !is_real(field) && role == ROLE_FREE_TO_CHOOSE) {
            return masing_error_set(
                error, MASING_INVALID, "'%s' needs '%s' (%s): give %s %s=...", law->name,
                field->name, field->help,
                field->type == MASING_FIELD_LIST ? "--start" : "--fix", field->name);
        }
        if (!is_named) {
            bool is_wanted =
                field->is_required || (is_real(field) && !isnan(field->fallback) &&
                                       fit_held_find(choice->held, field->name) < 0);
            choice->is_varied[i] = role == ROLE_STARTED || (is_wanted && role != ROLE_FIXED);
        }
        if (choice->is_varied[i]) {
            fill(choice, i);
        }
    }
    if (!is_named) {
        return complete(choice, error);
    }
    return is_accepted(choice, &reason)
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID, "'%s' cannot start: %s", law->name,
                                  reason.message);
}

/* Whether a name is `last` beside another one, of the same law where they begin with one. */
static bool is_called(const char *name, const char *beside, const char *last)
{
    size_t length = strlen(name), tail = strlen(last);
    if (length < tail || strcmp(name + length - tail, last) != 0) {
        return false;
    }
    size_t prefix = length - tail;
    return strncmp(name, beside, prefix) == 0 && (prefix == 0 || name[prefix - 1] == '.');
}

/* The unit "1/m^n" depends on the parameter called n, where that varies. */
static void find_powers(struct fit_parameters *varied)
{
    for (int k = 0; k < varied->n; k++) {
        const char *power = strstr(varied->list[k].unit, "/m^");
        for (int i = 0; power && i < varied->n; i++) {
            if (is_called(varied->list[i].name, varied->list[k].name, power + 3)) {
                varied->list[k].power = i;
            }
        }
    }
}

static double stored(const struct fit_parameter *parameter, const void *parameters)
{
    return *(const double *)(const void *)((const char *)parameters + parameter->offset);
}

static enum masing_status list_varied(const struct choice *choice,
                                      struct fit_parameters *varied, struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    varied->n = 0;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        const void *at = (const char *)choice->parameters + field->offset;
        int n = field->type == MASING_FIELD_LIST ? ((const struct masing_list *)at)->count : 1;
        if (!choice->is_varied[i]) {
            continue;
        }
        if (!is_real(field) && field->type != MASING_FIELD_LIST) {
            return masing_error_set(error, MASING_INVALID,
                                    "'%s' is no real number and cannot vary: use --fix",
                                    field->name);
        }
        if (varied->n + n > FIT_MOST_PARAMETERS) {
            return masing_error_set(error, MASING_INVALID, "more than %d numbers vary",
                                    FIT_MOST_PARAMETERS);
        }
        for (int k = 0; k < n; k++) {
            struct fit_parameter parameter = describe(choice, field, k);
            if (choice->roles[i] == ROLE_STARTED) {
                parameter.start = stored(&parameter, choice->parameters);
            }
            varied->list[varied->n++] = parameter;
        }
    }
    find_powers(varied);
    return varied->n > 0 ? MASING_OK
                         : masing_error_set(error, MASING_INVALID, "no number varies");
}

/* With what the request gives and names. */
static enum masing_status choice_create(struct choice *choice, struct masing_error *error)
{
    const struct masing_fit_request *request = choice->request;
    const struct masing_law *law = request->law;
    size_t n = (size_t)law->n_fields;
    choice->roles = memory_array(n, sizeof *choice->roles);
    choice->is_varied = memory_array(n, sizeof *choice->is_varied);
    choice->scratch = memory_array(1, law->parameters_size);
    NEED_ALLOCATED(choice->roles && choice->is_varied && choice->scratch);
    NEED(assign(choice, request->n_fixed, request->fixed, ROLE_FIXED, error));
    NEED(assign(choice, request->n_starts, request->starts, ROLE_STARTED, error));
    for (int i = 0; i < request->n_varied; i++) {
        int index;
        NEED(find_field(law, request->varied[i], &index, error));
        if (choice->roles[index] == ROLE_FIXED) {
            return masing_error_set(error, MASING_INVALID, "'%s' is fixed and varied",
                                    request->varied[i]);
        }
        choice->is_varied[index] = true;
    }
    return MASING_OK;
}

static void choice_destroy(struct choice *choice)
{
    free(choice->roles);
    free(choice->is_varied);
    free(choice->scratch);
}

enum masing_status fit_parameters_choose(const struct masing_fit_request *request,
                                         const struct fit_sizes *sizes,
                                         const struct fit_held *held, void *parameters,
                                         struct fit_parameters *varied,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = request->law;
    struct choice choice = {
        .request = request, .sizes = sizes, .held = held, .parameters = parameters};
    masing_fields_reset(law->fields, law->n_fields, parameters);
    TRY(choice_create(&choice, error));
    TRY(choose(&choice, error));
    TRY(list_varied(&choice, varied, error));
done:
    choice_destroy(&choice);
    return status;
}

enum masing_status fit_parameters_adopt(const struct masing_fit_request *request,
                                        void *parameters, struct fit_parameters *varied,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = request->law;
    const struct fit_sizes unknown = {1.0, 1.0, 1.0, 1.0};
    struct choice choice = {.request = request, .sizes = &unknown, .parameters = parameters};
    TRY(choice_create(&choice, error));
    for (int i = 0; request->n_varied == 0 && i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        double value = masing_field_value(field, parameters);
        bool is_given =
            is_real(field) && !isnan(value) && (field->is_required || value != field->fallback);
        choice.is_varied[i] = choice.roles[i] == ROLE_STARTED ||
                              (is_given && choice.roles[i] == ROLE_FREE_TO_CHOOSE);
    }
    TRY(list_varied(&choice, varied, error));
    for (int k = 0; k < varied->n; k++) {
        struct fit_parameter *parameter = &varied->list[k];
        parameter->start = stored(parameter, parameters);
        if (isnan(parameter->start)) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "'%s' has no value: give --start %s=...", parameter->name,
                                 parameter->name));
        }
        parameter->size = parameter->start != 0.0 ? fabs(parameter->start) : 1.0;
    }
done:
    choice_destroy(&choice);
    return status;
}
