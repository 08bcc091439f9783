/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nonlinear modes: Lacayo's three masses against shooting on the same equations, an interaction
 * that one harmonic misses, the bolted beams up to macroslip, and closed forms.
 */
#include "masing/mode.h"

#include <complex.h>

#include "example.h"

static const double TWO_PI = 6.28318530717958647692, PI = 3.14159265358979323846;

struct mode_run {
    struct table rows;
    struct masing_mode_summary summary;
    struct masing_error error;
    enum masing_status status;
};

static void follow(struct mode_run *run, struct masing_model *model, const double *at, int n_at)
{
    const struct masing_mode_options options = {
        .n_at = n_at, .at = at, .columns = MASING_COLUMNS_ENERGY | MASING_COLUMNS_HARMONICS};
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->error, 0, sizeof run->error);
    run->summary = (struct masing_mode_summary){0};
    run->status = masing_mode(model, &options, &sink, &run->summary, &run->error);
    if (!CHECK(run->status == MASING_OK && run->summary.is_complete)) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
    CHECK(run->summary.energy_mismatch < 1e-6 && run->summary.points == run->rows.n_rows);
    masing_model_destroy(model);
}

static void follow_example(struct mode_run *run, const char *name,
                           const struct masing_override *overrides, int n_overrides,
                           const double *at, int n_at)
{
    follow(run, example_open(name, overrides, n_overrides), at, n_at);
}

static void follow_text(struct mode_run *run, const char *text, const double *at, int n_at)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
          MASING_OK);
    if (!CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    follow(run, model, at, n_at);
}

static void clear(struct mode_run *run)
{
    table_clear(&run->rows);
    masing_mode_summary_clear(&run->summary);
}

/* Row at an amplitude that was asked for. */
static int row_at(const struct mode_run *run, double amplitude)
{
    for (int r = 0; r < run->rows.n_rows; r++) {
        if (table_get(&run->rows, r, "amplitude") == amplitude) {
            return r;
        }
    }
    CHECK(!"no row at the amplitude");
    return 0;
}

static double get(const struct mode_run *run, int row, const char *name)
{
    return table_get(&run->rows, row, name);
}

/* --- three masses, mode 2 ----------------------------------------------------------------- */

enum { MOST_ROWS = 200 };
enum { MODE2_AMPLITUDE, MODE2_OMEGA, MODE2_ZETA, MODE2_NUMBERS };

/* Columns of the reference: qr_h1_amp, omega, zeta */
static int read_reference(double rows[MOST_ROWS][MODE2_NUMBERS])
{
    FILE *file = open_reference("three_mass_mode2.csv");
    char line[1024];
    int n = 0;
    while (file && n < MOST_ROWS && fgets(line, sizeof line, file)) {
        double unused;
        n += sscanf(line, "2,%lf,%lf,%lf,%lf,%lf", &unused, &rows[n][MODE2_AMPLITUDE], &unused,
                    &rows[n][MODE2_OMEGA], &rows[n][MODE2_ZETA]) == 5;
    }
    if (file) {
        fclose(file);
    }
    return n;
}

static void three_masses(const char *harmonics, const char *samples, double omega_tolerance,
                         double zeta_tolerance)
{
    static double rows[MOST_ROWS][MODE2_NUMBERS], at[MOST_ROWS];
    const struct masing_override overrides[] = {
        {"harmonics", harmonics}, {"samples", samples}, {"mode.amplitude.1", "2e5"}};
    struct mode_run run;
    int n = read_reference(rows);
    if (!CHECK(n > 100)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        at[i] = rows[i][MODE2_AMPLITUDE];
    }
    follow_example(&run, "three_masses_iwan.yaml", overrides, 3, at, n);
    double worst_omega = 0.0, worst_zeta = 0.0;
    for (int i = 0; i < n; i++) {
        int row = row_at(&run, at[i]);
        double omega = TWO_PI * get(&run, row, "frequency_hz");
        double zeta = get(&run, row, "damping_ratio");
        worst_omega = fmax(worst_omega, fabs(omega / rows[i][MODE2_OMEGA] - 1.0));
        worst_zeta = fmax(worst_zeta, fabs(zeta / rows[i][MODE2_ZETA] - 1.0));
    }
    printf("# harmonics %s: omega to %.1e, zeta to %.1e\n", harmonics, worst_omega, worst_zeta);
    CHECK(worst_omega < omega_tolerance && worst_zeta < zeta_tolerance);
    CHECK(strcmp(run.summary.event, "slip onset") == 0);
    CHECK_RELATIVE(run.summary.first_event.amplitude, 41.3988, 1e-4);
    clear(&run);
}

