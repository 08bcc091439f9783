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
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "harmonic/compliance/compliance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

/*
 * Response of the far modes, coupled by damping, as a power series: x = q / top,
 *   left^T Z_ff^-1(i q) right = sum_j (i x)^j left^T X_j,  X_j = top^j A_j right,
 * with right = [in_f | C_fn] and left = [out_f | C_fn].
 */
struct far_series {
    int n_near, n_far, n_left, n_right, n_terms; /* n_left = n_out + n_near, n_right likewise */
    double top;
    int *needed;   /* [n_harmonics] terms that are not negligible at each harmonic */
    double *outer; /* [n_terms][n_left * n_right] left^T X_j, column-major, with i^j's sign */
    double *loss;  /* [n_terms][n_in * n_in] the same with in_f, from in_f */
};

/* Modes up to this times the highest frequency are near, or more of them, by this factor. */
static const double FIRST_CUTOFF = 2, CUTOFF_GROWTH = 1.5;

/* What creation needs beside the series itself */
struct expansion {
    const struct structure *structure;
    struct far_series *series;
    double *damping;                     /* C_ff [n_far * n_far] */
    double *side;                        /* right or left [n_far * max(n_right, n_left)] */
    double *inner;                       /* [COMPLIANCE_SERIES_ROOM][n_far * n_right] X_j */
    double size[COMPLIANCE_SERIES_ROOM]; /* of each term beside the first one, largest over the
                                       columns */
};

/* to [n * n_columns] = rows first, first + 1, ... of from [n_modes * n_columns] */
static void take_rows(const struct structure *structure, int first, int n, int n_columns,
                      const double *from, double *to)
{
    for (size_t j = 0; j < (size_t)n_columns; j++) {
        memcpy(to + j * (size_t)n, from + j * (size_t)structure->n_modes + first,
               (size_t)n * sizeof *to);
    }
}

/* Frequency of a far mode, squared */
static double far_square(const struct expansion *expansion, size_t i)
{
    double omega = expansion->structure->omega[(size_t)expansion->series->n_near + i];
    return omega * omega;
}

static size_t term_size(const struct far_series *series)
{
    return (size_t)series->n_far * (size_t)series->n_right;
}

static void first_term(struct expansion *expansion)
{
    size_t n_far = (size_t)expansion->series->n_far;
    for (size_t p = 0; p < term_size(expansion->series); p++) {
        expansion->inner[p] = expansion->side[p] / far_square(expansion, p % n_far);
    }
    expansion->size[0] = 1;
}

/* X_j = -Omega^-2 (top C_ff X_(j-1) + top^2 X_(j-2)) */
static void next_term(struct expansion *expansion, int j)
{
    const struct far_series *series = expansion->series;
    size_t n_far = (size_t)series->n_far, size = term_size(series);
    double *term = expansion->inner + (size_t)j * size, top = series->top;
    const double *before = j > 1 ? term - 2 * size : NULL;
    dense_multiply(series->n_far, series->n_right, series->n_far, expansion->damping,
                   term - size, term);
    for (size_t p = 0; p < size; p++) {
        double sum = top * term[p] + top * top * (before ? before[p] : 0);
        term[p] = -sum / far_square(expansion, p % n_far);
    }
}

/* Size of a term beside the first one, as a force on the modes, in the worst column */
static double relative_size(const struct expansion *expansion, const double *term)
{
    size_t n_far = (size_t)expansion->series->n_far;
    double worst = 0;
    for (size_t j = 0; j < (size_t)expansion->series->n_right; j++) {
        double largest = 0, first = 0;
        for (size_t i = 0; i < n_far; i++) {
            double square = far_square(expansion, i);
            largest = fmax(largest, fabs(term[i + j * n_far]) * square);
            first = fmax(first, fabs(expansion->inner[i + j * n_far]) * square);
        }
        worst = largest > 0 ? fmax(worst, largest / first) : worst;
    }
    return worst;
}

