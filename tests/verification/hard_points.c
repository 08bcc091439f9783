/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Responses of a contact that lifts off: jumps from both sides, and the guess that a time
 * integration gives where the balance finds no way on. */
#include "analyses/response/curve.h"
#include "example.h"

/* Voldrich (2009), example 3, its normal motion in the first mode. */
static char *normal_motion(const char *range, double preload, const char *roughness,
                           const char *damping)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  modes:\n"
                   "    frequencies: [19.99845754, 52.35352651]\n"
                   "    shapes: {x: [0.46531, 0], y: [0.46531, -0.8507], "
                   "out: [0.752975, 0.5257]}\n"
                   "%s\n"
                   "joints:\n"
                   "  - {name: pad, law: contact, normal: {from: ground, to: x}, "
                   "tangential: [{from: ground, to: y}], normal_stiffness: 40000, "
                   "tangential_stiffness: 40000, friction: 0.5, preload: %g%s}\n"
                   "loads: [{dof: out, amplitude: 10}]\n"
                   "frequency: %s\n"
                   "harmonics: 9\n"
                   "outputs: [out]\n",
                   damping, preload, roughness, range);
}

/* From shooting and arc length, see the reference values of this example. */
/* The linear contact opens with a corner, which its samples see one after the other: what the
 * curve is crinkled by are no jumps. */
static void crinkles_are_no_jumps(void)
{
    static const char *const ranges[] = {"[18, 30]", "[30, 18]"};
    for (int i = 0; i < 2; i++) {
        char *text = normal_motion(ranges[i], 50.0, "", "    damping_ratio: 0.02");
        struct run run;
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(run.summary.n_jumps_up == 1 && run.summary.n_jumps_down == 1);
        CHECK_SCALED(run.summary.jump_up_hz[0], 25.8622, 1.0, 2e-3);
        CHECK_SCALED(run.summary.jump_down_hz[0], 24.4143, 1.0, 2e-3);
        run_clear(&run);
        free(text);
    }
}

/* Without damping the masses move to and fro along the frequency at which the damper sticks. */
static void one_place_is_listed_once(void)
{
    const struct masing_override undamped = {"structure.damping.modal_ratio", "0"};
    struct run run;
    example_run("two_mass_damper.yaml", &undamped, 1, &run);
    CHECK(run.status == MASING_OK && run.summary.n_jumps_down >= 1);
    for (int i = 1; i < run.summary.n_jumps_down; i++) {
        for (int k = 0; k < i; k++) {
            CHECK(fabs(run.summary.jump_down_hz[i] / run.summary.jump_down_hz[k] - 1.0) > 1e-6);
        }
    }
    run_clear(&run);
}

struct opened {
    struct masing_document *document;
    struct masing_model *model;
    struct masing_response_options options;
    struct masing_response_summary summary;
    struct response_curve *curve;
};

static void open_curve(struct opened *opened, const char *text)
{
    *opened = (struct opened){0};
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &opened->document, NULL) ==
          MASING_OK);
    CHECK(masing_document_model(opened->document, NULL, 0, &opened->model, NULL) == MASING_OK);
    const struct response_curve_settings settings = {.model = opened->model,
                                                     .options = &opened->options};
    CHECK(response_curve_create(&settings, &opened->summary, &opened->curve, NULL) ==
          MASING_OK);
}

static void close_curve(struct opened *opened)
{
    response_curve_destroy(opened->curve);
    masing_model_destroy(opened->model);
    masing_document_destroy(opened->document);
}

/* Of the harmonics but the mean, which sliders that stick may hold in more than one place. */
static double largest_residual(struct response_curve *curve, const double *y, double omega)
{
    int n = curve->balance->n_unknowns;
    double *residual = malloc(sizeof(double) * (size_t)n), largest = 0.0;
    CHECK(curve->balance->basis->harmonics[0] == 0);
    CHECK(response_evaluate(curve, y, omega, residual, NULL, NULL) == MASING_OK);
    for (int i = curve->balance->n_axes; i < n; i++) {
        largest = fmax(largest, fabs(residual[i]));
    }
    free(residual);
    return largest;
}

/* From no motion at all. */
static void time_integration_gives_a_guess(void)
{
    static const double hertz[] = {19.0, 22.0, 28.0};
    char *text =
        normal_motion("[18, 30]", 50.0, ", roughness: 1.0e-3", "    damping_ratio: 0.02");
    struct opened opened;
    open_curve(&opened, text);
    size_t n = (size_t)opened.curve->balance->n_unknowns;
    double *y = calloc(2 * n, sizeof(double)), *guess = y + n;
    for (int i = 0; i < 3; i++) {
        double omega = 6.283185307179586 * hertz[i];
        CHECK(curve_driver_restart(opened.curve->driver, y, omega, omega, guess) == MASING_OK);
        double before = largest_residual(opened.curve, y, omega);
        double after = largest_residual(opened.curve, guess, omega);
        printf("# at %g Hz the residual falls from %.2g to %.2g\n", hertz[i], before, after);
        CHECK(before > 0.05);
        CHECK(after < 5e-3);
        double first = guess[opened.curve->balance->n_axes];
        int iterations = 0;
        CHECK(continuation_solve(opened.curve->driver->continuation, omega, guess, &iterations,
                                 NULL) == MASING_OK);
        CHECK(iterations <= 10);
        CHECK_RELATIVE(guess[opened.curve->balance->n_axes], first, 0.02);
    }
    free(y);
    free(text);
    close_curve(&opened);
}

