/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sectors by closed forms: frequencies of all nodal diameters, a ring of friction dampers by
 * its describing function; which way a wave travels; what a sector costs.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "harmonic/balance/balance.h"
#include "linalg/eigen.h"
#include "masing/along.h"
#include "masing/check.h"
#include "masing/compare.h"
#include "masing/integrate.h"
#include "masing/mode.h"
#include "model/cyclic.h"
#include "response.h"

static const double TWO_PI_ = 6.28318530717958647692;

/* 4 sin^2(pi n / N): of a spring between neighbours */
static double spring_part(int diameter, int n_sectors)
{
    return 4.0 * pow(sin(0.5 * TWO_PI_ * diameter / n_sectors), 2.0);
}

/* --- natural frequencies ------------------------------------------------------------------ */

static struct masing_check_result checked(char *text)
{
    struct masing_check_result result = {.size = sizeof result};
    struct masing_model *model = model_of_text(text);
    CHECK(model && masing_check(model, NULL, &result, NULL) == MASING_OK);
    masing_model_destroy(model);
    return result;
}

static void chains(void)
{
    static const int sectors[] = {3, 4, 7, 24, 601};
    for (int i = 0; i < 5; i++) {
        int n = sectors[i];
        struct masing_check_result found =
            checked(text_of("masing: 1\nstructure:\n  cyclic: {sectors: %d}\n"
                            "  masses: {m: 0.7}\n  springs:\n"
                            "    - {from: ground, to: m, stiffness: 3e4}\n"
                            "    - {from: m, to: next.m, stiffness: 2e5}\n",
                            n));
        CHECK(found.n_sectors == n && found.n_modes == n / 2 + 1);
        for (int k = 0; k < found.n_modes; k++) {
            double square = (3e4 + 2e5 * spring_part(k, n)) / 0.7;
            CHECK(found.nodal_diameters[k] == k);
            CHECK_RELATIVE(TWO_PI_ * found.free_hz[k], sqrt(square), 1e-10);
            CHECK_RELATIVE(found.free_shapes[k], 1.0 / sqrt(0.7), 1e-10);
        }
        masing_check_clear(&found);
    }
}

/* omega [2] of [[a, b], [conj b, d]] and two masses */
static void roots(double a, double b_square, double d, const double mass[2], double omega[2])
{
    double p = a / mass[0], q = d / mass[1], r = b_square / (mass[0] * mass[1]);
    double middle = 0.5 * (p + q), half = sqrt(0.25 * (p - q) * (p - q) + r);
    omega[0] = sqrt((p * q - r) / (middle + half));
    omega[1] = sqrt(middle + half);
}

/* A blade on a disk, held by the following sector's disk as well; a slider between blades. */
static void two_masses(void)
{
    static const double mass[] = {1.2, 0.4};
    enum { N = 9 };
    struct masing_check_result found =
        checked(text_of("masing: 1\nstructure:\n  cyclic: {sectors: %d}\n"
                        "  masses: {disk: 1.2, blade: 0.4}\n  springs:\n"
                        "    - {from: ground, to: disk, stiffness: 2e5}\n"
                        "    - {from: disk, to: next.disk, stiffness: 3e5}\n"
                        "    - {from: disk, to: blade, stiffness: 1e5}\n"
                        "    - {from: next.disk, to: blade, stiffness: 7e4}\n"
                        "joints: [{name: d, law: jenkins, from: blade, to: next.blade,\n"
                        "          stiffness: 5e4, slip_force: 1}]\n",
                        N));
    CHECK(found.n_modes == 10);
    for (int n = 0; n <= N / 2; n++) {
        double part = spring_part(n, N), free_omega[2], stuck[2];
        double a = 2e5 + 1.7e5 + 3e5 * part, d = 1.7e5;
        double b = 1e10 + 4.9e9 + 2.0 * 7e9 * cos(TWO_PI_ * n / N);
        roots(a, b, d, mass, free_omega);
        roots(a, b, d + 5e4 * part, mass, stuck);
        for (int k = 0; k < 2; k++) {
            double energy = found.stuck_energy[2 * n + k];
            CHECK(found.nodal_diameters[2 * n + k] == n);
            CHECK_RELATIVE(TWO_PI_ * found.free_hz[2 * n + k], free_omega[k], 1e-10);
            CHECK_RELATIVE(TWO_PI_ * found.stuck_hz[2 * n + k], stuck[k], 1e-10);
            /* |blade|^2 of unit modal mass, by the first row of the matrix */
            double ratio = b / pow(a - mass[0] * stuck[k] * stuck[k], 2.0);
            double blade = 1.0 / (mass[1] + mass[0] * ratio);
            CHECK_SCALED(energy, 5e4 * part * blade / (stuck[k] * stuck[k]), 1.0, 1e-9);
        }
    }
    masing_check_clear(&found);
}

