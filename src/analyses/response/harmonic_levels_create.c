/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response/harmonic_levels.h"
#include "analyses/curve/refinement.h"
#include "base/check.h"
#include "base/memory.h"

enum { MOST_LEVELS = 32 };

/* Next level above h: odd, and about a third more. */
static int next_highest(int h)
{
    int more = (int)(0.35 * h);
    return h + (more < 2 ? 2 : more + more % 2);
}

static int least_highest(const struct masing_model *model)
{
    int least = 1;
    for (int l = 0; l < model->spec.n_loads; l++) {
        least = model->loads[l].harmonic > least ? model->loads[l].harmonic : least;
    }
    return least;
}

/* Which unknown of all belongs to each of a level's. */
static enum masing_status fill_map(struct harmonic_level *level, const struct balance *full,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)level->balance->n_unknowns, n_full = (size_t)full->n_unknowns;
    double *own = memory_array(n + 1, sizeof(double)), *all = NULL;
    TRY_ALLOCATED(own);
    all = memory_array(n_full + 1, sizeof(double));
    TRY_ALLOCATED(all);
    for (size_t i = 0; i < n; i++) {
        own[i] = (double)(i + 1);
        level->map[i] = -1;
    }
    refinement_pad(level->balance, own, full, all);
    for (size_t i = 0; i < n_full; i++) {
        if (all[i] > 0.0) {
            level->map[(int)all[i] - 1] = (int)i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (level->map[i] < 0) {
            TRY(masing_error_set(error, MASING_UNSUPPORTED,
                                 "harmonics: auto: the unknowns with harmonics up to %d are no "
                                 "part of those with all",
                                 level->highest));
        }
    }
done:
    free(own);
    free(all);
    return status;
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

static enum masing_status create_solver(struct harmonic_level *level,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &level->model.spec;
    struct continuation_problem problem = balance_problem(level->balance);
    problem.weights = weigh;
    TRY(point_solver_create(&problem, spec->solver.tolerance, &level->solver, error));
    level->solver->lambda_scale = fabs(spec->omega_to - spec->omega_from);
done:
    return status;
}

static enum masing_status create_level(struct harmonic_level *level, struct balance *full,
                                       int n_threads, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance_settings settings = {.n_threads = n_threads};
    const struct masing_model *model = full->model;
    TRY(refinement_model(model, level->highest, model->spec.n_samples, &level->model, error));
    TRY(balance_create(&level->model, &settings, &level->balance, error));
    memcpy(level->balance->origin, full->origin, sizeof(double) * (size_t)full->n_axes);
    size_t n = (size_t)level->balance->n_unknowns;
    level->map = memory_array(n, sizeof(int));
    level->y = memory_array(3 * n, sizeof(double));
    level->jacobian = memory_array(n * n, sizeof(double));
    TRY_ALLOCATED(level->map && level->y && level->jacobian);
    level->residual = level->y + n;
    level->by_omega = level->residual + n;
    TRY(fill_map(level, full, error));
    TRY(create_solver(level, error));
done:
    return status;
}

static void destroy_level(struct harmonic_level *level)
{
    balance_destroy(level->balance);
    free(level->model.spec.harmonics);
    free(level->map);
    point_solver_destroy(level->solver);
    free(level->y);
    free(level->jacobian);
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
    made->full = full;
    made->recovery = recovery;
    made->tolerance = spec->harmonics_tolerance;
    made->error = NAN;
    made->levels = memory_array(MOST_LEVELS, sizeof *made->levels);
    made->is_mapped = memory_array(n, sizeof(bool));
    made->trial = memory_array(2 * n, sizeof(double));
    made->measures = memory_array(3 * n_outputs, sizeof(double));
    TRY_ALLOCATED(made->levels && made->is_mapped && made->trial && made->measures);
    made->solved = made->trial + n;
    made->changed = made->measures + n_outputs;
    made->largest = made->changed + n_outputs;
    for (int h = least_highest(full->model); made->n_levels < MOST_LEVELS;
         h = next_highest(h)) {
        struct harmonic_level *level = &made->levels[made->n_levels++];
        level->highest = h < most && made->n_levels < MOST_LEVELS ? h : most;
        TRY(create_level(level, full, n_threads, error));
        if (level->highest == most) {
            break;
        }
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
        destroy_level(&levels->levels[l]);
    }
    free(levels->levels);
    free(levels->is_mapped);
    free(levels->trial);
    free(levels->measures);
    free(levels);
}
