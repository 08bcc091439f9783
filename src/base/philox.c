/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/philox.h"

enum { N_ROUNDS = 10 };

struct philox philox_words(struct philox counter, const uint32_t key[2])
{
    uint32_t *w = counter.word, k0 = key[0], k1 = key[1];
    for (int round = 0; round < N_ROUNDS; round++) {
        uint64_t even = (uint64_t)0xD2511F53u * w[0], odd = (uint64_t)0xCD9E8D57u * w[2];
        uint32_t next0 = (uint32_t)(odd >> 32) ^ w[1] ^ k0;
        uint32_t next2 = (uint32_t)(even >> 32) ^ w[3] ^ k1;
        w[0] = next0;
        w[1] = (uint32_t)odd;
        w[2] = next2;
        w[3] = (uint32_t)even;
        k0 += 0x9E3779B9u; /* the golden ratio */
        k1 += 0xBB67AE85u; /* sqrt(3) - 1 */
    }
    return counter;
}

static struct philox draw(uint64_t seed, struct philox counter)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    return philox_words(counter, key);
}

double philox_uniform(uint64_t seed, struct philox counter)
{
    struct philox drawn = draw(seed, counter);
    uint64_t bits = ((uint64_t)drawn.word[0] << 32 | drawn.word[1]) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

uint32_t philox_below(uint64_t seed, struct philox counter, uint32_t n)
{
    struct philox drawn = draw(seed, counter);
    /* no word is favoured by more than n / 2^32 */
    return (uint32_t)(((uint64_t)drawn.word[0] * n) >> 32);
}
