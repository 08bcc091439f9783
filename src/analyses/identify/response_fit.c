/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For each level of the loads the whole curve is followed by arc length, with exact landings on
 * the measured frequencies, so that all motions of the branch are met; of several at one
 * frequency the one nearest to the measurement counts.
 */
#include "analyses/identify/response_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/sensitivity.h"

/* One curve on its way. */
struct passage {
    struct response_fit *fit;
    const struct masing_measured_response *measured;
    int index;
    const double *unknowns;
    double *residuals, *jacobian; /* from the first row of this response on; jacobian or NULL */
    double scale;
    struct sensitivity *sensitivity;
    double *slope; /* [n_coefficients] */
};

static double largest_amplitude(const struct masing_measured_response *measured)
{
    double largest = 0.0;
    for (int j = 0; j < measured->n_points; j++) {
        largest = fmax(largest, measured->amplitude[j]);
    }
    return largest;
}

static int n_rows(const struct masing_measured_response *measured)
{
    return measured->n_points * (measured->phase_deg ? 2 : 1);
}

static enum masing_status create_arrays(const struct masing_response_fit_request *request,
                                        double ***arrays, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *arrays = memory_array((size_t)request->n_responses, sizeof **arrays);
    TRY_ALLOCATED(*arrays);
    for (int i = 0; i < request->n_responses; i++) {
        (*arrays)[i] = memory_array((size_t)request->responses[i].n_points, sizeof(double));
        TRY_ALLOCATED((*arrays)[i]);
    }
done:
    return status;
}

static void free_arrays(double **arrays, int n)
{
    for (int i = 0; arrays && i < n; i++) {
        free(arrays[i]);
    }
    free(arrays);
}

enum masing_status response_fit_create(const struct masing_response_fit_request *request,
                                       const struct masing_law *law, int joint,
                                       const struct fit_parameters *varied, void *given,
                                       struct response_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int longest = 1;
    *fit = (struct response_fit){
        .request = request, .varied = varied, .law = law, .joint = joint, .given = given};
    TRY(create_arrays(request, &fit->amplitude, error));
    TRY(create_arrays(request, &fit->phase, error));
    TRY(create_arrays(request, &fit->distance, error));
    for (int i = 0; i < request->n_responses; i++) {
        const struct masing_measured_response *measured = &request->responses[i];
        longest = measured->n_points > longest ? measured->n_points : longest;
        fit->n_data += n_rows(measured);
    }
    fit->at_hz = memory_array((size_t)longest, sizeof(double));
    fit->parameters = memory_array(1, law->parameters_size);
    fit->tangent = memory_array(1, law->parameters_size);
    TRY_ALLOCATED(fit->at_hz && fit->parameters && fit->tangent);
done:
    return status;
}

void response_fit_clear(struct response_fit *fit)
{
    if (fit->request) {
        free_arrays(fit->amplitude, fit->request->n_responses);
        free_arrays(fit->phase, fit->request->n_responses);
        free_arrays(fit->distance, fit->request->n_responses);
    }
    free(fit->at_hz);
    free(fit->parameters);
    free(fit->tangent);
    *fit = (struct response_fit){0};
}

/* Real and imaginary part of A e^(i phase) at a_1 cos + b_1 sin: a_1, -b_1. */
static void complex_amplitude(const struct masing_measured_response *measured, int j,
                              double value[2])
{
    double phase = measured->phase_deg[j] * TWO_PI / 360;
    value[0] = measured->amplitude[j] * cos(phase);
    value[1] = measured->amplitude[j] * sin(phase);
}

static int first_harmonic(const struct basis *basis)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == 1) {
            return basis->position[k];
        }
    }
    return -1;
}

/* Derivatives of the residuals of one point by all parameters. */
static enum masing_status differentiate(struct passage *passage,
                                        const struct response_curve *curve,
                                        const struct continuation_point *point,
                                        const double *coefficients, int row)
{
    enum masing_status status = MASING_OK;
    struct response_fit *fit = passage->fit;
    int output = curve->model->spec.peak_output, one = first_harmonic(curve->balance->basis);
    TRY(sensitivity_factor(passage->sensitivity, point->y, point->lambda));
    for (int k = 0; k < fit->varied->n; k++) {
        const struct fit_parameter *parameter = &fit->varied->list[k];
        double factor = fit_parameter_slope(parameter, passage->unknowns[k]) / passage->scale;
        double *to = passage->jacobian + (size_t)k * (size_t)fit->n_data + (size_t)row;
        masing_law_tangent(fit->law, curve->model->joints[fit->joint].parameters,
                           parameter->offset, fit->tangent);
        TRY(sensitivity_output(passage->sensitivity, fit->tangent, point->lambda, output,
                               passage->slope));
        if (passage->measured->phase_deg) {
            to[0] = factor * passage->slope[one];
            to[1] = -factor * passage->slope[one + 1];
        } else {
            to[0] = factor * sensitivity_measure(passage->sensitivity, coefficients,
                                                 passage->slope, fit->request->measure);
        }
    }
done:
    return status;
}

