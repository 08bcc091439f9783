/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance without matrices of its own: mode by mode,
 *   x = out^T (sum_k phi_k q_k + sum_t c_t F_t g),  Z(s) q = Phi^T g,  g = in f,
 * Z being diagonal or, where damping couples the modes, factored for each harmonic; F_t are the
 * matrices that the structure itself has of modes that are not there or of massless DOFs, and
 * are applied to all harmonics at once.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "base/thread_pool.h"
#include "harmonic/compliance/compliance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/symmetric.h"

/* Multiplications from which threads are worth waking. */
enum { WORTH_WAKING = 1 << 18 };
/* Where ports have fewer than this part of the DOFs, F_t is applied row by row. */
enum { FEW_PARTS = 8 };
/* What terms of the series are left out at harmonics where they are less beside the first:
 * always, and where only most of H is asked for. */
static const double LEFT_OUT = 1e-15, LEFT_OUT_NEAR = 1e-3;

/* What is applied: H, most of it, the change of its product with the frequency, or the
 * imaginary part of the series alone. */
enum part { VALUE, NEAR, CHANGE, IMAGINARY };

struct compliance_modal {
    struct thread_pool *pool; /* lent, may be NULL */
    size_t n_columns;         /* real and imaginary part of each harmonic */
    /* [2]: value, change */
    double *force;       /* [2][n_in * n_columns] */
    double *coordinates; /* [2][n_modes * n_columns] */
    double *motion;      /* [2][n_out * n_columns] */
    /* coupled damping: factors of Z at each harmonic but 0, at omega */
    double complex *z, *column; /* [n_harmonics][n_modes * n_modes], [n_modes] */
    int *pivots;                /* [n_harmonics][n_modes] */
    double omega;               /* 0: none yet */
    /* the structure's matrices */
    int n_terms;
    const double *terms;                  /* [n_terms][symmetric_size(n_dofs)] lent */
    int n_parts;                          /* of a product, summed up apart */
    size_t n_rows;                        /* symmetric_rows(n_dofs) */
    float *first;                         /* [symmetric_size(n_dofs)] the first term for what is
                                             near, NULL: it is the double one, and */
    float *single_loads, *single_product; /* [n_rows * n_columns] its loads and product, that
                                             of [n_parts] */
    double *sizes;                        /* [n_terms] of their largest diagonal entries */
    double *coefficients;          /* [n_harmonics][4][n_terms]: re, im and their slopes */
    double *loads, *product, *sum; /* [2][n_rows * n_columns] g, F_t g of [n_parts], and
                                      sum c_t F_t g */
    int n_reached, *reached;       /* DOFs that the outputs touch */
};

static bool is_coupled(const struct compliance *compliance)
{
    return compliance->structure->damping_matrix != NULL;
}

static void find_reached(const struct compliance *compliance, struct compliance_modal *modal)
{
    const struct compliance_ports *out = &compliance->out_ports;
    for (size_t e = 0; e < out->first[compliance->n_out]; e++) {
        modal->reached[out->dofs[e]] = 1;
    }
    for (int d = 0; d < compliance->structure->n_dofs; d++) {
        if (modal->reached[d]) {
            modal->reached[modal->n_reached++] = d;
        }
    }
}

/* Where ports have few of the DOFs, terms are applied row by row. */
static bool is_by_rows(const struct compliance *compliance)
{
    size_t n = (size_t)compliance->structure->n_dofs;
    return FEW_PARTS * (size_t)compliance->modal->n_reached < n;
}

/* The first term once more: half the bytes, and a product in half the time, as exact as the
 * terms that are left out beside it are small. */
static enum masing_status create_first(struct compliance *compliance,
                                       struct compliance_modal *modal,
                                       struct masing_error *error)
{
    struct arena *arena = &compliance->arena;
    size_t one = symmetric_size((size_t)compliance->structure->n_dofs);
    size_t set = modal->n_rows * modal->n_columns, n_parts = (size_t)modal->n_parts;
    modal->first = arena_array(arena, one, sizeof *modal->first);
    modal->single_loads = arena_array(arena, set, sizeof *modal->single_loads);
    modal->single_product = arena_array(arena, n_parts * set, sizeof *modal->single_product);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < one; i++) {
        modal->first[i] = (float)modal->terms[i];
    }
    return MASING_OK;
}

