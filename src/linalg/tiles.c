/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/tiles.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <immintrin.h>

#define TILE_REGISTERS __attribute__((target("avx2,fma")))
#define TILE_BLOCK static inline __attribute__((always_inline, target("avx2,fma")))

/* Columns of a block of results that registers hold, and of dots */
enum { TILE_COLUMNS = 4, TILE_DOTS = 3 };

_Static_assert(TILE_ROWS % TILE_DOTS == 0, "whole blocks");

static bool has_registers(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#define TILE_REAL double
#define TILE_NAME(x) x##_double
#define TILE_VECTOR __m256d
#define TILE_LOAD _mm256_loadu_pd
#define TILE_STORE _mm256_storeu_pd
#define TILE_BROADCAST _mm256_broadcast_sd
#define TILE_ZERO _mm256_setzero_pd
#define TILE_MULTIPLY_ADD _mm256_fmadd_pd
#include "linalg/tile_kernels.h"

#undef TILE_REAL
#undef TILE_NAME
#undef TILE_VECTOR
#undef TILE_LOAD
#undef TILE_STORE
#undef TILE_BROADCAST
#undef TILE_ZERO
#undef TILE_MULTIPLY_ADD

#define TILE_REAL float
#define TILE_NAME(x) x##_single
#define TILE_VECTOR __m256
#define TILE_LOAD _mm256_loadu_ps
#define TILE_STORE _mm256_storeu_ps
#define TILE_BROADCAST _mm256_broadcast_ss
#define TILE_ZERO _mm256_setzero_ps
#define TILE_MULTIPLY_ADD _mm256_fmadd_ps
#include "linalg/tile_kernels.h"
