/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work along the motion that a series describes, to round-off. */
#ifndef MASING_TRANSIENT_SERIES_WORK_H
#define MASING_TRANSIENT_SERIES_WORK_H

#include "transient/series.h"
#include "transient/work.h"

struct series_work;

/* The parts are lent. */
enum masing_status series_work_create(const struct flow_solver_parts *parts,
                                      struct series_work **work, struct masing_error *error);
void series_work_destroy(struct series_work *work);

/* Add what is done from the beginning of the series to a part of its length; lines [n_axes] are
 * those that it was expanded for, phase is that of the loads' fundamental there. */
void series_work_add(struct series_work *work, const struct series *series,
                     const struct masing_flow_line *lines, double phase, double part,
                     struct work *total);

#endif
