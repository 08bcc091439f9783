/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine of Masing laws with a law of the user's own: four sliders in parallel. */
#include "law_cases.h"

#include "laws/masing/return_points.h"

enum { SLIDERS = 4 };

static const double stiffness[SLIDERS] = {3.0, 1.0, 0.5, 0.7};
static const double reach_of[SLIDERS] = {0.2, 0.5, 0.9, 1.3};

static void backbone(const void *parameters, double u, double *b, double *db)
{
    (void)parameters;
    *b = *db = 0.0;
    for (int j = 0; j < SLIDERS; j++) {
        *b += stiffness[j] * fmin(u, reach_of[j]);
        *db += u < reach_of[j] ? stiffness[j] : 0.0;
    }
}

static double reach(const void *parameters)
{
    (void)parameters;
    return reach_of[SLIDERS - 1];
}

static const struct masing_law bank = {.name = "bank",
                                       .family = &masing_family_masing,
                                       .n_axes = 1,
                                       .backbone = backbone,
                                       .reach = reach};

/* A backbone without end. */
static void root_backbone(const void *parameters, double u, double *b, double *db)
{
    (void)parameters;
    *b = sqrt(1.0 + u) - 1.0;
    *db = 0.5 / sqrt(1.0 + u);
}

static double no_reach(const void *parameters)
{
    (void)parameters;
    return INFINITY;
}

static const struct masing_law endless = {.name = "endless",
                                          .family = &masing_family_masing,
                                          .n_axes = 1,
                                          .backbone = root_backbone,
                                          .reach = no_reach};

static double slide(double *sliders, double x)
{
    double sum = 0.0;
    for (int j = 0; j < SLIDERS; j++) {
        sliders[j] = fmin(fmax(sliders[j], x - reach_of[j]), x + reach_of[j]);
        sum += stiffness[j] * (x - sliders[j]);
    }
    return sum;
}

static void compare_walk(uint64_t seed, double amplitude, int n)
{
    struct law_case test = {.law = &bank};
    double sliders[SLIDERS] = {0.0}, f, fx, fv;
    double *state = case_state(&test);
    for (int i = 0; i < n; i++) {
        double next = amplitude * test_uniform(&seed, -1.0, 1.0);
        masing_law_step(&bank, NULL, &next, NULL, state, state, &f, &fx, &fv);
        CHECK_SCALED(f, slide(sliders, next), 1.0, 1e-12);
    }
    free(state);
}

static void random_walks_equal_sliders(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        compare_walk(seed * 7919, 0.1 * (double)seed, 400);
    }
}

/* Loops within loops, 50 deep, left again one by one. */
static void nested_loops_close_where_they_began(void)
{
    struct law_case test = {.law = &bank};
    enum { DEPTH = 50 };
    double x[2 * DEPTH + 1], sliders[SLIDERS] = {0.0}, f, fx, fv;
    double *state = case_state(&test);
    for (int i = 0; i < DEPTH; i++) {
        x[i] = (i % 2 ? -1.0 : 1.0) * (1.2 - 0.02 * i);
        x[2 * DEPTH - 1 - i] = (i % 2 ? 1.0 : -1.0) * (1.21 - 0.02 * i);
    }
    x[2 * DEPTH] = 3.0;
    for (int i = 0; i <= 2 * DEPTH; i++) {
        masing_law_step(&bank, NULL, &x[i], NULL, state, state, &f, &fx, &fv);
        CHECK_SCALED(f, slide(sliders, x[i]), 1.0, 1e-13);
    }
    CHECK_SCALED(f, 3.0 * 0.2 + 0.5 + 0.45 + 0.91, 1.0, 1e-14);
    CHECK(fx == 0.0);
    free(state);
}

