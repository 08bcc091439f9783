/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mindlin's contact, for laws whose parameters begin with it: they share rows and functions. */
#ifndef MASING_LAWS_MASING_MINDLIN_H
#define MASING_LAWS_MASING_MINDLIN_H

#include "laws/elastic_pair.h"
#include "laws/slip_limit.h"

struct mindlin_contact {
    struct slip_limit limit;  /* T_c */
    double slip_displacement; /* as given, NAN where not */
    struct elastic_pair bodies;
    struct masing_list radius;
    double reach;          /* delta_c, m */
    double stiffness;      /* at the origin, N/m */
    double contact_radius; /* a, m; NAN where no bodies are given */
};

/* Rows of a field table for a `struct mindlin_contact`. */
#define MINDLIN_FIELDS                                                                         \
    SLIP_LIMIT_FIELDS(offsetof(struct mindlin_contact, limit)),                                \
        MASING_REAL("slip_displacement", "m", MASING_POSITIVE, MASING_OPTIONAL,                \
                    "displacement at which the whole contact slips (or give the bodies)",      \
                    offsetof(struct mindlin_contact, slip_displacement)),                      \
        ELASTIC_PAIR_FIELDS("", offsetof(struct mindlin_contact, bodies)),                     \
        MASING_NUMBERS("radius", "m", MASING_POSITIVE, MASING_OPTIONAL, 2,                     \
                       "of a sphere on a plane, or of a pair of spheres",                      \
                       offsetof(struct mindlin_contact, radius))

#define MINDLIN_CONSTANTS                                                                      \
    SLIP_LIMIT_CONSTANT(offsetof(struct mindlin_contact, limit)),                              \
        {"slip_displacement", "m", "displacement at which the whole contact slips, delta_c",   \
         offsetof(struct mindlin_contact, reach)},                                             \
        {"stiffness", "N/m", "tangent at the origin, 8 a / G*",                                \
         offsetof(struct mindlin_contact, stiffness)},                                         \
        {"contact_radius", "m", "radius of the contact area, a",                               \
         offsetof(struct mindlin_contact, contact_radius)},                                    \
        ELASTIC_PAIR_CONSTANTS(offsetof(struct mindlin_contact, bodies))

/* Functions of such a law. The check refuses all but one way of giving the contact. */
enum masing_status mindlin_check(void *parameters, struct masing_error *error);
void mindlin_derive(const void *parameters, void *tangent);
void mindlin_backbone(const void *parameters, double u, double *b, double *db);
double mindlin_backbone_change(const void *parameters, const void *tangent, double u);
double mindlin_reach(const void *parameters);
double mindlin_slip_onset(const void *parameters); /* 0 where there is no friction */

#endif
