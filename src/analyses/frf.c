/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response_contacts.h"

#include <stdlib.h>

#include "analyses/harmonics_check.h"
#include "base/check.h"
#include "base/crew.h"

static void report(void *context, double fraction, int points)
{
    const struct masing_response_options *const *options = context;
    const struct masing_progress *progress = (*options)->progress;
    progress->report(progress->context, fraction, points);
}

/* A sink that is finished or abandoned once it is open. */
struct table {
    const struct masing_sink *sink; /* NULL: nobody wants it */
    bool is_open;
};

static enum masing_status open_table(struct table *table, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    const struct masing_sink *sink = table->sink;
    enum masing_status status =
        sink ? sink->open(sink->context, columns, n_columns, error) : MASING_OK;
    table->is_open = sink && status == MASING_OK;
    return status;
}

static enum masing_status finish_table(struct table *table, struct masing_error *error)
{
    bool is_open = table->is_open;
    table->is_open = false;
    return is_open ? table->sink->finish(table->sink->context, error) : MASING_OK;
}

static void abandon_table(const struct table *table)
{
    if (table->is_open) {
        table->sink->abandon(table->sink->context);
    }
}

static enum masing_status open_loops(struct table *loops, struct masing_error *error)
{
    struct masing_column columns[4];
    int n = response_loops_columns(NULL, columns);
    return open_table(loops, columns, n, error);
}

static enum masing_status open_contacts(struct table *contacts, struct masing_error *error)
{
    struct masing_column columns[RESPONSE_CONTACT_COLUMNS];
    int n = response_contacts_columns(NULL, columns);
    return open_table(contacts, columns, n, error);
}

static enum masing_status open_check(struct table *check, const struct masing_model *model,
                                     struct masing_error *error)
{
    struct masing_column *columns = NULL;
    int n = 0;
    enum masing_status status = harmonics_check_columns(model, NULL, &columns, &n, error);
    status = status ? status : open_table(check, columns, n, error);
    free(columns);
    return status;
}

enum masing_status masing_frf(const struct masing_model *model,
                              const struct masing_response_options *options,
                              const struct masing_sink *rows, const struct masing_sink *loops,
                              struct masing_response_summary *summary,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    struct table response = {rows, false}, loop = {loops, false};
    struct table contacts = {options->contacts, false}, check = {options->check, false};
    struct response_curve_settings settings = {
        .model = model,
        .options = options,
        .n_threads = options->n_threads > 0 ? options->n_threads : crew_processors(),
        .rows = rows,
        .contacts = options->contacts,
        .check = options->check};
    if (options->progress && options->progress->report) {
        settings.progress_context = &options;
        settings.progress = report;
    }
    *summary = (struct masing_response_summary){0};
    TRY(response_curve_create(&settings, summary, &curve, error));
    TRY(open_table(&response, curve->rows->columns, curve->rows->n_columns, error));
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
    TRY(finish_table(&loop, error));
    TRY(finish_table(&contacts, error));
    TRY(finish_table(&check, error));
    TRY(finish_table(&response, error));
    status = ended;
done:
    abandon_table(&response);
    abandon_table(&contacts);
    abandon_table(&check);
    abandon_table(&loop);
    response_curve_destroy(curve);
    return status;
}
