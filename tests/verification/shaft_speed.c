/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frequency of a shaft: engine orders against the frequency of the blade and closed forms;
 * stiffness and preloads that go with the square of its speed.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "harmonic/balance/balance.h"
#include "masing/check.h"
#include "masing/peak.h"
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

/* --- stiffness that goes with the speed --------------------------------------------------- */

/* Natural frequencies omega^2 = omega_0^2 + B Omega^2, and the speed at which order k meets
 * them: Omega^2 = omega_0^2 / (k^2 - B). */
static void stiffened_oscillator(void)
{
    const double m = 2.0, k0 = 3e5, c = 40.0, b = 3.0, f = 7.0;
    const int order = 3;
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {x: 2}\n"
                         "  springs: [{from: ground, to: x, stiffness: 3e5}]\n"
                         "  dampers: [{from: ground, to: x, damping: 40}]\n"
                         "  per_speed_squared: [{from: ground, to: x, stiffness: 3}]\n"
                         "loads: [{dof: x, amplitude: 7, engine_order: %d}]\n"
                         "frequency: [15, 30]\n"
                         "frequency_of: shaft\n"
                         "outputs: [x]\n",
                         order);
    struct run run = {0};
    run_columns(&run, text);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double omega = TWO_PI_ * table_get(&run.rows, r, "frequency_hz"), q = order * omega;
        double complex x = f / (k0 + b * omega * omega - q * q * m + I * q * c);
        double complex own = coefficient(&run.rows, r, "x", order);
        CHECK_SCALED(cabs(own - x), 0.0, cabs(x), 1e-10);
        double lost = 3.0 * 0.5 * TWO_PI_ * c * q * cabs(x) * cabs(x); /* per turn */
        CHECK_RELATIVE(table_get(&run.rows, r, "energy_lost"), lost, 1e-9);
    }
    /* |x|^-2 = (k0 - a Omega^2)^2 + (k c Omega)^2 with a = k^2 m - B */
    double a = order * order * m - b, square = (k0 - 0.5 * pow(order * c, 2.0) / a) / a;
    CHECK_RELATIVE(run.summary.peak.frequency_hz, sqrt(square) / TWO_PI_, 1e-6);
    CHECK_RELATIVE(run.summary.stuck_peak_hz, sqrt(square) / TWO_PI_, 1e-6);
    run_clear(&run);
    free(text);
}

static const char wedge[] = "joints:\n"
                            "  - {name: wedge, law: %s, from: b, to: next.b, stiffness: 5e4, "
                            "%s friction: 0.3, preload: 1, preload_per_speed_squared: 4e-4}\n";

static const char shroud[] =
    "joints:\n"
    "  - {name: shroud, law: contact, normal: {from: next.b, to: b}, tangential: [{from: d, "
    "to: next.d}],\n     normal_stiffness: 5e4, tangential_stiffness: 3e4, friction: 0.4, %s, "
    "preload_per_speed_squared: 4e-4}\n";

static char *turbine_text(bool is_whole, const char *damping, const char *joints,
                          const char *more)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  cyclic: {sectors: 6, unroll: %s}\n"
                   "  masses: {d: 1.3, b: 0.4}\n"
                   "  springs:\n"
                   "    - {from: ground, to: d, stiffness: 2e5}\n"
                   "    - {from: d, to: next.d, stiffness: 3e5}\n"
                   "    - {from: d, to: b, stiffness: 1e5}\n"
                   "  per_speed_squared:\n"
                   "    - {from: d, to: b, stiffness: 1.5}\n"
                   "    - {from: ground, to: d, stiffness: -0.4}\n"
                   "    - {from: b, to: next.d, stiffness: 0.3}\n"
                   "  %s\n%s"
                   "loads:\n"
                   "  - {dof: b, amplitude: 5, engine_order: 2}\n"
                   "  - {dof: d, amplitude: 3, phase: 50, engine_order: 3}\n"
                   "static_loads: [{dof: b, force: 0.5}]\n"
                   "frequency_of: shaft\n"
                   "harmonics: 9\n"
                   "samples: 512\n"
                   "solver: {tolerance: 1e-13}\n"
                   "outputs: [b, d]\n"
                   "%s\n",
                   is_whole ? "true" : "false", damping, joints, more);
}

