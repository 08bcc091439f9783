/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slip of laws with a reach: events along a curve, and where the slider settles. All
 * displacements in metres. */
#ifndef MASING_LAWS_MASING_SLIP_EVENTS_H
#define MASING_LAWS_MASING_SLIP_EVENTS_H

#include "masing/law.h"

/* Amplitude relative to the reach, less one; positive where there is no reach. */
double slip_events_amplitude(double reach, const struct masing_range *range);

/* The same of the largest excursion from where the slider started. */
double slip_events_excursion(double reach, const struct masing_range *range);

/* Where a slider that started at range->origin stands after such motion. */
double slip_events_settle(double reach, const struct masing_range *range);

/* The rows of a law's table of events, for functions of its own around those above. */
#define SLIP_EVENTS(amplitude, excursion)                                                      \
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, amplitude, false},                           \
    {                                                                                          \
        MASING_EVENT_SLIDER_SHIFT, MASING_EVENT_SLIDER_AT_ORIGIN, excursion, true              \
    }

#endif
