/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What more harmonics would change is known to first order from one Newton step of the next
 * level: it contains the forces in the harmonics that are left out, how the structure answers
 * to them, and what that does to the others, near a resonance too.
 */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum { MOST_LEVELS = 32 };

/* Fewer harmonics are tried again after so many points. */
enum { POINTS_BETWEEN_TRIALS = 4 };

/* More harmonics are taken above this part of the tolerance, since the estimate covers the
 * next level only. */
static const double RAISE_ABOVE = 0.5;

/* Fewer harmonics are taken where the estimate is below the first part of the tolerance and
 * the change that they make below the second. */
static const double LOWER_BELOW = 0.1, LOWER_CHANGE = 0.25;

/* An output is judged by its size, but no less than by this part of its largest. */
static const double LEAST_OUTPUT = 0.01;

/* A solution that changes an output by more than this part, and by more than so many times what
 * was expected, belongs to another branch. */
static const double LARGEST_CHANGE = 0.3, LARGEST_EXCESS = 3.0;

int harmonic_levels_highest(const struct harmonic_levels *levels)
{
    return levels->levels[levels->active].highest;
}

static void gather(const struct harmonic_level *level, const double *y)
{
    for (int i = 0; i < level->balance->n_unknowns; i++) {
        level->y[i] = y[level->map[i]];
    }
}

/* Factor of the row of an unknown that is zero: such rows are as large as those of the balance.
 */
static double zero_row_factor(const struct balance *full, int unknown)
{
    int place = unknown / full->n_axes, k = 0; /* coefficient of the joints' displacements */
    if (unknown >= full->n_coefficients * full->n_axes) {
        return 1.0;
    }
    while (k + 1 < full->basis->n_harmonics && full->basis->position[k + 1] <= place) {
        k++;
    }
    return full->row_factor[k * full->n_out + unknown % full->n_axes];
}

enum masing_status harmonic_levels_evaluate(struct harmonic_levels *levels, const double *y,
                                            double omega, double *residual, double *jacobian,
                                            double *residual_omega)
{
    struct harmonic_level *level = &levels->levels[levels->active];
    size_t n = (size_t)level->balance->n_unknowns, n_full = (size_t)levels->full->n_unknowns;
    gather(level, y);
    NEED(balance_evaluate(level->balance, BALANCE_LAWS, level->y, omega, level->residual,
                          jacobian ? level->jacobian : NULL,
                          jacobian ? level->by_omega : NULL));
    memset(levels->is_mapped, 0, sizeof(bool) * n_full);
    for (size_t i = 0; i < n; i++) {
        levels->is_mapped[level->map[i]] = true;
        residual[level->map[i]] = level->residual[i];
    }
    if (jacobian) {
        memset(jacobian, 0, sizeof(double) * n_full * n_full);
        memset(residual_omega, 0, sizeof(double) * n_full);
    }
    for (size_t j = 0; jacobian && j < n; j++) {
        double *column = jacobian + (size_t)level->map[j] * n_full;
        for (size_t i = 0; i < n; i++) {
            column[level->map[i]] = level->jacobian[j * n + i];
        }
        residual_omega[level->map[j]] = level->by_omega[j];
    }
    for (size_t i = 0; i < n_full; i++) {
        if (!levels->is_mapped[i]) {
            double factor = zero_row_factor(levels->full, (int)i);
            residual[i] = factor * y[i];
            if (jacobian) {
                jacobian[i * n_full + i] = factor;
            }
        }
    }
    return MASING_OK;
}

/* Unknowns that the active level does not have, in rows of their own. */
static void put_zero_rows(struct harmonic_levels *levels, const double *x, bool is_divided,
                          double *rows)
{
    const struct harmonic_level *level = &levels->levels[levels->active];
    size_t n = (size_t)level->balance->n_unknowns, n_full = (size_t)levels->full->n_unknowns;
    memset(levels->is_mapped, 0, sizeof(bool) * n_full);
    for (size_t i = 0; i < n; i++) {
        levels->is_mapped[level->map[i]] = true;
    }
    for (size_t i = 0; i < n_full; i++) {
        if (!levels->is_mapped[i]) {
            double factor = zero_row_factor(levels->full, (int)i);
            rows[i] = is_divided ? x[i] / factor : factor * x[i];
        }
    }
}

static void scatter(const struct harmonic_level *level, const double *from, double *to)
{
    for (int i = 0; i < level->balance->n_unknowns; i++) {
        to[level->map[i]] = from[i];
    }
}

