/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static states of contacts in closed form: sliders at zero or following, gaps that a load
 * closes, bodies that contacts alone hold, a patch that opens under a moment; and contacts in
 * series with nothing but a spring between them.
 */
#include "static_check.h"

static const double kn = 4e4, kt = 3e4, kx = 1e4, ky = 2e4, mu = 0.5;

/* A mass with springs kx, ky (or none) on a contact with the ground, loads on it at rest. */
static char *one_mass(const char *springs, double x, double y, const char *surface,
                      const char *start)
{
    return text_of("masing: 1\n"
                   "structure: {masses: {m.x: 1, m.y: 1}, springs: [%s]}\n"
                   "joints:\n"
                   "  - {name: c, law: contact, normal: {from: ground, to: m.x}, tangential: "
                   "[{from: ground, to: m.y}], normal_stiffness: 4e4, tangential_stiffness: "
                   "3e4, friction: 0.5, %s}\n"
                   "static_loads: [{dof: m.x, force: %g}, {dof: m.y, force: %g}]\n"
                   "start: %s\nfrequency: [10, 20]\noutputs: [m.y]\n",
                   springs, surface, x, y, start);
}

static const char springs[] = "{from: ground, to: m.x, stiffness: 1e4}, {from: ground, to: "
                              "m.y, stiffness: 2e4}";

