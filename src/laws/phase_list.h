/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caller's array of phases while a law fills it. */
#ifndef MASING_LAWS_PHASE_LIST_H
#define MASING_LAWS_PHASE_LIST_H

#include "masing/law.h"

struct phase_list {
    struct masing_phase *phases;
    int n, max;
    bool is_full; /* a phase did not fit */
};

/* Append a phase; an empty one (end <= start) is left out. */
void phase_list_add(struct phase_list *list, const struct masing_phase *phase);

/* What masing_law.phases returns: the count, or -1. */
int phase_list_count(const struct phase_list *list);

/* Angle of extremum number `index`, counted on past the end of the list into the next period.
 */
double phase_list_angle(const struct masing_smooth_path *path, int index);

#endif
