/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `identify --modal-iwan N`: a mode's frequency and damping become a model of one DOF. */
#include "masing/modal_iwan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/identify.h"

/* Above which the error of microslip damping and the rms error of all damping are warned about,
 * and the correlation of neighbouring errors above which they are no noise. */
static const double WARNED_MICROSLIP = 0.05, WARNED_RMS = 0.15, SYSTEMATIC = 0.5;

struct modal_run {
    struct single_run single; /* without a model of its own */
    const struct identify_settings *settings;
    struct masing_modal_point *points;
    struct masing_modal_iwan_request request;
    struct masing_modal_iwan result;
    const struct masing_modal_point *least, *most; /* by amplitude */
    char *text;                                    /* of the model */
    bool has_guessed_ends;
    int n_undamped; /* rows without a positive damping ratio */
};

/* Options of other ways of identifying. */
static enum masing_status check_usage(const struct modal_run *run, struct masing_error *error)
{
    const struct identify_settings *s = run->settings;
    const char *other = command_given(
        run->single.call, "--law --terms --branches --ends --tikhonov --fix --start --vary "
                          "--trials --open --steady --frequency --joint --measure --response "
                          "--name --from --to");
    if (other) {
        return command_refuse(run->single.call, error, "%s has no meaning with --modal-iwan",
                              other);
    }
    if (run->single.call->operands.count == 0) {
        return command_refuse(run->single.call, error,
                              "DATA.csv is missing: amplitude, frequency_hz, damping_ratio, as "
                              "masing mode and masing ringdown write them");
    }
    if ((s->stuck_hz > 0) != (s->free_hz > 0) || (s->stuck_hz > 0 && s->model)) {
        return command_refuse(
            run->single.call, error,
            "the linear modes come from --model, or from both --stuck and --free");
    }
    if (s->left_out.count > 0 &&
        (s->left_out.count != 2 || s->left_out.values[0] >= s->left_out.values[1])) {
        return command_refuse(run->single.call, error,
                              "--leave-out: expected two amplitudes, the smaller one first");
    }
    return MASING_OK;
}

static enum masing_status find_ends(struct modal_run *run, struct masing_error *error)
{
    const struct identify_settings *s = run->settings;
    struct masing_modal_ends *ends = &run->request.ends;
    enum masing_status status = MASING_OK;
    ends->damping_ratio = NAN;
    if (s->model) {
        struct masing_document *document = NULL;
        struct masing_model *model = NULL;
        status = masing_document_read(s->model, &document, error);
        status = status ? status
                        : masing_document_model(document, s->common.overrides.values,
                                                s->common.overrides.count, &model, error);
        if (status == MASING_OK) {
            single_run_reads(&run->single, "--model", s->model);
            single_run_reads_files_of(&run->single, masing_model_spec(model));
            status = masing_modal_ends_of(model, s->modal_iwan, ends, error);
        }
        masing_model_destroy(model);
        masing_document_destroy(document);
    } else if (s->stuck_hz > 0) {
        ends->stuck_hz = s->stuck_hz;
        ends->free_hz = s->free_hz;
    } else {
        run->has_guessed_ends = true;
        ends->stuck_hz = run->least->frequency_hz;
        ends->free_hz = run->most->frequency_hz;
    }
    if (s->damping.is_given) {
        ends->damping_ratio = s->damping.value;
    }
    return status;
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct modal_run *run = context;
    const struct identify_settings *s = run->settings;
    const struct text_list *files = &run->single.call->operands;
    NEED(check_usage(run, error));
    NEED(output_parse(run->single.call->pool, &s->common.outputs, OUTPUT_HAS_PICTURES,
                      &run->single.outputs, error));
    if (s->common.outputs.count == 0) {
        run->single.outputs.count = 0; /* standard output is for the model */
    }
    for (int i = 0; i < files->count; i++) {
        NEED(masing_modal_points_read(files->values[i], s->modal_iwan, &run->points,
                                      &run->request.n_points, &run->n_undamped, error));
    }
    run->request.points = run->least = run->most = run->points;
    for (int i = 1; i < run->request.n_points; i++) {
        const struct masing_modal_point *point = &run->points[i];
        run->least = point->amplitude < run->least->amplitude ? point : run->least;
        run->most = point->amplitude > run->most->amplitude ? point : run->most;
    }
    run->request.is_printed = s->is_printed;
    run->request.progress = &run->single.progress.hooks;
    run->request.left_out_from = s->left_out.count == 2 ? s->left_out.values[0] : NAN;
    run->request.left_out_to = s->left_out.count == 2 ? s->left_out.values[1] : NAN;
    return find_ends(run, error);
}

