/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One structure of 132 DOFs, which CalculiX exported, in every format of matrices: the same
 * response, to the digits that a format has.
 */
#include <matio.h>
#include <sys/stat.h>

#include "response.h"
#include "scratch.h"

enum { N = 132, N_AT = 12, N_JOINTS = 6 };

static const char directions[] = "xyz";
static int nodes[N], axes[N];
static double stiffness[N][N], mass[N][N]; /* symmetric */
static char folder[SCRATCH_PATH];

/* ---- the structure ---- */

static void read_matrix(const char *name, double a[N][N])
{
    FILE *file = open_reference(name);
    int row, column;
    double value;
    while (CHECK(file != NULL) && fscanf(file, "%d %d %lf", &row, &column, &value) == 3) {
        a[row - 1][column - 1] = a[column - 1][row - 1] = value;
    }
    if (file) {
        fclose(file);
    }
}

static void read_structure(void)
{
    FILE *file = open_reference("fe/t8.dof");
    for (int i = 0; CHECK(file != NULL) && i < N; i++) {
        CHECK(fscanf(file, "%d.%d", &nodes[i], &axes[i]) == 2);
    }
    if (file) {
        fclose(file);
    }
    read_matrix("fe/t8.sti", stiffness);
    read_matrix("fe/t8.mas", mass);
}

/* ---- its files ---- */

static FILE *begin(const char *name)
{
    char path[SCRATCH_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) {
        exit(99);
    }
    return file;
}

static void write_calculix(double a[N][N], const char *name)
{
    FILE *file = begin(name);
    for (int j = 0; j < N; j++) {
        for (int i = 0; i <= j; i++) {
            if (a[i][j] != 0.0) {
                fprintf(file, "%d %d %20.13e\n", i + 1, j + 1, a[i][j]);
            }
        }
    }
    fclose(file);
}

static void write_names(const char *name, int is_calculix)
{
    FILE *file = begin(name);
    for (int i = 0; i < N; i++) {
        if (is_calculix) {
            fprintf(file, "%d.%d\n", nodes[i], axes[i]);
        } else {
            fprintf(file, "%d.%c\n", nodes[i], directions[axes[i] - 1]);
        }
    }
    fclose(file);
}

static void write_abaqus(double a[N][N], const char *by_nodes, const char *by_rows)
{
    FILE *first = begin(by_nodes), *second = begin(by_rows);
    for (int j = 0; j < N; j++) {
        for (int i = j; i < N; i++) {
            if (a[i][j] != 0.0) {
                fprintf(first, "%d,%d, %d,%d, %.15e\n", nodes[i], axes[i], nodes[j], axes[j],
                        a[i][j]);
                fprintf(second, "%d  %d  %.15e\n", i + 1, j + 1, a[i][j]);
            }
        }
    }
    fclose(first);
    fclose(second);
}

static void write_substructure(const char *name)
{
    FILE *file = begin(name);
    fprintf(file, "**\n*USER ELEMENT, NODES=%d, LINEAR\n** ELEMENT NODES\n", N / 3);
    for (int i = 0; i < N; i += 3) {
        fprintf(file, "%s%d,%s", i % 24 ? " " : "** ", nodes[i],
                i % 24 == 21 || i == N - 3 ? "\n" : "");
    }
    fprintf(file, "1, 2, 3\n");
    for (int m = 0; m < 2; m++) {
        fprintf(file, "*MATRIX, TYPE=%s\n", m ? "MASS" : "STIFFNESS");
        for (int j = 0; j < N; j++) {
            for (int i = 0; i <= j; i++) {
                fprintf(file, "%.15e,%s", m ? mass[i][j] : stiffness[i][j],
                        i % 4 == 3 || i == j ? "\n" : " ");
            }
        }
    }
    fclose(file);
}

/* "4.0000D+01" in so many digits */
static void put_double(FILE *file, int digits, double value)
{
    char text[40];
    snprintf(text, sizeof text, "% .*E", digits, value);
    *strchr(text, 'E') = 'D';
    fputs(text, file);
}

