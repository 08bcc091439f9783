/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matrices in files of MATLAB, full and sparse, of both versions; what is refused. */
#include <matio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data/matrices/matlab.h"
#include "data/matrices/matrix_file.h"
#include "data/reduced_file.h"
#include "linalg/sparse.h"
#include "scratch.h"
#include "tap.h"

static const struct matrix_expectation any = {0, 0, true, "anything"};
static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];

/* ---- files ---- */

static void add_full(mat_t *mat, const char *name, size_t rows, size_t columns, void *values,
                     int options)
{
    size_t sizes[2] = {rows, columns};
    matvar_t *variable =
        Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, values, options);
    CHECK(variable && Mat_VarWrite(mat, variable, MAT_COMPRESSION_NONE) == 0);
    Mat_VarFree(variable);
}

static void add_sparse(mat_t *mat, const char *name, size_t n, mat_sparse_t *sparse,
                       enum matio_compression compression)
{
    size_t sizes[2] = {n, n};
    matvar_t *variable =
        Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, sizes, sparse, MAT_F_DONT_COPY_DATA);
    CHECK(variable && Mat_VarWrite(mat, variable, compression) == 0);
    Mat_VarFree(variable);
}

static double full_k[9] = {30, -10, 0, -10, 20, -10.5, 0, -10.5, 11};

/* The same */
static void add_k(mat_t *mat, const char *name, enum matio_compression compression)
{
    mat_uint32_t rows[] = {0, 1, 0, 1, 2, 1, 2}, starts[] = {0, 2, 5, 7};
    double values[] = {30, -10, -10, 20, -10.5, -10.5, 11};
    mat_sparse_t sparse = {7, rows, 7, starts, 4, 7, values};
    add_sparse(mat, name, 3, &sparse, compression);
}

/* A chain of as many masses as stay sparse; the entry beside its last one. */
static void add_chain(mat_t *mat, const char *name, double last)
{
    enum { N = MARKET_SPARSE_ROWS, COUNT = 3 * N - 2 };
    static mat_uint32_t rows[COUNT], starts[N + 1];
    static double values[COUNT];
    mat_uint32_t n = 0;
    for (int j = 0; j < N; j++) {
        starts[j] = n;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) {
            rows[n] = (mat_uint32_t)i;
            values[n++] = i == j ? 2.0 + j : -0.5;
        }
    }
    starts[N] = n;
    values[n - 2] = last;
    mat_sparse_t sparse = {COUNT, rows, COUNT, starts, N + 1, COUNT, values};
    add_sparse(mat, name, N, &sparse, MAT_COMPRESSION_NONE);
}

static mat_t *begin(enum mat_ft version)
{
    mat_t *mat = Mat_CreateVer(file, NULL, version);
    if (!CHECK(mat != NULL)) {
        exit(99);
    }
    return mat;
}

static void write_file(enum mat_ft version)
{
    static double complex_values[2][4] = {{1, 0, 0, 1}, {0, 1, -1, 0}};
    static double rows[] = {1, 2, 3, 4, 5, 6}, asymmetric[] = {1, 2, 3, 4};
    static double not_finite[] = {1, NAN, 2, 3};
    mat_complex_split_t parts = {complex_values[0], complex_values[1]};
    mat_t *mat = begin(version);
    add_full(mat, "K", 3, 3, full_k, 0);
    add_k(mat, "S", MAT_COMPRESSION_NONE);
    add_k(mat, "packed", MAT_COMPRESSION_ZLIB);
    add_full(mat, "rows", 2, 3, rows, 0);
    add_full(mat, "asymmetric", 2, 2, asymmetric, 0);
    add_full(mat, "not_finite", 2, 2, not_finite, 0);
    add_full(mat, "complex", 2, 2, &parts, MAT_F_COMPLEX);
    add_chain(mat, "chain", -0.5);
    add_chain(mat, "broken", -0.25);
    size_t sizes[2] = {1, 4};
    matvar_t *text = Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UINT8, 2, sizes, "abcd", 0);
    Mat_VarWrite(mat, text, MAT_COMPRESSION_NONE);
    Mat_VarFree(text);
    Mat_Close(mat);
}

/* ---- reading ---- */

static enum masing_status read_variable(const char *variable, struct market_matrix *matrix,
                                        struct masing_error *error)
{
    char name[SCRATCH_PATH + 64];
    snprintf(name, sizeof name, "%s%s%s", file, variable ? ":" : "", variable ? variable : "");
    masing_error_clear(error);
    return matrix_file_read_symmetric(name, &any, matrix, error);
}

