/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matrix Market files: what is read, and what is refused where. */
#include <stdlib.h>
#include <string.h>

#include "data/matrices/matrix_market.h"
#include "linalg/sparse.h"
#include "scratch.h"
#include "tap.h"

static const struct matrix_expectation any = {0, 0, true, "anything"};
static const struct matrix_expectation two = {2, 2, false, "one row and column for each DOF"};

static struct placed_matrix read_good(const char *text,
                                      const struct matrix_expectation *expectation)
{
    struct placed_matrix matrix;
    struct masing_error error = {0};
    enum masing_status status =
        matrix_market_parse(text, strlen(text), "m.mtx", expectation, &matrix, &error);
    if (!CHECK(status == MASING_OK)) {
    }
    return matrix;
}

static bool holds(const struct placed_matrix *matrix, int rows, int columns,
                  const double *values)
{
    if (matrix->n_rows != rows || matrix->n_columns != columns) {
        return false;
    }
    for (int i = 0; i < rows * columns; i++) {
        if (matrix->real[i] != values[i]) {
            return false;
        }
    }
    return true;
}

static void dense_files_run_down_the_columns(void)
{
    struct placed_matrix matrix = read_good("%%MatrixMarket matrix array real general\n"
                                            "% a comment\n\n3 2\n1\n2\n3\n4\n5\n6\n",
                                            &any);
    static const double values[] = {1, 2, 3, 4, 5, 6};
    CHECK(holds(&matrix, 3, 2, values) && !matrix.imaginary);
    CHECK(matrix.places && matrix.places[4].line == 9);
    placed_matrix_clear(&matrix);
}

static void symmetric_files_hold_the_lower_triangle(void)
{
    static const double values[] = {4, -1, -2, -1, 5, -3, -2, -3, 6};
    struct placed_matrix dense = read_good(
        "%%MatrixMarket matrix array real symmetric\n3 3\n4\n-1\n-2\n5\n-3\n6\n", &any);
    struct placed_matrix sparse =
        read_good("%%matrixmarket MATRIX Coordinate Integer Symmetric\r\n3 3 6\r\n3 3 6\r\n"
                  "1 1 4\r\n3 2 -3\r\n2 1 -1\r\n2 2 5\r\n3 1 -2\r\n",
                  &any);
    CHECK(holds(&dense, 3, 3, values) && holds(&sparse, 3, 3, values));
    placed_matrix_clear(&dense);
    placed_matrix_clear(&sparse);
}

