/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows F(y, lambda) = 0, n equations in n unknowns and one parameter, by arc length.
 * It has nothing of mechanics in it. Lambda is scaled by the caller's range, y by weights.
 */
#ifndef MASING_CONTINUATION_CONTINUATION_H
#define MASING_CONTINUATION_CONTINUATION_H

#include <stdbool.h>

#include "base/packing.h"
#include "masing/status.h"
#include "masing/strategy.h"

/*
 * The Jacobian as an operator, where a matrix would be too large: no matrix is asked of
 * `evaluate` then (its jacobian and residual_lambda are NULL). Every function is handed the
 * context of the problem and returns a positive status where there is no result. A context has
 * one linearisation at a time: of two solvers that share it, each linearises once more where
 * the other was at work.
 */
struct continuation_operator {
    /* residual [n] and derivative by lambda [n] at (y, lambda); apply and precondition are from
     * now on those of this point, until the next call; evaluate does not change them. */
    enum masing_status (*linearize)(void *context, const double *y, double lambda,
                                    double *residual, double *residual_lambda);
    /* product [n] = dF/dy x */
    enum masing_status (*apply)(void *context, const double *x, double *product);
    /* x [n] becomes an approximation of (dF/dy)^-1 x, the same linear map until the next
     * linearize or renew. */
    enum masing_status (*precondition)(void *context, double *x);
    /* NULL, or a number that is another one after any linearize, whoever asked for it */
    long (*linearisation)(void *context);
    /* NULL, or precondition may be one of several: that which a curve begins with, or the one
     * that suits what is linearised at present. It remains until the next call. */
    enum masing_status (*renew)(void *context, bool is_first);
    /* with renew: what it costs, in iterations */
    double (*renewal_cost)(void *context);
    /* apply to a few thousandths, in much less time, where the problem says `has_near` */
    enum masing_status (*apply_near)(void *context, const double *x, double *product);
};

/* The residual. Everything is reentrant through the context. */
struct continuation_problem {
    void *context;
    void *driver; /* handed to accepted and restart; NULL: the context */
    int n;
    const struct continuation_operator *operator; /* NULL: dense matrices; lent */
    bool has_near;                                /* the operator's apply_near is to be had */
    /* with an operator, of solves for tangents, relative; Newton's steps: see krylov.c; 0: the
     * default, 1e-6 */
    double krylov_tolerance;
    /* residual [n]; jacobian [n*n] column-major or NULL; derivative by lambda [n] or NULL (both
     * are asked for together). Residuals are scaled so that 1 means "as large as the load".
     * Returns MASING_NOT_FINITE (or another positive status) where it cannot be evaluated. */
    enum masing_status (*evaluate)(void *context, const double *y, double lambda,
                                   double *residual, double *jacobian, double *residual_lambda);
    /* weight[i] > 0: |weight[i] dy[i]| = 1 is a change as large as the solution itself. Called
     * at accepted points; may remember the largest solution so far. */
    void (*weights)(void *context, const double *y, double lambda, double *weight);
    /* NULL, or called once for each point from which a step starts, after the observer saw it
     * (e.g. sliders carried along). Not for the extra points on the way (marks, values). It may
     * change the problem a little; true: y and lambda were moved to its solution close by. */
    bool (*accepted)(void *context, double *y, double *lambda);
    /* NULL, or deform the problem: 0 is the problem itself, 1 the smoothest of a family that
     * leads to it. Used on the way to a solution only; always left at 0. */
    void (*smooth)(void *context, double level);
    /* NULL, or a guess [n] at `lambda` by other means than solving the equations, from a
     * solution (or a guess) y [n] at `from`. Slow, and tried last. Positive: no help. */
    enum masing_status (*restart)(void *context, const double *y, double from, double lambda,
                                  double *guess);
    /* NULL, or whether the curve, on from the solution y [n] with this dlambda, is known to run
     * off to infinity at a lambda close by, *pole; guess [n]: beyond it, at the same distance.
     */
    bool (*unbounded)(void *context, const double *y, double lambda, double dlambda,
                      double *pole, double *guess);
    /* NULL, or whether there is more to a solution, where a peak may be, than the equations
     * know: then they have been changed to know it. */
    bool (*has_more)(void *context, const double *y, double lambda);
    /* NULL, or first guesses [*n_guesses][n] at `lambda`, to be freed by the caller: a curve
     * that came back to where it began is followed from the other end, too. */
    enum masing_status (*guess)(void *context, double lambda, double **guesses, int *n_guesses,
                                struct masing_error *error);
    /* of settings.starts: a guess y [n]; positive: there is none, nor will there be one */
    enum masing_status (*start)(void *context, int index, double lambda, double *y);
    /* NULL, or image [n], the k-th (from 1) solution that counts as the same as y [n]; false:
     * there are no more. */
    bool (*image)(void *context, int k, const double *y, double *image);
};

