/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a model while each allocation in turn fails: the status says so, nothing is left
 * behind (the leak sanitizer looks) and nothing is touched that is not there.
 */
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

static const char model_text[] =
    "masing: 1\n"
    "title: everything that takes memory\n"
    "parameters: {N: 30, third: $N/90}\n"
    "structure:\n"
    "  dofs: dofs.txt\n"
    "  mass: [[1, 0], [0, $third]]\n"
    "  stiffness: K.mtx\n"
    "  damping: {modal_ratio: [0.01, 0.02]}\n"
    "joints:\n"
    "  - {name: damper, law: jenkins, from: ground, to: a, stiffness: $N*1300, friction: 0.5, "
    "preload: $N}\n"
    "  - {name: poly, law: polynomial_spring, axis: {a: -1, b: 2}, coefficients: [1, 0, 2]}\n"
    "  - {name: column, law: linear, axis: {file: K.mtx, column: 2}, stiffness: 1}\n"
    "  - {name: rough, law: rough_interface, from: a, to: b, friction: 0.3, preload: 50, "
    "topography: {height_std: [3e-7, 4e-7], summit_radius: 1.5e-4, summit_density: 5e8, area: "
    "5e-4, youngs_modulus: 2e11, poisson_ratio: [0.3, 0.2]}}\n"
    "  - {name: curve, law: backbone_table, from: a, to: b, file: B.csv}\n"
    "  - {name: contact, law: contact, normal: {from: ground, to: a}, tangential: [{b: 1}], "
    "normal_stiffness: 1, tangential_stiffness: 1, friction: {static: 0.5, kinetic: 0.3, "
    "decay: "
    "1}, preload: 1}\n"
    "  - {name: many, law: contact, pairs: P.csv, per_area: true, normal_stiffness: 1, "
    "tangential_stiffness: 1, friction: 0.5, preload: 1}\n"
    "  - {name: pairs, law: backbone_table, from: a, to: b, file: [[0, 0], [1, 1], [3, 2]]}\n"
    "loads:\n"
    "  - {name: shaker, dof: b, amplitude: 10}\n"
    "  - {base_acceleration: 9.81, direction: {a: 1}}\n"
    "  - {pattern: F.mtx, amplitude: 1}\n"
    "  - {dof: a, table: F.csv}\n"
    "static_loads: [{dof: a, force: 3}]\n"
    "frequency: [18, 28]\n"
    "harmonics: [0, 1, 2]\n"
    "outputs: [a, {name: strain, weights: {a: 1, b: -1}}, {name: gap, from: a, to: b}]\n"
    "peak: {output: gap}\n"
    "ringdown: {initial: {velocities: {a: 1}}, step: 0.1, steps: 10}\n";

static const char beams_text[] =
    "masing: 1\n"
    "structure:\n"
    "  beams:\n"
    "    - {name: a, youngs_modulus: 2, section: {width: 1, height: 1}, density: 7, length: 2, "
    "elements: 3, nodes: {pad: 0.5}, supports: {start: clamped}}\n"
    "    - {name: b, bending_stiffness: 1, mass_per_length: 1, length: 1, elements: 1, "
    "join: {start: a.end}}\n"
    "  masses: {b.end.w: 1, absorber: 1}\n"
    "  springs: [{from: b.end.w, to: absorber, stiffness: 1}]\n"
    "  dampers: [{from: b.end.w, to: absorber, damping: 1}]\n"
    "frequency: [18, 28]\n"
    "outputs: [b.end.w]\n";

