/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/single_run.h"
#include "cli/summary.h"

struct sample_settings {
    struct common_settings common;
    int n_samples, n_band;
    unsigned long long seed;
    const char *design;
    struct parameter_range minimized; /* name NULL: none */
    bool is_sobol;
};

struct sample_run {
    struct single_run single;
    struct output_sink distribution, band;
    struct masing_sample_request request;
    struct masing_sample_summary summary;
};

static const char *const designs[] = {
    [MASING_SAMPLE_HYPERCUBE] = "hypercube", [MASING_SAMPLE_RANDOM] = "random", NULL};

/* The part of the draws over their peak. */
static enum masing_status add_distribution(struct sample_run *run, struct masing_error *error)
{
    struct single_run *single = &run->single;
    const struct masing_spec *spec = single->input.spec;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = "peak",
        .y_column = "share",
        .x_label = pool_format(single->call->pool, "Peak of %s",
                               summary_axis(single->call->pool, spec)),
        .y_label = "Share of the draws below",
        .is_coarse = true,
    };
    const struct output_table table = {.picture = &picture, .is_picture_only = true};
    return single->settings->shard.n > 0
               ? MASING_OK
               : output_sink_create(&single->outputs, &table, &run->distribution, error);
}

/* Quantiles of the responses over the frequency. */
static enum masing_status add_band(struct sample_run *run, struct masing_error *error)
{
    struct single_run *single = &run->single;
    struct pool *pool = single->call->pool;
    const struct masing_spec *spec = single->input.spec;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = "frequency_hz",
        .y_column = summary_measure(pool, spec),
        .group_column = "quantile",
        .x_label = "Frequency (Hz)",
        .y_label = summary_axis(pool, spec),
        .group_label = "Quantile",
        .is_coarse = true,
    };
    const struct output_table table = {
        .part = "band", .picture = &picture, .parameter = "quantile"};
    return run->request.n_band == 0 || single->settings->shard.n > 0
               ? MASING_OK
               : output_sink_create(&single->outputs, &table, &run->band, error);
}

/* The quantile over the values that were tried. */
static enum masing_status add_values(struct sample_run *run, struct masing_error *error)
{
    struct single_run *single = &run->single;
    struct pool *pool = single->call->pool;
    const struct masing_spec *spec = single->input.spec;
    const struct masing_plot_settings picture = {
        .kind = MASING_PLOT_CURVES,
        .title = spec->title,
        .x_column = run->request.minimized,
        .y_column = pool_format(pool, "%s_q95", summary_measure(pool, spec)),
        .event_column = "event",
        .x_label = model_input_label(pool, spec, run->request.minimized),
        .y_label = pool_format(pool, "95 %% quantile, %s", summary_axis(pool, spec)),
        .is_coarse = true,
        .is_log_x = run->request.is_log,
    };
    return single_run_rows(single, &picture, error);
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct sample_run *run = context;
    const struct sample_settings *settings = run->single.given;
    const struct shard *shard = &settings->common.shard;
    int design = MASING_SAMPLE_HYPERCUBE;
    if (settings->n_samples == 0) {
        return command_refuse(run->single.call, error, "--samples is missing: --samples N");
    }
    NEED(command_choose(run->single.call, "--design", settings->design, designs, &design,
                        error));
    NEED(single_run_open(&run->single, MODEL_WHOLE, error));
    const struct model_input *input = &run->single.input;
    run->request = (struct masing_sample_request){
        .document = input->document,
        .overrides = input->overrides->values,
        .n_overrides = input->overrides->count,
        .n_samples = settings->n_samples,
        .seed = settings->seed,
        .design = (enum masing_sample_design)design,
        .is_sobol = settings->is_sobol,
        .part = shard->n > 0 ? shard->k - 1 : 0,
        .n_parts = shard->n,
        .minimized = settings->minimized.name,
        .from = settings->minimized.from,
        .to = settings->minimized.to,
        .is_log = option_spans_ratios(&settings->minimized),
        .n_band = settings->n_band,
    };
    if (settings->minimized.name) {
        return add_values(run, error);
    }
    NEED(single_run_rows(&run->single, NULL, error));
    NEED(add_distribution(run, error));
    return add_band(run, error);
}

static void add_warning(struct sample_run *run, const char *text)
{
    option_store_texts(run->single.call->pool, text, &run->single.warnings, NULL);
}

