/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pi.h"
#include "harmonic/modal_sum_type.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Powers; x^j and its derivative by Omega, j * h / top * x^(j - 1) */
static void power_coefficients(const struct modal_sum *sum, int h, double x, int powers,
                               double *c)
{
    size_t n = modal_sum_n_terms(sum);
    size_t odd = (size_t)(sum->n_even + sum->n_near + sum->n_structural);
    double power = 1, below = 0, slope = h / sum->top;
    for (int j = 0; j < powers; j++) {
        size_t t = j % 2 ? odd + (size_t)(j / 2) : (size_t)(j / 2);
        size_t part = j % 2 ? n : 0;
        if (j % 2 == 0 || sum->n_odd > 0) {
            c[part + t] = power;
            c[part + 2 * n + t] = j * slope * below;
        }
        below = power;
        power *= x;
    }
}

/* x^(2 m) / (1 + i eta)^(m + 1); statically the stiffness is real */
static void structural_coefficients(const struct modal_sum *sum, int h, double x, double *c)
{
    size_t n = modal_sum_n_terms(sum), first = (size_t)(sum->n_even + sum->n_near);
    double eta = h > 0 ? sum->eta : 0, square = 1 + eta * eta;
    double re = 1 / square, im = -eta / square, step_re = re, step_im = im;
    double power = 1, below = 0, slope = h / sum->top;
    for (int m = 0; m < sum->n_structural; m++) {
        size_t t = first + (size_t)m;
        c[t] = power * re;
        c[n + t] = power * im;
        c[2 * n + t] = 2 * m * slope * below * re;
        c[3 * n + t] = 2 * m * slope * below * im;
        below = power * x;
        power *= x * x;
        double next = re * step_re - im * step_im;
        im = re * step_im + im * step_re;
        re = next;
    }
}

/* d = 1 / z, z = omega^2 (1 + i eta) - q^2 + i c q; d' = -z' d^2. False on an undamped pole. */
static bool near_coefficients(const struct modal_sum *sum, int index, double q, double *c)
{
    size_t n = modal_sum_n_terms(sum);
    int h = sum->harmonics[index];
    const bool *is_excluded = sum->is_excluded + (size_t)index * (size_t)sum->n_near;
    for (int k = 0; k < sum->n_near; k++) {
        double *entry = c + sum->n_even + k;
        if (is_excluded[k]) {
            entry[0] = entry[n] = entry[2 * n] = entry[3 * n] = 0;
            continue;
        }
        double omega = sum->omega[k], rate = sum->rate[k];
        double re = (omega - q) * (omega + q);
        double im = rate * q + (h > 0 ? sum->eta : 0) * omega * omega;
        double square = re * re + im * im;
        if (square == 0) {
            return false;
        }
        double d_re = re / square, d_im = -im / square;
        double s_re = d_re * d_re - d_im * d_im, s_im = 2 * d_re * d_im;
        double z_re = -2 * q * h, z_im = rate * h;
        entry[0] = d_re;
        entry[n] = d_im;
        entry[2 * n] = -(z_re * s_re - z_im * s_im);
        entry[3 * n] = -(z_re * s_im + z_im * s_re);
    }
    return true;
}

/*
 * Products above which BLAS is faster than plain loops, which skip what is negligible. Measured
 * with OpenBLAS 0.3.21 on one thread, us per evaluation without the coefficients (loops, BLAS),
 * 8 harmonics: 2 terms, 4 entries: 0.1, 0.6; 48 terms, 1 entry: 0.5, 0.6; 9: 1.0, 1.0;
 * 100: 13, 6; 961: 125, 64.
 */
enum { MANY_PRODUCTS = 4000 };

/* result [size] += sum over the terms [from, to) of c_t M_t */
static void accumulate(const struct modal_sum *sum, size_t from, size_t to, const double *c,
                       double *restrict result)
{
    size_t size = (size_t)sum->n_in * (size_t)sum->n_out;
    for (size_t t = from; t < to; t++) {
        const double *matrix = sum->matrices + t * size;
        double factor = c[t];
        for (size_t p = 0; p < size; p++) {
            result[p] += factor * matrix[p];
        }
    }
}

/* Terms of one harmonic, skipping powers that are negligible there */
static void sum_terms(const struct modal_sum *sum, int powers, const double *c, double *real,
                      double *imaginary)
{
    size_t n = modal_sum_n_terms(sum), size = (size_t)sum->n_in * (size_t)sum->n_out;
    size_t first_odd = n - (size_t)sum->n_odd, n_even = (size_t)sum->n_even;
    size_t even = (size_t)((powers + 1) / 2), odd = (size_t)(powers / 2);
    memset(real, 0, size * sizeof *real);
    memset(imaginary, 0, size * sizeof *imaginary);
    accumulate(sum, 0, even < n_even ? even : n_even, c, real);
    accumulate(sum, n_even, first_odd, c, real);
    accumulate(sum, n_even, first_odd, c + n, imaginary);
    accumulate(sum, first_odd, first_odd + odd < n ? first_odd + odd : n, c + n, imaginary);
}

