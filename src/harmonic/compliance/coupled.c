/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping couples the modes: Z(s) q = in f, x = out^T q with
 *   Z(s) = diag(omega^2 (1 + i eta)) + s C + s^2.
 *
 * Near modes n are solved for at every frequency. Far ones f are eliminated exactly: their
 * inverse is a power series in s whose terms, between ports and near modes, are summed once.
 *   Z_ff^-1 = sum_j A_j s^j,  A_0 = Omega_f^-2,  A_j = -Omega_f^-2 (C_ff A_(j-1) + A_(j-2))
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "harmonic/compliance/far_series.h"
#include "harmonic/compliance/modal_ports.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

struct coupled {
    struct compliance base;
    struct modal_ports ports;
    struct far_series far;
    int n, n_in, n_out;      /* n near modes */
    double *in, *out;        /* [n * n_in], [n * n_out] of the near modes */
    double *static_sum;      /* [n_in][n_out] harmonic 0, all modes but excluded ones */
    double *far_parts;       /* [4][far.n_left * far.n_right], see far_series_evaluate */
    double complex *z, *dz;  /* [n * n] */
    double complex *x, *dx;  /* [n * (n_in + n_out)] right-hand sides, then solutions */
    double complex *sides;   /* [n * (n_in + n_out)] the right-hand sides themselves */
    double complex *product; /* [n * n_in] */
    double *load;            /* [2][far.n_right] */
    double complex *modal;   /* [n] */
    int *pivots;             /* [n] */
};

static struct coupled *coupled_of(struct compliance *compliance)
{
    return (struct coupled *)compliance;
}

/* Harmonic 0, the first of the list where it is one */
static void fill_static(struct coupled *coupled)
{
    const struct modal_ports *ports = &coupled->ports;
    size_t n = (size_t)ports->structure->n_modes, n_out = (size_t)coupled->n_out;
    for (size_t k = 0; coupled->base.harmonics[0] == 0 && k < n; k++) {
        double square = ports->structure->omega[k] * ports->structure->omega[k];
        if (ports->is_excluded[k]) {
            continue;
        }
        for (size_t i = 0; i < (size_t)coupled->n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                coupled->static_sum[i * n_out + o] +=
                    ports->in[k + i * n] * ports->out[k + o * n] / square;
            }
        }
    }
    for (size_t p = 0; ports->residual && p < (size_t)coupled->n_in * n_out; p++) {
        coupled->static_sum[p] += ports->residual[p];
    }
}

