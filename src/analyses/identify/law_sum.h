/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws side by side, and a constant force beside them, as one law for a fit: its force is the
 * sum, its parameters are those of its parts one after the other. The parts know nothing of
 * each other.
 */
#ifndef MASING_ANALYSES_IDENTIFY_LAW_SUM_H
#define MASING_ANALYSES_IDENTIFY_LAW_SUM_H

#include "base/arena.h"
#include "masing/law.h"

/* The constant force, N, a number with the default 0. */
#define LAW_SUM_OFFSET "offset"

struct law_part {
    const struct masing_law *law;
    size_t offset; /* of its parameters in those of the sum */
};

/*
 * Parameters of a single part keep their names; those of several are called
 * "jenkins.stiffness", those of a law's second appearance "jenkins2.stiffness".
 */
struct law_sum {
    struct masing_law law; /* first: the engine finds the parts by it */
    int n_parts;
    struct law_part *parts; /* [n_parts] */
    size_t constant;        /* of the constant force in the parameters */
    struct arena arena;
};

/* Laws of one axis. Clear the sum also after a failure; it must not be moved meanwhile. */
enum masing_status law_sum_create(int n_laws, const struct masing_law *const *laws,
                                  struct law_sum *sum, struct masing_error *error);
void law_sum_clear(struct law_sum *sum);

/* Fresh parameters [sum->law.parameters_size], before anything is stored in them. */
void law_sum_begin(const struct law_sum *sum, void *parameters);

/* A copy of one part's parameters, owned by the caller; NULL: out of memory. */
void *law_sum_take(const struct law_sum *sum, const void *parameters, int part);

#endif
