/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The friction limit of a joint, given as a force or as Coulomb coefficient times preload,
 * which may go with the square of the shaft's speed. */
#ifndef MASING_LAWS_SLIP_LIMIT_H
#define MASING_LAWS_SLIP_LIMIT_H

#include <math.h>

#include "masing/law.h"

struct slip_limit {
    double slip_force, friction, preload; /* as given, NAN where not */
    double per_speed_squared;             /* N s^2, likewise */
    double speed_squared;                 /* rad^2/s^2, see masing_law.speed_offset */
    double pressed;  /* preload at this speed, N; NAN where none is given */
    double resolved; /* N */
};

/* What gives the limit instead of the force, and instead of the pair. */
extern const char *const slip_limit_force_alternatives[], *const slip_limit_pair_alternatives[];

/* Four rows of a field table for a `struct slip_limit` at an offset. */
#define SLIP_LIMIT_FIELDS(at)                                                                  \
    MASING_REAL("slip_force", "N", MASING_NOT_NEGATIVE,                                        \
                SLIP_LIMIT_OR(slip_limit_force_alternatives),                                  \
                "force at which the joint slips (or give friction and preload)",               \
                (at) + offsetof(struct slip_limit, slip_force)),                               \
        MASING_REAL("friction", "", MASING_NOT_NEGATIVE,                                       \
                    SLIP_LIMIT_OR(slip_limit_pair_alternatives),                               \
                    "Coulomb coefficient; slip force = friction * preload",                    \
                    (at) + offsetof(struct slip_limit, friction)),                             \
        MASING_REAL("preload", "N", MASING_NOT_NEGATIVE,                                       \
                    SLIP_LIMIT_OR(slip_limit_pair_alternatives),                               \
                    "normal force that presses the surfaces together; 0: no friction force",   \
                    (at) + offsetof(struct slip_limit, preload)),                              \
        MASING_REAL("preload_per_speed_squared", "N s^2", MASING_NOT_NEGATIVE,                 \
                    SLIP_LIMIT_OR(slip_limit_pair_alternatives),                               \
                    "m r / (2 sin gamma) of a wedge: times the square of the shaft's speed, "  \
                    "beside the preload",                                                      \
                    (at) + offsetof(struct slip_limit, per_speed_squared))

/* Of a law with such a limit. */
#define SLIP_LIMIT_SPEED(at) .speed_offset = (at) + offsetof(struct slip_limit, speed_squared)

#define SLIP_LIMIT_OR(others) MASING_OPTIONAL, .alternatives = others

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
