/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dF/dx = E1 + s (P(x, v) - E2 F) is linear in E1, E2 and P's coefficients (Jalali et al. 2022,
 * eqs 13 to 17, the last with the transpose that it lacks). Differentiating measured forces
 * multiplies their noise by the number of samples, so the equation is integrated along each
 * branch from its first sample a:
 *   F(x) - F_a = E1 (x - x_a) + s sum_k a_k int phi_k dx - s E2 int F dx.
 * The integrals follow the samples: displacement, force and time between two samples are the
 * cubics through four of the branch. F_a is one more unknown of each branch, projected out by
 * subtracting the branch's mean from all columns.
 */
#include "analyses/identify/valanis_regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/least_squares.h"
#include "base/check.h"
#include "base/memory.h"

enum { STENCIL = 4 };

/* A part of the motion in one direction that takes part. */
struct piece {
    int loop;
    double sign;
    int begin, end; /* points begin .. end of the whole branch */
    int first, n;   /* the first point that counts, and how many */
    int set;
};

struct assembly {
    const struct masing_valanis_request *request;
    const struct measured_path *paths;
    int n_pieces;
    size_t capacity;
    struct piece *pieces;
    int n_rows, n_sets, n_unknowns;
    double *rates;     /* [n_unknowns] integrands: 1, s phi_k, -s F */
    double *integrals; /* [n_unknowns] likewise, behind the rates */
};

/* Turns smaller than this share of the travel are noise. */
static const double smallest_turn = 0.01;

/* Turning points: where the motion has come back by more than the threshold. */
static int find_turns(const struct measured_path *path, int *turns)
{
    double threshold = smallest_turn * path->travel;
    int n = 0, high = 0, low = 0, direction = 0;
    turns[n++] = 0;
    for (int i = 1; i < path->n_points; i++) {
        high = path->x[i] > path->x[high] ? i : high;
        low = path->x[i] < path->x[low] ? i : low;
        if (direction >= 0 && path->x[high] - path->x[i] > threshold) {
            if (direction > 0) {
                turns[n++] = high;
            }
            direction = -1;
            low = i;
        } else if (direction <= 0 && path->x[i] - path->x[low] > threshold) {
            if (direction < 0) {
                turns[n++] = low;
            }
            direction = 1;
            high = i;
        }
    }
    turns[n++] = path->n_points - 1;
    return n;
}

/* Cut a share of its travel off both ends of a branch; n <= 0 where nothing is left. */
static void cut_ends(const struct measured_path *path, double share, struct piece *piece)
{
    const double *x = path->x;
    int last = piece->end;
    double margin = share * fabs(x[piece->end] - x[piece->begin]);
    piece->first = piece->begin;
    while (piece->first <= last && (x[piece->first] - x[piece->begin]) * piece->sign < margin) {
        piece->first++;
    }
    while (last >= piece->first && (x[piece->end] - x[last]) * piece->sign < margin) {
        last--;
    }
    piece->n = last - piece->first + 1;
}

/* P's term at a displacement and velocity, without its coefficient. */
static double term_value(const struct masing_valanis_term *term, double x, double v,
                         double sign)
{
    double value = term->rate != 0.0 ? exp(term->rate * x) : 1.0;
    for (int i = 0; i < term->power; i++) {
        value *= x;
    }
    switch (term->velocity) {
    case MASING_TERM_LINEAR:
        return value * v;
    case MASING_TERM_ABS:
        return value * fabs(v);
    case MASING_TERM_SIGN:
        return value * sign;
    case MASING_TERM_SQUARE:
        return value * v * v;
    case MASING_TERM_CUBE:
        return value * v * v * v;
    case MASING_TERM_NONE:
        break;
    }
    return value;
}

bool valanis_needs_speed(const struct masing_valanis_request *request)
{
    for (int k = 0; k < request->n_terms; k++) {
        if (request->terms[k].velocity != MASING_TERM_NONE &&
            request->terms[k].velocity != MASING_TERM_SIGN) {
            return true;
        }
    }
    return false;
}

