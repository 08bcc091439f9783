/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a preload force and moments spread over the elements of a patch between two rigid faces:
 *   sum N_i = F, sum z_i N_i = M_y, -sum y_i N_i = M_z,  N_i = N(a + z_i phi_y - y_i phi_z),
 * elements that would pull being open (Voldrich 2009, section 2.3).
 */
#ifndef MASING_LAWS_CONTACT_PATCH_PRELOAD_H
#define MASING_LAWS_CONTACT_PATCH_PRELOAD_H

#include "masing/law.h"

struct patch_load {
    double force, moment_y, moment_z;
};

/* a, phi_y, phi_z */
struct patch_pose {
    double q[3];
};

/*
 * Places y, z and stiffnesses of the elements [n] are given; position and preload are filled.
 * False: no equilibrium was found.
 */
bool patch_preload_find(int n, const struct patch_load *load,
                        struct masing_contact_element *elements, struct patch_pose *pose);

/*
 * Changes of position and preload of each element along a change of the load and of the
 * elements (whose stiffness, roughness and places are given in changes [n]).
 */
void patch_preload_differentiate(int n, const struct masing_contact_element *elements,
                                 const struct patch_pose *pose,
                                 const struct patch_load *load_change,
                                 struct masing_contact_element *changes);

#endif
