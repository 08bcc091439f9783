/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response_contacts.h"

#include "base/check.h"
#include "base/crew.h"

static void report(void *context, double fraction, int points)
{
    const struct masing_response_options *const *options = context;
    const struct masing_progress *progress = (*options)->progress;
    progress->report(progress->context, fraction, points);
}

static enum masing_status open_loops(const struct masing_sink *loops,
                                     struct masing_error *error)
{
    struct masing_column columns[4];
    int n = response_loops_columns(NULL, columns);
    return loops->open(loops->context, columns, n, error);
}

static enum masing_status open_contacts(const struct masing_sink *contacts,
                                        struct masing_error *error)
{
    struct masing_column columns[RESPONSE_CONTACT_COLUMNS];
    int n = response_contacts_columns(NULL, columns);
    return contacts->open(contacts->context, columns, n, error);
}

enum masing_status masing_frf(const struct masing_model *model,
                              const struct masing_response_options *options,
                              const struct masing_sink *rows, const struct masing_sink *loops,
                              struct masing_response_summary *summary,
                              struct masing_error *error)
{
    enum masing_status status = MASING_OK, ended = MASING_OK;
    struct response_curve *curve = NULL;
    bool is_open = false, is_loops_open = false, is_contacts_open = false;
    const struct masing_sink *contacts = options->contacts;
    struct response_curve_settings settings = {
        .model = model,
        .options = options,
        .n_threads = options->n_threads > 0 ? options->n_threads : crew_processors(),
        .rows = rows,
        .contacts = options->contacts};
    if (options->progress && options->progress->report) {
        settings.progress_context = &options;
        settings.progress = report;
    }
    *summary = (struct masing_response_summary){0};
    TRY(response_curve_create(&settings, summary, &curve, error));
    if (rows) {
        TRY(rows->open(rows->context, curve->rows->columns, curve->rows->n_columns, error));
        is_open = true;
    }
    if (contacts) {
        TRY(open_contacts(contacts, error));
        is_contacts_open = true;
    }
    ended = response_curve_follow(curve, error);
    if (ended < 0) {
        status = ended;
        goto done;
    }
    TRY(response_contacts_peak(curve, error));
    if (loops) {
        TRY(open_loops(loops, error));
        is_loops_open = true;
        TRY(response_loops_write(curve, loops, error));
        TRY(loops->finish(loops->context, error));
        is_loops_open = false;
    }
    if (contacts) {
        is_contacts_open = false;
        TRY(contacts->finish(contacts->context, error));
    }
    if (rows) {
        is_open = false;
        TRY(rows->finish(rows->context, error));
    }
    status = ended;
done:
    if (is_open) {
        rows->abandon(rows->context);
    }
    if (is_contacts_open) {
        contacts->abandon(contacts->context);
    }
    if (is_loops_open) {
        loops->abandon(loops->context);
    }
    response_curve_destroy(curve);
    return status;
}