static void sparse_files_leave_zeros(void)
{
    static const double values[] = {0, 0, 2.5, 0, 0, 0}, zeros[4];
    struct placed_matrix matrix = read_good(
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 2.5\n% end\n\n", &any);
    CHECK(holds(&matrix, 2, 3, values));
    CHECK(matrix.places && matrix.places[2].line == 3 && matrix.places[0].line == 0);
    placed_matrix_clear(&matrix);
    matrix = read_good("%%MatrixMarket matrix coordinate real general\n2 2 0\n", &any);
    CHECK(holds(&matrix, 2, 2, zeros));
    placed_matrix_clear(&matrix);
}

static void complex_vectors_have_two_parts(void)
{
    struct placed_matrix matrix =
        read_good("%%MatrixMarket matrix array complex general\n2 1\n1 -2\n3e1 .5\n", &any);
    if (CHECK(matrix.imaginary)) {
        CHECK(matrix.real[0] == 1 && matrix.imaginary[0] == -2);
        CHECK(matrix.real[1] == 30 && matrix.imaginary[1] == 0.5);
    }
    placed_matrix_clear(&matrix);
}

#define ARRAY "%%MatrixMarket matrix array real general\n"
#define SPARSE "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "m.mtx:1:1: the file is empty"},
    {"\n \n", "m.mtx:1:1: the file is empty"},
    {"1 2\n3 4\n", "m.mtx:1:1: expected a Matrix Market file"},
    {"%%MatrixMarket\n", "m.mtx:1:15: expected 'matrix'"},
    {"%%MatrixMarket vector array real general\n", "m.mtx:1:16: expected 'matrix'"},
    {"%%MatrixMarket matrix dense real general\n", "m.mtx:1:23: expected 'array' or"},
    {"%%MatrixMarket matrix array pattern general\n", "m.mtx:1:29: expected 'real'"},
    {"%%MatrixMarket matrix array complex general\n", "m.mtx:1:1: a real matrix is expected"},
    {"%%MatrixMarket matrix array real hermitian\n", "m.mtx:1:34: expected 'general' or"},
    {"%%MatrixMarket matrix array real skew-symmetric\n", "m.mtx:1:34: expected 'general'"},
    {"%%MatrixMarket matrix array real general x\n", "m.mtx:1:42: nothing more is expected"},
    {ARRAY, "m.mtx:1:1: the file ends before the line with the matrix's size"},
    {ARRAY "2\n", "m.mtx:2:2: columns: '' is not a number"},
    {ARRAY "2 2 4\n", "m.mtx:2:5: nothing more is expected"},
    {ARRAY "2 3\n", "m.mtx:2:1: the matrix is 2 x 3; expected 2 x 2, one row and column"},
    {ARRAY "3 3\n", "m.mtx:2:1: the matrix is 3 x 3; expected 2 x 2"},
    {ARRAY "-2 2\n", "m.mtx:2:1: rows: expected a whole number from 1"},
    {ARRAY "2.5 2\n", "m.mtx:2:1: rows: expected a whole number from 1"},
    {ARRAY "2 2\n1\n2\n", "m.mtx:4:1: the file ends after 2 of 4 values"},
    {ARRAY "2 2\n1\n2\n3\n4\n5\n", "m.mtx:7:1: more values than the 4"},
    {ARRAY "2 2\n1\n2 3\n3\n4\n", "m.mtx:4:3: nothing more is expected"},
    {ARRAY "2 2\n1\n0,5\n3\n4\n",
     "m.mtx:4:1: value: '0,5' is not a number: expected a decimal"},
    {ARRAY "2 2\n1\nnan\n3\n4\n", "m.mtx:4:1: value: 'nan' is not a number: expected a finite"},
    {ARRAY "2 2\n1\n1e999\n3\n4\n", "m.mtx:4:1: value: '1e999' is not a number: it is too"},
    {ARRAY "2 2\n1\n1D5\n3\n4\n", "m.mtx:4:1: value: '1D5' is not a number: expected an exp"},
    {ARRAY "2 2\n1\n\x01\n", "m.mtx:4:1: not a text file: a control character (byte 0x01)"},
    {SPARSE "2 2\n", "m.mtx:2:4: entries: '' is not a number"},
    {SPARSE "2 2 5\n", "m.mtx:2:5: entries: expected a whole number from 0 to 4"},
    {SPARSE "2 2 1\n3 1 1\n", "m.mtx:3:1: row: expected a whole number from 1 to 2, found '3'"},
    {SPARSE "2 2 1\n1 0 1\n", "m.mtx:3:3: column: expected a whole number from 1 to 2"},
    {SPARSE "2 2 1\n1 1\n", "m.mtx:3:4: value: '' is not a number"},
    {SPARSE "2 2 2\n1 1 1\n1 1 2\n",
     "m.mtx:4:1: entry (1, 1) is given twice (first in line 3)"},
    {SPARSE "2 2 2\n1 1 1\n", "m.mtx:3:1: the file ends after 1 of 2 values"},
    {SYMMETRIC "2 2 1\n1 2 1\n", "m.mtx:3:1: entry (1, 2) lies above the diagonal"},
    {SYMMETRIC "2 2 4\n", "m.mtx:2:5: entries: expected a whole number from 0 to 3"},
    {"\xFF\xFE%\0", "m.mtx:1:1: the text is UTF-16"},
};

static void anything_else_is_refused_where_it_stands(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct placed_matrix matrix;
        struct masing_error error = {0};
        enum masing_status status = matrix_market_parse(bad[i].text, strlen(bad[i].text),
                                                        "m.mtx", &two, &matrix, &error);
        bool is_refused = CHECK(status == MASING_INVALID);
        bool says_why = CHECK(!strncmp(error.message, bad[i].message, strlen(bad[i].message)));
        if (!is_refused || !says_why) {
            printf("# %s# expected %s\n# got      %s\n", bad[i].text, bad[i].message,
                   error.message);
        }
        CHECK(!matrix.real && !matrix.places && !matrix.imaginary);
        placed_matrix_clear(&matrix);
    }
}

static void huge_sizes_are_refused_before_memory_is_taken(void)
{
    static const char *const texts[] = {
        ARRAY "99999999 99999999\n1\n", SPARSE "99999999 99999999 1\n1 1 1\n",
        SYMMETRIC "99999999 99999999 1\n1 1 1\n", ARRAY "999999999999999 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct placed_matrix matrix;
        struct masing_error error = {0};
        CHECK(matrix_market_parse(texts[i], strlen(texts[i]), "m.mtx", &any, &matrix, &error) ==
              MASING_INVALID);
        CHECK(!strncmp(error.message, "m.mtx:2:1: ", 11));
    }
}

static enum masing_status symmetrize(const char *text, struct masing_error *error,
                                     double *corner)
{
    struct placed_matrix matrix = read_good(text, &two);
    enum masing_status status = placed_matrix_symmetrize(&matrix, "m.mtx", error);
    *corner = status == MASING_OK && matrix.real[1] == matrix.real[2] ? matrix.real[1] : NAN;
    placed_matrix_clear(&matrix);
    return status;
}

