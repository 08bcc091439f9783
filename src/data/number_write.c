/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of result files. printf takes as long for one of them as the solver for some
 * unknowns. Here the number is scaled to an integer of 17 digits by a power of ten in 128 bits.
 * Powers of 0 to 27 have 64 bits, so that the product is exact; halves of the last digit to be
 * rounded are met with those of 0 to 24 alone, because 2 m 10^p 2^e is an odd number below 2
 * 10^17 then. The products of other powers are known to three units of the last of their 128
 * bits; where that could change the rounding, printf decides.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "data/number.h"

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, STEP = 27, LOWEST_STEP = -11, HIGHEST_STEP = 12 };

/* 10^r = tens[r] 2^(exponent_of(r) - 63), exactly */
static const uint64_t tens[STEP + 1] = {
    0x8000000000000000u, 0xa000000000000000u, 0xc800000000000000u, 0xfa00000000000000u,
    0x9c40000000000000u, 0xc350000000000000u, 0xf424000000000000u, 0x9896800000000000u,
    0xbebc200000000000u, 0xee6b280000000000u, 0x9502f90000000000u, 0xba43b74000000000u,
    0xe8d4a51000000000u, 0x9184e72a00000000u, 0xb5e620f480000000u, 0xe35fa931a0000000u,
    0x8e1bc9bf04000000u, 0xb1a2bc2ec5000000u, 0xde0b6b3a76400000u, 0x8ac7230489e80000u,
    0xad78ebc5ac620000u, 0xd8d726b7177a8000u, 0x878678326eac9000u, 0xa968163f0a57b400u,
    0xd3c21bcecceda100u, 0x84595161401484a0u, 0xa56fa5b99019a5c8u, 0xcecb8f27f4200f3au,
};

/* 10^(27 (j + LOWEST_STEP)), likewise with 127, of the first and the last 64 bits; cut off */
static const uint64_t leaps[HIGHEST_STEP - LOWEST_STEP + 1][2] = {
    {0xa76c582338ed2621u, 0xaf2af2b80af6f24eu}, /* 10^-297 */
    {0x873e4f75e2224e68u, 0x5a7744a6e804a291u}, /* 10^-270 */
    {0xda7f5bf590966848u, 0xaf39a475506a899eu}, /* 10^-243 */
    {0xb080392cc4349decu, 0xbd8d794d96aacfb3u}, /* 10^-216 */
    {0x8e938662882af53eu, 0x547eb47b7282ee9cu}, /* 10^-189 */
    {0xe65829b3046b0afau, 0x0cb4a5a3112a5112u}, /* 10^-162 */
    {0xba121a4650e4ddebu, 0x92f34d62616ce413u}, /* 10^-135 */
    {0x964e858c91ba2655u, 0x3a6a07f8d510f86fu}, /* 10^-108 */
    {0xf2d56790ab41c2a2u, 0xfae27299423fb9c3u}, /* 10^-81 */
    {0xc428d05aa4751e4cu, 0xaa97e14c3c26b886u}, /* 10^-54 */
    {0x9e74d1b791e07e48u, 0x775ea264cf55347du}, /* 10^-27 */
    {0x8000000000000000u, 0x0000000000000000u}, /* 10^0 */
    {0xcecb8f27f4200f3au, 0x0000000000000000u}, /* 10^27 */
    {0xa70c3c40a64e6c51u, 0x999090b65f67d924u}, /* 10^54 */
    {0x86f0ac99b4e8dafdu, 0x69a028bb3ded71a3u}, /* 10^81 */
    {0xda01ee641a708de9u, 0xe80e6f4820cc9495u}, /* 10^108 */
    {0xb01ae745b101e9e4u, 0x5ec05dcff72e7f8fu}, /* 10^135 */
    {0x8e41ade9fbebc27du, 0x14588f13be847307u}, /* 10^162 */
    {0xe5d3ef282a242e81u, 0x8f1668c8a86da5fau}, /* 10^189 */
    {0xb9a74a0637ce2ee1u, 0x6d953e2bd7173692u}, /* 10^216 */
    {0x95f83d0a1fb69cd9u, 0x4abdaf101564f98eu}, /* 10^243 */
    {0xf24a01a73cf2dccfu, 0xbc633b39673c8cecu}, /* 10^270 */
    {0xc3b8358109e84f07u, 0x0a862f80ec4700c8u}, /* 10^297 */
    {0x9e19db92b4e31ba9u, 0x6c07a2c26a8346d1u}, /* 10^324 */
};

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* m 2^(exponent - 63) with 2^63 <= m < 2^64 */
struct binary {
    uint64_t m;
    int exponent;
};

