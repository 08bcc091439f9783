/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance where damping is diagonal in the modes:
 *   H(s) = R + sum_k in_k out_k^T / (omega_k^2 (1 + i eta) + c_k s + s^2),   s = i q.
 *
 * As matrices, modes near the range are taken one by one. Far ones are expanded in powers of s,
 * and their coefficients are summed once; how many modes are near is chosen so that the cost is
 * least. Where there are many ports, products mode by mode (modal.c) may cost less: modes times
 * ports where matrices cost ports squared.
 *
 * With x = q / top, top being the highest frequency that occurs, a far mode without structural
 * damping expands as 1 / (omega^2 + c s + s^2) = sum_j a_j (i x)^j,
 *   a_0 = 1 / omega^2,  a_j = -(c top a_(j-1) + top^2 a_(j-2)) / omega^2.
 * With structural damping (and c = 0) the powers are those of x^2 / (1 + i eta), which adds the
 * factor 1 / (1 + i eta).
 *
 * So H(q) = sum_t (re_t + i im_t)(q) M_t with constant real matrices M_t, in this order:
 *   even powers of x (real; the sign of i^j is in M_t),
 *   near modes, and with structural damping all powers of the far ones (complex),
 *   odd powers (imaginary).
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pair.h"
#include "base/pi.h"
#include "harmonic/compliance/compliance.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"
#include "model/structure/far_ratio.h"

struct diagonal {
    struct compliance base;
    double top;    /* rad/s */
    bool *is_near; /* [n_modes] */
    size_t *near;  /* [n_near] modes */
    int n_powers;  /* of (i x) that far modes need at the highest harmonic */
    int *needed;   /* [n_harmonics] powers that suffice at each harmonic */
    int n_even, n_near, n_structural, n_far, n_odd;
    double *matrices;     /* [n_even + n_near + n_structural + n_far + n_odd][n_in][n_out] */
    double *coefficients; /* [n_harmonics][4][n_terms]: re, im and their slopes, at */
    double omega;         /* which is 0 where there are none yet */
    bool has_loss;        /* false: there are so many ports that the modes cost less */
    double *loss;         /* [n_structural + n_far + n_odd][n_in][n_in] M_t with in for out */
};

/* Products for one near mode and for one power of s, value and derivative. */
enum { COST_NEAR = 4, COST_TERM = 2 };

static struct diagonal *diagonal_of(struct compliance *compliance)
{
    return (struct diagonal *)compliance;
}

/* ---- near and far modes ---- */

/* a [COMPLIANCE_SERIES_ROOM] of one mode; odd terms are zero with structural damping */
static void mode_series(const struct structure *structure, size_t mode, double top, double *a)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double rate = structure->modal_damping[mode] * top / square, ratio = top * top / square;
    a[0] = 1 / square;
    a[1] = -rate * a[0];
    for (int j = 2; j < COMPLIANCE_SERIES_ROOM; j++) {
        a[j] = -(rate * a[j - 1] + ratio * a[j - 2]);
    }
}

/* Number of leading terms after which |a_j| x^j is negligible beside |a_0|; -1: too many */
static int terms_needed(const double *a, double x)
{
    int needed = COMPLIANCE_SERIES_ROOM;
    while (needed > 0 &&
           fabs(a[needed - 1]) * pow(x, needed - 1) < COMPLIANCE_NEGLIGIBLE * fabs(a[0])) {
        needed--;
    }
    return needed <= COMPLIANCE_SERIES_ROOM - COMPLIANCE_SERIES_TAIL ? needed : -1;
}

/* Powers of s that a mode needs as a far one; -1 where it cannot be one */
static int mode_needs(const struct structure *structure, size_t mode, double top)
{
    double a[COMPLIANCE_SERIES_ROOM];
    bool is_mixed = structure->loss_factor != 0 && structure->modal_damping[mode] != 0;
    if (structure->omega[mode] <= top || is_mixed) {
        return -1;
    }
    mode_series(structure, mode, top, a);
    return terms_needed(a, 1);
}

