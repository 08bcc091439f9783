/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/masing/gauss_rule.h"

enum { PANELS = 4, HALF = 8 };

/* Sixteen points on [-1, 1] (Abramowitz and Stegun, table 25.4). */
static const double nodes[HALF] = {0.09501250983763744051, 0.28160355077925891543,
                                   0.45801677765722736968, 0.61787624440264377057,
                                   0.75540440835500299865, 0.86563120238783175520,
                                   0.94457502307323260027, 0.98940093499164993851};
static const double weights[HALF] = {0.18945061045506850217, 0.18260341504492358378,
                                     0.16915651939500253587, 0.14959598881657673597,
                                     0.12462897125553387689, 0.09515851168249278569,
                                     0.06225352393864789363, 0.02715245941175409641};

struct gauss_point gauss_rule(int i)
{
    int panel = i / (2 * HALF), k = i % (2 * HALF);
    double x = k < HALF ? -nodes[HALF - 1 - k] : nodes[k - HALF];
    double weight = weights[k < HALF ? HALF - 1 - k : k - HALF];
    return (struct gauss_point){(panel + 0.5 + 0.5 * x) / PANELS, 0.5 * weight / PANELS};
}
