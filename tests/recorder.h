/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the points of a continuation for a test to look at. */
#ifndef MASING_TESTS_RECORDER_H
#define MASING_TESTS_RECORDER_H

#include <stdio.h>
#include <string.h>

#include "continuation/continuation.h"
#include "tap.h"

enum { RECORDER_POINTS = 4000, RECORDER_UNKNOWNS = 4, RECORDER_EVENTS = 6 };

struct recorded_point {
    double y[RECORDER_UNKNOWNS], dy[RECORDER_UNKNOWNS], dy_in[RECORDER_UNKNOWNS];
    double lambda, dlambda, dlambda_in, arc, residual;
    int n_met, kinds[RECORDER_EVENTS]; /* what happened, in order */
    int event_index;                   /* of the first one of the settings; -1: none */
    int piece;
};

struct recorder {
    int n; /* unknowns kept */
    int count;
    int stop_at;   /* ask to stop at this number of points; 0: never */
    int log_lines; /* lines of the log */
    char last_line[256];
    struct recorded_point points[RECORDER_POINTS];

    enum masing_status status;
    enum continuation_end end;
    struct continuation_counts counts;
    struct masing_error error;
};

static inline void recorder_take_events(struct recorded_point *p,
                                        const struct continuation_events *events)
{
    unsigned kinds = 0;
    p->event_index = -1;
    p->n_met = events->n;
    for (int i = events->n - 1; i >= 0; i--) {
        const struct continuation_met *met = &events->met[i];
        kinds |= 1U << met->kind;
        p->event_index = met->event >= 0 ? met->event : p->event_index;
        if (i < RECORDER_EVENTS) {
            p->kinds[i] = met->kind;
        }
    }
    CHECK(kinds == events->kinds);
}

static inline enum masing_status recorder_point(void *context,
                                                const struct continuation_point *point,
                                                struct masing_error *error)
{
    (void)error;
    struct recorder *r = context;
    if (r->count < RECORDER_POINTS) {
        struct recorded_point *p = &r->points[r->count++];
        for (int i = 0; i < r->n && i < RECORDER_UNKNOWNS; i++) {
            p->y[i] = point->y[i];
            p->dy[i] = point->dy[i];
            p->dy_in[i] = point->dy_in[i];
        }
        p->lambda = point->lambda;
        p->dlambda = point->dlambda;
        p->dlambda_in = point->dlambda_in;
        p->arc = point->arc;
        p->residual = point->residual;
        p->piece = point->piece;
        recorder_take_events(p, &point->events);
    }
    return r->stop_at && r->count >= r->stop_at ? MASING_STOPPED : MASING_OK;
}

static inline void recorder_log(void *context, const char *line)
{
    struct recorder *r = context;
    r->log_lines++;
    snprintf(r->last_line, sizeof r->last_line, "%s", line);
}

/* Follow a problem from one guess and keep everything. */
static inline void recorder_follow(struct recorder *r,
                                   const struct continuation_problem *problem,
                                   const struct continuation_settings *settings,
                                   const double *guess)
{
    struct continuation *continuation = NULL;
    struct continuation_observer observer = {
        .context = r, .point = recorder_point, .log = recorder_log};
    int stop_at = r->stop_at;
    memset(r, 0, sizeof *r);
    r->stop_at = stop_at;
    r->n = problem->n;
    r->status = continuation_create(problem, settings, &continuation, &r->error);
    if (r->status == MASING_OK) {
        r->status = continuation_follow(continuation, guess, 1, &observer, &r->end, &r->counts,
                                        &r->error);
    }
    continuation_destroy(continuation);
}

static inline bool recorded_has(const struct recorded_point *point, int kind)
{
    for (int i = 0; i < point->n_met && i < RECORDER_EVENTS; i++) {
        if (point->kinds[i] == kind) {
            return true;
        }
    }
    return false;
}

/* Whether these kinds (ended by 0), in this order, are all that happened. */
static inline bool recorded_exactly(const struct recorded_point *point, const int *kinds)
{
    int n = 0;
    for (; kinds[n]; n++) {
        if (n >= point->n_met || n >= RECORDER_EVENTS || point->kinds[n] != kinds[n]) {
            return false;
        }
    }
    return n == point->n_met;
}
#define RECORDED(point, ...) recorded_exactly(point, (const int[]){__VA_ARGS__, 0})

/* Number of points with an event of this kind; the last of them in *found (may be NULL). */
static inline int recorder_events(const struct recorder *r, int kind,
                                  const struct recorded_point **found)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        if (recorded_has(&r->points[i], kind)) {
            count++;
            if (found) {
                *found = &r->points[i];
            }
        }
    }
    return count;
}

#endif
