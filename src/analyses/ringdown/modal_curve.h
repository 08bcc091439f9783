/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequency and damping of a one-DOF model of a mode against its amplitude, to be looked up. */
#ifndef MASING_ANALYSES_RINGDOWN_MODAL_CURVE_H
#define MASING_ANALYSES_RINGDOWN_MODAL_CURVE_H

#include <stddef.h>

#include "masing/ringdown.h"

/* A point of the curve. */
struct modal_curve_point {
    double x;        /* ln amplitude */
    double value[2]; /* frequency, Hz; damping ratio */
};

struct modal_curve {
    size_t n, capacity;
    struct modal_curve_point *points; /* [n] in the order of their amplitudes */
};

/* Follow the nonlinear mode that the model names. */
enum masing_status modal_curve_create(const struct masing_model *model,
                                      struct modal_curve **curve, struct masing_error *error);
void modal_curve_destroy(struct modal_curve *curve);

/* NAN outside of the amplitudes that were covered. */
void modal_curve_at(const struct modal_curve *curve, double amplitude, double *frequency,
                    double *damping);

#endif
