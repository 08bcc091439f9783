/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/coupled_sum.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/far_series.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

struct coupled_sum {
    const struct structure *structure;
    struct far_series far;
    int n, n_in, n_out, n_harmonics, *harmonics; /* n near modes */
    double *in, *out;                            /* [n * n_in], [n * n_out] of the near modes */
    double *static_sum;      /* [n_in][n_out] near modes at harmonic 0, exclusions left out */
    double *residual;        /* [n_in][n_out] flexibility of massless DOFs, or NULL */
    double *residual_in;     /* [n_in][n_in] likewise */
    double *far_parts;       /* [4][far.n_left * far.n_right], see far_series_evaluate */
    double complex *z, *dz;  /* [n * n] */
    double complex *x, *dx;  /* [n * (n_in + n_out)] right-hand sides, then solutions */
    double complex *sides;   /* [n * (n_in + n_out)] the right-hand sides themselves */
    double complex *product; /* [n * n_in] */
    double *load;            /* [2][far.n_right] */
    double complex *modal;   /* [n] */
    int *pivots;             /* [n] */
};

/* Residual flexibility between the ports */
static enum masing_status fill_residual(struct coupled_sum *sum,
                                        const struct compliance_settings *settings,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_dofs = sum->structure->n_dofs;
    size_t n_in = (size_t)sum->n_in;
    double *product = memory_array((size_t)n_dofs * n_in, sizeof *product);
    TRY_ALLOCATED(product);
    TRY_ALLOCATED(sum->residual = memory_array(n_in * (size_t)sum->n_out, sizeof(double)));
    TRY_ALLOCATED(sum->residual_in = memory_array(n_in * n_in, sizeof(double)));
    dense_multiply(n_dofs, sum->n_in, n_dofs, sum->structure->flexibility, settings->in,
                   product);
    dense_multiply_transposed(sum->n_out, sum->n_in, n_dofs, settings->out, product,
                              sum->residual);
    dense_multiply_transposed(sum->n_in, sum->n_in, n_dofs, settings->in, product,
                              sum->residual_in);
done:
    free(product);
    return status;
}

static bool is_excluded(const struct coupled_sum *sum,
                        const struct compliance_settings *settings, int mode)
{
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        if (exclusion.mode == mode && sum->harmonics[exclusion.harmonic_index] == 0) {
            return true;
        }
    }
    return mode < sum->structure->n_rigid;
}

/* Harmonic 0: all modes, in [n_modes * n_in], out [n_modes * n_out] */
static void fill_static(struct coupled_sum *sum, const struct compliance_settings *settings,
                        const double *in, const double *out)
{
    size_t n = (size_t)sum->structure->n_modes, n_out = (size_t)sum->n_out;
    for (size_t k = 0; k < n; k++) {
        double square = sum->structure->omega[k] * sum->structure->omega[k];
        if (is_excluded(sum, settings, (int)k)) {
            continue;
        }
        for (size_t i = 0; i < (size_t)sum->n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                sum->static_sum[i * n_out + o] += in[k + i * n] * out[k + o * n] / square;
            }
        }
    }
    for (size_t p = 0; sum->residual && p < (size_t)sum->n_in * n_out; p++) {
        sum->static_sum[p] += sum->residual[p];
    }
}

static enum masing_status allocate(struct coupled_sum *sum, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)sum->n, n_in = (size_t)sum->n_in, n_out = (size_t)sum->n_out;
    size_t far = (size_t)sum->far.n_left * (size_t)sum->far.n_right, z = sizeof(double complex);
    TRY_ALLOCATED(sum->harmonics = memory_array((size_t)sum->n_harmonics, sizeof(int)));
    TRY_ALLOCATED(sum->in = memory_array(n * n_in, sizeof(double)));
    TRY_ALLOCATED(sum->out = memory_array(n * n_out, sizeof(double)));
    TRY_ALLOCATED(sum->static_sum = memory_array(n_in * n_out, sizeof(double)));
    TRY_ALLOCATED(sum->far_parts = memory_array(4 * far, sizeof(double)));
    TRY_ALLOCATED(sum->z = memory_array(n * n, z));
    TRY_ALLOCATED(sum->dz = memory_array(n * n, z));
    TRY_ALLOCATED(sum->x = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->dx = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->sides = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(sum->product = memory_array(n * n_in, z));
    TRY_ALLOCATED(sum->load = memory_array(2 * (n + n_in), sizeof(double)));
    TRY_ALLOCATED(sum->modal = memory_array(n, z));
    TRY_ALLOCATED(sum->pivots = memory_array(n, sizeof(int)));
done:
    return status;
}

