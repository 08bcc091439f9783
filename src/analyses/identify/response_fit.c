/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A joint of a model from measured frequency responses at several levels of the loads. For each
 * level the whole curve is followed by arc length, with exact landings on the measured
 * frequencies, so that all motions of the branch are met; of several at one frequency the one
 * nearest to the measurement counts.
 */
#include "analyses/identify/response_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "analyses/identify/fit_search.h"
#include "analyses/identify/identification.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/sensitivity.h"
#include "linalg/dense.h"
#include "model/cyclic.h"

/* One curve on its way. */
struct passage {
    struct response_fit *fit;
    const struct masing_measured_response *measured;
    int index;
    const double *unknowns;
    double *residuals, *jacobian; /* from the first row of this response on; jacobian or NULL */
    double scale;
    struct sensitivity *sensitivity;
    struct point_solver *inverse; /* of it, or NULL */
    double *slope;                /* [n_coefficients] */
};

static int n_rows(const struct masing_measured_response *measured)
{
    return measured->n_points * (measured->phase_deg ? 2 : 1);
}

enum masing_status response_fit_create(const struct masing_response_fit_request *request,
                                       const struct masing_law *law, int joint,
                                       const struct fit_parameters *varied, void *given,
                                       struct response_fit *fit, struct masing_error *error)
{
    size_t n = (size_t)request->n_responses, longest = 1;
    struct arena *arena = &fit->arena;
    *fit = (struct response_fit){
        .request = request, .varied = varied, .law = law, .joint = joint, .given = given};
    fit->amplitude = arena_array(arena, n, sizeof *fit->amplitude);
    fit->phase = arena_array(arena, n, sizeof *fit->phase);
    NEED_ALLOCATED(fit->amplitude && fit->phase);
    for (size_t i = 0; i < n; i++) {
        size_t n_points = (size_t)request->responses[i].n_points;
        fit->amplitude[i] = arena_doubles(arena, n_points);
        fit->phase[i] = arena_doubles(arena, n_points);
        longest = n_points > longest ? n_points : longest;
        fit->n_data += n_rows(&request->responses[i]);
    }
    fit->at_hz = arena_doubles(arena, longest);
    fit->distance = arena_doubles(arena, longest);
    fit->parameters = arena_allocate(arena, law->parameters_size);
    fit->tangent = arena_allocate(arena, law->parameters_size);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

void response_fit_clear(struct response_fit *fit)
{
    arena_clear(&fit->arena);
    *fit = (struct response_fit){0};
}

/* Derivatives of the residuals of one point by all parameters. */
static enum masing_status differentiate(struct passage *passage,
                                        const struct response_curve *curve,
                                        const struct continuation_point *point,
                                        const double *coefficients, int row)
{
    struct response_fit *fit = passage->fit;
    int output = curve->model->spec.peak_output,
        one = recovery_first_harmonic(curve->balance->basis);
    NEED(sensitivity_factor(passage->sensitivity, point->y, point->lambda));
    for (int k = 0; k < fit->varied->n; k++) {
        const struct fit_parameter *parameter = &fit->varied->list[k];
        double factor = fit_parameter_slope(parameter, passage->unknowns[k]) / passage->scale;
        double *to = passage->jacobian + (size_t)k * (size_t)fit->n_data + (size_t)row;
        masing_law_tangent(fit->law, curve->model->joints[fit->joint].parameters,
                           parameter->offset, fit->tangent);
        NEED(sensitivity_output(passage->sensitivity, fit->joint, fit->tangent, point->lambda,
                                output, passage->slope));
        if (passage->measured->phase_deg) {
            to[0] = factor * passage->slope[one];
            to[1] = -factor * passage->slope[one + 1];
        } else {
            to[0] =
                factor * recovery_measure_slope(passage->sensitivity->recovery, coefficients,
                                                passage->slope, fit->request->measure);
        }
    }
    return MASING_OK;
}

/* A solution at measured point j: keep it if none was nearer. */
static enum masing_status consider(struct passage *passage, const struct response_curve *curve,
                                   const struct continuation_point *point, int j)
{
    struct response_fit *fit = passage->fit;
    const struct masing_measured_response *measured = passage->measured;
    const struct basis *basis = curve->balance->basis;
    const struct recovery_point *recovered = &curve->recovery->point;
    int output = curve->model->spec.peak_output, row = measured->phase_deg ? 2 * j : j;
    const double *coefficients =
        recovered->coefficients + (size_t)output * (size_t)basis->n_coefficients;
    const struct output_measures *measures = &recovered->measures[output];
    double amplitude = recovery_measure(measures, fit->request->measure);
    double difference[2] = {amplitude - measured->amplitude[j], 0.0};
    if (measured->phase_deg) {
        /* real and imaginary part of A e^(i phase) at a_1 cos + b_1 sin: a_1, -b_1 */
        double phase = measured->phase_deg[j] * TWO_PI / 360;
        int one = recovery_first_harmonic(basis);
        difference[0] = coefficients[one] - measured->amplitude[j] * cos(phase);
        difference[1] = -coefficients[one + 1] - measured->amplitude[j] * sin(phase);
    }
    double distance = hypot(difference[0], difference[1]);
    if (!(distance < fit->distance[j])) {
        return MASING_OK;
    }
    if (passage->jacobian) {
        NEED(differentiate(passage, curve, point, coefficients, row));
    }
    fit->distance[j] = distance;
    fit->amplitude[passage->index][j] = amplitude;
    fit->phase[passage->index][j] = measures->h1_phase * 360 / TWO_PI;
    for (int i = 0; i < (measured->phase_deg ? 2 : 1); i++) {
        passage->residuals[row + i] = difference[i] / passage->scale;
    }
    return MASING_OK;
}

/* A point of the curve; at a fold, where nothing can be differentiated, it does not count. */
static enum masing_status see_point(void *context, const struct response_curve *curve,
                                    const struct continuation_point *point,
                                    struct masing_error *error)
{
    struct passage *passage = context;
    const struct masing_measured_response *measured = passage->measured;
    for (int j = 0; j < measured->n_points; j++) {
        if (TWO_PI * measured->frequency_hz[j] == point->lambda) {
            enum masing_status status = consider(passage, curve, point, j);
            if (status == MASING_NO_MEMORY) {
                return masing_error_set(error, status, "out of memory");
            }
        }
    }
    return MASING_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ascending, each once. */
static int list_frequencies(const struct masing_measured_response *measured, double *at_hz)
{
    int n = 0;
    memcpy(at_hz, measured->frequency_hz, (size_t)measured->n_points * sizeof *at_hz);
    qsort(at_hz, (size_t)measured->n_points, sizeof *at_hz, compare);
    for (int j = 0; j < measured->n_points; j++) {
        if (j == 0 || at_hz[j] != at_hz[n - 1]) {
            at_hz[n++] = at_hz[j];
        }
    }
    return n;
}

/* The model at this level, with the joint's parameters, over all measured frequencies. */
static enum masing_status make_model(struct response_fit *fit,
                                     const struct masing_measured_response *measured, int n_at,
                                     struct masing_model **model, struct masing_error *error)
{
    const struct masing_response_fit_request *request = fit->request;
    struct masing_spec spec;
    NEED(masing_document_spec(request->document, request->overrides, request->n_overrides,
                              &spec, error));
    memcpy(spec.joints[fit->joint].parameters, fit->given, fit->law->parameters_size);
    if (!isnan(measured->load_factor)) {
        spec.load_factor = measured->load_factor;
    }
    double low = TWO_PI * fit->at_hz[0], high = TWO_PI * fit->at_hz[n_at - 1];
    if (spec.sweep == MASING_SWEEP_NONE) { /* the frequencies are those of the measurement */
        spec.omega_from = spec.omega_to = low;
    } else if (spec.sweep == MASING_SWEEP_POINT) {
        spec.omega_to = spec.omega_from;
    }
    spec.sweep = MASING_SWEEP_RANGE;
    bool is_upward = spec.omega_from <= spec.omega_to;
    double *lower = is_upward ? &spec.omega_from : &spec.omega_to;
    double *upper = is_upward ? &spec.omega_to : &spec.omega_from;
    *lower = fmin(*lower, low);
    *upper = fmax(*upper, high);
    return masing_model_create(&spec, model, error);
}

/* Follow one curve; parameters are refused where it does not reach the far end. */
static enum masing_status follow(struct passage *passage, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_fit *fit = passage->fit;
    struct masing_model *model = NULL;
    struct response_curve *curve = NULL;
    struct masing_response_summary summary = {0};
    const struct masing_measured_response *measured = passage->measured;
    int n_at = list_frequencies(measured, fit->at_hz);
    TRY(make_model(fit, measured, n_at, &model, error));
    struct masing_progress quiet = progress_quiet(fit->request->progress);
    quiet.log = NULL;
    const struct masing_response_options options = {
        .n_at = n_at, .at_hz = fit->at_hz, .progress = &quiet};
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = passage, .point = see_point};
    TRY(response_curve_create(&settings, &summary, &curve, error));
    TRY(balance_solver_sensitivity(curve->recovery, &passage->inverse, &passage->sensitivity,
                                   error));
    passage->slope = memory_array((size_t)curve->balance->n_coefficients, sizeof(double));
    TRY_ALLOCATED(passage->slope);
    memcpy(fit->parameters, model->joints[fit->joint].parameters, fit->law->parameters_size);
    TRY(response_curve_follow(curve, error));
    for (int j = 0; j < measured->n_points; j++) {
        if (isinf(fit->distance[j])) {
            TRY(masing_error_set(error, MASING_NOT_CONVERGED,
                                 "%s: no solution of the model at %g Hz", measured->name,
                                 measured->frequency_hz[j]));
        }
    }
done:
    sensitivity_destroy(passage->sensitivity);
    point_solver_destroy(passage->inverse);
    free(passage->slope);
    response_curve_destroy(curve);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    return status;
}

enum masing_status response_fit_evaluate(void *context, const double *unknowns,
                                         double *residuals, double *jacobian)
{
    struct response_fit *fit = context;
    const struct masing_response_fit_request *request = fit->request;
    int row = 0;
    fit->reason = (struct masing_error){0};
    fit_parameters_store(fit->varied, unknowns, fit->given);
    for (int i = 0; i < request->n_responses; i++) {
        const struct masing_measured_response *measured = &request->responses[i];
        for (int j = 0; j < measured->n_points; j++) {
            fit->distance[j] = INFINITY;
        }
        struct passage passage = {
            .fit = fit,
            .measured = measured,
            .index = i,
            .unknowns = unknowns,
            .residuals = residuals + row,
            .jacobian = jacobian ? jacobian + row : NULL,
            .scale = fabs(
                measured->amplitude[dense_largest(measured->n_points, measured->amplitude)])};
        NEED(follow(&passage, &fit->reason));
        row += n_rows(measured);
    }
    return MASING_OK;
}

/* ---- the search for the parameters ---- */

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

static enum masing_status begin(struct response_search *search,
                                struct masing_identification *result,
                                struct masing_error *error)
{
    const struct masing_response_fit_request *request = search->request;
    NEED(masing_document_spec(request->document, request->overrides, request->n_overrides,
                              &search->spec, error));
    NEED(cyclic_refuse(&search->spec, "identification is", error));
    NEED(find_joint(search, error));
    NEED(check_request(search, error));
    const struct masing_joint_spec *joint = &search->spec.joints[search->joint];
    const struct masing_fit_request choice = {.law = joint->law,
                                              .n_fixed = request->n_fixed,
                                              .fixed = request->fixed,
                                              .n_starts = request->n_starts,
                                              .starts = request->starts,
                                              .n_varied = request->n_varied,
                                              .varied = request->varied};
    if (joint->law->n_axes != 1) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "joint '%s': law '%s' has several axes; joints of one axis alone are "
            "identified",
            joint->name, joint->law->name);
    }
    result->law = joint->law;
    result->parameters = memory_copy(joint->parameters, 1, joint->law->parameters_size);
    NEED_ALLOCATED(result->parameters);
    NEED(fit_parameters_adopt(&choice, result->parameters, &search->varied, error));
    NEED(response_fit_create(request, result->law, search->joint, &search->varied,
                             result->parameters, &search->fit, error));
    search->search =
        (struct fit_search){.varied = &search->varied,
                            .n_trials = request->n_trials > 0 ? request->n_trials : 1,
                            .n_residuals = search->fit.n_data,
                            .progress = request->progress,
                            .scale = NAN, /* of forces */
                            .context = &search->fit,
                            .evaluate = response_fit_evaluate};
    return MASING_OK;
}