static void symmetry_is_demanded_to_rounding(void)
{
    struct masing_error error = {0};
    double corner;
    CHECK(symmetrize(ARRAY "2 2\n4\n-1\n-1.0000000000001\n4\n", &error, &corner) == MASING_OK);
    CHECK_RELATIVE(corner, -1.00000000000005, 1e-15);
    /* rounding of large neighbours is rounding */
    CHECK(symmetrize(ARRAY "2 2\n1e9\n1e-7\n-1e-7\n1e9\n", &error, &corner) == MASING_OK);
    CHECK(symmetrize(ARRAY "2 2\n4\n-1\n-1.00001\n4\n", &error, &corner) == MASING_INVALID);
    CHECK(strstr(error.message, "m.mtx:4:1: the matrix is not symmetric: entry (2, 1) is -1 "));
    error.status = MASING_OK;
    CHECK(symmetrize(SPARSE "2 2 3\n1 1 4\n2 1 -1\n2 2 4\n", &error, &corner) ==
          MASING_INVALID);
    CHECK(strstr(error.message, "m.mtx:4:5:") && strstr(error.message, "declared symmetric"));
    error.status = MASING_OK;
    CHECK(symmetrize(SPARSE "2 2 2\n1 1 4\n1 2 -1\n", &error, &corner) == MASING_INVALID);
    CHECK(strstr(error.message, "m.mtx:4:5:"));
}

static void missing_files_are_named(void)
{
    struct placed_matrix matrix;
    struct masing_error error = {0};
    CHECK(matrix_market_read("no/such.mtx", &any, &matrix, &error) == MASING_IO);
    CHECK(!strncmp(error.message, "no/such.mtx: cannot be read: ", 29));
}

/* ---- many rows in coordinates ---- */

enum { ROWS = MARKET_SPARSE_ROWS };

/* A band of three, in a file of the test's own; an entry of its last row is as given. */
static enum masing_status read_band(const char *symmetry, bool has_upper, const char *last,
                                    struct market_matrix *matrix, struct masing_error *error)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/band.mtx", folder);
    FILE *stream = fopen(file, "w");
    fprintf(stream, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", symmetry, ROWS,
            ROWS, has_upper ? 3 * ROWS - 1 : 2 * ROWS);
    for (int i = 1; i <= ROWS; i++) {
        fprintf(stream, "%d %d %g\n", i, i, 2.0 + i);
    }
    for (int i = 1; i < ROWS; i++) {
        fprintf(stream, "%d %d %g\n", i + 1, i, -1.0 / 3.0);
        if (has_upper) {
            fprintf(stream, "%d %d %g\n", i, i + 1, -1.0 / 3.0);
        }
    }
    fprintf(stream, "%s\n", last);
    fclose(stream);
    enum masing_status status =
        matrix_market_read_symmetric(file, &(struct matrix_expectation){0}, matrix, error);
    remove(file);
    remove(folder);
    return status;
}

static void many_rows_stay_sparse(void)
{
    struct masing_error error = {0};
    struct market_matrix matrix;
    if (CHECK(read_band("symmetric", false, "400 1 5", &matrix, &error) == MASING_OK)) {
        CHECK(!matrix.dense.real && matrix.sparse.n == ROWS);
        CHECK(matrix.sparse.start[ROWS] == 2 * ROWS);
        CHECK(matrix.sparse.values[sparse_find(&matrix.sparse, 0, ROWS - 1)] == 5.0);
        CHECK_RELATIVE(matrix.sparse.values[sparse_find(&matrix.sparse, 7, 6)], -1.0 / 3.0,
                       1e-5);
        market_matrix_clear(&matrix);
    }
    CHECK(read_band("symmetric", false, "2 1 7", &matrix, &error) == MASING_INVALID);
    CHECK(matrix.sparse.n == 0);
    CHECK(strstr(error.message, "entry (2, 1) is given twice (first in line 403)") != NULL);
}

static void general_files_hold_both_triangles(void)
{
    struct masing_error error = {0};
    struct market_matrix matrix;
    if (CHECK(read_band("general", true, "3 1 0", &matrix, &error) == MASING_OK)) {
        CHECK(matrix.sparse.start[ROWS] == 2 * ROWS);
        CHECK_RELATIVE(matrix.sparse.values[sparse_find(&matrix.sparse, 7, 6)], -1.0 / 3.0,
                       1e-5);
        market_matrix_clear(&matrix);
    }
    CHECK(read_band("general", false, "2 2 1", &matrix, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "given twice") != NULL);
    error.status = MASING_OK;
    CHECK(read_band("general", false, "1 2 -0.333333", &matrix, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "differs from its mirror image") != NULL);
    CHECK(matrix.sparse.n == 0 && !matrix.dense.real);
}

static const struct tap_test tests[] = {
    {"dense files run down the columns", dense_files_run_down_the_columns},
    {"symmetric files hold the lower triangle", symmetric_files_hold_the_lower_triangle},
    {"sparse files leave zeros", sparse_files_leave_zeros},
    {"complex vectors have two parts", complex_vectors_have_two_parts},
    {"anything else is refused where it stands", anything_else_is_refused_where_it_stands},
    {"huge sizes are refused before memory is taken",
     huge_sizes_are_refused_before_memory_is_taken},
    {"symmetry is demanded to rounding", symmetry_is_demanded_to_rounding},
    {"missing files are named", missing_files_are_named},
    {"many rows stay sparse", many_rows_stay_sparse},
    {"general files hold both triangles", general_files_hold_both_triangles},
};

TAP_MAIN(tests)
