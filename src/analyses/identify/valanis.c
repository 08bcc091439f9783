/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the regression's unknowns to the law `generalized_valanis` and its parameters. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/fit_search.h"
#include "model/message.h"
#include "analyses/identify/identification.h"
#include "analyses/identify/valanis_regression.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "masing/identify.h"

/* ---- terms of P(x, v) as text: "x, x^2*sgn(v), exp(1.5*x)*v" ---- */

enum { HIGHEST_POWER = 12, MOST_TEXT = 400 };

static const struct {
    const char *word;
    enum masing_valanis_velocity velocity;
} velocities[] = {
    /* longer words first */
    {"v^2", MASING_TERM_SQUARE},   {"v^3", MASING_TERM_CUBE}, {"v", MASING_TERM_LINEAR},
    {"abs(v)", MASING_TERM_ABS},   {"|v|", MASING_TERM_ABS},  {"sgn(v)", MASING_TERM_SIGN},
    {"sign(v)", MASING_TERM_SIGN},
};

/* A decimal number at the beginning; false where there is none. */
static bool take_number(const char **at, double *value)
{
    char *end;
    size_t length = strspn(*at, "+-.0123456789eE");
    *value = length > 0 ? strtod(*at, &end) : NAN;
    if (length == 0 || end == *at || !isfinite(*value)) {
        return false;
    }
    *at = end;
    return true;
}

static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool is_there = strncmp(*at, word, length) == 0;
    *at += is_there ? length : 0;
    return is_there;
}

/* What follows "x": a power. */
static bool take_power(const char **at, struct masing_valanis_term *term)
{
    double power = 1.0;
    if (take(at, "^") && !take_number(at, &power)) {
        return false;
    }
    bool is_good = power >= 1 && power <= HIGHEST_POWER && power == floor(power) &&
                   term->power + power <= HIGHEST_POWER;
    term->power += is_good ? (int)power : 0;
    return is_good;
}

/* What follows "exp(": "A*x)", "x)" or "-x)". */
static bool take_rate(const char **at, struct masing_valanis_term *term)
{
    double rate = 1.0;
    if (**at == '-' && (*at)[1] == 'x') {
        rate = -1.0;
        ++*at;
    } else if (**at != 'x' && !(take_number(at, &rate) && take(at, "*"))) {
        return false;
    }
    term->rate += rate;
    return take(at, "x)");
}

static bool take_velocity(const char **at, struct masing_valanis_term *term)
{
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++) {
        if (take(at, velocities[i].word)) {
            bool is_first = term->velocity == MASING_TERM_NONE;
            term->velocity = velocities[i].velocity;
            return is_first;
        }
    }
    return false;
}

/* Factors up to a comma or the end. */
static bool take_term(const char **at, struct masing_valanis_term *term)
{
    *term = (struct masing_valanis_term){0};
    do {
        bool is_good = take(at, "exp(") ? take_rate(at, term)
                       : take(at, "x")  ? take_power(at, term)
                       : take(at, "1")  ? true
                                        : take_velocity(at, term);
        if (!is_good) {
            return false;
        }
    } while (take(at, "*"));
    return **at == ',' || !**at;
}

