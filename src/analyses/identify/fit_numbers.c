/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/fit_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

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
                                 const struct masing_assignment *assignments, enum role role,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = choice->request->law;
    for (int i = 0; i < n; i++) {
        int index;
        TRY(find_field(law, assignments[i].name, &index, error));
        if (choice->roles[index] != ROLE_FREE_TO_CHOOSE) {
            TRY(masing_error_set(error, MASING_INVALID, "'%s' is given twice",
                                 assignments[i].name));
        }
        choice->roles[index] = role;
        TRY(fit_store_text(&law->fields[index], assignments[i].text, choice->parameters,
                           error));
    }
done:
    return status;
}

static bool is_real(const struct masing_field *field)
{
    return field->type == MASING_FIELD_REAL;
}

static struct fit_number describe(const struct choice *choice, const struct masing_field *field,
                                  int element)
{
    struct fit_number number = {.offset = field->offset,
                                .low = field->minimum,
                                .high = field->maximum,
                                .open_ends = field->open_ends,
                                .start = NAN,
                                .fallback = field->fallback,
                                .power = -1,
                                .length = choice->sizes->displacement};
    snprintf(number.name, sizeof number.name, "%s", field->name);
    snprintf(number.unit, sizeof number.unit, "%s", field->unit);
    if (field->type == MASING_FIELD_LIST) {
        size_t length = strlen(number.unit);
        snprintf(number.name, sizeof number.name, "%s.%d", field->name, element);
        number.offset +=
            offsetof(struct masing_list, values) + (size_t)element * sizeof(double);
        if (length > 0 && number.unit[length - 1] == 'p') {
            bool is_first = element == 0 && length > 1; /* "N/m^1" is N/m */
            number.unit[length - (is_first ? 2 : 1)] = '\0';
            if (!is_first) {
                snprintf(number.unit + length - 1, sizeof number.unit - length + 1, "%d",
                         element + 1);
            }
        }
    }
    number.size =
        *field->unit ? fit_natural_size(choice->sizes, field->unit, element + 1) : 1.0;
    number.size = isfinite(number.size) && number.size > 0 ? number.size : 1.0;
    number.is_logarithmic = field->minimum == 0 && (field->open_ends & MASING_OPEN_MINIMUM) &&
                            field->maximum == INFINITY;
    return number;
}

/* Put the natural start of a field into the parameters. */
static void fill(struct choice *choice, int index)
{
    const struct masing_field *field = &choice->request->law->fields[index];
    if (is_real(field) && choice->roles[index] == ROLE_FREE_TO_CHOOSE) {
        struct fit_number number = describe(choice, field, 0);
        fit_number_store(&number, fit_number_start(&number, index, 0), choice->parameters);
    }
}

static bool is_accepted(const struct choice *choice, struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    memcpy(choice->scratch, choice->parameters, law->parameters_size);
    return masing_law_check(law, choice->scratch, error) == MASING_OK;
}

/* Fields that a law can do without and that have no default. */
static int list_optional(const struct choice *choice, int *optional)
{
    const struct masing_law *law = choice->request->law;
    int n = 0;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (is_real(field) && !field->is_required && isnan(field->fallback) &&
            choice->roles[i] == ROLE_FREE_TO_CHOOSE) {
            optional[n++] = i;
        }
    }
    return n;
}

static void set_optional(struct choice *choice, int n, const int *optional, const int *chosen,
                         int n_chosen)
{
    for (int i = 0; i < n; i++) {
        const struct masing_field *field = &choice->request->law->fields[optional[i]];
        *(double *)(void *)((char *)choice->parameters + field->offset) = NAN;
        choice->is_varied[optional[i]] = false;
    }
    for (int i = 0; i < n_chosen; i++) {
        choice->is_varied[optional[chosen[i]]] = true;
        fill(choice, optional[chosen[i]]);
    }
}

