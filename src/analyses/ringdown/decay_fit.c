/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/decay_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/ringdown/decay_shape.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"

/*
 * How far psi_1 may bend in a segment, as the coefficient of Legendre's second polynomial: its
 * middle then lies 3 % of the amplitude off the straight line between its ends. Where a decay
 * is so fast, as at the transition from macro- to microslip, its rate at the middle is wrong by
 * some percent, and what is continuous carries the error into the segments beside it.
 */
static const double MOST_BENDING = 0.02;

/* How far the rate in the middle may be from that of the whole segment, likewise: beside a kink
 * of damping, as at the onset of full slip, it is. */
static const double MOST_TWIST = 0.025;

/* An offset that is faded has nothing above so many periods in the length of the fade. */
static const double SLOW_BEATS = 4.0;

/* Of the largest sample: what rounding leaves, and what may be left of a larger motion before
 * rather than be another one. */
static const double SILENCE = 1e-13, NEAR_SILENCE = 1e-6;

/* Share of the rate that a near mode may take or add before a segment is left out. */
static const double MOST_CROWDING = 0.02;

enum masing_status decay_fit_create(int n_samples, double step, int n_segments,
                                    struct decay_fit **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_nodes = (size_t)n_segments + 1;
    struct decay_fit *fit = memory_array(1, sizeof *fit);
    TRY_ALLOCATED(fit);
    fit->n_samples = n_samples;
    fit->n_segments = n_segments;
    fit->step = step;
    fit->most_outside = 1.0;
    TRY(analytic_signal_create(n_samples, &fit->signal, error));
    fit->logarithm = memory_array((size_t)n_samples, sizeof(double));
    fit->phase = memory_array((size_t)n_samples, sizeof(double));
    TRY_ALLOCATED(fit->logarithm);
    TRY_ALLOCATED(fit->phase);
    double **arrays[] = {&fit->inside, &fit->outside, &fit->diagonal,
                         &fit->beside, &fit->psi[0],  &fit->psi[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = memory_array(n_nodes, sizeof(double));
        TRY_ALLOCATED(*arrays[i]);
    }
done:
    if (status != MASING_OK) {
        decay_fit_destroy(fit);
        fit = NULL;
    }
    *created = fit;
    return status;
}

void decay_fit_destroy(struct decay_fit *fit)
{
    if (fit) {
        analytic_signal_destroy(fit->signal);
        free(fit->inside);
        free(fit->outside);
        free(fit->logarithm);
        free(fit->phase);
        free(fit->diagonal);
        free(fit->beside);
        free(fit->psi[0]);
        free(fit->psi[1]);
        free(fit);
    }
}

/* Where a segment begins, in samples. */
static double node_place(const struct decay_fit *fit, int node)
{
    return (double)(fit->n_samples - 1) * node / fit->n_segments;
}

static void load(struct decay_fit *fit, const double *samples, int n_dropped)
{
    int n_fade = (int)((double)fit->n_samples * n_dropped / fit->n_segments);
    analytic_signal_load(fit->signal, samples, n_fade > 1 ? n_fade : 1);
}

double decay_fit_peak(struct decay_fit *fit, const double *samples)
{
    load(fit, samples, 1);
    return analytic_signal_peak(fit->signal) / fit->step;
}

static int segment_of(const struct decay_fit *fit, int sample)
{
    int segment = (int)((double)sample * fit->n_segments / (fit->n_samples - 1));
    return segment < fit->n_segments ? segment : fit->n_segments - 1;
}

/*
 * Mean squares inside and outside of the band, segment by segment. The whole signal less the
 * band's is found first, in logarithm and phase as scratch. Drift is no other motion: slower
 * than what fading makes of an offset.
 */
static void measure_shares(struct decay_fit *fit, const struct analytic_band *band,
                           int n_dropped)
{
    struct analytic_signal *signal = fit->signal;
    double slow = SLOW_BEATS * TWO_PI / (node_place(fit, 1) * n_dropped);
    double lowest = fmin(slow, band->low);
    const struct analytic_band all = {lowest, lowest, INFINITY, INFINITY};
    memset(fit->inside, 0, (size_t)fit->n_segments * sizeof *fit->inside);
    memset(fit->outside, 0, (size_t)fit->n_segments * sizeof *fit->outside);
    analytic_signal_evaluate(signal, &all);
    for (int i = 0; i < fit->n_samples; i++) {
        fit->logarithm[i] = signal->z[i][0];
        fit->phase[i] = signal->z[i][1];
    }
    analytic_signal_evaluate(signal, band);
    for (int i = 0; i < fit->n_samples; i++) {
        int s = segment_of(fit, i);
        double real = signal->z[i][0], imaginary = signal->z[i][1];
        double other_real = fit->logarithm[i] - real, other = fit->phase[i] - imaginary;
        fit->inside[s] += real * real + imaginary * imaginary;
        fit->outside[s] += other_real * other_real + other * other;
    }
}

/* psi_1 and psi_2 at all samples, the phase without jumps. */
static void take_exponents(struct decay_fit *fit)
{
    double phase = 0.0, re = 1.0, im = 0.0;
    for (int i = 0; i < fit->n_samples; i++) {
        double real = fit->signal->z[i][0], imaginary = fit->signal->z[i][1];
        fit->logarithm[i] = log(fmax(hypot(real, imaginary), DBL_MIN));
        phase += atan2(imaginary * re - real * im, real * re + imaginary * im);
        fit->phase[i] = phase;
        re = real;
        im = imaginary;
    }
}

/* The normal equations of the hat functions over the segments first .. last - 1. */
static void assemble(struct decay_fit *fit, int first, int last)
{
    size_t size = (size_t)(last - first + 1) * sizeof(double);
    memset(fit->diagonal, 0, size);
    memset(fit->beside, 0, size);
    memset(fit->psi[0], 0, size);
    memset(fit->psi[1], 0, size);
    int begin = (int)ceil(node_place(fit, first)), end = (int)floor(node_place(fit, last));
    for (int i = begin; i <= end; i++) {
        double place = (double)i * fit->n_segments / (fit->n_samples - 1);
        int s = (int)place;
        s = s < first ? first : s >= last ? last - 1 : s;
        double right = place - s, left = 1.0 - right;
        int k = s - first;
        fit->diagonal[k] += left * left;
        fit->diagonal[k + 1] += right * right;
        fit->beside[k] += left * right;
        fit->psi[0][k] += left * fit->logarithm[i];
        fit->psi[0][k + 1] += right * fit->logarithm[i];
        fit->psi[1][k] += left * fit->phase[i];
        fit->psi[1][k + 1] += right * fit->phase[i];
    }
}

/* Tridiagonal, symmetric and positive definite: elimination without pivots. */
static void solve(struct decay_fit *fit, int n)
{
    for (int k = 1; k < n; k++) {
        double factor = fit->beside[k - 1] / fit->diagonal[k - 1];
        fit->diagonal[k] -= factor * fit->beside[k - 1];
        fit->psi[0][k] -= factor * fit->psi[0][k - 1];
        fit->psi[1][k] -= factor * fit->psi[1][k - 1];
    }
    for (int j = 0; j < 2; j++) {
        double *psi = fit->psi[j];
        psi[n - 1] /= fit->diagonal[n - 1];
        for (int k = n - 2; k >= 0; k--) {
            psi[k] = (psi[k] - fit->beside[k] * psi[k + 1]) / fit->diagonal[k];
        }
    }
}

/* Values of the segments first .. last - 1, which stand side by side. */
static void fit_stretch(struct decay_fit *fit, int first, int last,
                        struct decay_segment *segments)
{
    double length = node_place(fit, 1) * fit->step;
    assemble(fit, first, last);
    solve(fit, last - first + 1);
    for (int s = first; s < last; s++) {
        int k = s - first;
        struct decay_segment *segment = &segments[s - 1];
        segment->amplitude = exp(0.5 * (fit->psi[0][k] + fit->psi[0][k + 1]));
        segment->rate = (fit->psi[0][k + 1] - fit->psi[0][k]) / length;
        segment->omega = (fit->psi[1][k + 1] - fit->psi[1][k]) / length;
    }
}

/* What a segment is good for, before any values. */
static enum decay_verdict judge(const struct decay_fit *fit, int s, double silence,
                                struct decay_segment *segment)
{
    int begin = (int)ceil(node_place(fit, s)), end = (int)floor(node_place(fit, s + 1));
    double total = fit->inside[s] + fit->outside[s];
    if (!(total > silence * (end - begin + 1))) {
        return DECAY_SILENT;
    }
    struct decay_shape shape =
        decay_shape_of(fit->logarithm + begin, fit->phase + begin, end - begin + 1);
    segment->level = shape.level;
    segment->rate = shape.slope / fit->step;
    segment->scatter = shape.scatter;
    if (!(fit->outside[s] < fit->most_outside * fit->inside[s])) {
        double faint = NEAR_SILENCE / SILENCE;
        return total > faint * faint * silence * (end - begin + 1) ? DECAY_OVERSHADOWED
                                                                   : DECAY_SILENT;
    }
    return !(shape.scatter < DECAY_MOST_SCATTER) ? DECAY_NOISE
           : !(fabs(shape.bending) < MOST_BENDING && fabs(shape.twist) < MOST_TWIST)
               ? DECAY_BENT
               : DECAY_FITS;
}

/* Mean square below which nothing moves. */
static double silence_of(const struct decay_fit *fit, const double *samples)
{
    double largest = 0.0;
    for (int i = 0; i < fit->n_samples; i++) {
        largest = fmax(largest, fabs(samples[i]));
    }
    return fmax(SILENCE * SILENCE * largest * largest, DBL_MIN);
}

/* All stretches of segments that stand side by side. */
static void fit_stretches(struct decay_fit *fit, struct decay_segment *segments)
{
    int n = fit->n_segments, first = 1;
    while (first < n - 1) {
        int last = first;
        while (last < n - 1 && segments[last - 1].verdict == DECAY_FITS) {
            last++;
        }
        if (last > first) {
            fit_stretch(fit, first, last, segments);
        }
        first = last + 1;
    }
}

/* What only the values tell. */
static void check_values(const struct decay_fit *fit, const struct decay_choice *choice,
                         struct decay_segment *segments)
{
    double length = node_place(fit, 1) * fit->step;
    for (int i = 0; i < fit->n_segments - 2; i++) {
        struct decay_segment *segment = &segments[i];
        bool fits = segment->verdict == DECAY_FITS;
        if (!fits && segment->verdict != DECAY_BENT) {
            continue;
        }
        segment->crowding = decay_crowding(choice, segment->rate, length);
        if (fits && segment->omega * length < DECAY_FEWEST_PERIODS * TWO_PI) {
            segment->verdict = DECAY_SHORT;
        } else if (!(segment->crowding < MOST_CROWDING)) { /* also what bends by it */
            segment->verdict = DECAY_CROWDED;
        }
    }
}

static void run(struct decay_fit *fit, const double *samples, const struct decay_choice *choice,
                struct decay_segment *segments)
{
    const struct decay_band *band = &choice->band;
    double h = fit->step, length = node_place(fit, 1) * h, silence = silence_of(fit, samples);
    const struct analytic_band kept = {.low = h * band->low,
                                       .low_full = 0.5 * h * (band->low + band->from),
                                       .high_full = 0.5 * h * (band->to + band->high),
                                       .high = h * band->high};
    int n = fit->n_segments, n_dropped = choice->n_dropped;
    load(fit, samples, n_dropped);
    measure_shares(fit, &kept, n_dropped);
    take_exponents(fit);
    for (int s = 1; s < n - 1; s++) {
        struct decay_segment *segment = &segments[s - 1];
        bool is_faded = s < n_dropped || s >= n - n_dropped;
        *segment = (struct decay_segment){.time = (s + 0.5) * length, .level = -INFINITY};
        segment->verdict = is_faded ? DECAY_DROPPED : judge(fit, s, silence, segment);
    }
    fit_stretches(fit, segments);
    check_values(fit, choice, segments);
}

int decay_most_dropped(const struct decay_fit *fit)
{
    return fit->n_segments >= 8 ? fit->n_segments / 4 : 1;
}

/* Whether damping is as good as without a near mode. */
static bool is_clean(const struct decay_fit *fit, const struct decay_segment *segments)
{
    for (int i = 0; i < fit->n_segments - 2; i++) {
        if (segments[i].crowding > DECAY_NOTED_CROWDING) {
            return false;
        }
    }
    return true;
}

void decay_fit_run(struct decay_fit *fit, const double *samples,
                   const struct decay_modes *modes, struct decay_segment *segments,
                   struct decay_choice *choice)
{
    int most = decay_most_dropped(fit);
    const struct decay_choice narrow = decay_choose_narrow(fit, modes);
    for (int n_dropped = 1; n_dropped <= most; n_dropped += most > 1 ? most - 1 : 1) {
        *choice = decay_choose_wide(fit, samples, modes, n_dropped);
        run(fit, samples, choice, segments);
        if (is_clean(fit, segments)) {
            return;
        }
    }
    if (narrow.n_dropped <= most) {
        *choice = narrow;
        run(fit, samples, choice, segments);
    }
}
