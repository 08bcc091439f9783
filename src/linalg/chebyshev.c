/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/chebyshev.h"

#include <math.h>

#include "base/pi.h"

double chebyshev_point(int n, int i)
{
    return cos(PI * (i + 0.5) / n);
}

/* Of the polynomials T_k: weights[k][i] of a function's part in T_k by its values at the
 * points, and powers[k][j]. */
struct family {
    double weights[CHEBYSHEV_MOST][CHEBYSHEV_MOST], powers[CHEBYSHEV_MOST][CHEBYSHEV_MOST];
};

static void fill_family(int n, struct family *family)
{
    for (int k = 0; k < n; k++) {
        double(*t)[CHEBYSHEV_MOST] = &family->powers[k];
        for (int i = 0; i < n; i++) {
            family->weights[k][i] = (k > 0 ? 2.0 : 1.0) / n * cos(PI * k * (i + 0.5) / n);
        }
        for (int j = 0; j < n; j++) { /* T_{k+1} = 2 t T_k - T_{k-1} */
            double raised = k > 0 && j > 0 ? t[-1][j - 1] : 0.0;
            t[0][j] = k > 1 ? 2.0 * raised - t[-2][j] : k == 1 ? raised : j == 0 ? 1.0 : 0.0;
        }
    }
}

/* By way of the parts, which become small: the powers of what is 1 at one point are large. */
void chebyshev_powers(int n, int count, const double *values, double *powers)
{
    struct family family;
    fill_family(n, &family);
    for (int p = 0; p < count; p++, values += n, powers += n) {
        for (int j = 0; j < n; j++) {
            powers[j] = 0.0;
        }
        for (int k = 0; k < n; k++) {
            double part = 0.0;
            for (int i = 0; i < n; i++) {
                part += family.weights[k][i] * values[i];
            }
            for (int j = 0; j <= k; j++) {
                powers[j] += part * family.powers[k][j];
            }
        }
    }
}