/* Length of the series at which near modes and powers together cost least */
static int cheapest(size_t n_modes, const int *needs, const bool *is_forced)
{
    int best = 0, best_cost = 0;
    for (int length = 0; length < COMPLIANCE_SERIES_ROOM; length++) {
        int cost = COST_TERM * length;
        for (size_t k = 0; k < n_modes; k++) {
            cost += is_forced[k] || needs[k] < 0 || needs[k] > length ? COST_NEAR : 0;
        }
        if (length == 0 || cost < best_cost) {
            best = length;
            best_cost = cost;
        }
    }
    return best;
}

/* By the largest |a_j / a_0| of all far modes */
static void count_powers(struct diagonal *diagonal)
{
    const struct compliance *base = &diagonal->base;
    double worst[COMPLIANCE_SERIES_ROOM] = {0}, a[COMPLIANCE_SERIES_ROOM];
    double highest = base->harmonics[base->n_harmonics - 1];
    for (size_t k = 0; k < (size_t)base->structure->n_modes; k++) {
        if (diagonal->is_near[k]) {
            continue;
        }
        mode_series(base->structure, k, diagonal->top, a);
        for (int j = 0; j < COMPLIANCE_SERIES_ROOM; j++) {
            worst[j] = fmax(worst[j], fabs(a[j] / a[0]));
        }
    }
    for (int i = 0; worst[0] > 0 && i < base->n_harmonics; i++) {
        int needed = terms_needed(worst, highest > 0 ? base->harmonics[i] / highest : 0);
        diagonal->needed[i] = needed;
        diagonal->n_powers = needed > diagonal->n_powers ? needed : diagonal->n_powers;
    }
}

static enum masing_status split_modes(const struct compliance_settings *settings,
                                      struct diagonal *diagonal, struct arena *scratch,
                                      struct masing_error *error)
{
    struct arena *arena = &diagonal->base.arena;
    size_t n = (size_t)diagonal->base.structure->n_modes;
    int *needs = arena_array(scratch, n, sizeof *needs);
    diagonal->is_near = arena_array(arena, n, sizeof *diagonal->is_near);
    diagonal->near = arena_array(arena, n, sizeof *diagonal->near);
    diagonal->needed =
        arena_array(arena, (size_t)settings->n_harmonics, sizeof *diagonal->needed);
    NEED_ALLOCATED(needs && !arena->has_failed);
    diagonal->top = compliance_top(settings);
    for (size_t k = 0; k < n; k++) {
        needs[k] = mode_needs(diagonal->base.structure, k, diagonal->top);
    }
    for (int e = 0; e < settings->n_exclusions; e++) {
        diagonal->is_near[settings->exclusions[e].mode] = true;
    }
    int length = cheapest(n, needs, diagonal->is_near);
    for (size_t k = 0; k < n; k++) {
        diagonal->is_near[k] = diagonal->is_near[k] || needs[k] < 0 || needs[k] > length;
        if (diagonal->is_near[k]) {
            diagonal->near[diagonal->n_near++] = k;
        }
    }
    count_powers(diagonal);
    diagonal->top = diagonal->top > 0 ? diagonal->top : 1;
    return MASING_OK;
}

/* ---- the matrices ---- */

static inline size_t count_terms(const struct diagonal *d)
{
    return (size_t)(d->n_even + d->n_near + d->n_structural + d->n_far + d->n_odd);
}

/* Terms whose coefficients have an imaginary part, near modes apart. */
static inline size_t count_lossy(const struct diagonal *d)
{
    return (size_t)(d->n_structural + d->n_far + d->n_odd);
}

/* From so many on the losses of the far modes are not summed into series of squares. */
enum { MANY_PORTS = 16 };