enum masing_status masing_valanis_terms_parse(const char *text,
                                              struct masing_valanis_term *terms, int *n_terms,
                                              struct masing_error *error)
{
    char squeezed[MOST_TEXT];
    const char *at = squeezed;
    size_t n = 0;
    struct masing_error own;
    error = entry_begin(error, &own);
    NEED(entry_need(text, "text", error));
    NEED(entry_need(terms, "terms", error));
    NEED(entry_need(n_terms, "n_terms", error));
    *n_terms = 0;
    for (; *text && n + 1 < MOST_TEXT; text++) { /* without blanks */
        if (!isspace((unsigned char)*text)) {
            squeezed[n++] = *text;
        }
    }
    squeezed[n] = '\0';
    bool is_whole = !*text;
    do {
        const char *begin = at;
        struct masing_valanis_term term;
        if (!is_whole || *n_terms == MASING_MOST_TERMS || !take_term(&at, &term)) {
            return masing_error_set(
                error, MASING_INVALID,
                "'%.40s' is no term: expected up to %d terms parted by commas, "
                "products of 1, x, x^N (N up to %d), exp(A*x) and one of v, "
                "abs(v), sgn(v), v^2, v^3",
                begin, MASING_MOST_TERMS, HIGHEST_POWER);
        }
        for (int i = 0; i < *n_terms; i++) {
            if (terms[i].power == term.power && terms[i].velocity == term.velocity &&
                terms[i].rate == term.rate) {
                return masing_error_set(error, MASING_INVALID,
                                        "the term at '%.40s' stands twice", begin);
            }
        }
        terms[(*n_terms)++] = term;
    } while (take(&at, ","));
    return MASING_OK;
}

/* ---- from the regression to the law ---- */

/* Condition number, in SI units, from which small terms are weakly determined (Jalali 2022). */
static const double largest_condition = 1e5;

/* Half width over the value of a parameter that is hardly determined. */
static const double large_interval = 0.5;

static const char *const prefixes[][VALANIS_SETS] = {
    {"", ""}, /* one set for both directions */
    {"loading.", "unloading."},
};

/* A number of the law, or of one of its terms, by its name. */
static enum masing_status store(const struct masing_field *fields, int n_fields,
                                const char *prefix, const char *name, double value,
                                void *object, struct masing_error *error)
{
    char key[64];
    struct masing_error reason = {0};
    snprintf(key, sizeof key, "%s%s", prefix, name);
    const struct masing_field *field = &fields[masing_field_find(fields, n_fields, key)];
    if (field->type == MASING_FIELD_CHOICE) {
        *(int *)(void *)((char *)object + field->offset) = (int)value;
        return MASING_OK;
    }
    return masing_field_store(field, value, object, &reason) == MASING_OK
               ? MASING_OK
               : masing_error_set(error, MASING_NOT_CONVERGED,
                                  "the data do not follow the model: %s", reason.message);
}

static enum masing_status store_terms(const struct masing_law *law, const char *prefix,
                                      const struct masing_valanis_request *request,
                                      const double *coefficients, void *parameters,
                                      struct masing_error *error)
{
    char key[64];
    snprintf(key, sizeof key, "%sterms", prefix);
    const struct masing_field *field =
        &law->fields[masing_field_find(law->fields, law->n_fields, key)];
    const struct masing_records *records = field->records;
    const struct masing_field *fields = records->fields;
    char *at = (char *)parameters + field->offset;
    int n = records->n_fields;
    if (request->n_terms > records->max_count) {
        return masing_error_set(error, MASING_INVALID, "'%s' has at most %d terms, not %d",
                                law->name, records->max_count, request->n_terms);
    }
    *(int *)(void *)at = request->n_terms;
    for (int k = 0; k < request->n_terms; k++) {
        const struct masing_valanis_term *term = &request->terms[k];
        char *record = at + records->first_offset + (size_t)k * records->record_size;
        masing_fields_reset(fields, n, record);
        NEED(store(fields, n, "", "coefficient", coefficients[k], record, error));
        NEED(store(fields, n, "", "power", term->power, record, error));
        NEED(store(fields, n, "", "velocity", term->velocity, record, error));
        NEED(store(fields, n, "", "rate", term->rate, record, error));
    }
    return MASING_OK;
}

static enum masing_status fill_parameters(const struct masing_valanis_request *request,
                                          const struct valanis_regression *regression,
                                          struct masing_identification *result,
                                          struct masing_error *error)
{
    const struct masing_law *law = result->law;
    masing_fields_reset(law->fields, law->n_fields, result->parameters);
    for (int set = 0; set < regression->n_sets; set++) {
        const char *prefix = prefixes[regression->n_sets - 1][set];
        const double *values = regression->values[set];
        NEED(store(law->fields, law->n_fields, prefix, "e1", values[0], result->parameters,
                   error));
        NEED(store_terms(law, prefix, request, values + 1, result->parameters, error));
        NEED(store(law->fields, law->n_fields, prefix, "e2", values[request->n_terms + 1],
                   result->parameters, error));
    }
    return masing_law_check(law, result->parameters, error);
}

