/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/joint_events.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* Of one contact among many nobody wants to know when it begins to slip, and a curve that is
 * landed on the corner of each would have nothing but corners. */
static int events_of(const struct masing_model *model, int joint)
{
    int group = model->joints[joint].group;
    return model->spec.groups[group].n_joints == 1 ? model->joints[joint].law->n_events : 0;
}

static int count_events(const struct masing_model *model)
{
    int n = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        n += events_of(model, j);
    }
    return n;
}

/* With several joints the event tells which. */
static enum masing_status name_event(const struct masing_model *model,
                                     struct joint_event *event, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = &model->joints[event->joint];
    const struct masing_law_event *law_event = &joint->law->events[event->event];
    const char *format = model->spec.n_joints > 1 ? "%s (%s)" : "%s";
    if (law_event->rising) {
        event->rising =
            memory_format(format, masing_event_name(law_event->rising), joint->name);
        TRY_ALLOCATED(event->rising);
    }
    if (law_event->falling) {
        event->falling =
            memory_format(format, masing_event_name(law_event->falling), joint->name);
        TRY_ALLOCATED(event->falling);
    }
done:
    return status;
}

enum masing_status joint_events_create(const struct masing_model *model,
                                       struct joint_response *const *joints,
                                       struct joint_events **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_carried = model->spec.start == MASING_START_PREVIOUS;
    struct joint_events *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->joints = joints;
    made->list = memory_array((size_t)count_events(model), sizeof *made->list);
    TRY_ALLOCATED(made->list);
    for (int j = 0; j < model->spec.n_joints; j++) {
        for (int e = 0; e < events_of(model, j); e++) {
            if (is_carried && model->joints[j].law->events[e].is_about_origin) {
                continue;
            }
            struct joint_event *event = &made->list[made->n++];
            *event = (struct joint_event){.events = made, .joint = j, .event = e};
            TRY(name_event(model, event, error));
        }
    }
    *result = made;
    made = NULL;
done:
    joint_events_destroy(made);
    return status;
}

void joint_events_destroy(struct joint_events *events)
{
    if (!events) {
        return;
    }
    for (int e = 0; events->list && e < events->n; e++) {
        free(events->list[e].rising);
        free(events->list[e].falling);
    }
    free(events->list);
    free(events);
}

static double value_of(void *context, const double *y, double lambda, const double *dy,
                       double dlambda)
{
    const struct joint_event *event = context;
    const struct joint_events *events = event->events;
    (void)dy;
    (void)dlambda;
    if (events->settle(events->context, y, lambda) != MASING_OK) {
        return NAN;
    }
    const struct joint_response *response = events->joints[event->joint];
    const struct joint *joint = response->joint;
    return joint->law->events[event->event].value(joint->parameters, response->range);
}

void joint_events_fill(struct joint_events *events, struct continuation_event *out)
{
    for (int e = 0; e < events->n; e++) {
        struct joint_event *event = &events->list[e];
        out[e] = (struct continuation_event){.rising = event->rising,
                                             .falling = event->falling,
                                             .type = CONTINUATION_KINK,
                                             .context = event,
                                             .value = value_of};
    }
}