static void check_good(enum mat_ft version)
{
    static const char *const names[] = {"K", "S", "packed"};
    struct masing_error error = {0};
    struct market_matrix matrix;
    write_file(version);
    for (int i = 0; i < 3; i++) {
        if (CHECK(read_variable(names[i], &matrix, &error) == MASING_OK)) {
            CHECK(matrix.dense.n_rows == 3 && matrix.dense.n_columns == 3);
            CHECK(!memcmp(matrix.dense.real, full_k, sizeof full_k));
        } else {
            printf("# %s: %s\n", names[i], error.message);
        }
        market_matrix_clear(&matrix);
    }
    CHECK(read_variable("chain", &matrix, &error) == MASING_OK);
    if (CHECK(matrix.sparse.n == MARKET_SPARSE_ROWS && !matrix.dense.real)) {
        CHECK(matrix.sparse.start[matrix.sparse.n] == 2 * MARKET_SPARSE_ROWS - 1);
        CHECK(matrix.sparse.values[sparse_find(&matrix.sparse, 7, 8)] == -0.5);
        CHECK(matrix.sparse.values[sparse_find(&matrix.sparse, 9, 9)] == 11.0);
    }
    market_matrix_clear(&matrix);
}

static void version_5_is_read(void)
{
    check_good(MAT_FT_MAT5);
}

static void version_7_3_is_read(void)
{
    check_good(MAT_FT_MAT73);
}

/* Not by the library that reads them */
static void files_of_scipy_and_octave_are_read(void)
{
    static const char *const names[] = {
        "full.mat:K",     "sparse.mat:K",        "packed.mat",         "octave_6.mat:K",
        "octave_7.mat:K", "octave_sparse.mat:K", "octave_integers.mat"};
    const char *root = getenv("MASING_SOURCE_ROOT");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[SCRATCH_PATH];
        struct masing_error error = {0};
        struct market_matrix matrix;
        snprintf(name, sizeof name, "%s/tests/reference/matlab/%s", root ? root : ".",
                 names[i]);
        if (CHECK(matrix_file_read_symmetric(name, &any, &matrix, &error) == MASING_OK &&
                  matrix.dense.n_rows == 3)) {
            double factor = strstr(name, "integers") ? 2.0 : 1.0; /* 2 K as int32 */
            for (int k = 0; k < 9; k++) {
                CHECK(matrix.dense.real[k] == factor * full_k[k]);
            }
        } else {
            printf("# %s: %s\n", name, error.message);
        }
        market_matrix_clear(&matrix);
    }
}

static void any_shape_is_read(void)
{
    static const struct matrix_expectation three = {2, 3, false, "one row for each DOF"};
    struct masing_error error = {0};
    struct placed_matrix matrix;
    char name[SCRATCH_PATH + 32];
    snprintf(name, sizeof name, "%s:rows", file);
    if (CHECK(matrix_file_read(name, &three, &matrix, &error) == MASING_OK)) {
        CHECK(matrix.n_rows == 2 && matrix.n_columns == 3 && matrix.real[3] == 4.0);
    }
    placed_matrix_clear(&matrix);
    snprintf(name, sizeof name, "%s:K", file);
    CHECK(matrix_file_read(name, &three, &matrix, &error) == MASING_INVALID);
    CHECK(strstr(error.message,
                 "m.mat:K: the matrix is 3 x 3; expected 2 x 3, one row for each DOF"));
}