enum masing_status harmonic_levels_linearize(struct harmonic_levels *levels, const double *y,
                                             double omega, double *residual,
                                             double *residual_omega)
{
    struct harmonic_level *level = &levels->levels[levels->active];
    gather(level, y);
    NEED(balance_linearize(level->balance, BALANCE_LAWS, level->y, omega, level->residual,
                           level->by_omega));
    memset(residual_omega, 0, sizeof(double) * (size_t)levels->full->n_unknowns);
    put_zero_rows(levels, y, false, residual);
    scatter(level, level->residual, residual);
    scatter(level, level->by_omega, residual_omega);
    return MASING_OK;
}

enum masing_status harmonic_levels_apply(struct harmonic_levels *levels, bool is_near,
                                         const double *x, double *product)
{
    struct harmonic_level *level = &levels->levels[levels->active];
    gather(level, x);
    NEED(is_near ? balance_apply_near(level->balance, level->y, level->residual)
                 : balance_apply(level->balance, level->y, level->residual));
    put_zero_rows(levels, x, false, product);
    scatter(level, level->residual, product);
    return MASING_OK;
}

enum masing_status harmonic_levels_precondition(struct harmonic_levels *levels, double *x)
{
    struct harmonic_level *level = &levels->levels[levels->active];
    gather(level, x);
    NEED(balance_precondition(level->balance, level->y));
    put_zero_rows(levels, x, true, x);
    scatter(level, level->y, x);
    return MASING_OK;
}

enum masing_status harmonic_levels_renew(struct harmonic_levels *levels, bool is_first)
{
    for (int l = 0; is_first && l < levels->n_levels; l++) {
        NEED(balance_renew(levels->levels[l].balance, true));
    }
    return is_first ? MASING_OK : balance_renew(levels->levels[levels->active].balance, false);
}

double harmonic_levels_renewal_cost(const struct harmonic_levels *levels)
{
    return balance_renewal_cost(levels->levels[levels->active].balance);
}

long harmonic_levels_linearisation(const struct harmonic_levels *levels)
{
    const struct harmonic_level *level = &levels->levels[levels->active];
    return MOST_LEVELS * balance_linearisations(level->balance) + levels->active;
}

void harmonic_levels_smooth(struct harmonic_levels *levels, double level)
{
    for (int l = 0; l < levels->n_levels; l++) {
        balance_smooth(levels->levels[l].balance, level);
    }
}

void harmonic_levels_weigh(struct harmonic_levels *levels, const double *y)
{
    struct harmonic_level *level = &levels->levels[levels->active];
    gather(level, y);
    balance_weights(level->balance, level->y, level->residual);
}

/* A level's guess at trial, of which it keeps its harmonics only, and the line across the curve
 * on which it looks for a solution. */
static void begin_level(const struct harmonic_levels *levels,
                        const struct harmonic_level *level)
{
    const struct harmonic_levels_point *line = &levels->line;
    struct point_solver *solver = level->solver;
    int n = solver->n;
    bool is_moving = false;
    for (int i = 0; i < n; i++) {
        solver->point[i] = levels->trial[level->map[i]];
        is_moving = is_moving || solver->point[i] != 0.0;
    }
    solver->point[n] = levels->trial_omega;
    if (!line->dy || !is_moving) {
        point_solver_fix_lambda(solver);
        return;
    }
    for (int i = 0; i < n; i++) {
        solver->tangent[i] = line->dy[level->map[i]];
    }
    solver->tangent[n] = line->domega;
    point_solver_follow_tangent(solver);
}

/* What the level has found becomes trial. */
static void end_level(struct harmonic_levels *levels, const struct harmonic_level *level)
{
    const struct point_solver *solver = level->solver;
    memset(levels->trial, 0, sizeof(double) * (size_t)levels->full->n_unknowns);
    for (int i = 0; i < solver->n; i++) {
        levels->trial[level->map[i]] = solver->point[i];
    }
    levels->trial_omega = solver->point[solver->n];
}

/* Measures of trial, as a level sees them. */
static enum masing_status measure(struct harmonic_levels *levels, int index, double *values)
{
    enum masing_status status = MASING_OK;
    balance_limit_harmonics(levels->full, levels->levels[index].highest);
    TRY(recovery_evaluate(levels->recovery, levels->trial, levels->trial_omega));
    recovery_measure_outputs(levels->recovery, values);
done:
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
    return status;
}

/* Largest change of an output's measure from measures to changed. */
static double change(const struct harmonic_levels *levels)
{
    double worst = 0.0;
    for (int o = 0; o < levels->full->model->spec.n_outputs; o++) {
        double size = fmax(levels->changed[o], LEAST_OUTPUT * levels->largest[o]);
        double difference = fabs(levels->changed[o] - levels->measures[o]);
        worst = size > 0.0 ? fmax(worst, difference / size) : worst;
    }
    return worst;
}

