/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frequency of a shaft: engine orders against the frequency of the blade and closed forms.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "response.h"

static const double TWO_PI_ = 6.283185307179586;

/* Coefficient of harmonic h of an output at a row. */
static double complex coefficient(const struct table *rows, int row, const char *output, int h)
{
    char name[64];
    snprintf(name, sizeof name, "%s_h%d", output, h);
    double size = table_get(rows, row, name);
    snprintf(name, sizeof name, "%s_h%d_phase_deg", output, h);
    double phase = table_get(rows, row, name);
    return size > 0.0 ? size * cexp(I * phase * TWO_PI_ / 360.0) : 0.0;
}

static void run_columns(struct run *run, const char *text)
{
    run_with(run, text,
             &(struct masing_response_options){.columns = MASING_COLUMNS_HARMONICS |
                                                          MASING_COLUMNS_ENERGY});
    if (!CHECK(run->status == MASING_OK)) {
        printf("# %s\n%s", run->error.message, text);
    }
}

/* --- engine orders ------------------------------------------------------------------------ */

static char *disk_text(int n_sectors, bool is_whole, const char *loads, const char *more)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  cyclic: {sectors: %d, unroll: %s}\n"
                   "  masses: {d: 1.3, b: 0.4}\n"
                   "  springs:\n"
                   "    - {from: ground, to: d, stiffness: 2e5}\n"
                   "    - {from: d, to: next.d, stiffness: 3e5}\n"
                   "    - {from: d, to: b, stiffness: 1e5}\n"
                   "  damping: {modal_ratio: 0.01}\n"
                   "joints:\n"
                   "  - {name: damper, law: jenkins, from: b, to: next.b, stiffness: 5e4, "
                   "slip_force: 2}\n"
                   "loads:\n%s"
                   "%s\n"
                   "solver: {tolerance: 1e-12}\n"
                   "outputs: [b, d]\n",
                   n_sectors, is_whole ? "true" : "false", loads, more);
}

/* Harmonic m of the blade is harmonic m k of the shaft; a turn has k cycles. */
static void orders_of_the_blade(void)
{
    for (int k = 1; k <= 9; k += 2) {
        struct run shaft = {0}, blade = {0};
        char *load = text_of("  - {dof: b, amplitude: 5, phase: 20, engine_order: %d}\n", k);
        char *of_shaft = text_of("frequency: %.17g\nfrequency_of: shaft", 75.0 / k);
        char *texts[] = {disk_text(12, false, load, of_shaft),
                         disk_text(12, false, load, "frequency: 75\nharmonics: 7")};
        run_columns(&shaft, texts[0]);
        run_columns(&blade, texts[1]);
        for (int m = 1; m <= 7; m++) {
            double complex own = coefficient(&shaft.rows, 0, "b", m * k);
            double complex other = coefficient(&blade.rows, 0, "b", m);
            double size = cabs(coefficient(&blade.rows, 0, "b", 1));
            CHECK_SCALED(cabs(own - other), 0.0, size, 1e-9);
        }
        CHECK_RELATIVE(table_get(&shaft.rows, 0, "energy_lost"),
                       k * table_get(&blade.rows, 0, "energy_lost"), 1e-9);
        run_clear(&shaft);
        run_clear(&blade);
        for (int i = 0; i < 2; i++) {
            free(texts[i]);
        }
        free(load);
        free(of_shaft);
    }
}

