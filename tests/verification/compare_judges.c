/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison takes for a difference, and what it says of integrations that do not end.
 */
#include "compared.h"

static const double pi = 3.14159265358979323846;

/* Two masses with a damper, loaded at a multiple of the frequency; 0: not at all. */
static void begin_damper(struct masing_spec *spec, double slip_force, int harmonic)
{
    const double masses[] = {1.0, 1.0};
    integrated_begin(spec, 2, masses);
    specimen_spring(spec, MASING_GROUND, 0, 41339.0);
    specimen_spring(spec, 0, 1, 41328.0);
    specimen_ratio(spec, 0.02);
    struct masing_joint_spec *joint =
        specimen_joint(spec, "damper", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 40000.0);
    specimen_field(joint, "slip_force", slip_force);
    if (harmonic > 0) {
        specimen_load(spec, 1, 10.0)->harmonic = harmonic;
    }
}

static void set_odd_multiples(struct masing_spec *spec, int harmonic, int count)
{
    free(spec->harmonics);
    spec->n_harmonics = count;
    spec->harmonics = specimen_array((size_t)count, sizeof(int));
    for (int k = 0; k < count; k++) {
        spec->harmonics[k] = harmonic * (2 * k + 1);
    }
}

/* The same motion, counted in periods three times as long: the same differences. */
static void another_fundamental_changes_nothing(void)
{
    double differences[2][4];
    for (int harmonic = 1; harmonic <= 3; harmonic += 2) {
        struct masing_spec spec;
        begin_damper(&spec, 5.0, harmonic);
        set_odd_multiples(&spec, harmonic, 9);
        double hz = 24.0 / harmonic;
        spec.omega_from = 2.0 * pi * 22.0 / harmonic;
        spec.omega_to = 2.0 * pi * 26.0 / harmonic;
        /* rows at the same times; the step's period error is then another */
        spec.integration.method = MASING_INTEGRATION_ACCURATE;
        spec.integration.steps_per_cycle = 500 * harmonic;
        struct masing_model *model = integrated_seal(&spec);
        struct masing_compare_summary summary = {0};
        struct compared table = {0};
        const struct masing_compare_options options = {
            .n_frequencies = 1, .frequencies_hz = &hz, .tolerance = 1e-2, .has_errors = true};
        compared_run(model, &options, &table, &summary);
        double *found = differences[harmonic / 2];
        found[0] =
            compared_number(&table, 0, harmonic == 1 ? "m2_h3_difference" : "m2_h9_difference");
        found[1] = compared_number(&table, 0, "m2_max_difference");
        found[2] = summary.error_hb;
        found[3] = summary.error_ti;
        CHECK(strcmp(table.settled[0][0], "same") == 0 && summary.n_passed == 1);
        CHECK(summary.n_warnings == 0);
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
    for (int i = 0; i < 3; i += 2) {
        CHECK(differences[0][i] > 1e-7 && differences[0][i] < 1e-2);
        /* what twice the harmonics are depends on the list */
        CHECK_RELATIVE(differences[1][i], differences[0][i], i == 0 ? 0.02 : 0.2);
    }
    CHECK(fabs(differences[1][1] - differences[0][1]) < 1e-6);
    CHECK(differences[0][3] < 1e-5 && differences[1][3] < 1e-5);
}

/* What no damping ends goes on for ever, but not if it begins on the periodic motion. */
static void what_does_not_settle_from_rest_is_told(void)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 1.0};
    integrated_begin(&spec, 2, masses);
    specimen_spring(&spec, MASING_GROUND, 0, 41339.0);
    specimen_spring(&spec, 0, 1, 41328.0);
    specimen_load(&spec, 1, 10.0);
    spec.omega_from = 2.0 * pi * 22.0;
    spec.omega_to = 2.0 * pi * 28.0;
    spec.integration.cycles = 40;
    compared_harmonics(&spec, 3);
    struct masing_model *model = integrated_seal(&spec);
    for (int is_judged = 0; is_judged < 2; is_judged++) {
        struct masing_compare_summary summary = {0};
        struct compared table = {0};
        struct masing_error error = {0};
        struct masing_sink sink = compared_sink(&table);
        const struct masing_compare_options options = {
            .n_points = 3, .is_cold = true, .tolerance = is_judged ? 1e-3 : 0.0};
        CHECK(masing_compare(model, &options, &sink, &summary, &error) == MASING_STOPPED);
        CHECK(strstr(error.message, "3 of 3 integrations from rest, first at 22 Hz: no steady "
                                    "state within 40 cycles") != NULL);
        CHECK(summary.n_steady == 3 && summary.n_steady_cold == 0);
        CHECK(isnan(summary.worst_difference_cold) && summary.n_warnings == 3);
        CHECK(summary.n_warnings > 0 &&
              strstr(summary.warnings[0], "22 Hz, from rest") != NULL);
        CHECK(summary.n_failed == 3 * is_judged);
        CHECK(isnan(compared_number(&table, 0, "m1_max_cold")));
        masing_compare_summary_clear(&summary);
    }
    masing_model_destroy(model);
}

