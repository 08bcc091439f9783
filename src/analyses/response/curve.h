/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One frequency response, followed from end to end: once by frf, many times by study. */
#ifndef MASING_ANALYSES_RESPONSE_CURVE_H
#define MASING_ANALYSES_RESPONSE_CURVE_H

#include <math.h>

#include "analyses/curve/balance_solver.h"
#include "analyses/curve/driver.h"
#include "analyses/curve/energy_limits.h"
#include "analyses/curve/kept_log.h"
#include "analyses/curve/tasks.h"
#include "analyses/response/rows.h"
#include "base/arena.h"
#include "base/packing.h"
#include "harmonic/recovery/full_motion.h"
#include "harmonic/recovery/recovery.h"
#include "model/message.h"
#include "masing/response.h"

/*
 * harmonic_levels.c, `harmonics: auto`: balances of a model with more and more harmonics, of
 * which one at a time stands for the model. Unknowns are always those of the one with all
 * harmonics; where a level does not have them they are zero.
 */

struct harmonic_level {
    int highest;
    struct masing_model model; /* a copy that lends everything but the list of harmonics */
    struct balance *balance;
    int *map;                        /* [n] index of its unknowns among all */
    double *y, *residual, *by_omega; /* [n] */
    double *jacobian;                /* [n * n]; NULL where the balance has an operator */
    struct point_solver *solver;     /* of its balance */
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
/* Likewise as balance_linearize and the products of balance_operator.h. */
enum masing_status harmonic_levels_linearize(struct harmonic_levels *levels, const double *y,
                                             double omega, double *residual,
                                             double *residual_omega);
enum masing_status harmonic_levels_apply(struct harmonic_levels *levels, bool is_near,
                                         const double *x, double *product);
enum masing_status harmonic_levels_precondition(struct harmonic_levels *levels, double *x);
/* A number that tells linearisations apart. */
enum masing_status harmonic_levels_renew(struct harmonic_levels *levels, bool is_first);
double harmonic_levels_renewal_cost(const struct harmonic_levels *levels);
long harmonic_levels_linearisation(const struct harmonic_levels *levels);
void harmonic_levels_smooth(struct harmonic_levels *levels, double level);
/* Give the active level the sizes of the motion. */
void harmonic_levels_weigh(struct harmonic_levels *levels, const double *y);

/* Take as many more harmonics as a solution needs; solved [n] and solved_omega: the solution
 * with them. */
enum masing_status harmonic_levels_raise(struct harmonic_levels *levels,
                                         const struct harmonic_levels_point *point);

/* Take as many more harmonics at once as show a resonance at a solution, if any of all does. */
bool harmonic_levels_look(struct harmonic_levels *levels, const double *y, double omega);

/* Take fewer harmonics, where the last point does with them by far: solved and solved_omega are
 * then their solution. */
void harmonic_levels_lower(struct harmonic_levels *levels);

/* What later points depend on: put, or taken by levels that are new. */
void harmonic_levels_pack(struct harmonic_levels *levels, struct packing *packing);

/* Go back to the level of a saved solution. */
void harmonic_levels_adopt(struct harmonic_levels *levels, const double *y);

/* ---- saved_states.c: copies of states of a balance ---- */

/* Solutions along a frequency response. */
struct saved_points {
    size_t n, capacity, n_unknowns, n_axes;
    double *omega;  /* [n] rad/s */
    double *y;      /* [n][n_unknowns] */
    double *origin; /* [n][n_axes] where the sliders started */
};

/* Copy a solution; the balance holds the origins that belong to it. */
enum masing_status saved_points_add(struct saved_points *points, const struct balance *balance,
                                    const double *y, double omega, struct masing_error *error);

/* Reduce them to at most n, evenly along the curve with both ends. */
void saved_points_thin(struct saved_points *points, size_t n);

/* Give the balance the origins of a point again; returns the point's unknowns. */
const double *saved_points_restore(const struct saved_points *points, size_t index,
                                   struct balance *balance);

void saved_points_clear(struct saved_points *points);

/* Put, or taken in place of what is there. */
void saved_points_pack(struct saved_points *points, struct packing *packing);

/* Where the sliders stand, while the balance is solved with others. */
struct saved_sliders {
    struct balance *balance; /* lent; NULL: nothing is saved */
    double *values;          /* [n_axes] origins, then the states of all joints */
    bool *is_carried;        /* [n_joints] */
};

enum masing_status saved_sliders_save(struct balance *balance, struct saved_sliders *saved,
                                      struct masing_error *error);
/* Put them back, and free the copy. */
void saved_sliders_restore(struct saved_sliders *saved);

/* ---- the curve ---- */

/* motion_field.c: the motion of all DOFs [n_dofs][n_coefficients] at a solution for which the
 * outputs were recovered. */
struct dof_motion {
    struct full_motion *motion; /* NULL: it was not asked for yet */
    double *coefficients;
};

enum masing_status dof_motion_create(const struct balance *balance, struct dof_motion *dofs,
                                     struct masing_error *error);
enum masing_status dof_motion_evaluate(const struct balance *balance, const double *y,
                                       double omega, struct dof_motion *dofs,
                                       struct masing_error *error);
void dof_motion_clear(struct dof_motion *dofs);

struct response_curve;

/* Where a curve under way stands goes to a log now and then, and may come from there. */
struct response_saver {
    struct masing_journal *journal;
    int task;
    struct task_rows *rows; /* [RESPONSE_N_TABLES] to which the curve's rows go */
};

struct response_curve_settings {
    const struct masing_model *model;
    const struct masing_response_options *options;
    int n_threads;         /* at most, for the joints; 0: one */
    const char *parameter; /* name of the first column, or NULL */
    double value;
    const char *word;                                   /* instead of the value; or NULL */
    const struct masing_sink *sinks[RESPONSE_N_TABLES]; /* or NULL */
    const struct response_saver *saver;                 /* lent; or NULL */
    bool is_for_peaks;  /* nothing else is looked for, and the summary holds the counts alone */
    bool looks_at_ends; /* for other motions, unasked, where there may be some */
    void *point_context; /* handed each accepted point, after its recovery; or NULL */
    enum masing_status (*point)(void *context, const struct response_curve *curve,
                                const struct continuation_point *point,
                                struct masing_error *error);
};

/* A copy of a solution. */
struct curve_solution {
    double *y;
    double omega;
    double measure; /* of the peak's output; -1: none yet */
    bool is_marked; /* a refined extremum, not merely the largest point */
    bool is_unstable;
};

/* Maxima that samples make of one: so close in frequency and in size, relative. */
static inline bool is_one_maximum(double omega, double measure, double other_omega,
                                  double other_measure)
{
    return fabs(other_omega - omega) <= 1e-3 * omega &&
           fabs(other_measure - measure) <= 1e-4 * measure;
}

struct curve_fold {
    double hz;
    bool is_up;     /* a sweep upwards jumps there */
    bool is_listed; /* the summary has it, last of its kind */
    bool is_known;  /* the summary had its place before */
};

/* The measure of the peak along the curve. */
struct response_trace {
    size_t n, capacity;
    struct response_trace_point {
        int piece;
        bool is_marked;    /* a maximum */
        bool is_requested; /* at a given frequency */
        double omega, measure;
    } * points;
};

/* blades.c: the peak's measure of a blade of a mistuned disk. */
struct blade_point {
    double omega, measure;
};
struct blade_trace {
    struct blade_point last[3]; /* the newest first, of one piece of the curve */
    int n_last;
    double largest, omega; /* between points as well; -1: none yet */
};

struct response_curve {
    struct response_curve_settings settings;
    const struct masing_model *model;
    struct balance *balance;
    struct recovery *recovery;
    struct harmonic_levels *levels; /* NULL: the list of harmonics is fixed */
    struct response_rows *rows;
    struct curve_driver *driver;
    struct curve_solution best;
    struct response_trace trace;
    struct saved_points saved; /* all, where harmonics are to be checked */
    /* [n_groups] largest share of the way to slip of any joint, NAN where there is none */
    double *group_limit;
    unsigned char *contact_states; /* [n_joints] at the last point, see contact_counts.h */
    struct energy_limits *energy_limits;
    bool is_rippled; /* sampled forces with stick and slip: slopes jump from sample to sample */
    double *weight;  /* [n] as last evaluated */
    struct dof_motion dofs;
    /* of solutions a little off a point, for the slope of the peak; NULL: not is_rippled */
    struct point_solver *neighbour_solver;
    struct curve_fold fold; /* the last one */
    double previous_omega;
    double
        slopes[2]; /* of the peak's measure per Hz, coming in and going out; NAN: not wanted */
    struct masing_response_summary *summary;
    struct warning_list warnings; /* of the summary */
    struct masing_error *error;
    struct output_measures *peak_measures; /* [n_outputs] at the best point, after the run */
    struct blade_trace *blades;            /* [spec.n_blades] */
    double drift, drift_hz;                /* largest of balance_drift, and where */
    double third_to_first, last_to_first;  /* of the peak's output there */
    double force_truncation;               /* of the joints there, see recovery_truncation */
    struct kept_log log;                   /* for the saver */
    double saved_at;                       /* when, s */
    double unbounded_hz[2]; /* poles of the linear response, joints stuck, free; NAN: none */
};

/* Follow the curve; fills the summary. The curve is left for questions about its peak. Its
 * tables are abandoned unless curve->rows are ended. */
enum masing_status response_curve_create(const struct response_curve_settings *settings,
                                         struct masing_response_summary *summary,
                                         struct response_curve **curve,
                                         struct masing_error *error);
enum masing_status response_curve_follow(struct response_curve *curve,
                                         struct masing_error *error);
void response_curve_destroy(struct response_curve *curve);

/* The balance, and all that solves it, once more: nothing of what they have kept is left. */
enum masing_status response_curve_renew(struct response_curve *curve,
                                        struct masing_error *error);

/* checkpoint.c: the progress of a curve that is saved. */
const struct masing_progress *response_checkpoint_progress(struct response_curve *curve);
/* Take the place that an earlier run has saved; *is_found: else the curve begins. */
enum masing_status response_checkpoint_restore(struct response_curve *curve, bool *is_found,
                                               struct masing_error *error);
/* At a pause: begin anew with all that is not needed to go on, where a curve may take long, and
 * save the place if that is due. */
enum masing_status response_checkpoint_pause(struct response_curve *curve,
                                             struct masing_error *error);

/* peak_slope.c: slope of the peak's measure along the curve, which falls through zero at a
 * peak; beside it, on an interpolation, ripples and all. */
double response_peak_slope(void *context, const double *y, double lambda, const double *dy,
                           double dlambda);
double response_peak_slope_beside(void *context, const double *y, double lambda,
                                  const double *dy, double dlambda);

/* The row of an accepted point, whose motion was recovered; without slopes. */
struct response_row response_row_of(const struct curve_driver_point *taken,
                                    const struct recovery *recovery, double hertz);

/* Contact elements and loops at the peak of a curve that was followed. */
enum masing_status response_curve_write_peak(struct response_curve *curve,
                                             struct masing_error *error);

/* motion_field.c: the motion of all DOFs at a solution, if that is wanted. */
enum masing_status response_field_write(struct response_curve *curve, const double *y,
                                        double omega, double hertz, enum masing_event event,
                                        struct masing_error *error);

/* harmonics_check.c: the peak and a sample of points solved with more harmonics and samples, if
 * that is wanted: rows, the summary's `check`, a warning. */
enum masing_status response_check_harmonics(struct response_curve *curve,
                                            struct masing_error *error);

/* wave_start.c: as balance_guess, of a whole disk the wave of a sector before the others. */
enum masing_status response_guess(const struct response_curve *curve, double omega,
                                  double **guesses, int *n_guesses, struct masing_error *error);

/* missing_start.c: no first point was found; the reason says what finer equations have one. */
enum masing_status response_explain_start(const struct response_curve *curve, char *reason,
                                          size_t size, struct masing_error *error);

/* start_range.c: the peak solved from other states of the sliders, if that is wanted: the
 * summary's `starts`. */
enum masing_status response_check_starts(struct response_curve *curve,
                                         struct masing_error *error);

/* blades.c: traces of all blades, a point that was recovered, the summary's `blades`. */
enum masing_status blade_traces_create(struct response_curve *curve,
                                       struct masing_error *error);
void blade_traces_note(struct response_curve *curve, double omega, bool begins);
enum masing_status blade_traces_fill(const struct response_curve *curve,
                                     struct masing_error *error);

/* The mean of a motion that nothing holds is no equilibrium. */
enum masing_status response_warn_drift(const struct response_curve *curve,
                                       const struct warning_list *list,
                                       struct masing_error *error);

/* The balance of the curve as its continuation evaluates it, with the levels of harmonics. */
enum masing_status response_evaluate(void *curve, const double *y, double omega,
                                     double *residual, double *jacobian,
                                     double *residual_omega);

/* The problem that is this, without weights. */
struct continuation_problem response_problem(struct response_curve *curve);

/* summary.c: a summary without results, and what the finished curve gives for it. */
void response_summary_reset(struct masing_response_summary *summary);
enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error);
/* All of it, for the log of a study. */
void response_summary_pack(struct packing *packing, struct masing_response_summary *summary);

