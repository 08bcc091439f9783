/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system of N + 1 equations that is solved for one point of the curve, u = (y, lambda):
 *
 *     F(y, lambda) - offset_factor * offset = 0
 *     border . (u - anchor)                 = 0
 *
 * The last row is a hyperplane (arc length) or lambda itself (exact landings). The offset is
 * zero but in a Newton homotopy.
 */
#ifndef MASING_CONTINUATION_BORDERED_H
#define MASING_CONTINUATION_BORDERED_H

#include "base/arena.h"
#include "continuation/continuation.h"
#include "continuation/linear/linear.h"

/* From so many unknowns on factors cost more than a few residuals: they are kept from point to
 * point for as long as corrections by them shrink. Not where corners come unannounced: behind
 * each of them they are those of another matrix. Measured with chains of Jenkins joints, time
 * with kept factors by that without: 64 unknowns 1.10, 96 1.03, 112 1.05, 128 0.88, 160 0.87,
 * 240 0.74, 480 0.70, 800 0.66. */
enum { BORDERED_MANY = 128 };

/* What has been spent. */
struct bordered_cost {
    /* a linearisation of an operator counts as a Jacobian, its preparation for solves as
     * factors */
    long residuals, jacobians, factorisations;
    long krylov_solves, krylov_iterations; /* where the Jacobian is an operator */
};

struct bordered {
    struct arena arena;                         /* of all arrays */
    const struct continuation_problem *problem; /* lent */
    const double *metric;                       /* [size] lent */
    struct bordered_cost *cost;                 /* lent; the account that pays now */
    long n_left;             /* evaluations that are allowed; then none converges */
    int n, size;             /* size = n + 1 */
    double *border, *anchor; /* [size] */
    double *offset;          /* [n] */
    double offset_factor;
    double *residual_lambda; /* [n] */
    double tolerance;        /* of residuals, set by the corrector */
    double last_norm;        /* of the residual evaluated last */
    double *scale;           /* [size] of the residual in norms, at most 1 */
    bool keeps_factors;      /* from point to point, see BORDERED_MANY; set by the owner */
    bool holds_lambda;       /* in the last row */
    bool has_factors;        /* there are some, or what stands in for them, of the last row */
    const struct linear_kind *linear;
    void *own;            /* of that kind */
    double tangent_error; /* what solves leave of their right-hand side; 0: rounding */
};

enum masing_status bordered_create(const struct continuation_problem *problem,
                                   const double *metric, struct bordered *bordered,
                                   struct masing_error *error);
void bordered_destroy(struct bordered *bordered);

/* Last row: the hyperplane through the anchor orthogonal to a direction. */
void bordered_set_plane(struct bordered *bordered, const double *anchor, const double *normal);
/* Last row: lambda is given. */
void bordered_fix_lambda(struct bordered *bordered, double lambda);

/* f [size] at u [size]; norm: largest absolute value of the first n, scaled. Jacobian and
 * derivative by lambda are kept when asked for. MASING_NOT_FINITE when a residual is not
 * finite. */
enum masing_status bordered_evaluate(struct bordered *bordered, const double *u,
                                     bool with_jacobian, double *f, double *norm);

/* What earlier curves have left behind no longer matters. */
enum masing_status bordered_reset(struct bordered *bordered);

/* Whether there are factors of another point to begin with; then they are usable. */
bool bordered_keep_factors(struct bordered *bordered);

/* Factors of the bordered matrix with the Jacobian last evaluated and the present last row; of
 * a singular one, too. Allocates there, once. */
enum masing_status bordered_factor(struct bordered *bordered);

/* Whether the factors last made are those of a matrix that is singular but for rounding, as far
 * as pivots in units of the metric tell, that of lambda aside, along which the last row points.
 */
bool bordered_is_nearly_singular(const struct bordered *bordered);

/* x [size] becomes matrix^-1 x, the smallest in the metric where there are many, as exactly as
 * tangents need it. MASING_SINGULAR where there is none, or it is not finite; another positive
 * status where it was not found. */
enum masing_status bordered_solve(const struct bordered *bordered, double *x);
/* Likewise, as exactly as asked for. */
enum masing_status bordered_solve_to(const struct bordered *bordered,
                                     struct linear_accuracy accuracy, double *x);

/* product [size] = matrix x, with the Jacobian last evaluated and the present last row. */
enum masing_status bordered_multiply(const struct bordered *bordered, const double *x,
                                     double *product);
/* Its last entry. */
double bordered_times_border(const struct bordered *bordered, const double *x);
/* What the border adds to the Jacobian's product [n] with x: it becomes [size]. */
void bordered_add_border(const struct bordered *bordered, const double *x, double *product);

/* Sign of the determinant with the tangent for last row; 0 without factors or where singular.
 * It changes where the matrix above has lost its rank, at branch points, but not at folds. */
int bordered_orientation(const struct bordered *bordered, const double *tangent);

/* Unit tangent [size], oriented along the border. */
enum masing_status bordered_tangent(const struct bordered *bordered, double *tangent);
/* Likewise, as exactly as steps and predictors need it, where systems are iterated. */
enum masing_status bordered_direction(const struct bordered *bordered, double *tangent);

#endif
