/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

/*
 * OpenBLAS starts a worker for each further processor while it is loaded, and a worker spins
 * for some 20 ms before it first sleeps, on matrices that one thread handles faster. Only its
 * environment variable, set before it is initialised, prevents that: where OpenBLAS is part of
 * the program its constructors follow this one. What the user has set stays.
 */
__attribute__((constructor(101))) static void keep_blas_from_starting_threads(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
}
