/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/decay_noise.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/pi.h"
#include "linalg/cholesky.h"
#include "linalg/least_squares.h"

/* ---- the density of the noise ---- */

struct density {
    double value;   /* S; NAN: too few samples to tell */
    double degrees; /* of freedom, real numbers */
};

/* From the segments first .. last - 1 that fit. */
static struct density density_of(const struct decay_fit *fit, int first, int last)
{
    const struct analytic_band band = decay_band_kept(&fit->choice.band, fit->step);
    double share = analytic_band_width(fit->signal, &band) / TWO_PI, left = 0.0, n = 0.0;
    int n_nodes = 0;
    for (int s = first; s < last; s++) {
        const struct decay_segment *segment = &fit->segments[s - 1];
        bool follows = s > first && fit->segments[s - 2].verdict == DECAY_FITS;
        if (segment->verdict == DECAY_FITS) {
            left += segment->left;
            n += segment->n;
            n_nodes += follows ? 1 : 2;
        }
    }
    double degrees = 2.0 * (n * share - n_nodes);
    return (struct density){degrees >= 1.0 ? left / degrees : NAN, degrees};
}

/* ---- one exponential ---- */

/* Segments first .. last - 1 that follow on one another and show the mode, if unevenly, with
 * the most energy. */
struct stretch {
    int first, last;
};

static struct stretch largest_stretch(const struct decay_fit *fit)
{
    struct stretch found = {1, 1};
    double most = 0.0, energy = 0.0;
    int first = 1;
    for (int s = 1; s < fit->n_segments - 1; s++) {
        const struct decay_segment *segment = &fit->segments[s - 1];
        if (segment->verdict != DECAY_FITS && segment->verdict != DECAY_BENT) {
            first = s + 1;
            energy = 0.0;
            continue;
        }
        energy += exp(2.0 * segment->level);
        if (energy > most) {
            most = energy;
            found = (struct stretch){first, s + 1};
        }
    }
    return found;
}

/* Weighted by the amplitude's square: polynomials of time, orthogonal over a stretch. */
enum { N_POWERS = 4 };

struct smooth {
    const struct decay_fit *fit;
    struct stretch stretch;
    int begin, end; /* samples begin .. end - 1 */
    double middle, half;
    double shift[N_POWERS], mix[N_POWERS]; /* p_k+1 = (s - shift_k) p_k - mix_k p_k-1 */
    double square[N_POWERS];               /* sums of squares */
    double complex value[N_POWERS];        /* coefficients of psi_1 + i psi_2 */
};

static double weight_at(const struct smooth *smooth, int i)
{
    const struct decay_fit *fit = smooth->fit;
    struct decay_place p = decay_fit_place(fit, smooth->stretch.first, smooth->stretch.last, i);
    const struct decay_segment *segment = &fit->segments[smooth->stretch.first + p.k - 1];
    return exp(2.0 * (segment->level + segment->rate * (i * fit->step - segment->time)));
}

static void powers_at(const struct smooth *smooth, int n, int i, double *values)
{
    double s = (i - smooth->middle) / smooth->half;
    values[0] = 1.0;
    for (int k = 0; k + 1 < n; k++) {
        values[k + 1] =
            (s - smooth->shift[k]) * values[k] - (k > 0 ? smooth->mix[k] * values[k - 1] : 0.0);
    }
}

/* The recurrence of orthogonal polynomials (Forsythe 1957), and psi in them. */
static void smooth_create(const struct decay_fit *fit, struct stretch stretch,
                          struct smooth *smooth)
{
    *smooth = (struct smooth){.fit = fit, .stretch = stretch};
    smooth->begin = decay_fit_first(fit, stretch.first);
    smooth->end = decay_fit_last(fit, stretch.last) + 1;
    smooth->middle = 0.5 * (smooth->begin + smooth->end - 1);
    smooth->half = 0.5 * (smooth->end - smooth->begin);
    double first = fit->logarithm[smooth->begin], phase = fit->phase[smooth->begin];
    for (int k = 0; k < N_POWERS; k++) {
        double values[N_POWERS], moment = 0.0;
        double complex sum = 0.0;
        for (int i = smooth->begin; i < smooth->end; i++) {
            double w = weight_at(smooth, i), s = (i - smooth->middle) / smooth->half;
            powers_at(smooth, k + 1, i, values);
            smooth->square[k] += w * values[k] * values[k];
            moment += w * s * values[k] * values[k];
            sum += w * values[k] * (fit->logarithm[i] - first + I * (fit->phase[i] - phase));
        }
        smooth->shift[k] = moment / smooth->square[k];
        smooth->mix[k] = k > 0 ? smooth->square[k] / smooth->square[k - 1] : 0.0;
        smooth->value[k] = sum / smooth->square[k];
    }
    smooth->value[0] += first + I * phase;
}

/* What n of the polynomials leave at a sample. */
static double complex remainder_at(const struct smooth *smooth, int n, int i)
{
    double values[N_POWERS];
    double complex left = smooth->fit->logarithm[i] + I * smooth->fit->phase[i];
    powers_at(smooth, n, i, values);
    for (int k = 0; k < n; k++) {
        left -= smooth->value[k] * values[k];
    }
    return left;
}