static void write_dmig(FILE *file, double a[N][N], const char *name)
{
    fprintf(file, "DMIG    %-8s%8d%8d%8d%8d\n", name, 0, 6, 2, 0);
    for (int j = 0; j < N; j++) {
        fprintf(file, "DMIG*   %-16s%16d%16d\n", name, nodes[j], axes[j]);
        for (int i = j; i < N; i++) {
            if (a[i][j] != 0.0) {
                fprintf(file, "*       %16d%16d", nodes[i], axes[i]);
                put_double(file, 9, a[i][j]);
                fputs("\n", file);
            }
        }
    }
}

static void write_column(FILE *file, const double *values, int n)
{
    for (int i = 0; i < n; i++) {
        fprintf(file, "%23.16E%s", values[i], i % 3 == 2 || i == n - 1 ? "\n" : "");
    }
}

/* Strings as long as they are; each column whole where there are none. */
static void write_output4(double a[N][N], const char *name, int has_strings)
{
    FILE *file = begin(name);
    fprintf(file, "%8d%8d%8d%8d%-8s1P,3E23.16\n", N, has_strings ? -N : N, 6, 2, "X");
    for (int j = 0; j < N; j++) {
        fprintf(file, "%8d%8d%8d\n", j + 1, has_strings ? 0 : 1, 2 * N);
        if (!has_strings) {
            write_column(file, a[j], N);
        }
        for (int i = 0, end; has_strings && i < N; i = end) {
            for (end = i; end < N && a[j][end] != 0.0; end++) {
            }
            if (end > i) {
                fprintf(file, "%8d%8d\n", 2 * (end - i) + 1, i + 1);
                write_column(file, &a[j][i], end - i);
            } else {
                end = i + 1;
            }
        }
    }
    fprintf(file, "%8d%8d%8d\n%23.16E\n", N + 1, 1, 2, 1.0);
    fclose(file);
}

static void write_matlab(void)
{
    char path[SCRATCH_PATH + 32];
    size_t sizes[2] = {N, N};
    static mat_uint32_t rows[N * N], starts[N + 1];
    static double values[N * N];
    mat_uint32_t n = 0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            if (stiffness[i][j] != 0.0) {
                rows[n] = (mat_uint32_t)i;
                values[n++] = stiffness[i][j];
            }
        }
        starts[j + 1] = n;
    }
    mat_sparse_t sparse = {n, rows, n, starts, N + 1, n, values};
    snprintf(path, sizeof path, "%s/t.mat", folder);
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    matvar_t *k =
        Mat_VarCreate("K", MAT_C_SPARSE, MAT_T_DOUBLE, 2, sizes, &sparse, MAT_F_DONT_COPY_DATA);
    matvar_t *m = Mat_VarCreate("M", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, mass, 0);
    CHECK(mat && k && m && Mat_VarWrite(mat, k, MAT_COMPRESSION_ZLIB) == 0 &&
          Mat_VarWrite(mat, m, MAT_COMPRESSION_NONE) == 0);
    Mat_VarFree(k);
    Mat_VarFree(m);
    Mat_Close(mat);
}

static void write_files(void)
{
    write_calculix(stiffness, "t.sti");
    write_calculix(mass, "t.mas");
    write_names("t.dof", 1);
    write_names("names", 0);
    write_abaqus(stiffness, "t_STIF1.mtx", "rows_STIF1.mtx");
    write_abaqus(mass, "t_MASS1.mtx", "rows_MASS1.mtx");
    write_substructure("t_Z1.mtx");
    FILE *file = begin("t.pch");
    fputs("$TITLE\n", file);
    write_dmig(file, stiffness, "KAAX");
    write_dmig(file, mass, "MAAX");
    fclose(file);
    write_output4(stiffness, "k.op4", 1);
    write_output4(mass, "m.op4", 0);
    write_matlab();
}

