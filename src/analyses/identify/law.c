/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nonlinear fit of a law to loops. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/message.h"
#include "analyses/identify/fit_search.h"
#include "analyses/identify/identification.h"
#include "analyses/identify/loop_fit.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"

/* Starts unless the request sets them. */
enum { DEFAULT_TRIALS = 16 };

struct law_search {
    const struct masing_fit_request *request;
    struct measured_path *paths;
    const struct fit_held *held;
    struct fit_parameters varied;
    struct loop_fit fit;
    struct fit_search search;
};

/* Steepest slope over intervals of a twentieth of the travel, over which noise averages out. */
static double steepest(const struct measured_path *path)
{
    double interval = 0.05 * path->travel, most = 0.0;
    for (int i = 0, j = 0; j < path->n_points; j++) {
        while (i < j && fabs(path->x[j] - path->x[i + 1]) >= interval) {
            i++;
        }
        double dx = path->x[j] - path->x[i];
        if (fabs(dx) >= interval) {
            most = fmax(most, fabs((path->f[j] - path->f[i]) / dx));
        }
    }
    return most;
}

static struct fit_sizes measure(const struct law_search *law_search)
{
    struct fit_sizes sizes = {.time = 1.0};
    for (int i = 0; i < law_search->request->data.n_loops; i++) {
        const struct measured_path *path = &law_search->paths[i];
        sizes.force = fmax(sizes.force, path->largest_force);
        sizes.displacement =
            fmax(sizes.displacement, fabs(path->x[dense_largest(path->n_points, path->x)]));
        sizes.stiffness = fmax(sizes.stiffness, steepest(path));
        if (path->has_time) {
            sizes.time = (path->t[path->n_points - 1] - path->t[0]) / TWO_PI;
        }
    }
    if (!(sizes.stiffness > 0)) {
        sizes.stiffness = sizes.force / sizes.displacement;
    }
    return sizes;
}

static enum masing_status check_request(const struct masing_fit_request *request,
                                        struct masing_error *error)
{
    if (request->law->n_axes != 1) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "law '%s' has several axes; joints of one axis alone are "
                                "identified",
                                request->law->name);
    }
    if (request->data.n_loops < 1) {
        return masing_error_set(error, MASING_INVALID, "there is no data");
    }
    return MASING_OK;
}

static enum masing_status begin(struct law_search *law_search,
                                struct masing_identification *result,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = law_search->request;
    TRY(check_request(request, error));
    TRY(identification_begin(&request->data, request->law, &law_search->paths, result, error));
    if (request->law->needs_velocity) {
        TRY(identification_smooth(law_search->paths, result, error));
    }
    struct fit_sizes sizes = measure(law_search);
    TRY(fit_parameters_choose(request, &sizes, law_search->held, result->parameters,
                              &law_search->varied, error));
    TRY(loop_fit_create(request->law, request->law->needs_velocity, &law_search->varied,
                        law_search->paths, request->data.n_loops, result->parameters,
                        &law_search->fit, error));
    law_search->search = (struct fit_search){
        .varied = &law_search->varied,
        .n_trials = request->n_trials > 0 ? request->n_trials : DEFAULT_TRIALS,
        .n_residuals = law_search->fit.n_data,
        .scale = law_search->fit.force_scale,
        .context = &law_search->fit,
        .evaluate = loop_fit_evaluate,
    };
    TRY(fit_search_check(&law_search->search, error));
done:
    return status;
}

static enum masing_status conclude(struct law_search *law_search,
                                   struct fit_redundant *redundant,
                                   struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct fit_search *search = &law_search->search;
    TRY(fit_confidence(search, search->best, redundant, result, error));
    loop_fit_write(&law_search->fit, search->residuals, result->fitted);
    memcpy(result->parameters, law_search->fit.parameters,
           law_search->request->law->parameters_size);
done:
    return status;
}

static enum masing_status warn(const struct law_search *law_search,
                               struct masing_identification *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    for (int i = 0; i < law_search->request->data.n_loops; i++) {
        const struct measured_path *path = &law_search->paths[i];
        if (measured_path_has_past(path)) {
            TRY(warning_add(&warnings, error,
                            "%s neither closes nor begins at the unloaded joint (force %.3g of "
                            "%.3g N): its past is taken for none",
                            path->source->name, path->f[0], path->largest_force));
        }
    }
done:
    return status;
}

static void end(struct law_search *law_search)
{
    measured_paths_free(law_search->paths, law_search->request->data.n_loops);
    loop_fit_clear(&law_search->fit);
    fit_search_clear(&law_search->search);
}

/*
 * Parameters that no data can distinguish are so at any point: one is evaluated before the
 * search, away from the defaults.
 */
