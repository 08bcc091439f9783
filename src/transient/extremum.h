/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Largest and smallest value of a sampled signal, also between the samples. */
#ifndef MASING_TRANSIENT_EXTREMUM_H
#define MASING_TRANSIENT_EXTREMUM_H

struct extremum {
    double maximum, minimum;
    int n;                 /* samples so far */
    double value[2], rate; /* the last two values, newest first, and the last derivative */
};

/* The next sample, a time step after the last. rate: its time derivative (then the signal is
 * taken as a cubic in between), or NAN (a parabola through three samples). */
void extremum_add(struct extremum *extremum, double step, double value, double rate);

#endif
