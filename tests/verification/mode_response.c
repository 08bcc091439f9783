/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The response that a nonlinear mode gives by itself: closed forms for one mass, agreement with
 * the full response that tightens as damping falls, and warnings where one mode is not enough.
 */
#include "masing/mode.h"

#include "example.h"

static const double TWO_PI = 6.28318530717958647692;

struct estimate {
    struct table rows;
    struct masing_mode_response_summary summary;
};

static void respond(struct estimate *run, struct masing_model *model)
{
    struct masing_error error = {0};
    struct masing_sink sink = table_sink(&run->rows);
    run->summary = (struct masing_mode_response_summary){0};
    enum masing_status status = masing_mode_response(model, NULL, &sink, &run->summary, &error);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s: %s\n", masing_status_name(status), error.message);
    }
    CHECK(run->summary.n_full + run->summary.n_estimate == run->rows.n_rows);
    masing_model_destroy(model);
}

static void respond_text(struct estimate *run, const char *text,
                         const struct masing_override *overrides, int n_overrides)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, overrides, n_overrides, &model, &error) ==
                   MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    respond(run, model);
}

static void clear(struct estimate *run)
{
    table_clear(&run->rows);
    masing_mode_response_summary_clear(&run->summary);
}

static bool is_warned(const struct estimate *run, const char *text)
{
    for (int i = 0; i < run->summary.n_warnings; i++) {
        if (strstr(run->summary.warnings[i], text)) {
            return true;
        }
    }
    return false;
}

/* A mass on a spring that hardens; one harmonic unless said otherwise. */
static const char duffing[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 2}\n"
    "  springs: [{from: ground, to: m, stiffness: 3.2e4}]\n"
    "  dampers: [{from: ground, to: m, damping: 1}]\n"
    "joints: [{name: cubic, law: cubic_spring, from: ground, to: m, coefficient: 2e9}]\n"
    "loads: [{dof: m, amplitude: 0.8}]\n"
    "frequency: [15, 35]\n"
    "harmonics: [1]\n"
    "outputs: [m]\n"
    "mode: {number: 1, amplitude: [1.0e-6, 0.1]}\n";

/* |k + 3/4 k3 X^2 - m Omega^2 + i c Omega| X = F on both branches, over the fold */
static void one_mass_and_one_harmonic(void)
{
    struct estimate run = {0};
    double worst = 0.0;
    int n = 0, n_above = 0;
    respond_text(&run, duffing, NULL, 0);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double amplitude = table_get(&run.rows, r, "amplitude");
        double x = table_get(&run.rows, r, "m_h1");
        double omega = TWO_PI * table_get(&run.rows, r, "frequency_hz");
        if (isnan(amplitude)) {
            continue; /* of the full response */
        }
        double elastic = 3.2e4 + 0.75 * 2e9 * x * x - 2.0 * omega * omega;
        double force = hypot(elastic, omega) * x;
        worst = fmax(worst, fabs(force - 0.8) / (3.2e4 * x + 0.8));
        CHECK_RELATIVE(amplitude, sqrt(2.0) * x, 1e-10);
        n_above += elastic > 0.0;
        n++;
    }
    printf("# %d points, balance of forces to %.1e\n", n, worst);
    CHECK(worst < 1e-5 && n == run.summary.n_estimate && n_above > n / 4 && n_above < n);
    CHECK(!run.summary.is_far && run.summary.n_warnings == 0);
    CHECK(run.summary.distance < 1e-4);
    clear(&run);
}

/* What overtones lose is made good by the load of harmonic 1. */
static void overtones_of_one_mass(void)
{
    const struct masing_override overrides[] = {{"harmonics", "7"}};
    struct estimate run = {0};
    respond_text(&run, duffing, overrides, 1);
    printf("# overtones %.3g, peaks differ by %.1e in frequency, %.1e in amplitude\n",
           run.summary.overtones, run.summary.frequency_difference,
           run.summary.amplitude_difference);
    CHECK(run.summary.overtones > 0.02);
    CHECK(fabs(run.summary.frequency_difference) < 1e-6);
    CHECK(fabs(run.summary.amplitude_difference) < 1e-6);
    CHECK(run.summary.distance < 1e-4);
    clear(&run);
}

/* A load that grows with the frequency: |k - m Omega^2 + i c Omega| X = u Omega^2. */
static void imbalance(void)
{
    static const char text[] = "masing: 1\n"
                               "structure:\n"
                               "  masses: {m: 2}\n"
                               "  springs: [{from: ground, to: m, stiffness: 3.2e4}]\n"
                               "  dampers: [{from: ground, to: m, damping: 40}]\n"
                               "loads: [{dof: m, imbalance: 0.003}]\n"
                               "frequency: [12, 35]\n"
                               "outputs: [m]\n"
                               "mode: {number: 1, amplitude: [1.0e-6, 0.1]}\n";
    struct estimate run = {0};
    double worst = 0.0;
    respond_text(&run, text, NULL, 0);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double omega = TWO_PI * table_get(&run.rows, r, "frequency_hz");
        double force = 0.003 * omega * omega;
        double x = force / hypot(3.2e4 - 2.0 * omega * omega, 40.0 * omega);
        worst = fmax(worst, fabs(table_get(&run.rows, r, "m_h1") / x - 1.0));
    }
    printf("# %d points of the estimate to %.1e\n", run.summary.n_estimate, worst);
    CHECK(worst < 1e-6 && run.summary.n_estimate > 100);
    clear(&run);
}

