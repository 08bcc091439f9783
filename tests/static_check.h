/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static states and linear modes of models given as text. */
#ifndef MASING_TESTS_STATIC_CHECK_H
#define MASING_TESTS_STATIC_CHECK_H

#include "masing/check.h"
#include "response.h"

/* Seals a text and takes its static state; the text is freed. */
static inline enum masing_status check_text(char *text, struct masing_check_result *result,
                                            struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    memset(result, 0, sizeof *result);
    memset(error, 0, sizeof *error);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    status = status ? status : masing_document_model(document, NULL, 0, &model, error);
    status = status ? status : masing_check(model, NULL, result, error);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
    return status;
}

#endif
