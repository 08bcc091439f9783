/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/coupling.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/bracket.h"
#include "linalg/lu.h"

enum { MAX_ITERATIONS = 100, MAX_SEARCHES = 60, MAX_STALLED = 10 };

/* Corrections below this part of the largest displacement are round-off; where no progress is
 * possible any more, the second is accepted. Where so many iterations in a row brought none, a
 * force jumps at this very place: return-point memory that forgot a small loop jumps where it
 * passes it. There the third is accepted. */
static const double SMALL_CORRECTION = 1e-13, STAGNANT_CORRECTION = 1e-10,
                    JUMP_CORRECTION = 1e-6;

/* A line search ends where the slope is at most this part of that at its beginning. */
static const double SLOPE_SHRINKAGE = 0.1;

void coupling_reset(struct coupling *coupling)
{
    coupling->n_past = 0;
    coupling->has_factors = false;
    coupling->reach = 0.0;
}

/* residual = y - g at x */
static enum masing_status evaluate(struct coupling *coupling)
{
    int n = coupling->n_axes;
    const double *x = coupling->x;
    for (int i = 0; i < n; i++) {
        coupling->v[i] = coupling->v_free[i] + coupling->rate * (x[i] - coupling->x_free[i]);
    }
    enum masing_status status = coupling->evaluate
                                    ? coupling->evaluate(coupling->context, x, coupling->v)
                                    : joints_evaluate(coupling->joints, x, coupling->v);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        coupling->residual[i] = coupling->y[i] - coupling->joints->f[i];
        sum += fabs(coupling->residual[i]) + fabs(x[i]);
    }
    return status != MASING_OK ? status : isfinite(sum) ? MASING_OK : MASING_NOT_FINITE;
}

/* out = S in */
static void comply(const struct coupling *coupling, const double *in, double *out)
{
    size_t n = (size_t)coupling->n_axes;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) {
            sum += coupling->compliance[i * n + j] * in[j];
        }
        out[i] = sum;
    }
}

/* A sum, so that it is not finite where one of its terms is not. */
static double weighted(const struct coupling *coupling, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < coupling->n_axes; i++) {
        sum += coupling->weight[i] * fabs(x[i]);
    }
    return sum;
}

/* The direction's displacement relative to the largest so far. */
static double correction_size(const struct coupling *coupling)
{
    double size = weighted(coupling, coupling->dx);
    double scale = fmax(weighted(coupling, coupling->x), weighted(coupling, coupling->x_free));
    return size == 0.0 ? 0.0 : size / fmax(scale, coupling->reach);
}

/* Factorise I + K S with K = dg/dx + rate dg/dv, unless the tangents are those of the factors
 * at hand, as for laws whose force is piecewise linear they are most of the time. */
static enum masing_status factorise(struct coupling *coupling)
{
    const struct joints *joints = coupling->joints;
    size_t n_tangents = joints->block_start[joints->n_joints], n = (size_t)coupling->n_axes;
    bool is_same = coupling->has_factors;
    for (size_t i = 0; i < n_tangents; i++) {
        double tangent = joints->fx[i] + coupling->rate * joints->fv[i];
        is_same = is_same && tangent == coupling->tangent[i];
        coupling->tangent[i] = tangent;
    }
    if (is_same) {
        return MASING_OK;
    }
    for (int j = 0; j < joints->n_joints; j++) { /* K has the joints' blocks on its diagonal */
        size_t first = (size_t)joints->joint[j].first_axis;
        size_t m = (size_t)joints->joint[j].n_axes;
        const double *block = coupling->tangent + joints->block_start[j];
        for (size_t row = 0; row < m; row++) {
            for (size_t column = 0; column < n; column++) {
                double sum = column == first + row ? 1.0 : 0.0;
                for (size_t k = 0; k < m; k++) {
                    sum += block[row * m + k] * coupling->compliance[(first + k) * n + column];
                }
                coupling->matrix[column * n + first + row] = sum;
            }
        }
    }
    enum masing_status status = lu_factor(coupling->n_axes, coupling->matrix, coupling->pivots);
    coupling->has_factors = status == MASING_OK;
    return status;
}

/* dy = -(I + K S)^-1 residual, dx = -S dy */
static enum masing_status find_direction(struct coupling *coupling)
{
    enum masing_status status = MASING_OK;
    int n = coupling->n_axes;
    if (n == 1) {
        const struct joints *joints = coupling->joints;
        double tangent = joints->fx[0] + coupling->rate * joints->fv[0];
        double slope = 1.0 + coupling->compliance[0] * tangent;
        coupling->dy[0] = -coupling->residual[0] / slope;
        coupling->dx[0] = -coupling->compliance[0] * coupling->dy[0];
        status = slope != 0.0 && isfinite(slope) ? MASING_OK : MASING_SINGULAR;
        goto done;
    }
    TRY(factorise(coupling));
    for (int i = 0; i < n; i++) {
        coupling->dy[i] = -coupling->residual[i];
    }
    lu_solve(n, coupling->matrix, coupling->pivots, coupling->dy, 1);
    comply(coupling, coupling->dy, coupling->dx);
    for (int i = 0; i < n; i++) {
        coupling->dx[i] = -coupling->dx[i];
    }
done:
    return status;
}

