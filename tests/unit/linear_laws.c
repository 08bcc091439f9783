/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evolution laws that are linear in their state, along samples drawn by chance: turning points
 * within steps and at samples, steps of one piece and of many, of all directions by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/branchless_exp.h"
#include "joint_text.h"
#include "law_paths.h"

enum { N = 23, N_DIRECTIONS = 2 * N };

static void exponential(void)
{
    uint64_t seed = 3;
    double largest = 0.0;
    for (int i = 0; i < 300000; i++) {
        double range = i % 3 == 0 ? BRANCHLESS_EXP_RANGE : i % 3 == 1 ? 40.0 : 1.0;
        double x = test_uniform(&seed, -range, range);
        double digit = nextafter(exp(x), INFINITY) - exp(x);
        largest = fmax(largest, (double)fabsl(branchless_exp(x) - expl(x)) / digit);
    }
    CHECK(largest <= 2.0);
    CHECK(branchless_exp(0.0) == 1.0);
    CHECK(branchless_exp(-BRANCHLESS_EXP_RANGE) > 0.0);
    CHECK(branchless_exp(BRANCHLESS_EXP_RANGE) < INFINITY);
}

static const struct specimen {
    const char *law, *keys;
    double size, speed; /* that matter to it */
} specimens[] = {
    {"lugre",
     "sigma0: 3, sigma1: 0.2, sigma2: 0.4, coulomb_force: 1, static_force: 1.5, "
     "stribeck_velocity: 0.5",
     1.0 / 3, 0.5},
    {"lugre", "sigma0: 3, coulomb_force: 1", 1.0 / 3, 0.5},
    {"generalized_valanis", "e1: 10, e2: 20, terms: [{coefficient: 30, power: 1}]", 0.05, 1.0},
    {"generalized_valanis",
     "loading: {e1: 10, e2: 20, terms: [{coefficient: 14, power: 2, velocity: sign}, "
     "{coefficient: 2, power: 1, velocity: linear, rate: 3}]}, unloading: {e1: 8, e2: 15, "
     "terms: [{coefficient: 3, power: 3}, {coefficient: 1, velocity: square}]}",
     0.05, 1.0},
};
enum { N_SPECIMENS = sizeof specimens / sizeof *specimens };

/* Samples, each of which is a direction by itself. */
struct walk {
    struct joint_text joint;
    double x[N], v[N], dx[N * N_DIRECTIONS], dv[N * N_DIRECTIONS];
    double f[N], df[N * N_DIRECTIONS];
    double *workspace;
};

static void open_walk(struct walk *walk, const struct specimen *specimen)
{
    memset(walk, 0, sizeof *walk);
    walk->joint = joint_text_open(specimen->law, specimen->keys);
    const struct masing_law *law = walk->joint.law;
    size_t size = law->family->workspace_size(law, N, N_DIRECTIONS, 0);
    walk->workspace = calloc(size + 1, sizeof(double));
    for (int i = 0; i < N; i++) {
        walk->dx[i * N_DIRECTIONS + i] = 1.0;
        walk->dv[i * N_DIRECTIONS + N + i] = 1.0;
    }
}

static void close_walk(struct walk *walk)
{
    free(walk->workspace);
    joint_text_close(&walk->joint);
}

/* Up and down by chance, a few samples in each direction. */
static void draw(struct walk *walk, const struct specimen *specimen, double size,
                 uint64_t *seed)
{
    double sign = 1.0, x = 0.0;
    for (int i = 0; i < N; i++) {
        sign = test_uniform(seed, 0.0, 1.0) < 0.3 ? -sign : sign;
        x += sign * size * specimen->size * test_uniform(seed, 0.1, 1.0);
        walk->x[i] = x;
        walk->v[i] = sign * specimen->speed * test_uniform(seed, 0.1, 2.0);
    }
}

