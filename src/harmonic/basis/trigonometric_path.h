/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trigonometric polynomial seen as a smooth path: its turning points, values and the angles
 * at which it passes a level. Laws with closed-form phases use it and never see a coefficient.
 */
#ifndef MASING_HARMONIC_BASIS_TRIGONOMETRIC_PATH_H
#define MASING_HARMONIC_BASIS_TRIGONOMETRIC_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/pair.h"
#include "harmonic/basis/basis.h"
#include "masing/law.h"

/* Workspace of the search for turning points: four points or more per period of the highest
 * harmonic. Of one thread; paths over the same harmonics may use it in turn. */
struct trigonometric_grid {
    struct arena arena;
    struct basis *basis;
    const double *functions;   /* [n_harmonics][2][n_samples / 2] cos h theta, sin h theta */
    double *slope, *curvature; /* [n_samples] derivatives by theta */
};

enum masing_status trigonometric_grid_create(const int *harmonics, int n_harmonics,
                                             struct trigonometric_grid **grid,
                                             struct masing_error *error);
/* The same for another thread; @p original lives longer. */
enum masing_status trigonometric_grid_share(const struct trigonometric_grid *original,
                                            struct trigonometric_grid **grid,
                                            struct masing_error *error);
void trigonometric_grid_destroy(struct trigonometric_grid *grid);

/* Of one harmonic: what its cosine and its sine bring to value and slope, and what makes second
 * and third derivative of these. */
struct trigonometric_term {
    pair cosine, sine, bend;
};

/* In parts of the way between two turning points: where half a cosine has a root, and how far
 * from there it is. */
struct trigonometric_root {
    double share, off;
};

struct trigonometric_path {
    struct arena arena;
    struct masing_smooth_path smooth; /* what a law sees; context points back here */
    int highest;
    double *cosine, *sine; /* [highest + 1] amplitudes, zero where the list has no harmonic */
    struct trigonometric_term *terms; /* [highest + 1] the same, prepared */
    double bound[2];                  /* of the third and the fourth derivative */
    int n_extrema, max_extrema;
    struct masing_extremum *extrema;
    struct trigonometric_grid *grid; /* for the search: of whoever uses the path now */
    struct trigonometric_grid *own;  /* NULL where it is lent */
    struct trigonometric_root *root; /* found last; NAN: none since the path was set */
    double *last;                    /* [n_coefficients] what the turning points belong to */
    bool has_last;
};

/* With a grid of its own, or with one that is lent. */
enum masing_status trigonometric_path_create(const int *harmonics, int n_harmonics,
                                             struct trigonometric_path **path,
                                             struct masing_error *error);
enum masing_status trigonometric_path_create_on(struct trigonometric_grid *grid,
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