static void warn(struct sample_run *run)
{
    struct pool *pool = run->single.call->pool;
    const struct masing_sample_summary *summary = &run->summary;
    int n_without = summary->n_incomplete + summary->n_refused;
    if (n_without > 0) {
        add_warning(run,
                    pool_format(pool,
                                "%d of %d draws have no peak and %s, the first one of them "
                                "because: %s",
                                n_without, summary->n_draws,
                                run->request.minimized ? "count as higher than all others"
                                                       : "are left out",
                                summary->reason));
    }
    if (summary->best >= 0 && summary->is_at_end) {
        add_warning(run,
                    pool_format(pool,
                                "the lowest quantile, %.6g, is at the end of the range, "
                                "%s = %.6g: extend it",
                                summary->values[summary->best].quantile.value,
                                run->request.minimized, summary->values[summary->best].value));
    }
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct sample_run *run = context;
    struct single_run *single = &run->single;
    const struct masing_response_options options = {
        .n_threads = single->settings->n_threads,
        .stability = MASING_STABILITY_NONE,
        .journal = single->journal,
        .progress = &single->progress.hooks,
    };
    enum masing_status status =
        masing_sample(&run->request, &options, output_sink_rows(&single->rows),
                      output_sink_rows(&run->distribution), output_sink_rows(&run->band),
                      &run->summary, error);
    warn(run);
    return status;
}

/* ---- the summary ---- */

static void print_estimate(const struct sample_run *run, const char *label,
                           const struct masing_sample_estimate *estimate)
{
    struct pool *pool = run->single.call->pool;
    const char *unit = summary_unit(run->single.input.spec);
    const char *low = isnan(estimate->low) ? "?" : pool_format(pool, "%.5g", estimate->low);
    const char *high = isnan(estimate->high) ? "?" : pool_format(pool, "%.5g", estimate->high);
    if (!isnan(estimate->value)) {
        summary_line(label, "%.6g %s (%s to %s)", estimate->value, unit, low, high);
    }
}

static const char *with_error(struct pool *pool, double value, double error)
{
    return isnan(value) ? "?" : pool_format(pool, "%.3f +- %.3f", value, error);
}

static void print_influences(const struct sample_run *run)
{
    struct pool *pool = run->single.call->pool;
    const struct masing_uncertainty *uncertain = &run->single.input.spec->uncertain;
    const struct masing_sample_summary *summary = &run->summary;
    if (summary->n_numbers == 0) {
        return;
    }
    fprintf(stderr, "  %-32s %16s", "of the peak with", "rank correlation");
    fprintf(stderr, summary->n_sets > 1 ? "  %16s  %16s\n" : "\n", "Sobol, first", "total");
    for (int k = 0; k < summary->n_numbers; k++) {
        const struct masing_sample_influence *of = &summary->influences[k];
        fprintf(stderr, "    %-30s %16s", uncertain->numbers[k].path,
                isnan(of->rank_correlation) ? "?"
                                            : pool_format(pool, "%+.3f", of->rank_correlation));
        if (summary->n_sets > 1) {
            fprintf(stderr, "  %16s  %16s", with_error(pool, of->first, of->first_error),
                    with_error(pool, of->total, of->total_error));
        }
        fputc('\n', stderr);
    }
}

/* At most so many of the values tried, both ends among them. */
enum { MOST_VALUES = 9 };

static void print_values(const struct sample_run *run)
{
    const struct masing_sample_summary *summary = &run->summary;
    struct pool *pool = run->single.call->pool;
    const struct masing_spec *spec = run->single.input.spec;
    const char *unit = model_input_unit(spec, run->request.minimized);
    int n = summary->n_values;
    summary_line("values tried", "%d; 95 %% quantile of the peak at some of them", n);
    int n_shown = n < MOST_VALUES ? n : MOST_VALUES;
    double low = n > 0 ? summary->values[0].value : 0.0;
    double high = n > 0 ? summary->values[n - 1].value : 0.0;
    for (int i = 0, k = 0; i < n_shown; i++) {
        double part = n_shown > 1 ? i / (n_shown - 1.0) : 0.0;
        double at =
            run->request.is_log ? low * pow(high / low, part) : low + part * (high - low);
        while (k + 1 < n &&
               fabs(summary->values[k + 1].value - at) <= fabs(summary->values[k].value - at)) {
            k++;
        }
        print_estimate(
            run,
            pool_format(pool, "at %.6g%s%s", summary->values[k].value, *unit ? " " : "", unit),
            &summary->values[k].quantile);
    }
}