/* Rows of the near modes */
static void take_near(const struct coupled_sum *sum, int n_ports, const double *ports,
                      double *near)
{
    for (size_t j = 0; j < (size_t)n_ports; j++) {
        memcpy(near + j * (size_t)sum->n, ports + j * (size_t)sum->structure->n_modes,
               (size_t)sum->n * sizeof *near);
    }
}

enum masing_status coupled_sum_create(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      const double *in, const double *out,
                                      struct coupled_sum **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct coupled_sum *sum = memory_array(1, sizeof *sum);
    TRY_ALLOCATED(sum);
    sum->structure = structure;
    sum->n_in = settings->n_in;
    sum->n_out = settings->n_out;
    sum->n_harmonics = settings->n_harmonics;
    TRY(far_series_create(structure, settings, in, out, &sum->far, error));
    sum->n = sum->far.n_near;
    TRY(allocate(sum, error));
    memcpy(sum->harmonics, settings->harmonics, (size_t)sum->n_harmonics * sizeof(int));
    take_near(sum, sum->n_in, in, sum->in);
    take_near(sum, sum->n_out, out, sum->out);
    if (structure->flexibility) {
        TRY(fill_residual(sum, settings, error));
    }
    fill_static(sum, settings, in, out);
done:
    if (status != MASING_OK) {
        coupled_sum_destroy(sum);
        sum = NULL;
    }
    *result = sum;
    return status;
}

void coupled_sum_destroy(struct coupled_sum *sum)
{
    if (sum) {
        far_series_clear(&sum->far);
        free(sum->harmonics);
        free(sum->in);
        free(sum->out);
        free(sum->static_sum);
        free(sum->residual);
        free(sum->residual_in);
        free(sum->far_parts);
        free(sum->z);
        free(sum->dz);
        free(sum->x);
        free(sum->dx);
        free(sum->sides);
        free(sum->product);
        free(sum->load);
        free(sum->modal);
        free(sum->pivots);
        free(sum);
    }
}

/* Entry of the far modes' response (part 0) or of its derivative by q (part 2) */
static double complex far_entry(const struct coupled_sum *sum, int part, int row, int column)
{
    if (sum->far.n_terms == 0) {
        return 0;
    }
    size_t n_left = (size_t)sum->far.n_left, size = n_left * (size_t)sum->far.n_right;
    const double *entry =
        sum->far_parts + (size_t)part * size + (size_t)row + (size_t)column * n_left;
    return entry[0] + I * entry[size];
}

/* Z = diag(omega^2 (1 + i eta) - q^2) + i q C + q^2 F_nn and its derivative by q */
static void assemble_matrix(struct coupled_sum *sum, double q)
{
    const struct structure *structure = sum->structure;
    size_t n = (size_t)sum->n, n_modes = (size_t)structure->n_modes;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double c = structure->damping_matrix[i + j * n_modes];
            double complex f = far_entry(sum, 0, sum->n_out + (int)i, sum->n_in + (int)j);
            double complex df = far_entry(sum, 2, sum->n_out + (int)i, sum->n_in + (int)j);
            sum->z[i + j * n] = I * q * c + q * q * f;
            sum->dz[i + j * n] = I * c + 2 * q * f + q * q * df;
        }
        double omega = structure->omega[j];
        sum->z[j + j * n] +=
            (omega - q) * (omega + q) + I * structure->loss_factor * omega * omega;
        sum->dz[j + j * n] -= 2 * q;
    }
}

/* [in - s F_ni | out - s F_on^T] and its derivative by q */
static void assemble_sides(struct coupled_sum *sum, double q)
{
    size_t n = (size_t)sum->n;
    for (int j = 0; j < sum->n_in + sum->n_out; j++) {
        bool is_in = j < sum->n_in;
        for (size_t i = 0; i < n; i++) {
            int row = is_in ? sum->n_out + (int)i : j - sum->n_in;
            int column = is_in ? j : sum->n_in + (int)i;
            double own =
                is_in ? sum->in[i + (size_t)j * n] : sum->out[i + (size_t)(j - sum->n_in) * n];
            double complex f = far_entry(sum, 0, row, column);
            double complex df = far_entry(sum, 2, row, column);
            sum->sides[i + (size_t)j * n] = own - I * q * f;
            sum->dx[i + (size_t)j * n] = -I * (f + q * df);
        }
    }
}

