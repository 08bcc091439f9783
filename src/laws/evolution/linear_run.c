/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step is parted into pieces, explicit steps of linear_step.h. Pieces do not depend on the
 * state, so that many are worked on at once, number by number in arrays: where the nodes lie,
 * the law there, the steps, their derivatives by the path at the nodes and by the four samples
 * around. What remains are the maps z -> offset + (1 - decay) z of the pieces of a step, one
 * after the other.
 */
#include "laws/evolution/linear_run.h"

#include <math.h>
#include <string.h>

#include "laws/evolution/linear_step.h"

/* Pieces in one go: as many as the most of one step. */
enum { BLOCK = 1 << SEGMENT_MAX_HALVINGS };

enum { ENDS, INNER, N_PLACES = 3 }; /* pieces share their ends */
enum { FREE, FREE_X, FREE_V, FADE, FADE_V, N_RATES };
enum { BY_WAY, BY_X, BY_V, STATE_BY_WAY, STATE_BY_V, N_PARTIAL };

typedef double column[BLOCK];
typedef double ends[BLOCK + 1];

struct block {
    int n, per_step;                           /* pieces */
    column x_cubic[STENCIL], v_cubic[STENCIL]; /* of the step, in its fraction t */
    column start;                              /* t */
    ends x[N_PLACES], v[N_PLACES], rates[N_PLACES][N_RATES];
    const double *at[LINEAR_NODES][N_RATES]; /* the rates at the nodes of a piece */
    column way[LINEAR_NODES];
    column r, l, dr, dl, left, i[4], z, decay, by_r, by_l, bend;
    column partial[N_PARTIAL][LINEAR_NODES];   /* dz by numbers at the nodes */
    column path_x[STENCIL], path_v[STENCIL];   /* dz from z = 0 by the samples */
    column state_x[STENCIL], state_v[STENCIL]; /* and what z adds, as a factor */
};

/* Steps in a row and the samples around them. */
struct stretch {
    const struct linear_run *run;
    int first, n;
    double sign;
    double x[BLOCK + 3], v[BLOCK + 3]; /* from that before the step on; x from the origin */
    ends rates[N_RATES];
    bool must_be_same[BLOCK]; /* a step that is one piece because free / fade is the same */
};

void linear_samples_lay_out(struct memory_room *room, size_t n, struct linear_samples *samples)
{
    samples->rates.free = memory_take(room, n, sizeof(double));
    samples->rates.free_x = memory_take(room, n, sizeof(double));
    samples->rates.free_v = memory_take(room, n, sizeof(double));
    samples->rates.fade = memory_take(room, n, sizeof(double));
    samples->rates.fade_v = memory_take(room, n, sizeof(double));
    samples->sign = memory_take(room, n, sizeof(double));
    samples->pieces = memory_take(room, n, sizeof(int));
}

static struct masing_linear_rates rates_in(ends rates[N_RATES])
{
    return (struct masing_linear_rates){rates[FREE], rates[FREE_X], rates[FREE_V], rates[FADE],
                                        rates[FADE_V]};
}

/* The cubic through four samples in a row, of which the step lies between the middle ones. */
static void set_cubics(int n, const double *restrict samples, column cubic[STENCIL])
{
    for (int s = 0; s < n; s++) {
        double left = samples[s + 1], before = samples[s] - left, right = samples[s + 2] - left;
        double after = samples[s + 3] - left;
        cubic[0][s] = left;
        cubic[1][s] = right - before * (1.0 / 3) - after * (1.0 / 6);
        cubic[2][s] = 0.5 * (before + right);
        cubic[3][s] = (after - before) * (1.0 / 6) - 0.5 * right;
    }
}

/* From steps to their pieces, the last first. */
static void repeat(int n_steps, int per_step, column cubic[STENCIL])
{
    for (int m = 0; m < STENCIL; m++) {
        for (int p = n_steps * per_step - 1; p >= 0; p--) {
            cubic[m][p] = cubic[m][p / per_step];
        }
    }
}

/* x and v at a place of each piece. */
static void place(struct block *b, double part, int n, double *restrict x, double *restrict v)
{
    double length = 1.0 / b->per_step;
    for (int p = 0; p < n; p++) {
        double t = b->start[p] + part * length;
        x[p] = b->x_cubic[0][p] +
               t * (b->x_cubic[1][p] + t * (b->x_cubic[2][p] + t * b->x_cubic[3][p]));
        v[p] = b->v_cubic[0][p] +
               t * (b->v_cubic[1][p] + t * (b->v_cubic[2][p] + t * b->v_cubic[3][p]));
    }
}

