/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/number.h"

#include <langinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 300 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_length(const char *text)
{
    return strspn(text, "0123456789");
}

size_t number_length(const char *text)
{
    size_t n = text[0] == '+' || text[0] == '-';
    size_t whole = digits_length(text + n);
    n += whole;
    size_t fraction = 0;
    if (text[n] == '.') {
        fraction = digits_length(text + n + 1);
        n += whole || fraction ? 1 + fraction : 0;
    }
    if (!whole && !fraction) {
        return 0;
    }
    if (text[n] == 'e' || text[n] == 'E') {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t exponent = digits_length(text + n + 1 + sign);
        n += exponent ? 1 + sign + exponent : 0;
    }
    return n;
}

/* strtod obeys the locale's decimal point, so it is handed that one. */
static double convert(const char *text, size_t length)
{
    char copy[LONGEST + 16];
    const char *radix = nl_langinfo(RADIXCHAR);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && strlen(radix) < 8) {
            memcpy(copy + n, radix, strlen(radix));
            n += strlen(radix);
        } else {
            copy[n++] = text[i];
        }
    }
    copy[n] = 0;
    return strtod(copy, NULL);
}

static bool has_nonzero_digit(const char *text)
{
    return strcspn(text, "123456789") < strcspn(text, "eE");
}

static bool begins_not_finite(const char *text)
{
    text += *text == '+' || *text == '-';
    text += *text == '.';
    return !strncasecmp(text, "nan", 3) || !strncasecmp(text, "inf", 3);
}

static const char *fault_of(const char *text, size_t length)
{
    const char *rest = text + length;
    if (begins_not_finite(text)) {
        return "expected a finite number";
    }
    if (!length) {
        return "expected a decimal number such as 0.3 or 2e4";
    }
    if (*rest == ',') {
        return "expected a decimal point, not a comma, and nothing between thousands";
    }
    if ((*rest == 'd' || *rest == 'D') &&
        (is_digit(rest[1]) || rest[1] == '-' || rest[1] == '+')) {
        return "expected an exponent with e, not d";
    }
    if (*rest == '_' || *rest == '\'' || (*rest == ' ' && is_digit(rest[1]))) {
        return "expected nothing between thousands";
    }
    if (*rest == '*' || *rest == '/' || *rest == '(') {
        return "expected a number alone; only expressions with a $parameter are computed";
    }
    if (*rest == '.') {
        return "expected one decimal point";
    }
    return "expected the number alone, without a unit (nothing is converted)";
}

const char *number_parse(const char *text, double *value)
{
    size_t length = number_length(text);
    if (!length || text[length]) {
        return fault_of(text, length);
    }
    if (length > LONGEST) {
        return "it has too many digits, expected at most 300";
    }
    double result = convert(text, length);
    if (!isfinite(result)) {
        return "it is too large, expected at most 1.8e308";
    }
    if (result == 0.0 && has_nonzero_digit(text)) {
        return "it is too small, expected 0 or at least 5e-324";
    }
    *value = result;
    return NULL;
}

size_t number_print_digits(double value, int digits, char text[NUMBER_TEXT])
{
    const char *radix = nl_langinfo(RADIXCHAR);
    snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
    char *place = strcmp(radix, ".") != 0 ? strstr(text, radix) : NULL;
    if (place) {
        size_t length = strlen(radix);
        *place = '.';
        memmove(place + 1, place + length, strlen(place + length) + 1);
    }
    return strlen(text);
}

const char *number_print(double value, char text[NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        size_t length = number_print_digits(value, digits, text);
        if (convert(text, length) == value) {
            break;
        }
    }
    return text;
}
