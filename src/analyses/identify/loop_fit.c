/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/loop_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/message.h"
#include "analyses/identify/fit_search.h"
#include "analyses/identify/identification.h"
#include "analyses/identify/law_sum.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"

static double time_step(const struct measured_path *path)
{
    int n = path->n_points;
    return (path->t[n - 1] - path->t[0]) / (n - 1);
}

static enum masing_status check_time(const struct loop_fit *fit,
                                     const struct measured_path *path,
                                     struct masing_error *error)
{
    if (!path->has_time) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: '%s' depends on velocity: a column 'time' is needed (or, "
                                "where the loop is one steady cycle, its frequency)",
                                path->source->name, fit->law->name);
    }
    if (!measured_path_is_even(path)) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: '%s' depends on velocity: samples must be evenly spaced "
                                "in time",
                                path->source->name, fit->law->name);
    }
    return MASING_OK;
}

/* Fourth-order differences; one-sided ones at the ends of an open motion. */
static double velocity_at(const struct measured_path *path, int i)
{
    double h = time_step(path);
    if (path->is_steady || (i >= 2 && i + 2 < path->n)) {
        return (8 * (measured_path_x(path, i + 1) - measured_path_x(path, i - 1)) -
                (measured_path_x(path, i + 2) - measured_path_x(path, i - 2))) /
               (12 * h);
    }
    double s = i < 2 ? 1.0 : -1.0;
    int k = i < 2 ? 1 : -1;
    return s *
           (-25 * measured_path_x(path, i) + 48 * measured_path_x(path, i + k) -
            36 * measured_path_x(path, i + 2 * k) + 16 * measured_path_x(path, i + 3 * k) -
            3 * measured_path_x(path, i + 4 * k)) /
           (12 * h);
}

static enum masing_status add_motions(struct loop_fit *fit, bool needs_velocity,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0, k = 0; i < fit->n_loops; i++) {
        const struct measured_path *path = &fit->paths[i];
        TRY(fit->velocity && needs_velocity ? check_time(fit, path, error) : MASING_OK);
        for (int j = 0; j < path->n; j++, k++) {
            fit->displacement[k] = measured_path_x(path, j);
            if (fit->velocity) {
                fit->velocity[k] = velocity_at(path, j);
            }
        }
    }
done:
    return status;
}

static enum masing_status allocate(struct loop_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = fit->law;
    size_t n_parameters = (size_t)fit->varied->n, n_data = (size_t)fit->n_data, longest = 1;
    for (int i = 0; i < fit->n_loops; i++) {
        size_t n = (size_t)fit->paths[i].n;
        longest = n > longest ? n : longest;
    }
    fit->parameters = memory_copy(fit->given, 1, law->parameters_size);
    fit->tangents = memory_array(n_parameters, law->parameters_size);
    fit->tangent_list = memory_array(n_parameters, sizeof *fit->tangent_list);
    TRY_ALLOCATED(fit->parameters && fit->tangents && fit->tangent_list);
    TRY(masing_law_check(law, fit->parameters, error));
    size_t state_size = law->family->state_size(law, fit->parameters);
    size_t workspace_size =
        law->family->workspace_size(law, (int)longest, 0, (int)n_parameters);
    fit->arrays =
        memory_array(2 * n_data + longest * (1 + n_parameters) + state_size + workspace_size,
                     sizeof(double));
    TRY_ALLOCATED(fit->arrays);
    double *rest = fit->arrays;
    fit->displacement = memory_part(&rest, n_data);
    fit->velocity = memory_part(&rest, law->needs_velocity ? n_data : 0);
    fit->force = memory_part(&rest, longest);
    fit->changes = memory_part(&rest, longest * n_parameters);
    fit->state = memory_part(&rest, state_size);
    fit->workspace = rest;
    for (size_t k = 0; k < n_parameters; k++) {
        fit->tangent_list[k] = (char *)fit->tangents + k * law->parameters_size;
    }
done:
    return status;
}

enum masing_status loop_fit_create(const struct masing_law *law, bool needs_velocity,
                                   const struct fit_parameters *varied,
                                   const struct measured_path *paths, int n_loops, void *given,
                                   struct loop_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *fit = (struct loop_fit){
        .law = law, .varied = varied, .paths = paths, .n_loops = n_loops, .given = given};
    for (int i = 0; i < n_loops; i++) {
        fit->n_data += paths[i].n;
        fit->force_scale = fmax(fit->force_scale, paths[i].largest_force);
    }
    TRY(allocate(fit, error));
    TRY(add_motions(fit, needs_velocity, error));
done:
    return status;
}

