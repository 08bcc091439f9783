/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From any state to a periodic motion, in the way that the model's `integration` gives. */
#ifndef MASING_TRANSIENT_PERIODIC_PERIODIC_H
#define MASING_TRANSIENT_PERIODIC_PERIODIC_H

#include <stddef.h>

#include "masing/integrate.h"
#include "transient/integrator.h"

/* Functions may be NULL. */
struct periodic_observer {
    void *context;
    /* After each step. A status that is not MASING_OK ends the integration and is returned. */
    enum masing_status (*step)(void *context, const struct integrator *integrator,
                               struct masing_error *error);
    /* After each period; true ends the integration. */
    bool (*period)(void *context, int cycles, double distance);
    /* Every few steps; true ends the integration within a period. */
    bool (*is_over)(void *context);
};

/* Steps between two such questions. */
enum { PERIODIC_STRIDE = 32 };

static inline bool periodic_is_over(const struct periodic_observer *observer, int step)
{
    return step % PERIODIC_STRIDE == 0 && observer->is_over &&
           observer->is_over(observer->context);
}

/* Newton steps of which the sizes are kept. */
enum { PERIODIC_HISTORY = 32 };

struct periodic_result {
    int cycles; /* complete periods */
    bool is_steady, is_cancelled;
    int order;       /* periods of the load after which the steady motion repeats */
    int most_order;  /* the largest that would have been recognised */
    double distance; /* estimated relative distance from the periodic motion; NAN at first,
                        INFINITY where there is no estimate */
    /* by shooting */
    int n_updates, n_history;
    double history[PERIODIC_HISTORY]; /* relative sizes of the Newton steps */
    double largest_multiplier;        /* of the motion found */
};

/* A distance from the periodic motion, relative, beyond which no estimate means anything. */
#define PERIODIC_FAR 1.0

/* What is known of a motion that did not become periodic within so many cycles, as a message.
 */
void periodic_describe(const struct periodic_result *result, int cycles, double tolerance,
                       char *text, size_t size);

/* March: at most max_cycles whole periods from the present state. A tolerance of 0 integrates
 * all of them. Besides memory, the status is that of the step that failed. */
enum masing_status periodic_march(struct integrator *integrator, double tolerance,
                                  int max_cycles, const struct periodic_observer *observer,
                                  struct periodic_result *result, struct masing_error *error);

/* The tolerance that is worked to in place of this one: the steps are in doubt by more than
 * what is finer. */
double periodic_tolerance(const struct integrator *integrator, double tolerance);

/* As periodic_march with the tolerance and cycles of the model, by marching or by shooting; an
 * observer of steps is called while marching only. may_shoot: where the model says marching,
 * shooting follows if some hundred periods have not made the motion steady. */
enum masing_status periodic_run(struct integrator *integrator, double tolerance, int max_cycles,
                                bool may_shoot, const struct periodic_observer *observer,
                                struct periodic_result *result, struct masing_error *error);

/*
 * offsets.c: joints whose place in a periodic motion, and so its means and largest values,
 * follows from how the motion began and from nothing else. Follow the motion, of so many
 * periods of the load, on from the integrator's state and say of each joint [n_joints] what
 * decides about its offset. Neutral ones are looked for where shooting can be.
 */
enum masing_status offsets_find(struct integrator *integrator, int n_periods,
                                enum masing_offset *offsets, struct masing_error *error);

#endif