/* dF/dx is the product of these with the unknowns. */
static void integrands(const struct assembly *assembly, double sign, double x, double v,
                       double f, double *rates)
{
    int n_terms = assembly->request->n_terms;
    rates[0] = 1.0;
    for (int k = 0; k < n_terms; k++) {
        rates[1 + k] = sign * term_value(&assembly->request->terms[k], x, v, sign);
    }
    rates[1 + n_terms] = -sign * f;
}

/* Lagrange's cubics on the nodes 0, 1, 2, 3 and their slopes at u. */
static void cubics(double u, double *weights, double *slopes)
{
    static const double nodes[STENCIL] = {0, 1, 2, 3};
    for (int i = 0; i < STENCIL; i++) {
        double value = 1.0, slope = 0.0;
        for (int j = 0; j < STENCIL; j++) {
            if (j != i) {
                double gap = nodes[i] - nodes[j];
                slope = (slope * (u - nodes[j]) + value) / gap;
                value *= (u - nodes[j]) / gap;
            }
        }
        weights[i] = value;
        slopes[i] = slope;
    }
}

struct motion_point {
    double x, f, v, dx; /* dx: per sample */
};

static struct motion_point interpolate(const struct measured_path *path, int start, double u)
{
    double weights[STENCIL], slopes[STENCIL], dt = 0.0;
    struct motion_point point = {0};
    cubics(u, weights, slopes);
    for (int i = 0; i < STENCIL; i++) {
        point.x += weights[i] * path->x[start + i];
        point.f += weights[i] * path->f[start + i];
        point.dx += slopes[i] * path->x[start + i];
        dt += slopes[i] * path->t[start + i];
    }
    point.v = point.dx / dt;
    return point;
}

/* Add the integrals from point j to j + 1 (Gauss and Legendre's three points). */
static void integrate_step(struct assembly *assembly, const struct piece *piece, int j)
{
    static const double places[] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double shares[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const struct measured_path *path = &assembly->paths[piece->loop];
    int start = j - 1;
    start = start < piece->begin ? piece->begin : start;
    start = start + STENCIL - 1 > piece->end ? piece->end - STENCIL + 1 : start;
    for (int q = 0; q < 3; q++) {
        struct motion_point point = interpolate(path, start, j - start + places[q]);
        integrands(assembly, piece->sign, point.x, point.v, point.f, assembly->rates);
        for (int k = 0; k < assembly->n_unknowns; k++) {
            assembly->integrals[k] += shares[q] * assembly->rates[k] * point.dx;
        }
    }
}

static void subtract_mean(int n, double *values)
{
    double mean = 0.0;
    for (int i = 0; i < n; i++) {
        mean += values[i] / n;
    }
    for (int i = 0; i < n; i++) {
        values[i] -= mean;
    }
}

/* Rows of one branch from `row` on. */
static void fill_piece(struct assembly *assembly, const struct piece *piece, int row,
                       struct regression *regression)
{
    const struct measured_path *path = &assembly->paths[piece->loop];
    int n = piece->n, n_unknowns = assembly->n_unknowns;
    size_t n_rows = (size_t)regression->n_rows;
    double *first = regression->matrix + (size_t)(piece->set * n_unknowns) * n_rows + row;
    memset(assembly->integrals, 0, (size_t)n_unknowns * sizeof(double));
    for (int i = 0; i < n; i++) {
        if (i > 0) {
            integrate_step(assembly, piece, piece->first + i - 1);
        }
        for (int k = 0; k < n_unknowns; k++) {
            first[(size_t)k * n_rows + (size_t)i] = assembly->integrals[k];
        }
        regression->values[row + i] = path->f[piece->first + i];
    }
    for (int k = 0; k < n_unknowns; k++) {
        subtract_mean(n, first + (size_t)k * n_rows);
    }
    subtract_mean(n, regression->values + row);
}

/* Branches of one loop, as far as their direction takes part. */
static enum masing_status add_loop(struct assembly *assembly, int loop,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct measured_path *path = &assembly->paths[loop];
    enum masing_branches branches = assembly->request->branches;
    int *turns = memory_array((size_t)path->n_points + 1, sizeof *turns);
    TRY_ALLOCATED(turns);
    int n = find_turns(path, turns);
    for (int i = 0; i + 1 < n; i++) {
        double travel = path->x[turns[i + 1]] - path->x[turns[i]];
        struct piece piece = {.loop = loop,
                              .begin = turns[i],
                              .end = turns[i + 1],
                              .sign = copysign(1.0, travel),
                              .set = branches == MASING_BRANCHES_SEPARATE && travel < 0};
        bool is_wanted = !(branches == MASING_BRANCHES_LOADING && travel < 0) &&
                         !(branches == MASING_BRANCHES_UNLOADING && travel > 0) &&
                         fabs(travel) > smallest_turn * path->travel;
        cut_ends(path, assembly->request->end_share, &piece);
        if (is_wanted && piece.n >= STENCIL) {
            TRY_ALLOCATED(memory_grow((void **)&assembly->pieces,
                                      (size_t)assembly->n_pieces + 1, &assembly->capacity,
                                      sizeof *assembly->pieces));
            assembly->pieces[assembly->n_pieces++] = piece;
            assembly->n_rows += piece.n;
        }
    }
done:
    free(turns);
    return status;
}

static enum masing_status check_count(const struct assembly *assembly,
                                      struct masing_error *error)
{
    for (int set = 0; set < assembly->n_sets; set++) {
        int n_rows = 0, n_unknowns = assembly->n_unknowns;
        for (int i = 0; i < assembly->n_pieces; i++) {
            const struct piece *piece = &assembly->pieces[i];
            if (piece->set == set) {
                n_rows += piece->n;
                n_unknowns++;
            }
        }
        if (n_rows <= n_unknowns) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: %d samples away from the turning points%s do not "
                                    "determine %d unknowns",
                                    assembly->request->data.loops[0].name, n_rows,
                                    set > 0 ? " while unloading" : "", n_unknowns);
        }
    }
    return MASING_OK;
}

