/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last way on along a curve of responses: from the last motion at a new value of the
 * parameter, integrate in time until the motion is periodic, and take its Fourier coefficients
 * for a guess. This needs no Jacobian, and settles to a stable motion wherever there is one
 * near. Nothing here is fatal: what goes wrong means that there is no guess. It is slow
 * already, so that everything is allocated when it is needed.
 */
#ifndef MASING_ANALYSES_CURVE_RESTART_H
#define MASING_ANALYSES_CURVE_RESTART_H

#include "harmonic/balance/balance.h"
#include "masing/response.h"

struct curve_restart {
    struct balance *balance; /* lent */
    /* gives the balance the parameter lambda and settles it at y; omega: the frequency */
    enum masing_status (*settle)(void *context, const double *y, double lambda, double *omega);
    void *context;
    const struct masing_progress *progress; /* may be NULL */
    double unit;                            /* its log shows lambda / unit */
    const char *unit_name;
    bool cannot_integrate; /* it was refused once: not tried again */
};

/* A guess [n] at lambda from a solution y [n] at `from`. */
enum masing_status curve_restart_guess(struct curve_restart *restart, const double *y,
                                       double from, double lambda, double *guess);

#endif
