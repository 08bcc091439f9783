/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/peak/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static void clear(struct peak_site *site)
{
    sensitivity_destroy(site->sensitivity);
    point_solver_destroy(site->solver);
    recovery_destroy(site->recovery);
    moving_balance_destroy(site->residual);
    balance_destroy(site->balance);
    free(site->slope);
    site->sensitivity = NULL;
    site->solver = NULL;
    site->recovery = NULL;
    site->residual = NULL;
    site->balance = NULL;
    site->slope = NULL;
}

/* What belongs to the model. */
static enum masing_status fill(struct peak_site *site, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance_settings one_thread = {.n_threads = 1};
    if (site->measure) {
        site->model->spec.peak_measure = *site->measure;
    }
    TRY(balance_create(site->model, &one_thread, &site->balance, error));
    if (site->moving) {
        TRY(moving_balance_create(site->balance, site->moving, site->model->spec.omega_from,
                                  &site->residual, error));
    }
    TRY(recovery_create(site->balance, &site->recovery, error));
    TRY(balance_solver_create(site->balance, site->model->spec.solver.tolerance, &site->solver,
                              error));
    TRY(sensitivity_create(site->recovery, -1, &site->sensitivity, error));
    site->slope = memory_array((size_t)site->balance->n_coefficients, sizeof(double));
    TRY_ALLOCATED(site->slope);
done:
    return status;
}

enum masing_status peak_site_model(const struct peak_site *site, double p,
                                   struct masing_model **model, struct masing_error *error)
{
    char text[32];
    struct masing_override *overrides = NULL;
    snprintf(text, sizeof text, "%.17g", p);
    enum masing_status status = moving_model_overrides(&site->request, text, &overrides, error);
    if (status == MASING_OK) {
        status = masing_document_model(site->request.document, overrides,
                                       site->request.n_overrides + 1, model, error);
    }
    if (status == MASING_OK && site->measure) {
        (*model)->spec.peak_measure = *site->measure;
    }
    free(overrides);
    return status;
}

/* Whether the file is a model at this value. */
static bool can_have(const struct peak_site *site, double p)
{
    struct masing_model *model = NULL;
    bool is_good = peak_site_model(site, p, &model, NULL) == MASING_OK;
    masing_model_destroy(model);
    return is_good;
}

enum masing_status peak_site_create(const struct moving_model_request *request,
                                    const enum masing_measure *measure, struct peak_site **site,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct peak_site *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->request = *request;
    made->measure = measure;
    made->p = request->from;
    status = moving_model_create(request, &made->model, &made->moving, &inner);
    if (status == MASING_INVALID && can_have(made, request->to) &&
        can_have(made, request->from)) {
        /* the value in the middle is none, e.g. where only whole numbers are */
        TRY(made->model ? MASING_OK
                        : peak_site_model(made, request->from, &made->model, error));
        status = MASING_OK;
    }
    if (status == MASING_UNSUPPORTED && made->model) {
        status = MASING_OK; /* something else depends on the number, too */
    } else if (status != MASING_OK) {
        TRY(masing_error_set(error, status, "%s", inner.message));
    }
    if (made->model->spec.n_outputs == 0) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "outputs: none, expected at least one to look at"));
    }
    TRY(fill(made, error));
    *site = made;
    made = NULL;
done:
    peak_site_destroy(made);
    return status;
}

void peak_site_destroy(struct peak_site *site)
{
    if (site) {
        clear(site);
        moving_destroy(site->moving);
        masing_model_destroy(site->model);
        free(site);
    }
}

enum masing_status peak_site_set(struct peak_site *site, double p, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct masing_model *model = NULL;
    if (site->moving) {
        site->solver->is_factored = false;
        TRY(moving_balance_set(site->residual, p));
    } else if (p != site->p) {
        status = peak_site_model(site, p, &model, &inner);
        if (status == MASING_INVALID) {
            return MASING_NOT_CONVERGED; /* perhaps only in between */
        }
        TRY(status ? masing_error_set(error, status, "%s", inner.message) : MASING_OK);
        clear(site);
        masing_model_destroy(site->model);
        site->model = model;
        TRY(fill(site, error));
    }
    site->p = p;
done:
    return status;
}

int peak_site_n_cells(const struct peak_site *site)
{
    return 3 * site->model->spec.n_outputs + site->model->spec.n_groups;
}

void peak_site_cells(const struct recovery *recovery, double *cells)
{
    const struct masing_spec *spec = &recovery->balance->model->spec;
    for (int o = 0; o < spec->n_outputs; o++) {
        const struct output_measures *measures = &recovery->point.measures[o];
        *cells++ = measures->max;
        *cells++ = measures->amp;
        *cells++ = measures->h1;
    }
    memcpy(cells, recovery->point.slip, sizeof(double) * (size_t)spec->n_groups);
}

enum masing_status peak_site_slope(struct peak_site *site, const double *point, double *slope)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &site->model->spec;
    double omega = point[site->solver->n];
    *slope = NAN;
    if (!site->moving) {
        return MASING_OK;
    }
    site->residual->omega = omega;
    TRY(sensitivity_factor(site->sensitivity, point, omega));
    TRY(sensitivity_moving(site->sensitivity, site->residual, spec->peak_output, site->slope));
    *slope = sensitivity_measure(site->sensitivity,
                                 site->recovery->point.coefficients +
                                     (size_t)spec->peak_output *
                                         (size_t)site->balance->n_coefficients,
                                 site->slope, spec->peak_measure);
done:
    return status;
}
