/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complex modes of a structure with a few springs added, x e^(l t), from those without them. A
 * mode is normalised to x^T (2 l + D) x = 2 i Im l: that of one oscillator is 1.
 */
#ifndef MASING_TRANSIENT_PATTERN_FREE_MODES_H
#define MASING_TRANSIENT_PATTERN_FREE_MODES_H

#include "linalg/diagonal_update.h"
#include "transient/modal_state.h"

struct free_modes {
    const struct modal_state *modal; /* lent */
    bool are_known;                  /* else nothing can be added to them */
    int n_rest;                      /* the last ones, whose damping is a matrix */
    double complex *poles;           /* [n] l */
    double complex *single; /* [n] x of the others; here all with x^T (2 l + D) x = 1 */
    double complex *rest;   /* [n_rest][n_rest] mode by mode */
    struct diagonal_update update;
    double complex *near, *far; /* [n] scratch */
};

/* They are known where there are many, all of them complex. */
enum masing_status free_modes_create(const struct modal_state *modal, struct arena *arena,
                                     struct free_modes *modes, struct masing_error *error);

/* With springs k [n_axes]; `moved` [n_moved] are those that they or D mix, ascending.
 * MASING_UNSUPPORTED: not so, see diagonal_update.h; or the springs are many. */
enum masing_status free_modes_add(struct free_modes *modes, const double *k, int n_moved,
                                  const int *moved);

/* Mode i after that: l, and x [n_moved] by the modes that were moved. */
double complex free_modes_get(struct free_modes *modes, const int *moved, int i,
                              double complex *x);

#endif
