/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a fit starts: sizes by units, ranges, a sequence that fills them evenly. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/identify/fit_numbers.h"

/* Powers of force, length and time. */
struct dimension {
    double force, length, time;
};

static const struct {
    const char *symbol;
    struct dimension dimension;
} units[] = {
    {"N", {1, 0, 0}}, {"m", {0, 1, 0}},   {"s", {0, 0, 1}},   {"Pa", {1, -2, 0}},
    {"J", {1, 1, 0}}, {"kg", {1, -1, 2}}, {"Hz", {0, 0, -1}},
};

/* "N s^2/m^2": factors parted by blanks, all behind a slash in the denominator. */
static struct dimension read_dimension(const char *unit, int index)
{
    struct dimension sum = {0};
    double sign = 1.0;
    for (const char *at = unit; *at;) {
        size_t length = 0;
        while (isalpha((unsigned char)at[length])) {
            length++;
        }
        if (length == 0) {
            sign = *at == '/' ? -1.0 : sign;
            at++;
            continue;
        }
        double power = 1.0;
        const char *next = at + length;
        if (*next == '^') {
            char *end;
            bool is_letter = isalpha((unsigned char)next[1]);
            power = is_letter ? index : strtod(next + 1, &end);
            next = is_letter ? next + 2 : end;
        }
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (strlen(units[i].symbol) == length && !strncmp(units[i].symbol, at, length)) {
                sum.force += sign * power * units[i].dimension.force;
                sum.length += sign * power * units[i].dimension.length;
                sum.time += sign * power * units[i].dimension.time;
            }
        }
        at = next;
    }
    return sum;
}

double fit_natural_size(const struct fit_sizes *sizes, const char *unit, int index)
{
    struct dimension d = read_dimension(unit, index);
    if (d.force == 1 && d.length == -1 && d.time == 0) {
        return sizes->stiffness;
    }
    /* displacements of a law are those at which it slips: beyond force over stiffness */
    double length = d.force == 0 && d.length == 1 && d.time == 0
                        ? fmin(2 * sizes->force / sizes->stiffness, sizes->displacement)
                        : sizes->displacement;
    return pow(sizes->force, d.force) * pow(length, d.length) * pow(sizes->time, d.time);
}

static bool has_low(const struct fit_number *number)
{
    return number->low > -INFINITY;
}

static bool has_high(const struct fit_number *number)
{
    return number->high < INFINITY;
}

/* Multiples of square roots of primes fill the unit cube evenly (Kronecker's sequence). */
static double sequence(int index, int trial)
{
    static const double roots[] = {1.4142135623730951, 1.7320508075688772, 2.2360679774997896,
                                   2.6457513110645907, 3.3166247903554,    3.605551275463989,
                                   4.123105625617661,  4.358898943540674,  4.795831523312719,
                                   5.385164807134504,  5.5677643628300215, 6.082762530298219};
    const int n = (int)(sizeof roots / sizeof *roots);
    double value = 0.5 + trial * roots[index % n] * (1 + index / n);
    return value - floor(value);
}

/* Factor of a size, from a fifth to five times. */
static double factor(double share)
{
    return pow(10.0, 1.4 * (share - 0.5));
}

double fit_number_start(const struct fit_number *number, int index, int trial)
{
    double share = sequence(index, trial);
    if (trial == 0 && !isnan(number->start)) {
        return number->start;
    }
    if (trial % 2 == 0 && isnan(number->start) && !isnan(number->fallback)) {
        return number->fallback;
    }
    if (has_low(number) && has_high(number)) {
        return number->low + (number->high - number->low) * (0.05 + 0.9 * share);
    }
    double size = isnan(number->start) ? number->size
                  : has_low(number)    ? number->start - number->low
                                       : fabs(number->start);
    size = (size > 0 ? size : number->size) * factor(share);
    if (has_low(number)) {
        return number->low + size;
    }
    if (has_high(number)) {
        return number->high - size;
    }
    double sign = isnan(number->start) || number->start >= 0 ? 1.0 : -1.0;
    return trial % 3 == 2 ? -sign * size : sign * size;
}

void fit_numbers_start(const struct fit_numbers *numbers, int trial, double *values)
{
    for (int k = 0; k < numbers->n; k++) {
        values[k] = fit_number_start(&numbers->list[k], k, trial);
    }
    for (int k = 0; k < numbers->n; k++) {
        const struct fit_number *number = &numbers->list[k];
        if (number->power >= 0 && isnan(number->start)) {
            values[k] *= pow(number->length, 1.0 - values[number->power]);
        }
    }
}

double fit_number_unknown(const struct fit_number *number, double value)
{
    return number->is_logarithmic ? log(value / number->size) : value / number->size;
}

double fit_number_value(const struct fit_number *number, double unknown)
{
    return number->is_logarithmic ? number->size * exp(unknown) : number->size * unknown;
}

double fit_number_slope(const struct fit_number *number, double unknown)
{
    return number->is_logarithmic ? number->size * exp(unknown) : number->size;
}

void fit_number_bounds(const struct fit_number *number, double *lower, double *upper)
{
    const double hair = 1e-9;
    double width = has_low(number) && has_high(number) ? number->high - number->low : 1.0;
    *lower = number->low;
    *upper = number->high;
    if (number->is_logarithmic) {
        *lower = -230.0; /* e^-230 = 1e-100 */
        *upper = has_high(number) ? log(number->high / number->size) : 230.0;
        return;
    }
    if (number->open_ends & MASING_OPEN_MINIMUM) {
        *lower += hair * width;
    }
    if (number->open_ends & MASING_OPEN_MAXIMUM) {
        *upper -= hair * width;
    }
    *lower /= number->size;
    *upper /= number->size;
}

void fit_number_store(const struct fit_number *number, double value, void *parameters)
{
    *(double *)(void *)((char *)parameters + number->offset) = value;
}
