/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of contact state of a model's joints as events of a continuation. */
#ifndef MASING_ANALYSES_JOINT_EVENTS_H
#define MASING_ANALYSES_JOINT_EVENTS_H

#include "continuation/continuation.h"
#include "harmonic/joint_response.h"

struct joint_events;

/* Names one event of one joint for the continuation's callback. */
struct joint_event {
    struct joint_events *events;
    int joint, event;
    char *rising, *falling; /* owned texts where the joint must be told */
};

struct joint_events {
    struct joint_response *const *joints; /* lent */
    /* evaluates them at a point of the curve */
    enum masing_status (*settle)(void *context, const double *y, double lambda);
    void *context;
    int n;
    struct joint_event *list;
};

enum masing_status joint_events_create(const struct masing_model *model,
                                       struct joint_response *const *joints,
                                       struct joint_events **events,
                                       struct masing_error *error);
void joint_events_destroy(struct joint_events *events);

/* events->n of them */
void joint_events_fill(struct joint_events *events, struct continuation_event *out);

#endif
