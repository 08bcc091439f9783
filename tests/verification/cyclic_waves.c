/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sector of a disk in a travelling wave against the whole disk, which is an ordinary
 * structure: all harmonics with their phases, and N times the energies.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "response.h"

enum { N_HARMONICS = 7, N_OUTPUTS = 4 };

static const char *const outputs[N_OUTPUTS] = {"b.x", "b.y", "next.d.x", "gap"};

/* What varies from case to case; NULL: none. */
struct disk {
    int n_sectors;
    const char *masses, *springs, *rest; /* of the structure */
    const char *joints, *loads, *more;
    const char *frequency; /* Hz */
};

static char *text_for(const struct disk *disk, bool is_whole)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  cyclic: {sectors: %d, unroll: %s}\n"
                   "  masses: {b.x: 0.4, b.y: 0.5, d.x: 1.3, d.y: 1.3%s}\n"
                   "  springs:\n"
                   "    - {from: ground, to: d.x, stiffness: 2e5}\n"
                   "    - {from: ground, to: d.y, stiffness: 2.5e5}\n"
                   "    - {from: d.x, to: next.d.x, stiffness: 3e5}\n"
                   "    - {from: d.y, to: next.d.y, stiffness: 1e5}\n"
                   "    - {from: d.x, to: b.x, stiffness: 1e5}\n"
                   "    - {from: d.y, to: b.y, stiffness: 1.2e5}\n"
                   "    - {from: b.x, to: next.d.y, stiffness: 1.2e4}\n%s"
                   "  %s\n"
                   "joints:\n%s"
                   "loads:\n%s"
                   "%s\n"
                   "frequency: %s\n"
                   "harmonics: 7\n"
                   "solver: {tolerance: 1e-12}\n"
                   "outputs: [b.x, b.y, next.d.x, {name: gap, from: b.x, to: next.d.y}]\n",
                   disk->n_sectors, is_whole ? "true" : "false",
                   disk->masses ? disk->masses : "", disk->springs ? disk->springs : "",
                   disk->rest ? disk->rest : "damping: {modal_ratio: 0.01}",
                   disk->joints ? disk->joints : "  []\n", disk->loads,
                   disk->more ? disk->more : "", disk->frequency);
}

/* c [N_HARMONICS + 1] of an output, the mean first */
static void take_coefficients(const struct table *rows, const char *output, double complex *c)
{
    char name[64];
    snprintf(name, sizeof name, "%s_mean", output);
    c[0] = table_get(rows, rows->n_rows - 1, name);
    for (int h = 1; h <= N_HARMONICS; h++) {
        snprintf(name, sizeof name, "%s_h%d", output, h);
        double size = table_get(rows, rows->n_rows - 1, name);
        snprintf(name, sizeof name, "%s_h%d_phase_deg", output, h);
        double phase = table_get(rows, rows->n_rows - 1, name);
        c[h] = size > 0.0 ? size * cexp(I * phase * (acos(-1.0) / 180.0)) : 0.0;
    }
}

/* Energies per cycle of both, the whole one's per sector. */
static void compare_energies(const struct disk *disk, const struct run *sector,
                             const struct run *whole, double tolerance)
{
    static const char *const names[] = {"energy_in", "energy_lost", "loss_structure"};
    int n = disk->n_sectors;
    double scale = fabs(table_get(&whole->rows, 0, "energy_in")) + 1e-9;
    for (int i = 0; i < 3; i++) {
        double own = table_get(&sector->rows, 0, names[i]);
        CHECK_SCALED(n * own, table_get(&whole->rows, 0, names[i]), scale, tolerance);
    }
}

/* The largest difference of an output's coefficients, in parts of the output. */
static double compare(const struct disk *disk, double tolerance)
{
    struct run sector = {0}, whole = {0};
    char *texts[2] = {text_for(disk, false), text_for(disk, true)};
    double worst = 0.0;
    run_text(&sector, texts[0], NULL, 0);
    run_text(&whole, texts[1], NULL, 0);
    bool are_solved = CHECK(sector.status == MASING_OK && whole.status == MASING_OK);
    for (int o = 0; are_solved && o < N_OUTPUTS; o++) {
        double complex a[N_HARMONICS + 1], b[N_HARMONICS + 1];
        double size = 0.0, difference = 0.0;
        take_coefficients(&sector.rows, outputs[o], a);
        take_coefficients(&whole.rows, outputs[o], b);
        for (int h = 0; h <= N_HARMONICS; h++) {
            size = fmax(size, cabs(b[h]));
            difference = fmax(difference, cabs(a[h] - b[h]));
        }
        CHECK(size > 0.0);
        worst = fmax(worst, difference / size);
    }
    if (are_solved) {
        compare_energies(disk, &sector, &whole, tolerance);
    }
    if (!CHECK(worst <= tolerance)) {
        printf("# %.3g of %s", worst, texts[0]);
    }
    run_clear(&sector);
    run_clear(&whole);
    free(texts[0]);
    free(texts[1]);
    return worst;
}

