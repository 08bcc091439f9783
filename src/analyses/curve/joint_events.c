/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/joint_events.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* When one contact among many begins to slip is of no use, and a curve that is
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

enum masing_status joint_events_create(const struct masing_model *model,
                                       struct joint_response *const *joints,
                                       struct joint_events **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_carried = model->spec.start == MASING_START_PREVIOUS;
    struct joint_events *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    made->joints = joints;
    made->list = memory_array((size_t)count_events(model), sizeof *made->list);
    TRY_ALLOCATED(made->list);
    for (int j = 0; j < model->spec.n_joints; j++) {
        for (int e = 0; e < events_of(model, j); e++) {
            if (is_carried && model->joints[j].law->events[e].is_about_origin) {
                continue;
            }
            made->list[made->n++] = (struct joint_event){made, j, e};
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
    if (events) {
        free(events->list);
        free(events);
    }
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
    return joint->law->events[event->event].value(joint->law, joint->parameters,
                                                  response->range);
}

void joint_events_fill(struct joint_events *events, struct continuation_event *all, int first)
{
    events->first = first;
    for (int e = 0; e < events->n; e++) {
        struct joint_event *event = &events->list[e];
        const struct masing_law *law = events->model->joints[event->joint].law;
        all[first + e] =
            (struct continuation_event){.rising = (int)law->events[event->event].rising,
                                        .falling = (int)law->events[event->event].falling,
                                        .type = CONTINUATION_KINK,
                                        .context = event,
                                        .value = value_of};
    }
}

int joint_events_joint(const struct joint_events *events, int index)
{
    bool is_one = index >= events->first && index < events->first + events->n;
    return is_one ? events->list[index - events->first].joint : -1;
}
