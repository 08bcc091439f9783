/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Harmonic balance against time integration: two ways to the same motion. */
#include <math.h>
#include <string.h>

#include "compared.h"
#include "response.h"

static const double pi = 3.14159265358979323846;

static struct masing_model *damper(double preload, int highest)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 1.0};
    integrated_begin(&spec, 2, masses);
    specimen_spring(&spec, MASING_GROUND, 0, 41339.0);
    specimen_spring(&spec, 0, 1, 41328.0);
    specimen_ratio(&spec, 0.02);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "damper", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 40000.0);
    specimen_field(joint, "friction", 0.5);
    specimen_field(joint, "preload", preload);
    specimen_load(&spec, 1, 10.0);
    spec.omega_from = 2.0 * pi * 18.0;
    spec.omega_to = 2.0 * pi * 28.0;
    spec.integration.steps_per_cycle = 1000;
    compared_harmonics(&spec, highest);
    return integrated_seal(&spec);
}

static void the_damper_moves_alike_at_random_points(void)
{
    uint64_t seed = 7;
    double worst = 0.0;
    for (int i = 0; i < 10; i++) {
        double hz = 23.0 + 5.0 * specimen_draw(&seed);
        double preload = 30.0 * pow(20.0, specimen_draw(&seed));
        struct masing_model *model = damper(preload, 25);
        struct masing_compare_summary summary = {0};
        struct compared table = {0};
        const struct masing_compare_options options = {.n_frequencies = 1,
                                                       .frequencies_hz = &hz};
        compared_run(model, &options, &table, &summary);
        if (CHECK(table.n_rows == 1)) {
            CHECK_RELATIVE(compared_number(&table, 0, "frequency_hz"), hz, 1e-12);
            CHECK(compared_number(&table, 0, "relative_difference") < 1e-3);
            CHECK_RELATIVE(compared_number(&table, 0, "m1_h1_ti"),
                           compared_number(&table, 0, "m1_h1_hb"), 1e-3);
            CHECK_RELATIVE(compared_number(&table, 0, "m2_h1_ti"),
                           compared_number(&table, 0, "m2_h1_hb"), 1e-3);
            for (int h = 1; h <= 25; h++) {
                char name[32];
                snprintf(name, sizeof name, "m1_h%d_difference", h);
                CHECK(compared_number(&table, 0, name) < 1e-3);
            }
            CHECK(compared_number(&table, 0, "joint_loss_difference") < 1e-3);
            CHECK(strcmp(table.settled[0][0], "same") == 0);
            bool is_stuck = strcmp(table.measures[0], "h1") == 0;
            CHECK(is_stuck == (summary.n_stuck == 1));
            worst = fmax(worst, summary.worst_difference);
            printf("# %.3f Hz, %.4g N: %s off by %.2g, %g cycles, %.2g s and %.2g s\n", hz,
                   preload, table.measures[0], summary.worst_difference,
                   compared_number(&table, 0, "cycles"), summary.seconds_hb,
                   summary.seconds_ti);
        }
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
    CHECK(worst > 0.0);
}

/* The motions of linear structures are known exactly: integration goes on from them at once. */
static struct masing_model *linear_structure(int kind)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 2.0, 1.5}, with_node[] = {1.0, 0.0, 1.5};
    integrated_begin(&spec, 3, kind == 2 ? with_node : masses);
    specimen_spring(&spec, 0, 1, 900.0);
    specimen_spring(&spec, 1, 2, 1300.0);
    if (kind != 1) {
        specimen_spring(&spec, MASING_GROUND, 0, 700.0);
    }
    if (kind == 3) {
        specimen_damper(&spec, 0, 1, 3.0);
        specimen_damper(&spec, MASING_GROUND, 2, 1.0);
    } else {
        specimen_ratio(&spec, kind == 4 ? 1e-7 : 0.03);
    }
    specimen_load(&spec, 2, 4.0)->phase = 0.8;
    struct masing_load_spec *second = specimen_load(&spec, 0, 3.0);
    second->harmonic = 2;
    second->pattern_imaginary = specimen_array(3, sizeof(double));
    second->pattern_imaginary[2] = 0.7;
    if (kind != 1) {
        specimen_static_load(&spec, 2, 20.0);
    }
    spec.omega_from = 11.0;
    spec.omega_to = 14.0;
    spec.integration.steps_per_cycle = 2000;
    if (kind == 4) {
        /* a resonance in the range: what the balance's tolerance leaves does not decay */
        spec.integration.tolerance = 1e-3;
    }
    compared_harmonics(&spec, 3);
    return integrated_seal(&spec);
}

