/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where no first point is found: whether the equations have one that are truncated and sampled
 * less. Friction that changes its side within a small part of a sample makes sampled forces
 * jump where its displacement is moved a little, and between two such values there is no
 * solution.
 */
#include "analyses/response/curve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* Times the harmonics and one, and times the samples. */
static const struct {
    int harmonics, samples;
} trials[] = {{1, 4}, {2, 4}, {4, 4}};
/* Unknowns and samples that are worth it, and samples of all points that a trial may search
 * for.
 */
enum { MOST_TRIED = 300, MOST_SAMPLES = 4096, TRIAL_SAMPLES = 50 * 1024 };

static enum masing_status try_finer(const struct response_curve *curve, int highest,
                                    int n_samples, bool *has_solution,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_response_options *given = curve->settings.options;
    const struct masing_progress quiet = progress_quiet(given->progress);
    const struct masing_response_options options = {.progress = &quiet};
    struct masing_model model;
    const struct response_curve_settings settings = {
        .model = &model, .options = &options, .n_threads = curve->settings.n_threads};
    struct masing_response_summary summary = {0};
    struct response_curve *finer = NULL;
    struct masing_error reason = {0};
    double *guesses = NULL, omega = curve->model->spec.omega_from;
    int n_guesses, iterations;
    TRY(refinement_model(curve->model, highest, n_samples, &model, error));
    model.spec.solver.max_points = TRIAL_SAMPLES / model.spec.n_samples;
    TRY(response_curve_create(&settings, &summary, &finer, error));
    TRY(balance_guess(finer->balance, omega, &guesses, &n_guesses, error));
    status =
        continuation_solve(finer->driver->continuation, omega, guesses, &iterations, &reason);
    *has_solution = status == MASING_OK;
    status = status == MASING_NO_MEMORY ? masing_error_set(error, status, "%s", reason.message)
                                        : MASING_OK;
done:
    free(guesses);
    response_curve_destroy(finer);
    masing_response_summary_clear(&summary);
    free(model.spec.harmonics);
    return status;
}

enum masing_status response_explain_start(const struct response_curve *curve, char *reason,
                                          size_t size, struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    const struct masing_progress *progress = curve->settings.options->progress;
    int last = spec->harmonics[spec->n_harmonics - 1], highest = last, n_samples = 0;
    bool has_solution = false;
    for (size_t i = 0; i < sizeof trials / sizeof *trials && !has_solution; i++) {
        int next = trials[i].harmonics * (last + 1) - 1;
        if ((2 * next + 1) * curve->model->n_axes > MOST_TRIED ||
            trials[i].samples * spec->n_samples > MOST_SAMPLES ||
            progress_is_cancelled(progress)) {
            break;
        }
        highest = next;
        n_samples = trials[i].samples * spec->n_samples;
        NEED(try_finer(curve, highest, n_samples, &has_solution, error));
    }
    size_t length = strlen(reason);
    if (n_samples > 0 && !progress_is_cancelled(progress)) {
        char harmonics[48] = "";
        if (highest > last) {
            snprintf(harmonics, sizeof harmonics, "harmonics up to %d and ", highest);
        }
        snprintf(reason + length, size - length, "; %s with %ssamples: %d",
                 has_solution ? "there is one" : "nor was one", harmonics, n_samples);
    }
    return MASING_OK;
}