static void print_best(const struct sample_run *run)
{
    const struct masing_sample_summary *summary = &run->summary;
    const struct masing_spec *spec = run->single.input.spec;
    const char *unit = model_input_unit(spec, run->request.minimized);
    if (summary->best < 0) {
        summary_line("lowest 95 % quantile", "none: draws without a peak at all values");
        return;
    }
    summary_line("lowest 95 % quantile", "at %s = %.6g%s%s%s", run->request.minimized,
                 summary->values[summary->best].value, *unit ? " " : "", unit,
                 summary->is_at_end ? ", an end of the range" : "");
}

static void print(const void *context)
{
    const struct sample_run *run = context;
    const struct masing_sample_summary *summary = &run->summary;
    const struct masing_spec *spec = run->single.input.spec;
    struct pool *pool = run->single.call->pool;
    const char *labels[MASING_SAMPLE_N_QUANTILES] = {"5 % quantile", "median", "95 % quantile"};
    summary_print_title(spec);
    if (run->request.minimized) {
        print_best(run);
    }
    summary_line("draws", "%d (%s, seed %llu), %d with a peak%s", summary->n_draws,
                 designs[run->request.design], run->request.seed, summary->n_peaks,
                 summary->n_at_limit == 0
                     ? ""
                     : pool_format(pool, ", %d of these at an end of the frequency range",
                                   summary->n_at_limit));
    if (run->request.n_parts > 0) {
        summary_line("", "a part: masing merge tells what all say");
    } else if (summary->n_peaks > 0) {
        summary_line("peak", "%s, from %.6g to %.6g %s; 95 %% intervals in brackets",
                     summary_measure(pool, spec), summary->lowest, summary->highest,
                     summary_unit(spec));
        print_estimate(run, "mean", &summary->mean);
        print_estimate(run, "deviation", &summary->deviation);
        for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
            print_estimate(run, labels[q], &summary->quantiles[q]);
        }
        print_influences(run);
    }
    if (run->request.minimized) {
        print_values(run);
    }
    if (summary->n_sets > 0 || summary->n_sets_left > 0) {
        summary_line("sets for Sobol's indices", "%d, %d left out", summary->n_sets,
                     summary->n_sets_left);
    }
    if (summary->n_warned > 0) {
        summary_line("responses with warnings", "%d: frf --set shows those of one",
                     summary->n_warned);
    }
    summary_line("points", "%d in %.3g s", summary->points, summary->seconds);
}

static void end(void *context)
{
    struct sample_run *run = context;
    masing_sample_summary_clear(&run->summary);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct sample_run),
    .is_logged = true,
    .is_shared = true,
    .begin = begin,
    .compute = compute,
    .print = print,
    .end = end,
};

#define AT(member) offsetof(struct sample_settings, member)

static const struct option sample_options[] = {
    {"--samples", "N", "how many draws", option_store_count, AT(n_samples)},
    {"--seed", "S", "of the random numbers, a whole number (default: 0)", option_store_seed,
     AT(seed)},
    {"--design", "random|hypercube",
     "independent draws, or Latin hypercubes, whose estimates\n"
     "have smaller errors (the default)",
     option_store_text, AT(design)},
    {"--sobol", NULL,
     "first-order and total Sobol indices of the numbers, from\n"
     "N further sets of as many responses as there are\n"
     "numbers, and two more",
     option_store_flag, AT(is_sobol)},
    {"--band", "N",
     "quantiles of the whole responses at N frequencies, as\n"
     "FILE.band.csv and pictures",
     option_store_count, AT(n_band)},
    {"--minimize", "NAME=FROM:TO",
     "seek the value of a number whose 95 % quantile of the\n"
     "peak is lowest, with the same draws at all values; an\n"
     "uncertain number is scaled, its deviation with it",
     option_store_span, AT(minimized)},
    {"--threads", "N",
     "draws computed at the same time; the results are the\n"
     "same bits for any number (default: all processors)",
     option_store_count, offsetof(struct common_settings, n_threads)},
    OPTION_RESUME,
    OPTION_SHARD,
    {0},
};

const struct command command_sample = {
    .name = "sample",
    .operands = "MODEL",
    .summary = "the peak of models whose numbers are uncertain; its quantiles",
    .details =
        "Rows: one per draw of the numbers in the model's section `uncertain`: these, and the\n"
        "largest peak of the range of frequencies. Pictures: the share of the draws whose\n"
        "peak is below a value, over that value. With --minimize rows and pictures are of the\n"
        "quantile, over the values of a number.",
    .options = {sample_options, model_options, output_options},
    .settings_size = sizeof(struct sample_settings),
    .steps = &steps,
};
