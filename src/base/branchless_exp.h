/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e^x without a branch or a call, so that compilers take several numbers of a loop at a time.
 */
#ifndef MASING_BASE_BRANCHLESS_EXP_H
#define MASING_BASE_BRANCHLESS_EXP_H

#include <stdint.h>
#include <string.h>

/* Beyond it, on both sides, e^x is hardly a double with all its digits. */
#define BRANCHLESS_EXP_RANGE 708.0

/*
 * Within 2 units of the last place for |x| <= BRANCHLESS_EXP_RANGE: 2^k e^r with |r| <= log(2)
 * / 2, and Taylor's polynomial of degree 13, whose remainder is 4e-18 there.
 */
static inline double branchless_exp(double x)
{
    /* added to a number it leaves the nearest integer in the last bits */
    static const double SHIFT = 0x1.8p52, PER_LOG_2 = 0x1.71547652b82fep0;
    /* of log(2) as many digits as k has not, and the rest */
    static const double HIGH = 0x1.62e42fefa3800p-1, LOW = 0x1.ef35793c76730p-45;
    enum { FRACTION_BITS = 52 };
    double shifted = x * PER_LOG_2 + SHIFT, k = shifted - SHIFT;
    double r = (x - k * HIGH) - k * LOW, q = r * r;
    double even =
        1.0 / 2 +
        q * (1.0 / 24 +
             q * (1.0 / 720 + q * (1.0 / 40320 + q * (1.0 / 3628800 + q * (1.0 / 479001600)))));
    double odd = 1.0 / 6 +
                 q * (1.0 / 120 +
                      q * (1.0 / 5040 +
                           q * (1.0 / 362880 + q * (1.0 / 39916800 + q * (1.0 / 6227020800)))));
    double value = 1.0 + (r + q * (even + r * odd));
    uint64_t bits, power;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&power, &shifted, sizeof power);
    bits += power << FRACTION_BITS;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
