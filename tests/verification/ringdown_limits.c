/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free decays near the limits of what can be told: modes near to each other, friction that
 * makes a mode many times slower, motions that die out.
 */
#include <complex.h>

#include "ringdown.h"

static const double two_pi = 6.28318530717958647692;

static void decay_text(struct decay *decay, const char *text)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    *decay = (struct decay){0};
    struct masing_sink sink = table_sink(&decay->rows);
    if (CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document,
                                    &decay->error) == MASING_OK &&
              masing_document_model(document, NULL, 0, &model, &decay->error) == MASING_OK)) {
        decay->status = masing_ringdown(model, NULL, &sink, &decay->summary, &decay->error);
    } else {
        printf("# %s\n", decay->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

/* --- two masses of 1 kg, each with a spring of 100 N/m to the ground -------------------------
 */

static void decay_of_two(struct decay *decay, double coupling, const char *damping,
                         const char *more)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "masing: 1\n"
        "structure:\n"
        "  masses: {m1: 1, m2: 1}\n"
        "  springs: [{from: ground, to: m1, stiffness: 100},\n"
        "    {from: m1, to: m2, stiffness: %.10g}, {from: ground, to: m2, stiffness: 100}]\n"
        "  %s\n"
        "frequency: [1, 2]\n"
        "outputs: [m1, m2]\n"
        "ringdown: {initial: {displacements: {m1: 0.1}}%s}\n",
        coupling, damping, more);
    decay_text(decay, text);
    decay_check(decay);
}

/* Nothing but the modal coordinates parts them, exactly. */
static void near_modes_that_are_not_coupled(void)
{
    static const double couplings[] = {20, 10, 5, 3, 1, 0.5, 0.01}; /* 18 % to 0.01 % apart */
    for (int i = 0; i < tap_most(7, 2); i++) {
        struct decay decay;
        decay_of_two(&decay, couplings[i], "damping: {modal_ratio: [0.002, 0.003]}", "");
        CHECK(decay.rows.n_rows == 36 && decay.summary.n_warnings == 0);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            double zeta = table_get(&decay.rows, r, "mode") == 1 ? 0.002 : 0.003;
            CHECK_RELATIVE(table_get(&decay.rows, r, "damping_ratio"), zeta, 1e-4);
        }
        decay_clear(&decay);
    }
}

/* Damping ratios of both modes with dashpots c and d to the ground, from
 * (s^2 + c s + a)(s^2 + d s + a) = k^2. */
static void dashpots_damp(double k, double c, double d, double zeta[2])
{
    double a = 100.0 + k;
    for (int mode = 0; mode < 2; mode++) {
        double complex s = I * sqrt(mode == 0 ? 100.0 : 100.0 + 2.0 * k);
        for (int i = 0; i < 50; i++) {
            double complex first = s * s + c * s + a, second = s * s + d * s + a;
            s -= (first * second - k * k) / ((2.0 * s + c) * second + (2.0 * s + d) * first);
        }
        zeta[mode] = -creal(s) / cabs(s);
    }
}

static void check_coupled(const struct decay *decay, const double zeta[2])
{
    for (int r = 0; r < decay->rows.n_rows; r++) {
        int k = (int)table_get(&decay->rows, r, "mode") - 1;
        double ratio = table_get(&decay->rows, r, "damping_ratio") / zeta[k];
        CHECK(fabs(ratio - 1.0) < fmax(1e-3, decay->summary.modes[k].crowding));
    }
    for (int k = 0; k < 2; k++) {
        const struct masing_ringdown_mode *mode = &decay->summary.modes[k];
        CHECK(mode->n_rows > 0 || mode->n_crowded > 0);
        CHECK((mode->n_crowded == 0 && !(mode->crowding > 1e-3)) ||
              decay->summary.n_warnings > 0);
    }
}

/* Each mode's coordinate holds some of the other: damping is right, or said not to be. */
static void near_modes_that_are_coupled(void)
{
    static const double couplings[] = {20, 10, 5, 3, 1, 0.5};
    int n_rows = 0;
    for (int i = 0; i < tap_most(6, 2); i++) {
        struct decay decay;
        double zeta[2];
        dashpots_damp(couplings[i], 0.05, 0.04, zeta);
        decay_of_two(&decay, couplings[i],
                     "dampers: [{from: ground, to: m1, damping: 0.05}, "
                     "{from: ground, to: m2, damping: 0.04}]",
                     "");
        check_coupled(&decay, zeta);
        n_rows += decay.rows.n_rows;
        decay_clear(&decay);
    }
    CHECK(n_rows >= 24);
}

/* As many steps as the warning asks for. */
static void more_steps_part_near_modes(void)
{
    struct decay decay;
    double zeta[2];
    const char *steps = NULL;
    char more[64];
    const char *damping = "dampers: [{from: ground, to: m1, damping: 0.02}, "
                          "{from: ground, to: m2, damping: 0.03}]";
    dashpots_damp(5.0, 0.02, 0.03, zeta);
    decay_of_two(&decay, 5.0, damping, "");
    CHECK(decay.rows.n_rows == 0);
    if (CHECK(decay.summary.n_warnings > 0)) {
        steps = strstr(decay.summary.warnings[0], "steps: ");
    }
    snprintf(more, sizeof more, ", %.*s", steps ? (int)strcspn(steps, "'") : 0, steps);
    decay_clear(&decay);
    decay_of_two(&decay, 5.0, damping, more);
    CHECK(decay.rows.n_rows >= 16 && decay.summary.n_warnings == 0);
    check_coupled(&decay, zeta);
    decay_clear(&decay);
}

/* --- one mass on a spring, rubbed by a stiff slider ------------------------------------------
 */

