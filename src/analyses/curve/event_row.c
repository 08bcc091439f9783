/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/event_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* ---- events of joints ---- */

/* When one contact among many begins to slip is of no use, and a curve that is
 * landed on the corner of each would have nothing but corners. */
bool joint_events_are_landed(const struct masing_model *model, int joint)
{
    int group = model->joints[joint].group;
    return model->spec.groups[group].n_joints <= model->spec.solver.landed_contacts;
}

static int events_of(const struct masing_model *model, int joint)
{
    return joint_events_are_landed(model, joint) ? model->joints[joint].law->n_events : 0;
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
    size_t n = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        n += (size_t)events_of(model, j);
    }
    TRY_ALLOCATED(made->list = memory_array(n, sizeof *made->list));
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

/* ---- rows ---- */

/* What the continuation finds by itself goes by the same numbers in rows. */
_Static_assert((int)CONTINUATION_FOLD == (int)MASING_EVENT_FOLD, "fold");
_Static_assert((int)CONTINUATION_BRANCH_POINT == (int)MASING_EVENT_BRANCH_POINT,
               "branch point");
_Static_assert((int)CONTINUATION_AT == (int)MASING_EVENT_AT, "at");
_Static_assert((int)MASING_EVENT_PEAK >= (int)CONTINUATION_OWN_KINDS, "the caller's kinds");
_Static_assert(MASING_N_EVENTS <= 32, "a set has 32 bits");

static void add(struct event_row *row, enum masing_event kind, const char *joint)
{
    size_t used = strlen(row->text);
    row->kinds |= MASING_EVENT_BIT(kind);
    snprintf(row->text + used, sizeof row->text - used, "%s%s%s%s%s", used ? "; " : "",
             masing_event_name(kind), joint ? " (" : "", joint ? joint : "", joint ? ")" : "");
}

struct event_row event_row_of_kinds(unsigned kinds)
{
    struct event_row row = {.joint = -1};
    for (int kind = 1; kind < MASING_N_EVENTS; kind++) {
        if (masing_events_have(kinds, (enum masing_event)kind)) {
            add(&row, (enum masing_event)kind, NULL);
        }
    }
    return row;
}

struct event_row event_row_of_point(const struct joint_events *joints,
                                    const struct continuation_events *events)
{
    struct event_row row = {.joint = -1};
    const struct masing_model *model = joints->model;
    for (int i = 0; i < events->n; i++) {
        int joint = joint_events_joint(joints, events->met[i].event);
        bool is_named = joint >= 0 && model->spec.n_joints > 1;
        row.joint = row.joint < 0 ? joint : row.joint;
        add(&row, (enum masing_event)events->met[i].kind,
            is_named ? model->joints[joint].name : NULL);
    }
    return row;
}

struct masing_cell event_row_cell(const struct event_row *row)
{
    return (struct masing_cell){.text = row->text, .events = row->kinds, .joint = row->joint};
}
