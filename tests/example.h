/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The project's example models with numbers overridden. */
#ifndef MASING_TESTS_EXAMPLE_H
#define MASING_TESTS_EXAMPLE_H

#include "response.h"

static inline struct masing_model *
example_open(const char *name, const struct masing_override *overrides, int n_overrides)
{
    char file[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    snprintf(file, sizeof file, "%s/examples/%s", root ? root : ".", name);
    if (!CHECK(masing_document_read(file, &document, &error) == MASING_OK &&
               masing_document_model(document, overrides, n_overrides, &model, &error) ==
                   MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    return model;
}

/* Its frequency response; run_clear afterwards. */
static inline void example_run(const char *name, const struct masing_override *overrides,
                               int n_overrides, struct run *run)
{
    struct masing_model *model = example_open(name, overrides, n_overrides);
    struct masing_response_options options = {
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_JOINTS,
        .stability = MASING_STABILITY_NONE};
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status = masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    if (run->status != MASING_OK) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
    masing_model_destroy(model);
}

#endif
