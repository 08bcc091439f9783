/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of this folder share: a continuation under way. Vectors u and tangents are
 * (y, lambda), [size] = [n + 1]. Functions stand below by the file that has them:
 *
 *     continuation.c         the loop over steps, from the first point to the end of the range
 *     step.c                 the length of the next step
 *     attempt.c              one step of a given length, single points; exact tangents
 *     report.c               points and lines of the log
 *     workspace.c            what is allocated; metric and copies
 *     checkpoint.c           what is carried on where a curve pauses
 *     strategies/            other ways on: solve, homotopy (and smoothing), rescue
 *     events/events.c        signs of event functions; what happens at `next`
 *     events/locate.c        the zero of one function on the step
 *     events/corners.c       corners cut the step
 *     events/hidden.c        corners that no event function announces
 *     events/between.c       ends of the range, closed curves, landings, narrow peaks, points
 * in between events/branches.c      branch points and the branches through them
 */
#ifndef MASING_CONTINUATION_CURVE_H
#define MASING_CONTINUATION_CURVE_H

#include <math.h>

#include "continuation/bordered.h"
#include "continuation/corrector.h"

/* ---- attempt.c: from known points and tangents to a guess further on ---- */

/* All vectors [size]; from and to are lent. */
struct predictor_segment {
    int size;
    const double *from, *from_tangent;
    const double *to, *to_tangent;
    double length; /* arc length between the two */
};

/* Arc length between two points from chord and turning; also the turning angle in rad (may be
 * NULL). */
double predictor_length(int size, const double *metric, const double *from,
                        const double *from_tangent, const double *to, const double *to_tangent,
                        double *turning);

/* Point and derivative by arc length at `arc` from the first point; beyond the second the
 * polynomial is extrapolated. */
void predictor_hermite(const struct predictor_segment *segment, double arc, double *u,
                       double *derivative);

/* One component only: lambda crossing a bound. */
double predictor_hermite_component(const struct predictor_segment *segment, int component,
                                   double arc);

/* The straight line from a point. */
void predictor_line(int size, const double *from, const double *tangent, double arc, double *u);
/* ---- step.c: length of the next step from how the last one went ---- */

/* How the distance between predictor and solution grows with the step h. */
enum step_order {
    STEP_LINE,    /* h^2: straight line on a smooth curve */
    STEP_CORNER,  /* h^(3/2): straight line behind a corner */
    STEP_SECANT,  /* on a curve of many small corners: hardly */
    STEP_HERMITE, /* (h (h + h_before))^2 */
};

struct step_outcome {
    double length;        /* of the predictor */
    double length_before; /* of the step before */
    double error;         /* distance between predictor and solution */
    double turning;       /* rad */
    int iterations;
    enum step_order order;
};

struct step_control {
    double length; /* of the next step */
    bool is_held;  /* a step was rejected: do not grow at once */
    double before; /* the longest that was rejected since one as long was accepted */
};

/* Largest error that a step of this length is meant to have. */
double step_error_aim(const struct continuation_settings *settings, double length);

/* Whether the error is so much larger that the next point behind a corner would be off by too
 * much. */
bool step_is_coarse(const struct step_outcome *outcome,
                    const struct continuation_settings *settings);

/* Factor on the length with which the error would be as aimed at. */
double step_error_factor(const struct step_outcome *outcome,
                         const struct continuation_settings *settings);

/* Whether a converged step is a step along the curve at all. */
bool step_is_credible(const struct step_outcome *outcome,
                      const struct continuation_settings *settings);

void step_accept(struct step_control *control, const struct continuation_settings *settings,
                 const struct step_outcome *outcome);
void step_reject(struct step_control *control, double factor);
void step_restart(struct step_control *control, const struct continuation_settings *settings,
                  double length);
/* ---- a continuation under way ---- */

struct curve_point {
    double *u;
    double *tangent_in; /* coming in */
    double *tangent;    /* going out; differs at a corner only */
    double *value;      /* [n_functions] of the event functions, coming in */
    double arc;
    double residual;
    int iterations;
};