static enum masing_status find_pieces(struct assembly *assembly, struct masing_error *error)
{
    const struct masing_valanis_request *request = assembly->request;
    bool needs_time = valanis_needs_speed(request);
    assembly->n_sets = request->branches == MASING_BRANCHES_SEPARATE ? 2 : 1;
    assembly->n_unknowns = request->n_terms + 2;
    assembly->rates = memory_array(2 * (size_t)assembly->n_unknowns, sizeof(double));
    NEED_ALLOCATED(assembly->rates);
    assembly->integrals = assembly->rates + assembly->n_unknowns;
    for (int i = 0; i < request->data.n_loops; i++) {
        NEED(add_loop(assembly, i, error));
        if (needs_time && !assembly->paths[i].has_time) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: terms with a velocity need a column 'time' (or, where "
                                    "the loop is one steady cycle, its frequency)",
                                    request->data.loops[i].name);
        }
    }
    return check_count(assembly, error);
}

/* Measured force less what is left over. */
static void write_fitted(const struct assembly *assembly, const double *rest, double **fitted)
{
    for (int i = 0; i < assembly->request->data.n_loops; i++) {
        for (int j = 0; j < assembly->request->data.loops[i].n_samples; j++) {
            fitted[i][j] = NAN;
        }
    }
    for (int i = 0; i < assembly->n_pieces; i++) {
        const struct piece *piece = &assembly->pieces[i];
        const struct measured_path *path = &assembly->paths[piece->loop];
        for (int j = piece->first; j < piece->first + piece->n; j++) {
            fitted[piece->loop][(path->first + j) % path->n] = path->f[j] - *rest++;
        }
    }
}

