/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured decays of which little is good: few samples, noise, hum, modes near to each other.
 */
#include "ringdown.h"

static const double two_pi = 6.28318530717958647692;

enum { MOST_SAMPLES = 12000 };

static double samples[2 * MOST_SAMPLES];
static char *names[] = {"a", "b"};

static unsigned long long state;

/* Nearly normal, of unit variance. */
static double noise(void)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum;
}

static double decay_of(double hz, double damping, double t)
{
    double omega = two_pi * hz;
    return exp(-damping * omega * t) * cos(omega * sqrt(1.0 - damping * damping) * t + 0.3);
}

static void analyse(struct decay *decay, int n, int n_channels, double rate,
                    const struct masing_record_shapes *shapes,
                    const struct masing_record_options *options)
{
    const struct masing_record record = {.n_samples = n,
                                         .n_channels = n_channels,
                                         .start = -3.0,
                                         .step = 1.0 / rate,
                                         .names = names,
                                         .samples = samples};
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    decay->status =
        masing_ringdown_record(&record, shapes, options, &sink, &decay->summary, &decay->error);
    decay_check(decay);
}

static double worst(const struct decay *decay, const char *name, double truth)
{
    double found = 0.0;
    for (int i = 0; i < decay->rows.n_rows; i++) {
        found = fmax(found, fabs(table_get(&decay->rows, i, name) / truth - 1.0));
    }
    return found;
}

static void an_exponential_does_not_bend(void)
{
    static const struct {
        double rate, damping;
        int n, n_rows;
    } cases[] = {{45, 0.01, 2700, 10}, {64, 0.02, 768, 14}, {64, 0.02, 769, 14}};
    for (int i = 0; i < 3; i++) {
        struct decay decay;
        for (int j = 0; j < cases[i].n; j++) {
            samples[j] = decay_of(10.0, cases[i].damping, j / cases[i].rate);
        }
        analyse(&decay, cases[i].n, 1, cases[i].rate, NULL, NULL);
        CHECK(decay.rows.n_rows >= cases[i].n_rows && decay.summary.modes[0].n_bent == 0);
        CHECK_RELATIVE(table_get(&decay.rows, 4, "damping_ratio"), cases[i].damping, 1e-6);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            if (table_get(&decay.rows, r, "amplitude") > 1e-5 / (two_pi * 10.0)) {
                CHECK_RELATIVE(table_get(&decay.rows, r, "damping_ratio"), cases[i].damping,
                               1e-3);
            }
        }
        decay_clear(&decay);
    }
}

/* exp(-0.63 t) against noise of 0.001: level at 11 s. */
static void noise_gives_no_rows(void)
{
    static const int rates[] = {41, 45, 50, 64, 200};
    static const int segments[] = {20, 40};
    int n_rows = 0, n_runs = tap_most(60, 10);
    for (int i = 0; i < n_runs; i++) {
        struct decay decay;
        int rate = rates[i % 5];
        const struct masing_record_options options = {.quantity = MASING_VELOCITY,
                                                      .segments = segments[i / 5 % 2]};
        state = (unsigned)i;
        for (int j = 0; j < 60 * rate; j++) {
            samples[j] = decay_of(10.0, 0.01, (double)j / rate) + 1e-3 * noise();
        }
        analyse(&decay, 60 * rate, 1, rate, NULL, &options);
        if (!CHECK(worst(&decay, "frequency_hz", 10.0) < 0.005 &&
                   worst(&decay, "damping_ratio", 0.01) < 0.3)) {
            printf("# run %d: frequency off by %g, damping by %g\n", i,
                   worst(&decay, "frequency_hz", 10.0), worst(&decay, "damping_ratio", 0.01));
        }
        CHECK(decay.summary.modes[0].noise_from > 1.0 &&
              decay.summary.modes[0].noise_from < 12.0);
        n_rows += decay.rows.n_rows;
        decay_clear(&decay);
    }
    CHECK(n_rows > 2 * n_runs);
}

/* Of amplitude: 0.3 of the noise's square lies in the band of 5 to 20 Hz with its flanks. */
static double in_band(double size)
{
    return size * sqrt(0.3);
}

/* Segments of ten times the noise besides those that are faded, 1 s at each end. */
static int count_large(double length, double size)
{
    int n_large = 0;
    for (int s = 1; s < 19; s++) {
        double middle = (s + 0.5) * length / 20.0, half = length / 40.0;
        bool is_whole = middle - half > 1.0 && middle + half < length - 1.0;
        n_large += is_whole && exp(-0.1 * two_pi * middle) > 10.0 * in_band(size);
    }
    return n_large;
}

/*
 * Rows are as near to the truth as noise in proportion to their amplitude lets them be (0.01
 * for that of their neighbours, as the fit is continuous); returns the number of large ones.
 */
