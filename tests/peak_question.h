/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Peaks that are followed along a number of an example or of a model's text. */
#ifndef MASING_TESTS_PEAK_QUESTION_H
#define MASING_TESTS_PEAK_QUESTION_H

#include "masing/peak.h"
#include "example.h"

struct curve {
    struct table rows;
    struct masing_peak_summary summary;
    struct masing_error error;
    enum masing_status status;
};

struct question {
    const char *example; /* of the project, or the text of a model */
    const char *parameter;
    double from, to;
    const struct masing_override *overrides;
    int n_overrides, n_values;
    const double *values;
    const char *other;
    int n_others;
    const double *others;
    bool is_minimized;
    const enum masing_measure *measure;
};

static inline struct masing_document *open_example(const char *name)
{
    char file[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    if (strchr(name, ':')) {
        CHECK(masing_document_parse(name, strlen(name), "text.yaml", &document, &error) ==
              MASING_OK);
        return document;
    }
    snprintf(file, sizeof file, "%s/examples/%s", root ? root : ".", name);
    CHECK(masing_document_read(file, &document, &error) == MASING_OK);
    return document;
}

static inline void follow(const struct question *question, struct curve *curve)
{
    struct masing_document *document = open_example(question->example);
    const struct masing_peak_request request = {.document = document,
                                                .overrides = question->overrides,
                                                .n_overrides = question->n_overrides,
                                                .parameter = question->parameter,
                                                .from = question->from,
                                                .to = question->to,
                                                .n_values = question->n_values,
                                                .values = question->values,
                                                .other = question->other,
                                                .n_others = question->n_others,
                                                .others = question->others,
                                                .is_minimized = question->is_minimized,
                                                .measure = question->measure};
    const struct masing_response_options options = {0};
    struct masing_sink sink = table_sink(&curve->rows);
    memset(&curve->error, 0, sizeof curve->error);
    curve->summary = (struct masing_peak_summary){0};
    curve->status =
        masing_peak_follow(&request, &options, &sink, &curve->summary, &curve->error);
    if (curve->status != MASING_OK) {
        printf("# %s\n", curve->error.message);
    }
    masing_document_destroy(document);
}

static inline void clear(struct curve *curve)
{
    table_clear(&curve->rows);
    masing_peak_summary_clear(&curve->summary);
}

#endif
