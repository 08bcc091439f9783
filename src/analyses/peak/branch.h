/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A maximum followed through the values of a parameter, in steps whose length the prediction's
 * error decides. Steps are of u, which is the parameter itself or its logarithm.
 */
#ifndef MASING_ANALYSES_PEAK_BRANCH_H
#define MASING_ANALYSES_PEAK_BRANCH_H

#include "analyses/peak/solve.h"

enum { PEAK_PAST = 3 };

struct peak_branch {
    int number;                        /* names it; larger ones were found later */
    struct peak_state past[PEAK_PAST]; /* the latest first */
    int n_past;
    struct peak_state trial;
    double *guess;            /* [n + 1] */
    struct peak_state before; /* at the last point, if it was there */
    double step;              /* of u */
    bool is_log, is_alive, has_before;
};

enum masing_status peak_branch_create(const struct peak_state *start, bool is_log, double step,
                                      int number, struct peak_branch **branch,
                                      struct masing_error *error);
void peak_branch_destroy(struct peak_branch *branch);

/*
 * Go on to a value; branch->past[0] is the maximum there. Positive where no step of @p shortest
 * or more leads on: the branch stays where it got to.
 */
enum masing_status peak_branch_advance(struct peak_branch *branch, struct peak_problem *problem,
                                       double p, double shortest, struct masing_error *error);

/* u of a value */
double peak_coordinate(bool is_log, double p);
double peak_value(bool is_log, double u);

/*
 * The maximum at a value between two states of one branch at other values, to @p state, of
 * equal size: in one step from the nearer one where that does. Positive: not found.
 */
enum masing_status peak_between(struct peak_problem *problem, const struct peak_state *a,
                                const struct peak_state *b, bool is_log, double p,
                                struct peak_state *state, struct masing_error *error);

#endif
