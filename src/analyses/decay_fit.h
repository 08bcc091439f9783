/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frequency and decay of one mode's signal in segments of time (Lacayo, Deaner and Allen 2017,
 * section 2.2): q(t) = Re exp(psi_1 + i psi_2), psi_1 and psi_2 continuous and piecewise linear
 * by least squares, their slopes being taken at the segments' middle.
 */
#ifndef MASING_ANALYSES_DECAY_FIT_H
#define MASING_ANALYSES_DECAY_FIT_H

#include <stdbool.h>

#include "harmonic/analytic_signal.h"
#include "masing/status.h"

enum decay_verdict {
    DECAY_FITS,
    DECAY_OVERSHADOWED, /* outside of the band there is too much */
    DECAY_DROPPED,      /* too near to an end, see decay_fit_dropped */
    DECAY_BENT, /* the logarithm of the amplitude is no straight line: see decay_fit.c */
};

struct decay_segment {
    double time;                /* s since the first sample, of the middle */
    double amplitude;           /* of the signal there */
    double rate;                /* d psi_1/dt, 1/s */
    double omega;               /* d psi_2/dt, rad/s */
    enum decay_verdict verdict; /* without DECAY_FITS there are no values but the time */
};

/* Frequencies of a mode, rad/s: it goes from `from` to `to`, its band from `low` to `high`. */
struct decay_band {
    double low, from, to, high;
};

struct decay_fit {
    int n_samples, n_segments;
    double step;         /* s */
    double most_outside; /* mean square outside of the band, in parts of that inside; 1 */
    struct analytic_signal *signal;
    double *inside, *outside;  /* [n_segments] mean squares */
    double *logarithm, *phase; /* [n_samples] psi_1, psi_2 */
    double *diagonal, *beside; /* [n_segments + 1] normal equations of the hat functions */
    double *psi[2];            /* [n_segments + 1] at the segments' ends */
};

enum masing_status decay_fit_create(int n_samples, double step, int n_segments,
                                    struct decay_fit **fit, struct masing_error *error);
void decay_fit_destroy(struct decay_fit *fit);

/* Where the signal's spectrum is largest, rad/s. */
double decay_fit_peak(struct decay_fit *fit, const double *samples);

/*
 * How many segments are dropped at each end. Both ends of a signal are faded, which must take
 * so long that it does not spread the mode's line beyond its band: the nearer a neighbour is,
 * the longer. At least one; at most a quarter of all.
 */
int decay_fit_dropped(const struct decay_fit *fit, const struct decay_band *band);

/* segments [n_segments - 2]: all but the first and the last */
void decay_fit_run(struct decay_fit *fit, const double *samples, const struct decay_band *band,
                   struct decay_segment *segments);

/* The band of the mode at `index` of [n] that go from omega to other (in either direction),
 * ascending: halfway to its neighbours, and not beyond an octave. */
struct decay_band decay_band_of(int n, const double *omega, const double *other, int index);

#endif
