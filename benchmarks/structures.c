/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a point cost more when the structure is larger and the joints are the same? */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks.h"
#include "masing/integrate.h"

struct text {
    char *bytes;
    size_t length, room;
};

static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text->bytes + text->length, text->room - text->length, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= text->room - text->length) {
        fprintf(stderr, "benchmarks: the text of a model is too long\n");
        exit(EXIT_FAILURE);
    }
    text->length += (size_t)n;
}

/*
 * A clamped rod of 1 kg and 1e5 N/m as a chain of n masses, shaken at its end, with sliders
 * from the ground to its middle and its end: the same rod, and nearly the same curve, for any
 * n. Or with a slider beside each spring, n joints.
 */
static struct text chain(int n, bool has_sliders_between)
{
    struct text text = {.room = 400 * (size_t)n + 2000};
    text.bytes = malloc(text.room);
    if (!text.bytes) {
        exit(EXIT_FAILURE);
    }
    append(&text, "masing: 1\nstructure:\n  masses:\n");
    for (int i = 1; i <= n; i++) {
        append(&text, "    m%d: %.17g\n", i, (i == n ? 0.5 : 1.0) / n);
    }
    append(&text, "  springs:\n");
    for (int i = 1; i <= n; i++) {
        append(&text, i == 1 ? "    - {from: ground, to: m%d, stiffness: %.17g}\n" : "", i,
               1e5 * n);
        if (i > 1) {
            append(&text, "    - {from: m%d, to: m%d, stiffness: %.17g}\n", i - 1, i, 1e5 * n);
        }
    }
    append(&text, "  damping: {modal_ratio: 0.02}\njoints:\n");
    int places[] = {(n + 1) / 2, n};
    for (int i = 2; has_sliders_between && i <= n; i++) {
        append(&text,
               "  - {name: slider_%d, law: jenkins, from: m%d, to: m%d, stiffness: %.17g,"
               " slip_force: 15}\n",
               i, i - 1, i, 5e4 * n);
    }
    if (has_sliders_between) {
        append(&text,
               "  - {name: slider_1, law: jenkins, from: ground, to: m1, stiffness: %.17g,"
               " slip_force: 15}\n",
               5e4 * n);
    }
    for (int j = 0; !has_sliders_between && j < 2; j++) {
        append(&text,
               "  - {name: slider_%d, law: jenkins, from: ground, to: m%d, stiffness: 3e4,"
               " slip_force: 15}\n",
               j + 1, places[j]);
    }
    append(&text,
           "loads:\n  - {dof: m%d, amplitude: 15}\nfrequency: [60, 140]\n"
           "harmonics: [1, 3, 5, 7]\noutputs: [m%d]\n",
           n, n);
    return text;
}

/* Least processor time of a period, s, of so many from rest: what a whole run costs less what
 * one of a single period does. */
static double period_seconds(const char *text, const char *method, const char *modes,
                             int n_repeat, struct masing_integrate_summary *summary)
{
    const char *cycles[] = {"1", "21"};
    double least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 2 * n_repeat; i++) {
        const struct masing_override overrides[] = {{"integration.method", method},
                                                    {"integration.modes", modes},
                                                    {"integration.cycles", cycles[i % 2]},
                                                    {"integration.tolerance", "1e-7"}};
        struct masing_model *model = model_of("rod.yaml", text, overrides, 4);
        struct masing_error error = {0};
        masing_integrate_summary_clear(summary);
        double start = processor_seconds();
        enum masing_status status = masing_integrate(model, 100.0, NULL, NULL, summary, &error);
        least[i % 2] = fmin(least[i % 2], processor_seconds() - start);
        if (status != MASING_STOPPED) {
            require(status, "integration", &error);
        }
        masing_model_destroy(model);
    }
    return (least[1] - least[0]) / 20.0;
}

static void integrate_rod(const char *text, int n_dofs, bool is_quick)
{
    static const struct {
        const char *method, *modes;
        int most_dofs; /* a period of more takes seconds */
    } ways[] = {{"newmark", "all", 500}, {"newmark", "auto", 500}, {"exact", "all", 50},
                {"exact", "auto", 500},  {"accurate", "all", 50},  {"accurate", "auto", 500}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct masing_integrate_summary summary = {0};
        if (n_dofs <= ways[i].most_dofs && (!is_quick || i < 2)) {
            double seconds =
                period_seconds(text, ways[i].method, ways[i].modes, is_quick ? 1 : 5, &summary);
            printf("rod, %3d DOFs            %-8s %-5s %4d + %d %11.1f %9.1e\n", n_dofs,
                   ways[i].method, ways[i].modes, summary.n_modes, summary.n_residual_modes,
                   1e6 * seconds, summary.modes_error);
        }
        masing_integrate_summary_clear(&summary);
    }
}

static void integrate_rods(bool is_quick)
{
    static const int sizes[] = {5, 50, 500};
    printf("\nThe same rod in time, at 100 Hz, per period of 1024 steps\n");
    printf("%-24s %-8s %-5s %8s %11s %9s\n", "", "method", "modes", "", "us", "error");
    for (int i = 0; i < (is_quick ? 2 : 3); i++) {
        struct text text = chain(sizes[i], false);
        integrate_rod(text.bytes, sizes[i], is_quick);
        free(text.bytes);
    }
}

static void follow_chains(bool is_quick)
{
    static const int sizes[] = {30, 100};
    printf("\nA chain of n Jenkins joints, H = 7 odd, per accepted point\n");
    printf("%-24s %-8s %7s %9s %6s %6s %6s %7s\n", "", "forces", "points", "us", "resid.",
           "Jacob.", "LU", "events");
    for (int i = 0; i < (is_quick ? 1 : 2); i++) {
        struct text text = chain(sizes[i], true);
        struct masing_model *model = model_of("chain.yaml", text.bytes, NULL, 0);
        /* one curve of the longer chain takes ten seconds */
        struct curve_cost cost = measure_curve(model, is_quick || sizes[i] > 30);
        const struct masing_response_summary *s = &cost.summary;
        double points = s->points;
        printf("chain, %3d joints        %-8s %7d %9.1f %6.2f %6.2f %6.2f %7.2f\n", sizes[i],
               s->forces, s->points, 1e6 * cost.seconds / points, (double)s->residuals / points,
               (double)s->jacobians / points, (double)s->factorisations / points,
               (double)s->event_residuals / points);
        masing_response_summary_clear(&cost.summary);
        masing_model_destroy(model);
        free(text.bytes);
    }
}

void benchmark_structures(const struct benchmark_settings *settings)
{
    static const int sizes[] = {5, 50, 500};
    int n_sizes = settings->is_quick ? 2 : 3;
    double first = 0;
    printf("\nA rod of n DOFs with two sliders, H = 7 odd, per accepted point\n");
    printf("%-24s %-8s %7s %9s %9s\n", "", "forces", "points", "us", "ratio");
    for (int i = 0; i < n_sizes; i++) {
        struct text text = chain(sizes[i], false);
        struct masing_model *model = model_of("rod.yaml", text.bytes, NULL, 0);
        struct curve_cost cost = measure_curve(model, settings->is_quick);
        double per_point = cost.seconds / cost.summary.points;
        first = i == 0 ? per_point : first;
        printf("rod, %3d DOFs            %-8s %7d %9.2f %9.2f\n", sizes[i], cost.summary.forces,
               cost.summary.points, 1e6 * per_point, per_point / first);
        masing_response_summary_clear(&cost.summary);
        masing_model_destroy(model);
        free(text.bytes);
    }
    follow_chains(settings->is_quick);
    integrate_rods(settings->is_quick);
}