enum continuation_event_type {
    CONTINUATION_KINK, /* the curve has a corner there: land on it and start anew behind it */
    CONTINUATION_MARK, /* an extra point on the smooth curve, then go on as before */
};

/* Kinds of events are bits of a set. These the continuation finds by itself; the caller's are
 * numbers behind them, below 32. */
enum continuation_kind {
    CONTINUATION_FOLD = 1,     /* lambda turns round */
    CONTINUATION_BRANCH_POINT, /* another curve crosses this one */
    CONTINUATION_AT,           /* one of the values to land on */
    CONTINUATION_OWN_KINDS
};

/* A function that changes sign along the curve. dy, dlambda: unit tangent at the point. */
struct continuation_event {
    int rising, falling; /* kinds; 0: this direction is not an event */
    enum continuation_event_type type;
    void *context;
    /* Continuous for corners; may jump for marks, which then lie at the jump. */
    double (*value)(void *context, const double *y, double lambda, const double *dy,
                    double dlambda);
    /* NULL, or whether a mark that was located at a solution, to 1e-5 of the step, is the event
     * after all; where it cannot be located it is not. The value is then taken to be costly,
     * and not to depend on the tangent: it is asked for in solutions only. */
    bool (*confirm)(void *context, const double *y, double lambda);
    /* NULL, or the value for a place beside the curve with a direction that is no tangent
     * there, which only has to tell where to look: what makes a value exact may be left out. */
    double (*glance)(void *context, const double *y, double lambda, const double *dy,
                     double dlambda);
};

/* Where the curve may rise and fall again within a width, however smooth it is on both sides,
 * as in a resonance that is hardly damped. */
struct continuation_peak {
    double lambda, width;
    bool is_skipped; /* counted where it is there, and not followed */
};

enum continuation_predictor { CONTINUATION_TANGENT, CONTINUATION_HERMITE };