/* Coefficients of two responses of one point. */
static void compare_points(const char *first, const char *second, double factor,
                           double tolerance)
{
    static const char *const names[] = {"energy_lost", "loss_structure"};
    struct run a = {0}, b = {0};
    run_columns(&a, first);
    run_columns(&b, second);
    double size = table_get(&b.rows, 0, "b_max"), lost = table_get(&b.rows, 0, "energy_in");
    CHECK(size > 0.0);
    for (int h = 0; h <= 9; h++) {
        double complex own =
            h ? coefficient(&a.rows, 0, "b", h) : table_get(&a.rows, 0, "b_mean");
        double complex other =
            h ? coefficient(&b.rows, 0, "b", h) : table_get(&b.rows, 0, "b_mean");
        CHECK_SCALED(cabs(own - other), 0.0, size, tolerance);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_SCALED(factor * table_get(&a.rows, 0, names[i]), table_get(&b.rows, 0, names[i]),
                     lost, 10.0 * tolerance);
    }
    run_clear(&a);
    run_clear(&b);
}

/* At one speed stiffness and preload are those of a structure whose shaft turns as fast, of a
 * whole disk as well; the preload is a number of the file then. */
static void one_speed(void)
{
    static const char *const dampings[] = {
        "damping: {modal_ratio: 0.01}", "damping: {rayleigh: [2, 1e-5]}",
        "damping: {structural: 0.02}",
        "dampers: [{from: b, to: next.d, damping: 2}, {from: ground, to: d, damping: 5}]",
        "damping: {modal_ratio: 0.01, modes: stuck}"};
    const double speed = TWO_PI_ * 27.0;
    char *gap = text_of(shroud, "gap: 1e-4"), *pressed = text_of(shroud, "preload: 2");
    char *jenkins = text_of(wedge, "jenkins", ""), *number = text_of(wedge, "jenkins", "");
    char *at = strstr(number, "preload: 1");
    snprintf(at, 4096, "preload: %.17g}\n", 1.0 + 4e-4 * speed * speed);
    const char *joints[] = {jenkins, gap, pressed};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) {
            const char *spin = strstr(dampings[i], "damp");
            char *fixed = text_of("spin_hz: 27\n  %s", spin);
            char *texts[] = {turbine_text(false, dampings[i], joints[k], "frequency: 27"),
                             turbine_text(false, fixed, joints[k], "frequency: 27"),
                             turbine_text(true, dampings[i], joints[k], "frequency: 27"),
                             turbine_text(false, dampings[i], number, "frequency: 27")};
            compare_points(texts[0], texts[1], 1.0, 1e-10);
            if (i !=
                4) { /* stuck contacts of the disk's mean are not stuck in the same state */
                compare_points(texts[0], texts[2], 6.0, 1e-9);
            }
            if (k == 0) {
                compare_points(texts[0], texts[3], 1.0, 1e-10);
            }
            for (int t = 0; t < 4; t++) {
                free(texts[t]);
            }
            free(fixed);
        }
    }
    free(gap);
    free(pressed);
    free(jenkins);
    free(number);
}

/* --- derivatives -------------------------------------------------------------------------- */

