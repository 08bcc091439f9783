/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model files kept as trees, and models made from them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/number.h"
#include "model_file/reader.h"
#include "data/text_file.h"
#include "model/seal.h"
#include "model/structure/structure_cache.h"

struct masing_document {
    char *file;
    struct tree *tree; /* never changed */
    struct structure_cache *cache;
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
    TRY_ALLOCATED(new = memory_array(1, sizeof *new));
    TRY_ALLOCATED(new->file = memory_text(file ? file : "model"));
    TRY_ALLOCATED(new->cache = structure_cache_create());
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
    file = strcmp(file, "-") == 0 ? NULL : file;
    TRY(text_file_read(file, TEXT_FILE_LIMIT, &text, &length, error));
    /* files that it names are sought from the current folder */
    file = file ? file : TEXT_FILE_STANDARD_INPUT;
    TRY(masing_document_parse(text, length, file, document, error));
done:
    free(text);
    return status;
}

void masing_document_destroy(struct masing_document *document)
{
    if (document) {
        tree_destroy(document->tree);
        structure_cache_release(document->cache);
        free(document->file);
        free(document);
    }
}

/* --- where the parts of a specification stand --------------------------------------------- */

/*
 * Paths of parts, followed as far as the file goes: what is missing there is wrong with what it
 * belongs to.
 */

struct tree_locator {
    struct masing_locator locator; /* first: it is what the specification is lent */
    const char *file;
    const struct tree *tree; /* as read: the rows of files are known */
};

/* The first key of a path, and what is left behind it. */
struct step {
    char key[MASING_PART_LENGTH];
    const char *rest;
};

static struct step first_step(const char *path)
{
    struct step step;
    size_t length = strcspn(path, ".");
    length = length < sizeof step.key ? length : sizeof step.key - 1;
    memcpy(step.key, path, length);
    step.key[length] = '\0';
    step.rest = path + length + (path[length] == '.');
    return step;
}

/* A member of a list, those that the specification has nothing of not counted. */
static const struct tree_node *find_member(const struct tree_node *list, int index)
{
    for (const struct tree_node *node = list->first; node; node = node->next) {
        if (!node->is_left_out && index-- == 0) {
            return node;
        }
    }
    return NULL;
}

static const struct tree_node *find_child(const struct tree_node *node, const char *key)
{
    return node->kind == TREE_SEQUENCE ? find_member(node, atoi(key)) : tree_find(node, key);
}

/* The deepest node of a path, @p node itself where it has nothing of it. */
static const struct tree_node *descend(const struct tree_node *node, const char *path,
                                       const char **rest)
{
    *rest = path;
    while (**rest) {
        struct step step = first_step(*rest);
        const struct tree_node *child = find_child(node, step.key);
        if (!child) {
            break;
        }
        node = child;
        *rest = step.rest;
    }
    return node;
}

static bool put_place(const struct tree_locator *locator, const struct tree_node *node, int row,
                      int column, char *text, size_t size)
{
    char place[READER_PLACE];
    if (node->rows && row >= 0 && row < node->rows->n_rows) {
        csv_table_place(node->rows, row, column, text, size);
    } else {
        snprintf(text, size, "%s", tree_place(locator->file, node, place));
    }
    return true;
}

/* The entry of a joint; of one that is a row of a file its `pairs` and the row from 0. */
static const struct tree_node *find_joint(const struct tree_node *list, int index,
                                          const struct tree_node **pairs, int *row)
{
    for (const struct tree_node *node = list->first; node; node = node->next) {
        *pairs = joint_rows(node);
        *row = index;
        const struct csv_table *rows = *pairs ? (*pairs)->rows : NULL;
        index -= rows ? rows->n_rows : 1;
        if (index < 0) {
            *pairs = rows ? *pairs : NULL;
            return node;
        }
    }
    return NULL;
}

/* Where a field stands, or else what gives the same in another way, or else the joint. */
static const struct tree_node *find_field(const struct tree_node *joint, const char *key)
{
    const char *rest;
    const struct tree_node *found = descend(joint, key, &rest);
    const char *const *other = found == joint ? reader_alternatives(joint, key) : NULL;
    while (found == joint && other && *other) {
        found = descend(joint, *other++, &rest);
    }
    return found;
}

