/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as matrices of a finite element program: refused in words, or two symmetric
 * matrices of finite numbers over DOFs that differ. */
#include <math.h>
#include <string.h>

#include "data/matrices/abaqus.h"
#include "data/matrices/calculix.h"
#include "data/matrices/nastran.h"
#include "robust/fuzz_file.h"

#define ELEMENT "**\n*USER ELEMENT, NODES=2, LINEAR\n** ELEMENT NODES\n** 3, 7\n1, 3\n2, 1\n"
#define BIG "       2      -2       6       2K       1P,3E23.16\n"
#define VALUE " 1.0000000000000000E+00"

const char *const fuzz_seeds[] = {
    "3,1, 3,1, 4.0e+01\n3,1, 7,2, -1.e1\n7,2, 7,2, 1e36\n-1,6, -1,6, 2\n",
    "1 1 40\n2 1 -10\n2 2 20\n",
    ELEMENT "*MATRIX,TYPE=STIFFNESS\n40.,\n1., 50.,\n-10., 0., 20.\n*MATRIX,TYPE=MASS\n1.\n"
            "0, 2\n0, 0, 3\n",
    ELEMENT
    "*MATRIX,TYPE=STIFFNESS\n40.,1,-10\n50., 0\n20.\n*MATRIX,TYPE=MASS\n1,0,0\n2,0\n3\n",
    "$TITLE\nDMIG    K              0       6       2       0\n"
    "DMIG*   K                              3               1\n"
    "*                      3               1 4.000000000D+01\n"
    "*                      7               2-1.000000000D+01\n"
    "DMIG    M              0       6       2       0\n"
    "DMIG    M              3       1               3       1     1.5\n"
    "DMIG,M,7,2,,7,2,2.5-1\n+,8,,3.+2\n",
    BIG "       1       0       8\n       3       1\n" VALUE "\n       3       2\n" VALUE
        "\n       2       2       2\n" VALUE "\n       3       1       2\n" VALUE "\n",
    "3.1\n3.2\n7.1\n",
    NULL,
};
const char *const fuzz_words[] = {
    "\n",       "\r\n",        ",",        " ",      "*MATRIX,TYPE=MASS\n",
    "DMIG    ", "*       ",    "1e36",     "1e999",  "nan",
    "1.5D+07",  "-2147483648", "99999999", "0",      "7,",
    "** ",      "$",           "1-1.8",    "UNSYMM", "65537",
    NULL,
};
const char *const fuzz_folder = "tests/reference/fe", *const fuzz_ending = ".mtx";

static void check_matrix(const struct masing_sparse *sparse)
{
    for (int64_t e = 0; e < sparse->start[sparse->n]; e++) {
        FUZZ_DEMAND(isfinite(sparse->values[e]));
        FUZZ_DEMAND(sparse->rows[e] >= 0 && sparse->rows[e] < sparse->n);
    }
}

static void check(enum masing_status status, struct node_matrices *matrices,
                  struct masing_error *error, const char *file)
{
    if (status == MASING_OK) {
        FUZZ_DEMAND(matrices->n > 0 && matrices->stiffness.n == matrices->n &&
                    matrices->mass.n == matrices->n);
        check_matrix(&matrices->stiffness);
        check_matrix(&matrices->mass);
    } else {
        FUZZ_DEMAND(status == MASING_INVALID || status == MASING_NO_MEMORY);
        FUZZ_DEMAND(!strncmp(error->message, file, strlen(file)));
        FUZZ_DEMAND(matrices->n == 0 && !matrices->dofs && !matrices->stiffness.values);
    }
    node_matrices_clear(matrices);
    masing_error_clear(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[][2] = {{NULL, NULL}, {"K", "M"}};
    struct node_matrices matrices;
    struct masing_error error = {0};
    const char *file = fuzz_file_write("f", data, size);
    check(abaqus_read(file, file, &matrices, &error), &matrices, &error, file);
    check(calculix_read(file, file, file, &matrices, &error), &matrices, &error, file);
    for (int i = 0; i < 2; i++) {
        struct nastran_source stiffness = {file, names[i][0]}, mass = {file, names[i][1]};
        check(nastran_read(&stiffness, &mass, &matrices, &error), &matrices, &error, file);
    }
    return 0;
}
