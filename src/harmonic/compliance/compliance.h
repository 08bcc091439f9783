/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the linear structure at its ports, for a fixed list of harmonics:
 *   x_out(h) = H(i h Omega) f_in(h),   H = out^T (K + s C + s^2 M)^-1 in.
 *
 * Structural damping makes K (1 + i eta) at harmonics above 0; statically K stays real.
 * Complex numbers follow x(t) = Re(X e^(i h Omega t)), X = a - i b for a cos + b sin.
 *
 * Callers use the functions of this header alone. How H comes about is the matter of a kind: a
 * table of functions. Two exist, both from the modes of the structure: with damping that is
 * diagonal in them, and with damping that couples them.
 */
#ifndef MASING_HARMONIC_COMPLIANCE_COMPLIANCE_H
#define MASING_HARMONIC_COMPLIANCE_COMPLIANCE_H

#include <complex.h>
#include <stdbool.h>

#include "base/arena.h"
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
    bool is_matrix_free; /* no memory for matrices, where the kind can do without */
};

struct compliance;

/* What a kind does. Arrays and units are those of the functions below. */
struct compliance_kind {
    size_t size; /* bytes of its objects, which begin with a struct compliance */
    /* The part of its own, in the arena; sets has_matrices and is_applied. */
    enum masing_status (*create)(struct compliance *compliance,
                                 const struct structure *structure,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error);
    /* Fill real and imaginary and, with_slopes, d_real and d_imaginary. */
    enum masing_status (*evaluate)(struct compliance *compliance, double omega,
                                   bool with_slopes);
    /* Without matrices; NULL where the kind always has them. */
    enum masing_status (*apply)(struct compliance *compliance, double omega,
                                const double *force, double *motion);
    enum masing_status (*entry)(const struct compliance *compliance, double omega, int index,
                                int in, int out, double value[2]);
    double (*loss)(struct compliance *compliance, double omega, const double *force_real,
                   const double *force_imaginary);
    /* One harmonic: real, imaginary [n_dofs], zero before, under complex forces [n_in] */
    enum masing_status (*recover)(struct compliance *compliance, double omega, int index,
                                  const double complex *force, double *real, double *imaginary);
};

/* Of one thread: workspaces are inside. */
struct compliance {
    struct arena arena; /* of all arrays */
    const struct compliance_kind *kind;
    int n_dofs, n_in, n_out, n_harmonics;
    int *harmonics;    /* [n_harmonics] */
    bool has_matrices; /* false: compliance_apply is all there is of H */
    bool is_applied;   /* compliance_apply does without matrices: that takes less time */
    /* H at `omega` after compliance_evaluate, and its derivative by Omega:
     * [n_harmonics][n_in][n_out], n_out fastest */
    double *real, *imaginary, *d_real, *d_imaginary;
    double omega;
    bool is_evaluated, has_slopes;
};

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **compliance,
                                     struct masing_error *error);
void compliance_destroy(struct compliance *compliance);

/*
 * H at all harmonics, as matrices; no work where this was done last. No allocation.
 * MASING_SINGULAR where a frequency hits an undamped pole exactly; MASING_INTERNAL without
 * has_matrices.
 */
enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       bool with_slopes);

/*
 * motion [n_harmonics][n_out][2] (real, imaginary) = H force under port forces
 * [n_harmonics][n_in][2]. No allocation. compliance_apply takes the shorter way, for one vector
 * at one frequency; compliance_multiply takes the matrices where there are any, which
 * compliance_differentiate takes as well: both agree to the last bit.
 */
enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion);
enum masing_status compliance_multiply(struct compliance *compliance, double omega,
                                       const double *force, double *motion);

/* motion = H force and its change d_motion = d_omega H' force + H d_force, by matrices. */
enum masing_status compliance_differentiate(struct compliance *compliance, double omega,
                                            double d_omega, const double *force,
                                            const double *d_force, double *motion,
                                            double *d_motion);

/* One entry at one harmonic. */
enum masing_status compliance_entry(struct compliance *compliance, double omega, int index,
                                    int in, int out, double value[2]);

/*
 * Energy per cycle lost in the structure's damping, J, summed over the harmonics, when port
 * forces f(h) act: force_real, force_imaginary [n_harmonics][n_in]. From the modal coordinates,
 * not from the work at the ports. Excluded modes do not take part. NAN on an undamped pole.
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

/* The kinds. */
extern const struct compliance_kind compliance_diagonal; /* damping diagonal in the modes */
extern const struct compliance_kind compliance_coupled;  /* damping couples the modes */

#endif
