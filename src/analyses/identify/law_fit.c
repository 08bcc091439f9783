/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounded nonlinear fit of laws to measured loops. Laws side by side, and a constant force
 * beside them, are one law for the fit: its force is the sum, its parameters are those of its
 * parts one after the other. The parts know nothing of each other.
 */
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/fit_search.h"
#include "analyses/identify/identification.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/progress.h"
#include "linalg/dense.h"

/* ---- laws side by side as one law ---- */

/* The constant force, N, a number with the default 0. */
#define OFFSET_NAME "offset"

struct law_part {
    const struct masing_law *law;
    size_t offset; /* of its parameters in those of the sum */
};

/*
 * Parameters of a single part keep their names; those of several are called
 * "jenkins.stiffness", those of a law's second appearance "jenkins2.stiffness".
 */
struct law_sum {
    struct masing_law law; /* first: the engine finds the parts by it */
    int n_parts;
    struct law_part *parts; /* [n_parts] */
    struct arena arena;
};

/* What stands before the parameters of the parts. */
struct head {
    const struct law_sum *sum;
    double constant; /* N */
};

static const struct law_sum *sum_of(const struct masing_law *law)
{
    return (const struct law_sum *)(const void *)law;
}

static const struct head *head_of(const void *parameters)
{
    return parameters;
}

static const void *part_of(const struct law_part *part, const void *parameters)
{
    return (const char *)parameters + part->offset;
}

static size_t state_size_of_part(const struct law_part *part, const void *parameters)
{
    return masing_law_state_size(part->law, part_of(part, parameters));
}

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    const struct law_sum *sum = sum_of(law);
    size_t size = 0;
    for (int i = 0; i < sum->n_parts; i++) {
        size += state_size_of_part(&sum->parts[i], parameters);
    }
    return size;
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    const struct law_sum *sum = sum_of(law);
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        masing_law_rest(part->law, part_of(part, parameters), origin, state);
        state += state_size_of_part(part, parameters);
    }
}

/* Forces and changes of one part, and what the largest of the parts needs. */
static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    const struct law_sum *sum = sum_of(law);
    size_t most = 0;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct masing_law *part = sum->parts[i].law;
        size_t size = part->family->workspace_size(part, n_samples, n_directions, n_parameters);
        most = size > most ? size : most;
    }
    return (size_t)n_samples * (1 + (size_t)n_parameters) + most;
}

/* Forces of a part along the path, added to those of the others. */
static enum masing_status add_part(const struct law_part *part, const void *parameters,
                                   const struct masing_path *path, double *state,
                                   struct masing_forces *forces, double *workspace)
{
    const void *tangents[FIT_MOST_PARAMETERS];
    size_t n = (size_t)path->n_samples, n_changes = n * (size_t)path->n_parameters;
    struct masing_forces own = {.f = workspace, .dfp = workspace + n};
    struct masing_path motion = *path;
    motion.v = part->law->needs_velocity ? path->v : NULL;
    motion.dp = tangents;
    for (int k = 0; k < path->n_parameters; k++) {
        tangents[k] = part_of(part, path->dp[k]);
    }
    NEED(masing_law_march(part->law, part_of(part, parameters), &motion, state, &own, NULL,
                          workspace + n + n_changes));
    for (size_t i = 0; i < n; i++) {
        forces->f[i] += own.f[i];
    }
    for (size_t i = 0; i < n_changes; i++) {
        forces->dfp[i] += own.dfp[i];
    }
    return MASING_OK;
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    const struct law_sum *sum = sum_of(law);
    (void)tangents; /* has_tangents is false */
    for (int i = 0; i < path->n_samples; i++) {
        forces->f[i] = head_of(parameters)->constant;
        for (int k = 0; k < path->n_parameters; k++) {
            forces->dfp[i * path->n_parameters + k] = head_of(path->dp[k])->constant;
        }
    }
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        NEED(add_part(part, parameters, path, state, forces, workspace));
        state = state ? state + state_size_of_part(part, parameters) : NULL;
    }
    return MASING_OK;
}

/* A fit marches and does nothing else. */
static const struct masing_family family = {
    .name = "sum",
    .summary = "laws side by side",
    .state_size = state_size,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    const struct law_sum *sum = head_of(parameters)->sum;
    for (int i = 0; i < sum->n_parts; i++) {
        NEED(masing_law_check(sum->parts[i].law, (char *)parameters + sum->parts[i].offset,
                              error));
    }
    return MASING_OK;
}

