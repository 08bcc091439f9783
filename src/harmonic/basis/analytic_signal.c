/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/analytic_signal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/basis/basis.h"

/* The next number without other prime factors than 2, 3 and 5. */
static int fast_length(int n)
{
    for (int length = n; length < INT_MAX; length++) {
        int rest = length;
        for (int factor = 2; factor <= 5; factor++) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return length;
        }
    }
    return n;
}

enum masing_status analytic_signal_create(int n, struct analytic_signal **created,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct analytic_signal *signal = memory_array(1, sizeof *signal);
    TRY_ALLOCATED(signal);
    signal->n = n;
    signal->n_padded = fast_length(n);
    size_t length = (size_t)signal->n_padded;
    signal->real = fftw_alloc_real(length);
    signal->spectrum = fftw_alloc_complex(length / 2 + 1);
    signal->z = fftw_alloc_complex(length);
    TRY_ALLOCATED(signal->real && signal->spectrum && signal->z);
    basis_lock_planner();
    signal->forward =
        fftw_plan_dft_r2c_1d(signal->n_padded, signal->real, signal->spectrum, FFTW_ESTIMATE);
    signal->backward =
        fftw_plan_dft_1d(signal->n_padded, signal->z, signal->z, FFTW_BACKWARD, FFTW_ESTIMATE);
    basis_unlock_planner();
    TRY_ALLOCATED(signal->forward && signal->backward);
done:
    if (status != MASING_OK) {
        analytic_signal_destroy(signal);
        signal = NULL;
    }
    *created = signal;
    return status;
}

void analytic_signal_destroy(struct analytic_signal *signal)
{
    if (signal) {
        basis_lock_planner();
        fftw_destroy_plan(signal->forward);
        fftw_destroy_plan(signal->backward);
        basis_unlock_planner();
        fftw_free(signal->real);
        fftw_free(signal->spectrum);
        fftw_free(signal->z);
        free(signal);
    }
}

/* From 0 to 1 with the first three derivatives zero at both ends. */
static double rise(double share)
{
    double inner = sin(0.5 * PI * share);
    double outer = sin(0.5 * PI * inner * inner);
    return share <= 0.0 ? 0.0 : share >= 1.0 ? 1.0 : outer * outer;
}

/* 1 in the middle, falling to 0 over n_fade samples at each end. */
static double fade(int n, int n_fade, int i)
{
    int from_end = i < n - 1 - i ? i : n - 1 - i;
    return from_end < n_fade ? rise((from_end + 0.5) / n_fade) : 1.0;
}

/* Weighted such that oscillations do not count: a plain mean depends on where they begin, and
 * is soon larger than what is left of a decay. */
static double offset_of(int n, const double *samples)
{
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i < n; i++) {
        double weight = fade(n, (n + 1) / 2, i);
        sum += weight * samples[i];
        weights += weight;
    }
    return sum / weights;
}

void analytic_signal_load(struct analytic_signal *signal, const double *samples, int n_fade)
{
    int n = signal->n;
    double mean = offset_of(n, samples);
    memset(signal->real, 0, (size_t)signal->n_padded * sizeof *signal->real);
    for (int i = 0; i < n; i++) {
        signal->real[i] = fade(n, n_fade, i) * (samples[i] - mean);
    }
    fftw_execute(signal->forward);
}

/* rad per sample of a line of the spectrum */
static double line_frequency(const struct analytic_signal *signal, int line)
{
    return TWO_PI * line / signal->n_padded;
}

double analytic_signal_peak(const struct analytic_signal *signal)
{
    double largest = 0.0;
    int at = 0;
    for (int k = 1; k <= signal->n_padded / 2; k++) {
        double size = hypot(signal->spectrum[k][0], signal->spectrum[k][1]);
        if (size > largest) {
            largest = size;
            at = k;
        }
    }
    return line_frequency(signal, at);
}

double analytic_signal_energy(const struct analytic_signal *signal, double low, double high)
{
    double sum = 0.0;
    for (int k = 1; k <= signal->n_padded / 2; k++) {
        double frequency = line_frequency(signal, k);
        if (frequency >= low && frequency <= high) {
            sum += signal->spectrum[k][0] * signal->spectrum[k][0] +
                   signal->spectrum[k][1] * signal->spectrum[k][1];
        }
    }
    return sum;
}

static double band_share(const struct analytic_band *band, double frequency)
{
    double share = 1.0;
    if (frequency < band->low_full) {
        share = rise((frequency - band->low) / (band->low_full - band->low));
    } else if (frequency > band->high_full) {
        share = rise((band->high - frequency) / (band->high - band->high_full));
    }
    return share;
}

double analytic_band_width(const struct analytic_signal *signal,
                           const struct analytic_band *band)
{
    double sum = 0.0;
    for (int k = 1; k <= signal->n_padded / 2; k++) {
        double share = band_share(band, line_frequency(signal, k));
        sum += share * share * TWO_PI / signal->n_padded;
    }
    return sum;
}

void analytic_signal_evaluate(struct analytic_signal *signal, const struct analytic_band *band)
{
    int n = signal->n_padded, half = n / 2;
    memset(signal->z, 0, (size_t)n * sizeof *signal->z);
    for (int k = 1; k <= half; k++) {
        double share = band ? band_share(band, line_frequency(signal, k)) : 1.0;
        double factor = (2 * k == n ? 1.0 : 2.0) * share / n;
        signal->z[k][0] = factor * signal->spectrum[k][0];
        signal->z[k][1] = factor * signal->spectrum[k][1];
    }
    fftw_execute(signal->backward);
}
