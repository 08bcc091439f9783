/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `harmonics: auto`: balances of a model with more and more harmonics, of which one at a time
 * stands for the model. Unknowns are always those of the one with all harmonics; where a level
 * does not have them they are zero.
 */
#ifndef MASING_ANALYSES_RESPONSE_HARMONIC_LEVELS_H
#define MASING_ANALYSES_RESPONSE_HARMONIC_LEVELS_H

#include "base/arena.h"
#include "analyses/curve/balance_solver.h"
#include "harmonic/recovery/recovery.h"

struct harmonic_level {
    int highest;
    struct masing_model model; /* a copy that lends everything but the list of harmonics */
    struct balance *balance;
    int *map;                                   /* [n] index of its unknowns among all */
    double *y, *residual, *by_omega, *jacobian; /* [n], [n * n] */
    struct point_solver *solver;                /* of its balance */
};

/* Where a solution lies, and along which line across the curve another one is looked for. */
struct harmonic_levels_point {
    const double *y;
    double omega;
    const double *dy; /* tangent; NULL: the frequency is held */
    double domega;
};

struct harmonic_levels {
    struct balance *full; /* lent */
    struct recovery *recovery;
    double tolerance;
    struct arena arena; /* of all arrays, those of the levels too */
    int n_levels, active;
    struct harmonic_level *levels;
    bool *is_mapped;        /* [n of all] scratch */
    double *trial, *solved; /* [n of all] */
    double trial_omega, solved_omega;
    bool is_stale;  /* harmonics were added since the last accepted point */
    bool has_moved; /* the solution is another one than that which was given */
    struct harmonic_levels_point line;    /* of the last point that was raised */
    double *measures, *changed, *largest; /* [n_outputs] */
    int wait;                             /* points until fewer harmonics are tried again */
    double error;                         /* estimate at the last point, NAN at the top level */
    int lowest_used, highest_used;        /* harmonics; 0: none yet */
    double worst_error, worst_omega;      /* of points that the levels could not settle */
    bool is_exhausted;                    /* the top level may not be enough somewhere */
    double exhausted_omega;
};

/* For a model whose harmonics are to be chosen. @p recovery is of the balance with all. */
enum masing_status harmonic_levels_create(struct balance *full, struct recovery *recovery,
                                          int n_threads, struct harmonic_levels **levels,
                                          struct masing_error *error);
void harmonic_levels_destroy(struct harmonic_levels *levels);

/* Highest harmonic that is kept at present. */
int harmonic_levels_highest(const struct harmonic_levels *levels);

/* As balance_evaluate of the active level; harmonics that it does not have are held at zero. */
enum masing_status harmonic_levels_evaluate(struct harmonic_levels *levels, const double *y,
                                            double omega, double *residual, double *jacobian,
                                            double *residual_omega);
void harmonic_levels_smooth(struct harmonic_levels *levels, double level);
/* Give the active level the sizes of the motion. */
void harmonic_levels_weigh(struct harmonic_levels *levels, const double *y);

/* Take as many more harmonics as a solution needs; solved [n] and solved_omega: the solution
 * with them. */
enum masing_status harmonic_levels_raise(struct harmonic_levels *levels,
                                         const struct harmonic_levels_point *point);

/* Take fewer harmonics, where the last point does with them by far. */
void harmonic_levels_lower(struct harmonic_levels *levels);

/* Go back to the level of a saved solution. */
void harmonic_levels_adopt(struct harmonic_levels *levels, const double *y);

#endif