/* Nothing moves: the largest difference is none, somewhere. */
static void nothing_differs_from_nothing(void)
{
    struct masing_spec spec;
    begin_damper(&spec, 5.0, 0);
    spec.omega_from = 2.0 * pi * 22.0;
    spec.omega_to = 2.0 * pi * 28.0;
    struct masing_model *model = integrated_seal(&spec);
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    const struct masing_compare_options options = {.n_points = 2, .tolerance = 1e-6};
    compared_run(model, &options, &table, &summary);
    CHECK(summary.worst_difference == 0.0 && summary.n_passed == 2);
    CHECK(summary.worst_hz >= 22.0 && isnan(summary.worst_difference_cold));
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A joint that sticks on another mass says nothing about what the balance lacks here: the mean.
 */
static void a_slider_that_sticks_excuses_only_what_it_moves(void)
{
    static const int harmonics[] = {1, 2, 3, 5};
    const double hz = 28.0, masses[] = {1.0, 1.0, 1.0};
    double found[2][3];
    for (int has_idle = 0; has_idle < 2; has_idle++) {
        struct masing_spec spec;
        integrated_begin(&spec, 3, masses);
        specimen_spring(&spec, MASING_GROUND, 0, 41339.0);
        specimen_spring(&spec, 0, 1, 41328.0);
        specimen_spring(&spec, MASING_GROUND, 2, 10000.0);
        specimen_ratio(&spec, 0.02);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "damper", "jenkins", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 40000.0);
        specimen_field(joint, "slip_force", 5.0);
        if (has_idle) {
            joint = specimen_joint(&spec, "idle", "jenkins", MASING_GROUND, 2);
            specimen_field(joint, "stiffness", 1000.0);
            specimen_field(joint, "slip_force", 50.0);
        }
        specimen_load(&spec, 1, 10.0);
        specimen_load(&spec, 1, 4.0)->harmonic = 2;
        free(spec.harmonics);
        spec.n_harmonics = 4;
        spec.harmonics = specimen_array(4, sizeof(int));
        memcpy(spec.harmonics, harmonics, sizeof harmonics);
        spec.omega_from = 2.0 * pi * 18.0;
        spec.omega_to = 2.0 * pi * 28.0;
        struct masing_model *model = integrated_seal(&spec);
        struct masing_compare_summary summary = {0};
        struct compared table = {0};
        const struct masing_compare_options options = {.n_frequencies = 1,
                                                       .frequencies_hz = &hz};
        compared_run(model, &options, &table, &summary);
        found[has_idle][0] = compared_number(&table, 0, "m1_max_difference");
        found[has_idle][1] = compared_number(&table, 0, "m1_mean_difference");
        found[has_idle][2] = summary.worst_difference;
        CHECK(strcmp(table.measures[0], "max") == 0 && summary.n_stuck == 0);
        CHECK(summary.n_warnings == 1 && strstr(summary.warnings[0], "the two differ by"));
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(found[0][i] > 0.02);
        CHECK_RELATIVE(found[1][i], found[0][i], 1e-6);
    }
}

/* It stands where the transient left it, and means and maxima with it: taken out, both agree.
 */
static void what_a_slider_moves_is_taken_out(void)
{
    struct masing_spec spec;
    begin_damper(&spec, 15.0, 1);
    spec.omega_from = 2.0 * pi * 18.0;
    spec.omega_to = 2.0 * pi * 18.5;
    spec.integration.steps_per_cycle = 1000;
    compared_harmonics(&spec, 15);
    struct masing_model *model = integrated_seal(&spec);
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    const double hz = 18.0;
    const struct masing_compare_options options = {
        .n_frequencies = 1, .frequencies_hz = &hz, .is_cold = true, .tolerance = 1e-4};
    compared_run(model, &options, &table, &summary);
    double own = compared_number(&table, 0, "m1_max_hb");
    double cold = compared_number(&table, 0, "m1_max_cold");
    CHECK(strcmp(table.settled[1][0], "offset") == 0 && strcmp(table.measures[0], "h1") == 0);
    CHECK(fabs(cold / own - 1.0) > 1e-2);
    CHECK(summary.n_passed == 1 && summary.largest_difference > 0.0);
    CHECK(summary.n_stuck == 1 && summary.n_warnings == 1);
    printf("# %.3g and %.3g, of all %.1e\n", own, cold, summary.largest_difference);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* Where it stands after it slipped for a while is nobody's business. */
static void a_mass_on_a_slider_stands_anywhere(void)
{
    struct masing_spec spec;
    const double mass = 1.0, hz = 28.0;
    integrated_begin(&spec, 1, &mass);
    struct masing_joint_spec *joint = specimen_joint(&spec, "pad", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 30000.0);
    specimen_field(joint, "slip_force", 4.0);
    specimen_load(&spec, 0, 10.0);
    spec.omega_from = 2.0 * pi * 27.0;
    spec.omega_to = 2.0 * pi * 29.0;
    compared_harmonics(&spec, 15);
    struct masing_model *model = integrated_seal(&spec);
    struct masing_compare_summary summary = {0};
    struct compared table = {0};
    const struct masing_compare_options options = {
        .n_frequencies = 1, .frequencies_hz = &hz, .is_cold = true, .tolerance = 1e-3};
    compared_run(model, &options, &table, &summary);
    double own = compared_number(&table, 0, "m1_max_hb");
    CHECK(fabs(compared_number(&table, 0, "m1_max_cold") / own - 1.0) > 0.1);
    CHECK(strcmp(table.settled[1][0], "offset") == 0 && summary.n_passed == 1);
    CHECK(summary.worst_difference_cold < 1e-3);
    CHECK(summary.n_warnings > 0 &&
          strstr(summary.warnings[summary.n_warnings - 1], "nothing brings it back") != NULL);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"another fundamental changes nothing", another_fundamental_changes_nothing},
    {"what does not settle from rest is told", what_does_not_settle_from_rest_is_told},
    {"a slider that sticks excuses only what it moves",
     a_slider_that_sticks_excuses_only_what_it_moves},
    {"what a slider moves is taken out", what_a_slider_moves_is_taken_out},
    {"a mass on a slider stands anywhere", a_mass_on_a_slider_stands_anywhere},
    {"nothing differs from nothing", nothing_differs_from_nothing},
};

TAP_MAIN(tests)