static void begin_trial(struct harmonic_levels *levels, const double *y, double omega)
{
    memmove(levels->trial, y, sizeof(double) * (size_t)levels->full->n_unknowns);
    levels->trial_omega = omega;
}

static void take_trial(struct harmonic_levels *levels)
{
    memcpy(levels->solved, levels->trial, sizeof(double) * (size_t)levels->full->n_unknowns);
    levels->solved_omega = levels->trial_omega;
}

/* The active level's solution near trial, in its place; with its measures, which are expected
 * to change. */
static enum masing_status solve(struct harmonic_levels *levels, double expected)
{
    const struct harmonic_level *level = &levels->levels[levels->active];
    begin_level(levels, level);
    NEED(point_solver_solve(level->solver, 0.0));
    end_level(levels, level);
    NEED(measure(levels, levels->active, levels->changed));
    return change(levels) < fmax(LARGEST_CHANGE, LARGEST_EXCESS * expected)
               ? MASING_OK
               : MASING_NOT_CONVERGED;
}

/* Change of the outputs by one step of another level from the solution. */
static enum masing_status estimate(struct harmonic_levels *levels, int index, double *error)
{
    const struct harmonic_level *level = &levels->levels[index];
    begin_trial(levels, levels->solved, levels->solved_omega);
    begin_level(levels, level);
    NEED(point_solver_step(level->solver));
    end_level(levels, level);
    NEED(measure(levels, index, levels->changed));
    *error = change(levels);
    return MASING_OK;
}

static void note(struct harmonic_levels *levels, double error)
{
    int highest = harmonic_levels_highest(levels);
    levels->error = error;
    if (levels->lowest_used == 0 || highest < levels->lowest_used) {
        levels->lowest_used = highest;
    }
    levels->highest_used = highest > levels->highest_used ? highest : levels->highest_used;
    for (int o = 0; o < levels->full->model->spec.n_outputs; o++) {
        levels->largest[o] = fmax(levels->largest[o], levels->measures[o]);
    }
    if (error > levels->tolerance && error > levels->worst_error) {
        levels->worst_error = error;
        levels->worst_omega = levels->solved_omega;
    }
}

/* The point as the active level has it: behind a mark it was solved with the level before. */
static enum masing_status begin_point(struct harmonic_levels *levels,
                                      const struct harmonic_levels_point *point)
{
    levels->line = *point;
    begin_trial(levels, point->y, point->omega);
    take_trial(levels);
    NEED(measure(levels, levels->active, levels->measures));
    if (levels->is_stale && solve(levels, levels->tolerance) == MASING_OK) {
        take_trial(levels);
        memcpy(levels->measures, levels->changed,
               sizeof(double) * (size_t)levels->full->model->spec.n_outputs);
    }
    return MASING_OK;
}

enum masing_status harmonic_levels_raise(struct harmonic_levels *levels,
                                         const struct harmonic_levels_point *point)
{
    size_t n_outputs = (size_t)levels->full->model->spec.n_outputs;
    double error = NAN;
    int before = levels->active;
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
    NEED(begin_point(levels, point));
    while (levels->active + 1 < levels->n_levels) {
        error = NAN;
        if (estimate(levels, levels->active + 1, &error) != MASING_OK ||
            error <= RAISE_ABOVE * levels->tolerance) {
            break;
        }
        levels->active++;
        levels->wait = POINTS_BETWEEN_TRIALS;
        if (solve(levels, error) != MASING_OK) {
            levels->active--;
            break; /* nothing close by: the point stays as it is */
        }
        take_trial(levels);
        memcpy(levels->measures, levels->changed, sizeof(double) * n_outputs);
        error = NAN;
    }
    /* nothing lies above the top level: what the one below lacks must do */
    double below = 0.0;
    if (levels->active + 1 == levels->n_levels && levels->active > 0 && !levels->is_exhausted &&
        estimate(levels, levels->active - 1, &below) == MASING_OK &&
        below > levels->tolerance) {
        levels->is_exhausted = true;
        levels->exhausted_omega = levels->solved_omega;
    }
    note(levels, error);
    levels->has_moved = levels->is_stale || levels->active != before;
    levels->is_stale = levels->has_moved;
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
    return MASING_OK;
}

/* Change of an output by which a harmonic is in resonance. */
static const double RESONANT_CHANGE = 0.01;