static void remove_files(void)
{
    static const char *const names[] = {
        "t.sti",       "t.mas",          "t.dof",          "names",    "t_STIF1.mtx",
        "t_MASS1.mtx", "rows_STIF1.mtx", "rows_MASS1.mtx", "t_Z1.mtx", "t.pch",
        "k.op4",       "m.op4",          "t.mat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[SCRATCH_PATH + 32];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(remove(path) == 0);
    }
    rmdir(folder);
}

/* ---- its response ---- */

static int respond(const char *structure, double amplitudes[N_AT])
{
    static const int pairs[N_JOINTS][2] = {{14, 25}, {16, 27}, {18, 29},
                                           {20, 31}, {22, 33}, {24, 35}};
    double at_hz[N_AT];
    char *text = malloc(1 << 14), *file = text_of("%s/model.yaml", folder);
    size_t used = (size_t)sprintf(text,
                                  "masing: 1\nstructure:\n  %s\n"
                                  "  damping: {rayleigh: [4, 2e-6]}\njoints:\n",
                                  structure);
    for (int p = 0; p < 3 * N_JOINTS; p++) {
        used += (size_t)sprintf(text + used,
                                "  - {name: j%d, law: linear, from: %d.%c, to: %d.%c, "
                                "stiffness: 5e6}\n",
                                p, pairs[p / 3][0], directions[p % 3], pairs[p / 3][1],
                                directions[p % 3]);
    }
    sprintf(text + used, "loads: [{dof: 48.z, amplitude: 1}]\nfrequency: [90, 1500]\n"
                         "harmonics: [1]\noutputs: [{name: tip, dof: 48.z}]\n");
    for (int i = 0; i < N_AT; i++) {
        at_hz[i] = 95.0 * pow(1400.0 / 95.0, i / (N_AT - 1.0));
    }
    const struct masing_response_options options = {
        .n_at = N_AT, .at_hz = at_hz, .stability = MASING_STABILITY_NONE};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct run run = {.summary = {0}};
    struct masing_sink sink = table_sink(&run.rows);
    int is_good =
        masing_document_parse(text, strlen(text), file, &document, &run.error) == MASING_OK &&
        masing_document_model(document, NULL, 0, &model, &run.error) == MASING_OK &&
        masing_frf(model, &options, &sink, NULL, &run.summary, &run.error) == MASING_OK;
    for (int i = 0; is_good && i < N_AT; i++) {
        int row = table_find(&run.rows, "at", at_hz[i]);
        is_good = CHECK(row >= 0);
        amplitudes[i] = is_good ? table_get(&run.rows, row, "tip_amp") : 0.0;
    }
    if (!is_good) {
        printf("# %s: %s\n", structure, run.error.message);
    }
    run_clear(&run);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
    free(file);
    return is_good;
}

static void all_formats_give_the_same_response(void)
{
    static const struct {
        const char *structure;
        double tolerance;
    } cases[] = {
        {"calculix: t", 1e-9},
        {"abaqus: {stiffness: t_STIF1.mtx, mass: t_MASS1.mtx}", 1e-9},
        {"abaqus: {stiffness: rows_STIF1.mtx, mass: rows_MASS1.mtx, dofs: names}", 1e-9},
        {"abaqus: {stiffness: t_Z1.mtx, mass: t_Z1.mtx}", 1e-9},
        {"nastran: {stiffness: {file: t.pch, name: KAAX}, mass: {file: t.pch, name: MAAX}}",
         2e-4}, /* ten digits, of entries that nearly cancel */
        {"nastran: {stiffness: k.op4, mass: m.op4, dofs: names}", 1e-9},
        {"dofs: names\n  mass: t.mat:M\n  stiffness: t.mat:K", 1e-9},
    };
    double expected[N_AT], found[N_AT];
    scratch_make(folder);
    read_structure();
    write_files();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double *amplitudes = c ? found : expected;
        int is_good = CHECK(respond(cases[c].structure, amplitudes));
        for (int i = 0; is_good && i < N_AT; i++) {
            is_good = CHECK_RELATIVE(amplitudes[i], expected[i], cases[c].tolerance);
        }
        if (!is_good) {
            printf("# %s\n", cases[c].structure);
        }
    }
    remove_files();
}

