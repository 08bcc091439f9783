/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * What happens at a point of a curve. Rows carry kinds, as bits of a set; their text, like
 * `peak; slip onset (damper)`, is for people.
 */
#ifndef MASING_EVENT_H
#define MASING_EVENT_H

#include <stdbool.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_event {
    MASING_EVENT_NONE,             /**< no bit of a set */
    MASING_EVENT_FOLD,             /**< the parameter turns round; a followed peak ends */
    MASING_EVENT_BRANCH_POINT,     /**< another curve crosses this one */
    MASING_EVENT_AT,               /**< a value at which a row was asked for */
    MASING_EVENT_PEAK,             /**< the peak's measure is largest */
    MASING_EVENT_SLIP_ONSET,       /**< a joint begins to slip */
    MASING_EVENT_STICK,            /**< a joint ceases to slip */
    MASING_EVENT_SLIDER_SHIFT,     /**< a slider settles elsewhere than it started */
    MASING_EVENT_SLIDER_AT_ORIGIN, /**< a slider settles where it started */
    MASING_EVENT_CONTACT,          /**< a contact closes in a part of the period */
    MASING_EVENT_FULL_CONTACT,     /**< a contact is closed all the time */
    MASING_EVENT_LIFT_OFF,         /**< a contact opens, in a part of the period or for good */
    MASING_EVENT_SEPARATION,       /**< a contact is open all the time */
    MASING_EVENT_PERIOD_DOUBLING,  /**< a multiplier passes -1 */
    MASING_EVENT_NEIMARK_SACKER,   /**< a complex pair of multipliers leaves the unit circle */
    MASING_EVENT_JUMP,             /**< the largest peak is another one than before */
    MASING_EVENT_MINIMUM,          /**< the peak is lowest */
    MASING_EVENT_CROSSING,         /**< two peaks are equally large */
    MASING_N_EVENTS
};

#define MASING_EVENT_BIT(event) (1U << (event))

/** Kinds at which a multiplier is on the unit circle, so that the motion is neither stable nor
 * unstable. */
#define MASING_EVENTS_ON_CIRCLE                                                                \
    (MASING_EVENT_BIT(MASING_EVENT_FOLD) | MASING_EVENT_BIT(MASING_EVENT_BRANCH_POINT) |       \
     MASING_EVENT_BIT(MASING_EVENT_PERIOD_DOUBLING) |                                          \
     MASING_EVENT_BIT(MASING_EVENT_NEIMARK_SACKER))

/** Whether a set of kinds has one of them. */
static inline bool masing_events_have(unsigned kinds, enum masing_event event)
{
    return (kinds & MASING_EVENT_BIT(event)) != 0;
}

/** As it is written, e.g. "slip onset"; "" for none. */
MASING_API const char *masing_event_name(enum masing_event event);

#ifdef __cplusplus
}
#endif
#endif
