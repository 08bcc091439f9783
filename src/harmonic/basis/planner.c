/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/planner.h"

#include <pthread.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

void planner_lock(void)
{
    pthread_mutex_lock(&planner);
}

void planner_unlock(void)
{
    pthread_mutex_unlock(&planner);
}
