/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where the stiffness goes with the square of the frequency, which is the shaft's:
 *   Z_h = (1 + i eta) (diag(omega^2) + Omega^2 S) - (h Omega)^2 + i h Omega C,
 *   H = out^T Z^-1 in + R / (1 + i eta),
 * in the modes of the structure at rest, all of which S couples: they are solved for together,
 * at every frequency. Statically the stiffness is real; modes that are excluded there feel
 * nothing of S (structure/spinning.h).
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "harmonic/compliance/compliance.h"
#include "linalg/lu.h"

struct spinning {
    struct compliance base;
    double complex *z, *dz;  /* [n * n] and by Omega */
    double complex *x;       /* [n * (n_in + n_out)] solutions for the inputs and outputs */
    double complex *product; /* [n] */
    double *imaginary;       /* [n_in * n_in] of the response of the inputs to themselves */
    int *pivots;             /* [n] */
};

static struct spinning *spinning_of(struct compliance *compliance)
{
    return (struct spinning *)compliance;
}

static enum masing_status create(struct compliance *compliance,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    struct spinning *made = spinning_of(compliance);
    struct arena *arena = &compliance->arena;
    size_t n = (size_t)compliance->structure->n_modes, z = sizeof(double complex);
    size_t n_in = (size_t)settings->n_in;
    made->z = arena_array(arena, n * n, z);
    made->dz = arena_array(arena, n * n, z);
    made->x = arena_array(arena, n * (n_in + (size_t)settings->n_out), z);
    made->product = arena_array(arena, n, z);
    made->imaginary = arena_doubles(arena, n_in * n_in);
    made->pivots = arena_array(arena, n, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static bool is_excluded(const struct compliance *compliance, int index, size_t mode)
{
    return compliance
        ->is_excluded[(size_t)index * (size_t)compliance->structure->n_modes + mode];
}

/* Z at a harmonic of the list and its derivative by Omega. */
static void assemble(struct spinning *spinning, int index, double omega)
{
    const struct compliance *base = &spinning->base;
    const struct structure *structure = base->structure;
    size_t n = (size_t)structure->n_modes;
    int h = base->harmonics[index];
    double q = h * omega, square = omega * omega;
    double eta = h > 0 ? structure->loss_factor : 0.0;
    double complex elastic = 1.0 + I * eta;
    for (size_t i = 0; i < n * n; i++) {
        double s = structure->stiffening[i];
        double c = structure->damping_matrix ? structure->damping_matrix[i]
                   : i % n == i / n          ? structure->modal_damping[i / n]
                                             : 0.0;
        spinning->z[i] = elastic * square * s + I * q * c;
        spinning->dz[i] = elastic * 2.0 * omega * s + I * (double)h * c;
    }
    for (size_t k = 0; k < n; k++) {
        double own = structure->omega[k];
        double rest = h > 0 ? structure_rest(structure, k) : 0.0;
        bool is_out = is_excluded(base, index, k);
        spinning->z[k * (n + 1)] +=
            is_out ? 1.0 : (own - q) * (own + q) + rest + I * eta * own * own;
        spinning->dz[k * (n + 1)] -= 2.0 * q * h;
    }
}

/* x = Z^-1 [in | out]; of excluded modes nothing. */
static enum masing_status solve(struct spinning *spinning, int index, double omega)
{
    const struct compliance *base = &spinning->base;
    size_t n = (size_t)base->structure->n_modes, n_in = (size_t)base->n_in;
    size_t n_sides = n_in + (size_t)base->n_out;
    assemble(spinning, index, omega);
    for (size_t s = 0; s < n_sides; s++) {
        const double *side = s < n_in ? base->in + s * n : base->out + (s - n_in) * n;
        for (size_t k = 0; k < n; k++) {
            spinning->x[s * n + k] = is_excluded(base, index, k) ? 0.0 : side[k];
        }
    }
    NEED(lu_factor_complex((int)n, spinning->z, spinning->pivots));
    lu_solve_complex((int)n, spinning->z, spinning->pivots, spinning->x, (int)n_sides);
    return MASING_OK;
}

/* Sum of real weights [n] times x, without excluded modes, where x is 0. */
static double complex weigh(size_t n, const double *weights, const double complex *x)
{
    double complex sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += weights[k] * x[k];
    }
    return sum;
}

static double complex residual(const struct compliance *compliance, const double *flexibility,
                               int index, size_t entry)
{
    double eta = compliance->harmonics[index] > 0 ? compliance->structure->loss_factor : 0.0;
    return flexibility ? flexibility[entry] / (1.0 + I * eta) : 0.0;
}

static void write_values(struct spinning *spinning, int index)
{
    struct compliance *base = &spinning->base;
    size_t n = (size_t)base->structure->n_modes, n_out = (size_t)base->n_out;
    size_t n_in = (size_t)base->n_in, at = (size_t)index * n_in * n_out;
    for (size_t p = 0; p < n_in * n_out; p++) {
        double complex value =
            weigh(n, base->out + p % n_out * n, spinning->x + p / n_out * n) +
            residual(base, base->residual, index, p);
        base->real[at + p] = creal(value);
        base->imaginary[at + p] = cimag(value);
    }
}

/* H' = -(Z^-1 out)^T Z' Z^-1 in */
static void write_slopes(struct spinning *spinning, int index)
{
    struct compliance *base = &spinning->base;
    size_t n = (size_t)base->structure->n_modes, n_out = (size_t)base->n_out;
    size_t n_in = (size_t)base->n_in, at = (size_t)index * n_in * n_out;
    for (size_t i = 0; i < n_in; i++) {
        const double complex *x = spinning->x + i * n;
        memset(spinning->product, 0, n * sizeof *spinning->product);
        for (size_t k = 0; k < n * n; k++) {
            spinning->product[k % n] += spinning->dz[k] * x[k / n];
        }
        for (size_t o = 0; o < n_out; o++) {
            const double complex *y = spinning->x + (n_in + o) * n;
            double complex slope = 0.0;
            for (size_t k = 0; k < n; k++) {
                slope -= y[k] * spinning->product[k];
            }
            base->d_real[at + i * n_out + o] = creal(slope);
            base->d_imaginary[at + i * n_out + o] = cimag(slope);
        }
    }
}

static enum masing_status evaluate(struct compliance *compliance, double omega,
                                   bool with_slopes)
{
    struct spinning *spinning = spinning_of(compliance);
    for (int i = 0; i < compliance->n_harmonics; i++) {
        NEED(solve(spinning, i, omega));
        write_values(spinning, i);
        if (with_slopes) {
            write_slopes(spinning, i);
        }
    }
    return MASING_OK;
}

static double loss(struct compliance *compliance, double omega, const double *force)
{
    struct spinning *spinning = spinning_of(compliance);
    size_t n = (size_t)compliance->structure->n_modes, n_in = (size_t)compliance->n_in;
    double total = 0.0;
    for (int i = 0; i < compliance->n_harmonics; i++) {
        if (compliance->harmonics[i] == 0) {
            continue;
        }
        if (solve(spinning, i, omega) != MASING_OK) {
            return NAN;
        }
        for (size_t p = 0; p < n_in * n_in; p++) {
            double complex own =
                weigh(n, compliance->in + p % n_in * n, spinning->x + p / n_in * n) +
                residual(compliance, compliance->residual_in, i, p);
            spinning->imaginary[p] = cimag(own);
        }
        total -= PI * compliance->harmonics[i] *
                 compliance_form(n_in, spinning->imaginary, force + 2 * (size_t)i * n_in);
    }
    return total;
}

const struct compliance_kind compliance_spinning = {
    .size = sizeof(struct spinning),
    .create = create,
    .evaluate = evaluate,
    .loss = loss,
};
