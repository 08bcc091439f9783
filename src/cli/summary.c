/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/text_table.h"
#include "cli/unit.h"

/* Value of what varies: a word, or a number to so many digits */
static const char *value_text(struct pool *pool, const struct parameter_range *variation,
                              int index, int digits)
{
    return variation->words
               ? variation->words[index]
               : pool_format(pool, "%.*g", digits, variation->values.values[index]);
}

/* ---- stability and branch points ---- */

void summary_line(const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "  %-24s ", label);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void summary_print_list(const char *label, int n, int most, const double *values, int digits,
                        const char *unit)
{
    for (int i = 0; i < n && i < most; i++) {
        if (i == 0) {
            fprintf(stderr, "  %-24s", label);
        }
        fprintf(stderr, "%s %.*g", i == 0 ? "" : ",", digits, values[i]);
    }
    if (n > 0) {
        fprintf(stderr, "%s%s\n", n > most ? ", ..." : "", unit);
    }
}

static void print_places(const char *what, const struct masing_places *places, const char *unit)
{
    summary_print_list(what, places->n, MASING_MAX_PLACES, places->at, 6, unit);
}

/* What a wave gives way to. */
static void print_diameters(const struct masing_stability_summary *stability, const char *unit)
{
    const char *between = NULL;
    for (int i = 0; i < stability->n_ranges && i < MASING_MAX_PLACES; i++) {
        if (stability->diameters[i] >= 0) {
            fprintf(stderr, between ? "%s" : "  %-24s", between ? between : "growing motion");
            fprintf(stderr, " nodal diameter %d from %.6g", stability->diameters[i],
                    stability->from[i]);
            between = ",";
        }
    }
    if (between) {
        fprintf(stderr, "%s\n", unit);
    }
}

void summary_print_stability(const struct masing_stability_summary *stability, const char *unit)
{
    if (stability->n_points == 0) {
        if (*stability->reason) {
            summary_line("stability", "not determined: %s", stability->reason);
        }
        return;
    }
    int n_ranges = stability->n_ranges;
    fprintf(stderr, "  %-24s %d of %d points", "unstable", stability->n_unstable,
            stability->n_points);
    for (int i = 0; i < n_ranges && i < MASING_MAX_PLACES; i++) {
        fprintf(stderr, "%s %.6g to %.6g", i == 0 ? ":" : ",", stability->from[i],
                stability->to[i]);
    }
    fprintf(stderr, "%s%s", n_ranges > MASING_MAX_PLACES ? ", ..." : "",
            n_ranges > 0 ? unit : "");
    if (stability->n_undecided > 0) {
        fprintf(stderr, "; %d undecided, folds and the like among them",
                stability->n_undecided);
    }
    fprintf(stderr, "\n  %-24s modulus %.6g at %.6g%s", "largest multiplier",
            stability->largest, stability->largest_at, unit);
    if (isfinite(stability->error)) {
        fprintf(stderr, "; errors where decided up to %.1g", stability->error);
    }
    fputc('\n', stderr);
    print_diameters(stability, unit);
    print_places("period doubling at", &stability->period_doublings, unit);
    print_places("Neimark-Sacker at", &stability->neimark_sackers, unit);
}

void summary_print_branches(const struct masing_places *branch_points, int n_branches,
                            const char *unit)
{
    print_places("branch points at", branch_points, unit);
    if (n_branches > 0) {
        summary_line("branches followed", "%d", n_branches);
    } else if (branch_points->n > 0) {
        summary_line("branches followed", "none; --branches follows them");
    }
}

/* That nothing was found is no proof that there is nothing. */
static void print_search(const struct masing_search *search)
{
    char starts[96];
    if (search->n_starts == 0 && search->n_found == 0) {
        return;
    }
    int length = snprintf(starts, sizeof starts, "by growing loads");
    if (search->n_starts > 0) {
        snprintf(starts + length, sizeof starts - (size_t)length, " and %d random start%s",
                 search->n_starts, search->n_starts == 1 ? "" : "s");
    }
    if (search->n_found == 0) {
        summary_line("other curves", "none found %s: no proof that there is none", starts);
    } else {
        summary_line("other curves", "%d found %s", search->n_found, starts);
        summary_line("not connected", "%d of them, as far as branch points were met",
                     search->n_apart);
        if (search->n_broken > 0) {
            summary_line("not followed to an end", "%d of them", search->n_broken);
        }
    }
    if (search->n_starts > 0) {
        summary_line("led nowhere new", "%d of the starts, %d of them to no motion at all",
                     search->n_starts - search->n_new, search->n_starts - search->n_solved);
    }
}

