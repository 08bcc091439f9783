/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/sample/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/moving_model.h"
#include "analyses/sample/distribution.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "masing/sample.h"

/* Of a distribution, beyond which nothing is drawn. */
static const double LEAST_WITHIN_BOUNDS = 1e-9;

static const struct masing_uncertain_number *number_of(const struct numbers *numbers,
                                                       int number)
{
    return &numbers->spec->uncertain.numbers[number];
}

enum masing_status numbers_fail(const struct numbers *numbers, int number,
                                struct masing_error *error, const char *format, ...)
{
    const struct masing_uncertain_number *of = number_of(numbers, number);
    char text[MASING_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return masing_error_set(error, MASING_INVALID, "%s:%d:%d: uncertain: %s: %s",
                            numbers->spec->file ? numbers->spec->file : "", of->place.line,
                            of->place.column, of->path, text);
}

/* What is said of an override, without its path. */
static const char *said_of(const char *path, const char *message)
{
    static const char set[] = "--set ";
    size_t n = strlen(path);
    bool is_named = strncmp(message, set, sizeof set - 1) == 0;
    message += is_named ? sizeof set - 1 : 0;
    is_named = is_named && strncmp(message, path, n) == 0 && message[n] == ':';
    return is_named ? message + n + 2 : message;
}

/* With one more override; *inner: why it is refused. */
static enum masing_status try_path(const struct numbers *numbers, const char *path,
                                   double value, struct masing_error *inner)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = inner;
    const struct moving_model_request fixed = {.overrides = numbers->overrides,
                                               .n_overrides = numbers->n_overrides,
                                               .parameter = path};
    struct masing_override *list = NULL;
    struct masing_spec spec = {0};
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    TRY(moving_model_overrides(&fixed, text, &list, error));
    TRY(masing_document_spec(numbers->document, list, fixed.n_overrides + 1, &spec, error));
done:
    masing_spec_clear(&spec);
    free(list);
    return status;
}

enum masing_status numbers_try(const struct numbers *numbers, int number, double value,
                               struct masing_error *error)
{
    const char *path = number_of(numbers, number)->path;
    struct masing_error inner = {0};
    if (!isfinite(value)) {
        return numbers_fail(numbers, number, error,
                            "draws are beyond the largest number, 1.8e308: expected a narrower "
                            "distribution, or bounds");
    }
    enum masing_status status = try_path(numbers, path, value, &inner);
    return status == MASING_INVALID
               ? numbers_fail(numbers, number, error, "%s", said_of(path, inner.message))
           : status != MASING_OK ? masing_error_set(error, status, "%s", inner.message)
                                 : MASING_OK;
}

enum masing_status numbers_try_other(const struct numbers *numbers,
                                     const struct numbers_other *other, double value,
                                     struct masing_error *error)
{
    struct masing_error inner = {0};
    enum masing_status status = try_path(numbers, other->path, value, &inner);
    return status ? masing_error_set(error, status, "%s %s: %s", other->option, other->path,
                                     said_of(other->path, inner.message))
                  : MASING_OK;
}

static enum masing_status check_bounds(const struct numbers *numbers, int number,
                                       struct masing_error *error)
{
    double within = distribution_within_bounds(number_of(numbers, number));
    return within >= LEAST_WITHIN_BOUNDS
               ? MASING_OK
               : numbers_fail(numbers, number, error,
                              "%.3g of the distribution lie within its bounds, expected at "
                              "least %g",
                              within, LEAST_WITHIN_BOUNDS);
}

static enum masing_status check_target(const struct numbers *numbers, int number,
                                       const struct masing_override_target *target,
                                       bool are_drawn, struct masing_error *error)
{
    int fixed = numbers->n_overrides;
    if (!target->is_number) {
        return numbers_fail(numbers, number, error, "expected a number, this is a text");
    }
    if (target->first >= fixed && target->first != fixed + number) {
        return numbers_fail(numbers, number, error, "this is the same number as '%s'",
                            number_of(numbers, target->first - fixed)->path);
    }
    if (target->first < fixed && are_drawn) {
        return numbers_fail(numbers, number, error,
                            "it is drawn, and --set %s would change nothing; set numbers of "
                            "uncertain.%s instead",
                            numbers->overrides[target->first].path,
                            number_of(numbers, number)->path);
    }
    return MASING_OK;
}

/* Fixed overrides, another number or none, and the uncertain ones at their medians. */
struct all_targets {
    struct masing_override *list;
    struct masing_override_target *targets; /* NULL: not found yet */
    char (*texts)[32];
    int n;
};

