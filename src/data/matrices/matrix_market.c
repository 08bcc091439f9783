/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/matrix_market.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/entries.h"
#include "data/matrices/matrix_format.h"
#include "data/text_file.h"
#include "linalg/sparse.h"

/* How far two entries across the diagonal may differ, in parts of what their rows' diagonals
 * suggest: more than the rounding of a program that writes a symmetric matrix. */
static const double ASYMMETRY = 1e-10;

/* ---- matrices with places ---- */

enum masing_status placed_matrix_create(int n_rows, int n_columns, bool is_complex,
                                        struct placed_matrix *matrix,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)n_rows * (size_t)n_columns;
    *matrix = (struct placed_matrix){.n_rows = n_rows, .n_columns = n_columns};
    matrix->real = memory_array(n, sizeof(double));
    matrix->imaginary = is_complex ? memory_array(n, sizeof(double)) : NULL;
    matrix->places = memory_array(n, sizeof *matrix->places);
    TRY_ALLOCATED(matrix->real && matrix->places && (matrix->imaginary || !is_complex));
done:
    if (status != MASING_OK) {
        placed_matrix_clear(matrix);
    }
    return status;
}

void placed_matrix_clear(struct placed_matrix *matrix)
{
    free(matrix->real);
    free(matrix->imaginary);
    free(matrix->places);
    *matrix = (struct placed_matrix){0};
}

static bool is_half_empty(const struct placed_matrix *matrix)
{
    bool has_lower = false, has_upper = false;
    for (int j = 0; j < matrix->n_columns; j++) {
        for (int i = 0; i < matrix->n_rows; i++) {
            bool is_there = matrix->real[(size_t)i + (size_t)j * (size_t)matrix->n_rows] != 0.0;
            has_lower = has_lower || (is_there && i > j);
            has_upper = has_upper || (is_there && i < j);
        }
    }
    return has_lower != has_upper;
}

static enum masing_status fail_asymmetric(const struct placed_matrix *matrix, int i, int j,
                                          const char *file, struct masing_error *error)
{
    size_t n = (size_t)matrix->n_rows;
    size_t lower = (size_t)i + (size_t)j * n, upper = (size_t)j + (size_t)i * n;
    struct masing_place place = matrix->places[matrix->places[lower].line ? lower : upper];
    char line[32] = ""; /* files of MATLAB have none */
    if (place.line) {
        snprintf(line, sizeof line, ":%d:%d", place.line, place.column);
    }
    return masing_error_set(
        error, MASING_INVALID,
        "%.400s%s: the matrix is not symmetric: entry (%d, %d) is %g but entry (%d, %d) is "
        "%g%s",
        file, line, i + 1, j + 1, matrix->real[lower], j + 1, i + 1, matrix->real[upper],
        place.line && is_half_empty(matrix)
            ? "; a file that holds one triangle must be declared symmetric"
            : "");
}

enum masing_status placed_matrix_symmetrize(struct placed_matrix *matrix, const char *file,
                                            struct masing_error *error)
{
    size_t n = (size_t)matrix->n_rows;
    double *a = matrix->real;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j + 1; i < n; i++) {
            double lower = a[i + j * n], upper = a[j + i * n];
            double scale = sqrt(fabs(a[i + i * n])) * sqrt(fabs(a[j + j * n]));
            scale = fmax(scale, fmax(fabs(lower), fabs(upper)));
            if (fabs(lower - upper) > ASYMMETRY * scale) {
                return fail_asymmetric(matrix, (int)i, (int)j, file, error);
            }
            a[i + j * n] = a[j + i * n] = lower == upper ? lower : 0.5 * lower + 0.5 * upper;
        }
    }
    return MASING_OK;
}

/* ---- the format ---- */

struct market {
    struct text_lines lines;
    size_t position; /* in the current line */
    bool is_sparse, is_complex, is_symmetric;
    int n_rows, n_columns, n_entries; /* lines that must follow */
    const struct matrix_expectation *expectation;
    struct placed_matrix *matrix;
    struct entry_list entries; /* where the matrix stays sparse */
    bool may_be_sparse;
};

static bool stays_sparse(const struct market *market)
{
    return market->may_be_sparse && market->is_sparse && market->n_rows >= MARKET_SPARSE_ROWS &&
           market->n_rows == market->n_columns;
}

/* One of the words of a NULL-terminated list; its index. */
static enum masing_status take_choice(struct market *market, const char *const *words,
                                      const char *expected, int *choice)
{
    struct text_word word;
    text_lines_word(&market->lines, &market->position, &word);
    for (*choice = 0; words[*choice]; ++*choice) {
        if (text_word_equals(&word, words[*choice], true)) {
            return MASING_OK;
        }
    }
    return text_lines_fail(&market->lines, word.column, "expected %s, found '%.*s'", expected,
                           text_word_shown(&word), word.text);
}

