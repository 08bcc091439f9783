/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/decay_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/ringdown/decay_noise.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"

enum masing_status decay_fit_create(int n_samples, double step, int n_segments,
                                    struct decay_fit *fit, struct masing_error *error)
{
    size_t n_nodes = (size_t)n_segments + 1;
    *fit = (struct decay_fit){
        .n_samples = n_samples, .n_segments = n_segments, .step = step, .most_outside = 1.0};
    NEED(analytic_signal_create(n_samples, &fit->signal, error));
    fit->segments = memory_array((size_t)n_segments, sizeof *fit->segments);
    fit->arrays = memory_array(2 * (size_t)n_samples + 9 * n_nodes, sizeof(double));
    NEED_ALLOCATED(fit->segments && fit->arrays);
    double *rest = fit->arrays;
    fit->logarithm = memory_part(&rest, (size_t)n_samples);
    fit->phase = memory_part(&rest, (size_t)n_samples);
    double **nodal[] = {&fit->inside, &fit->outside,        &fit->diagonal,
                        &fit->beside, &fit->psi[0],         &fit->psi[1],
                        &fit->column, &fit->noise_diagonal, &fit->noise_beside};
    for (size_t i = 0; i < sizeof nodal / sizeof *nodal; i++) {
        *nodal[i] = memory_part(&rest, n_nodes);
    }
    return MASING_OK;
}

void decay_fit_clear(struct decay_fit *fit)
{
    analytic_signal_destroy(fit->signal);
    free(fit->segments);
    free(fit->arrays);
    *fit = (struct decay_fit){0};
}

/* ---- what psi_1 and psi_2 do in one segment besides growing evenly ---- */

struct decay_shape {
    double level;   /* mean of psi_1 */
    double slope;   /* of psi_1, per sample */
    double bending; /* of psi_1: coefficient of Legendre's second polynomial;
                       0 where that is noise */
    double twist;   /* of psi_1: how much steeper its straight line is than psi_1 in the middle,
                       in parts of the slope; 0 where that is noise */
    double scatter; /* of psi_1 and psi_2 about parabolas, rms: noise over signal */
};

/*
 * Polynomials 1, s, s^2 - a, s^3 - b s that are orthogonal on the samples themselves (Gram's):
 * Legendre's are so only in the limit, and with few samples a straight line seems to bend.
 */
struct polynomials {
    int n;
    double a, b;
    double square[4]; /* sums of squares */
};

enum { SHAPE_SAMPLES = 5, SHAPE_PARTS = 8 };

/* Share that the third polynomial has in what a parabola leaves where it is no noise. */
static const double TWIST_SHARE = 0.9;

/*
 * Noise of which root mean square r is left in the parts gives the second coefficient a
 * standard deviation of 1.0 r, the first one 0.8 r: what is below so many r is no bending (a
 * kink in the middle has 9 r), where r is so small a part of the first that this is known.
 */
static const double BENDING_BY_CHANCE = 3.0, KNOWN_SLOPE = 0.4;

static void polynomials_at(const struct polynomials *p, int i, double values[4])
{
    double s = (2.0 * i - (p->n - 1)) / (p->n - 1);
    values[0] = 1.0;
    values[1] = s;
    values[2] = s * s - p->a;
    values[3] = s * (s * s - p->b);
}

static struct polynomials polynomials_of(int n)
{
    struct polynomials p = {.n = n};
    double second = 0.0, fourth = 0.0, values[4];
    for (int i = 0; i < n; i++) {
        polynomials_at(&p, i, values);
        second += values[1] * values[1];
        fourth += values[1] * values[1] * values[1] * values[1];
    }
    p.a = second / n;
    p.b = fourth / second;
    for (int i = 0; i < n; i++) {
        polynomials_at(&p, i, values);
        for (int k = 0; k < 4; k++) {
            p.square[k] += values[k] * values[k];
        }
    }
    return p;
}

