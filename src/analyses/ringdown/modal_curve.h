/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping of a one-DOF model of a mode against its amplitude, to be looked up. */
#ifndef MASING_ANALYSES_RINGDOWN_MODAL_CURVE_H
#define MASING_ANALYSES_RINGDOWN_MODAL_CURVE_H

#include "masing/ringdown.h"

struct modal_curve {
    int n, capacity;
    double *x;         /* [n] ln amplitude, ascending */
    double *frequency; /* [n] Hz */
    double *damping;   /* [n] ratio */
};

/* Follow the nonlinear mode that the model names. */
enum masing_status modal_curve_create(const struct masing_model *model,
                                      struct modal_curve **curve, struct masing_error *error);
void modal_curve_destroy(struct modal_curve *curve);

/* NAN outside of the amplitudes that were covered. */
void modal_curve_at(const struct modal_curve *curve, double amplitude, double *frequency,
                    double *damping);

#endif
