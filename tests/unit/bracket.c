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

/* Values of f at the ends and in between, and the number of evaluations to its minimum. */
static int find_minimum(double (*f)(double x), const double places[3], double narrow,
                        double *found)
{
    struct parabolic_section section =
        parabolic_section_of((struct bracket_point){places[0], f(places[0])},
                             (struct bracket_point){places[1], f(places[1])},
                             (struct bracket_point){places[2], f(places[2])});
    int n = 0;
    while (n < 100 && parabolic_section_next(&section, narrow)) {
        CHECK(section.x >= places[0] && section.x <= places[2]);
        parabolic_section_set(&section, f(section.x));
        n++;
    }
    *found = section.best.x;
    CHECK(section.best.value == f(section.best.x));
    return n;
}

static double square(double x)
{
    return 3.0 * (x - 0.7) * (x - 0.7) - 2.0;
}

static double quartic(double x)
{
    return pow(x - 0.3, 4.0) + x;
}

static double kink(double x)
{
    return fabs(x + 0.9);
}

static double decay(double x)
{
    return exp(-x);
}

static double well(double x)
{
    return -1.0 / (1e-6 + (x - 1.0) * (x - 1.0));
}

/* One parabola leads to the minimum of another, two more values show that it is one. */
static void minima_are_found_by_parabolas(void)
{
    static const double places[] = {-1.0, 0.5, 2.0}, at_end[] = {-1.0, 2.0, 2.0};
    double found;
    CHECK(find_minimum(square, places, 1e-7, &found) <= 4);
    CHECK_SCALED(found, 0.7, 1.0, 1e-7);
    CHECK(find_minimum(quartic, (double[]){-2.0, 0.0, 2.0}, 1e-7, &found) < 20);
    CHECK_SCALED(found, 0.3 - cbrt(0.25), 1.0, 1e-6);
    CHECK(find_minimum(kink, places, 1e-9, &found) < 80);
    CHECK_SCALED(found, -0.9, 1.0, 1e-8);
    CHECK(find_minimum(well, (double[]){0.0, 0.8, 2.0}, 1e-9, &found) < 60);
    CHECK_SCALED(found, 1.0, 1.0, 1e-8);
    CHECK(find_minimum(decay, at_end, 1e-9, &found) < 80); /* lowest at an end */
    CHECK(found == 2.0);
}

static const struct tap_test tests[] = {
    {"roots are found from either side", roots_are_found_from_either_side},
    {"a zero ends the search at the second end", a_zero_ends_the_search_at_the_second_end},
    {"neighbouring numbers are the end", neighbouring_numbers_are_the_end},
    {"steps of newton stay in the bracket", steps_of_newton_stay_in_the_bracket},
    {"steps of newton are free where nothing bounds them",
     steps_of_newton_are_free_where_nothing_bounds_them},
    {"minima are found by sections", minima_are_found_by_sections},
    {"minima are found by parabolas", minima_are_found_by_parabolas},
};

TAP_MAIN(tests)