/* Coefficients of y [n], about its first value: little is lost to rounding. */
static void expand(const struct polynomials *p, const double *y, double coefficients[4])
{
    double sums[4] = {0.0};
    for (int i = 0; i < p->n; i++) {
        double values[4];
        polynomials_at(p, i, values);
        for (int k = 0; k < 4; k++) {
            sums[k] += values[k] * (y[i] - y[0]);
        }
    }
    for (int k = 0; k < 4; k++) {
        coefficients[k] = sums[k] / p->square[k];
    }
}

/*
 * Mean square of what the parabola leaves, averaged over parts of the segment: another motion
 * whose beats are shorter than these does not change the slopes.
 */
static double mean_square_left(const struct polynomials *p, const double *y,
                               const double coefficients[4])
{
    double square = 0.0;
    int n_parts = p->n < SHAPE_PARTS ? p->n : SHAPE_PARTS, i = 0;
    for (int part = 0; part < n_parts; part++) {
        double sum = 0.0;
        int begin = i, end = (int)((long)p->n * (part + 1) / n_parts);
        for (; i < end; i++) {
            double values[4], left = y[i] - y[0];
            polynomials_at(p, i, values);
            for (int k = 0; k < 3; k++) {
                left -= coefficients[k] * values[k];
            }
            sum += left / (end - begin);
        }
        square += sum * sum / n_parts;
    }
    return square;
}

/* psi_1 and psi_2 [n] at equal steps across the segment; n >= 5, else all but level is 0. */
static struct decay_shape shape_of(const double *logarithm, const double *phase, int n)
{
    struct decay_shape shape = {.level = logarithm[0]};
    if (n < SHAPE_SAMPLES) {
        return shape;
    }
    double real[4], imaginary[4];
    struct polynomials p = polynomials_of(n);
    expand(&p, logarithm, real);
    expand(&p, phase, imaginary);
    shape.level += real[0];
    shape.slope = 2.0 * real[1] / (n - 1);
    double left = mean_square_left(&p, logarithm, real), bending = real[2] / 1.5,
           r = sqrt(left);
    if (!(fabs(bending) < BENDING_BY_CHANCE * r && r < KNOWN_SLOPE * fabs(real[1]))) {
        shape.bending = bending;
    }
    if (real[3] * real[3] * p.square[3] > TWIST_SHARE * left * p.n) {
        shape.twist = p.b * real[3] / real[1];
    }
    shape.scatter = sqrt(0.5 * (left + mean_square_left(&p, phase, imaginary)));
    return shape;
}

/* ---- the band ---- */

/* The ends are faded over so many periods of the difference to the edges of the band. */
static const double FADED_BEATS = 5.0;

/* What was measured over all of the record may be more in a part of it: others last longer. */
static const double CONTENT_SAFETY = 2.0;

static double low_of(const struct decay_modes *modes, int k)
{
    return fmin(modes->omega[k], modes->other[k]);
}

static double high_of(const struct decay_modes *modes, int k)
{
    return fmax(modes->omega[k], modes->other[k]);
}

static bool is_neighbour(const struct decay_modes *modes, int k)
{
    return k != modes->index && !(modes->is_apart && modes->is_apart[k]);
}

static bool is_below(const struct decay_modes *modes, int k)
{
    double difference = modes->omega[k] - modes->omega[modes->index];
    return difference < 0.0 || (difference == 0.0 && k < modes->index);
}

/* Between the ranges of two modes; negative where they overlap. */
static double gap_to(const struct decay_modes *modes, int k)
{
    return is_below(modes, k) ? low_of(modes, modes->index) - high_of(modes, k)
                              : low_of(modes, k) - high_of(modes, modes->index);
}

struct decay_band decay_band_of(const struct decay_modes *modes, double nearest)
{
    int index = modes->index;
    struct decay_band band = {.from = low_of(modes, index), .to = high_of(modes, index)};
    band.low = 0.5 * band.from;
    band.high = 2.0 * band.to;
    for (int k = 0; k < modes->n; k++) {
        double gap = gap_to(modes, k);
        double middle =
            0.5 * (modes->omega[k] + modes->omega[index]); /* of ranges that overlap */
        if (!is_neighbour(modes, k) || !(gap > nearest)) {
            continue;
        }
        if (is_below(modes, k)) {
            band.low = fmax(band.low, gap > 0.0 ? band.from - 0.5 * gap : middle);
        } else {
            band.high = fmin(band.high, gap > 0.0 ? band.to + 0.5 * gap : middle);
        }
    }
    band.from = fmax(band.from, band.low);
    band.to = fmin(band.to, band.high);
    return band;
}

