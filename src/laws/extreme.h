/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of several numbers makes what follows from them too large or too small. */
#ifndef MASING_LAWS_EXTREME_H
#define MASING_LAWS_EXTREME_H

#include "masing/law.h"

struct law_number {
    const char *key;
    double value; /* not 0 where that is an ordinary value */
};

/* The key of the number whose magnitude is farthest from 1, of equals the first; numbers that
 * are not given (NAN) do not count. */
const char *law_extreme(const struct law_number *numbers, int n);

#endif
