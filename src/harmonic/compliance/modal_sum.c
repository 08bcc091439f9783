/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/modal_sum.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"

/*
 * H(q) = sum_t (re_t + i im_t)(q) M_t with constant real matrices M_t, in this order:
 *   even powers of x = q / top (real; the sign of i^j is in M_t),
 *   near modes, and with structural damping all powers of the far ones (complex),
 *   odd powers (imaginary).
 */
struct modal_sum {
    int n_in, n_out, n_harmonics, *harmonics;
    double eta, top;
    int n_even, n_near, n_structural, n_odd;
    double *matrices;               /* [n_even + n_near + n_structural + n_odd][n_in][n_out] */
    int *needed;                    /* [n_harmonics] powers of x that are not negligible */
    double *omega, *rate, *near_in; /* [n_near], [n_near], [n_near][n_in] */
    bool *is_excluded;              /* [n_harmonics][n_near] */
    double *coefficients;           /* [n_harmonics][4][n_terms]: re, im and their slopes */
    bool has_loss;                  /* see modal_sum_has_loss */
    int n_loss;                     /* powers of x^2 in the loss of the far modes */
    double *loss;                   /* [n_loss][n_in][n_in] */
    const double *residual; /* lent, [n_in][n_in] flexibility of massless DOFs, or NULL */
};

/*
 * Which modes are near, and how many powers of s the others need.
 *
 * With x = q / top, top being the highest frequency that occurs, a far mode without structural
 * damping expands as 1 / (omega^2 + c s + s^2) = sum_j a_j (i x)^j,
 *   a_0 = 1 / omega^2,  a_j = -(c top a_(j-1) + top^2 a_(j-2)) / omega^2.
 * With structural damping (and c = 0) the powers are those of x^2 / (1 + i eta), which adds the
 * factor 1 / (1 + i eta).
 */
struct modal_split {
    double top;    /* highest harmonic times highest Omega, rad/s */
    bool *is_near; /* [n_modes] */
    int n_near;
    int n_terms; /* powers of (i x) that far modes need at the highest harmonic */
    int *needed; /* [n_harmonics] powers that suffice at each harmonic */
};

/* Terms of the loss that are dropped at the end of its series, relative to the largest: it is
 * needed less exactly than the response. */
static const double NEGLIGIBLE_LOSS = 1e-14;
/* Products for one near mode and for one power of s, value and derivative. */
enum { COST_NEAR = 4, COST_TERM = 2 };

/* a [MODAL_SERIES_ROOM] of one mode; odd terms are zero with structural damping */
static void mode_series(const struct structure *structure, int mode, double top, double *a)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double rate = structure->modal_damping[mode] * top / square, ratio = top * top / square;
    a[0] = 1 / square;
    a[1] = -rate * a[0];
    for (int j = 2; j < MODAL_SERIES_ROOM; j++) {
        a[j] = -(rate * a[j - 1] + ratio * a[j - 2]);
    }
}

/* b [MODAL_SERIES_ROOM]: 1 / |omega^2 (1 + i eta) + c s + s^2|^2 = sum_j b_j x^(2 j) */
static void mode_loss_series(const struct structure *structure, int mode, double top, double *b)
{
    double square = structure->omega[mode] * structure->omega[mode];
    double c = structure->modal_damping[mode], eta = structure->loss_factor;
    double constant = square * square * (1 + eta * eta);
    double linear = (c * c - 2 * square) * top * top / constant;
    double quadratic = top * top * top * top / constant;
    b[0] = 1 / constant;
    b[1] = -linear * b[0];
    for (int j = 2; j < MODAL_SERIES_ROOM; j++) {
        b[j] = -(linear * b[j - 1] + quadratic * b[j - 2]);
    }
}

/* Number of leading terms after which |a_j| x^j stays below limit |a_0|; -1: too many */
static int terms_needed(const double *a, int n, double x, double limit)
{
    int needed = n;
    while (needed > 0 && fabs(a[needed - 1]) * pow(x, needed - 1) < limit * fabs(a[0])) {
        needed--;
    }
    return needed <= n - MODAL_SERIES_TAIL ? needed : -1;
}

/* Powers of s that a mode needs as a far one; -1 where it cannot be one */
static int mode_needs(const struct structure *structure, int mode, double top)
{
    double a[MODAL_SERIES_ROOM], b[MODAL_SERIES_ROOM];
    bool is_mixed = structure->loss_factor != 0 && structure->modal_damping[mode] != 0;
    if (structure->omega[mode] <= top || is_mixed) {
        return -1;
    }
    mode_loss_series(structure, mode, top, b);
    if (terms_needed(b, MODAL_SERIES_ROOM, 1, NEGLIGIBLE_LOSS) < 0) {
        return -1;
    }
    mode_series(structure, mode, top, a);
    return terms_needed(a, MODAL_SERIES_ROOM, 1, MODAL_SERIES_NEGLIGIBLE);
}