void loop_fit_clear(struct loop_fit *fit)
{
    free(fit->parameters);
    free(fit->tangents);
    free((void *)fit->tangent_list);
    free(fit->arrays);
    *fit = (struct loop_fit){0};
}

/* Parameters for these unknowns, as far as the law accepts them, and their tangents. */
static enum masing_status set_parameters(struct loop_fit *fit, const double *unknowns)
{
    const struct masing_law *law = fit->law;
    for (int k = 0; k < fit->varied->n; k++) {
        const struct fit_parameter *parameter = &fit->varied->list[k];
        fit_parameter_store(parameter, fit_parameter_value(parameter, unknowns[k]), fit->given);
    }
    memcpy(fit->parameters, fit->given, law->parameters_size);
    enum masing_status status = masing_law_check(law, fit->parameters, NULL);
    for (int k = 0; status == MASING_OK && k < fit->varied->n; k++) {
        masing_law_tangent(law, fit->parameters, fit->varied->list[k].offset,
                           (char *)fit->tangents + (size_t)k * law->parameters_size);
    }
    return status;
}

/* Along one loop, whose samples begin at `row`. */
static enum masing_status march(struct loop_fit *fit, const struct measured_path *path, int row,
                                bool has_changes)
{
    const struct masing_law *law = fit->law;
    const double origin = 0.0;
    const struct masing_path motion = {
        .n_samples = path->n,
        .n_axes = 1,
        .is_periodic = path->is_steady,
        .time_step = time_step(path),
        .x = fit->displacement + row,
        .v = fit->velocity ? fit->velocity + row : NULL,
        .origin = &origin,
        .n_parameters = has_changes ? fit->varied->n : 0,
        .dp = has_changes ? fit->tangent_list : NULL,
    };
    struct masing_forces forces = {.f = fit->force, .dfp = fit->changes};
    if (fit->state) {
        law->family->rest(law, fit->parameters, &origin, fit->state);
    }
    return law->family->march(law, fit->parameters, &motion,
                              path->is_steady ? NULL : fit->state, &forces, NULL,
                              fit->workspace);
}

enum masing_status loop_fit_evaluate(void *context, const double *unknowns, double *residuals,
                                     double *jacobian)
{
    struct loop_fit *fit = context;
    int n_parameters = fit->varied->n, row = 0;
    enum masing_status status = set_parameters(fit, unknowns);
    for (int i = 0; status == MASING_OK && i < fit->n_loops; i++) {
        const struct measured_path *path = &fit->paths[i];
        status = march(fit, path, row, jacobian != NULL);
        for (int j = 0; status == MASING_OK && j < path->n; j++, row++) {
            residuals[row] = (fit->force[j] - path->source->force[j]) / fit->force_scale;
            for (int k = 0; jacobian && k < n_parameters; k++) {
                jacobian[(size_t)k * (size_t)fit->n_data + (size_t)row] =
                    fit->changes[j * n_parameters + k] *
                    fit_parameter_slope(&fit->varied->list[k], unknowns[k]) / fit->force_scale;
            }
        }
    }
    return status;
}

void loop_fit_write(const struct loop_fit *fit, const double *residuals, double **fitted)
{
    for (int i = 0; i < fit->n_loops; i++) {
        const struct masing_measurement *source = fit->paths[i].source;
        for (int j = 0; j < source->n_samples; j++) {
            fitted[i][j] = j < fit->paths[i].n
                               ? source->force[j] + *residuals++ * fit->force_scale
                               : fitted[i][0];
        }
    }
}

/* ---- the search for the parameters of a law ---- */

/* In parts of the largest force: what is smaller is rounding. */
static const double SMALLEST_OFFSET = 1e-9;

/* Starts unless the request sets them. */
enum { DEFAULT_TRIALS = 16 };