struct analytic_band decay_band_kept(const struct decay_band *band, double step)
{
    return (struct analytic_band){.low = step * band->low,
                                  .low_full = 0.5 * step * (band->low + band->from),
                                  .high_full = 0.5 * step * (band->to + band->high),
                                  .high = step * band->high};
}

/* s, for which an end must be faded so that the mode's line does not reach its neighbours: 0
 * where both edges are an octave away. */
static double fade_of(const struct decay_band *band)
{
    double below = band->low > 0.5 * band->from ? band->from - band->low : INFINITY;
    double above = band->high < 2.0 * band->to ? band->high - band->to : INFINITY;
    return FADED_BEATS * TWO_PI / fmax(fmin(below, above), DBL_MIN);
}

/* The nearest neighbour that is further than `nearest`, or -1. */
static int next_neighbour(const struct decay_modes *modes, double nearest)
{
    int found = -1;
    for (int k = 0; k < modes->n; k++) {
        if (is_neighbour(modes, k) && gap_to(modes, k) > nearest &&
            (found < 0 || gap_to(modes, k) < gap_to(modes, found))) {
            found = k;
        }
    }
    return found;
}

/*
 * The amplitudes of those that were let in, over that of the mode, from a spectrum of the whole
 * signal, faded throughout: its lines are as narrow as can be. What the mode's own line has at
 * the others' frequencies counts as theirs, so that nothing is overlooked.
 */
static double measure_content(struct decay_fit *fit, const double *samples,
                              const struct decay_modes *modes, const struct decay_band *band,
                              double nearest)
{
    double h = fit->step, inside = 0.0, width = TWO_PI / (fit->n_samples * h);
    double all = 0.0;
    analytic_signal_load(fit->signal, samples, fit->n_samples / 2);
    all = analytic_signal_energy(fit->signal, h * band->low, h * band->high);
    for (int k = 0; k < modes->n; k++) {
        if (is_neighbour(modes, k) && !(gap_to(modes, k) > nearest)) {
            inside += analytic_signal_energy(fit->signal, h * (low_of(modes, k) - width),
                                             h * (high_of(modes, k) + width));
        }
    }
    return inside < all ? sqrt(inside / (all - inside)) : 1.0;
}

double decay_fit_length(const struct decay_fit *fit)
{
    return (fit->n_samples - 1) * fit->step / fit->n_segments;
}

/* Fading may take so many segments at each end, a quarter of all. */
static int most_dropped(const struct decay_fit *fit)
{
    return fit->n_segments >= 8 ? fit->n_segments / 4 : 1;
}

/* As many as neighbours need; an octave is left as far as there is time. */
static void count_dropped(const struct decay_fit *fit, struct decay_choice *choice)
{
    const double octave = FADED_BEATS * TWO_PI / (0.5 * choice->band.from);
    double most = most_dropped(fit), length = decay_fit_length(fit);
    double n = fmax(ceil(fade_of(&choice->band) / length), fmin(ceil(octave / length), most));
    choice->n_dropped = n <= 1.0 ? 1 : n < fit->n_segments ? (int)n : fit->n_segments;
}

/* The band halfway to its neighbours and not beyond an octave, however long fading takes. */
static struct decay_choice choose_narrow(const struct decay_fit *fit,
                                         const struct decay_modes *modes)
{
    struct decay_choice choice = {.crowded_by = -1, .band = decay_band_of(modes, -INFINITY)};
    count_dropped(fit, &choice);
    return choice;
}

/* Likewise, but the nearest ones are let in until fading takes no more than n_dropped segments;
 * what they have in the coordinate [samples of fit] is measured. */