/* The residual's derivative by Omega against central differences. */
static void check_balance(const struct masing_model *model, double omega)
{
    struct balance *balance = NULL;
    struct balance_settings settings = {.n_threads = 1};
    double *guesses = NULL;
    int n_guesses = 0;
    CHECK(balance_create(model, &settings, &balance, NULL) == MASING_OK);
    size_t n = (size_t)balance->n_unknowns;
    double *y = calloc(6 * n + n * n, sizeof *y), *scale = y + n, *at = y + 2 * n;
    double *by_omega = y + 3 * n, *up = y + 4 * n, *down = y + 5 * n, *jacobian = y + 6 * n;
    CHECK(balance_guess(balance, omega, &guesses, &n_guesses, NULL) == MASING_OK);
    memcpy(y, guesses, n * sizeof *y);
    balance_weights(balance, y, scale);
    for (size_t k = 0; k < n; k++) {
        y[k] += (0.1 + 0.05 * sin(3.0 * (double)k)) / scale[k];
    }
    CHECK(balance_evaluate(balance, BALANCE_LAWS, y, omega, at, jacobian, by_omega) ==
          MASING_OK);
    double step = 1e-5 * omega, worst = 0.0, size = 0.0;
    balance_evaluate(balance, BALANCE_LAWS, y, omega + step, up, NULL, NULL);
    balance_evaluate(balance, BALANCE_LAWS, y, omega - step, down, NULL, NULL);
    for (size_t k = 0; k < n; k++) {
        worst = fmax(worst, fabs((up[k] - down[k]) / (2.0 * step) - by_omega[k]));
        size = fmax(size, fabs(by_omega[k]));
    }
    CHECK_SCALED(worst, 0.0, size, 1e-7);
    free(y);
    free(guesses);
    balance_destroy(balance);
}

static void slopes_by_the_speed(void)
{
    static const char *const laws[][2] = {
        {"jenkins", ""}, {"iwan4", "chi: -0.5, beta: 0.5,"}, {"dahl", "exponent: 1,"}};
    char *joints[5] = {text_of(shroud, "gap: 1e-5"), text_of(shroud, "preload: 2")};
    for (int k = 0; k < 3; k++) {
        joints[2 + k] = text_of(wedge, laws[k][0], laws[k][1]);
    }
    for (int k = 0; k < 5; k++) {
        struct masing_model *model = model_of_text(turbine_text(
            false, "damping: {modal_ratio: 0.01}", joints[k], "frequency: [20, 34]"));
        check_balance(model, TWO_PI_ * 27.0);
        masing_model_destroy(model);
        free(joints[k]);
    }
}

/* What a law derives from parameters p, by the square of the speed; twice is once. */
static void check_law(const struct masing_law *law, char *p)
{
    size_t size = law->parameters_size, at = law->speed_offset;
    char *tangent = calloc(1, size);
    char *up = malloc(size), *down = malloc(size), *again = malloc(size);
    double square = 3947.8, step = 1e-2, one = 1.0, more = square + step;
    double less = square - step;
    memcpy(p + at, &square, sizeof square);
    CHECK(masing_law_check(law, p, NULL) == MASING_OK);
    memcpy(again, p, size);
    CHECK(masing_law_check(law, again, NULL) == MASING_OK);
    CHECK(memcmp(again, p, size) == 0);
    memcpy(up, p, size);
    memcpy(down, p, size);
    memcpy(up + at, &more, sizeof more);
    memcpy(down + at, &less, sizeof less);
    CHECK(masing_law_check(law, up, NULL) == MASING_OK);
    CHECK(masing_law_check(law, down, NULL) == MASING_OK);
    memcpy(tangent + at, &one, sizeof one);
    law->derive(p, tangent);
    int n_moved = 0;
    for (int c = 0; c < law->n_constants; c++) {
        double a, b, d, own;
        size_t offset = law->constants[c].offset;
        memcpy(&a, down + offset, sizeof a);
        memcpy(&b, up + offset, sizeof b);
        memcpy(&d, tangent + offset, sizeof d);
        memcpy(&own, p + offset, sizeof own);
        n_moved += isfinite(a) && a != b;
        if (isfinite(a)) {
            CHECK_SCALED((b - a) / (2.0 * step), d, fabs(d) + 1e-9 * fabs(own), 1e-5);
        }
    }
    CHECK(n_moved > 0);
    free(tangent);
    free(up);
    free(down);
    free(again);
}