/* ---- files that are not what they should be ---- */

enum damage {
    EMPTY,
    CUT_ANYWHERE,
    CUT_AT_A_LINE,
    RUBBISH,
    ZEROS,
    DIRECTORY,
    ABSENT,
    N_DAMAGES
};

static void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        fwrite(bytes, 1, n, file);
        fclose(file);
    }
}

static void damage(const char *path, enum damage how, const char *bytes, size_t n)
{
    char rubbish[997] = "";
    size_t line = n / 2;
    while (line > 0 && bytes[line - 1] != '\n') {
        line--;
    }
    for (size_t i = 0; how == RUBBISH && i < sizeof rubbish; i++) {
        rubbish[i] = (char)(i * i * 31 + 7 * i + 129);
    }
    remove(path);
    switch (how) {
    case DIRECTORY:
        CHECK(mkdir(path, 0700) == 0);
        break;
    case RUBBISH:
    case ZEROS:
        put_bytes(path, rubbish, sizeof rubbish);
        break;
    case EMPTY:
    case CUT_ANYWHERE:
    case CUT_AT_A_LINE:
        put_bytes(path, bytes, how == EMPTY ? 0 : how == CUT_ANYWHERE ? n / 2 : line);
        break;
    case ABSENT:
    case N_DAMAGES:
        break;
    }
}

static enum masing_status make_model(const char *structure, struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    char *file = text_of("%s/model.yaml", folder);
    char *text = text_of("masing: 1\nstructure:\n  %s\noutputs: [48.z]\n", structure);
    masing_error_clear(error);
    enum masing_status status =
        masing_document_parse(text, strlen(text), file, &document, error);
    status = status ? status : masing_document_model(document, NULL, 0, &model, error);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
    free(file);
    return status;
}

static void check_refused(const char *structure, const char *name, enum damage how)
{
    struct masing_error error = {0};
    enum masing_status status = make_model(structure, &error);
    bool is_named = strstr(error.message, name) || how == CUT_AT_A_LINE;
    if (!CHECK(status == MASING_INVALID || status == MASING_IO) ||
        !CHECK(is_named && !strncmp(error.message, folder, strlen(folder)))) {
        printf("# %s, damage %d: status %d, %s\n", name, (int)how, (int)status, error.message);
    }
}

/* Stiffness, mass and names of each format */
static const struct {
    const char *structure, *files[3];
} parts[] = {
    {"calculix: t", {"t.sti", "t.mas", "t.dof"}},
    {"abaqus: {stiffness: t_STIF1.mtx, mass: t_MASS1.mtx}", {"t_STIF1.mtx", "t_MASS1.mtx"}},
    {"abaqus: {stiffness: rows_STIF1.mtx, mass: rows_MASS1.mtx, dofs: names}",
     {"rows_STIF1.mtx", "rows_MASS1.mtx", "names"}},
    {"abaqus: {stiffness: t_Z1.mtx, mass: t_Z1.mtx}", {"t_Z1.mtx"}},
    {"nastran: {stiffness: {file: t.pch, name: KAAX}, mass: {file: t.pch, name: MAAX}}",
     {"t.pch"}},
    {"nastran: {stiffness: k.op4, mass: m.op4, dofs: names}", {"k.op4", "m.op4", "names"}},
    {"dofs: names\n  mass: t.mat:M\n  stiffness: t.mat:K", {"t.mat"}},
};