struct law_search {
    const struct masing_fit_request *request; /* of the sum of the laws */
    const struct law_sum *sum;
    struct measured_path *paths;
    struct fit_held *held;
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
    for (int i = 0; i <= request->n_added; i++) {
        const struct masing_law *law = i == 0 ? request->law : request->added[i - 1];
        if (law->n_axes != 1) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "law '%s' has several axes; joints of one axis alone are "
                                    "identified",
                                    law->name);
        }
    }
    if (request->data.n_loops < 1) {
        return masing_error_set(error, MASING_INVALID, "there is no data");
    }
    return MASING_OK;
}

static bool lacks_time(const struct law_search *law_search)
{
    bool lacks = false;
    for (int i = 0; i < law_search->request->data.n_loops; i++) {
        lacks = lacks || !law_search->paths[i].has_time;
    }
    return lacks;
}

/* Without times what resists a velocity, and is none by default, is taken for none. */
static void hold_rates(const struct masing_law *law, struct fit_held *held)
{
    for (int i = 0; i < law->n_fields && held->n < FIT_MOST_PARAMETERS; i++) {
        const struct masing_field *field = &law->fields[i];
        bool is_held = field->fallback != 0.0 || !fit_unit_has_time(field->unit);
        for (int j = 0; j < held->n; j++) {
            is_held = is_held || strcmp(held->names[j], field->name) == 0;
        }
        if (!is_held) {
            snprintf(held->names[held->n], sizeof held->names[0], "%s", field->name);
            held->is_silent[held->n++] = true;
        }
    }
}

/* Whether velocities matter for these parameters, not checked yet, and what varies of them. */
static bool depends_on_rate(const struct law_search *law_search, const void *parameters)
{
    const struct masing_law *law = law_search->request->law;
    void *checked = memory_copy(parameters, 1, law->parameters_size);
    bool depends = !checked || masing_law_check(law, checked, NULL) != MASING_OK ||
                   masing_law_needs_velocity(law, checked);
    for (int k = 0; k < law_search->varied.n; k++) {
        depends = depends || fit_unit_has_time(law_search->varied.list[k].unit);
    }
    free(checked);
    return law->needs_velocity && depends;
}