static void set_ways(struct block *b)
{
    double length = 1.0 / b->per_step;
    for (int j = 0; j < LINEAR_NODES; j++) {
        double part = linear_nodes[j] * length;
        for (int p = 0; p < b->n; p++) {
            double t = b->start[p] + part;
            b->way[j][p] = length * (b->x_cubic[1][p] +
                                     t * (2.0 * b->x_cubic[2][p] + 3.0 * t * b->x_cubic[3][p]));
        }
    }
}

/* The law at all nodes; whole steps have it at their ends. */
static void ask_law(const struct stretch *stretch, int step, struct block *b)
{
    const struct linear_run *run = stretch->run;
    const struct masing_evolution *evolution = run->law->evolution;
    struct masing_linear_rates rates;
    for (int i = INNER; i < N_PLACES; i++) {
        rates = rates_in(b->rates[i]);
        place(b, linear_nodes[i], b->n, b->x[i], b->v[i]);
        evolution->linear(run->parameters, stretch->sign, b->n, b->x[i], b->v[i], &rates);
    }
    if (b->per_step > 1) {
        rates = rates_in(b->rates[ENDS]);
        place(b, 0.0, b->n, b->x[ENDS], b->v[ENDS]);
        b->x[ENDS][b->n] = stretch->x[step + 1 + b->n / b->per_step];
        b->v[ENDS][b->n] = stretch->v[step + 1 + b->n / b->per_step];
        evolution->linear(run->parameters, stretch->sign, b->n + 1, b->x[ENDS], b->v[ENDS],
                          &rates);
    }
    for (int k = 0; k < N_RATES; k++) {
        const double *at_ends = b->per_step > 1 ? b->rates[ENDS][k] : stretch->rates[k] + step;
        b->at[0][k] = at_ends;
        b->at[1][k] = b->rates[1][k];
        b->at[2][k] = b->rates[2][k];
        b->at[3][k] = at_ends + 1;
    }
}

static void set_means(struct block *b)
{
    for (int p = 0; p < b->n; p++) {
        b->r[p] = b->l[p] = b->dr[p] = b->dl[p] = 0.0;
    }
    for (int j = 0; j < LINEAR_NODES; j++) {
        const double *restrict free = b->at[j][FREE], *restrict fade = b->at[j][FADE];
        double mean = linear_means[j], slope = linear_slopes[j];
        for (int p = 0; p < b->n; p++) {
            double r = b->way[j][p] * free[p], l = -b->way[j][p] * fade[p];
            b->r[p] += mean * r;
            b->l[p] += mean * l;
            b->dr[p] += slope * r;
            b->dl[p] += slope * l;
        }
    }
}

static void put_integrals(struct block *b, int p, const struct linear_integrals *a)
{
    b->left[p] = a->left;
    b->i[0][p] = a->i[0];
    b->i[1][p] = a->i[1];
    b->i[2][p] = a->i[2];
    b->i[3][p] = a->i[3];
}

static void set_integrals(struct block *b)
{
    int n_long = 0;
    for (int p = 0; p < b->n; p++) {
        n_long += !(fabs(b->l[p]) < LINEAR_SERIES);
    }
    for (int p = 0; n_long < b->n && p < b->n; p++) {
        struct linear_integrals a = linear_integrals_short(b->l[p]);
        put_integrals(b, p, &a);
    }
    for (int p = 0; n_long > 0 && p < b->n; p++) {
        if (!(fabs(b->l[p]) < LINEAR_SERIES)) {
            struct linear_integrals a = linear_integrals_long(b->l[p]);
            put_integrals(b, p, &a);
        }
    }
}

static void take_pieces(struct block *b)
{
    for (int p = 0; p < b->n; p++) {
        const struct linear_means m = {b->r[p], b->l[p], b->dr[p], b->dl[p]};
        const struct linear_integrals a = {b->left[p],
                                           {b->i[0][p], b->i[1][p], b->i[2][p], b->i[3][p]}};
        struct linear_step step = linear_step_of(&m, &a, 0.0);
        b->z[p] = step.z;
        b->decay[p] = step.decay;
        b->by_r[p] = step.by_r;
        b->by_l[p] = step.by_l;
        b->bend[p] = step.bend;
    }
}

