/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hertz.h"

#include <math.h>

#include "base/pi.h"

/* Powers of ten up to this one are doubles, so that quotients by them are rounded as the
 * decimal number is (Clinger 1990). */
enum { DIGITS = 15, MOST_EXACT = 22 };

double hertz(double omega)
{
    double value = omega / TWO_PI;
    if (value == 0.0 || !isfinite(value)) {
        return value;
    }
    int places = DIGITS - 1 - (int)floor(log10(fabs(value)));
    if (places < 0 || places > MOST_EXACT) {
        return value;
    }
    double power = 1.0;
    for (int i = 0; i < places; i++) {
        power *= 10.0;
    }
    double decimal = round(value * power) / power;
    return TWO_PI * decimal == omega ? decimal : value;
}