/* Thousands of reversals that shrink: the memory is bounded, and what it forgets is little. */
static void long_decays_stay_within_bounds(void)
{
    struct law_case test = {.law = &bank};
    enum { CYCLES = 5000 };
    double sliders[SLIDERS] = {0.0}, x = 0.0, f, fx, fv, worst = 0.0;
    double *state = case_state(&test);
    for (int i = 0; i < CYCLES; i++) {
        double next = (i % 2 ? -1.0 : 1.0) * exp(-6.0 * i / CYCLES);
        masing_law_step(&bank, NULL, &next, NULL, state, state, &f, &fx, &fv);
        CHECK_SCALED(f, slide(sliders, next), 1.0, 1e-12);
        x = next;
    }
    for (int i = 0; i <= 100; i++) {
        double next = 1.1 * i / 100;
        masing_law_step(&bank, NULL, &next, NULL, state, state, &f, &fx, &fv);
        worst = fmax(worst, fabs(f - slide(sliders, next)));
        x = next;
    }
    CHECK(worst < 0.02);
    CHECK_SCALED(f, slide(sliders, x), 1.0, 1e-12); /* all is forgotten out there */
    free(state);
}

/* Cycles that repeat to round-off, or shrink by it, do not fill the memory. */
static void repeated_cycles_leave_no_trace(void)
{
    struct law_case test = {.law = &bank};
    double sliders[SLIDERS] = {0.0}, f, fx, fv;
    double *state = case_state(&test);
    for (int i = 0; i < 1000; i++) {
        double size = i % 4 < 2 ? 1.0 : 0.4;
        double next = (i % 2 ? -size : size) * (1.0 - 4e-16 * i);
        masing_law_step(&bank, NULL, &next, NULL, state, state, &f, &fx, &fv);
        CHECK_SCALED(f, slide(sliders, next), 1.0, 1e-11);
    }
    CHECK(((struct return_points *)(void *)state)->count < 8.0);
    free(state);
}

/* While a joint slips in every cycle it needs no memory, however its motion decays. */
static void slipping_forgets(void)
{
    struct law_case test = {.law = &bank};
    double sliders[SLIDERS] = {0.0}, f, fx, fv;
    double *state = case_state(&test);
    for (int i = 0; i < 1000; i++) {
        double next = 0.3 + (i % 2 ? -1.0 : 1.0) * (4.0 - 0.002 * i);
        masing_law_step(&bank, NULL, &next, NULL, state, state, &f, &fx, &fv);
        CHECK_SCALED(f, slide(sliders, next), 1.0, 1e-13);
        CHECK(((struct return_points *)(void *)state)->count <= 2.0);
    }
    free(state);
}

/* A time integration may begin away from the state of rest: a step goes there first. */
static void steps_begin_where_the_state_is(void)
{
    struct law_case test = {.law = &bank};
    double sliders[SLIDERS] = {0.0}, x_old = 1.1, x = 0.6, f, fx, fv;
    double *state = case_state(&test);
    masing_law_step(&bank, NULL, &x_old, NULL, state, state, &f, &fx, &fv);
    CHECK_SCALED(f, slide(sliders, x_old), 1.0, 1e-14);
    masing_law_step(&bank, NULL, &x, NULL, state, state, &f, &fx, &fv);
    CHECK_SCALED(f, slide(sliders, x), 1.0, 1e-14);
    free(state);
}

static void endless_backbones_work(void)
{
    struct law_case test = {.law = &endless, .amplitude = 1.0};
    static struct law_run run;
    uint64_t seed = 99;
    double b, db;
    test_path_random(&test.path, &seed, 50.0);
    case_steady(&test, 256, 0.0, &run);
    CHECK(isnan(run.slip_share)); /* there is no slip */
    memset(&test.path, 0, sizeof test.path);
    test.path.n_harmonics = 1;
    test.path.c[1] = 50.0;
    case_steady(&test, 256, 0.0, &run);
    root_backbone(NULL, 50.0, &b, &db);
    CHECK_RELATIVE(run.f[0], b, 1e-14);
    CHECK_RELATIVE(run.f[128], -b, 1e-14);
}

/*
 * A turning point moves from one step to the next: the force is continuous all the way. A
 * jump would show as a change that does not shrink with the shift of the path.
 */
