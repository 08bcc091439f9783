/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One frequency response, followed from end to end: once by frf, many times by study. */
#ifndef MASING_ANALYSES_RESPONSE_CURVE_H
#define MASING_ANALYSES_RESPONSE_CURVE_H

#include "analyses/curve/balance_solver.h"
#include "analyses/curve/driver.h"
#include "analyses/curve/energy_limits.h"
#include "analyses/response/harmonic_levels.h"
#include "analyses/response/saved_states.h"
#include "analyses/response/rows.h"
#include "model/message.h"
#include "harmonic/recovery/recovery.h"
#include "masing/response.h"

struct response_curve;

struct response_curve_settings {
    const struct masing_model *model;
    const struct masing_response_options *options;
    int n_threads;         /* at most, for the joints; 0: one */
    const char *parameter; /* name of the first column, or NULL */
    double value;
    const char *word;                                   /* instead of the value; or NULL */
    const struct masing_sink *sinks[RESPONSE_N_TABLES]; /* or NULL */
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
        double omega, measure;
    } * points;
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
    struct energy_limits *energy_limits;
    bool is_rippled; /* sampled forces with stick and slip: slopes jump from sample to sample */
    double *weight;  /* [n] as last evaluated */
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
    double drift, drift_hz;                /* largest of balance_drift, and where */
    double third_to_first, last_to_first;  /* of the peak's output there */
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

/* Contact elements and loops at the peak of a curve that was followed. */
enum masing_status response_curve_write_peak(struct response_curve *curve,
                                             struct masing_error *error);

/* harmonics_check.c: the peak and a sample of points solved with more harmonics and samples, if
 * that is wanted: rows, the summary's `check`, a warning. */
enum masing_status response_check_harmonics(struct response_curve *curve,
                                            struct masing_error *error);

/* start_range.c: the peak solved from other states of the sliders, if that is wanted: the
 * summary's `starts`. */
enum masing_status response_check_starts(struct response_curve *curve,
                                         struct masing_error *error);

/* The mean of a motion that nothing holds is no equilibrium. */
enum masing_status response_warn_drift(const struct response_curve *curve,
                                       const struct warning_list *list,
                                       struct masing_error *error);

/* The balance of the curve as its continuation evaluates it, with the levels of harmonics. */
enum masing_status response_evaluate(void *curve, const double *y, double omega,
                                     double *residual, double *jacobian,
                                     double *residual_omega);

/* summary.c: a summary without results, and what the finished curve gives for it. */
void response_summary_reset(struct masing_response_summary *summary);
enum masing_status response_summary_fill(struct response_curve *curve,
                                         struct masing_error *error);

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
