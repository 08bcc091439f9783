/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint of a model from measured frequency responses at several levels of the loads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "analyses/identify/fit_confidence.h"
#include "analyses/identify/fit_search.h"
#include "analyses/identify/response_fit.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/entry.h"
#include "base/memory.h"
#include "linalg/one_thread.h"
#include "linalg/one_thread.h"
#include "masing/identify.h"

struct response_search {
    const struct masing_response_fit_request *request;
    struct masing_spec spec; /* of the model as it stands */
    int joint;
    struct fit_parameters varied;
    struct response_fit fit;
    struct fit_search search;
};

static enum masing_status find_joint(struct response_search *search, struct masing_error *error)
{
    const struct masing_response_fit_request *request = search->request;
    char list[400] = "";
    for (int j = 0; j < search->spec.n_joints; j++) {
        const char *name = search->spec.joints[j].name;
        if (request->joint ? strcmp(name, request->joint) == 0 : search->spec.n_joints == 1) {
            search->joint = j;
            return MASING_OK;
        }
        strncat(list, j ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, name, sizeof list - strlen(list) - 1);
    }
    return request->joint ? masing_error_set(error, MASING_INVALID,
                                             "there is no joint '%.60s'; there are: %s",
                                             request->joint, list)
                          : masing_error_set(error, MASING_INVALID,
                                             "the joint is to be named; there are: %s", list);
}

static enum masing_status check_request(const struct response_search *search,
                                        struct masing_error *error)
{
    const struct masing_response_fit_request *request = search->request;
    bool has_first = false;
    for (int k = 0; k < search->spec.n_harmonics; k++) {
        has_first = has_first || search->spec.harmonics[k] == 1;
    }
    if (search->spec.n_outputs < 1) {
        return masing_error_set(error, MASING_INVALID,
                                "outputs: none, expected the one that was measured");
    }
    for (int i = 0; i < request->n_responses; i++) {
        if (request->responses[i].phase_deg && request->measure != MASING_MEASURE_H1) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: phases belong to the first harmonic",
                                    request->responses[i].name);
        }
    }
    return request->n_responses < 1
               ? masing_error_set(error, MASING_INVALID, "there is no data")
           : !has_first && request->measure == MASING_MEASURE_H1
               ? masing_error_set(error, MASING_INVALID,
                                  "the model has no harmonic 1, which was measured")
               : MASING_OK;
}

static enum masing_status choose_parameters(struct response_search *search,
                                            struct masing_identification *result,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_response_fit_request *request = search->request;
    const struct masing_joint_spec *joint = &search->spec.joints[search->joint];
    const struct masing_fit_request choice = {.law = joint->law,
                                              .n_fixed = request->n_fixed,
                                              .fixed = request->fixed,
                                              .n_starts = request->n_starts,
                                              .starts = request->starts,
                                              .n_varied = request->n_varied,
                                              .varied = request->varied};
    if (joint->law->n_axes != 1) {
        TRY(masing_error_set(
            error, MASING_UNSUPPORTED,
            "joint '%s': law '%s' has several axes; joints of one axis alone are "
            "identified",
            joint->name, joint->law->name));
    }
    result->law = joint->law;
    result->parameters = memory_copy(joint->parameters, 1, joint->law->parameters_size);
    TRY_ALLOCATED(result->parameters);
    TRY(fit_parameters_adopt(&choice, result->parameters, &search->varied, error));
done:
    return status;
}

static enum masing_status begin(struct response_search *search,
                                struct masing_identification *result,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_response_fit_request *request = search->request;
    TRY(masing_document_spec(request->document, request->overrides, request->n_overrides,
                             &search->spec, error));
    TRY(find_joint(search, error));
    TRY(check_request(search, error));
    TRY(choose_parameters(search, result, error));
    TRY(response_fit_create(request, result->law, search->joint, &search->varied,
                            result->parameters, &search->fit, error));
    search->search =
        (struct fit_search){.varied = &search->varied,
                            .n_trials = request->n_trials > 0 ? request->n_trials : 1,
                            .n_residuals = search->fit.n_data,
                            .context = &search->fit,
                            .evaluate = response_fit_evaluate};
done:
    return status;
}

static enum masing_status run_search(struct response_search *search, struct masing_error *error)
{
    struct masing_error reason = {0};
    enum masing_status status = fit_search_run(&search->search, &reason);
    if (status != MASING_OK) {
        const char *why = search->fit.reason.message;
        masing_error_set(error, status, "%s%s%s", reason.message, *why ? ": " : "", why);
    }
    return status;
}

/* The fitted curves become part of the result. */
static enum masing_status take_fitted(struct response_search *search,
                                      struct masing_identification *result,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)search->request->n_responses;
    result->is_steady = memory_array(n, sizeof *result->is_steady);
    TRY_ALLOCATED(result->is_steady);
    result->n_loops = search->request->n_responses;
    result->fitted = search->fit.amplitude;
    result->fitted_phase_deg = search->fit.phase;
    search->fit.amplitude = NULL;
    search->fit.phase = NULL;
    for (size_t i = 0; i < n; i++) {
        result->is_steady[i] = true;
    }