/* By dx/dc, x and v at a node of each piece, from z = 0 and per z. */
static void differentiate_node(struct block *b, int j)
{
    const double *restrict free = b->at[j][FREE], *restrict fade = b->at[j][FADE];
    const double *restrict free_x = b->at[j][FREE_X], *restrict free_v = b->at[j][FREE_V];
    const double *restrict fade_v = b->at[j][FADE_V];
    double length = 1.0 / b->per_step;
    for (int p = 0; p < b->n; p++) {
        const struct linear_means m = {b->r[p], b->l[p], b->dr[p], b->dl[p]};
        const struct linear_step step = {
            .by_r = b->by_r[p], .by_l = b->by_l[p], .bend = b->bend[p]};
        double by_free = linear_by_free(&step, &m, j), by_fade = linear_by_fade(&step, &m, j);
        double way = b->way[j][p], by_z = linear_means[j] * b->left[p];
        b->partial[BY_WAY][j][p] = length * (by_free * free[p] + by_fade * fade[p]);
        b->partial[BY_X][j][p] = way * by_free * free_x[p];
        b->partial[BY_V][j][p] = way * (by_free * free_v[p] + by_fade * fade_v[p]);
        b->partial[STATE_BY_WAY][j][p] = length * by_z * fade[p];
        b->partial[STATE_BY_V][j][p] = way * by_z * fade_v[p];
    }
}

/* Whole steps: the cubic's weights at the inner nodes are a +- b SQRT5, those at the ends one
 * and zero. */
static void set_whole_by_value(int n, column by[LINEAR_NODES], column sum[STENCIL])
{
    for (int p = 0; p < n; p++) {
        double both = by[1][p] + by[2][p], odd = SQRT5 * (by[1][p] - by[2][p]);
        sum[0][p] = -0.05 * both - odd * (1.0 / 300);
        sum[1][p] = by[0][p] + 0.55 * both + 0.11 * odd;
        sum[2][p] = by[3][p] + 0.55 * both - 0.11 * odd;
        sum[3][p] = -0.05 * both + odd * (1.0 / 300);
    }
}

static void set_whole_by_slope(int n, column by[LINEAR_NODES], column sum[STENCIL])
{
    for (int p = 0; p < n; p++) {
        double both = by[1][p] + by[2][p], odd = 0.05 * SQRT5 * (by[1][p] - by[2][p]);
        double first = by[0][p], last = by[3][p];
        sum[0][p] = both * (1.0 / 60) - odd - first * (1.0 / 3) + last * (1.0 / 6);
        sum[1][p] = odd - 1.05 * both - 0.5 * first - last;
        sum[2][p] = odd + 1.05 * both + first + 0.5 * last;
        sum[3][p] = last * (1.0 / 3) - both * (1.0 / 60) - odd - first * (1.0 / 6);
    }
}

/* The nodes of a piece, from its start, in the fraction of the step. */
static void set_parts(const struct block *b, double part[LINEAR_NODES])
{
    for (int j = 0; j < LINEAR_NODES; j++) {
        part[j] = linear_nodes[j] / b->per_step;
    }
}

/* Sums of a piece's numbers at the nodes times t^0, t, t^2, t^3. */
static inline void add_powers(const struct block *b, column by[LINEAR_NODES], int p,
                              const double part[LINEAR_NODES], double sum[STENCIL])
{
    double t0 = b->start[p], t1 = t0 + part[1], t2 = t0 + part[2], t3 = t0 + part[3];
    double g0 = by[0][p], g1 = by[1][p], g2 = by[2][p], g3 = by[3][p];
    sum[0] = g0 + g1 + g2 + g3;
    g0 *= t0, g1 *= t1, g2 *= t2, g3 *= t3;
    sum[1] = g0 + g1 + g2 + g3;
    g0 *= t0, g1 *= t1, g2 *= t2, g3 *= t3;
    sum[2] = g0 + g1 + g2 + g3;
    sum[3] = g0 * t0 + g1 * t1 + g2 * t2 + g3 * t3;
}

/* What numbers at the nodes change a piece by through the cubic. */
static void set_by_value(const struct block *b, column by[LINEAR_NODES], column sum[STENCIL])
{
    double part[LINEAR_NODES], c[STENCIL];
    if (b->per_step == 1) {
        set_whole_by_value(b->n, by, sum);
        return;
    }
    set_parts(b, part);
    for (int p = 0; p < b->n; p++) {
        add_powers(b, by, p, part, c);
        sum[0][p] = 0.5 * c[2] - c[1] * (1.0 / 3) - c[3] * (1.0 / 6);
        sum[1][p] = c[0] - 0.5 * c[1] - c[2] + 0.5 * c[3];
        sum[2][p] = c[1] + 0.5 * c[2] - 0.5 * c[3];
        sum[3][p] = (c[3] - c[1]) * (1.0 / 6);
    }
}