/* A number that a row has of its own stands in the row, as does what stands nowhere. */
static bool locate_joint(const struct tree_locator *locator, const struct tree_node *list,
                         const char *path, char *text, size_t size)
{
    struct step step = first_step(path);
    const struct tree_node *pairs;
    int row;
    const struct tree_node *joint = find_joint(list, atoi(step.key), &pairs, &row);
    if (!joint) {
        return false;
    }
    const struct tree_node *found = find_field(joint, step.rest);
    int column = pairs ? csv_table_find(pairs->rows, step.rest) : -1;
    bool is_own = column >= 0 && pairs->rows->places[row * pairs->rows->n_columns + column] > 0;
    return pairs && (is_own || found == joint)
               ? put_place(locator, pairs, row, column, text, size)
               : put_place(locator, found, -1, -1, text, size);
}

static bool locate(const struct masing_locator *base, const char *part, char *text, size_t size)
{
    const struct tree_locator *locator = (const struct tree_locator *)(const void *)base;
    const char *rest;
    struct step step = first_step(part);
    const struct tree_node *section = tree_find(locator->tree->root, step.key);
    if (!section) {
        return false;
    }
    if (strcmp(step.key, "joints") == 0 && *step.rest) {
        return locate_joint(locator, section, step.rest, text, size);
    }
    const struct tree_node *found = descend(section, step.rest, &rest);
    return put_place(locator, found, *rest ? atoi(rest) : -1, -1, text, size);
}

/* --- models of a document ------------------------------------------------------------------
 */

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

/* What the public functions below are given, and what becomes of it. */
struct request {
    const struct masing_document *document;
    const struct masing_override *overrides;
    int n_overrides;
    struct masing_error *error;
    bool fills_defaults, needs_joints_only;
    const struct tree_node **targets; /* [n_overrides] where they were put; or NULL */
    struct tree *tree;                /* a copy of the document's, as resolved */
    struct masing_spec spec;
    struct tree_locator locator;
};

static enum masing_status begin(const struct request *request, const void *result,
                                const char *what)
{
    struct masing_error *error = request->error;
    masing_error_clear(error);
    NEED(entry_need(result, what, error));
    NEED(entry_need(request->document, "document", error));
    NEED(entry_need_array(request->n_overrides, request->overrides, "overrides", error));
    for (int i = 0; i < request->n_overrides; i++) {
        NEED(entry_need(request->overrides[i].path, "overrides: a path", error));
        NEED(entry_need(request->overrides[i].value, "overrides: a value", error));
    }
    return MASING_OK;
}

/* Fills tree and specification, which is not checked yet. */
static enum masing_status read_document(struct request *request)
{
    struct masing_error *error = request->error;
    enum masing_status status = MASING_OK;
    struct reader reader = {.file = request->document->file,
                            .spec = &request->spec,
                            .fills_defaults = request->fills_defaults,
                            .needs_joints_only = request->needs_joints_only,
                            .error = error};
    TRY(tree_copy(request->document->tree, &request->tree, error));
    reader.tree = request->tree;
    TRY(overrides_apply(reader.tree, request->overrides, request->n_overrides, request->targets,
                        error));
    TRY(masing_spec_init(reader.spec, error));
    reader.spec->structure.cache = structure_cache_hold(request->document->cache);
    TRY(read_model(&reader));
    TRY(refuse_unused(&reader));
    request->locator =
        (struct tree_locator){.locator = {locate}, .file = reader.file, .tree = reader.tree};
    request->spec.locator = &request->locator.locator;
done:
    names_clear(&reader.dofs);
    return status;
}

/* The same, checked as far as that goes without sealing it. */
static enum masing_status read_and_check(struct request *request)
{
    enum masing_status status = read_document(request);
    status = status ? status : seal_check(&request->spec, request->error);
    request->spec.locator = NULL;
    return status;
}

/* The specification goes to the caller, empty after a failure. */
static enum masing_status give_spec(struct request *request, enum masing_status status,
                                    struct masing_spec *spec)
{
    if (status != MASING_OK) {
        masing_spec_clear(&request->spec);
    }
    *spec = request->spec;
    tree_destroy(request->tree);
    return status;
}