static const char mesh_text[] =
    "masing: 1\n"
    "structure:\n"
    "  mesh: m.inp\n"
    "  masses: {1.x: 1, 1.y: 1, 1.z: 1, 2.x: 1, 2.y: 1, 2.z: 1, 3.x: 1, 3.y: 1, 3.z:\n"
    "    1, 4.x: 1, 4.y: 1, 4.z: 1, 11.x: 1, 11.y: 1, 11.z: 1, 12.x: 1, 12.y: 1,\n"
    "    12.z: 1, 13.x: 1, 13.y: 1, 13.z: 1, 14.x: 1, 14.y: 1, 14.z: 1}\n"
    "joints:\n"
    "  - {name: s, law: contact, surfaces: {from: UP, to: DOWN, match: 0.3}, per_area: true, "
    "normal_stiffness: 1, tangential_stiffness: 1, friction: 0.5, preload: 1}\n"
    "  - {name: n, law: contact, surfaces: {from: SET, to: DOWN, match: 1, area: 2, normal: "
    "[1, 0, 0]}, normal_stiffness: 1, tangential_stiffness: 1, friction: 0.5, preload: 1}\n"
    "  - {name: l, law: linear, from: {set: SET, direction: x}, to: {set: UP, direction: [1, "
    "2, "
    "3]}, stiffness: 1}\n"
    "loads: [{set: SET, direction: z, amplitude: 1}, {base_acceleration: 1, direction: z}]\n"
    "frequency: [18, 28]\n"
    "outputs: [{set: SET, direction: z}, {name: o, dof: {set: FLAT, direction: y}}]\n";

static const char deck_text[] =
    "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*INCLUDE,INPUT=more.inp\n"
    "*ELEMENT,TYPE=C3D4,ELSET=A\n1,1,2,3,4\n*ELEMENT,TYPE=C3D4,ELSET=B\n2,11,12,13,14\n"
    "*ELEMENT,TYPE=CPS3,ELSET=FLAT\n3,11,12,13\n*NSET,NSET=SET\n1,2,3\n*NSET,NSET=MORE\nSET,4\n"
    "*SURFACE,NAME=UP\nA,S3\n*SURFACE,NAME=DOWN\nFLAT\n*BOUNDARY\nSET,4\n";

/* Each program's matrices are other ones. */
static const char elements_text[] = "masing: 1\n"
                                    "structure: {abaqus: {stiffness: A.mtx, mass: A.mtx}}\n"
                                    "loads: [{dof: 3.z, amplitude: 1}]\n"
                                    "frequency: [18, 28]\n"
                                    "outputs: [7.x]\n";
static const char dmig_text[] = "masing: 1\n"
                                "structure:\n"
                                "  nastran: {stiffness: {file: N.pch, name: K}, mass: {file: "
                                "N.pch, name: M}}\n"
                                "frequency: [18, 28]\n"
                                "outputs: [7.x]\n";
static const char rows_text[] = "masing: 1\n"
                                "structure: {abaqus: {stiffness: R.mtx, mass: S.mtx, dofs: "
                                "dofs.txt}}\n"
                                "frequency: [18, 28]\n"
                                "outputs: [a]\n";

/* Sectors of masses and of matrices, and whole disks. */
static const char sector_text[] =
    "masing: 1\n"
    "structure: {cyclic: {sectors: 3, unroll: %s}, masses: {a: 1, b: 2},\n"
    "  springs: [{from: ground, to: a, stiffness: 3}, {from: a, to: next.b, stiffness: 4}],\n"
    "  dampers: [{from: b, to: next.b, damping: 1}]}\n"
    "joints: [{name: j, law: jenkins, from: a, to: next.a, stiffness: 1, slip_force: 1}]\n"
    "loads: [{name: l, dof: a, amplitude: 1, engine_order: 1}]\n"
    "static_loads: [{dof: b, force: 1}]\n"
    "frequency: [18, 28]\noutputs: [a, next.b]\n";
static const char joined_text[] =
    "masing: 1\n"
    "structure: {cyclic: {sectors: 3, low: [a], high: [c], unroll: %s}, dofs: [a, b, c],\n"
    "  mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],\n"
    "  stiffness: [[2, -1, 0], [-1, 2, -1], [0, -1, 2]]}\n"
    "joints: [{name: j, law: jenkins, from: a, to: c, stiffness: 1, slip_force: 1}]\n"
    "loads: [{dof: a, amplitude: 1, engine_order: 1}]\n"
    "frequency: [18, 28]\noutputs: [a, c]\n";

