/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The elastic constants of two bodies in contact, and lengths given for one or both of them. */
#ifndef MASING_LAWS_ELASTIC_PAIR_H
#define MASING_LAWS_ELASTIC_PAIR_H

#include <math.h>

#include "masing/law.h"

struct elastic_pair {
    struct masing_list youngs_modulus, poisson_ratio; /* one for both bodies, or two */
    double plane_modulus;                             /* E*, Pa: 1/E* = sum of (1 - nu^2) / E */
    double shear_compliance;                          /* G*, 1/Pa: sum of (2 - nu) / G */
};

/* Two rows of a field table for a `struct elastic_pair` at an offset; `prefix` is a literal. */
#define ELASTIC_PAIR_FIELDS(prefix, offset_of_pair)                                            \
    MASING_NUMBERS(prefix "youngs_modulus", "Pa", MASING_POSITIVE, MASING_OPTIONAL, 2,         \
                   "elastic modulus of both bodies, or a pair",                                \
                   (offset_of_pair) + offsetof(struct elastic_pair, youngs_modulus)),          \
        MASING_NUMBERS(prefix "poisson_ratio", "",                                             \
                       MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, -1.0, 0.5), MASING_OPTIONAL,   \
                       2, "Poisson's ratio of both bodies, or a pair",                         \
                       (offset_of_pair) + offsetof(struct elastic_pair, poisson_ratio))

/* The rows of a constants table. */
#define ELASTIC_PAIR_CONSTANTS(offset_of_pair)                                                 \
    {"E*", "Pa", "combined modulus in compression, 1/E* = sum of (1 - nu^2)/E",                \
     (offset_of_pair) + offsetof(struct elastic_pair, plane_modulus)},                         \
    {                                                                                          \
        "G*", "1/Pa", "combined compliance in shear, sum of (2 - nu)/G",                       \
            (offset_of_pair) + offsetof(struct elastic_pair, shear_compliance)                 \
    }

/* Fill the combined constants; NAN where nothing is given. Ranges are those of the fields. */
void elastic_pair_check(struct elastic_pair *pair);

/* Changes of the combined constants with those of the given numbers. */
void elastic_pair_derive(const struct elastic_pair *pair, struct elastic_pair *tangent);

/* Radius of the sphere that touches a plane as these touch each other: one, or 1/(1/a + 1/b);
 * NAN for an empty list. */
double elastic_pair_radius(const struct masing_list *radius);
double elastic_pair_radius_change(const struct masing_list *radius,
                                  const struct masing_list *tangent);

/* Height of independent roughnesses together: one, or sqrt(a^2 + b^2). */
double elastic_pair_height(const struct masing_list *height);
double elastic_pair_height_change(const struct masing_list *height,
                                  const struct masing_list *tangent);

#endif
