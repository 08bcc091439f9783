/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/number.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static bool is_as_printf(double number)
{
    char expected[64], text[NUMBER_TEXT + 1] = "";
    snprintf(expected, sizeof expected, "%.17g", number);
    text[number_write(number, text)] = '\0';
    bool same = strcmp(text, expected) == 0;
    if (!same) {
        printf("# %s instead of %s\n", text, expected);
    }
    return same;
}

static void special_numbers_are_as_printf_writes_them(void)
{
    static const double numbers[] = {0.0,    -0.0,     1.0,       -1.0,
                                     0.1,    0.5,      10,        100,
                                     1e15,   1e16,     1e17,      1e22,
                                     1e23,   1e-4,     1e-5,      9.9999999999999999e-5,
                                     123456, 1e300,    1e-300,    5e-324,
                                     1e-320, 0.3,      2.0 / 3,   99999999999999999.0,
                                     1e-10,  INFINITY, 4.35e-11,  1.5e16,
                                     1.5e17, 12345678, 0x1p-1022, 1.7976931348623157e308};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK(is_as_printf(numbers[i]));
    }
}

/* splitmix64 (Steele, Lea and Flood, 2014) */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void random_numbers_are_as_printf_writes_them(void)
{
    uint64_t state = 1;
    for (int i = 0; i < 300000; i++) {
        double mantissa = (double)draw(&state) * 0x1p-64 + 1;
        double number = ldexp(i % 2 ? mantissa : -mantissa, (int)(draw(&state) % 160) - 80);
        if (!CHECK(is_as_printf(number))) {
            return;
        }
    }
}

/* Every exponent that a double has, of subnormal ones too, and with few bits. */
static void all_exponents_are_as_printf_writes_them(void)
{
    uint64_t state = 3;
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        for (int i = 0; i < 100; i++) {
            uint64_t bits = draw(&state) >> (12 + i / 2 % 50) | exponent << 52;
            double number;
            memcpy(&number, &bits, sizeof number);
            if (!CHECK(is_as_printf(number))) {
                return;
            }
        }
    }
}

/* Powers of ten and of two and their neighbours, where the number of digits changes. */
static void powers_are_as_printf_writes_them(void)
{
    for (int power = -1074; power <= 1023; power++) {
        double numbers[] = {ldexp(1.0, power), pow(10, power)};
        for (int i = 0; i < 2 && isfinite(numbers[i]); i++) {
            CHECK(is_as_printf(numbers[i]));
            CHECK(is_as_printf(nextafter(numbers[i], 0)));
            CHECK(is_as_printf(nextafter(numbers[i], INFINITY)));
        }
    }
}

/* What is written is read back as the same bits. */
static void numbers_are_read_back(void)
{
    uint64_t state = 4;
    for (int i = 0; i < 200000; i++) {
        char text[NUMBER_TEXT + 1] = "";
        uint64_t bits = draw(&state);
        double number;
        memcpy(&number, &bits, sizeof number);
        text[number_write(number, text)] = '\0';
        if (isfinite(number) && !CHECK(strtod(text, NULL) == number)) {
            printf("# %s\n", text);
            return;
        }
    }
}

/* Halves of the last digit are where one wrong bit shows: doubles of 18 digits, and integers of
 * more digits than doubles have. */
static void short_and_tied_numbers_are_as_printf_writes_them(void)
{
    uint64_t state = 2;
    for (int i = 0; i < 100000; i++) {
        double number =
            (double)(draw(&state) % 1000000) * pow(10, (int)(draw(&state) % 30) - 15);
        double tie =
            ldexp((double)(2 * (draw(&state) >> 12) + 1), (int)(draw(&state) % 12) - 6);
        int shift =
            (int)(draw(&state) % 25) + 1; /* m 2^-shift has shift digits behind the point */
        double half = ldexp((double)(draw(&state) % 1000000000u), -shift);
        if (!CHECK(is_as_printf(number)) || !CHECK(is_as_printf(tie)) ||
            !CHECK(is_as_printf(half))) {
            return;
        }
    }
}

static void integers_are_as_printf_writes_them(void)
{
    uint64_t state = 5;
    for (int i = 0; i < 100000; i++) {
        double number = (double)(int64_t)(draw(&state) >> draw(&state) % 64);
        if (!CHECK(is_as_printf(number)) || !CHECK(is_as_printf(-number))) {
            return;
        }
    }
}

static const struct tap_test tests[] = {
    {"special numbers are as printf writes them", special_numbers_are_as_printf_writes_them},
    {"random numbers are as printf writes them", random_numbers_are_as_printf_writes_them},
    {"all exponents are as printf writes them", all_exponents_are_as_printf_writes_them},
    {"powers are as printf writes them", powers_are_as_printf_writes_them},
    {"numbers are read back", numbers_are_read_back},
    {"short and tied numbers are as printf writes them",
     short_and_tied_numbers_are_as_printf_writes_them},
    {"integers are as printf writes them", integers_are_as_printf_writes_them},
};

TAP_MAIN(tests)
