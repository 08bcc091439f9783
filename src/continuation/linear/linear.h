/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linear algebra behind `struct bordered`, whose matrix is
 *
 *     dF/dy   F_lambda
 *     border
 *
 * A table of functions, of which there are two: with dF/dy as a dense matrix, and as an
 * operator where the problem has one. They read the border, the derivative by lambda and the
 * metric of the system they are handed, and keep what is their own in its `own`. Nothing else
 * asks which of them it is.
 */
#ifndef MASING_CONTINUATION_LINEAR_LINEAR_H
#define MASING_CONTINUATION_LINEAR_LINEAR_H

#include <stdbool.h>

#include "masing/status.h"

struct bordered;

/* Where a system is solved by iteration: what may be left of it, in the 2-norm with the scales
 * of the residual, in parts of the right-hand side; or at all, if that is more. */
struct linear_accuracy {
    double relative, absolute;
};

struct linear_kind {
    /* Sets `own` and tangent_error. To be destroyed also after a failure. */
    enum masing_status (*create)(struct bordered *bordered, struct masing_error *error);
    void (*destroy)(struct bordered *bordered);
    /* NULL, or what a curve begins with does not depend on what was solved before it. */
    enum masing_status (*reset)(struct bordered *bordered);
    /* f [n] at u [size] with dF/dy and the derivative by lambda, which are kept. */
    enum masing_status (*linearize)(struct bordered *bordered, const double *u, double *f);
    /* Add to sums [n], of each row, `part` of sum_j |dF_i/dy_j u_j|, or less where that is not
     * known for sure; f [n]: the residual at u. */
    void (*add_sizes)(struct bordered *bordered, const double *u, const double *f, double part,
                      double *sums);
    /* The others are those of bordered.h. */
    bool (*keep_factors)(const struct bordered *bordered);
    enum masing_status (*factor)(struct bordered *bordered);
    bool (*is_nearly_singular)(const struct bordered *bordered);
    enum masing_status (*solve)(const struct bordered *bordered,
                                struct linear_accuracy accuracy, double *x);
    /* product [n] = dF/dy x */
    enum masing_status (*apply)(const struct bordered *bordered, const double *x,
                                double *product);
    int (*orientation)(const struct bordered *bordered, const double *tangent);
};

extern const struct linear_kind linear_dense, linear_krylov;

#endif
