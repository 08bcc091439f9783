/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A response with its harmonics checked and its sliders started elsewhere. */
#ifndef MASING_TESTS_CHECKED_H
#define MASING_TESTS_CHECKED_H

#include "response.h"

struct checked {
    struct table points; /* that were checked */
    struct masing_response_summary summary;
    enum masing_status status;
};

static inline void checked_clear(struct checked *checked)
{
    table_clear(&checked->points);
    masing_response_summary_clear(&checked->summary);
}

static inline void checked_run(struct checked *checked, const char *text, double tolerance,
                               int n_starts)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    struct masing_sink sink = table_sink(&checked->points);
    const struct masing_response_options options = {
        .check_tolerance = tolerance, .check = &sink, .n_starts = n_starts};
    memset(&checked->summary, 0, sizeof checked->summary);
    checked->status = masing_document_parse(text, strlen(text), "m.yaml", &document, &error);
    if (checked->status == MASING_OK) {
        checked->status = masing_document_model(document, NULL, 0, &model, &error);
    }
    if (checked->status == MASING_OK) {
        checked->summary = (struct masing_response_summary){0};
        checked->status = masing_frf(model, &options, NULL, NULL, &checked->summary, &error);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    if (!CHECK(checked->status == MASING_OK)) {
        printf("# %s: %s\n", masing_status_name(checked->status), error.message);
    }
}

static inline bool checked_warns(const struct checked *checked, const char *part)
{
    for (int i = 0; i < checked->summary.n_warnings; i++) {
        if (strstr(checked->summary.warnings[i], part)) {
            return true;
        }
    }
    return false;
}

#endif
