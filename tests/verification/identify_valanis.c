/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The examples of Jalali et al. (2022), section 3: steady loops by Runge and Kutta's method
 * with steps that end where the motion turns, 1000 samples, 2 % of the travel cut off.
 */
#include "analyses/identify/valanis_regression.h"
#include "measured.h"

enum { N = 1000, STEPS = 20 };

struct example {
    double amplitude, omega;
    double (*slope)(double x, double v); /* dF/dx less what the force takes, see below */
    double e2;                           /* dF/dx = slope -+ e2 F */
};

static double example_1(double x, double v)
{
    return v > 0 ? 10 + 5 * x : 10 - 5 * x;
}

static double example_2(double x, double v)
{
    double s = v > 0 ? 1 : -1;
    return 10 + s * (30 * x + 1400 * x * x * s);
}

static double example_3(double x, double v)
{
    return 30 + (v > 0 ? 1 : -1) * 1e4 * (5 * x + 3 * exp(x) * v);
}

static double example_4(double x, double v)
{
    return v > 0 ? 10 + 40 * sin(x) : 10 - 15 * x;
}

static double rate(const struct example *e, double angle, double middle, double force)
{
    double x = e->amplitude * sin(angle), s = cos(middle) > 0 ? 1 : -1;
    double v = s * fabs(e->amplitude * e->omega * cos(angle));
    return (e->slope(x, v) - s * e->e2 * force) * e->amplitude * cos(angle);
}