/* Two masses of one frequency that nothing couples: two waves all the same. */
static void equal_frequencies(void)
{
    struct masing_check_result found = checked(text_of(
        "masing: 1\nstructure:\n  cyclic: {sectors: 5}\n  masses: {a: 2, b: 2}\n  springs:\n"
        "    - {from: ground, to: a, stiffness: 3e4}\n"
        "    - {from: ground, to: b, stiffness: 3e4}\n"
        "    - {from: a, to: next.a, stiffness: 2e4}\n"
        "    - {from: b, to: next.b, stiffness: 2e4}\n"));
    for (int k = 0; k < 6; k += 2) {
        const double *u = found.free_shapes + 2 * (size_t)k, *v = u + 2;
        CHECK_RELATIVE(found.free_hz[k], found.free_hz[k + 1], 1e-12);
        if (k == 0) {
            CHECK_SCALED(u[0] * v[0] + u[1] * v[1], 0.0, 0.5, 1e-9);
        }
        for (int i = 0; i < 2; i++) {
            CHECK(fabs(u[i]) <= sqrt(0.5) * (1.0 + 1e-9));
        }
    }
    masing_check_clear(&found);
}

/* One ratio for each mode, in every nodal diameter. */
static void ratios(void)
{
    static const double ratio[] = {0.01, 0.03};
    struct masing_model *model = model_of_text(
        text_of("masing: 1\nstructure:\n  cyclic: {sectors: 6}\n  masses: {a: 2, b: 1, m: 0}\n"
                "  springs:\n    - {from: ground, to: a, stiffness: 3e4}\n"
                "    - {from: m, to: next.a, stiffness: 1e4}\n"
                "    - {from: a, to: b, stiffness: 2e4}\n"
                "    - {from: b, to: next.b, stiffness: 2e4}\n"
                "  damping: {modal_ratio: [0.01, 0.03]}\n"
                "loads: [{dof: b, amplitude: 1, engine_order: 1}]\n"));
    CHECK(model->cyclic->n_diameters == 3);
    for (int i = 0; i < model->cyclic->n_diameters; i++) {
        const struct structure *structure = model->cyclic->diameters[i].structure;
        int copies = structure->n_modes / 2;
        for (int k = 0; k < structure->n_modes; k++) {
            CHECK_RELATIVE(structure->modal_damping[k],
                           2.0 * ratio[k / copies] * structure->omega[k], 1e-12);
        }
    }
    masing_model_destroy(model);
}