static void linear_motions_go_on_at_once(void)
{
    for (int kind = 0; kind < 5; kind++) {
        struct masing_model *model = linear_structure(kind);
        struct masing_compare_summary summary = {0};
        struct compared table = {0};
        const struct masing_compare_options options = {.n_points = 4};
        compared_run(model, &options, &table, &summary);
        CHECK(table.n_rows == 4 && summary.n_steady == 4 && summary.n_stuck == 0);
        /* the second harmonic is of second order in the step */
        CHECK(summary.worst_difference < 5e-5);
        printf("# structure %d: off by %.2g\n", kind, summary.worst_difference);
        for (int row = 0; row < table.n_rows; row++) {
            CHECK(compared_number(&table, row, "cycles") == 3);
            CHECK_RELATIVE(compared_number(&table, row, "m3_h1_ti"),
                           compared_number(&table, row, "m3_h1_hb"), 1e-6);
        }
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static void rest_leads_to_the_same_motion(void)
{
    struct masing_model *model = damper(30.0, 15);
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    const struct masing_compare_options options = {.n_points = 5, .is_cold = true};
    compared_run(model, &options, &table, &summary);
    CHECK(table.n_rows == 5);
    CHECK_RELATIVE(compared_number(&table, 0, "frequency_hz"), 18.0, 1e-12);
    CHECK_RELATIVE(compared_number(&table, 4, "frequency_hz"), 28.0, 1e-12);
    CHECK(summary.worst_difference < 1e-3 && summary.worst_difference_cold < 1e-3);
    /* at 18 Hz the damper sticks where the transient left it */
    CHECK(strcmp(table.settled[0][0], "same") == 0);
    CHECK(strcmp(table.settled[1][0], "offset") == 0);
    CHECK(summary.n_warnings > 0 && strstr(summary.warnings[0], "stands elsewhere") != NULL);
    for (int row = 0; row < table.n_rows; row++) {
        /* a joint that sticks keeps the offset that the transient left */
        bool is_stuck = strcmp(table.measures[row], "h1") == 0;
        CHECK_RELATIVE(compared_number(&table, row, is_stuck ? "m1_h1_cold" : "m1_max_cold"),
                       compared_number(&table, row, is_stuck ? "m1_h1_ti" : "m1_max_ti"), 1e-5);
        CHECK(compared_number(&table, row, "relative_difference_cold") < 1e-3);
    }
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* x'' + 0.1 x' + x + x^3 = 0.5 cos: three motions at 1.6 rad/s, of which the middle one is
 * unstable and not stayed on. */
static struct masing_model *stiffening(double omega_from)
{
    struct masing_spec spec;
    const double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    specimen_ratio(&spec, 0.05);
    specimen_field(specimen_joint(&spec, "cubic", "cubic_spring", MASING_GROUND, 0),
                   "coefficient", 1.0);
    specimen_load(&spec, 0, 0.5);
    spec.omega_from = omega_from;
    spec.omega_to = 3.0;
    compared_harmonics(&spec, 15);
    return integrated_seal(&spec);
}

static void an_unstable_motion_is_left(void)
{
    const double hz = 1.6 / (2.0 * pi);
    struct masing_model *model = stiffening(0.7);
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    const struct masing_compare_options options = {
        .n_frequencies = 1, .frequencies_hz = &hz, .is_cold = true, .tolerance = 1e-3};
    compared_run(model, &options, &table, &summary);
    if (CHECK(table.n_rows == 3 && summary.n_steady == 3)) {
        double reached =
            compared_number(&table, 0, "settled_point_cold"); /* from rest, in all rows */
        CHECK(summary.n_left == 1 && summary.n_failed == 0 && summary.n_passed == 2);
        for (int row = 0; row < 3; row++) {
            bool is_unstable = row == 1,
                 is_reached = compared_number(&table, row, "point") == reached;
            CHECK(isnan(compared_number(&table, row, "passed")) == is_unstable);
            CHECK(compared_number(&table, row, "settled_point_cold") == reached);
            CHECK(strcmp(table.settled[0][row], is_unstable ? "point" : "same") == 0);
            CHECK(strcmp(table.settled[1][row], is_reached ? "same" : "point") == 0);
        }
        double left_for = compared_number(&table, 1, "settled_point");
        CHECK(left_for == compared_number(&table, 0, "point") ||
              left_for == compared_number(&table, 2, "point"));
        CHECK(compared_number(&table, 0, "relative_difference") < 1e-4);
        CHECK(compared_number(&table, 1, "relative_difference") > 0.1);
        CHECK(compared_number(&table, 2, "relative_difference") < 1e-4);
        CHECK(summary.n_warnings == 2 &&
              strstr(summary.warnings[1], "Hz the integration left the solution at point") &&
              strstr(summary.warnings[1],
                     "which is unstable then, and settled on that at point"));
    }
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static void a_coarse_balance_fails_the_tolerance(void)
{
    struct masing_model *model = damper(30.0, 9);
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    struct compared table = {0};
    struct masing_sink sink = compared_sink(&table);
    const double hz[] = {20.0, 27.0};
    const struct masing_compare_options options = {
        .n_frequencies = 2, .frequencies_hz = hz, .tolerance = 2e-4, .has_errors = true};
    CHECK(masing_compare(model, &options, &sink, &summary, &error) == MASING_STOPPED);
    CHECK(summary.is_complete && strstr(error.message, "1 of 2 points differ") != NULL);
    CHECK(compared_number(&table, 0, "passed") == 0.0 &&
          compared_number(&table, 1, "passed") == 1.0);
    for (int row = 0; row < table.n_rows; row++) {
        /* what separates them is what both lack */
        double hb = compared_number(&table, row, "error_hb"),
               ti = compared_number(&table, row, "error_ti");
        double apart = compared_number(&table, row, "m1_h1_difference");
        CHECK(hb > 0.0 && hb < 0.05 && ti > 0.0 && ti < 1e-3);
        CHECK(apart <= 1.5 * (hb + ti) && apart >= 0.5 * fabs(hb - ti));
        CHECK(compared_number(&table, row, "steps_equal") < 1500.0);
        CHECK(compared_number(&table, row, "seconds_equal") > 0.0);
    }
    printf("# errors %.2g and %.2g\n", summary.error_hb, summary.error_ti);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static void what_is_not_periodic_is_left_empty(void)
{
    struct masing_spec spec;
    const double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    specimen_ratio(&spec, 0.001);
    specimen_field(specimen_joint(&spec, "cubic", "cubic_spring", MASING_GROUND, 0),
                   "coefficient", 0.3);
    specimen_load(&spec, 0, 0.5);
    spec.omega_from = 1.5;
    spec.omega_to = 2.0;
    spec.integration.cycles = 3;
    compared_harmonics(&spec, 1);
    struct masing_model *model = integrated_seal(&spec);
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    struct compared table = {0};
    struct masing_sink sink = compared_sink(&table);
    CHECK(masing_compare(model, NULL, &sink, &summary, &error) == MASING_STOPPED);
    CHECK(strstr(error.message, "no steady state within 3 cycles") != NULL);
    CHECK(strcmp(error.message, summary.reason) == 0);
    CHECK(table.n_finished == 1 && table.n_rows == 10 && summary.n_steady < 10);
    int n_empty = 0;
    for (int row = 0; row < table.n_rows; row++) {
        bool is_empty = isnan(compared_number(&table, row, "m1_max_ti"));
        n_empty += is_empty;
        CHECK(is_empty == isnan(compared_number(&table, row, "relative_difference")));
        CHECK(compared_number(&table, row, "m1_max_hb") > 0.0);
    }
    CHECK(n_empty == 10 - summary.n_steady);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static void frequencies_outside_the_range_are_refused(void)
{
    struct masing_model *model = damper(30.0, 7);
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    struct compared table = {0};
    struct masing_sink sink = compared_sink(&table);
    const double hz[] = {20.0, 28.1};
    const struct masing_compare_options options = {.n_frequencies = 2, .frequencies_hz = hz};
    CHECK(masing_compare(model, &options, &sink, &summary, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "28.1 Hz") != NULL);
    CHECK(table.n_columns == 0 && table.n_finished == 0);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A wedge between two blades whose free vibrations die out over thousands of periods. */
static const char wedge[] =
    "masing: 1\nstructure:\n  masses: {A: 1, B: 1, dx: 0.05, dz: 0.05}\n"
    "  springs: [{from: ground, to: A, stiffness: 1e5}, {from: ground, to: B, stiffness: "
    "1.1e5}]\n"
    "  damping: {modal_ratio: 0.002}\nparameters: {c: 0.70710678118654752}\njoints:\n"
    "  - {name: left, law: contact, normal: {dx: -$c, dz: $c, A: $c},\n"
    "     tangential: [{dx: $c, dz: $c, A: -$c}], normal_stiffness: 2e5,\n"
    "     tangential_stiffness: 1e5, friction: 0.3, gap: 0}\n"
    "  - {name: right, law: contact, normal: {dx: $c, dz: $c, B: -$c},\n"
    "     tangential: [{dx: -$c, dz: $c, B: $c}], normal_stiffness: 2e5,\n"
    "     tangential_stiffness: 1e5, friction: 0.3, gap: 0}\n"
    "static_loads: [{dof: dz, force: 100}]\nloads: [{name: f, dof: A, amplitude: 5}]\n"
    "frequency: [40, 80]\nharmonics: 9\noutputs: [A, B, dz]\n";

/* Marching alone needs more than 3,000 periods at the first of these; the amplitude there from
 * shooting with a Runge-Kutta method. */
static void slow_motions_are_shot_for(void)
{
    const double hz[] = {50.87, 51.61};
    const struct masing_compare_options options = {.n_frequencies = 2, .frequencies_hz = hz};
    struct masing_model *model = model_of_text(text_of("%s", wedge));
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    compared_run(model, &options, &table, &summary);
    CHECK(table.n_rows >= 2 && summary.n_steady == table.n_rows);
    for (int i = 0; i < table.n_rows; i++) {
        double cycles = compared_number(&table, i, "cycles");
        printf("# %g Hz: %g cycles\n", compared_number(&table, i, "frequency_hz"), cycles);
        CHECK(cycles < 1000.0);
        if (compared_number(&table, i, "frequency_hz") == hz[0]) {
            CHECK_RELATIVE(compared_number(&table, i, "A_max_ti"), 0.0062429, 1e-3);
        }
    }
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"the damper moves alike at random points", the_damper_moves_alike_at_random_points},
    {"linear motions go on at once", linear_motions_go_on_at_once},
    {"rest leads to the same motion", rest_leads_to_the_same_motion},
    {"an unstable motion is left", an_unstable_motion_is_left},
    {"a coarse balance fails the tolerance", a_coarse_balance_fails_the_tolerance},
    {"slow motions are shot for", slow_motions_are_shot_for},
    {"what is not periodic is left empty", what_is_not_periodic_is_left_empty},
    {"frequencies outside the range are refused", frequencies_outside_the_range_are_refused},
};

TAP_MAIN(tests)
