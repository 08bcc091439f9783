/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Motions that a sweep misses. Runge-Kutta from 200 random states, by equations written here:
 * each motion of the loads' period that it settles to is a row of some branch.
 */
#include "response.h"

#include <math.h>
#include <stdint.h>

static const double two_pi = 6.283185307179586477;

enum { MOST = 4, RUNS = 200, STEPS = 200, PERIODS = 800, MOST_MOTIONS = 64 };

struct oscillators {
    int n;
    double omega, size; /* rad/s; of states at the start */
    double middle;      /* of displacements at the start */
    void (*accelerate)(const double *x, const double *v, double phase, double *a);
};

struct motion {
    double largest[MOST], mean[MOST];
};

static double stop(double x)
{
    return fabs(x) > 0.02 ? 10.0 * (x - copysign(0.02, x)) : 0.0;
}

static void in_clearance(const double *x, const double *v, double phase, double *a)
{
    a[0] = 0.0075 * cos(phase) - 0.02 * v[0] - stop(x[0]) - 1.5 * x[0] * x[0] * x[0];
}

static const char clearance[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {x: 1}\n"
    "  dampers: [{from: ground, to: x, damping: 0.02}]\n"
    "joints:\n"
    "  - {name: s, law: unilateral_spring, from: ground, to: x, stiffness: 10, gap: 0.02,\n"
    "     two_sided: true}\n"
    "  - {name: k, law: cubic_spring, from: ground, to: x, coefficient: 1.5}\n"
    "loads: [{dof: x, amplitude: 0.0075}]\n"
    "frequency: [0.9, 3.0]\n"
    "frequency_unit: rad_s\n"
    "harmonics: 15\n"
    "outputs: [x]\n";

static void in_two_wells(const double *x, const double *v, double phase, double *a)
{
    a[0] = 0.06 * sin(phase) - 0.1 * v[0] + x[0] - x[0] * x[0] * x[0];
}

static const char two_wells[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {x: 1}\n"
    "  springs: [{from: ground, to: x, stiffness: 1}]\n"
    "  dampers: [{from: ground, to: x, damping: 0.1}]\n"
    "joints: [{name: q, law: polynomial_spring, from: ground, to: x,\n"
    "  coefficients: [-2, 0, 1]}]\n"
    "loads: [{dof: x, amplitude: 0.06, phase: -90}]\n"
    "frequency: [0.6, 2.0]\n"
    "frequency_unit: rad_s\n"
    "harmonics: 13\n"
    "outputs: [x]\n";

static void in_softening(const double *x, const double *v, double phase, double *a)
{
    double x2 = x[0] * x[0];
    a[0] = 0.05 * cos(phase) - 0.05 * v[0] - x[0] * (1.0 - x2 + 0.35 * x2 * x2);
}

static const char softening[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {x: 1}\n"
    "  springs: [{from: ground, to: x, stiffness: 1}]\n"
    "  dampers: [{from: ground, to: x, damping: 0.05}]\n"
    "joints: [{name: q, law: polynomial_spring, from: ground, to: x,\n"
    "  coefficients: [0, 0, -1, 0, 0.35]}]\n"
    "loads: [{dof: x, amplitude: 0.05}]\n"
    "frequency: [0.65, 1.2]\n"
    "frequency_unit: rad_s\n"
    "harmonics: 13\n"
    "outputs: [x]\n";

static void in_ring(const double *x, const double *v, double phase, double *a)
{
    for (int i = 0; i < 4; i++) {
        double left = x[(i + 3) % 4], right = x[(i + 1) % 4];
        a[i] = 0.1 * cos(phase) - 0.05 * v[i] - x[i] - x[i] * x[i] * x[i] -
               0.02 * (2.0 * x[i] - left - right);
    }
}

static const char ring[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {a: 1, b: 1, c: 1, d: 1}\n"
    "  springs:\n"
    "    - {from: ground, to: a, stiffness: 1}\n"
    "    - {from: ground, to: b, stiffness: 1}\n"
    "    - {from: ground, to: c, stiffness: 1}\n"
    "    - {from: ground, to: d, stiffness: 1}\n"
    "    - {from: a, to: b, stiffness: 0.02}\n"
    "    - {from: b, to: c, stiffness: 0.02}\n"
    "    - {from: c, to: d, stiffness: 0.02}\n"
    "    - {from: d, to: a, stiffness: 0.02}\n"
    "  dampers:\n"
    "    - {from: ground, to: a, damping: 0.05}\n"
    "    - {from: ground, to: b, damping: 0.05}\n"
    "    - {from: ground, to: c, damping: 0.05}\n"
    "    - {from: ground, to: d, damping: 0.05}\n"
    "joints:\n"
    "  - {name: ka, law: cubic_spring, from: ground, to: a, coefficient: 1}\n"
    "  - {name: kb, law: cubic_spring, from: ground, to: b, coefficient: 1}\n"
    "  - {name: kc, law: cubic_spring, from: ground, to: c, coefficient: 1}\n"
    "  - {name: kd, law: cubic_spring, from: ground, to: d, coefficient: 1}\n"
    "loads:\n"
    "  - {dof: a, amplitude: 0.1}\n"
    "  - {dof: b, amplitude: 0.1}\n"
    "  - {dof: c, amplitude: 0.1}\n"
    "  - {dof: d, amplitude: 0.1}\n"
    "frequency: [1.3, 1.5]\n"
    "frequency_unit: rad_s\n"
    "harmonics: [1, 3, 5]\n"
    "outputs: [a, b, c, d]\n";

static void in_pair(const double *x, const double *v, double phase, double *a)
{
    double pressed = fmax(0.0, x[1] - x[0]) * 3.0;
    a[0] = 0.3 * cos(phase) - 0.04 * v[0] - x[0] - 0.3 * x[0] * x[0] * x[0] + pressed;
    a[1] = -0.04 * v[1] - 1.5 * x[1] - pressed;
}

static const char pair[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {a: 1, b: 1}\n"
    "  springs:\n"
    "    - {from: ground, to: a, stiffness: 1}\n"
    "    - {from: ground, to: b, stiffness: 1.5}\n"
    "  dampers:\n"
    "    - {from: ground, to: a, damping: 0.04}\n"
    "    - {from: ground, to: b, damping: 0.04}\n"
    "joints:\n"
    "  - {name: k, law: cubic_spring, from: ground, to: a, coefficient: 0.3}\n"
    "  - {name: s, law: unilateral_spring, from: a, to: b, stiffness: 3}\n"
    "loads: [{dof: a, amplitude: 0.3}]\n"
    "frequency: [1.0, 2.6]\n"
    "frequency_unit: rad_s\n"
    "harmonics: 25\n"
    "outputs: [a, b]\n";

static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* Displacements, then velocities. */
static void rates(const struct oscillators *o, const double *s, double phase, double *ds)
{
    memcpy(ds, s + o->n, sizeof *ds * (size_t)o->n);
    o->accelerate(s, s + o->n, phase, ds + o->n);
}

static void step(const struct oscillators *o, double phase, double *s)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[2 * MOST] = {0}, there[2 * MOST], sum[2 * MOST] = {0};
    double h = two_pi / o->omega / STEPS;
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 2 * o->n; i++) {
            there[i] = s[i] + at[stage] * h * k[i];
        }
        rates(o, there, phase + at[stage] * two_pi / STEPS, k);
        for (int i = 0; i < 2 * o->n; i++) {
            sum[i] += weight[stage] * k[i];
        }
    }
    for (int i = 0; i < 2 * o->n; i++) {
        s[i] += h / 6.0 * sum[i];
    }
}

static void period(const struct oscillators *o, double *s, struct motion *motion)
{
    *motion = (struct motion){0};
    for (int k = 0; k < STEPS; k++) {
        step(o, two_pi * k / STEPS, s);
        for (int i = 0; i < o->n; i++) {
            motion->largest[i] = fmax(motion->largest[i], fabs(s[i]));
            motion->mean[i] += s[i] / STEPS;
        }
    }
}

/* Whether it settles to a motion of the loads' period. */
static bool settles(const struct oscillators *o, uint64_t *state, struct motion *motion)
{
    double s[2 * MOST], before[2 * MOST], away = 0.0, size = 0.0;
    for (int i = 0; i < 2 * o->n; i++) {
        s[i] = (i < o->n ? o->middle : 0.0) + o->size * chance(state);
    }
    for (int p = 0; p < PERIODS; p++) {
        memcpy(before, s, sizeof before);
        period(o, s, motion);
    }
    for (int i = 0; i < 2 * o->n; i++) {
        away = fmax(away, fabs(s[i] - before[i]));
        size = fmax(size, fabs(s[i]));
    }
    return away < 1e-6 * size;
}

static bool is_row(const struct table *rows, int r, const struct oscillators *o,
                   const struct motion *motion)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < o->n; i++) {
        char largest[16], mean[16];
        snprintf(largest, sizeof largest, "%s_max", o->n == 1 ? "x" : names[i]);
        snprintf(mean, sizeof mean, "%s_mean", o->n == 1 ? "x" : names[i]);
        double size = motion->largest[i];
        if (!(fabs(table_get(rows, r, largest) - size) < 0.01 * size &&
              fabs(table_get(rows, r, mean) - motion->mean[i]) < 0.01 * size)) {
            return false;
        }
    }
    return true;
}

