/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/progress.h"

#include <signal.h>

bool masing_cancelled_by_flag(void *flag)
{
    const volatile sig_atomic_t *is_set = flag;
    return is_set && *is_set != 0;
}