/* A sector with both of its boundaries as matrices is the same. */
static void matrices(void)
{
    /* a1 - disk - blade on it - the disk of the next sector */
    struct masing_check_result lumped =
        checked(text_of("masing: 1\nstructure:\n  cyclic: {sectors: 8}\n"
                        "  masses: {l: 1, m: 2, b: 0.5}\n  springs:\n"
                        "    - {from: ground, to: m, stiffness: 1e5}\n"
                        "    - {from: l, to: m, stiffness: 2e5}\n"
                        "    - {from: m, to: next.l, stiffness: 4e5}\n"
                        "    - {from: m, to: b, stiffness: 3e5}\n"
                        "    - {from: b, to: next.l, stiffness: 5e4}\n"
                        "joints: [{name: d, law: jenkins, from: b, to: next.b,\n"
                        "          stiffness: 5e4, slip_force: 1}]\n"
                        "loads: [{dof: b, amplitude: 1, engine_order: 3}]\n"));
    struct masing_check_result found = checked(
        text_of("masing: 1\nstructure:\n  cyclic: {sectors: 8, low: [l], high: [h]}\n"
                "  dofs: [l, m, h, b]\n"
                "  mass: [[0.4, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0.6, 0], [0, 0, 0, 0.5]]\n"
                "  stiffness: [[2e5, -2e5, 0, 0], [-2e5, 1e6, -4e5, -3e5],\n"
                "    [0, -4e5, 4.5e5, -5e4], [0, -3e5, -5e4, 3.5e5]]\n"
                "joints: [{name: d, law: jenkins, from: b, to: next.b,\n"
                "          stiffness: 5e4, slip_force: 1}]\n"
                "loads: [{dof: b, amplitude: 1, engine_order: 3}]\n"
                "outputs: [b, h, next.m]\n"));
    CHECK(found.n_dofs == 3 && found.n_modes == 15 && lumped.n_modes == 15);
    for (int k = 0; k < 15; k++) {
        CHECK_RELATIVE(found.free_hz[k], lumped.free_hz[k], 1e-10);
        CHECK_RELATIVE(found.stuck_hz[k], lumped.stuck_hz[k], 1e-10);
    }
    masing_check_clear(&lumped);
    masing_check_clear(&found);
}

/* Blades that are pulled alike do not press the shrouds between them. */
static void pulled_shrouds(void)
{
    for (int n = 3; n < 50; n += 15) {
        struct masing_check_result found = checked(
            text_of("masing: 1\nstructure:\n  cyclic: {sectors: %d, unroll: true}\n"
                    "  masses: {d: 1.3, x: 0.4, y: 0.5}\n  springs:\n"
                    "    - {from: ground, to: d, stiffness: 2e5}\n"
                    "    - {from: d, to: next.d, stiffness: 3e5}\n"
                    "    - {from: d, to: x, stiffness: 1e5}\n"
                    "    - {from: ground, to: y, stiffness: 1.2e5}\n"
                    "    - {from: x, to: next.y, stiffness: 1.2e4}\n"
                    "joints: [{name: shroud, law: contact, normal: {from: x, to: next.x},\n"
                    "          tangential: [{from: y, to: next.y}], normal_stiffness: 4e4,\n"
                    "          tangential_stiffness: 3e4, friction: 0.4, preload: 3}]\n"
                    "static_loads: [{dof: x, force: 2}, {dof: d, force: -1.5}]\n",
                    n));
        CHECK(found.n_axes == 2 * n);
        for (int a = 0; a < found.n_axes; a++) {
            CHECK(fabs(found.static_force[a]) < 1e-12);
            CHECK(fabs(found.static_displacement[a]) < 1e-16);
        }
        masing_check_clear(&found);
    }
}

/* --- a ring of friction dampers ----------------------------------------------------------- */

enum { RING = 24, RING_DOFS = 4 };

/* Disk, root and tip of the blade, ring: shapes [4 * 4] and omega [4] of nodal diameter n. */
static void ring_modes(int n, double *shapes, double *omega)
{
    static const double mass[RING_DOFS] = {1.2, 0.35, 0.25, 0.05};
    double part = spring_part(n, RING);
    const double stiffness[RING_DOFS][RING_DOFS] = {{6e5 + 1e6 + 5e7 * part, -1e6, 0, 0},
                                                    {-1e6, 3e6, -2e6, 0},
                                                    {0, -2e6, 2e6, 0},
                                                    {0, 0, 0, 1e3 + 1e6 * part}};
    for (int i = 0; i < RING_DOFS * RING_DOFS; i++) {
        int row = i % RING_DOFS, column = i / RING_DOFS;
        shapes[i] = stiffness[row][column] / sqrt(mass[row] * mass[column]);
    }
    CHECK(eigen_symmetric(RING_DOFS, true, shapes, omega) == MASING_OK);
    for (int i = 0; i < RING_DOFS * RING_DOFS; i++) {
        shapes[i] /= sqrt(mass[i % RING_DOFS]);
    }
    for (int k = 0; k < RING_DOFS; k++) {
        omega[k] = sqrt(omega[k]);
    }
}

