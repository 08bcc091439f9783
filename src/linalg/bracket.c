/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/bracket.h"

#include <float.h>
#include <math.h>

/* A bracket that is open after so many trials is left as it is. */
enum { MOST_TRIALS = 200 };

struct bracket bracket_of(double a, double at_a, double b, double at_b)
{
    return (struct bracket){.end = {{.x = a, .value = at_a}, {.x = b, .value = at_b}},
                            .last = -1,
                            .x = a,
                            .best = INFINITY};
}

static bool is_inside(const struct bracket *bracket, double x)
{
    double a = bracket->end[0].x, b = bracket->end[1].x;
    return a < b ? x > a && x < b : x > b && x < a;
}

static double false_position(const struct bracket_end *end)
{
    return end[0].x + (end[1].x - end[0].x) * end[0].value / (end[0].value - end[1].value);
}

/*
 * A function may be bent at its root, so the secant is taken through two points on one side of
 * it where there are two.
 */
static double guess(const struct bracket *bracket)
{
    const struct bracket_end *end = bracket->end;
    if (bracket->last < 0) {
        return false_position(end);
    }
    if (bracket->misses > 0) {
        return 0.5 * (end[0].x + end[1].x);
    }
    const struct bracket_end *last = &end[bracket->last];
    if (last->has_older) {
        double slope = (last->value - last->older_value) / (last->x - last->older_x);
        double x = last->x - last->value / slope;
        if (is_inside(bracket, x)) {
            return x;
        }
    }
    return false_position(end);
}

bool bracket_next(struct bracket *bracket, double narrow)
{
    double a = bracket->end[0].x, b = bracket->end[1].x, width = fabs(b - a);
    double middle = 0.5 * (a + b);
    if (width <= narrow || bracket->best == 0.0 || bracket->trials >= MOST_TRIALS ||
        !is_inside(bracket, middle)) {
        return false;
    }
    /* to the last digit: a guess beside an end is placed where it would close the bracket */
    double least = narrow > 0.0 ? 0.0 : DBL_EPSILON * fmin(fabs(a), fabs(b));
    double x = guess(bracket), sign = b > a ? 1.0 : -1.0;
    x = fabs(x - a) < least ? a + sign * least : x;
    x = fabs(b - x) < least ? b - sign * least : x;
    bracket->x = is_inside(bracket, x) ? x : middle;
    return true;
}

int bracket_set(struct bracket *bracket, double value)
{
    double first = bracket->end[0].value;
    int side = (value > 0.0 && first > 0.0) || (value < 0.0 && first < 0.0) ? 0 : 1;
    struct bracket_end *end = &bracket->end[side];
    bracket->misses = fabs(value) > 0.5 * bracket->best ? bracket->misses + 1 : 0;
    bracket->best = fmin(bracket->best, fabs(value));
    *end = (struct bracket_end){.x = bracket->x,
                                .value = value,
                                .older_x = end->x,
                                .older_value = end->value,
                                .has_older = true};
    bracket->last = side;
    bracket->trials++;
    return side;
}

double bracket_root(const struct bracket *bracket)
{
    const struct bracket_end *end = bracket->end;
    return end[fabs(end[0].value) < fabs(end[1].value) ? 0 : 1].x;
}

struct golden_section golden_section_of(double a, double best, double value, double b)
{
    return (struct golden_section){.end = {a, b}, .best = best, .value = value, .x = best};
}

static bool is_second_longer(const struct golden_section *section)
{
    return fabs(section->end[1] - section->best) > fabs(section->best - section->end[0]);
}

/* (3 - sqrt 5)/2 */
static const double PART = 0.38196601125010515;

bool golden_section_next(struct golden_section *section, double narrow)
{
    double far = section->end[is_second_longer(section) ? 1 : 0];
    section->x = section->best + PART * (far - section->best);
    return fabs(section->end[1] - section->end[0]) > narrow && section->x != section->best;
}

bool golden_section_set(struct golden_section *section, double value)
{
    bool is_better = value < section->value;
    int longer = is_second_longer(section) ? 1 : 0;
    if (is_better) {
        section->end[1 - longer] = section->best;
        section->best = section->x;
        section->value = value;
    } else {
        section->end[longer] = section->x;
    }
    return is_better;
}

struct parabolic_section parabolic_section_of(struct bracket_point a, struct bracket_point best,
                                              struct bracket_point b)
{
    bool is_first = a.value < b.value;
    double width = b.x - a.x;
    return (struct parabolic_section){.end = {fmin(a.x, b.x), fmax(a.x, b.x)},
                                      .best = best,
                                      .second = is_first ? a : b,
                                      .third = is_first ? b : a,
                                      .step = width,
                                      .step_before = width,
                                      .x = best.x};
}

/* From the best place to the vertex of the parabola through all three; not finite where they
 * stand in a line. */
static double vertex(const struct parabolic_section *section)
{
    double second = section->second.x - section->best.x;
    double third = section->third.x - section->best.x;
    double rise = third * (section->second.value - section->best.value);
    double other = second * (section->third.value - section->best.value);
    return 0.5 * (third * rise - second * other) / (rise - other);
}

bool parabolic_section_next(struct parabolic_section *section, double narrow)
{
    double best = section->best.x, low = section->end[0], high = section->end[1];
    double step = vertex(section), x = best + step;
    bool is_second_longer = high - best > best - low;
    if (fmax(high - best, best - low) <= 2.0 * narrow) {
        return false;
    }
    /* steps have to shrink, or the parabola says little */
    if (fabs(step) < 0.5 * fabs(section->step_before) && x > low && x < high) {
        bool is_at_end = x - low < 2.0 * narrow || high - x < 2.0 * narrow;
        step = is_at_end ? (is_second_longer ? narrow : -narrow) : step;
        section->step_before = section->step;
    } else {
        section->step_before = (is_second_longer ? high : low) - best;
        step = PART * section->step_before;
    }
    section->step = step;
    section->x = best + (fabs(step) >= narrow ? step : copysign(narrow, step));
    return section->x != best;
}

void parabolic_section_set(struct parabolic_section *section, double value)
{
    struct bracket_point place = {section->x, value}, *best = &section->best;
    if (value <= best->value) {
        section->end[place.x < best->x ? 1 : 0] = best->x;
        section->third = section->second;
        section->second = *best;
        *best = place;
        return;
    }
    section->end[place.x < best->x ? 0 : 1] = place.x;
    bool is_second = value <= section->second.value || section->second.x == best->x;
    if (is_second) {
        section->third = section->second;
        section->second = place;
    } else if (value <= section->third.value || section->third.x == best->x ||
               section->third.x == section->second.x) {
        section->third = place;
    }
}
