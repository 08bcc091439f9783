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
    coupling->has_past = false;
    coupling->has_factors = false;
    coupling->reach = 0.0;
    coupling->joints->is_linear = false;
}

/* Velocity of an axis at the end of a step that leads to x. */
static inline double velocity(const struct coupling *coupling, int i)
{
    return coupling->v_free[i] + coupling->rate * (coupling->x[i] - coupling->x_free[i]);
}

/* residual = y - g at x. Here and below n is n_axes, which where it is 1 is known before the
 * call: most models have one axis, and a step is short. */
static inline enum masing_status evaluate(struct coupling *coupling, int n)
{
    const struct joints *joints = coupling->joints;
    const double *x = coupling->x, *f = joints->f;
    double sum = 0.0;
    for (int i = 0; joints->needs_velocity && i < n; i++) {
        coupling->v[i] = velocity(coupling, i);
    }
    enum masing_status status = coupling->evaluate
                                    ? coupling->evaluate(coupling->context, x, coupling->v)
                                    : joints_evaluate(coupling->joints, x, coupling->v);
    for (int i = 0; i < n; i++) {
        double residual = coupling->y[i] - f[i];
        coupling->residual[i] = residual;
        sum += fabs(residual) + fabs(x[i]);
    }
    return status != MASING_OK ? status : sum < INFINITY ? MASING_OK : MASING_NOT_FINITE;
}

/* out = S in */
static inline void comply(const struct coupling *coupling, int n, const double *in, double *out)
{
    for (size_t i = 0; i < (size_t)n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < (size_t)n; j++) {
            sum += coupling->compliance[i * (size_t)n + j] * in[j];
        }
        out[i] = sum;
    }
}

/* A sum, so that it is not finite where one of its terms is not. */
static inline double weighted(const struct coupling *coupling, int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += coupling->weight[i] * fabs(x[i]);
    }
    return sum;
}

/* The direction's displacement relative to the largest so far, the scale of this step's. */
static inline double correction_size(const struct coupling *coupling, int n, double scale)
{
    double size = weighted(coupling, n, coupling->dx);
    double here = weighted(coupling, n, coupling->x);
    return size == 0.0 ? 0.0 : size / (here > scale ? here : scale);
}

/* Factorise I + K S with K = dg/dx + rate dg/dv, unless the tangents are those of the factors
 * at hand, as for laws whose force is piecewise linear they are most of the time. */
