/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slip of laws of the Masing family, from their slip_onset, or reach: events along a curve,
 * and where the slider settles. */
#ifndef MASING_LAWS_MASING_SLIP_EVENTS_H
#define MASING_LAWS_MASING_SLIP_EVENTS_H

#include "masing/law.h"

/* Where a slider that started at range->origin stands after such motion. */
double slip_events_settle(const struct masing_law *law, const void *parameters,
                          const struct masing_range *range);

/* By the amplitude relative to the onset of slip, and by the largest excursion from where the
 * slider started. */
enum { N_SLIP_EVENTS = 2 };
extern const struct masing_law_event slip_events[N_SLIP_EVENTS];

#endif