static void derive(const void *parameters, void *tangent)
{
    const struct law_sum *sum = head_of(parameters)->sum;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        if (part->law->derive) {
            part->law->derive(part_of(part, parameters), (char *)tangent + part->offset);
        }
    }
}

/* Whether a velocity has an influence: of laws that do not say it where a number with time in
 * its unit is not zero, or there is none. */
static bool part_depends_on_rate(const struct masing_law *law, const void *parameters)
{
    bool has_rates = false;
    for (int i = 0; law->needs_velocity && !law->is_rate_dependent && i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (field->type == MASING_FIELD_REAL && fit_unit_has_time(field->unit)) {
            double value = masing_field_value(field, parameters);
            has_rates = true;
            if (!isnan(value) && value != 0.0) {
                return true;
            }
        }
    }
    return !has_rates && masing_law_needs_velocity(law, parameters);
}

static bool is_rate_dependent(const void *parameters)
{
    const struct law_sum *sum = head_of(parameters)->sum;
    bool depends = false;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        depends = depends || part_depends_on_rate(part->law, part_of(part, parameters));
    }
    return depends;
}

static size_t aligned(size_t size)
{
    size_t step = alignof(max_align_t);
    return (size + step - 1) / step * step;
}

static enum masing_status add_fields(struct law_sum *sum, int part, struct masing_field *fields,
                                     struct masing_error *error)
{
    const struct masing_law *law = sum->parts[part].law;
    char prefix[80] = "", count[16] = "", name[160];
    int turn = 1;
    for (int i = 0; i < part; i++) {
        turn += sum->parts[i].law == law;
    }
    if (turn > 1) {
        snprintf(count, sizeof count, "%d", turn);
    }
    if (sum->n_parts > 1) {
        snprintf(prefix, sizeof prefix, "%s%s.", law->name, count);
    }
    for (int i = 0; i < law->n_fields; i++) {
        struct masing_field *field = &fields[sum->law.n_fields++];
        *field = law->fields[i];
        field->offset += sum->parts[part].offset;
        field->alternatives = NULL; /* would be names without the prefix */
        snprintf(name, sizeof name, "%s%s", prefix, field->name);
        NEED_ALLOCATED(field->name = arena_text(&sum->arena, name, strlen(name)));
    }
    return MASING_OK;
}

/* Laws of one axis. Clear the sum's arena also after a failure; it must not be moved meanwhile.
 */
static enum masing_status create_sum(const struct masing_fit_request *request,
                                     struct law_sum *sum, struct masing_error *error)
{
    static const struct masing_field constant =
        MASING_REAL(OFFSET_NAME, "N", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                    "constant force beside the laws", offsetof(struct head, constant));
    size_t n_fields = 1, size = aligned(sizeof(struct head));
    int n = request->n_added + 1;
    char name[400] = "";
    sum->law = (struct masing_law){
        .family = &family,
        .n_axes = 1,
        .check = check,
        .derive = derive,
        .is_rate_dependent = is_rate_dependent,
        .summary = "",
    };
    sum->n_parts = n;
    NEED_ALLOCATED(sum->parts = arena_array(&sum->arena, (size_t)n, sizeof *sum->parts));
    for (int i = 0; i < n; i++) {
        const struct masing_law *law = i == 0 ? request->law : request->added[i - 1];
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%s%s", i > 0 ? "+" : "", law->name);
        sum->parts[i] = (struct law_part){law, size};
        sum->law.needs_velocity = sum->law.needs_velocity || law->needs_velocity;
        size += aligned(law->parameters_size);
        n_fields += (size_t)law->n_fields;
    }
    sum->law.parameters_size = size;
    sum->law.name = arena_text(&sum->arena, name, strlen(name));
    struct masing_field *fields = arena_array(&sum->arena, n_fields, sizeof *fields);
    NEED_ALLOCATED(sum->law.name && fields);
    sum->law.fields = fields;
    for (int i = 0; i < n; i++) {
        NEED(add_fields(sum, i, fields, error));
    }
    fields[sum->law.n_fields++] = constant;
    return MASING_OK;
}

/* ---- the search for the parameters ---- */