/* A solution at measured point j: keep it if none was nearer. */
static enum masing_status consider(struct passage *passage, const struct response_curve *curve,
                                   const struct continuation_point *point, int j)
{
    enum masing_status status = MASING_OK;
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
        double target[2];
        int one = first_harmonic(basis);
        complex_amplitude(measured, j, target);
        difference[0] = coefficients[one] - target[0];
        difference[1] = -coefficients[one + 1] - target[1];
    }
    double distance = hypot(difference[0], difference[1]);
    if (!(distance < fit->distance[passage->index][j])) {
        return MASING_OK;
    }
    if (passage->jacobian) {
        TRY(differentiate(passage, curve, point, coefficients, row));
    }
    fit->distance[passage->index][j] = distance;
    fit->amplitude[passage->index][j] = amplitude;
    fit->phase[passage->index][j] = measures->h1_phase * 360 / TWO_PI;
    for (int i = 0; i < (measured->phase_deg ? 2 : 1); i++) {
        passage->residuals[row + i] = difference[i] / passage->scale;
    }
done:
    return status;
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
    enum masing_status status = MASING_OK;
    const struct masing_response_fit_request *request = fit->request;
    struct masing_spec spec;
    TRY(masing_document_spec(request->document, request->overrides, request->n_overrides, &spec,
                             error));
    memcpy(spec.joints[fit->joint].parameters, fit->given, fit->law->parameters_size);
    if (!isnan(measured->load_factor)) {
        spec.load_factor = measured->load_factor;
    }
    double low = TWO_PI * fit->at_hz[0], high = TWO_PI * fit->at_hz[n_at - 1];
    bool is_upward = spec.omega_from <= spec.omega_to;
    double *lower = is_upward ? &spec.omega_from : &spec.omega_to;
    double *upper = is_upward ? &spec.omega_to : &spec.omega_from;
    *lower = fmin(*lower, low);
    *upper = fmax(*upper, high);
    TRY(masing_model_create(&spec, model, error));
done:
    return status;
}

static enum masing_status check_complete(struct passage *passage, struct masing_error *error)
{
    const struct masing_measured_response *measured = passage->measured;
    for (int j = 0; j < measured->n_points; j++) {
        if (isinf(passage->fit->distance[passage->index][j])) {
            return masing_error_set(error, MASING_NOT_CONVERGED,
                                    "%s: no solution of the model at %g Hz", measured->name,
                                    measured->frequency_hz[j]);
        }
    }
    return MASING_OK;
}

/* Follow one curve; parameters are refused where it does not reach the far end. */
static enum masing_status follow(struct passage *passage, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_fit *fit = passage->fit;
    struct masing_model *model = NULL;
    struct response_curve *curve = NULL;
    struct masing_response_summary summary = {0};
    int n_at = list_frequencies(passage->measured, fit->at_hz);
    TRY(make_model(fit, passage->measured, n_at, &model, error));
    const struct masing_response_options options = {.n_at = n_at, .at_hz = fit->at_hz};
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = passage, .point = see_point};
    TRY(response_curve_create(&settings, &summary, &curve, error));
    TRY(sensitivity_create(curve->recovery, fit->joint, &passage->sensitivity, error));
    passage->slope = memory_array((size_t)curve->balance->n_coefficients, sizeof(double));
    TRY_ALLOCATED(passage->slope);
    memcpy(fit->parameters, model->joints[fit->joint].parameters, fit->law->parameters_size);
    TRY(response_curve_follow(curve, error));
    TRY(check_complete(passage, error));
done:
    sensitivity_destroy(passage->sensitivity);
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
    enum masing_status status = MASING_OK;
    int row = 0;
    fit->reason = (struct masing_error){0};
    for (int k = 0; k < fit->varied->n; k++) {
        const struct fit_parameter *parameter = &fit->varied->list[k];
        fit_parameter_store(parameter, fit_parameter_value(parameter, unknowns[k]), fit->given);
    }
    for (int i = 0; status == MASING_OK && i < request->n_responses; i++) {
        const struct masing_measured_response *measured = &request->responses[i];
        for (int j = 0; j < measured->n_points; j++) {
            fit->distance[i][j] = INFINITY;
        }
        struct passage passage = {.fit = fit,
                                  .measured = measured,
                                  .index = i,
                                  .unknowns = unknowns,
                                  .residuals = residuals + row,
                                  .jacobian = jacobian ? jacobian + row : NULL,
                                  .scale = largest_amplitude(measured)};
        status = follow(&passage, &fit->reason);
        row += n_rows(measured);
    }
    return status;
}