static enum masing_status create_terms(struct compliance *compliance,
                                       struct compliance_modal *modal,
                                       struct masing_error *error)
{
    const struct structure *structure = compliance->structure;
    struct arena *arena = &compliance->arena;
    size_t n = (size_t)structure->n_dofs, one = symmetric_size(n);
    modal->n_rows = symmetric_rows(n);
    modal->n_parts = symmetric_count_parts(n);
    size_t size = 2 * modal->n_rows * modal->n_columns;
    bool has_series = structure->n_far > 0 && !is_coupled(compliance);
    modal->n_terms = has_series ? structure->n_far : 1;
    modal->terms = has_series ? structure->far : structure->flexibility;
    size_t n_terms = (size_t)modal->n_terms;
    modal->sizes = arena_doubles(arena, n_terms);
    modal->coefficients = arena_doubles(arena, 4 * (size_t)compliance->n_harmonics * n_terms);
    modal->loads = arena_doubles(arena, size);
    modal->product = arena_doubles(arena, (size_t)modal->n_parts * size);
    modal->sum = arena_doubles(arena, size);
    modal->reached = arena_array(arena, n, sizeof *modal->reached);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t t = 0; t < n_terms; t++) {
        for (size_t i = 0; i < n; i++) {
            modal->sizes[t] =
                fmax(modal->sizes[t], fabs(modal->terms[t * one + symmetric_place(n, i, i)]));
        }
    }
    find_reached(compliance, modal);
    return n_terms > 1 && !is_by_rows(compliance) ? create_first(compliance, modal, error)
                                                  : MASING_OK;
}

enum masing_status compliance_modal_create(struct compliance *compliance,
                                           const struct compliance_settings *settings,
                                           struct masing_error *error)
{
    struct arena *arena = &compliance->arena;
    size_t n = (size_t)compliance->structure->n_modes;
    size_t n_harmonics = (size_t)compliance->n_harmonics;
    struct compliance_modal *modal = arena_allocate(arena, sizeof *modal);
    NEED_ALLOCATED(modal);
    compliance->modal = modal;
    modal->pool = settings->pool;
    modal->n_columns = 2 * n_harmonics;
    modal->force = arena_doubles(arena, 2 * (size_t)compliance->n_in * modal->n_columns);
    modal->coordinates = arena_doubles(arena, 2 * n * modal->n_columns);
    modal->motion = arena_doubles(arena, 2 * (size_t)compliance->n_out * modal->n_columns);
    if (is_coupled(compliance)) {
        modal->z = arena_array(arena, n_harmonics * n * n, sizeof *modal->z);
        modal->column = arena_array(arena, n, sizeof *modal->column);
        modal->pivots = arena_array(arena, n_harmonics * n, sizeof *modal->pivots);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return compliance->structure->flexibility && !compliance->has_matrices
               ? create_terms(compliance, modal, error)
               : MASING_OK;
}

/* ---- the modes ---- */

/* Z = diag(omega^2 (1 + i eta) - q^2) + i q C of each harmonic but 0, factored */
static enum masing_status factor(const struct compliance *compliance, double omega)
{
    const struct structure *structure = compliance->structure;
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)structure->n_modes;
    if (!is_coupled(compliance) || modal->omega == omega) {
        return MASING_OK;
    }
    modal->omega = 0.0;
    for (size_t k = 0; k < (size_t)compliance->n_harmonics; k++) {
        double q = compliance->harmonics[k] * omega;
        double complex *z = modal->z + k * n * n;
        for (size_t i = 0; i < n * n; i++) {
            z[i] = I * q * structure->damping_matrix[i];
        }
        for (size_t i = 0; i < n; i++) {
            double own = structure->omega[i];
            z[i * (n + 1)] += (own - q) * (own + q) + structure_rest(structure, i) +
                              I * structure->loss_factor * own * own;
        }
        if (compliance->harmonics[k] > 0) {
            NEED(lu_factor_complex((int)n, z, modal->pivots + k * n));
        }
    }
    modal->omega = omega;
    return MASING_OK;
}

