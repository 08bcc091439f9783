/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The motion of a sector in its travelling wave as that of the whole disk's balance. */
#include <math.h>
#include <string.h>

#include "base/pi.h"
#include "harmonic/balance/balance.h"
#include "model/cyclic.h"

/* Index of a harmonic in a basis; -1: it has none of it. */
static int find_harmonic(const struct basis *basis, int harmonic)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        if (basis->harmonics[k] == harmonic) {
            return k;
        }
    }
    return -1;
}

void balance_spread_wave(const struct balance *sector, const double *y,
                         const struct balance *whole, double *spread)
{
    const struct cyclic *cyclic = sector->model->cyclic;
    const struct basis *basis = whole->basis;
    size_t n_axes = (size_t)sector->n_axes, n_whole = (size_t)whole->n_axes;
    memset(spread, 0, (size_t)whole->n_unknowns * sizeof *spread);
    for (int i = 0; i < cyclic->n_sectors * basis->n_harmonics; i++) {
        int s = i / basis->n_harmonics, k = i % basis->n_harmonics;
        int own = find_harmonic(sector->basis, basis->harmonics[k]);
        long long turns = (long long)basis->harmonics[k] * cyclic->delay % cyclic->n_sectors;
        double angle = TWO_PI * (double)(turns * s % cyclic->n_sectors) / cyclic->n_sectors;
        double cosine = cos(angle), sine = sin(angle);
        for (size_t a = 0; own >= 0 && a < n_axes; a++) {
            const double *from = y + (size_t)sector->basis->position[own] * n_axes + a;
            double *to = spread + (size_t)basis->position[k] * n_whole + (size_t)s * n_axes + a;
            if (basis->harmonics[k] == 0) {
                to[0] = from[0];
            } else {
                to[0] = cosine * from[0] - sine * from[n_axes];
                to[n_whole] = sine * from[0] + cosine * from[n_axes];
            }
        }
    }
}
