/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/matrix_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/matlab.h"
#include "data/matrices/matrix_format.h"

static const char ending[] = ".mat";

static bool has_ending(const char *file, size_t length)
{
    size_t n = strlen(ending);
    return length > n && strncasecmp(file + length - n, ending, n) == 0;
}

const char *matrix_file_split(char *file)
{
    char *colon = strrchr(file, ':');
    if (!colon || !has_ending(file, (size_t)(colon - file))) {
        return NULL;
    }
    *colon = 0;
    return colon + 1;
}

/* By its name and what it begins with: other files may end in .mat, too. */
static enum masing_status find_format(const char *file, bool *is_of_matlab,
                                      struct masing_error *error)
{
    char begin[32] = "";
    *is_of_matlab = false;
    if (!has_ending(file, strlen(file))) {
        return MASING_OK;
    }
    errno = 0;
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        return masing_error_set(error, errno == ENOMEM ? MASING_NO_MEMORY : MASING_IO,
                                "%.400s: cannot be read", file);
    }
    size_t length = fread(begin, 1, sizeof begin - 1, stream);
    fclose(stream);
    *is_of_matlab = matrix_format_of(begin, length) == MATRIX_MATLAB;
    return MASING_OK;
}

/* symmetric NULL: a matrix of any shape */
static enum masing_status read_file(const char *name,
                                    const struct matrix_expectation *expectation,
                                    struct placed_matrix *matrix,
                                    struct market_matrix *symmetric, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char *file = memory_text(name);
    TRY_ALLOCATED(file);
    const char *variable = matrix_file_split(file);
    bool is_of_matlab;
    TRY(find_format(file, &is_of_matlab, error));
    if (is_of_matlab) {
        status =
            matlab_read(file, variable, expectation, symmetric ? &symmetric->dense : matrix,
                        symmetric ? &symmetric->sparse : NULL, error);
    } else {
        status = symmetric ? matrix_market_read_symmetric(file, expectation, symmetric, error)
                           : matrix_market_read(file, expectation, matrix, error);
    }
done:
    free(file);
    return status;
}

enum masing_status matrix_file_read(const char *file,
                                    const struct matrix_expectation *expectation,
                                    struct placed_matrix *matrix, struct masing_error *error)
{
    *matrix = (struct placed_matrix){0};
    return read_file(file, expectation, matrix, NULL, error);
}

enum masing_status matrix_file_read_symmetric(const char *file,
                                              const struct matrix_expectation *expectation,
                                              struct market_matrix *matrix,
                                              struct masing_error *error)
{
    *matrix = (struct market_matrix){0};
    return read_file(file, expectation, NULL, matrix, error);
}