static void mode_2_of_three_masses(void)
{
    three_masses("7", "512", 1e-6, 1e-3);
    three_masses("15", "2048", 1e-7, 1e-4);
}

/* --- an interaction ----------------------------------------------------------------------- */

static double mode_1_damping(const char *harmonics)
{
    const double at = 300.0;
    const struct masing_override overrides[] = {{"harmonics", harmonics},
                                                {"samples", "2048"},
                                                {"mode.number", "1"},
                                                {"mode.amplitude.0", "1"},
                                                {"mode.amplitude.1", "3000"}};
    struct mode_run run;
    follow_example(&run, "three_masses_iwan.yaml", overrides, 5, &at, 1);
    double zeta = get(&run, row_at(&run, at), "damping_ratio");
    clear(&run);
    return zeta;
}

/* Mode 2 lies near three times the frequency of mode 1. */
static void one_harmonic_is_not_enough_near_three_to_one(void)
{
    double enough = mode_1_damping("21"), fewer = mode_1_damping("15");
    double one = mode_1_damping("1");
    printf("# damping ratio %.6g, with one harmonic %.6g: %.2f %% off\n", enough, one,
           100.0 * (one / enough - 1.0));
    CHECK_RELATIVE(fewer, enough, 1e-4);
    CHECK_RELATIVE(one / enough - 1.0, 0.095, 0.02);
}

/* --- bolted beams ------------------------------------------------------------------------- */

/*
 * Single harmonic; modes 7, 8 and 9 with the rigid-body modes counted. From the damping ratio
 * of the structure, 1e-4, in microslip to that where the first joint slips as a whole.
 */
static void bolted_beams_up_to_macroslip(void)
{
    static const char *const numbers[] = {"1", "2", "3"};
    static const double stuck[] = {761.322, 1348.729, 3196.206};
    static const double macroslip[] = {95e-4, 36e-4, 119e-4};
    for (int i = 0; i < 3; i++) {
        const struct masing_override overrides[] = {{"harmonics", "1"},
                                                    {"mode.number", numbers[i]}};
        struct mode_run run;
        follow_example(&run, "bolted_beams.yaml", overrides, 2, NULL, 0);
        const struct masing_mode_summary *summary = &run.summary;
        CHECK_RELATIVE(TWO_PI * summary->stuck_hz, stuck[i], 1e-6);
        CHECK_RELATIVE(summary->stuck_damping, 1e-4, 1e-6);
        CHECK(summary->first.damping_ratio > 1e-4 && summary->first.damping_ratio < 1.2e-4);
        CHECK(strncmp(summary->event, "slip onset", 10) == 0);
        CHECK_RELATIVE(summary->first_event.damping_ratio, macroslip[i], 0.1);
        printf("# mode %d: macroslip of %s at %.4g, damping ratio %.3g\n", 7 + i,
               summary->event, summary->first_event.amplitude,
               summary->first_event.damping_ratio);
        clear(&run);
    }
}

/* --- closed forms ------------------------------------------------------------------------- */

/* m x'' + c x' + k x + k3 x^3 with one harmonic: omega^2 = (k + 3/4 k3 X^2) / m, zeta from
 * c = 2 zeta omega m. */
static void duffing_with_one_harmonic(void)
{
    const double mass = 2.0, k = 3.0, k3 = 0.7, c = 0.05;
    static const double at[] = {0.3, 2.0, 9.0};
    struct mode_run run;
    follow_text(&run,
                "masing: 1\nstructure:\n  masses: {x: 2}\n"
                "  springs: [{from: ground, to: x, stiffness: 3}]\n"
                "  dampers: [{from: ground, to: x, damping: 0.05}]\n"
                "joints: [{name: j, law: cubic_spring, from: ground, to: x,\n"
                "  coefficient: 0.7}]\n"
                "frequency: [0.1, 1]\nharmonics: 1\noutputs: [x]\n"
                "mode: {number: 1, amplitude: [0.1, 10]}\n",
                at, 3);
    for (int i = 0; i < 3; i++) {
        int row = row_at(&run, at[i]);
        double x = at[i] / sqrt(mass), omega = sqrt((k + 0.75 * k3 * x * x) / mass);
        CHECK_RELATIVE(get(&run, row, "x_h1"), x, 1e-12);
        CHECK_RELATIVE(get(&run, row, "frequency_hz") * TWO_PI, omega, 1e-8);
        CHECK_RELATIVE(get(&run, row, "damping_ratio"), c / (2.0 * omega * mass), 1e-8);
    }
    clear(&run);
}

