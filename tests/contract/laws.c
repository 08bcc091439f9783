/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law promises about periodic paths: derivatives and the steady state. */
#include "law_cases.h"

enum { N_CASES = 100, N = 256, N_DIRECTIONS = 3 };

/* Directions: a random change of the path twice, and the frequency (velocity only). */
struct directions {
    struct test_path path[N_DIRECTIONS];
    double omega[N_DIRECTIONS];
};

static void random_directions(const struct law_case *test, struct directions *directions)
{
    uint64_t seed = test->seed;
    memset(directions, 0, sizeof *directions);
    for (int d = 0; d < 2; d++) {
        test_path_random(&directions->path[d], &seed, test->amplitude);
        directions->path[d].n_harmonics = test->path.n_harmonics;
    }
    directions->omega[2] = test->omega;
}

/* dx, dv [N][N_DIRECTIONS] */
static void seed_directions(const struct law_case *test, const struct directions *directions,
                            double *dx, double *dv)
{
    for (int d = 0; d < N_DIRECTIONS; d++) {
        double x[N], v[N], v_path[N];
        test_path_sample(&directions->path[d], N, 0.0, test->omega, x, v);
        test_path_sample(&test->path, N, 0.0, directions->omega[d], v_path, v_path);
        for (int i = 0; i < N; i++) {
            dx[i * N_DIRECTIONS + d] = x[i];
            dv[i * N_DIRECTIONS + d] = v[i] + v_path[i];
        }
    }
}

/* The case with its path and frequency changed by `size` along direction d. */
static struct law_case varied(const struct law_case *test, const struct directions *directions,
                              int d, double size)
{
    struct law_case other = *test;
    other.omega += size * directions->omega[d];
    for (int c = 0; c < TEST_COEFFICIENTS; c++) {
        other.path.c[c] += size * directions->path[d].c[c];
    }
    return other;
}

static void march_with_directions(const struct law_case *test, const double *dx,
                                  const double *dv, struct law_run *run)
{
    double x[N], v[N];
    test_path_sample(&test->path, N, 0.0, test->omega, x, v);
    struct masing_path path = {.n_samples = N,
                               .n_axes = 1,
                               .n_directions = N_DIRECTIONS,
                               .is_periodic = true,
                               .time_step = TEST_TWO_PI / (N * test->omega),
                               .x = x,
                               .v = v,
                               .dx = dx,
                               .dv = dv,
                               .origin = &test->origin};
    CHECK(case_march(test, &path, NULL, false, run) == MASING_OK);
}

static long n_all, n_all_compared;

/*
 * Central differences, extrapolated from two step sizes. A sample that changes its state
 * within the step shows by two differences that do not agree.
 */
static void check_differences(struct law_case *test)
{
    static const double STEP = 2e-5;
    static struct law_run run, plus, minus, plus_half, minus_half;
    static double dx[N * N_DIRECTIONS], dv[N * N_DIRECTIONS];
    struct directions directions;
    random_directions(test, &directions);
    seed_directions(test, &directions, dx, dv);
    march_with_directions(test, dx, dv, &run);
    int n_compared = 0;
    for (int d = 0; d < N_DIRECTIONS; d++) {
        const double sizes[4] = {STEP, -STEP, 0.5 * STEP, -0.5 * STEP};
        struct law_run *runs[4] = {&plus, &minus, &plus_half, &minus_half};
        double scale = case_largest(run.f, N);
        for (int k = 0; k < 4; k++) {
            struct law_case other = varied(test, &directions, d, sizes[k]);
            case_steady(&other, N, 0.0, runs[k]);
        }
        for (int i = 0; i < N; i++) {
            scale = fmax(scale, fabs(run.df[i * N_DIRECTIONS + d]));
        }
        for (int i = 0; i < N; i++) {
            double coarse = (plus.f[i] - minus.f[i]) / (2.0 * STEP);
            double fine = (plus_half.f[i] - minus_half.f[i]) / STEP;
            if (fabs(coarse - fine) <= 3e-8 * scale) {
                n_compared++;
                CHECK_SCALED(run.df[i * N_DIRECTIONS + d], (4.0 * fine - coarse) / 3.0, scale,
                             test->law->evolution ? 1e-6 : 1e-7);
            }
        }
    }
    CHECK(test->law->evolution || n_compared > 0.5 * N * N_DIRECTIONS);
    n_all_compared += n_compared;
    n_all += N * N_DIRECTIONS;
}

static void derivatives_are_those_of_differences(void)
{
    n_all = n_all_compared = 0;
    for_each_case(N_CASES, check_differences);
    CHECK((double)n_all_compared > 0.9 * (double)n_all);
}