/* Where an event function stands; the last function is the fold's, dlambda. */
struct curve_function {
    struct continuation_event event;
    double scale;     /* of recent values */
    double largest;   /* of all values so far */
    double steepness; /* change of the value per radian that a tangent turns, as seen last */
    int sign;         /* behind `here`: -1, 1; 0 as long as nothing but zeros were met */
    int sign_kept;    /* to be restored when the step is taken back */
    bool was_hit;     /* `here` lies on its zero */
    bool is_hit;      /* `next` lies on its zero and the sign changes there */
};

/* A point between `here` and `next`: a mark, or one that interpolation needs. */
struct curve_extra {
    struct curve_point point;
    struct continuation_met met; /* kind 0: none */
};

/* Where two curves cross. */
struct curve_junction {
    double *u;          /* [size] */
    double *null;       /* [size] unit, orthogonal to the tangent of the curve it was met on */
    bool is_settled[2]; /* the branch against it, along it: followed, or known */
    double residual;
    int curve; /* 0: the first one; of those found beside it, which */
};

/* What the search for other curves knows of those that were followed. */
enum { CURVE_MOST_FOUND = 200, CURVE_MOST_ARRIVALS = 8 };
struct curve_search {
    double *starts; /* [settings.n_starts] lambda */
    /* segments near to a start, see search.c; grown, owned */
    size_t n, capacity;
    double *segments;
    double *u, *image, *point;      /* [size] scratch; NULL without starts */
    double *arrivals;               /* [CURVE_MOST_ARRIVALS][n] */
    int curve;                      /* under way, or whose branch is; 0: the first */
    bool is_found;                  /* it is one that was found, not a branch */
    bool is_dry;                    /* to where the curve begins: no points are reported */
    int n_dry;                      /* steps so far */
    int root[CURVE_MOST_FOUND + 1]; /* of each curve, one that it hangs together with */
};

/* How often lambda turned round since the farthest was reached, by more than what noise does.
 */
struct curve_turns {
    int n;
    double extreme, lowest; /* in the direction of the range, since the last turn and of all */
    bool is_ahead;          /* it goes towards lambda_to */
};

struct continuation {
    struct arena arena; /* of all arrays */
    struct continuation_problem problem;
    struct continuation_settings settings;
    double *values;                  /* [settings.n_values] ascending */
    struct continuation_peak *peaks; /* [settings.n_peaks] */
    double *peak_values;             /* [settings.n_peaks] their lambda */
    struct continuation_peak
        spotted; /* the one that was found last, which may be none of them */
    struct curve_function *functions; /* [n_functions] */
    int n, size, n_functions;
    bool has_many;           /* unknowns: tangents cost much, and corners need not cut steps */
    bool is_inner;           /* a homotopy of another one's: no homotopy of its own */
    long most_residuals;     /* of an inner one: what is left of the other's */
    double range, direction; /* |lambda_to - lambda_from| and its sign */

    double *metric, *weight; /* [size], [n] */
    double solution_size;    /* largest sum (w_i y_i)^2 so far, at least 1 */
    struct bordered bordered;
    struct corrector *corrector;
    struct bordered_cost following, locating;
    struct continuation_counts counts; /* but for those two, as far as they are known */

