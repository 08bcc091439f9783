/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A periodic motion in the terms in which harmonic balance and time integration are compared,
 * and how far two of them are apart. */
#ifndef MASING_ANALYSES_COMPARE_COMPARED_MOTION_H
#define MASING_ANALYSES_COMPARE_COMPARED_MOTION_H

#include "harmonic/recovery/recovery.h"
#include "linalg/svd.h"
#include "masing/integrate.h"
#include "transient/record.h"

struct compared_motion {
    const struct basis *basis; /* lent: harmonics and their order */
    int n_outputs, n_axes;
    struct compared_output {
        double max, mean, h1;
        double size;      /* amplitude of the largest harmonic */
        double low, high; /* of an integration: the smallest and largest value */
    } * outputs;          /* [n_outputs] */
    double *coefficients; /* [n_outputs][basis->n_coefficients] */
    struct compared_axis {
        double mean, force; /* means of the joint's displacement and force */
    } * axes;               /* [n_axes] */
    double joint_loss;      /* J per period of the load */
    double unknown_loss;    /* of that, of an integration: below it there may be none */
    /* of an integration: one period of the load or several, begin and end included, of the
     * joints that are a group by themselves; NULL where no loops are wanted */
    int n_loop_axes, n_loop_steps, *loop_axes;
    double *loop_x, *loop_f; /* [n_loop_steps + 1][n_loop_axes], one array */
};

/* Clear it also after a failure. */
enum masing_status compared_motion_create(const struct balance *balance, int n_outputs,
                                          struct compared_motion *motion,
                                          struct masing_error *error);
void compared_motion_clear(struct compared_motion *motion);

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
    struct output_difference {
        double max, mean;
    } * outputs;   /* [n_outputs] */
    double *waves; /* [n_outputs][n_waves] */
    double joint_loss;
};

/* Clear them also after a failure. */
enum masing_status motion_differences_create(const struct compared_motion *motion,
                                             struct motion_differences *differences,
                                             struct masing_error *error);
void motion_differences_clear(struct motion_differences *differences);
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

/*
 * What sliders that never slip do to the means of a motion: where they stand is a matter of the
 * past, and so is the mean of the force that they hold, within its limit. By equilibrium of the
 * means, whatever the joints' laws, a difference df of these forces moves the mean of an output
 * by -C df, C being the static compliance of the structure without its joints (rigid motions
 * have no mean). Sliders that slip while nothing brings them back stand anywhere: so does what
 * moves with them as a rigid body.
 */
struct slider_offsets {
    int n_outputs, n_axes;
    double *compliance; /* [n_outputs][n_axes] */
    int n_rigid;
    double *rigid_outputs; /* [n_outputs][n_rigid] */
    struct svd svd;        /* of rigid_axes, rows of zeros below; none without rigid modes */
    double *moved, *q;     /* [rows of svd], [n_rigid] */
};

/* Clear it also after a failure. */
enum masing_status slider_offsets_create(const struct masing_model *model,
                                         struct slider_offsets *offsets,
                                         struct masing_error *error);
void slider_offsets_clear(struct slider_offsets *offsets);

/* Whether a joint that can slip but does not, at the solution settled last, moves an output. */
bool slider_offsets_reach(const struct slider_offsets *offsets, const struct balance *balance,
                          int output);

/* How much further the means of outputs are than in the balance by what such joints hold
 * otherwise, and by where those stand of which the integration found [n_joints] that nothing
 * brings them back; shift [n_outputs]. */
void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift);

#endif