bool harmonic_levels_look(struct harmonic_levels *levels, const double *y, double omega)
{
    int top = levels->n_levels - 1, before = levels->active;
    double error = 0.0;
    levels->line = (struct harmonic_levels_point){.y = y, .omega = omega};
    begin_trial(levels, y, omega);
    take_trial(levels);
    if (before == top || measure(levels, before, levels->measures) != MASING_OK ||
        estimate(levels, top, &error) != MASING_OK || error <= RESONANT_CHANGE) {
        return false;
    }
    for (int l = before + 1; levels->active == before; l++) {
        bool is_found =
            l == top || (estimate(levels, l, &error) == MASING_OK && error > RESONANT_CHANGE);
        levels->active = is_found ? l : before;
    }
    levels->wait = POINTS_BETWEEN_TRIALS;
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
    return true;
}

/* The solution of one level less, which takes the place of that with all: a step that is
 * shorter than the way between the two could not be told from one that leads astray. */
static bool descend(struct harmonic_levels *levels)
{
    const struct masing_spec *spec = &levels->full->model->spec;
    double error = INFINITY;
    if (estimate(levels, levels->active - 1, &error) != MASING_OK ||
        error >= LOWER_CHANGE * levels->tolerance) {
        return false;
    }
    levels->active--;
    bool is_found = solve(levels, levels->tolerance) == MASING_OK;
    double omega = levels->trial_omega;
    is_found = is_found && (omega == levels->solved_omega ||
                            (omega - spec->omega_from) * (omega - spec->omega_to) < 0.0);
    levels->active += !is_found;
    return is_found;
}

void harmonic_levels_lower(struct harmonic_levels *levels)
{
    bool is_top = levels->active + 1 == levels->n_levels;
    levels->is_stale = false;
    if (levels->wait-- > 0 || levels->active == 0 ||
        !(is_top || levels->error < LOWER_BELOW * levels->tolerance)) {
        return;
    }
    levels->wait = POINTS_BETWEEN_TRIALS;
    if (descend(levels)) {
        take_trial(levels);
        levels->has_moved = true;
        levels->wait = 1;
    }
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
}

static void pack_doubles(struct packing *packing, double *values, int n)
{
    packing_bytes(packing, values, (size_t)n * sizeof *values);
}

void harmonic_levels_pack(struct harmonic_levels *levels, struct packing *packing)
{
    for (int l = 0; l < levels->n_levels; l++) {
        balance_pack(levels->levels[l].balance, packing);
    }
    pack_doubles(packing, levels->solved, levels->full->n_unknowns);
    pack_doubles(packing, levels->largest, levels->full->model->spec.n_outputs);
    PACK(packing, levels->solved_omega);
    PACK(packing, levels->active);
    PACK(packing, levels->is_stale);
    PACK(packing, levels->has_moved);
    PACK(packing, levels->wait);
    PACK(packing, levels->error);
    PACK(packing, levels->lowest_used);
    PACK(packing, levels->highest_used);
    PACK(packing, levels->worst_error);
    PACK(packing, levels->worst_omega);
    PACK(packing, levels->is_exhausted);
    PACK(packing, levels->exhausted_omega);
    if (packing->is_taking) {
        balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
    }
}

void harmonic_levels_adopt(struct harmonic_levels *levels, const double *y)
{
    bool has_all = false;
    for (levels->active = 0; !has_all && levels->active + 1 < levels->n_levels;) {
        const struct harmonic_level *level = &levels->levels[levels->active];
        int n_moving = 0, n_kept = 0;
        for (int i = 0; i < levels->full->n_unknowns; i++) {
            n_moving += y[i] != 0.0;
        }
        for (int i = 0; i < level->balance->n_unknowns; i++) {
            n_kept += y[level->map[i]] != 0.0;
        }
        has_all = n_kept == n_moving;
        levels->active += !has_all;
    }
    balance_limit_harmonics(levels->full, harmonic_levels_highest(levels));
}

/* ---- levels, made and destroyed ---- */

/* Which unknown of all belongs to each of a level's. */
static enum masing_status fill_map(struct harmonic_level *level, const struct balance *full,
                                   struct arena *arena, struct masing_error *error)
{
    size_t n = (size_t)level->balance->n_unknowns, n_full = (size_t)full->n_unknowns;
    double *own = arena_doubles(arena, n + 1), *all = arena_doubles(arena, n_full + 1);
    size_t n_found = 0;
    NEED_ALLOCATED(own && all);
    for (size_t i = 0; i < n; i++) {
        own[i] = (double)(i + 1);
    }
    refinement_pad(level->balance, own, full, all);
    for (size_t i = 0; i < n_full; i++) {
        if (all[i] > 0.0) {
            level->map[(int)all[i] - 1] = (int)i;
            n_found++;
        }
    }
    if (n_found < n) {
        return masing_error_set(
            error, MASING_UNSUPPORTED,
            "harmonics: auto: the unknowns with harmonics up to %d are no part "
            "of those with all",
            level->highest);
    }
    return MASING_OK;
}

