/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/one_thread.h"

#include <cblas.h>
#include <pthread.h>

/* As the number of threads itself, this is one for the whole process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_holds, n_threads_before;

void hold_blas_to_one_thread(void)
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