static double complex dot(size_t n, const double complex *a, const double complex *b)
{
    double complex total = 0;
    for (size_t i = 0; i < n; i++) {
        total += a[i] * b[i];
    }
    return total;
}

/* x = Z^-1 sides, with everything else at q */
static enum masing_status solve(struct coupled_sum *sum, int index, double q)
{
    size_t count = (size_t)sum->n * (size_t)(sum->n_in + sum->n_out);
    if (sum->far.n_terms > 0) {
        far_series_evaluate(&sum->far, index, q, sum->far_parts);
    }
    assemble_matrix(sum, q);
    assemble_sides(sum, q);
    memcpy(sum->x, sum->sides, count * sizeof *sum->x);
    enum masing_status status = lu_factor_complex(sum->n, sum->z, sum->pivots);
    if (status == MASING_OK) {
        lu_solve_complex(sum->n, sum->z, sum->pivots, sum->x, sum->n_in + sum->n_out);
    }
    return status;
}

/* Massless DOFs: R / (1 + i eta) */
static double complex residual(const struct coupled_sum *sum, size_t entry)
{
    return sum->residual ? sum->residual[entry] / (1 + I * sum->structure->loss_factor) : 0;
}

/* H = F_oi + O^T X;  H' = F_oi' + O'^T X + Y^T (G' - Z' X) */
static void write_harmonic(struct coupled_sum *sum, int h, double *real, double *imaginary,
                           double *d_real, double *d_imaginary)
{
    size_t n = (size_t)sum->n, n_in = (size_t)sum->n_in, n_out = (size_t)sum->n_out;
    for (size_t i = 0; i < n_in; i++) {
        const double complex *x = sum->x + i * n;
        double complex *rest = sum->product + i * n;
        for (size_t k = 0; k < n && d_real; k++) {
            /* Z' is symmetric: its column is its row */
            rest[k] = sum->dx[k + i * n] - dot(n, sum->dz + k * n, x);
        }
        for (size_t o = 0; o < n_out; o++) {
            size_t entry = i * n_out + o, side = (n_in + o) * n;
            double complex value = far_entry(sum, 0, (int)o, (int)i) +
                                   dot(n, sum->sides + side, x) + residual(sum, entry);
            real[entry] = creal(value);
            imaginary[entry] = cimag(value);
            if (d_real) {
                double complex slope = far_entry(sum, 2, (int)o, (int)i) +
                                       dot(n, sum->dx + side, x) + dot(n, sum->x + side, rest);
                d_real[entry] = h * creal(slope);
                d_imaginary[entry] = h * cimag(slope);
            }
        }
    }
}

static void write_static(const struct coupled_sum *sum, double *real, double *imaginary,
                         double *d_real, double *d_imaginary)
{
    size_t size = (size_t)sum->n_in * (size_t)sum->n_out;
    memcpy(real, sum->static_sum, size * sizeof *real);
    memset(imaginary, 0, size * sizeof *imaginary);
    if (d_real) {
        memset(d_real, 0, size * sizeof *d_real);
        memset(d_imaginary, 0, size * sizeof *d_imaginary);
    }
}

enum masing_status coupled_sum_evaluate(struct coupled_sum *sum, double omega, double *real,
                                        double *imaginary, double *d_real, double *d_imaginary)
{
    size_t size = (size_t)sum->n_in * (size_t)sum->n_out;
    for (int i = 0; i < sum->n_harmonics; i++) {
        size_t at = (size_t)i * size;
        double *dr = d_real ? d_real + at : NULL, *di = d_real ? d_imaginary + at : NULL;
        if (sum->harmonics[i] == 0) {
            write_static(sum, real + at, imaginary + at, dr, di);
            continue;
        }
        enum masing_status status = solve(sum, i, sum->harmonics[i] * omega);
        if (status != MASING_OK) {
            return status;
        }
        write_harmonic(sum, sum->harmonics[i], real + at, imaginary + at, dr, di);
    }
    return MASING_OK;
}

/* Coordinates Q_n of the near modes under the port forces of one harmonic, into sum->modal,
 * and what then acts on the far ones: load = [f, -s Q_n] */
