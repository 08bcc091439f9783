/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/mesh/mesh_numbers.h"

#include <stdint.h>

#include "base/check.h"
#include "data/mesh/mesh.h"

/* Digits that an integer holds exactly as a double (2^53 > 9e15), and powers of ten that a
 * double holds exactly: their product or quotient is rounded once, as strtod does. */
enum { EXACT_DIGITS = 15, EXACT_POWER = 22, LONGEST_FORTRAN = 64 };
static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum masing_status mesh_integer(const struct text_lines *lines, const struct text_word *word,
                                const char *name, int minimum, int *value)
{
    enum { SURE_DIGITS = 9 };
    size_t i = 0;
    int number = 0;
    for (; i < word->length && i < SURE_DIGITS && is_digit(word->text[i]); i++) {
        number = 10 * number + (word->text[i] - '0');
    }
    if (i > 0 && i == word->length && number >= minimum) {
        *value = number;
        return MASING_OK;
    }
    return text_lines_integer(lines, word, name, minimum, MESH_LARGEST_NUMBER, value);
}

/* A number whose digits and power are exact; false: another way has to be taken. */
static bool read_exact(const struct text_word *word, double *value)
{
    const char *text = word->text, *end = text + word->length;
    bool is_negative = text < end && *text == '-';
    int64_t mantissa = 0;
    int digits = 0, power = 0, exponent = 0;
    text += text < end && (*text == '-' || *text == '+');
    for (; text < end && is_digit(*text) && digits <= EXACT_DIGITS; text++, digits++) {
        mantissa = 10 * mantissa + (*text - '0');
    }
    if (text < end && *text == '.') {
        for (text++; text < end && is_digit(*text) && digits <= EXACT_DIGITS; text++) {
            mantissa = 10 * mantissa + (*text - '0');
            digits++;
            power--;
        }
    }
    if (digits == 0 || digits > EXACT_DIGITS) {
        return false;
    }
    if (text < end && (*text == 'e' || *text == 'E')) {
        text++;
        bool is_small = text < end && *text == '-';
        text += text < end && (*text == '-' || *text == '+');
        const char *first = text;
        for (; text < end && is_digit(*text) && text < first + 3; text++) {
            exponent = 10 * exponent + (*text - '0');
        }
        if (text == first) {
            return false;
        }
        power += is_small ? -exponent : exponent;
    }
    if (text != end || power > EXACT_POWER || power < -EXACT_POWER) {
        return false;
    }
    double magnitude =
        power < 0 ? (double)mantissa / powers[-power] : (double)mantissa * powers[power];
    *value = is_negative ? -magnitude : magnitude;
    return true;
}

enum masing_status mesh_number(const struct text_lines *lines, const struct text_word *word,
                               const char *name, double *value)
{
    char text[LONGEST_FORTRAN];
    if (read_exact(word, value)) {
        return MASING_OK;
    }
    struct text_word plain = *word;
    if (word->length < sizeof text) {
        for (size_t i = 0; i < word->length; i++) {
            char c = word->text[i];
            text[i] = i > 0 && (c == 'd' || c == 'D') ? 'e' : c;
        }
        plain.text = text;
    }
    return text_lines_number(lines, &plain, name, value);
}