/* "x^2*sgn(v)" as it may be given */
static void term_text(const struct masing_valanis_term *term, char *text, size_t size)
{
    static const char *const forms[] = {"", "v", "abs(v)", "sgn(v)", "v^2", "v^3"};
    char power[16] = "", rate[40] = "";
    if (term->power > 0) {
        snprintf(power, sizeof power, term->power > 1 ? "x^%d" : "x", term->power);
    }
    if (term->rate != 0.0) {
        snprintf(rate, sizeof rate, "exp(%.4g*x)", term->rate);
    }
    const char *form = forms[term->velocity];
    snprintf(text, size, "%s%s%s%s%s", power, *power && *rate ? "*" : "", rate,
             (*power || *rate) && *form ? "*" : "", form);
    if (!*text) {
        snprintf(text, size, "1");
    }
}

static enum masing_status write_estimates(const struct masing_valanis_request *request,
                                          const struct valanis_regression *regression,
                                          struct masing_identification *result,
                                          struct masing_error *error)
{
    int n = regression->n_unknowns;
    result->estimates =
        memory_array((size_t)(n * regression->n_sets), sizeof *result->estimates);
    NEED_ALLOCATED(result->estimates);
    for (int set = 0; set < regression->n_sets; set++) {
        for (int k = 0; k < n; k++) {
            struct masing_estimate *estimate = &result->estimates[result->n_estimates++];
            char text[80] = "";
            if (k > 0 && k < n - 1) {
                term_text(&request->terms[k - 1], text, sizeof text);
            }
            snprintf(estimate->name, sizeof estimate->name, "%s%.40s",
                     prefixes[regression->n_sets - 1][set],
                     k == 0       ? "e1"
                     : k == n - 1 ? "e2"
                                  : text);
            snprintf(estimate->unit, sizeof estimate->unit, "%s",
                     k == 0       ? "N/m"
                     : k == n - 1 ? "1/m"
                                  : "");
            estimate->value = regression->values[set][k];
            estimate->interval = regression->intervals[set][k];
        }
    }
    return MASING_OK;
}

static enum masing_status warn(const struct measured_path *paths,
                               struct masing_identification *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = identification_warnings(result);
    if (result->condition_unscaled > largest_condition) {
        TRY(warning_add(&warnings, error,
                        "ill-conditioned: condition number %.2g, above %.0e (Jalali 2022, eq. "
                        "15, in SI units; %.2g with columns of equal length): coefficients of "
                        "small terms are weakly determined; fewer terms or --tikhonov help",
                        result->condition_unscaled, largest_condition, result->condition));
    }
    for (int k = 0; k < result->n_estimates; k++) {
        const struct masing_estimate *estimate = &result->estimates[k];
        if (estimate->interval > large_interval * fabs(estimate->value)) {
            TRY(warning_add(&warnings, error, "%s = %.4g +- %.2g is hardly determined",
                            estimate->name, estimate->value, estimate->interval));
        }
    }
    double *misfits = memory_array((size_t)result->n_data, sizeof *misfits);
    TRY_ALLOCATED(misfits);
    int used = 0;
    for (int i = 0; i < result->n_loops; i++) {
        for (int j = 0; j < paths[i].source->n_samples && used < result->n_data; j++) {
            if (!isnan(result->fitted[i][j])) {
                misfits[used++] = paths[i].source->force[j] - result->fitted[i][j];
            }
        }
    }
    status = warn_of_systematic_misfit(misfits, used, result, error);
    free(misfits);
done:
    return status;
}