/* The same peak and linear peaks, at the k-th part of the frequency. */
static void peaks_of_the_blade(void)
{
    struct run shaft = {0}, blade = {0};
    const char *load = "  - {dof: b, amplitude: 5, engine_order: 3}\n";
    char *texts[] = {disk_text(12, false, load, "frequency: [20, 35]\nfrequency_of: shaft"),
                     disk_text(12, false, load, "frequency: [60, 105]\nharmonics: 7")};
    run_columns(&shaft, texts[0]);
    run_columns(&blade, texts[1]);
    const struct masing_response_summary *a = &shaft.summary, *b = &blade.summary;
    CHECK_RELATIVE(3.0 * a->peak.frequency_hz, b->peak.frequency_hz, 1e-7);
    CHECK_RELATIVE(a->peak.max, b->peak.max, 1e-8);
    CHECK_RELATIVE(3.0 * a->stuck_peak_hz, b->stuck_peak_hz, 1e-6);
    CHECK_RELATIVE(3.0 * a->free_peak_hz, b->free_peak_hz, 1e-6);
    CHECK_RELATIVE(a->stuck_peak, b->stuck_peak, 1e-8);
    CHECK_RELATIVE(a->free_peak, b->free_peak, 1e-8);
    CHECK_RELATIVE(a->equivalent_damping_ratio, b->equivalent_damping_ratio, 1e-6);
    run_clear(&shaft);
    run_clear(&blade);
    free(texts[0]);
    free(texts[1]);
}

/* Several orders, also of nodal diameters 0 and N / 2, against the whole disk. */
static void several_orders(void)
{
    static const char *const loads[] = {
        "  - {dof: b, amplitude: 5, engine_order: 2}\n"
        "  - {dof: b, amplitude: 3, phase: 50, engine_order: 3}\n",
        "  - {dof: b, amplitude: 5, engine_order: 5}\n"
        "  - {dof: d, amplitude: 3, engine_order: 6}\n"
        "  - {dof: b, amplitude: 2, phase: 50, harmonic: 3}\n"};
    for (int i = 0; i < 2; i++) {
        struct run sector = {0}, whole = {0};
        const char *more = "frequency: 24\nfrequency_of: shaft\nharmonics: 12";
        char *texts[] = {disk_text(6, false, loads[i], more),
                         disk_text(6, true, loads[i], more)};
        run_columns(&sector, texts[0]);
        run_columns(&whole, texts[1]);
        double size = table_get(&whole.rows, 0, "b_max");
        for (int h = 1; h <= 12; h++) {
            double complex own = coefficient(&sector.rows, 0, "b", h);
            CHECK_SCALED(cabs(own - coefficient(&whole.rows, 0, "b", h)), 0.0, size, 1e-8);
        }
        CHECK(size > 0.0);
        run_clear(&sector);
        run_clear(&whole);
        free(texts[0]);
        free(texts[1]);
    }
}

/* An oscillator under two engine orders: x_k = F_k / (k0 - (k Omega)^2 m + i k Omega c). */
static void plain_oscillator(void)
{
    static const int orders[] = {2, 5};
    struct run run = {0};
    const double m = 2.0, k0 = 3e5, c = 40.0, omega = TWO_PI_ * 30.0;
    run_columns(&run, "masing: 1\n"
                      "structure:\n"
                      "  masses: {x: 2}\n"
                      "  springs: [{from: ground, to: x, stiffness: 3e5}]\n"
                      "  dampers: [{from: ground, to: x, damping: 40}]\n"
                      "loads:\n"
                      "  - {dof: x, amplitude: 7, engine_order: 2}\n"
                      "  - {dof: x, amplitude: 3, phase: -70, engine_order: 5}\n"
                      "frequency: 30\n"
                      "frequency_of: shaft\n"
                      "outputs: [x]\n");
    for (int i = 0; i < 2; i++) {
        double q = orders[i] * omega;
        double complex force = i == 0 ? 7.0 : 3.0 * cexp(-I * 70.0 * TWO_PI_ / 360.0);
        double complex x = force / (k0 - q * q * m + I * q * c);
        double complex own = coefficient(&run.rows, 0, "x", orders[i]);
        CHECK_SCALED(cabs(own - x), 0.0, cabs(x), 1e-10);
    }
    run_clear(&run);
}

static const struct tap_test tests[] = {
    {"engine orders are harmonics of the shaft", orders_of_the_blade},
    {"peaks and linear peaks of an engine order", peaks_of_the_blade},
    {"several engine orders at once", several_orders},
    {"a plain oscillator under engine orders", plain_oscillator},
};

TAP_MAIN(tests)
