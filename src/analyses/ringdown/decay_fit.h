/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frequency and decay of one mode's signal in segments of time (Lacayo, Deaner and Allen 2017,
 * section 2.2): q(t) = Re exp(psi_1 + i psi_2), psi_1 and psi_2 continuous and piecewise linear
 * by least squares, their slopes being taken at the segments' middle.
 *
 * A modal filter leaves the motion of other modes out as far as its shapes are right and
 * nothing couples them; a band of frequencies leaves out the rest. The narrower the band is,
 * the longer the ends of the signal must be faded for the mode's own line to fit into it, which
 * the record's length limits.
 */
#ifndef MASING_ANALYSES_RINGDOWN_DECAY_FIT_H
#define MASING_ANALYSES_RINGDOWN_DECAY_FIT_H

#include <stdbool.h>

#include "base/progress.h"
#include "harmonic/basis/analytic_signal.h"
#include "masing/status.h"

/* Fewer periods than this in a segment, or samples in a period, are too few. */
enum { DECAY_MIN_PERIODS = 4, DECAY_MIN_SAMPLES = 8 };

/* Number of segments by default. */
enum { DECAY_DEFAULT_SEGMENTS = 20 };

/* Of the frequency that was found, which friction may have made lower. */
enum { DECAY_FEWEST_PERIODS = 3 };

/* Scatter beyond which frequency and rate are those of noise, which alone has 0.4 to 1. */
static const double DECAY_MOST_SCATTER = 0.15;

/* Damping that a near mode may shift by more than this is not as good as without it. */
static const double DECAY_NOTED_CROWDING = 1e-3;

/* Frequencies of a mode, rad/s: it goes from `from` to `to`, its band from `low` to `high`. */
struct decay_band {
    double low, from, to, high;
};

/* Modes in any order, each of which goes from omega to other (in either direction). */
struct decay_modes {
    int n;
    const double *omega, *other; /* [n] rad/s */
    int index;                   /* of the one that is evaluated */
    const bool *is_apart;        /* [n] whose motion cannot be in its coordinate; or NULL */
    bool
        are_parted; /* by their shapes: of those too near for a band only what is seen counts */
};

/* What was decided for one mode. */
struct decay_choice {
    struct decay_band band;
    int n_dropped;  /* segments that fading takes at each end, one at least */
    int crowded_by; /* nearest mode inside of the band, for want of time; -1: none */
    double needed;  /* s, record that would suffice for a band without it */
    double content; /* its amplitude in the coordinate over that of the mode, at most */
    double beat;    /* rad/s, between the two */
};

enum decay_verdict {
    DECAY_FITS,
    DECAY_OVERSHADOWED, /* outside of the band there is too much */
    DECAY_DROPPED,      /* faded, as too near to an end */
    DECAY_BENT,    /* the logarithm of the amplitude is no straight line: see decay_fit.c */
    DECAY_SILENT,  /* nothing moves, or what is left is rounding */
    DECAY_NOISE,   /* phase and amplitude scatter as those of no decay do */
    DECAY_SHORT,   /* too few periods of the frequency that was found */
    DECAY_CROWDED, /* a near mode changes the rate too much, see crowded_by */
    N_DECAY_VERDICTS,
};

struct decay_segment {
    double time;      /* s since the first sample, of the middle */
    double amplitude; /* of the signal there */
    double rate;      /* d psi_1/dt, 1/s; of DECAY_BENT that of the straight line */
    double omega;     /* d psi_2/dt, rad/s */
    double level;     /* mean of psi_1, whatever the verdict but DECAY_SILENT */
    double scatter;   /* rms of psi_1 and psi_2 about parabolas: noise over signal; likewise */
    double crowding;  /* how far the rate may be off by a near mode, in parts of it */
    double
        spread;  /* variance of rate and omega for noise of unit density, see measure_spread */
    double left; /* squares of what the fit leaves of the signal, of n samples */
    int n;
    enum decay_verdict verdict; /* without DECAY_FITS there are no values but time and level */
};

struct decay_fit {
    int n_samples, n_segments;
    double step; /* s */
    const struct masing_progress
        *progress;       /* where it is cancelled nothing is right; or NULL */
    double most_outside; /* mean square outside of the band, in parts of that inside; 1 */
    struct analytic_signal *signal;
    /* Found by decay_fit_run: [n_segments - 2], all but the first and the last. */
    struct decay_segment *segments;
    struct decay_choice choice;
    double *arrays;            /* of which all that follow are parts */
    double *inside, *outside;  /* [n_segments] mean squares */
    double *logarithm, *phase; /* [n_samples] psi_1, psi_2 */
    double *diagonal, *beside; /* [n_segments + 1] normal equations of the hat functions */
    double *psi[2];            /* [n_segments + 1] at the segments' ends */
    double *column;            /* [n_segments + 1] of the inverse of the normal equations */
    double *noise_diagonal,
        *noise_beside; /* [n_segments + 1] covariance of their right sides */
};

/* Clear it also after a failure. */
enum masing_status decay_fit_create(int n_samples, double step, int n_segments,
                                    struct decay_fit *fit, struct masing_error *error);
void decay_fit_clear(struct decay_fit *fit);

/* Where the signal's spectrum is largest, rad/s. */
double decay_fit_peak(struct decay_fit *fit, const double *samples);

/* The band halfway to the neighbours that are further than `nearest` (rad/s, between the
 * ranges). */
struct decay_band decay_band_of(const struct decay_modes *modes, double nearest);

/* What passes of it at samples of this step (s). */
struct analytic_band decay_band_kept(const struct decay_band *band, double step);

/* s, of a segment. */
double decay_fit_length(const struct decay_fit *fit);

/* Its first sample, and the last one of the segment before it. */
int decay_fit_first(const struct decay_fit *fit, int segment);
int decay_fit_last(const struct decay_fit *fit, int segment);

/* A sample's place in the segments first .. last - 1: in segment first + k, whose ends have
 * the shares left and right in it. */
struct decay_place {
    int k;
    double left, right;
};
struct decay_place decay_fit_place(const struct decay_fit *fit, int first, int last, int i);

/*
 * The band is halfway to the neighbouring modes; where the ends would have to be faded for
 * long, it is wider if what these have in the coordinate allows it.
 */
void decay_fit_run(struct decay_fit *fit, const double *samples,
                   const struct decay_modes *modes);

#endif
