/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest peak over the values of a parameter: maxima that are followed together, and what
 * was the largest of them at each point.
 */
#ifndef MASING_ANALYSES_PEAK_HISTORY_H
#define MASING_ANALYSES_PEAK_HISTORY_H

#include "analyses/curve/driver.h"
#include "analyses/curve/kept_log.h"
#include "analyses/peak/problem.h"
#include "model/message.h"
#include "masing/peak.h"

/* ---- branch.c ---- */

enum { PEAK_PAST = 4 };

/* A maximum followed through the values of a parameter, in steps of u whose length the
 * prediction's error decides. */
struct peak_branch {
    int number;                        /* names it; larger ones were found later */
    struct peak_state past[PEAK_PAST]; /* the latest first */
    int n_past, n_states;              /* known; taken for the next prediction */
    struct peak_state trial;
    double *guess;            /* [n + 1] */
    struct peak_state before; /* at the last point, if it was there */
    double step;              /* of u */
    bool is_alive, has_before;
    bool is_new; /* found by the last whole response */
};

enum masing_status peak_branch_create(const struct peak_state *start, double step, int number,
                                      struct peak_branch **branch, struct masing_error *error);
void peak_branch_destroy(struct peak_branch *branch);

/*
 * Go on to a value; branch->past[0] is the maximum there. Positive where no step of @p shortest
 * or more leads on: the branch stays where it got to.
 */
enum masing_status peak_branch_advance(struct peak_branch *branch, struct peak_problem *problem,
                                       double p, double shortest, struct masing_error *error);

/*
 * The maximum at a value between two states of one branch at other values, to @p state, all
 * zeros or another one: in one step from the nearer one where that does. Positive: not found.
 */
enum masing_status peak_between(struct peak_problem *problem, const struct peak_state *a,
                                const struct peak_state *b, double p, struct peak_state *state,
                                struct masing_error *error);

/* ---- history.c ---- */

enum { PEAK_BRANCHES = 16 };

/* What the samples of friction make of a peak that is the same, relative. */
#define PEAK_RIPPLE 2e-5

/* Of two maxima one is larger, and not by rounding, from this part on. */
#define PEAK_LARGER 1e-9

/* First step of a branch, in parts of the range of u. */
#define PEAK_FIRST_STEP 0.01

/* Between two points of one branch the curve is smooth; two of different branches at one
 * value are a crossing; else the largest peak jumps between them. */
struct history_point {
    struct peak_state state;
    int branch;
    unsigned events; /* set of MASING_EVENT_BIT */
    bool is_wanted;  /* its value is one that rows are at */
};

/* To where a history under way is saved. */
struct peak_saver {
    struct masing_journal *journal;
    int task;
    struct kept_log *log; /* of its progress; lent */
};

struct peak_history {
    const struct masing_peak_request *request;
    const struct masing_response_options *options;
    struct masing_peak_summary *summary;
    struct warning_list warnings; /* of the summary */
    struct peak_problem *problem;
    bool is_swept;     /* every point takes a whole response */
    bool has_none;     /* the last whole response: there is no such model, or no motion */
    bool is_stepped;   /* points in between the given values */
    int number;        /* of the one peak that is followed; 0: the largest */
    double range;      /* |u(to) - u(from)| */
    double shortest;   /* step by which a branch is followed before it counts as ended */
    double guarded_at; /* value of the whole response before the last one */
    struct peak_branch *branches[PEAK_BRANCHES];
    int n_branches, n_numbers; /* alive or not; numbers given so far */
    int main;                  /* index of the largest */
    struct history_point *points;
    int n_points;
    size_t capacity; /* of points */
    double at;       /* value of the last point, and the given value that comes next */
    int mark;
    const struct peak_saver *saver; /* lent; or NULL */
    double saved_at;                /* when, s */
};

enum masing_status peak_history_create(const struct masing_peak_request *request,
                                       const struct masing_response_options *options,
                                       int number, struct masing_peak_summary *summary,
                                       struct peak_history **history,
                                       struct masing_error *error);