static void print_study_stability(struct pool *pool, const struct parameter_range *variation,
                                  const struct masing_response_summary *summaries)
{
    int n_unstable = 0, n_branching = 0;
    int first = 0, last = 0;
    for (int i = 0; i < variation->values.count; i++) {
        n_branching += summaries[i].branch_points.n > 0;
        if (summaries[i].stability.n_unstable > 0) {
            last = i;
            first = n_unstable == 0 ? last : first;
            n_unstable++;
        }
    }
    if (n_unstable > 0) {
        fprintf(stderr,
                "unstable in part: %d of %d curves, the first at %s = %s, the last at %s\n",
                n_unstable, variation->values.count, variation->name,
                value_text(pool, variation, first, 10), value_text(pool, variation, last, 10));
    }
    if (n_branching > 0) {
        fprintf(stderr, "branch points: on %d of %d curves\n", n_branching,
                variation->values.count);
    }
}

/* ---- measures, curves, warnings ---- */

static const struct masing_output_spec *peak_output(const struct masing_spec *spec)
{
    static const struct masing_output_spec none = {.name = ""}; /* the analysis refuses it */
    return spec->n_outputs > 0 ? &spec->outputs[spec->peak_output] : &none;
}

const char *summary_measure(struct pool *pool, const struct masing_spec *spec)
{
    return pool_format(pool, "%s_%s", peak_output(spec)->name,
                       option_measures[spec->peak_measure]);
}

/* By enum masing_quantity: of what moves, its unit, and of what turns. */
static const char *const quantities[][3] = {
    {"displacement", "m", "rotation"},
    {"velocity", "m/s", "angular velocity"},
    {"acceleration", "m/s\u00b2", "angular acceleration"},
    {"transmissibility", "m/m", "transmissibility"},
};

const char *summary_output_unit(const struct masing_spec *spec,
                                const struct masing_output_spec *output)
{
    return unit_of(quantities[output->quantity][1], unit_turns(spec, &output->combination));
}

static const char *output_quantity(const struct masing_spec *spec,
                                   const struct masing_output_spec *output)
{
    return quantities[output->quantity][unit_turns(spec, &output->combination) ? 2 : 0];
}

const char *summary_unit(const struct masing_spec *spec)
{
    return summary_output_unit(spec, peak_output(spec));
}

const char *summary_largest(struct pool *pool, const struct masing_spec *spec,
                            const struct masing_output_spec *output)
{
    return pool_format(pool, "%s: largest %s (%s)", output->name, output_quantity(spec, output),
                       summary_output_unit(spec, output));
}

const char *summary_axis(struct pool *pool, const struct masing_spec *spec)
{
    static const char *const words[] = {"largest", "half peak-to-peak of", "first harmonic of"};
    return pool_format(pool, "%s: %s %s (%s)", peak_output(spec)->name,
                       words[spec->peak_measure], output_quantity(spec, peak_output(spec)),
                       summary_unit(spec));
}

const char *summary_output(struct pool *pool, const struct masing_spec *spec)
{
    return pool_format(pool, "%s: %s (%s)", peak_output(spec)->name,
                       output_quantity(spec, peak_output(spec)), summary_unit(spec));
}

void summary_print_title(const struct masing_spec *spec)
{
    if (spec->title) {
        fprintf(stderr, "%s\n", spec->title);
    }
}

void summary_print_extreme(struct pool *pool, const struct masing_spec *spec, const char *label,
                           double value, const char *parameter, double at, const char *after)
{
    summary_line(label, "%s = %.6g %s at %s = %.7g%s", summary_measure(pool, spec), value,
                 summary_unit(spec), parameter, at, after);
}

static double peak_value(const struct masing_spec *spec, const struct masing_peak *peak)
{
    return spec->peak_measure == MASING_MEASURE_AMP  ? peak->amp
           : spec->peak_measure == MASING_MEASURE_H1 ? peak->h1
                                                     : peak->max;
}

/* The linear peak of the peak's mode, and the reduction against it; an end of the range is no
 * peak: nothing is compared with it. */