static void march(struct walk *walk, bool with_derivative)
{
    double origin = 0.0;
    struct masing_path path = {.n_samples = N,
                               .n_axes = 1,
                               .n_directions = with_derivative ? N_DIRECTIONS : 0,
                               .is_periodic = true,
                               .time_step = 1.0,
                               .x = walk->x,
                               .v = walk->v,
                               .dx = walk->dx,
                               .dv = walk->dv,
                               .origin = &origin};
    struct masing_forces forces = {.f = walk->f, .df = walk->df};
    CHECK(masing_law_march(walk->joint.law, walk->joint.parameters, &path, NULL, &forces, NULL,
                           walk->workspace) == MASING_OK);
}

/* Forces a little before and behind a sample's number. */
static void difference(struct walk *walk, double *number, double step, double change[N])
{
    double kept = *number, before[N];
    *number = kept - step;
    march(walk, false);
    memcpy(before, walk->f, sizeof before);
    *number = kept + step;
    march(walk, false);
    *number = kept;
    for (int i = 0; i < N; i++) {
        change[i] = (walk->f[i] - before[i]) / (2.0 * step);
    }
}

static void check_derivative(struct walk *walk, const struct specimen *specimen, double size)
{
    double change[N], derivative[N * N_DIRECTIONS], scale[2] = {0.0, 0.0};
    march(walk, true);
    memcpy(derivative, walk->df, sizeof derivative);
    for (int k = 0; k < N * N_DIRECTIONS; k++) {
        double *largest = &scale[k % N_DIRECTIONS < N ? 0 : 1];
        *largest = fmax(*largest, fabs(derivative[k]));
    }
    for (int d = 0; d < N_DIRECTIONS; d++) {
        bool is_x = d < N;
        double step = 1e-6 * (is_x ? fmin(size, 1.0) * specimen->size : specimen->speed);
        difference(walk, is_x ? &walk->x[d] : &walk->v[d - N], step, change);
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(derivative[i * N_DIRECTIONS + d], change[i],
                         scale[is_x ? 0 : 1] + 1e-3, 1e-5);
        }
    }
}

static const double sizes[] = {0.01, 0.08, 0.7, 5.0, 200.0};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static void derivatives(void)
{
    uint64_t seed = 31;
    int n_good = 0, n_all = 0;
    for (int s = 0; s < N_SPECIMENS; s++) {
        struct walk walk;
        open_walk(&walk, &specimens[s]);
        for (int trial = 0; trial < tap_most(10, 2) * N_SIZES; trial++) {
            int before = tap_failures;
            draw(&walk, &specimens[s], sizes[trial % N_SIZES], &seed);
            check_derivative(&walk, &specimens[s], sizes[trial % N_SIZES]);
            n_good += tap_failures == before;
            n_all++;
            tap_failures = before; /* a turning point may come to a sample within the step */
        }
        close_walk(&walk);
    }
    printf("# %d of %d\n", n_good, n_all);
    CHECK(n_good >= n_all - 1 - n_all / 50);
}

static void turn_back(double *samples, int n)
{
    double kept[N];
    memcpy(kept, samples, sizeof kept);
    for (int i = 0; i < N; i++) {
        samples[i] = kept[(i + n) % N];
    }
}

/* Which sample of a period is the first does not matter. */
static void first_samples(void)
{
    uint64_t seed = 32;
    for (int s = 0; s < N_SPECIMENS; s++) {
        struct walk walk;
        open_walk(&walk, &specimens[s]);
        for (int trial = 0; trial < 20 * N_SIZES; trial++) {
            double f[N], largest = 0.0;
            draw(&walk, &specimens[s], sizes[trial % N_SIZES], &seed);
            march(&walk, false);
            memcpy(f, walk.f, sizeof f);
            for (int i = 0; i < N; i++) {
                largest = fmax(largest, fabs(f[i]));
            }
            int back = 1 + trial % (N - 1);
            turn_back(walk.x, back);
            turn_back(walk.v, back);
            turn_back(f, back);
            march(&walk, false);
            for (int i = 0; i < N; i++) {
                CHECK_SCALED(walk.f[i], f[i], largest, 1e-10);
            }
        }
        close_walk(&walk);
    }
}

static const struct tap_test tests[] = {
    {"the exponential", exponential},
    {"derivatives by each sample", derivatives},
    {"the first sample of a period", first_samples},
};

TAP_MAIN(tests)
