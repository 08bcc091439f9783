/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the slider of a closed contact does while the body moves on straight by dv and the
 * reach changes linearly from d0 to d1. With r = v - v_s, the elastic displacement:
 *   |r| <= d at all times, and v_s moves along r only, as little as needed.
 */
#ifndef MASING_LAWS_CONTACT_SLIP_H
#define MASING_LAWS_CONTACT_SLIP_H

#include <stdbool.h>

/* The slider counts as slipping where it is inside the limit by less than this part of it:
 * rounding of a step that ended at the limit. */
static const double CONTACT_AT_LIMIT = 1e-12;

/* Elastic displacement at the end and its derivatives:
 * dr = by_start dr0 + by_travel d(dv) + by_reach_start dd0 + by_reach dd1. */
struct contact_slip {
    bool is_slip; /* it slips at the end */
    double r[2];
    double by_start[2][2], by_travel[2][2];
    double by_reach_start[2], by_reach[2];
};

/* n: 1 or 2 tangential directions; with one, the second components are zero. |r0| <= d0 but for
 * rounding; d0 >= 0, d1 > 0. Derivatives only where asked for, and only where it slips. */
void contact_slip(int n, const double r0[2], const double dv[2], double d0, double d1,
                  bool with_derivatives, struct contact_slip *slip);

/* A contact that closed on the way, at which moment r = 0 and the reach was 0: dv from there.
 */
void contact_slip_closing(const double dv[2], double d1, struct contact_slip *slip);

#endif
