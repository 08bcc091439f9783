/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Springs and dampers of any power, laws that put energy in: one mass on a spring against
 * integration in time by Runge and Kutta's method, and against the laws that they contain.
 */
#include "masing/integrate.h"
#include "masing/ringdown.h"
#include "response.h"

static const double TWO_PI = 6.28318530717958647692;

/* x'' + damping x' + stiffness x + force(x, x') = load cos(omega t) */
struct oscillator {
    const char *joint; /* keys of its entry */
    double (*force)(double x, double v);
    double stiffness, damping, load;
};

static char *oscillator_text(const struct oscillator *o, const char *more)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  passive: false\n"
                   "  masses: {x: 1}\n"
                   "  springs: [{from: ground, to: x, stiffness: %.17g}]\n"
                   "  dampers: [{from: ground, to: x, damping: %.17g}]\n"
                   "joints: [{name: j, from: ground, to: x, %s}]\n"
                   "loads: [{dof: x, amplitude: %.17g}]\n"
                   "frequency: [0.6, 1.6]\nfrequency_unit: rad_s\n"
                   "outputs: [x]\n%s",
                   o->stiffness, o->damping, o->joint, o->load, more);
}

enum { STEPS_PER_PERIOD = 2000, PERIODS = 400 };

static double acceleration(const struct oscillator *o, double phase, double x, double v)
{
    return o->load * cos(phase) - o->stiffness * x - o->damping * v - o->force(x, v);
}

/* Steady from rest: the largest absolute displacement of the last period. */
static double largest_by_steps(const struct oscillator *o, double omega)
{
    double x = 0.0, v = 0.0, h = TWO_PI / omega / STEPS_PER_PERIOD, largest = 0.0;
    for (int n = 0; n < PERIODS * STEPS_PER_PERIOD; n++) {
        double from = TWO_PI * (n % STEPS_PER_PERIOD) / STEPS_PER_PERIOD, w = omega * h;
        double a1 = acceleration(o, from, x, v), v2 = v + 0.5 * h * a1;
        double a2 = acceleration(o, from + 0.5 * w, x + 0.5 * h * v, v2), v3 = v + 0.5 * h * a2;
        double a3 = acceleration(o, from + 0.5 * w, x + 0.5 * h * v2, v3), v4 = v + h * a3;
        double a4 = acceleration(o, from + w, x + h * v3, v4);
        x += h * (v + 2.0 * v2 + 2.0 * v3 + v4) / 6.0;
        v += h * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0;
        largest = n >= (PERIODS - 1) * STEPS_PER_PERIOD ? fmax(largest, fabs(x)) : largest;
    }
    return largest;
}

/* Nothing was said about energy that is created or lost. */
static void check_silence(const struct run *run)
{
    for (int i = 0; i < run->summary.n_warnings; i++) {
        CHECK(!strstr(run->summary.warnings[i], "energy"));
    }
    CHECK(run->summary.energy_mismatch < 1e-6);
}

/* The balance with its stability, and time integration, both from rest: `tolerance` is of the
 * balance. */
