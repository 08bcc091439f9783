/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One maximum of the response at one value of a parameter: the balance together with the
 * extremum condition d(measure)/ds = 0 along the curve, or the end of the frequency range up to
 * which the measure grows.
 */
#ifndef MASING_ANALYSES_PEAK_SOLVE_H
#define MASING_ANALYSES_PEAK_SOLVE_H

#include "analyses/peak/problem.h"

struct peak_state {
    double p;
    int n;           /* unknowns without the frequency */
    double *point;   /* [n + 1] y and Omega */
    double *tangent; /* [n + 1] of the response */
    int n_cells;
    double *cells; /* [n_cells] see peak_problem_cells */
    double measure;
    double curvature; /* second derivative along the curve, part of the measure; 0: unknown */
    double slope;     /* derivative of the measure by the parameter; NAN: unknown */
    bool is_end;      /* held at an end of the frequency range, maximum or not */
    bool is_at_limit; /* of the frequency range */
    bool is_corner;   /* the slope jumps there */
    bool is_swept;    /* taken from a whole response as it was */
    int iterations;
};

enum masing_status peak_state_create(int n, int n_cells, struct peak_state *state,
                                     struct masing_error *error);
void peak_state_clear(struct peak_state *state);
/* Of equal size. */
void peak_state_copy(struct peak_state *to, const struct peak_state *from);

/*
 * Solve at the problem's value from the guess in @p state, which becomes the solution; on
 * failure (positive) it holds nothing. Leaves the recovery evaluated there.
 */
enum masing_status peak_solve(struct peak_problem *problem, struct peak_state *state);

#endif
