/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/floquet.h"

#include <string.h>

#include "base/check.h"
#include "base/pi.h"

/* A solution at the steps of a period. */
struct solution {
    const struct balance *balance;
    double *functions; /* [n_c] of the basis at the place */
    double omega;
    int n_steps;
};

/* Displacement and velocity of one axis, given by its coefficients; functions [n_c]. */
static void axis_motion(const struct solution *solution, const double *c, double *x, double *v)
{
    const struct basis *basis = solution->balance->basis;
    *x = *v = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *part = c + basis->position[k];
        const double *wave = solution->functions + basis->position[k];
        *x += part[0] * wave[0] + (h > 0 ? part[1] * wave[1] : 0.0);
        *v += h > 0 ? solution->omega * h * (part[1] * wave[0] - part[0] * wave[1]) : 0.0;
    }
}

static void motion_at(const void *context, double step, double *x, double *v)
{
    const struct solution *solution = context;
    const struct balance *balance = solution->balance;
    size_t n_c = (size_t)balance->n_coefficients;
    basis_functions(balance->basis, TWO_PI * step / solution->n_steps, solution->functions);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        int first = response->joint->first_axis;
        for (int a = 0; a < response->n_axes; a++) {
            axis_motion(solution, response->x + (size_t)a * n_c, &x[first + a], &v[first + a]);
        }
    }
}

enum masing_status floquet_create(const struct balance *balance, int n_modes, int most_states,
                                  struct arena *arena, struct floquet **floquet,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct floquet *made = arena_array(arena, 1, sizeof *made);
    TRY_ALLOCATED(made);
    made->functions = arena_doubles(arena, (size_t)balance->n_coefficients);
    TRY_ALLOCATED(made->functions);
    TRY(variation_create(balance->model, n_modes, most_states, arena, &made->variation, error));
    *floquet = made;
done:
    return status;
}

/* States at the beginning of the period: where the balance found them, or, for laws that are
 * steady after so many periods, by following the motion from rest. */
static enum masing_status settle(struct variation *variation, const struct balance *balance,
                                 const struct variation_motion *motion)
{
    int n_periods = 0;
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        const struct masing_family *family = joint->law->family;
        const struct joint_response *response = balance->joints[j];
        if (response->state && family->settling_periods < 0) {
            memcpy(variation->state[j], response->state, variation->size[j] * sizeof(double));
        } else if (variation->size[j] > 0) {
            masing_law_rest(joint->law, joint->parameters, balance->origin + joint->first_axis,
                            variation->state[j]);
            n_periods =
                family->settling_periods > n_periods ? family->settling_periods : n_periods;
        }
    }
    enum masing_status status = MASING_OK;
    for (int i = 0; n_periods > 0 && i <= n_periods * motion->n_steps && status == MASING_OK;
         i++) {
        status = progress_is_cancelled(motion->progress)
                     ? MASING_NOT_FINITE
                     : variation_move(variation, motion, i, true);
    }
    return status;
}

enum masing_status floquet_evaluate(struct floquet *floquet, const struct balance *balance,
                                    double omega, int n_steps)
{
    const struct solution solution = {balance, floquet->functions, omega, n_steps};
    const struct variation_motion motion = {.context = &solution,
                                            .place = motion_at,
                                            .time_step = TWO_PI / (omega * n_steps),
                                            .n_steps = n_steps,
                                            .progress = balance->progress};
    enum masing_status status = settle(floquet->variation, balance, &motion);
    floquet->variation->holds_memories = false;
    status = status == MASING_OK ? variation_follow(floquet->variation, &motion) : status;
    if (status == MASING_NOT_CONVERGED) {
        /* loops within loops of the same size: rounding decides how many are remembered, and
         * none of them matters to what comes */
        status = settle(floquet->variation, balance, &motion);
        floquet->variation->holds_memories = true;
        status = status == MASING_OK ? variation_follow(floquet->variation, &motion) : status;
    }
    return status;
}
