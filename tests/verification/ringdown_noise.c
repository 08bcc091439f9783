/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured decays of two near modes with exact shapes under noise: values of the record, and
 * how often the 95 % intervals hold the truth. The decays are closed forms.
 */
#include <stdint.h>

#include "ringdown.h"

enum { N_CHANNELS = 3, N_MODES = 2, RATE = 500, SECONDS = 20, N = RATE * SECONDS + 1 };

static const double two_pi = 6.28318530717958647692;
static const double truth_hz[N_MODES] = {20.0, 20.8}, truth_damping[N_MODES] = {0.004, 0.006};

static char *names[N_CHANNELS] = {"a", "b", "c"};
static double shapes[N_MODES * N_CHANNELS] = {1.0, 0.8, 0.3, 0.6, -1.0, 0.9};
static double clean[N_CHANNELS * N], samples[N_CHANNELS * N];

/* Marsaglia's polar method over a linear congruential generator. */
static double normal(uint64_t *state)
{
    static double kept;
    static int has_kept;
    double u, v, s;
    if (has_kept) {
        has_kept = 0;
        return kept;
    }
    do {
        *state = *state * 6364136223846793005ull + 1442695040888963407ull;
        u = 2.0 * (double)(*state >> 11) / 9007199254740992.0 - 1.0;
        *state = *state * 6364136223846793005ull + 1442695040888963407ull;
        v = 2.0 * (double)(*state >> 11) / 9007199254740992.0 - 1.0;
        s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    double factor = sqrt(-2.0 * log(s) / s);
    kept = v * factor;
    has_kept = 1;
    return u * factor;
}

/* Frequencies of the damped motion, Hz. */
static double damped_hz(int k)
{
    return truth_hz[k] * sqrt(1.0 - truth_damping[k] * truth_damping[k]);
}

static double make_clean(void)
{
    double largest = 0.0;
    for (int i = 0; i < N; i++) {
        double t = (double)i / RATE, q[N_MODES];
        for (int k = 0; k < N_MODES; k++) {
            q[k] = exp(-truth_damping[k] * two_pi * truth_hz[k] * t) *
                   cos(two_pi * damped_hz(k) * t + 0.7 * k);
        }
        for (int c = 0; c < N_CHANNELS; c++) {
            clean[c * N + i] = shapes[c] * q[0] + shapes[N_CHANNELS + c] * q[1];
            largest = fmax(largest, fabs(clean[c * N + i]));
        }
    }
    return largest;
}

static void analyse(struct decay *decay)
{
    static double hz[N_MODES];
    const struct masing_record_shapes known = {.n_channels = N_CHANNELS,
                                               .n_modes = N_MODES,
                                               .names = names,
                                               .shapes = shapes,
                                               .frequency_hz = hz};
    const struct masing_record record = {.n_samples = N,
                                         .n_channels = N_CHANNELS,
                                         .step = 1.0 / RATE,
                                         .names = names,
                                         .samples = samples};
    const struct masing_record_options options = {.quantity = MASING_DISPLACEMENT};
    memcpy(hz, truth_hz, sizeof hz);
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    decay->status = masing_ringdown_record(&record, &known, &options, &sink, &decay->summary,
                                           &decay->error);
    decay_check(decay);
}

static void without_noise_both_are_exact(void)
{
    struct decay decay;
    make_clean();
    memcpy(samples, clean, sizeof samples);
    analyse(&decay);
    CHECK(decay.rows.n_rows > 30);
    for (int r = 0; r < decay.rows.n_rows; r++) {
        int k = (int)table_get(&decay.rows, r, "mode") - 1;
        CHECK_RELATIVE(table_get(&decay.rows, r, "frequency_hz"), damped_hz(k), 1e-4);
        CHECK_RELATIVE(table_get(&decay.rows, r, "damping_ratio"), truth_damping[k], 0.01);
    }
    for (int k = 0; k < N_MODES; k++) {
        CHECK_RELATIVE(decay.summary.modes[k].record_frequency, damped_hz(k), 1e-7);
        CHECK_RELATIVE(decay.summary.modes[k].record_damping, truth_damping[k], 1e-5);
    }
    decay_clear(&decay);
}

/* Values, and how many of them lie in their intervals. */
struct coverage {
    long n, n_inside;
};

static void count(struct coverage *coverage, double value, double truth, double interval)
{
    coverage->n++;
    coverage->n_inside += fabs(value - truth) <= interval;
}

/* Of n values 95 % within four standard deviations of their number. */
static void check_coverage(const char *what, const struct coverage *c, double bias)
{
    double share = (double)c->n_inside / (double)c->n;
    double deviation = sqrt(0.95 * 0.05 / (double)c->n);
    printf("# %s: %ld of %ld in their intervals, %.2f %%\n", what, c->n_inside, c->n,
           100.0 * share);
    CHECK(c->n > 100);
    CHECK(fabs(share - 0.95) < 4.0 * deviation + bias);
}

static void intervals_hold_what_they_say(void)
{
    /* rows of one noise are not independent, and some are left out by what they show */
    const double correlated = 0.01;
    struct coverage hz = {0}, damping = {0}, record_hz = {0}, record_damping = {0};
    double worst_hz = 0.0, worst_damping = 0.0, largest = make_clean();
    uint64_t state = 20260714;
    int n_noises = tap_most(400, 100), n_empty = 0;
    for (int noise = 0; noise < n_noises; noise++) {
        struct decay decay;
        for (int i = 0; i < N_CHANNELS * N; i++) {
            samples[i] = clean[i] + 0.02 * largest * normal(&state);
        }
        analyse(&decay);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            int k = (int)table_get(&decay.rows, r, "mode") - 1;
            count(&hz, table_get(&decay.rows, r, "frequency_hz"), damped_hz(k),
                  table_get(&decay.rows, r, "frequency_interval_hz"));
            count(&damping, table_get(&decay.rows, r, "damping_ratio"), truth_damping[k],
                  table_get(&decay.rows, r, "damping_interval"));
        }
        for (int k = 0; k < N_MODES; k++) {
            const struct masing_ringdown_mode *mode = &decay.summary.modes[k];
            n_empty += mode->n_rows == 0;
            if (isnan(mode->record_damping)) {
                continue;
            }
            count(&record_hz, mode->record_frequency, damped_hz(k),
                  mode->record_frequency_interval);
            count(&record_damping, mode->record_damping, truth_damping[k],
                  mode->record_damping_interval);
            worst_hz = fmax(worst_hz, fabs(mode->record_frequency / damped_hz(k) - 1.0));
            worst_damping =
                fmax(worst_damping, fabs(mode->record_damping / truth_damping[k] - 1.0));
        }
        decay_clear(&decay);
    }
    printf("# %d noises, %d modes without rows; over the record frequency within %.2g %%, "
           "damping within %.2g %%\n",
           n_noises, n_empty, 100.0 * worst_hz, 100.0 * worst_damping);
    check_coverage("frequencies of rows", &hz, correlated);
    check_coverage("damping ratios of rows", &damping, correlated);
    check_coverage("frequencies of records", &record_hz, 0.0);
    check_coverage("damping ratios of records", &record_damping, 0.0);
    CHECK(n_empty <= 2 && worst_hz < 2e-4 && worst_damping < 0.02);
}

static const struct tap_test tests[] = {
    {"without noise both are exact", without_noise_both_are_exact},
    {"intervals hold what they say", intervals_hold_what_they_say},
};

TAP_MAIN(tests)