static enum masing_status refuse_more(struct market *market)
{
    struct text_word word;
    if (!text_lines_word(&market->lines, &market->position, &word)) {
        return MASING_OK;
    }
    return text_lines_fail(&market->lines, word.column,
                           "nothing more is expected on this line, found '%.*s'",
                           text_word_shown(&word), word.text);
}

static enum masing_status read_banner(struct market *market)
{
    static const char *const banners[] = {"%%MatrixMarket", NULL};
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"array", "coordinate", NULL};
    static const char *const fields[] = {"real", "integer", "double", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", NULL};
    int choice;
    text_lines_next(&market->lines);
    NEED(take_choice(market, banners, "a Matrix Market file (%%MatrixMarket ...)", &choice));
    NEED(take_choice(market, objects, "'matrix'", &choice));
    NEED(take_choice(market, formats, "'array' or 'coordinate'", &choice));
    market->is_sparse = choice == 1;
    NEED(take_choice(market, fields, "'real', 'integer' or 'complex'", &choice));
    market->is_complex = choice == 3;
    if (market->is_complex && !market->expectation->may_be_complex) {
        return text_lines_fail(&market->lines, 1,
                               "a real matrix is expected, this one is complex");
    }
    NEED(take_choice(market, symmetries, "'general' or 'symmetric'", &choice));
    market->is_symmetric = choice == 1;
    return refuse_more(market);
}

static enum masing_status take_integer(struct market *market, const char *name, int minimum,
                                       int maximum, int *value)
{
    struct text_word word;
    text_lines_word(&market->lines, &market->position, &word);
    return text_lines_integer(&market->lines, &word, name, minimum, maximum, value);
}

static enum masing_status check_size(struct market *market)
{
    const struct matrix_expectation *expected = market->expectation;
    int n_rows = market->n_rows, n_columns = market->n_columns;
    bool is_wrong = (expected->n_rows && n_rows != expected->n_rows) ||
                    (expected->n_columns && n_columns != expected->n_columns);
    if (is_wrong && expected->n_columns) {
        return text_lines_fail(&market->lines, 1, "the matrix is %d x %d; expected %d x %d, %s",
                               n_rows, n_columns, expected->n_rows, expected->n_columns,
                               expected->rows_are);
    }
    if (is_wrong) {
        return text_lines_fail(&market->lines, 1, "the matrix has %d rows; expected %d, %s",
                               n_rows, expected->n_rows, expected->rows_are);
    }
    const char *fault =
        market->is_symmetric && n_rows != n_columns ? "a symmetric one is square"
        : !stays_sparse(market) && (long long)n_rows * n_columns > PLACED_MATRIX_LIMIT
            ? "at most 25 million entries are taken"
            : NULL;
    return fault ? text_lines_fail(&market->lines, 1, "the matrix is %d x %d; %s", n_rows,
                                   n_columns, fault)
                 : MASING_OK;
}

static enum masing_status read_size(struct market *market)
{
    const int most = 100000000;
    if (!text_lines_next_data(&market->lines)) {
        return text_lines_fail(&market->lines, 1,
                               "the file ends before the line with the matrix's size");
    }
    market->position = 0;
    NEED(take_integer(market, "rows", 1, most, &market->n_rows));
    NEED(take_integer(market, "columns", 1, most, &market->n_columns));
    NEED(check_size(market));
    long long n = market->n_rows, full = n * market->n_columns;
    full = market->is_symmetric ? n * (n + 1) / 2 : full;
    market->n_entries = full < INT_MAX ? (int)full : INT_MAX;
    if (market->is_sparse) {
        NEED(take_integer(market, "entries", 0, market->n_entries, &market->n_entries));
    }
    return refuse_more(market);
}

static enum masing_status take_place(struct market *market, int *row, int *column)
{
    NEED(take_integer(market, "row", 1, market->n_rows, row));
    NEED(take_integer(market, "column", 1, market->n_columns, column));
    if (market->is_symmetric && *row < *column) {
        return text_lines_fail(&market->lines, 1,
                               "entry (%d, %d) lies above the diagonal; a symmetric file holds "
                               "the lower triangle only",
                               *row, *column);
    }
    (*row)--;
    (*column)--;
    if (stays_sparse(market)) {
        return MASING_OK; /* twice at one place is found at the end */
    }
    size_t index = (size_t)*row + (size_t)*column * (size_t)market->n_rows;
    int line = market->matrix->places[index].line;
    if (line) {
        return text_lines_fail(&market->lines, 1,
                               "entry (%d, %d) is given twice (first in line %d)", *row + 1,
                               *column + 1, line);
    }
    return MASING_OK;
}

static void store(struct placed_matrix *matrix, int row, int column, const double value[2],
                  struct masing_place place)
{
    size_t index = (size_t)row + (size_t)column * (size_t)matrix->n_rows;
    matrix->real[index] = value[0];
    matrix->places[index] = place;
    if (matrix->imaginary) {
        matrix->imaginary[index] = value[1];
    }
}

