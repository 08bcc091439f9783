/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of MATLAB: refused in words, or a matrix of finite numbers. Of version 5
 * alone: HDF5 (1.10.8), of which files of version 7.3 are made, reads beyond its memory where
 * some bytes of them are changed.
 */
#include <math.h>
#include <string.h>

#include "data/matrices/matrix_file.h"
#include "robust/fuzz_file.h"

const char *const fuzz_seeds[] = {NULL};
const char *const fuzz_words[] = {"IM",   "MI",   "K",    "\x0e", "\x0f",
                                  "\x05", "\x06", "\x80", NULL};
const char *const fuzz_folder = "tests/reference/matlab", *const fuzz_ending = ".mat";

static void check(const struct market_matrix *matrix)
{
    size_t n = (size_t)matrix->dense.n_rows * (size_t)matrix->dense.n_columns;
    FUZZ_DEMAND(n > 0 || matrix->sparse.n > 0);
    for (size_t i = 0; i < n; i++) {
        FUZZ_DEMAND(isfinite(matrix->dense.real[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct matrix_expectation any = {0, 0, false, "anything"};
    static const char *const variables[] = {"", ":K"};
    if (size > 125 && data[125] == 2) {
        return 0; /* version 7.3 */
    }
    const char *file = fuzz_file_write("f.mat", data, size);
    for (int i = 0; i < 2; i++) {
        char name[SCRATCH_PATH + 40];
        struct market_matrix matrix;
        struct masing_error error = {0};
        snprintf(name, sizeof name, "%s%s", file, variables[i]);
        enum masing_status status = matrix_file_read_symmetric(name, &any, &matrix, &error);
        if (status == MASING_OK) {
            check(&matrix);
        } else {
            FUZZ_DEMAND(status == MASING_INVALID || status == MASING_NO_MEMORY);
            FUZZ_DEMAND(!strncmp(error.message, file, strlen(file)));
        }
        market_matrix_clear(&matrix);
    }
    return 0;
}
