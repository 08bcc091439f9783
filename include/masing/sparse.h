/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file Symmetric sparse matrices, as large structures have them. */
#ifndef MASING_SPARSE_H
#define MASING_SPARSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A symmetric matrix in compressed columns: the lower triangle with the diagonal. Rows of a
 * column are ascending and counted from 0. The arrays come from malloc and are owned, unless
 * the library shares them.
 */
struct masing_sparse {
    int n;          /**< rows and columns */
    int64_t *start; /**< [n + 1] where each column begins */
    int64_t *rows;  /**< [start[n]] */
    double *values; /**< [start[n]] */
    void *owners;   /**< the library's own; NULL: one owner */
};

#ifdef __cplusplus
}
#endif

#endif
