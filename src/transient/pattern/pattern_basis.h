/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free motion of a structure whose joints all have linear forces f = k x + c x' on their axes,
 *   q'' + D q' + diag(omega^2) q + A^T (k A q + c A q') = 0, k a diagonal or any matrix,
 * in coordinates in which it falls apart into oscillators p'' + d p' + w^2 p = 0:
 *   (q, q') = from (p, p'),   (p, p') = to (q, q').
 * Where damping couples no modes of the pattern these are real modes, p weighting shapes; else
 * p and p' together weight the real and imaginary part of a pair of complex ones.
 */
#ifndef MASING_TRANSIENT_PATTERN_PATTERN_BASIS_H
#define MASING_TRANSIENT_PATTERN_PATTERN_BASIS_H

#include "transient/modal_state.h"

/* Everything that bases are found with; one serves any number of them. */
struct pattern_builder;

/* For bases of this structure, lent. Destroy it also after a failure. */
enum masing_status pattern_builder_create(const struct modal_state *modal,
                                          struct pattern_builder **builder,
                                          struct masing_error *error);
void pattern_builder_destroy(struct pattern_builder *builder);

/* About how many series over a step cost as much as a basis. */
long pattern_builder_cost(const struct pattern_builder *builder);

/* Arrays of doubles are [2 n]: n displacements, then n velocities. */
struct pattern_basis {
    int n;                    /* modes, and oscillators */
    int n_coupled;            /* the modes that are mixed; each other one is its oscillator */
    bool is_real;             /* displacements and velocities alike */
    int *coupled;             /* [n] which */
    double *square, *damping; /* [n] w^2 and d, both >= 0 where k is a diagonal */
    double by_p, by_v;        /* |v| of modes that are mixed <= by_p |w p| + by_v |p'| */
    double *from, *to;        /* [2 m][2 m] column-major, of the m modes that are mixed; where
                                 is_real [m][m], for p as for p' */
};

/* Room for one. */
enum masing_status pattern_basis_create(int n, struct arena *arena, struct pattern_basis *basis,
                                        struct masing_error *error);

/* That of stiffnesses k and dampings c of the axes [n_axes]; allocates nothing.
 * MASING_UNSUPPORTED: there is none that keeps enough digits, a motion grows, or tangents of
 * joints are negative. */
enum masing_status pattern_basis_build(struct pattern_builder *builder, const double *k,
                                       const double *c, struct pattern_basis *basis);

/* The same with any stiffnesses [n_axes * n_axes], column-major, between the axes: motions may
 * grow, and their speeds have no bounds by_p and by_v. */
enum masing_status pattern_basis_build_coupled(struct pattern_builder *builder, const double *k,
                                               const double *c, struct pattern_basis *basis);

/* to or from a state, in place or not; scratch [4 n] */
void pattern_basis_enter(const struct pattern_basis *basis, const double *state, double *p,
                         double *scratch);
void pattern_basis_leave(const struct pattern_basis *basis, const double *p, double *state,
                         double *scratch);
/* row [2 n] of a linear function of the state becomes that of p; scratch [4 n] */
void pattern_basis_row(const struct pattern_basis *basis, const double *of_state, double *of_p,
                       double *scratch);

/* Sum of squared velocities; `least` where it is surely not more. scratch [4 n] */
double pattern_basis_squared_speed(const struct pattern_basis *basis, const double *p,
                                   double least, double *scratch);

/* Four factors of each oscillator over a length of time, [4][n] as oscillator_step has them. */
void pattern_basis_factors(const struct pattern_basis *basis, double time, double *factors);

/* What p is after that. */
void pattern_basis_advance(const struct pattern_basis *basis, const double *factors,
                           const double *p, double *after);

/* Derivative by time. */
static inline void pattern_basis_differentiate(const struct pattern_basis *basis, double *p)
{
    size_t n = (size_t)basis->n;
    for (size_t i = 0; i < n; i++) {
        double x = p[i];
        p[i] = p[n + i];
        p[n + i] = -(basis->square[i] * x + basis->damping[i] * p[n + i]);
    }
}

/* Forces on an oscillator below a small part of the largest are round-off. */
static inline bool pattern_basis_is_driven(double force, double largest)
{
    return force > 1e-14 * largest;
}

/* Where a constant force [n] on the modes, times a factor, holds the oscillators: rest [2 n];
 * false: one that it pushes has no stiffness, a frequency of `slow` or less. scratch [6 n] */
bool pattern_basis_rest(const struct pattern_basis *basis, const double *force, double factor,
                        double slow, double *rest, double *scratch);

/* p of one basis from that of another, [2 n * 2 n] column-major; scratch [4 n]. */
void pattern_basis_transfer(const struct pattern_basis *from, const struct pattern_basis *to,
                            double *transfer, double *scratch);

/* The map of states over a length of time, [2 n * 2 n] column-major; scratch [12 n]. */
void pattern_basis_map(const struct pattern_basis *basis, double time, double *map,
                       double *scratch);

#endif