static enum masing_status find(struct response_search *search,
                               struct masing_identification *result, struct masing_error *error)
{
    struct masing_error reason = {0};
    const char *why = search->fit.reason.message;
    struct fit_redundant redundant;
    enum masing_status status = fit_search_run(&search->search, &reason);
    if (status != MASING_OK) {
        return masing_error_set(error, status, "%s%s%s", reason.message, *why ? ": " : "", why);
    }
    status = fit_confidence(&search->search, search->search.best, &redundant, result, error);
    return status == MASING_OK || search->fit.reason.status == MASING_OK
               ? status
               : masing_error_set(error, status, "%s", why);
}

/* Parameters and curves of the last evaluation. */
static enum masing_status take_fitted(const struct response_fit *fit,
                                      struct masing_identification *result,
                                      struct masing_error *error)
{
    size_t n = (size_t)fit->request->n_responses;
    memcpy(result->parameters, fit->parameters, result->law->parameters_size);
    result->is_steady = memory_array(n, sizeof *result->is_steady);
    result->fitted = memory_array(n, sizeof *result->fitted);
    result->fitted_phase_deg = memory_array(n, sizeof *result->fitted_phase_deg);
    NEED_ALLOCATED(result->is_steady && result->fitted && result->fitted_phase_deg);
    result->n_loops = fit->request->n_responses;
    for (size_t i = 0; i < n; i++) {
        size_t n_points = (size_t)fit->request->responses[i].n_points;
        result->is_steady[i] = true;
        result->fitted[i] = memory_copy(fit->amplitude[i], n_points, sizeof(double));
        result->fitted_phase_deg[i] = memory_copy(fit->phase[i], n_points, sizeof(double));
        NEED_ALLOCATED(result->fitted[i] && result->fitted_phase_deg[i]);
    }
    return MASING_OK;
}