/* re, im [n_modes]: forces on the modes at harmonic index k, which become their coordinates */
static enum masing_status solve_modes(const struct compliance *compliance, size_t k,
                                      double omega, double *re, double *im)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)compliance->structure->n_modes;
    double d[2];
    if (is_coupled(compliance) && compliance->harmonics[k] > 0) {
        for (size_t i = 0; i < n; i++) {
            modal->column[i] = re[i] + I * im[i];
        }
        lu_solve_complex((int)n, modal->z + k * n * n, modal->pivots + k * n, modal->column, 1);
        for (size_t i = 0; i < n; i++) {
            re[i] = creal(modal->column[i]);
            im[i] = cimag(modal->column[i]);
        }
        return MASING_OK;
    }
    double q = compliance->harmonics[k] * omega;
    for (size_t i = 0; i < n; i++) {
        if (!compliance_mode(compliance, (int)k, q, i, d)) {
            return MASING_SINGULAR;
        }
        double real = d[0] * re[i] - d[1] * im[i];
        im[i] = d[0] * im[i] + d[1] * re[i];
        re[i] = real;
    }
    return MASING_OK;
}

/* re, im [n_modes] -= d_omega Z' q of harmonic index k, Z' = h (-2 q + i C) */
static void subtract_slope(const struct compliance *compliance, size_t k, double omega,
                           double d_omega, const double *modal_re, const double *modal_im,
                           double *re, double *im)
{
    const struct structure *structure = compliance->structure;
    size_t n = (size_t)structure->n_modes;
    double h = compliance->harmonics[k] * d_omega, q = compliance->harmonics[k] * omega;
    for (size_t i = 0; i < n; i++) {
        re[i] += 2.0 * q * h * modal_re[i];
        im[i] += 2.0 * q * h * modal_im[i];
        if (!is_coupled(compliance)) {
            re[i] += h * structure->modal_damping[i] * modal_im[i];
            im[i] -= h * structure->modal_damping[i] * modal_re[i];
        }
    }
    for (size_t i = 0; is_coupled(compliance) && i < n; i++) {
        const double *column = structure->damping_matrix + i * n;
        re[i] += h * dense_dot((int)n, column, modal_im);
        im[i] -= h * dense_dot((int)n, column, modal_re);
    }
}

/* Port forces [n_harmonics][n_in][2] as columns */
static void take_columns(size_t n_columns, size_t n_ports, const double *values,
                         double *columns)
{
    for (size_t c = 0; c < n_columns; c++) {
        const double *from = values + c / 2 * 2 * n_ports + c % 2;
        for (size_t i = 0; i < n_ports; i++) {
            columns[c * n_ports + i] = from[2 * i];
        }
    }
}

static void put_columns(size_t n_columns, size_t n_ports, const double *columns, double *values)
{
    for (size_t c = 0; c < n_columns; c++) {
        double *to = values + c / 2 * 2 * n_ports + c % 2;
        for (size_t i = 0; i < n_ports; i++) {
            to[2 * i] = columns[c * n_ports + i];
        }
    }
}

/* Modal coordinates under port forces and, unless d_force is NULL, their change */
static enum masing_status respond(struct compliance *compliance, double omega, double d_omega,
                                  const double *force, const double *d_force)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)compliance->structure->n_modes, n_in = (size_t)compliance->n_in;
    size_t n_columns = modal->n_columns, n_sets = d_force ? 2 : 1;
    NEED(factor(compliance, omega));
    take_columns(n_columns, n_in, force, modal->force);
    if (d_force) {
        take_columns(n_columns, n_in, d_force, modal->force + n_columns * n_in);
    }
    dense_multiply((int)n, (int)(n_sets * n_columns), (int)n_in, compliance->in, modal->force,
                   modal->coordinates);
    for (size_t k = 0; k < (size_t)compliance->n_harmonics; k++) {
        double *re = modal->coordinates + 2 * k * n, *im = re + n;
        double *d_re = re + n_columns * n, *d_im = d_re + n;
        NEED(solve_modes(compliance, k, omega, re, im));
        if (d_force) {
            subtract_slope(compliance, k, omega, d_omega, re, im, d_re, d_im);
            NEED(solve_modes(compliance, k, omega, d_re, d_im));
        }
    }
    return MASING_OK;
}

