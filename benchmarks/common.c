/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "benchmarks.h"

double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void require(enum masing_status status, const char *what, const struct masing_error *error)
{
    if (status != MASING_OK) {
        fprintf(stderr, "benchmarks: %s: %s\n", what, error->message);
        exit(EXIT_FAILURE);
    }
}

struct masing_model *model_of(const char *file, const char *text,
                              const struct masing_override *overrides, int n_overrides)
{
    struct masing_error error = {0};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    require(text ? masing_document_parse(text, strlen(text), file, &document, &error)
                 : masing_document_read(file, &document, &error),
            file, &error);
    require(masing_document_model(document, overrides, n_overrides, &model, &error), file,
            &error);
    masing_document_destroy(document);
    return model;
}

struct curve_cost measure_curve(const struct masing_model *model, bool is_quick)
{
    enum { FEWEST = 10 };
    const double enough = 0.3; /* s in all */
    struct masing_response_options options = {0};
    struct curve_cost best = {0};
    double spent = 0;
    for (int i = 0; i < (is_quick ? 1 : FEWEST) || (!is_quick && spent < enough); i++) {
        struct masing_response_summary summary = {0};
        struct masing_error error = {0};
        double start = processor_seconds();
        require(masing_frf(model, &options, NULL, NULL, &summary, &error), "response", &error);
        double seconds = processor_seconds() - start;
        spent += seconds;
        if (i == 0 || seconds < best.call_seconds) {
            best.call_seconds = seconds;
        }
        if (i == 0 || summary.seconds < best.seconds) {
            masing_response_summary_clear(&best.summary);
            best.summary = summary;
            best.seconds = summary.seconds;
        } else {
            masing_response_summary_clear(&summary);
        }
    }
    return best;
}

/* Rows of a response that lie at the frequencies. */
struct catcher {
    int frequency, h1, n; /* columns; how many frequencies */
    const double *hz;
    double *values;
};

static enum masing_status catch_open(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    struct catcher *catcher = context;
    (void)error;
    for (int c = 0; c < n_columns; c++) {
        catcher->frequency =
            strcmp(columns[c].name, "frequency_hz") == 0 ? c : catcher->frequency;
        catcher->h1 = strcmp(columns[c].name, "m2_h1") == 0 ? c : catcher->h1;
    }
    return MASING_OK;
}

static enum masing_status catch_row(void *context, const struct masing_cell *cells,
                                    struct masing_error *error)
{
    struct catcher *catcher = context;
    (void)error;
    for (int i = 0; i < catcher->n; i++) {
        if (fabs(cells[catcher->frequency].number - catcher->hz[i]) < 1e-9) {
            catcher->values[i] = cells[catcher->h1].number;
        }
    }
    return MASING_OK;
}

static enum masing_status catch_finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void catch_abandon(void *context)
{
    (void)context;
}

void first_harmonics(const struct masing_model *model, const double *hz, int n, double *values)
{
    struct catcher catcher = {.n = n, .hz = hz, .values = values};
    struct masing_sink sink = {.context = &catcher,
                               .open = catch_open,
                               .row = catch_row,
                               .finish = catch_finish,
                               .abandon = catch_abandon,
                               .destroy = catch_abandon};
    struct masing_response_options options = {.n_at = n, .at_hz = hz};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    require(masing_frf(model, &options, &sink, NULL, &summary, &error), "response", &error);
    masing_response_summary_clear(&summary);
}