/* A mass on a spring and a slider, one harmonic; formulas in LAWS: closed form of the Jenkins
 * element. Also: what is lost is 4 pi zeta times the kinetic energy. */
static void slider_with_one_harmonic(void)
{
    const double spring = 5.0, stiffness = 4.0, limit = 1.5;
    static const double at[] = {0.2, 0.5, 3.0, 40.0};
    struct mode_run run;
    follow_text(&run,
                "masing: 1\nstructure:\n  masses: {x: 1}\n"
                "  springs: [{from: ground, to: x, stiffness: 5}]\n"
                "joints: [{name: j, law: jenkins, from: ground, to: x, stiffness: 4,\n"
                "  slip_force: 1.5}]\n"
                "frequency: [0.1, 1]\nharmonics: 1\noutputs: [x]\n"
                "mode: {number: 1, amplitude: [0.1, 100]}\n",
                at, 4);
    for (int i = 0; i < 4; i++) {
        int row = row_at(&run, at[i]);
        double a = at[i], equivalent = stiffness, loss = 0.0;
        if (a > limit / stiffness) {
            double theta = acos(1.0 - 2.0 * limit / (stiffness * a));
            equivalent = stiffness * (theta - 0.5 * sin(2.0 * theta)) / PI;
            loss = 4.0 * limit * (a - limit / stiffness);
        }
        double omega = sqrt(spring + equivalent), kinetic = 0.5 * omega * omega * a * a;
        CHECK_RELATIVE(get(&run, row, "frequency_hz") * TWO_PI, omega, 1e-8);
        CHECK_SCALED(get(&run, row, "loss_j"), loss, 4.0 * limit * a, 1e-8);
        CHECK_SCALED(4.0 * PI * get(&run, row, "damping_ratio") * kinetic, loss,
                     4.0 * limit * a, 1e-8);
    }
    CHECK_RELATIVE(run.summary.first_event.amplitude, limit / stiffness, 1e-8);
    clear(&run);
}

/* A mode on which the joint has no hold is linear at every amplitude. */
static void a_mode_that_does_not_feel_the_joint(void)
{
    struct mode_run run;
    follow_text(&run,
                "masing: 1\nstructure:\n  masses: {a: 1, b: 1}\n"
                "  springs:\n    - {from: ground, to: a, stiffness: 3}\n"
                "    - {from: ground, to: b, stiffness: 3}\n"
                "    - {from: a, to: b, stiffness: 1}\n"
                "  damping: {modal_ratio: 0.01}\n"
                "joints: [{name: j, law: jenkins, from: a, to: b, stiffness: 4,\n"
                "  slip_force: 1.5}]\n"
                "frequency: [0.1, 1]\nharmonics: 3\noutputs: [a]\n"
                "mode: {number: 1, amplitude: [1.0e-3, 1.0e+3]}\n",
                NULL, 0);
    for (int row = 0; row < run.rows.n_rows; row++) {
        CHECK_RELATIVE(get(&run, row, "frequency_hz") * TWO_PI, sqrt(3.0), 1e-10);
        CHECK_RELATIVE(get(&run, row, "damping_ratio"), 0.01, 1e-8);
    }
    CHECK(run.summary.event[0] == '\0');
    clear(&run);
}

/* --- a static load, and a loss factor ------------------------------------------------------
 */

/* Two masses, a slider and a spring that hardens between them; a stop, which a static load
 * bears against, or damping by a loss factor. */
static char *two_masses(const char *damping, const char *stop, const char *rest)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 1, m2: 1}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 41339}\n"
                   "    - {from: m1, to: m2, stiffness: 41328}\n"
                   "  damping: {%s}\n"
                   "joints:\n"
                   "  - {name: j, law: jenkins, from: ground, to: m1, stiffness: 3e4,\n"
                   "     slip_force: 12}\n"
                   "  - {name: c, law: cubic_spring, from: m1, to: m2, coefficient: 5e8}\n%s"
                   "frequency: [16, 32]\nsamples: 2048\noutputs: [m2, m1]\n"
                   "mode: {number: 1, amplitude: [1e-4, 0.01]}\n%s",
                   damping, stop, rest);
}

