/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sectors with a mesh against the whole disk of copies turned about an oblique axis: natural
 * frequencies, and responses with friction, contacts, static loads, loads and outputs on the
 * boundaries; fields over all sectors, which are the motions of the disk.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "lattice_sector.h"
#include "masing/check.h"
#include "masing/motion_field.h"
#include "model/cyclic.h"
#include "response.h"
#include "specimen.h"
#include "vtkhdf_values.h"

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
    bool is_unrolled; /* the sector, which is the disk then */
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
                "axis: {point: [0.3, -0.2, 0.1], direction: [1, 2, 2]}, unroll: %s}\n",
                folder, l->n_sectors, kind->is_unrolled ? "true" : "false");
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
    fprintf(file, is_whole || kind->is_unrolled ? "mode: {number: 1, amplitude: [1, 2]}\n"
                                                : ""); /* dense */
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

/* --- fields ------------------------------------------------------------------------------- */

/* The motion of the whole disk, of which a field is. */
struct taken {
    int n_coefficients, n_dofs;
    double *coefficients;
};

static enum masing_status take(void *context, const struct masing_motion_field *field,
                               struct masing_error *error)
{
    struct taken *taken = context;
    (void)error;
    if (!taken->coefficients) { /* the peak of a single frequency is the same */
        size_t n = (size_t)field->n_dofs * (size_t)field->n_coefficients;
        taken->n_coefficients = field->n_coefficients;
        taken->n_dofs = field->n_dofs;
        taken->coefficients = specimen_array(n, sizeof(double));
        memcpy(taken->coefficients, field->coefficients, n * sizeof(double));
    }
    return MASING_OK;
}

static bool run_fields(const char *text, double hz, const struct masing_motion_field_sink *sink)
{
    struct run run = {0};
    const struct masing_response_options options = {
        .n_at = 1, .at_hz = &hz, .stability = MASING_STABILITY_NONE, .fields = sink};
    run_with(&run, text, &options);
    bool is_done = CHECK(run.status == MASING_OK);
    if (!is_done) {
        printf("# %s\n", run.error.message);
    }
    run_clear(&run);
    return is_done;
}

/* The field of a sector in a file, and its static state; false where HDF5 is not installed. */
static bool write_field(const struct kind *kind, const char *file, const char *at_rest)
{
    struct masing_error error = {0};
    struct masing_motion_field_files *files = NULL;
    char *text = text_for(kind, false);
    struct masing_model *model = model_of_text(text_for(kind, false));
    enum masing_status status =
        masing_motion_field_files_create(masing_model_spec(model), file, 0, &files, &error);
    if (status == MASING_UNSUPPORTED) {
        printf("# skipped: %s\n", error.message);
    } else if (CHECK(status == MASING_OK)) {
        const struct masing_motion_field_sink sink = masing_motion_field_files_sink(files);
        run_fields(text, kind->hz, &sink);
        if (!CHECK(masing_mesh_write(model, at_rest, &error) == MASING_OK)) {
            printf("# %s\n", error.message);
        }
    }
    masing_motion_field_files_destroy(files);
    masing_model_destroy(model);
    free(text);
    return status == MASING_OK;
}

/* What a coefficient of the disk is called, and its sign there: a - i b. */
static const char *array_of(int coefficient, char name[40], double *sign)
{
    int h = (coefficient + 1) / 2;
    *sign = h > 0 && coefficient % 2 == 0 ? -1.0 : 1.0;
    snprintf(name, 40, h == 0 ? "PointData/u_mean" : "PointData/u_h%d_%s", h,
             coefficient % 2 ? "real" : "imag");
    return name;
}

/* Worst difference of the values of all points in parts of the largest. */
static double off_from_disk(const struct kind *kind, const struct taken *taken, int c,
                            double sign, const double *values)
{
    const struct lattice *l = &kind->lattice;
    double largest = 0.0, off = 0.0;
    for (int i = 0; i < 3 * lattice_nodes(l) * l->n_sectors; i++) {
        int node = i / 3 % lattice_nodes(l), sector = i / 3 / lattice_nodes(l);
        int dof = lattice_dof(l, true, sector, node, i % 3);
        double there =
            dof >= 0 ? sign * taken->coefficients[dof * taken->n_coefficients + c] : 0.0;
        largest = fmax(largest, fabs(there));
        off = fmax(off, fabs(values[i] - there));
        off = isfinite(values[i]) ? off : INFINITY;
    }
    return off / largest;
}

static void check_points(const struct kind *kind, const double *points)
{
    const struct lattice *l = &kind->lattice;
    for (int p = 0; p < lattice_nodes(l) * l->n_sectors; p++) {
        double place[3], turned[3];
        lattice_place(l, p % lattice_nodes(l), place);
        lattice_turn(l, p / lattice_nodes(l), place, turned);
        for (int k = 0; k < 3; k++) {
            CHECK(fabs(points[3 * p + k] - lattice_point[k] - turned[k]) <= 1e-12);
        }
    }
}

/* rest [n] of the sector, NAN: not known yet, becomes that of the disk. */
static void check_rest(const char *file, int n, double *rest)
{
    double *there = specimen_array((size_t)n, sizeof *there), largest = 0.0;
    vtkhdf_read(file, "PointData/u_static", n, n, there);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(there[i]));
    }
    CHECK(largest > 0.0);
    for (int i = 0; i < n; i++) {
        CHECK(isnan(rest[i]) || fabs(rest[i] - there[i]) <= 1e-9 * largest);
        rest[i] = there[i];
    }
    free(there);
}

