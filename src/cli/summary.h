/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engineer reads first, on standard error. */
#ifndef MASING_CLI_SUMMARY_H
#define MASING_CLI_SUMMARY_H

#include "cli/command.h"
#include "masing/response.h"

/* Name of the peak's measure of an output, e.g. "m2_max". */
const char *summary_measure(struct pool *pool, const struct masing_spec *spec);
/* Unit of the peak's output: "m", "m/s" or "m/s^2". */
const char *summary_unit(const struct masing_spec *spec);
const char *summary_output_unit(const struct masing_spec *spec,
                                const struct masing_output_spec *output);
/* The same in words, with the unit, for the axis of a picture. */
const char *summary_axis(struct pool *pool, const struct masing_spec *spec);
/* The largest value of an output, likewise. */
const char *summary_largest(struct pool *pool, const struct masing_spec *spec,
                            const struct masing_output_spec *output);
/* The output itself, for a history. */
const char *summary_output(struct pool *pool, const struct masing_spec *spec);

/* "0.01 of the 24 modes up to 2016 Hz and of all farther ones": the damping of a structure
 * whose farther modes are known by their sum only; NULL where ratios of modes do not give it.
 */
const char *summary_far_damping(struct pool *pool, const struct masing_spec *spec);

/* The model's title, where it has one. */
void summary_print_title(const struct masing_spec *spec);

/* "LABEL  m2_max = VALUE m at PARAMETER = AT" and @p after, "" or more. */
void summary_print_extreme(struct pool *pool, const struct masing_spec *spec, const char *label,
                           double value, const char *parameter, double at, const char *after);

/* "  LABEL  TEXT" in line with the others. */
void summary_line(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "LABEL  1.5, 2.5 Hz", at most so many; nothing where there are none. unit: with the blank
 * before it, or "". */
void summary_print_list(const char *label, int n, int most, const double *values, int digits,
                        const char *unit);

void summary_print(struct pool *pool, const struct masing_spec *spec,
                   const struct masing_response_summary *summary);

/* How linear systems were solved by iteration, the memory that took, and what is left out then;
 * nothing where there were none. */
void summary_print_iterations(long n_solves, long n_iterations);
/* What was needed beyond the ordinary, in a line; nothing where nothing was. */
void summary_print_strategies(const int strategies[MASING_N_STRATEGIES]);

/* One row per value, the lowest peak, then the curves' ends that need words. */
void summary_print_study(struct pool *pool, const struct masing_spec *spec,
                         const struct parameter_range *variation,
                         const struct masing_response_summary *summaries);

/* Warnings of a study, equal ones once, each behind a line with the values that it belongs to:
 * "damper.preload = 5, 10\nthe warning". */
struct text_list summary_warnings(struct pool *pool, const struct parameter_range *variation,
                                  const struct masing_response_summary *summaries);

/* The lines about the stability of a curve and about its branch points.
 * unit: of the places, with the blank before it, or "". */
void summary_print_stability(const struct masing_stability_summary *stability,
                             const char *unit);
void summary_print_branches(const struct masing_places *branch_points, int n_branches,
                            const char *unit);

#endif
