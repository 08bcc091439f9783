/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/slip_events.h"

#include <math.h>

#include "laws/masing/return_points.h"

/* Displacement by the onset, less one. Always slipping, and never at the border, where there is
 * no friction. */
static double relative(double onset, double displacement)
{
    return onset > 0.0 ? displacement / onset - 1.0 : 1.0;
}

static double amplitude_beyond_onset(const struct masing_law *law, const void *parameters,
                                     const struct masing_range *range)
{
    return relative(return_points_slip_onset(law, parameters),
                    0.5 * (range->maximum - range->minimum));
}

/*
 * The slider leaves its origin before the joint slips in every cycle if the motion is not
 * centred on the origin. If it is, both happen at once and the first event is enough.
 */
static double excursion_beyond_onset(const struct masing_law *law, const void *parameters,
                                     const struct masing_range *range)
{
    static const double CENTRED = 1e-6; /* offset that is no offset, of the motion */
    double onset = return_points_slip_onset(law, parameters);
    double amplitude = 0.5 * (range->maximum - range->minimum);
    double offset = fabs(0.5 * (range->maximum + range->minimum) - range->origin);
    if (offset <= CENTRED * fmax(amplitude, onset)) {
        return -1.0;
    }
    return relative(onset, amplitude + offset);
}

double slip_events_settle(const struct masing_law *law, const void *parameters,
                          const struct masing_range *range)
{
    double onset = return_points_slip_onset(law, parameters);
    double low = range->maximum - onset, high = range->minimum + onset;
    if (low > high) {
        return 0.5 * (range->maximum + range->minimum);
    }
    return fmin(fmax(range->origin, low), high);
}

const struct masing_law_event slip_events[N_SLIP_EVENTS] = {
    {MASING_EVENT_SLIP_ONSET, MASING_EVENT_STICK, amplitude_beyond_onset, false},
    {MASING_EVENT_SLIDER_SHIFT, MASING_EVENT_SLIDER_AT_ORIGIN, excursion_beyond_onset, true},
};
