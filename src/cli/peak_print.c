/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/peak_print.h"

#include <math.h>
#include <stdio.h>

static const char *space(const char *unit)
{
    return *unit ? " " : "";
}

static void print_end(bool is_open, const char *sign, double value, const char *after)
{
    if (isnan(value)) {
        fprintf(stderr, "?%s", after);
    } else {
        fprintf(stderr, "%s%.6g%s", is_open ? sign : "", value, after);
    }
}

static void print_range(const struct peak_texts *texts, const char *label,
                        const struct masing_peak_optimum *optimum, int i)
{
    bool is_low_open = optimum->is_low_open[i], is_high_open = optimum->is_high_open[i];
    bool is_solved = !isnan(optimum->low[i]) && !isnan(optimum->high[i]);
    fprintf(stderr, "  %-24s ", label);
    print_end(is_low_open, "< ", optimum->low[i], " to ");
    print_end(is_high_open, "> ", optimum->high[i], space(texts->parameter_unit));
    fprintf(stderr, "%s", texts->parameter_unit);
    if (!is_solved) {
        fprintf(stderr, " (?: not solved for)");
    } else if (optimum->value > 0.0) {
        fprintf(stderr, " (%s%.3g to %s%.3g times the lowest's)", is_low_open ? "< " : "",
                optimum->low[i] / optimum->value, is_high_open ? "> " : "",
                optimum->high[i] / optimum->value);
    }
    fputc('\n', stderr);
}

static void print_sensitivities(const struct masing_peak_optimum *optimum)
{
    if (optimum->n_sensitivities > 0) {
        fprintf(stderr, "  change of the peak, in per cent, for 1 %% more of%s\n",
                optimum->is_damping_held ? " (the structure's damping held)" : "");
    }
    for (int i = 0; i < optimum->n_sensitivities; i++) {
        const struct masing_peak_sensitivity *entry = &optimum->sensitivities[i];
        char name[64];
        snprintf(name, sizeof name, "%s.%s", entry->joint, entry->number);
        double change = fabs(entry->sensitivity) < 5e-6 ? 0.0 : entry->sensitivity;
        fprintf(stderr, "    %-32s %+.5f  (at %.6g%s%s)\n", name, change, entry->value,
                space(entry->unit), entry->unit);
    }
}

static void print_slope(double slope, const char *where)
{
    if (isfinite(slope)) {
        fprintf(stderr, " %+.4f %s", slope, where);
    } else {
        fprintf(stderr, " not known (a corner) %s", where);
    }
}

static void print_optimum(const struct peak_texts *texts,
                          const struct masing_peak_optimum *optimum)
{
    fprintf(stderr, "  %-24s %s = %.8g%s%s", "lowest peak at", texts->parameter, optimum->value,
            space(texts->parameter_unit), texts->parameter_unit);
    if (texts->other) {
        fprintf(stderr, ", %s = %.8g", texts->other, optimum->other);
    }
    fprintf(stderr, "%s\n",
            optimum->is_at_end ? ", an end of the range"
            : optimum->is_kink ? ", a kink: two maxima cross"
            : optimum->is_jump ? ", beside a jump of the peak"
                               : "");
    fprintf(stderr, "  %-24s %s = %.8g %s at %.7g Hz", "", texts->measure, optimum->peak,
            texts->unit, optimum->frequency_hz);
    if (optimum->is_kink) {
        fprintf(stderr, " and at %.7g Hz", optimum->other_hz);
    }
    fputc('\n', stderr);
    if (optimum->is_kink) {
        fprintf(stderr, "  %-24s", "d ln(peak) / d ln(value)");
        print_slope(optimum->slope_before, "below,");
        print_slope(optimum->slope_after, "above\n");
    }
    print_range(texts, "within 1 % of it", optimum, 0);
    print_range(texts, "within 5 % of it", optimum, 1);
    print_sensitivities(optimum);
}

void peak_print(const struct peak_texts *texts, const struct masing_peak_summary *summary)
{
    if (texts->title) {
        fprintf(stderr, "%s\n", texts->title);
    }
    if (summary->optimum.is_found) {
        print_optimum(texts, &summary->optimum);
    } else {
        fprintf(stderr, "  %-24s %s = %.6g %s at %s = %.7g", "lowest peak of the rows",
                texts->measure, summary->lowest, texts->unit, texts->parameter,
                summary->lowest_at);
        if (texts->other) {
            fprintf(stderr, ", %s = %.7g", texts->other, summary->lowest_other);
        }
        fputc('\n', stderr);
    }
    fprintf(stderr, "  %-24s %s = %.6g %s at %s = %.7g\n", "highest", texts->measure,
            summary->highest, texts->unit, texts->parameter, summary->highest_at);
    if (summary->n_crossings > 0) {
        fprintf(stderr, "  %-24s %d\n", "crossings of maxima", summary->n_crossings);
    }
    fprintf(stderr, "  %-24s %d in %.3g s, %d whole response%s", "points", summary->points,
            summary->seconds, summary->n_sweeps, summary->n_sweeps == 1 ? "" : "s");
    if (summary->n_swept > 0) {
        fprintf(stderr, " (%d of the points taken from them)", summary->n_swept);
    }
    fputc('\n', stderr);
    fprintf(stderr, "  %-24s %.2g\n", "worst energy mismatch", summary->energy_mismatch);
}