/* Every law that knows the speed: what it derives, against differences; twice is once. */
static void slopes_of_laws(void)
{
    int n = 0;
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        bool is_contact = (*law)->axis_names != NULL;
        if ((*law)->speed_offset == 0) {
            continue;
        }
        char *example = text_of("%s", (*law)->example), *line = strstr(example, "preload: ");
        char *text = NULL;
        struct masing_document *document = NULL;
        struct masing_spec spec = {0};
        n++;
        CHECK(strcmp((*law)->name, "contact_patch") == 0 || line ||
              strstr(example, "slip_force"));
        char *limit = strstr(example, "slip_force:");
        if (limit) { /* 15 N become 0.5 of 30 N */
            char *rest = strchr(limit, '\n');
            char *other = text_of("%.*sfriction: 0.5\npreload: %g%s", (int)(limit - example),
                                  example, 2.0 * atof(limit + 11), rest ? rest : "");
            free(example);
            example = other;
        }
        char *block = calloc(1, 4096), *to = block;
        for (const char *c = example; *c; c++) {
            *to++ = *c;
            to += *c == '\n' ? sprintf(to, "    ") : 0;
        }
        text =
            text_of("masing: 1\nstructure:\n  spin_hz: 10\n  masses: {n.x: 1, n.y: 1, n.z: 1, "
                    "n.rx: 1, n.ry: 1, n.rz: 1}\n  springs: [{from: ground, to: n.x, "
                    "stiffness: 1e3}]\njoints:\n  - name: j\n    law: %s\n    %s\n    %s\n"
                    "    preload_per_speed_squared: 1e-3\n",
                    (*law)->name,
                    !is_contact                            ? "from: ground\n    to: n.x"
                    : strcmp((*law)->name, "contact") == 0 ? "normal: {from: ground, to: "
                                                             "n.x}\n    tangential: [{from: "
                                                             "ground, to: n.y}]"
                                                           : "from: ground\n    to: n",
                    block);
        free(block);
        struct masing_error error = {0};
        CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) ==
              MASING_OK);
        if (!CHECK(masing_document_spec(document, NULL, 0, &spec, &error) == MASING_OK)) {
            printf("# %s: %s\n%s", (*law)->name, error.message, text);
        } else {
            check_law(*law, spec.joints[0].parameters);
        }
        masing_spec_clear(&spec);
        masing_document_destroy(document);
        free(text);
        free(example);
    }
    CHECK(n >= 8);
}

/* --- peaks that are followed -------------------------------------------------------------- */

