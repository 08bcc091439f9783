/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/restart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/recovery/modal_motion.h"
#include "transient/periodic/periodic.h"
#include "transient/start.h"

enum { MOST_CYCLES = 200 };
/* Distance from the periodic motion, relative: aimed at, and good enough for a guess. */
static const double AIM = 1e-4, ENOUGH = 1e-2;

/* One integration under way. */
struct run {
    struct curve_restart *restart;
    struct integrator *integrator;
    double *modal;    /* [n_coefficients][n_modes] where the integration starts */
    double *residual; /* [n] scratch */
    double *guess;
};

static bool is_cancelled(void *context, int cycles, double distance)
{
    const struct run *run = context;
    const struct masing_progress *progress = run->restart->progress;
    (void)cycles;
    (void)distance;
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context);
}

/* Weights of the integrator's present time in the coefficients a and b of a harmonic. */
static void weights_now(const struct integrator *integrator, int harmonic, double weights[2])
{
    int n = integrator->n_steps, at = (int)((long long)harmonic * integrator->phase % n);
    double part = (harmonic == 0 ? 1.0 : 2.0) / n;
    weights[0] = part * integrator->forcing->cosines[at];
    weights[1] = part * integrator->forcing->sines[at];
}

/* Add the present motion to the guess' joints and modes. */
static void add_motion(struct run *run)
{
    const struct balance *balance = run->restart->balance;
    const struct basis *basis = balance->basis;
    const struct integrator *integrator = run->integrator;
    double weights[2];
    for (int k = 0; k < basis->n_harmonics; k++) {
        int n_sides = basis->harmonics[k] == 0 ? 1 : 2;
        weights_now(integrator, basis->harmonics[k], weights);
        for (int side = 0; side < n_sides; side++) {
            double *w = run->guess + (basis->position[k] + side) * balance->n_axes;
            for (int a = 0; a < balance->n_axes; a++) {
                w[a] += weights[side] * integrator->joints->x[a];
            }
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int harmonic = basis->harmonics[mode->harmonic_index];
        weights_now(integrator, harmonic, weights);
        for (int side = 0; side < (harmonic == 0 ? 1 : 2); side++) {
            run->guess[mode->position + side] +=
                weights[side] * integrator->modal->q[mode->mode];
        }
    }
}

static void tell(const struct curve_restart *restart, double lambda,
                 const struct periodic_result *settled)
{
    char line[128];
    const struct masing_progress *progress = restart->progress;
    if (!progress || !progress->log) {
        return;
    }
    snprintf(line, sizeof line,
             "at %.10g%s, by time integration: %s after %d cycles (within about %.2g)",
             lambda / restart->unit, restart->unit_name,
             settled->is_steady ? "periodic" : "not periodic", settled->cycles,
             settled->distance);
    progress->log(progress->context, line);
}

static enum masing_status settle(struct run *run, double lambda, double omega,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = run->restart->balance;
    const struct periodic_observer observer = {.context = run, .period = is_cancelled};
    struct periodic_result settled;
    TRY(periodic_march(run->integrator, AIM, MOST_CYCLES, &observer, &settled, error));
    tell(run->restart, lambda, &settled);
    if (settled.is_cancelled || !(settled.distance <= ENOUGH)) {
        return MASING_NOT_CONVERGED;
    }
    memset(run->guess, 0, (size_t)balance->n_unknowns * sizeof(double));
    for (int i = 0; i < run->integrator->n_steps; i++) {
        TRY(integrator_step(run->integrator));
        add_motion(run);
    }
    TRY(balance_observe(balance, run->guess, omega, run->residual));
done:
    return status;
}

static enum masing_status start(struct run *run, const double *y, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = run->restart->balance;
    const struct start_motion motion = {
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .modal = run->modal,
        .axes = y,
        .origin = balance->origin,
    };
    TRY(start_on_motion(run->integrator, &motion, error));
done:
    return status;
}

static enum masing_status create_integrator(struct run *run, double omega,
                                            struct masing_error *error)
{
    const struct masing_model *model = run->restart->balance->model;
    enum masing_status status = integrator_create(
        model, omega, model->spec.integration.steps_per_cycle, &run->integrator, error);
    run->restart->cannot_integrate = status != MASING_OK;
    return status;
}

static enum masing_status integrate(struct run *run, const double *y, double from,
                                    double lambda, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct curve_restart *restart = run->restart;
    struct balance *balance = restart->balance;
    double omega;
    size_t n_modes = (size_t)balance->structure->n_modes;
    run->modal = memory_array((size_t)balance->n_coefficients * n_modes, sizeof(double));
    run->residual = memory_array((size_t)balance->n_unknowns, sizeof(double));
    TRY_ALLOCATED(run->modal && run->residual);
    TRY(restart->settle(restart->context, y, from, &omega));
    TRY(modal_motion(balance, y, omega, run->modal, error));
    TRY(restart->settle(restart->context, y, lambda, &omega));
    TRY(create_integrator(run, omega, error));
    TRY(start(run, y, error));
    TRY(settle(run, lambda, omega, error));
done:
    return status;
}

enum masing_status curve_restart_guess(struct curve_restart *restart, const double *y,
                                       double from, double lambda, double *guess)
{
    struct run run = {.restart = restart, .guess = guess};
    struct masing_error error = {0};
    if (restart->cannot_integrate) {
        return MASING_NOT_CONVERGED;
    }
    enum masing_status status = integrate(&run, y, from, lambda, &error);
    integrator_destroy(run.integrator);
    free(run.modal);
    free(run.residual);
    return status == MASING_OK ? MASING_OK : MASING_NOT_CONVERGED;
}
