/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trigonometric polynomial seen as a smooth path: its turning points, values and the angles
 * at which it passes a level. Laws with closed-form phases ask it; they never see a
 * coefficient.
 */
#ifndef MASING_HARMONIC_TRIGONOMETRIC_PATH_H
#define MASING_HARMONIC_TRIGONOMETRIC_PATH_H

#include <stdbool.h>

#include "harmonic/basis.h"
#include "masing/law.h"

struct trigonometric_path {
    struct masing_smooth_path smooth; /* what a law sees; context points back here */
    int highest;
    double *cosine, *sine; /* [highest + 1] amplitudes, zero where the list has no harmonic */
    int n_extrema, max_extrema;
    struct masing_extremum *extrema;
    struct basis *grid; /* 16 points per period of the highest harmonic, for the search */
    double *slope, *curvature; /* [grid->n_samples + 1] derivatives by theta */
    double *last;              /* [grid->n_coefficients] what the turning points belong to */
    bool has_last;
};

enum masing_status trigonometric_path_create(const int *harmonics, int n_harmonics,
                                             struct trigonometric_path **path,
                                             struct masing_error *error);
void trigonometric_path_destroy(struct trigonometric_path *path);

/* Take new coefficients (of the path's own list) and find all turning points; at no cost
 * where the coefficients are the last ones again. */
void trigonometric_path_set(struct trigonometric_path *path, const double *coefficients,
                            double origin);

/* Value and first three derivatives by theta at an angle. */
void trigonometric_path_evaluate(const struct trigonometric_path *path, double angle,
                                 double values[4]);

#endif
