/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one period of a time integration amounts to: sizes of the outputs, and energies. */
#ifndef MASING_TRANSIENT_RECORD_H
#define MASING_TRANSIENT_RECORD_H

#include "transient/extremum.h"
#include "transient/integrator.h"

struct record_output {
    struct extremum extremum;
    double mean, cosine, sine; /* Fourier coefficients a0, a1, b1 */
};

/* max |x|, half peak to peak, amplitude of the first harmonic */
double record_max(const struct record_output *output);
double record_amp(const struct record_output *output);
double record_h1(const struct record_output *output);

struct record {
    int n_outputs, n_axes;
    struct record_output *outputs; /* [n_outputs] */
    double *value, *rate;          /* [n_outputs] at the last step */
    double *second;                /* [n_outputs] values one step after the beginning */
    int n_periods;                 /* of the load that are recorded; 1 unless set otherwise */
    int n_steps;                   /* since the beginning */
    double energy_in;              /* work of the loads in all of them, J */
    double loss_joints, loss_damping;
    double exchange;               /* work on the joints, to and fro, by the steps */
    double unknown;                /* by how much loss_joints is in doubt */
    double *joint_force, *joint_x; /* [n_axes] one step ago */
    double *first_x;               /* [n_axes] at the beginning */
};

/* The record lives as long as the integrator. */
enum masing_status record_create(struct integrator *integrator, struct record **record,
                                 struct masing_error *error);

/* A period begins now. */
enum masing_status record_begin(struct record *record, struct integrator *integrator);

/* The integrator has made a step. After n_steps of them the period is complete. */
void record_step(struct record *record, const struct integrator *integrator);

/* Losses of the joints below this may be none, J: errors of what adds up work, and what elastic
 * joints keep where the motion does not close. */
double record_unknown_loss(const struct record *record, const struct integrator *integrator);

#endif