void peak_history_destroy(struct peak_history *history);

/* The first point, then from end to end. MASING_STOPPED: early; the points so far are right. */
enum masing_status peak_history_start(struct peak_history *history, struct masing_error *error);
enum masing_status peak_history_follow(struct peak_history *history,
                                       struct masing_error *error);

/* The problem once more, at the beginning of the range: nothing of what it has kept is left. */
enum masing_status peak_history_renew(struct peak_history *history, struct masing_error *error);

/* checkpoint.c: as response_checkpoint_restore and response_checkpoint_pause. */
enum masing_status peak_checkpoint_restore(struct peak_history *history, bool *is_found,
                                           struct masing_error *error);
enum masing_status peak_checkpoint_pause(struct peak_history *history,
                                         struct masing_error *error);
/* All of it, for a log. */
void peak_summary_pack(struct packing *packing, struct masing_peak_summary *summary);

/* A copy of the state at this place of the list. */
enum masing_status peak_history_insert(struct peak_history *history, int at,
                                       const struct peak_state *state, int branch,
                                       unsigned events, struct masing_error *error);

/* ---- guard.c ---- */

/* Compare with a whole response at the value where the maxima are: new branches for what they
 * miss. */
enum masing_status peak_guard(struct peak_history *history, double p,
                              struct masing_error *error);
/* The largest maximum of a whole response; @p state receives it. */
enum masing_status peak_guard_largest(struct peak_history *history, double p,
                                      struct peak_state *state, struct masing_error *error);
/* Where a failed guard, of this status and reason, is nothing but a response that could not be
 * followed to its end, a warning says so and *is_missing; else its status is returned. */
enum masing_status peak_guard_missing(struct peak_history *history, double p,
                                      enum masing_status guarded,
                                      const struct masing_error *reason, bool *is_missing,
                                      struct masing_error *error);
/* Index of the largest branch that is alive and at this value, -1: none. */
int peak_largest(const struct peak_history *history, double p);

/* Is this the largest value of a whole response? */
enum masing_status peak_is_swept(struct peak_history *history, const struct peak_state *state,
                                 bool *is_there, struct masing_error *error);
/* The last points, back to the first one that a whole response confirms. */
enum masing_status peak_verify_back(struct peak_history *history, struct masing_error *error);

/* A maximum that a whole response has at a point and that was not followed. */
struct peak_found {
    const struct peak_state *state;
    int number, index;
    const struct peak_state *old; /* the largest there without it, or NULL */
    int old_number;
    double until;  /* value at which to stop */
    bool is_short; /* stop where it is not the largest */
};

/* Follow it over the points in one direction. */
enum masing_status peak_trace(struct peak_history *history, const struct peak_found *found,
                              int direction, struct masing_error *error);

/* ---- branch.c, roots ---- */

/* Where a function of the peak vanishes. */
struct peak_function {
    void *context;
    /* At a solution, where the problem is. Positive: there is no value. */
    enum masing_status (*value)(void *context, struct peak_history *history,
                                struct peak_state *state, double *value,
                                struct masing_error *error);
    double tolerance; /* of the value, in parts of the measure */
};

/* @p values at the two states, of opposite signs; @p state receives the solution. Positive: not
 * found. */
enum masing_status peak_root(struct peak_history *history, const struct peak_function *function,
                             const struct peak_state *a, const struct peak_state *b,
                             const double values[2], struct peak_state *state,
                             struct masing_error *error);
/* Where the measures of two maxima, each given at two values, are equal: two points at this
 * place of the list; a jump where it is not found. */
enum masing_status peak_crossing_insert(struct peak_history *history, int at,
                                        const struct peak_state first[2], int first_number,
                                        const struct peak_state second[2], int second_number,
                                        struct masing_error *error);

/* ---- minimum.c ---- */

/* Fill the summary's optimum and insert it among the points. */
enum masing_status peak_minimize(struct peak_history *history, struct masing_error *error);

#endif
