/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free decays: a linear oscillator, Lacayo's three masses against another integration and
 * against shooting, the bolted beams.
 */
#include "ringdown.h"

static const double two_pi = 6.28318530717958647692;

static struct masing_model *model_of(const char *text)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    return model;
}

static void decay_text(struct decay *decay, const char *text,
                       const struct masing_ringdown_options *options)
{
    struct masing_model *model = model_of(text);
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    decay->status = masing_ringdown(model, options, &sink, &decay->summary, &decay->error);
    decay_check(decay);
    masing_model_destroy(model);
}

static double get(const struct decay *decay, int row, const char *name)
{
    return table_get(&decay->rows, row, name);
}

/* --- linear: a e^(-zeta omega t), with few steps in a period --------------------------------
 */

static void a_linear_decay_is_exact(void)
{
    static const char text[] = "masing: 1\n"
                               "structure: {masses: {a: 2}, springs: [{from: ground, to: a, "
                               "stiffness: 200}], damping: {modal_ratio: 0.004}}\n"
                               "frequency: [1, 2]\noutputs: [a]\n"
                               "ringdown: {initial: {displacements: {a: 3}}, step: 0.05, "
                               "steps: 4000}\n";
    const struct masing_ringdown_options as_is = {.keeps_period_error = true};
    struct decay decay;
    decay_text(&decay, text, NULL);
    CHECK(decay.rows.n_rows >= 16);
    for (int i = 0; i < decay.rows.n_rows; i++) {
        /* modal coordinate: sqrt(2) times the displacement; |lambda| = omega = 10 */
        double t = get(&decay, i, "time"), damped = 10.0 * sqrt(1.0 - 0.004 * 0.004);
        double amplitude = 3.0 * sqrt(2.0) / sqrt(1.0 - 0.004 * 0.004) * exp(-0.04 * t);
        CHECK_RELATIVE(get(&decay, i, "frequency_hz"), damped / two_pi, 1e-8);
        CHECK_RELATIVE(get(&decay, i, "damping_ratio"), 0.004, 1e-5);
        /* the steps' own rate differs by (omega h)^2/4 from the true one */
        CHECK_RELATIVE(get(&decay, i, "amplitude"),
                       amplitude * exp(0.04 * t * (1.0 - 1.0 / (1.0 + 0.0625))), 1e-4);
    }
    decay_clear(&decay);
    decay_text(&decay, text, &as_is);
    CHECK_RELATIVE(get(&decay, 9, "frequency_hz"), 2.0 / 0.05 * atan(0.25) / two_pi, 1e-5);
    decay_clear(&decay);
}

/* --- three masses ---------------------------------------------------------------------------
 */

/* Excited with the shape of a mode: which run of the reference, and how large the impulse is.
 */
struct selective {
    const char *mode, *impulse, *step, *steps;
    int sim;
    double omega_tolerance, zeta_tolerance; /* against shooting */
};

static void decay_selective(struct decay *decay, const struct selective *run, bool is_as_it_is)
{
    const struct masing_override overrides[] = {
        {"ringdown.impulse.mode", run->mode}, {"ringdown.impulse.amplitude", run->impulse},
        {"ringdown.impulse.shape", "stuck"},  {"ringdown.step", run->step},
        {"ringdown.steps", run->steps},       {"ringdown.segments", "20"},
    };
    const struct masing_ringdown_options options = {.keeps_period_error = is_as_it_is};
    decay_example(decay, "three_masses_iwan.yaml", overrides, 6, &options);
}

