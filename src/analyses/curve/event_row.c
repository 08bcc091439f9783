/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/event_row.h"

#include <stdio.h>
#include <string.h>

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
