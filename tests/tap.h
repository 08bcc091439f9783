/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests speak TAP (meson: protocol 'tap'). A test program has a table of functions; each CHECK
 * counts, and the first failures of a function are printed with both numbers.
 */
#ifndef MASING_TESTS_TAP_H
#define MASING_TESTS_TAP_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_checks, tap_failures;

enum { TAP_SHOWN = 10 };

static inline bool tap_check(bool good, const char *file, int line, const char *text)
{
    tap_checks++;
    if (!good && tap_failures++ < TAP_SHOWN) {
        printf("# %s:%d: not true: %s\n", file, line, text);
    }
    return good;
}

/* |actual - expected| <= tolerance * scale */
static inline bool tap_close(double actual, double expected, double scale, double tolerance,
                             const char *file, int line, const char *text)
{
    double difference = fabs(actual - expected);
    bool good = difference <= tolerance * fabs(scale);
    tap_checks++;
    if (!good && tap_failures++ < TAP_SHOWN) {
        printf("# %s:%d: %s: got %.17g, expected %.17g, off by %.3g (allowed %.3g)\n", file,
               line, text, actual, expected, difference, tolerance * fabs(scale));
    }
    return good;
}

/* How much of a test is done: all, or, where sanitizers make it ten times as slow, a part that
 * goes the same ways. Numbers are judged without them. */
static inline int tap_most(int all, int few)
{
#if defined __SANITIZE_ADDRESS__
    (void)all;
    return few;
#else
    (void)few;
    return all;
#endif
}

#define CHECK(condition) tap_check((condition), __FILE__, __LINE__, #condition)
/* relative to the expected value */
#define CHECK_RELATIVE(actual, expected, tolerance)                                            \
    tap_close((actual), (expected), (expected), (tolerance), __FILE__, __LINE__, #actual)
/* relative to a scale of the caller's */
#define CHECK_SCALED(actual, expected, scale, tolerance)                                       \
    tap_close((actual), (expected), (scale), (tolerance), __FILE__, __LINE__, #actual)

struct tap_test {
    const char *name;
    void (*run)(void);
};

/* Run a table of tests; returns the exit status of main. */
static inline int tap_run(const struct tap_test *tests, int n_tests)
{
    int failed = 0;
    printf("TAP version 13\n1..%d\n", n_tests);
    for (int i = 0; i < n_tests; i++) {
        tap_checks = tap_failures = 0;
        tests[i].run();
        bool good = tap_failures == 0 && tap_checks > 0;
        if (tap_checks == 0) {
            printf("# nothing was checked\n");
        } else if (!good) {
            printf("# %d of %d checks failed\n", tap_failures, tap_checks);
        }
        printf("%sok %d - %s\n", good ? "" : "not ", i + 1, tests[i].name);
        fflush(stdout);
        failed += !good;
    }
    return failed ? 1 : 0;
}

#define TAP_MAIN(tests)                                                                        \
    int main(void)                                                                             \
    {                                                                                          \
        return tap_run(tests, (int)(sizeof(tests) / sizeof *(tests)));                         \
    }

#endif