static void check_field(const struct kind *kind, const struct taken *whole, double *rest)
{
    const struct lattice *l = &kind->lattice;
    char file[SCRATCH_PATH + 40], at_rest[SCRATCH_PATH + 40], written[SCRATCH_PATH + 80];
    int n = 3 * lattice_nodes(l) * l->n_sectors;
    double *values = specimen_array((size_t)n, sizeof *values);
    snprintf(file, sizeof file, "%s/field.vtkhdf", l->folder);
    snprintf(at_rest, sizeof at_rest, "%s/rest.vtkhdf", l->folder);
    snprintf(written, sizeof written, "%s/field_%.10ghz.vtkhdf", l->folder, kind->hz);
    if (write_field(kind, file, at_rest)) {
        double worst = 0.0;
        for (int c = 0; c < whole->n_coefficients; c++) {
            char name[40];
            double sign;
            vtkhdf_read(written, array_of(c, name, &sign), n, n, values);
            worst = fmax(worst, off_from_disk(kind, whole, c, sign, values));
        }
        printf("# %g Hz: %.2g\n", kind->hz, worst);
        CHECK(worst <= 1e-8);
        vtkhdf_read(written, "Points", n, n, values);
        check_points(kind, values);
        check_rest(at_rest, n, rest);
        vtkhdf_read(at_rest, "PointData/RIM", n / 3, n, values);
        for (int p = 0; p < n / 3; p++) {
            int at[3];
            lattice_grid(l, p % lattice_nodes(l), at);
            CHECK(values[p] == (at[0] == l->n_r && at[2] == 0 ? 1.0 : 0.0));
        }
    }
    remove(written);
    remove(at_rest);
    free(values);
}

static void compare_fields(const struct kind *kind)
{
    struct taken whole = {0};
    struct kind unrolled = *kind;
    const struct masing_motion_field_sink sink = {&whole, take};
    char *text = text_for(kind, true);
    size_t n = 3 * (size_t)(lattice_nodes(&kind->lattice) * kind->lattice.n_sectors);
    double *rest = specimen_array(n, sizeof *rest);
    unrolled.is_unrolled = true;
    for (size_t i = 0; i < n; i++) {
        rest[i] = NAN;
    }
    if (run_fields(text, kind->hz, &sink) && CHECK(whole.coefficients)) {
        check_field(kind, &whole, rest);
        check_field(&unrolled, &whole, rest);
    }
    free(rest);
    free(whole.coefficients);
    free(text);
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
    compare_fields(&kind);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = text_of("%s/%s", kind.lattice.folder, names[i]);
        remove(path);
        free(path);
    }
    remove(kind.lattice.folder);
}

static void few_dofs(void)
{
    compare((struct kind){{7, 2, 2, 1, ""}, 2, false, false, 60.0, false});
    compare((struct kind){{5, 2, 2, 1, ""}, -1, false, false, 60.0, false});
    compare((struct kind){{4, 2, 3, 1, ""}, 1, true, false, 60.0, false});
}

static void many_dofs(void)
{
    compare((struct kind){{4, 5, 5, 4, ""}, 1, true, true, 9.0, false});
    compare((struct kind){{3, 5, 5, 4, ""}, 2, false, true, 9.0, false});
}

/* Of the example, whose axis is z: those of sector 3 of 12 are turned by a right angle. */
static void pairs_are_those_of_all_sectors(void)
{
    enum { N_PAIRS = 4, N_SECTORS = 12, N_VALUES = 3 * N_PAIRS * N_SECTORS };
    static const char *const arrays[] = {"Points", "PointData/normal"};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char path[SCRATCH_PATH], file[SCRATCH_PATH + 40], pairs[SCRATCH_PATH + 40];
    char *name = text_of("%s/examples/disk_sector.yaml", root ? root : ".");
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    double values[N_VALUES];
    scratch_make(path);
    snprintf(file, sizeof file, "%s/rest.vtkhdf", path);
    snprintf(pairs, sizeof pairs, "%s/rest_pairs.vtkhdf", path);
    CHECK(masing_document_read(name, &document, &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    enum masing_status status = masing_mesh_write(model, file, &error);
    CHECK(status == MASING_OK || status == MASING_UNSUPPORTED); /* without HDF5 */
    for (size_t a = 0; status == MASING_OK && a < 2; a++) {
        vtkhdf_read(pairs, arrays[a], N_VALUES, N_VALUES, values);
        for (int p = 0; p < N_PAIRS; p++) {
            const double *own = values + 3 * p, *turned = own + (size_t)(9 * N_PAIRS);
            CHECK(hypot(own[0], own[1]) > 0.05);
            CHECK(fabs(turned[0] + own[1]) <= 1e-12 && fabs(turned[1] - own[0]) <= 1e-12);
            CHECK(fabs(turned[2] - own[2]) <= 1e-12);
        }
    }
    remove(file);
    remove(pairs);
    remove(path);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(name);
}

static const struct tap_test tests[] = {
    {"pairs of all sectors", pairs_are_those_of_all_sectors},
    {"few DOFs, dense", few_dofs},
    {"many DOFs, condensed", many_dofs},
};

TAP_MAIN(tests)
