/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the points of a continuation for a test to look at. */
#ifndef MASING_TESTS_RECORDER_H
#define MASING_TESTS_RECORDER_H

#include <stdio.h>
#include <string.h>

#include "continuation/continuation.h"

enum { RECORDER_POINTS = 4000, RECORDER_UNKNOWNS = 4, RECORDER_NAME = 64 };

struct recorded_point {
    double y[RECORDER_UNKNOWNS], dy[RECORDER_UNKNOWNS], dy_in[RECORDER_UNKNOWNS];
    double lambda, dlambda, dlambda_in, arc, residual;
    char event[RECORDER_NAME];
    int event_index, piece;
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
        p->event_index = point->event_mask_index;
        p->piece = point->piece;
        snprintf(p->event, sizeof p->event, "%s", point->event);
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

/* Number of points whose event names this; the last of them in *found (may be NULL). */
static inline int recorder_events(const struct recorder *r, const char *name,
                                  const struct recorded_point **found)
{
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        if (strstr(r->points[i].event, name)) {
            count++;
            if (found) {
                *found = &r->points[i];
            }
        }
    }
    return count;
}

#endif
