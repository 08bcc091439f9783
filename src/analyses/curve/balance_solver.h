/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single points of a balance by the continuation's corrector, lambda being the frequency, and
 * of the balance of the same model with more harmonics and samples. */
#ifndef MASING_ANALYSES_CURVE_BALANCE_SOLVER_H
#define MASING_ANALYSES_CURVE_BALANCE_SOLVER_H

#include "continuation/point_solver.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/recovery/recovery.h"
#include "harmonic/recovery/sensitivity.h"

/*
 * The balance of a model with what its `solver.linear` asks for: compliance->has_matrices, or
 * the Jacobian as an operator, by itself where there are many unknowns and nothing needs a
 * matrix.
 */
enum masing_status solver_balance_create(const struct masing_model *model, int n_threads,
                                         bool needs_matrix,
                                         const struct masing_progress *progress,
                                         struct balance **balance, struct masing_error *error);

/* Whether that is an operator, for a model with so many harmonics. */
bool solver_is_iterative(const struct masing_model *model, bool needs_matrix);

/* Its equations. The balance is lent, and is the context; there are no solutions at frequencies
 * that are not above zero. */
struct continuation_problem balance_problem(struct balance *balance);

enum masing_status balance_solver_create(struct balance *balance, double tolerance,
                                         struct point_solver **solver,
                                         struct masing_error *error);

/*
 * How solutions of the balance of a recovery change, by a solver of its own where that balance
 * has no matrices: to be destroyed after the sensitivity, else NULL.
 */
enum masing_status balance_solver_sensitivity(struct recovery *recovery,
                                              struct point_solver **solver,
                                              struct sensitivity **sensitivity,
                                              struct masing_error *error);

/* The balance of a model once more, with more harmonics and samples. */
struct refinement {
    struct masing_model model; /* a copy that lends everything but the list of harmonics */
    struct balance *balance;
    struct recovery *recovery;
    struct point_solver *solver;
};

/* A copy of a model with all harmonics up to the highest; it lends everything but their list,
 * which is the caller's to free. */
enum masing_status refinement_model(const struct masing_model *model, int highest,
                                    int n_samples, struct masing_model *copy,
                                    struct masing_error *error);

/* Unknowns and frequency, or a tangent, for a finer balance, which has all harmonics from 0;
 * those that are new are zero. */
void refinement_pad(const struct balance *coarse, const double *y, const struct balance *fine,
                    double *out);

/*
 * All harmonics from 0 to 2 H + 1, H being the highest of the list, and twice the samples.
 * MASING_STOPPED where that is more than a model may have, or than is worth it.
 */
enum masing_status refinement_create(const struct masing_model *model, int n_threads,
                                     const struct masing_progress *progress,
                                     struct refinement **refinement,
                                     struct masing_error *error);
void refinement_destroy(struct refinement *refinement);

/* Take a solution with fewer harmonics as the guess, the others being zero, and the sliders'
 * start with it. */
void refinement_start(struct refinement *refinement, const struct point_solver *coarse);

/* Go along the tangent of that solution (the guess is none, and its own may point anywhere). */
enum masing_status refinement_follow_tangent(struct refinement *refinement,
                                             struct point_solver *coarse);

/* A place on the curve: the maximum lies where the slope falls through zero. */
struct slope_sample {
    double s, slope, omega, measure;
};

/* The largest value of the peak's measure near a guess. */
struct maximum_search {
    struct point_solver *solver; /* with the guess, then the solution */
    struct recovery *recovery;   /* of its balance; evaluated there */
    double low, high;            /* of the frequency */
    double gain;                 /* part of the measure that may still be gained */
    double measure;              /* about what it is */
    double curvature; /* second derivative along the curve, in parts of it; 0: not known */
    bool is_held;     /* at the nearer end of the frequency range, maximum or not */
    bool is_at_limit; /* found there: the measure grows outwards */
    bool is_corner;   /* the slope jumps at the maximum */
    /* private */
    struct slope_sample last, before; /* the two latest */
    struct slope_sample below, above; /* slopes > 0 and < 0 */
    bool has_below, has_above;
    double width;     /* of the enclosure when it was looked at last */
    double steepness; /* change of the slope over its first width, per arc length */
    int n_samples;
};

/* Go from the guess along the tangent that the solver has, so that a fold beside the maximum
 * does no harm. Positive: not found. */
enum masing_status maximum_search_run(struct maximum_search *search);

#endif
