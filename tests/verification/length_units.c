/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model whose lengths are given in other units has the same response, whichever law its joint
 * has. Forces and times stay what they are, so that every number changes by a power of the
 * unit.
 */
#include "response.h"

enum { MAX_KEYS = 8, N_AT = 5 };

static const double at[N_AT] = {19.0, 20.7, 21.5, 23.0, 26.0};

/* A number of a law, with the exponent of metres in its unit. */
struct key {
    const char *name;
    double value, metres;
};

static const struct specimen {
    const char *law, *more;
    struct key keys[MAX_KEYS];
} specimens[] = {
    {"jenkins", "", {{"stiffness", 4e4, -1}, {"slip_force", 15, 0}}},
    {"iwan4",
     "",
     {{"stiffness", 4e4, -1}, {"slip_force", 15, 0}, {"chi", -0.4, 0}, {"beta", 0.7, 0}}},
    {"mindlin", "", {{"slip_force", 15, 0}, {"slip_displacement", 5e-4, 1}}},
    {"ramberg_osgood",
     "",
     {{"stiffness", 4e4, -1}, {"yield_force", 15, 0}, {"exponent", 5, 0}}},
    {"rough_interface",
     "",
     {{"stiffness", 4e4, -1},
      {"slip_force", 15, 0},
      {"slip_displacement", 1e-3, 1},
      {"parallel_stiffness", 1e3, -1}}},
    {"dahl", "", {{"stiffness", 4e4, -1}, {"slip_force", 15, 0}, {"exponent", 1.4, 0}}},
    {"bouc_wen",
     "",
     {{"hysteretic_stiffness", 4e4, -1},
      {"beta", 2e6, -2},
      {"gamma", 1e6, -2},
      {"n", 2, 0},
      {"linear_stiffness", 500, -1}}},
    {"lugre",
     "",
     {{"sigma0", 4e4, -1},
      {"sigma1", 20, -1},
      {"sigma2", 10, -1},
      {"coulomb_force", 15, 0},
      {"static_force", 18, 0},
      {"stribeck_velocity", 0.01, 1}}},
    {"valanis",
     "",
     {{"initial_stiffness", 4e4, -1},
      {"slip_stiffness", 500, -1},
      {"stick_limit", 15, 0},
      {"transition", 0.4, 0}}},
    {"generalized_valanis",
     ", terms: [{coefficient: $C, power: 1}]",
     {{"e1", 4e4, -1}, {"e2", 2500, -1}}},
};

static char *model_text(const struct specimen *specimen, double unit)
{
    char keys[600] = "";
    for (int k = 0; k < MAX_KEYS && specimen->keys[k].name; k++) {
        const struct key *key = &specimen->keys[k];
        size_t used = strlen(keys);
        snprintf(keys + used, sizeof keys - used, ", %s: %.17g", key->name,
                 key->value * pow(unit, -key->metres));
    }
    return text_of("masing: 1\n"
                   "parameters: {M: %.17g, C: %.17g}\n"
                   "structure:\n"
                   "  masses: {m1: $M, m2: $M}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: %.17g}\n"
                   "    - {from: m1, to: m2, stiffness: %.17g}\n"
                   "  damping: {modal_ratio: 0.02}\n"
                   "joints: [{name: j, law: %s, from: ground, to: m1%s%s}]\n"
                   "loads: [{dof: m2, amplitude: 10}]\n"
                   "frequency: [18, 28]\n"
                   "harmonics: [1, 3, 5]\n"
                   "samples: 256\n"
                   "solver: {tolerance: 1e-11}\n"
                   "outputs: [m2]\n",
                   unit, 1e6 * unit * unit, 41339 * unit, 41328 * unit, specimen->law, keys,
                   specimen->more);
}

static void run_unit(const struct specimen *specimen, double unit, struct run *run)
{
    char *text = model_text(specimen, unit);
    run_text(run, text, at, N_AT);
    if (!CHECK(run->status == MASING_OK && run->summary.is_complete)) {
        printf("# %s, unit %g: %s\n", specimen->law, unit, run->summary.reason);
    }
    free(text);
}

static void check_specimen(const struct specimen *specimen)
{
    static const char *const columns[] = {"m2_max", "m2_h1", "m2_h3", "energy_lost"};
    struct run base;
    run_unit(specimen, 1.0, &base);
    for (int side = -1; side <= 1; side += 2) {
        double unit = pow(10.0, 6 * side); /* metres */
        struct run run;
        run_unit(specimen, unit, &run);
        for (int i = 0; i < N_AT; i++) {
            int expected = table_find(&base.rows, "at", at[i]);
            int found = table_find(&run.rows, "at", at[i]);
            if (!CHECK(expected >= 0 && found >= 0)) {
                continue;
            }
            for (int c = 0; c < 4; c++) {
                double value = table_get(&base.rows, expected, columns[c]) / unit;
                double scale = c == 2 ? table_get(&base.rows, expected, "m2_h1") / unit : value;
                if (!CHECK_SCALED(table_get(&run.rows, found, columns[c]), value, scale,
                                  1e-9)) {
                    printf("# ^ %s at %g Hz, unit %g, %s\n", specimen->law, at[i], unit,
                           columns[c]);
                }
            }
        }
        run_clear(&run);
    }
    run_clear(&base);
}

static void units_of_length_change_no_response(void)
{
    for (size_t i = 0; i < sizeof specimens / sizeof *specimens; i++) {
        check_specimen(&specimens[i]);
    }
}

static const struct tap_test tests[] = {
    {"units of length change no response", units_of_length_change_no_response},
};

TAP_MAIN(tests)