static void print_reduction(const char *what, const char *state, double peak, double linear,
                            double linear_hz, bool is_found)
{
    if (!isfinite(linear) || !(linear > 0)) {
        return;
    }
    double ratio = peak / linear;
    fprintf(stderr, "  linear %s, %-*s ", what, 15 - (int)strlen(what), state);
    if (!is_found) {
        fputs("none of this mode in the range", stderr);
    } else {
        fprintf(stderr, "%.4g at %.6g Hz", linear, linear_hz);
        if (ratio < 2) {
            fprintf(stderr, "; the %s is %.1f %% %s", what, 100 * fabs(ratio - 1),
                    ratio <= 1 ? "lower" : "higher");
        } else if (isfinite(ratio)) {
            fprintf(stderr, "; the %s is %.3g times that", what, ratio);
        }
    }
    fputc('\n', stderr);
}

static void print_percent(const char *what, double share)
{
    if (isfinite(share)) {
        summary_line(what, "%.3g %%", 100 * share);
    }
}

/* Loss over 4 pi times the kinetic energy: a damping ratio where the peak is a resonance. */
static void print_damping(double ratio)
{
    static const char label[] = "equivalent damping ratio";
    if (ratio < 1.0) {
        print_percent(label, ratio);
    } else if (isfinite(ratio)) {
        summary_line(label, "none: a period loses more than 4 pi times the kinetic energy");
    }
}

static void print_half_power(const struct masing_response_summary *summary)
{
    double from = summary->half_power_from_hz, to = summary->half_power_to_hz;
    double width = to - from, hz = summary->peak.frequency_hz;
    if (width > 0.0) {
        summary_line("half-power bandwidth",
                     "%.4g Hz (%.6g to %.6g Hz): damping ratio %.3g %%, Q = %.4g", width, from,
                     to, 50.0 * width / hz, hz / width);
    }
}

static void print_peak(struct pool *pool, const struct masing_spec *spec,
                       const struct masing_response_summary *summary)
{
    const struct masing_peak *peak = &summary->peak;
    double value = peak_value(spec, peak);
    bool is_point = spec->sweep == MASING_SWEEP_POINT;
    bool is_at_limit = peak->is_at_limit && !is_point;
    const char *what = is_point ? "response" : "peak";
    if (isfinite(value)) {
        summary_line(what, "%s = %.6g %s at %.7g Hz%s", summary_measure(pool, spec), value,
                     summary_unit(spec), peak->frequency_hz,
                     is_at_limit ? " (an end of the range)" : "");
    } else {
        summary_line(what, "none");
    }
    for (int i = 0; i < summary->n_other_peaks; i++) {
        summary_line(i == 0 ? "other peaks" : "", "%.6g %s at %.7g Hz",
                     summary->other_peaks[i].size, summary_unit(spec),
                     summary->other_peaks[i].frequency_hz);
    }
    bool is_known = summary->is_complete || peak->is_extremum;
    double compared = is_at_limit || !is_known ? (double)NAN : value;
    print_reduction(what, "stuck", compared, summary->stuck_peak, summary->stuck_peak_hz,
                    summary->has_stuck_peak || is_point);
    print_reduction(what, "free", compared, summary->free_peak, summary->free_peak_hz,
                    summary->has_free_peak || is_point);
}

/* Most memory that the process ever had, bytes; 0: not known. */
static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

/* Of a mistuned disk; Whitehead (1966) has the bound. */
static void print_blades(struct pool *pool, const struct masing_spec *spec,
                         const struct masing_blades *blades)
{
    if (blades->n == 0) {
        return;
    }
    const char *unit = summary_unit(spec);
    summary_line("blades",
                 "%s from %.6g %s (sector %d at %.7g Hz) to %.6g %s (sector %d at "
                 "%.7g Hz), %.4g times that",
                 summary_measure(pool, spec), blades->smallest, unit, blades->smallest_sector,
                 blades->smallest_hz, blades->largest, unit, blades->largest_sector,
                 blades->largest_hz, blades->largest / blades->smallest);
    if (isfinite(blades->amplification)) {
        summary_line("amplification factor",
                     "%.4g of the tuned disk's %.6g %s at %.7g Hz; Whitehead's (1 + sqrt %d) / "
                     "2 = %.4g bounds linear disks of one family of modes only",
                     blades->amplification, blades->tuned, unit, blades->tuned_hz, blades->n,
                     0.5 * (1.0 + sqrt(blades->n)));
    } else {
        summary_line("amplification factor", "none: the loads share no travelling wave");
    }
}

