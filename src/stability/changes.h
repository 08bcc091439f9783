/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The changes of state of joints that are linear in between, over a period of a solution of the
 * balance: where they are, and what the forces of small motions are from there on.
 */
#ifndef MASING_STABILITY_CHANGES_H
#define MASING_STABILITY_CHANGES_H

#include "harmonic/balance/balance.h"

/* Axes of a joint of the kind. */
enum { CHANGE_AXES = 2 };

/* f = k u - l s for the joint's axes u and its slider s. */
struct change_force {
    double k[CHANGE_AXES][CHANGE_AXES], l[CHANGE_AXES];
};

struct change {
    double angle; /* [0, 2 pi) */
    int joint;
    struct change_force force; /* from there on */
    bool comes_to_rest;        /* the slider does, at s = rest . u */
    double rest[CHANGE_AXES];
};

/* Which motion the changes are those of: of the balance, also without its last harmonics; or
 * without what slips for so short that it is at the corner between stick and slip. */
enum change_motion { CHANGES_OF_ALL, CHANGES_OF_FIRST_HARMONICS, CHANGES_WITHOUT_SHORT_SLIPS };

struct changes {
    const struct balance *balance; /* lent */
    int n_kept;                    /* coefficients of the first harmonics */
    bool has_dashpots;
    double *damping; /* [n_axes] of dashpots */
    struct trigonometric_path *path[3];
    double *coefficients;       /* [n_coefficients] scratch */
    struct masing_phase *phase; /* [max_phases] of one joint */
    double *angles;             /* [max_phases] scratch */
    int max_phases;
    /* of the last motion: */
    int n, max;
    struct change *list;           /* [max] by angle */
    struct change_force *constant; /* [n_joints] of those that have no changes */
    bool has_short_slips;
};

/* *changes stays NULL where a joint is not of the kind. */
enum masing_status changes_create(const struct balance *balance, struct arena *arena,
                                  struct changes **changes, struct masing_error *error);
void changes_destroy(struct changes *changes);

/* At a solution that the balance is settled at. MASING_UNSUPPORTED: not to be told. */
enum masing_status changes_find(struct changes *changes, enum change_motion motion);

/* Private to its parts. Append a change; its angle may be beyond a period. Whether a slip over
 * such an angle is at a corner. */
bool changes_slip_is_short(double length);
enum masing_status changes_add(struct changes *changes, const struct change *change);

/* Contacts of a linear normal stiffness with friction in one direction. */
bool contact_changes_are_known(const struct joint *joint);
enum masing_status contact_changes_add(struct changes *changes, int joint,
                                       enum change_motion motion);

/* Coefficients of sums of displacements, sum weight[i] x[i], as a path. */
void changes_set_path(const struct changes *changes, enum change_motion motion,
                      struct trigonometric_path *path, int n, const double *weight,
                      const double *const *x);

#endif