static enum masing_status check_pointers(const struct masing_response_fit_request *request,
                                         struct masing_error *error)
{
    NEED(entry_need(request->document, "request.document", error));
    NEED(
        entry_need_array(request->n_overrides, request->overrides, "request.overrides", error));
    NEED(
        entry_need_array(request->n_responses, request->responses, "request.responses", error));
    for (int i = 0; i < request->n_responses; i++) {
        const struct masing_measured_response *response = &request->responses[i];
        NEED(entry_need_array(response->n_points, response->frequency_hz,
                              "request.responses.frequency_hz", error));
        NEED(entry_need_array(response->n_points, response->amplitude,
                              "request.responses.amplitude", error));
    }
    NEED(entry_need_array(request->n_fixed, request->fixed, "request.fixed", error));
    NEED(entry_need_array(request->n_starts, request->starts, "request.starts", error));
    return entry_need_array(request->n_varied, request->varied, "request.varied", error);
}

static enum masing_status identify(const void *asked, struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_search search = {.request = asked};
    TRY(check_pointers(asked, error));
    TRY(begin(&search, result, error));
    TRY(find(&search, result, error));
    TRY(take_fitted(&search.fit, result, error));
done:
    response_fit_clear(&search.fit);
    fit_search_clear(&search.search);
    masing_spec_clear(&search.spec);
    return status;
}

enum masing_status masing_identify_response(const struct masing_response_fit_request *request,
                                            struct masing_identification *result,
                                            struct masing_error *error)
{
    struct masing_response_fit_request asked;
    return identification_run(identify, request, &asked, sizeof asked, result, error);
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