/* "5.4 +- 0.2": a number with its interval; 0 where it was given. */
static const char *with_interval(const struct modal_run *run, double value, double interval,
                                 bool is_assumed)
{
    struct pool *pool = run->single.call->pool;
    return isinf(interval)   ? pool_format(pool, "%.6g (%s)", value,
                                         is_assumed ? "assumed" : "not determined")
           : interval == 0.0 ? pool_format(pool, "%.6g", value)
                             : pool_format(pool, "%.8g +- %.2g", value, interval);
}

static void print(const void *context)
{
    const struct modal_run *run = context;
    const struct masing_modal_iwan *r = &run->result;
    fprintf(stderr,
            "modal Iwan model of mode %d: %d points, %d left out around the onset of "
            "full slip (%.4g to %.4g)\n",
            run->settings->modal_iwan, r->n_used, r->n_left_out, r->left_out_from,
            r->left_out_to);
    fprintf(stderr, "  K_inf %.8g, K_T %.8g, damping ratio %s of the structure%s\n", r->spring,
            r->stiffness, with_interval(run, r->damping_ratio, r->damping_interval, false),
            isnan(run->request.ends.damping_ratio) ? " (found)" : "");
    fprintf(stderr, "  F_S %s, chi %s, beta %s; slips as a whole from amplitude %.6g\n",
            with_interval(run, r->slip_force, r->slip_force_interval, false),
            with_interval(run, r->chi, r->chi_interval, r->chi_is_assumed),
            with_interval(run, r->beta, r->beta_interval, r->beta_is_assumed), r->phi_max);
    fprintf(stderr, "  damping within %.2g %% (rms)", 100 * r->rms);
    if (r->has_microslip) {
        fprintf(stderr, "; microslip at worst %+.2g %% (amplitude %.4g)",
                100 * r->worst_microslip, r->worst_microslip_at);
    }
    fprintf(stderr, "\n  +-: 95 %%, if the mode is one Iwan element\n");
}

/* Of those that the data do not determine, "a, b and c"; NULL: none. */
static const char *warn_of_undetermined(const struct modal_run *run)
{
    struct pool *pool = run->single.call->pool;
    const struct masing_modal_iwan *r = &run->result;
    const struct {
        const char *name;
        double interval;
    } numbers[] = {{"slip_force", r->slip_force_interval},
                   {"chi", r->chi_interval},
                   {"beta", r->beta_interval},
                   {"the structure's damping", r->damping_interval}};
    const char *before = NULL, *last = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (isinf(numbers[i].interval)) {
            before = before ? pool_format(pool, "%s, %s", before, last) : last;
            last = numbers[i].name;
        }
    }
    const char *lacking = !r->has_macroslip   ? ", without macroslip far beyond its onset,"
                          : !r->has_microslip ? ", without microslip,"
                                              : "";
    const char *assumed = r->beta_is_assumed && r->chi_is_assumed
                              ? "; beta = 1 and chi = -0.5 are assumed"
                          : r->beta_is_assumed ? "; beta = 1 is assumed"
                          : r->chi_is_assumed  ? "; chi = -0.5 is assumed"
                                               : "";
    return !last ? NULL
                 : pool_format(
                       pool, "the data%s do not determine %s%s%s: other values fit as well%s",
                       lacking, before ? before : "", before ? " and " : "", last, assumed);
}