/* No help is no failure. */
static void what_cannot_be_integrated_has_no_guess(void)
{
    char *text = normal_motion("[18, 30]", 50.0, "", "  damping: {structural: 0.04}");
    struct opened opened;
    open_curve(&opened, text);
    size_t n = (size_t)opened.curve->balance->n_unknowns;
    double *y = calloc(2 * n, sizeof(double));
    for (int i = 0; i < 2; i++) {
        CHECK(curve_driver_restart(opened.curve->driver, y, 120.0, 120.0, y + n) ==
              MASING_NOT_CONVERGED);
        CHECK(opened.curve->driver->cannot_integrate);
    }
    free(y);
    free(text);
    close_curve(&opened);
}

/* A chain whose masses rub on the ground, one joint each. */
static char *rubbing_chain(int n)
{
    char *text = malloc((size_t)n * 200 + 1000);
    static const char head[] = "masing: 1\nstructure:\n  damping: {modal_ratio: 0.02}\n";
    size_t used = (size_t)sprintf(text, "%s  masses: {", head);
    for (int i = 0; i < n; i++) {
        used += (size_t)sprintf(text + used, "%sm%d: 1", i ? ", " : "", i);
    }
    used += (size_t)sprintf(text + used,
                            "}\n  springs:\n  - {from: ground, to: m0, stiffness: 1e4}\n");
    for (int i = 1; i < n; i++) {
        used += (size_t)sprintf(text + used, "  - {from: m%d, to: m%d, stiffness: 1e4}\n",
                                i - 1, i);
    }
    used += (size_t)sprintf(text + used, "joints:\n");
    for (int i = 0; i < n; i++) {
        used += (size_t)sprintf(text + used,
                                "  - {name: j%d, law: jenkins, from: ground, to: m%d, "
                                "stiffness: 1e3, slip_force: 1}\n",
                                i, i);
    }
    sprintf(text + used, "loads: [{dof: m0, amplitude: 1}]\nfrequency: [1, 2]\n"
                         "harmonics: [1]\noutputs: [{name: m0, dof: m0}]\n");
    return text;
}

/* Nobody waits for hours unasked. */
static void many_axes_are_not_integrated(void)
{
    static const int sizes[] = {150, 151};
    for (int k = 0; k < 2; k++) {
        char *text = rubbing_chain(sizes[k]);
        struct opened opened;
        open_curve(&opened, text);
        size_t n = (size_t)opened.curve->balance->n_unknowns;
        double *y = calloc(2 * n, sizeof(double)), omega = 6.283185307179586;
        opened.model->spec.integration.steps_per_cycle = 16;
        CHECK(opened.curve->balance->n_axes == sizes[k]);
        enum masing_status status =
            curve_driver_restart(opened.curve->driver, y, omega, omega, y + n);
        CHECK(opened.curve->driver->is_too_large == (k == 1));
        CHECK(k == 0 || status == MASING_NOT_CONVERGED);
        free(y);
        free(text);
        close_curve(&opened);
    }
}

/* Stiff bristles under a large motion: from a guess without friction the line search takes many
 * small steps to the solution, and nothing slower is needed. */
static void a_start_may_take_many_steps(void)
{
    static const char text[] =
        "masing: 1\n"
        "structure: {masses: {x: 1}, springs: [{from: ground, to: x, stiffness: 2}]}\n"
        "joints: [{name: j, law: lugre, from: ground, to: x, sigma0: 1e5, sigma1: 316.2,\n"
        "  sigma2: 0.4, coulomb_force: 1, static_force: 1.5, stribeck_velocity: 1e-3}]\n"
        "loads: [{dof: x, amplitude: 3}]\n"
        "frequency: 0.1\n"
        "harmonics: 7\n"
        "outputs: [x]\n";
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    CHECK(run.summary.strategies[MASING_STRATEGY_LINE_SEARCH] == 1);
    CHECK(run.summary.strategies[MASING_STRATEGY_HOMOTOPY] == 0);
    /* time integration gives 1.62285 m; seven harmonics come within 3 % */
    CHECK_RELATIVE(run.summary.peak.max, 1.62285, 0.03);
    run_clear(&run);
}

/* The curve turns sharply where the first element of a joint slips. The first step behind that
 * corner is as short as the solutions are exact; the curve leads on all the same. */