/* ---- the structure's matrices ---- */

static void fill_coefficients(const struct compliance *compliance, double omega)
{
    const struct structure *structure = compliance->structure;
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)modal->n_terms;
    for (int k = 0; k < compliance->n_harmonics; k++) {
        int h = compliance->harmonics[k];
        double *c = modal->coefficients + 4 * (size_t)k * n;
        if (modal->terms == structure->far) {
            compliance_far_terms(structure, h, h * omega, c, c + n, c + 2 * n, c + 3 * n);
        } else {
            double complex own = 1.0 / (1.0 + I * (h > 0 ? structure->loss_factor : 0.0));
            c[0] = creal(own);
            c[1] = cimag(own);
            c[2] = c[3] = 0.0;
        }
    }
}

/* First column of a term that is not negligible: it grows with the harmonic. */
static size_t first_column(const struct compliance_modal *modal, enum part part, size_t t)
{
    double left_out = part == NEAR ? LEFT_OUT_NEAR : LEFT_OUT;
    size_t n = (size_t)modal->n_terms, column = 0;
    for (; column < modal->n_columns; column += 2) {
        const double *c = modal->coefficients + 2 * column * n;
        if (hypot(c[t], c[n + t]) * modal->sizes[t] >
            left_out * hypot(c[0], c[n]) * modal->sizes[0]) {
            break;
        }
    }
    return column;
}

/* columns of DOFs = patterns times columns of ports */
static void spread(const struct compliance *compliance, size_t n_columns, const double *columns,
                   double *loads)
{
    const struct compliance_ports *in = &compliance->in_ports;
    size_t n = compliance->modal->n_rows, n_in = (size_t)compliance->n_in;
    memset(loads, 0, sizeof *loads * n * n_columns);
    for (size_t c = 0; c < n_columns; c++) {
        for (size_t i = 0; i < n_in; i++) {
            for (size_t e = in->first[i]; e < in->first[i + 1]; e++) {
                loads[c * n + (size_t)in->dofs[e]] += in->weights[e] * columns[c * n_in + i];
            }
        }
    }
}

struct multiplication {
    const struct compliance *compliance;
    const double *term;
    size_t first; /* column */
    int n_sets;
};

/* sum += c_t product in the columns from the first one on; and the change of c_t product, whose
 * own change is zero unless there are two sets of it */
static void weigh(const struct compliance *compliance, enum part part, double d_omega, size_t t,
                  const struct multiplication *task)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = modal->n_rows, set = modal->n_columns * n, n_terms = (size_t)modal->n_terms;
    for (size_t c = task->first; c < modal->n_columns; c += 2) {
        const double *coefficient = modal->coefficients + 2 * c * n_terms + t;
        double re = coefficient[0], im = coefficient[n_terms];
        double d_re = d_omega * coefficient[2 * n_terms];
        double d_im = d_omega * coefficient[3 * n_terms];
        const double *from = modal->product + c * n, *d_from = from + set;
        double *to = modal->sum + c * n, *d_to = to + set;
        if (part == IMAGINARY) {
            re = im;
            im = 0.0;
        }
        for (size_t i = 0; i < n; i++) {
            to[i] += re * from[i] - im * from[n + i];
            to[n + i] += re * from[n + i] + im * from[i];
        }
        for (size_t i = 0; part == CHANGE && i < n; i++) {
            d_to[i] += d_re * from[i] - d_im * from[n + i];
            d_to[n + i] += d_re * from[n + i] + d_im * from[i];
        }
        for (size_t i = 0; task->n_sets == 2 && i < n; i++) {
            d_to[i] += re * d_from[i] - im * d_from[n + i];
            d_to[n + i] += re * d_from[n + i] + im * d_from[i];
        }
    }
}

