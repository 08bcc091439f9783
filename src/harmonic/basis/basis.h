/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Fourier basis of a list of harmonics, and its transforms (FFTW behind it).
 *
 * Real coefficients in the order of the list: a0 for harmonic 0, then a_h, b_h;
 *   x(theta) = a0 + sum a_h cos h theta + b_h sin h theta,  theta = Omega t.
 */
#ifndef MASING_HARMONIC_BASIS_BASIS_H
#define MASING_HARMONIC_BASIS_BASIS_H

#include <stdbool.h>

#include <fftw3.h>

#include "masing/status.h"

struct basis {
    int n_harmonics;
    int *harmonics; /* [n_harmonics] ascending, >= 0 */
    int *position;  /* [n_harmonics] index of a_h (b_h follows, except for harmonic 0) */
    int n_coefficients;
    int highest;
    int n_samples;  /* per period */
    int n_spectrum; /* lines kept of a spectrum: 0 .. 2 highest */
    /* workspaces, so that a basis belongs to one thread */
    double *signal;         /* [n_samples] */
    fftw_complex *spectrum; /* [n_samples / 2 + 1] */
    fftw_plan synthesis, analysis;
    bool is_shared; /* lists and plans are those of another basis */
};

/* n_samples >= 4 highest, a power of two. With a plan for the transforms; without one (planning
 * costs as much as a hundred transforms) only what needs no samples may be called. */
enum masing_status basis_create(const int *harmonics, int n_harmonics, int n_samples,
                                struct basis **basis, struct masing_error *error);
enum masing_status basis_create_unplanned(const int *harmonics, int n_harmonics, int n_samples,
                                          struct basis **basis, struct masing_error *error);
/* The same basis for another thread: with workspaces of its own, everything else is lent by
 * @p original, which lives longer. */
enum masing_status basis_share(const struct basis *original, struct basis **basis,
                               struct masing_error *error);
void basis_destroy(struct basis *basis);

/* Coefficients of the k-th harmonic: of the mean one, of others cosine and sine. */
static inline int basis_sides(const struct basis *basis, int k)
{
    return basis->harmonics[k] == 0 ? 1 : 2;
}

/* Coefficients of all but the last harmonics, which tell what truncation does; 0: too few. */
int basis_count_first(const struct basis *basis);

/* FFTW plans may be executed by many threads but are made and destroyed by one at a time. */
void basis_lock_planner(void);
void basis_unlock_planner(void);

/* Plan the transforms, unless that was done. */
enum masing_status basis_plan(struct basis *basis, struct masing_error *error);

/* Samples [n_samples] of the polynomial with these coefficients, or of its derivative by theta
 * of the given order (0, 1, 2). */
void basis_synthesise(struct basis *basis, const double *coefficients, int order,
                      double *samples);

/* Coefficients of sampled values. */
void basis_analyse(struct basis *basis, const double *samples, double *coefficients);

/* Mean of samples times cos m theta and sin m theta, m = 0 .. 2 highest: [n_spectrum] each. */
void basis_spectrum(struct basis *basis, const double *samples, double *cosine, double *sine);

/* out = derivative by theta, as coefficients: (a, b) -> (h b, -h a). */
void basis_differentiate(const struct basis *basis, const double *coefficients, double *out);

/* Work per cycle of a force on a displacement, both as coefficients: pi sum h (f_a x_b - f_b
 * x_a). scale: unless NULL, what it would be with the force ahead by 90 degrees. */
double basis_work(const struct basis *basis, const double *force, const double *x,
                  double *scale);

/* The basis functions at an angle, [n_coefficients]. */
void basis_functions(const struct basis *basis, double angle, double *values);

/* ---- multiplication by a periodic function as a matrix on coefficients: the Galerkin
 * projection of x -> t x, with t given by its spectrum; Toeplitz plus Hankel in each block ----
 */

/* matrix [n_c * n_c] column-major += multiplication by t; cosine, sine [n_spectrum] are the
 * means of t cos m theta, t sin m theta. */
void multiplication_add(const struct basis *basis, const double *cosine, const double *sine,
                        double *matrix);

/* out [n_c] += coefficients of t x for x given by its coefficients. */
void multiplication_apply(const struct basis *basis, const double *cosine, const double *sine,
                          const double *x, double *out);

#endif