/* The same of numbers that multiply the cubic's slope. */
static void set_by_slope(const struct block *b, column by[LINEAR_NODES], column sum[STENCIL])
{
    double part[LINEAR_NODES], c[STENCIL];
    if (b->per_step == 1) {
        set_whole_by_slope(b->n, by, sum);
        return;
    }
    set_parts(b, part);
    for (int p = 0; p < b->n; p++) {
        add_powers(b, by, p, part, c);
        sum[0][p] = c[1] - c[0] * (1.0 / 3) - 0.5 * c[2];
        sum[1][p] = 1.5 * c[2] - 0.5 * c[0] - 2.0 * c[1];
        sum[2][p] = c[0] + c[1] - 1.5 * c[2];
        sum[3][p] = 0.5 * c[2] - c[0] * (1.0 / 6);
    }
}

static void differentiate(struct block *b)
{
    for (int j = 0; j < LINEAR_NODES; j++) {
        differentiate_node(b, j);
    }
    set_by_value(b, b->partial[BY_X], b->state_x); /* which are not written yet */
    set_by_slope(b, b->partial[BY_WAY], b->path_x);
    for (int m = 0; m < STENCIL; m++) {
        for (int p = 0; p < b->n; p++) {
            b->path_x[m][p] += b->state_x[m][p];
        }
    }
    set_by_value(b, b->partial[BY_V], b->path_v);
    set_by_slope(b, b->partial[STATE_BY_WAY], b->state_x);
    set_by_value(b, b->partial[STATE_BY_V], b->state_v);
}

/* A piece after those before it in a step, which lead from z to offset + kept z. */
static void append(const struct block *b, int p, bool with_gradient,
                   struct segment_effect *effect)
{
    double kept = 1.0 - b->decay[p], before = 1.0 - effect->decay;
    double offset = effect->offset;
    for (int m = 0; with_gradient && m < STENCIL; m++) {
        effect->by_path.x[m] =
            kept * effect->by_path.x[m] + b->path_x[m][p] + offset * b->state_x[m][p];
        effect->by_path.v[m] =
            kept * effect->by_path.v[m] + b->path_v[m][p] + offset * b->state_v[m][p];
        effect->by_state.x[m] = kept * effect->by_state.x[m] + before * b->state_x[m][p];
        effect->by_state.v[m] = kept * effect->by_state.v[m] + before * b->state_v[m][p];
    }
    effect->offset = b->z[p] + kept * offset;
    effect->decay = b->decay[p] + kept * effect->decay;
}

static void put_step(const struct block *b, int p, bool with_gradient,
                     struct segment_effect *effect)
{
    effect->decay = b->decay[p];
    effect->offset = b->z[p];
    for (int m = 0; with_gradient && m < STENCIL; m++) {
        effect->by_path.x[m] = b->path_x[m][p];
        effect->by_path.v[m] = b->path_v[m][p];
        effect->by_state.x[m] = b->state_x[m][p];
        effect->by_state.v[m] = b->state_v[m][p];
    }
    for (int k = 1; k < b->per_step; k++) {
        append(b, p + k, with_gradient, effect);
    }
}

static int sample_after(const struct linear_run *run, int sample, int n)
{
    int i = sample + n, all = run->path->n_samples;
    return i < 0 ? i + all : i >= all ? i - all : i;
}

/* Steps of one piece are left where free / fade is not the same after all. */
static void leave_others(const struct stretch *stretch, int step, const struct block *b)
{
    for (int p = 0; b->per_step == 1 && p < b->n; p++) {
        for (int j = 1; stretch->must_be_same[step + p] && j + 1 < LINEAR_NODES; j++) {
            if (!linear_is_same(b->at[j][FREE][p], b->at[j][FADE][p], b->at[3][FREE][p],
                                b->at[3][FADE][p])) {
                int i = sample_after(stretch->run, stretch->first, step + p);
                stretch->run->samples->pieces[i] = 0;
            }
        }
    }
}