/* Fills inner; n_terms is 0 where the series does not converge in time. */
static void expand(struct expansion *expansion)
{
    int n_small = 0;
    expansion->series->n_terms = 0;
    first_term(expansion);
    for (int j = 1; j < COMPLIANCE_SERIES_ROOM; j++) {
        next_term(expansion, j);
        expansion->size[j] = relative_size(
            expansion, expansion->inner + (size_t)j * term_size(expansion->series));
        n_small = expansion->size[j] <= COMPLIANCE_NEGLIGIBLE ? n_small + 1 : 0;
        if (n_small == COMPLIANCE_SERIES_TAIL) {
            expansion->series->n_terms = j + 1 - COMPLIANCE_SERIES_TAIL;
            return;
        }
    }
}

/* side = ports beside C_fn */
static void take_side(struct expansion *expansion, int n_ports, const double *ports)
{
    const struct far_series *series = expansion->series;
    const struct structure *structure = expansion->structure;
    take_rows(structure, series->n_near, series->n_far, n_ports, ports, expansion->side);
    take_rows(structure, series->n_near, series->n_far, series->n_near,
              structure->damping_matrix,
              expansion->side + (size_t)n_ports * (size_t)series->n_far);
}

static void set_sizes(const struct structure *structure,
                      const struct compliance_settings *settings, int n_near,
                      struct far_series *series)
{
    series->n_near = n_near;
    series->n_far = structure->n_modes - n_near;
    series->n_left = settings->n_out + n_near;
    series->n_right = settings->n_in + n_near;
}

/* products [n_terms][n_rows * n_columns] of the first columns of side and of the terms, with
 * i^j's sign */
static void fill_products(const struct expansion *expansion, int n_rows, int n_columns,
                          double *products)
{
    const struct far_series *series = expansion->series;
    size_t size = (size_t)n_rows * (size_t)n_columns;
    for (int j = 0; j < series->n_terms; j++) {
        double *product = products + (size_t)j * size;
        dense_multiply_transposed(n_rows, n_columns, series->n_far, expansion->side,
                                  expansion->inner + (size_t)j * term_size(series), product);
        for (size_t p = 0; p < size; p++) {
            product[p] *= compliance_sign_of_power(j);
        }
    }
}

static void fill_needed(const struct compliance_settings *settings, struct expansion *expansion)
{
    struct far_series *series = expansion->series;
    double highest = fmax(settings->harmonics[settings->n_harmonics - 1], 1.0);
    for (int i = 0; i < settings->n_harmonics; i++) {
        double x = settings->harmonics[i] / highest;
        int n = series->n_terms;
        while (n > 1 && expansion->size[n - 1] * pow(x, n - 1) < COMPLIANCE_NEGLIGIBLE) {
            n--;
        }
        series->needed[i] = n;
    }
}

/* One choice of near modes; n_terms stays 0 where the series does not converge. */
static enum masing_status attempt(const struct compliance *ports,
                                  const struct compliance_settings *settings,
                                  struct arena *arena, struct far_series *series,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = ports->structure;
    struct arena scratch = {0};
    size_t n_far = (size_t)series->n_far, n_left = (size_t)series->n_left;
    size_t n_right = (size_t)series->n_right, room = COMPLIANCE_SERIES_ROOM * term_size(series);
    struct expansion expansion = {
        .structure = structure,
        .series = series,
        .damping = arena_doubles(&scratch, n_far * n_far),
        .side = arena_doubles(&scratch, n_far * (n_left > n_right ? n_left : n_right)),
        .inner = arena_doubles(&scratch, room)};
    TRY_ALLOCATED(!scratch.has_failed);
    take_rows(structure, series->n_near, series->n_far, series->n_far,
              structure->damping_matrix + (size_t)series->n_near * (size_t)structure->n_modes,
              expansion.damping);
    take_side(&expansion, settings->n_in, ports->in);
    expand(&expansion);
    if (series->n_terms > 0) {
        size_t n_terms = (size_t)series->n_terms, n_in = (size_t)settings->n_in;
        series->needed = arena_array(arena, (size_t)settings->n_harmonics, sizeof(int));
        series->loss = arena_doubles(arena, n_terms * n_in * n_in);
        series->outer = arena_doubles(arena, n_terms * n_left * n_right);
        TRY_ALLOCATED(!arena->has_failed);
        fill_needed(settings, &expansion);
        fill_products(&expansion, settings->n_in, settings->n_in, series->loss);
        take_side(&expansion, settings->n_out, ports->out);
        fill_products(&expansion, series->n_left, series->n_right, series->outer);
    }
done:
    arena_clear(&scratch);
    return status;
}