static void check_motion(const struct oscillator *o, double omega, double tolerance)
{
    struct run run;
    double hz = omega / TWO_PI, expected = largest_by_steps(o, omega);
    char *text = oscillator_text(o, "harmonics: 31\nsamples: 2048\n");
    const struct masing_response_options options = {.n_at = 1,
                                                    .at_hz = &hz,
                                                    .columns = MASING_COLUMNS_ENERGY,
                                                    .stability = MASING_STABILITY_AUTO};
    run_with(&run, text, &options);
    bool is_found = false;
    for (int r = 0; r < run.rows.n_rows && run.status == MASING_OK; r++) {
        if (strstr(run.rows.events[r], "at") && table_get(&run.rows, r, "stable") == 1.0) {
            CHECK_RELATIVE(table_get(&run.rows, r, "x_max"), expected, tolerance);
            CHECK_SCALED(table_get(&run.rows, r, "energy_in"),
                         table_get(&run.rows, r, "energy_lost"), o->load * expected, 1e-7);
            is_found = true;
        }
    }
    CHECK(is_found);
    check_silence(&run);
    run_clear(&run);
    free(text);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model =
        model_of_text(oscillator_text(o, "integration: {steps_per_cycle: 1000}\n"));
    if (CHECK(model &&
              masing_integrate(model, hz, NULL, NULL, &summary, &error) == MASING_OK)) {
        CHECK_RELATIVE(summary.outputs[0].max, expected, 1e-4);
        CHECK_SCALED(summary.energy_in, summary.energy_lost, o->load * expected, 1e-4);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* Likewise by pieces in closed form, where the law has them. */
static void check_exact(const struct oscillator *o, double omega)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    double expected = largest_by_steps(o, omega);
    struct masing_model *model =
        model_of_text(oscillator_text(o, "integration: {method: exact}\n"));
    if (CHECK(model && masing_integrate(model, omega / TWO_PI, NULL, NULL, &summary, &error) ==
                           MASING_OK)) {
        CHECK_RELATIVE(summary.outputs[0].max, expected, 1e-5);
        CHECK_SCALED(summary.energy_in, summary.energy_lost, o->load * expected, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* ---- laws against integration ---- */

static double van_der_pol(double x, double v)
{
    return 0.2 * (x * x / 0.81 - 1.0) * v;
}

static void van_der_pol_under_a_load(void)
{
    const struct oscillator o = {"law: van_der_pol, coefficient: 0.2, amplitude: 0.9",
                                 van_der_pol, 1.0, 0.01, 0.4};
    check_motion(&o, 0.95, 1e-6);
    check_motion(&o, 1.02, 1e-6);
}

/* A weak load does not lead the oscillator far from its own frequency: the periodic motion is
 * there, but unstable, and begins to be so in Neimark-Sacker bifurcations. */
static void check_breaking_away(const struct oscillator *o)
{
    struct run run;
    char *text = oscillator_text(o, "harmonics: 15\n");
    const struct masing_response_options options = {.stability = MASING_STABILITY_AUTO};
    run_with(&run, text, &options);
    int n_neimark_sacker = 0, last = run.rows.n_rows - 1;
    for (int r = 0; r <= last; r++) {
        n_neimark_sacker += strstr(run.rows.events[r], "Neimark-Sacker") != NULL;
    }
    CHECK(n_neimark_sacker == 2);
    CHECK(last > 0 && table_get(&run.rows, 0, "stable") == 0.0 &&
          table_get(&run.rows, last, "stable") == 0.0);
    check_silence(&run);
    run_clear(&run);
    free(text);
}

static double drag(double x, double v)
{
    (void)x;
    return 0.1 * v * fabs(v);
}

static void oscillators_break_away(void)
{
    const struct oscillator by_joint = {"law: van_der_pol, coefficient: 0.2, amplitude: 0.9",
                                        van_der_pol, 1.0, 0.01, 0.4};
    const struct oscillator by_structure = {"law: quadratic_damper, coefficient: 0.1", drag,
                                            1.0, -0.1, 0.2};
    check_breaking_away(&by_joint);
    check_breaking_away(&by_structure);
}

static double hertz(double x, double v)
{
    (void)v;
    return x > 0.0 ? 2.0 * pow(x, 1.5) : 0.0;
}

static void hertz_on_one_side(void)
{
    const struct oscillator o = {
        "law: power_spring, coefficient: 2, exponent: 1.5, one_sided: true", hertz, 0.5, 0.2,
        0.5};
    check_motion(&o, 0.9, 1e-5);
    check_motion(&o, 1.3, 1e-5);
}

/* 2 N/m from 0.2 m on, less than nothing from 0.6 m on, on both sides. */
static double softening_stop(double x, double v)
{
    double size = fabs(x), f = size > 0.2 ? 2.0 * (size - 0.2) : 0.0;
    (void)v;
    return copysign(f - (size > 0.6 ? 2.5 * (size - 0.6) : 0.0), x);
}

/* Two stops side by side, the second of negative stiffness. */
static void a_stop_that_softens(void)
{
    const struct oscillator o = {
        "law: unilateral_spring, stiffness: 2, gap: 0.2, two_sided: true},\n"
        "  {name: j2, from: ground, to: x, law: unilateral_spring, stiffness: -2.5, gap: 0.6,\n"
        "  two_sided: true",
        softening_stop, 1.0, 0.6, 1.4};
    CHECK(largest_by_steps(&o, 1.1) > 1.0 && largest_by_steps(&o, 1.25) > 1.0);
    check_motion(&o, 1.1, 1e-5);
    check_motion(&o, 1.25, 1e-5);
    check_exact(&o, 1.1);
}

static double two_signs(double x, double v)
{
    (void)x;
    return -0.1 * v + 0.05 * v * fabs(v) + 0.2 * v * v * v;
}

static void a_polynomial_of_both_signs(void)
{
    const struct oscillator o = {"law: polynomial_damper, coefficients: [-0.1, 0.05, 0.2]",
                                 two_signs, 1.0, 0.01, 0.3};
    check_motion(&o, 0.95, 1e-6);
    check_motion(&o, 1.05, 1e-6);
}

static double pulls_and_drives(double x, double v)
{
    return -0.3 * x - 0.02 * v;
}

/* A spring and a dashpot of negative numbers, held by the structure's. */
static void negative_stiffness_and_damping(void)
{
    const struct oscillator o = {"law: linear, stiffness: -0.3, damping: -0.02",
                                 pulls_and_drives, 1.3, 0.12, 0.3};
    check_motion(&o, 0.95, 2e-6);
    check_motion(&o, 1.2, 2e-6);
    check_exact(&o, 0.95);
}

static double softening(double x, double v)
{
    (void)v;
    return -0.1 * x * x * x;
}

static void a_negative_cubic_spring(void)
{
    const struct oscillator o = {"law: cubic_spring, coefficient: -0.1", softening, 1.0, 0.2,
                                 0.2};
    check_motion(&o, 0.8, 2e-6);
    check_motion(&o, 1.2, 2e-6);
}

/* The structure's own dashpot drives, the joint holds it. */
static void a_structure_that_drives(void)
{
    const struct oscillator o = {"law: quadratic_damper, coefficient: 0.1", drag, 1.0, -0.1,
                                 0.2};
    check_motion(&o, 0.95, 1e-5);
    check_motion(&o, 1.0, 1e-5);
}

/* ---- laws against laws ---- */

/* One response is another: all rows of the same frequencies, and their measures. */
static void check_same(const char *joint, const char *same, double tolerance)
{
    static const double at_hz[] = {0.7 / 6.283185307179586, 1.0 / 6.283185307179586,
                                   1.35 / 6.283185307179586};
    struct oscillator o = {.stiffness = 1.0, .damping = 0.1, .load = 0.3};
    struct run run[2];
    for (int i = 0; i < 2; i++) {
        o.joint = i ? same : joint;
        char *text = oscillator_text(&o, "harmonics: 11\n");
        run_text(&run[i], text, at_hz, 3);
        free(text);
    }
    for (int i = 0; i < 3; i++) {
        int row = table_find(&run[0].rows, "at", at_hz[i]);
        int other = table_find(&run[1].rows, "at", at_hz[i]);
        if (CHECK(row >= 0 && other >= 0)) {
            CHECK_RELATIVE(table_get(&run[0].rows, row, "x_max"),
                           table_get(&run[1].rows, other, "x_max"), tolerance);
            CHECK_SCALED(table_get(&run[0].rows, row, "loss_j"),
                         table_get(&run[1].rows, other, "loss_j"), 1.0, tolerance);
        }
    }
    CHECK(run[0].summary.peak.max > 0.0);
    CHECK_RELATIVE(run[0].summary.peak.max, run[1].summary.peak.max,
                   1e-4); /* of a flat top, the way there differs */
    run_clear(&run[0]);
    run_clear(&run[1]);
}

static void laws_that_contain_others(void)
{
    check_same("law: power_spring, coefficient: 0.2, exponent: 3",
               "law: cubic_spring, coefficient: 0.2", 1e-8);
    check_same("law: power_spring, coefficient: 0.2, exponent: 1",
               "law: linear, stiffness: 0.2", 1e-8);
    check_same("law: power_spring, coefficient: 0.2, exponent: 1, one_sided: true",
               "law: unilateral_spring, stiffness: 0.2", 1e-4);
    check_same("law: polynomial_damper, coefficients: 0.2", "law: linear, damping: 0.2", 1e-8);
    check_same("law: polynomial_damper, coefficients: [0, 0.2]",
               "law: quadratic_damper, coefficient: 0.2", 1e-8);
}

/* One harmonic of c v |v| is that of a dashpot with 8 / (3 pi) c omega x. */
static void one_harmonic_of_a_quadratic_damper(void)
{
    const struct oscillator o = {.joint = "law: polynomial_damper, coefficients: [0.02, 0.3]",
                                 .stiffness = 1.0,
                                 .damping = 0.1,
                                 .load = 0.3};
    struct run run;
    char *text = oscillator_text(&o, "harmonics: 1\nsamples: 4096\n");
    run_text(&run, text, NULL, 0);
    CHECK(run.rows.n_rows > 10);
    for (int row = 0; row < run.rows.n_rows; row++) {
        double w = TWO_PI * table_get(&run.rows, row, "frequency_hz");
        double x = table_get(&run.rows, row, "x_h1");
        double dashpot = 0.12 + 8.0 / (1.5 * TWO_PI) * 0.3 * w * x;
        CHECK_RELATIVE(x * hypot(1.0 - w * w, w * dashpot), o.load, 1e-6);
    }
    run_clear(&run);
    free(text);
}

/* A table of f over n points from -1.25 to 1.25, as a joint's entry. */
static char *table_of(double (*f)(double x, double v), int n)
{
    char *text = malloc(8192), *at = text;
    at += sprintf(at, "law: elastic_table, file: [");
    for (int i = 0; i < n; i++) {
        double x = -1.25 + 2.5 * i / (n - 1);
        at += sprintf(at, "%s[%.15g, %.15g]", i ? ", " : "", x, f(x, 0.0));
    }
    sprintf(at, "]");
    return text;
}

static double straight(double x, double v)
{
    (void)v;
    return 0.2 * x;
}

static double cubic(double x, double v)
{
    (void)v;
    return 0.2 * x * x * x;
}

/* Of a straight line also beyond the ends; of a cubic as far as the points go. */
static void tables_of_springs(void)
{
    struct oscillator o = {.stiffness = 1.0, .damping = 0.3, .load = 0.3};
    char *line = table_of(straight, 3), *fine = table_of(cubic, 101);
    check_same(line, "law: linear, stiffness: 0.2", 1e-7);
    double x_max[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        struct run run;
        o.joint = i ? fine : "law: cubic_spring, coefficient: 0.2";
        char *text = oscillator_text(&o, "harmonics: 11\nsamples: 512\n");
        run_text(&run, text, NULL, 0);
        x_max[i] = run.summary.peak.max;
        CHECK(run.summary.n_warnings == 0);
        run_clear(&run);
        free(text);
    }
    CHECK(x_max[0] > 0.9 && x_max[0] < 1.25);
    CHECK_RELATIVE(x_max[1], x_max[0], 2e-5);
    free(line);
    free(fine);
}

/* The motion is told of that goes on where the table has ended, and where it is. */
static void ends_of_tables_are_told(void)
{
    struct oscillator o = {.stiffness = 1.0, .damping = 0.1, .load = 0.3};
    char *table = table_of(cubic, 21);
    struct run run;
    o.joint = table;
    char *text = oscillator_text(&o, "harmonics: 11\n");
    run_text(&run, text, NULL, 0);
    CHECK(run.summary.n_warnings == 1 &&
          strstr(run.summary.warnings[0], "known from -1.25 to 1.25 m"));
    run_clear(&run);
    free(text);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of_text(oscillator_text(&o, ""));
    CHECK(model && masing_integrate(model, 0.17, NULL, NULL, &summary, &error) == MASING_OK);
    CHECK(summary.n_warnings == 1 && strstr(summary.warnings[0], "known from -1.25 to 1.25 m"));
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
    struct masing_ringdown_summary decay = {0};
    model = model_of_text(
        oscillator_text(&o, "ringdown: {impulse: {mode: 1, amplitude: 3, frequency: 0.5}}\n"));
    CHECK(model && masing_ringdown(model, NULL, NULL, &decay, &error) == MASING_OK);
    int n_told = 0;
    for (int i = 0; i < decay.n_warnings; i++) {
        n_told += strstr(decay.warnings[i], "known from -1.25 to 1.25 m") != NULL;
    }
    CHECK(n_told == 1);
    masing_ringdown_summary_clear(&decay);
    masing_model_destroy(model);
    free(table);
}

/* ---- a structure that drives, as known from elsewhere ---- */

static void known_numbers(void)
{
    static const double omega[] = {0.9, 1.0, 1.1}, x_max[] = {1.049723, 2.234164, 0.949126};
    double at_hz[3];
    char text[4096] = "";
    struct run run;
    FILE *file = open_reference("field/negative_damping.yaml");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    for (int i = 0; i < 3; i++) {
        at_hz[i] = omega[i] / TWO_PI;
    }
    run_text(&run, text, at_hz, 3);
    for (int i = 0; i < 3; i++) {
        int row = table_find(&run.rows, "at", at_hz[i]);
        if (CHECK(row >= 0)) {
            CHECK_RELATIVE(table_get(&run.rows, row, "x_max"), x_max[i], 2e-6);
        }
    }
    check_silence(&run);
    run_clear(&run);
}

/* Of one mode at 1 rad/s the forms are all the same dashpot. */
static void forms_that_drive(void)
{
    static const char *const forms[] = {
        "dampers: [{from: ground, to: x, damping: -0.1}]", "damping: {modal_ratio: -0.05}",
        "damping: {modal_ratio: [-0.05], modes: stuck}", "damping: {rayleigh: [-0.15, 0.05]}"};
    double x_max[4] = {0.0};
    for (int i = 0; i < 4; i++) {
        struct run run;
        char *text = text_of("masing: 1\n"
                             "structure:\n"
                             "  passive: false\n"
                             "  masses: {x: 1}\n"
                             "  springs: [{from: ground, to: x, stiffness: 1}]\n"
                             "  %s\n"
                             "joints: [{name: j, from: ground, to: x,\n"
                             "  law: quadratic_damper, coefficient: 0.1}]\n"
                             "loads: [{dof: x, amplitude: 0.2}]\n"
                             "frequency: [0.14, 0.18]\noutputs: [x]\n",
                             forms[i]);
        run_text(&run, text, NULL, 0);
        x_max[i] = run.summary.peak.max;
        CHECK_RELATIVE(x_max[i], x_max[0], 1e-9);
        run_clear(&run);
        free(text);
    }
    CHECK(x_max[0] > 1.0);
}

/* Without the word the same is refused, and says which word. */
static void driving_structures_say_so(void)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    const char *text = "masing: 1\n"
                       "structure: {dofs: [x], mass: [[1]], stiffness: [[1]], "
                       "damping: [[-0.1]]}\n"
                       "loads: [{dof: x, amplitude: 1}]\nfrequency: [1, 2]\noutputs: [x]\n";
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "passive: false") != NULL);
    masing_model_destroy(model);
    masing_document_destroy(document);
}

static const struct tap_test tests[] = {
    {"van der Pol under a load", van_der_pol_under_a_load},
    {"oscillators break away from a load", oscillators_break_away},
    {"Hertz on one side", hertz_on_one_side},
    {"a stop that softens", a_stop_that_softens},
    {"a polynomial of both signs", a_polynomial_of_both_signs},
    {"negative stiffness and damping", negative_stiffness_and_damping},
    {"a negative cubic spring", a_negative_cubic_spring},
    {"a structure that drives", a_structure_that_drives},
    {"laws that contain others", laws_that_contain_others},
    {"one harmonic of a quadratic damper", one_harmonic_of_a_quadratic_damper},
    {"tables of springs", tables_of_springs},
    {"ends of tables are told", ends_of_tables_are_told},
    {"known numbers of a structure that drives", known_numbers},
    {"forms that drive", forms_that_drive},
    {"driving structures say so", driving_structures_say_so},
};

TAP_MAIN(tests)
