/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closed-form phases against samples, against themselves, and against differences. */
#include "law_cases.h"

enum { N_CASES = 100, MAX_PHASES = 4 * TEST_EXTREMA, N_SPECTRUM = 9 };

/* Gauss-Legendre nodes and weights on [-1, 1], eight points (Abramowitz & Stegun, 25.4.30). */
static const double nodes[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363};
static const double weights[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                  0.1012285362903763};

/* spectrum[c] += (1 / pi) integral over [from, to] of (tangent x + level) times the basis */
static void integrate(const struct test_path *path, double from, double to, double tangent,
                      double level, double spectrum[N_SPECTRUM])
{
    enum { PIECES = 12 };
    for (int piece = 0; piece < PIECES; piece++) {
        double half = 0.5 * (to - from) / PIECES, middle = from + (2 * piece + 1) * half;
        for (int k = 0; k < 8; k++) {
            double angle = middle + half * (k < 4 ? nodes[k] : -nodes[k - 4]);
            double f = tangent * test_path_value(path, angle, 0) + level;
            double factor = weights[k % 4] * half * f / (0.5 * TEST_TWO_PI);
            for (int c = 0; c < N_SPECTRUM; c++) {
                int h = (c + 1) / 2;
                spectrum[c] += factor * (c % 2 ? cos(h * angle) : c ? sin(h * angle) : 0.5);
            }
        }
    }
}

struct phase_run {
    struct masing_smooth_path smooth;
    struct masing_phase phases[MAX_PHASES];
    int n;
    double spectrum[N_SPECTRUM];
    double slip_share;
};

static void run_phases(struct law_case *test, struct phase_run *run)
{
    memset(run, 0, sizeof *run);
    run->smooth = test_path_smooth(&test->path, test->origin);
    run->n = test->law->phases(test->parameters, NULL, &run->smooth, run->phases, MAX_PHASES);
    CHECK(run->n > 0);
    for (int p = 0; p < run->n; p++) {
        const struct masing_phase *phase = &run->phases[p];
        integrate(&test->path, phase->start, phase->end, phase->tangent, phase->level,
                  run->spectrum);
        run->slip_share += phase->is_slip ? (phase->end - phase->start) / TEST_TWO_PI : 0.0;
    }
}

/* Order, one whole period, and a force without jumps. */
static void check_form(struct law_case *test)
{
    static struct phase_run run;
    if (!test->law->phases) {
        return;
    }
    run_phases(test, &run);
    const struct masing_phase *last = &run.phases[run.n - 1];
    CHECK(run.phases[0].start >= 0.0 && run.phases[0].start < TEST_TWO_PI);
    CHECK_SCALED(last->end - run.phases[0].start, TEST_TWO_PI, 1.0, 1e-14);
    for (int p = 0; p < run.n; p++) {
        const struct masing_phase *phase = &run.phases[p], *before = p ? phase - 1 : last;
        double x = test_path_value(&test->path, phase->start, 0);
        CHECK(phase->end > phase->start);
        CHECK(p == 0 || phase->start == before->end);
        CHECK(phase->extremum >= -1 && phase->extremum < run.smooth.n_extrema);
        double scale = (fabs(phase->tangent) + fabs(before->tangent)) * test->amplitude;
        CHECK_SCALED(phase->tangent * x + phase->level, before->tangent * x + before->level,
                     scale, 1e-12);
    }
    CHECK(test->law->phases(test->parameters, NULL, &run.smooth, run.phases, run.n - 1) == -1);
}

static void phases_cover_one_period_without_jumps(void)
{
    for_each_case(N_CASES, check_form);
}

/* Largest difference between the spectra of n samples and of the phases. */
static double sampling_error(const struct law_case *test, const struct phase_run *exact, int n,
                             double *share_error)
{
    static struct law_run run;
    double error = 0.0;
    case_steady(test, n, 0.0, &run);
    for (int c = 0; c < N_SPECTRUM; c++) {
        int h = (c + 1) / 2;
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            double angle = TEST_TWO_PI * i / n;
            sum += run.f[i] * (c % 2 ? cos(h * angle) : c ? sin(h * angle) : 0.5) * 2.0 / n;
        }
        error = fmax(error, fabs(sum - exact->spectrum[c]));
    }
    *share_error = isnan(run.slip_share) ? 0.0 : fabs(run.slip_share - exact->slip_share);
    return error;
}

/* Sums over the cases of a law: errors at 128, 256, 512, 1024 samples. */
static void samples_converge_to_phases(void)
{
    enum { LEVELS = 4 };
    static struct phase_run exact;
    for (int l = 0; masing_laws()[l]; l++) {
        double errors[LEVELS] = {0.0};
        for (int i = 0; i < N_CASES && masing_laws()[l]->phases; i++) {
            struct law_case test;
            if (case_create(&test, masing_laws()[l], i)) {
                run_phases(&test, &exact);
                double scale = case_largest(exact.spectrum, N_SPECTRUM);
                for (int level = 0; level < LEVELS && scale > 0.0; level++) {
                    double share_error;
                    double error =
                        sampling_error(&test, &exact, 128 << level, &share_error) / scale;
                    errors[level] += error / N_CASES;
                    CHECK(level < LEVELS - 1 || (error < 3e-3 && share_error < 3e-3));
                }
            }
            case_destroy(&test);
        }
        if (!masing_laws()[l]->phases) {
            continue;
        }
        printf("# %s: mean error %.2g %.2g %.2g %.2g\n", masing_laws()[l]->name, errors[0],
               errors[1], errors[2], errors[3]);
        CHECK(errors[3] < 1e-4);
        CHECK(log2(errors[0] / errors[3]) / (LEVELS - 1) > 1.8);
    }
}