/* Row and column lead to the next entry of a dense file then: down the columns. */
static enum masing_status read_entry(struct market *market, int *row, int *column)
{
    static const char *const names[] = {"value", "imaginary part"};
    double value[2] = {0.0, 0.0};
    struct masing_place place = {market->lines.number, 0};
    market->position = 0;
    NEED(market->is_sparse ? take_place(market, row, column) : MASING_OK);
    for (int i = 0; i < (market->is_complex ? 2 : 1); i++) {
        struct text_word word;
        text_lines_word(&market->lines, &market->position, &word);
        NEED(text_lines_number(&market->lines, &word, names[i], &value[i]));
        place.column = place.column ? place.column : word.column;
    }
    NEED(refuse_more(market));
    if (stays_sparse(market)) {
        return entry_list_add(&market->entries, *row, *column, value[0], market->lines.number,
                              market->lines.error);
    }
    store(market->matrix, *row, *column, value, place);
    if (market->is_symmetric) {
        store(market->matrix, *column, *row, value, place);
    }
    if (!market->is_sparse && ++*row == market->n_rows) {
        ++*column;
        *row = market->is_symmetric ? *column : 0;
    }
    return MASING_OK;
}

static enum masing_status read_entries(struct market *market)
{
    int row = 0, column = 0, count = 0;
    for (; count < market->n_entries && text_lines_next_data(&market->lines); count++) {
        NEED(read_entry(market, &row, &column));
    }
    if (count < market->n_entries) {
        return text_lines_fail(&market->lines, 1, "the file ends after %d of %d values", count,
                               market->n_entries);
    }
    if (text_lines_next_data(&market->lines)) {
        return text_lines_fail(&market->lines, 1, "more values than the %d that were announced",
                               market->n_entries);
    }
    return MASING_OK;
}

static enum masing_status parse(struct market *market, const char *text, size_t length,
                                const char *file, struct masing_sparse *sparse,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *market->matrix = (struct placed_matrix){0};
    TRY(text_check(text, length, false, file, error));
    text_lines_begin(&market->lines, file, text, length, '%', error);
    TRY(read_banner(market));
    TRY(read_size(market));
    market->entries.file = file;
    market->entries.triangles = market->is_symmetric ? ENTRIES_ONE_TRIANGLE : ENTRIES_BOTH;
    TRY(stays_sparse(market) ? MASING_OK
                             : placed_matrix_create(market->n_rows, market->n_columns,
                                                    market->is_complex, market->matrix, error));
    TRY(read_entries(market));
    TRY(stays_sparse(market)
            ? entry_list_fold(&market->entries, market->n_rows, NULL, sparse, error)
            : MASING_OK);
done:
    entry_list_clear(&market->entries);
    if (status != MASING_OK) {
        placed_matrix_clear(market->matrix);
    }
    return status;
}

enum masing_status matrix_market_parse(const char *text, size_t length, const char *file,
                                       const struct matrix_expectation *expectation,
                                       struct placed_matrix *matrix, struct masing_error *error)
{
    struct market market = {.expectation = expectation, .matrix = matrix};
    return parse(&market, text, length, file, NULL, error);
}

static enum masing_status read_market(const char *file,
                                      const struct matrix_expectation *expectation,
                                      struct placed_matrix *matrix,
                                      struct masing_sparse *sparse, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct market market = {
        .expectation = expectation, .matrix = matrix, .may_be_sparse = sparse != NULL};
    char *text = NULL;
    size_t length;
    *matrix = (struct placed_matrix){0};
    TRY(matrix_format_refuse(file, NULL, 0, error));
    TRY(text_file_read(file, MATRIX_TEXT_LIMIT, &text, &length, error));
    TRY(matrix_format_refuse(file, text, length, error));
    enum matrix_format format = matrix_format_of(text, length);
    if (format != MATRIX_MARKET && format != MATRIX_UNKNOWN) {
        TRY(matrix_format_fail(file, format, "a Matrix Market file (%%MatrixMarket ...)",
                               error));
    }
    TRY(parse(&market, text, length, file, sparse, error));
done:
    free(text);
    return status;
}

enum masing_status matrix_market_read(const char *file,
                                      const struct matrix_expectation *expectation,
                                      struct placed_matrix *matrix, struct masing_error *error)
{
    return read_market(file, expectation, matrix, NULL, error);
}

void market_matrix_clear(struct market_matrix *matrix)
{
    placed_matrix_clear(&matrix->dense);
    sparse_clear(&matrix->sparse);
}

enum masing_status matrix_market_read_symmetric(const char *file,
                                                const struct matrix_expectation *expectation,
                                                struct market_matrix *matrix,
                                                struct masing_error *error)
{
    *matrix = (struct market_matrix){0};
    enum masing_status status =
        read_market(file, expectation, &matrix->dense, &matrix->sparse, error);
    if (status == MASING_OK && matrix->dense.real) {
        status = placed_matrix_symmetrize(&matrix->dense, file, error);
    }
    if (status != MASING_OK) {
        market_matrix_clear(matrix);
    }
    return status;
}