static const struct {
    const char *name, *text;
} files[] = {
    {"a.yaml", elements_text},
    {"n.yaml", dmig_text},
    {"r.yaml", rows_text},
    {"A.mtx", "*USER ELEMENT,NODES=2,LINEAR\n** ELEMENT NODES\n** 3, 7\n1, 3\n2, 1\n"
              "*MATRIX,TYPE=STIFFNESS\n9.\n0,9\n1,0,9\n*MATRIX,TYPE=MASS\n1\n0,1\n0,0,1\n"},
    {"N.pch", "DMIG,K,0,6,2\nDMIG,K,7,1,,7,1,9.\nDMIG,M,0,6,2\nDMIG,M,7,1,,7,1,2.\n"},
    {"R.mtx", "1 1 9\n2 2 8\n"},
    {"S.mtx", "1 1 1\n2 2 1\n"},
    {"m.yaml", model_text},
    {"b.yaml", beams_text},
    {"mesh.yaml", mesh_text},
    {"m.inp", deck_text},
    {"more.inp", "11,0.1,0,1\n12,1,0.2,0\n13,0,1,0.2\n14,1,1,1\n"},
    {"dofs.txt", "a\nb\n"},
    {"K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 110\n2 1 -10\n"
              "2 2 10\n"},
    {"F.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 0\n-2 3\n"},
    {"P.csv", "normal_from, normal_to, tangential_from, tangential_to, area, gap\n"
              "a, ground, ground, b, 2,\nb, ground, a, ground, 2, 0.5\n"},
    {"B.csv", "displacement, force\n0, 0\n1, 2\n3, 3\n"},
    {"F.csv", "frequency_hz, amplitude, phase_deg\n5, 1, 0\n35, 2, 90\n"},
};

static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];

static const struct masing_override overrides[] = {
    {"damper.slip_force", "20"},   {"solver.step.max", "0.5"},
    {"harmonics", "[0, 1, 2, 3]"}, {"rough.topography.height_std", "[2e-7, 3e-7]"},
    {"contact.friction", "0.4"},   {"pairs.file.2.1", "1.5"}};

enum { N_OVERRIDES = sizeof overrides / sizeof *overrides };

static enum masing_status read_spec(struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_spec spec;
    enum masing_status status = masing_document_read(file, &document, error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, overrides, N_OVERRIDES, &spec, error);
        if (status == MASING_OK) {
            masing_spec_clear(&spec);
        }
    }
    masing_document_destroy(document);
    return status;
}

static enum masing_status read_named(const char *name, struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_spec spec;
    char path[SCRATCH_PATH + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    enum masing_status status = masing_document_read(path, &document, error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, &spec, error);
        if (status == MASING_OK) {
            masing_spec_clear(&spec);
        }
    }
    masing_document_destroy(document);
    return status;
}

static enum masing_status read_sector(const char *form, const char *unroll,
                                      struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_spec spec;
    char text[1000];
    snprintf(text, sizeof text, form, unroll);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "s.yaml", &document, error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, &spec, error);
        if (status == MASING_OK) {
            masing_spec_clear(&spec);
        }
    }
    masing_document_destroy(document);
    return status;
}

static enum masing_status read_sectors(struct masing_error *error)
{
    enum masing_status status = read_sector(sector_text, "false", error);
    status = status ? status : read_sector(sector_text, "true", error);
    status = status ? status : read_sector(joined_text, "false", error);
    return status ? status : read_sector(joined_text, "true", error);
}

static enum masing_status read_beams(struct masing_error *error)
{
    return read_named("b.yaml", error);
}

