/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_BASE_HERTZ_H
#define MASING_BASE_HERTZ_H

/* omega / (2 pi); where omega is 2 pi times a number of at most 15 digits, as people write
 * them, exactly that number: 2 pi f / (2 pi) need not give f back. */
double hertz(double omega);

#endif