/* Mode 2 with the table of examples/ for the joint. */
static void decay_of_sliders(struct decay *decay, const char *impulse)
{
    char text[5000];
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(text, sizeof text,
             "masing: 1\n"
             "structure:\n"
             "  masses: {m1: 10, m2: 10, m3: 10}\n"
             "  springs: [{from: ground, to: m1, stiffness: 9},\n"
             "    {from: m1, to: m2, stiffness: 9}, {from: m2, to: m3, stiffness: 9}]\n"
             "  damping: {modal_ratio: 1.0e-4, modes: stuck}\n"
             "joints: [{name: joint, law: backbone_table, from: m2, to: m3,\n"
             "  file: \"%s/examples/iwan_200_sliders.csv\"}]\n"
             "frequency: [0.18, 0.2]\n"
             "outputs: [m1]\n"
             "ringdown: {impulse: {mode: 2, amplitude: %s}, step: 0.04, steps: 100000}\n",
             root ? root : ".", impulse);
    decay_text(decay, text, NULL);
}

struct reference_row {
    double mode, amplitude, omega, zeta, omega_decay, zeta_decay, zeta_sliders;
    int sim;
};

/* The next row of the reference that belongs to a run. */
static bool next_row(FILE *file, int sim, struct reference_row *row)
{
    char line[1024];
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%d,%*f,%*f,%*f,%lf", &row->mode,
                   &row->amplitude, &row->omega, &row->zeta, &row->omega_decay,
                   &row->zeta_decay, &row->sim, &row->zeta_sliders) == 8 &&
            row->sim == sim) {
            return true;
        }
    }
    return false;
}

/* Shooting on the same equations (omega, zeta), whose period has no error of time steps. */
static void microslip_agrees_with_shooting(void)
{
    static const struct selective runs[] = {
        {"2", "0.04", "0.04", "100000", 18, 1e-7, 1e-4},
        {"2", "0.8", "0.04", "100000", 16, 1e-7, 1e-3},
        {"2", "9", "0.04", "100000", 14, 1e-6, 1e-3},
        {"1", "10", "0.08", "50000", 7, 1e-7, 1e-3},
        {"1", "1", "0.08", "50000", 9, 1e-7, 1e-3},
    };
    int n = tap_most(5, 1), n_rows = 0;
    for (int i = 0; i < n; i++) {
        struct decay decay;
        struct reference_row row;
        FILE *file = open_reference("three_mass_ringdown.csv");
        decay_selective(&decay, &runs[i], false);
        while (next_row(file, runs[i].sim, &row)) {
            double omega = two_pi * decay_at(&decay, "frequency_hz", row.amplitude);
            double zeta = decay_at(&decay, "damping_ratio", row.amplitude);
            n_rows++;
            CHECK_RELATIVE(omega, row.omega, runs[i].omega_tolerance);
            CHECK_RELATIVE(zeta, row.zeta, runs[i].zeta_tolerance);
        }
        CHECK(decay.summary.modes[0].n_overshadowed == 0);
        if (file) {
            fclose(file);
        }
        decay_clear(&decay);
    }
    CHECK(n_rows >= (n > 1 ? 4 : 1));
}

/* As published programs follow the joint, by 200 sliders, here as the corners of a backbone:
 * their decay is met, and how far it is off from the closed form. */
static void two_hundred_sliders_are_off(void)
{
    static const char *const impulses[] = {"0.04", "0.8"};
    static const int sims[] = {18, 16};
    static const double off[] = {-0.157, 0.151};
    int n = tap_most(2, 0);
    for (int i = 0; i < n; i++) {
        struct decay decay;
        struct reference_row row = {0};
        FILE *file = open_reference("three_mass_ringdown.csv");
        decay_of_sliders(&decay, impulses[i]);
        if (CHECK(next_row(file, sims[i], &row))) {
            double zeta = decay_at(&decay, "damping_ratio", row.amplitude);
            CHECK_RELATIVE(zeta, row.zeta_sliders, 1e-3);
            CHECK_SCALED(zeta / row.zeta - 1.0, off[i], 1.0, 2e-3);
        }
        fclose(file);
        decay_clear(&decay);
    }
    CHECK(n == tap_most(2, 0));
}