/* Motion of DOF `to` when 1 N acts on `from`. */
static double complex ring_receptance(const double *shapes, const double *omega, double w,
                                      int from, int to)
{
    double complex sum = 0.0;
    for (int k = 0; k < RING_DOFS; k++) {
        const double *shape = shapes + RING_DOFS * k;
        sum += shape[from] * shape[to] /
               (omega[k] * omega[k] - w * w + 2.0 * I * 0.001 * omega[k] * w);
    }
    return sum;
}

/* Spring in series with a slider: force over motion of amplitude a, in the first harmonic. */
static double complex describing(double stiffness, double slip_force, double a)
{
    double reach = slip_force / stiffness;
    if (a <= reach) {
        return stiffness;
    }
    double angle = acos(1.0 - 2.0 * reach / a);
    return stiffness / (2.0 * acos(0.0)) *
           (angle - 0.5 * sin(2.0 * angle) + I * sin(angle) * sin(angle));
}

/* Tip of the blade, of the first solution between 0 and the linear motion. */
static double complex ring_response(double hz, int n, double slip_force)
{
    double shapes[RING_DOFS * RING_DOFS], omega[RING_DOFS], w = TWO_PI_ * hz;
    ring_modes(n, shapes, omega);
#define H(from, to) ring_receptance(shapes, omega, w, from, to)
    double complex own = H(0, 0) + H(3, 3), linear = 20.0 * H(0, 0);
    double low = 0.0, high = 10.0 * cabs(linear);
    for (int i = 0; i < 200; i++) { /* |w| |1 + H k(|w|)| = |w_linear| */
        double a = 0.5 * (low + high);
        bool is_above = a * cabs(1.0 + own * describing(1e7, slip_force, a)) > cabs(linear);
        *(is_above ? &high : &low) = a;
    }
    double complex k = describing(1e7, slip_force, low);
    double complex relative = linear / (1.0 + own * k); /* of the disk against the ring */
    double complex tip = 20.0 * H(0, 2) - H(0, 2) * k * relative;
#undef H
    return tip;
}

static void ring_damper(void)
{
    static const double at_hz[] = {186, 187.5, 189, 190, 190.6, 191, 192, 194};
    enum { N_AT = 8 };
    for (int i = 0; i < 3; i++) {
        double slip_force = i == 0 ? 1.0 : i == 1 ? 3.0 : 10.0;
        struct run run = {0};
        char *text = text_of(
            "masing: 1\nstructure:\n  cyclic: {sectors: 24}\n"
            "  masses: {d: 1.2, a: 0.35, b: 0.25, r: 0.05}\n  springs:\n"
            "    - {from: ground, to: d, stiffness: 6e5}\n"
            "    - {from: d, to: next.d, stiffness: 5e7}\n"
            "    - {from: d, to: a, stiffness: 1e6}\n    - {from: a, to: b, stiffness: 2e6}\n"
            "    - {from: r, to: next.r, stiffness: 1e6}\n"
            "    - {from: ground, to: r, stiffness: 1e3}\n"
            "  damping: {modal_ratio: 0.001}\n"
            "joints: [{name: j, law: jenkins, from: r, to: d, stiffness: 1e7,\n"
            "          slip_force: %g}]\n"
            "loads: [{dof: d, amplitude: 20, engine_order: -2}]\n"
            "frequency: [184, 196]\nharmonics: [1]\noutputs: [b, next.b]\n",
            slip_force);
        run_text(&run, text, at_hz, N_AT);
        CHECK(run.status == MASING_OK);
        for (int k = 0; k < N_AT; k++) {
            int row = table_find(&run.rows, "at", at_hz[k]);
            double complex tip = ring_response(at_hz[k], 2, slip_force);
            if (CHECK(row >= 0)) {
                double phase = table_get(&run.rows, row, "b_h1_phase_deg");
                double next = table_get(&run.rows, row, "next.b_h1_phase_deg");
                CHECK_RELATIVE(table_get(&run.rows, row, "b_h1"), cabs(tip), 1e-6);
                CHECK_SCALED(remainder(phase - carg(tip) * 360.0 / TWO_PI_, 360.0), 0.0, 90.0,
                             1e-6);
                /* orders below 0 run towards falling sectors */
                CHECK_SCALED(remainder(next - phase - 30.0, 360.0), 0.0, 90.0, 1e-9);
            }
        }
        run_clear(&run);
        free(text);
    }
}

