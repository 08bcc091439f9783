/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a time integration sees of the linear structure: the joints' axes and the outputs as
 * weighted sums of modal coordinates,
 *   u_port = shapes q + F (loads) - F axes g,
 * F being the flexibility of massless DOFs, which follow their forces without delay.
 */
#ifndef MASING_TRANSIENT_PORTS_H
#define MASING_TRANSIENT_PORTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "model/model.h"

struct ports {
    int n_modes, n_axes, n_outputs;
    int n_ports;         /* the axes first, then the outputs */
    double *patterns;    /* [n_ports][n_dofs] weights */
    double *shapes;      /* [n_ports][n_modes] */
    double *flexibility; /* [n_axes][n_ports] displacement of each port per unit joint force on
                            an axis, through massless DOFs; NULL where there are none */
    double *reach;       /* [n_dofs] scratch of ports_flexible, where flexibility is */
    bool *is_massless;   /* [n_ports] forces on the port move some port through massless DOFs */
};

enum masing_status ports_create(const struct masing_model *model, struct arena *arena,
                                struct ports **ports, struct masing_error *error);

/* Modal force phi^T pattern [n_modes] of a force pattern over the DOFs. */
void ports_modal_force(const struct masing_model *model, const double *pattern, double *force);

/* Displacement [n_ports] that a force pattern causes through massless DOFs; only where
 * flexibility is not NULL. */
void ports_flexible(const struct masing_model *model, const struct ports *ports,
                    const double *pattern, double *displacement);

/* Displacement of a port through massless DOFs: what loads [n_ports] do there, less what the
 * joints' forces [n_axes] do; 0 where there are none. */
double ports_flexible_value(const struct ports *ports, int port, const double *loads,
                            const double *joint_force);

/* ports [n_ports] = shapes [n_ports][n_modes] x [n_modes]. Inline: every step needs it. */
static inline void ports_project(int n_ports, int n_modes, const double *shapes,
                                 const double *x, double *ports)
{
    enum { SMALL_PRODUCT = 64 }; /* entries, up to which a call of BLAS costs more */
    if (n_ports * n_modes > SMALL_PRODUCT) {
        dense_multiply_vector(n_modes, n_ports, true, shapes, x, ports);
        return;
    }
    for (int i = 0; i < n_ports; i++) {
        double sum = 0.0;
        for (int k = 0; k < n_modes; k++) {
            sum += shapes[i * n_modes + k] * x[k];
        }
        ports[i] = sum;
    }
}

#endif
