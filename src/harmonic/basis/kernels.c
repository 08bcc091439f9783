/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fftw3.h>
#include <stdio.h>

#include "masing/journal.h"

/* Mathematical functions and loops choose by these, and so does FFTW. */
static const char *vectors(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? "AVX-512"
           : !__builtin_cpu_supports("avx2") ? "SSE2"
           : __builtin_cpu_supports("fma")   ? "AVX2 with FMA"
                                             : "AVX2";
#else
    return "unknown";
#endif
}

const char *masing_kernels(char *text, size_t size)
{
    snprintf(text, size, "OpenBLAS %s, %s, vectors %s", masing_blas_kernels(), fftw_version,
             vectors());
    return text;
}
