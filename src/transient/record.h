/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one period of a time integration amounts to: sizes of the outputs, and energies. */
#ifndef MASING_TRANSIENT_RECORD_H
#define MASING_TRANSIENT_RECORD_H

#include <math.h>

#include "transient/integrator.h"

/* Largest and smallest value of a sampled signal, also between the samples. */
struct extremum {
    double maximum, minimum;
    int n;                 /* samples so far */
    double value[2], rate; /* the last two values, newest first, and the last derivative */
};

/* The next sample, a time step after the last. rate: its time derivative (then the signal is
 * taken as a cubic in between), or NAN (a parabola through three samples). */
void extremum_add(struct extremum *extremum, double step, double value, double rate);

struct record_output {
    struct extremum extremum;
    double mean, cosine, sine; /* Fourier coefficients a0, a1, b1 */
};

/* max |x|, half peak to peak, amplitude of the first harmonic */
static inline double record_max(const struct record_output *output)
{
    return fmax(fabs(output->extremum.maximum), fabs(output->extremum.minimum));
}
static inline double record_amp(const struct record_output *output)
{
    return 0.5 * (output->extremum.maximum - output->extremum.minimum);
}
static inline double record_h1(const struct record_output *output)
{
    return hypot(output->cosine, output->sine);
}

struct record {
    int n_outputs, n_axes;
    struct record_output *outputs; /* [n_outputs] */
    double *value, *rate;          /* [n_outputs] at the last step */
    double *second;                /* [n_outputs] values one step after the beginning */
    int n_periods;                 /* of the load that are recorded; 1 unless set otherwise */
    int n_steps;                   /* since the beginning */
    struct work work;              /* in all of them */
    double exchange;               /* work on the joints, to and fro, by the steps, J */
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
