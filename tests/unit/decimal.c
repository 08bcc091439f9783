/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/number.h"

#include <stdint.h>
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
    for (int power = -60; power <= 60; power++) {
        double number = pow(10, power);
        CHECK(is_as_printf(number));
        CHECK(is_as_printf(nextafter(number, 0)));
        CHECK(is_as_printf(nextafter(number, INFINITY)));
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

/* Halves of the last digit are where one wrong bit shows. */
static void short_and_tied_numbers_are_as_printf_writes_them(void)
{
    uint64_t state = 2;
    for (int i = 0; i < 100000; i++) {
        double number =
            (double)(draw(&state) % 1000000) * pow(10, (int)(draw(&state) % 30) - 15);
        double tie =
            ldexp((double)(2 * (draw(&state) >> 12) + 1), (int)(draw(&state) % 12) - 6);
        if (!CHECK(is_as_printf(number)) || !CHECK(is_as_printf(tie))) {
            return;
        }
    }
}

static const struct tap_test tests[] = {
    {"special numbers are as printf writes them", special_numbers_are_as_printf_writes_them},
    {"random numbers are as printf writes them", random_numbers_are_as_printf_writes_them},
    {"short and tied numbers are as printf writes them",
     short_and_tied_numbers_are_as_printf_writes_them},
};

TAP_MAIN(tests)
