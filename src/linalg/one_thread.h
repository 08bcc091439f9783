/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenBLAS with several threads costs two to four times the wall time on matrices of a few
 * hundred rows; curves are what is computed in parallel here. Whatever calls BLAS or LAPACK
 * calls this before; from the second time on it costs a comparison.
 */
#ifndef MASING_LINALG_ONE_THREAD_H
#define MASING_LINALG_ONE_THREAD_H

void hold_blas_to_one_thread(void);

#endif
