/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sectors with a mesh against the whole disk of copies turned about an oblique axis: natural
 * frequencies, and responses with friction, contacts, static loads, loads and outputs on the
 * boundaries.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "lattice_sector.h"
#include "masing/check.h"
#include "model/cyclic.h"
#include "response.h"

enum { HIGHEST = 3, N_OUTPUTS = 3 };

/* A sum of displacements of up to three nodes, along the axes of their sectors. */
struct sum {
    int n;
    struct {
        int at[3]; /* of the grid; from the end where negative */
        bool is_next;
        double weight[3];
    } terms[3];
};

static int node_of(const struct lattice *l, const int at[3])
{
    int sizes[3] = {l->n_r, l->n_t, l->n_z}, own[3];
    for (int k = 0; k < 3; k++) {
        own[k] = at[k] < 0 ? sizes[k] + 1 + at[k] : at[k];
    }
    return lattice_node(l, own[0], own[1], own[2]);
}

/* {name: weight, ...} of a sector, or of the disk along the axes of the mesh */
static void put_sum(FILE *file, const struct lattice *l, bool is_whole, int sector,
                    const struct sum *sum)
{
    const char *comma = "{";
    for (int t = 0; t < sum->n; t++) {
        double turned[3];
        int own = sector + sum->terms[t].is_next, node = node_of(l, sum->terms[t].at);
        lattice_turn(l, is_whole ? own : 0, sum->terms[t].weight, turned);
        for (int k = 0; k < 3; k++, comma = ", ") {
            if (is_whole) {
                fprintf(file, "%sd%d: %.17g", comma, lattice_dof(l, true, own, node, k),
                        turned[k]);
            } else {
                fprintf(file, "%s%s%d.%c: %.17g", comma, own ? "next." : "", node + 1, "xyz"[k],
                        turned[k]);
            }
        }
    }
    fprintf(file, "}");
}

static const struct sum tip = {1, {{{-1, 1, 0}, false, {0.3, -0.5, 0.9}}}};
static const struct sum edge = {1, {{{-1, -1, -1}, false, {0.8, 0.1, -0.4}}}};
static const struct sum slider = {
    2, {{{-1, 1, 1}, false, {-0.5, 0.6, 0.2}}, {{-1, 1, 1}, true, {0.5, -0.6, -0.2}}}};
static const struct sum on_edge = {
    2, {{{1, -1, 0}, false, {0.2, 0.7, -0.4}}, {{-1, 1, 0}, false, {-0.2, -0.7, 0.4}}}};
static const struct sum normal = {1, {{{-1, -1, 0}, false, {0.6, 0.0, 0.8}}}};
static const struct sum tangent = {1, {{{-1, -1, 0}, false, {0.8, 0.0, -0.6}}}};
static const struct sum outputs[N_OUTPUTS] = {
    {1, {{{-1, 1, 0}, false, {1, 0, 0}}}},
    {2, {{{-1, -1, 0}, false, {0, 1, 0}}, {{1, 0, 0}, false, {0, 0, 1}}}},
    {2, {{{1, 1, 1}, true, {1, -1, 0}}, {{-1, 1, -1}, false, {0, 1, 1}}}}};

struct kind {
    struct lattice lattice;
    int delay;
    bool has_contact, is_sparse;
    double hz;
};

static void put_joints(FILE *file, const struct kind *kind, bool is_whole)
{
    const struct lattice *l = &kind->lattice;
    fprintf(file, "joints:\n");
    for (int s = 0; s < (is_whole ? l->n_sectors : 1); s++) {
        fprintf(file, "  - {name: s%d, law: jenkins, stiffness: 4e4, slip_force: %g, axis: ", s,
                kind->is_sparse ? 0.2 : 1.0);
        put_sum(file, l, is_whole, s, &slider);
        fprintf(file,
                "}\n  - {name: e%d, law: jenkins, stiffness: 3e4, slip_force: 0.8, axis: ", s);
        put_sum(file, l, is_whole, s, &on_edge);
        if (kind->has_contact) {
            fprintf(file,
                    "}\n  - {name: c%d, law: contact, normal_stiffness: 5e4, friction: 0.4, "
                    "tangential_stiffness: 3e4, preload: 2, normal: ",
                    s);
            put_sum(file, l, is_whole, s, &normal);
            fprintf(file, ", tangential: [");
            put_sum(file, l, is_whole, s, &tangent);
            fprintf(file, "]");
        }
        fprintf(file, "}\n");
    }
}

