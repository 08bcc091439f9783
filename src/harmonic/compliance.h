/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the linear structure at its ports, for a fixed list of harmonics:
 *   x_out(h) = H(i h Omega) f_in(h),   H = out^T (K + s C + s^2 M)^-1 in.
 *
 * Modes far above the highest frequency enter as a power series in s, summed once, so that the
 * cost of an evaluation depends on the modes near the range and on the number of ports only.
 * Structural damping makes K (1 + i eta) at harmonics above 0; statically K stays real.
 * Complex numbers follow x(t) = Re(X e^(i h Omega t)), X = a - i b for a cos + b sin.
 */
#ifndef MASING_HARMONIC_COMPLIANCE_H
#define MASING_HARMONIC_COMPLIANCE_H

#include <stdbool.h>

#include "model/structure.h"

/* A mode that is left out at one harmonic, because it is an unknown of its own there
 * (rigid-body modes at harmonic 0; a hardly damped pole inside the range). Only where damping
 * is diagonal, or at harmonic 0. */
struct compliance_exclusion {
    int harmonic_index; /* into the list of harmonics */
    int mode;
};

struct compliance_settings {
    int n_in, n_out;
    const double *in;  /* [n_dofs * n_in] column-major force patterns */
    const double *out; /* [n_dofs * n_out] column-major displacement weights */
    int n_harmonics;
    const int *harmonics; /* ascending, >= 0 */
    double omega_max;     /* largest Omega of interest, rad/s; well beyond it accuracy fades */
    int n_exclusions;
    const struct compliance_exclusion *exclusions; /* rigid modes at harmonic 0 are always
                                                      excluded and need not be listed */
    bool is_matrix_free; /* no memory for compliance_evaluate, where compliance_apply can do */
};

struct compliance; /* workspaces inside: one thread */

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **compliance,
                                     struct masing_error *error);
void compliance_destroy(struct compliance *compliance);

/*
 * All harmonics at once. real, imaginary: [n_harmonics][n_in][n_out] (n_out fastest); d_real,
 * d_imaginary: their derivatives by Omega, or both NULL. No allocation.
 * MASING_SINGULAR where a frequency hits an undamped pole exactly.
 */
enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       double *real, double *imaginary, double *d_real,
                                       double *d_imaginary);

/*
 * motion [n_harmonics][n_out][2] (real, imaginary) under port forces [n_harmonics][n_in][2],
 * without the matrix: modes times ports in place of ports squared. Only where
 * compliance_can_apply: damping diagonal in the modes, no massless DOFs. No allocation.
 */
enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion);
bool compliance_can_apply(const struct compliance *compliance);
/* Whether it takes less time than evaluating and multiplying. */
bool compliance_should_apply(const struct compliance *compliance);

/* Whether compliance_evaluate may be called. */
bool compliance_has_matrix(const struct compliance *compliance);

/* One entry at one harmonic, where compliance_can_apply. */
enum masing_status compliance_entry(const struct compliance *compliance, double omega,
                                    int harmonic_index, int in, int out, double value[2]);

/*
 * Energy per cycle lost in the structure's damping, J, summed over the harmonics, when port
 * forces f(h) act: force_real, force_imaginary [n_harmonics][n_in]. From the modal coordinates,
 * not from the work at the ports. Excluded modes do not take part.
 */
double compliance_loss(struct compliance *compliance, double omega, const double *force_real,
                       const double *force_imaginary);

/*
 * Displacements of all DOFs under such port forces, [n_harmonics][n_dofs]; excluded modes do
 * not take part. Allocates, and costs as much as the modes times the DOFs: for single points.
 */
enum masing_status compliance_recover(struct compliance *compliance, double omega,
                                      const double *force_real, const double *force_imaginary,
                                      double *real, double *imaginary,
                                      struct masing_error *error);

#endif
