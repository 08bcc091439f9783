/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/axis.h"

/* The nearest of 1, 2, 5 times a power of ten that is not below @p step. */
static double nice_step(double step)
{
    static const double factors[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(step)));
    for (int i = 0; i < 4; i++) {
        if (factors[i] * decade >= step * (1 - 1e-9)) {
            return factors[i] * decade;
        }
    }
    return 10 * decade;
}

/* A power of ten, a multiple of three, where labels would have many zeros. */
static int common_exponent(double largest)
{
    return largest >= 0.1 && largest < 1e4 ? 0 : 3 * (int)floor(log10(largest) / 3);
}

static void use_step(struct axis *axis, double step)
{
    axis->step = step;
    axis->decimals = (int)fmax(0, axis->exponent - floor(log10(step) + 1e-9));
}

static void choose_step(struct axis *axis)
{
    enum { MOST_TICKS = 8 };
    axis->exponent = common_exponent(fmax(fabs(axis->low), fabs(axis->high)));
    use_step(axis, nice_step((axis->high - axis->low) / MOST_TICKS));
}

static void fit_log(struct axis *axis, double low, double high)
{
    const double widest = 5; /* without two of 1, 2, 5: equal steps, unequally far apart */
    double margin = 0.04 * (log10(high) - log10(low)) + 0.02;
    axis->low = pow(10, log10(low) - margin);
    axis->high = pow(10, log10(high) + margin);
    if (axis->high < widest * axis->low) {
        choose_step(axis);
    }
}

void axis_fit(struct axis *axis, double low, double high, bool is_log, bool is_tight)
{
    *axis = (struct axis){.is_log = is_log};
    if (is_log) {
        fit_log(axis, low, high);
        return;
    }
    if (!(high - low > 1e-12 * fmax(fabs(low), fabs(high)))) {
        double half = low == 0 ? 1 : 0.1 * fabs(low);
        low -= half;
        high += half;
    } else if (!is_tight) {
        double margin = 0.06 * (high - low);
        low = low == 0 ? 0 : low - margin; /* an axis that begins at zero begins there */
        high += margin;
    }
    axis->low = low;
    axis->high = high;
    choose_step(axis);
}

void axis_use_whole_steps(struct axis *axis)
{
    use_step(axis, fmax(1, ceil(axis->step)));
}

void axis_set_ends(struct axis *axis, double from, double to, double least)
{
    axis->from = from;
    axis->to = to;
    double points = fabs(to - from) / (axis->high - axis->low); /* of a unit */
    if (axis->step > 0 && points > 0 && axis->step * points < least) {
        use_step(axis, nice_step(least / points));
    }
}

double axis_place(const struct axis *axis, double value)
{
    double share = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                                : (value - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

/* 10^exponent with raised digits. */
static void power_of_ten(int exponent, char *text, size_t size)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    int magnitude = exponent < 0 ? -exponent : exponent;
    snprintf(text, size, "10%s%s%s%s", exponent < 0 ? "\u207b" : "",
             magnitude >= 100 ? digits[magnitude / 100 % 10] : "",
             magnitude >= 10 ? digits[magnitude / 10 % 10] : "", digits[magnitude % 10]);
}

/* digit times a power of ten: plain where all of the axis can be, else raised. */
static void log_label(bool is_plain, int digit, int decade, char *text, size_t size)
{
    if (is_plain) {
        snprintf(text, size, "%.*f", decade < 0 ? -decade : 0, digit * pow(10, decade));
    } else if (digit == 1) {
        power_of_ten(decade, text, size);
    } else {
        snprintf(text, size, "%d\u00b7", digit);
        power_of_ten(decade, text + 3, size - 3);
    }
}

static int log_ticks(const struct axis *axis, struct axis_tick ticks[AXIS_TICKS])
{
    int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
    int stride = 1 + (last - first) / 8;               /* decades between labels */
    bool is_short = log10(axis->high / axis->low) < 2; /* 2 and 5 are labelled too */
    bool is_plain = axis->low >= 5e-3 && axis->high <= 2e4;
    int n = 0;
    for (int decade = first; decade <= last; decade++) {
        for (int digit = 1; digit < (stride > 1 ? 2 : 10); digit++) {
            double value = digit * pow(10, decade);
            if (value < axis->low || value > axis->high || n == AXIS_TICKS) {
                continue;
            }
            struct axis_tick *tick = &ticks[n++];
            tick->value = value;
            tick->label[0] = '\0';
            if ((digit == 1 && (decade - first) % stride == 0) ||
                (is_short && (digit == 2 || digit == 5))) {
                log_label(is_plain, digit, decade, tick->label, sizeof tick->label);
            }
        }
    }
    return n;
}

int axis_ticks(const struct axis *axis, struct axis_tick ticks[AXIS_TICKS])
{
    if (axis->is_log && axis->step == 0) {
        return log_ticks(axis, ticks);
    }
    int n = 0;
    double first = ceil(axis->low / axis->step - 1e-9);
    for (int i = 0; i < AXIS_TICKS; i++) {
        double value = (first + i) * axis->step;
        if (value > axis->high + 1e-9 * axis->step) {
            break;
        }
        ticks[n].value = value;
        double shown = (first + i) * (axis->step * pow(10, -axis->exponent));
        snprintf(ticks[n].label, sizeof ticks[n].label, "%s%.*f", shown < 0 ? "\u2212" : "",
                 axis->decimals, fabs(shown));
        n++;
    }
    return n;
}

void axis_label(const struct axis *axis, const char *label, char text[AXIS_LABEL])
{
    char power[AXIS_TICK_LABEL];
    if (axis->exponent == 0) {
        snprintf(text, AXIS_LABEL, "%s", label);
        return;
    }
    power_of_ten(axis->exponent, power, sizeof power);
    const char *open = strrchr(label, '(');
    size_t length = strlen(label);
    if (open && length > 0 && label[length - 1] == ')') {
        snprintf(text, AXIS_LABEL, "%.*s(%s %s", (int)(open - label), label, power, open + 1);
    } else {
        snprintf(text, AXIS_LABEL, "%s (%s)", label, power);
    }
}