/* The same time steps by another program, their error left in. */
static void the_same_steps_give_the_same_decay(void)
{
    static const struct selective runs[] = {
        {"2", "0.2", "0.02", "200000", 17, 0, 0},
    };
    int n = tap_most(1, 0);
    for (int i = 0; i < n; i++) {
        struct decay decay;
        struct reference_row row = {0};
        FILE *file = open_reference("three_mass_ringdown.csv");
        decay_selective(&decay, &runs[i], true);
        if (CHECK(next_row(file, runs[i].sim, &row))) {
            double omega = two_pi * decay_at(&decay, "frequency_hz", row.amplitude);
            CHECK_RELATIVE(omega, row.omega_decay, 2e-7);
            CHECK_RELATIVE(decay_at(&decay, "damping_ratio", row.amplitude), row.zeta_decay,
                           2e-4);
        }
        fclose(file);
        decay_clear(&decay);
    }
    CHECK(n == tap_most(1, 0));
}

/* From full slip to microslip: the frequencies of both ends, damping that peaks in between. */
static void macroslip_goes_over_into_microslip(void)
{
    const double amplitudes[] = {200.0, 3400.0};
    const struct masing_override overrides[] = {{"ringdown.impulse.shape", "free"}};
    const struct masing_ringdown_options options = {.n_amplitudes = 2,
                                                    .amplitudes = amplitudes};
    struct decay decay;
    decay_example(&decay, "three_masses_iwan.yaml", overrides, 1, &options);
    const struct masing_ringdown_mode *mode = &decay.summary.modes[0];
    CHECK(mode->n_rows == decay.rows.n_rows && mode->n_rows > 105);
    CHECK_RELATIVE(mode->stuck_damping, 1e-4, 1e-9);
    CHECK_RELATIVE(mode->frequency_to, mode->free_hz, 1e-4);
    CHECK(mode->frequency_from > mode->free_hz && mode->frequency_from < mode->stuck_hz);
    CHECK(mode->damping_most > 5e-3 && mode->damping_most_at > 41 &&
          mode->damping_most_at < 200);
    CHECK(get(&decay, 0, "impulse") == 200.0);
    CHECK(get(&decay, decay.rows.n_rows - 1, "impulse") == 3400.0);
    decay_clear(&decay);
}