/* Length of the series at which near modes and powers together cost least */
static int cheapest(int n_modes, const int *needs, const bool *is_forced)
{
    int best = 0, best_cost = 0;
    for (int length = 0; length < MODAL_SERIES_ROOM; length++) {
        int cost = COST_TERM * length;
        for (int k = 0; k < n_modes; k++) {
            cost += is_forced[k] || needs[k] < 0 || needs[k] > length ? COST_NEAR : 0;
        }
        if (length == 0 || cost < best_cost) {
            best = length;
            best_cost = cost;
        }
    }
    return best;
}

/* worst [MODAL_SERIES_ROOM]: largest |a_j / a_0| of all far modes */
static void worst_series(const struct structure *structure, const struct modal_split *split,
                         double *worst)
{
    double a[MODAL_SERIES_ROOM];
    for (int k = 0; k < structure->n_modes; k++) {
        if (split->is_near[k]) {
            continue;
        }
        mode_series(structure, k, split->top, a);
        for (int j = 0; j < MODAL_SERIES_ROOM; j++) {
            worst[j] = fmax(worst[j], fabs(a[j] / a[0]));
        }
    }
}

static void count_powers(const struct structure *structure,
                         const struct compliance_settings *settings, struct modal_split *split)
{
    double worst[MODAL_SERIES_ROOM] = {0};
    double highest = settings->harmonics[settings->n_harmonics - 1];
    worst_series(structure, split, worst);
    for (int i = 0; worst[0] > 0 && i < settings->n_harmonics; i++) {
        double x = highest > 0 ? settings->harmonics[i] / highest : 0;
        split->needed[i] = terms_needed(worst, MODAL_SERIES_ROOM, x, MODAL_SERIES_NEGLIGIBLE);
        split->n_terms = split->needed[i] > split->n_terms ? split->needed[i] : split->n_terms;
    }
}

static enum masing_status split_modes(const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      struct arena *arena, struct modal_split *split,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    int *needs = arena_array(arena, n, sizeof *needs);
    split->is_near = arena_array(arena, n, sizeof *split->is_near);
    split->needed = arena_array(arena, (size_t)settings->n_harmonics, sizeof *split->needed);
    TRY_ALLOCATED(!arena->has_failed);
    split->top = modal_ports_top(settings);
    for (size_t k = 0; k < n; k++) {
        needs[k] = mode_needs(structure, (int)k, split->top);
    }
    for (int e = 0; e < settings->n_exclusions; e++) {
        split->is_near[settings->exclusions[e].mode] = true;
    }
    int length = cheapest((int)n, needs, split->is_near);
    for (size_t k = 0; k < n; k++) {
        split->is_near[k] = split->is_near[k] || needs[k] < 0 || needs[k] > length;
        split->n_near += split->is_near[k];
    }
    count_powers(structure, settings, split);
done:
    return status;
}

static inline size_t modal_sum_n_terms(const struct modal_sum *sum)
{
    return (size_t)(sum->n_even + sum->n_near + sum->n_structural + sum->n_odd);
}

/* From so many on the losses of the far modes are not summed into series of squares. */
enum { MANY_PORTS = 16 };

/* What creation needs beside the sum itself */
struct context {
    const struct structure *structure;
    const struct modal_ports *ports;
    const struct compliance_settings *settings;
    struct modal_split split;
};

/* target [n_in][n_out] += factor in_k out_k^T */
static void add_mode(const struct context *context, size_t mode, double factor, double *target)
{
    size_t n_modes = (size_t)context->structure->n_modes;
    size_t n_in = (size_t)context->settings->n_in, n_out = (size_t)context->settings->n_out;
    for (size_t i = 0; i < n_in; i++) {
        double share = factor * context->ports->in[mode + i * n_modes];
        for (size_t o = 0; o < n_out; o++) {
            *target++ += share * context->ports->out[mode + o * n_modes];
        }
    }
}

/* The first matrix of the powers j = parity, parity + 2, ... and how many there are */
static double *power_matrices(struct modal_sum *sum, int parity, int *n_powers)
{
    size_t size = (size_t)sum->n_in * (size_t)sum->n_out;
    int first = parity ? sum->n_even + sum->n_near + sum->n_structural : 0;
    *n_powers = parity ? sum->n_odd : sum->n_even;
    if (sum->n_structural > 0 && !parity) {
        first = sum->n_even + sum->n_near;
        *n_powers = sum->n_structural;
    }
    return sum->matrices + (size_t)first * size;
}