/* The followed peak at a value is the peak of the curve there. */
static void followed_peaks(void)
{
    char *joints = text_of(wedge, "jenkins", "");
    char *text = turbine_text(false, "damping: {modal_ratio: 0.01}", joints,
                              "frequency: [46, 80]\npeak: {output: b, measure: amp}");
    struct masing_document *document = NULL;
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    struct masing_error error = {0};
    struct masing_peak_summary summary = {.size = sizeof summary};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    const struct masing_peak_request request = {.size = sizeof request,
                                                .document = document,
                                                .parameter = "wedge.preload_per_speed_squared",
                                                .from = 1e-4,
                                                .to = 1e-3};
    if (!CHECK(masing_peak_follow(&request, NULL, &sink, &summary, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    CHECK(rows.n_rows > 3);
    for (int r = 0; r < rows.n_rows; r += 1 + rows.n_rows / 5) {
        char value[32], *at = strstr(text, "4e-4");
        struct run run = {0};
        snprintf(value, sizeof value, "%.17g",
                 table_get(&rows, r, "wedge.preload_per_speed_squared"));
        char *changed = text_of("%.*s%s%s", (int)(at - text), text, value, at + 4);
        run_columns(&run, changed);
        CHECK_RELATIVE(table_get(&rows, r, "frequency_hz"), run.summary.peak.frequency_hz,
                       1e-6);
        CHECK_RELATIVE(table_get(&rows, r, "b_amp"), run.summary.peak.amp, 1e-8);
        run_clear(&run);
        free(changed);
    }
    masing_peak_summary_clear(&summary);
    table_clear(&rows);
    masing_document_destroy(document);
    free(text);
    free(joints);
}

/* --- lines of frequencies ----------------------------------------------------------------- */

/* Over nodal diameters: ascending orders run to and fro, also where N is odd. */
static void lines_over_diameters(void)
{
    for (int n = 6; n <= 7; n++) {
        char *text = disk_text(n, false, "  - {dof: b, amplitude: 1, engine_order: 2}\n",
                               "frequency: [20, 30]");
        struct masing_model *model = model_of_text(text);
        struct table rows;
        struct masing_sink sink = table_sink(&rows);
        int order = 0, n_modes = 0;
        CHECK(masing_check_lines_of(model) == MASING_LINES_OVER_DIAMETERS);
        CHECK(masing_check_lines(model, &sink, NULL) == MASING_OK);
        double line = table_get(&rows, 2, "line");
        for (int r = 2; r < rows.n_rows; r++) {
            double x = table_get(&rows, r, "x"), hz = table_get(&rows, r, "frequency_hz");
            int own = (int)lround(hz / 10.0); /* the first line is at 20 Hz / 2 */
            bool is_order = fabs(hz - 10.0 * own) < 1e-9;
            if (table_get(&rows, r, "line") == line && is_order) {
                CHECK(own == order++);
                CHECK(x <= 0.5 * n && (own % n == (int)x || own % n == n - (int)x));
            }
            n_modes += table_get(&rows, r, "line") >= line + 2.0;
        }
        CHECK(order > n);
        CHECK(n_modes == 2 * 2 * (n / 2 + 1) + 2); /* free and stuck, and what is excited */
        table_clear(&rows);
        masing_model_destroy(model);
    }
}

/* Over the speed: omega^2 = omega_0^2 + B Omega^2 / m, and where orders meet it. */
static void lines_over_the_speed(void)
{
    const double k0 = 3e5, m = 2.0, b = 3.0;
    struct masing_model *model =
        model_of_text(text_of("masing: 1\n"
                              "structure:\n"
                              "  masses: {x: 2}\n"
                              "  springs: [{from: ground, to: x, stiffness: 3e5}]\n"
                              "  per_speed_squared: [{from: ground, to: x, stiffness: 3}]\n"
                              "  damping: {modal_ratio: 0.01}\n"
                              "loads: [{dof: x, amplitude: 1, engine_order: 3}]\n"
                              "frequency: [15, 30]\nfrequency_of: shaft\noutputs: [x]\n"));
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    int n_on = 0, n_met = 0;
    CHECK(masing_check_lines_of(model) == MASING_LINES_OVER_SPEED);
    CHECK(masing_check_lines(model, &sink, NULL) == MASING_OK);
    for (int r = 2; r < rows.n_rows; r++) {
        double speed = TWO_PI_ * table_get(&rows, r, "x");
        double omega = TWO_PI_ * table_get(&rows, r, "frequency_hz");
        double natural = sqrt((k0 + b * speed * speed) / m);
        bool is_on = fabs(omega - natural) <= 1e-9 * natural;
        double meeting = sqrt(k0 / (9.0 * m - b));
        n_on += is_on;
        n_met += fabs(speed - meeting) <= 1e-4 * meeting && fabs(omega - 3.0 * speed) < 1e-9;
    }
    CHECK(n_on == 2 * 61);
    CHECK(n_met == 2); /* free and stuck */
    table_clear(&rows);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"engine orders are harmonics of the shaft", orders_of_the_blade},
    {"peaks and linear peaks of an engine order", peaks_of_the_blade},
    {"several engine orders at once", several_orders},
    {"a plain oscillator under engine orders", plain_oscillator},
    {"an oscillator that the speed stiffens", stiffened_oscillator},
    {"one speed, as a number of the file and of a whole disk", one_speed},
    {"slopes by the speed", slopes_by_the_speed},
    {"slopes of what laws derive", slopes_of_laws},
    {"peaks that are followed", followed_peaks},
    {"frequencies over nodal diameters", lines_over_diameters},
    {"frequencies over the speed", lines_over_the_speed},
};

TAP_MAIN(tests)