/* Damping of mode 2 by shooting, at an amplitude; NAN outside. */
static double shot_damping(double amplitude)
{
    FILE *file = open_reference("three_mass_mode2.csv");
    char line[1024];
    double before[2] = {NAN, NAN}, found = NAN;
    while (file && isnan(found) && fgets(line, sizeof line, file)) {
        double a, zeta;
        if (sscanf(line, "%*f,%*f,%lf,%*f,%*f,%lf", &a, &zeta) == 2) {
            if (a >= amplitude && before[0] <= amplitude) {
                double share = log(amplitude / before[0]) / log(a / before[0]);
                found = before[1] * pow(zeta / before[1], share);
            }
            before[0] = a;
            before[1] = zeta;
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* Damping has a kink at the onset of full slip, 41.3: the segment that it falls into gives no
 * row, and those beside it are not drawn to it. */
static void the_onset_of_slip_spoils_no_row(void)
{
    static const char *const segments[] = {"20", "60"}, *const impulses[] = {"100", "200"};
    for (int i = 0; i < tap_most(4, 1); i++) {
        struct decay decay;
        const struct masing_override overrides[] = {
            {"ringdown.impulse.amplitude", impulses[i / 2]},
            {"ringdown.impulse.shape", "free"},
            {"ringdown.segments", segments[i % 2]}};
        decay_example(&decay, "three_masses_iwan.yaml", overrides, 3, NULL);
        CHECK(decay.rows.n_rows >= 17);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            CHECK_RELATIVE(get(&decay, r, "damping_ratio"),
                           shot_damping(get(&decay, r, "amplitude")), 0.025);
        }
        decay_clear(&decay);
    }
}

/* --- bolted beams ----------------------------------------------------------------------------
 */

static void decay_of_beams(const char *amplitude, const char *shape, const char *steps,
                           struct decay *decay)
{
    const struct masing_override overrides[] = {{"ringdown.impulse.amplitude", amplitude},
                                                {"ringdown.impulse.shape", shape},
                                                {"ringdown.steps", steps},
                                                {"ringdown.segments", "24"}};
    decay_example(decay, "bolted_beams.yaml", overrides, 4, NULL);
}

/* Small motions are the linear mode, large ones nearly that of the beams without the joints. */
static void bolted_beams_from_micro_to_macroslip(void)
{
    struct decay small, large;
    decay_of_beams("1e-3", "stuck", "21000", &small);
    const struct masing_ringdown_mode *mode = &small.summary.modes[0];
    CHECK_RELATIVE(two_pi * mode->stuck_hz, 761.322, 1e-6);
    CHECK_RELATIVE(two_pi * mode->free_hz, 652.507, 1e-6);
    CHECK(mode->frequency_from < mode->stuck_hz);
    CHECK(mode->frequency_from > 0.9998 * mode->stuck_hz);
    CHECK_RELATIVE(mode->damping_from, 1.06e-4, 0.02);
    decay_clear(&small);
    if (tap_most(1, 0)) {
        decay_of_beams("300", "free", "21000", &large);
        mode = &large.summary.modes[0];
        CHECK_RELATIVE(mode->frequency_to, mode->free_hz, 1e-3);
        CHECK(mode->damping_most > 8e-3 && mode->amplitude_to > 5 * mode->amplitude_from);
        decay_clear(&large);
    }
}

/* Several modes decay together for so long that the joints' memory forgets loops, and a force
 * jumps where one of these is passed. */
static void a_long_decay_of_several_modes_ends(void)
{
    struct decay decay;
    decay_of_beams("100", "stuck", "40000", &decay);
    CHECK(decay.summary.modes[0].n_rows > 10);
    decay_clear(&decay);
}

/* --- interrupted
 * ------------------------------------------------------------------------------ */

static bool is_cancelled(void *context)
{
    return ++*(int *)context == 60000; /* asked at each step */
}

/* What was integrated so far becomes rows. */
static void an_interrupted_decay_keeps_rows(void)
{
    int n_asked = 0;
    const struct masing_progress progress = {.context = &n_asked, .is_cancelled = is_cancelled};
    const struct masing_ringdown_options options = {.progress = &progress};
    struct masing_model *model = example_open("three_masses_iwan.yaml", NULL, 0);
    struct decay decay = {0};
    struct masing_sink sink = table_sink(&decay.rows);
    decay.status = masing_ringdown(model, &options, &sink, &decay.summary, &decay.error);
    CHECK(decay.status == MASING_STOPPED && !decay.summary.is_complete);
    CHECK(strcmp(decay.summary.reason, "interrupted") == 0);
    CHECK(decay.rows.n_rows > 50 && decay.rows.n_rows == decay.summary.modes[0].n_rows);
    CHECK(decay.summary.steps == 60000);
    CHECK(get(&decay, decay.rows.n_rows - 1, "time") < 2400.0);
    decay_clear(&decay);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"a linear decay is exact", a_linear_decay_is_exact},
    {"microslip agrees with shooting", microslip_agrees_with_shooting},
    {"200 sliders are off at small amplitudes", two_hundred_sliders_are_off},
    {"the same steps give the same decay", the_same_steps_give_the_same_decay},
    {"macroslip goes over into microslip", macroslip_goes_over_into_microslip},
    {"the onset of slip spoils no row", the_onset_of_slip_spoils_no_row},
    {"bolted beams from micro- to macroslip", bolted_beams_from_micro_to_macroslip},
    {"a long decay of several modes ends", a_long_decay_of_several_modes_ends},
    {"an interrupted decay keeps rows", an_interrupted_decay_keeps_rows},
};

TAP_MAIN(tests)
