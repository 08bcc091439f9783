/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nonlinear fit of a law to loops: from each of several starts to the nearest minimum, the
 * lowest of these is the result.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/fit_confidence.h"
#include "analyses/identification.h"
#include "analyses/least_squares.h"
#include "analyses/loop_fit.h"
#include "analyses/warning_list.h"
#include "base/check.h"
#include "base/memory.h"

enum { DEFAULT_TRIALS = 16, REFUSED_STARTS = 8 };

/* Ends whose misfits differ by less than this share are one and the same. */
static const double same_end = 1e-6;

struct law_search {
    const struct masing_fit_request *request;
    struct measured_path *paths;
    const struct fit_held *held;
    struct fit_numbers numbers;
    struct loop_fit fit;
    struct least_squares *solver;
    double *lower, *upper, *unknowns, *best; /* [numbers.n] */
    double least;                            /* sum of squares at `best` */
    int n_trials, n_ended;
    double *ends; /* [n_trials] sums of squares */
};

/* Steepest slope over stretches of a twentieth of the travel: noise has no say. */
static double steepest(const struct measured_path *path)
{
    double stretch = 0.05 * path->travel, most = 0.0;
    for (int i = 0, j = 0; j < path->n_points; j++) {
        while (i < j && fabs(path->x[j] - path->x[i + 1]) >= stretch) {
            i++;
        }
        double dx = path->x[j] - path->x[i];
        if (fabs(dx) >= stretch) {
            most = fmax(most, fabs((path->f[j] - path->f[i]) / dx));
        }
    }
    return most;
}

static double largest_displacement(const struct measured_path *path)
{
    double largest = 0.0;
    for (int i = 0; i < path->n_points; i++) {
        largest = fmax(largest, fabs(path->x[i]));
    }
    return largest;
}

static struct fit_sizes measure(const struct law_search *search)
{
    const double two_pi = 6.283185307179586;
    struct fit_sizes sizes = {.time = 1.0};
    for (int i = 0; i < search->request->data.n_loops; i++) {
        const struct measured_path *path = &search->paths[i];
        sizes.force = fmax(sizes.force, path->largest_force);
        sizes.displacement = fmax(sizes.displacement, largest_displacement(path));
        sizes.stiffness = fmax(sizes.stiffness, steepest(path));
        if (path->has_time) {
            sizes.time = (path->t[path->n_points - 1] - path->t[0]) / two_pi;
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
                                "'%s' has several axes: not supported yet", request->law->name);
    }
    if (request->data.n_loops < 1) {
        return masing_error_set(error, MASING_INVALID, "there is no data");
    }
    return MASING_OK;
}

static enum masing_status begin(struct law_search *search, struct masing_identification *result,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = search->request;
    TRY(check_request(request, error));
    TRY(identification_begin(&request->data, request->law, &search->paths, result, error));
    struct fit_sizes sizes = measure(search);
    TRY(fit_numbers_choose(request, &sizes, search->held, result->parameters, &search->numbers,
                           error));
    TRY(loop_fit_create(request->law, &search->numbers, search->paths, request->data.n_loops,
                        result->parameters, &search->fit, error));
    if (search->fit.n_data <= search->numbers.n) {
        TRY(masing_error_set(error, MASING_INVALID, "%d samples do not determine %d numbers",
                             search->fit.n_data, search->numbers.n));
    }
    search->n_trials = request->n_trials > 0 ? request->n_trials : DEFAULT_TRIALS;
    size_t n = (size_t)search->numbers.n;
    search->lower = memory_array(n, sizeof(double));
    search->upper = memory_array(n, sizeof(double));
    search->unknowns = memory_array(n, sizeof(double));
    search->best = memory_array(n, sizeof(double));
    search->ends = memory_array((size_t)search->n_trials, sizeof(double));
    TRY_ALLOCATED(search->lower && search->upper && search->unknowns && search->best &&
                  search->ends);
    for (int k = 0; k < search->numbers.n; k++) {
        fit_number_bounds(&search->numbers.list[k], &search->lower[k], &search->upper[k]);
    }
    const struct least_squares_problem problem = {.context = &search->fit,
                                                  .n_residuals = search->fit.n_data,
                                                  .n_unknowns = search->numbers.n,
                                                  .lower = search->lower,
                                                  .upper = search->upper,
                                                  .evaluate = loop_fit_evaluate};
    TRY(least_squares_create(&problem, &search->solver, error));
done:
    return status;
}

/* From one start; what cannot start or does not end has no say. */
static enum masing_status try_start(struct law_search *search, int trial)
{
    struct least_squares_result end;
    for (int k = 0; k < search->numbers.n; k++) {
        const struct fit_number *number = &search->numbers.list[k];
        search->unknowns[k] = fit_number_unknown(number, fit_number_start(number, k, trial));
    }
    enum masing_status status = least_squares_solve(search->solver, search->unknowns, &end);
    if (status == MASING_OK && end.is_converged) {
        search->ends[search->n_ended++] = end.sum;
        if (end.sum < search->least) {
            search->least = end.sum;
            memcpy(search->best, search->unknowns, (size_t)search->numbers.n * sizeof(double));
        }
    }
    return status;
}

