/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large arrays with several owners, in any threads, who only read them once they are filled. */
#ifndef MASING_BASE_SHARED_ARRAY_H
#define MASING_BASE_SHARED_ARRAY_H

#include <stddef.h>

/* Doubles, zeros, held once; NULL: there is no memory. */
double *shared_array_create(size_t count);
/* The same array, held once more; NULL for NULL. */
double *shared_array_hold(double *array);
void shared_array_release(double *array); /* NULL is fine */

#endif
