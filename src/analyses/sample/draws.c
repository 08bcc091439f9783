/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/sample/draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/moving_model.h"
#include "analyses/sample/band.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "model/message.h"

/* ---- what is drawn ---- */

struct numbers draws_numbers_of(const struct draws *draws)
{
    const struct masing_sample_request *request = draws->request;
    return (struct numbers){request->document, request->overrides, request->n_overrides,
                            &draws->model->spec};
}

static enum masing_status factorise(struct draws *draws, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = draws->uncertain->n;
    double *diagonal = NULL;
    if (!draws->uncertain->correlation) {
        return MASING_OK;
    }
    TRY_ALLOCATED(diagonal = memory_array((size_t)n, sizeof *diagonal));
    TRY_ALLOCATED(draws->factor = memory_copy(draws->uncertain->correlation,
                                              (size_t)n * (size_t)n, sizeof *diagonal));
    TRY(cholesky_weak_row(n, draws->factor, 0.0, diagonal) < 0
            ? MASING_OK
            : masing_error_set(error, MASING_INVALID,
                               "uncertain: the correlation is not positive definite"));
done:
    free(diagonal);
    return status;
}

enum masing_status draws_create(const struct masing_sample_request *request,
                                const struct masing_response_options *options,
                                struct draws *draws, struct masing_error *error)
{
    *draws = (struct draws){.request = request, .options = options};
    NEED(masing_document_model(request->document, request->overrides, request->n_overrides,
                               &draws->model, error));
    const struct masing_spec *spec = &draws->model->spec;
    draws->uncertain = &spec->uncertain;
    if (draws->uncertain->n == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: there is no section 'uncertain', which says what numbers "
                                "are drawn, as uncertain: {damper.preload: {normal: [30, 3]}}",
                                spec->file ? spec->file : "the model");
    }
    NEED(model_need_sweep(spec, false, error));
    NEED(model_need_outputs(spec, error));
    NEED(model_need_loads(spec, error));
    const struct numbers numbers = draws_numbers_of(draws);
    NEED(numbers_check(&numbers, true, error));
    NEED(factorise(draws, error));
    NEED(request->n_band > 0 ? band_frequencies(spec, request->n_band, &draws->omega, error)
                             : MASING_OK);
    return design_create(&draws->design, request->design, request->n_samples,
                         draws->uncertain->n, request->seed, error);
}

void draws_clear(struct draws *draws)
{
    free(draws->factor);
    free(draws->omega);
    design_clear(&draws->design);
    masing_model_destroy(draws->model);
    *draws = (struct draws){0};
}

void draws_find(const struct draws *draws, int index, double *scratch, double *numbers)
{
    int n = draws->uncertain->n, behind = index - draws->request->n_samples;
    const double *unit = scratch + n;
    if (behind < 0) {
        unit = &draws->design.unit[(size_t)index * (size_t)n];
    } else {
        design_set_point(draws->request->seed, n, behind / (n + 2), behind % (n + 2),
                         scratch + n);
    }
    design_numbers(draws->uncertain, draws->factor, unit, scratch, numbers);
}

enum masing_status draws_ends(const struct draws *draws, int first, int step, int n,
                              double *low, double *high, struct masing_error *error)
{
    int n_numbers = draws->uncertain->n;
    double *all = memory_array(3 * (size_t)n_numbers, sizeof *all);
    NEED_ALLOCATED(all);
    const double *numbers = all + 2 * n_numbers;
    for (int i = first; i < n; i += step) {
        draws_find(draws, i, all, all + 2 * n_numbers);
        for (int k = 0; k < n_numbers; k++) {
            low[k] = i == first || !(numbers[k] >= low[k]) ? numbers[k] : low[k];
            high[k] = i == first || !(numbers[k] <= high[k]) ? numbers[k] : high[k];
        }
    }
    free(all);
    return MASING_OK;
}

/* ---- responses ---- */

/* The fixed overrides and those of the numbers. */
struct draw_overrides {
    int n;
    struct masing_override *list;
    char (*texts)[32];
    double *scratch; /* [2 * n_numbers], behind the numbers */
};

static void add(struct draw_overrides *overrides, const char *path, double value, char *text)
{
    snprintf(text, sizeof *overrides->texts, "%.17g", value);
    overrides->list[overrides->n++] = (struct masing_override){path, text};
}

static enum masing_status make_overrides(const struct draws *draws, int index,
                                         const struct draw_value *value,
                                         struct draw_overrides *overrides,
                                         struct masing_error *error)
{
    size_t n = (size_t)draws->uncertain->n, fixed = (size_t)draws->request->n_overrides;
    NEED_ALLOCATED(overrides->list = memory_array(fixed + n + 1, sizeof *overrides->list));
    NEED_ALLOCATED(overrides->texts = memory_array(n + 1, sizeof *overrides->texts));
    NEED_ALLOCATED(overrides->scratch = memory_array(3 * n, sizeof *overrides->scratch));
    double *numbers = overrides->scratch + 2 * n;
    draws_find(draws, index, overrides->scratch, numbers);
    for (size_t k = 0; k < fixed; k++) {
        overrides->list[overrides->n++] = draws->request->overrides[k];
    }
    for (size_t k = 0; k < n; k++) {
        double scale = value && value->number == (int)k ? value->scale : 1.0;
        add(overrides, draws->uncertain->numbers[k].path, scale * numbers[k],
            overrides->texts[k]);
    }
    if (value && value->number < 0) {
        add(overrides, value->path, value->value, overrides->texts[n]);
    }
    return MASING_OK;
}

