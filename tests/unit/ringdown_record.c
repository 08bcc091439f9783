/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured decays: signals that are known in closed form, and bad records. */
#include <unistd.h>

#include "ringdown.h"
#include "scratch.h"

enum { N = 20000, N_CHANNELS = 3 };

static const double two_pi = 6.28318530717958647692, step = 0.001;

/* Two modes at 20 and 33 Hz, the shapes at three channels. */
static double shapes[2 * N_CHANNELS] = {1.0, 0.5, -0.2, 0.3, -1.0, 0.8};
static double mode_hz[2] = {20.0, 33.0};

static char *channel_names[N_CHANNELS] = {"a", "b", "c"};

static const struct masing_record_shapes known = {
    .n_channels = N_CHANNELS,
    .n_modes = 2,
    .names = channel_names,
    .shapes = shapes,
    .frequency_hz = mode_hz,
};

/* Amplitudes of the modes' displacements now. */
static void amplitudes(double t, double a[2])
{
    a[0] = 0.01 * exp(-0.3 * t);
    a[1] = 0.002 * exp(-0.5 * t);
}

/* The k-th derivative of the modes' motion, as if rates were small: exact for the signal. */
static void fill(double *samples, const double size[2], double noise)
{
    unsigned seed = 1;
    for (int i = 0; i < N; i++) {
        double t = i * step, a[2], q[2];
        amplitudes(t, a);
        for (int k = 0; k < 2; k++) {
            q[k] = size[k] * a[k] * cos(two_pi * mode_hz[k] * t + 0.3 * k);
        }
        for (int c = 0; c < N_CHANNELS; c++) {
            seed = seed * 1664525u + 1013904223u;
            double random = seed / 4294967296.0 - 0.5;
            samples[c * N + i] =
                shapes[c] * q[0] + shapes[N_CHANNELS + c] * q[1] + noise * random;
        }
    }
}

static struct masing_record record_of(double *samples, int n_channels)
{
    return (struct masing_record){.n_samples = N,
                                  .n_channels = n_channels,
                                  .start = 5.0,
                                  .step = step,
                                  .names = channel_names,
                                  .samples = samples};
}

static void run_options(struct decay *decay, const struct masing_record *record,
                        const struct masing_record_shapes *with,
                        const struct masing_record_options *options)
{
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    decay->status =
        masing_ringdown_record(record, with, options, &sink, &decay->summary, &decay->error);
}

static void run(struct decay *decay, const struct masing_record *record,
                const struct masing_record_shapes *with, enum masing_quantity quantity)
{
    const struct masing_record_options options = {.quantity = quantity};
    run_options(decay, record, with, &options);
}

static void check_rows(const struct decay *decay, int mode, double scale, double frequency,
                       double damping)
{
    for (int r = 0; r < decay->rows.n_rows; r++) {
        double a[2], rate[2] = {0.3, 0.5}, w = two_pi * mode_hz[mode];
        if (table_get(&decay->rows, r, "mode") != mode + 1) {
            continue;
        }
        amplitudes(table_get(&decay->rows, r, "time") - 5.0, a);
        CHECK_RELATIVE(table_get(&decay->rows, r, "frequency_hz"), mode_hz[mode], frequency);
        CHECK_RELATIVE(table_get(&decay->rows, r, "damping_ratio"),
                       rate[mode] / hypot(w, rate[mode]), damping);
        CHECK_RELATIVE(table_get(&decay->rows, r, "amplitude"), a[mode] * scale, 1e-3);
    }
}

static void two_modes_at_three_channels(void)
{
    static double samples[N_CHANNELS * N];
    const double both[2] = {1.0, 1.0};
    struct masing_record record = record_of(samples, N_CHANNELS);
    struct decay decay;
    fill(samples, both, 0.0);
    run(&decay, &record, &known, MASING_DISPLACEMENT);
    decay_check(&decay);
    CHECK(decay.rows.n_rows == 36);
    check_rows(&decay, 0, 1.0, 1e-6, 1e-4);
    check_rows(&decay, 1, 1.0, 1e-6, 1e-4);
    decay_clear(&decay);
    /* taken for velocities and accelerations, displacements are smaller by omega, omega^2 */
    run(&decay, &record, &known, MASING_VELOCITY);
    check_rows(&decay, 0, 1.0 / (two_pi * 20.0), 1e-6, 1e-4);
    decay_clear(&decay);
    run(&decay, &record, &known, MASING_ACCELERATION);
    check_rows(&decay, 1, 1.0 / (two_pi * 33.0 * two_pi * 33.0), 1e-6, 1e-4);
    decay_clear(&decay);
}

