/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The laws of the library; laws.def lists them. */
#ifndef MASING_LAWS_LAWS_H
#define MASING_LAWS_LAWS_H

#include "masing/law.h"

#define LAW(family, name) extern const struct masing_law law_##name;
#include "laws/laws.def"
#undef LAW

/* Where a member of a law's `struct parameters` stands, for its tables. */
#define AT(member) offsetof(struct parameters, member)

/* What laws of one axis with a `struct parameters` and `fields` have in common. */
#define LAW_OF_ONE_AXIS(family_name)                                                           \
    .family = &masing_family_##family_name, .n_axes = 1,                                       \
    .parameters_size = sizeof(struct parameters), MASING_TABLE(fields, fields)

/* Define a function of a law that returns one number of its `struct parameters`. */
#define LAW_PARAMETER(function, number)                                                        \
    static double function(const void *parameters)                                             \
    {                                                                                          \
        return ((const struct parameters *)parameters)->number;                                \
    }

/* INFINITY, for laws whose force may rise for ever. */
double law_endless(const void *parameters);

/* Which of several numbers makes what follows from them too large or too small. */
struct law_number {
    const char *key;
    double value; /* not 0 where that is an ordinary value */
};

/* The key of the number whose magnitude is farthest from 1, of equals the first; numbers that
 * are not given (NAN) do not count. */
const char *law_extreme(const struct law_number *numbers, int n);

/* The caller's array of phases while a law fills it. */
struct phase_list {
    struct masing_phase *phases;
    int n, max;
    bool is_full; /* a phase did not fit */
};

/* Append a phase; an empty one (end <= start) is left out. */
void phase_list_add(struct phase_list *list, const struct masing_phase *phase);

/* What masing_law.phases returns: the count, or -1. */
int phase_list_count(const struct phase_list *list);

/* Angle of extremum number `index`, counted on past the end of the list into the next period.
 */
double phase_list_angle(const struct masing_smooth_path *path, int index);

#endif
