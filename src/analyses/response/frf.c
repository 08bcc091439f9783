/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/contacts.h"

#include <stdlib.h>

#include "analyses/curve/open_sink.h"
#include "analyses/response/harmonics_check.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/sink.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"

static enum masing_status open_loops(struct open_sink *loops, struct masing_error *error)
{
    struct masing_column columns[4];
    int n = response_loops_columns(NULL, columns);
    return open_sink_begin(loops, columns, n, error);
}

static enum masing_status open_contacts(struct open_sink *contacts, struct masing_error *error)
{
    struct masing_column columns[RESPONSE_CONTACT_COLUMNS];
    int n = response_contacts_columns(NULL, columns);
    return open_sink_begin(contacts, columns, n, error);
}

static enum masing_status open_check(struct open_sink *check, const struct masing_model *model,
                                     struct masing_error *error)
{
    struct masing_column *columns = NULL;
    int n = 0;
    enum masing_status status = harmonics_check_columns(model, NULL, &columns, &n, error);
    status = status ? status : open_sink_begin(check, columns, n, error);
    free(columns);
    return status;
}

static enum masing_status
follow(const struct masing_model *model, const struct masing_response_options *options,
       const struct masing_sink *rows, const struct masing_sink *loops,
       struct masing_response_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    struct open_sink response = {rows, false}, loop = {loops, false};
    struct open_sink contacts = {options->contacts, false}, check = {options->check, false};
    struct response_curve_settings settings = {
        .model = model,
        .options = options,
        .n_threads = options->n_threads > 0 ? options->n_threads : thread_pool_processors(),
        .rows = rows,
        .contacts = options->contacts,
        .check = options->check};
    TRY(response_curve_create(&settings, summary, &curve, error));
    TRY(open_sink_begin(&response, curve->rows->table.columns, curve->rows->table.n_columns,
                        error));
    TRY(open_contacts(&contacts, error));
    TRY(open_check(&check, model, error));
    ended = response_curve_follow(curve, error);
    if (ended < 0) {
        status = ended;
        goto done;
    }
    TRY(response_contacts_peak(curve, error));
    if (loops) {
        TRY(open_loops(&loop, error));
        TRY(response_loops_write(curve, loops, error));
    }
    TRY(open_sink_finish(&loop, error));
    TRY(open_sink_finish(&contacts, error));
    TRY(open_sink_finish(&check, error));
    TRY(open_sink_finish(&response, error));
    status = ended;
done:
    open_sink_abandon(&response);
    open_sink_abandon(&contacts);
    open_sink_abandon(&check);
    open_sink_abandon(&loop);
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
    hold_blas_to_one_thread();
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