void summary_print_iterations(long n_solves, long n_iterations)
{
    if (n_solves > 0) {
        summary_line("branch points", "not looked for (solver.linear: krylov)");
        summary_line("Krylov iterations", "%.3g per Newton step or tangent, %ld in all",
                     (double)n_iterations / (double)n_solves, n_iterations);
        summary_line("peak memory", "%.4g MB", 1e-6 * peak_memory());
    }
}

/* Of contacts that are too many for points of their own. */
static void print_contact_changes(const struct masing_contact_changes *changes)
{
    int n = changes->slip + changes->stick + changes->open + changes->close;
    if (n > 0) {
        summary_line(
            "contact changes",
            "%d counted, not located: %d begin to slip, %d cease to, %d open, %d close", n,
            changes->slip, changes->stick, changes->open, changes->close);
    }
}

/* What was needed beyond the ordinary: corners are always approached, steps often shortened. */
void summary_print_strategies(const int strategies[MASING_N_STRATEGIES])
{
    const char *between = NULL;
    for (int i = 0; i < MASING_N_STRATEGIES; i++) {
        if (strategies[i] == 0 || i == MASING_STRATEGY_CORNER || i == MASING_STRATEGY_SHORTER) {
            continue;
        }
        if (!between) {
            fprintf(stderr, "  %-24s", "hard points needed");
        }
        fprintf(stderr, "%s %s %d", between ? between : "",
                masing_strategy_name((enum masing_strategy)i), strategies[i]);
        between = ",";
    }
    if (between) {
        fputc('\n', stderr);
    }
}

static void print_check(struct pool *pool, const struct masing_spec *spec,
                        const struct masing_harmonics_check *check)
{
    if (check->n_points == check->n_unsolved) {
        return;
    }
    for (int o = 0; o < check->n_outputs; o++) {
        fprintf(stderr, "  %-24s %.2g %% at %d points",
                pool_format(pool, "error of %s_%s", spec->outputs[o].name,
                            option_measures[spec->peak_measure]),
                100 * check->errors[o], check->n_points - check->n_unsolved);
        if (o == spec->peak_output && isfinite(check->peak_error)) {
            fprintf(stderr, ", %.2g %% at the peak, which moves to %.7g Hz",
                    100 * check->peak_error, check->peak_hz);
        }
        fputc('\n', stderr);
    }
    summary_line("checked with harmonics to", "%d (%d samples)", check->harmonics,
                 check->samples);
}

const char *summary_far_damping(struct pool *pool, const struct masing_spec *spec)
{
    const struct masing_structure_spec *structure = &spec->structure;
    double last = 0.0;
    for (int k = 0; k < structure->n_modes && structure->n_far > 0; k++) {
        last = fmax(last, structure->omega_modes[k]);
    }
    return last > 0.0 && structure->form.kind == MASING_DAMPING_MODAL
               ? pool_format(
                     pool, "%.6g of the %d modes, up to %.6g Hz, and of all farther ones",
                     structure->form.ratios[0], structure->n_modes, last / (2 * acos(-1.0)))
               : NULL;
}

static void print_far_damping(struct pool *pool, const struct masing_spec *spec)
{
    const char *text = summary_far_damping(pool, spec);
    if (text) {
        summary_line("damping of the structure", "ratio %s", text);
    }
}

void summary_print(struct pool *pool, const struct masing_spec *spec,
                   const struct masing_response_summary *summary)
{
    const struct masing_starts *starts = &summary->starts;
    print_peak(pool, spec, summary);
    print_damping(summary->equivalent_damping_ratio);
    print_half_power(summary);
    print_far_damping(pool, spec);
    print_percent("slip at the peak", summary->slip_share);
    print_percent("open at the peak", summary->open_share);
    print_percent("third / first harmonic", summary->third_to_first);
    print_check(pool, spec, &summary->check);
    if (starts->n > 0) {
        summary_line("other starts of sliders", "%s there from %.6g to %.6g %s, in %d of %d",
                     summary_measure(pool, spec), starts->lowest, starts->highest,
                     summary_unit(spec), starts->n_solved, starts->n);
    }
    summary_print_list("sweep upwards jumps at", summary->n_jumps_up, MASING_MAX_JUMPS,
                       summary->jump_up_hz, 6, " Hz");
    summary_print_list("sweep downwards jumps at", summary->n_jumps_down, MASING_MAX_JUMPS,
                       summary->jump_down_hz, 6, " Hz");
    summary_print_stability(&summary->stability, " Hz");
    summary_print_branches(&summary->branch_points, summary->n_branches, " Hz");
    print_search(&summary->search);
    if (summary->harmonics_high > 0) {
        summary_line("harmonics", "up to %d .. %d, chosen for %.2g %%", summary->harmonics_low,
                     summary->harmonics_high, 100.0 * spec->harmonics_tolerance);
    }
    summary_line("points", "%d in %.3g s", summary->points, summary->seconds);
    print_blades(pool, spec, &summary->blades);
    print_contact_changes(&summary->contact_changes);
    summary_print_iterations(summary->krylov_solves, summary->krylov_iterations);
    summary_print_strategies(summary->strategies);
    if (isfinite(summary->energy_mismatch)) {
        summary_line("worst energy mismatch", "%.2g", summary->energy_mismatch);
    }
    if (summary->start && summary->forces) {
        summary_line("sliders start at", "%s; forces: %s", summary->start, summary->forces);
    }
}

