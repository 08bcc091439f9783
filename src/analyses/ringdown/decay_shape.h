/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What psi_1 and psi_2 (see decay_fit.h) do in one segment besides growing evenly. */
#ifndef MASING_ANALYSES_RINGDOWN_DECAY_SHAPE_H
#define MASING_ANALYSES_RINGDOWN_DECAY_SHAPE_H

struct decay_shape {
    double level;   /* mean of psi_1 */
    double slope;   /* of psi_1, per sample */
    double bending; /* of psi_1: coefficient of Legendre's second polynomial;
                       0 where that is noise */
    double twist;   /* of psi_1: how much steeper its straight line is than psi_1 in the middle,
                       in parts of the slope; 0 where that is noise */
    double scatter; /* of psi_1 and psi_2 about parabolas, rms: noise over signal */
};

/* psi_1 and psi_2 [n] at equal steps across the segment; n >= 5, else all but level is 0. */
struct decay_shape decay_shape_of(const double *logarithm, const double *phase, int n);

#endif