static void put_load(FILE *file, const struct kind *kind, bool is_whole, int harmonic,
                     double amplitude, const struct sum *sum)
{
    const struct lattice *l = &kind->lattice;
    int order = harmonic * kind->delay;
    for (int s = 0; s < (is_whole ? l->n_sectors : 1); s++) {
        fprintf(file, "  - {pattern: ");
        put_sum(file, l, is_whole, s, sum);
        fprintf(file, ", amplitude: %g, harmonic: %d, phase: %.17g", amplitude, harmonic,
                20.0 - 360.0 * (is_whole ? order : 0) * s / l->n_sectors);
        fprintf(file, is_whole ? "}\n" : ", engine_order: %d}\n", order);
    }
}

static void put_static(FILE *file, const struct kind *kind, bool is_whole, const int at[3],
                       const double force[3])
{
    const struct lattice *l = &kind->lattice;
    int node = node_of(l, at);
    for (int s = 0; s < (is_whole ? l->n_sectors : 1); s++) {
        double turned[3];
        lattice_turn(l, is_whole ? s : 0, force, turned);
        for (int k = 0; k < 3; k++) {
            if (is_whole) {
                fprintf(file, "  - {dof: d%d", lattice_dof(l, true, s, node, k));
            } else {
                fprintf(file, "  - {dof: %d.%c", node + 1, "xyz"[k]);
            }
            fprintf(file, ", force: %.17g}\n", turned[k]);
        }
    }
}

static char *text_for(const struct kind *kind, bool is_whole)
{
    const struct lattice *l = &kind->lattice;
    const char *name = is_whole ? "whole" : "sector", *folder = l->folder;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fprintf(file,
            "masing: 1\nstructure:\n  dofs: %s/%s_dofs.txt\n  mass: %s/%s_mass.mtx\n"
            "  stiffness: %s/%s_stiffness.mtx\n  damping: {rayleigh: [2, 1e-6]}\n",
            folder, name, folder, name, folder, name);
    if (!is_whole) {
        fprintf(file,
                "  mesh: %s/sector.inp\n  cyclic: {sectors: %d, low: LOW, high: HIGH, "
                "axis: {point: [0.3, -0.2, 0.1], direction: [1, 2, 2]}}\n",
                folder, l->n_sectors);
    }
    put_joints(file, kind, is_whole);
    fprintf(file, "loads:\n");
    put_load(file, kind, is_whole, 1, 30.0, &tip);
    put_load(file, kind, is_whole, 1, 20.0, &edge);
    put_load(file, kind, is_whole, 2, 8.0, &edge);
    fprintf(file, "static_loads:\n");
    put_static(file, kind, is_whole, tip.terms[0].at, (const double[]){1, 2, -1});
    put_static(file, kind, is_whole, edge.terms[0].at, (const double[]){-0.3, 0.7, 0.5});
    fprintf(file, "frequency: %g\nharmonics: %d\nforces: %s\nsolver: {tolerance: 1e-12}\n",
            kind->hz, HIGHEST, kind->has_contact ? "sampled\nsamples: 512" : "exact");
    fprintf(file, is_whole ? "mode: {number: 1, amplitude: [1, 2]}\n" : ""); /* dense */
    fprintf(file, "outputs:\n");
    for (int o = 0; o < N_OUTPUTS; o++) {
        fprintf(file, "  - {name: out%d, weights: ", o);
        put_sum(file, l, is_whole, 0, &outputs[o]);
        fprintf(file, "}\n");
    }
    fclose(file);
    return text;
}

/* --- natural frequencies ------------------------------------------------------------------ */

/* The lowest [count] of all diameters, those of waves twice. */
static void gather(const struct masing_check_result *result, const double *hz, int n_sectors,
                   int count, double *lowest)
{
    for (int i = 0; i < count; i++) {
        lowest[i] = INFINITY;
    }
    for (int k = 0; k < result->n_modes; k++) {
        int n = result->nodal_diameters ? result->nodal_diameters[k] : 0;
        int copies = n == 0 || 2 * n == n_sectors ? 1 : 2;
        for (int c = 0; c < copies; c++) {
            int i = count;
            for (; i > 0 && lowest[i - 1] > hz[k]; i--) {
                if (i < count) {
                    lowest[i] = lowest[i - 1];
                }
            }
            if (i < count) {
                lowest[i] = hz[k];
            }
        }
    }
}

