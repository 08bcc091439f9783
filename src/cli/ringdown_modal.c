/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models of single modes that a decay is compared with. */
#include <stdlib.h>
#include <string.h>

#include "cli/ringdown_run.h"

/* Steps of the curve along which a modal model is known, in parts of its range: fine enough to
 * look up values between the points. */
static const double FINE_STEP = 0.01;

static enum masing_status make_model(const char *file, struct masing_model **model,
                                     struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_spec spec = {0};
    enum masing_status status = masing_document_read(file, &document, error);
    status = status ? status : masing_document_spec(document, NULL, 0, &spec, error);
    if (status == MASING_OK) {
        if (spec.solver.step_max > FINE_STEP) {
            spec.solver.step_max = FINE_STEP;
        }
        if (spec.solver.step_initial > FINE_STEP) {
            spec.solver.step_initial = FINE_STEP;
        }
        status = masing_model_create(&spec, model, error);
    }
    masing_spec_clear(&spec);
    masing_document_destroy(document);
    return status;
}

static enum masing_status open_one(struct ringdown_run *run, const char *text,
                                   struct masing_error *error)
{
    char *end;
    long mode = strtol(text, &end, 10);
    struct masing_model *model = NULL;
    if (mode < 1 || mode > 100000 || *end != '=' || end[1] == '\0') {
        return masing_error_set(error, MASING_INVALID,
                                "masing ringdown: --modal: '%.80s' is not of the form "
                                "N=FILE.yaml, as 2=mode2.yaml",
                                text);
    }
    enum masing_status status = make_model(end + 1, &model, error);
    if (status == MASING_OK) {
        run->modal[run->n_modal++] = (struct masing_modal_model){(int)mode, model};
    }
    return status;
}

enum masing_status ringdown_open_modal(struct ringdown_run *run, struct masing_error *error)
{
    const struct text_list *list = &run->settings->modal;
    enum masing_status status = MASING_OK;
    run->modal = pool_take(run->single.call->pool, (size_t)list->count + 1, sizeof *run->modal);
    for (int i = 0; status == MASING_OK && i < list->count; i++) {
        status = open_one(run, list->values[i], error);
    }
    return status;
}

void ringdown_close_modal(struct ringdown_run *run)
{
    for (int i = 0; i < run->n_modal; i++) {
        masing_model_destroy((struct masing_model *)run->modal[i].model);
    }
}
