/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One contact element at one instant (Voldrich 2009, eqs 1, 2 and section 2.2): normal force,
 * tangential stiffness and reach, the elastic displacement at which it slips.
 */
#ifndef MASING_LAWS_CONTACT_ELEMENT_H
#define MASING_LAWS_CONTACT_ELEMENT_H

#include "masing/law.h"

/* With derivatives by the approach c = position + u and by the speed w. */
struct contact_local {
    double c;
    bool is_open;
    double force, force_c;         /* N, N/m; without the preload taken off */
    double stiffness, stiffness_c; /* tangential, N/m */
    double reach, reach_c, reach_w;
    double heading[2]; /* unit vector of the tangential velocity, zero at rest: dw = heading .
                          dv */
};

/* u: displacement, m; velocity [2]: tangential, m/s, or NULL; smoothing: see masing_path. */
void contact_local_set(const struct masing_contact_element *element, double smoothing, double u,
                       const double *velocity, struct contact_local *local);

/* The formulas hold piece by piece, and each goes on smoothly beyond its ends, which are zero
 * and, of a rough surface, the roughness. */
enum contact_piece { CONTACT_LINEAR, CONTACT_ROUGH, CONTACT_FLAT };

/* A piece at an approach c and a speed, either of which may be beyond the end; no heading. */
void contact_local_continue(const struct masing_contact_element *element,
                            enum contact_piece piece, double c, double speed,
                            struct contact_local *local);

/* Changes along a change of the element's constants at a fixed approach; that of the approach
 * is change->position. */
struct contact_change {
    double force, stiffness, reach;
};
void contact_local_change(const struct masing_contact_element *element,
                          const struct masing_contact_element *change, double smoothing,
                          double u, const double *velocity, struct contact_change *local);

/* The position at which an element carries a force >= 0; its derivatives by the force, the
 * normal stiffness and the roughness in slopes[3]. */
double contact_position(double force, double normal_stiffness, double roughness,
                        double slopes[3]);

/* Rules that a constant element obeys. */
bool contact_has_friction(const struct masing_contact_element *element);
bool contact_is_rate_dependent(const struct masing_contact_element *element);

#endif