static void add_jumps(struct text_table *table, const struct masing_response_summary *summary)
{
    const char *text = "";
    for (int i = 0; i < summary->n_jumps_up; i++) {
        text = pool_format(table->pool, "%s%s%.5g", text, i ? " " : "", summary->jump_up_hz[i]);
    }
    for (int i = 0; i < summary->n_jumps_down; i++) {
        text =
            pool_format(table->pool, "%s%s%.5g", text, i ? " " : "/", summary->jump_down_hz[i]);
    }
    text_table_add(table, "%s", *text ? text : "-");
}

static void add_percent(struct text_table *table, const char *format, double share)
{
    const double shown = 1e-6; /* below every format's last digit; "-0.0 %" is not printed */
    text_table_number(table, format, fabs(share) < shown ? 0 : 100 * share);
}

static void add_row(struct text_table *table, const struct masing_spec *spec, const char *value,
                    const struct masing_response_summary *summary)
{
    double peak = peak_value(spec, &summary->peak);
    text_table_add(table, "%s", value);
    text_table_number(table, summary->peak.is_at_limit ? "%.5f *" : "%.5f",
                      summary->peak.frequency_hz);
    text_table_number(table, "%.6e", peak);
    bool is_known = summary->is_complete || summary->peak.is_extremum;
    double compared = summary->peak.is_at_limit || !is_known ? (double)NAN : peak;
    double stuck = summary->has_stuck_peak ? summary->stuck_peak : (double)NAN;
    double released = summary->has_free_peak ? summary->free_peak : (double)NAN;
    add_percent(table, "%.1f %%", compared / stuck - 1);
    add_percent(table, "%.1f %%", compared / released - 1);
    add_percent(table, "%.3g %%", summary->equivalent_damping_ratio);
    add_percent(table, "%.0f %%", summary->slip_share);
    add_percent(table, "%.2g %%", summary->third_to_first);
    add_jumps(table, summary);
    text_table_add(table, "%d", summary->points);
    text_table_number(table, "%.3g", summary->seconds);
    text_table_number(table, "%.1e", summary->energy_mismatch);
}

static void print_lowest(struct pool *pool, const struct masing_spec *spec,
                         const struct parameter_range *variation,
                         const struct masing_response_summary *summaries)
{
    int lowest = -1;
    bool is_limited = false;
    double least = INFINITY;
    for (int i = 0; i < variation->values.count; i++) {
        double peak = peak_value(spec, &summaries[i].peak);
        is_limited = is_limited || summaries[i].peak.is_at_limit;
        if (summaries[i].is_complete && !summaries[i].peak.is_at_limit && peak < least) {
            least = peak;
            lowest = i;
        }
    }
    if (is_limited) {
        fputs("* the largest response lies at an end of the frequency range\n", stderr);
    }
    if (lowest >= 0) {
        fprintf(stderr, "lowest peak: %.6g %s at %s = %s\n", least, summary_unit(spec),
                variation->name, value_text(pool, variation, lowest, 10));
    }
}

