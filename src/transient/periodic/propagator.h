/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small motions of the linear structure over one time step, in modal coordinates:
 *   q'' + D q' + diag(omega^2) q = -A^T f,   u = A q - F f,
 * with f the changes of the joints' forces and u those of their displacements. Free motion is
 * exact; the forces act through the mean of their values at both ends of the step. Where
 * damping is small this is the trapezoidal rule for a structure with the same natural
 * frequencies and flexibilities and masses that differ by a positive factor, so that stiff
 * joints cannot make it unstable.
 *
 * Columns are many motions at a time: row-major [coordinates][n].
 */
#ifndef MASING_TRANSIENT_PERIODIC_PROPAGATOR_H
#define MASING_TRANSIENT_PERIODIC_PROPAGATOR_H

#include "base/arena.h"
#include "model/model.h"

struct propagator {
    int n_modes, n_axes;
    double step;         /* s, that it is set to */
    const double *omega; /* [n_modes] lent */
    double *damping;     /* [n_modes] or [n_modes * n_modes] column-major, see is_coupled */
    bool is_coupled;
    double *axes;        /* [n_axes][n_modes] A */
    double *flexibility; /* [n_axes][n_axes] F: massless DOFs and the modes that are left out */
    /* diagonal damping: [n_modes] each, q' = e[0] q + e[1] v, v' = e[2] q + e[3] v, and what a
     * constant modal force of 1 adds; else matrices [2 n_modes * 2 n_modes], [2 n * n] */
    double *free[4], *forced[2];
    double *matrix, *effect;
    double *exponent, *scratch; /* [(3 n)^2], [4 (3 n)^2] coupled damping only */
    int *pivots;                /* [3 n] */
    double
        *drive; /* [n_axes][2 n_modes] half of what a force of 1 on an axis adds to q and v */
    double *displacement; /* [n_axes][n_axes] of u per f at the end of the step */
    double *velocity;     /* [n_axes][n_axes] likewise */
};

/* With the first n_modes modes; the others follow their forces without delay. */
enum masing_status propagator_create(const struct masing_model *model, int n_modes,
                                     struct arena *arena, struct propagator **propagator,
                                     struct masing_error *error);

/* flexibility [n_axes][n_axes] of massless DOFs and of all modes but the first. */
void propagator_flexibility(const struct masing_model *model, int n_modes, double *flexibility);

enum masing_status propagator_set(struct propagator *propagator, double step);

/*
 * z [2 n_modes][n] and f [n_axes][n] at the beginning of a step: z becomes what it is at the
 * end without the new forces, scratch [2 n_modes][n].
 */
void propagator_free(const struct propagator *propagator, int n, double *z, const double *f,
                     double *scratch);
/* Add the effect of the new forces. */
void propagator_force(const struct propagator *propagator, int n, const double *f, double *z);
/* u, v [n_axes][n] of the joints, without the flexibility's share. */
void propagator_project(const struct propagator *propagator, int n, const double *z, double *u,
                        double *v);

#endif