/* Near modes are as few as the series needs to converge; with structural damping all are, and
 * n_terms is 0. */
static enum masing_status far_series_create(const struct compliance *ports,
                                            const struct compliance_settings *settings,
                                            struct arena *arena, struct far_series *series,
                                            struct masing_error *error)
{
    const struct structure *structure = ports->structure;
    int n = structure->n_modes;
    series->top = compliance_top(settings);
    double cutoff = FIRST_CUTOFF * series->top;
    int n_near = structure->loss_factor != 0 ? n : structure_count_modes(structure, cutoff);
    while (n_near < n) {
        set_sizes(structure, settings, n_near, series);
        NEED(attempt(ports, settings, arena, series, error));
        if (series->n_terms > 0) {
            return MASING_OK;
        }
        int old = n_near;
        while (n_near == old) {
            cutoff *= CUTOFF_GROWTH;
            n_near = structure_count_modes(structure, cutoff);
        }
    }
    set_sizes(structure, settings, n, series);
    return MASING_OK;
}

/* Real and imaginary part at q, and their derivatives by q: [4][n_left * n_right]. index: of
 * the harmonic that q belongs to */
static void far_series_evaluate(const struct far_series *series, int index, double q,
                                double *parts)
{
    size_t size = (size_t)series->n_left * (size_t)series->n_right;
    double x = q / series->top, power = 1, below = 0;
    memset(parts, 0, 4 * size * sizeof *parts);
    for (int j = 0; j < series->needed[index]; j++) {
        const double *term = series->outer + (size_t)j * size;
        double *restrict value = parts + (j % 2 ? size : 0), slope = j * below / series->top;
        double *restrict derivative = value + 2 * size;
        for (size_t p = 0; p < size; p++) {
            value[p] += power * term[p];
            derivative[p] += slope * term[p];
        }
        below = power;
        power *= x;
    }
}

/* Imaginary part of in_f^T Z_ff^-1 in_f, [n_in * n_in] */
static void far_series_loss(const struct far_series *series, int index, size_t size, double q,
                            double *imaginary)
{
    double x = q / series->top, power = x;
    memset(imaginary, 0, size * sizeof *imaginary);
    for (int j = 1; j < series->n_terms && j < series->needed[index]; j += 2) {
        const double *term = series->loss + (size_t)j * size;
        for (size_t p = 0; p < size; p++) {
            imaginary[p] += power * term[p];
        }
        power *= x * x;
    }
}

struct coupled {
    struct compliance base;
    struct far_series far;
    int n;                   /* near modes */
    double *in, *out;        /* [n * n_in], [n * n_out] of the near modes */
    double *static_sum;      /* [n_in][n_out] harmonic 0, all modes but excluded ones */
    double *far_parts;       /* [4][far.n_left * far.n_right], see far_series_evaluate */
    double complex *z, *dz;  /* [n * n] */
    double complex *x, *dx;  /* [n * (n_in + n_out)] right-hand sides, then solutions */
    double complex *sides;   /* [n * (n_in + n_out)] the right-hand sides themselves */
    double complex *product; /* [n * n_in] */
    double *imaginary;       /* [n_in * n_in] of the response of the inputs to themselves */
    int *pivots;             /* [n] */
};