static const char damper[] = "  - {name: damper, law: jenkins, from: b.x, to: next.b.x, "
                             "stiffness: 5e4, slip_force: 2}\n";
static const char cubic[] = "  - {name: root, law: cubic_spring, from: ground, to: b.x, "
                            "coefficient: 1e9}\n";
static const char both[] = "  - {name: damper, law: jenkins, from: b.x, to: next.b.x, "
                           "stiffness: 5e4, slip_force: 2}\n"
                           "  - {name: root, law: cubic_spring, from: ground, to: b.x, "
                           "coefficient: 1e9}\n";
static const char across[] = "  - {name: across, law: jenkins, from: b.y, to: next.d.x, "
                             "stiffness: 5e4, slip_force: 1}\n";
static const char shroud[] = "  - {name: shroud, law: contact, normal: {from: b.x, to: "
                             "next.b.x}, tangential: [{from: b.y, to: next.b.y}],\n"
                             "     normal_stiffness: 4e4, tangential_stiffness: 3e4, "
                             "friction: 0.4, preload: 3}\n";
static const char rub[] = "  - {name: rub, law: contact, normal: {from: ground, to: d.x}, "
                          "tangential: [{from: ground, to: d.y}],\n"
                          "     normal_stiffness: 4e4, tangential_stiffness: 3e4, "
                          "friction: 0.4, preload: 3}\n";

static const char damping_matrix[] = "dampers:\n"
                                     "    - {from: b.x, to: next.b.x, damping: 3}\n"
                                     "    - {from: d.x, to: ground, damping: 5}\n"
                                     "    - {from: b.y, to: next.d.x, damping: 2}";

static void engine_orders_and_damping(void)
{
    static const int sectors[] = {5, 6, 12};
    static const char *const joints[] = {both, damper, cubic, across, both};
    static const char *const rest[] = {
        damping_matrix, "damping: {modal_ratio: 0.01}", "damping: {structural: 0.02}",
        "damping: {rayleigh: [2, 1e-5]}", "damping: {modal_ratio: 0.01, modes: stuck}"};
    for (int i = 0; i < tap_most(3, 2); i++) {
        for (int order = 0; order < sectors[i]; order++) {
            for (int k = 0; k < 5; k++) {
                char *loads = text_of("  - {dof: b.x, amplitude: 3, engine_order: %d}\n",
                                      order - (k == 2 ? sectors[i] : 0));
                compare(&(struct disk){.n_sectors = sectors[i],
                                       .joints = joints[k],
                                       .rest = rest[k],
                                       .loads = loads,
                                       .frequency = order == 0 ? "66" : "75"},
                        1e-8);
                free(loads);
            }
        }
    }
}

/* Several loads of one wave, in harmonics whose nodal diameters are 0 and N / 2, with means. */
static void several_harmonics(void)
{
    static const char *const loads[] = {
        "  - {dof: b.x, amplitude: 3, engine_order: 2}\n"
        "  - {dof: b.y, amplitude: 2, phase: 30, engine_order: 6, harmonic: 3}\n",
        "  - {dof: b.x, amplitude: 3, engine_order: -1, phase: 20}\n"
        "  - {dof: d.y, amplitude: 2, phase: 30, engine_order: 3, harmonic: 3}\n"};
    static const char means[] = "static_loads: [{dof: b.x, force: 2}, {dof: d.x, force: -1.5}]";
    for (int i = 0; i < 2; i++) {
        compare(&(struct disk){.n_sectors = 6, /* 3 * 2 mod 6 = 0, 3 * 5 mod 6 = 3 */
                               .joints = both,
                               .loads = loads[i],
                               .more = means,
                               .frequency = "70"},
                1e-8);
        compare(&(struct disk){.n_sectors = 6,
                               .masses = ", m: 0", /* no mass: follows at once */
                               .springs = "    - {from: m, to: b.y, stiffness: 1e5}\n"
                                          "    - {from: m, to: next.b.x, stiffness: 2e4}\n",
                               .joints = across,
                               .loads = loads[i],
                               .frequency = "70"},
                1e-8);
    }
    compare(&(struct disk){.n_sectors = 7, .loads = loads[0], .frequency = "70"}, 1e-8);
}