static struct binary split(double magnitude)
{
    enum { FRACTION = 52, BIAS = 1023, WIDTH = 64 };
    const uint64_t hidden = (uint64_t)1 << FRACTION;
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    int biased = (int)(bits >> FRACTION); /* 0: subnormal */
    uint64_t m = biased ? (bits & (hidden - 1)) | hidden : bits;
    int lead = __builtin_clzll(m);
    return (struct binary){m << lead,
                           (biased ? biased : 1) - BIAS - FRACTION + WIDTH - 1 - lead};
}

/* Floor of the decimal logarithm, or one less: log2(1 + f) lies above f, by at most 0.0861. */
static int least_decimal(const struct binary *number)
{
    enum { PART = 16 };
    const int64_t log10_of_2 = 1292913986; /* 2^-32 */
    int64_t log2 = (int64_t)number->exponent * (1 << PART) + (int64_t)(number->m << 1 >> 48);
    return (int)(log2 * log10_of_2 >> (32 + PART));
}

/* Floor of the binary logarithm of a power of ten. */
static int exponent_of(int power)
{
    return power * 217706 >> 16;
}

/* A product in units of 2^-(64 + shift), of 128 bits; shift is 2 to 11, because the integer has
 * 53 to 60 bits. */
struct product {
    wide value;
    int shift;
    bool is_exact; /* else it may be too small, by less than three units */
};

static struct product multiply_inexactly(const struct binary *number, int power)
{
    int leap = (power + STEP * -LOWEST_STEP) / STEP, rest = power - (leap + LOWEST_STEP) * STEP;
    wide high = (wide)leaps[leap][0] * tens[rest], low = (wide)leaps[leap][1] * tens[rest];
    high += low >> 64; /* of 10^power, too small by less than two */
    low = (wide)number->m * (uint64_t)high;
    return (struct product){
        (wide)number->m * (uint64_t)(high >> 64) + (low >> 64),
        61 - number->exponent - exponent_of(power - rest) - exponent_of(rest), false};
}

static inline struct product multiply(const struct binary *number, int power)
{
    return power >= 0 && power <= STEP
               ? (struct product){(wide)number->m * tens[power],
                                  62 - number->exponent - exponent_of(power), true}
               : multiply_inexactly(number, power);
}

/* magnitude = d1.d2 ... d17 10^exponent, to the nearest, to even digits from the middle; false:
 * printf decides */
static bool scale(double magnitude, uint64_t *digits, int *exponent)
{
    const uint64_t least = 10000000000000000u, half = (uint64_t)1 << 63; /* 10^16 */
    const struct binary number = split(magnitude);
    int decimal = least_decimal(&number);
    struct product product = multiply(&number, DIGITS - 1 - decimal);
    if ((uint64_t)(product.value >> 64) >> product.shift >= 10 * least) {
        product = multiply(&number, DIGITS - 1 - ++decimal);
    }
    uint64_t high = (uint64_t)(product.value >> 64), low = (uint64_t)product.value;
    uint64_t whole = high >> product.shift;
    /* 64 bits behind the point, and those behind */
    uint64_t rest = high << (64 - product.shift) | low >> product.shift;
    uint64_t last = low << (64 - product.shift);
    if (!product.is_exact && (rest == half || rest == half - 1)) {
        return false;
    }
    whole += rest > half || (rest == half && (last > 0 || whole % 2 == 1));
    bool is_full = whole == 10 * least;
    *digits = is_full ? least : whole;
    *exponent = decimal + is_full;
    return true;
}