enum masing_status masing_document_spec(const struct masing_document *document,
                                        const struct masing_override *overrides,
                                        int n_overrides, struct masing_spec *spec,
                                        struct masing_error *error)
{
    struct request request = {document, overrides, n_overrides, .error = error};
    NEED(begin(&request, spec, "spec"));
    return give_spec(&request, read_and_check(&request), spec);
}

enum masing_status masing_document_joints(const struct masing_document *document,
                                          const struct masing_override *overrides,
                                          int n_overrides, struct masing_spec *spec,
                                          struct masing_error *error)
{
    struct request request = {document, overrides, n_overrides, .error = error,
                              .needs_joints_only = true};
    enum masing_status status = begin(&request, spec, "spec");
    if (status != MASING_OK) {
        return status;
    }
    status = read_and_check(&request);
    for (int j = 0; j < request.spec.n_joints && !status; j++) {
        const struct masing_joint_spec *joint = &request.spec.joints[j];
        status = masing_law_check(joint->law, joint->parameters, error);
    }
    if (status == MASING_OK) {
        status = seal_groups(&request.spec, error);
    }
    return give_spec(&request, status, spec);
}

enum masing_status masing_document_model(const struct masing_document *document,
                                         const struct masing_override *overrides,
                                         int n_overrides, struct masing_model **model,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct request request = {document, overrides, n_overrides, .error = error};
    TRY(begin(&request, model, "model"));
    *model = NULL;
    TRY(read_document(&request));
    TRY(masing_model_create(&request.spec, model, error));
done:
    masing_spec_clear(&request.spec);
    tree_destroy(request.tree);
    return status;
}

enum masing_status masing_document_targets(const struct masing_document *document,
                                           const struct masing_override *overrides,
                                           int n_overrides,
                                           struct masing_override_target *targets,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct request request = {document, overrides, n_overrides, .error = error};
    TRY(begin(&request, targets, "targets"));
    TRY_ALLOCATED(request.targets =
                      memory_array((size_t)n_overrides, sizeof(struct tree_node *)));
    TRY(read_and_check(&request));
    for (int i = 0; i < n_overrides; i++) {
        int first = 0;
        while (request.targets[first] != request.targets[i]) {
            first++;
        }
        targets[i] = (struct masing_override_target){first, request.targets[i]->is_number};
    }
done:
    masing_spec_clear(&request.spec);
    tree_destroy(request.tree);
    free(request.targets);
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
    struct request request = {document, overrides, n_overrides, .error = error,
                              .fills_defaults = true};
    char number[NUMBER_TEXT];
    TRY(begin(&request, text, "text"));
    *text = NULL;
    TRY(read_document(&request));
    bool has_samples = tree_find(request.tree->root, "samples") != NULL;
    if (!has_samples && seal_settings(&request.spec, NULL) == MASING_OK) {
        number_print(request.spec.n_samples, number);
        TRY_ALLOCATED(tree_append_text(request.tree, request.tree->root, "samples", number));
    }
    TRY(write_resolved(request.tree, text, error));
done:
    masing_spec_clear(&request.spec);
    tree_destroy(request.tree);
    return status;
}

enum masing_status masing_document_joints_resolved(const struct masing_document *document,
                                                   const struct masing_override *overrides,
                                                   int n_overrides, char **text,
                                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct request request = {document,
                              overrides,
                              n_overrides,
                              .error = error,
                              .fills_defaults = true,
                              .needs_joints_only = true};
    TRY(begin(&request, text, "text"));
    *text = NULL;
    TRY(read_and_check(&request));
    struct tree_node *root = request.tree->root;
    bool has_structure = tree_find(root, "structure") != NULL;
    for (const struct reader_key *key = model_keys; key->name && !has_structure; key++) {
        const struct tree_node *section = tree_find(root, key->name);
        if (section && reader_is_of_structure(key)) {
            tree_remove(root, section);
        }
    }
    TRY(write_resolved(request.tree, text, error));
done:
    masing_spec_clear(&request.spec);
    tree_destroy(request.tree);
    return status;
}
