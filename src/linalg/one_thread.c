/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/one_thread.h"

#include <cblas.h>
#include <pthread.h>

static void hold(void)
{
    openblas_set_num_threads(1);
}

void hold_blas_to_one_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hold);
}
