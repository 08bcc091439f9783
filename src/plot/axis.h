/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An axis: the range of the data, where it lies on the sheet, and its ticks. */
#ifndef MASING_PLOT_AXIS_H
#define MASING_PLOT_AXIS_H

#include <stdbool.h>

struct axis {
    double low, high; /* of the data; low < high */
    bool is_log;
    double from, to; /* on the sheet */
    double step;     /* between ticks; 0: logarithmic ones */
    int exponent;    /* tick labels are in units of 10^exponent */
    int decimals;
};

enum { AXIS_TICKS = 64, AXIS_TICK_LABEL = 32, AXIS_LABEL = 256 };

struct axis_tick {
    double value;
    char label[AXIS_TICK_LABEL]; /* "" for a minor one */
};

/* Choose range and ticks for data between @p low and @p high; a tight axis has no margins. */
void axis_fit(struct axis *axis, double low, double high, bool is_log, bool is_tight);

/* Ticks of a fitted linear axis at whole numbers only. */
void axis_use_whole_steps(struct axis *axis);

/* Where the axis lies on the sheet. Equal steps are made at least @p least points wide, so that
 * labels of ticks have room. */
void axis_set_ends(struct axis *axis, double from, double to, double least);

int axis_ticks(const struct axis *axis, struct axis_tick ticks[AXIS_TICKS]);
double axis_place(const struct axis *axis, double value);
/* The label with the axis's power of ten in its unit: "x (m)" becomes "x (10^-3 m)". */
void axis_label(const struct axis *axis, const char *label, char text[AXIS_LABEL]);

#endif
