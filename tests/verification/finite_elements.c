/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures that CalculiX exported: their modes against CalculiX's own frequencies, and files
 * that are wrong.
 */
#include "masing/check.h"
#include "response.h"
#include "scratch.h"

static char *in_folder(const char *name)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    return text_of("%s/tests/reference/fe/%s", root ? root : ".", name);
}

static enum masing_status make_model(const char *text, struct masing_model **model,
                                     struct masing_error *error)
{
    struct masing_document *document = NULL;
    char *file = in_folder("model.yaml");
    enum masing_status status =
        masing_document_parse(text, strlen(text), file, &document, error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, model, error);
    }
    masing_document_destroy(document);
    free(file);
    return status;
}

/* ---- modes ---- */

static void check_modes(const char *stem, int n_rigid, const double *hz, int n,
                        double tolerance)
{
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    struct masing_check_result result = {0};
    char *text = text_of("masing: 1\nstructure: {calculix: %s}\n"
                         "loads: [{dof: 40.z, amplitude: 1}]\nfrequency: [50, 800]\n"
                         "harmonics: 3\noutputs: [40.z]\n",
                         stem);
    if (CHECK(make_model(text, &model, &error) == MASING_OK &&
              masing_check(model, NULL, &result, &error) == MASING_OK)) {
        CHECK(result.n_rigid == n_rigid);
        for (int k = 0; k < n; k++) {
            CHECK_RELATIVE(result.free_hz[n_rigid + k], hz[k], tolerance);
            CHECK_RELATIVE(result.stuck_hz[n_rigid + k], hz[k], tolerance);
        }
    } else {
        printf("# %s\n", error.message);
    }
    masing_check_clear(&result);
    masing_model_destroy(model);
    free(text);
}

static void modes_are_those_of_calculix(void)
{
    static const double hz[] = {468.6662, 518.6835, 1978.692, 3006.446};
    check_modes("t8", 6, hz, 4, 2e-7);
}

static void hidden_nodes_have_no_mass(void)
{
    static const double hz[] = {96.03819, 237.5677, 610.7722};
    check_modes("ccx_c3d8i_s1", 6, hz, 3, 2e-7);
}

static void quadratic_elements(void)
{
    static const double hz[] = {111.7068, 270.1865, 665.2996, 1621.319,
                                2016.519, 2834.484, 3435.376};
    check_modes("lap_c3d20", 6, hz, 7, 4e-7);
}

static void quadratic_tetrahedra(void)
{
    static const double hz[] = {2534.866, 5578.303, 9806.797, 13963.39};
    check_modes("lap_c3d10", 6, hz, 4, 4e-7);
}

/* ---- files that are wrong ---- */

static void put(const char *folder, const char *name, const char *text, size_t length)
{
    char *path = text_of("%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        fwrite(text, 1, length, file);
        fclose(file);
    }
    free(path);
}

static void wrong_files_are_refused_with_their_place(void)
{
    static const struct {
        const char *dof, *stiffness, *mass, *expected;
    } cases[] = {
        {"1.1\n1.2\n", "1 1 2\n2 2 2\n", "1 1 1\n2 2 1\n", ""},
        {"1.1\n12\n", "1 1 2\n", "1 1 1\n", "w.dof:2:1: expected NODE.DIRECTION, found '12'"},
        {"1.1\n1.4\n", "1 1 2\n", "1 1 1\n", "w.dof:2:3: direction"},
        {"1.1\n1.2\n", "1 1 2\n", "1 1 1\n2 2 1\n",
         "w.sti:1:1: the file ends with column 1 of 2"},
        {"1.1\n1.2\n", "1 1 2\n2 2\n", "1 1 1\n2 2 1\n",
         "w.sti:2:4: expected 'row column value'"},
        {"1.1\n1.2\n", "1 1 2\n3 3 2\n", "1 1 1\n2 2 1\n", "w.sti:2:1: row 3, but"},
        {"1.1\n1.2\n", "1 1 2\n2 1 1\n2 2 2\n", "1 1 1\n2 2 1\n",
         "w.sti:2:1: entry (2, 1) is out"},
        {"1.1\n1.2\n", "1 1 2\n2 2 x\n", "1 1 1\n2 2 1\n", "w.sti:2:5: value"},
        {"1.1\n1.2\n", "1 1 2\n2 2 2\n", "1 1 1\n2 2 -1\n", "mass"},
        {"1.1\n1.2\n", "1 1 2\n2 2 -9e9\n", "1 1 1\n2 2 1\n", "stiffness"},
        {"1.1\n1.2\n", "1 1 2\n2 2 2\n", "1 1 1\n2 2 1", "w.mas: the last line has no end"},
        {"1.1\n1.1\n", "1 1 2\n2 2 2\n", "1 1 1\n2 2 1\n", "DOF '1.x' stands here twice"},
    };
    char folder[SCRATCH_PATH];
    scratch_make(folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct masing_document *document = NULL;
        struct masing_model *model = NULL;
        struct masing_error error = {0};
        const char *text = "masing: 1\nstructure: {calculix: w}\n"
                           "loads: [{dof: 1.x, amplitude: 1}]\nfrequency: [0.1, 0.3]\n"
                           "harmonics: 1\noutputs: [1.x]\n";
        char *file = text_of("%s/m.yaml", folder);
        put(folder, "w.dof", cases[i].dof, strlen(cases[i].dof));
        put(folder, "w.sti", cases[i].stiffness, strlen(cases[i].stiffness));
        put(folder, "w.mas", cases[i].mass, strlen(cases[i].mass));
        enum masing_status status =
            masing_document_parse(text, strlen(text), file, &document, &error);
        status = status ? status : masing_document_model(document, NULL, 0, &model, &error);
        bool is_right = *cases[i].expected
                            ? status != MASING_OK && strstr(error.message, cases[i].expected)
                            : status == MASING_OK;
        if (!CHECK(is_right)) {
            printf("# expected %s\n# got %s\n", cases[i].expected, error.message);
        }
        masing_model_destroy(model);
        masing_document_destroy(document);
        free(file);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"w.dof", "w.sti", "w.mas"};
        char *path = text_of("%s/%s", folder, names[i]);
        remove(path);
        free(path);
    }
    remove(folder);
}