static struct decay_choice choose_wide(struct decay_fit *fit, const double *samples,
                                       const struct decay_modes *modes, int n_dropped)
{
    struct decay_choice choice = choose_narrow(fit, modes);
    double nearest = -INFINITY, most = n_dropped * decay_fit_length(fit);
    int k = next_neighbour(modes, nearest);
    if (fade_of(&choice.band) <= most || k < 0) {
        return choice;
    }
    choice.crowded_by = k;
    choice.needed = fade_of(&choice.band) * fit->n_segments / most_dropped(fit);
    choice.beat = fabs(modes->omega[k] - modes->omega[modes->index]);
    for (; fade_of(&choice.band) > most && k >= 0; k = next_neighbour(modes, nearest)) {
        nearest = gap_to(modes, k);
        choice.band = decay_band_of(modes, nearest);
        count_dropped(fit, &choice);
    }
    choice.content = measure_content(fit, samples, modes, &choice.band, nearest);
    return choice;
}

/*
 * How much of the rate (1/s, of decay) the crowding mode may take or add, in parts of it.
 * Besides e^(mu t) a share c e^(i delta t) changes the rate by c delta at most; over a segment
 * of n beats the slope of a straight line has only about 3/(pi^2 n^2) of it.
 */
static double crowding_of(const struct decay_choice *choice, double rate, double segment)
{
    double beats = choice->beat * segment / TWO_PI;
    double error =
        CONTENT_SAFETY * choice->content * choice->beat / (1.0 + 3.0 * beats * beats);
    return choice->crowded_by < 0 ? 0.0 : error / fmax(fabs(rate), DBL_MIN);
}

/* ---- segments ---- */

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

/* Where a segment begins, in samples. */
static double node_at(const struct decay_fit *fit, int node)
{
    return (double)(fit->n_samples - 1) * node / fit->n_segments;
}

int decay_fit_first(const struct decay_fit *fit, int segment)
{
    return (int)ceil(node_at(fit, segment));
}

int decay_fit_last(const struct decay_fit *fit, int segment)
{
    return (int)floor(node_at(fit, segment));
}

