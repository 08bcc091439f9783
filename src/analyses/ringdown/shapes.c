/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shapes that a model has at the channels of a measured record. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/ringdown.h"
#include "model/stuck_modes.h"

/* The combination of DOFs that a channel is, or NULL. */
static const struct masing_combination *combination_of(const struct masing_model *model,
                                                       const char *name,
                                                       struct masing_combination *single,
                                                       struct masing_term *term)
{
    const struct masing_spec *spec = &model->spec;
    for (int i = 0; i < spec->n_outputs; i++) {
        if (strcmp(spec->outputs[i].name, name) == 0) {
            return &spec->outputs[i].combination;
        }
    }
    for (int i = 0; spec->structure.dof_names && i < spec->structure.n_dofs; i++) {
        if (strcmp(spec->structure.dof_names[i], name) == 0) {
            *term = (struct masing_term){i, 1.0};
            *single = (struct masing_combination){1, term};
            return single;
        }
    }
    return NULL;
}

static double shape_at(const struct masing_model *model, const double *modal,
                       const struct masing_combination *combination)
{
    const struct structure *structure = model->structure;
    double value = 0.0;
    for (int t = 0; t < combination->n_terms; t++) {
        for (int k = 0; k < structure->n_modes; k++) {
            value += combination->terms[t].weight * modal[k] *
                     structure->shapes[combination->terms[t].dof + k * structure->n_dofs];
        }
    }
    return value;
}

static enum masing_status add_channel(const struct masing_model *model,
                                      const struct stuck_modes *modes, const char *name,
                                      size_t stride, struct masing_record_shapes *shapes,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_combination single;
    struct masing_term term;
    const struct masing_combination *combination = combination_of(model, name, &single, &term);
    if (!combination) {
        return MASING_OK;
    }
    int channel = shapes->n_channels;
    shapes->names[channel] = memory_text(name);
    TRY_ALLOCATED(shapes->names[channel]);
    shapes->n_channels++;
    for (int k = 0; k < shapes->n_modes; k++) {
        shapes->shapes[(size_t)k * stride + (size_t)channel] =
            shape_at(model, modes->shapes + (size_t)(modes->n_rigid + k) * (size_t)modes->n,
                     combination);
    }
done:
    return status;
}

enum masing_status masing_record_shapes_of(const struct masing_model *model,
                                           const struct masing_record *record,
                                           struct masing_record_shapes *shapes,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct stuck_modes *modes = NULL;
    struct masing_error own;
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(shapes, "shapes", error));
    *shapes = (struct masing_record_shapes){0};
    TRY(entry_need(model, "model", error));
    TRY(entry_need(record, "record", error));
    TRY(stuck_modes_create(model, &modes, error));
    size_t n = (size_t)stuck_modes_count(modes), stride = (size_t)record->n_channels;
    shapes->names = memory_array(stride, sizeof *shapes->names);
    shapes->shapes = memory_array(n * stride, sizeof *shapes->shapes);
    shapes->frequency_hz = memory_array(n, sizeof *shapes->frequency_hz);
    shapes->other_hz = memory_array(n, sizeof *shapes->other_hz);
    TRY_ALLOCATED(shapes->names);
    TRY_ALLOCATED(shapes->shapes);
    TRY_ALLOCATED(shapes->frequency_hz);
    TRY_ALLOCATED(shapes->other_hz);
    shapes->n_modes = (int)n;
    for (size_t k = 0; k < n; k++) {
        shapes->frequency_hz[k] = modes->omega[(size_t)modes->n_rigid + k] / TWO_PI;
        shapes->other_hz[k] = modes->free[(size_t)modes->n_rigid + k] / TWO_PI;
    }
    for (int i = 0; i < record->n_channels; i++) {
        TRY(add_channel(model, modes, record->names[i], stride, shapes, error));
    }
    if (shapes->n_channels == 0) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "no channel of the record is an output or a DOF of the model; the "
                             "first one is '%.80s'",
                             record->names[0]));
    }
    for (size_t k = 1; k < n; k++) {
        memmove(shapes->shapes + k * (size_t)shapes->n_channels, shapes->shapes + k * stride,
                (size_t)shapes->n_channels * sizeof *shapes->shapes);
    }
done:
    release_blas();
    stuck_modes_destroy(modes);
    return status;
}
