/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenBLAS with several threads costs two to four times the wall time on matrices of a few
 * hundred rows, and the bits of a product depend on their number. Curves are what is computed
 * in parallel here, and BLAS has one thread meanwhile.
 *
 * The number belongs to the process, not to this library: every public function that calls BLAS
 * or LAPACK holds it to one from its beginning to its end, and the last of those that run at
 * the same time gives it back, unless somebody has changed it meanwhile. Whatever else uses
 * OpenBLAS in other threads of the process has one thread while such a function runs.
 */
#ifndef MASING_LINALG_ONE_THREAD_H
#define MASING_LINALG_ONE_THREAD_H

#include "masing/status.h"

void limit_blas_to_one_thread(void);
/* Once for each hold. */
void release_blas(void);

/*
 * OpenBLAS takes a buffer of 128 MiB of addresses for each thread that calls it at the same
 * time, keeps it, and tries for ever where it is refused (0.3.21, memory.c). So whoever calls
 * BLAS first asks here: MASING_NO_MEMORY where there is no room for a buffer. Once there was,
 * OpenBLAS has it.
 */
enum masing_status blas_need_buffer(struct masing_error *error);

/* So many of n threads, at least one, have room for buffers of their own. */
int blas_most_threads(int n);

#endif
