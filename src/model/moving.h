/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model along a parameter p of its file. Joints' parameters and loads' amplitudes that depend
 * on it do so by a factor and a constant. Everything else stays as it was sealed.
 */
#ifndef MASING_MODEL_MOVING_H
#define MASING_MODEL_MOVING_H

#include "base/arena.h"
#include "model/model.h"

/* A double of a joint's parameters: value + slope p. */
struct moving_number {
    int joint;
    size_t offset;
    double value, slope;
};

/* The amplitude of a load, load factor included. */
struct moving_load {
    int load;
    double value, slope;
};

struct moving {
    struct arena arena;         /* of all arrays */
    struct masing_model *model; /* changed in place: not to be used by others meanwhile */
    void **given;               /* [n_joints] parameters before anything is derived, or NULL */
    void **tangent;             /* [n_joints] their derivative by p, or NULL: they stay */
    int n_numbers, n_loads;
    struct moving_number *numbers; /* in the order of the joints */
    struct moving_load *loads;
    double p;
    bool is_set;
};

/* What the file says at three values of the parameter, the second in the middle. */
struct moving_specs {
    const struct masing_spec *at[3];
    double p[3];
};

/*
 * model is sealed from the file at p[0], and stays the caller's. MASING_UNSUPPORTED where
 * something else than joints and loads depends on it, or by more than a factor.
 */
enum masing_status moving_create(struct masing_model *model, const struct moving_specs *specs,
                                 struct moving **moving, struct masing_error *error);
void moving_destroy(struct moving *moving);

/* Does the structure or a joint depend on the parameter, and not loads and settings alone? */
enum masing_status moving_find_design(const struct moving_specs *specs, bool *is_design,
                                      struct masing_error *error);

/* Positive status where a law refuses the value. Tangents belong to it from then on. */
enum masing_status moving_set(struct moving *moving, double p);

#endif