/* Double modes of a mass by itself are pushed by nothing but rounding. */
static void masses_by_themselves(void)
{
    const char *text = "masing: 1\nstructure:\n  cyclic: {sectors: 7}\n"
                       "  masses: {m0: 1.861, m1: 1.374, m2: 0.2736, m3: 0.2975}\n  springs:\n"
                       "    - {from: ground, to: m0, stiffness: 17974}\n"
                       "    - {from: ground, to: m1, stiffness: 44457.8}\n"
                       "    - {from: ground, to: m2, stiffness: 74789.9}\n"
                       "    - {from: ground, to: m3, stiffness: 34710.9}\n"
                       "    - {from: next.m1, to: m3, stiffness: 4121.53}\n"
                       "    - {from: m2, to: m1, stiffness: 12560.4}\n"
                       "  damping: {modal_ratio: 1e-7}\n"
                       "joints: [{name: j, law: cubic_spring, coefficient: 4.186e+09, from: "
                       "next.m1, to: m3}]\n"
                       "loads: [{dof: m2, amplitude: 5.39, phase: -90.67, engine_order: -5}]\n"
                       "frequency: 16.33\nsamples: 512\noutputs: [m0, m1]\n";
    struct run run = {0};
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK);
    CHECK(table_get(&run.rows, 0, "m0_max") == 0.0);
    CHECK(table_get(&run.rows, 0, "m1_max") > 1e-6);
    run_clear(&run);
}

/* --- direction and cost ------------------------------------------------------------------- */

static char *turbine(int n_sectors, int order, bool is_mirrored)
{
    return text_of("masing: 1\nstructure:\n  cyclic: {sectors: %d}\n"
                   "  masses: {disk: 1.2, blade: 0.4}\n  springs:\n"
                   "    - {from: ground, to: disk, stiffness: 2e5}\n"
                   "    - {from: disk, to: next.disk, stiffness: 3e5}\n"
                   "    - {from: disk, to: blade, stiffness: 1e5}\n"
                   "    - {from: %s, to: %s, stiffness: 5e4}\n"
                   "  damping: {modal_ratio: 0.01}\n"
                   "joints: [{name: d, law: jenkins, from: blade, to: next.blade,\n"
                   "          stiffness: 5e4, slip_force: 2}]\n"
                   "loads:\n  - {dof: blade, amplitude: 3, engine_order: %d}\n"
                   "  - {dof: disk, amplitude: 9, phase: 90, engine_order: %d}\n"
                   "frequency: [70, 100]\noutputs: [blade, next.blade]\n",
                   n_sectors, is_mirrored ? "disk" : "blade",
                   is_mirrored ? "next.blade" : "next.disk", order, order);
}

/* A load that turns the other way is the disk seen from behind. */
static void rotation(void)
{
    static const double at_hz[] = {75, 85, 95};
    struct run runs[3] = {{.status = MASING_OK}};
    for (int i = 0; i < 3; i++) {
        char *text = turbine(7, i == 2 ? -2 : 2, i > 0);
        run_text(&runs[i], text, at_hz, 3);
        CHECK(runs[i].status == MASING_OK);
        free(text);
    }
    for (int k = 0; k < 3; k++) {
        double size[3], phase[3], next[3];
        for (int i = 0; i < 3; i++) {
            int row = table_find(&runs[i].rows, "at", at_hz[k]);
            size[i] = table_get(&runs[i].rows, row, "blade_h1");
            phase[i] = table_get(&runs[i].rows, row, "blade_h1_phase_deg");
            next[i] = table_get(&runs[i].rows, row, "next.blade_h1_phase_deg");
        }
        CHECK_RELATIVE(size[2], size[0], 1e-8);
        CHECK(fabs(size[1] - size[0]) > 0.01 * size[0]); /* it is not the same from behind */
        CHECK_SCALED(remainder(next[0] - phase[0] + 720.0 / 7.0, 360.0), 0.0, 90.0, 1e-9);
        CHECK_SCALED(remainder(next[2] - phase[2] - 720.0 / 7.0, 360.0), 0.0, 90.0, 1e-9);
    }
    for (int i = 0; i < 3; i++) {
        run_clear(&runs[i]);
    }
}