/* At an amplitude that is asked for, and where the range ends there. */
static void a_static_load_shifts_the_mode(void)
{
    const double at = 1e-3;
    char *text = two_masses("modal_ratio: [0.01, 0.02]",
                            "  - {name: s, law: unilateral_spring, from: ground, to: m2,\n"
                            "     stiffness: 3e4, gap: 1e-4}\n",
                            "harmonics: [0, 1, 2, 3]\n"
                            "static_loads: [{dof: m1, force: 8}]\n");
    struct mode_run run;
    follow_text(&run, text, &at, 1);
    int row = row_at(&run, at);
    CHECK_RELATIVE(get(&run, row, "frequency_hz"), 27.46153058, 1e-9);
    CHECK_RELATIVE(get(&run, row, "damping_ratio"), 0.0487095, 2e-6);
    clear(&run);
    char *end = strstr(text, "0.01]}\n");
    memcpy(end, "1e-3", 4);
    follow_text(&run, text, NULL, 0);
    CHECK_RELATIVE(run.summary.last.amplitude, 1e-3, 1e-12);
    CHECK_RELATIVE(run.summary.last.frequency_hz, 27.46153058, 1e-9);
    CHECK_RELATIVE(run.summary.last.damping_ratio, 0.0487095, 2e-6);
    clear(&run);
    free(text);
}

/* The balance of energies is asked of every run. */
static void a_loss_factor_with_three_harmonics(void)
{
    char *text = two_masses("structural: 0.03", "", "harmonics: [1, 3, 5]\n");
    struct mode_run run;
    follow_text(&run, text, NULL, 0);
    printf("# energies differ by %.1e\n", run.summary.energy_mismatch);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double in = get(&run, r, "energy_in"), lost = get(&run, r, "loss_structure");
        CHECK(lost > 0.0);
        CHECK_RELATIVE(lost + get(&run, r, "loss_j"), in, 1e-6);
        CHECK_SCALED(get(&run, r, "loss_c"), 0.0, in, 1e-9);
    }
    clear(&run);
    free(text);
}

/*
 * One mass: a spring with a loss factor loses pi eta k h X_h^2 a period in harmonic h, which is
 * h cycles, and the slider its own; what is put in is 2 pi zeta Omega^2 m sum h^2 X_h^2.
 */
static void losses_of_one_mass_with_a_loss_factor(void)
{
    const double mass = 2.0, k = 3.0, eta = 0.02;
    struct mode_run run;
    int n_slipping = 0;
    follow_text(&run,
                "masing: 1\nstructure:\n  masses: {x: 2}\n"
                "  springs: [{from: ground, to: x, stiffness: 3}]\n"
                "  damping: {structural: 0.02}\n"
                "joints:\n"
                "  - {name: c, law: cubic_spring, from: ground, to: x, coefficient: 0.7}\n"
                "  - {name: j, law: jenkins, from: ground, to: x, stiffness: 1,\n"
                "     slip_force: 0.6}\n"
                "frequency: [0.1, 1]\nharmonics: [1, 3, 5]\nsamples: 2048\noutputs: [x]\n"
                "mode: {number: 1, amplitude: [0.1, 5]}\n",
                NULL, 0);
    for (int r = 0; r < run.rows.n_rows; r++) {
        static const char *const names[] = {"x_h1", "x_h3", "x_h5"};
        double omega = TWO_PI * get(&run, r, "frequency_hz"), elastic = 0.0, kinetic = 0.0;
        for (int i = 0; i < 3; i++) {
            int h = 2 * i + 1;
            double x = get(&run, r, names[i]);
            elastic += PI * eta * k * h * x * x;
            kinetic += mass * h * h * omega * omega * x * x;
        }
        double in = get(&run, r, "energy_in"), zeta = get(&run, r, "damping_ratio");
        CHECK_RELATIVE(get(&run, r, "loss_structure"), elastic, 1e-8);
        CHECK_RELATIVE(in, 2.0 * PI * zeta * kinetic, 1e-8);
        CHECK_RELATIVE(elastic + get(&run, r, "loss_j"), in, 1e-6);
        n_slipping += get(&run, r, "loss_j") > 0.1 * elastic;
    }
    CHECK(n_slipping > 10 && get(&run, run.rows.n_rows - 1, "x_h3") > 0.01);
    clear(&run);
}

/* --- beginning where a stop is hit hard ------------------------------------------------------
 */

