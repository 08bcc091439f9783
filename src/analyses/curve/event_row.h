/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a point as its row has them: kinds for programs, a text for readers. */
#ifndef MASING_ANALYSES_CURVE_EVENT_ROW_H
#define MASING_ANALYSES_CURVE_EVENT_ROW_H

#include "analyses/curve/joint_events.h"
#include "masing/event.h"
#include "masing/table.h"

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
