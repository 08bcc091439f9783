/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Stability of periodic responses: how it is found, and what a summary has of it.
 */
#ifndef MASING_STABILITY_H
#define MASING_STABILITY_H

#include <stdbool.h>

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_stability_method {
    MASING_STABILITY_AUTO,    /**< Floquet where it is quick enough, else none */
    MASING_STABILITY_NONE,    /**< the column stays empty */
    MASING_STABILITY_FLOQUET, /**< variational equations in time, states of joints included */
    MASING_STABILITY_HILL,    /**< Hill's equation by collocation; laws without memory only */
};

enum { MASING_MAX_PLACES = 8 };

/** Values of what varies along a curve, a frequency in Hz; the first ones are listed. */
struct masing_places {
    int n;
    double at[MASING_MAX_PLACES];
};

/** The stability of a curve's points, and what follows from it. */
struct masing_stability_summary {
    int n_points; /**< of which something is known; 0: not determined, see reason */
    int n_unstable, n_undecided;
    int n_ranges; /**< pieces of the curve that are unstable; the first ones are listed */
    double from[MASING_MAX_PLACES], to[MASING_MAX_PLACES]; /**< from <= to */
    double largest, largest_at; /**< modulus of a Floquet multiplier */
    double error;               /**< largest estimate for it, of the points that were decided;
                                     in parts of it where it is larger than 1 */
    struct masing_places period_doublings, neimark_sackers;
    /** Of one sector in a travelling wave: the nodal diameter, 0 to N/2, in which most of the
     * motion is that grows where each of the ranges begins; -1: not known, or no wave. */
    int diameters[MASING_MAX_PLACES];
    char reason[MASING_MESSAGE_LENGTH]; /**< why nothing was determined, else "" */
};

#ifdef __cplusplus
}
#endif
#endif
