/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/contact_counts.h"

#include "analyses/curve/event_row.h"

/* What a joint does in a part of the period. */
enum { SLIPS = 1, OPENS = 2 };

static unsigned char state_of(const struct joint_response *response)
{
    return (unsigned char)((response->slip_share > 0.0 ? SLIPS : 0) |
                           (response->open_share > 0.0 ? OPENS : 0));
}

void contact_count_columns(struct row_table *table, const struct masing_model *model,
                           struct joint_response *const *responses)
{
    for (int g = 0; g < model->spec.n_groups; g++) {
        const struct masing_joint_group *group = &model->spec.groups[g];
        int n_slip = 0, n_open = 0;
        for (int j = 0; responses && j < group->n_joints; j++) {
            unsigned char state = state_of(responses[group->first + j]);
            n_open += (state & OPENS) != 0;
            n_slip += state == SLIPS;
        }
        if (group->n_joints > 1) {
            ROW_INTEGER(table, group->n_joints - n_slip - n_open, "n_stick_%s", group->name);
            ROW_INTEGER(table, n_slip, "n_slip_%s", group->name);
            ROW_INTEGER(table, n_open, "n_open_%s", group->name);
        }
    }
}

void contact_counts_follow(const struct masing_model *model,
                           struct joint_response *const *responses, bool begins,
                           unsigned char *states, struct masing_contact_changes *changes)
{
    for (int j = 0; j < model->spec.n_joints; j++) {
        int before = states[j], now = states[j] = state_of(responses[j]);
        int come = now & ~before, gone = before & ~now;
        if (!begins && !joint_events_are_landed(model, j)) {
            changes->slip += (come & SLIPS) != 0;
            changes->stick += (gone & SLIPS) != 0;
            changes->open += (come & OPENS) != 0;
            changes->close += (gone & OPENS) != 0;
        }
    }
}
