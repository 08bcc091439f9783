/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linear reference of a response: its peak with the joints stuck, or in full slip. */
#ifndef MASING_ANALYSES_RESPONSE_LINEAR_PEAK_H
#define MASING_ANALYSES_RESPONSE_LINEAR_PEAK_H

#include "harmonic/balance/balance.h"

struct linear_peak {
    double omega; /* rad/s, of the peak */
    double size; /* first-harmonic amplitude of the peak's output; INFINITY: an undamped pole */
    bool is_found; /* else there is no peak of that mode within the frequency range, and these
                      are of the largest response in it */
    double unbounded; /* rad/s, the first undamped pole within the range; NAN: none */
};

/*
 * Peaks of the linear response within the frequency range, loads of harmonic 1 only, with the
 * joints as springs of their laws' stiffness when stuck and in full slip: those of the mode
 * that a peak at @p omega (rad/s) belongs to, by its natural frequencies.
 */
enum masing_status linear_peaks_find(const struct balance *balance, double omega,
                                     struct linear_peak *stuck, struct linear_peak *released,
                                     struct masing_error *error);

#endif
