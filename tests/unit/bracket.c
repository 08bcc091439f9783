/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Roots and minima in brackets: smooth functions, bent ones, jumps, signs alone. */
#include "linalg/bracket.h"

#include <math.h>

#include "tap.h"

static double smooth(double x)
{
    return cos(x) - x;
}

static double bent(double x)
{
    return x < 0.3 ? x - 0.3 : 1e4 * (x - 0.3);
}

static double triple(double x)
{
    return pow(x - 0.3, 3);
}

static double jumping(double x)
{
    return x < 0.3 ? -2.0 - x : 5.0 + x;
}

static double sign_alone(double x)
{
    return x < 0.3 ? -1.0 : 1.0;
}

static double steep(double x)
{
    return exp(60.0 * x) - 1.0;
}

struct search {
    double (*function)(double x);
    double a, b, root;
    int most_trials;
};

static void roots_are_found_from_either_side(void)
{
    const struct search searches[] = {
        {smooth, 0.0, 1.0, 0.73908513321516064166, 12},
        {bent, -1.0, 2.0, 0.3, 12},
        {triple, -1.0, 2.0, 0.3, 120},
        {jumping, -1.0, 2.0, 0.3, 60},
        {sign_alone, -1.0, 2.0, 0.3, 60},
        {steep, -1.0, 2.0, 0.0, 200},
    };
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        const struct search *s = &searches[i];
        for (int turned = 0; turned < 2; turned++) {
            double a = turned ? s->b : s->a, b = turned ? s->a : s->b;
            struct bracket bracket = bracket_of(a, s->function(a), b, s->function(b));
            while (bracket_next(&bracket, 0.0)) {
                CHECK(bracket.x > s->a && bracket.x < s->b);
                bracket_set(&bracket, s->function(bracket.x));
            }
            CHECK_SCALED(bracket_root(&bracket), s->root, 1.0, 1e-14);
            CHECK(bracket.trials <= s->most_trials);
            CHECK(bracket.end[0].value * s->function(a) > 0.0);
            CHECK(bracket.end[1].value * s->function(b) >= 0.0);
        }
    }
}

static void a_zero_ends_the_search_at_the_second_end(void)
{
    struct bracket bracket = bracket_of(0.0, -1.0, 2.0, 1.0);
    CHECK(bracket_next(&bracket, 0.0) && bracket.x == 1.0);
    CHECK(bracket_set(&bracket, 0.0) == 1);
    CHECK(!bracket_next(&bracket, 0.0));
    CHECK(bracket.end[1].x == 1.0 && bracket_root(&bracket) == 1.0);
}

static void neighbouring_numbers_are_the_end(void)
{
    double a = 1.0, b = nextafter(1.0, 2.0);
    struct bracket bracket = bracket_of(a, -1.0, b, 1.0);
    CHECK(!bracket_next(&bracket, 0.0));
    CHECK(bracket_root(&bracket) == b || bracket_root(&bracket) == a);
}

/* Newton's method diverges from the root of x^(1/3). */
static void steps_of_newton_stay_in_the_bracket(void)
{
    struct newton_bracket bracket = {-1.0, 3.0, 3.0, false};
    for (int i = 0; i < 80; i++) {
        newton_bracket_next(&bracket, cbrt(bracket.x), -3.0 * bracket.x);
        CHECK(bracket.x > -1.0 && bracket.x < 3.0);
    }
    CHECK(fabs(bracket.x) < 1e-15);
    bracket = (struct newton_bracket){0.0, 1.0, 0.5, false};
    newton_bracket_next(&bracket, 1e-30, -1e-30); /* lost in rounding */
    CHECK(bracket.x == 0.5);
}

static void steps_of_newton_are_free_where_nothing_bounds_them(void)
{
    struct newton_bracket bracket = {-INFINITY, INFINITY, 5.0, true};
    newton_bracket_next(&bracket, -1.0, -20.0);
    CHECK(bracket.x == -15.0);
    newton_bracket_next(&bracket, 2.0, 30.0);
    CHECK(bracket.x == -5.0); /* 15 lies beyond the bracket that is closed now */
    bracket = (struct newton_bracket){-INFINITY, INFINITY, -15.0, true};
    newton_bracket_next(&bracket, 2.0, 30.0);
    CHECK(bracket.x == 15.0);
}

static void minima_are_found_by_sections(void)
{
    for (int side = 0; side < 2; side++) {
        double least = side ? 1.9 : -0.9, start = fabs(0.5 - least);
        struct golden_section section = golden_section_of(-1.0, 0.5, start, 2.0);
        int n = 0;
        for (; golden_section_next(&section, 1e-9); n++) {
            bool is_better = golden_section_set(&section, fabs(section.x - least));
            CHECK(is_better == (section.best == section.x));
        }
        CHECK_SCALED(section.best, least, 1.0, 1e-9);
        CHECK(section.value == fabs(section.best - least) && n < 60);
    }
}

static const struct tap_test tests[] = {
    {"roots are found from either side", roots_are_found_from_either_side},
    {"a zero ends the search at the second end", a_zero_ends_the_search_at_the_second_end},
    {"neighbouring numbers are the end", neighbouring_numbers_are_the_end},
    {"steps of newton stay in the bracket", steps_of_newton_stay_in_the_bracket},
    {"steps of newton are free where nothing bounds them",
     steps_of_newton_are_free_where_nothing_bounds_them},
    {"minima are found by sections", minima_are_found_by_sections},
};

TAP_MAIN(tests)