static enum masing_status begin(struct law_search *law_search,
                                struct masing_identification *result,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = law_search->request;
    TRY(identification_begin(&request->data, request->law, &law_search->paths, result, error));
    law_sum_begin(law_search->sum, result->parameters);
    /* noise of the displacement is reversals of friction, and a spring beside it bears them */
    if (request->law->needs_velocity || request->n_added > 0) {
        TRY(identification_smooth(law_search->paths, request->law->needs_velocity, result,
                                  error));
    }
    struct fit_sizes sizes = measure(law_search);
    bool has_rates = request->law->needs_velocity;
    if (has_rates && lacks_time(law_search)) {
        hold_rates(request->law, law_search->held);
    }
    TRY(fit_parameters_choose(request, &sizes, law_search->held, result->parameters,
                              &law_search->varied, error));
    if (has_rates && lacks_time(law_search)) {
        has_rates = depends_on_rate(law_search, result->parameters);
    }
    TRY(loop_fit_create(request->law, has_rates, &law_search->varied, law_search->paths,
                        request->data.n_loops, result->parameters, &law_search->fit, error));
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

/*
 * Whether a constant force beside the laws would explain a notable part of what they leave, by
 * the misfits linearised about their minimum.
 */
static enum masing_status find_offset(const struct fit_search *search, bool *is_there,
                                      struct masing_error *error)
{
    /* Least damping, for parameters that the data do not determine. */
    static const double DAMPING = 1e-8;
    /* In intervals of 95 %, and in the root mean square of what is left. */
    static const double FEWEST_INTERVALS = 2.0, LEAST_SHARE = 0.1;
    enum masing_status status = MASING_OK;
    struct regression regression = {0};
    size_t m = (size_t)search->n_residuals, n = (size_t)search->varied->n;
    TRY(regression_create((int)m, (int)n + 1, &regression, error));
    memcpy(regression.matrix, search->jacobian, m * n * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        regression.matrix[m * n + i] = 1.0;
        regression.values[i] = -search->residuals[i];
    }
    double rms =
        sqrt(dense_dot((int)m, search->residuals, search->residuals) / search->n_residuals);
    enum masing_status solved =
        m > n + 1 ? regression_solve(&regression, DAMPING, NULL) : MASING_SINGULAR;
    TRY_ALLOCATED(solved != MASING_NO_MEMORY);
    if (solved == MASING_OK) {
        double size = fabs(regression.solution[n]);
        *is_there = size > FEWEST_INTERVALS * regression.intervals[n] &&
                    size > LEAST_SHARE * rms && size > SMALLEST_OFFSET;
    }
done:
    regression_clear(&regression);
    return status;
}

struct law_fit {
    struct masing_fit_request request; /* of the sum */
    struct law_sum sum;
    struct fit_held held;
    struct fit_redundant redundant;
    bool has_offset; /* the laws leave a constant force */
    bool has_past;   /* which may be the past of a joint that was loaded before */
};

static enum masing_status run(struct law_fit *law_fit, struct masing_identification *result,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = &law_fit->request;
    struct fit_held *held = &law_fit->held;
    struct fit_redundant *redundant = &law_fit->redundant;
    struct law_search law_search = {.request = request, .sum = &law_fit->sum, .held = held};
    bool may_hold = request->n_varied == 0 && held->n < FIT_MOST_PARAMETERS;
    redundant->index = -1;
    TRY(begin(&law_search, result, error));
    TRY(may_hold ? assess_first(&law_search, redundant, error) : MASING_OK);
    if (redundant->index < 0) {
        TRY(fit_search_run(&law_search.search, error));
        TRY(conclude(&law_search, redundant, result, error));
        TRY(warn(&law_search, result, error));
        TRY(find_offset(&law_search.search, &law_fit->has_offset, error));
        for (int i = 0; i < request->data.n_loops; i++) {
            law_fit->has_past =
                law_fit->has_past || measured_path_has_past(&law_search.paths[i]);
        }
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

static bool has_times(const struct masing_measurements *data)
{
    bool has = true;
    for (int i = 0; i < data->n_loops; i++) {
        has = has && (data->loops[i].time || data->frequency_hz > 0);
    }
    return has;
}

/* Neither fitted nor given, nor held as it has no influence beside the others. */
static bool is_left_out(const struct law_fit *law_fit,
                        const struct masing_identification *result, int index)
{
    const struct masing_fit_request *request = &law_fit->request;
    const struct masing_field *field = &request->law->fields[index];
    bool needs_time = fit_unit_has_time(field->unit) && !has_times(&request->data);
    if (field->type != MASING_FIELD_REAL || needs_time) {
        return false;
    }
    for (int i = 0; i < law_fit->held.n; i++) {
        if (strcmp(law_fit->held.names[i], field->name) == 0 && law_fit->held.is_silent[i]) {
            return false;
        }
    }
    for (int i = 0; i < result->n_estimates; i++) {
        if (strcmp(result->estimates[i].name, field->name) == 0) {
            return false;
        }
    }
    for (int i = 0; i < request->n_fixed; i++) {
        if (strcmp(request->fixed[i].path, field->name) == 0) {
            return false;
        }
    }
    return may_be_given(request->law, index, result->parameters);
}

/* A misfit may be what was not fitted. */
static enum masing_status warn_of_left_out(const struct law_fit *law_fit,
                                           struct masing_identification *result,
                                           struct masing_error *error)
{
    const struct masing_fit_request *request = &law_fit->request;
    static const double NOTABLE_MISFIT =
        1e-4; /* relative misfit that other parameters may explain */
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    char names[400] = "";
    if (request->n_varied > 0 || !(result->relative_rms > NOTABLE_MISFIT)) {
        return MASING_OK;
    }
    for (int i = 0; i < request->law->n_fields; i++) {
        size_t used = strlen(names);
        if (is_left_out(law_fit, result, i)) {
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
static enum masing_status fit_defaults(struct law_fit *law_fit,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    law_fit->redundant.index = 0;
    while (law_fit->redundant.index >= 0) {
        masing_identification_clear(result);
        TRY(run(law_fit, result, error));
    }
done:
    return status;
}

static bool names_offset(const struct masing_fit_request *request)
{
    bool is_named = request->n_varied > 0;
    for (int i = 0; i < request->n_fixed; i++) {
        is_named = is_named || strcmp(request->fixed[i].path, LAW_SUM_OFFSET) == 0;
    }
    for (int i = 0; i < request->n_starts; i++) {
        is_named = is_named || strcmp(request->starts[i].path, LAW_SUM_OFFSET) == 0;
    }
    return is_named;
}

static void hold_offset(struct law_fit *law_fit)
{
    law_fit->held = (struct fit_held){.n = 1, .names = {LAW_SUM_OFFSET}, .is_silent = {true}};
}

/*
 * At first without a constant force, then with it where the data show one. A joint that was
 * loaded before the first sample looks like one, too, but is not explained by it.
 */
static enum masing_status fit_sum(struct law_fit *law_fit, struct masing_identification *result,
                                  struct masing_error *error)
{
    /* What is left with a constant force that explains a load at the beginning. */
    static const double MOST_LEFT = 0.25;
    enum masing_status status = MASING_OK;
    bool is_open = !names_offset(&law_fit->request);
    if (is_open) {
        hold_offset(law_fit);
    }
    TRY(fit_defaults(law_fit, result, error));
    if (is_open && law_fit->has_offset) {
        double without = result->rms;
        law_fit->held.n = 0;
        TRY(fit_defaults(law_fit, result, error));
        if (law_fit->has_past && result->rms > MOST_LEFT * without) {
            hold_offset(law_fit);
            TRY(fit_defaults(law_fit, result, error));
        }
    }
done:
    return status;
}

static enum masing_status warn_of_held(const struct fit_held *held,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    for (int i = 0; i < held->n; i++) {
        if (!held->is_silent[i]) {
            TRY(warning_add(
                &warnings, error,
                "%s was held at its default: the data do not tell it from the other "
                "numbers",
                held->names[i]));
        }
    }
done:
    return status;
}

/* The parameters of each law, in place of those of the sum. */
static enum masing_status take_parts(const struct law_sum *sum,
                                     struct masing_identification *result,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    void *all = result->parameters;
    int n_added = sum->n_parts - 1;
    result->parameters = law_sum_take(sum, all, 0);
    result->added = memory_array((size_t)n_added, sizeof *result->added);
    TRY_ALLOCATED(result->parameters && result->added);
    for (int i = 0; i < n_added; i++) {
        result->added[i] = (struct masing_fitted_law){
            .law = sum->parts[i + 1].law, .parameters = law_sum_take(sum, all, i + 1)};
        TRY_ALLOCATED(result->added[i].parameters);
        result->n_added++;
    }
    for (int i = 0; i < result->n_estimates; i++) {
        if (strcmp(result->estimates[i].name, LAW_SUM_OFFSET) == 0) {
            result->offset = result->estimates[i].value;
        }
    }
done:
    free(all);
    return status;
}

static enum masing_status check_laws(const struct masing_fit_request *request,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(entry_need(request->law, "request.law", error));
    TRY(entry_need_array(request->n_added, request->added, "request.added", error));
    for (int i = 0; i < request->n_added; i++) {
        TRY(entry_need(request->added[i], "request.added", error));
    }
    TRY(identification_check(&request->data, error));
    TRY(entry_need_array(request->n_fixed, request->fixed, "request.fixed", error));
    TRY(entry_need_array(request->n_starts, request->starts, "request.starts", error));
    TRY(entry_need_array(request->n_varied, request->varied, "request.varied", error));
    TRY(check_request(request, error));
done:
    return status;
}

static enum masing_status identify(const void *asked, struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = asked;
    const struct masing_law **laws = NULL;
    struct law_fit law_fit = {.request = *request};
    TRY(check_laws(request, error));
    size_t n = (size_t)request->n_added + 1;
    laws = memory_array(n, sizeof *laws);
    TRY_ALLOCATED(laws);
    laws[0] = request->law;
    for (size_t i = 1; i < n; i++) {
        laws[i] = request->added[i - 1];
    }
    TRY(law_sum_create((int)n, laws, &law_fit.sum, error));
    law_fit.request.law = &law_fit.sum.law;
    TRY(fit_sum(&law_fit, result, error));
    TRY(warn_of_held(&law_fit.held, result, error));
    TRY(warn_of_left_out(&law_fit, result, error));
    TRY(take_parts(&law_fit.sum, result, error));
done:
    result->law = request->law;
    law_sum_clear(&law_fit.sum);
    free(laws);
    return status;
}

enum masing_status masing_identify_law(const struct masing_fit_request *request,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    struct masing_fit_request asked;
    return identification_run(identify, request, &asked, sizeof asked, result, error);
}