/* All unknowns in parts of the whole motion. */
static void weigh(void *context, const double *y, double omega, double *weight)
{
    const struct balance *balance = context;
    double square = 0.0;
    (void)omega;
    for (int i = 0; i < balance->n_unknowns; i++) {
        square += y[i] * y[i];
    }
    for (int i = 0; i < balance->n_unknowns; i++) {
        weight[i] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    }
}

static enum masing_status create_level(struct harmonic_level *level, struct balance *full,
                                       int n_threads, struct arena *arena,
                                       struct masing_error *error)
{
    bool is_iterative = !full->compliance->has_matrices;
    const struct balance_settings settings = {
        .n_threads = n_threads, .is_matrix_free = is_iterative, .progress = full->progress};
    const struct masing_model *model = full->model;
    NEED(refinement_model(model, level->highest, model->spec.n_samples, &level->model, error));
    NEED(balance_create(&level->model, &settings, &level->balance, error));
    NEED(is_iterative ? balance_operator_create(level->balance, error) : MASING_OK);
    memcpy(level->balance->origin, full->origin, sizeof(double) * (size_t)full->n_axes);
    size_t n = (size_t)level->balance->n_unknowns;
    level->map = arena_array(arena, n, sizeof(int));
    level->y = arena_doubles(arena, n);
    level->residual = arena_doubles(arena, n);
    level->by_omega = arena_doubles(arena, n);
    level->jacobian = is_iterative ? NULL : arena_doubles(arena, n * n);
    NEED_ALLOCATED(!arena->has_failed);
    NEED(fill_map(level, full, arena, error));
    struct continuation_problem problem = balance_problem(level->balance);
    problem.weights = weigh;
    NEED(point_solver_create(&problem, model->spec.solver.tolerance, &level->solver, error));
    level->solver->lambda_scale = fabs(model->spec.omega_to - model->spec.omega_from);
    return MASING_OK;
}

enum masing_status harmonic_levels_create(struct balance *full, struct recovery *recovery,
                                          int n_threads, struct harmonic_levels **levels,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &full->model->spec;
    int most = spec->harmonics[spec->n_harmonics - 1];
    size_t n = (size_t)full->n_unknowns, n_outputs = (size_t)spec->n_outputs;
    struct harmonic_levels *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    if (spec->start == MASING_START_PREVIOUS) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "harmonics: auto does not go with start: previous, where sliders "
                             "are carried along the curve; give a number of harmonics"));
    }
    made->full = full;
    made->recovery = recovery;
    made->tolerance = spec->harmonics_tolerance;
    made->error = NAN;
    struct arena *arena = &made->arena;
    made->levels = arena_array(arena, MOST_LEVELS, sizeof *made->levels);
    made->is_mapped = arena_array(arena, n, sizeof(bool));
    made->trial = arena_doubles(arena, n);
    made->solved = arena_doubles(arena, n);
    made->measures = arena_doubles(arena, n_outputs);
    made->changed = arena_doubles(arena, n_outputs);
    made->largest = arena_doubles(arena, n_outputs);
    TRY_ALLOCATED(!arena->has_failed);
    int h = 1;
    for (int l = 0; l < spec->n_loads; l++) {
        h = full->model->loads[l].harmonic > h ? full->model->loads[l].harmonic : h;
    }
    for (bool is_top = false; !is_top;) {
        struct harmonic_level *level = &made->levels[made->n_levels++];
        is_top = h >= most || made->n_levels == MOST_LEVELS;
        level->highest = is_top ? most : h;
        TRY(create_level(level, full, n_threads, arena, error));
        int more = (int)(0.35 * h); /* the next is odd, and about a third more */
        h += more < 2 ? 2 : more + more % 2;
    }
    *levels = made;
    made = NULL;
done:
    harmonic_levels_destroy(made);
    return status;
}

void harmonic_levels_destroy(struct harmonic_levels *levels)
{
    if (!levels) {
        return;
    }
    for (int l = 0; l < levels->n_levels; l++) {
        struct harmonic_level *level = &levels->levels[l];
        balance_destroy(level->balance);
        free(level->model.spec.harmonics);
        point_solver_destroy(level->solver);
    }
    arena_clear(&levels->arena);
    free(levels);
}
