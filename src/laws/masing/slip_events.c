/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/slip_events.h"

#include <math.h>

/* Always slipping, and never at the border, where there is no friction. */
static double relative(double reach, double displacement)
{
    return reach > 0.0 ? displacement / reach - 1.0 : 1.0;
}

double slip_events_amplitude(double reach, const struct masing_range *range)
{
    return relative(reach, 0.5 * (range->maximum - range->minimum));
}

/*
 * The slider leaves its origin before the joint slips in every cycle if the motion is not
 * centred on the origin. If it is, both happen at once and the first event is enough.
 */
double slip_events_excursion(double reach, const struct masing_range *range)
{
    static const double CENTRED = 1e-6; /* offset that is no offset, of the motion */
    double amplitude = 0.5 * (range->maximum - range->minimum);
    double offset = fabs(0.5 * (range->maximum + range->minimum) - range->origin);
    if (offset <= CENTRED * fmax(amplitude, reach)) {
        return -1.0;
    }
    return relative(reach, amplitude + offset);
}

double slip_events_settle(double reach, const struct masing_range *range)
{
    double low = range->maximum - reach, high = range->minimum + reach;
    if (low > high) {
        return 0.5 * (range->maximum + range->minimum);
    }
    return fmin(fmax(range->origin, low), high);
}