/* product += F_t loads of one part, in a place of its own */
static void add_part(void *context, int part, int worker)
{
    const struct multiplication *task = context;
    struct compliance_modal *modal = task->compliance->modal;
    size_t n = modal->n_rows, set = modal->n_columns * n;
    int n_columns = (int)(modal->n_columns - task->first);
    (void)worker;
    for (size_t s = 0; s < (size_t)task->n_sets; s++) {
        size_t at = s * set + task->first * n;
        symmetric_add_part((size_t)task->compliance->structure->n_dofs, task->term, part,
                           n_columns, modal->loads + at,
                           modal->product + 2 * (size_t)part * set + at);
    }
}

/* The same of the first term in single precision */
static void add_part_single(void *context, int part, int worker)
{
    const struct multiplication *task = context;
    const struct compliance_modal *modal = task->compliance->modal;
    size_t set = modal->n_columns * modal->n_rows;
    (void)worker;
    symmetric_add_part_single((size_t)task->compliance->structure->n_dofs, modal->first, part,
                              (int)modal->n_columns, modal->single_loads,
                              modal->single_product + (size_t)part * set);
}

/* The same of one row that is asked for */
static void add_row(void *context, int row, int worker)
{
    const struct multiplication *task = context;
    struct compliance_modal *modal = task->compliance->modal;
    size_t n = modal->n_rows, dof = (size_t)modal->reached[row];
    (void)worker;
    for (size_t s = 0; s < (size_t)task->n_sets; s++) {
        for (size_t c = task->first; c < modal->n_columns; c++) {
            size_t at = (s * modal->n_columns + c) * n;
            modal->product[at + dof] =
                symmetric_dot((size_t)task->compliance->structure->n_dofs, task->term, dof,
                              modal->loads + at);
        }
    }
}

/* The parts of the product, in their order */
static void join_parts(struct compliance_modal *modal, int n_sets)
{
    size_t set = modal->n_rows * modal->n_columns, count = (size_t)n_sets * set;
    for (size_t part = 1; part < (size_t)modal->n_parts; part++) {
        const double *from = modal->product + 2 * part * set;
        for (size_t i = 0; i < count; i++) {
            modal->product[i] += from[i];
        }
    }
}

static void join_parts_single(struct compliance_modal *modal)
{
    size_t set = modal->n_rows * modal->n_columns;
    for (size_t i = 0; i < set; i++) {
        float sum = modal->single_product[i];
        for (size_t part = 1; part < (size_t)modal->n_parts; part++) {
            sum += modal->single_product[part * set + i];
        }
        modal->product[i] = (double)sum;
    }
}

/* product = F_t loads */
static void multiply_term(struct multiplication *task, bool is_of_rows)
{
    struct compliance_modal *modal = task->compliance->modal;
    size_t n = (size_t)task->compliance->structure->n_dofs;
    size_t set = modal->n_rows * modal->n_columns;
    double cost = (double)n * (double)n * (double)(modal->n_columns - task->first);
    struct thread_pool *pool = cost > WORTH_WAKING ? modal->pool : NULL;
    for (size_t p = 0; p < (is_of_rows ? 1 : (size_t)modal->n_parts); p++) {
        memset(modal->product + 2 * p * set, 0,
               sizeof *modal->product * (size_t)task->n_sets * set);
    }
    thread_pool_share(pool, is_of_rows ? modal->n_reached : modal->n_parts, 1,
                      is_of_rows ? add_row : add_part, task);
    if (!is_of_rows) {
        join_parts(modal, task->n_sets);
    }
}