/* A disk that nothing holds, by a spring that pulls. */
static void free_disk(void)
{
    static const char loose[] = "    - {from: ground, to: d.x, stiffness: -2e5}\n"
                                "    - {from: ground, to: d.y, stiffness: -2.5e5}\n";
    for (int order = 0; order < 3; order++) {
        char *loads = text_of("  - {dof: b.x, amplitude: 3, engine_order: %d}\n", order);
        compare(&(struct disk){.n_sectors = 5,
                               .springs = loose,
                               .joints = damper,
                               .loads = loads,
                               .frequency = "60"},
                1e-8);
        free(loads);
    }
}

/* Modes of waves that are hardly damped are unknowns of their own. */
static void little_damping(void)
{
    static const char *const rest[] = {"damping: {modal_ratio: 1e-7}", ""};
    for (int i = 0; i < 12; i++) {
        int order = i / 2;
        char *loads = text_of("  - {dof: b.x, amplitude: 3, engine_order: %d}\n"
                              "  - {dof: d.y, amplitude: 2, phase: 30, engine_order: %d, "
                              "harmonic: 2}\n",
                              order, 2 * order);
        compare(&(struct disk){.n_sectors = 6,
                               .rest = rest[i % 2],
                               .joints = order % 2 ? both : across,
                               .loads = loads,
                               .frequency = "70"},
                1e-8);
        free(loads);
    }
}

/* The paths of all sectors have the same samples where N divides those of r periods. */
static void sampled_contacts(void)
{
    static const int sectors[] = {4, 8, 16};
    static const char *const joints[] = {shroud, rub};
    for (int i = 0; i < 3; i++) {
        int n = sectors[i], orders[] = {0, 1, n / 2, n - 1};
        for (int k = 0; k < 8; k++) {
            int order = orders[k / 2];
            char *loads = text_of("  - {dof: b.x, amplitude: 4, engine_order: %d}\n"
                                  "  - {dof: b.y, amplitude: 2, phase: 30, engine_order: %d, "
                                  "harmonic: 2}\n",
                                  order, 2 * order);
            compare(&(struct disk){.n_sectors = n,
                                   .joints = joints[k % 2],
                                   .loads = loads,
                                   .more = "samples: 256\nforces: sampled\n"
                                           "static_loads: [{dof: b.x, force: 2}]",
                                   .frequency = "70"},
                    1e-8);
            free(loads);
        }
    }
}

/* Where it does not, they differ by the error of sampling, of second order. */
static void other_samples(void)
{
    double worst[2];
    for (int i = 0; i < 2; i++) {
        worst[i] = compare(&(struct disk){.n_sectors = 6,
                                          .joints = damper,
                                          .loads = "  - {dof: b.x, amplitude: 3, "
                                                   "engine_order: 1}\n",
                                          .more = i ? "samples: 4096\nforces: sampled"
                                                    : "samples: 256\nforces: sampled",
                                          .frequency = "75"},
                           i ? 1e-5 : 1e-3);
    }
    CHECK(worst[0] > 1e-8 && worst[1] < worst[0] / 50);
}

/* The whole curve: as many points, the same peak; rest: damping. */
static void compare_curves(const char *rest)
{
    struct run runs[2] = {{.status = MASING_OK}, {.status = MASING_OK}};
    const struct disk disk = {.n_sectors = 6,
                              .rest = rest,
                              .joints = damper,
                              .loads = "  - {dof: b.x, amplitude: 3, engine_order: 2}\n",
                              .frequency = "[60, 90]"};
    for (int i = 0; i < 2; i++) {
        char *text = text_for(&disk, i == 1);
        run_text(&runs[i], text, NULL, 0);
        CHECK(runs[i].status == MASING_OK);
        free(text);
    }
    const struct masing_response_summary *a = &runs[0].summary, *b = &runs[1].summary;
    CHECK_RELATIVE(a->peak.max, b->peak.max, 1e-7);
    CHECK_RELATIVE(a->peak.frequency_hz, b->peak.frequency_hz, 1e-6);
    CHECK_RELATIVE(a->equivalent_damping_ratio, b->equivalent_damping_ratio, 1e-5);
    CHECK(abs(runs[0].rows.n_rows - runs[1].rows.n_rows) <= 20);
    run_clear(&runs[0]);
    run_clear(&runs[1]);
}

static void whole_curves(void)
{
    compare_curves("damping: {modal_ratio: 0.01}");
    compare_curves(""); /* over a pole of the structure, at which the joints slip */
}

static const struct tap_test tests[] = {
    {"all engine orders, dampings, smooth and exact joints", engine_orders_and_damping},
    {"harmonics in nodal diameters 0 and N / 2, means", several_harmonics},
    {"a disk that nothing holds", free_disk},
    {"little damping, and none", little_damping},
    {"contacts with normal motion, sampled", sampled_contacts},
    {"samples that sectors do not share", other_samples},
    {"whole curves", whole_curves},
};

TAP_MAIN(tests)
