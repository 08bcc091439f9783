/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a slider comes to rest that a periodic motion pushes about but does not drag along for
 * ever: the place closest to its origin from which the body is never out of reach,
 *   min |z - origin|  such that  |z - v_i| <= d_i  at every sample.
 * It does not depend on where the period is taken to begin. Where there is no such place the
 * contact slips in every period.
 */
#ifndef MASING_LAWS_CONTACT_STUCK_H
#define MASING_LAWS_CONTACT_STUCK_H

#include <stdbool.h>

struct contact_stuck {
    double z[2];
    int n_active; /* samples that pushed it there, 0 to 2 */
    int active[2];
};

/* v [n][2], reach [n], n_axes 1 or 2; false: there is none. */
bool contact_stuck_find(int n_axes, int n, const double *v, const double *reach,
                        const double origin[2], struct contact_stuck *stuck);

/*
 * dz = sum over the active samples k of by_v[k] dv_k + by_reach[k] dd_k, and by_origin do.
 */
void contact_stuck_differentiate(int n_axes, const double *v, const double *reach,
                                 const double origin[2], const struct contact_stuck *stuck,
                                 double by_v[2][2][2], double by_reach[2][2],
                                 double by_origin[2][2]);

#endif
