/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/event.h"

const char *masing_event_name(enum masing_event event)
{
    static const char *const names[MASING_N_EVENTS] = {
        [MASING_EVENT_NONE] = "",
        [MASING_EVENT_FOLD] = "fold",
        [MASING_EVENT_BRANCH_POINT] = "branch point",
        [MASING_EVENT_AT] = "at",
        [MASING_EVENT_PEAK] = "peak",
        [MASING_EVENT_SLIP_ONSET] = "slip onset",
        [MASING_EVENT_STICK] = "stick",
        [MASING_EVENT_SLIDER_SHIFT] = "slider shift",
        [MASING_EVENT_SLIDER_AT_ORIGIN] = "slider at origin",
        [MASING_EVENT_CONTACT] = "contact",
        [MASING_EVENT_FULL_CONTACT] = "full contact",
        [MASING_EVENT_LIFT_OFF] = "lift-off",
        [MASING_EVENT_SEPARATION] = "separation",
        [MASING_EVENT_PERIOD_DOUBLING] = "period doubling",
        [MASING_EVENT_NEIMARK_SACKER] = "Neimark-Sacker",
        [MASING_EVENT_JUMP] = "jump",
        [MASING_EVENT_MINIMUM] = "minimum",
        [MASING_EVENT_CROSSING] = "crossing",
    };
    return names[event];
}
