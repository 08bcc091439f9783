/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the joints of a balance share: constants that depend on the harmonics and on the number
 * of axes alone. Made while the joints are, read by all threads from then on.
 */
#ifndef MASING_HARMONIC_JOINTS_JOINT_SHARED_H
#define MASING_HARMONIC_JOINTS_JOINT_SHARED_H

#include <stdbool.h>

#include "harmonic/basis/basis.h"
#include "harmonic/basis/trigonometric_path.h"
#include "masing/law.h"

/* Directions in which a law differentiates itself: direction a n_c + c moves axis a by function
 * c; with velocity, the last is the frequency and has no displacement. */
struct joint_seeds {
    int n_directions; /* 0: none were made */
    double *dx;       /* [n_samples][n_axes][n_directions] */
    double *slopes;   /* likewise their derivatives by theta, or NULL */
};

struct joint_shared {
    struct basis *basis;             /* lent */
    struct trigonometric_grid *grid; /* for the thread that owns the balance */
    double *analysis; /* [n_c * n_samples] column-major: samples to coefficients, or NULL */
    struct joint_seeds seeds[MASING_MAX_AXES + 1][2]; /* by axes; without, with velocity */
};

enum masing_status joint_shared_create(struct basis *basis, struct joint_shared **shared,
                                       struct masing_error *error);
void joint_shared_destroy(struct joint_shared *shared);

/* The seeds for so many axes, made where they were not yet. Needs a planned basis. */
enum masing_status joint_shared_seeds(struct joint_shared *shared, int n_axes,
                                      bool with_velocity, const struct joint_seeds **seeds,
                                      struct masing_error *error);

#endif
