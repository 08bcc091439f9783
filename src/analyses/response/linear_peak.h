/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linear reference of a preload study: joints stuck, or joints in full slip. */
#ifndef MASING_ANALYSES_RESPONSE_LINEAR_PEAK_H
#define MASING_ANALYSES_RESPONSE_LINEAR_PEAK_H

#include "harmonic/balance/balance.h"

struct linear_peak {
    double omega; /* rad/s */
    double
        size; /* first-harmonic amplitude of the peak's output; INFINITY at an undamped pole */
};

/* Largest linear responses within the frequency range, loads of harmonic 1 only, with the
 * joints as springs of their laws' stiffness when stuck and in full slip. */
enum masing_status linear_peaks_find(const struct balance *balance, struct linear_peak *stuck,
                                     struct linear_peak *slipping, struct masing_error *error);

#endif
