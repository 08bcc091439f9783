/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/modal_product.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/dense.h"

enum masing_status modal_product_create(const struct structure *structure,
                                        const struct compliance_settings *settings,
                                        const int *harmonics, const bool *is_excluded,
                                        const double *in, const double *out,
                                        struct modal_product **result,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_modes = (size_t)structure->n_modes, n_out = (size_t)settings->n_out;
    size_t n_columns = 2 * (size_t)settings->n_harmonics;
    struct modal_product *product = memory_array(1, sizeof *product);
    *result = product;
    TRY_ALLOCATED(product);
    product->structure = structure;
    product->n_in = settings->n_in;
    product->n_out = settings->n_out;
    product->n_harmonics = settings->n_harmonics;
    product->harmonics = harmonics;
    product->is_excluded = is_excluded;
    product->in = in;
    product->out = memory_copy(out, n_modes * n_out, sizeof *out);
    product->force = memory_array((size_t)settings->n_in * n_columns, sizeof(double));
    product->modal = memory_array(n_modes * n_columns, sizeof(double));
    product->motion = memory_array(n_out * n_columns, sizeof(double));
    TRY_ALLOCATED(product->out && product->force && product->modal && product->motion);
done:
    return status;
}

void modal_product_destroy(struct modal_product *product)
{
    if (product) {
        free(product->out);
        free(product->force);
        free(product->modal);
        free(product->motion);
        free(product);
    }
}

double modal_product_cost(const struct modal_product *product)
{
    return 2.0 * product->n_harmonics * product->structure->n_modes *
           (product->n_in + product->n_out);
}

/* d = 1 / (omega^2 (1 + i eta) - q^2 + i c q) of a mode, 0 where it is left out; statically
 * stiffness is real. False on an undamped pole. */
static bool mode_response(const struct modal_product *product, int index, double omega,
                          size_t mode, double d[2])
{
    const struct structure *structure = product->structure;
    int h = product->harmonics[index];
    double q = h * omega, own = structure->omega[mode];
    double re = (own - q) * (own + q);
    double im =
        q * structure->modal_damping[mode] + (h > 0 ? structure->loss_factor : 0) * own * own;
    double square = re * re + im * im;
    bool is_out = product->is_excluded[(size_t)index * (size_t)structure->n_modes + mode];
    d[0] = is_out ? 0 : re / square;
    d[1] = is_out ? 0 : -im / square;
    return is_out || square != 0;
}

/* Columns of modal forces become those of modal coordinates. */
static enum masing_status respond(struct modal_product *product, double omega)
{
    size_t n = (size_t)product->structure->n_modes;
    for (int index = 0; index < product->n_harmonics; index++) {
        double *re = product->modal + 2 * (size_t)index * n, *im = re + n, d[2];
        for (size_t k = 0; k < n; k++) {
            if (!mode_response(product, index, omega, k, d)) {
                return MASING_SINGULAR;
            }
            double real = d[0] * re[k] - d[1] * im[k];
            im[k] = d[0] * im[k] + d[1] * re[k];
            re[k] = real;
        }
    }
    return MASING_OK;
}

enum masing_status modal_product_apply(struct modal_product *product, double omega,
                                       const double *force, double *motion)
{
    int n_modes = product->structure->n_modes, n_columns = 2 * product->n_harmonics;
    size_t n_in = (size_t)product->n_in, n_out = (size_t)product->n_out;
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        const double *from = force + column / 2 * 2 * n_in + column % 2;
        for (size_t i = 0; i < n_in; i++) {
            product->force[column * n_in + i] = from[2 * i];
        }
    }
    dense_multiply(n_modes, n_columns, product->n_in, product->in, product->force,
                   product->modal);
    enum masing_status status = respond(product, omega);
    if (status != MASING_OK) {
        return status;
    }
    dense_multiply_transposed(product->n_out, n_columns, n_modes, product->out, product->modal,
                              product->motion);
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        double *to = motion + column / 2 * 2 * n_out + column % 2;
        for (size_t o = 0; o < n_out; o++) {
            to[2 * o] = product->motion[column * n_out + o];
        }
    }
    return MASING_OK;
}

enum masing_status modal_product_entry(const struct modal_product *product, double omega,
                                       int index, int in, int out, double value[2])
{
    size_t n = (size_t)product->structure->n_modes;
    double d[2];
    value[0] = value[1] = 0;
    for (size_t k = 0; k < n; k++) {
        double share = product->in[(size_t)in * n + k] * product->out[(size_t)out * n + k];
        if (!mode_response(product, index, omega, k, d)) {
            return MASING_SINGULAR;
        }
        value[0] += share * d[0];
        value[1] += share * d[1];
    }
    return MASING_OK;
}

double modal_product_loss(struct modal_product *product, double omega, const double *force_real,
                          const double *force_imaginary)
{
    const struct structure *structure = product->structure;
    size_t n_modes = (size_t)structure->n_modes, n_in = (size_t)product->n_in;
    double total = 0, d[2];
    for (int index = 0; index < product->n_harmonics; index++) {
        int h = product->harmonics[index];
        double *re = product->modal, *im = re + n_modes, sum = 0;
        if (h == 0) {
            continue;
        }
        dense_multiply((int)n_modes, 1, product->n_in, product->in,
                       force_real + (size_t)index * n_in, re);
        dense_multiply((int)n_modes, 1, product->n_in, product->in,
                       force_imaginary + (size_t)index * n_in, im);
        for (size_t k = 0; k < n_modes; k++) {
            double own = structure->omega[k];
            double weight =
                h * omega * structure->modal_damping[k] + structure->loss_factor * own * own;
            if (!mode_response(product, index, omega, k, d)) {
                return NAN;
            }
            sum += weight * (d[0] * d[0] + d[1] * d[1]) * (re[k] * re[k] + im[k] * im[k]);
        }
        total += PI * h * sum;
    }
    return total;
}
