/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/decay_band.h"

#include <float.h>
#include <math.h>

#include "analyses/ringdown/decay_fit.h"
#include "base/pi.h"

/* The ends are faded over so many periods of the difference to the edges of the band. */
static const double FADED_BEATS = 5.0;

/* What was measured over all of the record may be more in a part of it: others last longer. */
static const double SAFETY = 2.0;

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

static double segment_length(const struct decay_fit *fit)
{
    return (fit->n_samples - 1) * fit->step / fit->n_segments;
}

/* As many as neighbours need; an octave is left as far as there is time. */
static void count_dropped(const struct decay_fit *fit, struct decay_choice *choice)
{
    const double octave = FADED_BEATS * TWO_PI / (0.5 * choice->band.from);
    double most = decay_most_dropped(fit), length = segment_length(fit);
    double n = fmax(ceil(fade_of(&choice->band) / length), fmin(ceil(octave / length), most));
    choice->n_dropped = n <= 1.0 ? 1 : n < fit->n_segments ? (int)n : fit->n_segments;
}

struct decay_choice decay_choose_narrow(const struct decay_fit *fit,
                                        const struct decay_modes *modes)
{
    struct decay_choice choice = {.crowded_by = -1, .band = decay_band_of(modes, -INFINITY)};
    count_dropped(fit, &choice);
    return choice;
}

struct decay_choice decay_choose_wide(struct decay_fit *fit, const double *samples,
                                      const struct decay_modes *modes, int n_dropped)
{
    struct decay_choice choice = decay_choose_narrow(fit, modes);
    double nearest = -INFINITY, most = n_dropped * segment_length(fit);
    int k = next_neighbour(modes, nearest);
    if (fade_of(&choice.band) <= most || k < 0) {
        return choice;
    }
    choice.crowded_by = k;
    choice.needed = fade_of(&choice.band) * fit->n_segments / decay_most_dropped(fit);
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
 * Besides e^(mu t) a share c e^(i delta t) changes the rate by c delta at most; over a segment
 * of n beats the slope of a straight line has only about 3/(pi^2 n^2) of it.
 */
double decay_crowding(const struct decay_choice *choice, double rate, double segment)
{
    double beats = choice->beat * segment / TWO_PI;
    double error = SAFETY * choice->content * choice->beat / (1.0 + 3.0 * beats * beats);
    return choice->crowded_by < 0 ? 0.0 : error / fmax(fabs(rate), DBL_MIN);
}
