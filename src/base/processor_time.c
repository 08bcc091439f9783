/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/processor_time.h"

#include <time.h>

double processor_time(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
