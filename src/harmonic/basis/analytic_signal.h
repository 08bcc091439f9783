/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The analytic signal z = x + i H x of a long sampled signal, H being Hilbert's transform, by
 * the fast Fourier transform: lines of negative frequency are removed, the others doubled.
 *
 * The transform takes a signal for periodic, so both ends are faded in and out first, over a
 * interval that the caller does not use; there the jump from the end to the beginning would
 * otherwise ring far into the signal.
 */
#ifndef MASING_HARMONIC_BASIS_ANALYTIC_SIGNAL_H
#define MASING_HARMONIC_BASIS_ANALYTIC_SIGNAL_H

#include <fftw3.h>

#include "masing/status.h"

struct analytic_signal {
    int n;                  /* samples */
    int n_padded;           /* with zeros at the end, to a length that transforms fast */
    double *real;           /* [n_padded] */
    fftw_complex *spectrum; /* [n_padded / 2 + 1] of the signal that was loaded */
    fftw_complex *z;        /* [n_padded], of which [n] are the analytic signal */
    fftw_plan forward, backward;
};

/* Frequencies that pass, rad per sample: nothing below `low` and above `high`, all of it
 * between `low_full` and `high_full`, a smooth share in between. */
struct analytic_band {
    double low, low_full, high_full, high;
};

/* MASING_NO_MEMORY only. */
enum masing_status analytic_signal_create(int n, struct analytic_signal **signal,
                                          struct masing_error *error);
void analytic_signal_destroy(struct analytic_signal *signal);

/* Take samples [n]: without their offset, faded over the first and the last n_fade of them. */
void analytic_signal_load(struct analytic_signal *signal, const double *samples, int n_fade);

/* Frequency at which the loaded signal is largest, rad per sample; 0 where there is nothing. */
double analytic_signal_peak(const struct analytic_signal *signal);

/* Sum of squares of the lines between two frequencies, rad per sample. */
double analytic_signal_energy(const struct analytic_signal *signal, double low, double high);

/* Width of the band of equal shares that white noise leaves as much power of, rad per sample.
 */
double analytic_band_width(const struct analytic_signal *signal,
                           const struct analytic_band *band);

/* Fill z from a band of what was loaded; NULL: all of it. */
void analytic_signal_evaluate(struct analytic_signal *signal, const struct analytic_band *band);

#endif
