/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every law: the derivative by every number of its parameters against central differences. */
#include "law_cases.h"

enum { N = 256 };

static double relative_step(double value)
{
    return 1e-6 * fmax(fabs(value), 1e-3);
}

/* March at parameters moved along nothing but one number; NULL state: steady. */
static bool march_at(const struct law_case *test, const struct masing_path *path,
                     void *parameters, bool is_periodic, struct law_run *run)
{
    struct law_case moved = *test;
    moved.parameters = parameters;
    double *state = is_periodic ? NULL : case_state(&moved);
    bool done = case_march(&moved, path, state, false, run) == MASING_OK;
    free(state);
    return done;
}

static double largest_difference(const double *a, const double *b, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

/* Central difference of all samples, or false where a neighbour is refused. */
static bool difference(const struct law_case *test, const struct masing_path *path,
                       size_t offset, double step, double *quotient)
{
    static struct law_run runs[2];
    bool done = true;
    for (int side = 0; side < 2 && done; side++) {
        void *parameters = malloc(test->law->parameters_size);
        memcpy(parameters, test->given, test->law->parameters_size);
        double *number = (double *)(void *)((char *)parameters + offset);
        *number += side ? step : -step;
        done = masing_law_check(test->law, parameters, NULL) == MASING_OK &&
               march_at(test, path, parameters, path->is_periodic, &runs[side]);
        free(parameters);
    }
    for (int i = 0; i < path->n_samples && done; i++) {
        quotient[i] = (runs[1].f[i] - runs[0].f[i]) / (2.0 * step);
    }
    return done;
}

/*
 * Where a parameter's change moves a corner of the force past a sample, difference quotients of
 * two steps disagree; such samples cannot judge.
 */
static void check_number(const struct law_case *test, struct masing_path *path, size_t offset)
{
    static double coarse[CASE_MAX_SAMPLES], fine[CASE_MAX_SAMPLES];
    static struct law_run run;
    const double *number = (const double *)(const void *)((const char *)test->given + offset);
    if (isnan(*number)) {
        return; /* not given */
    }
    double step = relative_step(*number);
    void *tangent = malloc(test->law->parameters_size);
    masing_law_tangent(test->law, test->parameters, offset, tangent);
    const void *tangents[] = {tangent};
    path->dp = tangents;
    path->n_parameters = 1;
    CHECK(march_at(test, path, test->parameters, path->is_periodic, &run));
    path->n_parameters = 0;
    if (difference(test, path, offset, step, coarse) &&
        difference(test, path, offset, 0.25 * step, fine)) {
        double scale = fmax(case_largest(fine, path->n_samples),
                            case_largest(run.f, path->n_samples) / fmax(fabs(*number), 1e-3));
        double noise = largest_difference(coarse, fine, path->n_samples);
        int n_bad = 0;
        for (int i = 0; i < path->n_samples; i++) {
            double wobble = fabs(coarse[i] - fine[i]);
            n_bad += fabs(run.dfp[i] - fine[i]) > 1e-6 * scale + 20.0 * wobble;
        }
        bool passed = CHECK(n_bad <= (noise > 1e-7 * scale ? path->n_samples / 64 : 0));
        if (!passed && tap_failures < TAP_SHOWN) {
            for (int i = 0; i < path->n_samples; i++) {
                if (fabs(run.dfp[i] - fine[i]) > 1e-6 * scale) {
                    printf("# offset %zu, sample %d: %.12g, difference %.12g (%.12g)\n", offset,
                           i, run.dfp[i], fine[i], coarse[i]);
                    break;
                }
            }
        }
    }
    free(tangent);
}

static void check_path(const struct law_case *test, bool is_periodic)
{
    static double x[N], v[N];
    test_path_sample(&test->path, N, 0.3, test->omega, x, v);
    struct masing_path path = {.n_samples = N,
                               .n_axes = 1,
                               .is_periodic = is_periodic,
                               .time_step = TEST_TWO_PI / (N * test->omega),
                               .x = x,
                               .v = v,
                               .origin = &test->origin};
    size_t offsets[CASE_MAX_NUMBERS];
    int n = case_numbers(test->law, test->given, offsets);
    for (int k = 0; k < n; k++) {
        check_number(test, &path, offsets[k]);
    }
}

static void check_derivatives(struct law_case *test)
{
    check_path(test, true);
    check_path(test, false);
}

static void forces_are_differentiated_by_every_parameter(void)
{
    for_each_case(100, check_derivatives);
}

static const struct tap_test tests[] = {
    {"forces are differentiated by every parameter",
     forces_are_differentiated_by_every_parameter},
};

TAP_MAIN(tests)