static enum masing_status factorise(struct coupling *coupling)
{
    const struct joints *joints = coupling->joints;
    size_t n = (size_t)coupling->n_axes;
    bool is_same = coupling->has_factors;
    double *tangent = coupling->tangent;
    for (int j = 0; j < joints->n_joints; j++) {
        const double *df = joints_tangent(joints, j);
        int m = joints->joint[j].n_axes, width = joints->step[j].n;
        for (int row = 0; row < m; row++, df += width) {
            for (int i = 0; i < m; i++, tangent++) {
                double value = df[i] + (width > m ? coupling->rate * df[m + i] : 0.0);
                is_same = is_same && value == *tangent;
                *tangent = value;
            }
        }
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
static inline enum masing_status find_direction(struct coupling *coupling, int n)
{
    if (n == 1) {
        const double *df = coupling->joints->df;
        double tangent = df[0] + coupling->rate * df[1];
        double slope = 1.0 + coupling->compliance[0] * tangent;
        coupling->dy[0] = -coupling->residual[0] * (1.0 / slope);
        coupling->dx[0] = -coupling->compliance[0] * coupling->dy[0];
        return slope != 0.0 && isfinite(slope) ? MASING_OK : MASING_SINGULAR;
    }
    NEED(factorise(coupling));
    for (int i = 0; i < n; i++) {
        coupling->dy[i] = -coupling->residual[i];
    }
    lu_solve(n, coupling->matrix, coupling->pivots, coupling->dy, 1);
    comply(coupling, n, coupling->dy, coupling->dx);
    for (int i = 0; i < n; i++) {
        coupling->dx[i] = -coupling->dx[i];
    }
    return MASING_OK;
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
    return evaluate(coupling, coupling->n_axes);
}

/* The full step where the function still falls at its end or has become nearly level; else the
 * place in between where it is level. Forces that fall may make it rise from the beginning: the
 * search then goes back there, and Newton's method ends without a solution. */
static enum masing_status search_line(struct coupling *coupling)
{
    size_t n = (size_t)coupling->n_axes;
    double slope_from = slope(coupling), enough = -SLOPE_SHRINKAGE * slope_from;
    memcpy(coupling->y_start, coupling->y, n * sizeof(double));
    memcpy(coupling->x_start, coupling->x, n * sizeof(double));
    NEED(go(coupling, 1.0));
    double slope_to = slope(coupling);
    if (!(slope_to > enough)) {
        return MASING_OK;
    }
    coupling->searches++;
    struct bracket bracket = bracket_of(0.0, -fabs(slope_from), 1.0, slope_to);
    while (bracket.best > enough && bracket.trials < MAX_SEARCHES &&
           bracket_next(&bracket, 0.0)) {
        NEED(go(coupling, bracket.x));
        bracket_set(&bracket, slope(coupling));
    }
    return MASING_OK;
}

static inline enum masing_status newton(struct coupling *coupling, int n)
{
    double smallest = INFINITY, free = weighted(coupling, n, coupling->x_free);
    double scale = free > coupling->reach ? free : coupling->reach;
    int stalled = 0;
    NEED(evaluate(coupling, n));
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        NEED(find_direction(coupling, n));
        double size = correction_size(coupling, n, scale);
        stalled = size >= 0.5 * smallest ? stalled + 1 : 0;
        if (size <= SMALL_CORRECTION || (size <= STAGNANT_CORRECTION && stalled > 0) ||
            (size <= JUMP_CORRECTION && stalled >= MAX_STALLED)) {
            return MASING_OK;
        }
        smallest = size < smallest ? size : smallest;
        coupling->iterations++;
        NEED(search_line(coupling));
    }
    return MASING_NOT_CONVERGED;
}

/* As if g had been evaluated: residual = y - g at x, y and the tangents being those of the
 * accepted point. */
static inline void extrapolate(struct coupling *coupling, int n)
{
    const struct joints *joints = coupling->joints;
    for (int j = 0; j < (n == 1 ? 1 : joints->n_joints); j++) {
        int first = n == 1 ? 0 : joints->joint[j].first_axis;
        int m = n == 1 ? 1 : joints->joint[j].n_axes, width = joints->step[j].n;
        const double *df = n == 1 ? joints->df : joints_tangent(joints, j);
        for (int row = 0; row < m; row++, df += width) {
            double rise = 0.0;
            for (int i = 0; i < m; i++) {
                int axis = first + i;
                rise += df[i] * (coupling->x[axis] - joints->x[axis]);
                if (width > m) {
                    rise += df[m + i] * (velocity(coupling, axis) - coupling->v[axis]);
                }
            }
            coupling->residual[first + row] = -rise;
        }
    }
}

/* The last forces; where they were accepted, with the tangents there and with what such a guess
 * was wrong by one step before: of second order, and exact where forces are piecewise linear.
 */
static inline enum masing_status guess(struct coupling *coupling, int n)
{
    double *restrict y = coupling->y, *restrict x = coupling->x;
    for (int i = 0; i < n; i++) {
        y[i] = coupling->joints->f[i];
    }
    comply(coupling, n, y, coupling->dx);
    for (int i = 0; i < n; i++) {
        x[i] = coupling->x_free[i] - coupling->dx[i];
    }
    if (coupling->has_past) {
        extrapolate(coupling, n);
        NEED(find_direction(coupling, n));
        for (int i = 0; i < n; i++) {
            coupling->straight[i] = y[i] + coupling->dy[i];
            y[i] = coupling->straight[i] + coupling->bend[i];
            x[i] = (x[i] - coupling->bend_x[i]) + coupling->dx[i];
        }
    }
    return MASING_OK;
}

static inline enum masing_status find(struct coupling *coupling, int n)
{
    NEED(guess(coupling, n));
    NEED(newton(coupling, n));
    double reached = weighted(coupling, n, coupling->x);
    coupling->reach = reached > coupling->reach ? reached : coupling->reach;
    return MASING_OK;
}

enum masing_status coupling_find(struct coupling *coupling, const double *x_free,
                                 const double *v_free)
{
    coupling->x_free = x_free;
    coupling->v_free = v_free;
    return find(coupling, coupling->n_axes);
}

/* Whether the joints' forces go on linearly to the end of the step: y and x there. */
static inline bool solve_linear(struct coupling *coupling, int n)
{
    const struct joints *joints = coupling->joints;
    double *restrict y = coupling->y, *restrict x = coupling->x;
    bool holds = n == 1 || coupling->has_factors;
    for (int i = 0; i < n; i++) {
        const double *df = n == 1 ? joints->df : joints_tangent(joints, i);
        y[i] = joints->level[i] + df[0] * coupling->x_free[i] + df[1] * coupling->v_free[i];
    }
    if (n == 1) {
        y[0] *= 1.0 / (1.0 + coupling->compliance[0] *
                                 (joints->df[0] + coupling->rate * joints->df[1]));
    } else if (holds) {
        lu_solve(n, coupling->matrix, coupling->pivots, y, 1);
    }
    comply(coupling, n, y, coupling->dx);
    for (int i = 0; i < n; i++) {
        x[i] = coupling->x_free[i] - coupling->dx[i];
        holds = holds && joints->low[i] < x[i] && x[i] < joints->high[i] &&
                joints->way[i] * (x[i] - joints->x[i]) >= 0.0;
    }
    return holds;
}

static inline enum masing_status solve(struct coupling *coupling, int n)
{
    if (coupling->joints->is_linear && solve_linear(coupling, n)) {
        double reached = weighted(coupling, n, coupling->x);
        coupling->reach = reached > coupling->reach ? reached : coupling->reach;
        coupling->has_past = false;
        joints_accept_linear(coupling->joints, coupling->x, coupling->y);
        return MASING_OK;
    }
    enum masing_status status = find(coupling, n);
    const double *f = coupling->joints->f;
    for (int i = 0; status == MASING_OK && i < n; i++) {
        coupling->bend[i] = coupling->has_past ? f[i] - coupling->straight[i] : 0.0;
    }
    if (status == MASING_OK) {
        comply(coupling, n, coupling->bend, coupling->bend_x);
        coupling->has_past = true;
        joints_accept(coupling->joints, coupling->x);
    }
    return status;
}

enum masing_status coupling_solve(struct coupling *coupling, const double *x_free,
                                  const double *v_free)
{
    coupling->x_free = x_free;
    coupling->v_free = v_free;
    return coupling->n_axes == 1 ? solve(coupling, 1) : solve(coupling, coupling->n_axes);
}

enum masing_status coupling_create(struct joints *joints, const double *compliance, double rate,
                                   struct arena *arena, struct coupling **created,
                                   struct masing_error *error)
{
    size_t n = (size_t)joints->n_axes;
    struct coupling *coupling = arena_array(arena, 1, sizeof *coupling);
    NEED_ALLOCATED(coupling);
    coupling->n_axes = joints->n_axes;
    coupling->joints = joints;
    coupling->compliance = compliance;
    coupling->rate = rate;
    double **vectors[] = {&coupling->y,        &coupling->x,       &coupling->v,
                          &coupling->dy,       &coupling->dx,      &coupling->residual,
                          &coupling->y_start,  &coupling->x_start, &coupling->weight,
                          &coupling->straight, &coupling->bend,    &coupling->bend_x};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = arena_doubles(arena, n);
    }
    coupling->tangent = arena_doubles(arena, joints->block_start[joints->n_joints]);
    coupling->matrix = arena_doubles(arena, n * n);
    coupling->pivots = arena_array(arena, n, sizeof(int));
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < n; i++) {
        double s = compliance[i * n + i];
        coupling->weight[i] = s > 0.0 ? 1.0 / sqrt(s) : 0.0;
    }
    *created = coupling;
    return MASING_OK;
}
