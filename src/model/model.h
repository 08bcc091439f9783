/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sealed model: everything in it is constant after masing_model_create. */
#ifndef MASING_MODEL_MODEL_H
#define MASING_MODEL_MODEL_H

#include "masing/model.h"
#include "model/structure.h"

/* One joint with the place of its axes among all axes of the model. */
struct joint {
    const char *name;
    const struct masing_joint_spec *spec;
    const struct masing_law *law;
    const void *parameters; /* checked */
    int first_axis;
    int n_axes;
    int group;   /* of the specification */
    double area; /* weight within its group, > 0 */
    const double
        *static_displacement;   /* [n_axes] lent from the model; NULL before it is known */
    const double *static_force; /* [n_axes] likewise */
};

/* A load reduced to what the balance needs: force = a(Omega) e^(i phase) (re + i im). */
struct load {
    enum masing_load_kind kind;
    int harmonic;
    double amplitude, phase;        /* load factor included */
    const double *real, *imaginary; /* [n_dofs] force pattern; imaginary may be NULL */
    int n_table;
    const double *table; /* [n_table][3] */
};

struct masing_model {
    struct masing_spec spec; /* owned; defaults resolved */
    struct structure *structure;
    int n_axes;
    struct masing_combination *axes; /* [n_axes], lent from the spec */
    struct joint *joints;            /* [spec.n_joints] */
    struct load *loads;              /* [spec.n_loads] */
    double **base_patterns;          /* [n_loads] owned patterns -M d, NULL for other loads */
    double *static_force;            /* [n_dofs] sum of static loads, load factor NOT applied */
    double *static_displacement;     /* [n_axes] of the joints, sliders as `start` says */
    double *static_reaction;         /* [n_axes] the joints' forces there */
    char **warnings;
    int n_warnings;
};

static inline bool joint_needs_velocity(const struct joint *joint)
{
    return masing_law_needs_velocity(joint->law, joint->parameters);
}

/* Complex amplitude of a load at Omega and its derivative; harmonic force = re(a e^(i h Omega
 * t)). amplitude[2], derivative[2]: real and imaginary part, times the pattern. */
void load_amplitude(const struct load *load, double omega, double amplitude[2],
                    double derivative[2]);

#endif