/* 6 sectors in nodal diameter 1 and 600 in nodal diameter 100 are one response, for which both
 * have as many structures, as large, as many unknowns and points. */
static void cost(void)
{
    static const double at_hz[] = {75, 85, 95};
    static const int sectors[] = {6, 60, 600};
    int n_unknowns[3], n_points[3];
    double size[3];
    for (int i = 0; i < 3; i++) {
        struct run run = {0};
        struct balance *balance = NULL;
        char *text = turbine(sectors[i], sectors[i] / 6, false);
        run_text(&run, text, at_hz, 3);
        struct masing_model *model = model_of_text(text);
        const struct cyclic *cyclic = model->cyclic;
        CHECK(cyclic->n_diameters == 3); /* harmonics 1 to 7: 1, 2, 3 times sectors / 6 */
        for (int k = 0; k < cyclic->n_diameters; k++) {
            CHECK(cyclic->diameters[k].structure->n_dofs == (k < 2 ? 4 : 2));
        }
        CHECK(balance_create(model, &(struct balance_settings){.n_threads = 1}, &balance,
                             NULL) == MASING_OK);
        n_unknowns[i] = balance ? balance->n_unknowns : -1;
        n_points[i] = run.rows.n_rows;
        size[i] = table_get(&run.rows, table_find(&run.rows, "at", 85), "blade_max");
        CHECK(n_unknowns[i] == n_unknowns[0] && abs(n_points[i] - n_points[0]) <= 1);
        CHECK_RELATIVE(size[i], size[0], 1e-9);
        balance_destroy(balance);
        masing_model_destroy(model);
        run_clear(&run);
    }
}

/* The balance's own derivatives, with modes of waves that are unknowns and without. */
static void derivatives(void)
{
    for (int i = 0; i < 2; i++) {
        struct balance *balance = NULL;
        char *text = turbine(6, 1, false), *ratio = strstr(text, "0.01}");
        memcpy(ratio, i ? "0.00}" : "0.01}", 5);
        struct masing_model *model = model_of_text(text);
        CHECK(balance_create(model, &(struct balance_settings){.n_threads = 1}, &balance,
                             NULL) == MASING_OK);
        size_t n = (size_t)balance->n_unknowns;
        CHECK((balance->n_modes > 0) == (i == 1));
        double *y = calloc(7 * n + n * n, sizeof *y), omega = 80 * TWO_PI_;
        double *scale = y + n, *at = y + 2 * n, *by_omega = y + 3 * n, *up = y + 4 * n;
        double *down = y + 5 * n, *unused = y + 6 * n, *jacobian = y + 7 * n;
        double *guesses = NULL;
        int n_guesses = 0;
        CHECK(balance_guess(balance, omega, &guesses, &n_guesses, NULL) == MASING_OK);
        memcpy(y, guesses, n * sizeof *y);
        balance_weights(balance, y, scale);
        for (size_t k = 0; k < n; k++) { /* all harmonics move */
            y[k] += (0.1 + 0.05 * sin(3.0 * (double)k)) / scale[k];
        }
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, omega, at, jacobian, by_omega) ==
              MASING_OK);
        for (size_t j = 0; j <= n; j++) {
            double *x = j < n ? &y[j] : &omega, old = *x, worst = 0.0, size = 0.0;
            double step = j < n ? 1e-5 / scale[j] : 1e-5 * omega;
            *x = old + step;
            balance_evaluate(balance, BALANCE_LAWS, y, omega, up, NULL, NULL);
            *x = old - step;
            balance_evaluate(balance, BALANCE_LAWS, y, omega, down, NULL, NULL);
            *x = old;
            for (size_t k = 0; k < n; k++) {
                double slope = (up[k] - down[k]) / (2.0 * step);
                double exact = j < n ? jacobian[j * n + k] : by_omega[k];
                worst = fmax(worst, fabs(slope - exact));
                size = fmax(size, fabs(exact));
            }
            CHECK_SCALED(worst, 0.0, size, 1e-5);
        }
        free(unused - 6 * n);
        free(guesses);
        balance_destroy(balance);
        masing_model_destroy(model);
    }
}