/* Terms that exist: odd powers only with damping, one power at least for massless DOFs */
static void choose_terms(struct diagonal *diagonal)
{
    const struct structure *structure = diagonal->base.structure;
    bool has_damping = false;
    int n_powers = diagonal->n_powers;
    for (int k = 0; k < structure->n_modes; k++) {
        has_damping =
            has_damping || (!diagonal->is_near[k] && structure->modal_damping[k] != 0);
    }
    diagonal->n_far = structure->n_far;
    if (structure->flexibility && structure->n_far == 0) {
        n_powers = n_powers > 0 ? n_powers : 1;
        for (int i = 0; i < diagonal->base.n_harmonics; i++) {
            diagonal->needed[i] = diagonal->needed[i] > 0 ? diagonal->needed[i] : 1;
        }
    }
    if (structure->loss_factor == 0) {
        diagonal->n_even = (n_powers + 1) / 2;
        diagonal->n_odd = has_damping ? n_powers / 2 : 0;
    } else {
        diagonal->n_structural = (n_powers + 1) / 2;
    }
    diagonal->has_loss = structure->flexibility || diagonal->base.n_in < MANY_PORTS;
}

/* part [n_far * n_ports]: rows of the far modes of ports [n_modes * n_ports] */
static void take_far(const struct diagonal *diagonal, int n_ports, const double *ports,
                     double *part)
{
    size_t n_modes = (size_t)diagonal->base.structure->n_modes;
    for (size_t p = 0; p < (size_t)n_ports; p++) {
        for (size_t k = 0; k < n_modes; k++) {
            if (!diagonal->is_near[k]) {
                *part++ = ports[k + p * n_modes];
            }
        }
    }
}

/* columns [n_far * (n_powers * n_in)]: sign a_j in_k of the powers of one parity */
static void weigh_ports(const struct diagonal *diagonal, int parity, int n_powers,
                        double *columns)
{
    const struct compliance *base = &diagonal->base;
    size_t n_modes = (size_t)base->structure->n_modes, n_in = (size_t)base->n_in, row = 0;
    size_t n_far = n_modes - (size_t)diagonal->n_near;
    double a[COMPLIANCE_SERIES_ROOM];
    for (size_t k = 0; k < n_modes; k++) {
        if (diagonal->is_near[k]) {
            continue;
        }
        mode_series(base->structure, k, diagonal->top, a);
        for (size_t m = 0; m < (size_t)n_powers; m++) {
            int j = 2 * (int)m + parity;
            for (size_t i = 0; i < n_in; i++) {
                columns[row + (m * n_in + i) * n_far] =
                    compliance_sign_of_power(j) * a[j] * base->in[k + i * n_modes];
            }
        }
        row++;
    }
}

/* [n_in][n_out] += R of massless DOFs, which joins the power 0 */
static void add_residual(size_t size, const double *residual, double *matrix)
{
    for (size_t i = 0; residual && i < size; i++) {
        matrix[i] += residual[i];
    }
}

/* Powers of the far modes, sum of sign a_j in_k out_k^T: between the ports and, where they are
 * not real, from the inputs to themselves. */
static enum masing_status fill_powers(struct diagonal *diagonal, struct arena *scratch,
                                      struct masing_error *error)
{
    const struct compliance *base = &diagonal->base;
    int n_in = base->n_in, n_out = base->n_out;
    int n_far = base->structure->n_modes - diagonal->n_near;
    int counts[2] = {diagonal->n_even + diagonal->n_structural, diagonal->n_odd};
    size_t size = (size_t)n_in * (size_t)n_out, rows = (size_t)n_far;
    /* even and structural powers exclude each other */
    double *first =
        diagonal->matrices + (size_t)(diagonal->n_structural > 0 ? diagonal->n_near : 0) * size;
    double *odd = diagonal->matrices + (count_terms(diagonal) - (size_t)diagonal->n_odd) * size;
    double *matrices[2] = {first, odd};
    double *in = arena_doubles(scratch, rows * (size_t)n_in);
    double *out = arena_doubles(scratch, rows * (size_t)n_out);
    double *columns = arena_doubles(scratch, rows * (size_t)(counts[0] * n_in));
    NEED_ALLOCATED(!scratch->has_failed);
    take_far(diagonal, n_in, base->in, in);
    take_far(diagonal, n_out, base->out, out);
    for (int parity = 0; parity < 2; parity++) {
        int n_columns = counts[parity] * n_in;
        bool is_lossy = diagonal->has_loss && (parity == 1 || diagonal->n_structural > 0);
        weigh_ports(diagonal, parity, counts[parity], columns);
        dense_multiply_transposed(n_out, n_columns, n_far, out, columns, matrices[parity]);
        if (is_lossy && n_columns > 0) {
            size_t before = parity == 1 ? (size_t)diagonal->n_far : 0;
            dense_multiply_transposed(n_in, n_columns, n_far, in, columns,
                                      diagonal->loss + before * (size_t)n_in * (size_t)n_in);
        }
    }
    if (diagonal->n_far > 0) {
        return MASING_OK;
    }
    add_residual(size, base->residual, first);
    if (diagonal->n_structural > 0) {
        add_residual((size_t)n_in * (size_t)n_in, base->residual_in, diagonal->loss);
    }
    return MASING_OK;
}

