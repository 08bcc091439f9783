/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model files kept as trees, and models made from them. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "model_file/locate.h"
#include "data/number.h"
#include "model_file/overrides.h"
#include "model_file/reader.h"
#include "data/text_file.h"
#include "model/seal.h"

struct masing_document {
    char *file;
    struct tree *tree; /* never changed */
};

enum masing_status masing_document_parse(const char *text, size_t length, const char *file,
                                         struct masing_document **document,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_document *new = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(document, "document", error));
    *document = NULL;
    TRY(entry_need(text, "text", error));
    new = memory_array(1, sizeof *new);
    TRY_ALLOCATED(new);
    new->file = memory_text(file ? file : "model");
    TRY_ALLOCATED(new->file);
    if (length > TEXT_FILE_LIMIT) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "%.400s: is larger than the limit of %d MiB", new->file,
                             TEXT_FILE_LIMIT / (1024 * 1024)));
    }
    TRY(text_check(text, length, true, new->file, error));
    TRY(tree_parse(text, length, new->file, &new->tree, error));
    *document = new;
    new = NULL;
done:
    masing_document_destroy(new);
    return status;
}

enum masing_status masing_document_read(const char *file, struct masing_document **document,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char *text = NULL;
    size_t length;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(document, "document", error));
    *document = NULL;
    TRY(entry_need(file, "file", error));
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    TRY(masing_document_parse(text, length, file, document, error));
done:
    free(text);
    return status;
}

void masing_document_destroy(struct masing_document *document)
{
    if (document) {
        tree_destroy(document->tree);
        free(document->file);
        free(document);
    }
}

bool masing_document_is_of_joints(const struct masing_document *document)
{
    if (!document) {
        return false;
    }
    const struct tree_node *root = document->tree->root;
    bool has_others = tree_find(root, "frequency");
    for (const struct reader_key *key = model_keys; key->name; key++) {
        has_others = has_others || (reader_is_of_structure(key) && tree_find(root, key->name));
    }
    return tree_find(root, "joints") && !has_others;
}

/* A study of a parameter that nothing uses would repeat one curve. */
static enum masing_status refuse_unused(struct reader *reader)
{
    const struct tree_node *section = tree_find(reader->tree->root, "parameters");
    for (int i = 0; i < reader->n_parameters; i++) {
        const struct tree_node *node = tree_find(section, reader->parameters[i].name);
        if (node->origin && !reader->parameters[i].is_used) {
            return reader_fail(reader, node, "no number of the model uses this parameter");
        }
    }
    return MASING_OK;
}

/* How much of a document is wanted. */
struct reading {
    bool fills_defaults, needs_joints_only;
};

/* What every public function below is handed, and clears or refuses first. */
static enum masing_status begin(const struct masing_document *document,
                                const struct masing_override *overrides, int n_overrides,
                                const void *result, const char *what,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    masing_error_clear(error);
    TRY(entry_need(result, what, error));
    TRY(entry_need(document, "document", error));
    TRY(entry_need_array(n_overrides, overrides, "overrides", error));
    for (int i = 0; i < n_overrides; i++) {
        TRY(entry_need(overrides[i].path, "overrides: a path", error));
        TRY(entry_need(overrides[i].value, "overrides: a value", error));
    }
done:
    return status;
}

/* Fill a specification that has not been checked; *tree is left as resolved and is owned by the
 * caller. */
static enum masing_status instantiate(const struct masing_document *document,
                                      const struct masing_override *overrides, int n_overrides,
                                      struct reading reading, struct masing_spec *spec,
                                      struct tree **tree, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct reader reader = {.file = document->file,
                            .spec = spec,
                            .fills_defaults = reading.fills_defaults,
                            .needs_joints_only = reading.needs_joints_only,
                            .error = error};
    memset(spec, 0, sizeof *spec);
    TRY(tree_copy(document->tree, tree, error));
    reader.tree = *tree;
    TRY(overrides_apply(*tree, overrides, n_overrides, error));
    TRY(masing_spec_init(spec, error));
    TRY(read_model(&reader));
    TRY(refuse_unused(&reader));
done:
    names_clear(&reader.dofs);
    if (status != MASING_OK) {
        masing_spec_clear(spec);
    }
    return status;
}

/* The same, checked as far as that goes without sealing it. */
static enum masing_status instantiate_checked(const struct masing_document *document,
                                              const struct masing_override *overrides,
                                              int n_overrides, struct reading reading,
                                              struct masing_spec *spec, struct tree **tree,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(instantiate(document, overrides, n_overrides, reading, spec, tree, error));
    struct tree_locator locator = tree_locator(document->file, *tree);
    spec->locator = &locator.locator;
    status = seal_check(spec, error);
    spec->locator = NULL;
done:
    if (status != MASING_OK) {
        masing_spec_clear(spec);
    }
    return status;
}