static void multiply_first(struct multiplication *task)
{
    struct compliance_modal *modal = task->compliance->modal;
    size_t set = modal->n_rows * modal->n_columns;
    double cost = (double)modal->n_rows * (double)set;
    for (size_t i = 0; i < set; i++) {
        modal->single_loads[i] = (float)modal->loads[i];
    }
    memset(modal->single_product, 0,
           sizeof *modal->single_product * (size_t)modal->n_parts * set);
    thread_pool_share(cost > WORTH_WAKING ? modal->pool : NULL, modal->n_parts, 1,
                      add_part_single, task);
    join_parts_single(modal);
}

/* Whether the loads change as well, as those of most joints do not with the frequency. */
static bool has_change(const struct compliance_modal *modal, enum part part)
{
    size_t set = modal->n_rows * modal->n_columns;
    return part == CHANGE && !dense_is_zero(set, modal->loads + set);
}

/* sum = sum_t c_t F_t loads, at the DOFs of the outputs at least; of the imaginary part
 * everywhere */
static void multiply_terms(const struct compliance *compliance, enum part part, double d_omega)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)compliance->structure->n_dofs, set = modal->n_rows * modal->n_columns;
    bool is_of_rows = part != IMAGINARY && is_by_rows(compliance);
    struct multiplication task = {.compliance = compliance,
                                  .n_sets = has_change(modal, part) ? 2 : 1};
    memset(modal->sum, 0, sizeof *modal->sum * (part == CHANGE ? 2 : 1) * set);
    for (size_t t = 0; t < (size_t)modal->n_terms; t++) {
        task.term = modal->terms + t * symmetric_size(n);
        task.first = first_column(modal, part, t);
        if (task.first < modal->n_columns && t == 0 && part == NEAR && modal->first) {
            multiply_first(&task);
            weigh(compliance, part, d_omega, t, &task);
        } else if (task.first < modal->n_columns) {
            multiply_term(&task, is_of_rows);
            weigh(compliance, part, d_omega, t, &task);
        }
    }
}

/* columns of outputs += patterns^T sum */
static void gather(const struct compliance *compliance, size_t n_columns, const double *sum,
                   double *columns)
{
    const struct compliance_ports *out = &compliance->out_ports;
    size_t n = compliance->modal->n_rows, n_out = (size_t)compliance->n_out;
    for (size_t c = 0; c < n_columns; c++) {
        for (size_t o = 0; o < n_out; o++) {
            for (size_t e = out->first[o]; e < out->first[o + 1]; e++) {
                columns[c * n_out + o] += out->weights[e] * sum[c * n + (size_t)out->dofs[e]];
            }
        }
    }
}

/* ---- what is asked for ---- */

/* Motion of the outputs by modal coordinates and forces at hand */
static void move(const struct compliance *compliance, enum part part, double omega,
                 double d_omega)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n_columns = (part == CHANGE ? 2 : 1) * modal->n_columns;
    dense_multiply_transposed(compliance->n_out, (int)n_columns, compliance->structure->n_modes,
                              compliance->out, modal->coordinates, modal->motion);
    if (modal->n_terms > 0) {
        fill_coefficients(compliance, omega);
        spread(compliance, n_columns, modal->force, modal->loads);
        multiply_terms(compliance, part, d_omega);
        gather(compliance, n_columns, modal->sum, modal->motion);
    }
}

enum masing_status compliance_modal_apply(struct compliance *compliance, double omega,
                                          double d_omega, const double *force,
                                          const double *d_force, double *motion,
                                          double *d_motion)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n_columns = modal->n_columns, n_out = (size_t)compliance->n_out;
    NEED(respond(compliance, omega, d_omega, force, d_force));
    move(compliance, d_force ? CHANGE : VALUE, omega, d_omega);
    if (motion) {
        put_columns(n_columns, n_out, modal->motion, motion);
    }
    if (d_force) {
        put_columns(n_columns, n_out, modal->motion + n_columns * n_out, d_motion);
    }
    return MASING_OK;
}

bool compliance_modal_has_near(const struct compliance *compliance)
{
    return compliance->modal && compliance->modal->n_terms > 1;
}