static const char stopped[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 1, m2: 1}\n"
    "  springs: [{from: ground, to: m1, stiffness: 10000},\n"
    "    {from: m1, to: m2, stiffness: 15000}]\n"
    "  damping: {modal_ratio: 0.01}\n"
    "joints: [{name: stop, law: unilateral_spring, from: m2, to: ground,\n"
    "  stiffness: 2.0e+5, gap: 1.0e-3}]\n"
    "loads: [{dof: m1, amplitude: 10}]\n"
    "frequency: [10, 35]\n"
    "harmonics: 7\n"
    "outputs: [m1]\n"
    "mode: {number: 1, amplitude: [%g, 0.1]}\n";

/* Newton's method does not arrive from the linear mode; transitions rounded off less and less
 * lead to the point that the curve from small amplitudes passes. */
static void smoothing_leads_to_a_first_point(void)
{
    struct mode_run whole, hard;
    const double at = 0.002;
    char *text = text_of(stopped, 1e-4);
    follow_text(&whole, text, &at, 1);
    free(text);
    text = text_of(stopped, at);
    follow_text(&hard, text, NULL, 0);
    free(text);
    CHECK(hard.summary.strategies[MASING_STRATEGY_SMOOTHING] == 1);
    int row = row_at(&whole, at);
    CHECK_RELATIVE(get(&hard, 0, "frequency_hz"), get(&whole, row, "frequency_hz"), 1e-8);
    CHECK_RELATIVE(get(&hard, 0, "m1_h2"), get(&whole, row, "m1_h2"), 1e-6);
    clear(&whole);
    clear(&hard);
}

/* --- modes that branch off -----------------------------------------------------------------
 */

static const char two_oscillators[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 0.5, m2: 0.5}\n"
    "  springs: [{from: ground, to: m1, stiffness: 2000},\n"
    "    {from: ground, to: m2, stiffness: 2000}, {from: m1, to: m2, stiffness: 100}]\n"
    "  damping: {modal_ratio: %g}\n"
    "joints:\n"
    "  - {name: a, law: cubic_spring, from: ground, to: m1, coefficient: 3.0e+5}\n"
    "  - {name: b, law: cubic_spring, from: ground, to: m2, coefficient: 3.0e+5}\n"
    "loads: [{dof: m1, amplitude: 1}]\n"
    "frequency: [5, 20]\n"
    "harmonics: [1]\n"
    "outputs: [m1, m2]\n"
    "start: %s\n"
    "mode: {number: 2, amplitude: [1.0e-3, 0.3]}\n";

static void follow_branches(struct mode_run *run, double damping, const char *start)
{
    char *text = text_of(two_oscillators, damping, start);
    const struct masing_mode_options options = {
        .n_at = 1, .at = (const double[]){0.1}, .max_branches = 20};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->error, 0, sizeof run->error);
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, NULL) ==
          MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, NULL) == MASING_OK);
    run->summary = (struct masing_mode_summary){0};
    run->status = masing_mode(model, &options, &sink, &run->summary, &run->error);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
}

/*
 * Two equal oscillators k, alpha x^3 with a spring c between, out of phase. With one harmonic
 * the difference of the equations of both masses has the factor A1^2 - A2^2; the other one is
 * 3/4 alpha A1 A2 = c: from 3/4 alpha A^2 = c on the motion may be localised in either mass.
 */
static void localised_modes_branch_off(void)
{
    const double k = 2000.0, c = 100.0, alpha = 3e5, m = 0.5;
    const double product = c / (0.75 * alpha);
    struct mode_run run;
    int n_rows[4] = {0}, n_at[4] = {0}, n_junctions = 0;
    follow_branches(&run, 0.0, "zero");
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    CHECK(run.summary.branch_points.n == 1 && run.summary.n_branches == 2);
    CHECK_RELATIVE(run.summary.branch_points.at[0], sqrt(2.0 * m * product), 1e-6);
    for (int r = 0; r < run.rows.n_rows; r++) {
        int branch = (int)get(&run, r, "branch");
        double a1 = get(&run, r, "m1_h1"), a2 = get(&run, r, "m2_h1");
        double square = (k + c * (1.0 + a2 / a1) + 0.75 * alpha * a1 * a1) / m;
        bool is_junction = strcmp(run.rows.events[r], "branch point") == 0;
        CHECK(branch >= 1 && branch <= 3);
        CHECK_RELATIVE(get(&run, r, "frequency_hz"), sqrt(square) / TWO_PI, 1e-6);
        CHECK_RELATIVE(branch == 1 ? a1 : a1 * a2, branch == 1 ? a2 : product, 1e-6);
        CHECK_RELATIVE(get(&run, r, "amplitude"), sqrt(0.5 * m) * (a1 + a2), 1e-6);
        n_rows[branch]++;
        n_at[branch] += get(&run, r, "amplitude") == 0.1;
        n_junctions += is_junction;
    }
    for (int branch = 1; branch <= 3; branch++) {
        CHECK(n_rows[branch] > 5 && n_at[branch] == 1);
    }
    CHECK(n_junctions == 3);
    clear(&run);
    follow_branches(&run, 0.0, "previous");
    CHECK(run.status == MASING_UNSUPPORTED && strstr(run.error.message, "start: previous"));
    clear(&run);
}