static void one_channel_and_known_frequencies(void)
{
    static double samples[N_CHANNELS * N];
    const double both[2] = {1.0, 10.0};
    struct masing_record record = record_of(samples, 1);
    double first[2] = {shapes[0], shapes[N_CHANNELS]};
    const struct masing_record_shapes at_one = {.n_channels = 1,
                                                .n_modes = 2,
                                                .names = channel_names,
                                                .shapes = first,
                                                .frequency_hz = mode_hz};
    struct decay decay;
    fill(samples, both, 0.0);
    run(&decay, &record, &at_one, MASING_DISPLACEMENT);
    decay_check(&decay);
    CHECK(decay.rows.n_rows == 36);
    check_rows(&decay, 0, 1.0, 1e-6, 1e-3);
    check_rows(&decay, 1, 10.0, 1e-6, 1e-3);
    decay_clear(&decay);
    /* nothing known: the larger motion is found */
    run(&decay, &record, NULL, MASING_DISPLACEMENT);
    decay_check(&decay);
    CHECK(decay.rows.n_rows == 18);
    CHECK_RELATIVE(table_get(&decay.rows, 9, "frequency_hz"), 20.0, 1e-3);
    decay_clear(&decay);
}

/* Noise hides the smaller mode when it has decayed; what is left is near the truth. */
static void noise_is_left_out(void)
{
    static double samples[N_CHANNELS * N];
    const double both[2] = {1.0, 1.0};
    struct masing_record record = record_of(samples, N_CHANNELS);
    struct decay decay;
    fill(samples, both, 1e-4);
    run(&decay, &record, &known, MASING_DISPLACEMENT);
    decay_check(&decay);
    const struct masing_ringdown_mode *mode = &decay.summary.modes[1];
    printf("# mode 2 before noise hides it: %d of 18 segments\n", mode->n_rows);
    CHECK(mode->n_rows > 3 && mode->n_noisy > 3);
    CHECK(mode->noise_from > 5.0 + 4.0 && mode->noise_from < 5.0 + 12.0);
    CHECK_RELATIVE(mode->frequency_to, 33.0, 1e-3);
    CHECK_RELATIVE(decay.summary.modes[0].frequency_to, 20.0, 1e-4);
    decay_clear(&decay);
}

/* The shape is wrong, so that the coordinate of a mode holds more of another one. */
static void another_mode_overshadows(void)
{
    static double samples[N_CHANNELS * N];
    const double only_first[2] = {1.0, 0.0};
    struct masing_record record = record_of(samples, N_CHANNELS);
    double wrong[2 * N_CHANNELS] = {0.0, 0.5, -0.2, 0.3, -1.0, 0.8};
    struct masing_record_shapes taken = known;
    struct decay decay;
    taken.shapes = wrong;
    fill(samples, only_first, 0.0);
    run(&decay, &record, &taken, MASING_DISPLACEMENT);
    decay_check(&decay);
    CHECK(decay.summary.modes[1].n_rows == 0 && decay.summary.modes[1].n_overshadowed == 18);
    CHECK(decay.summary.n_warnings == 1 &&
          strstr(decay.summary.warnings[0], "mode 2: in every segment other motions"));
    decay_clear(&decay);
}

/* --- bad records -----------------------------------------------------------------------------
 */

static void expect_refused(const struct masing_record *record,
                           const struct masing_record_shapes *with,
                           const struct masing_record_options *options, const char *message)
{
    struct decay decay = {0};
    decay.status =
        masing_ringdown_record(record, with, options, NULL, &decay.summary, &decay.error);
    if (!CHECK(decay.status == MASING_INVALID && strstr(decay.error.message, message))) {
        printf("# '%s' instead of '%s'\n", decay.error.message, message);
    }
    decay_clear(&decay);
}

static void what_cannot_be_analysed_is_refused(void)
{
    static double samples[N_CHANNELS * N];
    const double both[2] = {1.0, 1.0};
    struct masing_record record = record_of(samples, N_CHANNELS);
    struct masing_record_options options = {0};
    const int third[] = {3};
    expect_refused(&record, NULL, NULL, "mode 1 does not move in the record");
    fill(samples, both, 0.0);
    options.segments = 2;
    expect_refused(&record, &known, &options, "2 segments: expected at least 3");
    options.segments = 500;
    expect_refused(&record, &known, &options, "each of 500 segments has 0.8");
    options = (struct masing_record_options){.has_from = true, .from = 24.99};
    expect_refused(&record, &known, &options, "fewer than 64 samples");
    options = (struct masing_record_options){.has_from = true, .from = 100.0};
    expect_refused(&record, &known, &options, "the record goes from 5 s to 24.999 s");
    options = (struct masing_record_options){.n_modes = 1, .modes = third};
    expect_refused(&record, &known, &options, "mode 3 of the record: expected 1 to 2");
    double alike[2 * N_CHANNELS] = {1.0, 0.5, -0.2, 2.0, 1.0, -0.4};
    struct masing_record_shapes taken = known;
    taken.shapes = alike;
    expect_refused(&record, &taken, NULL, "cannot be told apart");
    taken = known;
    record.n_channels = 2;
    expect_refused(&record, &taken, NULL, "the record has no channel 'c'");
}

