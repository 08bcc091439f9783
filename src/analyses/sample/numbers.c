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

/* What was refused of an override, as a fault of the uncertain number. */
static enum masing_status blame(const struct numbers *numbers, int number,
                                const struct masing_error *inner, struct masing_error *error)
{
    static const char set[] = "--set ";
    const char *path = number_of(numbers, number)->path, *message = inner->message;
    size_t n = strlen(path);
    bool is_named = strncmp(message, set, sizeof set - 1) == 0;
    message += is_named ? sizeof set - 1 : 0;
    is_named = is_named && strncmp(message, path, n) == 0 && message[n] == ':';
    return numbers_fail(numbers, number, error, "%s", is_named ? message + n + 2 : message);
}

enum masing_status numbers_try(const struct numbers *numbers, int number, double value,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct moving_model_request fixed = {.overrides = numbers->overrides,
                                               .n_overrides = numbers->n_overrides,
                                               .parameter = number_of(numbers, number)->path};
    struct masing_override *list = NULL;
    struct masing_spec spec = {0};
    struct masing_error inner = {0};
    char text[32];
    TRY(isfinite(value) ? MASING_OK
                        : numbers_fail(numbers, number, error,
                                       "draws are beyond the largest number, 1.8e308: expected "
                                       "a narrower distribution, or bounds"));
    snprintf(text, sizeof text, "%.17g", value);
    TRY(moving_model_overrides(&fixed, text, &list, error));
    status =
        masing_document_spec(numbers->document, list, fixed.n_overrides + 1, &spec, &inner);
    status = status == MASING_INVALID ? blame(numbers, number, &inner, error)
             : status != MASING_OK    ? masing_error_set(error, status, "%s", inner.message)
                                      : MASING_OK;
done:
    masing_spec_clear(&spec);
    free(list);
    return status;
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

/* The place of the first number, which reads where no other one is to blame. */
static enum masing_status find_targets(const struct numbers *numbers,
                                       const struct masing_override *list,
                                       struct masing_override_target *targets,
                                       struct masing_error *error)
{
    const struct masing_spec *spec = numbers->spec;
    struct masing_error inner = {0};
    enum masing_status status = masing_document_targets(
        numbers->document, list, numbers->n_overrides + spec->uncertain.n, targets, &inner);
    return status == MASING_INVALID
               ? masing_error_set(error, status, "%s:%d:%d: uncertain: %s",
                                  spec->file ? spec->file : "", spec->uncertain.place.line,
                                  spec->uncertain.place.column, inner.message)
           : status != MASING_OK ? masing_error_set(error, status, "%s", inner.message)
                                 : MASING_OK;
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

/* All together at their medians: which of them are one number, or none. */
static enum masing_status check_targets(const struct numbers *numbers, bool are_drawn,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)numbers->spec->uncertain.n, fixed = (size_t)numbers->n_overrides;
    struct masing_override *list = memory_array(fixed + n, sizeof *list);
    struct masing_override_target *targets = memory_array(fixed + n, sizeof *targets);
    char(*texts)[32] = memory_array(n, sizeof *texts);
    TRY_ALLOCATED(list);
    TRY_ALLOCATED(targets);
    TRY_ALLOCATED(texts);
    for (size_t k = 0; k < fixed; k++) {
        list[k] = numbers->overrides[k];
    }
    for (size_t k = 0; k < n; k++) {
        const struct masing_uncertain_number *number = number_of(numbers, (int)k);
        snprintf(texts[k], sizeof texts[k], "%.17g", distribution_quantile(number, 0.5));
        list[fixed + k] = (struct masing_override){number->path, texts[k]};
    }
    TRY(find_targets(numbers, list, targets, error));
    for (size_t k = 0; k < n; k++) {
        TRY(check_target(numbers, (int)k, &targets[fixed + k], are_drawn, error));
    }
done:
    free(list);
    free(targets);
    free(texts);
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