/* df by the formula in masing/law.h from the structured form, one direction at a time. */
static void structured(const struct law_run *run, const double *dx, const double *dv, int n,
                       int n_directions, int d, double *df)
{
    double dx_r[CASE_MAX_SAMPLES], df_r[CASE_MAX_SAMPLES];
    for (int r = 0; r < run->n_turnings; r++) {
        const struct masing_turning *turning = &run->turnings[r];
        dx_r[r] = 0.0;
        for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
            int sample = (turning->sample - 1 + m + n) % n;
            dx_r[r] += turning->weights[m] * dx[sample * n_directions + d];
        }
        int parent = turning->parent;
        CHECK(parent < r);
        df_r[r] = turning->tangent * (dx_r[r] - (parent < 0 ? 0.0 : dx_r[parent])) +
                  (parent < 0 ? 0.0 : df_r[parent]);
    }
    for (int i = 0; i < n; i++) {
        int r = run->branch[i];
        df[i] = run->fx[i] * (dx[i * n_directions + d] - (r < 0 ? 0.0 : dx_r[r])) +
                run->fv[i] * dv[i * n_directions + d] + (r < 0 ? 0.0 : df_r[r]);
    }
}

static void check_structured(struct law_case *test)
{
    static struct law_run general, other;
    static double dx[N * N_DIRECTIONS], dv[N * N_DIRECTIONS], df[N];
    struct directions directions;
    if (!test->law->family->has_tangents) {
        return;
    }
    random_directions(test, &directions);
    seed_directions(test, &directions, dx, dv);
    march_with_directions(test, dx, dv, &general);
    case_steady(test, N, 0.0, &other);
    for (int d = 0; d < N_DIRECTIONS; d++) {
        structured(&other, dx, dv, N, N_DIRECTIONS, d, df);
        double scale = case_largest(df, N) + case_largest(general.f, N);
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(df[i], general.df[i * N_DIRECTIONS + d], scale, 1e-13);
        }
    }
    CHECK(memcmp(general.f, other.f, sizeof(double) * N) == 0);
}

static void structured_and_general_derivatives_agree(void)
{
    for_each_case(N_CASES, check_structured);
}

static void check_phase_shift(struct law_case *test)
{
    static struct law_run run, shifted;
    case_steady(test, N, 0.0, &run);
    double scale = case_largest(run.f, N);
    for (int shift = 1; shift < N; shift += 37) {
        case_steady(test, N, TEST_TWO_PI * shift / N, &shifted);
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(shifted.f[i], run.f[(i + shift) % N], scale,
                         test->law->evolution ? 1e-6 : 1e-11);
        }
        CHECK(isnan(run.slip_share) == isnan(shifted.slip_share));
        CHECK(isnan(run.slip_share) || fabs(run.slip_share - shifted.slip_share) < 1e-9);
    }
}

static void a_shifted_start_phase_changes_nothing(void)
{
    for_each_case(N_CASES, check_phase_shift);
}

static void march_open(const struct law_case *test, const double *x, const double *v, int n,
                       double *state, struct law_run *run)
{
    struct masing_path path = {
        .n_samples = n, .n_axes = 1, .time_step = 0.1, .x = x, .v = v, .origin = &test->origin};
    CHECK(case_march(test, &path, state, test->law->family->has_tangents, run) == MASING_OK);
}

/*
 * The steady state is what an open march gets to in the second period. It turns at samples
 * only, so that it is given the turning points as samples as well.
 */
static void check_periodicity(struct law_case *test)
{
    static struct law_run run, open;
    static double x[CASE_MAX_SAMPLES], v[CASE_MAX_SAMPLES];
    double x_period[N], v_period[N];
    int origin_of[N], count = 0;
    test_path_sample(&test->path, N, 0.0, test->omega, x_period, v_period);
    case_steady(test, N, 0.0, &run);
    if (run.n_turnings > N / 2 || test->law->family->settling_periods < 0) {
        return;
    }
    for (int i = 0; i < N; i++) {
        origin_of[i] = count;
        x[count] = x_period[i];
        v[count++] = v_period[i];
        for (int r = 0; r < run.n_turnings; r++) {
            const struct masing_turning *turning = &run.turnings[r];
            double at = 0.0;
            for (int m = 0; m < MASING_TURNING_WEIGHTS; m++) {
                at += turning->weights[m] * x_period[(turning->sample - 1 + m + N) % N];
            }
            if (turning->sample == i && turning->weights[1] != 1.0) {
                x[count] = at;
                v[count++] = 0.0;
            }
        }
    }
    double *state = case_state(test);
    march_open(test, x, v, count, state, &open);
    march_open(test, x, v, count, state, &open);
    for (int i = 0; i < N; i++) {
        CHECK_SCALED(open.f[origin_of[i]], run.f[i], case_largest(run.f, N), 1e-10);
    }
    free(state);
}

static void the_second_period_of_an_open_march_is_the_steady_state(void)
{
    for_each_case(N_CASES, check_periodicity);
}

static const struct tap_test tests[] = {
    {"derivatives are those of differences", derivatives_are_those_of_differences},
    {"structured and general derivatives agree", structured_and_general_derivatives_agree},
    {"a shifted start phase changes nothing", a_shifted_start_phase_changes_nothing},
    {"the second period of an open march is the steady state",
     the_second_period_of_an_open_march_is_the_steady_state},
};

TAP_MAIN(tests)