/* From a turning point on, samples lie half a step beside them, so that steps end there. */
static double advance(const struct example *e, double from, double to, double force)
{
    double h = (to - from) / STEPS, middle = 0.5 * (from + to);
    for (int i = 0; i < STEPS; i++) {
        double t = from + i * h;
        double a = rate(e, t, middle, force), b = rate(e, t + h / 2, middle, force + h / 2 * a);
        double c = rate(e, t + h / 2, middle, force + h / 2 * b);
        double d = rate(e, t + h, middle, force + h * c);
        force += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return force;
}

/* Begins at angle 0.3 or so of the sixth cycle. */
static void simulate(const struct example *e, struct masing_measurement *m)
{
    const double h = TEST_TWO_PI / N;
    double force = 0.0;
    int shift = 47;
    measured_create(N, m);
    m->time = calloc(N, sizeof(double));
    for (int i = 0; i < 6 * N + shift; i++) {
        int j = i - 5 * N - shift;
        double angle = (i + 0.5) * h;
        bool turns = i % N == N / 4 || i % N == 3 * N / 4; /* between i - 1 and i */
        double start = (i - 0.5) * h, turn = i * h;
        force = turns ? advance(e, turn, angle, advance(e, start, turn, force))
                      : advance(e, start, angle, force);
        if (j >= 0) {
            m->displacement[j] = e->amplitude * sin(angle);
            m->force[j] = force;
            m->time[j] = angle / e->omega;
        }
    }
}

struct identified {
    struct valanis_regression regression;
    struct masing_measurement loop;
    double *fitted;
    bool is_good;
};

static struct identified identify(const struct example *e, const char *terms,
                                  enum masing_branches branches, double sigma)
{
    bool smooths = sigma < 0; /* noise of the displacement instead of the force */
    struct identified made = {0};
    struct masing_valanis_term list[MASING_MOST_TERMS];
    struct measured_path path;
    uint64_t seed = 17;
    simulate(e, &made.loop);
    for (int i = 0; smooths && i < N; i++) {
        made.loop.displacement[i] -= sigma * measured_noise(&seed);
    }
    measured_disturb(&made.loop, smooths ? 0.0 : sigma, &seed);
    struct masing_valanis_request request = {.data = {.n_loops = 1, .loops = &made.loop},
                                             .terms = list,
                                             .branches = branches,
                                             .end_share = 0.02};
    struct masing_error error = {0};
    made.fitted = calloc(N, sizeof(double));
    CHECK(masing_valanis_terms_parse(terms, list, &request.n_terms, &error) == MASING_OK);
    CHECK(measured_path_create(&request.data, 0, &path, &error) == MASING_OK);
    CHECK(path.is_steady);
    if (smooths) {
        CHECK(measured_path_smooth(&path, &error) == MASING_OK);
    }
    made.is_good = CHECK(valanis_regression_run(&request, &path, &made.regression, &made.fitted,
                                                &error) == MASING_OK);
    if (!made.is_good) {
        printf("# %s\n", error.message);
    }
    measured_path_clear(&path);
    return made;
}

static void release(struct identified *made)
{
    masing_measurement_clear(&made->loop);
    free(made->fitted);
}

static void expect(const struct identified *made, int set, const double *truth, int n,
                   double tolerance)
{
    CHECK(made->regression.n_unknowns == n);
    for (int k = 0; k < n; k++) {
        CHECK_RELATIVE(made->regression.values[set][k], truth[k], tolerance);
    }
}

/* Example 1 with a little of a term of the velocity, which is not asked for. */
static double example_1_with_velocity(double x, double v)
{
    return example_1(x, v) + (v > 0 ? 1 : -1) * 0.01 * v;
}

static void intervals_know_of_absent_terms(void)
{
    static const double truth[] = {10, 5, 20};
    const struct example e = {0.164, 9.85, example_1_with_velocity, 20};
    struct identified made = identify(&e, "x", MASING_BRANCHES_BOTH, 0.0);
    for (int k = 0; k < 3 && made.is_good; k++) {
        double error = fabs(made.regression.values[0][k] - truth[k]);
        printf("# error %.2g, interval %.2g\n", error, made.regression.intervals[0][k]);
        CHECK(error < 4 * made.regression.intervals[0][k]); /* 16 to 40 of white noise */
        CHECK(made.regression.intervals[0][k] < 0.1 * truth[k]);
    }
    release(&made);
}

static void example_1_is_recovered(void)
{
    const struct example e = {0.164, 9.85, example_1, 20};
    const double truth[] = {10, 5, 20};
    for (int branches = 0; branches < 4; branches++) {
        struct identified made = identify(&e, "x", (enum masing_branches)branches, 0.0);
        for (int set = 0; set < made.regression.n_sets; set++) {
            expect(&made, set, truth, 3, 1e-6);
        }
        CHECK(made.regression.n_sets == (branches == MASING_BRANCHES_SEPARATE ? 2 : 1));
        CHECK(made.regression.condition_unscaled < 1e3);
        release(&made);
    }
}

static void example_2_is_recovered(void)
{
    const struct example e = {0.0935, 9.85, example_2, 20};
    const double truth[] = {10, 30, 1400, 20};
    struct identified made = identify(&e, "x, x^2*sgn(v)", MASING_BRANCHES_BOTH, 0.0);
    expect(&made, 0, truth, 4, 1e-6);
    release(&made);
    made = identify(&e, "x, x^2", MASING_BRANCHES_LOADING, 0.0);
    expect(&made, 0, truth, 4, 1e-6);
    release(&made);
}

static void noise_of_one_percent_leaves_a_few(void)
{
    const struct example e = {0.164, 9.85, example_1, 20};
    const double truth[] = {10, 5, 20};
    struct identified made = identify(&e, "x", MASING_BRANCHES_BOTH, 0.005);
    for (int k = 0; k < 3; k++) {
        CHECK(fabs(made.regression.values[0][k] - truth[k]) <
              2 * made.regression.intervals[0][k]);
        CHECK(made.regression.intervals[0][k] < 0.1 * truth[k]);
    }
    CHECK_RELATIVE(sqrt(made.regression.sum / made.regression.n_data), 0.005, 0.1);
    release(&made);
}

/* Amplitude of the oscillator with this joint: its velocity terms damp strongly. */
static void example_3_is_ill_conditioned(void)
{
    const struct example e = {1.7e-3, 9.85, example_3, 500};
    struct identified made = identify(&e, "x, v, x*v", MASING_BRANCHES_LOADING, 0.0);
    CHECK(made.regression.condition_unscaled > 1e5);
    const double table_4[] = {30, 5e4, 3e4};
    for (int k = 0; k < 3; k++) {
        CHECK_RELATIVE(made.regression.values[0][k], table_4[k], 1e-3);
    }
    release(&made);
    const double truth[] = {30, 5e4, 3e4, 500};
    made = identify(&e, "x, exp(1*x)*v", MASING_BRANCHES_BOTH, 0.0);
    expect(&made, 0, truth, 4, 1e-5);
    release(&made);
}

/* Differences of neighbours would make velocities wrong by a tenth, and the constants worse. */
static void noisy_displacements_are_smoothed_for_velocities(void)
{
    const struct example e = {1.7e-3, 9.85, example_3, 500};
    const double truth[] = {30, 5e4, 3e4, 500};
    struct identified made =
        identify(&e, "x, exp(1*x)*v", MASING_BRANCHES_BOTH, -1e-3 * e.amplitude);
    expect(&made, 0, truth, 4, 0.1);
    release(&made);
}

static void example_4_is_ill_conditioned(void)
{
    const struct example e = {0.15, 9.85, example_4, 20};
    struct identified made = identify(&e, "x, x^3, x^5", MASING_BRANCHES_SEPARATE, 0.0);
    CHECK(made.regression.condition_unscaled > 1e5);
    CHECK_RELATIVE(made.regression.values[0][0], 10.0, 1e-6);
    CHECK_RELATIVE(made.regression.values[0][1], 40.0, 1e-6);
    CHECK_RELATIVE(made.regression.values[0][2], -40.0 / 6, 1e-3);
    CHECK_RELATIVE(made.regression.values[1][1], 15.0, 1e-6);
    release(&made);
}

static void the_fitted_points_are_the_measured_ones(void)
{
    const struct example e = {0.164, 9.85, example_1, 20};
    struct identified made = identify(&e, "x", MASING_BRANCHES_BOTH, 0.0);
    int n = 0;
    for (int j = 0; j < N; j++) {
        if (!isnan(made.fitted[j])) {
            CHECK_SCALED(made.fitted[j], made.loop.force[j], 0.5, 1e-8);
            n++;
        }
    }
    CHECK(n == made.regression.n_data);
    CHECK(n > 0.75 * N && n < N);
    release(&made);
}

static const struct tap_test tests[] = {
    {"example 1 is recovered from any branch", example_1_is_recovered},
    {"example 2 is recovered", example_2_is_recovered},
    {"noise of one percent leaves a few", noise_of_one_percent_leaves_a_few},
    {"example 3 is ill-conditioned", example_3_is_ill_conditioned},
    {"noisy displacements are smoothed for velocities",
     noisy_displacements_are_smoothed_for_velocities},
    {"example 4 is ill-conditioned", example_4_is_ill_conditioned},
    {"the fitted points are the measured ones", the_fitted_points_are_the_measured_ones},
    {"intervals know of absent terms", intervals_know_of_absent_terms},
};

TAP_MAIN(tests)