static enum masing_status assess_first(struct law_search *law_search,
                                       struct fit_redundant *redundant,
                                       struct masing_error *error)
{
    enum { MOST_TRIALS = 15 }; /* a start may be refused */
    const struct fit_parameters *varied = &law_search->varied;
    double unknowns[FIT_MOST_PARAMETERS];
    for (int trial = 1; trial <= MOST_TRIALS; trial += 2) {
        struct masing_identification scratch = {.law = law_search->request->law};
        struct masing_error reason = {0};
        fit_parameters_start(varied, trial, unknowns);
        for (int k = 0; k < varied->n; k++) {
            unknowns[k] = fit_parameter_unknown(&varied->list[k], unknowns[k]);
        }
        enum masing_status status =
            fit_confidence(&law_search->search, unknowns, redundant, &scratch, &reason);
        masing_identification_clear(&scratch);
        if (status == MASING_OK) {
            return status;
        }
        if (status == MASING_NO_MEMORY) {
            return masing_error_set(error, status, "out of memory");
        }
    }
    redundant->index = -1;
    return MASING_OK;
}

static void hold(struct fit_held *held, const struct fit_parameters *varied,
                 const struct fit_redundant *redundant)
{
    snprintf(held->names[held->n], sizeof held->names[0], "%s",
             varied->list[redundant->index].name);
    held->is_silent[held->n++] = redundant->is_certain;
}

static enum masing_status run(const struct masing_fit_request *request, struct fit_held *held,
                              struct fit_redundant *redundant,
                              struct masing_identification *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct law_search law_search = {.request = request, .held = held};
    bool may_hold = request->n_varied == 0 && held->n < FIT_MOST_PARAMETERS;
    redundant->index = -1;
    TRY(begin(&law_search, result, error));
    TRY(may_hold ? assess_first(&law_search, redundant, error) : MASING_OK);
    if (redundant->index < 0) {
        TRY(fit_search_run(&law_search.search, error));
        TRY(conclude(&law_search, redundant, result, error));
        TRY(warn(&law_search, result, error));
    }
    redundant->index = may_hold ? redundant->index : -1;
    if (redundant->index >= 0) {
        hold(held, &law_search.varied, redundant);
    }
done:
    end(&law_search);
    return status;
}

/* Whether the law would take a value for a field that it has none for, beside the others. */
static bool may_be_given(const struct masing_law *law, int index, const void *parameters)
{
    const struct masing_field *field = &law->fields[index];
    bool is_accepted = false;
    void *trial = memory_array(1, law->parameters_size);
    for (int power = -9; trial && power <= 9 && !is_accepted; power += 3) {
        memcpy(trial, parameters, law->parameters_size);
        is_accepted = masing_field_store(field, pow(10.0, power), trial, NULL) == MASING_OK &&
                      masing_law_check(law, trial, NULL) == MASING_OK;
    }
    free(trial);
    return is_accepted;
}

static bool is_left_out(const struct masing_fit_request *request,
                        const struct masing_identification *result, int index)
{
    const struct masing_field *field = &request->law->fields[index];
    if (field->type != MASING_FIELD_REAL) {
        return false;
    }
    for (int i = 0; i < result->n_estimates; i++) {
        if (strcmp(result->estimates[i].name, field->name) == 0) {
            return false;
        }
    }
    for (int i = 0; i < request->n_fixed; i++) {
        if (strcmp(request->fixed[i].name, field->name) == 0) {
            return false;
        }
    }
    return may_be_given(request->law, index, result->parameters);
}

/* A misfit may be what was not fitted. */
static enum masing_status warn_of_left_out(const struct masing_fit_request *request,
                                           struct masing_identification *result,
                                           struct masing_error *error)
{
    static const double NOTABLE = 1e-4; /* relative misfit that other parameters may explain */
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    char names[400] = "";
    if (request->n_varied > 0 || !(result->relative_rms > NOTABLE)) {
        return MASING_OK;
    }
    for (int i = 0; i < request->law->n_fields; i++) {
        size_t used = strlen(names);
        if (is_left_out(request, result, i)) {
            snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "",
                     request->law->fields[i].name);
        }
    }
    return names[0] ? warning_add(&warnings, error,
                                  "not fitted: %s; name all numbers to fit with --vary", names)
                    : MASING_OK;
}

/*
 * Parameters with defaults vary too, as far as the data distinguish them from the others;
 * those that have no influence are held at their defaults, one after the other.
 */
static enum masing_status identify(const void *asked, struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = asked;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    struct fit_held held = {0};
    struct fit_redundant redundant = {0};
    TRY(entry_need(request->law, "request.law", error));
    TRY(identification_check(&request->data, error));
    TRY(entry_need_array(request->n_fixed, request->fixed, "request.fixed", error));
    TRY(entry_need_array(request->n_starts, request->starts, "request.starts", error));
    TRY(entry_need_array(request->n_varied, request->varied, "request.varied", error));
    while (redundant.index >= 0) {
        masing_identification_clear(result);
        TRY(run(request, &held, &redundant, result, error));
    }
    for (int i = 0; i < held.n; i++) {
        if (!held.is_silent[i]) {
            TRY(warning_add(
                &warnings, error,
                "%s was held at its default: the data do not tell it from the other "
                "numbers",
                held.names[i]));
        }
    }
    TRY(warn_of_left_out(request, result, error));
done:
    return status;
}

enum masing_status masing_identify_law(const struct masing_fit_request *request,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    struct masing_fit_request asked;
    return identification_run(identify, request, &asked, sizeof asked, result, error);
}
