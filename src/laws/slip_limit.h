/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The friction limit of a joint, given as a force or as Coulomb coefficient times preload. */
#ifndef MASING_LAWS_SLIP_LIMIT_H
#define MASING_LAWS_SLIP_LIMIT_H

#include <math.h>

#include "masing/law.h"

struct slip_limit {
    double slip_force, friction, preload; /* as given, NAN where not */
    double resolved;                      /* N */
};

/* What gives the limit instead of the force, and instead of the pair. */
extern const char *const slip_limit_force_alternatives[], *const slip_limit_pair_alternatives[];

/* Three rows of a field table for a `struct slip_limit` at an offset. */
#define SLIP_LIMIT_FIELDS(offset_of_limit)                                                     \
    {.name = "slip_force",                                                                     \
     .unit = "N",                                                                              \
     .type = MASING_FIELD_REAL,                                                                \
     .minimum = 0.0,                                                                           \
     .maximum = INFINITY,                                                                      \
     .fallback = NAN,                                                                          \
     .help = "force at which the joint slips (or give friction and preload)",                  \
     .alternatives = slip_limit_force_alternatives,                                            \
     .offset = (offset_of_limit) + offsetof(struct slip_limit, slip_force)},                   \
        {.name = "friction",                                                                   \
         .unit = "",                                                                           \
         .type = MASING_FIELD_REAL,                                                            \
         .minimum = 0.0,                                                                       \
         .maximum = INFINITY,                                                                  \
         .fallback = NAN,                                                                      \
         .help = "Coulomb coefficient; slip force = friction * preload",                       \
         .alternatives = slip_limit_pair_alternatives,                                         \
         .offset = (offset_of_limit) + offsetof(struct slip_limit, friction)},                 \
    {                                                                                          \
        .name = "preload", .unit = "N", .type = MASING_FIELD_REAL, .minimum = 0.0,             \
        .maximum = INFINITY, .fallback = NAN,                                                  \
        .help = "normal force that presses the surfaces together; 0: no friction force",       \
        .alternatives = slip_limit_pair_alternatives,                                          \
        .offset = (offset_of_limit) + offsetof(struct slip_limit, preload)                     \
    }

/* The row of a constants table for the resolved limit. */
#define SLIP_LIMIT_CONSTANT(offset_of_limit)                                                   \
    {                                                                                          \
        "slip_force", "N", "force at which the joint slips",                                   \
            (offset_of_limit) + offsetof(struct slip_limit, resolved)                          \
    }

/* The key of what is extreme about a limit that is out of range. */
const char *slip_limit_key(const struct slip_limit *limit);

/* Exactly one way of giving the limit; fills `resolved`. */
enum masing_status slip_limit_check(struct slip_limit *limit, struct masing_error *error);

/* The same, and the displacement at which a spring of this stiffness reaches the limit, m. */
enum masing_status slip_limit_reach(struct slip_limit *limit, double stiffness, double *reach,
                                    struct masing_error *error);

/* Change of `resolved` with those of the given numbers. */
void slip_limit_derive(const struct slip_limit *limit, struct slip_limit *tangent);

#endif