done:
    return status;
}

static enum masing_status conclude(struct response_search *search,
                                   struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_fit *fit = &search->fit;
    struct fit_redundant redundant;
    size_t m = (size_t)fit->n_data, n = (size_t)search->varied.n;
    double *residuals = memory_array(m, sizeof *residuals);
    double *jacobian = memory_array(m * n, sizeof *jacobian);
    TRY_ALLOCATED(residuals && jacobian);
    status = response_fit_evaluate(fit, search->search.best, residuals, jacobian);
    if (status != MASING_OK) {
        TRY(masing_error_set(error, status, "%s", fit->reason.message));
    }
    const struct fit_solution solution = {.varied = &search->varied,
                                          .n_data = fit->n_data,
                                          .unknowns = search->search.best,
                                          .residuals = residuals,
                                          .jacobian = jacobian,
                                          .scale = 1.0};
    TRY(fit_confidence(&solution, &redundant, result, error));
    result->rms = NAN;
    memcpy(result->parameters, fit->parameters, result->law->parameters_size);
    result->n_starts = search->search.n_trials;
    result->n_agreeing = search->search.n_agreeing;
    TRY(take_fitted(search, result, error));
    TRY(warn_of_search(result, error));
done:
    free(residuals);
    free(jacobian);
    return status;
}

static enum masing_status identify(const struct masing_response_fit_request *request,
                                   struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_search search = {.request = request};
    TRY(begin(&search, result, error));
    TRY(run_search(&search, error));
    TRY(conclude(&search, result, error));
done:
    response_fit_clear(&search.fit);
    fit_search_clear(&search.search);
    masing_spec_clear(&search.spec);
    return status;
}

static enum masing_status check_pointers(const struct masing_response_fit_request *request,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(entry_need(request->document, "request.document", error));
    TRY(entry_need_array(request->n_overrides, request->overrides, "request.overrides", error));
    TRY(entry_need_array(request->n_responses, request->responses, "request.responses", error));
    for (int i = 0; i < request->n_responses; i++) {
        const struct masing_measured_response *response = &request->responses[i];
        TRY(entry_need_array(response->n_points, response->frequency_hz,
                             "request.responses.frequency_hz", error));
        TRY(entry_need_array(response->n_points, response->amplitude,
                             "request.responses.amplitude", error));
    }
    TRY(entry_need_array(request->n_fixed, request->fixed, "request.fixed", error));
    TRY(entry_need_array(request->n_starts, request->starts, "request.starts", error));
    TRY(entry_need_array(request->n_varied, request->varied, "request.varied", error));
done:
    return status;
}

enum masing_status masing_identify_response(const struct masing_response_fit_request *request,
                                            struct masing_identification *result,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_response_fit_request asked;
    struct masing_identification found = {0};
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(request, "request", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(check_pointers(&asked, error));
    TRY(entry_need(result, "result", error));
    TRY(entry_check(result, "result", error));
    status = identify(&asked, &found, error);
done:
    release_blas();
    if (!entry_write(result, &found, sizeof found)) {
        masing_identification_clear(&found);
    }
    return status;
}

struct fitted_point {
    const struct masing_measured_response *response;
    int index;
    double amplitude, phase_deg;
};

static void walk_point(struct row_table *table, const void *context)
{
    const struct fitted_point *point = context;
    const struct masing_measured_response *response = point->response;
    int j = point->index;
    ROW_TEXT(table, response->name, "response");
    ROW_REAL(table, response->load_factor, "load_factor");
    ROW_REAL(table, response->frequency_hz[j], "frequency_hz");
    ROW_REAL(table, response->amplitude[j], "amplitude");
    ROW_REAL(table, point->amplitude, "amplitude_fitted");
    ROW_REAL(table, response->phase_deg ? response->phase_deg[j] : NAN, "phase_deg");
    ROW_REAL(table, point->phase_deg, "phase_fitted_deg");
}

enum masing_status masing_response_fit_rows(const struct masing_response_fit_request *request,
                                            const struct masing_identification *result,
                                            const struct masing_sink *rows,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink table = {0};
    struct masing_error own;
    struct masing_response_fit_request asked;
    error = entry_begin(error, &own);
    TRY(entry_need(request, "request", error));
    TRY(entry_need(result, "result", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_responses, asked.responses, "request.responses", error));
    if (result->n_loops < asked.n_responses ||
        (asked.n_responses > 0 && (!result->fitted || !result->fitted_phase_deg))) {
        TRY(masing_error_set(error, MASING_INVALID, "result: fits %d responses, expected %d",
                             result->n_loops, asked.n_responses));
    }
    TRY(row_sink_begin(&table, rows, walk_point, &(struct fitted_point){0}, error));
    for (int i = 0; i < asked.n_responses; i++) {
        for (int j = 0; j < asked.responses[i].n_points; j++) {
            const struct fitted_point point = {&asked.responses[i], j, result->fitted[i][j],
                                               result->fitted_phase_deg[i][j]};
            TRY(row_sink_write(&table, &point, error));
        }
    }
done:
    return row_sink_end(&table, status, error);
}
