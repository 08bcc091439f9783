/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The equations of a model at one value of a parameter of its file. Where joints and loads
 * alone depend on the parameter they move; else the model is made anew for each value, and
 * there are no derivatives by it.
 */
#ifndef MASING_ANALYSES_PEAK_PROBLEM_H
#define MASING_ANALYSES_PEAK_PROBLEM_H

#include "analyses/curve/moving_model.h"
#include "analyses/curve/balance_solver.h"
#include "harmonic/recovery/sensitivity.h"

struct peak_problem {
    struct moving_model_request request; /* what it points to is lent */
    const enum masing_measure *measure;  /* in place of the model's, or NULL */
    struct masing_model *model;
    struct moving *moving; /* NULL: made anew */
    struct balance *balance;
    struct moving_balance *residual; /* NULL where `moving` is */
    struct recovery *recovery;
    struct point_solver *solver;
    struct sensitivity *sensitivity;
    double *slope; /* [n_coefficients] */
    double p;
};

/* At request->from. */
enum masing_status peak_problem_create(const struct moving_model_request *request,
                                       const enum masing_measure *measure,
                                       struct peak_problem **problem,
                                       struct masing_error *error);
void peak_problem_destroy(struct peak_problem *problem);

/* Go to another value; positive status where the model has none there. */
enum masing_status peak_problem_set(struct peak_problem *problem, double p,
                                    struct masing_error *error);

/* A model of its own at a value, for a whole response. */
enum masing_status peak_problem_model(const struct peak_problem *problem, double p,
                                      struct masing_model **model, struct masing_error *error);

/* The values of a row at what the recovery was evaluated at last: <out>_max, _amp, _h1 of each
 * output, then slip of each group. */
int peak_problem_n_cells(const struct peak_problem *problem);
void peak_problem_cells(const struct recovery *recovery, double *cells);

/* Derivative of the peak's measure by the parameter, at a fixed frequency and a solution that
 * the recovery was evaluated at; NAN where nothing moves. */
enum masing_status peak_problem_slope(struct peak_problem *problem, const double *point,
                                      double *slope);

#endif
