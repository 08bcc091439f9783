/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/processor_time.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double processor_time(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double elapsed_time(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}