/* Displacements and forces of the normal and the tangential axis. */
static void expect(char *text, double u, double n, double v, double t)
{
    struct masing_check_result result = {0};
    struct masing_error error;
    if (!CHECK(check_text(text, &result, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
        return;
    }
    CHECK_SCALED(result.static_displacement[0], u, 1e-3, 1e-11);
    CHECK_SCALED(result.static_displacement[1], v, 1e-3, 1e-11);
    CHECK_SCALED(result.static_force[0], n, 30, 1e-11);
    CHECK_SCALED(result.static_force[1], t, 30, 1e-11);
    masing_check_clear(&result);
}

static void refused(char *text, const char *message)
{
    struct masing_check_result result = {0};
    struct masing_error error;
    bool is_refused = CHECK(check_text(text, &result, &error) == MASING_INVALID) &&
                      CHECK(strstr(error.message, message) != NULL);
    if (!is_refused) {
        printf("# %s\n", error.message);
    }
    masing_check_clear(&result);
}

static void sliders_stand_at_zero_or_follow(void)
{
    static const char *const starts[] = {"zero", "previous"};
    const double u = 10 / (kx + kn), limit = mu * (30 + kn * u);
    for (int i = 0; i < 2; i++) {
        expect(one_mass(springs, 10, 5, "preload: 30", starts[i]), u, kn * u, 5 / (ky + kt),
               5 * kt / (ky + kt));
        expect(one_mass(springs, 10, 50, "preload: 30", starts[i]), u, kn * u,
               (50 - limit) / ky, limit);
    }
    expect(one_mass(springs, 10, 5, "preload: 30", "static"), u, kn * u, 5 / ky, 0);
    expect(one_mass(springs, 10, 50, "preload: 30", "static"), u, kn * u, 50 / ky, 0);
    /* lifted off */
    expect(one_mass(springs, -40, 5, "preload: 30", "zero"), (30 - 40) / kx, -30, 5 / ky, 0);
    expect(one_mass(springs, -40, 5, "preload: 30", "static"), (30 - 40) / kx, -30, 5 / ky, 0);
}

/* The slider sticks where it was when the gap closed. */
static void a_load_closes_a_gap(void)
{
    const double gap = 1e-3, u = (20 + kn * gap) / (kx + kn), n = kn * (u - gap);
    /* on the straight path to (u, v): t = kt (v - v gap / u), ky v + t = 5 */
    const double v = 5 / (ky + kt * (1 - gap / u)), t = kt * (v - v * gap / u);
    CHECK(t < mu * n);
    expect(one_mass(springs, 20, 5, "gap: 1e-3", "zero"), u, n, v, t);
    expect(one_mass(springs, 20, 5, "gap: 1e-3", "static"), u, n, 5 / ky, 0);
    expect(one_mass(springs, 9, 5, "gap: 1e-3", "zero"), 9 / kx, 0, 5 / ky, 0);
}

static void contacts_alone_hold_a_body(void)
{
    const double u = 20 / kn;
    expect(one_mass("", 20, 5, "preload: 30", "zero"), u, 20, 5 / kt, 5);
    expect(one_mass("", -20, 4, "preload: 30", "zero"), -u, -20, 4 / kt, 4);
    expect(one_mass("", 20, 0, "preload: 30", "static"), u, 20, 0, 0);
    expect(one_mass("", 0, 0, "preload: 0.3", "static"), 0, 0, 0, 0);
    expect(one_mass("", 20, 0, "gap: 1e-3", "zero"), 1e-3 + u, 20, 0, 0);
    /* rough, N/(k R) = u*^3 - u*^4/2 with u* = 1 at k R/2 */
    expect(one_mass("", 20, 5, "preload: 0, roughness: 1e-3", "zero"), 1e-3, 20, 5 / kt, 5);
    static const char none[] = "no static equilibrium was found: the joints cannot carry";
    refused(one_mass("", -31, 0, "preload: 30", "zero"), none);
    refused(one_mass("", 20, 26, "preload: 30", "zero"), none);
    /* what is missing */
    refused(one_mass("", -31, 0, "preload: 30", "zero"),
            "nothing else restrains the motion of 'm.x': joint 'c' is open");
    refused(one_mass("", -31, 5, "preload: 30", "zero"), "joint 'c' is open");
    refused(one_mass("", 20, 26, "preload: 30", "zero"),
            "nothing else restrains the motion of 'm.y': joint 'c' is at its limit");
    refused(one_mass("", 20, 5, "preload: 30", "static"),
            "nothing else restrains the motion of 'm.y': joint 'c' follows it");
    refused(one_mass("", 20, 5, "preload: 30", "static"),
            "(with 'start: static' sliders carry nothing)");
}

/* Two rows of elements at +-z on a node that turns, and on one that is free to move as well. */
static void a_moment_opens_a_patch(void)
{
    static const char model[] =
        "masing: 1\n"
        "structure: {masses: {m.ry: 1%s}, springs: [{from: ground, to: m.ry, stiffness: 50}]}\n"
        "joints: [{name: c, law: contact_patch, from: ground, to: m, size: [0.1, 0.1], "
        "elements: [2, 2], normal_stiffness: 4e4, tangential_stiffness: 3e4, friction: 0.5, "
        "preload: 30%s}]\n"
        "static_loads: [{dof: m.ry, force: %g}]\n"
        "start: %s\nfrequency: [10, 20]\noutputs: [m.ry]\n";
    static const char *const starts[] = {"zero", "static"};
    const double z = 0.025, small = 0.5, large = 3;
    for (int i = 0; i < 2; i++) {
        struct masing_check_result result = {0};
        struct masing_error error;
        CHECK(check_text(text_of(model, "", "", small, starts[i]), &result, &error) == 0);
        CHECK_RELATIVE(result.static_displacement[0], small / (50 + kn * z * z), 1e-11);
        masing_check_clear(&result);
        /* one row is open: 50 phi + z (15 + kn/2 z phi) = M */
        CHECK(check_text(text_of(model, "", "", large, starts[i]), &result, &error) == 0);
        double phi = (large - 15 * z) / (50 + kn / 2 * z * z);
        CHECK(kn * z * phi > 30);
        CHECK_RELATIVE(result.static_displacement[0], phi, 1e-11);
        CHECK_RELATIVE(result.static_force[0], large - 50 * phi, 1e-11);
        masing_check_clear(&result);
        /* held by the contact alone along x, the preload with a moment: at rest to the bit */
        CHECK(check_text(text_of(model, ", m.x: 1, m.y: 1", ", preload_moment: [0.1, 0.2]", 0.0,
                                 starts[i]),
                         &result, &error) == 0);
        CHECK(result.n_axes == 3 && result.static_force[0] == 0 && result.static_force[2] == 0);
        masing_check_clear(&result);
    }
}

/* m - contact - q - contact - ground, q with a spring and hardly any mass or none */
static char *series(double mass, double stiffness)
{
    return text_of(
        "masing: 1\n"
        "structure:\n"
        "  dofs: [m.x, m.y, q.x, q.y]\n"
        "  mass: [[1,0,0,0],[0,1,0,0],[0,0,%g,0],[0,0,0,%g]]\n"
        "  stiffness: [[1e4,0,0,0],[0,2e4,0,0],[0,0,%g,0],[0,0,0,%g]]\n"
        "  damping: {rayleigh: [5, 0]}\n"
        "joints:\n"
        "  - {name: upper, law: contact, normal: {from: q.x, to: m.x}, tangential: [{from: "
        "q.y, "
        "to: m.y}], normal_stiffness: 4e4, tangential_stiffness: 3e4, friction: 0.5, preload: "
        "10}\n"
        "  - {name: lower, law: contact, normal: {from: ground, to: q.x}, tangential: [{from: "
        "ground, to: q.y}], normal_stiffness: 5e4, tangential_stiffness: 2e4, friction: 0.4, "
        "preload: 10}\n"
        "loads: [{dof: m.y, amplitude: 10}, {dof: m.x, amplitude: 3}]\n"
        "frequency: [18, 21]\nharmonics: 5\noutputs: [m.y, m.x]\n",
        mass, mass, stiffness, stiffness);
}

static void contacts_in_series_are_condensed_or_refused(void)
{
    static const double hz[] = {18.5, 19.5, 20.5};
    static const char *const columns[] = {"m.y_max", "m.x_max", "slip_upper", "slip_lower"};
    struct run massless, light;
    refused(series(0, 0), "DOF 'q.x' has neither mass nor a stiffness that holds it, expected "
                          "one of them (the joints at it, 'upper' and others, cannot");
    char *without = series(0, 1e3), *with = series(1e-8, 1e3);
    run_text(&massless, without, hz, 3);
    run_text(&light, with, hz, 3);
    CHECK(massless.status == MASING_OK && light.status == MASING_OK);
    double most_slip = 0;
    for (int i = 0; i < 3; i++) {
        int row = table_find(&massless.rows, "at", hz[i]);
        int other = table_find(&light.rows, "at", hz[i]);
        for (size_t c = 0; row >= 0 && other >= 0 && c < 2; c++) {
            CHECK_RELATIVE(table_get(&massless.rows, row, columns[c]),
                           table_get(&light.rows, other, columns[c]), 1e-6);
        }
        if (CHECK(row >= 0 && other >= 0)) {
            most_slip = fmax(most_slip, table_get(&massless.rows, row, columns[2]));
        }
    }
    CHECK(most_slip > 0.3);
    run_clear(&massless);
    run_clear(&light);
    free(without);
    free(with);
}

static const struct tap_test tests[] = {
    {"sliders stand at zero or follow", sliders_stand_at_zero_or_follow},
    {"a load closes a gap", a_load_closes_a_gap},
    {"contacts alone hold a body", contacts_alone_hold_a_body},
    {"a moment opens a patch", a_moment_opens_a_patch},
    {"contacts in series are condensed or refused",
     contacts_in_series_are_condensed_or_refused},
};

int main(void)
{
    return tap_run(tests, (int)(sizeof tests / sizeof *tests));
}