/*
 * The integrated equation is fitted along the measured forces; whether the law itself leads to
 * them shows when it follows the motion alone, where each loop is steady or begins at the
 * unloaded joint. Its forces and its misfit are the result then.
 */
static enum masing_status simulate(const struct masing_valanis_request *request,
                                   const struct measured_path *paths,
                                   struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = identification_warnings(result);
    struct fit_parameters none = {0};
    struct loop_fit fit = {0};
    double *residuals = NULL;
    for (int i = 0; i < result->n_loops; i++) {
        if (measured_path_has_past(&paths[i])) {
            goto done;
        }
    }
    TRY(loop_fit_create(result->law, valanis_needs_speed(request), &none, paths,
                        result->n_loops, result->parameters, &fit, error));
    TRY_ALLOCATED(residuals = memory_array((size_t)fit.n_data, sizeof *residuals));
    if (loop_fit_evaluate(&fit, NULL, residuals, NULL) != MASING_OK) {
        TRY(warning_add(&warnings, error,
                        "the law with these constants does not lead to a steady loop"));
        goto done;
    }
    loop_fit_write(&fit, residuals, result->fitted);
    result->n_data = fit.n_data;
    result->relative_rms = sqrt(dense_dot(fit.n_data, residuals, residuals) / fit.n_data);
    result->rms = result->relative_rms * fit.force_scale;
done:
    free(residuals);
    loop_fit_clear(&fit);
    return status;
}

static enum masing_status check_request(const struct masing_valanis_request *request,
                                        struct masing_error *error)
{
    if (request->data.n_loops < 1) {
        return masing_error_set(error, MASING_INVALID, "there is no data");
    }
    if (request->n_terms < 0 || request->n_terms > MASING_MOST_TERMS) {
        return masing_error_set(error, MASING_INVALID, "0 to %d terms, not %d",
                                MASING_MOST_TERMS, request->n_terms);
    }
    if (!(request->end_share >= 0 && request->end_share < 0.5)) {
        return masing_error_set(error, MASING_INVALID,
                                "the share left out at each end is in [0, 0.5), not %g",
                                request->end_share);
    }
    if (request->tikhonov < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "the regularisation is not negative, as %g is",
                                request->tikhonov);
    }
    return MASING_OK;
}

static enum masing_status identify(const void *asked, struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_valanis_request *request = asked;
    const struct masing_law *law = masing_law_find("generalized_valanis");
    struct measured_path *paths = NULL;
    struct valanis_regression regression;
    double largest_force = 0.0;
    TRY(identification_check(&request->data, error));
    TRY(entry_need_array(request->n_terms, request->terms, "request.terms", error));
    TRY(check_request(request, error));
    TRY(identification_begin(&request->data, law, &paths, result, error));
    TRY(valanis_needs_speed(request) ? identification_smooth(paths, true, result, error)
                                     : MASING_OK);
    TRY(valanis_regression_run(request, paths, &regression, result->fitted, error));
    result->n_data = regression.n_data;
    result->rms = sqrt(regression.sum / regression.n_data);
    for (int i = 0; i < result->n_loops; i++) {
        largest_force = fmax(largest_force, paths[i].largest_force);
    }
    result->relative_rms = result->rms / largest_force;
    result->condition = regression.condition;
    result->condition_unscaled = regression.condition_unscaled;
    result->tikhonov = regression.tikhonov;
    TRY(write_estimates(request, &regression, result, error));
    TRY(fill_parameters(request, &regression, result, error));
    TRY(warn(paths, result, error));
    TRY(simulate(request, paths, result, error));
done:
    measured_paths_free(paths, request->data.n_loops);
    return status;
}

enum masing_status masing_identify_valanis(const struct masing_valanis_request *request,
                                           struct masing_identification *result,
                                           struct masing_error *error)
{
    struct masing_valanis_request asked;
    return identification_run(identify, request, &asked, sizeof asked, result, error);
}
