/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The equations of a model at one value of a parameter of its file. Where joints and loads
 * alone depend on the parameter they move; else the model is made anew for each value, and
 * there are no derivatives by it. One maximum of the response at such a value: the balance
 * together with the extremum condition d(measure)/ds = 0 along the curve, or the end of the
 * frequency range up to which the measure grows.
 */
#ifndef MASING_ANALYSES_PEAK_PROBLEM_H
#define MASING_ANALYSES_PEAK_PROBLEM_H

#include "analyses/curve/coefficient_columns.h"
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
    struct point_solver *inverse; /* of the sensitivity, or NULL */
    struct point_solver *solver;
    struct sensitivity *sensitivity;
    double *slope; /* [n_coefficients] */
    double p;
    const struct masing_progress *progress; /* lent; may be NULL */
    bool is_log; /* maxima are followed over u = log p, else over u = p */
};

/* At request->from. */
enum masing_status peak_problem_create(const struct moving_model_request *request,
                                       const enum masing_measure *measure,
                                       const struct masing_progress *progress,
                                       struct peak_problem **problem,
                                       struct masing_error *error);
void peak_problem_destroy(struct peak_problem *problem);

/* Go to another value; positive status where the model has none there. */
enum masing_status peak_problem_set(struct peak_problem *problem, double p,
                                    struct masing_error *error);

/* u of a value, and back */
double peak_problem_coordinate(const struct peak_problem *problem, double p);
double peak_problem_value(const struct peak_problem *problem, double u);

/* A model of its own at a value, for a whole response. */
enum masing_status peak_problem_model(const struct peak_problem *problem, double p,
                                      struct masing_model **model, struct masing_error *error);

/* The values of a row at what the recovery was evaluated at last: <out>_max, _amp, _h1 of each
 * output, slip of each group, loss of the structure and of each group, amplitudes of each
 * output of all harmonics of the recovery's model, complex coefficients likewise. */
int peak_problem_n_cells(const struct recovery *recovery);
void peak_problem_cells(const struct recovery *recovery, double *cells);

/* Derivative of the peak's measure by the parameter, at a fixed frequency and a solution that
 * the recovery was evaluated at; NAN where nothing moves. */
enum masing_status peak_problem_slope(struct peak_problem *problem, const double *point,
                                      double *slope);

/* A maximum at a value. */
struct peak_state {
    double p;
    int n; /* unknowns without the frequency */
    int n_cells;
    double *point;   /* [n + 1] y and Omega; the one that is freed */
    double *tangent; /* [n + 1] of the response */
    double *cells;   /* [n_cells] see peak_problem_cells */
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
/* To a state that is all zeros, or another one, whose memory is used again where it suits. */
enum masing_status peak_state_copy(struct peak_state *to, const struct peak_state *from,
                                   struct masing_error *error);

/* Those of the outputs [n_outputs][n_harmonics][2]. */
const double *peak_state_coefficients(const struct peak_state *state,
                                      const struct masing_spec *spec);

/*
 * Solve at the problem's value from the guess in @p state, which becomes the solution; on
 * failure (positive) it holds nothing. Leaves the recovery evaluated there.
 */
enum masing_status peak_problem_solve(struct peak_problem *problem, struct peak_state *state);

#endif
