/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole disk of a sector in a travelling wave, at the wave: motions beside it, in which
 * sectors differ, are no motions of one sector.
 */
#ifndef MASING_STABILITY_WHOLE_DISK_H
#define MASING_STABILITY_WHOLE_DISK_H

#include "harmonic/balance/balance.h"

struct whole_disk {
    struct masing_model *model;
    struct balance *balance; /* of all sectors, never solved */
    double *y;               /* [balance->n_unknowns] */
};

/* Of the sector that a balance is of. MASING_UNSUPPORTED where it cannot be made. */
enum masing_status whole_disk_create(const struct balance *sector, struct whole_disk **disk,
                                     struct masing_error *error);
void whole_disk_destroy(struct whole_disk *disk);

/* Settle its balance where each sector repeats what the sector is settled at, later by its part
 * of the period. */
enum masing_status whole_disk_settle(struct whole_disk *disk, const struct balance *sector,
                                     double omega);

/*
 * Nodal diameter, 0 to N / 2, that has the largest part of a motion of the modes: displacements
 * and velocities in parts of omega, [n_modes] complex each by real and imaginary part. -1: the
 * disk is too large to tell.
 */
int whole_disk_diameter(const struct whole_disk *disk, int n_sectors, int n_modes, double omega,
                        const double *real, const double *imaginary);

#endif
