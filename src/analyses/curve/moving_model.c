/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/moving_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status moving_model_overrides(const struct moving_model_request *request,
                                          const char *text, struct masing_override **overrides,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)request->n_overrides;
    *overrides = memory_array(n + 1, sizeof **overrides);
    TRY_ALLOCATED(*overrides);
    if (n > 0) {
        memcpy(*overrides, request->overrides, n * sizeof **overrides);
    }
    (*overrides)[n] = (struct masing_override){request->parameter, text};
done:
    return status;
}

/* A joint's law that its parameters do not go together in, as a preload without an equilibrium;
 * not a number out of its own range. */
static bool is_refused_by_law(enum masing_status status, const struct masing_error *error)
{
    static const char joints[] = "joints.";
    return status == MASING_INVALID && strncmp(error->part, joints, sizeof joints - 1) == 0;
}

enum masing_status moving_model_try(const struct masing_document *document,
                                    const struct masing_override *overrides, int n_overrides,
                                    struct masing_model **model, struct masing_error *refusal,
                                    struct masing_error *error)
{
    struct masing_spec spec = {0};
    enum masing_status status =
        masing_document_model(document, overrides, n_overrides, model, refusal);
    bool is_refusal =
        is_refused_by_law(status, refusal) ||
        (status == MASING_INVALID &&
         masing_document_spec(document, overrides, n_overrides, &spec, NULL) == MASING_OK);
    masing_spec_clear(&spec);
    if (status != MASING_OK && !is_refusal) {
        *error = *refusal;
    }
    return is_refusal ? MASING_OK : status;
}

static enum masing_status create_moving(const struct moving_model_request *request,
                                        const struct moving_specs *specs,
                                        struct masing_model *model, struct moving **moving,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error inner = {0};
    struct moving *made = NULL;
    status = moving_create(model, specs, &made, &inner);
    TRY(status ? masing_error_set(error, status, "%s %s: %s", request->option,
                                  request->parameter, inner.message)
               : MASING_OK);
    /* sliders that start in a static state which moves would move with it */
    bool is_static = model->spec.start == MASING_START_STATIC && made->n_numbers > 0;
    for (int a = 0; a < model->n_axes && is_static; a++) {
        TRY(model->static_displacement[a] == 0.0
                ? MASING_OK
                : masing_error_set(error, MASING_UNSUPPORTED,
                                   "%s %s: sliders that start in a static state which depends "
                                   "on it (start: static) are not supported yet",
                                   request->option, request->parameter));
    }
    *moving = made;
    made = NULL;
done:
    moving_destroy(made);
    return status;
}

/* A refused value is one of the option's, not one that was set. */
static enum masing_status blame(const struct moving_model_request *request,
                                enum masing_status status, const struct masing_error *inner,
                                struct masing_error *error)
{
    static const char set[] = "--set ";
    const char *message = inner->message, *value = message + sizeof set - 1;
    size_t length = strlen(request->parameter);
    bool is_value = strncmp(message, set, sizeof set - 1) == 0 &&
                    strncmp(value, request->parameter, length) == 0 && value[length] == ':';
    return masing_error_set(error, status, "%s%s%s", is_value ? request->option : "",
                            is_value ? " " : "", is_value ? value : message);
}

enum masing_status moving_model_create(const struct moving_model_request *request,
                                       struct masing_model **model, struct moving **moving,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct moving_specs specs = {
        .p = {request->from, 0.5 * (request->from + request->to), request->to}};
    struct masing_spec spec[3] = {{0}};
    struct masing_override *list = NULL;
    struct masing_error inner = {0};
    char text[32] = "";
    bool is_whole = true; /* there are specifications for the whole range */
    TRY(moving_model_overrides(request, text, &list, error));
    for (int k = 2; k >= 0; k--) { /* the beginning last, where the model is made */
        snprintf(text, sizeof text, "%.17g", specs.p[k]);
        specs.at[k] = &spec[k];
        status = masing_document_spec(request->document, list, request->n_overrides + 1,
                                      &spec[k], &inner);
        bool is_refused = is_refused_by_law(status, &inner);
        is_whole = is_whole && !is_refused;
        TRY(status && !is_refused ? blame(request, status, &inner, error) : MASING_OK);
    }
    TRY(moving_model_try(request->document, list, request->n_overrides + 1, model, &inner,
                         error));
    TRY(*model ? MASING_OK
               : masing_error_set(error, MASING_STOPPED, "%s = %.10g: %s", request->parameter,
                                  request->from, inner.message));
    TRY(is_whole ? MASING_OK
                 : masing_error_set(error, MASING_UNSUPPORTED, "%s %s: %s", request->option,
                                    request->parameter, inner.message));
    TRY(create_moving(request, &specs, *model, moving, error));
done:
    for (int k = 0; k < 3; k++) {
        masing_spec_clear(&spec[k]);
    }
    free(list);
    return status;
}
