/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one driver of analyses that follow a curve of solutions: settings of the continuation,
 * ways on where Newton's method fails, changes of the joints' states and stability as events,
 * values at which rows are required, progress, and how the curve ended. The analysis gives a
 * residual, events of its own, and what is done with an accepted point.
 */
#ifndef MASING_ANALYSES_CURVE_DRIVER_H
#define MASING_ANALYSES_CURVE_DRIVER_H

#include "analyses/curve/stability.h"
#include "analyses/curve/event_row.h"
#include "base/arena.h"
#include "base/packing.h"
#include "base/progress.h"
#include "continuation/continuation.h"
#include "harmonic/balance/balance.h"
#include "harmonic/joints/joint_response.h"
#include "masing/response.h"

/* Analyses of curves warn where energy put in and lost differ by more than this part of the
 * work exchanged, far above what the default tolerance of the solver leaves, and where the last
 * harmonic is larger than this part of the first, so that those left out matter to the curve.
 */
static const double ENERGY_MISMATCH_LIMIT = 1e-6, LAST_HARMONIC_LIMIT = 0.01;

/* Points from one place where a long curve may go on to the next, and unknowns from which on a
 * curve is long: with fewer it takes some seconds at most. */
enum { CURVE_PAUSE_EVERY = 50, CURVE_MANY_UNKNOWNS = 256 };

/* An accepted point on its way to a row. */
struct curve_driver_point {
    struct continuation_point solution;
    double value;      /* of the parameter as users give it; exact at settings.at */
    bool is_requested; /* it was one of settings.at */
    bool begins;       /* no curve leads to it from the last point */
    struct event_row events;
    struct point_stability stability;
};

/* What is solved. All functions get the problem's context. */
struct curve_residual {
    /* accepted is not asked where sliders carry over; driver and restart are filled in here,
     * smooth is left out where no law has anything to round off */
    struct continuation_problem problem;
    /* Evaluate the joints at a solution; omega: the frequency there. */
    enum masing_status (*settle)(void *context, const double *y, double lambda, double *omega);
    /* from the solution settled last (`start: previous`); NULL: that of the balance */
    void (*carry_sliders)(void *context);
    struct joint_response *const *joints; /* [n_joints of the model] */
    /* of a response to loads, for stability and restarts from time integration; else NULL */
    struct balance *balance;
};

struct curve_driver_settings {
    const struct masing_model *model; /* lent */
    struct curve_residual residual;
    double from, to;             /* of lambda */
    double value_from, value_to; /* the same as users give it */
    double longest_step;         /* of lambda; 0: as the model has it */
    double unit;                 /* messages show lambda / unit; 0: 1 */
    const char *unit_name;       /* behind it, e.g. " Hz" */
    /* rows exactly at these values, each time they are passed; lent */
    int n_at;
    const double *at;
    const char *at_name[2];            /* before and behind such a value in messages; lent */
    double (*lambda_of)(double value); /* NULL: the value itself */
    double (*value_of)(double lambda);
    int max_branches;
    enum masing_stability_method stability;
    int n_peaks;
    const struct continuation_peak *peaks; /* copied */
    /* as continuation_settings have them */
    int n_starts;
    const double *starts;
    double most_search, most_search_part;
    bool has_junctions;
    int n_events;
    const struct continuation_event *events; /* the analysis' own; copied */
    int pause_every;                         /* points; 0: never; see curve_driver_pack */
    bool is_for_own_events; /* neither folds nor branch points are looked for */
    /* NULL, or sees the accepted point first, and may put another solution in its place */
    enum masing_status (*prepare)(void *context, struct continuation_point *point);
    /* takes the point; what its summary says of stability and the like is noted already */
    enum masing_status (*take)(void *context, const struct curve_driver_point *point,
                               struct masing_error *error);
    const struct masing_progress *progress;             /* lent; may be NULL */
    struct masing_stability_summary *stability_summary; /* NULL without a balance */
};

/* What became of the curve; up to date after any end. */
struct curve_driver_result {
    int points;
    double residual; /* largest of an accepted point */
    struct continuation_counts counts;
    struct masing_places branch_points; /* values as users give them */
    bool is_complete;
    char reason[MASING_MESSAGE_LENGTH]; /* why it is not, else "" */
};

/* The progress of a curve within an analysis that reports its own: log and cancellation. */
static inline struct masing_progress progress_quiet(const struct masing_progress *progress)
{
    struct masing_progress quiet = progress ? *progress : (struct masing_progress){0};
    quiet.report = NULL;
    return quiet;
}

/* Report the fraction done. MASING_STOPPED where the user cancelled. */
enum masing_status progress_report(const struct masing_progress *progress, double fraction,
                                   int points, struct masing_error *error);

struct curve_driver {
    struct curve_driver_settings settings;
    bool cannot_integrate; /* a restart was refused once: not tried again */
    bool is_too_large;     /* one was wanted, with more axes than are integrated unasked */
    struct joint_events *joint_events;
    struct curve_stability *stability; /* NULL without a balance */
    struct arena arena;                /* of the arrays */
    int n_events;
    struct continuation_event *events; /* [n_events] all */
    double *at;                        /* [settings.n_at] of lambda */
    bool *is_met;                      /* [settings.n_at] the curve has a point there */
    bool *is_missed;                   /* [settings.n_at] it passes there without one */
    struct continuation *continuation;
    int previous_piece;
    bool is_paused; /* curve_driver_go_on is what comes next */
    struct curve_driver_result result;
};

enum masing_status curve_driver_create(const struct curve_driver_settings *settings,
                                       struct curve_driver **driver,
                                       struct masing_error *error);
void curve_driver_destroy(struct curve_driver *driver);

/*
 * The last way on along a curve of responses, a guess [n] at lambda from a solution y [n] at
 * `from`: from the last motion at a new value of the parameter, integrate in time until the
 * motion is periodic, and take its Fourier coefficients. This needs no Jacobian, and settles to
 * a stable motion wherever there is one near. Nothing here is fatal: what goes wrong means that
 * there is no guess. It is slow already, so that everything is allocated when it is needed.
 * @param driver its struct curve_driver
 */
enum masing_status curve_driver_restart(void *driver, const double *y, double from,
                                        double lambda, double *guess);

/*
 * Follow the curve from the first solution that one of guesses [n_guesses][n] leads to.
 * MASING_OK too where it ended early: see curve_driver_ended, to be called after what belongs
 * to the summary of any curve is done.
 */
enum masing_status curve_driver_follow(struct curve_driver *driver, const double *guesses,
                                       int n_guesses, struct masing_error *error);
/*
 * Where it has paused: put all that later points depend on into a packing, or take it, into a
 * new driver of the same settings; and go on. Not what the residual carries from point to
 * point.
 */
void curve_driver_pack(struct curve_driver *driver, struct packing *packing);
enum masing_status curve_driver_go_on(struct curve_driver *driver, struct masing_error *error);

/* Warn of settings.at without a row: which, and why. */
enum masing_status curve_driver_warn_missing(const struct curve_driver *driver,
                                             const struct warning_list *list,
                                             struct masing_error *error);
/* MASING_OK, or MASING_STOPPED with the reason. */
enum masing_status curve_driver_ended(const struct curve_driver *driver,
                                      struct masing_error *error);

/* The parameter as users give it; exact at settings.at. */
double curve_driver_value(const struct curve_driver *driver, double lambda);
/* Whether it is one of settings.at. */
bool curve_driver_is_requested(const struct curve_driver *driver, double lambda);

#endif
