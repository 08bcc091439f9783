/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Responses with evolution laws from motions so small that a period forgets next to nothing to
 * full slip. Small motions are those of the stuck structure, whatever the law; curves are
 * complete and their energy is balanced in all cases.
 */
#include "response.h"

static const struct specimen {
    const char *name, *law;
} specimens[] = {
    {"dahl, exponent 1", "dahl, stiffness: 40000, slip_force: 15"},
    {"dahl, exponent 0.5", "dahl, stiffness: 40000, slip_force: 15, exponent: 0.5"},
    {"dahl, exponent 2", "dahl, stiffness: 40000, slip_force: 15, exponent: 2"},
    {"bouc_wen, n = 1", "bouc_wen, hysteretic_stiffness: 40000, beta: 2000, gamma: 600, n: 1"},
    {"bouc_wen, n = 1.5",
     "bouc_wen, hysteretic_stiffness: 40000, beta: 2000, gamma: 600, n: 1.5"},
    {"bouc_wen, n = 10", "bouc_wen, hysteretic_stiffness: 40000, beta: 4e34, gamma: 0, n: 10"},
    {"lugre", "lugre, sigma0: 40000, coulomb_force: 15, static_force: 18, sigma1: 20, "
              "sigma2: 10, stribeck_velocity: 0.01"},
    {"valanis", "valanis, initial_stiffness: 40000, slip_stiffness: 500, stick_limit: 15, "
                "transition: 0.5"},
    {"generalized_valanis", "generalized_valanis, e1: 40000, e2: 2600, terms: [{coefficient: "
                            "1e6, power: 1}, {coefficient: 1e9, power: 2, velocity: sign}]"},
};

static void run_at(const struct specimen *specimen, double load_factor, struct run *run)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m1: 1.0, m2: 1.0}\n"
                         "  springs:\n"
                         "    - {from: ground, to: m1, stiffness: 41339}\n"
                         "    - {from: m1, to: m2, stiffness: 41328}\n"
                         "  damping: {modal_ratio: 0.02}\n"
                         "joints: [{name: j, from: ground, to: m1, law: %s}]\n"
                         "loads: [{dof: m2, amplitude: 10}]\n"
                         "load_factor: %.17g\n"
                         "frequency: [18, 28]\n"
                         "harmonics: 7\n"
                         "outputs: [m2]\n",
                         specimen->law, load_factor);
    run_text(run, text, NULL, 0);
    if (!CHECK(run->status == MASING_OK && run->summary.is_complete)) {
        printf("# %s, load factor %g: %s\n", specimen->name, load_factor, run->summary.reason);
    }
    free(text);
}

static void check_energy(const struct specimen *specimen, double load_factor,
                         const struct run *run)
{
    for (int i = 0; i < run->rows.n_rows; i++) {
        double lost = table_get(&run->rows, i, "energy_lost");
        if (!CHECK_RELATIVE(table_get(&run->rows, i, "energy_in"), lost, 1e-6)) {
            printf("# ^ %s, load factor %g, row %d\n", specimen->name, load_factor, i);
            return;
        }
    }
}

static void curves_are_complete_at_all_levels(void)
{
    static const double factors[] = {1e-6, 1e-3, 0.1, 1.0, 3.0};
    for (size_t s = 0; s < sizeof specimens / sizeof *specimens; s++) {
        for (size_t i = 0; i < sizeof factors / sizeof *factors; i += (size_t)tap_most(1, 3)) {
            struct run run;
            run_at(&specimens[s], factors[i], &run);
            check_energy(&specimens[s], factors[i], &run);
            run_clear(&run);
        }
    }
}

/* lugre has viscous damping also where it sticks */
static void small_motions_are_those_of_the_stuck_structure(void)
{
    struct run stuck;
    struct specimen spring = {"spring", "linear, stiffness: 40000"};
    run_at(&spring, 1e-6, &stuck);
    for (size_t s = 0; s < sizeof specimens / sizeof *specimens; s++) {
        struct run run;
        if (strcmp(specimens[s].name, "lugre") == 0) {
            continue;
        }
        run_at(&specimens[s], 1e-6, &run);
        if (!CHECK_RELATIVE(run.summary.peak.max, stuck.summary.peak.max, 2e-4) ||
            !CHECK_RELATIVE(run.summary.peak.frequency_hz, stuck.summary.peak.frequency_hz,
                            2e-5)) {
            printf("# ^ %s\n", specimens[s].name);
        }
        run_clear(&run);
    }
    run_clear(&stuck);
}

/* In deep slip a sample is thousands of the law's lengths: the force must stay smooth enough
 * for the curve to land where it is asked to. */
static void curves_land_on_given_frequencies_in_deep_slip(void)
{
    static const double at[] = {19, 20, 21, 22, 23, 25, 27};
    for (int k = 0; k < 4; k++) {
        static const double load[] = {50, 100, 1e4, 1e6}, transition[] = {0.97, 0.9, 0.5, 0.5};
        struct run run;
        char *text = text_of("masing: 1\n"
                             "structure:\n"
                             "  masses: {m1: 1.0, m2: 1.0}\n"
                             "  springs:\n"
                             "    - {from: ground, to: m1, stiffness: 41339}\n"
                             "    - {from: m1, to: m2, stiffness: 41328}\n"
                             "  damping: {modal_ratio: 0.02}\n"
                             "joints: [{name: j, from: ground, to: m1, law: valanis,\n"
                             "  initial_stiffness: 40000, slip_stiffness: 1000,\n"
                             "  stick_limit: 15, transition: %.17g}]\n"
                             "loads: [{dof: m2, amplitude: %.17g}]\n"
                             "frequency: [18, 28]\n"
                             "harmonics: 9\n"
                             "outputs: [m2]\n",
                             transition[k], load[k]);
        run_text(&run, text, at, 7);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        for (int i = 0; i < 7; i++) {
            CHECK(table_find(&run.rows, "at", at[i]) >= 0);
        }
        run_clear(&run);
        free(text);
    }
}

static const struct tap_test tests[] = {
    {"curves land on given frequencies in deep slip",
     curves_land_on_given_frequencies_in_deep_slip},
    {"curves are complete at all levels", curves_are_complete_at_all_levels},
    {"small motions are those of the stuck structure",
     small_motions_are_those_of_the_stuck_structure},
};

TAP_MAIN(tests)
