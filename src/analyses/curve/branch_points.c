/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/branch_points.h"

#include "masing/event.h"

enum masing_status branch_points_check(const struct masing_spec *spec, int max_branches,
                                       struct masing_error *error)
{
    return max_branches > 0 && spec->start == MASING_START_PREVIOUS
               ? masing_error_set(error, MASING_UNSUPPORTED,
                                  "branches are not followed where sliders carry over from "
                                  "point to point (start: previous): the curves behind a "
                                  "branch point depend on the way there")
               : MASING_OK;
}

bool branch_points_begins(const struct continuation_point *point, int previous_piece)
{
    return point->index == 0 || point->piece != previous_piece;
}

void branch_points_note(struct masing_places *places, const struct continuation_point *point,
                        bool begins, double value)
{
    if (masing_events_have(point->events.kinds, MASING_EVENT_BRANCH_POINT) &&
        !(begins && point->is_on_side_branch)) {
        places_add(places, value);
    }
}

void places_add(struct masing_places *places, double at)
{
    for (int i = 0; i < places->n && i < MASING_MAX_PLACES; i++) {
        if (places->at[i] == at) {
            return;
        }
    }
    if (places->n < MASING_MAX_PLACES) {
        places->at[places->n] = at;
    }
    places->n++;
}