/* The worst of what was found out about all curves. */
static void print_worst(struct pool *pool, const struct masing_spec *spec,
                        const struct parameter_range *variation,
                        const struct masing_response_summary *summaries)
{
    int least = -1, widest = -1;
    double range = 0;
    for (int i = 0; i < variation->values.count; i++) {
        const struct masing_harmonics_check *check = &summaries[i].check;
        const struct masing_starts *starts = &summaries[i].starts;
        if (check->n_points > check->n_unsolved &&
            (least < 0 || check->worst_error > summaries[least].check.worst_error)) {
            least = i;
        }
        double width = starts->highest / starts->lowest - 1;
        if (starts->n > 0 && (widest < 0 || width > range)) {
            widest = i;
            range = width;
        }
    }
    if (least >= 0) {
        const struct masing_harmonics_check *check = &summaries[least].check;
        fprintf(stderr, "largest error of harmonics: %.2g %% of %s_%s at %s = %s, %.6g Hz\n",
                100 * check->worst_error, spec->outputs[check->worst_output].name,
                option_measures[spec->peak_measure], variation->name,
                value_text(pool, variation, least, 10), check->worst_hz);
    }
    if (widest >= 0) {
        const struct masing_starts *starts = &summaries[widest].starts;
        fprintf(stderr, "other starts of sliders: from %.6g to %.6g %s at %s = %s\n",
                starts->lowest, starts->highest, summary_unit(spec), variation->name,
                value_text(pool, variation, widest, 10));
    }
}

void summary_print_study(struct pool *pool, const struct masing_spec *spec,
                         const struct parameter_range *variation,
                         const struct masing_response_summary *summaries)
{
    enum { N_COLUMNS = 12 };
    struct text_table table = {.pool = pool, .n_columns = N_COLUMNS};
    text_table_add(&table,
                   "%s\tpeak/Hz\t%s/%s\tvs stuck\tvs free\tdamping\tslip\tX3/X1\t"
                   "jumps up/down Hz\tpoints\tseconds\tmismatch",
                   variation->name, summary_measure(pool, spec), summary_unit(spec));
    for (int i = 0; i < variation->values.count; i++) {
        add_row(&table, spec, value_text(pool, variation, i, 10), &summaries[i]);
    }
    text_table_print(&table, stderr);
    for (int i = 0; i < variation->values.count; i++) {
        if (summaries[i].reason[0]) {
            fprintf(stderr, "%s = %s stopped early: %s\n", variation->name,
                    value_text(pool, variation, i, 10), summaries[i].reason);
        }
    }
    print_lowest(pool, spec, variation, summaries);
    print_worst(pool, spec, variation, summaries);
    print_study_stability(pool, variation, summaries);
}

/* ---- warnings of a study: one condition is told once, its numbers as ranges ---- */

enum { MOST_NAMED = 8 };

/* The warning of a curve that differs from this one by the values in it alone. */
static const struct masing_warning *find_alike(const struct masing_warning *warning,
                                               const struct masing_response_summary *summary)
{
    for (int j = 0; j < summary->n_warnings; j++) {
        if (strcmp(summary->numbered[j].pattern, warning->pattern) == 0) {
            return &summary->numbered[j];
        }
    }
    return NULL;
}

/* "damper.preload = 5, 10\nthe warning" */
static const char *group(struct pool *pool, const struct masing_warning *warning,
                         const struct parameter_range *variation,
                         const struct masing_response_summary *summaries)
{
    char text[MASING_MESSAGE_LENGTH];
    int n_curves = variation->values.count, n = 0;
    double least = INFINITY, most = -INFINITY;
    const char *names = "";
    const struct masing_warning **alike = pool_take(pool, (size_t)n_curves, sizeof *alike);
    for (int i = 0; i < n_curves; i++) {
        alike[n] = find_alike(warning, &summaries[i]);
        if (alike[n]) {
            double value = variation->words ? 0.0 : variation->values.values[i];
            names = pool_format(pool, "%s%s%s", names, n++ > 0 ? ", " : "",
                                value_text(pool, variation, i, 6));
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    if (n > MOST_NAMED && !variation->words) {
        names = pool_format(pool, "%.6g to %.6g, %d of %d values", least, most, n, n_curves);
    }
    return pool_format(pool, "%s = %s\n%s", variation->name, names,
                       masing_warning_text(alike, n, text, sizeof text));
}

struct text_list summary_warnings(struct pool *pool, const struct parameter_range *variation,
                                  const struct masing_response_summary *summaries)
{
    struct text_list list = {0};
    for (int i = 0; i < variation->values.count; i++) {
        for (int j = 0; j < summaries[i].n_warnings; j++) {
            const struct masing_warning *warning = &summaries[i].numbered[j];
            bool is_told = find_alike(warning, &summaries[i]) != warning;
            for (int k = 0; k < i && !is_told; k++) {
                is_told = find_alike(warning, &summaries[k]) != NULL;
            }
            if (!is_told) {
                option_store_texts(pool, group(pool, warning, variation, summaries), &list,
                                   NULL);
            }
        }
    }
    return list;
}