/* In parts of the largest force: what is smaller is rounding. */
static const double SMALLEST_OFFSET = 1e-9;

/* Starts unless the request sets them. */
enum { DEFAULT_TRIALS = 16 };

struct law_fit {
    struct masing_fit_request request; /* of the sum */
    struct law_sum sum;
    struct fit_held held;
    struct fit_redundant redundant;
    bool lacks_time; /* of one of the loops at least */
    bool has_offset; /* the laws leave a constant force */
    bool has_past;   /* which may be the past of a joint that was loaded before */
    /* of the fit with what is held: */
    struct measured_path *paths;
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

static struct fit_sizes measure(const struct law_fit *law_fit)
{
    struct fit_sizes sizes = {.time = 1.0};
    for (int i = 0; i < law_fit->request.data.n_loops; i++) {
        const struct measured_path *path = &law_fit->paths[i];
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

static void hold(struct fit_held *held, const char *name, bool is_silent)
{
    size_t length = strnlen(name, sizeof held->names[0] - 1);
    memmove(held->names[held->n], name, length);
    held->names[held->n][length] = '\0';
    held->is_silent[held->n++] = is_silent;
}

/* Without times what resists a velocity, and is none by default, is taken for none. */
static void hold_rates(const struct masing_law *law, struct fit_held *held)
{
    for (int i = 0; i < law->n_fields && held->n < FIT_MOST_PARAMETERS; i++) {
        const struct masing_field *field = &law->fields[i];
        if (field->fallback == 0.0 && fit_unit_has_time(field->unit) &&
            fit_held_find(held, field->name) < 0) {
            hold(held, field->name, true);
        }
    }
}

/* Whether velocities matter for these parameters, not checked yet, and what varies of them. */
static bool depends_on_rate(const struct law_fit *law_fit, const void *parameters)
{
    const struct masing_law *law = law_fit->request.law;
    void *checked = memory_copy(parameters, 1, law->parameters_size);
    bool depends = !checked || masing_law_check(law, checked, NULL) != MASING_OK ||
                   masing_law_needs_velocity(law, checked);
    for (int k = 0; k < law_fit->varied.n; k++) {
        depends = depends || fit_unit_has_time(law_fit->varied.list[k].unit);
    }
    free(checked);
    return depends;
}

static void end(struct law_fit *law_fit)
{
    measured_paths_free(law_fit->paths, law_fit->request.data.n_loops);
    law_fit->paths = NULL;
    loop_fit_clear(&law_fit->fit);
    fit_search_clear(&law_fit->search);
}

/* With what is held now; what was found before is cleared. */
static enum masing_status begin(struct law_fit *law_fit, struct masing_identification *result,
                                struct masing_error *error)
{
    const struct masing_fit_request *request = &law_fit->request;
    bool has_rates = request->law->needs_velocity;
    end(law_fit);
    masing_identification_clear(result);
    NEED(identification_begin(&request->data, request->law, &law_fit->paths, result, error));
    ((struct head *)result->parameters)->sum = &law_fit->sum;
    /* noise of the displacement is reversals of friction, and a spring beside it bears them */
    if (has_rates || request->n_added > 0) {
        NEED(identification_smooth(law_fit->paths, has_rates, result, error));
    }
    for (int i = 0; i < request->data.n_loops; i++) {
        const struct measured_path *path = &law_fit->paths[i];
        law_fit->lacks_time = law_fit->lacks_time || !path->has_time;
        law_fit->has_past = law_fit->has_past || measured_path_has_past(path);
    }
    struct fit_sizes sizes = measure(law_fit);
    if (has_rates && law_fit->lacks_time) {
        hold_rates(request->law, &law_fit->held);
    }
    NEED(fit_parameters_choose(request, &sizes, &law_fit->held, result->parameters,
                               &law_fit->varied, error));
    if (has_rates && law_fit->lacks_time) {
        has_rates = depends_on_rate(law_fit, result->parameters);
    }
    NEED(loop_fit_create(request->law, has_rates, &law_fit->varied, law_fit->paths,
                         request->data.n_loops, result->parameters, &law_fit->fit, error));
    law_fit->search = (struct fit_search){
        .varied = &law_fit->varied,
        .n_trials = request->n_trials > 0 ? request->n_trials : DEFAULT_TRIALS,
        .n_residuals = law_fit->fit.n_data,
        .progress = request->progress,
        .scale = law_fit->fit.force_scale,
        .context = &law_fit->fit,
        .evaluate = loop_fit_evaluate,
    };
    return fit_search_check(&law_fit->search, error);
}

/*
 * Parameters that no data can distinguish are so at any point: one is evaluated before the
 * search, away from the defaults.
 */
static enum masing_status assess_first(struct law_fit *law_fit, struct masing_error *error)
{
    enum { MOST_TRIALS = 15 }; /* a start may be refused */
    double unknowns[FIT_MOST_PARAMETERS];
    for (int trial = 1; trial <= MOST_TRIALS; trial += 2) {
        struct masing_identification scratch = {.law = law_fit->request.law};
        struct masing_error reason = {0};
        fit_parameters_start(&law_fit->varied, trial, unknowns);
        enum masing_status status =
            fit_confidence(&law_fit->search, unknowns, &law_fit->redundant, &scratch, &reason);
        masing_identification_clear(&scratch);
        if (status == MASING_OK || progress_is_cancelled(law_fit->request.progress)) {
            return progress_check(law_fit->request.progress, error);
        }
        if (status == MASING_NO_MEMORY) {
            return masing_error_set(error, status, "out of memory");
        }
    }
    law_fit->redundant.index = -1;
    return MASING_OK;
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

/*
 * Parameters with defaults vary too, as far as the data distinguish them from the others;
 * those that have no influence are held at their defaults, one after the other.
 */
static enum masing_status fit_defaults(struct law_fit *law_fit,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    struct fit_search *search = &law_fit->search;
    struct fit_redundant *redundant = &law_fit->redundant;
    bool goes_on = true;
    while (goes_on) {
        NEED(begin(law_fit, result, error));
        bool may_hold = law_fit->request.n_varied == 0 && law_fit->held.n < FIT_MOST_PARAMETERS;
        redundant->index = -1;
        NEED(may_hold ? assess_first(law_fit, error) : MASING_OK);
        if (redundant->index < 0) {
            NEED(fit_search_run(search, error));
            NEED(fit_confidence(search, search->best, redundant, result, error));
            loop_fit_write(&law_fit->fit, search->residuals, result->fitted);
            memcpy(result->parameters, law_fit->fit.parameters, result->law->parameters_size);
            NEED(find_offset(search, &law_fit->has_offset, error));
        }
        goes_on = may_hold && redundant->index >= 0;
        if (goes_on) {
            hold(&law_fit->held, law_fit->varied.list[redundant->index].name,
                 redundant->is_certain);
        }
    }
    return MASING_OK;
}

static bool stands_in(int n, const struct masing_override *assignments, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(assignments[i].path, name) == 0) {
            return true;
        }
    }
    return false;
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
    static const struct fit_held offset = {.n = 1, .names = {OFFSET_NAME}, .is_silent = {true}};
    const struct masing_fit_request *request = &law_fit->request;
    bool is_named = request->n_varied > 0 ||
                    stands_in(request->n_fixed, request->fixed, OFFSET_NAME) ||
                    stands_in(request->n_starts, request->starts, OFFSET_NAME);
    if (!is_named) {
        law_fit->held = offset;
    }
    NEED(fit_defaults(law_fit, result, error));
    if (!is_named && law_fit->has_offset) {
        double without = result->rms;
        law_fit->held.n = 0;
        NEED(fit_defaults(law_fit, result, error));
        if (law_fit->has_past && result->rms > MOST_LEFT * without) {
            law_fit->held = offset;
            NEED(fit_defaults(law_fit, result, error));
        }
    }
    return MASING_OK;
}

/* ---- warnings ---- */

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

/* Neither fitted nor given, nor held as it has no influence beside the others. */
static bool is_left_out(const struct law_fit *law_fit,
                        const struct masing_identification *result, int index)
{
    const struct masing_fit_request *request = &law_fit->request;
    const struct masing_field *field = &request->law->fields[index];
    bool needs_time = fit_unit_has_time(field->unit) && law_fit->lacks_time;
    int held = fit_held_find(&law_fit->held, field->name);
    bool is_known = (held >= 0 && law_fit->held.is_silent[held]) ||
                    stands_in(request->n_fixed, request->fixed, field->name);
    for (int i = 0; i < result->n_estimates; i++) {
        is_known = is_known || strcmp(result->estimates[i].name, field->name) == 0;
    }
    return field->type == MASING_FIELD_REAL && !needs_time && !is_known &&
           may_be_given(request->law, index, result->parameters);
}

static enum masing_status warn(const struct law_fit *law_fit,
                               struct masing_identification *result, struct masing_error *error)
{
    /* Relative misfit that other parameters may explain. */
    static const double NOTABLE_MISFIT = 1e-4;
    const struct masing_fit_request *request = &law_fit->request;
    const struct warning_list warnings = identification_warnings(result);
    bool is_open = request->n_varied == 0 && result->relative_rms > NOTABLE_MISFIT;
    char names[400] = "";
    for (int i = 0; i < request->data.n_loops; i++) {
        const struct measured_path *path = &law_fit->paths[i];
        if (measured_path_has_past(path)) {
            NEED(
                warning_add(&warnings, error,
                            "%s neither closes nor begins at the unloaded joint (force %.3g of "
                            "%.3g N): its past is taken for none",
                            path->source->name, path->f[0], path->largest_force));
        }
    }
    for (int i = 0; i < law_fit->held.n; i++) {
        if (!law_fit->held.is_silent[i]) {
            NEED(warning_add(&warnings, error,
                             "%s was held at its default: the data do not tell it from the "
                             "other numbers",
                             law_fit->held.names[i]));
        }
    }
    for (int i = 0; is_open && i < request->law->n_fields; i++) {
        size_t used = strlen(names);
        if (is_left_out(law_fit, result, i)) {
            snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "",
                     request->law->fields[i].name);
        }
    }
    if (names[0]) {
        NEED(warning_add(&warnings, error,
                         "not fitted: %s; name all numbers to fit with --vary", names));
    }
    return MASING_OK;
}

/* ---- a call ---- */

static void *take_part(const struct law_part *part, const void *parameters)
{
    return memory_copy(part_of(part, parameters), 1, part->law->parameters_size);
}

/* The parameters of each law, in place of those of the sum. */
static enum masing_status take_parts(const struct law_sum *sum,
                                     struct masing_identification *result,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    void *all = result->parameters;
    result->parameters = take_part(&sum->parts[0], all);
    result->added = memory_array((size_t)sum->n_parts - 1, sizeof *result->added);
    TRY_ALLOCATED(result->parameters && result->added);
    for (int i = 1; i < sum->n_parts; i++) {
        void *parameters = take_part(&sum->parts[i], all);
        TRY_ALLOCATED(parameters);
        result->added[result->n_added++] =
            (struct masing_fitted_law){.law = sum->parts[i].law, .parameters = parameters};
    }
    for (int i = 0; i < result->n_estimates; i++) {
        if (strcmp(result->estimates[i].name, OFFSET_NAME) == 0) {
            result->offset = result->estimates[i].value;
        }
    }
done:
    free(all);
    return status;
}

static enum masing_status check_request(const struct masing_fit_request *request,
                                        struct masing_error *error)
{
    NEED(entry_need(request->law, "request.law", error));
    NEED(entry_need_array(request->n_added, request->added, "request.added", error));
    for (int i = 0; i < request->n_added; i++) {
        NEED(entry_need(request->added[i], "request.added", error));
    }
    NEED(identification_check(&request->data, error));
    NEED(entry_need_array(request->n_fixed, request->fixed, "request.fixed", error));
    NEED(entry_need_array(request->n_starts, request->starts, "request.starts", error));
    NEED(entry_need_array(request->n_varied, request->varied, "request.varied", error));
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

static enum masing_status identify(const void *asked, struct masing_identification *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_fit_request *request = asked;
    struct law_fit law_fit = {.request = *request};
    TRY(check_request(request, error));
    TRY(create_sum(request, &law_fit.sum, error));
    law_fit.request.law = &law_fit.sum.law;
    TRY(fit_sum(&law_fit, result, error));
    TRY(warn(&law_fit, result, error));
    TRY(take_parts(&law_fit.sum, result, error));
done:
    result->law = request->law;
    end(&law_fit);
    arena_clear(&law_fit.sum.arena);
    return status;
}

enum masing_status masing_identify_law(const struct masing_fit_request *request,
                                       struct masing_identification *result,
                                       struct masing_error *error)
{
    struct masing_fit_request asked;
    return identification_run(identify, request, &asked, sizeof asked, result, error);
}