static void anything_else_is_refused(void)
{
    static const struct {
        const char *variable, *expected;
    } cases[] = {
        {NULL, "m.mat: has more than one matrix: K, S, "},
        {"L", "m.mat: has no variable 'L'; it has K, S, "},
        {"text", "m.mat:text: expected a matrix of numbers"},
        {"complex", "m.mat:complex: a real matrix is expected"},
        {"rows", "m.mat:rows: the matrix is 2 x 3, expected a square one"},
        {"asymmetric", "m.mat:asymmetric: the matrix is not symmetric: entry (2, 1) is 2"},
        {"not_finite", "m.mat:not_finite: entry (2, 1) is not a finite number"},
        {"broken", "m.mat:broken: entry (400, 399) differs from its mirror image"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct masing_error error = {0};
        struct market_matrix matrix;
        size_t c = i % (sizeof cases / sizeof *cases);
        if (c == 0) {
            write_file(i == 0 ? MAT_FT_MAT5 : MAT_FT_MAT73);
        }
        bool is_refused = read_variable(cases[c].variable, &matrix, &error) == MASING_INVALID;
        if (!CHECK(is_refused && strstr(error.message, cases[c].expected))) {
            printf("# expected %s\n# got      %s\n", cases[c].expected, error.message);
        }
        CHECK(!matrix.dense.real && !matrix.sparse.start);
    }
}

static void a_single_matrix_needs_no_name(void)
{
    struct masing_error error = {0};
    struct market_matrix matrix;
    mat_t *mat = begin(MAT_FT_MAT5);
    add_k(mat, "stiff", MAT_COMPRESSION_ZLIB);
    Mat_Close(mat);
    CHECK(read_variable(NULL, &matrix, &error) == MASING_OK);
    CHECK(matrix.dense.n_rows == 3);
    market_matrix_clear(&matrix);
}

static void files_that_are_cut_short_are_refused(void)
{
    for (int version = 0; version < 2; version++) {
        mat_t *mat = begin(version ? MAT_FT_MAT73 : MAT_FT_MAT5);
        int n_refused = 0, n = 0;
        size_t length;
        add_k(mat, "S", MAT_COMPRESSION_NONE);
        Mat_Close(mat);
        char *bytes = scratch_read(file, &length);
        if (!CHECK(bytes != NULL)) {
            return;
        }
        for (size_t end = length - 1; end > 0; end -= end < 600 ? 1 : 40) {
            struct masing_error error = {0};
            struct market_matrix matrix;
            FILE *stream = fopen(file, "wb");
            fwrite(bytes, 1, end, stream);
            fclose(stream);
            n_refused += read_variable("S", &matrix, &error) == MASING_INVALID;
            market_matrix_clear(&matrix);
            n++;
        }
        printf("# %d pieces\n", n);
        CHECK(n_refused == n);
        free(bytes);
    }
}

/* ---- one HDF5 ---- */

static void *read_matlab(void *n_good)
{
    for (int i = 0; i < 20; i++) {
        struct masing_error error = {0};
        struct market_matrix matrix;
        *(int *)n_good += read_variable("K", &matrix, &error) == MASING_OK;
        market_matrix_clear(&matrix);
    }
    return NULL;
}

static void *read_reduced(void *n_good)
{
    char name[SCRATCH_PATH];
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(name, sizeof name, "%s/examples/overlap_reduced.h5", root ? root : ".");
    for (int i = 0; i < 20; i++) {
        struct masing_error error = {0};
        struct masing_spec spec = {0};
        *(int *)n_good += reduced_file_read(name, &spec.structure, &error) == MASING_OK;
        masing_spec_clear(&spec);
    }
    return NULL;
}

/* Paths of libraries, in the order of the addresses at which they lie */
static int count_loaded(const char *name)
{
    char line[500], before[500] = "";
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        if (path && strstr(path, name) && strcmp(path, before) != 0) {
            strcpy(before, path);
            n++;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return n;
}

static void threads_share_one_hdf5(void)
{
    enum { N = 4 };
    pthread_t threads[N];
    int n_good[N] = {0};
    write_file(MAT_FT_MAT73);
    for (int t = 0; t < N; t++) {
        CHECK(
            !pthread_create(&threads[t], NULL, t % 2 ? read_matlab : read_reduced, &n_good[t]));
    }
    for (int t = 0; t < N; t++) {
        pthread_join(threads[t], NULL);
        CHECK(n_good[t] == 20);
    }
    CHECK(count_loaded("/libhdf5") == 1 && count_loaded("/libmatio") == 1);
}

static const struct tap_test tests[] = {
    {"version 5 is read", version_5_is_read},
    {"version 7.3 is read", version_7_3_is_read},
    {"files of SciPy and Octave are read", files_of_scipy_and_octave_are_read},
    {"any shape is read", any_shape_is_read},
    {"anything else is refused", anything_else_is_refused},
    {"a single matrix needs no name", a_single_matrix_needs_no_name},
    {"files that are cut short are refused", files_that_are_cut_short_are_refused},
    {"threads share one HDF5", threads_share_one_hdf5},
};

int main(void)
{
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/m.mat", folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    remove(file);
    rmdir(folder);
    return result;
}