/* The same for all harmonics at once; c: the first of their coefficients */
static void sum_all(const struct modal_sum *sum, const double *c, double *real,
                    double *imaginary)
{
    int n = (int)modal_sum_n_terms(sum), size = sum->n_in * sum->n_out;
    dense_multiply_parts(size, sum->n_harmonics, n - sum->n_odd, sum->matrices, size, c, 4 * n,
                         real, size);
    dense_multiply_parts(size, sum->n_harmonics, n - sum->n_even,
                         sum->matrices + (size_t)sum->n_even * (size_t)size, size,
                         c + n + sum->n_even, 4 * n, imaginary, size);
}

static enum masing_status all_coefficients(struct modal_sum *sum, double omega)
{
    size_t n = modal_sum_n_terms(sum);
    for (int i = 0; i < sum->n_harmonics; i++) {
        int h = sum->harmonics[i];
        double q = h * omega, *c = sum->coefficients + (size_t)i * 4 * n;
        power_coefficients(sum, h, q / sum->top, sum->eta == 0 ? sum->needed[i] : 0, c);
        structural_coefficients(sum, h, q / sum->top, c);
        if (!near_coefficients(sum, i, q, c)) {
            return MASING_SINGULAR;
        }
    }
    return MASING_OK;
}

enum masing_status modal_sum_evaluate(struct modal_sum *sum, double omega, double *real,
                                      double *imaginary, double *d_real, double *d_imaginary)
{
    size_t n = modal_sum_n_terms(sum), size = (size_t)sum->n_in * (size_t)sum->n_out;
    enum masing_status status = all_coefficients(sum, omega);
    if (status != MASING_OK) {
        return status;
    }
    if (n * size * (size_t)sum->n_harmonics >= MANY_PRODUCTS) {
        sum_all(sum, sum->coefficients, real, imaginary);
        if (d_real) {
            sum_all(sum, sum->coefficients + 2 * n, d_real, d_imaginary);
        }
        return MASING_OK;
    }
    for (int i = 0; i < sum->n_harmonics; i++) {
        const double *c = sum->coefficients + (size_t)i * 4 * n;
        size_t at = (size_t)i * size;
        sum_terms(sum, sum->needed[i], c, real + at, imaginary + at);
        if (d_real) {
            sum_terms(sum, sum->needed[i], c + 2 * n, d_real + at, d_imaginary + at);
        }
    }
    return MASING_OK;
}

/* |a^T f|^2 for complex f */
static double squared_share(int n, const double *a, const double *re, const double *im)
{
    double x = dense_dot(n, a, re), y = dense_dot(n, a, im);
    return x * x + y * y;
}

/* f^H A f for symmetric A [n][n] and complex f */
static double quadratic_form(int n, const double *a, const double *re, const double *im)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += re[i] * dense_dot(n, a, re) + im[i] * dense_dot(n, a, im);
        a += n;
    }
    return total;
}

/* Loss of one harmonic over pi h: sum (q c + eta omega^2) |Q|^2, and what massless DOFs lose */
static double harmonic_loss(struct modal_sum *sum, int index, double q, const double *re,
                            const double *im)
{
    size_t n = modal_sum_n_terms(sum), square = (size_t)sum->n_in * (size_t)sum->n_in;
    double *c = sum->coefficients + sum->n_even, total = 0;
    if (!near_coefficients(sum, index, q, sum->coefficients)) {
        return NAN;
    }
    for (int k = 0; k < sum->n_near; k++) {
        double weight = q * sum->rate[k] + sum->eta * sum->omega[k] * sum->omega[k];
        total += weight * (c[k] * c[k] + c[n + (size_t)k] * c[n + (size_t)k]) *
                 squared_share(sum->n_in, sum->near_in + (size_t)k * (size_t)sum->n_in, re, im);
    }
    double x = q / sum->top, power = sum->eta == 0 ? q : 1;
    for (int j = 0; j < sum->n_loss; j++) {
        total += power * quadratic_form(sum->n_in, sum->loss + (size_t)j * square, re, im);
        power *= x * x;
    }
    if (sum->flexibility) {
        total += sum->eta / (1 + sum->eta * sum->eta) *
                 quadratic_form(sum->n_in, sum->flexibility, re, im);
    }
    return total;
}

double modal_sum_loss(struct modal_sum *sum, double omega, const double *force_real,
                      const double *force_imaginary)
{
    double total = 0;
    for (int i = 0; i < sum->n_harmonics; i++) {
        int h = sum->harmonics[i];
        size_t at = (size_t)i * (size_t)sum->n_in;
        if (h > 0) {
            total += PI * h *
                     harmonic_loss(sum, i, h * omega, force_real + at, force_imaginary + at);
        }
    }
    return total;
}

bool modal_sum_has_loss(const struct modal_sum *sum)
{
    return sum->has_loss;
}

double modal_sum_cost(const struct modal_sum *sum)
{
    double n_real = sum->n_even + sum->n_odd, n_complex = sum->n_near + sum->n_structural;
    return (n_real + 2.0 * n_complex + 4.0) * sum->n_harmonics * sum->n_in * sum->n_out;
}