enum masing_status masing_document_spec(const struct masing_document *document,
                                        const struct masing_override *overrides,
                                        int n_overrides, struct masing_spec *spec,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct tree *tree = NULL;
    TRY(begin(document, overrides, n_overrides, spec, "spec", error));
    TRY(instantiate_checked(document, overrides, n_overrides, (struct reading){0}, spec, &tree,
                            error));
done:
    tree_destroy(tree);
    return status;
}

enum masing_status masing_document_joints(const struct masing_document *document,
                                          const struct masing_override *overrides,
                                          int n_overrides, struct masing_spec *spec,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct tree *tree = NULL;
    struct reading reading = {.needs_joints_only = true};
    status = begin(document, overrides, n_overrides, spec, "spec", error);
    if (status != MASING_OK) {
        return status;
    }
    TRY(instantiate_checked(document, overrides, n_overrides, reading, spec, &tree, error));
    for (int j = 0; j < spec->n_joints; j++) {
        TRY(masing_law_check(spec->joints[j].law, spec->joints[j].parameters, error));
    }
done:
    tree_destroy(tree);
    if (status != MASING_OK) {
        masing_spec_clear(spec);
    }
    return status;
}

/* The model of a specification; what is refused is placed in the file. */
static enum masing_status seal(const struct masing_document *document, const struct tree *tree,
                               struct masing_spec *spec, struct masing_model **model,
                               struct masing_error *error)
{
    struct tree_locator locator = tree_locator(document->file, tree);
    spec->locator = &locator.locator;
    return masing_model_create(spec, model, error);
}

enum masing_status masing_document_model(const struct masing_document *document,
                                         const struct masing_override *overrides,
                                         int n_overrides, struct masing_model **model,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_spec spec;
    struct tree *tree = NULL;
    TRY(begin(document, overrides, n_overrides, model, "model", error));
    *model = NULL;
    TRY(instantiate(document, overrides, n_overrides, (struct reading){0}, &spec, &tree,
                    error));
    TRY(seal(document, tree, &spec, model, error));
done:
    tree_destroy(tree);
    return status;
}

/* What only a sealed model knows. */
static enum masing_status settle(const struct masing_document *document, struct tree *tree,
                                 struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_model *model = NULL;
    char text[NUMBER_TEXT];
    TRY(seal(document, tree, spec, &model, error));
    if (!tree_find(tree->root, "samples")) {
        number_print(masing_model_spec(model)->n_samples, text);
        TRY_ALLOCATED(tree_append_text(tree, tree->root, "samples", text));
    }
done:
    masing_model_destroy(model);
    return status;
}

/* The text of a tree whose parameters have been put in. */
static enum masing_status write_resolved(struct tree *tree, char **text,
                                         struct masing_error *error)
{
    const struct tree_node *parameters = tree_find(tree->root, "parameters");
    if (parameters) {
        tree_remove(tree->root, parameters);
    }
    return tree_write(tree, text, error);
}

enum masing_status masing_document_resolved(const struct masing_document *document,
                                            const struct masing_override *overrides,
                                            int n_overrides, char **text,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_spec spec = {0};
    struct tree *tree = NULL;
    struct reading reading = {.fills_defaults = true};
    TRY(begin(document, overrides, n_overrides, text, "text", error));
    *text = NULL;
    TRY(instantiate(document, overrides, n_overrides, reading, &spec, &tree, error));
    TRY(settle(document, tree, &spec, error));
    TRY(write_resolved(tree, text, error));
done:
    masing_spec_clear(&spec);
    tree_destroy(tree);
    return status;
}

enum masing_status masing_document_joints_resolved(const struct masing_document *document,
                                                   const struct masing_override *overrides,
                                                   int n_overrides, char **text,
                                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_spec spec = {0};
    struct tree *tree = NULL;
    struct reading reading = {.fills_defaults = true, .needs_joints_only = true};
    TRY(begin(document, overrides, n_overrides, text, "text", error));
    *text = NULL;
    TRY(instantiate_checked(document, overrides, n_overrides, reading, &spec, &tree, error));
    bool has_structure = tree_find(tree->root, "structure") != NULL;
    for (const struct reader_key *key = model_keys; key->name && !has_structure; key++) {
        const struct tree_node *section = tree_find(tree->root, key->name);
        if (section && reader_is_of_structure(key)) {
            tree_remove(tree->root, section);
        }
    }
    TRY(write_resolved(tree, text, error));
done:
    masing_spec_clear(&spec);
    tree_destroy(tree);
    return status;
}
