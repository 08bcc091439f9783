/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"

static enum masing_status
follow(const struct masing_model *model, const struct masing_response_options *options,
       const struct masing_sink *rows, const struct masing_sink *loops,
       struct masing_response_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    const struct response_curve_settings settings = {
        .model = model,
        .options = options,
        .n_threads = options->n_threads > 0 ? options->n_threads : thread_pool_processors(),
        .sinks = {[RESPONSE_POINTS] = rows,
                  [RESPONSE_CONTACTS] = options->contacts,
                  [RESPONSE_LOOPS] = loops,
                  [RESPONSE_CHECK] = options->check}};
    TRY(model_need_loads(&model->spec, error));
    TRY(response_curve_create(&settings, summary, &curve, error));
    ended = response_curve_follow(curve, error);
    TRY(ended < 0 ? ended : MASING_OK);
    TRY(response_curve_write_peak(curve, error));
    status = response_rows_end(curve->rows, ended, error);
done:
    response_curve_destroy(curve);
    return status;
}

enum masing_status masing_frf(const struct masing_model *model,
                              const struct masing_response_options *options,
                              const struct masing_sink *rows, const struct masing_sink *loops,
                              struct masing_response_summary *summary,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_response_options chosen;
    struct masing_response_summary found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(response_options_read(options, &chosen, error));
    TRY(entry_check(summary, "summary", error));
    status = follow(model, &chosen, rows, loops, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_response_summary_clear(&found);
    }
    return status;
}