/* The next subset of k out of n in lexicographic order. */
static bool next_subset(int n, int k, int *chosen)
{
    for (int i = k - 1; i >= 0; i--) {
        if (chosen[i] < n - k + i) {
            chosen[i]++;
            for (int j = i + 1; j < k; j++) {
                chosen[j] = chosen[j - 1] + 1;
            }
            return true;
        }
    }
    return false;
}

/*
 * The fewest of the optional numbers, in the order of the table, with which the law accepts its
 * parameters: a slip force rather than friction and preload.
 */
static enum masing_status complete(struct choice *choice, struct masing_error *error)
{
    enum { MOST_CHOSEN = 5, MOST_OPTIONAL = 64 };
    int optional[MOST_OPTIONAL], chosen[MOST_CHOSEN];
    struct masing_error first = {0};
    int n = list_optional(choice, optional);
    for (int k = 0; k <= MOST_CHOSEN && k <= n; k++) {
        for (int i = 0; i < k; i++) {
            chosen[i] = i;
        }
        do {
            set_optional(choice, n, optional, chosen, k);
            if (is_accepted(choice, &first)) {
                return MASING_OK;
            }
        } while (next_subset(n, k, chosen));
    }
    return masing_error_set(error, MASING_INVALID, "'%s' cannot start: %s; give --start values",
                            choice->request->law->name, first.message);
}

static enum masing_status check_required(const struct choice *choice,
                                         struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (field->is_required && !is_real(field) && choice->roles[i] == ROLE_FREE_TO_CHOOSE) {
            return masing_error_set(
                error, MASING_INVALID, "'%s' needs '%s' (%s): give %s %s=...", law->name,
                field->name, field->help,
                field->type == MASING_FIELD_LIST ? "--start" : "--fix", field->name);
        }
    }
    return MASING_OK;
}

