/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loads at one frequency, projected on the modes and the ports, at the steps of a period.
 */
#ifndef MASING_TRANSIENT_FORCING_H
#define MASING_TRANSIENT_FORCING_H

#include "transient/ports.h"

/* f(t) = constant + sum over terms (cosine cos k Omega t + sine sin k Omega t). */
struct forcing {
    int n_modes, n_ports; /* n_ports is 0 where no DOF is massless */
    int n_steps;          /* per period */
    double *cosines;      /* [n_steps] cos(2 pi j / n_steps) */
    double *sines;        /* [n_steps] */
    int n_terms;          /* one per harmonic that is loaded */
    int *harmonics;       /* [n_terms] */
    /* rows of n_modes modal forces, then n_ports displacements through massless DOFs */
    double *constant; /* [n_modes + n_ports] static loads */
    double *cosine;   /* [n_terms][n_modes + n_ports] */
    double *sine;     /* [n_terms][n_modes + n_ports] */
};

/* n_loads: the first ones of the model, or 0 for a motion without loads, whatever omega. */
enum masing_status forcing_create(const struct masing_model *model, const struct ports *ports,
                                  int n_loads, double omega, int n_steps, struct arena *arena,
                                  struct forcing **forcing, struct masing_error *error);

/* Where there are no loads: room for one of this harmonic, which is zero as yet. */
void forcing_add_term(struct forcing *forcing, int harmonic);

/* The same at any phase Omega t, rad. */
void forcing_at(const struct forcing *forcing, double phase, double *force);

/* Its derivative by time, of this order >= 1; omega, rad/s, of the fundamental. */
void forcing_derivative(const struct forcing *forcing, double omega, double phase, int order,
                        double *force);

/* Loads at time step * period / n_steps: modal forces [n_modes], then the displacements of the
 * ports through massless DOFs [n_ports]. */
void forcing_evaluate(const struct forcing *forcing, int step, double *force);

#endif
