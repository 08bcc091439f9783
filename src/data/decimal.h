/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text with 17 significant digits, fast. */
#ifndef MASING_DATA_DECIMAL_H
#define MASING_DATA_DECIMAL_H

#include <stddef.h>

enum { DECIMAL_LENGTH = 32 };

/* The same text as "%.17g" in the C locale, without a zero at its end; its length. */
size_t decimal_write(double number, char text[DECIMAL_LENGTH]);

#endif