static void expect_unreadable(const char *text, const char *message)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_record record;
    struct masing_record_shapes read;
    struct masing_error error = {0};
    bool are_shapes = strncmp(text, "channel", 7) == 0;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.csv", folder);
    FILE *stream = fopen(file, "w");
    fputs(text, stream);
    fclose(stream);
    enum masing_status status = are_shapes ? masing_record_shapes_read(file, &read, &error)
                                           : masing_record_read(file, &record, &error);
    if (!CHECK(status == MASING_INVALID && strstr(error.message, message))) {
        printf("# '%s' instead of '%s'\n", error.message, message);
    }
    if (are_shapes) {
        masing_record_shapes_clear(&read);
    } else {
        masing_record_clear(&record);
    }
    remove(file);
    rmdir(folder);
}

static void bad_files_are_refused(void)
{
    char text[4096] = "time,a\n";
    expect_unreadable("u,a\n0,1\n", "expected the column 'time'");
    expect_unreadable("time\n0\n", "at least one channel");
    expect_unreadable("time,a,a\n", "column 'a' stands here twice");
    expect_unreadable("time,,a\n", "a column without a name");
    expect_unreadable("time,a\n0,1\n0.1,2\n", "at least 64 rows, found 2");
    expect_unreadable("time,a\n0,1\n0.1\n", "expected 2 fields");
    expect_unreadable("time,a\n0,1\n0.1,inf\n", "not a number");
    for (int i = 0; i < 70; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%g,1\n",
                 i == 40 ? 39.5 : (double)i);
    }
    expect_unreadable(text, "where equal steps of 1 s would place it");
    expect_unreadable("channel\na\n", "expected the columns channel, mode1");
    expect_unreadable("channel,mode1,mode3\na,1,1\n", "'mode2' is missing");
    expect_unreadable("channel,mode1\na,1\na,2\n", "channel 'a' stands here twice");
    expect_unreadable("channel,mode1\nfrequency_hz,0\na,2\n", "expected a number > 0");
}

struct patience {
    int n_asked, most;
};

static bool is_cancelled(void *context)
{
    struct patience *patience = context;
    return ++patience->n_asked > patience->most;
}

/* However early the user wants an end: rows of the modes before are there, and no others. */
static void an_end_keeps_the_modes_before(void)
{
    double *samples = calloc(N_CHANNELS * N, sizeof *samples);
    const struct masing_record record = record_of(samples, N_CHANNELS);
    struct decay whole, part;
    int n_stopped = 0, n_with_rows = 0;
    fill(samples, (const double[]){1.0, 1.0}, 1e-4);
    run(&whole, &record, &known, MASING_DISPLACEMENT);
    for (int most = 0; most < 100; most++) {
        struct patience patience = {.most = most};
        const struct masing_progress progress = {.context = &patience,
                                                 .is_cancelled = is_cancelled};
        const struct masing_record_options options = {.quantity = MASING_DISPLACEMENT,
                                                      .progress = &progress};
        run_options(&part, &record, &known, &options);
        if (part.status == MASING_OK) {
            decay_clear(&part);
            break;
        }
        int n_first = part.summary.n_modes > 0 ? part.summary.modes[0].n_rows : 0;
        CHECK(part.status == MASING_STOPPED && !part.summary.is_complete);
        CHECK(strcmp(part.summary.reason, "interrupted") == 0);
        CHECK(part.rows.n_rows == n_first);
        CHECK(n_first == 0 || n_first == whole.summary.modes[0].n_rows);
        n_stopped++;
        n_with_rows += n_first > 0;
        decay_clear(&part);
    }
    CHECK(n_stopped > 2 && n_stopped < 100);
    CHECK(n_with_rows > 0);
    decay_clear(&whole);
    free(samples);
}

static const struct tap_test tests[] = {
    {"two modes at three channels", two_modes_at_three_channels},
    {"one channel and known frequencies", one_channel_and_known_frequencies},
    {"noise is left out", noise_is_left_out},
    {"another mode overshadows", another_mode_overshadows},
    {"what cannot be analysed is refused", what_cannot_be_analysed_is_refused},
    {"bad files are refused", bad_files_are_refused},
    {"an end keeps the modes before", an_end_keeps_the_modes_before},
};

TAP_MAIN(tests)
