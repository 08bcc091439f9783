/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/multiplication.h"

#include <stdlib.h>

/*
 * The block of harmonics (h, j), from 2 mean(t cos h cos j) and its like:
 *   d a_h/d a_j = C(h-j) + C(h+j)    d a_h/d b_j = S(h+j) - S(h-j)
 *   d b_h/d a_j = S(h+j) + S(h-j)    d b_h/d b_j = C(h-j) - C(h+j)
 * with C even and S odd; the row of h = 0 is half of it.
 */
struct block {
    double aa, ab, ba, bb;
};

static inline struct block block_of(const double *cosine, const double *sine, int h, int j)
{
    int difference = abs(h - j);
    double s = h >= j ? sine[difference] : -sine[difference];
    double half = h == 0 ? 0.5 : 1.0;
    struct block block = {
        .aa = half * (cosine[difference] + cosine[h + j]),
        .ab = half * (sine[h + j] - s),
        .ba = sine[h + j] + s,
        .bb = cosine[difference] - cosine[h + j],
    };
    return block;
}

void multiplication_add(const struct basis *basis, const double *cosine, const double *sine,
                        double *matrix)
{
    int n = basis->n_coefficients;
    for (int l = 0; l < basis->n_harmonics; l++) {
        int j = basis->harmonics[l];
        double *a = matrix + (size_t)n * (size_t)basis->position[l];
        double *b = a + n;
        for (int k = 0; k < basis->n_harmonics; k++) {
            int h = basis->harmonics[k], row = basis->position[k];
            struct block block = block_of(cosine, sine, h, j);
            if (j == 0) {
                a[row] += h == 0 ? cosine[0] : block.aa;
            } else {
                a[row] += block.aa;
                b[row] += block.ab;
            }
            if (h > 0) {
                a[row + 1] += block.ba;
            }
            if (h > 0 && j > 0) {
                b[row + 1] += block.bb;
            }
        }
    }
}

void multiplication_apply(const struct basis *basis, const double *cosine, const double *sine,
                          const double *x, double *out)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double a = 0.0, b = 0.0;
        for (int l = 0; l < basis->n_harmonics; l++) {
            int j = basis->harmonics[l];
            const double *c = x + basis->position[l];
            if (h == 0 && j == 0) {
                a += cosine[0] * c[0];
            } else if (j == 0) {
                a += 2.0 * cosine[h] * c[0];
                b += 2.0 * sine[h] * c[0];
            } else {
                struct block block = block_of(cosine, sine, h, j);
                a += block.aa * c[0] + block.ab * c[1];
                b += block.ba * c[0] + block.bb * c[1];
            }
        }
        out[basis->position[k]] += a;
        if (h > 0) {
            out[basis->position[k] + 1] += b;
        }
    }
}