static enum masing_status allocate(struct coupled *coupled, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->n_in, n_out = (size_t)coupled->n_out;
    size_t far = (size_t)coupled->far.n_left * (size_t)coupled->far.n_right,
           z = sizeof(double complex);
    TRY_ALLOCATED(coupled->in = memory_array(n * n_in, sizeof(double)));
    TRY_ALLOCATED(coupled->out = memory_array(n * n_out, sizeof(double)));
    TRY_ALLOCATED(coupled->static_sum = memory_array(n_in * n_out, sizeof(double)));
    TRY_ALLOCATED(coupled->far_parts = memory_array(4 * far, sizeof(double)));
    TRY_ALLOCATED(coupled->z = memory_array(n * n, z));
    TRY_ALLOCATED(coupled->dz = memory_array(n * n, z));
    TRY_ALLOCATED(coupled->x = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(coupled->dx = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(coupled->sides = memory_array(n * (n_in + n_out), z));
    TRY_ALLOCATED(coupled->product = memory_array(n * n_in, z));
    TRY_ALLOCATED(coupled->load = memory_array(2 * (n + n_in), sizeof(double)));
    TRY_ALLOCATED(coupled->modal = memory_array(n, z));
    TRY_ALLOCATED(coupled->pivots = memory_array(n, sizeof(int)));
done:
    return status;
}

/* Rows of the near modes */
static void take_near(const struct coupled *coupled, int n_ports, const double *ports,
                      double *near)
{
    for (size_t j = 0; j < (size_t)n_ports; j++) {
        memcpy(near + j * (size_t)coupled->n,
               ports + j * (size_t)coupled->ports.structure->n_modes,
               (size_t)coupled->n * sizeof *near);
    }
}

static enum masing_status create(struct compliance *compliance,
                                 const struct structure *structure,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct coupled *coupled = coupled_of(compliance);
    compliance->has_matrices = true;
    coupled->n_in = settings->n_in;
    coupled->n_out = settings->n_out;
    TRY(modal_ports_create(&coupled->ports, structure, settings, error));
    TRY(far_series_create(structure, settings, coupled->ports.in, coupled->ports.out,
                          &coupled->far, error));
    coupled->n = coupled->far.n_near;
    TRY(allocate(coupled, error));
    take_near(coupled, coupled->n_in, coupled->ports.in, coupled->in);
    take_near(coupled, coupled->n_out, coupled->ports.out, coupled->out);
    fill_static(coupled);
done:
    return status;
}

static void clear(struct compliance *compliance)
{
    struct coupled *coupled = coupled_of(compliance);
    far_series_clear(&coupled->far);
    modal_ports_clear(&coupled->ports);
    void *owned[] = {coupled->in,    coupled->out,     coupled->static_sum, coupled->far_parts,
                     coupled->z,     coupled->dz,      coupled->x,          coupled->dx,
                     coupled->sides, coupled->product, coupled->load,       coupled->modal,
                     coupled->pivots};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
}

/* Entry of the far modes' response (part 0) or of its derivative by q (part 2) */
static double complex far_entry(const struct coupled *coupled, int part, int row, int column)
{
    if (coupled->far.n_terms == 0) {
        return 0;
    }
    size_t n_left = (size_t)coupled->far.n_left, size = n_left * (size_t)coupled->far.n_right;
    const double *entry =
        coupled->far_parts + (size_t)part * size + (size_t)row + (size_t)column * n_left;
    return entry[0] + I * entry[size];
}

/* Z = diag(omega^2 (1 + i eta) - q^2) + i q C + q^2 F_nn and its derivative by q */
static void assemble_matrix(struct coupled *coupled, double q)
{
    const struct structure *structure = coupled->ports.structure;
    size_t n = (size_t)coupled->n, n_modes = (size_t)structure->n_modes;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double c = structure->damping_matrix[i + j * n_modes];
            double complex f =
                far_entry(coupled, 0, coupled->n_out + (int)i, coupled->n_in + (int)j);
            double complex df =
                far_entry(coupled, 2, coupled->n_out + (int)i, coupled->n_in + (int)j);
            coupled->z[i + j * n] = I * q * c + q * q * f;
            coupled->dz[i + j * n] = I * c + 2 * q * f + q * q * df;
        }
        double omega = structure->omega[j];
        coupled->z[j + j * n] +=
            (omega - q) * (omega + q) + I * structure->loss_factor * omega * omega;
        coupled->dz[j + j * n] -= 2 * q;
    }
}