/* Two masses, a dashpot at one of them: both equations of motion of the mode, with its
 * frequency and damping, hold for the amplitudes and phases of the outputs. */
static void phases_of_a_mode(void)
{
    static const double at[] = {1e-6, 1e-5};
    struct mode_run run;
    follow_text(
        &run,
        "masing: 1\nstructure: {masses: {m1: 1, m2: 2}, springs: [{from: ground, to: m1, "
        "stiffness: 1000}, {from: m1, to: m2, stiffness: 3000}], dampers: [{from: "
        "ground, to: m1, damping: 20}, {from: ground, to: m2, damping: 1}]}\n"
        "joints: [{name: j, law: jenkins, from: ground, to: m2, stiffness: 500, "
        "slip_force: 1}]\nharmonics: 3\n"
        "outputs: [m1, m2, {name: v, dof: m2, quantity: velocity}]\n"
        "mode: {number: 2, amplitude: [1e-6, 1e-5]}\n",
        at, 2);
    const double degree = acos(-1.0) / 180, mass[] = {1, 2}, damping[] = {20, 1};
    const double stiffness[2][2] = {{4000, -3000}, {-3000, 3500}};
    for (int row = 0; CHECK(run.rows.n_rows > 1) && row < run.rows.n_rows; row++) {
        double omega = 2 * acos(-1.0) * table_get(&run.rows, row, "frequency_hz");
        double zeta = table_get(&run.rows, row, "damping_ratio");
        double complex x[] = {
            table_get(&run.rows, row, "m1_h1") *
                cexp(I * degree * table_get(&run.rows, row, "m1_h1_phase_deg")),
            table_get(&run.rows, row, "m2_h1") *
                cexp(I * degree * table_get(&run.rows, row, "m2_h1_phase_deg"))};
        double complex v = table_get(&run.rows, row, "v_h1") *
                           cexp(I * degree * table_get(&run.rows, row, "v_h1_phase_deg"));
        CHECK(fabs(carg(x[0] / x[1])) > 0.01); /* a complex mode */
        CHECK(cabs(v - I * omega * x[1]) <= 1e-10 * cabs(v));
        for (int i = 0; i < 2; i++) {
            double complex inertia = -omega * omega * mass[i] * (1 + 2 * I * zeta) * x[i];
            double complex force = stiffness[i][0] * x[0] + stiffness[i][1] * x[1];
            CHECK(cabs(inertia + I * omega * damping[i] * x[i] + force) <=
                  1e-8 * cabs(inertia));
        }
    }
    clear(&run);
}

static const struct tap_test tests[] = {
    {"phases of a mode", phases_of_a_mode},
    {"mode 2 of three masses", mode_2_of_three_masses},
    {"one harmonic is not enough near 3:1", one_harmonic_is_not_enough_near_three_to_one},
    {"bolted beams up to macroslip", bolted_beams_up_to_macroslip},
    {"Duffing with one harmonic", duffing_with_one_harmonic},
    {"a slider with one harmonic", slider_with_one_harmonic},
    {"a mode that does not feel the joint", a_mode_that_does_not_feel_the_joint},
    {"a static load shifts the mode", a_static_load_shifts_the_mode},
    {"a loss factor with three harmonics", a_loss_factor_with_three_harmonics},
    {"losses of one mass with a loss factor", losses_of_one_mass_with_a_loss_factor},
    {"smoothing leads to a first point", smoothing_leads_to_a_first_point},
    {"localised modes branch off", localised_modes_branch_off},
};

TAP_MAIN(tests)