static int check_rows(const struct decay *decay, double length, double size)
{
    int n_large = 0;
    for (int r = 0; r < decay->rows.n_rows; r++) {
        double amplitude = table_get(&decay->rows, r, "amplitude") * two_pi * 10.0;
        double rate = two_pi * 10.0 * (table_get(&decay->rows, r, "damping_ratio") - 0.01);
        double share = in_band(size) / amplitude;
        CHECK(share < 0.5);
        CHECK(fabs(rate) * length / 20.0 < 2.0 * share + 0.01);
        CHECK_RELATIVE(table_get(&decay->rows, r, "frequency_hz"), 10.0, 0.02);
        n_large += share < 0.1;
    }
    return n_large;
}

/* Wherever the noise sets in; one of many segments may bend by chance. */
static void segments_above_noise_stay(void)
{
    static const int lengths[] = {9, 11, 14, 16, 18, 20, 30, 60};
    int n_runs = tap_most(96, 32), n_missing = 0, n_expected = 0;
    for (int i = 0; i < n_runs; i++) {
        struct decay decay;
        int length = lengths[i % 8], n = 200 * length;
        double size = 1e-5 * pow(10.0, i / 8 % 4);
        state = 100u + (unsigned)i;
        for (int j = 0; j < n; j++) {
            samples[j] = decay_of(10.0, 0.01, j / 200.0) + size * noise();
        }
        analyse(&decay, n, 1, 200.0, NULL, NULL);
        int n_large = check_rows(&decay, length, size), n_there = count_large(length, size);
        double from = decay.summary.modes[0].noise_from + 3.0;
        CHECK(decay.rows.n_rows > 0 && n_large >= n_there - 2);
        CHECK(isnan(from) || exp(-0.1 * two_pi * from) < 20.0 * in_band(size));
        n_missing += n_large < n_there ? n_there - n_large : 0;
        n_expected += n_there;
        decay_clear(&decay);
    }
    printf("# %d segments above the noise, %d without a row\n", n_expected, n_missing);
    CHECK(30 * n_missing < n_expected);
}

/* A blow after 4 s, another one after 24 s: what is quiet before them hides neither. */
static void noise_before_a_decay_hides_nothing(void)
{
    struct decay decay;
    state = 9;
    for (int j = 0; j < 8000; j++) {
        double t = j / 200.0;
        samples[j] = 1e-3 * noise();
        samples[j] += t < 4.0    ? 0.0
                      : t < 24.0 ? decay_of(10.0, 0.01, t - 4.0)
                                 : decay_of(10.0, 0.01, t - 24.0);
    }
    analyse(&decay, 8000, 1, 200.0, NULL, NULL);
    int n_first = 0;
    for (int r = 0; r < decay.rows.n_rows; r++) {
        n_first += table_get(&decay.rows, r, "time") + 3.0 < 20.0;
    }
    CHECK(n_first >= 3 && decay.rows.n_rows >= n_first + 3);
    CHECK(worst(&decay, "damping_ratio", 0.01) < 0.2);
    CHECK(decay.summary.modes[0].noise_from + 3.0 > 30.0);
    decay_clear(&decay);
}

/* What is there before the decay and after it, in the mode's own band. */
static void ambient_motion_gives_no_rows(void)
{
    enum { N_LINES = 100, N = 6000 };
    struct decay decay;
    double hz[N_LINES], phase[N_LINES];
    state = 5;
    for (int k = 0; k < N_LINES; k++) {
        hz[k] = 8.0 + 4.0 * k / N_LINES + 0.01 * noise();
        phase[k] = 10.0 * noise();
    }
    for (int j = 0; j < N; j++) {
        double t = j / 100.0;
        samples[j] = decay_of(10.0, 0.01, t);
        for (int k = 0; k < N_LINES; k++) {
            samples[j] += 1.4e-4 * cos(two_pi * hz[k] * t + phase[k]);
        }
    }
    analyse(&decay, N, 1, 100.0, NULL, NULL);
    CHECK(decay.rows.n_rows >= 1 && worst(&decay, "frequency_hz", 10.0) < 1e-3);
    CHECK(worst(&decay, "damping_ratio", 0.01) < 0.03);
    CHECK(
        decay.summary.n_warnings > 0 &&
        strstr(decay.summary.warnings[decay.summary.n_warnings - 1], "s on the record shows"));
    decay_clear(&decay);
}

static void hum_is_no_decay(void)
{
    static const double hum_hz[] = {50.0, 33.0, 31.0}, level[] = {0.0, 1e-4};
    for (int i = 0; i < 6; i++) {
        struct decay decay;
        state = 7;
        for (int j = 0; j < 5000; j++) {
            double t = j / 250.0;
            samples[j] = decay_of(30.0, 0.01, t) + 1e-3 * cos(two_pi * hum_hz[i % 3] * t) +
                         level[i / 3] * noise();
        }
        analyse(&decay, 5000, 1, 250.0, NULL, NULL);
        CHECK(decay.rows.n_rows >= (i % 3 == 2 ? 0 : 1)); /* 31 Hz beats for too long */
        CHECK(worst(&decay, "frequency_hz", 30.0) < 1e-3);
        CHECK(worst(&decay, "damping_ratio", 0.01) < 0.03);
        CHECK(decay.summary.modes[0].noise_from < 2.0); /* the record begins at -3 s */
        decay_clear(&decay);
    }
}