static void compare_frequencies(const struct kind *kind)
{
    enum { LOWEST = 24 };
    struct masing_check_result sector = {.size = sizeof sector}, whole = {.size = sizeof whole};
    struct masing_model *one = model_of_text(text_for(kind, false));
    struct masing_model *all = model_of_text(text_for(kind, true));
    double own[LOWEST], others[LOWEST];
    CHECK(masing_check(one, NULL, &sector, NULL) == MASING_OK);
    CHECK(masing_check(all, NULL, &whole, NULL) == MASING_OK);
    CHECK((one->cyclic && cyclic_is_condensed(one->cyclic)) == kind->is_sparse);
    for (int stuck = 0; stuck < 2; stuck++) {
        gather(&sector, stuck ? sector.stuck_hz : sector.free_hz, kind->lattice.n_sectors,
               LOWEST, own);
        gather(&whole, stuck ? whole.stuck_hz : whole.free_hz, 0, LOWEST, others);
        for (int i = 0; i < LOWEST; i++) {
            CHECK_RELATIVE(own[i], others[i], 1e-9);
        }
    }
    masing_check_clear(&sector);
    masing_check_clear(&whole);
    masing_model_destroy(one);
    masing_model_destroy(all);
}

/* --- responses ---------------------------------------------------------------------------- */

static void take_coefficients(const struct table *rows, int output, double complex *c)
{
    char name[64];
    snprintf(name, sizeof name, "out%d_mean", output);
    c[0] = table_get(rows, rows->n_rows - 1, name);
    for (int h = 1; h <= HIGHEST; h++) {
        snprintf(name, sizeof name, "out%d_h%d", output, h);
        double size = table_get(rows, rows->n_rows - 1, name);
        snprintf(name, sizeof name, "out%d_h%d_phase_deg", output, h);
        double phase = table_get(rows, rows->n_rows - 1, name);
        c[h] = size > 0.0 ? size * cexp(I * phase * (acos(-1.0) / 180.0)) : 0.0;
    }
}

static void compare_responses(const struct kind *kind)
{
    struct run sector = {0}, whole = {0};
    char *texts[2] = {text_for(kind, false), text_for(kind, true)};
    run_text(&sector, texts[0], NULL, 0);
    run_text(&whole, texts[1], NULL, 0);
    bool are_solved = CHECK(sector.status == MASING_OK && whole.status == MASING_OK);
    for (int o = 0; are_solved && o < N_OUTPUTS; o++) {
        double complex a[HIGHEST + 1], b[HIGHEST + 1];
        take_coefficients(&sector.rows, o, a);
        take_coefficients(&whole.rows, o, b);
        double size = cabs(b[1]);
        for (int h = 0; h <= HIGHEST; h++) {
            CHECK(cabs(a[h] - b[h]) <= 1e-8 * size);
            CHECK(h > 3 || cabs(b[h]) > 1e-6 * size);
        }
    }
    if (are_solved) {
        double n = kind->lattice.n_sectors;
        double whole_in = table_get(&whole.rows, 0, "energy_in");
        CHECK_RELATIVE(n * table_get(&sector.rows, 0, "energy_in"), whole_in, 1e-8);
        CHECK_RELATIVE(n * table_get(&sector.rows, 0, "energy_lost"), whole_in, 1e-7);
        CHECK(table_get(&sector.rows, 0, "slip_s0") > 0.05);
        CHECK(table_get(&sector.rows, 0, "slip_e0") > 0.05);
    }
    run_clear(&sector);
    run_clear(&whole);
    free(texts[0]);
    free(texts[1]);
}

static void compare(struct kind kind)
{
    static const char *const names[] = {
        "sector_dofs.txt", "sector_mass.mtx", "sector_stiffness.mtx", "sector.inp",
        "whole_dofs.txt",  "whole_mass.mtx",  "whole_stiffness.mtx"};
    scratch_make(kind.lattice.folder);
    lattice_write_structure(&kind.lattice, false);
    lattice_write_structure(&kind.lattice, true);
    lattice_write_mesh(&kind.lattice);
    compare_frequencies(&kind);
    compare_responses(&kind);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = text_of("%s/%s", kind.lattice.folder, names[i]);
        remove(path);
        free(path);
    }
    remove(kind.lattice.folder);
}

static void few_dofs(void)
{
    compare((struct kind){{7, 2, 2, 1, ""}, 2, false, false, 60.0});
    compare((struct kind){{5, 2, 2, 1, ""}, -1, false, false, 60.0});
    compare((struct kind){{4, 2, 3, 1, ""}, 1, true, false, 60.0});
}

static void many_dofs(void)
{
    compare((struct kind){{4, 5, 5, 4, ""}, 1, true, true, 9.0});
    compare((struct kind){{3, 5, 5, 4, ""}, 2, false, true, 9.0});
}

static const struct tap_test tests[] = {
    {"few DOFs, dense", few_dofs},
    {"many DOFs, condensed", many_dofs},
};

TAP_MAIN(tests)