/* n steps of equally many pieces. */
static void follow_steps(const struct stretch *stretch, int step, int n, int per_step)
{
    const struct linear_run *run = stretch->run;
    struct block b; /* not cleared: large */
    b.n = n * per_step;
    b.per_step = per_step;
    set_cubics(n, stretch->x + step, b.x_cubic);
    set_cubics(n, stretch->v + step, b.v_cubic);
    if (per_step > 1) {
        repeat(n, per_step, b.x_cubic);
        repeat(n, per_step, b.v_cubic);
    }
    for (int p = 0; p < b.n; p++) {
        b.start[p] = (double)(p % per_step) / per_step;
    }
    set_ways(&b);
    ask_law(stretch, step, &b);
    leave_others(stretch, step, &b);
    set_means(&b);
    set_integrals(&b);
    take_pieces(&b);
    if (run->with_gradient) {
        differentiate(&b);
    }
    for (int s = 0; s < n; s++) {
        put_step(&b, s * per_step, run->with_gradient,
                 &run->effects[sample_after(run, stretch->first, step + s)]);
    }
}

static void copy_law(const struct stretch *stretch)
{
    const struct linear_samples *samples = stretch->run->samples;
    const struct masing_linear_rates *to = &samples->rates;
    int all = stretch->run->path->n_samples, i = sample_after(stretch->run, stretch->first, -1);
    for (int s = 0; s <= stretch->n; s++) {
        samples->sign[i] = stretch->sign;
        to->free[i] = stretch->rates[FREE][s];
        to->free_x[i] = stretch->rates[FREE_X][s];
        to->free_v[i] = stretch->rates[FREE_V][s];
        to->fade[i] = stretch->rates[FADE][s];
        to->fade_v[i] = stretch->rates[FADE_V][s];
        i = i + 1 == all ? 0 : i + 1;
    }
}

static void gather(struct stretch *stretch)
{
    const struct linear_run *run = stretch->run;
    const struct masing_path *path = run->path;
    int all = path->n_samples, i = sample_after(run, stretch->first, -2);
    for (int s = 0; s < stretch->n + 3; s++) {
        stretch->x[s] = path->x[i] - run->origin;
        stretch->v[s] = path->v[i];
        i = i + 1 == all ? 0 : i + 1;
    }
    struct masing_linear_rates rates = rates_in(stretch->rates);
    run->law->evolution->linear(run->parameters, stretch->sign, stretch->n + 1, stretch->x + 1,
                                stretch->v + 1, &rates);
}

/* Pieces of a step, as segment.c takes them; 0: it forgets its beginning, and is not the same
 * all the way. */
static int pieces_of(struct stretch *stretch, int s)
{
    const struct linear_run *run = stretch->run;
    double travel = fabs(stretch->x[s + 2] - stretch->x[s + 1]);
    ends *rates = stretch->rates;
    stretch->must_be_same[s] = false;
    int n = travel <= run->longest ? 1 : segment_pieces(travel, run->longest);
    n = travel <= run->remembered ? n : 0;
    if (n != 1 && linear_is_same(rates[FREE][s], rates[FADE][s], rates[FREE][s + 1],
                                 rates[FADE][s + 1])) {
        stretch->must_be_same[s] = true;
        return 1;
    }
    return n <= BLOCK ? n : 0;
}

static void follow_stretch(struct stretch *stretch)
{
    const struct linear_run *run = stretch->run;
    int pieces[BLOCK];
    gather(stretch);
    copy_law(stretch);
    for (int s = 0; s < stretch->n; s++) {
        pieces[s] = pieces_of(stretch, s);
        run->samples->pieces[sample_after(run, stretch->first, s)] = pieces[s];
    }
    for (int s = 0, n = 1; s < stretch->n; s += n, n = 1) {
        while (s + n < stretch->n && pieces[s + n] == pieces[s] &&
               (n + 1) * pieces[s] <= BLOCK) {
            n++;
        }
        if (pieces[s] > 0) {
            follow_steps(stretch, s, n, pieces[s]);
        }
    }
}

void linear_run_follow(const struct linear_run *run, int first, int n_steps, double sign)
{
    enum { AT_A_TIME = BLOCK / 2 }; /* what fits into the processor's first cache */
    struct stretch stretch;
    stretch.run = run;
    stretch.sign = sign;
    for (int s = 0; s < n_steps; s += stretch.n) {
        stretch.first = sample_after(run, first, s);
        stretch.n = n_steps - s < AT_A_TIME ? n_steps - s : AT_A_TIME;
        follow_stretch(&stretch);
    }
}