/* --- what is refused ---------------------------------------------------------------------- */

static void expect_refusal(const char *loads, const char *message)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec = {0};
    struct masing_error error = {0};
    char *text = text_of("masing: 1\nstructure:\n  cyclic: {sectors: 6}\n  masses: {a: 1}\n"
                         "  springs: [{from: ground, to: a, stiffness: 1}]\n"
                         "loads:\n%s",
                         loads);
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_INVALID);
    if (!CHECK(strstr(error.message, message) != NULL)) {
        printf("# %s\n#   expected %s\n", error.message, message);
    }
    error = (struct masing_error){0};
    CHECK(masing_document_spec(document, NULL, 0, &spec, &error) == MASING_INVALID);
    masing_spec_clear(&spec);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
}

static void loads_of_no_wave(void)
{
    expect_refusal("  - {dof: a, amplitude: 1, engine_order: 1}\n"
                   "  - {name: b, dof: a, amplitude: 1, engine_order: 2}\n",
                   "m.yaml:8:51: load 1 (harmonic 1, engine order 1) and load 'b' (harmonic 1, "
                   "engine order 2) share no travelling wave");
    expect_refusal(
        "  - {dof: a, amplitude: 1, engine_order: 3, harmonic: 2}\n",
        "m.yaml:7:42: load 1: engine order 3 in harmonic 2 is no travelling wave of 6 "
        "sectors");
    expect_refusal("  - {dof: next.a, amplitude: 1, engine_order: 1}\n",
                   "m.yaml:7:11: a load on 'a' of another sector");
    expect_refusal("  - {dof: a, amplitude: 1}\n", "m.yaml:7:5: missing key 'engine_order'");
}

/* Along a curve only joints and amplitudes can vary. */
static void numbers_along_a_curve(void)
{
    static const char *const names[] = {"loads.0.engine_order", "structure.cyclic.sectors",
                                        "structure.springs.1.stiffness"};
    static const double ends[3][2] = {{2, 16}, {7, 21}, {1e5, 2e5}};
    char *text = turbine(7, 2, false);
    struct masing_document *document = NULL;
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, NULL) == MASING_OK);
    for (int i = 0; i < 3; i++) {
        struct masing_error error = {0};
        struct masing_along_summary summary = {.size = sizeof summary};
        const struct masing_along_request request = {.size = sizeof request,
                                                     .document = document,
                                                     .frequency_hz = 80,
                                                     .parameter = names[i],
                                                     .from = ends[i][0],
                                                     .to = ends[i][1]};
        CHECK(masing_along(&request, NULL, NULL, &summary, &error) == MASING_UNSUPPORTED);
        if (!CHECK(strstr(error.message, "which is not supported yet") != NULL)) {
            printf("# %s\n", error.message);
        }
    }
    masing_document_destroy(document);
    free(text);
}

static void analyses_to_come(void)
{
    struct masing_error error = {0};
    struct masing_model *model = model_of_text(turbine(6, 1, false));
    const char *refused = "m.yaml:3:11: cyclic: ";
    CHECK(masing_mode(model, NULL, NULL, NULL, &error) == MASING_UNSUPPORTED);
    CHECK(strncmp(error.message, refused, strlen(refused)) == 0);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"frequencies of a chain", chains},
    {"frequencies of two masses", two_masses},
    {"waves of equal frequencies", equal_frequencies},
    {"ratios of modes", ratios},
    {"matrices with their boundaries", matrices},
    {"shrouds of blades that are pulled", pulled_shrouds},
    {"a ring of friction dampers", ring_damper},
    {"masses by themselves", masses_by_themselves},
    {"the sense of rotation", rotation},
    {"the number of sectors costs nothing", cost},
    {"derivatives of the balance", derivatives},
    {"loads that are no wave", loads_of_no_wave},
    {"numbers along a curve", numbers_along_a_curve},
    {"analyses to come", analyses_to_come},
};

TAP_MAIN(tests)
