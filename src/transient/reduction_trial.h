/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a model with fewer modes respond as the whole one does? Random forces on joints and
 * loads are applied to both, at the harmonics of the load, with the joints free and with the
 * joints stuck as springs, and motions of joints and outputs are compared.
 */
#ifndef MASING_TRANSIENT_REDUCTION_TRIAL_H
#define MASING_TRANSIENT_REDUCTION_TRIAL_H

#include <complex.h>

#include "transient/ports.h"

/* More axes of joints are too many to be looked at one by one. */
enum { REDUCTION_MOST_AXES = 32, REDUCTION_MOST_HARMONICS = 128 };

struct reduction_trial {
    const struct masing_model *model;
    struct ports *ports;
    double omega;
    int n_forces, n_dampers;
    double *patterns; /* [n_forces + n_dampers][n_dofs] axes, loads, static loads, dampers */
    double *modal_forces; /* [n_forces + n_dampers][n_modes] theirs */
    int n_harmonics;
    int harmonics[REDUCTION_MOST_HARMONICS];
    double weight[REDUCTION_MOST_HARMONICS];
    double *forces;              /* [N_TRIALS][n_dofs] random sums of the patterns */
    double *stuck;               /* [n_axes * n_axes] stiffness of the joints when they stick */
    double *modal;               /* [n_axes + 3][n_modes] modal forces */
    double complex *z;           /* [n_modes] */
    double complex *matrix;      /* of the modes that damping couples */
    double complex *axes;        /* [n_axes][n_ports] motions by forces on the axes */
    double complex *closed;      /* [n_axes * n_axes] */
    double complex *held;        /* [n_axes] forces of joints that stick */
    int *pivots, *closed_pivots; /* [n_modes], [n_axes] */
    double complex *full, *fewer; /* [n_harmonics][N_MOTIONS][n_ports] */
};

/* The whole model's motions; omega: of the load, rad/s. Clear it also after a failure. */
enum masing_status reduction_trial_create(const struct masing_model *model, double omega,
                                          struct reduction_trial *trial,
                                          struct masing_error *error);
void reduction_trial_clear(struct reduction_trial *trial);

/* How differently a model with fewer modes moves: the largest difference of a port at a
 * harmonic, relative to what is largest of it. A harmonic counts by one over its number, unless
 * a load has it; velocities and accelerations by what they are. */
enum masing_status reduction_trial_compare(struct reduction_trial *trial,
                                           const struct masing_model *fewer, double *difference,
                                           struct masing_error *error);

#endif