    /* the step under way leads from `here` to `next`; `before` feeds the predictor */
    struct curve_point before, here, next, first;
    struct curve_point low, high, trial; /* of a bracket */
    struct curve_point beyond;           /* `next` before a corner cut the step */
    struct curve_point last;             /* that was reported */
    struct curve_extra *extras;          /* [most_extras + 1 + CURVE_REFINEMENTS] */
    int n_extras, most_extras;           /* of events on one step; more take a shorter one */
    double *value_out; /* [n_functions] of the event functions behind a corner at `next` */
    double *guess, *normal, *work, *ahead; /* [size] */
    double *beyond_corner; /* [size] from a hidden corner to the solution beyond */
    double *secant;        /* [size] unit, through the last two points */
    double heading;        /* sign of the change of lambda on the last step that led on */
    int secant_votes;      /* for it, against the tangents, as the last steps have shown */
    bool is_hidden_corner; /* `next` is a corner that no event function announced */
    double correction;     /* of the last point solved for in between */
    bool has_before;
    double length_before; /* arc length from `before` to `here` */
    bool closes;          /* `next` is the first point again */
    double reach;         /* within which it was looked for */
    int approached;       /* function on whose corner `next` lies for sure; -1: none */
    bool is_corner;       /* `next` is a corner */
    double corner_step;   /* first step behind it */
    bool is_restarted;    /* `here` is a corner: the curve bends like arc^(3/2) behind it */
    struct step_control step;
    double advised;              /* part of the last step that may do, where it was refused */
    struct step_outcome outcome; /* of the step to `next` */
    double good_length;          /* of the last step that was taken without trouble */
    bool has_converged;          /* the last attempt met a solution, if not the wanted one */
    bool is_rescued;             /* `next` was reached by another strategy */
    bool begins_anew;            /* `next` begins another piece of the curve */
    int n_pieces;                /* begun behind the first, branches included */
    double last_gap;             /* lambda behind the last gap that was stepped over */
    double farthest;             /* lambda on the way to lambda_to that was reached */
    int n_steps;                 /* since `watched_arc` */
    double watched_arc;
    bool is_held_up; /* these steps led nowhere */
    struct curve_turns turns;
    int rescues; /* in a row */

    /* branch points: signs of bordered_orientation, 0: not known */
    int orientation;                  /* behind `here` */
    int orientation_next;             /* coming in at `next` */
    int orientation_out;              /* behind a corner at `next` */
    double *probe;                    /* [size] */
    struct curve_junction *junctions; /* [most_junctions] */
    int n_junctions, most_junctions;
    bool has_motion;        /* this search has tried the one that time integration leads to */
    bool is_on_side_branch; /* on a branch, not on the curve itself */
    bool meets;             /* `next` is a branch point that is known */
    struct curve_search search;

    int pause_at; /* number of points behind which it pauses; 0: never */
    const struct continuation_observer *observer;
    struct masing_error *error; /* of the caller */
    bool has_ended;
    enum continuation_end end;
    char reason[256];
    struct continuation_met *met; /* [n_functions + 2] what happens at `next` */
    int n_met;
};

/* ---- continuation.c ---- */

/* Another piece, or the first, begins like a curve behind an arc length. */
void curve_begin_piece(struct continuation *c, double arc);
/* Unit tangent at the first point in `next`, towards lambda_to. */
enum masing_status curve_start_tangent(struct continuation *c);
/* A curve begins with `next`, which becomes `here`. */
enum masing_status curve_begin(struct continuation *c);
/* On to its end, or to a pause. */
enum masing_status curve_follow_on(struct continuation *c);
/* lambda_from and lambda_to change places. */
void curve_turn_range(struct continuation *c);
/* No more points are to be had. */
bool curve_is_over(enum continuation_end end);
/* Branches through junctions that are not settled yet. */
enum masing_status curve_follow_branches(struct continuation *c);
bool curve_is_value(const struct continuation *c, double lambda);

/* ---- attempt.c: one step of a given length ---- */

struct curve_attempt {
    double length;
    bool is_line;        /* straight predictor whatever the settings say */
    bool is_line_search; /* globalised corrector */
    bool is_homotopy;    /* deform the residual at the predicted point into zero */
    bool is_smoothed;    /* solve the smoothed problem first */
    bool is_secant;      /* straight predictor through the last two points */
    bool holds_lambda;   /* at the predicted lambda, not in the hyperplane */
    /* NULL, or the direction [size] of a straight predictor other than the tangent */
    const double *direction;
};
enum masing_status curve_attempt(struct continuation *c, const struct curve_attempt *attempt);

enum curve_precision {
    CURVE_PLAIN,    /* where tangents cost much it is the normal of the last row */
    CURVE_POLISHED, /* likewise, and far below the tolerance if it can be */
    CURVE_TANGENT,  /* with the tangent by the factors at hand, if they are good for it */
    CURVE_EXACT,    /* with the tangent from the Jacobian at the solution */
};
/* From the guess in the point, with the last row as it is set, to a solution no further than
 * `limit`, and the tangent of both its sides by the factors at hand. How far it was goes to
 * `correction`. */
enum masing_status curve_correct(struct continuation *c, double limit,
                                 enum curve_precision precision, struct curve_point *point);

