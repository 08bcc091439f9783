/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields as files: values over the nodes of a mesh as HDF5 reads them, against outputs, what
 * presses contacts, and a reduced structure.
 */
#include "data/mesh/mesh.h"
#include "masing/motion_field.h"
#include "response.h"
#include "scratch.h"
#include "vtkhdf_values.h"

enum { N_NODES = 48, N_PAIRS = 6, LONGEST = 3 * N_NODES };

static char folder[SCRATCH_PATH];

static char *in_folder(const char *name)
{
    return text_of("%s/%s", folder, name);
}

static char *example(const char *name)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    return text_of("%s/examples/%s", root ? root : ".", name);
}

/* As many values as there are, at most LONGEST; NAN: not there. */
static void read_values(const char *name, const char *set, int n, double values[LONGEST])
{
    char *file = in_folder(name);
    vtkhdf_read(file, set, n, LONGEST, values);
    free(file);
}

/* The response of a model with its field in folder/NAME; false where HDF5 is not installed. */
static bool respond(struct run *run, const char *text, const char *name)
{
    char *file = in_folder(name), *model_name = example("m.yaml");
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_motion_field_files *files = NULL;
    struct masing_sink rows = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    run->status = masing_document_parse(text, strlen(text), model_name, &document, &run->error);
    run->status = run->status ? run->status
                              : masing_document_model(document, NULL, 0, &model, &run->error);
    run->status = run->status ? run->status
                              : masing_motion_field_files_create(masing_model_spec(model), file,
                                                                 0, &files, &run->error);
    if (run->status == MASING_OK) {
        const struct masing_motion_field_sink fields = masing_motion_field_files_sink(files);
        const struct masing_response_options options = {.stability = MASING_STABILITY_NONE,
                                                        .columns = MASING_COLUMNS_HARMONICS,
                                                        .fields = &fields};
        run->status = masing_frf(model, &options, &rows, NULL, &run->summary, &run->error);
    }
    bool is_there = run->status != MASING_UNSUPPORTED;
    if (!is_there) {
        printf("# skipped: %s\n", run->error.message);
    } else if (!CHECK(run->status == MASING_OK)) {
        printf("# %s\n", run->error.message);
    }
    CHECK(!is_there || masing_motion_field_files_name(files, 0) != NULL);
    masing_motion_field_files_destroy(files);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(model_name);
    free(file);
    return is_there && run->status == MASING_OK;
}

/* Bolts press with 5 MPa on 1500 mm^2, a weight with another 3 N. */
#define LAP                                                                                    \
    "masing: 1\nstructure: {calculix: overlap, mesh: overlap.inp, damping: {structural: "      \
    "0.01}}\n"                                                                                 \
    "joints: [{name: lap, law: contact, surfaces: {from: LOWER, to: UPPER, match: 1e-4}, "     \
    "per_area: true, normal_stiffness: 2e11, tangential_stiffness: 1e11, friction: 0.3, "      \
    "preload: 5e6}]\n"                                                                         \
    "loads: [{dof: {set: TIP, direction: y}, amplitude: 0.01}]\n"                              \
    "static_loads: [{dof: {set: TIP, direction: z}, force: -3}]\n"                             \
    "frequency: [125, 155]\nharmonics: [0, 1]\nsamples: 64\n"                                  \
    "outputs: [{name: tip, set: TIP, direction: y}]\n"

/* Nodes close their contacts by as much as these say; the weight alone moves what the small
 * load of the response hardly does. */
static void static_state_is_that_of_the_pairs(const struct masing_spec *spec)
{
    double u[LONGEST], mean[LONGEST], approach[LONGEST], pressure[LONGEST], normal[LONGEST],
        status[LONGEST], most = 0.0;
    read_values("mesh.vtkhdf", "PointData/u_static", 3 * N_NODES, u);
    read_values("lap_peak.vtkhdf", "PointData/u_mean", 3 * N_NODES, mean);
    read_values("mesh_pairs.vtkhdf", "PointData/approach", N_PAIRS, approach);
    read_values("mesh_pairs.vtkhdf", "PointData/pressure", N_PAIRS, pressure);
    read_values("mesh_pairs.vtkhdf", "PointData/status", N_PAIRS, status);
    read_values("mesh_pairs.vtkhdf", "PointData/normal", 3 * N_PAIRS, normal);
    for (int i = 0; i < 3 * N_NODES; i++) {
        most = fmax(most, fabs(u[i]));
    }
    CHECK(most > 0.0);
    for (int i = 0; i < 3 * N_NODES; i++) {
        CHECK(fabs(u[i] - mean[i]) <= 1e-5 * most);
    }
    for (int p = 0; p < N_PAIRS; p++) {
        const struct masing_surface_pair *pair = &spec->groups[0].pairs[p];
        double closed = 5e6 / 2e11;
        for (int d = 0; d < 3; d++) {
            closed += normal[3 * p + d] *
                      (u[3 * (pair->to[0] - 1) + d] - u[3 * (pair->from - 1) + d]);
        }
        CHECK_RELATIVE(approach[p], closed, 1e-9);
        CHECK_RELATIVE(pressure[p], 2e11 * approach[p], 1e-9);
        CHECK(status[p] == 0.0);
    }
}

