/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two rough surfaces pressed together, by their measurable topography (Greenwood and
 * Williamson 1966; Jamshidi and Koochakinejad 2021, eqs 1-33).
 */
#ifndef MASING_LAWS_MASING_ROUGH_TOPOGRAPHY_H
#define MASING_LAWS_MASING_ROUGH_TOPOGRAPHY_H

#include "laws/elastic_pair.h"

struct rough_topography {
    struct masing_list height_std, summit_radius;
    double summit_density, area;
    struct elastic_pair bodies;
    double cutoff;     /* n, of the heights in standard deviations */
    double sigma;      /* combined height_std, m */
    double radius;     /* combined summit_radius, m */
    double separation; /* h, of the mean planes in standard deviations */
    double depth;      /* d = n - h */
    double distance;   /* y_c = h sigma, m */
    double ratio;      /* gamma, tangential to normal stiffness of a summit: 4 / (E* G*) */
    double share;      /* q */
    double reduction;  /* xi = q (n - h) */
};

/* Whether anything of the topography is given. */
bool rough_topography_is_given(const struct rough_topography *topography);

/* Fill the derived numbers by a preload in N; all NAN where nothing is given. */
enum masing_status rough_topography_check(struct rough_topography *topography, double preload,
                                          struct masing_error *error);

/* Their changes; the root by the theorem on implicit functions. */
void rough_topography_derive(const struct rough_topography *topography, double preload,
                             double preload_change, struct rough_topography *tangent);

#endif
