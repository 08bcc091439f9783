/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a measured decay has come down to what is always there: noise, or hum. */
#include <math.h>
#include <stdbool.h>

#include "analyses/decay_fit.h"

/* Share of the record's end that tells the level of noise: one part in so many. */
enum { TAIL_PART = 4, FEWEST_IN_TAIL = 3 };

/* What is less than this above the noise (nepers) is noise that looks like a decay by chance.
 */
static const double ABOVE_NOISE = 1.0;

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

/* The end of the record: its level where it is that of noise, else where it is steady. */
struct tail {
    int from, to;
    bool is_noise;
    double level;
};

static struct tail tail_of(const struct decay_segment *segments, int n)
{
    int length = n / TAIL_PART > FEWEST_IN_TAIL ? n / TAIL_PART : FEWEST_IN_TAIL, n_lost = 0;
    struct tail tail = {.from = n > length ? n - length : 0, .to = n};
    double all = 0.0, lost = 0.0;
    for (int s = tail.from; s < n; s++) {
        all += segments[s].level;
        if (is_lost(&segments[s])) {
            lost += segments[s].level;
            n_lost++;
        }
    }
    tail.is_noise = n_lost > 0 && 2 * n_lost >= n - tail.from;
    tail.level = tail.is_noise ? lost / n_lost : all / (n - tail.from);
    return tail;
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

/* A straight line through the levels that are alike falls so slowly that nothing decays. */
static bool is_hum(const struct decay_segment *segments, const struct tail *tail, double length)
{
    int from = tail->to, n_fitting = 0;
    double omega = 0.0, sum = 0.0, square = 0.0;
    while (from > 0 && fabs(segments[from - 1].level - tail->level) < LEVEL_SPREAD) {
        from--;
    }
    for (int s = from; s < tail->to; s++) {
        double place = s - 0.5 * (from + tail->to - 1);
        sum += place * segments[s].level;
        square += place * place;
        if (segments[s].verdict == DECAY_FITS) {
            omega += segments[s].omega;
            n_fitting++;
        }
    }
    if (n_fitting == 0 || tail->to - from < FEWEST_IN_TAIL) {
        return false;
    }
    double rate = fabs(sum / square) / length;
    return rate < HUM_RATIO * omega / n_fitting &&
           rate < HUM_RATE * fastest_rate(segments, from, length);
}

int decay_fit_floor(const struct decay_fit *fit, struct decay_segment *segments)
{
    int n_all = fit->n_segments - 2, n = count_whole(segments, n_all), first = 0;
    double length = (fit->n_samples - 1) * fit->step / fit->n_segments;
    struct tail tail = tail_of(segments, n);
    if (n < FEWEST_IN_TAIL || !isfinite(tail.level) ||
        !(tail.is_noise || is_hum(segments, &tail, length))) {
        return n_all;
    }
    while (first < n && !(segments[first].level < tail.level + ABOVE_NOISE)) {
        first++;
    }
    for (int s = first; s < n; s++) {
        segments[s].verdict = DECAY_NOISE;
    }
    return first < n ? first : n_all;
}
