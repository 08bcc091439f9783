/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last way on along a response curve: from the last motion at a new frequency, integrate in
 * time until the motion is periodic, and take its Fourier coefficients for a guess. This needs
 * no Jacobian, and settles to a stable motion wherever there is one near. Nothing here is
 * fatal: what goes wrong means that there is no guess. It is slow already, so that everything
 * is allocated when it is needed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/response_callbacks.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/modal_motion.h"
#include "transient/settle.h"
#include "transient/start.h"

enum { MOST_CYCLES = 200 };
/* Distance from the periodic motion, relative: aimed at, and good enough for a guess. */
static const double AIM = 1e-4, ENOUGH = 1e-2;

struct restart {
    struct response_curve *curve;
    struct integrator *integrator;
    double *modal;    /* [n_coefficients][n_modes] where the integration starts */
    double *residual; /* [n] scratch */
    double *guess;
};

static bool is_cancelled(void *context, int cycles, double distance)
{
    const struct restart *restart = context;
    const struct masing_progress *progress = restart->curve->settings.options->progress;
    (void)cycles;
    (void)distance;
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context);
}

static enum masing_status start(struct restart *restart, const double *y, double omega,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = restart->curve->balance;
    TRY(modal_motion(balance, y, omega, restart->modal, error));
    const struct start_motion motion = {
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .modal = restart->modal,
        .axes = y,
        .origin = balance->origin,
    };
    TRY(start_on_motion(restart->integrator, &motion, error));
done:
    return status;
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
static void add_motion(struct restart *restart)
{
    const struct balance *balance = restart->curve->balance;
    const struct basis *basis = balance->basis;
    const struct integrator *integrator = restart->integrator;
    double weights[2];
    for (int k = 0; k < basis->n_harmonics; k++) {
        int n_sides = basis->harmonics[k] == 0 ? 1 : 2;
        weights_now(integrator, basis->harmonics[k], weights);
        for (int side = 0; side < n_sides; side++) {
            double *w = restart->guess + (basis->position[k] + side) * balance->n_axes;
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
            restart->guess[mode->position + side] +=
                weights[side] * integrator->modal->q[mode->mode];
        }
    }
}

static void tell(struct response_curve *curve, double omega,
                 const struct settle_result *settled)
{
    char line[128];
    snprintf(line, sizeof line,
             "at %.10g Hz, by time integration: %s after %d cycles (within about %.2g)",
             omega / TWO_PI, settled->is_steady ? "periodic" : "not periodic", settled->cycles,
             settled->distance);
    response_log(curve, line);
}

static enum masing_status settle(struct restart *restart, double omega,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = restart->curve->balance;
    const struct settle_observer observer = {.context = restart, .period = is_cancelled};
    struct settle_result settled;
    TRY(settle_run(restart->integrator, AIM, MOST_CYCLES, &observer, &settled, error));
    tell(restart->curve, omega, &settled);
    if (settled.is_cancelled || !(settled.distance <= ENOUGH)) {
        return MASING_NOT_CONVERGED;
    }
    memset(restart->guess, 0, (size_t)balance->n_unknowns * sizeof(double));
    for (int i = 0; i < restart->integrator->n_steps; i++) {
        TRY(integrator_step(restart->integrator));
        add_motion(restart);
    }
    TRY(balance_observe(balance, restart->guess, omega, restart->residual));
done:
    return status;
}

static enum masing_status integrate(struct restart *restart, const double *y, double from,
                                    double omega, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct response_curve *curve = restart->curve;
    const struct balance *balance = curve->balance;
    status =
        integrator_create(curve->model, omega, curve->model->spec.integration.steps_per_cycle,
                          &restart->integrator, error);
    if (status != MASING_OK) {
        curve->cannot_integrate = true;
        goto done;
    }
    size_t n_modes = (size_t)balance->structure->n_modes;
    restart->modal = memory_array((size_t)balance->n_coefficients * n_modes, sizeof(double));
    restart->residual = memory_array((size_t)balance->n_unknowns, sizeof(double));
    TRY_ALLOCATED(restart->modal && restart->residual);
    TRY(start(restart, y, from, error));
    TRY(settle(restart, omega, error));
done:
    return status;
}

enum masing_status response_restart(void *context, const double *y, double from, double lambda,
                                    double *guess)
{
    struct response_curve *curve = context;
    struct restart restart = {.curve = curve, .guess = guess};
    struct masing_error error = {0};
    if (curve->cannot_integrate) {
        return MASING_NOT_CONVERGED;
    }
    enum masing_status status = integrate(&restart, y, from, lambda, &error);
    integrator_destroy(restart.integrator);
    free(restart.modal);
    free(restart.residual);
    return status == MASING_OK ? MASING_OK : MASING_NOT_CONVERGED;
}