/* in_k out_k^T */
static void fill_near(struct diagonal *diagonal)
{
    const struct compliance *base = &diagonal->base;
    size_t n_modes = (size_t)base->structure->n_modes;
    size_t n_in = (size_t)base->n_in, n_out = (size_t)base->n_out;
    double *target = diagonal->matrices + (size_t)diagonal->n_even * n_in * n_out;
    for (int place = 0; place < diagonal->n_near; place++) {
        size_t mode = diagonal->near[place];
        for (size_t i = 0; i < n_in; i++) {
            for (size_t o = 0; o < n_out; o++) {
                *target++ = base->in[mode + i * n_modes] * base->out[mode + o * n_modes];
            }
        }
    }
}

/* Between the ports, what the structure has as matrices of modes that are not there. */
static enum masing_status fill_far(struct diagonal *diagonal,
                                   const struct compliance_settings *settings,
                                   struct arena *scratch, struct masing_error *error)
{
    const struct structure *structure = diagonal->base.structure;
    int n = structure->n_dofs, n_in = settings->n_in, n_out = settings->n_out;
    size_t size = symmetric_size((size_t)n), first = (size_t)diagonal->n_structural;
    size_t place = (size_t)(diagonal->n_even + diagonal->n_near) + first;
    double *reach = arena_doubles(scratch, (size_t)n);
    NEED_ALLOCATED(reach);
    for (size_t t = 0; t < (size_t)diagonal->n_far; t++) {
        const double *far = structure->far + t * size;
        compliance_between(n, far, &settings->in, n_in, &settings->out, n_out, reach,
                           diagonal->matrices + (place + t) * (size_t)n_in * (size_t)n_out);
        if (diagonal->has_loss) {
            compliance_between(n, far, &settings->in, n_in, &settings->in, n_in, reach,
                               diagonal->loss + (first + t) * (size_t)n_in * (size_t)n_in);
        }
    }
    return MASING_OK;
}

static enum masing_status create_matrices(const struct compliance_settings *settings,
                                          struct diagonal *diagonal, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0}, *arena = &diagonal->base.arena;
    TRY(split_modes(settings, diagonal, &scratch, error));
    choose_terms(diagonal);
    size_t n_terms = count_terms(diagonal), n_in = (size_t)settings->n_in;
    size_t n_lossy = count_lossy(diagonal);
    diagonal->matrices = arena_doubles(arena, n_terms * n_in * (size_t)settings->n_out);
    diagonal->coefficients = arena_doubles(arena, (size_t)settings->n_harmonics * 4 * n_terms);
    if (diagonal->has_loss) {
        diagonal->loss = arena_doubles(arena, n_lossy * n_in * n_in);
    }
    TRY_ALLOCATED(!arena->has_failed);
    TRY(fill_powers(diagonal, &scratch, error));
    fill_near(diagonal);
    TRY(fill_far(diagonal, settings, &scratch, error));
done:
    arena_clear(&scratch);
    return status;
}

/* Multiplications that take as long as the calls of BLAS by an application without matrices. */
enum { COST_CALLS = 500 };

/* Multiplications of an application without matrices; of an evaluation without derivatives, and
 * of its product with forces. */
static bool is_cheaper_without(const struct diagonal *d)
{
    const struct compliance *base = &d->base;
    double without = COST_CALLS + 2.0 * base->n_harmonics * base->structure->n_modes *
                                      (base->n_in + base->n_out);
    double n_real = d->n_even + d->n_odd, n_complex = d->n_near + d->n_structural + d->n_far;
    double with = (n_real + 2.0 * n_complex + 4.0) * base->n_harmonics * base->n_in;
    return without < with * base->n_out;
}

