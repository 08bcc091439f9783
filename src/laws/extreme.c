/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/extreme.h"

#include <math.h>

const char *law_extreme(const struct law_number *numbers, int n)
{
    const char *key = numbers[0].key;
    double farthest = -1.0;
    for (int i = 0; i < n; i++) {
        double distance = fabs(log10(fabs(numbers[i].value)));
        if (distance > farthest) {
            farthest = distance;
            key = numbers[i].key;
        }
    }
    return key;
}
