/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roots and minima of functions of one variable in brackets. The caller evaluates the function:
 *
 *     struct bracket bracket = bracket_of(a, f(a), b, f(b));
 *     while (bracket_next(&bracket, narrow)) {
 *         bracket_set(&bracket, f(bracket.x));
 *     }
 *     root = bracket_root(&bracket);
 */
#ifndef MASING_LINALG_BRACKET_H
#define MASING_LINALG_BRACKET_H

#include <math.h>
#include <stdbool.h>

/* One end of a bracket, and the place that was this end before. */
struct bracket_end {
    double x, value;
    double older_x, older_value;
    bool has_older;
};

struct bracket {
    struct bracket_end end[2]; /* values of opposite sign; places in either order */
    int last;                  /* the end that was set last; -1: none */
    double x;                  /* where the function is evaluated next */
    double best;               /* smallest absolute value that was set; INFINITY: none */
    int misses; /* values in a row that were not half as large as the best before */
    int trials;
};

/* Of a function that only has a sign, 1 and -1 will do. */
struct bracket bracket_of(double a, double at_a, double b, double at_b);

/*
 * Choose x by the secant, or the middle where values do not shrink, as those of a function that
 * jumps. Where `narrow` is 0 the root is found to the last digit, by width; callers that look
 * at the values themselves to stop give a width. False: the ends are not farther apart than
 * `narrow` or neighbouring numbers, the last value was zero, or two hundred values did not
 * suffice.
 */
bool bracket_next(struct bracket *bracket, double narrow);

/* The value at x replaces that of the end with its sign, a zero that of the second end. Returns
 * the end, 0 or 1. */
int bracket_set(struct bracket *bracket, double value);

/* The end with the smaller value. */
double bracket_root(const struct bracket *bracket);

/* A root between `low` and `high`, which may lie at infinity, by Newton's method. */
struct newton_bracket {
    double low, high;
    double x; /* where the function is evaluated next */
    bool
        is_positive_low; /* the sign of the function at `low`; it has the other one at `high` */
};

/*
 * The value at x narrows the bracket, a zero from above. The next x lies a step from x, or in
 * the middle where that leaves a bracket that is finite. Inline: one is called for every
 * evaluation of a joint's path.
 */
static inline void newton_bracket_next(struct newton_bracket *bracket, double value,
                                       double step)
{
    bool is_low = bracket->is_positive_low ? value > 0.0 : value < 0.0;
    double next = bracket->x + step;
    *(is_low ? &bracket->low : &bracket->high) = bracket->x;
    double middle = 0.5 * (bracket->low + bracket->high);
    /* a step that is lost in rounding stays; one to the other end would come back for ever */
    bool is_kept = next == bracket->x || (next > bracket->low && next < bracket->high);
    bracket->x = is_kept || !isfinite(middle) ? next : middle;
}

/* A minimum between two places, with a third in between where the value is lower. */
struct golden_section {
    double end[2], best, value; /* value: at `best` */
    double x;                   /* where the function is evaluated next */
};

struct golden_section golden_section_of(double a, double best, double value, double b);

/* Choose x in the longer part. False: the ends are not farther apart than `narrow`. */
bool golden_section_next(struct golden_section *section, double narrow);

/* Whether x is the best place now. */
bool golden_section_set(struct golden_section *section, double value);

struct bracket_point {
    double x, value;
};

/* The same of a smooth function, by parabolas (Brent, Algorithms for Minimization without
 * Derivatives, 1973, chapter 5), with a golden section where they do not lead on. */
struct parabolic_section {
    double end[2];
    struct bracket_point best, second, third; /* lowest of all values */
    double step, step_before;                 /* the last two changes of x */
    double x;                                 /* where the function is evaluated next */
};

/* With the values at the ends, too. */
struct parabolic_section parabolic_section_of(struct bracket_point a, struct bracket_point best,
                                              struct bracket_point b);

/* Choose x, no nearer to the best place than `narrow`. False: the ends are no farther than
 * twice that from it. */
bool parabolic_section_next(struct parabolic_section *section, double narrow);
void parabolic_section_set(struct parabolic_section *section, double value);

#endif
