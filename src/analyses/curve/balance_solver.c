/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/balance_solver.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

static enum masing_status evaluate(void *context, const double *y, double omega,
                                   double *residual, double *jacobian, double *residual_omega)
{
    return omega > 0.0 ? balance_evaluate(context, BALANCE_LAWS, y, omega, residual, jacobian,
                                          residual_omega)
                       : MASING_NOT_FINITE;
}

static void weigh(void *context, const double *y, double omega, double *weight)
{
    (void)omega;
    balance_weights(context, y, weight);
}

struct continuation_problem balance_problem(struct balance *balance)
{
    return (struct continuation_problem){
        .context = balance, .n = balance->n_unknowns, .evaluate = evaluate, .weights = weigh};
}

enum masing_status balance_solver_create(struct balance *balance, double tolerance,
                                         struct point_solver **solver,
                                         struct masing_error *error)
{
    const struct continuation_problem problem = balance_problem(balance);
    return point_solver_create(&problem, tolerance, solver, error);
}

/* ---- refinement ---- */

/* As the model file's limits, and unknowns of a dense Jacobian that is worth its time. */
enum { MOST_SAMPLES = 65536, MOST_UNKNOWNS = 6000 };

enum masing_status refinement_model(const struct masing_model *model, int highest,
                                    int n_samples, struct masing_model *copy,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *copy = *model;
    copy->spec.n_harmonics = highest + 1;
    copy->spec.n_samples = n_samples;
    copy->spec.harmonics = memory_array((size_t)highest + 1, sizeof(int));
    TRY_ALLOCATED(copy->spec.harmonics);
    while (copy->spec.n_samples < 4 * highest) {
        copy->spec.n_samples *= 2;
    }
    for (int h = 0; h <= highest; h++) {
        copy->spec.harmonics[h] = h;
    }
done:
    return status;
}

static enum masing_status set_harmonics(struct refinement *made,
                                        const struct masing_model *model,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    int highest = 2 * spec->harmonics[spec->n_harmonics - 1] + 1;
    TRY(refinement_model(model, highest, 2 * spec->n_samples, &made->model, error));
    if (made->model.spec.n_samples > MOST_SAMPLES ||
        (2.0 * highest + 1.0) * (model->n_axes + 1) > MOST_UNKNOWNS) {
        status = MASING_STOPPED;
    }
done:
    return status;
}

enum masing_status refinement_create(const struct masing_model *model,
                                     const struct balance_settings *settings,
                                     struct refinement **refinement, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct refinement *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    TRY(set_harmonics(made, model, error));
    TRY(balance_create(&made->model, settings, &made->balance, error));
    TRY(recovery_create(made->balance, &made->recovery, error));
    TRY(balance_solver_create(made->balance, model->spec.solver.tolerance, &made->solver,
                              error));
    *refinement = made;
    made = NULL;
done:
    refinement_destroy(made);
    return status;
}

void refinement_destroy(struct refinement *refinement)
{
    if (refinement) {
        point_solver_destroy(refinement->solver);
        recovery_destroy(refinement->recovery);
        balance_destroy(refinement->balance);
        free(refinement->model.spec.harmonics);
        free(refinement);
    }
}

/* Coefficient c of the coarse basis in the fine one, whose harmonics are all from 0. */
static int position_of(const struct basis *coarse, int c)
{
    int k = 0;
    while (k + 1 < coarse->n_harmonics && coarse->position[k + 1] <= c) {
        k++;
    }
    int h = coarse->harmonics[k];
    return (h > 0 ? 2 * h - 1 : 0) + c - coarse->position[k];
}

static void pad_modes(const struct balance *coarse, const double *y, const struct balance *fine,
                      double *out)
{
    for (int e = 0; e < coarse->n_modes; e++) {
        const struct balance_mode *from = &coarse->modes[e];
        int h = coarse->basis->harmonics[from->harmonic_index];
        for (int i = 0; i < fine->n_modes; i++) {
            const struct balance_mode *to = &fine->modes[i];
            if (to->mode == from->mode && fine->basis->harmonics[to->harmonic_index] == h) {
                memcpy(out + to->position, y + from->position,
                       sizeof(double) * (h > 0 ? 2u : 1u));
            }
        }
    }
}

static void pad_observed(const struct balance *coarse, const double *y,
                         const struct balance *fine, double *out)
{
    int from = coarse->observed_position;
    for (int e = 0; e < coarse->n_observed; e++) {
        int h = coarse->basis->harmonics[coarse->observed[e]], n_sides = h > 0 ? 2 : 1;
        int to = fine->observed_position;
        for (int i = 0; i < fine->n_observed; i++) {
            int other = fine->basis->harmonics[fine->observed[i]];
            if (other == h) {
                memcpy(out + to, y + from, sizeof(double) * (size_t)n_sides);
            }
            to += other > 0 ? 2 : 1;
        }
        from += n_sides;
    }
}

void refinement_pad(const struct balance *coarse, const double *y, const struct balance *fine,
                    double *out)
{
    size_t n_axes = (size_t)fine->n_axes;
    memset(out, 0, sizeof(double) * (size_t)fine->n_unknowns);
    for (int c = 0; c < coarse->n_coefficients; c++) {
        memcpy(out + (size_t)position_of(coarse->basis, c) * n_axes, y + (size_t)c * n_axes,
               sizeof(double) * n_axes);
    }
    pad_observed(coarse, y, fine, out);
    pad_modes(coarse, y, fine, out);
    out[fine->n_unknowns] = y[coarse->n_unknowns];
}

void refinement_start(struct refinement *refinement, const struct point_solver *coarse)
{
    struct balance *fine = refinement->balance;
    const struct balance *before = coarse->problem.context;
    refinement_pad(before, coarse->point, fine, refinement->solver->point);
    memcpy(fine->origin, before->origin, sizeof(double) * (size_t)fine->n_axes);
    fine->has_last = false;
}

enum masing_status refinement_follow_tangent(struct refinement *refinement,
                                             struct point_solver *coarse)
{
    point_solver_fix_lambda(coarse);
    enum masing_status status = point_solver_differentiate(coarse);
    if (status == MASING_OK) {
        refinement_pad(coarse->problem.context, coarse->tangent, refinement->balance,
                       refinement->solver->tangent);
        point_solver_follow_tangent(refinement->solver);
    }
    return status;
}