static enum masing_status modal_coordinates(struct coupled_sum *sum, int index, double q,
                                            const double *re, const double *im)
{
    size_t n = (size_t)sum->n, n_in = (size_t)sum->n_in, n_right = n_in + n;
    enum masing_status status = solve(sum, index, q);
    if (status != MASING_OK) {
        return status;
    }
    memset(sum->modal, 0, n * sizeof *sum->modal);
    for (size_t i = 0; i < n_in; i++) {
        sum->load[i] = re[i];
        sum->load[n_right + i] = im[i];
        for (size_t k = 0; k < n; k++) {
            sum->modal[k] += sum->x[k + i * n] * (re[i] + I * im[i]);
        }
    }
    for (size_t k = 0; k < n; k++) {
        sum->load[n_in + k] = q * cimag(sum->modal[k]);
        sum->load[n_right + n_in + k] = -q * creal(sum->modal[k]);
    }
    return status;
}

/* Q_n^H C_nn Q_n + 2 Re Q_n^H C_nf Q_f; C_nf Q_f is the far modes' response to the load */
static double near_dissipation(const struct coupled_sum *sum)
{
    size_t n = (size_t)sum->n, n_modes = (size_t)sum->structure->n_modes;
    size_t n_right = n + (size_t)sum->n_in;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        double complex own = 0, other = 0;
        for (size_t k = 0; k < n; k++) {
            own += sum->structure->damping_matrix[i + k * n_modes] * sum->modal[k];
        }
        for (size_t k = 0; sum->far.n_terms > 0 && k < n_right; k++) {
            other += far_entry(sum, 0, sum->n_out + (int)i, (int)k) *
                     (sum->load[k] + I * sum->load[n_right + k]);
        }
        total += creal(conj(sum->modal[i]) * (own + 2 * other));
    }
    return total;
}

/* q Q^H C Q + eta sum omega^2 |Q|^2 */
static double dissipation(const struct coupled_sum *sum, double q)
{
    const struct structure *structure = sum->structure;
    size_t n_right = (size_t)sum->n + (size_t)sum->n_in;
    double total = q * near_dissipation(sum);
    if (sum->far.n_terms > 0) {
        total += q * far_series_loss(&sum->far, q, sum->load, sum->load + n_right);
    }
    for (size_t k = 0; structure->loss_factor != 0 && k < (size_t)sum->n; k++) {
        total += structure->loss_factor * structure->omega[k] * structure->omega[k] *
                 creal(conj(sum->modal[k]) * sum->modal[k]);
    }
    return total;
}

/* eta / (1 + eta^2) f^H R f */
static double residual_dissipation(const struct coupled_sum *sum, const double *re,
                                   const double *im)
{
    double eta = sum->structure->loss_factor, total = 0;
    size_t n = (size_t)sum->n_in;
    for (size_t i = 0; sum->residual_in && eta != 0 && i < n; i++) {
        const double *row = sum->residual_in + i * n;
        total += re[i] * dense_dot((int)n, row, re) + im[i] * dense_dot((int)n, row, im);
    }
    return eta / (1 + eta * eta) * total;
}

enum masing_status coupled_sum_modal(struct coupled_sum *sum, int index, double q,
                                     const double complex *force, double complex *modal)
{
    const struct structure *structure = sum->structure;
    size_t n = (size_t)sum->n, n_modes = (size_t)structure->n_modes;
    enum masing_status status = solve(sum, index, q);
    if (status != MASING_OK) {
        return status;
    }
    for (size_t k = 0; k < n; k++) {
        modal[k] = 0;
        for (size_t i = 0; i < (size_t)sum->n_in; i++) {
            modal[k] += sum->x[k + i * n] * force[i];
        }
    }
    for (size_t j = n; j < n_modes; j++) {
        for (size_t k = 0; k < n; k++) {
            modal[j] -= I * q * structure->damping_matrix[j + k * n_modes] * modal[k];
        }
    }
    return far_series_apply(&sum->far, structure, index, q, modal + n);
}

double coupled_sum_loss(struct coupled_sum *sum, double omega, const double *force_real,
                        const double *force_imaginary)
{
    double total = 0;
    for (int i = 0; i < sum->n_harmonics; i++) {
        int h = sum->harmonics[i];
        const double *re = force_real + (size_t)i * (size_t)sum->n_in;
        const double *im = force_imaginary + (size_t)i * (size_t)sum->n_in;
        if (h == 0) {
            continue;
        }
        if (modal_coordinates(sum, i, h * omega, re, im) != MASING_OK) {
            return NAN;
        }
        total += PI * h * (dissipation(sum, h * omega) + residual_dissipation(sum, re, im));
    }
    return total;
}
