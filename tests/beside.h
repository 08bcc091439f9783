/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frequency response with the stability of its points, and time integrations that are started
 * beside them: how their distance grows or shrinks from period to period.
 */
#ifndef MASING_TESTS_BESIDE_H
#define MASING_TESTS_BESIDE_H

#include "analyses/response/curve.h"
#include "harmonic/recovery/modal_motion.h"
#include "stability/stability.h"
#include "transient/periodic/periodic.h"
#include "transient/start.h"

#include "example.h"

enum { BESIDE_MOST_POINTS = 4000 };

static const double BESIDE_TWO_PI = 6.283185307179586476925286766559;

/* A point of the curve. */
struct beside_point {
    double omega, largest, error; /* of the multipliers */
    double real, imaginary;       /* the largest one */
    double size;                  /* of the first output: largest absolute value */
    double slip_share;            /* of the first joint */
    int verdict, n_steps;
    bool is_asked;   /* at a frequency that was asked for */
    unsigned events; /* set of MASING_EVENT_BIT */
};

struct beside {
    struct masing_model *model;
    enum masing_stability_method method;
    const double *at_hz;
    int n_at;
    bool at_only; /* judge nothing else */
    struct masing_response_summary summary;
    struct response_curve *curve;
    struct stability *stability;
    struct saved_points kept;
    int n;
    struct beside_point points[BESIDE_MOST_POINTS];
};

static inline bool beside_is_asked(const struct beside *beside, double omega)
{
    for (int i = 0; i < beside->n_at; i++) {
        double wanted = BESIDE_TWO_PI * beside->at_hz[i];
        if (fabs(omega - wanted) <= 1e-12 * wanted) {
            return true;
        }
    }
    return false;
}

static inline enum masing_status beside_judge(void *context, const struct response_curve *curve,
                                              const struct continuation_point *point,
                                              struct masing_error *error)
{
    struct beside *beside = context;
    const struct stability_result *result = NULL;
    struct balance *balance = curve->balance;
    bool is_asked = beside_is_asked(beside, point->lambda);
    enum masing_status status = MASING_OK;
    if (beside->n == BESIDE_MOST_POINTS || (beside->at_only && !is_asked)) {
        return MASING_OK;
    }
    if (!beside->stability) {
        status = stability_create(balance, beside->method, &beside->stability, error);
    }
    if (status == MASING_OK) {
        status = balance_settle(balance, point->y, point->lambda, false);
    }
    if (status == MASING_OK) {
        status = stability_evaluate(beside->stability, balance, point->lambda, &result);
    }
    if (status == MASING_OK) {
        status = saved_points_add(&beside->kept, balance, point->y, point->lambda, error);
    }
    if (CHECK(status == MASING_OK)) {
        struct beside_point *made = &beside->points[beside->n++];
        *made = (struct beside_point){.omega = point->lambda,
                                      .largest = result->largest,
                                      .error = result->error,
                                      .real = result->n > 0 ? result->real[0] : 0.0,
                                      .imaginary = result->n > 0 ? result->imaginary[0] : 0.0,
                                      .size = curve->recovery->point.measures[0].max,
                                      .slip_share = balance->joints[0]->slip_share,
                                      .verdict = result->verdict,
                                      .n_steps = result->n_steps,
                                      .is_asked = is_asked};
        made->events = point->events.kinds;
    }
    return status;
}

/* Follow the curve of the model, which now belongs to `beside`. */
static inline bool beside_follow(struct beside *beside)
{
    struct masing_response_options options = {.n_at = beside->n_at, .at_hz = beside->at_hz};
    struct masing_error error = {0};
    const struct response_curve_settings settings = {.model = beside->model,
                                                     .options = &options,
                                                     .point_context = beside,
                                                     .point = beside_judge};
    bool is_good = beside->model &&
                   response_curve_create(&settings, &beside->summary, &beside->curve, &error) ==
                       MASING_OK &&
                   response_curve_follow(beside->curve, &error) == MASING_OK;
    if (!CHECK(is_good)) {
        printf("# %s\n", error.message);
    }
    return is_good;
}

static inline void beside_clear(struct beside *beside)
{
    response_curve_destroy(beside->curve);
    stability_destroy(beside->stability);
    saved_points_clear(&beside->kept);
    masing_response_summary_clear(&beside->summary);
    masing_model_destroy(beside->model);
}

static inline struct masing_model *beside_model(const char *text)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, &error);
    status = status ? status : masing_document_model(document, NULL, 0, &model, &error);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_document_destroy(document);
    return model;
}

/* A time integration on the motion of a point. */
static inline struct integrator *beside_start(struct beside *beside, int index, int n_steps)
{
    struct masing_error error = {0};
    struct balance *balance = beside->curve->balance;
    const double *y = saved_points_restore(&beside->kept, (size_t)index, balance);
    double omega = beside->points[index].omega;
    size_t n = (size_t)balance->n_coefficients;
    double *modal = calloc(n * (size_t)balance->structure->n_modes, sizeof(double));
    struct integrator *integrator = NULL;
    enum masing_status status =
        integrator_create(beside->model, omega, n_steps, &integrator, &error);
    status = status ? status : balance_settle(balance, y, omega, false);
    status = status ? status : modal_motion(balance, y, omega, modal, &error);
    const struct start_motion motion = {.n_harmonics = balance->basis->n_harmonics,
                                        .harmonics = balance->basis->harmonics,
                                        .modal = modal,
                                        .axes = y,
                                        .origin = balance->origin};
    status = status ? status : start_on_motion(integrator, &motion, &error);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s\n", error.message);
        integrator_destroy(integrator);
        integrator = NULL;
    }
    free(modal);
    return integrator;
}

static inline bool beside_period(struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < integrator->n_steps && status == MASING_OK; i++) {
        status = integrator_step(integrator);
    }
    return CHECK(status == MASING_OK);
}

#endif