/* ---- text ---- */

static void put_pair(unsigned number, char text[2])
{
    memcpy(text, pairs + 2 * (size_t)number, 2);
}

static void put_eight(uint32_t number, char text[8])
{
    uint32_t high = number / 10000, low = number % 10000;
    put_pair(high / 100, text);
    put_pair(high % 100, text + 2);
    put_pair(low / 100, text + 4);
    put_pair(low % 100, text + 6);
}

static void take_apart(uint64_t whole, char digits[DIGITS])
{
    const uint64_t unit = 100000000;
    uint32_t high = (uint32_t)(whole / unit), low = (uint32_t)(whole % unit);
    uint32_t first = high / (uint32_t)unit;
    digits[0] = (char)('0' + first);
    put_eight(high - first * (uint32_t)unit, digits + 1);
    put_eight(low, digits + 1 + 8);
}

/* e-05, e+17, e-310 */
static size_t put_exponent(int exponent, char *text)
{
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    size_t at = 2;
    text[0] = 'e';
    text[1] = exponent < 0 ? '-' : '+';
    if (size >= 100) {
        text[at++] = (char)('0' + size / 100);
    }
    put_pair(size % 100, text + at);
    return at + 2;
}

/* As "%.17g": plain from 1e-4 on, without zeros at the end. Digits are put where most numbers
 * have them, and those behind the point are moved, always as many, which is quickest. */
static size_t lay_out(uint64_t whole, int exponent, char *text)
{
    bool is_plain = exponent >= -4 && exponent < DIGITS, is_small = is_plain && exponent < 0;
    size_t lead = is_small ? (size_t)(1 - exponent) : 0; /* of 0.000 */
    memcpy(text, "0.000", 5);
    take_apart(whole, text + lead);
    size_t n = DIGITS;
    while (n > 1 && text[lead + n - 1] == '0') {
        n--;
    }
    if (is_small) {
        return lead + n;
    }
    size_t before = is_plain ? (size_t)exponent + 1 : 1; /* digits before the point */
    size_t length = before; /* zeros at the end of an integer stay */
    if (n > before) {
        char behind[DIGITS - 1];
        memcpy(behind, text + before, sizeof behind);
        memcpy(text + before + 1, behind, sizeof behind);
        text[before] = '.';
        length = n + 1;
    }
    return is_plain ? length : length + put_exponent(exponent, text + length);
}

static size_t write_integer(uint64_t number, char *text)
{
    char digits[DIGITS];
    size_t at = DIGITS;
    for (; number >= 10; number /= 100) {
        at -= 2;
        put_pair((unsigned)(number % 100), digits + at);
    }
    if (number > 0 || at == DIGITS) {
        digits[--at] = (char)('0' + number);
    }
    memcpy(text, digits + at, DIGITS - at);
    return DIGITS - at;
}

size_t number_write(double number, char text[NUMBER_TEXT])
{
    const double largest_integer = 1e15;
    double magnitude = fabs(number);
    uint64_t whole;
    int exponent;
    size_t sign = signbit(number) ? 1 : 0;
    *text = '-';
    if (magnitude < largest_integer && magnitude == (double)(int64_t)magnitude) {
        return sign + write_integer((uint64_t)magnitude, text + sign);
    }
    if (!isfinite(magnitude) || !scale(magnitude, &whole, &exponent)) {
        return number_print_digits(number, DIGITS, text);
    }
    return sign + lay_out(whole, exponent, text + sign);
}
