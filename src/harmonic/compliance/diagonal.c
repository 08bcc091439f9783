/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping is diagonal in the modes: as matrices by a sum over the modes, and
 * without matrices, mode by mode,
 *   x_out = sum_k out_k (in_k . f) / (omega_k^2 (1 + i eta) + c_k s + s^2),   s = i q,
 * which costs modes times ports where matrices cost ports squared. Massless DOFs need matrices.
 */
#include <math.h>

#include "base/check.h"
#include "base/pi.h"
#include "harmonic/compliance/modal_ports.h"
#include "harmonic/compliance/modal_sum.h"
#include "linalg/dense.h"

struct diagonal {
    struct compliance base;
    struct modal_ports ports;
    struct modal_sum *sum; /* NULL without matrices */
    /* columns: real and imaginary part of each harmonic */
    double *force;  /* [n_in * 2 n_harmonics] */
    double *modal;  /* [n_modes * 2 n_harmonics] */
    double *motion; /* [n_out * 2 n_harmonics] */
};

static struct diagonal *diagonal_of(struct compliance *compliance)
{
    return (struct diagonal *)compliance;
}

/* Multiplications of an application without matrices. */
static double apply_cost(const struct diagonal *diagonal)
{
    const struct compliance *base = &diagonal->base;
    return 2.0 * base->n_harmonics * diagonal->ports.structure->n_modes *
           (base->n_in + base->n_out);
}

static enum masing_status create(struct compliance *compliance,
                                 const struct structure *structure,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct diagonal *diagonal = diagonal_of(compliance);
    size_t n_columns = 2 * (size_t)settings->n_harmonics;
    bool can_apply = !structure->flexibility;
    compliance->has_matrices = !settings->is_matrix_free || !can_apply;
    struct arena *arena = &compliance->arena;
    TRY(modal_ports_create(&diagonal->ports, structure, settings, arena, error));
    diagonal->force = arena_doubles(arena, (size_t)settings->n_in * n_columns);
    diagonal->modal = arena_doubles(arena, (size_t)structure->n_modes * n_columns);
    diagonal->motion = arena_doubles(arena, (size_t)settings->n_out * n_columns);
    TRY_ALLOCATED(!arena->has_failed);
    if (compliance->has_matrices) {
        TRY(modal_sum_create(&diagonal->ports, settings, arena, &diagonal->sum, error));
    }
    compliance->is_applied =
        can_apply && (!diagonal->sum || apply_cost(diagonal) < modal_sum_cost(diagonal->sum));
done:
    return status;
}

static enum masing_status evaluate(struct compliance *compliance, double omega,
                                   bool with_slopes)
{
    return modal_sum_evaluate(diagonal_of(compliance)->sum, omega, compliance->real,
                              compliance->imaginary, with_slopes ? compliance->d_real : NULL,
                              with_slopes ? compliance->d_imaginary : NULL);
}

static bool mode_response(const struct compliance *compliance, int index, double omega,
                          size_t mode, double d[2])
{
    int h = compliance->harmonics[index];
    const struct modal_ports *ports = &((const struct diagonal *)compliance)->ports;
    return modal_ports_mode(ports, index, h, h * omega, mode, d);
}

/* Columns of modal forces become those of modal coordinates. */
static enum masing_status respond(struct diagonal *diagonal, double omega)
{
    size_t n = (size_t)diagonal->ports.structure->n_modes;
    for (int index = 0; index < diagonal->base.n_harmonics; index++) {
        double *re = diagonal->modal + 2 * (size_t)index * n, *im = re + n, d[2];
        for (size_t k = 0; k < n; k++) {
            if (!mode_response(&diagonal->base, index, omega, k, d)) {
                return MASING_SINGULAR;
            }
            double real = d[0] * re[k] - d[1] * im[k];
            im[k] = d[0] * im[k] + d[1] * re[k];
            re[k] = real;
        }
    }
    return MASING_OK;
}