struct decay_place decay_fit_place(const struct decay_fit *fit, int first, int last, int i)
{
    double at = (double)i * fit->n_segments / (fit->n_samples - 1);
    int s = (int)at;
    s = s < first ? first : s >= last ? last - 1 : s;
    return (struct decay_place){s - first, 1.0 - (at - s), at - s};
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

/*
 * Mean squares inside and outside of the band, segment by segment. The whole signal less the
 * band's is found first, in logarithm and phase as scratch. Drift is no other motion: slower
 * than what fading makes of an offset.
 */
static void measure_shares(struct decay_fit *fit, const struct analytic_band *band,
                           int n_dropped)
{
    struct analytic_signal *signal = fit->signal;
    double slow = SLOW_BEATS * TWO_PI / (node_at(fit, 1) * n_dropped);
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
        int s = (int)((double)i * fit->n_segments / (fit->n_samples - 1));
        s = s < fit->n_segments ? s : fit->n_segments - 1;
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
    for (int i = decay_fit_first(fit, first); i <= decay_fit_last(fit, last); i++) {
        struct decay_place p = decay_fit_place(fit, first, last, i);
        fit->diagonal[p.k] += p.left * p.left;
        fit->diagonal[p.k + 1] += p.right * p.right;
        fit->beside[p.k] += p.left * p.right;
        fit->psi[0][p.k] += p.left * fit->logarithm[i];
        fit->psi[0][p.k + 1] += p.right * fit->logarithm[i];
        fit->psi[1][p.k] += p.left * fit->phase[i];
        fit->psi[1][p.k + 1] += p.right * fit->phase[i];
    }
}

/* Tridiagonal, symmetric and positive definite: elimination without pivots. */
static void factor(struct decay_fit *fit, int n)
{
    for (int k = 1; k < n; k++) {
        fit->diagonal[k] -= fit->beside[k - 1] / fit->diagonal[k - 1] * fit->beside[k - 1];
    }
}

static void solve(const struct decay_fit *fit, int n, double *x)
{
    for (int k = 1; k < n; k++) {
        x[k] -= fit->beside[k - 1] / fit->diagonal[k - 1] * x[k - 1];
    }
    x[n - 1] /= fit->diagonal[n - 1];
    for (int k = n - 2; k >= 0; k--) {
        x[k] = (x[k] - fit->beside[k] * x[k + 1]) / fit->diagonal[k];
    }
}

/* Covariance of the right sides of the normal equations, and what the fit leaves. */
static void assemble_noise(struct decay_fit *fit, int first, int last)
{
    size_t size = (size_t)(last - first + 1) * sizeof(double);
    memset(fit->noise_diagonal, 0, size);
    memset(fit->noise_beside, 0, size);
    for (int i = decay_fit_first(fit, first); i <= decay_fit_last(fit, last); i++) {
        struct decay_place p = decay_fit_place(fit, first, last, i);
        struct decay_segment *segment = &fit->segments[first + p.k - 1];
        double level = p.left * fit->psi[0][p.k] + p.right * fit->psi[0][p.k + 1];
        double phase = p.left * fit->psi[1][p.k] + p.right * fit->psi[1][p.k + 1];
        double square = exp(2.0 * level);
        fit->noise_diagonal[p.k] += p.left * p.left / square;
        fit->noise_diagonal[p.k + 1] += p.right * p.right / square;
        fit->noise_beside[p.k] += p.left * p.right / square;
        segment->left +=
            square * (pow(fit->logarithm[i] - level, 2) + pow(fit->phase[i] - phase, 2));
        segment->n++;
    }
}

/* Spread, left and n of segments whose psi is solved for: what noise does to their slopes, see
 * decay_noise.h. */
static void measure_spread(struct decay_fit *fit, int first, int last)
{
    int n = last - first + 1;
    double length = node_at(fit, 1) * fit->step, *column = fit->column;
    assemble_noise(fit, first, last);
    for (int s = first; s < last; s++) {
        double sum = 0.0;
        memset(column, 0, (size_t)n * sizeof *column);
        column[s - first] = -1.0 / length;
        column[s - first + 1] = 1.0 / length;
        solve(fit, n, column);
        for (int k = 0; k < n; k++) {
            sum += fit->noise_diagonal[k] * column[k] * column[k];
            if (k + 1 < n) {
                sum += 2.0 * fit->noise_beside[k] * column[k] * column[k + 1];
            }
        }
        fit->segments[s - 1].spread = sum;
    }
}

/* Values of the segments first .. last - 1, which follow on one another. */
static void fit_run(struct decay_fit *fit, int first, int last)
{
    double length = node_at(fit, 1) * fit->step;
    int n = last - first + 1;
    assemble(fit, first, last);
    factor(fit, n);
    solve(fit, n, fit->psi[0]);
    solve(fit, n, fit->psi[1]);
    for (int s = first; s < last; s++) {
        int k = s - first;
        struct decay_segment *segment = &fit->segments[s - 1];
        segment->amplitude = exp(0.5 * (fit->psi[0][k] + fit->psi[0][k + 1]));
        segment->rate = (fit->psi[0][k + 1] - fit->psi[0][k]) / length;
        segment->omega = (fit->psi[1][k + 1] - fit->psi[1][k]) / length;
    }
    measure_spread(fit, first, last);
}

/* What a segment is good for, before any values. */
static enum decay_verdict judge(const struct decay_fit *fit, int s, double silence,
                                struct decay_segment *segment)
{
    int begin = decay_fit_first(fit, s), end = decay_fit_last(fit, s + 1);
    double total = fit->inside[s] + fit->outside[s];
    if (!(total > silence * (end - begin + 1))) {
        return DECAY_SILENT;
    }
    struct decay_shape shape =
        shape_of(fit->logarithm + begin, fit->phase + begin, end - begin + 1);
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

/* All runs of segments that follow on one another. */
static void fit_runs(struct decay_fit *fit)
{
    int n = fit->n_segments, first = 1;
    while (first < n - 1) {
        int last = first;
        while (last < n - 1 && fit->segments[last - 1].verdict == DECAY_FITS) {
            last++;
        }
        if (last > first) {
            fit_run(fit, first, last);
        }
        first = last + 1;
    }
}

/* What only the values show. */
static void check_values(struct decay_fit *fit)
{
    double length = node_at(fit, 1) * fit->step;
    for (int i = 0; i < fit->n_segments - 2; i++) {
        struct decay_segment *segment = &fit->segments[i];
        bool fits = segment->verdict == DECAY_FITS;
        if (!fits && segment->verdict != DECAY_BENT) {
            continue;
        }
        segment->crowding = crowding_of(&fit->choice, segment->rate, length);
        if (fits && segment->omega * length < DECAY_FEWEST_PERIODS * TWO_PI) {
            segment->verdict = DECAY_SHORT;
        } else if (!(segment->crowding < MOST_CROWDING)) { /* also what bends by it */
            segment->verdict = DECAY_CROWDED;
        }
    }
}

/* modes: to look for in what is left, NULL: what the whole spectrum has counts as theirs. */
static void run(struct decay_fit *fit, const double *samples, const struct decay_modes *modes)
{
    struct decay_choice *choice = &fit->choice;
    const struct decay_band *band = &choice->band;
    double h = fit->step, length = node_at(fit, 1) * h;
    double largest = samples[dense_largest(fit->n_samples, samples)];
    /* mean square below which nothing moves */
    double silence = fmax(SILENCE * SILENCE * largest * largest, DBL_MIN);
    const struct analytic_band kept = decay_band_kept(band, h);
    int n = fit->n_segments, n_dropped = choice->n_dropped;
    load(fit, samples, n_dropped);
    measure_shares(fit, &kept, n_dropped);
    take_exponents(fit);
    for (int s = 1; s < n - 1; s++) {
        struct decay_segment *segment = &fit->segments[s - 1];
        bool is_faded = s < n_dropped || s >= n - n_dropped;
        *segment = (struct decay_segment){.time = (s + 0.5) * length, .level = -INFINITY};
        segment->verdict = is_faded ? DECAY_DROPPED : judge(fit, s, silence, segment);
    }
    fit_runs(fit);
    if (modes) {
        choice->content = fmin(choice->content, decay_noise_content(fit, modes));
    }
    check_values(fit);
}

/* How many segments have damping that is not as good as without a near mode, and of these that
 * are left out. */
static int count_crowded(const struct decay_fit *fit, bool are_left_out)
{
    int n = 0;
    for (int i = 0; i < fit->n_segments - 2; i++) {
        n += are_left_out ? fit->segments[i].verdict == DECAY_CROWDED
                          : fit->segments[i].crowding > DECAY_NOTED_CROWDING;
    }
    return n;
}

static void run_bands(struct decay_fit *fit, const double *samples,
                      const struct decay_modes *modes)
{
    int most = most_dropped(fit);
    const struct decay_choice narrow = choose_narrow(fit, modes);
    for (int n_dropped = 1; n_dropped <= most; n_dropped += most > 1 ? most - 1 : 1) {
        fit->choice = choose_wide(fit, samples, modes, n_dropped);
        run(fit, samples, NULL);
        if (count_crowded(fit, false) == 0 || progress_is_cancelled(fit->progress)) {
            return;
        }
    }
    if (narrow.n_dropped <= most) {
        fit->choice = narrow;
        run(fit, samples, NULL);
    }
}

/* Where no band parts two modes and shapes are known to, the shapes are believed as far as
 * nothing of the other mode is seen beside the own motion. */
void decay_fit_run(struct decay_fit *fit, const double *samples,
                   const struct decay_modes *modes)
{
    run_bands(fit, samples, modes);
    if (modes->are_parted && count_crowded(fit, true) > 0) {
        fit->choice = choose_wide(fit, samples, modes, 1);
        run(fit, samples, modes);
    }
}
