/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frequencies of a mode's coordinate are looked at. A modal filter leaves others' motion
 * out as far as its shapes are right and nothing couples them; a band leaves out the rest. The
 * narrower it is, the longer the ends of the signal must be faded for the mode's own line to
 * fit into it, which the record's length limits.
 */
#ifndef MASING_ANALYSES_RINGDOWN_DECAY_BAND_H
#define MASING_ANALYSES_RINGDOWN_DECAY_BAND_H

#include <stdbool.h>

/* Frequencies of a mode, rad/s: it goes from `from` to `to`, its band from `low` to `high`. */
struct decay_band {
    double low, from, to, high;
};

/* Modes in any order, each of which goes from omega to other (in either direction). */
struct decay_modes {
    int n;
    const double *omega, *other; /* [n] rad/s */
    int index;                   /* of the one that is looked at */
    const bool *is_apart;        /* [n] whose motion cannot be in its coordinate; or NULL */
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

struct decay_fit;

/* The band halfway to its neighbours and not beyond an octave, however long fading takes. */
struct decay_choice decay_choose_narrow(const struct decay_fit *fit,
                                        const struct decay_modes *modes);

/* Likewise, but the nearest ones are let in until fading takes no more than n_dropped segments;
 * what they have in the coordinate [samples of fit] is measured. */
struct decay_choice decay_choose_wide(struct decay_fit *fit, const double *samples,
                                      const struct decay_modes *modes, int n_dropped);

/* How much of the rate (1/s, of decay) the crowding mode may take or add, in parts of it. */
double decay_crowding(const struct decay_choice *choice, double rate, double segment);

/* Halfway to the neighbours that are further than `nearest` (rad/s, between the ranges). */
struct decay_band decay_band_of(const struct decay_modes *modes, double nearest);

#endif