struct decay_line decay_noise_line(const struct decay_fit *fit)
{
    struct decay_line line = {.density = NAN, .interval = NAN};
    struct stretch stretch = largest_stretch(fit);
    struct density density = density_of(fit, 1, fit->n_segments - 1);
    line.density = density.value;
    line.quantile = density.degrees >= 1.0 ? student_quantile((int)density.degrees) : NAN;
    if (stretch.last <= stretch.first) {
        return line;
    }
    struct smooth smooth;
    smooth_create(fit, stretch, &smooth);
    double per_second = 1.0 / (smooth.half * fit->step), left = 0.0;
    line.is_there = true;
    line.rate = creal(smooth.value[1]) * per_second;
    line.omega = cimag(smooth.value[1]) * per_second;
    line.amplitude = exp(creal(smooth.value[0]));
    line.phase = cimag(smooth.value[0]);
    line.time = (smooth.middle + smooth.shift[0] * smooth.half) * fit->step;
    for (int i = smooth.begin; i < smooth.end; i++) {
        double complex r = remainder_at(&smooth, 2, i);
        left += weight_at(&smooth, i) * (creal(r) * creal(r) + cimag(r) * cimag(r));
    }
    /* where one exponential leaves more than the segments do, its error is as much larger */
    const struct analytic_band band = decay_band_kept(&fit->choice.band, fit->step);
    double share = analytic_band_width(fit->signal, &band) / TWO_PI;
    double degrees = 2.0 * (share * (smooth.end - smooth.begin) - 2.0);
    double most = fmax(density.value, degrees >= 1.0 ? left / degrees : NAN);
    line.interval = line.quantile * per_second * sqrt(most / smooth.square[1]);
    return line;
}

double decay_noise_interval(const struct decay_line *line, const struct decay_segment *segment)
{
    return line->quantile * sqrt(line->density * segment->spread);
}

/* ---- other modes beside the own motion ---- */

/*
 * So few beats are not told from a smooth motion; so many are from one whose frequency and
 * damping change: before them one exponential is taken for the own motion.
 */
static const double FEWEST_BEATS = 1.0, MANY_BEATS = 6.0;

/* Standard deviations of noise up to which nothing is seen. */
static const double MOST_BY_CHANCE = 3.0;

/* The last segments of a run follow another motion so many times as much as those within. */
static const double END_SAFETY = 2.0;

/*
 * Amplitude of a line at this distance (rad per sample) in what n_powers polynomials leave; 0
 * where it may be noise. Samples count by the amplitude's square to a power: what lasts longer
 * than the mode shows at its end.
 */
static double line_size(const struct smooth *smooth, int n_powers, int power, double density,
                        double distance)
{
    double complex sum = 0.0;
    double weights = 0.0, variance = 0.0;
    for (int i = smooth->begin; i < smooth->end; i++) {
        double square = weight_at(smooth, i), w = pow(square, power);
        sum +=
            w * remainder_at(smooth, n_powers, i) * cexp(-I * distance * (i - smooth->middle));
        weights += w;
        variance += 2.0 * density * w * w / square;
    }
    return cabs(sum) > MOST_BY_CHANCE * sqrt(variance) ? cabs(sum) / weights : 0.0;
}

double decay_noise_content(const struct decay_fit *fit, const struct decay_modes *modes)
{
    struct stretch stretch = largest_stretch(fit);
    struct density density = density_of(fit, stretch.first, stretch.last);
    double largest = 0.0;
    if (stretch.last <= stretch.first || isnan(density.value)) {
        return INFINITY;
    }
    struct smooth smooth;
    smooth_create(fit, stretch, &smooth);
    double beats = fit->choice.beat * 2.0 * smooth.half * fit->step / TWO_PI;
    if (beats < FEWEST_BEATS) {
        return INFINITY;
    }
    int n_powers = beats < MANY_BEATS ? 2 : N_POWERS;
    double h = fit->step, own = cimag(smooth.value[1]) / smooth.half;
    double step = 0.5 * PI / smooth.half;
    for (int k = 0; k < modes->n; k++) {
        double from = fmin(modes->omega[k], modes->other[k]);
        double to = fmax(modes->omega[k], modes->other[k]);
        bool is_near = to > fit->choice.band.low && from < fit->choice.band.high;
        for (int power = -1; k != modes->index && is_near && power <= 1; power++) {
            /* the largest line in its range of frequencies, and a step beside */
            for (double w = h * from - 2.0 * step; w <= h * to + 2.5 * step; w += step) {
                if (progress_is_cancelled(fit->progress)) {
                    return INFINITY;
                }
                largest =
                    fmax(largest, line_size(&smooth, n_powers, power, density.value, w - own));
            }
        }
    }
    return END_SAFETY * largest;
}

/* ---- one exponential in the samples themselves ---- */

/* Real and imaginary amplitude, offset, rate, omega. */
enum { REAL, IMAGINARY, OFFSET, RATE, OMEGA, N_EXPONENTIAL, MOST_TURNS = 12 };

