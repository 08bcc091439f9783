/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A periodic motion in the terms in which harmonic balance and time integration are compared,
 * and how far two of them are apart. */
#ifndef MASING_ANALYSES_COMPARE_COMPARED_MOTION_H
#define MASING_ANALYSES_COMPARE_COMPARED_MOTION_H

#include "harmonic/recovery/recovery.h"
#include "transient/record.h"

struct compared_motion {
    const struct basis *basis; /* lent: harmonics and their order */
    int n_outputs, n_axes;
    double *max, *mean, *h1; /* [n_outputs] */
    double *size;            /* [n_outputs] amplitude of the largest harmonic */
    double *coefficients;    /* [n_outputs][basis->n_coefficients] */
    double *low, *high;      /* [n_outputs] of an integration: the smallest and largest value */
    double *axis_mean;       /* [n_axes] of the joints' displacements */
    double *axis_force;      /* [n_axes] likewise of their forces */
    double joint_loss;       /* J per period of the load */
    double unknown_loss;     /* of that, of an integration: below it there may be none */
    /* of an integration: one period of the load or several, begin and end included, of the
     * joints that are a group by themselves; NULL where no loops are wanted */
    int n_loop_axes, n_loop_steps, *loop_axes;
    double *loop_x, *loop_f; /* [n_loop_steps + 1][n_loop_axes] */
};

enum masing_status compared_motion_create(const struct balance *balance, int n_outputs,
                                          struct compared_motion **motion,
                                          struct masing_error *error);
void compared_motion_destroy(struct compared_motion *motion);

/* From the solution y that was recovered last. */
void compared_motion_recover(struct compared_motion *motion, const struct recovery *recovery,
                             const double *y);

/* From steps in time: begin where the record begins, a step after each of the record's, finish
 * at its end. n_periods: of the load. */
enum masing_status compared_motion_begin(struct compared_motion *motion,
                                         const struct integrator *integrator, int n_periods,
                                         bool has_loops, struct masing_error *error);
void compared_motion_step(struct compared_motion *motion, const struct record *record,
                          const struct integrator *integrator);
void compared_motion_finish(struct compared_motion *motion, const struct record *record,
                            const struct integrator *integrator);
/* There is none. */
void compared_motion_void(struct compared_motion *motion);

/* Harmonics above 0 of the basis. */
int compared_motion_waves(const struct basis *basis);
/* Amplitude of harmonic k of the basis; which of them is an output's largest above 0, -1: there
 * are none. */
double compared_motion_wave(const struct compared_motion *motion, int output, int k);
int compared_motion_largest(const struct compared_motion *motion, int output);

/*
 * How far an integration is from the balance, where its means have been moved back by a shift
 * [n_outputs] (NULL: none): of the largest value, relative to it; of the mean
 * and of the complex amplitude of each harmonic, relative to the largest harmonic (of outputs
 * that hardly move, to a billionth of that of all outputs); of the joints' loss, relative to it
 * or to a thousandth of the loads' work where that is more, but none where both are below what
 * the integration resolves.
 */
struct motion_differences {
    int n_outputs, n_waves;
    double *max, *mean; /* [n_outputs] */
    double *waves;      /* [n_outputs][n_waves] */
    double joint_loss;
};

enum masing_status motion_differences_create(const struct compared_motion *motion,
                                             struct motion_differences **differences,
                                             struct masing_error *error);
void motion_differences_destroy(struct motion_differences *differences);
void motion_differences_take(struct motion_differences *differences,
                             const struct compared_motion *balance,
                             const struct compared_motion *integrated, const double *shift,
                             double energy_in);

/* The largest over the harmonics of all outputs. */
double motion_differences_shape(const struct motion_differences *differences);

/* The largest of all; its name in columns. */
double motion_differences_worst(const struct motion_differences *differences,
                                const struct masing_spec *spec, const struct basis *basis,
                                char *name, size_t size);

#endif