static enum masing_status apply(struct compliance *compliance, double omega,
                                const double *force, double *motion)
{
    struct diagonal *diagonal = diagonal_of(compliance);
    int n_modes = diagonal->ports.structure->n_modes, n_columns = 2 * compliance->n_harmonics;
    size_t n_in = (size_t)compliance->n_in, n_out = (size_t)compliance->n_out;
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        const double *from = force + column / 2 * 2 * n_in + column % 2;
        for (size_t i = 0; i < n_in; i++) {
            diagonal->force[column * n_in + i] = from[2 * i];
        }
    }
    dense_multiply(n_modes, n_columns, compliance->n_in, diagonal->ports.in, diagonal->force,
                   diagonal->modal);
    enum masing_status status = respond(diagonal, omega);
    if (status != MASING_OK) {
        return status;
    }
    dense_multiply_transposed(compliance->n_out, n_columns, n_modes, diagonal->ports.out,
                              diagonal->modal, diagonal->motion);
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        double *to = motion + column / 2 * 2 * n_out + column % 2;
        for (size_t o = 0; o < n_out; o++) {
            to[2 * o] = diagonal->motion[column * n_out + o];
        }
    }
    return MASING_OK;
}

static enum masing_status entry(const struct compliance *compliance, double omega, int index,
                                int in, int out, double value[2])
{
    const struct modal_ports *ports = &((const struct diagonal *)compliance)->ports;
    size_t n = (size_t)ports->structure->n_modes;
    double d[2];
    value[0] = value[1] = 0;
    for (size_t k = 0; k < n; k++) {
        double share = ports->in[(size_t)in * n + k] * ports->out[(size_t)out * n + k];
        if (!mode_response(compliance, index, omega, k, d)) {
            return MASING_SINGULAR;
        }
        value[0] += share * d[0];
        value[1] += share * d[1];
    }
    return MASING_OK;
}

/* Loss mode by mode: pi h sum (q c + eta omega^2) |Q|^2 */
static double loss_of_modes(struct diagonal *diagonal, double omega, const double *force_real,
                            const double *force_imaginary)
{
    const struct structure *structure = diagonal->ports.structure;
    size_t n_modes = (size_t)structure->n_modes, n_in = (size_t)diagonal->base.n_in;
    double total = 0, d[2];
    for (int index = 0; index < diagonal->base.n_harmonics; index++) {
        int h = diagonal->base.harmonics[index];
        double *re = diagonal->modal, *im = re + n_modes, sum = 0;
        if (h == 0) {
            continue;
        }
        dense_multiply((int)n_modes, 1, (int)n_in, diagonal->ports.in,
                       force_real + (size_t)index * n_in, re);
        dense_multiply((int)n_modes, 1, (int)n_in, diagonal->ports.in,
                       force_imaginary + (size_t)index * n_in, im);
        for (size_t k = 0; k < n_modes; k++) {
            double own = structure->omega[k];
            double weight =
                h * omega * structure->modal_damping[k] + structure->loss_factor * own * own;
            if (!mode_response(&diagonal->base, index, omega, k, d)) {
                return NAN;
            }
            sum += weight * (d[0] * d[0] + d[1] * d[1]) * (re[k] * re[k] + im[k] * im[k]);
        }
        total += PI * h * sum;
    }
    return total;
}

static double loss(struct compliance *compliance, double omega, const double *force_real,
                   const double *force_imaginary)
{
    struct diagonal *diagonal = diagonal_of(compliance);
    return diagonal->sum && modal_sum_has_loss(diagonal->sum)
               ? modal_sum_loss(diagonal->sum, omega, force_real, force_imaginary)
               : loss_of_modes(diagonal, omega, force_real, force_imaginary);
}

static enum masing_status recover(struct compliance *compliance, double omega, int index,
                                  const double complex *force, double *real, double *imaginary)
{
    struct modal_ports *ports = &diagonal_of(compliance)->ports;
    double eta = compliance->harmonics[index] > 0 ? ports->structure->loss_factor : 0, d[2];
    modal_ports_forces(ports, force, ports->modal);
    for (size_t k = 0; k < (size_t)ports->structure->n_modes; k++) {
        if (!mode_response(compliance, index, omega, k, d)) {
            return MASING_SINGULAR;
        }
        ports->modal[k] *= d[0] + I * d[1];
    }
    modal_ports_displace(ports, eta, force, ports->modal, real, imaginary);
    return MASING_OK;
}

const struct compliance_kind compliance_diagonal = {
    .size = sizeof(struct diagonal),
    .create = create,
    .evaluate = evaluate,
    .apply = apply,
    .entry = entry,
    .loss = loss,
    .recover = recover,
};