static void decay_of_slider(struct decay *decay, double stiffness, double slip,
                            const char *ringdown)
{
    char text[600];
    snprintf(text, sizeof text,
             "masing: 1\n"
             "structure: {masses: {m: 1}, springs: [{from: ground, to: m, stiffness: 100}],\n"
             "  damping: {modal_ratio: 0.002}}\n"
             "joints: [{name: j, law: jenkins, from: ground, to: m, stiffness: %.10g,\n"
             "  slip_force: %g}]\n"
             "frequency: [1, 2]\n"
             "outputs: [m]\n"
             "ringdown: {%s}\n",
             stiffness, slip, ringdown);
    decay_text(decay, text);
}

/*
 * Slipping, omega = 10 and the energy lost in a period at amplitude a is
 * 4 F (a - F/k) + 2 pi zeta 100 a^2; the slider's share of the frequency is small.
 */
static void slow_slipping_is_seen(void)
{
    static const double ratios[] = {12, 25, 60};
    for (int i = 0; i < tap_most(3, 1); i++) {
        struct decay decay;
        double k = 100.0 * (ratios[i] * ratios[i] - 1.0), slip = 0.05;
        char text[100];
        snprintf(text, sizeof text, "initial: {displacements: {m: 1}}, steps: %.0f",
                 17000 * ratios[i]);
        decay_of_slider(&decay, k, slip, text);
        decay_check(&decay);
        CHECK(decay.summary.modes[0].n_growing == 0);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            double a = table_get(&decay.rows, r, "amplitude");
            if (a > 0.05) {
                CHECK_RELATIVE(table_get(&decay.rows, r, "damping_ratio"),
                               0.002 + 4.0 * slip * (a - slip / k) / (two_pi * 100.0 * a * a),
                               0.02);
                CHECK_RELATIVE(table_get(&decay.rows, r, "frequency_hz"), 10.0 / (two_pi),
                               2e-3);
            }
        }
        CHECK(decay.rows.n_rows >= 14 && decay.summary.modes[0].amplitude_to > 0.7);
        decay_clear(&decay);
    }
}

/* All of the record is a small part of a period. */
static void a_stiff_slider_is_refused(void)
{
    struct decay decay;
    decay_of_slider(&decay, 1e10, 10, "initial: {velocities: {m: 5}}");
    CHECK(decay.status == MASING_INVALID &&
          strstr(decay.error.message, "would be needed for mode 1 at 1.592e+04 Hz"));
    decay_clear(&decay);
    decay_of_slider(&decay, 1e10, 1, "initial: {velocities: {m: 5}}, step: 3e-7, steps: 60000");
    decay_check(&decay);
    CHECK(decay.rows.n_rows == 0 && decay.summary.modes[0].n_short > 5);
    CHECK(decay.summary.n_warnings > 0 &&
          strstr(decay.summary.warnings[0], "fewer than 3 periods"));
    decay_clear(&decay);
}

/* --- what dies out ---------------------------------------------------------------------------
 */

static void decay_of_one(struct decay *decay, const char *damping, const char *ringdown)
{
    char text[500];
    snprintf(text, sizeof text,
             "masing: 1\n"
             "structure: {masses: {m: 1}, springs: [{from: ground, to: m, stiffness: 100}],\n"
             "  damping: {modal_ratio: %s}}\n"
             "frequency: [1, 2]\n"
             "outputs: [m]\n"
             "ringdown: {%s}\n",
             damping, ringdown);
    decay_text(decay, text);
}

static void damped_modes_are_followed_while_they_move(void)
{
    static const char *const ratios[] = {"0.01", "0.02", "0.05"};
    for (int i = 0; i < 3; i++) {
        struct decay decay;
        decay_of_one(&decay, ratios[i], "initial: {displacements: {m: 1}}");
        decay_check(&decay);
        CHECK(decay.rows.n_rows >= 8);
        for (int r = 0; r < decay.rows.n_rows; r++) {
            CHECK_RELATIVE(table_get(&decay.rows, r, "damping_ratio"), atof(ratios[i]), 3e-3);
        }
        decay_clear(&decay);
    }
}

static void what_does_not_move_is_said(void)
{
    static const char *const damping[] = {"0.9", "0.01", "0.01"};
    static const char *const starts[] = {"initial: {displacements: {m: 1}}",
                                         "impulse: {mode: 1, amplitude: 0}",
                                         "impulse: {mode: 1, amplitude: 1e-308}"};
    for (int i = 0; i < 3; i++) {
        struct decay decay;
        decay_of_one(&decay, damping[i], starts[i]);
        decay_check(&decay);
        CHECK(decay.rows.n_rows == 0);
        CHECK(decay.summary.n_warnings == 1 &&
              strstr(decay.summary.warnings[0], "mode 1: it does not move, or has died out"));
        decay_clear(&decay);
    }
}

static void a_long_impulse_is_refused(void)
{
    struct decay decay;
    decay_of_one(&decay, "0.01", "impulse: {mode: 1, amplitude: 1, frequency: 1e-9}");
    CHECK(decay.status == MASING_INVALID &&
          strstr(decay.error.message, "ringdown.impulse.frequency: 1e-09 Hz"));
    decay_clear(&decay);
}

static const struct tap_test tests[] = {
    {"near modes that are not coupled", near_modes_that_are_not_coupled},
    {"near modes that are coupled", near_modes_that_are_coupled},
    {"more steps part near modes", more_steps_part_near_modes},
    {"slow slipping is seen", slow_slipping_is_seen},
    {"a stiff slider is refused", a_stiff_slider_is_refused},
    {"damped modes are followed while they move", damped_modes_are_followed_while_they_move},
    {"what does not move is said", what_does_not_move_is_said},
    {"a long impulse is refused", a_long_impulse_is_refused},
};

TAP_MAIN(tests)
