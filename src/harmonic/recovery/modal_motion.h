/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A solution of the balance in modal coordinates, e.g. as the start of a time integration. */
#ifndef MASING_HARMONIC_RECOVERY_MODAL_MOTION_H
#define MASING_HARMONIC_RECOVERY_MODAL_MOTION_H

#include <complex.h>

#include "harmonic/balance/balance.h"

/* q [n_modes]: modal forces at a frequency w, rad/s, and a speed of the shaft become modal
 * coordinates; those of rigid-body modes are zero at 0. Allocates where damping couples the
 * modes. */
enum masing_status modal_motion_respond(const struct structure *structure, double w,
                                        double speed, double complex *q,
                                        struct masing_error *error);

/* Fourier coefficients of all modal coordinates, in the order of the basis:
 * modal [n_coefficients][n_modes]. Allocates; not for hot loops. */
enum masing_status modal_motion(struct balance *balance, const double *y, double omega,
                                double *modal, struct masing_error *error);

/* Sum of the squares of one harmonic's modal coefficients: the modes being mass-normalised,
 * amplitude^T M amplitude of the motion. Allocates. */
enum masing_status modal_motion_size(struct balance *balance, const double *y, double omega,
                                     int harmonic_index, double *size,
                                     struct masing_error *error);

#endif