/* Tangents from a Jacobian evaluated for them, oriented along a direction: at u. */
enum masing_status curve_exact_tangent(struct continuation *c, const double *u,
                                       const double *along, double *tangent);
/* At u + arc * direction. */
enum masing_status curve_tangent_at_distance(struct continuation *c, const double *u,
                                             const double *direction, double arc,
                                             double *tangent);
/* At u towards lambda_to, where other curves may cross this one: unknowns that nothing drives
 * may take any value. */
enum masing_status curve_tangent_along_lambda(struct continuation *c, const double *u,
                                              double *tangent);
void curve_turn_round(const struct continuation *c, double *tangent);

/* ---- report.c ---- */

void curve_log(struct continuation *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Count and log what the point at u needed. */
void curve_needed(struct continuation *c, enum masing_strategy strategy, const double *u);
void curve_stop(struct continuation *c, enum continuation_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Arc length of a point from the one reported last, in the present metric. */
void curve_measure_arc(const struct continuation *c, struct curve_point *point);
/* One more of what happens at `next`; event: as in continuation_met. */
void curve_add_event(struct continuation *c, int kind, int event);
enum masing_status curve_report(struct continuation *c, const struct curve_point *point,
                                const struct continuation_met *met, int n_met);

/* ---- workspace.c ---- */

enum masing_status curve_renew_metric(struct continuation *c, const double *u);
void curve_copy_point(const struct continuation *c, struct curve_point *to,
                      const struct curve_point *from);

/* ---- strategies/solve.c: at given lambda ---- */

enum curve_solver {
    CURVE_NEWTON,
    CURVE_LINE_SEARCH,
    CURVE_SMOOTHING,
    CURVE_HOMOTOPY,
    CURVE_RESTART,
    CURVE_PATH,
    CURVE_PATH_BACKWARDS,
    CURVE_N_SOLVERS
};
/* u [size] keeps its lambda, and on failure itself. */
enum masing_status curve_solve_fixed(struct continuation *c, enum curve_solver solver,
                                     double *u, struct corrector_result *result);
/* A solution at lambda in `next`: the simplest solver that finds one from any of the guesses
 * [n_guesses][n]. */
enum masing_status curve_solve_first(struct continuation *c, double lambda,
                                     const double *guesses, int n_guesses);
/* By the first solver, up to the last one given, that finds a solution. */
enum masing_status curve_solve_by(struct continuation *c, enum curve_solver last, double *u,
                                  struct corrector_result *result);

/* The smoothed problem, then less and less smoothed ones, with the last row as it is set; u
 * changes on success only. */
enum masing_status curve_smooth(struct continuation *c, double *u,
                                struct corrector_result *result);

/* ---- strategies/homotopy.c: F(u) - (1 - tau) F(guess) = 0 ---- */

/* For tau from 0 to 1 with the last row as it is set. */
enum masing_status curve_homotopy(struct continuation *c, double limit, double *u,
                                  struct corrector_result *result);
/* The same along its arc, with lambda given; allocates. */
enum masing_status curve_homotopy_path(struct continuation *c, bool is_backwards, double *u);
/* From y = 0 on beyond tau = 1, with lambda given: where loads alone keep it from being the
 * solution, tau is their factor. The path may turn round and come back: y [most][n] are the
 * first solutions on it, *n so many; allocates. */
enum masing_status curve_homotopy_beyond(struct continuation *c, double lambda, int most,
                                         double *y, int *n);

/* ---- strategies/rescue.c: when no step converged ---- */

/* Other ways on; positive when none helped. */
enum masing_status curve_rescue(struct continuation *c, enum masing_status why);
/* Begin anew beyond a gap, or beyond all that was reached, with a guess by other means;
 * positive when there is none. */
enum masing_status curve_begin_anew(struct continuation *c);
/* Where `here` is known to lead to infinity: `next` begins another piece of curve beyond. Ends
 * the curve where the range ends before, or nothing is found there. */
enum masing_status curve_step_over_pole(struct continuation *c, bool *is_over);

/* ---- strategies/search.c: curves beside those that were followed ---- */

enum masing_status curve_create_search(struct continuation *c, struct masing_error *error);
void curve_destroy_search(struct continuation *c);
void curve_pack_search(struct continuation *c, struct packing *packing);
/* The step to `next` may be needed to recognise solutions. */
enum masing_status curve_note_segment(struct continuation *c);
/* A junction that was met by a curve before is on this one, too. */
void curve_join(struct continuation *c, int curve);
enum masing_status curve_search_others(struct continuation *c);

/* ---- events/events.c ---- */

/* Signs at the first point, which is `next`; it may lie on zeros. */
enum masing_status curve_start_functions(struct continuation *c);
/* Corners shorten the step to `next`; marks between are located, events of `next` collected. */
enum masing_status curve_find_events(struct continuation *c);
/* The zero in `trial` becomes an extra point. */
void curve_keep_extra(struct continuation *c, int function);
void curve_advance_functions(struct continuation *c);

/* ---- events/locate.c ---- */

double curve_function_value(struct continuation *c, int function, const double *u,
                            const double *tangent);
/* Those that are costly or the others, at a point. */
void curve_evaluate_functions(struct continuation *c, bool costly, struct curve_point *point);
/* Zero of one function between two points of the step, left in `trial`. */
enum masing_status curve_locate(struct continuation *c, int function,
                                const struct curve_point *from, const struct curve_point *to);
/* The same for any function, with its values at the ends; those of what is left between `low`
 * and `high` come back, also where the search fails. */
enum { CURVE_BRANCHING = -1 };
enum masing_status curve_search(struct continuation *c, int function,
                                const struct curve_point *from, const struct curve_point *to,
                                double ends[2]);
/* The solution at a fraction of the way between two points, or a little beyond; how far it was
 * from the interpolated one goes to `correction`. */
enum masing_status curve_solve_between(struct continuation *c, const struct curve_point *from,
                                       const struct curve_point *to, double fraction,
                                       enum curve_precision precision,
                                       struct curve_point *point);

/* ---- events/corners.c ---- */

enum masing_status curve_find_corners(struct continuation *c);
/* Tangents and values before and behind the corner at `next`, where a function is zero. */
enum masing_status curve_complete_corner(struct continuation *c, int function, double length);
/* To a corner within reach, from its near side only. */
enum masing_status curve_approach_corner(struct continuation *c, double reach);

/* ---- events/hidden.c: corners that no event function announces ---- */

/* To a corner within reach, where the tangent at `here` and one from beyond it meet; or beyond
 * it, where `here` is as good as the corner. */
enum masing_status curve_find_hidden_corner(struct continuation *c, double reach);
/* From the midst of many corners, or over a gap, straight to a point at another lambda: reaches
 * in parts of the range, each `factor` times the one before. */
enum masing_status curve_leave_crowd(struct continuation *c, double reach, double factor);
/* `next` becomes the first point beyond a gap in the curve. */
enum masing_status curve_find_far_edge(struct continuation *c);
/* Values behind the hidden corner at `next`. */
void curve_complete_hidden_corner(struct continuation *c);
/* Which predictor would have led to `next`: the tangents', or the secant. */
void curve_compare_predictors(struct continuation *c);

/* ---- events/between.c ---- */

/* Where the curve leaves the range between `here` and `next`, put `next` on the end. */
enum masing_status curve_stop_at_bounds(struct continuation *c);
/* Cut the step where a closed curve meets its first point. */
enum masing_status curve_close(struct continuation *c);
/* Cut the step between two folds. */
enum masing_status curve_part_folds(struct continuation *c);
/* Whether a step that passes by a narrow peak may be refused. */
enum curve_passing {
    PASS_CLEAR,  /* it is, for shorter ones */
    PASS_LAST,   /* it is one of the shortest and must be taken */
    PASS_RESCUED /* it leads over a place where no step did, and must be taken */
};
/* Refuse the step where it passes by a narrow peak unseen, unless it must be taken: then that
 * is counted. */
#define CURVE_PEAK_WIDTHS 2.0 /* that a step may pass unlooked at */
enum masing_status curve_see_peaks(struct continuation *c, enum curve_passing passing);
/* Cut the step between two corners of the same function, where joints change their state and
 * back; where corners need not cut it. */
enum masing_status curve_part_corners(struct continuation *c);
/* Extra points in front of a corner at `next`, where interpolation may be off by this part of
 * the predictor's tolerance; behind one and on smooth pieces it is off by less, as step control
 * has it. */
enum { CURVE_REFINEMENTS = 4 };
/* Of events between two points: each has vectors of its own. */
enum { CURVE_MOST_EXTRAS = 128 };
static const double CURVE_REFINED = 0.03;
enum masing_status curve_refine_corner(struct continuation *c);
/* Report what lies between `here` and `next`, in the order of the curve. */
enum masing_status curve_report_between(struct continuation *c, bool *is_next_a_value);

/* ---- events/branches.c ---- */

void curve_note_orientation(struct continuation *c);
double curve_branching_value(struct continuation *c, const double *tangent);
enum masing_status curve_find_branch_point(struct continuation *c);
/* The other branches through all branch points that were met. */
/* The next branch begins, with its branch point in `here`; false: there is none left. */
enum masing_status curve_begin_branch(struct continuation *c, bool *has_begun);

/* ---- pieces of curve ---- */

/* Between two points of a smooth piece, at a distance in arc length. */
static inline struct predictor_segment curve_segment(const struct continuation *c,
                                                     const struct curve_point *from,
                                                     const struct curve_point *to,
                                                     double length)
{
    return (struct predictor_segment){.size = c->size,
                                      .from = from->u,
                                      .from_tangent = from->tangent,
                                      .to = to->u,
                                      .to_tangent = to->tangent_in,
                                      .length = length};
}

static inline struct predictor_segment curve_step_segment(const struct continuation *c)
{
    return curve_segment(c, &c->here, &c->next, c->next.arc - c->here.arc);
}

/* ---- signs of the event functions, shared by corners and marks ---- */

/* A value this small, relative to that before, is a zero at the point itself. */
#define SIGNS_ZERO 1e-10
/* A zero so near behind another of the same function, in parts of the step, is that one. */
#define SIGNS_SAME 1e-6

static inline int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

/* Kind of the event when the sign changes from the old one; 0: none. */
static inline int sign_event(const struct curve_function *f)
{
    return f->sign < 0 ? f->event.rising : f->event.falling;
}

/* Whether the function changes sign clearly between two points. */
static inline bool sign_changes(const struct continuation *c, int i,
                                const struct curve_point *from, const struct curve_point *to)
{
    const struct curve_function *f = &c->functions[i];
    double value = to->value[i];
    if (f->sign == 0 || f->is_hit || sign_of(value) != -f->sign) {
        return false;
    }
    return fabs(value) > SIGNS_ZERO * fabs(from->value[i]);
}

/* Whether the zero in `trial` is the one on which `here` lies. */
static inline bool sign_zero_is_old(const struct continuation *c,
                                    const struct curve_function *f)
{
    double length = c->next.arc - c->here.arc;
    return f->was_hit && c->trial.arc - c->here.arc < SIGNS_SAME * length;
}

/* ---- small things ---- */

/* A function that is looked at in solutions alone, and once in each; its marks have to be
 * confirmed. */
static inline bool curve_is_costly(const struct curve_function *f)
{
    return f->event.confirm;
}

/* Of all searches together, far more than a curve with so many points needs. */
enum { CURVE_RESIDUALS_PER_POINT = 50, CURVE_FEWEST_RESIDUALS = 500 };
/* Of the search for a first point, and of one path of a homotopy in it. */
enum { CURVE_START_RESIDUALS = 12000, CURVE_PATH_RESIDUALS = 6000 };
static inline long curve_most_residuals(const struct continuation *c)
{
    return CURVE_FEWEST_RESIDUALS + CURVE_RESIDUALS_PER_POINT * (long)c->settings.max_points;
}

/* Lambda as messages show it. */
static inline double curve_shown(const struct continuation *c, double lambda)
{
    return c->settings.lambda_unit > 0.0 ? lambda / c->settings.lambda_unit : lambda;
}

static inline const char *curve_unit(const struct continuation *c)
{
    return c->settings.lambda_unit_name ? c->settings.lambda_unit_name : "";
}

#endif
