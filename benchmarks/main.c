/* SPDX-License-Identifier: GPL-2.0-or-later */
/* benchmarks EXAMPLES [--quick]: prints one table; see README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks.h"

int main(int n_arguments, char **arguments)
{
    if (n_arguments < 2 || n_arguments > 3 ||
        (n_arguments == 3 && strcmp(arguments[2], "--quick") != 0)) {
        fprintf(stderr, "usage: benchmarks FOLDER_OF_EXAMPLES [--quick]\n");
        return EXIT_FAILURE;
    }
    struct benchmark_settings settings = {arguments[1], n_arguments == 3};
    printf("masing %s: processor time, the least of several runs\n", masing_version());
    benchmark_floor(&settings);
    benchmark_curves(&settings);
    benchmark_structures(&settings);
    benchmark_integration(&settings);
    benchmark_peaks(&settings);
    benchmark_laws(&settings);
    return EXIT_SUCCESS;
}