static void damaged_files_are_refused(void)
{
    scratch_make(folder);
    read_structure();
    write_files();
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (int f = 0; f < 3 && parts[p].files[f]; f++) {
            char *path = text_of("%s/%s", folder, parts[p].files[f]);
            size_t n = 0;
            char *bytes = scratch_read(path, &n);
            for (int how = 0; CHECK(bytes != NULL) && how < N_DAMAGES; how++) {
                damage(path, (enum damage)how, bytes, n);
                check_refused(parts[p].structure, parts[p].files[f], (enum damage)how);
            }
            put_bytes(path, bytes, n);
            free(bytes);
            free(path);
        }
    }
    remove_files();
}

static void exchange(const char *a, const char *b)
{
    char *from = text_of("%s/%s", folder, a), *to = text_of("%s/%s", folder, b);
    char *between = text_of("%s/between", folder);
    CHECK(!rename(from, between) && !rename(to, from) && !rename(between, to));
    free(from);
    free(to);
    free(between);
}

static void exchanged_matrices_are_refused(void)
{
    struct masing_error error = {0};
    scratch_make(folder);
    read_structure();
    write_files();
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const char *stiffness_file = parts[p].files[0], *mass_file = parts[p].files[1];
        bool has_two = mass_file != NULL;
        if (has_two) {
            exchange(stiffness_file, mass_file);
        }
        if (has_two && (!CHECK(make_model(parts[p].structure, &error) == MASING_INVALID) ||
                        !CHECK(strstr(error.message, "were stiffness and mass swapped?")))) {
            printf("# %s: %s\n", parts[p].structure, error.message);
        }
        if (has_two) {
            exchange(stiffness_file, mass_file);
        }
    }
    CHECK(make_model("dofs: names\n  mass: t.mat:K\n  stiffness: t.mat:M", &error) ==
          MASING_INVALID);
    CHECK(strstr(error.message, "were stiffness and mass swapped?") != NULL);
    remove_files();
}

/* ---- what a model says of them ---- */

static void put(const char *name, const char *text)
{
    FILE *file = begin(name);
    fputs(text, file);
    fclose(file);
}