static bool is_held(const struct choice *choice, const char *name)
{
    for (int i = 0; i < choice->held->n; i++) {
        if (strcmp(choice->held->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Without a wish: what the law requires, what has a default, what has a start. */
static enum masing_status choose_default(struct choice *choice, struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        bool is_wanted = field->is_required || (is_real(field) && !isnan(field->fallback) &&
                                                !is_held(choice, field->name));
        choice->is_varied[i] =
            choice->roles[i] == ROLE_STARTED || (is_wanted && choice->roles[i] != ROLE_FIXED);
        if (choice->is_varied[i]) {
            fill(choice, i);
        }
    }
    return complete(choice, error);
}

static enum masing_status choose_named(struct choice *choice, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = choice->request;
    for (int i = 0; i < request->n_varied; i++) {
        int index;
        TRY(find_field(request->law, request->varied[i], &index, error));
        if (choice->roles[index] == ROLE_FIXED) {
            TRY(masing_error_set(error, MASING_INVALID, "'%s' is fixed and varied",
                                 request->varied[i]));
        }
        choice->is_varied[index] = true;
        fill(choice, index);
    }
    struct masing_error reason = {0};
    if (!is_accepted(choice, &reason)) {
        TRY(masing_error_set(error, MASING_INVALID, "'%s' cannot start: %s", request->law->name,
                             reason.message));
    }
done:
    return status;
}

/* "1/m^n" is a matter of the number called n, where that varies. */
static void find_powers(struct fit_numbers *numbers)
{
    for (int k = 0; k < numbers->n; k++) {
        const char *power = strstr(numbers->list[k].unit, "/m^");
        for (int i = 0; power && i < numbers->n; i++) {
            if (strcmp(power + 3, numbers->list[i].name) == 0) {
                numbers->list[k].power = i;
            }
        }
    }
}

static enum masing_status list_numbers(const struct choice *choice, struct fit_numbers *numbers,
                                       struct masing_error *error)
{
    const struct masing_law *law = choice->request->law;
    numbers->n = 0;
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
        if (numbers->n + n > FIT_MOST_NUMBERS) {
            return masing_error_set(error, MASING_INVALID, "more than %d numbers vary",
                                    FIT_MOST_NUMBERS);
        }
        for (int k = 0; k < n; k++) {
            struct fit_number number = describe(choice, field, k);
            if (choice->roles[i] == ROLE_STARTED) {
                number.start =
                    *(const double *)(const void *)((const char *)choice->parameters +
                                                    number.offset);
            }
            numbers->list[numbers->n++] = number;
        }
    }
    find_powers(numbers);
    return numbers->n > 0 ? MASING_OK
                          : masing_error_set(error, MASING_INVALID, "no number varies");
}

static enum masing_status choice_create(struct choice *choice, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = choice->request->law;
    size_t n = (size_t)law->n_fields;
    choice->roles = memory_array(n, sizeof *choice->roles);
    choice->is_varied = memory_array(n, sizeof *choice->is_varied);
    choice->scratch = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(choice->roles && choice->is_varied && choice->scratch);
done:
    return status;
}

static void choice_destroy(struct choice *choice)
{
    free(choice->roles);
    free(choice->is_varied);
    free(choice->scratch);
}

enum masing_status fit_numbers_choose(const struct masing_fit_request *request,
                                      const struct fit_sizes *sizes,
                                      const struct fit_held *held, void *parameters,
                                      struct fit_numbers *numbers, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = request->law;
    struct choice choice = {
        .request = request, .sizes = sizes, .held = held, .parameters = parameters};
    TRY(choice_create(&choice, error));
    masing_fields_reset(law->fields, law->n_fields, parameters);
    TRY(assign(&choice, request->n_fixed, request->fixed, ROLE_FIXED, error));
    TRY(assign(&choice, request->n_starts, request->starts, ROLE_STARTED, error));
    TRY(check_required(&choice, error));
    TRY(request->n_varied > 0 ? choose_named(&choice, error) : choose_default(&choice, error));
    TRY(list_numbers(&choice, numbers, error));
done:
    choice_destroy(&choice);
    return status;
}

static bool is_given(const struct masing_field *field, const void *parameters)
{
    double value = masing_field_value(field, parameters);
    return is_real(field) && !isnan(value) && (field->is_required || value != field->fallback);
}

enum masing_status fit_numbers_adopt(const struct masing_fit_request *request, void *parameters,
                                     struct fit_numbers *numbers, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = request->law;
    const struct fit_sizes unknown = {1.0, 1.0, 1.0, 1.0};
    struct choice choice = {.request = request, .sizes = &unknown, .parameters = parameters};
    TRY(choice_create(&choice, error));
    TRY(assign(&choice, request->n_fixed, request->fixed, ROLE_FIXED, error));
    TRY(assign(&choice, request->n_starts, request->starts, ROLE_STARTED, error));
    for (int i = 0; i < request->n_varied; i++) {
        int index;
        TRY(find_field(law, request->varied[i], &index, error));
        if (choice.roles[index] == ROLE_FIXED) {
            TRY(masing_error_set(error, MASING_INVALID, "'%s' is fixed and varied",
                                 request->varied[i]));
        }
        choice.is_varied[index] = true;
    }
    for (int i = 0; i < law->n_fields; i++) {
        choice.is_varied[i] =
            choice.is_varied[i] ||
            (request->n_varied == 0 && choice.roles[i] != ROLE_FIXED &&
             (choice.roles[i] == ROLE_STARTED || is_given(&law->fields[i], parameters)));
    }
    TRY(list_numbers(&choice, numbers, error));
    for (int k = 0; k < numbers->n; k++) {
        struct fit_number *number = &numbers->list[k];
        number->start =
            *(const double *)(const void *)((const char *)parameters + number->offset);
        if (isnan(number->start)) {
            TRY(masing_error_set(error, MASING_INVALID,
                                 "'%s' has no value: give --start %s=...", number->name,
                                 number->name));
        }
        number->size = number->start != 0.0 ? fabs(number->start) : 1.0;
    }
done:
    choice_destroy(&choice);
    return status;
}
