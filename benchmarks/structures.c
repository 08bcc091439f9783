/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a point cost more when the structure is larger and the joints are the same? */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks.h"

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
 * n.
 */
static struct text chain(int n)
{
    struct text text = {.room = 200 * (size_t)n + 2000};
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
    for (int j = 0; j < 2; j++) {
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

void benchmark_structures(const struct benchmark_settings *settings)
{
    static const int sizes[] = {5, 50, 500};
    int n_sizes = settings->is_quick ? 2 : 3;
    double first = 0;
    printf("\nA rod of n DOFs with two sliders, H = 7 odd, per accepted point\n");
    printf("%-24s %-8s %7s %9s %9s\n", "", "forces", "points", "us", "ratio");
    for (int i = 0; i < n_sizes; i++) {
        struct text text = chain(sizes[i]);
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
}