static double two_mass_difference(const char *damping)
{
    const struct masing_override overrides[] = {{"structure.damping.modal_ratio", damping},
                                                {"damper.preload", "3000"}};
    static const char text[] =
        "masing: 1\n"
        "structure:\n"
        "  masses: {m1: 1.0, m2: 1.0}\n"
        "  springs:\n"
        "    - {from: ground, to: m1, stiffness: 41339}\n"
        "    - {from: m1, to: m2, stiffness: 41328}\n"
        "  damping: {modal_ratio: 0.02}\n"
        "joints: [{name: damper, law: jenkins, from: ground, to: m1, stiffness: 40000,\n"
        "  friction: 0.5, preload: 30}]\n"
        "loads: [{dof: m2, amplitude: 10}]\n"
        "frequency: [18, 28]\n"
        "harmonics: 3\n"
        "outputs: [m2, m1]\n"
        "mode: {number: 1, amplitude: [1.0e-4, 0.2]}\n";
    struct estimate run = {0};
    respond_text(&run, text, overrides, 2);
    double difference =
        fmax(fabs(run.summary.frequency_difference), fabs(run.summary.amplitude_difference));
    printf("# damping %s: peaks differ by %.2e, curves by %.2e\n", damping, difference,
           run.summary.distance);
    CHECK(!run.summary.is_far && run.summary.distance < 1e-2);
    clear(&run);
    return difference;
}

/* The other mode's share at the peak is of the order of the damping ratio, and nearly a quarter
 * of a turn behind: what it adds to the amplitude is of second order. */
static void agreement_tightens_as_damping_falls(void)
{
    double coarse = two_mass_difference("0.02"), fine = two_mass_difference("0.005");
    CHECK(coarse < 0.02 * 0.02);
    CHECK(coarse / fine > 10.0 && coarse / fine < 24.0); /* 16 */
}

/* The whole joint slips around the peak, with eighty times the structure's damping. */
static void three_masses_in_macroslip(void)
{
    struct estimate run = {0};
    respond(&run, example_open("three_masses_iwan.yaml", NULL, 0));
    printf("# damping ratio %.3g, peaks differ by %.1e and %.1e\n",
           run.summary.mode.damping_ratio, run.summary.frequency_difference,
           run.summary.amplitude_difference);
    CHECK(run.summary.mode.damping_ratio > 50e-4);
    CHECK(fabs(run.summary.frequency_difference) < 1e-4);
    CHECK(fabs(run.summary.amplitude_difference) < 5e-3);
    CHECK(!run.summary.is_far);
    clear(&run);
}

/* Two modes 3 % apart with 1 % of damping. */
static void close_modes_are_warned_of(void)
{
    static const char text[] =
        "masing: 1\n"
        "structure:\n"
        "  masses: {a: 1, b: 1}\n"
        "  springs:\n"
        "    - {from: ground, to: a, stiffness: 1.6e4}\n"
        "    - {from: ground, to: b, stiffness: 1.6e4}\n"
        "    - {from: a, to: b, stiffness: 400}\n"
        "  damping: {modal_ratio: 0.01}\n"
        "joints: [{name: pad, law: jenkins, from: ground, to: a, stiffness: 800,\n"
        "  slip_force: 2}]\n"
        "loads: [{dof: a, amplitude: 2}]\n"
        "frequency: [18, 23]\n"
        "harmonics: 7\n"
        "outputs: [a, b]\n"
        "mode: {number: 1, amplitude: [1.0e-5, 0.1]}\n";
    struct estimate run = {0};
    respond_text(&run, text, NULL, 0);
    CHECK(run.summary.is_far && is_warned(&run, "the next mode lies at 20.973 Hz"));
    CHECK(fabs(run.summary.amplitude_difference) > 0.3);
    clear(&run);
}

static void amplitudes_that_do_not_suffice_are_warned_of(void)
{
    const struct masing_override low[] = {{"mode.amplitude.1", "1e-3"}};
    const struct masing_override high[] = {{"mode.amplitude.0", "0.05"}};
    struct estimate run = {0};
    respond_text(&run, duffing, low, 1);
    CHECK(is_warned(&run, "beyond mode.amplitude, 0.001") && !run.summary.is_far);
    clear(&run);
    respond_text(&run, duffing, high, 1);
    CHECK(is_warned(&run, "the mode gives no response") && run.summary.n_estimate == 0);
    clear(&run);
}

static const struct tap_test tests[] = {
    {"one mass and one harmonic", one_mass_and_one_harmonic},
    {"overtones of one mass", overtones_of_one_mass},
    {"imbalance", imbalance},
    {"agreement tightens as damping falls", agreement_tightens_as_damping_falls},
    {"three masses in macroslip", three_masses_in_macroslip},
    {"close modes are warned of", close_modes_are_warned_of},
    {"amplitudes that do not suffice are warned of",
     amplitudes_that_do_not_suffice_are_warned_of},
};

TAP_MAIN(tests)
