/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Newton's method on the bordered system, its line search by KINSOL. A solution is returned
 * only when the residual was evaluated at exactly that u and is within the tolerance.
 */
#ifndef MASING_CONTINUATION_CORRECTOR_H
#define MASING_CONTINUATION_CORRECTOR_H

#include "continuation/bordered.h"

struct corrector; /* one thread */

struct corrector_request {
    double limit;        /* give up beyond this distance from the guess; INFINITY: never */
    int max_iterations;  /* linear solves */
    bool is_line_search; /* globalised; else Newton steps with a chord at the end */
    int steps_to_halve;  /* a line search gives up when these did not halve the residual; 0: not
                          */
    bool is_polished;    /* one more correction by the last factors, kept if it helps */
    bool continues;      /* with a last row of the direction of the solve before: what that has
                            shown of the matrix holds */
    bool is_exact;       /* leave the factors of the matrix at the solution itself */
    bool accepts_guess;  /* one within the tolerance is a solution; else a hundredth of it */
};

/* Close to a solution a line search whose residual has not halved in so many steps goes round
 * the pieces of a residual with kinks, and takes ten times as long to end without a solution;
 * from far away it may take many small steps. */
enum { CORRECTOR_STEPS_TO_HALVE = 8 };

/* From a guess that may be far away: Newton's method; the same with a line search, which is
 * slower and goes further. */
extern const struct corrector_request corrector_newton, corrector_line_search;

struct corrector_result {
    double residual;   /* largest scaled residual at the solution */
    double correction; /* distance between guess and solution */
    int iterations;
    int effort; /* likewise, but for those by factors that were kept from another point */
};

enum masing_status corrector_create(struct bordered *bordered, double tolerance,
                                    struct corrector **corrector, struct masing_error *error);
void corrector_destroy(struct corrector *corrector);

/* Forget what earlier solves have shown. */
void corrector_reset(struct corrector *corrector);
/* Newton corrections smaller than this reuse the factors at hand; 1e-4 unless set.
 * The tangent is off by the curvature times this. */
void corrector_set_chord(struct corrector *corrector, double chord);

/* How fast corrections have shrunk so far: what is learnt from solves aside may be undone. */
double corrector_rate(const struct corrector *corrector);
void corrector_set_rate(struct corrector *corrector, double rate);

/* u [size]: guess in, solution out. On success the factors in `bordered` are those of the
 * last Newton step or, when exact, those at the solution; there may be none (has_factors). Any
 * failure that a shorter step may heal is positive. */
enum masing_status corrector_solve(struct corrector *corrector,
                                   const struct corrector_request *request, double *u,
                                   struct corrector_result *result);

/* Unit tangent [size] at u by the Jacobian there, oriented along the last row, where factors
 * are kept: by iteration with those of another point, which remain; with new ones where that
 * does not converge. */
enum masing_status corrector_tangent(struct corrector *corrector, const double *u,
                                     double *tangent);

/* A single point from a guess close by, which may be the solution itself: Newton's method, then
 * the line search from the same guess, which u is again where neither arrives. Leaves the
 * factors of the matrix at the solution when exact. */
enum masing_status corrector_solve_close_by(struct corrector *corrector, bool is_exact,
                                            double *u, struct corrector_result *result);

#endif