static void collect_warnings(const struct modal_run *run, struct text_list *warnings)
{
    struct pool *pool = run->single.call->pool;
    const char **texts = pool_take(pool, 5, sizeof *texts), *open = warn_of_undetermined(run);
    const struct masing_modal_iwan *result = &run->result;
    warnings->values = texts;
    if (run->has_guessed_ends) {
        texts[warnings->count++] =
            "the frequencies of the joints stuck and free are taken from the smallest and the "
            "largest amplitude; --model, or --stuck and --free, tell them";
    }
    if (run->n_undamped > 0) {
        texts[warnings->count++] = pool_format(
            pool, "%d of %d rows have no positive damping ratio and are passed over",
            run->n_undamped, run->n_undamped + run->request.n_points);
    }
    if (open) {
        texts[warnings->count++] = open;
    }
    if (result->rms > WARNED_RMS) {
        texts[warnings->count++] =
            pool_format(pool,
                        "the model follows the damping within %.2g %% (rms) only: more than "
                        "noise usually makes",
                        100 * result->rms);
    }
    if (fabs(result->worst_microslip) > WARNED_MICROSLIP &&
        result->misfit_correlation > SYSTEMATIC) {
        texts[warnings->count++] = pool_format(
            pool,
            "microslip damping is no power law of the amplitude up to the onset of full slip, "
            "as where several joints begin one after another: %+.2g %% off at %.4g; "
            "--leave-out %.2g,%.2g would fit smaller amplitudes better",
            100 * result->worst_microslip, result->worst_microslip_at,
            0.25 * result->left_out_from, result->left_out_to);
    }
}

/* With the model on standard output. */
static enum masing_status compute(void *context, struct masing_error *error)
{
    struct modal_run *run = context;
    NEED(masing_identify_modal_iwan(&run->request, &run->result, error));
    /* what it is compared with may go a little further */
    NEED(masing_modal_iwan_text(&run->result, run->settings->modal_iwan,
                                run->least->amplitude / 10, run->most->amplitude * 10,
                                &run->text, error));
    fputs(run->text, stdout);
    run->single.result = run->text;
    collect_warnings(run, &run->single.warnings);
    return MASING_OK;
}

/* ---- files ---- */

static enum masing_status draw(const void *context, const struct masing_sink *sink,
                               struct masing_error *error)
{
    enum { N_CURVE = 400 };
    const struct modal_run *run = context;
    NEED(output_mode_open(sink, error));
    for (int i = 0; i < run->request.n_points; i++) {
        const struct masing_modal_point *point = &run->points[i];
        bool is_used = !(point->amplitude >= run->result.left_out_from &&
                         point->amplitude <= run->result.left_out_to);
        NEED(output_mode_point(sink, is_used ? "data" : "data left out", true, point, error));
    }
    for (int i = 0; i <= N_CURVE; i++) {
        struct masing_modal_point point;
        double low = run->least->amplitude, high = run->most->amplitude;
        double amplitude = low * pow(high / low, (double)i / N_CURVE);
        NEED(masing_modal_iwan_at(&run->result, amplitude, &point, error));
        NEED(output_mode_point(sink, "modal Iwan model", false, &point, error));
    }
    return sink->finish(sink->context, error);
}

static enum masing_status put_rows(const void *context, const struct masing_sink *sink,
                                   struct masing_error *error)
{
    const struct modal_run *run = context;
    return masing_modal_iwan_rows(&run->request, &run->result, sink, error);
}

static enum masing_status write_files(const void *context, struct masing_error *error)
{
    const struct modal_run *run = context;
    struct masing_plot_settings picture =
        output_mode_picture(pool_format(run->single.call->pool, "Modal Iwan model of mode %d",
                                        run->settings->modal_iwan),
                            true);
    picture.group_column = "series";
    picture.group_label = "";
    picture.is_coarse = true; /* there is a corner */
    return output_fill(&run->single.outputs, &picture, draw, put_rows, run, error);
}

enum exit_status identify_modal(const struct call *call,
                                const struct identify_settings *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print, .write = write_files};
    struct modal_run run = {.settings = settings};
    enum exit_status result = single_run(call, settings, &steps, &run);
    free(run.text);
    free(run.points);
    return result;
}