/* Zero means the default where one is given. Values and events are copied. */
struct continuation_settings {
    double lambda_from, lambda_to; /* exact ends; the direction is from -> to */
    bool starts_inside;            /* start at lambda_start, not at lambda_from */
    double lambda_start;
    double tolerance; /* max norm of the scaled residual; 1e-10 */
    /* arc length, in parts of |lambda_to - lambda_from|; 0.01, 1e-7, 0.1 */
    double step_initial, step_min, step_max;
    double predictor_tolerance; /* distance of predictor and solution aimed at; 0.01 */
    enum continuation_predictor predictor;
    /* accepted points, extra ones included; all searches together stop after 50 residuals for
     * each and 500 more; 100000 */
    int max_points;
    int max_iterations; /* per corrector solve; 10 (analyses: curve/driver.c) */
    /* the curve may have corners that no event function announces, as where one contact among
     * many changes its state: they are looked for where a step fails, and stepped over */
    bool has_hidden_corners;
    bool mark_folds;    /* land on lambda' = 0 */
    bool mark_branches; /* report where another curve crosses this one; not with an operator */
    /* then follow the others, at most so many, from their branch points to the end of the range
     * or to another branch point that is known; 0: none. Needs mark_branches. */
    int max_branches;
    int n_values;         /* exact landings on these lambda, each time they are passed */
    const double *values; /* e.g. --at */
    /* ascending: no step that is longer passes by one before a solution there has shown that
     * the curve is as smooth as its ends tell; copied */
    int n_peaks;
    const struct continuation_peak *peaks;
    int n_events;
    const struct continuation_event *events;
    /* lambda [n_starts] at which other curves are searched for when this one has ended, by
     * Newton's method from problem.start; each that is found is followed from end to end.
     * Copied. */
    int n_starts;
    const double *starts;
    /* as soon as the search has cost more Jacobians than the larger of a number and a part of
     * what the curve itself has, it ends; both 0: it does not */
    double most_search, most_search_part;
    /* of curves that were found, whether they hang together; needs mark_branches */
    bool has_junctions;
    double lambda_unit;           /* messages show lambda / lambda_unit; 1 */
    const char *lambda_unit_name; /* " Hz"; may be NULL */
    /* Pause behind so many points, wherever the curve is one piece so far; 0: never. Not where
     * branches are followed. */
    int pause_every;
};

/* What happens at a point, in the order in which it was found. */
struct continuation_events {
    unsigned kinds; /* set of bits 1 << kind */
    int n;
    const struct continuation_met *met; /* [n] */
};
struct continuation_met {
    int kind;
    int event; /* index of settings->events; -1: found by the continuation itself */
};

/* An accepted point: its residual was evaluated after the last correction. */
struct continuation_point {
    int index;
    const double *y; /* [n] */
    double lambda;
    /* Unit tangent by arc length going out: sum (w_i dy_i)^2 / m + (dlambda / range)^2 = 1,
     * where m >= 1 is the largest sum (w_i y_i)^2 met so far. */
    const double *dy; /* [n] */
    double dlambda;
    /* Tangent coming in. Its direction differs from that of dy at a corner only; it is of unit
     * length in the metric of the step that led here. So dy of one point, dy_in of the next
     * and the difference of their arcs interpolate by Hermite's cubic. */
    const double *dy_in; /* [n] */
    double dlambda_in;
    double arc;      /* arc length since the start, weighted */
    double residual; /* max norm, scaled */
    int iterations;
    /* how often the curve was begun anew: behind a gap, or with a branch, whose first point is
     * its branch point once more */
    int piece;
    bool is_on_side_branch; /* on a branch that crosses the curve, or on a curve of its own */
    struct continuation_events events;
};

enum continuation_end {
    CONTINUATION_REACHED,    /* the far end */
    CONTINUATION_RETURNED,   /* came back to the near end */
    CONTINUATION_CLOSED,     /* a closed curve */
    CONTINUATION_FULL,       /* max_points */
    CONTINUATION_STEP_LIMIT, /* no step down to step_min converged, nor did anything else */
    CONTINUATION_NO_START,   /* no first point */
    CONTINUATION_ASKED,      /* an observer asked to stop */
    CONTINUATION_MET,        /* a branch came to a branch point that is known */
    CONTINUATION_WINDS,      /* turned round again and again, and led no further */
    CONTINUATION_PAUSED,     /* settings.pause_every: continuation_go_on is what comes next */
};

