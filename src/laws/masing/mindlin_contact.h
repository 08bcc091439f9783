/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mindlin's contact as parameters: shared by the laws that describe its motion. */
#ifndef MASING_LAWS_MASING_MINDLIN_CONTACT_H
#define MASING_LAWS_MASING_MINDLIN_CONTACT_H

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

/* Rows of a field table for a `struct mindlin_contact` at an offset. */
#define MINDLIN_CONTACT_FIELDS(at)                                                             \
    SLIP_LIMIT_FIELDS((at) + offsetof(struct mindlin_contact, limit)),                         \
        MASING_REAL("slip_displacement", "m", MASING_POSITIVE, MASING_OPTIONAL,                \
                    "displacement at which the whole contact slips (or give the bodies)",      \
                    (at) + offsetof(struct mindlin_contact, slip_displacement)),               \
        ELASTIC_PAIR_FIELDS("", (at) + offsetof(struct mindlin_contact, bodies)),              \
        MASING_NUMBERS("radius", "m", MASING_POSITIVE, MASING_OPTIONAL, 2,                     \
                       "of a sphere on a plane, or of a pair of spheres",                      \
                       (at) + offsetof(struct mindlin_contact, radius))

#define MINDLIN_CONTACT_CONSTANTS(at)                                                          \
    SLIP_LIMIT_CONSTANT((at) + offsetof(struct mindlin_contact, limit)),                       \
        {"slip_displacement", "m", "displacement at which the whole contact slips, delta_c",   \
         (at) + offsetof(struct mindlin_contact, reach)},                                      \
        {"stiffness", "N/m", "tangent at the origin, 8 a / G*",                                \
         (at) + offsetof(struct mindlin_contact, stiffness)},                                  \
        {"contact_radius", "m", "radius of the contact area, a",                               \
         (at) + offsetof(struct mindlin_contact, contact_radius)},                             \
        ELASTIC_PAIR_CONSTANTS((at) + offsetof(struct mindlin_contact, bodies))

/* Exactly one way of giving the contact; fills the rest. */
enum masing_status mindlin_contact_check(struct mindlin_contact *contact,
                                         struct masing_error *error);

void mindlin_contact_derive(const struct mindlin_contact *contact,
                            struct mindlin_contact *tangent);

/* B(u), B'(u) for u >= 0, and the change of B along a tangent at fixed u. */
void mindlin_contact_backbone(const struct mindlin_contact *contact, double u, double *b,
                              double *db);
double mindlin_contact_change(const struct mindlin_contact *contact,
                              const struct mindlin_contact *tangent, double u);

/* delta_c, or zero where there is no friction. */
double mindlin_contact_onset(const struct mindlin_contact *contact);

#endif