static void models_are_refused_with_their_place(void)
{
    static const struct {
        const char *structure, *dof, *expected;
    } cases[] = {
        {"abaqus: {stiffness: k, mass: m}", "3.x", ""},
        {"abaqus: {stiffness: k, mass: m}", "1.x",
         "model.yaml:3:15: dof: DOF '1.x' is held by a boundary condition"},
        {"abaqus: {stiffness: k, mass: m}, mesh: alone.inp", "1.x",
         "model.yaml:3:15: dof: DOF '1.x' is held by a boundary condition"},
        {"abaqus: {stiffness: k, mass: m}, mesh: held.inp", "1.x",
         "DOF '1.x' is constrained (*BOUNDARY in"},
        {"abaqus: {stiffness: k, mass: m}, mesh: held.inp", "2.x",
         "DOF '2.x' is of a node of the mesh, but not among those of the matrices"},
        {"abaqus: {stiffness: k, mass: m}, mesh: alone.inp", "{set: ENDS, direction: x}", ""},
        {"abaqus: {stiffness: k, mass: m}, mesh: held.inp", "{set: ENDS, direction: x}", ""},
        {"abaqus: {stiffness: k, mass: m}, mesh: other.inp", "{set: ENDS, direction: x}",
         "DOF '1.y' is of a node of the mesh, but not among"},
        {"abaqus: {stiffness: k}", "3.x", "missing key 'mass'"},
        {"abaqus: k", "3.x", "model.yaml:2:21: abaqus: expected a mapping"},
        {"abaqus: {stiffness: k, mass: m, name: K}", "3.x", "unknown key 'name'"},
        {"abaqus: {stiffness: k, mass: l}", "3.x", "mass: no file"},
        {"abaqus: {stiffness: k, mass: m, dofs: n}", "3.x",
         "model.yaml:2:51: dofs: the files name nodes and directions already"},
        {"abaqus: {stiffness: r, mass: r2, dofs: n}", "b", ""},
        {"abaqus: {stiffness: r, mass: r2, dofs: n}", "c", "unknown DOF 'c'"},
        {"abaqus: {stiffness: r, mass: r2, dofs: m}", "3.x",
         "model.yaml:2:46: '1,1,1,1,1' cannot be a DOF"},
        {"abaqus: {stiffness: r, mass: r2}", "2", ""},
        {"abaqus: {stiffness: r, mass: r2}", "2.z",
         "unknown DOF '2.z': the files have rows 1 to 2 and no nodes: give their names in"},
        {"stiffness: [[2, 0], [0, 2]], mass: [[9, 10], [10, 9]]", "1",
         "positive masses (a DOF without mass has a row of zeros): were stiffness and mass"},
        {"stiffness: [[20, 0], [0, 20]], mass: [[9, 10], [10, 9]]", "1", "row of zeros)"},
        {"abaqus: {stiffness: r3, mass: r2, dofs: n}", "a",
         "dofs: the file has 2 names, expected 3, one for each row"},
        {"nastran: {stiffness: {file: d}, mass: {file: d, name: M}}", "3.x",
         "d:2:6: the file has more than one matrix (K, M)"},
        {"nastran: {stiffness: {file: d, name: K}, mass: {file: d, name: M}}", "3.x", ""},
        {"nastran: {stiffness: {name: K}, mass: d}", "3.x", "missing key 'file'"},
        {"calculix: k", "3.x", "no file"},
        {"calculix: k, abaqus: {stiffness: k, mass: m}", "3.x",
         "model.yaml:2:26: structure: 'abaqus' does not go with 'calculix'"},
    };
    static const char *const files[][2] = {
        {"k", "1,1,1,1,1e36\n3,1,1,1,-1\n3,1,3,1,4\n"},
        {"m", "1,1,1,1,1\n3,1,3,1,1\n"},
        {"r", "1 1 4\n2 2 5\n"},
        {"r2", "1 1 1\n2 2 1\n"},
        {"r3", "1 1 4\n2 2 5\n3 3 5\n"},
        {"n", "a\nb\n"},
        {"alone.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n*NSET,NSET=ENDS\n1,3\n"},
        {"held.inp", "*INCLUDE,INPUT=alone.inp\n*BOUNDARY\n1,1,3\n3,2,3\n"},
        {"other.inp", "*INCLUDE,INPUT=alone.inp\n*BOUNDARY\n3,2,3\n"},
        {"d", "DMIG,K,3,1,,3,1,4.\nDMIG,M,3,1,,3,1,1.\n"},
    };
    scratch_make(folder);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        put(files[f][0], files[f][1]);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct masing_document *document = NULL;
        struct masing_model *model = NULL;
        struct masing_error error = {0};
        char *file = text_of("%s/model.yaml", folder);
        char *text = text_of("masing: 1\nstructure: {%s}\nloads: [{dof: %s, amplitude: 1}]\n"
                             "frequency: [0.1, 0.2]\nharmonics: 1\noutputs: all\n",
                             cases[c].structure, cases[c].dof);
        enum masing_status status =
            masing_document_parse(text, strlen(text), file, &document, &error);
        status = status ? status : masing_document_model(document, NULL, 0, &model, &error);
        if (!CHECK(*cases[c].expected
                       ? status != MASING_OK && strstr(error.message, cases[c].expected) != NULL
                       : status == MASING_OK)) {
            printf("# %s: expected %s\n# got %s\n", cases[c].structure, cases[c].expected,
                   error.message);
        }
        masing_model_destroy(model);
        masing_document_destroy(document);
        free(text);
        free(file);
    }
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *path = text_of("%s/%s", folder, files[f][0]);
        remove(path);
        free(path);
    }
    rmdir(folder);
}

static const struct tap_test tests[] = {
    {"all formats give the same response", all_formats_give_the_same_response},
    {"damaged files are refused", damaged_files_are_refused},
    {"exchanged matrices are refused", exchanged_matrices_are_refused},
    {"models are refused with their place", models_are_refused_with_their_place},
};

TAP_MAIN(tests)