/* columns [n_far * (n_powers * n_in)]: sign a_j in_k of the powers of one parity */
static void weigh_ports(const struct context *context, const struct modal_sum *sum, int parity,
                        int n_powers, double *columns)
{
    const struct structure *structure = context->structure;
    size_t n_modes = (size_t)structure->n_modes, n_in = (size_t)sum->n_in, row = 0;
    size_t n_far = n_modes - (size_t)sum->n_near;
    double a[MODAL_SERIES_ROOM];
    for (size_t k = 0; k < n_modes; k++) {
        if (context->split.is_near[k]) {
            continue;
        }
        mode_series(structure, (int)k, sum->top, a);
        for (size_t m = 0; m < (size_t)n_powers; m++) {
            int j = 2 * (int)m + parity;
            for (size_t i = 0; i < n_in; i++) {
                columns[row + (m * n_in + i) * n_far] =
                    modal_sign_of_power(j) * a[j] * context->ports->in[k + i * n_modes];
            }
        }
        row++;
    }
}

/* part [n_far * n_ports]: rows of the far modes of ports [n_modes * n_ports] */
static void take_far(const struct context *context, int n_ports, const double *ports,
                     double *part)
{
    for (size_t p = 0; p < (size_t)n_ports; p++) {
        for (int k = 0; k < context->structure->n_modes; k++) {
            if (!context->split.is_near[k]) {
                *part++ = ports[(size_t)k + p * (size_t)context->structure->n_modes];
            }
        }
    }
}

/* Matrices of all powers: sum over the far modes of sign a_j in_k out_k^T; scratch out
 * [n_far * n_out], columns as above for the powers of one parity. */
static void fill_powers(const struct context *context, struct modal_sum *sum, double *out,
                        double *columns)
{
    int n_far = context->structure->n_modes - sum->n_near;
    take_far(context, sum->n_out, context->ports->out, out);
    for (int parity = 0; parity < 2; parity++) {
        int n_powers;
        double *matrices = power_matrices(sum, parity, &n_powers);
        weigh_ports(context, sum, parity, n_powers, columns);
        dense_multiply_transposed(sum->n_out, n_powers * sum->n_in, n_far, out, columns,
                                  matrices);
    }
}

/* Loss of the far modes: sum of (c or eta omega^2) b_j in_k in_k^T */
static void add_far_loss(const struct context *context, size_t mode, struct modal_sum *sum)
{
    const struct structure *structure = context->structure;
    size_t n_modes = (size_t)structure->n_modes, n_in = (size_t)sum->n_in;
    double b[MODAL_SERIES_ROOM], omega = structure->omega[mode], *loss = sum->loss;
    double weight = sum->eta == 0 ? structure->modal_damping[mode] : sum->eta * omega * omega;
    mode_loss_series(structure, (int)mode, sum->top, b);
    for (int j = 0; j < sum->n_loss; j++) {
        for (size_t i = 0; i < n_in; i++) {
            double share = weight * b[j] * context->ports->in[mode + i * n_modes];
            for (size_t k = 0; k < n_in; k++) {
                *loss++ += share * context->ports->in[mode + k * n_modes];
            }
        }
    }
}

static void add_near_mode(const struct context *context, size_t mode, int place,
                          struct modal_sum *sum)
{
    size_t n_modes = (size_t)context->structure->n_modes, n_in = (size_t)sum->n_in;
    size_t size = n_in * (size_t)sum->n_out;
    sum->omega[place] = context->structure->omega[mode];
    sum->rate[place] = context->structure->modal_damping[mode];
    add_mode(context, mode, 1, sum->matrices + (size_t)(sum->n_even + place) * size);
    for (size_t i = 0; i < n_in; i++) {
        sum->near_in[(size_t)place * n_in + i] = context->ports->in[mode + i * n_modes];
    }
    for (size_t i = 0; i < (size_t)sum->n_harmonics; i++) {
        sum->is_excluded[i * (size_t)sum->n_near + (size_t)place] =
            context->ports->is_excluded[i * n_modes + mode];
    }
}

/* Terms that exist: odd powers only with damping, one power at least for massless DOFs */
static void count_terms(const struct context *context, struct modal_sum *sum)
{
    const struct structure *structure = context->structure;
    bool has_damping = false;
    int n_terms = context->split.n_terms;
    for (int k = 0; k < structure->n_modes; k++) {
        has_damping =
            has_damping || (!context->split.is_near[k] && structure->modal_damping[k] != 0);
    }
    if (structure->flexibility && n_terms == 0) {
        n_terms = 1;
    }
    sum->eta = structure->loss_factor;
    sum->n_near = context->split.n_near;
    if (sum->eta == 0) {
        sum->n_even = (n_terms + 1) / 2;
        sum->n_odd = has_damping ? n_terms / 2 : 0;
    } else {
        sum->n_structural = (n_terms + 1) / 2;
    }
    sum->has_loss = structure->flexibility || sum->n_in < MANY_PORTS;
    if (sum->has_loss && context->split.n_terms > 0 && (has_damping || sum->eta != 0)) {
        sum->n_loss = MODAL_SERIES_ROOM;
    }
}

