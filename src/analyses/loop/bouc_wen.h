/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The equivalent Bouc-Wen element of a rough interface: a restatement of its steady loop under
 * one harmonic, whose coefficients depend on the amplitude. */
#ifndef MASING_ANALYSES_LOOP_BOUC_WEN_H
#define MASING_ANALYSES_LOOP_BOUC_WEN_H

#include "masing/law.h"

struct loop_bouc_wen {
    double linear_stiffness;     /* k_l, N/m */
    double hysteretic_stiffness; /* k_h = K_T, N/m */
    double growth;               /* Lambda_1 (Gamma_1 + Gamma_2) / (2 K_T) */
    double slope;                /* Lambda_0 / K_T */
    double decay;                /* Omega / (2 x_L), 1/m */
    double bound;                /* sign x beyond which z rests, m */
    double x, z;                 /* now, m */
};

/* From the constants of a law of rough interfaces, at rest at zero. MASING_INVALID for others.
 */
enum masing_status loop_bouc_wen_create(const struct masing_law *law, const void *parameters,
                                        double amplitude, struct loop_bouc_wen *element,
                                        struct masing_error *error);

/* Move straight to x; the force there. */
double loop_bouc_wen_move(struct loop_bouc_wen *element, double x);

/* The state from which a cycle along x [n + 1], x[0] = x[n], leads back to itself. */
void loop_bouc_wen_settle(struct loop_bouc_wen *element, const double *x, int n, int stride);

#endif
