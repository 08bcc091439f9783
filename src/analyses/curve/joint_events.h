/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of contact state of a model's joints as events of a continuation. */
#ifndef MASING_ANALYSES_CURVE_JOINT_EVENTS_H
#define MASING_ANALYSES_CURVE_JOINT_EVENTS_H

#include "continuation/continuation.h"
#include "harmonic/joints/joint_response.h"

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

#endif