static bool is_found(const struct table *rows, const struct oscillators *o,
                     const struct motion *motion)
{
    for (int r = 0; r < rows->n_rows; r++) {
        double hz = table_get(rows, r, "frequency_hz");
        if (fabs(two_pi * hz - o->omega) < 1e-9 && is_row(rows, r, o, motion)) {
            return true;
        }
    }
    return false;
}

/* At each frequency, rad/s; returns how many runs settled. */
static int all_are_found(const struct table *rows, struct oscillators *o, int n_at,
                         const double *at)
{
    uint64_t state = 7;
    int n_settled = 0;
    for (int k = 0; k < n_at; k++) {
        int n_missing = 0;
        o->omega = at[k];
        for (int run = 0; run < RUNS / n_at; run++) {
            struct motion motion;
            if (!settles(o, &state, &motion)) {
                continue;
            }
            n_settled++;
            if (!is_found(rows, o, &motion)) {
                printf("# %g rad/s: not found: %g mean %g\n", at[k], motion.largest[0],
                       motion.mean[0]);
                n_missing++;
            }
        }
        CHECK(n_missing == 0);
    }
    return n_settled;
}

static void search(struct run *run, const char *text, int n_search, int n_at, const double *at)
{
    double hz[4];
    for (int k = 0; k < n_at; k++) {
        hz[k] = at[k] / two_pi;
    }
    const struct masing_response_options options = {.n_at = n_at,
                                                    .at_hz = hz,
                                                    .n_search = n_search,
                                                    .max_branches = n_search > 0 ? 40 : 0,
                                                    .columns = MASING_COLUMNS_HARMONICS};
    run_with(run, text, &options);
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    CHECK(run->summary.residual < 1e-8);
}

