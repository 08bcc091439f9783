/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random cases of every law of contact, for contract tests. */
#ifndef MASING_TESTS_CONTACT_CASES_H
#define MASING_TESTS_CONTACT_CASES_H

#include <string.h>

#include "contact_paths.h"

enum { N_CASES = 200, N = 128, MOST_AXES = MASING_MAX_AXES };

static inline void contact_fill(struct contact_case *test)
{
    const struct masing_law *law = test->law;
    uint64_t *seed = &test->seed;
    bool is_falling = test_uniform(seed, 0, 1) < 0.4, is_gap = test_uniform(seed, 0, 1) < 0.3;
    contact_set(law, test->given, "normal_stiffness", 0, exp(test_uniform(seed, -1, 1)));
    contact_set(law, test->given, "tangential_stiffness", 0, exp(test_uniform(seed, -1, 1)));
    if (!is_falling) {
        contact_set(law, test->given, "friction", 0, test_uniform(seed, 0.1, 0.9));
    } else {
        contact_set(law, test->given, "friction.static", 0, test_uniform(seed, 0.5, 0.9));
        if (test_uniform(seed, 0, 1) < 0.5) {
            contact_set(law, test->given, "friction.hyperbolic_decay", 0,
                        exp(test_uniform(seed, -2, 0)));
        } else {
            contact_set(law, test->given, "friction.kinetic", 0, test_uniform(seed, 0.2, 0.4));
            contact_set(law, test->given, "friction.decay", 0, exp(test_uniform(seed, -2, 0)));
        }
    }
    if (is_gap) {
        contact_set(law, test->given, "gap", 0, test_uniform(seed, 0.0, 0.3));
    } else {
        contact_set(law, test->given, "preload", 0, exp(test_uniform(seed, -1, 1)));
    }
    if (test_uniform(seed, 0, 1) < 0.5) {
        contact_set(law, test->given, "roughness", 0, exp(test_uniform(seed, -1, 1)));
    }
    if (masing_field_find(law->fields, law->n_fields, "elements") >= 0) {
        for (int i = 0; i < 2; i++) {
            contact_set(law, test->given, "size", i, exp(test_uniform(seed, -1, 1)));
            contact_set(law, test->given, "elements", i, floor(test_uniform(seed, 1, 5)));
            contact_set(law, test->given, "preload_moment", i,
                        is_gap ? 0.0 : 0.05 * test_uniform(seed, -1, 1));
        }
    }
}

/* A plain contact has its normal axis and one or two others; a patch any of its six. */
static inline unsigned contact_random_axes(const struct masing_law *law, uint64_t *seed)
{
    return law->n_axes == 3 ? (test_uniform(seed, 0, 1) < 0.5 ? 3u : 7u)
                            : 1u + (unsigned)test_uniform(seed, 0, 63);
}

static inline bool contact_create(struct contact_case *test, const struct masing_law *law,
                                  int index)
{
    *test = (struct contact_case){.law = law,
                                  .seed = (uint64_t)(7919 * index + 17),
                                  .parameters = calloc(1, law->parameters_size),
                                  .given = calloc(1, law->parameters_size)};
    test_uniform(&test->seed, 0, 1);
    test->axes = contact_random_axes(law, &test->seed);
    test->n_axes = contact_count_axes(test->axes);
    masing_fields_reset(law->fields, law->n_fields, test->given);
    contact_fill(test);
    law->choose_axes(test->given, test->axes);
    memcpy(test->parameters, test->given, law->parameters_size);
    if (masing_law_check(law, test->parameters, NULL) != MASING_OK) {
        return false;
    }
    test->omega = exp(test_uniform(&test->seed, -1, 1));
    double size = exp(test_uniform(&test->seed, -2, 1));
    for (int a = 0; a < test->n_axes; a++) {
        test_path_random(&test->path[a], &test->seed, size);
        test->origin[a] = size * test_uniform(&test->seed, -0.3, 0.3);
    }
    return true;
}

static inline void contact_for_each(void (*check)(struct contact_case *test))
{
    int n_cases = N_CASES;
#if defined __SANITIZE_ADDRESS__
    n_cases = N_CASES / 10; /* numbers are judged without sanitizers */
#endif
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        for (int i = 0, done = 0; (*law)->contact && done < n_cases; i++) {
            struct contact_case test;
            int failures = tap_failures;
            if (contact_create(&test, *law, i)) {
                check(&test);
                done++;
            }
            if (tap_failures > failures && tap_failures < TAP_SHOWN) {
                printf("# ^ %s, case %d\n", (*law)->name, i);
            }
            contact_case_clear(&test);
        }
    }
}

/* x, v [n][n_axes] from an angle on */
static inline void contact_sample(const struct contact_case *test, int n, double start,
                                  double *x, double *v)
{
    double xs[N], vs[N];
    for (int a = 0; a < test->n_axes; a++) {
        test_path_sample(&test->path[a], n, start, test->omega, xs, vs);
        for (int i = 0; i < n; i++) {
            x[i * test->n_axes + a] = xs[i];
            v[i * test->n_axes + a] = vs[i];
        }
    }
}

static inline struct masing_path contact_path_of(const struct contact_case *test, int n,
                                                 const double *x, const double *v)
{
    return (struct masing_path){.n_samples = n,
                                .n_axes = test->n_axes,
                                .is_periodic = true,
                                .time_step = TEST_TWO_PI / (test->omega * n),
                                .x = x,
                                .v = v,
                                .origin = test->origin};
}

static inline void contact_steady(const struct contact_case *test, double start, double *f,
                                  struct masing_forces *forces)
{
    double x[N * MOST_AXES], v[N * MOST_AXES];
    contact_sample(test, N, start, x, v);
    const struct masing_path path = contact_path_of(test, N, x, v);
    *forces = (struct masing_forces){.f = f};
    CHECK(contact_march(test, &path, NULL, forces) == MASING_OK);
}

static inline double contact_largest(const double *f, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(f[i]));
    }
    return most;
}

#endif
