/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First guesses of a response: those of the balance and, of a whole disk, before them the
 * travelling wave of one of its sectors, which is small. It is the solution of a disk whose
 * sectors are alike, and near that of one whose sectors are a little different.
 */
#include <stdlib.h>
#include <string.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/memory.h"
#include "model/cyclic.h"

/* wave [n_unknowns]; is_found where the sector has a solution. */
static enum masing_status find_wave(const struct response_curve *curve, double omega,
                                    double *wave, bool *is_found, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_progress quiet = progress_quiet(curve->settings.options->progress);
    const struct masing_response_options options = {.stability = MASING_STABILITY_NONE,
                                                    .progress = &quiet};
    const struct response_curve_settings settings = {
        .model = curve->model->tuned, .options = &options, .n_threads = 1};
    struct masing_response_summary summary = {0};
    struct response_curve *sector = NULL;
    struct masing_error reason = {0};
    double *guesses = NULL, *y = NULL;
    int n_guesses = 0;
    TRY(response_curve_create(&settings, &summary, &sector, error));
    TRY(balance_guess(sector->balance, omega, &guesses, &n_guesses, error));
    size_t n = (size_t)sector->balance->n_unknowns,
           n_whole = (size_t)curve->balance->n_unknowns;
    TRY_ALLOCATED(y = memory_array(n > n_whole ? n : n_whole, sizeof *y));
    status = continuation_search(sector->driver->continuation, omega, guesses, n_guesses, y,
                                 &reason);
    *is_found = status == MASING_OK; /* else the other guesses have to do */
    TRY(status == MASING_NO_MEMORY ? masing_error_set(error, status, "%s", reason.message)
                                   : MASING_OK);
    if (*is_found) {
        balance_spread_wave(sector->balance, y, curve->balance, wave);
        *is_found = balance_observe(curve->balance, wave, omega, y) == MASING_OK;
    }
done:
    free(guesses);
    free(y);
    response_curve_destroy(sector);
    masing_response_summary_clear(&summary);
    return status;
}

/* Whether a disk has a sector whose joints are those of each of its own. */
static bool has_wave(const struct masing_model *model)
{
    return model->tuned &&
           model->n_axes == model->tuned->cyclic->n_sectors * model->tuned->n_axes;
}

enum masing_status response_guess(const struct response_curve *curve, double omega,
                                  double **guesses, int *n_guesses, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)curve->balance->n_unknowns;
    double *all = NULL;
    bool is_found = false;
    NEED(balance_guess(curve->balance, omega, guesses, n_guesses, error));
    if (!has_wave(curve->model)) {
        return MASING_OK;
    }
    TRY_ALLOCATED(all = memory_array(((size_t)*n_guesses + 1) * n, sizeof *all));
    TRY(find_wave(curve, omega, all, &is_found, error));
    if (is_found) {
        memcpy(all + n, *guesses, (size_t)*n_guesses * n * sizeof *all);
        free(*guesses);
        *guesses = all;
        all = NULL;
        ++*n_guesses;
    }
done:
    free(all);
    return status;
}