/* d spectrum along a direction by what the phases say of tangents and levels. */
static void differentiate(const struct phase_run *run, const struct test_path *direction,
                          double derivative[N_SPECTRUM])
{
    memset(derivative, 0, N_SPECTRUM * sizeof *derivative);
    for (int p = 0; p < run->n; p++) {
        const struct masing_phase *phase = &run->phases[p];
        double level = 0.0;
        if (phase->extremum >= 0) {
            double angle = run->smooth.extrema[phase->extremum].angle;
            level = -phase->tangent * test_path_value(direction, angle, 0);
        }
        integrate(direction, phase->start, phase->end, phase->tangent, level, derivative);
    }
}

static int n_compared, n_total;

static void check_derivatives(struct law_case *test)
{
    static const double STEP = 1e-4;
    static struct phase_run run, other;
    double derivative[N_SPECTRUM], values[4][N_SPECTRUM];
    const double sizes[4] = {STEP, -STEP, 0.5 * STEP, -0.5 * STEP};
    struct test_path direction;
    if (!test->law->phases) {
        return;
    }
    test_path_random(&direction, &test->seed, test->amplitude);
    direction.n_harmonics = test->path.n_harmonics;
    run_phases(test, &run);
    differentiate(&run, &direction, derivative);
    for (int k = 0; k < 4; k++) {
        struct law_case varied = *test;
        for (int c = 0; c < TEST_COEFFICIENTS; c++) {
            varied.path.c[c] += sizes[k] * direction.c[c];
        }
        run_phases(&varied, &other);
        memcpy(values[k], other.spectrum, sizeof other.spectrum);
    }
    double scale =
        case_largest(derivative, N_SPECTRUM) + case_largest(run.spectrum, N_SPECTRUM);
    for (int c = 0; c < N_SPECTRUM; c++) {
        double coarse = (values[0][c] - values[1][c]) / (2.0 * STEP);
        double fine = (values[2][c] - values[3][c]) / STEP;
        n_total++;
        if (fabs(coarse - fine) <= 1e-6 * scale) {
            n_compared++;
            CHECK_SCALED(derivative[c], (4.0 * fine - coarse) / 3.0, scale, 1e-7);
        }
    }
}

static void levels_and_tangents_are_the_derivative(void)
{
    n_compared = n_total = 0;
    for_each_case(N_CASES, check_derivatives);
    CHECK(n_compared > 0.95 * n_total);
}

static void constant_paths_have_one_phase(void)
{
    static struct phase_run run;
    static struct law_run sampled;
    for (int l = 0; masing_laws()[l]; l++) {
        for (int i = 0; i < N_CASES && masing_laws()[l]->phases; i++) {
            struct law_case test;
            if (case_create(&test, masing_laws()[l], i)) {
                test.path.n_harmonics = 0;
                run_phases(&test, &run);
                case_steady(&test, 64, 0.0, &sampled);
                CHECK(run.n == 1 && run.phases[0].tangent == sampled.fx[0]);
                double f = run.phases[0].tangent * test.path.c[0] + run.phases[0].level;
                CHECK_SCALED(f, sampled.f[0], fabs(run.phases[0].level) + fabs(f), 1e-13);
            }
            case_destroy(&test);
        }
    }
}

/* Events have one sign without motion and do not hang on its units; settled sliders stay. */
static void check_settling(struct law_case *test)
{
    enum { N = 256 };
    static struct law_run run, again;
    if (!test->law->settle) {
        return;
    }
    struct masing_smooth_path smooth = test_path_smooth(&test->path, test->origin);
    struct masing_range range = test_path_range(&smooth);
    case_steady(test, N, 0.0, &run);
    test->origin = range.origin = test->law->settle(test->law, test->parameters, &range);
    case_steady(test, N, 0.0, &again);
    double scale = case_largest(run.f, N);
    for (int i = 0; i < N; i++) {
        /* turning points between samples are found to fourth order */
        CHECK_SCALED(again.f[i], run.f[i], scale, 1e-5);
    }
    CHECK_SCALED(test->law->settle(test->law, test->parameters, &range), range.origin,
                 fabs(range.origin) + test->amplitude, 1e-15);
}

static void settled_sliders_change_no_steady_state(void)
{
    for_each_case(N_CASES, check_settling);
}

static const struct tap_test tests[] = {
    {"phases cover one period without jumps", phases_cover_one_period_without_jumps},
    {"samples converge to phases with second order", samples_converge_to_phases},
    {"levels and tangents are the derivative", levels_and_tangents_are_the_derivative},
    {"constant paths have one phase, as in samples", constant_paths_have_one_phase},
    {"settled sliders change no steady state", settled_sliders_change_no_steady_state},
};

TAP_MAIN(tests)
