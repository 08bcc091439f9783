/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a Matrix Market file: refused with a place, or a matrix of finite numbers. */
#include <math.h>
#include <string.h>

#include "data/matrices/matrix_market.h"
#include "robust/fuzz.h"

const char *const fuzz_seeds[] = {
    "%%MatrixMarket matrix array real general\n% c\n2 3\n1\n2\n3\n4\n5\n6\n",
    "%%MatrixMarket matrix array real symmetric\n3 3\n4\n-1\n-2\n5\n-3e-1\n6\n",
    "%%MatrixMarket matrix coordinate integer symmetric\r\n3 3 4\r\n1 1 4\r\n3 2 -3\r\n2 1 "
    "-1\r\n2 2 5\r\n",
    "%%MatrixMarket matrix coordinate complex general\n3 1 2\n1 1 1 -2\n3 1 .5 1e3\n",
    NULL,
};
const char *const fuzz_words[] = {
    "\n",         "\r\n",       " ",       "\t",      "%",       "1",         "-1",
    "2147483648", "1e999",      "0,5",     "nan",     "inf",     "1e-999",    "1D5",
    "array",      "coordinate", "real",    "complex", "general", "symmetric", "%%MatrixMarket",
    "99999999",   "0",          "3 3 9\n", "1 1 1\n", "+",       NULL,
};
const char *const fuzz_folder = "examples", *const fuzz_ending = ".mtx";

static void check_matrix(struct placed_matrix *matrix)
{
    FUZZ_DEMAND(matrix->n_rows > 0 && matrix->n_columns > 0);
    for (int i = 0; i < matrix->n_rows * matrix->n_columns; i++) {
        FUZZ_DEMAND(isfinite(matrix->real[i]));
        FUZZ_DEMAND(!matrix->imaginary || isfinite(matrix->imaginary[i]));
    }
    if (matrix->n_rows == matrix->n_columns) {
        struct masing_error error = {0};
        enum masing_status status = placed_matrix_symmetrize(matrix, "f", &error);
        FUZZ_DEMAND(status == MASING_OK || status == MASING_INVALID);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct matrix_expectation any = {0, 0, true, "anything"};
    struct placed_matrix matrix;
    struct masing_error error = {0};
    char *text = malloc(size + 1);
    int line, column;
    FUZZ_DEMAND(text);
    if (size) {
        memcpy(text, data, size);
    }
    text[size] = 0;
    enum masing_status status = matrix_market_parse(text, size, "f", &any, &matrix, &error);
    if (status == MASING_OK) {
        check_matrix(&matrix);
    } else {
        FUZZ_DEMAND(status == MASING_INVALID || status == MASING_NO_MEMORY);
        FUZZ_DEMAND(sscanf(error.message, "f:%d:%d: ", &line, &column) == 2 && line > 0);
    }
    placed_matrix_clear(&matrix);
    free(text);
    return 0;
}
