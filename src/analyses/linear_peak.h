/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linear reference of a preload study: joints stuck, or joints in full slip. */
#ifndef MASING_ANALYSES_LINEAR_PEAK_H
#define MASING_ANALYSES_LINEAR_PEAK_H

#include "harmonic/balance.h"

struct linear_peak {
    double omega; /* rad/s */
    double
        size; /* first-harmonic amplitude of the peak's output; INFINITY at an undamped pole */
};

/* Largest linear response within the frequency range, loads of harmonic 1 only. The joints'
 * stiffness is that of their laws (BALANCE_STUCK or BALANCE_FREE). */
enum masing_status linear_peak_find(const struct balance *balance, enum balance_joints joints,
                                    struct linear_peak *peak, struct masing_error *error);

#endif