static void a_sharp_corner_is_left(void)
{
    static const char *const ranges[] = {"[10.537846157736887, 21.843873417380017]",
                                         "[21.843873417380017, 10.537846157736887]"};
    for (int i = 0; i < 2; i++) {
        char *text = text_of(
            "masing: 1\n"
            "structure:\n"
            "  masses: {m1: 2.04397, m2: 2.08559, m3: 0.386726, m4: 0.452879, m5: 0.320726}\n"
            "  springs:\n"
            "    - {from: ground, to: m1, stiffness: 60628.1}\n"
            "    - {from: m1, to: m2, stiffness: 36162.6}\n"
            "    - {from: m2, to: m3, stiffness: 16258.9}\n"
            "    - {from: m3, to: m4, stiffness: 84548.5}\n"
            "    - {from: m4, to: m5, stiffness: 72682.1}\n"
            "    - {from: ground, to: m5, stiffness: 3398.69}\n"
            "  damping: {modal_ratio: 0.002541, modes: free}\n"
            "joints:\n"
            "  - {name: j1, from: ground, to: m3, law: iwan4, slip_force: 94.402,\n"
            "     stiffness: 28351.4, chi: -0.611, beta: 0.245}\n"
            "  - {name: j2, from: m4, to: m5, law: cubic_spring, coefficient: 8.26399e+09}\n"
            "loads: [{dof: m3, amplitude: 41.9501}]\n"
            "frequency: %s\n"
            "harmonics: 5\n"
            "outputs: [m5]\n",
            ranges[i]);
        struct run run;
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK_RELATIVE(run.summary.peak.max, 9.58956e-3, 5e-6);
        run_clear(&run);
        free(text);
    }
}

/* A motion that reverses for less than a sample is seen all at once, so that the sampled forces
 * jump: no solution lies between 21.181494 and 21.181501 Hz. With 1024 samples there is no gap
 * in this curve. */
static char *gapped(bool is_downwards, int samples)
{
    return text_of(
        "masing: 1\n"
        "structure:\n"
        "  masses: {m1: 2.20503, m2: 2.52748, m3: 0.365686, m4: 0.642032, m5: 0.847111}\n"
        "  springs: [{from: ground, to: m1, stiffness: 15682.5}, {from: m1, to: m2, stiffness: "
        "52882.4}, {from: m2, to: m3, stiffness: 46009.6}, {from: m3, to: m4, stiffness: "
        "67360.8}, {from: m4, to: m5, stiffness: 58384.6}]\n"
        "  damping: {modal_ratio: 0.002371, modes: free}\n"
        "joints: [{name: j1, from: m4, to: m2, law: dahl, stiffness: 163274, slip_force: "
        "2.34777, exponent: 1}]\n"
        "loads: [{dof: m4, amplitude: 8.46239}]\n"
        "frequency: %s\n"
        "harmonics: 5\n"
        "samples: %d\n"
        "outputs: [m5]\n",
        is_downwards ? "[37, 14.7]" : "[14.7, 37]", samples);
}

static bool is_warned(const struct masing_response_summary *summary, const char *part)
{
    bool is_warned = false;
    for (int i = 0; i < summary->n_warnings; i++) {
        is_warned = is_warned || strstr(summary->warnings[i], part);
    }
    return is_warned;
}

static int count_peaks(const struct table *rows)
{
    int count = 0;
    for (int r = 0; r < rows->n_rows; r++) {
        count += strstr(rows->events[r], "peak") != NULL;
    }
    return count;
}

static void gaps_of_samples_are_stepped_over(void)
{
    static const double at[] = {20.9, 21.17, 21.2, 21.5}; /* on both sides */
    for (int way = 0; way < 2; way++) {
        struct run coarse, fine;
        char *texts[2] = {gapped(way == 1, 256), gapped(way == 1, 1024)};
        run_text(&coarse, texts[0], at, 4);
        run_text(&fine, texts[1], at, 4);
        CHECK(coarse.status == MASING_OK && coarse.summary.is_complete);
        CHECK(fine.status == MASING_OK && fine.summary.is_complete);
        CHECK(is_warned(&coarse.summary, "gap") && !is_warned(&fine.summary, "gap"));
        for (int i = 0; i < 4; i++) {
            double value = table_get(&fine.rows, table_find(&fine.rows, "at", at[i]), "m5_max");
            CHECK_RELATIVE(
                table_get(&coarse.rows, table_find(&coarse.rows, "at", at[i]), "m5_max"), value,
                1e-3);
        }
        CHECK(count_peaks(&coarse.rows) == count_peaks(&fine.rows));
        for (int r = 0; r < coarse.rows.n_rows; r++) {
            CHECK(table_get(&coarse.rows, r, "branch") == 1.0);
        }
        run_clear(&coarse);
        run_clear(&fine);
        free(texts[0]);
        free(texts[1]);
    }
}

static const struct tap_test tests[] = {
    {"crinkles are no jumps", crinkles_are_no_jumps},
    {"one place of jumps is listed once", one_place_is_listed_once},
    {"time integration gives a guess", time_integration_gives_a_guess},
    {"what cannot be integrated has no guess", what_cannot_be_integrated_has_no_guess},
    {"many axes are not integrated", many_axes_are_not_integrated},
    {"a start may take many steps", a_start_may_take_many_steps},
    {"a sharp corner is left", a_sharp_corner_is_left},
    {"gaps of samples are stepped over", gaps_of_samples_are_stepped_over},
};

TAP_MAIN(tests)
