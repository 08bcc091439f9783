/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reduced structure, and how its frequencies are compared with those of the full one. */
#ifndef MASING_ANALYSES_REDUCE_REDUCTION_H
#define MASING_ANALYSES_REDUCE_REDUCTION_H

#include "analyses/reduce/basis.h"
#include "masing/reduce.h"

struct masing_reduction {
    /* the structure as a model file would have it, its file that of the model; nothing else of
     * the specification is filled */
    struct masing_spec spec;
    enum masing_reduction_basis basis;
    struct masing_reduction_summary summary;
};

/* The sums of DOFs along which the joints of a model act. */
struct full_axes {
    int n;
    struct masing_combination *axes; /* [n] */
};

/*
 * Fills the comparison of the summary. model: of the reduced structure, sealed. top: the
 * highest harmonic, rad/s, or 0. cut: the highest mode of the basis, rad/s, or 0.
 */
enum masing_status compare_frequencies(const struct masing_model *model,
                                       const struct masing_sparse *stiffness,
                                       const struct masing_sparse *mass,
                                       const struct full_axes *axes, double top, double cut,
                                       struct masing_reduction_summary *summary,
                                       struct masing_error *error);

#endif