static void forces_do_not_jump_where_turning_points_pass_samples(void)
{
    enum { N = 32, SHIFTS = 4000 };
    static struct law_run run, before;
    struct law_case test = {.law = &bank};
    uint64_t seed = 12;
    test_path_random(&test.path, &seed, 1.0);
    test.path.n_harmonics = 4;
    double worst = 0.0;
    for (int k = 0; k <= SHIFTS; k++) {
        before = run;
        case_steady(&test, N, TEST_TWO_PI / N * k / SHIFTS, &run);
        for (int i = 0; k > 0 && i < N; i++) {
            worst = fmax(worst, fabs(run.f[i] - before.f[i]));
        }
    }
    /* |df| <= 2 k |x'| d theta */
    CHECK(worst < 2.0 * 5.2 * 10.0 * TEST_TWO_PI / N / SHIFTS);
}

static void few_and_odd_samples_are_survived(void)
{
    static struct law_run run;
    struct law_case test = {.law = &bank};
    const double shapes[][6] = {{1, 1, 1, 1, 1, 1},    {0, 1, 0, 1, 0, 1},
                                {2, 2, 0, 0, 0, 2},    {0, 1, 1, 1, 0, 0},
                                {0, 0, 0, 0, 0, 1e-9}, {-1, 3, -2, 2, -3, 1}};
    for (int s = 0; s < 6; s++) {
        for (int n = 1; n <= 6; n++) {
            struct masing_path path = {.n_samples = n,
                                       .n_axes = 1,
                                       .is_periodic = true,
                                       .x = shapes[s],
                                       .origin = &test.origin};
            CHECK(case_march(&test, &path, NULL, true, &run) == MASING_OK);
            CHECK(case_largest(run.f, n) <= 2.46 && run.n_turnings <= n);
            CHECK(run.slip_share >= 0.0 && run.slip_share <= 1.0);
        }
    }
}

static void too_little_room_for_turning_points_is_an_error(void)
{
    double x[64], f[64], fx[64], origin = 0.0;
    int branch[64];
    struct masing_turning turnings[2];
    for (int i = 0; i < 64; i++) {
        x[i] = cos(TEST_TWO_PI * i / 64) + cos(3.0 * TEST_TWO_PI * i / 64);
    }
    double *workspace = calloc(bank.family->workspace_size(&bank, 64, 0, 0), sizeof(double));
    double *state = calloc(masing_law_state_size(&bank, NULL), sizeof(double));
    struct masing_path path = {
        .n_samples = 64, .n_axes = 1, .is_periodic = true, .x = x, .origin = &origin};
    struct masing_forces forces = {.f = f};
    struct masing_tangents tangents = {
        .fx = fx, .branch = branch, .turnings = turnings, .max_turnings = 2};
    CHECK(masing_law_march(&bank, NULL, &path, NULL, &forces, &tangents, workspace) ==
          MASING_INVALID);
    path.is_periodic = false;
    masing_law_rest(&bank, NULL, &origin, state);
    CHECK(masing_law_march(&bank, NULL, &path, state, &forces, &tangents, workspace) ==
          MASING_INVALID);
    free(workspace);
    free(state);
}

static const struct tap_test tests[] = {
    {"random walks equal sliders in parallel", random_walks_equal_sliders},
    {"nested loops close where they began", nested_loops_close_where_they_began},
    {"long decays stay within bounds", long_decays_stay_within_bounds},
    {"repeated cycles leave no trace", repeated_cycles_leave_no_trace},
    {"slipping forgets", slipping_forgets},
    {"steps begin where the state is", steps_begin_where_the_state_is},
    {"backbones without end work", endless_backbones_work},
    {"forces do not jump where turning points pass samples",
     forces_do_not_jump_where_turning_points_pass_samples},
    {"few and odd samples are survived", few_and_odd_samples_are_survived},
    {"too little room for turning points is an error",
     too_little_room_for_turning_points_is_an_error},
};

TAP_MAIN(tests)