enum masing_status compliance_modal_apply_near(struct compliance *compliance, double omega,
                                               const double *force, double *motion)
{
    NEED(respond(compliance, omega, 0.0, force, NULL));
    move(compliance, NEAR, omega, 0.0);
    put_columns(compliance->modal->n_columns, (size_t)compliance->n_out,
                compliance->modal->motion, motion);
    return MASING_OK;
}

/* An entry of the structure's matrix between two ports */
static double between(const struct compliance *compliance, const double *term, size_t in,
                      size_t out)
{
    const struct compliance_ports *a = &compliance->in_ports, *b = &compliance->out_ports;
    size_t n = (size_t)compliance->structure->n_dofs;
    double total = 0.0;
    for (size_t e = a->first[in]; e < a->first[in + 1]; e++) {
        double sum = 0.0;
        for (size_t f = b->first[out]; f < b->first[out + 1]; f++) {
            size_t place = symmetric_place(n, (size_t)a->dofs[e], (size_t)b->dofs[f]);
            sum += b->weights[f] * term[place];
        }
        total += a->weights[e] * sum;
    }
    return total;
}

enum masing_status compliance_modal_entry(struct compliance *compliance, double omega,
                                          int index, int in, int out, double value[2])
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = (size_t)compliance->structure->n_modes, k = (size_t)index;
    size_t n_dofs = (size_t)compliance->structure->n_dofs, n_terms = (size_t)modal->n_terms;
    double *re = modal->coordinates, *im = re + n;
    const double *to = compliance->out + (size_t)out * n;
    memcpy(re, compliance->in + (size_t)in * n, sizeof *re * n);
    memset(im, 0, sizeof *im * n);
    NEED(factor(compliance, omega));
    NEED(solve_modes(compliance, k, omega, re, im));
    value[0] = dense_dot((int)n, to, re);
    value[1] = dense_dot((int)n, to, im);
    if (n_terms > 0) {
        fill_coefficients(compliance, omega);
    }
    for (size_t t = 0; t < n_terms; t++) {
        const double *c = modal->coefficients + 4 * k * n_terms + t;
        double sum = between(compliance, modal->terms + t * symmetric_size(n_dofs), (size_t)in,
                             (size_t)out);
        value[0] += c[0] * sum;
        value[1] += c[n_terms] * sum;
    }
    return MASING_OK;
}

/* Q^H (q C + eta diag(omega^2)) Q */
static double loss_of_modes(const struct compliance *compliance, size_t k, double q)
{
    const struct structure *structure = compliance->structure;
    size_t n = (size_t)structure->n_modes;
    const double *re = compliance->modal->coordinates + 2 * k * n, *im = re + n;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double own = structure->omega[i], stiff = structure->loss_factor * own * own;
        double damping = is_coupled(compliance) ? 0.0 : q * structure->modal_damping[i];
        sum += (damping + stiff) * (re[i] * re[i] + im[i] * im[i]);
    }
    for (size_t i = 0; is_coupled(compliance) && i < n; i++) {
        const double *column = structure->damping_matrix + i * n;
        sum +=
            q * (re[i] * dense_dot((int)n, column, re) + im[i] * dense_dot((int)n, column, im));
    }
    return sum;
}

double compliance_modal_loss(struct compliance *compliance, double omega, const double *force)
{
    struct compliance_modal *modal = compliance->modal;
    size_t n = modal->n_rows;
    double total = 0.0;
    if (respond(compliance, omega, 0.0, force, NULL) != MASING_OK) {
        return NAN;
    }
    if (modal->n_terms > 0) {
        fill_coefficients(compliance, omega);
        spread(compliance, modal->n_columns, modal->force, modal->loads);
        multiply_terms(compliance, IMAGINARY, 0.0);
    }
    for (size_t k = 0; k < (size_t)compliance->n_harmonics; k++) {
        int h = compliance->harmonics[k];
        double loss = loss_of_modes(compliance, k, h * omega);
        if (modal->n_terms > 0) {
            loss -= dense_dot((int)(2 * n), modal->loads + 2 * k * n, modal->sum + 2 * k * n);
        }
        total += h > 0 ? PI * h * loss : 0.0;
    }
    return total;
}
