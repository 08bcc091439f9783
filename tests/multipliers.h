/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Multipliers from changes of state at each point of a curve. */
#ifndef MASING_TESTS_MULTIPLIERS_H
#define MASING_TESTS_MULTIPLIERS_H

#include "analyses/response/curve.h"
#include "response.h"
#include "stability/phases.h"

static const double TWO_PI = 6.28318530717958647692;

enum { MOST = 256, MOST_POINTS = 400 };

/* Where each curve has a point, Hz. */
enum { N_AT = 6 };
static const double at_hz[N_AT] = {19.0, 20.5, 22.0, 22.7, 24.0, 27.0};

/* The largest multipliers of a curve's points, and what a test looks at in each. */
struct found {
    void (*check)(struct found *found, const struct balance *balance, double omega);
    bool few_modes;
    int n_modes; /* 0: all */
    struct arena arena;
    struct phases *phases;
    struct phases_result result;
    double real[MOST], imaginary[MOST];
    int n_points, n_checked;
    double omega[MOST_POINTS], largest[MOST_POINTS];
};

static double largest(int n, const double *real, const double *imaginary)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, hypot(real[i], imaginary[i]));
    }
    return size;
}

static enum masing_status look(void *context, const struct response_curve *curve,
                               const struct continuation_point *point,
                               struct masing_error *error)
{
    struct found *found = context;
    const struct balance *balance = curve->balance;
    enum masing_status status = MASING_OK;
    if (!found->phases) {
        int n_modes = found->n_modes > 0 ? found->n_modes : balance->structure->n_modes;
        status = phases_create(balance, n_modes, found->few_modes, &found->arena,
                               &found->phases, error);
        found->result.real = found->real;
        found->result.imaginary = found->imaginary;
    }
    if (CHECK(status == MASING_OK && found->phases) &&
        CHECK(phases_capacity(found->phases) <= MOST && found->n_points < MOST_POINTS)) {
        CHECK(balance_settle(curve->balance, point->y, point->lambda, false) == MASING_OK);
        CHECK(phases_evaluate(found->phases, point->lambda, &found->result) == MASING_OK);
        found->omega[found->n_points] = point->lambda;
        found->largest[found->n_points++] =
            largest(found->result.n, found->real, found->imaginary);
        if (found->check) {
            found->check(found, balance, point->lambda);
        }
    }
    return status;
}

static void follow(const char *text, struct found *found)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_response_options options = {
        .stability = MASING_STABILITY_NONE, .n_at = N_AT, .at_hz = at_hz};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    struct response_curve *curve = NULL;
    if (!CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = found, .point = look};
    CHECK(response_curve_create(&settings, &summary, &curve, &error) == MASING_OK);
    CHECK(response_curve_follow(curve, &error) == MASING_OK);
    phases_destroy(found->phases);
    arena_clear(&found->arena);
    response_curve_destroy(curve);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    CHECK(found->n_points > 5);
}

#endif
