/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multipliers from the changes of state that the balance knows against those of the same motion
 * step by step, with so many steps that these are exact enough: two stops, a rod of many modes,
 * a contact that slips, opens and loses its slider.
 */
#include "linalg/eigen.h"
#include "multipliers.h"
#include "stability/floquet.h"

enum { STATES = 512 };

/* Changes of state in a period that a point has to have to be looked at; whether at_hz alone
 * are. */
static int fewest_changes, n_steps = 4096;
static double tolerance;
static bool only_at;

static bool is_at(double omega)
{
    bool is = !only_at;
    for (int k = 0; k < N_AT; k++) {
        is = is || fabs(omega - TWO_PI * at_hz[k]) < 1e-9 * omega;
    }
    return is;
}

static void check_steps(struct found *found, const struct balance *balance, double omega)
{
    if (found->result.n_changes < fewest_changes || !is_at(omega)) {
        return;
    }
    static double real[STATES], imaginary[STATES];
    struct arena arena = {0};
    struct floquet *floquet = NULL;
    struct eigen_general *eigen = NULL;
    struct masing_error error = {0};
    int n_modes = found->n_modes > 0 ? found->n_modes : balance->structure->n_modes;
    if (CHECK(floquet_create(balance, n_modes, STATES, &arena, &floquet, &error) ==
              MASING_OK) &&
        CHECK(floquet_evaluate(floquet, balance, omega, n_steps, balance->n_coefficients) ==
              MASING_OK) &&
        CHECK(eigen_general_create(floquet->variation->n, false, &eigen, &error) ==
              MASING_OK)) {
        CHECK(eigen_general_solve(eigen, floquet->variation->n, floquet->variation->map, real,
                                  imaginary, NULL) == MASING_OK);
        CHECK_SCALED(found->largest[found->n_points - 1],
                     largest(floquet->variation->n, real, imaginary), 1.0,
                     tolerance + (found->few_modes ? found->result.error : 0.0));
        found->n_checked++;
    }
    eigen_general_destroy(eigen);
    arena_clear(&arena);
}

static void two_stops(void)
{
    struct found found = {.check = check_steps};
    fewest_changes = 1;
    tolerance = 1e-4;
    only_at = false;
    follow("masing: 1\n"
           "structure:\n"
           "  masses: {m1: 1, m2: 1}\n"
           "  springs:\n"
           "    - {from: ground, to: m1, stiffness: 41339}\n"
           "    - {from: m1, to: m2, stiffness: 41328}\n"
           "  damping: {modal_ratio: [0.02, 0.01]}\n"
           "joints:\n"
           "  - {name: j, from: ground, to: m1, law: unilateral_spring, stiffness: 1e5,\n"
           "     gap: 0.0003, two_sided: true}\n"
           "loads: [{dof: m2, amplitude: 10}]\n"
           "frequency: [16, 30]\n"
           "harmonics: 7\n"
           "samples: 4096\n"
           "outputs: [m2]\n",
           &found);
    CHECK(found.n_checked > 20);
}

/* A rod of so many masses on springs, with two dampers; frequencies such that at_hz are on its
 * first resonance. */
static char *rod(int n)
{
    char masses[4096] = "", springs[16384] = "";
    size_t m = 0, s = 0;
    for (int i = 1; i <= n; i++) {
        m += (size_t)snprintf(masses + m, sizeof masses - m, "%sm%d: %g", i > 1 ? ", " : "", i,
                              i < n ? 0.02 : 0.01);
        s += (size_t)snprintf(springs + s, sizeof springs - s,
                              "    - {from: %s%.0d, to: m%d, stiffness: 4e5}\n",
                              i > 1 ? "m" : "ground", i - 1, i);
    }
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {%s}\n"
                   "  springs:\n%s"
                   "  damping: {modal_ratio: 0.02}\n"
                   "joints:\n"
                   "  - {name: s1, law: jenkins, from: ground, to: m%d, stiffness: 2400,\n"
                   "     slip_force: 10.5}\n"
                   "  - {name: s2, law: jenkins, from: ground, to: m%d, stiffness: 2400,\n"
                   "     slip_force: 14.1}\n"
                   "loads: [{dof: m%d, amplitude: 15}]\n"
                   "frequency: [18, 40]\n"
                   "harmonics: [1, 3, 5, 7]\n"
                   "outputs: [m%d]\n",
                   masses, springs, n / 2, n, n, n);
}

static void many_modes(void)
{
    struct found found = {.check = check_steps, .few_modes = true, .n_modes = 24};
    char *text = rod(50);
    fewest_changes = 1;
    tolerance = 1e-4;
    only_at = true;
    follow(text, &found);
    CHECK(found.n_checked >= 2);
    free(text);
}

/* The sliders' share of a period with the contact open, closed, slipping either way. */
static void opening(void)
{
    struct found found = {.check = check_steps};
    fewest_changes = 3;
    n_steps = 8192;
    tolerance = 5e-4;
    only_at = false;
    follow("masing: 1\n"
           "structure:\n"
           "  masses: {x: 1, y: 1}\n"
           "  springs:\n"
           "    - {from: ground, to: x, stiffness: 20000}\n"
           "    - {from: ground, to: y, stiffness: 30000}\n"
           "    - {from: x, to: y, stiffness: 3000}\n"
           "  damping: {modal_ratio: 0.02}\n"
           "joints:\n"
           "  - {name: foot, law: contact, normal: {from: ground, to: x},\n"
           "     tangential: [{from: ground, to: y}], normal_stiffness: 30000,\n"
           "     tangential_stiffness: 25000, friction: 0.4, preload: 15}\n"
           "loads:\n"
           "  - {dof: x, amplitude: 9}\n"
           "  - {dof: y, amplitude: 6, phase: 40}\n"
           "frequency: [18, 45]\n"
           "harmonics: 11\n"
           "outputs: [y]\n",
           &found);
    CHECK(found.n_checked > 20);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"two stops, point by point", two_stops},
        {"a rod of fifty masses with few of its modes", many_modes},
        {"a contact that opens", opening},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