static void values_are_those_of_outputs_and_loads(void)
{
    struct run run;
    double re[LONGEST], im[LONGEST], values[LONGEST], area[LONGEST], tip[2] = {0, 0};
    if (!respond(&run, LAP, "lap.vtkhdf")) {
        run_clear(&run);
        return;
    }
    read_values("lap_peak.vtkhdf", "PointData/u_h1_real", 3 * N_NODES, re);
    read_values("lap_peak.vtkhdf", "PointData/u_h1_imag", 3 * N_NODES, im);
    for (int node = 45; node <= 48; node++) { /* TIP, along y */
        tip[0] += 0.25 * re[3 * (node - 1) + 1];
        tip[1] += 0.25 * im[3 * (node - 1) + 1];
    }
    CHECK_RELATIVE(hypot(tip[0], tip[1]), run.summary.peak.h1, 1e-9);
    for (int i = 0; i < 3 * 4; i++) { /* FIX: nodes 1 to 4 */
        CHECK(re[i] == 0.0 && im[i] == 0.0);
    }
    CHECK(fabs(re[3 * 4]) + fabs(im[3 * 4]) > 0.0);
    double force = 0.0;
    read_values("lap_peak_pairs.vtkhdf", "PointData/pressure", N_PAIRS, values);
    struct masing_error error;
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    char *name = example("m.yaml"), *mesh = in_folder("mesh.vtkhdf");
    CHECK(masing_document_parse(LAP, strlen(LAP), name, &document, &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    CHECK(masing_mesh_write(model, mesh, &error) == MASING_OK);
    read_values("mesh_pairs.vtkhdf", "PointData/area", N_PAIRS, area);
    for (int p = 0; p < N_PAIRS; p++) {
        force += values[p] * area[p];
    }
    CHECK_RELATIVE(force, 7503.0, 1e-9);
    static_state_is_that_of_the_pairs(masing_model_spec(model));
    read_values("mesh.vtkhdf", "PointData/TIP", N_NODES, values);
    for (int i = 0; i < N_NODES; i++) {
        CHECK(values[i] == (i >= 44 ? 1.0 : 0.0));
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(mesh);
    free(name);
    run_clear(&run);
}

#define PAIR(a, b)                                                                             \
    "  - {name: x" #a ", law: jenkins, from: " #a ".x, to: " #b ".x, stiffness: 5e6, "         \
    "slip_force: 6}\n  - {name: y" #a ", law: linear, from: " #a ".y, to: " #b ".y, "          \
    "stiffness: 5e6}\n  - {name: z" #a ", law: linear, from: " #a ".z, to: " #b ".z, "         \
    "stiffness: 5e7}\n"
#define REST                                                                                   \
    "joints:\n" PAIR(14, 25) PAIR(16, 27) PAIR(18, 29) PAIR(20, 31) PAIR(22, 33) PAIR(         \
        24,                                                                                    \
        35) "loads: [{dof: 48.z, amplitude: 1}]\nfrequency: [110, 150]\nharmonics: [1, 3]\n"   \
            "outputs: [{name: tip, dof: 48.z}]\n"

/* Coordinates of modes move all nodes and are no points of their own. */
static void a_reduced_structure_moves_as_the_full_one(void)
{
    struct run full, reduced;
    double a[2][LONGEST], b[2][LONGEST], largest = 0.0, off = 0.0;
    bool is_there =
        respond(&full,
                "masing: 1\nstructure: {calculix: overlap, mesh: overlap.inp, damping: "
                "{modal_ratio: 0.002}}\n" REST,
                "full.vtkhdf");
    is_there = respond(&reduced,
                       "masing: 1\nstructure: {reduced: overlap_reduced.h5, mesh: overlap.inp, "
                       "damping: {modal_ratio: 0.002}}\n" REST,
                       "reduced.vtkhdf") &&
               is_there;
    for (int side = 0; is_there && side < 2; side++) {
        const char *set = side ? "PointData/u_h1_imag" : "PointData/u_h1_real";
        read_values("full_peak.vtkhdf", set, 3 * N_NODES, a[side]);
        read_values("reduced_peak.vtkhdf", set, 3 * N_NODES, b[side]);
    }
    for (int i = 0; is_there && i < 3 * N_NODES; i++) {
        double size = hypot(a[0][i], a[1][i]);
        largest = fmax(largest, size);
        off = fmax(off, fabs(hypot(b[0][i], b[1][i]) - size));
    }
    printf("# largest difference %.2g of %.2g\n", off, largest);
    CHECK(!is_there || (off > 0.0 && off <= 1e-4 * largest));
    run_clear(&full);
    run_clear(&reduced);
}

static const struct tap_test tests[] = {
    {"values are those of outputs and loads", values_are_those_of_outputs_and_loads},
    {"a reduced structure moves as the full one", a_reduced_structure_moves_as_the_full_one},
};

int main(void)
{
    scratch_make(folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    static const char *const names[] = {"lap_peak",   "lap_peak_pairs", "mesh",
                                        "mesh_pairs", "full_peak",      "reduced_peak"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = text_of("%s/%s.vtkhdf", folder, names[i]);
        remove(path);
        free(path);
    }
    remove(folder);
    return result;
}