/* Starts that the law refuses are replaced by later ones of the sequence. */
static enum masing_status search_all(struct law_search *search, struct masing_error *error)
{
    int n_tried = 0;
    search->least = INFINITY;
    for (int trial = 0; n_tried < search->n_trials && trial < REFUSED_STARTS * search->n_trials;
         trial++) {
        enum masing_status status = try_start(search, trial);
        if (status == MASING_NO_MEMORY) {
            return masing_error_set(error, status, "out of memory");
        }
        n_tried += status == MASING_OK;
    }
    return search->n_ended > 0
               ? MASING_OK
               : masing_error_set(error, MASING_NOT_CONVERGED,
                                  "the fit of '%s' does not converge from any of %d starts; "
                                  "give --start values",
                                  search->request->law->name, search->n_trials);
}

/* At the best end once more: residuals and derivatives; then what they tell. */
static enum masing_status conclude(struct law_search *search, struct fit_redundant *redundant,
                                   struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct loop_fit *fit = &search->fit;
    size_t m = (size_t)fit->n_data, n = (size_t)search->numbers.n;
    double *residuals = memory_array(m, sizeof *residuals);
    double *jacobian = memory_array(m * n, sizeof *jacobian);
    TRY_ALLOCATED(residuals && jacobian);
    TRY(loop_fit_evaluate(fit, search->best, residuals, jacobian));
    const struct fit_solution solution = {.numbers = &search->numbers,
                                          .n_data = fit->n_data,
                                          .unknowns = search->best,
                                          .residuals = residuals,
                                          .jacobian = jacobian,
                                          .force_scale = fit->force_scale};
    TRY(fit_confidence(&solution, redundant, result, error));
    const double *next = residuals;
    for (int i = 0; i < fit->n_loops; i++) {
        const struct masing_measurement *source = search->paths[i].source;
        for (int j = 0; j < source->n_samples; j++) {
            result->fitted[i][j] = j < search->paths[i].n
                                       ? source->force[j] + *next++ * fit->force_scale
                                       : result->fitted[i][0];
        }
    }
    memcpy(result->parameters, fit->parameters, search->request->law->parameters_size);
done:
    free(residuals);
    free(jacobian);
    return status;
}

static enum masing_status warn(struct law_search *search, struct masing_identification *result,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    double floor_of_sum = 1e-20 * search->fit.n_data;
    for (int i = 0; i < search->n_ended; i++) {
        result->n_agreeing += search->ends[i] <= search->least * (1 + same_end) + floor_of_sum;
    }
    result->n_starts = search->n_trials;
    if (search->n_trials > 3 && result->n_agreeing < 2) {
        TRY(warning_add(&warnings, error,
                        "only one of %d starts led to this minimum: there may be a lower one; "
                        "give --start values or more --trials",
                        search->n_trials));
    }
    if (result->relative_rms > 0.1) {
        TRY(warning_add(&warnings, error,
                        "'%s' does not follow the data: the misfit is %.0f %% of the largest "
                        "force",
                        result->law->name, 100 * result->relative_rms));
    }
    for (int i = 0; i < search->request->data.n_loops; i++) {
        const struct measured_path *path = &search->paths[i];
        if (!path->is_steady && fabs(path->f[0]) > 0.05 * path->largest_force) {
            TRY(warning_add(&warnings, error,
                            "%s neither closes nor begins at the unloaded joint (force %.3g of "
                            "%.3g N): its past is taken for none",
                            path->source->name, path->f[0], path->largest_force));
        }
    }
done:
    return status;
}

static void end(struct law_search *search)
{
    measured_paths_free(search->paths, search->request->data.n_loops);
    loop_fit_clear(&search->fit);
    least_squares_destroy(search->solver);
    free(search->lower);
    free(search->upper);
    free(search->unknowns);
    free(search->best);
    free(search->ends);
}

static enum masing_status run(const struct masing_fit_request *request, struct fit_held *held,
                              struct fit_redundant *redundant,
                              struct masing_identification *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct law_search search = {.request = request, .held = held};
    TRY(begin(&search, result, error));
    TRY(search_all(&search, error));
    TRY(conclude(&search, redundant, result, error));
    TRY(warn(&search, result, error));
    if (request->n_varied > 0 || held->n == FIT_MOST_NUMBERS) {
        redundant->index = -1;
    }
    if (redundant->index >= 0) {
        snprintf(held->names[held->n], sizeof held->names[0], "%s",
                 search.numbers.list[redundant->index].name);
        held->is_silent[held->n++] = redundant->is_certain;
    }
done:
    end(&search);
    return status;
}

/*
 * Numbers that a law has defaults for vary too, as far as the data tell them from the others;
 * those that do not matter are held at their defaults, one after the other.
 */
enum masing_status masing_identify_law(const struct masing_fit_request *request,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    struct fit_held held = {0};
    struct fit_redundant redundant = {0};
    *result = (struct masing_identification){0};
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
done:
    return status;
}