static struct coupled *coupled_of(struct compliance *compliance)
{
    return (struct coupled *)compliance;
}

/* Harmonic 0, the first of the list where it is one */
static void fill_static(struct coupled *coupled)
{
    const struct compliance *base = &coupled->base;
    size_t n = (size_t)base->structure->n_modes, n_out = (size_t)coupled->base.n_out;
    for (size_t k = 0; base->harmonics[0] == 0 && k < n; k++) {
        double square = base->structure->omega[k] * base->structure->omega[k];
        if (base->is_excluded[k]) {
            continue;
        }
        for (size_t i = 0; i < (size_t)coupled->base.n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                coupled->static_sum[i * n_out + o] +=
                    base->in[k + i * n] * base->out[k + o * n] / square;
            }
        }
    }
    for (size_t p = 0; base->residual && p < (size_t)coupled->base.n_in * n_out; p++) {
        coupled->static_sum[p] += base->residual[p];
    }
}

static enum masing_status allocate(struct coupled *coupled, struct masing_error *error)
{
    struct arena *arena = &coupled->base.arena;
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->base.n_in,
           n_out = (size_t)coupled->base.n_out;
    size_t far = (size_t)coupled->far.n_left * (size_t)coupled->far.n_right,
           z = sizeof(double complex);
    coupled->in = arena_doubles(arena, n * n_in);
    coupled->out = arena_doubles(arena, n * n_out);
    coupled->static_sum = arena_doubles(arena, n_in * n_out);
    coupled->far_parts = arena_doubles(arena, 4 * far);
    coupled->z = arena_array(arena, n * n, z);
    coupled->dz = arena_array(arena, n * n, z);
    coupled->x = arena_array(arena, n * (n_in + n_out), z);
    coupled->dx = arena_array(arena, n * (n_in + n_out), z);
    coupled->sides = arena_array(arena, n * (n_in + n_out), z);
    coupled->product = arena_array(arena, n * n_in, z);
    coupled->imaginary = arena_doubles(arena, n_in * n_in);
    coupled->pivots = arena_array(arena, n, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static enum masing_status create(struct compliance *compliance,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    struct coupled *coupled = coupled_of(compliance);
    NEED(far_series_create(compliance, settings, &compliance->arena, &coupled->far, error));
    coupled->n = coupled->far.n_near;
    NEED(allocate(coupled, error));
    take_rows(compliance->structure, 0, coupled->n, coupled->base.n_in, compliance->in,
              coupled->in);
    take_rows(compliance->structure, 0, coupled->n, coupled->base.n_out, compliance->out,
              coupled->out);
    fill_static(coupled);
    return MASING_OK;
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
    const struct structure *structure = coupled->base.structure;
    size_t n = (size_t)coupled->n, n_modes = (size_t)structure->n_modes;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double c = structure->damping_matrix[i + j * n_modes];
            double complex f = far_entry(coupled, 0, coupled->base.n_out + (int)i,
                                         coupled->base.n_in + (int)j);
            double complex df = far_entry(coupled, 2, coupled->base.n_out + (int)i,
                                          coupled->base.n_in + (int)j);
            coupled->z[i + j * n] = I * q * c + q * q * f;
            coupled->dz[i + j * n] = I * c + 2 * q * f + q * q * df;
        }
        double omega = structure->omega[j];
        coupled->z[j + j * n] += (omega - q) * (omega + q) + structure_rest(structure, j) +
                                 I * structure->loss_factor * omega * omega;
        coupled->dz[j + j * n] -= 2 * q;
    }
}

