/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of contact state of a model's joints as events of a continuation, and all events of a
 * point as its row has them: kinds for programs, a text for readers. */
#ifndef MASING_ANALYSES_CURVE_EVENT_ROW_H
#define MASING_ANALYSES_CURVE_EVENT_ROW_H

#include "continuation/continuation.h"
#include "harmonic/joints/joint_response.h"
#include "masing/event.h"
#include "masing/table.h"

/* ---- events of joints ---- */

struct joint_events;

/* One event of one joint for the continuation's callback. */
struct joint_event {
    struct joint_events *events;
    int joint, event;
};

struct joint_events {
    const struct masing_model *model;     /* lent */
    struct joint_response *const *joints; /* lent */
    /* evaluates them at a point of the curve */
    enum masing_status (*settle)(void *context, const double *y, double lambda);
    void *context;
    int first, n; /* where they are among the continuation's events */
    struct joint_event *list;
};

enum masing_status joint_events_create(const struct masing_model *model,
                                       struct joint_response *const *joints,
                                       struct joint_events **events,
                                       struct masing_error *error);
void joint_events_destroy(struct joint_events *events);

/* events->n of them, as all[first], all[first + 1], ... of the continuation */
void joint_events_fill(struct joint_events *events, struct continuation_event *all, int first);
/* The joint of an event of the continuation; -1: it is none of a joint. */
int joint_events_joint(const struct joint_events *events, int index);

/* Whether a curve has points where the contact of a joint of the model changes. */
bool joint_events_are_landed(const struct masing_model *model, int joint);

/* ---- rows ---- */

enum { EVENT_ROW_TEXT = 256 };

struct event_row {
    unsigned kinds;            /* set of MASING_EVENT_BIT */
    int joint;                 /* the first whose contact changes; -1: none */
    char text[EVENT_ROW_TEXT]; /* "peak; slip onset (damper)"; only what fits */
};

/* A set of kinds that belong to no joint, in the order of the enum. */
struct event_row event_row_of_kinds(unsigned kinds);

/* What the continuation found at a point; the text names joints where there are several. */
struct event_row event_row_of_point(const struct joint_events *joints,
                                    const struct continuation_events *events);

/* The text is lent. */
struct masing_cell event_row_cell(const struct event_row *row);

#endif