static enum masing_status allocate(struct modal_sum *sum, struct arena *arena,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_terms = modal_sum_n_terms(sum), n_in = (size_t)sum->n_in;
    size_t n_near = (size_t)sum->n_near, n_harmonics = (size_t)sum->n_harmonics;
    sum->harmonics = arena_array(arena, n_harmonics, sizeof(int));
    sum->needed = arena_array(arena, n_harmonics, sizeof(int));
    sum->matrices = arena_doubles(arena, n_terms * n_in * (size_t)sum->n_out);
    sum->omega = arena_doubles(arena, n_near);
    sum->rate = arena_doubles(arena, n_near);
    sum->near_in = arena_doubles(arena, n_near * n_in);
    sum->is_excluded = arena_array(arena, n_harmonics * n_near, sizeof(bool));
    sum->coefficients = arena_doubles(arena, n_harmonics * 4 * n_terms);
    sum->loss = arena_doubles(arena, (size_t)sum->n_loss * n_in * n_in);
    TRY_ALLOCATED(!arena->has_failed);
done:
    return status;
}

/* Static flexibility of massless DOFs between the ports; it joins the power 0. */
static void add_residual(const struct modal_ports *ports, struct modal_sum *sum)
{
    int n_powers;
    double *target = power_matrices(sum, 0, &n_powers);
    for (size_t i = 0; i < (size_t)sum->n_in * (size_t)sum->n_out; i++) {
        target[i] += ports->residual[i];
    }
    for (int i = 0; i < sum->n_harmonics; i++) {
        sum->needed[i] = sum->needed[i] > 0 ? sum->needed[i] : 1;
    }
}

/* The loss series may end before its room does. */
static void shorten_loss(struct modal_sum *sum)
{
    size_t square = (size_t)sum->n_in * (size_t)sum->n_in;
    double largest = 0;
    for (size_t i = 0; i < square && sum->n_loss > 0; i++) {
        largest = sum->loss[i] > largest ? sum->loss[i] : largest;
    }
    for (; sum->n_loss > 1; sum->n_loss--) {
        const double *last = sum->loss + (size_t)(sum->n_loss - 1) * square;
        for (size_t i = 0; i < square; i++) {
            if (fabs(last[i]) > NEGLIGIBLE_LOSS * largest) {
                return;
            }
        }
    }
}

static enum masing_status fill(const struct context *context, struct modal_sum *sum,
                               struct arena *scratch, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_harmonics = (size_t)sum->n_harmonics;
    size_t n_far = (size_t)(context->structure->n_modes - sum->n_near);
    size_t widest = (size_t)(sum->n_even + sum->n_structural + sum->n_odd) * (size_t)sum->n_in;
    double *out = arena_doubles(scratch, n_far * (size_t)sum->n_out);
    double *columns = arena_doubles(scratch, n_far * widest);
    TRY_ALLOCATED(out && columns);
    memcpy(sum->harmonics, context->settings->harmonics, n_harmonics * sizeof(int));
    memcpy(sum->needed, context->split.needed, n_harmonics * sizeof(int));
    fill_powers(context, sum, out, columns);
    int place = 0;
    for (int k = 0; k < context->structure->n_modes; k++) {
        if (context->split.is_near[k]) {
            add_near_mode(context, (size_t)k, place++, sum);
        } else if (sum->n_loss > 0) {
            add_far_loss(context, (size_t)k, sum);
        }
    }
    if (context->ports->residual) {
        add_residual(context->ports, sum);
    }
    shorten_loss(sum);
done:
    return status;
}

enum masing_status modal_sum_create(const struct modal_ports *ports,
                                    const struct compliance_settings *settings,
                                    struct arena *arena, struct modal_sum **result,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    struct context context = {
        .structure = ports->structure, .ports = ports, .settings = settings};
    struct modal_sum *sum = arena_array(arena, 1, sizeof *sum);
    TRY_ALLOCATED(sum);
    TRY(split_modes(ports->structure, settings, &scratch, &context.split, error));
    sum->n_in = settings->n_in;
    sum->n_out = settings->n_out;
    sum->n_harmonics = settings->n_harmonics;
    sum->residual = ports->residual_in;
    sum->top = context.split.top > 0 ? context.split.top : 1;
    count_terms(&context, sum);
    TRY(allocate(sum, arena, error));
    TRY(fill(&context, sum, &scratch, error));
    *result = sum;
done:
    arena_clear(&scratch);
    return status;
}

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
    if (sum->residual) {
        total += sum->eta / (1 + sum->eta * sum->eta) *
                 quadratic_form(sum->n_in, sum->residual, re, im);
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
