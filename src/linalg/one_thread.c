/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "linalg/one_thread.h"

#include <cblas.h>
#include <lapacke.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* As the number of threads itself, this is one for the whole process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_holds, n_threads_before;

void limit_blas_to_one_thread(void)
{
    pthread_mutex_lock(&lock);
    if (n_holds++ == 0) {
        n_threads_before = openblas_get_num_threads();
        if (n_threads_before != 1) {
            openblas_set_num_threads(1);
        }
    }
    pthread_mutex_unlock(&lock);
}

void release_blas(void)
{
    pthread_mutex_lock(&lock);
    if (--n_holds == 0 && n_threads_before != 1 && openblas_get_num_threads() == 1) {
        openblas_set_num_threads(n_threads_before);
    }
    pthread_mutex_unlock(&lock);
}

/* Bytes of a buffer; the largest of all kinds of processors. */
static const size_t BUFFER = (size_t)128 << 20;

/* What a thread itself takes: its stack and, for a moment, twice the 64 MiB of its heap. */
static const size_t OF_THREAD = (size_t)144 << 20;

static bool has_buffer; /* under the lock */

static bool can_map(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED && munmap(map, bytes) == 0;
}

enum masing_status blas_need_buffer(struct masing_error *error)
{
    pthread_mutex_lock(&lock);
    if (!has_buffer && can_map(BUFFER)) {
        double one = 1.0;
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 1, &one, 1); /* which keeps it */
        has_buffer = true;
    }
    bool is_good = has_buffer;
    pthread_mutex_unlock(&lock);
    return is_good ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
}

const char *masing_blas_kernels(void)
{
    return openblas_get_corename();
}

int blas_most_threads(int n)
{
    while (n > 1 && !can_map((BUFFER + OF_THREAD) * (size_t)(n - 1))) {
        n--;
    }
    return n;
}
