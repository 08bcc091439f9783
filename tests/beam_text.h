/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures of beams from a text, for the tests of their numbers and of their names. */
#ifndef MASING_TESTS_BEAM_TEXT_H
#define MASING_TESTS_BEAM_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "tap.h"

/* The specification of a model whose structure: holds @p structure; masing_spec_clear it. */
static inline struct masing_spec beam_spec(const char *structure, const char *output)
{
    char text[4000];
    struct masing_document *document = NULL;
    struct masing_spec spec = {0};
    struct masing_error error = {0};
    snprintf(text, sizeof text,
             "masing: 1\nstructure:\n%s\nfrequency: [1, 2]\noutputs: ['%s']\n", structure,
             output);
    if (!CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_spec(document, NULL, 0, &spec, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    return spec;
}

static inline int beam_dof(const struct masing_spec *spec, const char *name)
{
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        if (strcmp(spec->structure.dof_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

#endif
