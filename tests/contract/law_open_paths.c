/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law promises about open paths: pieces, steps and derivatives. */
#include "law_cases.h"

enum { N_CASES = 100 };

/* An open path: 90 samples of a random walk with turns and, by `rests`, samples in a row. */
enum { OPEN = 90 };

static void random_walk(const struct law_case *test, double rests, double *x, double *v)
{
    uint64_t seed = test->seed;
    double at = test->origin;
    for (int i = 0; i < OPEN; i++) {
        v[i] = test_uniform(&seed, -1.0, 1.0);
        at += test_uniform(&seed, 0.0, 1.0) < rests ? 0.0 : 0.5 * test->amplitude * v[i];
        x[i] = at;
    }
}

/* False where the law may create energy on so large a walk and grew without end. */
static bool march_open(const struct law_case *test, const double *x, const double *v, int n,
                       double *state, struct law_run *run)
{
    double farthest = 0.0;
    struct masing_path path = {
        .n_samples = n, .n_axes = 1, .time_step = 0.1, .x = x, .v = v, .origin = &test->origin};
    for (int i = 0; i < n; i++) {
        farthest = fmax(farthest, fabs(x[i] - test->origin));
    }
    bool may_grow =
        test->law->energy_limit && test->law->energy_limit(test->parameters) < farthest;
    enum masing_status status =
        case_march(test, &path, state, test->law->family->has_tangents, run);
    return CHECK(status == MASING_OK || may_grow) && status == MASING_OK;
}

static void check_pieces(struct law_case *test)
{
    static struct law_run whole, first, second;
    double x[OPEN], v[OPEN];
    random_walk(test, 0.1, x, v);
    double *state = case_state(test);
    bool is_finite = march_open(test, x, v, OPEN, state, &whole);
    double scale = case_largest(whole.f, OPEN);
    for (int cut = 1; is_finite && cut < OPEN; cut += 11) {
        free(state);
        state = case_state(test);
        march_open(test, x, v, cut, state, &first);
        march_open(test, x + cut, v + cut, OPEN - cut, state, &second);
        for (int i = 0; i < OPEN; i++) {
            CHECK_SCALED(i < cut ? first.f[i] : second.f[i - cut], whole.f[i], scale, 1e-14);
        }
    }
    free(state);
}

static void two_pieces_equal_the_whole(void)
{
    for_each_case(N_CASES, check_pieces);
}

static void check_repeated_sample(struct law_case *test)
{
    static struct law_run plain, repeated;
    double x[OPEN + 1], v[OPEN + 1];
    random_walk(test, 0.1, x + 1, v + 1);
    x[0] = x[1];
    v[0] = v[1];
    double *state = case_state(test), *other = case_state(test);
    if (march_open(test, x + 1, v + 1, OPEN, state, &plain)) {
        march_open(test, x, v, OPEN + 1, other, &repeated);
        CHECK(repeated.f[0] == plain.f[0]);
        CHECK(memcmp(repeated.f + 1, plain.f, sizeof(double) * OPEN) == 0);
    }
    free(state);
    free(other);
}

static void a_leading_repeated_sample_changes_nothing(void)
{
    for_each_case(N_CASES, check_repeated_sample);
}

static int n_steps, n_steps_compared;

/*
 * Central difference of the force at the end of a step, with those from both sides. The state
 * is that at the beginning of the step.
 */
struct quotients {
    double left, right, central;
};

static struct quotients step_quotients(const struct law_case *test, double x, double v,
                                       double f, double h, const double *state)
{
    double *scratch = case_state(test), beyond, before, fx, fv;
    double x_beyond = x + h, x_before = x - h;
    masing_law_step(test->law, test->parameters, &x_beyond, &v, state, scratch, &beyond, &fx,
                    &fv);
    masing_law_step(test->law, test->parameters, &x_before, &v, state, scratch, &before, &fx,
                    &fv);
    free(scratch);
    return (struct quotients){(f - before) / h, (beyond - f) / h, (beyond - before) / (2 * h)};
}

/*
 * step: forces as those of an open march, tangents as its differences. Where these depend on
 * their step, at corners and where a curve bends without bound, they cannot judge.
 */
static void check_steps(struct law_case *test)
{
    static struct law_run run;
    double x[OPEN], v[OPEN], scale, stiffness = 0.0;
    random_walk(test, 0.1, x, v);
    double *state = case_state(test), *walking = case_state(test), *before = case_state(test);
    size_t size = masing_law_state_size(test->law, test->parameters);
    bool is_finite = march_open(test, x, v, OPEN, state, &run);
    scale = case_largest(run.f, OPEN);
    double x_old = test->origin, h = 1e-6 * test->amplitude;
    for (int i = 0; is_finite && i < OPEN; i++) {
        double f, fx, fv;
        memcpy(before, walking, size * sizeof(double));
        masing_law_step(test->law, test->parameters, &x[i], &v[i], walking, walking, &f, &fx,
                        &fv);
        struct quotients coarse = step_quotients(test, x[i], v[i], f, h, before);
        struct quotients fine = step_quotients(test, x[i], v[i], f, 0.25 * h, before);
        stiffness = fmax(stiffness, fabs(fx));
        CHECK_SCALED(f, run.f[i], scale, 1e-14);
        double unit = stiffness + scale / test->amplitude;
        double bend = fabs(coarse.left - coarse.right);
        bool is_at_rest = test->law->evolution && x[i] == x_old; /* either way has a tangent */
        if (!is_at_rest && bend <= 1e-3 * stiffness &&
            fabs(fine.left - fine.right) <= 0.5 * bend + 1e-8 * unit &&
            fabs(coarse.central - fine.central) <= 1e-8 * unit) {
            CHECK_SCALED(fx, fine.central, unit, test->law->evolution ? 2e-6 : 1e-7);
            n_steps_compared++;
        }
        n_steps++;
        x_old = x[i];
    }
    free(state);
    free(walking);
    free(before);
}