static enum masing_status read_a_mesh(struct masing_error *error)
{
    return read_named("mesh.yaml", error);
}

static enum masing_status read_elements(struct masing_error *error)
{
    enum masing_status status = read_named("a.yaml", error);
    status = status ? status : read_named("n.yaml", error);
    return status ? status : read_named("r.yaml", error);
}

static enum masing_status resolve(struct masing_error *error)
{
    struct masing_document *document = NULL;
    char *text = NULL;
    enum masing_status status = masing_document_read(file, &document, error);
    if (status == MASING_OK) {
        status = masing_document_resolved(document, overrides, N_OVERRIDES, &text, error);
    }
    free(text);
    masing_document_destroy(document);
    return status;
}

/* An unknown key, name and number: messages take no memory that could be missing. */
static enum masing_status refuse(struct masing_error *error)
{
    static const struct masing_override wrong = {"damper.prelaod", "20"};
    struct masing_document *document = NULL;
    struct masing_spec spec;
    enum masing_status status = masing_document_read(file, &document, error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, &wrong, 1, &spec, error);
    }
    masing_document_destroy(document);
    return status;
}

/* The C library reads without a buffer where it gets none, and what a document keeps of
 * matrices is no need. */
enum { STREAMS = 8, KEPT = 100 };

static void sweep(enum masing_status (*run)(struct masing_error *), enum masing_status at_last,
                  int at_least, int most_coped)
{
    enum { MOST = 20000 };
    int coped = 0;
    for (int good = 0; good < MOST; good++) {
        struct masing_error error = {0};
        failing_memory_arm(good);
        enum masing_status status = run(&error);
        if (!failing_memory_disarm()) {
            printf("# %d allocations, then %s\n", good, masing_status_name(status));
            CHECK(status == at_last && good >= at_least && coped <= most_coped);
            return;
        }
        if (status == at_last) {
            coped++;
            continue;
        }
        if (!CHECK(status == MASING_NO_MEMORY && error.status == status)) {
            printf("# allocation %d: %s: %s\n", good, masing_status_name(status),
                   error.message);
        }
    }
    bool has_ended = false;
    CHECK(has_ended);
}

static void while_a_model_is_read(void)
{
    sweep(read_spec, MASING_OK, 60, STREAMS);
}

static void while_sectors_are_read(void)
{
    sweep(read_sectors, MASING_OK, 100, STREAMS);
}

static void while_beams_are_read(void)
{
    sweep(read_beams, MASING_OK, 20, STREAMS);
}

static void while_matrices_of_elements_are_read(void)
{
    sweep(read_elements, MASING_OK, 200, KEPT);
}

static void while_a_mesh_is_read(void)
{
    sweep(read_a_mesh, MASING_OK, 100, STREAMS);
}

static void while_a_model_is_resolved(void)
{
    sweep(resolve, MASING_OK, 100, STREAMS);
}

static void while_a_model_is_refused(void)
{
    sweep(refuse, MASING_INVALID, 20, STREAMS);
}

static const struct tap_test tests[] = {
    {"while a model is read", while_a_model_is_read},
    {"while sectors are read", while_sectors_are_read},
    {"while beams are read", while_beams_are_read},
    {"while a mesh is read", while_a_mesh_is_read},
    {"while matrices of elements are read", while_matrices_of_elements_are_read},
    {"while a model is resolved", while_a_model_is_resolved},
    {"while a model is refused", while_a_model_is_refused},
};

static void for_each_file(bool is_written)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[SCRATCH_PATH + 16];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *stream = is_written ? fopen(path, "wb") : NULL;
        if (is_written && (!stream || fputs(files[i].text, stream) < 0 || fclose(stream))) {
            perror(path);
            exit(99);
        }
        if (!is_written) {
            remove(path);
        }
    }
}

int main(void)
{
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/m.yaml", folder);
    for_each_file(true);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    for_each_file(false);
    rmdir(folder);
    return result;
}