static enum masing_status create(struct compliance *compliance,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    struct diagonal *diagonal = diagonal_of(compliance);
    NEED(create_matrices(settings, diagonal, error));
    compliance->is_applied =
        !compliance->structure->flexibility && is_cheaper_without(diagonal);
    return compliance_modal_create(compliance, settings, error);
}

/* ---- evaluation ---- */

/* Powers; x^j and its derivative by Omega, j * h / top * x^(j - 1) */
static void power_coefficients(const struct diagonal *d, int h, double x, int powers, double *c)
{
    size_t n = count_terms(d);
    size_t odd = n - (size_t)d->n_odd;
    double power = 1, below = 0, slope = h / d->top;
    for (int j = 0; j < powers; j++) {
        size_t t = j % 2 ? odd + (size_t)(j / 2) : (size_t)(j / 2);
        size_t part = j % 2 ? n : 0;
        if (j % 2 == 0 || d->n_odd > 0) {
            c[part + t] = power;
            c[part + 2 * n + t] = j * slope * below;
        }
        below = power;
        power *= x;
    }
}

/* x^(2 m) / (1 + i eta)^(m + 1); statically the stiffness is real */
static void structural_coefficients(const struct diagonal *d, int h, double x, double *c)
{
    size_t n = count_terms(d), first = (size_t)(d->n_even + d->n_near);
    double eta = h > 0 ? d->base.structure->loss_factor : 0, square = 1 + eta * eta;
    double re = 1 / square, im = -eta / square, step_re = re, step_im = im;
    double power = 1, below = 0, slope = h / d->top;
    for (int m = 0; m < d->n_structural; m++) {
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

/* Coefficients of the moments about the shift become those of the terms at hand, which are
 * sum_s (s over t) part^(s - t) of them. */
static void shift_terms(int n, double part, double *c)
{
    for (int pass = 1; pass < n; pass++) {
        for (int t = n - 1; t >= pass; t--) {
            c[t] -= part * c[t - 1];
        }
    }
}

void compliance_far_terms(const struct structure *structure, int h, double q, double *re,
                          double *im, double *d_re, double *d_im)
{
    if (structure->far_ratio) {
        double *parts[] = {re, im, d_re, d_im};
        far_ratio_terms(structure->far_ratio, structure->n_far, h, q, re, im, d_re, d_im);
        for (int i = 0; i < 4; i++) {
            shift_terms(structure->n_far, structure->far_shift / structure->far_scale,
                        parts[i]);
        }
        return;
    }
    double eta = h > 0 ? structure->loss_factor : 0;
    double complex k = 1 + I * (eta + structure->far_beta * q),
                   d_k = I * structure->far_beta * h;
    double complex inertia = q * q - I * structure->far_alpha * q;
    double complex d_inertia = (2 * q - I * structure->far_alpha) * h;
    double complex w = inertia / k / structure->far_scale;
    double complex d_w = (d_inertia / k - inertia * d_k / (k * k)) / structure->far_scale;
    double complex power = 1 / k, below = 0; /* w^t / k, t w^(t - 1) / k */
    for (int t = 0; t < structure->n_far; t++) {
        double complex slope = below * d_w - power * d_k / k;
        re[t] = creal(power);
        im[t] = cimag(power);
        d_re[t] = creal(slope);
        d_im[t] = cimag(slope);
        below = below * w + power;
        power *= w;
    }
}

void compliance_far_moments(const struct structure *structure, int h, double q, double *re,
                            double *im, double *d_re, double *d_im)
{
    double *parts[] = {re, im, d_re, d_im};
    compliance_far_terms(structure, h, q, re, im, d_re, d_im);
    for (int i = 0; i < 4; i++) {
        shift_terms(structure->n_far, -structure->far_shift / structure->far_scale, parts[i]);
    }
}

/* d = 1 / z, z = omega^2 (1 + i eta) - q^2 + i c q; d' = -z' d^2. False on an undamped pole. */
static bool near_coefficients(const struct diagonal *d, int index, double q, double *c)
{
    const struct structure *structure = d->base.structure;
    size_t n = count_terms(d), n_modes = (size_t)structure->n_modes;
    int h = d->base.harmonics[index];
    double eta = h > 0 ? structure->loss_factor : 0;
    for (int k = 0; k < d->n_near; k++) {
        size_t mode = d->near[k];
        double *entry = c + d->n_even + k;
        if (d->base.is_excluded[(size_t)index * n_modes + mode]) {
            entry[0] = entry[n] = entry[2 * n] = entry[3 * n] = 0;
            continue;
        }
        double omega = structure->omega[mode], rate = structure->modal_damping[mode];
        double re = (omega - q) * (omega + q) + structure_rest(structure, mode);
        double im = rate * q + eta * omega * omega;
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

/* Where the sums of one harmonic go, [n_in][n_out] each; slopes may be NULL. */
struct sums {
    double *real, *imaginary, *d_real, *d_imaginary;
};

static inline void put(pair sum, bool is_pair, double *to)
{
    to[0] = sum[0];
    if (is_pair) {
        to[1] = sum[1];
    }
}

/* Of two entries, or one, from a place on: the sums stay in registers. */
static inline void sum_entries(const struct diagonal *d, int powers, const double *c,
                               size_t place, bool is_pair, bool with_slopes,
                               const struct sums *sums)
{
    size_t n = count_terms(d), size = (size_t)d->base.n_in * (size_t)d->base.n_out;
    size_t n_even = (size_t)d->n_even, first_odd = n - (size_t)d->n_odd;
    size_t even = (size_t)((powers + 1) / 2), odd = first_odd + (size_t)(powers / 2), t = 0;
    const double *matrix = d->matrices + place, *re = c, *im = c + n;
    const double *d_re = im + n, *d_im = d_re + n;
    pair real = {0}, imaginary = {0}, d_real = {0}, d_imaginary = {0};
    for (; t < even && t < n_even; t++, matrix += size) {
        const pair m = {matrix[0], is_pair ? matrix[1] : 0};
        real += re[t] * m;
        d_real += d_re[t] * m;
    }
    matrix += (n_even - t) * size; /* powers that are negligible there */
    for (t = n_even; t < first_odd; t++, matrix += size) {
        const pair m = {matrix[0], is_pair ? matrix[1] : 0};
        real += re[t] * m;
        imaginary += im[t] * m;
        d_real += d_re[t] * m;
        d_imaginary += d_im[t] * m;
    }
    for (; t < odd && t < n; t++, matrix += size) {
        const pair m = {matrix[0], is_pair ? matrix[1] : 0};
        imaginary += im[t] * m;
        d_imaginary += d_im[t] * m;
    }
    put(real, is_pair, sums->real + place);
    put(imaginary, is_pair, sums->imaginary + place);
    if (with_slopes) {
        put(d_real, is_pair, sums->d_real + place);
        put(d_imaginary, is_pair, sums->d_imaginary + place);
    }
}

/* Terms of one harmonic but for powers that are negligible there. */
static inline void sum_terms(const struct diagonal *d, int powers, const double *c,
                             bool with_slopes, const struct sums *sums)
{
    size_t size = (size_t)d->base.n_in * (size_t)d->base.n_out, place = 0;
    for (; place + 2 <= size; place += 2) {
        sum_entries(d, powers, c, place, true, with_slopes, sums);
    }
    if (place < size) {
        sum_entries(d, powers, c, place, false, with_slopes, sums);
    }
}

/* The same for all harmonics at once; c: the first of their coefficients */
static void sum_all(const struct diagonal *d, const double *c, double *real, double *imaginary)
{
    int n = (int)count_terms(d), size = d->base.n_in * d->base.n_out;
    dense_multiply_parts(size, d->base.n_harmonics, n - d->n_odd, d->matrices, size, c, 4 * n,
                         real, size);
    dense_multiply_parts(size, d->base.n_harmonics, n - d->n_even,
                         d->matrices + (size_t)d->n_even * (size_t)size, size,
                         c + n + d->n_even, 4 * n, imaginary, size);
}

static enum masing_status all_coefficients(struct diagonal *d, double omega)
{
    size_t n = count_terms(d);
    bool is_structural = d->base.structure->loss_factor != 0;
    if (d->omega == omega && omega > 0) {
        return MASING_OK;
    }
    d->omega = 0;
    for (int i = 0; i < d->base.n_harmonics; i++) {
        int h = d->base.harmonics[i];
        double q = h * omega, *c = d->coefficients + (size_t)i * 4 * n;
        if (d->needed[i] > 0 && !is_structural) {
            power_coefficients(d, h, q / d->top, d->needed[i], c);
        }
        if (d->n_structural > 0) {
            structural_coefficients(d, h, q / d->top, c);
        }
        if (d->n_far > 0) {
            double *far = c + d->n_even + d->n_near + d->n_structural;
            compliance_far_terms(d->base.structure, h, q, far, far + n, far + 2 * n,
                                 far + 3 * n);
        }
        if (!near_coefficients(d, i, q, c)) {
            return MASING_SINGULAR;
        }
    }
    d->omega = omega;
    return MASING_OK;
}

static enum masing_status evaluate(struct compliance *compliance, double omega,
                                   bool with_slopes)
{
    struct diagonal *d = diagonal_of(compliance);
    size_t n = count_terms(d), size = (size_t)compliance->n_in * (size_t)compliance->n_out;
    NEED(all_coefficients(d, omega));
    if (n * size * (size_t)compliance->n_harmonics >= MANY_PRODUCTS) {
        sum_all(d, d->coefficients, compliance->real, compliance->imaginary);
        if (with_slopes) {
            sum_all(d, d->coefficients + 2 * n, compliance->d_real, compliance->d_imaginary);
        }
        return MASING_OK;
    }
    struct sums sums = {compliance->real, compliance->imaginary, compliance->d_real,
                        compliance->d_imaginary};
    const double *c = d->coefficients;
    for (int i = 0; i < compliance->n_harmonics; i++, c += 4 * n) {
        if (with_slopes) {
            sum_terms(d, d->needed[i], c, true, &sums);
        } else {
            sum_terms(d, d->needed[i], c, false, &sums);
        }
        sums = (struct sums){sums.real + size, sums.imaginary + size, sums.d_real + size,
                             sums.d_imaginary + size};
    }
    return MASING_OK;
}

/* ---- loss over pi h ---- */

/* By the imaginary coefficients of the terms */
static double loss_of_terms(const struct diagonal *d, int index, const double *force)
{
    size_t n = count_terms(d), n_modes = (size_t)d->base.structure->n_modes;
    size_t n_in = (size_t)d->base.n_in;
    const double *c = d->coefficients + ((size_t)index * 4 + 1) * n + d->n_even;
    double sum = 0;
    for (int k = 0; k < d->n_near; k++) {
        const double *in = d->base.in + d->near[k];
        double re = 0, im = 0;
        for (size_t i = 0; i < n_in; i++) {
            re += in[i * n_modes] * force[2 * i];
            im += in[i * n_modes] * force[2 * i + 1];
        }
        sum -= c[k] * (re * re + im * im);
    }
    for (size_t t = 0; t < count_lossy(d); t++) {
        sum -=
            c[(size_t)d->n_near + t] * compliance_form(n_in, d->loss + t * n_in * n_in, force);
    }
    return sum;
}

static double loss(struct compliance *compliance, double omega, const double *force)
{
    struct diagonal *diagonal = diagonal_of(compliance);
    if (!diagonal->has_loss) {
        return compliance_modal_loss(compliance, omega, force);
    }
    double total = all_coefficients(diagonal, omega) == MASING_OK ? 0 : NAN;
    for (int i = 0; i < compliance->n_harmonics; i++) {
        int h = compliance->harmonics[i];
        const double *f = force + 2 * (size_t)i * (size_t)compliance->n_in;
        if (h > 0) {
            total += PI * h * loss_of_terms(diagonal, i, f);
        }
    }
    return total;
}

const struct compliance_kind compliance_diagonal = {
    .size = sizeof(struct diagonal),
    .create = create,
    .evaluate = evaluate,
    .loss = loss,
};
