/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict numbers, independent of the locale: the whole text is one finite decimal number, or
 * it is refused with a reason.
 */
#ifndef MASING_DATA_NUMBER_H
#define MASING_DATA_NUMBER_H

#include <stddef.h>

enum { NUMBER_TEXT = 40 };

/* NULL when @p text is a number; otherwise what is wrong with it, e.g. "expected a decimal
 * point, not a comma". */
const char *number_parse(const char *text, double *value);

/* Length of the longest decimal number that @p text begins with (0: none). */
size_t number_length(const char *text);

/* 17 significant digits, or fewer where they read back as the same number. */
const char *number_print(double value, char text[NUMBER_TEXT]);

/* The same text as "%.*g" in the C locale; its length. */
size_t number_print_digits(double value, int digits, char text[NUMBER_TEXT]);

/* The same with 17 digits, without a zero at its end, fast. */
size_t number_write(double number, char text[NUMBER_TEXT]);

#endif