/* Residuals of the samples before the segments that fit, and of all of them, may be so many
 * times larger (mean square) than noise of the density that the segments show. */
static const double MOST_EXCESS = 2.0;

struct exponential {
    const struct decay_fit *fit;
    const double *samples;
    int begin, middle, end; /* samples begin .. end - 1; the segments that fit from middle on */
    double origin;          /* s, where time counts from */
    double x[N_EXPONENTIAL];
    double normal[N_EXPONENTIAL * N_EXPONENTIAL], right[N_EXPONENTIAL];
    double early, late; /* sums of squared residuals before `middle` and from there on */
};

/* Normal equations about the present numbers. */
static void linearise(struct exponential *e)
{
    memset(e->normal, 0, sizeof e->normal);
    memset(e->right, 0, sizeof e->right);
    e->early = e->late = 0.0;
    for (int i = e->begin; i < e->end; i++) {
        double t = i * e->fit->step - e->origin;
        double complex motion = cexp((e->x[RATE] + I * e->x[OMEGA]) * t);
        double complex own = (e->x[REAL] + I * e->x[IMAGINARY]) * motion;
        const double row[N_EXPONENTIAL] = {creal(motion), -cimag(motion), 1.0, t * creal(own),
                                           -t * cimag(own)};
        double left = e->samples[i] - creal(own) - e->x[OFFSET];
        *(i < e->middle ? &e->early : &e->late) += left * left;
        for (int a = 0; a < N_EXPONENTIAL; a++) {
            e->right[a] += row[a] * left;
            for (int b = 0; b < N_EXPONENTIAL; b++) {
                e->normal[a * N_EXPONENTIAL + b] += row[a] * row[b];
            }
        }
    }
}

/* Gauss and Newton's method; false where it does not come to rest. */
static bool fit_exponential(struct exponential *e)
{
    double scratch[N_EXPONENTIAL];
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        linearise(e);
        if (progress_is_cancelled(e->fit->progress) ||
            cholesky_weak_row(N_EXPONENTIAL, e->normal, 1e-12, scratch) >= 0) {
            return false;
        }
        cholesky_solve(N_EXPONENTIAL, e->normal, e->right, 1);
        for (int a = 0; a < N_EXPONENTIAL; a++) {
            e->x[a] += e->right[a];
        }
        double span = (e->end - e->begin) * e->fit->step;
        if (hypot(e->right[RATE], e->right[OMEGA]) * span < 1e-7) {
            linearise(e);
            return cholesky_weak_row(N_EXPONENTIAL, e->normal, 1e-12, scratch) < 0;
        }
    }
    return false;
}

void decay_noise_refine(const struct decay_fit *fit, const double *samples,
                        struct decay_line *line)
{
    struct stretch stretch = largest_stretch(fit);
    int middle = decay_fit_first(fit, stretch.first),
        end = decay_fit_last(fit, stretch.last) + 1;
    for (int turn = 0; line->is_there && turn < 2; turn++) {
        struct exponential e = {.fit = fit,
                                .samples = samples,
                                .begin = turn == 0 ? 0 : middle,
                                .middle = middle,
                                .end = end,
                                .origin = line->time,
                                .x = {line->amplitude * cos(line->phase),
                                      line->amplitude * sin(line->phase), 0.0, line->rate,
                                      line->omega}};
        double n_early = e.middle - e.begin, n_late = e.end - e.middle;
        if (!fit_exponential(&e)) {
            continue;
        }
        double late = e.late / n_late, least = fmax(late, 0.5 * line->density);
        bool is_whole = n_early == 0.0 || e.early / n_early < MOST_EXCESS * least;
        if (is_whole && late < MOST_EXCESS * 0.5 * line->density) {
            double unit[N_EXPONENTIAL] = {[RATE] = 1.0};
            cholesky_solve(N_EXPONENTIAL, e.normal, unit, 1);
            line->rate = e.x[RATE];
            line->omega = e.x[OMEGA];
            line->interval = line->quantile * sqrt(least * unit[RATE]);
            return;
        }
    }
}

/* ---- where a measured decay has come down to what is always there: noise, or hum ---- */

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
        bool is_lost =
            segments[s].verdict != DECAY_SILENT && !(segments[s].scatter < DECAY_MOST_SCATTER);
        if (is_low && is_lost) {
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
        double middle = s - 0.5 * (from + n - 1);
        sum += middle * segments[s].level;
        square += middle * middle;
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

int decay_noise_floor(struct decay_fit *fit)
{
    struct decay_segment *segments = fit->segments;
    int n_all = fit->n_segments - 2, n = n_all;
    while (n > 0 && segments[n - 1].verdict == DECAY_DROPPED) {
        n--;
    }
    int first = n;
    double length = decay_fit_length(fit);
    double level = noise_level(segments, n);
    if (!isfinite(level)) {
        level = hum_level(segments, n, length);
    }
    if (isfinite(level)) {
        first = mark(segments, n, length, level);
    }
    return first < n ? first : n_all;
}
