/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/multiplication.h"

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

/* Row h > 0 without the column of harmonic 0: from the harmonics from, from + 1, ... */
static void apply_row(const struct basis *basis, const double *cosine, const double *sine,
                      const double *x, int from, int h, double out[2])
{
    double a = 0.0, b = 0.0;
    for (int l = from; l < basis->n_harmonics; l++) {
        int j = basis->harmonics[l], difference = h >= j ? h - j : j - h;
        const double *c = x + basis->position[l];
        double near_c = cosine[difference], far_c = cosine[h + j];
        double near_s = h >= j ? sine[difference] : -sine[difference], far_s = sine[h + j];
        a += (near_c + far_c) * c[0] + (far_s - near_s) * c[1];
        b += (far_s + near_s) * c[0] + (near_c - far_c) * c[1];
    }
    out[0] += a;
    out[1] += b;
}

void multiplication_apply(const struct basis *basis, const double *cosine, const double *sine,
                          const double *x, double *out)
{
    int from = basis->harmonics[0] == 0 ? 1 : 0;
    for (int k = from; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double *row = out + basis->position[k];
        if (from > 0) {
            row[0] += 2.0 * cosine[h] * x[0];
            row[1] += 2.0 * sine[h] * x[0];
        }
        apply_row(basis, cosine, sine, x, from, h, row);
    }
    if (from > 0) { /* harmonic 0 */
        double mean = cosine[0] * x[0];
        for (int l = 1; l < basis->n_harmonics; l++) {
            int j = basis->harmonics[l];
            const double *c = x + basis->position[l];
            mean += cosine[j] * c[0] + sine[j] * c[1];
        }
        out[0] += mean;
    }
}
