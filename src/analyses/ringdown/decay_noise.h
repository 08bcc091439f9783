/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What noise does to a decay's rates and frequencies. White noise beside a decay of amplitude A
 * changes ln A and the phase by n / A each, n being of density S: the sum of its autocovariance
 * over all samples, twice the variance of the samples. An estimate that is a sum of these with
 * smooth weights c has the variance S sum (c / A)^2. S is found from what the fit leaves in the
 * band.
 */
#ifndef MASING_ANALYSES_RINGDOWN_DECAY_NOISE_H
#define MASING_ANALYSES_RINGDOWN_DECAY_NOISE_H

#include "analyses/ringdown/decay_fit.h"

/*
 * The largest amplitude, over that of the mode, of the other modes in its band that is left
 * beside a smooth motion of its own; 0 where it is not more than noise, INFINITY where there
 * are too few beats to tell.
 */
double decay_noise_content(const struct decay_fit *fit, const struct decay_modes *modes);

/* One exponential through all segments that fit, each sample weighted by its amplitude. */
struct decay_line {
    bool is_there;
    double rate, omega;            /* 1/s, rad/s */
    double interval;               /* half the 95 % interval of either */
    double time, amplitude, phase; /* at s since the first sample: exp(i phase) */
    double density;                /* S of the noise; NAN where it is not known */
    double quantile;               /* of Student's distribution, for intervals of segments */
};

struct decay_line decay_noise_line(const struct decay_fit *fit);

/*
 * The same exponential fitted to the samples [fit->n_samples], from the first one on where they
 * follow it: ends that are faded in the band count, too. The line is left alone where more than
 * noise would be left, as of a decay whose damping changes.
 */
void decay_noise_refine(const struct decay_fit *fit, const double *samples,
                        struct decay_line *line);

/* Half the 95 % interval of a segment's rate and omega; NAN where noise is not known. */
double decay_noise_interval(const struct decay_line *line, const struct decay_segment *segment);

/*
 * Of a measured record: segments that come down to the level of what is always there become
 * DECAY_NOISE. Returns the index of the first with nothing else after it, or n_segments - 2.
 */
int decay_noise_floor(struct decay_fit *fit);

#endif