static void add(struct all_targets *all, const char *path, double value)
{
    char *text = all->texts[all->n];
    snprintf(text, sizeof all->texts[all->n], "%.17g", value);
    all->list[all->n++] = (struct masing_override){path, text};
}

/* Clear them also after a failure. */
static enum masing_status find_targets(const struct numbers *numbers, const char *path,
                                       double value, struct all_targets *all,
                                       struct masing_error *error)
{
    const struct masing_uncertainty *uncertain = &numbers->spec->uncertain;
    size_t fixed = (size_t)numbers->n_overrides, n = fixed + 1 + (size_t)uncertain->n;
    NEED_ALLOCATED(all->list = memory_array(n, sizeof *all->list));
    NEED_ALLOCATED(all->targets = memory_array(n, sizeof *all->targets));
    NEED_ALLOCATED(all->texts = memory_array(n, sizeof *all->texts));
    for (size_t k = 0; k < fixed; k++) {
        all->list[all->n++] = numbers->overrides[k];
    }
    if (path) {
        add(all, path, value);
    }
    for (int k = 0; k < uncertain->n; k++) {
        add(all, uncertain->numbers[k].path,
            distribution_quantile(&uncertain->numbers[k], 0.5));
    }
    return masing_document_targets(numbers->document, all->list, all->n, all->targets, error);
}

static void clear_targets(struct all_targets *all)
{
    free(all->list);
    free(all->targets);
    free(all->texts);
}

/* All together: which of them are one number, or none. */
static enum masing_status check_targets(const struct numbers *numbers, bool are_drawn,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = numbers->spec;
    struct masing_error inner = {0};
    struct all_targets all = {0};
    status = find_targets(numbers, NULL, 0.0, &all, &inner);
    TRY(status == MASING_INVALID
            ? masing_error_set(error, status, "%s:%d:%d: uncertain: %s",
                               spec->file ? spec->file : "", spec->uncertain.place.line,
                               spec->uncertain.place.column, inner.message)
        : status != MASING_OK ? masing_error_set(error, status, "%s", inner.message)
                              : MASING_OK);
    for (int k = 0; k < spec->uncertain.n; k++) {
        TRY(check_target(numbers, k, &all.targets[numbers->n_overrides + k], are_drawn, error));
    }
done:
    clear_targets(&all);
    return status;
}

enum masing_status numbers_find(const struct numbers *numbers,
                                const struct numbers_other *other, double value, int *number,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct all_targets all = {0};
    int own = numbers->n_overrides;
    *number = -1;
    NEED(numbers_try_other(numbers, other, value, error));
    status = find_targets(numbers, other->path, value, &all, &inner);
    TRY(status ? masing_error_set(error, status, "%s %s: %s", other->option, other->path,
                                  said_of(other->path, inner.message))
               : MASING_OK);
    TRY(all.targets[own].is_number
            ? MASING_OK
            : masing_error_set(error, MASING_INVALID,
                               "%s %s: expected a number, this is a text", other->option,
                               other->path));
    TRY(all.targets[own].first == own
            ? MASING_OK
            : masing_error_set(error, MASING_INVALID, "%s %s: --set %s would change nothing",
                               other->option, other->path,
                               all.list[all.targets[own].first].path));
    for (int k = 0; k < numbers->spec->uncertain.n; k++) {
        *number = all.targets[own + 1 + k].first == own ? k : *number;
    }
done:
    clear_targets(&all);
    return status;
}

enum masing_status numbers_check(const struct numbers *numbers, bool are_drawn,
                                 struct masing_error *error)
{
    const struct masing_uncertainty *uncertain = &numbers->spec->uncertain;
    for (int k = 0; k < uncertain->n; k++) {
        NEED(check_bounds(numbers, k, error));
        double median = distribution_quantile(&uncertain->numbers[k], 0.5);
        NEED(numbers_try(numbers, k, median, error));
    }
    return check_targets(numbers, are_drawn, error);
}

enum masing_status masing_sample_check(const struct masing_document *document,
                                       const struct masing_override *overrides, int n_overrides,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_spec spec = {0};
    error = entry_begin(error, &own);
    TRY(masing_document_spec(document, overrides, n_overrides, &spec, error));
    status =
        numbers_check(&(struct numbers){document, overrides, n_overrides, &spec}, false, error);
done:
    masing_spec_clear(&spec);
    return status;
}
