/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a measured decay has come down to what is always there: noise, or hum. */
#include <math.h>
#include <stdbool.h>

#include "analyses/ringdown/decay_fit.h"

/* So many segments at least show that an amplitude is steady. */
enum { FEWEST_STEADY = 3 };

/* Within so much (nepers) of the lowest all is as low. */
static const double AS_LOW = 1.0;

/*
 * What comes nearer than this to the floor (nepers) is noise that looks like a decay by chance,
 * or bends into it; what stays further above is not the floor's, wherever it stands: the decay
 * follows on noise where a record begins before the blow, or where there is a second one.
 */
static const double ABOVE_FLOOR = 1.5, WELL_ABOVE = 2.0;

/* Hum: at the end the amplitude stays within so much (nepers), and its damping ratio, as well
 * as its rate in parts of the fastest before, is below these: structures have none as small. */
static const double LEVEL_SPREAD = 0.1, HUM_RATIO = 2e-5, HUM_RATE = 0.02;

static int count_whole(const struct decay_segment *segments, int n)
{
    while (n > 0 && segments[n - 1].verdict == DECAY_DROPPED) {
        n--;
    }
    return n;
}

static bool is_lost(const struct decay_segment *segment)
{
    return segment->verdict != DECAY_SILENT && !(segment->scatter < DECAY_MOST_SCATTER);
}

/*
 * Mean level of the segments that scatter among those that are about as low as the lowest, or
 * infinite where it is not most of them. The lowest ones need not be the last, nor many: only
 * how low they are counts, so that it does not matter how much of the record is noise.
 */
static double noise_level(const struct decay_segment *segments, int n)
{
    double lowest = INFINITY, sum = 0.0;
    int n_low = 0, n_lost = 0;
    for (int s = 0; s < n; s++) {
        if (isfinite(segments[s].level)) {
            lowest = fmin(lowest, segments[s].level);
        }
    }
    for (int s = 0; s < n; s++) {
        bool is_low = isfinite(segments[s].level) && segments[s].level < lowest + AS_LOW;
        n_low += is_low;
        if (is_low && is_lost(&segments[s])) {
            sum += segments[s].level;
            n_lost++;
        }
    }
    return n_lost > 0 && 2 * n_lost >= n_low ? sum / n_lost : INFINITY;
}

/* Of the levels' fall before the segment n, whatever else the segments are good for. */
static double fastest_rate(const struct decay_segment *segments, int n, double length)
{
    double fastest = 0.0;
    for (int s = 0; s < n; s++) {
        if (isfinite(segments[s].level) && isfinite(segments[s + 1].level)) {
            fastest = fmax(fastest, (segments[s].level - segments[s + 1].level) / length);
        }
    }
    return fastest;
}

/*
 * Level at the end, or infinite where a straight line through the levels that are alike there
 * falls fast enough for a decay.
 */
static double hum_level(const struct decay_segment *segments, int n, double length)
{
    int from = n, n_fitting = 0;
    double omega = 0.0, sum = 0.0, square = 0.0, level = 0.0;
    for (int s = n - 1; s >= 0 && s >= n - FEWEST_STEADY; s--) {
        level += segments[s].level / FEWEST_STEADY;
    }
    while (from > 0 && fabs(segments[from - 1].level - level) < LEVEL_SPREAD) {
        from--;
    }
    for (int s = from; s < n; s++) {
        double place = s - 0.5 * (from + n - 1);
        sum += place * segments[s].level;
        square += place * place;
        if (segments[s].verdict == DECAY_FITS) {
            omega += segments[s].omega;
            n_fitting++;
        }
    }
    if (n_fitting == 0 || n - from < FEWEST_STEADY) {
        return INFINITY;
    }
    double rate = fabs(sum / square) / length;
    bool is_hum = rate < HUM_RATIO * omega / n_fitting &&
                  rate < HUM_RATE * fastest_rate(segments, from, length);
    return is_hum ? level : INFINITY;
}

/* At the end to which it falls: what has its middle above the floor may meet it there. */
static double low_end(const struct decay_segment *segment, double length)
{
    return segment->level + 0.5 * length * fmin(segment->rate, 0.0);
}

/* Marks what is no more than the floor; returns from where on there is nothing else. */
static int mark(struct decay_segment *segments, int n, double length, double level)
{
    int high = n, first = n;
    while (high > 0 && !(low_end(&segments[high - 1], length) >= level + WELL_ABOVE)) {
        high--;
    }
    for (int s = 0; s < n; s++) {
        if (!isfinite(segments[s].level)) {
            continue;
        }
        bool is_low = low_end(&segments[s], length) < level + ABOVE_FLOOR;
        if (is_low && s >= high && first == n) {
            first = s;
        }
        if (is_low || s >= first) {
            segments[s].verdict = DECAY_NOISE;
        }
    }
    return first;
}

int decay_fit_floor(const struct decay_fit *fit, struct decay_segment *segments)
{
    int n_all = fit->n_segments - 2, n = count_whole(segments, n_all), first = n;
    double length = (fit->n_samples - 1) * fit->step / fit->n_segments;
    double level = noise_level(segments, n);
    if (!isfinite(level)) {
        level = hum_level(segments, n, length);
    }
    if (isfinite(level)) {
        first = mark(segments, n, length, level);
    }
    return first < n ? first : n_all;
}
