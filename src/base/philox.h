/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are a function of a key and a counter alone, so that any thread, process
 * or later run draws the same ones: Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 */
#ifndef MASING_BASE_PHILOX_H
#define MASING_BASE_PHILOX_H

#include <stdint.h>

struct philox {
    uint32_t word[4];
};

/* The counter becomes four random words. */
struct philox philox_words(struct philox counter, const uint32_t key[2]);

/* One of each: a number between 0 and 1, both excluded; a whole number below n > 0. */
double philox_uniform(uint64_t seed, struct philox counter);
uint32_t philox_below(uint64_t seed, struct philox counter, uint32_t n);

#endif
