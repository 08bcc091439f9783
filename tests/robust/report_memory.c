/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every allocation of a report and its page fails once in turn: said so, nothing lost. Those of
 * HDF5 and matio are theirs. */
#include "failing_memory.h"

#include "masing/report.h"
#include "scratch.h"
#include "tap.h"

static char file[SCRATCH_PATH + 32];

static enum masing_status fill(const struct masing_sink *sink, struct masing_error *error)
{
    static const struct masing_column columns[] = {{"x", MASING_COLUMN_REAL},
                                                   {"y", MASING_COLUMN_REAL},
                                                   {"event", MASING_COLUMN_TEXT},
                                                   {"list", MASING_COLUMN_LIST}};
    static const double list[3] = {1, 2, 3};
    struct masing_sink part = {0};
    enum masing_status status = sink->open(sink->context, columns, 4, error);
    status = status ? status : sink->fork(sink->context, &part, error);
    for (int i = 0; i < 20 && status == MASING_OK; i++) {
        const struct masing_cell cells[] = {{.number = i},
                                            {.number = i % 7},
                                            {.text = i % 5 ? NULL : "peak", .events = 1},
                                            {.number = 3, .values = list}};
        status = (i < 10 ? sink : &part)->row((i < 10 ? sink : &part)->context, cells, error);
    }
    status = status ? status : sink->join(sink->context, &part, error);
    if (part.destroy) {
        part.destroy(part.context);
    }
    return status;
}

static enum masing_status run(struct masing_error *error)
{
    static const struct masing_plot_settings picture = {
        .title = "t", .x_column = "x", .y_column = "y", .event_column = "event"};
    const struct masing_report_table table = {.name = "curves", .picture = &picture};
    struct masing_report *report = NULL;
    struct masing_sink sink;
    enum masing_status status = masing_report_create(&report, error);
    status = status ? status : masing_report_add(report, &table, &sink, error);
    status = status ? status : fill(&sink, error);
    status = status ? status : masing_report_write(report, file, NULL, error);
    masing_report_destroy(report);
    return status;
}

static void each_allocation_fails_once(void)
{
    char folder[SCRATCH_PATH];
    struct masing_error error = {0};
    long n = 0;
    bool has_failed = true;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/page.html", folder);
    CHECK(run(&error) == MASING_OK);
    for (; has_failed; n++) {
        masing_error_clear(&error);
        failing_memory_arm(n);
        enum masing_status status = run(&error);
        has_failed = failing_memory_disarm();
        if (!has_failed || status == MASING_OK) { /* as a locale, which can be done without */
            continue;
        }
        if (!CHECK(status == MASING_NO_MEMORY)) {
            printf("# allocation %ld: %s: %s\n", n, masing_status_name(status), error.message);
        }
    }
    CHECK(n > 20);
    remove(file);
    rmdir(folder);
}

static const struct tap_test tests[] = {
    {"each allocation fails once", each_allocation_fails_once},
};

TAP_MAIN(tests)
