/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/number.h"

#include <float.h>
#include <langinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
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

const char *number_print(double value, char text[NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    const char *radix = nl_langinfo(RADIXCHAR);
    char *place = strstr(text, radix);
    if (place && strcmp(radix, ".") != 0) {
        size_t length = strlen(radix);
        *place = '.';
        memmove(place + 1, place + length, strlen(place + length) + 1);
    }
    return text;
}

/* --- numbers of result files -------------------------------------------------------------- */

/*
 * printf takes as long for a number of a result file as the solver for some unknowns. Here the
 * number is scaled to an integer of 17 digits in extended precision (64 bits). Powers of ten up
 * to 10^27 are exact there, so that two multiplications or a division are off by a unit at
 * most; where that could change the rounding to an integer, and outside the range, printf
 * decides.
 */

enum { DIGITS = 17, LARGEST_POWER = 27 };

static const long double powers[LARGEST_POWER + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* magnitude = 0.d1 d2 ... d17 10^(exponent + 1), to the nearest; false: printf decides */
static bool scale(double magnitude, uint64_t *digits, int *exponent)
{
    const uint64_t least = 10000000000000000u; /* 10^16 */
    int power = DIGITS - 1 - (int)floor(log10(magnitude));
    if (LDBL_MANT_DIG < 64 || power > 2 * LARGEST_POWER || power < -LARGEST_POWER) {
        return false;
    }
    int first = power < LARGEST_POWER ? power : LARGEST_POWER;
    long double scaled = power >= 0 ? magnitude * powers[first] * powers[power - first]
                                    : magnitude / powers[-power];
    uint64_t whole = (uint64_t)(int64_t)scaled;
    double rest = (double)(scaled - (long double)whole);
    const double doubt = 0x1p-6; /* 10^17 2^-63, rounded up */
    /* log10 may have come out on the wrong side of a power of ten: then there are 16 digits or
     * 18; rounding may lead to 18, too */
    if (fabs(rest - 0.5) <= doubt || whole < least || whole >= 10 * least - 1) {
        return false;
    }
    whole += rest > 0.5;
    *digits = whole;
    *exponent = DIGITS - 1 - power;
    return true;
}

/* As "%.17g": plain from 1e-4 on, without zeros at the end. */
static size_t lay_out(const char digits[DIGITS], int exponent, char *text)
{
    char *at = text;
    int n = DIGITS;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    if (exponent < -4 || exponent >= DIGITS) {
        *at++ = digits[0];
        if (n > 1) {
            *at++ = '.';
            memcpy(at, digits + 1, (size_t)n - 1);
            at += n - 1;
        }
        int size = exponent < 0 ? -exponent : exponent; /* below 100 */
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        *at++ = (char)('0' + size / 10);
        *at++ = (char)('0' + size % 10);
        return (size_t)(at - text);
    }
    int before = exponent + 1; /* digits before the point */
    if (before <= 0) {
        memcpy(at, "0.0000", (size_t)(2 - before));
        at += 2 - before;
        memcpy(at, digits, (size_t)n);
        return (size_t)(at + n - text);
    }
    memcpy(at, digits, (size_t)before); /* zeros at the end of an integer stay */
    at += before;
    if (n > before) {
        *at++ = '.';
        memcpy(at, digits + before, (size_t)(n - before));
        at += n - before;
    }
    return (size_t)(at - text);
}

static size_t write_integer(int64_t number, char *text)
{
    char digits[DIGITS];
    int n = 0;
    size_t sign = number < 0 ? 1 : 0;
    if (sign) {
        *text = '-';
        number = -number;
    }
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (int i = 0; i < n; i++) {
        text[sign + (size_t)i] = digits[n - 1 - i];
    }
    return sign + (size_t)n;
}

/* The first digit, then two halves side by side: a division by ten waits for the one before. */
static void take_apart(uint64_t whole, char digits[DIGITS])
{
    enum { HALF = DIGITS / 2 };
    uint32_t high = (uint32_t)(whole / 100000000), low = (uint32_t)(whole % 100000000);
    for (int i = HALF; i > 0; i--) {
        digits[i] = (char)('0' + high % 10);
        digits[HALF + i] = (char)('0' + low % 10);
        high /= 10;
        low /= 10;
    }
    digits[0] = (char)('0' + high);
}

size_t number_write(double number, char text[NUMBER_TEXT])
{
    uint64_t whole;
    int exponent;
    char digits[DIGITS];
    double magnitude = fabs(number);
    const double largest_integer = 1e15;
    bool is_negative_zero = magnitude == 0 && signbit(number);
    if (magnitude < largest_integer && number == (double)(int64_t)number && !is_negative_zero) {
        return write_integer((int64_t)number, text);
    }
    if (!(magnitude > 0) || !isfinite(magnitude) || !scale(magnitude, &whole, &exponent)) {
        int length = snprintf(text, NUMBER_TEXT, "%.17g", number);
        return length > 0 ? (size_t)length : 0;
    }
    take_apart(whole, digits);
    size_t sign = signbit(number) ? 1 : 0;
    if (sign) {
        *text = '-';
    }
    return sign + lay_out(digits, exponent, text + sign);
}