/* [in - s F_ni | out - s F_on^T] and its derivative by q */
static void assemble_sides(struct coupled *coupled, double q)
{
    size_t n = (size_t)coupled->n;
    for (int j = 0; j < coupled->base.n_in + coupled->base.n_out; j++) {
        bool is_in = j < coupled->base.n_in;
        for (size_t i = 0; i < n; i++) {
            int row = is_in ? coupled->base.n_out + (int)i : j - coupled->base.n_in;
            int column = is_in ? j : coupled->base.n_in + (int)i;
            double own = is_in ? coupled->in[i + (size_t)j * n]
                               : coupled->out[i + (size_t)(j - coupled->base.n_in) * n];
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
    size_t count = (size_t)coupled->n * (size_t)(coupled->base.n_in + coupled->base.n_out);
    if (coupled->far.n_terms > 0) {
        far_series_evaluate(&coupled->far, index, q, coupled->far_parts);
    }
    assemble_matrix(coupled, q);
    assemble_sides(coupled, q);
    memcpy(coupled->x, coupled->sides, count * sizeof *coupled->x);
    enum masing_status status = lu_factor_complex(coupled->n, coupled->z, coupled->pivots);
    if (status == MASING_OK) {
        lu_solve_complex(coupled->n, coupled->z, coupled->pivots, coupled->x,
                         coupled->base.n_in + coupled->base.n_out);
    }
    return status;
}

/* An entry of the massless DOFs' R / (1 + i eta) */
static double complex residual(const struct coupled *coupled, const double *flexibility,
                               size_t entry)
{
    return flexibility ? flexibility[entry] / (1 + I * coupled->base.structure->loss_factor)
                       : 0;
}

/* H = F_oi + O^T X;  H' = F_oi' + O'^T X + Y^T (G' - Z' X) */
static void write_harmonic(struct coupled *coupled, int h, double *real, double *imaginary,
                           double *d_real, double *d_imaginary)
{
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->base.n_in,
           n_out = (size_t)coupled->base.n_out;
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
                                   dot(n, coupled->sides + side, x) +
                                   residual(coupled, coupled->base.residual, entry);
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
    size_t size = (size_t)coupled->base.n_in * (size_t)coupled->base.n_out;
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
    size_t size = (size_t)coupled->base.n_in * (size_t)coupled->base.n_out;
    for (int i = 0; i < compliance->n_harmonics; i++) {
        size_t at = (size_t)i * size;
        double *re = compliance->real + at, *im = compliance->imaginary + at;
        double *dr = with_slopes ? compliance->d_real + at : NULL;
        double *di = with_slopes ? compliance->d_imaginary + at : NULL;
        if (compliance->harmonics[i] == 0) {
            write_static(coupled, re, im, dr, di);
            continue;
        }
        NEED(solve(coupled, i, compliance->harmonics[i] * omega));
        write_harmonic(coupled, compliance->harmonics[i], re, im, dr, di);
    }
    return MASING_OK;
}

static double loss(struct compliance *compliance, double omega, const double *force)
{
    struct coupled *coupled = coupled_of(compliance);
    size_t n = (size_t)coupled->n, n_in = (size_t)coupled->base.n_in;
    double total = 0, *imaginary = coupled->imaginary;
    for (int index = 0; index < compliance->n_harmonics; index++) {
        int h = compliance->harmonics[index];
        if (h == 0) {
            continue;
        }
        if (solve(coupled, index, h * omega) != MASING_OK) {
            return NAN;
        }
        far_series_loss(&coupled->far, index, n_in * n_in, h * omega, imaginary);
        for (size_t p = 0; p < n_in * n_in; p++) {
            const double complex *side = coupled->sides + p / n_in * n;
            double complex own = dot(n, side, coupled->x + p % n_in * n) +
                                 residual(coupled, compliance->residual_in, p);
            imaginary[p] += cimag(own);
        }
        total -= PI * h * compliance_form(n_in, imaginary, force + 2 * (size_t)index * n_in);
    }
    return total;
}

const struct compliance_kind compliance_coupled = {
    .size = sizeof(struct coupled),
    .create = create,
    .evaluate = evaluate,
    .loss = loss,
};