/* A stuck joint leaves so little damping beside that of slipping as to look like hum. */
static void little_damping_is_no_hum(void)
{
    struct decay decay;
    for (int j = 0; j < 10000; j++) {
        double t = j / 500.0;
        samples[j] = decay_of(30.0, 0.02, t) + 1e-3 * decay_of(33.0, 1e-4, t);
    }
    analyse(&decay, 10000, 1, 500.0, NULL, NULL);
    CHECK(isnan(decay.summary.modes[0].noise_from) && decay.rows.n_rows > 10);
    CHECK_RELATIVE(table_get(&decay.rows, decay.rows.n_rows - 1, "damping_ratio"), 1e-4, 0.02);
    decay_clear(&decay);
}

/* Shapes 1, 1 and 1, -1, the second of which may be known wrongly. */
static void near_modes_are_parted_or_refused(void)
{
    static const double separations[] = {0.18, 0.095, 0.049, 0.03, 0.02, 0.005};
    static const double errors[] = {0.0, 1e-4, 1e-2}, damping[] = {0.002, 0.003};
    int n_rows = 0;
    for (int i = 0; i < 18; i++) {
        struct decay decay;
        double hz[] = {10.0, 10.0 * (1.0 + separations[i / 3])};
        double shapes[] = {1.0, 1.0 + errors[i % 3], 1.0, -1.0};
        const struct masing_record_shapes known = {.n_channels = 2,
                                                   .n_modes = 2,
                                                   .names = names,
                                                   .shapes = shapes,
                                                   .frequency_hz = hz};
        for (int j = 0; j < 3000; j++) {
            double q = decay_of(hz[0], damping[0], j / 100.0);
            double other = decay_of(hz[1], damping[1], j / 100.0 + 0.01);
            samples[j] = q + other;
            samples[3000 + j] = q - other;
        }
        analyse(&decay, 3000, 2, 100.0, &known, NULL);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            int k = (int)table_get(&decay.rows, r, "mode") - 1;
            const struct masing_ringdown_mode *mode = &decay.summary.modes[k];
            double ratio = table_get(&decay.rows, r, "damping_ratio") / damping[k];
            if (!CHECK(fabs(ratio - 1.0) < fmax(1e-3, mode->crowding))) {
                printf("# case %d mode %d row %d: off by %.3g, crowding %.3g\n", i, k + 1, r,
                       ratio - 1.0, mode->crowding);
            }
        }
        for (int k = 0; k < 2; k++) {
            const struct masing_ringdown_mode *mode = &decay.summary.modes[k];
            CHECK(mode->n_rows > 0 ||
                  (mode->n_crowded > 0 && mode->parted_by > 30.0 && mode->crowded_by == 2 - k));
        }
        n_rows += decay.rows.n_rows;
        decay_clear(&decay);
    }
    CHECK(n_rows > 250);
}

static void times_may_be_negative(void)
{
    static const struct {
        struct masing_record_options options;
        double first, last; /* s, rows within these */
    } cases[] = {{{.quantity = MASING_VELOCITY}, -1.0, 16.0},
                 {{.has_to = true, .to = 0.0}, -2.9, -0.1},
                 {{.has_from = true, .from = -1.0, .has_to = true, .to = 5.0}, -0.6, 4.6},
                 {{.has_from = true, .from = 0.0}, 1.0, 16.0}};
    for (int i = 0; i < 4; i++) {
        struct decay decay;
        for (int j = 0; j < 4000; j++) {
            samples[j] = decay_of(30.0, 0.001, j / 200.0);
        }
        analyse(&decay, 4000, 1, 200.0, NULL, &cases[i].options);
        if (!CHECK(decay.rows.n_rows >= 12)) {
            decay_clear(&decay);
            continue;
        }
        CHECK(table_get(&decay.rows, 0, "time") < cases[i].first + 1.0);
        CHECK(table_get(&decay.rows, decay.rows.n_rows - 1, "time") < cases[i].last);
        CHECK(table_get(&decay.rows, decay.rows.n_rows - 1, "time") > cases[i].last - 1.5);
        decay_clear(&decay);
    }
}

static const struct tap_test tests[] = {
    {"an exponential does not bend", an_exponential_does_not_bend},
    {"noise gives no rows", noise_gives_no_rows},
    {"segments above noise stay", segments_above_noise_stay},
    {"noise before a decay hides nothing", noise_before_a_decay_hides_nothing},
    {"ambient motion gives no rows", ambient_motion_gives_no_rows},
    {"hum is no decay", hum_is_no_decay},
    {"little damping is no hum", little_damping_is_no_hum},
    {"near modes are parted or refused", near_modes_are_parted_or_refused},
    {"times may be negative", times_may_be_negative},
};

TAP_MAIN(tests)
