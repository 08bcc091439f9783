/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measured loop prepared for a fit: whether it is steady, times of the samples, turns. */
#ifndef MASING_ANALYSES_IDENTIFY_MEASURED_PATH_H
#define MASING_ANALYSES_IDENTIFY_MEASURED_PATH_H

#include <stdbool.h>

#include "masing/identify.h"

struct measured_path {
    const struct masing_measurement *source;
    int n; /* samples, without a last one that repeats the first of a steady motion */
    bool is_steady;
    bool has_time;
    int first;         /* steady: sample at which the displacement is largest, else 0 */
    int n_points;      /* steady: n + 1, else n */
    double *x, *f, *t; /* [n_points] from `first` on, the first sample once more at the end of a
                          steady motion; t counts samples where there is no time */
    double largest_force, travel; /* largest |F|; largest minus smallest x */
    double velocity_noise; /* share of the velocity, where it could not be smoothed away */
};

/* Displacement of a sample in the order of the file, whatever turn of a steady motion. */
static inline double measured_path_x(const struct measured_path *path, int i)
{
    return path->x[(i - path->first + 2 * path->n) % path->n];
}

/* Whether an open motion begins at a loaded joint, whose past is unknown. */
bool measured_path_has_past(const struct measured_path *path);

/*
 * Take noise out of the displacements, for those who need velocities: a steady motion becomes
 * the Fourier series that cross-validation finds; of others velocity_noise is estimated.
 */
enum masing_status measured_path_smooth(struct measured_path *path, struct masing_error *error);

/* Samples are evenly spaced in time, up to what rounding leaves. */
bool measured_path_is_even(const struct measured_path *path);

/* Clear it also after a failure. */
enum masing_status measured_path_create(const struct masing_measurements *data, int index,
                                        struct measured_path *path, struct masing_error *error);
void measured_path_clear(struct measured_path *path);

/* A part of the motion in one direction, points begin .. end. */
struct branch {
    int begin, end;
    double sign;
};

/* Branches of a path; *branches is owned by the caller. */
enum masing_status branches_find(const struct measured_path *path, struct branch **branches,
                                 int *n_branches, struct masing_error *error);

/* Cut a share of its travel off both ends of a branch; begin > end where nothing is left. */
struct branch branch_cut(const struct measured_path *path, const struct branch *branch,
                         double share);

#endif