/* Slope of the convex function along the direction, dy . S (y - g) = -dx . residual. */
static double slope(const struct coupling *coupling)
{
    double sum = 0.0;
    for (int i = 0; i < coupling->n_axes; i++) {
        sum -= coupling->dx[i] * coupling->residual[i];
    }
    return sum;
}

static enum masing_status go(struct coupling *coupling, double part)
{
    for (int i = 0; i < coupling->n_axes; i++) {
        coupling->y[i] = coupling->y_start[i] + part * coupling->dy[i];
        coupling->x[i] = coupling->x_start[i] + part * coupling->dx[i];
    }
    return evaluate(coupling);
}

/* The full step where the function still falls at its end or has become nearly level; else the
 * place in between where it is level. Forces that fall may make it rise from the beginning: the
 * search then goes back there, and Newton's method ends without a solution. */
static enum masing_status search_line(struct coupling *coupling)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)coupling->n_axes;
    double slope_from = slope(coupling), enough = -SLOPE_SHRINKAGE * slope_from;
    memcpy(coupling->y_start, coupling->y, n * sizeof(double));
    memcpy(coupling->x_start, coupling->x, n * sizeof(double));
    TRY(go(coupling, 1.0));
    double slope_to = slope(coupling);
    if (!(slope_to > enough)) {
        goto done;
    }
    coupling->searches++;
    struct bracket bracket = bracket_of(0.0, -fabs(slope_from), 1.0, slope_to);
    while (bracket.best > enough && bracket.trials < MAX_SEARCHES &&
           bracket_next(&bracket, 0.0)) {
        TRY(go(coupling, bracket.x));
        bracket_set(&bracket, slope(coupling));
    }
done:
    return status;
}

static enum masing_status newton(struct coupling *coupling)
{
    enum masing_status status = MASING_OK;
    double smallest = INFINITY;
    int stalled = 0;
    TRY(evaluate(coupling));
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        TRY(find_direction(coupling));
        double size = correction_size(coupling);
        stalled = size >= 0.5 * smallest ? stalled + 1 : 0;
        if (size <= SMALL_CORRECTION || (size <= STAGNANT_CORRECTION && stalled > 0) ||
            (size <= JUMP_CORRECTION && stalled >= MAX_STALLED)) {
            goto done;
        }
        smallest = fmin(smallest, size);
        coupling->iterations++;
        TRY(search_line(coupling));
    }
    status = MASING_NOT_CONVERGED;
done:
    return status;
}

/* Quadratic extrapolation of the accepted forces, or the last one. */
static void guess(struct coupling *coupling)
{
    size_t n = (size_t)coupling->n_axes;
    const double *past = coupling->past;
    for (size_t i = 0; i < n; i++) {
        coupling->y[i] = coupling->n_past < 3 ? coupling->joints->f[i]
                                              : 3.0 * (past[i] - past[n + i]) + past[2 * n + i];
    }
    comply(coupling, coupling->y, coupling->x);
    for (size_t i = 0; i < n; i++) {
        coupling->x[i] = coupling->x_free[i] - coupling->x[i];
    }
}

enum masing_status coupling_find(struct coupling *coupling, const double *x_free,
                                 const double *v_free)
{
    coupling->x_free = x_free;
    coupling->v_free = v_free;
    guess(coupling);
    enum masing_status status = newton(coupling);
    if (status == MASING_OK) {
        coupling->reach = fmax(coupling->reach, weighted(coupling, coupling->x));
    }
    return status;
}

enum masing_status coupling_solve(struct coupling *coupling, const double *x_free,
                                  const double *v_free)
{
    enum masing_status status = coupling_find(coupling, x_free, v_free);
    size_t n = (size_t)coupling->n_axes;
    if (status == MASING_OK) {
        memmove(coupling->past + n, coupling->past, 2 * n * sizeof(double));
        memcpy(coupling->past, coupling->joints->f, n * sizeof(double));
        coupling->n_past += coupling->n_past < 3;
        joints_accept(coupling->joints, coupling->x);
    }
    return status;
}

enum masing_status coupling_create(struct joints *joints, const double *compliance, double rate,
                                   struct arena *arena, struct coupling **created,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)joints->n_axes;
    struct coupling *coupling = arena_array(arena, 1, sizeof *coupling);
    TRY_ALLOCATED(coupling);
    coupling->n_axes = joints->n_axes;
    coupling->joints = joints;
    coupling->compliance = compliance;
    coupling->rate = rate;
    double **vectors[] = {&coupling->y,       &coupling->x,       &coupling->v,
                          &coupling->dy,      &coupling->dx,      &coupling->residual,
                          &coupling->y_start, &coupling->x_start, &coupling->weight};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_doubles(arena, n);
    }
    coupling->past = arena_doubles(arena, 3 * n);
    coupling->tangent = arena_doubles(arena, joints->block_start[joints->n_joints]);
    coupling->matrix = arena_doubles(arena, n * n);
    coupling->pivots = arena_array(arena, n, sizeof(int));
    TRY_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < n; i++) {
        double s = compliance[i * n + i];
        coupling->weight[i] = s > 0.0 ? 1.0 / sqrt(s) : 0.0;
    }
    *created = coupling;
done:
    return status;
}