/* The paper's own system (15), rows 1, s phi_k, -s F: its condition number in SI units. */
static enum masing_status measure_condition(struct assembly *assembly,
                                            struct valanis_regression *result,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_columns = assembly->n_sets * assembly->n_unknowns, row = 0;
    struct svd system = {0};
    TRY(svd_create(assembly->n_rows, n_columns, &system, error));
    for (int i = 0; i < assembly->n_pieces; i++) {
        const struct piece *piece = &assembly->pieces[i];
        const struct measured_path *path = &assembly->paths[piece->loop];
        for (int j = piece->first; j < piece->first + piece->n; j++, row++) {
            int start = j > piece->end - STENCIL + 1 ? piece->end - STENCIL + 1 : j;
            struct motion_point point = interpolate(path, start, j - start);
            integrands(assembly, piece->sign, point.x, point.v, point.f, assembly->rates);
            for (int k = 0; k < assembly->n_unknowns; k++) {
                int column = piece->set * assembly->n_unknowns + k;
                system.matrix[(size_t)column * (size_t)assembly->n_rows + (size_t)row] =
                    assembly->rates[k];
            }
        }
    }
    TRY(svd_factor(n_columns, &system));
    result->condition_unscaled = svd_condition(&system);
done:
    svd_clear(&system);
    return status;
}

/*
 * Misfits of a term that is absent are correlated from sample to sample and count as fewer
 * data: intervals are wider by the root of (1 + rho) / (1 - rho), rho the correlation
 * of neighbours, as with noise of that correlation (Bartlett 1946).
 */
static double misfit_correlation(const struct assembly *assembly,
                                 const struct regression *regression)
{
    struct neighbours neighbours = {0};
    const double *misfits = regression->values;
    for (int i = 0; i < assembly->n_pieces; i++) {
        const struct piece *piece = &assembly->pieces[i];
        neighbours_add(&neighbours, piece->n, misfits);
        misfits += piece->n;
    }
    return neighbours_are_correlated(&neighbours)
               ? fmin(neighbours_correlation(&neighbours), 1.0 - 2.0 / assembly->n_rows)
               : 0.0;
}

static enum masing_status solve(struct assembly *assembly, struct regression *regression,
                                struct valanis_regression *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = assembly->n_unknowns, row = 0;
    for (int i = 0; i < assembly->n_pieces; i++) {
        fill_piece(assembly, &assembly->pieces[i], row, regression);
        row += assembly->pieces[i].n;
    }
    regression->n_hidden = assembly->n_pieces;
    struct masing_error reason = {0};
    status = regression_solve(regression, assembly->request->tikhonov, &reason);
    if (status == MASING_SINGULAR) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%s: %s on these branches: leave a term out, or use --tikhonov",
                             assembly->request->data.loops[0].name, reason.message));
    } else if (status != MASING_OK) {
        TRY(masing_error_set(error, status, "%s", reason.message));
    }
    double correlation = misfit_correlation(assembly, regression);
    for (int k = 0; k < regression->n_columns; k++) {
        regression->intervals[k] *= sqrt((1.0 + correlation) / (1.0 - correlation));
    }
    for (int set = 0; set < assembly->n_sets; set++) {
        memcpy(result->values[set], regression->solution + set * n, (size_t)n * sizeof(double));
        memcpy(result->intervals[set], regression->intervals + set * n,
               (size_t)n * sizeof(double));
    }
    result->n_sets = assembly->n_sets;
    result->n_unknowns = n;
    result->n_data = assembly->n_rows;
    result->sum = regression->sum;
    result->condition = regression->condition;
    result->tikhonov = regression->tikhonov;
done:
    return status;
}

enum masing_status valanis_regression_run(const struct masing_valanis_request *request,
                                          const struct measured_path *paths,
                                          struct valanis_regression *result, double **fitted,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct assembly assembly = {.request = request, .paths = paths};
    struct regression regression = {0};
    *result = (struct valanis_regression){0};
    TRY(find_pieces(&assembly, error));
    TRY(regression_create(assembly.n_rows, assembly.n_sets * assembly.n_unknowns, &regression,
                          error));
    TRY(solve(&assembly, &regression, result, error));
    TRY(measure_condition(&assembly, result, error));
    write_fitted(&assembly, regression.values, fitted);
done:
    regression_clear(&regression);
    free(assembly.pieces);
    free(assembly.rates);
    return status;
}
