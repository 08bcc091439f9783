/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an accepted point of a frequency response costs, and what it is made of. */
#include <stdio.h>

#include "benchmarks.h"

struct curve_case {
    const char *example;
    const char *name;
    const char *harmonics;
    const char *forces;
    int highest; /* of the floor with the same harmonics, or 0 */
};

static const struct curve_case cases[] = {
    {"two_mass_damper.yaml", "damper, H = 1, odd", "[1]", "exact", 0},
    {"two_mass_damper.yaml", "damper, H = 3, odd", "[1, 3]", "exact", 0},
    {"two_mass_damper.yaml", "damper, H = 7, odd", "[1, 3, 5, 7]", "exact", 0},
    {"two_mass_damper.yaml", "damper, H = 15, odd", "[1, 3, 5, 7, 9, 11, 13, 15]", "exact", 0},
    {"two_mass_damper.yaml", "damper, H = 1, full", "1", "exact", 1},
    {"two_mass_damper.yaml", "damper, H = 3, full", "3", "exact", 3},
    {"two_mass_damper.yaml", "damper, H = 7, full", "7", "exact", 7},
    {"two_mass_damper.yaml", "damper, H = 15, full", "15", "exact", 15},
    {"two_mass_damper.yaml", "damper, H = 7, odd", "[1, 3, 5, 7]", "sampled", 0},
    {"two_mass_damper.yaml", "damper, H = 7, full", "7", "sampled", 0},
    {"two_mass_damper.yaml", "damper, H = 15, full", "15", "sampled", 0},
    {"cantilever.yaml", "cantilever, H = 1, odd", "[1]", "exact", 0},
    {"cantilever.yaml", "cantilever, H = 3, odd", "[1, 3]", "exact", 0},
    {"cantilever.yaml", "cantilever, H = 7, odd", "[1, 3, 5, 7]", "exact", 0},
    {"cantilever.yaml", "cantilever, H = 7, odd", "[1, 3, 5, 7]", "sampled", 0},
    {"cantilever.yaml", "cantilever, H = 7, full", "7", "exact", 0},
};

static void measure(const struct benchmark_settings *settings, const struct curve_case *c)
{
    char file[4096];
    struct masing_override overrides[] = {
        {"harmonics", c->harmonics}, {"forces", c->forces}, {"samples", "256"}};
    snprintf(file, sizeof file, "%s/%s", settings->examples, c->example);
    struct masing_model *model = model_of(file, NULL, overrides, 3);
    struct curve_cost cost = measure_curve(model, settings->is_quick);
    const struct masing_response_summary *s = &cost.summary;
    double points = s->points;
    char floors[16] = "-";
    if (c->highest > 0) {
        struct floor_cost floor = measure_floor(c->highest, settings->is_quick);
        snprintf(floors, sizeof floors, "%.2f", cost.seconds / points / floor.seconds);
    }
    printf("%-24s %-8s %7d %9.2f %6s %9.2f %6.2f %6.2f %6.2f %7.2f\n", c->name, c->forces,
           s->points, 1e6 * cost.seconds / points, floors, 1e6 * cost.call_seconds / points,
           (double)s->residuals / points, (double)s->jacobians / points,
           (double)s->factorisations / points, (double)s->event_residuals / points);
    masing_response_summary_clear(&cost.summary);
    masing_model_destroy(model);
}

void benchmark_curves(const struct benchmark_settings *settings)
{
    size_t n = sizeof cases / sizeof *cases;
    printf("\nFrequency responses, per accepted point (256 samples where sampled)\n");
    printf("%-24s %-8s %7s %9s %6s %9s %6s %6s %6s %7s\n", "", "forces", "points", "us",
           "floors", "us all", "resid.", "Jacob.", "LU", "events");
    for (size_t i = 0; i < n; i++) {
        if (!settings->is_quick || i % 5 == 0) {
            measure(settings, &cases[i]);
        }
    }
}