/* CalculiX's files read as lists of rows, and what cannot be a structure. */
static void matrices_that_do_not_fit_are_refused(void)
{
    static const struct {
        const char *structure, *expected;
    } cases[] = {
        {"abaqus: {stiffness: t8.sti, mass: t8.mas}", ""},
        {"abaqus: {stiffness: t8.mas, mass: t8.sti}", "were stiffness and mass swapped?"},
        {"abaqus: {stiffness: t8.sti, mass: t8.sti}", "is the same matrix as the stiffness"},
        {"abaqus: {stiffness: t8.sti, mass: ccx_c3d8i_s1.mas}", "shares its mass with"},
        {"abaqus: {stiffness: ccx_c3d8i_sub1out.mtx, mass: ccx_c3d8i_sub1out.mtx}",
         "has no *MATRIX, TYPE=MASS: without a mass nothing vibrates"},
        {"mass: t8.mas, stiffness: t8.sti",
         "t8.mas: is a list of 'row column value'; expected a Matrix Market file"},
        {"nastran: {stiffness: t8.sti, mass: t8.mas}", "expected DMIG entries or OUTPUT4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct masing_model *model = NULL;
        struct masing_error error = {0};
        char *text = text_of("masing: 1\nstructure: {%s}\n"
                             "loads: [{dof: 7, amplitude: 1}]\nfrequency: [50, 800]\n"
                             "harmonics: 3\noutputs: [7]\n",
                             cases[i].structure);
        enum masing_status status = make_model(text, &model, &error);
        if (!CHECK(*cases[i].expected
                       ? status == MASING_INVALID && strstr(error.message, cases[i].expected)
                       : status == MASING_OK)) {
            printf("# expected %s\n# got %s\n", cases[i].expected, error.message);
        }
        masing_model_destroy(model);
        free(text);
    }
}

/* ---- DOFs that are not there ---- */

static void missing_dofs_are_explained(void)
{
    static const struct {
        const char *from, *expected, *mesh;
    } cases[] = {
        {"14.w", "unknown DOF '14.w': directions are called x, y, z, rx, ry, rz", ""},
        {"14", "unknown DOF '14': a node has directions, expected one of .x .y .z", ""},
        {"14.rx", "of node 14 the matrices have .x .y .z; the deck may hold it by a boundary",
         ""},
        {"1.x", "the matrices have nothing of node 1; the deck may hold it by a boundary", ""},
        {"tip", "unknown DOF 'tip'", ""},
        {"1.x", "DOF '1.x' is constrained (*BOUNDARY in", ", mesh: t8.inp"},
        {"99.x", "DOF '99.x' is of node 99, which the mesh", ", mesh: t8.inp"},
        {"14.rx", "DOF '14.rx' is of a node of the mesh, but not among", ", mesh: t8.inp"},
        {"14", "unknown DOF '14': a node has directions", ", mesh: t8.inp"},
        {"14.w", "directions are called x, y, z, rx, ry, rz", ", mesh: t8.inp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct masing_model *model = NULL;
        struct masing_error error = {0};
        char *text = text_of("masing: 1\nstructure: {calculix: t8%s}\njoints:\n"
                             "  - {name: j, law: linear, from: %s, to: 25.x, stiffness: 1}\n"
                             "loads: [{dof: 40.z, amplitude: 1}]\nfrequency: [50, 800]\n"
                             "harmonics: 3\noutputs: [40.z]\n",
                             cases[i].mesh, cases[i].from);
        if (!CHECK(make_model(text, &model, &error) == MASING_INVALID &&
                   strstr(error.message, cases[i].expected))) {
            printf("# expected %s\n# got %s\n", cases[i].expected, error.message);
        }
        masing_model_destroy(model);
        free(text);
    }
}

static const struct tap_test tests[] = {
    {"modes are those of CalculiX", modes_are_those_of_calculix},
    {"hidden nodes have no mass", hidden_nodes_have_no_mass},
    {"modes of quadratic elements", quadratic_elements},
    {"modes of quadratic tetrahedra", quadratic_tetrahedra},
    {"wrong files are refused with their place", wrong_files_are_refused_with_their_place},
    {"matrices that do not fit are refused", matrices_that_do_not_fit_are_refused},
    {"missing DOFs are explained", missing_dofs_are_explained},
};

TAP_MAIN(tests)