static void steps_equal_an_open_march(void)
{
    for_each_case(N_CASES, check_steps);
    CHECK(n_steps_compared > 0.8 * n_steps);
}

/* dx, dv [OPEN][2]: random, and a shift of the whole path with a change of its speed. */
static void random_directions(const struct law_case *test, double *dx, double *dv)
{
    uint64_t seed = test->seed + 1;
    for (int i = 0; i < OPEN; i++) {
        dx[2 * i] = test->amplitude * test_uniform(&seed, -1.0, 1.0);
        dv[2 * i] = test_uniform(&seed, -1.0, 1.0);
        dx[2 * i + 1] = test->amplitude;
        dv[2 * i + 1] = 1.0;
    }
}

static bool walk_is_finite(const struct law_case *test, const double *x, const double *v)
{
    static struct law_run unused;
    double *state = case_state(test);
    bool is_finite = march_open(test, x, v, OPEN, state, &unused);
    free(state);
    return is_finite;
}

/* From a state that has seen the first part of the walk. */
static double *used_state(const struct law_case *test, const double *x, const double *v)
{
    static struct law_run unused;
    double *state = case_state(test);
    march_open(test, x, v, OPEN / 3, state, &unused);
    return state;
}

/* Forces where x and v are varied along direction d from sample OPEN / 3 on. */
static void march_varied(const struct law_case *test, const double *x, const double *v,
                         const double *dx, const double *dv, int d, double size,
                         struct law_run *run)
{
    enum { FIRST = OPEN / 3, COUNT = OPEN - FIRST };
    double x_varied[COUNT], v_varied[COUNT], *state = used_state(test, x, v);
    for (int i = 0; i < COUNT; i++) {
        x_varied[i] = x[FIRST + i] + size * dx[2 * i + d];
        v_varied[i] = v[FIRST + i] + size * dv[2 * i + d];
    }
    march_open(test, x_varied, v_varied, COUNT, state, run);
    free(state);
}

static int n_compared, n_total;

/* Extrapolated central differences; a change of state shows by two that do not agree. */
static void check_open_derivatives(struct law_case *test)
{
    static const double STEP = 2e-5;
    static struct law_run run, varied[4];
    enum { FIRST = OPEN / 3, COUNT = OPEN - FIRST };
    double x[OPEN], v[OPEN], dx[2 * OPEN], dv[2 * OPEN];
    const double sizes[4] = {STEP, -STEP, 0.5 * STEP, -0.5 * STEP};
    random_walk(test, 0.0, x, v); /* at rest there is no derivative */
    random_directions(test, dx, dv);
    double *state = used_state(test, x, v);
    struct masing_path path = {.n_samples = COUNT,
                               .n_axes = 1,
                               .n_directions = 2,
                               .time_step = 0.1,
                               .x = x + FIRST,
                               .v = v + FIRST,
                               .dx = dx,
                               .dv = dv,
                               .origin = &test->origin};
    bool is_finite = walk_is_finite(test, x, v);
    CHECK(!is_finite || case_march(test, &path, state, false, &run) == MASING_OK);
    free(state);
    for (int d = 0; is_finite && d < 2; d++) {
        double scale = case_largest(run.f, COUNT) + case_largest(run.df, 2 * COUNT);
        for (int k = 0; k < 4; k++) {
            march_varied(test, x, v, dx, dv, d, sizes[k], &varied[k]);
        }
        for (int i = 0; i < COUNT; i++) {
            double coarse = (varied[0].f[i] - varied[1].f[i]) / (2.0 * STEP);
            double fine = (varied[2].f[i] - varied[3].f[i]) / STEP;
            double corner = (varied[2].f[i] - 2.0 * run.f[i] + varied[3].f[i]) / STEP;
            n_total++;
            if (fabs(coarse - fine) <= 1e-7 * scale && fabs(corner) <= 1e-3 * scale) {
                double tolerance = test->law->evolution ? 2e-6 + fabs(corner) / scale : 1e-7;
                n_compared++;
                CHECK_SCALED(run.df[2 * i + d], (4.0 * fine - coarse) / 3.0, scale, tolerance);
            }
        }
    }
}

static void open_derivatives_are_those_of_differences(void)
{
    n_compared = n_total = 0;
    for_each_case(N_CASES, check_open_derivatives);
    CHECK(n_compared > 0.9 * n_total);
}

static const struct tap_test tests[] = {
    {"two pieces equal the whole", two_pieces_equal_the_whole},
    {"a leading repeated sample changes nothing", a_leading_repeated_sample_changes_nothing},
    {"steps equal an open march", steps_equal_an_open_march},
    {"derivatives are those of differences", open_derivatives_are_those_of_differences},
};

TAP_MAIN(tests)