/* [in - s F_ni | out - s F_on^T] and its derivative by q */
static void assemble_sides(struct coupled *coupled, double q)
{
    size_t n = (size_t)coupled->n;
    for (int j = 0; j < coupled->n_in + coupled->n_out; j++) {
        bool is_in = j < coupled->n_in;
        for (size_t i = 0; i < n; i++) {
            int row = is_in ? coupled->n_out + (int)i : j - coupled->n_in;
            int column = is_in ? j : coupled->n_in + (int)i;
            double own = is_in ? coupled->in[i + (size_t)j * n]
                               : coupled->out[i + (size_t)(j - coupled->n_in) * n];
            double complex f = far_entry(coupled, 0, row, column);
            double complex df = far_entry(coupled, 2, row, column);
            coupled->sides[i + (size_t)j * n] = own - I * q * f;
            coupled->dx[i + (size_t)j * n] = -I * (f + q * df);
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
static enum masing_status solve(struct coupled *coupled, int index, double q)
{
    size_t count = (size_t)coupled->n * (size_t)(coupled->n_in + coupled->n_out);
    if (coupled->far.n_terms > 0) {
        far_series_evaluate(&coupled->far, index, q, coupled->far_parts);
    }
    assemble_matrix(coupled, q);
    assemble_sides(coupled, q);
    memcpy(coupled->x, coupled->sides, count * sizeof *coupled->x);
    enum masing_status status = lu_factor_complex(coupled->n, coupled->z, coupled->pivots);
    if (status == MASING_OK) {
        lu_solve_complex(coupled->n, coupled->z, coupled->pivots, coupled->x,
                         coupled->n_in + coupled->n_out);
    }
    return status;
}

/* Massless DOFs: R / (1 + i eta) */
static double complex residual(const struct coupled *coupled, size_t entry)
{
    return coupled->ports.residual ? coupled->ports.residual[entry] /
                                         (1 + I * coupled->ports.structure->loss_factor)
                                   : 0;
}

/* H = F_oi + O^T X;  H' = F_oi' + O'^T X + Y^T (G' - Z' X) */
static void write_harmonic(struct coupled *coupled, int h, double *real, double *imaginary,
                           double *d_real, double *d_imaginary)
{
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->n_in, n_out = (size_t)coupled->n_out;
    for (size_t i = 0; i < n_in; i++) {
        const double complex *x = coupled->x + i * n;
        double complex *rest = coupled->product + i * n;
        for (size_t k = 0; k < n && d_real; k++) {
            /* Z' is symmetric: its column is its row */
            rest[k] = coupled->dx[k + i * n] - dot(n, coupled->dz + k * n, x);
        }
        for (size_t o = 0; o < n_out; o++) {
            size_t entry = i * n_out + o, side = (n_in + o) * n;
            double complex value = far_entry(coupled, 0, (int)o, (int)i) +
                                   dot(n, coupled->sides + side, x) + residual(coupled, entry);
            real[entry] = creal(value);
            imaginary[entry] = cimag(value);
            if (d_real) {
                double complex slope = far_entry(coupled, 2, (int)o, (int)i) +
                                       dot(n, coupled->dx + side, x) +
                                       dot(n, coupled->x + side, rest);
                d_real[entry] = h * creal(slope);
                d_imaginary[entry] = h * cimag(slope);
            }
        }
    }
}

static void write_static(const struct coupled *coupled, double *real, double *imaginary,
                         double *d_real, double *d_imaginary)
{
    size_t size = (size_t)coupled->n_in * (size_t)coupled->n_out;
    memcpy(real, coupled->static_sum, size * sizeof *real);
    memset(imaginary, 0, size * sizeof *imaginary);
    if (d_real) {
        memset(d_real, 0, size * sizeof *d_real);
        memset(d_imaginary, 0, size * sizeof *d_imaginary);
    }
}

static enum masing_status evaluate(struct compliance *compliance, double omega,
                                   bool with_slopes)
{
    struct coupled *coupled = coupled_of(compliance);
    size_t size = (size_t)coupled->n_in * (size_t)coupled->n_out;
    for (int i = 0; i < compliance->n_harmonics; i++) {
        size_t at = (size_t)i * size;
        double *re = compliance->real + at, *im = compliance->imaginary + at;
        double *dr = with_slopes ? compliance->d_real + at : NULL;
        double *di = with_slopes ? compliance->d_imaginary + at : NULL;
        if (compliance->harmonics[i] == 0) {
            write_static(coupled, re, im, dr, di);
            continue;
        }
        enum masing_status status = solve(coupled, i, compliance->harmonics[i] * omega);
        if (status != MASING_OK) {
            return status;
        }
        write_harmonic(coupled, compliance->harmonics[i], re, im, dr, di);
    }
    return MASING_OK;
}

/* Coordinates Q_n of the near modes under the port forces of one harmonic, into coupled->modal,
 * and what then acts on the far ones: load = [f, -s Q_n] */
static enum masing_status modal_coordinates(struct coupled *coupled, int index, double q,
                                            const double *re, const double *im)
{
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->n_in, n_right = n_in + n;
    enum masing_status status = solve(coupled, index, q);
    if (status != MASING_OK) {
        return status;
    }
    memset(coupled->modal, 0, n * sizeof *coupled->modal);
    for (size_t i = 0; i < n_in; i++) {
        coupled->load[i] = re[i];
        coupled->load[n_right + i] = im[i];
        for (size_t k = 0; k < n; k++) {
            coupled->modal[k] += coupled->x[k + i * n] * (re[i] + I * im[i]);
        }
    }
    for (size_t k = 0; k < n; k++) {
        coupled->load[n_in + k] = q * cimag(coupled->modal[k]);
        coupled->load[n_right + n_in + k] = -q * creal(coupled->modal[k]);
    }
    return status;
}

/* Q_n^H C_nn Q_n + 2 Re Q_n^H C_nf Q_f; C_nf Q_f is the far modes' response to the load */
static double near_dissipation(const struct coupled *coupled)
{
    size_t n = (size_t)coupled->n, n_modes = (size_t)coupled->ports.structure->n_modes;
    size_t n_right = n + (size_t)coupled->n_in;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        double complex own = 0, other = 0;
        for (size_t k = 0; k < n; k++) {
            own +=
                coupled->ports.structure->damping_matrix[i + k * n_modes] * coupled->modal[k];
        }
        for (size_t k = 0; coupled->far.n_terms > 0 && k < n_right; k++) {
            other += far_entry(coupled, 0, coupled->n_out + (int)i, (int)k) *
                     (coupled->load[k] + I * coupled->load[n_right + k]);
        }
        total += creal(conj(coupled->modal[i]) * (own + 2 * other));
    }
    return total;
}

/* q Q^H C Q + eta sum omega^2 |Q|^2 */
static double dissipation(const struct coupled *coupled, double q)
{
    const struct structure *structure = coupled->ports.structure;
    size_t n_right = (size_t)coupled->n + (size_t)coupled->n_in;
    double total = q * near_dissipation(coupled);
    if (coupled->far.n_terms > 0) {
        total += q * far_series_loss(&coupled->far, q, coupled->load, coupled->load + n_right);
    }
    for (size_t k = 0; structure->loss_factor != 0 && k < (size_t)coupled->n; k++) {
        total += structure->loss_factor * structure->omega[k] * structure->omega[k] *
                 creal(conj(coupled->modal[k]) * coupled->modal[k]);
    }
    return total;
}

/* eta / (1 + eta^2) f^H R f */
static double residual_dissipation(const struct coupled *coupled, const double *re,
                                   const double *im)
{
    double eta = coupled->ports.structure->loss_factor, total = 0;
    size_t n = (size_t)coupled->n_in;
    for (size_t i = 0; coupled->ports.residual_in && eta != 0 && i < n; i++) {
        const double *row = coupled->ports.residual_in + i * n;
        total += re[i] * dense_dot((int)n, row, re) + im[i] * dense_dot((int)n, row, im);
    }
    return eta / (1 + eta * eta) * total;
}

static double loss(struct compliance *compliance, double omega, const double *force_real,
                   const double *force_imaginary)
{
    struct coupled *coupled = coupled_of(compliance);
    double total = 0;
    for (int i = 0; i < coupled->base.n_harmonics; i++) {
        int h = coupled->base.harmonics[i];
        const double *re = force_real + (size_t)i * (size_t)coupled->n_in;
        const double *im = force_imaginary + (size_t)i * (size_t)coupled->n_in;
        if (h == 0) {
            continue;
        }
        if (modal_coordinates(coupled, i, h * omega, re, im) != MASING_OK) {
            return NAN;
        }
        total +=
            PI * h * (dissipation(coupled, h * omega) + residual_dissipation(coupled, re, im));
    }
    return total;
}

/* Coordinates of all modes at one harmonic above 0 under port forces [n_in]; modal [n_modes]
 * holds the modal forces in^T force and is overwritten. Allocates. */
static enum masing_status respond(struct coupled *coupled, int index, double q,
                                  const double complex *force, double complex *modal)
{
    const struct structure *structure = coupled->ports.structure;
    size_t n = (size_t)coupled->n, n_modes = (size_t)structure->n_modes;
    enum masing_status status = solve(coupled, index, q);
    if (status != MASING_OK) {
        return status;
    }
    for (size_t k = 0; k < n; k++) {
        modal[k] = 0;
        for (size_t i = 0; i < (size_t)coupled->n_in; i++) {
            modal[k] += coupled->x[k + i * n] * force[i];
        }
    }
    for (size_t j = n; j < n_modes; j++) {
        for (size_t k = 0; k < n; k++) {
            modal[j] -= I * q * structure->damping_matrix[j + k * n_modes] * modal[k];
        }
    }
    return far_series_apply(&coupled->far, structure, index, q, modal + n);
}

/* Statically each mode stands alone. */
static enum masing_status respond_statically(const struct coupled *coupled, int index,
                                             double complex *modal)
{
    double d[2];
    for (size_t k = 0; k < (size_t)coupled->ports.structure->n_modes; k++) {
        if (!modal_ports_mode(&coupled->ports, index, 0, 0, k, d)) {
            return MASING_SINGULAR;
        }
        modal[k] *= d[0] + I * d[1];
    }
    return MASING_OK;
}

static enum masing_status recover(struct compliance *compliance, double omega, int index,
                                  const double complex *force, double *real, double *imaginary)
{
    struct coupled *coupled = coupled_of(compliance);
    struct modal_ports *ports = &coupled->ports;
    int h = compliance->harmonics[index];
    modal_ports_forces(ports, force, ports->modal);
    enum masing_status status = h > 0 ? respond(coupled, index, h * omega, force, ports->modal)
                                      : respond_statically(coupled, index, ports->modal);
    modal_ports_displace(ports, h > 0 ? ports->structure->loss_factor : 0, force, ports->modal,
                         real, imaginary);
    return status;
}

const struct compliance_kind compliance_coupled = {
    .size = sizeof(struct coupled),
    .create = create,
    .clear = clear,
    .evaluate = evaluate,
    .loss = loss,
    .recover = recover,
};