static void a_clearance_shows_its_peak_unasked(void)
{
    static const double at[] = {1.0, 2.0, 2.6};
    struct oscillators o = {.n = 1, .size = 0.3, .accelerate = in_clearance};
    struct run run;
    search(&run, clearance, 0, 3, at);
    CHECK_RELATIVE(run.summary.peak.max, 0.1328, 1e-3);
    CHECK_RELATIVE(run.summary.peak.frequency_hz, 0.4528, 1e-3);
    CHECK(run.summary.search.n_found == 1 && run.summary.search.n_apart == 1);
    CHECK(all_are_found(&run.rows, &o, 3, at) > RUNS / 2);
    run_clear(&run);
}

static void wells_are_found(void)
{
    static const double at[] = {0.8, 1.3, 1.8};
    struct oscillators o = {.n = 1, .size = 1.5, .accelerate = in_two_wells};
    struct run run;
    search(&run, two_wells, 60, 3, at);
    CHECK(all_are_found(&run.rows, &o, 3, at) > RUNS / 2);
    run_clear(&run);
}

static void a_detached_motion_is_found(void)
{
    static const double at[] = {0.75, 0.9, 1.1};
    struct oscillators o = {.n = 1, .size = 2.0, .accelerate = in_softening};
    struct run run;
    search(&run, softening, 60, 3, at);
    CHECK(all_are_found(&run.rows, &o, 3, at) > RUNS / 2);
    run_clear(&run);
}

static void localised_motions_are_found(void)
{
    static const double at[] = {1.4};
    struct oscillators o = {.n = 4, .size = 1.5, .accelerate = in_ring};
    struct run run;
    search(&run, ring, 1000, 1, at);
    printf("# %d found, %d apart, of %d starts\n", run.summary.search.n_found,
           run.summary.search.n_apart, run.summary.search.n_starts);
    CHECK(run.summary.search.n_found > 0);
    CHECK(all_are_found(&run.rows, &o, 1, at) > RUNS / 2);
    run_clear(&run);
}

static void a_pair_that_touches_shows_its_motions(void)
{
    static const double at[] = {1.25, 1.6, 2.2};
    struct oscillators o = {.n = 2, .size = 2.0, .accelerate = in_pair};
    struct run run;
    search(&run, pair, 60, 3, at);
    CHECK(all_are_found(&run.rows, &o, 3, at) > RUNS / 4);
    run_clear(&run);
}

static void a_seed_gives_one_result(void)
{
    struct run one, other;
    search(&one, two_wells, 30, 0, NULL);
    search(&other, two_wells, 30, 0, NULL);
    if (CHECK(one.rows.n_rows == other.rows.n_rows)) {
        size_t n = (size_t)one.rows.n_rows * (size_t)one.rows.n_columns;
        bool is_same = memcmp(one.rows.numbers, other.rows.numbers, n * sizeof(double)) == 0;
        CHECK(is_same);
    }
    CHECK(one.summary.search.n_starts == 30);
    run_clear(&one);
    run_clear(&other);
}

static const struct tap_test tests[] = {
    {"a clearance shows its peak unasked", a_clearance_shows_its_peak_unasked},
    {"wells are found", wells_are_found},
    {"a detached motion is found", a_detached_motion_is_found},
    {"localised motions are found", localised_motions_are_found},
    {"a pair that touches shows its motions", a_pair_that_touches_shows_its_motions},
    {"a seed gives one result", a_seed_gives_one_result},
};

TAP_MAIN(tests)