/* Cost, for benchmarks and the summary. */
struct continuation_counts {
    int points, rejected;
    long residuals, jacobians, factorisations; /* following the curve */
    /* locating events, marks, values, folds */
    long event_residuals, event_jacobians, event_factorisations;
    /* where the Jacobian is an operator: linear systems that were solved, all in all */
    long krylov_solves, krylov_iterations;
    int strategies[MASING_N_STRATEGIES]; /* points that needed each */
    int branch_points;                   /* that were met, each counted once */
    int branches;                        /* that were followed beside the curve itself */
    int poles;                           /* that were stepped over */
    double pole;                         /* lambda of the first of them */
    int gaps;                            /* in the curve that were stepped over */
    double widest_gap[2];                /* the lambda of its two ends */
    int unseen;                          /* settings.peaks that were passed by, and are there */
    double hidden;                       /* lambda of the first of them */
    int retries; /* pieces that begin anew because the one before ran back on its own path */
    bool has_far_end;      /* the last piece did not lead there, and another begins there */
    int integrated_starts; /* restarts with nothing before them */
    enum continuation_end near_end; /* how the one before ended */
    /* lambda between which neither of the two pieces has been, though one of them winds */
    bool has_gap;
    double gap[2];
    struct continuation_search {
        int starts, solved;  /* tried; that led to a solution */
        int fresh;           /* of these, on no curve that was known */
        int found;           /* curves, each followed */
        int apart;           /* of them, not connected by branch points that were met */
        int broken;          /* of them, that ended before the range did */
        double broken_at;    /* lambda where the first of these did */
        bool is_interrupted; /* by a limit, see settings.most_search and max_points */
    } search;
};

struct continuation_observer {
    void *context;
    /* Non-zero stops. Negative is an error and is returned. */
    enum masing_status (*point)(void *context, const struct continuation_point *point,
                                struct masing_error *error);
    void (*log)(void *context, const char *line); /* may be NULL; strategies tried */
    void (*missed)(void *context, double value);  /* may be NULL; passed, but not landed on */
};

struct continuation; /* workspaces, one thread */

enum masing_status continuation_create(const struct continuation_problem *problem,
                                       const struct continuation_settings *settings,
                                       struct continuation **continuation,
                                       struct masing_error *error);
void continuation_destroy(struct continuation *continuation);

/* Follow the curve from lambda_from. guesses [n_guesses][n]: starts tried in order at
 * lambda_from: plain Newton, then line search, then what is slower, from each.
 * Where that curve runs back to its first point, on its own path, it is followed again as
 * another piece, with shorter steps; where it comes back to lambda_from elsewhere, or turns
 * round again and again and leads no further, another piece is followed from lambda_to if
 * problem.guess finds a start there: the far end is reached when it leads to lambda_from, or to
 * where the first piece has been; and where one of them winds, with a gap. Returns MASING_OK
 * when the far end was reached (or the curve closed), MASING_STOPPED with the reason in the
 * error record when it ended early, negative on failure. */
enum masing_status
continuation_follow(struct continuation *continuation, const double *guesses, int n_guesses,
                    const struct continuation_observer *observer, enum continuation_end *end,
                    struct continuation_counts *counts, struct masing_error *error);

/* Put all that later points depend on into a packing, or take it, where a curve has paused:
 * into a new continuation of the same problem and settings. The continuation begins anew with
 * all that it can do without, so that points are the same bits wherever it was taken from. */
void continuation_pack(struct continuation *continuation, struct packing *packing);

/* Go on from there, or after any pause, as continuation_follow. */
enum masing_status continuation_go_on(struct continuation *continuation,
                                      const struct continuation_observer *observer,
                                      enum continuation_end *end,
                                      struct continuation_counts *counts,
                                      struct masing_error *error);

/* Solve F(y, lambda) = 0 at fixed lambda from the guess in y; same strategies as at the start.
 */
enum masing_status continuation_solve(struct continuation *continuation, double lambda,
                                      double *y, int *iterations, struct masing_error *error);

/* A first point at lambda, y [n], as a curve that begins there from guesses [n_guesses][n]. */
enum masing_status continuation_search(struct continuation *continuation, double lambda,
                                       const double *guesses, int n_guesses, double *y,
                                       struct masing_error *error);

/* Unit tangent at a solution, from a new Jacobian. Oriented along what dy and dlambda hold on
 * entry, or along +lambda when they are all zero. */
enum masing_status continuation_tangent(struct continuation *continuation, const double *y,
                                        double lambda, double *dy, double *dlambda);

#endif