/* linear_peak.c: the linear reference, with the joints stuck, or in full slip. */
struct linear_peak {
    double omega; /* rad/s, of the peak */
    double size; /* first-harmonic amplitude of the peak's output; INFINITY: an undamped pole */
    bool is_found; /* else there is no peak of that mode within the frequency range, and these
                      are of the largest response in it */
    double unbounded; /* rad/s, the first undamped pole within the range; NAN: none */
};

/*
 * Peaks of the linear response within the frequency range, loads of harmonic 1 only, with the
 * joints as springs of their laws' stiffness when stuck and in full slip: those of the mode
 * that a peak at @p omega (rad/s) belongs to, by its natural frequencies. Without matrices
 * nothing is known (NAN) of the joints in full slip. What the balance evaluated last is lost.
 */
enum masing_status linear_peaks_find(struct balance *balance, double omega,
                                     struct linear_peak *stuck, struct linear_peak *released,
                                     struct masing_error *error);

/* sharp_peaks.c: where the curve may rise and fall between two points; [*n] of the arena. */
enum masing_status response_list_peaks(const struct balance *balance, struct arena *arena,
                                       struct continuation_peak **peaks, int *n,
                                       struct masing_error *error);

/* search.c: motions that lie on no curve so far. */
struct response_starts {
    int n;                  /* starts */
    double *omega;          /* [n] rad/s */
    double most, most_part; /* as continuation_settings have them */
    bool is_asked;          /* by options.n_search */
};

/* The starts of a curve, of the arena. */
enum masing_status response_search_plan(struct response_curve *curve, struct arena *arena,
                                        struct response_starts *plan,
                                        struct masing_error *error);
/* As continuation_problem has them; the context is the curve. */
enum masing_status response_search_start(void *curve, int index, double omega, double *y);
bool response_search_image(void *curve, int k, const double *y, double *image);

/* Where sliders start, as summaries name it. */
const char *response_start_name(const struct masing_spec *spec);

/* Reasons to look twice, with numbers; part of response_summary_fill. */
enum masing_status response_warnings_add(struct response_curve *curve,
                                         struct masing_error *error);

/* Options as a public function was handed them, copied, with defaults; refused where an array
 * is missing. */
enum masing_status response_options_read(const struct masing_response_options *given,
                                         struct masing_response_options *known,
                                         struct masing_error *error);

#endif