static void clear_overrides(struct draw_overrides *overrides)
{
    free(overrides->list);
    free(overrides->texts);
    free(overrides->scratch);
}

/* Of draws, not of responses for Sobol's indices. */
static bool has_band(const struct draws *draws, int index)
{
    return draws->omega && index < draws->request->n_samples;
}

static enum masing_status follow_model(const struct draws *draws, int index,
                                       const struct masing_model *model, struct draw *draw,
                                       const struct masing_progress *progress,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    struct masing_response_options options = *draws->options;
    options.progress = progress;
    options.journal = NULL;
    struct response_curve_settings settings = {
        .model = model, .options = &options, .n_threads = 1};
    struct band_trace trace = {.n = draws->request->n_band, .omega = draws->omega};
    TRY(model_need_loads(&model->spec, error));
    if (has_band(draws, index)) {
        TRY_ALLOCATED(draw->band = memory_array((size_t)trace.n, sizeof *draw->band));
        for (int i = 0; i < trace.n; i++) {
            draw->band[i] = NAN;
        }
        trace.values = draw->band;
        settings.point_context = &trace;
        settings.point = band_trace_point;
    }
    TRY(response_curve_create(&settings, &draw->summary, &curve, error));
    ended = response_curve_follow(curve, error);
    TRY(ended < 0 ? ended : MASING_OK);
    draw->measures = memory_copy(curve->peak_measures, (size_t)model->spec.n_outputs,
                                 sizeof *draw->measures);
    TRY_ALLOCATED(draw->measures);
    status = ended;
done:
    response_curve_destroy(curve);
    return status;
}

static enum masing_status follow(const struct draws *draws, int index,
                                 const struct draw_value *value, struct draw *draw,
                                 const struct masing_progress *progress)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = &draw->error;
    struct draw_overrides overrides = {0};
    struct masing_model *model = NULL;
    struct masing_error refusal = {0};
    TRY(make_overrides(draws, index, value, &overrides, error));
    TRY(moving_model_try(draws->request->document, overrides.list, overrides.n, &model,
                         &refusal, error));
    draw->is_refused = !model;
    status = model ? follow_model(draws, index, model, draw, progress, error)
                   : masing_error_set(error, MASING_STOPPED, "%s", refusal.message);
done:
    masing_model_destroy(model);
    clear_overrides(&overrides);
    return status;
}

static struct draw *new_draw(void)
{
    struct draw *draw = memory_array(1, sizeof *draw);
    if (draw) {
        response_summary_reset(&draw->summary);
    }
    return draw;
}

enum masing_status draw_compute(const struct draws *draws, int index,
                                const struct draw_value *value, struct draw **draw,
                                const struct masing_progress *progress)
{
    *draw = new_draw();
    if (!*draw) {
        return MASING_NO_MEMORY;
    }
    (*draw)->status = follow(draws, index, value, *draw, progress);
    return (*draw)->status;
}

enum masing_status draw_keep(const struct draws *draws, struct draw **kept,
                             struct packing *packing, struct masing_error *error)
{
    NEED_ALLOCATED(*kept = packing->is_taking ? new_draw() : *kept);
    struct draw *draw = *kept;
    PACK(packing, draw->is_refused);
    task_pack_error(packing, &draw->status, &draw->error);
    int n = packing_count(packing, draw->measures ? draws->model->spec.n_outputs : 0,
                          sizeof *draw->measures);
    if (n > 0) {
        packing_array(packing, (void **)&draw->measures, n, sizeof *draw->measures);
    }
    n = packing_count(packing, draw->band ? draws->request->n_band : 0, sizeof *draw->band);
    if (n > 0) {
        packing_array(packing, (void **)&draw->band, n, sizeof *draw->band);
    }
    response_summary_pack(packing, &draw->summary);
    return packing_end(packing, error);
}

void draw_destroy(struct draw *draw)
{
    if (draw) {
        masing_response_summary_clear(&draw->summary);
        free(draw->measures);
        free(draw->band);
        free(draw);
    }
}

double draw_size(const struct draws *draws, const struct draw *draw)
{
    const struct masing_peak *peak = &draw->summary.peak;
    const struct masing_blades *blades = &draw->summary.blades;
    enum masing_measure measure = draws->model->spec.peak_measure;
    return !draw->measures || !draw->summary.is_complete ? NAN
           : blades->n > 0                               ? blades->largest
           : measure == MASING_MEASURE_MAX               ? peak->max
           : measure == MASING_MEASURE_AMP               ? peak->amp
                                                         : peak->h1;
}

bool draw_is_interrupted(const struct draw *draw)
{
    return strcmp(draw->summary.reason, "interrupted") == 0;
}

void draw_count(const struct draws *draws, const struct draw *draw, bool is_draw,
                struct masing_sample_summary *summary)
{
    bool has_peak = !isnan(draw_size(draws, draw));
    summary->points += draw->summary.points;
    summary->seconds += isnan(draw->summary.seconds) ? 0.0 : draw->summary.seconds;
    summary->n_warned += draw->summary.n_warnings > 0;
    if (is_draw) {
        summary->n_draws++;
        summary->n_peaks += has_peak;
        summary->n_refused += draw->is_refused;
        summary->n_incomplete += !has_peak && !draw->is_refused;
        summary->n_at_limit += has_peak && draw->summary.peak.is_at_limit;
    }
    if (!has_peak && !*summary->reason) {
        snprintf(summary->reason, sizeof summary->reason, "%.400s", draw->error.message);
    }
}
