/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modes that are not there, with one modal ratio: against each mode's own response. */
#include <complex.h>
#include <math.h>

#include "model/structure/far_ratio.h"
#include "tap.h"

enum { N_TERMS = 16 };
static const double zeta = 0.03, scale = 1.1e6, shift = 1e5, last = 3e3;

/* What the terms make of a mode, relative to its flexibility about the shift. */
static double complex sum(const double *re, const double *im, double u)
{
    double complex total = 0.0;
    for (int t = N_TERMS; t-- > 0;) {
        total = total * u + re[t] + I * im[t];
    }
    return total;
}

static void modes_respond_with_their_ratio(void)
{
    struct arena arena = {0};
    struct far_ratio *ratio = NULL;
    struct masing_error error = {0};
    CHECK(far_ratio_create(zeta, scale, shift, last, N_TERMS, &arena, &ratio, &error) ==
          MASING_OK);
    double re[N_TERMS], im[N_TERMS], d_re[N_TERMS], d_im[N_TERMS], worst = 0.0;
    for (double q = 100.0; q <= 1000.0; q += 300.0) {
        far_ratio_terms(ratio, N_TERMS, 3, q, re, im, d_re, d_im);
        double largest = 2.0 * zeta * q / last;
        for (double omega = last; omega < 1e7; omega *= 1.05) {
            double lambda = omega * omega + shift;
            double complex own = lambda / (omega * omega - q * q + 2.0 * I * zeta * q * omega);
            double complex found = sum(re, im, scale / lambda);
            CHECK_RELATIVE(creal(found), creal(own), 1e-11);
            worst = fmax(worst, fabs(cimag(found) - cimag(own)) / largest);
            CHECK(cimag(found) < 0.0); /* takes energy out */
        }
    }
    printf("# loss: largest difference %.2g of the last mode's\n", worst);
    CHECK(worst < 0.04);
    arena_clear(&arena);
}

static void derivatives_are_exact(void)
{
    struct arena arena = {0};
    struct far_ratio *ratio = NULL;
    struct masing_error error = {0};
    CHECK(far_ratio_create(zeta, scale, shift, last, N_TERMS, &arena, &ratio, &error) ==
          MASING_OK);
    enum { H = 3 };
    double re[3][N_TERMS], im[3][N_TERMS], d_re[3][N_TERMS], d_im[3][N_TERMS];
    const double omega = 200.0, step = 0.01;
    for (int i = 0; i < 3; i++) {
        far_ratio_terms(ratio, N_TERMS, H, H * (omega + (i - 1) * step), re[i], im[i], d_re[i],
                        d_im[i]);
    }
    for (double u = 0.01; u < 0.12; u += 0.05) {
        double complex difference = (sum(re[2], im[2], u) - sum(re[0], im[0], u)) / (2 * step);
        double complex own = sum(d_re[1], d_im[1], u);
        CHECK_RELATIVE(creal(own), creal(difference), 1e-6);
        CHECK_RELATIVE(cimag(own), cimag(difference), 1e-6);
    }
    far_ratio_terms(ratio, N_TERMS, 0, 0.0, re[0], im[0], d_re[0], d_im[0]);
    for (int t = 0; t < N_TERMS; t++) {
        CHECK(im[0][t] == 0.0); /* statically the stiffness is real */
        CHECK_RELATIVE(re[0][t], pow(shift / scale, t), 1e-14);
    }
    arena_clear(&arena);
}

static const struct tap_test tests[] = {
    {"modes respond with their ratio", modes_respond_with_their_ratio},
    {"derivatives are exact", derivatives_are_exact},
};

TAP_MAIN(tests)
